# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Who asks, when and in which language, and how what is found is told to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.llm.companion.facts import Fact
from bot.llm.companion.knowledge import Item, Knowledge
from bot.llm.companion.telling import (
    dated,
    second,
    together,
    told,
    was,
)
from bot.llm.companion.text import word_set
from bot.llm.companion.want import Want
from memory.models import Lang

STOP = word_set(
    "the a an my me i you your am is are was do does did what when where who how which why that this it of to in on at for with about have has had "
    "know tell rememb remember say said told like lik still any some can will would could should and or not be been get go user s 什么 我的 你的 知道 记得 的是 是什 是不 不是 "
    "用户 我在 我是 你知 道我 怎么 什么时 时候 么时 哪里 多少 有什 我有 我喜 喜欢 么时候 户的 户喜 了什 过什"
)


@dataclass(frozen=True, slots=True)
class Asker:
    """Everything an answer needs besides the question."""

    know: Knowledge
    lang: Lang
    now: datetime  # local, naive
    turn: int  # so that the same question is not always answered in the same words
    where: str = ""  # temp or group: what was not looked up

    def say(self, en: str, zh: str) -> str:
        """The sentence in the language of the question."""
        return zh if self.lang == "zh" else en

    def tell(self, item: Item) -> str:
        """An item in the second person."""
        return told(item, self.lang, self.now, self.know.value("name"))

    def tell_all(self, found: Sequence[tuple[Item, Fact]]) -> str:
        """Several facts in as few sentences as read well."""
        return together(found, self.lang, self.now, self.know.value("name"))


def unique(found: Sequence[tuple[Item, Fact]]) -> list[tuple[Item, Fact]]:
    """Each memory once."""
    out: list[tuple[Item, Fact]] = []
    for p in found:
        if not any(p[0].id == q[0].id or p[0].text == q[0].text for q in out):
            out.append(p)
    return out


def once_was(a: Asker, w: Want) -> str:
    """What held once, where nothing of the sort holds now."""
    for slot in w.slots:
        past = [i for i in a.know.items if i.past and any(f.slot == slot for f in i.facts)]
        if past:
            return was(dated(second(past[-1].text), a.now), a.lang)
    return ""


def lines(a: Asker, items: Sequence[Item]) -> str:
    """Items told one after the other, none of them twice in other words."""
    return a.say(" ", "").join(dict.fromkeys(a.tell(i) for i in distinct(items)))


def distinct(items: Sequence[Item]) -> list[Item]:
    """Without those that state nothing beyond another: `wife Sara is expecting` says that she is called Sara."""
    told = [{(f.slot, f.key, f.holds) for f in i.facts} for i in items]
    return [
        i
        for n, i in enumerate(items)
        if not told[n]
        or not any(
            m != n
            and j.faded <= i.faded
            and j.past == i.past
            and (told[n] < told[m] or (told[n] == told[m] and m < n))
            for m, j in enumerate(items)
        )
    ]


def by_topic(a: Asker, w: Want) -> str:
    """What fits the words of the question best; only what shares words that carry meaning."""
    near = [(s, i) for s, i in a.know.near(w.topic or w.question, STOP) if s >= 1]
    if not near:
        return ""
    top = near[0][0]
    hits = [i for s, i in near if s >= max(1.0, top * 0.75)][:3]
    return lines(a, hits)
