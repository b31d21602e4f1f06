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
    Collection,
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
    DailyUsage,
    Document,
    Entity,
    Filter,
    Job,
    JobKind,
    Json,
    JudgedPair,
    Lang,
    Level,
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
    """One call of a model.

    HTTP providers send `messages` alone; the notebook reads `task` and `data`. Shapes of `data`
    (all times ISO 8601 with offset, all texts plain):
        chat:      {message, pictures: how many, history: [{role, text, at}],
                   recalled: [{id, text, kind, level, when, relevance,
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
        contradict: {today, pairs: [{n, a, b, ended, and of each _at and _days}], lang}: a was said
                   before b, which ended or replaced ended
        derive:    {groups: [[{id, text}]], lang}
    """

    task: Task
    # role: system | user | assistant | tool; content: text, or parts of text and images
    messages: Sequence[Mapping[str, Json]]
    data: Mapping[str, Json] = field(default_factory=dict)
    max_tokens: int | None = None
    schema: Mapping[str, Json] | None = None  # JSON schema of the answer, where the task wants JSON
    deadline: float | None = None  # seconds for the whole call
    tools: Sequence[Mapping[str, Json]] = ()  # name, description, parameters (JSON schema)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool by a model; `arguments` is JSON as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed answer.

    The last one has `finish` set, `usage` where the provider told, and the tools it calls.
    """

    text: str = ""
    finish: str | None = None  # stop | length | …
    usage: Usage | None = None
    calls: tuple[ToolCall, ...] = ()


class ChatModel(Protocol):
    """A model that answers with text."""

    @property
    def name(self) -> str:
        """Return what a person is shown: `gpt-4o-mini`, `notebook`."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the answer as it comes.

        Raises ModelError, also for a stream that ends without a finish.
        """


class Embedder(Protocol):
    """Turns texts into vectors of unit length."""

    @property
    def id(self) -> str:
        """Return `provider:model:dim`."""

    @property
    def dim(self) -> int:
        """Return the length of a vector."""

    @property
    def local(self) -> bool:
        """Tell whether it computes here, sending nothing anywhere."""

    @property
    def immediate(self) -> bool:
        """Tell whether it always answers within a millisecond or two."""

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """Return (n, dim) float32, each row of unit length. Raises ModelError."""


@runtime_checkable
class QueryShortener(Protocol):
    """An embedder that counts tokens itself; what others are asked is cut by bytes."""

    def shorten_query(self, texts: Sequence[str]) -> list[str] | None:
        """Shorten a message and its context to what is read of both; None if it cannot yet."""


# --- gateways ---

JsonLine: TypeAlias = Mapping[str, Json]
TombstoneForms: TypeAlias = Callable[[Memory], Sequence[str]]  # what one may stand for


class MemoryTable(Protocol):
    """Memories of one user with their index rows, mentions, sources, entities and weight log."""

    def get(self, memory_id: MemoryId) -> Memory | None: ...
    def get_many(self, ids: Iterable[MemoryId]) -> list[Memory]:
        """Return them in the order asked for, without those that are not this user's."""

    def find(
        self,
        f: Filter,
        *,
        text: str | None = None,
        order: Literal["weight", "activated", "created"] = "activated",
        limit: int = 50,
        offset: int = 0,
    ) -> MemoryPage:
        """Return a page; `text` keeps memories that have all of its words, whole or by stems."""

    def list_derived(self) -> list[Memory]:
        """List what was derived from other memories, in any state."""

    def list_quiet_words(self) -> list[str]:
        """List the words in which the person asked to keep quiet, of active memories."""

    def list_renamed(self) -> list[Memory]:
        """List active memories that tell somebody's new name, in the order they were made."""

    def list_dated(self, since: datetime, until: datetime) -> list[Memory]:
        """List what holds and is not quiet with a day in the span, all that repeats, all deaths."""

    def list_standing(self, at: datetime) -> list[Memory]:
        """List what may stand in every prompt: active, not ended by `at`, denied or quiet."""

    def list_slots(self, slots: Collection[str]) -> list[Memory]:
        """List what fills one of these slots, and what filled it before; the newest first."""

    def quotes(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        """List quotations behind that place that a model may rewrite, with their places."""

    def add(self, m: Memory) -> Memory:
        """Store a new memory (an empty id gets one) and what hangs on it, as a change."""

    def add_many(self, memories: Sequence[Memory]) -> list[Memory]:
        """Store thousands in a few statements. Raises Conflict if an id is taken or erased."""

    def put(self, m: Memory, op: Op) -> Memory:
        """Write `m` over the row with the same `rev`, as a change `op`; return it as stored.

        Keeps the indexes in step: states forgotten and deleted leave the text index and lose their
        vectors; coming back, or a new original_content, re-enters the index and enqueues an `embed`
        job. Raises Conflict if `rev` moved on, NotFound if there is no such memory.
        """

    def put_many(self, memories: Sequence[Memory], op: Op) -> list[Memory]:
        """Write thousands as `put` does, in the same order."""

    def add_source(
        self, memory_id: MemoryId, message_id: str, span: tuple[int, int] | None = None
    ) -> None:
        """Note that the memory was learned from the message, or from those characters of it."""

    def list_sources(self, memory_id: MemoryId) -> list[str]: ...
    def list_source_spans(self, memory_id: MemoryId) -> list[tuple[str, int | None, int | None]]:
        """List (message, start, end) of them; None: the message as a whole."""

    def list_learned_from(self, message_ids: Iterable[str]) -> list[MemoryId]: ...
    def add_mention(self, memory_id: MemoryId, message_id: str, at: datetime) -> bool:
        """Count a mention; False if that message counted before, or taught the memory."""

    def remove_mention(self, memory_id: MemoryId, message_id: str) -> bool: ...
    def list_mentions(self, memory_id: MemoryId) -> list[str]: ...
    def log(self, e: WeightEvent) -> None: ...
    def list_weight_log(
        self,
        memory_id: MemoryId | None = None,
        *,
        since: datetime | None = None,
        events: Iterable[str] = (),
    ) -> list[WeightEvent]:
        """List a memory's log as it was written, or those events of all memories since then."""

    def count_by(self, column: Literal["state", "curve"]) -> Mapping[str, int]:
        """Count memories by state or, in any state, by curve; 0 for what none has."""

    def count_levels(self) -> Mapping[Level, int]:
        """Count active memories by level, without episodes, secrets and quiet ones."""

    def is_only_one_of_entity(self, memory_id: MemoryId) -> bool:
        """Tell whether one of its entities has no other active memory, episodes aside."""

    def list_outlines(self) -> list[MemoryOutline]:
        """List all memories, in any state and of any sensitivity, in the order they were made."""

    def list_texts(self) -> list[tuple[MemoryId, str, str]]:
        """List id, text and original of those that are active or superseded."""

    def put_weights(self, weights: Iterable[tuple[MemoryId, int, float]]) -> int:
        """Cache weights of (id, rev, weight), which is no change, where `rev` still stands."""

    def erase(self, memory_id: MemoryId, *, everywhere: bool = True) -> Mapping[str, int]:
        """Remove for good, which no undo brings back; return how many rows went from which place.

        everywhere: also its words, wherever they stand. Else only what is its own: rows, vectors,
        index, logs, and links to it; messages and other memories keep their words.
        """

    def list_known_at(
        self, at: datetime, *, text: str | None = None, limit: int = 50, offset: int = 0
    ) -> MemoryPage:
        """List what held at that moment, in the words it had then, the newest first.

        That is what had been made, and not been superseded, merged, denied or forgotten. What was
        told later counts as far as somebody dated it: what had ended by then is over, what held
        since before is there. Never secret ones, nor what was deleted since. `text` keeps those
        with all its words.
        """

    def move(self, m: Memory, e: WeightEvent) -> None:
        """Write the state of another curve over the row with the same `rev`, and log it.

        It is no change that undo knows. Raises Conflict if `rev` moved on.
        """


class VectorTable(Protocol):
    """Embeddings of one user, by model."""

    def put_many(self, vectors: Mapping[MemoryId, FloatArray], embedder_id: str) -> int:
        """Keep vectors; return how many: what has left the index or is secret gets none."""

    def get(self, ids: Sequence[MemoryId], embedder_id: str) -> Mapping[MemoryId, FloatArray]:
        """Map memories to their vectors of that model, without those that have none."""

    def count_embedded(self, embedder_id: str) -> tuple[int, int]:
        """Count (memories that have a vector of that model, memories that should)."""

    def list_missing(self, embedder_id: str, limit: int) -> list[tuple[MemoryId, str]]:
        """List (id, original_content) of those that should have a vector and have none."""

    def list_other_models(self, embedder_id: str) -> list[tuple[str, int]]:
        """List other models that this user has vectors of, and how many, most first."""

    def drop_vectors(self, embedder_id: str, limit: int) -> int:
        """Drop up to `limit` vectors of that model, the oldest first; return how many."""


class ConversationTable(Protocol):
    """Sessions, messages and turns. A user's own scope is `user:ID`."""

    def get_open_session(self, scope: str) -> Session | None: ...
    def get_session(self, session_id: str) -> Session | None: ...
    def list_sessions(self, scope: str | None = None, limit: int = 20) -> list[Session]: ...
    def list_idle_sessions(self, before: datetime) -> list[Session]:
        """List open sessions where something was said, nothing since then, nor is answered."""

    def open_session(self, scope: str, now: datetime) -> Session:
        """Open a session, or return the one that another window has opened."""

    def close_session(self, session_id: str, now: datetime, why: str) -> bool:
        """Compare-and-set open → closed; False if somebody else closed it first."""

    def put_session(self, s: Session) -> None:
        """Write all but `state` and what `close_session` says of it. Raises NotFound."""

    def record_change(
        self, entity: Entity, entity_id: str, op: Op, after: Mapping[str, Json]
    ) -> None:
        """Record a change that has no row of its own to show."""

    def add_message(self, m: Message) -> Message:
        """Append (an empty id gets one); return it with `seq`. Raises NotFound, Conflict."""

    def put_messages(self, messages: Iterable[Message], op: Op = "updated") -> None:
        """Write text, status, turn, hiding and what it replies to. Raises NotFound."""

    def get_message(self, message_id: str) -> Message | None: ...
    def list_hidden_messages(self, before: datetime, limit: int) -> list[Message]:
        """List messages hidden by that time that still have their text, oldest first."""

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
        """List after < seq < before (or <= through); `newest` takes the last `limit`."""

    def get_turn(self, turn_id: str) -> TurnRow | None: ...
    def get_open_turn(self, scope: str) -> TurnRow | None: ...
    def open_turn(self, t: TurnRow) -> None:
        """Begin a turn. Raises Conflict if the scope has an open one, or the id is known."""

    def reopen_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        """Compare-and-set interrupted or failed → open. Raises Conflict as `open_turn` does."""

    def renew_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        """Keep a turn's lease; False if it is no longer ours."""

    def finish_turn(
        self,
        turn_id: str,
        leased_by: str,
        state: TurnState,
        now: datetime,
        *,
        reply_message_id: str | None = None,
        error: str = "",
    ) -> bool:
        """Compare-and-set open → `state`; False if its lease is no longer ours."""

    def list_orphan_turns(self, now: datetime) -> list[TurnRow]:
        """List open turns whose lease ran out, or whose process on this machine is gone."""


class DocumentTable(Protocol):
    """Long messages of one user as documents; they come, change and go with their messages."""

    def list_in(
        self, scope: str, limit: int, session_id: str | None = None
    ) -> list[tuple[int, str | None]]:
        """List (number, embedder) of the newest that may be seen in a scope, or its session."""

    def get_many(self, numbers: Sequence[int]) -> list[Document]:
        """Return those that may be seen."""

    def list_missing(self, embedder_id: str) -> list[int]:
        """List those without vectors of that model."""

    def put_vectors(
        self, n: int, embedder_id: str, places: Sequence[int], vectors: FloatArray
    ) -> bool:
        """Keep vectors of passages; False if the document has gone or its text has changed."""


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
        """Write a job; None if (kind, dedup_key) is there already, finished or not."""

    def enqueue_mirror_job(self, now: datetime) -> None:
        """Have MEMORY.md looked after, unless a job that has not begun yet will do it."""

    def list_pending(self, kind: JobKind | None = None) -> list[Job]: ...
    def list_dead(self) -> list[Job]: ...
    def list_latest(self, kind: JobKind, limit: int) -> list[Job]: ...
    def holds_lease(self, job: Job) -> bool:
        """Tell whether `job.leased_by` still has the lease: for a long handler's writes."""

    def reset_attempts(self, job: Job) -> None:
        """Count no attempt before this one: the job gets ahead."""

    def prune(self, now: datetime) -> int:
        """Delete jobs that have long been done, a bounded number at once; return how many."""

    def cancel(self, job_id: str) -> None:
        """Cancel an unfinished or dead job; one that is running loses its lease."""


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

    def resume(self, opened: ChangeSet) -> None: ...
    def get(self, set_id: str) -> ChangeSet | None: ...
    def list_changes(
        self,
        *,
        set_id: str | None = None,
        job_id: str | None = None,
        of: tuple[Entity, str] | None = None,
        after: int | None = None,
        limit: int = -1,
    ) -> list[Change]:
        """List changes in order: of a set, of one thing, or after a `seq`.

        Of a job: those of its sets that nobody has undone.
        """

    def get_last_seq(self) -> int: ...
    def get_latest_change(self, entity: Entity, entity_id: str) -> Change | None: ...
    def count_ended_by(self, turn_id: str) -> int:
        """Count memories ended by what was learned right after the turn, taken back or not."""

    def count_corrections(self, since: datetime) -> Mapping[str, int]:
        """Count memories: learned since, of those undone by the person; wrong, fixed.

        wrong: undone, or deleted by the person. fixed: edited by them.
        """

    def list_overtaken(self, set_id: str) -> frozenset[str]:
        """Return the memories of the set that another set has changed since."""

    def list_undoable(self, limit: int = 20) -> list[ChangeSet]:
        """List, newest first, sets that changed a memory by more than a mention.

        None that is undone, an undo or purged, and nothing that a night did.
        """

    def mark_undone(self, set_id: str, by: str) -> None: ...


class TombstoneTable(Protocol):
    """What must not be learned again from the same history."""

    def add(self, *stones: Tombstone) -> None:
        """Keep them; where the first of a memory brings no vector, it keeps the memory's own."""

    def remove(self, *ids: MemoryId) -> None:
        """Take them away: the memories are wanted again."""

    def has(self, digest: str) -> bool: ...
    def compute_digest(self, text: str) -> str:
        """Hash the normalised text with the home's key, for this user."""

    def list_matching(
        self, digest: str, embedder_id: str | None, vector: FloatArray | None, floor: float
    ) -> list[Tombstone]:
        """List those with that digest or a vector of cosine `floor` or more, newest first."""


class ProposalTable(Protocol):
    """Questions that wait for the person's yes or no."""

    def add(self, p: Proposal) -> Proposal:
        """Store it under an id of its own."""

    def open(self) -> list[Proposal]:
        """List those that wait for an answer, oldest first."""

    def ask(self, proposal_id: str, at: datetime) -> None: ...
    def remove(self, proposal_id: str) -> bool: ...
    def delete_expired(self, before: datetime) -> None: ...


class TraceTable(Protocol):
    """The recall trace of each turn (ids and numbers, never texts), and tokens spent by role."""

    def save(
        self, turn_id: str, scope: str, recall: Recall, used: Iterable[MemoryId], now: datetime
    ) -> None:
        """Keep the trace of a turn, in place of an earlier one."""

    def load(self, turn_id: str) -> Recall | None:
        """Return it with memories as they stand now, without those erased since."""

    def list_used(self, turn_id: str) -> list[MemoryId]: ...
    def mark_used(self, turn_ids: Iterable[str], memory_id: MemoryId) -> bool:
        """Note that it shaped the replies of those of the turns that recalled it."""

    def get_last_turn(self, scope: str) -> str | None: ...
    def list_hints(self, turn_id: str) -> list[MemoryId]:
        """List the memories that were hinted at in the turn's session, where it was answered."""

    def list_recalling_turns(self, memory_id: MemoryId) -> list[str]:
        """List the turns whose prompt carried the memory, oldest first."""

    def record_tokens(self, role: str, model: str, usage: Usage, now: datetime) -> None:
        """Count a model call. Days are UTC."""

    def count_tokens(self, role: str | None, since: datetime) -> Usage:
        """Add up the tokens of a role (of all, if None) from the day of `since` on."""

    def list_daily_usage(self, since: datetime) -> list[DailyUsage]:
        """List the tokens of each day from that of `since` on, and each role; oldest first."""


class MirrorTable(Protocol):
    """What a user's MEMORY.md shows and has shown, version by version: digests, never texts."""

    def get_state(self) -> MirrorState | None: ...
    def put_state(self, s: MirrorState) -> None: ...
    def compute_digest(self, text: str) -> str:
        """Hash the words as they stand with the home's key; spacing does not count."""

    def get_base(self, version: int, *, taken: bool = True) -> dict[MemoryId, MirrorDigest]:
        """Return what the file of that version showed, with the edits `taken` since."""

    def get_digests(
        self, ids: Iterable[MemoryId]
    ) -> dict[MemoryId, tuple[State, Sensitivity, MirrorDigest]]:
        """Map those of the ids that there are to how they would be shown."""

    def list_shown_ids(self) -> frozenset[MemoryId]: ...
    def was_shown(self, memory_id: MemoryId, text: str) -> bool:
        """Tell whether any version showed the memory with the text of that digest."""

    def list_known_ids(self, ids: Iterable[MemoryId]) -> set[MemoryId]:
        """Return those that any version has shown, also when they are erased by now."""

    def write(self, version: int, shown: Mapping[MemoryId, MirrorDigest]) -> int:
        """Note what the file of that version shows; return how many entries are other ones."""

    def take(self, version: int, edited: Mapping[MemoryId, MirrorDigest | None]) -> None:
        """Let the file of that version count as showing this, or not, from now on."""


class NightTable(Protocol):
    """Runs of upkeep: progress while they last, reports afterwards; the newest sixty are kept."""

    def put(self, night: UpkeepNight) -> None:
        """Write over what the job's run said before."""

    def get_night(self, job_id: str) -> UpkeepNight | None: ...
    def list_latest_nights(self, limit: int = 1, *, done: bool = True) -> list[UpkeepNight]:
        """List, newest first, finished runs, or those that are under way."""

    def put_pairs(self, pairs: Iterable[JudgedPair]) -> None:
        """Keep what was judged of pairs, over what was judged of them before."""

    def list_pairs(self) -> list[JudgedPair]: ...
    def drop_pairs(self, ids: Iterable[MemoryId]) -> None:
        """Let go of what was judged of any of these memories."""


class TransferTable(Protocol):
    """One user's rows in and out, as lines of JSON (see `memory.transfer`) that call them "@"."""

    def export_lines(self, forms: TombstoneForms, *, secrets: bool) -> Iterator[dict[str, Json]]:
        """Yield everything that makes up the user's memory, in order, whatever store it is in.

        `forms`: the texts that a tombstone of the memory may stand for, since its digest means
        nothing elsewhere.
        """

    def export_line(self, m: Memory, *, secrets: bool = True) -> dict[str, Json]: ...
    def list_taken_ids(self, table: str, wanted: Iterable[str]) -> dict[str, bool]:
        """Map those ids that the session, message, memory, set or trace table has: True if ours."""

    def list_erased_ids(self, wanted: Iterable[str]) -> set[str]: ...
    def put_session(self, line: JsonLine) -> None:
        """Take in a session, closed where another is open in its scope."""

    def restore_watermarks(self, line: JsonLine) -> None:
        """Write how far a session was worked through, once its messages are there."""

    def put_message(self, line: JsonLine) -> int:
        """Take in a message, the newest of all so far; return its `seq`."""

    def put_memories(self, lines: Sequence[JsonLine]) -> None:
        """Take in new memories, and newer states of some, with all that hangs on them."""

    def has_tombstone(self, line: JsonLine, forms: TombstoneForms) -> bool:
        """Tell whether the tombstone is here already."""

    def put_tombstone(self, line: JsonLine, forms: TombstoneForms) -> bool:
        """Keep it; False if it is here already, or nobody can tell what it stands for."""

    def put_set(self, line: JsonLine, told: Mapping[str, str]) -> bool:
        """Take in what was done to memories that are there; False if it is about none of them.

        `told`: the set that told of a memory last. What begins where that ended, and is not here,
        is left out. Raises KeyError, TypeError or ValueError if a change cannot be read.
        """

    def put_trace(self, line: JsonLine) -> bool:
        """Take in what a turn recalled; False if it is known."""


class Transaction(Protocol):
    """One user's store inside one read or one write."""

    user_id: str
    memories: MemoryTable
    vectors: VectorTable
    conversations: ConversationTable
    documents: DocumentTable
    jobs: JobTable
    changes: ChangeTable
    tombstones: TombstoneTable
    traces: TraceTable
    proposals: ProposalTable
    mirror: MirrorTable
    transfer: TransferTable
    nights: NightTable

    def user(self) -> User: ...
    def put_user(self, u: User) -> None: ...
    def new_id(self) -> str:
        """Reserve an id never used before in this store: Crockford base32, a letter first."""

    def run_sql(self, sql: str, *params: str | int | datetime) -> list[Sequence[Any]]:
        """Run a statement on the caller's own tables in the same file; return its rows.

        A time becomes UTC milliseconds.
        """

    def put_secret(self, memory_id: MemoryId, sealed: bytes) -> None:
        """Keep the sealed text of a secret memory. Raises NotFound."""

    def secret(self, memory_id: MemoryId) -> bytes | None: ...
    def seal_message(self, message_id: str, sealed: bytes | None) -> None:
        """Keep what a message said with its secrets, until its text changes; None drops it."""

    def sealed_message(self, message_id: str) -> bytes | None: ...
    def sealed_messages(self) -> list[str]: ...


# --- the index ---

Values: TypeAlias = NDArray[np.float32]
# Of memories: rows of a user's columns in memory, the newest last.
Places: TypeAlias = NDArray[np.int64]


class Posting(NamedTuple):
    """The memories that hold a term."""

    places: Places  # ascending; of a term that very many hold, the newest thousand
    rarity: float  # BM25's idf: 0 for what every memory holds


@dataclass(frozen=True, slots=True, eq=False)
class ChanceStatistics:
    """What is chance among one person's memories: in cosines, and in words of neighbours."""

    spread: float = 0.0  # standard deviation of cosines of a message with memories
    count: int = 0  # memories it was measured on
    # That they spread over from their mean: how well they are told apart.
    dimensions: float | None = None
    # How far above chance the next of a session is, in spreads; None: no sessions.
    follows: float | None = None
    centre: FloatArray | None = None  # the mean vector
    # From the mean of one language to that of the other, where both have several.
    slant: FloatArray | None = None
    # Of each language, (mean, spread) of the cosine of the nearest memory to a message that calls
    # for nothing.
    idle: Mapping[Lang, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What was learned just before and after some memories, in their sessions."""

    # (memories, 2·reach): from `reach` before to `reach` after; −1 where there is none.
    places: Places
    seconds: FloatArray  # between the two


class Reader(Protocol):
    """What recall's signals read; bound to one user."""

    async def get(self, ids: Sequence[MemoryId]) -> list[Memory]: ...
    async def search_vectors(self, v: FloatArray, k: int, f: Filter) -> list[ScoredMemory]:
        """Rank memories by the cosine of their vectors of the current embedder.

        While memories are being embedded anew, `v` may carry the vector of the embedder before
        behind its own: then those that have none of the current one are found by that.
        """
        return (await self.search_each_vector([v], k, f))[0]

    async def search_words(self, q: str, k: int, f: Filter) -> list[ScoredMemory]:
        """Rank memories by BM25; higher is better."""
        return (await self.search_each_text([q], k, f))[0]

    async def search_each_vector(
        self, vectors: Sequence[FloatArray], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        """Rank for each of several vectors, in one go."""

    async def search_each_text(
        self, texts: Sequence[str], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        """Rank for each of several texts, in one go."""

    async def score_linked_rows(
        self, places: Places, hops: int, f: Filter
    ) -> tuple[Places, Values]:
        """Return what passes and shares entities, up to `hops` away, and how close it is."""

    async def find_by_entity(self, names: Sequence[str], k: int, f: Filter) -> list[ScoredMemory]:
        """Rank memories whose entities occur among `names` (see `memory.index.text.fold`)."""

    async def find_named(self, names: Sequence[str], f: Filter) -> list[Places]:
        """Return, of each of the names that is an entity's, all memories that have it and pass."""

    async def row_mask(self, f: Filter) -> NDArray[np.bool_]:
        """Return of each place whether the filter lets it through."""

    async def find_postings(self, terms: Sequence[str]) -> list[Posting]:
        """Return for each term (see `memory.index.text`) the memories that hold it."""

    async def count_words(self) -> NDArray[np.int32]:
        """Count the words of each place; 0 for what the text index does not hold."""

    async def measure_chance(
        self, idle: Mapping[Lang, FloatArray] | None = None
    ) -> ChanceStatistics:
        """Measure what is chance among this user's memories, as far as there are enough.

        `idle` are vectors of messages that call for nothing, (messages, dim) a language.
        """

    async def get_rows(self, places: Sequence[int]) -> list[CandidateRow]: ...
    async def get_neighbours(self, places: Places, reach: int, f: Filter) -> Neighbours:
        """Return neighbours of each in its session that pass; episodes have none."""

    async def find_dated(self, since: datetime, until: datetime, k: int, f: Filter) -> Places:
        """Return the newest places made in that time, valid from then on, or due then."""

    async def find_episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]: ...
    async def read(self, fn: Callable[[Transaction], T]) -> T:
        """Return `fn` of the tables inside one read transaction."""

    async def run_in_one_read(self, work: Callable[[Reader], Coroutine[Any, Any, T]]) -> T:
        """Run `work`, which awaits nothing but the reader it is given, as of one moment."""


# --- the store ---


class SystemTransaction(Protocol):
    """What belongs to no single user: identities, the job queue, store-wide values."""

    def resolve(self, provider: str, external_id: str) -> str | None: ...
    def create_user(self, now: datetime) -> str: ...
    def link(self, provider: str, external_id: str, user_id: str, now: datetime) -> None: ...
    def unlink(self, provider: str, external_id: str) -> None: ...
    def identities(self, provider: str) -> Mapping[str, str]: ...
    def users(self) -> list[str]: ...
    def embedders(self) -> list[str]:
        """List ids of all that memories have vectors of, the one that came last first."""

    def keyed(self) -> bool:
        """Tell whether anything rests on this home's key: sealed texts or digests."""

    def get(self, key: str) -> Json: ...
    def set(self, key: str, value: Json) -> None: ...
    def lease(
        self, now: datetime, until: datetime, worker: str, *, kinds: Sequence[JobKind] | None = None
    ) -> Job | None:
        """Lease the next due job whose lane has no other unfinished job before it."""

    def renew(self, job_id: str, worker: str, until: datetime) -> bool: ...
    def fail(self, job_id: str, worker: str, error: str, run_at: datetime | None) -> bool:
        """Put back to ready at `run_at`, or dead if it is None, as a `job` change."""

    def tell_waiting(
        self, kinds: Sequence[JobKind], by: datetime, what: Mapping[str, Json]
    ) -> None:
        """Note once, for all whose jobs of these kinds are due by then, that they wait."""

    def unfinished(self, now: datetime) -> int: ...
    def release(self, worker: str, now: datetime, *, revive: bool = False) -> None:
        """Give back the leases of this worker, and of processes of this machine that are gone.

        `revive`: dead jobs get one more round of attempts, after settings may have been mended.
        """

    def run_sql(self, sql: str, *params: str | int | datetime) -> list[Sequence[Any]]:
        """Run a statement on the caller's own tables in the same file; return its rows.

        A time becomes UTC milliseconds.
        """

    def prune(self) -> None:
        """Let go of the oldest notes of which memories were written."""


class Store(Protocol):
    """One database of all users."""

    def open_reader(self, user_id: str) -> Reader: ...
    async def read(self, user_id: str, fn: Callable[[Transaction], T]) -> T:
        """Run `fn` inside one read transaction: all that it sees is of one moment."""

    async def write(self, user_id: str, fn: Callable[[Transaction], T]) -> T:
        """Run `fn` inside one BEGIN IMMEDIATE; commit if it returns, roll back if it raises."""

    async def write_system(self, fn: Callable[[SystemTransaction], T]) -> T:
        """Run `fn` as `write` does, for what belongs to no single user."""

    async def finish_job(self, job: Job, fn: Callable[[Transaction], Mapping[str, Json]]) -> bool:
        """Run `fn` and mark the job done with its result, in one transaction.

        False, and nothing written, if the lease was lost.
        """

    async def get_next_due_time(self, kinds: Sequence[JobKind] | None = None) -> datetime | None:
        """Return when the next job may be leased; None if there is nothing to wait for."""

    def watch(self, user_id: str, after: int) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        """Follow changes from `after` on, of all processes, as they are committed."""

    async def use_embedder(self, embedder_id: str, dim: int, *, before: str | None = None) -> None:
        """Mean this model from now on by "the current one"; its index is made if need be.

        `before`: the model whose vectors are looked at where a memory has none of this one yet.
        """

    async def drop_unused_embedders(self, embedder_id: str) -> bool:
        """Drop what is left of other models; False if anybody has a vector of one."""

    def use_mirror(self) -> None:
        """Let every write that changes a memory leave a `mirror` job behind from now on."""

    async def rebuild(self, user_id: str | None = None) -> Mapping[str, int]:
        """Derive text and vector indexes anew from the base tables; count the rows of each."""

    async def scrub(self) -> bool:
        """Rewrite indexes, file, log and backups; False if another process was in the way."""

    async def trust_clock(self, now: datetime, *, by_hand: bool = False) -> bool:
        """Tell whether the clock may be trusted with what cannot be taken back."""

    async def keep_backups(self, now: datetime) -> bool:
        """Make today's backup if there is none, and let old ones go. True if one was made."""

    async def close(self) -> None:
        """Finish what was begun, then close every connection."""
