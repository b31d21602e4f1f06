# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English sentences cut into clauses: openings and marks noted, dates taken out, missing subjects put back."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from bot.llm.companion.clause import Clause
from bot.llm.companion.person_en import expand, singular_verb
from bot.llm.companion.reference import told_of, whom
from memory.text import dates

_OPENING = re.compile(
    r"^(?:(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening)|oh|ah|um+|uh+|hmm+|well|so|ok|okay|yes|yeah|yep|yup|sure|also|and|but|plus|then|now|ps|p\.s|fyi|"
    r"by the way|btw|just so you know|for the record|to be honest|tbh|honestly|frankly|personally|you know|you see|in fact|as you know|as i said|"
    r"like i said|i think|i guess|i believe|i mean|i must say|i have to say|i should mention|i should say|i forgot to (?:say|mention|tell you)|"
    r"let me tell you|did you know|fun fact|funny thing|one more thing|another thing|anyway|look|listen|guess what|thanks|thank you|"
    r"(?:nice|great|good|pleased) to (?:meet|see) you(?: too)?|i want(?:ed)? to tell you(?: that)?|i (?:just )?want(?:ed)? you to know(?: that)?|"
    r"(?:please )?(?:remember|note|keep in mind|do not forget|remember this|don't forget)(?: that)?|ebb|my friend|apparently|luckily|sadly|unfortunately|"
    r"because|since|ever since|although|though|while|however|first|firstly|second|secondly|finally|lately|recently|these days|nowadays|currently|today)"
    r"(?:\s{0,9}[,:!.…-]+\s{0,9}|\s{1,9}(?=(?:i|my|we|our|it|the|she|he|they|you|there|call|on|that|this|this is|remember|please|because|actually|no|in|at)\b))(?:that\s{1,9}(?=(?:i|my|we)\b))?)",
    re.I,
)
_CORRECTION = re.compile(
    r"^(?:actually|no|nope|no no|wait|sorry|oops|correction|to correct (?:myself|that|you)|let me correct (?:myself|that|you)|i made a mistake|my mistake|my bad|"
    r"that(?: i|')s (?:not (?:right|true|correct)|wrong|incorrect|a mistake)|that is (?:not (?:right|true|correct)|wrong|incorrect)|(?:you are|you have it|you got (?:it|that)) wrong|not true|wrong|"
    r"i (?:mis-?spoke|was wrong)|i meant(?: to say)?(?: that)?|i mean|rather|scratch that|strike that|update|edit)(?:\s{0,9}[,:.!;-]+\s{0,9}|\s{1,9}(?=(?:i|my|it|the|she|he|we|that|not|actually|sorry|wait|i meant)\b)|$)",
    re.I,
)
_ACTUALLY = re.compile(r"(?:^|\s|,\s{0,9})actually\b,?\s{0,9}|,?\s{0,9}(?:actually|instead)$", re.I)
_AGAIN = re.compile(r"\b(?:still|as always|as ever)\s{1,9}(?=\w)", re.I)
_NO_MORE = re.compile(r",?\s{0,9}\b(?:any\s?more|any longer|no longer|not now)\b\.?", re.I)
_LATELY = re.compile(
    r",?\s{0,9}\b(?:lately|these days|recently|at the moment|right now|for now|currently|nowadays)\b,?\s{0,9}", re.I
)
_NOT_X = re.compile(
    r"\s{0,9}(?:(?:,\s{0,9}(?:and\s{1,9}|but\s{1,9})?|\s{1,9}and\s{1,9}|(?<=[\ue100-\ue13f])\s{1,9})not|,?\s{1,9}instead of|,?\s{1,9}rather than)\s{1,9}(?P<old>(?:on\s{1,9}|in\s{1,9}|at\s{1,9})?[\w'\ue100-\ue13f][\w' .\ue100-\ue13f-]{0,40})$",
    re.I,
)
_NOT_BUT = re.compile(
    r"\bnot\s{1,9}(?P<old>[\w' .\ue100-\ue13f-]{1,40}?)\s{0,9},?\s{0,9}(?:but(?: rather)?|it is)\s{1,9}(?P<new>[^,]+)$",
    re.I,
)
_PAST = re.compile(
    r"\b(?:(?:was|were)(?! (?:moved|rescheduled|postponed|pushed|changed|set|planned))|went|did|had|visited|(?<!was )(?<!been )(?<!got )(?<!they )(?<!they have )moved|started|ago|born|got(?! (?:moved|rescheduled|postponed|pushed|changed))|met|bought|graduated|finished|joined|quit|broke|lost|married|divorced|passed|died|"
    r"became|switched|adopted|saw|came|took|ran|won|lived|worked|studied|happened)\b",
    re.I,
)
_VERB = (
    r"(?:really |also |still |just |absolutely |now |always |usually |never |sometimes |currently |do not |cannot |only )*"
    r"(?:likes?|loves?|hates?|dislikes?|enjoys?|prefers?|adores?|lives? (?:in|at|with)|works? (?:as|at|for|in|with)|stud(?:y|ies) |speaks?|am|is|"
    r"used to|has|have (?:a|an|two|three|four|one|been|to|no|\d)|own|was born|moved|want to|need to|plan to|hope to|grew up|drive|teach|"
    r"cannot (?:stand|eat|drink)|do not (?:like|eat|drink|have|want)|eat no|play(?:s)? (?:the|in)|collect|come from|decided)"
)
_SPLIT = re.compile(
    r"\s{0,9}[;–—]\s{0,9}|\s{1,9}-\s{1,9}"
    r"|\s{0,9},\s{0,9}(?:and\s{1,9}|but\s{1,9}|so\s{1,9}|though\s{1,9}|also\s{1,9}|while\s{1,9}|and\s{1,9}also\s{1,9}|plus\s{1,9}|and\s{1,9}so\s{1,9})*(?=(?:i|i am|my|we|our|she|he|they|it is|(?:please )?call me|people call|used to|the|there is|(?:his|her|its|their) (?:names?|birthday|job|age)|name is|names are|\d+ (?:years|months) old)\b)"
    r"|\s{1,9}(?:and|but|so|though|while|plus|whereas|and so|and also|yet)\s{1,9}(?:(?:now|then|later)\s{1,9}(?=I\b))?(?=(?:i|my|we|our|call me|she|he|they|you can call|(?:his|her|its|their) (?:names?|birthday|job|age)|name is)\b(?!\s{1,9}and\s{1,9}i\b))"
    rf"|\s{{0,9}},?\s{{1,9}}(?:and|but)\s{{1,9}}(?:then\s{{1,9}}|also\s{{1,9}})?(?={_VERB}\b)"
    rf"|\s{{0,9}},\s{{0,9}}(?={_VERB}\b)",
    re.I,
)
_INFINITE = re.compile(r"\b(?:to|will|would|can|could|should|must|not only|cannot)\s{1,9}(?:\w+\s{1,9}){1,8}$", re.I)
_SUBJECT = re.compile(
    r"^(?:I|we|my (?:[\w-]+ ){0,3}?[\w-]+(?=\s{1,9}(?:is|are|was|has|likes?|loves?|hates?|lives?|works?|stud|speaks?|plays?|moved|enjoys?|wants?))|she|he|they)\b",
    re.I,
)
_PRONOUN = re.compile(r"^(she|he|they)\b", re.I)


def _opened(text: str) -> tuple[str, bool]:
    """The sentence without its openings, and whether one of them marks a correction."""
    corrects = False
    for _ in range(8):
        before = text
        if marked := _CORRECTION.match(text):
            corrects, text = True, text[marked.end() :]
        elif opening := _OPENING.match(text):
            text = text[opening.end() :]
        if text == before:
            break
    if re.search(r"\bactually\b", text, re.I) or re.search(r"\binstead$", text, re.I):
        corrects = True
        text = _ACTUALLY.sub(" ", text).strip()
    return text.strip(" ,:"), corrects


_NAMING = re.compile(
    r"\b(?:likes?|loves?|enjoys?|adores?|hates?|dislikes?|prefers?|favou?rite [\w ]{1,9} (?:is|are)|called|named|names? (?:is|are)|fan of|watch(?:ing)?|read(?:ing)?|listen(?:ing)? to|"
    r"obsessed with|into|and|over|than)\s{1,9}(?:the\s{1,9}|\w+\s{1,9})?$",
    re.I,
)
_SAID_AS_DATE = re.compile(
    r"^(?:on|in|at|by|since|until|till|before|after|next|last|this|tomorrow|tonight|today|yesterday|the day|from|over|around|\d)\b",
    re.I,
)


def _is_name(text: str, w: dates.When) -> bool:
    """`I love Christmas`, `my cat is called May`: a word that is liked or a name, no date."""
    return bool(_NAMING.search(text[: w.start])) and not _SAID_AS_DATE.match(text[w.start : w.end])


def _holes(text: str, at: datetime, past: bool) -> tuple[str, tuple[dates.When, ...]]:
    found = dates.find(text, at, "en", past=past)
    whens = tuple(w for w in found if not _is_name(text, w))[:32]
    for i in range(len(whens) - 1, -1, -1):
        w = whens[i]
        text = f"{text[: w.start]} {chr(0xE100 + i)} {text[w.end :]}"
    return re.sub(r"\s{1,9}([,.])", r"\1", re.sub(r"\s{1,9}", " ", text)).strip(" ,"), whens


_GAVE_UP = re.compile(
    r"^(?:I )?(?:(?:have|then|finally|eventually|just|later|since)\s{1,9})*(?:quit|stopped|g[ai]ven? (?:it |that |them )?up|do not any ?more|no longer do)(?: it| that| them| since)*[\s\ue100-\ue13f]{0,9}$",
    re.I,
)


def _pieces(text: str) -> list[str]:
    """Clauses, each with a subject: its own, or the one before it."""
    cuts: list[tuple[int, int]] = []
    for m in _SPLIT.finditer(text):
        tail = text[m.end() :]
        bare = re.match(rf"{_VERB}\b", tail, re.I) and not re.match(r"(?:i|my|we|she|he|they)\b", tail, re.I)
        start = cuts[-1][1] if cuts else 0
        if bare and (
            _INFINITE.search(text[start : m.start()] + " ")
            or not re.search(r"\b(?:I|we|my)\b", text[: m.start()], re.I)
        ):
            continue
        if re.fullmatch(r"\s{0,9}my [\w-]+(?: [\w-]+)?", text[start : m.start()], re.I) and re.match(r"I\b", tail):
            continue
        if m.start() > start:
            cuts.append((m.start(), m.end()))
    out: list[str] = []
    start, subject, about = 0, "", ""
    who: frozenset[str] = frozenset()
    for a, b in [*cuts, (len(text), len(text))]:
        piece = text[start:a].strip(" ,")
        start = b
        if not piece:
            continue
        if re.match(rf"{_VERB}\b", piece, re.I) and not _SUBJECT.match(piece) and subject:
            theirs = len(who) == 1 and subject.lower() in {"i", "we"} and singular_verb(piece.split()[0])
            piece = f"{'my ' + next(iter(who)) if theirs else subject} {piece}"
        piece = told_of(piece, who, own=True)
        if about and (p := _PRONOUN.match(piece)) and p[1].lower() != "they":
            piece = about + piece[p.end() :]
        if named := _SUBJECT.match(piece):
            subject = named[0]
        if out and _GAVE_UP.match(piece) and re.match(r"I (?:used to|have been|smoked|drank|was)\b", out[-1], re.I):
            out[-1] += f", but {piece}"  # what was given up is what was spoken of
            continue
        who = whom(piece) or who
        if one := re.match(
            r"^(?:I have an? (?P<a>[\w -]{2,24}?)(?:\s{1,9}(?:called|named|who|and|,)|$)|(?P<b>my [\w -]{2,24}?) (?:is|has|likes|lives|works)\b)",
            piece,
            re.I,
        ):
            about = one["b"] or f"my {one['a']}"
        out.append(piece)
    return out


_SPELLED = re.compile(
    r",?\s{1,9}\(?(?:(?:and |but )?(?:it is |it's |that is |that's )?(?:spel(?:led|t)|written)\b[^.!?]*|(?:with(?:out)?|no|minus) (?:an? |any |one |two |a single |a double |the )?(?:(?-i:[A-Z])|(?<=an )[a-z]|(?<=a )[a-z]|(?<=without )[a-z]|(?<=one )[a-z]|(?<=two )[a-z]|(?<=double )[a-z]|(?<=no )[a-z])(?:'?s)?(?: at the end| in it| in the middle)?)\)?$",
    re.I,
)


def _mine(m: re.Match[str]) -> str:
    """What was begun with its verb, begun with `I`."""
    return f"I {m[1][:1].lower()}{m[1][1:]}{' ' if m[0].endswith(' ') else ''}"


_TYPED: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"^(?:你好|您好|嗨|哈喽)[\s,，!！]{0,9}"), ""),
    (re.compile(r"\bfave?\b", re.I), "favourite"),
    (re.compile(r"\b(?:luv|lurv|loooo*ve|lovee+)\b", re.I), "love"),
    (re.compile(r"\b(?:dnt|dun|don t|dont)\b", re.I), "do not"),
    (re.compile(r"\bbday\b", re.I), "birthday"),
    (re.compile(r"^((?:hi|hello|hey)[\s,!]{1,9})?((?:I am|I'm) (?-i:[A-Z])\w+) from (?=(?-i:[A-Z]))", re.I), r"\2, I am from "),
    (re.compile(r", (?:currently |now )?(?P<v>liv|work|study)ing (?=in|at|as|for)", re.I), lambda m: f", I {'live' if m['v'].lower() == 'liv' else m['v'].lower()} "),
    (re.compile(r"^(my [\w' -]{2,24}): ", re.I), r"\1 is "),
    (re.compile(r"^((?:I am|I'm|im) [^,]{1,24}),? (?:and )?born (?=on|in)", re.I), r"\1, I was born "),
    (re.compile(r"^(?:just |finally |i )?(got|bought|adopted|moved|started|quit|booked|lost) (?=(?:an?|the|my|to|into|laid off|fired|divorced|engaged|married|promoted|made redundant)\b)", re.I), _mine),
    (re.compile(r"^been (?=(?:an?|the|\w+ing|married|divorced|single)\b)", re.I), "I have been "),
    (re.compile(r"^(used to|(?:quit|stopped|gave up) \w+ing)\b", re.I), _mine),
    (re.compile(r"^(live in|work (?:at|as|for)|(?:love|hate|like|prefer) (?!you\b|it\b|that\b|this\b|u\b|to hear\b|me\b|my (?:life|job)$))", re.I), _mine),
    (re.compile(r"^(allergic to|married to|born in) ", re.I), r"I am \1 "),
)  # fmt: skip


def _whole(text: str) -> str:
    """Telegraphic and hasty writing made whole: `got a puppy`, `my hobbies: chess`, `i luv pizza`."""
    for pattern, by in _TYPED:
        text = pattern.sub(by, text)
    return text


def clauses(sentence: str, at: datetime, *, corrects: bool = False) -> list[Clause]:
    """The clauses of an English sentence said at `at` (local, naive)."""
    text, marked = _opened(expand(_whole(_SPELLED.sub("", sentence.strip()))))
    corrects = corrects or marked
    text, whens = _holes(text, at, bool(_PAST.search(text)))
    instead = ""
    if (m := _NOT_X.search(text)) and (m.start() > 0):
        instead, text = m["old"].strip(), text[: m.start()]
    elif m := _NOT_BUT.search(text):
        instead, text = m["old"].strip(), f"{text[: m.start()]}{m['new']}"
    out: list[Clause] = []
    for piece in _pieces(text):
        body, inner = _opened(re.sub(r"\s{1,9}(?:for|because of) (?:it|that|this)$", "", piece, flags=re.I))
        again = bool(_AGAIN.search(body)) and not re.search(r"\bnot\b", body, re.I)
        body = _AGAIN.sub("", body)
        ended = bool(_NO_MORE.search(body)) and bool(re.search(r"\b(?:not|no longer|cannot|never)\b", body, re.I))
        lately = bool(_LATELY.search(body))
        if ended:
            body = re.sub(
                r"\b(am|is|are) not\b",
                r"\1",
                re.sub(
                    r"\b(?:do|does) not\s{1,9}|\bno longer\s{1,9}|\bnever\s{1,9}",
                    "",
                    _NO_MORE.sub("", body),
                    flags=re.I,
                ),
                flags=re.I,
            )
            body = re.sub(r"\bcannot stand\b", "hate", re.sub(r"\b(I|we) is\b", "I am", body))
        elif lately:
            body = _LATELY.sub(" ", body).strip(" ,")
        body = re.sub(r"\s{1,9}(?:now|already|too|as well|by the way|btw|though|lol|haha+)$", "", body, flags=re.I)
        if body:
            out.append(
                Clause(body, "en", at, whens, corrects or inner, again, ended, lately=lately, instead_of=instead)
            )
    return out
