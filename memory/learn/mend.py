"""What is told elsewhere of a mistake: episodes and summaries say it rightly from now on."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory.learn.same_meaning import HINTS, ForgetTarget, list_units
from memory.models import Filter, Layer, Sensitivity, State
from memory.ports import Transaction
from memory.text.forms import count_common_tokens

EPISODES: Final = 2_000  # looked through, the newest
SESSIONS: Final = 200
_WORD: Final = re.compile(r"[A-Za-zÀ-ɏ0-9'’-]+|[^\W_]|[^\w\s]")
_SENTENCE: Final = re.compile(r"[^.!?。！？;；\n]+[.!?。！？;；]?")
_STAMP: Final = re.compile(r"\s*(?:\[[^\]]*\]\s*)?")  # before the sentence: the time of an episode


def mend_told(tx: Transaction, wrong: str, right: str, now: datetime) -> None:
    """Write anew what tells the wrong words; a title that does goes, since it quotes a message.

    An episode is replaced by another one of the same time, so that no earlier moment shows it.
    """
    f = Filter(layers=frozenset({Layer.EPISODE}), max_sensitivity=Sensitivity.SECRET)
    for e in tx.memories.find(f, order="created", limit=EPISODES).items:
        text, original = (mend_text(t, wrong, right) for t in (e.content, e.original_content))
        if (text, original) != (e.content, e.original_content):
            new = tx.memories.add(replace(e, id="", content=text, original_content=original))
            for message_id in tx.memories.list_sources(e.id):
                tx.memories.add_source(new.id, message_id)
            tx.memories.put(replace(e, state=State.DELETED, deleted_at=now), "deleted")
    for s in tx.conversations.list_sessions(limit=SESSIONS):
        summary = mend_text(s.running_summary, wrong, right)
        title = s.title if mend_text(s.title, wrong, right) == s.title else ""
        if (summary, title) != (s.running_summary, s.title):
            tx.conversations.put_session(replace(s, running_summary=summary, title=title))


def mend_text(text: str, wrong: str, right: str) -> str:
    """Put the words that differ, else the whole right sentence, where a sentence is wrong."""
    was, now = _find_difference(wrong, right)
    thing, false = ForgetTarget((list_units(wrong),)), list_units(wrong) - list_units(right)

    def mend(m: re.Match[str]) -> str:
        sentence = m[0]
        literal = bool(was) and was.casefold() in sentence.casefold()
        if not (literal or false & list_units(sentence)) or not thing.said_by(sentence, HINTS):
            return sentence
        if literal and now:
            return re.sub(re.escape(was), lambda _: now, sentence, flags=re.I)
        lead, end = _STAMP.match(sentence), "" if sentence[-1].isalnum() else sentence[-1]
        return f"{lead[0] if lead else ''}{right.rstrip('.。')}{end}"

    return _SENTENCE.sub(mend, text)


def _find_difference(wrong: str, right: str) -> tuple[str, str]:
    """Return the words of each that stand between what both begin and end with."""
    x, y = (list(_WORD.finditer(t)) for t in (wrong, right))
    before, after = count_common_tokens([m[0] for m in x], [m[0] for m in y])
    inner = (x[before : len(x) - after], y[before : len(y) - after])
    was, now = (
        text[words[0].start() : words[-1].end()] if words else ""
        for text, words in zip((wrong, right), inner, strict=True)
    )
    return was, now
