"""Entities of one user and the graph they span: memories are neighbours when they share one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memory.models import Filter, MemoryId, Scored
from memory.store.filters import where
from memory.store.rows import dump
from memory.store.text import fold

_FRONTIER = 24  # memories carried from one hop to the next
_HOP_DECAY = 0.5
_HUB = 50  # more memories than this, and an entity connects nothing
_RAREST = 12  # entities followed at each hop
# What shares an entity with the frontier, by the entity's rarity. A name that very many memories share ("I", the
# user's own) says nothing, and would cost the most.
_HOP = (
    "WITH f AS (SELECT p.value AS n, s.value AS strength FROM json_each(?) p JOIN json_each(?) s ON s.key = p.key),"
    " e AS (SELECT l.entity_n AS entity, SUM(f.strength) AS strength"
    " FROM f CROSS JOIN memory_entities l ON l.memory_n = f.n GROUP BY 1),"
    " w AS MATERIALIZED (SELECT entity, strength,"
    " (SELECT COUNT(*) FROM (SELECT 1 FROM memory_entities WHERE entity_n = entity LIMIT ?)) AS held FROM e),"
    " r AS (SELECT entity, strength / held AS worth FROM w WHERE held <= ? ORDER BY worth DESC, entity LIMIT ?),"
    " t AS (SELECT l.memory_n AS n, SUM(r.worth) AS score"
    " FROM r CROSS JOIN memory_entities l ON l.entity_n = r.entity GROUP BY 1 ORDER BY score DESC, n DESC LIMIT ?)"
    " SELECT t.n, m.id, t.score FROM t CROSS JOIN memories m INDEXED BY memories_gate ON m.n = t.n"
    " WHERE +m.user_id = ? AND m.state NOT IN ('forgotten', 'deleted') AND m.sensitivity < 3"
    " ORDER BY t.score DESC, t.n DESC"
)


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


def by_entity(con: Any, user_id: str, names: Sequence[str], k: int, f: Filter) -> list[Scored]:
    """Memories that have one of the names (as `fold` leaves them); a rare entity says more than a frequent one.

    Of a name that very many memories share, the newest `_HUB` are looked at.
    """
    named = con.execute(
        "SELECT n FROM entities WHERE user_id = ? AND folded IN (SELECT value FROM json_each(?))",
        (user_id, dump(sorted(set(names)))),
    )
    scores: dict[int, float] = {}
    for (entity,) in named.fetchall():
        linked = con.execute(
            "SELECT memory_n FROM memory_entities WHERE entity_n = ? ORDER BY memory_n DESC LIMIT ?", (entity, _HUB)
        ).fetchall()
        for (n,) in linked:
            scores[n] = scores.get(n, 0.0) + 1 / (1 + len(linked))
    condition, params = where(user_id, f, listed=True)
    rows = con.execute(
        "SELECT m.n, m.id, m.last_activated_at FROM memories m"
        f" WHERE m.n IN (SELECT value FROM json_each(?)) AND {condition}",
        (dump(sorted(scores)), *params),
    ).fetchall()
    best = sorted(rows, key=lambda r: (-scores[r["n"]], -r["last_activated_at"], -r["n"]))
    return [Scored(r["id"], scores[r["n"]], r["n"]) for r in best[:k]]


def related(con: Any, user_id: str, ids: Sequence[MemoryId], hops: int, k: int) -> list[Scored]:
    """Neighbours through shared entities, up to `hops` away, the given ones left out; each hop counts half.

    Only what is indexed and no secret; the caller gates for state and validity, as it does for every signal.
    """
    start = con.execute(
        "SELECT n FROM memories WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?))",
        (user_id, dump(list(ids))),
    )
    frontier = {int(r[0]): 1.0 for r in start.fetchall()}
    seen, found = set(frontier), list[Scored]()
    for _ in range(hops):
        if not frontier:
            break
        places, strengths = dump(list(frontier)), dump(list(frontier.values()))
        cursor = con.cursor()
        cursor.row_factory = None
        cursor.execute(_HOP, (places, strengths, _HUB + 1, _HUB, _RAREST, 3 * _FRONTIER + len(seen), user_id))
        reached = [(n, i, s) for n, i, s in cursor.fetchall() if n not in seen][:_FRONTIER]
        seen.update(n for n, _, _ in reached)
        frontier = {n: s * _HOP_DECAY for n, _, s in reached}
        found += [Scored(i, s, n) for n, i, s in reached]
    return sorted(found, key=lambda s: -s.score)[:k]
