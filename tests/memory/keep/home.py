"""What the tests of a person's own acts have at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory import api
from memory.api import Intent, find_intents
from memory.learn.forget import ForgetResult
from memory.learn.remember import RememberResult
from memory.models import Filter, Level, Memory, Message, Sensitivity, State
from memory.ports import Transaction
from tests.memory.learn.world import TZ, World

ANY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)


@dataclass
class Home:
    """Two people with one store; `me` is the one things happen to."""

    path: Path
    me: World
    other: World
    service: api.Memory

    @property
    def user(self) -> str:
        return self.me.user

    @property
    def scope(self) -> str:
        return self.me.session.scope

    async def remember(self, text: str, *, said: bool = True) -> RememberResult:
        """As the agent does it for a chat message: the message first, then what it asks for."""
        if not said:
            return await self.service.remember(
                self.user, text, self.me.tick(), tz=TZ, scope=self.scope
            )
        (intent,) = find_intents(text)
        assert isinstance(intent, Intent)
        turn = await self.me.say(text, None)
        message = await self.message_of(turn)
        return await self.service.remember(
            self.user,
            intent.text,
            self.me.now,
            tz=TZ,
            scope=self.scope,
            turn_id=turn,
            message_id=message.id,
        )

    async def message_of(self, turn: str, role: str = "user") -> Message:
        return next(m for m in await self.me.messages() if m.turn_id == turn and m.role == role)

    async def forget(self, *memories: Memory, messages: Sequence[str] = ()) -> ForgetResult:
        return await self.service.forget(
            self.user, [m.id for m in memories], self.me.tick(), message_ids=messages
        )

    async def visible(self) -> list[str]:
        return [m.text for m in await self.me.messages() if m.hidden_at is None]

    async def contents(self, *states: State) -> set[str]:
        f = Filter(states=frozenset(states or {State.ACTIVE}), max_sensitivity=Sensitivity.SECRET)
        return {
            m.original_content for m in (await self.service.find(self.user, f, limit=500)).items
        }

    async def read(self, fn: Any) -> Any:
        return await self.me.store.read(self.user, fn)

    async def write(self, fn: Any) -> Any:
        return await self.me.store.write(self.user, fn)

    async def faded(self, m: Memory, level: Level, content: str) -> Memory:
        from dataclasses import replace

        def write(tx: Transaction) -> Memory:
            old = tx.memories.get(m.id)
            assert old is not None
            return tx.memories.put(replace(old, level=level, content=content), "levelled")

        result: Memory = await self.write(write)
        return result
