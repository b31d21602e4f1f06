"""Which embedder a benchmark uses: the built-in one, none, one of benchmarks' own, or a local model's folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from memory.embed import EMBEDDERS
from memory.ports import Embedder
from tests.bench.minilm import MiniLM


def add_to(p: argparse.ArgumentParser) -> None:
    """The options of a benchmark."""
    p.add_argument("--embedder", choices=[*sorted(EMBEDDERS), "minilm"], default="lexical")
    p.add_argument("--model-dir", type=Path, help="for minilm: the model's folder")
    p.add_argument(
        "--cache", type=Path, default=Path.home() / ".cache/ebb-bench/vectors.db", help="vectors of the last runs"
    )


def chosen(a: argparse.Namespace) -> Embedder:
    """What the options say."""
    if a.embedder == "minilm":
        if a.model_dir is None:
            raise SystemExit("--embedder minilm needs --model-dir")
        return MiniLM(a.model_dir, a.cache)
    return EMBEDDERS[a.embedder]()
