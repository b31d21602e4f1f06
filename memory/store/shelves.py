"""Shelves of the users who ask, read when they are first wanted and followed from then on.

`touched` names every memory that came, went or changed in what a shelf holds (triggers write it, so that no writer
can forget to): a look at its newest row says that nothing did, and else only those memories are read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from memory.models import Kind, Layer, Level, MemoryId, Sensitivity, State
from memory.ports import Places
from memory.store.inverted import Inverted, Keys
from memory.store.recent import Recent
from memory.store.rows import dump, tuples
from memory.store.shelf import ALWAYS, NEVER, Shelf, Sort

_KEPT: Final = 500_000  # memories of all users together
_AT_ONCE: Final = 512  # rows: fewer than set off a collection of garbage, which costs a fifth of the reading
_MANY: Final = 4  # one in so many changed, and the shelf is read anew
_COLUMNS: Final = (
    "m.n, m.id, m.original_content,"
    " m.state || ' ' || m.level || ' ' || m.kind || ' ' || m.layer || ' ' || m.sensitivity || ' '"
    " || (m.negated_at IS NOT NULL),"
    f" COALESCE(m.valid_from, {ALWAYS}), COALESCE(m.valid_until, {NEVER}), m.created_at,"
    f' COALESCE(m.expires_at, m."on", {ALWAYS}), '
    " IIF(m.layer = 'episode', NULL, m.source_session), COALESCE(t.words, 0), COALESCE(t.terms, x'')"
)
_ALL: Final = (
    f"SELECT {_COLUMNS} FROM memories m INDEXED BY memories_of_user LEFT JOIN memories_text t ON t.n = m.n"
    " WHERE m.user_id = ? ORDER BY m.n"
)
_SOME: Final = (
    f"SELECT {_COLUMNS} FROM memories m LEFT JOIN memories_text t ON t.n = m.n"
    " WHERE m.n IN (SELECT value FROM json_each(?)) AND +m.user_id = ? ORDER BY m.n"
)
_NAMES: Final = (
    "SELECT l.memory_n, e.folded FROM memory_entities l CROSS JOIN entities e ON e.n = l.entity_n"
    " WHERE l.memory_n IN (SELECT value FROM json_each(?))"
)
_ALL_NAMES: Final = (
    "SELECT l.memory_n, e.folded FROM entities e CROSS JOIN memory_entities l ON l.entity_n = e.n WHERE e.user_id = ?"
)


class _Numbers(dict[Any, int]):
    """Numbers things in the order in which they are first asked for."""

    def __missing__(self, name: Any) -> int:
        self[name] = number = len(self)
        return number


@dataclass(slots=True)
class _Kept:
    """One user's, and what its columns say in numbers."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    shelf: Shelf | None = None
    sessions: _Numbers = field(default_factory=_Numbers)
    sorts: _Numbers = field(default_factory=_Numbers)


class Shelves:
    """Shared by the reading threads."""

    def __init__(self) -> None:
        self._users: Recent[str, _Kept] = Recent(_Kept, lambda kept: len(kept.shelf or ()), _KEPT)

    def of(self, con: Any, user_id: str) -> Shelf:
        """The user's memories as they are in this snapshot, or in a later one that another thread has seen."""
        kept = self._users.of(user_id)
        with kept.lock:
            oldest, newest = con.execute(
                "SELECT COALESCE((SELECT MIN(seq) FROM touched), 0), COALESCE((SELECT MAX(seq) FROM touched), 0)"
            ).fetchone()
            shelf = kept.shelf
            if shelf is None or oldest > shelf.through + 1:
                kept.shelf = shelf = _read(con, user_id, newest, kept)
            elif newest > shelf.through:
                kept.shelf = shelf = _followed(con, user_id, shelf, newest, kept)
            return shelf

    def forget(self) -> None:
        """Drop everything kept (after a rebuild)."""
        self._users.forget()


def places_of(con: Any, user_id: str, shelf: Shelf, ids: Iterable[MemoryId]) -> Places:
    """Where these stand; those that the shelf does not know are left out."""
    wanted = list(ids)
    if not wanted:
        return np.empty(0, np.int64)
    rows = con.execute(
        "SELECT n FROM memories WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?))",
        (user_id, dump(wanted)),
    )
    return shelf.places_of(np.array([r[0] for r in rows.fetchall()], np.int64))


def _read(con: Any, user_id: str, newest: int, kept: _Kept) -> Shelf:
    kept.sessions, kept.sorts = _Numbers(), _Numbers()
    columns, terms = _all(con, user_id, kept)
    linked = _rows(con, _ALL_NAMES, (user_id,))
    names: dict[str, int] = {}
    codes = np.array([names.setdefault(name, len(names)) for _, name in linked], np.uint32)
    at = columns["numbers"].searchsorted(np.array([n for n, _ in linked], np.int64))
    return Shelf(
        lineage=object(),
        through=newest,
        sorts=_sorts(kept),
        terms=terms,
        names=names,
        entities=Inverted.of(codes, at),
        of_entity=Inverted.of(at.astype(np.uint32), codes.astype(np.int64)),
        indexed=int(np.count_nonzero(columns["words"])),
        **columns,
    )


def _all(con: Any, user_id: str, kept: _Kept) -> tuple[dict[str, Any], Inverted]:
    """All columns, some thousand rows at a time: a hundred thousand at once would leave their room behind."""
    cursor = tuples(con).execute(_ALL, (user_id,))
    parts, keys, places, count = [_columns([], kept)], [], [], 0
    while rows := cursor.fetchmany(_AT_ONCE):
        parts.append(_columns(rows, kept))
        some = _terms(rows, np.arange(count, count + len(rows)))
        keys.append(some[0])
        places.append(some[1])
        count += len(rows)
    out: dict[str, Any] = {
        name: np.concatenate([p[name] for p in parts]) for name in parts[0] if name not in {"ids", "texts"}
    }
    for name in ("ids", "texts"):
        out[name] = [x for p in parts for x in p[name]]
    if not keys:
        return out, Inverted.of(*_terms([], np.empty(0, np.int64)))
    return out, Inverted.of(np.concatenate(keys), np.concatenate(places))


def _followed(con: Any, user_id: str, shelf: Shelf, newest: int, kept: _Kept) -> Shelf:
    """What was touched since, read anew."""
    found = _rows(
        con, "SELECT DISTINCT n FROM touched WHERE user_id = ? AND seq > ? ORDER BY n", (user_id, shelf.through)
    )
    if not found:
        return replace(shelf, through=newest)
    numbers = np.array([r[0] for r in found], np.int64)
    if len(numbers) > len(shelf) // _MANY:
        return _read(con, user_id, newest, kept)
    some = dump(numbers.tolist())
    rows, named = _rows(con, _SOME, (some, user_id)), _rows(con, _NAMES, (some,))  # all, before anything is added
    last = int(shelf.numbers[-1]) if len(shelf) else 0
    old = [r for r in rows if r[0] <= last]
    new = [r for r in rows if r[0] > last]
    gone = np.setdiff1d(numbers[numbers <= last], np.array([r[0] for r in old], np.int64))
    over = shelf.places_of(numbers[numbers <= last])
    erased = shelf.places_of(gone)
    same = {r[0] for r in old if _same_words(shelf, r)}
    changed = _with_changes(shelf, old, erased, kept)
    grown = _with_new(changed, new, kept)
    linked = [(int(grown.numbers.searchsorted(n)), name) for n, name in named]
    codes = [grown.names.setdefault(name, len(grown.names)) for _, name in linked]
    at = np.array([place for place, _ in linked], np.int64)
    coded = np.array(codes, np.int64)
    told = [r for r in rows if r[0] not in same]
    return replace(
        grown,
        through=newest,
        sorts=_sorts(kept),
        terms=_told(shelf, grown, told, erased),
        entities=shelf.entities.changed(over, coded.astype(np.uint32), at),
        of_entity=_links(shelf.of_entity, over, at, coded),
        indexed=int(np.count_nonzero(grown.words)),
    )


def _same_words(shelf: Shelf, row: Any) -> bool:
    """Whether the text index says the same of it: most changes are of how well it is remembered."""
    place = int(shelf.numbers.searchsorted(row[0]))
    return shelf.texts[place] == row[2] and bool(shelf.words[place]) == bool(row[9])


def _told(shelf: Shelf, grown: Shelf, rows: Sequence[Any], erased: Places) -> Inverted:
    """Terms, with those of these rows as they are now."""
    numbers = np.array([r[0] for r in rows], np.int64)
    over = np.concatenate([erased, shelf.places_of(numbers)])
    return shelf.terms.changed(over, *_terms(rows, grown.places_of(numbers)))


def _links(links: Inverted, over: Places, at: Places, codes: Places) -> Inverted:
    """Entities by memory: here it is keys that are over."""
    if len(over) and len(links.keys):
        stays = ~np.isin(links.keys, over)
        links = replace(links, keys=links.keys[stays], places=links.places[stays])
    if len(over) and len(links.new_keys):
        stays = ~np.isin(links.new_keys, over)
        links = replace(links, new_keys=links.new_keys[stays], new_places=links.new_places[stays])
    return links.changed(np.empty(0, np.int64), at.astype(np.uint32), codes)


def _with_changes(shelf: Shelf, rows: Sequence[Any], gone: Places, kept: _Kept) -> Shelf:
    """The same places; of erased ones nothing is left but the place."""
    if not rows and not len(gone):
        return shelf
    columns = _columns(rows, kept)
    at = shelf.numbers.searchsorted(columns["numbers"])
    ids, texts = shelf.ids[: len(shelf)], shelf.texts[: len(shelf)]
    for i, place in enumerate(at.tolist()):
        texts[place] = columns["texts"][i]
    for place in gone.tolist():
        ids[place] = texts[place] = ""
    out = {}
    for name in ("sort", "valid_from", "valid_until", "made", "due", "session", "words"):
        out[name] = getattr(shelf, name).copy()
        out[name][at] = columns[name]
    out["sort"][gone] = kept.sorts[""]
    out["words"][gone], out["session"][gone] = 0, -1
    return replace(shelf, ids=ids, texts=texts, _order=[], **out)


def _with_new(shelf: Shelf, rows: Sequence[Any], kept: _Kept) -> Shelf:
    """Longer by these."""
    if not rows:
        return shelf
    columns = _columns(rows, kept)
    shelf.ids.extend(columns.pop("ids"))
    shelf.texts.extend(columns.pop("texts"))
    longer: dict[str, Any] = {
        name: np.concatenate([getattr(shelf, name), values]) for name, values in columns.items()
    }
    out = replace(shelf, _order=[], **longer)
    if shelf._order and (order := shelf.order.longer(out)) is not None:  # noqa: SLF001
        out._order.append(order)  # noqa: SLF001
    return out


def _columns(rows: Sequence[Any], kept: _Kept) -> dict[str, Any]:
    """Rows of `_COLUMNS` as columns, but for the terms."""
    number, ids, texts, sort, since, until, made, due, session, words, _ = (
        zip(*rows, strict=True) if rows else ((),) * 11
    )
    coded = np.array([-1 if s is None else kept.sessions[s] for s in session], np.int32)
    return {
        "numbers": np.array(number, np.int64),
        "ids": list(ids),
        "texts": list(texts),
        "sort": np.array([kept.sorts[s] for s in sort], np.int16),
        "valid_from": np.array(since, np.int64),
        "valid_until": np.array(until, np.int64),
        "made": np.array(made, np.int64),
        "due": np.array(due, np.int64),
        "session": coded,
        "words": np.array(words, np.int32),
    }


def _sorts(kept: _Kept) -> tuple[Sort | None, ...]:
    return tuple(_sort(s) for s in kept.sorts)


def _sort(text: str) -> Sort | None:
    if not text:
        return None
    state, level, kind, layer, sensitivity, negated = text.split(" ")
    return Sort(
        State(state), Level(int(level)), Kind(kind), Layer(layer), Sensitivity(int(sensitivity)), negated == "1"
    )


def _terms(rows: Sequence[Any], places: Places) -> tuple[Keys, Places]:
    """Pairs of a term and a place."""
    blobs = [r[10] for r in rows]
    return np.frombuffer(b"".join(blobs), np.uint32), np.repeat(places, [len(b) // 4 for b in blobs])


def _rows(con: Any, sql: str, params: tuple[Any, ...]) -> list[Any]:
    found: list[Any] = tuples(con).execute(sql, params).fetchall()
    return found
