"""The right memory, only the right memory, and in each mode what that mode may see; against a real store."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from memory.lifecycle import compute_weight
from memory.models import Kind, Level, Memory, Mode, Sensitivity, State
from memory.ports import Store, Transaction
from tests.memory.recall.conftest import DAY, NOW, Person, texts


async def put(person: Person, m: Memory, **fields: object) -> Memory:
    def write(tx: Transaction) -> Memory:
        tx.changes.begin("system", "upkeep", NOW)
        return tx.memories.put(replace(m, **fields), "updated")  # type: ignore[arg-type]

    return await person.store.write(person.id, write)


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize(
    ("memory", "question"),
    [
        ("User's cat is called Miso", "What's my cat's name?"),
        ("User lives in Leeds", "where do I live?"),
        ("用户的猫叫小橘", "我的猫叫什么？"),
        ("用户对花生过敏", "我对什么过敏"),
    ],
)
async def test_a_question_finds_its_memory(
    person: Person, memory: str, question: str, vectors: bool
) -> None:
    """In both languages, in a store of one memory, and without the embedder's help."""
    await person.knows(memory)
    assert texts(await person.ask(question, vectors=vectors)) == [memory]


@pytest.mark.parametrize(
    ("who", "name", "fact", "question"),
    [
        (
            "Married to Sylvie",
            "Sylvie",
            "Sylvie has a desk at the power station",
            "what does my wife do?",
        ),
        ("Sister is called Orla", "Orla", "Orla moved to Lyon", "where does my sister live now?"),
        ("老婆叫郑芸", "郑芸", "郑芸在食堂掌勺", "我老婆做什么工作？"),
        ("姐姐叫林巧", "林巧", "林巧搬去厦门了", "我姐现在住哪？"),
        (
            "my sister is called Orla",
            "",
            "Orla moved to Lyon in May",
            "where does my sister live now?",
        ),
    ],
)
async def test_a_relation_finds_what_is_known_by_name(
    person: Person, who: str, name: str, fact: str, question: str
) -> None:
    """One memory says who the sister is, another what she does: no word of it is in the question."""
    about = (name,) if name else ()
    await person.knows(who, slot="partner" if "wife" in question else None, entities=about)
    await person.knows(fact, entities=about)
    await person.knows("User keeps a sourdough starter")
    assert fact in texts(await person.ask(question))


async def test_a_relation_brings_up_nothing_private_or_quiet(person: Person) -> None:
    """The name was not said: what is private of her, or to be kept quiet, was not asked for."""
    await person.knows("Sister is called Orla", entities=("Orla",))
    await person.knows("Orla lost a baby", entities=("Orla",), sensitivity=Sensitivity.PRIVATE)
    await person.knows("Orla left the band", entities=("Orla",), quiet_at=NOW - DAY)
    found = texts(await person.ask("What should I cook for my sister?"))
    assert found == ["Sister is called Orla"]


async def test_only_the_best_three_and_two_episodes(person: Person) -> None:
    """The product paper's top 3; episodes have places of their own, and take none of those."""
    for i in range(6):
        await person.knows(f"User visited castle number {i} in Wales")
    for i in range(4):
        await person.knows(
            f"[2026-02-0{i + 1} 18:00] We talked about a castle in Wales", kind=Kind.EPISODE
        )
    found = await person.ask("Which castle in Wales did I visit?")
    assert [h.memory.kind for h in found.hits] == [Kind.FACT] * 3 + [Kind.EPISODE] * 2
    assert len(found.missed) == 5
    assert not any(h.passed for h in found.missed)
    assert {h.memory.id for h in found.missed}.isdisjoint(h.memory.id for h in found.hits)


async def test_every_hit_says_why(person: Person) -> None:
    """/why needs signals, nudges, gate and the near misses."""
    await person.knows("User plays chess with Grace on Thursdays", entities=("Grace",))
    await person.knows("User bought a chess board")
    hit = (await person.ask("When do I play chess with Grace?")).hits[0]
    assert {"lexical", "vectors", "names"} <= set(hit.signals)
    assert set(hit.nudges) == {"strength", "retention", "recency", "confidence"}
    assert all(0.75 <= factor <= 1.25 for factor in hit.nudges.values())
    assert hit.gate >= 0.7
    assert (hit.passed, hit.why) == (True, "relevance")


async def test_small_things_pass_nothing(person: Person) -> None:
    """The best of nothing is still nothing."""
    await person.knows("User likes good coffee in the morning")
    await person.knows("用户喜欢早上喝咖啡")
    for text in (
        "good morning!",
        "thanks, you are great",
        "haha",
        "",
        "…",
        "早上好",
        "好的，谢谢",
        "🙂",
    ):
        assert texts(await person.ask(text)) == []


async def test_what_is_not_so_now_stays_out(person: Person) -> None:
    """Denied, superseded, ended: nothing of it in normal mode. What is still to come, or faded to a tag, is found."""
    await person.knows("User lives in Leeds with Omar")
    await person.knows("User lives in Bonn with Tom", negated_at=NOW - DAY)
    await person.knows("User lives in Oslo with Pia", state=State.SUPERSEDED, valid_until=NOW - DAY)
    await person.knows("User lives in Rome with Leo", valid_until=NOW)
    await person.knows("User lives in Lima with Ana", valid_from=NOW + DAY)
    await person.knows("User lives in Kyiv with Ira", level=Level.TAG)
    found = {
        "User lives in Leeds with Omar",
        "User lives in Lima with Ana",
        "User lives in Kyiv with Ira",
    }
    assert set(texts(await person.ask("who do I live with?"))) == found


async def test_what_was_before_tells_nothing_private_unasked(person: Person) -> None:
    """A question about an old address is none about an old illness or a violent partner."""
    over: dict[str, Any] = {"state": State.SUPERSEDED, "valid_until": NOW - DAY}
    await person.knows("User lives in Leeds")
    await person.knows("User lived in Bonn", **over)
    await person.knows("Ex Carl was violent", sensitivity=Sensitivity.PRIVATE, **over)
    await person.knows("Had a skin infection", kind=Kind.HEALTH, **over)
    found = set(texts(await person.ask("Where did I live before that?")))
    assert found == {"User lives in Leeds", "User lived in Bonn"}


async def test_fading_that_upkeep_has_not_seen_yet(person: Person) -> None:
    """The strict reach goes by the level of now; without it what fits is found however faded."""
    await person.knows("User was reading a novel about whales", days_ago=400, kind=Kind.CONTEXT)
    asked = "which novel was I reading?"
    assert texts(await person.ask(asked)) == ["User was reading a novel about whales"]
    assert texts(await person.ask(asked, strict=True)) == []
    review = await person.ask(asked, mode=Mode.REVIEW, strict=True)
    assert [h.why for h in review.hits] == ["review"]


async def test_the_weight_is_that_of_now(person: Person) -> None:
    """What the store has is a cache."""
    await person.knows("User owns a red canoe", days_ago=30)
    (hit,) = (await person.ask("what colour is my canoe?")).hits
    assert hit.memory.weight == compute_weight(hit.memory, 1.0, NOW)
    assert hit.memory.weight < 1.1


async def test_retention_decides_between_equals(person: Person) -> None:
    """Of two memories that fit as well, the better retained one comes first; a nudge, no more."""
    old = await person.knows("User met Carla at the harbour festival", days_ago=60)
    new = await person.knows("User met Carla at the harbour festival", days_ago=1)
    found = await person.ask("where did I meet Carla?")
    assert [h.memory.id for h in found.hits] == [new.id, old.id]


async def test_review_adds_and_never_displaces(person: Person) -> None:
    """All levels, versions and denials, up to 20, behind the hits of normal mode."""
    current = await person.knows("User lives in Shanghai now")
    await person.knows(
        "User lived in Beijing, Chaoyang",
        state=State.SUPERSEDED,
        valid_until=NOW - 9 * DAY,
        days_ago=90,
    )
    for i in range(30):
        await person.knows(
            f"User lived in hostel number {i}", days_ago=300, level=Level.TRACE, content="lodging"
        )
    await person.knows("User lived in a tent", negated_at=NOW - DAY, days_ago=20)
    question = "Where did I live in the past?"
    normal = await person.ask(question, strict=True)
    review = await person.ask(question, mode=Mode.REVIEW, strict=True)
    first = [h.memory.id for h in normal.hits]
    assert first[0] == current.id
    assert [h.memory.id for h in review.hits][: len(first)] == first
    assert len(review.hits) == 20
    assert {h.why for h in review.hits[len(first) :]} == {"review"}
    assert {"User lived in Beijing, Chaoyang", "User lived in a tent"} <= set(texts(review))


async def test_review_brings_the_version_before(person: Person) -> None:
    """What a memory replaced stands behind it, whatever words it has."""
    old = await person.knows("Beijing is home", state=State.SUPERSEDED, valid_until=NOW - DAY)
    await person.knows("用户住在上海", supersedes=(old.id,))
    review = await person.ask("我以前住在哪里？", mode=Mode.REVIEW)
    assert texts(review) == ["用户住在上海", "Beijing is home"]


async def test_a_look_back_that_names_nothing(person: Person) -> None:
    """ "What did I say in the past?" gets what was last in use, of every level, not silence."""
    for i in range(25):
        await person.knows(f"Fact {i} about whales", level=Level(i % 5))
    for question in ("我以前说过什么？", "what did I say before?"):
        assert len((await person.ask(question, mode=Mode.REVIEW)).hits) == 20


async def test_the_clear_ones_crowd_out_no_layer(person: Person) -> None:
    """However many are clear and were used last: of every level there is, some; the clear ones first."""
    for i in range(8):
        await person.knows(
            f"Fact {i} about whales", level=Level(1 + i % 4), last_activated_at=NOW - 900 * DAY
        )
    for i in range(30):
        await person.knows(f"Fact {i} about herons")
    hits = (await person.ask("我以前说过什么？", mode=Mode.REVIEW)).hits
    levels = [h.memory.level for h in hits]
    assert (len(levels), set(levels), levels) == (20, set(Level), sorted(levels))
    assert [levels.count(level) for level in Level] == [12, 2, 2, 2, 2]


async def test_debug_reads_what_has_left_the_indexes(person: Person) -> None:
    """Forgotten and deleted only there; secrets nowhere."""
    gone = await person.knows("User's old locker number is 512")
    await put(person, gone, state=State.DELETED, deleted_at=NOW)
    faded = await person.knows("User's locker was green")
    await put(person, faded, state=State.FORGOTTEN)
    await person.knows("User's locker password", sensitivity=Sensitivity.SECRET)
    for mode in (Mode.NORMAL, Mode.REVIEW):
        assert texts(await person.ask("what about my locker?", mode=mode)) == []
    assert set(texts(await person.ask("what about my locker?", mode=Mode.DEBUG))) == {
        "User's old locker number is 512",
        "User's locker was green",
    }


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did we talk about yesterday?", ["sailing"]),
        ("我们昨天聊了什么？", ["sailing"]),
        ("Where were we last time?", ["sailing", "pottery"]),
        ("上次聊到哪了", ["sailing", "pottery"]),
        ("what did we discuss three days ago?", []),
        ("I went sailing yesterday", []),
    ],
)
async def test_episodes_by_time(person: Person, question: str, expected: list[str]) -> None:
    """Asked for the last talk, the episodes of that time come, ungated; older than 14 days they do not."""
    await person.knows("[2026-01-10 18:00] whales", days_ago=32, kind=Kind.EPISODE)
    await person.knows("[2026-02-06 18:00] pottery", days_ago=5, kind=Kind.EPISODE)
    await person.knows("[2026-02-10 18:00] sailing", days_ago=0.7, kind=Kind.EPISODE)
    found = [
        h
        for h in (await person.ask(question)).hits
        if h.why == "episode_by_time" or "time" in h.evidence
    ]
    assert [h.memory.content.split()[-1] for h in found] == expected


async def test_an_answer_that_lives_off_the_question_before(person: Person) -> None:
    """ "The second one, please" says nothing by itself; thanks after the same words call for nothing."""
    await person.knows("User's second bike is a green Brompton")
    context = ("Shall I look up the racing bike or the Brompton?",)
    assert texts(await person.ask("the second one, please", context=context)) == [
        "User's second bike is a green Brompton"
    ]
    assert texts(await person.ask("thanks a lot!", context=context)) == []
    await person.knows("用户的布朗普顿自行车是绿色的")
    zh = ("要查布朗普顿自行车还是公路车？",)
    assert "用户的布朗普顿自行车是绿色的" in texts(await person.ask("第一个吧", context=zh))


async def test_residents_take_no_places(person: Person) -> None:
    """What stands in the prompt anyway is left out."""
    a = await person.knows("User's cat is called Miso")
    b = await person.knows("User's other cat is called Tofu")
    found = await person.ask("what are my cats called?", exclude=frozenset({a.id}))
    assert [h.memory.id for h in found.hits] == [b.id]


async def test_nobody_elses_memories(person: Person, store: Store) -> None:
    """Two people, the same words: each gets their own, in every mode."""
    other = Person(store, await store.write_system(lambda s: s.create_user(NOW)))
    mine = await person.knows("User's boat is called Argo", entities=("Argo",), source_session="s")
    await other.knows("User's boat is called Argo", entities=("Argo",), source_session="s")
    for mode in Mode:
        found = await person.ask("what is my boat Argo called?", mode=mode)
        assert [h.memory.id for h in found.hits] == [mine.id]


async def test_an_answer_stands_beside_its_question(person: Person) -> None:
    """What was said next, in the same session and minute, comes up among the candidates."""
    await person.knows("Did the vet call about Miso?", source_session="s1")
    answer = await person.knows("Yes, all fine", source_session="s1")
    elsewhere = await person.knows("Nothing new there", source_session="s2")
    found = await person.ask("Did the vet call about Miso?")
    seen = {h.memory.id: h.signals for h in (*found.hits, *found.missed)}
    assert "beside" in seen[answer.id]
    assert "beside" not in seen.get(elsewhere.id, {})


async def test_a_place_leads_to_a_date(person: Person) -> None:
    """The bridge: found by its place, the event's name finds the memory of its date."""
    await person.knows("智能科技新品发布盛典的地点是山东青岛")
    await person.knows("智能科技新品发布盛典定于下周五举行")
    for name in ("高尔夫友谊赛", "教育论坛", "摄影展"):
        await person.knows(f"{name}的地点是广州")
        await person.knows(f"{name}定于周一举行")
    found = await person.ask("那个地点是山东青岛的活动，什么时候举行？")
    assert texts(found)[0] == "智能科技新品发布盛典的地点是山东青岛"
    assert "智能科技新品发布盛典定于下周五举行" in texts(found)
    assert any("bridge" in h.signals for h in found.hits)


async def test_a_named_time_speaks_for_its_memories(person: Person) -> None:
    """Of equal memories, the one of the asked-for month comes first, and /why shows it."""
    await person.knows("User went hiking in the hills", days_ago=5)
    may = await person.knows(
        "User went hiking in the hills",
        days_ago=(NOW - datetime(2025, 5, 10, tzinfo=NOW.tzinfo)).days,
        pinned=True,
    )
    hits = (await person.ask("where did I go hiking in May?")).hits
    assert hits[0].memory.id == may.id
    assert hits[0].signals["time"] > 1
    assert "time" not in hits[1].signals


async def test_a_message_names_somebody(person: Person) -> None:
    """Who is spoken of should be known, also where nothing is asked."""
    await person.knows("Anna is the user's sister and lives in Lisbon", entities=("Anna",))
    assert texts(await person.ask("Anna called me today")) == [
        "Anna is the user's sister and lives in Lisbon"
    ]


async def test_the_same_question_twice(person: Person) -> None:
    """Ranking is deterministic."""
    for i in range(12):
        await person.knows(f"User owns boat {i}")
    first, second = [await person.ask("which boat do I own?") for _ in range(2)]
    assert [h.memory.id for h in first.hits] == [h.memory.id for h in second.hits]
    assert first.took_ms > 0
