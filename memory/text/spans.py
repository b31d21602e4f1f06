"""Split a message into the person's own words and material: what is quoted, pasted or forwarded.

Form only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from memory.text.headings import is_document, mark_headings
from memory.text.languages import either, joined
from memory.text.words import UNSPACED

Kind = Literal["own", "quoted", "pasted", "forwarded"]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Half-open range of a message, and whose words it holds."""

    start: int
    end: int
    kind: Kind


def _words(name: str, spaced: str = r"\b(?:{})(?!\w)", unspaced: str = "(?:{})") -> re.Pattern[str]:
    return either("spans", name, spaced, unspaced)


_AT_START: Final = r"\s*(?:{})"
_SALUTES: Final = (r"(?:{})[^.!?:]{{0,40}}[,:]?$", r"(?:{})[^。！？：]{{0,12}}[：，:,]$")
_EDITS, _ASKS, _POINTS, _NOUN, _TOLD, _TALE_ENDS, _BACKWARD = map(
    _words, ("EDITS", "ASKS", "POINTS", "TEXTS", "TOLD", "TALE_ENDS", "BACKWARD")
)
_REQUEST, _QUESTION, _FIRST = (either("spans", name) for name in ("REQUESTS", "QUESTION", "FIRST"))
_TEXTS: Final = _words("TEXTS", r"\b(?:{})\b", "(?:{})[^，。]{{0,4}}$")
_ANNOUNCES: Final = _words("ANNOUNCES", r"\b(?:{})")
_TELLS: Final = _words("TELLS", _AT_START, _AT_START)
_FORWARDED: Final = _words("FORWARDED", _AT_START, _AT_START)
_HEADER: Final = _words("HEADERS", r"\s*(?:{}) ?[:：] ?\S", r"\s*(?:{}) ?[:：]")
_GREETING, _FORMAL = (_words(name, *_SALUTES) for name in ("GREETING", "FORMAL"))
_SIGN_OFF: Final = _words("SIGN_OFF", r"\s*(?:{})[.,!]?\s*$", r"\s*(?:{})[。，！]?\s*$")
_REGISTER: Final = re.compile(
    rf"\s*(?:{joined('spans', 'REGISTER')})|(?i:\s*(?:abstract|by [a-z]+ [a-z]+$))"
)
_LABEL: Final = re.compile(rf"(?:{joined('spans', 'LABELS')}).{{0,4}}$", re.I)
_SHORT: Final = re.compile(rf"(?<![\w'’])(?:{joined('spans', 'SHORT')}|(?-i:[A-HJ-Z]))\.$", re.I)

_BEGINS: Final = either("spans", "BEGINS")
_LINE: Final = re.compile(r"[^\n]+")
_STAMP: Final = re.compile(
    r"\s*\[?(?:\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?,? ?)?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?"
    r"\]?(?: ?[-–—])?\s",
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
_FENCE: Final = re.compile(r"(?:```|~~~)")
_SINGLE: Final = re.compile(
    r"(?<![\w'’])['‘](?!(?:cause|til|em|n|bout|tis|twas)\b)(?=\w)[^'’\n]{1,300}"
    r"(?:['’]\w[^'’\n]{0,300}){0,6}['’](?!\w)",
    re.I,
)
_CLOSERS: Final = dict(zip('“「『《"`„«＂', '”」』》"`“»＂', strict=True))
_END: Final = re.compile(
    r"[。！？!?…]+[”\"’)）」』]*(?![A-Za-z0-9#$%&*+/=@^_~-])|(?<!\.)\.+[”\"’)]*(?=\s|$|["
    + UNSPACED
    + r"])|\n+"
)
_MARKED: Final = re.compile(r"《[^《》\n]{1,40}》|“[^“”\n]{1,10}”|「[^「」\n]{1,10}」")
_NAME: Final = re.compile(r"\bebb\b", re.I)
_LEAD: Final = 200  # characters in which a text is announced
_SECTIONS: Final = 3  # headings from which on a long text is a document (by hand)
_TOLD_SHARE: Final = 0.2  # of its lines that speak of oneself, below which it is one
_QUOTE: Final = 2_000  # characters that one quotation may hold


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Cut a text into sentences: offsets in order, without the space around them."""
    out: list[tuple[int, int]] = []
    start, quoted = 0, _quotes(text)
    for m in _END.finditer(text):
        inside = _is_inside(quoted, m.start()) and _is_inside(quoted, m.end())
        if (m[0][0] == "\n" or not inside) and not (m[0][0] == "." and _goes_on(text, m)):
            out.append((start, m.end()))
            start = m.end()
    return [_trim(text, a, b) for a, b in [*out, (start, len(text))] if text[a:b].strip()]


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
    return (*out, TextSpan(at, len(text), "own")) if at < len(text) else tuple(out)


def unmark_names(text: str) -> str:
    """Replace the marks around titles and short names by spaces: they are one's own words."""
    return _MARKED.sub(lambda m: f" {m[0][1:-1]} ", text)


def find_own_sentences(text: str) -> list[tuple[int, int]]:
    """Find the sentences of the person's own words, as offsets into the text."""
    own = [s for s in split_spans(text) if s.kind == "own"]
    found = [(s.start, split_sentences(text[s.start : s.end])) for s in own]
    cuts = [(at + a, at + b) for at, some in found for a, b in some]
    return [(a, b) for a, b in cuts if re.search(r"\w", text[a:b])]


def join_own_text(text: str) -> str:
    """Join the person's own words, one span a line."""
    own = (text[s.start : s.end].strip() for s in split_spans(text) if s.kind == "own")
    return "\n".join(filter(None, own))


def is_question(text: str) -> bool:
    """Tell whether a text has the form of a question."""
    return bool("?" in text or "？" in text or _QUESTION.search(text))


def count_bytes(text: str) -> int:
    """Count a text's bytes in UTF-8."""
    return len(text.encode("utf-8", "replace"))


def shorten_texts(
    texts: Sequence[str], most: int, size: Callable[[str], int] = count_bytes
) -> list[str]:
    """Shorten a message and its context, which has at least a quarter, to `most` together.

    Args:
        texts: the message, and behind it the context if there is one.
        most: bytes, or what else `size` counts.
        size: of a text; a text that begins with a space goes on behind another.
    """
    message = keep_questions(texts[0], most - most // 4 * (len(texts) - 1), size)
    left = most - size(message)
    return [message, *(keep_questions(t, left, size) for t in texts[1:])]


def keep_questions(text: str, most: int, size: Callable[[str], int] = count_bytes) -> str:
    """Return a short text, or of a longer one its questions and last sentences.

    Of one sentence that is longer its end is kept. The arguments are those of `shorten_texts`.
    """
    if size(text) <= most:
        return text
    kept: set[tuple[int, int]] = set()
    room = most
    backwards = split_sentences(text)[::-1]  # sorting is stable: the last ones first
    for a, b in sorted(backwards, key=lambda s: not is_question(text[s[0] : s[1]])):
        if (more := size(" " + text[a:b])) > room:
            break
        kept.add((a, b))
        room -= more
    if kept:
        return " ".join(text[a:b] for a, b in sorted(kept))
    while len(text) > 1 and (have := size(text)) > most:
        text = text[-max(1, len(text) * most // have) :]
    return text.strip()


def _trim(text: str, a: int, b: int) -> tuple[int, int]:
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


def _is_inside(ranges: list[tuple[int, int]], position: int) -> bool:
    """Say whether a position lies inside one of the ranges, which are in order."""
    at = bisect_left(ranges, (position,)) - 1
    return at >= 0 and position < ranges[at][1]


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
    """Mark the material of one message, line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [m.span() for m in _LINE.finditer(text) if m.group().strip()]
        self.heads = [text[a:b].strip()[:_LEAD] for a, b in self.lines]
        self.kinds: list[Kind | None] = [None] * len(self.lines)
        self.long = is_document(text)
        self.inline: list[TextSpan] = []
        self.signed = max(
            (i for i, head in enumerate(self.heads) if _SIGN_OFF.match(head)), default=-1
        )

    def regions(self) -> Iterator[TextSpan]:
        """Find the material, in no particular order."""
        self._mark_fences()
        self._mark_lines()
        self._mark_chats()
        self._mark_tale()
        self._mark_leads()
        self._mark_backward()
        self._mark_document()
        for (a, b), kind in zip(self.lines, self.kinds, strict=True):
            if kind is not None:
                yield TextSpan(a, b, kind)
        yield from self.inline
        yield from (TextSpan(a, b, "quoted") for a, b in _quotes(self.text))

    def _join(self, first: int, last: int, most: int) -> str:
        return " ".join(self.text[a:b].strip() for a, b in self.lines[first:last])[:most]

    def _apart(self, i: int) -> bool:
        """Say whether line i begins a paragraph."""
        return i == 0 or self.text.count("\n", self.lines[i - 1][1], self.lines[i][0]) > 1

    def _mark_fences(self) -> None:
        marks = [m.start() for m in _FENCE.finditer(self.text)]
        for a, b in zip(marks[::2], [*marks[1::2], len(self.text)], strict=False):
            self.inline.append(TextSpan(a, min(b + 3, len(self.text)), "pasted"))
        fenced = [(s.start - 1, s.end) for s in self.inline]
        for i, (a, _) in enumerate(self.lines):
            if _is_inside(fenced, a):
                self.kinds[i] = "pasted"

    def _mark_lines(self) -> None:
        """Mark quoted and forwarded lines, and program text."""
        for i, head in enumerate(self.heads):
            a, b = self.lines[i]
            if self.kinds[i] is not None:
                continue
            if head.startswith((">", "＞", "|")):
                forwarded = i > 0 and self.kinds[i - 1] == "forwarded"
                self.kinds[i] = "forwarded" if forwarded else "quoted"
            elif _FORWARDED.match(head):
                self.kinds[i] = "forwarded"
            elif _CODE.match(self.text, a, min(b, a + _LEAD)):
                self.kinds[i] = "pasted"

    def _mark_chats(self) -> None:
        """Mark runs of "Name: words" in which names come back, or lines with times."""
        own = self.kinds.count(None)
        names = [_find_speaker(head) for head in self.heads]
        stamps = [bool(_STAMP.match(head)) for head in self.heads]
        told = [
            kind is None and (stamp or bool(name))
            for kind, stamp, name in zip(self.kinds, stamps, names, strict=True)
        ]
        for is_run, group in groupby(range(len(told)), told.__getitem__):
            run = list(group)
            said = [names[i] for i in run]
            again = len(set(said)) < len(said) or (len(run) < own and all(said))
            if is_run and len(run) > 1 and (sum(stamps[i] for i in run) > 1 or again):
                for i in run:
                    self.kinds[i] = "pasted"

    def _mark_tale(self) -> None:
        """Mark what follows "A story.", to its announced end or all the rest."""
        for i, (a, b) in enumerate(self.lines):
            if self.kinds[i] is not None or not self._apart(i):
                continue
            if head := _TELLS.match(self.text, a, min(b, a + _LEAD)):
                end = _TALE_ENDS.search(self.text, head.end())
                stop = end.end() if end else len(self.text)
                self.inline.append(TextSpan(head.end(), stop, "quoted"))
                return

    def _mark_leads(self) -> None:
        """Mark texts behind a request, an announcement, a mail's head or a headline."""
        i = 0
        while i < len(self.lines):
            if self.kinds[i] == "forwarded" and not any(
                head.startswith(">") for head in self.heads[i : i + 2]
            ):
                i = self._mark_block(i + 1, "forwarded")
            elif self.kinds[i] is not None:
                i += 1
            elif self._starts_block(i):
                i = self._mark_block(i, "pasted")
            else:
                i = self._mark_asked(i)

    def _starts_block(self, i: int) -> bool:
        """Say whether a text that nobody announced begins with line i."""
        line = self.heads[i]
        if _HEADER.match(line) and (i + 1 < len(self.lines) or i == 0):
            return True
        if _NAME.search(line):
            return False
        if _FORMAL.match(line) or (_GREETING.match(line) and self.signed > i):
            return True
        if i > 0 or len(self.lines) == 1:
            return False
        headline = not re.search(r"[.。!！?？:：]$", line) and not _FIRST.search(line)
        return bool(_REGISTER.match(line) or (headline and _REGISTER.match(self.heads[1])))

    def _mark_asked(self, i: int) -> int:
        """Mark the text that line i asks about or announces; return the line after it."""
        a, b = self.lines[i]
        for start, end in split_sentences(self.text[a:b])[:6]:
            found = self._find_lead_end(i, a + start, a + end)
            if found is None:
                continue
            after = self.text[found:b].lstrip()
            if re.search(r"\w", after):
                if after[0] in _CLOSERS:
                    return i + 1  # a quotation, and own words after it
                self.inline.append(TextSpan(found, b, "pasted"))
                return self._mark_block(i + 1, "pasted", begun=True)
            if i + 1 == len(self.lines) or self.kinds[i + 1] or self.heads[i + 1][0] in _CLOSERS:
                return i + 1
            return self._mark_block(i + 1, "pasted")
        return i + 1

    def _find_lead_end(self, i: int, start: int, end: int) -> int | None:
        """Find where a sentence that announces a text ends, if it does so."""
        said = self.text[start : min(end, start + _LEAD)]
        asked = said.endswith(("?", "？"))
        colon = re.match(r"[^:：]{1,150}?(?:[:：](?!//|\d)|[,，](?=【))", said)
        head = (colon.group() if colon else said)[:-1].rstrip()
        stop = start + colon.end() if colon else end
        if any(c in head for c in _CLOSERS) or _ITEM.match(head) or _TOLD.search(head):
            return None
        if re.search(r"\b(?:is|are) (?:this|these)$", head, re.I):
            return None  # "The situation is this: …"
        if not colon and not asked and not _REQUEST.match(head):
            return None  # a statement that speaks of a text: "My email password is …"
        points = _POINTS.search(head)
        edits = _EDITS.search(head)
        asks = edits or (points and (_ASKS.search(head) or asked))
        ends_line = not re.search(r"\w", self.text[stop : self.lines[i][1]])
        if colon:
            short = ends_line or len(head) <= 30
            leads = asks or (short and (_TEXTS.search(head) or _ANNOUNCES.search(head)))
        elif ends_line:
            leads = asks and i + 1 < len(self.lines) and (self._apart(i + 1) or edits)
        else:
            leads = asks and points and (edits or _NOUN.search(points[0]))
        return stop if leads else None

    def _mark_block(self, first: int, kind: Kind, *, begun: bool = False) -> int:
        """Mark a text from line `first` on; return the line behind it."""
        last = len(self.lines)
        for i in range(first, last):
            if self.kinds[i] not in {None, "forwarded"}:
                last = i
                break
        tail = self._find_tail(first, last, begun) if last == len(self.lines) else last
        for i in range(first, tail):
            self.kinds[i] = self.kinds[i] or kind
        return max(tail, first)

    def _find_tail(self, first: int, last: int, begun: bool) -> int:
        """Find the person's remark behind a text: its last paragraph, or its last line."""
        if last - first < (1 if begun else 2):
            return last
        tail = last - 1
        while tail > first and not self._apart(tail):
            tail -= 1
        if tail == first and not (begun and self._apart(tail)):
            tail = last - 1  # one paragraph: its last line
        if self.long and any(mark_headings(self.text, self.lines[tail - 1 : last])):
            return last  # the text's last section, and no remark
        remark, before = self._join(tail, last, 1_000), self._join(first, tail, 4_000)
        beside = tail == self.signed + 1 and len(remark) < 30 and not self._apart(tail)
        if tail <= self.signed or beside:
            return last
        if is_question(remark):
            return tail
        if (_GREETING.match(self.heads[first]) and not self._apart(tail)) or not _FIRST.search(
            remark
        ):
            return last
        listed = tail - first > 1 and all(
            _STAMP.match(head) or _ITEM.match(head) for head in self.heads[first:tail]
        )
        alone = begun and last - first == 1
        mine = listed or alone or not _FIRST.search(before) or _POINTS.search(remark)
        return tail if mine else last

    def _mark_backward(self) -> None:
        """Mark what stands before a last line that asks about it ("translate this")."""
        last = len(self.lines) - 1
        if last < 1 or any(self.kinds) or self.inline:
            return
        line, told = self.heads[last], self._join(0, last, 4_000)
        strict = _EDITS.search(line) and not re.search(r"[:：]", line)
        about = bool(self._apart(last) and is_question(line) and _POINTS.search(line))
        about = about and not _FIRST.search(told) and len(told) > 30
        if len(line) < 120 and (strict or _BACKWARD.search(line) or about):
            self.kinds[:last] = ["pasted"] * last

    def _mark_document(self) -> None:
        """Mark a long text that nobody announced but that has the form of a document.

        It has sections, or hardly a line in which somebody speaks of themselves.
        """
        left = sum(b - a for (a, b), kind in zip(self.lines, self.kinds, strict=True) if not kind)
        left -= sum(s.end - s.start for s in self.inline)
        if 2 * left < len(self.text) or not self.long:
            return
        heads = mark_headings(self.text, self.lines)
        told = [bool(_FIRST.search(self.text, a, b)) for a, b in self.lines]
        impersonal = sum(told) < _TOLD_SHARE * len(told)
        first = heads.index(True) if any(heads) else 0
        if first and self.lines[first][0] > _LEAD:
            first = 0
        elif not first and self._apart(min(1, len(self.lines) - 1)) and not heads[0]:
            first = int(len(self.heads[0]) < _LEAD and (told[0] or self.heads[0][-1] in ":：?？"))
        if sum(heads) >= _SECTIONS or impersonal:
            for i in range(first, self._find_tail(first, len(self.lines), begun=False)):
                self.kinds[i] = self.kinds[i] or "pasted"


def _find_speaker(head: str) -> str:
    """Return who speaks in a line "Name: words", or ""."""
    line = _STAMP.sub("", head)
    m = _SPEAKER.match(line)
    if m is None or _LABEL.match(m[1]) or _HEADER.match(line) or _EDITS.search(m[1]):
        return ""
    return m[1]
