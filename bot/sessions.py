"""Sessions in the store: which one is open, closing it, and planning what is summarised away.

All functions are synchronous and run inside one `Store.write`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory.api import erase_unkept, estimate_tokens, is_document, is_off, redact
from memory.models import Message, Session
from memory.ports import Transaction

HISTORY_LIMIT = 30  # past this many messages the oldest become an episode …
HISTORY_KEPT = 10  # … and this many of the newest stay
HISTORY_SHARE = 0.35  # of the context; past it as well
# of that: a longer message counts as so much, since the prompt shortens it first
LONG_SHARE = 1 / 8
DOCUMENT_SHOWN = 400  # tokens of a document in the history, about: its opening and outline
TITLE_CHARS = 40


def ensure_session(tx: Transaction, scope: str, now: datetime, idle: timedelta) -> Session:
    """Return the scope's open session; one that lay idle for too long is closed first."""
    current = tx.conversations.get_open_session(scope)
    if current is not None and now - current.last_at >= idle and close(tx, current, now, "idle"):
        current = None
    return (
        current
        or tx.conversations.get_open_session(scope)
        or tx.conversations.open_session(scope, now)
    )


def close(tx: Transaction, session: Session, now: datetime, why: str) -> bool:
    """Close it, plan an episode and an extraction of the rest. False if it was closed already.

    While a reply to it is being written, that waits for the reply. While memory is off it is erased
    instead.
    """
    if not tx.conversations.close_session(session.id, now, why):
        return False
    running = tx.conversations.get_open_turn(session.scope)
    if running is None or running.session_id != session.id:
        plan_rest(tx, session, now)
    return True


def plan_rest(tx: Transaction, session: Session, now: datetime) -> None:
    """Plan whatever of a closed session is not planned for yet; erase it while memory is off."""
    if is_off(tx):
        erase_unkept(tx, session, now)
        return
    rest = tx.conversations.list_messages(session_id=session.id, after=session.planned_through)
    if rest:
        plan(tx, session, rest[-1].seq, now)


def plan(tx: Transaction, session: Session, through: int, now: datetime) -> Session:
    """Fix the span up to `through` as the next to be extracted from and summarised.

    The span is fixed here and not when the job runs, so that episodes are the same however late
    that is.
    """
    tx.jobs.enqueue(
        "extract", f"{session.id}:{through}", {"session_id": session.id, "through": through}, now
    )
    tx.jobs.enqueue(
        "summarise",
        f"{session.id}:{through}",
        {"session_id": session.id, "after": session.planned_through, "through": through},
        now,
    )
    session = replace(session, planned_through=through)
    tx.conversations.put_session(session)
    return session


def find_compaction_point(messages: Sequence[Message], budget_tokens: int) -> int | None:
    """`seq` of the last message to summarise away, or None if history is short enough.

    Past 30 messages all but the newest 10 go; past the token budget, until half of it is left. The
    newest exchange stays, and none is ever split.
    """
    sizes = [DOCUMENT_SHOWN if is_document(m.text) else estimate_tokens(m.text) for m in messages]
    sizes = [min(size, int(budget_tokens * LONG_SHARE)) for size in sizes]
    if len(messages) <= HISTORY_LIMIT and sum(sizes) <= budget_tokens:
        return None
    cut = max(len(messages) - HISTORY_KEPT, 0)
    while (
        sum(sizes) > budget_tokens
        and cut < len(messages) - 1
        and sum(sizes[cut:]) > budget_tokens // 2
    ):
        cut += 1
    while (
        cut > 0
        and messages[cut].turn_id is not None
        and messages[cut].turn_id == messages[cut - 1].turn_id
    ):
        cut -= 1
    return messages[cut - 1].seq if cut > 0 else None


def compact(tx: Transaction, session: Session, now: datetime, budget_tokens: int) -> Session:
    """Plan a compaction if the messages not yet planned for have become too many."""
    unplanned = tx.conversations.list_messages(session_id=session.id, after=session.planned_through)
    through = find_compaction_point(unplanned, budget_tokens)
    return session if through is None else plan(tx, session, through, now)


def title_of(text: str) -> str:
    """Make a session's title: the beginning of the first thing said, without the secrets in it."""
    line = " ".join(redact(text)[0].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
