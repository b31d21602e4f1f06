"""No pattern that reads people's text has two unbounded repeats, nested or adjacent, that match the same character.

`re` would try every way to share a run of it. Possessive repeats and atomic groups give nothing back: they are none.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Final

from memory.text.commands import list_rows
from memory.text.dates.readers import list_rules
from memory.text.languages import LANGUAGES

PACKAGES: Final = ("memory", "bot", "prompts", "tui")
SAMPLE: Final = frozenset([*map(chr, range(32, 127)), *"\n\té一我的，。“”（）１Ａ\u3000"])
CATEGORIES: Final = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}


def find_patterns(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the compiled patterns in a module's value, in containers and dataclasses too."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield name, value
    items: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list | tuple | set | frozenset):
        items = enumerate(value)
    elif is_dataclass(value) and not isinstance(value, type):
        items = (
            (n, getattr(value, n, None)) for n in (*(f.name for f in fields(value)), "pattern")
        )  # lazy as well
    for key, item in items if depth < 4 else ():
        yield from find_patterns(f"{name}[{key!r}]", item, depth + 1)


def characters(op: Any, av: Any, flags: int) -> frozenset[str]:
    """Return which sample characters, and which literal ones, a node of one character matches; of others none."""
    if op is sre.ANY:
        return SAMPLE if flags & re.S else SAMPLE - {"\n"}
    if op in (sre.LITERAL, sre.NOT_LITERAL):
        found = {chr(av), chr(av).lower(), chr(av).upper()} if flags & re.I else {chr(av)}
        return SAMPLE - found if op is sre.NOT_LITERAL else frozenset(found)
    out: set[str] = set()
    for kind, value in av if op is sre.IN else ():
        if kind is sre.CATEGORY:
            matched = set(
                re.findall(
                    next(p for w, p in CATEGORIES.items() if str(value).endswith(w)),
                    "".join(SAMPLE),
                )
            )
            out |= SAMPLE - matched if "NOT_" in str(value) else matched
        elif kind is not sre.NEGATE:
            low, high = value if kind is sre.RANGE else (value, value)
            out |= {chr(low)} | {c for c in SAMPLE if low <= ord(c) <= high}
            out |= {c for c in SAMPLE if flags & re.I and low <= ord(c.swapcase()[0]) <= high}
    return SAMPLE - out if op is sre.IN and av[0][0] is sre.NEGATE else frozenset(out)


def walk(
    items: Any, before: list[frozenset[str]], flags: int, found: list[str]
) -> tuple[frozenset[str], list[Any]]:
    """Return a sequence's first characters and the unbounded repeats that may end it; `before` may stand before it."""
    first, optional = frozenset[str](), True  # everything so far may match nothing
    for op, av in items:
        if op in (sre.ASSERT, sre.ASSERT_NOT, sre.AT):
            continue
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            starts, ends = walk(av[2], before, flags, found)
            alone = av[1] is sre.MAXREPEAT and len(av[2]) == 1 and not ends
            if av[1] is sre.MAXREPEAT:
                found += [f"adjacent {min(b & starts)!r}" for b in before if b & starts and alone]
                found += [f"nested {min(e & starts)!r}" for e in ends if e & starts]
            every = [*ends, starts] if alone else ends
            may_be_empty = av[0] == 0 or av[2].getwidth()[0] == 0
            before = [*before, *every] if may_be_empty else every
        elif op is sre.SUBPATTERN:
            starts, before = walk(av[3], before, flags | av[1], found)
            may_be_empty = av[3].getwidth()[0] == 0
        elif op is sre.BRANCH:
            branches = [walk(b, before, flags, found) for b in av[1]]
            starts = frozenset().union(*(s for s, _ in branches))
            before = [e for _, ends in branches for e in ends]
            may_be_empty = any(b.getwidth()[0] == 0 for b in av[1])
        else:  # one character; or possessive, atomic or a reference to a group: nothing is given back
            starts, before, may_be_empty = characters(op, av, flags), [], False
        first |= starts if optional else frozenset()
        optional = optional and may_be_empty
    return first, before


def test_no_pattern_backtracks_without_bound() -> None:
    """Every compiled pattern of the program, wherever it stands; the message names the offenders."""
    for package in PACKAGES:
        for info in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not info.name.endswith("__main__"):
                importlib.import_module(info.name)
    modules = [(n, m) for n, m in sys.modules.items() if n.split(".")[0] in PACKAGES]
    offenders = {}
    for name, pattern in (
        *(p for n, m in modules for k, v in vars(m).items() for p in find_patterns(f"{n}.{k}", v)),
        *((f"dates.{r.reader}", re.compile(r.pattern)) for r in list_rules()),
        *((f"commands.{r.kind}", r.pattern) for lang in LANGUAGES for r in list_rows(lang)),
    ):
        tree, found = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), list[str]()
        walk(tree, [], tree.state.flags, found)
        if found:
            offenders[name] = sorted(set(found))
    assert not offenders, "\n".join(
        f"{name}: {', '.join(found)}" for name, found in offenders.items()
    )
