"""Inline keyboards, what pressing a button does, and what buttons show.

`callback_data` holds at most 64 bytes: the first letter of an action, a colon and a short value.
Presses do not queue: a chat that is busy must not leave them spinning.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from telegram import CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup, Message
from telegram.error import TelegramError

from bot.bootstrap import Ebb
from bot.chats.telegram.context import HandlerContext
from bot.chats.telegram.inbox import StoredUpdate
from bot.chats.telegram.incoming import get_destination
from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.texts import say
from bot.commands.memories import format_memory, list_memories
from bot.commands.questions import list_proposals
from bot.events import Choice, Command, Turn
from bot.texts import kind_name
from memory.api import clean_output
from memory.errors import StoreError
from memory.models import Lang, Memory, mark_quote

log = logging.getLogger(__name__)
Shown = tuple[str, InlineKeyboardMarkup | None]
Answer = Callable[[HandlerContext, Destination, Turn, Lang], Awaitable[None]]

PAGE = 8  # memories
_LABEL = 60  # characters of a button's label
_DATA = 64  # bytes
_ACTIONS = {
    name[0]: name for name in ("stop", "choose", "page", "view", "undo", "elsewhere", "nothing")
}
_LOOKED_AT = 60  # messages


# --- keyboards ---


def parse_press(data: str | None) -> tuple[str, str] | None:
    """Read a button's data: its action and its value."""
    code, _, value = (data or "").partition(":")
    return (_ACTIONS[code], value) if code in _ACTIONS else None


def make_button(label: str, action: str, value: str = "") -> InlineKeyboardButton:
    """Make a button whose label and data fit."""
    short = " ".join(clean_output(label).split()) or "…"
    short = short if len(short) <= _LABEL else short[: _LABEL - 1] + "…"
    data = f"{action[0]}:{value}".encode()[:_DATA].decode("utf-8", "ignore")
    return InlineKeyboardButton(short, callback_data=data)


def make_stop_row(lang: Lang) -> InlineKeyboardMarkup:
    """Make the button under a reply that is being written."""
    return InlineKeyboardMarkup([[make_button(say(lang, "stop.button"), "stop")]])


def make_choice_rows(offered: Sequence[Choice]) -> InlineKeyboardMarkup | None:
    """Make a row for each choice."""
    rows = [[make_button(c.label, "choose", c.key)] for c in offered]
    return InlineKeyboardMarkup(rows) if rows else None


def make_notice_row(
    memory_ids: Iterable[str], set_ids: Iterable[str], lang: Lang
) -> InlineKeyboardMarkup:
    """Make the buttons under what was remembered: as many ids as fit into each."""
    row = []
    for action, ids in (("view", memory_ids), ("undo", set_ids)):
        value = ",".join(ids)
        if len(value) > _DATA - 2:
            value = value[: _DATA - 1].rpartition(",")[0]
        row.append(make_button(say(lang, f"notice.{action}"), action, value))
    return InlineKeyboardMarkup([row])


# --- presses ---


async def stop_reply(context: HandlerContext, chat_id: int, lang: Lang) -> str:
    """Stop what is being written in that chat, past its queue; return what to say to that."""
    running = context.running.get(chat_id)
    if running is None:
        return say(lang, "stop.nothing")
    running.stopping = True
    await context.agent.stop(running.turn_id)
    return ""


async def handle_press(context: HandlerContext, kept: StoredUpdate, answer: Answer) -> None:
    """Deal with a press; whatever goes wrong, the button stops spinning.

    `answer` answers the turn that a press may begin.
    """
    query, toast, done = kept.update.callback_query, "", [kept.id]
    if query is None:
        return
    begun: list[Turn] = []
    lang: Lang = "en"
    try:
        lang = await context.detect_language(kept.user_id, query.from_user)
        toast = await _act(context, kept.user_id, query, lang, begun)
    except StoreError as e:
        log.warning("a button waits for the next start: %s", e)
        done = []
    except Exception as e:  # noqa: BLE001 - said above
        context.log_error("a button failed", e)
        toast = say("en", "broken")
    with contextlib.suppress(TelegramError):  # it is too old, say
        await query.answer(toast[:200] or None)
    await context.state.finish(done)
    for turn in begun:
        with contextlib.suppress(TelegramError):  # the offer has been taken
            await query.edit_message_reply_markup()
        await answer(context, Destination(query.from_user.id), turn, lang)


async def _act(
    context: HandlerContext, user_id: str, query: CallbackQuery, lang: Lang, begun: list[Turn]
) -> str:
    """Do what the button says; return what to say beside it. `begun` takes a turn that it began."""
    press, message = parse_press(query.data), query.message
    if press is None or not isinstance(message, Message):
        return say(lang, "gone")
    (action, value), place = press, get_destination(message)
    if action == "nothing":
        return ""
    if action == "stop":
        if place.chat_id not in context.running:  # nobody writes that message any more
            with contextlib.suppress(TelegramError):
                await query.edit_message_reply_markup()
        return await stop_reply(context, place.chat_id, lang)
    shown = [message.message_id]
    if not place.private:  # whatever a button shows is its presser's own
        place, shown = Destination(query.from_user.id), []
        if not await context.outbox.show_typing(place):
            return say(lang, "private.first", name=context.me.username)
    text, markup = "", None
    if action == "page":
        command = await context.make_command("memories", "", place, user_id, lang)
        search, _, page = value.rpartition(":")
        text, markup = await list_page(context.ebb, command, search, int(page))
    elif action == "view":
        found = await context.agent.get_memories(user_id, value.split(","))
        text = "\n\n".join(_describe_memory(m, lang, context.ebb) for m in found)
        rows = message.reply_markup.inline_keyboard if message.reply_markup else ()
        markup = InlineKeyboardMarkup([row[1:] for row in rows])  # Undo stays
    elif action == "elsewhere":
        text = await _list_said_elsewhere(context, user_id, value, lang)
    else:
        said: dict[str, None] = {}
        for one in value.split(","):
            outcome = await context.run_command(action, one, place, user_id, lang)
            if outcome.turn is not None:
                key = f"{context.prefix}{place.chat_id}-{message.message_id}-{one}"
                begun.append(replace(outcome.turn, id=key))
                return ""
            said[outcome.text] = None
        text = "\n\n".join(said)
    await context.show(place, text or say(lang, "gone"), markup, shown=shown)
    return "" if shown else say(lang, "private.answered")


# --- memories ---


async def list_page(ebb: Ebb, c: Command, search: str, page: int) -> Shown:
    """Return a page of what is remembered, the strongest first, and its buttons."""
    lang: Lang = c.lang or "en"
    wanted = replace(c, args=f"{search} page {page + 1}")
    outcome = await list_memories(ebb.memory, wanted, lang, size=PAGE)
    page, pages = outcome.offset // PAGE, -(-outcome.total // PAGE)
    text = outcome.text
    if not search and page == 0:
        text = "\n".join([text, *await list_proposals(ebb.memory, c.user_id, lang)])
    if pages <= 1 or len(search.encode()) > _DATA - 8:  # then pages are asked for in words
        return text, None
    dot = make_button("·", "nothing")
    back = make_button("◀", "page", f"{search}:{page - 1}") if page else dot
    ahead = make_button("▶", "page", f"{search}:{page + 1}") if page + 1 < pages else dot
    here = make_button(say(lang, "page", page=page + 1, pages=pages), "nothing")
    return text, InlineKeyboardMarkup([[back, here, ahead]])


def _describe_memory(m: Memory, lang: Lang, ebb: Ebb) -> str:
    """Say of one memory what it says, what it was, how sure and since when."""
    rows: Mapping[str, str] = {
        "original": mark_quote(m, m.original_content) if m.original_content != m.shown_text else "",
        "kind": kind_name(m.kind, lang),
        "since": m.created_at.astimezone(ZoneInfo(ebb.tz)).strftime("%Y-%m-%d %H:%M"),
        "sure": f"{m.confidence:.0%}{' ✔' if m.verified else ''}",
    }
    lines = [f"- {say(lang, f'memory.{key}', text=text)}" for key, text in rows.items() if text]
    return "\n".join([format_memory(m, lang, ebb.clock(), ebb.tz), *lines])


# --- what was said in the person's other windows ---


async def send_divider(
    context: HandlerContext, place: Destination, user_id: str, lang: Lang
) -> None:
    """If the conversation went on elsewhere, say so before it goes on here."""
    history = await context.agent.list_history(user_id, f"user:{user_id}", limit=_LOOKED_AT)
    here = [m.seq for m in history if (m.turn_id or "").startswith(context.prefix)]
    n = sum(bool(here) and m.seq > here[-1] and m.role == "user" for m in history)
    if n:
        value = f"{here[-1]}-{history[-1].seq}"
        button = make_button(say(lang, "elsewhere.show"), "elsewhere", value)
        where = replace(place, key="", silent=True, reply_to=None)
        markup = InlineKeyboardMarkup([[button]])
        await context.show(where, say(lang, "elsewhere", n=n), markup)


async def _list_said_elsewhere(context: HandlerContext, user_id: str, key: str, lang: Lang) -> str:
    """List what the divider's button stands for, without what was forgotten since."""
    first, last = map(int, key.split("-"))
    history = await context.agent.list_history(
        user_id, f"user:{user_id}", after=first, limit=_LOOKED_AT
    )
    names = {"user": say(lang, "said.you"), "assistant": "Ebb"}
    return "\n\n".join(
        f"{names[m.role]}: {m.text}"
        for m in history
        if m.seq <= last and m.text and not (m.turn_id or "").startswith(context.prefix)
    )
