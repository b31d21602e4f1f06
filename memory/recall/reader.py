"""Read from a message's vector whether it calls for what is remembered.

A linear reader, made by ridge regression from labelled messages (`messages.json`, in every
language) with whatever embedder is in use. For the bundled embedder it is shipped ready made
(`python -m tests.bench.reader`); with another one it is made in the background, once a process.
The labelled messages that call for nothing also calibrate the gate: how near the nearest memory of
a store is to a message that needs none, by language.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.models import Lang
from memory.ports import FloatArray
from memory.text.languages import values

_MESSAGES: Final = Path(__file__).with_name("messages.json")
_RIDGE: Final = 1.0
# Variance of multilingual-e5's vectors; where theirs is less, so is the ridge.
_NARROW: Final = 0.2156
_FOLDS: Final = 5
_MISSED: Final = 0.1  # of the messages left out that call for a memory: they score below 0
# Of the messages left out: .92 and .89 by multilingual-e5, .88 and .78 by all-MiniLM.
_TOLD: Final = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class MessageReader:
    """What one embedder's vectors of messages tell.

    `idle` are vectors of messages that call for nothing, (messages, dim), of each language that
    the embedder knows.
    """

    weights: FloatArray  # (dim,)
    offset: float
    idle: Mapping[Lang, FloatArray]
    prototypes: FloatArray  # vectors of `list_prototypes()`

    def score_call(self, vector: FloatArray) -> float:
        """Return about 1 for a message that calls for what is remembered, about -1 for another.

        Behind the vector may stand that of the embedder before.
        """
        return float(vector[: len(self.weights)] @ self.weights) + self.offset


@cache
def load_messages() -> Mapping[Lang, Mapping[str, list[str]]]:
    """Read the labelled messages: of each language those that call for memories, and idle ones."""
    found: Mapping[Lang, Mapping[str, list[str]]] = json.loads(_MESSAGES.read_text("utf-8"))
    return found


def messages_to_embed() -> list[str]:
    """List the labelled messages in the order in which `train_reader` takes their vectors."""
    labelled = [t for labels in load_messages().values() for some in labels.values() for t in some]
    return [*labelled, *(text for _, text in list_prototypes())]


@cache
def list_prototypes() -> list[tuple[str, str]]:
    """List the prototype sentences of hard days, of all languages, each behind its sort."""
    return [
        (sort, line)
        for sort in ("SELF", "NEAR", "OTHER", "NEUTRAL")
        for text in values("hard_days", sort).values()
        for line in text.strip().splitlines()
    ]


def train_reader(rows: FloatArray) -> MessageReader:
    """Fit a reader to the vectors of `messages_to_embed()`, (messages, dim).

    A language in which fewer than four fifths of the messages left out are told apart, because the
    embedder does not know it, is not in `idle`. The offset makes a tenth of the messages that call
    score below 0, so that an embedder that tells them apart less surely loses no more of them.
    """
    rows, prototypes = np.split(rows, [len(rows) - len(list_prototypes())])
    messages = load_messages()
    groups = [(k, label, len(some)) for k, v in messages.items() for label, some in v.items()]
    sizes = [size for _, _, size in groups]
    langs = np.repeat([lang for lang, _, _ in groups], sizes)
    signs = np.repeat([1.0 if label == "calls" else -1.0 for _, label, _ in groups], sizes)
    folds = np.concatenate([np.arange(size) % _FOLDS for size in sizes])
    scores = np.empty(len(rows))  # by a reader that was fitted without them
    for k in range(_FOLDS):
        weights, offset = _fit(rows[folds != k], signs[folds != k])
        scores[folds == k] = rows[folds == k] @ weights + offset
    right, calls = scores * signs > 0, signs > 0

    def tell_apart(lang: Lang) -> bool:
        own = langs == lang
        return bool((right[own & calls].mean() + right[own & ~calls].mean()) / 2 >= _TOLD)

    told = [lang for lang in messages if tell_apart(lang)]
    missed = np.quantile(scores[calls & np.isin(langs, told or list(messages))], _MISSED)
    weights, offset = _fit(rows, signs)
    idle = {lang: rows[(langs == lang) & ~calls].astype(np.float32) for lang in told}
    return MessageReader(weights, offset - float(missed), idle, prototypes.astype(np.float32))


def _fit(rows: FloatArray, signs: NDArray[Any]) -> tuple[FloatArray, float]:
    """Fit weights and offset by ridge regression to 1 and -1."""
    wide = rows.astype(np.float64)
    centre = wide.mean(0)
    centred = wide - centre
    square = centred.T @ centred
    square += _RIDGE * min(1.0, np.trace(square) / len(wide) / _NARROW) * np.eye(wide.shape[1])
    weights = np.linalg.solve(square, centred.T @ (signs - signs.mean()))
    return weights.astype(np.float32), float(signs.mean() - centre @ weights)


@cache
def load_reader(embedder: str) -> MessageReader | None:
    """Load the reader that is shipped for an embedder.

    Returns None if there is none, or one for other messages than today's.
    """
    path = locate_reader(embedder)
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as found:
        if str(found["messages"]) != digest_messages():
            return None
        vectors = {}
        for name in ("prototypes", *(f"idle_{lang}" for lang in load_messages())):
            if name in found:
                rows = found[name].astype(np.float32)
                vectors[name] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        prototypes = vectors.pop("prototypes")
        idle = {name.removeprefix("idle_"): rows for name, rows in vectors.items()}
        return MessageReader(found["weights"], float(found["offset"]), idle, prototypes)


def locate_reader(embedder: str) -> Path:
    """Return the file of the reader that is shipped for an embedder."""
    name = embedder.replace(":", "-").replace("/", "-")
    return _MESSAGES.parent / "readers" / f"{name}.npz"


def digest_messages() -> str:
    """Return a mark of the labelled messages, by which a reader made of others is known."""
    listed = repr(list_prototypes()).encode()
    return sha256(_MESSAGES.read_bytes() + listed).hexdigest()[:16]
