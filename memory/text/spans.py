"""Split a message into the person's own words and material: what is quoted, pasted or forwarded.

Form only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from memory.text.languages import either, joined
from memory.text.words import UNSPACED, is_unspaced

Kind = Literal["own", "quoted", "pasted", "forwarded"]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Half-open range of a message, and whose words it holds."""

    start: int
    end: int
    kind: Kind


def _either(
    name: str, spaced: str = r"\b(?:{})(?!\w)", unspaced: str = "(?:{})"
) -> re.Pattern[str]:
    return either("spans", name, spaced, unspaced)


_AT_START: Final = {"spaced": r"\s*(?:{})", "unspaced": r"\s*(?:{})"}
_WHOLE: Final = {"spaced": r"\s*(?:{})[.,!]?\s*$", "unspaced": r"\s*(?:{})[。，！]?\s*$"}
_EDITS, _ASKS, _POINTS = _either("EDITS"), _either("ASKS"), _either("POINTS")
_REQUEST: Final = either("spans", "REQUESTS")
_TEXTS: Final = _either("TEXTS", spaced=r"\b(?:{})\b", unspaced="(?:{})[^，。]{{0,4}}$")
_NOUN: Final = _either("TEXTS")
_ANNOUNCES: Final = _either("ANNOUNCES", spaced=r"\b(?:{})")
_TOLD: Final = _either("TOLD")
_TELLS: Final = _either("TELLS", **_AT_START)
_TALE_ENDS: Final = _either("TALE_ENDS")
_HEADER: Final = _either("HEADERS", spaced=r"\s*(?:{}) ?[:：] ?\S", unspaced=r"\s*(?:{}) ?[:：]")
_FORWARDED: Final = _either("FORWARDED", **_AT_START)
_GREETING: Final = _either(
    "GREETING",
    spaced=r"(?:{})[^.!?:]{{0,40}}[,:]?$",
    unspaced=r"(?:{})[^。！？：]{{0,12}}[：，:,]$",
)
_FORMAL: Final = _either(
    "FORMAL", spaced=r"(?:{})[^.!?:]{{0,40}}[,:]?$", unspaced=r"(?:{})[^。！？：]{{0,12}}[：，:,]$"
)
_SIGN_OFF: Final = _either("SIGN_OFF", **_WHOLE)
_QUESTION: Final = _either("QUESTION", spaced="{}")
_FIRST: Final = _either("FIRST", spaced="{}")
_BACKWARD: Final = _either("BACKWARD")
_REGISTER: Final = re.compile(
    rf"\s*(?:{joined('spans', 'REGISTER')})|(?i:\s*(?:abstract|by [a-z]+ [a-z]+$))"
)
_LABEL: Final = re.compile(rf"(?:{joined('spans', 'LABELS')}).{{0,4}}$", re.I)
_SHORT: Final = re.compile(rf"(?<![\w'’])(?:{joined('spans', 'SHORT')}|(?-i:[A-HJ-Z]))\.$", re.I)

_BEGINS: Final = either("spans", "BEGINS")
_LINE: Final = re.compile(r"[^\n]+")
_STAMP: Final = re.compile(
    r"\s*\[?(?:\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?,? ?)?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?\]?(?: ?[-–—])?\s",
    re.I,
)
_SPEAKER: Final = re.compile(
    r"\s*@?([^\W\d_][^\s:：，。,.!?“”\"]{0,15}(?: [A-Z]\w{0,12}){0,2}) ?[:：](?!//)\s?(?=\S)"
)
_ITEM: Final = re.compile(r"\s*(?:[-*•·]|\d{1,3}[.)、]|\(\d+\)|[一二三四五六七八九十]、)")
_CODE: Final = re.compile(
    r"(?:\$ |>>> |Traceback \(|  File \"|\s+at [\w.$]+\("
    r"|[\w.]{0,60}(?:Error|Exception): |#include|import [\w.]+;?$|from [\w.]+ import"
    r"|(?:def|class|function) \w+ ?[(:{]|(?:const|let|var) \w+ ?=|</?\w[^>]{0,80}>)"
)
_BARE: Final = re.compile(r"\W")
_FENCE: Final = re.compile(r"(?:```|~~~)")
_SINGLE: Final = re.compile(
    r"(?<![\w'’])['‘](?!(?:cause|til|em|n|bout|tis|twas)\b)(?=\w)[^'’\n]{1,300}(?:['’]\w[^'’\n]{0,300}){0,6}['’](?!\w)",
    re.I,
)
_CLOSERS: Final = {
    "“": "”",
    "「": "」",
    "『": "』",
    "《": "》",
    '"': '"',
    "`": "`",
    "„": "“",
    "«": "»",
    "＂": "＂",
}
_END: Final = re.compile(
    r"[。！？!?…]+[”\"’)）」』]*(?![A-Za-z0-9#$%&*+/=@^_~-])|(?<!\.)\.+[”\"’)]*(?=\s|$|["
    + UNSPACED
    + r"])|\n+"
)
_MARKED: Final = re.compile(r"《[^《》\n]{1,40}》|“[^“”\n]{1,10}”|「[^「」\n]{1,10}」")
_NAME: Final = re.compile(r"\bebb\b", re.I)
_LEAD: Final = 200  # characters in which a text is announced
_QUOTE: Final = 2_000  # characters that one quotation may hold


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Cut a text into sentences: offsets in order, without the space around them."""
    out: list[tuple[int, int]] = []
    start, quoted = 0, _RangeCursor(_quotes(text))
    for m in _END.finditer(text):
        if text[m.start()] != "\n" and quoted.holds(m.start()) and quoted.holds(m.end()):
            continue
        if text[m.start()] == "." and _goes_on(text, m):
            continue
        out.append((start, m.end()))
        start = m.end()
    out.append((start, len(text)))
    return [_trimmed(text, a, b) for a, b in out if text[a:b].strip()]


def split_spans(text: str) -> tuple[TextSpan, ...]:
    """Cover the text with spans, in order and without overlaps."""
    marks = sorted(_MaterialMarker(text).regions(), key=lambda s: (s.start, -s.end))
    out: list[TextSpan] = []
    at = 0
    for mark in marks:
        if mark.end <= at:
            continue
        if out and out[-1].kind == mark.kind and not text[at : mark.start].strip():
            out[-1] = TextSpan(out[-1].start, mark.end, mark.kind)
        else:
            if mark.start > at:
                out.append(TextSpan(at, mark.start, "own"))
            out.append(TextSpan(max(mark.start, at), mark.end, mark.kind))
        at = mark.end
    if at < len(text):
        out.append(TextSpan(at, len(text), "own"))
    return tuple(out)


def unmark_names(text: str) -> str:
    """Replace the marks around titles and short names by spaces: they are one's own words.

    Offsets stay.
    """
    return _MARKED.sub(lambda m: f" {m[0][1:-1]} ", text)


def find_own_sentences(text: str) -> list[tuple[int, int]]:
    """Find the sentences of the person's own words, as offsets into the text."""
    out: list[tuple[int, int]] = []
    for s in split_spans(text):
        if s.kind == "own":
            cut = text[s.start : s.end]
            out += [
                (s.start + a, s.start + b)
                for a, b in split_sentences(cut)
                if re.search(r"\w", cut[a:b])
            ]
    return out


def join_own_text(text: str) -> str:
    """Join the person's own words, one span a line."""
    return "\n".join(
        t for s in split_spans(text) if s.kind == "own" and (t := text[s.start : s.end].strip())
    )


def is_question(text: str) -> bool:
    """Tell whether a text has the form of a question."""
    return bool("?" in text or "？" in text or _QUESTION.search(text))


def count_bytes(text: str) -> int:
    """Count a text's bytes in UTF-8."""
    return len(text.encode("utf-8", "replace"))


def shorten_texts(
    texts: Sequence[str], most: int, size: Callable[[str], int] = count_bytes
) -> list[str]:
    """Shorten a message and its context to `most` together, of which the context has at least a
    quarter.

    Args:
        texts: the message, and behind it the context if there is one.
        most: bytes, or what else `size` counts.
        size: of a text; a text that begins with a space goes on behind another.
    """
    message = keep_questions(texts[0], most - most // 4 * (len(texts) - 1), size)
    left = most - size(message)
    return [message, *(keep_questions(t, left, size) for t in texts[1:])]


def keep_questions(text: str, most: int, size: Callable[[str], int] = count_bytes) -> str:
    """Return a short text as it is, of a longer one its questions and last sentences.

    Of one sentence that is longer its end is kept. The arguments are those of `shorten_texts`.
    """
    if size(text) <= most:
        return text
    kept: set[tuple[int, int]] = set()
    room = most
    backwards = split_sentences(text)[::-1]
    for a, b in sorted(
        backwards, key=lambda s: not is_question(text[s[0] : s[1]])
    ):  # stable: the last ones first
        if (more := size(" " + text[a:b])) > room:
            break
        kept.add((a, b))
        room -= more
    if kept:
        return " ".join(text[a:b] for a, b in sorted(kept))
    while len(text) > 1 and (have := size(text)) > most:
        text = text[-max(1, len(text) * most // have) :]
    return text.strip()


def _trimmed(text: str, a: int, b: int) -> tuple[int, int]:
    cut = text[a:b]
    return a + len(cut) - len(cut.lstrip()), b - len(cut) + len(cut.rstrip())


def _goes_on(text: str, m: re.Match[str]) -> bool:
    """Tell whether a full stop ends an abbreviation, a number, or three dots in mid-sentence."""
    after = text[m.end() : m.end() + 3].lstrip()
    if m.end() - m.start() > 1 and m.group().startswith(".."):
        return after[:1].islower()
    if re.match(r"\s*\d+$", text[max(0, text.rfind("\n", 0, m.start()) + 1) : m.start()][:6]):
        return True  # "1. buy hay"
    if not _SHORT.search(text, max(0, m.start() - 8), m.start() + 1):
        return False
    word = text[max(0, m.start() - 6) : m.start()].lower()
    if word.endswith(("etc", ".m", "u.s", "u.k")):
        return after[:1].islower()
    if re.search(r"\bno$", word):
        return after[:1].isdigit()
    return bool(after) and not _BEGINS.match(text, m.end(), m.end() + 20)


class _RangeCursor:
    """Whether positions, asked for in order, lie inside given ranges."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._ranges, self._at = ranges, 0

    def holds(self, position: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][1] <= position:
            self._at += 1
        return self._at < len(self._ranges) and self._ranges[self._at][0] < position


def _quotes(text: str) -> list[tuple[int, int]]:
    """Find quotations within their lines, in order, without overlaps."""
    out: list[tuple[int, int]] = []
    single = {m.start(): m.end() for m in _SINGLE.finditer(text)}
    missing: dict[str, int] = {}  # closer -> up to where there is none
    at = 0
    for m in re.finditer(f"[{''.join(_CLOSERS)}'‘]", text):
        i, sign = m.start(), m.group()
        if i < at:
            continue
        if sign in "'‘":
            end = single.get(i, 0)
        else:
            closer = _CLOSERS[sign]
            if i < missing.get(closer, 0) or (
                sign == '"' and i and text[i - 1].isascii() and text[i - 1].isalnum()
            ):
                continue
            limit = text.find("\n\n", i, i + _QUOTE)
            limit = min(i + _QUOTE, len(text)) if limit < 0 else limit
            if closer == sign:  # a mark that opens and closes must do so in one line
                line = text.find("\n", i, limit)
                limit = limit if line < 0 else line
            end = text.find(closer, i + 1, limit) + 1
            if not end:
                missing[closer] = limit
        if end:
            out.append((i, end))
            at = end
    return out


class _MaterialMarker:
    """Marks the material of one message, line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [m.span() for m in _LINE.finditer(text) if m.group().strip()]
        self.kinds: list[Kind | None] = [None] * len(self.lines)
        self.inline: list[TextSpan] = []
        self.signed = max(
            (i for i in range(len(self.lines)) if _SIGN_OFF.match(self.line(i)[:_LEAD])), default=-1
        )

    def regions(self) -> Iterator[TextSpan]:
        self._mark_fences()
        self._mark_lines()
        self._mark_chats()
        self._mark_verse()
        self._mark_tales()
        self._mark_leads()
        for (a, b), kind in zip(self.lines, self.kinds, strict=True):
            if kind is not None:
                yield TextSpan(a, b, kind)
        yield from self.inline
        yield from (TextSpan(a, b, "quoted") for a, b in _quotes(self.text))

    def line(self, i: int) -> str:
        a, b = self.lines[i]
        return self.text[a:b].strip()

    def _apart(self, i: int) -> bool:
        """Whether line i begins a paragraph."""
        return i == 0 or self.text.count("\n", self.lines[i - 1][1], self.lines[i][0]) > 1

    def _mark_fences(self) -> None:
        marks = [m.start() for m in _FENCE.finditer(self.text)]
        for a, b in zip(marks[::2], [*marks[1::2], len(self.text)], strict=False):
            self.inline.append(TextSpan(a, min(b + 3, len(self.text)), "pasted"))
        cursor = _RangeCursor([(s.start - 1, s.end) for s in self.inline])
        for i, (a, _) in enumerate(self.lines):
            if cursor.holds(a):
                self.kinds[i] = "pasted"

    def _mark_lines(self) -> None:
        for i in range(len(self.lines)):
            line = self.line(i)[:_LEAD]
            if self.kinds[i] is None and line.startswith((">", "＞", "|")):
                forwarded = i > 0 and self.kinds[i - 1] == "forwarded"
                self.kinds[i] = "forwarded" if forwarded else "quoted"
            elif self.kinds[i] is None and _FORWARDED.match(line):
                self.kinds[i] = "forwarded"

    def _mark_chats(self) -> None:
        """Mark runs of "Name: words" in which a name comes back, and runs of lines with times."""
        run: list[int] = []
        own = self.kinds.count(None)
        for i in range(len(self.lines) + 1):
            if (
                i < len(self.lines)
                and self.kinds[i] is None
                and (_STAMP.match(self.line(i)) or self._speaker(i))
            ):
                run.append(i)
                continue
            names = [self._speaker(j) for j in run]
            stamped = sum(bool(_STAMP.match(self.line(j))) for j in run)
            if len(run) > 1 and (
                stamped > 1 or len(set(names)) < len(names) or (len(run) < own and all(names))
            ):
                for j in run:
                    self.kinds[j] = "pasted"
            run = []

    def _mark_verse(self) -> None:
        """Mark program text, and paragraphs of Chinese lines of one length."""
        for i in range(len(self.lines)):
            a, b = self.lines[i]
            if self.kinds[i] is None and _CODE.match(self.text, a, min(b, a + _LEAD)):
                self.kinds[i] = "pasted"
        i = 0
        while i < len(self.lines):
            j = i + 1
            size = len(_BARE.sub("", self.line(i)[:_LEAD]))
            while (
                j < len(self.lines)
                and not self._apart(j)
                and len(_BARE.sub("", self.line(j)[:_LEAD])) == size
            ):
                j += 1
            verse = j - i > 2 and 4 <= size <= 20 and is_unspaced(self.line(i))
            if verse and not any(_FIRST.search(self.line(k)[:_LEAD]) for k in range(i, j)):
                self.kinds[i:j] = ["pasted"] * (j - i)
            i = j

    def _speaker(self, i: int) -> str:
        line = _STAMP.sub("", self.line(i)[:_LEAD])
        m = _SPEAKER.match(line)
        return (
            ""
            if m is None or _LABEL.match(m[1]) or _HEADER.match(line) or _EDITS.search(m[1])
            else m[1]
        )

    def _mark_tales(self) -> None:
        """Mark what is told from an announcement ("A story.") on: to where it is said to end, or all the rest."""
        for i, (a, b) in enumerate(self.lines):
            head = (
                _TELLS.match(self.text, a, min(b, a + _LEAD))
                if self.kinds[i] is None and self._apart(i)
                else None
            )
            if head is not None:
                end = _TALE_ENDS.search(self.text, head.end())
                self.inline.append(
                    TextSpan(head.end(), end.end() if end else len(self.text), "quoted")
                )
                return

    def _mark_leads(self) -> None:
        """Mark what follows a request about a text, the announcement of one, a mail's head or a headline."""
        i = 0
        while i < len(self.lines):
            quoted = i + 1 < len(self.lines) and self.line(i + 1).startswith(">")
            if self.kinds[i] == "forwarded" and not quoted and not self.line(i).startswith(">"):
                i = self._mark_block(i + 1, "forwarded")
            elif self.kinds[i] is not None:
                i += 1
            elif self._starts_block(i):
                i = self._mark_block(i, "pasted")
            else:
                i = self._mark_asked(i)
        self._mark_backward()

    def _starts_block(self, i: int) -> bool:
        """Whether a text that nobody announced begins with line i."""
        line = self.line(i)[:_LEAD]
        if _HEADER.match(line) and (i + 1 < len(self.lines) or i == 0):
            return True
        if _NAME.search(line):
            return False
        if _FORMAL.match(line):
            return True
        if _GREETING.match(line) and self.signed > i:
            return True
        if i > 0 or len(self.lines) == 1:
            return False
        headline = not re.search(r"[.。!！?？:：]$", line) and not _FIRST.search(line)
        return bool(_REGISTER.match(line)) or (
            headline and bool(_REGISTER.match(self.line(1)[:_LEAD]))
        )

    def _mark_asked(self, i: int) -> int:
        """Mark the text that line i asks about or announces; return the line after it."""
        a, b = self.lines[i]
        start, end = 0, b - a
        for start, end in split_sentences(self.text[a:b])[:6]:
            found = self._lead_end(i, a + start, a + end)
            if found is None:
                continue
            if re.search(r"\w", self.text[found:b]):
                if self.text[found:b].lstrip()[:1] in _CLOSERS:
                    return i + 1  # a quotation, and own words after it
                self.inline.append(TextSpan(found, b, "pasted"))
                return self._mark_block(i + 1, "pasted", begun=True)
            nxt = i + 1
            if (
                nxt < len(self.lines)
                and self.kinds[nxt] is None
                and self.line(nxt)[0] not in _CLOSERS
            ):
                return self._mark_block(nxt, "pasted")
            return nxt
        return i + 1

    def _lead_end(self, i: int, start: int, end: int) -> int | None:
        """Where a sentence that announces a text ends, if it does so."""
        said = self.text[start : min(end, start + _LEAD)]
        colon = re.match(r"[^:：]{1,150}?(?:[:：](?!//|\d)|[,，](?=【))", said)
        head = (colon.group() if colon else said)[:-1].rstrip()
        stop = start + colon.end() if colon else end
        ends_line = not re.search(r"\w", self.text[stop : self.lines[i][1]])
        if any(c in head for c in _CLOSERS) or _ITEM.match(head) or _TOLD.search(head):
            return None
        if re.search(r"\b(?:is|are) (?:this|these)$", head, re.I):
            return None  # "The situation is this: …"
        points = _POINTS.search(head)
        if not colon and not said.endswith(("?", "？")) and not _REQUEST.match(head):
            return None  # a statement that speaks of a text: "My email password is …"
        asks = _EDITS.search(head) or (
            points and (_ASKS.search(head) or said.endswith(("?", "？")))
        )
        if colon:
            short = ends_line or len(head) <= 30
            return (
                stop
                if asks or (short and (_TEXTS.search(head) or _ANNOUNCES.search(head)))
                else None
            )
        if ends_line and i + 1 < len(self.lines):
            return stop if asks and (self._apart(i + 1) or _EDITS.search(head)) else None
        return (
            stop
            if asks
            and points
            and not ends_line
            and (_EDITS.search(head) or _NOUN.search(points[0]))
            else None
        )

    def _mark_block(self, first: int, kind: Kind, *, begun: bool = False) -> int:
        """Mark a text that begins with line `first`; return the line with which own words go on."""
        last = len(self.lines)
        for i in range(first, last):
            if self.kinds[i] is not None and self.kinds[i] != "forwarded":
                last = i
                break
        tail = self._tail(first, last, begun) if last == len(self.lines) else last
        for i in range(first, tail):
            self.kinds[i] = self.kinds[i] or kind
        return max(tail, first)

    def _tail(self, first: int, last: int, begun: bool) -> int:
        """Find the person's remark behind a text: its last paragraph, or its last line."""
        if last - first < (1 if begun else 2):
            return last
        tail = last - 1
        while tail > first and not self._apart(tail):
            tail -= 1
        if tail == first and not (begun and self._apart(tail)):
            tail = last - 1  # one paragraph: its last line
        remark = " ".join(self.line(i) for i in range(tail, last))[:1_000]
        before = " ".join(self.line(i) for i in range(first, tail))[:4_000]
        if tail <= self.signed or (
            tail == self.signed + 1 and len(remark) < 30 and not self._apart(tail)
        ):
            return last
        listed = tail - first > 1 and all(
            _STAMP.match(self.line(i)) or _ITEM.match(self.line(i)) for i in range(first, tail)
        )
        asks = is_question(remark)
        alone = begun and last - first == 1
        letter = _GREETING.match(self.line(first)) and not self._apart(tail)
        mine = (
            not letter
            and _FIRST.search(remark)
            and (not _FIRST.search(before) or listed or alone or _POINTS.search(remark))
        )
        return tail if asks or mine else last

    def _mark_backward(self) -> None:
        """Mark what stands before a last line that asks about it ("translate this")."""
        last = len(self.lines) - 1
        if last < 1 or any(self.kinds) or self.inline:
            return
        line = self.line(last)[:_LEAD]
        strict = _EDITS.search(line) and not re.search(r"[:：]", line)
        told = " ".join(self.line(i) for i in range(last))[:4_000]
        about = (
            self._apart(last)
            and is_question(line)
            and _POINTS.search(line)
            and not _FIRST.search(told)
        )
        if len(line) < 120 and (strict or _BACKWARD.search(line) or (about and len(told) > 30)):
            for i in range(last):
                self.kinds[i] = "pasted"
