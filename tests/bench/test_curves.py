"""The benchmark of the curves counts what it says it counts."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory.lifecycle import CURVES
from tests.bench.curves import (
    COUNT,
    UNSPACED,
    choose_words,
    compute_auc,
    list_sessions,
    main,
    measure,
)
from tests.bench.data import User

START = datetime(2026, 1, 1, 18, 0)
# said every thirty days, three times in one evening, once
REGULARS, BURST, ONCE = ("piano", "garden"), ("moving", "boxes"), ("dentist", "parking", "lottery")


def talk() -> User:
    """Half a year in which some things come up again, some no more."""
    user = User()
    for n in range(18):
        words = ["sister", *(REGULARS if n % 3 == 0 else ()), *(BURST if n < 3 else ())]
        words += [w for i, w in enumerate(ONCE) if n == i + 1]
        at = START + (timedelta(hours=n) if n < 3 else timedelta(days=10 * n))
        for seq, text in enumerate((f"Ann: We spoke of {' '.join(words)}!", "Bob: [a cello] 2024")):
            row = {"user": "ann", "text": text, "time": at.isoformat(), "session": f"s{n}"}
            user.memories.append({**row, "seq": seq})
    return user


def test_what_comes_up_again_is_foretold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No speaker, picture, figure or everyday word counts; spacing tells a habit from one evening."""
    sessions = list_sessions(talk())
    assert len(sessions) == 18
    assert set(choose_words(sessions)) == {*REGULARS, *BURST, *ONCE}
    found = measure({"ann": talk()})
    assert found.keys() == {*CURVES, UNSPACED, COUNT}
    assert found["fade"] > found[UNSPACED] > 0.5
    lines = "".join(json.dumps(row) + "\n" for row in talk().memories)
    (tmp_path / "memories.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "queries.jsonl").touch()
    main(tmp_path, 2)
    assert f"  fade                   {found['fade']:.3f}" in capsys.readouterr().out


def test_the_area_under_the_curve() -> None:
    """Of pairs of a true and a false one, those in order; a tie is half."""
    assert compute_auc([3, 2, 2, 1], [True, True, False, False]) == pytest.approx(3.5 / 4)
