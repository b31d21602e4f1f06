"""Simulate lives of three years: what was said when, what changed, and what is asked with its answer.

Facts change, 40% of them told with a link to the former value and 60% without; beside them stand pairs that look like
a change and are none (a second job, a sister's home, two cities visited). At each session a fact is needed with the
probability of issue 11: `.068·n^.68·(1 + t/60)^(−.63/n)`, n the days on which it was said and t the days since.
A need is said again (a mention), asked, or passes in silence. Nothing here knows how recall works. Seeds are fixed:
neither they nor the generator change once a figure has been measured.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Literal

from tests.bench.years.tables import WORDS, Form, Sort, read_table, split_bars, write_date

SEEDS: Final = {"en": tuple(range(1101, 1111)), "zh": tuple(range(2101, 2111))}
DAYS: Final = 1_095
LINKED: Final = 0.4  # of the changes
SAID_AGAIN: Final = 0.12  # of the needs
ASKED: Final = 0.1
STALE: Final = 0.3  # of the questions about what has changed
FAR: Final = 0.4  # of the other questions
PASSING: Final = 21  # days in which a passing thing is said again
EVEN: Final = 120  # questions drawn evenly over the age of their fact

LOOKS_LIKE: Final = {
    "side_job": "job",
    "second_sport": "sport",
    "old_phone": "phone",
    "second_home": "home",
}

Verdict = Literal["same", "changed", "both", "unsure"]


@dataclass(eq=False)
class Fact:
    """One version of something true, from the day it was told until the next version was."""

    id: str
    chain: str  # versions of one thing share it
    sort: Sort
    words: dict[str, str]
    form: Form
    told: int  # the session
    replaces: str | None = None
    linked: bool = False
    until: int | None = None  # the session at which the next version was told
    said_on: list[date] = field(default_factory=list)

    def true_at(self, session: int) -> bool:
        """Whether it is told and not replaced."""
        return self.told <= session and (self.until is None or session < self.until)


@dataclass(frozen=True)
class Said:
    """A statement; without a note it is a mention of a fact that is known."""

    fact: str
    text: str
    at: datetime
    note: str | None
    kind: str
    entities: tuple[str, ...] = ()
    on: date | None = None
    yearly: bool = False
    expires: date | None = None
    supersedes: str | None = None  # the fact that ends, where the words say so
    standing: bool = False


@dataclass(frozen=True)
class Asked:
    """A question, the facts that answer it and the former versions that would mislead."""

    text: str
    at: datetime
    gold: tuple[str, ...]
    stale: tuple[str, ...]
    age: float  # days since the fact was first told
    since: float  # days since it was last said
    way: Literal["ask", "far", "stale"]


@dataclass
class Session:
    """One conversation."""

    at: datetime
    said: list[Said] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)  # by need
    even: list[Asked] = field(default_factory=list)  # evenly by age


def need(days_said: int, since: float) -> float:
    """Give the probability that a fact is needed at a session (issue 11)."""
    fall: float = (1 + since / 60) ** (-0.63 / days_said)
    rise: float = 0.068 * days_said**0.68
    return min(1.0, rise * fall)


def _first_large(text: str) -> str:
    return text[:1].upper() + text[1:]


class Life:
    """One person's three years; from one seed always the same."""

    def __init__(self, lang: str, seed: int, *, days: int = DAYS) -> None:
        self.lang, self.seed, self.days = lang, seed, days
        self.rng = random.Random(seed)
        self.words: Any = WORDS[lang]
        self.style: str = self.rng.choice(list(self.words.STYLES))
        self.people: dict[str, str] = {}  # name: relation
        for names, roles in (("WOMEN", "HER"), ("MEN", "HIS")):
            drawn = (self.rng.sample(split_bars(getattr(self.words, w)), 3) for w in (names, roles))
            self.people |= dict(zip(*drawn, strict=True))
        self.start = datetime(2023, 1, 2, tzinfo=UTC) + timedelta(days=self.rng.randrange(120))
        self.sessions = [Session(at) for at in self._times()]
        self.facts: dict[str, Fact] = {}
        self._due: dict[int, list[Fact]] = {}
        self._make_facts()
        self._live()
        self._ask_evenly()
        self._by_text = self._index_texts()

    # --- the facts ---

    def _times(self) -> Iterator[datetime]:
        for week in range(0, self.days, 7):
            for day in sorted(self.rng.sample(range(7), self.rng.randint(2, 4))):
                if week + day < self.days:
                    minutes = self.rng.randrange(7 * 60, 22 * 60)
                    yield self.start + timedelta(days=week + day, minutes=minutes)

    def _session_near(self, day: float) -> int:
        at = self.start + timedelta(days=day)
        return next((i for i, s in enumerate(self.sessions) if s.at >= at), len(self.sessions) - 1)

    def _make_facts(self) -> None:
        changes = read_table(self.words.CHANGES)
        chosen = self.rng.sample(changes, min(len(changes), 16))
        chains = [(sort, self._change_days()) for sort in chosen]
        total = sum(len(days) - 1 for _, days in chains)
        links = [i < round(LINKED * total) for i in range(total)]
        self.rng.shuffle(links)
        for sort, days in chains:
            self._make_chain(sort, days, [links.pop() for _ in days[1:]])
        for sort in read_table(self.words.KEPT):
            for person in list(self.people) if "who" in sort.flags else [""]:
                early = self.rng.uniform(0, 45 if self.days > 200 else 10)
                self._add(sort, sort.name + person, self._fill(sort, person, 0), early)
        for sort in read_table(self.words.MANY):
            self._make_many(sort)

    def _change_days(self) -> list[float]:
        """When the versions of one thing are told: the first early, the others months apart."""
        days = [self.rng.uniform(0, 0.12 * self.days)]
        for _ in range(self.rng.choice((1, 2, 2, 3))):
            days.append(days[-1] + self.rng.uniform(0.14, 0.34) * self.days)
        return [day for day in days if day < 0.96 * self.days]

    def _make_chain(self, sort: Sort, days: list[float], links: list[bool]) -> None:
        values = self.rng.sample(sort.values["v"], len(days))
        before: Fact | None = None
        for i, day in enumerate(days):
            words = {"v": values[i], **({"o": values[i - 1]} if i else {})}
            how = "say" if not i else "link" if links[i - 1] else "new"
            fact = self._add(sort, sort.name, words, day, how=how)
            if before is not None:
                fact.replaces, fact.linked = before.id, how == "link"
                before.until = fact.told
            before = fact

    def _make_many(self, sort: Sort) -> None:
        values = (
            self.rng.sample(sort.values["v"], sort.count)
            if "v" in sort.values
            else [""] * sort.count
        )
        people = self.rng.sample(list(self.people), len(self.people))
        for i, value in enumerate(values):
            day = self.rng.uniform(0, 0.97 * self.days)
            words = self._fill(sort, people[i % len(people)] if "who" in sort.flags else "", day)
            if value:
                words["v"] = value
            self._add(sort, f"{sort.name}{i}", words, day)

    def _fill(self, sort: Sort, person: str, day: float) -> dict[str, str]:
        words = {key: self.rng.choice(values) for key, values in sort.values.items()}
        if person:
            role = self.people[person]
            if self.lang == "zh":
                called, note = role + person, role.removeprefix("我") + person
            else:
                called, note = f"{role} {person}", f"{role.removeprefix('my ')} {person}"
            words |= {"p": person, "r": called, "R": called, "n": note}
        if {"date", "due", "yearly"} & sort.flags:
            ahead = (
                self.rng.randrange(0, 365) if "yearly" in sort.flags else self.rng.randrange(6, 60)
            )
            on = (self.start + timedelta(days=day + ahead)).date()
            words["d"] = write_date(on, self.lang, year="yearly" not in sort.flags)
            words["iso"] = on.isoformat()
        return words

    def _add(
        self, sort: Sort, chain: str, words: dict[str, str], day: float, how: str = "say"
    ) -> Fact:
        told = self._session_near(day)
        form = self.rng.choice(sort.forms[how])
        fact = Fact(f"{self.lang}{self.seed}/f{len(self.facts)}", chain, sort, words, form, told)
        self.facts[fact.id] = fact
        self._due.setdefault(told, []).append(fact)
        return fact

    # --- the sessions ---

    def _live(self) -> None:
        for number, session in enumerate(self.sessions):
            today = session.at.date()
            told = self._due.get(number, [])
            known = [f for f in self.facts.values() if f.said_on and f.true_at(number)]
            for fact in known:
                since = (today - fact.said_on[-1]).days
                if self.rng.random() >= need(len(fact.said_on), since):
                    continue
                what = self.rng.random()
                if what < SAID_AGAIN:
                    self._mention(fact, session)
                elif what < SAID_AGAIN + ASKED:
                    session.asked.append(self._ask(fact, session))
            for fact in told:
                self._tell(fact, session)

    def _tell(self, fact: Fact, session: Session) -> None:
        fact.said_on.append(session.at.date())
        iso = fact.words.get("iso")
        on = date.fromisoformat(iso) if iso else None
        due = "due" in fact.sort.flags
        names = [fact.words["p"]] if "p" in fact.words else []
        if fact.chain in ("partner", "child", "mother"):
            names.append(fact.words["v"])
        session.said.append(
            Said(
                fact.id,
                self._styled(fact.form.text.format(**fact.words)),
                session.at,
                self.note_of(fact),
                fact.sort.kind,
                tuple(names),
                None if due else on,
                "yearly" in fact.sort.flags,
                on if due else None,
                fact.replaces if fact.linked else None,
                "standing" in fact.sort.flags,
            )
        )

    def note_of(self, fact: Fact) -> str:
        """Return the note that a careful reader keeps of the fact's telling."""
        return _first_large(fact.form.note.format(**fact.words))

    def _mention(self, fact: Fact, session: Session) -> None:
        iso = fact.words.get("iso")
        if iso and "yearly" not in fact.sort.flags and date.fromisoformat(iso) < session.at.date():
            return  # nobody looks forward to what is over
        if fact.sort.kind == "context" and (session.at.date() - fact.said_on[0]).days > PASSING:
            return
        others = [f.text for f in fact.sort.forms["say"] if f is not fact.form]
        lines = [*fact.sort.lines.get("again", []), *([] if "once" in fact.sort.flags else others)]
        if not lines:
            return
        if session.at.date() != fact.said_on[-1]:
            fact.said_on.append(session.at.date())
        text = self._styled(self.rng.choice(lines).format(**fact.words))
        session.said.append(Said(fact.id, text, session.at, None, fact.sort.kind))

    def _styled(self, text: str) -> str:
        """Say it in the person's register."""
        text = _first_large(text)
        before, after = self.words.STYLES[self.style]
        if after == "-":
            return text.rstrip(".。")
        gap = " " if self.lang == "en" else ""
        opener = self.rng.choice(split_bars(before))
        closer = self.rng.choice(split_bars(after))
        return gap.join(part for part in (opener, text, closer) if part)

    def _former(self, fact: Fact) -> tuple[str, ...]:
        found: list[str] = []
        while fact.replaces:
            found.append(fact.replaces)
            fact = self.facts[fact.replaces]
        return tuple(found)

    def _ask(self, fact: Fact, session: Session) -> Asked:
        former = self._former(fact)
        way: Literal["ask", "far", "stale"] = "far" if self.rng.random() < FAR else "ask"
        if former and self.rng.random() < STALE:
            way = "stale"
            words = {"o": self.facts[self.rng.choice(former)].words["v"]}
            text = self.rng.choice(fact.sort.lines["stale"]).format(**words)
        else:
            text = self.rng.choice(fact.sort.questions[way]).format(**fact.words)
        told = self.sessions[fact.told].at
        last = max(d for d in fact.said_on if d <= session.at.date())
        return Asked(
            _first_large(text),
            session.at,
            (fact.id,),
            former,
            (session.at - told) / timedelta(days=1),
            (session.at.date() - last).days,
            way,
        )

    def _ask_evenly(self) -> None:
        """Draw questions whose facts' ages spread evenly over the life."""
        count = max(4, EVEN * self.days // DAYS)
        for _ in range(count):
            for _attempt in range(60):
                age = self.rng.uniform(1, self.days)
                number = self._session_near(self.rng.uniform(age, self.days))
                at = self.sessions[number].at
                near = [
                    f
                    for f in self.facts.values()
                    if f.told < number
                    and f.true_at(number)
                    and abs((at - self.sessions[f.told].at) / timedelta(days=1) - age) < 20
                ]
                if near:
                    session = self.sessions[number]
                    session.even.append(self._ask(self.rng.choice(near), session))
                    break

    # --- the truth ---

    def _index_texts(self) -> dict[str, Fact]:
        texts = {s.text: self.facts[s.fact] for session in self.sessions for s in session.said}
        return texts | {self.note_of(f): f for f in self.facts.values()}

    def look_alikes(self) -> list[tuple[str, str]]:
        """Return pairs that look like a change and are none, the later one second: as notes."""
        pairs = []
        for a, b in itertools.combinations(sorted(self.facts.values(), key=lambda f: f.told), 2):
            if a.chain != b.chain and self._subject(a) == self._subject(b) and a.true_at(b.told):
                pairs.append((self.note_of(a), self.note_of(b)))
        return pairs

    @staticmethod
    def _subject(fact: Fact) -> str:
        return LOOKS_LIKE.get(fact.sort.name, fact.sort.name.removeprefix("their_"))

    def judge(self, text_a: str, text_b: str) -> Verdict:
        """Say what two notes or statements of this life are to each other, by the truth."""
        a, b = self._by_text.get(text_a), self._by_text.get(text_b)
        if a is None or b is None:
            return "unsure"
        if a is b:
            return "same"
        return "changed" if a.chain == b.chain else "both"


@functools.cache
def make_life(lang: str, seed: int, days: int = DAYS) -> Life:
    """Make one life; from one seed always the same."""
    return Life(lang, seed, days=days)


def make_lives(each: int = 10, days: int = DAYS) -> list[Life]:
    """Make the first `each` lives of both languages, the languages in turn."""
    pairs = zip(SEEDS["en"][:each], SEEDS["zh"][:each], strict=True)
    return [make_life(lang, s, days) for pair in pairs for lang, s in zip(SEEDS, pair, strict=True)]
