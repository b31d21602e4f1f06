# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English: the people and animals in somebody's life, their names, and what is said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import FEELING, PETS, RELATION, SHARED, core, names
from memory.models import Importance, Kind
from memory.text.dates import MONTHS

rule = Rules()
_NAME = r"(?:[A-ZÀ-Þ][\w'.-]*(?:\s{1,9}[A-ZÀ-Þ][\w'.-]*){0,2})"
_LOOSE_NAME = r"[\w'.-]+(?:\s{1,9}[A-ZÀ-Þ][\w'.-]*){0,2}"
_YEARS = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)"
_AGED = rf"(?:(?P<y>{_YEARS})[- ](?P<u>year|month|week)s?[- ]old )?"
_COUNT = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|no|several|a few|some|many)"


def relation(word: str) -> str:
    """The slot of a relation: singular, without `late` or `dear`."""
    word = re.sub(r"^(?:late|dear|beloved|lovely)\s{1,9}", "", word.lower().strip())
    word = {
        "mum": "mother",
        "mom": "mother",
        "mama": "mother",
        "dad": "father",
        "papa": "father",
        "puppy": "dog",
        "kitten": "cat",
        "kitty": "cat",
    }.get(word, word)
    if word.endswith("children"):
        return word[:-3]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "boss", "in-laws")) else word


def _related(c: Clause, rel: str, value: str, text: str | None = None) -> Fact:
    single = not SHARED.search(rel)
    pet = bool(PETS.search(rel))
    return c.fact(
        f"relation:{relation(rel)}",
        value,
        text,
        kind=Kind.FACT,
        importance=Importance.HIGH,
        single=single or c.corrects,
        entities=(value,) if value else (),
        sensitivity=0 if pet else 1,
    )


def _listed(text: str) -> list[str]:
    found = [
        n.strip()
        for n in re.split(r"\s{0,9},\s{0,9}(?:and\s{1,9})?|\s{1,9}and\s{1,9}|\s{0,9}&\s{0,9}", core(text))
        if n.strip()
    ]
    return found if all(re.fullmatch(_LOOSE_NAME, n) for n in found) else []


@rule(
    rf"^my (?P<r>{RELATION})'s? (?:full |first )?names? (?:is|are|was) (?P<v>{_LOOSE_NAME}(?:(?:,| and) {_LOOSE_NAME})*)$",
    rf"^my (?P<r>{RELATION}) (?:is|are) (?:called|named) (?P<v>{_LOOSE_NAME}(?:(?:,| and|, and) {_LOOSE_NAME})*)$",
    rf"^the names? of my (?P<r>{RELATION}) (?:is|are) (?P<v>{_LOOSE_NAME}(?:(?:,| and) {_LOOSE_NAME})*)$",
)
def named(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My sister's name is Mia; my cats are called Miso and Tofu."""
    rel, found = m["r"], _listed(m["v"])
    if len(found) == 1 and not re.match(r"(?:not|a|an|the|so|very|too)\b", found[0], re.I):
        text = (
            f"The user's {rel} is called {found[0]}."
            if not rel.lower().endswith("s") or rel.lower() == "boss"
            else None
        )
        yield _related(c, rel, found[0], text)
    for n in found if len(found) > 1 else []:
        yield replace(_related(c, rel, n, f"The user has a {relation(rel)} called {n}."), single=False)


@rule(
    rf"^I (?:have|have got|own|adopted|got|just got|just adopted|also have) (?:an? |my |one ){_AGED}(?:(?!in |with |from |for |at |on |about )[\w-]+ ){{0,3}}?(?P<r>{RELATION})(?:,? (?:called|named|whose name is|who is called|by the name of)|,) (?P<v>{_LOOSE_NAME}(?:(?:,| and) {_NAME})*)$"
)
def has_named(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I have a dog called Rex; I have a five-year-old son called Leo."""
    for n in _listed(m["v"]):
        told = None if m["y"] else f"The user has a {m['r'].lower()} called {n}."
        yield replace(_related(c, m["r"], n, told), single=False)
    if m["y"]:
        yield _aged(m, c)


def _aged(m: re.Match[str], c: Clause) -> Fact:
    """The age in `a five-year-old son`: another thing that the same words say."""
    rel, pet = relation(m["r"]), PETS.search(m["r"])
    years = m["y"] if m["u"].lower() == "year" else f"{m['y']} {m['u']}s"
    return c.fact(f"about:{rel}:age", years, kind=Kind.FACT, single=True, sensitivity=0 if pet else 1)


@rule(
    rf"^I (?:have|have got|own|also have|got) (?P<n>{_COUNT}) (?:\w+ )?(?P<r>{RELATION})(?:(?:,| called| named|, called|, named|:) (?P<v>.+))?$"
)
def has_many(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I have two kids, Tom and Lea."""
    rel = relation(m["r"])
    yield c.fact(
        f"count:{rel}",
        m["n"],
        kind=Kind.FACT,
        importance=Importance.HIGH,
        single=True,
        sensitivity=1,
        entities=names(c.third()),
    )
    for n in _listed(m["v"] or ""):  # one memory says it all, so each fact has the words of the whole
        yield replace(_related(c, rel, n), single=False)


@rule(
    rf"^I (?:have|own|adopted|got|just got|just adopted) (?:an? |my ){_AGED}(?P<d>(?:(?!with |of |for |to |in |on |about |from |at )[\w-]+ ){{0,3}}?)(?P<r>{RELATION})(?P<more>\b.*)?$"
)
def has_one(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """I have a younger brother (who lives in Rome)."""
    if re.search(
        r"\b(?:appointment|meeting|interview|problem|question|allergy|session|exam|visit|call)\b",
        m["more"] or "",
        re.I,
    ):
        return
    rel = relation((m["d"] if re.search(r"older|younger|twin|step|half|big|little", m["d"] or "") else "") + m["r"])
    yield c.fact(
        f"count:{rel}", "one", kind=Kind.FACT, importance=Importance.MEDIUM, sensitivity=1, entities=names(c.third())
    )
    if m["y"]:
        yield _aged(m, c)


@rule(
    rf"^my (?P<r>{RELATION}) (?:is|are) (?P<v>{_NAME})$",
    rf"^(?P<v>{_NAME}) is my (?P<r>{RELATION})$",
    rf"^(?:this is|meet) my (?P<r>{RELATION}),? (?P<v>{_NAME})$",
    rf"^I (?:am )?(?:married|engaged) to (?P<v>{_NAME})(?P<r>)$",
)
def is_named(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """Tom is my brother."""
    value = m["v"]
    if not value[:1].isupper() or re.match(rf"(?:{FEELING}|not|a|an|the|he|she|it|that|this|they|I)\b", value, re.I):
        return
    if not m["r"]:
        yield c.fact(
            "relation:spouse", value, kind=Kind.FACT, importance=Importance.HIGH, entities=(value,), sensitivity=1
        )
        return
    yield _related(c, m["r"], value, f"The user's {m['r'].lower()} is called {value}.")


@rule(
    rf"^my (?P<r>{RELATION})(?:,? (?P<n>(?-i:{_NAME})),?)? (?P<p>(?:has |have )?(?:passed away|died)|(?:is|are|was|were) (?:dead|getting married|pregnant|expecting)|(?:just )?had a baby)(?P<x>.*)$"
)
def event_of(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My grandmother passed away; my wife Sarah is expecting: that she is called so, too."""
    if m["n"]:
        yield replace(_related(c, m["r"], m["n"], f"The user's {m['r'].lower()} is called {m['n']}."), when=None)
    yield c.fact(
        f"about:{relation(m['r'])}:{m['p'].split()[-1]}",
        m["p"],
        kind=Kind.FACT,
        importance=Importance.HIGH,
        sensitivity=1,
        entities=(m["n"],) if m["n"] else (),
    )


@rule(rf"^my (?P<r>{RELATION})$")
def mentioned(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """… and our son, at the end of a list of who lives there."""
    if not m["r"].lower().endswith(("s", "children", "people")):
        yield c.fact(f"count:{relation(m['r'])}", "one", f"The user has a {m['r']}.", kind=Kind.FACT, sensitivity=1)


_PASSING = re.compile(
    rf"\b(?:(?:my|our)|(?:have|got|adopted|bought|rescued) an? (?:[\w-]+ ){{0,2}}?) ?(?P<r>{RELATION}),? (?P<n>(?-i:[A-ZÀ-Þ][a-zà-ÿ'-]+))\b(?!'s)(?! (?:and|or) (?-i:[A-Z]))",
    re.I,
)
_NO_NAME = re.compile(
    r"(?:I|I'm|I've|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?$|(?:January|February|March|April|May|June|July|August|September|October|November|December)$"
)


def in_passing(c: Clause, found: list[Fact]) -> Iterator[Fact]:
    """My manager Dave took the credit: whatever he did, that the manager is called Dave."""
    for m in _PASSING.finditer(c.plain):
        told = {f.value for f in found if f.family == "relation"}
        if not _NO_NAME.match(m["n"]) and not any(m["n"] in v for v in told):
            yield replace(
                _related(
                    replace(c, denied=False, ended=False),
                    m["r"],
                    m["n"],
                    f"The user's {m['r'].lower()} is called {m['n']}.",
                ),
                when=None,
                single=False,
                holds=True,
            )


_SAYS = {
    "birthday": r"^'s birthday is",
    "home": r"^ (?:(?:just|recently|also|now|still|already) )?(?:lives?|is living|are living|moved|is based) (?:in|to)\b",
    "job": r"^ (?:(?:works?|is working) as\b|is an? )",
    "employer": r"^ (?:works?|is working) (?:at|for)\b",
    "study": r"^ (?:stud(?:y|ies)|is studying)\b",
    "age": rf"^ (?:is|are|just turned|turned|will be|turns) {_YEARS}\b(?! (?:of|times|feet|foot|cm|meters|metres))",
    "allergy": r"^ (?:is|are) (?:\w+ly )?allergic\b",
    "fear": r"^ (?:is|are) (?:really |very |so )?(?:scared|afraid|terrified|frightened) of\b",
    "like": r"^ (?:really |also )?(?:likes?|loves?|enjoys?|adores?|hates?|dislikes?|does not like|prefers?)\b",
    "skill": r"^ (?:speaks?|plays?|can|teaches|knows)\b",
    "has": r"^ (?:has|have|owns?)\b",
    "breed": r"^ (?:is|are) (?:an? |the )?[\w-]+",
}


@rule(
    rf"^(?:my|our) (?P<r>{RELATION})(?:,? (?P<n>(?-i:{_NAME})),?)?(?P<rest>(?:'s birthday is| (?:(?:just|recently|also|now|still|really|already|always) )?(?:is|are|was|has|have|likes?|loves?|enjoys?|adores?|hates?|dislikes?|does not like|prefers?|lives?|works?|stud(?:y|ies)|speaks?|plays?|can|owns?|teaches|moved|turned|just turned|got|knows)\b).*)$"
)
def about(m: re.Match[str], c: Clause) -> Iterator[Fact]:
    """My friend Tom likes sushi: a fact about the friend."""
    rel, rest = relation(m["r"]), m["rest"]
    if m["n"]:
        yield replace(_related(c, m["r"], m["n"], f"The user's {m['r'].lower()} is called {m['n']}."), single=False)
    if re.match(
        rf"^ (?:is|are|was) (?:so |very |really |a bit )?(?:{FEELING}|here|there|coming|visiting|on|in|at|\w+ing)\b",
        rest,
        re.I,
    ) and not re.match(
        r"^ (?:is|are) (?:living|working|studying|sick|ill|in [A-Z]|(?:\w+ )?(?:scared|afraid|terrified) of)", rest
    ):
        if c.when and not c.when.over(c.at):
            who = m["n"] or m["r"]
            yield c.fact(
                f"event:{who.lower()} {rest.split()[1] if len(rest.split()) > 1 else ''}",
                c.plain,
                kind=Kind.TODO,
                due=True,
                entities=(m["n"],) if m["n"] else (),
            )
        return
    what = next((k for k, p in _SAYS.items() if re.search(p, rest, re.I)), "")
    if what == "job" and PETS.search(rel):
        what = "breed"
    if not what or re.search(r"\b(?:right|wrong|just|always) (?:now|about)\b", rest):
        return
    who = f"{rel} {m['n'].lower()}" if m["n"] and SHARED.search(rel) else rel
    single = what in {"birthday", "home", "job", "employer", "study", "age"}
    value = re.sub(
        r"^(?:'s birthday is|\s{0,9}(?:is|are|has|have|\w+s|does not like)\b(?: (?:\w+ly )?(?:an?|the|in|at|for|as|to|allergic)\b)*)\s{0,9}",
        "",
        rest,
    ).strip()
    told = None
    if what == "birthday":
        if c.when is None or c.when.grain != "day":
            return
        value = f"{c.when.at.day} {MONTHS[c.when.at.month - 1]}"
        told = f"The user's {m['r']}'s birthday is {value}."
    if what != "age" and (
        y := re.match(rf" (?:is|are) (?:an? )?(?P<y>{_YEARS})[- ](?P<u>year|month|week)s?[- ]old\b", rest, re.I)
    ):
        years = y["y"] if y["u"].lower() == "year" else f"{y['y']} {y['u']}s"
        yield c.fact(f"about:{who}:age", years, kind=Kind.FACT, single=True, sensitivity=0 if PETS.search(rel) else 1)
        what = "breed"
    yield c.fact(
        f"about:{who}:{what}",
        core(value),
        told,
        kind=Kind.FACT,
        importance=Importance.MEDIUM,
        single=single,
        entities=((m["n"],) if m["n"] else ()) + tuple(n for n in names(c.third()) if n != m["n"]),
        sensitivity=0 if PETS.search(rel) else 1,
    )
