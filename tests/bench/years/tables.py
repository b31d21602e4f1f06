"""Read the word tables of the lives.

A sort of fact begins with `@name kind flags`; a number among the flags is how many a life has of it. Its lines: `v` and
`w` values; `say` what is said and, behind `=>`, the note of it; `new` a change told without a link, `link` one told with
its former value {o}; `again` a mention; `ask` and `far` questions (far: few words shared), `stale` one with a premise
that has ended. What happened `once` is not told anew as a mention. {r}/{R} is a person with the relation, {p} the bare name, {n} as notes write it, {d} a date.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from types import ModuleType
from typing import Final

from tests.bench.years import words_en, words_zh

WORDS: Final[dict[str, ModuleType]] = {"en": words_en, "zh": words_zh}


@dataclass(frozen=True)
class Form:
    """One way to say something, with the note that a careful reader keeps of it."""

    text: str
    note: str


@dataclass
class Sort:
    """One sort of fact."""

    name: str
    kind: str
    flags: frozenset[str]
    count: int = 1
    values: dict[str, list[str]] = field(default_factory=dict)  # v, w
    forms: dict[str, list[Form]] = field(default_factory=dict)  # say, new, link
    lines: dict[str, list[str]] = field(default_factory=dict)  # again, stale
    questions: dict[str, list[str]] = field(default_factory=dict)  # ask, far


def split_bars(text: str) -> list[str]:
    """Split at bars; what is empty counts."""
    return [part.strip() for part in text.split("|")]


def read_table(text: str) -> list[Sort]:
    """Read one table into its sorts."""
    found: list[Sort] = []
    for line in text.strip().splitlines():
        if line.startswith("@"):
            name, kind, *flags = line[1:].split()
            count = next((int(f) for f in flags if f.isdigit()), 1)
            found.append(Sort(name, kind, frozenset(f for f in flags if not f.isdigit()), count))
            continue
        key, _, rest = line.partition(": ")
        if not rest:
            continue
        sort = found[-1]
        if key in ("v", "w"):
            sort.values[key] = split_bars(rest)
        elif key in ("say", "new", "link"):
            said, _, note = rest.partition(" => ")
            sort.forms.setdefault(key, []).append(Form(said, note))
        elif key in ("ask", "far"):
            sort.questions[key] = split_bars(rest)
        else:
            sort.lines.setdefault(key, []).append(rest)
    return found


def write_date(on: date, lang: str, *, year: bool = True) -> str:
    """Write a day as people of the language do."""
    if lang == "zh":
        return f"{on.year}年{on.month}月{on.day}日" if year else f"{on.month}月{on.day}日"
    month = words_en.MONTHS.split()[on.month - 1]
    return f"{on.day} {month} {on.year}" if year else f"{on.day} {month}"
