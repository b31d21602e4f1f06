"""Read MEMORY.md, however it was edited. Pure.

Reading never fails: what is no entry, no new line and none of Ebb's own words is kept, verbatim.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final

from memory.mirror.files import is_damaged
from memory.mirror.page import (
    PARTS,
    Fault,
    MirrorBlock,
    MirrorDocument,
    MirrorStamp,
    flatten_spacing,
    fold,
    is_hint,
    is_named,
    is_ours,
    parse_kind,
    parse_part,
    split_lines,
    split_paragraphs,
    unescape_line,
)
from memory.models import Kind, MemoryId
from memory.text.clean import PIECE

_HEADING: Final = re.compile(r"^\s{0,3}([#＃]{1,6})\s{0,9}(.*?)\s{0,9}[#＃]{0,9}\s{0,9}$")
_ID: Final = re.compile(r"^\s{0,9}[\[【〔(]\s{0,9}([0-9A-Za-z]{2,24})\s{0,9}[\]】〕)]")
_TOKEN: Final = re.compile(r"[0-9A-Za-z]{4,24}")
_OPENING: Final = re.compile(r"^\s{0,9}[-*+]?\s{0,9}[\[【〔]?\s{0,9}([0-9A-Za-z]{4,24})")
_BULLET: Final = re.compile(
    r"^\s{0,9}(?:(?:[-*+•·‣–]|\d{1,3}[.)、）])\s{1,9}(?:\[[ xX]?\]\s{1,9})?"
    r"|(?:[•·‣－—]|[-*+](?=[\u3400-\u9fff]))\s{0,9})(?=\S)"  # the latter: -我喜欢茶
)
_STRUCTURE: Final = re.compile(r"[|｜\[\]［］【】]")
_RULE: Final = re.compile(r"^\s{0,9}(?:(?:[-*_]\s{0,9}){3,}|=+)\s{0,9}$")
_DATE: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_STAMP: Final = re.compile(r"ebb: ([0-9a-z]+)\.(\d+)")


def find_ids(text: str) -> set[MemoryId]:
    """Find whatever may be an id in a heading, or in what was one."""
    lines = split_lines(unicodedata.normalize("NFKC", text))
    heads = [x for x in lines if any(sign in x for sign in "#[【|") or _DATE.search(x)]
    return {t.lower() for x in heads for t in _TOKEN.findall(x) if len(t) >= 6}


def parse(text: str, known: Container[MemoryId] = frozenset()) -> MirrorDocument:
    """Read a file. `known` are ids that tell a heading of ours even where its signs were lost."""
    lines = split_lines(text)
    heads = [m[2] for m in map(_HEADING.match, lines) if m]
    reader = _MirrorReader(known, lines, renamed=not any(is_named(h, "ACTIVE") for h in heads))
    reader.doc.empty = not any(line.strip() for line in lines)
    n = 0
    while n < len(lines):
        n = reader.take_line(n)
    reader.end_piece(n)
    return reader.doc


@dataclass(slots=True)
class _OpenBlock:
    """A block that is being read; `title` is that of a heading that is no kind."""

    start: int
    raw: list[str] = field(default_factory=list)
    id: MemoryId | None = None
    kind: Kind | None = None
    title: str = ""
    token: str = ""
    lines: list[str] = field(default_factory=list)  # of the paragraph being read
    paragraphs: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _MirrorReader:
    """A pass over the lines.

    `renamed`: no heading begins the active part, so the first one of its rank does.
    """

    known: Container[MemoryId]
    lines: Sequence[str]
    renamed: bool
    doc: MirrorDocument = field(default_factory=MirrorDocument)
    part: str = "head"
    open: _OpenBlock | None = None
    stray: list[str] = field(default_factory=list)
    chunk: list[str] = field(default_factory=list)  # of the Unread part

    def take_line(self, n: int) -> int:
        """Read line `n`, of a comment all lines; return the number of the next one."""
        line = self.lines[n]
        heading = _HEADING.match(line) if len(line) <= PIECE else None
        part = parse_part(heading[2]) if heading else None
        if self.part == "unread" and (part is None or (heading and len(heading[1]) > 2)):
            if not is_hint(line):
                self.chunk.append(line)
        elif is_damaged(line):
            self.doc.strays.append(line)
        elif line.lstrip().startswith("<!--"):
            return self._take_comment(n)
        elif part:
            self.end_piece(n)
            self.part = part
        elif len(line) <= PIECE and (block := self._read_heading(n, line, heading)):
            self.end_piece(n)
            self.open = block
        elif heading:
            self._take_foreign_heading(n, line, heading)
        else:
            self._take_content(n, line)
        return n + 1

    def _take_comment(self, n: int) -> int:
        """Drop a comment of ours, keep a person's own verbatim; one that never ends is a line."""
        end = n
        while "-->" not in self.lines[end]:
            end += 1
            if end == len(self.lines) or _HEADING.match(self.lines[end]):
                end = n
                break
        whole = "\n".join(self.lines[n : end + 1])
        inside = whole.strip().removeprefix("<!--").removesuffix("-->").strip()
        if self.doc.stamp is None and (m := _STAMP.fullmatch(fold(inside))):
            self.doc.stamp = MirrorStamp(m[1], int(m[2]))
        elif not is_ours(inside):
            self.doc.strays.append(whole)
        return end + 1

    def _take_foreign_heading(self, n: int, line: str, heading: re.Match[str]) -> None:
        self._close_block(n)
        if self.renamed and self.part == "head" and len(heading[1]) == 2:
            self.end_piece(n)
            self.part = "active"
        elif len(heading[1]) > 1 or not is_named(heading[2], "TITLE"):
            self.part = "other"
            self.stray.append(line)

    def _read_heading(self, n: int, line: str, heading: re.Match[str] | None) -> _OpenBlock | None:
        """Return the block that a line opens.

        A heading opens one by its rank, its kind or its id. A line that lost its signs does by a
        known id with a kind, a bar or a date after it.
        """
        title = unicodedata.normalize("NFKC", heading[2] if heading else line)
        mark = (_ID if heading else _OPENING).match(title)
        token = mark[1].lower() if mark else ""
        if heading:
            found = (t.lower() for t in _TOKEN.findall(title))
            token = next((t for t in found if t in self.known), token)
        own = token in self.known
        word = title.split("|", maxsplit=1)[0]
        if token:  # its brackets may be damaged
            word = re.sub(rf"[\[【〔(]?\s?{token}\s?[\]】〕)]?", " ", word, flags=re.IGNORECASE)
        kind = parse_kind(word)
        if heading is None:
            if not own or not (kind or "|" in title or _DATE.search(title)):
                return None
        elif len(heading[1]) < 3 and not own and not mark and not (kind and "|" in title):
            return None
        named = "" if own or kind or heading is None else heading[2].strip()
        return _OpenBlock(n, [line], token if own else None, kind, named, token)

    def _take_content(self, n: int, line: str) -> None:
        b = self.open
        if not line.strip():
            self._end_paragraph()
            if b is not None or self.stray:
                (self.stray if b is None else b.raw).append(line)
            return
        if is_hint(line) or _RULE.match(line):
            return
        bullet = _BULLET.match(line)
        kind = None
        if b and not b.title and (b.paragraphs if not b.lines else bullet and b.id is None):
            # An entry has one paragraph; of new ones each paragraph, and each item, is its own.
            kind = b.kind if b.id is None else None
            self._close_block(n)
        if self.open is None:
            headless = self.renamed and self.part == "head" and bullet  # its heading is gone
            if self.part not in PARTS and not headless:
                self.stray.append(line)
                return
            self.end_piece(n)
            self.open = _OpenBlock(n, kind=kind)
        self.open.raw.append(line)
        text = line[bullet.end() :] if bullet else unescape_line(line.strip())
        self.open.lines.append(text.strip())

    # --- ends

    def _end_paragraph(self) -> None:
        if self.open is not None and self.open.lines:
            self.open.paragraphs.append(flatten_spacing(" ".join(self.open.lines)))
            self.open.lines = []

    def _close_block(self, n: int) -> None:
        self._end_paragraph()
        b, self.open = self.open, None
        if b is None:
            return
        if b.title and not b.paragraphs and not _STRUCTURE.search(b.title):  # "### I like tea"
            b.paragraphs, b.title = [unescape_line(flatten_spacing(b.title))], ""
        fault: Fault = "heading" if b.title else "" if b.paragraphs or b.id else "nothing"
        if raw := "\n".join(b.raw).strip("\n"):
            token = b.token if b.id is None else ""
            self.doc.blocks.append(
                MirrorBlock(raw, (b.start, n), b.id, b.kind, tuple(b.paragraphs), fault, token)
            )

    def end_piece(self, n: int) -> None:
        """End the block, stray text or unread pieces that are being read."""
        self._close_block(n)
        if (raw := "\n".join(self.stray).strip("\n")).strip():
            self.doc.strays.append(raw)
        self.doc.unread += split_paragraphs("\n".join(self.chunk))
        self.stray, self.chunk = [], []
