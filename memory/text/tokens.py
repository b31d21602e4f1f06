"""How many tokens a text is, roughly: for budgets, never for billing.

Tokenisers differ and the endpoint does not say which it uses, so this errs on the high side: a CJK
character counts as one token, a Latin word as one for each seven letters begun, marks and digits by
themselves.
"""

from __future__ import annotations

import re

MESSAGE_OVERHEAD = 4  # what a chat format spends on each message's role and borders

_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\U00020000-\U0003ffff]")
_WORD = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"[0-9]+")
_MARK = re.compile(r"[!-/:-@\[-`{-~\n]+")
_OTHER = re.compile("[\u00a1-\u2e7f\ua000-\uabff]")
_EMOJI = re.compile("[\U00010000-\U0001ffff]")


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, estimated; 0 for an empty one."""
    if text.isascii():
        wide = other = emoji = 0
    else:
        wide, other, emoji = (
            len(_WIDE.findall(text)),
            len(_OTHER.findall(text)),
            len(_EMOJI.findall(text)),
        )
    words = sum((len(w) + 6) // 7 for w in _WORD.findall(text))
    digits = sum((len(d) + 2) // 3 for d in _DIGITS.findall(text))
    marks = sum((len(m) + 1) // 2 for m in _MARK.findall(text))
    return words + digits + marks + wide + (other + 1) // 2 + emoji * 2
