"""Says, once, that another process keeps the memory file locked, to somebody who is waiting before a shell."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bot.texts import Texts
from memory.models import Lang
from memory.store import locked

AFTER = 1.5  # seconds of being locked, without a break, that are worth a word
_LOOK = 0.3

say = Texts(
    {
        "waiting": (
            "Another process keeps the memory file locked; waiting for it…",
            "另一个进程正锁着记忆文件，正在等它……",
        ),
        "locked": (
            "Another process kept the memory file locked for too long, so nothing was done; try again in a moment.",
            "另一个进程锁住记忆文件太久，什么都没有做；请稍后再试。",
        ),
    }
)


@asynccontextmanager
async def telling(path: Path, lang: Lang) -> AsyncIterator[None]:
    """While what is inside goes on, look whether the file is locked by somebody else, and say so on stderr."""
    watch = asyncio.create_task(_watch(path, lang), name="locked")
    try:
        yield
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch


async def _watch(path: Path, lang: Lang) -> None:
    """Our own writes hold the lock, too, but never for so long."""
    waited = 0.0
    while waited < AFTER:
        await asyncio.sleep(_LOOK)
        waited = waited + _LOOK if await asyncio.to_thread(locked, path) else 0.0
    print(say(lang, "waiting"), file=sys.stderr, flush=True)
