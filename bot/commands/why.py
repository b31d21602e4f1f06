"""Why a memory was recalled or was not, in words and in figures that add up: /why, `ebb memory search --explain`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.commands.memories import format_memory
from bot.texts import Texts, join, write_day
from memory.learn.dates import get_zone
from memory.learn.same_meaning import list_units
from memory.models import Hit, Lang, Layer, Memory, Recall, Source, mark_quote
from memory.ports import Transaction
from memory.recall import THRESHOLD, apply_nudges

MISSED = 5  # near misses that a chat is shown
_SEEN = 0.005  # smaller parts are not told
LONGEST: Final = 120  # characters of a quotation
MORE: Final = frozenset({"more", "details", "all", "更多", "详细", "细节", "全部"})
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")

say = Texts("why")


@dataclass(frozen=True, slots=True)
class SourceQuote:
    """The person's very words behind a memory, and when they said them."""

    text: str
    at: datetime


def quote_of(tx: Transaction, m: Memory) -> SourceQuote | None:
    """Find the words that taught a memory; None where no message of the person's that may be seen has them."""
    for message_id, start, end in tx.memories.list_source_spans(m.id):
        said = tx.conversations.get_message(message_id)
        if said is None or said.role != "user" or said.hidden_at is not None:
            continue
        text = (
            said.text[start:end]
            if start is not None and end is not None
            else _closest(said.text, m)
        )
        if text.strip():
            return SourceQuote(_short(text), said.at)
    return None


def explain_memory(m: Memory, quote: SourceQuote | None, lang: Lang, now: datetime, tz: str) -> str:
    """Say in one clause why a memory is held: by the person's own words where they are known."""
    at = quote.at if quote else m.created_at
    date = _date(at, now, lang, tz)
    if m.layer is Layer.EPISODE:
        return say(lang, "talked", date=date)
    if quote is not None:
        return say(lang, "told", date=date, quote=quote.text)
    own = {Source.USER: "asked", Source.IMPORT: "imported", Source.SYSTEM: "concluded"}.get(
        m.source, "noted"
    )
    return say(lang, own, date=date, quote=_short(m.content))


def explain_reply(
    recall: Recall,
    standing: Sequence[Memory],
    used: frozenset[str],
    quotes: Mapping[str, SourceQuote | None],
    lang: Lang,
    now: datetime,
    tz: str,
) -> str:
    """Answer /why: one sentence for each memory that shaped the reply, in the person's own words."""
    hits = [h for h in recall.hits if h.memory.id in used] or list(recall.hits)
    if not hits:
        return "\n".join([say(lang, "nothing"), *_in_mind(standing, lang)])
    told = list(
        dict.fromkeys(
            explain_memory(h.memory, quotes.get(h.memory.id), lang, now, tz) for h in hits
        )
    )
    if used and len(told) == 1:
        lines = [say(lang, "because", reason=told[0])]
    else:
        lines = [say(lang, "several" if used else "had"), *(f"- {_plain(t)}" for t in told)]
    return "\n".join([*lines, *_in_mind(standing, lang), "", say(lang, "unfold")])


def _in_mind(standing: Sequence[Memory], lang: Lang) -> list[str]:
    what = join((_short(mark_quote(m, m.content).rstrip(".。")) for m in standing), lang, "clauses")
    return [say(lang, "resident", what=what)] if what else []


def _plain(reason: str) -> str:
    reason = reason.removeprefix("因为")
    return reason[:1].upper() + reason[1:]


def _closest(text: str, m: Memory) -> str:
    """Find the sentence of a message that shares most words with the memory."""
    wanted = list_units(m.original_content)
    return max(_SENTENCE.findall(text), key=lambda s: len(list_units(s) & wanted), default=text)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def _date(at: datetime, now: datetime, lang: Lang, tz: str) -> str:
    """Write the day, with its year where that is not this one."""
    day, today = at.astimezone(get_zone(tz)), now.astimezone(get_zone(tz))
    return write_day(day, today.year, lang)


def explain(
    recall: Recall,
    standing: Sequence[Memory],
    lang: Lang,
    now: datetime,
    used: frozenset[str] = frozenset(),
) -> str:
    """Answer `/why more`: what was recalled and why, what shaped the reply, what was left out."""
    out = [say(lang, "head" if recall.hits else "nothing")]
    for h in recall.hits:
        out += _listed(h, lang, now)
        out += [f"  - {say(lang, 'used')}"] if h.memory.id in used else []
    out += [f"\n{line}" for line in _in_mind(standing, lang)]
    if recall.late:
        out.append("\n" + say(lang, "late"))
    if recall.missed:
        out.append("\n" + say(lang, "missed"))
        for h in recall.missed[:MISSED]:
            out += _listed(h, lang, now)
    return "\n".join(out)


def list_reasons(h: Hit, lang: Lang) -> list[str]:
    """Explain the gate's figure and the rank's, a line each."""
    key = f"why.{h.why}"
    if key in say:
        lines = [say(lang, key)]
    else:
        verdict = "passes" if h.passed else "below" if h.gate < THRESHOLD else "full"
        what = say(lang, "gate", gate=h.gate, verdict=say(lang, verdict, cut=THRESHOLD))
        heard = _sum(h.evidence, lang) if h.evidence.keys() - {"bias"} else say(lang, "silent")
        lines = [say(lang, "parts", what=what, parts=heard) if heard else what]
    points = {name: apply_nudges(0.0, {name: factor}) for name, factor in h.nudges.items()}
    ranked = _sum({**h.signals, **points}, lang)
    return [*lines, say(lang, "rank", score=h.score, parts=ranked)] if ranked else lines


def _listed(h: Hit, lang: Lang, now: datetime) -> Sequence[str]:
    m = h.memory
    ahead = [
        f"  - {say(lang, 'coming', day=day)}"
        for day in (m.on, m.valid_from)
        if day is not None and day > now
    ]
    return [
        f"- {format_memory(m, lang, now)}",
        *ahead[:1],
        *(f"  - {line}" for line in list_reasons(h, lang)),
    ]


def _sum(parts: Mapping[str, float], lang: Lang) -> str:
    """Words 3.10 + names 2.40 − to begin with 5.40: the greatest first, what counts against it last."""
    told = sorted(((v, k) for k, v in parts.items() if abs(v) >= _SEEN), reverse=True)
    out = ""
    for value, name in told:
        key = f"by.{name}"
        label = say(lang, key) if key in say else name
        sign = " − " if value < 0 else " + "
        out += f"{sign if out or value < 0 else ''}{label} {abs(value):.2f}"
    return out.strip()
