"""What MEMORY.md shows and has shown of one user, to tell edits of it from our own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from memory.models import MemoryId, MirrorDigest, MirrorState, Sensitivity, State
from memory.store.rows import AMONG, columns_of, dump
from memory.store.transaction import Gateway

_DIGEST_BYTES: Final = 12
_KEY_BYTES: Final = 64  # at most, says BLAKE2b
_NOTHING: Final = MirrorDigest(*[None] * 3)  # type: ignore[arg-type] # an entry that is taken out
_SHOWN: Final = "SELECT memory_id, shown, original, kind FROM"


@dataclass(slots=True)
class MirrorGateway(Gateway):
    """`memory.ports.MirrorTable`."""

    def get_state(self) -> MirrorState | None:
        return self._one(MirrorState, "1")

    def put_state(self, s: MirrorState) -> None:
        unread = dump(s.unread).encode("utf-8", "backslashreplace")  # bytes that are none
        row = columns_of(s) | {"unread": unread.decode()}
        self._insert("mirrors", row, "INSERT OR REPLACE")

    def clean(self, without: Callable[[str], str]) -> int:
        """Rewrite what could not be read, with `without`; return how many pieces were changed."""
        state = self.get_state()
        if state is None:
            return 0
        cleaned = [(without(raw), since) for raw, since in state.unread]
        changed = sum(new != old for new, old in zip(cleaned, state.unread, strict=True))
        if changed:
            self.put_state(replace(state, unread=tuple(u for u in cleaned if u[0].strip())))
        return changed

    def compute_digest(self, text: str) -> str:
        body = f"{self.owner}\n{' '.join(text.split())}".encode("utf-8", "replace")
        key = self.tx.shared.key[:_KEY_BYTES]
        return hashlib.blake2b(body, digest_size=_DIGEST_BYTES, key=key).hexdigest()

    def get_base(self, version: int, *, taken: bool = True) -> dict[MemoryId, MirrorDigest]:
        entries = "mirror_entries WHERE user_id = ? AND since <= ? AND (until IS NULL OR until > ?)"
        found = self._shown(entries, self.owner, version, version)
        if taken:
            takes = "mirror_takes WHERE user_id = ? AND version = ?"
            found |= self._shown(takes, self.owner, version)
        return {i: s for i, s in found.items() if s != _NOTHING}

    def get_digests(
        self, ids: Iterable[MemoryId]
    ) -> dict[MemoryId, tuple[State, Sensitivity, MirrorDigest]]:
        mine = (
            "SELECT id, state, sensitivity, original_content, kind FROM memories WHERE"
            " +user_id = ? AND id"
        )
        out = {}
        for i, state, sensitivity, original, kind in self._rows(
            f"{mine} {AMONG}", self.owner, list(ids)
        ):
            text = self.compute_digest(original)
            out[i] = (State(state), Sensitivity(sensitivity), MirrorDigest(text, text, kind))
        return out

    def list_shown_ids(self) -> frozenset[MemoryId]:
        held = "SELECT id FROM memories WHERE user_id = ? AND state = 'active' AND sensitivity < 3"
        return frozenset(self._values(held, self.owner))

    def was_shown(self, memory_id: MemoryId, text: str) -> bool:
        where = "user_id = ? AND memory_id = ? AND shown = ?"
        any_ = (
            f"SELECT 1 FROM mirror_entries WHERE {where} UNION ALL SELECT 1 FROM mirror_takes"
            f" WHERE {where}"
        )
        return self._row(any_, *(self.owner, memory_id, text) * 2) is not None

    def list_known_ids(self, ids: Iterable[MemoryId]) -> set[MemoryId]:
        known = "SELECT memory_id FROM {} WHERE user_id = ? AND memory_id " + AMONG
        any_ = f"{known.format('mirror_entries')} UNION {known.format('mirror_takes')}"
        return set(self._values(any_, *(self.owner, list(ids)) * 2))

    def write(self, version: int, shown: Mapping[MemoryId, MirrorDigest]) -> int:
        before = self._shown("mirror_entries WHERE user_id = ? AND until IS NULL", self.owner)
        ended = [i for i, s in before.items() if shown.get(i) != s]
        begun = [(i, s) for i, s in shown.items() if before.get(i) != s]
        self.con.executemany(
            "UPDATE mirror_entries SET until = ? WHERE user_id = ? AND memory_id = ? AND"
            " until IS NULL",
            [(version, self.owner, i) for i in ended],
        )
        self._put("mirror_entries", "since", version, begun)
        return len({*ended, *(i for i, _ in begun)})

    def take(self, version: int, edited: Mapping[MemoryId, MirrorDigest | None]) -> None:
        self._put("mirror_takes", "version", version, edited.items())

    def _put(self, table: str, column: str, version: int, shown: Iterable[tuple[str, Any]]) -> None:
        self.con.executemany(
            f"INSERT OR REPLACE INTO {table} (user_id, memory_id, {column}, shown, original, kind)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [
                (self.owner, i, version, s.text, s.original, s.kind)
                for i, s in ((i, s or _NOTHING) for i, s in shown)
            ],
        )

    def _shown(self, where: str, *params: Any) -> dict[MemoryId, MirrorDigest]:
        """Return entries by memory."""
        rows = self._rows(f"{_SHOWN} {where}", *params)
        return {i: MirrorDigest(*digests) for i, *digests in rows}
