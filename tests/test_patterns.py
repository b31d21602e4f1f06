"""No pattern that reads people's text can be made slow: none has two unbounded repeats that match the same character.

Two such repeats, one inside the other or one right behind the other, make `re` try every way to share a run of that
character between them. Possessive repeats and atomic groups give nothing back, so they count as none.
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

PACKAGES: Final = ("memory", "bot", "prompts", "tui")
SAMPLE: Final = frozenset([*map(chr, range(32, 127)), *"\n\té一我的，。“”（）１Ａ\u3000"])
CATEGORIES: Final = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
GREEDY: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT)
WIDTHLESS: Final = (sre.ASSERT, sre.ASSERT_NOT, sre.AT)


def find_patterns(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the compiled patterns in a module's value, in containers and dataclasses too."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield name, value
    elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
        for i, item in enumerate(value):
            yield from find_patterns(f"{name}[{i}]", item, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        for key, item in value.items():
            yield from find_patterns(f"{name}[{key!r}]", item, depth + 1)
    elif depth < 4 and is_dataclass(value) and not isinstance(value, type):
        for f in fields(value):
            yield from find_patterns(f"{name}.{f.name}", getattr(value, f.name, None), depth + 1)


def characters(op: Any, av: Any, flags: int) -> frozenset[str]:
    """Return which sample characters, and which literal ones, one single-character node matches."""
    if op is sre.ANY:
        return SAMPLE if flags & re.S else SAMPLE - {"\n"}
    if op in (sre.LITERAL, sre.NOT_LITERAL):
        found = {chr(av), chr(av).lower(), chr(av).upper()} if flags & re.I else {chr(av)}
        return SAMPLE - found if op is sre.NOT_LITERAL else frozenset(found)
    out: set[str] = set()
    for kind, value in av:
        if kind is sre.CATEGORY:
            word = next(w for w in CATEGORIES if str(value).endswith(w))
            matched = {c for c in SAMPLE if re.match(CATEGORIES[word], c)}
            out |= SAMPLE - matched if "NOT_" in str(value) else matched
        elif kind is not sre.NEGATE:
            low, high = value if kind is sre.RANGE else (value, value)
            out |= {chr(low)} | {c for c in SAMPLE if low <= ord(c) <= high}
            out |= {c for c in SAMPLE if flags & re.I and low <= ord(c.swapcase()[0]) <= high}
    return SAMPLE - out if av and av[0][0] is sre.NEGATE else frozenset(out)


def walk(items: Any, before: list[frozenset[str]], flags: int, found: list[str]) -> tuple[frozenset[str], list[Any]]:
    """Return the first characters of a sequence and the unbounded repeats that may stand at its end.

    `before` are the unbounded repeats that may stand right before it; `found` collects the offences.
    """
    first: frozenset[str] = frozenset()
    optional = True  # everything so far may match nothing
    for op, av in items:
        if op in WIDTHLESS:
            continue
        if op in GREEDY:
            starts, ends = walk(av[2], before, flags, found)
            if av[1] is sre.MAXREPEAT:
                found += [
                    f"adjacent {min(b & starts)!r}" for b in before if b & starts and len(av[2]) == 1 and not ends
                ]
                found += [f"nested {min(e & starts)!r}" for e in ends if e & starts]
                every = [*ends, starts] if len(av[2]) == 1 and not ends else ends
            else:
                every = ends
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
        elif op in (sre.ANY, sre.LITERAL, sre.NOT_LITERAL, sre.IN):
            starts, before, may_be_empty = characters(op, av, flags), [], False
        else:  # possessive, atomic or a reference to a group: nothing is given back
            starts, before, may_be_empty = frozenset(), [], False
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
    for module, loaded in modules:
        for name, pattern in (p for k, v in vars(loaded).items() for p in find_patterns(f"{module}.{k}", v)):
            tree, found = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), list[str]()
            walk(tree, [], tree.state.flags, found)
            if found:
                offenders[name] = sorted(set(found))
    assert not offenders, "\n".join(f"{name}: {', '.join(found)}" for name, found in offenders.items())
