"""A todo that is due: asked about once, and what the person's answer makes of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final, Literal, TypeAlias

from memory import lifecycle
from memory.errors import NotFound
from memory.learn.edits import must, put_edit
from memory.lifecycle import find_today, is_silenced, wants_question
from memory.lifecycle.life import ASKED_WITHIN
from memory.models import Kind, Level, Memory, MemoryId, State, mark_quote
from memory.ports import Transaction
from memory.text.dates import DateMatch, write_date
from memory.text.languages import value

Answer: TypeAlias = Literal["done", "open", "dropped"]
_NEVER: Final = lifecycle.from_ms(0)  # asked so long ago that the next night archives it


def list_due(tx: Transaction, now: datetime) -> list[Memory]:
    """List the todos that Ebb may ask about now, the one due first first; none of the dead."""
    found = tx.memories.list_dated(now - ASKED_WITHIN, now)
    deaths = [m for m in found if m.dead]
    due = [m for m in found if wants_question(m, now) and not is_silenced(m, deaths)]
    return sorted(due, key=lambda m: (m.expires_at or now, m.id))


def mark_asked(tx: Transaction, m: Memory, u: float, now: datetime) -> None:
    """Note that Ebb asked, or will not ask any more; it is no change of the person's."""
    after = lifecycle.mark_asked(m, now)
    tx.memories.move(after, lifecycle.build_log_entry("asked", m, after, u, now))


def settle_todo(
    tx: Transaction, memory_id: MemoryId, said: Answer, u: float, now: datetime, tz: str
) -> Memory:
    """Do what the person answered about a todo. Raises NotFound (it is none any more).

    Done, it becomes the fact that it was done on that day; open, it stays; dropped, the next night
    archives it.
    """
    m = must(tx, memory_id)
    if m.kind is not Kind.TODO or m.state is not State.ACTIVE:
        raise NotFound(f"There is no todo {memory_id} any more.")
    if said == "dropped":
        mark_asked(tx, m, u, _NEVER)
        return m
    tx.changes.begin("user", "todo", now)
    new = lifecycle.apply_event(m, "use", u, now)[0]
    if said == "done":
        day = datetime.combine(find_today(now, tz), datetime.min.time())
        form = value(m.language, "nearness", "DONE")
        words = mark_quote(m, m.original_content)
        text = form.format(when=write_date(DateMatch(day, "day"), m.language), text=words)
        entry = {"at": lifecycle.to_milliseconds(now), "reason": "done", "was": m.original_content}
        new = replace(
            new,
            kind=Kind.FACT,
            content=text,
            original_content=text,
            level=Level.FULL,
            expires_at=None,
            precision=None,
            modalities=tuple(x for x in m.modalities if x != "quote"),
            correction_history=(*m.correction_history, entry),
        )
    return put_edit(tx, m, new, "edited", u, now)
