"""What an explicit command asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CommandKind = Literal["remember", "forget", "quiet", "speak", "off", "on"]


@dataclass(frozen=True, slots=True)
class Intent:
    """A command in a message.

    text: what to remember, forget, keep quiet or speak of again, in the person's words;
    "everything" for all of it. previous: the person's previous message is meant, and `text` is
    empty. every: all that names it is meant. spare: what must not be forgotten with it. spans:
    where the command stands in the message. rest: the message without it.
    """

    kind: CommandKind
    text: str
    previous: bool = False
    spare: str = ""
    every: bool = False
    spans: tuple[tuple[int, int], ...] = ()
    rest: str = ""


@dataclass(frozen=True, slots=True)
class SentenceIntent:
    """A command in one sentence: `text` None means what was said before; it ends at `end` of the sentence."""

    kind: CommandKind
    text: str | None
    end: int
    spare: str = ""
    lists: bool = False  # a colon: what follows on the line belongs to it
