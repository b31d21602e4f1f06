"""How memories live and end, as the shell and `/review` show it: in both languages, and without colour."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.bootstrap import open_ebb
from bot.cli import memory  # noqa: F401 - its verbs are registered
from bot.cli.charts import draw_axis, draw_marks, draw_plot, join_panels, strip
from bot.cli.doctor import report
from bot.cli.life import say
from bot.cli.parser import VERBS, memory_parser
from bot.commands import memories
from bot.markdown import count_columns, pad_to_columns
from bot.reports import describe_switch
from bot.settings import Settings
from bot.shoreline import LEVEL_INK
from bot.texts import LANGS
from bot.texts import say as words
from memory.models import Filter, Lang, Layer, Level, Source, State
from memory.ports import Transaction
from tests.e2e.driver import FakeTime, Window, opened


async def run(
    w: Window, capsys: pytest.CaptureFixture[str], *words: str, lang: Lang = "en", typed: str = ""
) -> str:
    """What a shell prints; the text starts with the exit code where it is not 0."""
    args = memory_parser("en").parse_args(list(words))
    stdin, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        code = await VERBS[args.verb].run(w.ebb, args, lang)
    finally:
        sys.stdin = stdin
    out = capsys.readouterr()
    return f"{code or ''}{out.out}{out.err}"


# --- drawing ---


def test_a_plot_is_as_wide_as_it_is_told() -> None:
    """Scale, rules, axis, strip and marks line up column by column; what lies outside is left out."""
    lines = draw_plot(
        [(0.0, 2.0), (0.5, 1.0), (1.0, 0.0), (1.4, 9.0)], (0.7, 0.3, 0.1, 0.01), 2.0, 40, 6
    )
    assert len(lines) == 7
    assert {count_columns(line) for line in lines} == {40}
    assert [line[:5].strip() for line in lines if line[:5].strip()] == [
        "2.00",
        "0.70",
        "0.30",
        "0.00",
    ]
    assert count_columns(strip(40, [(0.0, Level.FULL), (0.5, Level.TAG)])) == 40
    assert (
        strip(40, [(0.0, Level.FULL), (0.5, Level.TAG)]).strip()
        == LEVEL_INK[0] * 17 + LEVEL_INK[2] * 17
    )
    assert count_columns(draw_axis(40, [(0.0, "2026-01-01"), (1.0, "2027年")])) == 40
    assert draw_marks(40, [(0.0, "mention"), (1.0, "negate")]).strip()[0] == "▲"
    assert draw_marks(40, [(1.0, "negate")])[39] == "✕"


def test_the_rarer_mark_shows() -> None:
    """Of a mention and a denial in one column, the denial."""
    assert draw_marks(10, [(0.0, "negate"), (0.0, "mention"), (0.0, "edited")]).strip() == "✕"


def test_wide_characters_take_two_columns() -> None:
    """Panels with Chinese titles stand straight."""
    assert (count_columns("fade"), count_columns("当前使用"), count_columns("📦")) == (4, 8, 2)
    assert count_columns(pad_to_columns("当前使用的曲线", 9)) == 9
    rows = join_panels([["曲线", "a"], ["b", "c", "d"]], 6, 2)
    assert [count_columns(r.rstrip()) for r in rows] == [9, 9, 9]


# --- the five curves ---


@pytest.mark.parametrize("lang", LANGS)
async def test_the_curves_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: Lang
) -> None:
    """All five, the one in use named, in pictures and in words; no escape codes."""
    async with opened(tmp_path) as w:
        out = await run(
            w, capsys, "curves", "--kind", "context", "--mention", "30", "--deny", "200", lang=lang
        )
    assert all(name in out for name in ("fade", "importance", "score", "relevance", "fsrs"))
    assert f"fade ({say(lang, 'curves.yours')})" in out
    assert "\x1b" not in out
    (words,) = [line.split(None, 1)[1] for line in out.splitlines() if line.startswith("  fade  ")]
    assert words.startswith(
        "clear 0–11, a little hazy 11–30, clear 30–"
        if lang == "en"
        else "清晰 0–11, 有点模糊 11–30, 清晰 30–"
    )
    assert words.endswith("faint 238–365" if lang == "en" else "隐约 238–365")
    assert ("▲ mentioned ×1  ✕ denied ×1" if lang == "en" else "▲ 被提起 ×1  ✕ 被否定 ×1") in out


async def test_the_words_agree_with_the_formulas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`score`: 0.6 · 0.99^n falls below 0.05 on day 255; `importance`: 1.5 · 0.95^n below 0.3 on day 39."""
    async with opened(tmp_path) as w:
        out = await run(w, capsys, "curves", "--days", "300")
    told = {
        line.split()[0]: line
        for line in out.splitlines()
        if line.startswith("  ") and "clear 0" in line
    }
    assert (
        "forgotten from day 255 on" in told["score"] or "forgotten from day 254 on" in told["score"]
    )
    assert "forgotten from day 39 on" in told["importance"]
    assert "forgotten" not in told["fade"] + told["fsrs"]


# --- one memory ---


async def _a_life(w: Window) -> str:
    await w.do("/remember I like green tea")
    (m,) = await w.memories()
    service, user = w.ebb.memory, w.ebb.owner
    for days, what in ((10, "pin"), (5, "unpin"), (20, "edit")):
        now = w.time.forward(days=days)
        if what == "edit":
            await service.edit(user, m.id, "I like green tea from Uji", now)
        else:
            await service.pin(user, m.id, what == "pin", now)
    w.time.forward(days=100)
    return m.id


@pytest.mark.parametrize("lang", LANGS)
async def test_a_memorys_own_life(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: Lang
) -> None:
    """The picture from its first day to now, what its marks mean, and the log beneath."""
    async with opened(tmp_path) as w:
        memory_id = await _a_life(w)
        out = await run(w, capsys, "show", f"[{memory_id}]", lang=lang)
    assert "2026-03-02" in out
    assert "2026-07-15" in out
    assert say(lang, "legend.levels") in out
    assert f"{say(lang, 'event.pinned')} ×1" in out
    assert LEVEL_INK[0] * 20 in out
    assert say(lang, "log.head") in out
    assert "\x1b" not in out


async def test_the_log_says_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON lines for programs and as text for people: states before and after, I, U, times to the millisecond."""
    async with opened(tmp_path) as w:
        memory_id = await _a_life(w)
        lines = [
            json.loads(x) for x in (await run(w, capsys, "show", memory_id, "--json")).splitlines()
        ]
        text = await run(w, capsys, "show", memory_id, "--log")
        m = await w.ebb.memory.get(w.ebb.owner, memory_id)
        assert m is not None
        assert lines[-1]["weight"] == w.ebb.memory.compute_weight(m, w.time.now)
    assert [x["event"] for x in lines] == ["created", "pinned", "unpinned", "edited", "now"]
    assert all(x["after"]["u"] == 1.0 and x["after"]["i"] == 1.3 for x in lines)
    assert lines[1]["before"] | {"level": 0} == lines[0]["after"] | {"level": 0}
    for x in lines[:-1]:
        assert f"({x['at']} ms)  {x['event']}  {x['old_weight']!r} → {x['new_weight']!r}" in text
        assert f"strength={json.dumps(x['after']['strength'])}" in text


@pytest.mark.parametrize("lang", LANGS)
async def test_every_word_of_it_is_in_the_readers_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: Lang
) -> None:
    """Labels, states, reasons of the log; times in the reader's zone, to the minute; the tables are complete."""
    keys = set(memories.labels.all("en"))
    assert {f"state.{x}" for x in State} | {f"layer.{x}" for x in Layer} | {
        f"source.{x}" for x in Source
    } <= keys
    async with opened(tmp_path, tz="Asia/Shanghai") as w:
        memory_id = await _a_life(w)
        m = await w.ebb.memory.get(w.ebb.owner, memory_id)
        assert m is not None
        out = await run(w, capsys, "show", memory_id, lang=lang)
        rows = {
            line[2:16].strip(): line[16:].strip()
            for line in out.splitlines()
            if line.startswith("  ")
        }
        assert memories.labels(lang, "kind") in out
        assert f"{m.created_at.astimezone(ZoneInfo('Asia/Shanghai')):%Y-%m-%d %H:%M}" in out
        assert "+00:00" not in out
        told = memories.describe_memory(
            replace(m, expires_at=w.time.now, merged_from=("a", "b")), 0.5, lang, UTC
        )
        assert told[memories.labels(lang, "expires")] == f"{w.time.now:%Y-%m-%d %H:%M}"
        assert told[memories.labels(lang, "merged_from")] == "a b"
        assert rows
        log = await w.ebb.store.read(w.ebb.owner, lambda tx: tx.memories.list_weight_log(memory_id))
    reasons = {
        "kept": "保留",
        "by k7f3a2": "因 k7f3a2",
        "full → tag": "清晰 → 模糊" if lang == "zh" else "clear → vague",
        "3 into one": "3 条合为一条",
    }
    for reason, zh in reasons.items():
        said = memories.describe_event(replace(log[0], reason=reason), lang)
        assert said == (zh if lang == "zh" or "→" in reason else reason)
    assert memories.describe_event(replace(log[0], reason="fade → score"), lang) == "fade → score"
    if lang == "zh":
        assert not re.search(
            r"\b(?:kind|layer|state|active|user|verified|kept)\b", out.replace(m.content, "")
        )


async def test_a_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A real file of a real picture, of one life and of all five curves."""
    pytest.importorskip("matplotlib")
    async with opened(tmp_path / "home") as w:
        memory_id = await _a_life(w)
        for words in (("show", memory_id), ("curves",)):
            path = tmp_path / f"{words[0]}.png"
            for lang in LANGS:
                assert str(path) in await run(w, capsys, *words, "--png", str(path), lang=lang)
            body = path.read_bytes()
            assert body.startswith(b"\x89PNG")
            assert len(body) > 20_000
        out = await run(w, capsys, "show", memory_id, "--png", str(tmp_path / "no" / "where.png"))
        assert out.startswith("1")


async def test_without_matplotlib_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which extra brings it; nothing is written."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    async with opened(tmp_path / "home") as w:
        memory_id = await _a_life(w)
        for lang in LANGS:
            out = await run(
                w, capsys, "show", memory_id, "--png", str(tmp_path / "x.png"), lang=lang
            )
            assert say(lang, "png.none") in out
            assert out.startswith("1")
    assert not (tmp_path / "x.png").exists()


# --- as it was ---


def put_start(memory_id: str, since: datetime, now: datetime, tx: Transaction) -> None:
    """Let a memory hold since a day."""
    tx.changes.begin("user", "edit", now)
    m = tx.memories.get(memory_id)
    assert m is not None
    tx.memories.put(replace(m, valid_from=since), "updated")


async def test_what_was_known_on_a_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By `list --as-of` and by `/review … as of`, in both languages; what became of it since stands behind it."""
    async with opened(tmp_path, tz="Asia/Shanghai") as w:
        w.tz = "Asia/Shanghai"
        await w.do("/remember I live in Lyon")
        w.time.forward(days=10)
        await w.do("/remember 我喜欢爵士乐")
        w.time.forward(days=10)
        lyon = next(m for m in await w.memories() if "Lyon" in m.content)

        def over(tx):  # type: ignore[no-untyped-def]
            tx.changes.begin("monitor", "monitor", w.time.now)
            return tx.memories.put(
                replace(lyon, state=State.SUPERSEDED, valid_until=w.time.now), "superseded"
            )

        await w.ebb.store.write(w.ebb.owner, over)
        w.time.forward(days=10)
        early = await run(w, capsys, "list", "--as-of", "3 March")
        assert "Lyon (since changed)" not in early
        assert "As of 2026-03-03 23:59 (1)" in early
        assert "I live in Lyon" in early
        assert "→ since changed" in early
        both = (await w.do("/review as of 2026-03-15")).text
        assert ("Lyon" in both, "爵士" in both) == (True, True)
        topic = await w.do("/review 爵士 截至3月20日")
        assert ("Lyon" in topic.text, "爵士" in topic.text) == (False, True)
        assert [m.original_content for m in topic.memories] == ["我喜欢爵士乐"]
        asked = (await w.do("/review 3月15日时你知道我什么")).text
        assert "截至 2026-03-15 23:59（2 条）" in asked
        assert "→ 后来已更新" in asked
        assert "Lyon" not in (await w.do("/review as of today")).text
        for text, begins in (("I play the oboe", -20), ("I sing in a choir", 20)):
            m = (await w.do(f"/remember {text}")).memories[0]
            since = w.time.now + timedelta(days=begins)
            await w.ebb.store.write(w.ebb.owner, partial(put_start, m.id, since, w.time.now))
        assert "→ you told me later" in (await w.do("/review oboe as of 2026-03-15")).text
        assert "→ was still to come" in (await w.do("/review choir as of today")).text
        assert "knew nothing" in await run(w, capsys, "list", "--as-of", "2020-01-01")
        unread = await w.do("/review as of my birthday")
        assert not unread.ok
        assert "my birthday" in unread.text
        assert (await run(w, capsys, "list", "--as-of", "whenever")).startswith("1")


@pytest.mark.parametrize("lang", LANGS)
async def test_a_look_back_at_everything_shows_every_layer(tmp_path: Path, lang: Lang) -> None:
    """Level by level, the faint ones too where there are hundreds of clear ones; what is left out is counted."""
    async with opened(tmp_path, lang=lang) as w:
        for i in range(6):
            await w.do(f"/remember I own {i + 2} boats in harbour {i}")

        def age(tx):  # type: ignore[no-untyped-def]
            tx.changes.begin("system", "upkeep", w.time.now)
            first, *rest = tx.memories.find(Filter(), order="created", limit=9).items
            for i, m in enumerate(rest):
                tx.memories.put(
                    replace(m, level=Level(min(i, 4)), content=f"faint {i}"), "levelled"
                )
            for i in range(60):
                new = replace(first, id="", content=f"clear {i}", original_content=f"clear {i}")
                tx.memories.add(new)

        await w.ebb.store.write(w.ebb.owner, age)
        text = (await w.do("/review")).text
        marks = [line[2] for line in text.splitlines() if line.startswith("- ")]
        assert marks == ["✓"] * 40 + ["~", "·", "👣", "📦"]
        assert words(lang, "asof.more", n=22) in text


# --- endings ---


async def test_everything_by_a_typed_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anything else typed keeps it all; the exact words, in either language, let go of it; undo brings it back."""
    async with opened(tmp_path) as w:
        await w.do("/remember I live in Lyon")
        await w.do("/remember my wifi password is hunter22!")
        for typed in ("", "yes\n", "forget everything\n", "forget everything 3\n"):
            assert (await run(w, capsys, "delete", "--all", typed=typed)).startswith("1")
        out = await run(w, capsys, "delete", "--all", lang="zh", typed="忘掉全部  2\n")
        assert "已忘掉 2 条记忆" in out
        assert await w.memories() == []
        assert "Nothing" not in await run(w, capsys, "undo")
        assert len(await w.memories()) == 1  # and the secret, which lists do not show
        asked = await w.do("/forget everything")
        assert "/forget everything 2" in asked.text
        assert not (await w.do("/forget everything 1")).ok
        done = await w.do("/forget everything 2")
        assert done.ok
        assert "2" in done.text
        assert await w.memories() == []
        assert (await w.do("/undo")).ok
        assert (await run(w, capsys, "delete")).startswith("1")


async def test_a_purge_prints_its_receipt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every place by name, the file scrubbed at once, and the same again when asked later; only the id will do."""
    async with open_ebb(
        Settings(home=tmp_path, provider="offline"), clock=FakeTime(), workers=False
    ) as ebb:
        w = Window(ebb, FakeTime())
        assert "Nothing has been purged" in await run(w, capsys, "receipt")
        await w.do("/remember I grew up in Zanzibar", drain=False)
        (m,) = await w.memories()
        assert (await run(w, capsys, "purge", m.id, typed="yes\n")).startswith("1")
        for_people = await run(w, capsys, "purge", m.id, typed=f"[{m.id}]\n")
        for place in (
            "memories",
            "text in messages",
            "vectors",
            "text index",
            "change log",
            "weight log",
            "MEMORY.md",
        ):
            assert any(line.strip().startswith(place) for line in for_people.splitlines()), place
        assert "The file itself was rewritten without it" in for_people
        later = await run(w, capsys, "receipt", lang="zh")
        assert "权重日志" in later
        assert "已于" in later
        files = [
            p
            for p in w.ebb.settings.home.rglob("*")
            if p.is_file() and b"anzibar" in p.read_bytes()
        ]
        assert files == []


# --- a switch of curves ---


async def test_a_switch_is_noticed_and_said(tmp_path: Path) -> None:
    """At the next start with another EBB_CURVE; the doctor says where it stands before and after."""
    time = FakeTime()
    async with opened(tmp_path, time=time) as w:
        await w.do("/remember I live in Lyon")
        await w.do("/remember 我喜欢爵士乐")
    time.forward(days=50)
    settings = Settings(home=tmp_path, provider="offline", curve="score")
    found = {c.name: c for c in await report(settings, lang="en")}["Forgetting"]
    assert (found.state, found.found) == ("note", "score: 0 memories; still by another: 2 × fade")
    async with opened(tmp_path, time=time, curve="score") as w:
        assert await w.ebb.agent.drain(20) == 0
        told = [
            c.after
            for c in await w.ebb.store.read(
                w.ebb.owner, lambda tx: tx.changes.list_changes(after=0)
            )
            if c.entity == "job"
        ]
        (result,) = [x for x in told if x is not None and x["kind"] == "curve"]
        assert (result["moved"], result["was"], result["curve"]) == (2, "fade", "score")
        assert {m.curve for m in await w.memories()} == {"score"}
        await w.do("/remember I like snow")
        assert {m.curve for m in await w.memories()} == {"score"}
        found = {c.name: c for c in await report(w.ebb.settings, lang="zh")}["遗忘曲线"]
        assert (found.state, found.found) == ("ok", "score，共 3 条记忆")
    assert "“score”" in describe_switch(result, "en")
    assert "next night" in describe_switch({**result, "fainter": 1}, "en")
    assert "下次夜间" in describe_switch({**result, "fainter": 1}, "zh")
