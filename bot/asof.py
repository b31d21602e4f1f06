"""What was known on an earlier day, as a list: for `/review … as of DATE` and `ebb memory list --as-of`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.life_texts import say
from memory.models import Lang, Level, Memory, State
from memory.service import MemoryService


@dataclass(frozen=True, slots=True)
class Then:
    """The head, a line for each memory in the words it had, and the memories as they are now (to open or edit)."""

    head: str
    lines: tuple[str, ...]
    memories: tuple[Memory, ...]


async def known_then(
    service: MemoryService,
    user_id: str,
    at: datetime,
    topic: str,
    lang: Lang,
    tz: str,
    line: Callable[[Memory], str],
    limit: int = 200,
) -> Then:
    """What was known at `at`, level by level as in a look back; what has become of it since stands behind it."""
    page = await service.known_on(user_id, at, topic or None, limit=limit)
    now = {m.id: m for m in await service.many(user_id, [m.id for m in page.items])}
    when = _when(at, tz)
    if not page.items:
        return Then(say(lang, "asof.none", when=when), (), ())
    ordered = [m for level in Level for m in page.items if m.level is level]
    lines = tuple(f"{line(m)}{_since(now.get(m.id), lang)}" for m in ordered)
    if page.total > len(page.items):
        lines = (*lines, say(lang, "asof.more", n=page.total - len(page.items)))
    head = say(lang, "asof.head", when=when, n=page.total)
    return Then(head, lines, tuple(now[m.id] for m in ordered if m.id in now))


def _since(now: Memory | None, lang: Lang) -> str:
    if now is None or (now.state is State.ACTIVE and now.negated_at is None):
        return ""
    return say(lang, "asof.negated" if now.state is State.ACTIVE else f"asof.{now.state}")


def _when(at: datetime, tz: str) -> str:
    try:
        zone = ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"
