"""What people say in the course of a talk: indirect questions, corrections, lists, haste, mixed tongues; nothing junk."""

from __future__ import annotations

from typing import Any

import pytest

from bot.llm.companion import chat
from bot.llm.companion.ask_en import want as want_en
from bot.llm.companion.ask_zh import want as want_zh
from bot.llm.companion.model import respond
from bot.llm.companion.statements import parse
from memory.ports import Task
from tests.bot.companion.talk import AT, TZ, Row, Talk, monitored

INDIRECT = [
    ("Do you know what my job is?", "slot", "job"),
    ("do you know where I live", "slot", "home"),
    ("can you tell me what my name is", "slot", "name"),
    ("do you remember how old I am?", "slot", "age"),
    ("could you remind me where I work?", "slot", "employer"),
    ("have I told you my job?", "slot", "job"),
    ("did I tell you where I live?", "slot", "home"),
    ("do you know whether I'm married", "slot", "marital"),
    ("do you know what I do for a living?", "slot", "job"),
    ("do you know my name?", "slot", "name"),
    ("do you know if I like sushi?", "yesno", ""),
    ("do you know what my plans are?", "plans", ""),
    ("Any idea what my favourite food is?", "favourite", ""),
    ("Do you remember when my interview is?", "when", ""),
    ("I forgot what my cat is called", "relation", ""),
    ("Do you know how many dogs I have?", "have", ""),
    ("do you remember what I told you about Tom?", "topic", ""),
    ("你知道我的工作是什么吗", "slot", "job"),
    ("你还记得我住哪儿吗", "slot", "home"),
    ("你知道我是做什么的吗", "slot", "job"),
    ("你知不知道我住在哪里", "slot", "home"),
    ("能告诉我我在哪上班吗", "slot", "employer"),
    ("我有没有告诉过你我的工作？", "slot", "job"),
    ("你知道我多大了吗", "slot", "age"),
    ("你知道我对什么过敏吗", "slot", "allergy"),
    ("你记得我妹妹叫什么吗", "relation", ""),
    ("你还记得小红是谁吗", "who", ""),
    ("你还记得我下周有什么安排吗", "plans", ""),
]


@pytest.mark.parametrize(("asked", "how", "slot"), INDIRECT)
def test_a_question_inside_another_asks_the_same(asked: str, how: str, slot: str) -> None:
    """`Do you know what my job is` asks what `what is my job` asks."""
    got = (want_zh if any(c >= "一" for c in asked) else want_en)(asked)
    assert got is not None
    assert (got.how, got.slots[:1]) == (how, (slot,) if slot else ())


KEPT = [
    ("I have two dogs, Rex and Bella", {"The user has two dogs, Rex and Bella."}),
    ("My wife Sarah is expecting a baby in June", {"The user's wife is called Sarah.", "The user's wife Sarah is expecting a baby in June 2027."}),
    ("Actually my wife's name is Sara, without h", {"The user's wife is called Sara."}),
    ("My son's name is Erik, with a K", {"The user's son is called Erik."}),
    ("my cat's name is Mochi 🐱", {"The user's cat is called Mochi."}),
    ("i luv pizza 🍕", {"The user loves pizza."}),
    ("my fav colour is teal", {"The user's favourite colour is teal."}),
    ("my hobbies: painting and chess", {"One of the user's hobbies is painting.", "One of the user's hobbies is chess."}),
    ("1. I like tea 2. I like cake 3. I hate rain", {"The user likes tea.", "The user likes cake.", "The user hates rain."}),
    ("got the job at Google!", {"The user works at Google."}),
    ("My job starts on March 31", {"The user's job starts on Wednesday, 31 March 2027."}),
    ("I turn 40 next month", {"The user turns 40 in December 2026."}),
    ("My brother Arjun just moved to Vancouver", {"The user's brother is called Arjun.", "The user's brother Arjun just moved to Vancouver."}),
    ("你好 my name is Lily", {"The user's name is Lily."}),
    ("I work at 腾讯", {"The user works at 腾讯."}),
    ("我的 boss 叫 Kevin", {"用户的老板叫Kevin。"}),
    ("我不喜欢打篮球了，改打羽毛球了", {"用户不喜欢打篮球了。", "用户现在改打羽毛球了。"}),
    ("我有两只狗，叫旺财和来福", {"用户有两只狗，叫旺财和来福。"}),
    ("我家有一只猫叫咪咪，两岁了", {"用户家有一只猫叫咪咪。", "用户的猫两岁了。"}),
    ("我妹妹在北京上学，叫小红", {"用户的妹妹在北京上学。", "用户的妹妹叫小红。"}),
    ("我叫王磊，叫我小王就行", {"用户叫王磊。", "用户希望被称呼为小王。"}),
    ("我的猫叫年糕🐱", {"用户的猫叫年糕。"}),
    ("我爱好：画画、下棋", {"用户的爱好是画画。", "用户的爱好是下棋。"}),
    ("1. 我喜欢茶 2. 我讨厌下雨", {"用户喜欢茶。", "用户讨厌下雨。"}),
    ("我下个月就40岁了", {"用户2026年12月就40岁了。"}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), KEPT)
def test_what_is_said_in_haste_is_kept_well(said: str, kept: set[str]) -> None:
    """Once each, in whole sentences, whoever it is about."""
    assert {f.text for f in parse(said, AT, TZ)} == kept
    assert [x.text for x in monitored(said)] == list(dict.fromkeys(f.text for f in parse(said, AT, TZ)))


@pytest.mark.parametrize(
    "said",
    [
        "tell me a joke",
        "Anyway I've decided I should probably call her next week.",
        "I'm thinking about quitting my job but not sure yet",
        "I have 3 apples",
        "我老婆是做什么的",
        "我想我下周应该给她打个电话",
        "我想换工作，不过还没想好",
        "讲个笑话",
    ],
)
def test_what_nobody_would_want_kept(said: str) -> None:
    """Undecided thoughts, questions without their mark, and whom nobody will know later."""
    assert not parse(said, AT, TZ)


def test_a_corrected_spelling_is_corrected_everywhere() -> None:
    """Sara, not Sarah: in every memory of her."""
    known = [
        ("w", "The user's wife is called Sarah."),
        ("b", "The user's wife Sarah is expecting a baby in June 2027."),
    ]
    found = monitored("Actually my wife's name is Sara, without h", known)
    assert {(x.op, x.id, x.text) for x in found} == {
        ("update", "w", "The user's wife is called Sara."),
        ("update", "b", "The user's wife Sara is expecting a baby in June 2027."),
    }


def test_asking_for_a_joke_takes_nothing_back() -> None:
    """Only what was said in jest is taken back, and only when that is said."""
    known = [("m", "The user hates mushrooms.")]
    before = [("user", "what do I hate?"), ("assistant", "You hate mushrooms.")]
    assert not monitored("tell me a joke", known, before=before)
    assert not monitored("讲个笑话", known, before=before)
    told = [("user", "I hate mushrooms"), ("assistant", "I see.")]
    assert [x.op for x in monitored("that was a joke", known, before=told)] == ["delete"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["I got a puppy today!", "He's called Biscuit", "what's my dog's name?"], "Your puppy is called Biscuit."),
        (["My sister lives in Rome", "She works as a vet", "what does my sister do?"], "Your sister works as a vet."),
        (["我今天领养了一只小狗！", "它叫饼干", "我的狗叫什么？"], "你的小狗叫饼干。"),
        (["I hate mushrooms", "I don't like my job any more", "what do I hate?"], "You hate mushrooms. You no longer like your job."),
        (["I don't like my job any more", "Do I still like my job?"], "No. You no longer like your job."),
        (["我喜欢打篮球", "我不喜欢打篮球了，改打羽毛球了", "我还喜欢打篮球吗？"], "不，你不喜欢打篮球了。"),
        (["I live in Leeds", "Actually I moved to Marseille last month."], "Ah, I see. So you live in Marseille (moved there in October 2026)."),
        (["I have two dogs, Rex and Bella"], "I see: you have two dogs, Rex and Bella."),
        (["I have two dogs, Rex and Bella", "what are my dogs called?"], "Your dogs are called Rex and Bella."),
        (["My girlfriend Anna is a doctor", "Do you know what Anna does?"], "Your girlfriend Anna is a doctor."),
        (["我女朋友叫小美，她是老师", "小美是做什么的？"], "你的女朋友是老师。"),
        (["I have a shoot on Friday", "when is my shoot?"], "You have a shoot on Friday, 27 November, 6 days from now."),
        (["I have to finish the report", "I finished the report"], "Good, that's one thing done."),
        (["Do you know what my shoe size is?"], "I can't find anything about your shoe size. Tell me, and I'll remember."),
        (["你知道我的鞋码是多少吗"], "关于你的鞋码，我没有找到什么。告诉我，我会记着的。"),
    ],
)  # fmt: skip
def test_a_talk_goes_on(said: list[str], expected: str) -> None:
    """Each message in the light of those before it."""
    talk = Talk()
    assert [talk.say(t) for t in said][-1] == expected


@pytest.mark.parametrize(
    ("hello", "intro", "again"), [("hi", "offline companion", "Hello again"), ("你好", "离线伙伴", "又见面")]
)
def test_it_introduces_itself_once(hello: str, intro: str, again: str) -> None:
    """A second greeting is no second introduction."""
    talk = Talk()
    assert intro in talk.say(hello)
    second = talk.say(hello)
    assert again in second
    assert intro not in second


def test_a_secret_is_told_plainly() -> None:
    """Without the label that it is kept under."""
    label = {"text": "Locker code: my locker code is 4711", "kind": "fact"}
    assert Talk(recalled=[label]).say("what is my locker code?") == "Your locker code is 4711."
    zh = {"text": "门禁密码: 我的门禁密码是8899", "kind": "fact"}
    assert Talk(recalled=[zh]).say("我的门禁密码是多少？") == "你的门禁密码是8899。"


def test_an_overview_says_nothing_twice() -> None:
    """Twenty memories in groups, without those that another one includes."""
    texts = [
        "The user's wife Sara is expecting a baby in June 2027.",
        "The user's wife is called Sara.",
        "The user is 34 years old.",
        "The user's name is Tom.",
    ]
    texts += [f"The user likes {x}." for x in ("tea", "jazz", "chess", "rain", "snow", "opera", "sushi")]
    reply = Talk(recalled=[{"text": t} for t in texts]).say("what do you know about me?")
    assert "called Sara" not in reply
    assert "- **About you**: Your name is Tom. You're 34 years old." in reply
    assert "opera" in reply


@pytest.mark.parametrize(
    ("said", "episode"),
    [
        (["I have a dog called Rex", "what do you know about me", "how old am I?", "tell me a joke", "what can you do?", "forget my age"], "The user talked about their dog Rex"),
        (["我养了一条狗叫旺财", "你知道我些什么？", "我多大了？", "讲个笑话", "忘掉我的年龄", "你会什么"], "聊了狗旺财"),
        (["I have two dogs, Rex and Bella"], "The user talked about their dogs Rex and Bella"),
    ],
)  # fmt: skip
def test_what_is_looked_up_is_no_topic(said: list[str], episode: str) -> None:
    """Questions about Ebb, or about what it remembers, are left out of an account."""
    data: dict[str, Any] = {"messages": [{"role": "user", "text": t, "at": AT} for t in said], "lang": "en", "tz": TZ}
    assert respond("summarise", data).splitlines()[0] == f"EPISODE: {episode}"


@pytest.mark.parametrize("task", ["summarise", "title", "merge", "monitor", "extract", "chat"])
def test_a_stumble_is_no_account(task: Task) -> None:
    """What nobody reads gives nothing, so that it is tried again; only a chat gets a sentence."""
    broken: Any = {"messages": [{"role": "user", "text": "x", "at": "not a time"}], "message": "hello", "history": 3}
    broken |= {"exchange": [{"role": "user", "text": "x", "at": "never"}], "texts": 7, "now": "never", "profile": 5}
    reply = respond(task, broken)
    assert chat.at_a_loss(broken) not in reply or task == "chat"


@pytest.mark.parametrize(
    "said",
    [
        "The house at the corner has a green door",
        "My uncle brought a ladder over",
        "院子里有一口井",
        "我舅舅搬来一架梯子",
    ],
)
def test_no_filler_after_what_was_told(said: str) -> None:
    """It never asks what somebody makes of a fact."""
    talk = Talk()
    assert not any("make of it" in r or "怎么看" in r for r in (talk.say(said) for _ in range(6)))


def test_telling_a_denial_does_not_bring_back_what_it_denies() -> None:
    """`You don't like jazz` was shaped by the denial, not by the denied memory, which a boost would affirm."""
    known: list[Row] = [("l", "The user likes jazz.", True), ("d", "The user does not like jazz.")]
    before = [("user", "what do you know about me?")]
    assert "l" not in {x.id for x in monitored("ok", known, before=before, reply="You don't like jazz.")}
    bekannt: list[Row] = [("l", "用户喜欢周杰伦。", True), ("d", "用户不喜欢周杰伦。")]
    assert "l" not in {x.id for x in monitored("你知道我什么", bekannt, reply="你不喜欢周杰伦。")}
