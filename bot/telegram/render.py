"""Markdown to what Telegram shows: plain text with entities, in messages of at most 4,096 UTF-16 units.

Entities are offsets, so no text can break them, and nothing needs escaping. Cuts fall between paragraphs, lines,
sentences or words, in this order; a code block moves to the next message whole if it fits there, and is cut
between its lines if it does not. What is marked on both sides of a cut stays marked on both.
"""

from __future__ import annotations

import functools
import logging
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from telegramify_markdown import RenderConfig, convert

if TYPE_CHECKING:
    import telegram

log = logging.getLogger(__name__)

LIMIT = 4096  # UTF-16 code units of one message
MOST_MARKS = 100  # what Telegram keeps of a message's entities
_KEPT = frozenset(
    {"bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "text_link", "blockquote"}
)
_LINK = re.compile(r"(?:https?|tg|tonsite)://[^\s/]|mailto:[^\s@]+@", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？；…][”’」』）】]*")


@dataclass(frozen=True, slots=True)
class Mark:
    """An entity; `offset` and `length` in UTF-16 units."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """One message."""

    text: str
    marks: tuple[Mark, ...] = ()

    def entities(self) -> list[telegram.MessageEntity]:
        """As python-telegram-bot sends them."""
        from telegram import MessageEntity

        return [
            MessageEntity(m.type, m.offset, m.length, url=m.url, language=m.language) for m in self.marks[:MOST_MARKS]
        ]

    def bare(self) -> Piece:
        """Without formatting."""
        return Piece(self.text)


def units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean(text: str) -> str:
    """Without what no request can carry: lone surrogates and NUL."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "")


def render(markdown: str, limit: int = LIMIT) -> list[Piece]:
    """The messages that show it. Never raises: what cannot be formatted is shown as it was written."""
    source = clean(markdown)
    try:
        text, found = convert(source, config=_config())
    except Exception as e:  # noqa: BLE001 - the boundary to the Markdown parser: formatting never fails a reply
        log.warning("formatting failed (%s); showing plain text", type(e).__name__)
        return plain(source, limit)
    marks = [
        Mark(e.type, e.offset, e.length, e.url, e.language)
        for e in found
        if e.type in _KEPT and e.length > 0 and (e.type != "text_link" or _LINK.match(e.url or ""))
    ]
    return split(text, marks, limit) or plain(source, limit)


def plain(text: str, limit: int = LIMIT) -> list[Piece]:
    """The messages that show a text as it is."""
    return split(clean(text), [], limit)


def split(text: str, marks: Sequence[Mark], limit: int = LIMIT) -> list[Piece]:
    """Cut into messages; white space around each is dropped, as Telegram itself does. Blank ones are left out."""
    table = _offsets(text)
    blocks = [
        (bisect_right(table, m.offset) - 1, bisect_right(table, m.offset + m.length - 1))
        for m in marks
        if m.type == "pre"
    ]
    out, start = [], 0
    while start < len(text):
        end = bisect_right(table, table[start] + limit) - 1
        cut = len(text) if end >= len(text) else _cut(text, start, max(end, start + 1), blocks, table, limit)
        piece = _piece(text, marks, table, start, cut)
        if piece is not None:
            out.append(piece)
        start = cut
    return out


@functools.cache
def _config() -> RenderConfig:
    config = RenderConfig.isolated()
    symbol = config.markdown_symbol
    symbol.heading_level_1 = symbol.heading_level_2 = symbol.heading_level_3 = symbol.heading_level_4 = ""
    symbol.unordered_list_item = "•"
    symbol.task_uncompleted = "☐"
    return config


def _offsets(text: str) -> list[int]:
    table, at = [0], 0
    for ch in text:
        at += 2 if ord(ch) > 0xFFFF else 1
        table.append(at)
    return table


def _cut(text: str, start: int, end: int, blocks: Sequence[tuple[int, int]], table: Sequence[int], limit: int) -> int:
    """Where to cut text[start:end] (all that fits), as an index greater than `start`."""
    low = start + (end - start) // 2
    for first, last in blocks:
        if first < end < last:
            fits = table[last] - table[first] <= limit
            if first > start and (fits or first - start > (end - start) // 4):
                return first
            return _line_of_code(text, max(first, low), end) or _anywhere(text, start, end)
    inside = [(first, last) for first, last in blocks if last > low]
    for found in (_paragraph(text, low, end, inside), text.rfind("\n", low, end) + 1):
        if found > start:
            return found
    sentences = [m.end() for m in _SENTENCE.finditer(text, low, end)]
    if sentences:
        return sentences[-1]
    space = max(text.rfind(" ", low, end), text.rfind("\u3000", low, end)) + 1
    return space if space > start else _anywhere(text, start, end)


def _paragraph(text: str, low: int, end: int, blocks: Sequence[tuple[int, int]]) -> int:
    """Index behind the last blank line that is not inside a code block; 0 if there is none."""
    at = text.rfind("\n\n", low, end)
    while at >= 0:
        if not any(first <= at < last for first, last in blocks):
            return at + 2
        at = text.rfind("\n\n", low, at)
    return 0


def _line_of_code(text: str, low: int, end: int) -> int:
    """Behind a line end of a code block, best where the next line is not indented: its indent would be lost."""
    fallback, at = 0, text.rfind("\n", low, end)
    while at >= 0:
        if at + 1 < len(text) and not text[at + 1].isspace():
            return at + 1
        fallback = fallback or at + 1
        at = text.rfind("\n", low, at)
    return fallback


def _anywhere(text: str, start: int, end: int) -> int:
    """As far as possible, but not inside what a reader sees as one character."""
    at = end
    while at > start + 1 and end - at < 64 and _joined(text, at):
        at -= 1
    return end if _joined(text, at) else at


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and at `at` belong together."""
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if before == "\u200d" or after in "\u200d\ufe0e\ufe0f\u20e3" or (before == "\r" and after == "\n"):
        return True
    if unicodedata.combining(after) or unicodedata.category(after) in {"Mn", "Me", "Mc"}:
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if _flag(before) and _flag(after):
        run = 0
        while at - 1 - run >= 0 and _flag(text[at - 1 - run]):
            run += 1
        return run % 2 == 1
    return False


def _flag(ch: str) -> bool:
    return "\U0001f1e6" <= ch <= "\U0001f1ff"


def _piece(text: str, marks: Sequence[Mark], table: Sequence[int], start: int, end: int) -> Piece | None:
    """text[start:end] without the white space around it, and the marks clipped to it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return None
    low, high = table[start], table[end]
    clipped = []
    for m in marks:
        first, last = max(m.offset, low), min(m.offset + m.length, high)
        if first < last:
            clipped.append(replace(m, offset=first - low, length=last - first))
    return Piece(text[start:end], tuple(clipped))
