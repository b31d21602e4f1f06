"""Forgetting that forgets: everywhere, at once, and undoable."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memory.errors import NotFound
from memory.learn.same_meaning import HINTS, build_target, find_names
from memory.models import Filter, Job, Kind, Layer, Memory, State
from memory.ports import SystemTransaction, Transaction
from tests.memory.keep.home import Home
from tests.memory.learn.world import TZ, summary

PAIRS = [
    ("I live in Paris", "Lives in Paris", "Paris"),
    ("我住在巴黎", "住在巴黎", "巴黎"),
]


async def _learned(home: Home, said: str, memory: str, reply: str = "I see.") -> tuple[Memory, str]:
    turn = await home.me.say(said, reply)
    await home.me.work("monitor", {"turn_ids": [turn]}, f"[ADD kind=identity] {memory}")
    return next(m for m in await home.me.all() if m.content == memory), turn


@pytest.mark.parametrize("said, memory, name", PAIRS)
async def test_it_is_gone_from_every_place_that_is_looked_at(
    home: Home, said: str, memory: str, name: str
) -> None:
    """Lists, words, vectors, recall and the messages that prompts and search are made of."""
    m, _ = await _learned(home, f"{said}.", memory, f"{name}! How lovely.")
    await home.me.remember("Likes jazz")
    vector = (await home.me.embedder.embed([memory], "query"))[0]
    reader = home.me.store.open_reader(home.user)
    everything = Filter(states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}))
    assert m.id in [s.id for s in await reader.search_vectors(vector, 5, everything)]

    done = await home.forget(m)

    assert [x.state for x in done.memories] == [State.DELETED]
    assert done.memories[0].deleted_at is not None
    assert done.hidden == 2
    assert await home.contents() == {"Likes jazz"}
    assert (await home.service.find(home.user, Filter(), name)).total == 0
    assert m.id not in [s.id for s in await reader.search_words(memory, 5, everything)]
    assert m.id not in [s.id for s in await reader.search_vectors(vector, 5, everything)]
    found = await home.service.recall(home.user, f"{said}?", [], home.me.tick(), TZ)
    assert m.id not in [h.memory.id for h in (*found.hits, *found.missed)]
    assert not any(name in text for text in await home.visible())


@pytest.mark.parametrize(
    "said, forgotten, also, stays",
    [
        (
            "My sister Hannah lives in Lyon and works as a nurse; I like tea",
            "The user's sister Hannah lives in Lyon",
            ["Hannah lives in Lyon"],
            ["Sister Hannah works as a nurse", "Has a sister named Hannah", "Likes tea"],
        ),
        (
            "I'm allergic to peanuts and hate fish",
            "Allergic to peanuts",
            ["Has a peanut allergy"],
            ["Hates fish"],
        ),
        (
            "My dog is called Rex, my cat is called Tom",
            "Dog is called Rex",
            ["Has a dog called Rex"],
            ["Cat is called Tom"],
        ),
        (
            "我对花生过敏，姐姐汉娜住在里昂",
            "对花生过敏",
            ["用户对花生有过敏"],
            ["姐姐汉娜住在里昂", "姐姐叫汉娜"],
        ),
    ],
)
async def test_twins_from_the_same_words_go_along(
    home: Home, said: str, forgotten: str, also: list[str], stays: list[str]
) -> None:
    """Not everything that the message taught; and undo brings all of it back."""
    turn = await home.me.say(f"{said}.")
    message = await home.message_of(turn)
    for text in (forgotten, *also, *stays):
        m = await home.me.remember(text)
        await home.me.store.write(
            home.user,
            lambda tx, m=m: tx.memories.add_source(m.id, message.id),  # type: ignore[misc]
        )
    done = await home.forget(next(m for m in await home.me.all() if m.content == forgotten))
    assert await home.contents() == set(stays)
    await home.service.undo(home.user, home.me.tick(), done.set_id)
    assert await home.contents() == {forgotten, *also, *stays}


@pytest.mark.parametrize("said, memory, name", PAIRS)
async def test_it_is_not_learned_again_from_the_same_history(
    home: Home, said: str, memory: str, name: str
) -> None:
    """Neither by a job that was already thinking, nor from what an assistant said; only from the person anew."""
    m, turn = await _learned(home, f"{said}.", memory)
    await home.forget(m)
    again = await home.me.work("monitor", {"turn_ids": [turn]})  # sees nothing to ask about
    assert again["outcome"] == "nothing"
    assert await home.contents() == set()
    later, _ = await _learned(home, f"{said} again.", memory)
    assert later.id != m.id


async def test_a_monitor_that_was_under_way_brings_nothing_back(home: Home) -> None:
    """It read the message before it was hidden, and answers after."""
    m, _ = await _learned(home, "I live in Paris.", "Lives in Paris")
    turn = await home.me.say("So what's on in Paris tonight?")

    async def forget_meanwhile() -> None:
        home.me.model.during = None
        await home.service.forget(home.user, [m.id], home.me.now)

    home.me.model.during = forget_meanwhile
    from memory.errors import Conflict

    with pytest.raises(Conflict):
        await home.me.work("monitor", {"turn_ids": [turn]}, "[ADD kind=identity] Lives in Paris")
    assert await home.contents() == set()


async def test_older_versions_go_with_it(home: Home) -> None:
    """Forgetting what holds does not bring back what held before."""
    old = (await home.remember("remember that my favourite town is Lyon")).memory
    new = (await home.remember("remember that my favourite town is Paris")).memory
    done = await home.forget(new)
    assert [m.id for m in done.memories] == [new.id, old.id], "and the answer names both"
    assert (await home.me.get(old.id)).state is State.DELETED
    found = await home.service.recall(
        home.user, "what was my favourite town in the past?", [], home.me.tick(), TZ
    )
    assert not found.hits
    assert not any("Lyon" in t or "Paris" in t for t in await home.visible())
    await home.service.undo(home.user, home.me.tick())
    assert (await home.me.get(old.id)).state is State.SUPERSEDED
    assert (await home.me.get(new.id)).state is State.ACTIVE


async def test_forgetting_the_older_leaves_the_newer(home: Home) -> None:
    """What one no longer wants known is the past alone."""
    old = (await home.remember("remember that my favourite town is Lyon")).memory
    new = (await home.remember("remember that my favourite town is Paris")).memory
    await home.forget(await home.me.get(old.id))
    assert (await home.me.get(new.id)).state is State.ACTIVE
    visible = " ".join(await home.visible())
    assert "Paris" in visible
    assert "Lyon" not in visible


async def test_a_twin_goes_as_well(home: Home) -> None:
    """Two memories that say the same are one thing to forget."""
    a = await home.me.remember("I live in Paris")

    def twin(tx: Transaction) -> Memory:
        from dataclasses import replace

        tx.changes.begin("user", "import", home.me.now)
        return tx.memories.add(
            replace(a, id="", content="I live in Paris!", original_content="I live in Paris!")
        )

    b = await home.write(twin)
    await home.forget(a)
    assert (await home.me.get(b.id)).state is State.DELETED


async def test_replies_that_say_it_are_hidden_where_they_knew_it(home: Home) -> None:
    """A reply whose prompt carried the memory is hidden if it hints at it; one that does not stays."""
    m, _ = await _learned(home, "I'm allergic to peanuts.", "Allergic to peanuts")
    await home.me.say("What about satay?", "Careful: satay sauce is made of peanuts.", recalled=[m])
    await home.me.say("And the weather?", "Sunny, they say.", recalled=[m])
    await home.me.say("What do elephants eat?", "Grass, and peanuts in cartoons.")
    await home.forget(m)
    visible = await home.visible()
    assert "Careful: satay sauce is made of peanuts." not in visible
    assert "Sunny, they say." in visible
    assert "What about satay?" in visible
    assert "Grass, and peanuts in cartoons." in visible  # it did not know


async def test_other_messages_that_say_it_are_hidden(home: Home) -> None:
    """Also those that nothing was learned from, in any session, of this person's conversations."""
    m, _ = await _learned(home, "I'm a nurse at Saint Mary.", "A nurse at Saint Mary")
    await home.me.say("As I said, at Saint Mary I'm a nurse on nights.")
    await home.me.say("My knees hurt.")

    def group(tx: Transaction) -> None:
        tx.changes.begin("user", "chat", home.me.now)
        s = tx.conversations.open_session("chat:42", home.me.now)
        from memory.models import Message

        tx.conversations.add_message(
            Message(
                "",
                s.id,
                None,
                home.user,
                "user",
                "The nurse at Saint Mary, that's me",
                home.me.tick(),
                TZ,
            )
        )

    await home.write(group)
    await home.forget(m)
    rest = await home.read(lambda tx: [x.text for x in tx.conversations.list_messages()])
    assert not [t for t in rest if "Saint Mary" in t]
    assert "My knees hurt." in rest


async def test_what_only_shares_a_word_stays(home: Home) -> None:
    """Forgetting one taste does not hide all talk of tea, nor a person who is in other memories too."""
    m, _ = await _learned(home, "I like green tea.", "Likes green tea")
    await home.me.say("The kettle for tea is broken.")
    ana, _ = await _learned(home, "My sister Ana lives in Rome.", "Sister Ana lives in Rome")
    boss, _ = await _learned(home, "My boss is a friend of Ana.", "Boss is a friend of Ana")
    await home.me.say("Ana called yesterday.")
    await home.forget(m, boss)
    visible = await home.visible()
    assert "The kettle for tea is broken." in visible
    assert "Ana called yesterday." in visible
    assert "My sister Ana lives in Rome." in visible
    assert "My boss is a friend of Ana." not in visible
    await home.forget(ana)
    assert "Ana called yesterday." not in await home.visible()


async def test_the_message_that_asks_is_hidden(home: Home) -> None:
    """It names the thing."""
    m, _ = await _learned(home, "I live in Paris.", "Lives in Paris")
    asking = await home.message_of(await home.me.say("forget my address", None))
    await home.forget(m, messages=[asking.id])
    assert "forget my address" not in await home.visible()


async def _summarised(home: Home, episode: str, running: str) -> Memory:
    messages = await home.me.messages()
    payload = {"session_id": home.me.session.id, "after": 0, "through": messages[-1].seq}
    await home.me.work("summarise", payload, summary(episode, running))
    return next(m for m in await home.me.all() if m.layer is Layer.EPISODE)


async def _run_jobs(home: Home, *answers: str) -> None:
    home.me.model.answers = list(answers)
    while True:
        at = home.me.tick()

        def lease(s: SystemTransaction, at: datetime = at) -> Job | None:
            return s.lease(at, at + timedelta(days=2), home.me.worker, kinds=["summarise"])

        job = await home.me.store.write_system(lease)
        if job is None:
            return
        effect = await home.service.handlers["summarise"](job, at)
        assert await home.me.store.finish_job(job, effect)


async def test_episodes_and_summaries_are_dropped_and_told_anew(home: Home) -> None:
    """At once, without a model; a job then tells what may still be seen."""
    m, _ = await _learned(home, "I live in Paris.", "Lives in Paris")
    await home.me.say("My cat is called Tom.")
    episode = await _summarised(home, "Told of Paris and of Tom", "Lives in Paris, the cat is Tom.")

    def titled(tx: Transaction) -> None:
        from dataclasses import replace

        s = tx.conversations.get_session(home.me.session.id)
        assert s is not None
        tx.conversations.put_session(replace(s, title="Paris and a cat"))

    await home.write(titled)
    done = await home.forget(m)
    assert done.dropped == 2
    assert (await home.me.get(episode.id)).state is State.DELETED
    session = await home.me.fresh_session()
    assert (session.running_summary, session.title) == ("", "")

    before = len(home.me.model.requests)
    await _run_jobs(home, *[summary("the cat is Tom", "Has a cat called Tom.")] * 4)
    asked = [home.me.model.prompt(n) for n in range(before, len(home.me.model.requests))]
    assert asked
    assert not any("Paris" in prompt for prompt in asked)
    session = await home.me.fresh_session()
    assert session.running_summary == "Has a cat called Tom."
    (told,) = [x for x in await home.me.all() if x.layer is Layer.EPISODE]
    assert "Paris" not in told.content

    await home.service.undo(home.user, home.me.tick())
    (back,) = [x for x in await home.me.all() if x.layer is Layer.EPISODE]
    assert back.id == episode.id
    assert (await home.me.get(m.id)).state is State.ACTIVE
    await _run_jobs(home, *[summary("both", "Lives in Paris, the cat is Tom.")] * 4)
    assert "Paris" in (await home.me.fresh_session()).running_summary


async def test_undo_before_the_job_ran(home: Home) -> None:
    """The episode is back and nothing is told twice."""
    m, _ = await _learned(home, "I live in Paris.", "Lives in Paris")
    await home.me.say("My cat is called Tom.")
    episode = await _summarised(home, "Told of Paris", "Lives in Paris.")
    await home.forget(m)
    await home.service.undo(home.user, home.me.tick())
    await _run_jobs(home, *[summary("x", "Lives in Paris.")] * 4)
    assert [x.id for x in await home.me.all() if x.layer is Layer.EPISODE] == [episode.id]


async def test_a_merged_text_goes_and_its_other_originals_stand_again(home: Home) -> None:
    """What the thing was merged into has it inside."""
    from dataclasses import replace

    a = await home.me.remember("I drink coffee at dawn")
    b = await home.me.remember("I had a flat white with Lena")

    def merge(tx: Transaction) -> Memory:
        tx.changes.begin("system", "merge", home.me.now)
        whole = tx.memories.add(
            replace(
                a,
                id="",
                content="Coffee, often with Lena",
                original_content="Coffee, often with Lena",
                merged_from=(a.id, b.id),
            )
        )
        for m in (a, b):
            tx.memories.put(replace(m, state=State.MERGED, merged_into=whole.id), "merged")
        return whole

    whole = await home.write(merge)
    await home.forget(await home.me.get(b.id))
    assert (await home.me.get(whole.id)).state is State.DELETED
    assert (await home.me.get(a.id)).state is State.ACTIVE
    await home.service.undo(home.user, home.me.tick())
    assert (await home.me.get(whole.id)).state is State.ACTIVE
    assert (await home.me.get(a.id)).state is State.MERGED


async def test_two_users_with_the_same_words(home: Home) -> None:
    """One forgets, the other knows; neither can forget the other's."""
    mine, _ = await _learned(home, "I live in Paris.", "Lives in Paris")
    theirs = await home.other.remember("Lives in Paris", kind=Kind.IDENTITY)
    await home.other.say("I live in Paris.")
    with pytest.raises(NotFound):
        await home.forget(theirs)
    await home.forget(mine)
    assert (await home.other.get(theirs.id)).state is State.ACTIVE
    assert "I live in Paris." in [
        m.text for m in await home.other.messages() if m.hidden_at is None
    ]
    assert await home.other.store.open_reader(home.other.user).search_words("Paris", 5, Filter())


async def test_many_at_once_are_one_act(home: Home) -> None:
    """And one undo brings all of them back."""
    a = await home.me.remember("I like jazz")
    b = await home.me.remember("I work as a nurse")
    done = await home.forget(a, b)
    assert len(done.memories) == 2
    undone = await home.service.undo(home.user, home.me.tick())
    assert undone.set_id == done.set_id
    assert await home.contents() == {"I like jazz", "I work as a nurse"}


async def test_forgetting_twice_is_forgetting_once(home: Home) -> None:
    """The second time changes nothing."""
    m = await home.me.remember("I like jazz")
    first = await home.forget(m)
    again = await home.service.forget(home.user, [m.id], home.me.tick())
    assert again.memories[0].deleted_at == first.memories[0].deleted_at


@pytest.mark.parametrize(
    "memory, text, says",
    [
        ("Lives in Paris", "I was living in Paris then", True),
        ("Lives in Paris", "Paris!", True),
        ("住在巴黎", "我现在住在法国巴黎", True),
        ("住在巴黎", "巴黎真美", True),
        ("住在巴黎", "我住在这里", False),
        ("我养了一只猫", "这只猫是我养的", True),
        ("我喜欢喝茶", "我很喜欢喝绿茶", True),
        ("我喜欢喝茶", "茶壶坏了", False),
        ("I like tea", "I'd like some tea", True),
        ("I like tea", "the tea kettle broke", False),
        ("I'm allergic to peanuts", "I bought peanuts", False),
        ("My boss is Tom", "Tomorrow we meet", False),
    ],
)
async def test_containing(home: Home, memory: str, text: str, says: bool) -> None:
    """By words within one sentence, by names alone, in both languages."""
    m = await home.me.remember(memory)
    assert build_target([m]).said_by(text) is says


def test_words_far_apart_do_not_say_it() -> None:
    """A long reply has many words; only a sentence can say a thing."""
    from memory.learn.same_meaning import ForgetTarget, list_units

    thing = ForgetTarget((list_units("I collect old stamps"),))
    assert thing.said_by("You collect old stamps, right?")
    assert not thing.said_by("Old houses are cold. Some collect wood. Stamps cost more now.")
    assert thing.said_by("Do you collect many stamps?", HINTS)


@pytest.mark.parametrize(
    "text, found",
    [
        ("My sister Ana lives in New York", {"ana", "new york"}),
        ("Paris is nice", set()),
        ("I live in Paris on Monday", {"paris"}),
        ("我住在巴黎", {"巴黎"}),
        ("我妹妹叫安娜，她是医生", {"安娜"}),
        ("我在读《红楼梦》", {"红楼梦"}),
    ],
)
def test_names(text: str, found: set[str]) -> None:
    """Names are capitals inside a sentence, what follows 住在 or 叫, and titles."""
    assert find_names(text) == found
