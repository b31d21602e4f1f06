"""The codes of one user's vectors in memory, and the vectors that were compared lately."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.ports import FloatArray
from memory.store import codes
from memory.store.rows import dump, tuples
from memory.store.shelf import Mask, Shelf

Numbers: TypeAlias = NDArray[np.int64]
Owner: TypeAlias = tuple[str, int]  # user, model

_AT_ONCE: Final = 10_000  # rows read in one go
_FEW: Final = 4096  # codes that are read anew as soon as any of them has gone
_HOT: Final = 16_384  # vectors kept of one user: 25 MB of 384 numbers
_HOT_STEP: Final = 512
_WARMED: Final = 2048  # vectors read in one go before they are asked for
_NOWHERE: Final = np.iinfo(np.int64).max


@dataclass(slots=True)
class Codes:
    """The codes of one user and one model, in the order they were written; used under its `lock`.

    `vector_clock` says when they have fallen behind, and only the rows that are new are read.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    puts: int = -1
    removals: int = 0
    seq: int = 0
    count: int = 0
    _numbers: Numbers = field(default_factory=lambda: np.empty(0, np.int64))
    _places: Numbers = field(default_factory=lambda: np.empty(0, np.int64))
    _at: Numbers = field(default_factory=lambda: np.empty(0, np.int64))  # where they stand on a shelf
    _lineage: object = None  # of that shelf
    _known: int = 0  # of how many that is so
    _words: codes.Words = field(default_factory=lambda: np.empty((codes.WORDS, 0), np.uint64))
    _slots: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))  # in `_hot`; -1: not there
    _hot: FloatArray = field(default_factory=lambda: np.empty((0, 0), np.float32))
    _warm: int = 0  # slots in use
    _read: int = 0  # columns whose vectors were read in advance
    _then: int = 0  # removals when the first of them was filled

    def columns(self, shelf: Shelf, mask: Mask) -> Numbers | None:
        """Which of them are of places that the mask lets through; None: all."""
        if self._lineage is not shelf.lineage:
            self._lineage, self._known = shelf.lineage, 0
        if self._known < self.count:
            at, there = shelf.where(self._numbers[self._known : self.count])
            self._at[self._known : self.count] = np.where(there, at, _NOWHERE)
            # What this shelf does not know yet is asked for again: another one may.
            self._known = self.count if np.all(there) else self._known + int(np.argmin(there))
        at = self._at[: self.count]
        passes = np.zeros(len(shelf) + 1, np.bool_)
        passes[: len(shelf)] = mask
        out = passes[np.minimum(at, len(shelf))]
        return None if out.all() else np.flatnonzero(out)

    def places(self, columns: Numbers) -> Numbers:
        """Places of these, which `columns` let through."""
        return self._at[columns]

    @property
    def numbers(self) -> Numbers:
        """Which memories they are of."""
        return self._numbers[: self.count]

    @property
    def words(self) -> codes.Words:
        """(WORDS, count)."""
        return self._words[:, : self.count]

    @property
    def nbytes(self) -> int:
        """What they take."""
        return sum(a.nbytes for a in (self._words, self._numbers, self._places, self._at, self._slots, self._hot))

    def follow(self, con: Any, user_id: str, model_id: int) -> None:
        """Read what has been missed. A thread with an older snapshot than the codes leaves them alone.

        Those whose vector has gone are harmless, for nothing is found for them; they go when they are many.
        """
        clock = con.execute("SELECT puts, removals FROM vector_clock WHERE user_id = ?", (user_id,)).fetchone()
        puts, removals = (0, 0) if clock is None else (clock["puts"], clock["removals"])
        if puts <= self.puts and removals <= self.removals:
            return
        if removals != self._then:
            self._cool()
            self._then = removals
        if removals - self.removals > (0 if self.count <= _FEW else self.count // 16):
            self.seq, self.count, self._known, self.removals = 0, 0, 0, removals
        cursor = tuples(con).execute(
            "SELECT seq, memory_n, code FROM embeddings WHERE user_id = ? AND model_id = ? AND seq > ? ORDER BY seq",
            (user_id, model_id, self.seq),
        )
        while rows := cursor.fetchmany(_AT_ONCE):
            self._add([r[0] for r in rows], [r[1] for r in rows], b"".join([r[2] for r in rows]))
        self.puts = puts

    def vectors(self, con: Any, owner: Owner, dim: int, columns: NDArray[np.intp]) -> tuple[Numbers, FloatArray]:
        """(columns, vectors) of these columns, without those whose vector has gone."""
        if len(columns) > _HOT // 4:
            found = dict(_rows(con, owner, "seq", self._places[columns].tolist()))
            some = np.array([c for c in columns.tolist() if int(self._places[c]) in found], np.intp)
            raw = b"".join([found[place] for place in self._places[some].tolist()])
            return some, np.frombuffer(raw, np.float32).reshape(len(some), dim)
        if self._hot.shape[1] != dim:
            self._hot = np.empty((0, dim), np.float32)
        new = columns[self._slots[columns] < 0]
        if self._warm + len(new) > _HOT:
            self._cool()  # begin anew: which are asked for again is not known
            new = columns
        if len(new):
            at = self._places[new]
            found = dict(_rows(con, owner, "seq", at.tolist()))
            there = [i for i, place in enumerate(at.tolist()) if place in found]
            if there:
                raw = b"".join([found[place] for place in at[there].tolist()])
                self._keep(new[there], np.frombuffer(raw, np.float32).reshape(len(there), dim))
        slots = self._slots[columns]
        known = slots >= 0
        return columns[known], self._hot[slots[known]]

    @property
    def hot(self) -> bool:
        """Whether every vector is there."""
        return self._warm >= self.count

    @property
    def tepid(self) -> bool:
        """Whether all vectors would find room, and not all were read."""
        return self._read < self.count <= _HOT

    def warm(self, con: Any, owner: Owner, dim: int) -> None:
        """Read some of the vectors before anybody asks for them."""
        if self.tepid:
            end = min(self._read + _WARMED, self.count)
            self.vectors(con, owner, dim, np.arange(self._read, end))
            self._read = end

    def _cool(self) -> None:
        self._slots[:], self._warm, self._read = -1, 0, 0

    def _keep(self, columns: NDArray[np.intp], vectors: FloatArray) -> None:
        end = self._warm + len(columns)
        if end > len(self._hot):
            hot = np.empty((min(_HOT, max(_HOT_STEP, 2 * end)), vectors.shape[1]), np.float32)
            hot[: self._warm] = self._hot[: self._warm]
            self._hot = hot
        self._hot[self._warm : end] = vectors
        self._slots[columns] = np.arange(self._warm, end)
        self._warm = end

    def _add(self, places: list[int], numbers: list[int], raw: bytes) -> None:
        end = self.count + len(places)
        if end > len(self._numbers):
            self._grow(max(64, end + end // 4))
        self._places[self.count : end] = places
        self._numbers[self.count : end] = numbers
        self._slots[self.count : end] = -1
        self._words[:, self.count : end] = codes.words_of(raw)
        self.count, self.seq = end, places[-1]

    def _grow(self, size: int) -> None:
        def longer(a: Any) -> Any:
            out = np.empty((*a.shape[:-1], size), a.dtype)
            out[..., : self.count] = a[..., : self.count]
            return out

        self._numbers, self._places, self._at = longer(self._numbers), longer(self._places), longer(self._at)
        self._slots, self._words = longer(self._slots), longer(self._words)


def vectors_of(con: Any, owner: Owner, dim: int, column: str, values: Iterable[int]) -> tuple[Numbers, FloatArray]:
    """(memory numbers, vectors) of the rows of `embeddings` with these values."""
    rows = _rows(con, owner, column, sorted(values), of="memory_n")
    matrix = np.frombuffer(b"".join([r[1] for r in rows]), np.float32).reshape(len(rows), dim)
    return np.array([r[0] for r in rows], np.int64), matrix


def _rows(con: Any, owner: Owner, column: str, values: list[int], of: str = "seq") -> list[tuple[int, bytes]]:
    cursor = tuples(con).execute(
        f"SELECT {of}, vector FROM embeddings WHERE {column} IN (SELECT value FROM json_each(?))"
        " AND +user_id = ? AND +model_id = ?",
        (dump(values), *owner),
    )
    found: list[tuple[int, bytes]] = cursor.fetchall()
    return found
