# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Memories told to the person they are about: in the second person, with near dates, and as surely as they are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime

from bot.llm.companion import person_en, person_zh
from bot.llm.companion.facts import Fact
from bot.llm.companion.knowledge import Item, episode_parts
from bot.llm.companion.text import tongue
from memory import bilingual
from memory.models import Lang
from memory.text import dates

# One value of a slot told in either language; {} is the value as it was written.
_TOLD: dict[str, tuple[str, str]] = {
    "name": ("Your name is {}.", "你叫{}。"),
    "nickname": ("You like to be called {}.", "你希望我叫你{}。"),
    "age": ("You're {} years old.", "你{}岁。"),
    "home": ("You live in {}.", "你住在{}。"),
    "origin": ("You're from {}.", "你来自{}。"),
    "job": ("Your job: {}.", "你的职业是{}。"),
    "employer": ("You work at {}.", "你在{}工作。"),
    "birthday": ("Your birthday: {}.", "你的生日是{}。"),
    "study": ("You study {}.", "你学的是{}。"),
    "allergy": ("You're allergic to {}.", "你对{}过敏。"),
    "like": ("You like {}.", "你喜欢{}。"),
    "dislike": ("You don't like {}.", "你不喜欢{}。"),
    "hate": ("You hate {}.", "你讨厌{}。"),
    "over": ("You no longer like {}.", "你不再喜欢{}了。"),
    "hobby": ("Your hobbies: {}.", "你的爱好有{}。"),
    "language": ("You speak {}.", "你会{}。"),
    "email": ("Your email is {}.", "你的邮箱是{}。"),
    "phone": ("Your phone number is {}.", "你的电话是{}。"),
}


_YEARLY = re.compile(r"\bbirthday is\b|\bborn\b|生日是|出生", re.I)


def joined(values: Sequence[str], lang: Lang) -> str:
    """A list as it is said."""
    values = list(dict.fromkeys(values))
    if lang == "zh":
        return "、".join(values) if len(values) < 3 else "、".join(values[:-1]) + "和" + values[-1]
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}" if values else ""


def second(text: str, name: str = "") -> str:
    """A memory in the second person, in the language it is in."""
    zh = tongue(text) == "zh"
    if titled := _TITLED.match(text):
        text = text[titled.end() :]
    return person_zh.to_second(text, name) if zh else person_en.to_second(text, name)


# What is kept under lock and key comes as `Locker code: my locker code is 4711`.
_TITLED = re.compile(
    r"^[^:：。.!?]{1,60}[:：]\s{0,9}(?=(?:my|our|the user's)\b.+ (?:is|are)\b|(?:我们?|用户)家?的?.+是)", re.I
)


def value_told(slot: str, values: Sequence[str], lang: Lang) -> str:
    """Values of a slot in one sentence; empty for a slot without a form."""
    shape = _TOLD.get(slot)
    return (
        shape[lang == "zh"].format(joined([bilingual.told(v, lang) for v in values], lang))
        if shape and values
        else ""
    )


def dated(text: str, now: datetime, *, due: bool = True) -> str:
    """The text with its date as people say it now: tomorrow, in 4 days, and without this year's number.

    `due`: it tells of something planned, so that a date gone by is worth a word.
    """
    lang = tongue(text)
    found = [] if _YEARLY.search(text) else dates.find(text, now, lang)
    if not found or found[-1].lead in {"since", "until"}:
        return text
    w = found[-1]
    said = dates.nearby(w, now, lang)
    if w.at.year == now.year and w.grain in {"minute", "day", "week", "weekend"}:
        said = said.replace(f"{now.year}年", "") if lang == "zh" else said.replace(f" {now.year}", "")
    gap = (w.at.date() - now.date()).days
    tail = ""
    if 2 <= gap <= 21 and w.grain in {"minute", "day"}:
        tail = f"（还有{gap}天）" if lang == "zh" and gap > 2 else f", {gap} days from now" if lang == "en" else ""
    elif due and w.over(now) and gap < -1:
        tail = "（已经过去了）" if lang == "zh" else " (that's past now)"
    out = f"{text[: w.start]}{said}{text[w.end :]}"
    mark = "。" if lang == "zh" else "."
    return out.removesuffix(mark) + tail + mark


def day_text(day: date, lang: Lang) -> str:
    """A day with its weekday."""
    if lang == "zh":
        return f"{day.year}年{day.month}月{day.day}日，星期{'一二三四五六日'[day.weekday()]}"
    return f"{dates.WEEKDAYS[day.weekday()]}, {day.day} {dates.MONTHS[day.month - 1]} {day.year}"


def lower_first(text: str) -> str:
    """For the middle of a sentence: `You like …` → `you like …`; names and I stay."""
    return text[:1].lower() + text[1:] if re.match(r"(?:You|Your|There|One|The)\b", text) else text


def hedged(text: str, faded: int, lang: Lang) -> str:
    """How sure one sounds of a memory at that level."""
    if faded <= 0 or not text:
        return text
    whole = bool(re.search(r"\b[Yy]ou(?:r|'re)?\b|你", text))
    body = lower_first(text).rstrip(".。")
    if lang == "zh":
        if faded == 1:
            return f"如果我没记错，{body}。"
        if faded == 2:
            return f"我隐约记得{'' if whole else '和这个有关：'}{body}。"
        return f"只剩下一点模糊的印象：{body}。" if faded == 3 else f"很久以前你提过：{body}。"
    if faded == 1:
        return f"If I remember right, {body}."
    if faded == 2:
        return f"I vaguely remember {'that ' if whole else 'something about this: '}{body}."
    return f"There is only a trace of it left: {body}." if faded == 3 else f"From long ago, you once told me: {body}."


def told(item: Item, lang: Lang, now: datetime, name: str = "") -> str:
    """One item, to the person, in their language if the rules can put it so, else in the words it was said in."""
    planned = item.kind in {"todo", "goal"} or any(f.family in {"event", "todo", "goal"} for f in item.facts)
    text = dated(second(item.text, name), now, due=planned)
    if item.lang != lang and (f := item.fact) is not None:
        slot = "dislike" if f.slot == "like" and not f.holds else f.slot
        if f.holds or slot == "dislike":
            text = value_told(slot, [f.value], lang) or text
    if item.past:
        return was(text, lang)
    return hedged(text, item.faded, lang)


def was(text: str, lang: Lang) -> str:
    """What held once, and no longer does."""
    body = text.rstrip(".。")
    return (
        f"以前你说过“{body}”，不过现在已经不是这样了。"
        if lang == "zh"
        else f"It used to be different: “{body}”. That no longer holds."
    )


def together(found: Sequence[tuple[Item, Fact]], lang: Lang, now: datetime, name: str = "") -> str:
    """Several facts, as one text."""
    return ("" if lang == "zh" else " ").join(told_list(found, lang, now, name))


def told_list(found: Sequence[tuple[Item, Fact]], lang: Lang, now: datetime, name: str = "") -> list[str]:
    """Several facts: those of one slot in one sentence, the others one by one."""
    clear: dict[str, list[str]] = {}
    single: dict[str, Item] = {}
    rest: list[Item] = []
    for item, f in found:
        slot = _dislike(item.text) if f.slot == "like" and not f.holds else f.slot
        if (
            item.faded == 0
            and f.value
            and slot in {"allergy", "like", "dislike", "hate", "over", "hobby", "language"}
            and (f.holds or f.slot == "like")
        ):
            clear.setdefault(slot, []).append(_yours(f.value))
            single[slot] = item
        elif item not in rest:
            rest.append(item)
    out = []
    for slot, values in clear.items():
        own = single[slot]
        out.append(
            told(own, lang, now, name)
            if len(set(values)) == 1 and own.lang == lang
            else value_told(slot, values, lang)
        )
    out += [told(i, lang, now, name) for i in rest]
    return list(dict.fromkeys(out))


def _dislike(text: str) -> str:
    """In which words it is disliked: hated, no longer liked, or simply not liked."""
    if re.search(r"\bno longer\b|\bused to\b|\bany ?more\b|不再|[了啦]。?$", text):
        return "over"
    return "hate" if re.search(r"\b(?:hate|detest|loathe|despise)|讨厌|討厭|痛恨|受不了", text) else "dislike"


def _yours(value: str) -> str:
    """A value as it is told to the person: my job, 我的工作 → your job, 你的工作."""
    if re.search(r"[\u4e00-\u9fff]", value):
        return re.sub("我", "你", value)
    return re.sub(r"\b(?:my|their)\b", "your", value)


def episode_told(text: str, lang: Lang, now: datetime) -> str:
    """An account of an earlier conversation, with how long ago it was."""
    day, body = episode_parts(text)
    zh = bool(re.search(r"[\u4e00-\u9fff]", body))
    body = person_zh.to_second(re.sub(r"^聊了", "我们聊了", body)) if zh and "我" not in body else body
    if zh:
        body = re.sub(r"^聊了", "我们聊了", body.replace("你们聊了", "我们聊了"))
        body = re.sub(r"；(问了|提到|说)", r"；你\1", body).rstrip("。") + "。"
    else:
        body = re.sub(r"^The user talked about", "We talked about", body)
        body = re.sub(r"; (asked|said) ", r"; you \1 ", body)
        body = re.sub(r"^(?:T|t)he user (asked|said)", r"You \1", body).replace("their ", "your ")
        body = person_en.to_second(body) if "user" in body else (body if body.endswith(".") else body + ".")
    when = ""
    if day:
        gap = (now.date() - date.fromisoformat(day)).days
        when = _ago(gap, lang)
    if lang == "zh":
        return f"{when or '上次'}：{body}" if when else body
    return f"{when}: {lower_first(body) if not body.startswith('We') else body}" if when else body


def _ago(gap: int, lang: Lang) -> str:
    if lang == "zh":
        return {0: "今天早些时候", 1: "昨天", 2: "前天"}.get(gap, f"{gap}天前")
    return {0: "Earlier today", 1: "Yesterday"}.get(gap, f"{gap} days ago")
