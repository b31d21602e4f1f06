"""Find the command in a message: only in the person's own words, as its first or its last sentence."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from typing import Final

from memory.text.intent import Intent, SentenceIntent
from memory.text.languages import LANGUAGES, either, joined, values
from memory.text.spans import TextSpan, split_sentences, split_spans

_READ: Final = 4_000  # characters in which a command is looked for
_LONG: Final = 1_000  # of a longer message only the first sentence can be a command
_GREETING: Final = re.compile(rf"\W*(?:{joined('commands', 'GREETING')})\W*$", re.I)
_FICTION: Final = re.compile(rf"\s*(?:[*（(【]|{joined('commands', 'FICTION')})", re.I)
_STAGED: Final = either("commands", "STAGED", r"\b(?:{})\b")
_READERS: Final = [  # a script of its own first: a sentence in it may have words of another
    (re.compile(f"[{LANGUAGES[lang].letters}]"), read)
    for lang, read in sorted(
        values("commands", "read").items(), key=lambda r: LANGUAGES[r[0]].spaced
    )
]
_EDGE: Final = " \t\r\n,，;；:：。.!！、–—-"


def find_intent(text: str) -> Intent | None:
    """Find the command in a message, or None. Never raises."""
    if _FICTION.match(text):
        return None
    spans = split_spans(text)
    for start, end in _candidates(text, spans):
        sentence = text[start:end]
        readings = (read(sentence) for letters, read in _READERS if letters.search(sentence))
        found: SentenceIntent | None = next((f for f in readings if f is not None), None)
        if found is not None and not _STAGED.search(
            f"{text[:start]} {text[start + found.end :]}"[:_READ]
        ):
            return _intent(text, start, found)
    return None


def find_intents(text: str) -> tuple[Intent, ...]:
    """Find the commands of a message, two at most: what forgets before what is to be kept.

    Never raises.
    """
    first = find_intent(text)
    second = find_intent(first.rest) if first and first.rest else None
    if first is None or second is None:
        return (first,) if first else ()
    if second.kind == "quiet" and text[first.spans[0][1] - 1] not in ".!?。！？":
        return (first,)  # 忘了他吧，别再提: of the same thing
    if second.kind != "forget" or first.kind == "forget":
        return (first, second)
    words = " ".join(first.rest[a:b] for a, b in second.spans)
    at = text.find(words)
    rest = f"{text[:at]}{text[at + len(words) :]}".strip(_EDGE)
    return replace(second, spans=((at, at + len(words)),), rest=rest), first


def means_everything(text: str) -> bool:
    """Tell whether everything is to be forgotten."""
    return any(means(text) for means in values("commands", "everything").values())


def _candidates(text: str, spans: tuple[TextSpan, ...]) -> list[tuple[int, int]]:
    """Find the first own sentence, greetings aside, and the last: no order behind a pasted text counts."""
    sentences = []
    starts = [s.start for s in spans]
    for start, end in split_sentences(text[:_READ]):
        holder = spans[bisect_right(starts, start) - 1]
        if holder.kind == "own" and re.search(r"\w", text[start:end]):
            stop = next(
                (s.start for s in spans if s.start >= start and s.kind in {"pasted", "forwarded"}),
                end,
            )
            sentences.append((start, min(end, stop)))
    first = next((s for s in sentences if not _GREETING.match(text[s[0] : s[1]])), None)
    if first is None:
        return []
    pasted = next((s.start for s in spans if s.kind in {"pasted", "forwarded"}), len(text))
    if pasted < first[0]:
        return []
    last = sentences[-1]
    return [first] if last == first or last[0] > pasted or len(text) > _LONG else [first, last]


def _intent(text: str, start: int, found: SentenceIntent) -> Intent:
    stop = start + found.end
    before = text[:start].strip()
    said = found.text
    if found.lists or (said is None and found.kind == "remember" and text[stop : stop + 1] == "\n"):
        stop = _list_end(text, stop)
        if text[start + found.end : stop].strip():
            said = text[text.find(said, start) if said else start + found.end : stop].strip()
    if said is None and found.kind == "remember" and before:
        return Intent("remember", before, spans=((0, stop),), rest=text[stop:].strip(_EDGE))
    rest = "\n".join(
        t for t in (before, text[stop:].lstrip(_EDGE + "?？").rstrip()) if re.search(r"\w", t)
    )
    every = either("commands", "EVERY").search(text, start, stop) is not None
    return Intent(found.kind, said or "", said is None, found.spare, every, ((start, stop),), rest)


def _list_end(text: str, at: int) -> int:
    """Where what follows a colon ends: with its paragraph, after a full stop with its line, or before a question."""
    end = at
    if text[at - 1] in ".。!！" and not text[at:].split("\n", 1)[0].strip():
        return at
    for m in re.finditer(r"[^\n]*\n?", text[at:]):
        line = m[0].strip()
        if (not line and text[at:end].strip()) or not m[0]:
            break
        for a, b in split_sentences(m[0]):
            if m[0][a:b].endswith(("?", "？")):
                return at + m.start() + a if text[at : at + m.start() + a].strip() else at + m.end()
        end = at + m.end()
        if line.endswith((".", "。", "!", "！")):
            break
    return end
