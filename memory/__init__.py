"""Memory that fades: learning, recall, forgetting, over one store. Works without `bot`.

    async with memory.Memory.open("home/ebb.db") as m:
        await m.remember("I'm allergic to peanuts", user="ann")

Nothing is loaded before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.api import Memory

__all__ = ["Memory"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from memory import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
