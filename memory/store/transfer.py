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
from memory.store.memories import MemoryGateway
from memory.store.rows import (
    AMONG,
    MEMORY_COLUMNS,
    MEMORY_SELECT,
    dump,
    insert,
    load,
    memory_from_json,
    memory_from_row,
    memory_to_json,
)
from memory.store.tombstones import TombstoneGateway
from memory.store.transaction import Gateway, claim_id, retire_id

Forms = Callable[[Memory], Sequence[str]]  # texts a tombstone of the memory may stand for
Line = Mapping[str, Json]
ME: Final = "@"
BROUGHT: Final = (
    "transfer"  # the reason of the set that an import of Ebb's own export is; no part of the past
)
_SAME: Final = "="
_PAGE: Final = 500
_FIRST: Final = -(
    2**52
)  # where what is brought begins: more places than all imports of a life need
_WATERMARKS: Final = ("planned_through", "summarised_through", "extracted_through")
_SESSION: Final = (
    "opened_at",
    "last_at",
    "state",
    "title",
    "closed_at",
    "closed_why",
    "running_summary",
)
_MESSAGE: Final = (
    "id",
    "session_id",
    "turn_id",
    "role",
    "text",
    "at",
    "tz",
    "status",
    "hidden_at",
    "reply_to",
)
_LOG: Final = ("at", "event", "old_weight", "new_weight", "reason", "factors", "before", "after")
_TRACE: Final = ("turn_id", "at", "mode", "late", "took_ms")
_HIT: Final = ("memory_id", "passed", "used", "score", "gate", "why", "signals", "nudges")
_SET: Final = ("id", "actor", "reason", "at", "turn_id", "job_id", "undoes", "undone_by")
_NESTED: Final = frozenset({"factors", "before", "after", "signals", "nudges"})
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


@dataclass(slots=True)
class History(Gateway):
    """What was done to memories, out and in again: the sets of one user's change log.

    A change is told by what it changed. One that begins where the last told one of the same memory
    ended says `"="` for that. What comes in stands before everything that the store has seen: those
    who follow its log hear nothing.
    """

    def lines(self) -> Iterator[dict[str, Json]]:
        """Yield sets that changed memories that are still there, oldest first."""
        ended: dict[str, bytes] = {}
        after = -(2**63)
        sql = "SELECT * FROM change_sets WHERE user_id = ? AND n > ? AND reason != ? ORDER BY n LIMIT ?"
        changes = (
            "SELECT c.op, c.entity_id, c.before, c.after FROM changes c WHERE c.set_id = ? AND c.user_id = ?"
            " AND c.entity = 'memory' AND c.after IS NOT NULL AND EXISTS"
            " (SELECT 1 FROM memories m WHERE m.id = c.entity_id AND m.user_id = c.user_id) ORDER BY c.seq"
        )
        while rows := self._rows(sql, self.owner, after, BROUGHT, _PAGE):
            for row in rows:
                if found := self._rows(changes, row["id"], self.owner):
                    told = [self._told(c, ended) for c in found]
                    yield {"type": "set", **{k: row[k] for k in _SET}, "changes": told}
            after = rows[-1]["n"]

    def _told(self, c: Any, ended: dict[str, bytes]) -> list[Json]:
        """[op, memory, before, what was changed, or all of the after where it has other fields]."""
        after = json.loads(c["after"])
        same = c["before"] is not None and ended.get(c["entity_id"]) == _digest(c["before"])
        before = None if c["before"] is None else json.loads(c["before"])
        ended[c["entity_id"]] = _digest(c["after"])
        told = _SAME if same else _whose(before, ME)
        if before is None or before.keys() != after.keys():
            return [c["op"], c["entity_id"], told, None, _whose(after, ME)]
        return [
            c["op"],
            c["entity_id"],
            told,
            {k: v for k, v in after.items() if v != before[k]},
            None,
        ]

    def put(self, line: Line, told: Mapping[str, str]) -> bool:
        """Take in a set, as far as it is about memories that are there; False if it is about none
        of them.

        `told`: the set that told of a memory last. What begins where that ended, and is not here,
        is left out. Raises KeyError, TypeError or ValueError if a change cannot be read.
        """
        changes = [c for c in line["changes"] if MemoryGateway(self.tx).get(c[1]) is not None]
        rows: list[tuple[str, str, Json, Json]] = []
        within: dict[str, Json] = {}  # how an earlier change of this very set left it
        for op, memory_id, before, changed, whole in changes:
            was = _whose(before, self.owner) if before != _SAME else None
            if before == _SAME:
                was = within.get(memory_id) or self._ended(told, memory_id)
            if changed is not None and was is None:
                continue
            became = (
                {**was, **changed}
                if changed is not None and was is not None
                else _whose(whole, self.owner)
            )
            memory_from_json(dict(became or {}))
            within[memory_id] = became
            rows.append((str(op), memory_id, was, became))
        if not rows:
            return False
        con = self.tx.con
        claim_id(con, line["id"])
        row = {
            "n": self._place("change_sets", "n"),
            "user_id": self.owner,
            **{k: line[k] for k in _SET},
        }
        insert(con, "change_sets", row)
        for seq, (op, memory_id, was, became) in enumerate(rows, self._place("changes", "seq")):
            row = {
                "seq": seq,
                "set_id": line["id"],
                "user_id": self.owner,
                "op": op,
                "entity": "memory",
            }
            insert(con, "changes", row | {"entity_id": memory_id, "before": was, "after": became})
        return True

    def _place(self, table: str, number: str) -> int:
        """Behind all that was ever brought, before all that ever happened here."""
        last = self._row(f"SELECT MAX({number}) FROM {table} WHERE {number} < 0")[0]
        return _FIRST if last is None else int(last) + 1

    def _ended(self, told: Mapping[str, str], memory_id: str) -> Line | None:
        row = self._row(
            "SELECT after FROM changes WHERE set_id = ? AND user_id = ? AND entity = 'memory' AND entity_id = ?"
            " ORDER BY seq DESC LIMIT 1",
            *(told.get(memory_id, ""), self.owner, memory_id),
        )
        found: Line | None = None if row is None or row[0] is None else json.loads(row[0])
        return found


@dataclass(slots=True)
class TransferGateway(Gateway):
    """`memory.ports.TransferTable`."""

    # --- out

    def export_lines(self, forms: Forms, *, secrets: bool) -> Iterator[dict[str, Json]]:
        """Yield everything that makes up the user's memory, in order."""
        user = self.tx.user()
        yield {"type": "user", "lang": user.lang, "tz": user.tz, "settings": dict(user.settings)}
        for r in self._pages("n", "sessions"):
            own = {k: r[k] for k in _SESSION} | {w: self._mark(r["id"], r[w]) for w in _WATERMARKS}
            profile = None if r["profile"] is None else json.loads(r["profile"])
            yield {
                "type": "session",
                "id": r["id"],
                "scope": self._out(r["scope"]),
                **own,
                "profile": profile,
            }
        for r in self._pages("seq", "messages"):
            author = r["author_user_id"]
            author = ME if author == self.owner else author
            yield {"type": "message", **{k: r[k] for k in _MESSAGE}, "author": author}
        for r in self._pages("n", "memories", MEMORY_SELECT):
            yield self.export_line(memory_from_row(r), secrets=secrets)
        yield from History(self.tx).lines()
        stones = self._tombstones(forms)
        yield from sorted(
            stones, key=lambda t: (t["at"], t["memory"], t.get("form", -1), t.get("digest", ""))
        )
        for r in self._pages("n", "recall_traces"):
            hits = f"SELECT {', '.join(_HIT)} FROM recall_hits WHERE trace_n = ? ORDER BY position"
            named = [_read_nested(_HIT, h) for h in self._rows(hits, r["n"])]
            yield {
                "type": "trace",
                "scope": self._out(r["scope"]),
                **{k: r[k] for k in _TRACE},
                "hits": named,
            }

    def _pages(self, number: str, table: str, columns: str = "m.*") -> Iterator[Any]:
        """The user's rows of a table in the order they came, a page at a time: no cursor stays open in between."""
        after = 0
        sql = f"SELECT m.{number} AS n_, {columns} FROM {table} m WHERE m.user_id = ? AND m.{number} > ?"
        while rows := self._rows(f"{sql} ORDER BY m.{number} LIMIT ?", self.owner, after, _PAGE):
            yield from rows
            after = rows[-1][0]

    def _mark(self, session_id: str, seq: int) -> str | None:
        last = "SELECT id FROM messages WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"
        return next(iter(self._values(last, session_id, seq)), None)

    def export_line(self, m: Memory, *, secrets: bool = True) -> dict[str, Json]:
        """Return a memory with all that hangs on it."""
        fields = memory_to_json(m)
        del fields["user_id"]
        sources = "SELECT message_id FROM memory_sources WHERE memory_id = ? ORDER BY message_id"
        line: dict[str, Json] = {"type": "memory", **fields, "sources": self._values(sources, m.id)}
        mentions = "SELECT message_id, at FROM mentions WHERE memory_id = ? ORDER BY at, message_id"
        line["mentions"] = [list(r) for r in self._rows(mentions, m.id)]
        log = self._rows(
            f"SELECT {', '.join(_LOG)} FROM weight_log WHERE memory_id = ? ORDER BY n", m.id
        )
        line["log"] = [_read_nested(_LOG, r) for r in log]
        if m.sensitivity is Sensitivity.SECRET:
            sealed = self.tx.secret(m.id) if secrets else None
            line["secret"] = None if sealed is None else base64.b64encode(sealed).decode()
        return line

    def _tombstones(self, forms: Forms) -> Iterator[dict[str, Json]]:
        for r in self._rows(
            "SELECT t.*, x.name, x.dim FROM tombstones t LEFT JOIN embedding_models x ON x.id = t.model_id"
            " WHERE t.user_id = ?",
            self.owner,
        ):
            m, digest = MemoryGateway(self.tx).get(r["memory_id"]), str(r["digest"])
            found = (
                {}
                if m is None
                else {
                    TombstoneGateway(self.tx).compute_digest(t): n for n, t in enumerate(forms(m))
                }
            )
            # A digest goes with the name of the key that made it: what was brought from elsewhere
            # has one already.
            named = digest if ":" in digest else f"{self.digest_id()}:{digest}"
            said = {"form": found[digest]} if digest in found else {"digest": named}
            vector = (
                None
                if r["vector"] is None
                else [r["name"], r["dim"], base64.b64encode(r["vector"]).decode()]
            )
            own = {"memory": r["memory_id"], "at": r["at"], "set": r["set_id"]}
            yield {"type": "tombstone", **own, **said, "vector": vector}

    # --- names that differ from store to store

    def _out(self, scope: str) -> str:
        return f"user:{ME}" if scope == f"user:{self.owner}" else scope

    def _in(self, scope: str) -> str:
        return f"user:{self.owner}" if scope == f"user:{ME}" else scope

    def digest_id(self) -> str:
        """Name the key, and its owner, that the digests of tombstones are made with."""
        return TombstoneGateway(self.tx).compute_digest("ebb tombstone key")[:12]

    # --- in

    def list_taken_ids(self, table: str, wanted: Iterable[str]) -> dict[str, bool]:
        """Map those of the ids that the table has to whether they are this user's."""
        named, key = _TABLES[table]
        rows = self._rows(
            f"SELECT {key}, user_id = ? FROM {named} WHERE {key} {AMONG} AND (user_id = ? OR ?) ORDER BY 2",
            *(self.owner, dump(list(wanted)), self.owner, table != "trace"),
        )
        return {r[0]: bool(r[1]) for r in rows}

    def list_erased_ids(self, wanted: Iterable[str]) -> set[str]:
        """Return the ids of things that were erased for good."""
        return set(
            self._values(f"SELECT id FROM used_ids WHERE erased AND id {AMONG}", dump(list(wanted)))
        )

    def put_session(self, line: Line) -> None:
        """Take in a session; closed, where another is open in its scope.

        `watermarks` come after its messages.
        """
        scope = self._in(line["scope"])
        row = {k: line[k] for k in (*_SESSION, "profile")}
        if (
            row["state"] == "open"
            and ConversationGateway(self.tx).get_open_session(scope) is not None
        ):
            row |= {"state": "closed", "closed_at": row["last_at"], "closed_why": "import"}
        claim_id(self.tx.con, line["id"])
        insert(
            self.tx.con,
            "sessions",
            {"id": line["id"], "user_id": self.owner, "scope": scope, **row},
        )

    def restore_watermarks(self, line: Line) -> None:
        """Write how far a session was worked through, once its messages are there."""
        for name in _WATERMARKS:
            if line[name] is not None:
                mark = f"{name} = COALESCE((SELECT seq FROM messages WHERE id = ?), 0)"
                self._run(f"UPDATE sessions SET {mark} WHERE id = ?", line[name], line["id"])

    def put_message(self, line: Line) -> int:
        """Take in a message, the newest of all so far; its `seq`."""
        claim_id(self.tx.con, line["id"])
        author = self.owner if line["author"] == ME else line["author"]
        row = {k: line[k] for k in _MESSAGE} | {"user_id": self.owner, "author_user_id": author}
        return int(insert(self.tx.con, "messages", row).lastrowid)

    def put_memories(self, lines: Sequence[Line]) -> None:
        """Take in new memories, and newer states of some that are there, with all that hangs on them."""
        memories = MemoryGateway(self.tx)
        brought = [parse_memory(line, self.owner) for line in lines]
        there = {m.id: m for m in memories.get_many([m.id for m in brought])}
        memories.add_many([m for m in brought if m.id not in there])
        for m in brought:
            if m.id in there:
                memories.put(replace(m, rev=there[m.id].rev), "updated")
                self._run("UPDATE memories SET rev = ? WHERE id = ?", m.rev, m.id)
        for line in lines:
            own = {"memory_id": line["id"], "user_id": self.owner}
            for source in line["sources"]:
                insert(
                    self.tx.con, "memory_sources", own | {"message_id": source}, "INSERT OR IGNORE"
                )
            for message_id, at in line["mentions"]:
                insert(
                    self.tx.con,
                    "mentions",
                    own | {"message_id": message_id, "at": at},
                    "INSERT OR IGNORE",
                )
            self._run("DELETE FROM weight_log WHERE memory_id = ?", line["id"])
            for e in line["log"]:
                insert(self.tx.con, "weight_log", own | dict(zip(_LOG, e, strict=True)))
            if line.get("secret"):
                self.tx.put_secret(line["id"], base64.b64decode(line["secret"]))

    def has_tombstone(self, line: Line, forms: Forms) -> bool:
        """Tell whether the tombstone is here already."""
        stone = "SELECT 1 FROM tombstones WHERE user_id = ? AND memory_id = ? AND digest = ?"
        return self._row(stone, self.owner, line["memory"], self._digest(line, forms)) is not None

    def _digest(self, line: Line, forms: Forms) -> str | None:
        """Made anew with this store's key where the memory is there; else under the name of the key that made it."""
        if "form" in line:
            m = MemoryGateway(self.tx).get(line["memory"])
            texts = forms(m) if m is not None else ()
            return (
                TombstoneGateway(self.tx).compute_digest(texts[line["form"]])
                if line["form"] < len(texts)
                else None
            )
        key, _, plain = str(line["digest"]).partition(":")
        return plain if key == self.digest_id() else str(line["digest"])

    def put_tombstone(self, line: Line, forms: Forms) -> bool:
        """Keep it; False if it is here already, or nobody can tell what it stands for."""
        digest = self._digest(line, forms)
        if digest is None:
            return False
        if "form" not in line and MemoryGateway(self.tx).get(line["memory"]) is None:
            retire_id(self.tx.con, line["memory"])
        model, vector = None, None
        if line["vector"] is not None:
            name, dim, coded = line["vector"]
            insert(self.tx.con, "embedding_models", {"name": name, "dim": dim}, "INSERT OR IGNORE")
            model = self._row("SELECT id FROM embedding_models WHERE name = ?", name)[0]
            vector = base64.b64decode(coded)
        row = {
            "user_id": self.owner,
            "memory_id": line["memory"],
            "digest": digest,
            "at": line["at"],
        }
        row |= {"set_id": line["set"], "model_id": model, "vector": vector}
        return bool(insert(self.tx.con, "tombstones", row, "INSERT OR IGNORE").rowcount)

    def put_set(self, line: Line, told: Mapping[str, str]) -> bool:
        """Take in what was done to memories that are there, before all that happened here (see `History.put`)."""
        return History(self.tx).put(line, told)

    def put_trace(self, line: Line) -> bool:
        """Take in what a turn recalled, unless it is known."""
        row = {k: line[k] for k in _TRACE} | {
            "user_id": self.owner,
            "scope": self._in(line["scope"]),
        }
        done = insert(self.tx.con, "recall_traces", row, "INSERT OR IGNORE")
        if not done.rowcount:
            return False
        for position, h in enumerate(line["hits"]):
            hit = {
                "trace_n": done.lastrowid,
                "position": position,
                **dict(zip(_HIT, h, strict=True)),
            }
            insert(self.tx.con, "recall_hits", hit)
        return True


def _read_nested(names: Sequence[str], row: Sequence[Any]) -> list[Json]:
    return [load(v) if k in _NESTED else v for k, v in zip(names, row, strict=True)]


def _whose(m: Line | None, user_id: str) -> Line | None:
    return None if m is None else {**m, "user_id": user_id}


def _digest(text: str) -> bytes:
    return sha1(text.encode(), usedforsecurity=False).digest()
