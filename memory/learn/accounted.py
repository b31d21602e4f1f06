"""Find what a finished conversation holds that learning has not accounted for yet.

The monitor judges every exchange by itself. A session that it has handled is not read again but for
the statements whose names, numbers or dates stand in no memory, and where it learned nothing at all
of somebody who spoke of themselves: the whole session knows more than one exchange did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from memory.learn.dates import find_spoken_times, get_zone
from memory.learn.evidence import find_names, is_named
from memory.learn.visible_messages import is_evidence
from memory.models import Filter, Json, Memory, Message, State
from memory.ports import Transaction
from memory.text.commands import says_nothing
from memory.text.languages import either
from memory.text.numbers import find_numbers
from memory.text.spans import find_own_sentences, is_question
from memory.text.speech import fold

LATEST: Final = 300  # monitor jobs looked through for those of a session
_NEAREST: Final = 10  # memories that a statement is compared with
_SMALL: Final = 2  # "one thing", "two days": a number up to it says nothing by itself
_SELF: Final = either("spans", "FIRST")
_LOOKED_AT: Final = Filter(states=frozenset(State) - {State.DELETED})


def list_unaccounted(tx: Transaction, messages: Sequence[Message]) -> list[Message]:
    """List the messages to be read once more, each with what was said just before it.

    Args:
        tx: of the person whose messages they are.
        messages: of a session, oldest first.
    """
    handled = _list_handled(tx)
    own = [m for m in messages if is_evidence(m, tx.user_id)]
    learned = {m.id: _list_learned(tx, m.id) for m in own}
    every = [memory for found in learned.values() for memory in found]
    if not every and any(_SELF.search(m.text) for m in own):
        return list(messages)  # nothing was learned of a person who spoke of themselves
    wanted: set[str] = set()
    for before, m in zip([None, *messages], messages, strict=False):
        if m.id not in learned or says_nothing(m.text):  # "ok": no call is made about it
            continue
        if m.turn_id not in handled or not _is_accounted(tx, m, every, bool(learned[m.id])):
            wanted |= {m.id, m.turn_id or m.id, before.id if before is not None else m.id}
    return [m for m in messages if m.id in wanted or (m.turn_id and m.turn_id in wanted)]


def _list_learned(tx: Transaction, message_id: str) -> list[Memory]:
    """List what was learned from a message and not deleted since."""
    found = tx.memories.get_many(tx.memories.list_learned_from([message_id]))
    return [m for m in found if m.state is not State.DELETED]


def _list_handled(tx: Transaction) -> set[str]:
    """List the turns that the monitor has judged, and could read its own answer about."""
    done: set[str] = set()
    for job in tx.jobs.list_latest("monitor", LATEST):
        result: Mapping[str, Json] = job.result or {}
        if job.state == "done" and result.get("outcome") not in {None, "failed"}:
            done.update(map(str, job.payload.get("turn_ids") or ()))
    return done


def _is_accounted(tx: Transaction, m: Message, every: Sequence[Memory], learned: bool) -> bool:
    """Tell whether each own statement of a message has its details in memories."""
    for start, end in find_own_sentences(m.text):
        said = m.text[start:end]
        names = {fold(n) for n in find_names(f"- {said}")}
        numbers = {n for n, a, b in find_numbers(said) if n > _SMALL or said[a:b].isdecimal()}
        dated = any(map(len, find_spoken_times(said, m.at, m.tz)))
        if is_question(said) or not (names or numbers or dated):
            continue
        found = tx.memories.find(_LOOKED_AT, text=said, limit=_NEAREST).items
        known = [*every, *found]
        text = fold(" ".join(" ".join((k.original_content, *k.entities)) for k in known))
        counted = {n for n, *_ in find_numbers(text)} | {
            n for k in known for n in _list_dated(k, m.tz)
        }
        if (
            not all(is_named(n, text, "") for n in names)
            or numbers - counted
            or not (learned or found)
        ):
            return False
        if dated and not (names or numbers or learned):
            return False
    return True


def _list_dated(m: Memory, tz: str) -> set[float]:
    """List the numbers that a memory's dates may be said with, in the zone they were said in."""
    days = [
        d.astimezone(get_zone(tz))
        for d in (m.on, m.expires_at, m.valid_from, m.valid_until, m.created_at)
        if d is not None
    ]
    parts = [(d.year, d.month, d.day, d.hour, d.hour % 12, d.minute) for d in days]
    return {float(n) for some in parts for n in some}
