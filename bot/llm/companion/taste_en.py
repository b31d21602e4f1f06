# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English: what somebody likes and dislikes, and can do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import LANGUAGE, core, items, names
from memory.models import Importance, Kind

rule = Rules()


LOW, MEDIUM, HIGH = Importance.LOW, Importance.MEDIUM, Importance.HIGH


_HOW = r"(?:really |absolutely |also |quite |do |truly |totally |definitely |especially |particularly |always |have always |actually |both |most |kind of |sort of |rather |just |only |deeply |personally |so |very much |big |huge |such )*"


_LIKE = (
    r"(?:like|liked|love|loved|adore|enjoy|enjoyed|(?:am|am a|am such a|have always been a|am quite|am very) ?(?:big |huge |great |massive |real )*fan of|am (?:really |very |quite |so |totally )*(?:fond of|into|crazy about|mad about|keen on|"
    r"passionate about|obsessed with|addicted to|interested in|hooked on|a (?:big |huge )?lover of|partial to)|have a (?:soft spot|thing|weakness) for|am a sucker for|appreciate|dig|fancy|live for|cannot live without|cannot get enough of|am in love with|fell in love with)"
)


_DISLIKE = (
    r"(?:hate|hated|dislike|detest|despise|loathe|cannot stand|cannot bear|cannot tolerate|do not (?:really |particularly |much |quite )*(?:like|enjoy|love|care for|fancy)|never (?:really )?liked|"
    r"am not (?:really |much |particularly |exactly )*(?:a (?:big |huge )?fan of|into|fond of|keen on|interested in|crazy about)|am (?:really |so )*(?:sick of|tired of|fed up with|over|scared of|afraid of|terrified of)|have a fear of)"
)


_VAGUE = re.compile(
    r"^(?:it|that|this|them|you|him|her|me|myself|these|those|what|how|the (?:idea|sound|way|fact|thought|look)|to (?:know|ask|see|talk|say|hear|think|tell|be called|chat|add|mention)|your|talking to you|"
    r"being called|when|where|who|so|there|one|both|some|everything|nothing|all|something|anything|here|too|hearing|this one|that one|a (?:bit|lot|little)|here|meeting you)\b(?!\s{1,9}(?:movies?|films?|books?))",
    re.I,
)


def _liked(item: str) -> str:
    """What is liked, without the verb: `eating ramen` and `ramen` are one taste."""
    item = re.sub(r"^to (?=\w)", "", item)
    return re.sub(
        r"^(?:eat(?:ing)?|drink(?:ing)?|watch(?:ing)?|listen(?:ing)? to|play(?:ing)?(?: the)?|having|collecting|reading) (?=\w)",
        "",
        item,
    )


def _taste(c: Clause, verb: str, value: str, holds: bool) -> Iterator[Fact]:
    found = items(value)
    strong = bool(
        re.search(
            r"\b(?:love|adore|hate|detest|loathe|obsessed|passionate|cannot (?:stand|live)|despise)\b", verb, re.I
        )
    )
    for item in found:
        if _VAGUE.match(item) or len(item) > 90 or not re.search(r"\w", item):
            continue
        text = None if len(found) == 1 else c.third(f"I {verb} {item}")
        more = c.lately
        yield c.fact(
            "like",
            _liked(item),
            text,
            kind=Kind.WHIM if more else Kind.PREFERENCE,
            importance=LOW if more else HIGH if strong and len(found) == 1 else MEDIUM,
            holds=holds != (c.ended or c.denied),
            entities=tuple(dict.fromkeys([item, *names(f". {item}")]))[:3]
            if len(item.split()) < 5
            else names(c.third()),
            verb=verb,
        )


@rule(rf"^I (?P<h>{_HOW})(?P<vp>{_DISLIKE}) (?P<v>.+)$")
def dislikes(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I don't like cilantro; I hate mornings."""
    yield from _taste(c, (m["h"] + m["vp"]).strip(), m["v"], holds=False)


@rule(rf"^I (?P<h>{_HOW})(?P<vp>{_LIKE}) (?P<v>.+?)(?:,? but not (?P<no>.+))?$")
def likes(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I like ramen, sushi and hiking (but not running)."""
    if re.match(r"(?:would|that|liked it)\b", m["v"], re.I):
        return
    if m["no"]:
        verb = (m["h"] + m["vp"]).strip()
        for item in items(m["v"]):
            yield c.fact("like", item, c.third(f"I {verb} {item}"), kind=Kind.PREFERENCE, entities=(item,), verb=verb)
        for item in items(m["no"]):
            yield c.fact(
                "like", item, f"The user does not like {item}.", kind=Kind.PREFERENCE, holds=False, entities=(item,)
            )
        return
    yield from _taste(c, (m["h"] + m["vp"]).strip(), m["v"], holds=True)


@rule(
    r"^I (?P<h>really |always |usually |generally |much |would )*prefer (?P<v>.+?)(?: (?:over|to|than|rather than|instead of) (?P<o>(?!the\b.*\bof\b).+))?$"
)
def prefers(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I prefer tea to coffee."""
    value, other = core(m["v"]), core(m["o"] or "")
    if _VAGUE.match(value) or value.lower().startswith(("not to", "if", "that")):
        return
    pair = sorted(x.lower() for x in (value, other) if x)
    slot = "prefer:" + "/".join(pair) if other else "like"
    yield c.fact(
        slot,
        value,
        kind=Kind.PREFERENCE,
        importance=MEDIUM,
        single=bool(other),
        entities=tuple(x for x in (value, other) if x),
        verb="prefer",
    )


@rule(
    r"^my (?:(?:all[- ]time|absolute|current|new) )?favou?rite (?P<k>[\w -]{2,40}?) (?:is|are|has to be|would be|of all time is|has always been|was) (?P<v>.+)$",
    r"^(?P<v>[\w' -]{1,9}?) (?:is|are) my (?:(?:all[- ]time|absolute) )?favou?rite (?P<k>[\w -]{2,40})$",
    r"^my (?P<k>(?:favou?rite)) (?:is|are) (?P<v>.+)$",
)
def favourite(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My favourite colour is green."""
    what = (
        re.sub(r"s$", "", m["k"].lower().replace("color", "colour").strip())
        if not m["k"].lower().endswith(("ss", "series"))
        else m["k"].lower()
    )
    value = core(m["v"])
    if value and not _VAGUE.match(value):
        yield c.fact(f"favourite:{what}", value, kind=Kind.PREFERENCE, importance=MEDIUM, entities=(value,))


@rule(
    r"^my (?:main |biggest |only |favou?rite )?(?:hobby|hobbies|interests?|passions?)(?: in life)? (?:is|are|include[s]?) (?P<v>.+)$",
    r"^in my (?:free|spare) time,? I (?:like to |love to |enjoy |usually |mostly |often )?(?P<v>.+)$",
)
def hobby(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My hobbies are chess and climbing."""
    for item in items(m["v"]):
        if "free time" in m[0] or "spare time" in m[0]:
            yield c.fact("hobby", item, kind=Kind.PREFERENCE, entities=(item,))
            return
        yield c.fact("hobby", item, f"One of the user's hobbies is {item}.", kind=Kind.PREFERENCE, entities=(item,))


@rule(r"^one of my hobbies is (?P<v>.+)$")
def hobby_told(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """The canonical form of the above."""
    yield c.fact(
        "hobby",
        core(m["v"]),
        f"One of the user's hobbies is {core(m['v'])}.",
        kind=Kind.PREFERENCE,
        entities=(core(m["v"]),),
    )


@rule(r"^I (?:am craving|crave|feel like (?:having|eating|some)|am in the mood for) (?P<v>.+)$")
def craves(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm craving sushi: a passing taste."""
    yield c.fact("whim", core(m["v"]), kind=Kind.WHIM, importance=LOW, entities=(core(m["v"]),))


@rule(r"^I used to (?P<vp>like|love|enjoy|adore|be into|be a fan of|hate|dislike) (?P<v>.+?)(?:,? but .*)?$")
def used_to_like(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I used to like ramen: no longer."""
    hated = m["vp"].lower() in {"hate", "dislike"}
    for item in items(m["v"]):
        yield c.fact("like", item, None, kind=Kind.PREFERENCE, importance=LOW, holds=hated, entities=(item,))


@rule(
    rf"^I (?:can |also |fluently |do |now )*(?:speak|am fluent in|know how to speak|am a native speaker of) (?P<not>)(?P<v>(?:(?:a little|a bit of|some|basic|fluent|broken|good) )*{LANGUAGE}.*)$",
    rf"^my (?:native|first|mother) (?:language|tongue) is (?P<v>{LANGUAGE})(?P<not>)$",
)
def speaks(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I speak German and a little Japanese."""
    found = re.findall(rf"(?:(?:a little|some|basic|fluent|broken|a bit of) )?\b{LANGUAGE}\b", m["v"], re.I)
    native = "native" if re.search(r"\b(?:native|first|mother)\b", m[0]) else "language"
    for lang in found:
        text = c.third() if len(found) == 1 else c.third(f"I speak {lang}")
        yield c.fact(native, lang, text, kind=Kind.SKILL, importance=MEDIUM, entities=(lang,))


@rule(
    r"^I (?:can|know how to|am able to) (?P<v>(?:play|speak|code|program|draw|paint|sing|dance|cook|bake|swim|ski|drive|ride|sew|knit|juggle|write|touch[- ]type|surf|sail|whistle|do|build|fix|repair|make|read|use)\b.*)$",
    r"^I am (?:really |very |pretty |quite |so )*(?:good|great|skilled|bad|terrible|awful|experienced|an expert) (?:at|in|with) (?P<v>.+)$",
    r"^I (?P<v>(?:code|program|develop) (?:mostly |mainly )?in .+)$",
    r"^I (?:know|have learned|learned|mastered) (?P<v>(?:how to .+|Python|Java|JavaScript|TypeScript|Rust|Go|C\+\+|C#|Ruby|SQL|PHP|Kotlin|Swift|Haskell|HTML.*)(?:,? .*)?)$",
    r"^I (?:can) (?:no longer )?(?P<v>not swim|not drive|not cook)$",
    r"^I cannot (?P<v>swim|drive|cook|sing|dance|whistle|ride a bike)$",
    r"^I (?:have been|am) playing (?P<v>.+?)(?: for .+)?$",
)
def skill(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I can play the piano; I'm good at chess."""
    value = core(m["v"])
    if re.match(r"(?:do (?:it|that|this)|make it|use (?:it|that)|the (?:market|stock))", value, re.I):
        return
    bad = bool(re.search(r"\b(?:cannot|bad|terrible|awful)\b", m[0]))
    yield c.fact(
        "skill", value, kind=Kind.SKILL, holds=not bad and not c.denied and not c.ended, entities=names(c.third())
    )


@rule(r"^I (?:play|am playing) (?P<v>(?:the )?[\w -]{1,9}?)(?: (?:in|with|at|on|for) .+)?$")
def plays(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I play the guitar."""
    value = core(m["v"])
    if not re.match(r"(?:a (?:role|part|game)|it|with|around|along|on|dead|the (?:game|fool))\b", value, re.I):
        yield c.fact("skill", f"play {value}", kind=Kind.SKILL, entities=(value,))


@rule(
    r"^I (?:am|have been|just started|started|recently started|began) (?:learning|studying|taking up|teaching myself|learning how to|to learn) (?P<v>.+?)(?: for .+)?$"
)
def learning(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm learning Japanese."""
    yield c.fact("goal", f"learn {core(m['v'])}", kind=Kind.GOAL, entities=(core(m["v"]),), when=None)
