"""A message as a question to the memory: its parts and words, whom it names, what it lives off.

Pure. A message of several questions is cut into parts that stand for themselves, and each part
into clauses that need each other. What stands in quotation marks is one piece.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.index.text import list_search_terms
from memory.models import Lang, detect_language
from memory.text.clean import MOST_READ, keep_ends
from memory.text.languages import joined, words_of
from memory.text.questions import (
    ABOUT_MEMORY,
    ASKS,
    BOTH,
    CAPITAL,
    CLAUSE,
    CODE,
    COMMON,
    JOINS,
    PATTERNS,
    QUOTED,
    SENTENCE,
    SOCIAL,
    WORLD,
)
from memory.text.translations import find_synonyms
from memory.text.words import STOP_WORDS, UNSPACED, is_unspaced, stem, tokens

MOST: Final = 6  # parts of a message, and clauses of a part
_WORDS: Final = 24  # of a clause
_ASIDE: Final = 0.25  # weight of what was said before the message came to its point
_TOLD: Final = 0.4  # of a sentence that asks nothing, where another one asks
_MOST_CONTEXT: Final = 600  # characters
_MOST_NAMES: Final = 300

# How much a word says, 0 … 1: one that keeps a talk going, that everybody uses, a telling one; a
# Chinese pair (words of three characters have two), a character among dull ones, a pair with one.
_IDLE, _COMMON, _TELLING = 0.05, 0.4, 1.0
_PAIR, _ALONE, _HALF_DULL = 0.8, 0.5, 0.12

_KEPT: Final = re.compile("\ufffc(\\d+)\ufffc")  # a quotation, until the pieces are cut
# What begins a sentence is a name if somebody does something: "Ines gave up", not "Please keep".
_FIRST: Final = re.compile(
    r"^([A-Z][a-z]{2,})(?:'s\b|(?= (?:and [A-Z]|(?:"
    + "|".join(words_of("questions", "ACTS"))
    + r"|\w+(?:s|ed))\b)))"
)
_POSSESSED: Final = re.compile(r"\b([A-Z][a-z]+)'s\b")
_SURNAMES, _NICKNAMES = (joined("questions", name) for name in ("SURNAMES", "NICKNAMES"))
_UNSPACED_NAME: Final = re.compile(
    f"(?=([{_NICKNAMES}][{UNSPACED}]|[{_SURNAMES}][{UNSPACED}]{{1,2}}))"
)
_INSIDE: Final = frozenset(words_of("questions", "INSIDE"))
_NO_NAMES: Final = frozenset(words_of("questions", "NO_NAMES")).union(
    words_of("dates", "MONTHS"), words_of("dates", "WEEKDAYS")
)
_EVERYDAY: Final = COMMON | SOCIAL | STOP_WORDS  # no names, though a capital begins them


@dataclass(frozen=True, slots=True)
class PartClause:
    """A piece that is looked for in one go.

    `characters` are Chinese ones, each by itself: pairs miss 学历 where 学位 is asked for. `alike`
    has what else may be said for a word or character.
    """

    words: tuple[str, ...]  # terms of the text index
    characters: tuple[str, ...]
    alike: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A question that stands for itself."""

    text: str
    weight: float
    clauses: tuple[PartClause, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What recall knows of a message before it looks at any memory."""

    text: str
    lang: Lang
    parts: tuple[QuestionPart, ...]  # the context, where it counts, is the last one
    whole: tuple[str, ...]  # words of the message, as the index has them
    terms: Mapping[str, float]  # telling words and how much each says
    names: tuple[str, ...]  # what may be the name of an entity
    people: frozenset[str]  # names of people by their form
    asks: bool  # a question, or a request that knowing the person would help with
    personal: bool  # about the speaker's own life, or a wish that it helps to know
    world: bool  # anybody could be asked, or told to do it
    of_you: bool  # about the assistant
    context: str
    context_weight: float  # 0 … 1: how much of the question comes from what was said before
    kinds: tuple[re.Pattern[str], ...]  # what an answer has: a time, a place, a number
    latest: bool  # the last of several that were true one after another is meant
    earlier: bool  # one before that
    past: bool  # what was, or was done, then: not what is

    @property
    def list_texts(self) -> list[str]:
        """What an embedder is asked for: what the message asks, and the context if it counts."""
        asked = _leave_out(self.text, PATTERNS.INSTRUCTS).strip()
        return [asked, self.context] if self.context_weight else [asked]

    @property
    def list_words(self) -> list[str]:
        """Every term that is looked up, once."""
        found = dict.fromkeys(self.whole)
        for c in (c for p in self.parts for c in p.clauses):
            found.update(dict.fromkeys((*c.words, *c.characters)))
            found.update(dict.fromkeys(other for _, others in c.alike for other in others))
        return list(found)


@lru_cache(maxsize=256)
def parse_question(text: str, context: tuple[str, ...]) -> Question:
    """Read a message and up to three that stood before it, oldest first."""
    text = unicodedata.normalize("NFKC", keep_ends(text, MOST_READ)).strip()
    before = unicodedata.normalize("NFKC", " \n".join(context[-3:])[-_MOST_CONTEXT:])
    before = before[-_MOST_CONTEXT:].strip()
    looked_for = _leave_out(text, PATTERNS.INSTRUCTS, PATTERNS.OF_WHICH_TIME)
    terms = find_telling_terms(looked_for)
    parts = split_into_parts(text)
    weight = _weigh_context(text, sum(terms.values())) if before else 0.0
    leant_on = parse_clause(before) if weight else None
    if leant_on:
        parts = (*parts, QuestionPart(before, weight, (leant_on,)))
    wishes = PATTERNS.WANTS.search(text) is not None
    mine = _mentions_speaker(text)
    asks = wishes or is_question(text)
    plain = CODE.sub(" ", text)
    rest, of_the_world = WORLD.subn(" ", QUOTED.sub(" ", text))
    earlier = PATTERNS.ASKS_EARLIER.search(text) is not None
    return Question(
        text=text,
        lang=detect_language(text, detect_language(before)),
        parts=parts,
        whole=_index_terms(looked_for),
        terms=terms,
        names=_list_names(text),
        people=find_people_names(text),
        asks=asks,
        personal=wishes or _mentions_speaker(plain)
        if asks
        else PATTERNS.POSSESSIVE.search(plain) is not None,
        world=of_the_world > 0 and not _mentions_speaker(rest),
        of_you=PATTERNS.YOU.search(text) is not None and not mine and not wishes,
        context=before,
        context_weight=weight if leant_on else 0.0,
        kinds=tuple(
            getattr(PATTERNS, f"SAYS_{kind}")
            for kind in ("WHEN", "WHERE", "HOW_MANY")
            if getattr(PATTERNS, f"ASKS_{kind}").search(text)
        ),
        latest=not earlier and PATTERNS.ASKS_LATEST.search(text) is not None,
        earlier=earlier,
        past=asks and PATTERNS.ASKS_PAST.search(text) is not None,
    )


# --- parts and clauses ---


def split_into_parts(text: str) -> tuple[QuestionPart, ...]:
    """Return the questions of a message: at least one, if there is any word to look for."""
    quotes: list[str] = []

    def keep(m: re.Match[str]) -> str:
        quotes.append(m.group())
        return f"\ufffc{len(quotes) - 1}\ufffc"

    def back(piece: str) -> str:
        return _KEPT.sub(lambda m: quotes[int(m[1])], piece).strip()

    plain = QUOTED.sub(keep, text)
    asked = is_question(plain)
    found = []
    for section in PATTERNS.NEXT.split(plain):
        for weight, sentence in _weigh_sentences(section, asked):
            pieces = [p for c in CLAUSE.split(sentence) if c for p in _split_pair(back(c))]
            clauses = [c for p in pieces if (c := parse_clause(p))]
            if clauses:
                found.append(QuestionPart(back(sentence), weight, tuple(clauses[-MOST:])))
    if not found and (whole := parse_clause(text)):
        return (QuestionPart(text, 1.0, (whole,)),)
    best = sorted(range(len(found)), key=lambda i: (-found[i].weight, -i))[:MOST]
    return tuple(found[i] for i in sorted(best))


def parse_clause(text: str) -> PartClause | None:
    """Return what to look for, or None if there is nothing."""
    text = _leave_out(text, PATTERNS.INSTRUCTS, PATTERNS.OF_WHICH_TIME)
    words = _index_terms(text)[:_WORDS]
    runs = () if text.isascii() else (run for run in tokens(text) if is_unspaced(run))
    characters = dict.fromkeys(c for run in runs for c in run if c not in STOP_WORDS)
    lone = tuple(c for c in characters if c not in words)[:_WORDS]
    alike = tuple((w, found) for w in (*words, *lone) if (found := find_synonyms(w)))
    return PartClause(words, lone, alike) if words or lone else None


@lru_cache(maxsize=512)
def is_question(sentence: str) -> bool:
    """Say whether it is a question, by its words or its mark."""
    return ASKS.search(sentence) is not None


@lru_cache(maxsize=512)
def _index_terms(text: str) -> tuple[str, ...]:
    """List its words as the text index has them."""
    return tuple(list_search_terms(text))


def _weigh_sentences(section: str, asked: bool) -> Iterator[tuple[float, str]]:
    """Yield sentences with weights; of the one that comes to the point, what follows the turn."""
    sentences = [s.strip() for s in SENTENCE.split(section) if s and s.strip()]
    turns = [i for i, s in enumerate(sentences) if PATTERNS.TURN.search(s)]
    last = turns[-1] if turns else -1
    for i, sentence in enumerate(sentences):
        weight = _TOLD if asked and not is_question(sentence) else 1.0
        if i == last:
            *_, turn = PATTERNS.TURN.finditer(sentence)
            sentence = sentence[turn.end() :].strip() or sentence  # noqa: PLW2901
        yield weight * (_ASIDE if i < last else 1.0), sentence


def _split_pair(clause: str) -> list[str]:
    """Ask of both: "A and B, which is older?" is "A, which is older?" and "B, which is older?"."""
    found = BOTH.match(clause)
    return [f"{found['a']} {found['rest']}", f"{found['b']}{found['rest']}"] if found else [clause]


@lru_cache(maxsize=512)
def _leave_out(text: str, *patterns: re.Pattern[str]) -> str:
    """Leave out what only says how to answer or of which time, if anything else is left."""
    left = text
    for pattern in patterns:
        left = pattern.sub(" ", left)
    return left if any(c.isalnum() for c in left) else text


# --- how much words say ---


@lru_cache(maxsize=4096)
def find_telling_terms(text: str) -> Mapping[str, float]:
    """Find the telling words of a text (stems, Chinese pairs) and how much each says, 0 … 1."""
    found: dict[str, float] = {}
    for token in tokens(text):
        if is_unspaced(token):
            for run in PATTERNS.LOOKS_BACK.split(token):
                found.update(_weigh_run(run))
        elif token not in STOP_WORDS and (len(token) > 1 or token.isdigit()):
            word = stem(token)
            found[word] = _weigh_term(word, _TELLING)
    return found


def _weigh_run(run: str) -> Iterator[tuple[str, float]]:
    """Yield pairs of a run of Chinese, and characters that stand alone among dull ones."""
    dull = [True, *(c in STOP_WORDS or c in JOINS for c in run), True]
    for i, char in enumerate(run):
        before, this, after = dull[i : i + 3]
        if before and not this and after:  # 猫 in 我的猫叫什么: no pair of it is in 猫的名字
            yield char, _IDLE if char in SOCIAL else _ALONE
        pair = run[i : i + 2]
        if len(pair) == 2 and not (this and after):
            half_dull = (this or after) and pair not in ABOUT_MEMORY and pair not in SOCIAL
            yield pair, _HALF_DULL if half_dull else _weigh_term(pair, _PAIR)


def _weigh_term(term: str, telling: float) -> float:
    if term in ABOUT_MEMORY or term in SOCIAL:
        return _IDLE
    return _COMMON if term in COMMON else telling


def measure_shared_terms(terms: Mapping[str, float], text: str) -> tuple[float, float]:
    """Return what a text has of the terms' information: of telling ones, and of common ones."""
    there = find_telling_terms(text)
    telling = common = 0.0
    for term, worth in terms.items():
        if term in there or (worth == _ALONE and term in text):
            if worth >= _ALONE:
                telling += worth
            else:
                common += worth
    return telling, common


# --- whom it is about, and what it lives off ---


@lru_cache(maxsize=64)
def _mentions_speaker(text: str) -> bool:
    """Say whether the speaker is in it, other than as whom the assistant does something for."""
    return PATTERNS.PERSONAL.search(PATTERNS.OF_THE_ASSISTANT.sub(" ", text)) is not None


def _weigh_context(text: str, mass: float) -> float:
    """Weigh the context: a message that says little and points back lives off it."""
    points_back = PATTERNS.STANDS_FOR.search(text) and is_question(text)
    if not points_back and not PATTERNS.CHOOSES.search(text):
        return 0.0
    return 0.8 if mass < 1.0 else 0.35 if mass < 2.0 else 0.12


def _list_names(text: str) -> tuple[str, ...]:
    """List what could be an entity's name: up to three words, two to six Chinese characters."""
    found: dict[str, None] = {}
    for piece in re.split(r"[^\w\s'-]+", text.casefold()):
        words = [w for w in tokens(piece) if not is_unspaced(w)]
        some = (words[i : i + n] for i in range(len(words)) for n in (1, 2, 3))
        names = (w for w in some if w[0] not in STOP_WORDS and w[-1] not in STOP_WORDS)
        found.update(dict.fromkeys(" ".join(w) for w in names))
    for run in () if text.isascii() else (t for t in tokens(text) if is_unspaced(t)):
        for size in range(2, 7):
            found.update(dict.fromkeys(run[i : i + size] for i in range(len(run) - size + 1)))
        if len(found) >= _MOST_NAMES:  # of a pasted page
            break
    return tuple(found)[:_MOST_NAMES]


@lru_cache(maxsize=8192)
def find_people_names(text: str) -> frozenset[str]:
    """Find names of people by their form, and what looks like one.

    That is a capital that no sentence gave, and a Chinese surname with what follows.
    """
    found = {m.group() for m in CAPITAL.finditer(text)} | {m[1] for m in _POSSESSED.finditer(text)}
    if (first := _FIRST.match(text)) is not None and stem(first[1].casefold()) not in _EVERYDAY:
        found.add(first[1])
    for m in () if text.isascii() else _UNSPACED_NAME.finditer(text):
        name = m[1]
        end = next((i for i, c in enumerate(name) if i and c in _INSIDE), len(name))
        if end > 1 and name[:2] not in _NO_NAMES and name[:2] not in _EVERYDAY:
            found.add(name[:end])
    return frozenset(found - _NO_NAMES)


def share_of_names(asked_for: frozenset[str], text: str) -> float:
    """Return the share of these names that the text has, 0 … 1.

    A Chinese name may have caught the character after it.
    """
    if not asked_for:
        return 0.0
    there = [n in text or (is_unspaced(n) and len(n) == 3 and n[:2] in text) for n in asked_for]
    return sum(there) / len(asked_for)
