"""Text to what Telegram shows: plain text with entities, in messages of at most 4,096 UTF-16 units.

Entities are offsets, so no text can break them, and nothing needs escaping. Only a model's reply is
read as Markdown; whatever else is sent stands as it was written. Cuts fall between paragraphs,
lines, sentences or words, in this order; a code block moves to the next message whole if it fits
there, and is cut between its lines if it does not. What is marked on both sides of a cut stays
marked on both.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from markdown_it.tree import SyntaxTreeNode

from bot.markdown import build_markdown_parser, count_columns, pad_to_columns
from memory.text.output import clean_output

if TYPE_CHECKING:
    import telegram

log = logging.getLogger(__name__)

LIMIT = 4096  # UTF-16 code units of one message
MOST_MARKS = 100  # what Telegram keeps of a message's entities
_MARKS = re.compile(r"[*_`~<>|#\[\\]")  # signs by which Markdown could change a quote
_STAND_INS = [chr(0xFDD0 + i) for i in range(32)]  # characters that stand for nothing
_INLINE = {"em": "italic", "strong": "bold", "s": "strikethrough"}
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？；…][”’」』）】]*")


@dataclass(frozen=True, slots=True)
class TextEntity:
    """An entity; `offset` and `length` in UTF-16 units."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class MessagePart:
    """One message."""

    text: str
    marks: tuple[TextEntity, ...] = ()

    def entities(self) -> list[telegram.MessageEntity]:
        """As python-telegram-bot sends them."""
        from telegram import MessageEntity

        return [
            MessageEntity(m.type, m.offset, m.length, url=m.url, language=m.language)
            for m in self.marks
        ]

    def bare(self) -> MessagePart:
        """Without formatting."""
        return MessagePart(self.text)


def count_utf16_units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def render(
    markdown: str,
    limit: int = LIMIT,
    *,
    before: str = "",
    after: str = "",
    typed: Sequence[str] = (),
) -> list[MessagePart]:
    """Lay a model's reply out in messages, with literal words around it; `typed` is literal
    wherever it is quoted.

    Never raises: at worst all is literal.
    """
    source = folded = clean_output(markdown)
    quotes = {
        q
        for t in typed
        if _MARKS.search(q := clean_output(t).strip()) and _letters(q) and q in source
    }
    page = _RenderedText(dict(zip(_STAND_INS, sorted(quotes, key=len, reverse=True), strict=False)))
    for sign, quote in page.quotes.items():
        folded = folded.replace(quote, sign)
    page.add(clean_output(before))
    try:
        page.add_blocks(SyntaxTreeNode(build_markdown_parser().parse(folded)).children)
        if page.letters() < _letters(before + source):
            return render_plain(f"{before}{markdown}{after}", limit)
    except Exception as e:  # noqa: BLE001 - the boundary to the Markdown parser: formatting never fails a reply
        log.warning("formatting failed (%s); showing plain text", type(e).__name__)
        return render_plain(f"{before}{markdown}{after}", limit)
    page.add(clean_output(after))
    return split(
        "".join(page.parts), sorted(page.marks, key=lambda m: (m.offset, -m.length)), limit
    )


def render_plain(text: str, limit: int = LIMIT) -> list[MessagePart]:
    """The messages that show a text as it is."""
    return split(clean_output(text), [], limit)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


@dataclass
class _RenderedText:
    """Text and marks of a Markdown tree, as it is walked."""

    quotes: Mapping[str, str]  # by the sign that stands in for each
    parts: list[str] = field(default_factory=list)
    marks: list[TextEntity] = field(default_factory=list)
    at: int = 0
    quoted: bool = False

    def add(self, text: str) -> None:
        """Add literal text."""
        text = self._unfold(text)
        self.parts.append(text)
        self.at += count_utf16_units(text)

    def _unfold(self, text: str) -> str:
        for sign, quote in self.quotes.items():
            text = text.replace(sign, quote)
        return text

    def letters(self) -> int:
        """Count the letters and digits shown or kept in marks."""
        return _letters(
            "".join([*self.parts, *(f"{m.url or ''}{m.language or ''}" for m in self.marks)])
        )

    def mark(
        self, kind: str, start: int, *, url: str | None = None, language: str | None = None
    ) -> None:
        """Mark what was added since `start`."""
        if self.at > start:
            self.marks.append(
                TextEntity(kind, start, self.at - start, url and self._unfold(url), language)
            )

    def add_blocks(
        self, nodes: Sequence[SyntaxTreeNode], indent: str = "", gap: str = "\n\n"
    ) -> None:
        """Add paragraphs, lists, code and so on, `gap` between them."""
        for i, node in enumerate(nodes):
            if i:
                self.add(("\n" if node.type.endswith("_list") and indent else gap) + indent)
            self._add_block(node, indent)

    def _add_block(self, node: SyntaxTreeNode, indent: str) -> None:
        start = self.at
        if node.type in ("paragraph", "inline"):
            self._add_inline(node, indent)
        elif node.type == "heading":
            if node.children and node.children[0].content:
                self._add_inline(node, indent)
                self.mark("bold", start)
            else:
                self.add(node.markup)
        elif node.type in ("fence", "code_block"):
            about = node.info.split() if node.type == "fence" else []
            if about and (
                len(about) > 1 or not node.content.strip()
            ):  # no entity can hold these words
                self.add(f"{node.info.strip()}\n")
                start = self.at
            self.add(node.content.removesuffix("\n"))
            self.mark("pre", start, language=about[0] if len(about) == 1 else None)
        elif node.type == "blockquote":
            outer, self.quoted = self.quoted, True
            self.add_blocks(node.children, indent)
            self.quoted = outer
            if not outer:  # Telegram nests none
                self.mark("blockquote", start)
        elif node.type in ("bullet_list", "ordered_list"):
            self._add_items(node, indent)
        elif node.type == "table":
            self._add_table(node)
        elif node.type == "hr":
            self.add("———")
        else:
            self.add(node.content)

    def _add_items(self, node: SyntaxTreeNode, indent: str) -> None:
        for i, item in enumerate(node.children):
            sign = f"{item.info}{item.markup} " if node.type == "ordered_list" else "• "
            self.add((f"\n{indent}" if i else "") + sign)
            self.add_blocks(item.children, indent + "  ", "\n")

    def _add_table(self, node: SyntaxTreeNode) -> None:
        """Aligned in a fixed width: Telegram has no tables, and no marks inside fixed width."""
        cells = [
            [_RenderedText(self.quotes).read(cell) for cell in row.children]
            for part in node.children
            for row in part.children
        ]
        widths = [max(count_columns(row[c]) for row in cells) for c in range(len(cells[0]))]
        rows = [
            " | ".join(pad_to_columns(x, w) for x, w in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        start = self.at
        self.add("\n".join([rows[0], "-+-".join("-" * w for w in widths), *rows[1:]]))
        self.mark("pre", start)

    def read(self, node: SyntaxTreeNode) -> str:
        """Text of an inline node without its marks."""
        self._add_inline(node, "")
        return "".join(self.parts)

    def _add_inline(self, node: SyntaxTreeNode, indent: str) -> None:
        start = self.at
        if node.type == "text":
            self.add(node.content)
        elif node.type == "code_inline":
            self.add(node.content)
            self.mark("code", start)
        elif node.type in ("softbreak", "hardbreak"):
            self.add(f"\n{indent}")
        elif node.type == "image":
            self.add(node.content or str(node.attrs["src"]))
            self.mark("text_link", start, url=str(node.attrs["src"]))
        else:
            for child in node.children:
                self._add_inline(child, indent)
            if node.type == "link":
                if self.at == start:
                    self.add(str(node.attrs["href"]))
                self.mark("text_link", start, url=str(node.attrs["href"]))
            elif node.type in _INLINE:
                self.mark(_INLINE[node.type], start)


def split(text: str, marks: Sequence[TextEntity], limit: int = LIMIT) -> list[MessagePart]:
    """Cut into messages; white space around each is dropped, as Telegram does, and blank ones are
    left out.

    `marks` are in order of their offsets.
    """
    table = _offsets(text)
    blocks = [
        (bisect_right(table, m.offset) - 1, bisect_right(table, m.offset + m.length - 1))
        for m in marks
        if m.type == "pre"
    ]
    out, start, first = [], 0, 0
    while start < len(text):
        end = bisect_right(table, table[start] + limit) - 1
        while first < len(marks) and marks[first].offset + marks[first].length <= table[start]:
            first += 1
        near = marks[first : bisect_left(marks, table[end], first, key=lambda m: m.offset)]
        inside = [m for m in near if m.offset + m.length > table[start]]
        if len(inside) > MOST_MARKS:  # Telegram would drop the rest
            end = bisect_right(table, inside[MOST_MARKS].offset) - 1
        cut = (
            len(text)
            if end >= len(text)
            else _cut(text, start, max(end, start + 1), blocks, table, limit)
        )
        piece = _piece(text, inside, table, start, cut)
        if piece is not None:
            out.append(piece)
        start = cut
    return out


def _offsets(text: str) -> list[int]:
    table, at = [0], 0
    for ch in text:
        at += 2 if ord(ch) > 0xFFFF else 1
        table.append(at)
    return table


def _cut(
    text: str,
    start: int,
    end: int,
    blocks: Sequence[tuple[int, int]],
    table: Sequence[int],
    limit: int,
) -> int:
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
    if (
        before == "\u200d"
        or after in "\u200d\ufe0e\ufe0f\u20e3"
        or (before == "\r" and after == "\n")
    ):
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


def _piece(
    text: str, marks: Sequence[TextEntity], table: Sequence[int], start: int, end: int
) -> MessagePart | None:
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
    return MessagePart(text[start:end], tuple(clipped))
