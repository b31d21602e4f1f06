"""The output gate: what any text may send to a screen, used by every surface."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, Final

# C0 but tab and newline, DEL and C1; bidirectional embeddings, overrides and isolates, which
# reorder what is read; line and paragraph separators.
_UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def clean_output(text: str) -> str:
    """Make every control character visible and harmless; newlines, tabs and joined emoji stay as they are."""
    if not _UNSAFE.search(text):
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _UNSAFE.sub(_shown, paired.replace("\r\n", "\n"))


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in "\r\u2028\u2029":
        return "\n"
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"␛{chr(code - 0x40)}" if code < 0xA0 else "�"  # a C1 control is ESC and a letter in one


class CleanStream:
    """A text stream that passes everything written through the gate; `raw` is the stream behind it."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write the cleaned text, with `?` for what the stream's encoding lacks.

        Returns the length given.
        """
        encoding = getattr(self.raw, "encoding", None) or "utf-8"
        self.raw.write(clean_output(text).encode(encoding, "replace").decode(encoding))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Put the gate before stdout and stderr, piped or not; bytes on stdin that are no text become U+FFFD."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        s if s is None or isinstance(s, CleanStream) else CleanStream(s) for s in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
