"""English words that decide how sentences are compared: dropped, with a role, numbers, dates, units."""

from __future__ import annotations

import re
from typing import Final

from memory.text.en import dates

# Without a role and without content. `was` and `had` are not here: what was so need not be so now.
DROPPED: Final = frozenset(
    """a an the am is are be being i my do does that which really just very actually honestly basically literally
    currently nowadays now also quite still per pretty""".split()  # noqa: SIM905 - words read as words
)
# Who does what to whom, and in which direction: two sentences that say the same have the same ones.
ROLES: Final = frozenset(
    """'s me from to into onto over under above below than before after by with without since until till left right
    more less for against through off out up down not never no only""".split()  # noqa: SIM905 - words read as words
)
ADJUNCTS: Final = frozenset(
    """in on at from to with before after since until during for by near every last next this today tomorrow yesterday
    usually sometimes often when while because if twice once""".split()  # noqa: SIM905 - words read as words
)
COORDINATORS: Final = frozenset({"and", "or", "nor", "&"})
RESPECTIVELY: Final = "respectively"
BEFORE_INFINITIVE: Final = frozenset(
    "like love hate prefer start begin continue dislike need want try plan stand enjoy".split()  # noqa: SIM905 - words read as words
)
OPENING: Final = re.compile(
    r"^(?:(?:well|oh|yeah|yes|okay|ok|so|(?:just so )?you know|i mean|honestly|actually|frankly|anyway|by the way|btw"
    r"|fyi|to be honest|please|(?:(?:can|could) you )?(?:please )?(?:remember|note|keep in mind|do not forget)"
    r"(?: that|[:,]|(?= (?:i|my|user)\b)))(?![a-z])[,:\s]{0,3}){1,3}"
    r"|,? (?:please|by the way|btw|you know|though|yes|yeah|thanks|thank you|lol|haha)\W{0,3}$"
)
SUBJECT: Final = (
    (re.compile(r"\b(?:the user|^user)'s\b"), "my"),
    (re.compile(r"^(?:the )?user\b"), "i"),
    (re.compile(r"\bthe user\b"), "me"),
    (re.compile(r"\b(?:myself|mine)\b"), "me"),
    (re.compile(r"\bme and my\b"), "my"),
)
MONTHS: Final = [m.lower() for m in dates.MONTHS]
DAYS: Final = [d.lower() for d in dates.WEEKDAYS]
SHORT: Final = (  # contractions; 's is a possessive unless a pronoun stands before it
    (re.compile(r"\b(ca|wo|do|does|did|is|are|was|were|has|have|could|would|should)nt\b"), r"\1n't"),
    (re.compile(r"\bi(m|ve)\b"), r"i'\1"),
    (re.compile(r"\bcan(?:not|'t)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(it|that|he|she|there|what|who|here|name|birthday)'s\b"), r"\1"),
    *(
        (re.compile(rf"\b{pair.split('=')[0]}\b"), pair.split("=")[1])
        for pair in (  # noqa: SIM905 - words read as words
            "'m= am|'re= are|'ve= have|'ll= will|'d= would|has=have|gonna=going to|anymore=any more|till=until"
            "|daily=every day|twice=2 times|noon=12:00|midnight=0:00"
        ).split("|")
    ),
    (re.compile(r"\bwould like\b|\bwanna\b(?! be)"), "want"),
    (re.compile(r"'s (?=(?:called|named|an?|the|not|in|on|at|from|with|[a-z]{2,20}ing|\d{1,4})\b)"), " is "),
    (re.compile(r"'s name is\b|\b(?:is|are|am|be|being) (?:called|named)\b"), " named"),
    (re.compile(r"\b(an? [a-z-]{2,20}) called\b"), r"\1 named"),
    (re.compile(r"^([\w ]{2,30}) (?:is|are) my (favou?rite [\w ]{2,24})$"), r"\2 is \1"),
    (re.compile(r"\bhave got\b"), "have"),
    (re.compile(r"^i and (my [a-z]{2,20})"), r"\1 and i"),
    (re.compile(r"(?<=[es]) it when\b"), " when"),
    (re.compile(r"\bhave (?:not got|no)\b(?! longer)"), "not have"),
    # What lasts; what was done once, but not what was done for a time.
    (
        re.compile(
            r"\bhave been (?![a-z]{2,20}(?:ed|en)\b(?! for (?:\d|[a-z]{3,9} year)))(?=[^,.]{1,60}\b(?:since|for)\b)"
        ),
        "",
    ),
    (re.compile(r"\bhave (?!named)(?=[a-z]{2,20}ed\b(?![^.]{0,80}\b(?:for|since)\b))"), ""),
    (re.compile(r"\b(?:was|were) (?=born\b|[a-z]{2,20}ed\b)"), ""),
    (re.compile(r"\b(?:as well as|plus)\b"), "and"),
    (re.compile(r"\b(?:these days|at the moment|right now|kind of|sort of)\b"), ""),
    (re.compile(r"\beach\b|\b(?:a|per)(?= (?:day|week|month|year)\b)"), "every"),
    (re.compile(r"\b(week|month|year)ly\b"), r"every \1"),
    (re.compile(r"\bonce every\b|\bevery every\b"), "every"),
    (re.compile(r"\bevery (?:other|2th|2|two) (day|week|month|year)s?\b"), r"every 2 \1"),
    (re.compile(rf"\bevery ({'|'.join(DAYS)})\b"), r"\1s"),
    (re.compile(r"\bfrom (?=\d{1,2}(?::\d\d|\s?[ap]m) to \d)"), ""),
    (re.compile(r"[ -]years?[ -]old(?=\W{0,3}$)"), ""),
    (re.compile(r"\b([12])\.(\d\d) ?m(?:et(?:er|re)s?)?\b"), r"\1\2 cm"),
    (re.compile(r"(?<=\d)k\b"), " thousand"),
    (re.compile(r"(?<=\d) ?o'clock\b"), ":00"),
    (re.compile(r"(?<=\d) in the morning\b"), "am"),
    (re.compile(r"(?<=\d) in the (?:afternoon|evening)\b"), "pm"),
)
SPELLING: Final = (  # British and American forms of one word
    (re.compile(r"(?<=[a-z]ing)s$"), ""),
    (re.compile(r"^practis"), "practic"),
    (re.compile(r"^(learn|burn|dream|spel|lean|spoil)t$"), r"\1ed"),
    (re.compile(r"(?<=[a-z]{2})our(?=[a-z]|$)"), "or"),
    (re.compile(r"tre(?=s?$)"), "ter"),
    (re.compile(r"([iy])s(?=(?:e[sd]?|ing|ations?)$)"), r"\1z"),
    (re.compile(r"ence(?=s?$)"), "ense"),
    (re.compile(r"ogue(?=s?$)"), "og"),
    (re.compile(r"ll(?=(?:ed|ing|ers?)$)"), "l"),
    (re.compile(r"^programme"), "program"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"^mum(?=s?$|my)"), "mom"),
)
UNITS: Final = {
    word: words.split(",")[0]
    for words in (  # noqa: SIM905 - words read as words
        "mg,milligram,milligramme g,gram,gramme kg,kilo,kilogram km,kilometer,kilometre m,meter,metre"
        " cm,centimeter,centimetre l,liter,litre ml,milliliter,millilitre h,hr,hour min,minute %,percent"
        " €,eur,euro $,usd,dollar,buck £,gbp,pound,quid"
    ).split()
    for word in words.split(",")
}
