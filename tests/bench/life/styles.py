"""The same lives, kept in other ways: what is learned from diaries and chats must not hurt where memories look otherwise.

`notes` are facts in the third person with one timestamp and no sessions, as an import leaves them; `chat` is a log in
which every line has its speaker, and the assistant answers at length; in `mixed` half of what was said has words of
the other language in it. Questions are those of the diary that can still be answered.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from tests.bench.life.tables import variants

Row = Mapping[str, Any]
Rows = list[dict[str, Any]]

# How an assistant answers: of everything, at length, with the words that questions have, and about nobody.
ANSWERS: Final = {
    "en": """
An allergy is an overreaction of the immune system. If someone has one, they should avoid the substance, carry antihistamines, and tell every doctor and nurse about it. Would you like a checklist for eating out?
Moving home is stressful. Make a list, label the boxes, tell your employer and your bank about the new address, and ask friends which neighbourhood they live in before you sign anything.
Changing jobs can be exciting! Before you give notice, think about what you want to do for a living, what your current profession has taught you, and which company you would like to work for next.
A birthday is a lovely occasion. You could bake a cake, invite people to dinner, or give a present: a book, a record by a favourite band, or something for a collection are always welcome.
There are many kinds of exercise: climbing, rowing, judo, yoga, badminton. Which sport suits a person depends on the knees, the back and the week. Two evenings of training are a good start.
For a comfortable car, look at the boot, the seats and what it costs to run. Small cars are cheaper to park; electric ones are quiet. Which car do you drive at the moment?
Learning a language takes patience. Half an hour a day, a good teacher, and a film in the evening help more than a thick grammar. After a year most people can order dinner and read a simple book.
Sleep is important. Most adults get up between six and eight; an alarm at the same time every morning, also at weekends, makes it easier. Coffee after lunch makes it harder.
Medicine should be taken as the pharmacist says: with water, at the same hour, and never together with what is not on the prescription. Ask the doctor before you change anything.
Being afraid of something, of spiders, of flying or of the dentist, is common. Breathing slowly helps, and so does talking about it with a friend. Shall we practise together?
Here are three dishes for tonight: a mushroom risotto, a curry with aubergine, and tacos with beans. Which of them would you like best? I can write a shopping list, too.
Volunteering is a good way to meet people. The food bank, the library, the animal shelter and the repair café are always looking for somebody who helps out for an afternoon a week.
""",
    "zh": """
过敏是免疫系统反应过度。对什么东西过敏的人应该避开它，随身带抗过敏药，并告诉每一位医生和护士。需要我列一份在外吃饭的注意事项吗？
搬家很累人。可以先列清单，给箱子贴标签，把新地址告诉单位和银行，签约之前再问问朋友们都住在哪个区。
换工作也许是件好事！提离职之前想一想自己想做什么职业，现在的工作教会了你什么，接下来想去哪家公司上班。
过生日是件开心的事。可以烤个蛋糕，请大家吃饭，或者送一份礼物：一本书，最喜欢的乐队的唱片，或者收藏的东西，都很合适。
运动有很多种：攀岩、划船、柔道、瑜伽、羽毛球。适合什么运动要看膝盖、腰和一周的安排，每周训练两个晚上是个好的开始。
选车要看后备箱、座椅和养车的费用。小车好停，电动车安静。你现在开的是什么车？
学语言要有耐心。每天半小时，有个好老师，晚上看看电影，比厚厚的语法书有用。一年以后多数人都能点菜，能读简单的书。
睡眠很重要。大多数人六点到八点之间起床，闹钟每天定在同一个时间，周末也一样，会容易一些。午饭以后喝咖啡就难了。
吃药要按药师说的：用水送服，固定时间，不要和处方以外的药一起吃。改药之前先问医生。
害怕某样东西，比如蜘蛛、坐飞机、看牙医，都很常见。慢慢呼吸会有帮助，和朋友聊聊也会。要不要我们一起练习？
今晚可以做三道菜：蘑菇烩饭、咖喱茄子、豆子卷饼。你最喜欢吃哪一道？我也可以写一份购物清单。
做志愿者是认识人的好办法。食物银行、图书馆、动物收容所和修理咖啡馆总在找每周能帮一个下午的人。
""",
}
SPEAKERS: Final = {"en": ("User: ", "Assistant: "), "zh": ("用户：", "助手：")}

# What people who have two languages say in the other one.
SWITCHED: Final = """
birthday 生日 | job 工作 | phone 手机 | doctor 医生 | music 音乐 | book 书 | car 车 | lessons 课 | friend 朋友 | weekend 周末
present 礼物 | allergic 过敏 | breakfast 早餐 | collection 收藏 | training 训练 | shoes 鞋 | favourite 最喜欢 | dish 菜
medicine 药 | afraid 害怕 | flat 公寓 | office 办公室 | team 球队 | series 剧 | volunteer 志愿者 | drink 喝 | dinner 晚饭
""".replace("\n", " | ")


def notes(life: Sequence[Row], lang: str, rng: random.Random) -> Rows:
    """All at one time, in no session."""
    last = max(r["time"] for r in life)
    return [{**r, "time": last, "session": "", "seq": i} for i, r in enumerate(life)]


def chat(life: Sequence[Row], lang: str, rng: random.Random) -> Rows:
    """A third of what is said gets an answer, half a minute later."""
    user, assistant = SPEAKERS[lang]
    answers = ANSWERS[lang].strip().splitlines()
    out: Rows = []
    for r in life:
        out.append({**r, "text": user + r["text"], "seq": len(out)})
        if rng.random() < 1 / 3:
            at = (datetime.fromisoformat(r["time"]) + timedelta(seconds=30)).isoformat()
            text = assistant + " ".join(rng.sample(answers, rng.choice((1, 1, 2, 3))))
            out.append(
                {
                    **r,
                    "id": f"{r['id']}a",
                    "text": text,
                    "time": at,
                    "speaker": "assistant",
                    "seq": len(out),
                }
            )
    return out


def mixed(life: Sequence[Row], lang: str, rng: random.Random) -> Rows:
    """Words of the other language in half of what is said."""
    pairs = [p.split() for p in variants(SWITCHED)]
    table = {en: zh for en, zh in pairs} if lang == "en" else {zh: f" {en} " for en, zh in pairs}
    edge = r"\b" if lang == "en" else ""
    found = re.compile(f"{edge}({'|'.join(sorted(table, key=len, reverse=True))}){edge}")
    return [
        {
            **r,
            "text": found.sub(lambda m: table[m[1]], r["text"]).strip()
            if rng.random() < 0.5
            else r["text"],
        }
        for r in life
    ]


STYLES: Final[Mapping[str, Callable[[Sequence[Row], str, random.Random], Rows]]] = {
    "notes": notes,
    "chat": chat,
    "mixed": mixed,
}
TIMELESS: Final = frozenset({"notes"})  # what was when, and what came first, is lost
OF_TIME: Final = frozenset({"time", "changed", "before"})


FIRST: Final[Mapping[str, bool]] = {
    "notes": False,
    "chat": True,
}  # who tells it: I, or "User"; else half of the people


def retold(
    style: str, memories: Sequence[Row], queries: Sequence[Row], seed: int
) -> tuple[Rows, Rows]:
    """A set in another style; memories and questions by person, as they come."""
    out: Rows = []
    for user in dict.fromkeys(r["user"] for r in memories):
        own = [r for r in memories if r["user"] == user]
        lang = next(q["lang"] for q in queries if q["user"] == user)
        out += STYLES[style](own, lang, random.Random(f"{seed}{user}"))
    kept = [dict(q) for q in queries if style not in TIMELESS or q["category"] not in OF_TIME]
    return out, kept
