"""What pressing a button does.

Buttons do not queue: a chat that is busy must not leave them spinning.
"""

from __future__ import annotations

import logging

from telegram import CallbackQuery, InlineKeyboardMarkup
from telegram.constants import ChatType
from telegram.error import TelegramError

from bot.chats.telegram import keyboards, lists
from bot.chats.telegram.desk import HandlerContext, oops
from bot.chats.telegram.handlers import MessageHandlers
from bot.chats.telegram.incoming import StoredUpdate
from bot.chats.telegram.outbox import ChatGone, Destination, MessageNotEditable
from bot.chats.telegram.render import MessagePart, render_plain
from bot.chats.telegram.texts import say
from bot.chats.telegram.windows import list_said_elsewhere
from memory.errors import StoreError
from memory.models import Lang

log = logging.getLogger(__name__)


class ButtonHandlers:
    """Deals with callback queries."""

    def __init__(self, desk: HandlerContext, handlers: MessageHandlers) -> None:
        self._desk = desk
        self._handlers = handlers

    async def press(self, kept: StoredUpdate) -> None:
        """Deal with one; the boundary: whatever goes wrong, the button stops spinning."""
        query = kept.update.callback_query
        if query is None:
            return
        try:
            lang = await self._desk.language(kept.user_id, query.from_user)
            toast = await self._act(kept, query, lang)
            await self._answer(query, toast)
            await self._desk.end("", kept.ids, stored=kept.stored)
        except StoreError as e:
            log.warning("a button waits for the next start: %s", e)
            await self._answer(query, "")
        except Exception as e:  # noqa: BLE001 - said above
            oops("a button failed", e, log_text=self._desk.ebb.settings.log_text)
            await self._answer(query, say("en", "broken"))
            await self._desk.end("", kept.ids, stored=kept.stored)

    async def _answer(self, query: CallbackQuery, text: str) -> None:
        try:
            await self._desk.bot.answer_callback_query(query.id, text=text[:200] or None)
        except TelegramError as e:
            log.debug("a button could not be answered: %s", type(e).__name__)  # it is too old, say

    async def _act(self, kept: StoredUpdate, query: CallbackQuery, lang: Lang) -> str:
        press, message = keyboards.parse_press(query.data), query.message
        if press is None or message is None:
            return say(lang, "gone")
        place, shown = (
            Destination(message.chat.id, private=message.chat.type == ChatType.PRIVATE),
            message.message_id,
        )
        if press.action == "stop":
            await self._drop_stray(place, shown)
            return await self._handlers.stop(kept, lang=lang)
        if press.action == "nothing":
            return ""
        if not place.private:  # whatever a button shows is its presser's own
            place, shown = Destination(query.from_user.id), 0
            if not await self._desk.outbox.can_reach(place):
                return say(lang, "private.first", name=self._desk.me.username)
        if press.action == "page":
            key, _, number = press.value.rpartition(":")
            search = self._desk.searches.search(key)
            if search is None:
                return say(lang, "gone")
            page = int(number) if number.isdigit() else 0
            text, markup = await lists.list_page(
                self._desk.ebb, self._desk.searches, kept.user_id, search, page, lang
            )
            await self._replace(place, shown, text, markup)
        elif press.action == "view":
            found = await self._desk.agent.get_memories(kept.user_id, press.value.split(","))
            text = "\n\n".join(
                lists.describe_memory(m, lang, self._desk.ebb) for m in found
            ) or say(lang, "gone")
            await self._replace(place, shown, text, self._only_undo(kept))
        elif press.action == "elsewhere":
            text = await list_said_elsewhere(self._desk, kept.user_id, press.value, lang)
            await self._replace(place, shown, text, None)
        elif press.action in {"choose", "undo"}:
            await self._command(kept, place, shown, press, lang)
        return "" if shown else say(lang, "private.answered")

    async def _drop_stray(self, place: Destination, message_id: int) -> None:
        """Remove a half-written message that we never heard of, or the button of one that nobody writes any more."""
        await self._desk.recall_sent(place.chat_id)
        outbox = self._desk.outbox
        try:
            if outbox.is_stray(place.chat_id, message_id):
                await outbox.remove(place, message_id)
            elif place.chat_id not in self._desk.running:
                await outbox.strip(place, message_id)
        except ChatGone:
            log.info("a chat is gone")

    async def _command(
        self,
        kept: StoredUpdate,
        place: Destination,
        message_id: int,
        press: keyboards.ButtonPress,
        lang: Lang,
    ) -> None:
        mode = await self._desk.mode(place.chat_id)
        said = []
        for value in press.value.split(","):
            command = self._desk.command(press.action, value, place, kept.user_id, lang, mode)
            said.append((await self._desk.agent.run_command(command)).text)
        await self._replace(place, message_id, "\n\n".join(dict.fromkeys(said)), None)

    def _only_undo(self, kept: StoredUpdate) -> InlineKeyboardMarkup | None:
        """The notice's other button stays."""
        query = kept.update.callback_query
        markup = getattr(query.message if query else None, "reply_markup", None)
        rows = markup.inline_keyboard if markup is not None else ()
        kept_buttons = [
            b for row in rows for b in row if str(b.callback_data or "").startswith("u:")
        ]
        return InlineKeyboardMarkup([kept_buttons]) if kept_buttons else None

    async def _replace(
        self, place: Destination, message_id: int, text: str, markup: InlineKeyboardMarkup | None
    ) -> None:
        """Show it where the button was (0: in a new message); what does not fit there follows."""
        pieces = render_plain(text)
        await self._desk.recall_sent(place.chat_id)
        try:
            for piece in pieces:
                buttons = markup if piece is pieces[-1] else None
                if piece is not pieces[0] or not await self._edit(
                    place, message_id, piece, buttons
                ):
                    await self._desk.outbox.send(place, piece, buttons)
        except ChatGone:
            log.info("a chat is gone")

    async def _edit(
        self,
        place: Destination,
        message_id: int,
        piece: MessagePart,
        markup: InlineKeyboardMarkup | None,
    ) -> bool:
        try:
            if message_id:
                await self._desk.outbox.edit(place, message_id, piece, markup)
        except MessageNotEditable:
            return False
        return bool(message_id)
