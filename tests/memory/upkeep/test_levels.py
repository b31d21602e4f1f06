"""Down the five levels: who goes where, in which words, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from memory import lifecycle
from memory.errors import ModelError
from memory.learn.merge import Merger
from memory.learn.undo import undo
from memory.models import Importance, Json, Kind, Layer, Level, Memory, Sensitivity, State
from memory.ports import Transaction
from memory.upkeep.level_texts import find_level_fault
from tests.memory.lifecycle.test_curves import memory
from tests.memory.upkeep.night import START, Home, shorter

COFFEE = "Likes really very strong coffee without any sugar"
CAFE = "喜欢喝美式咖啡，不加糖不加奶"
LONG = f"{COFFEE} that the bar at the station makes out of beans from across the sea"
LONG_CAFE = "喜欢喝火车站旁边那家小店用很小的杯子端上来的那种又浓又苦又香的美式咖啡"


async def test_levels_follow_weights_through_the_years(home: Home) -> None:
    """Every level is seen, in its own words; the original, the dates and the log stay true."""
    m = await home.remember(COFFEE, kind=Kind.CONTEXT)
    seen: dict[Level, str] = {}
    now = m
    for days in (10, 60, 300, 1000, 9000, 30000):
        home.later(days=days)
        await home.night()
        now = await home.get(m)
        assert now.level is lifecycle.compute_level(now, 1.0, home.now)
        assert now.weight == pytest.approx(lifecycle.compute_weight(now, 1.0, home.now), abs=0.005)
        assert now.original_content == COFFEE
        assert (now.created_at, now.last_activated_at) == (m.created_at, m.last_activated_at)
        seen[now.level] = now.content
    assert seen == {
        Level.FULL: COFFEE,
        Level.SUMMARY: COFFEE,
        Level.TAG: COFFEE,
        Level.TRACE: "Context, told in January 2026",
        Level.ARCHIVE: "Context, told in 2026",
    }
    log = await home.read(lambda tx: tx.memories.list_weight_log(m.id))
    steps = [(e.event, e.reason) for e in log if e.event == "level"]
    names = ["full", "summary", "tag", "trace", "archive"]
    assert steps == [("level", f"{a} → {b}") for a, b in pairwise(names)]
    for e in log[1:]:
        assert (
            e.old_weight
            == e.new_weight
            == pytest.approx(lifecycle.compute_weight(now, 1.0, e.at), abs=1e-6)
        )


@pytest.mark.parametrize(
    ("text", "days", "level", "content"),
    [
        (LONG, 1200, Level.TRACE, "Context, told in January 2026"),
        (LONG_CAFE, 1200, Level.TRACE, "情境（2026年1月说的）"),
        (LONG, 80_000, Level.ARCHIVE, "Context, told in 2026"),
        (LONG_CAFE, 80_000, Level.ARCHIVE, "情境（2026年说的）"),
    ],
)
async def test_a_jump_over_levels_lands_where_it_should(
    home: Home, text: str, days: int, level: Level, content: str
) -> None:
    """Years away: one night, the right words, and no model was asked for what rules say."""
    m = await home.remember(text, kind=Kind.CONTEXT)
    home.later(days=days)
    report = await home.night()
    now = await home.get(m)
    assert (now.level, now.content, now.original_content) == (level, content, text)
    assert home.model.asked("level") == []
    assert report.count("down") == report.counters["passive_compression"] == 1


async def test_a_trace_names_the_month_of_the_zone_that_is_set(home: Home) -> None:
    """Where the person's own zone is not known, as for the hour of the night."""
    home.options["tz"] = "Europe/Paris"
    june = datetime(2026, 5, 31, 22, tzinfo=UTC)
    m = await home.remember("Moves to Ghent on 1 June 2026 with two cats", kind=Kind.EVENT, on=june)
    home.now = june
    told = await home.remember("Likes the view of the harbour from the tower", kind=Kind.CONTEXT)
    home.later(days=1300)
    await home.night()
    assert [(await home.get(x)).content for x in (m, told)] == [
        "Event (Ghent), in June 2026",
        "Context, told in June 2026",
    ]


async def test_many_are_asked_about_in_one_call_and_each_language_in_its_own(home: Home) -> None:
    """Twenty at a call, answered under their own ids; what is short already is not asked about."""
    ends = "on the radio that all of us hear together at home by the coast"
    texts = [f"Likes the {n} song" for n in ("first", "second", "third", "fourth")]
    english = [
        await home.remember(f"{t} number {i} {ends}", kind=Kind.CONTEXT)
        for i, t in enumerate(texts * 6)
    ]
    chinese = await home.remember(LONG_CAFE, kind=Kind.CONTEXT)
    await home.remember(COFFEE, kind=Kind.CONTEXT)
    home.later(days=60)
    await home.night()
    calls = home.model.asked("level")
    assert sorted(len(c["items"]) for c in calls) == [1, 4, 20]
    assert {c["lang"] for c in calls} == {"en", "zh"}
    for m in english:
        now = await home.get(m)
        assert now.level is Level.SUMMARY
        assert m.content.startswith(now.content)
        assert len(now.content) < len(m.content)
    assert (await home.get(chinese)).content == LONG_CAFE[: len(LONG_CAFE) * 2 // 3]


@pytest.mark.parametrize(
    ("over", "days"), [({"state": State.SUPERSEDED}, 60), ({"negated_at": START}, 20)]
)
async def test_no_model_is_asked_about_what_is_over(
    home: Home, over: dict[str, Any], days: int
) -> None:
    """What was replaced or denied fades in the rules' words."""
    m = await home.remember(LONG, kind=Kind.CONTEXT)
    await home.write(lambda tx: tx.memories.put(replace(m, **over), "updated"))
    home.later(days=days)
    await home.night()
    assert (await home.get(m)).level in {Level.SUMMARY, Level.TAG}
    assert home.model.asked("level") == []


async def test_a_bad_answer_spoils_no_other_and_the_rules_words_stay(home: Home) -> None:
    """They were there before the model was asked, and it is not asked again."""
    good = await home.remember(LONG, kind=Kind.CONTEXT)
    chess = "Plays chess every Monday with Tom and Ida at the long table in the back of the library"
    bad = await home.remember(chess, kind=Kind.CONTEXT)

    def answer(data: Mapping[str, Json]) -> str:
        rows = json.loads(shorter(data))
        for row in rows:
            if row["id"] == bad.id:
                row["text"] = "Plays chess with 99 friends"
        return (
            f"Here you are:\n```json\n{json.dumps([*rows, {'id': 'nobody', 'text': 'x'}, 7])}\n```"
        )

    home.model.answers["level"] = answer
    home.later(days=60)
    for _night in range(2):
        await home.night()
        now = await home.get(bad)
        assert (now.level, now.content) == (Level.SUMMARY, chess)
        home.later(days=1)
    assert len((await home.get(good)).content) < len(LONG)
    assert len(home.model.asked("level")) == 1


@pytest.mark.parametrize("said", ["I would rather not.", '[{"id": 3}, "x"]'])
async def test_an_answer_nobody_can_read_changes_nothing(home: Home, said: str) -> None:
    """Neither does an empty one."""
    m = await home.remember(LONG, kind=Kind.CONTEXT)
    home.later(days=60)
    home.model.answers["level"] = said
    await home.night()
    now = await home.get(m)
    assert (now.level, now.content, now.original_content) == (Level.SUMMARY, LONG, LONG)


async def test_without_a_model_every_level_has_its_words(home: Home) -> None:
    """The model's shorter ones wait for a night with a model, and the report says so."""
    fading = await home.remember(LONG, kind=Kind.CONTEXT)
    home.later(days=60)
    home.model.answers["level"] = ModelError("no_connection")
    report = await home.night()
    now = await home.get(fading)
    assert (now.level, now.content) == (Level.SUMMARY, LONG)
    assert report.waiting == {"rewrite": "no_connection"}
    home.model.answers["level"] = shorter
    home.later(days=1)
    report = await home.night()
    assert len((await home.get(fading)).content) < len(LONG)
    assert report.waiting == {}


async def test_private_things_keep_their_words_and_ordinary_ones_fade_half_as_fast(
    home: Home,
) -> None:
    """The weight paper: 1 slowly, 2 and 3 never rewritten; their level follows the weight, so that they stop coming up."""
    plain = await home.remember("Collects old maps", kind=Kind.CONTEXT)
    general = await home.remember(
        "Repairs bicycles", kind=Kind.CONTEXT, sensitivity=Sensitivity.GENERAL
    )
    private = await home.remember(
        "Keeps a spare key outside", kind=Kind.CONTEXT, sensitivity=Sensitivity.PRIVATE
    )
    secret = await home.remember("home Wi-Fi password", kind=Kind.CONTEXT)
    await home.write(
        lambda tx: tx.memories.put(replace(secret, sensitivity=Sensitivity.SECRET), "updated")
    )
    home.later(days=250)
    await home.night()
    levels = [(await home.get(m)).level for m in (plain, general, private, secret)]
    assert levels == [Level.TAG, Level.SUMMARY, Level.TAG, Level.TAG]
    for m in (private, secret):
        assert (await home.get(m)).content == m.content
    asked = {i["id"] for call in home.model.asked("level") for i in call["items"]}
    assert not asked & {private.id, secret.id}


async def test_what_is_protected_does_not_fade(home: Home) -> None:
    """Pinned, core, system: years later as on the first day."""
    kept = [
        await home.remember("Likes tea", pinned=True),
        await home.remember("Plays the flute", layer=Layer.CORE),
        await home.remember("Wants short answers", layer=Layer.SYSTEM),
    ]
    home.later(days=3000)
    await home.night()
    for m in kept:
        now = await home.get(m)
        assert (now.level, now.content, now.weight >= 1.0) == (Level.FULL, m.content, True)


async def test_a_use_brings_the_original_back(home: Home) -> None:
    """From a trace to its own words, by what learning does with a use."""
    m = await home.remember(COFFEE, kind=Kind.CONTEXT)
    home.later(days=1200)
    await home.night()
    assert (await home.get(m)).level is Level.TRACE

    def mention(tx: Transaction) -> None:
        tx.changes.begin("monitor", "monitor", home.now)
        merger = Merger(tx, curve="fade", u=1.0)
        merger.boost(tx.memories.get_many([m.id])[0], home.now, recalled=True)

    await home.write(mention)
    back = await home.get(m)
    assert (back.level, back.content) == (Level.FULL, COFFEE)
    home.later(days=1)
    await home.night()
    assert (await home.get(m)).content == COFFEE


async def test_a_level_that_was_written_can_be_undone(home: Home) -> None:
    """A change set of its own for every memory."""
    a = await home.remember(COFFEE, kind=Kind.CONTEXT)
    b = await home.remember("Plays chess on Mondays", kind=Kind.CONTEXT)
    home.later(days=60)
    await home.night()
    changes = await home.read(lambda tx: tx.changes.list_changes(after=0, limit=1000))
    (step,) = [c for c in changes if c.entity_id == a.id and c.op == "levelled"]
    assert step.reason == "upkeep"
    assert [c.entity_id for c in changes if c.set_id == step.set_id] == [a.id]
    await home.write(lambda tx: undo(tx, home.now, 1.0, step.set_id))
    assert ((await home.get(a)).level, (await home.get(a)).content) == (Level.FULL, COFFEE)
    assert (await home.get(b)).level is Level.SUMMARY


@pytest.mark.parametrize(
    ("curve", "forgets"),
    [("importance", True), ("score", True), ("relevance", True), ("fade", False), ("fsrs", False)],
)
async def test_only_curves_that_delete_forget(home: Home, curve: str, forgets: bool) -> None:
    """Restorable, greyed; under fade and fsrs it is archived and never more."""
    home.curve = curve
    m = await home.remember(COFFEE, importance=Importance.LOW, kind=Kind.CONTEXT)
    home.later(days=2_000_000 if curve == "fsrs" else 40_000)
    report = await home.night()
    now = await home.get(m)
    assert (now.state, report.count("forgotten")) == (
        (State.FORGOTTEN, 1) if forgets else (State.ACTIVE, 0)
    )
    assert now.original_content == COFFEE
    if not forgets:
        assert now.level is Level.ARCHIVE
    else:
        assert report.forgetting_rate == 1.0


async def test_replaced_versions_fade_and_are_not_forgotten(home: Home) -> None:
    """They are history, for a look back."""
    home.curve = "importance"
    m = await home.remember("Lives in Oslo", kind=Kind.CONTEXT)
    await home.write(
        lambda tx: tx.memories.put(
            replace(m, state=State.SUPERSEDED, valid_until=home.now), "superseded"
        )
    )
    home.later(days=4000)
    await home.night()
    now = await home.get(m)
    assert (now.state, now.level) == (State.SUPERSEDED, Level.ARCHIVE)


async def test_a_todo_is_archived_when_it_is_over(home: Home) -> None:
    """Fourteen days after it was due where nobody asked; and not if it was spoken of since."""
    due = home.now + timedelta(days=16)
    over = await home.remember("Has to pay the rent", kind=Kind.TODO, expires_at=due)
    spoken = await home.remember("要交作业", kind=Kind.TODO, expires_at=due)
    home.later(days=29)
    await home.night()
    assert [(await home.get(m)).level for m in (over, spoken)] == [Level.FULL, Level.FULL]
    home.later(days=1, hours=1)
    await home.happen(spoken, "mention")
    report = await home.night()
    assert [(await home.get(m)).level for m in (over, spoken)] == [Level.ARCHIVE, Level.FULL]
    assert (await home.get(over)).content == "Has to pay the rent"
    assert report.count("todos") == 1


async def test_an_episode_is_archived_after_fourteen_days_in_its_own_words(home: Home) -> None:
    """The three-layer paper: quickly gone from the day's talk, never rewritten."""
    e = await home.episode("[2026-01-03 18:00] Talked about games")
    home.later(days=13.9)
    await home.night()
    assert (await home.get(e)).level is Level.FULL
    home.later(days=0.2)
    report = await home.night()
    now = await home.get(e)
    assert (now.level, now.content, report.count("episodes")) == (Level.ARCHIVE, e.content, 1)


async def test_nights_wear_what_relevance_finds_faint(home: Home) -> None:
    """×0.9 for each night below 0.3, dated, also for those nobody was open for; the same night wears once."""
    home.curve = "relevance"
    m = await home.remember(COFFEE, kind=Kind.FACT)
    await home.night()
    home.later(days=97.5)
    await home.night()
    assert (await home.get(m)).curve_state.strength == 0.8
    home.later(days=4)
    report = await home.night()
    worn = await home.get(m)
    log = [
        e
        for e in await home.read(lambda tx: tx.memories.list_weight_log(m.id))
        if e.event == "lowered"
    ]
    assert [e.at.hour for e in log] == [4] * len(log)
    assert len({e.at for e in log}) == len(log) == report.count("lowered") == 3
    assert worn.curve_state.strength == pytest.approx(0.8 * 0.9**3)
    await home.night()
    assert (await home.get(m)).curve_state == worn.curve_state


# --- what a model may write ---


@pytest.mark.parametrize(
    ("original", "level", "text", "why"),
    [
        (COFFEE, Level.SUMMARY, "Likes coffee", ""),
        (COFFEE, Level.TAG, "Likes drinks", ""),  # but no word of it: `find_loss`
        (COFFEE, Level.SUMMARY, "", "empty"),
        (COFFEE, Level.SUMMARY, "…", "empty"),
        (COFFEE, Level.SUMMARY, f"{COFFEE}, and they said so more than once lately", "too long"),
        (
            COFFEE,
            Level.TAG,
            "Likes drinks of all sorts and also many other things that one may have at home",
            "too long",
        ),
        (COFFEE, Level.SUMMARY, "喜欢咖啡", "another language"),
        (COFFEE, Level.SUMMARY, "Drinks 3 coffees", "another number"),
        (COFFEE, Level.SUMMARY, "Likes Lavazza coffee", "another name"),
        (COFFEE, Level.SUMMARY, "Does not like coffee", "another sense"),
        ("Doesn't like coffee", Level.TAG, "Likes drinks", "another sense"),
        ("Doesn't like coffee", Level.TAG, "Does not like some drinks", ""),
        (CAFE, Level.SUMMARY, "偏好黑咖啡", ""),
        (CAFE, Level.TAG, "喜欢饮品", ""),
        (CAFE, Level.SUMMARY, "不喜欢咖啡", "another sense"),
        (CAFE, Level.SUMMARY, "Likes coffee", "another language"),
        ("不吃香菜", Level.SUMMARY, "吃香菜", "another sense"),
    ],
)
def test_a_fainter_text_says_less_and_nothing_else(
    original: str, level: Level, text: str, why: str
) -> None:
    """No new number or name, no lost "not", no other language."""
    m: Memory = memory(original_content=original, language="zh" if original[0] > "\u2e80" else "en")
    assert find_level_fault(m, level, text) == why
