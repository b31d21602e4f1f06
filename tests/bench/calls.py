"""Turns that do call for a memory without asking for it in its words, and turns beside them that do not.

What somebody feels when they talk: a sister is mentioned, and what is known of her is there; one word is enough; a
letter is typed wrong; a time is all that is said. Written for this project; no part of any data set.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.models import Kind


@dataclass(frozen=True, slots=True)
class Known:
    """Something learned, some days ago; `due` in days from now, for what is still to come."""

    text: str
    days_ago: float = 10.0
    kind: Kind = Kind.FACT
    due: float | None = None
    entities: tuple[str, ...] = ()


# Today is Wednesday, 11 February 2026, 10:00 UTC.
KNOWN: dict[str, tuple[Known, ...]] = {
    "en": (
        Known("User's sister Anna lives in Lisbon", 140, entities=("Anna",)),
        Known("User is allergic to penicillin", 60),
        Known("User lives in Leeds, near the canal", 90),
        Known("User is afraid of the dentist since a root canal went wrong", 130),
        Known("User's dog is called Bruno", 50, entities=("Bruno",)),
        Known("User works as a nurse at St James's hospital", 80),
        Known("Hand in the tax return", 3, Kind.TODO, 1.2),
        Known("Dinner with Priya at the Thai place", 2, Kind.TODO, 2.4, ("Priya",)),
        Known(
            "User went to Whitby with Omar and ate fish and chips on the pier",
            6,
            entities=("Omar",),
        ),
        Known("User saw an exhibition about whales in London", 35),
        Known("User bought a second-hand cello", 200),
        Known("User's boss is named Tom Becker", 100, entities=("Tom Becker",)),
        Known("User wants to run the Edinburgh marathon", 45, Kind.GOAL),
        Known("User's mother has her knee operated on", 4, Kind.TODO, 9.0),
        Known("User is vegetarian", 200, Kind.PREFERENCE),
        Known("User hates coriander", 150, Kind.PREFERENCE),
        Known("User reads novels by Ursula Le Guin before going to sleep", 125, Kind.PREFERENCE),
        Known("User quarrelled with Leo about money", 8, entities=("Leo",)),
    ),
    "zh": (
        Known("用户的姐姐陈静住在里斯本", 140, entities=("陈静",)),
        Known("用户对青霉素过敏", 60),
        Known("用户住在杭州西湖区", 90),
        Known("用户自从一次根管治疗出事后就害怕看牙医", 130),
        Known("用户的狗叫豆豆", 50, entities=("豆豆",)),
        Known("用户在第一医院当护士", 80),
        Known("交个人所得税申报表", 3, Kind.TODO, 1.2),
        Known("和小雅去泰国餐厅吃晚饭", 2, Kind.TODO, 2.4, ("小雅",)),
        Known("用户和阿明去了舟山，在码头吃了海鲜", 6, entities=("阿明",)),
        Known("用户在上海看了一个鲸鱼展", 35),
        Known("用户买了一把二手大提琴", 200),
        Known("用户的老板叫王志强", 100, entities=("王志强",)),
        Known("用户想跑杭州马拉松", 45, Kind.GOAL),
        Known("用户的妈妈要做膝盖手术", 4, Kind.TODO, 9.0),
        Known("用户吃素", 200, Kind.PREFERENCE),
        Known("用户讨厌香菜", 150, Kind.PREFERENCE),
        Known("用户睡前读刘慈欣的小说", 125, Kind.PREFERENCE),
        Known("用户和小林因为钱吵了一架", 8, entities=("小林",)),
    ),
}

# What is said → a stretch of what it must bring up, among the three.
CALLS: dict[str, dict[str, str]] = {
    "en": {
        "my sister called": "Anna",
        "I'm off to the dentist again": "dentist",
        "Lisbon?": "Lisbon",
        "Bruno": "Bruno",
        "what's my dog's name": "Bruno",
        "where do I live?": "Leeds",
        "what am I alergic to?": "penicillin",
        "which medicine can't I take, pennicilin?": "penicillin",
        "what do I have tomorrow?": "tax return",
        "what's on tomorrow?": "tax return",
        "anything on friday?": "Priya",
        "do I have plans this week?": "Priya",
        "what happens next friday?": "knee",
        "where did I go last week?": "Whitby",
        "what did I do in January?": "whales",
        "what did I do last month?": "whales",
        "what was it that I bought last summer?": "cello",
        "I bumped into Tom Becker today": "Tom Becker",
        "I am meeting Priya": "Priya",
        "my dog is ill": "Bruno",
        "my mother is nervous about her knee": "knee",
        "went for a long run, the marathon is getting close": "marathon",
        "Leo wrote to me": "Leo",
        "can you recommend a vegetarian dish for tonight?": "vegetarian",
        "should I put coriander into the soup?": "coriander",
        "my boss annoyed me": "Tom Becker",
        "do you remember my sister's name?": "Anna",
        "who is Omar?": "Omar",
        "the hospital was full today": "hospital",
        "which novls do I like?": "Le Guin",
    },
    "zh": {
        "我姐姐打电话来了": "陈静",
        "我又要去看牙医了": "牙医",
        "里斯本？": "里斯本",
        "豆豆": "豆豆",
        "我的狗叫什么名字": "豆豆",
        "我住在哪里？": "西湖",
        "你还记得我对什么过敏吗": "青霉素",
        "我对青酶素过敏吗": "青霉素",
        "我明天有什么事？": "申报表",
        "明天有安排吗": "申报表",
        "周五有什么事吗": "小雅",
        "我这周有什么计划？": "小雅",
        "下周五有什么事？": "膝盖",
        "我上周去哪了": "舟山",
        "我一月份做了什么？": "鲸鱼",
        "我上个月去哪了": "鲸鱼",
        "去年夏天我买了什么来着": "大提琴",
        "今天碰到王志强了": "王志强",
        "我要去见小雅": "小雅",
        "我的狗生病了": "豆豆",
        "我妈妈对膝盖手术很紧张": "膝盖",
        "今天跑了很久，马拉松快到了": "马拉松",
        "小林给我写信了": "小林",
        "今晚推荐个吃素的菜": "吃素",
        "汤里要放香菜吗": "香菜",
        "我老板气死我了": "王志强",
        "你记得我姐姐叫什么吗": "陈静",
        "阿明是谁？": "阿明",
        "今天医院里人满了": "医院",
        "我睡前读谁的小说？": "刘慈欣",
    },
}

# Must bring up nothing of the above.
QUIET: dict[str, tuple[str, ...]] = {
    "en": (
        "tomorrow is another day",
        "what a week",
        "see you on friday!",
        "have a good weekend",
        "happy friday!",
        "the meeting tomorrow will be boring",
        "I slept badly last night",
        "who is the president of France?",
        "how do I remove a wine stain?",
        "what is the weather like in Iceland?",
        "which is heavier, gold or lead?",
        "what year did the war end?",
        "write me a poem about autumn",
        "how many legs does a spider have?",
        "what will the weather be tomorrow?",
        "is it going to rain on friday?",
    ),
    "zh": (
        "明天又是新的一天",
        "这一周真是的",
        "周五见！",
        "周末愉快",
        "周五快乐！",
        "明天的会肯定很无聊",
        "昨晚没睡好",
        "法国总统是谁？",
        "红酒渍怎么去掉？",
        "冰岛的天气怎么样？",
        "金和铅哪个重？",
        "战争是哪年结束的？",
        "给我写一首关于秋天的诗",
        "蜘蛛有几条腿？",
        "明天天气怎么样？",
        "周五会下雨吗",
    ),
}
