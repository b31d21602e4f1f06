"""The words that an operation rests on, found among the person's own. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from memory.learn import dates
from memory.learn.same_meaning import list_units
from memory.text.spans import find_own_sentences, split_spans, unmark_names
from memory.text.speech import fold, read_answer

Role: TypeAlias = Literal["user", "assistant", "other"]
Place: TypeAlias = tuple[int, int, int]  # of a message, and start and end in it

JOINT: Final = re.compile(" – |——")  # between what was asked or said before and a quotation
_TITLE: Final = re.compile("(?:[《]([^》]+)[》]|「([^」]{1,10})」|“([^”]{1,10})”)")
SUPPORTED: Final = 0.25  # share of an operation's words that one own sentence must have, unquoted

sentences_of: Final = lru_cache(maxsize=32)(find_own_sentences)


@dataclass(frozen=True, slots=True)
class Citation:
    """What an operation says it rests on: the number of a message, and words of it."""

    n: int
    words: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its text, the dates it gives (ISO), and the text of the memory it changes."""

    op: str
    text: str
    said: tuple[Citation, ...] = ()
    on: str = ""
    days: tuple[tuple[dates.Use, str], ...] = ()  # due, since and until
    old: str = ""
    sure: bool = True
    quote: bool = False  # it says it is a quotation: nothing but own words, and what they answer
    old_days: tuple[datetime, ...] = ()  # of the memory it changes
    entities: tuple[str, ...] = ()  # whom it names beside its text


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message as the model was shown it; `n` is its number, 0 for one that is context only."""

    id: str
    n: int
    role: Role
    text: str
    at: datetime
    tz: str


def find_quotation(op: Operation, spoken: Sequence[ShownMessage]) -> list[Place] | str:
    """Find a quotation: its end in own words, the rest there or in the sentence they answer."""
    *before, last = JOINT.split(op.text)
    cited = (*(c.n for c in op.said), None)  # in the message it names, else in another own one
    found = next((p for n in cited if (p := _find_own(last, spoken, n))), None)
    if found is None:
        return "said"
    asked = fold(find_question_before(spoken, found[0]))
    known = all(_find_own(b, spoken) or fold(b).strip() in asked for b in before)
    return [found] if known else "said"


def _find_own(words: str, spoken: Sequence[ShownMessage], n: int | None = None) -> Place | None:
    """Find words in an own message, or in the one of that number."""
    for i, m in enumerate(spoken):
        mine = m.role == "user" and n in {None, m.n}
        if mine and (place := find_words(words, unmark_names(m.text))):
            return i, *place
    return None


def find_words(words: str, text: str) -> tuple[int, int] | None:
    """Find quoted words in own parts of a text, whatever their case, spaces and punctuation."""
    wanted = "".join(c for c in fold(words) if c.isalnum())
    for signs, places in _own_signs(text) if wanted else ():
        if (at := signs.find(wanted)) >= 0:
            return places[at], places[at + len(wanted) - 1] + 1
    return None


@lru_cache(maxsize=32)
def _own_signs(text: str) -> list[tuple[str, list[int]]]:
    """Return the letters and digits of each own part, and where each stands."""
    text = _TITLE.sub(lambda m: f" {m[0][1:-1]} ", text)  # a title or a single word is one's own
    own = [range(s.start, s.end) for s in split_spans(text) if s.kind == "own"]
    found = [[(c, i) for i in part for c in fold(text[i]) if c.isalnum()] for part in own]
    return [("".join(c for c, _ in signs), [i for _, i in signs]) for signs in found]


def find_basis(op: Operation, spoken: Sequence[ShownMessage]) -> list[Place] | str:
    """Find the words it quotes, in the message it names first; without any the best sentence."""
    own = [i for i, m in enumerate(spoken) if m.role == "user" and m.n]
    quoted = [cited for cited in op.said if cited.words]
    if not quoted:
        named = {cited.n for cited in op.said}
        return _find_best(op, spoken, [i for i in own if not named or spoken[i].n in named])
    places = list[Place]()
    for cited in quoted:
        among = (*(i for i in own if spoken[i].n == cited.n), *own)
        each = ((i, find_words(cited.words, spoken[i].text)) for i in among)
        places += next(([(i, *place)] for i, place in each if place), [])
    return places or "said"


def _find_best(
    op: Operation, spoken: Sequence[ShownMessage], among: Sequence[int]
) -> list[Place] | str:
    """Return the own sentence with most of its words, counting the question that it answers."""
    best: tuple[float, Place] = (0.0, (0, 0, 0))
    wanted = list_units(dates.DATED.sub(" ", op.text)) or list_units(op.text)
    for i in among:
        text, question = spoken[i].text, find_question_before(spoken, i)
        question = question if read_answer(text.strip(), question) else ""
        for start, end in sentences_of(text):
            share = compute_share(wanted, list_units(f"{question} {text[start:end]}"))
            if share > 0 and share >= best[0]:
                best = share, (i, start, end)
    return [best[1]] if best[0] >= SUPPORTED else "unsupported"


def find_question_before(spoken: Sequence[ShownMessage], i: int) -> str:
    """Return the assistant's last sentence before message `i`; "" if somebody else spoke."""
    if i == 0 or spoken[i - 1].role != "assistant":
        return ""
    return re.split(r"(?<=[.!?。！？])\s*(?=.)", spoken[i - 1].text.strip())[-1]


def compute_share(part: frozenset[str], whole: frozenset[str]) -> float:
    """Return the share of words that are in others, 0 to 1."""
    return len(part & whole) / max(1, len(part))
