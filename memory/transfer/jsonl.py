"""Ebb's own export: a header, one JSON object a line, an end that counts them. The same memories,
the same bytes.

What is not in it: indexes and vectors of memories (derived anew), jobs, open questions and nightly
reports. What was done to each memory is in it, so that "as of" a day is answered in the new store
as in the old one, and a change from before can be undone there; an import is one change of its own,
and no part of that past. Digests of tombstones are keyed by store and user: they are written as
"the n-th form of that memory", and made anew; those whose memory was erased keep the name of the
key that made them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Final, TypeAlias

from memory.errors import Unreadable
from memory.learn.forget import _forms as said_forms
from memory.models import Json, Memory, Sensitivity, State
from memory.ports import Transaction
from memory.store.rows import dump
from memory.store.transfer import BROUGHT
from memory.text.notes import add_subjects
from memory.transfer.validate import FORMAT, IDS, VERSION, Line, read

_COMES: Final = frozenset({"new", "newer"})
_HEADER: Final = {"type": FORMAT, "version": VERSION}
_BATCH: Final = 500
_ENDS: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
Lines: TypeAlias = Callable[
    [], Iterable[str]
]  # the file from its beginning, each time it is called


@dataclass(slots=True)
class ExportCounts:
    """How many lines of each kind were written, and how many secrets were left out."""

    lines: Counter[str] = field(default_factory=Counter)
    withheld: int = 0


def list_tombstone_forms(m: Memory) -> list[str]:
    """Every text that a tombstone of the memory may stand for, in an order that never changes."""
    was = [str(e["was"]) for e in m.correction_history if e.get("was")]
    texts = [m.original_content, m.content, *was, *sorted(said_forms(m))]
    # An older version buried notes with their subject.
    return list(dict.fromkeys([*texts, *(old for text in texts for old in add_subjects(text))]))


def export(
    tx: Transaction, write: Callable[[str], object], *, secrets: bool = False
) -> ExportCounts:
    """Write everything of one user, a line at a time.

    Secrets stay sealed, and at home unless they are asked for.
    """
    counts = ExportCounts()
    write(_line(_HEADER))
    for line in tx.transfer.export_lines(list_tombstone_forms, secrets=secrets):
        counts.lines[str(line["type"])] += 1
        counts.withheld += "secret" in line and line["secret"] is None
        write(_line(line))
    write(_line({"type": "end", "lines": sum(counts.lines.values())}))
    return counts


def _line(value: Line) -> str:
    """One line for every reader, also for those that end lines at other signs than a line feed."""
    return _ENDS.sub(lambda m: f"\\u{ord(m[0]):04x}", dump(value)) + "\n"


# --- import ---


@dataclass(slots=True)
class JsonlImport:
    """One file into one user's store. `look` says what would come, `run` does it, inside one write.

    A memory that is there already is replaced only by a later state of it (`rev`); what was erased
    or forgotten here does not come back by it. Importing a file twice changes nothing.
    """

    lines: Lines
    opens: Callable[[str, str], bool] = lambda _id, _sealed: (
        True
    )  # whether this home's key opens a secret
    counts: Counter[str] = field(default_factory=Counter)
    brought: set[str] = field(default_factory=set)  # memories that came from this file
    moved: dict[str, str] = field(
        default_factory=dict
    )  # ids that are somebody else's in this store
    told: dict[str, str] = field(default_factory=dict)  # the set that told of a memory last

    def look(self, tx: Transaction) -> Counter[str]:
        """What would come of it, by kind: memory.new, memory.same … Raises Unreadable."""
        self.counts, self.brought = Counter(), set()
        self.moved = self._foreign(tx)
        for kind, batch in _batches(line for _, line in read(self.lines())):
            for _, verdict in self._judged(tx, kind, [self._local(line) for line in batch]):
                self.counts[f"{kind}.{verdict}"] += 1
        return self.counts

    def run(self, tx: Transaction, now: datetime) -> str | None:
        """Do it; the id of the change set, None if nothing came.

        Raises Unreadable, and then nothing may be kept.
        """
        self.counts, self.brought, self.told = Counter(), set(), {}
        self.moved = self._foreign(tx)
        begun = tx.changes.begin("user", BROUGHT, now)
        sessions: list[Line] = []
        for kind, batch in _batches(line for _, line in read(self.lines())):
            if kind not in {"session", "message"}:
                self._settle(tx, sessions)
            judged = list(self._judged(tx, kind, [self._local(line) for line in batch]))
            if kind == "memory":
                tx.transfer.put_memories([line for line, verdict in judged if verdict in _COMES])
            for line, verdict in judged:
                done = verdict if verdict not in _COMES else self._put(tx, kind, line, verdict)
                self.counts[f"{kind}.{done}"] += 1
                if kind == "session" and done == "new":
                    sessions.append(line)
                if kind == "set":
                    self.told |= dict.fromkeys((c[1] for c in line["changes"]), line["id"])
        self._settle(tx, sessions)
        return (
            begun.id
            if any(n for k, n in self.counts.items() if k.endswith((".new", ".newer")))
            else None
        )

    @staticmethod
    def _settle(tx: Transaction, sessions: list[Line]) -> None:
        while sessions:
            tx.transfer.restore_watermarks(sessions.pop())

    def _put(self, tx: Transaction, kind: str, line: Line, verdict: str) -> str:
        t = tx.transfer
        if kind == "user":
            user = tx.user()
            tx.put_user(
                replace(
                    user,
                    lang=user.lang or line["lang"],
                    tz=user.tz or line["tz"],
                    settings={**line["settings"], **user.settings},
                )
            )
        elif kind == "session":
            t.put_session(line)
        elif kind == "message":
            t.put_message(line)
        elif kind == "memory":
            if line.get("secret") and not self.opens(line["id"], line["secret"]):
                self.counts["secret.locked"] += 1
        elif kind == "set":
            return verdict if self._past(tx, line) else "same"
        elif kind == "tombstone":
            return verdict if t.put_tombstone(line, list_tombstone_forms) else "same"
        elif not t.put_trace(line):
            return "same"
        return verdict

    def _past(self, tx: Transaction, line: Line) -> bool:
        try:
            return tx.transfer.put_set(line, self.told)
        except (KeyError, TypeError, ValueError, OverflowError) as e:
            raise Unreadable(
                f"The change {line['id']} cannot be read ({type(e).__name__})."
            ) from None

    # --- what becomes of each ---

    def _judged(self, tx: Transaction, kind: str, batch: list[Line]) -> Iterator[tuple[Line, str]]:
        if kind == "memory":
            yield from self._memories(tx, batch)
        elif kind == "set":
            yield from self._sets(tx, batch)
        elif kind in {"session", "message"}:
            there = tx.transfer.list_taken_ids(kind, [line["id"] for line in batch])
            erased = tx.transfer.list_erased_ids(line["id"] for line in batch)
            for line in batch:
                yield (
                    line,
                    "same" if line["id"] in there else "erased" if line["id"] in erased else "new",
                )
        elif kind == "tombstone":
            held = {m.id: m for m in tx.memories.get_many({line["memory"] for line in batch})}
            for line in batch:
                yield line, self._tombstone(tx, line, held.get(line["memory"]))
        elif kind == "trace":
            there = tx.transfer.list_taken_ids("trace", [line["turn_id"] for line in batch])
            for line in batch:
                yield line, "same" if line["turn_id"] in there else "new"
        else:
            user = tx.user()
            for line in batch:
                more = (line["lang"] and not user.lang) or (line["tz"] and not user.tz)
                yield (
                    line,
                    "new" if more or line["settings"].keys() - user.settings.keys() else "same",
                )

    def _sets(self, tx: Transaction, batch: list[Line]) -> Iterator[tuple[Line, str]]:
        """Those about memories that are here or come: of what was erased or forgotten nothing is told."""
        ids = [line["id"] for line in batch]
        there, erased = tx.transfer.list_taken_ids("set", ids), tx.transfer.list_erased_ids(ids)
        held = {
            m.id for m in tx.memories.get_many({c[1] for line in batch for c in line["changes"]})
        } | self.brought
        for line in batch:
            about = any(c[1] in held for c in line["changes"])
            yield (
                line,
                "same" if line["id"] in there or line["id"] in erased or not about else "new",
            )

    def _tombstone(self, tx: Transaction, line: Line, m: Memory | None) -> str:
        if tx.transfer.has_tombstone(line, list_tombstone_forms):
            return "same"
        own = m is not None and m.state is State.ACTIVE and m.id not in self.brought
        return "kept" if own else "new"

    def _memories(self, tx: Transaction, batch: list[Line]) -> Iterator[tuple[Line, str]]:
        there = {m.id: m for m in tx.memories.get_many([line["id"] for line in batch])}
        erased = tx.transfer.list_erased_ids(line["id"] for line in batch)
        for line in batch:
            old = there.get(line["id"])
            if old is not None:
                verdict = self._against(tx, line, old)
            elif line["id"] in erased:
                verdict = "erased"
            else:
                verdict = "forgotten" if self._buried(tx, line) else "new"
            if verdict in _COMES:
                self.brought.add(line["id"])
            yield line, verdict

    @staticmethod
    def _against(tx: Transaction, line: Line, old: Memory) -> str:
        own = tx.transfer.export_line(old)
        if {**own, "secret": 0} == {**line, "secret": 0}:
            return "same"
        return "newer" if line["rev"] > old.rev else "older"

    @staticmethod
    def _buried(tx: Transaction, line: Line) -> bool:
        """Whether it says what was forgotten here on request: that is not undone by a file."""
        if (
            line["state"] != State.ACTIVE
            or line["sensitivity"] == Sensitivity.SECRET
            or line["layer"] == "episode"
        ):
            return False
        return tx.tombstones.has(tx.tombstones.compute_digest(str(line["original_content"])))

    # --- ids that somebody else has ---

    def _foreign(self, tx: Transaction) -> dict[str, str]:
        """Ids of another user's things in this store, and those that stand for them here: the same every time."""
        out: dict[str, str] = {}
        for kind, batch in _batches(line for _, line in read(self.lines())):
            if kind in IDS:
                taken = tx.transfer.list_taken_ids(kind, [line["id"] for line in batch])
                out |= {i: _stand_in(tx.user_id, i) for i, mine in taken.items() if not mine}
        return out

    def _local(self, line: Line) -> Line:
        return _renamed(line, self.moved) if self.moved else line


def _batches(lines: Iterable[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Lines of one kind that follow each other, at most so many at once."""
    batch: list[Line] = []
    for line in lines:
        if batch and (batch[0]["type"] != line["type"] or len(batch) == _BATCH):
            yield batch[0]["type"], batch
            batch = []
        batch.append(line)
    if batch:
        yield batch[0]["type"], batch


def _stand_in(user_id: str, old: str) -> str:
    n = int.from_bytes(sha256(f"{user_id}:{old}".encode()).digest()[:8], "big")
    return "x" + "".join(_DIGITS[(n >> (5 * i)) & 31] for i in range(11))


def _renamed(value: Json, moved: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {moved.get(k, k): _renamed(v, moved) for k, v in value.items()}
    if isinstance(value, list):
        return [_renamed(v, moved) for v in value]
    return moved.get(value, value) if isinstance(value, str) else value
