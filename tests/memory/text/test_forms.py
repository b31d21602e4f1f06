"""Sameness: order, roles, numbers and names tell sentences apart; spelling, form and fillers do not."""

from __future__ import annotations

from time import process_time

import pytest

from memory.learn.same_meaning import has_same_details, same
from memory.models import Kind
from tests.eval.data import load_cases

FACTS = (Kind.FACT, Kind.FACT)


@pytest.mark.parametrize(
    ("label", "expected"), [("swap", False), ("changed", False), ("repeat", True)]
)
def test_the_labelled_pairs(label: str, expected: bool) -> None:
    """What was swapped or changed is never the same, by words or by meaning; what was repeated is."""
    cases = [c for c in load_cases("sameness", "A") if c["label"] == label]
    found = [c["id"] for c in cases if same(c["a"], c["b"], kinds=FACTS) != expected]
    if label == "swap":
        found += [c["id"] for c in cases if same(c["b"], c["a"], kinds=FACTS, cosine=0.97)]
    assert found == []


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("Takes 1.5 mg at night", "Takes 15 mg at night", False),
        (
            "Tom, a nurse, and Ann, a cook, share a flat",
            "Ann, a nurse, and Tom, a cook, share a flat",
            False,
        ),
        ("In Leeds I drink tea, in York coffee", "I drink tea in York, coffee in Leeds", False),
        ("Was a nurse", "Is a nurse", False),
        ("The user interface is slow", "Is slow", False),
        ("张三和李四分别住北京和上海", "张三和李四分别住上海和北京", False),
        ("他是我老师", "我是他老师", False),
        ("Ann or Bob can come", "Ann and Bob can come", False),
        ("Has been fired", "Has fired", False),
        ("At Lidl on Monday at Aldi on Tuesday", "At Aldi on Monday at Lidl on Tuesday", False),
        ("隔周看奶奶", "每周看奶奶", False),
        ("请林老师吃饭", "林老师吃饭", False),
        ("Swims twice weekly", "I swim two times a week", True),
        ("Visits Gran every other week", "I visit my gran every two weeks", True),
        ("Wakes at half past six", "I wake at 6:30", True),
        ("Wants to be called Bea", "Please note: I'd like to be called Bea", True),
        ("每隔一周看奶奶", "我每两个星期看奶奶", True),
        ("请记住我天天喝两杯咖啡", "每天喝2杯咖啡", True),
        ("身高一米七五", "我身高175cm", True),
        ("Works from 9am to 5pm", "I work from 9:00 to 17:00", True),
        ("Owns 2 cats, 3 dogs and a parrot", "I own a parrot, two cats and three dogs", True),
        ("在北京和上海工作", "我在上海和北京工作", True),
        ("月薪两万五", "月薪25000", True),
    ],
)
def test_two_sentences(a: str, b: str, expected: bool) -> None:
    """Either way round."""
    assert (same(a, b, kinds=FACTS), same(b, a, kinds=FACTS)) == (expected, expected)


def test_meaning_decides_over_another_wording_alone() -> None:
    """One other word in the same sentence is another value, however near an embedder finds the two."""
    assert same(
        "Grew up on a farm near Cork",
        "Spent childhood on a farm outside Cork",
        kinds=FACTS,
        cosine=0.96,
    )
    assert not same(
        "Learning the cello at school", "Learning the viola at school", kinds=FACTS, cosine=0.99
    )
    assert not has_same_details("Lent Tom the drill", "Borrowed the drill from Tom")


def test_comparing_grows_with_the_text() -> None:
    """Four times the text costs no more than about four times the time, whatever it is made of."""
    for unit in (
        "1",
        "the user's ",
        "一万",
        "and a, ",
        "12 june 2026 ",
        "was a",
        "well, ",
        "€1,000",
    ):
        spent = []
        for size in (400, 1_600):
            began = process_time()
            for n in range(2):
                same(
                    f"{n} " + unit * (size // len(unit)),
                    f"{n} x" + unit * (size // len(unit)),
                    kinds=FACTS,
                )
            spent.append(process_time() - began)
        assert spent[1] < 12 * spent[0] + 0.05, unit
