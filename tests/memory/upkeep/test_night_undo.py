"""A night that would do too much, one that is taken back, and what its report shows."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.reports import describe_figures, describe_night, describe_night_undo
from memory.errors import NotFound
from memory.learn.edits import edit
from memory.learn.forget import forget
from memory.learn.proposals import accept, decline
from memory.learn.undo import list_undoable, undo, undo_night
from memory.models import CurveState, Hit, Kind, Lang, Layer, Level, Memory, Source, State
from memory.recall.pipeline import fold_details
from tests.memory.upkeep.night import START, Home

_BLANK = Memory(
    *("", "", "", "", "en", Layer.FACT, Kind.FACT, START, START),
    *("", CurveState(0.0, START), 0.0, START),
)
WORDS = {
    "en": ("Drinks tea every evening", "Drinks tea every single evening"),
    "zh": ("每天晚上喝绿茶", "每天晚上都喝绿茶"),
}
RUNS = ("Went running, 5 km", "Ran in the rain, knee held up", "Went running, knee held up")


async def pairs(home: Home, n: int) -> None:
    for i in range(n):
        for text in (f"Drinks tea number {i} at home", f"Drinks tea number {i} at her home"):
            await home.remember(text, kind=Kind.WORKFLOW)


def first(data: Any) -> str:
    return json.dumps({"text": data["texts"][0]})


async def ask(home: Home) -> list[Any]:
    return list(await home.read(lambda tx: tx.proposals.open()))


async def test_too_much_is_not_begun_but_asked_about(home: Home) -> None:
    """Nothing of the phase is written; the person's yes does it, and the rest of the night goes on."""
    await pairs(home, 12)
    home.model.answers["merge"] = first
    report = await home.night()
    assert (report.held, report.count("merges")) == ({"merge": 12}, 0)
    assert len(await home.all()) == 24
    (question,) = await ask(home)
    assert question.data == {"op": "night", "n": 12, "of": 24}
    for lang, word in (("en", "more than a tenth"), ("zh", "十分之一")):
        assert word in describe_night(report, [], lang, "UTC")
    home.later(days=1)
    assert (await home.night()).held == {}, "it is not tried again every night"
    assert len(await ask(home)) == 1
    with pytest.raises(NotFound):  # it is no memory
        await home.write(lambda tx: accept(tx, question.id, "fade", 1.0, home.now))
    assert await home.keeper.go_on(home.user, question.id, home.now)
    job = await home.store.write_system(
        lambda s: s.lease(home.now, home.now + timedelta(hours=1), home.worker, kinds=["upkeep"])
    )
    assert job is not None
    assert await home.store.finish_job(job, await home.keeper.job(job, home.now))
    assert len(await home.all()) == 12
    assert await ask(home) == []


async def test_a_no_leaves_it(home: Home) -> None:
    """And is not asked again for the same."""
    await pairs(home, 12)
    home.model.answers["merge"] = first
    await home.night()
    (question,) = await ask(home)
    await home.write(lambda tx: decline(tx, question.id, home.now))
    home.later(days=1)
    await home.night()
    assert (len(await home.all()), await ask(home)) == (24, [])


async def night_of_many(home: Home) -> tuple[Memory, Memory, list[Memory]]:
    """A merge, a theme and a faded memory."""
    faint = await home.remember("Likes strong dark coffee early in the morning", kind=Kind.CONTEXT)
    home.later(days=60)
    a, b = [await home.remember(t, kind=Kind.WORKFLOW) for t in WORDS["en"]]
    details = [await home.remember(t, kind=Kind.CONTEXT) for t in RUNS]
    theme = {"content": "Runs regularly, knee held up", "from": [m.id for m in details]}
    home.model.answers |= {
        "merge": json.dumps({"text": WORDS["en"][0]}),
        "derive": json.dumps([theme]),
    }
    await home.night()
    assert (await home.get(faint)).level is not Level.FULL
    return a, b, details


async def everything(home: Home) -> list[tuple[str, str, State, Level, str]]:
    found = await home.all(*State)
    return [(m.id, m.original_content, m.state, m.level, m.content) for m in found]


async def test_a_night_is_taken_back_as_one_act_and_done_again(home: Home) -> None:
    """All of it, in one set, that can itself be undone: then it is that night's again."""
    a, b, _ = await night_of_many(home)
    after, (report,) = await everything(home), await home.keeper.reports(home.user)
    diff = await home.keeper.diff(home.user, report)
    acts = await home.read(lambda tx: [(s.reason, s.id) for s, _ in list_undoable(tx, 20)])
    nights = [i for reason, i in acts if reason != "remember"]
    assert nights == [report.night]
    done = await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    assert done.kept == []
    states = {m.id: m.state for m in await home.all(*State)}
    assert (states[a.id], states[b.id]) == (State.ACTIVE, State.ACTIVE)
    assert all(m.level is Level.FULL for m in await home.all())
    assert not any(m.source_ids for m in await home.all())
    last = await home.read(lambda tx: tx.changes.list_changes(after=0)[-1])
    with pytest.raises(NotFound):
        await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    before = await everything(home)
    for _ in range(2):
        await home.write(lambda tx: undo(tx, home.now, 1.0, last.set_id))
        assert await everything(home) == after
        assert [d.sort for d in await home.keeper.diff(home.user, report)] == [d.sort for d in diff]
        again = await home.write(lambda tx: undo_night(tx, home.now, 1.0))
        assert (again.kept, await everything(home)) == ([], before)
        last = await home.read(lambda tx: tx.changes.list_changes(after=0)[-1])


async def test_an_older_night_can_be_taken_back(home: Home) -> None:
    """One that did nothing stands in no night's way; any is named by its date."""
    for i, n in enumerate(("one", "two")):
        for text in (f"Drinks tea number {n} at home", f"Drinks tea number {n} at her home"):
            await home.remember(text, kind=Kind.WORKFLOW)
        home.model.answers["merge"] = first
        assert (await home.night()).count("merges") == 1, i
        home.later(days=1)
    await home.night()
    nights = [r.night for r in await home.keeper.reports(home.user, 3)]
    listed = await home.read(lambda tx: list_undoable(tx, 20))
    assert [s.id for s, _ in listed if s.reason == "whole_night"] == nights[1:]
    done = await home.write(lambda tx: undo_night(tx, home.now, 1.0, nights[2]))
    assert (done.night, len(done.undone), len(await home.all())) == (nights[2], 2, 3)
    done = await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    assert (done.night, len(await home.all())) == (nights[1], 4)
    with pytest.raises(NotFound):
        await home.write(lambda tx: undo_night(tx, home.now, 1.0))


async def test_what_the_person_changed_since_stays_and_is_named(home: Home) -> None:
    """Only that; in both languages, with what was erased for good."""
    a, b, details = await night_of_many(home)
    base = next(m for m in await home.all() if m.merged_from)
    await home.write(lambda tx: edit(tx, base.id, "Drinks mint tea", 1.0, home.now))
    done = await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    assert {m.id for m in done.kept} == {a.id, b.id}
    assert not any(m.source_ids for m in await home.all())
    told = describe_night_undo(replace(done, erased=1), "en")
    assert "left it as it is:\n- " in told
    assert "One thing was erased" in told
    assert "你后来又改过" in describe_night_undo(done, "zh")
    assert len([m for m in await home.all() if m.id in {d.id for d in details}]) == 3


async def test_a_night_stands_in_no_undos_way(home: Home) -> None:
    """The last act is the person's; what the night made of it goes with it."""
    one, _ = [await home.remember(t, kind=Kind.WORKFLOW) for t in WORDS["en"]]
    home.model.answers["merge"] = json.dumps({"text": WORDS["en"][0]})
    await home.night()
    done = await home.write(lambda tx: undo(tx, home.now, 1.0))
    assert done.reason == "remember"
    assert [(m.id, m.original_content) for m in await home.all()] == [(one.id, WORDS["en"][0])]


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_the_report_is_a_diff_in_the_persons_words(home: Home, lang: Lang) -> None:
    """What was taken back, made quiet or forgotten since is not in it; figures stand apart."""
    faint = await home.remember("Likes strong dark coffee early in the morning", kind=Kind.CONTEXT)
    hidden = await home.remember("Likes sweet hot cocoa late in the evening", kind=Kind.CONTEXT)
    home.later(days=60)
    for text in WORDS[lang]:
        await home.remember(text, kind=Kind.WORKFLOW)
    home.model.answers["merge"] = json.dumps({"text": WORDS[lang][0]})
    report = await home.night()

    def make_quiet(tx: Any) -> None:
        tx.changes.begin("user", "quiet", home.now)
        m = tx.memories.get(hidden.id)
        tx.memories.put(replace(m, quiet_at=home.now), "updated")

    await home.write(make_quiet)
    told = describe_night(report, await home.keeper.diff(home.user, report), lang, "UTC")
    assert all(f"− {text}\n" in told for text in WORDS[lang])
    assert any(f"+ {text}\n" in told for text in WORDS[lang])
    assert f"~ {faint.original_content}" in told
    assert "cocoa" not in told
    away = describe_night(replace(report, absence=True), [], lang, "UTC")
    assert {"en": "2 memories grew fainter.", "zh": "有 2 条记忆淡了一些。"}[lang] in away
    figures = dict(describe_figures(replace(report, quality={"learned": 50, "undone": 1}), lang))
    share = {"en": "98% of 50 learned in 30 days", "zh": "30 天里学到的 50 条中占 98%"}[lang]
    assert share in figures.values()
    await home.write(lambda tx: forget(tx, [faint.id], home.now))
    await home.write(lambda tx: undo_night(tx, home.now, 1.0))
    assert await home.keeper.diff(home.user, report) == []


async def test_quality_counts_what_the_person_put_right(home: Home) -> None:
    """Of what was learned by itself: undone or deleted is wrong, edited is put right."""
    saved = []
    for i in range(5):
        text = f"Likes board game number {i} very much"
        m = await home.remember(text, source=Source.MONITOR)

        def learn(tx: Any, m: Memory = m) -> str:
            begun = tx.changes.begin("monitor", "monitor", home.now)
            new = replace(m, id="", original_content=f"{m.content} too")
            saved.append(tx.memories.add(new))
            return str(begun.id)

        last = await home.write(learn)
    await home.write(lambda tx: undo(tx, home.now, 1.0, last))
    await home.write(lambda tx: forget(tx, [saved[0].id], home.now))
    await home.write(lambda tx: edit(tx, saved[1].id, "Likes chess", 1.0, home.now))
    quality = (await home.night()).quality
    assert quality == {"learned": 5, "undone": 1, "wrong": 2, "fixed": 1}


def test_details_stand_behind_their_theme() -> None:
    """But for the best of them, and what ranks before it."""

    def hit(memory_id: str, *details: str) -> Hit:
        return Hit(replace(_BLANK, id=memory_id, source_ids=details), 1.0)

    a, b, c, other, theme = hit("a"), hit("b"), hit("c"), hit("d"), hit("t", "a", "b", "c")
    assert fold_details([theme, a, other, b, c]) == [theme, a, other]
    assert fold_details([a, b, theme, c]) == [a, b, theme]
    assert fold_details([a, b, c]) == [a, b, c]
