"""Time passes while Ebb is open, or was closed: conversations fall asleep, nights are made up for, and seen."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli import memory as admin
from bot.settings import Settings
from memory.models import Change, Kind, Lang, Level, State
from memory.ports import Transaction
from memory.store.backups import list_backups
from tests.e2e.driver import FakeTime, Window, by_model, opened
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks, keep_all

COFFEE = {"I like strong coffee.": "[ADD kind=preference] I like strong coffee."}


async def session(w: Window) -> tuple[str, str, str]:
    """The scope's newest session: id, state, why it was closed."""
    (s, *_) = await w.ebb.store.read(w.user_id, lambda tx: tx.conversations.list_sessions(w.scope))
    return s.id, s.state, s.closed_why


# --- idle conversations ---


async def test_an_idle_conversation_closes_itself_while_ebb_is_open(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Not before its time; its rest becomes an episode, and the window hears of it through the change log."""
    answer_tasks(openai_server)
    async with opened(tmp_path, model=openai_server, upkeep_hour=23) as w:
        await w.say("My sister Anna lives in Oslo.")
        before = await session(w)
        w.time.forward(hours=5.9)
        await w.ebb.agent.background.tend()
        assert await session(w) == before
        seq = (await w.ebb.agent.get_status(w.user_id, w.scope, w.time())).last_seq
        w.time.forward(hours=0.2)
        await w.ebb.agent.background.tend()
        assert await session(w) == (before[0], "closed", "idle")
        assert await w.ebb.agent.drain(20) == 0
        changes = await w.ebb.store.read(w.user_id, lambda tx: tx.changes.list_changes(after=seq))
        closed = [
            c for c in changes if c.entity == "session" and (c.after or {}).get("state") == "closed"
        ]
        assert [c.entity_id for c in closed][:1] == [before[0]]
        assert {c.after["kind"] for c in changes if c.entity == "job" and c.after} >= {
            "extract",
            "summarise",
        }
        assert len(await w.memories(kinds=frozenset({Kind.EPISODE}))) == 1
        await w.say("Where does my sister live?")
        assert (await session(w))[0] != before[0]


async def test_it_closes_once_however_many_processes_look(tmp_path: Path) -> None:
    """Two openings of one home."""
    time = FakeTime()
    async with (
        opened(tmp_path, time, upkeep_hour=23) as w,
        opened(tmp_path, time, upkeep_hour=23) as other,
    ):
        await w.say("I like tea.")
        time.forward(hours=7)
        await asyncio.gather(*(x.ebb.agent.background.tend() for x in (w, other)))
        changes = await w.ebb.store.read(w.user_id, lambda tx: tx.changes.list_changes(after=0))
        closed = [
            c for c in changes if (c.before or {}).get("state") == "open" and c.entity == "session"
        ]
        assert len([c for c in closed if (c.after or {}).get("state") == "closed"]) == 1


async def test_it_closes_at_the_next_start_too(tmp_path: Path) -> None:
    """When nobody was open to see it fall asleep."""
    time = FakeTime()
    async with opened(tmp_path, time, upkeep_hour=23) as w:
        await w.say("I like tea.")
    time.forward(hours=9)
    async with opened(tmp_path, time, upkeep_hour=23) as w:
        assert (await session(w))[1:] == ("closed", "idle")


async def test_an_empty_conversation_and_one_being_answered_stay_open(tmp_path: Path) -> None:
    """There is nothing to close, or somebody is at it."""
    async with opened(tmp_path, upkeep_hour=23) as w:
        await w.say("I like tea.")
        await w.do("/new")
        first = await session(w)
        w.time.forward(hours=20)
        await w.ebb.agent.background.tend()
        assert (await session(w))[1] == "open"
        assert (await session(w)) == first


# --- nights ---


async def test_a_missed_night_is_made_up_for_at_start(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """With a report that front ends see, and the next night put down; once."""
    answer_tasks(openai_server, COFFEE)
    time = FakeTime()
    async with opened(tmp_path, time, openai_server) as w:
        await w.say("I like strong coffee.")
        assert await w.ebb.memory.keeper.reports(w.user_id) == []  # type: ignore[union-attr]
    time.forward(days=800)
    for _ in range(2):
        async with opened(tmp_path, time, openai_server) as w:
            assert await w.ebb.agent.drain(30) == 0
            keeper = w.ebb.memory.keeper
            assert keeper is not None
            (report,) = await keeper.reports(w.user_id, 9)
            assert report.night == "2028-05-10"
            pending = await w.ebb.store.read(w.user_id, lambda tx: tx.jobs.list_pending("upkeep"))
            assert [j.dedup_key for j in pending] == ["night:2028-05-11"]
            status = await w.ebb.agent.get_status(w.user_id, w.scope, time())
            assert (status.pending_jobs, status.upkeep) == (0, None)
            (m,) = await w.memories(kinds=frozenset({Kind.PREFERENCE}))
            assert m.level is Level.TAG
    assert any(c.after and c.after.get("kind") == "upkeep" for c in await _changes(tmp_path, time))


async def _changes(home: Path, time: FakeTime) -> list[Change]:
    async with opened(home, time) as w:
        return list(await w.ebb.store.read(w.user_id, lambda tx: tx.changes.list_changes(after=0)))


async def test_the_night_comes_while_ebb_is_open(tmp_path: Path) -> None:
    """At its hour in the person's zone, by the job that was put down before."""
    async with opened(tmp_path) as w:
        await w.say("I like strong coffee.")
        keeper = w.ebb.memory.keeper
        assert keeper is not None
        w.time.now = w.time.now.replace(hour=2, minute=59) + timedelta(days=1)
        assert await w.ebb.agent.drain(20) == 0
        assert await keeper.reports(w.user_id) == []
        w.time.forward(minutes=2)
        assert await w.ebb.agent.drain(20) == 0
        assert [r.night for r in await keeper.reports(w.user_id)] == ["2026-03-03"]


async def test_years_pass_and_a_look_back_sees_every_layer(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """A model keeps house for years: levels, words, reviews, and nothing is missing."""
    answer_tasks(openai_server)
    time = FakeTime()
    said = (
        "I like espresso without sugar.",
        "I'm allergic to peanuts.",
        "我养了一只猫，叫咪咪。",
        "我喜欢喝绿茶。",
    )
    async with opened(tmp_path, time, openai_server) as w:
        for text in said:
            await w.say(text)
        count = len(await w.memories())
    for days in (120, 400, 3000, 30_000):
        time.forward(days=days)
        async with opened(tmp_path, time, openai_server) as w:
            assert await w.ebb.agent.drain(30) == 0
    async with opened(tmp_path, time, openai_server) as w:
        everything = [
            m for m in await w.memories(states=frozenset(State)) if m.kind is not Kind.EPISODE
        ]
        assert len(everything) >= count
        assert {m.level for m in everything} <= {Level.TRACE, Level.ARCHIVE, Level.TAG}
        assert all(m.original_content for m in everything)
        outcome = await w.do("/review")
        assert "👣" in outcome.text or "📦" in outcome.text
        back = await w.say("I still like espresso without sugar.")
        assert back.text
        restored = [m for m in await w.memories() if "espresso" in m.content]
        assert restored
        assert restored[0].level is Level.FULL


# --- mentions ---


async def test_a_message_counts_once_whoever_noticed_it(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The monitor after the reply, and the extractor at the end of the session, of the same words."""
    answer_tasks(openai_server, COFFEE, extract=keep_all)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("I like strong coffee.")
        await w.do("/new")
        w.time.forward(days=1)
        await w.say("I like strong coffee.")
        (m,) = await w.memories(kinds=frozenset({Kind.PREFERENCE}))
        assert m.activation_count == 1
        await w.do("/new")
        (m,) = await w.memories(kinds=frozenset({Kind.PREFERENCE}))
        assert m.activation_count == 1
        log = await w.ebb.store.read(w.user_id, lambda tx: tx.memories.list_weight_log(m.id))
        assert [e.event for e in log if e.event in {"mention", "boost"}] in (["mention"], ["boost"])


async def test_three_mentions_in_a_day_are_one_reinforcement_that_lasts(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The weight paper: from the third on S grows by 0.3 up to 0.5 and M is at least 1.2; the night counts it."""
    answer_tasks(openai_server, COFFEE)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("I like strong coffee.")
        for _ in range(4):
            w.time.forward(hours=3)
            await w.say("I like strong coffee.")
        (m,) = await w.memories(kinds=frozenset({Kind.PREFERENCE}))
        assert m.activation_count == 4
        log = await w.ebb.store.read(w.user_id, lambda tx: tx.memories.list_weight_log(m.id))
        weights = [e.new_weight for e in log if e.event in {"mention", "boost"}]
        assert weights == sorted(weights)
        third = [e for e in log if e.event in {"mention", "boost"}][2]
        assert third.factors["momentum"] >= 1.2
        assert third.factors["semantic_boost"] <= 1.5
        keeper = w.ebb.memory.keeper
        assert keeper is not None
        w.time.forward(days=1)
        await w.ebb.agent.background.tend()
        assert await w.ebb.agent.drain(20) == 0
        (report,) = await keeper.reports(w.user_id)
        assert report.counters["frequent_reinforce"] == 2
        assert report.counters["user_activation"] == 4


# --- from the shell ---


async def test_upkeep_report_and_accept_from_the_shell(
    openai_server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In both languages; a dry run says what a run then does."""
    answer_tasks(openai_server)

    async def ebb(*args: str, lang: Lang = "en") -> str:
        settings = Settings(home=tmp_path, tz="UTC", lang=lang, **by_model(openai_server))
        await asyncio.to_thread(admin.run, settings, args)
        said = capsys.readouterr()
        return said.out + said.err

    async with opened(tmp_path, FakeTime(datetime.now(UTC)), openai_server) as w:
        await w.ebb.memory.remember(w.user_id, "I like coffee", w.time(), tz="UTC", scope=w.scope)
        m = await w.ebb.memory.remember(
            w.user_id, "I like drinking coffee", w.time(), tz="UTC", scope=w.scope
        )

        def propose(tx: Transaction) -> str:
            old = tx.memories.get_many([m.memory.id])[0]
            text = "Loves beans"
            return tx.memories.add(
                replace(old, id="", state=State.PROPOSED, content=text, original_content=text)
            ).id

        proposed = await w.ebb.store.write(w.user_id, propose)
    assert "may say the same" in await ebb("upkeep", "--dry-run")
    assert "No night has been looked after yet." in await ebb("report")
    out = await ebb("upkeep")
    assert "− I like drinking coffee\n" in out
    assert "no longer come up by themselves" in out
    zh = await ebb("report", lang="zh")
    assert "这些说的是一回事" in zh
    assert "ebb memory undo --night" in zh
    assert '"merges": 1' in await ebb("report", "--json")
    assert "Kept: " in await ebb("accept", proposed)
    assert "was not proposed" in await ebb("accept", proposed)
    assert "There is no memory" in await ebb("accept", "nobody")


@pytest.mark.parametrize(
    ("lang", "texts", "order", "night"),
    [
        ("en", ("Loves coffee", "Loves drinking coffee"), "Undo last night.", "night"),
        ("zh", ("爱喝绿茶", "晚上爱喝绿茶"), "撤销昨晚的整理", "昨晚"),
    ],
)
async def test_a_night_is_shown_and_taken_back_in_a_chat(
    openai_server: OpenAIServer,
    tmp_path: Path,
    lang: Lang,
    texts: tuple[str, str],
    order: str,
    night: str,
) -> None:
    """By a command or in words that are the whole message; in a text they order nothing."""
    answer_tasks(openai_server)
    async with opened(tmp_path, FakeTime(), openai_server, lang=lang) as w:
        for text in texts:
            await w.ebb.memory.remember(w.user_id, text, w.time(), tz="UTC", scope=w.scope)
        assert w.ebb.memory.keeper is not None
        await w.ebb.memory.keeper.by_hand(w.user_id, w.time())
        assert await w.ebb.agent.drain(20) == 0
        assert len(await w.memories()) == 1
        assert f"− {texts[1]}" in (await w.do(f"/memory {night}")).text
        await w.say(f"My friend wrote: “{order}”")
        assert len(await w.memories()) == 1
        (date,) = re.findall(r"\[(\d{4}-\d\d-\d\d)\]", (await w.do("/undo list")).text)
        assert {"en": "2 memories", "zh": "2 条记忆"}[lang] in (await w.say(order)).text
        assert len(await w.memories()) == 2
        for gone in (night, date):
            assert not (await w.do(f"/undo {gone}")).ok


@pytest.mark.parametrize("hour", [0, 23])
async def test_the_hour_is_a_setting(tmp_path: Path, hour: int) -> None:
    """In the person's zone."""
    async with opened(tmp_path, upkeep_hour=hour) as w:
        (job,) = await w.ebb.store.read(w.user_id, lambda tx: tx.jobs.list_pending("upkeep"))
        assert (job.run_at + timedelta(hours=1)).hour == hour


@pytest.mark.parametrize("jump", [timedelta(days=1500), timedelta(days=40), timedelta(days=-9)])
async def test_a_wrong_clock_at_one_start_changes_nothing_for_good(
    jump: timedelta, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Nothing is purged, closed, forgotten or put off; the nights after it are as ever."""
    answer_tasks(openai_server)
    time = FakeTime()

    async def state(w: Window) -> dict[str, tuple[State, Level, str]]:
        return {
            m.id: (m.state, m.level, m.content) for m in await w.memories(states=frozenset(State))
        }

    async with opened(tmp_path, time, openai_server) as w:
        await w.say("I like strong coffee.")
        await w.say("I need to call the plumber tomorrow.")
        await w.say("forget that I like strong coffee")
        before, talk = await state(w), await session(w)
        assert State.DELETED in {s for s, _, _ in before.values()}
    time.now += jump
    async with opened(tmp_path, time, openai_server) as w:
        assert await w.ebb.agent.drain(30) == 0
    time.now += timedelta(hours=1) - jump
    async with opened(tmp_path, time, openai_server) as w:
        assert await w.ebb.agent.drain(30) == 0
        assert await session(w) == talk
        time.forward(days=1)
        await w.ebb.agent.background.tend()
        assert await w.ebb.agent.drain(30) == 0
        assert (
            before.items() <= (await state(w)).items()
        )  # the conversation has fallen asleep since
        keeper = w.ebb.memory.keeper
        assert keeper is not None
        (report,) = await keeper.reports(w.user_id)
        assert report.night == "2026-03-03"
        assert list_backups(w.ebb.settings.database)[0].made.date().isoformat() == "2026-03-03"
