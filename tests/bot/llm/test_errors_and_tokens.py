"""What a person is told when a model fails, and how long a text is taken to be."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from bot.reports import describe_error, wait
from memory.errors import ModelError, ModelErrorCode
from memory.text.clean import estimate_tokens


@pytest.mark.parametrize("code", get_args(ModelErrorCode))
def test_one_sentence_for_each(code: ModelErrorCode) -> None:
    """Each code says something of its own in both languages, names who failed, and shows nothing raw."""
    error = ModelError(
        code, detail="RAW sk-secret", retry_after=20, model="gpt-x", host="api.example.org"
    )
    en, zh = describe_error(error, "en"), describe_error(error, "zh")
    assert re.search("[一-鿿]", zh)
    assert not re.search("[一-鿿]", en)
    for text in (en, zh):
        assert "api.example.org" in text or "gpt-x" in text
        assert "RAW" not in text
        assert "sk-secret" not in text
        assert "{" not in text
        assert text[-1] in ".。"
    bare = ModelError(code)
    assert "“”" not in describe_error(bare, "en") + describe_error(bare, "zh")


def test_sentences_are_distinct() -> None:
    """No two failures are told alike."""
    for lang in ("en", "zh"):
        told = {
            describe_error(ModelError(c, host="h", model="m"), lang)
            for c in get_args(ModelErrorCode)
        }
        assert len(told) == len(get_args(ModelErrorCode))


def test_the_particular_ones() -> None:
    """A wait is named, a missing key is not called bad, and Ollama's models are fetched its own way."""
    limited = ModelError("rate_limit", retry_after=20, host="h")
    assert "in 20 seconds" in describe_error(limited, "en")
    assert "20 秒后" in describe_error(limited, "zh")
    assert "no API key" in describe_error(ModelError("bad_key", detail="no key", host="h"), "en")
    gone = ModelError("unknown_model", detail="ollama: not found", model="qwen3")
    assert "ebb model pull qwen3" in describe_error(gone, "zh")
    assert "gpt-9" in describe_error(ModelError("unknown_model", host="h"), "en", model="gpt-9")


def test_waits() -> None:
    """Rounded up, in words."""
    assert [wait(s, "en") for s in (None, 0.2, 61, 100, 7200)] == [
        "in a moment",
        "in 1 second",
        "in 61 seconds",
        "in 2 minutes",
        "in 2 hours",
    ]
    assert [wait(s, "zh") for s in (None, 5, 100, 7200)] == [
        "稍后",
        "5 秒后",
        "2 分钟后",
        "2 小时后",
    ]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [  # between a word or a CJK pair a token, and what no current tokeniser would need
        ("", 0, 0),
        ("Hello, world!", 4, 5),
        (
            "I moved to Berlin in March and I am allergic to peanuts, so please keep that in mind.",
            19,
            26,
        ),
        ("我三月搬到了柏林，对花生过敏，请记住这一点。", 15, 24),
        ("今天天气不错，我们去公园散步吧！", 10, 17),
        ("def main(argv: list[str]) -> int:\n    return 0\n", 15, 22),
        ("🌊🌊🌊", 3, 9),
        ("2026-01-03 18:00", 8, 11),
    ],
)
def test_estimates_are_near(text: str, low: int, high: int) -> None:
    """Within what tokenisers of today may make of it."""
    assert low <= estimate_tokens(text) <= high


def test_estimates_are_quick() -> None:
    """A whole prompt costs a few milliseconds."""
    import time

    text = "The quick brown fox, 敏捷的棕色狐狸。" * 2_000
    began = time.process_time()
    estimate_tokens(text)
    assert time.process_time() - began < 0.1
