"""The line that stands for a picture in a message that is stored: its name, for no bytes are kept.

Such lines are no words of the person: they end a message, one for each picture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.text.languages import Lang, value, values

_NAME: Final = 60  # characters of a name that are written
_LINES: Final = re.compile(
    r"(?:(?:\A|\n)(?:{}))+\Z".format(
        "|".join(
            re.escape(form).replace(r"\{name\}", r"[^\n]{0,80}")
            for form in values("pictures", "LINE").values()
        )
    )
)


def write_pictures(text: str, names: Sequence[str], lang: Lang) -> str:
    """Return the text with a line for each picture that was sent with it."""
    form = str(value(lang, "pictures", "LINE"))
    lines = (form.format(name=re.sub(r"[\s\[\]〔〕]+", " ", n).strip()[:_NAME]) for n in names)
    return "\n".join(filter(None, (text, *lines)))


def strip_pictures(text: str) -> str:
    """Return the person's words without the lines of pictures."""
    return _LINES.sub("", text)


def has_pictures(text: str) -> bool:
    """Tell whether a message was sent with pictures."""
    return _LINES.search(text) is not None
