"""What was known on a day, and the move from one curve to another."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from memory.errors import Conflict
from memory.lifecycle import build_log_entry, move_to_curve
from memory.models import Level, Memory, Op, Sensitivity, State
from memory.ports import Transaction
from memory.store import SqliteStore
from tests.memory.store.support import NOW, a_memory, later


async def add(store: SqliteStore, user: str, text: str, at: datetime, **fields: Any) -> Memory:
    """Learned at that time, of words said then unless told otherwise."""
    made = {"created_at": at, "last_activated_at": at, "importance_at": at} | fields

    def write(tx: Transaction) -> Memory:
        tx.changes.begin("monitor", "monitor", at)
        return tx.memories.add(a_memory(text, **made))

    return await store.write(user, write)


async def put(
    store: SqliteStore, user: str, m: Memory, op: Op, at: datetime, **fields: Any
) -> Memory:
    def write(tx: Transaction) -> Memory:
        tx.changes.begin("system", "upkeep", at)
        now = tx.memories.get(m.id)
        assert now is not None
        return tx.memories.put(replace(now, **fields), op)

    return await store.write(user, write)


async def known(store: SqliteStore, user: str, days: float, text: str | None = None) -> list[str]:
    page = await store.read(user, lambda tx: tx.memories.list_known_at(later(days=days), text=text))
    assert page.total == len(page.items)
    return [m.content for m in page.items]


async def test_made_by_then(store: SqliteStore, user: str, other: str) -> None:
    """Not before it was said, from that moment on, and nobody else's."""
    await add(store, user, "likes tea", NOW)
    await add(store, user, "likes jazz", later(days=2))
    await add(store, other, "likes snow", NOW)
    assert await known(store, user, -0.01) == []
    assert await known(store, user, 0) == ["likes tea"]
    assert await known(store, user, 1.99) == ["likes tea"]
    assert await known(store, user, 2) == ["likes jazz", "likes tea"]


async def test_what_was_said_by_then_and_learned_later(store: SqliteStore, user: str) -> None:
    """An hour's outage, or an import, does not move what was said."""

    def write(tx: Transaction) -> Memory:
        tx.changes.begin("monitor", "monitor", later(days=3))
        return tx.memories.add(a_memory("likes tea"))

    await store.write(user, write)
    assert await known(store, user, 1) == ["likes tea"]


@pytest.mark.parametrize(
    ("op", "fields"),
    [
        ("superseded", {"state": State.SUPERSEDED, "valid_until": later(days=5)}),
        ("negated", {"negated_at": later(days=5), "valid_until": later(days=5)}),
        ("forgotten", {"state": State.FORGOTTEN}),
        ("merged", {"state": State.MERGED, "merged_into": "zzzzzz"}),
    ],
)
async def test_until_it_ended(
    store: SqliteStore, user: str, op: Op, fields: dict[str, Any]
) -> None:
    """Known until then, and not after; whatever became of it since, it is told as it was."""
    m = await add(store, user, "lives in Lyon", NOW)
    await put(store, user, m, op, later(days=5), **fields)
    assert await known(store, user, 4.9) == ["lives in Lyon"]
    assert await known(store, user, 5) == []


async def test_a_change_learned_late_ends_it_when_it_was_said(
    store: SqliteStore, user: str
) -> None:
    """Ended on day 3, said on day 5, worked on at day 6: from day 3 on it is the new one."""
    old = await add(store, user, "lives in Lyon", NOW)
    since, told = later(days=3), later(days=5)
    new = await add(store, user, "lives in Paris", told, supersedes=(old.id,), valid_from=since)
    await put(
        store,
        user,
        old,
        "superseded",
        later(days=6),
        state=State.SUPERSEDED,
        valid_until=later(days=3),
    )
    assert await known(store, user, 2) == [old.content]
    assert await known(store, user, 4) == await known(store, user, 5.5) == [new.content]
    tea = await add(store, user, "likes tea", NOW)
    await put(store, user, tea, "negated", later(days=9), negated_at=later(days=8))
    assert "likes tea" not in await known(store, user, 8.5)


async def test_in_the_words_it_had(store: SqliteStore, user: str) -> None:
    """Edits and levels as they stood, also of what has been denied and affirmed in between."""
    m = await add(store, user, "plays the oboe in a band", NOW)
    await put(
        store, user, m, "levelled", later(days=2), content="plays the oboe", level=Level.SUMMARY
    )
    await put(
        store,
        user,
        m,
        "updated",
        later(days=4),
        content="plays the flute",
        original_content="plays the flute",
        level=Level.FULL,
    )
    assert await known(store, user, 1) == ["plays the oboe in a band"]
    assert await known(store, user, 3) == ["plays the oboe"]
    assert await known(store, user, 4) == ["plays the flute"]
    page = await store.read(user, lambda tx: tx.memories.list_known_at(later(days=3)))
    assert page.items[0].level is Level.SUMMARY


async def test_a_denial_that_was_taken_back(store: SqliteStore, user: str) -> None:
    """Not known while it was denied."""
    m = await add(store, user, "likes tea", NOW)
    await put(store, user, m, "negated", later(days=2), negated_at=later(days=2))
    await put(store, user, m, "reinforced", later(days=4), negated_at=None)
    assert [len(await known(store, user, d)) for d in (1, 3, 5)] == [1, 0, 1]


async def test_what_was_deleted_on_request_is_told_of_no_more(
    store: SqliteStore, user: str
) -> None:
    """Forgetting is not undone by asking about an earlier day; restored, it was known all along."""
    m = await add(store, user, "likes tea", NOW)
    await put(
        store, user, m, "deleted", later(days=5), state=State.DELETED, deleted_at=later(days=5)
    )
    assert await known(store, user, 1) == []
    await put(store, user, m, "restored", later(days=6), state=State.ACTIVE, deleted_at=None)
    assert await known(store, user, 1) == ["likes tea"]
    assert await known(store, user, 5.5) == []


async def test_secrets_and_proposals_are_left_out(store: SqliteStore, user: str) -> None:
    """A secret's label is no answer to what was known, and a proposal was not yet known."""
    await add(store, user, "wifi password", NOW, sensitivity=Sensitivity.SECRET)
    m = await add(store, user, "likes tea", NOW, state=State.PROPOSED)
    await put(store, user, m, "updated", later(days=2), state=State.ACTIVE)
    assert [len(await known(store, user, d)) for d in (1, 3)] == [0, 1]


async def test_words_and_pages(store: SqliteStore, user: str) -> None:
    """All words of the search, in either language; pages, newest first."""
    await add(store, user, "likes green tea", NOW)
    await add(store, user, "喜欢喝绿茶", later(hours=1))
    await add(store, user, "likes jazz", later(hours=2))
    assert await known(store, user, 1, "Tea green") == ["likes green tea"]
    assert await known(store, user, 1, "绿茶") == ["喜欢喝绿茶"]
    page = await store.read(
        user, lambda tx: tx.memories.list_known_at(later(days=1), limit=2, offset=1)
    )
    assert ([m.content for m in page.items], page.total) == (["喜欢喝绿茶", "likes green tea"], 3)


async def test_where_the_log_lost_its_words(store: SqliteStore, user: str) -> None:
    """A purge of something else may have blanked an entry: then the row's own dates answer."""
    m = await add(store, user, "lives in Lyon", NOW)
    until = later(days=5)
    await put(store, user, m, "superseded", until, state=State.SUPERSEDED, valid_until=until)
    await store.write(
        user,
        lambda tx: tx.con.execute("UPDATE changes SET before = NULL, after = NULL"),  # type: ignore[attr-defined]
    )
    assert await known(store, user, 4) == ["lives in Lyon"]


async def test_a_move_to_another_curve(store: SqliteStore, user: str) -> None:
    """Every state and sensitivity is moved; only the curve's columns change, and no change stands in an undo's way."""
    m = await add(store, user, "likes tea", NOW)
    await add(store, user, "a pin", NOW, sensitivity=Sensitivity.SECRET, state=State.DELETED)
    seq = await store.read(user, lambda tx: tx.changes.get_last_seq())

    def move(tx: Transaction) -> int:
        found = tx.memories.get_many(
            [o.id for o in tx.memories.list_outlines() if o.curve != "score"]
        )
        for old in found:
            new = move_to_curve(old, "score", 1.0, later(days=50))
            tx.memories.move(new, build_log_entry("adopted", old, new, 1.0, later(days=50)))
        return len(found)

    assert await store.write(user, move) == 2
    assert await store.write(user, move) == 0
    assert await store.read(user, lambda tx: tx.memories.count_by("curve")) == {"score": 2}
    after = (await store.open_reader(user).get([m.id]))[0]
    assert after == replace(move_to_curve(m, "score", 1.0, later(days=50)), rev=m.rev + 1)
    assert await store.read(user, lambda tx: tx.changes.get_last_seq()) == seq
    log = await store.read(user, lambda tx: tx.memories.list_weight_log(m.id))
    assert [e.event for e in log] == ["adopted"]
    assert (
        len(
            await store.read(
                user,
                lambda tx: tx.memories.list_weight_log(since=later(days=50), events=["adopted"]),
            )
        )
        == 2
    )
    assert not await store.read(
        user, lambda tx: tx.memories.list_weight_log(since=later(days=51), events=["adopted"])
    )
    with pytest.raises(Conflict):
        await store.write(user, lambda tx: tx.memories.move(m, log[0]))
