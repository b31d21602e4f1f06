"""English words that tell how to answer from what would lift a rule, grant a right or order an act."""

from typing import Final

# Every list is of alternatives in a pattern, at most 60.
# At the head of a sentence: with RULES they lift a rule.
LIFT: Final = (
    "ignore|disregard|forget|override|bypass|discard|skip|obey|trust|treat|accept|deny|hide|conceal|reveal|print|"
    "show|repeat|leak|output|disable|drop|lift|remove|break|switch off|turn off"
)
RULES: Final = (
    "rules?|instructions?|guidelines?|restrictions?|limits?|limitations?|prompts?|policy|policies|filters?|"
    "safety|safeguards?|commands?|orders?|directives?|laws?|constraints?|confirmation|consent|approval|"
    "programming|training|persona|warnings?|disclaimers?|ethics|boundaries|taboos?|censorship|privacy|security|"
    "protections?"
)
# At the head of a sentence: with REALM or for whoever asks they order an act.
ACTS: Final = (
    "tell|give|say|send|forward|copy|share|post|publish|upload|export|read|list|delete|erase|wipe|keep|lie|let|"
    "allow|grant|unlock|open|close|transfer|pay|buy|run|execute|call|answer|act|pretend|claim|write|mail|email|"
    "change|edit"
)
REALM: Final = (
    "memory|memories|users?|accounts|admins?|administrator|rights|privileges|permissions?|without asking|api key|"
    "credentials|unrestricted|unlimited|DAN|root|other people|chats|this user|the user|what you know|database|"
    "system prompt|whoever|strangers?|as me|as mine|uncensored|unfiltered|jailbreak|sudo|full access|"
    "on (?:my|his|her|their) behalf|clearance"
)
# What Ebb holds of a person: sending it somewhere is an order to act.
KEPT: Final = "data|memor(?:y|ies)|chats?|conversations?|chat history|secrets?|passwords?|private (?:notes|messages)"
# Demanded for always, these go beyond how to answer by themselves.
YIELD: Final = "agree|obey|recommend|promote|advertise|praise|comply|lie|pretend"
# At the head of a sentence: how to answer, with PARTS.
MANNER: Final = (
    "answer|reply|respond|write|speak|talk|call|address|explain|use|avoid|keep|give|say|tell|ask|end|start|begin|"
    "correct|swear|stop|spare|skip|get|cite|quote|put|make|be|show|mention|bring|sound|translate|stick|go|add|"
    "list|suggest|recommend|remind|check|treat|drop|leave|assume|format"
)
PARTS: Final = (
    "answers?|repl(?:y|ies)|responses?|messages?|emojis?|bullet points?|bullets|spelling|tone|sentences?|"
    "paragraphs?|jargon|units|spoilers?|sources|jokes?|compliments|small talk|lists?|headings|words?|the point|"
    "language|details?|summary|formal|casual|blunt|criticism|flattery|lectures?|recipes|markdown|tables?|prices|"
    "slang|questions?|style|short|shorter|brief|briefly|simple|simply|concise|things"
)
# Parts that are wished for without naming Ebb.
WISHED: Final = (
    "answers?|repl(?:y|ies)|responses?|bullet points?|emojis?|tone|spelling|criticism|units|to be called|"
    "sentences|jargon|spoilers?|flattery"
)
# At the head of a sentence: power for somebody.
POWER: Final = "let|allow|grant|authori[sz]e|permit|trust|obey|treat|follow|believe"
# At the head of a sentence: acts that Ebb would do by itself, for always.
SEND: Final = (
    "send|forward|share|give|show|tell|reveal|copy|post|publish|upload|export|transfer|wire|unlock|open|delete|"
    "erase|wipe|order|buy|email|mail|text|book|turn|switch|lock|report|record|install|run|execute|confirm|accept|"
    "sign"
)
