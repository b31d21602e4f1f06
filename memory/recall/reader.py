"""Read from a message's vector whether it calls for what is remembered, and what is usual of
messages that do not.

A linear reader, made by ridge regression from labelled messages (`messages.json`, in both
languages) with whatever embedder is in use. For the bundled embedder it is shipped ready made
(`python -m tests.bench.reader`); with another one it is made in the background, once a process. The
labelled messages that call for nothing also calibrate the gate: how near the nearest memory of a
store is to a message that needs none, by language.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from logging import getLogger
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np

from memory.models import Lang
from memory.ports import FloatArray

_LOG = getLogger(__name__)
_HERE: Final = Path(__file__).parent
_MESSAGES: Final = _HERE / "messages.json"
_SHIPPED: Final = _HERE / "readers"
_RIDGE: Final = 1.0
_NARROW: Final = (
    0.2156  # variance of multilingual-e5's vectors; where theirs is less, so is the ridge
)
_FOLDS: Final = 5
_MISSED: Final = 0.1  # of the messages left out that call for a memory: they score below 0
_TOLD: Final = (
    0.8  # of the messages left out: .92 and .89 by multilingual-e5, .88 and .78 by all-MiniLM
)
_STEPS: Final = 127.0  # of a component of an idle message's vector, as it is shipped


@dataclass(frozen=True, slots=True, eq=False)
class MessageReader:
    """What one embedder's vectors of messages tell."""

    weights: FloatArray  # (dim,)
    offset: float
    idle: Mapping[
        Lang, FloatArray
    ]  # (messages, dim) of messages that call for nothing, in languages it can tell

    def score_call(self, vector: FloatArray) -> float:
        """Return about 1 for a message that calls for what is remembered, about -1 for one that
        does not.

        Behind the vector may stand that of the embedder before.
        """
        return float(vector[: len(self.weights)] @ self.weights) + self.offset


@cache
def load_messages() -> Mapping[Lang, Mapping[str, tuple[str, ...]]]:
    """Read the labelled messages: of each language those that call for memories, and idle ones."""
    found = json.loads(_MESSAGES.read_text(encoding="utf-8"))
    return {
        lang: {label: tuple(some) for label, some in labels.items()}
        for lang, labels in found.items()
    }


def messages_to_embed() -> list[str]:
    """List the labelled messages in the order in which `train_reader` takes their vectors."""
    return [
        text for labels in load_messages().values() for some in labels.values() for text in some
    ]


def train_reader(rows: FloatArray) -> MessageReader:
    """Fit a reader to the vectors of the labelled messages, (messages, dim), see
    `messages_to_embed`.

    A language in which fewer than four fifths of the messages left out are told apart, because the
    embedder does not know it, is not in `idle`. The offset makes a tenth of the messages that call
    score below 0, so that an embedder that tells them apart less surely loses no more of them.
    """
    labels: dict[str, dict[Lang, FloatArray]] = {"calls": {}, "idle": {}}
    for lang, messages in load_messages().items():
        for label, some in messages.items():
            labels[label][lang], rows = rows[: len(some)], rows[len(some) :]
    calls, idle = labels["calls"], labels["idle"]
    called: dict[Lang, list[FloatArray]] = {
        lang: [] for lang in calls
    }  # scores by a reader fitted without them
    idled: dict[Lang, list[FloatArray]] = {lang: [] for lang in calls}
    for k in range(_FOLDS):
        rest = (
            {lang: np.delete(v, np.s_[k::_FOLDS], 0) for lang, v in each.items()}
            for each in (calls, idle)
        )
        weights, offset = _fit(*rest)
        for each, scores in ((calls, called), (idle, idled)):
            for lang, v in each.items():
                scores[lang].append(v[k::_FOLDS] @ weights + offset)
    right = {
        x: (np.mean(np.hstack(called[x]) > 0) + np.mean(np.hstack(idled[x]) < 0)) / 2 for x in calls
    }
    told = [lang for lang in calls if right[lang] >= _TOLD]
    missed = np.quantile(
        np.hstack([score for lang in told or calls for score in called[lang]]), _MISSED
    )
    weights, offset = _fit(calls, idle)
    return MessageReader(
        weights, offset - float(missed), {lang: idle[lang].astype(np.float32) for lang in told}
    )


def _fit(
    calls: Mapping[Lang, FloatArray], idle: Mapping[Lang, FloatArray]
) -> tuple[FloatArray, float]:
    """Fit weights and offset by ridge regression to 1 and -1."""
    yes, no = np.concatenate(list(calls.values())), np.concatenate(list(idle.values()))
    rows = np.concatenate([yes, no]).astype(np.float64)
    wanted = np.concatenate([np.ones(len(yes)), -np.ones(len(no))])
    centre = rows.mean(0)
    centred = rows - centre
    square = centred.T @ centred
    square += _RIDGE * min(1.0, np.trace(square) / len(rows) / _NARROW) * np.eye(rows.shape[1])
    weights = np.linalg.solve(square, centred.T @ (wanted - wanted.mean()))
    return weights.astype(np.float32), float(wanted.mean() - centre @ weights)


def save_reader(reader: MessageReader, embedder: str) -> Path:
    """Write a reader to ship with the program. Returns the file."""
    path = _path(embedder)
    path.parent.mkdir(exist_ok=True)
    idle = {f"idle_{lang}": np.rint(v * _STEPS).astype(np.int8) for lang, v in reader.idle.items()}
    np.savez_compressed(
        path, weights=reader.weights, offset=reader.offset, messages=_digest(), **idle
    )
    return path


@cache
def load_reader(embedder: str) -> MessageReader | None:
    """Load the reader that is shipped for an embedder.

    None if there is none, or for other messages than today's.
    """
    path = _path(embedder)
    if not path.is_file():
        return None
    try:
        with path.open("rb") as f, np.load(f, allow_pickle=False) as found:
            if str(found["messages"]) != _digest():
                return None
            told = [lang for lang in load_messages() if f"idle_{lang}" in found]
            idle = {lang: found[f"idle_{lang}"].astype(np.float32) for lang in told}
            weights, offset = found["weights"], float(found["offset"])
    except (OSError, EOFError, ValueError, KeyError, BadZipFile, zlib.error) as e:
        _LOG.warning("%s cannot be read, so it is made anew: %s", path.name, e)
        return None
    return MessageReader(
        weights,
        offset,
        {lang: v / np.linalg.norm(v, axis=1, keepdims=True) for lang, v in idle.items()},
    )


def _path(embedder: str) -> Path:
    return _SHIPPED / f"{embedder.replace(':', '-').replace('/', '-')}.npz"


def _digest() -> str:
    return sha256(_MESSAGES.read_bytes()).hexdigest()[:16]
