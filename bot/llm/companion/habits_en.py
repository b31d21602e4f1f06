# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English: what somebody does by habit, owns, and has learned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Rules, ended
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import FEELING, core, names
from bot.llm.companion.sorts import sort_of
from memory.models import Importance, Kind

rule = Rules()


LOW, MEDIUM, HIGH = Importance.LOW, Importance.MEDIUM, Importance.HIGH


_EVERY = (
    r"(?:every (?:single |other )?(?:\w+)|each (?:morning|day|week|evening|night|month|year|\w+day)|daily|weekly|nightly|on (?:week(?:days|ends)|(?:mon|tues|wednes|thurs|fri|satur|sun)days(?: and \w+days)?)|"
    r"(?:once|twice|three times|four times|several times|\d+ times) (?:a|per|every) (?:day|week|month|year)|in the (?:mornings?|evenings?|afternoons?)|at night|before bed|after work|usually|always|often|normally|typically|generally|regularly|"
    r"most (?:days|mornings|evenings|nights|weekends)|(?:mon|tues|wednes|thurs|fri|satur|sun)days)"
)


@rule(
    rf"^(?P<a>{_EVERY}),? (?P<c>I) (?P<v>\w.+)$",
    r"^I (?P<b>(?:usually|always|often|normally|typically|generally|regularly|never)) (?P<v>\w.+)$",
    rf"^I (?P<v>(?!am\b|was\b|have been\b|will\b|had\b|need\b|want\b)\w.+? {_EVERY}\b.*)$",
)
def habit(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """Every morning I run 5 km."""
    g = m.groupdict()
    value = core(m["v"])
    if re.match(
        r"(?:stopped|quit|gave up|used to|think|feel|wonder|forget|say|thought|wanted|knew|wish|mean|believe|loved|hated|was|were|had|want|need|get (?:sad|angry|nervous|tired|confused|stuck))\b",
        value,
        re.I,
    ):
        return
    text = c.third(f"I {value} {g['a'].lower()}") if g.get("a") and not c.here else None
    yield c.fact(
        "habit",
        value if not g.get("a") else f"{value} {g['a'].lower()}",
        text,
        kind=Kind.WORKFLOW,
        entities=names(c.third()),
        when=None,
    )


@rule(
    r"^I (?P<v>(?:wake up|get up|go to bed|go to sleep|go to the gym|go running|go jogging|go swimming|go hiking|go climbing|meditate|do yoga|work out|work from home|work (?:night shifts|nights|remotely|part[- ]time|full[- ]time)|commute|volunteer|smoke|vape|run|jog|swim|cycle|bike|walk|"
    r"practi[sc]e|collect|wear|drive|ride|use|build|restore|make(?! (?:sure|it|sense|me|do|up|out|money|an? (?:mistake|call|point|living|mess)|mistakes|the|my|that|this|friends|plans|progress|a)\b)|watch|listen to|read|cook|bake|paint|draw|write|sing|garden|knit|follow|support|play|teach|coach|run|own|sleep|travel|drink|eat|take)\b(?: .*)?)$"
)
def does(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I wake up at six; I collect stamps; I drive a Volvo."""
    value = core(m["v"])
    if (
        (c.when and c.when.lead != "since")
        or re.match(
            r"(?:use|read|watch|write|take|follow|own|eat|drink|wear|play) (?:it|that|this|them|you|to|the same|your|some)\b",
            value,
            re.I,
        )
        or (
            len(value.split()) < 2
            and value.lower()
            not in {
                "smoke",
                "vape",
                "meditate",
                "cycle",
                "swim",
                "run",
                "jog",
                "volunteer",
                "paint",
                "draw",
                "garden",
                "knit",
                "bake",
            }
        )
    ):
        return
    first = value.split()[0].lower()
    slot = (
        "sleep_time"
        if value.lower().startswith(("go to bed at", "go to sleep at"))
        else "wake_time"
        if re.match(r"(?:wake|get) up (?:at|around)", value, re.I)
        else f"have:{first}"
        if first in {"drive", "own"}
        else "habit"
    )
    yield c.fact(
        slot,
        value,
        kind=Kind.FACT if first in {"drive", "own"} else Kind.WORKFLOW,
        entities=names(c.third()),
        when=None,
    )


@rule(
    r"^I (?:have )?(?:stopped|quit|gave up|given up) (?P<v>\w+ing\b.*|smoking|drinking|coffee|sugar|meat|alcohol|gluten|dairy)$"
)
def stopped(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I stopped smoking."""
    yield from ended([c.fact("habit", core(m["v"]), kind=Kind.WORKFLOW, sensitivity=1)])


@rule(
    r"^I used to (?P<v>(?!(?:like|love|enjoy|adore|hate|dislike|live|be|think|believe|know|want|say|have|wonder)\b)\w[^,]*?)(?:,? (?:but|and|until|then|quit|stopped|gave)\b.*)?$",
    r"^I (?:smoked|drank)(?P<v>)\b.*, but I .*$",
)
def used_to(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I used to smoke (but quit): over, whether or not the end is told."""
    said = re.sub(r"\s{1,9}(?:quit|stopped)$", "", core(m["v"])) or re.sub(r"^I smoked.*", "smoke", c.plain)
    how = re.match(r"(?P<h>smoke|vape|drink|eat)\b ?(?P<x>.*)$", said, re.I)
    if how and how["h"].lower() in {"smoke", "vape"}:
        yield from ended([c.fact("diet:smoke", "cigarettes", kind=Kind.PREFERENCE, sensitivity=1)])
    elif how:
        what = how["x"] or "alcohol"
        yield from ended([c.fact(f"diet:{how['h'].lower()}", what, kind=Kind.PREFERENCE, sensitivity=1)])
    elif len(said.split()) < 9:
        yield from ended([c.fact("habit", said, kind=Kind.WORKFLOW, when=None)])


@rule(
    r"^I have been (?P<v>(?!(?:going|trying|thinking|feeling|having|waiting|looking|meaning|wanting|wondering|living|working|getting|being|married|together)\b)\w+ing\b.*?) (?:for|since)\b.*$"
)
def lasting(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I've been teaching for ten years."""
    if not re.search(r"\b(?:minutes?|hours?|days?)\b", c.plain):
        yield c.fact("habit", core(m["v"]), kind=Kind.WORKFLOW, when=None)


@rule(
    r"^(?:the )?(?:lesson(?: learned)?|what I learned):? (?:is (?:that )?)?(?P<v>.+)$",
    r"^I (?:have )?(?:learned|learnt|realised|realized|found out|figured out|discovered) (?:that|the hard way(?: that)?|never to|to always) (?P<v>.+)$",
)
def lesson(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I learned that I sleep badly after coffee."""
    if len(m["v"].split()) > 2:
        yield c.fact("lesson", m["v"], kind=Kind.LESSON, entities=names(c.third()))


_NOT_HELD = re.compile(
    r"^(?:question|problem|issue|idea|feeling|headache|cold|fever|flu|stomach ?ache|hangover|good|bad|great|nice|lovely|rough|hard|long|busy|wonderful|terrible|request|favou?r|point|doubt|suggestion|lot|bit|few|couple|look|go|"
    r"break|minute|second|moment|chance|hunch|confession|theory|joke|story|secret|rest|dream|plan|thing|crush|guess|hard time|reason|right|clue|choice|sense|habit|tendency|child|day|week|weekend|night|morning|bath|shower|nap|drink|coffee|cup|"
    r"meeting|appointment|interview|exam|test|date|call|deadline|party|flight|presentation|class|lesson|session|trip|concert|game|match|dinner|lunch|wedding|fight|argument|mental|busy|lack|tough|friend request|new (?:idea|question|problem))\b",
    re.I,
)


@rule(
    r"^I (?:have|own|have got|bought|just bought|got|just got|recently bought|drive|ride|just got myself) (?P<a>an? |my own |two |three |\d+ |a pair of |some )(?P<v>[\w' .+-]{1,9})$",
    r"^my (?P<k>car|bike|bicycle|motorbike|motorcycle|phone|laptop|computer|guitar|piano|house|flat|apartment|camera|boat|van|truck|keyboard|watch|garden|website|blog|channel|company|startup|business|shop|store|restaurant|book|project|team|school|university|office|gym|star sign|zodiac sign|shoe size|major|dream job|wifi(?: name)?|username|handle|pronouns) (?P<is>is|are) (?P<v>.+)$",
)
def possession(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I have a red Tesla; my car is a Volvo."""
    value, g = core(m["v"]), m.groupdict()
    if (
        _NOT_HELD.match(value)
        or re.match(rf"(?:{FEELING}|not|so|broken|dead|gone|ruined)\b", value, re.I)
        or re.search(r"\bcold|headache\b", value)
    ):
        return
    if c.when and not c.when.over(c.at) and not g.get("k"):  # a shoot on Friday is no possession
        yield c.fact(f"event:{value.split()[0].lower()}", value, kind=Kind.TODO, due=True, entities=names(c.third()))
        return
    if what := (g.get("k") or "").lower():
        yield c.fact(f"attr:{what}", value, kind=Kind.FACT, single=True, entities=names(c.third()))
    elif len(value.split()) < 7 and sort_of(value, "en") != "food":
        yield c.fact(f"have:{value.split()[-1].lower()}", value, kind=Kind.FACT, entities=names(c.third()))
