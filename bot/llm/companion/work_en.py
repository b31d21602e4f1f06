# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English: what somebody does for a living, where, and what they study."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import (
    NOT_PROFESSION,
    PROFESSION,
    core,
)
from memory.models import Importance, Kind

rule = Rules()


HIGH, LOW = Importance.HIGH, Importance.LOW


@rule(
    r"^I (?:have |just |have just )*(?:quit|left|lost|resigned from) (?:my )?(?P<v>job|work|position|.+)$",
    r"^I (?:was|got|have been|am) (?P<v>laid off|fired|made redundant|unemployed|out of work|between jobs)$",
)
def job_lost(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I quit my job."""
    value = core(m["v"])
    if re.match(r"(?:job|work|position|laid|fired|made|unemployed|out|between)", value, re.I):
        yield Fact(c.third(), "en", "job", "", Kind.FACT, HIGH, holds=False, ended=True, sensitivity=1, when=c.when)
    elif re.match(r"(?:[A-Z]|the company)", value) and re.search(r"quit|left|resigned", m[0]):
        yield c.fact("employer", value, kind=Kind.FACT, holds=False, sensitivity=1)
    elif re.match(r"\w+ing\b", value) and "quit" in m[0]:
        yield c.fact("habit", value, kind=Kind.WORKFLOW, holds=False, sensitivity=1)


@rule(
    r"^I (?:work|am working|have worked|have been working|started working|started work|now work)(?: now)?(?: (?:full[- ]time|part[- ]time|remotely))? as (?:an? |the )?(?P<v>[^,]+?)(?: (?:at|for|with) (?P<e>[^,]+))?$",
    r"^my (?:new |current )?(?:job|profession|occupation) is (?:being |to be )?(?:as )?(?:an? |the )?(?P<v>[^,]+?)(?: (?:at|for|with) (?P<e>[A-ZÀ-Þ][^,]+))?$",
    r"^I (?:got|have|found|started|accepted|took|landed) (?:an?|the) (?:new )?(?:job|position|role) (?:as (?:an? )?(?P<v>[^,]+?))?(?: ?(?:at|for|with) (?P<e>[^,]+))?$",
    r"^I (?:became|got promoted to|was promoted to|have become) (?:an? |the )?(?P<v>[^,]+?)(?: (?:at|for|with) (?P<e>[^,]+))?$",
)
def job(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I work as a nurse at St. Mary's: a job and an employer."""
    value, boss = core(m["v"] or ""), core(m["e"] or "")
    if value and not re.match(
        r"(?:boring|hard|stressful|great|fun|good|bad|tough|exhausting|killing|ok)\b", value, re.I
    ):
        article = (
            ""
            if re.match(r"(?:the|head|chief|ceo|self)\b", value, re.I)
            else "an "
            if value[:1].lower() in "aeiou"
            else "a "
        )
        no = "does not work" if c.denied else "no longer works" if c.ended else "works"
        yield c.fact(
            "job", value, f"The user {no} as {article}{value}.", kind=Kind.IDENTITY, importance=HIGH, sensitivity=1
        )
    if boss:
        yield c.fact("employer", boss, f"The user works at {boss}.", kind=Kind.FACT, entities=(boss,), sensitivity=1)


@rule(
    r"^I (?:work|am working|have worked|have been working|am employed|started working|started)(?: now)? (?P<p>at|for|in|with) (?P<v>[^,]+?)(?: as (?:an? |the )?(?P<j>[^,]+))?$",
    r"^I have been (?P<p>at|with) (?P<v>(?-i:[A-ZÀ-Þ])[\w&' .-]{0,9}?)(?P<j>)(?: (?:for|since)\b.*)?$",
)
def employer(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I work at Siemens; I work in finance."""
    value, job_too = core(m["v"]), core(m["j"] or "")
    if job_too and not (c.denied or c.ended):
        article = "an " if job_too[:1].lower() in "aeiou" else "a "
        yield c.fact(
            "job",
            job_too,
            f"The user works as {article}{job_too}.",
            kind=Kind.IDENTITY,
            importance=HIGH,
            sensitivity=1,
        )
    if re.match(
        r"(?:home|night|nights|weekends?|the moment|least|myself|the morning|the evening|shifts|my|a (?:while|bit|long|project)|\d|this|that)\b",
        value,
        re.I,
    ):
        return
    if m["p"] == "in" and not re.match(r"(?:an? |the )?[A-ZÀ-Þ]", value):
        yield c.fact("field", value, kind=Kind.FACT, sensitivity=1)
    else:
        told = f"The user works {m['p']} {value}." if job_too else None
        where = "place" if m["p"] == "in" and not re.match(r"(?:an? |the )", value) else "employer"
        yield c.fact(
            "work_place" if where == "place" else "employer",
            value,
            told,
            kind=Kind.FACT,
            importance=Importance.MEDIUM,
            entities=(value,),
            sensitivity=1,
        )


@rule(
    r"^I (?:am|am now|was|have been) (?:an? |the )(?P<v>[^,]+?)(?: for (?:\w+ ){1,3}(?:years?|months?|decades?))?$",
    r"^I am (?P<v>self-employed|retired|freelance|freelancing|(?:head|ceo|cto|cfo|founder|co-founder) of .+)$",
)
def role(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm a software engineer: a job, if it is one; `I'm a vegan` is not."""
    value = core(m["v"])
    if NOT_PROFESSION.search(value) or re.search(r"\bwas\b", m[0]):
        return
    head = re.split(r"\s{1,9}(?:at|in|for|of|with|from|who)\s{1,9}", value)[0]
    if not PROFESSION.search(head) and not re.match(r"(?:self|retired|freelanc|head)", value, re.I):
        return
    place = re.search(r"\s(?:at|for)\s{1,9}(?P<e>.+)$", value)
    school = place and re.search(r"\bstudent\b", head, re.I)
    yield c.fact(
        "job", head, None, kind=Kind.IDENTITY, importance=HIGH, sensitivity=1, entities=(place["e"],) if place else ()
    )
    if place and not school and not (c.denied or c.ended):
        yield c.fact(
            "employer",
            place["e"],
            f"The user works at {place['e']}.",
            kind=Kind.FACT,
            entities=(place["e"],),
            sensitivity=1,
        )


@rule(r"^I used to be (?:an? |the )(?P<v>[^,]+?)(?:,? but\b.*)?$", r"^I used to work as (?:an? |the )(?P<v>[^,]+?)$")
def past_job(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I used to be a lawyer: what one did once, not what one does."""
    value = core(m["v"])
    if PROFESSION.search(re.split(r"\s{1,9}(?:at|in|for|of|with)\s{1,9}", value)[0]) and not NOT_PROFESSION.search(
        value
    ):
        yield c.fact("past:job", value, kind=Kind.FACT, importance=LOW, sensitivity=1)


@rule(
    r"^I (?:am studying|study|have been studying|am majoring in|major in|majored in|am doing a (?:degree|master|phd|bachelor)\w*(?:'s)? in|studied) (?P<v>[^,]+?)(?: at (?P<s>[^,]+))?$",
    r"^my major is (?P<v>[^,]+?)(?: at (?P<s>.+))?$",
    r"^I (?:go to|attend|am a student (?:at|of)|graduated from|am at) (?P<s>[A-ZÀ-Þ][^,]*(?:University|College|School|Institute|Academy|MIT|UCLA|ETH|Uni|High)[^,]*)$",
)
def study(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I study physics at ETH."""
    g = m.groupdict()
    value, school = core(g.get("v") or ""), core(g.get("s") or "")
    if value and re.match(r"(?:hard|every|all|a lot|too|for|at|in|with|abroad|until|late|\d)\b", value, re.I):
        return
    if value and not (value[:1].isupper() and value[1:2].islower() and "language" in value):
        past = bool(re.search(r"\bstudied\b", m[0]))
        yield c.fact(
            "past:study" if past else "study",
            value,
            None,
            kind=Kind.FACT,
            sensitivity=1,
            entities=(school,) if school else (),
        )
    elif school:
        slot = "past:school" if "graduated" in m[0] else "school"
        yield c.fact(slot, school, kind=Kind.FACT, entities=(school,), sensitivity=1)
