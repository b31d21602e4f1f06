"""The file itself: read as it is, written whole or not at all, with a backup beside it."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from memory.text.clean import clean_input
from memory.text.languages import values

Seal: TypeAlias = tuple[int, int, int]  # mtime in ns, size, inode: changes whenever somebody writes
_ABSENT: Final[Seal] = (0, 0, 0)
_PREFIX: Final = ".ebb-mirror-"
_SETTLE: Final = 0.15  # seconds in which an editor may still be writing
_TRIES: Final = 40
_DAMAGED: Final = re.compile("[\udc80-\udcff]")
_SHARE_OF_NULS: Final = 8  # from this share of the bytes on, it is UTF-16 without its mark
_FEW: Final = 3  # times as many lines may be damaged as are sound UTF-8 beyond ASCII


@dataclass(frozen=True, slots=True)
class MirrorFile:
    """Both files as they were read, None where there is none; `digest` is that of their bytes."""

    text: str | None
    more: str | None
    digest: str
    seals: tuple[Seal | None, Seal | None]


def find_more(path: Path) -> Path:
    """Return the path of what MEMORY.md has no room for."""
    return path.with_name(f"{path.stem}.more.md")


def seals_of(path: Path) -> tuple[Seal | None, Seal | None]:
    """Return the seals of both files."""
    return seal_of(path), seal_of(find_more(path))


def seal_of(path: Path) -> Seal | None:
    """Return what tells one state of the file from another; None if there is no file."""
    try:
        s = path.stat()
    except OSError:
        return None
    return s.st_mtime_ns, s.st_size, s.st_ino


def compute_digest(data: bytes | None, more: bytes | None = None) -> str:
    """Return a short name for these bytes."""
    whole = (data or b"") + (b"" if more is None else b"\0" + more)
    return hashlib.sha256(whole).hexdigest()[:32]


def read(path: Path, ours: frozenset[str]) -> MirrorFile:
    """Read both files; unless their digest is one of `ours`, when nobody writes any more.

    Raises OSError if one is there and cannot be read.
    """
    before = None
    for _ in range(_TRIES):
        seals = seals_of(path)
        if not any(seals):
            return MirrorFile(None, None, compute_digest(None), seals)
        with suppress(FileNotFoundError):  # an editor is replacing it
            data = path.read_bytes() if seals[0] else None
            more = find_more(path).read_bytes() if seals[1] else None
            digest = compute_digest(data, more)
            if seals_of(path) == seals and (digest in ours or before == (digest, seals)):
                text, beside = (None if x is None else decode_file(x) for x in (data, more))
                return MirrorFile(text, beside, digest, seals)
            before = digest, seals
        time.sleep(_SETTLE)
    raise OSError(f"{path} does not hold still.")


def decode_file(data: bytes) -> str:
    """Decode UTF-8, UTF-16, else what an old editor uses for the language of the page.

    In a file that is UTF-8 but for a few lines, those stay as they are (`is_damaged`), and are
    written back. A NUL says nothing, and is left out.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return clean_input(data.decode("utf-16", "replace"))
    if data.count(0) > len(data) / _SHARE_OF_NULS:
        order = "be" if data[::2].count(0) > data[1::2].count(0) else "le"
        return clean_input(data.decode(f"utf-16-{order}", "replace"))
    text = data.decode("utf-8-sig", "surrogateescape").replace("\0", "")
    lines = [line for line in text.split("\n") if not line.isascii()]
    broken = sum(is_damaged(line) for line in lines)
    if broken <= _FEW * (len(lines) - broken):
        return text
    own = [heading for key in ("ACTIVE", "ARCHIVED") for heading in values("mirror", key).values()]
    tried = []
    for name in values("mirror", "ENCODING").values():
        with suppress(UnicodeDecodeError):
            tried.append(data.decode(name))
    # Signs of two bytes make the shorter text; without a heading of ours it is none.
    readable = [x for x in tried if any(heading in x for heading in own)]
    return clean_input(min(readable, key=len, default=text))


def is_damaged(text: str) -> bool:
    """Tell whether there are bytes in it that are no text."""
    return not text.isascii() and _DAMAGED.search(text) is not None


def encode_file(text: str) -> bytes:
    """Return the bytes of a text, those that were none included."""
    return re.sub("[\ud800-\udc7f\udd00-\udfff]", "?", text).encode("utf-8", "surrogateescape")


def write(path: Path, text: str, *, expected: Seal | None, backup: str | None) -> Seal | None:
    """Write `backup` beside the file, then replace the file by `text`; return its new seal.

    Returns None, and replaces nothing, if the file is not as `expected`: somebody has saved it
    meanwhile. Without a text the file goes, and its backup, which nothing would write anew. A link
    is followed, so that it stays one. Raises OSError.
    """
    beside = path.with_name(path.name + ".bak")
    if not text:
        if seal_of(path) != expected:
            return None
        beside.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        return expected or _ABSENT
    if backup is not None:
        _put(beside, backup)
    target = path.resolve() if path.is_symlink() else path
    return _put(target, text, lambda: seal_of(target) == expected)


def _put(path: Path, text: str, may: Callable[[], bool] = lambda: True) -> Seal | None:
    fd, name = tempfile.mkstemp(prefix=_PREFIX, dir=path.parent)  # mkstemp gives 0600
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(encode_file(text))
            f.flush()
            os.fsync(f.fileno())
        seal = seal_of(Path(name))
        if not may():
            return None
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
    with suppress(OSError):  # not every system can
        fd = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    return seal


def remove_leftovers(home: Path, older: float = 5.0) -> None:
    """Remove what a killed process left so many seconds ago: no writing takes so long."""
    for left in home.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            # Compared with the file system's own clock.
            if time.time() - left.stat().st_mtime > older:  # noqa: TID251
                left.unlink()
