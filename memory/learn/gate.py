"""The gate before every memory: what is refused, and what is known already (DESIGN §4, §6, §11).

Whoever asks, the same rules hold: no secrets, no orders to the assistant, nothing that was forgotten on request
unless the person said it anew, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from memory import privacy
from memory.learn.alike import BURIED_VECTOR, buried_from, normalised, rescale, same, semantic
from memory.learn.claims import Claim, Code
from memory.learn.contains import Thing, units
from memory.models import Filter, Kind, Layer, Memory, MemoryId, Sensitivity, Source, State, Tombstone
from memory.ports import Tx
from memory.text.notes import with_subjects

LONGEST = 1_000  # characters of one memory; what is longer is no single thing
SAID_ANEW = 0.6  # share of a thing's words that a message must have to say it again
_LOOKED_AT = 24
_GUESSED = frozenset({Source.MONITOR, Source.EXTRACTOR})


def refusal(tx: Tx, claim: Claim) -> Code | None:
    """Why this must not be saved, or None."""
    text = claim.draft.content.strip()
    if not normalised(text):
        return "empty"
    if len(text) > LONGEST:
        return "too_long"
    by_user = claim.draft.source is Source.USER
    if privacy.redact(text)[1] or (claim.draft.sensitivity is Sensitivity.SECRET and not by_user):
        return "secret"
    if privacy.instruction_like(text) or (claim.draft.kind is Kind.INSTRUCTION and _orders(tx, claim)):
        return "instruction"
    return "tombstone" if any(not _said_since(tx, claim, t) for t in tombstones(tx, claim)) else None


def _orders(tx: Tx, claim: Claim) -> bool:
    """Whether it is a refused order once what a note leaves out is added: Ebb as its subject, the words behind it."""
    text = claim.draft.content.strip()
    said = [m.text for i in claim.sources if (m := tx.conversations.message(i)) is not None]
    return any(map(privacy.instruction_like, (f"you {text[:1].lower()}{text[1:]}", f"你{text}", *said)))


def _said_since(tx: Tx, claim: Claim, stone: Tombstone) -> bool:
    """Whether the person has said it anew: in words of theirs that say it, not in a model's that name any message."""
    if claim.draft.source not in _GUESSED:
        return claim.said_at > stone.at
    thing = Thing((units(claim.draft.content),))
    said = [m for i in claim.sources if (m := tx.conversations.message(i)) is not None and m.at > stone.at]
    return any(thing.said_by(m.text, SAID_ANEW) for m in said)


def tombstones(tx: Tx, claim: Claim) -> list[Tombstone]:
    """What was forgotten on request and is what the claim says. Words said after it are allowed to return."""
    text = claim.draft.content
    digest, matching = tx.tombstones.digest, tx.tombstones.matching
    found = matching(digest(text), claim.embedder_id, claim.vector, buried_from(claim.embedder_id))
    forms = [t for form in with_subjects(text) for t in matching(digest(form), None, None, BURIED_VECTOR)]
    return list(dict.fromkeys((*found, *forms)))


def known(tx: Tx, claim: Claim, exclude: Iterable[MemoryId] = ()) -> Memory | None:
    """The memory that says the same already, whether it holds, is proposed or was denied; the closest of them."""
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED}))
    found = tx.memories.find(f, text=claim.draft.content, limit=_LOOKED_AT).items
    ids = dict.fromkeys((*claim.near, *(m.id for m in found)))
    candidates = [m for m in tx.memories.many(i for i in ids if i not in set(exclude)) if _comparable(m, claim)]
    close = _cosines(tx, candidates, claim)
    alike = [m for m in candidates if _same(m, claim, close.get(m.id))]
    return max(alike, key=lambda m: (_exact(m, claim), m.negated_at is None, close.get(m.id, 0.0)), default=None)


def _comparable(m: Memory, claim: Claim) -> bool:
    ended = m.valid_until is not None and m.valid_until <= claim.said_at and m.negated_at is None
    return (
        m.state in {State.ACTIVE, State.PROPOSED}
        and m.layer is not Layer.EPISODE
        and m.sensitivity < Sensitivity.SECRET
        and not ended
    )


def _exact(m: Memory, claim: Claim) -> bool:
    return normalised(m.original_content) == normalised(claim.draft.content)


def _same(m: Memory, claim: Claim, cosine: float | None) -> bool:
    e = claim.embedder_id
    meant = rescale(cosine, e) if e is not None and cosine is not None and semantic(e) else None
    return same(m.original_content, claim.draft.content, kinds=(m.kind, claim.draft.kind), cosine=meant)


def _cosines(tx: Tx, memories: Iterable[Memory], claim: Claim) -> dict[MemoryId, float]:
    if claim.vector is None or claim.embedder_id is None:
        return {}
    vectors = tx.vectors.get([m.id for m in memories], claim.embedder_id)
    return {i: float(np.dot(v, claim.vector)) for i, v in vectors.items()}
