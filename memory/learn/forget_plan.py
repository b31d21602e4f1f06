"""What a request to forget could mean: looked for at every level, clear only if one stands out.

Deleting the best match of a search unasked is what people complain of most, so a second memory that
fits nearly as well is enough to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from memory.errors import ModelError
from memory.index.text import fold
from memory.learn.same_meaning import (
    ForgetTarget,
    find_names,
    is_semantic,
    list_units,
    mentions_name,
    normalise_text,
    rescale_cosine,
)
from memory.models import (
    Filter,
    Kind,
    Layer,
    Memory,
    MemoryId,
    Message,
    Sensitivity,
    State,
    detect_language,
)
from memory.ports import Embedder, Store, Transaction
from memory.text import translations
from memory.text.commands import find_intent, means_everything
from memory.text.forms import is_reordered
from memory.text.languages import LANGUAGES, either, values, words_of
from memory.text.speech import denies_or_ends
from memory.text.words import is_unspaced

CLEAR: Final = 0.6  # how well the one meant must fit
APART: Final = 0.2  # and by how much better than the next
WORTH_ASKING: Final = 0.34
LOOKED_AT: Final = 40
OFFERED: Final = 12
_SORTED: Final = 500  # memories looked through for an aspect or a sort
_RECENT: Final = 8  # messages that "what I just said" may reach back
_COSINE_FLOOR: Final = 0.35  # of a semantic embedder: from here on closeness says something
_MEASURES: Final = frozenset(words_of("forgetting", "MEASURES"))
_TASTES: Final = frozenset({"like", "hate"})  # how one feels about it says less than what it is

_ID: Final = re.compile(
    r"^(?:memory\s+|记忆\s*)?\[?(?P<id>[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{5,})\]?$", re.I
)
_ALL: Final = Filter(
    states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}),
    max_sensitivity=Sensitivity.SECRET,
)


def _compile(name: str) -> Mapping[str, re.Pattern[str]]:
    """Compile a table of patterns, each of all languages together."""
    tables = list(values("forgetting", name).values())
    keys = dict.fromkeys(key for table in tables for key in table)
    return {k: re.compile("|".join(t[k] for t in tables if k in t), re.I) for k in keys}


_ASKED, _TOLD, _SORTS = (_compile(name) for name in ("ASKED", "TOLD", "SORTS"))


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What a request to forget could mean.

    clear: the one memory that is meant, or None. candidates: what to ask about, likeliest first
    (with `clear`, it alone). every: all of the candidates are meant. everything: all of it was
    asked for, which needs a confirmation of its own. messages: things said that are meant where no
    memory is ("forget what I just said" before it was learned): pass them to `forget`.
    """

    clear: Memory | None = None
    candidates: list[Memory] = field(default_factory=list)
    every: bool = False
    everything: bool = False
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetPlanner:
    """Finds what is meant; reads only."""

    store: Store
    embedder: Embedder

    async def plan(
        self,
        user_id: str,
        text: str,
        *,
        scope: str | None = None,
        asking: str | None = None,
        spare: str = "",
        every: bool = False,
    ) -> ForgetPlan:
        """Return what `text` could mean.

        Empty: what was said just before, in `scope`, the message `asking` aside. spare: what must
        not go with it. every: all memories that name it are meant.
        """
        store, scope = self.store, scope or f"user:{user_id}"
        wanted = text.strip().strip(" .。!！\"“”「」'")
        if not wanted:
            return await store.read(user_id, lambda tx: _find_just_said(tx, scope, asking))
        if means_everything(wanted):
            return ForgetPlan(everything=True)
        if m := _ID.match(wanted):
            found = await store.read(user_id, lambda tx: tx.memories.get(m["id"].lower()))
            if found is not None and found.state in _ALL.states:
                return ForgetPlan(found, [found])
        if either("forgetting", "PRONOUN").fullmatch(wanted):
            wanted = await store.read(user_id, lambda tx: _find_last_name(tx, scope, asking))
            if not wanted:
                return ForgetPlan()
        ranked = await self._rank(user_id, wanted)
        if spare:
            ranked = [(s, m) for s, m in ranked if fit(spare, m) < min(s, CLEAR)]
        if not ranked:
            said = await store.read(user_id, lambda tx: _find_said(tx, wanted, asking))
            return ForgetPlan(messages=said)
        (best, memory), second = ranked[0], ranked[1][0] if len(ranked) > 1 else 0.0
        stands_out = best >= 1.0 > second or (best >= CLEAR and best - second >= APART)
        if len(ranked) == 1 or (stands_out and not every):
            return ForgetPlan(memory, [memory])
        units = list_units(wanted)
        naming = [m for _, m in ranked if units <= list_units(_join_texts(m))] if every else []
        if naming:
            return ForgetPlan(None, naming, every=True)
        return ForgetPlan(None, [m for _, m in ranked[:OFFERED]])

    async def _rank(self, user_id: str, wanted: str) -> list[tuple[float, Memory]]:
        """Return memories by how well they fit; episodes only where no fact does.

        A version stands for older ones that fit no better.
        """
        reader, embedder, vector = self.store.open_reader(user_id), self.embedder, None
        if is_semantic(embedder.id):  # else its nearness is shared letters: `fit` counts better
            with suppress(ModelError):  # words and entities answer alone
                vector = (await embedder.embed([wanted], "query"))[0]
        things, own = translations.things_of(wanted), detect_language(wanted)
        others = [lang for lang in LANGUAGES if lang != own]
        translated = " ".join(w for lang in others for w in translations.words_for(things, lang))
        found = await reader.search_words(wanted, LOOKED_AT, _ALL)
        found = [
            *found,
            *(await reader.search_words(translated, LOOKED_AT, _ALL) if translated else ()),
        ]
        if called := sorted(map(fold, find_names(f"… {wanted}"))):
            found += await reader.find_by_entity(called, LOOKED_AT, _ALL)
        if vector is not None:
            found += await reader.search_vectors(vector, LOOKED_AT, _ALL)

        def look(tx: Transaction) -> list[tuple[float, Memory]]:
            memories, close = _list_candidates(tx, (s.id for s in found), wanted), {}
            if vector is not None:
                own = vector[: embedder.dim]  # the embedder's before may stand behind it
                kept = tx.vectors.get([m.id for m in memories], embedder.id)
                close = {
                    i: rescale_cosine(float(np.dot(v, own)), embedder.id) for i, v in kept.items()
                }
            return [(fit(wanted, m, close.get(m.id, 0.0)), m) for m in memories]

        scored = await self.store.read(user_id, look)
        better = {old: score for score, m in scored for old in m.supersedes}
        scored = [s for s in scored if s[0] >= WORTH_ASKING and s[0] > better.get(s[1].id, 0.0)]
        best = sorted(scored, key=lambda s: (-s[0], -s[1].weight, s[1].id))
        return [s for s in best if s[1].layer is not Layer.EPISODE] or best


def _find_just_said(tx: Transaction, scope: str, asking: str | None) -> ForgetPlan:
    """Return what was learned from the message before the one that asks; else the message."""
    said = find_previous_message(tx, scope, asking)
    if said is None:
        return ForgetPlan()
    learned = tx.memories.get_many(tx.memories.list_learned_from([said.id]))
    learned = [m for m in learned if m.state in _ALL.states and m.layer is not Layer.EPISODE]
    return ForgetPlan(learned[0] if len(learned) == 1 else None, learned, messages=(said.id,))


def _find_last_name(tx: Transaction, scope: str, asking: str | None) -> str:
    """Return the name that was said last, which "him" or 他 then means; empty if there is none."""
    recent = tx.conversations.list_messages(scope=scope, limit=_RECENT, newest=True)
    said = [m.text for m in reversed(recent) if m.id != asking and m.author_user_id]
    found = (sorted(find_names(f"… {text}")) for text in said)
    return next((f[-1] for f in found if f), "")


def _find_said(tx: Transaction, wanted: str, asking: str | None) -> tuple[str, ...]:
    """Return messages that say it where no memory does: not learned yet, or not worth learning."""
    thing = ForgetTarget((list_units(wanted),))
    recent = tx.conversations.list_messages(limit=LOOKED_AT * 5, newest=True)
    own = (m for m in recent if m.id != asking and m.author_user_id)
    return tuple(m.id for m in own if thing.said_by(m.text, 1.0))


def find_previous_message(tx: Transaction, scope: str, asking: str | None) -> Message | None:
    """Return the user's last message before `asking` that is no such request itself."""
    at = tx.conversations.get_message(asking) if asking else None
    recent = tx.conversations.list_messages(
        scope=scope, before=at.seq if at else None, limit=_RECENT, newest=True
    )
    for m in reversed(recent):
        own = m.role == "user" and m.author_user_id in {None, tx.user_id}
        said = find_intent(m.text)
        if own and not m.text.startswith("/") and (said is None or not said.previous):
            return m
    return None


def _join_texts(m: Memory) -> str:
    return f"{m.original_content} {m.content} {' '.join(m.entities)}"


def fit(wanted: str, m: Memory, cosine: float = 0.0) -> float:
    """Say how well a memory fits what is to be forgotten, 0 to 1, by words or by meaning."""
    if normalise_text(wanted) in {normalise_text(m.original_content), normalise_text(m.content)}:
        return 1.0
    if is_reordered(wanted, m.original_content):
        return WORTH_ASKING  # the same words, and probably another thing
    said, asked = _join_texts(m), list_units(wanted)
    if asked and asked == list_units(m.original_content):
        return 1.0  # the same but for "I" and "the user"
    words = _compare(len(asked & list_units(said)), len(asked), len(asked | list_units(said)))
    called = find_names(f"… {wanted}")
    if called and not any(mentions_name(name, said) for name in called):
        words = 0.0  # "that I live in Lisbon" is not "Sister Hannah lives in Lyon"
    if detect_language(wanted) != detect_language(m.original_content):
        words = max(words, _fit_across(wanted, said))
    meant = 0.85 * max(0.0, (cosine - _COSINE_FLOOR) / (1 - _COSINE_FLOOR))
    told = any(_TOLD[aspect].search(m.original_content) for aspect in _list_aspects(wanted))
    return max(words, meant, 0.62 if told or m.kind in _list_kinds(wanted) else 0.0)


def _compare(shared: float, asked: float, both: float) -> float:
    return 0.8 * shared / asked + 0.15 * shared / both if shared else 0.0


def _fit_across(wanted: str, told: str) -> float:
    """Compare the things two texts in two languages speak of, and what has no translation."""
    asked, other = translations.things_of(wanted), translations.things_of(told)
    if denies_or_ends(wanted) != denies_or_ends(told) and not asked - _TASTES:
        return 0.0
    asked, other = asked - _TASTES or asked, other - _TASTES or other
    left = list_units(translations.cut_things(wanted)) - _MEASURES
    names = {w for w in left if not is_unspaced(w)}
    size = len(asked) + len(names) + len(left - names) / 2
    shared = len(asked & other) + len(names & list_units(told))
    return _compare(shared, size, size + len(other - asked))


def _list_aspects(wanted: str) -> list[str]:
    return [aspect for aspect, asked in _ASKED.items() if asked.search(wanted)]


def _list_kinds(wanted: str) -> frozenset[Kind]:
    """Return the sorts of memory that are called by name."""
    return frozenset(
        Kind(kind)
        for kinds, asked in _SORTS.items()
        if asked.search(wanted)
        for kind in kinds.split()
    )


def _list_candidates(tx: Transaction, ids: Iterable[MemoryId], wanted: str) -> list[Memory]:
    """Return the memories found, and those that an aspect or a sort points to."""
    found = tx.memories.get_many(dict.fromkeys(ids))
    if kinds := _list_kinds(wanted):
        found += tx.memories.find(replace(_ALL, kinds=kinds), limit=_SORTED).items
    if told := [_TOLD[aspect] for aspect in _list_aspects(wanted)]:
        every = tx.memories.find(_ALL, limit=_SORTED).items
        found += [m for m in every if any(t.search(m.original_content) for t in told)]
    return [m for m in {m.id: m for m in found}.values() if m.state in _ALL.states]
