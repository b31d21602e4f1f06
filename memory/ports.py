"""What memory work needs from outside, as Protocols: models, embedders, and a store.

The store's gateways (`Transaction.memories`, `Transaction.conversations`, …) are synchronous and
bound to one user. Reads get them on a read-only connection (`Store.read`), writes inside one BEGIN
IMMEDIATE (`Store.write`): the closure runs in the connection's own thread, does no other I/O, and
either all of it is stored or nothing. No name in here says which database stands behind it.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memory.models import (
    CandidateRow,
    Change,
    ChangeSet,
    Entity,
    Filter,
    Job,
    JobKind,
    Json,
    Lang,
    Memory,
    MemoryId,
    MemoryOutline,
    MemoryPage,
    Message,
    MirrorDigest,
    MirrorState,
    Op,
    Proposal,
    Recall,
    ScoredMemory,
    Sensitivity,
    Session,
    State,
    Tombstone,
    TurnRow,
    TurnState,
    UpkeepNight,
    Usage,
    User,
    WeightEvent,
)

T = TypeVar("T")
FloatArray: TypeAlias = NDArray[np.float32]
Clock: TypeAlias = Callable[[], datetime]  # called only at the edges

# --- models ---

Task: TypeAlias = Literal[
    "chat",
    "monitor",
    "summarise",
    "extract",
    "review",
    "level",
    "merge",
    "title",
    "contradict",
    "derive",
]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model. HTTP providers send `messages` alone; the notebook reads `task` and
    `data`.

    Shapes of `data` (all times ISO 8601 with offset, all texts plain):
        chat:      {message, history: [{role, text, at}], recalled: [{id, text, kind, level, when,
                   relevance,
                    why, negated}], profile: [{id, text, kind, when}], summary, episode, note, lang,
                    now, tz}
        monitor:   {exchange: [{role, text, at}], context: [{role, text}],
                    reference: [{id, text, kind, negated}], failed: how many lines go back, lang,
                    now, tz}
        summarise: {messages: [{role, text, at}], previous, lang, tz}
        extract:   {messages: [{role, text, at}], memories: [{id, text, kind}], lang, now, tz}
        review:    {memory: {id, text, kind, weight}, task: promotion|decay, nearest: [{id, text}],
                   found, round}
        level:     {items: [{id, text, level, lang}]}
        merge:     {texts: [..], lang}
        title:     {messages: [{role, text}], lang}
        contradict: {pairs: [{n, a, b}], lang}
        derive:    {memories: [{id, text, kind}], lang}
    """

    task: Task
    messages: Sequence[Mapping[str, str]]  # role: system | user | assistant; content
    data: Mapping[str, Json] = field(default_factory=dict)
    max_tokens: int | None = None
    schema: Mapping[str, Json] | None = None  # JSON schema of the answer, where the task wants JSON
    deadline: float | None = None  # seconds for the whole call


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed answer.

    The last one has `finish` set, and `usage` where the provider told.
    """

    text: str = ""
    finish: str | None = None  # stop | length | …
    usage: Usage | None = None


class ChatModel(Protocol):
    """A model that answers with text."""

    @property
    def name(self) -> str:
        """What a person is shown: `gpt-4o-mini`, `notebook`."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the answer as it comes.

        Raises ModelError, also for a stream that ends without a finish.
        """


class Embedder(Protocol):
    """Turns texts into vectors of unit length."""

    @property
    def id(self) -> str:
        """`provider:model:dim`."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def local(self) -> bool:
        """Whether it computes here, sending nothing anywhere."""

    @property
    def immediate(self) -> bool:
        """Whether it answers within a millisecond or two, whatever happens: then nobody has to wait for it."""

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """(n, dim) float32, each row of unit length. Raises ModelError."""


@runtime_checkable
class QueryShortener(Protocol):
    """An embedder that counts tokens itself; what others are asked is cut by bytes."""

    def shorten_query(self, texts: Sequence[str]) -> list[str] | None:
        """Shorten a message and its context to what is read of both together; None if it cannot tell yet."""


# --- gateways ---


class MemoryTable(Protocol):
    """Memories of one user with their index rows, mentions, sources, entities and weight log."""

    def get(self, memory_id: MemoryId) -> Memory | None: ...
    def get_many(self, ids: Iterable[MemoryId]) -> list[Memory]:
        """In the order asked for; those that are not this user's are left out."""

    def find(
        self,
        f: Filter,
        *,
        text: str | None = None,
        order: Literal["weight", "activated", "created"] = "activated",
        limit: int = 50,
        offset: int = 0,
    ) -> MemoryPage:
        """A page; `text` keeps those whose words match.

        SECRET is only ever returned where `f` admits it.
        """

    def list_standing(self, at: datetime) -> list[Memory]:
        """All that may stand in every prompt: active, not ended by `at`, not negated, not quiet."""

    def quotes(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Quotations behind that place that a model may rewrite, with their places, in the order they were made."""

    def add(self, m: Memory) -> Memory:
        """Store a new memory (an empty id gets one), its index row and entities, as a `created` change."""

    def add_many(self, memories: Sequence[Memory]) -> list[Memory]:
        """`add` for thousands, in a few statements; in the same order."""

    def put(self, m: Memory, op: Op) -> Memory:
        """Write `m` over the row with the same `rev`, as a change `op`; returns it with rev + 1.

        Keeps the indexes in step: states forgotten and deleted leave the text index and lose their
        vectors; coming back, or a new original_content, re-enters the index and enqueues an `embed`
        job. Raises Conflict if `rev` moved on, NotFound if there is no such memory.
        """

    def put_many(self, memories: Sequence[Memory], op: Op) -> list[Memory]:
        """`put` for thousands whose texts and entities stay as they are; in the same order.

        Raises as `put` does.
        """

    def add_source(
        self, memory_id: MemoryId, message_id: str, span: tuple[int, int] | None = None
    ) -> None:
        """Say that the memory was learned from the message."""

    def list_sources(self, memory_id: MemoryId) -> list[str]: ...
    def list_source_spans(
        self, memory_id: MemoryId
    ) -> list[tuple[str, int | None, int | None]]: ...
    def list_learned_from(self, message_ids: Iterable[str]) -> list[MemoryId]: ...
    def add_mention(self, memory_id: MemoryId, message_id: str, at: datetime) -> bool:
        """Count a mention. False if that message already counted, or is one it was learned from."""

    def remove_mention(self, memory_id: MemoryId, message_id: str) -> bool:
        """Take a counted mention back (an undo, an edited message); False if it was not counted."""

    def list_mentions(self, memory_id: MemoryId) -> list[str]:
        """Messages that counted as mentions, oldest first."""

    def log(self, e: WeightEvent) -> None: ...
    def list_weight_log(self, memory_id: MemoryId) -> list[WeightEvent]: ...
    def log_since(self, at: datetime, events: Iterable[str]) -> list[WeightEvent]:
        """Those events of all memories from that time on, in order."""

    def count_by_state(self) -> Mapping[str, int]:
        """How many memories in each state."""

    def is_only_one_of_entity(self, memory_id: MemoryId) -> bool:
        """Whether it is the only active memory, episodes aside, that has one of its entities."""

    def list_outlines(self) -> list[MemoryOutline]:
        """All memories, in any state and of any sensitivity, in the order they were made."""

    def put_weights(self, weights: Iterable[tuple[MemoryId, int, float]]) -> int:
        """Cache weights of (id, rev, weight): no change, no new `rev`; those whose `rev` moved on are left alone."""

    def erase(self, memory_id: MemoryId, *, everywhere: bool = True) -> Mapping[str, int]:
        """Remove for good: returns how many rows went from which place. Not undoable.

        everywhere: also its words, wherever they stand. Else only what is its own: rows, vectors,
        index, logs, and links to it; messages and other memories keep their words.
        """


class LifeTable(Protocol):
    """Memories of one user over time: as they were on a day, and from one curve to another."""

    def list_known_at(
        self, at: datetime, *, text: str | None = None, limit: int = 50, offset: int = 0
    ) -> MemoryPage:
        """What was known at that moment, in the words it had then, the newest first.

        That is what had been made, and not been superseded, merged, denied or forgotten; what was
        learned of the same thing later changes nothing about it. Never secret ones, nor what was
        deleted on request since: that is not told of any more. `text` keeps those with all its
        words.
        """

    def count_by_curve(self) -> Mapping[str, int]:
        """How many memories live under each curve, in any state."""

    def list_of_other_curves(self, curve: str, limit: int) -> list[Memory]:
        """Memories in any state, secret ones too, that live under another curve than that."""

    def move(self, m: Memory, e: WeightEvent) -> None:
        """Write the state of another curve over the row with the same `rev`, and log it. No change
        that undo knows.

        Raises Conflict if `rev` moved on.
        """

    def count_logged(self, event: str, since: datetime) -> int:
        """How many lines of the weight log say that event, from that time on."""


class VectorTable(Protocol):
    """Embeddings of one user, by model."""

    def put(self, memory_id: MemoryId, embedder_id: str, vector: FloatArray) -> None: ...
    def put_many(self, vectors: Mapping[MemoryId, FloatArray], embedder_id: str) -> int:
        """`put` for many, in a few statements; how many were kept."""

    def count_embedded(self, embedder_id: str) -> tuple[int, int]:
        """(memories that have a vector of that model, memories that should)."""

    def list_other_models(self, embedder_id: str) -> list[tuple[str, int]]:
        """Other models that this user has vectors of, and how many, most first."""

    def drop_vectors(self, embedder_id: str, limit: int) -> int:
        """Drop up to `limit` vectors of that model; how many went."""

    def list_without_vector(self, ids: Sequence[MemoryId], embedder_id: str) -> list[MemoryId]:
        """Those that have no vector of that model."""

    def list_missing(self, embedder_id: str, limit: int) -> list[tuple[MemoryId, str]]:
        """(id, original_content) of indexed, non-secret memories that have no vector of that model."""

    def get(self, ids: Sequence[MemoryId], embedder_id: str) -> Mapping[MemoryId, FloatArray]: ...


class ConversationTable(Protocol):
    """Sessions, messages and turns. A user's own scope is `user:ID`."""

    def get_open_session(self, scope: str) -> Session | None:
        """The open session of the scope."""

    def get_session(self, session_id: str) -> Session | None: ...
    def list_sessions(self, scope: str | None = None, limit: int = 20) -> list[Session]:
        """Newest first."""

    def list_idle_sessions(self, before: datetime) -> list[Session]:
        """Open sessions of every scope in which something was said, but nothing since then, nor is being answered."""

    def open_session(self, scope: str, now: datetime) -> Session: ...
    def close_session(self, session_id: str, now: datetime, why: str) -> bool:
        """Compare-and-set open → closed; False if somebody else closed it first."""

    def put_session(self, s: Session) -> None:
        """Write everything but `state` (see close_session), as an `updated` change of the session."""

    def record_change(
        self, entity: Entity, entity_id: str, op: Op, after: Mapping[str, Json]
    ) -> None:
        """Record a change that has no row of its own to show, e.g. what an extraction came to."""

    def add_message(self, m: Message) -> Message:
        """Append (an empty id gets one); returns it with `seq`."""

    def put_message(self, m: Message, op: Op = "updated") -> None: ...
    def put_messages(self, messages: Iterable[Message], op: Op = "updated") -> None:
        """`put_message` for thousands."""

    def list_hidden_messages(self, before: datetime, limit: int) -> list[Message]:
        """Messages hidden at that time or earlier that still have their text, oldest first."""

    def get_message(self, message_id: str) -> Message | None: ...
    def list_messages(
        self,
        *,
        session_id: str | None = None,
        scope: str | None = None,
        after: int = 0,
        before: int | None = None,
        through: int | None = None,
        limit: int | None = None,
        newest: bool = False,
        hidden: bool = False,
    ) -> list[Message]:
        """In order of `seq`, after < seq < before (or <= through); `newest` takes the last `limit` of them."""

    def get_turn(self, turn_id: str) -> TurnRow | None: ...
    def get_open_turn(self, scope: str) -> TurnRow | None:
        """The open turn of the scope, if any."""

    def open_turn(self, t: TurnRow) -> None:
        """Raises Conflict if the scope has an open turn."""

    def reopen_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        """Compare-and-set interrupted or failed → open, to answer the same message again."""

    def renew_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool: ...
    def finish_turn(
        self,
        turn_id: str,
        leased_by: str,
        state: TurnState,
        now: datetime,
        *,
        reply_message_id: str | None = None,
        error: str = "",
        retry_after: float | None = None,
    ) -> bool:
        """Compare-and-set open → `state`, guarded by the lease; False if it was no longer ours."""

    def list_orphan_turns(self, now: datetime) -> list[TurnRow]:
        """Open turns whose lease ran out, or whose process on this machine is gone."""


class JobTable(Protocol):
    """Background work of one user, enqueued in the transaction that makes it necessary."""

    def enqueue(
        self,
        kind: JobKind,
        dedup_key: str,
        payload: Mapping[str, Json],
        now: datetime,
        *,
        lane: str | None = None,  # default: learn:<user_id>
        run_at: datetime | None = None,
        max_attempts: int = 20,
    ) -> Job | None:
        """None if (kind, dedup_key) is there already."""

    def enqueue_mirror_job(self, now: datetime) -> None:
        """Have MEMORY.md looked after, unless a job that has not begun yet will do it anyway."""

    def list_pending(self, kind: JobKind | None = None) -> list[Job]: ...
    def holds_lease(self, job: Job) -> bool:
        """Whether the job is still leased by `job.leased_by`: what a long handler asks before each write."""

    def reset_attempts(self, job: Job) -> None:
        """The job gets ahead, so that the attempts before this one count no more."""

    def list_dead(self) -> list[Job]: ...
    def list_latest(self, kind: JobKind, limit: int) -> list[Job]:
        """Jobs of a kind in any state, newest first."""

    def prune(self, now: datetime) -> int:
        """Let go of jobs that have long been done, a bounded number at once; how many."""

    def cancel(self, job_id: str) -> None: ...


class ChangeTable(Protocol):
    """Change sets and what they did."""

    def begin(
        self,
        actor: str,
        reason: str,
        now: datetime,
        *,
        turn_id: str | None = None,
        job_id: str | None = None,
        undoes: str | None = None,
    ) -> ChangeSet:
        """Open the set that the writes which follow in this transaction belong to."""

    def resume(self, opened: ChangeSet) -> None:
        """Go on with a set of an earlier transaction."""

    def get(self, set_id: str) -> ChangeSet | None: ...
    def list_set_changes(self, set_id: str) -> list[Change]: ...
    def list_changes_after(self, seq: int, limit: int) -> list[Change]: ...
    def get_last_seq(self) -> int: ...
    def get_latest_change(self, entity: Entity, entity_id: str) -> Change | None: ...
    def of_entity(self, entity: Entity, entity_id: str) -> list[Change]:
        """Return all changes of one thing, oldest first."""

    def count_ended_by(self, turn_id: str) -> int:
        """How many memories ended by what was learned right after the turn, taken back or not."""

    def list_overtaken(self, set_id: str) -> frozenset[str]:
        """Memories of the set that another set has changed since."""

    def list_undoable(self, limit: int = 20) -> list[ChangeSet]:
        """Newest first: sets that changed a memory by more than a mention, not undone, not undos, not purged."""

    def mark_undone(self, set_id: str, by: str) -> None: ...


class TombstoneTable(Protocol):
    """What must not be learned again from the same history."""

    def add(self, t: Tombstone) -> None: ...
    def add_many(self, stones: Iterable[Tombstone]) -> None:
        """`add` for many; of several digests of one memory, the first keeps its vector."""

    def remove(self, memory_id: MemoryId) -> None: ...
    def remove_many(self, ids: Iterable[MemoryId]) -> None: ...
    def has(self, digest: str) -> bool: ...
    def compute_digest(self, text: str) -> str:
        """Keyed hash of the normalised text."""

    def find_highest_cosine(self, embedder_id: str, vector: FloatArray) -> float:
        """Highest cosine of any tombstone's vector, -1.0 if there is none."""

    def list_matching(
        self, digest: str, embedder_id: str | None, vector: FloatArray | None, floor: float
    ) -> list[Tombstone]:
        """Those with that digest, or with a vector of that model whose cosine is at least `floor`; newest first."""


class ProposalTable(Protocol):
    """Questions that wait for the person's yes or no."""

    def add(self, p: Proposal) -> Proposal: ...
    def open(self) -> list[Proposal]:
        """Those that wait for an answer, oldest first."""

    def ask(self, proposal_id: str, at: datetime) -> None: ...
    def remove(self, proposal_id: str) -> bool: ...
    def delete_expired(self, before: datetime) -> None: ...


class TraceTable(Protocol):
    """The recall trace of each turn (ids and numbers, never texts), and tokens spent by role."""

    def save(
        self, turn_id: str, scope: str, recall: Recall, used: Iterable[MemoryId], now: datetime
    ) -> None: ...
    def load(self, turn_id: str) -> Recall | None:
        """With memories as they stand now; those erased since are left out."""

    def list_used(self, turn_id: str) -> list[MemoryId]:
        """Memories that shaped the turn's reply."""

    def mark_used(self, turn_ids: Iterable[str], memory_id: MemoryId) -> bool:
        """It shaped the reply of those of the turns that recalled it; only the monitor knows, afterwards."""

    def get_last_turn(self, scope: str) -> str | None: ...
    def list_recalling_turns(self, memory_id: MemoryId) -> list[str]:
        """Ids of the turns whose prompt carried the memory."""

    def record_tokens(self, role: str, model: str, usage: Usage, now: datetime) -> None: ...
    def count_tokens(self, role: str | None, since: datetime) -> Usage: ...


class MirrorTable(Protocol):
    """What a user's MEMORY.md shows and has shown, version by version: digests, never texts."""

    def get_state(self) -> MirrorState | None: ...
    def put_state(self, s: MirrorState) -> None: ...
    def compute_digest(self, text: str) -> str:
        """Keyed, of the words as they stand: any change of them changes it, spacing does not."""

    def get_base(self, version: int, *, taken: bool = True) -> dict[MemoryId, MirrorDigest]:
        """What the file of that version showed, with the edits of it that were `taken` since."""

    def get_digests(
        self, ids: Iterable[MemoryId]
    ) -> dict[MemoryId, tuple[State, Sensitivity, MirrorDigest]]:
        """Those of the ids that there are, as they would be shown: quicker than reading them whole."""

    def list_shown_ids(self) -> frozenset[MemoryId]:
        """Ids of the memories that hold and are no secrets: all that the file may show."""

    def was_shown(self, memory_id: MemoryId, text: str) -> bool:
        """Whether any version showed the memory with the text of that digest."""

    def list_known_ids(self, ids: Iterable[MemoryId]) -> set[MemoryId]:
        """Those that any version has shown, also when they are erased by now."""

    def write(self, version: int, shown: Mapping[MemoryId, MirrorDigest]) -> int:
        """The file of that version shows these; how many differ from the version before."""

    def take(self, version: int, edited: Mapping[MemoryId, MirrorDigest | None]) -> None:
        """Edits of the file of that version were taken: from now on it counts as having shown this, or not."""


class NightTable(Protocol):
    """Runs of upkeep: progress while they last, reports afterwards; the newest sixty are kept."""

    def put(self, night: UpkeepNight) -> None:
        """Write over what the job's run said before."""

    def get_night(self, job_id: str) -> UpkeepNight | None: ...
    def list_latest_nights(self, limit: int = 1, *, done: bool = True) -> list[UpkeepNight]:
        """Newest first."""


class TransferTable(Protocol):
    """One user's rows in and out, as lines of JSON (see `memory.transfer`).

    The user is "@" in them.
    """

    def export_lines(
        self, forms: Callable[[Memory], Sequence[str]], *, secrets: bool
    ) -> Iterator[dict[str, Json]]:
        """Everything that makes up the user's memory, in order, whatever store it is in.

        `forms`: the texts that a tombstone of the memory may stand for, since its digest means
        nothing elsewhere.
        """

    def export_line(self, m: Memory, *, secrets: bool = True) -> dict[str, Json]:
        """A memory with all that hangs on it."""

    def list_taken_ids(self, table: str, wanted: Iterable[str]) -> dict[str, bool]:
        """Those of the ids that the table (session, message, memory, set, trace) has: True where this user's."""

    def list_erased_ids(self, wanted: Iterable[str]) -> set[str]:
        """Ids of things that were erased for good."""

    def put_session(self, line: Mapping[str, Json]) -> None: ...
    def restore_watermarks(self, line: Mapping[str, Json]) -> None:
        """How far a session was worked through, once its messages are there."""

    def put_message(self, line: Mapping[str, Json]) -> int: ...
    def put_memories(self, lines: Sequence[Mapping[str, Json]]) -> None:
        """New memories, and newer states of some that are there, with all that hangs on them."""

    def has_tombstone(
        self, line: Mapping[str, Json], forms: Callable[[Memory], Sequence[str]]
    ) -> bool:
        """Whether the tombstone is here already."""

    def put_tombstone(
        self, line: Mapping[str, Json], forms: Callable[[Memory], Sequence[str]]
    ) -> bool: ...
    def put_set(self, line: Mapping[str, Json], told: Mapping[str, str]) -> bool:
        """What was done to memories that are there; `told`: the set that told of a memory last.

        False if it is about none of them. Raises KeyError, TypeError or ValueError if it cannot be
        read.
        """

    def put_trace(self, line: Mapping[str, Json]) -> bool: ...


class Transaction(Protocol):
    """One user's store inside one read or one write."""

    @property
    def user_id(self) -> str: ...
    @property
    def memories(self) -> MemoryTable: ...
    @property
    def lives(self) -> LifeTable: ...
    @property
    def vectors(self) -> VectorTable: ...
    @property
    def conversations(self) -> ConversationTable: ...
    @property
    def jobs(self) -> JobTable: ...
    @property
    def changes(self) -> ChangeTable: ...
    @property
    def tombstones(self) -> TombstoneTable: ...
    @property
    def traces(self) -> TraceTable: ...
    @property
    def proposals(self) -> ProposalTable: ...
    @property
    def mirror(self) -> MirrorTable: ...
    @property
    def transfer(self) -> TransferTable: ...
    @property
    def nights(self) -> NightTable: ...
    def user(self) -> User: ...
    def put_user(self, u: User) -> None: ...
    def new_id(self) -> str:
        """Crockford base32, a letter first, six characters or more, never used before in this store."""

    def run_sql(self, sql: str, *params: str | int) -> list[Sequence[Any]]:
        """Run a statement on the caller's own tables in the same file; return its rows."""

    def put_secret(self, memory_id: MemoryId, sealed: bytes) -> None: ...
    def secret(self, memory_id: MemoryId) -> bytes | None: ...
    def seal_message(self, message_id: str, sealed: bytes | None) -> None: ...
    def sealed_message(self, message_id: str) -> bytes | None: ...
    def sealed_messages(self) -> list[str]: ...


Values: TypeAlias = NDArray[np.float32]
Places: TypeAlias = NDArray[
    np.int64
]  # of memories: rows of a user's columns in memory, the newest last


class Posting(NamedTuple):
    """The memories that hold a term."""

    places: Places  # ascending; of a term that very many hold, the newest thousand
    rarity: float  # BM25's idf: 0 for what every memory holds


@dataclass(frozen=True, slots=True, eq=False)
class ChanceStatistics:
    """Cosines that say nothing in one person's store, and whether what stands side by side belongs together."""

    spread: float = 0.0  # standard deviation of cosines of a message with memories
    count: int = 0  # memories it was measured on
    dimensions: float | None = (
        None  # that they spread over from their mean: how well they are told apart
    )
    follows: float | None = (
        None  # how far above chance the next of a session is, in spreads; None: no sessions
    )
    centre: FloatArray | None = None  # the mean vector
    slant: FloatArray | None = (
        None  # from the mean of one language to that of the other, where both have several
    )
    # Of each language, (mean, spread) of the cosine of the nearest memory to a message that calls
    # for nothing.
    idle: Mapping[Lang, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What was learned just before and after some memories, in their sessions, by time of making."""

    places: (
        Places  # (memories, 2·reach): from `reach` before to `reach` after; −1 where there is none
    )
    seconds: FloatArray  # between the two


class Reader(Protocol):
    """What recall's signals read; bound to one user."""

    async def get(self, ids: Sequence[MemoryId]) -> list[Memory]: ...
    async def search_vectors(self, v: FloatArray, k: int, f: Filter) -> list[ScoredMemory]:
        """Cosine, of vectors of the current embedder.

        While memories are being embedded anew, `v` may carry the vector of the embedder before
        behind its own: then those that have none of the current one are found by that.
        """

    async def search_words(self, q: str, k: int, f: Filter) -> list[ScoredMemory]:
        """BM25, turned so that higher is better."""

    async def search_each_vector(
        self, vectors: Sequence[FloatArray], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        """`nearest` for each of several vectors, in one go."""

    async def search_each_text(
        self, texts: Sequence[str], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        """`lexical` for each of several texts, in one go."""

    async def score_linked_rows(
        self, places: Places, hops: int, f: Filter
    ) -> tuple[Places, Values]:
        """Through shared entities, up to `hops` away: what passes, ascending, and how close it is."""

    async def find_by_entity(self, names: Sequence[str], k: int, f: Filter) -> list[ScoredMemory]:
        """Memories whose entities occur among `names`, which are as `memory.index.text.fold` leaves them."""

    async def find_named(self, names: Sequence[str], f: Filter) -> list[Places]:
        """Of each of the names that is an entity's, all memories that have it and pass."""

    async def row_mask(self, f: Filter) -> NDArray[np.bool_]:
        """Of each place whether the filter lets it through."""

    async def find_postings(self, terms: Sequence[str]) -> list[Posting]:
        """For each term of the text index (`memory.index.text.list_search_terms`) the memories that hold it."""

    async def count_words(self) -> NDArray[np.int32]:
        """How many words each place has; 0 for what the text index does not hold."""

    async def measure_chance(
        self, idle: Mapping[Lang, FloatArray] | None = None
    ) -> ChanceStatistics:
        """Of this user's memories and their vectors of the current embedder, as far as there are
        enough to tell.

        `idle` are vectors of messages that call for nothing, (messages, dim) a language.
        """

    async def get_rows(self, places: Sequence[int]) -> list[CandidateRow]:
        """These, in the same order."""

    async def get_neighbours(self, places: Places, reach: int, f: Filter) -> Neighbours:
        """Neighbours of each in its session that pass; episodes have none."""

    async def find_dated(self, since: datetime, until: datetime, k: int, f: Filter) -> Places:
        """The newest places of memories made in that time, or valid from then on, or due then; ascending."""

    async def find_episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]:
        """Episodes of that time, newest first."""

    async def read(self, fn: Callable[[Transaction], T]) -> T: ...
    async def run_in_one_read(self, work: Callable[[Reader], Coroutine[Any, Any, T]]) -> T:
        """Run `work`, which awaits nothing but the reader it is given, in one go and as of one moment."""


class SystemTransaction(Protocol):
    """What belongs to no single user: identities, the job queue, store-wide values."""

    def resolve(self, provider: str, external_id: str) -> str | None:
        """User of that identity."""

    def create_user(self, now: datetime) -> str: ...
    def link(self, provider: str, external_id: str, user_id: str, now: datetime) -> None: ...
    def unlink(self, provider: str, external_id: str) -> None: ...
    def identities(self, provider: str) -> Mapping[str, str]: ...
    def embedders(self) -> list[str]:
        """Ids of all that memories have vectors of, the one that came last first."""

    def users(self) -> list[str]: ...
    def keyed(self) -> bool:
        """Whether anything rests on this home's key: sealed texts or digests."""

    def get(self, key: str) -> Json: ...
    def set(self, key: str, value: Json) -> None: ...
    def lease(
        self, now: datetime, until: datetime, worker: str, *, kinds: Sequence[JobKind] | None = None
    ) -> Job | None:
        """Lease the next due job whose lane has no other unfinished job before it."""

    def renew(self, job_id: str, worker: str, until: datetime) -> bool: ...
    def fail(
        self, job_id: str, worker: str, error: str, run_at: datetime | None, now: datetime
    ) -> bool:
        """Back to ready at `run_at`, or dead if it is None. Noted as a `job` change."""

    def tell_waiting(
        self, kinds: Sequence[JobKind], by: datetime, what: Mapping[str, Json]
    ) -> None:
        """A `job` change, outcome `waiting`, for all with such jobs due by then: once until they are done."""

    def revive(self, now: datetime) -> int:
        """Dead jobs get one more round of attempts: at start, after settings may have been mended."""

    def unfinished(self, now: datetime) -> int:
        """Jobs ready (due now) or leased."""

    def release(self, worker: str, now: datetime) -> None:
        """Give back every lease of this worker, and those of processes of this machine that are gone."""

    def run_sql(self, sql: str, *params: str | int) -> list[Sequence[Any]]:
        """Run a statement on the caller's own tables in the same file; return its rows."""

    def prune(self) -> None:
        """Let go of the oldest notes of which memories were written."""


class Store(Protocol):
    """One database of all users."""

    def open_reader(self, user_id: str) -> Reader: ...
    def prefetch(self, user_id: str) -> None:
        """Somebody is about to ask: in the background, get ready what their first question would wait for."""

    async def read(self, user_id: str, fn: Callable[[Transaction], T]) -> T: ...
    async def write(self, user_id: str, fn: Callable[[Transaction], T]) -> T:
        """Run `fn` inside one BEGIN IMMEDIATE; commit if it returns, roll back if it raises."""

    async def write_system(self, fn: Callable[[SystemTransaction], T]) -> T:
        """The same, for what belongs to no single user."""

    async def finish_job(
        self, job: Job, fn: Callable[[Transaction], Mapping[str, Json]], now: datetime
    ) -> bool:
        """Run `fn` and mark the job done with its result, in one transaction guarded by the job's
        lease.

        False, and nothing written, if the lease was lost.
        """

    async def get_next_due_time(self, kinds: Sequence[JobKind] | None = None) -> datetime | None:
        """When the next job may be leased (a lease may run out, too); None if there is nothing to wait for."""

    async def list_changes(self, user_id: str, after: int, limit: int) -> list[Change]: ...
    def watch(self, user_id: str, after: int) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        """Changes from `after` on, of this and other processes, as they are committed."""

    async def use_embedder(self, embedder_id: str, dim: int, *, before: str | None = None) -> None:
        """From now on `Reader.nearest` and `missing` mean this model; its index is made if need be.

        `before`: the model whose vectors are looked at as well, where a memory has none of this one
        yet.
        """

    async def drop_unused_embedders(self, embedder_id: str) -> bool:
        """Whether nobody has a vector of any other model; what is left of the others then goes."""

    def use_mirror(self) -> None:
        """From now on every write that changes a memory leaves a `mirror` job behind, one at a time."""

    async def rebuild(self, user_id: str | None = None) -> Mapping[str, int]:
        """Derive text and vector indexes anew from the base tables; how many rows each."""

    async def scrub(self) -> bool:
        """Rebuild indexes, VACUUM, truncate the WAL, clean the backups; False if another process was in the way."""

    async def trust_clock(self, now: datetime, *, by_hand: bool = False) -> bool:
        """Whether the clock may be trusted with what cannot be taken back."""

    async def keep_backups(self, now: datetime) -> bool:
        """Make today's backup if there is none, and let old ones go. True if one was made."""

    async def close(self) -> None: ...
