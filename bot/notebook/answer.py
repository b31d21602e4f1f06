"""What the notebook says: quotations with their dates, and a few fixed sentences. It invents nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final
from zlib import crc32

import numpy as np

from bot.notebook import keep, reader
from bot.notebook.keep import Embed, mappings
from bot.notebook.reader import Reading, Unit
from bot.notebook.texts import say
from bot.texts import say as program_says
from memory.models import Json, Lang, language_of
from memory.ports import FloatArray
from memory.text import dates

MOST_QUOTES: Final = 3
MOST_LISTED: Final = 12
SURE: Final = 0.85  # relevance from which a memory is quoted as the answer
STANDING: Final = 0.85  # cosine from which a standing memory answers a question
PLACE: Final = 0.01  # cosine that a place in what recall brings is worth
SAME: Final = 0.9  # cosine from which two memories are of one subject: then the newer one comes first
FELT: Final = 0.6  # share of an act from which it is answered as such
ACT: Final = 0.4
SELF: Final = 0.8  # as above, of a question that speaks of the person as well
ASKS: Final = frozenset({"question", "request"})
LEFT_OUT: Final = frozenset({"wish", "joke", "fiction", "conditional", "roleplay"})

_ANY: Final = {"text": "", "date": "", "quote": "", "name": "", "said": "", "why": ""}  # places that do not matter
_CALLED: Final = re.compile(
    r"\b(?i:my name(?:['’]s| is)|i['’]?m called|(?:just )?call me|i go by|name['’]s|i am|i['’]m) ([A-Z][\w'’-]{1,20})"
    r"|(?:我(?:的名字)?叫|叫我|名字[叫是]|我姓.{1,3}[，, ]叫)([\u4e00-\u9fffA-Za-z]{1,4}?)(?=$|[，。,.!！ 吧就])"
)
_YOU: Final = re.compile(r"\b(?:you|your|u|this thing)\b|[你您]|这是", re.I)
_PERSONAL: Final = re.compile(r"\b(?:i|my|mine|our|we)\b|(?<![给給帮幫])[我咱俺]", re.I)


async def answer(embed: Embed, data: Mapping[str, Json]) -> str:
    """Answer `data["message"]`."""
    message, lang = str(data.get("message") or "").strip(), _lang(data)
    history = mappings(data.get("history"))
    units = keep.units_of(message, history)
    readings = await keep.read_units(embed, units)
    talk = Talk(data, lang, history)
    overview = any(m.get("why") == "overview" for m in mappings(data.get("recalled")))
    asked = [(u, r.sort) for u, r in zip(units, readings, strict=True) if not r.keep and (overview or _asks(u, r))]
    if str(data.get("note") or ""):
        return talk.order(str(data["note"]))
    parts = [talk.opening(units, readings)]
    told = [
        (u, r) for u, r in zip(units, readings, strict=True) if r.keep or r.acts.get("correct", 0) >= keep.CORRECTS
    ]
    if told:
        parts += talk.told(told)
    else:
        parts += talk.felt(readings)
    for unit, sort in asked[:2]:
        parts.append(await _find(embed, unit.text if len(asked) > 1 else message, talk, sort))
    if not told and not asked and not parts[0]:
        parts += talk.small(units, readings)
    return ("" if lang == "zh" else " ").join(dict.fromkeys(p for p in parts if p)).replace("\n ", "\n") or say(
        lang, "plain"
    )


def _lang(data: Mapping[str, Json]) -> Lang:
    return language_of(str(data.get("message") or ""), "zh" if data.get("lang") == "zh" else "en")


def _asks(unit: Unit, r: Reading) -> bool:
    """Say whether a unit wants an answer."""
    if any(r.acts.get(act, 0.0) >= ACT for act in ("greet", "thanks", "bye")):
        return reader.is_question(unit.text) and bool(_PERSONAL.search(unit.text))
    if about_it(unit.text, r):
        return False
    return reader.is_question(unit.text) or r.sort in ASKS or r.acts.get("ask", 0.0) >= FELT


def about_it(text: str, r: Reading) -> bool:
    """Say whether a question is about the notebook itself: it speaks to it, and not of the person."""
    limit = SELF if _PERSONAL.search(text) else ACT
    return bool(_YOU.search(text)) and max(r.acts.get("who", 0.0), r.acts.get("self", 0.0)) >= limit


class Talk:
    """The fixed sentences of one reply, and what was said in this conversation already."""

    def __init__(self, data: Mapping[str, Json], lang: Lang, history: Sequence[Mapping[str, Json]]) -> None:
        self.data, self.lang = data, lang
        self.where = "temp" if data.get("off_record") and data.get("where") else str(data.get("where") or "")
        self.gap = "" if lang == "zh" else " "
        self.writes = not data.get("off_record")
        self.replies = [str(m.get("text") or "") for m in history if m.get("role") == "assistant"]
        self.at, self.tz = str(data.get("now") or ""), str(data.get("tz") or "")

    def say(self, key: str, **places: object) -> str:
        """Return a sentence in the person's language."""
        return say(self.lang, key, **places)

    def said(self, key: str) -> bool:
        """Say whether a reply of this conversation holds that sentence, in either language."""
        heads = [say(lang, key, **_ANY).split("“")[0] for lang in ("en", "zh")]
        return any(head and head in reply for head in heads for reply in self.replies)

    def order(self, note: str) -> str:
        """Say what came of an order to remember."""
        for key, told in (
            ("kept.order", "note.remembered"),
            ("kept.known", "note.already"),
            ("kept.not", "note.refused"),
        ):
            for lang in ("en", "zh"):
                head = program_says(lang, told, text="", why="")
                if note.startswith(head):
                    rest = note.removeprefix(head)
                    return self.say(key, text=quoted(rest, self.lang), why=rest)
        return self.say("plain")

    def opening(self, units: Sequence[Unit], readings: Sequence[Reading]) -> str:
        """Introduce the notebook once, or answer a greeting by name."""
        new = self.new()
        acts = {a for r in readings for a, p in r.acts.items() if p >= FELT}
        name = self.name()
        hello = self.say("greet.name", name=name) if name else self.say("greet")
        if new and not self.where:
            return f"{self.say('greet')}{'' if self.lang == 'zh' else ' '}{self.say('intro')}"
        return hello if "greet" in acts and len(units) <= (1 if self.replies else 3) else ""

    def new(self) -> bool:
        """Say whether nothing was said before."""
        known = ("profile", "recalled", "episode", "summary")
        return not self.replies and not any(self.data.get(k) for k in known)

    def name(self) -> str:
        """Return what the person is called, where a memory says it in a way that can be read; else nothing."""
        for m in mappings(self.data.get("profile")):
            if m.get("kind") == "identity" and (found := _CALLED.search(str(m.get("text") or ""))):
                return next(g for g in found.groups() if g)
        return ""

    def told(self, told: Sequence[tuple[Unit, Reading]]) -> list[str]:
        """Acknowledge what is kept, once with the dates as they were understood."""
        out: list[str] = []
        felt = self.felt([r for _, r in told])
        if not self.writes:
            return felt or [self.say("plain")]
        fixed = any(r.acts.get("correct", 0.0) >= keep.CORRECTS for _, r in told)
        first = self.new()
        turn = ("kept.1", "kept.2", "kept.3")[(len(self.replies) + crc32(self.at[:10].encode())) % 3]
        if felt:
            out += felt
        elif found := next((m for u, _ in told if (m := _CALLED.search(u.text))), None):
            out.append(self.say("name", name=next(g for g in found.groups() if g)))
        else:
            out.append(self.say("kept.fix" if fixed else "kept.first" if first else turn))
        for unit, r in told:
            when = keep.find_date(unit.text, self.at, self.tz, self.lang)
            if when is not None and f"{when.last_day}" > self.at[:10] and r.dated:
                words, day = unit.text[when.start : when.end].strip(), dates.written(when, self.lang)
                day = re.sub(r"^(?:on|by|in|before|until) ", "", day)
                out.append(self.say("date", said=words, date=day))
        return out

    def felt(self, readings: Sequence[Reading]) -> list[str]:
        """Say one sentence to a death, to bad or to good news."""
        for act in ("death", "bad", "good"):
            if any(r.acts.get(act, 0.0) >= FELT for r in readings):
                return [self.say(act)]
        return []

    def small(self, units: Sequence[Unit], readings: Sequence[Reading]) -> list[str]:
        """Answer what is neither told nor asked."""
        for act in ("who", "self", "thanks", "bye"):
            if any(r.acts.get(act, 0.0) >= ACT for r in readings):
                about = any(about_it(u.text, r) for u, r in zip(units, readings, strict=True))
                if act in {"thanks", "bye"} or about:
                    return [self.say(act)] if act != "who" or self.replies else []
        for unit, r in zip(units, readings, strict=True):
            if r.over >= keep.NEARLY and r.sort in LEFT_OUT and self.writes and not self.said("left"):
                return [self.say("left", text=" ".join(unit.text.split())[:80])]
        return []

    def needs_model(self) -> str:
        """Say that something needs a model: at length once a session."""
        return self.say("model.again" if self.said("model") else "model")


async def _find(embed: Embed, question: str, talk: Talk, sort: str) -> str:
    """Answer a question with at most three quotations, or say that there is none."""
    if talk.where:
        return talk.say(talk.where)
    recalled = [m for m in mappings(talk.data.get("recalled")) if m.get("kind") != "episode"]
    if any(m.get("why") == "overview" for m in recalled):
        items = [*mappings(talk.data.get("profile")), *recalled][:MOST_LISTED]
        lines = [talk.say("line", date=day_of(m, talk), quote=quoted(m.get("text"), talk.lang)) for m in items]
        return "\n".join([talk.say("overview"), *lines])
    found = await _rank(embed, question, recalled, mappings(talk.data.get("profile")))
    if sort == "request" and not (found and _PERSONAL.search(question)):
        return talk.needs_model()
    if not found:
        beyond = not _PERSONAL.search(question) and not talk.said("model")
        return talk.say("nothing") + (f"{talk.gap}{talk.say('beyond')}" if beyond else "")
    out = []
    for i, (m, sure) in enumerate(found[:MOST_QUOTES]):
        key = "more" if i else "quote" if sure else "unsure"
        line = talk.say(key, date=day_of(m, talk), quote=quoted(m.get("text"), talk.lang))
        out.append(line + (talk.say("replaced") if m.get("superseded") or m.get("negated") else ""))
    return "\n".join(out)


async def _rank(
    embed: Embed, question: str, recalled: Sequence[Mapping[str, Json]], profile: Sequence[Mapping[str, Json]]
) -> list[tuple[Mapping[str, Json], bool]]:
    """Return what may answer, best first, each with whether it surely does.

    What recall brings has passed its gate; its place counts beside its nearness. A standing memory is always there,
    so it has to be near enough.
    """
    vectors = await embed([question, *(str(m.get("text") or "") for m in (*recalled, *profile))])
    if vectors is None:
        return [(m, _relevance(m) >= SURE) for m in recalled if _relevance(m) > 0]
    near = vectors[1:] @ vectors[0]
    rows = [
        (float(near[i]), i, m)
        for i, m in enumerate((*recalled, *profile))
        if i < len(recalled) or near[i] >= STANDING
    ]
    rows.sort(key=lambda row: -row[0] + PLACE * min(row[1], len(recalled)))
    ordered = _newest_of_one_subject(rows, vectors[1:])
    return [(m, _relevance(m) >= SURE or near[i] >= STANDING) for _, i, m in ordered]


def _newest_of_one_subject(
    rows: list[tuple[float, int, Mapping[str, Json]]], vectors: FloatArray
) -> list[tuple[float, int, Mapping[str, Json]]]:
    """Put the newest first among those that are near to the best one."""
    if not rows:
        return rows
    first = vectors[rows[0][1]]
    same = [r for r in rows if float(np.dot(vectors[r[1]], first)) >= SAME]
    same.sort(key=lambda r: str(r[2].get("when") or ""), reverse=True)
    return same + [r for r in rows if r not in same]


def _relevance(m: Mapping[str, Json]) -> float:
    value = m.get("relevance")
    return float(value) if isinstance(value, int | float) else 0.0


def quoted(text: Json, lang: Lang) -> str:
    """Return a text in quotation marks, as it was said."""
    bare = str(text or "").strip()
    if bare[:1] in "“「" and bare[-1:] in "”」":
        return bare
    return f"“{bare}”" if lang == "en" or '"' not in bare else f"「{bare}」"


def day_of(m: Mapping[str, Json], talk: Talk) -> str:
    """Return the day a memory was told, with the year where it is another one."""
    try:
        day = date.fromisoformat(str(m.get("when") or "")[:10])
    except ValueError:
        return "some day" if talk.lang == "en" else "某天"
    other = not talk.at.startswith(str(day.year))
    if talk.lang == "zh":
        return f"{f'{day.year}年' if other else ''}{day.month}月{day.day}日"
    return f"{day.day} {dates.MONTHS[day.month - 1]}{f' {day.year}' if other else ''}"
