"""What a trace is a trace of: found by rules, never more than the memory said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Kind, Level, detect_language
from memory.upkeep.level_texts import fill_template, find_topic
from tests.memory.lifecycle.test_curves import memory


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Likes drinking espresso without sugar", "espresso"),
        ("Allergic to peanuts", "peanuts"),
        ("Works as a nurse in a hospital", "a nurse in a hospital"),
        ("Sister Anna is a doctor", "Sister Anna"),
        ("Name is Lena", "Name"),
        ("Lives in Paris", "Paris"),
        ("Goes hiking every week because it helps", "hiking"),
        ("No longer smokes", "smoking"),
        ("Wants to learn the piano this year", "the piano"),
        ("A nurse", "being a nurse"),
        ("34 years old", "their age"),
        ("Has to hand in the tax return by 2026-05-31", "the tax return"),
        ("My brother lives in Oslo", "their brother"),
        ("Likes the music of J. S. Bach. Often.", "the music of J. S. Bach"),
        ("A patient of Dr. Weiss, in Graz", "being a patient of Dr. Weiss"),
        ("I love hiking in the mountains because of the view", "the mountains"),
        ("喜欢喝美式咖啡，不加糖不加奶", "美式咖啡"),
        ("对花生过敏", "花生过敏"),
        ("妹妹叫小红", "妹妹"),
        ("养了一只猫", "猫"),
        ("打算今年学钢琴", "钢琴"),
        ("要在2026年5月31日前交税", "交税"),
        ("最近在学日语", "日语"),
        ("戒烟了", "戒烟"),
        ("我喜欢函数式编程", "函数式编程"),
        ("我喜欢坐很久的火车去看Copenhagen", "坐很久的火车去看"),
    ],
)
def test_topics(text: str, about: str) -> None:
    """The heart of the sentence, in its own language."""
    assert find_topic(memory(original_content=text, language=detect_language(text))) == about


def test_its_own_topic_comes_first_and_the_kind_last() -> None:
    """Whatever there is, something is said."""
    assert find_topic(memory(topics=("drinks",))) == "drinks"
    assert find_topic(memory(Kind.GOAL, original_content="…")) == "goal"
    assert find_topic(memory(Kind.GOAL, original_content="。", language="zh")) == "目标"
    assert find_topic(memory(original_content="!", entities=("Anna",))) == "Anna"


def test_the_templates_are_those_of_the_five_levels() -> None:
    """The fading-levels paper, in both languages."""
    m = memory(Kind.PREFERENCE, original_content="Likes coffee")
    zh = memory(Kind.PREFERENCE, original_content="喜欢饮品", language="zh")
    assert [fill_template(x, Level.TRACE) for x in (m, zh)] == [
        "Once had memories of coffee",
        "曾经有饮品相关记忆",
    ]
    assert [fill_template(x, Level.ARCHIVE) for x in (m, zh)] == [
        "A trace of the past: coffee (preference)",
        "历史痕迹：饮品（偏好）",
    ]


@given(st.text(max_size=200))
def test_a_topic_is_short_and_made_of_the_memorys_own_words(text: str) -> None:
    """But for "their", "being" and a gerund, nothing is added; and nothing breaks."""
    m = memory(original_content=text, language=detect_language(text))
    about = find_topic(m)
    assert about
    assert len(about) <= 60
    own = set(re.findall(r"\w+", text.casefold()))
    for word in re.findall(r"\w+", about.casefold()):
        known = (
            word in own
            or word in {"their", "being", "age", "context", "fact"}
            or word.endswith("ing")
        )
        assert known or m.language == "zh", (text, about)
