"""Make texts safe: whole characters going in, no control sequences going out, bounded lengths."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, Final

PIECE: Final = 20_000  # characters that one rule reads at a time
MOST_READ: Final = 2_000  # characters of a message that are read for what it asks
MESSAGE_OVERHEAD: Final = 4  # tokens that a chat format spends on each message's role and borders
_BROKEN: Final = re.compile("[\x00\ud800-\udfff]")
# C0 but tab and newline, DEL and C1; bidirectional embeddings, overrides and isolates, which
# reorder what is read; line and paragraph separators.
_UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACE: Final = re.compile(r"\s")
_END: Final = re.compile(r"\n|[。！？；]|[.!?;](?=\s)")
# What a token is about: so many characters of the run, and tokens for each.
_TOKENS: Final = tuple(
    (re.compile(pattern), size, tokens)
    for pattern, size, tokens in (
        (r"[A-Za-z]+", 7, 1),
        (r"[0-9]+", 3, 1),
        (r"[!-/:-@\[-`{-~\n]+", 2, 1),
        ("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\U00020000-\U0003ffff]", 1, 1),
        ("[\U00010000-\U0001ffff]", 1, 2),
    )
)
_OTHER: Final = re.compile("[\u00a1-\u2e7f\ua000-\uabff]")


def clean_input(text: str) -> str:
    """Replace U+0000 by ␀ and lone surrogates by U+FFFD, which no store takes."""
    return _pair_surrogates(text).replace("\x00", "␀") if _BROKEN.search(text) else text


def clean_output(text: str) -> str:
    """Make every control character visible and harmless; newlines, tabs and joined emoji stay."""
    if not _UNSAFE.search(text):
        return text
    return _UNSAFE.sub(_show, _pair_surrogates(text).replace("\r\n", "\n"))


def _pair_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _show(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in "\r\u2028\u2029":
        return "\n"
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"␛{chr(code - 0x40)}" if code < 0xA0 else "�"  # a C1 control is ESC and a letter in one


class CleanStream:
    """A text stream that cleans everything written to the stream behind it, `raw`."""

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
    """Clean what goes to stdout and stderr; bytes on stdin become text."""
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


def split_pieces(text: str, size: int = PIECE, overlap: int = 500) -> list[tuple[int, str]]:
    """Cut a text at line or sentence ends into overlapping pieces, each with its offset.

    All of the text is in them; `overlap` is less than half of `size`.
    """
    out: list[tuple[int, str]] = []
    start = 0
    while len(text) - start > size:
        end = _last_end(text, start + size // 2, start + size)
        out.append((start, text[start:end]))
        gap = _SPACE.search(text, end - overlap, end)
        start = gap.end() if gap else end - overlap
    return [*out, (start, text[start:])]


def keep_ends(text: str, most: int) -> str:
    """Keep at most `most` characters of a text: its beginning and its end."""
    if len(text) <= most:
        return text
    head, tail = text[: _last_end(text, most // 4, most // 2 - 1)], text[-(most // 2) :]
    return f"{head}\n{tail[_last_end(tail, 0, most // 4) :]}"


def _last_end(text: str, low: int, high: int) -> int:
    """Find the last line or sentence end in text[low:high], else the last space, else `high`."""
    ends = [m.end() for m in _END.finditer(text, low, high)]
    return ends[-1] if ends else max(text.rfind(" ", low, high) + 1, 0) or high


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text, on the high side: for budgets, never for billing.

    Tokenisers differ, and the endpoint does not say which it uses: a CJK character counts as one
    token, a Latin word as one for each seven letters begun, marks and digits by themselves.
    """
    runs = _TOKENS[:3] if text.isascii() else _TOKENS
    count = sum(
        (len(run) + size - 1) // size * tokens
        for pattern, size, tokens in runs
        for run in pattern.findall(text)
    )
    return count if text.isascii() else count + (len(_OTHER.findall(text)) + 1) // 2
