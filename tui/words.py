"""Words on their way to the screen: in the window's language, broken as each language wants."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from bot.texts import Texts
from memory.api import clean_output
from memory.models import Lang, Precision

say: Final = Texts("terminal", Path(__file__).with_name("texts"))
_CJK = (
    "\u2e80-\u303f\u3041-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003134f"
)
_OPENING = "（〔［｛〈《「『【〖“‘([{"
_CLOSING = "、。〉》」』】〗〕！），．：；？］｝…—～·”’!),.:;?]}%％ー々"
# One breakable piece: opening marks, a CJK character (or a run without any), its closing marks,
# blanks behind it.
_PIECE = re.compile(
    rf"\s*+(?:[{re.escape(_OPENING)}]*[{_CJK}][{re.escape(_CLOSING)}]*\s*|(?:(?![{_CJK}])\S)+(?:[{re.escape(_CLOSING)}]*)\s*)"
)


@dataclass
class WindowLanguage:
    """Language and zone of a window, shared by its widgets; either may change while it is open.

    Call it with a key of the texts.
    """

    lang: Lang = "en"
    tz: str = "UTC"

    def __call__(self, key: str, **places: object) -> str:
        """Return the words, in the language of the moment."""
        return say(self.lang, key, **places)

    def _local(self, at: datetime) -> datetime:
        try:
            return at.astimezone(ZoneInfo(self.tz))
        except (OSError, ValueError, KeyError):  # no such zone on this machine
            return at.astimezone(ZoneInfo("UTC"))

    def _write(self, key: str, at: datetime) -> str:
        month = say.one_of(self.lang, "months", at.month - 1)
        weekday = say.one_of(self.lang, "weekdays", at.weekday())
        return self(key, at=at, month=month, weekday=weekday)

    def format_date(
        self, at: datetime, precision: Precision | None = None, now: datetime | None = None
    ) -> str:
        """Write a date, no more precise than it was said; the year only where it is not `now`'s."""
        local = self._local(at)
        if precision in {"year", "month"}:
            return self._write(f"at.{precision}", local)
        this_year = now is not None and local.year == self._local(now).year
        day = self._write("at.day" if this_year else "at.day.year", local)
        return f"{day} {local:%H:%M}" if precision == "minute" else day

    def format_time(self, at: datetime) -> str:
        """Write hours and minutes where the window is."""
        return f"{self._local(at):%H:%M}"

    def format_day_and_time(self, at: datetime) -> str:
        """Write for a divider the day, and when on it."""
        return self._write("at.divider", self._local(at))


def one_line(text: str, limit: int = 0) -> str:
    """Run blanks and line breaks together; cut after `limit` characters, if given."""
    flat = " ".join(clean_output(text).split())
    return flat if not limit or len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, piece) of what must not be divided.

    Pieces are words, and single Chinese characters with their marks.
    """
    position = 0
    while match := _PIECE.match(text, position):
        if match.end() == position:
            return
        yield match.start(), match.end(), match.group()
        position = match.end()


def install_line_breaks() -> None:
    """Teach Rich and Textual where Chinese may be broken.

    Both break at blanks alone, so that a Chinese sentence with one English word in it leaves a
    ragged hole before each such word. They look their word splitter up by name at each call; where
    a later version does not, wrapping is theirs again and nothing else changes.
    """
    for path, name in (("rich._wrap", "words"), ("textual._wrap", "chunks")):
        module = importlib.import_module(path)
        if hasattr(module, name):
            setattr(module, name, pieces)
