"""The whole loop with a scripted model: told, closed, opened again, asked."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest

from bot.commands import why
from bot.events import Done
from memory.models import Kind
from memory.ports import Transaction
from memory.recall.fusion import SHOWN, WEIGHTS
from memory.text.speech import denies_or_ends
from tests.e2e.driver import FakeTime, opened
from tests.e2e.test_scripted_model import chats
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks

# What is told, and what the memory model makes of it.
EN = {
    "Hi! My name is Anna Lindqvist.": "[ADD kind=identity] Name is Anna Lindqvist",
    "I live in Lyon.": "[ADD kind=identity] Lives in Lyon",
    "I'm allergic to peanuts.": "[ADD kind=health] Allergic to peanuts",
    "I like ramen.": "[ADD kind=preference] Likes ramen",
    "My sister's name is Maja.": '[ADD entities="Maja"] Sister\'s name is Maja',
    "Actually, I moved to Marseille.": "[UPDATE:{Lyon}] Lives in Marseille",
    "I have a dentist appointment next Thursday.": "[ADD kind=event on=2026-03-12] Has a dentist appointment",
}
EN_ASKED = (
    ("What is my name?", "Anna"),
    ("Where do I live?", "Marseille"),
    ("What am I allergic to?", "peanut"),
    ("What food do I like?", "ramen"),
    ("What is my sister's name?", "Maja"),
    ("When is my dentist appointment?", "dentist"),
)
ZH = {
    "你好！我叫林小雨。": "[ADD kind=identity] 名叫林小雨",
    "我住在杭州。": "[ADD kind=identity] 住在杭州",
    "我对花生过敏。": "[ADD kind=health] 对花生过敏",
    "我喜欢吃拉面。": "[ADD kind=preference] 喜欢吃拉面",
    "我妹妹叫小雪。": '[ADD entities="小雪"] 妹妹叫小雪',
    "更正一下，我搬到苏州了。": "[UPDATE:{杭州}] 住在苏州",
    "我下周四要去看牙医。": "[ADD kind=event on=2026-03-12] 去看牙医",
}
ZH_ASKED = (
    ("我叫什么名字？", "林小雨"),
    ("我住在哪里？", "苏州"),
    ("我对什么过敏？", "花生"),
    ("我喜欢吃什么？", "拉面"),
    ("我妹妹叫什么？", "小雪"),
    ("我什么时候看牙医？", "牙医"),
)
TOLD = {"en": (EN, EN_ASKED), "zh": (ZH, ZH_ASKED)}
OLD_HOME = {"en": "Lyon", "zh": "杭州"}


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_what_was_told_is_known_after_a_restart(
    lang: str, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Five facts, a correction and a plan; /new; quit; start again; ask: the model is sent what answers it."""
    learned, asked = TOLD[lang]
    answer_tasks(openai_server, learned)
    time = FakeTime()
    async with opened(tmp_path, time, openai_server) as w:
        for text in learned:
            assert isinstance((await w.say(text)).last, Done)
        assert (await w.do("/new")).ok
    time.forward(hours=3)
    async with opened(tmp_path, time, openai_server) as w:
        for question, answer in asked:
            said = await w.say(question)
            assert answer in said.text, f"{question} → {said.text}\n{await w.texts()}"
        home = await w.say(asked[1][0])
        assert OLD_HOME[lang] not in home.text


@pytest.mark.parametrize(
    ("lang", "fact", "forget", "ask", "word"),
    [
        (
            "en",
            "I'm allergic to peanuts.",
            "forget that I'm allergic to peanuts",
            "What am I allergic to?",
            "peanut",
        ),
        ("zh", "我对花生过敏。", "忘掉我对花生过敏", "我对什么过敏？", "花生"),
    ],
)
async def test_what_was_forgotten_is_gone_and_comes_back_by_undo(
    lang: str,
    fact: str,
    forget: str,
    ask: str,
    word: str,
    openai_server: OpenAIServer,
    tmp_path: Path,
) -> None:
    """Gone from prompts, list, history and profile; /undo brings it back."""
    answer_tasks(openai_server)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say(fact)
        assert any(word in t for t in await w.texts())
        await w.say(forget)
        assert not any(word in t for t in await w.texts())
        await w.say(ask)
        assert word not in chats(openai_server, "large")[-1].text
        assert word not in (await w.do("/memories")).text
        await w.do("/new")
        await w.say(ask)
        assert word not in chats(openai_server, "large")[-1].text
        assert (await w.do("/undo")).ok
        assert any(word in t for t in await w.texts())
        assert word in (await w.say(ask)).text


async def test_messages_that_no_memory_was_made_of_are_shown_before_they_are_hidden(
    tmp_path: Path,
) -> None:
    """One is hidden, and that is what is said; of several the person chooses."""
    async with opened(tmp_path) as w:
        await w.say("What would a zeppelin cost?")
        alone = await w.say("forget the zeppelin")
        assert "a memory that says that" in alone.text
        assert not any(
            "zeppelin" in m.text for m in await w.ebb.agent.list_history(w.user_id, w.scope)
        )
        await w.say("Is a walrus a seal?")
        await w.say("Do you like the walrus?")
        several = (await w.say("forget the walrus")).last
        assert isinstance(several, Done)
        assert [c.label for c in several.choices[:2]] == [
            "Is a walrus a seal?",
            "Do you like the walrus?",
        ]
        assert any("walrus" in m.text for m in await w.ebb.agent.list_history(w.user_id, w.scope))
        assert "a memory that says that" in (await w.do(f"/choose {several.choices[2].key}")).text
        assert not any(
            "walrus" in m.text for m in await w.ebb.agent.list_history(w.user_id, w.scope)
        )


async def test_why_speaks_of_every_signal_in_words(tmp_path: Path) -> None:
    """No signal goes by the name it has in the code."""
    named = {f"by.{SHOWN.get(name, name)}" for name in WEIGHTS}
    assert named <= set(why.say.all("en"))
    async with opened(tmp_path) as w:
        await w.do("/remember I'm allergic to peanuts.")
        forgotten = await w.do("/forget peanuts")
        assert "peanuts”." in forgotten.text
        assert ".”" not in forgotten.text


@pytest.mark.parametrize(
    "learned",
    [
        {
            "I like drinking coffee": "[ADD kind=preference] Likes drinking coffee",
            "I don't like coffee any more": "[NEGATE:{Likes drinking}] Does not like coffee any more",
            "I still like drinking coffee": "[AFFIRM:{Likes drinking}]",
        },
        {
            "我喜欢喝咖啡": "[ADD kind=preference] 喜欢喝咖啡",
            "我不喜欢咖啡了": "[NEGATE:{喜欢喝咖啡}] 不喜欢咖啡了",
            "我还是喜欢喝咖啡": "[AFFIRM:{喜欢喝咖啡}]",
        },
    ],
)
async def test_changing_ones_mind_and_back(
    learned: dict[str, str], openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The weight paper's own example: the denial ends, the first taste holds, and nothing of it is left undone."""
    answer_tasks(openai_server, learned)
    async with opened(tmp_path, model=openai_server) as w:
        for text in learned:
            w.time.forward(days=3)
            await w.say(text)
        tastes = [m for m in await w.memories(negated=False) if m.kind is Kind.PREFERENCE]
        assert len(tastes) == 1, [m.content for m in tastes]
        assert not denies_or_ends(tastes[0].original_content)
        assert await w.ebb.store.read(w.ebb.owner, lambda tx: tx.jobs.list_dead()) == []


async def test_a_reply_that_new_overtakes_is_in_the_episode(tmp_path: Path) -> None:
    """The closed conversation is planned for once, when the reply has ended."""
    async with opened(tmp_path) as w:
        await w.say("I live in Lyon.")
        (before, *_) = await w.ebb.store.read(
            w.user_id, lambda tx: tx.conversations.list_sessions(w.scope)
        )
        async with aclosing(
            w.ebb.agent.reply(w.turn("What is my dog called? Rex, I think."))
        ) as events:
            await anext(events)
            await w.do("/new", drain=False)
            *_, last = [e async for e in events]
        assert isinstance(last, Done)
        assert await w.ebb.agent.drain(20) == 0

        def look(tx: Transaction) -> tuple[int, int, list[int]]:
            closed = tx.conversations.get_session(before.id)
            assert closed is not None
            said = tx.conversations.list_messages(session_id=before.id)
            return (
                closed.planned_through,
                said[-1].seq,
                [j.payload["through"] for j in tx.jobs.list_latest("summarise", 9)],
            )

        planned, newest, jobs = await w.ebb.store.read(w.user_id, look)
        assert planned == newest
        assert jobs == [newest]


@pytest.mark.parametrize(
    ("told", "forget"),
    [
        (("Is a walrus a seal?", "Do you like the walrus?"), "/forget the walrus"),
        (("海象是海豹吗？", "你喜欢海象吗？"), "/forget 海象"),
    ],
)
async def test_undo_after_a_question_takes_back_the_question_alone(
    told: tuple[str, ...], forget: str, tmp_path: Path
) -> None:
    """What was remembered before stays; undo once more takes that back."""
    async with opened(tmp_path) as w:
        for text in told:
            await w.say(text)
        await w.do("/remember I like tea")
        asked = await w.do(forget)
        assert len(asked.choices) > 2
        known = await w.texts()
        assert (await w.do("/undo")).ok
        assert await w.texts() == known
        assert not (await w.do(f"/choose {asked.choices[0].key}")).ok
        await w.do("/undo")
        assert await w.texts() != known
        await w.do(forget)
        await w.do("/remember I like coffee")
        known = await w.texts()
        await w.do("/undo")
        assert await w.texts() != known  # it was done after the question


@pytest.mark.parametrize(
    ("told", "asked", "of"),
    [
        ("I fly to Rome on 25 March", "When is my dentist appointment?", "Rome"),
        ("我3月25号飞罗马", "我什么时候去看牙医？", "罗马"),
    ],
)
async def test_the_notebook_answers_with_no_other_plan(
    tmp_path: Path, told: str, asked: str, of: str
) -> None:
    """What is next may be what is meant, but without a model nobody can tell."""
    async with opened(tmp_path) as w:
        await w.say(told)
        assert of not in (await w.say(asked)).text
