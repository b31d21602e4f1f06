"""The index by itself, fed by rows of no database."""

from __future__ import annotations

import numpy as np

from memory.index import search
from memory.index.columns import ALWAYS, NEVER, Columns, TimePattern
from memory.index.text import hash_terms
from memory.index.vectors import ScannedVectors, find_nearest
from memory.models import Filter

NONE = np.empty(0, np.int64)


def a_row(number: int, text: str, sort: str = "active 0 fact fact 0 0") -> TimePattern:
    """A memory of the session s."""
    return TimePattern(
        number,
        f"m{number}",
        text,
        sort,
        ALWAYS,
        NEVER,
        number,
        ALWAYS,
        "s",
        len(text.split()),
        hash_terms(text),
    )


def test_rows_come_go_and_change() -> None:
    """Words, names, neighbours and vectors are found by what the rows say now."""
    columns = Columns.of(
        [[a_row(1, "a red whale"), a_row(4, "a lamp")], [a_row(5, "蓝鲸")]],
        [(1, "anna"), (5, "anna")],
    )
    assert [s.id for s in search.by_words(columns, "whales", 9, columns.mask(Filter(), NONE))] == [
        "m1"
    ]
    assert [
        s.id for s in search.find_by_entity(columns, ["anna"], 9, columns.mask(Filter(), NONE))
    ] == ["m5", "m1"]

    changed = np.array([1, 4, 9])  # forgotten, erased, new
    rows = [
        a_row(1, "a red whale", "forgotten 0 fact fact 0 0")._replace(words=0, terms=b""),
        a_row(9, "a whale"),
    ]
    columns = columns.changed(changed, rows, [(9, "anna")])
    mask = columns.mask(Filter(), NONE)
    assert [s.id for s in search.by_words(columns, "whale", 9, mask)] == ["m9"]
    assert mask.tolist() == [False, False, True, True]
    places, _ = search.score_linked_rows(columns, np.array([2]), 1, mask)
    assert places.tolist() == [3]
    assert search.find_neighbours(columns, np.array([2]), 1, mask).places.tolist() == [[-1, 3]]

    vectors = np.eye(3, dtype=np.float32)
    scanned = ScannedVectors.of(3).and_then(
        [(k, n, vectors[k].tobytes()) for k, n in enumerate((5, 9, 77))]
    )
    (found,) = find_nearest([scanned.at(columns)], columns, [vectors[1]], 5, mask)
    assert [(s.id, s.score) for s in found] == [("m9", 1.0), ("m5", 0.0)]
