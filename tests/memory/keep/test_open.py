"""Memory without bot, from end to end."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import memory
from memory.models import Filter, State
from tests.memory.learn.world import START, TZ


def test_importing_memory_loads_nothing_heavy() -> None:
    """Neither numpy nor jinja2 nor the service, before something is used."""
    code = "import sys, memory; print([m for m in ('numpy', 'jinja2', 'memory.service', 'cryptography') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"


def test_unknown_names_are_errors() -> None:
    """As of any module."""
    assert not hasattr(memory, "no_such_thing")


async def test_learn_recall_forget_undo_and_again_after_a_restart(tmp_path: Path) -> None:
    """One file, two openings, no model, no key: what was remembered is there, what was forgotten is not."""
    now = START
    path = tmp_path / "home" / "ebb.db"
    path.parent.mkdir()

    async with memory.open_memory(path, clock=lambda: now) as m:
        scope = f"user:{m.user_id}"

        async def remember(text: str) -> None:
            await m.service.remember(m.user_id, text, now, tz=TZ, scope=scope)

        async def found(question: str) -> list[str]:
            hits = (await m.service.recall(m.user_id, question, [], now, TZ)).hits
            return [h.memory.content for h in hits]

        await remember("that I'm allergic to peanuts")
        await remember("我妹妹叫安娜")
        assert "I'm allergic to peanuts" in await found("Which nuts am I allergic to? Peanuts?")
        assert "我妹妹叫安娜" in await found("我妹妹叫什么名字？")
        now += timedelta(minutes=1)
        plan = await m.service.plan_forget(m.user_id, "peanuts", now)
        assert plan.clear is not None
        done = await m.service.forget(m.user_id, [plan.clear.id], now)
        assert await found("Which nuts am I allergic to? Peanuts?") == []

    async with memory.open_memory(path, clock=lambda: now) as m:
        assert (await m.service.find(m.user_id, Filter())).total == 1
        hits = await m.service.recall(m.user_id, "Which nuts am I allergic to? Peanuts?", [], now, TZ)
        assert not hits.hits
        undone = await m.service.undo(m.user_id, now + timedelta(minutes=1))
        assert undone.set_id == done.set_id
        assert (await m.service.get(m.user_id, plan.clear.id)).state is State.ACTIVE  # type: ignore[union-attr]
        hits = await m.service.recall(m.user_id, "Am I allergic to peanuts?", [], now, TZ)
        assert [h.memory.id for h in hits.hits] == [plan.clear.id]
