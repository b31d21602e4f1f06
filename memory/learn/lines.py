"""Read the monitor's answer line by line. Pure, and no input makes it raise.

    [ADD kind=todo importance=high expires=<date> entities="a, b" said=2:"words"] text
    [UPDATE:id] text    [DONE:id] text    [NEGATE:id] text    [BOOST:id]    [DELETE:id]    [SKIP]

One operation to a line. Full-width brackets and colons, list marks, code fences and emphasis around
are taken as they come; what still cannot be read is reported and left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from memory.learn.answer import strip_thinking
from memory.text.languages import values

Op: TypeAlias = Literal[
    "add", "update", "fix", "negate", "affirm", "done", "same", "boost", "delete", "skip"
]
MOST_LINES = 24  # operations taken from one answer: no exchange holds more that lasts
_LONGEST = 4_000  # characters of a line: four times what a memory holds


@dataclass(frozen=True, slots=True)
class OperationLine:
    """One operation, as the model wrote it; whether its id exists is not decided here."""

    op: Op
    id: str = ""
    text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    raw: str = field(default="", compare=False)  # as it was written


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line, or an attribute of one, that was left out. `why` is one short word for the log."""

    why: str
    text: str


_OPS: tuple[Op, ...] = get_args(Op)
_WORD: Mapping[str, Op] = {op: op for op in _OPS} | {
    word: op for table in values("answers", "OPERATIONS").values() for word, op in table.items()
}
_NEEDS_ID: frozenset[Op] = frozenset(_OPS) - {"add", "skip"}
_NEEDS_TEXT: frozenset[Op] = frozenset({"add", "update", "fix", "done", "negate"})
_NAMES = (  # noqa: SIM905 - words read as words
    "kind importance due since on until repeats dead entities topics sensitivity certainty slot"
    " quote"
).split()
_ATTRIBUTES: Mapping[str, str] = {name: name for name in _NAMES} | {
    word: name for table in values("answers", "ATTRIBUTES").values() for word, name in table.items()
}

_MARKS = re.compile(r"^(?:[\s>*•·‣▪\-–—+#|`_~]|\(?\d{1,2}[.)、）])+")
_HEAD = re.compile(r"[\[【［〔]\s*([A-Za-z]+|[\u4e00-\u9fff]{2})(?=[\s:：=\]】］〕])")
_INSIDE = re.compile(  # up to the bracket: not in quotes, nor that of an id with its own
    r"""((?:"(?:[^"\\]|\\.){0,500}"|“[^”]{0,500}”|「[^」]{0,500}」|[\[【［〔][^\[\]【】［］〔〕]{0,40}[\]】］〕]
    |[^\]】］〕])*+)[\]】］〕](.*)""",
    re.X,
)
_PAIR = re.compile(
    r"""([A-Za-z_]{1,24}|[\u4e00-\u9fff]{1,9})\s{0,9}[=＝]\s{0,9}
    (?:"((?:[^"\\]|\\.){0,500})"|“([^”]{0,500})”|「([^」]{0,500})」|'([^']{0,500})'|([^\s,，;；\]】］〕"]{1,500}))""",
    re.X,
)
_SAID = re.compile(
    r"""(?:said|依据|原话)\s{0,9}[=＝]\s{0,9}"?\s{0,9}(\d{1,4})(?:\s{0,9}[:：]\s{0,9}
    (?:"((?:[^"\\]|\\.)*)"|“([^”]*)”|「([^」]*)」|'([^']*)'|([^\s\]】］〕"“「']+)))?""",
    re.X | re.I,
)
_ID = re.compile(r"^[\s:：#\[【［]*(?:id\s*[=＝:：]\s*)?([A-Za-z0-9_-]{1,32})[\]】］]?")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")


def read(answer: str) -> tuple[list[OperationLine], list[SkippedLine]]:
    """Return the operations of an answer in order, and what could not be read."""
    lines: list[OperationLine] = []
    unread: list[SkippedLine] = []
    for raw in strip_thinking(answer).splitlines():
        if not raw.strip() or _FENCE.match(raw):
            continue
        found = _read_line(raw, unread) if len(raw) <= _LONGEST else SkippedLine("too_long", raw)
        if isinstance(found, SkippedLine):
            unread.append(found)
        elif len(lines) >= MOST_LINES:
            unread.append(SkippedLine("too_many", raw))
        else:
            lines.append(found)
    return lines, unread


def _read_line(raw: str, unread: list[SkippedLine]) -> OperationLine | SkippedLine:
    stripped = _MARKS.sub("", raw).strip()
    if _WORD.get(stripped.strip(".。*_`").casefold()) == "skip":  # without its brackets
        return OperationLine("skip")
    heads = [m for m in _HEAD.finditer(stripped) if m[1].casefold() in _WORD]
    if not heads or heads[0].start() != 0:
        return SkippedLine("no_operation", raw)
    if len(heads) > 1:
        return SkippedLine("several", raw)
    op = _WORD[heads[0][1].casefold()]
    if (m := _INSIDE.match(stripped, heads[0].end())) is None:
        return SkippedLine("no_bracket", raw)
    if op == "skip":
        return OperationLine("skip")
    inside, text, memory_id = m[1], _clean_text(m[2]), ""
    if op in _NEEDS_ID:
        found = _ID.match(inside)
        if not found or re.match(r"\s*[=＝]", inside[found.end() :]):  # an attribute in its place
            return SkippedLine("no_id", raw)
        memory_id, inside = found[1].lower(), inside[found.end() :]
    if op not in _NEEDS_TEXT:
        text = ""
    elif not text:
        return SkippedLine("no_text", raw)
    attributes = _read_attributes(inside, unread) if op != "boost" else {}
    return OperationLine(op, memory_id, text, attributes, stripped)


def _clean_text(rest: str) -> str:
    """Take off the colon, and marks whose other half stands before the bracket."""
    rest = re.sub(r"^[\s*_`]*[:：]\s*", "", rest.strip())
    for mark in ("**", "__", "`"):
        if rest.count(mark) % 2:
            rest = rest.removesuffix(mark) if rest.endswith(mark) else rest.removeprefix(mark)
    return re.sub(r"\s+", " ", rest).strip()


def _read_attributes(inside: str, unread: list[SkippedLine]) -> dict[str, str]:
    out: dict[str, str] = {}
    if said := _SAID.search(inside):  # said=2:"moved to Lyon" is kept as 2:moved to Lyon
        out["said"] = f"{said[1]}:{next(filter(None, said.groups()[1:]), '')}"
        inside = inside[: said.start()] + inside[said.end() :]
    for m in _PAIR.finditer(inside):
        name = _ATTRIBUTES.get(m[1].casefold())
        value = next(filter(None, m.groups()[1:]), "")
        if name is None:
            unread.append(SkippedLine("attribute", m[1]))
        else:
            out.setdefault(name, re.sub(r"\\(.)", r"\1", value).strip())
    if left := re.sub(r"[\s,，;；:：]+", " ", _PAIR.sub("", inside)).strip():
        unread.append(SkippedLine("attribute", left))
    return out
