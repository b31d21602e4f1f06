"""What a prompt holds of the memory: recall in normal, review and debug mode; standing memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from time import perf_counter
from typing import Final

import numpy as np

from memory.lifecycle import (
    compute_level,
    compute_weight,
    is_episode,
    is_silenced,
    level_for_weight,
)
from memory.lifecycle.score import RESIDENT
from memory.models import (
    CandidateRow,
    Filter,
    Hit,
    Kind,
    Layer,
    Level,
    Memory,
    MemoryId,
    Mode,
    Query,
    Recall,
    Sensitivity,
    State,
)
from memory.ports import Reader, Transaction, Values
from memory.recall.agenda import find_agenda, find_deaths
from memory.recall.fusion import FIRST, SHOWN, WEIGHTS, apply_nudges, compute_nudges
from memory.recall.gate import (
    FAINT_THRESHOLD,
    REVIEW_THRESHOLD,
    GateCandidate,
    GateContext,
    MessageReading,
    judge_candidate,
    passes_gate,
)
from memory.recall.neighbours import FOLLOWERS
from memory.recall.question import (
    find_people_names,
    find_telling_terms,
    measure_shared_terms,
)
from memory.recall.signals import (
    CLEAR_LEVELS,
    SIGNALS,
    TRAITS,
    RecallContext,
    list_query_vectors,
    matches_filter,
    open_context,
)
from memory.recall.term_scores import find_best_rows
from memory.text.dates import looks_ahead, window_asked
from memory.text.languages import either
from memory.text.notes import is_name
from memory.text.questions import PATTERNS, recent_asked
from memory.text.spans import is_question, join_own_text
from memory.text.speech import find_kin
from memory.text.words import SHORTEST, fold_letters

EPISODES: Final = 2
FORMER: Final = 3  # values of what is asked for
_CALLED: Final = 2  # names of somebody whom a question calls by their relation
_PARTNER: Final = ("partner", "marital_status")
_BEFORE: Final = 6  # that are over, for a question about what came before something
WIDE: Final = 20  # hits of review and debug mode
MISSED: Final = 5
_CANDIDATES: Final = 80  # memories that are judged by a line each
_LOOKED_AT: Final = 28  # of those, memories that are read
_REPLACED: Final = 8  # hits whose earlier versions are looked at in a look back
_BEHIND: Final = 0.1  # log-odds
_SCANNED: Final = 2000  # forgotten and deleted memories that debug mode reads through
_NEXT: Final = timedelta(days=92)
_EPISODE_LIFE: Final = timedelta(days=14)  # the three-layer paper
STANDING: Final = 20  # memories besides health (the session paper)
STANDING_TOKENS: Final = 400  # and how long they may be in all
_REST: Final = 100  # memories looked at for the places that these leave
_CLOSE: Final = 4  # the group of those close
_PASSING: Final = frozenset({Kind.TODO, Kind.CONTEXT, Kind.WHIM})
_CORE: Final = frozenset({Layer.CORE, Layer.SYSTEM})
_BYTES: Final = 4  # of a token, about: a Chinese character has three
_LEFT_THE_INDEXES: Final = frozenset({State.FORGOTTEN, State.DELETED, State.MERGED, State.PROPOSED})


async def recall_memories(reader: Reader, query: Query, *, u: float) -> Recall:
    """Return what the memory has to say to a message.

    Normal mode: up to `query.limit` memories and two episodes that pass the gate. Review mode adds
    up to 20 in all, of every level and superseded or denied; debug mode adds what was forgotten and
    deleted. `missed` are the best of those that did not make it. `query.vector` may be None: words
    and entities answer alone.
    """
    began = perf_counter()
    found = await reader.run_in_one_read(lambda own: _recall(own, query, u))
    return replace(found, took_ms=(perf_counter() - began) * 1000)


async def rank_candidates(reader: Reader, query: Query, *, u: float) -> list[Hit]:
    """Return every candidate looked at, best first, gated or not."""
    return await reader.run_in_one_read(lambda own: _judge(open_context(own, query, u)))


async def _recall(reader: Reader, query: Query, u: float) -> Recall:
    look = open_context(reader, replace(query, mode=Mode.NORMAL), u)
    judged = await _judge(look, query.limit + EPISODES + MISSED)
    passed = fold_details([h for h in judged if h.passed])
    hits = [h for h in passed if not is_episode(h.memory)][: query.limit]
    hits += [h for h in passed if is_episode(h.memory)][:EPISODES]
    hits += await _find_episodes_by_time(look, {h.memory.id for h in hits})
    more = (*await _find_by_day(look), *await _find_in_slots(look), *await _find_former(look))
    more = (*more, *await _find_ahead(look, judged), *await _find_by_relation(look, judged))
    on = {h.memory.id: h for h in more}
    hits = [on.pop(h.memory.id, h) for h in hits] + list(on.values())
    if query.mode is not Mode.NORMAL:
        hits = await _widen(open_context(reader, query, u), hits)
        hits = [replace(h, asked=True) for h in hits]
    chosen = {h.memory.id for h in hits}
    missed = [replace(h, passed=False) for h in judged if h.memory.id not in chosen]
    faint = [h for h in _find_faint(judged) if query.mode is Mode.NORMAL]
    missed = faint + [h for h in missed if h.memory.id not in {f.memory.id for f in faint}]
    return Recall(tuple(hits), tuple(missed[:MISSED]), mode=query.mode)


def fold_details(hits: Sequence[Hit]) -> list[Hit]:
    """Leave out what stands behind its theme, but for the best detail of each theme.

    What was asked for ranks before its theme or is that best one; the theme stands for the others.
    """
    out: list[Hit] = []
    for h in hits:
        shown = {other.memory.id for other in out}
        over = [t.memory for t in out if h.memory.id in t.memory.source_ids]
        if all(shown.isdisjoint(t.source_ids) for t in over):
            out.append(h)
    return out


def _find_faint(judged: Sequence[Hit]) -> list[Hit]:
    """Find the best match of a question if it has faded and comes near the gate; else nothing."""
    told = [h for h in judged if not is_episode(h.memory)]
    best = max(told, key=lambda h: h.gate, default=None)
    if best is None or best.passed or not best.asked or best.gate < FAINT_THRESHOLD:
        return []
    felt = best.memory.spoken_level >= Level.TAG
    return [replace(best, passed=False, why="faint")] if felt else []


def is_answered(text: str, standing: Sequence[Memory], m: Memory) -> bool:
    """Tell whether a standing memory shares as much with the message as this one does."""
    terms = find_telling_terms(text)
    own = sum(measure_shared_terms(terms, m.original_content))
    shared = (sum(measure_shared_terms(terms, s.original_content)) for s in standing)
    return any(0 < other >= own for other in shared)


# --- judging candidates ---


async def find_candidates(look: RecallContext) -> tuple[list[CandidateRow], Mapping[str, Values]]:
    """Find whatever could be meant, and what speaks for it.

    Returns the candidates, and of each feature a value for each of them.
    """
    look.passing = await look.reader.row_mask(look.filter)
    found = [await signal(look) for signal in SIGNALS.values()]
    first = np.zeros(len(look.passing), np.float32)
    for scores in found:
        scores.add_weighted({name: WEIGHTS[name] for name in FIRST}, first)
    total = first.copy()
    first /= float(first.max(initial=0.0)) or 1.0
    found += [await follow(look, first) for follow in FOLLOWERS.values()]
    for scores in found:
        scores.add_weighted({n: w for n, w in WEIGHTS.items() if n not in FIRST}, total)
    places = find_best_rows(total, _CANDIDATES)
    rows = await look.get_rows(places)
    features = {n: v for scores in found for n, v in scores.get_features(places).items()}
    for name, trait in TRAITS.items():
        features.pop(name, None)
        if values := trait(look, rows):
            features[name] = np.array(values, np.float32)
    return rows, features


async def _judge(look: RecallContext, most: int = _LOOKED_AT) -> list[Hit]:
    """Return the best `most` candidates of all signals, judged, best first; episodes among them."""
    if look.found is None:
        look.found = await find_candidates(look)
    rows, features = look.found
    total = np.zeros(len(rows), np.float32)
    for name, values in features.items():
        total += WEIGHTS.get(name, 0.0) * values
    order = np.argsort(-total, kind="stable").tolist()
    context, hits = _open_gate(look), list[Hit]()
    for start in range(0, len(order), most):
        at = {rows[i].id: i for i in order[start : start + most]}
        for m in await look.reader.get(list(at)):
            w, i = compute_weight(m, look.u, look.query.now), at[m.id]
            # The stored level is a cache: upkeep may be behind.
            level = level_for_weight(m, w, look.query.now)
            if look.filter.levels is None or level in look.filter.levels:
                own = {name: float(v[i]) for name, v in features.items() if v[i]}
                hits.append(_make_hit(look, context, m.with_weight(w), rows[i].place, own))
        if len(hits) >= most // 2:
            break
    if look.query.mode is not Mode.NORMAL:
        hits += await _find_versions(look, hits)
    return sorted(hits, key=lambda h: (-h.score, h.memory.id))[:most]


def _make_hit(
    look: RecallContext, context: GateContext, m: Memory, place: int, features: Mapping[str, float]
) -> Hit:
    nudges = compute_nudges(m, m.weight, compute_weight(m, 0.0, look.query.now), look.query.now)
    signals: dict[str, float] = {}
    for name, value in features.items():
        if weight := WEIGHTS.get(name):
            shown = SHOWN.get(name, name)
            signals[shown] = signals.get(shown, 0.0) + weight * value
    score = apply_nudges(sum(signals.values()), nudges)
    # A memory that is not among the nearest is no nearer than the last of them.
    cosine = look.cosines.get(place, min(look.cosines.values(), default=None))
    text = " ".join((m.original_content, *m.entities, *m.topics))
    verdict = judge_candidate(context, GateCandidate(text, features, cosine, m.language))
    passed = passes_gate(verdict.relevance, look.query.mode)
    asked = context.asks
    return Hit(m, score, signals, nudges, verdict.relevance, verdict.evidence, passed, asked=asked)


def _open_gate(look: RecallContext) -> GateContext:
    q, held = look.question, look.terms.held
    unknown = (w for w in q.whole if len(w) >= SHORTEST and w.isascii())
    unheld = tuple(w for w in unknown if w in held and not len(held[w].places))
    usual = look.chance.idle.get(q.lang) if look.chance else None
    if usual is None or look.vectors is None or look.vectors.reader is None:
        return GateContext(q, unheld)
    scores = [look.vectors.reader.score_call(row) for _, row in list_query_vectors(look)]
    return GateContext(q, unheld, MessageReading(max(scores), *usual))


async def _find_versions(look: RecallContext, hits: Sequence[Hit]) -> list[Hit]:
    """Find, in a look back, what a good memory replaced; it stands just behind it."""
    have = {h.memory.id for h in hits}
    best = sorted(hits, key=lambda h: -h.score)[:_REPLACED]
    by = {old: h for h in reversed(best) for old in h.memory.supersedes if old not in have}
    out = []
    for m in await look.reader.get(list(by)):
        if matches_filter(look.filter, m):
            h = by[m.id]
            old = replace(h, memory=_weigh(m, look), score=h.score - _BEHIND, nudges={})
            out.append(replace(old, signals={"versions": old.score}))
    return out


# --- what comes by other ways ---


async def _find_episodes_by_time(look: RecallContext, have: set[MemoryId]) -> list[Hit]:
    """Find the episodes of a time (刚才, 昨天, 上次, "last time"), whatever words they share."""
    q = look.query
    if not recent_asked(q.text):
        return []
    since, until = look.span or (q.now - _EPISODE_LIFE, q.now + timedelta(seconds=1))
    fresh = [
        m
        for m in await look.reader.find_episodes(since, until, 2 * EPISODES)
        if matches_filter(look.filter, m)
        and m.id not in have
        and compute_level(m, look.u, q.now) <= Level.SUMMARY
    ]
    return [Hit(_weigh(m, look), 1.0, gate=1.0, why="episode_by_time") for m in fresh[:EPISODES]]


async def _find_by_day(look: RecallContext) -> list[Hit]:
    """Find what is on in the time that a question names, by its day, whatever words they share."""
    q, span = look.query, look.span
    if span is None or look.question.world or not is_question(join_own_text(q.text)):
        return []
    spans = {span: None}
    over = looks_ahead(fold_letters(q.text)) is False
    if not over and (ahead := window_asked(q.text, q.now, q.tz, ahead=True)):
        spans[ahead] = None  # "in March", said in May: which one is not said

    def find(tx: Transaction) -> list[Memory]:
        return [m for some in spans for m in find_agenda(tx, *some, q.tz)]

    found = {m.id: m for m in await look.reader.read(find)}.values()
    fit = [m for m in found if matches_filter(look.filter, m)]
    return [Hit(_weigh(m, look), 1.0, gate=1.0, why="day") for m in fit[: q.limit]]


async def _find_in_slots(look: RecallContext) -> list[Hit]:
    """Find what fills the slots that are asked for; asked for before now, what filled them last."""
    q = look.query
    if not q.slots:
        return []
    found = await look.reader.read(lambda tx: tx.memories.list_slots(q.slots))
    if look.question.earlier:
        over = [m for m in found if m.has_ended(q.now) and m.id not in q.exclude]
        found = sorted(over, key=lambda m: m.valid_until or q.now, reverse=True)
    else:
        found = [m for m in found if matches_filter(look.filter, m) and not _is_ahead(m, q.now)]
    return [Hit(_weigh(m, look), 1.0, gate=1.0, why="slot") for m in found[:FORMER]]


def _is_ahead(m: Memory, now: datetime) -> bool:
    return m.valid_from is not None and m.valid_from > now


async def _find_former(look: RecallContext) -> list[Hit]:
    """Find what held before where a question is about then.

    One that asks for what came before something finds the nearest; any other one in the past what
    passes the gate, or what it replaced.
    """
    earlier = look.question.earlier
    if not (earlier or look.question.past) or look.query.mode is not Mode.NORMAL:
        return []
    past = replace(look.query, mode=Mode.REVIEW, exclude=frozenset())
    judged = await _judge(open_context(look.reader, past, look.u))
    passed = {i for h in judged if h.passed for i in (h.memory.id, *h.memory.supersedes)}
    over = [
        h
        for h in judged
        if _is_over(h.memory, past.now)
        and (h.memory.id in passed or (earlier and not _is_private(h.memory)))
    ]
    most = _BEFORE if earlier else FORMER
    return [replace(h, passed=True, asked=True) for h in over[:most]]


async def _find_by_relation(look: RecallContext, judged: Sequence[Hit]) -> list[Hit]:
    """Find what is known by name of somebody whom a question calls by their relation."""
    q, question = look.query, look.question
    kin = find_kin(q.text) if question.asks and question.personal and not question.people else set()
    if not kin:
        return []
    who = [h.memory for h in judged if find_kin(h.memory.original_content) & kin]
    if either("slots", "PARTNER").search(q.text):
        found = await look.reader.read(lambda tx: tx.memories.list_slots(_PARTNER))
        who += [m for m in found if matches_filter(look.filter, m)]
    names = list(dict.fromkeys(name for m in who if (name := _find_first_name(m))))[:_CALLED]
    if not names:
        return []
    named = await _judge(
        open_context(look.reader, replace(q, text=f"{q.text} {' '.join(names)}"), look.u)
    )
    about = [
        h
        for h in named
        if h.passed
        and h.memory.quiet_at is None
        and h.memory.sensitivity < Sensitivity.PRIVATE
        and any(n in h.memory.original_content for n in names)
    ]
    return [replace(h, asked=True, why="relation") for h in about[:FORMER]]


def _find_first_name(m: Memory) -> str:
    text = m.original_content
    named = find_people_names(text) or {n for n in m.entities if n in text}
    people = [n for n in named if not find_kin(n)]
    return min(people, key=text.index, default="")


def _is_private(m: Memory) -> bool:
    return m.sensitivity >= Sensitivity.PRIVATE or m.kind is Kind.HEALTH


def _is_over(m: Memory, now: datetime) -> bool:
    return m.state is State.SUPERSEDED or m.negated_at is not None or m.has_ended(now)


async def _find_ahead(look: RecallContext, judged: Sequence[Hit]) -> list[Hit]:
    """Find what is planned where a question is about that: it need not come as near.

    Where a day is asked for and nothing planned comes near, what is next, unless it is private: it
    may be about something else.
    """
    q, text = look.question, fold_letters(look.query.text)
    ahead, when = looks_ahead(text), PATTERNS.ASKS_WHEN.search(text) is not None
    if not (q.personal and (ahead or (when and ahead is not False))):
        return []
    now, tz = look.query.now, look.query.tz
    planned = [
        h
        for h in (await _judge(look, _CANDIDATES) if when else judged)
        if h.gate >= REVIEW_THRESHOLD
        and (_is_ahead(h.memory, now) or (h.memory.on is not None and h.memory.on > now))
    ]
    if not planned and when and not q.earlier and is_question(look.query.text):
        found = await look.reader.read(lambda tx: find_agenda(tx, now, now + _NEXT, tz))
        fit = [m for m in found if matches_filter(look.filter, m) and not _is_private(m)]
        planned = [Hit(_weigh(m, look), 1.0, why="day") for m in fit]
    return [replace(h, passed=True, asked=True) for h in planned[:FORMER]]


async def _widen(look: RecallContext, hits: list[Hit]) -> list[Hit]:
    """Return the normal hits, and behind them what only a look back may see."""
    judged = await _judge(look)
    passed = {i for h in judged if h.passed for i in (h.memory.id, *h.memory.supersedes)}
    more = [h for h in judged if h.memory.id in passed]
    if look.query.mode is Mode.DEBUG:
        more += await _find_forgotten(look)
    if not more and not hits:
        more = await _find_latest(look)
    have = {h.memory.id for h in hits}
    fresh = {h.memory.id: replace(h, passed=True, why="review") for h in more}
    new = [h for memory_id, h in fresh.items() if memory_id not in have]
    return (hits + new)[: max(WIDE, len(hits))]


async def _find_latest(look: RecallContext) -> list[Hit]:
    """Find of every level those used last: "what did I say in the past?" names nothing to look for.

    Each level has its share of the places; what one cannot fill goes to the clearest that can.
    """
    levels = [level for level in Level if look.filter.levels is None or level in look.filter.levels]

    def find(tx: Transaction) -> list[Sequence[Memory]]:
        only = (replace(look.filter, levels=frozenset({level})) for level in levels)
        return [tx.memories.find(f, order="activated", limit=WIDE).items for f in only]

    found = await look.reader.read(find)
    share = WIDE // max(len(found), 1)
    left = WIDE - sum(min(len(some), share) for some in found)
    out: list[Memory] = []
    for some in found:
        more = min(max(len(some) - share, 0), left)
        left -= more
        out += some[: share + more]
    return [Hit(_weigh(m, look), 0.0) for m in out]


async def _find_forgotten(look: RecallContext) -> list[Hit]:
    """Read through what has left the indexes: forgotten, merged, proposed, and not yet purged."""
    f = Filter(states=_LEFT_THE_INDEXES, exclude=look.query.exclude)
    page = await look.reader.read(lambda tx: tx.memories.find(f, limit=_SCANNED))
    terms = look.question.terms
    found = [(sum(measure_shared_terms(terms, m.original_content)), m) for m in page.items]
    best = sorted(((s, m) for s, m in found if s > 0 or not terms), key=lambda x: (-x[0], x[1].id))
    return [Hit(_weigh(m, look), s, {"scan": s}) for s, m in best[:WIDE]]


def _weigh(m: Memory, look: RecallContext) -> Memory:
    """Return it with its weight as it is now: what the store has is a cache."""
    return m.with_weight(compute_weight(m, look.u, look.query.now))


# --- standing memories ---


def find_standing(
    tx: Transaction, u: float, now: datetime, *, health: bool = True, filled: bool = False
) -> list[Memory]:
    """Find the memories that are in every prompt of a person's own talks, whatever their level.

    All of health comes first, unless `health` is off. Then at most 20 and 400 tokens: names,
    instructions, the closest people and animals, pinned and core, each group by its weight at
    `now`; under the curve `score` also what weighs 0.5 or more (the session paper). `filled`: the
    places that are left go to what else is clear and holds now: slots, then the strongest.
    """
    found = sorted(
        tx.memories.list_standing(now), key=lambda m: (_group(m), -compute_weight(m, u, now), m.id)
    )
    current = Filter(valid_at=now, negated=False)
    strongest = tx.memories.find(current, order="weight", limit=STANDING).items
    residents = {
        m.id: m
        for m in strongest
        if m.curve == "score" and compute_weight(m, u, now) >= RESIDENT and not is_episode(m)
    }
    out = {m.id: m for m in found if m.kind is Kind.HEALTH and health}
    left, tokens = STANDING, float(STANDING_TOKENS)
    named: set[str] = set()  # people and animals that have their line
    rest = {m.id: m for m in _list_rest(tx, u, now)} if filled else {}
    for m in (*found, *residents.values(), *rest.values()):
        group, size = _group(m), len(m.original_content.encode()) / _BYTES
        again = group == _CLOSE and bool(m.entities) and named.issuperset(m.entities)
        stands = is_standing(m) or m.id in residents or m.id in rest
        private = m.sensitivity >= Sensitivity.PRIVATE and not (m.pinned or m.slot == "home")
        hidden = m.quiet_at or again or m.is_unsettled(now) or (group >= _CLOSE and private)
        if group == 1 or m.id in out or hidden or not stands:
            continue
        if left and size <= tokens:
            named.update(m.entities)
            out[m.id] = m
            left, tokens = left - 1, tokens - size
    return list(out.values())


def is_standing(m: Memory) -> bool:
    """Tell whether a memory is of a group that stands in every prompt."""
    return _group(m) <= _CLOSE or m.pinned or m.layer in _CORE


def _list_rest(tx: Transaction, u: float, now: datetime) -> list[Memory]:
    """List what else is clear and holds or is to come: what fills a slot first, then by weight.

    What passes soon or comes again stands in no prompt but around its day.
    """
    layers, public = frozenset({Layer.FACT}), Sensitivity.GENERAL
    f = Filter(
        levels=CLEAR_LEVELS, layers=layers, valid_at=now, negated=False, max_sensitivity=public
    )
    # Where somebody lives stands though it may name a street.
    own = replace(f, max_sensitivity=Sensitivity.PRIVATE)
    homes = tx.memories.list_slots(["home"])
    homes = [m for m in homes if matches_filter(own, m) and not _is_ahead(m, now)]
    found = [*homes, *tx.memories.find(f, order="weight", limit=_REST).items]
    deaths, past = find_deaths(tx, now), now - timedelta(days=1)
    live = [
        m
        for m in found
        if m.kind not in _PASSING
        and not m.repeats
        and ((day := m.on_until or m.on) is None or day >= past)
        and not is_silenced(m, deaths)
    ]
    return sorted(live, key=lambda m: (not m.slot, -compute_weight(m, u, now), m.id))


def _group(m: Memory) -> int:
    """Return which group it belongs to: 1 health, 2 name, 3 instruction, 4 close, 5 the rest."""
    if m.kind is Kind.HEALTH:
        return 1
    if m.kind is Kind.IDENTITY and is_name(m.original_content):
        return 2
    return 3 if m.kind is Kind.INSTRUCTION else _CLOSE if m.close else 5
