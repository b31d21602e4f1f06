"""Find the fields of operations that a model wrote as JSON, XML, an indented list or a table. Pure.

Each finder returns one mapping of field names to values for every operation, in order; what the
names and values mean is decided in `memory.learn.lines`.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final, TypeAlias

from memory.learn.answer import decode_json, drop_trailing_commas

Fields: TypeAlias = Mapping[str, Any]

_TAG: Final = re.compile(r"<([A-Za-z_][\w-]{0,30})((?:\s[^<>]{0,2000})?)/?>")
_XML_ATTRIBUTE: Final = re.compile(
    r"""([\w-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]{0,900})"|'([^']{0,900})')"""
)
_ITEM: Final = re.compile(
    r"""^(?:[-*•]|\d{1,2}[.)])?[ "'`*]{0,3}([^\W\d]\w{0,23})["'`*]{0,3}\s?[:：](.*)$"""
)
_QUOTES: Final = re.compile(r"""^(["'`])([^"'`]*)\1$""")
_LONGEST: Final = 4_000  # characters of a line that are read as Python
_MOST_TAGS: Final = 200  # of an answer; each may be looked for its end
_WRAPPED: Final = 4  # objects inside objects that are looked into


def find_fields(text: str, heads: frozenset[str], heads_of: frozenset[str]) -> list[Fields]:
    """Return the fields of every operation; none where the answer is not of these forms.

    Args:
        text: of the answer, without thinking.
        heads: the words that name an operation, in lower case.
        heads_of: the names of the field that holds such a word, in lower case.
    """
    for find in (_find_objects, _find_elements, _find_rows, _find_items):
        found = [f for f in find(text, heads) if _name_operation(f, heads, heads_of)]
        if found:
            return found
    return []


def _name_operation(found: Fields, heads: frozenset[str], heads_of: frozenset[str]) -> bool:
    return len(found) > 1 and any(
        name in heads or (name in heads_of and str(value).strip(" []【】").casefold() in heads)
        for name, value in found.items()
    )


def _find_objects(text: str, heads: frozenset[str]) -> Iterator[Fields]:
    """Yield the objects of JSON: single, one a line, in an array or inside another object."""
    text = drop_trailing_commas("\n".join(map(_read_python, text.splitlines())))
    for value, *_ in decode_json(text, "[{") if "{" in text else ():
        for one in value if isinstance(value, list) else [value]:
            yield from _flatten(one, heads)


def _read_python(line: str) -> str:
    """Write a dictionary of Python, which some models take for JSON, as JSON."""
    if not line.strip().startswith("{'") or len(line) > _LONGEST:
        return line
    try:
        return json.dumps(literal_eval(line.strip().rstrip(",")), ensure_ascii=False)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return line


def _flatten(value: Any, heads: frozenset[str], depth: int = 0) -> Iterator[Fields]:
    """Yield an object with its attributes beside it; {"add": {…}} and {"add": […]} as well."""
    if not isinstance(value, dict) or depth > _WRAPPED:
        return
    named = {str(k).casefold(): v for k, v in value.items()}
    for name, inner in named.items():
        several = inner if isinstance(inner, list) else [inner]
        if name in heads and all(isinstance(v, dict) for v in several):
            yield from ({**_lower(v), "op": name} for v in several)
            return
        if isinstance(inner, dict) and len(named) == 1:
            yield from _flatten(inner, heads, depth + 1)
            return
        if inner == several and inner and all(isinstance(v, dict) for v in several):
            if name in {"said", "entities"}:
                continue
            for v in several:
                yield from _flatten(v, heads, depth + 1)
            return
    for name in ("attributes", "attrs", "args", "arguments", "params", "parameters"):
        if isinstance(named.get(name), dict):
            named |= _lower(named.pop(name))
    yield named


def _lower(value: Mapping[str, Any]) -> dict[str, Any]:
    return {str(k).casefold(): v for k, v in value.items()}


def _find_elements(text: str, _heads: frozenset[str]) -> Iterator[Fields]:
    """Yield XML elements: their attributes, their text, and children with text of their own."""
    at = seen = 0
    while (m := _TAG.search(text, at)) and (seen := seen + 1) <= _MOST_TAGS:
        at = m.end()
        name, inside, end = m[1].casefold(), "", m.end()
        if not m[0].endswith("/>"):
            close = text.find(f"</{m[1]}>", at)
            line = text.find("\n", at)
            stop = close if close >= 0 else line if line >= 0 else len(text)
            inside, end = text[at:stop], stop
        fields: dict[str, Any] = {k.casefold(): a or b for k, a, b in _XML_ATTRIBUTE.findall(m[2])}
        children = list(_TAG.finditer(inside))
        if children and not fields and any(c[2].strip() for c in children):
            continue  # only what holds the operations
        for c in children:
            stop = inside.find(f"</{c[1]}>", c.end())
            child = inside[c.end() : stop if stop >= 0 else len(inside)].strip()
            if _TAG.search(child):
                break
            fields[c[1].casefold()] = unescape(child)
            inner = {k.casefold(): unescape(a or b) for k, a, b in _XML_ATTRIBUTE.findall(c[2])}
            if "n" in inner:  # <said n="1">words</said>
                fields[c[1].casefold()] = [inner["n"], fields[c[1].casefold()]]
        else:
            own = inside if not children else ""
            fields.setdefault("text", unescape(" ".join(own.split())))
            yield {**fields, name: fields["text"]} if name not in fields else fields
            at = max(at, end)


def _find_rows(text: str, _heads: frozenset[str]) -> Iterator[Fields]:
    """Yield the rows of a Markdown table under the names of its first row."""
    rows = [line.strip().strip("|") for line in text.splitlines() if line.count("|") >= 2]
    names = [c.strip(" *`").casefold() for c in rows[0].split("|")] if rows else []
    for row in rows[1:]:
        cells = [c.strip().strip("`*") for c in row.split("|")]
        if len(cells) >= 2 and row.strip(" |:-"):
            yield {k: v for k, v in zip(names, cells, strict=False) if v not in {"", "-", "—"}}


def _find_items(text: str, heads: frozenset[str]) -> Iterator[Fields]:
    """Yield lists of `name: value` lines; a line that names an operation begins a new one."""
    fields: dict[str, Any] = {}
    for line in text.splitlines():
        m = _ITEM.match(line.strip())
        name, value = (m[1].casefold(), _QUOTES.sub(r"\2", m[2].strip())) if m else ("", "")
        alone = line.strip(" -*#[]`:：").casefold()
        if alone in heads:
            yield fields
            fields = {}
            name, value = "op", alone
        if line.strip() and (not name or name in heads or name in fields):
            yield fields
            fields = {}
        if name and name not in heads:
            fields[name] = value
    yield fields
