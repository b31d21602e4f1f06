"""Lists of memories, a page at a time, and one memory in full."""

from __future__ import annotations

from hashlib import sha256
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardMarkup

from bot.bootstrap import Ebb
from bot.listing import memory_line
from bot.proposing import list_proposals
from bot.telegram import keyboards
from bot.texts import say as words
from memory.models import KINDS, Filter, Lang, Memory, Sensitivity, State, mark_quote

PAGE = 8
_KEY_BYTES = 40  # of what was searched for: it travels in the buttons
_LONG = 100  # longer searches that the buttons of this run know by a key; a restart forgets them


class Searches:
    """What was searched for where it is too long for a button, under a key that is not."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def key(self, search: str) -> str:
        """What a button carries for it."""
        if len(search.encode()) <= _KEY_BYTES and not search.startswith("#"):
            return search
        key = f"#{sha256(search.encode()).hexdigest()[:16]}"
        self._known.pop(key, None)
        self._known[key] = search
        while len(self._known) > _LONG:
            self._known.pop(next(iter(self._known)))
        return key

    def search(self, key: str) -> str | None:
        """What it stands for; None if that is not known any more."""
        return self._known.get(key) if key.startswith("#") else key


async def page(
    ebb: Ebb, searches: Searches, user_id: str, search: str, number: int, lang: Lang
) -> tuple[str, InlineKeyboardMarkup | None]:
    """A page of what is remembered, the strongest first, and its buttons."""
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED}), max_sensitivity=Sensitivity.SECRET)
    word, number = search.strip(), max(number, 0)
    found = await ebb.service.find(user_id, f, text=word or None, order="weight", limit=PAGE, offset=number * PAGE)
    pages = -(-found.total // PAGE)
    if not found.items and pages:  # some were forgotten since
        number = pages - 1
        found = await ebb.service.find(
            user_id, f, text=word or None, order="weight", limit=PAGE, offset=number * PAGE
        )
    if not found.items:
        return words(lang, "memories.none_about" if word else "memories.none", text=word), None
    now = ebb.clock()
    head = words(lang, "memories.head", n=found.total)
    if pages > 1:
        first = number * PAGE + 1
        head += words(lang, "memories.span", first=first, last=first + len(found.items) - 1, n=found.total)
    waiting = await list_proposals(ebb.service, user_id, lang) if not word and number == 0 else []
    text = "\n".join([head, "", *(f"- {memory_line(m, lang, now)}" for m in found.items), *waiting])
    return text, keyboards.pages(number, pages, searches.key(word), lang)


def in_full(m: Memory, lang: Lang, ebb: Ebb) -> str:
    """One memory: what it says, what it was, how sure and since when."""
    kind = KINDS[m.kind]
    zh = lang == "zh"
    said = m.created_at.astimezone(ZoneInfo(ebb.tz)).strftime("%Y-%m-%d %H:%M")
    rows = [
        memory_line(m, lang, ebb.clock()),
        f"{'类型' if zh else 'Kind'}: {kind.zh if zh else kind.en}",
        f"{'记于' if zh else 'Since'}: {said}",
        f"{'可信' if zh else 'Certainty'}: {m.confidence:.0%}" + (" ✔" if m.verified else ""),
    ]
    if m.original_content != m.content:
        rows.insert(1, f"{'原话' if zh else 'Originally'}: {mark_quote(m, m.original_content)}")
    return "\n".join(f"- {r}" if i else r for i, r in enumerate(rows))
