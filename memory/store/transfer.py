"""One user's rows, in and out, as they are: what export and import need of SQL.

Lines are JSON objects in a fixed order. The user is "@" in them, and watermarks are ids of messages, so that the
same rows give the same lines in every store.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memory.models import Json, Memory, MemoryId, Sensitivity
from memory.store import ids as id_table
from memory.store.past import Past
from memory.store.rows import (
    MEMORY_COLUMNS,
    MEMORY_SELECT,
    dump,
    load,
    memory_from_json,
    memory_from_row,
    memory_to_json,
)

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

Forms = Callable[[Memory], Sequence[str]]  # texts a tombstone of the memory may stand for
ME: Final = "@"
_PAGE: Final = 500
_WATERMARKS: Final = ("planned_through", "summarised_through", "extracted_through")
_SESSION: Final = ("opened_at", "last_at", "state", "title", "closed_at", "closed_why", "running_summary")
_MESSAGE: Final = ("id", "session_id", "turn_id", "role", "text", "at", "tz", "status", "hidden_at", "reply_to")
_LOG: Final = ("at", "event", "old_weight", "new_weight", "reason", "factors", "before", "after")
_HIT: Final = ("memory_id", "passed", "used", "score", "gate", "why", "signals", "nudges")
_NESTED: Final = frozenset({"factors", "before", "after", "signals", "nudges"})


def memory_of(line: Mapping[str, Json], user_id: str = "") -> Memory:
    """The memory of a line. Raises KeyError, TypeError, ValueError or OverflowError if it is none."""
    return memory_from_json(
        {**{k: line[k] for k in MEMORY_COLUMNS if k != "user_id" and k in line}, "user_id": user_id}
    )


@dataclass(slots=True)
class TransferGateway:
    """`memory.ports.TransferTable`."""

    tx: SqliteTx

    # --- out

    def lines(self, forms: Forms, *, secrets: bool) -> Iterator[dict[str, Json]]:
        """Everything that makes up the user's memory, in order."""
        user = self.tx.user()
        yield {"type": "user", "lang": user.lang, "tz": user.tz, "settings": dict(user.settings)}
        yield from self._sessions()
        yield from self._messages()
        yield from self._memories(secrets=secrets)
        yield from Past(self.tx).lines()
        yield from self._tombstones(forms)
        yield from self._traces()

    def _pages(self, number: str, table: str, columns: str = "m.*") -> Iterator[Any]:
        """The user's rows of a table in the order they came, a page at a time: no cursor stays open in between."""
        after = 0
        sql = f"SELECT m.{number} AS n_, {columns} FROM {table} m WHERE m.user_id = ? AND m.{number} > ?"
        sql += f" ORDER BY m.{number} LIMIT ?"
        while rows := self.tx.con.execute(sql, (self._me, after, _PAGE)).fetchall():
            yield from rows
            after = rows[-1][0]

    def _sessions(self) -> Iterator[dict[str, Json]]:
        for r in self._pages("n", "sessions"):
            marks = {w: self._mark(r["id"], r[w]) for w in _WATERMARKS}
            profile = None if r["profile"] is None else json.loads(r["profile"])
            own = {k: r[k] for k in _SESSION}
            yield {
                "type": "session",
                "id": r["id"],
                "scope": self._out(r["scope"]),
                **own,
                **marks,
                "profile": profile,
            }

    def _mark(self, session_id: str, seq: int) -> str | None:
        row = self.tx.con.execute(
            "SELECT id FROM messages WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1", (session_id, seq)
        ).fetchone()
        return None if row is None else str(row[0])

    def _messages(self) -> Iterator[dict[str, Json]]:
        for r in self._pages("seq", "messages"):
            author = r["author_user_id"]
            yield {"type": "message", **{k: r[k] for k in _MESSAGE}, "author": ME if author == self._me else author}

    def _memories(self, *, secrets: bool) -> Iterator[dict[str, Json]]:
        for r in self._pages("n", "memories", MEMORY_SELECT):
            yield self.line_of(memory_from_row(r), secrets=secrets)

    def line_of(self, m: Memory, *, secrets: bool = True) -> dict[str, Json]:
        """A memory with all that hangs on it."""
        con = self.tx.con
        fields = memory_to_json(m)
        del fields["user_id"]
        sources = con.execute(
            "SELECT message_id FROM memory_sources WHERE memory_id = ? ORDER BY message_id", (m.id,)
        )
        line: dict[str, Json] = {"type": "memory", **fields, "sources": [r[0] for r in sources.fetchall()]}
        mentions = con.execute(
            "SELECT message_id, at FROM mentions WHERE memory_id = ? ORDER BY at, message_id", (m.id,)
        )
        line["mentions"] = [list(r) for r in mentions.fetchall()]
        log = con.execute(f"SELECT {', '.join(_LOG)} FROM weight_log WHERE memory_id = ? ORDER BY n", (m.id,))
        line["log"] = [[load(v) if k in _NESTED else v for k, v in zip(_LOG, r, strict=True)] for r in log.fetchall()]
        if m.sensitivity is Sensitivity.SECRET:
            sealed = self.tx.secret(m.id) if secrets else None
            line["secret"] = None if sealed is None else base64.b64encode(sealed).decode()
        return line

    def _tombstones(self, forms: Forms) -> Iterator[dict[str, Json]]:
        rows = self.tx.con.execute(
            "SELECT t.*, x.name, x.dim FROM tombstones t LEFT JOIN embedding_models x ON x.id = t.model_id"
            " WHERE t.user_id = ?",
            (self._me,),
        ).fetchall()
        out = []
        for r in rows:
            m = self.tx.memories.get(r["memory_id"])
            found = {} if m is None else {self.tx.tombstones.digest(t): n for n, t in enumerate(forms(m))}
            said = {"form": found[r["digest"]]} if r["digest"] in found else {"digest": self._named(r["digest"])}
            vector = None if r["vector"] is None else [r["name"], r["dim"], base64.b64encode(r["vector"]).decode()]
            own = {"memory": r["memory_id"], "at": r["at"], "set": r["set_id"], **said, "vector": vector}
            out.append({"type": "tombstone", **own})
        yield from sorted(out, key=lambda t: (t["at"], t["memory"], t.get("form", -1), t.get("digest", "")))

    def _named(self, digest: str) -> str:
        """A digest with the key that made it: what was brought from elsewhere has one already."""
        return digest if ":" in digest else f"{self.digest_id()}:{digest}"

    def _traces(self) -> Iterator[dict[str, Json]]:
        for r in self._pages("n", "recall_traces"):
            hits = self.tx.con.execute(
                f"SELECT {', '.join(_HIT)} FROM recall_hits WHERE trace_n = ? ORDER BY position", (r["n"],)
            ).fetchall()
            named = [[load(v) if k in _NESTED else v for k, v in zip(_HIT, h, strict=True)] for h in hits]
            own = {k: r[k] for k in ("turn_id", "at", "mode", "late", "took_ms")}
            yield {"type": "trace", "scope": self._out(r["scope"]), **own, "hits": named}

    # --- names that differ from store to store

    @property
    def _me(self) -> str:
        return self.tx.owner

    def _out(self, scope: str) -> str:
        return f"user:{ME}" if scope == f"user:{self._me}" else scope

    def _in(self, scope: str) -> str:
        return f"user:{self._me}" if scope == f"user:{ME}" else scope

    def digest_id(self) -> str:
        """Which key, and whose, the digests of tombstones are made with."""
        return self.tx.tombstones.digest("ebb tombstone key")[:12]

    # --- in

    def taken(self, table: str, wanted: Iterable[str]) -> dict[str, bool]:
        """Those of the ids that the table has: True where they are this user's."""
        named, key = {
            "session": ("sessions", "id"),
            "message": ("messages", "id"),
            "memory": ("memories", "id"),
            "set": ("change_sets", "id"),
            "trace": ("recall_traces", "turn_id"),  # unique for each user only
        }[table]
        rows = self.tx.con.execute(
            f"SELECT {key}, user_id = :me FROM {named} WHERE {key} IN (SELECT value FROM json_each(:ids))"
            f" AND (user_id = :me OR :all) ORDER BY 2",
            {"me": self._me, "ids": dump(list(wanted)), "all": table != "trace"},
        )
        return {r[0]: bool(r[1]) for r in rows.fetchall()}

    def erased(self, wanted: Iterable[str]) -> set[str]:
        """Ids of things that were erased for good."""
        rows = self.tx.con.execute(
            "SELECT id FROM used_ids WHERE erased AND id IN (SELECT value FROM json_each(?))", (dump(list(wanted)),)
        )
        return {r[0] for r in rows.fetchall()}

    def put_session(self, line: Mapping[str, Json]) -> None:
        """A session; closed, where another one is open in its scope. `watermarks` come after its messages."""
        scope = self._in(line["scope"])
        row = {k: line[k] for k in _SESSION}
        if row["state"] == "open" and self.tx.conversations.current(scope) is not None:
            row |= {"state": "closed", "closed_at": row["last_at"], "closed_why": "import"}
        id_table.claim(self.tx.con, line["id"])
        profile = None if line["profile"] is None else dump(line["profile"])
        row = {"id": line["id"], "user_id": self._me, "scope": scope, **row, "profile": profile}
        self._insert("sessions", row)

    def watermarks(self, line: Mapping[str, Json]) -> None:
        """How far a session was worked through, once its messages are there."""
        marks = {w: line[w] for w in _WATERMARKS if line[w] is not None}
        for name, message_id in marks.items():
            self.tx.con.execute(
                f"UPDATE sessions SET {name} = COALESCE((SELECT seq FROM messages WHERE id = ?), 0) WHERE id = ?",
                (message_id, line["id"]),
            )

    def put_message(self, line: Mapping[str, Json]) -> int:
        """A message, the newest of all so far; its `seq`."""
        id_table.claim(self.tx.con, line["id"])
        author = self._me if line["author"] == ME else line["author"]
        row = {**{k: line[k] for k in _MESSAGE}, "user_id": self._me, "author_user_id": author}
        return self._insert("messages", row)

    def put_memories(self, lines: Sequence[Mapping[str, Json]]) -> None:
        """New memories, and newer states of some that are there, with all that hangs on them."""
        brought = [memory_of(line, self._me) for line in lines]
        there = {m.id: m for m in self.tx.memories.many([m.id for m in brought])}
        self.tx.memories.add_many([m for m in brought if m.id not in there])
        for m in brought:
            if m.id in there:
                self.tx.memories.put(replace(m, rev=there[m.id].rev), "updated")
                self.tx.con.execute("UPDATE memories SET rev = ? WHERE id = ?", (m.rev, m.id))
        for line in lines:
            self._hang(line, line["id"])

    def _hang(self, line: Mapping[str, Json], memory_id: MemoryId) -> None:
        con, me = self.tx.con, self._me
        con.executemany(
            "INSERT OR IGNORE INTO memory_sources (memory_id, message_id, user_id) VALUES (?, ?, ?)",
            [(memory_id, s, me) for s in line["sources"]],
        )
        con.executemany(
            "INSERT OR IGNORE INTO mentions (memory_id, message_id, user_id, at) VALUES (?, ?, ?, ?)",
            [(memory_id, message_id, me, at) for message_id, at in line["mentions"]],
        )
        con.execute("DELETE FROM weight_log WHERE memory_id = ?", (memory_id,))
        con.executemany(
            f"INSERT INTO weight_log (user_id, memory_id, {', '.join(_LOG)}) VALUES (?, ?{', ?' * len(_LOG)})",
            [
                (me, memory_id, *(dump(v) if k in _NESTED else v for k, v in zip(_LOG, e, strict=True)))
                for e in line["log"]
            ],
        )
        if line.get("secret"):
            self.tx.put_secret(memory_id, base64.b64decode(line["secret"]))

    def buried(self, line: Mapping[str, Json], forms: Forms) -> bool:
        """Whether the tombstone is here already."""
        digest = self._digest(line, forms)
        where = "user_id = ? AND memory_id = ? AND digest = ?"
        row = self.tx.con.execute(f"SELECT 1 FROM tombstones WHERE {where}", (self._me, line["memory"], digest))
        return row.fetchone() is not None

    def _digest(self, line: Mapping[str, Json], forms: Forms) -> str | None:
        """Made anew with this store's key where the memory is there; else under the name of the key that made it."""
        if "form" in line:
            m = self.tx.memories.get(line["memory"])
            texts = forms(m) if m is not None else ()
            return self.tx.tombstones.digest(texts[line["form"]]) if line["form"] < len(texts) else None
        key, _, plain = str(line["digest"]).partition(":")
        return plain if key == self.digest_id() else str(line["digest"])

    def put_tombstone(self, line: Mapping[str, Json], forms: Forms) -> bool:
        """Keep it; False if it is here already, or nobody can tell what it stands for."""
        digest = self._digest(line, forms)
        if digest is None:
            return False
        if "form" not in line and self.tx.memories.get(line["memory"]) is None:
            id_table.retire(self.tx.con, line["memory"])
        model, vector = None, None
        if line["vector"] is not None:
            name, dim, coded = line["vector"]
            self.tx.con.execute("INSERT OR IGNORE INTO embedding_models (name, dim) VALUES (?, ?)", (name, dim))
            model = self.tx.con.execute("SELECT id FROM embedding_models WHERE name = ?", (name,)).fetchone()[0]
            vector = base64.b64decode(coded)
        done = self.tx.con.execute(
            "INSERT OR IGNORE INTO tombstones (user_id, memory_id, digest, at, set_id, model_id, vector)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._me, line["memory"], digest, line["at"], line["set"], model, vector),
        )
        return bool(done.rowcount)

    def put_set(self, line: Mapping[str, Json], told: Mapping[str, str]) -> bool:
        """What was done to memories that are there, before everything that happened here (see `Past.put`)."""
        return Past(self.tx).put(line, told)

    def put_trace(self, line: Mapping[str, Json]) -> bool:
        """What a turn recalled, unless it is known."""
        known = "SELECT 1 FROM recall_traces WHERE user_id = ? AND turn_id = ?"
        if self.tx.con.execute(known, (self._me, line["turn_id"])).fetchone():
            return False
        row = {k: line[k] for k in ("turn_id", "at", "mode", "late", "took_ms")}
        n = self._insert("recall_traces", {**row, "user_id": self._me, "scope": self._in(line["scope"])})
        self.tx.con.executemany(
            f"INSERT INTO recall_hits (trace_n, position, {', '.join(_HIT)}) VALUES (?, ?{', ?' * len(_HIT)})",
            [
                (n, at, *(dump(v) if k in _NESTED else v for k, v in zip(_HIT, h, strict=True)))
                for at, h in enumerate(line["hits"])
            ],
        )
        return True

    def _insert(self, table: str, row: Mapping[str, Any]) -> int:
        places = ", ".join(f":{k}" for k in row)
        done = self.tx.con.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", dict(row))
        return int(done.lastrowid)
