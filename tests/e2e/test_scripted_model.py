"""The same loop with a scripted model behind the OpenAI protocol: what it is sent, and what is done with its words."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import AbstractAsyncContextManager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bot.events import Done, Failed, Stopped, Waiting
from memory.models import Layer, State, detect_language
from memory.text.clean import estimate_tokens
from tests.e2e.driver import Window, opened
from tests.servers.openai import OpenAIServer, Request, fail, say
from tests.servers.tasks import answer_tasks, summary

MONITOR = r"\[SKIP\]"
EXTRACT = r"JSON"


def by_memory_model(server: OpenAIServer, answers: dict[str, str]) -> None:
    """Chat says "Fine."; the memory model answers by what the user says."""
    answer_tasks(server, answers, chat="Fine.")


def scripted(home: Path, server: OpenAIServer, **more: Any) -> AbstractAsyncContextManager[Window]:
    return opened(home, model=server, **more)


def chats(server: OpenAIServer, model: str) -> list[Request]:
    return [r for r in server.chats if r.model == model]


def id_of(texts: list[tuple[str, str]], word: str) -> str:
    return next(i for i, t in texts if word in t)


async def all_of(w: Window) -> list[tuple[str, str]]:
    return [(m.id, m.content) for m in await w.memories(states=frozenset(State))]


async def test_the_prompt_is_in_order_and_recalled_text_is_delimited(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Persona, rules, profile, episode, history, newest message, then the recalled block."""
    by_memory_model(
        openai_server,
        {
            "ramen": "[ADD kind=preference importance=high] Allergic to ramen.",
            "boat": "[ADD kind=fact importance=medium] Has a boat called Momo.",
        },
    )
    async with scripted(tmp_path, openai_server) as w:
        await w.say("I'm allergic to ramen")
        await w.say("My boat is called Momo")
        await w.do("/new")
        await w.say("Good morning to you")
        await w.say("What is my boat called?")
    request = chats(openai_server, "large")[-1]
    roles = [m["role"] for m in request.messages]
    assert roles == ["system", "user", "assistant", "user"]
    system, newest = request.messages[0]["content"], request.messages[-1]["content"]
    assert system.index("Ebb") < system.index("<profile>") < system.index("Allergic to ramen.")
    assert newest.index("<recalled>") < newest.index("Has a boat called Momo.")
    assert newest.index("What is my boat called?") < newest.index("<recalled>")
    assert "\n- ✓ Has a boat called Momo." in newest
    assert "2026-03-02" in newest, "the moment is said beside the newest message"
    assert "Momo" not in request.messages[1]["content"]


async def test_learning_sees_recalled_text_only_in_the_reference_block(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """What was recalled stands in the id-labelled block and nowhere else; messages carry their own time."""
    by_memory_model(openai_server, {"ramen": "[ADD kind=preference] Likes ramen."})
    async with scripted(tmp_path, openai_server) as w:
        await w.say("I like ramen")
        await w.say("Which noodles would be right for me, ramen or udon?")
    prompt = chats(openai_server, "small")[-1].text
    block = re.search(r"<reference>(.*?)</reference>", prompt, re.S)
    assert block is not None
    assert re.search(r"\[[a-z][0-9a-z]{5,}\][^\n]*Likes ramen\.", block[1])
    assert "Likes ramen." not in prompt.replace(block[0], "")
    assert "2026-03-02 Monday 10:01" in prompt.rpartition("<exchange>")[2], (
        "anchored on the message's own time and zone"
    )


async def test_every_monitor_operation(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """ADD, BOOST, UPDATE, NEGATE, DELETE and SKIP do what they say; broken lines and unknown ids do nothing."""
    answers = {
        "Lyon": '[ADD kind=identity importance=high entities="Lyon"] Lives in Lyon.',
        "coffee": "Sure!\n- [ADD kind=preference] Likes coffee.\n[ADD kind=nonsense importance=huge] \n[FROB] x",
        "cats": "[ADD] Has two cats.\n[UPDATE:zzzzzz] invented\n[DELETE:q1w2e3]",
    }
    by_memory_model(openai_server, answers)
    async with scripted(tmp_path, openai_server) as w:
        await w.say("I live in Lyon")
        await w.say("I drink coffee")
        await w.say("I have two cats")
        assert sorted(await w.texts()) == [
            "Has two cats.",
            "Likes coffee.",
            "Lives in Lyon.",
        ]
        ids = await all_of(w)
        answers["Marseille"] = f"[UPDATE:{id_of(ids, 'Lyon')}] Lives in Marseille."
        answers["stopped"] = f"[NEGATE:{id_of(ids, 'coffee')}] No longer drinks coffee."
        answers["nonsense about the pets"] = f"[DELETE:{id_of(ids, 'cats')}]"
        await w.say("I moved to Marseille, not Lyon")
        await w.say("I stopped drinking coffee, by the way")
        await w.say("That is nonsense about the pets, cats I never had")
        assert sorted(await w.texts(negated=False)) == [
            "Lives in Marseille.",
            "No longer drinks coffee.",
        ]
        new = next(m for m in await w.memories() if "Marseille" in m.content)
        old = next(m for m in await w.memories(states=frozenset(State)) if "Lyon" in m.content)
        assert (old.state, old.valid_until is not None, new.supersedes) == (
            State.SUPERSEDED,
            True,
            (old.id,),
        )
        answers["again, Marseille"] = f"[BOOST:{new.id}]"
        await w.say("again, Marseille is my home")
        after = next(m for m in await w.memories() if m.id == new.id)
        assert after.activation_count == new.activation_count + 1


async def test_extraction_at_the_end_of_a_session(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """/new extracts what the monitor missed; the result says how many were new and how many updated."""
    found = [{"content": "Plays the oboe.", "kind": "skill", "importance": "high"}]
    openai_server.default = "Fine."
    openai_server.on(
        "small",
        lambda r: json.dumps(found) if "<transcript>" in r.text and EXTRACT in r.text else "[SKIP]",
        field="model",
    )
    async with scripted(tmp_path, openai_server) as w:
        await w.say("I play the oboe")
        assert await w.texts() == []
        seen = (await w.ebb.agent.get_status(w.user_id, w.scope, w.time())).last_seq
        assert (await w.do("/new")).session_id
        assert await w.texts(layers=None) != []
        assert "Plays the oboe." in await w.texts()
        changes = await w.ebb.store.read(w.user_id, lambda tx: tx.changes.list_changes(after=seen))
        results = [
            c.after
            for c in changes
            if c.entity == "job" and c.after and c.after.get("kind") == "extract"
        ]
        assert [(r["new"], r["updated"]) for r in results] == [(1, 0)]


async def test_failures_are_one_sentence_and_lose_nothing(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """A wrong key, then a reply cut off in the middle; the message stays, and answering again works."""
    openai_server.on("small", "[SKIP]", field="model")
    async with scripted(tmp_path, openai_server) as w:
        openai_server.queue.append(fail("bad_key"))
        first = (await w.say("hello there", "one", drain=False)).last
        assert isinstance(first, Failed) and first.code == "bad_key" and "\n" not in first.sentence
        openai_server.queue.append(say("This is a long answer that", fault="truncate", after=3))
        second = (await w.say("tell me more", "two", drain=False)).last
        assert isinstance(second, Failed) and second.code == "cut_off" and second.partial
        history = await w.ebb.agent.list_history(w.user_id, w.scope)
        assert [(m.role, m.status) for m in history] == [
            ("user", "complete"),
            ("user", "complete"),
            ("assistant", "partial"),
        ]
        openai_server.queue.append(say("Better now."))
        again = await w.say("hello there", "one", drain=False)
        assert isinstance(again.last, Done) and again.text == "Better now."
        replay = await w.say("hello there", "one", drain=False)
        assert replay.text == "Better now.", "a repeated id replays its result"
        history = await w.ebb.agent.list_history(w.user_id, w.scope)
        assert [m.text for m in history].count("hello there") == 1


async def test_a_reply_can_be_stopped(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """Stopping keeps what had come, marked, and closes the stream."""
    openai_server.on("small", "[SKIP]", field="model")
    openai_server.queue.append(say("word " * 200, delay=0.02))
    async with scripted(tmp_path, openai_server) as w:
        events = []
        stream = w.ebb.agent.reply(w.turn("go on", "s"))
        async for event in stream:
            events.append(event)
            if len(events) == 6:
                assert await w.ebb.agent.stop("s")
        assert isinstance(events[-1], Stopped)
        assert events[-1].text.startswith("word") and len(events[-1].text) < 1000
        assert (await w.ebb.agent.list_history(w.user_id, w.scope))[-1].status == "stopped"


async def test_episodes_after_many_turns(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """After 16 turns one episode and 10 messages; after 40, three and 14; the running summary in the prompt."""
    n = {"episodes": 0}

    def memory(request: Request) -> str:
        if "[SKIP]" in request.system:
            return "[SKIP]"
        if (
            "JSON" in request.text
            and "<so_far>" not in request.text
            and "contradicts" in request.text
        ):
            return "[]"
        n["episodes"] += 1
        return json.dumps(
            {
                "episode": f"Talk number {n['episodes']}.",
                "summary": f"So far: part {n['episodes']}.",
            }
        )

    openai_server.on("small", memory, field="model")
    openai_server.on("large", "Fine.", field="model")
    async with scripted(tmp_path, openai_server) as w:
        for i in range(1, 41):
            await w.say(f"thing number {i}")
            if i == 16:
                episodes = await w.memories(layers=frozenset({Layer.EPISODE}))
                assert len(episodes) == 1
                assert len(await w.working()) == 10
                sources = await w.ebb.store.read(
                    w.user_id, lambda tx: tx.memories.list_sources(episodes[0].id)
                )
                said = await w.ebb.store.read(
                    w.user_id, lambda tx: [tx.conversations.get_message(s) for s in sources]
                )
                assert len(said) == 22
                assert {m.text for m in said if m and m.role == "user"} == {
                    f"thing number {k}" for k in range(1, 12)
                }
                assert episodes[0].content.startswith("[2026-03-02 10:00] ")
        assert len(await w.memories(layers=frozenset({Layer.EPISODE}))) == 3
        working = await w.working()
        assert len(working) == 14 and working[0].role == "user"
        await w.say("and now?")
        system = chats(openai_server, "large")[-1].system
        assert "So far: part 3." in system


async def test_no_two_messages_of_one_role_follow_each_other(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """What failed turns said goes in front of what was said after: many models refuse two of one role in a row."""
    openai_server.on("small", "[SKIP]", field="model")
    openai_server.on(
        "large", [fail("bad_key"), say("Fine."), fail("bad_key"), say("So it is.")], field="model"
    )
    async with scripted(tmp_path, openai_server) as w:
        for text in ("first question", "second question", "third question", "fourth question"):
            await w.say(text)
    messages = chats(openai_server, "large")[-1].messages
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "user"]
    day = "[2026-03-02 10:00 (Monday), Europe/Paris]"
    assert messages[1]["content"] == f"{day} first question\n\n[10:01] second question"
    newest = messages[-1]["content"]
    assert newest.startswith("[10:02] third question\n\n[10:03] fourth question\n\n<recalled>")
    assert newest.endswith("</recalled>")


async def test_a_session_has_one_beginning_whatever_language_is_spoken(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Each prompt of a role begins as the one before did, down to the newest message: that is cached."""
    by_memory_model(openai_server, {"lemons": "[ADD kind=preference] Likes lemons."})
    async with scripted(tmp_path, openai_server) as w:
        for text in ("I like lemons", "我喜欢喝茶", "What goes with lemons?", "谢谢", "那就这样"):
            await w.say(text)
    for model in ("large", "small"):
        sent = ["\n".join(m["content"] for m in r.messages) for r in chats(openai_server, model)]
        for before, after in pairwise(sent):
            said = before.rpartition("\n\n<recalled>")[0] or before.rpartition("\n\nMemories")[0]
            assert len(said) > 1_000
            assert after.startswith(said)
    assert (len(chats(openai_server, "large")), len(chats(openai_server, "small"))) == (5, 4)


async def test_a_message_that_tells_nothing_costs_no_call(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """ok, 谢谢 and a thumb are not learned from, unless they answer a question."""
    by_memory_model(openai_server, {})
    openai_server.on("Thank you!", "Shall I call you Max?", field="last")
    async with scripted(tmp_path, openai_server) as w:
        for text in ("ok", "谢谢！", "👍", "Thank you!"):
            await w.say(text)
            assert not chats(openai_server, "small"), text
        await w.say("OK.")
    assert chats(openai_server, "small")


async def test_an_answer_without_a_word_is_a_failure(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """It is asked for once more, then said; /retry answers, and what was told is learned once."""
    empty, held = say(""), say("", finish="content_filter")
    more = say("A long story", finish="length")
    openai_server.on("large", [held, empty, held, more, empty, say("Here.")], field="model")
    openai_server.on("small", "[ADD kind=fact] Has a boat.", field="model")
    async with scripted(tmp_path, openai_server) as w:
        said = await w.say("Remember that my locker is 14. I have a boat.")
        assert isinstance(said.last, Failed) and said.last.code == "unreadable"
        assert said.last.sentence.startswith("“large” answered without a word, twice.")
        assert said.last.sentence.endswith("/retry answers your message again.")
        again = await w.do("/retry")
        assert again.turn is not None
        said = await w.say(again.turn.text, again.turn.id)
        assert (
            said.text
            == "A long story\n\n(The reply was cut here: it reached the length limit of its model.)"
        )
        assert not (await w.do("/retry")).ok
        shown = (await w.do("/retry again")).turn  # a front end that broke off while it sent this
        assert shown is not None and (await w.say(shown.text, shown.id)).text == said.text
        assert sorted(await w.texts()) == ["Has a boat.", "my locker is 14"]
        assert len(chats(openai_server, "small")) == 1
        assert (await w.say("are you there?")).text == "Here."
        assert [(m.role, bool(m.text)) for m in await w.working()] == [
            ("user", True),
            ("assistant", True),
        ] * 2


async def test_a_hang_is_said_once_and_can_be_stopped(
    openai_server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence is no part of the reply."""
    monkeypatch.setattr("bot.agent.streaming.HANG", 0.05)
    openai_server.on("large", say("late", first_delay=30), field="model")
    async with scripted(tmp_path, openai_server) as w:
        events = []
        async for event in w.ebb.agent.reply(w.turn("hello there", "s")):
            events.append(event)
            if isinstance(event, Waiting):
                await asyncio.sleep(0.2)
                assert await w.ebb.agent.stop("s")
        assert [type(e).__name__ for e in events] == ["Started", "Recalled", "Waiting", "Stopped"]
        assert [m.role for m in await w.working()] == ["user"]
        openai_server.on("large", "Here.", field="model")
        again = (await w.do("/retry")).turn
        assert again is not None and (await w.say(again.text, again.id, again=True)).text == "Here."
        assert [m.role for m in await w.working()] == ["user", "assistant"]


async def test_a_mark_of_ours_is_no_part_of_a_reply(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """A model that copies the time from in front of our messages; other brackets stay."""
    openai_server.on("small", "[SKIP]", field="model")
    replies = [
        "[10:00] Hello.",
        "[10:0",
        "[08:00] Breakfast",
        "[2026-03-02 10:00 (Monday), Europe/Paris] So.",
    ]
    openai_server.on("large", [say(r) for r in replies], field="model")
    async with scripted(tmp_path, openai_server) as w:
        said = [(await w.say(text)).text for text in ("hello you", "and now", "a plan", "and then")]
        kept = [m.text for m in await w.working() if m.role == "assistant"]
    assert said == kept == ["Hello.", "[10:0", "[08:00] Breakfast", "So."]


ARTICLES = {
    "en": (
        "By the way, the code name is ZANZIBAR.",
        "The harbour was quiet that day. ",
        "What is the code name?",
    ),
    "zh": ("对了，代号是桑给巴尔。", "那天港口很安静。", "代号是什么？"),
}


@pytest.mark.parametrize(("lang", "tokens"), [("en", 16_000), ("zh", 4_000)])
async def test_short_messages_outlast_long_ones(
    openai_server: OpenAIServer, tmp_path: Path, lang: str, tokens: int
) -> None:
    """Five articles after it, and a very long reply: the short message is in the prompt, or summarised.

    The model is told wherever something is left out, or that the rest of a document may be asked for.
    """
    fact, piece, question = ARTICLES[lang]
    openai_server.on(
        "small",
        lambda r: summary("x", fact) if "<transcript>" in r.text and fact in r.text else "[SKIP]",
        field="model",
    )
    openai_server.on(
        "large",
        lambda r: piece * 250 if r.last.split()[1:2] == ["LONG"] else "Fine.",
        field="model",
    )
    async with scripted(tmp_path, openai_server, context_tokens=tokens) as w:
        await w.say(fact)
        said = [await w.say(f"{i} {piece * 400}") for i in range(5)]
        said.append(await w.say("LONG"))
        said.append(await w.say(question))
    request = chats(openai_server, "large")[-1]
    assert fact in request.text
    assert question in request.messages[-1]["content"]
    assert any(
        told in request.text for told in ("characters are left out", "个字符", "can be asked about")
    )
    assert sum(estimate_tokens(m["content"]) for m in request.messages) <= tokens


async def test_off_the_record_the_model_is_told_to_promise_nothing(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """In both languages; on the record the rules are the usual ones. What was said there carries its time as well."""
    openai_server.on("small", "[SKIP]", field="model")
    openai_server.on("large", lambda _: "Fine.", field="model")
    async with scripted(tmp_path, openai_server) as w:
        await w.say("good morning")
        await w.do("/temp")
        await w.say("my train leaves in two hours")
        await w.say("那我还有多久？")
        assert "remember that" not in (await w.do("/help")).text
        assert not (await w.do("/review")).memories
    usual, first, second = chats(openai_server, "large")
    assert "off the record" not in usual.system
    assert "Never say or imply that you will remember" in first.system
    assert "绝不要说或暗示你会记住" in second.system
    assert re.search(r"^\[2026-03-02 10:\d\d.*\] my train", second.messages[1]["content"])


async def test_commands_answer_in_the_persons_language(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Names and terms of the other language change nothing; a sentence of it does."""
    openai_server.on("small", "[SKIP]", field="model")
    openai_server.on("large", lambda _: "Fine.", field="model")
    async with scripted(tmp_path, openai_server) as w:
        assert "remember nothing" in (await w.do("/memories Tom")).text
        await w.say("我今天很累")
        await w.say("ok")
        for line in (
            "/memories Tom",
            "/forget Visual Studio Code",
            "/remember WiFi",
            "/memories WiFi password",
        ):
            assert detect_language((await w.do(line)).text.replace("WiFi", "")) == "zh", line
        assert "remember" in (await w.do("/remember I am allergic to peanuts")).text
        await w.say("I am so tired today")
        assert "remember nothing" in (await w.do("/memories 王伟")).text
        assert "记住" in (await w.do("/remember 我对花生过敏")).text


async def test_learning_goes_on_by_itself_when_the_provider_is_back(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """A refused key: nothing is dead, and what was said is learned without a restart."""
    refused = openai_server.on("small", fail("bad_key"), field="model")
    openai_server.on("large", lambda _: "Fine.", field="model")
    async with scripted(tmp_path, openai_server) as w:
        await w.say("I have a rabbit called Momo", drain=False)
        await w.ebb.agent.drain(5)
        refused.answers = "[ADD kind=fact] Has a rabbit called Momo"
        w.time.forward(minutes=1)
        async with asyncio.timeout(10):
            while not await w.texts():
                await asyncio.sleep(0.05)
        assert (await w.ebb.agent.get_status(w.user_id, w.scope, w.time())).failed_jobs == 0


async def test_the_model_says_which_slot_a_request_fills(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """It ends the former value where the words tell a change, and is asked where only the model does."""
    by_memory_model(
        openai_server,
        {
            "Hobart": '[UPDATE:{Dunedin} slot=home said=1:"moved to Hobart"] Lives in Hobart',
            "boat": '[UPDATE:{Hobart} slot=home said=1:"my boat lies in Oban"] Lives in Oban',
            "Jo": "[SAME:{Jo} slot=home]",
        },
    )
    async with scripted(tmp_path, openai_server) as w:
        await w.say("remember that I'm based in Dunedin")
        await w.say("remember that I moved to Hobart")
        await w.say("remember that my boat lies in Oban")
        await w.say("remember that my brother Jo has a tent")
        found = await w.memories(states=frozenset({State.ACTIVE}))
        held = {m.original_content: m.slot for m in found}
        asked = await w.ebb.memory.list_proposals(w.user_id)
    assert held == {
        "I moved to Hobart": "home",
        "my boat lies in Oban": None,
        "my brother Jo has a tent": None,
    }
    assert [(p.text, p.data["op"]) for p in asked] == [("my boat lies in Oban", "change")]


async def test_forgetting_takes_what_alludes_to_it_along(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """What was learned from the same message and names the thing in two words goes with it."""
    by_memory_model(
        openai_server,
        {
            "jail": '[ADD said=1:"8 months in the county jail"] Roy did 8 months in the county jail\n'
            '[ADD said=1:"I read about the county jail"] Read about the county jail\n'
            '[ADD said=1:"Roy drives a forklift"] Roy drives a forklift',
        },
    )
    async with scripted(tmp_path, openai_server) as w:
        await w.say(
            "Roy drives a forklift. He did 8 months in the county jail. And I read about the county jail"
        )
        found = await all_of(w)
        assert len(found) == 3, found
        await w.ebb.memory.forget(w.user_id, [id_of(found, "8 months")], w.time())
        assert await w.texts() == ["Roy drives a forklift"]
