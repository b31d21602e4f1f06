"""What acts of the person's own come to: the results of remember, forget, undo and their kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memory.models import Memory, MemoryId


@dataclass(frozen=True, slots=True)
class Remembered:
    """`memory` says it now; `already`: it did before. `secret`: only its label is in `memory`, the rest is sealed."""

    memory: Memory
    already: bool = False
    secret: bool = False
    set_id: str | None = None


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What a request to forget could mean.

    clear: the one memory that is meant, or None. candidates: what to ask about, likeliest first (with `clear`,
    it alone). every: all of the candidates are meant. everything: all of it was asked for, which needs a confirmation
    of its own. messages: things said that are meant where no memory is ("forget what I just said" before it was
    learned): pass them to `forget`.
    """

    clear: Memory | None = None
    candidates: list[Memory] = field(default_factory=list)
    every: bool = False
    everything: bool = False
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """`memories` as they are now; how many messages were hidden, and episodes and summaries dropped."""

    memories: list[Memory]
    set_id: str | None
    hidden: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Undone:
    """`set_id` was undone by the set `by`; `reason` is what the undone set was; `memories` as they are now."""

    set_id: str
    by: str
    reason: str
    memories: list[Memory]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a purge erased: rows by place, 0 where it looked and found nothing; `memories` says how many went.

    `erased` at once; `scrubbed` once the job has rewritten the file, `error` says what stood in its way so far.
    """

    memory_ids: tuple[MemoryId, ...]
    places: Mapping[str, int]
    erased: datetime
    job_id: str | None
    scrubbed: bool = False
    scrubbed_at: datetime | None = None
    memories: int = 0
    error: str = ""
