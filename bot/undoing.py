"""Taking back: what can be, what was, and why something cannot, for every front end and the shell."""

from __future__ import annotations

from datetime import datetime

from bot.texts import ago, say
from memory.errors import Conflict
from memory.models import Lang, mark_quote
from memory.service import MemoryService

LAST = frozenset({"", "last", "latest", "最近", "最近一次", "上一次", "上次"})
LIST = frozenset({"list", "列表", "清单"})
_NAMED = 2  # memories of one act
_LONG = 60  # characters of each


def wanted(text: str) -> str | None:
    """The id of the change set that is meant; None: the last one."""
    plain = text.strip().strip("[]").lower()
    return None if plain in LAST else plain


def done(reason: str, lang: Lang) -> str:
    """What an act was, in words."""
    key = f"set.{reason}"
    return say(lang, key if key in say.keys() else "set.other")  # noqa: SIM118 - a table, not a dict


def why_not(e: Conflict, lang: Lang, undo: str = "/undo") -> str:
    """Why it cannot be taken back, and what to do first. `undo`: how that is typed here."""
    if e.code == "undone" and e.by:
        return say(lang, "undo.undone", by=f"{undo} {e.by}")
    if e.code == "changed" and e.by:
        return say(lang, "undo.conflict", by=f"{undo} {e.by}")
    return say(lang, "undo.erased")


async def listed(service: MemoryService, user_id: str, lang: Lang, now: datetime, limit: int = 20) -> list[str]:
    """A line for each act that can be taken back, newest first."""
    lines = []
    for act, memories in await service.undoable(user_id, limit):
        texts = [" ".join(mark_quote(m, m.original_content).split()) for m in memories[:_NAMED]]
        some = "; ".join(t if len(t) <= _LONG else f"{t[: _LONG - 1]}…" for t in texts)
        more = f" +{len(memories) - _NAMED}" if len(memories) > _NAMED else ""
        colon = "：" if lang == "zh" else ": "
        lines.append(f"[{act.id}] {ago(act.at, now, lang)} · {done(act.reason, lang)}{colon}{some}{more}")
    return lines
