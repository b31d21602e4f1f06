"""A long text as a document: its passages, headings and outline. Form only, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.text.clean import estimate_tokens
from memory.text.headings import has_ended, is_numbered, mark_headings
from memory.text.spans import split_sentences, split_spans

PASSAGE_TOKENS: Final = 100  # about (by hand)
_FULL: Final = 0.6  # of a passage, from which on a new paragraph begins the next one
_MATERIAL: Final = 0.5  # of a message: what is not the person's own is then the document
_LEAST: Final = 200  # characters of a stretch of material that counts
_REMARK: Final = 300  # characters of a question before or behind a text that nobody announced
_OUTLINED: Final = 24  # lines of an outline
_LINE: Final = 60  # characters of one, about: a CJK character counts as two
_PARAGRAPH: Final = re.compile(r"[^\n]+")
_ASKS: Final = re.compile(r"[?？]")
_LONG: Final = 1.5 * PASSAGE_TOKENS  # a longer sentence is cut
_PIECE: Final = 8 * PASSAGE_TOKENS  # characters of one that are looked at
_MARKS: Final = re.compile(r"^[#*_\s>=-]+|[#*_\s=-]+$")


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A half-open range of a text, and the heading above it where it does not begin with one."""

    start: int
    end: int
    heading: str


@dataclass(frozen=True, slots=True)
class LongText:
    """A long message taken apart: own lines before and behind a body with a title and passages."""

    start: int
    end: int
    title: str
    outline: tuple[str, ...]  # headings, else first sentences
    passages: tuple[TextPassage, ...]


@lru_cache(maxsize=64)
def read_document(text: str) -> LongText:
    """Take a long text apart."""
    start, end = _find_body(text)
    lines = [(start + m.start(), start + m.end()) for m in _PARAGRAPH.finditer(text[start:end])]
    lines = [(a, b) for a, b in lines if text[a:b].strip()]
    if not lines:
        return LongText(0, 0, "", (), ())
    heads = mark_headings(text, lines)
    passages = tuple(_cut_passages(text, lines, heads))
    named = [clean_line(text[a:b]) for (a, b), head in zip(lines, heads, strict=True) if head]
    title = named[0] if heads[:1] == [True] else shorten_line(_first_sentence(text, *lines[0]))
    rest = named[1:] if heads[:1] == [True] else named
    if len(rest) < 2:  # no headings to speak of: numbered paragraphs, or what passages begin with
        begun = [(a, b) for a, b in lines if is_numbered(text[a : a + _LINE])]
        begun = begun if len(begun) > 2 else [(p.start, p.end) for p in passages]
        rest = [_first_sentence(text, a, b) for a, b in begun]
    step = max(1, -(-len(rest) // _OUTLINED))
    return LongText(start, end, title, tuple(map(shorten_line, rest[::step])), passages)


def shorten_line(text: str, most: int = _LINE) -> str:
    """Return a text as one line of about `most` Latin characters."""
    line, size = clean_line(text), 0
    for i, char in enumerate(line):
        size += 2 if char > "\u2e7f" else 1
        if size > most:
            return line[:i].rstrip() + "…"
    return line


def clean_line(text: str) -> str:
    """Return a heading or sentence as one line, without Markdown's marks."""
    return " ".join(_MARKS.sub("", text).split())


def _find_body(text: str) -> tuple[int, int]:
    """Find the document in a message: its material, else all but a question around it."""
    some = [s for s in split_spans(text) if s.kind != "own" and s.end - s.start >= _LEAST]
    if some and sum(s.end - s.start for s in some) >= _MATERIAL * len(text):
        return some[0].start, some[-1].end
    start, end = 0, len(text.rstrip())
    first, last = text.find("\n\n"), text.rfind("\n\n", 0, end)
    if 0 < first < _REMARK and _ASKS.search(text[:first].rstrip()[-1:]):
        start = first
    if start < last and end - last < _REMARK and _ASKS.search(text[end - 1 : end]):
        end = last
    return start, end


def _first_sentence(text: str, start: int, end: int) -> str:
    a, b = next(iter(split_sentences(text[start : min(end, start + _REMARK)])), (0, 0))
    return text[start + a : start + b]


def _cut_passages(
    text: str, lines: list[tuple[int, int]], heads: list[bool]
) -> Iterator[TextPassage]:
    """Cut before headings, at paragraphs once a passage is nearly full, and at sentences."""
    heading, above, start, end, size, bare = "", "", -1, -1, 0, False
    for (a, b), head in zip(lines, heads, strict=True):
        full = size >= _FULL * PASSAGE_TOKENS
        apart = (head and not bare) or (full and has_ended(text[end - 1 : end]))
        for i, (x, y) in enumerate(_cut_sentences(text, a, b)):
            more = estimate_tokens(text[x:y])
            if start >= 0 and ((apart and not i) or size + more > PASSAGE_TOKENS):
                yield TextPassage(start, end, above)
                start, size = -1, 0
            if start < 0:
                start, above = x, "" if head else heading
            end, size = y, size + more
        heading, bare = (clean_line(text[a:b]) if head else heading), head
    if start >= 0:
        yield TextPassage(start, end, above)


def _cut_sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a line into sentences; what is longer than a passage also at spaces, or anywhere."""
    for x, y in split_sentences(text[start:end]):
        a, b = start + x, start + y
        while (size := estimate_tokens(piece := text[a : min(b, a + _PIECE)])) > _LONG:
            cut = max(1, len(piece) * PASSAGE_TOKENS // size)
            space = max(text.rfind(c, a + cut // 2, a + cut) for c in " ，,、")
            cut = space + 1 - a if space > a else cut
            yield a, a + cut
            a += cut
        if text[a:b].strip():
            yield a, b
