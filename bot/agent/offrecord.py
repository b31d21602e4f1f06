"""Windows that are off the record: temporary (nothing recalled) and read-only (recalls), both
writing nothing.

Their working memory lives in this process alone and goes with the window.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from bot.agent import context
from bot.agent.recall import mask_opened_secrets, recall_for_turn
from bot.agent.streaming import Running, failed, stream_reply
from bot.events import Delta, Done, Event, Recalled, Started, Stopped, Turn, WindowMode
from bot.settings import Settings
from bot.texts import say
from memory.errors import ModelError
from memory.models import Hit, Lang, Memory, Message, Role
from memory.ports import ChatModel, Store
from memory.service import MemoryService


@dataclass
class OffRecordAgent:
    """Answers turns of temporary and read-only windows.

    `reads_all`: the model is given a message however long.
    """

    settings: Settings
    store: Store
    service: MemoryService
    model: ChatModel
    reads_all: bool
    _said: dict[str, list[Message]] = field(default_factory=dict)  # by window

    def forget(self, origin: str) -> None:
        """Let go of what was said in that window."""
        self._said.pop(origin, None)

    async def reply(self, turn: Turn, running: Running, lang: Lang) -> AsyncGenerator[Event, None]:
        """Answer one message; nothing of it is written anywhere."""
        said = self._said.setdefault(turn.origin, [])
        yield Started(turn.id, "")
        if asked := {i.kind for i in self.service.find_intents(turn.text)} - {"off", "on"}:
            text = say(lang, "temp.no_remember" if asked == {"remember"} else "temp.no_change")
            yield Delta(text)
            yield Done("", text)
            return
        hits: tuple[Hit, ...] = ()
        profile: list[Memory] = []
        if turn.mode is WindowMode.PRIVATE:
            earlier = [m.text for m in said[-3:]]
            recall, profile = await recall_for_turn(
                self.service,
                self.store,
                turn,
                turn.text,
                earlier,
                None,
                local_only=True,
                whole=self.reads_all,
            )
            hits = recall.hits
            yield Recalled(mask_opened_secrets(hits))
        material = context.PromptMaterial(
            text=turn.text,
            now=turn.at,
            tz=turn.tz,
            lang=lang,
            hits=hits,
            profile=profile,
            where=turn.mode.value,
            persona=self.settings.persona,
            context_tokens=self.settings.context_tokens,
            history=tuple(said),
            reads_all=self.reads_all,
        )
        try:
            async with aclosing(stream_reply(running, self.model, material)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelError as e:
            yield failed(e, self.model, running.text, lang)
            return
        spoken: tuple[tuple[Role, str], ...] = (("user", turn.text), ("assistant", running.text))
        for role, text in spoken:
            said.append(Message("", "", turn.id, None, role, text, turn.at, turn.tz))
        if running.stop.is_set():
            yield Stopped("", running.text)
        else:
            yield Done("", running.text, running.usage)
