"""Talks of every day, through the whole program: who and what is spoken of stays clear from message to message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.driver import opened

TALKS = [
    (["My name's Priya, I just moved to Bristol from Leeds", "My partner Sam stayed behind until June", "where did I live before?"], "Leeds"),
    (["My partner Sam stayed behind until June", "Who is Sam?"], "partner"),
    (["my husband loves risotto but hates mushrooms", "oh and he's allergic to shellfish", "What should I cook for him?"], "shellfish"),
    (["my husband loves risotto but hates mushrooms", "does he like mushrooms?"], "hates mushrooms"),
    (["hi! I'm training for a marathon", "it's on April 12 in Rotterdam", "When is the marathon?"], "12 April in Rotterdam"),
    (["I'm studying for a geography exam", "it's on the 14th of March", "when is my exam?"], "14 March"),
    (["I got a kitten yesterday!", "She's grey and tiny", "Name is Pixel", "she's eight weeks old", "how old is Pixel?"], "eight weeks"),
    (["I have two kids, Ella and Jonas", "Ella is nine and Jonas is six", "how old is Jonas?"], "Jonas is six"),
    (["I have two kids, Ella and Jonas", "Jonas is allergic to eggs", "Who is allergic to eggs?"], "Jonas"),
    (["my grandma died last week", "her name was Rose", "what was my grandmother's name?"], "Rose"),
    (["the funeral is on Thursday", "when is the funeral?"], "The funeral is on Thursday"),
    (["I'm 27, I work in Sydney", "No wait, I'm 28 now", "How old am I?"], "28"),
    (["I'm retired, used to be a train driver", "what did I do for a living?"], "train driver"),
    (["I live with my wife Greta in Bern", "where do I live?"], "Bern"),
    (["I have a dentist appointment at 4pm today", "the dentist got moved to Wednesday", "when is the dentist?"], "Wednesday"),
    (["I adopted a rescue dog, Bruno", "he's a four year old beagle", "what breed is Bruno?"], "beagle"),
    (["I adopted a rescue dog, Bruno", "He's scared of thunder", "What is Bruno scared of?"], "thunder"),
    (["I'm thinking about quitting", "Actually I decided to stay until summer", "what did I decide?"], "stay until summer"),
    (["我叫陈小北，刚从武汉搬到厦门", "我以前住在哪里？"], "武汉"),
    (["我男朋友阿杰还在武汉", "我男朋友叫什么？"], "阿杰"),
    (["我老公爱吃红烧肉，但是不吃香菜", "他吃香菜吗？"], "不吃香菜"),
    (["我老公爱吃红烧肉", "对了，他对虾过敏", "我老公对什么过敏？"], "虾"),
    (["周六晚上七点有朋友来家里吃饭", "周六有什么安排？"], "吃饭"),
    (["嗨，我在准备马拉松", "四月十二号在厦门", "马拉松是什么时候？"], "4月12日"),
    (["昨天我领养了一只小猫！", "灰色的，特别小", "名字叫皮皮", "我的猫叫什么？"], "皮皮"),
    (["昨天我领养了一只小猫！", "名字叫皮皮", "它才两个月大", "皮皮多大了？"], "两个月"),
    (["我有两个孩子，大的叫安安，小的叫乐乐", "安安九岁，乐乐六岁", "乐乐几岁了？"], "六岁"),
    (["我有两个孩子，大的叫安安，小的叫乐乐", "我的孩子叫什么？"], "安安、乐乐"),
    (["葬礼在周四", "葬礼是哪天？"], "3月5日"),
    (["我是李伟", "今年27，在悉尼一家医院上班", "不对，我28了", "我多大了？"], "28"),
    (["今天下午四点要看牙医", "牙医改到周三了", "我什么时候看牙医？"], "3月4日"),
    (["我退休了，以前是火车司机", "我以前是做什么的？"], "火车司机"),
    (["我以前一天喝五杯咖啡", "我以前一天喝几杯咖啡？"], "五杯"),
    (["我老家在哈尔滨，现在在广州", "我现在住哪？"], "广州"),
    (["我们收养了一只流浪狗，叫布鲁诺", "我的狗叫什么？"], "布鲁诺"),
    (["我的自行车是红色的捷安特", "我的自行车是什么颜色？"], "红色"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "told"), TALKS)
async def test_a_daily_talk(tmp_path: Path, said: list[str], told: str) -> None:
    """The last answer knows what was told before, whoever the pronouns mean."""
    async with opened(tmp_path) as w:
        replies = [(await w.say(t)).text for t in said]
        assert told in replies[-1], replies


@pytest.mark.parametrize(
    "said",
    [
        ["晚上好", "今天又把饭烧糊了哈哈"],
        ["早", "最近老是失眠"],
        ["我们收养了一只流浪狗，叫布鲁诺"],
        ["hi", "too much coffee again today"],
    ],
)
async def test_nobody_is_given_a_name_they_did_not_say(tmp_path: Path, said: list[str]) -> None:
    """Neither an answer beside the question nor a dog's name is the user's."""
    async with opened(tmp_path) as w:
        for text in said:
            await w.say(text)
        assert not [t for t in await w.texts() if t.startswith(("The user's name", "用户叫"))]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Good evening", "Good evening"),
        ("晚上好", "晚上好"),
        ("thanks, bye", "Take care|See you|Until"),
        ("谢谢，拜拜", "下次|拜拜|再见"),
        ("ok never mind", "right|problem"),
        ("好吧算了", "没关系|别的"),
        ("wish us luck", "luck|crossed"),
        ("祝我们好运吧", "好运|顺利"),
        ("在吗", "我在|在的"),
    ],
)
async def test_manners(tmp_path: Path, said: str, told: str) -> None:
    """An answer that fits what was said, at whatever hour."""
    async with opened(tmp_path) as w:
        assert re.search(told, (await w.say(said)).text)


async def test_not_bad_is_no_complaint(tmp_path: Path) -> None:
    """不错 has a 错 in it, and is praise."""
    async with opened(tmp_path) as w:
        assert "抱歉" not in (await w.say("不错")).text
