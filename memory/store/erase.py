"""Purge: one memory leaves every place that holds it or says its words (DESIGN §4).

What carries its text elsewhere is treated by how closely it is tied to the memory: messages it was learned from
or counted in lose their text (only the telling sentences, where they are still shown because they also taught
something else), replies, titles, summaries and other memories lose the sentences that say it, and logs lose
the entry's content. The tombstone's digest stays, so that the thing is not learned again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from memory.models import Json, Layer, Memory, MemoryId, State
from memory.store import ids, indexes
from memory.store.entities import unlink
from memory.store.rows import dump, memory_to_json, quote_name, to_ms
from memory.store.telling import Texts

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

NOTHING_LEFT: Final = "…"
_ID_LISTS: Final = ("supersedes", "merged_from", "source_ids")
_ID_FIELDS: Final = ("merged_into", "compressed_from")


def erase(tx: SqliteTx, n: int, m: Memory, *, everywhere: bool = True) -> Mapping[str, int]:
    """Remove memory `m` (row `n`) for good; how many rows went from, or were cleaned in, which place.

    Not `everywhere`: nobody asked for its words to go, so only what is its own goes, and links to it.
    """
    con, receipt = tx.con, Counter[str]()
    texts = _texts_of(m) if everywhere else Texts([])
    receipt["messages"] = _messages(tx, m, texts) if everywhere else 0
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
    tx.con.execute("DELETE FROM meta WHERE key = ?", (f"unsent:{tx.owner}",))  # drafts may say it, too
    receipt["choices"] = _asked(tx, m.id, texts, "choices", "payload")
    receipt["proposals"] = _asked(tx, m.id, texts, "proposals", "text || ' ' || data")
    receipt["memories"] = con.execute("DELETE FROM memories WHERE n = ?", (n,)).rowcount
    receipt["reports"] = tx.nights.clean(m.id)
    receipt["other_memories"] = _other_memories(tx, m.id, texts)
    receipt["changes"] = _changes(tx, m.id, texts)
    receipt["unread"] = tx.mirror.clean(texts.without)
    ids.retire(con, m.id)
    tx.record("memory", m.id, "purged", None, None)
    return dict(receipt)


def _texts_of(m: Memory) -> Texts:
    found = [m.content, m.original_content, *m.original_contents.values()]
    for entry in m.correction_history:
        found.extend(v for v in entry.values() if isinstance(v, str) and len(v) > 16)
    return Texts(found)


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


def _messages(tx: SqliteTx, m: Memory, texts: Texts) -> int:
    """Messages that taught it or counted for it, and those of the turns around them and of its recalls.

    Of a whole conversation, which is what an episode comes from, only the sentences that say it.
    """
    memory_id = m.id
    told = {*tx.memories.sources(memory_id), *tx.memories.mentioned_in(memory_id)}
    whole = told if m.layer is not Layer.EPISODE else frozenset()
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
        left = _left_of(row, texts, told=row["id"] in whole, shared=row["id"] in shared)
        if left == row["text"]:
            continue
        tx.con.execute("UPDATE messages SET text = ? WHERE seq = ?", (left, row["seq"]))
        if not left and row["hidden_at"] is None:
            tx.con.execute("UPDATE messages SET hidden_at = at WHERE seq = ?", (row["seq"],))
        tx.record("message", row["id"], "purged", None, {"session_id": row["session_id"]})
        count += 1
    return count


def _left_of(row: Any, texts: Texts, *, told: bool, shared: bool) -> str:
    text = str(row["text"])
    if told and (row["hidden_at"] is not None or not shared):
        return ""  # nothing that is still remembered needs it
    left = texts.without(text)
    # It taught this memory in words of its own, so no sentence could be singled out: none is kept.
    return "" if told and left == text else left


def _sessions(tx: SqliteTx, texts: Texts) -> int:
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


def _asked(tx: SqliteTx, memory_id: MemoryId, texts: Texts, table: str, column: str) -> int:
    """Questions that name the memory or say its words."""
    rows = tx.con.execute(f"SELECT n, {column} AS said FROM {table} WHERE user_id = ?", (tx.owner,)).fetchall()
    naming = [r["n"] for r in rows if f'"{memory_id}"' in r["said"] or texts.said_in(r["said"])]
    tx.con.execute(f"DELETE FROM {table} WHERE n IN (SELECT value FROM json_each(?))", (dump(naming),))
    return len(naming)


def _other_memories(tx: SqliteTx, memory_id: MemoryId, texts: Texts) -> int:
    """Links to its id, originals and corrections that say it, and the sentences of what was derived from it.

    What somebody said anew, in a memory of its own, stays as it is: nothing is lost unless its owner says so.
    A derived memory of which nothing is left is deleted.
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
        cleaned = tx.memories.get(row["id"])
        if cleaned is not None:
            tx.record("memory", cleaned.id, "updated", None, memory_to_json(cleaned))
        count += 1
    return count


def _reindex(tx: SqliteTx, n: int, row: Mapping[str, Any]) -> None:
    if indexes.text_out(tx.con, n) and row["state"] != State.DELETED.value:
        indexes.text_in(tx.con, n, tx.owner, row["original_content"])
    if tx.vectors.drop(row["id"], n):
        tx.dropped.pop(row["id"], None)
        if row["state"] != State.DELETED.value:
            tx.unembedded[row["id"]] = None


def _cleaned(row: Mapping[str, Any], memory_id: MemoryId, texts: Texts) -> dict[str, Any]:
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
    derived = row.get("layer") == Layer.EPISODE or row.get("compressed_from") == memory_id
    if derived or any(memory_id in parsed.get(k, ()) for k in ("merged_from", "source_ids")):
        rest = " ".join(v for v in _parsed(new.get("original_contents"), {}).values() if v) or NOTHING_LEFT
        for k in ("content", "original_content"):
            if isinstance(new.get(k), str) and texts.said_in(new[k]):
                new[k] = texts.without(new[k]) or rest
    return new


def _parsed(value: Json, default: Json) -> Json:
    """A JSON column, parsed or not."""
    return json.loads(value) if isinstance(value, str) else value or default


def _cleaned_value(value: Json, memory_id: MemoryId, texts: Texts) -> Json:
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


def _changes(tx: SqliteTx, memory_id: MemoryId, texts: Texts) -> int:
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
            tx.con.execute("UPDATE changes SET before = ?, after = ? WHERE seq = ?", (*clean, row["seq"]))
            count += 1
    return count


def _clean_entry(entity: str, text: str | None, memory_id: MemoryId, texts: Texts) -> str | None:
    if text is None or not (memory_id in text or texts.said_in(text)):
        return text
    value = json.loads(text)
    cleaned = _cleaned(value, memory_id, texts) if entity == "memory" else _without_id(value, memory_id)
    left = dump(cleaned)
    return None if texts.said_in(left) else left
