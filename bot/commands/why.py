"""Why a memory was recalled or was not, in words and in figures that add up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from bot.commands.memories import format_memory
from bot.events import Command
from bot.texts import Texts, join, write_day
from memory.api import THRESHOLD, apply_nudges, get_zone, list_units
from memory.models import Hit, Lang, Layer, Memory, Recall, Source, State, mark_quote
from memory.ports import Transaction

MISSED = 5  # near misses that a chat is shown
_DAYS = 4  # on which a theme's details were told
_SEEN = 0.005  # smaller parts are not told
LONGEST: Final = 120  # characters of a quotation
_IN_ONE_LINE: Final = 3  # memories that the profile holds
MORE: Final = frozenset({"more", "details", "all", "更多", "详细", "细节", "全部"})
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_OWN: Final = {Source.USER: "asked", Source.IMPORT: "imported", Source.SYSTEM: "concluded"}

say = Texts("why")


class SourceQuote(NamedTuple):
    """The person's very words behind a memory, and when they said them."""

    text: str
    at: datetime


def explain_turn(tx: Transaction, recall: Recall, c: Command, lang: Lang) -> str:
    """Answer /why, or with `more` in figures, for the last reply of the command's scope."""
    session, turn_id = tx.conversations.get_open_session(c.scope), tx.traces.get_last_turn(c.scope)
    recalled = {h.memory.id: h.memory for h in recall.hits}
    known = tx.memories.get_many(session.profile or ()) if session else []
    standing = [m for m in known if m.state is State.ACTIVE and m.id not in recalled]
    used = frozenset(tx.traces.list_used(turn_id) if turn_id else ())
    if c.args.casefold() in MORE:
        return explain(recall, standing, lang, c.at.astimezone(get_zone(c.tz)), used)
    quotes = {i: _find_quote(tx, m) for i, m in recalled.items()}
    details = {i: tx.memories.get_many(m.source_ids) for i, m in recalled.items()}
    return explain_reply(recall, standing, used, quotes, lang, c.at, c.tz, details)


def _find_quote(tx: Transaction, m: Memory) -> SourceQuote | None:
    """Find the words that taught a memory; None where no message that may be seen has them."""
    for message_id, start, end in tx.memories.list_source_spans(m.id):
        said = tx.conversations.get_message(message_id)
        if said is None or said.role != "user" or said.hidden_at is not None:
            continue
        text = said.text[start:end]
        if start is None or end is None:  # the sentence that shares most words with the memory
            wanted = list_units(m.original_content)
            sentences = _SENTENCE.findall(said.text)
            text = max(sentences, key=lambda s: len(list_units(s) & wanted), default=said.text)
        if text.strip():
            return SourceQuote(_shorten(text), said.at)
    return None


def _explain_memory(
    m: Memory,
    quote: SourceQuote | None,
    lang: Lang,
    now: datetime,
    tz: str,
    details: Sequence[Memory] = (),
) -> str:
    """Say in one clause why a memory is held: by the person's own words where they are known."""
    zone = get_zone(tz)
    said = [quote.at] if quote else sorted(d.created_at for d in details) or [m.created_at]
    year = now.astimezone(zone).year
    days = list(dict.fromkeys(write_day(at.astimezone(zone), year, lang) for at in said))
    date = join(days if len(days) <= _DAYS else [*days[:_DAYS], "…"], lang, "list")
    key = "talked" if m.layer is Layer.EPISODE else "told" if quote else _OWN.get(m.source, "noted")
    return say(lang, key, date=date, quote=quote.text if quote else _shorten(m.original_content))


def explain_reply(
    recall: Recall,
    standing: Sequence[Memory],
    used: frozenset[str],
    quotes: Mapping[str, SourceQuote | None],
    lang: Lang,
    now: datetime,
    tz: str,
    details: Mapping[str, Sequence[Memory]] | None = None,
) -> str:
    """Answer /why: one sentence for each memory that shaped the reply, in the person's words."""
    shaped = [h.memory for h in recall.hits if h.memory.id in used]
    told = dict.fromkeys(
        _explain_memory(m, quotes.get(m.id), lang, now, tz, (details or {}).get(m.id, ()))
        for m in shaped or (h.memory for h in recall.hits)
    )
    read = _list_passages(recall, lang, now.astimezone(get_zone(tz)))
    if not told:
        found = [] if read else [say(lang, "faint" if recall.faint else "nothing")]
        return "\n".join([*found, *read, *_list_standing(standing, lang)])
    if used and len(told) == 1:
        lines = [say(lang, "because", reason="".join(told))]
    else:
        lines = [say(lang, "several" if used else "had")]
        lines += [f"- {reason[:1].upper()}{reason[1:]}" for reason in told]
    standing_lines = _list_standing(standing, lang)
    return "\n".join([*lines, *read, *standing_lines, "", say(lang, "unfold")])


def _list_passages(recall: Recall, lang: Lang, now: datetime) -> list[str]:
    """Say which passages of long texts were looked at; days are those of the zone of `now`."""
    lines = []
    for p in recall.passages:
        day = write_day(p.at.astimezone(now.tzinfo), now.year, lang)
        places = {"title": p.title, "part": p.part, "parts": p.parts, "date": day}
        key = "passage.own" if p.role == "assistant" else "passage"
        lines.append(f"- {say(lang, key, **places, quote=_shorten(p.text))}")
    return [say(lang, "passages"), *lines] if lines else []


def _list_standing(standing: Sequence[Memory], lang: Lang) -> list[str]:
    known = [_shorten(mark_quote(m, m.original_content).rstrip(".。")) for m in standing]
    if len(known) > _IN_ONE_LINE:
        return [say(lang, "residents"), *(f"- {text}" for text in known)]
    return [say(lang, "resident", what=join(known, lang, "clauses"))] if known else []


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def explain(
    recall: Recall,
    standing: Sequence[Memory],
    lang: Lang,
    now: datetime,
    used: frozenset[str] = frozenset(),
) -> str:
    """Answer `/why more`: what was recalled and why, what shaped the reply, what was left out."""
    out = [say(lang, "head")] if recall.hits else []
    out += [] if out or recall.passages else [say(lang, "nothing")]
    for h in recall.hits:
        out += _list_hit(h, lang, now)
        out += [f"  - {say(lang, 'used')}"] if h.memory.id in used else []
    out += _list_passages(recall, lang, now)
    out += [f"\n{line}" for line in _list_standing(standing, lang)]
    out += [f"\n{say(lang, 'late')}"] if recall.late else []
    out += [f"\n{say(lang, 'missed')}"] if recall.missed else []
    for h in recall.missed[:MISSED]:
        out += _list_hit(h, lang, now)
    return "\n".join(out)


def _list_hit(h: Hit, lang: Lang, now: datetime) -> list[str]:
    reasons = list_reasons(h, lang)
    return [f"- {format_memory(h.memory, lang, now)}", *(f"  - {line}" for line in reasons)]


def list_reasons(h: Hit, lang: Lang) -> list[str]:
    """Explain the gate's figure and the rank's, a line each."""
    if (why := f"why.{h.why}") in say:
        lines = [say(lang, why)]
    else:
        verdict = "passes" if h.passed else "below" if h.gate < THRESHOLD else "full"
        what = say(lang, "gate", gate=h.gate, verdict=say(lang, verdict, cut=THRESHOLD))
        heard = (
            _write_sum(h.evidence, lang) if h.evidence.keys() - {"bias"} else say(lang, "silent")
        )
        lines = [say(lang, "parts", what=what, parts=heard) if heard else what]
    points = {name: apply_nudges(0.0, {name: factor}) for name, factor in h.nudges.items()}
    ranked = _write_sum({**h.signals, **points}, lang)
    return [*lines, say(lang, "rank", score=h.score, parts=ranked)] if ranked else lines


def _write_sum(parts: Mapping[str, float], lang: Lang) -> str:
    """Write `words 3.10 + names 2.40 − to begin with 5.40`: the greatest part first."""
    out = ""
    for value, name in sorted(((v, k) for k, v in parts.items() if abs(v) >= _SEEN), reverse=True):
        sign = " − " if value < 0 else " + "
        label = say.name(lang, "by", name)
        out += f"{sign if out or value < 0 else ''}{label} {abs(value):.2f}"
    return out.strip()
