"""The text index and the vec0 tables: what is derived from the base rows, kept in step in code, not by triggers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory.store.codes import BITS
from memory.store.text import segment, term_keys

_VEC0_SHADOWS = ("chunks", "rowids", "vector_chunks00")


def text_in(con: Any, n: int, owner: str, original: str) -> None:
    """Index a memory's original content."""
    texts_in(con, [(n, owner, original)])


def texts_in(con: Any, rows: Iterable[tuple[int, str, str]]) -> None:
    """Index many: (number, owner, original content) of each."""
    con.executemany("INSERT INTO memories_fts (rowid, owner, text) VALUES (?, ?, ?)", _shadows(con, rows))


def text_out(con: Any, n: int) -> int:
    """Take a memory out of the text index; how many rows went."""
    return texts_out(con, [n])


def texts_out(con: Any, ns: Sequence[int]) -> int:
    """Take many out of the text index; how many rows went."""
    some = json.dumps(ns)
    con.execute(
        "INSERT INTO memories_fts (memories_fts, rowid, owner, text) SELECT 'delete', n, owner, text"
        " FROM memories_text WHERE n IN (SELECT value FROM json_each(?))",
        (some,),
    )
    gone = con.execute("DELETE FROM memories_text WHERE n IN (SELECT value FROM json_each(?))", (some,))
    return int(gone.rowcount)


def rebuild_text(con: Any, user_id: str | None, indexed: str) -> int:
    """Derive the shadow table anew, and the whole index from it; `indexed` is a condition on `memories m`."""
    owner = "" if user_id is None else " AND m.user_id = ?"
    params = () if user_id is None else (user_id,)
    con.execute(f"DELETE FROM memories_text WHERE n IN (SELECT m.n FROM memories m WHERE 1{owner})", params)
    rows = con.execute(f"SELECT m.n, m.user_id, m.original_content FROM memories m WHERE {indexed}{owner}", params)
    count = len(_shadows(con, (tuple(r) for r in rows.fetchall())))
    con.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
    return count


def _shadows(con: Any, rows: Iterable[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Keep what the index holds of each: (number, owner, text), and its terms."""
    shadows, kept = [], []
    for n, owner, original in rows:
        text = segment(original)
        shadows.append((n, owner, text))
        kept.append((n, owner, text, len(text.split()) or 1, term_keys(original)))
    con.executemany("INSERT INTO memories_text (n, owner, text, words, terms) VALUES (?, ?, ?, ?, ?)", kept)
    return shadows


# --- vec0 ---------------------------------------------------------------------------------------------


def vec0_name(model_id: int) -> str:
    """The table of a model."""
    return f"vec_{int(model_id)}"


def vec0_usable(con: Any, vec: bool, model_id: int) -> bool:
    """Whether the model's table is there, up to date, and this process can use it."""
    if not vec:
        return False
    row = con.execute("SELECT vec0_stale FROM embedding_models WHERE id = ?", (model_id,)).fetchone()
    return row is not None and not row[0]


def vec0_put(con: Any, vec: bool, model_id: int, owner: str, codes: Mapping[int, bytes]) -> None:
    """Put the codes of vectors, by memory number, beside their base rows. vec0 knows no UPSERT."""
    if vec0_usable(con, vec, model_id):
        table = vec0_name(model_id)
        con.executemany(f"DELETE FROM {table} WHERE rowid = ?", [(n,) for n in codes])
        con.executemany(
            f"INSERT INTO {table} (rowid, user_id, embedding) VALUES (?, ?, vec_bit(?))",
            [(n, owner, code) for n, code in codes.items()],
        )
    elif not vec:
        _mark_stale(con, model_id)


def vec0_out(con: Any, vec: bool, model_id: int, n: int) -> None:
    """Take a vector out. A process without sqlite-vec empties the table: what is forgotten must not stay in it."""
    if vec0_usable(con, vec, model_id):
        con.execute(f"DELETE FROM {vec0_name(model_id)} WHERE rowid = ?", (n,))
    else:
        _empty(con, model_id)
        _mark_stale(con, model_id)


def vec0_out_many(con: Any, vec: bool, model_id: int, ns: Sequence[int]) -> None:
    """Take many vectors out."""
    if vec0_usable(con, vec, model_id):
        con.executemany(f"DELETE FROM {vec0_name(model_id)} WHERE rowid = ?", [(n,) for n in ns])
    elif ns:
        vec0_out(con, vec, model_id, ns[0])  # empties the whole table


def vec0_make(con: Any, vec: bool, model_id: int, *, anew: bool = False) -> int | None:
    """Make the model's table if it is missing or out of date; rows written, None if nothing was to be done."""
    if not vec or (not anew and vec0_usable(con, vec, model_id)):
        return None
    table = vec0_name(model_id)
    con.execute(f"DROP TABLE IF EXISTS {table}")
    con.execute(
        f"CREATE VIRTUAL TABLE {table} USING vec0(user_id TEXT PARTITION KEY, embedding BIT[{BITS}], chunk_size=64)"
    )
    rows = con.execute("SELECT memory_n, user_id, code FROM embeddings WHERE model_id = ?", (model_id,)).fetchall()
    con.executemany(
        f"INSERT INTO {table} (rowid, user_id, embedding) VALUES (?, ?, vec_bit(?))",
        [(r[0], r[1], r[2]) for r in rows],
    )
    con.execute("UPDATE embedding_models SET vec0_stale = 0 WHERE id = ?", (model_id,))
    return len(rows)


def _mark_stale(con: Any, model_id: int) -> None:
    con.execute("UPDATE embedding_models SET vec0_stale = 1 WHERE id = ? AND vec0_stale = 0", (model_id,))


def _empty(con: Any, model_id: int) -> None:
    table = vec0_name(model_id)
    for shadow in _VEC0_SHADOWS:
        name = f"{table}_{shadow}"
        if con.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone():
            con.execute(f'DELETE FROM "{name}"')
