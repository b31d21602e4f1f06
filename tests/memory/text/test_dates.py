"""Dates that people say are worked out from the moment they were said, or left alone."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text import dates
from memory.text.dates.written import Grain

NOW = datetime(2026, 11, 21, 10, 0)  # a Saturday

EN = [
    ("tomorrow", "2026-11-22"),
    ("the day after tomorrow", "2026-11-23"),
    ("tomorrow at 3pm", "2026-11-22T15:00"),
    ("3 pm tomorrow", "2026-11-22T15:00"),
    ("tomorrow at noon", "2026-11-22T12:00"),
    ("tomorrow at 3", "2026-11-22"),  # nobody said which half of the day
    ("next Wednesday", "2026-11-25"),
    ("on Friday", "2026-11-27"),
    ("on Monday morning at 9", "2026-11-23T09:00"),
    ("last Friday", "2026-11-20"),
    ("on March 3", "2027-03-03"),
    ("on March 3rd, 2027 at 15:30", "2027-03-03T15:30"),
    ("the 3rd of March", "2027-03-03"),
    ("on 2026-12-24", "2026-12-24"),
    ("on 25/12", "2026-12-25"),
    ("in two weeks", "2026-12-05"),
    ("in 3 days", "2026-11-24"),
    ("in an hour", "2026-11-21T11:00"),
    ("this weekend", "2026-11-22"),
    ("next week", "2026-11-29"),
    ("next month", "2026-12"),
    ("in March", "2027-03"),
    ("next year", "2027"),
    ("on Christmas Eve", "2026-12-24"),
    ("the 15th", "2026-12-15"),
    ("on the twenty-third", "2026-11-23"),
    ("the third of May", "2027-05-03"),
    ("Wednesday the 2nd at 9am", "2026-12-02T09:00"),
    ("tomorrow at half past eight in the morning", "2026-11-22T08:30"),
    ("quarter past four in the afternoon tomorrow", "2026-11-22T16:15"),
]
ZH = [
    ("明天", "2026-11-22"),
    ("大后天", "2026-11-24"),
    ("明天下午三点", "2026-11-22T15:00"),
    ("后天上午10点半", "2026-11-23T10:30"),
    ("明天三点", "2026-11-22"),
    ("今晚8点", "2026-11-21T20:00"),
    ("明早九点", "2026-11-22T09:00"),
    ("下周三", "2026-11-25"),
    ("下下周二", "2026-12-01"),
    ("周五晚上7点", "2026-11-27T19:00"),
    ("星期天", "2026-11-22"),
    ("周末", "2026-11-22"),
    ("下周末", "2026-11-29"),
    ("下周", "2026-11-29"),
    ("三月三号", "2027-03-03"),
    ("2027年3月3日15:30", "2027-03-03T15:30"),
    ("十五号", "2026-12-15"),
    ("聽日", "2026-11-22"),
    ("後天", "2026-11-23"),
    ("聽朝九點", "2026-11-22T09:00"),
    ("下個禮拜三下晝三點", "2026-11-25T15:00"),
    ("今個月廿五號", "2026-11-25"),
    ("下个月5号", "2026-12-05"),
    ("下个月", "2026-12"),
    ("明年三月", "2027-03"),
    ("明年", "2027"),
    ("两周后", "2026-12-05"),
    ("三天后", "2026-11-24"),
    ("两个小时后", "2026-11-21T12:00"),
    ("三个月后", "2027-02"),
    ("圣诞节", "2026-12-25"),
    ("下週三", "2026-11-25"),
]
NONE = [
    "every Monday",
    "on Mondays",
    "in a few days",
    "someday",
    "on 3/4",
    "I may go",
    "February 30",
    "9/10",
    "每周三",
    "周一到周五",
    "过几天",
    "以后",
    "5号线",
    "二月三十号",
    "三个月",
]


@pytest.mark.parametrize(("said", "due"), [*EN, *ZH])
def test_worked_out(said: str, due: str) -> None:
    """One date, in the precision that was said."""
    (w,) = dates.find_dates(said, NOW)
    assert w.due == due


@pytest.mark.parametrize("said", NONE)
def test_left_alone(said: str) -> None:
    """What is vague, recurrent, ambiguous or impossible is no date."""
    assert dates.find_dates(said, NOW) == []


@given(
    st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2090, 1, 1)),
    st.sampled_from(["minute", "day", "month", "year"]),
    st.sampled_from(["en", "zh"]),
)
def test_written_out_and_read_back(at: datetime, grain: Grain, lang: str) -> None:
    """A date written into a memory is found in it again, whenever it is read."""
    at = datetime(
        at.year,
        at.month if grain != "year" else 1,
        at.day if grain in {"day", "minute"} else 1,
        at.hour if grain == "minute" else 0,
        at.minute if grain == "minute" else 0,
    )
    w = dates.DateMatch(at, grain)
    (back,) = dates.find_dates(dates.write_date(w, lang), NOW)
    assert (back.at, back.grain) == (at, grain)
