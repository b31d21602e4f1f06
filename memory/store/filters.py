"""`Filter` as SQL. Ownership is never optional here: every condition starts with the user."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from memory.models import Filter
from memory.store.rows import dump, to_ms


@lru_cache(maxsize=256)
def where(user_id: str, f: Filter) -> tuple[str, tuple[Any, ...]]:
    """A condition on `memories m` and its parameters."""
    parts = ["m.user_id = ?"]
    params: list[Any] = [user_id]

    def among(column: str, allowed: Iterable[str | int] | None) -> None:
        if allowed is not None:
            chosen = sorted(allowed, key=str)
            parts.append(f"{column} IN ({', '.join('?' * len(chosen))})")
            params.extend(chosen)

    among("m.state", (s.value for s in f.states))
    among("m.level", None if f.levels is None else (int(x) for x in f.levels))
    among("m.kind", None if f.kinds is None else (x.value for x in f.kinds))
    among("m.layer", None if f.layers is None else (x.value for x in f.layers))
    parts.append("m.sensitivity <= ?")
    params.append(int(f.max_sensitivity))
    if f.valid_at is not None:
        parts.append("(m.valid_until IS NULL OR m.valid_until > ?)")
        params.append(to_ms(f.valid_at))
    if f.negated is not None:
        parts.append("m.negated_at IS NOT NULL" if f.negated else "m.negated_at IS NULL")
    if f.exclude:
        parts.append("m.id NOT IN (SELECT value FROM json_each(?))")
        params.append(dump(sorted(f.exclude)))
    return " AND ".join(parts), tuple(params)
