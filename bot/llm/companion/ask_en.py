# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English questions about the user: which slots they ask for, of whom, and in which way."""

from __future__ import annotations

import re

from bot.llm.companion.lists_en import RELATION, core
from bot.llm.companion.people_en import relation
from bot.llm.companion.want import Want

_START = re.compile(
    r"^(?:(?:and|so|but|ok(?:ay)?|well|hey|hi|hello|then|also|please|now|wait|hmm+|um+|oh|no|yes|ebb|sorry|by the way|btw|quick question|one question)[\s,!.]{1,9})*"
    r"(?:(?:(?:can|could|would|will) you (?:please )?|please )?(?:tell|remind) me (?:again )?(?:(?:of|about) )?(?=wh|how|if|that|my|i\b|again)|"
    r"(?:(?:do|can|would|will|did) (?:you|u) )?(?:(?:still|even|happen to|actually|maybe|perhaps|by any chance) )*(?:(?:you|u) )?(?:know|remember|recall|have any idea|any idea)(?: (?:of|about))?[,:]? ?(?=wh|how|if|that|my|i\b)|"
    r"(?:have|did|had) i (?:ever |already |even )*(?:tell|told|mention(?:ed)?|say|said)(?: to)?(?: you)?(?: (?:about|of))? (?=wh|how|if|that|my|i\b)|"
    r"any idea (?:of |about )?(?=wh|how|if|my)|"
    r"i(?:'d| would) like to know |i want to know |i forgot |i(?:'ve| have) forgotten |i wonder |i was wondering |guess |i can't remember |i cannot remember |i don't remember |what was it again[,:]? )?(?:if |whether |that )?",
    re.I,
)
_AUX = r"am|was|can|could|should|will|would|must|have(?= (?:been|to))"
# The word order of a question inside another one → that of the question itself.
_DIRECT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(p, re.I), by)
    for p, by in (
        (r"^(?P<w>(?:what|who|where|when|why|which|how)\b(?: (?!i\b|my\b|is\b|are\b|do\b|did\b|does\b)[\w']+){0,3}) i have to (?P<r>.+)$", r"\g<w> do i have to \g<r>"),
        (rf"^(?P<w>(?:what|who|where|when|why|which|how)\b(?: (?!i\b|my\b|is\b|are\b|do\b|did\b|does\b)[\w']+){{0,3}}) i(?P<b>'m| (?:{_AUX}))(?P<r>\b.*)$", r"\g<w>\g<b> i\g<r>"),
        (r"^(?P<w>(?:what|who|where|when|why|which|how)\b(?: (?!i\b|my\b|is\b|are\b|do\b|did\b|does\b)[\w']+){0,3}) i (?P<r>(?!told|said|mentioned)\w.*)$", r"\g<w> do i \g<r>"),
        (r"^(?P<w>what|who|where|when|which|how old|how tall|how)(?P<s> my (?:[\w'-]+ ){0,4}?[\w'-]+) (?P<b>is|are|was|were)(?P<r> (?:called|named|again|now|from|at|on|allergic to|scheduled|planned))?$", r"\g<w> \g<b>\g<s>\g<r>"),
        (r"^i(?:'m| am) (?P<r>.+)$", r"am i \g<r>"),
        (r"^i (?P<r>(?!do\b|did\b|told|said|mentioned)\w.*)$", r"do i \g<r>"),
        (r"^(?P<s>my (?:[\w'-]+ ){0,2}?[\w'-]+) (?P<b>is|are) (?P<r>.+)$", r"\g<b> \g<s> \g<r>"),
        (r"^(?P<s>my [\w' -]{1,9})$", r"what is \g<s>"),
    )
)  # fmt: skip


def direct(asked: str) -> str:
    """`where I live` → `where do i live`, `what my job is` → `what is my job`."""
    asked = re.sub(r"^(\w+)'m i\b", r"\1 am i", asked)
    for pattern, by in _DIRECT:
        if pattern.match(asked):
            return re.sub(r"^(\w+(?: \w+){0,3})'m i\b", r"\1 am i", pattern.sub(by, asked))
    return asked


_R = rf"my (?P<r>{RELATION})"
_RULES: tuple[tuple[str, Want], ...] = (
    (r"what (?:else )?do you (?:know|remember|recall|have)(?: (?:stored|saved))?(?: (?:of|about|on) me)\b|what have (?:I told you|you (?:learned|learnt))(?: about me| so far)?$|tell (?:me )?(?:everything |all |something |more )?(?:you know )?about (?:me|myself)$|^about (?:me|myself)$|^everything you know|^who am i(?: to you)?$|what (?:did|have) i (?:tell|told) you(?: about me| so far)?$|do you (?:know|remember) (?:anything about )?me\b|^me$", Want("all")),
    (r"what (?:did|have|were) (?:we|i) (?:talk(?:ed|ing)?|discuss(?:ed|ing)?|chat(?:ted|ting)?|speak(?:ing)?|spoken)(?: about)?(?: (?P<t>.*))?$|what was (?:our|the) (?:last|previous|earlier) (?:conversation|chat|talk)|(?:our|the) (?:last|previous) (?:conversation|chat|talk)|what did (?:we|i) (?:say|do|tell you) (?:last time|yesterday|before|earlier|the other day)|where (?:did we leave off|were we)|what (?:did|have) i just (?:say|said|tell|told|mention)", Want("last")),
    (r"(?:what(?:'s| is| was)? (?:my|the) (?:nick ?name)|what (?:do|should) (?:you|people) call me)", Want("slot", ("nickname", "name"))),
    (r"(?:what(?:'s| is| was)?|know|remember|recall|say|^)\s{0,9}my (?:full |first |last |real |own )?name\b|what am i called|what do you call me", Want("slot", ("name", "nickname", "surname"))),
    (r"how old am i|(?:what(?:'s| is)|^) ?my age\b", Want("slot", ("age", "turning", "birthday"))),
    (r"(?:when|what(?:'s| is| day| date)?)[^.]*\bmy (?:birthday|birth ?date|date of birth|bday)|when was i born|^my birthday$|how (?:long|many days) (?:until|till|to) my birthday", Want("slot", ("birthday",))),
    (r"\bmy (?:family|relatives|people|loved ones)\b", Want("slot", ("relation:", "about:", "count:"))),
    (r"what(?:'s| is) my (?:home )?address", Want("slot", ("address", "home"))),
    (r"where (?:do|am|did) i (?:live|living|stay|reside|based|move)|(?:which|what) (?:city|town|country|place) (?:do|am) i (?:live|living|in|based)|where(?:'s| is) my (?:home|house|place)|my (?:home ?)?city", Want("slot", ("home", "address", "living"))),
    (r"where (?:am i|do i come) from|where was i born|where did i grow up|my home ?town|what(?:'s| is) my (?:nationality|origin)|(?:what|which) country am i from", Want("slot", ("origin", "nationality"))),
    (r"where do i work|who do i work for|(?:what(?:'s| is)|which) (?:is )?my (?:company|employer|workplace)|(?:which|what) company", Want("slot", ("employer", "work_place", "job"))),
    (r"what (?:did i (?:use(?:d)? to )?do (?:for (?:a living|work)|before)|was my (?:old |former |previous |last )?(?:job|profession|work)|did i (?:use to |formerly |previously )?work as)", Want("slot", ("past:job", "job"))),
    (r"what do i do(?: for (?:a living|work|money))?$|what(?:'s| is) my (?:job|profession|occupation|work|career)|what do i work (?:as|in)|what kind of work", Want("slot", ("job", "employer", "field", "work_place", "study"))),
    (r"what (?:do|did|am) i (?:study|studying)|(?:what(?:'s| is)) my (?:major|degree|field)|where (?:do|did) i (?:study|go to (?:school|university|college))|which (?:school|university)", Want("slot", ("study", "school", "past:study", "past:school"))),
    (r"(?:what|which)[^.]*\bam i allergic|what(?:'s| are| is) my allerg|(?:do i have|have i) (?:any|got any)? ?allerg|^my allerg|am i allergic to (?:anything|something)", Want("slot", ("allergy",))),
    (r"what (?:can't|cannot|shouldn't|should i not|can i not|don't|do i not) (?:i )?(?:eat|drink)|what(?:'s| is) my diet|(?:any )?dietary|what foods? should i avoid|am i on a diet", Want("slot", ("allergy", "diet", "diet:eat", "diet:drink", "diet:avoid"), holds=None)),
    (r"(?:can|may|should|could) i (?:eat|drink|have|try) (?P<t>.+)$", Want("safe")),
    (r"what(?:'s| is| was| are) my (?:all[- ]time )?favou?rite (?P<t>[\w ]{1,9})|(?:which|what) (?P<t2>[\w ]{1,9}?) (?:do i like|is my favou?rite)(?: (?:the )?(?:most|best))?$", Want("favourite")),
    (r"what (?:do|don't|did) i (?:not like|dislike|hate|can't stand|not enjoy)|what don't i (?:like|enjoy|eat)|what (?:can't|cannot) i stand|(?:my|any) dislikes|things? i (?:hate|dislike|don't like)", Want("slot", ("like",), holds=False)),
    (r"(?:what (?:kind of |sort of )?(?P<t>food|music|movies?|films?|books?|sports?|games?|drinks?|animals?)s? do i (?:like|love|enjoy|prefer))|what (?:do|else do|things do) i (?:like|love|enjoy|prefer)(?: (?:to )?(?P<v>eat|drink|do|watch|play|read|listen)(?:ing)?(?: to)?)?(?: .*)?$|what are my (?:likes|hobbies|interests|tastes|preferences|passions)|(?:my|any) hobb(?:y|ies)|things i (?:like|love)|what are my hobbies", Want("slot", ("like", "hobby", "favourite:", "prefer:"))),
    (rf"(?:what(?:'s| is| are| was)|do you (?:know|remember)|know|remember|say|^)\s{{0,9}}(?:the names? of )?{_R}(?:'s|s'|s)? ?(?:names?|called|named)?$|what (?:do i call|did i (?:name|call)|is the name of|are the names of|'s the name of) {_R.replace('<r>', '<r2>')}|who(?:'s| is| are) {_R.replace('<r>', '<r3>')}", Want("relation")),
    (rf"(?:when|what|how|where|who|which|is|does|do|has|can|are|tell me about|about)\b.{{0,200}}\b{_R}\b(?P<rest>.*)$", Want("about")),
    (r"(?:do i have (?:any |a |an )?|how many )(?P<t>pets?|siblings?|kids|children|brothers?(?: or sisters?)?|sisters?|cats?|dogs?|friends?|family|car|bike|partner|girlfriend|boyfriend|wife|husband|job|hobb(?:y|ies))\b", Want("have")),
    (r"(?:am|was) i (?:married|single|divorced|engaged|in a relationship)|(?:what(?:'s| is) )?my (?:marital|relationship) status|do i have a (?:partner|spouse)", Want("slot", ("marital", "relation:wife", "relation:husband", "relation:spouse", "relation:girlfriend", "relation:boyfriend", "relation:partner"))),
    (r"what (?:car|kind of car|bike|vehicle) (?:do|did) i (?:have|drive|own|ride)", Want("slot", ("attr:car", "have:", "attr:bike"))),
    (r"(?:what|which|how many) languages (?:do|can|am) i|what(?:'s| is) my (?:native|mother) (?:language|tongue)|my languages", Want("slot", ("language", "native"))),
    (r"what (?:did|have) i decide[d]?", Want("slot", ("decision",))),
    (r"what (?:am i|are i) (?:good|bad) at|what (?:are|'re) my skills|what can i (?:do|play|cook)\b|my skills|which instruments?", Want("slot", ("skill", "language"), holds=None)),
    (r"what (?:\w+ )?am i (?:currently |still )?(?:learning|working on|studying for|studying|training for|saving for|preparing for|writing|building|planning)|what(?:'s| are| is) my (?:goals?|dreams?|ambitions?|resolutions?|long[- ]term plans|wish(?:es)?)|what do i want(?: to (?:do|learn|become|achieve))?|what am i (?:trying|hoping|planning) to|what did i decide|my (?:goals|decisions)", Want("slot", ("goal", "project", "decision"))),
    (r"(?:what are my (?:habits|routines?)|my (?:morning|evening|daily) routine|what do i (?:usually |normally |always )?do (?:every|each|in the|on|after|before|at)\b|when do i (?:wake|get up|go to (?:bed|sleep))|what time do i (?:usually )?(?:wake|get up|go to (?:bed|sleep)|sleep))", Want("slot", ("habit", "wake_time", "sleep_time"))),
    (r"^(?!when\b|what time|where\b|how\b|who\b)(?:.*?\b)?(?:do i have|have i got|is there|are there|what do i have|what(?:'s| is) (?:on|coming up|happening|planned|next)|what(?:'s| are| is) my (?:plans?|schedule|agenda|appointments?|to-?dos?|calendar|tasks?)|what am i (?:doing|up to|supposed to do)|what (?:should|must|do) i (?:need to |have to )?do|anything (?:planned|on|scheduled|coming up)|any (?:plans|appointments|meetings)|what's (?:on )?(?:my|the) (?:schedule|calendar|agenda)|my (?:plans|schedule|to-?do list|todos?|agenda))\b", Want("plans")),
    (r"(?:when|what (?:time|day|date)|on (?:what|which) day|how (?:long|many days) (?:until|till|to|before)|where|at what time)\b.*?\b(?:is|are|was|were|do i have|does|did|will|am i|until|till|to|before|do i)\b\s{0,9}(?:(?:my|the|our|that|have|go(?:ing)? to|meet(?:ing)?|fly(?:ing)?|leav(?:e|ing)|see(?:ing)?)\s{1,9})*(?P<t>.+)$", Want("when")),
    (r"(?:do|did|don't) i (?:still |really |actually |even |ever )*(?P<v>like|love|enjoy|hate|dislike|prefer|drink|eat|smoke|use to like|speak|play|own|have|live in|live|work at|work for|work as|want|know)(?: to| a| an| the| any)? ?(?P<t>.+)$", Want("yesno")),
    (r"(?:am|was) i (?:still |really |actually |not ){0,9}(?P<v>allergic to|from|afraid of|into|a|an|good at|learning|married|in)? ?(?P<t>.+)$", Want("yesno")),
    (r"can i (?P<v>speak|play|swim|drive|cook|sing|ride|ski|dance) ?(?P<t>.*)$", Want("yesno")),
    (r"(?:what (?:did |have |do |had )?(?:i (?:say|said|tell you|told you|mention(?:ed)?|think)|you (?:know|remember))|tell me (?:more |something )?|anything|do you (?:know|remember) (?:anything )?)(?: (?:about|of|on|regarding)) (?P<t>.+)$", Want("topic")),
    (r"(?:who|what)(?:'s| is| was| are) (?P<t>(?-i:[A-Z])[\w' -]{1,9})$|do you (?:know|remember) (?P<t2>(?-i:[A-Z])[\w' -]{1,9})$", Want("who")),
    (r"(?:what|which|whose|who|where|when|how)\b.*\bmy (?P<t>.+)$", Want("topic")),
)  # fmt: skip
_COMPILED = tuple((re.compile(p, re.I), w) for p, w in _RULES)
_STRIP = re.compile(
    r"\s{1,9}(?:again|please|now|then|anyway|once more|by the way|btw|exactly|currently|nowadays|these days|right now|at the moment|you know|remember|ebb)$",
    re.I,
)


def want(question: str) -> Want | None:
    """What an English question asks of the user's life; None if it asks nothing of that kind."""
    text = re.sub(r"\b(when|where)'s\b", r"\1 is", question.strip(" ?!.,").replace("’", "'"), flags=re.I)
    while (shorter := _STRIP.sub("", text).strip(" ,")) != text:
        text = shorter
    bare = _START.sub("", text, count=1).strip() or text
    if bare != text:
        bare = direct(bare)
    elif re.match(r"(?:what|who|where|when|which|how)\b.{0,24} (?:i|my)\b", bare, re.I):
        bare = direct(bare) if re.search(r" (?:is|are|was|were)$", bare) else bare
    for pattern, w in _COMPILED:
        m = pattern.search(bare) or (pattern.search(text) if bare != text else None)
        if m:
            g = {k: v for k, v in m.groupdict().items() if v}
            rel = g.get("r") or g.get("r2") or g.get("r3") or ""
            return w.of(
                text,
                relation=relation(rel) if rel else "",
                topic=core(g.get("t") or g.get("t2") or ""),
                verb=(g.get("v") or "").lower(),
                rest=g.get("rest", ""),
            )
    return None
