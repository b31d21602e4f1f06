"""Read the operations of a monitor's answer. Pure, and no input makes it raise.

    [ADD kind=todo importance=high due=<date> entities="a, b" said=2:"words"] text
    [UPDATE:id] text    [FIX:id] text    [NEGATE:id] text    [DONE:id] text
    [AFFIRM:id]    [SAME:id]    [BOOST:id]    [DELETE:id]    [SKIP]

Models write the same in other forms: heads without brackets, attributes behind the bracket, the
text on the next line, several operations on a line; JSON, XML, lists and tables are read by
`operation_forms`. What still cannot be read is reported and left out; words around the operations
never become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, Literal, TypeAlias, get_args

from memory.learn.answer import strip_thinking
from memory.learn.operation_forms import Fields, find_fields
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


def _table(name: str) -> dict[str, str]:
    return {word: n for table in values("answers", name).values() for word, n in table.items()}


_OPS: tuple[Op, ...] = get_args(Op)
_WORD: Mapping[str, Any] = {op: op for op in _OPS} | _table("OPERATIONS")
_NEEDS_ID: frozenset[Op] = frozenset(_OPS) - {"add", "skip"}
_NEEDS_TEXT: frozenset[Op] = frozenset({"add", "update", "fix", "done", "negate"})
_NAMES = (  # noqa: SIM905 - words read as words
    "kind importance due since on until repeats dead entities sensitivity certainty slot quote said"
).split()
_ATTRIBUTES: Mapping[str, str] = {name: name for name in _NAMES} | _table("ATTRIBUTES")
_FIELDS: Mapping[str, str] = _table("FIELDS")  # op, id, text, and of words beside `said`: n, words
_OPERATION_FIELDS: Final = frozenset(word for word, name in _FIELDS.items() if name == "op")


def _any_of(words: Mapping[str, str], name: str = "") -> str:
    chosen = [re.escape(w) for w, n in words.items() if name in {"", n}]
    return "|".join(sorted(chosen, key=len, reverse=True))


_MARKS: Final = re.compile(r"^(?:[\s>*•·‣▪\-–—+#|`_~]|\(?\d{1,2}[.)、）])+")
_HEAD: Final = re.compile(
    rf"[\[【［〔]\s{{0,9}}[*_`]{{0,3}}({_any_of(_WORD)})(?=[\s:：=＝,，;；|*_`#\]】］〕])", re.I
)
_BARE: Final = re.compile(  # "ADD kind=…", "Add: …", "更新 k7f3a2：…"
    rf"({_any_of(_WORD)})[*_`]{{0,3}}(?:(?=\s?[:：(（\[])|(?=\s+(?:{_any_of(_ATTRIBUTES)})\s?[=＝])"
    r"|(?=\s+(?=[a-z]*\d)[a-z][0-9a-z]{5,7}\b))"
    r"|(?-i:([A-Z]{3,6}|[\u4e00-\u9fff]{2}))[*_`]{0,3}(?=\s|$)",
    re.I,
)
_INSIDE: Final = re.compile(  # up to the bracket: not in quotes, nor that of an id with its own
    r"""((?:"(?:[^"\\]|\\.){0,500}"|“[^”]{0,500}”|「[^」]{0,500}」|[\[【［〔][^\[\]【】［］〔〕]{0,40}[\]】］〕]
    |[^\]】］〕])*+)[\]】］〕](.*)""",
    re.X,
)
_GROUP: Final = re.compile(
    r"""\s{0,9}[(（\[【]((?:"[^"]{0,500}"|“[^”]{0,500}”|[^()（）\[\]【】])*+)[)）\]】]"""
)
_BETWEEN: Final = re.compile(r"[\s,，;；|]*")
_KEYS: Final = _any_of(_ATTRIBUTES)
_KEY: Final = re.compile(
    rf"(?:({_KEYS})\s{{0,3}}[=＝:：]|([^\W\d]\w{{0,23}})\s{{0,3}}[=＝])\s{{0,3}}", re.I
)
_NEXT_KEY: Final = re.compile(rf"(?<![^\s,，;；|(（\[{{])(?:{_KEYS})\s{{0,3}}[=＝]", re.I)
_VALUE: Final = re.compile(
    r"""(?:"((?:[^"\\]|\\.){0,500})"|[“”]([^”“]{0,500})[”“]|「([^」]{0,500})」|'([^']{0,500})'
    |([^\s,，;；|\]】］〕)）"]{1,500}))""",
    re.X,
)
_NUMBER: Final = re.compile(r"""["“「(\[]?(\d{1,4})["”」)\]]?\s{0,3}[:：,，]?\s{0,3}""")
_QUOTATION: Final = re.compile(
    r"""(?:"((?:[^"\\]|\\.){0,500}?)"+|[“”]([^”“]{0,500})[”“]"?|「([^」]{0,500})」|'(.{0,500}?)'(?!\w))"""
)
_ID: Final = re.compile(
    r"""^[\s:：#=＝(（\[【［]*(?:id\s*[=＝:：]\s*)?["“'`]?([A-Za-z0-9_-]{1,32})["”'`]?[\]】］]?"""
)
_STRICT_ID: Final = re.compile(r"[a-z][0-9a-z]{5,7}", re.I)
_MORE_IDS: Final = re.compile(
    r"""^[\s,，、;；/|&\[\]"“'`]{1,9}([A-Za-z](?=\w*\d)[0-9A-Za-z]{5,7})["”'`\]]?(?![\w=＝:：])"""
)
_PLACEHOLDER: Final = re.compile(  # behind what is quoted "id" is I'd
    r"""[=＝](?:KIND|LEVEL|N\b|类别|程度)|^[^"“”=＝]{0,24}[:：\s](?:id|ID|编号)[\s\]】]"""
)
_LEAD: Final = re.compile(rf"^(?:{_any_of(_FIELDS, 'text')})(?=[:：=])", re.I)
_BEFORE: Final = " \t:：=|,，;；→>*_`-–—"
_AROUND: Final = " .。!！*_`"
_FENCE: Final = re.compile(r"^\s*(?:```|~~~)\w*\s*$")


def read(answer: str) -> tuple[list[OperationLine], list[SkippedLine]]:
    """Return the operations of an answer in order, and what could not be read."""
    text = strip_thinking(answer)
    lines: list[OperationLine] = []
    unread: list[SkippedLine] = []
    fields = find_fields(text, frozenset(_WORD), _OPERATION_FIELDS)
    each = chain.from_iterable(map(_read_fields, fields))
    found = each if fields else _read_lines(text, unread)
    for one in found:
        if isinstance(one, SkippedLine):
            unread.append(one)
        elif len(lines) >= MOST_LINES:
            unread.append(SkippedLine("too_many", one.raw))
        else:
            lines.append(one)
    return lines, unread


# --- lines ---


def _read_lines(text: str, unread: list[SkippedLine]) -> Iterator[OperationLine | SkippedLine]:
    """Yield what each line holds; an operation without its text takes the line below it."""
    waiting: OperationLine | None = None
    for raw in text.splitlines():
        if not raw.strip() or _FENCE.match(raw):
            continue
        if len(raw) > _LONGEST:
            yield SkippedLine("too_long", raw)
            continue
        stripped = _MARKS.sub("", raw).strip()
        parts = _split_operations(stripped)
        if waiting is not None:
            below = "" if parts else _clean_text(stripped)
            yield replace(waiting, text=below) if below else SkippedLine("no_text", waiting.raw)
            waiting = None
            if below:
                continue
        if not parts:
            yield SkippedLine("no_operation", raw)
        for op, inside, rest, whole in parts:
            for one in _read_operation(op, inside, rest, whole, unread):
                if isinstance(one, OperationLine) and op in _NEEDS_TEXT and not one.text:
                    waiting = one
                else:
                    yield one
    if waiting is not None:
        yield SkippedLine("no_text", waiting.raw)


def _split_operations(line: str) -> list[tuple[Op, str | None, str, str]]:
    """Part a line at its heads.

    Returns (operation, what its brackets hold, the rest, all of it); None without a closing one.
    """
    heads = list(_HEAD.finditer(line))
    if heads and heads[0].start() == 0:
        out: list[tuple[Op, str | None, str, str]] = []
        for m, after in zip(heads, [*heads[1:], None], strict=True):
            whole = line[m.start() : after.start() if after else len(line)].strip(
                " ;；" if after else None
            )
            if (split := _INSIDE.match(whole, m.end() - m.start())) is None:
                out.append((_WORD[m[1].casefold()], None, "", whole))
            else:
                out.append((_WORD[m[1].casefold()], split[1], split[2], whole))
        return out
    if (bare := _BARE.match(line)) is not None:
        op: Op | None = _WORD.get((bare[1] or bare[2]).casefold())
        return [(op, "", line[bare.end() :].lstrip("*_` "), line)] if op else []
    return [("skip", "", "", line)] if _WORD.get(line.strip(_AROUND).casefold()) == "skip" else []


def _read_operation(
    op: Op, inside: str | None, rest: str, whole: str, unread: list[SkippedLine]
) -> Iterator[OperationLine | SkippedLine]:
    """Yield an operation, for each of its ids."""
    if op == "skip":
        yield OperationLine("skip")
        return
    if inside is None or _PLACEHOLDER.search(whole):
        yield SkippedLine("no_bracket" if inside is None else "placeholder", whole)
        return
    ids: list[str] = []
    if op in _NEEDS_ID:
        bare = not inside.strip(" :：*_`")
        ids, left = _take_ids(rest if bare else inside, strict=bare)
        if not ids:
            yield SkippedLine("no_id", whole)
            return
        inside, rest = ("", left) if bare else (left, rest)
    attributes, after = _scan_attributes(inside, unread)
    if left := re.sub(r"[\s,，;；:：*_`|]+", " ", after).strip():
        unread.append(SkippedLine("attribute", left))
    more, text = _take_outer_attributes(rest)
    text = _clean_text(text) if op in _NEEDS_TEXT else ""
    attributes = {} if op in {"boost", "delete"} else {**more, **attributes}
    for memory_id in ids or [""]:
        yield OperationLine(op, memory_id, text, attributes, whole)


def _take_ids(text: str, *, strict: bool) -> tuple[list[str], str]:
    """Take the ids that a text begins with; `strict`: only what looks like one."""
    m = _ID.match(text)
    if m is None or re.match(r"\s*[=＝]", text[m.end() :]):  # an attribute in its place
        return [], text
    if strict and not _STRICT_ID.fullmatch(m[1]):
        return [], text
    ids, text = [m[1].lower()], text[m.end() :]
    while more := _MORE_IDS.match(text):
        ids.append(more[1].lower())
        text = text[more.end() :]
    return ids, text.lstrip(")）")


def _take_outer_attributes(rest: str) -> tuple[dict[str, str], str]:
    """Take attributes that stand before or behind the text, in brackets or without."""
    found: dict[str, str] = {}
    if (group := _GROUP.match(rest)) and _KEY.match(group[1]):
        found, rest = _scan_attributes(group[1], [])[0], rest[group.end() :]
    while (m := _NEXT_KEY.search(rest)) is not None:
        before = rest[: m.start()]
        leads = not before.strip(" \t:：|,，;；(（[{*_`-–—")
        more, after = _scan_attributes(rest[m.start() :], [])
        after = after.lstrip(" )）]}】|,，;；") if more else after
        if not more or (after and not leads):
            break  # a sentence that holds such a word
        found, rest = {**more, **found}, after if leads else before.rstrip(" |(（[{【-–—,，;；")
    return found, rest


def _clean_text(rest: str) -> str:
    """Take off what stands before the sentence, and marks whose other half is not there."""
    rest = _LEAD.sub("", rest.strip(" \t").lstrip(_BEFORE)).lstrip(_BEFORE)
    for mark in ("**", "__", "`"):
        if rest.count(mark) % 2:
            rest = rest.removesuffix(mark) if rest.endswith(mark) else rest.removeprefix(mark)
    rest = re.sub(r"\s+", " ", rest).strip(" |")
    pairs = {'"': '"', "“": "”", "「": "」"}
    if len(rest) > 2 and pairs.get(rest[0]) == rest[-1] and rest[0] not in rest[1:-1]:
        rest = rest[1:-1].strip()
    return rest


def _scan_attributes(text: str, unread: list[SkippedLine]) -> tuple[dict[str, str], str]:
    """Read `name=value` pairs from the beginning; returns them and what follows the last one."""
    out: dict[str, str] = {}
    left, at = "", _BETWEEN.match(text).end()  # type: ignore[union-attr]
    while at < len(text):
        m = _KEY.match(text, at)
        if m is None:
            stop = _NEXT_KEY.search(text, at)
            if stop is None:
                break
            left, at = left + text[at : stop.start()], stop.start()
            continue
        name = _ATTRIBUTES.get((m[1] or m[2]).casefold())
        value, end = _read_said(text, m.end()) if name == "said" else _read_value(text, m.end())
        if name is None:
            unread.append(SkippedLine("attribute", m[2]))
        elif value and name == "said":
            out[name] = "\n".join(filter(None, (out.get(name), value)))
        elif value:
            out.setdefault(name, value)
        at = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
        if end == m.end():
            break
    return out, left + text[at:]


def _read_value(text: str, at: int) -> tuple[str, int]:
    m = _VALUE.match(text, at)
    if m is None:
        return "", at
    return re.sub(r"\\(.)", r"\1", next(filter(None, m.groups()), "")).strip(), m.end()


def _read_said(text: str, at: int) -> tuple[str, int]:
    """Read 2:"moved to Lyon" as `2:moved to Lyon`; the words may stand without quotes."""
    m = _NUMBER.match(text, at)
    if m is None:
        words, end = _read_value(text, at)
        return "", end
    end = m.end()
    if (quoted := _QUOTATION.match(text, end)) is not None:
        words, end = next(filter(None, quoted.groups()), ""), quoted.end()
    else:
        close = _NEXT_KEY.search(text, end)
        stop = re.search(r"""["“”\]】|]|$""", text[end : close.start() if close else len(text)])
        words = text[end : end + (stop.start() if stop else 0)]
        end += len(words)
        end += text[end : end + 1] in {'"', "”"}
        if m[0].rstrip()[-1:].isdigit() and not m[0].endswith(" "):
            words = ""  # a number alone
    words = re.sub(r"\\(.)", r"\1", words).strip(" ,，;；")
    return f"{m[1]}:{words}", end


# --- JSON, XML, lists and tables ---


def _read_fields(found: Fields) -> Iterator[OperationLine | SkippedLine]:
    """Yield the operation that a model gave these fields, for each of its ids."""
    raw = " ".join(f"{k}={v}" for k, v in found.items())[:_LONGEST]
    named: dict[str, Any] = {}
    attributes: dict[str, str] = {}
    op: Op | None = None
    for key, value in found.items():
        name = _FIELDS.get(key, "")
        word = str(value).strip(" []【】").casefold()
        if name == "op" and word in _WORD and op is None:
            op = _WORD[word]
        elif key in _WORD and op is None:
            op = _WORD[key]
            named.setdefault("text", value)
        elif name and name != "op":
            named.setdefault(name, value)
        elif key in _ATTRIBUTES and value not in (None, "", []):
            attributes[_ATTRIBUTES[key]] = _write_value(value)
    if op == "skip" or op is None:
        yield OperationLine("skip") if op else SkippedLine("no_operation", raw)
        return
    ids = [i.strip(" []【】#").lower() for i in _write_value(named.get("id", "")).split(",")]
    text = _write_value(named.get("text", ""))
    if not ids[0] and op in _NEEDS_ID and _STRICT_ID.fullmatch(text):
        ids, text = [text.lower()], ""
    if op in _NEEDS_ID and not ids[0]:
        yield SkippedLine("no_id", raw)
        return
    text = _clean_text(text) if op in _NEEDS_TEXT else ""
    if op in _NEEDS_TEXT and not text:
        yield SkippedLine("no_text", raw)
        return
    if said := _join_said(found.get("said", found.get("依据")), named):
        attributes["said"] = said
    for memory_id in ids if op in _NEEDS_ID else [""]:
        yield OperationLine(
            op, memory_id, text, {} if op in {"boost", "delete"} else attributes, raw
        )


def _write_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_write_value, value))
    return "" if value is None or isinstance(value, dict) else str(value).strip()


def _join_said(said: Any, named: Mapping[str, Any]) -> str:
    """Return the message and its words as a line has them: 2:moved to Lyon."""
    if isinstance(said, list):
        if len(said) == 2 and str(said[0]).isdecimal():
            said = f"{said[0]}:{said[1]}"
        else:
            return "\n".join(
                filter(None, (_join_said(s, named) for s in said if not isinstance(s, list)))
            )
    if isinstance(said, dict):
        inner = {_FIELDS.get(str(k).casefold(), str(k).casefold()): v for k, v in said.items()}
        said = f"{inner.get('n', '')}:{inner.get('words', inner.get('text', ''))}"
    text = _write_value(said)
    words = _write_value(named.get("words", ""))
    if text.isdecimal():
        text = f"{text}:{words}"
    elif not text and words:
        text = f"{_write_value(named.get('n', '')) or 1}:{words}"
    return _read_said(text, 0)[0] if text else ""
