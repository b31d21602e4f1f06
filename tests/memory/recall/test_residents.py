"""The standing memories: who is among them, in which order, and who is not."""

from __future__ import annotations

from functools import partial

from memory.lifecycle import start_life
from memory.models import Importance, Kind, Layer, Level, Memory, Sensitivity, State
from memory.ports import Transaction
from memory.recall import find_standing
from tests.memory.recall.conftest import DAY, NOW, Person


async def profile(person: Person, *, health: bool = True) -> list[str]:
    found = await person.store.read(
        person.id, lambda tx: find_standing(tx, 1.0, NOW, health=health)
    )
    return [m.original_content for m in found]


async def test_order(person: Person) -> None:
    """Health, name, how to answer, those close, pinned and core; whatever their level; nothing else."""
    await person.knows("likes tea", kind=Kind.PREFERENCE)
    await person.knows("has a boat", verified=True)
    await person.knows("core fact", layer=Layer.CORE)
    await person.knows("sister Hannah lives in Lyon", close=True, level=Level.TRACE, days_ago=2_000)
    await person.knows("short answers", kind=Kind.INSTRUCTION)
    await person.knows("is called Ada", kind=Kind.IDENTITY)
    await person.knows("was born in 1990", kind=Kind.IDENTITY)
    private = Sensitivity.PRIVATE
    await person.knows(
        "对花生过敏", kind=Kind.HEALTH, level=Level.ARCHIVE, sensitivity=private, days_ago=3_000
    )
    best = ["is called Ada", "short answers", "sister Hannah lives in Lyon", "core fact"]
    assert await profile(person) == ["对花生过敏", *best]
    assert await profile(person, health=False) == best


async def test_what_is_clear_fills_the_places_left(person: Person) -> None:
    """Slots first, then the strongest; not what is faded, private, over or unsettled."""
    await person.knows("likes tea", kind=Kind.PREFERENCE)
    await person.knows("works as a nurse", slot="job", days_ago=300)
    await person.knows("has a boat", level=Level.TRACE)
    await person.knows("owes money", sensitivity=Sensitivity.PRIVATE)
    await person.knows("was to go to Rome", kind=Kind.EVENT, on=NOW - 9 * DAY)
    await person.knows("runs with Jo", unsettled_at=NOW - DAY)
    await person.knows("is called Ada", kind=Kind.IDENTITY)
    found = await person.store.read(person.id, lambda tx: find_standing(tx, 1.0, NOW, filled=True))
    told = [m.original_content for m in found]
    assert told == ["is called Ada", "works as a nurse", "likes tea"]


async def test_who_is_not_in_it(person: Person) -> None:
    """Ended, denied, superseded, quiet, secret, episodes."""
    await person.knows("b", kind=Kind.HEALTH, valid_until=NOW - DAY)
    await person.knows("c", kind=Kind.HEALTH, negated_at=NOW - DAY)
    await person.knows("d", kind=Kind.HEALTH, state=State.SUPERSEDED)
    await person.knows("e", kind=Kind.HEALTH, sensitivity=Sensitivity.SECRET)
    await person.knows("f", kind=Kind.EPISODE, pinned=True)
    await person.knows("g", kind=Kind.HEALTH, quiet_at=NOW - DAY)
    assert await profile(person) == []


async def test_twenty_and_400_tokens_but_all_of_health(person: Person) -> None:
    """Health is never cut and takes no place; of the others the strongest, and one too long makes none wait."""
    for i in range(22):
        await person.knows(f"allergic to {i}", kind=Kind.HEALTH, days_ago=i)
        await person.knows(f"answer so {i}", kind=Kind.INSTRUCTION, days_ago=i)
    await person.knows("call me " + "x" * 1_700, kind=Kind.INSTRUCTION)
    found = await profile(person)
    assert found == [f"allergic to {i}" for i in range(22)] + [f"answer so {i}" for i in range(20)]


async def test_under_score_from_a_half_on(person: Person) -> None:
    """The session paper: score ≥ 0.5."""
    for how, text in ((Importance.LOW, "weak"), (Importance.MEDIUM, "strong")):
        scored = start_life(await person.knows(text, kind=Kind.PREFERENCE), how, "score", NOW)
        await person.store.write(person.id, partial(rescore, scored))
    assert await profile(person) == ["strong"]


def rescore(m: Memory, tx: Transaction) -> None:
    tx.changes.begin("system", "upkeep", NOW)
    tx.memories.put(m, "updated")
