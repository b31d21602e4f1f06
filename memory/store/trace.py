"""Where words still stand in any byte of a home: a proof of forgetting. Only reads, also while Ebb runs."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Final

from memory.store.connection import connect
from memory.store.failures import database_errors
from memory.store.sqlite_module import choose
from memory.store.text import segment

SHORTEST: Final = 4  # bytes: shorter words stand in any large database by chance, so only its values are searched
_PIECE: Final = 4 << 20
_OVERLAP: Final = 4096  # longer than any words that somebody types
_ORDINARY: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
_WIDE: Final = r"\u3040-\u30ff\u3400-\u9fff"
_UNIT: Final = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")


def trace_words(home: Path, words: str) -> list[tuple[str, str, int]]:
    """Every place below `home` where the words stand one after the other, whatever their case and spacing.

    (file, `table.column` or "" for the bytes alone, how many). Raises ValueError if there is no word.
    """
    units = _UNIT.findall(words)
    if not units:
        raise ValueError("no word to look for")
    pattern, out = _pattern(units), list[tuple[str, str, int]]()
    for path in sorted(p for p in home.rglob("*") if p.is_file()):
        name, n = path.relative_to(home).as_posix(), 0
        with suppress(FileNotFoundError), path.open("rb") as f:  # it may go meanwhile
            is_database = f.read(16) == b"SQLite format 3\0"
            if is_database:
                out += [(name, where, n) for where, n in sorted(_rows(path, units, pattern).items())]
            if not is_database or len("".join(units).encode()) >= SHORTEST:
                f.seek(0)
                n = _times(f, units[0].lower(), pattern)
        out += [(name, "", n)] if n else []
    return out


def _pattern(units: list[str]) -> re.Pattern[str]:
    """The words in a text: between Latin ones something that is no letter, next to others a sign or two at most."""
    wide = [bool(re.match(f"[{_WIDE}]", u)) for u in units]
    out = "" if wide[0] else r"(?<![^\W_])"
    for i, unit in enumerate(units):
        out += ("" if not i else r"[\W_]{0,2}" if wide[i] or wide[i - 1] else r"[\W_]{1,4}") + re.escape(unit)
    return re.compile(out if wide[-1] else out + r"(?![^\W_])", re.I)


def _times(f: IO[bytes], first: str, pattern: re.Pattern[str]) -> int:
    """How often they stand in the bytes, as UTF-8 (JSON with escapes too) or as UTF-16 at any place."""
    count, piece = 0, b""
    while more := f.read(_PIECE):
        piece = piece[-_OVERLAP:] + more
        wide = [piece[at:].decode(how, "ignore") for how in ("utf-16-le", "utf-16-be") for at in (0, 1)]
        texts = [_unescaped(piece.decode("utf-8", "replace")), *wide]
        plain, *others = (len(pattern.findall(t)) if first in t.lower() else 0 for t in texts)
        count += plain + max(others)
    return count


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else " ", text) if "\\" in text else text


def _rows(path: Path, units: list[str], pattern: re.Pattern[str]) -> Counter[str]:
    """Rows by `table.column` whose value says the words, and by index that has them; none if it is damaged."""
    found: Counter[str] = Counter()
    with suppress(*database_errors()), closing(connect(choose(), path, read_only=True)) as con:
        con.execute("BEGIN")
        for (table,) in con.execute(_ORDINARY).fetchall():
            cursor = con.execute(f'SELECT * FROM "{table}"')
            columns = [f"{table}.{c[0]}" for c in cursor.description]
            for row in cursor:
                said = ((c, v) for c, v in zip(columns, row, strict=True) if isinstance(v, str))
                found.update(c for c, v in said if pattern.search(_unescaped(v)))
        phrase = f'text : "{segment(" ".join(units))}"'  # a file without such an index is done
        query = "SELECT COUNT(*) FROM memories_fts WHERE memories_fts MATCH ?"
        found["memories_fts"] += con.execute(query, (phrase,)).fetchone()[0]
    return +found
