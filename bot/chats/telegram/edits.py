"""An edited message: what was learned from its old wording is taken back, then it is answered anew."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import timedelta

from bot.chats.telegram.desk import HandlerContext
from bot.chats.telegram.outbox import Destination
from bot.events import WindowMode
from memory.models import JobState, Message
from memory.ports import Store, Transaction
from memory.privacy import redact

log = logging.getLogger(__name__)
_LOOKED_AT = 50  # change sets
_PATIENCE = 5.0  # seconds for learning that is under way


async def has_same_text(store: Store, user_id: str, turn_id: str, text: str) -> bool:
    """Whether the turn's message says that already: Telegram also reports edits that change no word."""

    def read(tx: Transaction) -> bool:
        row = tx.conversations.get_turn(turn_id)
        message = tx.conversations.get_message(row.user_message_id) if row else None
        return message is not None and message.text in {text, redact(text)[0]}

    return await store.read(user_id, read)


async def retract_turn(
    desk: HandlerContext, user_id: str, turn_id: str, place: Destination
) -> None:
    """Hide the turn's messages, drop its pending learning and undo what was learned from it."""
    await _learned_by_now(desk, user_id, turn_id)
    now = desk.ebb.clock()

    def write(tx: Transaction) -> list[str]:
        sets = [s.id for s in tx.changes.list_undoable(_LOOKED_AT) if s.turn_id == turn_id]
        tx.changes.begin("user", "edit", now, turn_id=turn_id)
        for job in tx.jobs.list_pending("monitor"):
            if job.payload.get("turn_ids") == [turn_id]:
                tx.jobs.cancel(job.id)
        row = tx.conversations.get_turn(turn_id)
        for message_id in filter(None, (row.user_message_id, row.reply_message_id) if row else ()):
            message: Message | None = tx.conversations.get_message(message_id)
            if message is not None and message.hidden_at is None:
                tx.conversations.put_message(replace(message, hidden_at=now))
        return sets

    for set_id in await desk.ebb.store.write(user_id, write):
        command = desk.command("undo", set_id, place, user_id, None, WindowMode.NORMAL)
        outcome = await desk.agent.run_command(command)
        if not outcome.ok:
            log.info("what was learned from an edited message has been changed since; it stays")


async def _learned_by_now(desk: HandlerContext, user_id: str, turn_id: str) -> None:
    """Wait for learning from the turn that runs this very moment: it could not be stopped, only undone."""
    leased: JobState = "leased"

    def read(tx: Transaction) -> bool:
        return any(
            j.state == leased and turn_id in j.payload.get("turn_ids", [])
            for j in tx.jobs.list_pending("monitor")
        )

    step, waited = timedelta(milliseconds=100).total_seconds(), 0.0
    while waited < _PATIENCE and await desk.ebb.store.read(user_id, read):
        await asyncio.sleep(step)
        waited += step
