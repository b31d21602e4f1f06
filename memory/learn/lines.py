"""Read the monitor's answer line by line. Pure, and no input makes it raise.

    [ADD kind=todo importance=high expires=<date> entities="a, b" said=2:"words"] text
    [UPDATE:id] text    [NEGATE:id] text    [BOOST:id]    [DELETE:id]    [SKIP]

One operation to a line. Full-width brackets and colons, list marks, code fences and emphasis around
are taken as they come; what still cannot be read is reported and left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from memory.learn.answer import strip_thinking

Op: TypeAlias = Literal["add", "update", "negate", "boost", "delete", "skip"]
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


_OPS: tuple[Op, ...] = ("add", "update", "negate", "boost", "delete", "skip")
_WORD: Mapping[str, Op] = {
    **{op: op for op in _OPS},
    **dict(zip("添加 更新 否定 强化 删除 跳过".split(), _OPS, strict=True)),  # noqa: SIM905 - words read as words
    "新增": "add",
}
_NEEDS_ID: frozenset[Op] = frozenset({"update", "negate", "boost", "delete"})
_NEEDS_TEXT: frozenset[Op] = frozenset({"add", "update", "negate"})
_ATTRIBUTES: Mapping[str, str] = {
    word: name
    for name, words in (
        ("kind", "kind category type 类别 类型"),
        ("importance", "importance 重要性 程度"),
        ("expires", "expires expires_at due 到期"),
        ("since", "since from valid_from 起始"),
        ("on", "on 日期"),
        ("until", "until 截至"),
        ("repeats", "repeats 重复"),
        ("entities", "entities entity 实体"),
        ("topics", "topics topic 主题"),
        ("sensitivity", "sensitivity 敏感"),
        ("confidence", "confidence 置信度"),
        ("quote", "quote 引语"),
    )
    for word in words.split()
}

_OPEN, _CLOSE = "[【［〔", "]】］〕"
_MARKS = re.compile(r"^(?:[\s>*•·‣▪\-–—+#|`_~]|\(?\d{1,2}[.)、）])+")
_HEAD = re.compile(r"[\[【［〔]\s*([A-Za-z]+|[\u4e00-\u9fff]{2})(?=[\s:：=\]】］〕])")
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
        found = _line(raw, unread) if len(raw) <= _LONGEST else SkippedLine("too_long", raw)
        if isinstance(found, SkippedLine):
            unread.append(found)
        elif len(lines) >= MOST_LINES:
            unread.append(SkippedLine("too_many", raw))
        else:
            lines.append(found)
    return lines, unread


def _line(raw: str, unread: list[SkippedLine]) -> OperationLine | SkippedLine:
    stripped = _MARKS.sub("", raw).strip()
    if _WORD.get(stripped.strip(".。*_`").casefold()) == "skip":  # without its brackets
        return OperationLine("skip")
    heads = [m for m in _HEAD.finditer(stripped) if m[1].casefold() in _WORD]
    if not heads or heads[0].start() != 0:
        return SkippedLine("no_operation", raw)
    if len(heads) > 1:
        return SkippedLine("several", raw)
    head = heads[0]
    op = _WORD[head[1].casefold()]
    end = _closing(stripped, head.end())
    if end < 0:
        return SkippedLine("no_bracket", raw)
    inside, text = stripped[head.end() : end], _text(stripped[end + 1 :])
    if op == "skip":
        return OperationLine("skip")
    memory_id = ""
    if op in _NEEDS_ID:
        m = _ID.match(inside)
        if not m or re.match(r"\s*[=＝]", inside[m.end() :]):  # an attribute where the id should be
            return SkippedLine("no_id", raw)
        memory_id, inside = m[1].lower(), inside[m.end() :]
    if op in _NEEDS_TEXT and not text:
        return SkippedLine("no_text", raw)
    attributes = _attributes(inside, unread) if op != "boost" else {}
    return OperationLine(op, memory_id, text if op in _NEEDS_TEXT else "", attributes, stripped)


def _closing(text: str, start: int) -> int:
    """Find where the bracket closes: not inside of quotes, nor the bracket of an id that was written with its own."""
    quote, depth = "", 0
    pairs = {'"': '"', "“": "”", "「": "」"}
    last = {c: text.rfind(close) for c, close in pairs.items()}
    for i in range(start, len(text)):
        c = text[i]
        if quote:
            quote = "" if c == quote and text[i - 1] != "\\" else quote
        elif i < last.get(c, -1):
            quote = pairs[c]
        elif c in _OPEN:
            depth += 1
        elif c in _CLOSE:
            if depth == 0:
                return i
            depth -= 1
    return -1


def _text(rest: str) -> str:
    """The text after the bracket, without the colon and without marks whose other half stands before the bracket."""
    rest = re.sub(r"^[\s*_`]*[:：]\s*", "", rest.strip())
    for mark in ("**", "__", "`"):
        if rest.count(mark) % 2:
            rest = rest.removesuffix(mark) if rest.endswith(mark) else rest.removeprefix(mark)
    return re.sub(r"\s+", " ", rest).strip()


def _attributes(inside: str, unread: list[SkippedLine]) -> dict[str, str]:
    out: dict[str, str] = {}
    if said := _SAID.search(inside):  # said=2:"moved to Lyon" is kept as 2:moved to Lyon
        out["said"] = f"{said[1]}:{next((v for v in said.groups()[1:] if v is not None), '')}"
        inside = inside[: said.start()] + inside[said.end() :]
    for m in _PAIR.finditer(inside):
        name = _ATTRIBUTES.get(m[1].casefold())
        value = next((v for v in m.groups()[1:] if v is not None), "")
        if name is None:
            unread.append(SkippedLine("attribute", m[1]))
        elif name not in out:
            out[name] = re.sub(r"\\(.)", r"\1", value).strip()
    left = re.sub(r"[\s,，;；:：]+", " ", _PAIR.sub("", inside)).strip()
    if left:
        unread.append(SkippedLine("attribute", left))
    return out
