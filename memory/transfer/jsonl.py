"""Ebb's own export: a header, one JSON object a line, an end that counts them. The same memories, the same bytes.

What is not in it: indexes and vectors of memories (derived anew), jobs, open questions, and the change log. An
import is one change of its own, so that it can be undone; what was changed before it cannot be undone in the new
store. Digests of tombstones are keyed by store and user: they are written as "the n-th form of that memory", and
made anew; those whose memory was erased keep the name of the key that made them.
"""

from __future__ import annotations

import json
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
from memory.ports import Tx
from memory.store.rows import dump
from memory.store.transfer import memory_of

FORMAT: Final = "ebb-memory"
VERSION: Final = 1
_COMES: Final = frozenset({"new", "newer"})
_HEADER: Final = {"type": FORMAT, "version": VERSION}
_BATCH: Final = 500
_IDS: Final = ("session", "message", "memory")
_KEYS: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(names.split())
    for kind, names in {
        "user": "lang tz settings",
        "session": "id scope opened_at last_at state title closed_at closed_why running_summary planned_through"
        " summarised_through extracted_through profile",
        "message": "id session_id turn_id role text at tz status hidden_at reply_to author",
        "memory": "id content original_content state rev sensitivity layer sources mentions log",
        "tombstone": "memory at set vector",
        "trace": "turn_id scope at mode late took_ms hits",
    }.items()
}
_WORDS: Final = ("id", "session_id", "scope", "state", "text", "content", "original_content", "memory", "turn_id")
_ENDS: Final = re.compile("[\x7f-\x9f\u2028\u2029]")
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
Lines: TypeAlias = Callable[[], Iterable[str]]  # the file from its beginning, each time it is called
Line: TypeAlias = Mapping[str, Json]


@dataclass(slots=True)
class Counts:
    """How many lines of each kind were written, and how many secrets were left out."""

    lines: Counter[str] = field(default_factory=Counter)
    withheld: int = 0


def forms(m: Memory) -> list[str]:
    """Every text that a tombstone of the memory may stand for, in an order that never changes."""
    was = [str(e["was"]) for e in m.correction_history if e.get("was")]
    return list(dict.fromkeys([m.original_content, m.content, *was, *sorted(said_forms(m))]))


def export(tx: Tx, write: Callable[[str], object], *, secrets: bool = False) -> Counts:
    """Write everything of one user, a line at a time. Secrets stay sealed, and at home unless they are asked for."""
    counts = Counts()
    write(_line(_HEADER))
    for line in tx.transfer.lines(forms, secrets=secrets):
        counts.lines[str(line["type"])] += 1
        counts.withheld += "secret" in line and line["secret"] is None
        write(_line(line))
    write(_line({"type": "end", "lines": sum(counts.lines.values())}))
    return counts


def _line(value: Line) -> str:
    """One line for every reader, also for those that end lines at other signs than a line feed."""
    return _ENDS.sub(lambda m: f"\\u{ord(m[0]):04x}", dump(value)) + "\n"


# --- import -------------------------------------------------------------------------------------------


def read(lines: Iterable[str]) -> Iterator[tuple[int, Line]]:
    """The lines with their numbers, the header's and the end's left out. Raises Unreadable."""
    n, told, ids = 0, None, {kind: set[str]() for kind in _IDS}
    for n, text in enumerate(lines, 1):
        if told is not None:
            raise Unreadable(f"Line {n}: there is something after the end.")
        line = _parsed(n, text)
        if n == 1:
            _check_header(line)
        elif line["type"] == "end":
            told = line.get("lines")
            if told != n - 2:
                raise Unreadable(f"Line {n}: {told} lines were written, {n - 2} are there.")
        else:
            _check(n, line)
            if line["type"] == "message" and line["session_id"] not in ids["session"]:
                raise Unreadable(f"Line {n}: the conversation of this message is not in the file.")
            if (own := ids.get(line["type"])) is not None:
                if line["id"] in own:
                    raise Unreadable(f"Line {n}: the {line['type']} {line['id']} is there twice.")
                own.add(line["id"])
            yield n, line
    if told is None:
        raise Unreadable(f"Line {n + 1}: the file ends too early; it was cut off.")


def _parsed(n: int, text: str) -> Line:
    try:
        line = json.loads(text)
    except ValueError:
        raise Unreadable(f"Line {n} is no JSON.") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise Unreadable(f"Line {n} has no type.")
    return line


def _check_header(line: Line) -> None:
    if line["type"] != FORMAT:
        raise Unreadable(f"Line 1 is not the header of an export of Ebb ({FORMAT}).")
    if not isinstance(line.get("version"), int) or not 1 <= line["version"] <= VERSION:
        raise Unreadable(f"Line 1: this export is of version {line.get('version')}; this Ebb reads up to {VERSION}.")


def _check(n: int, line: Line) -> None:
    wanted = _KEYS.get(line["type"])
    if wanted is None:
        raise Unreadable(f"Line {n}: nobody knows what “{str(line['type'])[:40]}” is.")
    if missing := sorted(wanted - line.keys()):
        raise Unreadable(f"Line {n}: {line['type']} lacks {', '.join(missing)}.")
    for name in _WORDS:
        if name in wanted and not isinstance(line[name], str) and not (name == "turn_id" and line[name] is None):
            raise Unreadable(f"Line {n}: {name} is no text.")
    for name in ("at", "opened_at", "last_at", "rev"):
        if name in wanted and (not isinstance(line[name], int) or isinstance(line[name], bool)):
            raise Unreadable(f"Line {n}: {name} is no number.")
    if line["type"] == "memory":
        try:
            memory_of(line)
        except (KeyError, TypeError, ValueError, OverflowError) as e:
            raise Unreadable(f"Line {n}: the memory cannot be read ({type(e).__name__}: {str(e)[:80]}).") from None


@dataclass(slots=True)
class Import:
    """One file into one user's store. `look` says what would come, `run` does it, inside one write.

    A memory that is there already is replaced only by a later state of it (`rev`); what was erased or forgotten
    here does not come back by it. Importing a file twice changes nothing.
    """

    lines: Lines
    opens: Callable[[str, str], bool] = lambda _id, _sealed: True  # whether this home's key opens a secret
    counts: Counter[str] = field(default_factory=Counter)
    brought: set[str] = field(default_factory=set)  # memories that came from this file
    moved: dict[str, str] = field(default_factory=dict)  # ids that are somebody else's in this store

    def look(self, tx: Tx) -> Counter[str]:
        """What would come of it, by kind: memory.new, memory.same … Raises Unreadable."""
        self.counts, self.brought = Counter(), set()
        self.moved = self._foreign(tx)
        for kind, batch in _batches(line for _, line in read(self.lines())):
            for _, verdict in self._judged(tx, kind, [self._local(line) for line in batch]):
                self.counts[f"{kind}.{verdict}"] += 1
        return self.counts

    def run(self, tx: Tx, now: datetime) -> str | None:
        """Do it; the id of the change set, None if nothing came. Raises Unreadable, and then nothing may be kept."""
        self.counts, self.brought = Counter(), set()
        self.moved = self._foreign(tx)
        begun = tx.changes.begin("user", "import", now)
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
        self._settle(tx, sessions)
        return begun.id if any(n for k, n in self.counts.items() if k.endswith((".new", ".newer"))) else None

    @staticmethod
    def _settle(tx: Tx, sessions: list[Line]) -> None:
        while sessions:
            tx.transfer.watermarks(sessions.pop())

    def _put(self, tx: Tx, kind: str, line: Line, verdict: str) -> str:
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
        elif kind == "tombstone":
            return verdict if t.put_tombstone(line, forms) else "same"
        elif not t.put_trace(line):
            return "same"
        return verdict

    # --- what becomes of each --------------------------------------------------------------------------

    def _judged(self, tx: Tx, kind: str, batch: list[Line]) -> Iterator[tuple[Line, str]]:
        if kind == "memory":
            yield from self._memories(tx, batch)
        elif kind in {"session", "message"}:
            there = tx.transfer.taken(kind, [line["id"] for line in batch])
            erased = tx.transfer.erased(line["id"] for line in batch)
            for line in batch:
                yield line, "same" if line["id"] in there else "erased" if line["id"] in erased else "new"
        elif kind == "tombstone":
            held = {m.id: m for m in tx.memories.many({line["memory"] for line in batch})}
            for line in batch:
                yield line, self._tombstone(tx, line, held.get(line["memory"]))
        elif kind == "trace":
            there = tx.transfer.taken("trace", [line["turn_id"] for line in batch])
            for line in batch:
                yield line, "same" if line["turn_id"] in there else "new"
        else:
            user = tx.user()
            for line in batch:
                more = (line["lang"] and not user.lang) or (line["tz"] and not user.tz)
                yield line, "new" if more or line["settings"].keys() - user.settings.keys() else "same"

    def _tombstone(self, tx: Tx, line: Line, m: Memory | None) -> str:
        if tx.transfer.buried(line, forms):
            return "same"
        own = m is not None and m.state is State.ACTIVE and m.id not in self.brought
        return "kept" if own else "new"

    def _memories(self, tx: Tx, batch: list[Line]) -> Iterator[tuple[Line, str]]:
        there = {m.id: m for m in tx.memories.many([line["id"] for line in batch])}
        erased = tx.transfer.erased(line["id"] for line in batch)
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
    def _against(tx: Tx, line: Line, old: Memory) -> str:
        own = tx.transfer.line_of(old)
        if {**own, "secret": 0} == {**line, "secret": 0}:
            return "same"
        return "newer" if line["rev"] > old.rev else "older"

    @staticmethod
    def _buried(tx: Tx, line: Line) -> bool:
        """Whether it says what was forgotten here on request: that is not undone by a file."""
        if line["state"] != State.ACTIVE or line["sensitivity"] == Sensitivity.SECRET or line["layer"] == "episode":
            return False
        return tx.tombstones.has(tx.tombstones.digest(str(line["original_content"])))

    # --- ids that somebody else has ----------------------------------------------------------------------

    def _foreign(self, tx: Tx) -> dict[str, str]:
        """Ids of another user's things in this store, and those that stand for them here: the same every time."""
        out: dict[str, str] = {}
        for kind, batch in _batches(line for _, line in read(self.lines())):
            if kind in _IDS:
                taken = tx.transfer.taken(kind, [line["id"] for line in batch])
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
