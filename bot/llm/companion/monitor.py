# ruff: noqa: E501 - a pattern broken over lines cannot be read
"""The monitor's role by rules: an exchange and what is known in, lines of DESIGN §6 out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot.llm.companion.facts import Fact, same_thing
from bot.llm.companion.payload import mappings
from bot.llm.companion.reconcile import Known, Move, known_from, moves, resolve
from bot.llm.companion.speech import joking
from bot.llm.companion.statements import corrects_only, parse
from bot.llm.companion.text import clean, simplified, words
from bot.llm.companion.thread import Thread
from memory.models import Json
from memory.text.dates import local

_WRONG = re.compile(
    r"\b(?:wrong|incorrect|false|untrue|nonsense|mistaken|not (?:true|right|correct)|isn't (?:true|right|correct)|never said)\b|不对|错|不是这样|没说过|假的|不是真的|不正确|有误",
    re.I,
)
_REMEMBER = re.compile(
    r"^\W*(?:please\s{1,9}|ok(?:ay)?\W+|ebb\W+)*(?:remember|note|keep in mind|don't forget|do not forget|make a note)\b|^\W*(?:请|麻烦|帮我|你要?|Ebb)*(?:记住|记一下|记下|记得|别忘)",
    re.I,
)
MOST_USED = 3  # a reply that recites more than this lists memories rather than being shaped by them


def answer(data: Mapping[str, Json]) -> str:
    """The monitor's lines for a request; `[SKIP]` where nothing is worth keeping."""
    tz = str(data.get("tz") or "")
    now = str(data.get("now") or "")
    known = known_from(mappings(data.get("reference")))
    context = [(str(m.get("role") or ""), str(m.get("text") or "")) for m in mappings(data.get("context"))]
    lines: list[str] = []
    used: set[str] = set()
    for m in mappings(data.get("exchange")):
        role, text, at = str(m.get("role") or ""), str(m.get("text") or ""), str(m.get("at") or now)
        if role == "user" and at:
            free = [k for k in known if k.id not in used]
            for step in _heard(text, at, tz, context, free):
                used.add(step.id)
                lines.append(line(step))
        elif role == "assistant" and context and context[-1][0] == "user":
            used_now = _used(context[-1][1], text, [k for k in known if k.id not in used and not k.negated])
            lines += [f"[BOOST:{k.id}]" for k in used_now]
            used.update(k.id for k in used_now)
        context.append((role, text))
    return "\n".join(dict.fromkeys(lines)) or "[SKIP]"


def _heard(text: str, at: str, tz: str, context: Sequence[tuple[str, str]], known: Sequence[Known]) -> list[Move]:
    """What one message of the user asks for."""
    told = next((t for role, t in reversed(context) if role == "assistant"), "")
    thread = Thread()
    thread.know(f for k in known if not k.negated for f in k.facts)
    said = ""
    for role, t in context:
        if role == "user":
            thread.know(parse(thread.hear(t, said), at, tz))
        else:
            said = t
    before = thread.before
    text = thread.hear(text, told)
    if (joking(text) and len(text) < 40) or (corrects_only(text) and _WRONG.search(simplified(clean(text)))):
        return _taken_back(parse(before, at, tz), known) if joking(text) else _wrong(told, known)
    facts = parse(text, at, tz)
    plain = [f for f in facts if f.slot != "?"]
    out = moves(plain, known)
    for f in facts:
        if f.slot == "?" and (step := resolve(f, known, parse(before, at, tz), told, local(at, tz))):
            out.append(step)
    if _REMEMBER.match(text):
        out = [s for s in out if s.act != "boost"]  # it was saved a moment ago, from this very message
    return out


def _taken_back(joked: Sequence[Fact], known: Sequence[Known]) -> list[Move]:
    """`Just kidding` takes back what was stated before."""
    return [Move("delete", f, k.id) for f in joked for k in known if any(same_thing(f, kf) for kf in k.facts)][:3]


def _wrong(told: str, known: Sequence[Known]) -> list[Move]:
    """`That's wrong` takes back what the assistant has just said."""
    said = [
        k for k in known if not k.negated and any(f.value and f.value.casefold() in told.casefold() for f in k.facts)
    ]
    return [Move("delete", said[0].facts[0], said[0].id)] if len(said) == 1 else []


def _used(asked: str, reply: str, known: Sequence[Known]) -> list[Known]:
    """Memories that shaped the reply: it says what they hold, and the user had not said it."""
    heard, said = words(asked), words(reply)
    low = simplified(reply).casefold()
    out = []
    for k in known:
        own = next((f.value for f in k.facts if f.value), "")
        told = simplified(own).casefold()
        fresh = words(own) - heard if own else (words(k.text) - words("The user's 用户的") - heard)
        if (own and told in low and fresh) or (not own and len(fresh) > 2 and fresh <= said):
            out.append(k)
    return out if len(out) <= MOST_USED else []


# Of somebody's own words nothing may look like another operation.
_HEAD = re.compile(r"[\[【［〔]\s{0,9}(?:[A-Za-z]+|[\u4e00-\u9fff]{2})[\s:：=\]】］〕]")
_ROUND = str.maketrans("[]【】［］〔〕", "()（）（）（）")


def line(m: Move) -> str:
    """A move as a line of the grammar."""
    f = m.fact
    text = " ".join(f.text.split())
    if _HEAD.search(text):
        text = text.translate(_ROUND)
    if m.act in {"boost", "delete"}:
        return f"[{m.act.upper()}:{m.id}]"
    if m.act == "negate":
        return f"[NEGATE:{m.id}] {text}"
    head = "ADD" if m.act == "add" else f"UPDATE:{m.id}"
    parts = [head, f"kind={f.kind.value}", f"importance={f.importance.value}"]
    if f.due and f.when and f.kind.value == "todo":
        parts.append(f"expires={f.when.due}")
    elif f.when and f.when.lead == "since":
        parts.append(f"since={f.when.since}")
    if names := ", ".join(
        n.replace('"', "").replace(",", " ").strip("[]【】［］〔〕 ") for n in f.entities if n.strip()
    ):
        parts.append(f'entities="{names.translate(_ROUND) if _HEAD.search(names) else names}"')
    if f.sensitivity:
        parts.append(f"sensitivity={f.sensitivity}")
    return f"[{' '.join(parts)}] {text}"
