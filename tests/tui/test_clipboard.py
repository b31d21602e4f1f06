"""Copying with the system's own tool."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tui.terminal import copy

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the tools are stood in for by shell scripts"
)


def _tool(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing to be found but what the test puts there."""
    monkeypatch.setenv("PATH", f"{tmp_path}")
    return tmp_path


def test_the_first_tool_that_works_is_used(path: Path) -> None:
    """One that fails (no display) is passed over; the text arrives byte for byte."""
    _tool(path, "wl-copy", "exit 1")
    _tool(path, "xclip", f"/bin/cat > {path}/got")
    assert copy("**水**\n  two") == "xclip"
    assert (path / "got").read_text("utf-8") == "**水**\n  two"


def test_without_a_tool_it_says_so(path: Path) -> None:
    """None: the caller goes on with the terminal's way."""
    assert copy("x") is None


def test_a_tool_that_hangs_is_left(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seconds, then the next."""
    monkeypatch.setattr("tui.terminal._SECONDS", 0.2)
    _tool(path, "wl-copy", "exec /bin/sleep 30")
    assert copy("x") is None
