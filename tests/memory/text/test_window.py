"""Time expressions, seen from Wednesday, 11 February 2026, 10:00 in Shanghai."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.text.dates import window_asked
from tests.memory.text import times_en, times_zh

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


@pytest.mark.parametrize("line", [*times_en.TIMES, *times_zh.TIMES])
def test_what_people_say_of_time(line: str) -> None:
    """Ranges, festivals, parts of days, thirds of months, what is counted back; and what only sounds like a time."""
    text, start, end = (part.strip() for part in line.split("|"))
    if start == "-":
        assert window_asked(text, NOW, TZ) is None
    else:
        test_a_span_is_what_the_words_say(text, start, end)


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
def test_the_sentence_says_whether_a_bare_name_is_past_or_to_come(
    text: str, start: str, end: str
) -> None:
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


@pytest.mark.parametrize(
    ("now", "text", "start", "end"),
    [
        ("2026-01-01 09:00", "yesterday", "2025-12-31", "2026-01-01"),
        ("2026-01-01 09:00", "last month", "2025-12-01", "2026-01-01"),
        ("2026-01-01 09:00", "上周五", "2025-12-26", "2025-12-27"),
        ("2026-01-01 09:00", "去年年底", "2025-11-01", "2026-01-01"),
        ("2025-12-31 23:30", "明天有什么事", "2026-01-01", "2026-01-02"),
        ("2025-12-31 23:30", "next month", "2026-01-01", "2026-02-01"),
        ("2026-03-31 12:00", "last month", "2026-02-01", "2026-03-01"),
        ("2026-03-31 12:00", "一个月前", "2026-02-01", "2026-03-01"),
        ("2026-03-31 12:00", "what did I do on the 31st?", "2026-03-31", "2026-04-01"),
        ("2026-03-30 12:00", "what did I do on the 31st?", "2026-01-31", "2026-02-01"),
        ("2026-04-15 12:00", "31号有什么安排", "2026-05-31", "2026-06-01"),
        ("2024-02-29 12:00", "a year ago", "2023-01-01", "2024-01-01"),
        ("2024-02-29 12:00", "yesterday", "2024-02-28", "2024-02-29"),
        ("2024-03-01 12:00", "昨天", "2024-02-29", "2024-03-01"),
        ("2026-03-01 12:00", "2月29号做了什么", "2024-02-29", "2024-03-01"),
        ("2026-02-15 20:00", "this weekend", "2026-02-14", "2026-02-16"),
        ("2026-02-15 20:00", "last weekend", "2026-02-07", "2026-02-09"),
        ("2026-02-16 08:00", "上周末", "2026-02-14", "2026-02-16"),
        ("2026-02-16 08:00", "this week", "2026-02-16", "2026-02-23"),
        ("2026-02-15 08:00", "下周一", "2026-02-16", "2026-02-17"),
        ("2026-02-15 08:00", "next week", "2026-02-16", "2026-02-23"),
        ("2026-02-12 02:00", "今晚有什么事", "2026-02-11 18:00", "2026-02-12 05:00"),
        ("2026-12-26 12:00", "what did we do at Christmas?", "2026-12-24", "2026-12-27"),
        ("2026-12-20 12:00", "圣诞节做什么好", "2026-12-24", "2026-12-27"),
        ("2026-07-01 12:00", "last winter", "2025-12-01", "2026-03-01"),
        ("2026-07-01 12:00", "last summer", "2025-06-01", "2025-09-01"),
        ("2026-10-01 12:00", "last summer", "2026-06-01", "2026-09-01"),
        ("2026-03-20 12:00", "last March", "2025-03-01", "2025-04-01"),
        ("2026-01-05 12:00", "去年春节", "2025-01-28", "2025-02-05"),
        ("2026-11-21 12:00", "in May", "2026-05-01", "2026-06-01"),
        (
            "2060-01-05 12:00",
            "去年春节",
            "2059-01-01",
            "2060-01-01",
        ),  # beyond the table: the year is what is left
    ],
)
def test_borders(now: str, text: str, start: str, end: str) -> None:
    """Ends of months and years, leap days, Sundays, the small hours."""
    found = window_asked(text, datetime.fromisoformat(now).replace(tzinfo=ZoneInfo(TZ)), TZ)
    assert found is not None
    local = tuple(t.astimezone(ZoneInfo(TZ)).replace(tzinfo=None) for t in found)
    assert local == (datetime.fromisoformat(start), datetime.fromisoformat(end))


@pytest.mark.parametrize(
    ("now", "hours"), [("2026-03-30 12:00", 23), ("2026-10-26 12:00", 25), ("2026-06-02 12:00", 24)]
)
def test_a_day_is_as_long_as_the_clocks_make_it(now: str, hours: int) -> None:
    """Midnight to midnight, also over a change of the clocks."""
    berlin = ZoneInfo("Europe/Berlin")
    for text in ("yesterday", "昨天"):
        found = window_asked(
            text, datetime.fromisoformat(now).replace(tzinfo=berlin), "Europe/Berlin"
        )
        assert found is not None
        assert (found[1] - found[0]).total_seconds() == hours * 3600


def test_up_to_now_is_up_to_now_in_the_hour_that_comes_twice() -> None:
    """The second half past two of that night is not an hour ago."""
    now = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)  # 02:30 in Berlin, for the second time
    for text in ("since yesterday", "the last three days", "最近三天"):
        found = window_asked(text, now, "Europe/Berlin")
        assert found is not None
        assert found[1] == now + timedelta(seconds=1)


@pytest.mark.parametrize(
    "text",
    [
        "The weather was odd yesterday, and this morning too. Anyway, what I wanted to ask: where does Anna live?",
        "今天天气真好，昨天也不错。不对，我真正想问的是：陈静住在哪里？",
    ],
)
def test_what_was_said_on_the_way_to_the_question_is_no_time(text: str) -> None:
    """A message that comes to its point is about the time of that point, or of none."""
    assert window_asked(text, NOW, TZ) is None


@pytest.mark.parametrize(
    "text",
    [
        "I saw Leo this morning. Where did we meet last week?",
        "今天早上见到小林了。我们上周在哪儿见的面？",
    ],
)
def test_the_time_that_is_asked_for(text: str) -> None:
    """A question's time counts before a statement's."""
    test_a_span_is_what_the_words_say(text, "2026-02-02", "2026-02-09")


@pytest.mark.parametrize(
    "text", ["I went to the dentist yesterday. What did he say?", "昨天我去看牙了。医生说了什么？"]
)
def test_the_time_of_what_a_question_is_about(text: str) -> None:
    """A question without one is about the time that was told."""
    test_a_span_is_what_the_words_say(text, "2026-02-10", "2026-02-11")


def test_an_unknown_zone_is_utc() -> None:
    """Rather a span a few hours off than none."""
    found = window_asked("yesterday", NOW, "Moon/Base")
    assert found == (datetime(2026, 2, 10, tzinfo=UTC), datetime(2026, 2, 11, tzinfo=UTC))


@given(
    st.text(max_size=40),
    st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),
)
def test_any_text_at_any_time(text: str, now: datetime) -> None:
    """A span or None, and a span starts before it ends."""
    found = window_asked(text, now, TZ)
    assert found is None or found[0] < found[1]


@settings(deadline=None, max_examples=80)
@given(
    st.lists(st.sampled_from([*times_en.PIECES, *times_zh.PIECES]), max_size=9),
    st.sampled_from(["", " "]),
    st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),
    st.none() | st.booleans(),
)
def test_any_words_of_time(bits: list[str], gap: str, now: datetime, ahead: bool | None) -> None:
    """However they are strung together."""
    found = window_asked(gap.join(bits), now, TZ, ahead=ahead)
    assert found is None or found[0] < found[1]
