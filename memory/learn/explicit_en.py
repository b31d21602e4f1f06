# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""English forms of "remember this" and "forget that", and their false friends."""

from __future__ import annotations

import re
from typing import Final

from memory.learn.intent import Intent

_X: Final = re.I | re.X

# "hey Ebb, ok so …": what may stand before a command.
_LEAD: Final = r"""(?:(?:hey|hi|hello|ok|okay|so|well|oh|ah|also|and|but|btw|by\ the\ way|actually|now|then|right|alright|yes|yeah|yep
    |no|great|thanks|thank\ you|cool|wait|listen|look|fyi|ebb|important|one\ (?:more|last)\ thing|p\.?s\.?|on\ second\ thoughts?|in\ that\ case)\b[\s,.!:–—-]*){0,4}"""
_PLEASE: Final = r"(?:(?P<please>please|pls|plz|kindly)[\s,]+)"
_ASK: Final = r"""(?:(?P<ask>(?:can|could|would|will)\s+(?:you|u)\s+(?:also\s+|just\s+)?(?:please\s+)?
    |i(?:\s+would|['’]d)?\s+(?:want|need|like|love)\s+(?:you|u)\s+to\s+|i['’]?m\s+asking\s+you\s+to\s+|would\s+you\s+mind\s+))"""
_URGE: Final = r"""(?:(?:just|do|always|also|kindly|make\s+sure\s+(?:to|you|that\s+you)|be\s+sure\s+to|try\s+to
    |you\s+(?:really\s+)?(?:should|must|need\s+to|have\s+to|ought\s+to)|you['’]d\s+better)\s+)"""
_HEAD: Final = rf"^{_LEAD}(?:{_PLEASE}|{_ASK}|{_URGE}){{0,3}}"

_REMEMBER: Final = re.compile(
    rf"""{_HEAD}(?:
      (?P<plain>remember|memori[sz]e)(?:\s+(?:for\s+me|for\s+(?:later|next\s+time|the\s+future)|from\s+now\s+on|forever))?
    | (?P<dont>(?:don['’]?t|do\s+not|never)\s+(?:you\s+)?(?:ever\s+)?forget)
    | (?P<firm>(?:keep|bear)\s+in\s+mind | (?:make|take)\s+(?:a\s+(?:mental\s+)?)?note(?:\s+of)?
      | (?:save|add|store|put|keep)(?:\s+(?:this|that|it))?\s+(?:to|in|into)\s+(?:your\s+|the\s+)?(?:long[- ]term\s+)?memory
      | commit(?:\s+(?:this|that|it))?\s+to\s+memory | (?:write|jot|note)\s+(?:this\s+|that\s+|it\s+)?down
      | (?:don['’]?t|do\s+not)\s+let\s+me\s+forget)
    )(?=\W|$)(?P<body>.*)$""",
    _X | re.S,
)
# "keep that in mind", "save that"
_REMEMBER_BACK: Final = re.compile(
    rf"""{_HEAD}(?:(?:keep|bear)\s+(?:this|that|it)\s+in\s+mind | (?:save|memori[sz]e)\s+(?:this|that|it)
    | (?:make|take)\s+(?:a\s+)?(?:mental\s+)?note(?:\s+of\s+(?:this|that|it))? | (?:write|jot|note)\s+(?:this|that|it)\s+down)[\s.!]*$""",
    _X,
)
# "I'm vegan, please remember that"
_TRAILING: Final = re.compile(
    r"""^(?P<body>.{4,}?)[\s]*[,;:–—-]+\s*(?:so\s+|and\s+|ok(?:ay)?\s+|but\s+)?(?:
      (?:please|pls|plz)\s+(?:remember|memori[sz]e)(?:\s+(?:this|that|it))? | remember\s+(?:this|that|it)(?:\s+please)?
    | (?:please\s+)?(?:don['’]?t|do\s+not)\s+forget(?:\s+(?:this|that|it))? | (?:please\s+)?keep\s+(?:this|that|it)\s+in\s+mind
    | (?:please\s+)?(?:make\s+a\s+note|note\s+(?:this|that|it)\s+down|save\s+(?:this|that|it)))[\s.!:)🙂😊🙏]*$""",
    _X | re.S,
)

_FORGET: Final = re.compile(
    rf"""{_HEAD}(?:you\s+(?:can|may|could|might\s+as\s+well)\s+(?P<may>(?:now|also|just|safely|already)\s+)?)?(?:
      (?P<plain>forget|(?<=mind\ )forgetting)
    | (?P<stop>stop\s+remembering | never\s*mind\s+remembering | un-?remember
      | (?:there(?:['’]s|\s+is)\s+)?no\s+(?:longer\s+)?need\s+to\s+(?:remember|keep\s+in\s+mind)
      | you\s+(?:don['’]?t|do\s+not|needn['’]?t|no\s+longer)\s+(?:(?:need|have)\s+to\s+)?(?:remember|keep\s+in\s+mind))
    | (?P<dont>(?:don['’]?t|do\s+not)\s+(?:remember|keep\s+in\s+mind))
    )(?=\W|$)(?:\s+any\s?more\b)?(?P<body>.*)$""",
    _X | re.S,
)
_DELETE: Final = re.compile(
    rf"""{_HEAD}(?:you\s+(?:can|may)\s+)?(?:delete|remove|erase|wipe|clear|drop|purge)\s+(?:
      (?P<a>.+?)\s+(?:from|out\s+of)\s+(?:your|the)\s+(?:memory|memories|mind|notes|records?)
    | (?:the|your|my|any|every|all(?:\s+(?:of\s+)?(?:the|your|my))?|this|that)?\s*(?:saved\s+|stored\s+)?(?:memory|memories|notes?|entry|entries)\s+(?:about|of|on|that|where|regarding|concerning)\s+(?P<b>.+?)
    | (?:what(?:ever)?|everything|all|anything)\s+(?:that\s+)?(?:you\s+(?:know|remember|have|saved|stored)|i\s+(?:said|told\s+you))\s+(?:about|on|of)\s+(?P<c>.+?)
    | (?:the\s+)?memory\s+(?P<d>\[?[a-hj-km-np-tv-z][0-9a-hj-km-np-tv-z]{{5,9}}\]?)
    | (?P<all>(?:all(?:\s+of)?|every)(?:\s+(?:my|your|the|saved|stored))*\s+(?:memory|memories) | (?:my|your)\s+(?:whole\s+|entire\s+)?memory|everything\s+(?:that\s+)?you\s+(?:know|remember)(?:\s+about\s+me)?)
    )[\s.!]*$""",
    _X | re.S,
)

_TAG: Final = re.compile(
    r"[\s,]*(?:,\s*|\s)(?:ok|okay|alright|all right|will you|would you|could you|can you|please|pls|thanks|thank you|thx|got it|deal)\s*[?!.…]*$",
    re.I,
)
_SMILE: Final = re.compile(r"(?:\s*(?:[:;=][-']?[)(DPp3]|<3|\^\^|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]))+\s*$")
_BACK: Final = re.compile(
    r"""^(?:(?:all\s+)?(?:of\s+)?(?:this|that|it|these|those)(?:\s+(?:one|fact|thing|for\s+(?:me|later|next\s+time|the\s+future)))?
    | (?:what|everything|all)\s+(?:that\s+)?i(?:['’]ve|\s+have)?\s+(?:just\s+)?(?:said|told\s+you|wrote|mentioned|typed)(?:\s+(?:just\s+now|before|above|earlier))?
    | my\s+(?:last|previous)\s+(?:message|sentence|words) | (?:the\s+)?(?:above|last\s+(?:message|part|sentence|bit|thing(?:\s+i\s+said)?)|previous\s+message)
    | (?:that\s+)?i\s+(?:ever\s+|just\s+)?(?:said|mentioned|told\s+you|wrote)\s+(?:that|this|it|anything|something|so))$""",
    _X,
)
_NOT_REMEMBER: Final = re.compile(
    r"""^(?:when\b|back\s+when|how\b|why\b|who\b|what\b|where\s+we\b|which\b|whether\b|if\b|the\s+(?:time|day|night|days|alamo)\b|that\s+(?:time|day|night|one\s+time|trip|song|movie|film|guy|girl)\b|those\s+days
    |the\s+good\s+(?:old\s+)?(?:times|days)|our\s+(?:first|last)\b|me(?:\s+to\b.*|\s*)$|(?:him|her|us|them|you)\s*$|your\b|you\b(?!\s+can\b)|anything\b|not\s+to\b|kids\b|folks\b|guys\b)""",
    _X,
)
_FIRST: Final = re.compile(r"\b(?:i|i['’]m|i['’]ve|i['’]ll|i['’]d|my|me|mine|we|our|us|we['’]re)\b", re.I)
_VERB: Final = re.compile(
    r"""\b(?:am|is|are|was|were|be|been|has|have|had|do|does|don['’]?t|doesn['’]?t|did|will|won['’]?t|can|can['’]?t|could|would|should|must|may|need|needs|want|wants
    |like|likes|love|loves|hate|hates|prefer|prefers|live|lives|work|works|eat|eats|drink|drinks|use|uses|go|goes|get|gets|take|takes|speak|speaks|play|plays|study|studies
    |own|owns|keep|keeps|start|starts|leave|leaves|meet|meets|moved|born|allergic|called|named|quit|stopped|started|bought|fly|flies|travel|travels|wake|wakes|sleep|sleeps
    |run|runs|drive|drives|teach|teaches|owe|owes|plan|plans|hope|hopes|turn|turns|arrive|arrives|expire|expires|ends?|begins?|promised|finished|graduated|married)\b|\w['’](?:s|m|re|ve|ll|d)\b|[=:]""",
    _X,
)
_REASON: Final = re.compile(
    r"\s*(?:[,;–—-]\s*(?:it['’]?s|it was|that['’]?s|that was|i was|because|since|as|thanks|thank you|thx|please|pls|ok|okay|will you|would you|i never)\b.*|\s+because\b.*|\s+any\s?more|\s+(?:please|pls|for me|now|again|thanks|thank you))$",
    re.I | re.S,
)
_DISMISS: Final = re.compile(
    r"[,;–—-]\s*(?:let['’]?s|let me|just|tell|what|how|can|could|shall|why|where|who|is|are|do|does|we|you|i want|i['’]d|i need|i['’]ll|i will|never mind|go|show|give|there['’]?s|he['’]?s|she['’]?s|they)\b",
    re.I,
)
_KNOWN_ID: Final = re.compile(r"^(?:memory\s+)?\[?[a-hj-km-np-tv-z][0-9a-hj-km-np-tv-z]{5,9}\]?$", re.I)
_ABOUT: Final = re.compile(
    r"""^(?:(?:everything|anything|all|whatever|what|the\s+things?|stuff|the\s+(?:memory|memories|part|bit|note|fact))?\s*(?:that\s+|which\s+)?
      (?:(?:i(?:['’]ve|\s+have)?\s+(?:ever\s+|just\s+)?(?:said|told\s+you|mentioned|wrote|shared)|you\s+(?:know|remember|have|learn(?:ed|t)|saved|stored|noted)|we\s+(?:said|discussed|talked))\s*)?
      (?:earlier\s+|before\s+|to\s+you\s+)?(?:about|regarding|concerning|of)\s+(?:the\s+fact\s+that\s+)?
    | (?:the\s+fact\s+)?that\s+i(?:['’]ve|\s+have)?\s+(?:ever\s+)?(?:told\s+you|said|mentioned)\s+(?:that\s+|about\s+)?(?!that$|this$|it$)
    | i\s+(?:ever\s+)?(?:told\s+you|said|mentioned)\s+(?:that\s+|about\s+)?(?!that$|this$|it$|anything$|something$|so$)
    | the\s+fact\s+that\s+ | (?:that|:)\s+(?=\S) )(?P<x>.+)$""",
    _X | re.S,
)
_EVERYTHING: Final = re.compile(
    r"""^(?:absolutely\s+|literally\s+)?(?:(?:everything|all)(?:\s+(?:of\s+)?(?:it|this|that))?(?:\s+(?:that\s+)?(?:you\s+(?:(?:ever\s+)?(?:know|knew|remember|have|learn(?:ed|t)|saved|stored)|['’]ve\s+\w+)|i(?:['’]ve|\s+have)?\s+(?:ever\s+)?(?:said|told\s+you)))*
      (?:\s+(?:about|on|of)\s+(?:me|myself|us))?
    | it\s+all | (?:all\s+(?:of\s+)?)?(?:my|your|the)\s+(?:whole\s+|entire\s+)?(?:memory|memories|past|history) | all\s+memories | every\s+memory | who\s+i\s+am | about\s+me | me\s+completely|me\s+entirely
    | all\s+(?:the\s+)?(?:things|facts)\s+(?:that\s+)?(?:you\s+know|i\s+told\s+you)(?:\s+about\s+me)?)[\s.!]*$""",
    _X,
)
_PRONOUN: Final = re.compile(
    r"^(?:it|about it|me|him|her|them|us|you|about him|about her|about them|about us|about you)\b[\s.!,…]*$", re.I
)


def everything(text: str) -> bool:
    """Everything you know about me, all my memories, …"""
    return bool(_EVERYTHING.match(_REASON.sub("", text.strip())))


def _untag(sentence: str) -> tuple[str, bool]:
    """Without smileys and "ok?" at the end; and whether what is left is a question."""
    s = _SMILE.sub("", sentence.strip())
    shorter = _TAG.sub("", s)
    if shorter.strip():
        s = shorter
    return s.rstrip(" .!…"), s.rstrip(" .!…").endswith(("?", "？"))


def _remember(kind_text: str, before: str) -> Intent | None:
    """`kind_text` empty: what was said just before is meant."""
    if kind_text:
        return Intent("remember", kind_text)
    return Intent("remember", before) if before else Intent("remember", "", previous=True)


def read(sentence: str, before: str, rest: str) -> Intent | None:
    """The command in one sentence, given what stands before and after it in the message."""
    s, question = _untag(sentence)
    if _REMEMBER_BACK.match(s) and not question:
        return _remember("", before)
    m = _REMEMBER.match(s)
    if m and (found := _read_remember(m, s, question, before, rest)):
        return found
    if m is None and not question and (t := _TRAILING.match(sentence.strip())):
        return Intent("remember", f"{before} {t['body'].strip()}".strip())
    if d := _DELETE.match(s.rstrip("?？ ")):
        if d["all"]:
            return Intent("forget", "everything")
        if not question or d["ask"]:
            return Intent("forget", _target(next(x for x in (d["a"], d["b"], d["c"], d["d"]) if x)))
    f = _FORGET.match(s)
    return _read_forget(f, question) if f else None


def _read_remember(m: re.Match[str], s: str, question: bool, before: str, rest: str) -> Intent | None:
    pleased = bool(m["please"] or (m["ask"] and re.search(r"please|want|like|need|love|ask", m["ask"], re.I)))
    polite = bool(pleased or m["ask"])
    raw = m["body"].strip()
    body = raw.rstrip("?？ ") if m["ask"] else raw
    colon = re.match(
        r"^(?:this|that|it|these|the following|these things|a few things|something)?(?:\s+(?:for me|please|forever|for later))?\s*[:：]\s*(?P<x>.*)$",
        body,
        re.I | re.S,
    )
    if colon and (colon["x"] or rest):
        end = "." if colon["x"] and colon["x"][-1].isalnum() else ""
        return Intent("remember", f"{colon['x']}{end} {rest}".strip() if rest else colon["x"].strip(" ."))
    if body.startswith(",") and m["dont"] is None:
        body = body.lstrip(", ")
    if (
        m["ask"]
        and question
        and not pleased
        and not re.match(
            r"that\s+(?:i|i['’]\w+|my|we|our|he|she|they|the|a|an|it|on|from)\b|this\s*$|to\b", body, re.I
        )
    ):
        return None  # "can you remember my name?" asks; "can you remember that I'm vegan?" tells
    if m["ask"] and question and re.search(r"\b(?:told|said|mentioned|talked)\b", body, re.I):
        return None
    if question and not m["ask"]:
        return None
    if not body or _BACK.match(body):
        firm = m["firm"] or polite or body
        return _remember("", before) if firm else None
    that = re.match(r"that\b\s*[,:]?\s+(?!(?:time|day|night|one\s+time|trip|song|movie|film|guy|girl)\b)", body, re.I)
    what = body[that.end() :].strip() if that else body
    if not that and (
        _NOT_REMEMBER.match(body) or (m["dont"] and not _FIRST.search(body) and not re.search(r"\d", body))
    ):
        return None
    if to := re.match(r"to\s+(?P<v>.+)", what, re.I | re.S):
        if m["dont"] is None and m["firm"] and "let me" in s.lower():
            return Intent("remember", to["v"])
        return Intent("remember", to["v"]) if _FIRST.search(to["v"]) else None
    if not that and not polite and not m["firm"] and not _states(what):
        return None
    if not that and m["dont"] and not _VERB.search(what):
        return None
    what = re.sub(r"^(?:this|it)\s*[,:–—-]\s*", "", what, flags=re.I)
    return Intent("remember", what) if re.search(r"\w", what) else None


def _states(what: str) -> bool:
    words = what.split()
    return bool(
        re.search(r"\d", what) or _VERB.search(what) or len(words) >= 4 or (len(words) >= 3 and _FIRST.search(what))
    )


def _read_forget(m: re.Match[str], question: bool) -> Intent | None:
    polite = bool(m["please"] or m["ask"])
    body = m["body"].strip().lstrip(",:–—- ").rstrip("?？ .!")
    if question and not m["ask"]:
        return None
    if m["dont"] and not (polite or re.match(r"(?:that\s+)?(?:i|i['’]\w+|my|we|our)\b", body, re.I)):
        return None  # "Don't remember, sorry" leaves out its "I"
    if not body:
        return Intent("forget", "", previous=True) if m["stop"] else None
    if _PRONOUN.match(body) or re.match(r"(?:to|it,|about it|me not)\b", body, re.I):
        return None
    bare = re.sub(r"^about\s+", "", _REASON.sub("", body), flags=re.I)
    if _BACK.match(bare):
        said = re.search(r"\bi\b|\bmy\b|message", bare, re.I)
        return Intent("forget", "", previous=True) if polite or said or m["stop"] or m["dont"] else None
    if not polite and _DISMISS.search(body):
        return None
    if re.match(r"(?:that|this|it)\s*,", body, re.I):
        return None
    named = re.match(
        r"(?:that|about|what|everything|anything|all|the|my|our|i|i['’]\w+|we|where|when|who|how|which|these|those|any|every|whatever|:)\b",
        body,
        re.I,
    )
    if not (named or polite or m["stop"] or m["dont"] or _KNOWN_ID.match(body) or len(body.split()) <= 5):
        return None
    return Intent("forget", _target(body))


def _target(body: str) -> str:
    """What is to be forgotten, without "what I said about" and the like."""
    body = _REASON.sub("", body.strip(" .!,:"))
    if everything(body):
        return "everything"
    a = _ABOUT.match(body)
    if a is None:
        return "everything" if body.lower() in {"me", "myself"} else body
    return (
        "everything"
        if everything(a["x"]) or a["x"].strip(" .!").lower() in {"me", "myself"}
        else a["x"].strip(" .!,:")
    )
