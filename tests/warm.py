"""Processes that begin at once: forked from a server that has imported the program already.

Everything but the import is as in a shell: the arguments, the environment, the streams, the exit code. Where a system
cannot fork, or the server cannot import, the process imports the program itself.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

_PRELOAD = [
    "bot.cli.ask",
    "bot.cli.memory",
    "bot.cli.files",
    "bot.cli.doctor",
    "bot.notebook",
    "bot.chats.telegram.polling",
    "openai",
    __name__,
]
if sys.platform == "win32":
    _process = multiprocessing.get_context("spawn").Process
else:
    _server = multiprocessing.get_context("forkserver")
    _server.set_forkserver_preload(_PRELOAD)
    _process = _server.Process


def start(
    script: str, args: Sequence[str], env: Mapping[str, str], streams: Sequence[str | Path]
) -> BaseProcess:
    """Begin a script (`python -c`); its standard streams are these files."""
    process = _process(
        target=_begin, args=(script, list(args), dict(env), [str(s) for s in streams])
    )
    process.start()
    return process


def ebb(
    args: Sequence[str], env: Mapping[str, str], *, stdin: str | None, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `ebb` to its end; `stdin` None: there is none."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if stdin is not None:
            (folder / "in").write_text(stdin, "utf-8")
        given = os.devnull if stdin is None else folder / "in"
        process = start(
            "import runpy; runpy.run_module('bot', run_name='__main__')",
            args,
            env,
            [given, folder / "out", folder / "err"],
        )
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["ebb", *args], timeout)
        out, err = ((folder / name).read_text("utf-8") for name in ("out", "err"))
        return subprocess.CompletedProcess(["ebb", *args], process.exitcode, out, err)


def _begin(script: str, args: list[str], env: dict[str, str], streams: list[str]) -> None:
    for number, name in enumerate(streams):
        given = os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(given, number)
        os.close(given)
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["ebb", *args]
    exec(script, {"__name__": "__main__"})
