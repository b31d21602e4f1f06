"""What was learned just before and after a memory, in the same session: an answer stands beside its question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory.models import Beside, MemoryId
from memory.store.rows import dump

_SIDES = (("<", "DESC", -1), (">", "", 1))


def beside(con: Any, user_id: str, ids: Sequence[MemoryId], reach: int) -> list[Beside]:
    """Up to `reach` memories on either side of each of `ids`; episodes stand beside nothing."""
    rows = con.execute(
        "SELECT n, id, source_session, created_at FROM memories WHERE id IN (SELECT value FROM json_each(?))"
        # The plus signs keep the planner from going through all of the user's memories instead.
        " AND +user_id = ? AND +source_session IS NOT NULL AND +layer <> 'episode'",
        (dump(list(ids)), user_id),
    ).fetchall()
    out: list[Beside] = []
    for n, memory_id, session, at in (tuple(r) for r in rows):
        for sign, order, step in _SIDES:
            near = con.execute(
                "SELECT id, created_at FROM memories"
                " WHERE source_session = ? AND +user_id = ? AND +layer <> 'episode'"
                f" AND (created_at, n) {sign} (?, ?) ORDER BY created_at {order}, n {order} LIMIT ?",
                (session, user_id, at, n, reach),
            ).fetchall()
            out += [Beside(memory_id, r[0], step * (i + 1), abs(r[1] - at) / 1000) for i, r in enumerate(near)]
    return out
