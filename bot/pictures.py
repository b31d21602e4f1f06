"""Pictures sent with a message: found by path, checked by their first bytes, never stored."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from memory.models import Json

MOST: Final = 4  # of one message
LARGEST: Final = 8 * 1024 * 1024  # bytes of one
HEAD: Final = 16  # bytes that show what a file is
_HEADS: Final = {
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.S),
}
_PATHLIKE: Final = ("/", "~", ".", "'", '"', "file://")
# A path as people type it, shells quote it and terminals paste what is dropped on them.
_PATH: Final = re.compile(r"""\s*(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\"'])+))""")


class PictureError(ValueError):
    """No picture that can be sent; `code` is the text that says why, `name` the file's."""

    def __init__(self, code: str, name: str) -> None:
        super().__init__(code)
        self.code, self.name = f"picture.{code}", name


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its name and bytes."""

    name: str
    data: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.data) > LARGEST:
            raise PictureError("large", self.name)
        if not find_format(self.data):
            raise PictureError("unknown", self.name)

    @property
    def part(self) -> Json:
        """Return it as a part of a message to a model."""
        coded = base64.b64encode(self.data).decode()
        url = f"data:image/{find_format(self.data)};base64,{coded}"
        return {"type": "image_url", "image_url": {"url": url}}


def find_format(data: bytes) -> str:
    """Return the format that first bytes show, or nothing."""
    return next((name for name, head in _HEADS.items() if head.match(data)), "")


def read_pictures(paths: Iterable[str]) -> tuple[Picture, ...]:
    """Read pictures from files. Raises PictureError."""
    return tuple(map(_read_picture, paths))


def _read_picture(path: str) -> Picture:
    try:
        where = Path(path).expanduser()
        if not where.is_file():
            raise PictureError("missing", path)
        with where.open("rb") as file:
            return Picture(where.name, file.read(LARGEST + 1))
    except (OSError, RuntimeError) as e:
        raise PictureError("missing", path) from e


def find_picture(text: str) -> str:
    """Return the path of the picture that a whole text is, as it stands or quoted, or nothing."""
    whole = _PATH.fullmatch(text.strip())
    for path in (text.strip(), _unquote(whole) if whole else ""):
        if path and "\n" not in path and _is_picture(path):
            return path
    return ""


def split_pictures(text: str) -> tuple[list[str], str]:
    """Return the paths of pictures that a text begins with, and the words behind them."""
    paths, at = list[str](), 0
    while (m := _PATH.match(text, at)) and _is_picture(path := _unquote(m)):
        paths.append(path)
        at = m.end()
    return paths, text[at:].strip()


def begins_with_picture(text: str) -> bool:
    """Tell whether a text begins with the path of a picture, written so that it is no word."""
    return text.lstrip().startswith(_PATHLIKE) and bool(split_pictures(text)[0])


def split_path(text: str) -> tuple[str, str]:
    """Return what stands first in a text, as a path, and the words behind it."""
    m = _PATH.match(text)
    return (_unquote(m), text[m.end() :].strip()) if m else ("", text)


def quote_path(path: str) -> str:
    """Write a path so that it is read as one."""
    return f"'{path}'" if '"' in path else f'"{path}"'


def _unquote(m: re.Match[str]) -> str:
    path = m[1] or m[2] or re.sub(r"\\(.)", r"\1", m[3])
    return unquote(urlsplit(path).path) if path.startswith("file://") else path


def _is_picture(path: str) -> bool:
    try:
        where = Path(path).expanduser()
        if not where.is_file():  # a pipe would keep us waiting
            return False
        with where.open("rb") as file:
            return bool(find_format(file.read(HEAD)))
    except (OSError, ValueError, RuntimeError):
        return False
