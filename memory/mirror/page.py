"""MEMORY.md as text: what it consists of, how it is written, and how its own words are recognised.

Pure. What it says besides the memories stands in each language's `language.toml`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal, TypeAlias

from memory.models import KINDS, Kind, Lang, Level, MemoryId
from memory.text.languages import LANGUAGES, either, value, values

Fault: TypeAlias = Literal["", "heading", "nothing"]
PARTS: Final = ("active", "archived", "unread")
_COMMENTS: Final = ("UPDATED", "TOTAL", "NEGATED", "GONE", "ASKED")
_SPECIAL: Final = "#＃-–*+>•·‣[［【（(<|｜\\`~=:"
_NUMBERED: Final = re.compile(r"\d{1,3}[.)、）]")


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
    heading, or nothing under one. `token` is what stands where an id should.
    """

    raw: str
    lines: tuple[int, int]
    id: MemoryId | None = None
    kind: Kind | None = None
    paragraphs: tuple[str, ...] = ()
    fault: Fault = ""
    token: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.paragraphs)


@dataclass(slots=True)
class MirrorDocument:
    """A file that was read: entries, the pieces of its Unread part, and what belongs to nothing."""

    stamp: MirrorStamp | None = None
    blocks: list[MirrorBlock] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    empty: bool = False


# --- words of the file's own ---


def say(key: str, lang: Lang, **places: object) -> str:
    """Write one of the file's own sentences."""
    return str(value(lang, "mirror", key)).format_map(places)


def fold(text: str) -> str:
    """Even out width, case and spacing, which do not matter in what Ebb has to recognise."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def is_named(title: str, name: str) -> bool:
    """Tell whether a heading is called TITLE, ACTIVE, ARCHIVED or UNREAD in any language."""
    return bool(either("mirror", f"{name}_NAMES").fullmatch(fold(title).strip(" :*_#")))


def parse_part(title: str) -> str | None:
    """Return which part of the file a heading begins."""
    return next((part for part in PARTS if is_named(title, part.upper())), None)


@cache
def _own_comments() -> re.Pattern[str]:
    keys = [*_COMMENTS, *(f"LEVEL_{level:d}" for level in Level if level)]
    told = [fold(text) for key in keys for text in values("mirror", key).values()]
    forms = [re.sub(r"\\\{\w+\\\}", lambda _: ".{0,60}", re.escape(text)) for text in told]
    return re.compile("|".join(["ebb: .*", *forms]))


def is_ours(comment: str) -> bool:
    """Tell whether the inside of a comment was written by Ebb."""
    return _own_comments().fullmatch(fold(comment)) is not None


@cache
def _hints() -> frozenset[str]:
    return frozenset(
        fold(text) for key in ("HOW", "UNREAD_HOW") for text in values("mirror", key).values()
    )


def is_hint(line: str) -> bool:
    """Tell whether a quoted line is one of Ebb's own."""
    return fold(line.strip().lstrip(">")) in _hints()


@cache
def _kinds() -> dict[str, Kind]:
    out = {
        fold(name): kind
        for kind, info in KINDS.items()
        for name in (kind, *(getattr(info, lang, kind) for lang in LANGUAGES))
    }
    for names in values("mirror", "KIND_NAMES").values():
        out |= {fold(name): Kind(kind) for name, kind in names.items()}
    return out


def parse_kind(word: str) -> Kind | None:
    """Return the kind by its key or a label of it, with or without icon."""
    return _kinds().get(re.sub(r"^[^\w]+|[^\w]+$", "", fold(word)))


# --- writing ---


def flatten_spacing(text: str) -> str:
    """Even out spacing: an entry's text is one line."""
    return " ".join(text.split())


def _is_special(text: str) -> bool:
    return text[:1] in _SPECIAL or _NUMBERED.match(text) is not None


def unescape_line(text: str) -> str:
    """Return a line as it was before `render` made its first sign harmless."""
    return text[1:] if text.startswith("\\") and text[1:] and _is_special(text[1:]) else text


def _entry(e: MirrorEntry, lang: Lang) -> Iterable[str]:
    labelled = values("mirror", "KIND_LABELS").get(lang)
    kind = getattr(KINDS[e.kind], lang) if labelled else e.kind
    yield f"### [{e.id}] {kind} | {e.weight:.2f} | {e.active_on} | {e.hits}"
    if e.level is not Level.FULL:
        yield f"<!-- {say(f'LEVEL_{e.level:d}', lang)} -->"
    if e.negated:
        yield f"<!-- {say('NEGATED', lang)} -->"
    line = flatten_spacing(e.text)
    yield "\\" + line if _is_special(line) else line
    yield ""


def render(page: MirrorPage, lang: Lang) -> str:
    """Write the whole file, entries by weight; the same memories give the same text."""
    ordered = sorted(page.entries, key=lambda e: (-round(e.weight, 2), e.id))
    comments = [
        say("UPDATED", lang, at=page.updated),
        say("TOTAL", lang, n=len(ordered)),
        f"ebb: {page.stamp.lineage}.{page.stamp.version}",
        *page.notes,
    ]
    out = [f"# {say('TITLE', lang)}", "", *(f"<!-- {said} -->" for said in comments)]
    out += ["", f"> {say('HOW', lang)}", ""]
    for part, archived in (("ACTIVE", False), ("ARCHIVED", True)):
        out += [f"## {say(part, lang)}", ""]
        out += [x for e in ordered if e.archived is archived for x in _entry(e, lang)]
    if page.unread:
        out += [f"## {say('UNREAD', lang)}", "", f"> {say('UNREAD_HOW', lang)}", ""]
        out += [x for piece in page.unread for x in (piece, "")]
    return "\n".join(out).rstrip("\n") + "\n"


# --- lines and pieces ---


def split_lines(text: str) -> list[str]:
    """Split a text, however its lines end, and whatever mark it begins with."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def split_paragraphs(raw: str) -> list[str]:
    """Split a text at blank lines, as the Unread part keeps it."""
    pieces = re.split(r"\n[^\S\n]*(?:\n[^\S\n]*)+", raw.strip("\n"))
    return [p.strip("\n") for p in pieces if p.strip()]


def strip_own_comments(text: str) -> str:
    """Return the text without what changes by itself: own comments, and spacing between lines."""
    lines = (line.rstrip() for line in split_lines(text))
    return "\n".join(
        x
        for x in lines
        if x and not (x.startswith("<!--") and x.endswith("-->") and is_ours(x[4:-3]))
    )
