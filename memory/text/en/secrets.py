# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""How people name a secret in English. Regular expressions without groups, but for the name of what is secret."""

from __future__ import annotations

from typing import Final

_B, _E = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9_#])"
_SPOT: Final = r"(?:garage|gate|door|unlock|alarm|disarm|key[ ]?box|lock[ ]?up|lock|safe(?:[ ]dial)?|locker|entrance|mailbox|intercom)"
_SERVICE: Final = r"(?:netflix|paramount|google|spotify|hulu|disney(?:[ ]plus|\+)?|hbo|prime|amazon|gmail|icloud|outlook|hotmail|apple[ ]id|dropbox|paypal|ebay|steam|(?:keepass|bitwarden)(?:[ ]master)?|vpn|nas|router)"
# Each label, by what sort of value stands behind it.
LABELS: Final = {
    "recovery": r"(?:recovery|backup|emergency|scratch|rescue)[ -](?:codes?|keys?)",
    "seed": r"(?:seed|recovery|backup|mnemonic|secret|wallet|ledger|trezor|metamask|12|24)[ -](?:phrase|words|seed)",
    "seeds": r"mnemonic|seed",
    "passphrase": r"pass ?phrases?|(?:opens?|unlocks?|decrypts?)[ ](?:with|by|using)(?:[ ]the)?[ ](?:phrase|words?|password|code)",
    "opens": r"(?:opens?|unlocks?|disarms?|decrypts?|locked|protected|encrypted|(?:logs?|signs?|gets?)[ ]in)[ ](?:with|by|using)",
    "password": r"(?:pass(?:word|wd|code|wort)s?|pwds?|pswd?|pw|psk|requirepass|(?:secret|magic|safe|code)[ -]word|pass(?=[\"']?\s{0,2}[:=]|[ ]is[ ][^\s\d]{0,24}\d|[ ]?[\"“]))",
    "access": rf"pass|(?:new|old|other|current)[ ]one|{_SERVICE}",
    "login": r"(?:logins?|log-?in[ ]details|credentials|creds|sign-in)",
    "key": r"(?:(?:api|access|secret|auth|bearer|refresh|client|bot|licen[cs]e|product|private|signing|encryption|wi-?fi|network|setup|webhook|app|wallet|ssh)[ _-]?)?(?:keys?|tokens?|secrets?)",
    "cvv": r"(?:combination|combo|cvv2?|cvc2?|security[ ]code|(?:three|3)[ -]digits?[a-z ]{0,16}[ ]back)",
    "net": r"(?:wi-?fi|wlan)(?!\s?[叫名])",
    "place": rf"{_SPOT}[ ](?:you[ ])?(?:type|press|enter|dial|use)(?:[ ]in)?",
    "spot": _SPOT,
    "pin": r"(?:pin(?:[ -]?(?:code|number))?|puk)",
    "code": r"(?:code|passcode|keypad|padlock|lock[ ]?box|key[ ]?safe|verification(?=:)|otp|tan|verification[ ]number)s?",
    "id": r"(?:ssn|social[ ](?:security|insurance)|social(?=[ ]is[ ]\d)|passport|national[ ]insurance|(?:national|government|identity)[ ]id|nino|(?:tax|id|ni|identity|insurance|licen[cs]e|medicare|nhs)[ ](?:id|card|number|no\.?)|tin|itin|aadhaar|nric|(?:driver['’]?s?|driving)[ ]licen[cs]e|pesel|codice[ ]fiscale|dni|cpf|sin)(?:[ ](?:card|number|no\.?|id))*",
    "card": r"(?:(?:credit|debit|bank)[ ]card|card)(?:[ ](?:number|no\.?))?|visa|mastercard|amex",
    "branch": r"(?:sort[ ]code|bsb)(?:[ ]number)?",
    "account": r"(?:(?:bank[ ])?(?:account|acct)|routing|iban)(?:[ ](?:number|no\.?|\#))?",
}
BEGINS, ENDS = _B, _E
# Right before a label these say that everybody may know it.
PUBLIC: Final = r"(?:area|room|zip|post|postal|promo|discount|coupon|voucher|gift|referral|invite|qr|bar|course|class|plus|status|error|exit|return|country|dress|source|tax|swift|bic|icd|diagnosis|product|colou?r|airport|booking|ticker|branch|morse|dialling|dial|language|currency|item|order|response|public|foreign|primary|student|employee|member|gpio|score)[ -]?"
# Before a long number, or a token, that stands without a label.
HARMLESS: Final = r"(?:order|tracking|invoice|ticket|parcel|shipment|booking|reference|ref|isbn|imei|serial|case|fedex|ups|dhl|hash|commit|checksum|sha\d*|md5|etag|address|fingerprint|request|trace|transaction|tx|public|integrity|build|revision)"
LINK: Final = r"(?:used[ ]to[ ]be\b|(?:(?:is|was|has[ ]been|got|just)[ ]){0,2}(?:changed|set|reset|updated|switched)[ ]to\b|\b(?:is|was|are|reads?|says)\b|['’]s\b(?![ ]\w{1,16}[ ](?:is|was)\b)|[:=]+>?|->|→)(?:\s{1,2}(?:now|currently|still|just|actually|again)\b)?(?:\s{0,2}[:=])?"
CHANGE: Final = (
    r"(?:chang|set|reset|updat|mak|mad)\w{0,4}\b[^.!?\n]{0,30}$"  # "I changed my password": what follows "to" is one
)
ABOUT: Final = r"\s{1,2}(?:there|just[ ]now|(?:for|to|of|on|at|in|from|they|i|we|you|he|she)\s{1,2}(?:(?!\b(?:is|was|are)\b)[^\n.!?;:=，。；！？：]){1,48}?)"
AS_LABEL: Final = r"(?:(?:is|was|as|,[ ]?(?:that['’]s|that[ ]is|it['’]s))[ ](?:the|my|your|our|their|his|her|for)[ ][^\n.!?;,]{0,24}|(?:<-|←)[^\n.!?;,]{0,24}|,[ ]my[ ])"  # between a value and its label
USE: Final = r"(?:use|enter|type|need|dial|press|hit|buzz|(?:key|punch|type)[ ]in)[ ](?P<v>[*#]?\d{4,8}[*#]?)[ ](?:to[ ](?:confirm|verif|log|sign|complete|authenti|reset|unlock|open|get[ ]in)|(?:as|at|for)[ ](?:your|the|my)[ ](?:[a-z]{1,12}[ ]){0,2}(?:code|pin|gate|door|entrance|lock)|(?:on|at)[ ]the[ ](?:key|gate|door|alarm))"
TELL: Final = rf"(?:it['’]?s|it[ ]is|use|try|with)[ ](?P<v>[!-~]{{6,40}})[ ](?:for|on)[ ](?:(?:my|the|our)[ ])?(?:{_SERVICE}|wi-?fi|log-?in|account|everything)"
_DIGIT: Final = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)"
_TURN: Final = r"(?:(?:left|right|[lr])[ ]?(?:to[ ])?\d{1,2}|\d{1,2}[ ]?(?:left|right|[lr]\b))"
DIGITS: Final = rf"{_TURN}(?:[, ]{{1,2}}(?:then[ ])?{_TURN}){{1,4}}|{_DIGIT}[ ]{_DIGIT}e?s(?![a-z])|(?:(?:double|triple)[ ])?{_DIGIT}(?:[ ,-]{{1,2}}(?:(?:double|triple)[ ])?{_DIGIT}){{2,11}}(?![A-Za-z])"
# What follows "my password is" when no password follows. Words in -ed and -ing are one.
NO_VALUE: Final = frozenset(
    """
    wrong weak strong good bad fine ok okay safe secure secret private same different new old long short simple
    easy hard correct incorrect invalid valid empty unknown known lost forgotten stolen written optional necessary
    mandatory important it that this there here what mine yours nothing everything gone enough again useless case
    broken set one unique common no never so please
    """.split()  # noqa: SIM905 - a list of words reads as words
)
# A phrase of these is a sentence.
PLAIN: Final = frozenset(
    "the my is in a an to of and on was i for at with from by be as your our you we not no too so very am are has have had can do if or only just must".split()  # noqa: SIM905
)
