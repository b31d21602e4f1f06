"""Updates are committed before Telegram hears that we have them, and stay until they are dealt
with.

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
from datetime import date, datetime
from typing import Any

from telegram import Bot, Update
from telegram.error import NetworkError

from bot.chats.telegram.incoming import StoredUpdate
from bot.tables import (
    finish_update,
    get_delivery,
    list_open_updates,
    prune_updates,
    put_delivery,
    put_update,
)
from memory.errors import StoreError
from memory.models import Json
from memory.ports import Clock, Store

log = logging.getLogger(__name__)
PROVIDER = "telegram"


class BotState:
    """What the store keeps for the bot: the inbox, where replies went, and each chat's mode."""

    def __init__(self, store: Store, bot_id: int, clock: Clock) -> None:
        self._store = store
        self._bot = str(bot_id)
        self._clock = clock
        self._pruned: date | None = None

    async def keep(self, update: Update, lane: str) -> bool:
        """Commit an update; False if it is there already. Once a day, let old ones go."""
        payload, now = update.to_json(), self._clock()
        if self._pruned != now.date() and await self._store.trust_clock(now):
            self._pruned = now.date()
            await self._store.write_system(lambda s: prune_updates(s, now))
        return await self._store.write_system(
            lambda s: put_update(s, PROVIDER, self._bot, update.update_id, lane, payload, now)
        )

    async def waiting(self, bot: Bot) -> list[Update]:
        """Updates that were kept and not dealt with, in order.

        One that cannot be read is given up.
        """
        out = []
        for update_id, _, payload in await self._store.write_system(
            lambda s: list_open_updates(s, PROVIDER, self._bot)
        ):
            try:
                update = Update.de_json(json.loads(payload), bot)
            except (ValueError, TypeError, KeyError) as e:
                log.warning(
                    "update %s in the inbox cannot be read (%s)", update_id, type(e).__name__
                )
                await self.done([update_id])
            else:
                out.append(update)
        return out

    async def done(self, updates: Iterable[int], **records: Json) -> None:
        """Mark updates as dealt with, and write records, in one transaction."""
        ids, now = list(updates), self._clock()

        def write(s: Any) -> None:
            for key, value in records.items():
                put_delivery(s, PROVIDER, f"{self._bot}:{key}", value, now)
            for update_id in ids:
                finish_update(s, PROVIDER, self._bot, update_id, now)

        await self._store.write_system(write)

    async def record(self, key: str) -> dict[str, Any]:
        """What was written under that key; empty if nothing was."""
        found = await self._store.write_system(
            lambda s: get_delivery(s, PROVIDER, f"{self._bot}:{key}")
        )
        return dict(found) if isinstance(found, dict) else {}

    async def write(self, **records: Json) -> None:
        """Write records in one transaction."""
        await self.done((), **records)


class Inbox(asyncio.Queue[object]):
    """The updater's queue.

    `admit(update)` says what an update is to us: None to drop it, else the user it is from (None
    for a stranger) and whether it may be stored. It may await, and must not raise but StoreError.
    """

    def __init__(
        self,
        journal: BotState,
        admit: Callable[[Update], Awaitable[tuple[str | None, bool] | None]],
    ) -> None:
        super().__init__()
        self._journal = journal
        self._admit = admit

    async def put(self, item: object) -> None:
        """Commit it, then queue it. Raises NetworkError where it could not be committed."""
        if not isinstance(item, Update):
            return
        try:
            admitted = await self._admit(item)
            if admitted is None:
                return
            user_id, storable = admitted
            if user_id is None:
                await super().put(item)
                return
            if storable and not await self._journal.keep(item, get_chat_key(item)):
                return  # it is there from before, and was replayed at start
        except StoreError as e:
            raise NetworkError(f"an update could not be kept: {e}") from e
        await super().put(StoredUpdate(item, user_id, stored=storable))


def get_chat_key(update: Update) -> str:
    """What must stay in order: one chat."""
    return str(update.effective_chat.id) if update.effective_chat else "0"


def get_sent_time(update: Update, now: datetime) -> datetime:
    """When it was said; `now` for a button, which has no time of its own."""
    message = update.message or update.edited_message
    return now if message is None else (message.edit_date or message.date)
