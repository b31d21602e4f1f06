"""Themes: one line in place of several small facts, with the facts as its details beneath.

A theme is a memory of its own that names the memories it rests on (`source_ids`). The memory model
words it, code checks it: each word, name and number has to be borne out by two of its details. It
is never evidence and never a detail of another theme. The store lets go of it when one of its
details ends (`memory.store.memories`), and a tombstone keeps a declined one from being made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from memory import privacy
from memory.learn.merge import Claim, Merger, find_known_memory, find_tombstones
from memory.learn.preferences import find_quiet_wish
from memory.learn.same_meaning import find_names, list_units, mentions_name, same
from memory.learn.visible_messages import redact_memory
from memory.lifecycle import find_death
from memory.models import (
    Draft,
    Filter,
    Importance,
    Kind,
    Memory,
    MemoryId,
    Sensitivity,
    Source,
    State,
    detect_language,
    is_quote,
)
from memory.ports import FloatArray, Transaction
from memory.recall.agenda import find_deaths
from memory.text.forms import has_other_roles, has_same_form, list_quantities
from memory.text.languages import either, values
from memory.text.notes import is_health, strip_subject
from memory.text.speech import denies_or_ends
from memory.text.words import is_unspaced, tokens
from memory.upkeep.duplicates import find_neighbours
from memory.upkeep.level_texts import find_unsayable
from memory.upkeep.run import Near, UpkeepRun, is_current_fact

if TYPE_CHECKING:
    from memory.learn.schemas import Conclusion, Conclusions

FEWEST: Final = 3  # details of a theme
BORNE_BY: Final = 2  # details that have to have each of its words
MOST_A_WEEK: Final = 3
MOST_GROUPS: Final = 3  # shown to the model in a night
MOST_SHOWN: Final = 8  # memories of a group
LONGEST: Final = 120  # characters of a theme
_LEAST: Final = 2  # words of a theme, or pairs of characters, that does not say how often
_WEEK: Final = timedelta(days=7)
_MAX_ANSWER: Final = 400
_KINDS: Final = frozenset({Kind.PREFERENCE, Kind.FACT, Kind.SKILL, Kind.WORKFLOW})
_DETAILS: Final = _KINDS | {Kind.WHIM, Kind.CONTEXT, Kind.EVENT, Kind.LESSON, Kind.DECISION}


async def derive_themes(run: UpkeepRun) -> None:
    """Put what is new under its theme, and have new themes worded. Raises ModelError."""
    await run.write(partial(_drop_ended, run))
    near = await find_neighbours(run)
    if not near:
        return
    ids = {*near, *(i for some in near.values() for i in some)}
    deaths = await run.read(lambda tx: find_deaths(tx, run.now))
    some = [m for m in await run.memories(sorted(ids)) if is_detail(m, run)]
    known = {m.id: m for m in some if not m.dead and find_death(m, deaths) is None}
    await run.write(partial(_add_details, run, near, known))
    themes, room = await run.read(partial(_look, run))
    groups = group_details(known, near, {i for t in themes for i in t.source_ids})
    if not groups or room <= 0:
        return
    lang = groups[0][0].language
    groups = [g for g in groups if g[0].language == lang][:MOST_GROUPS]
    shown = {m.id: m for g in groups for m in g}
    rows = [[{"id": m.id, "text": redact_memory(m)} for m in g] for g in groups]
    answer: Conclusions | None = await run.ask("derive", lang, {"groups": rows}, _MAX_ANSWER)
    sound = [
        (text, c, details)
        for c in (answer.conclusions if answer else ())
        if (text := strip_subject(" ".join(c.content.split())))
        and (details := _find_details(run, text, c, shown))
    ][:room]
    vectors = await run.tools.embed([text for text, _, _ in sound])
    works = [
        partial(_write, run, text, c.kind, vector, details)
        for (text, c, details), vector in zip(sound, vectors, strict=True)
    ]
    await run.write_together(works)


def is_detail(m: Memory, run: UpkeepRun) -> bool:
    """Tell whether a theme may rest on it: small, past or present, neither private nor derived."""
    return (
        is_current_fact(m)
        and m.kind in _DETAILS
        and m.sensitivity < Sensitivity.PRIVATE
        and m.quiet_at is None
        and not m.source_ids
        and not is_quote(m)  # the person's own words are not put in others
        and (m.on is None or m.on <= run.now)
        and m.has_begun(run.now)
        and not m.has_ended(run.now)
        and not is_health(m.original_content)
    )


def _look(run: UpkeepRun, tx: Transaction) -> tuple[list[Memory], int]:
    """Return the themes that stand, and how many more this week may have."""
    every = tx.memories.list_derived()
    made = sum(m.source is Source.SYSTEM and m.created_at > run.now - _WEEK for m in every)
    room = MOST_A_WEEK - made if run.tools.learns(tx) == "auto" else 0
    return [m for m in every if m.state is State.ACTIVE], room


def _drop_ended(run: UpkeepRun, tx: Transaction) -> None:
    """Let go of themes with a detail whose time is over, unless the person has confirmed them."""
    themes = [m for m in _look(run, tx)[0] if not (m.verified or m.pinned)]
    details = tx.memories.get_many({i for t in themes for i in t.source_ids})
    over = {m.id for m in details if m.has_ended(run.now)}
    for theme in themes:
        if not over.isdisjoint(theme.source_ids):
            run.begin(tx, "derive")
            tx.memories.put(replace(theme, state=State.DELETED, deleted_at=run.now), "deleted")


def _add_details(
    run: UpkeepRun, near: Near, known: Mapping[MemoryId, Memory], tx: Transaction
) -> None:
    """Put each new fact that bears out a theme, and is near one of its details, beneath it."""
    for theme in _look(run, tx)[0]:
        has = set(theme.source_ids)
        more = [
            i
            for i, others in near.items()
            if i in known and i not in has and not has.isdisjoint(others)
            if _bears(theme.original_content, known[i].original_content)
        ]
        if more:
            run.begin(tx, "derive")
            tx.memories.put(replace(theme, source_ids=(*theme.source_ids, *more)), "updated")
            run.count("details", len(more))


def group_details(
    known: Mapping[MemoryId, Memory], near: Near, under: Iterable[MemoryId]
) -> list[list[Memory]]:
    """Return groups of one recurring subject, the largest first; no memory is in two.

    A group is a new memory and those that share a word with it and are at least half as near as
    the nearest, without what no theme of them could rest on. `under` are those that have a theme.
    """
    taken, found = set(under), list[list[Memory]]()
    for seed, others in near.items():
        least = max(others.values(), default=0.0) / 2
        ranked = sorted((i for i in others if others[i] >= least), key=others.__getitem__)[::-1]
        some = [known[i] for i in (seed, *ranked) if i in known and i not in taken]
        if seed in known and seed not in taken:
            own = _list_words(some[0].original_content)
            group = [m for m in some if not own.isdisjoint(_list_words(m.original_content))]
            own_language = [m for m in group if m.language == some[0].language]
            found.append(_keep_bearing(own_language[:MOST_SHOWN]))
    out = []
    for group in sorted(found, key=len, reverse=True):
        if len(group) >= FEWEST and taken.isdisjoint(m.id for m in group):
            out.append(group)
            taken |= {m.id for m in group}
    return out


def _keep_bearing(group: Sequence[Memory]) -> list[Memory]:
    """Leave out memories that hold no phrase whose words recur, or open with what does not.

    A theme that rests on them would be refused: nobody has to be asked for it.
    """
    originals = [m.original_content for m in group]
    words = [_list_words(o) for o in originals]

    def recurs(units: Iterable[str]) -> bool:
        return all(_is_borne_out(unit, originals, words) for unit in units)

    phrases = [units for o in originals for units, _ in _list_phrases(o) if recurs(units)]
    kept = [
        m
        for m, own in zip(group, words, strict=True)
        if recurs([_find_opening(m.original_content)])
        if any(own.issuperset(units) for units in phrases)
    ]
    return kept if len(kept) in {0, len(group)} else _keep_bearing(kept)


def _find_details(
    run: UpkeepRun, text: str, c: Conclusion, shown: Mapping[MemoryId, Memory]
) -> list[Memory]:
    """Return what bears the text out, of what it is said to rest on; empty if it may not be."""
    named = [shown[i] for i in dict.fromkeys(c.grounds) if i in shown]
    details = [m for m in named if _bears(text, m.original_content)]
    fault = find_theme_fault(text, details)
    if fault:
        run.tools.skipped("theme", fault, text)
    return [] if fault else details


# --- the check ---


def find_theme_fault(text: str, details: Sequence[Memory]) -> str:
    """Say why a text may not stand over these details, all of which bear it out; empty if it may.

    What each of them says (who it is about, as a rule) has to be in it, and what it says in two.
    """
    originals = [m.original_content for m in details]
    if len(details) < FEWEST:
        return "too few details"
    if why := find_unsayable(text, LONGEST):
        return why
    if detect_language(text, details[0].language) != details[0].language:
        return "another language"
    if is_health(text) or privacy.classify_sensitivity(text) >= Sensitivity.PRIVATE:
        return "too private"
    names = find_names(text, ())
    if any(sum(mentions_name(n, o) for o in originals) < BORNE_BY for n in names):
        return "another name"
    counted = Counter(q for o in originals for q in set(list_quantities(o)))
    if any(counted[q] < BORNE_BY for q in list_quantities(text)):
        return "another number"
    words = [_list_words(o) for o in originals]
    if not all(_is_borne_out(unit, originals, words) for unit in _list_words(text)):
        return "another word"
    whole = [phrase for o in originals for phrase in _list_phrases(o)]
    plain = either("themes", "QUANTITY").sub("", text).strip(" .,。，")
    ends = either("themes", "BREAKS").split(plain)[-1].strip()
    for units, said in _list_phrases(text):
        if not ends or not any(units == own and said <= all_ for own, all_ in whole):
            return "a piece of a phrase"  # "Tom burnt the", of what Tom burnt
    if not set.intersection(*words) <= _list_words(text):
        return "a word of all is missing"
    if has_other_roles(text, originals):
        return "other roles"
    own, often = _list_words(text), either("themes", "QUANTITY").search(text)
    again = any(has_same_form(text, o) for o in originals) or (own in words and not often)
    long = len(own) >= _LEAST or (often and all(len(unit) > 1 for unit in own))
    return "nothing new" if again or not own or not long else ""


def _bears(text: str, original: str) -> bool:
    """Tell whether a memory may bear a theme out: it has a phrase of it, in the same polarity.

    What it opens with has to be in the theme: "Tom went running" says nothing of the person.
    """
    opening = _find_opening(original)
    inside = opening in (text if is_unspaced(opening) else _list_words(text))
    has = any(set(units) <= _list_words(original) for units, _ in _list_phrases(text))
    return bool(opening) and inside and has and denies_or_ends(text) == denies_or_ends(original)


def _find_opening(original: str) -> str:
    """Return what a memory begins with: its first content word, or first character."""
    opening = next(iter(_split(either("themes", "TIMES").sub(" ", original))), [""])[0]
    return opening[:1] if is_unspaced(opening) else opening


def _is_borne_out(unit: str, originals: Sequence[str], words: Sequence[set[str]]) -> bool:
    """Tell whether enough originals have the word."""
    wide = is_unspaced(unit)
    found = sum(unit in (o if wide else w) for o, w in zip(originals, words, strict=True))
    return found >= BORNE_BY


def _list_phrases(text: str) -> list[tuple[list[str], set[str]]]:
    """Return what stands between commas, numbers and small words such as "in" and "with".

    Of each phrase its content words in order, and the others.
    """

    def read(part: str) -> tuple[list[str], set[str]]:
        said = tokens(either("themes", "QUANTITY").sub(" ", part))
        small = {w for w in said if not is_unspaced(w) and not list_units(w)}
        return [unit for piece in _split(part) for unit in piece], small

    parts = either("themes", "BREAKS").split(either("themes", "TIMES").sub(" ", text))
    return [phrase for phrase in map(read, parts) if phrase[0]]


def _list_words(text: str) -> set[str]:
    return {unit for piece in _split(text) for unit in piece}


def _split(text: str) -> list[list[str]]:
    """Return the content words by their stems, in order; of unspaced scripts pairs of characters.

    How often something happens is left out: that there are three of it bears that out.
    """
    forms = {k: v for found in values("themes", "FORMS").values() for k, v in found.items()}
    out: list[list[str]] = []
    for token in tokens(either("themes", "QUANTITY").sub(" ", text)):
        if not is_unspaced(token):
            out += [[unit] for unit in list_units(forms.get(token, token))]
            continue
        runs = "".join(c if list_units(c) else " " for c in token).split()
        out += [[r[i : i + 2] for i in range(max(1, len(r) - 1))] for r in runs]
    return out


# --- writing ---


def _write(
    run: UpkeepRun,
    text: str,
    kind: Kind | None,
    vector: FloatArray | None,
    read: Sequence[Memory],
    tx: Transaction,
) -> None:
    """Add the theme, unless something it rests on has changed, or it is known, over or declined.

    What the person has said, or taken back, is theirs: a theme neither counts nor affirms it.
    """
    details = tx.memories.get_many(m.id for m in read)
    draft = Draft(
        text,
        kind=kind if kind in _KINDS else Kind.FACT,
        importance=Importance.MEDIUM,  # it outlasts what it rests on
        language=read[0].language,
        confidence=min(m.confidence for m in read),
        source=Source.SYSTEM,
        sensitivity=max(m.sensitivity for m in read),
    )
    claim = Claim(draft, run.now, vector=vector, embedder_id=run.tools.embedder.id)
    barred = find_quiet_wish(tx, text) or find_tombstones(tx, claim) or find_known_memory(tx, claim)
    if barred or [m.rev for m in details] != [m.rev for m in read]:
        return
    said = Filter(states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}))
    known = [*_look(run, tx)[0], *tx.memories.find(said, text=text).items]  # ended ones as well
    if any(same(text, m.original_content, kinds=(m.kind, m.kind)) for m in known):
        return
    run.begin(tx, "derive")
    saved = Merger(tx, curve=run.tools.curve, u=run.tools.u).save(claim)
    if saved.outcome == "added" and saved.memory is not None:
        derived = replace(saved.memory, source_ids=tuple(m.id for m in details))
        run.note("derived", tx.memories.put(derived, "updated").id)
