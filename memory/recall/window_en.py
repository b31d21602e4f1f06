"""English words for times seen from now, each with what it names: two weeks ago, last month, tonight."""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from memory.recall.names_en import DAYS, NAMES_EN, NUMBER, UNIT, UNITS, WEEKDAY, WHICH, named, number
from memory.recall.spans import (
    DAY,
    HOUR,
    WEEKEND,
    Again,
    Once,
    Span,
    Time,
    Unit,
    about_then,
    and_a_half,
    day_of,
    lately,
    midnight,
    on_that_day,
    part,
    recent,
    relative,
    some,
    soon,
    weekday,
)
from memory.recall.tense import Row, Said, row

_SOME: Final = rf"(?:(?:an? |the )?(?:(?P<about>about |around |roughly |almost |nearly |over |more than ))?(?:a (?=few|couple))?{NUMBER}(?: of)?)"
_PARTS: Final = {
    "early morning": part(4, 9),
    "morning": part(5, 12),
    "noon": part(11, 14),
    "midday": part(11, 14),
    "lunchtime": part(11, 14),
    "lunch": part(11, 14),
    "afternoon": part(12, 18),
    "evening": part(17, 24),
    "night": part(18, 29),
    "midnight": part(22, 26),
}


def _unit(m: re.Match[str], said: Said) -> Time:
    """Last week, this year, the coming month."""
    q, u, now = m["q"], m["u"], said.now
    if q in {"past", "this past"} and u != "weekend":
        return Once(UNITS[u], recent(u, 1, now))
    if u == "weekend":
        found = said.qualified(WEEKEND, q)
        return Once(Unit.WEEKEND, found or relative("weekend", 0, now))
    later = {"last": -1, "previous": -1, "this": 0}.get(q, 1)
    return Once(UNITS[u], relative(u, later, now))


def _ago(m: re.Match[str], said: Said) -> Time | None:
    now, n, u = said.now, number(m["n"]), m["u"]
    if u.startswith(("sec", "min", "moment")):
        return Once(Unit.HOUR, lately(0, now, 6.0))
    if u.startswith("h"):
        return Once(Unit.HOUR, lately(n, now))
    if m["n"] in {"few", "several"}:
        return Once(UNITS[u], some(u, 2, 5, now, -1))
    return Once(UNITS[u], relative(u, -n, now))


def _that_day(m: re.Match[str], said: Said) -> Once:
    """A year ago today, this day last year."""
    n, later = m["n"], {"last": -1, "next": 1}.get(m["q"] or "", -1)
    u = m["u"] or m["v"]
    return Once(Unit.DAY, day_of(on_that_day(u, -number(n) if n else later, said.now)))


def _years_and_months(m: re.Match[str], said: Said) -> Once:
    return Once(Unit.MONTH, relative("month", -12 * number(m["n"]) - number(m["k"]), said.now))


def _hours(m: re.Match[str], said: Said) -> Once | None:
    """In two hours, in half an hour, in ten minutes."""
    if said.ahead is False:
        return None
    hours = 1 if m["u"] is None or m["u"].startswith("m") else number(m["n"])
    return Once(Unit.HOUR, (said.now + (hours - 1) * HOUR, said.now + (hours + 1) * HOUR))


def _half_ago(m: re.Match[str], said: Said) -> Time:
    n = number(m["n"]) if m["n"] else 0
    u = m["u"] or m["v"]
    if u == "hour":
        return Once(Unit.HOUR, lately(n + 0.5, said.now))
    return Once(Unit.MONTH if u == "year" else Unit.WEEK, and_a_half(u, n, said.now, -1 if m["way"] == "ago" else 1))


def _names_ago(m: re.Match[str], said: Said) -> Time | None:
    """Two Fridays ago, three Christmases ago; the summer before last."""
    n = number(m["n"]) if m.groupdict().get("n") else 2
    return _counted(named(m["name"]), n, said)


def _counted(again: Again, n: int, said: Said) -> Once | None:
    """The n-th before now."""
    first = said.qualified(again, "last")
    if first is None:
        return None
    if again.period == "week":
        return Once(again.unit, (first[0] - 7 * (n - 1) * DAY, first[1] - 7 * (n - 1) * DAY))
    found = [s for s in again.around(said.now) if s <= first]
    return Once(again.unit, found[-n]) if n <= len(found) else None


def _in_units(m: re.Match[str], said: Said) -> Time | None:
    """In three days; not "finished in three days", nor how often "in a week"."""
    vague = m["n"] in {"a", "an"} and not m.group().endswith(("time", "now", "today"))
    if said.ahead is False or (vague and not said.ahead):
        return None
    if m["n"] in {"few", "several", "couple"}:
        return Once(UNITS[m["u"]], some(m["u"], 1, number(m["n"]) + 1, said.now, 1))
    return Once(UNITS[m["u"]], relative(m["u"], number(m["n"]), said.now))


def _of_day(later: int, name: str, said: Said) -> Once | None:
    found = said.part(day_of(said.now + later * DAY), _PARTS[name])
    return found and Once(Unit.PART, found)


def _last_night(m: re.Match[str], said: Said) -> Time:
    evening = midnight(said.now) - (24 + 24 * m.group().startswith(("night", "evening"))) * HOUR + 18 * HOUR
    return Once(Unit.PART, (evening, evening + 11 * HOUR))


def _after_coming(m: re.Match[str], said: Said) -> Span:
    name, length = (m["d"], m["a"]) if m["a"] else (m["e"], m["b"])
    found = weekday(DAYS.index(name[:3])).next(said.now)
    later = 7 * (2 if length == "fortnight" else 1) * DAY
    return (found[0] + later, found[1] + later) if found else day_of(said.now)


RULES_EN: Final[tuple[Row, ...]] = (
    *NAMES_EN,
    # --- so many units ago, from now, up to now
    row("ago", rf"\b{_SOME} (?P<u>seconds?|minutes?|moments?|hours?|day|weekend|week|fortnight|month|year|decade)s? ago\b", _ago),
    row("ago", rf"\b{NUMBER} years? and {NUMBER.replace('<n>', '<k>')} months? ago\b", _years_and_months),
    row("today ago", rf"\b{NUMBER} (?P<u>week|month|year)s? ago (?:today|this day)\b(?P<q>)(?P<v>)", _that_day),
    row("last next", r"\b(?:this|the same|that same) day (?P<q>last|next) (?P<u>week|month|year)\b(?P<n>)(?P<v>)", _that_day),
    row("time", r"\b(?:this|the same) time (?P<q>last|next) (?P<u>week|month|year)\b", lambda m, said: Once(Unit.WEEK, about_then(m["u"], -1 if m["q"] == "last" else 1, said.now))),
    row("hours", r"\b(?:last|past) (?P<n>\d{1,3}) hours\b", lambda m, said: Once(Unit.DAY, (said.now - int(m["n"]) * HOUR, said.now + timedelta(seconds=1)))),
    row("hour hours minutes", rf"\bin (?:half an hour|{NUMBER} (?P<u>hours?|minutes))\b(?! (?:of|long))", _hours),
    row("recent", r"\b(?:in|over) recent (?P<u>day|week|month|year)s\b", lambda m, said: Once(UNITS[m["u"]], recent(m["u"], 3, said.now))),
    row("next", r"\b(?:the )?(?P<d>monday|tuesday|wednesday|thursday|friday|saturday|sunday) after next\b", lambda m, said: Once(Unit.DAY, day_of(relative("week", 2, said.now)[0] + DAYS.index(m["d"][:3]) * DAY))),
    row("half", rf"\b(?:{_SOME} (?P<u>hour|week|month|year)s? and a half|(?:(?P<k>\d+|two|three|four|five|six) and a )?half (?:of )?an? (?P<v>hour|week|month|year)) (?P<way>ago|from now)\b", _half_ago),
    row("half", rf"\b{NUMBER} and a half (?P<u>hour|week|month|year)s (?P<way>ago|from now)\b(?P<v>)", _half_ago),
    row("ago", rf"\b{_SOME} (?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)days|springs|summers|autumns|falls|winters|christmases|easters|(?:january|february|march|april|may|june|july|august|september|october|november|december)s) ago\b", _names_ago),
    row("last", rf"\b(?:the )?{UNIT} before last\b", lambda m, said: Once(UNITS[m["u"]], relative("week" if m["u"] == "fortnight" else m["u"], -2, said.now))),
    row("last", r"\b(?:the )?(?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|fall|winter|christmas|easter|january|february|march|april|may|june|july|august|september|october|november|december) before last\b", _names_ago),
    row("next", rf"\b(?:the )?{UNIT} after next\b", lambda m, said: Once(UNITS[m["u"]], relative(m["u"], 2, said.now))),
    row("from", rf"\b(?:in )?{_SOME} {UNIT}s? from (?:now|today)\b", _in_units),
    row("in", rf"\bin {_SOME} {UNIT}s?\b(?:['’]s?)?(?: time)?\b(?! (?:of|a row))", _in_units),
    row("next coming within", rf"\b(?:(?:the |these |over |during |in )*(?:next|coming)|within(?: the next)?) {_SOME} (?P<u>day|week|month|year)s?\b", lambda m, said: Once(UNITS[m["u"]], soon(m["u"], number(m["n"]), said.now))),
    row("last past", rf"\b(?:the |these |over |in |during |within )*(?:last|past) {_SOME} (?P<u>day|week|month|year)s\b", lambda m, said: Once(UNITS[m["u"]], recent(m["u"], number(m["n"]), said.now))),
    row("last past previous this next coming upcoming", rf"\b{WHICH} {UNIT}\b(?<!day)(?:['’]s)?", _unit),
    row("weekend", r"\b(?:the|on the|at the|over the|at|for the) weekend\b(?! of )", lambda _m, _said: WEEKEND),
    # --- days
    row("today", r"\btoday\b(?:['’]s)?", lambda _, said: Once(Unit.DAY, day_of(said.now))),
    row("tonight evening night", r"\b(?:tonight|this (?:evening|night))\b", lambda _, said: Once(Unit.PART, said.tonight)),
    row("this", r"\bthis (?P<p>morning|afternoon)\b", lambda m, said: _of_day(0, m["p"], said)),
    row("yesterday", r"\b(?P<b>(?:the )?day before )?yesterday\b(?:['’]s)?", lambda m, said: Once(Unit.DAY, day_of(said.now - (2 if m["b"] else 1) * DAY))),
    row("last", r"\b(?:late |early )?last night\b|\b(?:night|evening) before last\b", _last_night),
    row("tomorrow tmrw tmr", r"\b(?P<b>(?:the )?day after )?(?:tomorrow|tmrw?)\b(?:['’]s)?", lambda m, said: Once(Unit.DAY, day_of(said.now + (2 if m["b"] else 1) * DAY))),
    row("other", r"\bthe other (?P<u>day|night|evening|week)\b", lambda m, said: Once(Unit.WEEK, recent("day", 14 if m["u"] == "week" else 7, said.now))),
    row("just moment", r"\bjust now\b|\ba moment ago\b", lambda _, said: Once(Unit.HOUR, lately(0, said.now, 6.0))),
    row("now", r"(?<=to )now\b|(?<=until )now\b|(?<=till )now\b", lambda _, said: Once(Unit.DAY, (said.now, said.now + timedelta(seconds=1)), weak=True)),
    row("coming upcoming", r"\b(?:coming up|upcoming)\b", lambda _, said: Once(Unit.WEEK, soon("week", 2, said.now))),
    row("week fortnight", rf"\b(?:an? (?P<a>week|fortnight) on {WEEKDAY}|{WEEKDAY.replace('<d>', '<e>')} (?P<b>week|fortnight))\b(?! (?:ago|before|after))", lambda m, said: Once(Unit.DAY, _after_coming(m, said))),
    row("morning noon midday lunchtime lunch afternoon evening night midnight", r"\b(?:late |early )?(?P<p>morning|noon|midday|lunchtime|lunch|afternoon|evening|night|midnight)\b", lambda m, _: _PARTS[m["p"]]),
)  # fmt: skip
