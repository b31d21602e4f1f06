"""A claim somebody makes about the user, the memory it would become, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from memory import privacy
from memory.models import CurveState, Draft, Importance, Kind, Layer, Memory, MemoryId, Source, State
from memory.ports import FloatArray
from memory.text import standing

Code: TypeAlias = Literal["empty", "too_long", "secret", "instruction", "tombstone"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that was said and may become a memory.

    `said_at` is when the words were said, not when they are worked on. `vector` is that of the draft's content
    by the embedder `embedder_id`, `near` what the caller found closest to it before the transaction began.
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
class Saved:
    """What became of a draft. `memory` is the one that now says it; None if refused, and `code` says why.

    added: it is new; superseded, negated: it is new and ended an older one; reinforced: it was there and counts
    a mention more; affirmed: it had been denied and holds again; known: it was there, nothing changed.
    """

    memory: Memory | None
    outcome: Outcome
    code: str = ""

    @property
    def changed(self) -> bool:
        """Whether anything was written that a person would want to know of."""
        return self.outcome not in {"known", "refused"}

    @property
    def ended(self) -> bool:
        """Whether a memory is over by it."""
        return self.outcome in {"superseded", "negated", "deleted"}


def built(claim: Claim, user_id: str, state: State) -> Memory:
    """The memory of a claim, before `born` gives it its curve."""
    d, at = claim.draft, claim.said_at
    text = d.content.strip()
    return Memory(
        id="",
        user_id=user_id,
        content=text,
        original_content=text,
        language=d.language,
        layer=d.layer,
        kind=sorted_kind(d.kind, text, d.source),
        created_at=at,
        last_activated_at=at,
        curve="",
        curve_state=CurveState(0.0, at),
        importance=0.0,
        importance_at=at,
        topics=d.topics,
        entities=d.entities,
        modalities=d.modalities,
        confidence=d.confidence,
        valid_from=d.valid_from,
        valid_until=d.valid_until,
        expires_at=d.expires_at,
        on=d.on,
        on_until=d.on_until,
        repeats=d.repeats,
        precision=d.precision,
        source=d.source,
        verified=d.verified,
        source_session=claim.session_id,
        source_message=claim.sources[0] if claim.sources else None,
        state=state,
        sensitivity=max(d.sensitivity, privacy.sensitivity_of(text)),
        close=d.close or standing.is_close(text),
    )


def sorted_kind(kind: Kind, text: str, source: Source) -> Kind:
    """Return the kind of a memory; health and manner by their words where a common kind was said."""
    guessed = source in {Source.MONITOR, Source.EXTRACTOR}
    if kind is Kind.INSTRUCTION and guessed and privacy.instruction_sort(text) != "manner":
        kind = Kind.PREFERENCE  # it may be found, but stands in no prompt
    if kind not in standing.UNSORTED:
        return kind
    if standing.is_health(text):
        return Kind.HEALTH
    # How Ebb should answer is learned from the person's own words alone.
    own = source is not Source.IMPORT
    return Kind.INSTRUCTION if own and privacy.instruction_sort(text) == "manner" else kind


def importance_like(m: Memory) -> Importance:
    """The importance a memory would be given anew, by its counter (S0)."""
    if m.layer is Layer.CORE or m.importance >= 1.9:
        return Importance.HIGH
    return Importance.MEDIUM if m.importance >= 1.2 else Importance.LOW


Strategy: TypeAlias = Literal["latest_wins", "version_keep", "weight_balance"]
UNSURE: Final = 0.5  # confidence below which a statement ends nothing
_TASTES: Final = frozenset({Kind.PREFERENCE, Kind.WHIM})


def strategy(old: Memory, claim: Claim, *, inferred: bool = False) -> Strategy:
    """S2's conflict strategies, for a claim that says otherwise than `old`.

    latest_wins, for facts: the old one is over, and the new one names it. version_keep, for tastes: the old one
    stays as a version of its own, denied and much weaker, beside the new one. weight_balance, where it is unsure
    which one holds: both stand, and the old one loses what its last mentions had given it. Unsure is what the model
    says with little confidence, and what is only `inferred` against something that the user has confirmed.
    """
    confirmed = old.pinned or old.verified or old.layer is Layer.CORE
    if claim.draft.confidence < UNSURE or (inferred and confirmed):
        return "weight_balance"
    return "version_keep" if old.kind in _TASTES else "latest_wins"
