"""How seldom recall speaks up unasked, and what that costs: `python -m tests.bench.smalltalk --data DIR [DIR …]`.

Two hundred turns a language that call for no memory (`turns_en`, `turns_zh`) are put to every person of the data, and
sixty of other styles that no weight was learned from (`turns_other`). A turn that brings up anything counts against the
gate; which ones do so most is told. Beside it recall@3 of the real questions with the gate and without. Levels are left
out of both: nobody here forgets.

Written for this project; no part of any data set. The small life below is what the tests ask about.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from memory.models import Hit, Query
from memory.ports import Embedder, Store
from memory.recall import QueryEmbedder, rank_candidates
from tests.bench import embedders, turns_en, turns_other, turns_zh
from tests.bench.data import User, load
from tests.bench.ground import store_at
from tests.bench.metrics import APART, share_found

TURNS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    lang: {kind: text.strip().splitlines() for kind, text in words.TURNS.items()}
    for lang, words in (("en", turns_en), ("zh", turns_zh))
}
OTHER: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    lang: {kind: text.strip().splitlines() for kind, text in kinds.items()}
    for lang, kinds in turns_other.OTHER.items()
}
EN, ZH = ([turn for turns in kinds.values() for turn in turns] for kinds in TURNS.values())
WORST: Final = 12  # turns that are named


@dataclass
class Gated:
    """What the gate did on one set."""

    asked: Counter[str] = field(default_factory=Counter)  # turns by kind
    noisy: Counter[str] = field(default_factory=Counter)  # those that brought up anything
    others: Counter[str] = field(default_factory=Counter)  # of other styles, by kind
    noisy_others: Counter[str] = field(default_factory=Counter)
    turns: Counter[str] = field(default_factory=Counter)
    own: dict[str, list[bool]] = field(
        default_factory=lambda: defaultdict(list)
    )  # the set's own turns, by kind
    by_person: list[float] = field(default_factory=list)
    free: list[float] = field(default_factory=list)  # recall@3 of each question, no gate
    gated: list[float] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        """For a file."""
        return {
            "injected": self.noisy.total() / self.asked.total(),
            "worst_person": max(self.by_person),
            "other_styles": self.noisy_others.total() / max(1, self.others.total()),
            "kinds": {kind: self.noisy[kind] / n for kind, n in self.asked.items()},
            "other_kinds": {kind: self.noisy_others[kind] / n for kind, n in self.others.items()},
            "own": {kind: fmean(found) for kind, found in self.own.items()},
            "R@3": fmean(self.free),
            "R@3_gated": fmean(self.gated),
        }

    def lines(self) -> Iterator[str]:
        """What is printed."""
        t = self.told()
        yield f"  small talk that brings up anything: {t['injected']:.1%} (of one person at most {t['worst_person']:.1%})"
        yield "    " + ", ".join(f"{kind} {share:.1%}" for kind, share in t["kinds"].items())
        if self.others:
            yield f"  of other styles {t['other_styles']:.1%}"
            yield "    " + ", ".join(
                f"{kind} {share:.1%}" for kind, share in t["other_kinds"].items()
            )
        if self.own:
            yield "  of the set's own: " + ", ".join(
                f"{kind} {share:.1%}" for kind, share in t["own"].items()
            )
        lost = t["R@3"] - t["R@3_gated"]
        yield f"  recall@3 without the gate {t['R@3']:.3f}, with it {t['R@3_gated']:.3f}: {lost:.3f} lost"
        if self.turns:
            yield "    most: " + " | ".join(
                f"{turn} ×{n}" for turn, n in self.turns.most_common(WORST)
            )


async def measure(folder: Path, embedder: Embedder | None) -> Gated:
    """Everybody's small talk and questions."""
    from tests.bench.recall import ingest

    users, out = load(folder), Gated()
    with tempfile.TemporaryDirectory() as home:
        async with store_at(
            Path(home) / "bench.db", embedder, datetime(2026, 1, 1, tzinfo=UTC)
        ) as store:
            await ingest(store, users, embedder)
            for user in users.values():
                await _of(
                    store, user, None if embedder is None else QueryEmbedder(embedder, 60_000), out
                )
    return out


async def _of(store: Store, user: User, embed: QueryEmbedder | None, out: Gated) -> None:
    async def found(text: str) -> list[Hit]:
        vector = None if embed is None else (await embed.embed(text))[0]
        query = Query(user.ids[""], text, (), user.now, "UTC", vector=vector)
        return await rank_candidates(store.open_reader(user.ids[""]), query, u=0.0)

    before = out.noisy.total()
    lang = user.queries[0]["lang"]
    kinds = TURNS[lang]
    for own, asked, counted in (
        (kinds, out.asked, out.noisy),
        (OTHER[lang], out.others, out.noisy_others),
    ):
        for kind, turns in own.items():
            for turn in turns:
                noisy = any(h.passed for h in await found(turn))
                asked[kind] += 1
                counted[kind] += noisy
                out.turns[turn] += noisy
    out.turns = +out.turns
    out.by_person.append((out.noisy.total() - before) / sum(map(len, kinds.values())))
    for row in user.turns:
        noisy = any(h.passed for h in await found(row["text"]))
        out.own["hard" if row["hard"] else "plain"].append(noisy)
    for row in user.queries:
        if not row["gold"]:
            out.own["not held"].append(any(h.passed for h in await found(row["text"])))
        elif row["category"] != APART:
            hits = await found(row["text"])
            ids = [user.ids[h.memory.id] for h in hits]
            out.free.append(share_found(row, ids, 3))
            out.gated.append(
                share_found(row, [i for i, h in zip(ids, hits, strict=True) if h.passed], 3)
            )


async def main(folders: Sequence[Path], embedder: Embedder | None) -> dict[str, Any]:
    """Print the figures a set; all of them, for a file."""
    name = "none" if embedder is None else embedder.id
    told: dict[str, Any] = {"embedder": name, "sets": {}}
    print(f"embedder {name}")
    for folder in folders:
        gated = await measure(folder, embedder)
        print("\n".join((folder.name, *gated.lines())))
        told["sets"][folder.name] = gated.told()
    return told


# A life in 30 facts a language, and questions with the fact that answers each.
LIFE_EN: dict[str, tuple[str, ...]] = {
    "User's cat is called Miso": ("what's my cat called?", "do you remember my cat's name?"),
    "User is allergic to peanuts": ("what am I allergic to?", "can I eat peanut butter?"),
    "User lives in Leeds, near the canal": ("where do I live?", "which city do I live in?"),
    "User works as a nurse at St James's hospital": (
        "where do I work?",
        "which hospital do I work at?",
    ),
    "User's sister Anna lives in Lisbon": ("where does Anna live?", "what's my sister's name?"),
    "User likes ramen, above all tonkotsu": (
        "which ramen do I like?",
        "what kind of ramen is my favourite?",
    ),
    "User is learning the violin since March": (
        "which instrument am I learning?",
        "how long have I played the violin?",
    ),
    "User's car is a blue Volvo": ("what car do I drive?", "what colour is my car?"),
    "User has a dentist appointment on 12 March at 10": (
        "when is my dentist appointment?",
        "when do I see the dentist?",
    ),
    "User wants to run the Edinburgh marathon in May": (
        "which marathon do I want to run?",
        "what's my running goal?",
    ),
    "User hates coriander": ("do I like coriander?", "should I put coriander in the soup?"),
    "User's boss is named Tom Becker": ("who is my boss?", "what's my boss called?"),
    "User studied biology in Sheffield": ("what did I study?", "where did I study biology?"),
    "User's birthday is on 4 July": ("when is my birthday?", "do you know my birthday?"),
    "User's favourite book is Middlemarch": (
        "what's my favourite book?",
        "which book do I love most?",
    ),
    "User is reading a novel by Ursula Le Guin": (
        "which novel am I reading?",
        "who wrote the novel I'm reading?",
    ),
    "User plays chess on Thursdays at the library": (
        "when do I play chess?",
        "where do I play chess?",
    ),
    "User plans a trip to Kyoto with Leo in October": (
        "when is the trip to Kyoto?",
        "who comes along to Kyoto?",
    ),
    "User's grandmother comes from Galway": (
        "where does my grandmother come from?",
        "where is my grandma from?",
    ),
    "User takes the 7:40 train every morning": (
        "which train do I take?",
        "what train do I catch in the morning?",
    ),
    "User's flatmate Omar is a baker": ("what does Omar do?", "what's my flatmate's job?"),
    "User paid 620 pounds for a used piano": (
        "how much did the piano cost?",
        "what did I pay for the piano?",
    ),
    "User broke an ankle while climbing in 2021": (
        "when did I break my ankle?",
        "how did I break my ankle?",
    ),
    "User is vegetarian since university": ("am I vegetarian?", "since when am I vegetarian?"),
    "User's dog Bruno died last winter": ("what was my dog called?", "what happened to Bruno?"),
}
LIFE_ZH: dict[str, tuple[str, ...]] = {
    "用户的猫叫小橘": ("我的猫叫什么？", "还记得我的猫叫什么名字吗"),
    "用户对花生过敏": ("我对什么过敏？", "我能吃花生酱吗"),
    "用户住在杭州西湖区": ("我住在哪里？", "我住哪个区"),
    "用户在第一医院当护士": ("我在哪家医院工作？", "我是做什么的护士吗？"),
    "用户的姐姐陈静在成都": ("我姐姐在哪个城市？", "陈静在哪儿"),
    "用户喜欢吃豚骨拉面": ("我喜欢吃什么拉面？", "我最爱哪种拉面"),
    "用户从三月开始学小提琴": ("我在学什么琴？", "我什么时候开始学小提琴的"),
    "用户开一辆蓝色的沃尔沃": ("我开什么车？", "我的车是什么颜色，沃尔沃吗"),
    "用户三月十二日上午十点看牙医": ("我什么时候看牙医？", "牙医约的几点"),
    "用户想跑今年的杭州马拉松": ("我想跑哪个马拉松？", "马拉松我打算跑哪场"),
    "用户讨厌香菜": ("我吃香菜吗？", "这道菜要放香菜吗"),
    "用户的老板叫王志强": ("我老板叫什么？", "我的老板是谁"),
    "用户大学学的是生物": ("我大学学什么专业？", "我大学读的是生物吗"),
    "用户的生日是七月四日": ("我的生日是哪天？", "我生日几号"),
    "用户最喜欢的书是《红楼梦》": ("我最喜欢的书是哪本？", "我最喜欢什么书"),
    "用户正在读刘慈欣的小说": ("我在读谁的小说？", "我最近读什么小说"),
    "用户每周四在图书馆下围棋": ("我什么时候下围棋？", "我在哪里下围棋"),
    "用户十月要和小林去京都旅行": ("我什么时候去京都？", "谁和我一起去京都旅行"),
    "用户的外婆是绍兴人": ("我外婆是哪里人？", "外婆老家在哪"),
    "用户每天坐七点四十的地铁": ("我每天坐几点的地铁？", "我坐几点的地铁上班"),
    "用户的室友阿明是面包师": ("阿明是做什么的？", "我室友做什么工作"),
    "用户花六千块买了一架二手钢琴": ("钢琴多少钱买的？", "我的钢琴花了多少"),
    "用户2021年攀岩时摔断了脚踝": ("我的脚踝是怎么摔断的？", "我哪年摔断脚踝的"),
    "用户从大学起吃素": ("我是不是吃素？", "我从什么时候开始吃素"),
    "用户的狗豆豆去年冬天死了": ("我的狗叫什么？", "豆豆怎么了"),
}


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        help="folders with memories.jsonl and queries.jsonl",
    )
    p.add_argument("--json", type=Path, help="all figures, to this file")
    embedders.add_to(p)
    a = p.parse_args()
    figures = asyncio.run(main(a.data, embedders.chosen(a)))
    if a.json is not None:
        a.json.write_text(
            json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
