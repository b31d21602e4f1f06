# ruff: noqa: E501 - alternatives that are read together stay on one line
"""English forms of "remember", "forget", "don't bring up" and "keep no notes", and what only sounds like them."""

from __future__ import annotations

import re
from typing import Final

from memory.text.intent import Found

GREETING = r"(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks(?: so much| a lot)?|thank you|ok|okay|oh|ebb|yes|no|great|cool|wow|lol|haha)(?: (?:there|ebb|again))?"
FICTION = r"let['’]?s (?:play|pretend)|you(?:['’]re| are) (?:a|an|the)\b|pretend (?:you|to|that you|we)|imagine|role-?play|write (?:me )?an? |scene:|act as"

EVERY: Final = re.compile(r"\b(?:everything|all|anything|whatever)\b", re.I)
# Answers to a question of ours.
YES = r"(?:yes|yep|yeah|yup|sure|ok|okay|do it|please do|go ahead|correct|right|exactly|that one|y)(?:,? (?:please|thanks|do it|do that|that one|forget it))?"
NO = r"(?:no|nope|nah|none|neither|nothing|cancel|stop|never ?mind|n|keep (?:it|them|all|everything)|forget it|leave (?:it|them))(?:,? (?:of (?:them|these|those)|thanks|thank you|please|keep (?:it|them)))*"
ALL = r"(?:yes,? )?(?:please )?(?:all|both|every one|everything)(?: (?:of )?(?:them|these|those|it|two|three|of them))*(?: please)?"
ALL_BUT = r"(?:forget )?(?:all|everything|both|every one)(?: of (?:them|these|those))?,? (?:but|except(?: for)?|apart from|other than|besides) (.+)"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
CHOSEN: Final = re.compile(
    r"^(?:i mean(?:t)? |please |forget |just |only |yes,? )*(?:the |that )?(?:one|thing|memory)?s? ?(?:about|with|on|where|that says|saying|of) ",
    re.I,
)
FILLERS = r"\b(?:the|one|ones|number|no|nr|and|also|please|just|only|forget|option|entry|memory|nd|st|rd|th|or|i|mean|meant|thanks)\b"
_ON: Final = re.compile(
    r"(?:please |ebb,? |ok,? )?(?:(?:turn|switch) (?:your |the )?memory (?:back )?on|(?:turn|switch) (?:back )?on (?:your |the )?memory|(?:re-?)?(?:enable|activate) (?:your |the )?memory|you (?:can|may) (?:remember|keep notes|take notes|learn)(?: things)?(?: (?:about|on) me)? again|start (?:remembering|keeping notes)(?: things)?(?: (?:about|on) me)?)(?: again)?\W{0,3}$",
    re.I,
)
_SPEAK: Final = re.compile(
    r"(?:you (?:can|may)|feel free to|it(?:['’]s| is) (?:ok|okay|fine|alright) to|we can) (?:talk|speak|bring up|mention)(?: (?:about|of))? (?P<x>.{1,200}?)(?: up)? again\W{0,3}$",
    re.I,
)
# What is played, written or read out: a command beside one of these is a line of it.
STAGED = r"stor(?:y|ies)|scene|in character|role-?play|novel|chapter|poem|lyrics?|song|reddit|forum|slogan|prompt|headline|caption|rewrite|translate|(?:say|write|spell|put) (?:that|this|it)\b.{0,20}\bin [A-Z]\w+|script|advert(?:isement)?|the ad|quiz|riddle"
_LEAD: Final = re.compile(
    r"(?:hey|hi|hello|yo|ok(?:ay)?|so|well|oh|ah|also|and|but|btw|by the way|actually|now|then|right|alright|yes|yeah|yep|no|great|thanks(?: so much)?|thank you|cool"
    r"|wait|listen|look|fyi(?! for)|ebb|important|one (?:more|last) thing|p\.?s|on second thoughts?|in that case|just|always|do me a favou?r(?: and)?|i['’]ll say it once|it['’]?s over|do|from now on|in (?:the )?future|honestly|ever|also|hereby)\b[\s,.!:–—-]{0,9}",
    re.I,
)
_ASK: Final = re.compile(
    r"(?P<please>(?:please|pleas|plese|pls|plz|kindly)\b[\s,]{0,9})"
    r"|(?P<want>(?:i(?: would|['’]?d)? (?:want|need|like|love|prefer)(?: for)? (?:you|u) to|i['’]?m asking you to|i (?:hereby )?ask you to|i(?: would|['’]?d) (?:appreciate it|be (?:grateful|glad)) if you(?: would| could)?|would you mind)\s{1,3})"
    r"|(?P<ask>(?:can|could|would|will) (?:you|u|ya)(?: also| just)?\s{1,3})"
    r"|(?P<may>you (?:can|may|could|might as well)(?: now| also| just| safely| already)?\s{1,3})"
    r"|(?P<urge>(?:make sure (?:to|that you|you)|be sure to|try to|it['’]?s (?:very )?(?:important|vital) (?:that you|to)|i(?: would|['’]?d) rather you(?= forgot)|you (?:really )?(?:should|must|need to|have to|ought to)|you['’]d better)\s{1,3})",
    re.I,
)
_NEG: Final = re.compile(
    r"(?:do ?n['’]?t|do not|never(?! ?mind)|stop|quit|cease|no more|never ?mind|you (?:must|may|should|can) ?n['’o]*t|no longer|i(?: would|['’]?d) (?:appreciate it|be grateful|be glad) if you (?:did ?n['’]?t|did not|would ?n['’]?t|would not|never)|i do ?n['’]?t want you to|i do not want you to|i(?: would|['’]?d) (?:rather|prefer)(?: it)?(?: if)? (?:you )?(?:did ?n['’]?t|not)|avoid|not(?= (?:mention|bring|talk|speak))"
    r"|(?:there(?:['’]s| is) )?no (?:longer )?need to|you (?:do ?n['’]?t|do not|need ?n['’]?t|no longer)(?: (?:need|have) to)?)\s{1,3}(?:you )?(?:ever |again |please )?(?:try(?:ing)? to |to )?",
    re.I,
)
# Verbs that follow a head.
_REMEMBER: Final = re.compile(
    r"(?P<plain>re?m[em]{0,4}b?er(?:ing)?|memori[sz](?:e|ing))(?: (?:for me|for (?:later|next time|the future)|from now on|forever))?(?!\w)"
    r"|(?P<firm>(?:keep(?:ing)?|bear(?:ing)?) (?:(?P<it>this|that|it) )?in mind|(?:make|tak|making|taking)e? (?:a )?(?:mental )?(?:note|record)(?: of)?|(?:for (?:future reference|the record|your (?:notes|records|memory)))"
    r"|(?:fyi|(?:just )?so you know)(?:,? for (?:later|next time|the future))|(?:i want this remembered|(?:one|another) thing to remember|note to you)(?= ?[:,])|(?:keep|make) a (?:note|record) of|hold on to(?= this\b)|put (?:this |that )?down(?= that|:| as)"
    r"|(?:save|add|store|put|keep)(?: (?:this|that|it))? (?:to|in|into|on) (?:your |the )?(?:long[- ]term )?(?:memory|notes|records?)|commit(?: (?:this|that|it))? to memory|(?:write|jot|note)(?: (?P<it2>this|that|it))? down(?= ?[:,.]|$| (?:that|this|i|my|we|our|the fact|please)\b)"
    r"|(?:save|store|record|log|jot|note)(?: down)?(?= (?:this|that|it)(?: ?[:,.!]|$| (?:for|please|i|i['’]\w+|my|we)\b)| that\b| the (?:fact|following)\b|,|:)|(?:save|store|record|log)(?= my\b[^.?!]{1,60}[:=\d])|note(?= (?:i|my|we|our|for)\b)|(?P<let>let me forget))(?!\w)",
    re.I,
)
_FORGET: Final = re.compile(
    r"(?P<plain>forget(?:ting)?|forgot|forgt|unlearn|un-?remember)(?![\w-])(?: any ?more\b)?", re.I
)
_DELETE: Final = re.compile(
    r"(?:(?:delet|eras|remov|wip|clear|drop|purg|scrub|tak|strik|expung|scrap|los)(?:e|ing)?|get(?:ting)? rid of|throw(?:ing)? (?:out|away)) (?:"
    r"(?P<a>.{1,300}?) (?:from|out of) (?:(?:your|the) (?:memory|memories|mind|notes|records?|files?|brain|database)|everything you know|what you know)"
    r"|(?:the|your|my|any|every|all(?: (?:of )?(?:the|your|my))?|this|that)? ?(?:saved |stored )?(?:memory|memories|notes?|entry|entries|data|records?|information|info) (?:about|of|on|that|where|regarding|concerning) (?P<b>.{1,300})"
    r"|(?:what(?:ever)?|everything|all|anything)(?: (?:that )?(?:you (?:know|remember|have|saved|stored)|i(?:['’]ve)? (?:said|told you)))? (?:about|on|of) (?P<c>.{1,300})"
    r"|(?:the )?(?:bit|part|thing|stuff|fact)s? (?:about|where|that) (?P<e>.{1,300})|(?P<f>(?-i:[A-Z][a-z]+)$|my (?!\w{0,3}(?: \w+)?(?:files?|messages?|e-?mails?|photos?|account|app|code|lines?|paragraph|draft|calendar|row|column|playlist|browser)).{1,100})"
    r"|(?:the )?memory (?P<d>\[?[a-hj-km-np-tv-z][0-9a-hj-km-np-tv-z]{5,9}\]?)"
    r"|(?P<all>(?:all(?: of)?|every)(?: (?:my|your|the|saved|stored))* (?:memory|memories)|(?:my|your) (?:whole |entire )?memory|everything (?:that )?you (?:know|remember|have)(?: (?:about|on) me)?|(?:all |any )?(?:the |my )?(?:data|info\w{0,7}|records?) (?:that )?you (?:have|hold|keep) (?:about|on) me))\W*$",
    re.I,
)
_MENTION: Final = re.compile(
    r"(?:mention+(?:ing|ed)?|(?:bring|brought)(?:ing)? up|bring(?:ing)? (?P<x>.{1,80}?) up|(?:talk|speak|go|keep)(?:ing)? (?:to me |with me )?(?:on )?(?:going on )?(?:about|of)|(?:nag|pester|bother|bug)(?:g?ing)?(?: me)? about|rais(?:e|ing)|refer(?:ring)? to|remind(?:ing)? me (?:of|about)|ask(?:ing)?(?: me)? about|(?:the )?(?:topic|subject)s? of|anything about)\b\s{0,3}",
    re.I,
)
_WEARY: Final = re.compile(
    r"(?:i (?:do ?n['’]?t|do not|never) (?:ever )?(?:want|need|wish) to (?:ever )?(?:hear|talk|speak|read)(?: anything)?|let['’]?s not (?:talk|speak)|can we (?:please )?not (?:talk|speak)|i['’]?d rather not (?:hear|talk)) (?:about|of) (?P<x>.{1,200}?) (?:again|any ?more|ever again)\W*$"
    r"|(?:enough (?:talk )?(?:about|of)|no more (?:talk|talking|mentions?|mentioning|word|chat)s? (?:about|of)|shut up about|steer clear of|(?:let['’]?s |can we |please )?drop the (?:topic|subject) of|no more about|keep quiet about|i do ?n['’]?t want to hear the name|not (?:a|another) word about) (?P<z>.{1,200})"
    r"|leave (?P<y>.{1,80}?) out of (?:this|it|our chats?)\W*$",
    re.I,
)
_OFF: Final = re.compile(
    r"(?:turn|switch)(?:ing)? (?:off (?:your |the )?(?:memory|learning|note-?taking)|(?:your |the )?(?:memory|learning) off)\b|(?:disable|deactivate|pause|stop) (?:your |the )?(?:memory|learning|note-?taking)\b"
    r"|memory off$|no (?:more )?memory$|i (?:do ?n['’]?t|do not) want to be (?:remembered|tracked|recorded|profiled)|(?:keep|make|take|store|save) no (?:records?|notes?|data|trace|log)s?\b|(?:remember|keep|store|save|record) nothing\b|no more (?:notes|records) (?:about|on|of) me\b|(?:stop|quit) (?:memori[sz]ing|recording|tracking|profiling)(?: (?:me|this|everything))?$",
    re.I,
)
_NO_NOTES: Final = re.compile(
    r"(?:re?m[em]{0,4}b?er|memori[sz]e?|sav|stor|keep|not|record|log|learn|track|collect|retain|writ|tak|mak|hold|build|stay|spy)(?:e|t|p)?(?:ing)?(?: down)?(?: (?:any(?: of)?(?! this| it)|a|on to|track of|up|of|my|to)){0,9}"
    r"(?: (?P<what>anything|any ?thing|things|everything|notes?|records?|files?|data|stuff|info(?:rmation)?|details?|facts?|tabs|profile|what(?:ever)?|all|memories|this chat|this conversation|our (?:chats?|conversations?)|my (?:messages?|data|chats?|words|info(?:rmation)?|conversations?)|any of (?:this|it)|personal \w{1,30})(?P<whom>\b.*))?$",
    re.I | re.S,
)
_HERE: Final = re.compile(
    r"\b(?:from|in) (?:this|our|the|these|any) (?:chat|conversation|talk)s?\b|\bfrom now on\b", re.I
)
_ME: Final = re.compile(r"\b(?:i|i['’]\w+|im|me|my|mine|myself|us|we)\b", re.I)

_TAG: Final = re.compile(
    r"[\s,]{1,9}(?:ok|okay|alright|all right|will you|would you|could you|can you|please|pls|thanks|thank you|thx|got it|deal)\s{0,3}[?!.…]*$",
    re.I,
)
_TRAILING: Final = re.compile(
    r"\s{0,3}[,;:–—-]\s{0,3}(?:so |and |ok(?:ay)? |but )?(?:(?:please|pls|plz) (?:remember|memori[sz]e)(?: (?:this|that|it))?|remember (?:this|that|it)(?: please)?"
    r"|(?:please )?(?:don['’]?t|do not) forget(?: (?:this|that|it))?|(?:please )?keep (?:this|that|it) in mind|(?:please )?(?:make a note|note (?:this|that|it)(?: down)?|save (?:this|that|it)))[\s.!:)🙂😊🙏]{0,9}$",
    re.I,
)
_BACK: Final = re.compile(
    r"(?:(?:all )?(?:of )?(?:this|that|it|these|those)(?: (?:one|fact|thing|for (?:me|later|next time|the future)))?"
    r"|(?:what|everything|all) (?:that )?i(?:['’]ve| have)? (?:just )?(?:said|told you|wrote|mentioned|typed)(?: (?:just now|before|above|earlier))?"
    r"|my (?:last|previous) (?:message|sentence|words)|(?:the )?(?:above|last (?:message|part|sentence|bit|thing(?: i said)?)|previous message)"
    r"|(?:that )?i (?:ever |just )?(?:said|mentioned|told you|wrote) (?:that|this|it|anything|something|so))$",
    re.I,
)
_NOT_KEPT: Final = re.compile(
    r"(?:when\b|back when|how\b|why\b|who\b|what\b|where we\b|which\b|whether\b|if\b|the (?:time|day|night|days|alamo)\b|that (?:time|day|night|one time|trip|song|movie|film|guy|girl)\b|those days"
    r"|the good (?:old )?(?:times|days)|our (?:first|last)\b|me(?: to\b.*|\s{0,3})$|(?:him|her|us|them|you)\s{0,3}$|your\b|you\b(?! can\b)|anything\b|not to\b|kids\b|folks\b|guys\b)",
    re.I,
)
_THAT: Final = re.compile(
    r"that\b\s{0,3}[,:]?\s{1,3}(?!(?:time|day|night|one time|trip|song|movie|film|guy|girl)\b)", re.I
)
_COLON: Final = re.compile(
    r"(?:this|that|it|these|the following|these things|a few things|something)?(?: (?:for me|please|forever|for later))?\s{0,3}[:：]\s{0,3}",
    re.I,
)
_VERB: Final = re.compile(
    r"\b(?:am|is|are|was|were|be|has|have|had|does|do|did|will|can|could|should|must|need|wants?|likes?|loves?|hates?|prefers?|lives?|works?|eats?|drinks?|uses?|goes|gets?|takes?|speaks?|plays?"
    r"|moved|born|allergic|called|named|quit|stopped|started|bought|leaves?|arrives?|owes?|turns?|ends?|begins?|married|im|\w+n['’]?t)\b|\w['’](?:s|m|re|ve|ll|d)\b|[=:\d]",
    re.I,
)
# Where a reason or another sentence follows what is to be forgotten.
_CUT: Final = re.compile(
    r"\s{0,3}(?:[,;–—]|\s-)\s{0,3}(?:(?:it|that|this|he|she|they|there)(?:['’]?s|['’]re| \w)|i\b|i['’]|we\b|we['’]|you\b|but\b|because|since|so\b|as\b|though|thanks|thank you|please|pls|ok\b|okay|will you|and (?:i|please|don|remember|then|also(?! (?:that|about|the fact|my)\b)|what|can)\b|don['’]?t|do\b|never|except|only\b|just\b|what\b|how\b|can\b|could\b|all of it)"
    r"|\s{1,3}(?:because|but(?= (?:do|not|keep|remember|please))|and(?= (?:please |also |instead )?(?:remember|note) )|except|apart from|though)\b",
    re.I,
)
_SPARE: Final = re.compile(
    r"\W{0,9}(?:[^.!?]{0,80}\b(?:but|and|except|apart from)\s)?\W{0,9}(?:but |except |apart from )?(?:not|except(?: for)?|apart from|(?:please )?(?:do )?(?:keep|remember|don['’]?t forget))\s{1,3}(?P<x>.{1,200})",
    re.I,
)
_REST_WORDS: Final = (
    r"(?:please|to me|for me|for now|now|again|thanks|thank you|any ?more|ever|either|at all|all of it|pls|okay|ok)\b"
)
_ENDING: Final = re.compile(rf"(?:\s{{1,3}}{_REST_WORDS}){{1,6}}$", re.I)
# A request behind what is to be kept: "…, what can I eat?"
_REQUEST: Final = re.compile(
    r"[,;–—]\s{0,3}(?:and |so |then |but )?(?:what|which|how|where|who|can (?:you|i)|could (?:you|i)|should i|do you|any (?:ideas?|tips))\b"
    r"|,?\s{1,3}(?:and|then) (?:please |also |instead )?forget (?=(?:that|what|everything|(?:my|the) (?:old|former|previous|last|other))\b)"
    r"|[,;–—]?\s{1,3}(?:and|so|then) (?:please )?(?:suggest|recommend|tell me|give me|show me|find me|help me|write me|what|how|can you|could you)\b",
    re.I,
)
_DISMISS: Final = re.compile(
    r"[,;–—-]\s{0,3}(?:let['’]?s|let me|just|tell|shall|where|who|we\b|you\b|i want|i['’]d|i need|i['’]ll|i will|never mind|go|show|give|there['’]?s|what about|how about|can you|could you|do you)\b",
    re.I,
)
_ABOUT: Final = re.compile(
    r"(?:(?:everything|anything|all|whatever|what|the (?:things?|memory|memories|part|bit|note|fact)|stuff)? ?(?:that |which )?"
    r"(?:(?:i(?:['’]ve| have)? (?:ever |just )?(?:said|told you|mentioned|wrote|shared)|you (?:know|remember|have|learn(?:ed|t)|saved|stored|noted)|we (?:said|discussed|talked)) ?)?"
    r"(?:earlier |before |to you )?(?:about|regarding|concerning|of) (?:the fact that )?"
    r"|(?:the fact )?that i(?:['’]ve| have)? (?:ever )?(?:told you|said|mentioned) (?:that |about )?(?!that$|this$|it$)"
    r"|i (?:ever )?(?:told you|said|mentioned) (?:that |about )?(?!that$|this$|it$|anything$|something$|so$)"
    r"|the fact that |(?:that|:) (?=\S))(?P<x>.+)$",
    re.I | re.S,
)
_EVERYTHING: Final = re.compile(
    r"(?:absolutely |literally )?(?:(?:everything|all)(?: (?:of )?(?:it|this|that))?(?: (?:that )?(?:you (?:(?:ever )?(?:know|knew|remember|have|learn(?:ed|t)|saved|stored)|['’]ve \w+)|i(?:['’]ve| have)? (?:ever )?(?:said|told you)))?"
    r"(?: (?:about|on|of) (?:me|myself|us))?|it all|(?:all (?:of )?)?(?:my|your|the) (?:whole |entire )?(?:memory|memories|past|history)|all memories|every memory|who i am|about me|me|myself|me completely|me entirely"
    r"|all (?:the )?(?:things|facts) (?:that )?(?:you know|i told you)(?: about me)?)[\s.!]{0,9}$",
    re.I,
)
_PRONOUN: Final = re.compile(r"(?:about )?(?:it|me|him|her|them|us|you|that|this)\b[\s.!,…]{0,9}$", re.I)
_ID: Final = re.compile(r"(?:memory )?\[?[a-hj-km-np-tv-z][0-9a-hj-km-np-tv-z]{5,9}\]?$", re.I)
_ANY: Final = re.compile(
    r"(?:that|about|what|everything|anything|all|the|my|our|i|i['’]\w+|we|where|when|who|how|which|these|those|any|every|whatever|:)(?!\w)",
    re.I,
)


def everything(text: str) -> bool:
    """Tell whether "everything you know about me" or the like is meant."""
    return bool(_EVERYTHING.match(_ENDING.sub("", text.strip())))


def read(sentence: str) -> Found | None:
    """Find the command that one sentence is."""
    s = re.sub(r"\s{1,3}[^\w\s?？]{1,4}$", "", sentence.rstrip())  # a smile
    tagged = _TAG.sub("", s)
    bare = (tagged if re.search(r"\w", tagged) else s).rstrip(" .!…")
    question = bare.endswith(("?", "？"))
    bare = bare.rstrip("?？ ")
    flags, at = _head(bare)
    body, neg = bare[at:], "neg" in flags
    if (w := _WEARY.match(body)) or (w := _WEARY.match(bare)):
        if _PRONOUN.match(_ENDING.sub("", w["x"] or w["y"] or w["z"])):
            return None
        return _about("quiet", (w["x"] or w["y"] or w["z"]), len(sentence))
    if sp := _SPEAK.match(bare):
        return Found("speak", sp["x"], len(sentence))
    if _ON.match(bare):
        return Found("on", "", len(sentence))
    if _OFF.match(body):
        return Found("off", "", len(sentence))
    asks = bool(flags & {"please", "want", "ask"})
    if question and not asks and not ((r := _REQUEST.search(sentence)) and _REMEMBER.match(body)):
        return None
    if neg:
        return _read_negated(sentence, body, at, flags)
    if d := _DELETE.match(_ENDING.sub("", body)):
        if d["f"] and not re.match(r"delet|eras|remov|wip|purg|scrub", d[0], re.I):
            return None
        if d["all"]:
            return Found("forget", "everything", len(sentence))
        start = at + next(i for i in map(d.start, "abcdef") if i >= 0)
        return _target("forget", sentence, start, next(x for x in map(d.group, "abcdef") if x))
    if (f := _FORGET.match(body)) and ("want" in flags or not f[0].lower().startswith(("forgetting", "forgot"))):
        return _read_forget(sentence, bare, at + f.end(), flags)
    if m := _REMEMBER.match(body):
        if r := _REQUEST.search(sentence, at + m.end()):
            return read(sentence[: r.start()])
        return _read_remember(sentence, bare, at, m, flags, question)
    if not question and (t := _TRAILING.search(sentence, max(0, len(sentence) - 80))) and t.start() > 3:
        return Found("remember", sentence[: t.start()].strip(), len(sentence))
    return None


def _head(s: str) -> tuple[set[str], int]:
    """Strip what may stand before a verb of command; say of which sorts it was."""
    flags: set[str] = set()
    at = 0
    for _ in range(9):
        if (m := _NEG.match(s, at)) and not _OFF.match(s, at):
            flags.add("neg")
            if re.match(r"stop|no |there|you|never ?mind|i", m[0], re.I):
                flags.add("stop")
        elif m := _ASK.match(s, at):
            flags.add(m.lastgroup or "")
        elif (m := _LEAD.match(s, at)) is None:
            break
        at = m.end()
    return flags, at


def _read_negated(sentence: str, body: str, at: int, flags: set[str]) -> Found | None:
    if m := _MENTION.match(body):
        target = m["x"] or body[m.end() :]
        start = at + (m.start("x") if m["x"] else m.end())
        return None if _PRONOUN.match(_ENDING.sub("", target)) else _target("quiet", sentence, start, target)
    n = _NO_NOTES.match(body)
    if n and n["what"]:
        whom = n["whom"] or ""
        about = re.match(
            r"\s{0,3}(?:about|on|of|regarding|concerning)\s{1,3}(?P<x>.+)", _ENDING.sub("", whom), re.I | re.S
        )
        general = not n["what"].lower().startswith("what")
        if _ME.search(whom) or (general and not about and not re.search(r"\w", _ENDING.sub("", _HERE.sub("", whom)))):
            return Found("off", "", _cut(sentence, at))
        return _about("forget", about["x"], len(sentence)) if about else None
    if re.match(r"(?:remember|track|record|profile|keep track of|keep tabs on|spy on|log)(?:ing)? me$", body, re.I):
        return Found("off", "", len(sentence))
    if m := _REMEMBER.match(body):
        if m["let"]:
            rest = body[m.end() :].strip()
            return _kept(re.sub(r"^(?:that|to) ", "", rest), len(sentence)) if rest else None
        target = body[m.end() :].strip(" ,:–—-")
        if not target or _BACK.match(target):
            return Found("forget", None, len(sentence)) if flags & {"stop", "please"} or target else None
        mine = re.match(r"(?:that )?(?:i|i['’]\w+|my|we|our)\b", target, re.I)
        if not (flags & {"stop", "please", "want", "ask"} or mine):
            return None  # "Don't remember, sorry" leaves out its "I"
        return _target("forget", sentence, sentence.index(target, at), target)
    if (f := _FORGET.match(body)) and "stop" not in flags:
        what = re.sub(r"^that\b\s{0,3},?\s{0,3}", "", body[f.end() :].strip(" ,:"), flags=re.I)
        if not what or _PRONOUN.match(what) or re.match(r"to\b", what, re.I):
            return None
        if (
            _NOT_KEPT.match(what)
            or not re.search(r"\b(?:i|i['’]\w+|im|my|we|our)\b|\d", what, re.I)
            or not _VERB.search(what)
        ):
            return None
        return _kept(what, len(sentence))
    return None


def _kept(what: str, end: int) -> Found | None:
    return Found("remember", what, end) if re.search(r"\w", what) else None


def _read_remember(
    sentence: str, bare: str, at: int, m: re.Match[str], flags: set[str], question: bool
) -> Found | None:
    body = bare[at + m.end() :].strip()
    polite = bool(flags & {"please", "want", "ask", "urge"})
    asked = bool(flags & {"please", "want"})
    if c := _COLON.match(body):
        return Found("remember", body[c.end() :].strip(" .") or None, len(sentence), lists=True)
    body = body.lstrip(", ")
    if question and re.search(r"\b(?:told|said|mentioned|talked)\b", body, re.I):
        return None
    if (
        question
        and not asked
        and not re.match(r"that (?:i|i['’]\w+|my|we|our|he|she|they|the|an?|it|on|from)\b|this$|to\b", body, re.I)
    ):
        return None  # "can you remember my name?" asks
    if not body or _BACK.match(body):
        return Found("remember", None, len(sentence)) if m["firm"] or polite or body else None
    that = _THAT.match(body)
    what = body[that.end() :].strip() if that else body
    if not that and _NOT_KEPT.match(body):
        return None
    if to := re.match(r"to\s{1,3}", what, re.I):
        mine = re.search(r"\b(?:i|me|my|us|our)\b", what, re.I)
        return _kept(what[to.end() :], len(sentence)) if mine and "urge" not in flags else None
    if not that and not polite and not m["firm"]:
        words = what.split()
        if not (_VERB.search(what) or len(words) >= 4) or re.search(
            r"\bis an? (?:good|great|bad|nice|classic)\b", what, re.I
        ):
            return None
    return _kept(re.sub(r"^(?:this|it)\s{0,3}[,:–—-]\s{0,3}", "", what, flags=re.I), len(sentence))


def _read_forget(sentence: str, bare: str, start: int, flags: set[str]) -> Found | None:
    polite = bool(flags & {"please", "want", "ask"})
    start += len(bare[start:]) - len(bare[start:].lstrip(" ,:–—-"))
    body = bare[start:]
    if not body or re.match(r"(?:to|it,|it\s{1,3}[,–—-]|about it|me not)(?!\w)", body, re.I):
        return None
    if (p := re.match(r"(?:about )?(?:him|her|them)\b(?=\s{0,3}[,;–—-])", body, re.I)) and not _DISMISS.search(body):
        return Found("forget", p[0].split()[-1], _cut(sentence, start))
    if _PRONOUN.match(body) and not (re.match(r"(?:that|this)\b", body, re.I) and (polite or "may" in flags)):
        return None
    plain = re.sub(r"^about ", "", _ENDING.sub("", body), flags=re.I)
    if _BACK.match(plain) and not (everything(plain) and re.search(r"\bi\b", plain, re.I)):
        said = re.search(r"\bi\b|\bmy\b|message", plain, re.I)
        return Found("forget", None, len(sentence)) if polite or said else None
    if (not polite and _DISMISS.search(body)) or re.match(r"(?:that|this|it)\s{0,3},", body, re.I):
        return None
    if not (_ANY.match(body) or polite or _ID.match(body) or len(body[: _cut(body, 0)].split()) <= 5):
        return None
    return _target("forget", sentence, start, body)


def _cut(s: str, start: int) -> int:
    m = _CUT.search(s, start + 1)
    return m.start() if m else len(s)


def _target(kind: str, sentence: str, start: int, target: str) -> Found:
    """Cut what follows the thing that is meant, and what must be spared with it."""
    end = min(_cut(sentence, start), start + len(target))
    more = sentence[end:]
    stop = (
        end
        if end < start + len(target) and not re.fullmatch(rf"\W*(?:{_REST_WORDS})*\W*", more, re.I)
        else len(sentence)
    )
    spare = _SPARE.match(more)
    found = _about(kind, sentence[start:end], stop)
    return Found(found.kind, found.text, stop, spare["x"].strip(" .!?") if spare else "")


def _about(kind: str, body: str, end: int) -> Found:
    """Name the thing without "what I said about" and the like."""
    body = _ENDING.sub("", body.strip(" .!,:?;")).strip(" .!,:?;")
    if kind == "forget" and everything(body):
        return Found("forget", "everything", end)
    a = _ABOUT.match(body)
    x = a["x"].strip(" .!,:") if a else body
    return Found(kind, "everything" if kind == "forget" and everything(x) else x, end)  # type: ignore[arg-type]
