"""Todos that are due, long absences, and days that come up: over a whole Ebb without a language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.questions import ask_todo
from bot.events import Choice, Done, Turn
from memory.models import Kind, Level, Memory
from tests.e2e.driver import Said, Window, opened

LINES = {
    "en": ("Remember that I have to pay the rent by Friday.", "Hello", "Is it done?", "Done on", "while", "rent"),
    "zh": ("记住周五之前要交房租。", "你好", "办好了吗", "已办", "好久不见", "房租"),
}  # fmt: skip


async def todo(w: Window) -> Memory:
    """The only todo there is, or was."""
    told = [m for m in await w.memories() if m.kind is not Kind.EPISODE]
    return next(m for m in told if "rent" in m.original_content or "房租" in m.original_content)


def choices(said: Said) -> tuple[Choice, ...]:
    """What a reply asks back."""
    assert isinstance(said.last, Done)
    return said.last.choices


@pytest.mark.parametrize("lang", list(LINES))
async def test_a_due_todo_is_asked_about_once_and_becomes_what_was_done(
    tmp_path: Path, lang: str
) -> None:
    """At the next pause, not before and not twice; done is a fact, undone it is the todo again."""
    tell, hello, asks, done, _, rent = LINES[lang]
    async with opened(tmp_path) as w:
        await w.say(tell)
        assert (await todo(w)).kind is Kind.TODO
        w.time.forward(days=2)
        assert asks not in (await w.say(hello)).text
        w.time.forward(days=4)
        assert asks not in (await w.say(rent)).text, "the message may be about it"
        w.time.forward(hours=8)
        said = await w.say(hello)
        assert (said.text.count(asks), said.text.count(rent)) == (1, 1)
        assert len(choices(said)) == 3
        if lang == "en":
            await w.say("Yes, it's done.")
        else:
            await w.say("已经交了。")
        w.time.forward(hours=8)
        assert asks not in (await w.say(hello)).text
        now = await todo(w)
        assert (now.kind, now.expires_at, done in now.content) == (Kind.FACT, None, True)
        for choice in choices(said):
            assert not (await w.do(f"/choose {choice.key}")).ok, "it was answered"
        await w.do("/undo")
        assert (await todo(w)).kind is Kind.TODO


async def test_what_was_forgotten_is_not_done_and_what_was_not_asked_is_asked(
    tmp_path: Path,
) -> None:
    """A reply that is not stored has asked nothing; a button does not rewrite what is gone."""
    tell, hello, asks, *_ = LINES["en"]
    async with opened(tmp_path) as w:
        await w.say(tell)
        w.time.forward(days=6)
        turn = Turn("lost", w.user_id, w.scope, hello, w.time(), "UTC")
        assert asks in (await ask_todo(w.ebb.memory, w.ebb.store, turn, "en")).text
        said = await w.say(hello)
        assert asks in said.text
        m = await todo(w)
        await w.do(f"/forget {m.id}")
        assert not (await w.do(f"/choose {choices(said)[0].key}")).ok
        assert (await w.ebb.memory.get_many(w.user_id, [m.id]))[0].kind is Kind.TODO


@pytest.mark.parametrize("lang", list(LINES))
async def test_after_a_long_absence_one_sentence_and_no_question(tmp_path: Path, lang: str) -> None:
    """What fell due meanwhile is not asked about; the night archives and counts it."""
    tell, hello, asks, _, back, _ = LINES[lang]
    async with opened(tmp_path) as w:
        await w.say(tell)
        await w.do("/new")
        w.time.forward(days=16)
        keeper = w.ebb.memory.keeper
        assert keeper is not None
        await keeper.plan(w.user_id, w.time())
        await w.ebb.agent.drain(20)
        assert [r.absence for r in await keeper.reports(w.user_id, 5)] == [True]
        said = await w.say(hello)
        assert (said.text.count(back), asks in said.text) == (1, False)
        w.time.forward(hours=8)
        again = await w.say(hello)
        assert (again.text.count(back), asks in again.text) == (0, False)
        w.time.forward(days=3)
        await keeper.plan(w.user_id, w.time())
        await w.ebb.agent.drain(20)
        assert (await todo(w)).level is Level.ARCHIVE
        reports = await keeper.reports(w.user_id, 5)
        assert sum(r.count("todos") for r in reports) == 1


@pytest.mark.parametrize(
    ("tell", "died", "hello", "word"),
    [
        (
            "Remember that my grandmother's birthday is 5 March.",
            "Remember that my grandmother died in February.",
            "Hello",
            "today",
        ),
        ("记住我外公的生日是3月5日。", "记住我外公二月去世了。", "你好", "今天"),
    ],
)
async def test_a_birthday_comes_up_on_its_day_but_not_that_of_the_dead(
    tmp_path: Path, tell: str, died: str, hello: str, word: str
) -> None:
    """The notebook tells it when greeted; a death ends that, and what is undone of it brings it back."""
    async with opened(tmp_path) as w:
        await w.say(tell)
        await w.do("/new")
        w.time.forward(days=3)
        assert word in (await w.say(hello)).text
        await w.say(died)
        assert [m.dead for m in await w.memories() if m.dead] in (["grandmother"], ["外公"])
        await w.do("/new")
        assert word not in (await w.say(hello)).text
        mark = next(m for m in await w.memories() if m.dead)
        assert mark.on is not None and mark.precision == "month"
        await w.ebb.memory.forget(w.user_id, [mark.id], w.time())
        await w.do("/new")
        assert word in (await w.say(hello)).text
