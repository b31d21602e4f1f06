"""Whether the clock can be believed before time brings about what cannot be taken back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from memory.store.rows import from_ms
from memory.store.system import SqliteSystem

AHEAD: Final = timedelta(days=2)  # a longer absence is confirmed by a second look
BACK: Final = timedelta(hours=1)
NEXT_START: Final = timedelta(hours=1)  # a jump is confirmed by another process so much later …
SAME_START: Final = timedelta(days=1)  # … or when the same process has run for so long


def believe_clock(s: SqliteSystem, now: datetime, worker: str, *, by_hand: bool = False) -> bool:
    """Whether `now` follows on the time last seen, or a jump is confirmed; `by_hand`: by a person who asks."""
    last = s.con.execute("SELECT at FROM change_sets ORDER BY n DESC LIMIT 1").fetchone()
    kept = s.get("clock") or {"first": True, "seen": (from_ms(last[0]) if last else now).isoformat()}
    seen, jump = datetime.fromisoformat(kept["seen"]), kept.get("jump")
    believed = by_hand or -BACK <= now - seen <= AHEAD
    if not believed and jump and now >= (at := datetime.fromisoformat(jump)):
        believed = now - at >= (SAME_START if kept["by"] == worker else NEXT_START)
    elif not believed:
        s.set("clock", {"seen": kept["seen"], "jump": now.isoformat(), "by": worker})
    if believed and ("first" in kept or jump or abs(now - seen) > BACK):
        s.set("clock", {"seen": now.isoformat()})
    return believed
