"""Reading MEMORY.md, however it was edited. Pure.

Reading never fails: what is no entry, no new line and none of Ebb's own words is kept, verbatim.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from memory.mirror import words
from memory.mirror.files import is_damaged
from memory.mirror.page import (
    Fault,
    MirrorBlock,
    MirrorDocument,
    MirrorStamp,
    flatten_spacing,
    split_lines,
    split_paragraphs,
    unescape_line,
)
from memory.models import Kind, MemoryId
from memory.text.clean import PIECE

Where: TypeAlias = Literal["head", "active", "archived", "unread", "other"]

_HEADING: Final = re.compile(r"^\s{0,3}([#＃]{1,6})\s{0,9}(.*?)\s{0,9}[#＃]{0,9}\s{0,9}$")
_ID: Final = re.compile(
    r"^\s{0,9}[\[【〔(]\s{0,9}([0-9A-Za-z]{2,24})\s{0,9}[\]】〕)]\s{0,9}[:|-]?\s{0,9}(.*)$"
)
_TOKEN: Final = re.compile(r"[0-9A-Za-z]{4,24}")
_OPENING: Final = re.compile(
    r"^\s{0,9}[-*+]?\s{0,9}[\[［【〔]?\s{0,9}([0-9A-Za-z]{4,24})\s{0,9}[\]］】〕]?"
)
_BULLET: Final = re.compile(
    r"^\s{0,9}(?:[-*+•·‣–]|\d{1,3}[.)、）])\s{1,9}(?:\[[ xX]?\]\s{1,9})?(?=\S)"
)
_DENSE_BULLET: Final = re.compile(
    r"^\s{0,9}(?:[•·‣－—]|[-*+](?=[\u3400-\u9fff]))\s{0,9}(?=\S)"
)  # -我喜欢茶
_STRUCTURE: Final = re.compile(r"[|｜\[\]［］【】]")
_RULE: Final = re.compile(r"^\s{0,9}(?:(?:[-*_]\s{0,9}){3,}|=+)\s{0,9}$")
_DATE: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_STAMP: Final = re.compile(r"ebb: ([0-9a-z]+)\.(\d+)")


def find_ids(text: str) -> set[MemoryId]:
    """Whatever may be an id in a heading, or in what was one."""
    heads = (
        x for x in split_lines(text) if any(sign in x for sign in "#＃[［【|｜") or _DATE.search(x)
    )
    return {
        t.lower()
        for x in heads
        for t in _TOKEN.findall(unicodedata.normalize("NFKC", x))
        if len(t) >= 6
    }


def _names(line: str, part: words.Part) -> bool:
    heading = _HEADING.match(line)
    return heading is not None and words.parse_part(heading[2]) == part


def _bullet(line: str) -> re.Match[str] | None:
    return _BULLET.match(line) or _DENSE_BULLET.match(line)


def parse(text: str, known: Container[MemoryId] = frozenset()) -> MirrorDocument:
    """Read a file. `known` are ids that tell a heading of ours even where its signs were lost."""
    lines = split_lines(text)
    reader = _MirrorReader(known, lines, renamed=not any(_names(line, "active") for line in lines))
    reader.doc.empty = not any(line.strip() for line in lines)
    for n, line in enumerate(lines):
        if n >= reader.resume:
            reader.line(n, line)
    reader.close(len(lines))
    return reader.doc


@dataclass(slots=True)
class _OpenBlock:
    """A block that is being read."""

    start: int
    raw: list[str] = field(default_factory=list)
    id: MemoryId | None = None
    kind: Kind | None = None
    title: str = ""  # of a heading that is no kind
    token: str = ""
    lines: list[str] = field(default_factory=list)  # of the paragraph being read
    paragraphs: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _MirrorReader:
    known: Container[MemoryId]
    lines: Sequence[str]
    renamed: (
        bool  # no heading begins the active part: the first one of its rank stands where it stood
    )
    doc: MirrorDocument = field(default_factory=MirrorDocument)
    resume: int = 0  # lines before this one are read already
    where: Where = "head"
    open: _OpenBlock | None = None
    stray: list[str] = field(default_factory=list)
    chunk: list[str] = field(default_factory=list)

    # --- lines

    def line(self, n: int, line: str) -> None:
        if self.where != "unread" and is_damaged(line):
            self.doc.strays.append(line)
            return
        if self.where != "unread" and line.lstrip().startswith("<!--"):
            self._comment(n)
            return
        if len(line) > PIECE and self.where != "unread":  # no heading is that long
            self._content(n, line)
            return
        heading = _HEADING.match(line)
        if heading is not None and self._part(n, heading):
            return
        if self.where == "unread":
            self._keep_unread(line)
            return
        title = heading[2] if heading else line
        if found := self._opened(
            n, line, title, headed=heading is not None, level=len(heading[1]) if heading else 0
        ):
            self._close_block(n)
            self._flush_stray()
            self.open = found
            return
        if heading is not None:  # somebody's own heading
            self._close_block(n)
            if self.renamed and self.where == "head" and len(heading[1]) == 2:
                self._flush_stray()
                self.where = "active"
            elif not (len(heading[1]) == 1 and words.is_title(title)):
                self.where = "other"
                self.stray.append(line)
            return
        self._content(n, line)

    def _comment(self, n: int) -> None:
        """Comments of ours are dropped, a person's own are kept verbatim.

        One that never ends is a line.
        """
        end = n
        while end < len(self.lines) and "-->" not in self.lines[end]:
            end += 1
            if end == len(self.lines) or _HEADING.match(self.lines[end]):
                end = n
                break
        self.resume = end + 1
        whole = "\n".join(self.lines[n : end + 1])
        inside = whole.strip().removeprefix("<!--").removesuffix("-->").strip()
        if self.doc.stamp is None and (m := _STAMP.fullmatch(words.fold(inside))):
            self.doc.stamp = MirrorStamp(m[1], int(m[2]))
        elif not words.is_ours(inside):
            self.doc.strays.append(whole)

    def _part(self, n: int, heading: re.Match[str]) -> bool:
        part = words.parse_part(heading[2])
        if part is None or (len(heading[1]) > 2 and self.where == "unread"):
            return False
        self._close_block(n)
        self._flush_stray()
        self._flush_unread()
        self.where = part
        return True

    def _keep_unread(self, line: str) -> None:
        if words.is_hint(line):
            return
        self.chunk.append(line)

    def _content(self, n: int, line: str) -> None:
        if not line.strip():
            self._end_paragraph()
            if self.open is not None:
                self.open.raw.append(line)
            elif self.stray:
                self.stray.append(line)
            return
        if words.is_hint(line) or _RULE.match(line):
            return
        bullet = _bullet(line)
        if self.open is not None and self._is_next(bullet=bullet is not None):
            self._split(n)  # a paragraph, or an item of a list, is a thing of its own
        if self.open is None:
            lost = (
                self.renamed and self.where == "head" and bullet is not None
            )  # the heading above it is gone
            if self.where not in {"active", "archived"} and not lost:
                self.stray.append(line)
                return
            self._flush_stray()
            self.open = _OpenBlock(n)
        self.open.raw.append(line)
        self.open.lines.append(_bare(line, bullet))

    def _is_next(self, *, bullet: bool) -> bool:
        """Whether the line is no part of the block: an entry has one paragraph, and new ones one for each item."""
        b = self.open
        if b is None or b.title:
            return False
        return bool(b.paragraphs) if not b.lines else bullet and b.id is None

    def _split(self, n: int) -> None:
        before = self.open
        self._close_block(n)
        if self.where in {"active", "archived"}:
            self.open = _OpenBlock(
                n, kind=before.kind if before is not None and before.id is None else None
            )

    # --- headings

    def _opened(
        self, n: int, line: str, title: str, *, headed: bool, level: int
    ) -> _OpenBlock | None:
        plain = unicodedata.normalize("NFKC", title)
        if not headed:
            return self._bare_heading(n, line, plain)
        m = _ID.match(plain)
        token, rest = (m[1].lower(), m[2]) if m else ("", plain)
        if token not in self.known:
            named = [
                t
                for t in dict.fromkeys(x.lower() for x in _TOKEN.findall(plain))
                if t in self.known
            ]
            if len(named) == 1:
                rest = plain if not m else rest
                token, m = named[0], _ID.match(plain) or re.match("", plain)
        word = _kind_word(rest, token)
        kind = words.parse_kind(word)
        if token in self.known:
            return _OpenBlock(n, [line], token, kind, token=token)
        if kind is not None and (level >= 3 or m or "|" in plain):
            return _OpenBlock(n, [line], None, kind, token=token)
        if level >= 3 or m is not None:
            return _OpenBlock(n, [line], None, None, title=title.strip(), token=token)
        return None

    def _bare_heading(self, n: int, line: str, plain: str) -> _OpenBlock | None:
        """A heading that lost its signs: a known id, and a kind, a bar or a date after it."""
        m = _OPENING.match(plain)
        if m is None or m[1].lower() not in self.known:
            return None
        rest = plain[m.end() :]
        kind = words.parse_kind(_kind_word(rest, ""))
        if "|" not in rest and kind is None and not _DATE.search(rest):
            return None
        return _OpenBlock(n, [line], m[1].lower(), kind, token=m[1].lower())

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
        if b.title and not b.paragraphs and not _STRUCTURE.search(b.title):
            b.paragraphs, b.title = (
                [unescape_line(flatten_spacing(b.title))],
                "",
            )  # "### I like tea"
        fault: Fault = "heading" if b.title else "" if b.paragraphs or b.id else "nothing"
        if not b.raw:
            return
        if fault == "nothing" and not "".join(b.raw).strip():
            return
        raw = "\n".join(b.raw).strip("\n")
        self.doc.blocks.append(
            MirrorBlock(
                raw,
                (b.start, n),
                b.id,
                b.kind,
                tuple(b.paragraphs),
                fault,
                b.token if b.id is None else "",
            )
        )

    def _flush_stray(self) -> None:
        raw, self.stray = "\n".join(self.stray).strip("\n"), []
        if raw.strip():
            self.doc.strays.append(raw)

    def _flush_unread(self) -> None:
        self.doc.unread += split_paragraphs("\n".join(self.chunk))
        self.chunk = []

    def close(self, n: int) -> None:
        """The end of the file."""
        self._close_block(n)
        self._flush_stray()
        self._flush_unread()


def _bare(line: str, bullet: re.Match[str] | None) -> str:
    return line[bullet.end() :].strip() if bullet else unescape_line(line.strip())


def _kind_word(rest: str, token: str) -> str:
    """The first field of a heading, without the id that may stand in it."""
    first = rest.split("|", maxsplit=1)[0]
    if token and (at := first.lower().find(token)) >= 0:
        first = first[:at].rstrip("[【〔( ") + " " + first[at + len(token) :].lstrip("]】〕) ")
    return first.strip()
