"""Who stands near whom, and the nightly merge: several memories that say one thing become one.

One scale for every embedder. Recall's gate is calibrated for a question beside a memory; two
statements beside each other lie closer together, so that they have a calibration of their own: 0.75
means that they hardly say different things.

Merged is what is of the same kind and at least 0.75 alike, with the same numbers, names and
polarity, valid at the same time and nobody's secret. The most recently activated one is the base
and keeps its id; the memory model writes the text, or says that they are different things after
all. Where `changes` found that two say the same, nobody is asked again. The others stay, `merged`,
and their words stay in the base's `original_contents`: an undo takes the merge apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from math import exp, sqrt
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memory import lifecycle
from memory.learn.people import count_people, may_be_two
from memory.learn.same_meaning import (
    find_names,
    has_same_details,
    list_content_words,
    normalise_text,
)
from memory.learn.visible_messages import redact_memory
from memory.models import Filter, Kind, Layer, Level, Memory, MemoryId, Sensitivity, State, is_quote
from memory.ports import FloatArray, Transaction
from memory.text.languages import either
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.level_texts import NUMBER, find_unsayable
from memory.upkeep.run import Near, UpkeepRun, Work, is_current_fact

if TYPE_CHECKING:
    from memory.learn.schemas import Merged

DUPLICATE: Final = 0.75  # similarity from which two memories say the same
NEIGHBOURS: Final = 12
_PER_LOOK: Final = 64  # vectors in one product
_SECONDS: Final = 2.0  # for looking; who is not reached is looked at in the next night
_MOST: Final = 4_000
MOST_MERGES: Final = 25  # a night
LARGEST: Final = 12  # memories in one merge
_MAX_ANSWER: Final = 300
_LABEL: Final = re.compile(
    rf"^\s*(?:[-*•]|(?:{either('topics', 'MERGED').pattern})\s*[:：])\s*", re.I
)
# By embedder: the cosine of two short statements about one person that counts 0.5, and the slope.
CALIBRATIONS: Final[Mapping[str, tuple[float, float]]] = {
    "lexical": (0.68, 16.0),
    "openai:text-embedding-3": (0.66, 16.0),
    "fastembed": (0.72, 14.0),
    "bundled": (0.92, 46.0),
    "": (0.74, 14.0),
}
CURRENT: Final = Filter(
    layers=frozenset({Layer.FACT, Layer.CORE}), negated=False, max_sensitivity=Sensitivity.PRIVATE
)


def compute_similarity(a: str, b: str, cosine: float | None, embedder: str) -> float:
    """Return from 0 to 1 how alike two texts are, by shared words or by their cosine."""
    x, y = list_content_words(a), list_content_words(b)
    by_words = len(x & y) / sqrt(len(x | y) * min(len(x), len(y))) if x and y else 0.0
    if cosine is None:
        return by_words
    half, slope = CALIBRATIONS[max(filter(embedder.startswith, CALIBRATIONS), key=len)]
    return max(by_words, 1 / (1 + exp(-slope * (cosine - half))))


# --- looking ---


async def find_neighbours(run: UpkeepRun) -> Near:
    """Return what stands near what is new; looked for once a night, noting how far it came."""
    if run.near is None:
        run.near, place = await look_around(run)
        await run.write(
            lambda _tx: run.data.setdefault("carry", {}).update(place=place), moves=False
        )
    return run.near


async def look_around(run: UpkeepRun) -> tuple[Near, int]:
    """Return what stands near each fact that is new or was changed since the last night.

    Also returns the place up to which all new ones were looked at.
    """
    facts = [w.row for w in run.rows if is_current_fact(w.row)]
    new = [r for r in facts if r.place > run.looked_up_to][:_MOST]
    changed = await list_edited(run)
    ids = [r.id for r in facts if r.id in changed] + [r.id for r in new if r.id not in changed]
    near = await find_nearest(run, ids)
    looked = [r.place for r in takewhile(lambda r: r.id in near, new)]
    return near, looked[-1] if looked else run.looked_up_to


async def list_edited(run: UpkeepRun) -> set[MemoryId]:
    """Return what was edited since the last night, or holds again after a denial."""
    if run.last is None:
        return set()
    since, kinds = run.last.at, ("edited", "affirm")
    events = await run.read(lambda tx: tx.memories.list_weight_log(since=since, events=kinds))
    return {e.memory_id for e in events}


async def find_nearest(run: UpkeepRun, ids: Sequence[MemoryId]) -> Near:
    """Return those nearest to each memory with their similarity, in order, until time is up."""
    out: dict[MemoryId, Mapping[MemoryId, float]] = {}
    until = perf_counter() + _SECONDS
    for start in range(0, len(ids), _PER_LOOK):
        if out and perf_counter() > until:
            break
        out.update(await _find_nearest(run, ids[start : start + _PER_LOOK]))
    return out


async def _find_nearest(run: UpkeepRun, ids: Sequence[MemoryId]) -> Near:
    reader, embedder = run.tools.store.open_reader(run.user_id), run.tools.embedder.id
    known = {m.id: m for m in await reader.get(ids)}
    vectors = await find_vectors(run, known.values())
    queries, k = list(vectors.values()), NEIGHBOURS + 1
    found = await reader.search_each_vector(queries, k, CURRENT) if queries else []
    rest = {i: m.original_content for i, m in known.items() if i not in vectors}
    found += await reader.search_each_text(list(rest.values()), k, CURRENT)
    near = {i: [s.id for s in some] for i, some in zip((*vectors, *rest), found, strict=True)}
    others = await reader.get(sorted({i for some in near.values() for i in some} - known.keys()))
    known |= {m.id: m for m in others}
    vectors |= await find_vectors(run, others)

    def compare(a: MemoryId, b: MemoryId) -> float:
        cosine = float(np.dot(vectors[a], vectors[b])) if {a, b} <= vectors.keys() else None
        x, y = known[a].original_content, known[b].original_content
        return compute_similarity(x, y, cosine, embedder)

    def keep_pairs(tx: Transaction) -> Near:
        """Leave out pairs about two people of one name: they are no duplicates, and no change."""
        count = count_people(tx)
        pairs = {a: [b for b in some if b != a and b in known] for a, some in near.items()}
        return {
            a: {b: compare(a, b) for b in some if not may_be_two(known[a], known[b], count)}
            for a, some in pairs.items()
        }

    return await run.read(keep_pairs)


async def find_vectors(run: UpkeepRun, memories: Iterable[Memory]) -> dict[MemoryId, FloatArray]:
    """Return the stored vectors, and make those that are missing; none where the embedder fails."""
    ids = [m.id for m in memories]
    stored = await run.read(lambda tx: tx.vectors.get(ids, run.tools.embedder.id))
    missing = [m for m in memories if m.id not in stored]
    made = await run.tools.embed([m.original_content for m in missing])
    return {**stored, **{m.id: v for m, v in zip(missing, made, strict=True) if v is not None}}


# --- merging ---


def can_merge(a: Memory, b: Memory) -> bool:
    """Tell whether two memories may become one at all, however alike they are."""
    x, y = ({e.casefold() for e in m.entities} for m in (a, b))
    others = x and y and x.isdisjoint(y)  # each names people or things, and none of the other's
    kept = is_protected(a) or is_protected(b)
    return (
        _is_mergeable(a)
        and _is_mergeable(b)
        and _list_fixed(a) == _list_fixed(b)
        and a.id not in b.supersedes
        and b.id not in a.supersedes
        and not others
        and has_same_details(a.original_content, b.original_content)
        and (not kept or find_fullest([a, b]) is not None)
    )


def is_protected(m: Memory) -> bool:
    """Tell whether only the person ends it: spared by every curve, or who the person is."""
    return lifecycle.is_spared(m) or m.kind is Kind.IDENTITY


def find_fullest(some: Sequence[Memory]) -> str | None:
    """Return the text that has the words of all the others; None if none has."""
    words = {m.original_content: list_content_words(m.original_content) for m in some}
    text = max(words, key=lambda t: len(words[t]))
    return text if all(w <= words[text] for w in words.values()) else None


def _list_fixed(m: Memory) -> tuple[object, ...]:
    """Return what two memories must have in common."""
    # That it was said in place of another version does not say since when it has been so.
    since: datetime | None = None if m.valid_from == m.created_at else m.valid_from
    return m.kind, m.layer, m.language, m.pinned, since, m.valid_until, m.expires_at, m.dead


def _is_mergeable(m: Memory) -> bool:
    denies = any(entry.get("denies") for entry in m.correction_history)
    return is_current_fact(m) and not denies and not m.source_ids


def group_duplicates(some: Iterable[Memory], near: Near) -> list[tuple[Memory, ...]]:
    """Return who merges with whom, the base first; nobody is in two groups."""
    memories = {m.id: m for m in some}
    partners: dict[MemoryId, set[MemoryId]] = defaultdict(set)
    for a, found in near.items():
        for b, score in found.items():
            known = score >= DUPLICATE and {a, b} <= memories.keys()
            if known and can_merge(memories[a], memories[b]):
                partners[a].add(b)
                partners[b].add(a)
    out: list[tuple[Memory, ...]] = []
    taken: set[MemoryId] = set()
    bases = [memories[i] for i in partners]
    bases.sort(key=lambda m: (m.last_activated_at, m.created_at), reverse=True)
    for base in bases:
        free = sorted((memories[i] for i in partners[base.id] - taken), key=lambda m: m.created_at)
        if free and base.id not in taken:
            out.append((base, *free[: LARGEST - 1]))
            taken |= {m.id for m in out[-1]}
    return out


async def merge_duplicates(run: UpkeepRun) -> None:
    """Merge what is the same. Raises ModelError; what was merged until then stays."""
    near = {i: dict(found) for i, found in (await find_neighbours(run)).items()}
    pairs = run.data.get("same", ())  # the model has said so, and more than once
    ids = {*near, *(i for some in (*near.values(), *pairs) for i in some)}
    known = {m.id: m for m in await run.memories(sorted(ids))}
    for a, b in pairs:
        if {a, b} <= known.keys() and find_fullest([known[a], known[b]]) is not None:
            near.setdefault(a, {})[b] = 1.0
    groups = group_duplicates(known.values(), near)
    await run.prepare_each(groups[:MOST_MERGES], _prepare)


async def _prepare(run: UpkeepRun, group: tuple[Memory, ...]) -> Work:
    return partial(_write, run, group, await _ask_text(run, group))


async def _ask_text(run: UpkeepRun, group: tuple[Memory, ...]) -> str | None:
    """Return the merged text; one of their own where nothing is lost by it; None: stay apart."""
    texts, base = list(dict.fromkeys(map(redact_memory, group))), group[0]
    if len({normalise_text(t) for t in texts}) == 1:
        return base.original_content
    same = {frozenset(pair) for pair in run.data.get("same", ())}
    told = all(frozenset((base.id, m.id)) in same for m in group[1:])
    kept, fullest = any(map(is_protected, group)), find_fullest(group)
    if kept or (told and fullest is not None):
        quoted = any(map(is_quote, group)) and fullest != base.original_content
        return None if quoted else fullest
    answer: Merged | None = await run.ask("merge", base.language, {"texts": texts}, _MAX_ANSWER)
    if answer is not None and answer.separate:
        return None
    said = answer.text.partition("\n")[0] if answer else ""
    text = strip_subject(_LABEL.sub("", said).strip(' "“”'))
    if not (why := find_merge_fault(group, text)):
        return text
    run.tools.skipped(f"merge into {base.id}", why, text)
    whole = list_content_words(base.original_content)
    contained = all(list_content_words(m.original_content) <= whole for m in group)
    return base.original_content if contained else None


def find_merge_fault(group: Sequence[Memory], text: str) -> str:
    """Say why a model's text cannot stand for all of them; empty if it can."""
    originals = [m.original_content for m in group]
    first = originals[0]
    if why := find_unsayable(text, min(1_000, sum(map(len, originals)) + 40)):
        return why
    if set(NUMBER.findall(text)) != {n for t in originals for n in NUMBER.findall(t)}:
        return "other numbers"
    if denies_or_ends(text) != denies_or_ends(first):
        return "another sense"
    if any(name not in text.casefold() for name in find_names(first)):
        return "a name is missing"
    apart = list_content_words(text).isdisjoint(list_content_words(first))
    return "about something else" if apart else ""


def _write(run: UpkeepRun, group: Sequence[Memory], text: str | None, tx: Transaction) -> None:
    """Merge all of them as they were read, or nothing: one change set."""
    if text is None:
        run.count("separate")
        return
    fresh = tx.memories.get_many(m.id for m in group)
    if [m.rev for m in fresh] != [m.rev for m in group]:
        return
    base, *others = fresh
    new = merge_group(run, fresh, text)
    run.change(tx, base, new, "merged", "merged", f"{len(fresh)} into one")
    for m in others:
        tx.memories.put(replace(m, state=State.MERGED, merged_into=base.id), "merged")
    run.count("merges")
    run.count("merged", len(others))


def merge_group(run: UpkeepRun, every: Sequence[Memory], text: str) -> Memory:
    """Return the base with all that the others had: their words, mentions, topics, certainty."""
    base, *others = every
    originals: dict[MemoryId, str] = {}
    for m in every:
        originals |= m.original_contents
        originals.setdefault(m.id, m.original_content)
    quoted = is_quote(base) and text == base.original_content
    joined: dict[str, Any] = {
        name: _join(getattr(m, name) for m in every)
        for name in ("topics", "entities", "modalities", "supersedes")
    }
    if not quoted:
        joined["modalities"] = tuple(x for x in joined["modalities"] if x != "quote")
    return replace(
        lifecycle.join_mentions(base, every),
        content=text if base.level in {Level.FULL, Level.SUMMARY} else base.content,
        original_content=text,
        confidence=max(m.confidence for m in every),
        verified=any(m.verified for m in every),
        sensitivity=max(m.sensitivity for m in every),
        importance=max(lifecycle.compute_counter(m, run.tools.u, run.now) for m in every),
        importance_at=run.now,
        activation_count=sum(m.activation_count for m in every),
        merged_from=_join((base.merged_from, *((m.id, *m.merged_from) for m in others))),
        original_contents=originals,
        correction_history=tuple(e for m in every for e in m.correction_history),
        **joined,
    )


def _join(some: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(x for xs in some for x in xs))
