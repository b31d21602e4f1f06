# ruff: noqa: E501 - alternatives that are read together stay on one line
"""English words that announce, ask about or end a text that is not the person's own."""

from __future__ import annotations

# Asked of a text, even where nothing else points at one: "translate: …".
EDITS = (
    r"translat\w+|summari[sz]\w+|sum(?: this)? up|tl;?dr(?=$|:| this)|proof-?read\w*|rephras\w+|reword\w*|paraphras\w+|rewrit\w+|shorten|"
    r"simplif\w+|convert\b.{0,20}|transcribe|spell-?check|explain(?= this| the| to me)|^(?:in)?to \w{4,12}(?: pls| please)?$|(?:fix|correct|polish|check)\b.{0,20}\bthis(?! out)\b|in plain english|"
    r"write (?:me )?a \w+ (?:that|which) (?:begins|starts|ends)|continue (?:this|the)|begins? with$"
)
# Asked of a text only where it points at one: "check this", "fix my German".
ASKS = (
    r"check|fix|correct|edit|polish|improve|explain|analy[sz]e|review|interpret|reply to|respond to|answer|read|say|says|mean|"
    r"means|format|tidy|grade|critique|turn|make|reads?|think of|make of"
)
# What stands before the verb of a request.
REQUEST = r"\W*(?:(?:ok|hey|hi|ebb|so|now|and|then|also|please|pls|can|could|would|will|you|u|help|me|i|need|want|like|to|just)\W+){0,8}"
POINTS = (
    r"(?:this(?! out)|these|that|the following|following|below|the above)(?: \w+){0,2}|(?:my|his|her|their|our|the|a)(?: \w+)? (?:%s)|"
    r"my (?:english|german|french|spanish|italian|grammar|spelling|wording)"
)
TEXTS = (
    r"lyrics?|poems?|songs?|verses?|chorus|e-?mails?|mails?|letters?|messages?|texts?|articles?|horoscope|posts?|reviews?|"
    r"recipes?|errors?|logs?|output|transcript|chat|quotes?|essay|paragraphs?|story|joke|tweet|notice|ad|contract|clause|abstract|"
    r"bio|cv|resume|speech|script|caption|passage|excerpt|sentences?|lines?|diary|report|statement|reply|translation|"
    r"newsletter|announcement|leaflet|prompt|thread|comment|chapter|draft|homework|minutes"
)
# "Here's a poem …:", "I got this back:", "She wrote:", "This is what it prints:"
ANNOUNCES = (
    r"past(?:ing|ed)\b|cop(?:y|ied) (?:from|of)\b|got this\b|found this\b|(?:sent|wrote|texted|emailed|posted|forwarded)(?: me| us| this)*$|"
    r"what it (?:says|prints|said)|(?:says|reads|said|writes|asked|replied|answered|yelled|goes|was like)$|(?:told|asked) (?:me|us|him|her|them)$"
)
# What is told to the one who reads it is no text of somebody else's.
TOLD = r"^i (?:said|told|asked|replied)\b|^(?:please )?(?:remember|save|store|note|keep in mind|memori[sz]e|forget)\b|news|tell you|let you know|telling you|to you|my (?:plan|question|problem|situation|idea|point|day|week|answer)s?"
HEADERS = r"from|to|cc|bcc|subject|date|sent|reply-to|re|fwd?|attachments?"
FORWARDED = r"-{2,} ?(?:forwarded|original) message|begin forwarded message|fwd?: |fw: |(?:forwarded|in reply) (?:from|to) |on .{6,80} wrote:$"
GREETING = r"(?:my )?dear(?:est)?\b|to whom it may|hi|hello|hey|good (?:morning|afternoon|evening)"
FORMAL = r"(?:my )?dear(?:est)?\b|to whom it may"
SIGN_OFF = (
    r"(?:(?:all|with) )?(?:(?:my|the|kind|best|warm|many) ){0,2}(?:best|yours?|regards|sincerely|love|cheers|thanks|wishes|xx?)"
    r"(?: (?:sincerely|faithfully|truly|again|wishes|regards|always|ever))?(?:,.{0,40})?"
)
QUESTION = (
    r"^\s{0,9}(?:so |and |but |ok |any )?(?:what|how|why|who|which|where|when|should|is|are|am|can|could|do|does|did|would|will|ideas|"
    r"thoughts|help|please|pls|tips)\b|\b(?:where|how|what) (?:do|does|should|can|would|is|are) "
)
FIRST = r"\b(?:i|i['’]\w+|my|me|mine|we|we['’]\w+|our|us)\b"
# "what song is this?", after the text
BACKWARD = r"(?:what|which) (?:song|poem|film|book)|who (?:wrote|sings|sang|said)|where (?:is|does) (?:this|it) (?:come )?from"
# A line of a newspaper or a journal.
REGISTER = r"by [A-Z][\w.]+ [A-Z]\w+|abstract[.:]|[A-Z][\w ]{2,20}, \d{1,2} [A-Z][a-z]+\b|[A-Z][\w ]{2,20}\([A-Z][\w ]{1,9}\) ?[-–—]|[A-Z]{3,20} ?[-–—] "
# Labels of lists that are people's own.
LABELS = (
    r"pros?|cons?|name|address|phone|email|age|job|city|note|ps|p\.s|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"morning|afternoon|evening|breakfast|lunch|dinner|today|tomorrow|week|day|step|plan|goal|likes|dislikes|update|edit|question|problem|"
    r"size|budget|time|place|total|option|height|weight|born|reason|tl;?dr|summary|important|remember|forget"
)
SHORT = (
    r"rd|ave|blvd|dr|mr|mrs|ms|prof|st|mt|ft|jr|sr|vs|etc|e\.g|i\.e|cf|approx|no|nr|vol|fig|apt|ext|ca|dept|est|inc|ltd|co|jan|feb|mar|apr|"
    r"jun|jul|aug|sept?|oct|nov|dec|a\.m|p\.m|u\.s|u\.k"
)
# Words that begin a sentence of their own, even behind "Main St."
BEGINS = r"\s{0,9}(?:please|remember|forget|don['’]?t|do not|can|could|would|keep|note|make|what|how|is|i|we|my)\b"
# What is told or played from here on is made up: "A story.", "Joke for you:". A funny or true story is not.
TALES = r"story|tale|fairy ?tale|fable|joke|riddle|poem|limerick|skit|sketch|role-?play"
TELLS = (
    r"(?:(?:ok(?:ay)?|so|right|well|now|here['’]?s|here is|this is|time for|another|one|an?|quick|short|little|silly|new|bedtime|dad|tiny|made-up),? ){0,5}(?:%s)(?: of mine| for you| time)?[.:!](?=\s)|"
    r"(?![^.:!?\n]{0,60}\b(?:true|funny|long|life)\b)[^.:!?\n]{0,60}\b(?:%s)\b[^.:!?\n]{0,40}:(?=\s)"
)
TALE_ENDS = r"(?:the end(?=[.,!]|\s{0,9}$)|end of (?:the |my )?(?:%s)|(?:that['’]?s|that was) (?:the|my) (?:%s)|back to (?:reality|real life))[.!,]?"
