"""A terminal that goes away (a closed window, a lost connection) must not take what is being stored with it."""

from __future__ import annotations

import contextlib
from typing import Any

from textual.driver import Driver


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
    """`base`, writing to a file that forgives."""

    class Outliving(base):  # type: ignore[valid-type, misc]  # the platform decides which
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            file = getattr(self, "_file", None)
            if file is not None:
                self._file = _TolerantFile(file)

    return Outliving
