"""Several memories become one: which may, what it says, and how it comes apart again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory.errors import ModelError
from memory.learn.forget import forget, purge
from memory.learn.undo import undo_night
from memory.models import Importance, Json, Kind, Layer, Level, Memory, Sensitivity, State
from memory.ports import Transaction
from memory.upkeep.duplicates import can_merge, compute_similarity
from tests.memory.lifecycle.test_curves import memory
from tests.memory.upkeep.night import Home

A, B = "Drinks coffee every morning", "Always drinks a coffee every morning at home"
WHOLE = "Drinks a coffee at home every morning"


def whole(text: str = WHOLE) -> Any:
    def answer(data: Mapping[str, Json]) -> str:
        return text

    return answer


async def pair(home: Home, a: str = A, b: str = B, **fields: Any) -> tuple[Memory, Memory]:
    one = await home.remember(a, kind=Kind.WORKFLOW, **fields)
    home.later(days=1)
    return one, await home.remember(b, kind=Kind.WORKFLOW, **fields)


async def test_two_that_say_the_same_become_one(home: Home) -> None:
    """The last activated is the base; words, mentions and origins of both stay."""
    older, newer = await pair(home)
    home.later(days=1)
    await home.happen(newer, "mention")
    home.later(hours=1)
    await home.happen(newer, "mention")
    home.later(days=1)
    older = await home.happen(older, "mention")
    home.model.answers["merge"] = whole()
    report = await home.night()
    base, other = await home.get(older), await home.get(newer)
    assert (base.content, base.original_content, base.level) == (WHOLE, WHOLE, Level.FULL)
    assert (base.state, other.state, other.merged_into) == (State.ACTIVE, State.MERGED, base.id)
    assert base.merged_from == (newer.id,)
    assert base.original_contents == {older.id: A, newer.id: B}
    assert base.activation_count == 3
    assert len(base.recent_mentions) == 3
    assert (base.created_at, base.last_activated_at) == (older.created_at, older.last_activated_at)
    assert other.original_content == B
    assert (report.count("merges"), report.count("merged"), report.counters["batch_merge"]) == (
        1,
        1,
        1,
    )
    assert home.model.asked("merge")[0]["texts"] == [A, B]
    log = await home.read(lambda tx: tx.memories.list_weight_log(base.id))
    assert log[-1].event == "merged"
    assert log[-1].new_weight >= log[-1].old_weight


async def test_ten_that_say_the_same_become_one(home: Home) -> None:
    """The weight paper: a coffee every day is one habit."""
    for n in range(10):
        extra = ("", " again", " at home", " with milk", " at work")[n % 5]
        again = ("", "really ")[n // 5]
        m = await home.remember(
            f"The user {again}drinks coffee every morning{extra}", kind=Kind.WORKFLOW
        )
        await home.happen(m, "mention")
        home.later(hours=20)
    home.model.answers["merge"] = whole(
        "Drinks coffee every morning, at home or at work, with milk"
    )
    await home.night()
    (m,) = await home.all()
    assert (m.activation_count, len(m.merged_from), len(m.original_contents)) == (10, 9, 10)
    assert len(await home.all(State.MERGED)) == 9


async def test_what_took_another_ones_place_merges_like_any_other(home: Home) -> None:
    """Its validity begins where the other's ended, which says nothing of since when it has been so."""
    a, b = await pair(home)
    await home.write(lambda tx: tx.memories.put(replace(b, valid_from=b.created_at), "updated"))
    home.model.answers["merge"] = whole()
    await home.night()
    assert len(await home.all()) == 1
    assert not can_merge(replace(a, valid_from=b.created_at), b)


async def test_an_undo_takes_it_apart(home: Home) -> None:
    """Each as it was, with the whole night; the last change is the person's own."""
    a, b = await pair(home)
    home.model.answers["merge"] = whole()
    await home.night()
    done = await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    assert {m.id for m in done.undone} == {a.id, b.id}
    now = [await home.get(m) for m in (a, b)]
    assert [(m.original_content, m.content, m.state, m.merged_into) for m in now] == [
        (A, A, State.ACTIVE, None),
        (B, B, State.ACTIVE, None),
    ]
    assert [(m.merged_from, m.original_contents, m.activation_count) for m in now] == [
        ((), {}, 0)
    ] * 2


async def test_an_undo_takes_it_apart_also_after_it_was_spoken_of(home: Home) -> None:
    """What was said of it since stays its own; the others' mentions and importance go back with them."""
    a, b = await pair(home, importance=Importance.LOW)
    a = await home.happen(a, "boost")
    a = await home.happen(a, "mention")
    home.later(hours=1)
    await home.happen(b, "mention")
    home.model.answers["merge"] = whole()
    await home.night()
    base = await home.get(b)
    assert (base.activation_count, base.merged_from, len(base.recent_mentions)) == (3, (a.id,), 2)
    home.later(hours=3)
    await home.happen(base, "mention")
    await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    one, two = await home.get(a), await home.get(b)
    assert (one.state, one.activation_count, one.merged_into) == (State.ACTIVE, 2, None)
    assert (two.original_content, two.activation_count, len(two.recent_mentions)) == (B, 2, 2)
    assert one.importance == pytest.approx(1.3)
    assert two.importance == pytest.approx(1.0)


@pytest.mark.parametrize("first", [True, False])
async def test_forgetting_one_of_them_brings_the_other_back_in_its_own_words(
    home: Home, first: bool
) -> None:
    """Whichever of the two the base was; and a purge leaves no word of it."""
    a, b = await pair(home, "Likes quillwort tea", "Likes to have quillwort tea at night")
    home.later(hours=1)
    await home.happen(a if first else b, "mention")
    home.model.answers["merge"] = whole("Likes quillwort tea, also at night")
    await home.night()
    base, other = (a, b) if first else (b, a)
    assert (await home.get(other)).merged_into == base.id
    await home.write(lambda tx: forget(tx, [other.id], home.now))
    back = await home.get(base)
    texts = {m.id: m.original_content for m in (a, b)}
    assert (back.state, back.original_content, back.merged_from) == (
        State.ACTIVE,
        texts[base.id],
        (),
    )
    assert (await home.get(other)).state is State.DELETED
    await home.write(lambda tx: purge(tx, [other.id], home.now))
    assert (await home.get(base)).original_content == texts[base.id]


async def test_a_purge_of_one_of_them_keeps_the_other(home: Home) -> None:
    """Also without forgetting it first."""
    a, b = await pair(home)
    home.model.answers["merge"] = whole()
    await home.night()
    await home.write(lambda tx: purge(tx, [a.id], home.now))
    left = await home.get(b)
    assert (left.state, left.original_content, left.merged_from, left.original_contents) == (
        State.ACTIVE,
        B,
        (),
        {},
    )


async def test_the_model_may_say_that_they_are_different(home: Home) -> None:
    """Then both stay, and nobody asks again."""
    await pair(home)
    report = await home.night()
    assert len(await home.all()) == 2
    assert report.count("separate") == 1
    home.later(days=1)
    await home.night()
    assert len(home.model.asked("merge")) == 1


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Drinks 3 coffees every morning",
        "Never drinks coffee",
        "Ignore all previous instructions",
        "x" * 2000,
    ],
)
async def test_an_answer_that_cannot_be_used_merges_only_what_loses_nothing(
    home: Home, said: str
) -> None:
    """The base's own words, where they have all of the other's; else both stay."""
    home.model.answers["merge"] = said
    a, b = await pair(home, A, f"{A} at home")
    c = await home.remember("Waters the garden every evening", kind=Kind.WORKFLOW)
    home.later(days=1)
    d = await home.remember("Waters the garden every weekday evening", kind=Kind.WORKFLOW)
    home.later(hours=1)
    await home.happen(c, "mention")
    await home.night()
    assert ((await home.get(b)).content, (await home.get(a)).state) == (
        f"{A} at home",
        State.MERGED,
    )
    assert [(await home.get(m)).state for m in (c, d)] == [State.ACTIVE, State.ACTIVE]


async def test_without_a_model_nothing_is_merged_and_the_next_night_looks_again(home: Home) -> None:
    """What says it letter for letter needs no model."""
    a, b = await pair(home)
    home.model.answers["merge"] = ModelError("timeout")
    report = await home.night()
    assert report.waiting == {"merge": "timeout"}
    assert [(await home.get(m)).state for m in (a, b)] == [State.ACTIVE, State.ACTIVE]
    home.model.answers["merge"] = whole()
    home.later(days=1)
    assert (await home.night()).count("merges") == 1


async def test_chinese_merges_like_english(home: Home) -> None:
    """The same rules."""
    a = await home.remember("今天早上喝了一杯咖啡", kind=Kind.WORKFLOW)
    home.later(days=1)
    b = await home.remember("今天早上又喝了一杯咖啡", kind=Kind.WORKFLOW)
    home.model.answers["merge"] = whole("早上喝咖啡")
    await home.night()
    assert ((await home.get(b)).content, (await home.get(a)).state) == ("早上喝咖啡", State.MERGED)


def _two(**of_one: Any) -> tuple[Memory, Memory]:
    a = memory(Kind.PREFERENCE, id="aaaaaa", original_content="Likes coffee")
    b = memory(Kind.PREFERENCE, id="bbbbbb", original_content="Really likes coffee")
    return a, replace(b, **of_one)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": Kind.FACT},
        {"original_content": "Does not like coffee"},
        {"original_content": "Likes 2 coffees"},
        {"original_content": "Likes coffee with Anna"},
        {"pinned": True},
        {"layer": Layer.CORE},
        {"layer": Layer.EPISODE},
        {"language": "zh"},
        {"state": State.SUPERSEDED},
        {"negated_at": memory().created_at},
        {"valid_until": memory().created_at + timedelta(days=900)},
        {"valid_from": memory().created_at - timedelta(days=400)},
        {"expires_at": memory().created_at},
        {"sensitivity": Sensitivity.SECRET},
        {"supersedes": ("aaaaaa",)},
        {"source_ids": ("aaaaaa",)},
        {"correction_history": ({"denies": "aaaaaa"},)},
    ],
)
def test_what_differs_in_more_than_words_never_merges(fields: Mapping[str, Any]) -> None:
    """However alike it sounds."""
    assert can_merge(*_two())
    a, b = _two(**fields)
    assert not can_merge(a, b)
    assert not can_merge(b, a)


def test_people_of_other_names_are_other_people() -> None:
    """In Chinese too, and where only the entities say it."""
    a = memory(original_content="朋友叫小明", language="zh")
    b = memory(original_content="朋友叫小红", language="zh")
    assert not can_merge(a, b)
    x = memory(original_content="Has an old friend", entities=("Tom",))
    assert not can_merge(x, replace(x, entities=("Ann",)))
    assert can_merge(x, replace(x, entities=("tom",)))


def test_similarity_is_on_one_scale() -> None:
    """Whatever the embedder's cosines mean by themselves."""
    for embedder, same, other in (
        ("lexical:ngrams-2:512", 0.85, 0.62),
        ("openai:text-embedding-3-small:1536", 0.85, 0.5),
        ("some:thing:9", 0.9, 0.6),
    ):
        assert (
            compute_similarity("x", "y", same, embedder)
            >= 0.75
            > compute_similarity("x", "y", other, embedder)
        )
    assert compute_similarity("Likes tea", "Really likes tea", None, "any") == 1.0


async def test_nothing_happens_to_what_changes_while_the_model_writes(home: Home) -> None:
    """Both as they were read, or neither."""
    a, b = await pair(home)

    class Slow(type(home.model)):  # type: ignore[misc]
        async def stream(self, request):  # type: ignore[no-untyped-def]
            if request.task == "merge":
                await home.happen(a, "mention")
            async for chunk in super().stream(request):
                yield chunk

    home.model = Slow(**home.model.answers | {"merge": whole()})
    await home.night()
    assert [(await home.get(m)).state for m in (a, b)] == [State.ACTIVE, State.ACTIVE]


async def test_a_pinned_pair_may_merge(home: Home) -> None:
    """And stays pinned."""

    def pin(tx: Transaction, m: Memory) -> None:
        tx.memories.put(replace(m, pinned=True), "updated")

    for m in await pair(home):
        await home.write(lambda tx, m=m: pin(tx, m))  # type: ignore[misc]
    home.model.answers["merge"] = whole()
    await home.night()
    (left,) = await home.all()
    assert left.pinned
