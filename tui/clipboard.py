"""Copying: the system's own tool first, because the terminal's way (OSC 52) fails silently in some terminals."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence

_SECONDS = 2.0
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
    """Give `text` to the first tool that takes it; its name, or None where none did. Blocks up to
    two seconds each.

    The tools that stay behind to serve the clipboard keep no pipe of ours open, so this returns at
    once.
    """
    for tool in _TOOLS.get(sys.platform, _TOOLS["linux"]):
        path = shutil.which(tool[0])
        if path is None:
            continue
        data = text.encode("utf-16-le" if tool[0].startswith("clip") else "utf-8", "replace")
        try:
            done = subprocess.run(  # noqa: S603 - a fixed command, found on PATH, fed through stdin
                [path, *tool[1:]],
                input=data,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return tool[0]
    return None
