"""What a trace is a trace of: found by rules, never more than the memory said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Kind, Level, language_of
from memory.upkeep.topics import template, topic
from tests.memory.lifecycle.test_curves import memory


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("The user likes drinking espresso without sugar", "espresso"),
        ("The user is allergic to peanuts", "peanuts"),
        ("The user works as a nurse in a hospital", "a nurse in a hospital"),
        ("The user's sister Anna is a doctor", "their sister Anna"),
        ("The user's name is Lena", "their name"),
        ("The user lives in Paris", "Paris"),
        ("The user goes hiking every week because it helps", "hiking"),
        ("The user no longer smokes", "smoking"),
        ("The user wants to learn the piano this year", "the piano"),
        ("The user is a nurse", "being a nurse"),
        ("The user is 34 years old", "their age"),
        ("The user has to hand in the tax return by 2026-05-31", "the tax return"),
        ("My brother lives in Oslo", "their brother"),
        ("The user likes the music of J. S. Bach. Often.", "the music of J. S. Bach"),
        ("The user is a patient of Dr. Weiss, in Graz", "being a patient of Dr. Weiss"),
        ("I love hiking in the mountains because of the view", "the mountains"),
        ("用户喜欢喝美式咖啡，不加糖不加奶", "美式咖啡"),
        ("用户对花生过敏", "花生过敏"),
        ("用户的妹妹叫小红", "妹妹"),
        ("用户养了一只猫", "猫"),
        ("用户打算今年学钢琴", "钢琴"),
        ("用户要在2026年5月31日前交税", "交税"),
        ("用户最近在学日语", "日语"),
        ("用户戒烟了", "戒烟"),
        ("我喜欢函数式编程", "函数式编程"),
        ("我喜欢坐很久的火车去看Copenhagen", "坐很久的火车去看"),
    ],
)
def test_topics(text: str, about: str) -> None:
    """The heart of the sentence, in its own language."""
    assert topic(memory(original_content=text, language=language_of(text))) == about


def test_its_own_topic_comes_first_and_the_kind_last() -> None:
    """Whatever there is, something is said."""
    assert topic(memory(topics=("drinks",))) == "drinks"
    assert topic(memory(Kind.GOAL, original_content="…")) == "goal"
    assert topic(memory(Kind.GOAL, original_content="。", language="zh")) == "目标"
    assert topic(memory(original_content="!", entities=("Anna",))) == "Anna"


def test_the_templates_are_those_of_the_five_levels() -> None:
    """S4, in both languages."""
    m = memory(Kind.PREFERENCE, original_content="The user likes coffee")
    zh = memory(Kind.PREFERENCE, original_content="用户喜欢饮品", language="zh")
    assert [template(x, Level.TRACE) for x in (m, zh)] == [
        "The user once had memories of coffee",
        "用户曾经有饮品相关记忆",
    ]
    assert [template(x, Level.ARCHIVE) for x in (m, zh)] == [
        "A trace of the past: coffee (preference)",
        "历史痕迹：饮品（偏好）",
    ]


@given(st.text(max_size=200))
def test_a_topic_is_short_and_made_of_the_memorys_own_words(text: str) -> None:
    """But for "their", "being" and a gerund, nothing is added; and nothing breaks."""
    m = memory(original_content=text, language=language_of(text))
    about = topic(m)
    assert about
    assert len(about) <= 60
    own = set(re.findall(r"\w+", text.casefold()))
    for word in re.findall(r"\w+", about.casefold()):
        known = word in own or word in {"their", "being", "age", "context", "fact"} or word.endswith("ing")
        assert known or m.language == "zh", (text, about)
