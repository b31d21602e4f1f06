"""Which moment "as of" means, in both languages, in the zone of whoever asks; and what it is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.learn.dates import parse_as_of

NOW = datetime(2026, 8, 14, 12, tzinfo=UTC)
TZ = "Asia/Shanghai"


def end(year: int, month: int, day: int) -> datetime:
    """The last millisecond of that day in Shanghai."""
    return datetime(year, month, day, 15, 59, 59, 999000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "topic", "at"),
    [
        ("as of 1 March", "", end(2026, 3, 1)),
        ("As of March 1st 2025.", "", end(2025, 3, 1)),
        ("as of 2026-03-01", "", end(2026, 3, 1)),
        ("as of 2026/3/1", "", end(2026, 3, 1)),
        ("my job, as of 2026-03-01 18:00", "my job", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("coffee as of last month", "coffee", end(2026, 7, 31)),
        ("me as of 2025", "", end(2025, 12, 31)),
        ("everything as of yesterday", "", end(2026, 8, 13)),
        ("as of march", "", end(2026, 3, 31)),
        ("as of 1 December", "", end(2025, 12, 1)),
        ("as of today", "", NOW),
        ("as of 2031-01-01", "", NOW),
        ("What did you know about me on 1 March?", "", end(2026, 3, 1)),
        ("what did you know about my cats in March 2025", "my cats", end(2025, 3, 31)),
        ("what did you remember of coffee last month?", "coffee", end(2026, 7, 31)),
        ("what did you know three days ago", "", end(2026, 8, 11)),
        ("what did you know about me as of 2026-03-01", "", end(2026, 3, 1)),
        ("What did you know about coffee as of 1 March?", "coffee", end(2026, 3, 1)),
        ("as of 2026-03-01, coffee", "coffee", end(2026, 3, 1)),
        ("as of 1 March 2025 what did you know about my job", "my job", end(2025, 3, 1)),
        ("as of the 1st of March about tea", "tea", end(2026, 3, 1)),
        ("as of 2026-03-01 18:00 coffee", "coffee", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("as of two weeks ago", "", end(2026, 8, 2)),
        ("截至3月1日", "", end(2026, 3, 1)),
        ("截至 2026年3月1日 咖啡", "咖啡", end(2026, 3, 1)),
        ("截至3月1日我的工作", "我的工作", end(2026, 3, 1)),
        ("截至三月一日，你知道我什么？", "", end(2026, 3, 1)),
        ("截至上个月你记得关于咖啡的什么", "咖啡", end(2026, 7, 31)),
        ("截至三月底", "", end(2026, 3, 31)),
        ("截至两个月前", "", end(2026, 6, 30)),
        ("截至 3 月 1 日", "", end(2026, 3, 1)),
        ("截止到2025年3月1日为止", "", end(2025, 3, 1)),
        ("截至三月十一日", "", end(2026, 3, 11)),
        ("咖啡 截至上个月", "咖啡", end(2026, 7, 31)),
        ("我的工作，截至去年", "我的工作", end(2025, 12, 31)),
        ("3月1日时你知道我什么", "", end(2026, 3, 1)),
        ("三月一日的时候你知道我什么？", "", end(2026, 3, 1)),
        ("你3月1日知道我什么", "", end(2026, 3, 1)),
        ("昨天你都记得我哪些事？", "", end(2026, 8, 13)),
        ("去年你知道关于咖啡的什么", "咖啡", end(2025, 12, 31)),
    ],
)
def test_a_moment_and_a_topic(text: str, topic: str, at: datetime) -> None:
    """A day, a month, a year: to its end; a time: that very time; the time to come: now."""
    asked = parse_as_of(text, NOW, TZ)
    assert asked is not None
    assert (asked.topic, asked.at) == (topic, at)


@pytest.mark.parametrize(
    "text", ["as of my birthday", "coffee as of whenever", "截至我的生日", "as of 31 February"]
)
def test_a_date_that_cannot_be_read(text: str) -> None:
    """It was asked for, so it is said that it cannot be."""
    asked = parse_as_of(text, NOW, TZ)
    assert asked is not None
    assert asked.at is None
    assert asked.said in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "coffee",
        "what did I say in the past",
        "到北京旅行",
        "以前喜欢什么",
        "what do you know about me",
        "你知道我什么",
    ],
)
def test_what_asks_for_no_earlier_moment(text: str) -> None:
    """An ordinary look back stays one."""
    assert parse_as_of(text, NOW, TZ) is None


def test_the_zone_of_whoever_asks() -> None:
    """The first of March ends later in Los Angeles."""
    asked = parse_as_of("as of 1 March", NOW, "America/Los_Angeles")
    assert asked is not None
    assert asked.at == datetime(2026, 3, 2, 7, 59, 59, 999000, tzinfo=UTC)
