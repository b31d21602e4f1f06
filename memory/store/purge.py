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
from memory.models import Json, Layer, Memory, MemoryId, State
from memory.store.connection import list_database_errors, open_connection
from memory.store.memories import MemoryGateway, drop_terms, put_terms, unlink_entities
from memory.store.mirror import MirrorGateway
from memory.store.rows import AMONG, dump, memory_from_row, memory_to_json, quote_name, to_ms
from memory.store.sqlite_module import choose
from memory.store.traces import NightGateway, TraceGateway
from memory.store.transaction import Transaction, retire_id
from memory.store.vectors import VectorGateway

NOTHING_LEFT: Final = "…"
_ID_LISTS: Final = ("supersedes", "merged_from", "source_ids")
_ID_FIELDS: Final = ("merged_into", "compressed_from")
_SENTENCE: Final = re.compile(r"[^.!?。！？;；\n]*[.!?。！？;；\n]*\s{0,9}")
_TELLING: Final = 0.6  # of the memory's own words in one sentence: it says the same thing
_FEW: Final = 3  # spaces around one or two words
SHORTEST: Final = (
    4  # bytes: shorter words stand in any large database by chance, so only its values are searched
)
_PIECE: Final = 4 << 20
_OVERLAP: Final = 4096  # longer than any words that somebody types
_ORDINARY: Final = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
)
_WIDE: Final = r"\u3040-\u30ff\u3400-\u9fff"
_UNIT: Final = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")


@dataclass(slots=True)
class PurgeGateway(MemoryGateway):
    """`memory.ports.MemoryTable`, with what removes a memory for good."""

    def erase(self, memory_id: MemoryId, *, everywhere: bool = True) -> Mapping[str, int]:
        """Remove for good; how many rows went from, or were cleaned in, which place.

        Not `everywhere`: nobody asked for its words to go, so only what is its own goes, and links
        to it.
        """
        row = self.find_row(memory_id)
        if row is None:
            raise NotFound(f"There is no memory {memory_id}.")
        n, m = row["n"], memory_from_row(row)
        tx, con, receipt = self.tx, self.tx.con, Counter[str]()
        texts = _texts_of(m) if everywhere else MemoryTexts([])
        receipt["messages"] = _messages(tx, m, texts) if everywhere else 0
        receipt["summaries"] = _sessions(tx, texts)
        receipt["sources"] = _delete(con, "memory_sources", m.id)
        receipt["mentions"] = _delete(con, "mentions", m.id)
        receipt["weight_log"] = _delete(con, "weight_log", m.id)
        receipt["secrets"] = _delete(con, "secrets", m.id)
        receipt["traces"] = _delete(con, "recall_hits", m.id)
        receipt["index"] = drop_terms(con, [n])
        receipt["vectors"] = VectorGateway(tx).drop({n: m.id}) + _tombstone_vectors(tx, m.id)
        tx.dropped.pop(m.id, None)
        tx.unembedded.pop(m.id, None)
        receipt["entities"] = unlink_entities(con, n)
        receipt["jobs"] = _jobs(tx, m.id)
        tx.con.execute(
            "DELETE FROM meta WHERE key = ?", (f"unsent:{tx.owner}",)
        )  # drafts may say it, too
        receipt["choices"] = _asked(tx, m.id, texts, "choices", "payload")
        receipt["proposals"] = _asked(tx, m.id, texts, "proposals", "text || ' ' || data")
        receipt["memories"] = con.execute("DELETE FROM memories WHERE n = ?", (n,)).rowcount
        receipt["reports"] = NightGateway(tx).clean(m.id)
        receipt["other_memories"] = _other_memories(tx, m.id, texts)
        receipt["changes"] = _changes(tx, m.id, texts)
        receipt["unread"] = MirrorGateway(tx).clean(texts.without)
        retire_id(con, m.id)
        tx.record("memory", m.id, "purged", None, None)
        return dict(receipt)


def _texts_of(m: Memory) -> MemoryTexts:
    found = [m.content, m.original_content, *m.original_contents.values()]
    for entry in m.correction_history:
        found.extend(v for v in entry.values() if isinstance(v, str) and len(v) > 16)
    return MemoryTexts(found)


# --- places ---


def _delete(con: Any, table: str, memory_id: MemoryId) -> int:
    return int(con.execute(f"DELETE FROM {table} WHERE memory_id = ?", (memory_id,)).rowcount)


def _tombstone_vectors(tx: Transaction, memory_id: MemoryId) -> int:
    done = tx.con.execute(
        "UPDATE tombstones SET vector = NULL, model_id = NULL"
        " WHERE user_id = ? AND memory_id = ? AND vector IS NOT NULL",
        (tx.owner, memory_id),
    )
    return int(done.rowcount)


def _messages(tx: Transaction, m: Memory, texts: MemoryTexts) -> int:
    """Messages that taught it or counted for it, and those of the turns around them and of its
    recalls.

    Of a whole conversation, which is what an episode comes from, only the sentences that say it.
    """
    memory_id = m.id
    told = {*MemoryGateway(tx).list_sources(memory_id), *MemoryGateway(tx).list_mentions(memory_id)}
    whole = told if m.layer is not Layer.EPISODE else frozenset()
    rows = tx.con.execute(
        "SELECT g.* FROM messages g WHERE g.user_id = :user AND (g.id IN (SELECT value FROM json_each(:told))"
        " OR g.turn_id IN (SELECT value FROM json_each(:turns)) OR g.turn_id IN"
        "  (SELECT turn_id FROM messages WHERE user_id = :user AND id IN (SELECT value FROM json_each(:told))))",
        {
            "user": tx.owner,
            "told": dump(sorted(told)),
            "turns": dump(TraceGateway(tx).list_recalling_turns(memory_id)),
        },
    ).fetchall()
    shared = {
        r[0]
        for r in tx.con.execute(
            "SELECT s.message_id FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
            " WHERE s.user_id = ? AND s.memory_id != ? AND m.state NOT IN ('deleted', 'forgotten')",
            (tx.owner, memory_id),
        ).fetchall()
    }
    count = 0
    for row in rows:
        left = _left_of(row, texts, told=row["id"] in whole, shared=row["id"] in shared)
        if left == row["text"]:
            continue
        tx.con.execute("UPDATE messages SET text = ? WHERE seq = ?", (left, row["seq"]))
        if not left and row["hidden_at"] is None:
            tx.con.execute("UPDATE messages SET hidden_at = at WHERE seq = ?", (row["seq"],))
        tx.record("message", row["id"], "purged", None, {"session_id": row["session_id"]})
        count += 1
    return count


def _left_of(row: Any, texts: MemoryTexts, *, told: bool, shared: bool) -> str:
    text = str(row["text"])
    if told and (row["hidden_at"] is not None or not shared):
        return ""  # nothing that is still remembered needs it
    left = texts.without(text)
    # It taught this memory in words of its own, so no sentence could be singled out: none is kept.
    return "" if told and left == text else left


def _sessions(tx: Transaction, texts: MemoryTexts) -> int:
    rows = tx.con.execute(
        "SELECT n, title, running_summary FROM sessions WHERE user_id = ?", (tx.owner,)
    ).fetchall()
    count = 0
    for row in rows:
        title, summary = texts.without(row["title"]), texts.without(row["running_summary"])
        if (title, summary) != (row["title"], row["running_summary"]):
            tx.con.execute(
                "UPDATE sessions SET title = ?, running_summary = ? WHERE n = ?",
                (title, summary, row["n"]),
            )
            count += 1
    return count


def _jobs(tx: Transaction, memory_id: MemoryId) -> int:
    """Work on this memory alone is dropped, from work on several it is taken out."""
    rows = tx.con.execute(
        "SELECT id, payload, result FROM jobs WHERE user_id = :user"
        " AND (instr(payload, :q) OR instr(COALESCE(result, ''), :q) OR instr(dedup_key, :id))",
        {"user": tx.owner, "q": f'"{memory_id}"', "id": memory_id},
    ).fetchall()
    for row in rows:
        before = json.loads(row["payload"])
        payload = _without_id(before, memory_id)
        emptied = any(
            before[k] and not payload.get(k) for k in before if before[k] not in (None, False, 0)
        )
        if emptied or row["payload"] == dump(payload):
            tx.con.execute("DELETE FROM jobs WHERE id = ?", (row["id"],))
            continue
        result = (
            None
            if row["result"] is None
            else dump(_without_id(json.loads(row["result"]), memory_id))
        )
        tx.con.execute(
            "UPDATE jobs SET payload = ?, result = ? WHERE id = ?",
            (dump(payload), result, row["id"]),
        )
    return len(rows)


def _asked(
    tx: Transaction, memory_id: MemoryId, texts: MemoryTexts, table: str, column: str
) -> int:
    """Questions that name the memory or say its words."""
    rows = tx.con.execute(
        f"SELECT n, {column} AS said FROM {table} WHERE user_id = ?", (tx.owner,)
    ).fetchall()
    naming = [r["n"] for r in rows if f'"{memory_id}"' in r["said"] or texts.said_in(r["said"])]
    tx.con.execute(f"DELETE FROM {table} WHERE n {AMONG}", (dump(naming),))
    return len(naming)


def _other_memories(tx: Transaction, memory_id: MemoryId, texts: MemoryTexts) -> int:
    """Links to its id, originals and corrections that say it, and the sentences of what was derived
    from it.

    What somebody said anew, in a memory of its own, stays as it is: nothing is lost unless its
    owner says so. A derived memory of which nothing is left is deleted.
    """
    rows = tx.con.execute("SELECT * FROM memories WHERE user_id = ?", (tx.owner,)).fetchall()
    count = 0
    for row in rows:
        every = "\n".join(v for v in row if isinstance(v, str))
        if memory_id not in every and not texts.may_be_in(every):
            continue
        old = {k: row[k] for k in row.keys()}  # noqa: SIM118 - a Row iterates over values
        new = _cleaned(old, memory_id, texts)
        if new == old:
            continue
        if new["original_content"] == NOTHING_LEFT:
            new["state"], new["deleted_at"] = State.DELETED.value, to_ms(tx.shared.clock())
        new["rev"] += 1  # whoever read it before must not write the words back
        sets = ", ".join(f"{quote_name(k)} = :{k}" for k in new if k != "n")
        tx.con.execute(f"UPDATE memories SET {sets} WHERE n = :n", new)
        if new["original_content"] != old["original_content"]:
            _reindex(tx, row["n"], new)
        cleaned = MemoryGateway(tx).get(row["id"])
        if cleaned is not None:
            tx.record("memory", cleaned.id, "updated", None, memory_to_json(cleaned))
        count += 1
    return count


def _reindex(tx: Transaction, n: int, row: Mapping[str, Any]) -> None:
    if drop_terms(tx.con, [n]) and row["state"] != State.DELETED.value:
        put_terms(tx.con, [(n, row["original_content"])])
    if VectorGateway(tx).drop({n: row["id"]}):
        tx.dropped.pop(row["id"], None)
        if row["state"] != State.DELETED.value:
            tx.unembedded[row["id"]] = None


def _cleaned(row: Mapping[str, Any], memory_id: MemoryId, texts: MemoryTexts) -> dict[str, Any]:
    """A row, or a change log's copy of one, without the memory's id and words.

    JSON columns may be text.
    """
    new = dict(row)
    nested: list[str] = [
        k for k in (*_ID_LISTS, "original_contents", "correction_history") if k in new
    ]
    parsed = {k: json.loads(new[k]) if isinstance(new[k], str) else new[k] for k in nested}
    for k in nested:
        value = _cleaned_value(parsed[k], memory_id, texts)
        if value != parsed[k]:
            new[k] = dump(value) if isinstance(row[k], str) else value
    for k in _ID_FIELDS:
        if new.get(k) == memory_id:
            new[k] = None
    derived = row.get("layer") == Layer.EPISODE or row.get("compressed_from") == memory_id
    if derived or any(memory_id in parsed.get(k, ()) for k in ("merged_from", "source_ids")):
        rest = (
            " ".join(v for v in _parsed(new.get("original_contents"), {}).values() if v)
            or NOTHING_LEFT
        )
        for k in ("content", "original_content"):
            if isinstance(new.get(k), str) and texts.said_in(new[k]):
                new[k] = texts.without(new[k]) or rest
    return new


def _parsed(value: Json, default: Json) -> Json:
    """A JSON column, parsed or not."""
    return json.loads(value) if isinstance(value, str) else value or default


def _cleaned_value(value: Json, memory_id: MemoryId, texts: MemoryTexts) -> Json:
    if isinstance(value, list):
        kept = [v for v in value if v != memory_id]
        cleaned = [_cleaned_value(v, memory_id, texts) for v in kept]
        return [c for c in cleaned if c not in ("", {})]
    if isinstance(value, dict):
        if memory_id in value.values():
            return {}
        items = {k: _cleaned_value(v, memory_id, texts) for k, v in value.items() if k != memory_id}
        return {k: v for k, v in items.items() if v != "" or value[k] == ""}
    if isinstance(value, str) and texts.said_in(value):
        return texts.without(value)
    return value


def _without_id(value: Json, memory_id: MemoryId) -> Json:
    if isinstance(value, list):
        return [_without_id(v, memory_id) for v in value if v != memory_id]
    if isinstance(value, dict):
        return {k: _without_id(v, memory_id) for k, v in value.items() if v != memory_id}
    return value


def _changes(tx: Transaction, memory_id: MemoryId, texts: MemoryTexts) -> int:
    """Its own entries are blanked; what others' entries hold of it is cleaned, or blanked where it still shows."""
    count = int(
        tx.con.execute(
            "UPDATE changes SET before = NULL, after = NULL WHERE user_id = ? AND entity_id = ?"
            " AND (before IS NOT NULL OR after IS NOT NULL)",
            (tx.owner, memory_id),
        ).rowcount
    )
    rows = tx.con.execute(
        "SELECT seq, entity, before, after FROM changes WHERE user_id = ?"
        " AND (entity IN ('memory', 'job') OR instr(COALESCE(after, ''), ?))",
        (tx.owner, memory_id),
    ).fetchall()
    for row in rows:
        held = [row["before"], row["after"]]
        clean = [_clean_entry(row["entity"], side, memory_id, texts) for side in held]
        if [c is None for c in clean] != [h is None for h in held]:
            clean = [None, None]  # half an entry would make an undo do something else
        if clean != held:
            tx.con.execute(
                "UPDATE changes SET before = ?, after = ? WHERE seq = ?", (*clean, row["seq"])
            )
            count += 1
    return count


def _clean_entry(
    entity: str, text: str | None, memory_id: MemoryId, texts: MemoryTexts
) -> str | None:
    if text is None or not (memory_id in text or texts.said_in(text)):
        return text
    value = json.loads(text)
    cleaned = (
        _cleaned(value, memory_id, texts) if entity == "memory" else _without_id(value, memory_id)
    )
    left = dump(cleaned)
    return None if texts.said_in(left) else left


# --- which texts, and which of their sentences, say what a purged memory says ---


class MemoryTexts:
    """The memory's texts, and how to find them elsewhere."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted({t.strip() for t in texts if t.strip()}, key=len, reverse=True)
        self.flat = [_flat(t) for t in self.texts]
        self.words = [frozenset(list_search_terms(t)) for t in self.texts]
        self._longest = [sorted(set(x.split()), key=len, reverse=True) for x in self.flat]

    def may_be_in(self, text: str) -> bool:
        """Whether all the words of one of them stand in it somewhere: a quick look before a long one."""
        folded = unicodedata.normalize("NFKC", text).casefold()
        return any(all(word in folded for word in own) for own in self._longest)

    def said_in(self, text: str) -> bool:
        """Word for word, but for case, width and punctuation; one or two words only where they stand alone."""
        if not self.may_be_in(text):
            return False
        found = _flat(text)
        return any(
            x in found if x.count(" ") > _FEW else x == found for x in self.flat if x.strip()
        )

    def told_by(self, sentence: str) -> bool:
        """In other words: most of the memory's own words in one sentence."""
        if self.said_in(sentence):
            return True
        there = frozenset(list_search_terms(sentence))
        return any(own and len(own & there) >= _TELLING * len(own) for own in self.words)

    def without(self, text: str) -> str:
        """`text` without the sentences that tell it."""
        left = "".join(s for s in _SENTENCE.findall(text) if s and not self.told_by(s))
        # A text that says it across sentence ends has no telling sentence of its own: all of it
        # goes.
        return "" if self.said_in(left) else left.strip() if left.strip() != text.strip() else text


def _flat(text: str) -> str:
    """Words, and CJK characters, between single spaces, so that no word is found inside another."""
    return f" {normalised(segment_text(text))} "


# --- proof: where words still stand in any byte of a home; only reads, also while Ebb runs ---


def find_words_in_files(home: Path, words: str) -> list[tuple[str, str, int]]:
    """Every place below `home` where the words stand one after the other, whatever their case and
    spacing.

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
    """The words in a text: between Latin ones something that is no letter, next to others a sign or two at most."""
    wide = [bool(re.match(f"[{_WIDE}]", u)) for u in units]
    out = "" if wide[0] else r"(?<![^\W_])"
    for i, unit in enumerate(units):
        out += (
            "" if not i else r"[\W_]{0,2}" if wide[i] or wide[i - 1] else r"[\W_]{1,4}"
        ) + re.escape(unit)
    return re.compile(out if wide[-1] else out + r"(?![^\W_])", re.I)


def _times(f: IO[bytes], first: str, pattern: re.Pattern[str]) -> int:
    """How often they stand in the bytes, as UTF-8 (JSON with escapes too) or as UTF-16 at any place."""
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
        for (table,) in con.execute(_ORDINARY).fetchall():
            cursor = con.execute(f'SELECT * FROM "{table}"')
            columns = [f"{table}.{c[0]}" for c in cursor.description]
            for row in cursor:
                said = ((c, v) for c, v in zip(columns, row, strict=True) if isinstance(v, str))
                found.update(c for c, v in said if pattern.search(_unescaped(v)))
    return found
