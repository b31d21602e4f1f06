# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English: allergies, diet and health, whom one is with, how one is reached."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import (
    CONDITION,
    core,
    items,
)
from memory.models import Importance, Kind

rule = Rules()


HIGH, LOW = Importance.HIGH, Importance.LOW


@rule(
    r"^I (?:am|have been) (?:\w+ly )?allergic to (?P<v>.+)$",
    r"^I have (?:an? |got an? )?(?:\w+ )?allergy to (?P<v>.+)$",
    r"^I have an? (?:severe |bad |mild |strong |serious |life-threatening |slight )*(?P<v>[\w ]{1,9}?) allergy$",
    r"^I have (?P<v>[\w ]{1,9}?) allergies$",
    r"^my allerg(?:y|ies)(?: is| are| include) (?:to )?(?P<v>.+)$",
)
def allergy(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm allergic to peanuts and penicillin: one fact each."""
    for item in items(m["v"]):
        how = re.search(r"\b(\w+ly) allergic", m[0])
        be = "is no longer" if c.ended else "is not" if c.denied else "is"
        text = f"The user {be} {how[1] + ' ' if how else ''}allergic to {item}."
        yield c.fact("allergy", item, text, kind=Kind.IDENTITY, importance=HIGH, sensitivity=1, entities=(item,))


@rule(
    r"^I (?:am|became|have become|turned|went|have been|have gone) (?:an? |on an? )?(?:strict |mostly |lifelong )?(?P<v>vegans?|vegetarian|pescatarian|flexitarian|lactose[- ]intolerant|gluten[- ](?:free|intolerant)|keto|low[- ]carb|halal|kosher|teetotal(?:er)?|celiac|coeliac)(?: diet)?$",
    r"^I (?:eat|follow|keep) (?:an? )?(?P<v>vegan|vegetarian|halal|kosher|keto|gluten[- ]free|plant[- ]based|low[- ]carb)(?: diet| food)?$",
    r"^I (?:am )?(?:follow(?:ing)?|on) an? (?P<v>[\w-]+) diet$",
)
def diet(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm vegetarian."""
    yield c.fact("diet", m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1)


@rule(
    r"^I (?:do not|never|cannot) (?P<how>eat|drink|have|tolerate|digest|smoke|take)(?: any)? ?(?P<v>.*)$",
    r"^I (?P<how>avoid) (?P<v>.+)$",
    r"^I (?P<how>smoke|vape)(?P<v>)$",
)
def abstains(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I don't eat pork; I don't drink."""
    how, value = m["how"].lower(), core(m["v"])
    if how in {"have", "take"} and not re.match(r"(?:dairy|alcohol|caffeine|sugar|gluten|meat)", value, re.I):
        return
    if (
        re.match(
            r"(?:breakfast|lunch|dinner|before|after|when|at|until|much|enough|it|that|this|you|to)\b", value, re.I
        )
        and how != "avoid"
    ):
        return
    for item in items(value) or [""]:
        thing = item or {"drink": "alcohol", "smoke": "cigarettes"}.get(how, "")
        if thing:
            verb = re.sub(r"(?<= )(?:any )?" + re.escape(value) + "$", "", m[0]) if value else m[0]
            yield c.fact(
                f"diet:{how if how != 'cannot' else 'eat'}",
                thing,
                c.third(f"{verb.strip()} {item}"),
                kind=Kind.PREFERENCE,
                holds=(how in {"smoke", "vape"} and "not" not in m[0] and "never" not in m[0]),
                sensitivity=1,
                entities=(thing,),
            )


@rule(
    rf"^I (?:have|suffer from|was diagnosed with|got diagnosed with|am diagnosed with|have been diagnosed with|struggle with|live with) (?P<v>(?:mild |severe |chronic )?{CONDITION})(?:\s{{1,9}}and\s{{1,9}}(?P<w>{CONDITION}))?$",
    r"^I am (?P<v>diabetic|pregnant|autistic|epileptic|dyslexic|asthmatic|bipolar|colou?r-?blind|near-?sighted|short-?sighted|deaf|blind|celiac|coeliac|left-handed|lactose intolerant)$",
    r"^I (?:take|am on|am taking) (?P<v>(?:insulin|metformin|antidepressants|[\w-]+(?:pril|statin|olol|pine|mycin|cillin|prazole)|medication for .+|blood thinners|(?:birth control )?pills?))$",
    r"^my blood type is (?P<v>[abo]{1,2}(?: ?[+-]| positive| negative)?)$",
)
def health(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I have asthma."""
    for value in (m["v"], m.groupdict().get("w")):
        if value:
            text = None if value == m["v"] and not m.groupdict().get("w") else c.third(f"I have {value}")
            yield c.fact(
                f"health:{value.lower()}",
                value,
                text,
                kind=Kind.IDENTITY,
                importance=HIGH,
                sensitivity=1 if "hand" in value else 2,
            )


@rule(
    r"^I (?:am|got|was|have been|am getting|just got|am now|am happily|became)(?: (?:happily|now|just|recently|newly))* (?P<v>married|engaged|divorced|single|separated|widowed|in a relationship)(?: to (?P<w>[A-Z]\w+|an? .+))?$",
    r"^I (?:have )?(?:just )?(?P<v>broke up|broken up|split up|divorced|separated|am seeing someone)(?: with (?P<w>.+))?$",
)
def marital(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm married to Tom."""
    if "getting" in m[0] and m["v"].lower() in {"married", "engaged"}:
        yield c.fact("event:wedding", "wedding", kind=Kind.GOAL, importance=HIGH, due=True, sensitivity=1)
        return
    yield c.fact(
        "marital", m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1, entities=(m["w"],) if m["w"] else ()
    )


@rule(
    r"^my (?P<k>(?:home |work )?(?:address|e-?mail(?: address)?|phone(?: number)?|mobile(?: number)?|cell(?: number)?|number)) is (?P<v>.+)$",
    r"^I can be reached (?:at|on) (?P<v>\S+)$",
)
def contact(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My email is …: private."""
    what = (m.groupdict().get("k") or "phone").lower()
    slot = "address" if what.endswith("address") and "mail" not in what else "email" if "mail" in what else "phone"
    yield c.fact(slot, m["v"], kind=Kind.FACT, importance=HIGH, sensitivity=2)


@rule(
    r"^I am (?P<v>\d{3} ?cm|\d'\d{1,2}\"?|\d\.\d\d ?m|[\d.]+ (?:feet|foot)[^,]*)(?: tall)?$",
    r"^I (?P<w>weigh) (?P<v>\d+ ?(?:kg|kilos|lbs?|pounds))$",
)
def body(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm 180 cm tall."""
    yield c.fact("weight" if m.groupdict().get("w") else "height", m["v"], kind=Kind.FACT, sensitivity=1)
