"""What the companion knows when it answers: profile, recalled memories, and what was said in this conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.llm.companion.facts import Fact
from bot.llm.companion.payload import mappings
from bot.llm.companion.reconcile import Known, known_from, moves, redated, resolve
from bot.llm.companion.speech import joking
from bot.llm.companion.statements import parse
from bot.llm.companion.text import tongue, words
from bot.llm.companion.thread import Thread
from memory import bilingual
from memory.models import Json, Lang
from memory.text.dates import local

LEVELS = ("full", "summary", "tag", "trace", "archive")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing known. `faded` is 0 for clear up to 4; `past` where it no longer holds."""

    id: str
    text: str
    facts: tuple[Fact, ...]
    faded: int = 0
    past: bool = False
    fresh: bool = False  # said in this conversation
    kind: str = ""
    when: str = ""

    @property
    def lang(self) -> Lang:
        """The language it is in."""
        return tongue(self.text)

    @property
    def fact(self) -> Fact | None:
        """What it states, if the rules can read it."""
        return self.facts[0] if self.facts else None


@dataclass
class Knowledge:
    """All items, and the accounts of earlier conversations."""

    items: list[Item] = field(default_factory=list)
    episodes: list[tuple[str, str]] = field(default_factory=list)  # (when, text)
    summary: str = ""
    recalled: list[str] = field(default_factory=list)  # ids in the order recall ranked them
    thread: Thread = field(default_factory=Thread)
    heard: str = ""  # the newest message, as it is understood

    def holding(self) -> list[Item]:
        """What holds now."""
        return [i for i in self.items if not i.past]

    def having(self, *slots: str, holds: bool | None = True) -> list[tuple[Item, Fact]]:
        """Current facts of those slots; a slot that ends in `:` takes every particular of it."""
        return [
            (i, f)
            for i in self.holding()
            for f in i.facts
            if any(f.slot == s or (s.endswith(":") and f.slot.startswith(s)) for s in slots)
            and (holds is None or f.holds == holds)
        ]

    def value(self, slot: str) -> str:
        """The newest value of a slot, empty if unknown."""
        found = self.having(slot)
        return found[-1][1].value if found else ""

    @property
    def called(self) -> str:
        """What to call the user."""
        return self.value("nickname") or self.value("name")

    def near(self, text: str, ignore: frozenset[str] = frozenset()) -> list[tuple[float, Item]]:
        """Items that share words with `text`, the closest first; the order of recall settles ties."""
        mine, lang = words(text) - ignore, tongue(text)
        across = bilingual.things(text)
        scored = []
        for i in self.items:
            theirs = words(i.text)
            if i.lang != lang and (both := across & bilingual.things(i.text)):
                rank = self.recalled.index(i.id) if i.id in self.recalled else 99
                scored.append((len(both) + len(both) / (len(theirs) + 1), -rank, i))
                continue
            shared = mine & theirs
            if shared:
                rank = self.recalled.index(i.id) if i.id in self.recalled else 99
                scored.append((len(shared) + len(shared) / (len(theirs) + 1), -rank, i))
        scored.sort(key=lambda s: (-s[0], -s[1]))
        return [(s[0], s[2]) for s in scored]


def gather(data: Mapping[str, Json]) -> Knowledge:
    """Everything the request brings, in the order it came about: memories, then what has been said since."""
    k = Knowledge(summary=str(data.get("summary") or ""))
    rows = [*mappings(data.get("profile")), *mappings(data.get("recalled"))]
    readable = {x.id: x for x in known_from(rows)}
    seen: set[str] = set()
    for row in rows:
        text, key = str(row.get("text") or "").strip(), str(row.get("id") or "")
        if not text or key in seen:
            continue
        seen.add(key)
        if row.get("kind") == "episode":
            k.episodes.append((str(row.get("when") or ""), text))
            continue
        past = bool(row.get("negated") or row.get("superseded"))
        level = str(row.get("level") or "full").lower()
        faded = LEVELS.index(level) if level in LEVELS else 0
        facts = readable[key].facts if key in readable else ()
        k.items.append(
            Item(key, text, facts, faded, past, kind=str(row.get("kind") or ""), when=str(row.get("when") or ""))
        )
    k.recalled = [str(r.get("id") or "") for r in mappings(data.get("recalled"))]
    if episode := str(data.get("episode") or "").strip():
        k.episodes = [e for e in k.episodes if e[1] != episode] + [("", episode)]
    _listen(k, data)
    return k


def _listen(k: Knowledge, data: Mapping[str, Json]) -> None:
    now, tz = str(data.get("now") or ""), str(data.get("tz") or "")
    if not now:
        return
    told = before = ""
    k.thread.know(f for i in k.items if not i.past for f in i.facts)
    said = [
        (str(m.get("role") or ""), str(m.get("text") or ""), str(m.get("at") or now))
        for m in mappings(data.get("history"))
    ]
    for role, text, at in [*said, ("user", str(data.get("message") or ""), now)]:
        if role == "user":
            k.heard = k.thread.hear(text, told)
            k.thread.know(learn(k, k.heard, at, tz, told, before))
            before = k.heard
        else:
            told = text


def learn(k: Knowledge, text: str, at: str, tz: str, told: str, before: str) -> list[Fact]:
    """Take what a message states into account, as the monitor will; what it states is given back."""
    if joking(text) and len(text) < 40:
        k.items = [i for i in k.items if not i.fresh or i.when != before]
        return []
    facts = parse(text, at, tz)
    known = [Known(i.id, i.text, i.facts, negated=i.past) for i in k.items]
    done = moves([f for f in facts if f.slot != "?"], known)
    for f in facts:
        if f.slot == "?" and (m := resolve(f, known, parse(before, at, tz), told, local(at, tz))):
            done.append(m)
    pairs = [(x, f) for x in known for f in x.facts]
    moved = [redated(m.fact, pairs) for m in done if m.act == "boost"]
    late = {found[0].id for found in moved if len(found) == 1}
    k.items = [replace(i, past=True) if i.id in late else i for i in k.items]
    for m in done:
        if m.act in {"update", "negate"}:
            k.items = [replace(i, past=True) if i.id == m.id else i for i in k.items]
        if m.act == "boost":
            k.items = [replace(i, fresh=True, past=False, faded=0) if i.id == m.id else i for i in k.items]
        else:
            whole = tuple(f for f in facts if f.text == m.fact.text) if m.act == "add" else (m.fact,)
            k.items.append(
                Item(
                    f"+{len(k.items)}", m.fact.text, whole or (m.fact,), fresh=True, kind=m.fact.kind.value, when=text
                )
            )
    return facts


_HEAD = re.compile(r"^\[(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?[^\]]*\]\s{0,9}")


def episode_parts(text: str) -> tuple[str, str]:
    """(date, what was talked about) of an episode `[2026-01-03 18:00] …`."""
    m = _HEAD.match(text)
    return (m[1], text[m.end() :]) if m else ("", text)


def newest(k: Knowledge) -> list[str]:
    """Accounts of earlier conversations, the newest last."""
    dated: Sequence[tuple[str, str]] = [(episode_parts(t)[0] or w, t) for w, t in k.episodes]
    return [t for _, t in sorted(dated, key=lambda e: e[0] or "9999")]
