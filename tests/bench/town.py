"""Memories in any number, made up but not uniform: words as frequent as words are, vectors that follow the words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal

import numpy as np

from memory.models import Memory
from memory.ports import FloatArray
from memory.text.words import is_unspaced, tokens
from tests.bench.ground import made

DIM: Final = 384

_FIRST = "An Ben Cla Do Em Fa Gre Ha I Jo Ka Li Ma No O Pe Qui Ro Sa Te U Vi Wil Xa Yu Zo".split()  # noqa: SIM905
_LAST = "dra ley mir nie ra sa son ta via win xel ya".split()  # noqa: SIM905
_XING, _MING = "王李张刘陈杨黄赵周吴徐孙马朱胡林", "明静婷思琪伟洋舟雨欣浩宇轩涵诗梦佳乐天一"
_ON = "br c d f g gl h k l m n p pl r s sh st t tr v w".split()  # noqa: SIM905
_SET = "ack ade ain ale and ant est ick ine ing oak ool ore ost un urn".split()  # noqa: SIM905
_HAN = (
    "山水花木金火土石田园书画琴棋诗酒茶饭菜鱼肉米面汤糖盐车船飞机电影音乐舞蹈足球篮网跑步游泳旅行"
)
_EN = (
    "{a} took up {x} in {p} last spring and goes every {n}th day",
    "User prefers {x} to {y} when staying in {p}",
    "The budget for the {p} trip with {a} is {n} euros",
    "User's colleague {a} moved to {p} because of the {x}",
    "User told {a} about the {x} and the {y}, and promised to bring one",
    "{a} and {b} met at the {x} course",
)
_ZH = (
    "用户和{a}约好在{p}一起{x}，时间是{n}号",
    "{a}喜欢{x}，不太喜欢{y}",
    "用户在{p}的公司负责第{n}个项目，同事是{a}",
    "用户觉得{p}的{x}比{y}更有意思",
    "{a}说{b}最近在学{x}",
)
_ASKED = (
    "Where did {a} move to?",
    "what do I like better, {x} or {y}?",
    "How much did we plan for the trip to {p} with {a}?",
    "{a}喜欢什么？",
    "我和{a}约了什么时候去{p}？另外，预算是多少？",
    "我在{p}负责什么项目",
    "Do you know who took up {x}, {a} or {b}?",
    "{a}和{b}谁在学{x}",
)


class Town:
    """People, places and things, the first ones met most often; from one seed always the same."""

    def __init__(self, seed: int = 7, size: int = 1000) -> None:
        self.rng = random.Random(seed)
        pick = self.rng.choice
        en = {
            pick(_FIRST) + pick(_LAST) + (pick(_LAST) if self.rng.random() < 0.3 else "")
            for _ in range(size)
        }
        zh = {pick(_XING) + pick(_MING) + pick(_MING) for _ in range(size)}
        things = {
            pick(_ON) + pick(_SET) + (pick(_SET) if self.rng.random() < 0.5 else "")
            for _ in range(3 * size)
        }
        dishes = {pick(_HAN) + pick(_HAN) for _ in range(2 * size)}
        self.people, self.things = self._mixed(en, zh), self._mixed(things, dishes)
        self.places = self._mixed(
            {p.title() for p in list(sorted(things))[::7]}, {d + "城" for d in sorted(dishes)[::7]}
        )

    def memories(self, user: str, count: int, now: datetime) -> Iterator[Memory]:
        """Up to `now` from two months before, twenty a session, half of them with their people as entities."""
        for i in range(count):
            text, people = self._filled(_EN if self.rng.random() < 0.5 else _ZH)
            at = now - timedelta(days=60) * (1 - i / count)
            known = people if self.rng.random() < 0.5 else ()
            yield made(user, text, at, session=f"{user}/{i // 20}", entities=known)

    def question(self) -> str:
        """Something asked."""
        return self._filled(_ASKED)[0]

    def _filled(self, patterns: Sequence[str]) -> tuple[str, tuple[str, ...]]:
        pattern = self.rng.choice(patterns)
        a, b, x, y, p = (
            self._one(of)
            for of in (self.people, self.people, self.things, self.things, self.places)
        )
        text = pattern.format(a=a, b=b, x=x, y=y, p=p, n=self.rng.randrange(1, 2000))
        return text, tuple(dict.fromkeys(w for w in (a, b) if w in text))

    def _mixed(self, *sets: set[str]) -> tuple[list[str], list[float]]:
        words = sorted(w for some in sets for w in some)
        self.rng.shuffle(words)
        return words, list(accumulate(1 / (i + 10) for i in range(len(words))))  # as Zipf says

    def _one(self, of: tuple[list[str], list[float]]) -> str:
        return self.rng.choices(of[0], cum_weights=of[1])[0]


class Words:
    """An embedder whose vectors are sums of a random one for each word: alike where texts share words."""

    local = True
    immediate = True
    dim = DIM
    id = f"lexical:words:{DIM}"

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """(n, dim), unit length."""
        out = np.stack([np.sum([_word(w) for w in _words(t)], axis=0) for t in texts]).astype(
            np.float32
        )
        unit: FloatArray = out / np.linalg.norm(out, axis=1, keepdims=True)
        return unit


def _words(text: str) -> list[str]:
    found = []
    for token in tokens(text):
        found += (
            [token[i : i + 2] for i in range(max(1, len(token) - 1))]
            if is_unspaced(token)
            else [token]
        )
    return found or ["…"]


@lru_cache(maxsize=100_000)
def _word(word: str) -> FloatArray:
    rng = np.random.default_rng(list(word.encode()))
    return rng.standard_normal(DIM, dtype=np.float32) * np.float32(0.2 if word in _COMMON else 1.0)


_COMMON = frozenset(
    w for pattern in (*_EN, *_ZH, *_ASKED) for w in _words(re.sub(r"{.}", " ", pattern))
)
