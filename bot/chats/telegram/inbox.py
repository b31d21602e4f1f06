"""Updates are committed before Telegram hears that we have them, and stay until dealt with.

python-telegram-bot's updater puts each update of a batch into its `update_queue` and advances the
offset, which is the confirmation, only after the last `put` returned (22.8,
`Updater._start_polling`). So `Inbox.put` commits. If it cannot, it raises a TelegramError: the
updater then backs off and asks again, where any other exception would end its task for good.

Nothing is stored of what strangers say, of what is said to others in a group, and of off-the-record
chats.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from telegram import Bot, Message, Update
from telegram.error import NetworkError

from bot import tables
from memory.errors import StoreError
from memory.models import Json
from memory.ports import Clock, Store, SystemTransaction

log = logging.getLogger(__name__)
PROVIDER = "telegram"


@dataclass(frozen=True, eq=False)
class StoredUpdate:
    """An update that is ours to deal with.

    `stored`: it waits in the inbox until it is done. `together`: the updates that it was one batch
    with before a restart; they must be one again, for the turn's id and reply belong to all.
    """

    update: Update
    user_id: str
    stored: bool
    replayed: bool = False
    together: tuple[int, ...] = ()

    @property
    def id(self) -> int:
        """Return the update's id."""
        return self.update.update_id

    @property
    def edit(self) -> bool:
        """Tell whether a message was edited that we have taken up already."""
        return self.update.edited_message is not None

    @property
    def message(self) -> Message:
        """Return its message, new or edited."""
        message = self.update.message or self.update.edited_message
        if message is None:
            raise ValueError("an update without a message")
        return message


class BotState:
    """What the store keeps for the bot: the inbox, where replies went, and each chat's mode."""

    def __init__(self, store: Store, bot_id: int, clock: Clock) -> None:
        self._store = store
        self._bot = str(bot_id)
        self._clock = clock
        self._pruned: date | None = None

    async def keep(self, update: Update) -> bool:
        """Commit an update; False if it is there already. Once a day, let old ones go."""
        payload, now = update.to_json(), self._clock()
        chat = str(update.effective_chat.id) if update.effective_chat else "0"
        if self._pruned != now.date() and await self._store.trust_clock(now):
            self._pruned = now.date()
            await self._store.write_system(lambda s: tables.prune_updates(s, now))
        return await self._store.write_system(
            lambda s: tables.put_update(
                s, PROVIDER, self._bot, update.update_id, chat, payload, now
            )
        )

    async def list_waiting(self, bot: Bot) -> list[Update]:
        """List updates that were kept and not dealt with, in order; give up unreadable ones."""
        out = []
        for update_id, _, payload in await self._store.write_system(
            lambda s: tables.list_open_updates(s, PROVIDER, self._bot)
        ):
            try:
                out.append(Update.de_json(json.loads(payload), bot))
            except (ValueError, TypeError, KeyError) as e:
                why = type(e).__name__
                log.warning("update %s in the inbox cannot be read (%s)", update_id, why)
                await self.finish([update_id])
        return out

    async def finish(self, updates: Iterable[int], **records: Json) -> None:
        """Mark updates as dealt with, and write records, in one transaction."""
        ids, now = list(updates), self._clock()

        def write(s: SystemTransaction) -> None:
            for key, value in records.items():
                tables.put_delivery(s, PROVIDER, f"{self._bot}:{key}", value, now)
            for update_id in ids:
                tables.finish_update(s, PROVIDER, self._bot, update_id, now)

        await self._store.write_system(write)

    async def read(self, key: str) -> dict[str, Any]:
        """Return what was written under that key; empty if nothing was."""
        found = await self._store.write_system(
            lambda s: tables.get_delivery(s, PROVIDER, f"{self._bot}:{key}")
        )
        return dict(found or {})

    async def write(self, **records: Json) -> None:
        """Write records in one transaction."""
        await self.finish((), **records)


class Inbox(asyncio.Queue[object]):
    """The updater's queue, from which the application takes updates.

    `admit(update)` says what is to be dealt with: a StoredUpdate, a stranger's update as it came,
    or None. It may await, and must not raise but StoreError.
    """

    def __init__(
        self, state: BotState, admit: Callable[[Update], Awaitable[StoredUpdate | Update | None]]
    ) -> None:
        super().__init__()
        self._state = state
        self._admit = admit

    async def put(self, item: object) -> None:
        """Commit an update, then queue it; what is no update (a replayed one) is queued alone.

        Raises NetworkError where it could not be committed.
        """
        if isinstance(item, Update):
            try:
                item = await self._admit(item)
                if isinstance(item, StoredUpdate) and item.stored:
                    # It may be there from before, and was replayed at start.
                    item = item if await self._state.keep(item.update) else None
            except StoreError as e:
                raise NetworkError(f"an update could not be kept: {e}") from e
        if item is not None:
            await super().put(item)
