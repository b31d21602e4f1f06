"""Inline keyboards, and the lists of memories that they page through.

`callback_data` holds at most 64 bytes: the first letter of an action, a colon and a short value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.bootstrap import Ebb
from bot.chats.telegram.texts import say
from bot.commands.memories import format_memory, listed
from bot.commands.questions import list_proposals
from bot.events import Choice, Command
from bot.texts import kind_name
from memory.models import Lang, Memory, mark_quote
from memory.text.output import clean_output

PAGE = 8  # memories
_LABEL = 60  # characters of a button's label
_DATA = 64  # bytes
_ACTIONS = {
    name[0]: name for name in ("stop", "choose", "page", "view", "undo", "elsewhere", "nothing")
}
_KEY_BYTES = 40  # of what was searched for: it travels in the buttons
_SEARCHES = 100  # longer ones that this run knows by a key; a restart forgets them
_searches: dict[str, str] = {}


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


def make_rows(*rows: Sequence[tuple[str, ...]]) -> InlineKeyboardMarkup | None:
    """Make a keyboard of rows of buttons (label, action, value); None without a row."""
    if not rows:
        return None
    return InlineKeyboardMarkup([[make_button(*button) for button in row] for row in rows])


def make_stop_row(lang: Lang) -> InlineKeyboardMarkup | None:
    """Make the button under a reply that is being written."""
    return make_rows([(say(lang, "stop.button"), "stop")])


def make_choice_rows(offered: Sequence[Choice]) -> InlineKeyboardMarkup | None:
    """Make a row for each choice."""
    return make_rows(*([(c.label, "choose", c.key)] for c in offered))


def make_notice_row(
    memory_ids: Iterable[str], set_ids: Iterable[str], lang: Lang
) -> InlineKeyboardMarkup | None:
    """Make the buttons under what was remembered: as many ids as fit into each."""
    view = (say(lang, "notice.view"), "view", _join_fitting(memory_ids))
    return make_rows([view, (say(lang, "notice.undo"), "undo", _join_fitting(set_ids))])


def _join_fitting(ids: Iterable[str]) -> str:
    out = ""
    for one in ids:
        joined = f"{out},{one}" if out else one
        if len(joined.encode()) > _DATA - 2:
            break
        out = joined
    return out


# --- memories ---


def _make_search_key(search: str) -> str:
    """Return what a button carries for a search."""
    if len(search.encode()) <= _KEY_BYTES and not search.startswith("#"):
        return search
    key = f"#{sha256(search.encode()).hexdigest()[:16]}"
    _searches[key] = search
    if len(_searches) > _SEARCHES:
        del _searches[next(iter(_searches))]
    return key


def parse_page(value: str) -> tuple[str, int] | None:
    """Read a page button's value: what is searched for and which page, from 0."""
    key, _, number = value.rpartition(":")
    search = _searches.get(key) if key.startswith("#") else key
    return None if search is None else (search, int(number) if number.isdigit() else 0)


async def list_page(
    ebb: Ebb, c: Command, search: str, page: int, lang: Lang
) -> tuple[str, InlineKeyboardMarkup | None]:
    """Return a page of what is remembered, the strongest first, and its buttons."""
    outcome = await listed(
        ebb.service, replace(c, args=f"{search} page {page + 1}"), lang, size=PAGE
    )
    page, pages = outcome.offset // PAGE, -(-outcome.total // PAGE)
    text = outcome.text
    if not search and page == 0:
        text = "\n".join([text, *await list_proposals(ebb.service, c.user_id, lang)])
    if pages <= 1:
        return text, None
    key, dot = _make_search_key(search), ("·", "nothing")
    back = ("◀", "page", f"{key}:{page - 1}") if page else dot
    ahead = ("▶", "page", f"{key}:{page + 1}") if page + 1 < pages else dot
    label = say(lang, "page", page=page + 1, pages=pages)
    return text, make_rows([back, (label, "nothing"), ahead])


def describe_memory(m: Memory, lang: Lang, ebb: Ebb) -> str:
    """Say of one memory what it says, what it was, how sure and since when."""
    rows: Mapping[str, str] = {
        "original": mark_quote(m, m.original_content) if m.original_content != m.content else "",
        "kind": kind_name(m.kind, lang),
        "since": m.created_at.astimezone(ZoneInfo(ebb.tz)).strftime("%Y-%m-%d %H:%M"),
        "sure": f"{m.confidence:.0%}{' ✔' if m.verified else ''}",
    }
    lines = [f"- {say(lang, f'memory.{key}', text=text)}" for key, text in rows.items() if text]
    return "\n".join([format_memory(m, lang, ebb.clock()), *lines])
