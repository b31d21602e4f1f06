"""What an explicit command asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Intent:
    """`text` is what to remember or forget, in the user's own words.

    With `previous` it is empty, and the user's previous message is meant ("remember this").
    """

    kind: Literal["remember", "forget"]
    text: str
    previous: bool = False
