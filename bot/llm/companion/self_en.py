# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English: who somebody is. Name, age, birthday, home, origin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import (
    CONDITION,
    FEELING,
    NATIONALITY,
    RELATION,
    core,
)
from bot.llm.companion.people_en import relation
from memory.models import Importance, Kind
from memory.text.dates import MONTHS

rule = Rules()


HIGH, LOW = Importance.HIGH, Importance.LOW


_NAME = r"(?P<v>[^\W\d_][\w'.-]*(?:\s{1,9}(?:de|van|von|der|del|la|bin|al|[A-ZÀ-Þ][\w'.-]*|[a-z]+)){0,3}?)"


_IS_STATE = re.compile(
    rf"^(?:{FEELING}|{NATIONALITY}|{CONDITION}|a|an|the|in|at|on|from|of|not|so|very|too|going|trying|\w+ing|\w+ed|vegan|vegetarian|single|married|divorced|engaged|"
    rf"pregnant|retired|unemployed|allergic|diabetic|male|female|gay|straight|bi|christian|muslim|jewish|buddhist|hindu|catholic|atheist|left-handed|tall|short|"
    r"new|old|young|over|under|about|almost|nearly|just|really|also|still|up|off|out|all|both|one|two|afraid|aware|able|used|into|more|less|here|there|like|"
    rf"colou?r ?blind|deaf|blind|celiac|coeliac|lactose|gluten|adhd|autistic|human|monday|tuesday|wednesday|thursday|friday|saturday|sunday|{RELATION})\b",
    re.I,
)


@rule(
    rf"^(?:my (?:full |first |real |actual |given )?name is|I am (?:called|named)|I go by(?: the name)?|my friends call me) {_NAME}(?:[,.]|$)"
)
def name(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My name is Anna."""
    value = _person(core(m["v"]))
    if not value or re.match(r"(?:not|a|an|the|too|very|so|hard|easy|unusual|spelled|pronounced)\b", value, re.I):
        return
    yield c.fact(
        "name", value, f"The user's name is {value}.", kind=Kind.IDENTITY, importance=HIGH, entities=(value,)
    )


@rule(
    rf"^(?:please |just |you can |you may |everyone |everybody |people |they |friends )*call(?:s)? me {_NAME}(?:[,.]|$)"
)
def nickname(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """Call me Al."""
    value = _person(core(m["v"]))
    if value and not re.match(
        r"(?:back|later|when|if|at|on|a|an|the|crazy|old|again|now|tomorrow|tonight|names)\b", value, re.I
    ):
        yield c.fact(
            "nickname",
            value,
            f"The user likes to be called {value}.",
            kind=Kind.IDENTITY,
            importance=HIGH,
            entities=(value,),
        )


@rule(r"^I (?:like|prefer|want) to be called (?P<v>[\w' .-]{1,40})$")
def nickname_told(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """The canonical form of the above."""
    value = m["v"].strip(" .")
    yield c.fact(
        "nickname",
        value,
        f"The user likes to be called {value}.",
        kind=Kind.IDENTITY,
        importance=HIGH,
        entities=(value,),
    )


@rule(
    r"^(?:I am|this is) (?P<v>[A-ZÀ-Þ][\w'-]+(?:\s{1,9}(?:de|van|von|O')?\s{0,9}[A-ZÀ-Þ][\w'-]+){0,2})(?: here| speaking)?$"
)
def name_short(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm Anna: only where it is written as a name."""
    value = m["v"]
    if value[:1].isupper() and not value.isupper() and not _IS_STATE.match(value):
        yield c.fact(
            "name", value, f"The user's name is {value}.", kind=Kind.IDENTITY, importance=HIGH, entities=(value,)
        )


def _person(value: str) -> str:
    value = re.sub(r"\s{1,9}(?:and|but|so|btw|by|from|in|i|nice|though|please)\b.*$", "", value, flags=re.I).strip(
        " .,'"
    )
    return value if len(value) <= 60 else ""


@rule(
    r"^I (?:am|turned|just turned|will be|have turned|am turning) (?:now )?(?P<v>[1-9]\d?|1[01]\d|"
    "twenty|thirty|forty|fifty|sixty|seventy|eighty|twenty-\\w+|thirty-\\w+|forty-\\w+|fifty-\\w+|sixty-\\w+"
    r")(?: years? old| years? of age|yo| y/o)?(?: now| today| this year)?$",
    r"^my age is (?P<v>\d{1,3})$",
)
def age(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm 29."""
    if re.search(r"\b(?:turning|will be)\b", m[0]) and c.when:
        yield c.fact("event:birthday", f"{m['v']}th birthday", kind=Kind.CONTEXT, due=True)
        return
    yield c.fact("age", m["v"], f"The user is {m['v']} years old.", kind=Kind.IDENTITY, importance=Importance.MEDIUM)


@rule(r"^I (?:turn|am turning|will turn|will be)(?: already)? (?P<v>\d{1,3})(?: years old)?$")
def turning(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I turn 40 next month: no age yet."""
    if c.when and not c.when.over(c.at):
        yield c.fact("turning", m["v"], kind=Kind.FACT)


@rule(
    r"^(?:my|and my) (?:birthday|bday|birth date|date of birth|dob)\b",
    r"^I was born(?: on| in)?\s{0,9}$",
    r"^birthday:?$",
    r"^I was born on\b",
)
def birthday(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My birthday is March 3: the year only where it was said."""
    w = c.when
    if w is None or c.plain.lower().startswith("my birthday party"):
        return
    if "born" in m[0].lower():
        text = "The user was born " + c.fill(chr(0xE100 + c.whens.index(w))) + "."
        yield c.fact("birthday", f"{w.at:%Y-%m-%d}", text, kind=Kind.IDENTITY, importance=HIGH, when=None)
    elif w.grain in {"day", "minute"}:
        said = c.extra.get("source", "")
        year = f" {w.at.year}" if re.search(r"\b(?:19|20)\d\d\b", said) and w.at <= c.at else ""
        day = f"{w.at.day} {MONTHS[w.at.month - 1]}"
        yield c.fact(
            "birthday", day, f"The user's birthday is {day}{year}.", kind=Kind.IDENTITY, importance=HIGH, when=None
        )


@rule(
    r"^I (?:have |just |have just |recently |have recently |finally |will )*(?:moved|relocated|move) (?:back )?(?:from (?P<old>[\w' .-]{1,9}?) )?to (?P<v>(?:(?! from )[^,])+)(?: from (?P<old2>[\w' .-]{1,9}))?$"
)
def moved(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I moved to Munich: where one lives now."""
    place = re.sub(r"\s{1,9}(?:from|with|for|to be|because|where)\b.*$", "", core(m["v"]), flags=re.I)
    if (
        not place
        or re.match(r"(?:a (?:new|bigger|smaller|different)|the (?:next|other)|my|team|another)\b", place, re.I)
        or "will" in m[0].lower()
    ):
        return
    since = f" (moved there {c.fill(chr(0xE100 + c.whens.index(c.when)))})" if c.when and c.when.at <= c.at else ""
    yield c.fact(
        "home", place, f"The user lives in {place}{since}.", kind=Kind.IDENTITY, importance=HIGH, entities=(place,)
    )
    if old := core(m["old"] or m["old2"] or ""):
        told = f"The user used to live in {old}."
        yield c.fact("past:home", old, told, kind=Kind.FACT, importance=LOW, entities=(old,), when=None)


@rule(
    r"^I (?:have been |have |do |am )?(?:currently |now |just )?(?:live|lives|living|lived|reside|am based|based) (?:at (?P<at>[^,]*\d.*)|(?:here )?in (?P<v>.+)|with (?P<w>[^,]+?) in (?P<v2>(?-i:[A-ZÀ-Þ]).+)|(?P<abroad>abroad|alone|by myself|on my own|near .+|with .+))$",
    r"^my home(?: town)? is (?:now )?(?:in )?(?P<v>[A-ZÀ-Þ].+)$",
    r"^I am (?:currently )?based in (?P<v>.+)$",
)
def home(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I live in Berlin; with a number it is an address."""
    g = m.groupdict()
    if g.get("at"):
        yield c.fact("address", g["at"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=2)
        return
    if g.get("abroad"):
        yield c.fact("living", g["abroad"], kind=Kind.FACT, sensitivity=1)
        return
    said = g.get("v") or g.get("v2") or ""
    place = re.sub(r"\s{1,9}(?:with|for|and|near|where|these)\b.*$", "", core(said), flags=re.I)
    if re.match(r"(?:fear|peace|hope|the (?:moment|past|present|future))\b", place, re.I) or not place:
        return
    if re.search(r"\blived\b", m[0]) and not re.search(r"\bhave\b", m[0]):
        yield c.fact("past:home", place, kind=Kind.FACT, importance=LOW, entities=(place,))
    elif re.search(r"\d{1,5}\s{1,9}\w+\s{1,9}(?:st|street|ave|avenue|road|rd|lane|drive|blvd)\b", place, re.I):
        yield c.fact("address", place, kind=Kind.IDENTITY, importance=HIGH, sensitivity=2)
    else:
        plain = f"The user lives in {place}." if not c.denied and not c.ended else None
        with_more = c.third() if re.search(r"\b(?:with|for|near)\b", said) or g.get("w") or c.here else None
        yield c.fact("home", place, with_more or plain, kind=Kind.IDENTITY, importance=HIGH, entities=(place,))
        yield from _household(f"{said} {g.get('w') or ''}", c)


def _household(text: str, c: Clause) -> Iterator[Fact]:
    """… with my wife Li and our son: the people one lives with, and their names."""
    for who in re.finditer(rf"\b(?:my|our) (?P<r>{RELATION})\b(?: (?P<n>(?-i:[A-ZÀ-Þ][\w'-]+)))?", text, re.I):
        slot = "relation" if who["n"] else "count"
        what = f"The user's {who['r']} is called {who['n']}." if who["n"] else f"The user has a {who['r']}."
        if who["n"] or not who["r"].endswith(("s", "children")):
            names = (who["n"],) if who["n"] else ()
            yield c.fact(
                f"{slot}:{relation(who['r'])}", who["n"] or "one", what, entities=names, sensitivity=1, when=None
            )


@rule(r"^I used to live in (?P<v>.+)$")
def past_home(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I used to live in Rome."""
    yield c.fact("past:home", core(m["v"]), kind=Kind.FACT, importance=LOW, entities=(core(m["v"]),))


@rule(
    r"^I (?:am|come|came|was) (?:originally )?from (?P<v>.+)$",
    r"^(?:I was )?(?:born(?: and raised)?|raised|grew up) in (?P<v>[^\d]+)$",
    r"^I (?:was (?:born|raised)(?: and raised)?|grew up) in (?P<v>[^\d]+)$",
    r"^my home ?town is (?P<v>.+)$",
)
def origin(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm from Lyon."""
    place = core(m["v"])
    if place and not re.match(r"(?:the future|work|home|school|mars|another planet)\b", place, re.I):
        yield c.fact("origin", place, kind=Kind.IDENTITY, entities=(place,))


@rule(
    rf"^I am (?:an? )?(?:half[- ])?(?P<v>{NATIONALITY}(?:[- ]{NATIONALITY})?)(?: citizen| national| by birth)?$",
    r"^my nationality is (?P<v>\w+)$",
)
def nationality(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm Chinese."""
    yield c.fact("nationality", m["v"], kind=Kind.IDENTITY)
