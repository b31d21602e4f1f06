"""What changed and nobody linked: found at night, ended or asked about, and never twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.commands.questions import write_question
from memory.errors import ModelError, Refused
from memory.learn import proposals, waiting_questions
from memory.learn.edits import edit
from memory.learn.forget import purge
from memory.learn.merge import Claim, Merger
from memory.learn.undo import undo_night
from memory.models import Draft, Json, Kind, Layer, Memory, State
from memory.ports import Transaction
from memory.upkeep.changes import can_replace, find_subjects
from prompts import LANGS
from tests.memory.lifecycle.test_curves import T0, memory
from tests.memory.upkeep.night import Home

PARIS, LYON = "Lives in Paris", "Lives in Lyon now"


def say(verdict: str, *texts: str, since: str = "") -> Callable[[Mapping[str, Json]], str]:
    """A model that gives one verdict of every pair whose newer text is one of these, or of all.

    That both are true it says by leaving a pair out.
    """

    def answer(data: Mapping[str, Json]) -> str:
        found = [p for p in data["pairs"] if verdict != "both" and (not texts or p["b"] in texts)]
        told = [{"n": p["n"], "verdict": verdict, "since": since} for p in found]
        return json.dumps({"pairs": told})

    return answer


async def pair(home: Home, a: str = PARIS, b: str = LYON, **of_older: Any) -> tuple[Memory, Memory]:
    older = await home.remember(a, **{"kind": Kind.FACT, **of_older})
    home.later(days=40)
    newer = await home.remember(b, kind=Kind.FACT)
    home.later(hours=9)
    return older, newer


async def test_what_changed_ends_once_and_for_all(home: Home) -> None:
    """After three answers, as one act that can be taken back; then nobody asks or does it again."""
    old, new = await pair(home)
    other = await home.remember("Works at a bakery in Rue Cler", kind=Kind.FACT)
    home.model.answers["contradict"] = say("changed", LYON)
    report = await home.night()
    ended, stands = await home.get(old), await home.get(new)
    assert (ended.state, ended.valid_until) == (State.SUPERSEDED, new.created_at)
    assert (stands.supersedes, stands.state) == ((old.id,), State.ACTIVE)
    assert (await home.get(other)).state is State.ACTIVE
    assert report.count("changed") == 1
    first, again, _ = home.model.asked("contradict")
    shown = {"a": PARIS, "b": LYON, "a_at": "2026-01-03", "b_at": "2026-02-12"}
    assert [{k: p[k] for k in shown} for p in again["pairs"]] == [shown]
    assert len(first["pairs"]) >= 2
    await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    assert (await home.get(old)).state is State.ACTIVE
    for _ in range(2):
        home.later(days=1)
        assert (await home.night()).count("changed") == 0
    assert len(home.model.asked("contradict")) == 3
    await home.write(lambda tx: purge(tx, [old.id], home.now))
    left = await home.read(lambda tx: tx.nights.list_pairs())
    assert {(p.newer, p.older) for p in left} <= {(new.id, other.id), (other.id, new.id)}


@pytest.mark.parametrize(
    ("text", "since", "at"),
    [
        ("Has lived in Lyon since 20 January 2026", "2026-01-20", "2026-01-20"),
        ("1月20日起住在里昂", "2026-01-20", "2026-01-20"),
        ("Lives in Lyon now", "2026-01-20", "2026-02-12"),
    ],
)
async def test_it_ends_when_the_person_said(home: Home, text: str, since: str, at: str) -> None:
    """A day that only the model says counts for nothing: then it is the day on which it was said."""
    old, _ = await pair(home, "住在巴黎" if text[0] == "1" else PARIS, text)
    home.model.answers["contradict"] = say("changed", since=since)
    await home.night()
    ended = (await home.get(old)).valid_until
    assert ended is not None
    assert ended.date().isoformat() == at


@pytest.mark.parametrize(
    "fields",
    [
        {"verified": True},
        {"pinned": True},
        {"layer": Layer.CORE},
        {"kind": Kind.IDENTITY},
        {"close": True},
        {},
    ],
)
async def test_what_is_verified_or_unsure_is_asked(home: Home, fields: dict[str, Any]) -> None:
    """A yes ends the older one, a no keeps both, and nobody asks again."""
    old, new = await pair(home, **fields)
    home.model.answers["contradict"] = say("changed" if fields else "unsure")
    assert (await home.night()).count("asked") == 1
    assert (await home.get(old)).state is State.ACTIVE
    (asked,) = await home.read(lambda tx: tx.proposals.open())
    assert (asked.text, asked.data["old"]) == (LYON, PARIS)
    assert all(LYON in q and PARIS in q for q in (write_question(asked, x) for x in LANGS))
    if fields:
        await home.write(lambda tx: proposals.accept(tx, asked.id, "fade", 1.0, home.now))
        assert (await home.get(old)).state is State.SUPERSEDED
        assert (await home.get(new)).verified
    else:
        await home.write(lambda tx: proposals.decline(tx, asked.id, home.now))
        assert [(await home.get(m)).state for m in (old, new)] == [State.ACTIVE] * 2
        assert not await home.read(lambda tx: tx.tombstones.has(tx.tombstones.compute_digest(LYON)))
    home.later(days=1)
    assert (await home.night()).count("asked") == 0


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("how", ["edited", "denied", "over", "quiet"])
async def test_a_question_goes_with_what_it_is_about(home: Home, side: int, how: str) -> None:
    """A late yes ends nothing that reads otherwise by then, and nothing quiet comes up."""
    both = await pair(home, verified=True)
    home.model.answers["contradict"] = say("changed")
    await home.night()
    (p,) = await home.read(lambda tx: tx.proposals.open())
    ways: dict[str, dict[str, Any]] = {
        "edited": {"original_content": "Grew up there"},
        "denied": {"negated_at": home.now},
        "over": {"valid_until": home.now},
        "quiet": {"quiet_at": home.now},
    }
    m = await home.get(both[side])
    await home.write(lambda tx: tx.memories.put(replace(m, **ways[how]), "updated"))
    before = [await home.get(x) for x in both]
    with pytest.raises(Refused):
        await home.write(lambda tx: proposals.accept(tx, p.id, "fade", 1.0, home.now))
    assert [await home.get(x) for x in both] == before
    assert (await home.read(waiting_questions.list_open) == []) is (how != "over")
    assert await home.write(lambda tx: waiting_questions.ask_today(tx, home.now)) is None
    assert await home.read(lambda tx: tx.proposals.open()) == []


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        (("changed", "changed", "changed"), True),
        (("changed", "both", "changed", "changed", "changed"), True),
        (("changed", "both", "both"), False),
        (("both",), False),
        (("changed", "same", "both"), False),
        (("changed", "unsure", "changed", "changed", "changed"), True),
    ],
)
async def test_a_doubtful_answer_changes_nothing(
    home: Home, said: tuple[str, ...], ends: bool
) -> None:
    """It has to say so three times more than not; what a night does not settle the next one does."""
    old, _ = await pair(home)
    answers = iter(said)

    def answer(data: Mapping[str, Json]) -> str:
        return say(next(answers))(data)

    home.model.answers["contradict"] = answer
    await home.night()
    home.later(days=1)
    await home.night()
    assert (await home.get(old)).state is (State.SUPERSEDED if ends else State.ACTIVE)
    assert next(answers, None) is None


async def test_a_model_that_is_gone_is_asked_the_next_night(home: Home) -> None:
    """What it has said until then counts."""
    old, _ = await pair(home)
    answers = iter(["changed", "changed", "", "changed"])

    def answer(data: Mapping[str, Json]) -> str | Exception:
        said = next(answers)
        return say(said)(data) if said else ModelError("timeout")

    home.model.answers["contradict"] = answer
    assert (await home.night()).waiting == {"changes": "timeout"}
    home.later(days=1)
    assert (await home.night()).count("changed") == 1
    assert (await home.get(old)).state is State.SUPERSEDED


async def test_what_ended_is_asked_about_before_what_is_only_denied(home: Home) -> None:
    """A day full of what somebody does not do leaves no home out."""
    await home.remember("Plays chess in the café below the flat", kind=Kind.FACT)
    old, new = await pair(home)
    home.model.answers["contradict"] = say("both")
    await home.night()
    home.later(days=1)

    def end(tx: Transaction) -> None:
        tx.changes.begin("user", "test", home.now)
        Merger(tx, curve="fade", u=1.0).replace_by(new, old, home.now, home.now)

    await home.write(end)
    for food in ("pork", "eggs", "rice", "nuts", "fish", "corn"):
        await home.remember(f"Does not eat {food}", kind=Kind.FACT)
        home.later(minutes=5)
    seen = len(home.model.asked("contradict"))
    await home.night()
    asked = home.model.asked("contradict")[seen]["pairs"]
    assert PARIS in {p["ended"] for p in asked}


async def test_nothing_hangs_on_what_has_not_ended(home: Home) -> None:
    """Whatever a model says of pairs that are merely alike."""
    for text in ("Sister Hannah is a nurse", "Has a cat", "Likes tea", "Keeps bees", "Runs a bar"):
        await home.remember(text, kind=Kind.FACT)
        home.later(hours=1)
    home.model.answers["contradict"] = say("depends")
    assert (await home.night()).count("unsettled") == 0
    assert home.model.asked("contradict")


async def test_a_doubtful_pair_outlasts_an_answer_that_nobody_can_read(home: Home) -> None:
    """The night goes on, and the next one asks again."""
    old, _ = await pair(home)
    says = say("changed", LYON)
    answers = iter([True, False])
    home.model.answers["contradict"] = lambda d: says(d) if next(answers) else ModelError("timeout")
    await home.night()
    for answer in ("?", says):
        home.model.answers["contradict"] = answer
        home.later(days=1)
        await home.night()
    assert (await home.get(old)).state is State.SUPERSEDED


async def test_a_night_ends_few_and_goes_on_the_next(home: Home) -> None:
    """One of a small store; without a readable answer none, and the pair stays to be judged."""
    olds = [await home.remember(f"{t} costs {n} euros") for n, t in enumerate(("Rent", "Gym"), 3)]
    home.later(days=1)
    for n, t in enumerate(("Rent", "Gym"), 7):
        await home.remember(f"{t} costs {n} euros")
    home.model.answers["contradict"] = "?"
    assert (await home.night()).count("changed") == 0

    def same_thing(data: Mapping[str, Json]) -> str:
        pairs = [p for p in data["pairs"] if p["a"].split()[0] == p["b"].split()[0]]
        return json.dumps({"pairs": [{"n": p["n"], "verdict": "changed"} for p in pairs]})

    home.model.answers["contradict"] = same_thing
    for ended in (1, 2):
        home.later(days=1)
        assert (await home.night()).count("changed") == 1
        states = [(await home.get(m)).state for m in olds]
        assert states.count(State.SUPERSEDED) == ended


async def test_what_says_the_same_is_merged_unasked(home: Home) -> None:
    """The fuller of the two texts stays; another number is another thing, whatever a model says."""
    a, b = await pair(home, "Plays the violin", "Plays the violin every evening")
    c, d = await pair(home, "Ran 5 kilometres", "Ran 8 kilometres")
    home.model.answers["contradict"] = say("same", b.original_content, d.original_content)
    await home.night()
    states = [(await home.get(m)).state for m in (a, b, c, d)]
    assert states == [State.MERGED, State.ACTIVE, State.ACTIVE, State.ACTIVE]
    assert (await home.get(b)).content == b.original_content
    assert not home.model.asked("merge")


@pytest.mark.parametrize(
    ("a", "b", "fields"),
    [
        ("Allergic to peanuts", "Allergic to sesame", {"kind": Kind.HEALTH}),
        ("对花生过敏", "对芝麻过敏", {"kind": Kind.HEALTH, "verified": True}),
        ("Likes tea in the morning", "Likes long walks by the sea", {}),
    ],
)
async def test_what_has_words_of_its_own_stays(
    home: Home, a: str, b: str, fields: dict[str, Any]
) -> None:
    """A model that calls two allergies the same makes none of them disappear."""
    for text in (a, b):
        await home.remember(text, **fields)
        home.later(days=1)
    home.model.answers["contradict"] = say("same")
    await home.night()
    assert [m.original_content for m in await home.all()] == [a, b]


async def test_an_edit_is_judged_anew(home: Home) -> None:
    """What a person writes into an old memory may be what another one was."""
    a, b = await pair(home, PARIS, "Went to Lyon once")
    await home.night()
    home.later(hours=5)
    await home.write(lambda tx: edit(tx, b.id, "Lives in Lyon", 1.0, home.now))
    home.later(hours=5)
    home.model.answers["contradict"] = say("changed")
    await home.night()
    assert (await home.get(a)).state is State.SUPERSEDED


def test_what_may_take_another_ones_place() -> None:
    """Both hold now, neither is passing, and no plan ends the present."""
    later = T0 + timedelta(days=9)
    a, b = (memory(Kind.FACT, id=t, original_content=t, language="en") for t in (PARIS, LYON))
    assert can_replace(b, a, T0)
    assert can_replace(replace(b, on=later), replace(a, on=later), T0)
    assert not can_replace(b, replace(a, valid_from=later), later)
    for fields in (
        {"on": later},
        {"valid_from": later},
        {"valid_until": T0},
        {"state": State.SUPERSEDED},
        {"negated_at": T0},
        {"kind": Kind.TODO},
        {"kind": Kind.PREFERENCE},
        {"source_ids": ("x",)},
        {"original_content": PARIS},
    ):
        assert not can_replace(replace(b, **fields), a, T0)


@pytest.mark.parametrize(
    ("a", "b", "others"),
    [
        ("Tom hates fish", "Hannah hates fish", True),
        ("Sister Hannah lives in Lyon", "Lives in Turin", True),
        ("Sister Hannah lives in Lyon", "Hannah moved to Turin", False),
        ("Sister lives in Lyon", "Mother lives in Turin", True),
        ("Partner is Tom", "In love with Hannah", False),
        ("Otis lives in Bergen", "Astrid now lives in Bergen", True),
        ("Currently lives in Turin", "Lives in Bergen", False),
        ("My big brother Max lives in Turin", "So my sister Ada lives in Turin", True),
        ("姐姐汉娜住在里昂", "小明住在都灵", True),
        ("陈国栋住在都灵", "Astrid现在住在都灵", True),
        ("对象是小明", "和汉娜订婚了", False),
        ("养土狗豆豆", "唯一的宠物是鹦鹉", False),
    ],
)
def test_other_people_change_nothing(a: str, b: str, others: bool) -> None:
    """Names that a note begins with, and kin; a name further on is what it is about."""
    names = {"tom", "hannah", "lyon", "汉娜", "小明", "里昂", "豆豆"}
    older, newer = (find_subjects(t, names) for t in (a, b))
    assert older.differ(newer) is newer.differ(older) is others


@pytest.mark.parametrize(
    ("place", "gone", "habit", "pet"),
    [
        ("Runs a noodle bar", "Closed the noodle bar", "Peels garlic there at noon", "Has a cat"),
        ("开了家面馆", "面馆关门了", "中午在那儿剥蒜", "养了一只猫"),
    ],
)
async def test_what_hung_on_an_end_is_marked(
    home: Home, place: str, gone: str, habit: str, pet: str
) -> None:
    """After two answers, the night after; nothing ends, and what is found alone is not marked."""
    shop, hangs, free = [await home.remember(t, kind=Kind.FACT) for t in (place, habit, pet)]
    await home.night()
    home.later(days=1)
    draft = Draft(gone, language=shop.language)

    def close(tx: Transaction) -> None:
        tx.changes.begin("monitor", "monitor", home.now)
        Merger(tx, curve="fade", u=1.0).negate(shop, Claim(draft, home.now), home.now)

    await home.write(close)
    ended = home.now
    seen = len(home.model.asked("contradict"))

    def judge(data: Mapping[str, Json]) -> str:
        found = [p["n"] for p in data["pairs"] if (p["a"], p["ended"]) == (habit, place)]
        return json.dumps({"pairs": [{"n": n, "verdict": "depends"} for n in found]})

    home.model.answers["contradict"] = judge
    home.later(hours=9)
    assert (await home.night()).count("unsettled") == 1
    marked = await home.get(hangs)
    assert (marked.unsettled_at, marked.state) == (ended, State.ACTIVE)
    assert (await home.get(free)).unsettled_at is None
    asked = home.model.asked("contradict")[seen:]
    assert [p["b"] for p in asked[0]["pairs"]] == [gone] * 2
    assert [(p["a"], p["ended_days"]) for p in asked[1]["pairs"]] == [(habit, "until=2026-01-04")]
    home.later(days=1)
    await home.night()
    assert len(home.model.asked("contradict")) == seen + len(asked)  # nobody asks again
