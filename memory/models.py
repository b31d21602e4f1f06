"""The words of memory work: frozen dataclasses, enums and the table of kinds.

Times are timezone-aware datetimes in UTC here and integer UTC milliseconds in the store. "Days" are
seconds / 86,400, not rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import IntEnum, StrEnum
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memory.text.languages import Lang as Lang  # noqa: PLC0414 - names of the models too
from memory.text.languages import count_function_words as count_function_words  # noqa: PLC0414
from memory.text.languages import detect_language as detect_language  # noqa: PLC0414
from memory.text.passages import read_document

MemoryId: TypeAlias = str
Json: TypeAlias = Any  # None | bool | int | float | str | list | dict: what json.loads gives
Role: TypeAlias = Literal["user", "assistant"]
Precision: TypeAlias = Literal["minute", "day", "month", "year"]


class Layer(StrEnum):
    """The three-layer paper's layers."""

    SYSTEM = "system"
    CORE = "core"
    FACT = "fact"
    EPISODE = "episode"


class Kind(StrEnum):
    """What sort of thing is remembered."""

    IDENTITY = "identity"
    HEALTH = "health"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    WHIM = "whim"
    FACT = "fact"
    SKILL = "skill"
    LESSON = "lesson"
    WORKFLOW = "workflow"
    DECISION = "decision"
    GOAL = "goal"
    EVENT = "event"
    TODO = "todo"
    CONTEXT = "context"
    EPISODE = "episode"


@dataclass(frozen=True, slots=True)
class KindInfo:
    """A row of the table of kinds.

    Labels, icon, the weight paper's importance I and the product paper's weight.
    """

    en: str
    zh: str
    icon: str
    factor: float
    s1_weight: float | None


KINDS: Mapping[Kind, KindInfo] = {
    Kind.IDENTITY: KindInfo("Identity", "身份", "🪪", 1.5, None),
    Kind.HEALTH: KindInfo("Health", "健康", "🩺", 1.5, 0.9),
    Kind.INSTRUCTION: KindInfo("How to answer", "回答方式", "🗣", 1.5, 0.9),
    Kind.PREFERENCE: KindInfo("Preference", "偏好", "🎨", 1.3, 0.9),
    Kind.WHIM: KindInfo("Passing taste", "一时喜好", "🎈", 0.9, None),
    Kind.FACT: KindInfo("Fact", "事实", "💡", 1.1, 0.8),
    Kind.SKILL: KindInfo("Skill", "技能", "🔧", 1.2, None),
    Kind.LESSON: KindInfo("Lesson", "教训", "📝", 1.2, 0.85),
    Kind.WORKFLOW: KindInfo("Habit", "习惯", "🔁", 1.2, None),
    Kind.DECISION: KindInfo("Decision", "决定", "🧭", 1.1, None),
    Kind.GOAL: KindInfo("Goal", "目标", "🎯", 1.1, 0.7),
    Kind.EVENT: KindInfo("Event", "日程", "📅", 1.1, 0.8),
    Kind.TODO: KindInfo("To-do", "待办", "📌", 0.9, 0.7),
    Kind.CONTEXT: KindInfo("Context", "情境", "🍃", 0.8, 0.4),
    Kind.EPISODE: KindInfo("Episode", "情境记忆", "🎞", 1.0, None),
}


class Level(IntEnum):
    """The fading-levels paper's five levels; a larger number has faded further."""

    FULL = 0
    SUMMARY = 1
    TAG = 2
    TRACE = 3
    ARCHIVE = 4

    @property
    def glyph(self) -> str:
        """The fading-levels paper's sign for the level."""
        return ("✓", "~", "·", "👣", "📦")[self]


class Importance(StrEnum):
    """What the extractor or monitor says of a new memory."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class State(StrEnum):
    """Where a memory stands."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    MERGED = "merged"
    FORGOTTEN = "forgotten"
    DELETED = "deleted"


class Source(StrEnum):
    """Who said that this should be remembered."""

    USER = "user"
    MONITOR = "monitor"
    EXTRACTOR = "extractor"
    IMPORT = "import"
    SYSTEM = "system"


GUESSED: Final = frozenset({Source.MONITOR, Source.EXTRACTOR})
"""What a model took from the conversation, unasked."""


class Sensitivity(IntEnum):
    """How sensitive a memory is."""

    PUBLIC = 0
    GENERAL = 1
    PRIVATE = 2
    SECRET = 3


class Mode(StrEnum):
    """How recall looks at the store for one turn (the weight and fading-levels papers)."""

    NORMAL = "normal"
    REVIEW = "review"
    DEBUG = "debug"


@dataclass(frozen=True, slots=True)
class CurveState:
    """A curve's own state of one memory.

    `strength` as it stood at `at`, and whatever else it needs.
    """

    strength: float
    at: datetime
    data: Mapping[str, Json] = field(default_factory=dict)


SURE: Final = 0.7  # certainty below which it is shown as unsure; what nobody hedged has 0.8


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory of one user."""

    id: MemoryId
    user_id: str
    content: str
    original_content: str
    language: Lang
    layer: Layer
    kind: Kind
    created_at: datetime
    last_activated_at: datetime
    curve: str
    curve_state: CurveState
    importance: float  # the importance counter, as it stood at `importance_at`
    importance_at: datetime
    topics: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ("text",)
    confidence: float = 0.8
    pinned: bool = False
    level: Level = Level.FULL
    weight: float = 1.0  # cached; truth is the curve at `now`
    activation_count: int = 0
    recent_mentions: tuple[datetime, ...] = ()  # newest last, at most 32
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    precision: Precision | None = None  # of the date a person said (on, valid_from or expires_at)
    source: Source = Source.MONITOR
    verified: bool = False
    source_session: str | None = None
    source_message: str | None = None
    supersedes: tuple[MemoryId, ...] = ()
    merged_from: tuple[MemoryId, ...] = ()
    merged_into: MemoryId | None = None
    compressed_from: MemoryId | None = None
    source_ids: tuple[MemoryId, ...] = ()  # of a derived memory
    original_contents: Mapping[MemoryId, str] = field(default_factory=dict)
    negated_at: datetime | None = None
    correction_history: tuple[Mapping[str, Json], ...] = ()
    state: State = State.ACTIVE
    sensitivity: Sensitivity = Sensitivity.PUBLIC
    reviewed_at: datetime | None = None
    deleted_at: datetime | None = None
    rev: int = 1
    on: datetime | None = None  # of an event: when it happens, with `precision`
    on_until: datetime | None = None
    repeats: str | None = None  # yearly, monthly, weekly, lunar, or every N days
    close: bool = False  # names family, partner or an animal of the person's own
    quiet_at: datetime | None = None  # since when it does not come up by itself
    quiet_words: str | None = None  # in which words the person asked for that
    dead: str | None = None  # who died, as its words name them; `on` says when
    slot: str | None = None  # what it is the one value of; "": of nothing; None: not known yet
    renamed: str | None = None  # "old|new": it tells somebody's new name
    unsettled_at: datetime | None = None  # since when what it hung on has ended: it may be over

    @property
    def spoken_level(self) -> Level:
        """The level that is spoken of: none of health, what is quiet or denied, or a death."""
        silent = self.kind is Kind.HEALTH or self.quiet_at or self.negated_at or self.dead
        return Level.FULL if silent else self.level

    @property
    def said_since(self) -> datetime | None:
        """Since when it holds as far as that was said, not merely when a version began."""
        other = self.on or self.expires_at  # whose precision it is
        return self.valid_from if self.precision and other is None else None

    def has_begun(self, now: datetime) -> bool:
        """Tell whether it holds, or held, by then: what begins on a later day is a plan."""
        return self.valid_from is None or self.valid_from <= now

    def has_ended(self, now: datetime) -> bool:
        """Tell whether the time in which it holds is over by then."""
        return self.valid_until is not None and self.valid_until <= now

    def is_unsettled(self, now: datetime) -> bool:
        """Tell whether what it hung on has ended by then: it may be over as well."""
        return self.unsettled_at is not None and self.unsettled_at <= now

    @property
    def unsure(self) -> bool:
        """Whether the person was unsure of it ("I think")."""
        return self.confidence < SURE and not self.verified

    @property
    def guarded(self) -> bool:
        """Tell whether it ends only by words of the person's that name it."""
        return self.verified or self.pinned or self.layer is Layer.CORE

    @property
    def shown_text(self) -> str:
        """What lists show: the words of the level that is spoken of."""
        return self.content if self.spoken_level is self.level else self.original_content

    def with_weight(self, weight: float) -> Memory:
        """Return the memory with this weight; in half the time of `replace`."""
        values = list(_VALUES(self))
        values[_WEIGHT] = weight
        return Memory(*values)


def is_quote(m: Memory) -> bool:
    """Tell whether a memory is a quotation of the person, as the notebook keeps them."""
    return "quote" in m.modalities


def mark_quote(m: Memory, text: str) -> str:
    """Put the words of a quotation in quotation marks, also where "…" stands for some of them.

    Any other text of a memory stays as it is.
    """
    return f"“{text}”" if is_quote(m) and is_extract(text, m.original_content) else text


def is_extract(text: str, original: str) -> bool:
    """Tell whether a text is pieces of the original in order, with "…" between them."""
    at = 0
    for piece in map(str.strip, text.split("…")):
        at = original.find(piece, at) + len(piece)
        if at < len(piece):
            return False
    return True


def unmark_quote(text: str) -> str:
    """Take the quotation marks off that stand around a whole text."""
    inner = text[1:-1]
    return inner if text == f"“{inner}”" and inner.strip() else text


_FIELDS: Final = tuple(f.name for f in fields(Memory))
_VALUES: Final = attrgetter(*_FIELDS)
_WEIGHT: Final = _FIELDS.index("weight")


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be saved, before the store gives it an id and state."""

    content: str
    kind: Kind = Kind.FACT
    importance: Importance = Importance.MEDIUM
    layer: Layer = Layer.FACT
    language: Lang = "en"
    confidence: float = 0.8
    source: Source = Source.MONITOR
    verified: bool = False
    topics: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sensitivity: Sensitivity = Sensitivity.PUBLIC
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    precision: Precision | None = None
    on: datetime | None = None
    on_until: datetime | None = None
    repeats: str | None = None
    dead: str | None = None
    close: bool = False
    slot: str | None = None  # as of a memory
    modalities: tuple[str, ...] = ("text",)  # "quote": a quotation of the person, never rewritten


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question about something that may be true.

    `data`: the operation, its `kind`, and the `id` it would end.
    """

    text: str
    data: Mapping[str, Json]
    message_id: str | None
    at: datetime
    id: str = ""
    asked_at: datetime | None = None


MOST_PROPOSALS: Final = 3  # that wait for an answer


Verdict: TypeAlias = Literal["same", "changed", "depends", "both", "unsure"]


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What a night's model said of two memories, the newer one first.

    `votes`: how much more often it said so than not. doubtful: not often enough; waiting: something
    is left to do; settled.
    """

    newer: MemoryId
    older: MemoryId
    verdict: Verdict
    votes: int
    state: Literal["doubtful", "waiting", "settled"]
    at: datetime


@dataclass(frozen=True, slots=True)
class WeightEvent:
    """A line of the weight log (the weight paper).

    An event with the curve's state before and after.
    """

    memory_id: MemoryId
    at: datetime
    # created mention boost negate affirm contradicted lowered level promoted merged reviewed edited
    # …
    event: str
    old_weight: float
    new_weight: float
    reason: str = ""
    factors: Mapping[str, float] = field(default_factory=dict)
    before: Mapping[str, Json] = field(default_factory=dict)
    after: Mapping[str, Json] = field(default_factory=dict)


MessageStatus: TypeAlias = Literal["complete", "partial", "stopped", "interrupted"]


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said. `seq` orders messages in the store; `tz` is the speaker's IANA zone."""

    id: str
    session_id: str
    turn_id: str | None
    author_user_id: str | None  # None for the assistant
    role: Role
    text: str
    at: datetime
    tz: str
    status: MessageStatus = "complete"
    hidden_at: datetime | None = None
    reply_to: str | None = None
    seq: int = 0


SessionState: TypeAlias = Literal["open", "closed"]


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of conversation in one scope.

    `planned_through`, `summarised_through` and `extracted_through` are message `seq` watermarks: a
    compaction is planned (its span fixed) in the transaction that ends a turn, and done by a job
    later.
    """

    id: str
    user_id: str
    scope: str
    opened_at: datetime
    last_at: datetime
    state: SessionState = "open"
    title: str = ""
    closed_at: datetime | None = None
    closed_why: str = ""  # new idle
    running_summary: str = ""
    planned_through: int = 0
    summarised_through: int = 0
    extracted_through: int = 0
    # resident memories, frozen at the session's first turn
    profile: tuple[MemoryId, ...] | None = None


TurnState: TypeAlias = Literal["open", "done", "stopped", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn as the store keeps it; `id` is the caller's idempotency key."""

    id: str
    user_id: str
    scope: str
    session_id: str
    origin: str
    state: TurnState
    started_at: datetime
    user_message_id: str
    leased_by: str
    leased_until: datetime
    ended_at: datetime | None = None
    reply_message_id: str | None = None
    error: str = ""


Op: TypeAlias = Literal[
    "created",
    "updated",
    "deleted",
    "forgotten",
    "restored",
    "superseded",
    "negated",
    "reinforced",
    "merged",
    "levelled",
    "promoted",
    "purged",
]
Entity: TypeAlias = Literal["memory", "message", "session", "turn", "job"]


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """One undoable act.

    `reason` is a short machine word: chat monitor extract remember forget edit undo …
    """

    id: str
    user_id: str
    actor: str  # user monitor extractor system
    reason: str
    at: datetime
    turn_id: str | None = None
    job_id: str | None = None
    undoes: str | None = None
    undone_by: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a change set did; `seq` is the global cursor.

    A purge blanks `before` and `after`.
    """

    seq: int
    set_id: str
    user_id: str
    op: Op
    entity: Entity
    entity_id: str
    before: Mapping[str, Json] | None
    after: Mapping[str, Json] | None
    reason: str = ""
    turn_id: str | None = None
    at: datetime | None = None


JobKind: TypeAlias = Literal[
    "monitor",
    "summarise",
    "extract",
    "quotes",
    "embed",
    "mirror",
    "upkeep",
    "import",
    "scrub",
    "curve",
    "seal",
]
# what asks the memory model by day
LEARNING: tuple[JobKind, ...] = ("monitor", "extract", "summarise", "quotes")
JobState: TypeAlias = Literal["ready", "leased", "done", "dead", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """A row of background work.

    A lane is serial; (kind, dedup_key) is unique; `payload` holds ids only.
    """

    id: str
    user_id: str
    kind: JobKind
    lane: str
    dedup_key: str
    payload: Mapping[str, Json]
    state: JobState
    run_at: datetime
    attempts: int = 0
    max_attempts: int = 20
    leased_by: str | None = None
    leased_until: datetime | None = None
    last_error: str = ""
    result: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class User:
    """One person."""

    id: str
    created_at: datetime
    lang: Lang | None = None
    tz: str | None = None
    settings: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What must not be learned again from the same history.

    It is a keyed hash, and until the purge its vector.
    """

    user_id: str
    memory_id: MemoryId
    digest: str
    at: datetime
    set_id: str
    model_id: int | None = None
    vector: bytes | None = None


@dataclass(frozen=True, slots=True)
class MirrorDigest:
    """How MEMORY.md shows a memory, as keyed digests.

    Digests of its text there, the original behind it, and its kind.
    """

    text: str
    original: str
    kind: str


@dataclass(frozen=True, slots=True)
class MirrorState:
    """Where a user's MEMORY.md stands.

    `lineage` names this store's file among others; `version` is the last one written, or about to
    be if not `confirmed`; `read` is the digest of the last file whose edits were taken; `wrote`
    that of the last written one; `unread` are the blocks that could not be read, each with the
    version it came with; `asking` are the entries that are missing from the file until the person
    says what that means, by the keys of both answers, or until nobody has for days.
    """

    lineage: str
    version: int = 0
    confirmed: bool = False
    read: str = ""
    wrote: str = ""
    seq: int = 0
    unread: tuple[tuple[str, int], ...] = ()
    asking: Mapping[str, Json] | None = None  # {yes, no, ids, until}

    def get_open_question(self, now: datetime) -> Mapping[str, Json] | None:
        """Return what is asked and can still be answered."""
        until = str((self.asking or {}).get("until", ""))
        return self.asking if until and now < datetime.fromisoformat(until) else None


class MemoryOutline(NamedTuple):
    """What upkeep needs of a memory to weigh it, without its words.

    Times are integer UTC milliseconds.
    """

    place: int  # grows with every memory made
    id: MemoryId
    rev: int
    state: str
    layer: str
    kind: str
    curve: str
    level: int
    weight: float  # as cached
    strength: float
    strength_at: int
    curve_data: str  # JSON
    importance: float
    importance_at: int
    created_at: int
    last_activated_at: int
    activation_count: int
    recent_mentions: str  # JSON
    sensitivity: int
    pinned: int
    expires_at: int | None
    negated_at: int | None
    reviewed_at: int | None
    deleted_at: int | None
    verified: int
    close: int
    on: int | None
    on_until: int | None
    repeats: str | None


@dataclass(frozen=True, slots=True)
class UpkeepNight:
    """One run of upkeep: while it works how far it is, afterwards its report.

    `data` holds figures and ids only.
    """

    job_id: str
    night: str  # local date, ISO
    at: datetime
    done: bool
    data: Mapping[str, Json]


class ScoredMemory(NamedTuple):
    """A memory and one signal's raw score of it; higher is better.

    `place`: see `memory.ports.Places`.
    """

    id: MemoryId
    score: float
    place: int = 0


class CandidateRow(NamedTuple):
    """What recall judges a candidate by before it reads the memory.

    Times are integer UTC milliseconds.
    """

    place: int
    id: MemoryId
    text: str  # as it was learned
    # made, valid from, due; the least number there is where it has none
    times: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a read may return.

    Ownership is never a part of it: the store adds that itself.
    """

    states: frozenset[State] = frozenset({State.ACTIVE})
    levels: frozenset[Level] | None = None
    kinds: frozenset[Kind] | None = None
    layers: frozenset[Layer] | None = None
    # only what has not ended by then, begun or not; None: no matter
    valid_at: datetime | None = None
    negated: bool | None = None  # True only negated, False only not negated, None both
    max_sensitivity: Sensitivity = Sensitivity.PRIVATE
    exclude: frozenset[MemoryId] = frozenset()


@dataclass(frozen=True, slots=True)
class Query:
    """One question to recall."""

    user_id: str
    text: str
    context: tuple[str, ...]  # up to three messages before it, oldest first
    now: datetime
    tz: str
    mode: Mode = Mode.NORMAL
    vector: Any | None = None  # (dim,) float32 of unit length, or None after the deadline
    limit: int = 3
    exclude: frozenset[MemoryId] = frozenset()  # residents: they take none of the places
    slots: frozenset[str] = frozenset()  # what has one value and may be asked for
    strict: bool = False  # normal mode sees FULL and SUMMARY only (the weight paper)


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory and all that /why needs; stored per turn."""

    memory: Memory
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)  # raw, by signal
    nudges: Mapping[str, float] = field(default_factory=dict)  # factors applied after fusion
    gate: float = 0.0  # calibrated relevance in [0, 1]
    # what the relevance comes from, in log-odds
    evidence: Mapping[str, float] = field(default_factory=dict)
    passed: bool = True
    # relevance | day | episode_by_time | slot | relation | review | secret | faint …
    why: str = "relevance"
    asked: bool = True  # the message asks for what is remembered; else it came along

    @property
    def text(self) -> str:
        """What is told of it: the original, or its level's text if it came along unasked.

        The level's text is never the longer one. A quotation is shortened only where an ellipsis
        shows it, and an opened secret is what was opened.
        """
        m, short = self.memory, self.memory.content.strip()
        if self.why == "secret":
            return m.content
        if self.asked or not m.spoken_level or not 0 < len(short) < len(m.original_content):
            return mark_quote(m, m.original_content)
        hidden = is_quote(m) and not ("…" in short and is_extract(short, m.original_content))
        return mark_quote(m, m.original_content if hidden else short)

    @property
    def short(self) -> bool:
        """Whether what is told is shorter than what was said."""
        return self.why != "secret" and len(self.text) < len(self.memory.original_content)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document, recalled as material: nobody's words to learn from."""

    document: int
    message_id: str
    role: Role
    at: datetime
    title: str
    heading: str
    text: str
    part: int  # from 1
    parts: int
    score: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A long message as a document of its conversation; `vectors` are of the passages `places`."""

    n: int  # 0: off the record
    message_id: str
    role: Role
    at: datetime
    text: str
    embedder: str | None = None
    places: tuple[int, ...] = ()
    vectors: Any = None  # (places, dim) float32

    def get_passage(self, part: int, score: float = 0.0) -> Passage:
        """Return a passage by its place, from 1. Raises IndexError."""
        read = read_document(self.text)
        p = read.passages[part - 1]
        heading = "" if p.heading == read.title else p.heading
        own = (self.n, self.message_id, self.role, self.at, read.title, heading)
        return Passage(*own, self.text[p.start : p.end].strip(), part, len(read.passages), score)


@dataclass(frozen=True, slots=True)
class Recall:
    """What one recall found: hits, near misses, and whether the embedder was late."""

    hits: tuple[Hit, ...]
    missed: tuple[Hit, ...] = ()
    late: bool = False
    mode: Mode = Mode.NORMAL
    took_ms: float = 0.0
    passages: tuple[Passage, ...] = ()

    @property
    def faint(self) -> Hit | None:
        """The faded memory that came near: the person is told that something is there."""
        return next((h for h in self.missed if h.why == "faint"), None)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; zero where the provider did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
        )


class DailyUsage(NamedTuple):
    """What a role spent on a day (UTC, ISO 8601)."""

    day: str
    role: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of memories, as a browser shows it."""

    items: Sequence[Memory]
    total: int
    offset: int
