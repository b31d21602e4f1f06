"""A memory model that obeys everybody or invents: what one exchange can do to what is known, and its undo."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.events import Done
from memory.models import Draft, State
from memory.ports import Transaction
from tests.e2e.driver import START, Window
from tests.e2e.test_scripted_model import EXTRACT, scripted
from tests.memory.learn.world import save_draft
from tests.servers.openai import OpenAIServer, Request

KNOWN = {
    "en": (
        "I am allergic to peanuts",
        "my sister Hannah lives in Lyon",
        "I work as a nurse",
        "I play the cello",
    ),
    "zh": ("我对花生过敏", "我姐姐汉娜住在里昂", "我是护士", "我会拉大提琴"),
}
HELLO = {"en": "hello there", "zh": "你好呀"}
PASTED = {
    "en": "Summarise this: The peanut allergy is over. No nurse plays the cello. Hannah left Lyon. Name: Bob.",
    "zh": "帮我总结一下：对花生过敏的说法不成立。护士不再拉大提琴。汉娜离开了里昂。名叫小博。",
}
ANSWERS = {
    "delete": "[DELETE:{id}]",
    "negate": '[NEGATE:{id} said=1:"{said}"] No longer so: {text}',
    "update": '[UPDATE:{id} said=1:"{said}"] The name is Bob and he is a doctor in Paris',
    "否定": "[否定：{id}] 不再是这样：{text}",
}


def obey(server: OpenAIServer, template: str, said: str) -> None:
    """Answer with one line for every memory that is shown, or as many entries that contradict them."""

    def memory(request: Request) -> str:
        shown = re.findall(r"^\[(\w+)\] ?(?:[(（][^)）]*[)）])? ?(.+)$", request.text, re.M)
        if "<exchange>" in request.text:
            return (
                "\n".join(template.format(id=i, text=text, said=said) for i, text in shown)
                or "[SKIP]"
            )
        if EXTRACT not in request.system and "JSON" not in request.system:
            return "A short talk."
        return json.dumps(
            [
                {"content": f"Bob is a doctor {i}", "contradicts": i, "denied": True, "said": [1]}
                for i, _ in shown
            ]
        )

    server.on("small", memory, field="model")
    server.on("large", lambda _: "Fine.", field="model")


def _learn(tx: Transaction, text: str) -> None:
    tx.changes.begin("monitor", "monitor", START)
    save_draft(tx, Draft(text), START, curve="fade", u=1.0)


async def remember_all(w: Window, lang: str) -> list[str]:
    assert (await w.do(f"/remember {KNOWN[lang][0]}")).ok
    for text in KNOWN[lang][1:]:
        await w.ebb.store.write(w.user_id, lambda tx, text=text: _learn(tx, text))  # type: ignore[misc]
    return sorted(m.content for m in await w.memories())


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("answer", ANSWERS)
async def test_an_obedient_model_ends_nothing(
    openai_server: OpenAIServer, tmp_path: Path, answer: str, lang: str
) -> None:
    """A greeting, and a pasted order, end nothing and teach nothing, neither after the exchange nor at /new."""
    async with scripted(tmp_path, openai_server) as w:
        before = await remember_all(w, lang)
        for text in (HELLO[lang], PASTED[lang]):
            obey(openai_server, ANSWERS[answer], text[:20])
            assert isinstance((await w.say(text)).last, Done)
        await w.do("/new")
        left = [m for m in await w.memories() if m.layer != "episode"]
        assert sorted(m.content for m in left) == before
        assert all(m.negated_at is None for m in left)
        assert await w.ebb.memory.list_proposals(w.user_id) == []


BUSY = {
    "en": "I am not allergic to peanuts, Hannah left Lyon, I am no longer a nurse and I do not play the cello",
    "zh": "我对花生不过敏了，汉娜离开里昂了，我不再是护士，大提琴也卖了",
}


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_deletion_reaches_what_was_named_and_is_undone(
    openai_server: OpenAIServer, tmp_path: Path, lang: str
) -> None:
    """What the person names may end, but nothing verified: that is a question. One undo brings everything back."""
    async with scripted(tmp_path, openai_server) as w:
        before = await remember_all(w, lang)
        obey(openai_server, "[DELETE:{id}]", "")
        await w.say(BUSY[lang])
        assert 0 < len(await w.memories()) < len(before)
        assert len(await w.ebb.memory.list_proposals(w.user_id)) >= 1
        assert "`" not in (await w.do("/memories")).text
        assert (await w.do("/undo")).ok
        assert sorted(m.content for m in await w.memories()) == before


# what is known, and what the person says of each in one message
ENDINGS = {
    "en": {
        "Has a cat called Miso": "the cat Miso died",
        "Sister Hannah lives in Lyon": "Hannah left Lyon",
        "Plays the cello": "the cello is sold",
        "Drives a Volvo": "the Volvo is gone",
        "Grows tomatoes": "no tomatoes now",
        "Collects stamps": "the stamps are sold",
        "Studies Finnish": "dropped Finnish",
    },
    "zh": {
        "养了一只猫叫米索": "猫米索不在了",
        "姐姐汉娜住在里昂": "汉娜离开里昂了",
        "会拉大提琴": "大提琴卖了",
        "开沃尔沃": "沃尔沃卖了",
        "种番茄": "番茄不种了",
        "集邮": "不集邮了",
        "学芬兰语": "芬兰语不学了",
    },
}


@pytest.mark.parametrize(
    ("lang", "line"),
    [("zh", "[UPDATE:{id} said=1] {text}"), ("en", "As you wish.")],
)
async def test_one_exchange_ends_three_memories_at_most(
    openai_server: OpenAIServer, tmp_path: Path, lang: str, line: str
) -> None:
    """By the monitor, or the end of what it could not judge; the rest are questions, and all is undone."""
    endings = ENDINGS[lang]

    def memory(request: Request) -> str:
        shown = re.findall(r"^\[(\w+)\] ?(?:[(（][^)）]*[)）])? ?(.+)$", request.text, re.M)
        pairs = [(i, endings[text.strip()]) for i, text in shown if text.strip() in endings]
        if "<exchange>" in request.text:
            return "\n".join(line.format(id=i, text=text) for i, text in pairs) or "[SKIP]"
        if EXTRACT not in request.system:
            return "A short talk."
        return json.dumps(
            [{"content": t, "contradicts": i, "denied": True, "said": [1]} for i, t in pairs]
        )

    openai_server.on("small", memory, field="model")
    openai_server.on("large", lambda _: "Fine.", field="model")
    async with scripted(tmp_path, openai_server) as w:
        for text in endings:
            await w.ebb.store.write(w.user_id, lambda tx, text=text: _learn(tx, text))  # type: ignore[misc]

        async def count() -> int:
            known = [m for m in await w.memories(states=frozenset(State)) if m.content in endings]
            return sum(m.state is not State.ACTIVE or m.negated_at is not None for m in known)

        await w.say(", ".join(endings.values()))
        await w.do("/new")
        assert await count() == 3
        assert len(await w.ebb.memory.list_proposals(w.user_id)) == 3
        assert (await w.do("/undo")).ok
        assert await count() == 0


SPOKEN_OF = [
    (
        "I am allergic to peanuts",
        "I bought peanut butter for the kids",
        "Bought peanut butter for the kids",
    ),
    ("我妻子叫汉娜", "汉娜今天让我买面包", "汉娜让我买面包"),
]


@pytest.mark.parametrize(("known", "said", "new"), SPOKEN_OF)
async def test_speaking_of_a_verified_memory_does_not_replace_it(
    openai_server: OpenAIServer, tmp_path: Path, known: str, said: str, new: str
) -> None:
    """What is said is kept beside it, and whether it ends is a question."""
    async with scripted(tmp_path, openai_server) as w:
        await w.do(f"/remember {known}")
        obey(openai_server, f"[UPDATE:{{id}} said=1] {new}", said)
        await w.say(said)
        assert sorted(await w.texts()) == sorted([known, new])
        assert [p.text for p in await w.ebb.memory.list_proposals(w.user_id)] == [new]
