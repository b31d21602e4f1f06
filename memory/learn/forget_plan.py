"""What a request to forget could mean: looked for at every level, and clear only if one thing
stands out.

Deleting the best match of a search unasked is what people complain of most, so a second memory that
fits nearly as well is enough to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
from memory.text.languages import LANGUAGES
from memory.text.speech import denies_or_ends

CLEAR: Final = 0.6  # how well the one meant must fit
APART: Final = 0.2  # and by how much better than the next
WORTH_ASKING: Final = 0.34
LOOKED_AT: Final = 40
_MEASURES: Final = frozenset("一两二三只个条位些家")
_TASTES: Final = frozenset({"like", "hate"})  # how one feels about it says less than what it is
OFFERED: Final = 12
_RECENT: Final = 8  # messages that "what I just said" may reach back
_COSINE_FLOOR: Final = (
    0.35  # of a semantic embedder: from here on closeness begins to say something
)

_ID: Final = re.compile(
    r"^(?:memory\s+|记忆\s*)?\[?(?P<id>[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{5,})\]?$", re.I
)
_PRONOUN: Final = re.compile(r"him|her|them|[他她它]们?", re.I)
_ALL: Final = Filter(
    states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}),
    max_sensitivity=Sensitivity.SECRET,
)
# What people call a thing they never put in that word: "forget my job" means "I work at …".
_ASPECTS: Final[Sequence[tuple[re.Pattern[str], re.Pattern[str]]]] = tuple(
    (re.compile(asked, re.I), re.compile(told, re.I))
    for asked, told in (
        (r"\bmy name\b|我的?(?:名字|姓名)", r"\bmy name\b|\bcall me\b|\bnamed?\b|我叫|名字|叫我"),
        (
            r"\b(?:my (?:address|home|city|town)|where i live)\b|我的?(?:地址|住址|家)|住(?:在)?哪",
            r"\blives?\b|\baddress\b|\bmoved? to\b|住|搬到|地址",
        ),
        (
            r"\b(?:my (?:job|work|profession)|where i work)\b|我的?(?:工作|职业)",
            r"\bworks?\b|\bjob\b|工作|上班|职业",
        ),
        (
            r"\bmy (?:birthday|age)\b|我的?(?:生日|年龄)",
            r"\bborn\b|\bbirthday\b|\byears old\b|生日|出生|岁",
        ),
        (r"\bmy (?:allerg\w+)\b|我的?过敏", r"\ballerg|过敏"),
        (r"\bmy diet\b|我的?饮食", r"\b(?:vegan|vegetarian|eat|gluten|diet)|素食|不吃|饮食"),
        (r"\bmy (?:phone|number)\b|我的?(?:电话|手机号?)", r"\bphone\b|\bnumber\b|电话|手机"),
    )
)

# Whole sorts of memories, called by the sort's name: "forget my plans" means none of them by its
# words.
_SORTS: Final[Sequence[tuple[re.Pattern[str], frozenset[Kind]]]] = tuple(
    (re.compile(asked, re.I), frozenset(kinds))
    for asked, kinds in (
        (
            r"\b(?:my|the|all|any) (?:plans?|appointments?|to-?dos?|reminders?|schedule)\b"
            r"|(?:我的?|所有的?|全部的?|那些?)(?:计划|安排|日程|预约|待办(?:事项)?)",
            {Kind.TODO, Kind.GOAL},
        ),
        (r"\b(?:my|the) goals?\b|我的?目标", {Kind.GOAL}),
        (
            r"\bmy (?:preferences?|tastes?|likes|dislikes)\b|\bwhat i (?:dis)?like\b"
            r"|我的?(?:偏好|喜好|口味)|我(?:不)?喜欢什么",
            {Kind.PREFERENCE, Kind.WHIM},
        ),
        (r"\bmy skills?\b|我的?(?:技能|特长)", {Kind.SKILL}),
        (r"\bmy (?:habits?|routines?)\b|我的?(?:习惯|作息)", {Kind.WORKFLOW}),
    )
)


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
        """Return what `text` could mean. Empty: what was said just before, in `scope`, the message
        `asking` aside.

        spare: what must not go with it. every: all memories that name it are meant.
        """
        store, scope = self.store, scope or f"user:{user_id}"
        wanted = text.strip().strip(" .。!！\"“”「」'")
        if not wanted:
            return await store.read(user_id, lambda tx: _just_said(tx, scope, asking))
        if means_everything(wanted):
            return ForgetPlan(everything=True)
        if m := _ID.match(wanted):
            found = await store.read(user_id, lambda tx: tx.memories.get(m["id"].lower()))
            if found is not None and found.state in _ALL.states:
                return ForgetPlan(found, [found])
        if _PRONOUN.fullmatch(wanted):
            wanted = await store.read(user_id, lambda tx: _last_name(tx, scope, asking))
            if not wanted:
                return ForgetPlan()
        ranked = await self._ranked(user_id, wanted)
        if spare:
            ranked = [(s, m) for s, m in ranked if fit(spare, m) < min(s, CLEAR)]
        if not ranked:
            return ForgetPlan(
                messages=await store.read(user_id, lambda tx: _said(tx, wanted, asking))
            )
        best, memory = ranked[0]
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        if len(ranked) == 1 or (
            not every and (best >= 1.0 > second or (best >= CLEAR and best - second >= APART))
        ):
            return ForgetPlan(memory, [memory])
        naming = [
            m
            for _, m in ranked
            if list_units(wanted) <= list_units(f"{m.original_content} {' '.join(m.entities)}")
        ]
        if every and naming:
            return ForgetPlan(None, naming, every=True)
        return ForgetPlan(None, [m for _, m in ranked[:OFFERED]])

    async def _ranked(self, user_id: str, wanted: str) -> list[tuple[float, Memory]]:
        """Memories by how well they fit.

        A version stands for older ones that fit no better; episodes come last.
        """
        reader, embedder, vector = self.store.open_reader(user_id), self.embedder, None
        if is_semantic(
            embedder.id
        ):  # else its nearness is shared letters, which `fit` counts better
            with suppress(ModelError):  # words and entities answer alone
                vector = (await embedder.embed([wanted], "query"))[0]
        found = await reader.search_words(wanted, LOOKED_AT, _ALL)
        things, own = translations.things_of(wanted), detect_language(wanted)
        if translated := [
            w for lang in LANGUAGES if lang != own for w in translations.words_for(things, lang)
        ]:
            found = [*found, *await reader.search_words(" ".join(translated), LOOKED_AT, _ALL)]
        if called := find_names(f"… {wanted}"):
            found = [
                *found,
                *await reader.find_by_entity(sorted(map(fold, called)), LOOKED_AT, _ALL),
            ]
        if vector is not None:
            found = [*found, *await reader.search_vectors(vector, LOOKED_AT, _ALL)]
        ids = dict.fromkeys(s.id for s in found)

        def look(tx: Transaction) -> list[tuple[float, Memory]]:
            memories, close = _looked_at(tx, ids, wanted), dict[MemoryId, float]()
            if vector is not None:
                kept = tx.vectors.get([m.id for m in memories], embedder.id)
                own = vector[: embedder.dim]  # the embedder's before may stand behind it
                close = {
                    i: rescale_cosine(float(np.dot(v, own)), embedder.id) for i, v in kept.items()
                }
            return [(fit(wanted, m, close.get(m.id, 0.0)), m) for m in memories]

        scored = await self.store.read(user_id, look)
        better = {old: score for score, m in scored for old in m.supersedes}
        scored = [s for s in scored if s[0] >= WORTH_ASKING and s[0] > better.get(s[1].id, 0.0)]
        best = sorted(
            scored, key=lambda s: (s[1].layer is Layer.EPISODE, -s[0], -s[1].weight, s[1].id)
        )
        facts = [s for s in best if s[1].layer is not Layer.EPISODE]
        return facts or best


def _just_said(tx: Transaction, scope: str, asking: str | None) -> ForgetPlan:
    """Return what was learned from the user's message before the one that asks; the message itself if nothing was."""
    said = find_previous_message(tx, scope, asking)
    if said is None:
        return ForgetPlan()
    learned = tx.memories.get_many(tx.memories.list_learned_from([said.id]))
    learned = [m for m in learned if m.state in _ALL.states and m.layer is not Layer.EPISODE]
    return ForgetPlan(learned[0] if len(learned) == 1 else None, learned, messages=(said.id,))


def _last_name(tx: Transaction, scope: str, asking: str | None) -> str:
    """Return the name that was said last, which "him" or 他 then means; empty if there is none."""
    recent = tx.conversations.list_messages(scope=scope, limit=_RECENT, newest=True)
    said = [m.text for m in reversed(recent) if m.id != asking and m.author_user_id]
    found = (sorted(find_names(f"… {text}")) for text in said)
    return next((f[-1] for f in found if f), "")


def _said(tx: Transaction, wanted: str, asking: str | None) -> tuple[str, ...]:
    """Messages that say it where no memory does: not learned yet, or not worth learning."""
    thing = ForgetTarget((list_units(wanted),))
    recent = tx.conversations.list_messages(limit=LOOKED_AT * 5, newest=True)
    return tuple(
        m.id for m in recent if m.id != asking and m.author_user_id and thing.said_by(m.text, 1.0)
    )


def find_previous_message(tx: Transaction, scope: str, asking: str | None) -> Message | None:
    """Return the user's last visible message in the scope that is no such request itself, before `asking`."""
    at = tx.conversations.get_message(asking) if asking else None
    recent = tx.conversations.list_messages(
        scope=scope, before=at.seq if at else None, limit=_RECENT, newest=True
    )
    for m in reversed(recent):
        if m.role != "user" or m.author_user_id not in {None, tx.user_id} or m.text.startswith("/"):
            continue
        said = find_intent(m.text)
        if said is None or not said.previous:
            return m
    return None


def fit(wanted: str, m: Memory, cosine: float = 0.0) -> float:
    """Say how well a memory fits what is to be forgotten, 0 to 1: 1 for the very words; else by words or meaning."""
    if normalise_text(wanted) in {normalise_text(m.original_content), normalise_text(m.content)}:
        return 1.0
    if is_reordered(wanted, m.original_content):
        return WORTH_ASKING  # the same words, and probably another thing
    if (only := list_units(wanted)) and only == list_units(m.original_content):
        return 1.0  # the same but for "I" and "the user"
    said = f"{m.original_content} {m.content} {' '.join(m.entities)}"
    asked, told = list_units(wanted), list_units(said)
    shared = len(asked & told)
    words = 0.8 * shared / len(asked) + 0.15 * shared / len(asked | told) if asked else 0.0
    called = find_names(f"… {wanted}")
    if called and not any(mentions_name(name, said) for name in called):
        words = 0.0  # "that I live in Lisbon" is not "Sister Hannah lives in Lyon"
    if detect_language(wanted) != detect_language(m.original_content):
        words = max(words, _across(wanted, m))
    meant = 0.85 * max(0.0, (cosine - _COSINE_FLOOR) / (1 - _COSINE_FLOOR))
    aspect = any(
        a.search(wanted) and t.search(m.original_content) for a, t in _ASPECTS
    ) or m.kind in _kinds(wanted)
    return max(words, meant, 0.62 if aspect else 0.0)


def _across(wanted: str, m: Memory) -> float:
    """`fit` by the things both speak of, where they are in two languages; what has no translation counts as it is."""
    told = f"{m.original_content} {m.content} {' '.join(m.entities)}"
    asked, other = translations.things_of(wanted), translations.things_of(told)
    if denies_or_ends(wanted) != denies_or_ends(told) and not asked - _TASTES:
        return 0.0
    asked, other = asked - _TASTES or asked, other - _TASTES or other
    left = list_units(translations.cut_things(wanted)) - _MEASURES
    names_ = {w for w in left if w < "\u3400"}
    size = len(asked) + len(names_) + sum(w >= "\u3400" for w in left) / 2
    shared = len(asked & other) + len(names_ & list_units(told))
    return 0.8 * shared / size + 0.15 * shared / (size + len(other - asked)) if shared else 0.0


def _kinds(wanted: str) -> frozenset[Kind]:
    """Return the sorts of memory that are called by name."""
    return frozenset(k for asked, kinds in _SORTS if asked.search(wanted) for k in kinds)


def _looked_at(tx: Transaction, ids: Iterable[MemoryId], wanted: str) -> list[Memory]:
    """Return the memories found, and those that an aspect or a sort points to."""
    found = {m.id: m for m in tx.memories.get_many(ids)}
    if kinds := _kinds(wanted):
        found |= {m.id: m for m in tx.memories.find(replace(_ALL, kinds=kinds), limit=500).items}
    for asked, told in _ASPECTS:
        if asked.search(wanted):
            found |= {
                m.id: m
                for m in tx.memories.find(_ALL, limit=500).items
                if told.search(m.original_content)
            }
    return [m for m in found.values() if m.state in _ALL.states]
