"""Text to what Telegram shows: plain text with entities, in messages of 4,096 UTF-16 units at most.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from markdown_it.tree import SyntaxTreeNode

from bot.markdown import build_markdown_parser, count_columns, pad_to_columns
from memory.api import clean_output

if TYPE_CHECKING:
    import telegram

log = logging.getLogger(__name__)

LIMIT = 4096  # UTF-16 code units of one message
MOST_MARKS = 100  # what Telegram keeps of a message's entities
_MARKS = re.compile(r"[*_`~<>|#\[\\]")  # signs by which Markdown could change a quote
_STAND_INS = [chr(0xFDD0 + i) for i in range(32)]  # characters that stand for nothing
_INLINE = {"em": "italic", "strong": "bold", "s": "strikethrough"}
# Where to cut, the best place first.
_TEXT_CUTS = [
    re.compile(p)
    for p in (r"\n\n", r"\n", r"[.!?…][\"'”’)\]]*\s|[。！？；…][”’」』）】]*", r"[ \u3000]")
]
_CODE_CUTS = [re.compile(r"\n(?=\S)"), re.compile(r"\n")]  # the next line's indent would be lost
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_JOINED = re.compile("[\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")  # to what is before


@dataclass(frozen=True, slots=True)
class TextEntity:
    """An entity; `offset` and `length` in characters."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None

    @property
    def end(self) -> int:
        """Return the offset behind it."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class MessagePart:
    """One message."""

    text: str
    marks: tuple[TextEntity, ...] = ()

    def entities(self) -> Sequence[telegram.MessageEntity]:
        """Return the marks as python-telegram-bot sends them, in UTF-16 units."""
        from telegram import MessageEntity

        found = [
            MessageEntity(m.type, m.offset, m.length, url=m.url, language=m.language)
            for m in self.marks
        ]
        return MessageEntity.adjust_message_entities_to_utf_16(self.text, found)


def count_utf16_units(text: str) -> int:
    """Return the length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def render(
    markdown: str,
    limit: int = LIMIT,
    *,
    before: str = "",
    after: str = "",
    typed: Sequence[str] = (),
) -> list[MessagePart]:
    """Lay a model's reply out in messages, with literal words around it.

    `typed` is literal wherever the reply quotes it. Never raises: at worst all is literal.
    """
    source = folded = clean_output(markdown)
    quotes = {
        q
        for t in typed
        if _MARKS.search(q := clean_output(t).strip()) and _count_letters(q) and q in source
    }
    page = _RenderedText(dict(zip(_STAND_INS, sorted(quotes, key=len, reverse=True), strict=False)))
    for sign, quote in page.quotes.items():
        folded = folded.replace(quote, sign)
    page.add(clean_output(before))
    try:
        page.add_blocks(SyntaxTreeNode(build_markdown_parser().parse(folded)).children)
        complete = page.count_letters() >= _count_letters(before + source)
    except Exception as e:  # noqa: BLE001 - formatting never fails a reply
        log.warning("formatting failed (%s); showing plain text", type(e).__name__)
        complete = False
    if not complete:
        return render_plain(f"{before}{markdown}{after}", limit)
    page.add(clean_output(after))
    marks = sorted(page.marks, key=lambda m: (m.offset, -m.length))
    return split(page.text, marks, limit)


def render_plain(text: str, limit: int = LIMIT) -> list[MessagePart]:
    """Return the messages that show a text as it is."""
    return split(clean_output(text), [], limit)


def _count_letters(text: str) -> int:
    return sum(map(str.isalnum, text))


@dataclass
class _RenderedText:
    """Text and marks of a Markdown tree, as it is walked."""

    quotes: Mapping[str, str]  # by the sign that stands in for each
    text: str = ""
    marks: list[TextEntity] = field(default_factory=list)
    quoted: bool = False

    def add(self, text: str) -> None:
        """Add literal text."""
        self.text += self._unfold(text)

    def _unfold(self, text: str) -> str:
        for sign, quote in self.quotes.items():
            text = text.replace(sign, quote)
        return text

    def count_letters(self) -> int:
        """Count the letters and digits shown or kept in marks."""
        return _count_letters(
            self.text + "".join(f"{m.url or ''}{m.language or ''}" for m in self.marks)
        )

    def mark(self, kind: str, start: int, url: object = None, language: str | None = None) -> None:
        """Mark what was added since `start`."""
        if len(self.text) > start:
            url = self._unfold(str(url)) if url else None
            self.marks.append(TextEntity(kind, start, len(self.text) - start, url, language))

    def add_blocks(
        self, nodes: Sequence[SyntaxTreeNode], indent: str = "", gap: str = "\n\n"
    ) -> None:
        """Add paragraphs, lists, code and so on, `gap` between them."""
        for i, node in enumerate(nodes):
            if i:
                self.add(("\n" if node.type.endswith("_list") and indent else gap) + indent)
            self._add_block(node, indent)

    def _add_block(self, node: SyntaxTreeNode, indent: str) -> None:
        start = len(self.text)
        match node.type:
            case "paragraph" | "inline":
                self._add_inline(node, indent)
            case "heading" if node.children and node.children[0].content:
                self._add_inline(node, indent)
                self.mark("bold", start)
            case "heading":
                self.add(node.markup)
            case "fence" | "code_block":
                self._add_code(node)
            case "blockquote":
                outer, self.quoted = self.quoted, True
                self.add_blocks(node.children, indent)
                self.quoted = outer
                if not outer:  # Telegram nests none
                    self.mark("blockquote", start)
            case "bullet_list" | "ordered_list":
                for i, item in enumerate(node.children):
                    sign = "• " if node.type == "bullet_list" else f"{item.info}{item.markup} "
                    self.add((f"\n{indent}" if i else "") + sign)
                    self.add_blocks(item.children, indent + "  ", "\n")
            case "table":
                self._add_table(node)
            case _:
                self.add("———" if node.type == "hr" else node.content)

    def _add_code(self, node: SyntaxTreeNode) -> None:
        about = node.info.split() if node.type == "fence" else []
        if about and (len(about) > 1 or not node.content.strip()):  # no entity can hold these words
            self.add(f"{node.info.strip()}\n")
        start = len(self.text)
        self.add(node.content.removesuffix("\n"))
        self.mark("pre", start, language=about[0] if len(about) == 1 else None)

    def _add_table(self, node: SyntaxTreeNode) -> None:
        """Align it in a fixed width: Telegram has no tables, and no marks inside fixed width."""
        cells = [
            [_RenderedText(self.quotes).read(cell) for cell in row.children]
            for part in node.children
            for row in part.children
        ]
        widths = [max(map(count_columns, column)) for column in zip(*cells, strict=True)]
        rows = [" | ".join(map(pad_to_columns, row, widths)).rstrip() for row in cells]
        start = len(self.text)
        self.add("\n".join([rows[0], "-+-".join("-" * w for w in widths), *rows[1:]]))
        self.mark("pre", start)

    def read(self, node: SyntaxTreeNode) -> str:
        """Return the text of an inline node without its marks."""
        self._add_inline(node, "")
        return self.text

    def _add_inline(self, node: SyntaxTreeNode, indent: str) -> None:
        start = len(self.text)
        match node.type:
            case "text":
                self.add(node.content)
            case "code_inline":
                self.add(node.content)
                self.mark("code", start)
            case "softbreak" | "hardbreak":
                self.add(f"\n{indent}")
            case "image":
                self.add(node.content or str(node.attrs["src"]))
                self.mark("text_link", start, node.attrs["src"])
            case kind:
                for child in node.children:
                    self._add_inline(child, indent)
                if kind == "link":
                    if len(self.text) == start:
                        self.add(str(node.attrs["href"]))
                    self.mark("text_link", start, node.attrs["href"])
                elif kind in _INLINE:
                    self.mark(_INLINE[kind], start)


# --- cutting ---


def split(text: str, marks: Sequence[TextEntity], limit: int = LIMIT) -> list[MessagePart]:
    """Cut into messages; white space around each is dropped, and blank ones are left out.

    `marks` are in order of their offsets.
    """
    out, start = [], 0
    while start < len(text):
        end = min(start + limit, len(text))
        while (over := count_utf16_units(text[start:end]) - limit) > 0:
            end -= (over + 1) // 2
        inside = [m for m in marks if m.offset < end and m.end > start]
        if len(inside) > MOST_MARKS:  # Telegram would drop the rest
            end = inside[MOST_MARKS].offset
        if end < len(text):
            end = _find_cut(text, start, max(end, start + 1), inside, limit)
        if text[start:end].strip():
            out.append(_make_part(text, start, end, inside))
        start = end
    return out


def _find_cut(text: str, start: int, end: int, marks: Sequence[TextEntity], limit: int) -> int:
    """Return where to cut text[start:end] (all that fits), as an index greater than `start`."""
    low = start + (end - start) // 2
    blocks = [m for m in marks if m.type == "pre"]
    cuts = _TEXT_CUTS
    for m in blocks:
        if m.offset < end < m.end:
            fits = count_utf16_units(text[m.offset : m.end]) <= limit
            if m.offset > start and (fits or m.offset - start > (end - start) // 4):
                return m.offset
            low, cuts, blocks = max(m.offset, low), _CODE_CUTS, []
    for pattern in cuts:
        found = [
            at.end()
            for at in pattern.finditer(text, low, end)
            if not any(m.offset < at.end() <= m.end for m in blocks)
        ]
        if found:
            return found[-1]
    # As far as possible, but not inside what a reader sees as one character.
    whole = (at for at in range(end, max(start, end - 64), -1) if not _is_joined(text, at))
    return next(whole, end)


def _is_joined(text: str, at: int) -> bool:
    """Tell whether the characters before and at `at` belong together."""
    before, after = text[at - 1], text[at : at + 1]
    if not after or before == "\u200d" or before + after == "\r\n":
        return bool(after)
    if _JOINED.match(after) or unicodedata.category(after).startswith("M"):
        return True
    flags = at - len(text[:at].rstrip(_FLAGS))
    return after in _FLAGS and flags % 2 == 1


def _make_part(text: str, start: int, end: int, marks: Sequence[TextEntity]) -> MessagePart:
    """Return text[start:end] without the white space around it, and the marks clipped to it."""
    start = end - len(text[start:end].lstrip())
    shown = text[start:end].rstrip()
    clipped = []
    for m in marks:
        first, last = max(m.offset - start, 0), min(m.end - start, len(shown))
        if first < last:
            clipped.append(replace(m, offset=first, length=last - first))
    return MessagePart(shown, tuple(clipped))
