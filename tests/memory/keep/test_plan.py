"""What a request to forget means: clear only if one thing stands out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.models import Kind, Level, State
from tests.memory.keep.home import Home


async def _plan(home: Home, text: str):  # type: ignore[no-untyped-def]
    return await home.service.plan_forget(home.user, text, home.me.tick())


@pytest.mark.parametrize(
    "memories, wanted, clear",
    [
        (
            ["I live in Paris", "I like jazz", "I work as a nurse"],
            "I live in Paris",
            "I live in Paris",
        ),
        (["I live in Paris", "I like jazz", "I work as a nurse"], "jazz", "I like jazz"),
        (
            ["The user lives in Paris", "The user likes jazz"],
            "that I live in Paris",
            "The user lives in Paris",
        ),
        (["I live in Paris", "I like jazz"], "where I live", "I live in Paris"),
        (
            ["I live in Paris", "I work as a nurse", "I like my work"],
            "my address",
            "I live in Paris",
        ),
        (["我住在巴黎", "我喜欢爵士乐", "我是护士"], "我住在巴黎", "我住在巴黎"),
        (["我住在巴黎", "我喜欢爵士乐", "我是护士"], "爵士乐", "我喜欢爵士乐"),
        (["用户住在巴黎", "用户喜欢爵士乐"], "我的地址", "用户住在巴黎"),
        (
            ["My sister's name is Ana", "My brother's name is Tom"],
            "my sister",
            "My sister's name is Ana",
        ),
        (["用户有一只猫，叫咪咪", "用户喜欢爵士乐"], "that I have a cat", "用户有一只猫，叫咪咪"),
        (["I have a cat called Miso", "I like jazz"], "我有一只猫", "I have a cat called Miso"),
        (["用户不喜欢香菜", "用户喜欢爵士乐"], "that I hate cilantro", "用户不喜欢香菜"),
        (["I'm allergic to peanuts", "I like coffee"], "我对花生过敏", "I'm allergic to peanuts"),
    ],
)
async def test_one_thing_stands_out(
    home: Home, memories: list[str], wanted: str, clear: str
) -> None:
    """It fits, and nothing else fits nearly as well."""
    for text in memories:
        await home.me.remember(text)
    plan = await _plan(home, wanted)
    assert plan.clear is not None
    assert plan.clear.content == clear
    assert [m.content for m in plan.candidates] == [clear]


@pytest.mark.parametrize(
    "memories, wanted",
    [
        (["I live in Paris", "I visited Paris in 2019"], "Paris"),
        (["I like green tea", "I like black tea"], "tea"),
        (["My sister's name is Ana", "My sister lives in Rome"], "my sister"),
        (["我住在巴黎", "我去年去过巴黎"], "巴黎"),
    ],
)
async def test_several_could_be_meant(home: Home, memories: list[str], wanted: str) -> None:
    """Then all of them are offered and none is chosen."""
    for text in memories:
        await home.me.remember(text)
    plan = await _plan(home, wanted)
    assert plan.clear is None
    assert {m.content for m in plan.candidates} == set(memories)


@pytest.mark.parametrize(
    ("name", "was", "parting", "others"),
    [
        ("Sam", "Girlfriend is Sam", "Sam and I broke up", ("Hiked with Sam and Ann", "Sam is vegan")),
        ("小雨", "女朋友叫小雨", "和小雨分手了", ("和小雨、阿安去爬过山", "小雨吃素")),
    ],
)  # fmt: skip
async def test_a_name_reaches_all_that_has_it(
    home: Home, name: str, was: str, parting: str, others: tuple[str, str]
) -> None:
    """What has ended, what ended it and what is denied, for forgetting and for keeping quiet."""
    me = home.me
    old = await me.remember(was)
    await me.remember(others[0])
    no = replace(await me.remember(others[1]), negated_at=me.now)
    await home.write(lambda tx: tx.memories.put(no, "updated"))
    await me.learn(parting, f'[NEGATE:{old.id} said=1:"{parting}"] {parting}', recalled=[old])
    plan = await _plan(home, name)
    assert {m.content for m in plan.candidates} == {was, parting, *others}
    quiet = await home.service.keep_quiet(home.user, name, me.tick())
    assert {m.content for m in quiet} == {was, parting, *others}


@pytest.mark.parametrize(
    "wanted", ["my plans", "all my appointments", "the plans", "我的计划", "我的日程安排"]
)
async def test_a_whole_sort_is_called_by_its_name(home: Home, wanted: str) -> None:
    """Plans are meant though none of them has the word, however often the question about them has."""
    await home.me.say("What are my plans? 我的计划有哪些？")
    for text in ("The user sees the dentist on Friday", "用户周三去上海出差"):
        await home.me.remember(text, kind=Kind.TODO)
    await home.me.remember("I live in Paris", kind=Kind.IDENTITY)
    plan = await _plan(home, wanted)
    assert plan.clear is None
    assert {m.content for m in plan.candidates} == {
        "The user sees the dentist on Friday",
        "用户周三去上海出差",
    }
    assert not plan.messages


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        (Kind.PREFERENCE, "The user likes ramen", "my preferences"),
        (Kind.PREFERENCE, "用户喜欢拉面", "我的喜好"),
        (Kind.GOAL, "The user wants to run a marathon", "my goal"),
        (Kind.GOAL, "用户想跑一次马拉松", "我的目标"),
        (Kind.SKILL, "The user speaks Danish", "my skills"),
        (Kind.WORKFLOW, "用户每天六点起床", "我的习惯"),
    ],
)
async def test_the_only_one_of_its_sort_is_clear(
    home: Home, kind: Kind, text: str, wanted: str
) -> None:
    """One memory of the sort that is named is the one meant."""
    await home.me.remember(text, kind=kind)
    await home.me.remember("I live in Paris", kind=Kind.IDENTITY)
    plan = await _plan(home, wanted)
    assert plan.clear is not None
    assert plan.clear.content == text


async def test_what_does_not_fit_is_not_offered(home: Home) -> None:
    """Nothing about it is nothing, however much else there is."""
    await home.me.remember("I live in Paris")
    plan = await _plan(home, "my piano lessons")
    assert (plan.clear, plan.candidates, plan.everything) == (None, [], False)


@pytest.mark.parametrize("text", ["everything", "all my memories", "一切", "所有关于我的事"])
async def test_everything_is_never_clear(home: Home, text: str) -> None:
    """It is told apart, for a confirmation of its own."""
    await home.me.remember("I live in Paris")
    plan = await _plan(home, text)
    assert plan.everything
    assert plan.clear is None
    assert not plan.candidates


@pytest.mark.parametrize("form", ["{}", "[{}]", "memory {}", "记忆 [{}]"])
async def test_by_id(home: Home, form: str) -> None:
    """The id that lists show names one memory."""
    m = await home.me.remember("I live in Paris")
    await home.me.remember("I live in Paris with my wife Ana")
    plan = await _plan(home, form.format(m.id))
    assert plan.clear is not None
    assert plan.clear.id == m.id


async def test_at_every_level(home: Home) -> None:
    """What has faded to a trace can still be named."""
    m = await home.me.remember("I used to play the clarinet")
    await home.faded(m, Level.TRACE, "👣 music")
    plan = await _plan(home, "the clarinet")
    assert plan.clear is not None
    assert plan.clear.id == m.id


async def test_an_older_version_stands_behind_its_successor(home: Home) -> None:
    """Unless it is the older one that is named."""
    old = (await home.remember("remember my favourite town is Lyon")).memory
    new = (await home.remember("remember my favourite town is Paris")).memory
    assert (await home.me.get(old.id)).state is State.SUPERSEDED
    for wanted, meant in (("my favourite town", new), ("my favourite town is Lyon", old)):
        plan = await _plan(home, wanted)
        assert plan.clear is not None, wanted
        assert plan.clear.id == meant.id


async def test_what_was_just_said(home: Home) -> None:
    """Without a name, what was learned from the message before is meant; the message itself if nothing was."""
    turn = await home.me.say("I'm moving to Rome next year")
    said = await home.message_of(turn)
    asking = await home.message_of(await home.me.say("forget what I just said", None))
    plan = await home.service.plan_forget(home.user, "", home.me.tick(), message_id=asking.id)
    assert plan.clear is None
    assert plan.messages == (said.id,)
    await home.me.work(
        "monitor", {"turn_ids": [turn]}, "[ADD kind=goal] The user is moving to Rome in 2027"
    )
    plan = await home.service.plan_forget(home.user, "", home.me.tick(), message_id=asking.id)
    assert plan.clear is not None
    assert "Rome" in plan.clear.content


async def test_said_but_not_learned(home: Home) -> None:
    """Where no memory has it, the messages that say it are named, to be hidden."""
    said = await home.message_of(await home.me.say("I live in Paris, by the way"))
    plan = await _plan(home, "I live in Paris")
    assert not plan.candidates
    assert plan.messages == (said.id,)
    await home.forget(messages=plan.messages)
    assert not any("Paris" in text for text in await home.visible())


async def test_nobody_elses(home: Home) -> None:
    """Another user's memories and ids mean nothing here."""
    theirs = await home.other.remember("I live in Paris", kind=Kind.IDENTITY)
    assert (await _plan(home, "I live in Paris")).clear is None
    assert (await _plan(home, theirs.id)).clear is None


async def test_a_swapped_memory_is_not_the_one_meant(home: Home) -> None:
    """Of two with the same words the one is forgotten whose order it is, with its message; the other stays."""
    tea = await home.remember("Remember that I prefer tea over coffee")
    coffee = await home.remember("Remember that I prefer coffee over tea")
    plan = await home.service.plan_forget(
        home.user, "I prefer coffee over tea", home.me.now, scope=home.scope
    )
    assert plan.clear is not None
    assert plan.clear.id == coffee.memory.id
    await home.forget(coffee.memory)
    assert await home.contents() == {tea.memory.original_content}
    assert await home.visible() == ["Remember that I prefer tea over coffee"]


@pytest.mark.parametrize(
    "memory, wanted",
    [
        ("Sister Hannah lives in Lyon", "that I live in Lisbon"),
        ("My dog is called Rex", "what I told you about Bruno"),
        ("姐姐住在里昂", "我住在里斯本"),
    ],
)
async def test_the_only_memory_with_shared_words_is_not_meant(
    home: Home, memory: str, wanted: str
) -> None:
    """Whoever names somebody or a place means nothing that does not have the name."""
    await home.me.remember(memory)
    plan = await _plan(home, wanted)
    assert (plan.clear, plan.candidates) == (None, [])
