"""Inline keyboards. `callback_data` holds at most 64 bytes: a letter, a colon and a short key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.chats.telegram.texts import say
from bot.events import Choice
from memory.models import Lang
from memory.text.output import clean_output

LABEL = 60  # characters of a button's label
_DATA = 64


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """What a button means. action: stop, choose, page, view, undo, elsewhere or nothing."""

    action: str
    value: str = ""


_CODES = {
    "stop": "s",
    "choose": "c",
    "page": "p",
    "view": "v",
    "undo": "u",
    "elsewhere": "e",
    "nothing": "n",
}
_ACTIONS = {code: action for action, code in _CODES.items()}


def parse_press(data: str | None) -> ButtonPress | None:
    """Read a button's data."""
    code, _, value = (data or "").partition(":")
    return ButtonPress(_ACTIONS[code], value) if code in _ACTIONS else None


def make_button(label: str, action: str, value: str = "") -> InlineKeyboardButton:
    """One button."""
    short = " ".join(clean_output(label).split()) or "…"
    short = short if len(short) <= LABEL else short[: LABEL - 1] + "…"
    data = f"{_CODES[action]}:{value}"
    return InlineKeyboardButton(
        short, callback_data=data.encode()[:_DATA].decode("utf-8", "ignore")
    )


def stop(lang: Lang) -> InlineKeyboardMarkup:
    """Under a reply that is being written."""
    return InlineKeyboardMarkup([[make_button(say(lang, "stop.button"), "stop")]])


def make_choice_rows(offered: Sequence[Choice]) -> InlineKeyboardMarkup | None:
    """One row each."""
    return (
        InlineKeyboardMarkup([[make_button(c.label, "choose", c.key)] for c in offered])
        if offered
        else None
    )


def make_page_row(page: int, count: int, key: str, lang: Lang) -> InlineKeyboardMarkup | None:
    """Back and forth in a list; `key` says which."""
    if count <= 1:
        return None
    label = say(lang, "page", page=page + 1, pages=count)
    back = make_button("◀", "page", f"{key}:{page - 1}") if page else make_button("·", "nothing")
    on = (
        make_button("▶", "page", f"{key}:{page + 1}")
        if page + 1 < count
        else make_button("·", "nothing")
    )
    return InlineKeyboardMarkup([[back, make_button(label, "nothing"), on]])


def make_notice_row(
    memory_ids: Iterable[str], set_ids: Iterable[str], lang: Lang
) -> InlineKeyboardMarkup:
    """Under what was remembered: as many ids as fit into a button."""
    return InlineKeyboardMarkup(
        [
            [
                make_button(say(lang, "notice.view"), "view", _fitting(memory_ids)),
                make_button(say(lang, "notice.undo"), "undo", _fitting(set_ids)),
            ]
        ]
    )


def make_elsewhere_row(key: str, lang: Lang) -> InlineKeyboardMarkup:
    """Under the divider."""
    return InlineKeyboardMarkup([[make_button(say(lang, "elsewhere.show"), "elsewhere", key)]])


def _fitting(ids: Iterable[str]) -> str:
    out = ""
    for one in ids:
        joined = f"{out},{one}" if out else one
        if len(joined.encode()) > _DATA - 2:
            break
        out = joined
    return out
