"""Memory that fades: learning, recall, forgetting, over one store. Works without `bot`.

    async with memory.open_memory("home/ebb.db") as m:
        await m.service.remember(m.user_id, "I'm allergic to peanuts", now, tz="Europe/Paris", scope="user:me")

Nothing is loaded before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.service import MemoryService, OpenMemory, open_memory

__all__ = ["MemoryService", "OpenMemory", "open_memory"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from memory import service

        return getattr(service, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
