"""English words by which recall reads a message: what it asks, of whom, of which time, and what it only says."""

# ruff: noqa: E501, SIM905 - patterns and lists are read line by line
from typing import Final

from memory.text.en.dates import MONTHS, WEEKDAYS

_NAMES_OF_TIMES: Final = f"{'|'.join(MONTHS)}|{'|'.join(WEEKDAYS)}"

# Another clause or question begins; the message comes to its point; two that are compared.
CLAUSE: Final = r"\b(?:and also|by the way)\b"
NEXT: Final = r"\b(?:and also\b|by the way\b|also,)"
TURN: Final = r"\b(?:actually\b|what i (?:really|actually)|my (?:real )?question\b|i (?:really )?(?:meant|wanted) to (?:ask|know)\b|anyway\b|wait\b|hold on\b|scratch that\b)"
EITHER: Final = r"\band\b|\bor\b"
WHICH: Final = "which|who"

# A question; a request that knowing the person helps with.
ASKS: Final = (
    r"^\s{0,9}(?:so |and |but |hey |ok |well )?(?:who|whom|whose|what(?! an? | (?:i|we|you) (?:would|want|need|mean))|when|where|which|why|how|do|does|did|is|are|was|were|am|can"
    r"|could|should|would|will|have|has|had)\b|\b(?:(?:tell|remind) me\b|remember (?:what|who|when|where|which|how|my|the)\b|(?:what|where|who|which|when|how)(?:'s|'d|'re)\b)"
)
WANTS: Final = r"\b(?:recommend|suggest|advice|advise|help me|plan|book|(?<!out of )(?<!in )order|choose|pick|gift|idea|ideas|show me|list|look up|find)\b"

# What anybody could be asked, or told to do: general knowledge, sums, the weather, a joke, a text to be written.
WORLD: Final = (
    r"\b(?:how (?:do|can|could|would|should) (?:i|you|we|one|people)\b(?! (?:feel|usually|like|know|get to|look))"
    r"(?![^.?!]* (?:now|nowadays|at (?:the moment|present)|these days|currently|every (?:day|morning|week))\b)|how to\b"
    r"|why (?:is|are|do|does|can|can't|don't) (?:the|a|an|people|we|there|\w+s)\b"
    r"|what(?:'s| is| are| was) (?:the )?(?:capital|population|meaning|definition|synonym|opposite|plural|past tense|square root|distance"
    r"|speed|formula|difference between|weather|temperature|president|king|queen|best way|\w+est)\b"
    r"|what(?:'s| is) the (?:time|date)\b(?! (?:of|for|when|on)\b)"
    r"|what (?:does|do) [^?]{1,40} mean\b|what (?:time|day|date|year|month) is (?:it|today)\b|what year did the\b"
    r"|who (?:wrote|invented|painted|discovered|composed|directed|founded|built|is the (?:president|king|queen|prime minister|author|mayor))\b"
    r"|how (?:many|much|far|tall|old|long|big|deep) (?:\w+ )?(?:does|do|is|are|are in|in) (?:a|an|the)\b|which is \w+er\b"
    r"|rhymes? with\b|(?:weather|forecast|rain(?:ing|y)?|snow(?:ing|y)?|sunny)\b"
    r"|in (?:python|javascript|java|sql|excel|html|css|rust|bash|french|german|spanish|japanese|chinese|english|italian)\b"
    r"|(?:how|what|why|when|where) do (?!my\b|our\b|his\b|her\b|their\b)(?:\w+ )?(?!this\b|James\b)\w{3,}s\b|(?:which|what) (?:country|century|language) (?:do|does|did|is|was) (?!(?:i|we|my|our)\b|(?-i:[A-Z]))"
    r"|is \w+ the same as\b|(?:do|are) (?:people|most people)\b|pick an? (?:number|colou?r|card)\b)"
    r"|^\W{0,20}(?:please |can you |could you |would you )*(?:write|compose|translate|explain|define|summari[sz]e|calculate|compute|convert"
    r"|rewrite|proofread|correct|paraphrase|spell|sing|draw|code|name|count|(?:give|tell) me (?:an?|some|another|something))\b"
    r"|^\W{0,20}(?:[\w']+ ){0,6}(?:jokes?|riddles?|poems?|haikus?|limericks?|fun facts?|synonyms?)\b|^\W*(?:imagine|pretend|suppose)\b"
    r"|\d ?(?:times|plus|minus|divided by|x|\*|\+|/|percent of|% of) ?\d"
)

# What kind of answer is asked for, and what such an answer has.
ASKS_WHEN: Final = r"\b(?:when|what (?:year|month|date|day|time)|how long|since when)\b"
SAYS_WHEN: Final = (
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|this (?:week|month|year|weekend|morning)|ago|week(?:end)?s?|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"|{'|'.join(MONTHS)}|summer|winter|spring|autumn|fall|since|(?:19|20)\d\d|recently|soon)\b|\d{{1,2}}:\d\d"
)
ASKS_HOW_MANY: Final = r"\bhow (?:many|much|often|old|long|far|tall)\b"
SAYS_HOW_MANY: Final = r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|once|twice|half|couple|few|several)\b"
ASKS_WHERE: Final = r"\b(?:where|(?:which|what) (?:city|country|place|state|town))\b"
SAYS_WHERE: Final = (
    rf"\b(?:in|at|to|from|near|around|visited|through) (?:the )?(?!{_NAMES_OF_TIMES})(?-i:[A-Z][a-z]+)"
)

# Which of several that were true one after another is meant: the last, or one before it.
ASKS_LATEST: Final = (
    r"\b(?:now|nowadays|these days|currently|current|at (?:the moment|present)|latest|newest|most recent)\b"
)
ASKS_EARLIER: Final = r"\b(?:(?:previous(?:ly)?|former(?:ly)?|originally|earlier|prior)\b|used? to\b|before(?: (?:that|this|it|then))?\s{0,9}(?:[?.!,;]|$)|before (?:(?:that|this|the) )?(?:last )?(?:chang|mov|switch)\w*)"

# Words that choose among what was said before; and words that merely stand for it, which a question may lean on.
CHOOSES: Final = (
    r"\b(?:ones?|first|second|third|fourth|last one|other|another|former|latter|both|same|instead|more|else)\b"
)
STANDS_FOR: Final = r"\b(?:it|its|that|this|those|these|them|they|there|then|he|she|his|her|him|again)\b"

# The speaker, and who is spoken of as theirs: what a question about one's own life has, and one about the world has not.
OWN: Final = r"\b(?:user|i|me|my|mine|myself|we|us|our|i'm|i've|i'd)\b"
PERSONAL: Final = r"\b(?:i|me|my|mine|we|us|our|ours|myself|i'm|i've|i'd)\b"
POSSESSIVE: Final = r"\b(?:my|mine|our|ours|again)\b"  # in what is told: "my sister called", not "I am tired"
OF_THE_ASSISTANT: Final = r"\b(?:(?:can|could|will|would) you (?!remember|know|recall)\w+ me\b|(?:can|could|will|would|do|are|have) you\b(?! (?:remember|know|recall))|(?:tell|give|show|help|let) me\b(?! (?:about|what|who|when|where) (?:my|i)\b)|your(?:self)?\b)"
# Whom it asks, or what it just said: the assistant. Not where it is asked what it knows of somebody.
YOU: Final = r"\byou(?:r|rs|rself|'re|'ve|'d|'ll)?\b(?! (?:remember|know|recall|tell me about))"

# Not looked for: what is to be done with the answer, and of which time it is.
_BEGINS: Final = r"(?:^|(?<=[.!?;:,。！？；：，、\n]))\s{0,9}"
_POLITE: Final = r"(?:(?:please|so|and|but|ok|okay|well|hey|now|just|also|(?:can|could|would|will) you|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to)\b,?\s{0,9})*"
INSTRUCTS: Final = (
    rf"{_BEGINS}{_POLITE}(?:tell me|remind me|let me know|show me|give me|list(?: me)?|enumerate|summari[sz]e|recap|sum up|describe|recall"
    r"|(?:run|walk) me through|go over|help me (?:to )?(?:remember|recall)|(?:name|find|find out|look up)(?= (?:all|every\w*|each|what|where|when|who|which|how|the \w+s\b|two|three|four|five|\d)))\b"
    r"(?:\s{1,9}(?:again|(?:an?|the|some|your|full|complete|short|brief|quick|detailed|whole)\b|lists?|summary|overview|recap|rundown|details?|information|info|all|every|each|everything|anything"
    r"|whatever|there is|you (?:know|have|remember)|what you (?:know|have|remember)|of|about|on|regarding))*(?=\W|$)"
    r"|\b(?:(?:everything|anything|all) (?:that )?you (?:know|remember|have)|one by one|in (?:short|a few words)|if you (?:can )?(?:remember|know|can))\b"
    r"|(?<=[.,!?;] )(?:please )?(?:list|name|give me|tell me|show me) (?:all of )?(?:them|it|those)\b(?: all)?"
)
OF_WHICH_TIME: Final = (
    r"\b(?:before (?:that |it |the |this )?(?:changed?|changes|changing)\b|before(?=\s{0,9}(?:[?.!,;]|$))|(?:previously|formerly|earlier|currently|nowadays|presently)\b"
    r"|(?:in the past|back then|these days|at the moment|at present|right now|any ?more)\b|(?:has|have) (?:any|some)thing changed\b)"
    r"|(?<=what )(?:(?:has|have|is|was) )?(?:changed|different)\b|(?<=what's )(?:changed|different)\b"
)

# What everybody uses of everything; manners, moods and turns of talk; what says that a look back is wanted.
COMMON: Final = """good great nice best better love like want need feel day days today tomorrow yesterday time times year years week month months morning
    night people person life work working job home house new old big little long first last next back come take give get see look find happy
    keep start try call name say talk mean friend friends place always often use live food weekend user""".split()
SOCIAL: Final = """hey hi hello bye goodbye wow haha lol hmm oh ah thanks thank please sorry sure right fine cool yeah yep awesome great amazing nice lovely
    perfect welcome wait moment second see back again idea problem mind guess today tonight morning night evening afternoon boring tired
    funny agree exactly nothing hope bit help story joke question answer""".split()
ABOUT_MEMORY: Final = "past history previously previous before earlier long ago former review remember memory recall last yesterday tell told".split()

# People: verbs after a name that opens a sentence; what is no name in spite of its capital; what begins a thing.
ACTS: Final = (
    "is was will would can can't could couldn't did didn't may might must never always still also just got went gave took came told said made bought sold sent left found"
    " felt saw met kept brought grew began forgot paid put drove lost won thought knew hurt let wore broke chose"
).split()
NO_NAMES: Final = "The This That What When Where Which Who Why How And But For Has Had His Her Its Our Their They There Here Let She It He Christmas Easter English Chinese User".split()
THING: Final = r"(?:the|this|that|these|those|there|it)\b"
