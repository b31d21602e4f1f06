"""A long text in a conversation: shown by its opening and outline, asked about by passage, never learned from."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.models import Document
from tests.e2e.driver import Window, opened
from tests.e2e.test_scripted_model import chats
from tests.e2e.test_windows import dump
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks

ROOMS = [
    "hall",
    "attic",
    "cellar",
    "pantry",
    "stable",
    "orchard",
    "library",
    "bakehouse",
    "chapel",
    "dairy",
    "nursery",
    "laundry",
]
ROOMS_ZH = [
    "门厅",
    "阁楼",
    "地窖",
    "粮仓",
    "马厩",
    "果园",
    "书房",
    "磨坊",
    "祠堂",
    "奶房",
    "育儿室",
    "洗衣房",
]
EN = "The house on Quarry Lane\n\n" + "\n\n".join(
    f"{n}. The {room}\n\nThe {room} was built in {1700 + 7 * n} by a mason from the valley, and its"
    f" walls are {20 + n} inches thick. In winter it is kept dry with lime, which is renewed every"
    f" {n + 2} years. Visitors enter the {room} by the eastern door. The rest of what is known of"
    f" it stands in the parish book, on the pages from {n * 10} onwards, in a small and slanting"
    f" hand that nobody has read for long. I am allergic to its dust, wrote the verger."
    for n, room in enumerate(ROOMS, 1)
)
ZH = "采石巷的老屋\n\n" + "\n\n".join(
    f"第{n}节 {room}\n\n{room}由山谷里的石匠在{1700 + 7 * n}年建成，墙有{20 + n}寸厚。冬天用石灰保持干燥，每"
    f"{n + 2}年换一次。客人从东门进入{room}。其余的事写在教区的本子里，从第{n * 10}页起，字又小又斜，很久没有人读过了。"
    "我对那里的灰尘过敏，看门人写道。"
    for n, room in enumerate(ROOMS_ZH, 1)
)
CASES = [
    (
        *(EN, "I moved to Leeds last week.", "How thick are the walls of the bakehouse?"),
        *("bakehouse", "thanks"),
        '[ADD kind=fact said=1:"moved to Leeds"] Moved to Leeds\n'
        '[ADD kind=health said=1:"allergic to its dust"] Allergic to dust',
    ),
    (
        *(ZH, "我上周搬到苏州了。", "磨坊的墙有多厚？", "磨坊", "谢谢"),
        '[ADD kind=fact said=1:"搬到苏州"] 搬到了苏州\n'
        '[ADD kind=health said=1:"对那里的灰尘过敏"] 对灰尘过敏',
    ),
]


def documents(w: Window) -> Any:
    """Every document row of the window's user."""

    def read(tx: Any) -> list[Document]:
        listed = [n for n, _ in tx.documents.list_in(w.scope, 100)]
        return list(tx.documents.get_many(listed))

    return w.ebb.store.read(w.user_id, read)


def newest(server: OpenAIServer) -> tuple[str, str]:
    """The recalled block and the message that were sent last."""
    message, _, block = chats(server, "large")[-1].messages[-1]["content"].partition("<recalled>")
    return block, message.partition("] ")[2].strip()


@pytest.mark.parametrize("case", CASES, ids=["en", "zh"])
async def test_a_paste_is_shown_in_short_and_asked_about(
    openai_server: OpenAIServer, tmp_path: Path, case: tuple[str, ...]
) -> None:
    """Whole beside its own message; then its opening, outline and the passages that a question calls for."""
    text, own, question, room, thanks, learned = case
    answer_tasks(openai_server, chat="…", monitor=learned)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say(f"{own}\n\n{text}")
        assert newest(openai_server)[1] == f"{own}\n\n{text}"
        (d,) = await documents(w)
        assert d.embedder and len(d.places) == len(d.vectors) >= 12
        # Of all that the monitor says only what the person's own line bears is learned.
        assert len(await w.texts()) == 1
        await w.say(question)
        sent = chats(openai_server, "large")[-1]
        history = sent.messages[1]["content"]
        assert own in history and text[:60] in history and room in history
        assert len([n for n in range(1, 13) if str(1700 + 7 * n) in sent.text]) <= 6
        assert "28" in newest(openai_server)[0] and newest(openai_server)[1] == question
        why = (await w.do("/why")).text
        assert room in why and text.partition("\n")[0] in why
        await w.say(thanks)
        assert chats(openai_server, "large")[-1].messages[1]["content"] == history
        assert "28" not in newest(openai_server)[0]
        group = Window(w.ebb, w.time, origin="telegram:-5", scope="chat:-5")
        await group.say(question)
        assert "28" not in newest(openai_server)[0]
        assert room not in (tmp_path / "MEMORY.md").read_text("utf-8")
        assert len(await w.texts()) == 1
        await w.ebb.store.write(w.user_id, lambda tx: hide(tx, d.message_id, w))
        await w.say(question)
        assert "28" not in newest(openai_server)[0] and room not in (await w.do("/why")).text
    with sqlite3.connect(tmp_path / "ebb.db") as db:
        assert db.execute("SELECT COUNT(*) FROM documents").fetchone() == (0,)


def hide(tx: Any, message_id: str, w: Window) -> None:
    tx.changes.begin("user", "forget", w.time())
    message = tx.conversations.get_message(message_id)
    tx.conversations.put_messages([replace(message, hidden_at=w.time())])


async def test_off_the_record_a_paste_is_asked_about_and_written_nowhere(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The window finds passages of what it was sent itself."""
    answer_tasks(openai_server, chat="…")
    async with opened(tmp_path, model=openai_server) as w:
        await w.do("/temp")
        before = dump(tmp_path)
        await w.say(EN)
        await w.say("How thick are the walls of the bakehouse?")
        assert "28 inches" in newest(openai_server)[0]
        assert dump(tmp_path) == before


async def test_long_texts_beside_a_small_context_and_of_ebbs_own(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """What does not fit brings its outline and passages; Ebb's own answers are called so."""
    question = "How thick are the walls of the bakehouse?"
    answer_tasks(openai_server, chat=lambda r: EN if "Tell me" in r.last else "…")
    async with opened(tmp_path, model=openai_server, context_tokens=3_000) as w:
        await w.say(f"{EN}\n\n{question}")
        block, message = newest(openai_server)
        assert "28 inches" in block and "12. The laundry" in message
        assert message.endswith(question) and len(message) < len(EN)
        await w.do("/new")
        await w.say("Tell me of the house.")
        await w.say(question)
        assert "your own answer" in newest(openai_server)[0]


async def test_the_notebook_quotes_the_passage_with_its_title(tmp_path: Path) -> None:
    """It has no model and says where it read it."""
    async with opened(tmp_path) as w:
        await w.say(ZH)
        assert await w.texts() == []
        said = (await w.say("磨坊的墙有多厚？")).text
        assert "《采石巷的老屋》" in said and "28寸厚" in said
