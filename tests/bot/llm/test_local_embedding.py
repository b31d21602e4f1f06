"""The embedder on this machine, with fastembed at its boundary: what it does with a name and a folder."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from bot import llm
from bot.llm.embedders.local import DIM, NAME, LocalEmbedder
from bot.settings import Settings
from memory.embed import LexicalEmbedder
from memory.errors import ModelError

FAKE = """
import numpy as np, pathlib
class TextEmbedding:
    def __init__(self, name, cache_dir, specific_model_path):
        assert name.startswith("sentence-transformers/")
        if cache_dir.endswith("offline/models"):
            raise ValueError("Could not load model from any source.")
        pathlib.Path(cache_dir, "models--Qdrant--" + name.rpartition("/")[2]).mkdir(parents=True)
    def embed(self, texts):
        return (np.full(384, float(len(t)), np.float32) for t in texts)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of that name."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "fastembed.py").write_text(FAKE)
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    monkeypatch.delitem(sys.modules, "fastembed", raising=False)


@pytest.mark.usefixtures("package")
async def test_texts_come_back_in_their_order(tmp_path: Path) -> None:
    """Of unit length, however many there are."""
    e = LocalEmbedder(tmp_path / "models", patience=20)
    assert not e.is_fetched()
    out = await e.embed([f"text {i}" * (i + 1) for i in range(70)], "content")
    assert (out.dtype, out.shape) == (np.dtype(np.float32), (70, DIM))
    assert np.allclose(np.linalg.norm(out, axis=1), 1, atol=1e-5)
    assert e.is_fetched()
    assert (await e.embed([], "content")).shape == (0, DIM)
    await e.close()


@pytest.mark.usefixtures("package")
async def test_a_question_does_not_wait_for_loading(tmp_path: Path) -> None:
    """It goes without vectors; what is loaded meanwhile serves the next one."""
    e = LocalEmbedder(tmp_path / "models", patience=0.0)
    with pytest.raises(ModelError, match="being loaded"):
        await e.embed(["tea"], "query")
    await e.load()
    e.patience = 20
    assert (await e.embed(["tea"], "query")).shape == (1, DIM)
    await e.close()


@pytest.mark.usefixtures("package")
async def test_what_cannot_be_fetched_is_one_error(tmp_path: Path) -> None:
    """Whatever the hub's client raises; the next try begins anew."""
    e = LocalEmbedder(tmp_path / "offline" / "models")
    for _ in range(2):
        with pytest.raises(ModelError) as found:
            await e.load()
        assert (found.value.code, found.value.host) == ("no_connection", "huggingface.co")
    await e.close()


async def test_used_by_who_asks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name or by a folder; where the package is missing, the lexical one says why."""

    async def choose(**more: object) -> tuple[str, str]:
        mine = Settings(home=tmp_path, provider="offline", **more)  # type: ignore[arg-type]
        models = await llm.open_models(mine)
        await models.close()
        return models.embedder.id.partition(":")[0], models.choice.lexical_because

    asked = {"embedder": "local"}, {"embedder_path": tmp_path}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for more in asked:
        assert await choose(**more) == ("lexical", "not installed")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "fastembed")
    for more in asked:
        assert await choose(**more) == ("fastembed", "")
    assert await choose() == ("lexical", "")
    assert await choose(embedder="lexical", embedder_path=tmp_path) == ("lexical", "")


@pytest.mark.usefixtures("package")
async def test_an_embedder_is_found_again_by_its_id(tmp_path: Path) -> None:
    """So that what it embedded is still found while another takes over; nothing is fetched for it."""
    settings = Settings(home=tmp_path / "home", provider="offline")
    choice, clients = await llm.choose(settings), llm.ClientPool()
    name = f"fastembed:{NAME}:{DIM}"
    assert llm.find_embedder(settings, choice, clients, name) is None
    (settings.home / "models" / f"models--Qdrant--{NAME}-onnx-Q").mkdir(parents=True)
    for known in (name, LexicalEmbedder().id):
        again = llm.find_embedder(settings, choice, clients, known)
        assert again is not None and again.id == known
    for unknown in ("api:bge-m3:1024", "lexical:ngrams-0:512", "onnx:gone-12345678:4", "odd"):
        assert llm.find_embedder(settings, choice, clients, unknown) is None
    await clients.close()
