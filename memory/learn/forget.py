"""Forgetting on request: softly, at once, and everywhere the thing came from or went to.

One change set holds it all, so that undo brings all of it back. What must not be learned again from
the same history leaves a tombstone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
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
    list_units,
    mentions_name,
    same,
)
from memory.learn.visible_messages import messages_of
from memory.lifecycle import from_ms, to_milliseconds
from memory.models import (
    ChangeSet,
    Filter,
    Kind,
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
from memory.text.words import is_unspaced, tokens

SCANNED: Final = 5_000  # messages looked through, the newest
EPISODES: Final = 2_000
SESSIONS: Final = 200
MANY: Final = 100  # memories at once: then nothing is looked up for each of them any more
_TOLD: Final = 0.6  # share of words from which an episode or a summary tells the thing
_GONE: Final = frozenset({State.DELETED})
_HOLDS: Final = frozenset({State.ACTIVE, State.PROPOSED})


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What went, as it is now; how many messages were hidden, episodes and summaries dropped.

    memories: those asked for, and the older versions that went with them.
    """

    memories: list[Memory]
    set_id: str | None
    hidden: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class PurgeReceipt:
    """What a purge erased: rows by place, 0 where it looked and found nothing.

    `memories` says how many went. `erased` at once; `scrubbed` once the job has rewritten the file,
    `error` says what stood in its way so far.
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
    targets = [m for m in asked if m.state not in _GONE]
    reach = ForgetScope(tx, targets, {m.id for m in said}, spare=spare)
    deleted = _delete(tx, reach.memories, begun.id, now)
    hidden = hide(tx, reach.messages, now)
    stands = {m.id: m for m in deleted}
    for merged in reach.merges:
        restore_originals(tx, merged, stands, now)
    dropped, _ = _drop_told(tx, begun.id, reach.thing, hidden, now)
    gone = {*stands, *(m.id for m in hidden)}
    for p in tx.proposals.open():
        if p.message_id in gone or p.data.get("id") in gone or reach.thing.said_by(p.text):
            tx.proposals.remove(p.id)
    older = [m for m in reach.memories if m.state is State.SUPERSEDED and m not in asked]
    told = [stands.get(m.id, m) for m in (*asked, *older)]
    return ForgetResult(told, begun.id, len(hidden), dropped)


def forget_everything(tx: Transaction, now: datetime) -> ForgetResult:
    """Let go of every memory in whatever state, secrets and proposals too, and all that was said.

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
    for p in tx.proposals.open():
        tx.proposals.remove(p.id)
    told = [s for s in tx.conversations.list_sessions(limit=-1) if s.running_summary or s.title]
    for s in told:
        tx.conversations.put_session(replace(s, running_summary="", title=""))
    return ForgetResult(deleted, begun.id, len(hidden), sum(bool(s.running_summary) for s in told))


class ForgetScope:
    """All that a set of memories reaches, each step resting on the one before.

    Attributes:
        memories: with older versions and twins. merges: what they were merged into. thing: what
        they keep, to be looked for. messages: those that say it.
    """

    def __init__(
        self,
        tx: Transaction,
        targets: Sequence[Memory],
        message_ids: Collection[str] = (),
        *,
        erasing: bool = False,  # also what was deleted before
        spare: frozenset[MemoryId] = frozenset(),  # memories that nothing reaches
    ) -> None:
        self.tx, self.erasing, self.many = tx, erasing, len(targets) > MANY
        self.memories = self._find_closure(targets, spare)
        gone = {m.id for m in self.memories}
        into = [m.merged_into for m in self.memories if m.merged_into]
        merges = tx.memories.get_many(i for i in into if i not in gone | spare)
        self.merges = [m for m in merges if m.state in _HOLDS]
        taken = self._find_taken_names(gone | {m.id for m in self.merges})
        # Who declines what was derived still keeps what was said.
        self.thing = build_target((m for m in self.memories if not m.source_ids), taken)
        self.messages = self._find_messages(message_ids)

    def _find_closure(self, targets: Sequence[Memory], spare: frozenset[MemoryId]) -> list[Memory]:
        """Add every older version, so that none answers in its place, and twins."""
        tx, out, todo = self.tx, dict[MemoryId, Memory](), list(targets)
        while todo:
            m = todo.pop()
            if m.id in out or m.id in spare or (m.state in _GONE and not self.erasing):
                continue
            out[m.id] = m
            todo += tx.memories.get_many((*m.supersedes, *m.merged_from))
            if not self.many and m.layer is not Layer.EPISODE and not m.source_ids:
                todo += self._find_twins(m)
        for m in [] if self.many else [m for m in targets if m.id in out]:
            out |= {o.id: o for o in self._find_allusions(m) if o.id not in spare}
        return list(out.values())

    def _find_allusions(self, m: Memory) -> list[Memory]:
        """Return what was learned from the same message and says hardly more than names it."""
        text, found = m.original_content, list[Memory]()
        name = " ".join(find_names(text, m.entities))
        phrases, units = _list_phrases(text, name), list_units(text)
        for said in self.tx.memories.list_sources(m.id):
            beside = self.tx.memories.get_many(self.tx.memories.list_learned_from([said]))
            found += [
                o
                for o in beside
                if o.state in _HOLDS and o.kind is not Kind.HEALTH and o.layer is not Layer.EPISODE
                if len(list_units(o.original_content) - units) <= 1
                if phrases & _list_phrases(o.original_content, name)
            ]
        return found

    def _find_twins(self, m: Memory) -> list[Memory]:
        """Return what says the same, and what takes the same words from the same message."""
        if m.sensitivity is Sensitivity.SECRET:
            return []
        tx, states = self.tx, _HOLDS | _GONE if self.erasing else _HOLDS
        near = tx.memories.find(Filter(states=states), text=m.original_content, limit=20).items
        found = [
            o for o in near if same(m.original_content, _own_words(o, m), kinds=(m.kind, o.kind))
        ]
        for said in messages_of(tx, tx.memories.list_sources(m.id)):
            beside = tx.memories.get_many(tx.memories.list_learned_from([said.id]))
            found += [o for o in beside if o.state in states and _takes_same(said.text, m, o)]
        return [o for o in found if o.id != m.id]

    def _find_taken_names(self, gone: set[MemoryId]) -> set[str]:
        """Return names that memories which stay have as well: they lead elsewhere too."""
        out: set[str] = set()
        memories = [] if self.many else self.memories
        for name in {n for m in memories for n in find_names(m.original_content, m.entities)}:
            page = self.tx.memories.find(Filter(states=_HOLDS), text=name, limit=50).items
            stay = (m for m in page if m.id not in gone and m.layer is not Layer.EPISODE)
            if any(mentions_name(name, m.original_content) for m in stay):
                out.add(name)
        return out

    def _find_messages(self, message_ids: Collection[str]) -> list[Message]:
        """Return sources, replies to them, the asking ones, and every message that says it."""
        tx, said = self.tx, (m for m in self.memories if not m.source_ids)
        facts = [m for m in said if m.layer is not Layer.EPISODE]
        wanted = {*message_ids, *(m.source_message for m in facts if m.source_message)}
        wanted |= {i for m in facts for i in tx.memories.list_sources(m.id)}
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
    """Tell whether two memories take the same words from a message, or nearly, with a name."""
    if o.layer is Layer.EPISODE or o.sensitivity is Sensitivity.SECRET:
        return False
    name = " ".join(find_names(m.original_content, m.entities))
    texts = (m.original_content, _own_words(o, m), name)
    mine, theirs, named = (_list_stems(said) & _list_stems(text) for text in texts)
    nearly = bool(named) and named <= theirs < mine and 4 * len(theirs) >= 3 * len(mine)
    return bool(mine) and (theirs == mine or nearly)


def _list_phrases(text: str, name: str) -> set[tuple[str, ...]]:
    """List two words in a row that say something, or four characters; none of a name."""
    named = {*tokens(name), *name.split()}
    words = [w if w not in named and list_units(w) and w.isalpha() else "" for w in tokens(text)]
    pairs = {p for p in pairwise(words) if all(w and not is_unspaced(w) for w in p)}
    runs = {w[i : i + 4] for w in words if is_unspaced(w) for i in range(len(w) - 3)}
    return pairs | {(run,) for run in runs if not any(n in run for n in named)}


def _list_stems(text: str) -> set[str]:
    """Return the beginnings of words, which allergic and allergy share, and characters."""
    return {s for t in list_search_terms(text) for s in (t if is_unspaced(t) else (t[:5],))}


def _own_words(o: Memory, m: Memory) -> str:
    """Return what `o` said before `m` was merged into it; it will be taken apart."""
    merged = m.merged_into == o.id
    return o.original_contents.get(o.id, o.original_content) if merged else o.original_content


def _delete(
    tx: Transaction, memories: Sequence[Memory], set_id: str, now: datetime
) -> list[Memory]:
    # What it was merged into is taken apart, so it no longer stands there.
    gone = [replace(m, state=State.DELETED, deleted_at=now, merged_into=None) for m in memories]
    add_tombstones(tx, memories, set_id, now)
    return tx.memories.put_many(gone, "deleted")


def add_tombstones(tx: Transaction, memories: Iterable[Memory], set_id: str, now: datetime) -> None:
    """Leave tombstones for the forms in which learning might meet memories again.

    Secrets and episodes never are learned.
    """
    digest = tx.tombstones.compute_digest
    tx.tombstones.add(
        *(
            Tombstone(tx.user_id, m.id, digest(text), now, set_id)
            for m in memories
            if m.sensitivity < Sensitivity.SECRET and m.layer is not Layer.EPISODE
            for text in sorted(list_said_forms(m))
        )
    )


def list_said_forms(m: Memory) -> set[str]:
    """Return a memory as the person says it and as it is told of them: 我住在X, 用户住在X."""
    out = {m.original_content, *([m.content] if m.content and m.level == 0 else [])}
    for text in list(out):
        first, _, rest = text.partition(" ")
        verb, _, more = rest.partition(" ")
        if first.casefold() == "i" and rest:
            known = {"am": "is", "have": "has"}.get(verb, verb.removesuffix("s") + "s")
            out |= {f"{s} {known} {more}".strip() for s in ("The user", "User")}
        elif first.casefold() == "my" and rest:
            out |= {f"{s}'s {rest}" for s in ("The user", "User")}
        elif text.startswith(("我", "用户")):
            bare = text.removeprefix("我").removeprefix("用户")
            out |= {"我" + bare, "用户" + bare, bare}
    return {t for t in out if t.strip()}


def hide(tx: Transaction, messages: Iterable[Message], now: datetime) -> list[Message]:
    """Take messages out of prompts, search and learning; those hidden before stay as they are."""
    done = [replace(m, hidden_at=now) for m in messages if m.hidden_at is None]
    tx.conversations.put_messages(done)
    return done


def restore_originals(
    tx: Transaction, merged: Memory, gone: Collection[MemoryId], now: datetime
) -> bool:
    """Let the other originals of a merged text stand for themselves again.

    A base that the others were merged into goes back to its own words; a text made of all of them
    goes: then it is True.
    """
    own = merged.original_contents.get(merged.id)
    if own is None:
        tx.memories.put(replace(merged, state=State.DELETED, deleted_at=now), "deleted")
    else:
        content = own if merged.level is Level.FULL else merged.content
        back = replace(merged, content=content, original_content=own)
        tx.memories.put(replace(back, merged_from=(), original_contents={}), "updated")
    for m in tx.memories.get_many(merged.merged_from):
        if m.id not in gone and m.state is State.MERGED and m.merged_into == merged.id:
            tx.memories.put(replace(m, state=State.ACTIVE, merged_into=None), "restored")
    return own is None


def _drop_told(
    tx: Transaction, set_id: str, thing: ForgetTarget, hidden: Sequence[Message], now: datetime
) -> tuple[int, list[MemoryId]]:
    """Let go of episodes, summaries and titles that tell the thing; jobs tell the rest anew.

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
                seqs = [m.seq for m in told]
                enqueue_summary(tx, set_id, told[0].session_id, min(seqs) - 1, max(seqs), now)
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
    """Have the span's episode and the session's running summary written anew."""
    payload = {"session_id": session_id, "after": after, "through": through, "rebuild": True}
    job = tx.jobs.enqueue("summarise", f"rebuild:{set_id}:{session_id}:{after}", payload, now)
    if job is not None:
        told = {"kind": "summarise", "state": "ready", "rebuild_of": set_id}
        tx.conversations.record_change("job", job.id, "created", told)


# --- for good ---


def purge(tx: Transaction, ids: Sequence[MemoryId], now: datetime) -> PurgeReceipt:
    """Erase memories with their older versions, in any state, and what was hidden for them.

    Not undoable. Raises NotFound if none of them is this user's.
    """
    found = tx.memories.get_many(dict.fromkeys(ids))
    if not found:
        raise NotFound("There is no such memory.")
    begun = tx.changes.begin("user", "purge", now)
    places: Counter[str] = Counter()
    reach = ForgetScope(tx, found, erasing=True)
    apart = {m.id for m in reach.memories}
    latest = [tx.changes.get_latest_change("memory", i) for i in apart]
    sets = {c.set_id for c in latest if c and c.op == "deleted"}
    earlier = [c for i in sets for c in tx.changes.list_changes(set_id=i)]
    told = _find_hidden(tx, reach, [c.entity_id for c in earlier if c.entity == "message"])
    hidden = hide(tx, reach.messages, now)
    places["summaries"], gone = _drop_told(tx, begun.id, reach.thing, hidden, now)
    dropped = tx.memories.get_many(
        c.entity_id for c in earlier if c.entity == "memory" and c.op == "deleted"
    )
    gone += [m.id for m in dropped if m.layer is Layer.EPISODE and m.state is State.DELETED]
    texts = [m.id for m in reach.merges if restore_originals(tx, m, apart, now)]
    for m in tx.memories.get_many(dict.fromkeys((*apart, *texts, *gone))):
        # An episode that only told of it as well tells of more: what else was said there stays.
        places.update(tx.memories.erase(m.id, everywhere=m.id in apart or m.id not in gone))
        places["episodes"] += m.layer is Layer.EPISODE
    for message in messages_of(tx, sorted({m.id for m in (*reach.messages, *told)})):
        if message.hidden_at is not None and message.text:
            tx.conversations.put_messages([replace(message, text="")], "purged")
            places["messages"] += 1
    done = {
        "set_id": begun.id,
        "erased": to_milliseconds(now),
        "memories": len(apart),
        "places": dict(places),
    }
    job = tx.jobs.enqueue("scrub", f"purge:{begun.id}", done, now, lane="scrub")
    erased = tuple(m.id for m in reach.memories)
    return PurgeReceipt(erased, dict(places), now, job.id if job else None)


def _find_hidden(tx: Transaction, reach: ForgetScope, ids: Iterable[str]) -> list[Message]:
    """Return messages hidden for these memories, not only for others that went in the same act."""
    sources = {i for x in reach.memories for i in tx.memories.list_sources(x.id)}
    turns = {s.turn_id for s in messages_of(tx, sources) if s.turn_id}
    return [
        m
        for m in messages_of(tx, ids)
        if m.hidden_at is not None
        and (m.id in sources or m.turn_id in turns or reach.thing.said_by(m.text, HINTS))
    ]


def list_receipts(tx: Transaction, limit: int) -> list[PurgeReceipt]:
    """Return what the last purges erased, newest first, and whether the file is scrubbed of it."""
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


async def scrub(store: Store, now: datetime) -> Effect:
    """Rewrite the file without what was erased. Raises StoreBusy while a process is in the way."""
    if not await store.scrub():
        raise StoreBusy("Another process is using the database; scrubbing waits for it.")
    return lambda _tx: {"outcome": "scrubbed", "at": to_milliseconds(now)}
