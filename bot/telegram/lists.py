"""Lists of memories, a page at a time, and one memory in full."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from telegram import InlineKeyboardMarkup

from bot.bootstrap import Ebb
from bot.commands import memory_line
from bot.telegram import keyboards
from bot.texts import say as words
from memory.models import KINDS, Filter, Lang, Memory, State

PAGE = 8
_KEY_BYTES = 40  # of what was searched for: it travels in the buttons


async def page(
    ebb: Ebb, user_id: str, search: str, number: int, lang: Lang
) -> tuple[str, InlineKeyboardMarkup | None]:
    """A page of what is remembered, the strongest first, and its buttons."""
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED}))
    word = search.strip() or None
    found = await ebb.service.find(user_id, f, text=word, order="weight", limit=PAGE, offset=max(number, 0) * PAGE)
    if not found.items:
        return words(lang, "memories.none_about" if word else "memories.none", text=word), None
    now = ebb.clock()
    lines = [f"- {memory_line(m, lang, now)}" for m in found.items]
    pages = -(-found.total // PAGE)
    text = "\n".join([words(lang, "memories.head", n=found.total), "", *lines])
    if len(search.encode()) > _KEY_BYTES:
        if pages > 1:
            text += "\n" + words(lang, "memories.more", n=found.total - len(found.items))
        return text, None
    return text, keyboards.pages(number, pages, search.strip(), lang)


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
        rows.insert(1, f"{'原话' if zh else 'Originally'}: {m.original_content}")
    return "\n".join(f"- {r}" if i else r for i, r in enumerate(rows))
