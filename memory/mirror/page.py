"""MEMORY.md as text: what it consists of, and how it is written out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from memory.mirror import words
from memory.models import Kind, Lang, Level, MemoryId

Fault: TypeAlias = Literal["", "heading", "nothing"]


@dataclass(frozen=True, slots=True)
class MirrorEntry:
    """A memory as the file shows it."""

    id: MemoryId
    kind: Kind
    text: str
    weight: float
    active_on: str  # a date
    hits: int
    archived: bool = False
    negated: bool = False
    level: Level = Level.FULL


@dataclass(frozen=True, slots=True)
class MirrorStamp:
    """Which file of which store: what an editor's buffer goes back to, however old it is."""

    lineage: str
    version: int


@dataclass(frozen=True, slots=True)
class MirrorPage:
    """All that a file says."""

    entries: Sequence[MirrorEntry]
    stamp: MirrorStamp
    updated: str
    unread: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MirrorBlock:
    """Something that reads like an entry, or like a new one (`id` None).

    `paragraphs` are unescaped, their spacing evened; `raw` is the text as it stands; `lines` are
    its first line and the one after its last. `fault` says why it is no entry: an unreadable
    heading, or nothing under one.
    """

    raw: str
    lines: tuple[int, int]
    id: MemoryId | None = None
    kind: Kind | None = None
    paragraphs: tuple[str, ...] = ()
    fault: Fault = ""
    token: str = ""  # what stands where an id should

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.paragraphs)


@dataclass(slots=True)
class MirrorDocument:
    """A file that was read."""

    stamp: MirrorStamp | None = None
    blocks: list[MirrorBlock] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # what the Unread part holds
    strays: list[str] = field(default_factory=list)  # verbatim: what belongs to nothing
    empty: bool = False  # nothing at all in it

    @property
    def said(self) -> list[MirrorBlock]:
        """Blocks that can be read."""
        return [b for b in self.blocks if not b.fault]


# --- writing ---

_SPECIAL: Final = "#＃-–*+>•·‣[［【（(<|｜\\`~=:"
_NUMBERED: Final = re.compile(r"\d{1,3}[.)、）]")


def flatten_spacing(text: str) -> str:
    """Spacing evened: an entry's text is one line."""
    return " ".join(text.split())


def _escaped(text: str) -> str:
    line = flatten_spacing(text)
    return "\\" + line if line[:1] in _SPECIAL or _NUMBERED.match(line) else line


def unescape_line(text: str) -> str:
    """The text of a line as it was before `render` made its first sign harmless."""
    if text.startswith("\\") and (text[1:2] in _SPECIAL or _NUMBERED.match(text[1:])):
        return text[1:]
    return text


def _entry(e: MirrorEntry, lang: Lang) -> Iterable[str]:
    yield f"### [{e.id}] {words.get_kind_label(e.kind, lang)} | {e.weight:.2f} | {e.active_on} | {e.hits}"
    if e.level is not Level.FULL:
        yield f"<!-- {words.say(f'level.{e.level:d}', lang)} -->"
    if e.negated:
        yield f"<!-- {words.say('negated', lang)} -->"
    yield _escaped(e.text)
    yield ""


def render(page: MirrorPage, lang: Lang) -> str:
    """The whole file.

    Entries by weight, the strongest first; the same memories give the same text.
    """
    ordered = sorted(page.entries, key=lambda e: (-round(e.weight, 2), e.id))
    out = [
        f"# {words.say('title', lang)}",
        "",
        f"<!-- {words.say('updated', lang, at=page.updated)} -->",
        f"<!-- {words.say('total', lang, n=len(ordered))} -->",
        f"<!-- ebb: {page.stamp.lineage}.{page.stamp.version} -->",
        *(f"<!-- {note} -->" for note in page.notes),
        "",
        f"> {words.say('how', lang)}",
        "",
    ]
    for part, archived in (("active", False), ("archived", True)):
        out += [f"## {words.say(part, lang)}", ""]
        for e in ordered:
            if e.archived is archived:
                out += _entry(e, lang)
    if page.unread:
        out += [f"## {words.say('unread', lang)}", "", f"> {words.say('unread_how', lang)}", ""]
        for chunk in page.unread:
            out += [chunk, ""]
    return "\n".join(out).rstrip("\n") + "\n"


def split_lines(text: str) -> list[str]:
    """However they end, and whatever mark the file begins with."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def split_paragraphs(raw: str) -> list[str]:
    """A text in pieces without blank lines, as the Unread part keeps them."""
    pieces = re.split(r"\n[^\S\n]*(?:\n[^\S\n]*)+", raw.strip("\n"))
    return [p.strip("\n") for p in pieces if p.strip()]


def strip_own_comments(text: str) -> str:
    """The text without what changes by itself: comments of ours, and spacing between lines."""
    lines = (line.rstrip() for line in split_lines(text))
    return "\n".join(
        x
        for x in lines
        if x and not (x.startswith("<!--") and x.endswith("-->") and words.is_ours(x[4:-3]))
    )
