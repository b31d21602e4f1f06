"""A turn in the store: opened before the model is called, finished with what follows from it.

The user's message and the turn are committed first; the reply, its trace, its tokens and the jobs
that learn from it are committed together at the end. A turn whose process died becomes
`interrupted`, and what the user said in it is still learned. All functions here are synchronous and
run inside one `Store.write`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from bot.events import Turn
from bot.sessions import compact, ensure_session, plan_rest, title_of
from memory.api import (
    LONG_ABSENCE,
    HardDay,
    find_session_language,
    is_off,
    mark_message_quiet,
    says_nothing,
    show_names,
    strip_pictures,
)
from memory.models import (
    Filter,
    Hit,
    Lang,
    Layer,
    Message,
    MessageStatus,
    Recall,
    Session,
    TurnRow,
    TurnState,
    Usage,
)
from memory.ports import Transaction

LEASE = timedelta(seconds=60)


class ReplayedTurn(NamedTuple):
    """The turn was answered before: its reply, or why it failed."""

    row: TurnRow
    reply: Message | None


class OpenedTurn(NamedTuple):
    """The turn is ours; `history` is working memory before its message."""

    row: TurnRow
    session: Session
    message: Message
    history: Sequence[Message]
    episode: str
    off: bool  # memory is: nothing is looked up
    lang: Lang  # of the session's instructions to models
    away: bool = False  # the person comes back after a long absence
    hard: HardDay = ""  # whether the message speaks of hurting oneself, or worries about somebody


@dataclass
class TurnEnding:
    """How a turn ended, and what is stored with it."""

    looked_up: Sequence[Hit] = ()  # by the model's own calls, while it wrote
    state: TurnState = "interrupted"
    text: str = ""
    status: MessageStatus = "interrupted"
    error: str = ""
    recall: Recall | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    learn: bool = True
    asked: Callable[[Transaction], None] | None = None  # notes what the text asks, with the text


def begin(
    tx: Transaction,
    turn: Turn,
    worker: str,
    idle: timedelta,
    now: datetime,
    add: Callable[[Transaction, Message], Message],
) -> OpenedTurn | ReplayedTurn | None:
    """Open the turn and store its message, or return how it was answered before.

    None while another turn of the scope runs. `add` stores the message: a secret in it never
    reaches the file in the open, but is in `turn` for this reply. `turn.at` is when the message was
    said; `now` is when we got to it, which leases and the idle rule use.
    """
    settle_orphans(tx, now)
    talks, until = tx.conversations, now + LEASE
    row = talks.get_turn(turn.id)
    if row is not None and row.state in ("done", "" if turn.again else "stopped"):
        reply = talks.get_message(row.reply_message_id) if row.reply_message_id else None
        return ReplayedTurn(row, reply)
    if talks.get_open_turn(turn.scope) is not None:
        return None
    tx.changes.begin("user", "chat", now, turn_id=turn.id)
    if row is not None:  # it did not end well: again, for the message that is stored already
        stored, held = talks.get_message(row.user_message_id), talks.get_session(row.session_id)
        if stored is None or held is None or not talks.reopen_turn(row.id, worker, until):
            return None
        row = replace(row, state="open", leased_by=worker, leased_until=until)
        return _read_turn(tx, row, held, stored)
    before = talks.list_sessions(turn.scope, 1)
    away = bool(before) and now - before[0].last_at >= LONG_ABSENCE
    session = ensure_session(tx, turn.scope, now, idle)
    message = Message(
        "",
        session.id,
        turn.id,
        turn.user_id,
        "user",
        turn.text,
        turn.at,
        turn.tz,
        reply_to=turn.reply_to,
    )
    message = add(tx, message)
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
        leased_until=until,
    )
    talks.open_turn(row)
    title = session.title or title_of(strip_pictures(message.text) or message.text)
    session = replace(session, last_at=max(session.last_at, now), title=title)
    talks.put_session(session)
    return _read_turn(tx, row, session, message)._replace(away=away)


def reread(tx: Transaction, opened: OpenedTurn) -> OpenedTurn:
    """Read the turn again, without what was hidden since."""
    session = tx.conversations.get_session(opened.session.id) or opened.session
    message = tx.conversations.get_message(opened.message.id) or opened.message
    read = _read_turn(tx, opened.row, session, message)
    return read._replace(away=opened.away, hard=opened.hard)


def keep_message_quiet(tx: Transaction, opened: OpenedTurn, now: datetime) -> OpenedTurn:
    """Let nothing come up by itself of what was said: no memory of it, and no title."""
    tx.changes.begin("user", "chat", now, turn_id=opened.row.id)
    mark_message_quiet(tx, opened.message)
    return reread(tx, opened)


def _read_turn(tx: Transaction, row: TurnRow, session: Session, message: Message) -> OpenedTurn:
    """Read what stands before a turn's message; while memory is off without an episode."""
    history = tx.conversations.list_messages(
        session_id=session.id, after=session.summarised_through, before=message.seq
    )
    off = is_off(tx)
    episode = "" if off else _find_latest_episode(tx, session)
    lang = find_session_language(tx, session.id)
    return OpenedTurn(row, session, message, history, episode, off, lang)


def _find_latest_episode(tx: Transaction, session: Session) -> str:
    """Return the newest episode of an earlier session of the same scope."""
    page = tx.memories.find(Filter(layers=frozenset({Layer.EPISODE})), order="created", limit=10)
    for m in page.items:
        if m.source_session in (None, session.id) or m.quiet_at is not None:
            continue
        source = tx.conversations.get_session(m.source_session)
        if source is not None and source.scope == session.scope:
            return show_names(tx, [m])[0].content
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
    row, talks = opened.row, tx.conversations
    tx.changes.begin("user", "chat", now, turn_id=row.id)
    reply_id = tx.new_id() if end.text else None
    if not talks.finish_turn(
        row.id, worker, end.state, now, reply_message_id=reply_id, error=end.error
    ):
        return None
    reply: Message | None = None
    if reply_id is not None:
        said = opened.message
        written = Message(
            reply_id,
            row.session_id,
            row.id,
            None,
            "assistant",
            end.text,
            now,
            said.tz,
            status=end.status,
            reply_to=said.id,
        )
        reply = talks.add_message(written)
        if end.asked is not None:
            end.asked(tx)
    if end.recall is not None:
        tx.traces.save(row.id, row.scope, end.recall, (), now)
    if end.model:
        tx.traces.record_tokens("chat", end.model, end.usage, now)
    session = talks.get_session(row.session_id)
    if session is None:
        return reply
    session = replace(session, last_at=max(session.last_at, now))
    talks.put_session(session)
    off = is_off(tx)
    if end.learn and not off and not _tells_nothing(opened, end.recall):
        _enqueue_monitor(tx, row, now, every)
    if session.state != "open":  # closed while this was written
        plan_rest(tx, session, now)
    elif not off:
        compact(tx, session, now, budget_tokens)
    return reply


def _tells_nothing(opened: OpenedTurn, recall: Recall | None) -> bool:
    """Tell whether the message is "ok" or the like, beside no memory, and answers no question."""
    before = opened.history[-1].text if opened.history else ""
    asked = re.search(r"[?？]\W*$", before)
    found = recall is not None and (recall.hits or recall.faint)
    return not found and not asked and says_nothing(opened.message.text)


def _enqueue_monitor(tx: Transaction, row: TurnRow, now: datetime, every: int) -> None:
    """Learn from the turn, or with `every` > 1 from the last so many turns at once."""
    user = tx.user()
    before = user.settings.get("unlearned_turns") or [] if every > 1 else []
    waiting = [*(str(x) for x in before if x != row.id), row.id]
    if len(waiting) >= every:
        tx.jobs.enqueue("monitor", row.id, {"turn_ids": waiting}, now)
        waiting = []
    if every > 1:
        tx.put_user(replace(user, settings={**user.settings, "unlearned_turns": waiting}))


def settle_orphans(tx: Transaction, now: datetime) -> None:
    """Mark turns whose process is gone as `interrupted`; what was said in them is still learned."""
    for row in tx.conversations.list_orphan_turns(now):
        tx.changes.begin("system", "chat", now, turn_id=row.id)
        if tx.conversations.finish_turn(row.id, row.leased_by, "interrupted", now) and not is_off(
            tx
        ):
            tx.jobs.enqueue("monitor", row.id, {"turn_ids": [row.id]}, now)
            session = tx.conversations.get_session(row.session_id)
            if session is not None and session.state != "open":
                plan_rest(tx, session, now)
