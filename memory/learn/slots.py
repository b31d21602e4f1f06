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
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from memory.errors import ModelError
from memory.learn.same_meaning import find_names, is_semantic, mentions_name
from memory.learn.waiting_questions import ask_change
from memory.models import (
    GUESSED,
    Draft,
    Filter,
    Kind,
    Lang,
    Memory,
    Source,
    State,
    detect_language,
    is_quote,
)
from memory.ports import Embedder, FloatArray, Transaction
from memory.recall.question import find_people_names
from memory.text.forms import has_same_frame
from memory.text.languages import either, value, values
from memory.text.notes import is_health
from memory.text.numbers import find_numbers
from memory.text.speech import FORMS, find_kin
from memory.text.words import fold_variants, is_unspaced

if TYPE_CHECKING:
    from memory.learn.merge import Claim, Merger, SaveResult

SLOTS: Final = (  # noqa: SIM905 - names read as names
    "home job employer partner marital_status phone email address birthday age name school"
    " native_language nationality diet pronouns car doctor weight zone"
).split()
SIDES: Final = ("home", "job", "none", "lives", "works", "parted", "together")  # of `[cascade]`
# How much nearer the nearest sentence of a slot is than that of none, in cosines around the mean
# of all (tests/eval/sets/slots.jsonl).
BAR: Final = 0.02
# A quotation of the notebook fills these alone: of 47,605 pairs of different statements 152 were
# taken for two values of another one, of diet and school above all. Beside words of change less
# nearness is enough, where it is clear which slot is meant.
QUOTED: Final = frozenset(
    "home job employer partner phone email address car name nationality".split()  # noqa: SIM905
)
CHANGE: Final = -0.16
CLEAR: Final = 0.1
# What a model names ends the memory that holds it, unasked, from here on for both texts, and this
# far behind the nearest slot: 76 of 100 right ones and 5% of wrong ones.
FAR: Final = -0.15
BEHIND: Final = 0.1
# So near it ends it where the model was told what it ends, and says it again: 90 and 26%.
TOLD_FAR, TOLD_BEHIND = -0.3, 0.25
# How two texts are compared (fitted by regression, each set of pairs by the others): the weight of
# the text that is less near to the slot, and of another slot being nearer; what nearness to each
# other counts at most, and where the languages differ; what words of change, the old value's name
# and the same words around another value add; what is needed.
LESSER: Final = 3.0
APART: Final = 0.6
NEAREST: Final = 0.4
NUMBERS: Final = 0.1  # the same for what has digits, which all look alike
UNKNOWN: Final = 0.12
CHANGED: Final = 0.36
NAMED: Final = 0.5
FRAMED: Final = 0.45
NEEDED: Final = 0.16
LOOKED_AT: Final = 2_000
_LONGEST: Final = 96  # letters of a sentence that says one thing; a Chinese character counts three
_SEVERAL: Final = re.compile(r"(?:[!?]|(?<!\b[A-Z])(?<!\b[A-Z][a-z])\.)(?=\s+\S)|[。！？](?=\S)")
_MAIL: Final = re.compile(r"@|\bdot\b", re.I)
_NUMBERED: Final = frozenset({"address", "age", "weight", "birthday"})
_NO_VALUE: Final = frozenset(
    {Kind.TODO, Kind.GOAL, Kind.HEALTH, Kind.LESSON, Kind.WORKFLOW, Kind.DECISION, Kind.EPISODE}
)
_ADDRESSED: Final = frozenset({"name", "pronouns"})  # which are instructions as well
# What a model calls health, or what comes again, may all the same fill these.
_NAMED_AS: Final = {Kind.HEALTH: frozenset({"doctor"}), Kind.WORKFLOW: frozenset({"job"})}
_NAMED: Final = frozenset({"name", "partner", "marital_status", "doctor"})  # begin with a name
_DIGITS, _LAST_DIGITS = 6, 4  # of a phone number, and of what a model says is one


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """The sentences of one language by one embedder, where what a slot's own differ in counts less.

    `rows` are their places (sentences, dim) around their `mean`; along `axes`, a part goes. `sides`
    are the places of the sentences of `SIDES`, around `centre`; `questions` those for the slots and
    for other things, around `asked`.
    """

    mean: FloatArray
    axes: FloatArray
    parts: FloatArray
    rows: FloatArray
    sides: Mapping[str, FloatArray]
    centre: FloatArray
    questions: FloatArray
    asked: FloatArray

    def place(self, vectors: FloatArray) -> FloatArray:
        """Return the places of vectors (texts, dim), of length one."""
        found = vectors - self.mean
        return _scale(found - (found @ self.axes.T * self.parts) @ self.axes)

    def score(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the cosines of each slot's nearest sentence (texts, slots), and of none's."""
        cosines = places @ self.rows.T
        named = 3 * len(SLOTS)
        return cosines[:, :named].reshape(len(places), -1, 3).max(2), cosines[:, named:].max(1)


@dataclass(frozen=True, slots=True, eq=False)
class SlotReader:
    """Reads the slots of texts by the vectors of one embedder."""

    spaces: Mapping[Lang, _Space]

    @property
    def means(self) -> dict[Lang, FloatArray]:
        """Return the mean of each language's sentences."""
        return {lang: space.mean for lang, space in self.spaces.items()}

    def score_slots(self, text: str, vector: FloatArray) -> dict[str, float]:
        """Return by how much each slot's nearest sentence is nearer than the nearest of none."""
        cosines, none = self.compare_slots(detect_language(text), vector)
        return {slot: c - none for slot, c in cosines.items() if can_fill(text, slot)}

    def compare_slots(self, lang: Lang, vector: FloatArray) -> tuple[dict[str, float], float]:
        """Return the cosine with each slot's nearest sentence, and with the nearest of none."""
        if (space := self.spaces.get(lang)) is None:
            return {}, 1.0
        found, none = space.score(space.place(vector[None]))
        return dict(zip(SLOTS, found[0].tolist(), strict=True)), float(none[0])

    def compare_questions(self, lang: Lang, vector: FloatArray) -> tuple[dict[str, float], float]:
        """Return the cosine with each slot's nearest question, and with the nearest of none."""
        if (space := self.spaces.get(lang)) is None:
            return {}, 1.0
        cosines, named = space.questions @ _scale(vector - space.asked), 3 * len(SLOTS)
        best = cosines[:named].reshape(-1, 3).max(1)
        return dict(zip(SLOTS, best.tolist(), strict=True)), float(cosines[named:].max())

    def is_near(self, text: str, vector: FloatArray, slot: str, *, insisted: bool = False) -> bool:
        """Tell whether a text lies near to a slot's sentences, and hardly nearer to another's."""
        far, behind = (TOLD_FAR, TOLD_BEHIND) if insisted else (FAR, BEHIND)
        cosines, none = self.compare_slots(detect_language(text), vector)
        nearest = max((c for s, c in cosines.items() if can_fill(text, s)), default=none)
        return cosines.get(slot, -1.0) >= max(nearest - behind, none + far)

    def read_slot(self, text: str, vector: FloatArray, bar: float = BAR, lead: float = 0.0) -> str:
        """Return the slot that a text fills by itself, by its `lead` over others; "" for none."""
        found = [(c, slot) for slot, c in self.score_slots(text, vector).items()]
        best, second = sorted([(-1.0, ""), (-1.0, ""), *found], reverse=True)[:2]
        return best[1] if best[0] >= max(bar, second[0] + lead) else ""

    def compare(
        self, new: tuple[str, FloatArray], olds: Sequence[tuple[str, FloatArray]]
    ) -> FloatArray:
        """Say how surely old texts and a new one fill the same slot, (texts, slots).

        The text that is less near to the slot's sentences counts: a clear new value alone ends
        nothing. Texts of languages without sentences get -1.
        """
        result = np.full((len(olds), len(SLOTS)), -1.0, np.float32)
        lang = detect_language(new[0])
        if (space := self.spaces.get(lang)) is None:
            return result
        place = space.place(new[1][None])
        found, none = space.score(place)
        found[0, [not can_fill(new[0], slot) for slot in SLOTS]] = -1.0
        told, ahead = found - none, found - found.max()
        formed = [slot in _NUMBERED or slot in {"phone", "email"} for slot in SLOTS]
        limits = np.where(formed, NUMBERS, NEAREST)
        langs = [detect_language(text) for text, _ in olds]
        for code, its in self.spaces.items():
            if not (chosen := [i for i, k in enumerate(langs) if k == code]):
                continue
            places = its.place(np.stack([olds[i][1] for i in chosen]))
            held, nothing = its.score(places)
            near = places @ place[0] if code == lang else np.full(len(chosen), UNKNOWN)
            apart = APART * (ahead + held - held.max(1, keepdims=True))
            lesser = LESSER * np.minimum(told, held - nothing[:, None])
            result[chosen] = lesser + apart + np.minimum(near[:, None], limits)
        return result

    def compare_sides(self, text: str, vector: FloatArray) -> dict[str, float]:
        """Return how near a text is to the two nearest sentences of each of `SIDES`, by cosine."""
        if (space := self.spaces.get(detect_language(text))) is None:
            return {}
        place = _scale(vector - space.centre)
        return {k: float(np.sort(rows @ place)[-2:].mean()) for k, rows in space.sides.items()}

    def centre(self, text: str, vector: FloatArray) -> FloatArray:
        """Return a text's vector as seen from the mean of its language, of length 1."""
        space = self.spaces.get(detect_language(text))
        return _scale(vector - (space.mean if space else 0.0))


@cache
def list_sentences(lang: Lang) -> list[tuple[str, str]]:
    """List the sentences of a language, each with its slot; "" for none; then those of `SIDES`."""
    named = [(slot, values("slots", slot)[lang]) for slot in SLOTS]
    named.append(("", values("slots", "NONE")[lang]))
    named += [(side.upper(), value(lang, "cascade", side.upper())) for side in SIDES]
    return [(slot, text) for slot, some in named for text in some.split("|")]


@cache
def list_questions(lang: Lang) -> list[str]:
    """List the questions of a language: three of each slot, then those for other things."""
    found = (values("slot_questions", name)[lang] for name in (*SLOTS, "NONE"))
    return [text for some in found for text in some.split("|")]


def locate_vectors(embedder_id: str) -> Path:
    """Return the file with the vectors that are shipped for an embedder."""
    name = embedder_id.replace(":", "-").replace("/", "-")
    return Path(__file__).parent / "slot_vectors" / f"{name}.npz"


def digest_sentences(sentences: Sequence[str | tuple[str, str]]) -> str:
    """Return a mark of sentences, by which vectors of others are known."""
    return sha256(repr([*sentences]).encode()).hexdigest()[:16]


@cache
def _read_shipped(embedder_id: str) -> dict[str, FloatArray]:
    if not (path := locate_vectors(embedder_id)).is_file():
        return {}
    with np.load(path, allow_pickle=False) as found:
        return {key: found[key].astype(np.float32) for key in found}


_SPACES: Final[dict[tuple[str, Lang], _Space]] = {}


def _scale(vectors: NDArray[np.floating[Any]]) -> FloatArray:
    """Return vectors of length one."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: FloatArray = (vectors / np.maximum(norms, 1e-9)).astype(np.float32)
    return scaled


def _build_space(rows: FloatArray, questions: FloatArray, lang: Lang) -> _Space:
    rows, questions = _scale(rows), _scale(questions)
    asked = questions.mean(0)
    sorts = np.array([sort for sort, _ in list_sentences(lang)])
    more = np.isin(sorts, [side.upper() for side in SIDES])
    centre = rows[more].mean(0)
    beside = _scale(rows - centre)
    sides = {side: beside[sorts == side.upper()] for side in SIDES}
    rows = rows[~more]
    mean = rows.mean(0)
    own = rows[: 3 * len(SLOTS)].reshape(len(SLOTS), 3, -1)
    within = (own - own.mean(1, keepdims=True)).reshape(3 * len(SLOTS), -1)
    _, sizes, axes = np.linalg.svd(within, full_matrices=False)
    spread = sizes**2
    usual = spread.sum() / rows.shape[1]
    parts = 1 - np.sqrt(usual / (spread + usual))
    raw = _Space(mean, axes, parts, rows, sides, centre, _scale(questions - asked), asked)
    return replace(raw, rows=raw.place(rows))


async def _find_vectors(
    embedder: Embedder,
    sentences: Sequence[str | tuple[str, str]],
    kind: Literal["query", "content"],
    waits: bool,
) -> FloatArray | None:
    """Return the vectors of sentences, shipped or embedded; None where neither can be had now."""
    rows = _read_shipped(embedder.id).get(digest_sentences(sentences))
    if rows is not None or not waits:
        return rows
    texts = [s if isinstance(s, str) else s[1] for s in sentences]
    try:
        return await embedder.embed(texts, kind)
    except ModelError:  # the next text tries again
        return None


async def load_reader(
    embedder: Embedder, texts: Sequence[str], *, waits: bool = True
) -> SlotReader | None:
    """Return the reader for the languages of these texts; None for an embedder of words alone.

    Where no vectors are shipped, the sentences are embedded once a process, unless it `waits` not.
    """
    if not is_semantic(embedder.id):
        return None
    for lang in {detect_language(t) for t in texts} & values("slots", "NONE").keys():
        if (embedder.id, lang) not in _SPACES:
            rows = await _find_vectors(embedder, list_sentences(lang), "content", waits)
            questions = await _find_vectors(embedder, list_questions(lang), "query", waits)
            if rows is not None and questions is not None:
                _SPACES[embedder.id, lang] = _build_space(rows, questions, lang)
    return SlotReader({k: s for (name, k), s in _SPACES.items() if name == embedder.id})


def can_fill(text: str, slot: str, *, named: bool = False) -> bool:
    """Tell whether a text has the form of a slot's value, said of the person and not planned.

    Where a model has `named` the slot, less of the form is needed: it knows whom a text is about,
    and that four digits end a phone number.
    """
    size = sum(3 if is_unspaced(c) else 1 for c in text)
    if size > _LONGEST or _SEVERAL.search(text):
        return False
    if is_health(text) and not (named and slot == "doctor"):
        return False
    if slot not in _ADDRESSED and FORMS.PLAN.search(text):  # how to be called is a wish
        return False
    start = next((i for i, c in enumerate(text) if is_unspaced(c)), None)
    if start is None or text[:start].strip():  # 2025年11月 is no word of the language
        head = " ".join(text.split()[:2])
    else:
        head = text[: 2 if named else 4]  # 先住妈妈家 is said of the person
    head = fold_variants(head)
    partner = slot in {"partner", "marital_status"} and either("slots", "PARTNER").search(head)
    if len(find_kin(head)) > bool(partner) or FORMS.OTHERS.search(text):  # "ex-wife" is two
        return False
    if slot == "phone":
        return sum(c.isdigit() for c in text) >= (_LAST_DIGITS if named else _DIGITS)
    if slot == "email":
        return _MAIL.search(text) is not None
    return slot not in _NUMBERED or any(map(str.isdigit, text)) or bool(find_numbers(text))


def may_fill(text: str, kind: Kind, named: str) -> bool:
    """Tell whether a memory has the form and kind of what fills the slot that a model names."""
    return named in SLOTS and _holds_value(kind, named) and can_fill(text, named, named=True)


def fill_slot(
    draft: Draft, named: str, vector: FloatArray | None, reader: SlotReader | None
) -> Draft:
    """Return the draft with the slot it fills: "" for none, None where that is not known yet.

    `named` is what a model says, and is believed of a text of that form; where none was asked, or
    only quotes, the reader says it.
    """
    text, guessed = draft.content, draft.source in GUESSED and "quote" not in draft.modalities
    if not _holds_value(draft.kind, named) or draft.valid_until or draft.expires_at:
        return replace(draft, slot="")
    if guessed:
        return replace(draft, slot=named if may_fill(text, draft.kind, named) else "")
    if reader is None or vector is None:
        return draft
    slot = reader.read_slot(text, vector)
    if "quote" in draft.modalities:
        slot = slot or (
            reader.read_slot(text, vector, CHANGE, CLEAR) if FORMS.CHANGED.search(text) else ""
        )
        slot = slot if slot in QUOTED else ""
    return replace(draft, slot=slot if _holds_value(draft.kind, slot or "none") else "")


def _holds_value(kind: Kind, slot: str = "") -> bool:
    if kind in _NO_VALUE:
        return slot in _NAMED_AS.get(kind, ())
    return kind is not Kind.INSTRUCTION or slot in {"", *_ADDRESSED}


# --- a new value ---


def settle_slot(merger: Merger, claim: Claim) -> SaveResult | None:
    """Put a claim in the place of the memory whose slot it fills; None where there is none.

    What was told before that memory is saved as over. A guess asks before it ends what the person
    has confirmed, and ends nothing where its slot is unsure.
    """
    if claim.settled or (old := _find_outdated(merger.tx, claim)) is None:
        return None
    claim = replace(claim, settled=True)
    if _is_unsure(merger.tx, claim, old):
        return merger.save(replace(claim, draft=replace(claim.draft, slot="")))
    if _date(claim.draft.source, claim.draft.valid_from, claim.said_at) < _date(
        old.source, old.valid_from, old.created_at
    ):
        over = old.valid_from or old.created_at
        return merger.save(replace(claim, draft=replace(claim.draft, valid_until=over, slot="")))
    if not old.guarded or claim.draft.source not in GUESSED:
        return merger.supersede(old, claim)
    saved = merger.save(claim)
    if saved.memory is not None:
        ask_change(merger.tx, saved.memory, old, claim.said_at)
    return saved


def settle_request(merger: Merger, claim: Claim, slot: str, old: Memory | None) -> Memory | None:
    """Let what the person asked to be kept end the value before it, by the slot a model names.

    What only the model is sure of is asked: both values are the person's own word.

    Args:
        merger: of this write.
        claim: what the model says of a message.
        slot: that it names.
        old: the memory that it says has changed, if any.

    Returns:
        What was kept at the person's request from that message; None where it is not of the slot.
    """
    tx, reader, embedder = merger.tx, claim.reader, claim.embedder_id
    if not claim.sources or merger.proposing:
        return None
    held = _list_held(tx, claim.said_at)
    asked = [m for m in held if m.verified and m.source_message in claim.sources]
    told = old is not None and all(m.id != old.id for m in asked)  # and it was asked about that
    if not told:
        old = next((m for m in held if m.slot == slot and m not in asked), None)
    ids = [m.id for m in (*asked, old) if m]
    vectors = tx.vectors.get(ids, embedder) if reader and embedder else {}

    def is_of(m: Memory, *, insisted: bool) -> bool:
        text, vector = m.original_content, vectors.get(m.id)
        named = slot not in _NAMED and any(map(text.startswith, find_people_names(text)))
        if reader and (vector is None or not reader.is_near(text, vector, slot, insisted=insisted)):
            return False
        return not named and may_fill(text, m.kind, slot)

    kept = next((m for m in asked if is_of(m, insisted=told)), None)
    if kept is None or (told and old and not is_of(old, insisted=True)):
        return None
    text = kept.original_content
    changed = FORMS.CHANGED.search(text) or FORMS.ENDED.search(text)
    past = not told and FORMS.PAST_TOLD.search(text)
    near = reader is not None and not past and is_of(kept, insisted=False)
    if old and old.guarded and not (changed or near):
        ask_change(tx, kept, old, claim.said_at)
        return kept
    kept = tx.memories.put(replace(kept, slot=slot), "updated")
    if old is None or old.state is not State.ACTIVE:
        return kept
    return merger.replace_by(kept, old, claim.draft.valid_from or kept.created_at, claim.said_at)


def _date(source: Source, since: datetime | None, told: datetime) -> datetime:
    """Return since when a value is told: what was imported, since its own date."""
    return since if source is Source.IMPORT and since else told


def _find_outdated(tx: Transaction, claim: Claim) -> Memory | None:
    """Return the memory that holds the slot which a claim fills, the likeliest where several do."""
    d, reader, vector = claim.draft, claim.reader, claim.vector
    own = d.source not in GUESSED  # of a quotation of the notebook too little is sure
    holds = _holds_value(d.kind) and not (d.valid_until or d.expires_at)
    reads = own and holds and reader is not None and vector is not None
    if not (d.slot or reads) or ("quote" in d.modalities and d.on):
        return None
    if not reads:
        return find_holder(tx, d.slot or "", claim.said_at, reader, claim.embedder_id)
    # What somebody said is read together with the new words, whatever it filled alone.
    held = [m for m in _list_held(tx, claim.said_at) if m.slot != "" or m.source not in GUESSED]
    if reader is None or vector is None:
        return None
    ids, embedder = [m.id for m in held], claim.embedder_id
    vectors = tx.vectors.get(ids, embedder) if embedder else {}
    return _find_likeliest(reader, d, vector, [(m, vectors.get(m.id)) for m in held])


def find_holder(
    tx: Transaction, slot: str, at: datetime, reader: SlotReader | None, embedder: str | None
) -> Memory | None:
    """Return the memory that holds a slot; none that tells of health besides the doctor."""
    held = [m for m in _list_held(tx, at) if m.slot in {None, slot}]
    unread = [m.id for m in held if m.slot is None]
    vectors = tx.vectors.get(unread, embedder) if reader and embedder else {}
    for m in held:
        known = m.slot
        if known is None and reader is not None and m.id in vectors:
            known = reader.read_slot(m.original_content, vectors[m.id])
        if known == slot and not is_health(m.original_content):
            return m
    return None


def is_clear(
    tx: Transaction,
    slot: str,
    new: tuple[str, FloatArray],
    old: Memory,
    reader: SlotReader,
    embedder: str,
) -> bool:
    """Tell whether a new text and the memory that holds a slot both lie near to it."""
    held = tx.vectors.get([old.id], embedder).get(old.id)
    near = held is None or reader.is_near(old.original_content, held, slot)
    return near and reader.is_near(*new, slot)


def _is_unsure(tx: Transaction, claim: Claim, old: Memory) -> bool:
    d, reader, vector = claim.draft, claim.reader, claim.vector
    if d.source not in GUESSED or claim.insisted or not d.slot:
        return False
    if claim.embedder_id is None or not is_semantic(claim.embedder_id):
        return False  # words alone can never tell
    if reader is None or vector is None:
        return True
    return not is_clear(tx, d.slot, (d.content, vector), old, reader, claim.embedder_id)


def _list_held(tx: Transaction, at: datetime) -> list[Memory]:
    found = tx.memories.find(Filter(negated=False, valid_at=at), order="created", limit=LOOKED_AT)
    return [
        m
        for m in found.items
        if _holds_value(m.kind, m.slot or "") and not m.source_ids and not (is_quote(m) and m.on)
    ]


def _find_likeliest(
    reader: SlotReader,
    d: Draft,
    vector: FloatArray,
    held: Sequence[tuple[Memory, FloatArray | None]],
) -> Memory | None:
    read = [(m, v) for m, v in held if v is not None]
    found = reader.compare((d.content, vector), [(m.original_content, v) for m, v in read])
    changed = bool(FORMS.CHANGED.search(d.content) or FORMS.ENDED.search(d.content))
    best: tuple[float, Memory] | None = None
    for (m, _), scores in zip(read, found.tolist(), strict=True):
        hint, names = CHANGED * changed - NEEDED, find_names(m.original_content)
        named = any(mentions_name(name, d.content) for name in names)
        if has_same_frame(m.original_content, d.content):
            hint += FRAMED * (not named)  # else something else is said of the same value
        elif named and (changed or find_names(d.content) - names):
            hint += NAMED
        for score, slot in sorted(zip(scores, SLOTS, strict=True), reverse=True):
            if score + hint <= (best[0] if best else 0.0):
                break
            known = m.slot in {None, "", slot} or m.source not in GUESSED
            if known and can_fill(m.original_content, slot):
                best = score + hint, m
                break
    if best is None and d.slot:  # those without vectors
        return next((m for m, v in held if v is None and m.slot == d.slot), None)
    return best[1] if best else None
