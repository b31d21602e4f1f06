"""The file itself: read as it is, written whole or not at all, with what it replaces kept beside it."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from memory.models import Lang
from memory.text.clean import clean_input

Seal: TypeAlias = tuple[int, int, int]  # mtime in ns, size, inode: changes whenever somebody writes
_PREFIX: Final = ".ebb-mirror-"
_SETTLE: Final = 0.15  # seconds in which an editor may still be writing
_TRIES: Final = 40
_FEW: Final = 3  # times as many lines may be damaged as are sound UTF-8 beyond ASCII


@dataclass(frozen=True, slots=True)
class MirrorFile:
    """A file as it was read; `digest` is that of its bytes."""

    text: str
    digest: str
    seal: Seal


def seal_of(path: Path) -> Seal | None:
    """What tells one state of the file from another; None if there is none."""
    try:
        s = path.stat()
    except OSError:
        return None
    return s.st_mtime_ns, s.st_size, s.st_ino


def compute_digest(data: bytes) -> str:
    """A short name for these bytes."""
    return hashlib.sha256(data).hexdigest()[:32]


def read(path: Path, ours: frozenset[str], lang: Lang = "en") -> MirrorFile | None:
    """The file, None if there is none. Unless its digest is one of `ours`, it is read when nobody
    writes any more.

    Raises OSError if it is there and cannot be read.
    """
    before = _take(path)
    for _ in range(_TRIES):
        if before is None or compute_digest(before[0]) in ours or _at_rest(before[1]):
            break
        time.sleep(_SETTLE)
        after = _take(path)
        if after == before:
            break
        before = after
    if before is None:
        return None
    data, seal = before
    return MirrorFile(decode_file(data, lang), compute_digest(data), seal)


def _at_rest(seal: Seal) -> bool:
    """Whether nobody has written for a while, by the file system's own clock."""
    return time.time() - seal[0] / 1e9 > 2 * _SETTLE  # noqa: TID251 - no clock of the program's knows when a file was saved


def _take(path: Path) -> tuple[bytes, Seal] | None:
    for _ in range(_TRIES):
        first = seal_of(path)
        if first is None:
            return None
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            continue  # an editor is replacing it
        if seal_of(path) == first:
            return data, first
        time.sleep(_SETTLE / 4)
    raise OSError(f"{path} does not hold still.")


def decode_file(data: bytes, lang: Lang) -> str:
    """Its text: UTF-8, UTF-16 with its mark (an old Windows editor), else what that editor uses for
    the language.

    A file that is UTF-8 but for a few lines is UTF-8: what is not stays as it is (`damaged`), and
    is written back.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return clean_input(data.decode("utf-16", "replace"))
    text = data.decode("utf-8-sig", "surrogateescape").replace("\0", "␀")
    lines = [line for line in text.split("\n") if not line.isascii()]
    broken = sum(is_damaged(line) for line in lines)
    if broken <= _FEW * (len(lines) - broken):
        return text
    return clean_input(data.decode("gb18030" if lang == "zh" else "cp1252", "replace"))


def is_damaged(text: str) -> bool:
    """Whether there are bytes in it that are no text."""
    return any("\udc80" <= c <= "\udcff" for c in text)


def encode_file(text: str) -> bytes:
    """The bytes of a text, those that were none included."""
    return re.sub("[\ud800-\udc7f\udd00-\udfff]", "?", text).encode("utf-8", "surrogateescape")


def write(path: Path, text: str, *, expected: Seal | None, backup: str | None) -> Seal | None:
    """Replace the file by `text`, and its backup by `backup` first; the new file's seal.

    None, and nothing replaced, if the file is not as it was `expected` any more: somebody has saved
    it meanwhile. A link is followed, so that it stays one. Raises OSError.
    """
    target = path.resolve() if path.is_symlink() else path
    if backup is not None:
        _put(path.with_name(path.name + ".bak"), backup, None, check=False)
    return _put(target, text, expected, check=True)


def _put(path: Path, text: str, expected: Seal | None, *, check: bool) -> Seal | None:
    fd, name = tempfile.mkstemp(prefix=_PREFIX, dir=path.parent)  # mkstemp gives 0600
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(encode_file(text))
            f.flush()
            os.fsync(f.fileno())
        seal = seal_of(Path(name))
        if check and seal_of(path) != expected:
            return None
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
    _sync_dir(path.parent)
    return seal


def _sync_dir(path: Path) -> None:
    with suppress(OSError):  # not every system can
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def remove_leftovers(home: Path, older: float = 60.0) -> None:
    """Remove what a process that was killed while writing left behind, so many seconds ago."""
    for left in home.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > older:  # noqa: TID251 - compared with the file system's own clock
                left.unlink()
