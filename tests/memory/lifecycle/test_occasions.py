"""The day of a memory as it stands: coming, now, planned or over, in the person's zone; and whose day it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory.lifecycle import find_death, find_occasion, is_silenced, write_death, write_occasion
from memory.models import CurveState, Kind, Layer, Memory

TOLD = datetime(2027, 1, 10, 12, tzinfo=UTC)
DAY = datetime(2027, 6, 11, 22, tzinfo=UTC)  # 12 June in Berlin


def event(text: str = "Marries in Porto", **more: Any) -> Memory:
    """A memory told in January, with its day in June."""
    state = CurveState(0.0, TOLD)
    m = Memory(
        "m", "u", text, text, "en", Layer.FACT, Kind.EVENT, TOLD, TOLD, "fade", state, 1.5, TOLD
    )
    return replace(m, **{"on": DAY, "precision": "day", **more})


@pytest.mark.parametrize(
    ("m", "now", "standing", "shown"),
    [
        (event(), (2027, 6, 9), "coming", "on Saturday, 12 June 2027, in 3 days"),
        (event(), (2027, 6, 12), "now", "on Saturday, 12 June 2027, today"),
        (event(), (2027, 6, 13), "planned", "was planned on Saturday, 12 June 2027, past"),
        (event(), (2028, 6, 13), "planned", "was planned on Saturday, 12 June 2027, past"),
        (event(created_at=DAY + timedelta(days=2)), (2027, 6, 20), "over", ""),
        (event("Married today", created_at=DAY + timedelta(hours=20)), (2027, 6, 20), "over", ""),
        (event("Exam today", created_at=DAY + timedelta(hours=5)), (2027, 6, 20), "over", ""),
        (
            event("Is 3 this year", on_until=DAY + timedelta(days=200), precision="year"),
            (2027, 7, 1),
            "now",
            "this year",
        ),
        (
            event("Is 3 this year", created_at=DAY + timedelta(days=9), precision="year"),
            (2027, 6, 12),
            "over",
            "",
        ),
        (event(on=None, valid_from=DAY), (2027, 6, 20), "planned", "past"),
        (event(repeats="yearly"), (2027, 6, 20), "coming", "on Monday, 12 June 2028"),
        (
            event(on_until=DAY + timedelta(days=19), precision="month"),
            (2027, 6, 20),
            "now",
            "this month",
        ),
    ],
)
def test_the_day_of_a_memory(
    m: Memory, now: tuple[int, int, int], standing: str, shown: str
) -> None:
    """A plan stays one until it is told how it was; its word is as precise as its day."""
    at = datetime(*now, 10, tzinfo=UTC)
    for zone in ("Europe/Berlin", "Europe/London"):  # where one goes changes no day
        o = find_occasion(m, at, zone)
        assert o is not None
        assert o.standing == standing
        told = write_occasion(m, at, "en", zone)
        assert shown in told if shown else told == ""


@pytest.mark.parametrize("here", ["Pacific/Honolulu", "America/New_York", "UTC", "Asia/Tokyo"])
@pytest.mark.parametrize("there", ["Pacific/Honolulu", "Europe/Berlin", "Pacific/Tongatapu"])
def test_a_day_stays_the_day_that_was_said(here: str, there: str) -> None:
    """Whatever zone the person moved to; one said to the minute is on their clock."""
    day = datetime(2027, 6, 12, tzinfo=ZoneInfo(there)).astimezone(UTC)
    due = replace(event(), kind=Kind.TODO, on=None, expires_at=day + timedelta(days=1, seconds=-1))
    for m in (event(on=day), due):
        found = find_occasion(m, TOLD, here)
        assert found is not None
        assert found.write_day() == "2027-06-12"
    found = find_occasion(event(precision="minute"), TOLD, here)
    assert found is not None
    assert found.first == DAY.astimezone(ZoneInfo(here)).date()


@pytest.mark.parametrize(
    ("said", "dead", "other", "same"),
    [
        ("My dad, Tom, passed away", "Tom", "Dad's birthday is 3 May", True),
        ("My dog Rex died", "Rex", "The dog eats at six", True),
        ("外公去年走了", "外公", "外公的生日是3月5日", True),
        ("Ozzie passed away, my wife is devastated", "Ozzie", "My wife loves tulips", False),
        ("My sister called: Rex died", "Rex", "Sister lives in Lyon", False),
        ("妈妈说旺财没了", "旺财", "妈妈住在杭州", False),
        ("我同事的爸爸去世了", "同事的爸爸", "爸爸喜欢钓鱼", False),
        ("My dad's boss died", "dad's boss", "Dad's operation is on 12 June", False),
        ("My dad's boss died", "dad's boss", "Meets my dad's boss on 12 June", True),
        ("My grandpa died", "grandpa", "Mum's visit, Tom's grandpa drives", False),
        ("My grandpa died", "grandpa", "Call grandpa on Sunday", True),
        ("Tom's dog Rex died", "Rex", "The dog eats at six", False),
        ("My dog Rex died", "Rex", "Going to the hot dog festival", False),
        ("我家的狗旺财去世了", "旺财", "周日去看熊猫，吃热狗", False),
        ("我爷爷去世了", "爷爷", "小王的爷爷周日来", False),
        ("我爷爷去世了", "爷爷", "周日给爷爷过生日", True),
        ("My friend Rose died", "Rose", "Rose garden tour on 12 June", False),
        ("My friend Rose died", "Rose", "Walks past the rose beds", False),
        ("My friend Rose died", "Rose", "Dinner with Rose on 12 June", True),
    ],
)
def test_a_memory_is_about_the_dead_by_name_or_relation(
    said: str, dead: str, other: str, same: bool
) -> None:
    """Not by whoever else is named beside a death."""
    death = event(said, dead=dead)
    assert (find_death(replace(event(other), id="o"), [death]) is death) is same


def test_nothing_comes_of_the_days_of_the_dead_but_what_was_planned_since() -> None:
    """A funeral does, a birthday never; and their lines say when."""
    death = event("Rose died in March 2026", dead="Rose", precision="month", on=TOLD)
    told = TOLD - timedelta(days=9)
    before = event("Rose visits", id="a", entities=("Rose",), created_at=told)
    funeral = event("Funeral of Rose", id="b", created_at=TOLD + timedelta(days=1))
    birthday = replace(funeral, original_content="Rose's birthday")
    assert [is_silenced(m, [death]) for m in (before, funeral, birthday)] == [True, False, True]
    late = replace(death, precision="day", created_at=TOLD + timedelta(days=2))
    assert not is_silenced(funeral, [late]), "the death was told only after its funeral"
    assert is_silenced(before, [late])
    assert write_occasion(birthday, TOLD, "en", "UTC", [death]) == ""
    assert write_death(death, "UTC", "en") == "died in January 2027"
    assert write_death(replace(death, on=None), "UTC", "zh") == "已去世"
