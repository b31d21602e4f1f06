"""Read MEMORY.md, however it was edited. Pure.

Reading never fails: what is no entry, no new line and none of Ebb's own words is kept, verbatim.
Both forms are read: a line with its figures in a comment, and, as version 0.1 wrote it, a
heading with the figures and the words below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final

from memory.mirror.files import is_damaged
from memory.mirror.page import (
    Fault,
    MirrorBlock,
    MirrorDocument,
    MirrorStamp,
    flatten_spacing,
    fold,
    is_hint,
    is_ours,
    join_lines,
    parse_kind,
    parse_part,
    split_lines,
    split_paragraphs,
    unescape_line,
)
from memory.models import Kind, MemoryId
from memory.text.clean import PIECE

_HEADING: Final = re.compile(
    r"^\s{0,3}([#＃]{2,6}|[#＃](?=\s))\s{0,9}(.*?)\s{0,9}[#＃]{0,9}\s{0,9}$"
)
_ID: Final = re.compile(r"^\s{0,9}[\[【〔(]\s{0,9}([0-9A-Za-z]{2,24})\s{0,9}[\]】〕)]")
_TOKEN: Final = re.compile(r"[0-9A-Za-z]{4,24}")
_OPENING: Final = re.compile(r"^\s{0,9}[-*+]?\s{0,9}[\[【〔]?\s{0,9}([0-9A-Za-z]{4,24})")
_BULLET: Final = re.compile(
    r"^\s{0,99}(?:(?:[-*+•·‣–]|\d{1,3}[.)、）])(?:\s{1,9}|$)(?:\[[ xX]?\]\s{1,9})?"
    r"|(?:[•·‣－—]|[-*+](?=[\u3400-\u9fff]))\s{0,9})"  # the latter: -我喜欢茶
)
_QUOTED: Final = re.compile(r"^\s{0,9}(?:>\s?){1,9}")
_STRUCTURE: Final = re.compile(r"[|｜\[\]［］【】]")
_RULE: Final = re.compile(r"^\s{0,9}(?:(?:[-*_]\s{0,9}){3,}|=+)\s{0,9}$")
_DATE: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_STAMP: Final = re.compile(r"ebb: ([0-9a-z]+)\.(\d+)")
# A comment on a line, also where an editor changed its signs, or its end is missing.
_COMMENT: Final = re.compile(r"(?:<|&lt;)\\?!\s?[-–—]{1,2}(.{0,300}?)(?:[-–—]{1,2}\s?(?:>|&gt;)|$)")
_OWN_COMMENT: Final = re.compile(r"<!--.{0,2000}?-->")
# What is left of one without its first signs.
_BARE: Final = re.compile(
    r"(?<=\w[\s.!?。！？])[\[［【〔(]([0-9A-Za-z]{6,24}[\]］】〕)][^|｜]{1,40}[|｜].{0,99})$"
)
_WRAPPED: Final = re.compile(  # one that an editor broke
    r"(<!--[^<>\r\n]{0,200})\r?\n[ \t]{0,20}([^<>\r\n]{0,200}-->)"
)
_FIGURES: Final = re.compile(r"^\s{0,9}[\[［【〔(]?\s{0,9}([0-9A-Za-z]{4,24})\b(.*)$")
# What a list of memories does not have: rows of a table, pictures, footnotes, markup.
_FOREIGN: Final = re.compile(r"^\s{0,9}(?:[-*+]\s{1,9})?(?:\||!\[|\[\^[^\]]{1,40}\]:|</?[A-Za-z])")
_CONFLICT: Final = re.compile(r"^(?:<{7}|\|{7}|>{7})(?: .*)?$")
_UNDERLINED: Final = re.compile(r"^\s{0,3}(?:=+|-{3,})\s*$")
_FENCE: Final = re.compile(r"^\s{0,3}(?:```|~~~)")
_LONGEST_REGION: Final = 200  # lines of what is between two marks


def find_ids(text: str) -> set[MemoryId]:
    """Find whatever may be an id in a heading or comment, or in what was one."""
    lines = split_lines(unicodedata.normalize("NFKC", text))
    heads = [x for x in lines if any(sign in x for sign in "#[【|") or _DATE.search(x)]
    return {t.lower() for x in heads for t in _TOKEN.findall(x) if len(t) >= 6}


def parse(text: str, known: Container[MemoryId] = frozenset()) -> MirrorDocument:
    """Read a file. `known` are ids that tell an entry of ours even where its signs were lost."""
    lines = split_lines(_WRAPPED.sub(lambda m: " ".join(m.groups()) if "|" in m[0] else m[0], text))
    reader = _MirrorReader(known, lines)
    reader.doc.empty = not any(line.strip() for line in lines)
    reader.doc.torn = bool(lines[-1].strip())
    n = reader.take_front_matter()
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
    """A pass over the lines; `kind` is that of the heading above."""

    known: Container[MemoryId]
    lines: Sequence[str]
    doc: MirrorDocument = field(default_factory=MirrorDocument)
    part: str = "head"
    kind: Kind | None = None
    open: _OpenBlock | None = None
    stray: list[str] = field(default_factory=list)
    chunk: list[str] = field(default_factory=list)  # of the Unread part

    def take_front_matter(self) -> int:
        """Keep what an editor writes between rules at the top; return the number of its end."""
        if self.lines[0].rstrip() != "---":
            return 0
        ends = (n for n, line in enumerate(self.lines[1:50], 1) if line.rstrip() in {"---", "..."})
        end = next(ends, 0)
        if not end or not all(re.match(r"\s|-\s|#|[^\s:]+\s?:|$", x) for x in self.lines[1:end]):
            return 0
        self.doc.strays.append("\n".join(self.lines[: end + 1]))
        return end + 1

    def take_line(self, n: int) -> int:
        """Read line `n`, of a comment or conflict all lines; return the number of the next one."""
        line = self.lines[n]
        heading = _HEADING.match(line) if len(line) <= PIECE else None
        part = parse_part(heading[2]) if heading else None
        if self.part == "unread" and (part is None or (heading and len(heading[1]) > 2)):
            if not is_hint(line):
                self.chunk.append(line)
        elif is_damaged(line) or _CONFLICT.match(line) or _FENCE.match(line):
            return self._take_region(n)
        elif part:
            self.end_piece(n)
            self.part, self.kind = part, None
        elif line.lstrip().startswith("<!--") and not self._find_figures(line):
            return self._take_comment(n)
        else:
            self._take_text(n, line, heading)
        return n + 1

    def _take_region(self, n: int) -> int:
        """Keep a damaged line, a conflict of two versions or a fenced text as it stands.

        What a conflict or a line holds of ours counts as being there.
        """
        line, end = self.lines[n], n
        last = (
            ">" * 7 if line.startswith("<" * 7) else line.strip()[:3] if _FENCE.match(line) else ""
        )
        if last:
            ahead = enumerate(self.lines[n + 1 : n + _LONGEST_REGION], n + 1)
            end = next((i for i, x in ahead if x.lstrip().startswith(last)), n)
        whole = self.lines[n : end + 1]
        named = {i for x in whole for i, _, _ in self._find_figures(x) if i}
        if _FENCE.match(line) and (end == n or named):
            return n + 1  # around entries it says nothing
        heads = {t.lower() for x in whole if "#" in x or "<!" in x for t in _TOKEN.findall(x)}
        self.doc.held |= named | {i for i in heads if i in self.known}
        if self.open is not None and self.open.id and not self.open.lines:
            self.doc.held.add(self.open.id)
        if len(whole) > 1:
            self.end_piece(n)
        self.doc.strays.append("\n".join(whole))
        return end + 1

    def _take_comment(self, n: int) -> int:
        """Drop a comment of ours, keep a person's own verbatim; one that never ends is a line."""
        end = n
        while "-->" not in self.lines[end]:
            end += 1
            if (
                end == len(self.lines)
                or _HEADING.match(self.lines[end])
                or self._find_figures(self.lines[end])
            ):
                end = n
                break
        whole = "\n".join(self.lines[n : end + 1])
        self._drop_comment(whole)
        return end + 1

    def _drop_comment(self, whole: str) -> None:
        inside = whole.strip().removeprefix("<!--").removesuffix("-->").strip()
        if m := _STAMP.fullmatch(fold(inside)):
            self.doc.stamp = self.doc.stamp or MirrorStamp(m[1], int(m[2]))
        elif inside and not is_ours(inside):
            self.doc.strays.append(whole)

    def _find_figures(self, line: str) -> list[tuple[MemoryId, Kind | None, re.Match[str]]]:
        """Find the comments of a line that are figures: the id (or what may be one), the kind."""
        if len(line) > PIECE:
            return []
        out, bare = [], _BARE.search(line)
        for m in _COMMENT.finditer(line) if "!" in line else [bare] if bare else []:
            inside = unicodedata.normalize("NFKC", m[1])
            found = _FIGURES.match(inside)
            if found and (found[1].lower() in self.known or "|" in found[2]):
                word = found[2].lstrip(" ]】〕)").split("|", maxsplit=1)[0]
                out.append((found[1].lower(), parse_kind(word), m))
            elif "|" in inside and _DATE.search(inside):  # its id is gone
                out.append(("", None, m))
        return out

    def _take_text(self, n: int, line: str, heading: re.Match[str] | None) -> None:
        if not is_hint(line) and (quoted := _QUOTED.match(line)):
            line = line[quoted.end() :]
            heading = _HEADING.match(line) if len(line) <= PIECE else None
        below = self.lines[n + 1] if n + 1 < len(self.lines) else ""
        if heading is None and _UNDERLINED.match(below) and ("=" in below or parse_part(line)):
            heading = _HEADING.match(f"# {line.strip()}"[:PIECE])
        figures = self._find_figures(line)
        if figures and (heading is None or not _ID.match(heading[2])):
            self._take_entries(n, line, figures)
        elif len(line) <= PIECE and (block := self._read_heading(n, line, heading)):
            self.end_piece(n)
            self.open, self.kind = block, None
        elif heading:
            self._take_own_heading(n, heading)
        elif not line.strip():
            self._end_paragraph()
            if self.open is not None:
                self.open.raw.append(line)
            elif self.stray:
                self.stray.append(line)
        elif _FOREIGN.match(line):
            self._close_block(n)
            self.stray.append(line)
        elif not is_hint(line) and not _RULE.match(line):
            self._take_content(n, line)

    def _take_own_heading(self, n: int, heading: re.Match[str]) -> None:
        """Go on below a heading of the person's own, which says nothing but perhaps a kind."""
        self.end_piece(n)
        if len(heading[1]) > 1:
            self.part, self.kind = "body", parse_kind(heading[2].split("|", maxsplit=1)[0])

    def _read_heading(self, n: int, line: str, heading: re.Match[str] | None) -> _OpenBlock | None:
        """Return the block that a line of figures opens: by a known id, or by its signs.

        A line that lost its signs opens one by a known id with a kind, a bar or a date after it.
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
        elif not own and not mark and (kind or not _STRUCTURE.search(title)):
            return None
        named = "" if own or kind or heading is None else heading[2].strip()
        return _OpenBlock(n, [line], token if own else None, kind, named, token)

    def _take_entries(
        self, n: int, line: str, figures: Sequence[tuple[MemoryId, Kind | None, re.Match[str]]]
    ) -> None:
        """Read the entries of a line, each before its comment.

        What is typed behind the last comment belongs to its entry.
        """
        if self.open is not None and (self.open.token or self.open.title):
            self._close_block(n)
        at, rest = 0, self._take_own_comments(line[figures[-1][2].end() :])
        item = _BULLET.match(rest)
        for token, kind, m in figures:
            words, at = line[at : m.start()], m.end()
            if at == figures[-1][2].end() and not item:
                words = f"{words.rstrip()} {rest}".rstrip()
            if words.strip():
                self._take_content(n, words)
            elif self.open is None and (last := self._find_loose(n)) is not None:
                self.open = last  # its comment slid down
            b = self.open or _OpenBlock(n)
            b.raw = b.raw or [line]
            b.id, b.token = (token if token in self.known else None), token
            b.kind, self.open = kind, b
            self._close_block(n + 1)
        if item:
            self._take_content(n, rest)

    def _take_own_comments(self, text: str) -> str:
        """Set aside the comments in a text; return what is left of it."""
        if len(text) > PIECE or "<!--" not in text:
            return text.strip()
        for m in _OWN_COMMENT.finditer(text):
            self._drop_comment(m[0])
        return _OWN_COMMENT.sub("", text).strip()

    def _find_loose(self, n: int) -> _OpenBlock | None:
        """Return the block just above, if it has no comment, as it was while it was read."""
        last = self.doc.blocks[-1] if self.doc.blocks else None
        if last is None or last.id or last.token or last.fault:
            return None
        if any(map(str.strip, self.lines[last.lines[1] : n])):
            return None
        self.doc.blocks.pop()
        return _OpenBlock(last.lines[0], [last.raw], paragraphs=list(last.paragraphs))

    def _take_content(self, n: int, line: str) -> None:
        b, bullet = self.open, _BULLET.match(line)
        if b and not b.title and (b.paragraphs if not b.lines else bullet):
            # An entry has one paragraph; of new ones each paragraph, and each item, is its own.
            self._close_block(n)
        if self.open is None:
            if self.part == "head" and not bullet and not self._find_figures(self.lines[n]):
                self.stray.append(line)
                return
            self.end_piece(n)
            self.open = _OpenBlock(n, kind=self.kind)
        self.open.raw.append(line)
        text = self._take_own_comments(line[bullet.end() :] if bullet else line)
        self.open.lines.append(unescape_line(text))

    # --- ends

    def _end_paragraph(self) -> None:
        if self.open is not None and self.open.lines:
            if text := flatten_spacing(join_lines(self.open.lines)):
                self.open.paragraphs.append(text)
            self.open.lines = []

    def _close_block(self, n: int) -> None:
        self._end_paragraph()
        b, self.open = self.open, None
        if b is None or not (b.paragraphs or b.title or b.token):
            return
        fault: Fault = "heading" if b.title else "" if b.paragraphs or b.id else "nothing"
        raw, token = "\n".join(b.raw).strip("\n"), b.token if b.id is None else ""
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
