"""The offline companion: a small program behind the protocol of a model. Rules, no language model, and it says so."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping

from memory.models import Json, Usage
from memory.ports import Chunk, ModelRequest, Task
from memory.text.pieces import MOST_READ, keep_ends

log = logging.getLogger(__name__)
_PIECE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]{1,2}[，。！？；：、]?|\S+\s{0,9}|\s{1,9}")
PAUSE = 0.004  # seconds between pieces of a reply, so that it is seen to come
LONGEST = 0.5  # seconds that all the pauses of one reply may take


class Companion:
    """A ChatModel that reads `task` and `data` and parses no prompt; it needs no key and no network.

    Args:
        pause: seconds between two pieces of a chat reply; 0 in tests.
    """

    def __init__(self, *, pause: float = PAUSE) -> None:
        self._pause = pause

    @property
    def name(self) -> str:
        """What a person is shown."""
        return "offline companion"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The answer, in words or characters for a chat and whole for the tasks nobody watches. Never raises."""
        text = await asyncio.to_thread(respond, request.task, request.data)
        pieces = _PIECE.findall(text) if request.task == "chat" else [text]
        pause = min(self._pause, LONGEST / max(1, len(pieces)))
        for piece in pieces:
            yield Chunk(text=piece)
            if request.task == "chat" and pause > 0:
                await asyncio.sleep(pause)
        yield Chunk(finish="stop", usage=Usage())


def respond(task: Task, data: Mapping[str, Json]) -> str:
    """The whole answer to a task. Whatever the data holds, this gives a text of the task's form, or none at all.

    Only a chat gets a sentence where the rules stumble: an account of a conversation that says "I'm listening" would
    be kept, an empty one is tried again.
    """
    from bot.llm.companion import chat, extract, monitor, notes, summarise, upkeep

    roles: dict[Task, tuple[Callable[[Mapping[str, Json]], str], str]] = {
        "chat": (chat.answer, ""),
        "monitor": (monitor.answer, "[SKIP]"),
        "extract": (extract.answer, "[]"),
        "summarise": (summarise.answer, ""),
        "title": (summarise.title, ""),
        "review": (upkeep.review, "[KEEP]"),
        "level": (upkeep.level, "[]"),
        "merge": (upkeep.merge, "[SEPARATE]"),
        "contradict": (upkeep.contradict, "[]"),
        "derive": (upkeep.derive, "[]"),
    }
    role, otherwise = roles[task]
    try:
        return role({**notes.restore_subjects(data), "message": keep_ends(str(data.get("message") or ""), MOST_READ)})
    except Exception as e:  # noqa: BLE001 - the boundary of the rules
        # A text they stumble over costs one answer, never the conversation; the log holds no text of it.
        log.error("the offline companion stumbled at %s: %s", task, type(e).__name__)  # noqa: TRY400
        return chat.at_a_loss(data) if task == "chat" else otherwise
