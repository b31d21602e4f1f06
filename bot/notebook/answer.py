"""What the notebook says: quotations with their dates, and a few fixed sentences.

It invents nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final
from zlib import crc32

from bot.notebook import keep, reader
from bot.notebook.keep import Embed, list_mappings
from bot.notebook.reader import SentenceReading, SentenceUnit
from bot.notebook.texts import say
from bot.texts import say as program_says
from bot.texts import write_day
from memory.models import Json, Lang, detect_language
from memory.text import dates

MOST_QUOTES: Final = 3
MOST: Final = 16  # sentences of a message that a reply takes up, and memories in a list
SURE: Final = 0.85  # relevance from which a memory is quoted as the answer
FAINT: Final = 0.15  # of its limit, from which a sentence that is left out is named
FELT: Final = 0.6  # share of an act from which it is answered as such
ACT: Final = 0.4
SELF: Final = 0.8  # as above, of a question that speaks of the person as well
LEFT_OUT: Final = frozenset({"wish", "joke", "fiction", "conditional", "roleplay"})

_ANY: Final = {
    "text": "",
    "date": "",
    "quote": "",
    "name": "",
    "said": "",
    "why": "",
}  # places that do not matter
_CALLED: Final = re.compile(
    r"\b(?i:my name(?:['’]s| is)|i['’]?m called|(?:just )?call me|i go by|name['’]s|i am|i['’]m) ([A-Z][\w'’-]{1,20})"
    r"|(?:我(?:的名字)?叫|叫我|名字[叫是]|我姓.{1,3}[，, ]叫)([\u4e00-\u9fffA-Za-z]{1,4}?)(?=$|[，。,.!！ 吧就])"
)
_YOU: Final = re.compile(r"\b(?:you|your|u|this thing)\b|[你您]|这是", re.I)
_PERSONAL: Final = re.compile(r"\b(?:i|my|mine|our|we)\b|(?<![给給帮幫])[我咱俺]", re.I)


async def answer(embed: Embed, data: Mapping[str, Json]) -> str:
    """Answer `data["message"]`; `embed` is for its sentences."""
    message = str(data.get("message") or "").strip()
    lang: Lang = detect_language(message, "zh" if data.get("lang") == "zh" else "en")
    history = list_mappings(data.get("history"))
    units = keep.split_units(message, history)[:MOST]
    readings = await keep.read_units(embed, units)
    talk = FixedSentences(data, lang, history)
    overview = any(m.get("why") == "overview" for m in list_mappings(data.get("recalled")))
    asked = [
        (u, r.sort)
        for u, r in zip(units, readings, strict=True)
        if not r.keep and (overview or _asks(u, r))
    ]
    if str(data.get("note") or ""):
        return talk.order(str(data["note"]))
    parts = [talk.opening(units, readings)]
    told = [(u, r) for u, r in zip(units, readings, strict=True) if r.keep or r.corrects]
    parts += talk.told(told) if told else talk.felt(readings)
    for unit, sort in asked[:2]:
        parts.append(_find(unit.text if len(asked) > 1 else message, talk, sort))
    if not told and not asked and not parts[0]:
        parts += talk.small(units, readings)
    return talk.gap.join(dict.fromkeys(p for p in parts if p)) or talk.say("plain")


def _asks(unit: SentenceUnit, r: SentenceReading) -> bool:
    """Say whether a unit wants an answer."""
    if r.sort != "request" and any(
        r.acts.get(act, 0.0) >= ACT for act in ("greet", "thanks", "bye")
    ):
        return reader.is_question(unit.text) and bool(_PERSONAL.search(unit.text))
    if asks_about_notebook(unit.text, r):
        return False
    return (
        reader.is_question(unit.text)
        or r.sort in {"question", "request"}
        or r.acts.get("ask", 0.0) >= FELT
    )


def asks_about_notebook(text: str, r: SentenceReading) -> bool:
    """Say whether a question is about the notebook itself: it speaks to it, and not of the person."""
    limit = SELF if _PERSONAL.search(text) else ACT
    return bool(_YOU.search(text)) and max(r.acts.get("who", 0.0), r.acts.get("self", 0.0)) >= limit


def find_own_name(text: str) -> str:
    """Return what somebody says they are called, where the form shows it; else nothing."""
    found = _CALLED.search(text)
    return next((g for g in found.groups() if g), "") if found else ""


class FixedSentences:
    """The fixed sentences of one reply, and what was said in this conversation already."""

    def __init__(self, data: Mapping[str, Json], lang: Lang, history: keep.Rows) -> None:
        self.data, self.lang = data, lang
        where = str(data.get("where") or "")
        self.where = where if where in {"temp", "group"} else ""  # nothing is looked up there
        self.writes = where not in {"temp", "private"}
        self.gap = "" if lang == "zh" else " "
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
        for key in ("remembered", "already", "refused"):
            for head in (
                program_says(lang, f"note.{key}", text="", why="") for lang in ("en", "zh")
            ):
                if note.startswith(head):
                    rest = note.removeprefix(head)
                    return self.say(f"order.{key}", text=quote_text(rest, self.lang), why=rest)
        return self.say("plain")

    def opening(self, units: Sequence[SentenceUnit], readings: Sequence[SentenceReading]) -> str:
        """Introduce the notebook once, or answer a greeting by name."""
        if self.new() and not self.where:
            return f"{self.say('greet')}{self.gap}{self.say('intro')}"
        if not any(
            r.acts.get("greet", 0.0) >= FELT and r.sort != "request" for r in readings
        ) or len(units) > (1 if self.replies else 3):
            return ""
        name = next(
            (
                n
                for m in list_mappings(self.data.get("profile"))
                if (n := find_own_name(str(m.get("text") or "")))
            ),
            "",
        )
        return self.say("greet.name", name=name) if name else self.say("greet")

    def new(self) -> bool:
        """Say whether nothing was said before."""
        known = ("profile", "recalled", "episode", "summary")
        return not self.replies and not any(self.data.get(k) for k in known)

    def told(self, told: Sequence[tuple[SentenceUnit, SentenceReading]]) -> list[str]:
        """Acknowledge what is kept, once with the dates as they were understood."""
        felt = self.felt([r for _, r in told])
        if not self.writes:
            return felt or [self.say("plain")]
        turn = ("kept.1", "kept.2", "kept.3")[
            (len(self.replies) + crc32(self.at[:10].encode())) % 3
        ]
        key = (
            "kept.fix" if any(r.corrects for _, r in told) else "kept.first" if self.new() else turn
        )
        name = next((n for u, _ in told if (n := find_own_name(u.text))), "")
        out = felt or [self.say("name", name=name) if name else self.say(key)]
        for unit, r in told:
            when = keep.find_date(unit.text, self.at, self.tz)
            if when is not None and f"{when.last_day}" > self.at[:10] and r.dated:
                words, day = (
                    unit.text[when.start : when.end].strip(),
                    dates.write_date(when, self.lang),
                )
                out.append(
                    self.say(
                        "date", said=words, date=re.sub(r"^(?:on|by|in|before|until) ", "", day)
                    )
                )
        return out

    def felt(self, readings: Sequence[SentenceReading]) -> list[str]:
        """Say one sentence to a death, to bad or to good news."""
        for act in ("death", "bad", "good"):
            if any(r.acts.get(act, 0.0) >= FELT for r in readings):
                return [self.say(act)]
        return []

    def small(
        self, units: Sequence[SentenceUnit], readings: Sequence[SentenceReading]
    ) -> list[str]:
        """Answer what is neither told nor asked."""
        for act in ("who", "self", "thanks", "bye"):
            meant = [
                u.text for u, r in zip(units, readings, strict=True) if r.acts.get(act, 0.0) >= ACT
            ]
            if meant and (act in {"thanks", "bye"} or any(_YOU.search(text) for text in meant)):
                return [self.say(act)]
        for unit, r in zip(units, readings, strict=True):
            if r.over >= FAINT and r.sort in LEFT_OUT and self.writes and not self.said("left"):
                return [self.say("left", text=" ".join(unit.text.split())[:80])]
        return []


def _find(question: str, talk: FixedSentences, sort: str) -> str:
    """Answer a question with at most three quotations, or say that there is none."""
    if talk.where:
        return talk.say(talk.where)
    recalled = [m for m in list_mappings(talk.data.get("recalled")) if m.get("kind") != "episode"]
    if any(m.get("why") == "overview" for m in recalled):
        items = [*list_mappings(talk.data.get("profile")), *recalled][:MOST]
        lines = [
            talk.say("line", date=format_day(m, talk), quote=quote_text(m.get("text"), talk.lang))
            for m in items
        ]
        return "\n".join([talk.say("overview"), *lines])
    # Best first. What stands in every prompt comes along without having been asked for.
    close = [m for m in recalled if m.get("relevance") or m.get("why") != "relevance"]
    close = close[:MOST_QUOTES]
    tone = reader.load_reader().weigh_answer(
        list_mappings([m.get("evidence") for m in close]), talk.lang
    )
    sure = [tone == "sure" if tone else float(str(m.get("relevance") or 0)) >= SURE for m in close]
    found = [] if tone == "none" else list(zip(close, sure, strict=True))
    if (
        sort == "request"
        and not reader.is_question(question)
        and not (found and _PERSONAL.search(question))
    ):
        return talk.say("model.again" if talk.said("model") else "model")
    if not found:
        beyond = not _PERSONAL.search(question) and not talk.said("model")
        return talk.say("nothing") + (f"{talk.gap}{talk.say('beyond')}" if beyond else "")
    out = []
    for i, (m, certain) in enumerate(found):
        key = "more" if i else "quote" if certain else "unsure"
        line = talk.say(key, date=format_day(m, talk), quote=quote_text(m.get("text"), talk.lang))
        out.append(line + (talk.say("replaced") if m.get("superseded") or m.get("negated") else ""))
    return "\n".join(out)


def quote_text(text: Json, lang: Lang) -> str:
    """Return a text in quotation marks, as it was said."""
    bare = str(text or "").strip()
    if bare[:1] in "“「" and bare[-1:] in "”」":
        return bare
    return f"“{bare}”" if lang == "en" or '"' not in bare else f"「{bare}」"


def format_day(m: Mapping[str, Json], talk: FixedSentences) -> str:
    """Return the day a memory was told, with the year where it is another one."""
    try:
        day = date.fromisoformat(str(m.get("when") or "")[:10])
    except ValueError:
        return "some day" if talk.lang == "en" else "某天"
    return write_day(day, int(talk.at[:4]) if talk.at[:4].isdigit() else 0, talk.lang)
