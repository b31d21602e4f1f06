"""What recall is worth without each signal: `python -m tests.bench.tune --data DIR [DIR …] [--embedder NAME]`.

Each question's candidates come from the pipeline itself, with the values of every signal. Printed: recall@10 and
nDCG@10 of each set, in all and without each signal in turn, and the mean loss over sets with its 95% interval (paired
bootstrap over questions). A signal whose interval holds 0 earns its place nowhere.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.models import Query
from memory.ports import Embedder, Reader
from memory.recall import QueryEmbedder
from memory.recall.fusion import WEIGHTS
from memory.recall.pipeline import find_candidates
from memory.recall.signals import open_context
from tests.bench import embedders
from tests.bench.data import User, load
from tests.bench.ground import store_at
from tests.bench.metrics import APART, gains, share_found
from tests.bench.recall import ingest

NAMES: Final = sorted(WEIGHTS)
_DRAWS: Final = 1000


@dataclass
class Asked:
    """A question with its candidates: their ids, and (candidates, signals) values."""

    row: Mapping[str, Any]
    ids: list[str]
    values: NDArray[np.float32]


async def gather(folder: Path, embedder: Embedder | None) -> list[Asked]:
    """Put every question of a set through the pipeline up to the weighing."""
    users = load(folder)
    out: list[Asked] = []
    with tempfile.TemporaryDirectory() as home:
        async with store_at(
            Path(home) / "tune.db", embedder, datetime(2026, 1, 1, tzinfo=UTC)
        ) as store:
            await ingest(store, users, embedder)
            queries = None if embedder is None else QueryEmbedder(embedder, 60_000)
            for user in users.values():
                for row in user.answered:
                    if row["category"] != APART:
                        vector = None if queries is None else (await queries.embed(row["text"]))[0]
                        query = Query(user.ids[""], row["text"], (), user.now, "UTC", vector=vector)
                        out.append(await _asked(store.open_reader(user.ids[""]), query, row, user))
            if queries is not None:
                await queries.close()
    return out


async def _asked(reader: Reader, query: Query, row: Mapping[str, Any], user: User) -> Asked:
    lines, values = await reader.run_in_one_read(
        lambda own: find_candidates(open_context(own, query, 1.0))
    )
    columns = [values.get(name, np.zeros(len(lines))) for name in NAMES]
    return Asked(
        row, [user.ids[line.id] for line in lines], np.stack(columns, axis=1).astype(np.float32)
    )


def measure(rows: Sequence[Asked], without: str = "") -> NDArray[np.float64]:
    """Return (questions, 2): recall@10 and nDCG@10 of each, with the weights in use or without one."""
    weights = np.array([0.0 if name == without else WEIGHTS[name] for name in NAMES])
    out = []
    for r in rows:
        found = [r.ids[i] for i in np.argsort(-(r.values @ weights), kind="stable")]
        out.append((share_found(r.row, found, 10), gains(r.row, found)[1]))
    return np.array(out)


def interval(losses: Sequence[NDArray[np.float64]]) -> tuple[float, float, float]:
    """Return the mean over sets of a loss a question, and its 95% interval."""
    dice = np.random.default_rng(1)
    drawn = [
        np.mean([x[dice.integers(0, len(x), len(x))].mean() for x in losses]) for _ in range(_DRAWS)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(np.mean([x.mean() for x in losses])), float(low), float(high)


async def main(folders: Sequence[Path], embedder: Embedder | None) -> None:
    """Print the table."""
    sets = {folder.name: await gather(folder, embedder) for folder in folders}
    whole = {name: measure(rows) for name, rows in sets.items()}
    print(
        f"{'':10}"
        + "".join(f"{name[-12:]:>14}" for name in sets)
        + f"{'mean loss of R@10 (95%)':>32}"
    )
    for out in ("", *NAMES):
        found = {name: measure(rows, out) for name, rows in sets.items()}
        cells = "".join(
            f"{f'{m[0]:.3f}/{m[1]:.3f}':>14}" for m in (f.mean(axis=0) for f in found.values())
        )
        mean, low, high = interval([whole[name][:, 0] - found[name][:, 0] for name in sets])
        print(
            f"{out or 'all':10}{cells}" + (f"{mean:>14.4f} ({low:.4f} … {high:.4f})" if out else "")
        )


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument("--data", type=Path, nargs="+", required=True)
    embedders.add_to(p)
    a = p.parse_args()
    asyncio.run(main(a.data, embedders.chosen(a)))
