"""Forgetting on request: softly, at once, and everywhere the thing came from or went to.

One change set holds it all, so that undo brings all of it back. What must not be learned again from
the same history leaves a tombstone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from memory.errors import NotFound, StoreBusy
from memory.index.text import list_search_terms
from memory.jobs import Effect
from memory.learn.same_meaning import (
    HINTS,
    SAYS,
    ForgetTarget,
    build_target,
    find_names,
    mentions_name,
    same,
)
from memory.learn.visible_messages import messages_of
from memory.lifecycle import from_ms, to_milliseconds
from memory.models import (
    ChangeSet,
    Filter,
    Job,
    Layer,
    Level,
    Memory,
    MemoryId,
    Message,
    Sensitivity,
    State,
    Tombstone,
)
from memory.ports import Store, Transaction
from memory.text.forms import has_other_roles

SCANNED: Final = 5_000  # messages looked through, the newest
EPISODES: Final = 2_000
SESSIONS: Final = 200
MANY: Final = 100  # memories at once: then nothing is looked up for each of them any more
_TOLD: Final = 0.6  # share of words from which an episode or a summary tells the thing
_GONE: Final = frozenset({State.DELETED})
_HOLDS: Final = frozenset({State.ACTIVE, State.PROPOSED})
_SUBJECTS: Final = ("The user", "User")
_SUBJECTS_ZH: Final = ("用户", "")


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """`memories` as they are now; how many messages were hidden, and episodes and summaries dropped."""

    memories: list[Memory]
    set_id: str | None
    hidden: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class PurgeReceipt:
    """What a purge erased: rows by place, 0 where it looked and found nothing; `memories` says how
    many went.

    `erased` at once; `scrubbed` once the job has rewritten the file, `error` says what stood in its
    way so far.
    """

    memory_ids: tuple[MemoryId, ...]
    places: Mapping[str, int]
    erased: datetime
    job_id: str | None
    scrubbed: bool = False
    scrubbed_at: datetime | None = None
    memories: int = 0
    error: str = ""


def forget(
    tx: Transaction,
    ids: Sequence[MemoryId],
    now: datetime,
    *,
    actor: str = "user",
    turn_id: str | None = None,
    message_ids: Iterable[str] = (),
    within: ChangeSet | None = None,
    spare: frozenset[MemoryId] = frozenset(),
) -> ForgetResult:
    """Delete softly, hide, drop what tells it, leave tombstones. `message_ids` are hidden as well.

    `within` is a change set that is open already; `spare` are memories that stay even if they say
    the same. Already deleted ones are left as they are. Raises NotFound if none of `ids` is this
    user's and there is no message to hide.
    """
    asked = tx.memories.get_many(dict.fromkeys(ids))
    said = messages_of(tx, message_ids)
    if not asked and not said:
        raise NotFound("There is no such memory.")
    begun = within or tx.changes.begin(actor, "forget", now, turn_id=turn_id)
    reach = ForgetScope(
        tx, [m for m in asked if m.state not in _GONE], [m.id for m in said], spare=spare
    )
    deleted = _delete(tx, reach.memories, begun.id, now)
    hidden = hide(tx, reach.messages, now)
    for merged in reach.merges:
        restore_originals(tx, merged, {d.id for d in deleted}, now)
    dropped, _ = _drop_told(tx, begun.id, reach.thing, hidden, now)
    _drop_proposals(tx, {m.id for m in deleted} | {m.id for m in hidden}, reach.thing)
    stands = {m.id: m for m in deleted}
    return ForgetResult([stands.get(m.id, m) for m in asked], begun.id, len(hidden), dropped)


def forget_everything(tx: Transaction, now: datetime) -> ForgetResult:
    """Let go of every memory in whatever state, secrets and proposals too, and of all that was
    said: one change set.

    Softly, like any forgetting: an undo brings all of it back. Raises NotFound if there is nothing.
    """
    every = Filter(states=frozenset(State) - _GONE, max_sensitivity=Sensitivity.SECRET)
    memories = tx.memories.find(every, limit=-1).items
    said = tx.conversations.list_messages()
    if not memories and not said:
        raise NotFound("There is nothing to forget.")
    begun = tx.changes.begin("user", "forget", now)
    deleted = _delete(tx, memories, begun.id, now)
    hidden = hide(tx, said, now)
    _drop_proposals(tx, None, None)
    told = [s for s in tx.conversations.list_sessions(limit=-1) if s.running_summary or s.title]
    for s in told:
        tx.conversations.put_session(replace(s, running_summary="", title=""))
    return ForgetResult(deleted, begun.id, len(hidden), sum(bool(s.running_summary) for s in told))


def _drop_proposals(tx: Transaction, ids: set[str] | None, thing: ForgetTarget | None) -> None:
    """Drop the questions about what was forgotten, or about its words; all of them without ids."""
    for p in tx.proposals.open():
        if (
            ids is None
            or p.message_id in ids
            or p.data.get("id") in ids
            or (thing and thing.said_by(p.text))
        ):
            tx.proposals.remove(p.id)


@dataclass(slots=True)
class ForgetScope:
    """All that a set of memories reaches: older versions, twins, merged texts, and the messages that say it."""

    tx: Transaction
    targets: list[Memory]
    message_ids: list[str] = field(default_factory=list)
    erasing: bool = False  # also what was deleted before
    spare: frozenset[MemoryId] = frozenset()  # memories that nothing reaches
    memories: list[Memory] = field(init=False)
    merges: list[Memory] = field(init=False)
    thing: ForgetTarget = field(init=False)
    messages: list[Message] = field(init=False)

    def __post_init__(self) -> None:
        """Each step rests on the one before."""
        self.memories = self._closure()
        gone = {m.id for m in self.memories} | self.spare
        self.merges = [
            m
            for t in self.memories
            if t.merged_into and t.merged_into not in gone
            if (m := self._get(t.merged_into))
        ]
        self.thing = build_target(
            self.memories, self._taken((gone - self.spare) | {m.id for m in self.merges})
        )
        self.messages = self._messages()

    def _get(self, memory_id: MemoryId) -> Memory | None:
        m = self.tx.memories.get(memory_id)
        return m if m is not None and m.state in _HOLDS else None

    def _closure(self) -> list[Memory]:
        """With every older version, so that none of them answers in the forgotten one's place, and its twins."""
        out: dict[MemoryId, Memory] = {}
        todo = list(self.targets)
        proposed = self.tx.memories.find(
            Filter(states=frozenset({State.PROPOSED})), limit=1_000
        ).items
        while todo:
            m = todo.pop()
            if m.id in out or m.id in self.spare or (m.state in _GONE and not self.erasing):
                continue
            out[m.id] = m
            todo += self.tx.memories.get_many((*m.supersedes, *m.merged_from))
            todo += [
                p for p in proposed if m.id in p.source_ids
            ]  # concluded from it: nothing without it
            if len(self.targets) <= MANY:
                todo += self._twins(m)
        return list(out.values())

    def _twins(self, m: Memory) -> list[Memory]:
        if m.layer is Layer.EPISODE or m.sensitivity is Sensitivity.SECRET:
            return []
        f = Filter(states=_HOLDS | _GONE if self.erasing else _HOLDS)
        near = self.tx.memories.find(f, text=m.original_content, limit=20).items
        found = {
            o.id: o
            for o in near
            if o.id != m.id and same(m.original_content, _own_words(o, m), kinds=(m.kind, o.kind))
        }
        for said in map(self.tx.conversations.get_message, self.tx.memories.list_sources(m.id)):
            beside = (
                self.tx.memories.get_many(self.tx.memories.list_learned_from([said.id]))
                if said
                else ()
            )
            found |= {
                o.id: o
                for o in beside
                if o.state in f.states and said and _takes_same(said.text, m, o)
            }
        return [o for o in found.values() if o.id != m.id]

    def _taken(self, gone: set[MemoryId]) -> set[str]:
        """Return names that memories which stay have as well: they lead elsewhere too."""
        if len(self.targets) > MANY:
            return set()
        f = Filter(states=_HOLDS)
        out: set[str] = set()
        for name in {n for m in self.memories for n in find_names(m.original_content, m.entities)}:
            page = self.tx.memories.find(f, text=name, limit=50).items
            stay = [m for m in page if m.id not in gone and m.layer is not Layer.EPISODE]
            if any(mentions_name(name, m.original_content) for m in stay):
                out.add(name)
        return out

    def _messages(self) -> list[Message]:
        """Return sources, the replies to them, the asking ones, and every visible message that says it."""
        tx, facts = self.tx, [m for m in self.memories if m.layer is not Layer.EPISODE]
        wanted = {
            i for m in facts for i in (*tx.memories.list_sources(m.id), m.source_message) if i
        }
        wanted |= set(self.message_ids)
        sources = messages_of(tx, wanted)
        turns = {m.turn_id for m in sources if m.turn_id}
        told = {t for m in self.memories for t in tx.traces.list_recalling_turns(m.id)}
        counted = {i for m in facts for i in tx.memories.list_mentions(m.id)}
        found = {m.id: m for m in sources if m.hidden_at is None}
        things = [m.original_content for m in facts[:MANY]]
        for m in tx.conversations.list_messages(limit=SCANNED, newest=True):
            reply = m.role == "assistant"
            share = HINTS if m.id in counted or (reply and m.turn_id in told) else SAYS
            says = self.thing.said_by(m.text, share) and not has_other_roles(m.text, things)
            if m.id in wanted or (reply and m.turn_id in turns) or says:
                found[m.id] = m
        return sorted(found.values(), key=lambda m: m.seq)


def _takes_same(said: str, m: Memory, o: Memory) -> bool:
    """Tell whether two memories take the same words from their common message; or three in four of one name."""
    if o.layer is Layer.EPISODE or o.sensitivity is Sensitivity.SECRET:
        return False
    words, name = _stems(said), " ".join(find_names(m.original_content, m.entities))
    mine, theirs, named = (
        words & _stems(text) for text in (m.original_content, _own_words(o, m), name)
    )
    nearly = bool(named) and named <= theirs < mine and 4 * len(theirs) >= 3 * len(mine)
    return bool(mine) and (theirs == mine or nearly)


def _stems(text: str) -> set[str]:
    """Beginnings of Latin words, which allergic and allergy share; Chinese characters."""
    return {s for t in list_search_terms(text) for s in (t if t >= "\u2e80" else (t[:5],))}


def _own_words(o: Memory, m: Memory) -> str:
    """Return what `o` said before `m` was merged into it; it will be taken apart."""
    return (
        o.original_contents.get(o.id, o.original_content)
        if m.merged_into == o.id
        else o.original_content
    )


def _delete(
    tx: Transaction, memories: Sequence[Memory], set_id: str, now: datetime
) -> list[Memory]:
    # What it was merged into is taken apart, so it no longer stands there.
    gone = [replace(m, state=State.DELETED, deleted_at=now, merged_into=None) for m in memories]
    deleted = tx.memories.put_many(gone, "deleted")
    add_tombstones(tx, memories, set_id, now)
    return deleted


def add_tombstones(tx: Transaction, memories: Iterable[Memory], set_id: str, now: datetime) -> None:
    """Tombstones for the forms in which learning might meet them again.

    Secrets and episodes never are learned.
    """
    met = [
        m for m in memories if m.sensitivity < Sensitivity.SECRET and m.layer is not Layer.EPISODE
    ]
    digest = tx.tombstones.compute_digest
    tx.tombstones.add_many(
        Tombstone(tx.user_id, m.id, digest(text), now, set_id)
        for m in met
        for text in sorted(_forms(m))
    )


def _forms(m: Memory) -> set[str]:
    """As the person says it and as it is told of them: "I live in X", "The user lives in X", 我住在X, 用户住在X."""
    out = {m.original_content, *([m.content] if m.content and m.level == 0 else [])}
    for text in list(out):
        first, _, rest = text.partition(" ")
        if first.casefold() == "i" and rest:
            verb, _, more = rest.partition(" ")
            third = {"am": "is", "have": "has"}.get(
                verb, verb if verb.endswith("s") else f"{verb}s"
            )
            out |= {f"{s} {third} {more}".strip() for s in _SUBJECTS}
        elif first.casefold() == "my" and rest:
            out |= {f"{s}'s {rest}" for s in _SUBJECTS}
        elif text.startswith("我"):
            out |= {s + text.removeprefix("我") for s in _SUBJECTS_ZH}
        elif text.startswith("用户"):
            out |= {"我" + text.removeprefix("用户"), text.removeprefix("用户")}
    return {t for t in out if t.strip()}


def hide(tx: Transaction, messages: Iterable[Message], now: datetime) -> list[Message]:
    """Out of prompts, search and learning; those hidden before stay as they are."""
    done = [replace(m, hidden_at=now) for m in messages if m.hidden_at is None]
    tx.conversations.put_messages(done)
    return done


def restore_originals(tx: Transaction, merged: Memory, gone: set[MemoryId], now: datetime) -> bool:
    """A merged text has the thing in it: its other originals stand for themselves again. True if
    nothing else stays.

    A base that the others were merged into goes back to its own words; a text made of all of them
    goes.
    """
    own = merged.original_contents.get(merged.id)
    if own is None:
        tx.memories.put(replace(merged, state=State.DELETED, deleted_at=now), "deleted")
    else:
        content = own if merged.level is Level.FULL else merged.content
        tx.memories.put(
            replace(
                merged, content=content, original_content=own, merged_from=(), original_contents={}
            ),
            "updated",
        )
    for m in tx.memories.get_many(merged.merged_from):
        if m.id not in gone and m.state is State.MERGED and m.merged_into == merged.id:
            tx.memories.put(replace(m, state=State.ACTIVE, merged_into=None), "restored")
    return own is None


def _drop_told(
    tx: Transaction, set_id: str, thing: ForgetTarget, hidden: Sequence[Message], now: datetime
) -> tuple[int, list[MemoryId]]:
    """Let go of episodes, running summaries and titles that tell the thing; jobs tell the rest
    anew.

    Returns how many went, and the ids of the episodes among them.
    """
    derived, gone = set(tx.memories.list_learned_from(m.id for m in hidden)), list[MemoryId]()
    f = Filter(states=_HOLDS, layers=frozenset({Layer.EPISODE}), max_sensitivity=Sensitivity.SECRET)
    for e in tx.memories.find(f, order="created", limit=EPISODES).items:
        if e.id in derived or thing.said_by(e.original_content, _TOLD):
            tx.memories.put(replace(e, state=State.DELETED, deleted_at=now), "deleted")
            gone.append(e.id)
            told = messages_of(tx, tx.memories.list_sources(e.id))
            if any(m.hidden_at is None for m in told):
                first, last = min(m.seq for m in told), max(m.seq for m in told)
                enqueue_summary(tx, set_id, told[0].session_id, first - 1, last, now)
    summaries = 0
    for s in tx.conversations.list_sessions(limit=SESSIONS):
        own = [m for m in hidden if m.session_id == s.id]
        early = any(m.seq <= s.summarised_through for m in own)
        tells = bool(s.running_summary) and (early or thing.said_by(s.running_summary, _TOLD))
        start = s.title.rstrip("…")  # a title is the beginning of something said
        begun = any(" ".join(m.text.split()).startswith(start) for m in own)
        titled = bool(s.title) and (begun or thing.said_by(s.title, _TOLD))
        if tells or titled:
            summary, title = "" if tells else s.running_summary, "" if titled else s.title
            tx.conversations.put_session(replace(s, running_summary=summary, title=title))
        if tells:
            summaries += 1
            enqueue_summary(tx, set_id, s.id, s.summarised_through, s.summarised_through, now)
    return len(gone) + summaries, gone


def enqueue_summary(
    tx: Transaction, set_id: str, session_id: str, after: int, through: int, now: datetime
) -> None:
    """Have the span's episode and the session's running summary written anew from what may be seen."""
    payload = {"session_id": session_id, "after": after, "through": through, "rebuild": True}
    job = tx.jobs.enqueue("summarise", f"rebuild:{set_id}:{session_id}:{after}", payload, now)
    if job is not None:
        tx.conversations.record_change(
            "job", job.id, "created", {"kind": "summarise", "state": "ready", "rebuild_of": set_id}
        )


# --- for good ---


def purge(tx: Transaction, ids: Sequence[MemoryId], now: datetime) -> PurgeReceipt:
    """Erase the memories with their older versions, in any state, and what was hidden for them. Not
    undoable.

    Raises NotFound if none of them is this user's.
    """
    found = tx.memories.get_many(dict.fromkeys(ids))
    if not found:
        raise NotFound("There is no such memory.")
    begun = tx.changes.begin("user", "purge", now)
    places: Counter[str] = Counter()
    reach = ForgetScope(tx, found, erasing=True)
    latest = [tx.changes.get_latest_change("memory", m.id) for m in reach.memories]
    earlier = [
        c
        for i in {c.set_id for c in latest if c and c.op == "deleted"}
        for c in tx.changes.list_set_changes(i)
    ]
    hidden = messages_of(tx, [c.entity_id for c in earlier if c.entity == "message"])
    told = [m for m in hidden if m.hidden_at is not None and _belongs(tx, reach, m)]
    places["summaries"], episodes = _drop_told(
        tx, begun.id, reach.thing, hide(tx, reach.messages, now), now
    )
    dropped = tx.memories.get_many(
        c.entity_id for c in earlier if c.entity == "memory" and c.op == "deleted"
    )
    gone = [
        *episodes,
        *(m.id for m in dropped if m.layer is Layer.EPISODE and m.state is State.DELETED),
    ]
    apart = {m.id for m in reach.memories}
    texts = [m for m in reach.merges if restore_originals(tx, m, apart, now)]
    for m in tx.memories.get_many(
        dict.fromkeys((*(m.id for m in (*reach.memories, *texts)), *gone))
    ):
        # An episode that only told of it as well tells of more: what else was said there stays.
        places.update(tx.memories.erase(m.id, everywhere=m.id in apart or m.id not in gone))
        places["episodes"] += m.layer is Layer.EPISODE
    for message in messages_of(tx, sorted({m.id for m in (*reach.messages, *told)})):
        if message.hidden_at is not None and message.text:
            tx.conversations.put_message(replace(message, text=""), "purged")
            places["messages"] += 1
    erased = tuple(m.id for m in reach.memories)
    done = {
        "set_id": begun.id,
        "erased": to_milliseconds(now),
        "memories": len(erased),
        "places": dict(places),
    }
    job = tx.jobs.enqueue("scrub", f"purge:{begun.id}", done, now, lane="scrub")
    return PurgeReceipt(erased, dict(places), now, job.id if job else None)


def _belongs(tx: Transaction, reach: ForgetScope, m: Message) -> bool:
    """Tell whether a message was hidden for these memories, not only for others that went in the same act."""
    sources = {i for x in reach.memories for i in tx.memories.list_sources(x.id)}
    turns = {s.turn_id for s in messages_of(tx, sources) if s.turn_id}
    return m.id in sources or m.turn_id in turns or reach.thing.said_by(m.text, HINTS)


def list_receipts(tx: Transaction, limit: int) -> list[PurgeReceipt]:
    """Of the last purges, newest first: what each erased, how often where, and whether the file is scrubbed of it."""
    return [
        PurgeReceipt(
            memory_ids=(),  # an erased id stands nowhere any more
            places=j.payload["places"],
            erased=from_ms(j.payload["erased"]),
            job_id=j.id,
            scrubbed=j.state == "done",
            scrubbed_at=from_ms(j.result["at"]) if j.result and "at" in j.result else None,
            memories=int(j.payload["memories"]),
            error=j.last_error,
        )
        for j in tx.jobs.list_latest("scrub", limit)
        if "places" in j.payload
    ]


async def scrub(store: Store, job: Job, now: datetime) -> Effect:  # noqa: ARG001 - the shape of every handler
    """Rewrite the file without what was erased.

    Raises StoreBusy while another process is in the way.
    """
    if not await store.scrub():
        raise StoreBusy("Another process is using the database; scrubbing waits for it.")
    return lambda _tx: {"outcome": "scrubbed", "at": to_milliseconds(now)}
