"""From what a model said of a memory to a draft of it. What cannot be read, or cannot be meant, is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from memory.learn import dates, lines
from memory.learn.merge import importance_like
from memory.models import Draft, Importance, Kind, Memory, Message, Sensitivity, Source, language_of
from memory.text.notes import strip_subject

T = TypeVar("T")
REPEATS = re.compile(r"yearly|monthly|weekly|daily|lunar|every \d{1,3} (?:day|week|month|year)s?")
Skipped = Callable[[str, str, str], None]  # what, why, text: goes to the log


@dataclass(frozen=True, slots=True)
class Words:
    """A memory in a model's words; `said` is the newest message it rests on, `old` the memory it changes."""

    text: str
    fields: Mapping[str, str]  # kind importance expires since until on repeats entities topics sensitivity confidence
    said: Message
    source: Source
    old: Memory | None = None


def draft_of(w: Words, skipped: Skipped) -> Draft:
    """The draft; what the model does not say is taken from the memory it changes, else from the defaults."""
    old, f = w.old, w.fields
    quote = f.get("quote") == "yes"
    text = " ".join(w.text.split())
    draft = Draft(
        text if quote else strip_subject(text),
        kind=old.kind if old else Kind.FACT,
        importance=importance_like(old) if old else Importance.MEDIUM,
        language=language_of(w.text, language_of(w.said.text)),
        source=w.source,
        entities=lines.listed(f.get("entities", "")),
        topics=lines.listed(f.get("topics", "")) or (old.topics if old else ()),
        modalities=("text", "quote") if quote else ("text",),
    )
    if word := f.get("kind", ""):
        draft = replace(draft, kind=lines.kind_of(word) or _unread("kind", word, draft.kind, skipped))
    if word := f.get("importance", ""):
        level = lines.importance_of(word) or _unread("importance", word, draft.importance, skipped)
        draft = replace(draft, importance=level)
    if word := f.get("sensitivity", ""):
        draft = replace(draft, sensitivity=_sensitivity(word, skipped))
    if word := f.get("confidence", ""):
        draft = replace(draft, confidence=_share(word, draft.confidence, skipped))
    return _dated(draft, w, skipped)


def _dated(draft: Draft, w: Words, skipped: Skipped) -> Draft:
    at, tz = w.said.at, w.said.tz
    if word := w.fields.get("expires", ""):
        due = dates.read(word, tz)
        if due is not None and dates.believable(due, "due", at):
            draft = replace(draft, expires_at=due.end, precision=due.precision)
        else:
            skipped("date", "unbelievable" if due else "unreadable", word)
    if word := w.fields.get("since", ""):
        since = dates.read(word, tz)
        if since is not None and dates.believable(since, "since", at):
            draft = replace(draft, valid_from=since.start, precision=draft.precision or since.precision)
        else:
            skipped("date", "unbelievable" if since else "unreadable", word)
    if word := w.fields.get("until", ""):
        until = dates.read(word, tz) or _unread("date", word, None, skipped)
        draft = replace(draft, valid_until=until.end if until else None)
    if word := w.fields.get("on", ""):
        day = dates.read(word, tz)
        if day is not None and dates.believable(day, "since", at):
            long = day.end if day.precision in {"month", "year"} else None
            draft = replace(draft, on=day.start, on_until=long, precision=draft.precision or day.precision)
        else:
            skipped("date", "unbelievable" if day else "unreadable", word)
    if word := w.fields.get("repeats", "").strip().casefold():
        known = REPEATS.fullmatch(word) is not None
        draft = replace(draft, repeats=word if known else _unread("repeats", word, None, skipped))
    return draft


def _unread(name: str, word: str, instead: T, skipped: Skipped) -> T:
    skipped(name, "unknown", word)
    return instead


def _sensitivity(word: str, skipped: Skipped) -> Sensitivity:
    levels = {s.name.casefold(): s for s in Sensitivity} | {str(int(s)): s for s in Sensitivity}
    found = levels.get(word.strip().casefold())
    return _unread("sensitivity", word, Sensitivity.PUBLIC, skipped) if found is None else found


def dated_fields(fields: Mapping[str, str]) -> tuple[tuple[dates.Use, str], ...]:
    """The dates that a model gives, each with what it is for."""
    uses: Mapping[str, dates.Use] = {"expires": "due", "since": "since", "until": "until"}
    return tuple((use, fields[name]) for name, use in uses.items() if fields.get(name))


def read_confidence(fields: Mapping[str, str]) -> float:
    """How sure a model is, 1.0 where it does not say."""
    return _share(fields.get("confidence", "1"), 1.0, lambda *_: None)


def _share(word: str, instead: float, skipped: Skipped) -> float:
    try:
        value = float(word)
    except ValueError:
        return _unread("confidence", word, instead, skipped)
    return value if 0.0 <= value <= 1.0 else _unread("confidence", word, instead, skipped)
