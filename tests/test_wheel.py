"""What is installed without a checkout: the wheel has everything, and `ebb` runs from it alone."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
UV = shutil.which("uv")
pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(
        os.name == "nt", reason="an environment's folders are named otherwise on Windows"
    ),
]


def _run(*command: str | Path, cwd: Path, **env: str) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("EBB_", "OPENAI_", "PYTHON"))}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_runs_in_an_environment_of_its_own(tmp_path: Path) -> None:
    """Built without network; its files are those of the packages; `ebb ask` remembers and answers from it."""
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=ROOT)
    (wheel,) = tmp_path.glob("ebb-*.whl")
    with zipfile.ZipFile(wheel) as z:
        packed = {n for n in z.namelist() if ".dist-info/" not in n}
    kept = {".py", ".toml", ".md", ".npz", ".tcss", ".sql", ".json", ".txt", ".gz"}
    here = {
        p for package in ("bot", "memory", "prompts", "tui") for p in (ROOT / package).rglob("*")
    }
    wanted = {p.relative_to(ROOT).as_posix() for p in here if p.suffix in kept and p.is_file()}
    assert wanted <= packed
    assert not any(n.startswith("tests/") for n in packed)

    home, own = tmp_path / "home", tmp_path / "venv"
    venv.create(own, with_pip=False, symlinks=True)
    python, (site,) = own / "bin/python", own.glob("lib/python*/site-packages")
    # What Ebb depends on is the suite's, for nothing may be downloaded; Ebb itself is the wheel's.
    (site / "suite.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    if importlib.util.find_spec("pip") is not None:
        install = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(python),
            "install",
            "-q",
            "--no-index",
            "--no-deps",
        ]
    elif UV is not None:
        install = [UV, "pip", "install", "-q", "--python", str(python), "--offline", "--no-deps"]
    else:
        pytest.skip("there is nothing to install with")
    _run(*install, wheel, cwd=tmp_path)
    where = _run(
        python,
        "-c",
        "import bot, tui, memory, prompts; print(bot.__file__, prompts.__file__)",
        cwd=tmp_path,
    )
    assert where.count(str(site)) == 2

    settings = {
        "EBB_HOME": str(home),
        "EBB_PROVIDER": "offline",
        "EBB_EMBEDDER": "lexical",
        "EBB_TZ": "UTC",
    }
    _run(own / "bin/ebb", "ask", "remember that I'm allergic to peanuts", cwd=tmp_path, **settings)
    assert "peanuts" in _run(
        own / "bin/ebb", "ask", "What am I allergic to?", cwd=tmp_path, **settings
    )
    assert "ebb telegram" in _run(own / "bin/ebb", "telegram", "--help", cwd=tmp_path, **settings)
