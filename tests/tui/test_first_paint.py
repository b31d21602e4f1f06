"""What the first paint waits for: the terminal itself, and nothing of memory, models, Telegram or plots."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Each takes long to import, and none is needed before something has been said.
HEAVY = (
    "aiohttp", "cryptography", "fastembed", "fsrs", "httpx", "httpx2", "jinja2", "matplotlib", "numpy", "onnxruntime", "openai",
    "pysqlite3", "sqlite3", "sqlite_vec", "telegram", "tokenizers",
    "memory.api.facade", "memory.store", "memory.learn", "memory.recall", "bot.bootstrap", "bot.agent.loop", "bot.llm",
)  # fmt: skip


def test_nothing_heavy_is_imported_before_the_first_paint() -> None:
    """However little of it a screen needs: one import of a word from there costs half a second."""
    code = f"import sys, bot.cli.main, tui.app; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == []


def test_the_first_reply_finds_its_model_imported(tmp_path: Path) -> None:
    """What takes a second is begun when the window stands or the bot polls, not when something has been said."""
    code = f"""
import asyncio, sys, threading
from pathlib import Path
from bot.bootstrap import open_ebb
from bot.settings import Settings

async def go():
    settings = Settings(home=Path({str(tmp_path)!r}), provider="openai", openai_api_key="k", openai_base_url="http://127.0.0.1:9")
    async with open_ebb(settings, workers=False) as ebb:
        before = "openai" in sys.modules
        ebb.warm()
        for t in threading.enumerate():
            if t.name == "ebb-warm":
                await asyncio.to_thread(t.join)
        print(before, "openai" in sys.modules)

asyncio.run(go())
"""
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["False", "True"]
