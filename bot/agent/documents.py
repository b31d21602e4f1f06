"""Documents in a prompt: a long message's opening and outline, and the passages of a question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from functools import lru_cache

from bot.texts import join, say, write_day
from memory.api import estimate_tokens, get_zone, is_document, read_document
from memory.models import Json, Lang, Passage, detect_language

OPENING = 150  # tokens
ASIDE = 300  # tokens of own lines before or behind a text that are shown


@lru_cache(maxsize=128)
def show_document(text: str) -> str:
    """Return a message as the history shows it: of a long one its opening and an outline.

    It depends on the message alone, so it stays the same from turn to turn.
    """
    if not is_document(text):
        return text
    read, lang = read_document(text), detect_language(text)
    parts = (
        _cut(text[: read.start].strip(), ASIDE),
        say(lang, "document.head", title=read.title),
        _cut(text[read.start : read.end].strip(), OPENING) + " …",
        write_outline(text),
        _cut(text[read.end :].strip(), ASIDE),
    )
    return "\n\n".join(filter(None, parts))


def write_outline(text: str) -> str:
    """Return a document's outline as a line, and that the rest can be asked about."""
    if not is_document(text):
        return ""
    read, lang = read_document(text), detect_language(text)
    outline = join(read.outline, lang, "clauses")
    return say(lang, "document.outline", outline=outline, n=len(read.passages))


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text within so many tokens, at a space or line end."""
    while (size := estimate_tokens(text)) > most:
        kept = text[: max(1, len(text) * most // size)]
        space = max(kept.rfind(c) + 1 for c in " \n，。")
        text = (kept[:space] if space > len(kept) // 2 else kept).rstrip()
    return text


def describe_passages(passages: Sequence[Passage], lang: Lang, tz: str, year: int) -> list[Json]:
    """Describe recalled passages for the prompt: of which text, from where in it, the words."""
    return [
        {"title": p.title, "text": p.text, "where": _write_place(p, lang, get_zone(tz), year)}
        for p in passages
    ]


def _write_place(p: Passage, lang: Lang, zone: tzinfo, year: int) -> str:
    who = "document.own" if p.role == "assistant" else "document.sent"
    place = say(lang, "document.part", part=p.part, parts=p.parts)
    day = say(lang, who, date=write_day(p.at.astimezone(zone), year, lang))
    return join([*filter(None, [p.heading]), place, day], lang, "clauses")
