"""What Ebb itself says: one TOML file a language and package, one table of it for each subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from memory.api import LANGUAGES
from memory.models import KINDS, Kind, Lang, Level

Catalogue: TypeAlias = Mapping[str, Mapping[str, str]]
LANGS: Final[tuple[Lang, ...]] = tuple(LANGUAGES)
_OWN: Final = Path(__file__).parent
_UNITS: Final = (
    ("year", 365 * 86400),
    ("month", 30 * 86400),
    ("day", 86400),
    ("hour", 3600),
    ("minute", 60),
)


@cache
def read_catalogue(folder: Path, lang: str) -> Catalogue:
    """Read the texts of a package in one language; in English where it has no file for that."""
    import tomllib  # 6 ms that nobody needs before something is said

    path = folder / f"{lang}.toml"
    return tomllib.loads(
        (path if path.exists() else folder / "en.toml").read_text(encoding="utf-8")
    )


class Texts:
    """The sentences of one table, by key, with `{name}` places.

    `folder` holds the package's TOML files.
    """

    def __init__(self, table: str, folder: Path = _OWN) -> None:
        self.table, self.folder = table, folder

    def __call__(self, lang: Lang, key: str, **places: object) -> str:
        """Write a sentence. Raises KeyError for an unknown key or a missing place."""
        return self.all(lang)[key].format_map(places)

    def __contains__(self, key: str) -> bool:
        return key in self.all("en")

    def one_of(self, lang: Lang, key: str, n: int) -> str:
        """Return the nth of the alternatives of a text, which `|` separates."""
        return self.all(lang)[key].split("|")[n]

    def name(self, lang: Lang, prefix: str, name: str) -> str:
        """Return the text of `prefix.name`; the name itself where there is none."""
        return self.all(lang).get(f"{prefix}.{name}", name)

    def names(self, prefix: str) -> list[str]:
        """List what stands behind `prefix.` in the table's keys, in its order."""
        return [k.removeprefix(f"{prefix}.") for k in self.all("en") if k.startswith(f"{prefix}.")]

    def all(self, lang: Lang) -> Mapping[str, str]:
        """Return every sentence of the table in one language."""
        return read_catalogue(self.folder, lang)[self.table]


say = Texts("chat")
words = Texts("words")


def join(parts: Iterable[str], lang: Lang, key: str = "and") -> str:
    """Join phrases with the language's comma (`and`, `list`) or its semicolon (`clauses`)."""
    return words(lang, key).join(parts)


def kind_name(kind: Kind, lang: Lang) -> str:
    """Name a kind of memory."""
    return str(getattr(KINDS[kind], lang, KINDS[kind].en))


def level_name(level: Level, lang: Lang) -> str:
    """Say how clear a memory still is."""
    return words(lang, f"level.{level.name.lower()}")


def format_age(then: datetime, now: datetime, lang: Lang) -> str:
    """Write how long ago something was, in one unit."""
    seconds = max(now - then, timedelta(0)).total_seconds()
    for unit, size in _UNITS:
        if n := int(seconds // size):
            return words(lang, f"ago.{unit}" if n == 1 else f"ago.{unit}s", n=n)
    return words(lang, "ago.now")


def write_day(day: date, this_year: int, lang: Lang) -> str:
    """Write a day in words, with its year where that is not this one."""
    month = words.one_of(lang, "months", day.month - 1)
    return words(lang, "day" if day.year == this_year else "day.year", day=day, month=month)
