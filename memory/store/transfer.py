"""One user's rows, in and out, as they are: what export and import need of SQL.

Lines are JSON objects in a fixed order. The user is "@" in them, and watermarks are ids of
messages, so that the same rows give the same lines in every store.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha1
from typing import Any, Final

from memory.models import Json, Memory, Sensitivity
from memory.store.conversations import ConversationGateway
from memory.store.documents import DocumentGateway
from memory.store.memories import MemoryGateway
from memory.store.rows import (
    AMONG,
    MEMORY_COLUMNS,
    MEMORY_SELECT,
    insert,
    load,
    memory_from_json,
    memory_from_row,
    memory_to_json,
    quote_name,
    split_names,
)
from memory.store.tombstones import TombstoneGateway
from memory.store.transaction import Gateway, claim_id, retire_id

Forms = Callable[[Memory], Sequence[str]]  # texts a tombstone of the memory may stand for
Line = Mapping[str, Json]
ME: Final = "@"
# The reason of the set that an import of Ebb's own export is; no part of the past.
BROUGHT: Final = "transfer"
_SAME: Final = "="
_PAGE: Final = 500
# Where what is brought begins: more places than all imports of a life need.
_FIRST: Final = -(2**52)
_WATERMARKS: Final = split_names("planned_through summarised_through extracted_through")
_SESSION: Final = split_names("opened_at last_at state title closed_at closed_why running_summary")
_MESSAGE: Final = split_names("id session_id turn_id role text at tz status hidden_at reply_to")
_LOG: Final = split_names("at event old_weight new_weight reason factors before after")
_TRACE: Final = split_names("turn_id at mode late took_ms")
_HIT: Final = split_names("memory_id passed used score gate why signals nudges")
_SET: Final = split_names("id actor reason at turn_id job_id undoes undone_by")
_NESTED: Final = frozenset({"factors", "before", "after", "signals", "nudges", "profile"})
_TABLES: Final = {
    "session": ("sessions", "id"),
    "message": ("messages", "id"),
    "memory": ("memories", "id"),
    "set": ("change_sets", "id"),
    "trace": ("recall_traces", "turn_id"),  # unique for each user only
}


def parse_memory(line: Line, user_id: str = "") -> Memory:
    """Make the memory of a line.

    Raises KeyError, TypeError, ValueError or OverflowError if it is none.
    """
    return memory_from_json(
        {k: line[k] for k in MEMORY_COLUMNS if k in line} | {"user_id": user_id}
    )


def _pick(row: Any, names: Iterable[str]) -> dict[str, Json]:
    """Pick those fields of a row or a line, JSON read."""
    read = isinstance(row, Mapping)
    return {
        k: row[k] if read or row[k] is None or k not in _NESTED else load(row[k]) for k in names
    }


@dataclass(slots=True)
class TransferGateway(Gateway):
    """`memory.ports.TransferTable`."""

    # --- out

    def export_lines(self, forms: Forms, *, secrets: bool) -> Iterator[dict[str, Json]]:
        user = self.tx.user()
        yield {"type": "user", "lang": user.lang, "tz": user.tz, "settings": dict(user.settings)}
        for r in self._pages("sessions"):
            marks = {w: self._mark(r["id"], r[w]) for w in _WATERMARKS}
            own = {"id": r["id"], "scope": self._out(r["scope"]), **_pick(r, _SESSION), **marks}
            yield {"type": "session", **own, **_pick(r, ["profile"])}
        for r in self._pages("messages", "seq"):
            author = ME if r["author_user_id"] == self.owner else r["author_user_id"]
            yield {"type": "message", **_pick(r, _MESSAGE), "author": author}
        for r in self._pages("memories", "n", MEMORY_SELECT):
            yield self.export_line(memory_from_row(r), secrets=secrets)
        yield from self._sets()
        yield from sorted(
            self._tombstones(forms),
            key=lambda t: (t["at"], t["memory"], t.get("form", -1), t.get("digest", "")),
        )
        for r in self._pages("recall_traces"):
            hits = [list(h.values()) for h in self._part("recall_hits", _HIT, "trace_n", r["n"])]
            own = {"scope": self._out(r["scope"]), **_pick(r, _TRACE)}
            yield {"type": "trace", **own, "hits": hits}

    def export_line(self, m: Memory, *, secrets: bool = True) -> dict[str, Json]:
        fields = memory_to_json(m)
        del fields["user_id"]
        parts = {
            "sources": ("memory_sources", ["message_id"], "message_id"),
            "mentions": ("mentions", ["message_id", "at"], "at, message_id"),
            "log": ("weight_log", _LOG, "n"),
        }
        line: dict[str, Json] = {"type": "memory", **fields}
        for name, (table, columns, order) in parts.items():
            rows = self._part(table, columns, "memory_id", m.id, order)
            line[name] = [list(r.values()) for r in rows]
        line["sources"] = [message_id for (message_id,) in line["sources"]]
        if m.sensitivity is Sensitivity.SECRET:
            sealed = self.tx.secret(m.id) if secrets else None
            line["secret"] = None if sealed is None else base64.b64encode(sealed).decode()
        return line

    def _pages(self, table: str, number: str = "n", columns: str = "m.*") -> Iterator[Any]:
        """Yield the user's rows of a table in the order they came; no cursor stays open."""
        after = -(2**63)
        sql = (
            f"SELECT m.{number} AS n_, {columns} FROM {table} m WHERE m.user_id = ? AND"
            f" m.{number} > ?"
        )
        while rows := self._rows(f"{sql} ORDER BY m.{number} LIMIT ?", self.owner, after, _PAGE):
            yield from rows
            after = rows[-1][0]

    def _part(
        self, table: str, names: Sequence[str], key: str, of: Any, order: str = "position"
    ) -> list[dict[str, Json]]:
        columns = ", ".join(map(quote_name, names))
        sql = f"SELECT {columns} FROM {table} WHERE {key} = ? ORDER BY {order}"
        return [_pick(r, names) for r in self._rows(sql, of)]

    def _mark(self, session_id: str, seq: int) -> str | None:
        last = "SELECT id FROM messages WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"
        return next(iter(self._values(last, session_id, seq)), None)

    def _tombstones(self, forms: Forms) -> Iterator[dict[str, Json]]:
        stones = (
            "SELECT t.*, x.name, x.dim FROM tombstones t"
            " LEFT JOIN embedding_models x ON x.id = t.model_id WHERE t.user_id = ?"
        )
        for r in self._rows(stones, self.owner):
            m, digest = MemoryGateway(self.tx).get(r["memory_id"]), str(r["digest"])
            texts = [self._digest_of(t) for t in forms(m)] if m is not None else []
            # A digest goes with the name of the key that made it: what was brought from elsewhere
            # has one already.
            named = digest if ":" in digest else f"{self._key()}:{digest}"
            said = {"form": texts.index(digest)} if digest in texts else {"digest": named}
            coded = r["vector"] and base64.b64encode(r["vector"]).decode()
            vector = None if coded is None else [r["name"], r["dim"], coded]
            own = {"memory": r["memory_id"], "at": r["at"], "set": r["set_id"]}
            yield {"type": "tombstone", **own, **said, "vector": vector}

    def _sets(self) -> Iterator[dict[str, Json]]:
        """Yield sets that changed memories that are still there, oldest first.

        A change is told by what it changed. One that begins where the last told one of the same
        memory ended says `"="` for that.
        """
        ended: dict[str, str] = {}
        changes = (
            "SELECT c.op, c.entity_id, c.before, c.after FROM changes c WHERE c.set_id ="
            " ? AND c.user_id = ?"
            " AND c.entity = 'memory' AND c.after IS NOT NULL AND EXISTS"
            " (SELECT 1 FROM memories m WHERE m.id = c.entity_id AND m.user_id ="
            " c.user_id) ORDER BY c.seq"
        )
        for row in self._pages("change_sets"):
            found = self._rows(changes, row["id"], self.owner) if row["reason"] != BROUGHT else []
            if found:
                told = [_tell(c, ended) for c in found]
                yield {"type": "set", **_pick(row, _SET), "changes": told}

    # --- names that differ from store to store

    def _out(self, scope: str) -> str:
        return f"user:{ME}" if scope == f"user:{self.owner}" else scope

    def _in(self, scope: str) -> str:
        return f"user:{self.owner}" if scope == f"user:{ME}" else scope

    def _digest_of(self, text: str) -> str:
        return TombstoneGateway(self.tx).compute_digest(text)

    def _key(self) -> str:
        """Name the key, and its owner, that the digests of tombstones are made with."""
        return self._digest_of("ebb tombstone key")[:12]

    # --- in

    def list_taken_ids(self, table: str, wanted: Iterable[str]) -> dict[str, bool]:
        named, key = _TABLES[table]
        rows = self._rows(
            f"SELECT {key}, user_id = ? FROM {named} WHERE {key} {AMONG} AND (user_id = ?"
            " OR ?) ORDER BY 2",
            *(self.owner, list(wanted), self.owner, table != "trace"),
        )
        return {r[0]: bool(r[1]) for r in rows}

    def list_erased_ids(self, wanted: Iterable[str]) -> set[str]:
        erased = f"SELECT id FROM used_ids WHERE erased AND id {AMONG}"
        return set(self._values(erased, list(wanted)))

    def put_session(self, line: Line) -> None:
        scope = self._in(line["scope"])
        row = _pick(line, ("id", *_SESSION, "profile")) | {"scope": scope}
        there = ConversationGateway(self.tx).get_open_session(scope)
        if row["state"] == "open" and there is not None:
            row |= {"state": "closed", "closed_at": row["last_at"], "closed_why": "import"}
        claim_id(self.con, line["id"])
        self._insert("sessions", row)

    def restore_watermarks(self, line: Line) -> None:
        for name in _WATERMARKS:
            if line[name] is not None:
                mark = f"{name} = COALESCE((SELECT seq FROM messages WHERE id = ?), 0)"
                self._run(f"UPDATE sessions SET {mark} WHERE id = ?", line[name], line["id"])

    def put_message(self, line: Line) -> int:
        claim_id(self.con, line["id"])
        author = self.owner if line["author"] == ME else line["author"]
        row = _pick(line, _MESSAGE) | {"author_user_id": author}
        seq = int(self._insert("messages", row).lastrowid)
        DocumentGateway(self.tx).follow_message(row["id"], row["text"], row["hidden_at"])
        return seq

    def put_memories(self, lines: Sequence[Line]) -> None:
        memories = MemoryGateway(self.tx)
        brought = [parse_memory(line, self.owner) for line in lines]
        there = {m.id: m for m in memories.get_many([m.id for m in brought])}
        memories.add_many([m for m in brought if m.id not in there])
        for m in brought:
            if m.id in there:
                memories.put(replace(m, rev=there[m.id].rev), "updated")
                self._update("memories", {"rev": m.rev}, id=m.id)
        for line in lines:
            own, how = {"memory_id": line["id"]}, "INSERT OR IGNORE"
            for source in line["sources"]:
                self._insert("memory_sources", own | {"message_id": source}, how)
            for message_id, at in line["mentions"]:
                self._insert("mentions", own | {"message_id": message_id, "at": at}, how)
            self._run("DELETE FROM weight_log WHERE memory_id = ?", line["id"])
            for e in line["log"]:
                self._insert("weight_log", own | dict(zip(_LOG, e, strict=True)))
            if line.get("secret"):
                self.tx.put_secret(line["id"], base64.b64decode(line["secret"]))

    def has_tombstone(self, line: Line, forms: Forms) -> bool:
        stone = "SELECT 1 FROM tombstones WHERE user_id = ? AND memory_id = ? AND digest = ?"
        return self._row(stone, self.owner, line["memory"], self._digest(line, forms)) is not None

    def put_tombstone(self, line: Line, forms: Forms) -> bool:
        digest, memory_id = self._digest(line, forms), line["memory"]
        if digest is None:
            return False
        if "form" not in line and MemoryGateway(self.tx).get(memory_id) is None:
            retire_id(self.con, memory_id)
        row = {"memory_id": memory_id, "digest": digest, "at": line["at"], "set_id": line["set"]}
        if line["vector"] is not None:
            name, dim, coded = line["vector"]
            insert(self.con, "embedding_models", {"name": name, "dim": dim}, "INSERT OR IGNORE")
            model = self._values("SELECT id FROM embedding_models WHERE name = ?", name)[0]
            row |= {"model_id": model, "vector": base64.b64decode(coded)}
        return bool(self._insert("tombstones", row, "INSERT OR IGNORE").rowcount)

    def _digest(self, line: Line, forms: Forms) -> str | None:
        """Return it by this store's key where the memory is there, else with its key's name."""
        if "form" in line:
            m = MemoryGateway(self.tx).get(line["memory"])
            texts = forms(m)[line["form"] :] if m is not None else ()
            return self._digest_of(texts[0]) if texts else None
        key, _, plain = str(line["digest"]).partition(":")
        return plain if key == self._key() else str(line["digest"])

    def put_set(self, line: Line, told: Mapping[str, str]) -> bool:
        rows: list[tuple[str, str, Json, Json]] = []
        within: dict[str, Json] = {}  # how an earlier change of this very set left it
        for op, memory_id, before, changed, whole in line["changes"]:
            if MemoryGateway(self.tx).get(memory_id) is None:
                continue
            was = _whose(before, self.owner) if before != _SAME else None
            if before == _SAME:
                was = within.get(memory_id) or self._ended(told, memory_id)
            if changed is None:
                became = _whose(whole, self.owner)
            elif was is None:
                continue  # it begins where something ended that is not here
            else:
                became = {**was, **changed}
            memory_from_json(dict(became or {}))
            within[memory_id] = became
            rows.append((str(op), memory_id, was, became))
        if not rows:
            return False
        # Before everything that the store has seen: those who follow its log hear nothing.
        claim_id(self.con, line["id"])
        number = {"n": self._place("change_sets", "n")}
        self._insert("change_sets", number | _pick(line, _SET))
        for seq, (op, memory_id, was, became) in enumerate(rows, self._place("changes", "seq")):
            row = {"seq": seq, "set_id": line["id"], "op": op, "entity": "memory"}
            told_of = {"entity_id": memory_id, "before": was, "after": became}
            self._insert("changes", row | told_of)
        return True

    def _place(self, table: str, number: str) -> int:
        """Find the place behind all that was brought, before all that happened here."""
        last = self._row(f"SELECT MAX({number}) FROM {table} WHERE {number} < 0")[0]
        return _FIRST if last is None else int(last) + 1

    def _ended(self, told: Mapping[str, str], memory_id: str) -> Line | None:
        found = self._values(
            "SELECT after FROM changes WHERE set_id = ? AND user_id = ? AND entity ="
            " 'memory' AND entity_id = ?"
            " ORDER BY seq DESC LIMIT 1",
            *(told.get(memory_id, ""), self.owner, memory_id),
        )
        return json.loads(found[0]) if found and found[0] else None

    def put_trace(self, line: Line) -> bool:
        row = _pick(line, _TRACE) | {"scope": self._in(line["scope"])}
        done = self._insert("recall_traces", row, "INSERT OR IGNORE")
        for position, h in enumerate(line["hits"] if done.rowcount else ()):
            hit = {"trace_n": done.lastrowid, "position": position}
            insert(self.con, "recall_hits", hit | dict(zip(_HIT, h, strict=True)))
        return bool(done.rowcount)


def _tell(c: Any, ended: dict[str, str]) -> list[Json]:
    """[op, memory, before, what was changed, or all of the after where it has other fields]."""
    after = json.loads(c["after"])
    before = None if c["before"] is None else json.loads(c["before"])
    same = before is not None and ended.get(c["entity_id"]) == _hash(c["before"])
    ended[c["entity_id"]] = _hash(c["after"])
    told = [c["op"], c["entity_id"], _SAME if same else _whose(before, ME)]
    if before is None or before.keys() != after.keys():
        return [*told, None, _whose(after, ME)]
    return [*told, {k: v for k, v in after.items() if v != before[k]}, None]


def _whose(m: Line | None, user_id: str) -> Line | None:
    return None if m is None else {**m, "user_id": user_id}


def _hash(text: str) -> str:
    return sha1(text.encode(), usedforsecurity=False).hexdigest()
