"""Memories of one user, as they are and as they were, with their text rows, entities, sources and weight log."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from memory.errors import Conflict, NotFound, StoreError
from memory.index.text import fold, hash_terms, segment_text
from memory.models import (
    Filter,
    Layer,
    Memory,
    MemoryId,
    MemoryOutline,
    MemoryPage,
    Op,
    Sensitivity,
    Source,
    State,
    WeightEvent,
)
from memory.store.rows import (
    AMONG,
    MEMORY_COLUMNS,
    MEMORY_SELECT,
    build_condition,
    columns_of,
    dump,
    insert,
    json_from_row,
    memory_from_json,
    memory_from_row,
    memory_to_json,
    quote_name,
    row_of,
    to_ms,
    tuples,
)
from memory.store.transaction import ChangeGateway, Gateway, claim_id
from memory.store.vectors import VectorGateway
from memory.text.notes import strip_subject
from memory.text.words import tokens

UNINDEXED: Final = frozenset({State.FORGOTTEN, State.DELETED})
_WORDS: Final = 40  # of a search, so that a pasted page stays a quick one
_ID: Final = 6  # characters of an id that are shown
_ORDER: Final = {
    "weight": "m.weight DESC",
    "activated": "m.last_activated_at DESC",
    "created": "m.created_at DESC",
}
_INSERT: Final = (
    f"INSERT INTO memories (n, {', '.join(map(quote_name, MEMORY_COLUMNS))})"
    f" VALUES (:n, {', '.join(':' + c for c in MEMORY_COLUMNS)})"
)
_SETS: Final = ", ".join(
    f"{quote_name(c)} = :{c}" for c in MEMORY_COLUMNS if c not in {"id", "user_id"}
)
_UPDATE: Final = f"UPDATE memories SET {_SETS} WHERE id = :id AND user_id = :user_id"
# As the index on them says it (0012).
_STANDING: Final = "kind IN ('health', 'identity', 'instruction') OR \"close\" OR pinned OR layer IN ('core', 'system')"
_OUTLINE: Final = ", ".join(
    f'm."{"n" if name == "place" else name}"' for name in MemoryOutline._fields
)


@dataclass(slots=True)
class MemoryGateway(Gateway):
    """`memory.ports.MemoryTable`, but for `erase` (see `memory.store.purge`)."""

    # --- reading

    def get(self, memory_id: MemoryId) -> Memory | None:
        """Return one memory of this user's, in any state."""
        row = self.find_row(memory_id)
        return None if row is None else memory_from_row(row)

    def get_many(self, ids: Iterable[MemoryId]) -> list[Memory]:
        """Return them in the order asked for; those that are not this user's are left out."""
        wanted = list(ids)
        mine = f"SELECT {MEMORY_SELECT} FROM memories m WHERE +m.user_id = ? AND m.id {AMONG}"
        found = {r["id"]: memory_from_row(r) for r in self._rows(mine, self.owner, dump(wanted))}
        return [found[i] for i in wanted if i in found]

    def find(
        self,
        f: Filter,
        *,
        text: str | None = None,
        order: Literal["weight", "activated", "created"] = "activated",
        limit: int = 50,
        offset: int = 0,
    ) -> MemoryPage:
        """Return a page; `text` keeps those that have all of its words (in parts or by their stems)."""
        condition, params = build_condition(self.owner, f)
        if text is not None and text.strip():
            clause, more = self._matching(text)
            condition, params = f"{condition} AND {clause}", (*params, *more)
        total = self._row(f"SELECT COUNT(*) FROM memories m WHERE {condition}", *params)[0]
        page = f"{condition} ORDER BY {_ORDER[order]}, m.n DESC LIMIT ? OFFSET ?"
        return MemoryPage(
            items=tuple(self._memories(page, *params, limit, offset)), total=total, offset=offset
        )

    def list_standing(self, at: datetime) -> list[Memory]:
        """List all that may stand in every prompt: active, not ended by `at`, not negated, not quiet."""
        return self._memories(
            f"m.user_id = ? AND m.state = 'active' AND ({_STANDING})"
            " AND m.negated_at IS NULL AND m.quiet_at IS NULL AND (m.valid_until IS NULL OR m.valid_until > ?)"
            " AND m.sensitivity < 3 AND m.layer <> 'episode' AND m.kind <> 'episode'",
            self.owner,
            to_ms(at),
        )

    def episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]:
        """List active episodes made, or having happened, in since <= t < until; newest first."""
        a, b = to_ms(since), to_ms(until)
        return self._memories(
            "m.user_id = ? AND m.layer = 'episode' AND m.state = 'active'"
            " AND ((m.created_at >= ? AND m.created_at < ?) OR (m.valid_from >= ? AND m.valid_from < ?))"
            " ORDER BY m.created_at DESC, m.n DESC LIMIT ?",
            *(self.owner, a, b, a, b, k),
        )

    def quotes(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        """List quotations that a model may rewrite, with places: active, not denied, quiet, pinned or confirmed."""
        rows = self._rows(
            f"SELECT m.n, {MEMORY_SELECT} FROM memories m WHERE m.user_id = ? AND m.n > ?"
            " AND m.state = 'active' AND m.modalities LIKE '%\"quote\"%' AND m.negated_at IS NULL"
            " AND m.quiet_at IS NULL AND m.pinned = 0 AND m.verified = 0 AND m.sensitivity < 3 ORDER BY m.n LIMIT ?",
            *(self.owner, after, limit),
        )
        return [(r["n"], memory_from_row(r)) for r in rows]

    def _matching(self, text: str) -> tuple[str, list[Any]]:
        """Each word stands in the texts as it is, or has its stem among a memory's terms."""
        conditions, params = [], list[Any]()
        parts = tokens(text)[:_WORDS] or [text.strip()]
        for part in parts:
            keys = hash_terms(part)[: 4 * _WORDS]
            params.append(
                "%" + part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            )
            params += [keys[i : i + 4] for i in range(0, len(keys), 4)]
            held = " AND ".join(["t.n = m.n", *["instr(t.terms, ?)"] * (len(keys) // 4)])
            stem = f" OR EXISTS (SELECT 1 FROM memories_text t WHERE {held})" if keys else ""
            conditions.append(
                f"((m.original_content || char(10) || m.content) LIKE ? ESCAPE '\\'{stem})"
            )
        if (
            len(parts) == 1 and len(parts[0]) >= _ID
        ):  # "07" is in many an id, and nobody looks for it there
            conditions[0] += " OR m.id LIKE ? ESCAPE '\\'"
            params.append(params[0])
        return f"({' AND '.join(conditions)})", params

    def count_by_state(self) -> Mapping[str, int]:
        """Count the memories in each state, zero included."""
        rows = self._rows(
            "SELECT state, COUNT(*) FROM memories WHERE user_id = ? GROUP BY state", self.owner
        )
        return {s.value: 0 for s in State} | {r[0]: r[1] for r in rows}

    def is_only_one_of_entity(self, memory_id: MemoryId) -> bool:
        """Tell whether it is the only active memory, episodes aside, that has one of its entities."""
        row = self._row(
            "SELECT 1 FROM memories m JOIN memory_entities l ON l.memory_n = m.n WHERE m.id = ? AND m.user_id = ?"
            " AND NOT EXISTS (SELECT 1 FROM memory_entities o JOIN memories x ON x.n = o.memory_n WHERE"
            " o.entity_n = l.entity_n AND x.n <> m.n AND x.state = ? AND x.layer <> ?)",
            *(memory_id, self.owner, State.ACTIVE, Layer.EPISODE),
        )
        return row is not None

    def list_outlines(self) -> list[MemoryOutline]:
        """List all of this user's memories, in the order they were made."""
        rows = tuples(self.tx.con).execute(
            f"SELECT {_OUTLINE} FROM memories m WHERE m.user_id = ?", (self.owner,)
        )
        return sorted(map(MemoryOutline._make, rows.fetchall()))

    # --- writing

    def put_weights(self, weights: Iterable[tuple[MemoryId, int, float]]) -> int:
        """Cache (id, rev, weight) where `rev` still stands; how many."""
        done = self.tx.con.executemany(
            "UPDATE memories SET weight = ? WHERE id = ? AND user_id = ? AND rev = ?",
            [(weight, memory_id, self.owner, rev) for memory_id, rev, weight in weights],
        )
        return max(int(done.rowcount), 0)

    def add(self, m: Memory) -> Memory:
        """Store a new memory (an empty id gets one), its index row and entities, as a `created` change."""
        return self.add_many([m])[0]

    def add_many(self, memories: Sequence[Memory]) -> list[Memory]:
        """Store each, as one `created` change each.

        Raises Conflict if an id is taken or was erased.
        """
        con = self.tx.con
        if any(m.user_id not in {"", self.owner} for m in memories):
            raise StoreError("A memory is written in its own user's store.")
        given = [m.id for m in memories if m.id]
        taken = (
            self._row(f"SELECT id FROM memories WHERE id {AMONG}", dump(given)) if given else None
        )
        if taken or len(set(given)) < len(given):
            raise Conflict(f"There is a memory {taken[0] if taken else given[0]} already.")
        last = self._row("SELECT seq FROM sqlite_sequence WHERE name = 'memories'")
        rows = [
            memory_to_json(m) | {"id": claim_id(con, m.id), "user_id": self.owner} for m in memories
        ]
        stored = [memory_from_json(row) for row in rows]
        numbered = list(enumerate(stored, 1 + (last[0] if last else 0)))
        con.executemany(
            _INSERT, [row_of(row) | {"n": n} for (n, _), row in zip(numbered, rows, strict=True)]
        )
        link_entities(con, self.owner, [(n, m.entities) for n, m in numbered if m.entities])
        put_terms(con, [(n, m.original_content) for n, m in numbered if m.state not in UNINDEXED])
        if self.tx.shared.embedder is not None:
            self.tx.unembedded |= dict.fromkeys(
                m.id for m in stored if _embeddable(m.state, m.sensitivity)
            )
        self.tx.record_many(
            "memory", "created", [(m.id, None, row) for m, row in zip(stored, rows, strict=True)]
        )
        return stored

    def put(self, m: Memory, op: Op) -> Memory:
        """Write `m` over the row with the same `rev`, as a change `op`; returns it with rev + 1."""
        return self.put_many([m], op)[0]

    def put_many(self, memories: Sequence[Memory], op: Op) -> list[Memory]:
        """Write each over its row, one change `op` each, and keep the indexes in step; in the same
        order.

        Raises Conflict if a `rev` moved on, NotFound if one is not there.
        """
        con, owner = self.tx.con, self.owner
        mine = f"SELECT m.n, {MEMORY_SELECT} FROM memories m WHERE +m.user_id = ? AND m.id {AMONG}"
        rows = self._rows(mine, owner, dump([m.id for m in memories]))
        found = {r["id"]: (int(r["n"]), json_from_row(r)) for r in rows}
        stored, updates, changes = [], [], []
        leave, enter, linked = [], [], []
        drop: dict[int, MemoryId] = {}
        for m in memories:
            if m.id not in found:
                raise NotFound(f"There is no memory {m.id}.")
            n, before = found[m.id]
            if before["rev"] != m.rev:
                latest = ChangeGateway(self.tx).get_latest_change("memory", m.id)
                raise Conflict(
                    f"The memory {m.id} was changed meanwhile.",
                    by=latest.set_id if latest else None,
                )
            after = memory_to_json(m) | {"user_id": owner, "rev": m.rev + 1}
            stored.append(memory_from_json(after))
            updates.append(row_of(after))
            changes.append((m.id, before, after))
            rewritten = before["original_content"] != m.original_content
            was, is_ = before["state"] not in UNINDEXED, m.state not in UNINDEXED
            if was and (rewritten or not is_):
                leave.append(n)
            if is_ and (rewritten or not was):
                enter.append((n, m.original_content))
            was, is_ = (
                _embeddable(before["state"], before["sensitivity"]),
                _embeddable(m.state, m.sensitivity),
            )
            if was and (rewritten or not is_):
                drop[n] = m.id
            if is_ and (rewritten or not was):
                self.tx.unembedded[m.id] = None
            if before["entities"] != after["entities"]:
                linked.append((n, m.entities))
        con.executemany(_UPDATE, updates)
        for n, _ in linked:
            unlink_entities(con, n)
        link_entities(con, owner, linked)
        drop_terms(con, leave)
        put_terms(con, enter)
        VectorGateway(self.tx).drop(drop)
        self.tx.record_many("memory", op, changes)
        return stored

    # --- sources, mentions, weight log

    def add_source(
        self, memory_id: MemoryId, message_id: str, span: tuple[int, int] | None = None
    ) -> None:
        """Note that the memory was learned from the message, or from those characters of it."""
        self._own("memory_sources", memory_id, message_id)
        if span is not None:
            spanned = 'UPDATE memory_sources SET start = ?, "end" = ? WHERE memory_id = ? AND message_id = ?'
            self._run(spanned, *span, memory_id, message_id)

    def list_sources(self, memory_id: MemoryId) -> list[str]:
        """List messages it was learned from, oldest first."""
        return [message_id for message_id, _, _ in self.list_source_spans(memory_id)]

    def list_source_spans(self, memory_id: MemoryId) -> list[tuple[str, int | None, int | None]]:
        """List (message, start, end) of what it was learned from, oldest first; no offsets: the whole message."""
        rows = self._rows(
            'SELECT s.message_id, s.start, s."end" FROM memory_sources s LEFT JOIN messages g ON g.id = s.message_id'
            " WHERE s.memory_id = ? AND s.user_id = ? ORDER BY g.seq, s.message_id",
            memory_id,
            self.owner,
        )
        return [(r[0], r[1], r[2]) for r in rows]

    def list_learned_from(self, message_ids: Iterable[str]) -> list[MemoryId]:
        """List memories that have one of these messages as a source, oldest first."""
        return self._values(
            "SELECT DISTINCT m.id, m.n FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
            f" WHERE s.user_id = ? AND s.message_id {AMONG} ORDER BY m.n",
            self.owner,
            dump(list(message_ids)),
        )

    def add_mention(self, memory_id: MemoryId, message_id: str, at: datetime) -> bool:
        """Count a mention. False if that message already counted, or is one it was learned from."""
        return message_id not in self.list_sources(memory_id) and self._own(
            "mentions", memory_id, message_id, at=at
        )

    def remove_mention(self, memory_id: MemoryId, message_id: str) -> bool:
        """Take a counted mention back (an undo, an edited message); False if it was not counted."""
        gone = "DELETE FROM mentions WHERE memory_id = ? AND message_id = ? AND user_id = ?"
        return bool(self._run(gone, memory_id, message_id, self.owner))

    def list_mentions(self, memory_id: MemoryId) -> list[str]:
        """List messages that counted as mentions, oldest first."""
        mentions = "SELECT message_id FROM mentions WHERE memory_id = ? AND user_id = ? ORDER BY at, message_id"
        return self._values(mentions, memory_id, self.owner)

    def log(self, e: WeightEvent) -> None:
        """Append to the weight log. Raises NotFound."""
        self._require(e.memory_id)
        insert(self.tx.con, "weight_log", columns_of(e) | {"user_id": self.owner})

    def list_weight_log(self, memory_id: MemoryId) -> list[WeightEvent]:
        """List in the order they were written: each line begins with the state that the one before it left."""
        log = "SELECT * FROM weight_log WHERE memory_id = ? AND user_id = ? ORDER BY n"
        return self._all(WeightEvent, log, memory_id, self.owner)

    def log_since(self, at: datetime, events: Iterable[str]) -> list[WeightEvent]:
        """List those events of all memories from that time on, in order."""
        log = f"SELECT * FROM weight_log WHERE user_id = ? AND at >= ? AND event {AMONG} ORDER BY at, n"
        return self._all(WeightEvent, log, self.owner, to_ms(at), dump(list(events)))

    # --- inside

    def find_row(self, memory_id: MemoryId) -> Any:
        """Return the row with its number, None if it is not this user's."""
        mine = f"SELECT m.n, {MEMORY_SELECT} FROM memories m WHERE m.id = ? AND m.user_id = ?"
        return self._row(mine, memory_id, self.owner)

    def _memories(self, condition: str, *params: Any) -> list[Memory]:
        rows = self._rows(f"SELECT {MEMORY_SELECT} FROM memories m WHERE {condition}", *params)
        return [memory_from_row(r) for r in rows]

    def _require(self, memory_id: MemoryId) -> None:
        if self.find_row(memory_id) is None:
            raise NotFound(f"There is no memory {memory_id}.")

    def _own(self, table: str, memory_id: MemoryId, message_id: str, **more: datetime) -> bool:
        self._require(memory_id)
        row = {"memory_id": memory_id, "message_id": message_id, "user_id": self.owner, **more}
        return bool(insert(self.tx.con, table, row, "INSERT OR IGNORE").rowcount)


@dataclass(slots=True)
class LifeGateway(MemoryGateway):
    """`memory.ports.LifeTable`: as memories were on a day, by the change log; and from one curve to another."""

    def list_known_at(
        self, at: datetime, *, text: str | None = None, limit: int = 50, offset: int = 0
    ) -> MemoryPage:
        """Return what was known at that moment, in the words it had then, the newest first."""
        parts = tokens(text or "")
        known = [
            _noted(m)
            for m in self._then(to_ms(at))
            if m.state is State.ACTIVE and m.negated_at is None
        ]
        shown = [
            m
            for m in known
            if m.sensitivity < Sensitivity.SECRET and all(p in _text(m) for p in parts)
        ]
        shown.sort(key=lambda m: (m.created_at, m.id), reverse=True)
        return MemoryPage(
            items=tuple(shown[offset : offset + limit]), total=len(shown), offset=offset
        )

    def _then(self, at: int) -> list[Memory]:
        """Every memory that had been made, as it stood."""
        made = "m.user_id = ? AND m.created_at <= ? AND m.state != ?"
        # What was deleted on request is not told of any more.
        now = {m.id: m for m in self._memories(made, self.owner, at, State.DELETED)}
        # What had been said otherwise of by then is over, whenever that was learned.
        ended = frozenset(i for m in now.values() for i in m.supersedes)
        touched = self._touched(at, list(now))
        return [self._stood(m, touched.get(m.id, ()), at, ended) for m in now.values()]

    def _touched(self, at: int, ids: Sequence[MemoryId]) -> Mapping[MemoryId, Sequence[Any]]:
        """For each memory that was touched after `at`: its changes, oldest first.

        All others stand as they stood.
        """
        rows = self._rows(
            "SELECT c.seq, c.entity_id, c.op, s.at FROM changes c JOIN change_sets s ON s.id = c.set_id"
            " WHERE c.user_id = ? AND c.entity = 'memory' AND c.entity_id IN"
            "  (SELECT d.entity_id FROM changes d JOIN change_sets t ON t.id = d.set_id"
            "   WHERE d.user_id = ? AND d.entity = 'memory' AND t.at > ?)"
            f" AND c.entity_id {AMONG} ORDER BY c.seq",
            *(self.owner, self.owner, at, dump(ids)),
        )
        found: dict[MemoryId, list[Any]] = defaultdict(list)
        for row in rows:
            found[row["entity_id"]].append(row)
        return found

    def _stood(
        self, m: Memory, changes: Sequence[Any], at: int, ended: frozenset[MemoryId]
    ) -> Memory:
        """The memory after its last change up to `at`; else as its first one made it, of words said before."""
        then = m
        if changes:
            before = [c for c in changes if c["at"] <= at]
            # What was done here, and what an import told of before zero, each in its order: the
            # later one holds.
            told = [[c for c in before if c["seq"] >= 0], [c for c in before if c["seq"] < 0]]
            last = [some[-1] for some in told if some]
            then = self._read(
                max(last or changes[:1], key=lambda c: int(c["at"]))["seq"]
            ) or _by_dates(m, at)
        denied = then.negated_at
        if m.negated_at is not None and to_ms(m.negated_at) <= at:
            denied = m.negated_at
        over = then.state is State.ACTIVE and m.state is State.SUPERSEDED and m.id in ended
        return replace(then, negated_at=denied, state=State.SUPERSEDED if over else then.state)

    def _read(self, seq: int) -> Memory | None:
        after = self._row("SELECT after FROM changes WHERE seq = ?", seq)[0]
        return None if after is None else memory_from_json(json.loads(after))

    def count_by_curve(self) -> Mapping[str, int]:
        """Count the memories that live under each curve, in any state."""
        rows = self._rows(
            "SELECT curve, COUNT(*) FROM memories WHERE user_id = ? GROUP BY curve", self.owner
        )
        return {r[0]: r[1] for r in rows}

    def list_of_other_curves(self, curve: str, limit: int) -> list[Memory]:
        """List memories in any state, secret ones too, that live under another curve than that."""
        return self._memories("m.user_id = ? AND m.curve != ? LIMIT ?", self.owner, curve, limit)

    def move(self, m: Memory, e: WeightEvent) -> None:
        """Write the state of another curve over the row with the same `rev`, and log it.

        Raises Conflict.
        """
        state = m.curve_state
        if not self._run(
            "UPDATE memories SET curve = ?, strength = ?, strength_at = ?, curve_data = ?, importance = ?,"
            " importance_at = ?, weight = ?, rev = rev + 1 WHERE id = ? AND user_id = ? AND rev = ?",
            *(m.curve, state.strength, to_ms(state.at), dump(dict(state.data)), m.importance),
            *(to_ms(m.importance_at), m.weight, m.id, self.owner, m.rev),
        ):
            raise Conflict(f"The memory {m.id} was changed meanwhile.")
        self.log(e)
        self.tx.remembers = True

    def count_logged(self, event: str, since: datetime) -> int:
        """Count the lines of the weight log that say that event, from that time on."""
        log = "SELECT COUNT(*) FROM weight_log WHERE user_id = ? AND at >= ? AND event = ?"
        return int(self._row(log, self.owner, to_ms(since), event)[0])


def put_terms(con: Any, texts: Iterable[tuple[int, str]]) -> int:
    """Keep what recall looks for of memories, (number, original content) of each; how many."""
    rows = [(n, len(segment_text(text).split()) or 1, hash_terms(text)) for n, text in texts]
    con.executemany("INSERT INTO memories_text (n, words, terms) VALUES (?, ?, ?)", rows)
    return len(rows)


def drop_terms(con: Any, numbers: Sequence[int]) -> int:
    """Drop what recall looks for of memories; how many had it."""
    return int(
        con.execute(f"DELETE FROM memories_text WHERE n {AMONG}", (dump(list(numbers)),)).rowcount
    )


def link_entities(con: Any, owner: str, memories: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Connect memories, (number, names) of each, with their entities, which keep the spelling first met."""
    pairs = [(n, fold(name), name.strip()) for n, names in memories for name in names]
    named = {folded: name for _, folded, name in reversed(pairs) if folded}
    con.executemany(
        "INSERT OR IGNORE INTO entities (user_id, folded, name) VALUES (?, ?, ?)",
        [(owner, folded, name) for folded, name in named.items()],
    )
    known = con.execute(
        f"SELECT folded, n FROM entities WHERE user_id = ? AND folded {AMONG}",
        (owner, dump(list(named))),
    )
    places = dict(map(tuple, known.fetchall()))
    con.executemany(
        "INSERT OR IGNORE INTO memory_entities (entity_n, memory_n) VALUES (?, ?)",
        [(places[folded], n) for n, folded, _ in pairs if folded],
    )


def unlink_entities(con: Any, n: int) -> int:
    """Take a memory out of the graph; entities that nothing else has go too.

    How many of those went.
    """
    mine = [
        r[0]
        for r in con.execute(
            "SELECT entity_n FROM memory_entities WHERE memory_n = ?", (n,)
        ).fetchall()
    ]
    con.execute("DELETE FROM memory_entities WHERE memory_n = ?", (n,))
    gone = con.execute(
        f"DELETE FROM entities WHERE n {AMONG}"
        " AND NOT EXISTS (SELECT 1 FROM memory_entities l WHERE l.entity_n = entities.n)",
        (dump(mine),),
    )
    return int(gone.rowcount)


def _embeddable(state: str, sensitivity: int) -> bool:
    """Whether such a memory has a vector: a secret never does."""
    return state not in UNINDEXED and sensitivity < Sensitivity.SECRET


def _noted(m: Memory) -> Memory:
    """In note style: the history keeps what was learned as it was written, with "The user" in front."""
    if m.source is Source.USER:
        return m
    return replace(
        m, content=strip_subject(m.content), original_content=strip_subject(m.original_content)
    )


def _by_dates(m: Memory, at: int) -> Memory:
    """As near as the row itself can tell, where the log no longer has the words."""
    ended = m.valid_until is not None and to_ms(m.valid_until) <= at
    denied = m.negated_at if m.negated_at is not None and to_ms(m.negated_at) <= at else None
    over = m.state is State.SUPERSEDED and ended
    return replace(m, negated_at=denied, state=State.SUPERSEDED if over else State.ACTIVE)


def _text(m: Memory) -> str:
    return f"{m.original_content}\n{m.content}\n{' '.join(m.entities)}".casefold()
