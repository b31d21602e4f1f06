"""Festivals and holidays by their names in both languages, as times that come each year. Pure.

Of a festival that people take days off for, those days; else the day itself. Mother's and Father's Day are those of
most countries (May and June), not Britain's in March.
"""

# ruff: noqa: E501, SIM905 - tables are read line by line
from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from memory.recall.spans import DAY, Again, Span, Unit, date, day_of

# Of each year the Spring Festival, Dragon Boat, 七夕, Mid-Autumn and Double Ninth, as MMDD: the Chinese calendar
# cannot be had by a short rule. Computed with sxtwl 2.0.7; lunardate 0.3 and LunarCalendar 0.0.9 say the same of all.
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


def _yearly(day: Callable[[int], datetime | None], before: int = 0, count: int = 1) -> Again:
    """From so many days before that day on, so many days."""

    def within(first: datetime) -> Span | None:
        at = day(first.year)
        return None if at is None else day_of(at - before * DAY, count)

    return Again(Unit.DAY if count == 1 else Unit.WEEKEND, "year", within, "near")


def lunar(which: int, offset: int = 0, count: int = 1) -> Again:
    """By the Chinese calendar: `which` column of the table, so many days later, so many days."""

    def day(year: int) -> datetime | None:
        days = _LUNAR.get(year)
        return None if days is None else date(year, days[which] // 100, days[which] % 100)

    return _yearly(day, -offset, count)


def _on(month: int, day: int, count: int = 1, before: int = 0) -> Again:
    return _yearly(lambda year: date(year, month, day), before, count)


def _nth(n: int, weekday: int, month: int, count: int = 1, later: int = 0) -> Again:
    """The n-th such weekday of the month, the last one if n is 5; so many days later, so many days."""

    def day(year: int) -> datetime:
        if n == 5:
            last = date(year + month // 12, month % 12 + 1, 1) - DAY
            return last - (last.weekday() - weekday) % 7 * DAY
        first = date(year, month, 1)
        return first + ((weekday - first.weekday()) % 7 + 7 * (n - 1)) * DAY

    return _yearly(day, -later, count)


def easter(year: int) -> datetime:
    """Easter Sunday by the Gregorian calendar (Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    x = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * x) // 451
    return date(year, (h + x - 7 * m + 114) // 31, (h + x - 7 * m + 114) % 31 + 1)


def _easter(offset: int, count: int = 1) -> Again:
    return _yearly(easter, -offset, count)


CHRISTMAS: Final = _on(12, 24, 3)
EASTER: Final = _easter(-2, 4)
_NOT_XMAS: Final = (
    r"(?! (?:trees?|cards?|carols?|songs?|music|lights?|jumpers?|sweaters?|pudding|markets?|stockings?|movies?|films?"
    r"|decorations?|spirit|island|cake|list|wrapping|crackers?)\b)"
)
_NOT_EASTER: Final = r"(?! (?:eggs?|bunny|island|lily|bonnet)\b)"
_THEIRS: Final = r"['’]?s?['’]?"

# Name (a regular expression over NFKC text, case folded) → when. The longest name speaks.
FESTIVALS_EN: Final[tuple[tuple[str, str, Again], ...]] = (
    ("new", rf"new year{_THEIRS} eve", _on(12, 31)),
    ("new", rf"new year{_THEIRS} day", _on(1, 1)),
    ("new", r"(?:(?<=over )|(?<=at )|(?<=for )|(?<=and )|(?<=before )|(?<=after )|(?<=since )|(?<=by )|(?<=around ))(?:the )?new year\b(?! resol)|new year's(?! (?:eve|day|resolution|party|wish))", _on(1, 1, 2, 1)),
    ("valentine valentines", rf"valentine{_THEIRS}(?: day)?", _on(2, 14)),
    ("patrick patricks", rf"st\.? patrick{_THEIRS}(?: day)?", _on(3, 17)),
    ("fool fools", rf"april fools?{_THEIRS}(?: day)?", _on(4, 1)),
    ("shrove pancake", r"shrove tuesday|pancake day", _easter(-47)),
    ("ash", r"ash wednesday", _easter(-46)),
    ("palm", r"palm sunday", _easter(-7)),
    ("good", r"good friday", _easter(-2)),
    ("easter", r"easter sunday", _easter(0)),
    ("easter", r"easter monday", _easter(1)),
    ("easter", rf"easter{_NOT_EASTER}", EASTER),
    ("whit", r"whit monday", _easter(50)),
    ("mother mothers", rf"mother{_THEIRS} day", _nth(2, 6, 5)),
    ("father fathers", rf"father{_THEIRS} day", _nth(3, 6, 6)),
    ("may", r"may day", _on(5, 1)),
    ("memorial", r"memorial day", _nth(5, 0, 5)),
    ("juneteenth", r"juneteenth", _on(6, 19)),
    ("july independence", r"(?:the )?fourth of july|independence day", _on(7, 4)),
    ("labor labour", r"labou?r day", _nth(1, 0, 9)),
    ("halloween hallowe", r"hallowe'?en(?! costumes?)", _on(10, 31)),
    ("bonfire fawkes", r"bonfire night|guy fawkes night", _on(11, 5)),
    ("veterans armistice remembrance", r"veterans day|armistice day|remembrance day", _on(11, 11)),
    ("thanksgiving", r"thanksgiving day", _nth(4, 3, 11)),
    ("thanksgiving", r"thanksgiving(?! turkey)", _nth(4, 3, 11, 4)),
    ("black", r"black friday", _nth(4, 3, 11, 1, 1)),
    ("cyber", r"cyber monday", _nth(4, 3, 11, 1, 4)),
    ("christmas", r"christmas eve", _on(12, 24)),
    ("christmas", r"christmas day", _on(12, 25)),
    ("boxing", r"boxing day", _on(12, 26)),
    ("christmas xmas", rf"(?:christmas|xmas)(?: ?time| holidays?)?{_NOT_XMAS}", CHRISTMAS),
    ("chinese lunar", rf"(?:chinese|lunar) new year{_THEIRS} eve", lunar(0, -1)),
    ("chinese lunar spring", rf"(?:chinese|lunar) new year{_THEIRS}(?! eve)|spring festival", lunar(0, -1, 8)),
    ("lantern", r"lantern festival", lunar(0, 14)),
    ("qingming tomb", r"qingming(?: festival)?|tomb[- ]sweeping day", _on(4, 4, 3)),
    ("dragon", r"dragon boat festival", lunar(1)),
    ("qixi", r"qixi(?: festival)?", lunar(2)),
    ("mid moon", r"mid[- ]autumn(?: festival)?|moon festival", lunar(3)),
    ("double chongyang", r"double ninth(?: festival)?|chongyang(?: festival)?", lunar(4)),
    ("golden", r"golden week", _on(10, 1, 7)),
    ("singles", r"singles'? day", _on(11, 11)),
)  # fmt: skip
FESTIVALS_ZH: Final[tuple[tuple[str, str, Again], ...]] = (
    ("旦", r"元旦(?:节|假期)?", _on(1, 1, 3)),
    ("跨", r"跨年夜?(?!演|歌)", _on(12, 31, 2)),
    ("春 过", r"春节(?:假期|长假)?(?!联欢|晚会)|过年(?!货)|大过年", lunar(0, -1, 8)),
    ("夕 年", r"除夕夜?|大年三十|年三十|年夜饭", lunar(0, -1)),
    *(("初", rf"(?:大年|正月)初{'一二三四五六七八九十'[i]}", lunar(0, i)) for i in range(10)),
    ("正", r"正月(?!初|十)", lunar(0, 0, 29)),
    ("腊", r"腊月", lunar(0, -30, 30)),
    ("宵 正", r"元宵节?(?=那|晚|去|$|[的,，。?？ 我你他她过一])|元宵节|正月十五", lunar(0, 14)),
    ("情", r"情人节", _on(2, 14)),
    ("妇 神 八", r"(?:三八)?妇女节|女神节|三八节", _on(3, 8)),
    ("植", r"植树节", _on(3, 12)),
    ("愚", r"愚人节", _on(4, 1)),
    ("清", r"清明(?:节|假期)?(?!上河|梦)", _on(4, 4, 3)),
    ("复", r"复活节(?!岛|彩蛋|兔)", EASTER),
    ("劳 五", r"劳动节|五一(?:节|假期|长假|小长假|黄金周)|(?<![\d二三四五六七八九十])五一(?![\d一二三四五六七八九十路广中大班号村])", _on(5, 1, 5)),
    ("青", r"青年节", _on(5, 4)),
    ("母", r"母亲节", _nth(2, 6, 5)),
    ("童 六", r"(?:六一)?儿童节|六一节", _on(6, 1)),
    ("端 五", r"端午节?|五月初五", lunar(1)),
    ("父", r"父亲节", _nth(3, 6, 6)),
    ("夕 七", r"七夕节?|七月初七", lunar(2)),
    ("师", r"教师节", _on(9, 10)),
    ("秋 八", r"中秋节?|八月十五(?![日号])", lunar(3)),
    ("庆 十 黄", r"国庆(?:节|假期|长假|黄金周)|(?<![\u4e00-\u9fff])国庆|(?<=[年在个到过从])国庆|十一(?:假期|长假|黄金周|期间)|(?<![\d二三四五六七八九十第月双])十一(?=去|回家|出去|放假|怎么过)|黄金周", _on(10, 1, 7)),
    ("阳 九", r"重阳节?|九月初九", lunar(4)),
    ("圣", r"万圣节", _on(10, 31)),
    ("双 光", r"双十一|双11|光棍节", _on(11, 11)),
    ("恩", r"感恩节", _nth(4, 3, 11)),
    ("双", r"双十二|双12", _on(12, 12)),
    ("至", r"冬至", _on(12, 21, 2)),
    ("安", r"平安夜", _on(12, 24)),
    ("诞", r"圣诞(?:节|假期)?(?!老人|树|歌|礼物|卡|帽|岛|颂|快乐|袜)", CHRISTMAS),
    ("暑", r"暑假(?!作业)", Again(Unit.SEASON, "year", lambda first: (date(first.year, 7, 1), date(first.year, 9, 1)), "near")),
    ("寒", r"寒假(?!作业)", Again(Unit.SEASON, "year", lambda first: (date(first.year, 1, 10), date(first.year, 2, 25)), "near")),
)  # fmt: skip
