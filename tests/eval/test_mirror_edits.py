"""A few edits of MEMORY.md out of the labelled set; `python -m tests.bench.mirror_edits` does them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.mirror import files
from tests.bench.mirror_edits import open_home, run_case
from tests.eval.data import load_cases

CHOSEN = {
    "en": ("010", "012", "024", "050", "051", "056", "062", "064", "067", "076"),
    "zh": ("002", "028", "045", "048", "061", "065", "072", "078"),
}


@pytest.mark.parametrize("lang", CHOSEN)
async def test_edits_by_hand(lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each comes out as its case says, and the next look at the page finds nothing new."""
    monkeypatch.setattr(files, "_SETTLE", 0.001)
    home = tmp_path / "home"
    home.mkdir()
    async with open_home(home, lang) as opened:
        await opened.sync(0)
        user = opened.user
    wanted = {f"me-{lang}-{n}" for n in CHOSEN[lang]}
    cases = [c for c in load_cases("mirror_edits", "A") if c["id"] in wanted]
    wrong = {c["id"]: await run_case(c, home, tmp_path / c["id"], user, old=False) for c in cases}
    assert wrong == {key: [] for key in wanted}
