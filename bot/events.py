"""What passes between front ends and the agent: turns and commands in, events and outcomes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from bot.pictures import Picture
from bot.texts import say
from memory.models import DailyUsage, Hit, Lang, Level, Memory, Usage


class WindowMode(StrEnum):
    """How a window is remembered: as usual, not at all, or read-only."""

    NORMAL = "normal"
    TEMP = "temp"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to answer.

    `id` is the caller's idempotency key: a repeated id replays its result. `scope` is `user:ID` or
    `chat:ID`; `origin` names the window (`terminal:<pid>`, `telegram:<chat>`, `ask`): temporary
    mode belongs to it. `attachments` are pictures: they go to the model, and are not stored.
    """

    id: str
    user_id: str
    scope: str
    text: str
    at: datetime
    tz: str
    mode: WindowMode = WindowMode.NORMAL
    origin: str = "terminal"
    attachments: Sequence[Picture] = ()
    reply_to: str | None = None
    review: bool = False  # asked for with /review: look at every level, this once
    again: bool = False  # asked for with /retry: also where its reply was stopped
    here: str = ""  # the zone of the device, where `tz` is the person's


@dataclass(frozen=True, slots=True)
class Started:
    """The user's message is stored and the turn is ours."""

    turn_id: str
    session_id: str
    memory_off: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """The memories put into the prompt; `late` if the embedder missed the deadline."""

    hits: tuple[Hit, ...]
    late: bool = False


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the reply.

    `literal`: Ebb's own words with the person's in them, to be shown as they are.
    """

    text: str
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing has come from the model for a while: said once, and no part of the reply."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Done:
    """The reply is whole and stored (unless off the record); `choices` asks something back.

    `literal`: the words are Ebb's own, with the person's in them, shown as they are.
    """

    message_id: str
    text: str
    usage: Usage = field(default_factory=Usage)
    choices: tuple[Choice, ...] = ()
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """The user stopped it; what had come is stored and marked."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Failed:
    """One clear sentence in the user's language; `partial` was streamed before, and is kept."""

    code: str
    sentence: str
    retry_after: float | None = None
    partial: str = ""


Event: TypeAlias = Started | Recalled | Waiting | Delta | Done | Stopped | Failed


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer a person can pick: sent back as the command `choose KEY`."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command as typed: name without the slash, the rest as `args`."""

    name: str
    args: str
    user_id: str
    scope: str
    origin: str
    at: datetime
    tz: str
    mode: WindowMode = WindowMode.NORMAL
    lang: Lang | None = None


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """What a command came to. `text` is in the user's language and shown as it is: no Markdown.

    `memories` may be one page of `total`, with `offset` before it. `mode` is set where the window's
    mode changes; `session_id` where a new session opened; `turn` where the front end should send a
    turn (as `/review question` does); `quit` where the window should close. `stored` goes into the
    transcript instead of the text, where it differs. `levels` counts all memories by level, where
    the whole memory is shown.
    """

    ok: bool
    text: str
    memories: tuple[Memory, ...] = ()
    total: int = 0
    offset: int = 0
    choices: tuple[Choice, ...] = ()
    mode: WindowMode | None = None
    session_id: str | None = None
    turn: Turn | None = None
    quit: bool = False
    stored: str = ""
    levels: Mapping[Level, int] = field(default_factory=dict)


def answer(lang: Lang, key: str, *, ok: bool = True, **places: object) -> CommandOutcome:
    """Return an outcome that is one sentence of the chat's texts."""
    return CommandOutcome(ok, say(lang, key, **places))


@dataclass(frozen=True, slots=True)
class Status:
    """Return what a header shows."""

    model: str
    provider: str
    embedder: str
    session_id: str | None
    session_title: str
    messages: int
    memories: int
    pending_jobs: int
    failed_jobs: int
    writing_elsewhere: bool  # another window's reply is being written in this scope
    offline: bool  # the notebook answers
    last_seq: int  # change cursor to subscribe from
    tokens: tuple[DailyUsage, ...] = ()  # of today, by role
    memory_off: bool = False  # the person has switched memory off
    upkeep: float | None = None  # share of the night's upkeep that is done, while it is at work
    # memories embedded anew, of all, while another embedder is taken up
    embedded: tuple[int, int] | None = None


CommandSpec: TypeAlias = tuple[str, Mapping[Lang, str]]  # name, and its help line in each language
