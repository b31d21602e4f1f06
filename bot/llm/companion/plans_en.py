# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English: what somebody wants, plans, has to do and has decided, what has happened, and how they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import FEELING, RELATION, core, names
from memory.models import Importance, Kind

rule = Rules()
LOW, MEDIUM, HIGH = Importance.LOW, Importance.MEDIUM, Importance.HIGH
EVENT = (
    r"(?:appointment|dentist|book club|meeting|interview|exam|test|quiz|date|call|deadline|party|flight|train|bus|presentation|class|lesson|session|trip|concert|game|match|dinner|lunch|breakfast|brunch|"
    r"wedding|funeral|ceremony|graduation|surgery|operation|check-?up|haircut|conference|workshop|webinar|demo|review|launch|rehearsal|recital|performance|race|marathon|tournament|"
    r"vacation|holiday|anniversary|birthday|reunion|hearing|trial|visit|viewing|move|training|shift|stand-?up|retreat|festival|show|play|audition|defen[cs]e|thesis defen[cs]e|"
    r"scan|mri|vaccination|tour|reservation|booking|delivery|podcast|talk|lecture|seminar|visa appointment|due date|first day|last day|hackathon|gig|business trip|playdate|barbecue|bbq|picnic)"
)
_CHAT = re.compile(
    r"^(?:know|ask|talk|say|tell you|see (?:if|what|how|whether)|hear|thank|chat|share|be honest|let you|mention|show you|add|apologi[sz]e|clarify|emphasi[sz]e|understand|vent|point out|go now|leave now|(?:go|run|sleep|rest|wait|leave)$|"
    r"think about it|test (?:you|this)|try (?:you|this)|check (?:if|whether)|check something|remind you|correct|discuss|be alone|cry|die|kill|hide|scream|pee|be clear|admit|confess|believe|quit this|you|it|that|this|"
    r"help|your|speak to you|go to (?:bed|sleep)|get going|wait|do (?:it|that|this)|say (?:that|something))(?!\w)(?! (?:to [A-Z]|for|away from home))",
    re.I,
)


def _important(text: str) -> Importance:
    return (
        HIGH
        if re.search(
            r"\b(?:interview|exam|wedding|surgery|operation|deadline|flight|funeral|defen[cs]e|hearing|visa|graduation|important|urgent|launch|presentation)\b",
            text,
            re.I,
        )
        else MEDIUM
    )


def _event_name(text: str) -> str:
    """`a job interview with Acme` → `job interview`."""
    text = re.sub(
        r"^(?:an?|my|the|our|this|another|some)\s{1,9}(?:really |very |big |important |quick |short |new |first |little |small )*",
        "",
        text.strip(),
        flags=re.I,
    )
    text = re.split(r"\s{1,9}(?:with|at|for|in|on|about|to|from|because|and)\s{1,9}", text)[0]
    return text.lower().replace("doctor's", "doctor").replace("dentist's", "dentist").strip(" ,.'")


_OTHERS = re.compile(
    r"(?:funeral|wedding|party|ceremony|concert|game|match|race|marathon|show|play|festival|trial)$", re.I
)
_DONE = {"finished": "finish", "completed": "complete", "sent": "send", "submitted": "submit", "paid": "pay", "called": "call",
         "bought": "buy", "booked": "book", "cleaned": "clean", "returned": "return", "picked up": "pick up", "handed in": "hand in"}  # fmt: skip


@rule(
    rf"^I (?:have )?(?:already |just |finally )*(?P<p>{'|'.join(_DONE)}) (?P<v>(?:the|my|our) .+|[A-Z]\w+|mum|mom|dad|milk)$"
)
def done(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I finished the report: what was to be done is done; it is no memory of its own."""
    yield c.fact("todo", f"{_DONE[m['p'].lower()]} {core(m['v'])}", kind=Kind.TODO, holds=False, when=None)


@rule(
    r"^my (?P<v>(?:new |next |summer |winter )?(?:job|work|course|semester|term|contract|lease|holidays?|vacation|internship|leave|training|school|studies|sabbatical)) (?P<p>starts?|begins?|ends?|finishes|is over|runs out|expires)$"
)
def starts(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My job starts on 31 March."""
    if c.when and not c.when.over(c.at):
        yield c.fact(f"event:{m['v'].lower()} {m['p'].rstrip('s')}", m["v"], kind=Kind.TODO, due=True)


@rule(
    rf"^I (?:have|have got|will have|am having|got|booked|am attending|am going to(?= (?:an?|my|the|our)\b)|scheduled|will attend|am giving|am hosting) (?P<v>(?:an? |my |the |our |another |two )?(?:[\w'-]+ ){{0,4}}?{EVENT}s?\b.*)$",
    rf"^there is (?P<v>(?:an? |my |the )?(?:[\w'-]+ ){{0,4}}?{EVENT}\b.*)$",
)
def event(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I have a job interview next Wednesday at 3pm."""
    value = core(m["v"])
    if not c.when:
        if re.search(r"\bgoing to\b", m[0]):
            yield c.fact("goal", value, kind=Kind.GOAL)
        elif re.search(r"\b(?:coming up|soon|scheduled|booked)\b", c.plain):
            yield c.fact(
                f"event:{_event_name(value)}",
                value,
                kind=Kind.TODO,
                importance=_important(value),
                entities=names(c.third()),
            )
        return
    if c.when.over(c.at):
        return
    told = c.third(f"I have {c.text.split(' ', 2)[-1]}") if c.text.lower().startswith("there is") else None
    yield c.fact(
        f"event:{_event_name(value)}",
        value,
        told,
        kind=Kind.TODO,
        importance=_important(value),
        due=True,
        entities=names(c.third()),
        single=c.corrects,
    )


@rule(
    rf"^(?:my|the|our) (?P<v>(?:(?!\w+'s\s{{1,9}}birthday)[\w'-]+ ){{0,3}}?{EVENT})(?P<to> (?:to|with|at|for|from) [\w' .-]{{1,9}}?)? (?:is|are|will be|takes place|starts|begins|leaves|has been|was|got|is now|will now be)(?: (?:now|scheduled|set|planned|due|coming up|moved|rescheduled|postponed|pushed back|brought forward|changed|going to be))*(?: (?:to|for|on|at|from))*(?P<x>.*)$",
    rf"^they (?:moved|rescheduled|postponed|changed|pushed)(?: back)? (?:my|the|our) (?P<v>(?:[\w'-]+ ){{0,3}}?{EVENT})(?: (?:to|for|until))*(?P<x>)$",
    rf"^I (?:have )?(?:moved|rescheduled|postponed|changed|pushed)(?: back)? (?:my|the|our) (?P<v>(?:[\w'-]+ ){{0,3}}?{EVENT})(?: (?:to|for|until))*(?P<x>)$",
)
def event_at(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My interview is on Friday; the flight was moved to Tuesday: one thing, with one date."""
    if "cancel" in c.plain:
        return
    if not c.when or (c.when.over(c.at) and not c.corrects):
        return
    value = m["v"] + (m.groupdict().get("to") or "")
    whose = "the" if m[0].lower().startswith("the ") and _OTHERS.search(m["v"]) else "my"
    text = c.third(
        f"{whose} {value} is {''.join(ch for ch in c.text if 0xE100 <= ord(ch) < 0xE140)}{(m['x'] or '').rstrip()}"
    )
    yield c.fact(
        f"event:{_event_name(value)}",
        value,
        text,
        kind=Kind.TODO,
        importance=_important(value),
        due=True,
        single=True,
        entities=names(c.third()),
    )


@rule(
    rf"^(?:my|the|our) (?P<v>(?:[\w'-]+ ){{0,3}}?{EVENT}) (?:is|was|has been|got) (?:cancelled|canceled|called off|off)$"
)
def cancelled(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """The meeting was cancelled."""
    yield c.fact(
        f"event:{_event_name(m['v'])}",
        m["v"],
        c.third(f"my {m['v']} was cancelled"),
        kind=Kind.TODO,
        holds=False,
        when=None,
    )


@rule(
    r"^I (?:have )?(?:decided|made up my mind|resolved|chose|have chosen|opted)(?: to| on| that| against| not to| for)? (?P<v>.+)$",
    r"^I am going with (?P<v>.+)$",
    r"^my decision is (?:to )?(?P<v>.+)$",
)
def decision(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I've decided to quit my job."""
    yield c.fact("decision", core(m["v"]), kind=Kind.DECISION, importance=MEDIUM, entities=names(c.third()))


@rule(
    r"^(?:please |can you |could you |you should )?(?:remind me|do not let me forget) (?:to |about |of |that I (?:have|need) to )?(?P<v>.+)$",
    r"^(?:to-?do|reminder):? (?P<v>.+)$",
)
def remind(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """Remind me to call mum tomorrow."""
    thing = re.sub(
        r"^(?:please |can you |could you |you should )?(?:remind me|do not let me forget|to-?do|reminder)(?: to|:)?\s{0,9}",
        "",
        c.text,
        flags=re.I,
    )
    thing = re.sub(r"^([\ue100-\ue13f]\s{0,9})(?:to\s{1,9})?(.*)$", r"\2 \1", thing.strip())
    verb = "about" if re.match(r"(?:about|of)\b", thing, re.I) else ""
    text = c.third(f"I want to be reminded {thing}") if verb else c.third(f"I need to {thing}")
    yield c.fact(
        "todo",
        core(m["v"]),
        text,
        kind=Kind.TODO,
        importance=_important(c.plain),
        due=True,
        entities=names(c.third()),
    )


@rule(
    r"^I (?:really |still |also |just )*(?:need to|have to|must|should|had better|am supposed to|ought to|cannot forget to|must not forget to|got to) (?P<v>.+)$"
)
def must(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I need to buy milk tomorrow."""
    value = core(m["v"])
    if _CHAT.match(value) or (
        re.match(r"(?:be|stop|think|feel|admit|say|learn to|accept|calm|relax|focus|get over)\b", value, re.I)
        and not c.when
    ):
        return
    if not c.when and "should" in m[0]:
        return
    kind = (
        Kind.GOAL
        if re.match(r"(?:learn|improve|lose|get better|exercise more)\b", value, re.I) and not c.when
        else Kind.TODO
    )
    yield c.fact(
        "todo" if kind is Kind.TODO else "goal",
        value,
        kind=kind,
        importance=_important(value),
        due=True,
        entities=names(c.third()),
    )


@rule(
    r"^I (?:really |also |still |just |have always |always |am )*(?:want to|wanted to|want|would (?:really )?(?:like|love) to|hope to|am hoping to|plan to|am planning to|plan on|am planning on|am planning|intend to|aim to|aspire to|dream of|am dreaming of|dream about|"
    r"am trying to|am training for|am training to|am saving (?:up )?(?:for|to)|am preparing for|am preparing to|am looking forward to|look forward to|am thinking (?:of|about)(?= \w+ing\b)|am considering(?= \w+ing\b)|set out to|am working towards|wish to|am determined to|am about to|am looking for) (?P<v>.+)$",
    r"^my (?:main |biggest |long[- ]term |short[- ]term |big |next |new year's )?(?:goal|dream|plan|aim|ambition|resolution|wish)s?(?: for .+?)? (?:is|are) (?:to )?(?P<v>.+)$",
)
def goal(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I want to learn Japanese; I'm planning to visit Rome in May."""
    value = core(m["v"])
    if (
        _CHAT.match(value)
        or re.match(r"(?:some|a (?:hug|break|drink|nap|snack|coffee|pizza|answer|joke|story|hand))\b", value, re.I)
        or not value
    ):
        return
    if re.search(r"^I (?:really )?want (?!to\b)", m[0]) and not re.search(
        r"^I (?:really )?want (?:an? |my own |to |another )", m[0]
    ):
        return
    near = c.when is not None and not c.when.over(c.at) and c.when.grain in {"minute", "day", "weekend", "week"}
    if c.lately and "want" in m[0] and not near and re.match(r"(?:eat|drink|have|watch)\b", value):
        return
    yield c.fact(
        "todo" if near else "goal",
        value,
        kind=Kind.TODO if near else Kind.GOAL,
        importance=_important(value),
        due=near,
        entities=names(c.third()),
    )


@rule(r"^I (?:am|will be|am going to be|will|am going) (?:to )?(?P<v>.+)$")
def going(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm flying to Paris on Friday; I'm going to run a marathon next year. Without a date it is no plan."""
    value = core(m["v"])
    future = re.match(r"^I (?:am going to|will|am going)\b", c.plain)
    if _CHAT.match(re.sub(r"^(?:be|going to)\s{1,9}", "", value)):
        return
    if (
        c.when
        and not c.when.over(c.at)
        and (
            future
            or re.match(
                r"\w+ing\b|off\b|away\b|in [A-Z]|out of town|on (?:vacation|holiday|leave|call)|busy|at (?:a|the)",
                value,
            )
        )
    ):
        if re.match(rf"(?:{FEELING})\b", value, re.I) and "busy" not in value:
            return
        far = c.when.grain in {"year"}
        yield c.fact(
            "goal" if far else "todo",
            re.sub(r"^going to (?:the )?", "go to ", value),
            kind=Kind.GOAL if far else Kind.TODO,
            importance=_important(value),
            due=not far,
            entities=names(c.third()),
        )
    elif re.match(
        r"^I am (?:moving|going|travell?ing|flying|relocating) (?:back )?to (?!bed|sleep|the (?:shop|store|gym|toilet|bathroom|kitchen)|work|school)\w",
        c.plain,
    ) and not re.match(r"^I am going to [a-z]+ ", c.plain):
        yield c.fact("goal", value, kind=Kind.GOAL, entities=names(c.third()))
    elif re.match(
        r"^I am (?:working on|writing|building|developing|designing|renovating|making) (?:an? |my |the |some )",
        c.plain,
    ):
        yield c.fact(
            "project",
            re.sub(r"^(?:working on|\w+ing) (?:an? |my |the )?", "", value),
            kind=Kind.GOAL,
            entities=names(c.third()),
            when=None,
        )
    elif m2 := re.match(
        r"^I am (?:going to (?:be )?|)(?:getting married|becoming a (?:father|mother|dad|mum|mom|parent)|expecting(?: a (?:baby|boy|girl|child))?|having a baby|run an? .*marathon|retire|retiring)",
        c.plain,
        re.I,
    ):
        yield c.fact("goal", m2[0].split(" ", 2)[-1], kind=Kind.GOAL, importance=HIGH, sensitivity=1)


@rule(
    r"^I (?:have )?(?:just |finally |recently |already )*(?P<v>(?:got|was|been) (?:promoted|accepted|hired|robbed|hospitali[sz]ed|into [A-Z].+)|graduated.*|retired.*|passed my .+|failed my .+|broke my .+|lost my .+|had (?:a baby|a son|a daughter|surgery|an accident|a miscarriage).*|won (?:the|a|an) .+|published .+|started (?:a|my) (?:company|business|startup|blog|podcast|phd|new school).*|finished (?:my|writing) .+|became an? .+|founded .+|adopted .+|sold my .+|ran (?:a|my first) .+|gave birth.*|got (?:my|a) (?:degree|license|licence|visa|green card|diploma|offer).*)$"
)
def milestone(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I graduated last year."""
    if not re.match(r"lost my (?:temper|mind|keys|phone|train|way|voice|appetite)", m["v"], re.I):
        yield c.fact("fact", m["v"], kind=Kind.FACT, importance=MEDIUM, entities=names(c.third()), sensitivity=1)


@rule(
    r"^I (?:have )?(?:just |recently |once |already )*(?:went|been|visited|travell?ed|flew|came back|returned|got back) (?:to|from)? ?(?P<v>(?-i:[A-Z])[\w' -]{1,9})$"
)
def trip(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I went to Japan last year."""
    yield c.fact("trip", core(m["v"]), kind=Kind.FACT, importance=LOW, entities=(core(m["v"]),))


@rule(
    rf"^I lost my (?P<v>{RELATION}|job)\b.*$",
)
def loss(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I lost my father."""
    yield c.fact("fact", m["v"], kind=Kind.FACT, importance=HIGH, sensitivity=1)


@rule(
    rf"^I (?:am|feel|have been feeling|am feeling|was|felt|have been) (?:so |very |really |a bit |a little |pretty |quite |kind of |super |extremely |rather |also )*(?P<f>{FEELING}) (?P<v>(?:about|because|that|for|with|over|at|of|since)\b.+)$"
)
def feeling(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm nervous about the exam: how things are, for a short while. A bare mood is not kept."""
    if m["f"].lower() in {
        "good",
        "great",
        "fine",
        "ok",
        "okay",
        "ready",
        "sorry",
        "sure",
        "here",
        "back",
        "late",
        "done",
        "free",
        "bad",
        "hungry",
        "thirsty",
        "glad",
        "curious",
        "well",
    }:
        return
    if len(m["v"].split()) > 1 and not re.match(r"(?:about|with|at|for) (?:it|that|this|you)$", m["v"], re.I):
        yield c.fact("mood", m["v"], kind=Kind.CONTEXT, importance=LOW, sensitivity=1, entities=names(c.third()))
