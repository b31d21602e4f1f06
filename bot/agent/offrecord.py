"""Windows that are off the record: temporary (nothing recalled) and read-only (recalls), both writing nothing.

Their working memory lives in this process alone and goes with the window (DESIGN §5).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from bot.agent import context
from bot.agent.recall import recall_for, shown
from bot.agent.streaming import Running, stream_reply
from bot.events import Delta, Done, Event, Failed, Recalled, Started, Stopped, Turn, WindowMode
from bot.settings import Settings
from bot.texts import say
from memory.errors import ModelError
from memory.models import Hit, Lang, Memory, Message, Role
from memory.ports import ChatModel, Store
from memory.service import MemoryService


class OffRecord:
    """Answers turns of temporary and read-only windows."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        service: MemoryService,
        model: ChatModel,
        failed: Callable[[ModelError, str, Lang], Failed],
        *,
        reads_all: bool,  # the notebook is given the message itself, however long
    ) -> None:
        self._settings = settings
        self._store = store
        self._service = service
        self._model = model
        self._failed = failed
        self._reads_all = reads_all
        self._said: dict[str, list[Message]] = {}  # by window

    def forget(self, origin: str) -> None:
        """Let go of what was said in that window."""
        self._said.pop(origin, None)

    async def reply(self, turn: Turn, running: Running, lang: Lang) -> AsyncGenerator[Event, None]:
        """Answer one message; nothing of it is written anywhere."""
        said = self._said.setdefault(turn.origin, [])
        yield Started(turn.id, "")
        if asked := {i.kind for i in self._service.intents(turn.text)} - {"off", "on"}:
            text = say(lang, "temp.no_remember" if asked == {"remember"} else "temp.no_change")
            yield Delta(text)
            yield Done("", text)
            return
        hits: tuple[Hit, ...] = ()
        profile: list[Memory] = []
        if turn.mode is WindowMode.PRIVATE:
            earlier = [m.text for m in said[-3:]]
            recall, profile = await recall_for(
                self._service, self._store, turn, turn.text, earlier, None, local_only=True, whole=self._reads_all
            )
            hits = recall.hits
            yield Recalled(shown(hits))
        material = context.Material(
            text=turn.text,
            now=turn.at,
            tz=turn.tz,
            lang=lang,
            hits=hits,
            profile=profile,
            where=turn.mode.value,
            persona=self._settings.persona,
            context_tokens=self._settings.context_tokens,
            history=tuple(said),
            reads_all=self._reads_all,
        )
        try:
            async with aclosing(stream_reply(running, self._model, material)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelError as e:
            yield self._failed(e, running.text, lang)
            return
        spoken: tuple[tuple[Role, str], ...] = (("user", turn.text), ("assistant", running.text))
        for role, text in spoken:
            said.append(Message("", "", turn.id, None, role, text, turn.at, turn.tz))
        if running.stop.is_set():
            yield Stopped("", running.text)
        else:
            yield Done("", running.text, running.usage)
