"""Days of events: what repeats, when it comes next, how near it is in a word; and who died."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from memory.text.dates import find_next_day, read_repetition, write_nearness
from memory.text.deaths import find_dead

NOW = datetime(2026, 11, 23, 10)


@pytest.mark.parametrize(
    ("text", "rule", "day"),
    [
        ("My mum's birthday is 3 May", "yearly", "2027-05-03"),
        ("妈妈5月3日生日", "yearly", "2027-05-03"),
        ("I was born on 3 May 1990", "yearly", "1990-05-03"),
        ("I take the bins out every Tuesday", "weekly", "2026-11-24"),
        ("我每周二开会", "weekly", "2026-11-24"),
        ("Rent is due on the 15th of every month", "monthly", "2026-12-15"),
        ("每个月十五号交房租", "monthly", "2026-12-15"),
        ("I see the physio every 3 weeks", "every 3 weeks", "2026-11-23"),
        ("每隔两天浇一次花", "every 2 days", "2026-11-23"),
        ("Grandma's birthday is the 3rd day of the eighth lunar month", "lunar", "2027-09-03"),
        ("奶奶的生日是农历八月初三", "lunar", "2027-09-03"),
        ("爷爷腊月廿三生日", "lunar", "2027-01-30"),
        ("My birthday party is on 3 May", "", ""),
        ("生日会在5月3日", "", ""),
    ],
)
def test_what_repeats_is_read_with_its_day(text: str, rule: str, day: str) -> None:
    """Both languages; a party is once."""
    found = read_repetition(text, NOW)
    assert (found.rule, f"{found.day:%Y-%m-%d}") == (rule, day) if found else rule == ""


@pytest.mark.parametrize(
    ("first", "rule", "since", "day"),
    [
        ((1992, 2, 29), "yearly", (2026, 11, 23), (2027, 2, 28)),
        ((2026, 1, 31), "monthly", (2026, 11, 1), (2026, 11, 30)),
        ((2026, 11, 17), "weekly", (2026, 11, 24), (2026, 11, 24)),
        ((2026, 11, 1), "every 10 days", (2026, 11, 2), (2026, 11, 11)),
        ((2026, 9, 13), "lunar", (2026, 9, 14), (2027, 9, 3)),
        ((1958, 2, 18), "lunar", (2026, 1, 1), (2026, 2, 17)),
        ((2027, 5, 3), "yearly", (2026, 1, 1), (2027, 5, 3)),
    ],
)
def test_the_next_day_is_computed(
    first: tuple[int, int, int],
    rule: str,
    since: tuple[int, int, int],
    day: tuple[int, int, int],
) -> None:
    """From the day asked about on, never before the first; the Chinese calendar by its own months."""
    assert find_next_day(date(*first), rule, date(*since)) == date(*day)


@pytest.mark.parametrize(
    ("first", "last", "grain", "en", "zh"),
    [
        ((2026, 11, 26), (2026, 11, 26), "day", "in 3 days", "3天后"),
        ((2026, 11, 24), (2026, 11, 24), "day", "tomorrow", "明天"),
        ((2026, 11, 20), (2026, 11, 25), "day", "today", "今天"),
        ((2026, 11, 22), (2026, 11, 22), "minute", "past", "已过去"),
        ((2027, 6, 12), (2027, 6, 12), "day", "in 7 months", "7个月后"),
        ((2026, 11, 1), (2026, 11, 30), "month", "this month", "这个月"),
        ((2026, 12, 1), (2026, 12, 31), "month", "next month", "下个月"),
        ((2027, 1, 1), (2027, 12, 31), "year", "next year", "明年"),
        ((2026, 6, 12), (2026, 6, 12), "day", "past", "已过去"),
    ],
)
def test_a_day_has_a_word_as_precise_as_it_was_said(
    first: tuple[int, int, int], last: tuple[int, int, int], grain: str, en: str, zh: str
) -> None:
    """Days, months and years each in their own words."""
    found = [write_nearness(date(*first), date(*last), NOW.date(), grain, x) for x in ("en", "zh")]
    assert found == [en, zh]


@pytest.mark.parametrize(
    ("text", "told", "who"),
    [
        ("My grandmother died in March", False, "grandmother"),
        ("我外公2020年去世了", False, "外公"),
        ("My dad, Tom, passed away last year", False, "Tom"),
        ("Rex died in March", True, "Rex"),
        ("Rex died in March", False, ""),
        ("外公去年走了", True, "外公"),
        ("外公去年走了", False, ""),
        ("我同事的爸爸去世了", False, "同事的爸爸"),
        ("My phone died yesterday", False, ""),
        ("I dreamed my grandmother died", True, ""),
        ("Is my grandmother dead?", True, ""),
        ("My brother's car died", True, ""),
        ("我爸的手机死了", True, ""),
        ("I thought my dad had died", True, ""),
        ("我以为我爸去世了", True, ""),
        ("I love how my dad died laughing", True, ""),
        ("我爸笑死了", True, ""),
        ("我累死了", True, ""),
        ("我爸走了三公里", True, ""),
        ("我爸手机死机了", True, ""),
        ("My dad might have died", True, ""),
        ("Tom passed his exam", True, ""),
        ("Mum is gone to Rome", True, ""),
        ("My uncle's dog died", False, "uncle's dog"),
        ("Grandma died in March. What should I do?", False, "Grandma"),
    ],
)
def test_who_died_is_read_where_the_form_shows_it(text: str, told: bool, who: str) -> None:
    """Weaker words only where it is known that a death is told; dreams and questions tell none."""
    assert find_dead(text, told=told) == who
