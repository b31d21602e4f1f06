"""The embedder on this machine: graphs and tokenizers made here, run by the real libraries."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bot import llm
from bot.llm.embedders.local import (
    NAME,
    LocalEmbedder,
    download,
    find,
    find_model,
    is_installed,
    run_in_background,
)
from bot.settings import Settings
from memory.embed import LexicalEmbedder
from memory.errors import ModelError
from memory.ports import FloatArray
from tests.bench.onnx_file import Graph

needs_runtime = pytest.mark.skipif(
    not is_installed(), reason="onnxruntime and tokenizers are not installed here"
)
WORDS = ["[PAD]", "[UNK]", "tea", "green", "cup", "猫", "喜", "欢"]
DIM = 4
TABLE = np.random.default_rng(5).standard_normal((len(WORDS), DIM)).astype(np.float32)


def a_model(
    folder: Path, table: FloatArray = TABLE, *, pooled: bool = False, sizes: bool = True
) -> Path:
    """A sentence model of eight words: each has its vector, and that is all it knows."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    names = ("input_ids",) if pooled else ("input_ids", "attention_mask")
    output = (
        {"sentence_embedding": ("batch", DIM)}
        if pooled
        else {"last_hidden_state": ("batch", "words", DIM)}
    )
    graph = Graph({n: ("batch", "words") for n in names}, output)
    vectors = graph.op(
        "Gather", graph.constant(table), "input_ids", out="" if pooled else "last_hidden_state"
    )
    if pooled:
        graph.op("ReduceMax", vectors, out="sentence_embedding", axes=(1,), keepdims=0)
    graph.save(folder / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.enable_padding(length=64)  # as serialized by careless exporters
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 3, "pad_token": "[PAD]"})
    )
    if sizes:
        (folder / "config.json").write_text(json.dumps({"hidden_size": DIM}))
    return folder


def unit(v: FloatArray) -> FloatArray:
    out: FloatArray = v / np.linalg.norm(v)
    return out


def expected(text: str) -> FloatArray:
    """The mean of the first three words' vectors."""
    ids = [WORDS.index(w) if w in WORDS else 1 for w in text.split()][:3]
    return unit(TABLE[ids].mean(axis=0))


def opened(folder: Path) -> LocalEmbedder:
    model = find_model(folder)
    assert model is not None
    return LocalEmbedder(model, patience=20)


@needs_runtime
async def test_means_of_the_real_words(tmp_path: Path) -> None:
    """Padding counts for nothing, texts are cut at the model's limit, and come back in their order."""
    e = opened(a_model(tmp_path / "m"))
    texts = ["tea", "green tea cup 猫 猫", "猫", "喜 欢", "unheard of"] * 20
    out = await e.embed(texts, "content")
    assert (out.dtype, out.shape) == (np.dtype(np.float32), (100, DIM))
    for text, row in zip(texts, out, strict=True):
        assert np.allclose(row, expected(text), atol=1e-5), text
    assert np.allclose(await e.embed(["喜 欢"], "query"), [expected("喜 欢")], atol=1e-5)
    assert (await e.embed([], "content")).shape == (0, DIM)
    await e.close()


@needs_runtime
async def test_pooling_as_the_model_says(tmp_path: Path) -> None:
    """The first word's vector where its settings say so; a graph that pools by itself is believed."""
    first = a_model(tmp_path / "first")
    (first / "1_Pooling").mkdir()
    (first / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    out = await opened(first).embed(["cup tea"], "query")
    assert np.allclose(out, [unit(TABLE[4])], atol=1e-5)
    e = opened(a_model(tmp_path / "pooled", pooled=True, sizes=False))
    assert e.dim == 0
    await e.load()
    assert e.id.endswith(f":{DIM}")
    assert np.allclose(
        await e.embed(["cup tea"], "query"), [unit(TABLE[[4, 2]].max(axis=0))], atol=1e-5
    )


@needs_runtime
async def test_other_weights_are_another_embedder(tmp_path: Path) -> None:
    """Vectors of different models never mix, whatever their folders are called; copies of one do."""
    a = opened(a_model(tmp_path / "a" / "model"))
    same = opened(a_model(tmp_path / "b" / "model"))
    other = opened(a_model(tmp_path / "c" / "model", TABLE + 1))
    assert a.id == same.id != other.id
    assert a.id.startswith("onnx:model-")


@needs_runtime
async def test_what_cannot_be_used_says_so(tmp_path: Path) -> None:
    """A torn file, or another length than promised, is a ModelError and nothing else."""
    torn = a_model(tmp_path / "torn")
    (torn / "model.onnx").write_bytes((torn / "model.onnx").read_bytes()[:40])
    with pytest.raises(ModelError, match="unreadable"):
        await opened(torn).embed(["tea"], "content")
    wrong = a_model(tmp_path / "wrong")
    (wrong / "config.json").write_text(json.dumps({"hidden_size": 5}))
    with pytest.raises(ModelError, match="vectors of 4 instead of 5"):
        await opened(wrong).embed(["tea"], "content")
    assert find_model(tmp_path) is None


@needs_runtime
async def test_a_question_does_not_wait_for_loading(tmp_path: Path) -> None:
    """It goes without vectors; what is loaded meanwhile serves the next one."""
    e = opened(a_model(tmp_path / "m"))
    e.patience = 0.0
    with pytest.raises(ModelError, match="being loaded"):
        await e.embed(["tea"], "query")
    await e.load()
    assert (await e.embed(["tea"], "query")).shape == (1, DIM)


@needs_runtime
async def test_the_event_loop_goes_on(tmp_path: Path) -> None:
    """Neither loading nor thousands of texts hold it up."""
    e, longest = opened(a_model(tmp_path / "m")), 0.0

    async def tick() -> None:
        nonlocal longest
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - began)

    ticking = asyncio.create_task(tick())
    took = time.perf_counter()
    await e.embed(["green tea cup"] * 20_000, "content")
    took = time.perf_counter() - took
    ticking.cancel()
    assert longest < max(0.25, took / 2)


@needs_runtime
def test_found_by_path_or_where_it_was_downloaded(tmp_path: Path) -> None:
    """A path that was named is the only one looked at; a cache holds the multilingual one by its name."""
    home = tmp_path / "home"
    assert find(None, home) is None
    snapshot = home / "models" / f"models--Qdrant--{NAME}-onnx-Q" / "snapshots" / "0a1b"
    a_model(snapshot)
    (snapshot / "model.onnx").rename(snapshot / "model_optimized.onnx")
    found = find(None, home)
    assert found is not None
    assert LocalEmbedder(found).id == f"fastembed:{NAME}:{DIM}"
    assert find(tmp_path / "elsewhere", home) is None
    assert find(None, tmp_path / "other", [home / "models"]) == found


@needs_runtime
async def test_chosen_by_itself_when_it_is_there(tmp_path: Path) -> None:
    """Before the lexical one, behind an endpoint; asked for and not there, the lexical one says why."""
    folder, home = a_model(tmp_path / "m"), tmp_path / "home"
    mine = Settings(home=home, provider="offline", embedder_path=folder)

    async def chosen(settings: Settings) -> tuple[str, str]:
        models = await llm.open_models(settings)
        await models.close()
        return models.embedder.id.partition(":")[0], models.choice.lexical_because

    assert await chosen(mine) == ("onnx", "")
    assert await chosen(Settings(home=home, provider="offline")) == ("lexical", "")
    assert await chosen(Settings(home=home, provider="offline", embedder="local")) == (
        "lexical",
        "no model",
    )
    assert await chosen(Settings(home=home, provider="offline", embedder_path=tmp_path)) == (
        "lexical",
        "no model",
    )
    lexical = Settings(home=home, provider="offline", embedder="lexical", embedder_path=folder)
    assert await chosen(lexical) == ("lexical", "")
    api = Settings(
        home=home,
        provider="offline",
        embedding_base_url="http://127.0.0.1:1/v1",
        embedding_model="bge-m3",
    )
    assert await chosen(api) == ("api", "")


@needs_runtime
async def test_an_embedder_is_found_again_by_its_id(tmp_path: Path) -> None:
    """So that what it embedded is still found while another takes over."""
    settings = Settings(
        home=tmp_path / "home", provider="offline", embedder_path=a_model(tmp_path / "m")
    )
    choice, clients = await llm.choose(settings), llm.ClientPool()
    ids = [LexicalEmbedder().id, opened(tmp_path / "m").id, "api:bge-m3:1024"]
    for name in ids[:2]:
        again = llm.find_embedder(settings, choice, clients, name)
        assert again is not None
        assert again.id == name
    assert llm.find_embedder(settings, choice, clients, ids[2]) is None
    for name in (
        "lexical:ngrams-0:512",
        "onnx:gone-12345678:4",
        "openai:text-embedding-3-small:1536",
        "odd",
    ):
        assert llm.find_embedder(settings, choice, clients, name) is None
    await clients.close()


def _fake_fastembed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """The package at its boundary: what it does with a name and a folder."""
    package = tmp_path / "packages" / "fastembed"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        f"def TextEmbedding(name, cache_dir, lazy_load):\n    {body}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    monkeypatch.delitem(sys.modules, "fastembed", raising=False)


@needs_runtime
async def test_a_download_leaves_a_model_that_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a thread of its own, into the data directory."""
    a_model(tmp_path / "hub")
    _fake_fastembed(
        tmp_path,
        monkeypatch,
        "import shutil; assert name.startswith('sentence-transformers/');"
        f" shutil.copytree({str(tmp_path / 'hub')!r}, cache_dir + '/models--Qdrant--{NAME}-onnx-Q/snapshots/1')",
    )
    model = await run_in_background(lambda: download(tmp_path / "home"))
    assert (model.name, model.dim) == (NAME, DIM)
    assert find(None, tmp_path / "home") == model


async def test_a_download_that_fails_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the hub's client raises; and where the extra is not installed, that is said."""
    _fake_fastembed(
        tmp_path, monkeypatch, "raise ValueError('Could not load model from any source.')"
    )
    with pytest.raises(ModelError) as e:
        await run_in_background(lambda: download(tmp_path / "home"))
    assert (e.value.code, e.value.host) == ("no_connection", "huggingface.co")
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ModelError, match="not installed"):
        download(tmp_path / "home")


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    """Opening the models of a machine without a local one loads none of its libraries."""
    code = "import sys, bot.bootstrap; sys.exit(any(m in sys.modules for m in ('onnxruntime', 'tokenizers', 'fastembed')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
