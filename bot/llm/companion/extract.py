"""The extractor's role by rules: a finished stretch of conversation in, a JSON array out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.llm.companion.facts import Fact
from bot.llm.companion.payload import mappings
from bot.llm.companion.reconcile import Known, known_from, move, resolve, respelled, step
from bot.llm.companion.speech import joking
from bot.llm.companion.statements import parse
from bot.llm.companion.thread import Thread
from memory.models import Json
from memory.text.dates import local


@dataclass
class Heard:
    """What the conversation comes to so far, and on which messages each fact rests."""

    facts: dict[str, Fact] = field(default_factory=dict)
    said: dict[str, list[int]] = field(default_factory=dict)
    last: list[str] = field(default_factory=list)
    count: int = 0

    def known(self) -> list[Known]:
        """What was said, as if it were remembered."""
        return [Known(i, f.text, (f,)) for i, f in self.facts.items()]

    def put(self, f: Fact, n: int, over: str = "") -> None:
        """Add a fact, or set it in the place of an older one."""
        if not over:
            self.count += 1
            over = f"new{self.count}"
        self.facts[over] = f
        self.said.setdefault(over, []).append(n)
        self.last.append(over)


def answer(data: Mapping[str, Json]) -> str:
    """The extractor's JSON for a request; `[]` where nothing is worth keeping."""
    heard = _listen(data)
    known = known_from(mappings(data.get("memories")))
    used: set[str] = set()
    out: list[dict[str, Json]] = []
    told: set[str] = set()  # one sentence that states several things is one memory
    for i, f in heard.facts.items():
        m = step(f, known, used)
        if m is None or not f.text or (m.act == "add" and f.text in told):
            continue
        told.add(f.text)
        used.add(m.id)
        out.append(
            {
                "content": f.text,
                "kind": f.kind.value,
                "importance": f.importance.value,
                "matches": m.id if m.act == "boost" else None,
                "contradicts": m.id if m.act in {"update", "negate"} else None,
                "denied": m.act == "negate",
                "expires_at": f.when.due if f.due and f.when and f.kind.value == "todo" else None,
                "since": f.when.since if f.when and f.when.lead == "since" else None,
                "entities": list(f.entities),
                "sensitivity": f.sensitivity,
                "said": sorted(set(heard.said[i])),
            }
        )
    return json.dumps(out, ensure_ascii=False)


def _listen(data: Mapping[str, Json]) -> Heard:
    """The user's messages in order; a later word takes the place of an earlier one."""
    tz, now = str(data.get("tz") or ""), str(data.get("now") or "")
    so_far = Heard()
    thread = Thread()
    thread.know(f for k in known_from(mappings(data.get("memories"))) if not k.negated for f in k.facts)
    told, before = "", ""
    for n, m in enumerate(mappings(data.get("messages")), start=1):
        text, at = str(m.get("text") or ""), str(m.get("at") or now)
        if m.get("role") == "assistant":
            told = text
        elif m.get("role") == "user" and at:
            text = thread.hear(text, told)
            _message(so_far, n, text, at, tz, (told, before))
            thread.know(so_far.facts.values())
            before = text
    return so_far


def _message(heard: Heard, n: int, text: str, at: str, tz: str, around: tuple[str, str]) -> None:
    told, before = around
    if joking(text) and len(text) < 40:
        for i in heard.last:
            heard.facts.pop(i, None)
    heard.last = []
    for f in parse(text, at, tz):
        known = heard.known()
        m = resolve(f, known, parse(before, at, tz), told, local(at, tz)) if f.slot == "?" else move(f, known)
        if m is None:
            continue
        if m.act == "boost":
            heard.said[m.id].append(n)
        else:
            heard.put(m.fact, n, m.id)
            for r in respelled(m, known, {m.id}) if m.act == "update" else ():
                heard.facts[r.id] = r.fact
