"""Words for the same thing, in both languages: who asks for a "job" means what was told of a 职业.

Only what people tell of themselves and each other every day; everything else is for vectors. Terms are those of the
text index: English words (which it stems), Chinese pairs and lone characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from memory.bilingual import pairs
from memory.embed.features import stem, tokens
from memory.models import Lang

_GROUPS: Final = (
    "姓名 名字 name",
    "job occupation profession 职业 工作",
    "employer company firm 公司 单位",
    "boss manager 上司 老板 领导",
    "colleague coworker 同事",
    "education degree 学历 学位 教育",
    "university college 大学",
    "phone telephone 电话 手机",
    "email 邮箱 邮件",
    "birthday 生日",
    "hometown 家乡 老家",
    "address 地址 住址",
    "age 年龄 年纪 岁",
    "height tall 身高",
    "weight weigh 体重",
    "hobby hobbies 爱好 兴趣",
    "place location venue 地点 地方 位置",
    "price cost 价格 价钱",
    "pet pets 宠物",
    "dog puppy 狗 小狗",
    "cat kitten 猫 小猫",
    "husband 老公 丈夫",
    "wife 老婆 妻子 太太",
    "boyfriend 男友 男朋",
    "girlfriend 女友 女朋",
    "mother mom mum 妈妈 母亲 老妈",
    "father dad 爸爸 父亲 老爸",
    "child children kid kids 孩子 小孩",
    "son 儿子",
    "daughter 女儿",
    "brother 哥哥 弟弟",
    "sister 姐姐 妹妹",
    "married wedding marry 结婚 婚礼",
    "pregnant pregnancy 怀孕",
    "allergic allergy allergies 过敏",
    "doctor physician 医生 大夫",
    "hospital 医院",
    "surgery operation 手术",
    "medicine medication 药",
    "restaurant 餐厅 饭店 餐馆 饭馆",
    "coffee 咖啡",
    "tea 茶",
    "vegetarian 素食 吃素",
    "movie film 电影 影片",
    "book 书",
    "music 音乐",
    "trip travel vacation holiday 旅行 旅游",
    "car 汽车 车",
    "exam 考试",
    "meeting 会议 开会",
    "workout gym fitness 健身",
    "marathon 马拉",
    "swim swimming 游泳",
    "piano 钢琴",
    "guitar 吉他",
    "afraid fear scared 害怕",
    "salary income 工资 收入",
    "smoke smoking cigarettes 抽烟 戒烟",
    "insomnia 失眠",
)


_SAID_OF_ALL: Final = frozenset({"like", "hate", "eat", "drink", "name", "job"})  # of too much to find it by


def _read(groups: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in groups:
        words = group.split()
        for word in words:
            found.setdefault(stem(word), {}).update(dict.fromkeys(w for w in words if stem(w) != stem(word)))
    return {word: tuple(others) for word, others in found.items()}


def _across() -> Iterator[str]:
    """What `memory.bilingual` translates, as index terms: single English words, Chinese by first pairs."""
    for en, zh in pairs():
        if en[0] not in _SAID_OF_ALL:
            yield " ".join([*(w.casefold() for w in en if " " not in w), *dict.fromkeys(w[:2] for w in zh)])


_ALIKE: Final = _read((*_GROUPS, *_across()))


def crossed(clauses: Iterable[tuple[tuple[str, tuple[str, ...]], ...]], lang: Lang, text: str) -> int:
    """How many words of a question in `lang` a text in the other language has, said as that says them.

    `clauses` are the `alike` of each.
    """
    there = frozenset(map(stem, tokens(text))) if lang == "zh" else frozenset()
    return sum(
        any(stem(o) in there if o.isascii() else o in text for o in others if o.isascii() == (lang == "zh"))
        for clause in clauses
        for _, others in clause
    )


def alike(term: str) -> tuple[str, ...]:
    """What else may be said for it; empty for most."""
    return _ALIKE.get(stem(term) if term.isascii() else term, ())
