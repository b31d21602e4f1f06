"""Time expressions, seen from Wednesday, 11 February 2026, 10:00 in Shanghai."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.window import window_asked

TZ = "Asia/Shanghai"
NOW = datetime(2026, 2, 11, 10, 0, tzinfo=ZoneInfo(TZ))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what did we talk about yesterday?", "2026-02-10", "2026-02-11"),
        ("我们昨天聊了什么", "2026-02-10", "2026-02-11"),
        ("前天说的那家店", "2026-02-09", "2026-02-10"),
        ("the day before yesterday", "2026-02-09", "2026-02-10"),
        ("what did I do today", "2026-02-11", "2026-02-12"),
        ("last week's plan", "2026-02-02", "2026-02-09"),
        ("上周我说了什么", "2026-02-02", "2026-02-09"),
        ("上个星期三的事", "2026-02-04", "2026-02-05"),
        ("上周日去哪了", "2026-02-08", "2026-02-09"),
        ("what happened last Friday?", "2026-02-06", "2026-02-07"),
        ("这周的安排", "2026-02-09", "2026-02-16"),
        ("last weekend", "2026-02-07", "2026-02-09"),
        ("last month", "2026-01-01", "2026-02-01"),
        ("上个月买了什么", "2026-01-01", "2026-02-01"),
        ("two months ago", "2025-12-01", "2026-01-01"),
        ("两个月前", "2025-12-01", "2026-01-01"),
        ("14 months ago", "2024-12-01", "2025-01-01"),
        ("三天前", "2026-02-08", "2026-02-09"),
        ("5 days ago", "2026-02-06", "2026-02-07"),
        ("in March", "2025-03-01", "2025-04-01"),
        ("in January", "2026-01-01", "2026-02-01"),
        ("三月份的旅行", "2025-03-01", "2025-04-01"),
        ("in May 2023", "2023-05-01", "2023-06-01"),
        ("去年3月", "2025-03-01", "2025-04-01"),
        ("on 8 May 2023", "2023-05-08", "2023-05-09"),
        ("on May 8, 2023", "2023-05-08", "2023-05-09"),
        ("2024年4月6日", "2024-04-06", "2024-04-07"),
        ("12月25号", "2025-12-25", "2025-12-26"),
        ("2025-07-01 那天", "2025-07-01", "2025-07-02"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("去年夏天", "2025-06-01", "2025-09-01"),
        ("last winter", "2025-12-01", "2026-03-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("前年", "2024-01-01", "2025-01-01"),
        ("in 2022", "2022-01-01", "2023-01-01"),
        ("十年前我在哪", "2016-01-01", "2017-01-01"),
        ("what do I have tomorrow?", "2026-02-12", "2026-02-13"),
        ("我明天有什么事", "2026-02-12", "2026-02-13"),
        ("the day after tomorrow", "2026-02-13", "2026-02-14"),
        ("后天呢", "2026-02-13", "2026-02-14"),
        ("大后天有空吗", "2026-02-14", "2026-02-15"),
        ("next Friday", "2026-02-20", "2026-02-21"),
        ("下周五有什么事", "2026-02-20", "2026-02-21"),
        ("下下周一", "2026-02-23", "2026-02-24"),
        ("this Friday", "2026-02-13", "2026-02-14"),
        ("这周五", "2026-02-13", "2026-02-14"),
        ("next week", "2026-02-16", "2026-02-23"),
        ("下周有安排吗", "2026-02-16", "2026-02-23"),
        ("下周三开会", "2026-02-18", "2026-02-19"),
        ("next weekend", "2026-02-21", "2026-02-23"),
        ("下周末", "2026-02-21", "2026-02-23"),
        ("next month", "2026-03-01", "2026-04-01"),
        ("下个月", "2026-03-01", "2026-04-01"),
        ("next year", "2027-01-01", "2028-01-01"),
        ("明年夏天", "2027-06-01", "2027-09-01"),
        ("next summer", "2026-06-01", "2026-09-01"),
        ("in three days", "2026-02-14", "2026-02-15"),
        ("三天后", "2026-02-14", "2026-02-15"),
        ("a week from now", "2026-02-16", "2026-02-23"),
        ("两周以后", "2026-02-23", "2026-03-02"),
        ("over the next three days", "2026-02-11 10:00", "2026-02-15"),
        ("接下来三天", "2026-02-11 10:00", "2026-02-15"),
        ("what's coming up?", "2026-02-11 10:00", "2026-02-26"),
        ("what did I do last weekend?", "2026-02-07", "2026-02-09"),
    ],
)
def test_a_span_is_what_the_words_say(text: str, start: str, end: str) -> None:
    """Days, weeks, months, seasons and years, in the speaker's own zone."""
    found = window_asked(text, NOW, TZ)
    assert found is not None
    local = tuple(t.astimezone(ZoneInfo(TZ)).replace(tzinfo=None) for t in found)
    assert local == (datetime.fromisoformat(start), datetime.fromisoformat(end))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("anything on Friday?", "2026-02-13", "2026-02-14"),
        ("did I meet Leo on Friday?", "2026-02-06", "2026-02-07"),
        ("周五有什么事吗", "2026-02-13", "2026-02-14"),
        ("周五去哪了", "2026-02-06", "2026-02-07"),
        ("what are we doing at the weekend?", "2026-02-14", "2026-02-16"),
        ("what did I do at the weekend?", "2026-02-07", "2026-02-09"),
        ("周末干嘛", "2026-02-14", "2026-02-16"),
        ("周末去哪了", "2026-02-07", "2026-02-09"),
        ("what will I do in March?", "2026-03-01", "2026-04-01"),
        ("what did I do in March?", "2025-03-01", "2025-04-01"),
        ("三月有什么安排", "2026-03-01", "2026-04-01"),
        ("三月去哪了", "2025-03-01", "2025-04-01"),
        ("do I have anything on 12 March?", "2026-03-12", "2026-03-13"),
        ("what happened on March 12?", "2025-03-12", "2025-03-13"),
        ("3月12号要去哪", "2026-03-12", "2026-03-13"),
        ("3月12号去哪了", "2025-03-12", "2025-03-13"),
        ("am I free on the 3rd?", "2026-03-03", "2026-03-04"),
        ("what was on the 13th?", "2026-01-13", "2026-01-14"),
        ("12号有什么事", "2026-02-12", "2026-02-13"),
        ("we are going to Rome this summer", "2026-06-01", "2026-09-01"),
    ],
)
def test_the_sentence_says_whether_a_bare_name_is_past_or_to_come(text: str, start: str, end: str) -> None:
    """A day, a weekend, a month without a year: the last one where something was, the next one where it will be."""
    test_a_span_is_what_the_words_say(text, start, end)


def test_told_to_look_back() -> None:
    """As-of dates have no sentence around them."""
    assert window_asked("on Monday", NOW, TZ, ahead=False) == window_asked("last Monday", NOW, TZ)


def test_a_moment_ago_is_the_last_hours() -> None:
    """刚才 may be before lunch."""
    for text in ("刚才说的", "a moment ago"):
        found = window_asked(text, NOW, TZ)
        assert found is not None
        assert (found[1] - found[0]).total_seconds() == 6 * 3600 + 1


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "你好",
        "what may I eat?",
        "March on!",
        "月亮真圆",
        "这个月饼好吃",
        "next",
        "30 February",
        "每周五打球",
        "坐5号线",
        "后来呢",
        "后天性的",
        "who am I?",
        "",
    ],
)
def test_no_span(text: str) -> None:
    """Words that only look like a time, and dates that are none."""
    assert window_asked(text, NOW, TZ) is None


def test_an_unknown_zone_is_utc() -> None:
    """Rather a span a few hours off than none."""
    found = window_asked("yesterday", NOW, "Moon/Base")
    assert found == (datetime(2026, 2, 10, tzinfo=UTC), datetime(2026, 2, 11, tzinfo=UTC))


@given(st.text(max_size=40), st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))
def test_any_text_at_any_time(text: str, now: datetime) -> None:
    """A span or None, and a span starts before it ends."""
    found = window_asked(text, now, TZ)
    assert found is None or found[0] < found[1]
