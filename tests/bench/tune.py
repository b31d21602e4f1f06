"""Learns recall's weights: `python -m tests.bench.tune --data DIR [DIR …] [--embedder NAME]`.

Each question's candidates come from the pipeline itself, with the values of every feature; the weights are those
that make the gold memories likeliest (softmax over the candidates). Printed: weights of each language, and recall by
people whose questions were not learned from, in five turns. What is printed goes into `memory.recall.fusion` by hand.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.models import Query
from memory.ports import Embedder, Reader
from memory.recall import QueryEmbedder
from memory.recall.fusion import WEIGHTS
from memory.recall.pipeline import candidates, look_at
from tests.bench import embedders
from tests.bench.data import User, load
from tests.bench.ground import store_at
from tests.bench.metrics import APART, KS, gains, share_found
from tests.bench.recall import ingest

NAMES = sorted(WEIGHTS["en"])
_OTHER = 0.3  # weight of the other language's data
_STEPS, _RATE, _DECAY = 400, 0.05, 1e-3
_FOLDS = 5


@dataclass
class Asked:
    """A question with its candidates."""

    user: str
    row: Mapping[str, Any]
    ids: list[str]
    features: NDArray[np.float32]  # (candidates, NAMES)
    gold: NDArray[np.float32]  # adds up to the share that is among the candidates


async def gather(folder: Path, embedder: Embedder | None) -> list[Asked]:
    """Every question of a set, through the pipeline up to the weighing."""
    users = load(folder)
    out: list[Asked] = []
    with tempfile.TemporaryDirectory() as home:
        async with store_at(Path(home) / "tune.db", embedder, datetime(2026, 1, 1, tzinfo=UTC)) as store:
            await ingest(store, users, embedder)
            for name, user in users.items():
                queries = None if embedder is None else QueryEmbedder(embedder, 60_000)
                for row in user.queries:
                    if row["category"] != APART:
                        vector = None if queries is None else (await queries.embed(row["text"]))[0]
                        query = Query(user.ids[""], row["text"], (), user.now, "UTC", vector=vector)
                        out.append(await _asked(store.reader(user.ids[""]), query, name, row, user))
    return out


async def _asked(reader: Reader, query: Query, name: str, row: Mapping[str, Any], user: User) -> Asked:
    lines, features = await reader.whole(lambda own: candidates(look_at(own, query, 1.0)))
    ids = [user.ids[line.id] for line in lines]
    columns = [features.get(n, np.zeros(len(lines))) for n in NAMES]
    gold = np.zeros(len(ids), np.float32)
    alt = row.get("alt") or {}
    for g in row["gold"]:
        places = [i for i, x in enumerate(ids) if x in {g, *alt.get(g, ())}]
        gold[places] += 1 / len(row["gold"]) / max(1, len(places))
    return Asked(name, row, ids, np.stack(columns, axis=1).astype(np.float32), gold)


def learn(rows: Sequence[Asked], weights: Sequence[float]) -> NDArray[np.float64]:
    """Weights by name, by gradient descent (Adam)."""
    longest = max(len(r.ids) for r in rows)
    x = np.zeros((len(rows), longest, len(NAMES)), np.float32)
    there, gold = np.full((len(rows), longest), -1e9, np.float32), np.zeros((len(rows), longest), np.float32)
    for i, r in enumerate(rows):
        x[i, : len(r.ids)], there[i, : len(r.ids)], gold[i, : len(r.ids)] = r.features, 0.0, r.gold
    share = np.asarray(weights) / sum(weights)
    w, mean, square = np.zeros(len(NAMES)), np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for step in range(1, _STEPS + 1):
        logits = x @ w.astype(np.float32) + there
        p = np.exp(logits - logits.max(1, keepdims=True))
        p *= gold.sum(1, keepdims=True) / p.sum(1, keepdims=True)
        slope = np.einsum("i,in,ink->k", share, p - gold, x) + _DECAY * w
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        w -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return w


def measured(rows: Sequence[Asked], w: NDArray[np.float64]) -> list[float]:
    """Recall at each of `KS`, and nDCG@10."""
    out = []
    for r in rows:
        found = [r.ids[i] for i in np.argsort(-(r.features @ w), kind="stable")]
        out.append([*(share_found(r.row, found, k) for k in KS), gains(r.row, found)[1]])
    return [fmean(column) for column in zip(*out, strict=True)]


def shown(figures: Sequence[float]) -> str:
    return " ".join(f"{f:.3f}" for f in figures)


def balanced(own: Sequence[Asked], others: Sequence[Asked]) -> list[float]:
    """Every set counts as one, however many questions it has; the other language's less."""
    return [1 / len(own)] * len(own) + [_OTHER / len(others)] * len(others)


def in_turn(own: Sequence[Asked], others: Sequence[Asked]) -> list[float]:
    """Measured on people that were not learned from."""
    people = sorted({r.user for r in own})
    figures = []
    for fold in range(min(_FOLDS, len(people))):
        out = set(people[fold::_FOLDS])
        kept, left = [r for r in own if r.user not in out], [r for r in own if r.user in out]
        w = learn([*kept, *others], balanced(kept, others)) if others else learn(kept, [1.0] * len(kept))
        figures.append((len(left), measured(left, w)))
    total = sum(n for n, _ in figures)
    return [sum(n * f[i] for n, f in figures) / total for i in range(len(KS) + 1)]


async def main(folders: Sequence[Path], embedder: Embedder | None) -> None:
    """Print weights and figures."""
    sets = {folder.name: await gather(folder, embedder) for folder in folders}
    for name, own in sets.items():
        others = [r for n, rows in sets.items() if n != name for r in rows]
        lang = own[0].row["lang"]
        kept = WEIGHTS[lang]
        there = fmean(float(r.gold.sum()) for r in own)
        print(f"\n{name}: {len(own)} questions, {there:.3f} of the gold among the candidates")
        print(f"  weights in use   {shown(measured(own, np.array([kept[n] for n in NAMES])))}")
        w = learn([*own, *others], balanced(own, others)) if others else learn(own, [1.0] * len(own))
        print(f"  learned          {shown(measured(own, w))}")
        print(f"  on other people  {shown(in_turn(own, others))}")
        print(f"  {lang}: " + ", ".join(f'"{n}": {v:.2f}' for n, v in zip(NAMES, w, strict=True)))


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    p.add_argument("--data", type=Path, nargs="+", required=True)
    embedders.add_to(p)
    a = p.parse_args()
    asyncio.run(main(a.data, embedders.chosen(a)))
