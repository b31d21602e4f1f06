"""Writes the set: `python -m tests.bench.life DIR [--people 4] [--seed 1] [--lang en] [--style chat]`.

Then `--data DIR` of others. Half of the people of each language are told of in the third person, as learning writes
memories; half say I, as in a diary. `--style` tells the same lives otherwise (`tests.bench.life.styles`). Written for this project, by hand and by dice; no part of any data set.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.bench.life.styles import FIRST, STYLES, retold
from tests.bench.life.tables import LANGS
from tests.bench.life.world import Life


def lives(people: int, seed: int, langs: Iterable[str] = LANGS, style: str = "") -> list[Life]:
    """So many of each language."""
    return [
        Life(
            f"{lang}{i}",
            lang,
            1000 * seed + 10 * i + (lang == "zh"),
            first=FIRST.get(style, i % 2 == 1),
        )
        for lang in langs
        for i in range(people)
    ]


def write(
    folder: Path, people: int, seed: int, langs: Iterable[str] = LANGS, style: str = ""
) -> tuple[int, int]:
    """Both files; how many memories and questions."""
    folder.mkdir(parents=True, exist_ok=True)
    own = lives(people, seed, langs, style)
    memories = [row for life in own for row in life.memories()]
    queries = [row for life in own for row in life.queries()]
    if style:
        memories, queries = retold(style, memories, queries, seed)
    _write(folder / "memories.jsonl", memories)
    _write(folder / "queries.jsonl", queries)
    return len(memories), len(queries)


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8"
    )


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument("folder", type=Path)
    p.add_argument("--people", type=int, default=4, help="of each language")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--lang", nargs="+", choices=list(LANGS), default=list(LANGS))
    p.add_argument("--style", choices=list(STYLES), default="", help="other than a diary")
    a = p.parse_args()
    print(
        "{:,} memories, {:,} questions".format(*write(a.folder, a.people, a.seed, a.lang, a.style))
    )
