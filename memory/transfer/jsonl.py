"""Ebb's own export: a header, one JSON object a line, an end that counts them.

The same memories give the same bytes.

What is not in it: indexes and vectors of memories (derived anew), jobs, open questions and nightly
reports. What was done to each memory is in it, so that "as of" a day is answered in the new store
as in the old one, and a change from before can be undone there; an import is one change of its own,
and no part of that past. Digests of tombstones are keyed by store and user: they are written as
"the n-th form of that memory", and made anew; those whose memory was erased keep the name of the
key that made them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from itertools import groupby, islice
from typing import Final, TypeAlias

from memory.errors import Unreadable
from memory.learn.forget import list_said_forms as said_forms
from memory.models import Json, Memory, Sensitivity, State
from memory.ports import Transaction
from memory.store.rows import dump
from memory.store.transfer import BROUGHT, parse_memory
from memory.text.notes import add_subjects
from memory.transfer.formats import clean_values

FORMAT: Final = "ebb-memory"
VERSION: Final = 1
_IDS: Final = ("session", "message", "memory", "set")
_COMES: Final = frozenset({"new", "newer"})
_HEADER: Final = {"type": FORMAT, "version": VERSION}
_BATCH: Final = 500
_ENDS: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
Line: TypeAlias = Mapping[str, Json]
Lines: TypeAlias = Callable[[], Iterable[str]]  # the file from its beginning at each call


@dataclass(slots=True)
class ExportCounts:
    """How many lines of each kind were written, and how many secrets were left out."""

    lines: Counter[str] = field(default_factory=Counter)
    withheld: int = 0


def list_tombstone_forms(m: Memory) -> list[str]:
    """List every text that a tombstone of the memory may stand for, in order."""
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
    # Some readers end lines at other signs than a line feed.
    return _ENDS.sub(lambda m: f"\\u{ord(m[0]):04x}", dump(value)) + "\n"


# --- reading ---


def read(lines: Iterable[str]) -> Iterator[Line]:
    """Yield the lines between header and end, each checked. Raises Unreadable."""
    n, told, ids = 0, None, {kind: set[str]() for kind in _IDS}
    for n, text in enumerate(lines, 1):
        if told is not None:
            raise Unreadable(f"Line {n}: there is something after the end.")
        try:
            line = clean_values(json.loads(text))
            kind = line["type"]
        except ValueError:
            raise Unreadable(f"Line {n} is no JSON.") from None
        except (KeyError, TypeError):
            raise Unreadable(f"Line {n} has no type.") from None
        if n == 1:
            _check_header(line)
        elif kind == "end":
            told = line.get("lines")
            if told != n - 2:
                raise Unreadable(f"Line {n}: {told} lines were written, {n - 2} are there.")
        else:
            _check_line(n, str(kind), line)
            if kind == "message" and line["session_id"] not in ids["session"]:
                raise Unreadable(f"Line {n}: the conversation of this message is not in the file.")
            if line.get("id") in (own := ids.get(kind, set())):
                raise Unreadable(f"Line {n}: the {kind} {line['id']} is there twice.")
            own.add(line.get("id"))
            yield line
    if told is None:
        raise Unreadable(f"Line {n + 1}: the file ends too early; it was cut off.")


def _check_header(line: Line) -> None:
    if line["type"] != FORMAT:
        raise Unreadable(f"Line 1 is not the header of an export of Ebb ({FORMAT}).")
    if line.get("version") not in range(1, VERSION + 1):
        told = f"this export is of version {line.get('version')}"
        raise Unreadable(f"Line 1: {told}; this Ebb reads up to {VERSION}.")


def _check_line(n: int, kind: str, line: Line) -> None:
    from pydantic import ValidationError

    from memory.transfer.schemas import LINES  # here: defining them takes long

    if kind not in LINES:
        raise Unreadable(f"Line {n}: nobody knows what “{kind[:40]}” is.")
    try:
        LINES[kind].model_validate(line)
        if kind == "memory":
            parse_memory(line)
    except ValidationError as e:
        errors = e.errors(include_input=False, include_url=False)
        where = ".".join(map(str, errors[0]["loc"])) or kind
        why = f"{where} cannot be read ({errors[0]['msg']})"
        if missing := sorted(str(x["loc"][0]) for x in errors if x["type"] == "missing"):
            why = f"{kind} lacks {', '.join(missing)}"
        raise Unreadable(f"Line {n}: {why}.") from None
    except (KeyError, TypeError, ValueError, OverflowError) as e:
        why = f"{type(e).__name__}: {str(e)[:80]}"
        raise Unreadable(f"Line {n}: the memory cannot be read ({why}).") from None


# --- import ---


@dataclass(slots=True)
class JsonlImport:
    """One file into one user's store.

    A memory that is there already is replaced only by a later state of it (`rev`); what was erased
    or forgotten here does not come back by it. Importing a file twice changes nothing. `opens`
    tells whether this home's key opens a secret; `brought` are memories that came from this file,
    `moved` ids that are somebody else's in this store, and `told` the set that told of a memory
    last.
    """

    lines: Lines
    opens: Callable[[str, str], bool]
    counts: Counter[str] = field(default_factory=Counter)
    brought: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)

    def run(self, tx: Transaction, now: datetime) -> str:
        """Take the file in; return the id of the change set.

        Raises Unreadable, and then nothing may be kept.
        """
        begun = tx.changes.begin("user", BROUGHT, now)
        self._find_foreign_ids(tx)
        sessions: list[Line] = []
        for kind, found in _batches(read(self.lines())):
            batch = [_renamed(line, self.moved) for line in found] if self.moved else found
            if kind not in {"session", "message"}:
                self._settle(tx, sessions)
            judged = list(zip(batch, self._judge(tx, kind, batch), strict=True))
            if kind == "memory":
                fresh = [line for line, verdict in judged if verdict in _COMES]
                self.brought |= {line["id"] for line in fresh}
                tx.transfer.put_memories(fresh)
            for line, verdict in judged:
                comes = verdict in _COMES
                done = "same" if comes and not self._put(tx, kind, line) else verdict
                self.counts[f"{kind}.{done}"] += 1
                if kind == "session" and comes:
                    sessions.append(line)
                if kind == "set":
                    self.told |= dict.fromkeys((c[1] for c in line["changes"]), line["id"])
        self._settle(tx, sessions)
        return begun.id

    @staticmethod
    def _settle(tx: Transaction, sessions: list[Line]) -> None:
        while sessions:
            tx.transfer.restore_watermarks(sessions.pop())

    def _put(self, tx: Transaction, kind: str, line: Line) -> bool:
        """Write one line; False if it was here after all."""
        t = tx.transfer
        if kind == "user":
            user = tx.user()
            lang, tz = user.lang or line["lang"], user.tz or line["tz"]
            settings = {**line["settings"], **user.settings}
            tx.put_user(replace(user, lang=lang, tz=tz, settings=settings))
        elif kind == "session":
            t.put_session(line)
        elif kind == "message":
            t.put_message(line)
        elif kind == "memory":
            if line.get("secret") and not self.opens(line["id"], line["secret"]):
                self.counts["secret.locked"] += 1
        elif kind == "set":
            try:
                return t.put_set(line, self.told)
            except (KeyError, TypeError, ValueError, OverflowError) as e:
                why = f"The change {line['id']} cannot be read ({type(e).__name__})."
                raise Unreadable(why) from None
        elif kind == "tombstone":
            return t.put_tombstone(line, list_tombstone_forms)
        else:
            return t.put_trace(line)
        return True

    # --- what becomes of each ---

    def _judge(self, tx: Transaction, kind: str, batch: list[Line]) -> Iterator[str]:
        """Yield for each line whether it is new, newer, or why it is left out."""
        t, user = tx.transfer, tx.user()
        ids = [str(line.get("id") or line.get("turn_id") or line.get("memory")) for line in batch]
        erased = t.list_erased_ids(ids)
        there = t.list_taken_ids(kind, ids) if kind not in {"user", "tombstone"} else {}
        about = {c[1] for line in batch for c in line["changes"]} if kind == "set" else set(ids)
        held = {m.id: m for m in tx.memories.get_many(about)}
        for i, line in zip(ids, batch, strict=True):
            if kind == "memory":
                yield self._judge_memory(tx, line, held.get(i), erased=i in erased)
            elif kind == "tombstone":
                m = held.get(i)
                own = m is not None and m.state is State.ACTIVE and i not in self.brought
                here = t.has_tombstone(line, list_tombstone_forms)
                yield "same" if here else "kept" if own else "new"
            elif kind == "user":
                more = (line["lang"] and not user.lang) or (line["tz"] and not user.tz)
                more = more or line["settings"].keys() - user.settings.keys()
                yield "new" if more else "same"
            elif kind == "set":  # of what was erased or forgotten nothing is told
                known = any(c[1] in held or c[1] in self.brought for c in line["changes"])
                yield "new" if known and i not in there and i not in erased else "same"
            elif i in there:
                yield "same"
            else:
                yield "erased" if i in erased and kind != "trace" else "new"

    @staticmethod
    def _judge_memory(tx: Transaction, line: Line, old: Memory | None, *, erased: bool) -> str:
        if old is not None:
            same = {**tx.transfer.export_line(old), "secret": 0} == {**line, "secret": 0}
            return "same" if same else "newer" if line["rev"] > old.rev else "older"
        if erased:
            return "erased"
        # What was forgotten here on request is not undone by a file that says it again.
        said = line["state"] == State.ACTIVE and line["layer"] != "episode"
        digest = tx.tombstones.compute_digest(str(line["original_content"]))
        secret = line["sensitivity"] == Sensitivity.SECRET
        return "forgotten" if said and not secret and tx.tombstones.has(digest) else "new"

    def _find_foreign_ids(self, tx: Transaction) -> None:
        """Find ids of another user's things here, and give each the same stand-in always."""
        for kind, batch in _batches(read(self.lines())):
            if kind in _IDS:
                for i, mine in tx.transfer.list_taken_ids(kind, [x["id"] for x in batch]).items():
                    if not mine:
                        self.moved[i] = derive_id("x", 11, tx.user_id, i)


def _batches(lines: Iterable[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Yield lines of one kind that follow each other, at most so many at once."""
    for kind, run in groupby(lines, key=lambda line: str(line["type"])):
        while batch := list(islice(run, _BATCH)):
            yield kind, batch


def derive_id(sign: str, length: int, *parts: str) -> str:
    """Make an id from what names a thing elsewhere, the same every time."""
    n = int.from_bytes(sha256(":".join(parts).encode()).digest()[:8], "big")
    return sign + "".join(_DIGITS[(n >> (5 * i)) & 31] for i in range(length))


def _renamed(value: Json, moved: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {moved.get(k, k): _renamed(v, moved) for k, v in value.items()}
    if isinstance(value, list):
        return [_renamed(v, moved) for v in value]
    return moved.get(value, value) if isinstance(value, str) else value
