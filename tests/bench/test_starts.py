"""Every benchmark can be started as its first line says."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

import tests.bench

SMALL = {
    "latency": ["--memories", "40", "--turns", "2"],
    "turn": ["--memories", "40", "--turns", "2"],
    "mirror": ["--memories", "40", "--pasted", "0"],
    "upkeep": ["40"],
    "recall": ["--data", "{life}", "--peers"],
    "smalltalk": ["--data", "{life}"],
    "tune": ["--data", "{life}"],
}


def _lived(folder: Path, people: int) -> Path:
    """Short lives, as the others read them."""
    _start("life", str(folder), "--people", str(people), "--lang", "en")
    path = folder / "queries.jsonl"
    kept = path.read_text(encoding="utf-8").splitlines()[::40]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return folder


def _start(name: str, *arguments: str) -> None:
    before, sys.argv = sys.argv, [f"tests/bench/{name}.py", *arguments]
    try:
        runpy.run_module(f"tests.bench.{name}", run_name="__main__", alter_sys=False)
    finally:
        sys.argv = before


def test_none_is_left_out() -> None:
    """Whatever can be run is run here."""
    files = Path(tests.bench.__file__).parent.glob("[!_]*.py")
    runnable = {f.stem for f in files if '__name__ == "__main__"' in f.read_text(encoding="utf-8")}
    assert runnable - {"test_life", "test_starts"} == {
        *SMALL,
        "cost",
        "curves",
        "documents",
        "erring",
        "forgetting",
        "mirror_edits",
        "nights",
        "scale",
        "kills",
        "notebook",
        "reader",
        "slots",
    }  # which have tests of their own, or need the weights


@pytest.mark.filterwarnings(
    "ignore:'tests.bench:RuntimeWarning"
)  # another test has imported it before
@pytest.mark.parametrize("name", sorted(SMALL))
def test_it_starts(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With tiny inputs, to its end."""
    made = {a: _lived(tmp_path, n) for a, n in (("{life}", 1), ("{pair}", 2)) if a in SMALL[name]}
    arguments = [str(made.get(a, a)) for a in SMALL[name]]
    _start(name, *arguments)
    assert capsys.readouterr().out.strip()
