"""Match and merge: the one place where what was learned becomes rows.

same → a mention; changed → supersede; denied → negate; new → add. Everything here runs inside one
write, so that an old fact can never be gone while the new one is not there. Events are dated by the
words that caused them, so that work done late changes nothing about the outcome.

Before every memory stands one gate, whoever asks: no secrets, no orders to the assistant, nothing
that was forgotten on request unless the person said it anew, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias, cast

import numpy as np

from memory import lifecycle, privacy
from memory.learn.preferences import find_quiet_wish
from memory.learn.same_meaning import (
    BURIED_VECTOR,
    ForgetTarget,
    is_semantic,
    list_units,
    normalise_text,
    rescale_cosine,
    same,
    tombstone_threshold,
)
from memory.learn.visible_messages import messages_of
from memory.models import (
    CurveState,
    Draft,
    Filter,
    Importance,
    Kind,
    Layer,
    Memory,
    MemoryId,
    Message,
    Op,
    Sensitivity,
    Source,
    State,
    Tombstone,
    WeightEvent,
    is_quote,
)
from memory.ports import FloatArray, Transaction
from memory.text.notes import UNSORTED, add_subjects, is_close, is_health

LONGEST = 1_000  # characters of one memory; what is longer is no single thing
SAID_ANEW = 0.6  # share of a thing's words that a message must have to say it again
_LOOKED_AT = 24
_GUESSED = frozenset({Source.MONITOR, Source.EXTRACTOR})
_STANDS = frozenset({State.ACTIVE, State.PROPOSED})

Code: TypeAlias = Literal["empty", "too_long", "secret", "instruction", "tombstone"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that was said and may become a memory.

    `said_at` is when the words were said, not when they are worked on. `vector` is that of the
    draft's content by the embedder `embedder_id`, `near` what the caller found closest to it before
    the transaction began.
    """

    draft: Draft
    said_at: datetime
    sources: tuple[str, ...] = ()
    session_id: str | None = None
    vector: FloatArray | None = None
    embedder_id: str | None = None
    near: tuple[MemoryId, ...] = ()
    spans: tuple[tuple[str, int, int], ...] = ()  # the words it rests on: message, start, end


Outcome: TypeAlias = Literal[
    "added", "reinforced", "superseded", "negated", "affirmed", "deleted", "known", "refused"
]


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What became of a draft. `memory` is the one that now says it; None if refused, and `code`
    says why.

    added: it is new; superseded, negated: it is new and ended an older one; reinforced: it was
    there and counts a mention more; affirmed: it had been denied and holds again; known: it was
    there, nothing changed.
    """

    memory: Memory | None
    outcome: Outcome
    code: str = ""

    @property
    def changed(self) -> bool:
        """Tell whether anything was written that a person would want to know of."""
        return self.outcome not in {"known", "refused"}

    @property
    def ended(self) -> bool:
        """Tell whether a memory is over by it."""
        return self.outcome in {"superseded", "negated", "deleted"}


_AS_DRAFTED: Final = (
    *(
        "topics",
        "entities",
        "modalities",
        "confidence",
        "valid_from",
        "valid_until",
        "expires_at",
        "on",
        "on_until",
    ),
    *("repeats", "precision", "source", "verified"),
)


def build_memory(claim: Claim, user_id: str, state: State = State.ACTIVE) -> Memory:
    """Return the memory of a claim, before `born` gives it its curve."""
    d, at = claim.draft, claim.said_at
    text = d.content.strip()
    as_drafted: dict[str, Any] = {name: getattr(d, name) for name in _AS_DRAFTED}
    return Memory(
        id="",
        user_id=user_id,
        content=text,
        original_content=text,
        language=d.language,
        layer=d.layer,
        kind=choose_kind(d.kind, text, d.source),
        created_at=at,
        last_activated_at=at,
        curve="",
        curve_state=CurveState(0.0, at),
        importance=0.0,
        importance_at=at,
        **as_drafted,
        source_session=claim.session_id,
        source_message=claim.sources[0] if claim.sources else None,
        state=state,
        sensitivity=max(d.sensitivity, privacy.classify_sensitivity(text)),
        close=d.close or is_close(text),
    )


def choose_kind(kind: Kind, text: str, source: Source) -> Kind:
    """Return the kind of a memory; health and manner by their words where a common kind was said."""
    if (
        kind is Kind.INSTRUCTION
        and source in _GUESSED
        and privacy.classify_instruction(text) != "manner"
    ):
        kind = Kind.PREFERENCE  # it may be found, but stands in no prompt
    if kind not in UNSORTED:
        return kind
    if is_health(text):
        return Kind.HEALTH
    # How Ebb should answer is learned from the person's own words alone.
    manner = source is not Source.IMPORT and privacy.classify_instruction(text) == "manner"
    return Kind.INSTRUCTION if manner else kind


def importance_of_memory(m: Memory) -> Importance:
    """Return the importance a memory would be given anew, by its counter."""
    if m.layer is Layer.CORE or m.importance >= 1.9:
        return Importance.HIGH
    return Importance.MEDIUM if m.importance >= 1.2 else Importance.LOW


Strategy: TypeAlias = Literal["latest_wins", "version_keep", "weight_balance"]
UNSURE: Final = 0.5  # confidence below which a statement ends nothing
_TASTES: Final = frozenset({Kind.PREFERENCE, Kind.WHIM})


def choose_strategy(old: Memory, claim: Claim, *, inferred: bool = False) -> Strategy:
    """Choose the weight paper's strategy for a claim that says otherwise than `old`.

    latest_wins, for facts: the old one is over, and the new one names it. version_keep, for tastes:
    the old one stays as a version of its own, denied and much weaker, beside the new one.
    weight_balance, where it is unsure which one holds: both stand, and the old one loses what its
    last mentions had given it. Unsure is what the model says with little confidence, and what is
    only `inferred` against something that the user has confirmed.
    """
    confirmed = old.pinned or old.verified or old.layer is Layer.CORE
    if claim.draft.confidence < UNSURE or (inferred and confirmed):
        return "weight_balance"
    return "version_keep" if old.kind in _TASTES else "latest_wins"


# --- the gate ---


def refused_text(text: str, *, secret: bool = False) -> Code | None:
    """Say why this may be nobody's memory, whoever asks, or None; `secret`: it holds one, whatever it looks like."""
    if not normalise_text(text):
        return "empty"
    if len(text) > LONGEST:
        return "too_long"
    if secret or privacy.redact(text)[1]:
        return "secret"
    return "instruction" if privacy.is_refused_instruction(text) else None


def find_refusal(tx: Transaction, claim: Claim) -> Code | None:
    """Say why this must not be saved, or None."""
    d = claim.draft
    if code := refused_text(
        d.content.strip(),
        secret=d.sensitivity is Sensitivity.SECRET and d.source is not Source.USER,
    ):
        return code
    if d.kind is Kind.INSTRUCTION and _orders(tx, claim):
        return "instruction"
    return (
        "tombstone"
        if any(not _said_since(tx, claim, t) for t in find_tombstones(tx, claim))
        else None
    )


def _orders(tx: Transaction, claim: Claim) -> bool:
    """Whether it is a refused order once what a note leaves out is added: Ebb as its subject, the words behind it."""
    text = claim.draft.content.strip()
    said = [m.text for m in messages_of(tx, claim.sources)]
    return any(
        map(
            privacy.is_refused_instruction,
            (f"you {text[:1].lower()}{text[1:]}", f"你{text}", *said),
        )
    )


def _said_since(tx: Transaction, claim: Claim, stone: Tombstone) -> bool:
    """Whether the person has said it anew: in words of theirs that say it, not in a model's that name any message."""
    if claim.draft.source not in _GUESSED:
        return claim.said_at > stone.at
    thing = ForgetTarget((list_units(claim.draft.content),))
    return any(
        m.at > stone.at and thing.said_by(m.text, SAID_ANEW) for m in messages_of(tx, claim.sources)
    )


def find_tombstones(tx: Transaction, claim: Claim) -> list[Tombstone]:
    """Return what was forgotten on request and is what the claim says.

    Words said after it are allowed to return.
    """
    text = claim.draft.content
    digest, matching = tx.tombstones.compute_digest, tx.tombstones.list_matching
    found = matching(
        digest(text), claim.embedder_id, claim.vector, tombstone_threshold(claim.embedder_id)
    )
    forms = [
        t for form in add_subjects(text) for t in matching(digest(form), None, None, BURIED_VECTOR)
    ]
    return list(dict.fromkeys((*found, *forms)))


def find_known_memory(
    tx: Transaction, claim: Claim, exclude: Iterable[MemoryId] = ()
) -> Memory | None:
    """The memory that says the same already, whether it holds, is proposed or was denied; the closest of them."""
    draft, embedder = claim.draft, claim.embedder_id
    f = Filter(states=_STANDS)
    found = tx.memories.find(f, text=draft.content, limit=_LOOKED_AT).items
    ids = dict.fromkeys((*claim.near, *(m.id for m in found)))
    candidates = [
        m
        for m in tx.memories.get_many(i for i in ids if i not in set(exclude))
        if _comparable(m, claim)
    ]
    close = dict[MemoryId, float]()
    if claim.vector is not None and embedder is not None:
        vectors = tx.vectors.get([m.id for m in candidates], embedder)
        close = {i: float(np.dot(v, claim.vector)) for i, v in vectors.items()}

    def says_same(m: Memory) -> bool:
        meant = (
            rescale_cosine(close[m.id], embedder)
            if embedder and m.id in close and is_semantic(embedder)
            else None
        )
        return same(m.original_content, draft.content, kinds=(m.kind, draft.kind), cosine=meant)

    def closeness(m: Memory) -> tuple[bool, bool, float]:
        exact = normalise_text(m.original_content) == normalise_text(draft.content)
        return exact, m.negated_at is None, close.get(m.id, 0.0)

    return max(filter(says_same, candidates), key=closeness, default=None)


def _comparable(m: Memory, claim: Claim) -> bool:
    ended = m.valid_until is not None and m.valid_until <= claim.said_at and m.negated_at is None
    fact = m.layer is not Layer.EPISODE and m.sensitivity < Sensitivity.SECRET
    return m.state in _STANDS and fact and not ended


# --- merging ---


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
_SIDES: Final = (
    "by",
    "denies",
)  # of an entry of the correction history: the other memory of a denial


@dataclass(frozen=True, slots=True)
class Merger:
    """Applies claims to one user's memories inside one write.

    With `proposing`, what is new is added as `proposed` and ends nothing until it is accepted.
    """

    tx: Transaction
    curve: str
    u: float
    proposing: bool = False

    # --- what a claim can do ---

    def save(self, claim: Claim, *, mention: bool = True) -> SaveResult:
        """New → add; same → a mention for each source message that does not count yet (if `mention`)."""
        if code := find_refusal(self.tx, claim):
            return SaveResult(None, "refused", code)
        if m := find_known_memory(self.tx, claim):
            return self._recognise(m, claim, mention=mention)
        return SaveResult(self._add(claim), "added")

    def replace_quote(self, quote: Memory, claims: Sequence[Claim]) -> list[SaveResult]:
        """Put notes in the place of a quotation; empty, and nothing changes, where one of them is
        denied by now.

        A note that is there already takes its place as well. New ones are as well remembered as the
        quotation was.
        """
        if any((m := self._known_note(c)) is not None and m.negated_at is not None for c in claims):
            return []
        out: list[SaveResult] = []
        for claim in claims:
            m = self._known_note(claim)
            if m is None:
                out.append(SaveResult(self._add(claim, quote=quote), "added"))
                continue
            done = self._recognise(m, claim)
            ids = _joined(self._fresh(m).supersedes, quote.id)
            out.append(
                replace(
                    done,
                    memory=self.tx.memories.put(replace(self._fresh(m), supersedes=ids), "updated"),
                )
            )
        self.tx.memories.put(replace(self._fresh(quote), state=State.SUPERSEDED), "superseded")
        return out

    def match(self, m: Memory, claim: Claim) -> SaveResult:
        """Somebody says that `m` is the same: believed for a mention, but only words that may be learned count."""
        if code := find_refusal(self.tx, claim):
            return SaveResult(None, "refused", code)
        return self._recognise(m, claim)

    def supersede(self, old: Memory, claim: Claim) -> SaveResult:
        """Changed: the old one ends when the new one begins, and the new one names it."""
        if normalise_text(old.original_content) == normalise_text(claim.draft.content):
            return self._recognise(old, claim)
        if (code := self._ending_refused(old, claim)) is not None:
            return SaveResult(None, "refused", code)
        if choose_strategy(old, claim) == "weight_balance":
            return self.contradict(old, claim)
        if m := find_known_memory(self.tx, claim, exclude=[old.id]):
            new = self.tx.memories.put(
                replace(m, supersedes=_joined(m.supersedes, old.id)), "updated"
            )
            self._recognise(new, claim)
        else:
            new = self._add(claim, inherit=old, supersedes=(old.id,))
        stands = self._fresh(
            old
        )  # what the new one says again may have ended it already: it was its denial
        if not self.proposing and stands.state is State.ACTIVE:
            self._end(stands, claim.draft.valid_from or claim.said_at, claim.said_at)
        return SaveResult(self._fresh(new), "superseded")

    def negate(self, old: Memory, claim: Claim | None, at: datetime) -> SaveResult:
        """Denied: the old one is marked and sinks, and the sentence that denies it becomes a memory of its own."""
        if old.negated_at is not None:
            return SaveResult(old, "known")
        if claim is not None and (code := self._ending_refused(old, claim)) is not None:
            return SaveResult(None, "refused", code)
        claim = _done_with(old, claim) if claim is not None else None
        if claim is not None and choose_strategy(old, claim) == "weight_balance":
            return self.contradict(old, claim)
        new = None
        if claim is not None:
            m = find_known_memory(self.tx, claim, exclude=[old.id])
            new = m if m is not None else self._add(claim, inherit=old, denies=old.id)
            if m is not None:
                self._recognise(m, claim)
        stands = self._fresh(old)
        if not self.proposing and stands.state is State.ACTIVE:
            self._deny(stands, at, new)
        return SaveResult(self._fresh(new or old), "negated")

    def contradict(self, old: Memory, claim: Claim) -> SaveResult:
        """Unsure: both stand, and the old one loses what its last mentions had given it."""
        saved = self.save(claim)
        if saved.outcome == "added" and not self.proposing:
            m, log = lifecycle.apply_event(
                old, "contradicted", self.u, claim.said_at, _by(saved.memory)
            )
            self._write(m, "updated", log)
        return saved

    def boost(self, m: Memory, messages: Sequence[Message], *, recalled: bool) -> SaveResult:
        """It shaped the reply that it was `recalled` for: activates, at most once a day (UTC), and
        is no mention.

        Where the messages say it again it is one; of a denied memory, an affirmation.
        """
        thing = ForgetTarget((list_units(m.original_content),))
        said = [x for x in messages if m.negated_at is not None or thing.said_by(x.text, SAID_ANEW)]
        if said:
            draft = Draft(m.original_content, kind=m.kind, language=m.language)
            return self.match(
                m, Claim(draft, said[-1].at, tuple(x.id for x in said), said[-1].session_id)
            )
        at = messages[-1].at
        days = {
            e.at.astimezone(UTC).date()
            for e in self.tx.memories.list_weight_log(m.id)
            if e.event == "boost"
        }
        if not recalled or at.astimezone(UTC).date() in days:
            return SaveResult(m, "known")
        after, log = lifecycle.apply_event(m, "boost", self.u, at)
        return SaveResult(self._write(after, "reinforced", log), "reinforced")

    def affirm(self, m: Memory, at: datetime) -> SaveResult:
        """Return the denial is taken back; what had been said in its place ends."""
        # The same words may have denied it more than once.
        by = dict.fromkeys(str(c["by"]) for c in m.correction_history if c.get("by"))
        for other in self.tx.memories.get_many(by):
            if other.state is State.ACTIVE and other.created_at <= at:
                self._end(other, at, at)
                m = replace(m, supersedes=_joined(m.supersedes, other.id))
        after, log = lifecycle.apply_event(m, "affirm", self.u, at)
        return SaveResult(self._write(after, "reinforced", log), "affirmed")

    def accept(self, m: Memory, at: datetime) -> Memory:
        """The person confirms what was proposed: it becomes active, and ends or denies what it was meant to."""
        denied = [str(c["denies"]) for c in m.correction_history if c.get("denies")]
        used, log = lifecycle.apply_event(
            replace(m, state=State.ACTIVE, verified=True), "use", self.u, at
        )
        m = self._write(used, "updated", log)
        for old in self.tx.memories.get_many(m.supersedes):
            if old.state is State.ACTIVE:
                self._end(old, m.valid_from or m.created_at, at)
        for old in self.tx.memories.get_many(denied):
            if old.state is State.ACTIVE and old.negated_at is None:
                self._deny(old, at, m)
        return m

    def delete(self, m: Memory, now: datetime) -> SaveResult:
        """Delete softly. A tombstone is left only by the person's own word, which this is not."""
        m = self.tx.memories.put(replace(m, state=State.DELETED, deleted_at=now), "deleted")
        return SaveResult(m, "deleted")

    def _known_note(self, claim: Claim) -> Memory | None:
        """Return the memory that says the same already and is no quotation."""
        quotes: list[MemoryId] = []
        while (m := find_known_memory(self.tx, claim, exclude=quotes)) is not None and is_quote(m):
            quotes.append(m.id)
        return m

    # --- how ---

    def _ending_refused(self, old: Memory, claim: Claim) -> str | None:
        """Refuse words older than the memory, and what may not be saved: neither may end anything."""
        if claim.said_at < old.created_at:
            return "older"
        return find_refusal(self.tx, claim)

    def _add(
        self,
        claim: Claim,
        *,
        inherit: Memory | None = None,
        supersedes: tuple[MemoryId, ...] = (),
        denies: MemoryId | None = None,
        quote: Memory | None = None,
    ) -> Memory:
        for stone in find_tombstones(self.tx, claim):
            self.tx.tombstones.remove(
                stone.memory_id
            )  # said anew: the person has changed their mind
        m = build_memory(claim, self.tx.user_id, State.PROPOSED if self.proposing else State.ACTIVE)
        if inherit is not None:
            # Where one version ends the next begins: also where nobody said since when it has been
            # so.
            begins = m.valid_from or claim.said_at
            worth = max(m.sensitivity, inherit.sensitivity)
            m = replace(m, sensitivity=worth, supersedes=supersedes, valid_from=begins)
            if supersedes and not self.proposing:
                m = replace(m, layer=inherit.layer, pinned=inherit.pinned)
            if denies is not None:
                m = replace(m, correction_history=({"denies": denies},))
        if words := find_quiet_wish(self.tx, m.original_content):
            m = replace(m, quiet_at=claim.said_at, quiet_words=words)
        m = lifecycle.start_life(m, claim.draft.importance, self.curve, claim.said_at)
        if quote is not None:
            worth, lived = (
                max(m.sensitivity, quote.sensitivity),
                {k: getattr(quote, k) for k in _LIVED},
            )
            m = replace(m, sensitivity=worth, layer=quote.layer, supersedes=(quote.id,), **lived)
        m = self.tx.memories.add(m)
        spans = {message_id: (start, end) for message_id, start, end in claim.spans}
        for message_id in claim.sources:
            self.tx.memories.add_source(m.id, message_id, spans.get(message_id))
        self.tx.memories.log(
            lifecycle.build_log_entry("created", None, m, self.u, claim.said_at, str(m.source))
        )
        if (
            m.sensitivity < Sensitivity.SECRET
            and claim.vector is not None
            and claim.embedder_id is not None
        ):
            self.tx.vectors.put(
                m.id, claim.embedder_id, claim.vector
            )  # the store sees to those that bring none
        return m

    def _recognise(self, m: Memory, claim: Claim, *, mention: bool = True) -> SaveResult:
        """It is there already.

        The person's own word confirms it; a new message counts as a mention.
        """
        if claim.draft.verified and (not m.verified or m.state is State.PROPOSED):
            m = self.tx.memories.put(replace(m, verified=True, state=State.ACTIVE), "updated")
        if m.negated_at is not None:
            if not mention or claim.said_at < m.negated_at:
                return SaveResult(m, "known")
            if not self._count(m, claim) and claim.sources:
                return SaveResult(m, "known")  # the very words that denied it do not affirm it
            return self.affirm(m, claim.said_at)
        if not mention or not (counted := self._count(m, claim)):
            return SaveResult(m, "known")
        for at in counted:
            after, log = lifecycle.apply_event(m, "mention", self.u, at)
            m = self._write(after, "reinforced", log)
        return SaveResult(m, "reinforced")

    def _count(self, m: Memory, claim: Claim) -> list[datetime]:
        """When it was mentioned, by those of the claim's messages that do not count yet, each at its own time."""
        told = self._told(m)
        out: list[datetime] = []
        for i in claim.sources:
            said = self.tx.conversations.get_message(i)
            at = min(said.at, claim.said_at) if said is not None else claim.said_at
            if i not in told and self.tx.memories.add_mention(m.id, i, at):
                out.append(at)
        return sorted(out)

    def _told(self, m: Memory) -> set[str]:
        """Messages that are no mention: what taught its older version, its denial, or what was merged into it."""
        others = {
            *m.supersedes,
            *m.merged_from,
            *(str(c[k]) for c in m.correction_history for k in _SIDES if c.get(k)),
        }
        told = {i for other in others for i in self.tx.memories.list_sources(other)}
        return told | {i for other in m.merged_from for i in self.tx.memories.list_mentions(other)}

    def _end(self, old: Memory, at: datetime, now: datetime) -> None:
        """What is replaced on a day to come holds until then."""
        until = at if old.valid_until is None else min(at, old.valid_until)
        state, op = (old.state, "updated") if until > now else (State.SUPERSEDED, "superseded")
        self.tx.memories.put(replace(old, state=state, valid_until=until), cast("Op", op))

    def _deny(self, old: Memory, at: datetime, new: Memory | None) -> None:
        m, log = lifecycle.apply_event(old, "negate", self.u, at, _by(new))
        entry = {
            "at": round(at.timestamp() * 1000),
            "reason": "negated",
            "by": new.id if new else None,
        }
        self._write(replace(m, correction_history=(*m.correction_history, entry)), "negated", log)

    def _write(self, m: Memory, op: Op, log: WeightEvent) -> Memory:
        m = self.tx.memories.put(m, op)
        self.tx.memories.log(log)
        return m

    def _fresh(self, m: Memory) -> Memory:
        return self.tx.memories.get(m.id) or m


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
