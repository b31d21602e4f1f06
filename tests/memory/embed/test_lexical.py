"""The built-in embedder: unit vectors, the same everywhere, near where words are shared, in both languages."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.embed import EMBEDDERS, LexicalEmbedder
from memory.text.words import stem

SHARED = LexicalEmbedder()


def near(a: str, b: str) -> float:
    x, y = SHARED.vectors([a, b])
    return float(x @ y)


async def test_the_protocol() -> None:
    """Rows of unit length in the order asked, float32; an id that names the dimension; nothing for nothing."""
    e = EMBEDDERS["lexical"]()
    v = await e.embed(["I like tea", "我喜欢喝茶", "", "…", "🙂"], "content")
    assert v.shape == (5, e.dim)
    assert v.dtype == np.float32
    assert np.allclose(np.linalg.norm(v, axis=1), 1, atol=1e-5)
    assert e.id.split(":")[2] == str(e.dim)
    assert (await e.embed([], "query")).shape == (0, e.dim)
    assert e.local


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
@example(["P:Ê"])  # two features in one place, with opposite signs
def test_any_text_has_a_unit_vector_of_its_own(texts: list[str]) -> None:
    """Whatever the characters; and a text's vector does not depend on its neighbours in the batch."""
    v = SHARED.vectors(texts)
    assert np.isfinite(v).all()
    assert np.allclose(np.linalg.norm(v, axis=1), 1, atol=1e-5)
    assert np.array_equal(v[-1], LexicalEmbedder().vectors([texts[-1]])[0])


async def test_batches_are_seamless() -> None:
    """A thousand texts at once give what they give one by one."""
    texts = [f"memory number {i} about topic {i % 7}" for i in range(1000)]
    v = await SHARED.embed(texts, "content")
    assert np.array_equal(
        v[[0, 255, 256, 999]], SHARED.vectors([texts[i] for i in (0, 255, 256, 999)])
    )


def test_another_process_computes_the_same() -> None:
    """Nothing hangs on the hash seed of a process; and these bits hold for every release of `ngrams-2`."""
    code = (
        "from memory.embed import LexicalEmbedder as E;"
        "print([int(i) for i in abs(E().vectors(['咖啡 coffee'])[0]).argsort(kind='stable')[-4:]])"
    )
    outs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "12345")
    }
    assert outs == {"[130, 478, 131, 395]\n"}


@pytest.mark.parametrize(
    ("query", "memory", "other"),
    [
        (
            "what is my cat called?",
            "User's cats are called Miso and Tofu",
            "User works at a bank in Leeds",
        ),
        ("am I allergic to peanut", "is allergic to peanuts", "is fond of walnuts and hiking"),
        ("restarting kubernetes", "kubernetes restarts fail on Fridays", "plays chess on Fridays"),
        ("我的猫叫什么名字", "用户的猫名叫小橘", "用户在银行上班"),
        ("我对什么过敏？", "用户对花生过敏", "用户喜欢爬山"),
        ("ＴｅｌｅＧｒａｍ 机器人", "在写 telegram 机器人", "在写小说"),
    ],
)
def test_shared_words_bring_texts_together(query: str, memory: str, other: str) -> None:
    """Also through plurals, endings, width and case."""
    assert near(query, memory) > near(query, other) + 0.1


def test_stop_words_alone_bring_nothing_together() -> None:
    """What every sentence has in common is no likeness."""
    assert (
        near("what is it that you have for me", "I have been to Paris and it was for the weekend")
        < 0.15
    )
    assert near("你是不是在那个地方", "我在一个公司的财务部") < 0.25


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("cats", "cat"),
        ("parties", "party"),
        ("running", "runs"),
        ("stopped", "stopping"),
        ("making", "make"),
        ("churches", "church"),
    ],
)
def test_light_stems(a: str, b: str) -> None:
    """Forms of one word share their stem."""
    assert stem(a) == stem(b)


@pytest.mark.parametrize("word", ["bus", "glass", "sing", "red", "used", "the", "thing"])
def test_stems_keep_at_least_two_letters(word: str) -> None:
    """Short words are not eaten."""
    assert len(stem(word)) >= 2


def test_dim_is_a_power_of_two() -> None:
    """Anything else would fold unevenly."""
    with pytest.raises(ValueError, match="power of two"):
        LexicalEmbedder(500)


def test_speed() -> None:
    """3,000 short texts a second at the very least (10,000 is usual)."""
    texts = [
        f"User {i} told me on day {i % 31} that the trip to city{i % 97} was great, 很开心"
        for i in range(2000)
    ]
    SHARED.vectors(texts[:50])
    began = time.process_time()
    for i in range(0, 2000, 256):
        SHARED.vectors(texts[i : i + 256])
    assert 2000 / (time.process_time() - began) > 3000
