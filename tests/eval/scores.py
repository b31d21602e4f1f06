"""Compare what an exchange left in the store with what is true of it.

A stored memory is right if it holds the core of a truth (or several do together) and no word of `never`. One that holds a
core of `may`, or is a part of a perfect answer's sentence, counts neither way. Any other is wrong: swapped (words of Ebb's
or of a quotation), invented (a name or number nobody said), a duplicate, or junk. A truth is met if right memories say it
and what it ends is no longer current. Held back is what an answer said and the check did not let pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from memory.learn import lines
from memory.learn.dates import DATED
from memory.models import Layer, Memory, State
from tests.eval.talks import text_of

Row: TypeAlias = dict[str, Any]
Core: TypeAlias = Sequence[Sequence[str]]
FALSE: Final = ("swapped", "invented", "duplicate", "junk")
ALIKE: Final = 0.75  # share of letters in common from which two sentences say the same (by hand)
_NAMED: Final = re.compile(r"\d+|(?<!^)(?<![.!?] )\b[A-Z][a-z]{2,}")
_WORD: Final = re.compile(r"[a-z]{4,}|\d+|[\u4e00-\u9fff]")
_DATES: Final = {"on": "on", "from": "valid_from", "until": "valid_until", "due": "expires_at"}


def holds(text: str, core: Core) -> bool:
    """Whether a text has one word of each list."""
    low = text.casefold()
    return all(any(word.casefold() in low for word in words) for words in core)


def is_current(m: Memory, now: datetime) -> bool:
    """Whether a memory counts as true now, or as still to come."""
    ended = m.valid_until is not None and m.valid_until <= now
    return m.state is State.ACTIVE and m.negated_at is None and not ended


def follows(m: Memory, old_id: str) -> bool:
    """Whether a memory stands in the place of another, or denies it."""
    return old_id in m.supersedes or any(c.get("denies") == old_id for c in m.correction_history)


@dataclass
class Scoring:
    """One exchange while it is scored; `counts` are added up over all of them."""

    case: Mapping[str, Any]
    names: Mapping[str, str]  # of memories known before: their ids
    before: Mapping[str, Memory]
    after: Mapping[str, Memory]
    now: datetime
    answers: Sequence[str] = ()
    asked_back: Sequence[str] = ()  # texts of what Ebb asks instead of storing
    counts: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def score(self) -> Row:
        """Return the counts and what is amiss."""
        made = [
            m
            for m in self.after.values()
            if m.layer is not Layer.EPISODE and m.state is State.ACTIVE and self._is_new(m)
        ]
        found, everything = self._assign(made), "\n".join(m.original_content for m in made)
        for i, truth in enumerate(self.case["truth"]):
            self._judge_truth(truth, found.get(i, ()), everything)
        for m in made:
            self._judge_memory(m, found)
        for name in self.case["kept"]:
            m = self.after[self.names[name]]
            text = self.before[m.id].original_content
            held = m.original_content == text and is_current(m, self.now)
            # A version with more detail says it whole.
            told = any(text in x.original_content and is_current(x, self.now) for x in made)
            if not (held or told):
                self._miss("deleted", f"no longer so: {m.original_content}")
        for name in self.case["ended"]:
            m = self.after[self.names[name]]
            self.counts["ended"] += 1
            if is_current(m, self.now):
                self._miss("stale", f"still so: {m.original_content}")
        return {"counts": dict(self.counts), "misses": self.misses}

    def _is_new(self, m: Memory) -> bool:
        was = self.before.get(m.id)
        return was is None or was.original_content != m.original_content

    def _miss(self, what: str, text: str) -> None:
        self.counts[what] += 1
        self.misses.append(f"{what}: {text}")

    def _assign(self, made: Sequence[Memory]) -> dict[int, list[Memory]]:
        """Give each truth the memory that says it, or several that say it together.

        The truths with the fewest to choose from come first; one memory may hold two truths.
        """
        fits: dict[int, list[Memory]] = {}
        out: dict[int, list[Memory]] = {}
        for i, truth in enumerate(self.case["truth"]):
            core, old = truth["text"], self.names.get(truth.get("of", ""), "")
            fits[i] = [
                m
                for m in made
                if (holds(m.original_content, core) if core else old and follows(m, old))
            ]
            parts = [m for m in made if any(holds(m.original_content, [words]) for words in core)]
            if not fits[i] and holds("\n".join(m.original_content for m in parts), core):
                out[i] = parts
        for i in sorted(fits, key=lambda i: len(fits[i])):
            taken = {m.id for some in out.values() for m in some}
            free = [m for m in fits[i] if m.id not in taken]
            if fits[i]:
                out[i] = (free or fits[i])[:1]
        return out

    def _judge_truth(self, truth: Row, found: Sequence[Memory], made: str) -> None:
        m = found[0] if found else None
        op, old = truth["op"], self.after.get(self.names.get(truth.get("of", ""), ""))
        over = old is None or not is_current(old, self.now) or truth["of"] in self.case["kept"]
        said = m is not None or not truth["text"]
        if op == "affirm":
            met = old is not None and any(
                is_current(x, self.now)
                and (x.id == old.id or _is_alike(x.original_content, old.original_content))
                for x in self.after.values()
            )
        elif op == "same":
            met = old is not None and is_current(old, self.now)
        else:
            met = said and over and (m is not None or old is not None)
        self.counts["truth"] += 1
        self.counts["met"] += met
        if not met:
            self.misses.append(f"missed: {op} {truth['text'] or truth.get('of')}")
            self._look_for_held(truth)
        about = [x for x in (*found, old if op in {"negate", "update", "done"} else None) if x]
        if not met or not about:
            return
        if m is not None and truth["kind"]:
            self.counts["kinds"] += 1
            self.counts["kinds right"] += m.kind in truth["kind"]
        if m is not None:
            for words in truth["details"]:
                self._count("details", holds(made, [words]), f"{words} in {m.content}")
        for name, wanted in (truth.get("dates") or {}).items():
            right = any(self._is_at(x, name, wanted) for x in about)
            told = [f"{getattr(x, _DATES[name])}" for x in about]
            self._count("dates", right, f"{name}={wanted}, not {told}: {about[0].content}")
        if wanted := truth.get("repeats"):
            self._count("dates", any(x.repeats == wanted for x in about), f"repeats={wanted}")
        if (within := truth.get("certainty")) and m is not None:
            low, high = within
            self._count("certainty", low <= m.confidence <= high, f"{m.confidence}: {m.content}")

    def _count(self, what: str, right: bool, text: str) -> None:
        self.counts[what] += 1
        self.counts[f"{what} right"] += right
        if not right:
            self.misses.append(f"{what}: {text}")

    def _is_at(self, m: Memory, name: str, wanted: str) -> bool:
        """Whether a date is the wanted one, to the precision in which it is given."""
        at = getattr(m, _DATES[name])
        ended = (m.valid_until, m.negated_at) if name in {"from", "until"} else ()
        zone = ZoneInfo(self.case["zone"])
        for one in filter(None, (at, *ended)):
            for moment in (one, one - timedelta(seconds=1)):
                if f"{moment.astimezone(zone):%Y-%m-%dT%H:%M}".startswith(wanted):
                    return True
        return False

    def _look_for_held(self, truth: Row) -> None:
        """Count a truth that the model wrote and the check did not let pass."""
        written = [x.text for a in self.answers for x in lines.read(a)[0] if x.text]
        core = truth["text"]
        if core and any(holds(t, core) for t in (*written, *self.asked_back)):
            self._miss("held", next((t for t in written if holds(t, core)), "asked instead"))

    def _judge_memory(self, m: Memory, found: Mapping[int, Sequence[Memory]]) -> None:
        text, low = m.original_content, m.original_content.casefold()
        never = [word for word in self.case["never"] if word.casefold() in low]
        gold = any(_is_alike(text, text_of(line)) for line in self.case["gold"])
        if not never and (gold or any(m is x for some in found.values() for x in some)):
            self.counts["right"] += 1
            return
        for truth in self.case["truth"]:
            if never or not truth.get("of"):
                continue
            old = self.before[self.names[truth["of"]]]
            if follows(m, old.id) or _is_alike(text, old.original_content):
                if truth["op"] in {"affirm", "negate"}:
                    self.counts["right"] += 1
                else:
                    self._miss("duplicate", text)
                return
        part = any(_is_part(text, text_of(line)) for line in self.case["gold"])
        if not never and (part or any(holds(text, core) for core in self.case.get("may", ()))):
            self.counts["neutral"] += 1
            return
        self._miss(self._name_fault(m, never, found), text)

    def _name_fault(
        self, m: Memory, never: Sequence[str], found: Mapping[int, Sequence[Memory]]
    ) -> str:
        told = [*self.case["earlier"], *self.case["exchange"]]
        everything = "\n".join(text for _, _, text in told).casefold()
        if any(_is_alike(m.original_content, x.original_content) for x in self.before.values()):
            return "duplicate"
        if never:
            known = any(word.casefold().strip() in everything for word in never)
            return "swapped" if known else "invented"
        own = "\n".join(text for role, _, text in told if role == "user")
        own += "\n".join(x.original_content for x in self.before.values())
        own = own.casefold()
        fits = [t for t in self.case["truth"] if t["text"] and holds(m.original_content, t["text"])]
        known_texts = [
            x
            for x in (*self.before.values(), *(x for some in found.values() for x in some))
            if x.id != m.id
        ]
        if fits or any(_is_alike(m.original_content, x.original_content) for x in known_texts):
            return "duplicate"
        undated = DATED.sub("", m.original_content)
        strange = [x for x in _NAMED.findall(undated) if x.casefold() not in own]
        return "invented" if strange else "junk"


def _is_alike(a: str, b: str) -> bool:
    return SequenceMatcher(None, a.casefold(), b.casefold()).ratio() >= ALIKE


def _is_part(text: str, whole: str) -> bool:
    """Whether a sentence says nothing that a longer one does not say: all its words stand there."""
    words, low = _WORD.findall(text.casefold()), whole.casefold()
    return bool(words) and all(word in low for word in words)


# --- over many exchanges ---


def summarise(rows: Iterable[Row]) -> Row:
    """Add up counts and work out the shares; None where there is nothing to count."""
    total = Counter[str]()
    n = 0
    for row in rows:
        n += 1
        total.update(row["counts"])
    false = sum(total[name] for name in FALSE)
    stored = total["right"] + total["neutral"] + false

    def share(part: float, whole: float) -> float | None:
        return part / whole if whole else None

    return {
        "cases": n,
        "recall": share(total["met"], total["truth"]),
        "precision": share(total["right"], total["right"] + false),
        **{
            x: share(total[f"{x} right"], total[x])
            for x in ("kinds", "details", "dates", "certainty")
        },
        **{x: share(total[x], stored) for x in FALSE},
        "false": share(total["swapped"] + total["invented"], stored),
        "stale": share(total["stale"], total["ended"]),
        "held back": share(total["held"], total["truth"]),
        "deleted truth": total["deleted"],
        "stored": stored,
        "truths": total["truth"],
    }
