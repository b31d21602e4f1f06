"""Purge: one memory leaves every place that holds it or says its words; and the proof that it has.

What carries its text elsewhere is treated by how closely it is tied to the memory: messages it was
learned from or counted in lose their text (only the telling sentences, where they are still shown
because they also taught something else), replies, titles, summaries and other memories lose the
sentences that say it, and logs lose the entry's content. The tombstone's digest stays, so that the
thing is not learned again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from memory.errors import NotFound
from memory.index.text import list_search_terms, normalised, segment_text
from memory.models import Job, Json, Layer, Memory, MemoryId, Session, State
from memory.store.connection import list_database_errors, open_connection
from memory.store.documents import DocumentGateway
from memory.store.memories import MemoryGateway, drop_terms, put_terms, unlink_entities
from memory.store.mirror import MirrorGateway
from memory.store.rows import AMONG, MEMORY_SELECT, dump, json_from_row, list_values, to_ms
from memory.store.sqlite_module import choose
from memory.store.traces import NightGateway, TraceGateway
from memory.store.transaction import Gateway, retire_id
from memory.store.vectors import VectorGateway

NOTHING_LEFT: Final = "…"
_NESTED: Final = (
    *("supersedes", "merged_from", "source_ids"),
    *("original_contents", "correction_history"),
)
_PLACES: Final = {"memory_sources": "sources", "recall_hits": "traces"}  # in a receipt
_ID_FIELDS: Final = ("merged_into", "compressed_from")
_SENTENCE: Final = re.compile(r"[^.!?。！？;；\n]*[.!?。！？;；\n]*\s{0,9}")
_TELLING: Final = 0.6  # of the memory's own words in one sentence: it says the same thing
_FEW: Final = 3  # spaces around one or two words
# bytes: shorter words stand in any large database by chance, so only its values are searched
SHORTEST: Final = 4
_PIECE: Final = 4 << 20
_OVERLAP: Final = 4096  # longer than any words that somebody types
ORDINARY_TABLES: Final = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
)
_WIDE: Final = r"\u3040-\u30ff\u3400-\u9fff"
_UNIT: Final = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")


@dataclass(slots=True)
class PurgeGateway(MemoryGateway):
    """`memory.ports.MemoryTable`, with what removes a memory for good."""

    def erase(self, memory_id: MemoryId, *, everywhere: bool = True) -> Mapping[str, int]:
        m = self.get(memory_id)
        if m is None:
            raise NotFound(f"There is no memory {memory_id}.")
        for derived in self.list_derived():
            if m.id in derived.source_ids:
                self.erase(derived.id, everywhere=False)
        (n,) = self._values("SELECT n FROM memories WHERE id = ?", m.id)
        return _Erasure(self.tx, m, n, _texts_of(m) if everywhere else MemoryTexts([])).run(
            everywhere=everywhere
        )


def _texts_of(m: Memory) -> MemoryTexts:
    found = [m.content, m.original_content, *m.original_contents.values()]
    for entry in m.correction_history:
        found.extend(v for v in entry.values() if isinstance(v, str) and len(v) > 16)
    return MemoryTexts(found)


@dataclass(slots=True)
class _Erasure(Gateway):
    """One memory's way out of every place."""

    m: Memory
    n: int
    texts: MemoryTexts

    def run(self, *, everywhere: bool) -> Mapping[str, int]:
        """Remove it; return how many rows went from, or were cleaned in, which place."""
        tx, m, receipt = self.tx, self.m, Counter[str]()
        receipt["messages"] = self._clean_messages() if everywhere else 0
        receipt["summaries"] = self._clean_sessions()
        for table in ("memory_sources", "mentions", "weight_log", "secrets", "recall_hits"):
            place = _PLACES.get(table, table)
            receipt[place] = self._run(f"DELETE FROM {table} WHERE memory_id = ?", m.id)
        receipt["index"] = drop_terms(self.con, [self.n])
        receipt["vectors"] = VectorGateway(tx).drop({self.n: m.id}) + self._run(
            "UPDATE tombstones SET vector = NULL, model_id = NULL"
            " WHERE user_id = ? AND memory_id = ? AND vector IS NOT NULL",
            *(self.owner, m.id),
        )
        tx.dropped.pop(m.id, None)
        tx.unembedded.pop(m.id, None)
        receipt["entities"] = unlink_entities(self.con, self.n)
        receipt["jobs"] = self._clean_jobs()
        # Drafts may say it, too.
        self._run("DELETE FROM meta WHERE key = ?", f"unsent:{self.owner}")
        receipt["choices"] = self._drop_questions("choices", "payload")
        receipt["proposals"] = self._drop_questions("proposals", "text || ' ' || data")
        receipt["memories"] = self._run("DELETE FROM memories WHERE n = ?", self.n)
        receipt["reports"] = NightGateway(tx).clean(m.id)
        receipt["other_memories"] = self._clean_memories()
        receipt["changes"] = self._clean_changes()
        receipt["unread"] = MirrorGateway(tx).clean(self.texts.without)
        retire_id(self.con, m.id)
        tx.record("memory", m.id, "purged", None, None)
        return dict(receipt)

    def _clean_messages(self) -> int:
        """Clean what taught it or counted for it, the turns around that and of its recalls.

        Of a whole conversation, which an episode comes from, only the sentences that say it.
        """
        memories, tx = MemoryGateway(self.tx), self.tx
        told = {*memories.list_sources(self.m.id), *memories.list_mentions(self.m.id)}
        whole = told if self.m.layer is not Layer.EPISODE else frozenset()
        turns = TraceGateway(tx).list_recalling_turns(self.m.id)
        rows = self._rows(
            f"SELECT g.* FROM messages g WHERE g.user_id = ? AND (g.id {AMONG} OR g.turn_id {AMONG}"
            f" OR g.turn_id IN (SELECT turn_id FROM messages WHERE user_id = ? AND id {AMONG}))",
            *(self.owner, told, turns, self.owner, told),
        )
        shared = self._values(
            "SELECT s.message_id FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
            " WHERE s.user_id = ? AND s.memory_id != ? AND m.state NOT IN ('deleted', 'forgotten')",
            *(self.owner, self.m.id),
        )
        count = 0
        for row in rows:
            left = self.texts.without(row["text"])
            if row["id"] in whole:
                # Where nothing that is still remembered needs it, nothing stays; nor where it
                # taught this memory in words of its own, so that no sentence can be singled out.
                needed = row["hidden_at"] is None and row["id"] in shared
                left = left if needed and left != row["text"] else ""
            if left == row["text"]:
                continue
            hidden = row["at"] if not left and row["hidden_at"] is None else row["hidden_at"]
            self._update("messages", {"text": left, "hidden_at": hidden}, seq=row["seq"])
            DocumentGateway(tx).follow_message(row["id"], left, hidden)
            tx.record("message", row["id"], "purged", None, {"session_id": row["session_id"]})
            count += 1
        return count

    def _clean_sessions(self) -> int:
        count = 0
        for session in self._own(Session, "1"):
            told = {n: getattr(session, n) for n in ("title", "running_summary")}
            left = {n: self.texts.without(text) for n, text in told.items()}
            if left != told:
                count += self._update("sessions", left, id=session.id)
        return count

    def _clean_jobs(self) -> int:
        """Drop work on this memory alone, and take it out of work on several."""
        jobs = self._own(
            Job,
            "(instr(payload, ?) OR instr(COALESCE(result, ''), ?) OR instr(dedup_key, ?))",
            *(f'"{self.m.id}"', f'"{self.m.id}"', self.m.id),
        )
        for job in jobs:
            left, result = self._clean_value(job.payload), self._clean_value(job.result)
            emptied = any(v and not left.get(k) for k, v in job.payload.items())
            if emptied or left == job.payload:
                self._run("DELETE FROM jobs WHERE id = ?", job.id)
            else:
                self._update("jobs", {"payload": left, "result": result}, id=job.id)
        return len(jobs)

    def _drop_questions(self, table: str, column: str) -> int:
        """Delete questions that name the memory or say its words."""
        rows = self._rows(f"SELECT n, {column} AS said FROM {table} WHERE user_id = ?", self.owner)
        naming = [
            r["n"] for r in rows if f'"{self.m.id}"' in r["said"] or self.texts.said_in(r["said"])
        ]
        return self._run(f"DELETE FROM {table} WHERE n {AMONG}", naming)

    def _clean_memories(self) -> int:
        """Clean others of links, originals and corrections, and what was derived from it.

        What somebody said anew, in a memory of its own, stays as it is: nothing is lost unless its
        owner says so. A derived memory of which nothing is left is deleted.
        """
        tx, count = self.tx, 0
        for row in self._rows(
            f"SELECT m.n, {MEMORY_SELECT} FROM memories m WHERE m.user_id = ?", self.owner
        ):
            every = "\n".join(v for v in row if isinstance(v, str))
            if self.m.id not in every and not self.texts.may_be_in(every):
                continue
            old = json_from_row(row)
            new = self._clean_copy(old)
            if new == old:
                continue
            if new["original_content"] == NOTHING_LEFT:
                new |= {"state": State.DELETED.value, "deleted_at": to_ms(tx.shared.clock())}
            new["rev"] += 1  # whoever read it before must not write the words back
            self._update("memories", new, n=row["n"])
            if new["original_content"] != old["original_content"]:
                self._reindex(row["n"], new)
            tx.record("memory", row["id"], "updated", None, new)
            count += 1
        return count

    def _reindex(self, n: int, row: Mapping[str, Any]) -> None:
        stays = row["state"] != State.DELETED.value
        if drop_terms(self.con, [n]) and stays:
            put_terms(self.con, [(n, row["original_content"])])
        if VectorGateway(self.tx).drop({n: row["id"]}):
            self.tx.dropped.pop(row["id"], None)
            if stays:
                self.tx.unembedded[row["id"]] = None

    def _clean_copy(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a memory as JSON without this one's id and words."""
        own, new = self.m.id, dict(row)
        for k in _NESTED:
            if k in new:
                new[k] = self._clean_value(new[k])
        for k in _ID_FIELDS:
            if new.get(k) == own:
                new[k] = None
        derived = row.get("layer") == Layer.EPISODE or row.get("compressed_from") == own
        if derived or any(own in row.get(k, ()) for k in ("merged_from", "source_ids")):
            originals = new.get("original_contents", {}).values()
            rest = " ".join(v for v in originals if v) or NOTHING_LEFT
            for k in ("content", "original_content"):
                if isinstance(new.get(k), str) and self.texts.said_in(new[k]):
                    new[k] = self.texts.without(new[k]) or rest
        return new

    def _clean_value(self, value: Json) -> Json:
        if isinstance(value, list):
            cleaned = [self._clean_value(v) for v in value if v != self.m.id]
            return [c for c in cleaned if c not in ("", {})]
        if isinstance(value, Mapping):
            if self.m.id in value.values():
                return {}
            items = {k: self._clean_value(v) for k, v in value.items() if k != self.m.id}
            return {k: v for k, v in items.items() if v != "" or value[k] == ""}
        if isinstance(value, str) and self.texts.said_in(value):
            return self.texts.without(value)
        return value

    def _clean_changes(self) -> int:
        """Blank its own entries, and clean others' or blank them where it still shows."""
        count = self._run(
            "UPDATE changes SET before = NULL, after = NULL WHERE user_id = ? AND entity_id = ?"
            " AND (before IS NOT NULL OR after IS NOT NULL)",
            *(self.owner, self.m.id),
        )
        for seq, entity, *held in self._rows(
            "SELECT seq, entity, before, after FROM changes WHERE user_id = ?"
            " AND (entity IN ('memory', 'job') OR instr(COALESCE(after, ''), ?))",
            *(self.owner, self.m.id),
        ):
            clean = [self._clean_entry(entity, side) for side in held]
            if [c is None for c in clean] != [h is None for h in held]:
                clean = [None, None]  # half an entry would make an undo do something else
            if clean != held:
                self._run("UPDATE changes SET before = ?, after = ? WHERE seq = ?", *clean, seq)
                count += 1
        return count

    def _clean_entry(self, entity: str, text: str | None) -> str | None:
        if text is None or not (self.m.id in text or self.texts.said_in(text)):
            return text
        clean = self._clean_copy if entity == "memory" else self._clean_value
        left = dump(clean(json.loads(text)))
        return None if self.texts.said_in(left) else left


# --- which texts, and which of their sentences, say what a purged memory says ---


class MemoryTexts:
    """The memory's texts, and how to find them elsewhere."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted({t.strip() for t in texts if t.strip()}, key=len, reverse=True)
        self.flat = [_flat(t) for t in self.texts]
        self.words = [frozenset(list_search_terms(t)) for t in self.texts]
        self._longest = [sorted(set(x.split()), key=len, reverse=True) for x in self.flat]

    def may_be_in(self, text: str) -> bool:
        """Tell, quickly, whether all the words of one of them stand in it somewhere."""
        folded = unicodedata.normalize("NFKC", text).casefold()
        return any(all(word in folded for word in own) for own in self._longest)

    def said_in(self, text: str) -> bool:
        """Tell whether it says one, but for case, width and punctuation; few words only alone."""
        if not self.may_be_in(text):
            return False
        found = _flat(text)
        return any(
            x in found if x.count(" ") > _FEW else x == found for x in self.flat if x.strip()
        )

    def told_by(self, sentence: str) -> bool:
        """Tell whether most of the memory's own words stand in one sentence."""
        if self.said_in(sentence):
            return True
        there = frozenset(list_search_terms(sentence))
        return any(own and len(own & there) >= _TELLING * len(own) for own in self.words)

    def without(self, text: str) -> str:
        """Return `text` without the sentences that tell it."""
        left = "".join(s for s in _SENTENCE.findall(text) if s and not self.told_by(s))
        # A text that says it across sentence ends has no telling sentence of its own: all of it
        # goes.
        return "" if self.said_in(left) else left.strip() if left.strip() != text.strip() else text


def _flat(text: str) -> str:
    """Words, and CJK characters, between single spaces, so that no word is found inside another."""
    return f" {normalised(segment_text(text))} "


# --- proof: where words still stand in any byte of a home; only reads, also while Ebb runs ---


def find_words_in_files(home: Path, words: str) -> list[tuple[str, str, int]]:
    """List places below `home` where the words stand, whatever their case and spacing.

    (file, `table.column` or "" for the bytes alone, how many). Raises ValueError if there is no
    word.
    """
    units = _UNIT.findall(words)
    if not units:
        raise ValueError("no word to look for")
    pattern, out = _pattern(units), list[tuple[str, str, int]]()
    for path in sorted(p for p in home.rglob("*") if p.is_file()):
        name, n = path.relative_to(home).as_posix(), 0
        with suppress(FileNotFoundError), path.open("rb") as f:  # it may go meanwhile
            is_database = f.read(16) == b"SQLite format 3\0"
            if is_database:
                out += [(name, where, n) for where, n in sorted(_rows(path, pattern).items())]
            if not is_database or len("".join(units).encode()) >= SHORTEST:
                f.seek(0)
                n = _times(f, units[0].lower(), pattern)
        out += [(name, "", n)] if n else []
    return out


def _pattern(units: list[str]) -> re.Pattern[str]:
    """Match the words in a text: between Latin ones no letter, else a sign or two at most."""
    wide = [bool(re.match(f"[{_WIDE}]", u)) for u in units]
    out = "" if wide[0] else r"(?<![^\W_])"
    for i, unit in enumerate(units):
        out += (
            "" if not i else r"[\W_]{0,2}" if wide[i] or wide[i - 1] else r"[\W_]{1,4}"
        ) + re.escape(unit)
    return re.compile(out if wide[-1] else out + r"(?![^\W_])", re.I)


def _times(f: IO[bytes], first: str, pattern: re.Pattern[str]) -> int:
    """Count them in the bytes, as UTF-8 (JSON with escapes too) or as UTF-16 at any place."""
    count, piece = 0, b""
    while more := f.read(_PIECE):
        piece = piece[-_OVERLAP:] + more
        wide = [
            piece[at:].decode(how, "ignore") for how in ("utf-16-le", "utf-16-be") for at in (0, 1)
        ]
        texts = [_unescaped(piece.decode("utf-8", "replace")), *wide]
        plain, *others = (len(pattern.findall(t)) if first in t.lower() else 0 for t in texts)
        count += plain + max(others)
    return count


def _unescaped(text: str) -> str:
    return (
        _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else " ", text) if "\\" in text else text
    )


def _rows(path: Path, pattern: re.Pattern[str]) -> Counter[str]:
    """Rows by `table.column` whose value says the words; none if it is damaged."""
    found: Counter[str] = Counter()
    with (
        suppress(*list_database_errors()),
        closing(open_connection(choose(), path, read_only=True)) as con,
    ):
        con.execute("BEGIN")
        for table in list_values(con, ORDINARY_TABLES):
            for row in con.execute(f'SELECT * FROM "{table}"'):
                said = ((c, v) for c, v in dict(row).items() if isinstance(v, str))
                found.update(f"{table}.{c}" for c, v in said if pattern.search(_unescaped(v)))
    return found
