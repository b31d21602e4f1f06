"""From an entry of a model's answer to a claim on memory: checked, dated, with its vector and its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory.learn import dates
from memory.learn.answer import ANY, LearningTools
from memory.learn.evidence import Operation, Verdict
from memory.learn.merge import UNSURE, Claim, SaveResult, importance_of_memory
from memory.models import Draft, Importance, Json, Kind, Memory, Message, Source, detect_language
from memory.text.notes import strip_subject

if TYPE_CHECKING:
    from memory.learn.schemas import Entry

NOTHING: Mapping[str, Json] = {"outcome": "nothing", "new": 0, "updated": 0}
Skipped = Callable[[str, str, str], None]  # what, why, text: goes to the log


def outcome_of(tools: LearningTools, what: str, done: Sequence[SaveResult]) -> dict[str, Json]:
    """Count what became of claims, for the job's result; log those that were refused."""
    for saved in done:
        if saved.outcome == "refused":
            tools.skipped(what, saved.code, "")
    new = sum(s.outcome == "added" for s in done)
    updated = sum(s.changed for s in done) - new
    return {"outcome": "saved" if new + updated else "nothing", "new": new, "updated": updated}


def operation_of(entry: Entry, op: str, old: Memory | None) -> Operation:
    """Put an entry as the operation that the person's words have to support."""
    uses: tuple[tuple[dates.Use, str], ...] = (
        ("due", entry.expires),
        ("since", entry.since),
        ("until", entry.until),
    )
    return Operation(
        op,
        entry.content,
        entry.said,
        entry.on,
        tuple((use, date) for use, date in uses if date),
        old.original_content if old else "",
        entry.confidence is None or entry.confidence >= UNSURE,
        entry.quote,
    )


async def claims_of(
    tools: LearningTools,
    user_id: str,
    checked: Sequence[tuple[Entry, Verdict, Memory | None]],
    said: Sequence[Message],
    source: Source,
    near: int,
) -> list[Claim]:
    """Make a claim of each entry: with the message that it rests on (else the last), and `near` neighbours."""
    vectors = await tools.embed([entry.content for entry, _, _ in checked])
    by_id = {m.id: m for m in said}
    out: list[Claim] = []
    for (entry, verdict, old), vector in zip(checked, vectors, strict=True):
        message = by_id[verdict.sources[0][0]] if verdict.sources else said[-1]
        draft = build_draft(entry, message, source, old, tools.skipped)
        ids = await tools.nearest(user_id, vector, entry.content, near, ANY)
        seen = (tools.embedder.id, tuple(ids), verdict.sources)
        out.append(Claim(draft, message.at, (message.id,), message.session_id, vector, *seen))
    return out


def build_draft(
    entry: Entry, said: Message, source: Source, old: Memory | None, skipped: Skipped
) -> Draft:
    """Write the draft; what the model does not say is taken from the memory it changes, else from the defaults."""
    text = " ".join(entry.content.split())
    draft = Draft(
        text if entry.quote else strip_subject(text),
        kind=entry.kind or (old.kind if old else Kind.FACT),
        importance=entry.importance or (importance_of_memory(old) if old else Importance.MEDIUM),
        language=detect_language(text, detect_language(said.text)),
        source=source,
        entities=entry.entities,
        topics=entry.topics or (old.topics if old else ()),
        modalities=("text", "quote") if entry.quote else ("text",),
        sensitivity=entry.sensitivity,
        repeats=entry.repeats or None,
    )
    if entry.confidence is not None:
        draft = replace(draft, confidence=entry.confidence)
    if due := _date(entry.expires, "due", said, skipped):
        draft = replace(draft, expires_at=due.end, precision=due.precision)
    if since := _date(entry.since, "since", said, skipped):
        draft = replace(draft, valid_from=since.start, precision=draft.precision or since.precision)
    if until := _date(entry.until, "until", said, skipped):
        draft = replace(draft, valid_until=until.end)
    if day := _date(entry.on, "since", said, skipped):
        long = day.end if day.precision in {"month", "year"} else None
        draft = replace(
            draft, on=day.start, on_until=long, precision=draft.precision or day.precision
        )
    return draft


def _date(word: str, use: dates.Use, said: Message, skipped: Skipped) -> dates.DateSpan | None:
    """Read a date that somebody can have meant when they said it."""
    found = dates.read(word, said.tz) if word else None
    if word and (
        found is None or (use != "until" and not dates.is_believable(found, use, said.at))
    ):
        skipped("date", "unbelievable" if found else "unreadable", word)
        return None
    return found
