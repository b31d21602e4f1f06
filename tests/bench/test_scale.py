"""The stop-watch of growth: every figure is there and is what it says; the picture is drawn if it can be."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.bench.scale import _resident, draw, main

DRAWN = {
    "median": 2.0,
    "p95": 3.0,
    "index": 0.5,
    "numpy": 0.4,
    "vec0": None,
    "rss": 90.0,
    "bytes": 4300.0,
}


def test_memory_is_that_of_now() -> None:
    """What was given back is in the peak and not in what is held."""
    before = _resident()
    held = np.ones(20_000_000)  # 160 MB, touched
    assert _resident()["rss"] > before["rss"] + 100
    del held
    after = _resident()
    assert after["rss"] < before["rss"] + 100
    assert after["peak"] > before["rss"] + 100


@pytest.mark.timeout(120)
def test_a_small_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Two hundred memories, a process each for writing and asking: all figures, and a line for them."""
    rows = main([200], 0, 16)
    row = rows[200]
    assert row["median"] <= row["p95"]
    assert 0 < row["rss"] <= row["peak"]
    assert 500 < row["bytes"] < 20_000
    assert row["found10"] == 1.0
    assert row["written"] > 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A PNG; without matplotlib, a word."""
    png = tmp_path / "growth.png"
    draw({1000: DRAWN, 10_000: DRAWN}, png)
    if find_spec("matplotlib"):
        assert png.read_bytes().startswith(b"\x89PNG")
    else:
        assert "matplotlib is not installed" in capsys.readouterr().out
        assert not png.exists()
