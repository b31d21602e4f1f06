"""`ebb memory export`, `import` and `mirror`, as a shell sees them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.e2e.test_cli import ebb

pytestmark = pytest.mark.timeout(240)  # each test starts the command many times


def test_out_and_in_again(tmp_path: Path) -> None:
    """From one home to another: identical, idempotent, with a dry run that tells what would come."""
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "all.jsonl"
    for words in ("我喜欢喝乌龙茶", "I'm allergic to peanuts", "my door code is 4711#99"):
        assert ebb(old, "memory", "add", words).returncode == 0
    done = ebb(old, "memory", "export", str(file))
    assert done.returncode == 0
    assert "3 memories" in done.stderr
    assert "1 secrets" in done.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "4711#99" not in file.read_text("utf-8")
    rehearsed = ebb(new, "memory", "import", str(file), "--dry-run")
    assert "3 memories: new" in rehearsed.stdout
    assert ebb(new, "memory", "list").stdout.strip() == "0 of 0"
    assert (
        "3 memories: new" in ebb(new, "memory", "import", "-", stdin=file.read_text("utf-8")).stdout
    )
    assert ebb(new, "memory", "export").stdout == file.read_text("utf-8")
    assert "already" in ebb(new, "memory", "import", str(file)).stdout
    file.write_text(file.read_text("utf-8").replace('"rev"', '"reef"', 1), "utf-8")
    broken = ebb(tmp_path / "third", "memory", "import", str(file))
    assert broken.returncode == 2
    assert "lacks rev" in broken.stderr
    assert len(broken.stderr.strip().splitlines()) == 1
    assert "乌龙茶" in (new / "MEMORY.md").read_text("utf-8")


def test_what_others_wrote(tmp_path: Path) -> None:
    """One memory a line, with dates; undone as one act."""
    pasted = "[2024-05-01] - Lives in Lyon\n- I like oolong tea\n"
    done = ebb(tmp_path, "memory", "import", "-", stdin=pasted)
    assert "2 memories: new" in done.stdout
    assert "Lives in Lyon" in ebb(tmp_path, "memory", "list").stdout
    assert ebb(tmp_path, "memory", "undo").returncode == 0
    assert ebb(tmp_path, "memory", "list").stdout.strip() == "0 of 0"


def test_the_file_and_the_verbs_agree(tmp_path: Path) -> None:
    """An edit made while nothing ran counts for the next verb, and what a verb does is in the file."""
    path = tmp_path / "MEMORY.md"
    for thing in ("the violin", "old maps", "ramen"):
        assert ebb(tmp_path, "memory", "add", f"I love {thing}").returncode == 0
    text = path.read_text("utf-8")
    path.write_text(
        text.replace("ramen", "soba").replace("## Archived", "- I live in Lyon\n\n## Archived"),
        "utf-8",
    )
    listed = ebb(tmp_path, "memory", "list").stdout
    assert "soba" in listed
    assert "I live in Lyon" in listed
    lines = path.read_text("utf-8").split("\n")
    last = [line for line in lines if "<!-- [" in line][2:]
    path.write_text("\n".join(line for line in lines if line not in last), "utf-8")
    asked = ebb(tmp_path, "memory", "mirror")
    assert str(path) in asked.stdout
    assert "2 memories are missing" in asked.stdout
    assert "2" in ebb(tmp_path, "memory", "mirror", "--forget-missing").stdout
    assert ebb(tmp_path, "memory", "list").stdout.strip().endswith("2 of 2")
