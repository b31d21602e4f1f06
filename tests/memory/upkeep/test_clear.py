"""What goes for good, and what only goes from sight."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.learn.forget import forget
from memory.learn.undo import undo
from memory.models import Kind, Level, Memory, Message, Source, State
from memory.ports import Transaction
from tests.memory.upkeep.night import Home

TEA = "The user likes quillwort tea"


async def told(
    home: Home, text: str = "I like quillwort tea.", memory: str = TEA
) -> tuple[Memory, str]:
    """A memory with the message it was learned from."""
    m = await home.remember(memory, source=Source.USER)

    def write(tx: Transaction) -> str:
        s = tx.conversations.get_open_session("s") or tx.conversations.open_session("s", home.now)
        said = tx.conversations.add_message(
            Message("", s.id, None, home.user, "user", text, home.now, "UTC")
        )
        tx.memories.add_source(m.id, said.id)
        return said.id

    return m, await home.write(write)


async def message(home: Home, message_id: str) -> Message:
    found = await home.read(lambda tx: tx.conversations.get_message(message_id))
    assert isinstance(found, Message)
    return found


async def test_a_deletion_is_soft_for_thirty_days_and_then_it_is_gone(home: Home) -> None:
    """Row, words in messages, logs; the tombstone's digest stays; the file is scrubbed after."""
    m, said = await told(home)
    kept, other = await told(home, "I collect stamps.", "The user collects stamps")
    await home.write(lambda tx: forget(tx, [m.id], home.now))
    home.later(days=29)
    assert (await home.night()).count("purged") == 0
    assert (await home.get(m)).state is State.DELETED
    home.later(days=1.5)
    report = await home.night()
    assert report.count("purged") == 1
    assert await home.read(lambda tx: tx.memories.get(m.id)) is None
    assert (await message(home, said)).text == ""
    assert (await message(home, other)).text == "I collect stamps."
    assert (await home.get(kept)).state is State.ACTIVE
    jobs = await home.read(lambda tx: [j.kind for j in tx.jobs.list_pending()])
    assert "scrub" in jobs
    assert await home.read(lambda tx: tx.tombstones.has(tx.tombstones.compute_digest(TEA)))
    left = await home.read(
        lambda tx: [
            c
            for c in tx.changes.list_changes(after=0, limit=10_000)
            if "quillwort" in str((c.before, c.after))
        ]
    )
    assert left == []


async def test_what_was_said_anew_stays(home: Home) -> None:
    """The old row goes, quietly: the person has told it again."""
    m, said = await told(home)
    await home.write(lambda tx: forget(tx, [m.id], home.now))
    home.later(days=10)
    anew, again = await told(home, "I do like quillwort tea after all.")
    home.later(days=21)
    assert (await home.night()).count("purged") == 1
    now = await home.get(anew)
    assert (now.state, now.content) == (State.ACTIVE, TEA)
    assert (await message(home, again)).text == "I do like quillwort tea after all."
    assert (await message(home, said)).text == "", "it was hidden for thirty days"
    assert await home.read(lambda tx: tx.memories.get(m.id)) is None


async def test_what_nobody_asked_to_forget_takes_no_words_along(home: Home) -> None:
    """An addition that was undone, an episode that was told again: their messages stay as they are."""
    m, said = await told(home)
    await home.write(lambda tx: undo(tx, home.now, 1.0))
    gone = await home.get(m)
    assert gone.state is State.DELETED
    e = await home.episode("[2026-01-03 18:00] The user talked about tea")

    def drop(tx: Transaction) -> None:
        tx.memories.add_source(e.id, said)
        tx.memories.put(replace(e, state=State.DELETED, deleted_at=home.now), "deleted")

    await home.write(drop)
    home.later(days=31)
    assert (await home.night()).count("purged") == 2
    assert (await message(home, said)).text == "I like quillwort tea."


async def test_hidden_words_without_a_memory_go_too(home: Home) -> None:
    """ "Forget what I just said", before it was learned."""
    m, said = await told(home)
    await home.write(lambda tx: tx.memories.erase(m.id, everywhere=False))
    await home.write(lambda tx: forget(tx, [], home.now, message_ids=[said]))
    home.later(days=29)
    await home.night()
    assert (await message(home, said)).text
    home.later(days=2)
    assert (await home.night()).count("blanked") == 1
    assert (await message(home, said)).text == ""


async def test_a_restored_memory_is_not_purged(home: Home) -> None:
    """Thirty days count from the deletion that stands."""
    m, _ = await told(home)
    done = await home.write(lambda tx: forget(tx, [m.id], home.now))
    home.later(days=20)
    await home.write(lambda tx: undo(tx, home.now, 1.0, done.set_id))
    home.later(days=20)
    await home.night()
    assert (await home.get(m)).state is State.ACTIVE


@pytest.mark.parametrize("on", [True, False])
async def test_what_faded_a_year_ago_goes_only_if_asked_for(home: Home, on: bool) -> None:
    """Off by default; shown beforehand; only what nobody spoke of for a year since."""
    home.options = {"erase_old": on}
    old = await home.remember("The user had soup for lunch", kind=Kind.CONTEXT)
    pinned = await home.remember("The user likes figs", pinned=True)
    home.later(days=90_000)
    await home.night()
    assert (await home.get(old)).level is Level.ARCHIVE
    home.later(days=364)
    assert (await home.keeper.preview(home.user, home.now)).erased_old == []
    await home.night()
    home.later(days=2)
    preview = await home.keeper.preview(home.user, home.now)
    assert [m.id for m in preview.erased_old] == ([old.id] if on else [])
    report = await home.night()
    assert (await home.read(lambda tx: tx.memories.get(old.id)) is None) is on
    assert report.count("erased_old") == on
    assert (await home.get(pinned)).state is State.ACTIVE


async def test_what_was_forgotten_a_year_ago_goes_only_if_asked_for(home: Home) -> None:
    """By the day it was forgotten, not by when it was last spoken of."""
    home.curve, home.options = "importance", {"erase_old": True}
    m = await home.remember(TEA)
    home.later(days=900)
    await home.night()
    assert (await home.get(m)).state is State.FORGOTTEN
    home.later(days=364)
    await home.night()
    assert (await home.get(m)).state is State.FORGOTTEN
    home.later(days=2)
    await home.night()
    assert await home.read(lambda tx: tx.memories.get(m.id)) is None
