"""Where words still stand in any byte of a home: a proof of forgetting. Only reads, also while Ebb runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory.store.connection import connect
from memory.store.failures import database_errors
from memory.store.sqlite_module import choose
from memory.store.text import segment

SHORTEST: Final = 4  # bytes: shorter words stand in any large file by chance, so only texts are searched for them
_PIECE: Final = 4 << 20
_OVERLAP: Final = 4096  # longer than any words that somebody types
_ORDINARY: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
_UNIT: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0002ffff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0002ffff]")
# Each with what stands before and after an ASCII byte; "" is JSON with escapes.
_ENCODINGS: Final = (("utf-8", "", ""), ("utf-16-le", "", r"\x00"), ("utf-16-be", r"\x00", ""), ("", "", ""))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the words stand: a file, `table.column` ("" for the bytes alone), how many rows or times."""

    file: str
    where: str
    count: int


def trace_words(home: Path, words: str) -> list[Place]:
    """Every place below `home` where the words stand one after the other, whatever their case and spacing.

    Databases are read value by value as well as byte by byte. Raises ValueError if there is no word.
    """
    units = _UNIT.findall(words)
    if not units:
        raise ValueError("no word to look for")
    wide = [bool(_WIDE.match(u)) for u in units]
    pattern = re.compile(_joined(list(map(re.escape, units)), wide, r"[\W_]", r"[^\W_]"), re.I)
    raw = _patterns(units)
    out: list[Place] = []
    for path in sorted(p for p in home.rglob("*") if p.is_file()):
        name = path.relative_to(home).as_posix()
        with suppress(FileNotFoundError):  # put in its place, or gone, meanwhile
            if _is_database(path):
                out += [Place(name, where, n) for where, n in sorted(_rows(path, units, pattern).items())]
            if n := _times(path, raw):
                out.append(Place(name, "", n))
    return out


def _joined(words: list[str], wide: list[bool], gap: str, letter: str) -> str:
    """A pattern of words one after the other: something between Latin ones, next to others a space at most."""
    out = "" if wide[0] else f"(?<!{letter})"
    for i, word in enumerate(words):
        out += ("" if not i else gap + "{0,2}" if wide[i] or wide[i - 1] else gap + "{1,4}") + word
    return out if wide[-1] else f"{out}(?!{letter})"


def _patterns(units: list[str]) -> list[tuple[bytes, re.Pattern[bytes]]]:
    """The same in bytes, in every encoding that anything of ours, or an editor, writes; each with its first word."""
    wide, found = [bool(_WIDE.match(u)) for u in units], dict[str, tuple[bytes, re.Pattern[bytes]]]()
    for encoding, before, after in _ENCODINGS:
        gap = "(?:" + before + r"(?:\\[nrt]|[^0-9A-Za-z\\\x80-\xff])" + after + ")"
        for how in (str.lower, str.upper, str.title, str):
            words = map(how, units)
            coded = [w.encode(encoding) if encoding else json.dumps(w)[1:-1].encode() for w in words]
            out = _joined([re.escape(c).decode("latin-1") for c in coded], wide, gap, f"{before}[0-9A-Za-z]{after}")
            if sum(map(len, coded)) >= SHORTEST and out.lower() not in found:
                found[out.lower()] = coded[0].lower(), re.compile(out.encode("latin-1"), re.I)
    return list(found.values())


def _times(path: Path, patterns: list[tuple[bytes, re.Pattern[bytes]]]) -> int:
    """How often they stand in the file's bytes, read in overlapping pieces."""
    found: set[int] = set()
    with path.open("rb") as f:
        at, piece = 0, f.read(_PIECE)
        while piece:
            low = piece.lower()  # of ASCII letters; a quick look before a long one
            for first, pattern in patterns:
                if first in low:
                    found.update(at + m.start() for m in pattern.finditer(piece))
            more = f.read(_PIECE)
            at, piece = at + len(piece) - _OVERLAP, piece[-_OVERLAP:] + more if more else b""
    return len(found)


def _is_database(path: Path) -> bool:
    with path.open("rb") as f:
        return f.read(16) == b"SQLite format 3\0"


def _rows(path: Path, units: list[str], pattern: re.Pattern[str]) -> Counter[str]:
    """Rows by `table.column` whose value says the words, and by index that has them; empty if it is damaged."""
    found: Counter[str] = Counter()
    with suppress(*database_errors()), closing(connect(choose(), path, read_only=True)) as con:
        con.execute("BEGIN")
        for (table,) in con.execute(_ORDINARY).fetchall():
            cursor = con.execute(f'SELECT * FROM "{table}"')
            columns = [c[0] for c in cursor.description]
            for row in cursor:
                found.update(
                    f"{table}.{column}"
                    for column, value in zip(columns, row, strict=True)
                    if isinstance(value, str) and any(map(pattern.search, _readings(value)))
                )
        with suppress(*database_errors()):  # a file without such an index
            phrase = '"' + segment(" ".join(units)).replace('"', " ") + '"'
            n = con.execute("SELECT COUNT(*) FROM memories_fts WHERE memories_fts MATCH ?", (f"text : {phrase}",))
            found["memories_fts"] += n.fetchone()[0]
    return +found


def _readings(value: str) -> Iterator[str]:
    """The value, and what it says if it is JSON with escapes."""
    yield value
    if "\\" in value:
        with suppress(ValueError):
            yield json.dumps(json.loads(value), ensure_ascii=False)
