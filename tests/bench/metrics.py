"""What is counted of a ranking, and the tables it is told in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from statistics import fmean
from typing import Any

import numpy as np

from tests.bench.data import Row

KS = (3, 5, 10, 20)
FIGURES = (*(f"R@{k}" for k in KS), "MRR", "nDCG@10")
APART = "adversarial"  # asks for what was never said: told apart, in no total


def share_found(query: Row, found: Sequence[str], k: int) -> float:
    """Recall@k: gold in the first k / gold, through any of its equals."""
    top, alt = set(found[:k]), query.get("alt") or {}
    return fmean(any(g in top for g in (gold, *alt.get(gold, ()))) for gold in query["gold"])


def gains(query: Row, found: Sequence[str], k: int = 10) -> tuple[float, float]:
    """(reciprocal rank of the first gold, nDCG@k), each gold counted once through whichever of its equals is first."""
    alt = query.get("alt") or {}
    places = []
    for gold in query["gold"]:
        at = [found.index(g) for g in (gold, *alt.get(gold, ())) if g in found]
        if at:
            places.append(min(at))
    dcg = sum(1 / log2(p + 2) for p in places if p < k)
    ideal = sum(1 / log2(i + 2) for i in range(min(k, len(query["gold"]))))
    return (1 / (1 + min(places)) if places else 0.0), dcg / ideal


@dataclass
class Tally:
    """Figures of one way of finding on one set, by language and category."""

    scores: dict[tuple[str, str], list[list[float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    took: list[float] = field(default_factory=list)  # ms a question
    written: float | None = None  # memories a second, their embedding left out

    def add(self, query: Row, found: Sequence[str], seconds: float) -> None:
        """One question and what was found, best first."""
        row = [*(share_found(query, found, k) for k in KS), *gains(query, found)]
        self.scores[query["lang"], query["category"]].append(row)
        self.took.append(seconds * 1000)

    def parts(self) -> Iterator[tuple[str, int, list[float]]]:
        """(name, questions, figures): all, each language if there are several, each category of each."""
        rest = {key: rows for key, rows in self.scores.items() if key[1] != APART}
        langs = sorted({lang for lang, _ in rest})
        if rest:
            yield _part("all", rest.values())
        for lang in langs if len(langs) > 1 else ():
            yield _part(f"{lang} all", (rows for key, rows in rest.items() if key[0] == lang))
        for key in (*sorted(rest), *sorted(self.scores.keys() - rest.keys())):
            yield _part(" ".join(key), [self.scores[key]])

    def percentile(self, p: int) -> float:
        """Of the times, in ms."""
        return float(np.percentile(self.took, p))

    def told(self) -> dict[str, Any]:
        """For a file."""
        parts = {
            name: {"questions": n, **dict(zip(FIGURES, row, strict=True))}
            for name, n, row in self.parts()
        }
        return {
            "parts": parts,
            "p50_ms": self.percentile(50),
            "p95_ms": self.percentile(95),
            "written": self.written,
        }


def _part(name: str, groups: Any) -> tuple[str, int, list[float]]:
    rows = [row for group in groups for row in group]
    return name, len(rows), [fmean(column) for column in zip(*rows, strict=True)]


def totals(tallies: Mapping[str, Tally]) -> Iterator[str]:
    """A line a way: every figure, times, and how fast it takes memories in."""
    yield f"{'':12}" + "".join(f"{h:>9}" for h in (*FIGURES, "p50 ms", "p95 ms", "written/s"))
    for name, tally in tallies.items():
        _, _, figures = next(tally.parts())
        cells = [f"{f:.3f}" for f in figures] + [f"{tally.percentile(p):.2f}" for p in (50, 95)]
        cells.append("" if tally.written is None else f"{tally.written:,.0f}")
        yield f"{name:12}" + "".join(f"{c:>9}" for c in cells)


def by_part(tallies: Mapping[str, Tally], figure: str) -> Iterator[str]:
    """One figure: a line a category of a language, a column a way; the best of each in brackets."""
    at = FIGURES.index(figure)
    yield f"{figure:26}{'n':>5}" + "".join(f"{name:>11}" for name in tallies)
    for lines in zip(*(tally.parts() for tally in tallies.values()), strict=True):
        shown = [f"{figures[at]:.3f}" for _, _, figures in lines]
        best = max(shown)
        cells = (f"[{s}]" if s == best else f"{s} " for s in shown)
        yield f"  {lines[0][0]:24}{lines[0][1]:>5}" + "".join(f"{c:>11}" for c in cells)
