"""Several memories that say one thing become one (S2): the nightly merge.

Of the same kind and at least 0.75 alike, with the same numbers, names and polarity, valid at the same time and
nobody's secret. The most recently activated one is the base and keeps its id; the memory model writes the text, or
says that they are different things after all. The others stay, `merged`, and their words stay in the base's
`original_contents`: an undo takes the merge apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory import lifecycle, privacy
from memory.learn.alike import agree, names, normalised, words
from memory.learn.material import told
from memory.lifecycle.life import MENTIONS_KEPT
from memory.models import Layer, Level, Memory, MemoryId, Sensitivity, State
from memory.ports import Tx
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.run import Run, Tally
from memory.upkeep.similar import DUPLICATE

if TYPE_CHECKING:
    from memory.learn.schemas import Merged

MOST_MERGES: Final = 25  # a night
LARGEST: Final = 12  # memories in one merge
_MAX_ANSWER: Final = 300
_NUMBER: Final = re.compile(r"\d+")
_LABEL: Final = re.compile(r"^\s*(?:[-*•]|merged?\s*[:：]|合并(?:后|结果)?\s*[:：])\s*", re.I)

Near = Mapping[MemoryId, Mapping[MemoryId, float]]


@dataclass(frozen=True, slots=True)
class Group:
    """A base and those that say the same."""

    base: Memory
    others: tuple[Memory, ...]

    @property
    def all(self) -> tuple[Memory, ...]:
        """The base first."""
        return (self.base, *self.others)


def mergeable(a: Memory, b: Memory) -> bool:
    """Whether two memories may become one at all, however alike they are."""
    return (
        _stands(a)
        and _stands(b)
        and (a.kind, a.layer, a.language, a.pinned) == (b.kind, b.layer, b.language, b.pinned)
        and (_since(a), a.valid_until, a.expires_at) == (_since(b), b.valid_until, b.expires_at)
        and a.id not in (*b.supersedes, *b.source_ids)
        and b.id not in (*a.supersedes, *a.source_ids)
        and not (a.source_ids or b.source_ids)
        and agree(a.original_content, b.original_content)
        and names(a.original_content) == names(b.original_content)
        and not _about_others(a, b)
    )


def _since(m: Memory) -> datetime | None:
    """Since when it has been so, if anybody said: that it was said in place of another version does not say it."""
    return None if m.valid_from == m.created_at else m.valid_from


def _stands(m: Memory) -> bool:
    return (
        m.state is State.ACTIVE
        and m.layer in {Layer.FACT, Layer.CORE}
        and m.negated_at is None
        and not any(entry.get("denies") for entry in m.correction_history)
        and m.sensitivity < Sensitivity.SECRET
    )


def _about_others(a: Memory, b: Memory) -> bool:
    """Each names people or things, and none that the other names."""
    x, y = ({e.casefold() for e in m.entities} for m in (a, b))
    return bool(x and y) and x.isdisjoint(y)


def groups(memories: Mapping[MemoryId, Memory], near: Near) -> list[Group]:
    """Who merges with whom: everybody in a group is a duplicate of its base, nobody is in two."""
    pairs: dict[MemoryId, set[MemoryId]] = {}
    for a, found in near.items():
        for b, score in found.items():
            if score >= DUPLICATE and a in memories and b in memories and mergeable(memories[a], memories[b]):
                pairs.setdefault(a, set()).add(b)
                pairs.setdefault(b, set()).add(a)
    out: list[Group] = []
    taken: set[MemoryId] = set()
    for base in sorted((memories[i] for i in pairs), key=lambda m: (m.last_activated_at, m.created_at), reverse=True):
        if base.id in taken:
            continue
        free = sorted((memories[i] for i in pairs[base.id] - taken), key=lambda m: m.created_at)
        if free:
            out.append(Group(base, tuple(free[: LARGEST - 1])))
            taken |= {m.id for m in out[-1].all}
    return out


async def merge(run: Run, near: Near) -> None:
    """Merge what is the same. Raises ModelError; what was merged until then stays."""
    ids = {*near, *(i for found in near.values() for i in found)}
    memories = {m.id: m for m in await run.tools.store.reader(run.user_id).get(sorted(ids))}
    found = groups(memories, near)[:MOST_MERGES]
    for i, group in enumerate(found):
        text = await _text(run, group)
        await run.write(
            lambda tx, tally, group=group, text=text: _merge(run, tx, tally, group, text),  # type: ignore[misc]
            share=(i + 1) / len(found),
        )


async def _text(run: Run, group: Group) -> str | None:
    """The merged text; the base's own where the model's cannot be used and nothing would be lost; else None."""
    texts = list(dict.fromkeys(told(m) for m in group.all))
    base = group.base.original_content
    if len({normalised(t) for t in texts}) == 1:
        return base
    answer: Merged | None = await run.tools.read(
        run.user_id, "merge", group.base.language, {"texts": texts}, {"texts": texts}, run.now, _MAX_ANSWER
    )
    if answer is not None and answer.separate:
        return None
    said = answer.text.strip().partition("\n")[0] if answer else ""
    text = strip_subject(_LABEL.sub("", said).strip(' "“”'))
    why = unfit(group, text)
    if not why:
        return text
    run.tools.skipped(f"merge into {group.base.id}", why, text)
    return base if all(words(m.original_content) <= words(base) for m in group.others) else None


def unfit(group: Group, text: str) -> str:
    """Why a model's text cannot stand for all of them; empty if it can."""
    originals = [m.original_content for m in group.all]
    if not any(c.isalnum() for c in text):
        return "empty"
    if len(text) > min(1_000, sum(map(len, originals)) + 40):
        return "too long"
    if set(_NUMBER.findall(text)) != {n for t in originals for n in _NUMBER.findall(t)}:
        return "other numbers"
    if denies_or_ends(text) != denies_or_ends(originals[0]):
        return "another sense"
    folded = text.casefold()
    if any(name not in folded for name in names(originals[0])):
        return "a name is missing"
    if words(text).isdisjoint(words(originals[0])):
        return "about something else"
    return "not to be kept" if privacy.redact(text)[1] or privacy.instruction_like(text) else ""


def _merge(run: Run, tx: Tx, tally: Tally, group: Group, text: str | None) -> None:
    """All of them as they were read, or nothing: one change set."""
    fresh = tx.memories.many(m.id for m in group.all)
    if text is None:
        tally.count("separate")
        return
    if [m.rev for m in fresh] != [m.rev for m in group.all]:
        return
    base, others = fresh[0], fresh[1:]
    stored = run.change(tx, base, merged(run, base, others, text), "merged", "merged", _count(len(fresh)))
    for m in others:
        tx.memories.put(replace(m, state=State.MERGED, merged_into=stored.id), "merged")
    tally.count("merges")
    tally.count("merged", len(others))


def merged(run: Run, base: Memory, others: Sequence[Memory], text: str) -> Memory:
    """The base with all that the others had: their words, mentions, topics; as certain as the most certain one."""
    every = (base, *others)
    originals = dict(base.original_contents)
    originals.setdefault(base.id, base.original_content)
    for m in others:
        originals.update(m.original_contents or {m.id: m.original_content})
        originals.setdefault(m.id, m.original_content)
    rewritten = base.level in {Level.FULL, Level.SUMMARY}
    return replace(
        base,
        content=text if rewritten else base.content,
        original_content=text,
        topics=_joined(m.topics for m in every),
        entities=_joined(m.entities for m in every),
        modalities=_joined(m.modalities for m in every),
        confidence=max(m.confidence for m in every),
        verified=any(m.verified for m in every),
        sensitivity=max(m.sensitivity for m in every),
        importance=max(lifecycle.counter(m, run.tools.u, run.now) for m in every),
        importance_at=run.now,
        activation_count=sum(m.activation_count for m in every),
        recent_mentions=tuple(sorted({t for m in every for t in m.recent_mentions}))[-MENTIONS_KEPT:],
        merged_from=_joined((base.merged_from, *((m.id, *m.merged_from) for m in others))),
        original_contents=originals,
        supersedes=_joined(m.supersedes for m in every),
        correction_history=tuple(e for m in every for e in m.correction_history),
    )


def _joined(some: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(x for xs in some for x in xs))


def _count(n: int) -> str:
    return f"{n} into one"
