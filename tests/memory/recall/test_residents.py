"""The resident profile: who is in it, in which order, and who is not."""

from __future__ import annotations

from functools import partial

from memory.lifecycle import born
from memory.models import Importance, Kind, Layer, Level, Memory, Sensitivity, State
from memory.ports import Tx
from memory.recall import residents
from tests.memory.recall.conftest import DAY, NOW, Person


async def profile(person: Person) -> list[str]:
    found = await person.store.read(person.id, lambda tx: residents(tx, 1.0, NOW))
    return [m.content for m in found]


async def test_order(person: Person) -> None:
    """Core, pinned and verified first; then identity, preference, workflow; nothing else."""
    await person.knows("works at night", kind=Kind.WORKFLOW)
    await person.knows("likes tea", kind=Kind.PREFERENCE)
    await person.knows("name is Ada", kind=Kind.IDENTITY)
    await person.knows("has a boat", kind=Kind.FACT)
    await person.knows("pinned fact", pinned=True)
    await person.knows("core fact", layer=Layer.CORE)
    await person.knows("said so", verified=True)
    found = await profile(person)
    assert set(found[:3]) == {"pinned fact", "core fact", "said so"}
    assert found[3:] == ["name is Ada", "likes tea", "works at night"]


async def test_who_is_not_in_it(person: Person) -> None:
    """Faded, ended, denied, superseded, private, episodes."""
    await person.knows("a", kind=Kind.IDENTITY, level=Level.SUMMARY)
    await person.knows("b", kind=Kind.IDENTITY, valid_until=NOW - DAY)
    await person.knows("c", kind=Kind.IDENTITY, negated_at=NOW - DAY)
    await person.knows("d", kind=Kind.IDENTITY, state=State.SUPERSEDED)
    await person.knows("e", kind=Kind.IDENTITY, sensitivity=Sensitivity.PRIVATE)
    await person.knows("f", kind=Kind.EPISODE, verified=True)
    await person.knows("g", kind=Kind.WORKFLOW, days_ago=400)
    assert await profile(person) == []


async def test_at_most_twenty(person: Person) -> None:
    """S3's limit, the strongest first."""
    for i in range(25):
        await person.knows(f"likes thing {i}", kind=Kind.PREFERENCE, days_ago=i)
    found = await profile(person)
    assert found == [f"likes thing {i}" for i in range(20)]


async def test_under_score_from_a_half_on(person: Person) -> None:
    """S3: score ≥ 0.5."""
    for how, text in ((Importance.LOW, "weak"), (Importance.MEDIUM, "strong")):
        scored = born(await person.knows(text, kind=Kind.PREFERENCE), how, "score", NOW)
        await person.store.write(person.id, partial(rescore, scored))
    assert await profile(person) == ["strong"]


def rescore(m: Memory, tx: Tx) -> None:
    tx.changes.begin("system", "upkeep", NOW)
    tx.memories.put(m, "updated")
