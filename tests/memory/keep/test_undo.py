"""Undo takes back one act, and says what stands in its way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.errors import Conflict, NotFound
from memory.models import Filter, Level, State
from memory.ports import Transaction
from tests.memory.keep.home import Home
from tests.memory.learn.world import TZ, summary


async def test_of_something_learned(home: Home) -> None:
    """It is gone, leaves a tombstone, and the words it came from stay where they are."""
    result = await home.me.learn("I like jazz.", "[ADD kind=preference] Likes jazz")
    done = await home.service.undo(home.user, home.me.tick())
    assert (done.set_id, done.reason) == (result["set"], "monitor")
    assert [m.content for m in done.memories] == ["Likes jazz"]
    assert await home.contents() == set()
    assert await home.read(lambda tx: tx.tombstones.has(tx.tombstones.compute_digest("Likes jazz")))
    assert "I like jazz." in await home.visible()


async def test_of_a_correction(home: Home) -> None:
    """The old one holds again, with its validity; the new one is gone."""
    old = await home.me.remember("Lives in Lyon")
    await home.me.learn("I moved to Paris.", f"[UPDATE:{old.id}] Lives in Paris", recalled=[old])
    assert await home.contents() == {"Lives in Paris"}
    await home.service.undo(home.user, home.me.tick())
    back = await home.me.get(old.id)
    assert (back.state, back.valid_until) == (State.ACTIVE, None)
    assert await home.contents() == {"Lives in Lyon"}


async def test_of_a_denial(home: Home) -> None:
    """Neither denied nor faded."""
    old = await home.me.remember("Likes coffee")
    await home.me.learn(
        "I don't like coffee any more.", f"[NEGATE:{old.id}] Doesn't like coffee", recalled=[old]
    )
    assert (await home.me.get(old.id)).negated_at is not None
    await home.service.undo(home.user, home.me.tick())
    back = await home.me.get(old.id)
    assert (back.negated_at, back.valid_until, back.state) == (None, None, State.ACTIVE)
    assert back.curve_state == old.curve_state
    assert await home.contents() == {"Likes coffee"}


async def test_of_forgetting(home: Home) -> None:
    """All of it comes back: the memory, its vector in time, its messages; and it can be learned again."""
    await home.me.learn("I live in Paris.", "[ADD kind=identity] Lives in Paris", reply="Paris!")
    m = await home.me.only()
    await home.forget(m)
    assert await home.visible() == []
    done = await home.service.undo(home.user, home.me.tick())
    assert done.reason == "forget"
    assert [x.id for x in done.memories] == [m.id]
    assert await home.visible() == ["I live in Paris.", "Paris!"]
    reader = home.me.store.open_reader(home.user)
    assert await reader.search_words("Paris", 3, Filter())
    assert not await home.read(
        lambda tx: tx.tombstones.has(tx.tombstones.compute_digest(m.original_content))
    )
    assert (await home.read(lambda tx: tx.vectors.list_missing(home.me.embedder.id, 5)))[0][
        0
    ] == m.id
    found = await home.service.recall(home.user, "where do I live? Paris?", [], home.me.tick(), TZ)
    assert m.id in [h.memory.id for h in found.hits]


async def test_redo_and_undo_again(home: Home) -> None:
    """An undo can be undone, and that again."""
    m = (await home.remember("remember I like jazz")).memory
    first = await home.service.undo(home.user, home.me.tick())
    assert await home.contents() == set()
    redone = await home.service.undo(home.user, home.me.tick(), first.by)
    assert await home.contents() == {"I like jazz"}
    assert not await home.read(
        lambda tx: tx.tombstones.has(tx.tombstones.compute_digest("I like jazz"))
    )
    again = await home.service.undo(home.user, home.me.tick())
    assert again.set_id == redone.by
    assert (await home.me.get(m.id)).state is State.DELETED
    with pytest.raises(Conflict):
        await home.service.undo(home.user, home.me.tick(), first.set_id)


async def test_redo_of_forgetting_hides_again(home: Home) -> None:
    """What undo showed, redo hides."""
    await home.me.learn("I live in Paris.", "[ADD kind=identity] Lives in Paris")
    await home.forget(await home.me.only())
    undone = await home.service.undo(home.user, home.me.tick())
    await home.service.undo(home.user, home.me.tick(), undone.by)
    assert await home.visible() == []
    assert await home.contents() == set()


async def test_a_later_change_stands_in_the_way(home: Home) -> None:
    """It is named, and once that is undone, so can this be."""
    done = await home.remember("remember I like jazz")
    await home.service.edit(home.user, done.memory.id, "I like free jazz", home.me.tick())
    with pytest.raises(Conflict) as e:
        await home.service.undo(home.user, home.me.tick(), done.set_id)
    by = e.value.by
    assert by is not None
    assert by in str(e.value)
    await home.service.undo(home.user, home.me.tick(), by)
    await home.service.undo(home.user, home.me.tick(), done.set_id)
    assert await home.contents() == set()


async def test_a_mention_does_not_stand_in_the_way(home: Home) -> None:
    """And what use has done to the memory stays."""
    m = (await home.remember("remember I like jazz", said=False)).memory
    await home.service.pin(home.user, m.id, True, home.me.tick())
    await home.me.learn("Jazz it was again today.", f"[BOOST:{m.id}]", recalled=[m])
    used = await home.me.get(m.id)
    assert used.activation_count == 2  # the pin is a use as well
    await home.service.undo(home.user, home.me.tick())
    back = await home.me.get(m.id)
    assert not back.pinned
    assert (back.activation_count, back.curve_state) == (2, used.curve_state)


async def test_one_after_another(home: Home) -> None:
    """Each undo takes the newest that is left, and then there is nothing."""
    for text in ("I like jazz", "I like tea", "I like snow"):
        await home.remember(text, said=False)
    for left in ({"I like jazz", "I like tea"}, {"I like jazz"}, set()):
        await home.service.undo(home.user, home.me.tick())
        assert await home.contents() == left
    with pytest.raises(NotFound):
        await home.service.undo(home.user, home.me.tick())


async def test_what_was_purged(home: Home) -> None:
    """Cannot be undone, neither the purge nor what came before it."""
    done = await home.remember("remember I like jazz")
    await home.service.purge(home.user, done.memory.id, home.me.tick())
    with pytest.raises(NotFound):
        await home.service.undo(home.user, home.me.tick())
    with pytest.raises((Conflict, NotFound)):
        await home.service.undo(home.user, home.me.tick(), done.set_id)


async def test_nobody_elses(home: Home) -> None:
    """Another user's change set is none."""
    await home.other.remember("I live in Paris")
    theirs = await home.other.store.read(
        home.other.user, lambda tx: tx.changes.list_undoable()[0].id
    )
    with pytest.raises(NotFound):
        await home.service.undo(home.user, home.me.tick(), theirs)


async def test_of_a_summary_is_never_the_newest(home: Home) -> None:
    """The newest act of a person is not what background work did meanwhile."""
    await home.remember("remember I like jazz", said=False)
    await home.me.say("Hello there.")
    messages = await home.me.messages()
    payload = {"session_id": home.me.session.id, "after": 0, "through": messages[-1].seq}
    await home.me.work("summarise", payload, summary("a greeting", "They said hello."))
    assert (await home.service.undo(home.user, home.me.tick())).reason == "remember"


async def test_levels_and_content_after_an_undone_edit(home: Home) -> None:
    """The original words and level of before."""
    m = await home.me.remember("I play the clarinet in a small band")
    await home.faded(m, Level.SUMMARY, "plays the clarinet")
    await home.service.edit(home.user, m.id, "I play the oboe", home.me.tick())
    await home.service.undo(home.user, home.me.tick())
    back = await home.me.get(m.id)
    assert (back.level, back.content) == (Level.SUMMARY, "plays the clarinet")
    assert back.original_content == m.original_content
    assert back.correction_history == ()
    assert not await home.read(
        lambda tx: tx.tombstones.has(tx.tombstones.compute_digest(m.original_content))
    )


async def test_a_change_of_the_system_can_be_undone_by_name(home: Home) -> None:
    """Whoever made it."""
    m = await home.me.remember("I like jazz")

    def archive(tx: Transaction) -> str:
        s = tx.changes.begin("system", "upkeep", home.me.now)
        tx.memories.put(replace(m, state=State.FORGOTTEN), "forgotten")
        return s.id

    set_id = await home.write(archive)
    await home.service.undo(home.user, home.me.tick(), set_id)
    assert (await home.me.get(m.id)).state is State.ACTIVE
