"""Lists of memories, a page at a time, and one memory in full."""

from __future__ import annotations

from hashlib import sha256
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardMarkup

from bot.bootstrap import Ebb
from bot.chats.telegram import keyboards
from bot.chats.telegram.texts import say
from bot.commands.memories import format_memory
from bot.commands.questions import list_proposals
from bot.texts import kind_name
from bot.texts import say as words
from memory.models import Filter, Lang, Memory, Sensitivity, State, mark_quote

PAGE = 8
_KEY_BYTES = 40  # of what was searched for: it travels in the buttons
_LONG = 100  # longer searches that the buttons of this run know by a key; a restart forgets them


class SearchKeys:
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


async def list_page(
    ebb: Ebb, searches: SearchKeys, user_id: str, search: str, number: int, lang: Lang
) -> tuple[str, InlineKeyboardMarkup | None]:
    """A page of what is remembered, the strongest first, and its buttons."""
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED}), max_sensitivity=Sensitivity.SECRET)
    word, number = search.strip(), max(number, 0)
    found = await ebb.service.find(
        user_id, f, text=word or None, order="weight", limit=PAGE, offset=number * PAGE
    )
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
        head += words(
            lang, "memories.span", first=first, last=first + len(found.items) - 1, n=found.total
        )
    waiting = await list_proposals(ebb.service, user_id, lang) if not word and number == 0 else []
    text = "\n".join(
        [head, "", *(f"- {format_memory(m, lang, now)}" for m in found.items), *waiting]
    )
    return text, keyboards.make_page_row(number, pages, searches.key(word), lang)


def describe_memory(m: Memory, lang: Lang, ebb: Ebb) -> str:
    """One memory: what it says, what it was, how sure and since when."""
    said = m.created_at.astimezone(ZoneInfo(ebb.tz)).strftime("%Y-%m-%d %H:%M")
    sure = f"{m.confidence:.0%}{' ✔' if m.verified else ''}"
    rows = {"kind": kind_name(m.kind, lang), "since": said, "sure": sure}
    if m.original_content != m.content:
        rows = {"original": mark_quote(m, m.original_content), **rows}
    lines = [say(lang, f"memory.{k}", text=v) for k, v in rows.items()]
    return "\n".join([format_memory(m, lang, ebb.clock()), *(f"- {line}" for line in lines)])
