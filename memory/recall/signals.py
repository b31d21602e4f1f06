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
from memory.recall.people import is_about_speaker, share_of_names
from memory.recall.question import Question, parse_question
from memory.recall.reader import MessageReader
from memory.recall.term_scores import (
    NOTHING,
    SignalScores,
    TermScores,
    combine_parts,
    make_feature,
    merge_rows,
)
from memory.text.dates.times import Span
from memory.text.questions import PATTERNS

NEAREST: Final = 48  # memories that a vector, a name or a time brings up
_NAMES: Final = 4  # of the message, the rarest
_FAR: Final = 6.0  # standard deviations that count; more is a text said twice
# spreads between the nearest and the last of those found, where nothing is known of the store
_FEW: Final = 4.0
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


@dataclass(slots=True)
class RecallContext:
    """One question in one mode, while it is being answered."""

    query: Query
    reader: Reader
    u: float
    span: Span | None
    a: Question
    f: Filter
    passing: NDArray[np.bool_] = field(
        default_factory=lambda: np.empty(0, np.bool_)
    )  # by place: the filter
    ground: TermScores = field(default_factory=lambda: TermScores({}, np.empty(0, np.bool_)))
    answers: list[Values] = field(default_factory=list)  # of each part, for every place
    cosines: dict[int, float] = field(default_factory=dict)  # as the embedder gave them, by place
    known: dict[int, CandidateRow] = field(default_factory=dict)
    named: Places = field(
        default_factory=lambda: np.empty(0, np.int64)
    )  # whatever has a name of the message
    span_ms: tuple[int, int] | None = None
    chance: ChanceStatistics | None = None  # of the embedder's cosines

    @property
    def embedder(self) -> str:
        """Whose vectors the question has."""
        return self.query.vector.embedder if isinstance(self.query.vector, QueryVectors) else ""

    @property
    def reading(self) -> MessageReader | None:
        """What tells by the message's vector whether it calls for a memory."""
        return self.query.vector.reader if isinstance(self.query.vector, QueryVectors) else None

    async def lines(self, places: Places) -> list[CandidateRow]:
        """In the order asked for; each read once."""
        known, wanted = self.known, places.tolist()
        new = [p for p in wanted if p not in known]
        if new:
            known.update(zip(new, await self.reader.get_rows(new), strict=True))
        return [known[p] for p in wanted]


Signal: TypeAlias = Callable[[RecallContext], Awaitable[SignalScores]]
Trait: TypeAlias = Callable[[RecallContext, Sequence[CandidateRow]], list[float]]


def read_question(q: Query) -> Question:
    """The message, read; cached."""
    return parse_question(q.text, q.context)


def filter_for_mode(q: Query) -> Filter:
    """What this mode may see. Secrets are in no mode; the forgotten have left the indexes."""
    if q.mode is Mode.NORMAL:
        levels = frozenset({Level.FULL, Level.SUMMARY}) if q.strict else None
        return Filter(levels=levels, valid_at=q.now, negated=False, exclude=q.exclude)
    return Filter(states=frozenset({State.ACTIVE, State.SUPERSEDED}), exclude=q.exclude)


def matches_filter(f: Filter, m: Memory) -> bool:
    """The filter, applied to a memory that came another way."""
    valid = f.valid_at is None or m.valid_until is None or m.valid_until > f.valid_at
    return (
        valid
        and m.state in f.states
        and (f.levels is None or m.level in f.levels)
        and (f.negated is None or f.negated == (m.negated_at is not None))
        and m.sensitivity <= min(f.max_sensitivity, Sensitivity.PRIVATE)
        and m.id not in f.exclude
    )


# --- what the question finds by itself ---


async def score_words(look: RecallContext) -> SignalScores:
    """BM25 of each part by itself, the best answered one counting most.

    For the gate also, of the whole message's words, the rarity that each memory has (`known`, nats)
    and its `share`.
    """
    wanted = look.a.list_words
    holding = await look.reader.find_postings(wanted) if wanted else []
    lengths = await look.reader.count_words()
    look.ground = ground = TermScores(
        dict(zip(wanted, holding, strict=True)), look.passing, lengths
    )
    look.answers = [ground.part(p) for p in look.a.parts]
    total = combine_parts(look.answers, [p.weight for p in look.a.parts], len(look.passing))
    known = ground.sum(look.a.whole).copy()
    known[ground.failing] = 0.0
    return SignalScores(None, {"words": total, "share": ground.share(look.a.whole), "known": known})


async def score_meaning(look: RecallContext) -> SignalScores:
    """Cosine with the message, or with its context: standard deviations above the mean of all memories."""
    look.chance = chance = await look.reader.measure_chance(
        look.reading.idle if look.reading else None
    )
    rows = [
        (weight, _level(vector, chance.slant)) for weight, vector in list_query_vectors(look.query)
    ]
    if not rows:
        return NOTHING
    worth = embedder_weight(look.embedder, chance)
    best: dict[int, float] = {}
    near = await look.reader.search_each_vector([v for _, v in rows], NEAREST, look.f)
    for (weight, vector), hits in zip(rows, near, strict=True):
        if not hits:
            continue
        if chance.centre is None or chance.spread <= 0 or len(chance.centre) > len(vector):
            spread = (hits[0].score - hits[-1].score) / _FEW or 1.0
            usual = (
                hits[-1].score - spread
            )  # the last of few, or the only one, may be what is meant
        else:
            usual, spread = float(chance.centre @ vector[: len(chance.centre)]), chance.spread
        for _, cosine, place in hits:
            value = weight * worth * min(_FAR, (cosine - usual) / spread)
            if value > best.get(place, 0.0):
                best[place] = value
            if cosine > look.cosines.get(place, -1.0):
                look.cosines[place] = cosine
    return make_feature("meaning", best)


async def score_names(look: RecallContext) -> SignalScores:
    """Memories about somebody or something the message names."""
    found = await look.reader.find_named(look.a.names, look.f) if look.a.names else []
    if not found:
        return NOTHING
    look.named = merge_rows(found, len(look.passing))
    some = merge_rows((p[-NEAREST:] for p in sorted(found, key=len)[:_NAMES]), len(look.passing))
    return SignalScores(some, {"names": np.ones(len(some), np.float32)})


async def score_time(look: RecallContext) -> SignalScores:
    """Memories of the time that the message names: made then, valid from then on, or due then."""
    if look.span is None:
        return NOTHING
    found = await look.reader.find_dated(*look.span, NEAREST, look.f)
    return SignalScores(found, {"time": np.ones(len(found), np.float32)})


# --- what candidates look like: nothing where the message does not ask for it ---


def is_question(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:  # noqa: ARG001
    """A memory that asks answers nothing."""
    return [float(line.text.rstrip().endswith(("?", "？"))) for line in lines]


def is_late(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:
    """The message asks for what is true now: 1 for the candidate made last, 0 for the first."""
    return _lateness(lines) if look.a.latest else []


def is_early(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:
    """The message asks for what was true before: 1 for the candidate made first, 0 for the last."""
    return [1 - x for x in _lateness(lines)] if look.a.earlier else []


def _lateness(lines: Sequence[CandidateRow]) -> list[float]:
    made = [line.times[0] for line in lines]
    first, last = min(made, default=0), max(made, default=0)
    return [(at - first) / (last - first) if last > first else 0.5 for at in made]


def has_entity(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:
    """It has an entity that the message names."""
    have = set(look.named.tolist())
    return [float(line.place in have) for line in lines] if have else []


def is_named(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:
    """It has the names that the message has, as entities or in its words."""
    as_entity = has_entity(look, lines)
    if not as_entity and not look.a.people:
        return []
    in_words = [share_of_names(look.a.people, line.text) for line in lines]
    return list(map(max, as_entity, in_words)) if as_entity else in_words


def is_own(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:
    """The message is about its speaker and nobody else, and so is the memory, or else it is about another."""
    return [is_about_speaker(line.text) for line in lines] if look.a.own else []


def is_of_the_time(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:
    """One of its times is in the span that the message names."""
    span = look.span_ms
    return [] if span is None else [float(is_in_span(span, line.times)) for line in lines]


def is_of_the_kind(look: RecallContext, lines: Sequence[CandidateRow]) -> list[float]:
    """The message asks for a time, a place or a number: the share of these that it has."""
    kinds = (
        (look.a.when, PATTERNS.SAYS_WHEN),
        (look.a.where, PATTERNS.SAYS_WHERE),
        (look.a.how_many, PATTERNS.SAYS_HOW_MANY),
    )
    wanted = [pattern for asked_for, pattern in kinds if asked_for]
    return (
        [sum(_has(p, line.text) for p in wanted) / len(wanted) for line in lines] if wanted else []
    )


@lru_cache(maxsize=32_768)
def _has(pattern: re.Pattern[str], text: str) -> float:
    return float(pattern.search(text) is not None)


SIGNALS: Final[Mapping[str, Signal]] = {
    "words": score_words,
    "meaning": score_meaning,
    "names": score_names,
    "time": score_time,
}
TRAITS: Final[Mapping[str, Trait]] = {
    "entity": has_entity,
    "names": is_named,
    "own": is_own,
    "time": is_of_the_time,
    "kind": is_of_the_kind,
    "question": is_question,
    "latest": is_late,
    "earlier": is_early,
}


# --- inside ---


def list_query_vectors(q: Query) -> list[tuple[float, FloatArray]]:
    """The query's vectors, each with the weight of what it stands for; the message itself first."""
    v, a = q.vector, read_question(q)
    if v is None:
        return []
    if not isinstance(v, QueryVectors):
        return [(1.0, np.asarray(v, np.float32))]
    return list(zip((1.0, a.context_weight), v.rows, strict=False))


def _level(vector: FloatArray, slant: FloatArray | None) -> FloatArray:
    """Level a query's vector between the languages; behind it may stand that of the embedder before."""
    if slant is None or len(slant) > len(vector):
        return vector
    own = len(slant)
    return np.concatenate([level_vectors(vector[None, :own], slant)[0], vector[own:]])


def is_in_span(span: tuple[int, int], times: Sequence[int]) -> bool:
    """Whether any of the times (UTC milliseconds) is in it."""
    return any(span[0] <= t < span[1] for t in times)


def span_ms(span: Span | None) -> tuple[int, int] | None:
    """In UTC milliseconds."""
    return None if span is None else ((span[0] - _EPOCH) // _MS, (span[1] - _EPOCH) // _MS)
