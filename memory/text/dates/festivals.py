"""Days that come each year: by a date, by the n-th weekday of a month, by Easter, by the Chinese calendar."""

# ruff: noqa: SIM905 - tables are read line by line
from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from memory.text.dates.times import DAY, RecurringTime, Span, TimeUnit, add_days, date

# Of each year the Spring Festival, Dragon Boat, 七夕, Mid-Autumn and Double Ninth, as MMDD: the
# Chinese calendar cannot be had by a short rule. Computed with sxtwl 2.0.7; lunardate 0.3 and
# LunarCalendar 0.0.9 say the same of all.
_LUNAR: Final[Mapping[int, tuple[int, ...]]] = {
    int(year): tuple(int(d) for d in days)
    for year, *days in (
        row.split()
        for row in """
1990 127 528 826 1003 1026, 1991 215 616 816 922 1016, 1992 204 605 805 911 1004, 1993 123 624 824 930 1023,
1994 210 613 813 920 1013, 1995 131 602 802 909 1101, 1996 219 620 820 927 1020, 1997 207 609 809 916 1010,
1998 128 530 828 1005 1028, 1999 216 618 817 924 1017, 2000 205 606 806 912 1006, 2001 124 625 825 1001 1025,
2002 212 615 815 921 1014, 2003 201 604 804 911 1004, 2004 122 622 822 928 1022, 2005 209 611 811 918 1011,
2006 129 531 731 1006 1030, 2007 218 619 819 925 1019, 2008 207 608 807 914 1007, 2009 126 528 826 1003 1026,
2010 214 616 816 922 1016, 2011 203 606 806 912 1005, 2012 123 623 823 930 1023, 2013 210 612 813 919 1013,
2014 131 602 802 908 1002, 2015 219 620 820 927 1021, 2016 208 609 809 915 1009, 2017 128 530 828 1004 1028,
2018 216 618 817 924 1017, 2019 205 607 807 913 1007, 2020 125 625 825 1001 1025, 2021 212 614 814 921 1014,
2022 201 603 804 910 1004, 2023 122 622 822 929 1023, 2024 210 610 810 917 1011, 2025 129 531 829 1006 1029,
2026 217 619 819 925 1018, 2027 206 609 808 915 1008, 2028 126 528 826 1003 1026, 2029 213 616 816 922 1016,
2030 203 605 805 912 1005, 2031 123 624 824 1001 1024, 2032 211 612 812 919 1012, 2033 131 601 801 908 1001,
2034 219 620 820 927 1020, 2035 208 610 810 916 1009, 2036 128 530 828 1004 1027, 2037 215 618 817 924 1017,
2038 204 607 807 913 1007, 2039 124 527 826 1002 1026, 2040 212 614 814 920 1014, 2041 201 603 803 910 1003,
2042 122 622 822 928 1022, 2043 210 611 811 917 1011, 2044 130 531 731 1005 1029, 2045 217 619 819 925 1018,
2046 206 608 808 915 1008, 2047 126 529 827 1004 1027, 2048 214 615 816 922 1016, 2049 202 604 805 911 1005,
2050 123 623 823 930 1024, 2051 211 613 812 919 1013""".split(",")
    )
}


def yearly(day: Callable[[int], datetime | None], before: int = 0, count: int = 1) -> RecurringTime:
    """Return so many days from so many before that day."""

    def within(first: datetime) -> Span | None:
        at = day(first.year)
        return None if at is None else add_days(at - before * DAY, count)

    return RecurringTime(
        TimeUnit.DAY if count == 1 else TimeUnit.WEEKEND,
        "year",
        within,
        "near",
        main=before if count > 1 else 0,
    )


def lunar(which: int, offset: int = 0, count: int = 1) -> RecurringTime:
    """Return a column of the Chinese calendar's table, so many days later, so many days."""

    def day(year: int) -> datetime | None:
        days = _LUNAR.get(year)
        return None if days is None else date(year, days[which] // 100, days[which] % 100)

    return yearly(day, -offset, count)


def on_date(month: int, day: int, count: int = 1, before: int = 0) -> RecurringTime:
    """Return that date, from so many days before it, so many days."""
    return yearly(lambda year: date(year, month, day), before, count)


def nth_weekday(n: int, weekday: int, month: int, count: int = 1, later: int = 0) -> RecurringTime:
    """Return the n-th such weekday of the month, the last one if n is 5; so many days later."""

    def day(year: int) -> datetime:
        if n == 5:
            last = date(year + month // 12, month % 12 + 1, 1) - DAY
            return last - (last.weekday() - weekday) % 7 * DAY
        first = date(year, month, 1)
        return first + ((weekday - first.weekday()) % 7 + 7 * (n - 1)) * DAY

    return yearly(day, -later, count)


def easter(year: int) -> datetime:
    """Compute Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    x = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * x) // 451
    return date(year, (h + x - 7 * m + 114) // 31, (h + x - 7 * m + 114) % 31 + 1)


def by_easter(offset: int, count: int = 1) -> RecurringTime:
    """Return the day so many after Easter Sunday, so many days."""
    return yearly(easter, -offset, count)
