"""What pressing a button does.

Buttons do not queue: a chat that is busy must not leave them spinning.
"""

from __future__ import annotations

import contextlib
import logging

from telegram import CallbackQuery, InlineKeyboardMarkup
from telegram.constants import ChatType
from telegram.error import TelegramError

from bot.chats.telegram import keyboards
from bot.chats.telegram.context import HandlerContext
from bot.chats.telegram.inbox import StoredUpdate
from bot.chats.telegram.notices import list_said_elsewhere
from bot.chats.telegram.outbox import ChatGone, Destination, MessageNotEditable
from bot.chats.telegram.render import render_plain
from bot.chats.telegram.texts import say
from memory.errors import StoreError
from memory.models import Lang

log = logging.getLogger(__name__)
Shown = tuple[str, InlineKeyboardMarkup | None]


async def handle_press(context: HandlerContext, kept: StoredUpdate) -> None:
    """Deal with a press; whatever goes wrong, the button stops spinning."""
    query, toast = kept.update.callback_query, ""
    if query is None:
        return
    try:
        lang = await context.detect_language(kept.user_id, query.from_user)
        toast = await _act(context, kept.user_id, query, lang)
    except StoreError as e:
        log.warning("a button waits for the next start: %s", e)
        kept.ids = []
    except Exception as e:  # noqa: BLE001 - said above
        context.log_error("a button failed", e)
        toast = say("en", "broken")
    try:
        await query.answer(toast[:200] or None)
    except TelegramError as e:
        log.debug("a button could not be answered: %s", type(e).__name__)  # it is too old, say
    await context.state.finish(kept.ids)


async def stop_reply(context: HandlerContext, chat_id: int, lang: Lang) -> str:
    """Stop what is being written in that chat, past its queue; return what to say to that."""
    running = context.running.get(chat_id)
    if running is None:
        return say(lang, "stop.nothing")
    running.stopping = True
    await context.agent.stop(running.turn_id)
    return ""


async def _act(context: HandlerContext, user_id: str, query: CallbackQuery, lang: Lang) -> str:
    """Do what the button says; return what to say beside it."""
    press, message = keyboards.parse_press(query.data), query.message
    if press is None or message is None:
        return say(lang, "gone")
    action, _ = press
    place = Destination(message.chat.id, private=message.chat.type == ChatType.PRIVATE)
    if action == "nothing":
        return ""
    await context.recall_sent(place.chat_id)
    if action == "stop":
        await _drop_stray(context, place, message.message_id)
        return await stop_reply(context, place.chat_id, lang)
    here = message.message_id if place.private else 0
    if not here:  # whatever a button shows is its presser's own
        place = Destination(query.from_user.id)
        if not await context.outbox.show_typing(place):
            return say(lang, "private.first", name=context.me.username)
    text, markup = await _find_answer(context, user_id, query, press, place, lang)
    await _replace(context, place, here, text, markup)
    return "" if here else say(lang, "private.answered")


async def _find_answer(
    context: HandlerContext,
    user_id: str,
    query: CallbackQuery,
    press: tuple[str, str],
    place: Destination,
    lang: Lang,
) -> Shown:
    """Return what the button shows instead of its message."""
    action, value = press
    markup: InlineKeyboardMarkup | None = None
    if action == "page" and (wanted := keyboards.parse_page(value)) is not None:
        command = await context.make_command("memories", "", place, user_id, lang)
        return await keyboards.list_page(context.ebb, command, *wanted, lang)
    if action == "view":
        found = await context.agent.get_memories(user_id, value.split(","))
        said = [keyboards.describe_memory(m, lang, context.ebb) for m in found]
        markup = _keep_undo(query)
    elif action == "elsewhere":
        said = await list_said_elsewhere(context, user_id, value, lang)
    elif action in {"choose", "undo"}:
        outcomes = [
            await context.run_command(action, one, place, user_id, lang) for one in value.split(",")
        ]
        said = list(dict.fromkeys(outcome.text for outcome in outcomes))
    else:
        said = []
    return "\n\n".join(said) or say(lang, "gone"), markup


async def _drop_stray(context: HandlerContext, place: Destination, message_id: int) -> None:
    """Remove a half-written message never heard of, or the button of one that nobody writes."""
    if context.outbox.is_stray(place.chat_id, message_id):
        await context.outbox.remove(place, message_id)
    elif place.chat_id not in context.running:
        await context.outbox.strip(place, message_id)


def _keep_undo(query: CallbackQuery) -> InlineKeyboardMarkup | None:
    """Return the message's keyboard with its Undo button alone."""
    markup = getattr(query.message, "reply_markup", None)
    buttons = [
        b
        for row in (markup.inline_keyboard if markup else ())
        for b in row
        if str(b.callback_data or "").startswith("u:")
    ]
    return InlineKeyboardMarkup([buttons]) if buttons else None


async def _replace(
    context: HandlerContext,
    place: Destination,
    message_id: int,
    text: str,
    markup: InlineKeyboardMarkup | None,
) -> None:
    """Show it where the button was (0: in a new message); what does not fit there follows."""
    pieces = render_plain(text)
    try:
        for piece in pieces:
            buttons = markup if piece is pieces[-1] else None
            if piece is pieces[0] and message_id:
                with contextlib.suppress(MessageNotEditable):
                    await context.outbox.edit(place, message_id, piece, buttons)
                    continue
            await context.outbox.send(place, piece, buttons)
    except ChatGone:
        log.info("a chat is gone")
