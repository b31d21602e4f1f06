"""Whether the clock can be believed before time brings about what cannot be taken back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memory.store.system import SqliteSystem

AHEAD: Final = timedelta(days=45)  # a longer absence is confirmed by a second look
BACK: Final = timedelta(hours=1)
NEXT_START: Final = timedelta(hours=1)  # a jump is confirmed by another process so much later …
SAME_START: Final = timedelta(days=1)  # … or when the same process has run for so long
_KEY: Final = "clock"


def believe_clock(s: SqliteSystem, now: datetime, worker: str, *, by_hand: bool = False) -> bool:
    """Whether `now` follows on the time last seen, or a jump from it is confirmed.

    `by_hand`: a person asks for what time would bring about, which confirms it.
    """
    kept = s.get(_KEY) or {"seen": s.last_change(), "jump": None}
    seen = None if kept["seen"] is None else datetime.fromisoformat(kept["seen"])
    jump = kept["jump"]
    if by_hand or seen is None or -BACK <= now - seen <= AHEAD:
        believed = True
    elif jump is None or now < datetime.fromisoformat(jump["at"]):
        believed, jump = False, {"at": now.isoformat(), "by": worker}
    else:
        since = now - datetime.fromisoformat(jump["at"])
        believed = since >= SAME_START or (since >= NEXT_START and jump["by"] != worker)
    if believed and (jump is not None or seen is None or now - seen > BACK):
        s.set(_KEY, {"seen": now.isoformat(), "jump": None})
    elif not believed and jump != kept["jump"]:
        s.set(_KEY, {"seen": kept["seen"], "jump": jump})
    return believed
