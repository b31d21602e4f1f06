"""Out and in again: nothing is lost, nothing comes twice, nothing comes back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory import api, lifecycle
from memory.embed import LexicalEmbedder
from memory.errors import Unreadable
from memory.learn.merge import Claim, Merger
from memory.models import (
    Draft,
    Filter,
    Hit,
    Kind,
    Layer,
    Level,
    Memory,
    Message,
    Recall,
    Sensitivity,
    Source,
    State,
)
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id, open_store
from memory.transfer import ImportCounts
from tests.memory.learn.world import START, TZ, ScriptedModel, save_draft

ANY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)


@dataclass
class Place:
    """A home of somebody's."""

    store: SqliteStore
    service: api.Memory
    user: str
    now: datetime = START

    def tick(self, **by: float) -> datetime:
        self.now += timedelta(**(by or {"minutes": 1}))
        return self.now

    async def remember(self, text: str) -> Memory:
        scope = f"user:{self.user}"
        return (
            await self.service.remember(self.user, text, self.tick(), tz=TZ, scope=scope)
        ).memory

    async def write(self, fn: Callable[[Transaction], Any]) -> Any:
        return await self.store.write(self.user, fn)

    async def texts(self, *states: State) -> set[str]:
        f = replace(ANY, states=frozenset(states or {State.ACTIVE}))
        return {
            m.original_content for m in (await self.service.find(self.user, f, limit=1000)).items
        }

    async def export(self, *, secrets: bool = False) -> str:
        out: list[str] = []
        await self.service.porter.export(self.user, out.append, secrets=secrets)
        return "".join(out)

    async def bring(self, text: str, *, dry_run: bool = False) -> ImportCounts:
        return await self.service.porter.bring(
            self.user, lambda: lines_of(text), self.tick(), dry_run=dry_run
        )


def lines_of(text: str) -> list[str]:
    """As a file gives them."""
    return [x + "\n" for x in text.split("\n")[:-1]]


@asynccontextmanager
async def a_place(home: Path, key: bytes = b"k" * 32) -> AsyncIterator[Place]:
    """A store of its own, with a key of its own."""
    store = await open_store(home / "ebb.db", clock=lambda: START, worker=make_worker_id(), key=key)
    try:
        user = await store.write_system(lambda s: s.create_user(START))
        embedder = LexicalEmbedder()
        await store.use_embedder(embedder.id, embedder.dim)
        service = api.Memory(store, model=ScriptedModel(), embedder=embedder, key=key)
        yield Place(store, service, user)
        await service.close()
    finally:
        await store.close()


@pytest.fixture
async def old(tmp_path: Path) -> AsyncIterator[Place]:
    """A home that was lived in."""
    (tmp_path / "old").mkdir()
    async with a_place(tmp_path / "old") as place:
        await lived_in(place)
        yield place


@pytest.fixture
async def new(tmp_path: Path) -> AsyncIterator[Place]:
    """An empty one, elsewhere, with another key."""
    (tmp_path / "new").mkdir()
    async with a_place(tmp_path / "new", b"n" * 32) as place:
        yield place


async def lived_in(place: Place) -> None:
    """Every sort of row: conversations, mentions, levels, corrections, a secret, what was forgotten and erased."""
    at = place.tick()
    scope = f"user:{place.user}"

    def talk(tx: Transaction) -> None:
        tx.changes.begin("user", "chat", at)
        tx.put_user(replace(tx.user(), lang="zh", tz=TZ, settings={"references": True}))
        c = tx.conversations
        first = c.open_session(scope, at)
        said = c.add_message(
            Message("", first.id, "t1", place.user, "user", "I love jazz\u2028and tea 🍵", at, TZ)
        )
        c.add_message(
            Message("", first.id, "t1", None, "assistant", "So do I.", at, TZ, reply_to=said.id)
        )
        again = c.add_message(Message("", first.id, "t2", place.user, "user", "jazz again", at, TZ))
        saved = save_draft(
            tx,
            Draft("我喜欢爵士乐", entities=("爵士乐",)),
            at,
            curve="fade",
            u=1.0,
            sources=[said.id],
        )
        assert saved.memory is not None
        tx.memories.add_mention(saved.memory.id, again.id, at)
        tx.traces.save(
            "t2",
            scope,
            Recall((Hit(saved.memory, 0.5, {"vector": 0.25}, {"recency": 1.01}, 0.9),)),
            [],
            at,
        )
        c.put_session(
            replace(first, title="jazz", summarised_through=said.seq, profile=(saved.memory.id,))
        )
        c.close_session(first.id, at, "new")
        c.open_session(scope, at)

    await place.write(talk)
    faded = await place.remember("I once tried to learn Vue in an old house")
    await place.write(
        lambda tx: tx.memories.put(replace(faded, level=Level.TAG, content="Vue"), "levelled")
    )
    party = await place.remember("my cousin's party is on 12 June every year")
    when: dict[str, Any] = {
        "on": place.now,
        "on_until": place.now,
        "repeats": "yearly",
        "precision": "day",
    }
    quiet: dict[str, Any] = {
        "close": True,
        "quiet_at": place.now,
        "quiet_words": "don't bring it up",
    }
    await place.write(
        lambda tx: tx.memories.put(replace(party, kind=Kind.EVENT, **when, **quiet), "updated")
    )
    await place.remember("my favourite colour is red")
    blue = await place.remember("my favourite colour is blue")
    await place.service.edit(place.user, blue.id, "my favourite colour is dark blue", place.tick())
    stamps = await place.remember("I collect stamps from Bhutan")
    await place.service.forget(place.user, [stamps.id], place.tick())
    gone = await place.remember("I was ill in the spring of 2019")
    await place.service.purge(place.user, gone.id, place.tick())
    await place.remember("my wifi password is hunter2xyz")
    pinned = await place.remember("I'm allergic to nuts")
    await place.service.pin(place.user, pinned.id, True, place.tick())
    await _changed_its_mind(place)


async def _changed_its_mind(place: Place) -> None:
    """What was denied, merged, proposed, undone, promoted; and an episode."""
    tea, chai = (
        await place.remember("I drink chai tea every day"),
        await place.remember("chai in the mornings"),
    )
    at = place.tick()

    def write(tx: Transaction) -> None:
        tx.changes.begin("monitor", "monitor", at)
        claim = Claim(Draft("The user can't stand brass bands any more"), at)
        brass = (
            Merger(tx, curve="score", u=1.3)
            .save(Claim(Draft("The user likes brass bands"), at))
            .memory
        )
        assert brass is not None
        assert Merger(tx, curve="fade", u=1.3).negate(brass, claim, at).outcome == "negated"
        tx.changes.begin("system", "upkeep", at)
        both = {tea.id: tea.original_content, chai.id: chai.original_content}
        base = replace(tea, merged_from=(chai.id,), original_contents=both, layer=Layer.CORE)
        stored = tx.memories.put(base, "merged")
        tx.memories.log(lifecycle.build_log_entry("merged", tea, stored, 1.0, at, "2 into one"))
        tx.memories.put(replace(chai, state=State.MERGED, merged_into=tea.id), "merged")
        derived = replace(
            tea, id="", content="likes spice", original_content="likes spice", state=State.PROPOSED
        )
        tx.memories.add(
            replace(derived, source_ids=(tea.id, brass.id), merged_from=(), original_contents={})
        )
        text = "[2026-01-05 09:00] Talked about tea"
        tx.memories.add(
            replace(
                tea,
                id="",
                content=text,
                original_content=text,
                kind=Kind.EPISODE,
                layer=Layer.EPISODE,
            )
        )

    await place.write(write)
    await place.remember("I keep two bicycles")
    await place.service.undo(place.user, place.tick())


async def test_the_same_bytes(old: Place, new: Place) -> None:
    """Export, import into an empty store, export: identical; with a key of its own, and a user of its own."""
    text = await old.export()
    assert text == await old.export()
    taken = await new.bring(text)
    memories = [json.loads(x) for x in lines_of(text) if '"type":"memory"' in x]
    assert taken.counts["memory.new"] == len(memories) >= 14
    assert {m["state"] for m in memories} == set(State) - {State.FORGOTTEN}
    assert any(m["negated_at"] for m in memories)
    assert any(m["merged_from"] for m in memories)
    assert any(m["on"] and m["repeats"] and m["close"] and m["quiet_at"] for m in memories)
    assert {m["layer"] for m in memories} >= {"core", "fact", "episode"}
    assert {m["curve"] for m in memories} == {"fade", "score"}
    assert await new.export() == text
    kinds = {json.loads(line)["type"] for line in lines_of(text)}
    assert len(text.splitlines()) == len(lines_of(text))
    assert kinds == {
        "ebb-memory",
        "user",
        "session",
        "message",
        "memory",
        "set",
        "tombstone",
        "trace",
        "end",
    }
    assert old.user not in text
    found = await new.service.find(new.user, ANY, text="爵士乐", limit=5)
    assert [m.content for m in found.items] == ["我喜欢爵士乐"]
    (m,) = found.items
    assert await new.store.read(new.user, lambda tx: tx.memories.list_weight_log(m.id)) != []
    assert await new.store.read(new.user, lambda tx: tx.jobs.list_pending("embed"))


async def test_the_past_comes_along(old: Place, new: Place) -> None:
    """What was known on a day, in the words it had, is known in the new store; nobody there hears of it as of news."""
    service = old.service
    vue = next(
        m for m in (await service.find(old.user, Filter())).items if "Vue" in m.original_content
    )
    before = old.now
    await service.edit(old.user, vue.id, "I once tried to learn Svelte", old.tick(days=30))
    await service.edit(old.user, vue.id, "I once tried to learn Elm", old.tick(days=30))
    await old.remember("I row in Graz")
    heard = await new.store.read(new.user, lambda tx: tx.changes.get_last_seq())
    new.now = old.tick(days=1)
    text = await old.export()
    taken = await new.bring(text)
    assert taken.counts["set.new"] > 5
    for at in (before, before + timedelta(days=31), old.now):
        here, there = [await p.service.list_known_at(p.user, at, limit=99) for p in (old, new)]
        assert [(m.id, m.content, m.level) for m in there.items] == [
            (m.id, m.content, m.level) for m in here.items
        ]
    assert {
        m.content for m in (await new.service.list_known_at(new.user, before, limit=99)).items
    } >= {"Vue"}
    news = await new.store.read(
        new.user, lambda tx: tx.changes.list_changes(after=heard, limit=10_000)
    )
    assert {c.set_id for c in news if c.entity == "memory"} == {taken.set_id}
    assert await new.export() == text
    assert (await new.bring(text)).set_id is None


async def test_what_was_changed_before_can_be_undone_in_the_new_store(
    old: Place, new: Place
) -> None:
    """By its id; the last change is the import itself."""
    nuts = next(
        m
        for m in (await old.service.find(old.user, Filter())).items
        if "nuts" in m.original_content
    )
    await old.service.edit(old.user, nuts.id, "I'm allergic to all nuts", old.tick())
    edited = await old.store.read(
        old.user, lambda tx: tx.changes.get_latest_change("memory", nuts.id)
    )
    assert edited is not None
    taken = await new.bring(await old.export())
    await new.service.undo(new.user, new.tick(), edited.set_id)
    assert "I'm allergic to nuts" in await new.texts()
    undone = await new.service.undo(new.user, new.tick(), taken.set_id)
    assert undone.reason == "transfer"
    assert await new.texts() == set()


async def test_homes_that_exchange_their_files_know_the_same_past(old: Place, new: Place) -> None:
    """There and back: what each did stands in both, each thing once; what was erased is told of nowhere."""
    await new.bring(await old.export())
    nuts = next(
        m
        for m in (await new.service.find(new.user, Filter())).items
        if "nuts" in m.original_content
    )
    jazz = (await new.service.find(new.user, Filter(), text="爵士乐")).items[0]
    new.now = old.tick(days=3)
    at = new.now
    await new.service.edit(new.user, nuts.id, "I'm allergic to all nuts", new.tick(days=1))
    await new.service.edit(new.user, nuts.id, "I'm allergic to walnuts", new.tick(days=1))
    await new.service.purge(new.user, jazz.id, new.tick())
    text = await new.export()
    assert "爵士乐" not in text
    old.now = new.tick()
    await old.bring(text)
    known = await old.service.list_known_at(old.user, at + timedelta(days=1, minutes=5), limit=99)
    assert "I'm allergic to all nuts" in {m.content for m in known.items}
    told = [json.loads(x) for x in lines_of(await old.export()) if '"type":"set"' in x]
    ids = [x["id"] for x in told]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "changes",
    [
        "x",
        [["created", "m", None, None]],
        [["renamed", "m", None, None, {}]],
        [["created", 7, None, None, {}]],
        [["created", "m", 3, None, {}]],
        [["updated", "m", None, {}, {}]],
        [["updated", "{id}", None, None, {"id": "x"}]],
    ],
)
async def test_a_past_that_cannot_be_read(old: Place, new: Place, changes: Any) -> None:
    """One sentence, and nothing is kept."""
    lines = lines_of(await old.export())
    i = next(n for n, x in enumerate(lines) if '"type":"set"' in x)
    line = json.loads(lines[i])
    own = json.loads(json.dumps(changes).replace("{id}", line["changes"][0][1]))
    lines[i] = json.dumps({**line, "changes": own}) + "\n"
    with pytest.raises(Unreadable):
        await new.bring("".join(lines))
    assert await new.texts(*State) == set()


async def test_secrets_stay_at_home_unless_asked_for(
    old: Place, new: Place, tmp_path: Path
) -> None:
    """A placeholder and a count; with the flag sealed, to be opened with the same key alone."""
    out: list[str] = []
    counts = await old.service.porter.export(old.user, out.append)
    assert counts.withheld == 1
    assert "hunter2" not in "".join(out)
    whole = await old.export(secrets=True)
    assert "hunter2" not in whole
    taken = await new.bring(whole)
    assert taken.counts["secret.locked"] == 1
    assert await new.export(secrets=True) == whole
    (tmp_path / "same").mkdir()
    async with a_place(tmp_path / "same") as same:
        await same.bring(whole)
        (secret,) = [
            m
            for m in (await same.service.find(same.user, ANY)).items
            if m.sensitivity is Sensitivity.SECRET
        ]
        assert (
            await same.service.sealer.open(same.user, secret.id) == "my wifi password is hunter2xyz"
        )


async def test_twice_changes_nothing(old: Place, new: Place) -> None:
    """The second time everything is there, and the dry run says so; nothing is written for it."""
    text = await old.export(secrets=True)
    rehearsed = (await new.bring(text, dry_run=True)).counts
    assert await new.texts(*State) == set()
    assert (await new.bring(text)).counts["memory.new"] == rehearsed["memory.new"]
    before = await new.store.read(new.user, lambda tx: tx.changes.get_last_seq())
    again = await new.bring(text)
    assert {k.partition(".")[2] for k in again.counts} == {"same"}
    assert again.set_id is None
    assert await new.store.read(new.user, lambda tx: tx.changes.get_last_seq()) == before
    assert await new.export(secrets=True) == text
    assert {k.partition(".")[2] for k in (await old.bring(text)).counts} <= {"same", "kept"}


async def test_forgotten_there_is_not_learned_here(old: Place, new: Place) -> None:
    """Tombstones are made anew with this store's key."""
    await new.bring(await old.export())

    def learn(tx: Transaction) -> str:
        tx.changes.begin("monitor", "monitor", START)
        draft = Draft("I collect stamps from Bhutan", source=Source.MONITOR)
        return save_draft(tx, draft, START, curve="fade", u=1.0, said_at=START).code

    assert await new.write(learn) == "tombstone"


async def test_never_over_what_is_newer(old: Place, new: Place) -> None:
    """An older state of a memory is left out, a newer one comes; the rest merges."""
    first = await old.export()
    await new.bring(first)
    jazz = (await old.service.find(old.user, Filter(), text="爵士乐")).items[0]
    nuts = (await old.service.find(old.user, Filter(), text="nuts")).items[0]
    await new.service.edit(new.user, jazz.id, "我喜欢自由爵士乐", new.tick(hours=2))
    await new.service.edit(new.user, jazz.id, "我喜欢最自由的爵士乐", new.tick())
    await old.service.edit(old.user, nuts.id, "I'm allergic to all nuts", old.tick())
    await old.remember("I moved a piano")
    taken = await new.bring(await old.export())
    assert {k: n for k, n in taken.counts.items() if k.startswith("memory.")} == {
        "memory.new": 1,
        "memory.newer": 1,
        "memory.older": 1,
        "memory.same": 13,
    }
    texts = await new.texts()
    assert {"我喜欢最自由的爵士乐", "I'm allergic to all nuts", "I moved a piano"} <= texts
    await new.service.undo(new.user, new.tick(), taken.set_id)
    texts = await new.texts()
    assert "I moved a piano" not in texts
    assert "I'm allergic to nuts" in texts


async def test_what_was_forgotten_here_does_not_come_back(old: Place, new: Place) -> None:
    """Neither deleted, nor erased, nor said again by a file."""
    text = await old.export()
    await new.bring(text)
    for words, purge in (("爵士乐", False), ("nuts", True)):
        m = (await new.service.find(new.user, Filter(), text=words)).items[0]
        if purge:
            await new.service.purge(new.user, m.id, new.tick())
        else:
            await new.service.forget(new.user, [m.id], new.tick())
    counts = (await new.bring(text)).counts
    assert (counts["memory.erased"], counts["memory.older"]) == (1, 1)
    assert not {"我喜欢爵士乐", "I'm allergic to nuts"} & await new.texts()


async def test_another_users_ids(old: Place) -> None:
    """Ids are unique in a store: a second person who takes the file gets their own, the same every time."""
    text = await old.export(secrets=True)
    other = await old.store.write_system(lambda s: s.create_user(START))
    guest = Place(old.store, old.service, other, old.now)
    await guest.bring(text)
    assert await guest.texts() == await old.texts()
    assert await old.export(secrets=True) == text
    before = await guest.export()
    assert {k.partition(".")[2] for k in (await guest.bring(text)).counts} <= {
        "same",
        "kept",
        "forgotten",
    }
    assert await guest.export() == before


@pytest.mark.parametrize(
    "spoil, said",
    [
        (lambda ls: [*ls[:3], "{oops\n", *ls[3:]], "Line 4 is no JSON"),
        (lambda ls: ls[:-1], "cut off"),
        (lambda ls: [*ls[:5], *ls[6:]], "lines were written"),
        (lambda ls: ls[1:], "Line 1 is not the header"),
        (lambda ls: [ls[0].replace('"version":1', '"version":9'), *ls[1:]], "version 9"),
        (lambda ls: [ls[0], '{"type":"riddle"}\n', *ls[1:]], "Line 2: nobody knows"),
        (lambda ls: [ls[0], '{"type":"memory","id":"abc"}\n', *ls[1:]], "Line 2: memory lacks"),
        (
            lambda ls: [x.replace('"kind":"preference"', '"kind":"hat"') for x in ls],
            "cannot be read",
        ),
        (lambda ls: [x for x in ls if '"type":"session"' not in x], "conversation of this message"),
        (lambda ls: [], "Line 1"),
    ],
)
async def test_bad_files(
    old: Place, new: Place, spoil: Callable[[list[str]], list[str]], said: str
) -> None:
    """One sentence with the line, and nothing half-imported."""
    spoilt = spoil(lines_of(await old.export()))
    for dry_run in (True, False):
        with pytest.raises(Unreadable, match=said):
            await new.service.porter.bring(new.user, lambda: spoilt, new.tick(), dry_run=dry_run)
    assert await new.texts(*State) == set()
