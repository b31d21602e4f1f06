"""The terminal around the window: its clipboard, and what to do when it goes away."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from textual.driver import Driver

_LOOKED_AT = 1.0  # seconds between two looks whether the terminal is still there
_SECONDS = 2.0  # that a tool has to take a text
_TOOLS: dict[str, Sequence[Sequence[str]]] = {
    "darwin": (("pbcopy",),),
    "win32": (("clip",),),
    "linux": (
        ("wl-copy", "--type", "text/plain;charset=utf-8"),
        ("xclip", "-selection", "clipboard", "-in"),
        ("xsel", "--clipboard", "--input"),
        ("termux-clipboard-set",),
        ("clip.exe",),
    ),
}


def copy(text: str) -> str | None:
    """Give `text` to the first tool that takes it; return its name, or None where none did.

    The system's own tool comes first, because the terminal's way (OSC 52) fails silently in some
    terminals. Tools that stay behind to serve the clipboard keep no pipe of ours open.
    """
    for tool in _TOOLS.get(sys.platform, _TOOLS["linux"]):
        path = shutil.which(tool[0])
        if path is None:
            continue
        data = text.encode("utf-16-le" if tool[0].startswith("clip") else "utf-8", "replace")
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(  # noqa: S603 - a fixed command, found on PATH, fed through stdin
                [path, *tool[1:]],
                input=data,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=True,
            )
            return tool[0]
    return None


class _TolerantFile:
    """A file whose reader may be gone: what cannot be written any more is dropped.

    Textual writes from a thread through a bounded queue; an error ends the thread, and the window
    would wait for room in the queue for ever.
    """

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._file.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def make_tolerant_driver(base: type[Driver]) -> type[Driver]:
    """Return `base`, writing to a file that forgives."""

    class Outliving(base):  # type: ignore[valid-type, misc]  # the platform decides which
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            file = getattr(self, "_file", None)
            if file is not None:
                self._file = _TolerantFile(file)

    return Outliving


@contextlib.contextmanager
def handle_signals(handlers: Mapping[str, Callable[[], object]]) -> Iterator[None]:
    """Call a handler when a signal of that name comes from outside, while this is open."""
    loop = asyncio.get_running_loop()
    # Not every system has every signal, and Windows' loop has no handlers.
    refused = (NotImplementedError, RuntimeError, ValueError)
    known = {n: h for name, h in handlers.items() if (n := getattr(signal, name, None))}
    for number, handler in known.items():
        with contextlib.suppress(*refused):
            loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in known:
            with contextlib.suppress(*refused):
                loop.remove_signal_handler(number)


async def wait_until_gone() -> None:
    """Wait until the terminal is gone: a pane that was killed above us sends no SIGHUP."""
    while sys.stdin.isatty():  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(_LOOKED_AT)
