"""How English sentences name the person whom a note is about."""

from __future__ import annotations

import re
from typing import Final

_OTHER_NOUNS: Final = (  # "the user manual" is nobody
    "account|agent|base|community|data|experience|feedback|forum|friendly|group|groups|guide|guides|id|input|interface"
    "|interfaces|interview|interviews|journey|manual|manuals|name|names|profile|profiles|research|researcher|session"
    "|settings|stories|story|support|test|testing|tests|who|that|whose|and|or|nor"
)
SUBJECT: Final = re.compile(
    rf"(?:the user|(?-i:User))(?:['’]s| (?:is|am)(?= )|(?= (?!(?:{_OTHER_NOUNS})\b)[a-z])| ?['’]s)[ ](?=\S)", re.I
)
_VERB: Final = rf"(?!(?:{_OTHER_NOUNS})\b)"
_SUBJECT_INSIDE: Final = r"(?<!for )(?<!to )(?<!of )(?<!by )\bthe user"
INNER: Final = (  # in the middle of a sentence the person speaks of themselves, as in their own words
    (re.compile(r"\bthe user['’]s(?= )", re.I), "my"),
    (re.compile(rf"{_SUBJECT_INSIDE} is(?= )", re.I), "I am"),
    (re.compile(rf"{_SUBJECT_INSIDE} has(?= )", re.I), "I have"),
    (re.compile(rf"{_SUBJECT_INSIDE}(?= (?:was|had|did|could|can|should|would|will|might|may|must) )", re.I), "I"),
    (re.compile(r"(?<=\b(?:with|from|than|like) )the user\b(?=[\s.,;!?]|$)", re.I), "me"),
    (re.compile(r"(?<=[a-z] )the user(?=[.,;!?]|$)"), "me"),
    (re.compile(r"\bthe user(?= and )|(?<=\band )the user\b", re.I), "I"),
    (re.compile(rf"{_SUBJECT_INSIDE} {_VERB}(?:(\w+(?:ch|sh|ss|x|o))es|(\w+)s|(\w+ed))\b", re.I), r"I \1\2\3"),
)
# What earlier versions wrote before what is a note now; a digest of such a sentence bars the note as well.
SUBJECTS: Final = ("The user ", "The user is ", "The user's ", "User ", "User is ", "User's ")
OWN_SUBJECTS: Final = ("I ", "I am ", "I'm ", "My ")
