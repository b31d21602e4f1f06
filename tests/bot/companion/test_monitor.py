"""The monitor's role: what is known is corrected, denied, confirmed or taken back by the id that it was shown with."""

from __future__ import annotations

import time

import pytest

from bot.llm.companion.model import respond
from tests.bot.companion.talk import AT, TZ, Row, monitored

KNOWN: list[Row] = [
    ("n1", "The user's name is Anna."),
    ("h1", "The user lives in Berlin."),
    ("l1", "The user likes ramen."),
    ("l2", "The user loves coffee."),
    ("a1", "The user is allergic to peanuts."),
    ("e1", "The user has a job interview on Wednesday, 25 November 2026 at 15:00."),
    ("s1", "The user's sister is called Mia."),
    ("w1", "The user works at Google."),
    ("w2", "The user is a nurse."),
    ("f1", "The user's favourite colour is green."),
    ("b1", "The user's birthday is 3 March."),
    ("j1", "The user likes jazz.", True),
    ("c1", "The user drinks coffee every morning."),
]
BEKANNT: list[Row] = [
    ("n1", "用户叫小明。"),
    ("h1", "用户住在上海。"),
    ("l1", "用户喜欢拉面。"),
    ("a1", "用户对花生过敏。"),
    ("e1", "用户2026年11月25日（周三）有个面试。"),
    ("s1", "用户的妹妹叫小红。"),
    ("w1", "用户在腾讯工作。"),
    ("f1", "用户最喜欢的颜色是绿色。"),
    ("j1", "用户喜欢爵士乐。", True),
]
EN = [
    ("I moved to Munich", "update", "h1", "The user lives in Munich."),
    ("Actually I live in Munich", "update", "h1", "The user lives in Munich."),
    ("I live in Munich, not Berlin", "update", "h1", "The user lives in Munich."),
    ("It's not Berlin but Munich", "update", "h1", "The user lives in Munich."),
    ("My name is Anne, not Anna", "update", "n1", "The user's name is Anne."),
    ("My name is not Anna, it's Anne", "update", "n1", "The user's name is Anne."),
    ("I don't like ramen any more", "negate", "l1", "The user no longer likes ramen."),
    ("I no longer like ramen", "negate", "l1", "The user no longer likes ramen."),
    ("I used to like ramen", "negate", "l1", "The user used to like ramen."),
    ("I hate ramen now", "negate", "l1", "The user hates ramen."),
    ("I don't like eating ramen anymore", "negate", "l1", "The user no longer likes eating ramen."),
    ("I still love coffee", "boost", "l2", ""),
    ("I live in Berlin", "boost", "h1", ""),
    ("I love jazz", "boost", "j1", ""),
    ("I'm not allergic to peanuts any more", "negate", "a1", "The user is no longer allergic to peanuts."),
    ("My interview is on Thursday", "update", "e1", "The user's interview is on Thursday, 26 November 2026."),
    ("The interview was moved to Friday at 10am", "update", "e1", "The user's interview is on Friday, 27 November 2026 at 10:00."),
    ("The interview was cancelled", "negate", "e1", "The user's interview was cancelled."),
    ("My sister's name is Lena, not Mia", "update", "s1", "The user's sister is called Lena."),
    ("I work at Siemens now", "update", "w1", "The user works at Siemens."),
    ("I don't work at Google any more", "negate", "w1", "The user no longer works at Google."),
    ("I'm a doctor now", "update", "w2", "The user is a doctor."),
    ("My favourite colour is blue", "update", "f1", "The user's favourite colour is blue."),
    ("My birthday is March 4", "update", "b1", "The user's birthday is 4 March."),
    ("I stopped drinking coffee every morning", "negate", "c1", "The user stopped drinking coffee every morning."),
]  # fmt: skip
ZH = [
    ("我搬到杭州了", "update", "h1", "用户住在杭州。"),
    ("其实我住在杭州", "update", "h1", "用户住在杭州。"),
    ("我住在杭州，不是上海", "update", "h1", "用户住在杭州。"),
    ("不是上海，是杭州", "update", "h1", "用户住在杭州。"),
    ("我不叫小明，叫小民", "update", "n1", "用户叫小民。"),
    ("我不喜欢拉面了", "negate", "l1", "用户不喜欢拉面了。"),
    ("我不再喜欢拉面了", "negate", "l1", "用户不再喜欢拉面了。"),
    ("我现在讨厌吃拉面", "negate", "l1", "用户现在讨厌吃拉面。"),
    ("我以前喜欢拉面", "negate", "l1", "用户以前喜欢拉面。"),
    ("我还是很喜欢拉面", "boost", "l1", ""),
    ("我喜欢爵士乐", "boost", "j1", ""),
    ("我对花生不过敏了", "negate", "a1", "用户对花生不过敏了。"),
    ("面试改到周四了", "update", "e1", "用户的面试在2026年11月26日（周四）。"),
    ("面试取消了", "negate", "e1", "面试取消了。"),
    ("我妹妹不叫小红，叫小兰", "update", "s1", "用户的妹妹叫小兰。"),
    ("我跳槽到阿里了", "update", "w1", "用户跳槽到阿里了。"),
    ("我不在腾讯工作了", "negate", "w1", "用户不在腾讯工作了。"),
    ("我最喜欢的颜色是蓝色", "update", "f1", "用户最喜欢的颜色是蓝色。"),
]


@pytest.mark.parametrize(("said", "op", "id_", "text"), EN)
def test_what_is_known_in_english(said: str, op: str, id_: str, text: str) -> None:
    """One operation, on the memory it is about."""
    assert [(x.op, x.id, x.text) for x in monitored(said, KNOWN)] == [(op, id_, text)]


@pytest.mark.parametrize(("said", "op", "id_", "text"), ZH)
def test_what_is_known_in_chinese(said: str, op: str, id_: str, text: str) -> None:
    """One operation, on the memory it is about."""
    assert [(x.op, x.id, x.text) for x in monitored(said, BEKANNT)] == [(op, id_, text)]


def test_two_meetings_are_two() -> None:
    """Another meeting on another day is new; it is only moved if the user says so."""
    known: list[Row] = [("m1", "The user has a meeting on Monday, 23 November 2026.")]
    assert [x.op for x in monitored("I have a meeting on Tuesday", known)] == ["add"]
    assert [x.op for x in monitored("The meeting was moved to Tuesday", known)] == ["update"]


def test_a_bare_correction_finds_what_was_said_before() -> None:
    """`No, Munich` corrects what the user stated last, or what the assistant has just claimed."""
    before = [("user", "I live in Berlin"), ("assistant", "Ah, Berlin!")]
    (x,) = monitored("No, Munich", KNOWN, before=before)
    assert (x.op, x.id, x.text) == ("update", "h1", "The user lives in Munich.")
    told = [("user", "Where do I live?"), ("assistant", "You live in Berlin.")]
    (x,) = monitored("No, I meant Munich", KNOWN, before=told)
    assert (x.op, x.id, x.text) == ("update", "h1", "The user lives in Munich.")
    (x,) = monitored("不对，是周四", BEKANNT, before=[("user", "我下周三有个面试"), ("assistant", "加油！")])
    assert (x.op, x.id, x.text) == ("update", "e1", "用户2026年11月26日（周四）有个面试。")


def test_wrong_and_nothing_in_its_place() -> None:
    """`That's wrong` deletes what the reply had claimed, and only that."""
    told = [("user", "Where do I live?"), ("assistant", "You live in Berlin.")]
    assert [(x.op, x.id) for x in monitored("That's wrong", KNOWN, before=told)] == [("delete", "h1")]
    assert [
        (x.op, x.id)
        for x in monitored("你记错了", BEKANNT, before=[("user", "我住哪？"), ("assistant", "你住在上海。")])
    ] == [("delete", "h1")]
    assert monitored("No.", KNOWN, before=[("assistant", "Do you like Berlin?")]) == []


def test_a_joke_is_taken_back() -> None:
    """`Just kidding` takes back what the message before it had left."""
    before = [("user", "I like ramen"), ("assistant", "Ramen!")]
    assert [(x.op, x.id) for x in monitored("just kidding", KNOWN, before=before)] == [("delete", "l1")]


@pytest.mark.parametrize(
    ("asked", "answer", "kept"),
    [
        ("Hello! What's your name?", "Anna", "The user's name is Anna."),
        ("Nice. Where do you live?", "Berlin", "The user lives in Berlin."),
        ("How old are you?", "29", "The user is 29 years old."),
        ("What is your dog called?", "Rex", "The user's dog is called Rex."),
        ("你好！怎么称呼你？", "小明", "用户叫小明。"),
        ("你住在哪里？", "上海", "用户住在上海。"),
    ],
)
def test_a_short_answer_is_understood(asked: str, answer: str, kept: str) -> None:
    """A bare word after a question states what was asked for."""
    assert [x.text for x in monitored(answer, before=[("assistant", asked)])] == [kept]


@pytest.mark.parametrize("answer", ["yes", "no", "I don't know", "why?", "不知道", "你猜"])
def test_no_answer_is_no_name(answer: str) -> None:
    """What is no answer to the question is not taken for one."""
    assert monitored(answer, before=[("assistant", "What's your name?")]) == []


def test_a_memory_that_shaped_the_reply() -> None:
    """It is boosted where the reply says what it holds and the user had not; a recital boosts nothing."""
    (x,) = monitored("What am I allergic to?", KNOWN, reply="You're allergic to peanuts.")
    assert (x.op, x.id) == ("boost", "a1")
    assert monitored("Nice weather", KNOWN, reply="It is!") == []
    everything = " ".join(k[1] for k in KNOWN)
    assert monitored("What do you know about me?", KNOWN, reply=everything) == []


def test_the_assistants_words_teach_nothing() -> None:
    """Only the user's own words are evidence."""
    assert monitored("ok", reply="You like sushi and live in Rome. I'm Anna and I like jazz.") == []
    assert monitored("ok", before=[("user", "hi"), ("assistant", "I live in Paris.")]) == []


def test_told_to_remember_is_not_counted_twice() -> None:
    """What Ebb has just saved from this very message is no mention of it."""
    assert monitored("Remember that I like ramen", KNOWN) == []


def test_facts_of_one_message_touch_a_memory_once() -> None:
    """Two facts never fight over one memory."""
    found = monitored("I live in Munich. I like ramen and I love coffee", KNOWN)
    assert sorted((x.op, x.id) for x in found) == [("boost", "l1"), ("boost", "l2"), ("update", "h1")]


def test_it_is_quick() -> None:
    """A call takes less than 5 ms, with twenty memories shown."""
    known: list[Row] = [*KNOWN, *((f"x{i}", f"The user likes thing number {i}.") for i in range(10))]
    data = {
        "exchange": [{"role": "user", "text": "I moved to Munich and I don't like ramen any more", "at": AT}],
        "reference": [{"id": k[0], "text": k[1], "kind": "fact", "negated": False} for k in known],
        "now": AT,
        "tz": TZ,
    }
    respond("monitor", data)
    took = []
    for _ in range(20):
        start = time.process_time()
        respond("monitor", data)
        took.append(time.process_time() - start)
    assert sorted(took)[10] < 0.005
