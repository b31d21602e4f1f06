"""Entities of one user and what has them; the graph they span is looked at in `memory.store.graph`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memory.store.rows import dump
from memory.store.text import fold


def link(con: Any, owner: str, n: int, names: Iterable[str]) -> None:
    """Connect a memory with its entities; an entity keeps the spelling it was first met in."""
    for name in names:
        folded = fold(name)
        if not folded:
            continue
        con.execute(
            "INSERT OR IGNORE INTO entities (user_id, folded, name) VALUES (?, ?, ?)", (owner, folded, name.strip())
        )
        con.execute(
            "INSERT OR IGNORE INTO memory_entities (entity_n, memory_n)"
            " SELECT n, ? FROM entities WHERE user_id = ? AND folded = ?",
            (n, owner, folded),
        )


def link_many(con: Any, owner: str, memories: Sequence[tuple[int, Sequence[str]]]) -> None:
    """`link` for many: (number, names) of each."""
    pairs = [(n, fold(name), name.strip()) for n, names in memories for name in names]
    named = {folded: name for _, folded, name in reversed(pairs) if folded}
    con.executemany(
        "INSERT OR IGNORE INTO entities (user_id, folded, name) VALUES (?, ?, ?)",
        [(owner, folded, name) for folded, name in named.items()],
    )
    known = con.execute(
        "SELECT folded, n FROM entities WHERE user_id = ? AND folded IN (SELECT value FROM json_each(?))",
        (owner, dump(list(named))),
    )
    places = dict(map(tuple, known.fetchall()))
    con.executemany(
        "INSERT OR IGNORE INTO memory_entities (entity_n, memory_n) VALUES (?, ?)",
        [(places[folded], n) for n, folded, _ in pairs if folded],
    )


def unlink(con: Any, n: int) -> int:
    """Take a memory out of the graph; entities that nothing else has go too. How many of those went."""
    mine = [r[0] for r in con.execute("SELECT entity_n FROM memory_entities WHERE memory_n = ?", (n,)).fetchall()]
    con.execute("DELETE FROM memory_entities WHERE memory_n = ?", (n,))
    gone = con.execute(
        "DELETE FROM entities WHERE n IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM memory_entities l WHERE l.entity_n = entities.n)",
        (dump(mine),),
    )
    return int(gone.rowcount)
