"""Everyday words across the two languages."""

from __future__ import annotations

import pytest

from memory.text import translations


@pytest.mark.parametrize(
    "en, zh",
    [("I like coffee", "我喜欢喝咖啡"), ("The user has a cat called Miso", "用户养了一只猫，叫Miso"), ("allergic to peanuts", "对花生过敏")],
)  # fmt: skip
def test_both_speak_of_the_same(en: str, zh: str) -> None:
    """Whichever language it is said in."""
    assert translations.things_of(en) & translations.things_of(zh)
    assert translations.things_of(en) <= translations.things_of(zh) | {"name"}


@pytest.mark.parametrize("text", ["面试很顺利", "他水平很高", "你真可爱", "马上就来", "见面再说"])
def test_a_character_in_another_word_is_not_the_thing(text: str) -> None:
    """面试 is no noodle and 马上 no horse."""
    assert not translations.things_of(text) & {"noodles", "water", "like", "horse"}


def test_every_word_leads_back() -> None:
    """No group of the table is broken."""
    for lang in ("en", "zh"):
        for word in translations.words_for(
            translations.things_of("coffee 猫 green tea 素食"), lang
        ):
            assert translations.things_of(word), word
