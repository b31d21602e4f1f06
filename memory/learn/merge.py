"""Match and merge: the one place where what was learned becomes rows (DESIGN §6).

same → a mention; changed → supersede; denied → negate; new → add. Everything here runs inside one write, so
that an old fact can never be gone while the new one is not there. Events are dated by the words that caused
them, so that work done late changes nothing about the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, cast

from memory import lifecycle
from memory.learn import gate
from memory.learn.alike import normalised
from memory.learn.claims import Claim, Saved, built, importance_like, strategy
from memory.learn.contains import Thing, units
from memory.learn.wishes import quiet_wish
from memory.models import (
    Draft,
    Importance,
    Kind,
    Memory,
    MemoryId,
    Message,
    Op,
    Sensitivity,
    State,
    WeightEvent,
    is_quote,
)
from memory.ports import FloatArray, Tx


def save_draft(  # noqa: PLR0913 - everything that can be known of a draft, by name
    tx: Tx,
    draft: Draft,
    now: datetime,
    *,
    curve: str,
    u: float,
    vector: FloatArray | None = None,
    embedder_id: str | None = None,
    sources: Sequence[str] = (),
    session_id: str | None = None,
    near: Sequence[MemoryId] = (),
    said_at: datetime | None = None,
    proposed: bool = False,
) -> Saved:
    """Save one draft through the gate: refused, recognised or added. Call inside a write with a change set begun.

    Args:
        tx: the write.
        draft: what to save.
        now: the time of the work; used as `said_at` where no source message tells it.
        curve: name of the forgetting curve a new memory lives under.
        u: the user's forgetting factor (S2).
        vector: embedding of `draft.content` by `embedder_id`; without it the store has it embedded later.
        embedder_id: which embedder made `vector`.
        sources: ids of the messages it was learned from.
        session_id: the session they belong to.
        near: ids of memories found closest to `vector` before the write, for the dedup gate.
        said_at: when the words were said; default: the newest of `sources`.
        proposed: add it as `proposed`, to be confirmed.
    """
    if said_at is None:
        told = [m.at for i in sources if (m := tx.conversations.message(i)) is not None]
        said_at = max(told, default=now)
    claim = Claim(draft, said_at, tuple(sources), session_id, vector, embedder_id, tuple(near))
    return Merger(tx, curve=curve, u=u, proposing=proposed).save(claim)


_LIVED: Final = (  # how well a memory is remembered, by what became of it
    "activation_count",
    "curve",
    "curve_state",
    "importance",
    "importance_at",
    "last_activated_at",
    "recent_mentions",
    "weight",
)
_SIDES: Final = ("by", "denies")  # of an entry of the correction history: the other memory of a denial


@dataclass(frozen=True, slots=True)
class Merger:
    """Applies claims to one user's memories inside one write.

    With `proposing`, what is new is added as `proposed` and ends nothing until it is accepted.
    """

    tx: Tx
    curve: str
    u: float
    proposing: bool = False

    # --- what a claim can do ---------------------------------------------------------------------------

    def save(self, claim: Claim, *, mention: bool = True) -> Saved:
        """New → add; same → a mention for each source message that does not count yet (if `mention`)."""
        if code := gate.refusal(self.tx, claim):
            return Saved(None, "refused", code)
        if m := gate.known(self.tx, claim):
            return self._recognise(m, claim, mention=mention)
        return Saved(self._add(claim), "added")

    def replace_quote(self, quote: Memory, claims: Sequence[Claim]) -> list[Saved]:
        """Put notes in the place of a quotation; empty, and nothing changes, where one of them is denied by now.

        A note that is there already takes its place as well. New ones are as well remembered as the quotation was.
        """
        if any((m := self._known_note(c)) is not None and m.negated_at is not None for c in claims):
            return []
        out: list[Saved] = []
        for claim in claims:
            m = self._known_note(claim)
            if m is None:
                out.append(Saved(self._add(claim, quote=quote), "added"))
                continue
            done = self._recognise(m, claim)
            ids = _joined(self._fresh(m).supersedes, quote.id)
            out.append(replace(done, memory=self.tx.memories.put(replace(self._fresh(m), supersedes=ids), "updated")))
        self.tx.memories.put(replace(self._fresh(quote), state=State.SUPERSEDED), "superseded")
        return out

    def match(self, m: Memory, claim: Claim) -> Saved:
        """Somebody says that `m` is the same: believed for a mention, but only words that may be learned count."""
        if code := gate.refusal(self.tx, claim):
            return Saved(None, "refused", code)
        return self._recognise(m, claim)

    def supersede(self, old: Memory, claim: Claim) -> Saved:
        """Changed: the old one ends when the new one begins, and the new one names it."""
        if normalised(old.original_content) == normalised(claim.draft.content):
            return self._recognise(old, claim)
        if (code := self._ending_refused(old, claim)) is not None:
            return Saved(None, "refused", code)
        if strategy(old, claim) == "weight_balance":
            return self.contradict(old, claim)
        if m := gate.known(self.tx, claim, exclude=[old.id]):
            new = self.tx.memories.put(replace(m, supersedes=_joined(m.supersedes, old.id)), "updated")
            self._recognise(new, claim)
        else:
            new = self._add(claim, inherit=old, supersedes=(old.id,))
        stands = self._fresh(old)  # what the new one says again may have ended it already: it was its denial
        if not self.proposing and stands.state is State.ACTIVE:
            self._end(stands, claim.draft.valid_from or claim.said_at, claim.said_at)
        return Saved(self._fresh(new), "superseded")

    def negate(self, old: Memory, claim: Claim | None, at: datetime) -> Saved:
        """Denied: the old one is marked and sinks, and the sentence that denies it becomes a memory of its own."""
        if old.negated_at is not None:
            return Saved(old, "known")
        if claim is not None and (code := self._ending_refused(old, claim)) is not None:
            return Saved(None, "refused", code)
        claim = _done_with(old, claim) if claim is not None else None
        if claim is not None and strategy(old, claim) == "weight_balance":
            return self.contradict(old, claim)
        new = None
        if claim is not None:
            m = gate.known(self.tx, claim, exclude=[old.id])
            new = m if m is not None else self._add(claim, inherit=old, denies=old.id)
            if m is not None:
                self._recognise(m, claim)
        stands = self._fresh(old)
        if not self.proposing and stands.state is State.ACTIVE:
            self._deny(stands, at, new)
        return Saved(self._fresh(new or old), "negated")

    def contradict(self, old: Memory, claim: Claim) -> Saved:
        """Unsure (S2: balance): both stand, and the old one loses what its last mentions had given it."""
        saved = self.save(claim)
        if saved.outcome == "added" and not self.proposing:
            m, log = lifecycle.happen(old, "contradicted", self.u, claim.said_at, _by(saved.memory))
            self._write(m, "updated", log)
        return saved

    def boost(self, m: Memory, messages: Sequence[Message], *, recalled: bool) -> Saved:
        """It shaped the reply that it was `recalled` for: activates, at most once a day (UTC), and is no mention.

        Where the messages say it again it is one; of a denied memory, an affirmation.
        """
        thing = Thing((units(m.original_content),))
        said = [x for x in messages if m.negated_at is not None or thing.said_by(x.text, gate.SAID_ANEW)]
        if said:
            draft = Draft(m.original_content, kind=m.kind, language=m.language)
            return self.match(m, Claim(draft, said[-1].at, tuple(x.id for x in said), said[-1].session_id))
        at = messages[-1].at
        days = {e.at.astimezone(UTC).date() for e in self.tx.memories.weight_log(m.id) if e.event == "boost"}
        if not recalled or at.astimezone(UTC).date() in days:
            return Saved(m, "known")
        after, log = lifecycle.happen(m, "boost", self.u, at)
        return Saved(self._write(after, "reinforced", log), "reinforced")

    def affirm(self, m: Memory, at: datetime) -> Saved:
        """The denial is taken back; what had been said in its place ends."""
        # The same words may have denied it more than once.
        by = dict.fromkeys(str(c["by"]) for c in m.correction_history if c.get("by"))
        for other in self.tx.memories.many(by):
            if other.state is State.ACTIVE and other.created_at <= at:
                self._end(other, at, at)
                m = replace(m, supersedes=_joined(m.supersedes, other.id))
        after, log = lifecycle.happen(m, "affirm", self.u, at)
        return Saved(self._write(after, "reinforced", log), "affirmed")

    def delete(self, m: Memory, now: datetime) -> Saved:
        """Delete softly. A tombstone is left only by the person's own word, which this is not."""
        m = self.tx.memories.put(replace(m, state=State.DELETED, deleted_at=now), "deleted")
        return Saved(m, "deleted")

    def _known_note(self, claim: Claim) -> Memory | None:
        """The memory that says the same already and is no quotation."""
        quotes: list[MemoryId] = []
        while (m := gate.known(self.tx, claim, exclude=quotes)) is not None and is_quote(m):
            quotes.append(m.id)
        return m

    # --- how ---------------------------------------------------------------------------------------------

    def _ending_refused(self, old: Memory, claim: Claim) -> str | None:
        """Words older than the memory cannot end it; and what may not be saved may not end anything either."""
        if claim.said_at < old.created_at:
            return "older"
        return gate.refusal(self.tx, claim)

    def _add(
        self,
        claim: Claim,
        *,
        inherit: Memory | None = None,
        supersedes: tuple[MemoryId, ...] = (),
        denies: MemoryId | None = None,
        quote: Memory | None = None,
    ) -> Memory:
        for stone in gate.tombstones(self.tx, claim):
            self.tx.tombstones.remove(stone.memory_id)  # said anew: the person has changed their mind
        m = built(claim, self.tx.user_id, State.PROPOSED if self.proposing else State.ACTIVE)
        if inherit is not None:
            # Where one version ends the next begins (S1): also where nobody said since when it has been so.
            begins = m.valid_from or claim.said_at
            worth = max(m.sensitivity, inherit.sensitivity)
            m = replace(m, sensitivity=worth, supersedes=supersedes, valid_from=begins)
            if supersedes and not self.proposing:
                m = replace(m, layer=inherit.layer, pinned=inherit.pinned)
            if denies is not None:
                m = replace(m, correction_history=({"denies": denies},))
        if words := quiet_wish(self.tx, m.original_content):
            m = replace(m, quiet_at=claim.said_at, quiet_words=words)
        m = lifecycle.born(m, claim.draft.importance, self.curve, claim.said_at)
        if quote is not None:
            worth, lived = max(m.sensitivity, quote.sensitivity), {k: getattr(quote, k) for k in _LIVED}
            m = replace(m, sensitivity=worth, layer=quote.layer, supersedes=(quote.id,), **lived)
        m = self.tx.memories.add(m)
        spans = {message_id: (start, end) for message_id, start, end in claim.spans}
        for message_id in claim.sources:
            self.tx.memories.source(m.id, message_id, spans.get(message_id))
        self.tx.memories.log(lifecycle.logged("created", None, m, self.u, claim.said_at, str(m.source)))
        self._embed(m, claim)
        return m

    def _embed(self, m: Memory, claim: Claim) -> None:
        if m.sensitivity < Sensitivity.SECRET and claim.vector is not None and claim.embedder_id is not None:
            self.tx.vectors.put(m.id, claim.embedder_id, claim.vector)  # the store sees to those that bring none

    def _recognise(self, m: Memory, claim: Claim, *, mention: bool = True) -> Saved:
        """It is there already. The person's own word confirms it; a new message counts as a mention."""
        if claim.draft.verified and (not m.verified or m.state is State.PROPOSED):
            m = self.tx.memories.put(replace(m, verified=True, state=State.ACTIVE), "updated")
        if m.negated_at is not None:
            if not mention or claim.said_at < m.negated_at:
                return Saved(m, "known")
            if not self._count(m, claim) and claim.sources:
                return Saved(m, "known")  # the very words that denied it do not affirm it
            return self.affirm(m, claim.said_at)
        if not mention or not (counted := self._count(m, claim)):
            return Saved(m, "known")
        for at in counted:
            after, log = lifecycle.happen(m, "mention", self.u, at)
            m = self._write(after, "reinforced", log)
        return Saved(m, "reinforced")

    def _count(self, m: Memory, claim: Claim) -> list[datetime]:
        """When it was mentioned, by those of the claim's messages that do not count yet, each at its own time."""
        told = self._told(m)
        out: list[datetime] = []
        for i in claim.sources:
            said = self.tx.conversations.message(i)
            at = min(said.at, claim.said_at) if said is not None else claim.said_at
            if i not in told and self.tx.memories.mention(m.id, i, at):
                out.append(at)
        return sorted(out)

    def _told(self, m: Memory) -> set[str]:
        """Messages that are no mention: what taught its older version, its denial, or what was merged into it."""
        others = {
            *m.supersedes,
            *m.merged_from,
            *(str(c[k]) for c in m.correction_history for k in _SIDES if c.get(k)),
        }
        told = {i for other in others for i in self.tx.memories.sources(other)}
        return told | {i for other in m.merged_from for i in self.tx.memories.mentioned_in(other)}

    def _end(self, old: Memory, at: datetime, now: datetime) -> None:
        """What is replaced on a day to come holds until then."""
        until = at if old.valid_until is None else min(at, old.valid_until)
        state, op = (old.state, "updated") if until > now else (State.SUPERSEDED, "superseded")
        self.tx.memories.put(replace(old, state=state, valid_until=until), cast("Op", op))

    def _deny(self, old: Memory, at: datetime, new: Memory | None) -> None:
        m, log = lifecycle.happen(old, "negate", self.u, at, _by(new))
        entry = {"at": round(at.timestamp() * 1000), "reason": "negated", "by": new.id if new else None}
        self._write(replace(m, correction_history=(*m.correction_history, entry)), "negated", log)

    def _write(self, m: Memory, op: Op, log: WeightEvent) -> Memory:
        m = self.tx.memories.put(m, op)
        self.tx.memories.log(log)
        return m

    def _fresh(self, m: Memory) -> Memory:
        return self.tx.memories.get(m.id) or m


def accept(tx: Tx, m: Memory, *, curve: str, u: float, at: datetime) -> Saved:
    """The person confirms a proposed memory: it becomes active, and ends or denies what it was meant to."""
    merger = Merger(tx, curve=curve, u=u)
    denied = [str(c["denies"]) for c in m.correction_history if c.get("denies")]
    used, log = lifecycle.happen(replace(m, state=State.ACTIVE, verified=True), "use", u, at)
    m = merger._write(used, "updated", log)  # noqa: SLF001 - one module
    for old in tx.memories.many(m.supersedes):
        if old.state is State.ACTIVE:
            merger._end(old, m.valid_from or m.created_at, at)  # noqa: SLF001 - one module
    for old in tx.memories.many(denied):
        if old.state is State.ACTIVE and old.negated_at is None:
            merger._deny(old, at, m)  # noqa: SLF001 - one module
    return Saved(m, "added")


def _done_with(old: Memory, claim: Claim) -> Claim:
    """That a plan is off, or a thing done, is no plan with a day of its own: it is true for a while, and fades."""
    if old.kind is not Kind.TODO and claim.draft.kind is not Kind.TODO:
        return claim
    draft = replace(claim.draft, kind=Kind.CONTEXT, importance=Importance.LOW, expires_at=None)
    return replace(claim, draft=draft)


def _joined(ids: tuple[MemoryId, ...], more: MemoryId) -> tuple[MemoryId, ...]:
    return ids if more in ids else (*ids, more)


def _by(m: Memory | None) -> str:
    return f"by {m.id}" if m else ""


__all__ = ["Claim", "Merger", "Saved", "accept", "importance_like", "save_draft", "strategy"]
