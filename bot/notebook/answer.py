"""What the notebook says: quotations with their dates, and a few fixed sentences.

It invents nothing.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Final, TypeAlias
from zlib import crc32

from bot.notebook import keep, reader
from bot.notebook.keep import FELT, Embed, QuoteEntry, list_mappings
from bot.notebook.reader import SentenceReading, SentenceUnit
from bot.notebook.texts import say
from bot.texts import LANGS, kind_name, words, write_day
from bot.texts import say as program_says
from memory.models import Json, Kind, Lang, detect_language
from memory.text import dates
from memory.text.languages import either, joined
from memory.text.speech import denies_or_ends

MOST_QUOTES: Final = 3
MOST: Final = 16  # sentences of a message that a reply takes up, and memories in a list
SURE: Final = 0.85  # relevance from which a memory is quoted as the answer
FAINT: Final = 0.15  # of its limit, from which a sentence that is left out is named
CERTAIN: Final = 0.8  # share of an act, from which news counts as good or bad (half A)
ACT: Final = 0.4
SELF: Final = 0.8  # as above, of a question that speaks of the person as well
LEFT_OUT: Final = frozenset({"wish", "joke", "fiction", "conditional", "roleplay"})

_PLACES: Final = dict.fromkeys(("text", "date", "quote", "name", "said", "why"), "")
_CALLED, _YOU, _PERSONAL = (
    re.compile(joined("notebook", name)) for name in ("CALLED", "YOU", "PERSONAL")
)
_BYE = either("farewells", "WHOLE")

Read: TypeAlias = tuple[SentenceUnit, SentenceReading]
FindBar: TypeAlias = Callable[[str, Kind], Awaitable[str]]  # the topic of a rule, by text and kind


async def answer(embed: Embed, data: Mapping[str, Json], find_bar: FindBar | None = None) -> str:
    """Answer `data["message"]`; `embed` is for its sentences, `find_bar` for what is kept of it."""
    message = str(data.get("message") or "").strip()
    given = next((lang for lang in LANGS if lang == data.get("lang")), LANGS[0])
    talk = FixedSentences(data, detect_language(message, given))
    if note := str(data.get("note") or ""):
        return talk.tell_order(note)
    if help_here := str(data.get("help") or ""):  # nothing else matters now
        return talk.say(f"hard.{data.get('hard')}", help=help_here)
    units = keep.split_units(message, talk.history)[:MOST]
    found = list(zip(units, await keep.read_units(embed, units), strict=True))
    overview = any(m.get("why") == "overview" for m in talk.recalled)
    asked = [(u, r) for u, r in found if not r.keep and (overview or _asks(u, r))]
    said: Mapping[str, Json] = {"text": message, "at": talk.at}
    entries = await keep.find_entries(embed, said, talk.history, talk.known, data)
    bars = [await find_bar(e.text, Kind(e.kind)) if find_bar else "" for e in entries]
    opening = talk.open_reply(found)
    blind = [talk.say("pictures")] if data.get("pictures") else []
    told = talk.acknowledge(found, entries, bars) if entries else talk.sympathise(found)
    parts = [opening, *blind, *told]
    for u, r in asked[:2]:
        parts.append(talk.find(u.text if len(asked) > 1 else message, r.sort))
    parts += talk.tell_day() if not asked and not entries else []
    if not entries and not asked and not opening and not (blind and not message):
        parts.append(talk.chat(found))
    return talk.join(*dict.fromkeys(p for p in parts if p)) or talk.say("plain")


def _asks(unit: SentenceUnit, r: SentenceReading) -> bool:
    """Say whether a unit wants an answer."""
    question = reader.is_question(unit.text)
    if r.sort != "request" and _does(r, ("greet", "thanks", "bye"), ACT):
        return question and bool(_PERSONAL.search(unit.text))
    # One about the notebook itself speaks to it, and not of the person.
    limit = SELF if _PERSONAL.search(unit.text) else ACT
    if _YOU.search(unit.text) and _does(r, ("who", "self"), limit):
        return False
    return question or r.sort in {"question", "request"} or _does(r, ("ask",), FELT)


def _does(r: SentenceReading, acts: Iterable[str], least: float) -> bool:
    return any(r.acts.get(act, 0.0) >= least for act in acts)


def find_own_name(text: object) -> str:
    """Return what somebody says they are called, where the form shows it; else nothing."""
    found = _CALLED.search(str(text))
    return next((g for g in found.groups() if g), "") if found else ""


class FixedSentences:
    """The fixed sentences of one reply, and what was said in this conversation already."""

    def __init__(self, data: Mapping[str, Json], lang: Lang) -> None:
        self.data, self.lang = data, lang
        self.where = str(data.get("where") or "")
        self.history = list_mappings(data.get("history"))
        self.profile = list_mappings(data.get("profile"))
        self.known = list_mappings(data.get("known"))
        recalled = [m for m in list_mappings(data.get("recalled")) if m.get("kind") != "episode"]
        on_day = [m for m in recalled if m.get("why") == "day"]
        self.passages = list_mappings(data.get("passages"))
        self.near = [m for m in on_day if not m.get("relevance")]  # comes up by itself
        self.on = [m for m in on_day if m.get("relevance")]  # has its day in the time asked about
        self.recalled = [m for m in recalled if m not in on_day]
        self.replies = [str(m.get("text")) for m in self.history if m.get("role") == "assistant"]
        self.cited = set[str]()
        self.at, self.tz = str(data.get("now") or ""), str(data.get("tz") or "")
        known = ("profile", "recalled", "episode", "summary")
        self.new = not self.replies and not any(data.get(k) for k in known)

    def say(self, key: str, **places: object) -> str:
        """Return a sentence in the person's language."""
        return say(self.lang, key, **places)

    def join(self, *parts: str) -> str:
        """Put sentences one behind another, as the person's language does."""
        whole = parts[0] if parts else ""
        for part in parts[1:]:
            whole = self.say("both", first=whole, second=part)
        return whole

    def has_said(self, key: str) -> bool:
        """Say whether a reply of this conversation holds that sentence, in any language."""
        heads = [say(lang, key, **_PLACES).split("“")[0] for lang in LANGS]
        return any(head and head in reply for head in heads for reply in self.replies)

    def tell_order(self, note: str) -> str:
        """Say what came of an order to remember."""
        for key in ("remembered", "already", "refused"):
            for head in (program_says(lang, f"note.{key}", text="", why="") for lang in LANGS):
                if note.startswith(head):
                    rest = note.removeprefix(head)
                    return self.say(f"order.{key}", text=self.quote(rest), why=rest)
        return self.say("plain")

    def open_reply(self, found: Sequence[Read]) -> str:
        """Introduce the notebook once, or answer a greeting by name."""
        if self.new and self.where not in {"temp", "group"}:
            return self.join(self.say("greet"), self.say("intro"))
        greets = any(_does(r, ("greet",), FELT) and r.sort != "request" for _, r in found)
        if not greets or len(found) > (1 if self.replies else 3):
            return ""
        names = [n for m in self.profile if (n := find_own_name(m.get("text") or ""))]
        return self.say("greet.name", name=names[0]) if names else self.say("greet")

    def acknowledge(
        self, found: Sequence[Read], entries: Sequence[QuoteEntry], bars: Sequence[str]
    ) -> list[str]:
        """Say of each entry whether it is kept, and how its correction and date were understood.

        `bars` are the topics of the person's rules by which entries are held back.
        """
        felt = self.sympathise(found)
        if self.where in {"temp", "private"}:  # nothing is written there
            return felt or [self.say("plain")]
        learning = self.data.get("learning")
        if learning == "off":
            return [*felt, self.say("off.told")]
        held = [self.say("barred", topic=bar) for bar in dict.fromkeys(bars) if bar]
        kept = [e for e, bar in zip(entries, bars, strict=True) if not bar]
        if learning == "ask" or not kept:
            return [*felt, *held, *([self.say("asks")] if kept else [])]
        turn = (len(self.replies) + crc32(self.at[:10].encode())) % 3
        key = "kept.first" if self.new else f"kept.{turn + 1}"
        names = [n for e in kept if (n := find_own_name(e.said))]
        old = [self.quote(e.corrects["text"]) for e in kept if e.corrects]
        fixed = [self.say("kept.fix", quote=quote) for quote in old]
        named = [self.say("name", name=n) for n in names[:1]]
        out = [*held, *(fixed or felt or named or [self.say(key)])]
        for when, e in ((e.when, e) for e in kept if e.kind in keep.PLANNED):
            if when is not None and f"{when.last_day}" > self.at[:10]:
                day = re.sub(self.say("date.word"), "", dates.write_date(when, self.lang))
                said = e.said[when.start : when.end].strip()
                out.append(self.say("date", said=said, date=day))
        return out

    def sympathise(self, found: Sequence[Read]) -> list[str]:
        """Say one sentence to a death, to bad or to good news; none to a question."""
        told = [r for u, r in found if not reader.is_question(u.text)]
        least = {"death": FELT, "bad": CERTAIN, "good": CERTAIN}
        acts = (a for a, share in least.items() if any(_does(r, (a,), share) for r in told))
        return [self.say(act) for act in acts][:1]

    def chat(self, found: Sequence[Read]) -> str:
        """Answer what is neither told nor asked."""
        if found and all(_BYE.fullmatch(u.text) for u, _ in found):
            return self.say("bye")
        for act in ("who", "self", "thanks"):
            meant = [u.text for u, r in found if _does(r, (act,), ACT)]
            if meant and (act == "thanks" or any(map(_YOU.search, meant))):
                return self.say(act)
        bare = any(keep.is_bare(u, r) and r.over >= keep.NEARLY for u, r in found)
        if bare and not self.data.get("behind"):
            return self.say("loose")
        for unit, r in found:
            left = r.over >= FAINT and r.sort in LEFT_OUT
            if left and self.where not in {"temp", "private"} and not self.has_said("left"):
                if self.data.get("learning") == "off":
                    return self.say("off.told")
                return self.say("left", text=" ".join(unit.text.split())[:80])
        return ""

    def tell_day(self) -> list[str]:
        """Tell once in a conversation what stands around today."""
        return [] if self.replies else [self.cite("near", m) for m in self.near]

    def find(self, question: str, sort: str) -> str:
        """Answer a question with at most three quotations, or say that there is none."""
        if self.data.get("off"):
            return self.say("off.asked")
        passage = self.cite_passage()
        if self.where in {"temp", "group"}:  # nothing else is looked up there
            return passage or self.say(self.where)
        if on := [self.cite("near", m) for m in self.on[:MOST_QUOTES]]:
            return "\n".join(on)
        if any(m.get("why") == "overview" for m in self.recalled):
            items = [*self.profile, *self.recalled][:MOST]
            return "\n".join([self.say("overview"), *(self.cite("line", m) for m in items)])
        close, tone = self.choose_quotes()
        personal, faint = _PERSONAL.search(question), list_mappings([self.data.get("faint")])
        found = passage or ((close or faint) and personal)
        if sort == "request" and not reader.is_question(question) and not found:
            return self.say("model.again" if self.has_said("model") else "model")
        if not close:
            if passage or faint:
                return passage or self.hint(faint[0])
            if personal or self.has_said("model"):
                return self.say("nothing")
            return self.join(self.say("nothing"), self.say("beyond"))
        out = list[str]()
        denials = [
            {"relevance": m.get("relevance"), **x}
            for m in close
            for x in self.list_later(m)
            if denies_or_ends(str(x.get("text")))
        ]
        for m in [*denials, *close]:
            if str(m.get("text")) in self.cited:  # beside what it follows
                continue
            sure = tone == "sure" if tone else float(str(m.get("relevance") or 0)) >= SURE
            line = self.cite("more" if out else "quote" if sure else "unsure", m)
            changed = m.get("superseded") or m.get("negated")
            out.append(line + (self.say("replaced") if changed else ""))
        return "\n".join([*out, passage] if passage else out)

    def choose_quotes(self) -> tuple[list[Mapping[str, Json]], str]:
        """Return what is quoted of what came to mind, best first, and how surely it answers."""
        # What stands in every prompt comes along without having been asked for.
        came = [m for m in self.recalled if m.get("relevance") or m.get("why") != "relevance"]
        # Of two values of what there is one of, the newest that holds comes first.
        held = [m for m in came if m.get("why") == "slot"]
        held.sort(key=lambda m: (not m.get("coming"), str(m.get("when"))), reverse=True)
        close = [*held, *(m for m in came if m not in held)][:MOST_QUOTES]
        seen = [next(iter(list_mappings([m.get("evidence")])), {}) for m in close]
        tone = reader.load_reader().weigh_answer(seen, self.lang)
        worth = zip(close, reader.load_reader().pick_answers(seen, self.lang), strict=True)
        # In a look back all that came is shown, and what is known by name of whom they ask about.
        whole = {"review", "relation"}
        return [m for m, w in worth if (w and tone != "none") or m.get("why") in whole], tone

    def cite_passage(self) -> str:
        """Return the best passage of a long text as a quotation under its title, or nothing."""
        some = [(m.get("title"), self.quote(m.get("text"))) for m in self.passages[:1]]
        return "".join(self.say("passage", title=title, quote=quote) for title, quote in some)

    def hint(self, m: Mapping[str, Json]) -> str:
        """Say that something faint is there, of what sort and when, and offer to look back."""
        what = str(m.get("text") or "") or kind_name(Kind(str(m.get("kind"))), self.lang).lower()
        if m.get("when"):
            what += words(self.lang, "aside", text=self.write_day(m))
        return self.say("faint", what=what)

    def cite(self, key: str, m: Mapping[str, Json]) -> str:
        """Return a memory as a quotation with its day, and how near the day it speaks of is.

        Behind a plan stands what was said since that may be about it.
        """
        day, why = str(m.get("on") or m.get("due") or ""), "day"
        why = "planned" if m.get("planned") else why
        near = self.say(why, day=self.write_date(day), word=m.get("near")) if m.get("near") else ""
        died = self.say("died", word=m.get("died")) if m.get("died") else ""
        line = self.say(key, date=self.write_day(m), quote=self.quote(m.get("text")))
        died += words(self.lang, "aside", text=program_says(self.lang, "from_before")) * bool(
            m.get("before")
        )
        self.cited.add(str(m.get("text")))
        since = [self.cite("more", x) for x in self.list_later(m, key)]
        return "\n".join([line + near + died, *since])

    def list_later(self, m: Mapping[str, Json], key: str = "") -> list[Mapping[str, Json]]:
        """List what was said since and is not cited: of a plan all, else what changes it."""
        later = list_mappings(m.get("later")) if key != "line" else []
        later = [x for x in later if str(x.get("text")) not in self.cited]
        text = str(m.get("text"))
        return [x for x in later if m.get("near") or keep.changes(str(x.get("text")), text)]

    def quote(self, text: Json) -> str:
        """Return a text in quotation marks, as it was said."""
        bare = str(text or "").strip()
        if bare[:1] in "“「" and bare[-1:] in "”」":
            return bare
        return self.say("marks.inner" if '"' in bare else "marks", text=bare)

    def write_day(self, m: Mapping[str, Json]) -> str:
        """Return the day a memory was told, with the year where it is another one."""
        return self.write_date(str(m.get("when") or "")[:10]) or self.say("some_day")

    def write_date(self, text: str) -> str:
        """Return an ISO day in words; a month or year stays as it is written."""
        try:
            day = date.fromisoformat(text)
        except ValueError:
            return text
        return write_day(day, int(self.at[:4]) if self.at[:4].isdigit() else 0, self.lang)
