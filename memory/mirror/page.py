"""MEMORY.md as text: what it consists of, how it is written, and how its own words are recognised.

Pure. What it says besides the memories stands in each language's `language.toml`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

from memory.models import KINDS, Kind, Lang, Level, MemoryId
from memory.text.languages import LANGUAGES, either, value, values

Fault: TypeAlias = Literal["", "heading", "nothing"]
PARTS: Final = ("active", "archived", "unread")
_HINTS: Final = ("HOW", "HOW_BEFORE", "ARCHIVED_HOW", "UNREAD_HOW", "MORE", "MORE_HOW", "FOLDED")
GROUPS: Final = "standing people life work health plans talks over".split()  # noqa: SIM905 - in this order
LINES: Final = 200  # of the page, as the session paper has it; the rest is in the file beside it
FOLD: Final = 3  # details shown below what was derived from them (by hand)
BESIDE: Final = "+"  # behind the kind in a digest: of an entry in MEMORY.more.md
_COMMENTS: Final = ("UPDATED", "TOTAL", "NEGATED", "GONE", "ASKED")
_SPECIAL: Final = "#＃-–*+>•·‣[［【（(<|｜\\`~=:"
_NUMBERED: Final = re.compile(r"\d{1,3}[.)、）]")
_TIMED: Final = re.compile(r"\[\d{4}-")  # how an episode begins
_PLAIN_SIGNS: Final = dict(zip("“”„«»‘’‚–—−‐‑", [*'"""""', *"'''", *"-----"], strict=True))
_PLAIN: Final = str.maketrans(_PLAIN_SIGNS)
_WIDE: Final = "\u3000-\u9fff\uf900-\ufaff\uff00-\uffef"
_MARKS: Final = re.compile(r"\*\*|__|~~|(?<!\w)[*_`]+(?=\w)|(?<=\S)[*_`]+(?!\w)")


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
    group: str = "life"  # one of GROUPS, or a name
    below: MemoryId | None = None  # the derived memory that it is a detail of
    rank: int = 0  # among the standing memories


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
    waiting: Sequence[str] = ()  # new lines that are read later


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
    """A file that was read: entries, the pieces of its Unread part, and what belongs to nothing.

    `held` are the ids in what belongs to nothing; `torn`: the last line has no end.
    """

    stamp: MirrorStamp | None = None
    blocks: list[MirrorBlock] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    held: set[MemoryId] = field(default_factory=set)
    empty: bool = False
    torn: bool = False


class RenderedPage(NamedTuple):
    """MEMORY.md, what is beside it (empty where it holds all), and which entries stand there."""

    text: str
    more: str
    beside: frozenset[MemoryId]


# --- words of the file's own ---


def say(key: str, lang: Lang, **places: object) -> str:
    """Write one of the file's own sentences."""
    return str(value(lang, "mirror", key)).format_map(places)


def fold(text: str) -> str:
    """Even out width, case and spacing, which do not matter in what Ebb has to recognise."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def is_named(title: str, name: str) -> bool:
    """Tell whether a heading is called ACTIVE, ARCHIVED or UNREAD in any language."""
    return bool(either("mirror", f"{name}_NAMES").fullmatch(fold(title).strip(" :*_#")))


def parse_part(title: str) -> str | None:
    """Return which part of the file a heading begins."""
    return next((part for part in PARTS if is_named(title, part.upper())), None)


def _match_said(*keys: str) -> str:
    told = (re.escape(fold(text)) for key in keys for text in values("mirror", key).values())
    counted = (text.replace(r"\{n\}", r"\d{1,9}") for text in told)
    return "|".join(re.sub(r"\\\{\w+\\\}", lambda _: ".{0,60}", text) for text in counted)


@cache
def _own_comments() -> re.Pattern[str]:
    keys = (*_COMMENTS, *(f"LEVEL_{level:d}" for level in Level if level))
    return re.compile(f"ebb: .*|{_match_said(*keys)}")


def is_ours(comment: str) -> bool:
    """Tell whether the inside of a comment was written by Ebb."""
    return _own_comments().fullmatch(fold(comment)) is not None


@cache
def _hints() -> re.Pattern[str]:
    return re.compile(_match_said(*_HINTS))


def is_hint(line: str) -> bool:
    """Tell whether a line is one of Ebb's own, and no memory."""
    return _hints().fullmatch(fold(line.strip().lstrip(">-*+ "))) is not None


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
    """Return a line as it was before `render` made its first sign and its comments harmless."""
    text = text[1:] if text.startswith("\\") and text[1:] and _is_special(text[1:]) else text
    return re.sub(r"<(\\*)\\!", r"<\1!", text)


def _escape_line(text: str) -> str:
    line = re.sub(r"<(\\*)!", r"<\1\\!", flatten_spacing(text))
    return "\\" + line if _is_special(line) and not _TIMED.match(line) else line


def strip_marks(text: str) -> str:
    """Return a text without marks of Markdown and typography, which make no new wording."""
    text = unicodedata.normalize("NFKC", text.translate(_PLAIN)).translate(_PLAIN)
    text = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in {"Cc", "Cf"})
    text = re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", text)
    text = re.sub("-{2,3}", "-", _MARKS.sub("", text))
    text = re.sub(rf"(?<=[{_WIDE}]) | (?=[{_WIDE}])", "", flatten_spacing(text))
    return text.removesuffix(".").removesuffix("。").strip()


def join_lines(lines: Sequence[str]) -> str:
    """Join the lines of a paragraph; Chinese goes on without a space."""
    return re.sub(rf"(?<=[{_WIDE}])\n(?=[{_WIDE}])", "", "\n".join(lines)).replace("\n", " ")


def _write_entry(e: MirrorEntry, lang: Lang) -> str:
    labelled = values("mirror", "KIND_LABELS").get(lang)
    kind = getattr(KINDS[e.kind], lang) if labelled else e.kind
    words = [say("NEGATED", lang)] if e.negated else []
    words += [say(f"LEVEL_{e.level:d}", lang)] if e.level is not Level.FULL else []
    figures = " | ".join([str(kind), f"{e.weight:.2f}", e.active_on, str(e.hits), *words])
    indent = "  " if e.below else ""
    return f"{indent}- {_escape_line(e.text)} <!-- [{e.id}] {figures} -->"


def _write_group(
    entries: Sequence[MirrorEntry], folded: Mapping[MemoryId | None, int], lang: Lang
) -> Iterable[str]:
    """Write the entries of a group, each with its details below it."""
    details = [e for e in entries if e.below]
    for e in entries:
        if e.below is None:
            yield _write_entry(e, lang)
            yield from (_write_entry(d, lang) for d in details if d.below == e.id)
            if folded[e.id]:
                yield f"  - {say('FOLDED', lang, n=folded[e.id])}"


def _write_part(
    part: str, entries: Sequence[MirrorEntry], folded: Mapping[MemoryId | None, int], lang: Lang
) -> Iterable[str]:
    yield from (f"## {say(part, lang)}", "")
    if part == "ARCHIVED" and entries:
        yield from (f"> {say('ARCHIVED_HOW', lang)}", "")
    groups: dict[str, list[MirrorEntry]] = {}
    for e in entries:
        groups.setdefault(e.group, []).append(e)
    named = [name for name in groups if name not in GROUPS]
    for name in ("standing", *named, *GROUPS[1:]):
        if name in groups:
            title = say(f"GROUP_{name.upper()}", lang) if name in GROUPS else name
            yield from (f"### {title}", "", *_write_group(groups[name], folded, lang), "")


def _write_page(
    page: MirrorPage, shown: Sequence[MirrorEntry], rest: Sequence[MirrorEntry] | None, lang: Lang
) -> str:
    """Write one of both files: the second one where there is no `rest`."""
    title = say("MORE_TITLE" if rest is None else "TITLE", lang)
    hints = [say("MORE_HOW" if rest is None else "HOW", lang)]
    if further := len(rest or ()) + (len(page.waiting) if rest is not None else 0):
        hints.append(say("MORE", lang, n=further))
    comments = [
        say("UPDATED", lang, at=page.updated),
        say("TOTAL", lang, n=len(page.entries)),
        f"ebb: {page.stamp.lineage}.{page.stamp.version}",
        *page.notes,
    ]
    out = [f"# {title}", "", *(f"<!-- {said} -->" for said in comments), ""]
    out += [x for hint in hints for x in (f"> {hint}", "")]
    if rest is None and page.waiting:
        out += [*(f"- {_escape_line(text)}" for text in page.waiting), ""]
    folded = Counter(e.below for e in rest or ())
    for part, archived in (("ACTIVE", False), ("ARCHIVED", True)):
        entries = [e for e in shown if e.archived is archived]
        if entries or rest is not None:
            out += _write_part(part, entries, folded, lang)
    return "\n".join(out).rstrip("\n") + "\n"


def render(page: MirrorPage, lang: Lang) -> RenderedPage:
    """Write MEMORY.md and what is beside it; the same memories give the same texts.

    What is archived and weak goes beside it first, and details beyond `FOLD`.
    """
    ordered = sorted(page.entries, key=lambda e: (e.rank, -round(e.weight, 2), e.id))
    ranked = sorted(ordered, key=lambda e: (e.archived, e.group != "standing"))
    below, kept = Counter[MemoryId](), list[MirrorEntry]()
    for e in ranked:
        below.update([e.below] if e.below else [])
        kept += [e] if not e.below or below[e.below] <= FOLD else []
    room = max(LINES // 2, LINES - sum(piece.count("\n") + 2 for piece in page.unread))
    kept = kept[:room]
    while True:
        ids = {e.id for e in kept}
        shown = [
            replace(e, below=None) if e.below and e.below not in ids else e
            for e in ordered
            if e.id in ids
        ]
        rest = [e for e in ordered if e.id not in ids]
        text = _write_page(page, shown, rest, lang)
        over = text.count("\n") - room
        if over <= 0 or not kept:
            break
        kept = kept[:-over]
    bare = [replace(e, below=None) if e.below else e for e in rest]
    more = _write_page(page, bare, None, lang) if rest or page.waiting else ""
    if page.unread:
        text += f"\n## {say('UNREAD', lang)}\n\n> {say('UNREAD_HOW', lang)}\n"
        text += "".join(f"\n{piece}\n" for piece in page.unread)
    return RenderedPage(text, more, frozenset(e.id for e in rest))


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
