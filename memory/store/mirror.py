"""What MEMORY.md shows and has shown of one user, so that edits of any version of it can be told from our own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memory.models import MemoryId, MirrorState, Sensitivity, Shown, State
from memory.store.rows import dump

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

_DIGEST_BYTES: Final = 12
_KEY_BYTES: Final = 64  # at most, says BLAKE2b


@dataclass(slots=True)
class MirrorGateway:
    """`memory.ports.MirrorTable`."""

    tx: SqliteTx

    def state(self) -> MirrorState | None:
        """None before the first file."""
        row = self.tx.con.execute("SELECT * FROM mirrors WHERE user_id = ?", (self.tx.owner,)).fetchone()
        if row is None:
            return None
        return MirrorState(
            lineage=row["lineage"],
            version=row["version"],
            confirmed=bool(row["confirmed"]),
            read=row["read"],
            wrote=row["wrote"],
            seq=row["seq"],
            unread=tuple((raw, version) for raw, version in json.loads(row["unread"])),
            asking=None if row["asking"] is None else json.loads(row["asking"]),
        )

    def put_state(self, s: MirrorState) -> None:
        """Write it whole."""
        self.tx.con.execute(
            "INSERT OR REPLACE INTO mirrors (user_id, lineage, version, confirmed, read, wrote, seq, unread, asking)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.tx.owner,
                s.lineage,
                s.version,
                s.confirmed,
                s.read,
                s.wrote,
                s.seq,
                dump([list(u) for u in s.unread]).encode("utf-8", "backslashreplace").decode(),  # bytes that are none
                None if s.asking is None else dump(dict(s.asking)),
            ),
        )

    def clean(self, without: Callable[[str], str]) -> int:
        """Rewrite what could not be read, with `without`; how many pieces were changed. A purge's part."""
        state = self.state()
        if state is None or not state.unread:
            return 0
        cleaned = [(without(raw), since) for raw, since in state.unread]
        changed = sum(new != old for new, old in zip(cleaned, state.unread, strict=True))
        if changed:
            self.put_state(replace(state, unread=tuple((raw, n) for raw, n in cleaned if raw.strip())))
        return changed

    def digest(self, text: str) -> str:
        """Keyed, of the words as they stand; spacing does not count."""
        body = f"{self.tx.owner}\n{' '.join(text.split())}".encode("utf-8", "replace")
        key = self.tx.shared.key[:_KEY_BYTES]
        return hashlib.blake2b(body, digest_size=_DIGEST_BYTES, key=key).hexdigest()

    def base(self, version: int, *, taken: bool = True) -> dict[MemoryId, Shown]:
        """What the file of that version showed, with the edits of it that were `taken` since."""
        rows = self.tx.con.execute(
            "SELECT memory_id, shown, original, kind FROM mirror_entries"
            " WHERE user_id = ? AND since <= ? AND (until IS NULL OR until > ?)",
            (self.tx.owner, version, version),
        )
        found = {r[0]: Shown(r[1], r[2], r[3]) for r in rows.fetchall()}
        if not taken:
            return found
        takes = self.tx.con.execute(
            "SELECT memory_id, shown, original, kind FROM mirror_takes WHERE user_id = ? AND version = ?",
            (self.tx.owner, version),
        )
        for memory_id, shown, original, kind in takes.fetchall():
            if shown is None:
                found.pop(memory_id, None)
            else:
                found[memory_id] = Shown(shown, original, kind)
        return found

    def standing(self, ids: Iterable[MemoryId]) -> dict[MemoryId, tuple[State, Sensitivity, Shown]]:
        """Those of the ids that there are, as they would be shown."""
        rows = self.tx.con.execute(
            "SELECT id, state, sensitivity, original_content, kind FROM memories"
            " WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?))",
            (self.tx.owner, dump(sorted(set(ids)))),
        )
        out = {}
        for i, state, sensitivity, original, kind in rows.fetchall():
            text = self.digest(original)
            out[i] = (State(state), Sensitivity(sensitivity), Shown(text, text, kind))
        return out

    def shown(self) -> frozenset[MemoryId]:
        """Ids of the memories that hold and are no secrets."""
        rows = self.tx.con.execute(
            "SELECT id FROM memories WHERE user_id = ? AND state = 'active' AND sensitivity < ?",
            (self.tx.owner, int(Sensitivity.SECRET)),
        )
        return frozenset(r[0] for r in rows.fetchall())

    def seen(self, memory_id: MemoryId, text: str) -> bool:
        """Whether any version showed the memory with the text of that digest."""
        where = "user_id = ? AND memory_id = ? AND shown = ?"
        row = self.tx.con.execute(
            f"SELECT 1 FROM mirror_entries WHERE {where} UNION ALL SELECT 1 FROM mirror_takes WHERE {where}",
            (self.tx.owner, memory_id, text) * 2,
        ).fetchone()
        return row is not None

    def known(self, ids: Iterable[MemoryId]) -> set[MemoryId]:
        """Those that any version has shown, also when they are erased by now."""
        wanted = "user_id = :user AND memory_id IN (SELECT value FROM json_each(:ids))"
        rows = self.tx.con.execute(
            f"SELECT memory_id FROM mirror_entries WHERE {wanted}"
            f" UNION SELECT memory_id FROM mirror_takes WHERE {wanted}",
            {"user": self.tx.owner, "ids": dump(sorted(set(ids)))},
        )
        return {r[0] for r in rows.fetchall()}

    def write(self, version: int, shown: Mapping[MemoryId, Shown]) -> int:
        """The file of that version shows these; how many entries came, went or changed."""
        con, owner = self.tx.con, self.tx.owner
        rows = con.execute(
            "SELECT memory_id, shown, original, kind FROM mirror_entries WHERE user_id = ? AND until IS NULL",
            (owner,),
        ).fetchall()
        before = {r[0]: Shown(r[1], r[2], r[3]) for r in rows}
        ended = [i for i, s in before.items() if shown.get(i) != s]
        begun = [(i, s) for i, s in shown.items() if before.get(i) != s]
        con.executemany(
            "UPDATE mirror_entries SET until = ? WHERE user_id = ? AND memory_id = ? AND until IS NULL",
            [(version, owner, i) for i in ended],
        )
        con.executemany(
            "INSERT OR REPLACE INTO mirror_entries (user_id, memory_id, since, until, shown, original, kind)"
            " VALUES (?, ?, ?, NULL, ?, ?, ?)",
            [(owner, i, version, s.text, s.original, s.kind) for i, s in begun],
        )
        return len({*ended, *(i for i, _ in begun)})

    def take(self, version: int, edited: Mapping[MemoryId, Shown | None]) -> None:
        """From now on the file of that version counts as showing this, or not showing it."""
        self.tx.con.executemany(
            "INSERT OR REPLACE INTO mirror_takes (user_id, version, memory_id, shown, original, kind)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [
                (self.tx.owner, version, i, *((None, None, None) if s is None else (s.text, s.original, s.kind)))
                for i, s in edited.items()
            ],
        )
