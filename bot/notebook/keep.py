"""What the notebook keeps: a person's own sentences, sorted, dated and linked."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from bot.notebook import reader
from bot.notebook.reader import SentenceReading, SentenceUnit
from bot.notebook.texts import say
from bot.texts import LANGS
from memory.api import find_rename, list_units, redact
from memory.models import Json, detect_language
from memory.ports import FloatArray
from memory.text import dates
from memory.text.deaths import find_dead
from memory.text.numbers import find_numbers
from memory.text.questions import COMMON
from memory.text.speech import FORMS, denies_or_ends, is_denial, split_clauses

Rows: TypeAlias = Sequence[Mapping[str, Json]]
Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[FloatArray | None]]

# Cosine from which a correction is about a memory; each word that both have adds to it.
LINKED: Final = 0.855
WORD: Final = 0.03
SORTED: Final = 0.5  # share of a sort from which a quotation is more than a fact
NEARLY: Final = 0.4  # of the limit, from which a sentence belongs to a kept one beside it
MOST_LINES: Final = 20
FELT: Final = 0.6  # share of an act, such as telling a death, from which it is taken as such
SEEN: Final = 20  # messages before it that a correction may be about
PLANNED: Final = frozenset({"event", "todo"})  # kinds with a day
ANY_DAY: Final = "2026-01-01"  # dates are seen from it, and not worked out
SMALL: Final = 2  # "one thing": a number up to it says nothing by itself
JOINT: Final = re.compile("|".join(re.escape(say(lang, "join")) for lang in LANGS))
_KINDS: Final = {"name": "identity", "health": "health", "instruction": "instruction"}
_PLACEHOLDER: Final = re.compile(r"\[(?:secret|机密)[:：]")
_HEAD: Final = re.compile(r"[\[【［〔]")
_BEFORE_QUOTE: Final = re.compile(r"(?<![.!。！])\s{0,9}(?:[:：,，]\s{0,9})?[\"“「『]")


@dataclass(frozen=True, slots=True)
class QuoteEntry:
    """A quotation behind what it answers, the words it rests on, and what it corrects."""

    text: str
    said: str
    kind: str
    when: dates.DateMatch | None = None
    corrects: Mapping[str, Json] = field(default_factory=dict)  # the memory
    dead: str = ""


def list_mappings(value: Json) -> list[Mapping[str, Json]]:
    """Return the mappings of a list; nothing of anything else."""
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list | tuple) else []


async def read_units(embed: Embed, found: Sequence[SentenceUnit]) -> list[SentenceReading]:
    """Read units with their vectors, or without where there is no embedder.

    What is nearly to be kept is kept beside what is: people tell one thing in several sentences.
    """
    texts = [u.text for u in found] + [u.before for u in found]
    vectors = await embed(texts) if found else None
    halves = (None, None) if vectors is None else np.split(vectors, 2)
    out = reader.load_reader().read(found, *halves)
    keep = [r.keep for r in out]
    near = [any(keep[max(0, i - 1) : i + 2]) and r.over >= NEARLY for i, r in enumerate(out)]
    return [replace(r, keep=k) for r, k in zip(out, near, strict=True)]


def split_units(text: str, before: Rows) -> list[SentenceUnit]:
    """Split a message into units, without secrets and what only says whose words follow.

    The first follows a question of ours, or what they said before.
    """
    last = str(before[-1].get("text") or "") if before else ""
    # A sentence of ours asks by its mark alone: "when you ask." has the form of a question.
    asked = (
        bool(before) and before[-1].get("role") == "assistant" and reader.has_question_mark(last)
    )
    own = [str(m.get("text") or "") for m in before if m.get("role") == "user"]
    said = reader.split_units(own[-1]) if own and not asked else []
    previous = last[-reader.MOST :] if asked else said[-1].text if said else ""
    return [
        u
        for u in reader.split_units(text, previous, asked=asked)
        if not (has_secret(u.text) or _BEFORE_QUOTE.match(text, u.end))
    ]


def has_secret(text: str) -> bool:
    """Say whether a secret stands in a text, or the mark of one."""
    return bool(_PLACEHOLDER.search(text) or redact(text)[1])


async def find_entries(
    embed: Embed, m: Mapping[str, Json], before: Rows, known: Rows, data: Mapping[str, Json]
) -> list[QuoteEntry]:
    """Return what of a message is kept. `known` are memories that a correction may be about."""
    found = split_units(str(m.get("text") or ""), before)
    readings = await read_units(embed, found)
    at, tz = str(m.get("at") or data.get("now") or ""), str(data.get("tz") or "")
    earlier = [str(x.get("text") or "") for x in before[-SEEN:] if x.get("role") == "user"]
    said = [u.text for text in earlier for u in reader.split_units(text)]
    out: list[QuoteEntry] = []
    for unit, r in zip(found, readings, strict=True):
        when = find_date(unit.text, at, tz)
        kind = _KINDS.get(r.sort, "fact") if r.sure >= SORTED else "fact"
        if kind == "fact" and when is not None and r.dated:
            kind = r.dated
        goes_on = FORMS.PRONOUN.match(unit.text) and not reader.is_question(unit.before)
        head = unit.before if unit.asked or goes_on else ""
        old: Mapping[str, Json] = {}
        if is_bare(unit, r):
            head, old = find_answered(unit.text, said, known, sure=r.keep)
        text = f"{head}{say(detect_language(unit.text), 'join')}{unit.text}" if head else unit.text
        entry = QuoteEntry(" ".join(text.split()), unit.text, kind, when)
        if r.acts.get("death", 0.0) >= FELT:
            entry = replace(entry, dead=find_dead(unit.text, told=True), when=None)
        if r.corrects:
            old = old if old else await _find_corrected(embed, entry, known)
            entry = replace(entry, corrects=old if _says_one_thing(old) else {})
            if old.get("kind") in PLANNED and (when := find_date(unit.text, at, tz, over=False)):
                entry = replace(entry, when=when, kind=str(old["kind"]))
        if old or says_enough(unit, r) or entry.dead or _ends_known(unit, r, known):
            out.append(entry)
        said.append(unit.text)
    return out


def is_bare(unit: SentenceUnit, r: SentenceReading) -> bool:
    """Say whether a unit is a correction that says nothing without what it corrects."""
    ends = FORMS.ENDED.search(unit.text) and FORMS.ME.search(unit.text)  # says what has ended
    return r.corrects and reader.measure_width(unit.text) < reader.SHORT and not ends


def find_answered(
    text: str, said: Sequence[str], known: Rows, *, sure: bool
) -> tuple[str, Mapping[str, Json]]:
    """Find the sentence that a bare correction answers, and the memory that quotes it.

    That is the newest with a detail of the same form, a day or a number; of what has none and is
    `sure` to be kept, the last one.
    """
    details = _list_details(text)
    details = {"day"} if "day" in details else details
    for sentence in reversed(said if details else said[-1:] if sure else ()):
        m = next((m for m in known if sentence in str(m.get("text") or "")), None)
        head = JOINT.split(str(m.get("text")))[0] if m else ""
        if m and (not details or details & _list_details(head)):
            return head if head in said else sentence, m
    return "", {}


def _list_details(text: str) -> set[str]:
    """Return which details a text has by its form: "day", "number"."""
    bare = FORMS.DAYS.sub(" ", text)
    dated = bare != text or dates.find_dates(text, dates.local_time(ANY_DAY, ""))
    counted = any(n > SMALL or bare[a:b].isdecimal() for n, a, b in find_numbers(bare))
    return {name for name, has in (("day", dated), ("number", counted)) if has}


def _says_one_thing(m: Mapping[str, Json]) -> bool:
    """Say whether a memory is over once it is corrected: of several things the rest is true."""
    head = JOINT.split(str(m.get("text") or ""))[0]
    return len(list(split_clauses(head))) == 1


def says_enough(unit: SentenceUnit, r: SentenceReading) -> bool:
    """Say whether a unit is kept whatever is known: a bare correction of nothing says nothing."""
    return (r.keep and not is_bare(unit, r)) or find_rename(unit.text, "…") is not None


def _ends_known(unit: SentenceUnit, r: SentenceReading, known: Rows) -> bool:
    """Say whether a unit may end or deny what is kept: it shares telling words with that."""
    words = list_units(unit.text) - COMMON if r.over >= NEARLY else frozenset()
    texts = [str(m.get("text") or "") for m in known]
    return any(words & list_units(t) and changes(unit.text, t) for t in texts)


def changes(text: str, old: str) -> bool:
    """Say whether a text tells an end or a change, or denies most of what an older one says."""
    units = list_units(old)
    denies = denies_or_ends(text) and 2 * len(units & list_units(text)) > len(units)
    return denies or bool(FORMS.ENDED.search(text) or FORMS.CHANGED.search(text))


def find_date(text: str, at: str, tz: str, *, over: bool | None = None) -> dates.DateMatch | None:
    """Find the one date of a text that lies ahead; none where there are several.

    "The 24th, not the 17th" gives one. `over` is that of `dates.find_dates`.
    """
    try:
        now = dates.local_time(at, tz)
    except ValueError:
        return None
    found = [w for w in dates.find_dates(text, now, over=over) if not w.over(now) and not w.since]
    if len(found) > 1:
        told = [(a, b) for a, b in split_clauses(text) if not is_denial(text[a:b])]
        found = [w for w in found if any(a <= w.start < b for a, b in told)]
    return found[0] if len(found) == 1 else None


async def _find_corrected(embed: Embed, entry: QuoteEntry, known: Rows) -> Mapping[str, Json]:
    """Find the memory that a correction is about: the nearest, where it is near enough."""
    known = [m for m in known if m.get("text") != entry.text and _says_one_thing(m)]
    texts = [str(m.get("text") or "") for m in known]
    vectors = await embed([entry.said, *texts]) if texts else None
    if vectors is None:
        return {}
    shared = [min(3, len(list_units(entry.said) & list_units(text))) for text in texts]
    likeness = vectors[1:] @ vectors[0] + np.array(shared) * WORD
    best = int(np.argmax(likeness))
    return known[best] if likeness[best] >= LINKED else {}


# --- the tasks ---


async def monitor(embed: Embed, data: Mapping[str, Json]) -> str:
    """Answer the monitor: one line for each thing to keep, `[SKIP]` for none."""
    known = [m for m in list_mappings(data.get("reference")) if not m.get("negated")]
    before = list_mappings(data.get("context"))
    lines: list[str] = []
    for n, m in enumerate(list_mappings(data.get("exchange")), start=1):
        if m.get("role") == "user" and not data.get("failed"):
            entries = await find_entries(embed, m, before, known, data)
            lines += [_line(e, n) for e in entries]
        before = [*before, m]
    return "\n".join(dict.fromkeys(lines[:MOST_LINES])) or "[SKIP]"


async def extract(embed: Embed, data: Mapping[str, Json]) -> str:
    """Answer the extractor, without what is kept already and what the same session corrects."""
    known = list_mappings(data.get("memories"))
    there, out = {str(m.get("text") or "") for m in known}, dict[str, dict[str, Json]]()
    messages = list_mappings(data.get("messages"))
    for n, m in enumerate(messages, start=1):
        if m.get("role") != "user":
            continue
        fresh = [{"id": key, "text": o["content"], "kind": o["kind"]} for key, o in out.items()]
        for e in await find_entries(embed, m, messages[: n - 1], [*known, *fresh], data):
            old = str(e.corrects.get("id") or "")
            ends = None if out.pop(old, None) else old or None
            if e.text not in there:
                said = {"n": n, "words": e.said}
                fields = {"kind": e.kind, "quote": "yes", "contradicts": ends, "said": said}
                out[f"{n}.{len(out)}"] = {"content": e.text, **_dated(e), **fields}
    return json.dumps(list(out.values()), ensure_ascii=False)


def _line(e: QuoteEntry, n: int) -> str:
    """Write an entry as a line of the monitor's grammar."""
    head = f"UPDATE:{e.corrects['id']}" if e.corrects else "ADD"
    fields = "".join(f' {name}="{value}"' for name, value in _dated(e).items())
    words = e.said.replace("\\", "").replace('"', "")
    text = _HEAD.sub("(", e.text) if _HEAD.match(e.text) else e.text
    return f'[{head} kind={e.kind}{fields} quote=yes said={n}:"{words}"] {text}'


def _dated(e: QuoteEntry) -> dict[str, Json]:
    """Return the date beside a quotation: when it is due, or when it happens; or who died."""
    if e.dead:
        return {"dead": e.dead}
    if e.when is None or e.kind not in {"event", "todo"}:
        return {}
    return {"expires": e.when.due} if e.kind == "todo" else {"on": e.when.due[:10]}


async def summarise(embed: Embed, data: Mapping[str, Json]) -> str:
    """Answer the summariser with quotations: of what is kept, else of how it began."""
    messages = list_mappings(data.get("messages"))
    said = [str(m.get("text") or "") for m in messages if m.get("role") == "user"]
    quotes: list[tuple[float, str]] = []
    for text in said:
        units = split_units(text, ())
        readings = await read_units(embed, units)
        quotes += [(r.share, u.text) for u, r in zip(units, readings, strict=True) if r.keep]
    if not quotes:
        began = (" ".join(text.split())[:120] for text in said)
        quotes = [(0.0, next((text for text in began if not has_secret(text)), "…"))]
    best = [f"“{q}”" for _, q in sorted(quotes, reverse=True)[:2]]
    lines = [*str(data.get("previous") or "").splitlines(), *(f"“{q}”" for _, q in quotes)]
    found = {"episode": "; ".join(best), "summary": "\n".join(lines[-2 * MOST_LINES :])}
    return json.dumps(found, ensure_ascii=False)
