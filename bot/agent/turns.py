"""A turn in the store: opened before the model is called, finished with everything that follows
from it.

The user's message and the turn are committed first; the reply, its trace, its tokens and the jobs
that learn from it are committed together at the end. A turn whose process died becomes
`interrupted`, and what the user said in it is still learned. All functions here are synchronous and
run inside one `Store.write`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.events import Turn
from bot.sessions import compact, ensure_session, plan_rest, title_of
from memory.learn.preferences import is_off
from memory.models import (
    Filter,
    Layer,
    Message,
    MessageStatus,
    Recall,
    Session,
    State,
    TurnRow,
    TurnState,
    Usage,
)
from memory.ports import Transaction

LEASE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """The turn was answered before: its reply, or why it failed."""

    row: TurnRow
    reply: Message | None


@dataclass(frozen=True, slots=True)
class ScopeBusy:
    """Another turn of the scope is being answered."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class OpenedTurn:
    """The turn is ours; `history` is working memory before its message."""

    row: TurnRow
    session: Session
    message: Message
    history: Sequence[Message]
    episode: str
    off: bool  # memory is: nothing is looked up


@dataclass(frozen=True, slots=True)
class TurnEnding:
    """How a turn ended, and what is stored with it."""

    state: TurnState
    text: str = ""
    status: MessageStatus = "complete"
    error: str = ""
    recall: Recall | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    learn: bool = True


def begin(
    tx: Transaction,
    turn: Turn,
    worker: str,
    idle: timedelta,
    now: datetime,
    add: Callable[[Transaction, Message], Message],
) -> OpenedTurn | ReplayedTurn | ScopeBusy:
    """Open the turn, storing the user's message; or say that it was answered, or that another one
    runs.

    `add` stores the message: a secret in it never reaches the file in the open, but is in `turn`
    for this reply. `turn.at` is when the message was said; `now` is when we got to it, which leases
    and the idle rule use.
    """
    settle_orphans(tx, now)
    row = tx.conversations.get_turn(turn.id)
    if row is not None and row.state in ("done", "stopped"):
        reply = tx.conversations.get_message(row.reply_message_id) if row.reply_message_id else None
        return ReplayedTurn(row, reply)
    running = tx.conversations.get_open_turn(turn.scope)
    if running is not None:
        return ScopeBusy(running.id)
    tx.changes.begin("user", "chat", now, turn_id=turn.id)
    if row is not None:
        return _again(tx, row, worker, now)
    session = ensure_session(tx, turn.scope, now, idle)
    history = tx.conversations.list_messages(
        session_id=session.id, after=session.summarised_through
    )
    message = add(
        tx,
        Message(
            id="",
            session_id=session.id,
            turn_id=turn.id,
            author_user_id=turn.user_id,
            role="user",
            text=turn.text,
            at=turn.at,
            tz=turn.tz,
            reply_to=turn.reply_to,
        ),
    )
    row = TurnRow(
        id=turn.id,
        user_id=turn.user_id,
        scope=turn.scope,
        session_id=session.id,
        origin=turn.origin,
        state="open",
        started_at=now,
        user_message_id=message.id,
        leased_by=worker,
        leased_until=now + LEASE,
    )
    tx.conversations.open_turn(row)
    title = session.title or title_of(message.text)
    session = replace(session, last_at=max(session.last_at, now), title=title)
    tx.conversations.put_session(session)
    return OpenedTurn(row, session, message, history, find_latest_episode(tx, session), is_off(tx))


def _again(tx: Transaction, row: TurnRow, worker: str, now: datetime) -> OpenedTurn | ScopeBusy:
    """Open a failed or interrupted turn again, for the message that is stored already."""
    message = tx.conversations.get_message(row.user_message_id)
    session = tx.conversations.get_session(row.session_id)
    if (
        message is None
        or session is None
        or not tx.conversations.reopen_turn(row.id, worker, now + LEASE)
    ):
        return ScopeBusy(row.id)
    history = tx.conversations.list_messages(
        session_id=session.id, after=session.summarised_through, before=message.seq
    )
    row = replace(row, state="open", leased_by=worker, leased_until=now + LEASE)
    return OpenedTurn(row, session, message, history, find_latest_episode(tx, session), is_off(tx))


def reread(tx: Transaction, opened: OpenedTurn) -> OpenedTurn:
    """Read the turn again: without what was hidden since; while memory is off without an episode."""
    session = tx.conversations.get_session(opened.session.id) or opened.session
    message = tx.conversations.get_message(opened.message.id) or opened.message
    history = tx.conversations.list_messages(
        session_id=session.id, after=session.summarised_through, before=message.seq
    )
    off = is_off(tx)
    episode = "" if off else find_latest_episode(tx, session)
    return replace(
        opened, session=session, message=message, history=history, episode=episode, off=off
    )


def find_latest_episode(tx: Transaction, session: Session) -> str:
    """Return the newest episode of an earlier session of the same scope, never a private one in a group."""
    page = tx.memories.find(
        Filter(layers=frozenset({Layer.EPISODE}), states=frozenset({State.ACTIVE})),
        order="created",
        limit=10,
    )
    for m in page.items:
        if m.source_session in (None, session.id) or m.quiet_at is not None:
            continue
        source = tx.conversations.get_session(m.source_session)
        if source is not None and source.scope == session.scope:
            return m.content
    return ""


def finish(
    tx: Transaction,
    opened: OpenedTurn,
    end: TurnEnding,
    worker: str,
    now: datetime,
    *,
    budget_tokens: int,
    every: int,
) -> Message | None:
    """Store the reply, the trace, the tokens and the jobs; None if the turn was no longer ours."""
    row = opened.row
    tx.changes.begin("user", "chat", now, turn_id=row.id)
    reply_id = tx.new_id() if end.text else None
    if not tx.conversations.finish_turn(
        row.id, worker, end.state, now, reply_message_id=reply_id, error=end.error
    ):
        return None
    reply: Message | None = None
    if reply_id is not None:
        reply = tx.conversations.add_message(
            Message(
                id=reply_id,
                session_id=row.session_id,
                turn_id=row.id,
                author_user_id=None,
                role="assistant",
                text=end.text,
                at=now,
                tz=opened.message.tz,
                status=end.status,
                reply_to=opened.message.id,
            )
        )
    if end.recall is not None:
        tx.traces.save(row.id, row.scope, end.recall, (), now)
    if end.model:
        tx.traces.record_tokens("chat", end.model, end.usage, now)
    session = tx.conversations.get_session(row.session_id)
    if session is None:
        return reply
    session = replace(session, last_at=max(session.last_at, now))
    tx.conversations.put_session(session)
    off = is_off(tx)
    if end.learn and not off:
        enqueue_monitor(tx, row, now, every)
    if session.state == "open":
        if not off:
            compact(tx, session, now, budget_tokens)
    else:  # closed while this was written
        plan_rest(tx, session, now)
    return reply


def enqueue_monitor(tx: Transaction, row: TurnRow, now: datetime, every: int) -> None:
    """Learn from the turn, or with `every` > 1 from the last so many turns at once."""
    if every <= 1:
        tx.jobs.enqueue("monitor", row.id, {"turn_ids": [row.id]}, now)
        return
    waiting = [str(x) for x in (tx.user().settings.get("unlearned_turns") or [])]
    waiting = [*[w for w in waiting if w != row.id], row.id]
    if len(waiting) >= every:
        tx.jobs.enqueue("monitor", row.id, {"turn_ids": waiting}, now)
        waiting = []
    user = tx.user()
    tx.put_user(replace(user, settings={**user.settings, "unlearned_turns": waiting}))


def settle_orphans(tx: Transaction, now: datetime) -> int:
    """Mark turns whose process is gone as `interrupted`; what was said in them is still learned."""
    orphans = tx.conversations.list_orphan_turns(now)
    for row in orphans:
        tx.changes.begin("system", "chat", now, turn_id=row.id)
        if tx.conversations.finish_turn(row.id, row.leased_by, "interrupted", now) and not is_off(
            tx
        ):
            tx.jobs.enqueue("monitor", row.id, {"turn_ids": [row.id]}, now)
            session = tx.conversations.get_session(row.session_id)
            if session is not None and session.state != "open":
                plan_rest(tx, session, now)
    return len(orphans)
