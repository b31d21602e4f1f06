"""English: who somebody is. Name, age, birthday, home, origin, work, studies, health, contact."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.dates import MONTHS
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import (
    CONDITION,
    FEELING,
    NATIONALITY,
    NOT_PROFESSION,
    PROFESSION,
    RELATION,
    core,
    items,
)
from memory.models import Importance, Kind

rule = Rules()
HIGH, LOW = Importance.HIGH, Importance.LOW
_NAME = r"(?P<v>[^\W\d_][\w'.-]*(?:\s+(?:de|van|von|der|del|la|bin|al|[A-ZÀ-Þ][\w'.-]*|[a-z]+)){0,3}?)"
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
    rf"^(?:I am|this is) (?P<v>[A-ZÀ-Þ][\w'-]+(?:\s+(?:de|van|von|O')?\s*[A-ZÀ-Þ][\w'-]+){{0,2}})(?: here| speaking)?$"
)
def name_short(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm Anna: only where it is written as a name."""
    value = m["v"]
    if value[:1].isupper() and not value.isupper() and not _IS_STATE.match(value):
        yield c.fact(
            "name", value, f"The user's name is {value}.", kind=Kind.IDENTITY, importance=HIGH, entities=(value,)
        )


def _person(value: str) -> str:
    value = re.sub(r"\s+(?:and|but|so|btw|by|from|in|i|nice|though|please)\b.*$", "", value, flags=re.I).strip(" .,'")
    return value if len(value) <= 60 else ""


@rule(
    r"^I (?:am|turned|just turned|will be|have turned|am turning) (?:now )?(?P<v>[1-9]\d?|1[01]\d|"
    + "twenty|thirty|forty|fifty|sixty|seventy|eighty|twenty-\\w+|thirty-\\w+|forty-\\w+|fifty-\\w+|sixty-\\w+"
    + r")(?: years? old| years? of age|yo| y/o)?(?: now| today| this year)?$",
    r"^my age is (?P<v>\d{1,3})$",
)
def age(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm 29."""
    if re.search(r"\b(?:turning|will be)\b", m[0]) and c.when:
        yield c.fact("event:birthday", f"{m['v']}th birthday", kind=Kind.CONTEXT, due=True)
        return
    yield c.fact("age", m["v"], f"The user is {m['v']} years old.", kind=Kind.IDENTITY, importance=Importance.MEDIUM)


@rule(
    r"^(?:my|and my) (?:birthday|bday|birth date|date of birth|dob)\b",
    r"^I was born(?: on| in)?\s*$",
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
    r"^I (?:have |just |have just |recently |have recently |finally |will )*(?:moved|relocated|move) (?:back )?(?:from (?P<old>[\w' .-]+?) )?to (?P<v>[^,]+)$"
)
def moved(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I moved to Munich: where one lives now."""
    place = re.sub(r"\s+(?:from|with|for|to be|because|where)\b.*$", "", core(m["v"]), flags=re.I)
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


@rule(
    r"^I (?:have been |have |do |am )?(?:currently |now |just )?(?:live|lives|living|lived|reside|am based|based) (?:at (?P<at>[^,]*\d.*)|(?:here )?in (?P<v>.+)|(?P<abroad>abroad|alone|by myself|on my own|near .+|with .+))$",
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
    place = re.sub(r"\s+(?:with|for|and|near|where|these)\b.*$", "", core(m["v"]), flags=re.I)
    if re.match(r"(?:fear|peace|hope|the (?:moment|past|present|future))\b", place, re.I) or not place:
        return
    if re.search(r"\blived\b", m[0]) and not re.search(r"\bhave\b", m[0]):
        yield c.fact("past:home", place, kind=Kind.FACT, importance=LOW, entities=(place,))
    elif re.search(r"\d{1,5}\s+\w+\s+(?:st|street|ave|avenue|road|rd|lane|drive|blvd)\b", place, re.I):
        yield c.fact("address", place, kind=Kind.IDENTITY, importance=HIGH, sensitivity=2)
    else:
        plain = f"The user lives in {place}." if not c.denied and not c.ended else None
        with_more = c.third() if re.search(r"\b(?:with|for|near)\b", m["v"]) or c.here else None
        yield c.fact("home", place, with_more or plain, kind=Kind.IDENTITY, importance=HIGH, entities=(place,))


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
    r"^I (?:got|have|found|started|accepted|took) an? (?:new )?(?:job|position|role) (?:as (?:an? )?(?P<v>[^,]+?))?(?: ?(?:at|for|with) (?P<e>[^,]+))?$",
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
    r"^I (?:work|am working|have worked|have been working|am employed|started working|started)(?: now)? (?P<p>at|for|in|with) (?P<v>[^,]+?)(?: as (?:an? |the )?(?P<j>[^,]+))?$"
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
    r"^I (?:am|am now|was) (?:an? |the )(?P<v>[^,]+)$",
    r"^I am (?P<v>self-employed|retired|freelance|freelancing|(?:head|ceo|cto|cfo|founder|co-founder) of .+)$",
)
def role(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm a software engineer: a job, if it is one; `I'm a vegan` is not."""
    value = core(m["v"])
    if NOT_PROFESSION.search(value) or re.search(r"\bwas\b", m[0]):
        return
    head = re.split(r"\s+(?:at|in|for|of|with|from|who)\s+", value)[0]
    if not PROFESSION.search(head) and not re.match(r"(?:self|retired|freelanc|head)", value, re.I):
        return
    place = re.search(r"\s(?:at|for)\s+(?P<e>.+)$", value)
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


@rule(
    r"^I (?:am|have been) (?:\w+ly )?allergic to (?P<v>.+)$",
    r"^I have (?:an? |got an? )?(?:\w+ )?allergy to (?P<v>.+)$",
    r"^I have an? (?:severe |bad |mild |strong |serious |life-threatening |slight )*(?P<v>[\w ]+?) allergy$",
    r"^I have (?P<v>[\w ]+?) allergies$",
    r"^my allerg(?:y|ies)(?: is| are| include) (?:to )?(?P<v>.+)$",
)
def allergy(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm allergic to peanuts and penicillin: one fact each."""
    for item in items(m["v"]):
        if item.lower() in {"bad", "seasonal", "severe", "many", "no", "some"}:
            item += " allergies"
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
    rf"^I (?:have|suffer from|was diagnosed with|got diagnosed with|am diagnosed with|have been diagnosed with|struggle with|live with) (?P<v>(?:mild |severe |chronic )?{CONDITION})(?:\s+and\s+(?P<w>{CONDITION}))?$",
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
    r"^I (?:have )?(?:just )?(?P<v>broke up|broken up|split up|am seeing someone)(?: with (?P<w>.+))?$",
)
def marital(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I'm married to Tom."""
    if "getting" in m[0]:
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
