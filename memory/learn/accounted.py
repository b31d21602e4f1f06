"""Find what of a finished conversation learning has not handled yet.

The monitor judges every exchange by itself, and what it has judged is handled. Read again is what
it never judged, or answered unreadably about, and a session of somebody who spoke of themselves of
which it learned nothing at all: the whole session knows more than one exchange did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from memory.learn.visible_messages import is_evidence
from memory.models import Json, Message, State
from memory.ports import Transaction
from memory.text.commands import says_nothing
from memory.text.languages import either

LATEST: Final = 300  # monitor jobs looked through for those of a session
_SELF: Final = either("spans", "FIRST")


def list_unaccounted(tx: Transaction, messages: Sequence[Message]) -> list[Message]:
    """List the messages from the first unhandled one to the last, and the one said before it.

    What was said later stands in it though it is handled: it may correct what is read.

    Args:
        tx: of the person whose messages they are.
        messages: of a session, oldest first.
    """
    own = [m for m in messages if is_evidence(m, tx.user_id)]
    learned = tx.memories.get_many(tx.memories.list_learned_from(m.id for m in own))
    if all(m.state is State.DELETED for m in learned) and any(_SELF.search(m.text) for m in own):
        return list(messages)
    handled = _list_handled(tx)
    for i, m in enumerate(messages):
        judged = m.turn_id in handled or says_nothing(m.text)  # "ok": no call is made about it
        if not judged and is_evidence(m, tx.user_id):
            return list(messages[max(i - 1, 0) :])
    return []


def _list_handled(tx: Transaction) -> set[str]:
    """List the turns that the monitor has judged, and could read its own answer about."""
    done: set[str] = set()
    for job in tx.jobs.list_latest("monitor", LATEST):
        result: Mapping[str, Json] = job.result or {}
        if job.state == "done" and result.get("outcome") not in {None, "failed"}:
            done.update(map(str, job.payload.get("turn_ids") or ()))
    return done
