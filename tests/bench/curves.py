"""How well the curves foresee what comes up again: `python -m tests.bench.curves PATH [draws]`.

PATH is a folder of conversations over months (`tests.bench.data`). A word of a conversation is a memory: learned in
the first session in which it is said, mentioned in each later one. Before each later session every curve weighs it;
told is the AUC of these weights, pooled over all words, sessions and people, for whether the session says it again.

A word is at least four letters as they were said. There are no stop words, no words in more than 40% of the sessions,
and 400 words a conversation: the first by the word's SHA-256, for the most frequent ones are alike in how often they come
up, and say little. Another draw moves a figure by half a hundredth: `draws` tells the mean and the range of so many. By
stems, every figure is a hundredth lower.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from statistics import fmean

import numpy as np

from memory.lifecycle import CURVES, apply_event, compute_weight, is_lowered_at, start_life
from memory.lifecycle.fade import FadeCurve
from memory.models import CurveState, Importance, Kind, Layer, Memory
from memory.text.words import STOP_WORDS, tokens
from tests.bench.data import User, load, when

LETTERS, MOST_SESSIONS, WORDS = 4, 0.4, 400
UNSPACED, COUNT = "fade without spacing", "bare count"
_SHOWN = re.compile(r"\[[^\]]*\]")  # a picture's description is not said
_SPEAKER = re.compile(r"^\w+: ")
_DAY = timedelta(days=1)
Session = tuple[datetime, set[str]]


def list_sessions(user: User) -> list[Session]:
    """When each session was, and which words were said in it."""
    said: dict[str, Session] = {}
    for row in user.in_time():
        text = _SHOWN.sub("", _SPEAKER.sub("", row["text"]))
        words = (w for w in tokens(text) if len(w) >= LETTERS and not w.isdigit())
        _, there = said.setdefault(row["session"], (when(row["time"]), set()))
        there.update(w for w in words if w not in STOP_WORDS)
    return list(said.values())


def choose_words(sessions: Sequence[Session], draw: int = 0) -> list[str]:
    """The words that are asked about."""
    found = Counter(word for _, words in sessions for word in words)
    rare = [w for w, n in found.items() if n <= MOST_SESSIONS * len(sessions)]
    return sorted(rare, key=lambda w: sha256(f"{draw or ''}{w}".encode()).digest())[:WORDS]


def follow_word(
    word: str, sessions: Sequence[Session], curve: str
) -> Iterator[tuple[Memory, datetime, bool]]:
    """The word as a memory before each later session, when that is, and whether it is said again."""
    (first, _), *later = [s for s in sessions if s[0] >= min(t for t, w in sessions if word in w)]
    state = CurveState(0.0, first)
    m = Memory(
        *("", "", word, word, "en", Layer.FACT, Kind.FACT, first, first, curve, state, 0.0, first)
    )
    m, last = start_life(m, Importance.MEDIUM, curve, first), first
    for at, words in later:
        if CURVES[curve].lowers_below is not None:
            for night in (last + i * _DAY for i in range(1, (at - last).days + 1)):
                if is_lowered_at(m, compute_weight(m, 1.0, night)):
                    m, _ = apply_event(m, "lowered", 1.0, night)
        yield m, at, word in words
        last = at
        if word in words:
            m, _ = apply_event(m, "mention", 1.0, at)


def measure(people: Mapping[str, User], draw: int = 0) -> dict[str, float]:
    """The AUC of each curve, of `fade` without spacing, and of how often it was said."""
    scores: dict[str, list[float]] = defaultdict(list)
    said: dict[str, list[bool]] = defaultdict(list)
    plain = FadeCurve(spaced=False)
    for user in people.values():
        sessions = list_sessions(user)
        for word in choose_words(sessions, draw):
            for curve in CURVES:
                for m, at, again in follow_word(word, sessions, curve):
                    found = {curve: compute_weight(m, 1.0, at)}
                    if curve == "fade":
                        found[UNSPACED] = plain.compute_weight(m, 1.0, at)
                        found[COUNT] = m.activation_count
                    for name, score in found.items():
                        scores[name].append(score)
                        said[name].append(again)
    return {name: compute_auc(some, said[name]) for name, some in scores.items()}


def compute_auc(scores: Sequence[float], true: Sequence[bool]) -> float:
    """How often a true one is above a false one, a tie counting half."""
    _, place, count = np.unique(np.round(scores, 12), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    yes = np.array(true)
    n = int(yes.sum())
    return float((ranks[yes].sum() - n * (n + 1) / 2) / (n * (len(yes) - n)))


def main(path: Path, draws: int) -> None:
    """Measure and print, best first."""
    people = load(path)
    each = [measure(people, draw) for draw in range(draws)]
    print(f"AUC of what comes up again, {len(people)} people, {WORDS} words each, {draws} draws")
    for name in sorted(each[0], key=lambda name: -fmean(found[name] for found in each)):
        some = [found[name] for found in each]
        spread = f"  {min(some):.3f} – {max(some):.3f}" if draws > 1 else ""
        print(f"  {name:<22} {fmean(some):.3f}{spread}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
