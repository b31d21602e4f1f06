"""What MEMORY.md shows and has shown of one user, so that edits of any version of it can be told from our own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from memory.models import MemoryId, MirrorDigest, MirrorState, Sensitivity, State
from memory.store.rows import AMONG, columns_of, dump, from_row, insert
from memory.store.transaction import Gateway

_DIGEST_BYTES: Final = 12
_KEY_BYTES: Final = 64  # at most, says BLAKE2b
_SHOWN: Final = "SELECT memory_id, shown, original, kind FROM"


@dataclass(slots=True)
class MirrorGateway(Gateway):
    """`memory.ports.MirrorTable`."""

    def get_state(self) -> MirrorState | None:
        """Return how far the file is; None before the first file."""
        row = self._row("SELECT * FROM mirrors WHERE user_id = ?", self.owner)
        return (
            None
            if row is None
            else replace(s := from_row(MirrorState, row), unread=tuple(map(tuple, s.unread)))
        )  # type: ignore[arg-type]

    def put_state(self, s: MirrorState) -> None:
        """Write it whole."""
        unread = (
            dump([list(u) for u in s.unread]).encode("utf-8", "backslashreplace").decode()
        )  # bytes that are none
        row = columns_of(s) | {"user_id": self.owner, "unread": unread}
        insert(self.tx.con, "mirrors", row, "INSERT OR REPLACE")

    def clean(self, without: Callable[[str], str]) -> int:
        """Rewrite what could not be read, with `without`; how many pieces were changed.

        A purge's part.
        """
        state = self.get_state()
        if state is None or not state.unread:
            return 0
        cleaned = [(without(raw), since) for raw, since in state.unread]
        changed = sum(new != old for new, old in zip(cleaned, state.unread, strict=True))
        if changed:
            self.put_state(
                replace(state, unread=tuple((raw, n) for raw, n in cleaned if raw.strip()))
            )
        return changed

    def compute_digest(self, text: str) -> str:
        """Hash the words as they stand with the home's key; spacing does not count."""
        body = f"{self.owner}\n{' '.join(text.split())}".encode("utf-8", "replace")
        key = self.tx.shared.key[:_KEY_BYTES]
        return hashlib.blake2b(body, digest_size=_DIGEST_BYTES, key=key).hexdigest()

    def get_base(self, version: int, *, taken: bool = True) -> dict[MemoryId, MirrorDigest]:
        """Return what the file of that version showed, with the edits of it that were `taken` since."""
        entries = f"{_SHOWN} mirror_entries WHERE user_id = ? AND since <= ? AND (until IS NULL OR until > ?)"
        found = _shown(self._rows(entries, self.owner, version, version))
        if taken:
            takes = self._rows(
                f"{_SHOWN} mirror_takes WHERE user_id = ? AND version = ?", self.owner, version
            )
            found |= _shown(takes)
        return {i: s for i, s in found.items() if s is not None}

    def get_digests(
        self, ids: Iterable[MemoryId]
    ) -> dict[MemoryId, tuple[State, Sensitivity, MirrorDigest]]:
        """Map those of the ids that there are to how they would be shown."""
        mine = "SELECT id, state, sensitivity, original_content, kind FROM memories WHERE +user_id = ? AND id"
        out = {}
        for i, state, sensitivity, original, kind in self._rows(
            f"{mine} {AMONG}", self.owner, dump(sorted(set(ids)))
        ):
            text = self.compute_digest(original)
            out[i] = (State(state), Sensitivity(sensitivity), MirrorDigest(text, text, kind))
        return out

    def list_shown_ids(self) -> frozenset[MemoryId]:
        """Return the memories that hold and are no secrets."""
        held = "SELECT id FROM memories WHERE user_id = ? AND state = 'active' AND sensitivity < ?"
        return frozenset(self._values(held, self.owner, int(Sensitivity.SECRET)))

    def was_shown(self, memory_id: MemoryId, text: str) -> bool:
        """Tell whether any version showed the memory with the text of that digest."""
        where = "user_id = ? AND memory_id = ? AND shown = ?"
        any_ = f"SELECT 1 FROM mirror_entries WHERE {where} UNION ALL SELECT 1 FROM mirror_takes WHERE {where}"
        return self._row(any_, *(self.owner, memory_id, text) * 2) is not None

    def list_known_ids(self, ids: Iterable[MemoryId]) -> set[MemoryId]:
        """Return those that any version has shown, also when they are erased by now."""
        wanted = f"user_id = ? AND memory_id {AMONG}"
        any_ = (
            f"SELECT memory_id FROM mirror_entries WHERE {wanted} UNION"
            f" SELECT memory_id FROM mirror_takes WHERE {wanted}"
        )
        return set(self._values(any_, *(self.owner, dump(sorted(set(ids)))) * 2))

    def write(self, version: int, shown: Mapping[MemoryId, MirrorDigest]) -> int:
        """Note that the file of that version shows these; how many entries came, went or changed."""
        con, owner = self.tx.con, self.owner
        before = _shown(
            self._rows(f"{_SHOWN} mirror_entries WHERE user_id = ? AND until IS NULL", owner)
        )
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

    def take(self, version: int, edited: Mapping[MemoryId, MirrorDigest | None]) -> None:
        """Let the file of that version count as showing this, or not showing it, from now on."""
        self.tx.con.executemany(
            "INSERT OR REPLACE INTO mirror_takes (user_id, version, memory_id, shown, original, kind)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    self.owner,
                    version,
                    i,
                    *((None, None, None) if s is None else (s.text, s.original, s.kind)),
                )
                for i, s in edited.items()
            ],
        )


def _shown(rows: Iterable[Any]) -> dict[MemoryId, MirrorDigest | None]:
    """Entries by memory; None for one that is not shown."""
    return {r[0]: None if r[1] is None else MirrorDigest(r[1], r[2], r[3]) for r in rows}
