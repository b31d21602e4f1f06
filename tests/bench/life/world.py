"""One made-up life: what was said when, and what can be asked, with the memories that answer it.

Everybody in it has facts of the same sorts, so that each fact has look-alikes about others; values never repeat
within a sort, so that a question has one answer. Facts change, are said again in other words (`alt`), and drown in
what answers nothing. Nothing here knows how recall works.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from tests.bench.life.tables import (
    LANGS,
    Sort,
    day,
    filled,
    mistyped,
    month,
    rows,
    shuffled,
    sorts,
    teller,
    variants,
    voice,
)

START, DAYS = date(2024, 9, 2), 470
QUIET = 14  # at the end only what happened is told: asked after as "yesterday"
PEOPLE, KNOWN = 16, 11
CHATTER = 170
SAID_AGAIN, TOLD_AGAIN = 0.15, 0.35


@dataclass(eq=False)
class Said:
    """A memory; `again` are those that say the same."""

    text: str
    at: datetime
    id: str = ""
    again: list[Said] = field(default_factory=list)


@dataclass(eq=False)
class Fact:
    """Something about somebody (`who` is empty for the person), in all its versions, the latest last."""

    sort: Sort
    who: str
    values: list[str]
    said: list[Said]


@dataclass(eq=False)
class Event:
    """Something that happened with somebody."""

    sort: Sort
    who: str
    x: str
    on: date
    said: Said


class Life:
    """A person's memories and questions; from one seed always the same."""

    def __init__(self, name: str, lang: str, seed: int, *, first: bool) -> None:
        self.name, self.lang, self.first = name, lang, first
        self.rng = random.Random(seed)
        self.words: Any = LANGS[lang]
        self.said: list[Said] = []
        names = self.rng.sample(variants(self.words.NAMES), PEOPLE)
        self.relations = dict(
            zip(names, self.rng.sample(variants(self.words.RELATIONS), PEOPLE), strict=True)
        )
        self.introduced = {n: self._introduced(n) for n in names}
        self.facts = list(self._facts())
        self.events = list(self._events())
        self.wishes = [
            (self._told(own[0], self._day()), own[1:])
            for own in rows(self.words.ABOUT_THE_ASSISTANT)
        ]
        self._idle()
        self.said.sort(key=lambda s: s.at)
        for i, s in enumerate(self.said):
            s.id = f"{name}/m{i}"

    # --- what was said ---

    def _day(self, since: int = 0, until: int = DAYS - QUIET) -> date:
        return START + timedelta(days=self.rng.randrange(since, max(since + 1, until)))

    def _at(self, on: date) -> datetime:
        return datetime.combine(on, time(self.rng.randrange(7, 23), self.rng.randrange(60)))

    def _say(self, text: str, on: date) -> Said:
        self.said.append(Said(text, self._at(on)))
        return self.said[-1]

    def _told(self, pattern: str, on: date, **words: str) -> Said:
        return self._say(filled(pattern, {**teller(self.lang, first=self.first), **words}), on)

    def _again(
        self, first: Said, patterns: Sequence[str], used: str, until: int, **words: str
    ) -> None:
        """The same in other words, some weeks later, before it changes."""
        since = (first.at.date() - START).days + 10
        if since < until:
            other = self.rng.choice([p for p in patterns if p != used])
            first.again.append(self._told(other, self._day(since, until), **words))

    def _introduced(self, n: str) -> Said:
        words = {**voice(self.lang, "", first=self.first), "r": self.relations[n], "n": n}
        pattern, *others = self.rng.sample(variants(self.words.INTRODUCED), 3)
        said = self._told(pattern, self._day(0, DAYS // 3), **words)
        if self.rng.random() < SAID_AGAIN:
            self._again(said, others, pattern, DAYS - QUIET, **words)
        return said

    def _facts(self) -> Iterator[Fact]:
        everything = sorts(self.words.FACTS)
        left = {s.name: shuffled(self.rng, s.lines["v"]) for s in everything}
        for s in everything:
            n = 4 if s.several else self.rng.choice((2, 2, 3)) if s.changes else 1
            yield self._fact(s, "", [left[s.name].pop() for _ in range(n)])
        for who in self.relations:
            for s in self.rng.sample(everything, KNOWN):
                n = 2 if s.changes and self.rng.random() < 0.2 else 1
                if len(left[s.name]) >= n:
                    yield self._fact(s, who, [left[s.name].pop() for _ in range(n)])

    def _fact(self, s: Sort, who: str, values: list[str]) -> Fact:
        words = voice(self.lang, who, first=self.first)
        days = sorted(self.rng.sample(range(10, DAYS - QUIET - 10), len(values)))
        said = []
        for i, (v, d) in enumerate(zip(values, days, strict=True)):
            changed = s.changes and i > 0 and self.rng.random() < 0.6
            patterns = s.lines["say"]
            pattern = self.rng.choice(s.lines["chg"] if changed else patterns)
            said.append(self._told(pattern, START + timedelta(days=d), **words, v=v))
            if self.rng.random() < SAID_AGAIN:
                until = days[i + 1] if s.changes and i + 1 < len(days) else DAYS - QUIET
                self._again(said[-1], patterns, pattern, until, **words, v=v)
        return Fact(s, who, values, said)

    def _events(self) -> Iterator[Event]:
        friends = self.rng.sample(list(self.relations), PEOPLE // 2)
        todo = [(s, x) for s in sorts(self.words.EVENTS) for x in s.lines["x"]]
        self.rng.shuffle(todo)
        late = list(range(DAYS - QUIET + 1, DAYS, 2))  # so that some are recent, one a day at most
        for s, x in todo:
            on = START + timedelta(days=late.pop()) if late else self._day()
            who = self.rng.choice(friends)
            yield Event(s, who, x, on, self._happened(s, who, x, on))

    def _happened(self, s: Sort, who: str, x: str, on: date) -> Said:
        words = {**teller(self.lang, first=self.first), "n": who, "x": x}
        pattern, other = self.rng.sample(s.lines["say"], 2)
        last = START + timedelta(days=DAYS - 1)
        recent = (last - on).days < QUIET
        later = 0 if recent else self.rng.choice((0, 0, 0, 1, 2))
        said = self._say(
            self._dated(filled(pattern, words), on, must=later > 0), on + timedelta(days=later)
        )
        if not recent and self.rng.random() < TOLD_AGAIN:
            again = self._day((on - START).days + 3)
            said.again.append(self._say(self._dated(filled(other, words), on, must=True), again))
        return said

    def _dated(self, text: str, on: date, *, must: bool) -> str:
        """With its date, if it is told later; else sometimes."""
        if not must and self.rng.random() < 0.7:
            return text
        pattern = self.rng.choice(variants(self.words.DATED))
        keep = text.startswith(("I ", "User", *self.relations))
        plain = text if keep else text[0].lower() + text[1:]
        return filled(
            pattern, {"date": day(self.lang, on, self.rng, year=must), "t": plain, "T": text}
        )

    def _idle(self) -> None:
        """What answers nothing: about the same people, and about the day."""
        patterns = [v for row in rows(self.words.CHATTER) for v in row]
        pairs = [(p, n) for p in patterns for n in self.relations]
        for pattern, n in self.rng.sample(pairs, CHATTER):
            self._told(pattern, self._day(), n=n)
        for v in (v for row in rows(self.words.MUSINGS) for v in row):
            self._told(v, self._day())

    # --- what is asked ---

    def memories(self) -> list[dict[str, Any]]:
        """As `memories.jsonl` has them."""
        return [
            {
                "user": self.name,
                "id": s.id,
                "text": s.text,
                "time": s.at.isoformat(),
                "speaker": "user",
                "session": s.at.date().isoformat(),
                "seq": i,
            }
            for i, s in enumerate(self.said)
        ]

    def queries(self) -> list[dict[str, Any]]:
        """As `queries.jsonl` has them."""
        out = []
        for i, (category, text, gold) in enumerate(self._asked()):
            out.append(
                {
                    "user": self.name,
                    "id": f"{self.name}/q{i}",
                    "text": text,
                    "gold": [g.id for g in gold],
                    "alt": {g.id: [a.id for a in g.again] for g in gold if g.again},
                    "category": category,
                    "lang": self.lang,
                }
            )
        return out

    def _question(self, patterns: Sequence[str], who: str = "", **words: str) -> str:
        """One of them, asked by the person: I is who asks."""
        own = {**voice(self.lang, who, first=True), **words}
        text = filled(self.rng.choice(patterns), own)
        return text if self.rng.random() < 0.5 else text[0].lower() + text[1:] if not who else text

    def _asked(self) -> Iterator[tuple[str, str, list[Said]]]:
        own, of_others = [f for f in self.facts if not f.who], [f for f in self.facts if f.who]
        steady = [f for f in own if len(f.said) == 1]
        known = [f for f in of_others if len(f.said) == 1]
        pick = self.rng.sample
        for f in pick(steady, 12):
            yield "single", self._question(f.sort.lines["ask"]), f.said
        for f in pick(steady, 12):
            yield "paraphrase", self._question(f.sort.lines["far"]), f.said
        for said, asks in self.wishes:
            yield "single", asks[0], [said]
            yield "paraphrase", asks[1], [said]
        for f in pick(known, 20):
            if self.rng.random() < 0.5:
                yield "person", self._question(f.sort.lines["ask"], f.who), f.said
            else:
                yield "person", self._question(f.sort.lines["who"], f.who, v=f.values[0]), f.said
        for f in pick(known, 6):
            yield "paraphrase", self._question(f.sort.lines["far"], f.who), f.said
        for f in (f for f in self.facts if f.sort.changes and len(f.said) > 1):
            yield "changed", self._question(f.sort.lines["now"], f.who), f.said[-1:]
            if len(f.said) == 2:
                yield "before", self._question(f.sort.lines["was"], f.who), f.said[:1]
        for f in own:
            if f.sort.several:
                yield "list", self._question(f.sort.lines["all"]), f.said
        yield from self._two_hops(known)
        yield from self._of_events()
        yield from self._slips(steady, known)

    def _two_hops(self, known: Sequence[Fact]) -> Iterator[tuple[str, str, list[Said]]]:
        for f in self.rng.sample(known, 10):
            relation = self.relations[f.who]
            whose = f"我{relation}" if self.lang == "zh" else f"my {relation}"
            yield (
                "two-hop",
                self._question(f.sort.lines["ask"], whose),
                [self.introduced[f.who], *f.said],
            )
        for e in self.rng.sample(self.events, 10):
            fitting = [f for f in known if f.who == e.who]
            if fitting:
                f = self.rng.choice(fitting)
                plain = [p for p in f.sort.lines["ask"] if "{S's}" not in p] or f.sort.lines["ask"]
                hop = filled(e.sort.lines["hop"][0], {"x": e.x})
                text = self._question(plain, hop[0].lower() + hop[1:])
                yield "two-hop", text, [e.said, *f.said]

    def _of_events(self) -> Iterator[tuple[str, str, list[Said]]]:
        for e in self.rng.sample(self.events, 10):
            yield "time", self._question(e.sort.lines["when"], x=e.x), [e.said]
        for e in self.rng.sample(self.events, 10):
            yield "person", self._question(e.sort.lines["who"], x=e.x), [e.said]
        by_month: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
        by_person: dict[tuple[str, str], list[Event]] = defaultdict(list)
        by_day: dict[date, list[Event]] = defaultdict(list)
        for e in self.events:
            by_month[e.sort.name, e.who, month(self.lang, e.on)].append(e)
            by_person[e.sort.name, e.who].append(e)
            by_day[e.on].append(e)
        once = [(m, own[0]) for (_, _, m), own in by_month.items() if len(own) == 1]
        for m, e in self.rng.sample(once, 10):
            yield "time", self._question(e.sort.lines["what"], month=m, n=e.who), [e.said]
        several = [own for own in by_person.values() if 2 <= len(own) <= 6]
        for own in self.rng.sample(several, 9):
            text = self._question(own[0].sort.lines["all"], n=own[0].who)
            yield "list", text, [e.said for e in own]
        yield from self._of_days(by_day)

    def _of_days(self, by_day: Mapping[date, list[Event]]) -> Iterator[tuple[str, str, list[Said]]]:
        """Days on which nothing else was said: by their date, and by how long ago they are."""
        said_on: dict[date, set[Said]] = defaultdict(set)
        for s in self.said:
            said_on[s.at.date()].add(s)
        clean = {d: own for d, own in by_day.items() if said_on[d] == {e.said for e in own}}
        last = self.said[-1].at.date()
        for d in self.rng.sample(sorted(d for d in clean if (last - d).days > QUIET), 4):
            text = filled(
                self.rng.choice(variants(self.words.DAY)),
                {"date": day(self.lang, d, self.rng, year=True)},
            )
            yield "time", text, [e.said for e in clean[d]]
        for d in sorted(d for d in clean if 2 <= (last - d).days <= QUIET)[-3:]:
            ago = (last - d).days
            text = (
                f"{ago}天前我做了什么？" if self.lang == "zh" else f"What did I do {ago} days ago?"
            )
            yield "time", text, [e.said for e in clean[d]]

    def _slips(
        self, steady: Sequence[Fact], known: Sequence[Fact]
    ) -> Iterator[tuple[str, str, list[Said]]]:
        asked = [
            (self._question(f.sort.lines["ask"], f.who), f.said)
            for f in self.rng.sample([*steady, *known], 12)
        ]
        asked += [
            (self._question(e.sort.lines["who"], x=e.x), [e.said])
            for e in self.rng.sample(self.events, 6)
        ]
        for text, gold in asked:
            slip = mistyped(self.lang, text, self.rng)
            if slip != text:
                yield "typo", slip, gold
