"""/memories: what is remembered, the strongest first, a page at a time."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from bot.events import Command, Outcome
from bot.texts import ago, say
from memory.models import KINDS, Filter, Lang, Memory, Page, Sensitivity, State, mark_quote

if TYPE_CHECKING:
    from memory.service import MemoryService  # half a second that the terminal's first paint must not wait for

LISTED = 30  # on one page
_PAGE = re.compile(
    r"(?:^|\s)(?:page\s{1,9}|p\.?)(?P<en>\d{1,6})$|(?:^|\s)第?\s{0,9}(?P<zh>\d{1,6})\s{0,9}页$", re.IGNORECASE
)


def memory_line(m: Memory, lang: Lang, now: datetime) -> str:
    """One memory in a list: glyph, kind, text, how faded, how old, id."""
    import prompts  # Jinja2: not before the first paint

    phrase = prompts.phrase(int(m.level), lang)
    marks = [phrase] if phrase else []
    if m.negated_at is not None:
        marks.append("已否定" if lang == "zh" else "no longer so")
    if m.state is State.SUPERSEDED:
        marks.append("已被更新" if lang == "zh" else "since changed")
    if m.state in {State.DELETED, State.FORGOTTEN}:
        marks.append("已忘掉" if lang == "zh" else "forgotten")
    if m.state is State.PROPOSED:
        marks.append("待确认" if lang == "zh" else "proposed")
    if m.sensitivity is Sensitivity.SECRET:
        marks.append("已加密封存" if lang == "zh" else "sealed")
    if m.quiet_at is not None:
        marks.append("不主动提起" if lang == "zh" else "kept quiet")
    if m.pinned:
        marks.append("📍")
    extra = f" ({', '.join(marks)})" if lang == "en" and marks else f"（{'，'.join(marks)}）" if marks else ""
    text = mark_quote(m, m.content)
    return f"{m.level.glyph} {KINDS[m.kind].icon} {text}{extra} · {ago(m.created_at, now, lang)} [{m.id}]"


def asked(args: str) -> tuple[str, int]:
    """The word that is looked for and the page, from 1: `tea page 2`, `page 3`, 茶 第2页."""
    m = _PAGE.search(args.strip())
    if m is None:
        return args.strip(), 1
    return args.strip()[: m.start()].strip(), max(1, int(m["en"] or m["zh"]))


async def listed(service: MemoryService, c: Command, lang: Lang) -> Outcome:
    """A page of it. `total` says how many there are in all, `offset` how many come before; past the end: the last."""
    word, number = asked(c.args)
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED}), max_sensitivity=Sensitivity.SECRET)

    async def at(n: int) -> Page:
        offset = (n - 1) * LISTED
        return await service.find(c.user_id, f, text=word or None, order="weight", limit=LISTED, offset=offset)

    page = await at(number)
    pages = -(-page.total // LISTED)
    if not page.items and page.total:
        number = pages
        page = await at(number)
    if not page.items:
        return Outcome(True, say(lang, "memories.none_about" if word else "memories.none", text=word))
    before = (number - 1) * LISTED
    off = [say(lang, "memory.is_off")] if await service.is_off(c.user_id) else []
    lines = [say(lang, "memories.head", n=page.total)]
    if pages > 1:
        lines[0] += say(lang, "memories.span", first=before + 1, last=before + len(page.items), n=page.total)
    lines += [f"- {memory_line(m, lang, c.at)}" for m in page.items]
    if left := page.total - before - len(page.items):
        lines.append(say(lang, "memories.more", n=left, word=f"{word} " if word else "", page=number + 1))
    return Outcome(True, "\n".join([*off, *lines]), memories=tuple(page.items), total=page.total, offset=before)
