"""Candidates of a question as one line each: what it takes to judge them, without reading the memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from memory.models import Filter, Line
from memory.store.filters import where
from memory.store.rows import dump

_TIMES: Final = ("created_at", "valid_from", "expires_at")


def lines(con: Any, user_id: str, places: Sequence[int], f: Filter) -> list[Line]:
    """Those that pass the filter, in no order."""
    condition, params = where(user_id, f, listed=True)
    cursor = con.cursor()
    cursor.row_factory = None
    cursor.execute(
        "SELECT m.n, m.id, m.original_content, m.entities, m.layer = 'episode',"
        " m.created_at, m.valid_from, m.expires_at FROM memories m"
        f" WHERE m.n IN (SELECT value FROM json_each(?)) AND {condition}",
        (dump([int(p) for p in places]), *params),
    )
    return [
        Line(n, i, text, named, bool(ep), (made, valid, due)) for n, i, text, named, ep, made, valid, due in cursor
    ]


def dated(con: Any, user_id: str, span: tuple[int, int], k: int, f: Filter) -> list[int]:
    """Places of memories that have one of their times in the span, the newest first."""
    condition, params = where(user_id, f, listed=True)
    found: set[int] = set()
    for column in _TIMES:
        # By layer and time of making, as the index has them: all layers but one are few.
        layer = " AND m.layer IN ('fact', 'core', 'episode', 'system')" if column == "created_at" else ""
        rows = con.execute(
            f"SELECT m.n FROM memories m WHERE m.user_id = ? AND m.{column} >= ? AND m.{column} < ?{layer}"
            f" AND {condition} ORDER BY m.{column} DESC LIMIT ?",
            (user_id, *span, *params, k),
        )
        found.update(r[0] for r in rows.fetchall())
    return sorted(found, reverse=True)[:k]
