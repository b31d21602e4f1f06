"""The reader of messages means the same whatever an embedder's cosines are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.ports import FloatArray
from memory.recall.reader import list_prototypes, load_messages, train_reader

CALLS = np.array(
    [
        label == "calls"
        for some in load_messages().values()
        for label, texts in some.items()
        for _ in texts
    ]
)


def _vectors(blurred: float) -> FloatArray:
    """Unit vectors of the labelled messages: messages that call lie in one direction, and some are blurred."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(len(CALLS), 32)) * blurred
    rows[:, 0] += np.where(CALLS, 1.0, -1.0)
    return _unit(rows)


def _unit(rows: NDArray[Any]) -> FloatArray:
    unit: FloatArray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _scores(rows: FloatArray) -> FloatArray:
    reader = train_reader(np.concatenate([rows, rows[: len(list_prototypes())]]))
    return np.array([reader.score_call(row) for row in rows])


def test_cosines_close_together_change_nothing() -> None:
    """One direction that all vectors share: e5's cosines lie at .8, others' at .1."""
    rows = _vectors(0.8)
    shared = np.zeros(rows.shape[1], np.float32)
    shared[1] = 6.0
    assert np.std(_scores(_unit(rows + shared))) > 0.8 * np.std(_scores(rows))


def test_as_many_that_call_are_missed_by_a_less_sure_embedder() -> None:
    """About one in ten, and more of the others come through."""
    sure, unsure = _scores(_vectors(0.8)), _scores(_vectors(1.6))
    for scores in (sure, unsure):
        assert 0.03 < np.mean(scores[CALLS] < 0) < 0.13
    assert np.mean(unsure[~CALLS] > 0) > np.mean(sure[~CALLS] > 0)
