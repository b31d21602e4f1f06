"""What was learned just before and after a memory, in the same session: an answer stands beside its question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory.models import Beside, MemoryId
from memory.store.rows import dump

_SIDES = (("<", "DESC", -1), (">", "ASC", 1))
_NEAR = """
SELECT s.id, m.id, m.created_at - s.created_at
FROM json_each(?) j CROSS JOIN memories s ON s.id = j.value CROSS JOIN memories m ON m.n IN (
  SELECT n FROM memories
  WHERE source_session = s.source_session AND +user_id = s.user_id AND +layer <> 'episode'
    AND (created_at, n) {sign} (s.created_at, s.n)
  ORDER BY created_at {order}, n {order} LIMIT ?)
WHERE +s.user_id = ? AND +s.layer <> 'episode'
ORDER BY s.n, m.created_at {order}, m.n {order}
"""


def beside(con: Any, user_id: str, ids: Sequence[MemoryId], reach: int) -> list[Beside]:
    """Up to `reach` memories on either side of each of `ids`; episodes stand beside nothing."""
    out: list[Beside] = []
    for sign, order, step in _SIDES:
        near = con.execute(_NEAR.format(sign=sign, order=order), (dump(list(ids)), reach, user_id)).fetchall()
        places: dict[MemoryId, int] = {}
        for of, found, ms in (tuple(r) for r in near):
            places[of] = places.get(of, 0) + step
            out.append(Beside(of, found, places[of], abs(ms) / 1000))
    return out
