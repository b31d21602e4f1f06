"""Which language and which zone this window speaks in: one object that every widget shares."""

from __future__ import annotations

from dataclasses import dataclass

from memory.models import Lang
from tui.texts import say


@dataclass
class WindowLanguage:
    """Call it with a key of `texts`; it may change while the window is open, as the user changes language."""

    lang: Lang = "en"
    tz: str = "UTC"

    def __call__(self, key: str, **places: object) -> str:
        """The words, in the language of the moment."""
        return say(self.lang, key, **places)
