"""Memory as a library, from end to end, without bot."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory import Memory
from memory.errors import NotFound, Refused
from memory.models import State, Usage
from memory.ports import Chunk, ModelRequest
from tests.memory.learn.world import START, TZ

ROOT = Path(__file__).parents[2]


def test_importing_memory_loads_nothing_heavy() -> None:
    """Neither numpy nor jinja2 nor the library, before something is used."""
    names = "('numpy', 'jinja2', 'memory.api', 'cryptography')"
    code = f"import sys, memory; print([m for m in {names} if m in sys.modules], hasattr(memory, 'no_such'))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[] False"


def test_the_documented_example_runs(tmp_path: Path) -> None:
    """As it stands on the page, in a fresh folder."""
    example = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs/memory-model.md").read_text("utf-8"), re.S
    )[0]
    env = {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", example],
        check=False,
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "My sister Hannah lives in Lyon." in run.stdout


async def test_keep_find_forget_undo_and_open_again(tmp_path: Path) -> None:
    """No model, no key: what was kept is there after a restart, what was forgotten is not."""
    now, path = START, tmp_path / "home" / "ebb.db"
    async with Memory.open(path, clock=lambda: now, zone=TZ) as m:
        kept = await m.remember("that I'm allergic to peanuts", user="ann")
        await m.add(
            [{"role": "user", "content": "我妹妹叫安娜，她住在里昂。你还记得她吗？"}], user="ann"
        )
        assert [h.memory.id for h in await m.search("Am I allergic to peanuts?", user="ann")] == [
            kept.id
        ]
        assert "安娜" in (await m.search("我妹妹叫什么名字？", user="ann"))[0].memory.content
        assert await m.search("Am I allergic to peanuts?", user="bob") == []
        now += timedelta(minutes=1)
        assert [g.id for g in await m.forget("peanuts", user="ann")] == [kept.id]
        with pytest.raises(NotFound):
            await m.forget("the submarine", user="ann")

    async with Memory.open(path, clock=lambda: now, zone=TZ) as m:
        assert len(await m.all(user="ann")) == 1
        assert await m.search("Am I allergic to peanuts?", user="ann") == []
        now += timedelta(minutes=1)
        assert [b.state for b in await m.undo(user="ann")] == [State.ACTIVE]
        changed = await m.update(kept.id, "Allergic to peanuts and sesame", user="ann")
        assert (await m.history(changed.id, user="ann"))[0].op == "created"
        lines: list[str] = []
        await m.export(lines.append, user="ann")
        assert "sesame" in "".join(lines)
        assert sum((await m.purge(changed.id, user="ann")).values()) > 0
        assert "peanuts" not in str(await m.all(user="ann"))


async def test_without_a_model_only_own_statements_are_kept(tmp_path: Path) -> None:
    """No question, no pasted text, no secret, nothing of the assistant's; a long conversation is read to its end."""
    said = [
        {"role": "user", "content": f"My locker number {i} is on floor {i}."} for i in range(45)
    ]
    said += [
        {"role": "assistant", "content": "You love opera."},
        {"role": "user", "content": "What's the weather like?"},
        {"role": "user", "content": "my password is hunter2-Zx91!kk"},
        {"role": "user", "content": "Translate this:\n\nI moved to Oslo in May with my two dogs."},
    ]
    async with Memory.open(tmp_path / "m.db", clock=lambda: START, zone=TZ) as m:
        kept = await m.add(said, user="ann")
        texts = " ".join(k.content for k in kept)
        assert all(f"locker number {i} " in texts for i in range(45))
        assert not any(w in texts for w in ("opera", "weather", "hunter2", "Oslo"))
        assert all("quote" in k.modalities for k in kept)
        with pytest.raises(ValueError, match="role"):
            await m.add([{"role": "wizard", "content": "x"}], user="ann")


async def test_more_than_one_meant_changes_nothing(tmp_path: Path) -> None:
    """The sentence names each with its id."""
    async with Memory.open(tmp_path / "m.db", clock=lambda: START, zone=TZ) as m:
        one = await m.remember("my cat Momo is afraid of thunder", user="ann")
        two = await m.remember("my cat Lilac has a vet appointment in June", user="ann")
        with pytest.raises(Refused) as told:
            await m.forget("my cat", user="ann")
        assert one.id in str(told.value) and two.id in str(told.value)
        assert len(await m.all(user="ann")) == 2


class _Model:
    """Answers an extraction with one note."""

    name = "scripted"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        entry = {
            "content": "Sister Hannah lives in Lyon",
            "kind": "fact",
            "said": [{"n": 1, "words": "lives in Lyon"}],
        }
        yield Chunk(json.dumps([entry] if request.task == "extract" else []), "stop", Usage())


async def test_a_model_writes_notes(tmp_path: Path) -> None:
    """Instead of quotations."""
    async with Memory.open(tmp_path / "m.db", model=_Model(), clock=lambda: START, zone=TZ) as m:
        said = [{"role": "user", "content": "Well, my sister Hannah lives in Lyon now."}]
        assert [k.content for k in await m.add(said, user="ann")] == ["Sister Hannah lives in Lyon"]
        found = await m.search("Where does my sister live?", user="ann")
        assert [h.memory.content for h in found] == ["Sister Hannah lives in Lyon"]
