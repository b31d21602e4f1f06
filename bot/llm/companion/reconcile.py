"""What a new fact means for what is known: new, the same again, changed, or denied. Shared by monitor and extractor.

Pure: facts and memories in, moves out; nobody here writes anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from bot.llm.companion.clause import HOLE
from bot.llm.companion.facts import Fact, same_thing
from bot.llm.companion.statements import read_back
from bot.llm.companion.text import key, words
from memory.models import Json, Kind
from memory.text import dates

Act: TypeAlias = Literal["add", "update", "negate", "boost", "delete"]
_NAME = re.compile(r"^(?:The user's name is (?P<en>[^.]+)\.?|用户的?(?:名字是|叫)(?P<zh>[^。，,]+)。?)$")
_HABITS = frozenset(
    {"habit", "like", "diet:eat", "diet:drink", "skill", "goal", "project", "hobby", "wake_time", "sleep_time"}
)


@dataclass(frozen=True, slots=True)
class Known:
    """A memory as the request shows it, and what it states."""

    id: str
    text: str
    facts: tuple[Fact, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """One thing to do with a fact."""

    act: Act
    fact: Fact
    id: str = ""


def known_from(items: Iterable[Mapping[str, Json]]) -> list[Known]:
    """The reference of a request, read back; what the user calls themselves counts as the user."""
    rows = [(str(i.get("id") or ""), str(i.get("text") or ""), bool(i.get("negated"))) for i in items]
    name = next((m["en"] or m["zh"] for _, text, no in rows if not no and (m := _NAME.match(text.strip()))), "")
    return [Known(i, text, read_back(text, name), no) for i, text, no in rows if text]


def move(f: Fact, known: Sequence[Known]) -> Move | None:
    """What `f` means where `known` is known; None if there is nothing to do."""
    pairs = [(k, kf) for k in known for kf in k.facts]
    for k, kf in pairs:
        same = same_thing(f, kf) or (not f.holds and _same_event(f, kf))
        if not k.negated and same and f.holds != kf.holds and not (f.one and not f.key):
            return Move("update" if f.holds else "negate", f, k.id)
    if f.one and not f.key and not f.holds:
        return next(
            (Move("negate", f, k.id) for k, kf in pairs if not k.negated and kf.slot == f.slot and kf.holds),
            Move("add", f),
        )
    if f.instead_of and f.holds and (found := _replaced(f, pairs)):
        return found
    if found := _again(f, pairs):
        gone = any(k.id == found.id and k.negated for k in known)  # what was once so, and is so again
        return (_changed(f, pairs) if gone and f.holds else None) or found
    if f.holds and (found := _changed(f, pairs) or _meant(f, pairs)):
        return found
    if f.ended and (found := _stopped(f, pairs)):
        return found
    if not f.holds and f.kind is Kind.TODO:
        return None  # a cancelled thing nobody knew of
    return Move("add", f)


def _replaced(f: Fact, pairs: Sequence[tuple[Known, Fact]]) -> Move | None:
    """`Munich, not Berlin`: the memory of the same sort that says Berlin."""
    old = key(f.instead_of)
    for k, kf in pairs:
        if not k.negated and kf.slot == f.slot and (kf.key == old or f.instead_of.casefold() in k.text.casefold()):
            return Move("update", f, k.id)
    return None


def _again(f: Fact, pairs: Sequence[tuple[Known, Fact]]) -> Move | None:
    """The same thing in the same sense: said again, or (a date) moved."""
    for k, kf in sorted(pairs, key=lambda p: p[0].negated):
        if not (same_thing(f, kf) or _same_event(f, kf)) or f.holds != kf.holds:
            continue
        if f.family in {"event", "todo"} and f.when and kf.when and f.when.due != kf.when.due:
            if f.one or f.corrects or f.family == "todo":
                return Move("update", f, k.id)
            continue
        if _same_event(f, kf) and not same_thing(f, kf) and f.when and not kf.when:
            continue
        return Move("boost", f, k.id)
    return None


def _changed(f: Fact, pairs: Sequence[tuple[Known, Fact]]) -> Move | None:
    """A slot with one value got another one."""
    if not f.one:
        return None
    for k, kf in sorted(pairs, key=lambda p: p[1].lang != f.lang):
        if k.negated or not kf.holds or (kf.key == f.key and not f.when):
            continue
        if kf.slot == f.slot or _same_event(f, kf):
            return Move("update", f, k.id)
    return None


MEANT = {
    "flight": r"\bfl(?:y|ies|ying)\b",
    "trip": r"\b(?:go(?:es|ing)?|travel\w*) to\b",
    "appointment": r"\bsee the (?:dentist|doctor)\b",
    "航班": "飞",
    "飞机": "飞",
}


def _meant(f: Fact, pairs: Sequence[tuple[Known, Fact]]) -> Move | None:
    """`No wait, the flight is on the 5th` where it was `flying to Tokyo`, 牙医改到周三 where it was 要看牙医."""
    hits = redated(f, pairs)
    return _as_move(hits[0], _redated(hits[0].text, f, f.when.at, f.lang)) if len(hits) == 1 and f.when else None


def redated(f: Fact, pairs: Sequence[tuple[Known, Fact]]) -> list[Known]:
    """What is known of an event by another name and with another date."""
    if not (f.when and f.family == "event" and f.holds and (f.one or f.corrects)):
        return []
    word = next((p for w, p in MEANT.items() if f.corrects and f.slot.endswith(w)), None)
    noun = f.slot.split(":", 1)[1].casefold()
    return [
        k
        for k, kf in pairs
        if not k.negated
        and kf.family in {"todo", "event"}
        and kf.slot != f.slot
        and kf.when
        and kf.when.due != f.when.due
        and ((word and re.search(word, kf.text)) or (len(noun) > 1 and noun in kf.text.casefold()))
    ]


def _same_event(f: Fact, kf: Fact) -> bool:
    if not (f.family == kf.family == "event"):
        return False
    a, b = words(f.slot.split(":", 1)[1]), words(kf.slot.split(":", 1)[1])
    return bool(a) and bool(b) and (a <= b or b <= a)


def _stopped(f: Fact, pairs: Sequence[tuple[Known, Fact]]) -> Move | None:
    """`I stopped drinking coffee` ends `drinks coffee every morning`."""
    mine = words(f.value)
    for k, kf in pairs:
        if (
            not k.negated
            and kf.holds
            and kf.slot in _HABITS
            and mine
            and kf.lang == f.lang
            and (mine <= words(kf.value) or mine <= words(k.text))
        ):
            return Move("negate", f, k.id)
    return None


def moves(facts: Sequence[Fact], known: Sequence[Known]) -> list[Move]:
    """Moves for all facts of one message in order; each memory is touched once."""
    out: list[Move] = []
    used: set[str] = set()
    seen: set[str] = set()  # one sentence that states several things is one memory
    for f in facts:
        m = step(f, known, used)
        if m is None or not m.fact.text:
            continue
        if m.id:
            used.add(m.id)
        elif f.text in seen:
            continue
        seen.add(f.text)
        out.append(m)
        if m.act == "update":
            more = respelled(m, known, used)
            used.update(s.id for s in more)
            out += more
    return out


def step(f: Fact, known: Sequence[Known], used: set[str]) -> Move | None:
    """The move for `f` where the memories of `used` have been dealt with already: confirmed once is enough."""
    m = move(f, known)
    if m is None or m.id not in used:
        return m
    return None if m.act == "boost" else move(f, [k for k in known if k.id not in used])


def respelled(m: Move, known: Sequence[Known], used: set[str]) -> list[Move]:
    """Sara, not Sarah: what else is known of Sarah is of Sara."""
    f = m.fact
    was = next((kf.value for k in known if k.id == m.id for kf in k.facts if kf.slot == f.slot), "")
    if not (f.corrects or f.instead_of) or f.family not in {"relation", "name"} or not was or not f.value:
        return []
    word = re.escape(was) if re.search(r"[\u4e00-\u9fff]", was) else rf"\b{re.escape(was)}\b"
    out = []
    for k in known:
        if k.id in used or k.negated or not re.search(word, k.text):
            continue
        base = k.facts[0] if k.facts else Fact(k.text, f.lang, "fact")
        names = tuple(f.value if e == was else e for e in base.entities)
        text = re.sub(word, lambda _m: f.value, k.text)
        out.append(Move("update", replace(base, text=text, entities=names, corrects=True), k.id))
    return out


def resolve(f: Fact, known: Sequence[Known], earlier: Sequence[Fact], told: str, now: datetime) -> Move | None:
    """What a bare correction (`no, Munich`; `不是周三，是周四`) corrects.

    Args:
        f: the correction, of slot `?`.
        known: what may be corrected.
        earlier: what the user's message before stated.
        told: what the assistant said last: it may be that which is wrong.
        now: for reading dates.
    """
    for k in known:
        if k.negated:
            continue
        if f.instead_of and (text := _exchanged(k.text, f, now)):
            return _as_move(k, text)
    if f.instead_of:
        return None
    for old in (e for e in reversed(earlier) if e.text):
        if f.when and old.when:
            text = _redated(old.text, f, now, old.lang)
        elif f.value and old.value and old.value in old.text:
            text = old.text.replace(old.value, f.value)
        else:
            continue
        hit = next(
            (k for k in known if any(same_thing(old, kf) or (old.one and old.slot == kf.slot) for kf in k.facts)),
            None,
        )
        names = tuple(f.value if f.value and e == old.value else e for e in old.entities)
        changed = replace(
            old, text=text, value=f.value or old.value, when=f.when or old.when, corrects=True, entities=names
        )
        return Move("update", changed, hit.id) if hit else Move("add", changed)
    hits = (
        [k for k in known if not k.negated and any(kf.one and kf.value and kf.value in told for kf in k.facts)]
        if f.value
        else []
    )
    if len(hits) == 1:
        old = next(kf for kf in hits[0].facts if kf.one)
        return _as_move(hits[0], hits[0].text.replace(old.value, f.value))
    due = [k for k in known if not k.negated and any(kf.due and kf.when for kf in k.facts)] if f.when else []
    told_due = [k for k in due if any(kf.value and kf.value in told for kf in k.facts)]
    pick = told_due if len(told_due) == 1 else due
    return _as_move(pick[0], _redated(pick[0].text, f, now, pick[0].facts[0].lang)) if len(pick) == 1 else None


def _as_move(k: Known, text: str) -> Move | None:
    if not text or text == k.text or not k.facts:
        return None
    found = read_back(text)
    base = found[0] if found else k.facts[0]
    return Move("update", replace(base, text=text, corrects=True), k.id)


def _exchanged(text: str, f: Fact, now: datetime) -> str:
    """`text` with the old value exchanged for the new; empty if it does not say the old one."""
    if f.when:
        old = dates.find(f.instead_of, now, f.lang)
        for w in dates.find(text, now, f.lang):
            if old and w.at.date() == old[0].at.date():
                return _redated(text, f, now, f.lang)
        return ""
    if not f.value or HOLE.search(f.value):
        return ""
    pattern = (
        re.escape(f.instead_of) if re.search(r"[\u4e00-\u9fff]", f.instead_of) else rf"\b{re.escape(f.instead_of)}\b"
    )
    changed, n = re.subn(pattern, lambda _m: f.value, text, count=1, flags=re.I)
    return changed if n else ""


def _redated(text: str, f: Fact, now: datetime, lang: str) -> str:
    """`text` with its date exchanged for that of `f`."""
    found = dates.find(text, now, "zh" if lang == "zh" else "en")
    if not found or f.when is None:
        return ""
    w = found[-1]
    new = f.when
    if w.grain == "minute" and new.grain == "day" and not new.part:
        new = replace(new, at=new.at.replace(hour=w.at.hour, minute=w.at.minute), grain="minute")
    elif w.grain == "minute" and new.grain == "minute" and new.start == new.end == 0:
        new = f.when
    return (
        f"{text[: w.start]}{dates.written(replace(new, lead=w.lead), 'zh' if lang == 'zh' else 'en')}{text[w.end :]}"
    )
