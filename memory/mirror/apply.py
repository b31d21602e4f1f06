"""Do what a person's edits of MEMORY.md ask for: one change set for one save of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from memory import lifecycle, privacy
from memory.errors import NotFound, Refused
from memory.learn import edits
from memory.learn.forget import forget
from memory.learn.remember import NearestMemories, Rememberer, RememberRequest, RememberResult
from memory.learn.same_meaning import same
from memory.mirror.merge import MergePlan
from memory.mirror.page import (
    BESIDE,
    MirrorBlock,
    MirrorDocument,
    flatten_spacing,
    split_paragraphs,
)
from memory.mirror.snapshot import digest_memory, get_lineage, plan_merge
from memory.models import (
    ChangeSet,
    Filter,
    Kind,
    Memory,
    MemoryId,
    MirrorDigest,
    MirrorState,
    State,
)
from memory.ports import Transaction

ANSWER_WITHIN: Final = timedelta(days=7)
AT_ONCE: Final = 50  # new lines saved in one write, 7 to 27 ms each (measured); the others wait
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
    waiting: list[str] = field(default_factory=list)  # new lines for the next time


@dataclass(slots=True)
class EditApplier:
    """Takes one file's edits, inside one write; `shows` is what the person's buffer has now.

    `beside`: it is MEMORY.more.md.
    """

    tx: Transaction
    doc: MirrorDocument
    rememberer: Rememberer
    looked: Mapping[str, NearestMemories]
    tz: str
    u: float
    now: datetime
    out: AppliedEdits
    unread: list[str] = field(default_factory=list)
    shows: dict[MemoryId, MirrorDigest | None] = field(default_factory=dict)
    base: Mapping[MemoryId, MirrorDigest] = field(default_factory=dict)
    begun: ChangeSet | None = None
    beside: bool = False

    def run(self, digest: str) -> None:
        """Do it, and note that this file was read."""
        tx = self.tx
        wanted, self.base, version = plan_merge(tx, self.doc, beside=self.beside)
        self.out.dropped += wanted.dropped
        for i, d in wanted.rewritten.items():
            was = self.base.get(i, MirrorDigest(d, d, ""))
            self.shows[i] = replace(was, text=d)
        if wanted.acts:
            self._apply(wanted, self._begin())
        for piece in wanted.unread:
            self._set_aside(piece)
        state = self._ask(wanted)
        if version is not None:
            tx.mirror.take(version, self.shows)
        read = "" if self.out.waiting else digest
        tx.mirror.put_state(replace(state, read=read, unread=self._keep_unread(state, version)))

    def _begin(self) -> ChangeSet:
        self.begun = self.begun or self.tx.changes.begin("user", "mirror", self.now)
        return self.begun

    # --- acts ---

    def _apply(self, wanted: MergePlan, begun: ChangeSet) -> None:
        # What the file shows stays, even where it says the same as what was deleted from it.
        if wanted.deleted:
            self.out.deleted += delete(self.tx, wanted.deleted, self.now, begun)
            self.shows.update(dict.fromkeys(wanted.deleted))
        for memory_id, kind in wanted.kinds.items():
            self._refile(memory_id, kind)
        for block in wanted.edits:
            self._edit(block)
        room, new = max(0, AT_ONCE - len(self.out.new)), wanted.new
        if len(new) > room:  # a secret does not wait in the open
            found = privacy.redact("\n".join(block.text for block in new))[1]
            new = sorted(new, key=lambda b: not any(f.value in b.text for f in found))
        for block in new[:room]:
            self._add(block)
        self.out.waiting += [block.text for block in new[room:]]

    def _refile(self, memory_id: MemoryId, kind: Kind) -> None:
        m = self.tx.memories.get(memory_id)
        if m is None or Kind.EPISODE in {m.kind, kind}:
            return
        used = lifecycle.apply_event(m, "use", self.u, self.now)[0]
        new = replace(used, kind=kind, verified=True)
        weight = lifecycle.compute_weight(new, self.u, self.now)
        new = self.tx.memories.put(replace(new, weight=weight), "updated")
        self.tx.memories.log(lifecycle.build_log_entry("edited", m, new, self.u, self.now, "user"))
        self.out.edited.append(m.id)
        shown = self.shows.get(m.id) or self.base.get(m.id) or digest_memory(self.tx, m)
        self.shows[m.id] = replace(shown, kind=self._digest(new).kind)

    def _digest(self, m: Memory) -> MirrorDigest:
        """Return what the file shows of a memory, and which file that is."""
        digest = digest_memory(self.tx, m)
        beside = self.beside or self.base.get(m.id, digest).kind.endswith(BESIDE)
        return replace(digest, kind=digest.kind + BESIDE * beside)

    def _edit(self, block: MirrorBlock) -> None:
        try:
            m = edits.edit(
                self.tx, str(block.id), block.text, self.u, self.now, within=self._begin()
            )
        except (NotFound, Refused) as refused:
            if isinstance(refused, Refused) and refused.code == "secret":
                self._add(replace(block, id=None))
            else:
                self.unread += split_paragraphs(block.raw)
            return
        self.shows[m.id] = self._digest(m)
        if m.id not in self.out.edited:
            self.out.edited.append(m.id)

    def _add(self, block: MirrorBlock) -> None:
        kind = None if block.kind is Kind.EPISODE else block.kind
        done = self._remember(block.text, kind, beside=block.id is not None)
        if done is None:
            self._set_aside(block.raw)
            return
        m = done.memory
        if block.id is None and (not done.already or m.id not in self.base):
            digest = self.tx.mirror.compute_digest(block.text)
            self.shows[m.id] = replace(self._digest(m), text=digest)

    def _remember(
        self, text: str, kind: Kind | None = None, *, beside: bool = False
    ) -> RememberResult | None:
        user = self.tx.user_id
        sound = flatten_spacing(text).encode("utf-8", "replace").decode()
        at, begun = self.now + _AFTER, self._begin()
        request = RememberRequest(
            user, sound, at, self.tz, f"user:{user}", kind=kind, beside=beside, within=begun
        )
        try:
            done = self.rememberer.save(self.tx, request, self.looked.get(text, NearestMemories()))
        except Refused:
            return None
        if not done.already:
            self.out.new.append(done.memory.id)
        return done

    def _set_aside(self, raw: str) -> None:
        """Keep it word for word in the Unread part; seal a secret in it, its place left blank."""
        redacted, found = privacy.redact(raw)
        # If the secret is refused, the words around it are not worth keeping it in the open.
        if not found or self._remember(raw) is not None:
            self.unread += split_paragraphs(redacted)

    # --- what the file goes on with ---

    def _ask(self, wanted: MergePlan) -> MirrorState:
        """Ask, where too much is missing to be sure that it was meant; leave it out meanwhile."""
        state = self.tx.mirror.get_state() or MirrorState(lineage=get_lineage(self.tx))
        before = [str(i) for i in (state.asking or {}).get("ids", ())]
        ids = [i for i in before if i not in wanted.present]
        ids += [i for i in wanted.missing if i not in before]
        if ids == before:
            return state
        if not ids:
            return replace(state, asking=None)
        self.out.asked = True
        self.shows.update(dict.fromkeys(wanted.missing))
        until = (self.now + ANSWER_WITHIN).isoformat()
        asking = {"yes": self.tx.new_id(), "no": self.tx.new_id(), "ids": ids, "until": until}
        return replace(state, asking=asking)

    def _keep_unread(self, state: MirrorState, version: int | None) -> tuple[tuple[str, int], ...]:
        """Keep pieces that are newer than the person's buffer; drop those they took out of it."""
        in_file = set(self.doc.unread)
        kept = [
            (raw, since)
            for raw, since in state.unread
            if self.beside or version is None or since > version or raw in in_file
        ]
        there = {raw for raw, _ in kept}
        fresh = dict.fromkeys(raw for raw in (*self.doc.unread, *self.unread) if raw not in there)
        self.out.unread += sum(raw not in in_file for raw in fresh)
        return (*kept, *((raw, state.version + 1) for raw in fresh))


def answered(tx: Transaction, ids: Sequence[MemoryId], now: datetime) -> list[Memory]:
    """Take the answer about missing entries: forget `ids`, show the others again."""
    state = tx.mirror.get_state()
    if state is not None and state.asking is not None:
        # The file is not as it should be, whatever the change log says.
        tx.mirror.put_state(replace(state, asking=None, seq=-1))
    tx.jobs.enqueue_mirror_job(now)
    if not ids:
        return []
    return tx.memories.get_many(delete(tx, ids, now, tx.changes.begin("user", "mirror", now)))


def delete(
    tx: Transaction, ids: Sequence[MemoryId], now: datetime, begun: ChangeSet
) -> list[MemoryId]:
    """Forget these, and spare whatever else is shown; return those that were there.

    One whose twin stays is deleted alone: its words are still said by the other.
    """
    shown = tx.mirror.list_shown_ids() - set(ids)
    gone = {State.DELETED, State.FORGOTTEN}
    found = [m for m in tx.memories.get_many(dict.fromkeys(ids)) if m.state not in gone]
    rest = []
    for m in found:
        near = tx.memories.find(Filter(), text=m.original_content, limit=20).items
        kinds = [(o, (m.kind, o.kind)) for o in near if o.id in shown]
        if any(same(m.original_content, o.original_content, kinds=k) for o, k in kinds):
            tx.memories.put(replace(m, state=State.DELETED, deleted_at=now), "deleted")
        else:
            rest.append(m.id)
    if rest:
        forget(tx, rest, now, within=begun, spare=shown)
    return [m.id for m in found]
