"""English words that decide what a sentence supports: denials, plans, questions, short answers, kin."""

# ruff: noqa: E501 - lists of words are read line by line
from __future__ import annotations

from typing import Final

NOT: Final = r"\b(?:not|no|none|nothing|nobody|never|without|cannot|neither|nor|non|hardly|barely|isnt|dont|cant|doesnt|wont)\b|n['’]t\b"
NOT_NOT: Final = r"(?:n['’]t|\bnot) (?:half )?bad\b|\bnot only\b|can['’]?t (?:wait|help|complain)|\bno (?:problem|wonder|doubt|worries)\b|\bwhy not\b|(?:n['’]t|\bnot) mind\b|\bnever (?:fails?|failed)\b|\bno (?:hang on|wait)\b|(?:n['’]t|\bnot) un\w+"
ENDED: Final = r"\b(?:stopped|quit|gave up|given up|give up|giving up|gave away|no longer|no more|used to|formerly|cancel(?:l?ed)?|retired|done with|broke up|split up|drop(?:ped)?)\b"
CHANGED: Final = r"\b(?:moved|moving|left|leaving|sold|switched|changed|swapped|replaced|instead|finished|broke|split|died|dead|now|last|done|lost|fired|fell|divorced|gone|closed|expired|passed|ex|off|over|ended)\b"
PLAN: Final = r"\bwish(?! us| me)|\b(?:appl(?:y|ied|ying) (?:for|to)|think(?:ing)? (?:of|about|i['’]?ll)|toying|consider(?:ing)?|plan(?:s|ning)?|want(?:s|ed)? (?:me |us |him |her |them )?to|wanna|would (?:like|love)|hop(?:e|es|ing) (?:to|for)|might|maybe|perhaps|probably|possibly|not sure|dunno|no idea|going to|gonna|will|intend(?:ing)?|someday|one day|dream(?:ing)? of|in talks|interview for|tried (?:\w+ ){1,4}once|tempted|interested in|audition\w*|interview\w*|shortlisted|trying to|looking (?:at|for|into)|waiting list)\b|['’](?:ll|d (?:like|love))\b"
HEDGED: Final = r"\b(?:might|(?-i:may)|maybe|perhaps|probably|possibl\w+|(?:not |un)sure|consider\w*|think\w*|could|undecided|seems?|suspect\w*)\b"
STILL_PLAN: Final = r"\b(?:appl\w+|toying|plan\w*|want\w*|would|hop\w+|going|gonna|will|intend\w*|dream\w*|wish\w*|interview\w*|due|upcoming|supposed|has to|needs? to|must|expect\w*|tried|trying|once|tempted|interest\w*|looking|waiting)\b"
UNREAL: Final = r"\bif (?!you\b)|(?<!doctor )(?<!vet )(?<!\bi )\b(?:says?|said|reckons?|thinks?|claims?|insists?|saying)(?: that)? (?:i|i[\'’]m|my)\b|\b(?:imagine|suppose i|almost|nearly|dream(?:t|ed|ing)?|pretend|just kidding|jk|apparently|supposedly|allegedly|rumou?r\w*|planning|would(?:n['’]t)? have|could have|should have|another life)\b"  # it holds for the rest of its sentence
HEARSAY: Final = r"\b(?:(?:people|they|everyone|everybody) (?:all )?(?:says?|thinks?|claims?)|i (?:never|didn['’]t) (?:say|said)) (?!to\b)"
FICTION: Final = (
    r"\b(?:novel|story|screenplay|lyrics|poem|character|role ?play|song|game|essay|script)\b[^.!?]{0,40}[:：]"
)
ASKS: Final = r"^(?:and |but |so |or |ok(?:ay)? |hey |well |also )?(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|was|were|am|can|could|should|would|will|have|has|any|shall|anyone|who's|what's|where's|how's)(?:['’]s|['’]re)?\b(?! (?:a|an) )|\b(?:wonder(?:ing|ed)?|curious|no idea|not sure|tell me|explain|ask(?:ing)?) (?:if|whether|about|what|how|why|who)\b"
QUESTION: Final = (
    r"^(?:and |but |so |or |ok(?:ay)? |hey |well |also )?(?:(?:who|when|where|why|what|which|how)(?:['’]?s|['’]?re)?"
    r"(?: \w+){0,2}? (?:is|are|was|were|am|do|does|did|should|can|could|would|will|have|has)\b(?! (?:a|an)\b)"
    r"|(?:do|does|did|is|are|was|were|am|have|has|can|could|should|would|will) (?:i|you|we|he|she|it|they|my|our|the|there)\b"
    r"|(?:who|when|where|what|how)['’]?s\b(?! up\b))"
)
ASKS_OF_SELF: Final = (
    r"^(?:and |but |so |ok )?(?:do|am|should|can|could|would|will|shall|did|was|must|may|have) (?:i|we)\b"
)
REQUEST: Final = r"\b(?:please|pls|can you|could you|would you|will you|(?:want|like) you to|from now on|stop|don['’]?t|always|never|keep)\b"
MANNER: Final = r"^(?:the user )?(?:wants?|prefers?|would like|likes?|asks?|answers?|asked|needs?)\b"
MY: Final = r"\b(?:my|our) (?:\w+ )?(\w+)"
ME: Final = r"\b(?:i|i['’]\w+|im|ive|id|me|my|mine|myself|we|we['’]\w+|us|our|ours)\b"
OTHERS: Final = r"^(?:\W|and |but |so |oh |well |ok |apparently |then )*(?:everyone|everybody|people|someone|somebody|he|she|he['’]s|she['’]s|most people|many people|some people|they say)\b"
MY_KIN: Final = r"^(?:\W|and |but |so |oh |well |ok |then |yesterday |today )*(?:my|our|the) (?:\w+ ){0,2}?(?:%s|\w+(?:er|or|ist|ian|mate|lord|lady)|\w+ (?-i:[A-Z])\w+)\b"
DEGREE: Final = r"\b(?:favou?rite|best|most|always|every|fluent(?:ly)?|expert|extremely|daily|constantly|professional|regular(?:ly)?|often)\b"
ANY_DEGREE: Final = r"\b(?:favou?rite|best|most|always|every\w*|fluent\w*|expert|very|really|so|love|adore|each|per|never|whenever|daily|usually|often|all|only|big|totally|absolutely|top|constantly|weekly|monthly|professional\w*|any|nothing beats|obsessed)\b"
RELATIVE: Final = r"\b(?:tomorrow|yesterday|today|tonight|(?:next|last|this|coming) (?:\w+day|week|weekend|month|year|spring|summer|autumn|fall|winter|night|morning|evening|january|february|march|april|may|june|july|august|september|october|november|december)|(?:day|week) (?:after|before) (?:next|last|tomorrow|yesterday)|in (?:a|an|\w+) (?:days?|weeks?|months?|years?)(?! of)|(?:days?|weeks?|months?|years?) ago|a (?:week|year) from)\b"
DAYS: Final = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
YES_LAST: Final = r"\W(?:yes|yeah|yep|yup|yea)\W*$"
FIRST: Final = r"(?:the )?(?:first|former)\b"
LAST: Final = r"(?:the )?(?:second|latter|last)\b"
REASON: Final = r"\b(?:too|because|cos)\b"
YES: Final = r"(?:\W|oh |ah |ha |lol |well |haha |[a-z]{2,12}ly )*(?:yes|yeah|yea|yep|yup|ya|correct|both|right|exactly|indeed|of course(?! not)|sure|true|absolutely|definitely|certainly|(?:i|we|he|she|it|they) (?:do|did|am|are|is|was|were|have|has|does)(?=\W*$)|i do|i am|i have|we do|it is|that['’]s (?:right|true|it|the one)|uh-huh|mhm|aye|totally|always|guilty|spot on|you bet|very much|still do|still am|most days|afraid so|all of)\b(?! please)"
NO: Final = r"(?:\W|oh |ah |ha |lol |well |haha |god |hell |still )*(?:no|nope|nah|not|never|wrong|neither|none|of course not|i don['’]?t|i['’]?m not|i do not|i haven['’]?t|hardly|didn['’]?t|negative|far from)\b"
UNSURE: Final = r"\b(?:maybe|perhaps|dunno|don['’]?t know|not sure|possibly|might|probably|we['’]ll see|depends|hope so|no idea|i think so|i guess|unsure|hard to say|kind of|sort of)\b"
EVADES: Final = r"(?:\W|ha |lol |well |oh )*(?:thanks|thank you|thx|ty|cheers|yes please|please|i wish|rather not|why|none of your|can you|could you|let['’]s|anyway|never ?mind|forget it|next question|what|how|who|skip|pass|ok|okay|fine|hm+|help|write|tell|show|give|explain|good idea|nice|great|cool|sounds good|if only|in my dreams|go on|sure thing)\b"
PAST: Final = (
    r"\b(?:used to|not anymore|no longer|once|in the past|years ago|back then|as a (?:kid|child)|formerly)\b"
)
PAST_TOLD: Final = (
    r"\b(?:used to|former\w*|no longer|once|past|was|were|did|ago|had|as a (?:kid|child)|stopped)\b|ed\b"
)
OFFER: Final = r"\b(?:shall i|should i|can i|may i|do you want me|want me to|would you like (?:me|to hear)|need me to|how about|why don['’]?t (?:you|we)|shall we)\b"
NAMED: Final = r"\b(?:call\w*|named?|names|spell\w*|not|meant)\b"
NO_NAMES: Final = "I User The Dr Mr Mrs Ms Prof AM PM OK TV Would Could Should Will Can Must Has Had Does"
OVER: Final = r"\b(?:to|over|than|instead of)\b"
CAUSE: Final = r"\b(?:because|after (?!\d)|due to|owing to|thanks to|in order to|so that)\b"
OR: Final = r"\bor\b"
NEGATIVE_QUESTION: Final = r"^(?:so )?you (?:don['’]?t|can['’]?t|aren['’]?t|never|haven['’]?t|won['’]?t|didn['’]?t)\b"
NEGATIVE: Final = r"\b(?:dislikes?|hates?|avoids?|detests?|afraid|scared|allerg\w+|intoleran\w+|lacks?|refuses?|fears?|loathes?|averse|abstains?|teetotal|vegan|vegetarian|only child|unable|banned|free of)\b|\w+-free\b"
KIN: Final = "mother mum mom mama mam|father dad papa daddy|sister|brother|son lad|daughter|wife|husband|partner boyfriend girlfriend fiancé fiancée|child children kid kids baby|aunt auntie|uncle|cousin|grandma grandmother granny nana|grandpa grandfather granddad|niece|nephew|friend mate bestie|boss manager|colleague coworker|neighbour neighbor|roommate flatmate housemate|dog puppy|cat kitten|ex|parents|twins|in-laws"
SLOTS: Final = "live lives lived living move moved moving home house flat|work works worked working job fired hired quit office retired|married divorced single engaged split wedding together|name named called|age old birthday turned|study studies studying school university college degree graduated|vegan vegetarian meat|smoke smokes smoking cigarettes"
FOREIGN: Final = "y|en|el|es|los|las|una|que|con|por|su|mi|le|les|une|et|est|sa|avec|chez|der|das|und|ist|ein|eine|einen|mit|im|seit|il|gli|di|che|vive|trabaja|tiene|habite|arbeitet|wohnt|na|w|het|een|och|um|uma|com"  # small words of other languages in Latin script
PRONOUN: Final = (
    r"\W*(?:and |but |so )?(?:it|he|she|they|that|this|these|those|his|her|its|their|both)\b"  # at the head
)
CORRECTS: Final = r"^\W*(?:no|nope|sorry|correction|wait)\b\W*,?|\b(?:actually|scrap that|i meant|turns out|misread|got (?:it|that) wrong|not any ?more|any ?more|no longer|moved to|shifted|instead|after all|done with)\b|\bnot (?:on |at |the )?\w+[,;] (?:but )?"
