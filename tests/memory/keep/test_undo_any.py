"""Whatever changed a memory can be taken back, by its id and, but for what time did to it, as the last act."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import pytest

from memory import lifecycle
from memory.errors import NotFound
from memory.models import Layer, Level, Memory, Op, State
from memory.ports import Transaction
from tests.memory.aside import set_aside
from tests.memory.keep.home import Home

Act = Callable[[Home, list[Memory]], Awaitable[str]]
WORDS = ("The user likes jazz", "The user enjoys jazz music", "The user lives in Lyon")


async def _set_of_last(home: Home) -> str:
    set_id: str = await home.read(lambda tx: tx.changes.list_changes(set_id=_last(tx))[0].set_id)
    return set_id


def _last(tx: Transaction) -> str:
    change = tx.changes.list_changes(after=tx.changes.get_last_seq() - 1, limit=1)[0]
    return change.set_id


async def learned(home: Home, _: list[Memory]) -> str:
    result = await home.me.learn("I play chess.", "[ADD kind=skill] The user plays chess")
    return str(result["set"])


async def updated(home: Home, some: list[Memory]) -> str:
    result = await home.me.learn(
        "I moved to Riga.", f"[UPDATE:{some[2].id}] The user lives in Riga", recalled=some
    )
    return str(result["set"])


async def negated(home: Home, some: list[Memory]) -> str:
    result = await home.me.learn(
        "I don't like jazz any more.",
        f"[NEGATE:{some[0].id}] The user dislikes jazz",
        recalled=some,
    )
    return str(result["set"])


async def edited(home: Home, some: list[Memory]) -> str:
    await home.service.edit(home.user, some[0].id, "I like free jazz", home.me.tick())
    return await _set_of_last(home)


async def pinned(home: Home, some: list[Memory]) -> str:
    await home.service.pin(home.user, some[0].id, True, home.me.tick())
    return await _set_of_last(home)


async def forgotten(home: Home, some: list[Memory]) -> str:
    done = await home.forget(some[0], some[2])
    assert done.set_id is not None
    return done.set_id


async def everything(home: Home, _: list[Memory]) -> str:
    done = await home.service.forget_everything(home.user, home.me.tick())
    assert done.set_id is not None
    return done.set_id


async def by_system(home: Home, changes: Mapping[str, Memory], op: Op, event: str) -> str:
    """As upkeep does it: one change set, each memory with its line in the weight log."""
    now = home.me.tick()

    def write(tx: Transaction) -> str:
        begun = tx.changes.begin("system", "upkeep", now)
        for memory_id, new in changes.items():
            old = tx.memories.get(memory_id)
            assert old is not None
            stored = tx.memories.put(new, op)
            tx.memories.log(lifecycle.build_log_entry(event, old, stored, 1.0, now))
        return begun.id

    set_id: str = await home.write(write)
    return set_id


async def merged(home: Home, some: list[Memory]) -> str:
    base, other = some[0], some[1]
    one = replace(
        base,
        content="The user loves jazz",
        original_content="The user loves jazz",
        merged_from=(other.id,),
        original_contents={m.id: m.original_content for m in (base, other)},
        activation_count=7,
    )
    gone = replace(other, state=State.MERGED, merged_into=base.id)
    return await by_system(home, {base.id: one, other.id: gone}, "merged", "merged")


async def levelled(home: Home, some: list[Memory]) -> str:
    return await by_system(
        home,
        {m.id: replace(m, level=Level.TAG, content="likes music") for m in some[:2]},
        "levelled",
        "level",
    )


async def archived(home: Home, some: list[Memory]) -> str:
    aside = replace(set_aside(some[0]), content="a trace of music")
    return await by_system(home, {aside.id: aside}, "levelled", "reviewed")


async def promoted(home: Home, some: list[Memory]) -> str:
    core = replace(some[0], layer=Layer.CORE, reviewed_at=home.me.now)
    return await by_system(home, {core.id: core}, "promoted", "promoted")


async def faded(home: Home, some: list[Memory]) -> str:
    gone = replace(some[0], state=State.FORGOTTEN, deleted_at=home.me.now)
    return await by_system(home, {gone.id: gone}, "forgotten", "forgotten")


ACTS: dict[str, Act] = {
    f.__name__: f
    for f in (
        *(learned, updated, negated, edited, pinned, forgotten, everything),
        *(merged, levelled, archived, promoted, faded),
    )
}
BY_TIME = {"levelled", "archived"}  # no act that somebody would mean by "the last one"


@dataclass(frozen=True)
class Stand:
    """What a person sees of a memory, and what its weight is made of."""

    content: str
    original: str
    state: State
    layer: Layer
    level: Level
    pinned: bool
    negated: bool
    ended: bool
    merged: tuple[str, ...]
    curve: Mapping[str, object]


def stand(m: Memory) -> Stand:
    return Stand(
        m.content,
        m.original_content,
        m.state,
        m.layer,
        m.level,
        m.pinned,
        m.negated_at is not None,
        m.valid_until is not None,
        m.merged_from,
        {
            k: v
            for k, v in lifecycle.dump_state(m).items()
            if k not in {"importance", "importance_at"}
        },
    )


@pytest.mark.parametrize("by", ["id", "last"])
@pytest.mark.parametrize("name", list(ACTS))
async def test_undo_of(home: Home, name: str, by: str) -> None:
    """All memories it touched are as they were, what it made is gone, and the weight log says why weights moved."""
    some = [await home.me.remember(text) for text in WORDS]
    before = {m.id: stand(m) for m in some}
    set_id = await ACTS[name](home, some)
    assert {m.id: stand(await home.me.get(m.id)) for m in some} != before or name == "learned"
    if by == "last" and name in BY_TIME:
        with pytest.raises(
            NotFound
        ):  # the memories were there before: only ids of sets that are acts are offered
            await home.service.undo(home.user, home.me.tick(), "nothing")
        return
    done = await home.service.undo(home.user, home.me.tick(), set_id if by == "id" else None)
    assert done.set_id == set_id
    assert {m.id: stand(await home.me.get(m.id)) for m in some} == before
    made = [m for m in await home.me.all(State.ACTIVE) if m.id not in before]
    assert made == []
    for m in some:
        await _log_agrees(home, m.id)


async def _log_agrees(home: Home, memory_id: str) -> None:
    log = await home.read(lambda tx: tx.memories.list_weight_log(memory_id))
    now = lifecycle.dump_state(await home.me.get(memory_id))
    left = {k: v for k, v in log[-1].after.items() if k not in {"u", "level"}}
    assert left == {k: v for k, v in now.items() if k != "level"}


async def test_undo_of_a_promotion_answers_the_reviewer(home: Home) -> None:
    """Nobody asks again tomorrow."""
    some = [await home.me.remember("The user likes jazz")]
    strong = replace(some[0], importance=2.7)
    await by_system(home, {strong.id: strong}, "updated", "edited")
    await promoted(home, [await home.me.get(strong.id)])
    now = home.me.tick()
    await home.service.undo(home.user, now)
    back = await home.me.get(strong.id)
    assert (back.layer, back.reviewed_at) == (Layer.FACT, now)
    assert lifecycle.review_due(back, 1.0, now) is None


async def test_undo_of_a_level_after_it_was_spoken_of(home: Home) -> None:
    """The mention has brought it back whole; taking the level back makes it no fainter."""
    some = [await home.me.remember(text) for text in WORDS]
    for m in some[:2]:
        deeper = replace(m, level=Level.SUMMARY, content="likes some music")
        await by_system(home, {m.id: deeper}, "levelled", "level")
    set_id = await levelled(home, [await home.me.get(m.id) for m in some])
    await home.me.learn("Jazz it was again.", f"[BOOST:{some[0].id}]", recalled=[some[0]])
    await home.service.undo(home.user, home.me.tick(), set_id)
    spoken, silent = await home.me.get(some[0].id), await home.me.get(some[1].id)
    assert (spoken.level, spoken.content, spoken.activation_count) == (
        Level.FULL,
        some[0].content,
        1,
    )
    assert (silent.level, silent.content) == (Level.SUMMARY, "likes some music")
