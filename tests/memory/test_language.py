"""Which language a text is written in."""

from __future__ import annotations

import pytest

from memory.models import detect_language


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("My name is 王芳 and I live in Lyon", "en"),
        ("I love 麻婆豆腐", "en"),
        ("The user's wife is called 李有和.", "en"),
        ("What did 王芳 say?", "en"),
        ("hello", "en"),
        ("我喜欢 Python", "zh"),
        ("我喜欢 The Beatles", "zh"),
        ("用户在 Google 工作。", "zh"),
        ("OK，我的 plan is 去上海", "zh"),
        ("帮我翻译：I love you and the world", "zh"),
        ("记住", "zh"),
        ("Python 教程", "zh"),
        ("記住我喜歡茶", "zh"),
        ("你好 and the best to you", "zh"),
    ],
)
def test_names_of_the_other_language_change_nothing(text: str, lang: str) -> None:
    """The small words say which language it is."""
    assert detect_language(text) == lang


@pytest.mark.parametrize("text", ["", "123", "？！", "👍", "سلام"])
def test_no_language_is_the_default(text: str) -> None:
    """Digits, marks and other scripts say nothing."""
    assert detect_language(text, "zh") == "zh"
    assert detect_language(text) == "en"
