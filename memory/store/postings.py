"""Which memories hold a term, kept in memory while nothing but new memories comes to them.

A frequent term takes a tenth of a millisecond to look up among ten thousand memories, and one question has twenty of
them, most of which the questions before had as well. `text_clock` says when something left the index or changed;
what is new has a greater number than all that was seen, and only that is looked up again.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from memory.ports import Holding, Places
from memory.store.text import is_pair, phrase

MOST_ROWS: Final = 1000  # of one term, the newest: a more frequent one says too little to be followed further
_KEPT: Final = 4_000_000  # numbers of all users together
_OVERHEAD: Final = 40  # of a term, in numbers


@dataclass(frozen=True, slots=True)
class Ground:
    """What is searched, as it is in this snapshot."""

    owned: str  # narrows an expression of FTS5 to the user's words
    total: int  # of the user's memories, about
    newest: int  # memory of anybody
    edits: int


@dataclass(slots=True)
class _Kept:
    """What is known of one user's terms: (the newest memory that was looked at, where the term is)."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    edits: int = -1
    terms: dict[str, tuple[int, Places]] = field(default_factory=dict)
    size: int = 0


class Postings:
    """Shared by the reading threads."""

    def __init__(self) -> None:
        self._users: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._size = 0

    def holding(self, con: Any, user_id: str, ground: Ground, terms: Sequence[str]) -> list[Holding]:
        """Each term's memories, and its rarity among all of the user's."""
        edits = ground.edits
        kept = self._of(user_id)
        with kept.lock:
            before = kept.size
            if edits > kept.edits:
                kept.terms, kept.size, kept.edits = {}, 0, edits
            current = edits == kept.edits  # else another thread has seen a later moment: its terms are not ours
            out = [self._looked_up(con, kept if current else _Kept(), ground.owned, ground.newest, t) for t in terms]
            grown = kept.size - before
        self._grew(user_id, grown)
        return [Holding(places, _rarity(len(places), ground.total)) for places in out]

    def _looked_up(self, con: Any, kept: _Kept, owned: str, newest: int, term: str) -> Places:
        through, places = kept.terms.get(term, (0, None))
        if places is not None and through >= newest:
            return places
        new = _newest(con, owned, term, through)
        found = new if places is None else np.concatenate([places, new])[-MOST_ROWS:] if len(new) else places
        kept.size += len(found) - len(places) if places is not None else len(found) + _OVERHEAD
        kept.terms[term] = newest, found
        return found

    def _of(self, user_id: str) -> _Kept:
        with self._lock:
            found = self._users.pop(user_id, None) or _Kept()
            self._users[user_id] = found
            return found

    def _grew(self, user_id: str, by: int) -> None:
        with self._lock:
            self._size += by
            while self._size > _KEPT and len(self._users) > 1:
                self._size -= self._users.popitem(last=False)[1].size
            if self._size > _KEPT:  # one user's alone
                self._users.pop(user_id, None)
                self._size = 0


def _newest(con: Any, owned: str, term: str, after: int) -> Places:
    """The newest memories beyond `after` that hold the term, ascending."""
    # As one text: a thousand rows of one number each take three times as long.
    joined = con.execute(
        "SELECT group_concat(rowid) FROM (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? AND rowid > ?"
        " ORDER BY rowid DESC LIMIT ?)",
        (owned + (f'pairs : "{term}"' if is_pair(term) else f"text : {phrase(term)}"), after, MOST_ROWS),
    ).fetchone()[0]
    return np.fromstring(joined, np.int64, sep=",")[::-1] if joined else np.empty(0, np.int64)


def _rarity(count: int, total: int) -> float:
    """BM25's idf. Cut off at the limit, the true count is unknown: somewhere up to all of them."""
    held = count if count < MOST_ROWS else max(total / 2, MOST_ROWS)
    return math.log(1 + (max(total - held, 0) + 0.5) / (held + 0.5))
