"""English words that ask for a look back, or for what was talked about lately, and their false friends."""

# ruff: noqa: E501 - a table of patterns is read line by line
from typing import Final

_NUM: Final = r"(?:few|couple(?: of)?|several|\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_ME: Final = r"(?:i|we|you|he|she|they|it|my \w+|our \w+)"
# Struck out first: half past, used to it, history class, code review.
NOT_REVIEW: Final = (
    # past: times of day, ways, tenses, debts, and recent stretches of time
    r"\b(?:half|quarter|twenty|twenty-five|ten|five|\d+|minutes?|just|right|way|well|long) past\b"
    r"|\b(?:get|gets|getting|got|go|goes|going|went|gone|walk\w*|drive|drives|driving|drove|run|runs|running|ran"
    r"|ride|riding|rode|pass\w*|mov\w+|look|looks|looking|slip\w*|cycl\w+|flew|fly|push\w*|see|come|came|bus"
    r"|train) (?:\w+ ){0,2}?past\b"
    r"|\bpast (?:the|a|an|noon|midnight|bedtime|my bedtime|tense|participle|perfect|due|it|me|him|her|us|them"
    r"|\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|continuous|paper|papers|exam|exams)\b(?! (?:years?|decades?))"
    rf"|\b(?:in|for|over|during) (?:the|this) past (?:{_NUM} )?(?:seconds?|minutes?|hours?|days?|weeks?|month|months"
    r"|nights?|weekend|week-end)\b"
    rf"|\b(?:the|this|these) past (?:{_NUM} )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|nights?|weekend)\b"
    # used to: accustomed, or put to use
    r"|\b(?:am|'m|is|'s|are|'re|was|were|be|been|being|get|gets|getting|got|gotten|become|became|becoming|not"
    r"|never|so|more|quite|already|well) used to\b"
    r"|\bused to (?:it|that|this|these|those|the|a|an|him|her|them|you|being|having|doing|living|working|getting"
    r"|my|your|his|our|their)\b"
    # history: a subject, a thing of the world, a browser's
    r"|\b(?:(?:my|our|the|a|her|his|your|art|world|ancient|modern|family|natural|\w+) )?history (?:class\w*|lessons?"
    r"|teachers?|books?|exams?|tests?|homework|essays?|degree|major|course\w*|museums?|channel|buff|lectures?"
    r"|department|student\w*|professor\w*|podcast\w*|paper\w*|project\w*|quiz\w*|novels?|trivia)\b"
    r"|\b(?:browser|browsing|search|git|commit|version|bash|shell|command|credit|medical|family|natural|world|art"
    r"|ancient|modern|american|british|chinese|european|roman|military|music|film|oral|recent) history\b"
    r"|\bhistory (?:of|in|repeats|is written|was made|will)\b(?! (?:our|my|us|me)\b)"
    r"|\bmak(?:e|es|ing) history\b"
    # review: of code, films and performance
    r"|\b(?:code|peer|performance|film|movie|book|literature|design|product|restaurant|annual|quarterly|year[- ]end"
    r"|sprint|security|contract|paper|rave|bad|good|under|in|for|up for|online|google|amazon) reviews?\b"
    r"|\breview (?:this|that|the|a|an|these|it|board|panel|meeting|process|copy|session|for)\b"
    # looking, back
    r"|\blook(?:s|ing)? back (?:at (?:me|you|him|her|us|them|the camera)|over (?:my|your|his|her) shoulder"
    r"|(?:in|on) (?:an hour|a minute))\b"
    r"|\b(?:come|be|get|go|right|way|head\w*|drive|walk) back (?:to|from|home|in)\b"
    r"|\b(?:the )?(?:day|night|week|month|year|morning|evening|long|ever|never|as|than) before\b"
    r"|\bonce upon a time\b|\bhow long ago (?:is|was) (?!i\b|we\b)"
    r"|\bearly days yet\b|\bit'?s (?:still )?early days\b"
)
REVIEW: Final = (
    r"\b(?:in|from|of|about) (?:the|my|our) past\b"
    r"|\b(?:my|our) past\b"
    r"|\b(?:the|these|those|over the) past (?:\w+ )?(?:years?|decades?)\b"
    r"|\bpast (?:memories|conversations?|chats?|preferences?|opinions?|plans?|life|self|me|selves|jobs?|homes?|hobbies)\b"
    rf"|\b{_ME} used to\b|\bdid(?:n't)? {_ME} use to\b|\bwhat {_ME} used to\b"
    r"|\b(?:my|our) (?:\w+ )?history\b|\b(?:chat|conversation|memory) history\b|\bhistory (?:with|between|of) (?:you|us|our|my|me)\b"
    r"|\blong ago\b|\b(?:a )?long(?:,? long)? time ago\b|\b(?:years|decades|ages|many years|a year|\w+ years) ago\b|\bway back\b"
    r"|\bback (?:then|in the days?|when (?:i|we)\b|in (?:19|20)\d\d)|\bin those days\b|\bin the old days\b|\bthe old days\b"
    r"|\blook(?:s|ing)? back\b|\b(?:take|have) a look back\b|\breminisce|\bdown memory lane\b"
    r"|\breview (?:my|our|what|everything|mode|all|past|old|me)\b|\breview of (?:my|our|what)\b"
    r"|\bpreviously\b|\bformerly\b|\bin (?:my|our) (?:early|earlier|younger) (?:days|years)\b|\bin the early days\b|\bearly on\b"
    r"|\bonce (?:told|said|mentioned|liked|loved|lived|worked|had|wanted|hated|thought|planned)\b"
    r"|\b(?:have|had|did|has|what|where|which|who|whom|how|when)\b[^.!?]*\bbefore\s*(?:[?.!]|$)"
    r"|\bover the years\b|\ball these years\b"
)
# It points at a conversation by itself; a day does so only beside a word of talking.
BACK: Final = (
    r"\b(?:the )?last time\b"
    r"|\b(?:last|previous|our last|the previous|the other) (?:chat|conversation|session|talk)\b"
    r"|\bjust now\b|\b(?:a )?(?:moment|minute|few minutes|little while|while|bit) ago\b"
    r"|\bwhere (?:did we|were we|we) (?:leave|left|stop)|\bwhere were we\b|\bpick up where\b"
)
NOT_BACK: Final = (
    r"\bfor the last time\b|\blast time i (?:checked|looked)\b|\bthe last time i(?:'ll| will)\b|\bone last time\b"
    r"|\b(?:this|it) is the last time\b|\bthis'll be the last time\b"
)
DAY: Final = (
    r"\byesterday\b|\blast (?:night|week|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
    r"|\bthe other (?:day|night|week)\b|\bthis morning\b|\bearlier(?: today)?\b|\brecently\b|\blately\b|\bfew days ago\b"
)
TALK: Final = (
    r"\b(?:talk|chat|discuss|mention|tell|told|say|said|speak|spoke|ask|conversation|convers)\w*\b"
    r"|\b(?:we|us) (?:\w+ )?about\b|\bremember\b|\bcontinue\b|\bgo on\b|\bpick up\b|\b(?:did|were) we\b"
)
