"""Purge: one memory leaves every place that holds it or says its words (DESIGN §4).

What carries its text elsewhere is treated by how closely it is tied to the memory: messages it was learned from
or counted in lose their text (only the telling sentences, where they are still shown because they also taught
something else), replies, titles, summaries and other memories lose the sentences that say it, and logs lose
the entry's content. The tombstone's digest stays, so that the thing is not learned again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from memory.models import Json, Memory, MemoryId
from memory.store import ids, indexes
from memory.store.entities import unlink
from memory.store.rows import dump
from memory.store.text import normalised, segment, terms

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

_SENTENCE: Final = re.compile(r"[^.!?。！？;；\n]*[.!?。！？;；\n]*\s*")
_TELLING: Final = 0.6  # of the memory's own words in one sentence: it says the same thing
_FEW: Final = 3  # spaces around one or two words
_ID_LISTS: Final = ("supersedes", "merged_from", "source_ids")
_ID_FIELDS: Final = ("merged_into", "compressed_from")


def erase(tx: SqliteTx, n: int, m: Memory) -> Mapping[str, int]:
    """Remove memory `m` (row `n`) for good; how many rows went from, or were cleaned in, which place."""
    con, receipt = tx.con, Counter[str]()
    texts = _texts_of(m)
    receipt["messages"] = _messages(tx, m.id, texts)
    receipt["summaries"] = _sessions(tx, texts)
    receipt["sources"] = _delete(con, "memory_sources", m.id)
    receipt["mentions"] = _delete(con, "mentions", m.id)
    receipt["weight_log"] = _delete(con, "weight_log", m.id)
    receipt["secrets"] = _delete(con, "secrets", m.id)
    receipt["traces"] = _delete(con, "recall_hits", m.id)
    receipt["index"] = indexes.text_out(con, n)
    receipt["vectors"] = tx.vectors.drop(m.id, n) + _tombstone_vectors(tx, m.id)
    tx.dropped.pop(m.id, None)
    tx.unembedded.pop(m.id, None)
    receipt["entities"] = unlink(con, n)
    receipt["jobs"] = _jobs(tx, m.id)
    receipt["choices"] = _choices(tx, m.id, texts)
    receipt["memories"] = con.execute("DELETE FROM memories WHERE n = ?", (n,)).rowcount
    receipt["other_memories"] = _other_memories(tx, m.id, texts)
    receipt["changes"] = _changes(tx, m.id, texts)
    ids.retire(con, m.id)
    tx.record("memory", m.id, "purged", None, None)
    return dict(receipt)


# --- what counts as saying the same ---------------------------------------------------------------------


class _Texts:
    """The memory's texts, and how to find them elsewhere."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted({t.strip() for t in texts if t.strip()}, key=len, reverse=True)
        self.flat = [_flat(t) for t in self.texts]
        self.words = [frozenset(terms(t)) for t in self.texts]

    def said_in(self, text: str) -> bool:
        """Word for word, but for case, width and punctuation; one or two words only where they stand alone."""
        found = _flat(text)
        return any(x in found if x.count(" ") > _FEW else x == found for x in self.flat if x.strip())

    def told_by(self, sentence: str) -> bool:
        """In other words: most of the memory's own words in one sentence."""
        if self.said_in(sentence):
            return True
        there = frozenset(terms(sentence))
        return any(own and len(own & there) >= _TELLING * len(own) for own in self.words)

    def without(self, text: str) -> str:
        """`text` without the sentences that tell it."""
        left = "".join(s for s in _SENTENCE.findall(text) if s and not self.told_by(s))
        # A text that says it across sentence ends has no telling sentence of its own: all of it goes.
        return "" if self.said_in(left) else left.strip() if left.strip() != text.strip() else text


def _flat(text: str) -> str:
    """Words, and CJK characters, between single spaces, so that no word is found inside another."""
    return f" {normalised(segment(text))} "


def _texts_of(m: Memory) -> _Texts:
    found = [m.content, m.original_content, *m.original_contents.values()]
    for entry in m.correction_history:
        found.extend(v for v in entry.values() if isinstance(v, str) and len(v) > 16)
    return _Texts(found)


# --- places -------------------------------------------------------------------------------------------


def _delete(con: Any, table: str, memory_id: MemoryId) -> int:
    return int(con.execute(f"DELETE FROM {table} WHERE memory_id = ?", (memory_id,)).rowcount)


def _tombstone_vectors(tx: SqliteTx, memory_id: MemoryId) -> int:
    done = tx.con.execute(
        "UPDATE tombstones SET vector = NULL, model_id = NULL"
        " WHERE user_id = ? AND memory_id = ? AND vector IS NOT NULL",
        (tx.owner, memory_id),
    )
    return int(done.rowcount)


def _messages(tx: SqliteTx, memory_id: MemoryId, texts: _Texts) -> int:
    """Messages that taught it or counted for it, and those of the turns around them and of its recalls."""
    told = {*tx.memories.sources(memory_id), *tx.memories.mentioned_in(memory_id)}
    rows = tx.con.execute(
        "SELECT g.* FROM messages g WHERE g.user_id = :user AND (g.id IN (SELECT value FROM json_each(:told))"
        " OR g.turn_id IN (SELECT value FROM json_each(:turns)) OR g.turn_id IN"
        "  (SELECT turn_id FROM messages WHERE user_id = :user AND id IN (SELECT value FROM json_each(:told))))",
        {"user": tx.owner, "told": dump(sorted(told)), "turns": dump(tx.traces.recalled_in(memory_id))},
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
        left = _left_of(row, texts, told=row["id"] in told, shared=row["id"] in shared)
        if left == row["text"]:
            continue
        tx.con.execute("UPDATE messages SET text = ? WHERE seq = ?", (left, row["seq"]))
        if not left and row["hidden_at"] is None:
            tx.con.execute("UPDATE messages SET hidden_at = at WHERE seq = ?", (row["seq"],))
        tx.record("message", row["id"], "purged", None, {"session_id": row["session_id"]})
        count += 1
    return count


def _left_of(row: Any, texts: _Texts, *, told: bool, shared: bool) -> str:
    text = str(row["text"])
    if told and (row["hidden_at"] is not None or not shared):
        return ""  # nothing that is still remembered needs it
    left = texts.without(text)
    # It taught this memory in words of its own, so no sentence could be singled out: none is kept.
    return "" if told and left == text else left


def _sessions(tx: SqliteTx, texts: _Texts) -> int:
    rows = tx.con.execute("SELECT n, title, running_summary FROM sessions WHERE user_id = ?", (tx.owner,)).fetchall()
    count = 0
    for row in rows:
        title, summary = texts.without(row["title"]), texts.without(row["running_summary"])
        if (title, summary) != (row["title"], row["running_summary"]):
            tx.con.execute(
                "UPDATE sessions SET title = ?, running_summary = ? WHERE n = ?", (title, summary, row["n"])
            )
            count += 1
    return count


def _jobs(tx: SqliteTx, memory_id: MemoryId) -> int:
    """Work on this memory alone is dropped, from work on several it is taken out."""
    rows = tx.con.execute(
        "SELECT id, payload, result FROM jobs WHERE user_id = :user"
        " AND (instr(payload, :q) OR instr(COALESCE(result, ''), :q) OR instr(dedup_key, :id))",
        {"user": tx.owner, "q": f'"{memory_id}"', "id": memory_id},
    ).fetchall()
    for row in rows:
        before = json.loads(row["payload"])
        payload = _without_id(before, memory_id)
        emptied = any(before[k] and not payload.get(k) for k in before if before[k] not in (None, False, 0))
        if emptied or row["payload"] == dump(payload):
            tx.con.execute("DELETE FROM jobs WHERE id = ?", (row["id"],))
            continue
        result = None if row["result"] is None else dump(_without_id(json.loads(row["result"]), memory_id))
        tx.con.execute("UPDATE jobs SET payload = ?, result = ? WHERE id = ?", (dump(payload), result, row["id"]))
    return len(rows)


def _choices(tx: SqliteTx, memory_id: MemoryId, texts: _Texts) -> int:
    rows = tx.con.execute("SELECT n, payload FROM choices WHERE user_id = ?", (tx.owner,)).fetchall()
    naming = [r["n"] for r in rows if f'"{memory_id}"' in r["payload"] or texts.said_in(r["payload"])]
    tx.con.execute("DELETE FROM choices WHERE n IN (SELECT value FROM json_each(?))", (dump(naming),))
    return len(naming)


def _other_memories(tx: SqliteTx, memory_id: MemoryId, texts: _Texts) -> int:
    """Merged originals, corrections and sentences of other memories that say it, and links to its id."""
    rows = tx.con.execute("SELECT * FROM memories WHERE user_id = ?", (tx.owner,)).fetchall()
    count = 0
    for row in rows:
        old = {k: row[k] for k in row.keys()}  # noqa: SIM118 - a Row iterates over values
        new = _cleaned(old, memory_id, texts)
        if new == old:
            continue
        sets = ", ".join(f"{k} = :{k}" for k in new if k != "n")
        tx.con.execute(f"UPDATE memories SET {sets} WHERE n = :n", new)
        if new["original_content"] != old["original_content"]:
            _reindex(tx, row["n"], new)
        count += 1
    return count


def _reindex(tx: SqliteTx, n: int, row: Mapping[str, Any]) -> None:
    if indexes.text_out(tx.con, n):
        indexes.text_in(tx.con, n, tx.owner, row["original_content"])
    if tx.vectors.drop(row["id"], n):
        tx.dropped.pop(row["id"], None)
        tx.unembedded[row["id"]] = None


def _cleaned(row: Mapping[str, Any], memory_id: MemoryId, texts: _Texts) -> dict[str, Any]:
    """A row, or a change log's copy of one, without the memory's id and words. JSON columns may be text."""
    new = dict(row)
    nested: list[str] = [k for k in (*_ID_LISTS, "original_contents", "correction_history") if k in new]
    parsed = {k: json.loads(new[k]) if isinstance(new[k], str) else new[k] for k in nested}
    for k in nested:
        value = _cleaned_value(parsed[k], memory_id, texts)
        if value != parsed[k]:
            new[k] = dump(value) if isinstance(row[k], str) else value
    for k in _ID_FIELDS:
        if new.get(k) == memory_id:
            new[k] = None
    for k in ("content", "original_content"):
        if isinstance(new.get(k), str) and texts.said_in(new[k]):
            # A memory needs some text; one that was nothing but this one's words keeps an empty sign.
            new[k] = texts.without(new[k]) or "…"
    return new


def _cleaned_value(value: Json, memory_id: MemoryId, texts: _Texts) -> Json:
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


def _changes(tx: SqliteTx, memory_id: MemoryId, texts: _Texts) -> int:
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
        clean = [_clean_entry(row["entity"], row[side], memory_id, texts) for side in ("before", "after")]
        if clean != [row["before"], row["after"]]:
            tx.con.execute("UPDATE changes SET before = ?, after = ? WHERE seq = ?", (*clean, row["seq"]))
            count += 1
    return count


def _clean_entry(entity: str, text: str | None, memory_id: MemoryId, texts: _Texts) -> str | None:
    if text is None or not (memory_id in text or texts.said_in(text)):
        return text
    value = json.loads(text)
    cleaned = _cleaned(value, memory_id, texts) if entity == "memory" else _without_id(value, memory_id)
    left = dump(cleaned)
    return None if texts.said_in(left) else left
