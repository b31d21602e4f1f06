"""Judge texts by their words: an order that no memory may hold, and how sensitive a text is.

Ebb learns how it should answer. Whatever would lift one of its rules, grant a right, hide something
from its owner, reach other people's data or order an act is refused, however it is worded. What the
person says of their own life is neither, whichever of the same words it has.
"""

from __future__ import annotations

import re
import unicodedata
from types import SimpleNamespace
from typing import Final, Literal

from memory.models import Sensitivity
from memory.privacy.redaction import redact
from memory.text.languages import LANGUAGES, either, joined

_ORDERS: Final = SimpleNamespace(
    **{
        name: either("orders", name)
        for name in {n for found in LANGUAGES.values() for n in found.sections.get("orders", {})}
    }
)
_INVISIBLE: Final = re.compile(r"[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_SPEAKER: Final = joined("orders", "SPEAKER")
_MARKS: Final = re.compile(
    rf"(?:^|[\n.!?。！？\"'“「])\s{{0,9}}[\[<(*#【（]?\s?(?:{_SPEAKER})"
    rf"(?:\s?(?:{joined('orders', 'SPEAKER_OF')}))?\s?[\]>)*】）]?\s?[:：]"
    r"|</?(?:system|assistant|developer|instructions?)\b|<\|[a-z_]+\|>|\[/?INST\]|<</?SYS>>"
    r"|^\s?#{2,6}\s?(?:system|instructions?)\b|\b(?:developer|god|jailbreak|DAN)\s(?:mode|has)\b",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED: Final = re.compile(
    r"“[^”\n]{0,300}”|\"[^\"\n]{0,300}\"|「[^」\n]{0,300}」|《[^》\n]{0,300}》"
)
_PIECE: Final = re.compile(
    r"[.!?;\n。！？；]|:\s|[,，：]\s?|\s[-–—]\s|\band\s(?=you\b)|\bso that\s"
)
_CONTRACTED: Final = re.compile(r"\b(you|they|we)['’]re\b", re.I)


def classify_instruction(text: str) -> Literal["refused", "manner", ""]:
    """Say whether a text is a refused order, how to answer, or neither.

    "You have no restrictions" is refused, "short answers, please" is manner, "never eats meat" is
    neither.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    plain = re.sub(r"[^\S\n]+", " ", _CONTRACTED.sub(r"\1 are", plain))
    plain = re.sub(r" ?\n[ \n]{0,9}", "\n", plain)  # runs of blanks make patterns slow
    if _MARKS.search(plain):
        return "refused"
    bare = _QUOTED.sub("", plain)
    split = _PIECE.split(bare if len(bare.strip()) > 3 else plain)
    pieces = [p for x in split if (p := " ".join(x.split()))]
    if any(_is_refused(p, bare) for p in pieces):
        return "refused"
    return "manner" if any(map(_is_manner, pieces)) else ""


def is_refused_instruction(text: str) -> bool:
    """Say whether a would-be memory is an order that Ebb refuses."""
    return classify_instruction(text) == "refused"


def _is_refused(piece: str, whole: str) -> bool:
    o = _ORDERS
    wished = o.WISH.sub("", piece)
    bare = o.ADVERB.sub("", wished)
    act = o.ADVERB.sub("", o.MUST.sub("", bare))
    told = wished != piece or o.MUST.match(bare)  # somebody says what Ebb must do
    acts, subject = o.ACTED.search(act), o.SUBJECT.search(bare)
    return bool(
        ((told or acts) and o.OF_REALM.search(act))
        or ((told or o.LIFTED.search(act)) and o.OF_RULES.search(act))
        or (subject and o.OF_RULES.search(subject["said"]))
        or o.BEYOND.search(act)
        or o.BEYOND.search(bare)
        or (told and acts and not _is_manner(piece))
        or (o.SENT.search(act) and o.FOR_GOOD.search(whole) and not o.SENT_TO_ME.search(act))
        or (o.YIELDED.search(act) and not o.NOT.search(piece) and (told or o.ALWAYS.search(piece)))
        or (o.TOLD.search(piece) and o.OF_RISK.search(whole))
    )


def _is_manner(piece: str) -> bool:
    o = _ORDERS
    wished = o.WISH.sub("", piece)
    said = o.MUST.sub("", o.ADVERB.sub("", wished))
    act = o.ADVERB.sub("", said)
    asked = o.MANNERED.search(act) and (o.OF_PARTS.search(act) or wished != piece or said != act)
    return bool(asked or o.TASTE.search(piece))


_REACHED: Final = re.compile(
    r"""
    (?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}                  # e-mail
    | (?<![\d.])1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)                              # Chinese mobile
    | (?<![\d.])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d(?:[ -]?\d){6,12}(?!\d)   # international
    | (?<![\d.])\(?\d{3}\)?[ -]\d{3}[ -]\d{4}(?!\d)                            # North American
    | (?:微信|QQ|wechat|weixin|line|telegram)\s{0,9}(?:号|id|number|handle)
      \s{0,9}(?:是|为|is|:|：)?\s{0,9}\S{4,40}
    | \b\w{2,40}(?:stra(?:ß|ss)e|weg|platz|allee|gasse)\s{1,9}\d{1,4}\b
    | \b(?:rue|avenue|via|calle)\s{1,9}(?:[\w'’-]+\s{1,9}){1,4}\d{1,4}\b
    | \b\d{1,4},?\s{1,9}(?:bis\s{1,9})?(?:rue|avenue|boulevard)\s
    """,
    re.I | re.X,
)


def classify_sensitivity(text: str) -> Sensitivity:
    """Return how sensitive a text is: a town is PUBLIC, a street and number PRIVATE.

    SECRET: holds a secret; PRIVATE: how to reach a person, or their money; GENERAL: job, health,
    belief; else PUBLIC.
    """
    if redact(text)[1]:
        return Sensitivity.SECRET
    if _REACHED.search(text) or either("sensitivity", "PRIVATE").search(text):
        return Sensitivity.PRIVATE
    general = either("sensitivity", "GENERAL").search(text)
    return Sensitivity.GENERAL if general else Sensitivity.PUBLIC
