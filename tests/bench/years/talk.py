"""A thousand turns of small talk a language, none of them about the person: `small_talk(lang)`.

Each template is filled with the fillers whose name it holds; a seed picks a thousand of what comes out.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping
from typing import Final

TURNS: Final = 1_000
SEED: Final = 7_001

EN: Final = """
write me a haiku about {x}
Tell me a joke about {x}.
what rhymes with {word}?
How do you spell {word}?
What's the capital of {land}?
is {land} bigger than {land2}?
Roughly how many people live in {land}?
What time zone is {land} in?
What does the flag of {land} look like?
Name three rivers in {land}.
who invented {gadget}?
How does {gadget} work, in two lines?
Explain {gadget} to a five-year-old.
when was {gadget} first sold?
How long does it take to boil {food}?
Does {food} freeze well?
how do you say "{word}" in Latin?
Use "{word}" in a sentence, please.
What's the plural of {word}?
What's {n} times {n2}?
Convert {n} miles to kilometres.
what's {n} percent of {n2}?
Square root of {n}, roughly?
Which is heavier, {animal} or {animal2}?
how long does {animal} sleep?
What sound does {animal} make at night?
Can {animal} swim?
Give me a pub fact about {animal}.
Imagine {animal} running a post office.
Morning! {filler}
Hey there. {filler}
evening, {filler}
haha, {filler}
ok, {filler}
Thanks! {filler}
hmm, {filler}
Good night then, {filler}
What a {weather} day, {filler}
{weather} again out there, isn't it
They say it'll be {weather} tomorrow.
Do you ever get tired of {weather} weather?
I never know what to say about {x}.
Is there a proper word for being bored by {x}?
Make up a proverb about {x}.
Five words that go with {x}?
A headline about {x}, silly one please.
What would a pirate say about {x}?
Rewrite this more politely: "stop talking about {x}".
Fix the spelling: "definately {word}".
Should a story start with {x}?
"""
FILL_EN: Final[Mapping[str, str]] = {
    "x": "puddles|toast|lighthouses|mondays|lost umbrellas|moss|clouds|traffic cones|staplers|pigeons|marmalade|paper planes|the moon|buttons|jigsaws|left socks|snails|doorbells|rainbows|gravy|wheelbarrows|echoes|dandelions",
    "word": "rhythm|orange|octopus|silver|onion|parallel|spoon|mischief|yacht|handkerchief|pineapple|thunder|bicycle|squirrel|gnome|vinegar",
    "land": "Peru|Mongolia|Chad|Iceland|Laos|Bolivia|Oman|Latvia|Togo|Fiji|Paraguay|Nepal",
    "gadget": "the zip|the pendulum clock|the stapler|the vacuum flask|the lightning rod|the abacus|the microscope|the umbrella|the compass needle|the tin opener|the weather vane",
    "food": "an egg|barley|an artichoke|parsnips|a lobster|chestnuts|spelt|a turnip|polenta|broad beans|okra",
    "n": "17|240|36|91|58|12",
    "animal": "a walrus|an ostrich|a badger|a giraffe|a sloth|a lynx|a hedgehog|a heron|a yak|a mole",
    "filler": "you there?|just passing by|nothing special|let's see|that was quick|you're funny|what shall we talk about|no rush|never mind|fair enough|I'm all ears|go on then|same old|so be it|that's a relief|tell me more|where were we|I was only teasing",
    "weather": "grey|sticky|windy|glorious|drizzly|frosty",
}
ZH: Final = """
写一首关于{x}的小诗
讲个{x}的笑话吧
用“{word}”造个句
“{word}”的反义词是什么？
“{word}”怎么读？
“{word}”用英语怎么说
{land}的首都是哪儿？
{land}和{land2}哪个大？
{land}大概有多少人口？
{land}的国旗是什么样子
{land}说什么话？
说出{land}的三条河
{gadget}是谁发明的？
两句话讲讲{gadget}的原理
给五岁小孩讲讲{gadget}
{gadget}最早什么时候有的？
{food}要煮多久？
{food}能冷冻吗？
挑{food}有什么窍门
{n}乘{n2}等于多少？
{n}英里是多少公里
{n2}的百分之{n}是多少？
{n}开方大概是几
{animal}和{animal2}哪个重？
{animal}一天睡几个小时？
{animal}会游泳吗
来个{animal}的冷知识
想象一下{animal}开邮局
{animal}夜里怎么叫
早呀，{filler}
嗨，{filler}
晚上好，{filler}
哈哈，{filler}
好的，{filler}
谢啦，{filler}
嗯，{filler}
晚安，{filler}
今天{weather}，{filler}
外头又{weather}了吧
听说明天{weather}
老是{weather}你烦不烦
说到{x}，真不知道聊什么
有没有词形容对{x}提不起劲？
编一句关于{x}的谚语
跟{x}搭的词来五个
来个{x}的搞笑标题
武侠小说里会怎么写{x}
把“别再说{x}了”改客气点
故事用{x}开头好不好
用{x}出个谜语
"""
FILL_ZH: Final[Mapping[str, str]] = {
    "x": "水坑|馒头|灯塔|星期一|丢了的伞|青苔|云|路锥|订书机|鸽子|橘子皮|纸飞机|月亮|纽扣|风筝|蜗牛|门铃|彩虹|回声|蒲公英|手推车|袜子|稻草人",
    "word": "尴尬|饕餮|葡萄|踌躇|蹉跎|鸳鸯|囫囵|徘徊|朦胧|彷徨|蝴蝶|雷霆|琵琶|蜻蜓|醍醐|枇杷",
    "land": "秘鲁|蒙古|乍得|冰岛|老挝|玻利维亚|阿曼|拉脱维亚|多哥|斐济|巴拉圭|尼泊尔",
    "gadget": "拉链|摆钟|订书机|热水瓶|避雷针|算盘|显微镜|雨伞|指南针|开罐器|风向标",
    "food": "鹌鹑蛋|薏米|洋蓟|莲藕|龙虾|栗子|芋头|萝卜|蚕豆|秋葵|玉米面",
    "n": "17|24|36|91|58|12",
    "animal": "海象|鸵鸟|獾|长颈鹿|树懒|猞猁|刺猬|苍鹭|牦牛|鼹鼠",
    "filler": "在吗|路过看看|没什么事|让我想想|这么快|你真逗|咱们聊点什么|不着急|算了没事|有道理|我听着呢|那你说说|老样子|随它去|那就放心了|再多说点|刚才说到哪儿了|我开玩笑的",
    "weather": "阴天|闷热|刮大风|大晴天|下毛毛雨|降温",
}


def _filled(template: str, fillers: Mapping[str, str]) -> Iterator[str]:
    """Fill a template in every way; `land2` is another of `land`."""
    names = re.findall(r"\{(\w+)\}", template)
    for words in itertools.product(*(fillers[n.rstrip("2")].split("|") for n in names)):
        if len(set(words)) == len(words):
            text = template.format(**dict(zip(names, words, strict=True)))
            yield text[0].upper() + text[1:] if template[0] == "{" else text


def small_talk(lang: str) -> list[str]:
    """Return a thousand turns, the same at every call."""
    templates, fillers = {"en": (EN, FILL_EN), "zh": (ZH, FILL_ZH)}[lang]
    rng = random.Random(SEED)
    by_template = [list(_filled(t, fillers)) for t in templates.strip().splitlines()]
    for turns in by_template:
        rng.shuffle(turns)
    in_turn = itertools.zip_longest(*by_template)  # every template says something
    turns = [t for row in in_turn for t in row if t is not None]
    picked = list(dict.fromkeys(turns))[:TURNS]
    rng.shuffle(picked)
    return picked
