"""Memories of one user, as they are and as they were, with all that hangs on them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from memory.errors import Conflict, NotFound, StoreError
from memory.index.text import fold, hash_terms, segment_text
from memory.models import (
    Filter,
    Level,
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
    json_from_row,
    list_tuples,
    list_values,
    memory_from_json,
    memory_from_row,
    memory_to_json,
    quote_name,
    row_of,
    run,
    to_ms,
)
from memory.store.transaction import ChangeGateway, Gateway, claim_id
from memory.store.vectors import VectorGateway
from memory.text.notes import strip_subject
from memory.text.words import tokens

_STANDS: Final = frozenset({State.ACTIVE, State.PROPOSED})
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
_SETS: Final = ", ".join(f"{quote_name(c)} = :{c}" for c in MEMORY_COLUMNS[2:])
_UPDATE: Final = f"UPDATE memories SET {_SETS} WHERE id = :id AND user_id = :user_id"
# As the index on them says it (0012).
_STANDING: Final = (
    "kind IN ('health', 'identity', 'instruction') OR \"close\" OR pinned OR layer IN"
    " ('core', 'system')"
)
# As the index on them says it (0016).
_DATED: Final = '"on" IS NOT NULL OR dead IS NOT NULL OR expires_at IS NOT NULL'
_OUTLINE: Final = ", ".join(
    f'm."{"n" if name == "place" else name}"' for name in MemoryOutline._fields
)
_NONE: Final[Mapping[str, Any]] = {
    "state": State.DELETED,
    "original_content": "",
    "sensitivity": 3,
    "entities": [],
}
_BY_ID: Final = f"SELECT m.n, {MEMORY_SELECT} FROM memories m WHERE +m.user_id = ? AND m.id {AMONG}"


@dataclass(slots=True)
class MemoryGateway(Gateway):
    """`memory.ports.MemoryTable`, but for `erase` (see `memory.store.purge`)."""

    # --- reading

    def get(self, memory_id: MemoryId) -> Memory | None:
        return next(iter(self.get_many([memory_id])), None)

    def get_many(self, ids: Iterable[MemoryId]) -> list[Memory]:
        wanted = list(ids)
        found = {r["id"]: memory_from_row(r) for r in self._rows(_BY_ID, self.owner, wanted)}
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
        condition, params = build_condition(self.owner, f)
        if text is not None and text.strip():
            clause, more = _match_words(text)
            condition, params = f"{condition} AND {clause}", (*params, *more)
        total = self._row(f"SELECT COUNT(*) FROM memories m WHERE {condition}", *params)[0]
        page = f"{condition} ORDER BY {_ORDER[order]}, m.n DESC LIMIT ? OFFSET ?"
        return MemoryPage(tuple(self._memories(page, *params, limit, offset)), total, offset)

    def list_standing(self, at: datetime) -> list[Memory]:
        return self._memories(
            f"m.user_id = ? AND m.state = 'active' AND ({_STANDING})"
            " AND m.negated_at IS NULL AND m.quiet_at IS NULL AND (m.valid_until IS NULL"
            " OR m.valid_until > ?)"
            " AND m.sensitivity < 3 AND m.layer <> 'episode' AND m.kind <> 'episode'",
            *(self.owner, at),
        )

    def list_slots(self, slots: Collection[str]) -> list[Memory]:
        return self._memories(
            f"m.user_id = ? AND m.slot IN ({','.join('?' * len(slots))}) AND m.sensitivity < 3"
            " AND m.state IN ('active', 'superseded') ORDER BY m.n DESC",
            self.owner,
            *slots,
        )

    def list_quiet_words(self) -> list[str]:
        sql = (
            "SELECT DISTINCT quiet_words FROM memories WHERE user_id = ?"
            " AND state IN ('active', 'superseded') AND quiet_words IS NOT NULL ORDER BY 1"
        )
        return [words for (words,) in list_tuples(self.con, sql, self.owner)]

    def list_renamed(self) -> list[Memory]:
        return self._memories(
            "m.user_id = ? AND m.renamed IS NOT NULL AND m.state = 'active' ORDER BY m.n",
            self.owner,
        )

    def list_dated(self, since: datetime, until: datetime) -> list[Memory]:
        return self._memories(
            f"m.user_id = ? AND m.state = 'active' AND ({_DATED}) AND m.negated_at IS NULL"
            " AND m.sensitivity < 3 AND (m.dead IS NOT NULL OR m.quiet_at IS NULL AND"
            " (m.valid_until IS NULL OR m.valid_until > ?) AND (m.repeats IS NOT NULL OR"
            ' COALESCE(m."on", m.expires_at) < ? AND'
            ' COALESCE(m.on_until, m."on", m.expires_at) >= ?)) ORDER BY m.n',
            *(self.owner, since, until, since),
        )

    def list_episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]:
        """List active episodes made, or having happened, in since <= t < until; newest first."""
        return self._memories(
            "m.user_id = ? AND m.layer = 'episode' AND m.state = 'active'"
            " AND ((m.created_at >= ? AND m.created_at < ?) OR (m.valid_from >= ? AND"
            " m.valid_from < ?))"
            " ORDER BY m.created_at DESC, m.n DESC LIMIT ?",
            *(self.owner, since, until, since, until, k),
        )

    def quotes(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        rows = self._rows(
            f"SELECT m.n, {MEMORY_SELECT} FROM memories m WHERE m.user_id = ? AND m.n > ?"
            " AND m.state = 'active' AND m.modalities LIKE '%\"quote\"%' AND m.negated_at IS NULL"
            " AND m.quiet_at IS NULL AND m.pinned = 0 AND m.verified = 0 AND"
            " m.sensitivity < 3 ORDER BY m.n LIMIT ?",
            *(self.owner, after, limit),
        )
        return [(r["n"], memory_from_row(r)) for r in rows]

    def count_by(self, column: Literal["state", "curve"]) -> Mapping[str, int]:
        counted = f"SELECT {column}, COUNT(*) FROM memories WHERE user_id = ? GROUP BY {column}"
        return Counter(dict(list_tuples(self.con, counted, self.owner)))

    def count_levels(self) -> Mapping[Level, int]:
        counted = (
            "SELECT level, COUNT(*) FROM memories WHERE user_id = ? AND state = 'active'"
            " AND layer <> 'episode' AND sensitivity < 3 AND quiet_at IS NULL GROUP BY level"
        )
        return {Level(level): n for level, n in list_tuples(self.con, counted, self.owner)}

    def is_only_one_of_entity(self, memory_id: MemoryId) -> bool:
        row = self._row(
            "SELECT 1 FROM memories m JOIN memory_entities l ON l.memory_n = m.n WHERE"
            " m.id = ? AND m.user_id = ?"
            " AND NOT EXISTS (SELECT 1 FROM memory_entities o JOIN memories x ON x.n ="
            " o.memory_n WHERE"
            " o.entity_n = l.entity_n AND x.n <> m.n AND x.state = 'active' AND x.layer"
            " <> 'episode')",
            *(memory_id, self.owner),
        )
        return row is not None

    def list_derived(self) -> list[Memory]:
        return self._memories("m.user_id = ? AND m.source_ids <> '[]'", self.owner)

    def list_outlines(self) -> list[MemoryOutline]:
        sql = f"SELECT {_OUTLINE} FROM memories m WHERE m.user_id = ?"
        return sorted(map(MemoryOutline._make, list_tuples(self.con, sql, self.owner)))

    def list_texts(self) -> list[tuple[MemoryId, str, str]]:
        sql = (
            "SELECT id, content, original_content FROM memories"
            " WHERE user_id = ? AND state IN ('active', 'superseded')"
        )
        return list_tuples(self.con, sql, self.owner)

    def list_known_at(
        self, at: datetime, *, text: str | None = None, limit: int = 50, offset: int = 0
    ) -> MemoryPage:
        parts = tokens(text or "")
        shown = [
            m
            for m in map(_in_note_style, self._list_as_of(to_ms(at)))
            if m.state is State.ACTIVE
            and m.negated_at is None
            and m.sensitivity < Sensitivity.SECRET
            and all(p in _text(m) for p in parts)
        ]
        shown.sort(key=lambda m: (m.created_at, m.id), reverse=True)
        return MemoryPage(tuple(shown[offset : offset + limit]), len(shown), offset)

    def _list_as_of(self, at: int) -> list[Memory]:
        """List memories as they stood, without what was deleted on request since."""
        now = self._memories(
            "m.user_id = ? AND (m.created_at <= ? AND m.state <> 'deleted' OR m.valid_from <= ? AND"
            " m.state IN ('active', 'superseded'))",
            *(self.owner, at, at),
        )
        # What had been said otherwise of by then is over, whenever that was learned.
        begun = (m for m in now if m.valid_from is None or to_ms(m.valid_from) <= at)
        ended = frozenset(i for m in begun for i in m.supersedes)
        changes: dict[MemoryId, list[Any]] = defaultdict(list)
        for row in self._rows(
            "SELECT c.entity_id, c.seq, s.at FROM changes c JOIN change_sets s ON s.id = c.set_id"
            " WHERE c.user_id = ? AND c.entity = 'memory' ORDER BY c.seq",
            self.owner,
        ):
            changes[row["entity_id"]].append(row)
        chosen = {
            memory_id: _choose_change(rows, at)
            for memory_id, rows in changes.items()
            if any(r["at"] > at for r in rows)
        }
        read = f"SELECT seq, after FROM changes WHERE seq {AMONG}"
        afters = dict(list_tuples(self.con, read, list(chosen.values())))
        touched = {memory_id: afters[seq] for memory_id, seq in chosen.items()}
        return [_stood(m, touched, at, m.id in ended) for m in now]

    def _memories(self, condition: str, *params: Any) -> list[Memory]:
        rows = self._rows(f"SELECT {MEMORY_SELECT} FROM memories m WHERE {condition}", *params)
        return [memory_from_row(r) for r in rows]

    # --- writing

    def put_weights(self, weights: Iterable[tuple[MemoryId, int, float]]) -> int:
        done = self.con.executemany(
            "UPDATE memories SET weight = ? WHERE id = ? AND user_id = ? AND rev = ?",
            [(weight, memory_id, self.owner, rev) for memory_id, rev, weight in weights],
        )
        return max(int(done.rowcount), 0)

    def add(self, m: Memory) -> Memory:
        return self.add_many([m])[0]

    def add_many(self, memories: Sequence[Memory]) -> list[Memory]:
        con = self.con
        if any(m.user_id not in {"", self.owner} for m in memories):
            raise StoreError("A memory is written in its own user's store.")
        given = [m.id for m in memories if m.id]
        taken = self._values(f"SELECT id FROM memories WHERE id {AMONG}", given)
        if taken or len(set(given)) < len(given):
            raise Conflict(f"There is a memory {(taken or given)[0]} already.")
        last = self._row("SELECT seq FROM sqlite_sequence WHERE name = 'memories'")
        rows = [
            memory_to_json(m) | {"id": claim_id(con, m.id), "user_id": self.owner} for m in memories
        ]
        stored = [memory_from_json(row) for row in rows]
        first = 1 + (last[0] if last else 0)
        con.executemany(_INSERT, [row_of(row) | {"n": n} for n, row in enumerate(rows, first)])
        self._index([(n, None, m) for n, m in enumerate(stored, first)])
        changes = [(m.id, None, row) for m, row in zip(stored, rows, strict=True)]
        self.tx.record_many("memory", "created", changes)
        return stored

    def put(self, m: Memory, op: Op) -> Memory:
        return self.put_many([m], op)[0]

    def put_many(self, memories: Sequence[Memory], op: Op) -> list[Memory]:
        rows = self._rows(_BY_ID, self.owner, [m.id for m in memories])
        found = {r["id"]: (int(r["n"]), json_from_row(r)) for r in rows}
        changed, changes = [], []
        for m in memories:
            if m.id not in found:
                raise NotFound(f"There is no memory {m.id}.")
            n, before = found[m.id]
            if before["rev"] != m.rev:
                latest = ChangeGateway(self.tx).get_latest_change("memory", m.id)
                by = latest.set_id if latest else None
                raise Conflict(f"The memory {m.id} was changed meanwhile.", by=by)
            after = memory_to_json(m) | {"user_id": self.owner, "rev": m.rev + 1}
            changed.append((n, before, memory_from_json(after)))
            changes.append((m.id, before, after))
        self.con.executemany(_UPDATE, [row_of(after) for _, _, after in changes])
        self._index(changed)
        self.tx.record_many("memory", op, changes)
        if op != "merged":
            self._drop_derived({m.id for _, old, m in changed if _bears_no_more(old, m)})
        return [m for _, _, m in changed]

    def _drop_derived(self, gone: Collection[MemoryId]) -> None:
        """Let go, in the same change set, of what rests on memories that ended or read otherwise.

        An undo brings both back. Without a tombstone: what is left may bear it out again. What the
        person has confirmed or pinned stays.
        """
        derived = self.list_derived() if gone else ()
        resting = [m for m in derived if m.state in _STANDS and not (m.verified or m.pinned)]
        fallen = [m for m in resting if m.id not in gone and any(i in gone for i in m.source_ids)]
        if fallen and (current := self.tx.current):
            at = current.at
            over = [replace(m, state=State.DELETED, deleted_at=at) for m in fallen]
            self.put_many(over, "deleted")

    def _index(self, changed: Sequence[tuple[int, Mapping[str, Any] | None, Memory]]) -> None:
        """Bring the indexes in step with memories: (number, row before, memory now) of each."""
        leave, enter, linked = [], [], []
        drop: dict[int, MemoryId] = {}
        for n, before, m in changed:
            old = before or _NONE
            rewritten = old["original_content"] != m.original_content
            was, now = old["state"] not in UNINDEXED, m.state not in UNINDEXED
            if was and (rewritten or not now):
                leave.append(n)
            if now and (rewritten or not was):
                enter.append((n, m.original_content))
            # A secret never has a vector.
            was, now = was and old["sensitivity"] < 3, now and m.sensitivity < Sensitivity.SECRET
            if was and (rewritten or not now):
                drop[n] = m.id
            if now and (rewritten or not was):
                self.tx.unembedded[m.id] = None
            if old["entities"] != list(m.entities):
                linked.append((n, m.entities))
                if old["entities"]:
                    unlink_entities(self.con, n)
        link_entities(self.con, self.owner, linked)
        drop_terms(self.con, leave)
        put_terms(self.con, enter)
        VectorGateway(self.tx).drop(drop)

    def move(self, m: Memory, e: WeightEvent) -> None:
        state = m.curve_state
        moved = {
            "curve": m.curve,
            "strength": state.strength,
            "strength_at": state.at,
            "curve_data": state.data,
            "importance": m.importance,
            "importance_at": m.importance_at,
            "weight": m.weight,
            "rev": m.rev + 1,
        }
        if not self._update("memories", moved, id=m.id, rev=m.rev):
            raise Conflict(f"The memory {m.id} was changed meanwhile.")
        self.log(e)
        self.tx.remembers = True

    # --- sources, mentions, weight log

    def add_source(
        self, memory_id: MemoryId, message_id: str, span: tuple[int, int] | None = None
    ) -> None:
        self._note("memory_sources", memory_id, message_id)
        if span is not None:
            at = dict(zip(("start", "end"), span, strict=True))
            self._update("memory_sources", at, memory_id=memory_id, message_id=message_id)

    def list_sources(self, memory_id: MemoryId) -> list[str]:
        return [message_id for message_id, _, _ in self.list_source_spans(memory_id)]

    def list_source_spans(self, memory_id: MemoryId) -> list[tuple[str, int | None, int | None]]:
        rows = self._rows(
            'SELECT s.message_id, s.start, s."end" FROM memory_sources s LEFT JOIN'
            " messages g ON g.id = s.message_id"
            " WHERE s.memory_id = ? AND s.user_id = ? ORDER BY g.seq, s.message_id",
            *(memory_id, self.owner),
        )
        return [(r[0], r[1], r[2]) for r in rows]

    def list_learned_from(self, message_ids: Iterable[str]) -> list[MemoryId]:
        return self._values(
            "SELECT DISTINCT m.id, m.n FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
            f" WHERE s.user_id = ? AND s.message_id {AMONG} ORDER BY m.n",
            *(self.owner, list(message_ids)),
        )

    def add_mention(self, memory_id: MemoryId, message_id: str, at: datetime) -> bool:
        learned = message_id in self.list_sources(memory_id)
        return not learned and self._note("mentions", memory_id, message_id, at=at)

    def remove_mention(self, memory_id: MemoryId, message_id: str) -> bool:
        gone = "DELETE FROM mentions WHERE memory_id = ? AND message_id = ? AND user_id = ?"
        return bool(self._run(gone, memory_id, message_id, self.owner))

    def list_mentions(self, memory_id: MemoryId) -> list[str]:
        mentions = (
            "SELECT message_id FROM mentions WHERE memory_id = ? AND user_id = ? ORDER BY at,"
            " message_id"
        )
        return self._values(mentions, memory_id, self.owner)

    def log(self, e: WeightEvent) -> None:
        self._require(e.memory_id)
        self._insert("weight_log", columns_of(e))

    def list_weight_log(
        self,
        memory_id: MemoryId | None = None,
        *,
        since: datetime | None = None,
        events: Iterable[str] = (),
    ) -> list[WeightEvent]:
        if memory_id is not None:
            return self._own(WeightEvent, "memory_id = ? ORDER BY n", memory_id)
        wanted = f"at >= ? AND event {AMONG} ORDER BY at, n"
        return self._own(WeightEvent, wanted, since or 0, list(events))

    def _require(self, memory_id: MemoryId) -> None:
        if self.get(memory_id) is None:
            raise NotFound(f"There is no memory {memory_id}.")

    def _note(self, table: str, memory_id: MemoryId, message_id: str, **more: datetime) -> bool:
        self._require(memory_id)
        row = {"memory_id": memory_id, "message_id": message_id, **more}
        return bool(self._insert(table, row, "INSERT OR IGNORE").rowcount)


def _bears_no_more(old: Mapping[str, Any], m: Memory) -> bool:
    """Tell whether nothing may rest on a memory any more that held before.

    What a curve lets go of (forgotten) is still true.
    """
    holds = m.state in {State.ACTIVE, State.MERGED, State.FORGOTTEN} and m.negated_at is None
    open_ = m.quiet_at is None and m.sensitivity < Sensitivity.PRIVATE
    same = m.original_content == old["original_content"]
    return old["state"] in {State.ACTIVE, State.FORGOTTEN} and not (holds and open_ and same)


def _match_words(text: str) -> tuple[str, list[Any]]:
    """Match words that stand in the texts as they are, or by their stems among the terms."""
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
            "((m.original_content || char(10) || m.content || char(10) || m.entities)"
            f" LIKE ? ESCAPE '\\'{stem})"
        )
    if len(parts) == 1 and len(parts[0]) >= _ID:
        # "07" is in many an id, and nobody looks for it there.
        conditions[0] += " OR m.id LIKE ? ESCAPE '\\'"
        params.append(params[0])
    return f"({' AND '.join(conditions)})", params


# --- what stands beside a memory's row ---


def put_terms(con: Any, texts: Iterable[tuple[int, str]]) -> int:
    """Keep what recall looks for of memories, (number, original content) of each; how many."""
    rows = [(n, len(segment_text(text).split()) or 1, hash_terms(text)) for n, text in texts]
    con.executemany("INSERT INTO memories_text (n, words, terms) VALUES (?, ?, ?)", rows)
    return len(rows)


def drop_terms(con: Any, numbers: Sequence[int]) -> int:
    """Drop what recall looks for of memories; how many had it."""
    return int(run(con, f"DELETE FROM memories_text WHERE n {AMONG}", numbers).rowcount)


def link_entities(con: Any, owner: str, memories: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Connect memories, (number, names) of each, with entities, spelt as first met."""
    pairs = [(n, fold(name), name.strip()) for n, names in memories for name in names]
    named = {folded: name for _, folded, name in reversed(pairs) if folded}
    con.executemany(
        "INSERT OR IGNORE INTO entities (user_id, folded, name) VALUES (?, ?, ?)",
        [(owner, folded, name) for folded, name in named.items()],
    )
    known = f"SELECT folded, n FROM entities WHERE user_id = ? AND folded {AMONG}"
    places = dict(list_tuples(con, known, owner, list(named)))
    con.executemany(
        "INSERT OR IGNORE INTO memory_entities (entity_n, memory_n) VALUES (?, ?)",
        [(places[folded], n) for n, folded, _ in pairs if folded],
    )


def unlink_entities(con: Any, n: int) -> int:
    """Take a memory out of the graph; return how many entities went that nothing else has."""
    mine = list_values(con, "SELECT entity_n FROM memory_entities WHERE memory_n = ?", n)
    run(con, "DELETE FROM memory_entities WHERE memory_n = ?", n)
    gone = (
        f"DELETE FROM entities WHERE n {AMONG}"
        " AND NOT EXISTS (SELECT 1 FROM memory_entities l WHERE l.entity_n = entities.n)"
    )
    return int(run(con, gone, mine).rowcount)


# --- as it was ---


def _choose_change(changes: Sequence[Any], at: int) -> int:
    """Choose the last one up to `at`, else the first; of an import's and ours the later."""
    before = {r["seq"] >= 0: r for r in changes if r["at"] <= at}
    if not before:
        return int(changes[0]["seq"])
    return int(max(before.values(), key=lambda r: (r["at"], r["seq"] >= 0))["seq"])


def _stood(m: Memory, touched: Mapping[MemoryId, str | None], at: int, ended: bool) -> Memory:
    """Return the memory as the log has it at that time, or as its row can tell."""
    denied = m.negated_at if m.negated_at is not None and to_ms(m.negated_at) <= at else None
    then = m
    if (after := touched.get(m.id, "")) is None:
        over = m.valid_until is not None and to_ms(m.valid_until) <= at
        superseded = m.state is State.SUPERSEDED and over
        then = replace(m, negated_at=None, state=State.SUPERSEDED if superseded else State.ACTIVE)
    elif after:
        then = memory_from_json(json.loads(after))
    until = m.valid_until is not None and to_ms(m.valid_until) <= at
    over = until or (m.state is State.SUPERSEDED and ended)
    state = State.SUPERSEDED if over and then.state is State.ACTIVE else then.state
    return replace(then, negated_at=denied or then.negated_at, state=state)


def _in_note_style(m: Memory) -> Memory:
    """Drop "The user" in front, which the history keeps as it was written."""
    if m.source is Source.USER:
        return m
    content, original = strip_subject(m.content), strip_subject(m.original_content)
    return replace(m, content=content, original_content=original)


def _text(m: Memory) -> str:
    return f"{m.original_content}\n{m.content}\n{' '.join(m.entities)}".casefold()
