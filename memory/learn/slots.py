"""Slots: what a person has one value of at a time, so that a new value takes the old one's place.

A model names the slot that a memory fills, and code checks it. Without a model the nearest of
three sentences a slot and language names it (`[slots]` of the language files), compared by the
embedder in use. Sentences about others, of plans or with several things in them fill none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from memory.errors import ModelError
from memory.learn.same_meaning import is_semantic, list_content_words
from memory.models import (
    Draft,
    Filter,
    Kind,
    Lang,
    Layer,
    Memory,
    Proposal,
    Source,
    detect_language,
    is_quote,
)
from memory.ports import Embedder, FloatArray, Transaction
from memory.text.languages import either, values
from memory.text.notes import is_health
from memory.text.numbers import find_numbers
from memory.text.questions import COMMON
from memory.text.speech import FORMS, find_kin
from memory.text.words import is_unspaced

if TYPE_CHECKING:
    from memory.learn.merge import Claim, Merger, SaveResult

SLOTS: Final = (  # noqa: SIM905 - names read as names
    "home job employer partner marital_status phone email address birthday age name school"
    " native_language nationality diet pronouns car doctor weight zone"
).split()
# How much nearer the nearest sentence of a slot is than that of none, in cosines around the mean
# of all (tests/eval/sets/slots.jsonl, half A).
BAR: Final = 0.05
# What a model names is taken from here on, and this far behind the nearest slot: of half A, 81 of
# 85 right ones and 4% of wrong ones.
FAR: Final = -0.3
BEHIND: Final = 0.1
MOST_OPEN: Final = 3  # questions that wait, as of `proposals`
LOOKED_AT: Final = 2_000
_LONGEST: Final = 96  # letters of a sentence that says one thing; a Chinese character counts three
_SEVERAL: Final = re.compile(r"[.!?](?=\s+\S)|[。！？](?=\S)")
_MAIL: Final = re.compile(r"@|\bdot\b", re.I)
_NUMBERED: Final = frozenset({"address", "age", "weight", "birthday"})
_NO_VALUE: Final = frozenset(
    {Kind.TODO, Kind.GOAL, Kind.HEALTH, Kind.LESSON, Kind.WORKFLOW, Kind.DECISION, Kind.EPISODE}
)
_ADDRESSED: Final = frozenset({"name", "pronouns"})  # which are instructions as well
_GUESSED: Final = frozenset({Source.MONITOR, Source.EXTRACTOR})


@dataclass(frozen=True, slots=True, eq=False)
class SlotReader:
    """The sentences of one language as one embedder's vectors, (sentences, dim), and their mean."""

    rows: Mapping[Lang, FloatArray]
    means: Mapping[Lang, FloatArray]

    def score_slots(self, text: str, vector: FloatArray) -> dict[str, float]:
        """Return by how much each slot's nearest sentence is nearer than the nearest of none."""
        lang = detect_language(text)
        if lang not in self.rows:
            return {}
        centred = vector - self.means[lang]
        cosines = self.rows[lang] @ (centred / max(float(np.linalg.norm(centred)), 1e-9))
        best: dict[str, float] = {}
        for (slot, _), cosine in zip(list_sentences(lang), cosines, strict=True):
            best[slot] = max(best.get(slot, -1.0), float(cosine))
        none = best.pop("")
        return {slot: cosine - none for slot, cosine in best.items() if can_fill(text, slot)}

    def rank_slots(self, text: str, vector: FloatArray) -> list[tuple[str, float]]:
        """Return the two slots that a text may fill, the likelier first."""
        found = self.score_slots(text, vector).items()
        return sorted((f for f in found if f[1] >= 0), key=lambda f: -f[1])[:2]


@cache
def list_sentences(lang: Lang) -> list[tuple[str, str]]:
    """List the sentences of a language, each with its slot; "" for those that fill none."""
    named = [(slot, values("slots", slot)[lang]) for slot in SLOTS]
    named.append(("", values("slots", "NONE")[lang]))
    return [(slot, text) for slot, some in named for text in some.split("|")]


def locate_vectors(embedder_id: str) -> Path:
    """Return the file with the vectors that are shipped for an embedder."""
    name = embedder_id.replace(":", "-").replace("/", "-")
    return Path(__file__).parent / "slot_vectors" / f"{name}.npz"


def digest_sentences(lang: Lang) -> str:
    """Return a mark of a language's sentences, by which vectors of others are known."""
    return sha256(repr(list_sentences(lang)).encode()).hexdigest()[:16]


@cache
def _load_shipped(embedder_id: str) -> dict[Lang, FloatArray]:
    if not (path := locate_vectors(embedder_id)).is_file():
        return {}
    with np.load(path, allow_pickle=False) as found:
        langs = [k for k in values("slots", "NONE") if f"{digest_sentences(k)}" in found]
        return {lang: found[digest_sentences(lang)].astype(np.float32) for lang in langs}


_READERS: Final[dict[tuple[str, Lang], tuple[FloatArray, FloatArray]]] = {}


async def load_reader(embedder: Embedder, texts: Sequence[str]) -> SlotReader | None:
    """Return the reader for the languages of these texts; None for an embedder of words alone.

    Where no vectors are shipped, the sentences are embedded once a process.
    """
    if not is_semantic(embedder.id):
        return None
    for lang in {detect_language(t) for t in texts} & values("slots", "NONE").keys():
        if (embedder.id, lang) not in _READERS:
            rows = _load_shipped(embedder.id).get(lang)
            try:
                if rows is None:
                    rows = await embedder.embed([t for _, t in list_sentences(lang)], "content")
            except ModelError:  # the next text tries again
                continue
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            mean = rows.mean(0)
            centred = rows - mean
            centred /= np.linalg.norm(centred, axis=1, keepdims=True)
            _READERS[embedder.id, lang] = centred, mean
    known = {lang: found for (name, lang), found in _READERS.items() if name == embedder.id}
    return SlotReader({k: v[0] for k, v in known.items()}, {k: v[1] for k, v in known.items()})


def can_fill(text: str, slot: str) -> bool:
    """Tell whether a text has the form of a slot's value, said of the person and not planned."""
    size = sum(3 if is_unspaced(c) else 1 for c in text)
    if size > _LONGEST or _SEVERAL.search(text) or FORMS.PLAN.search(text) or is_health(text):
        return False
    head = text[:4] if is_unspaced(text[:1]) else " ".join(text.split()[:2])
    partner = slot in {"partner", "marital_status"} and either("slots", "PARTNER").search(head)
    if (find_kin(head) and not partner) or FORMS.OTHERS.search(text):
        return False
    if slot == "phone":
        return sum(c.isdigit() for c in text) >= 6
    if slot == "email":
        return _MAIL.search(text) is not None
    return slot not in _NUMBERED or bool(find_numbers(text.replace("-", " ")))


def fill_slot(
    draft: Draft, named: str, vector: FloatArray | None, reader: SlotReader | None
) -> Draft:
    """Return the draft with the slot it fills: "" for none, None where that is not known yet.

    `named` is what a model says; where none was asked, or only quotes, the reader says it.
    """
    text, guessed = draft.content, draft.source in _GUESSED and "quote" not in draft.modalities
    if not _holds_value(draft.kind, named) or draft.valid_until or draft.expires_at:
        return replace(draft, slot="")
    if guessed:
        scores = reader.score_slots(text, vector) if reader and vector is not None else None
        nearest = max((scores or {}).values(), default=0.0)
        near = scores is None or scores.get(named, -1.0) >= max(nearest - BEHIND, FAR)
        sure = named in SLOTS and near and can_fill(text, named)
        return replace(draft, slot=named if sure else "")
    if reader is None or vector is None:
        return draft
    return replace(draft, slot=_read_slot(reader, draft.kind, text, vector))


def _holds_value(kind: Kind, slot: str = "") -> bool:
    return kind not in _NO_VALUE and (kind is not Kind.INSTRUCTION or slot in {"", *_ADDRESSED})


def _read_slot(reader: SlotReader, kind: Kind, text: str, vector: FloatArray) -> str:
    slot, above = next(iter(reader.rank_slots(text, vector)), ("", 0.0))
    return slot if above >= BAR and _holds_value(kind, slot or "none") else ""


# --- a new value ---


def settle_slot(merger: Merger, claim: Claim) -> SaveResult | None:
    """Put a claim in the place of the memory whose slot it fills; None where there is none.

    What was told before that memory is saved as over. A guess asks before it ends what the person
    has confirmed.
    """
    if claim.settled or (old := _find_outdated(merger.tx, claim)) is None:
        return None
    claim = replace(claim, settled=True)
    if _date(claim.draft.source, claim.draft.valid_from, claim.said_at) < _date(
        old.source, old.valid_from, old.created_at
    ):
        over = old.valid_from or old.created_at
        return merger.save(replace(claim, draft=replace(claim.draft, valid_until=over, slot="")))
    guarded = old.verified or old.pinned or old.layer is Layer.CORE
    if not guarded or claim.draft.source not in _GUESSED:
        return merger.supersede(old, claim)
    saved, waiting = merger.save(claim), merger.tx.proposals.open()
    if saved.memory is not None and len(waiting) < MOST_OPEN:
        new, was = saved.memory, old.original_content
        data = {"op": "change", "id": old.id, "by": new.id, "old": was}
        merger.tx.proposals.add(Proposal(new.original_content, data, None, claim.said_at))
    return saved


def _date(source: Source, since: datetime | None, told: datetime) -> datetime:
    """Return since when a value is told: what was imported, since its own date."""
    return since if source is Source.IMPORT and since else told


def _find_outdated(tx: Transaction, claim: Claim) -> Memory | None:
    """Return the memory that holds the slot which a claim fills, the likeliest where several do."""
    d, reader, vector = claim.draft, claim.reader, claim.vector
    new = [(d.slot, 1.0)] if d.slot else []
    own = d.source not in _GUESSED or "quote" in d.modalities
    holds = _holds_value(d.kind) and not (d.valid_until or d.expires_at)
    if own and holds and reader is not None and vector is not None:
        new = reader.rank_slots(d.content, vector) or new
    if not new:
        return None
    f = Filter(negated=False, valid_at=claim.said_at)
    held = tx.memories.find(f, order="created", limit=LOOKED_AT).items
    held = [m for m in held if m.slot != "" and _holds_value(m.kind) and not m.source_ids]
    vectors: Mapping[str, FloatArray] = {}
    if reader is not None and claim.embedder_id:
        vectors = tx.vectors.get([m.id for m in held if own or m.slot is None], claim.embedder_id)
    changed = own and (FORMS.CHANGED.search(d.content) or FORMS.ENDED.search(d.content))
    best: tuple[float, Memory] | None = None
    for m in held:
        old = [(m.slot, 1.0)] if m.slot else []
        if not old and reader is not None and m.id in vectors:
            old = reader.rank_slots(m.original_content, vectors[m.id])
        score = _match_slots(new, old, bool(changed) or (own and _shares_words(d.content, m)))
        if score is not None and (best is None or score > best[0]):
            best = score, m
    return best[1] if best else None


def _match_slots(
    new: Sequence[tuple[str, float]], old: Sequence[tuple[str, float]], changed: bool
) -> float | None:
    """Say how surely both fill one slot; None if they do not.

    Where the new words speak of a change, or name the old ones, the second guess of either will do.
    """
    if not new or not old:
        return None
    (slot, above), (held, surely) = new[0], old[0]
    if slot == held and min(above, surely) >= BAR:
        return 2.0 + above + surely
    pairs = [a + b for s, a in new for h, b in old if s == h and (s == slot or h == held)]
    return max(pairs) if changed and pairs else None


def _shares_words(text: str, m: Memory) -> bool:
    shared = list_content_words(text) & list_content_words(m.original_content)
    return bool(shared - COMMON) and not is_quote(m)
