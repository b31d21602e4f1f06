"""Answers that look over many things: plans, dates, everything known, what was talked about."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from bot.llm.companion.asker import STOP, Asker, by_topic, distinct, lines, unique
from bot.llm.companion.facts import Fact
from bot.llm.companion.knowledge import Item, episode_parts, newest
from bot.llm.companion.reconcile import MEANT
from bot.llm.companion.telling import (
    dated,
    episode_told,
    second,
)
from bot.llm.companion.text import CJK, words
from bot.llm.companion.want import Want
from memory.models import Lang
from memory.text import dates


def window(question: str, now: datetime, lang: Lang) -> tuple[date, date] | None:
    """The days that a question about plans means; None for all that is to come."""
    found = dates.find(question, now, lang)
    if found:
        return min(w.at.date() for w in found), max(w.last_day for w in found)
    return None


def planned(a: Asker) -> list[tuple[dates.When, Item]]:
    """What is planned and has a date, in order of time."""
    out = []
    for i in a.know.holding():
        if i.kind in {"todo", "goal"} or any(f.family in {"event", "todo", "goal"} for f in i.facts):
            if any(not f.holds for f in i.facts):
                continue
            out += [(w, i) for w in dates.find(i.text, a.now, i.lang)[-1:]]
    return sorted(out, key=lambda p: p[0].at)


def plans(a: Asker, w: Want) -> str:
    """What is planned for the days asked about, or from now on."""
    span = window(w.question, a.now, a.lang)
    due = planned(a)
    if span:
        hits = [i for when, i in due if when.covers(*span)]
        if hits:
            return lines(a, hits)
        if spoken := _spoken_of(a, span):
            return spoken
        ahead = [i for when, i in due if not when.over(a.now)]
        tail = (a.say(" What I do know of: ", "我知道的是：") + lines(a, ahead[:2])) if ahead else ""
        return a.say("Nothing that I can think of for then.", "那时候的安排，我一时想不起有什么。") + tail
    ahead = [i for when, i in due if not when.over(a.now)]
    undated = [
        i
        for i in a.know.holding()
        if any(f.family in {"todo", "goal", "decision"} and f.holds for f in i.facts)
        and i not in ahead
        and not any(i is j for _, j in due)
    ]
    found = (ahead + undated)[:6]
    return (
        lines(a, found)
        if found
        else a.say(
            "I can't find any plans. Tell me and I'll keep them in mind.",
            "我没找到什么安排。告诉我，我会记着。",
        )
    )


def _spoken_of(a: Asker, span: tuple[date, date]) -> str:
    """What the account of the last conversation has for those days, where no memory of it came to mind."""
    for text in reversed(newest(a.know)):
        body = episode_parts(text)[1]
        for topic in re.split(r",\s{1,9}|;\s{0,9}|\s{1,9}and\s{1,9}|[、；]|^.*?talked about |^聊了", body):
            lang: Lang = "zh" if CJK.search(topic) else "en"
            if any(w.covers(*span) for w in dates.find(topic, a.now, lang)):
                said = dated(topic, a.now).rstrip(".。")
                return a.say(f"Last time you spoke of this: {said}.", f"上次你提到过：{said}。")
    return ""


def when(a: Asker, w: Want) -> str:
    """The date of the one thing that is asked about."""
    topic = words(w.topic) - STOP
    best: tuple[float, Item] | None = None
    for i in a.know.items:
        facts = [f for f in i.facts if f.family in {"event", "todo", "goal", "birthday", "about"}]
        if not dates.find(i.text, a.now, i.lang) or not (facts or i.kind in {"todo", "goal", "fact"}):
            continue
        theirs = words(i.text)
        score = len(topic & theirs) / max(1, len(topic))
        if any(word in w.topic and re.search(p, i.text) for word, p in MEANT.items()):
            score = max(score, 0.5)  # the flight is the plan to fly
        best = (score, i) if score > 0.3 and (best is None or score >= best[0]) and not i.past else best
    if best:
        return a.tell(best[1])
    return by_topic(a, w) if topic else plans(a, w)


_GROUPS: tuple[tuple[tuple[str, ...], str, str], ...] = (  # slots in the order they are told
    (
        (
            "name",
            "nickname",
            "surname",
            "age",
            "birthday",
            "home",
            "origin",
            "nationality",
            "address",
            "marital",
            "living",
            "native",
            "sign:",
            "height",
        ),
        "About you",
        "关于你",
    ),
    (("job", "employer", "work_place", "field", "study", "school", "past:"), "Work and studies", "工作与学习"),
    (("relation:", "about:", "count:"), "Your people", "你身边的人"),
    (("allergy", "diet", "diet:", "health:"), "Health", "健康"),
    (("like", "favourite:", "prefer:", "hobby", "whim"), "Tastes", "喜好"),
    (("skill", "language", "habit", "wake_time", "sleep_time", "lesson"), "Skills and habits", "技能与习惯"),
    (("event:", "todo", "goal", "project", "decision"), "Plans", "计划"),
)


def _place(f: Fact, slots: tuple[str, ...]) -> int:
    return next(
        (n for n, s in enumerate(slots) if f.slot == s or (s.endswith(":") and f.slot.startswith(s))), len(slots)
    )


def everything(a: Asker, _w: Want) -> str:
    """All that is known, in groups."""
    left = distinct(a.know.holding())
    if not left:
        return a.say(
            "I can't find anything. Tell me a little about yourself: your name, where you live, what you like.",
            "我没找到什么。跟我说说你自己吧：叫什么、住哪儿、喜欢什么。",
        )
    out: list[str] = []
    for slots, en, zh in _GROUPS:
        mine = [
            i
            for i in left
            if any(f.slot == s or (s.endswith(":") and f.slot.startswith(s)) for f in i.facts for s in slots)
        ]
        if mine:
            left = [i for i in left if i not in mine]
            pairs = sorted(((i, i.facts[0]) for i in mine), key=lambda p: _place(p[1], slots))
            out.append(f"**{a.say(en, zh)}**{a.say(': ', '：')}{a.tell_all(unique(pairs))}")
    if left:
        out.append(f"**{a.say('Also', '其他')}**{a.say(': ', '：')}{lines(a, left[:20])}")
    head = a.say("This is what I have in mind right now:", "我现在想得起来的有这些：")
    return (
        head
        + "\n\n"
        + "\n".join(f"- {line}" for line in out)
        + "\n\n"
        + a.say("/memories shows everything that is kept.", "输入 /memories 可以看到全部记忆。")
    )


def last_time(a: Asker, w: Want) -> str:
    """What was talked about the last time, or on the day asked about."""
    if re.search(r"\b(?:just|a moment ago|in this conversation)\b|刚才|刚刚|这次", w.question) and (
        now := [i for i in a.know.items if i.fresh]
    ):
        return a.say("Just now: ", "刚才：") + lines(a, now[-3:])
    told_of = newest(a.know)
    span = window(w.question, a.now, a.lang)
    if span:
        fitting = [
            t
            for t in told_of
            if (d := t[1:11])
            and re.fullmatch(r"\d{4}-\d\d-\d\d", d)
            and span[0] <= date.fromisoformat(d) <= span[1] + timedelta(days=0)
        ]
        told_of = fitting or told_of
    if not told_of:
        if a.know.summary:
            return a.say("So far: ", "到目前为止：") + _second_all(a.know.summary)
        return a.say(
            "I can't find an earlier conversation.",
            "我没找到之前的对话。",
        )
    text = episode_told(told_of[-1], a.lang, a.now)
    return text if re.match(r"(?:We|You|我们|你)|.*(?:ago|day|天)", text) else a.say("Last time: ", "上次：") + text


def _second_all(summary: str) -> str:
    parts = [p for p in re.split(r"(?<=[。！？])|(?<=[.])\s{1,9}|\n", summary) if p and p.strip()]
    zh = bool(re.search(r"[\u4e00-\u9fff]", summary))
    return ("" if zh else " ").join(second(p) for p in parts)
