"""Doing what a person's edits of MEMORY.md ask for: one change set for one save of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from memory import lifecycle, privacy
from memory.errors import NotFound, Refused
from memory.learn import edits
from memory.learn.forget import forget
from memory.learn.remember import NearestMemories, Rememberer, RememberRequest
from memory.learn.same_meaning import same
from memory.mirror.merge import EditedEntry, MergePlan, NewEntry
from memory.mirror.page import MirrorDocument, flatten_spacing, split_paragraphs
from memory.mirror.snapshot import PlannedMerge, digest_memory, get_lineage, plan_merge
from memory.models import (
    ChangeSet,
    Filter,
    Kind,
    Memory,
    MemoryId,
    MirrorDigest,
    MirrorState,
    State,
    WeightEvent,
)
from memory.ports import Transaction

ANSWER_WITHIN: Final = timedelta(days=7)
_AFTER: Final = timedelta(milliseconds=1)  # words of the same save are said after what it deletes


@dataclass(slots=True)
class AppliedEdits:
    """What was done.

    `dropped` were forgotten meanwhile, and are not brought back by still being in the file.
    """

    new: list[MemoryId] = field(default_factory=list)
    edited: list[MemoryId] = field(default_factory=list)
    deleted: list[MemoryId] = field(default_factory=list)
    dropped: list[MemoryId] = field(default_factory=list)
    unread: int = 0
    asked: bool = False
    set_id: str | None = None

    def __add__(self, other: AppliedEdits) -> AppliedEdits:
        """Both."""
        return AppliedEdits(
            self.new + other.new,
            self.edited + other.edited,
            self.deleted + other.deleted,
            self.dropped + other.dropped,
            self.unread + other.unread,
            self.asked or other.asked,
            other.set_id or self.set_id,
        )


@dataclass(slots=True)
class EditApplier:
    """Takes one file's edits, inside one write."""

    tx: Transaction
    doc: MirrorDocument
    rememberer: Rememberer
    looked: Mapping[str, NearestMemories]
    tz: str
    u: float
    now: datetime
    out: AppliedEdits = field(default_factory=AppliedEdits)
    unread: list[str] = field(default_factory=list)
    shows: dict[MemoryId, MirrorDigest | None] = field(
        default_factory=dict
    )  # what the person's buffer has now
    base: Mapping[MemoryId, MirrorDigest] = field(default_factory=dict)
    begun: ChangeSet | None = None

    def run(self, digest: str, before: PlannedMerge) -> AppliedEdits:
        """Do it, and note that this file was read.

        `before`: what was planned, to be thought over if it must.
        """
        tx = self.tx
        thought = before if before.holds(tx) else plan_merge(tx, self.doc)
        wanted, version, state = thought.plan, thought.version, thought.state
        self.base = thought.base
        self.out.dropped = wanted.dropped
        for i, d in wanted.rewritten.items():
            was = self.base.get(i)
            self.shows[i] = MirrorDigest(d, was.original if was else d, was.kind if was else "")
        if wanted.acts:
            self.begun = tx.changes.begin("user", "mirror", self.now)
            self._delete(wanted, self.begun)
            for memory_id, kind in wanted.kinds.items():
                self._refile(memory_id, kind)
            for edit in wanted.edits:
                self._edit(edit)
            for new in wanted.new:
                self._new(new)
        for piece in wanted.unread:
            self._set_aside(piece)
        state = self._asked(state, wanted)
        if version is not None:
            tx.mirror.take(version, self.shows)
        tx.mirror.put_state(replace(state, read=digest, unread=self._unread(state, version)))
        self.out.set_id = self.begun.id if self.begun else None
        return self.out

    # --- acts ---

    def _delete(self, wanted: MergePlan, begun: ChangeSet) -> None:
        """What the file shows stays, even where it says the same as what was deleted from it."""
        if not wanted.deleted:
            return
        self.out.deleted += delete(self.tx, wanted.deleted, self.now, begun)
        self.shows.update(dict.fromkeys(wanted.deleted))

    def _refile(self, memory_id: MemoryId, kind: Kind) -> None:
        m = self.tx.memories.get(memory_id)
        if m is None or Kind.EPISODE in {m.kind, kind}:
            return
        old, before = lifecycle.compute_weight(m, self.u, self.now), lifecycle.dump_state(m)
        new = replace(
            lifecycle.apply_event(m, "use", self.u, self.now)[0], kind=kind, verified=True
        )
        new = self.tx.memories.put(
            replace(new, weight=lifecycle.compute_weight(new, self.u, self.now)), "updated"
        )
        factors = lifecycle.compute_factors(new, self.u, self.now)
        after = lifecycle.dump_state(new)
        self.tx.memories.log(
            WeightEvent(m.id, self.now, "edited", old, new.weight, "user", factors, before, after)
        )
        self.out.edited.append(m.id)
        self.shows[m.id] = replace(
            self.shows.get(m.id) or self.base.get(m.id) or digest_memory(self.tx, m), kind=str(kind)
        )

    def _edit(self, e: EditedEntry) -> None:
        try:
            m = edits.edit(self.tx, e.id, e.text, self.u, self.now, within=self.begun)
        except NotFound:
            self.unread += split_paragraphs(e.block.raw)
            return
        except Refused as refused:
            if refused.code == "secret":
                self._new(NewEntry(e.text, None, e.block))
            else:
                self.unread += split_paragraphs(e.block.raw)
            return
        self.shows[m.id] = digest_memory(self.tx, m)
        if m.id not in self.out.edited:
            self.out.edited.append(m.id)

    def _new(self, n: NewEntry) -> None:
        kind = None if n.kind is Kind.EPISODE else n.kind
        scope = f"user:{self.tx.user_id}"
        request = RememberRequest(
            self.tx.user_id,
            flatten_spacing(n.text),
            self.now + _AFTER,
            self.tz,
            scope,
            kind=kind,
            beside=n.beside is not None,
            within=self.begun,
        )
        try:
            done = self.rememberer.save(
                self.tx, request, self.looked.get(n.text, NearestMemories())
            )
        except Refused:
            self._set_aside(n.block.raw)
            return
        m = done.memory
        if not done.already:
            self.out.new.append(m.id)
        if n.beside is None and (not done.already or m.id not in self.base):
            self.shows[m.id] = replace(
                digest_memory(self.tx, m), text=self.tx.mirror.compute_digest(n.text)
            )

    def _set_aside(self, raw: str) -> None:
        """Into the Unread part, word for word; a secret in it is sealed, and its place is left blank."""
        redacted, found = privacy.redact(raw)
        if found:
            sound = flatten_spacing(raw).encode("utf-8", "replace").decode()
            self.begun = self.begun or self.tx.changes.begin("user", "mirror", self.now)
            request = RememberRequest(
                self.tx.user_id,
                sound,
                self.now,
                self.tz,
                f"user:{self.tx.user_id}",
                within=self.begun,
            )
            try:
                self.out.new.append(
                    self.rememberer.save(self.tx, request, NearestMemories()).memory.id
                )
            except Refused:
                return  # the words around it are not worth keeping it in the open
        self.unread += split_paragraphs(redacted)

    # --- what the file goes on with ---

    def _asked(self, state: MirrorState | None, wanted: MergePlan) -> MirrorState:
        """Too much is missing to be sure that it was meant: keep it, leave it out of the file, and ask."""
        state = state or MirrorState(lineage=get_lineage(self.tx))
        before = [str(i) for i in (state.asking or {}).get("ids", ())]
        ids = [i for i in before if i not in wanted.present] + [
            i for i in wanted.missing if i not in before
        ]
        if ids == before:
            return state
        for key in ("yes", "no"):
            if state.asking is not None:
                self.tx.take_choice(str(state.asking[key]), self.now)
        if not ids:
            return replace(state, asking=None)
        self.out.asked = True
        self.shows.update(dict.fromkeys(wanted.missing))
        keys = {"yes": self.tx.new_id(), "no": self.tx.new_id()}
        for answer, key in keys.items():
            payload = {
                "ids": ids if answer == "yes" else [],
                "other": keys["no" if answer == "yes" else "yes"],
            }
            self.tx.put_choice(
                key, f"user:{self.tx.user_id}", "mirror", payload, self.now + ANSWER_WITHIN
            )
        return replace(state, asking={**keys, "ids": ids})

    def _unread(self, state: MirrorState, version: int | None) -> tuple[tuple[str, int], ...]:
        """Pieces that came after the person's buffer was read stay, those that they took out of it go."""
        in_file = set(self.doc.unread)
        kept = [
            (raw, since)
            for raw, since in state.unread
            if version is None or since > version or raw in in_file
        ]
        there = {raw for raw, _ in kept}
        fresh = dict.fromkeys(raw for raw in (*self.doc.unread, *self.unread) if raw not in there)
        self.out.unread = sum(raw not in in_file for raw in fresh)
        return (*kept, *((raw, state.version + 1) for raw in fresh))


def answered(tx: Transaction, ids: Sequence[MemoryId], now: datetime) -> list[Memory]:
    """The person has said what the entries missing from their file mean: forget `ids`, show the others again."""
    state = tx.mirror.get_state()
    if state is not None and state.asking is not None:
        for key in ("yes", "no"):
            tx.take_choice(str(state.asking[key]), now)
        tx.mirror.put_state(replace(state, asking=None, seq=-1))  # the file is not as it should be
    tx.jobs.enqueue_mirror_job(now)
    if not ids:
        return []
    return tx.memories.get_many(delete(tx, ids, now, tx.changes.begin("user", "mirror", now)))


def delete(
    tx: Transaction, ids: Sequence[MemoryId], now: datetime, begun: ChangeSet
) -> list[MemoryId]:
    """Forget these, and spare whatever else is shown.

    One whose twin stays is put away without any more ado.
    """
    shown = tx.mirror.list_shown_ids() - set(ids)
    found = [
        m
        for m in tx.memories.get_many(dict.fromkeys(ids))
        if m.state not in {State.DELETED, State.FORGOTTEN}
    ]
    doubles = [m for m in found if _has_twin(tx, m, shown)]
    for m in doubles:
        tx.memories.put(replace(m, state=State.DELETED, deleted_at=now), "deleted")
    rest = [m.id for m in found if m not in doubles]
    if rest:
        forget(tx, rest, now, within=begun, spare=shown)
    return [m.id for m in found]


def _has_twin(tx: Transaction, m: Memory, shown: frozenset[MemoryId]) -> bool:
    near: Iterable[Memory] = tx.memories.find(Filter(), text=m.original_content, limit=20).items
    return any(
        o.id in shown and same(m.original_content, o.original_content, kinds=(m.kind, o.kind))
        for o in near
    )
