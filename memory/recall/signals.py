"""What speaks for a memory: plain functions, each giving scores to whatever memories it finds.

`SIGNALS` look at the question alone; what follows from the best they find stands in
`memory.recall.neighbours`. `TRAITS` judge candidates' own words. All scores are of about 0 … 1;
their worth stands in `memory.recall.fusion`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.index.vectors import level_vectors
from memory.models import CandidateRow, Filter, Level, Memory, Mode, Query, Sensitivity, State
from memory.ports import ChanceStatistics, FloatArray, Places, Reader, Values
from memory.recall.embedding import QueryVectors
from memory.recall.fusion import embedder_weight
from memory.recall.question import Question, parse_question, share_of_names
from memory.recall.term_scores import (
    NOTHING,
    SignalScores,
    TermScores,
    combine_parts,
    make_feature,
    merge_rows,
)
from memory.text.dates import window_asked
from memory.text.dates.times import Span

CLEAR_LEVELS: Final = frozenset({Level.FULL, Level.SUMMARY})  # all that a strict reach sees
NEAREST: Final = 48  # memories that a vector, a name or a time brings up
_NAMES: Final = 4  # of the message, the rarest
_FAR: Final = 6.0  # standard deviations that count; more is a text said twice
_FEW: Final = 4.0  # spreads from the nearest to the last, where nothing is known of the store
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


@dataclass(slots=True)
class RecallContext:
    """One question in one mode, while it is being answered.

    What stands behind `filter` is found out on the way: `passing` and `named` by place, `answers`
    the scores of each part, `cosines` as the embedder gave them, `rows` those read already, `found`
    the candidates and their features.
    """

    query: Query
    reader: Reader
    u: float
    question: Question
    span: Span | None  # the time that the message names
    filter: Filter
    passing: NDArray[np.bool_] = field(init=False)
    terms: TermScores = field(init=False)
    answers: list[Values] = field(default_factory=list)
    named: Places | None = None  # whatever has a name of the message
    chance: ChanceStatistics | None = None  # of the embedder's cosines
    cosines: dict[int, float] = field(default_factory=dict)
    rows: dict[int, CandidateRow] = field(default_factory=dict)
    found: tuple[list[CandidateRow], Mapping[str, Values]] | None = None

    @property
    def vectors(self) -> QueryVectors | None:
        """The question's vectors, where an embedder gave them."""
        return self.query.vector if isinstance(self.query.vector, QueryVectors) else None

    async def get_rows(self, places: Places) -> list[CandidateRow]:
        """Return rows in the order asked for; each is read once."""
        wanted = places.tolist()
        new = [p for p in wanted if p not in self.rows]
        self.rows.update(zip(new, await self.reader.get_rows(new) if new else (), strict=True))
        return [self.rows[p] for p in wanted]


Signal: TypeAlias = Callable[[RecallContext], Awaitable[SignalScores]]
Trait: TypeAlias = Callable[[RecallContext, Sequence[CandidateRow]], list[float]]


def open_context(reader: Reader, query: Query, u: float) -> RecallContext:
    """Read a question, before anything is looked up."""
    question = parse_question(query.text, query.context)
    span = window_asked(query.text, query.now, query.tz)
    return RecallContext(query, reader, u, question, span, filter_for_mode(query))


def filter_for_mode(q: Query) -> Filter:
    """Return what this mode may see. Secrets are in none; the forgotten have left the indexes."""
    if q.mode is Mode.NORMAL:
        levels = CLEAR_LEVELS if q.strict else None
        return Filter(levels=levels, valid_at=q.now, negated=False, exclude=q.exclude)
    return Filter(states=frozenset({State.ACTIVE, State.SUPERSEDED}), exclude=q.exclude)


def matches_filter(f: Filter, m: Memory) -> bool:
    """Apply the filter to a memory that came another way."""
    return (
        not (f.valid_at and m.has_ended(f.valid_at))
        and m.state in f.states
        and (f.levels is None or m.level in f.levels)
        and (f.negated is None or f.negated == (m.negated_at is not None))
        and m.sensitivity <= min(f.max_sensitivity, Sensitivity.PRIVATE)
        and m.id not in f.exclude
    )


# --- what the question finds by itself ---


async def score_words(look: RecallContext) -> SignalScores:
    """Score each part by BM25, the best answered one counting most.

    For the gate also the rarity of the message's words that each memory has (`known`, nats).
    """
    wanted = look.question.list_words
    holding = await look.reader.find_postings(wanted) if wanted else []
    held = dict(zip(wanted, holding, strict=True))
    look.terms = TermScores(held, look.passing, await look.reader.count_words())
    parts = look.question.parts
    look.answers = [look.terms.score_part(p) for p in parts]
    total = combine_parts(look.answers, [p.weight for p in parts], len(look.passing))
    known = look.terms.sum(look.question.whole).copy()
    known[look.terms.failing] = 0.0
    return SignalScores(None, {"words": total, "known": known})


async def score_meaning(look: RecallContext) -> SignalScores:
    """Score the cosine with the message or its context, in deviations above all memories' mean."""
    reader = look.vectors.reader if look.vectors else None
    look.chance = chance = await look.reader.measure_chance(reader.idle if reader else None)
    if not (asked := list_query_vectors(look)):
        return NOTHING
    rows = [_level(vector, chance.slant) for _, vector in asked]
    worth = embedder_weight(look.vectors.embedder if look.vectors else "", chance)
    best: dict[int, float] = {}
    near = await look.reader.search_each_vector(rows, NEAREST, look.filter)
    for (weight, _), vector, hits in zip(asked, rows, near, strict=True):
        if not hits:
            continue
        if chance.centre is None or chance.spread <= 0 or len(chance.centre) > len(vector):
            # The last of few, or the only one, may be what is meant.
            spread = (hits[0].score - hits[-1].score) / _FEW or 1.0
            usual = hits[-1].score - spread
        else:
            usual, spread = float(chance.centre @ vector[: len(chance.centre)]), chance.spread
        for _, cosine, place in hits:
            value = weight * worth * min(_FAR, (cosine - usual) / spread)
            best[place] = max(value, best.get(place, 0.0))
            look.cosines[place] = max(cosine, look.cosines.get(place, -1.0))
    return make_feature("meaning", {place: value for place, value in best.items() if value > 0})


async def score_names(look: RecallContext) -> SignalScores:
    """Find memories about somebody or something the message names."""
    names = look.question.names
    found = await look.reader.find_named(names, look.filter) if names else []
    if not found:
        return NOTHING
    look.named = merge_rows(found, len(look.passing))
    rarest = sorted(found, key=len)[:_NAMES]
    some = merge_rows((p[-NEAREST:] for p in rarest), len(look.passing))
    return SignalScores(some, {"names": np.ones(len(some), np.float32)})


async def score_time(look: RecallContext) -> SignalScores:
    """Find memories made in the time that the message names, valid from then on, or due then."""
    if look.span is None:
        return NOTHING
    found = await look.reader.find_dated(*look.span, NEAREST, look.filter)
    return SignalScores(found, {"time": np.ones(len(found), np.float32)})


def list_query_vectors(look: RecallContext) -> list[tuple[float, FloatArray]]:
    """List the query's vectors, each with the weight of what it stands for; the message first."""
    if look.vectors is not None:
        return list(zip((1.0, look.question.context_weight), look.vectors.rows, strict=False))
    v = look.query.vector
    return [] if v is None else [(1.0, np.asarray(v, np.float32))]


def _level(vector: FloatArray, slant: FloatArray | None) -> FloatArray:
    """Level a query's vector between languages; behind it may stand that of the embedder before."""
    if slant is None or len(slant) > len(vector):
        return vector
    own = len(slant)
    return np.concatenate([level_vectors(vector[None, :own], slant)[0], vector[own:]])


# --- what candidates look like: nothing where the message does not ask for it ---


def is_question(look: RecallContext, rows: Sequence[CandidateRow]) -> list[float]:  # noqa: ARG001
    """Mark a memory that asks: it answers nothing."""
    return [float(row.text.rstrip().endswith(("?", "？"))) for row in rows]


def has_order(look: RecallContext, rows: Sequence[CandidateRow]) -> list[float]:
    """Score by age: 1 for the last made where the message asks for what is true now.

    Where it asks for what was true before, 1 for the first.
    """
    if not (look.question.latest or look.question.earlier):
        return []
    made = [row.times[0] for row in rows]
    first, last = min(made, default=0), max(made, default=0)
    late = [(at - first) / (last - first) if last > first else 0.5 for at in made]
    return late if look.question.latest else [1 - x for x in late]


def is_named(look: RecallContext, rows: Sequence[CandidateRow]) -> list[float]:
    """Score the share of the message's names that it has, as entities or in its words."""
    people, named = look.question.people, set() if look.named is None else set(look.named.tolist())
    if not named and not people:
        return []
    return [1.0 if row.place in named else share_of_names(people, row.text) for row in rows]


def is_of_the_time(look: RecallContext, rows: Sequence[CandidateRow]) -> list[float]:
    """Mark a memory one of whose times is in the span that the message names."""
    if look.span is None:
        return []
    since, until = ((at - _EPOCH) // _MS for at in look.span)
    return [float(any(since <= t < until for t in row.times)) for row in rows]


def is_of_the_kind(look: RecallContext, rows: Sequence[CandidateRow]) -> list[float]:
    """Score the share that it has of what is asked for: a time, a place, a number."""
    wanted = look.question.kinds
    if not wanted:
        return []
    return [sum(_has(p, row.text) for p in wanted) / len(wanted) for row in rows]


@lru_cache(maxsize=32_768)
def _has(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


SIGNALS: Final[dict[str, Signal]] = {
    "words": score_words,
    "meaning": score_meaning,
    "names": score_names,
    "time": score_time,
}
TRAITS: Final[Mapping[str, Trait]] = {
    "names": is_named,
    "time": is_of_the_time,
    "kind": is_of_the_kind,
    "question": is_question,
    "order": has_order,
}
