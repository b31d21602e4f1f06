"""Match and merge: the one place where what was learned becomes rows.

same → a mention; changed → supersede; denied → negate; new → add. Everything here runs inside one
write, so that an old fact can never be gone while the new one is not there. Events are dated by the
words that caused them, so that work done late changes nothing about the outcome.

Before every memory stands one gate, whoever asks: no secrets, no orders to the assistant, nothing
that was forgotten on request unless the person said it anew, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from memory import lifecycle, privacy
from memory.learn import dates, learning_rules, slots
from memory.learn.cascade import settle, unsettle, unsettle_habits
from memory.learn.mend import mend_told
from memory.learn.people import count_people, learn_name, may_be_two
from memory.learn.preferences import find_quiet_wish, list_quiet_messages
from memory.learn.same_meaning import (
    BURIED_VECTOR,
    ForgetTarget,
    is_semantic,
    list_content_words,
    list_units,
    normalise_text,
    rescale_cosine,
    same,
    tombstone_threshold,
)
from memory.learn.visible_messages import messages_of
from memory.models import (
    GUESSED,
    SURE,
    CurveState,
    Draft,
    Filter,
    Importance,
    Kind,
    Layer,
    Memory,
    MemoryId,
    Op,
    Sensitivity,
    Source,
    State,
    Tombstone,
    is_quote,
)
from memory.ports import FloatArray, Transaction
from memory.text.notes import UNSORTED, add_subjects, is_close, is_health
from memory.text.speech import split_clauses

_LASTS: Final = frozenset(  # what holds until something else does
    {Kind.FACT, Kind.IDENTITY, Kind.PREFERENCE, Kind.HEALTH, Kind.WORKFLOW}
)
LONGEST = 1_000  # characters of one memory; what is longer is no single thing
SAID_ANEW = 0.6  # share of a thing's words that a message must have to say it again
_LOOKED_AT = 24
_STANDS = frozenset({State.ACTIVE, State.PROPOSED})
REPEATS: Final = frozenset({"same", "affirm"})  # what the memory says

Code: TypeAlias = Literal["empty", "too_long", "secret", "instruction", "rule", "tombstone"]
Outcome: TypeAlias = Literal[
    "added", "reinforced", "superseded", "negated", "affirmed", "deleted", "known", "refused"
]
Strategy: TypeAlias = Literal["latest_wins", "version_keep", "weight_balance"]

_AS_DRAFTED: Final = (  # noqa: SIM905 - words read as words
    "topics entities modalities confidence valid_from valid_until expires_at on on_until repeats"
    " dead precision source verified slot"
).split()
_LIVED: Final = (  # noqa: SIM905 - words read as words
    "activation_count curve curve_state importance importance_at last_activated_at recent_mentions"
    " weight"
).split()
_SORTED_AS: Final = ("kind", "layer", "language", "sensitivity")
_SIDES: Final = ("by", "denies")  # of the correction history: the other memory of a denial


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
    reader: slots.SlotReader | None = None  # of slots, by the same embedder
    topics: learning_rules.TopicReader | None = None  # of the person's rules
    settled: bool = False  # whose place it takes is decided
    insisted: bool = False  # a model was told what its slot ends, and says it again


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What became of a draft, and the memory that now says it; None if refused, `code` says why.

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


def build_memory(claim: Claim, user_id: str, state: State = State.ACTIVE) -> Memory:
    """Return the memory of a claim, before `start_life` gives it its curve."""
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
    """Return a memory's kind; health and manner by their words where a common kind was said."""
    if kind not in UNSORTED:
        return kind
    if is_health(text):
        return Kind.HEALTH
    # How Ebb should answer is learned from the person's own words alone; a model says what is fact.
    told = source is not Source.IMPORT and (source not in GUESSED or kind is Kind.PREFERENCE)
    manner = told and privacy.classify_instruction(text) == "manner"
    return Kind.INSTRUCTION if manner else kind


def importance_of_memory(m: Memory) -> Importance:
    """Return the importance a memory would be given anew, by its counter."""
    if m.layer is Layer.CORE or m.importance >= 1.9:
        return Importance.HIGH
    return Importance.MEDIUM if m.importance >= 1.2 else Importance.LOW


def choose_strategy(old: Memory, claim: Claim, *, inferred: bool = False) -> Strategy:
    """Choose the weight paper's strategy for a claim that says otherwise than `old`.

    latest_wins, for facts: the old one is over, and the new one names it. version_keep, for tastes:
    the old one stays as a version of its own, denied and much weaker, beside the new one.
    weight_balance, where it is unsure which one holds: both stand, and the old one loses what its
    last mentions had given it. Unsure is what the model says with little confidence, and what is
    only `inferred` against something that the user has confirmed.
    """
    if claim.draft.confidence < SURE or (inferred and old.guarded):
        return "weight_balance"
    return "version_keep" if old.kind in {Kind.PREFERENCE, Kind.WHIM} else "latest_wins"


def _begin_on_its_day(old: Memory, claim: Claim) -> Claim:
    """Let a plan that replaces what holds begin on its day; until then the present goes on."""
    d = claim.draft
    if old.kind not in _LASTS or old.on or d.on is None or d.on <= claim.said_at:
        return claim
    begun = replace(d, kind=old.kind, valid_from=d.valid_from or d.on, on=None, on_until=None)
    return replace(claim, draft=begun)


def _keep_start(old: Memory, claim: Claim) -> Claim:
    """Keep since when it has been so, where a new version says as much and adds its coming end."""
    d = claim.draft
    ends = d.valid_until is not None and d.valid_until > claim.said_at
    if d.valid_from or old.valid_from is None or not ends:
        return claim
    texts = (dates.cut_dates(t) for t in (d.content, old.original_content))
    said, known = map(list_content_words, texts)
    kept = replace(d, valid_from=old.valid_from, precision=d.precision or old.precision)
    return replace(claim, draft=kept) if known <= said else claim


# --- the gate ---


def refused_text(text: str, *, secret: bool = False) -> Code | None:
    """Say why this may be nobody's memory, or None; `secret`: it holds one, however it looks."""
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
    secret = d.sensitivity is Sensitivity.SECRET and d.source is not Source.USER
    if code := refused_text(d.content.strip(), secret=secret):
        return code
    if d.kind is Kind.INSTRUCTION:  # with what a note leaves out: Ebb, the words behind it
        text = d.content.strip()
        said = [m.text for m in messages_of(tx, claim.sources)]
        whole = (f"you {text[:1].lower()}{text[1:]}", f"你{text}", *said)
        if any(map(privacy.is_refused_instruction, whole)):
            return "instruction"
    if learning_rules.is_barred(tx, claim):
        return "rule"
    stones = find_tombstones(tx, claim)
    return None if all(_was_said_since(tx, claim, t) for t in stones) else "tombstone"


def _was_said_since(tx: Transaction, claim: Claim, stone: Tombstone) -> bool:
    """Tell whether the person has said it anew, in words of theirs that say it."""
    if claim.draft.source not in GUESSED:
        return claim.said_at > stone.at
    thing = ForgetTarget((list_units(claim.draft.content),))
    said = messages_of(tx, claim.sources)
    return any(m.at > stone.at and thing.said_by(m.text, SAID_ANEW) for m in said)


def find_tombstones(tx: Transaction, claim: Claim) -> list[Tombstone]:
    """Return what was forgotten on request and is what the claim says."""
    text, embedder = claim.draft.content, claim.embedder_id
    digest, list_matching = tx.tombstones.compute_digest, tx.tombstones.list_matching
    found = list_matching(digest(text), embedder, claim.vector, tombstone_threshold(embedder))
    for form in add_subjects(text):
        found += list_matching(digest(form), None, None, BURIED_VECTOR)
    return list(dict.fromkeys(found))


def find_known_memory(
    tx: Transaction, claim: Claim, exclude: Collection[MemoryId] = ()
) -> Memory | None:
    """Return the closest memory that says the same, whether it holds, is proposed or was denied."""
    draft, embedder = claim.draft, claim.embedder_id
    found = tx.memories.find(Filter(states=_STANDS), text=draft.content, limit=_LOOKED_AT).items
    ids = dict.fromkeys((*claim.near, *(m.id for m in found)))
    candidates = tx.memories.get_many(i for i in ids if i not in exclude)
    close = dict[MemoryId, float]()
    if claim.vector is not None and embedder is not None:
        vectors = tx.vectors.get([m.id for m in candidates], embedder)
        close = {i: float(np.dot(v, claim.vector)) for i, v in vectors.items()}

    def says_same(m: Memory) -> bool:
        ended = m.valid_until and m.valid_until <= claim.said_at and m.negated_at is None
        if m.state not in _STANDS or m.layer is Layer.EPISODE or ended:
            return False
        if m.sensitivity is Sensitivity.SECRET:
            return False
        meant = None
        if embedder and m.id in close and is_semantic(embedder):
            meant = rescale_cosine(close[m.id], embedder)
        kinds = (m.kind, draft.kind)
        found = same(m.original_content, draft.content, kinds=kinds, cosine=meant)
        return found and not may_be_two(m, build_memory(claim, tx.user_id), count_people(tx))

    def closeness(m: Memory) -> tuple[bool, bool, float]:
        exact = normalise_text(m.original_content) == normalise_text(draft.content)
        return exact, m.negated_at is None, close.get(m.id, 0.0)

    return max(filter(says_same, candidates), key=closeness, default=None)


# --- merging ---


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
        """Add what is new; count a mention of what is known for each message (if `mention`)."""
        if code := find_refusal(self.tx, claim):
            return SaveResult(None, "refused", code)
        if m := find_known_memory(self.tx, claim):
            return self._recognise(m, claim, mention=mention)
        return slots.settle_slot(self, claim) or SaveResult(self._add(claim), "added")

    def replace_quote(self, quote: Memory, claims: Sequence[Claim]) -> None:
        """Put notes in the place of a quotation; change nothing where one is denied by now.

        A note that is there already takes its place as well. New ones are as well remembered as the
        quotation was.
        """
        known = [(claim, self._find_note(claim)) for claim in claims]
        if any(m is not None and m.negated_at is not None for _, m in known):
            return
        for claim, _ in known:
            if (m := self._find_note(claim)) is None:  # looked for again: two may say the same
                self._add(claim, quote=quote)
            else:
                self._recognise(m, claim)
                self._name_older(self._fresh(m), quote)
        self.tx.memories.put(replace(self._fresh(quote), state=State.SUPERSEDED), "superseded")

    def match(self, m: Memory, claim: Claim) -> SaveResult:
        """Count a mention of what somebody says is the same, by words that may be learned."""
        if code := find_refusal(self.tx, claim):
            return SaveResult(None, "refused", code)
        return self._recognise(m, claim)

    def supersede(self, old: Memory, claim: Claim) -> SaveResult:
        """End the old one, which changed, when the new one begins; the new one names it."""
        claim = _keep_start(old, _begin_on_its_day(old, claim))
        if _says_just_that(old, claim.draft):
            return self._redate(old, claim)
        if (code := self._refuse_ending(old, claim)) is not None:
            return SaveResult(None, "refused", code)
        if choose_strategy(old, claim) == "weight_balance":
            return self.contradict(old, claim)
        new = self._take_place(old, claim)
        stands = self._fresh(old)  # what the new one says again may have ended it already
        if not self.proposing and stands.state is State.ACTIVE:
            at = claim.draft.valid_from or claim.said_at
            self._end(stands, at, claim.said_at)
            unsettle(self.tx, old, new, max(at, old.created_at), claim.said_at, claim)
        return SaveResult(self._fresh(new), "superseded")

    def fix(self, old: Memory, claim: Claim) -> SaveResult:
        """Put the right words in the place of what was never true, wherever it is told.

        The old one is deleted without a tombstone: it has no place in what held before, and an undo
        restores it. The right one holds since the old one was said to.
        """
        if _says_just_that(old, claim.draft):
            return self._redate(old, claim)
        if (code := self._refuse_ending(old, claim)) is not None:
            return SaveResult(None, "refused", code)
        if choose_strategy(old, claim) == "weight_balance":
            return self.contradict(old, claim)
        d = claim.draft
        if d.valid_from is None:
            said = d.precision or (old.precision if old.valid_from else None)
            d = replace(d, valid_from=old.valid_from or old.created_at, precision=said)
            claim = replace(claim, draft=d)
        new = self._take_place(old, claim)
        stands = self._fresh(old)
        if not self.proposing and stands.state is State.ACTIVE:
            self.delete(stands, claim.said_at)
            mend_told(self.tx, old.original_content, new.original_content, claim.said_at)
        return SaveResult(self._fresh(new), "superseded")

    def negate(self, old: Memory, claim: Claim, at: datetime) -> SaveResult:
        """Mark the old one as denied; the sentence that denies it is a memory of its own."""
        if old.negated_at is not None:
            return SaveResult(old, "known")
        if (code := self._refuse_ending(old, claim)) is not None:
            return SaveResult(None, "refused", code)
        if Kind.TODO in {old.kind, claim.draft.kind}:
            # That a plan is off, or a thing done, is true for a while, and fades.
            off = {"kind": Kind.CONTEXT, "importance": Importance.LOW, "expires_at": None}
            claim = replace(claim, draft=replace(claim.draft, **off))  # type: ignore[arg-type]
        if choose_strategy(old, claim) == "weight_balance":
            return self.contradict(old, claim)
        if new := find_known_memory(self.tx, claim, exclude=[old.id]):
            self._recognise(new, claim)
        else:
            new = self._add(claim, inherit=old, denies=old.id)
        stands = self._fresh(old)
        if not self.proposing and stands.state is State.ACTIVE:
            self._deny(stands, at, new)
            unsettle(self.tx, self._fresh(old), new, at, claim.said_at, claim)
        return SaveResult(self._fresh(new), "negated")

    def end_later(self, old: Memory, claim: Claim, until: datetime) -> SaveResult:
        """Keep what is said to come; the old one holds until that day."""
        if (code := self._refuse_ending(old, claim)) is not None:
            return SaveResult(None, "refused", code)
        saved, stands = self.save(claim), self._fresh(old)
        if saved.memory and not self.proposing and stands.state is State.ACTIVE:
            self._end(stands, until, claim.said_at)
            unsettle(self.tx, old, saved.memory, until, claim.said_at, claim)
        return saved

    def replace_by(self, new: Memory, old: Memory, at: datetime, now: datetime) -> Memory:
        """End the old one at `at`: another memory that is there turns out to be its newer version.

        Returns the newer one, which names it.
        """
        self._end(old, at, now)
        unsettle(self.tx, old, new, at, now)
        layer = old.layer if old.layer is Layer.CORE else new.layer
        new = replace(new, layer=layer, valid_from=new.valid_from or at)
        return self._name_older(new, old)

    def contradict(self, old: Memory, claim: Claim) -> SaveResult:
        """Let both stand, unsure; the old one loses what its last mentions had given it."""
        saved = self.save(claim)
        if saved.outcome == "added" and saved.memory and not self.proposing:
            self._log_event(old, "contradicted", claim.said_at, "updated", saved.memory)
        return saved

    def boost(self, m: Memory, at: datetime, *, recalled: bool) -> SaveResult:
        """Activate what shaped the reply it was `recalled` for, at most once a day (UTC)."""
        log = self.tx.memories.list_weight_log(m.id)
        days = {e.at.astimezone(UTC).date() for e in log if e.event == "boost"}
        if m.negated_at is not None or not recalled or at.astimezone(UTC).date() in days:
            return SaveResult(m, "known")
        return SaveResult(self._log_event(m, "boost", at, "reinforced"), "reinforced")

    def affirm(self, m: Memory, claim: Claim) -> SaveResult:
        """Take a denial back; what had been said in its place ends.

        In the session of the denial that is undone. Later a new version begins, so that the gap
        stays true.
        """
        at = claim.said_at
        settle(self.tx, m.negated_at or m.valid_until)
        # The same words may have denied it more than once.
        by = dict.fromkeys(str(c["by"]) for c in m.correction_history if c.get("by"))
        denials = [o for o in self.tx.memories.get_many(by) if o.created_at <= at]
        for other in denials:
            if other.state is State.ACTIVE:
                self._end(other, at, at)
                m = replace(m, supersedes=_join(m.supersedes, other.id))
        session = claim.session_id
        if session is not None and any(o.source_session != session for o in denials):
            return SaveResult(self._begin_again(m, claim), "affirmed")
        return SaveResult(self._log_event(m, "affirm", at, "reinforced"), "affirmed")

    def accept(self, m: Memory, at: datetime) -> Memory:
        """Make active what was proposed; it ends or denies what it was meant to."""
        denied = [str(c["denies"]) for c in m.correction_history if c.get("denies")]
        m = self._log_event(replace(m, state=State.ACTIVE, verified=True), "use", at, "updated")
        for old in self.tx.memories.get_many((*m.supersedes, *denied)):
            if old.state is not State.ACTIVE:
                continue
            if old.id in m.supersedes:
                self._end(old, m.valid_from or m.created_at, at)
            elif old.negated_at is None:
                self._deny(old, at, m)
        return m

    def delete(self, m: Memory, now: datetime) -> SaveResult:
        """Delete softly. A tombstone is left only by the person's own word, which this is not."""
        gone = replace(m, state=State.DELETED, deleted_at=now)
        return SaveResult(self.tx.memories.put(gone, "deleted"), "deleted")

    # --- how ---

    def _find_note(self, claim: Claim) -> Memory | None:
        """Return the memory that says the same already and is no quotation."""
        quotes: list[MemoryId] = []
        while (m := find_known_memory(self.tx, claim, exclude=quotes)) is not None and is_quote(m):
            quotes.append(m.id)
        return m

    def _redate(self, m: Memory, claim: Claim) -> SaveResult:
        """Give a memory said again the time in which, as it turns out, it holds."""
        d = claim.draft
        since, until = d.valid_from or m.valid_from, d.valid_until or m.valid_until
        moved = (since, until) != (m.valid_from, m.valid_until)
        if not moved or self.proposing or self._refuse_ending(m, claim) is not None:
            return self._recognise(m, claim)
        held = replace(m, valid_from=since, valid_until=until)
        held = replace(held, precision=d.precision if d.valid_from else m.precision)
        held = self.tx.memories.put(held, "updated")
        self._recognise(held, claim)
        return SaveResult(self._fresh(held), "reinforced")

    def _take_place(self, old: Memory, claim: Claim) -> Memory:
        """Return the memory that stands in the place of the old one, which it names."""
        if m := find_known_memory(self.tx, claim, exclude=[old.id]):
            new = self._name_older(m, old)
            self._recognise(new, claim)
            return new
        return self._add(claim, inherit=old, supersedes=(old.id,))

    def _begin_again(self, m: Memory, claim: Claim) -> Memory:
        """Make a new version of what had been denied, from the day it holds again."""
        start, importance = claim.draft.valid_from or claim.said_at, importance_of_memory(m)
        as_was: dict[str, Any] = {k: getattr(m, k) for k in (*_AS_DRAFTED, *_SORTED_AS)}
        as_was |= {"valid_from": start, "valid_until": None, "importance": importance}
        gone = self.tx.memories.put(replace(m, state=State.SUPERSEDED), "superseded")
        vectors = self.tx.vectors.get([m.id], claim.embedder_id) if claim.embedder_id else {}
        again = replace(claim, draft=Draft(m.original_content, **as_was), vector=vectors.get(m.id))
        return self._add(again, inherit=gone, supersedes=(*m.supersedes, m.id))

    def _refuse_ending(self, old: Memory, claim: Claim) -> str | None:
        """Refuse words older than the memory, and what may not be saved: neither ends anything."""
        return "older" if claim.said_at < old.created_at else find_refusal(self.tx, claim)

    def _add(
        self,
        claim: Claim,
        *,
        inherit: Memory | None = None,
        supersedes: tuple[MemoryId, ...] = (),
        denies: MemoryId | None = None,
        quote: Memory | None = None,
    ) -> Memory:
        """Add a memory; the tombstones of what was said anew go."""
        tx, at = self.tx, claim.said_at
        tx.tombstones.remove(*(stone.memory_id for stone in find_tombstones(tx, claim)))
        m = build_memory(claim, tx.user_id, State.PROPOSED if self.proposing else State.ACTIVE)
        if (older := inherit or quote) is not None:
            m = replace(m, sensitivity=max(m.sensitivity, older.sensitivity))
        if inherit is not None:
            # Where one version ends the next begins: also where nobody said since when it is so.
            m = replace(m, supersedes=supersedes, valid_from=m.valid_from or at)
            m = replace(m, slot=(m.slot or inherit.slot) if supersedes else "")
            if supersedes and not self.proposing:
                m = replace(m, layer=inherit.layer, pinned=inherit.pinned)
            if denies is not None:
                m = replace(m, correction_history=({"denies": denies},))
        if words := find_quiet_wish(tx, m.original_content):
            m = replace(m, quiet_at=at, quiet_words=words)
        if not set(list_quiet_messages(tx)).isdisjoint(claim.sources):
            m = replace(m, quiet_at=at)
        m = lifecycle.start_life(m, claim.draft.importance, self.curve, at)
        if quote is not None:
            lived = {k: getattr(quote, k) for k in _LIVED}
            m = replace(m, layer=quote.layer, supersedes=(quote.id,), **lived)
        m = tx.memories.add(m)
        spans = {message_id: (start, end) for message_id, start, end in claim.spans}
        for message_id in claim.sources:
            tx.memories.add_source(m.id, message_id, spans.get(message_id))
        tx.memories.log(lifecycle.build_log_entry("created", None, m, self.u, at, str(m.source)))
        # The store sees to those that bring no vector.
        if m.sensitivity < Sensitivity.SECRET and claim.embedder_id and claim.vector is not None:
            tx.vectors.put_many({m.id: claim.vector}, claim.embedder_id)
        if m.dead:
            unsettle_habits(tx, m, at, claim)
        said = (x.text[a:b] for i, a, b in claim.spans for x in messages_of(tx, [i]))
        return m if m.layer is Layer.EPISODE else learn_name(tx, m, inherit or quote, said)

    def _recognise(self, m: Memory, claim: Claim, *, mention: bool = True) -> SaveResult:
        """Confirm by the person's own word what is there; a new message counts as a mention."""
        if claim.draft.verified and (not m.verified or m.state is State.PROPOSED):
            m = self.tx.memories.put(replace(m, verified=True, state=State.ACTIVE), "updated")
        if m.source_ids and claim.draft.source is not Source.SYSTEM:  # a theme, in own words now
            m = self.tx.memories.put(replace(m, source_ids=(), source=Source.USER), "updated")
        if not mention or (m.negated_at is not None and claim.said_at < m.negated_at):
            return SaveResult(m, "known")
        counted = self._count_mentions(m, claim)
        if m.negated_at is not None and (counted or not claim.sources):
            return self.affirm(m, claim)
        if not counted or m.negated_at is not None:
            return SaveResult(m, "known")  # the very words that denied it do not affirm it
        for at in counted:
            m = self._log_event(m, "mention", at, "reinforced")
        return SaveResult(m, "reinforced")

    def _count_mentions(self, m: Memory, claim: Claim) -> list[datetime]:
        """Count those of the claim's messages that do not count yet; returns when each was said.

        What taught its older version, its denial, or what was merged into it is no mention.
        """
        tx = self.tx
        sides = (str(c[k]) for c in m.correction_history for k in _SIDES if c.get(k))
        others = {*m.supersedes, *m.merged_from, *sides}
        told = {i for other in others for i in tx.memories.list_sources(other)}
        told |= {i for other in m.merged_from for i in tx.memories.list_mentions(other)}
        out: list[datetime] = []
        for i in claim.sources:
            said = tx.conversations.get_message(i)
            at = min(said.at, claim.said_at) if said is not None else claim.said_at
            if i not in told and tx.memories.add_mention(m.id, i, at):
                out.append(at)
        return sorted(out)

    def _name_older(self, m: Memory, older: Memory) -> Memory:
        named = replace(m, supersedes=_join(m.supersedes, older.id))
        return self.tx.memories.put(named, "updated")

    def _end(self, old: Memory, at: datetime, now: datetime) -> None:
        """End a memory; what is replaced on a day to come holds until then, if it holds now."""
        until = min(at, old.valid_until or at) if old.has_begun(now) else now
        if until > now:
            self.tx.memories.put(replace(old, valid_until=until), "updated")
        else:
            ended = replace(old, state=State.SUPERSEDED, valid_until=until)
            self.tx.memories.put(ended, "superseded")

    def _deny(self, old: Memory, at: datetime, new: Memory) -> None:
        entry = {"at": round(at.timestamp() * 1000), "reason": "negated", "by": new.id}
        history = (*old.correction_history, entry)
        self._log_event(old, "negate", at, "negated", new, correction_history=history)

    def _log_event(
        self,
        m: Memory,
        event: lifecycle.CurveEvent,
        at: datetime,
        op: Op,
        by: Memory | None = None,
        **changes: Any,
    ) -> Memory:
        """Write what an event makes of a memory, and the event in the weight log."""
        after, log = lifecycle.apply_event(m, event, self.u, at, f"by {by.id}" if by else "")
        if event in {"mention", "affirm", "use"}:  # said again since: it goes on
            after = replace(after, unsettled_at=None)
        after = self.tx.memories.put(replace(after, **changes), op)
        self.tx.memories.log(log)
        return after

    def _fresh(self, m: Memory) -> Memory:
        return self.tx.memories.get(m.id) or m


def change_memory(merger: Merger, op: str, old: Memory, claim: Claim) -> SaveResult:
    """Do what an operation with a text does to the memory that it names."""
    if op in REPEATS:
        return merger.match(old, claim)
    if op == "negate":
        until = claim.draft.valid_until or claim.said_at
        claim = replace(claim, draft=replace(claim.draft, valid_until=None))
        if until - claim.said_at < timedelta(days=1):  # today, whose end is still to come
            return merger.negate(old, claim, min(until, claim.said_at))
        return merger.end_later(old, claim, until)
    if op != "done" and (apart := _keep_apart(merger, old, claim)) is not None:
        return apart
    return merger.fix(old, claim) if op == "fix" else merger.supersede(old, claim)


def _keep_apart(merger: Merger, old: Memory, claim: Claim) -> SaveResult | None:
    """Save beside what is to come a day that is over; refuse one that is only wished for."""
    said = [(x.text, a, b) for i, a, b in claim.spans for x in messages_of(merger.tx, [i])]
    words = ", ".join(t[x:y] for t, a, b in said for x, y in split_clauses(t) if x < b and a < y)
    if not words or not dates.is_no_move(old, claim.draft, words, claim.said_at):
        return None
    over = claim.draft.on and claim.draft.on < claim.said_at
    return merger.save(claim) if over else SaveResult(None, "refused", "no_fact")


def _says_just_that(m: Memory, draft: Draft) -> bool:
    """Tell whether a draft has a memory's very words, and no other day than it has."""
    days = (m.on, draft.on), (m.expires_at, draft.expires_at), (m.repeats, draft.repeats)
    moved = any(new is not None and new != old for old, new in days)
    return not moved and normalise_text(m.original_content) == normalise_text(draft.content)


def _join(ids: tuple[MemoryId, ...], more: MemoryId) -> tuple[MemoryId, ...]:
    return ids if more in ids else (*ids, more)
