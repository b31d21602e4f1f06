"""What REFERENCE.md says of the curves is what they are."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memory.lifecycle
from memory.lifecycle import CURVES
from memory.lifecycle.fsrs import shape
from memory.lifecycle.relevance import get_kind_importance
from memory.models import Importance, Kind

TEXT = (Path(memory.lifecycle.__file__).parent / "REFERENCE.md").read_text("utf-8")


def test_the_table_of_curves() -> None:
    """Range, breakpoints, and below what a memory is forgotten."""
    rows = re.findall(
        r"^\| `(\w+)` [^|]*\|[^|]*\| ([\d.]+) – ([\d.]+) \| ([\d. ]+) \| (never|[\d.]+) \|$",
        TEXT,
        re.M,
    )
    assert [r[0] for r in rows] == list(CURVES)
    for name, low, high, breakpoints, below in rows:
        curve = CURVES[name]
        assert (float(low), float(high)) == (curve.bounds[0], round(curve.bounds[1], 1))
        assert tuple(map(float, breakpoints.split())) == curve.breakpoints
        assert (None if below == "never" else float(below)) == curve.forgets_below


def test_importance_by_kind() -> None:
    """As the list of `relevance` has it."""
    told = re.search(r"importance by kind \((.*?)\);", TEXT, re.S)
    assert told is not None
    said = {
        kind: float(n)
        for n, kinds in re.findall(r"([\d.]+) ([a-z ]+)", " ".join(told[1].split()))
        for kind in kinds.split(" and ")
    }
    said = {k.strip(): n for k, n in said.items()}
    for kind in Kind:
        assert get_kind_importance(kind) == said.get(kind.value, said["the rest"]), kind


def test_the_figures_of_fsrs() -> None:
    """F, and the first stabilities by importance."""
    f = re.search(r"F = 0\.9\^\(−1/0\.1542\) − 1\s+= ([\d.]+)", TEXT)
    firsts = re.search(r"a stability of\s+([\d.]+), ([\d.]+) or ([\d.]+) days", TEXT)
    assert f is not None
    assert firsts is not None
    assert shape()[1] == pytest.approx(float(f[1]), abs=5e-5)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    for said, importance in zip(firsts.groups(), Importance, strict=True):
        assert CURVES["fsrs"].create_state(Kind.FACT, importance, now).strength == pytest.approx(
            float(said)
        )


def test_every_disagreement_is_named() -> None:
    """Those that the sources have: a reader who finds one there finds it here."""
    for words in (
        "the fading-levels paper, day 3000",
        "the weight paper, U",
        "the weight paper, recovery",
        "0.61 above normal 0.58",
        "weight < 0.01",
        '"new = 1.0"',
        "≥ 0.3",
        "the session paper, archived",
    ):
        assert words in TEXT, words
