# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Light rules for what a person says with "remember": which kind it is, whom it names, when it is due. Pure.

A model may know better later; these are good enough for what cannot wait for one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from memory.learn.contains import names
from memory.learn.dates import zone
from memory.models import Draft, Importance, Kind, Source, language_of
from memory.privacy import instruction_sort, sensitivity_of

_KINDS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(pattern, re.I | re.X))
    for kind, pattern in (
        (
            Kind.TODO,
            r"""^(?:to\s{1,9})?(?:buy|call|pay|send|book|pick\s{1,9}up|remind|renew|return|submit|finish|cancel|water|feed|take\s{1,9}out)\b
            | \b(?:i|we)\s{1,9}(?:need|have|must|ought)\s{1,9}to\b | \bremind\s{1,9}me\b | \bdeadline\b | \bdue\b | \bappointment\b | \b(?:meeting|flight|interview|exam)\b
            | 提醒我 | 截止 | 要(?:交|买|还|付|去办|开会) | 记得买 | 会议 | 开会 | 面试 | 考试 | 航班 | 复诊 | 预约""",
        ),
        (
            Kind.IDENTITY,
            r"""\bmy\s{1,9}(?:full\s{1,9}|first\s{1,9}|last\s{1,9}|nick)?name\b | \bcall\s{1,9}me\b | \bi\s{0,9}(?:['’]m|\s{1,9}am)\s{1,9}(?:called|named|\d+|born|from|married|divorced|single)\b
            | \bmy\s{1,9}(?:birthday|age|pronouns|blood\s{1,9}type|nationality|job|profession)\b | \bi\s{1,9}(?:live|work)\b | \bi\s{1,9}was\s{1,9}born\b | \ballergic\b | \ballergy\b
            | \bi\s{0,9}(?:['’]m|\s{1,9}am)\s{1,9}(?:an?\s{1,9})?(?:vegan|vegetarian|diabetic|doctor|nurse|teacher|engineer|student|lawyer|programmer|developer|designer|left-handed|colou?r-?blind)
            | 我(?:的)?(?:名字|姓名|小名|生日|年龄|职业|血型|国籍|星座|属相) | 我(?:叫|姓|今年|住|来自|属|在.{1,12}(?:工作|上班)) | 叫我 | 称呼我 | 过敏 | 我是(?:.{0,6})(?:人|师|生|员|者|医|子)""",
        ),
        (
            Kind.PREFERENCE,
            r"""\b(?:like|love|enjoy|prefer|hate|dislike|adore|detest|favou?rite|can['’]?t\s{1,9}stand|fan\s{1,9}of|rather|don['’]?t\s{1,9}(?:eat|drink|like))s?\b
            | 喜欢 | 喜爱 | 偏好 | 讨厌 | 爱(?:吃|喝|看|听|玩|用) | 最爱 | 不吃 | 不喝 | 更?愿意 | 受不了 | 怕(?:辣|冷|热|狗|猫|黑)""",
        ),
        (
            Kind.GOAL,
            r"\b(?:my\s{1,9}goal|i\s{1,9}(?:want|plan|hope|intend|aim)\s{1,9}to|i['’]?m\s{1,9}(?:going|planning|trying)\s{1,9}to)\b | 目标 | 计划 | 打算 | 我想 | 希望(?:能|可以)?(?!你)",
        ),
        (
            Kind.WORKFLOW,
            r"\b(?:i\s{1,9}(?:always|usually|normally|often|never)|every\s{1,9}(?:day|morning|evening|week|monday|night))\b | 每(?:天|周|晚|早|个?月) | 习惯 | 我(?:总是|通常|一般|经常|从不)",
        ),
        (Kind.DECISION, r"\b(?:i|we)(?:['’]ve|\s{1,9}have)?\s{1,9}decided\b | 决定"),
        (
            Kind.SKILL,
            r"\b(?:i\s{1,9}(?:can|know\s{1,9}how\s{1,9}to|speak|am\s{1,9}able\s{1,9}to))\b | 我会(?!议) | 擅长 | 精通 | 我懂",
        ),
        (
            Kind.LESSON,
            r"\b(?:lesson|never\s{1,9}again|next\s{1,9}time|avoid|works?\s{1,9}only\s{1,9}(?:if|with)|needs?\s{1,9}.{1,24}\s{1,9}to\s{1,9}(?:run|build|work))\b | 教训 | 下次 | 避免 | 必须先",
        ),
    )
)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ZH_DAYS: Final = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}
_MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NEAR_EN: Final = {"today": 0, "tonight": 0, "this evening": 0, "tomorrow": 1, "the day after tomorrow": 2}
_NEAR_ZH: Final = {"今天": 0, "今晚": 0, "明天": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3}


def kind_of(text: str) -> Kind:
    """How to answer, or the first kind whose words it has; FACT if none."""
    if instruction_sort(text) == "manner":
        return Kind.INSTRUCTION
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), Kind.FACT)


def due(text: str, at: datetime, tz: str) -> datetime | None:
    """The end of the day it is about, where the words name one: tomorrow, on Friday, 3 May, 明天, 下周三, 5月3日."""
    local = at.astimezone(zone(tz))
    low = text.casefold()
    ahead = _days_ahead(low, local)
    day = (local + timedelta(days=ahead)).date() if ahead is not None else _calendar(low, local)
    if day is None:
        return None
    end = datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=local.tzinfo).astimezone(UTC)
    return end if end >= at else None


def _days_ahead(low: str, local: datetime) -> int | None:
    for table in (_NEAR_EN, _NEAR_ZH):
        for word in sorted(table, key=len, reverse=True):
            if re.search(rf"\b{word}\b" if word.isascii() else word, low):
                return table[word]
    if m := re.search(rf"\b(?P<next>next\s{{1,9}})?(?P<d>{'|'.join(_WEEKDAYS)})\b", low):
        return (_WEEKDAYS.index(m["d"]) - local.weekday()) % 7 or 7
    if m := re.search(r"(?P<p>下个?|这个?|本)?(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", low):
        day = _ZH_DAYS[m["d"]]
        if (m["p"] or "").startswith("下"):
            return 7 - local.weekday() + day
        return (day - local.weekday()) % 7
    return None


def _calendar(low: str, local: datetime) -> datetime | None:
    names_ = "|".join(f"{n[:3]}(?:{n[3:]})?" for n in _MONTHS)
    patterns = (
        r"(?P<y>\d{4})[-/.年](?P<m>\d{1,2})[-/.月](?P<d>\d{1,2})",
        r"(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]?",
        rf"\b(?P<n>{names_})\.?\s{{1,9}}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s{{0,9}}(?P<y>\d{{4}}))?",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s{{1,9}}(?:of\s{{1,9}})?(?P<n>{names_})\b(?:,?\s{{0,9}}(?P<y>\d{{4}}))?",
    )
    for p in patterns:
        if m := re.search(p, low):
            part = m.groupdict()
            named = part.get("n")
            month = next(i for i, n in enumerate(_MONTHS, 1) if n[:3] == named[:3]) if named else int(part["m"])
            year = int(part["y"]) if part.get("y") else local.year
            try:
                day = local.replace(year=year, month=month, day=int(part["d"]))
                return day if part.get("y") or day >= local else day.replace(year=year + 1)
            except ValueError:
                return None
    return None


_SLOTS: Final = (
    (
        "home",
        re.compile(
            r"^(?:(?:i|(?:the )?user)(?:['’]ve|\s{1,9}have|\s{1,9}has)?\s{1,9})?(?:now\s{1,9}|currently\s{1,9}|just\s{1,9})?(?:lives?\s{1,9}in|moved\s{1,9}to)\b|^(?:我|用户)?(?:现在)?(?:住在|搬到了?)",
            re.I,
        ),
    ),
    (
        "name",
        re.compile(
            r"^(?:(?:my\s{1,9}|(?:the )?user['’]s\s{1,9})?name\s{1,9}is\b|called\s{1,9}(?-i:(?=[A-Z]))|我?叫|我?的?名字[是叫]|用户(?:名)?叫)",
            re.I,
        ),
    ),
    ("age", re.compile(r"^(?:(?:i(?:['’]m|\s{1,9}am)\s{1,9})?\d+\s{1,9}years\s{1,9}old|我?(?:今年)?\d+岁)", re.I)),
)
_ATTRIBUTE: Final = re.compile(
    r"""^(?:(?:my|(?:the\s{1,9})?user['’]s|我的?|用户的?)\s{0,9})?(?P<key>(?:[\w'’ -]{0,30}?\b)?(?:name|birthday|age|address|phone(?:\s{1,9}number)?|number|e-?mail|size|height|weight|anniversary|nickname|pronouns
    |time\s{0,9}zone|blood\s{1,9}type|favou?rite\s{1,9}[\w ]{2,24}?)|[\u4e00-\u9fff]{0,6}?(?:名字|生日|年龄|地址|电话|手机号|邮箱|尺码|鞋码|身高|体重|纪念日|昵称|血型|最喜欢的[\u4e00-\u9fff]{1,6}?))\s{0,9}(?:is|are|是|叫)""",
    re.I | re.X,
)


def slot(text: str) -> str | None:
    """What a sentence says the one value of, where there can be but one: a home, a name, a birthday, a favourite X."""
    plain = text.strip()
    if found := next((name for name, pattern in _SLOTS if pattern.match(plain)), None):
        return found
    m = _ATTRIBUTE.match(plain)
    return " ".join(m["key"].casefold().replace("favorite", "favourite").split()) if m else None


def draft_of(text: str, at: datetime, tz: str) -> Draft:
    """What the person wants remembered, in their own words and language: verified, of high importance."""
    kind = kind_of(text)
    draft = Draft(
        text,
        kind=kind,
        importance=Importance.HIGH,
        language=language_of(text),
        confidence=1.0,
        source=Source.USER,
        verified=True,
        entities=tuple(sorted(_spelt(text))),
        sensitivity=sensitivity_of(text),
    )
    when = due(text, at, tz) if kind in {Kind.TODO, Kind.GOAL} else None
    if kind is Kind.GOAL and when is not None:
        draft = replace(draft, kind=Kind.TODO)
    return replace(draft, expires_at=when, precision="day") if when is not None else draft


def _spelt(text: str) -> set[str]:
    """Names as the person wrote them."""
    out = set()
    for name in names(text):
        at = text.casefold().find(name)
        out.add(text[at : at + len(name)] if at >= 0 else name)
    return out
