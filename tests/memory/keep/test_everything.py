"""Everything let go of in one act; a purge to the last byte; and what was forgotten is not learned again."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memory import privacy
from memory.errors import NotFound
from memory.jobs import JobRunner
from memory.mirror import MirrorPlace
from memory.models import Layer, Memory, Message, Mode, Sensitivity, State
from memory.ports import Transaction
from tests.memory.keep.home import ANY, Home
from tests.memory.learn.world import TZ, summary


async def _filled(home: Home) -> dict[str, Memory]:
    """Memories in every state, a secret, an episode and a running summary, and things said that nobody learned."""
    await home.me.learn("I live in Lyon.", "[ADD kind=identity] Lives in Lyon", reply="Lyon!")
    lyon = await home.me.only()
    await home.me.learn("I moved to Paris.", f"[UPDATE:{lyon.id}] Lives in Paris", recalled=[lyon])
    await home.me.learn("I like tea.", "[ADD kind=preference] Likes tea")
    secret = await home.service.remember(
        home.user, "my wifi password is hunter22!", home.me.tick(), tz=TZ, scope=home.scope
    )
    assert secret.memory.sensitivity is Sensitivity.SECRET
    await home.me.learn("I may get a dog.", "[ADD] May get a dog", learning="ask")
    await home.me.say("By the way, Zanzibar was hot.")
    messages = await home.me.messages()
    payload = {"session_id": home.me.session.id, "after": 0, "through": messages[-1].seq}
    await home.me.work(
        "summarise", payload, summary("Lyon, Paris, tea", "They talked of Lyon and tea.")
    )

    def fade(tx: Transaction) -> None:
        tea = next(m for m in tx.memories.find(ANY).items if m.content == "Likes tea")
        tx.memories.put(replace(tea, state=State.FORGOTTEN), "forgotten")

    await home.write(fade)
    found = await home.service.find(home.user, ANY, limit=100)
    return {m.id: m for m in found.items}


async def test_everything_is_let_go_of_and_comes_back(home: Home) -> None:
    """In one act: every state, secrets and proposals, all that was said, summaries; an undo brings back all of it."""
    before = await _filled(home)
    said = await home.visible()
    assert {m.state for m in before.values()} >= {
        State.ACTIVE,
        State.SUPERSEDED,
        State.FORGOTTEN,
        State.PROPOSED,
    }
    assert await home.service.count_everything(home.user) == len(before)
    theirs = await home.other.remember("Likes snow")

    done = await home.service.forget_everything(home.user, home.me.tick())

    assert (len(done.memories), done.hidden) == (len(before), len(said))
    assert await home.service.count_everything(home.user) == 0
    assert await home.visible() == []
    assert (await home.me.fresh_session()).running_summary == ""
    for mode in Mode:
        found = await home.service.recall(
            home.user, "Lyon Paris tea dog Zanzibar wifi", [], home.me.tick(), TZ, mode=mode
        )
        if mode is not Mode.DEBUG:  # which shows what is deleted until it is purged
            assert not found.hits
    assert (await home.service.find(home.user, ANY, "tea")).items[0].state is State.DELETED
    assert await home.other.get(theirs.id) == theirs
    with pytest.raises(NotFound):
        await home.service.forget_everything(home.user, home.me.tick())

    undone = await home.service.undo(home.user, home.me.tick())
    assert undone.set_id == done.set_id
    after = {m.id: m for m in (await home.service.find(home.user, ANY, limit=100)).items}

    def plain(m: Memory) -> Memory:
        return replace(m, rev=0, deleted_at=None, weight=0.0)

    assert {i: plain(m) for i, m in after.items()} == {i: plain(m) for i, m in before.items()}
    assert await home.visible() == said
    secret = next(m for m in after.values() if m.sensitivity is Sensitivity.SECRET)
    assert await home.service.sealer.open(home.user, secret.id) is not None


async def test_nothing_said_before_is_learned_after_everything_went(home: Home) -> None:
    """Neither by what was waiting to be learned, nor when the conversation is closed and gone over."""
    turn = await home.me.say("I live in Lyon.")
    await home.service.forget_everything(home.user, home.me.tick())
    assert (await home.me.work("monitor", {"turn_ids": [turn]}))["outcome"] == "nothing"
    messages = await home.me.messages()
    payload = {"session_id": home.me.session.id, "through": messages[-1].seq}
    assert (await home.me.work("extract", payload))["outcome"] == "nothing"
    await home.me.learn(
        "I live in Lyon.", "[ADD kind=identity] Lives in Lyon"
    )  # said anew: their word
    assert await home.contents() == {"Lives in Lyon"}


@pytest.mark.parametrize(
    ("said", "memory", "again"),
    [
        ("I live in Lyon.", "Lives in Lyon", "Home is in Lyon"),
        ("我住在里昂。", "住在里昂", "家在里昂"),
    ],
)
async def test_the_same_session_gone_over_again(
    home: Home, said: str, memory: str, again: str
) -> None:
    """Forgotten in the middle of a session; /new closes it, and the extractor, whatever it answers, brings it not back."""
    await home.me.learn(said, f"[ADD kind=identity] {memory}", reply="OK")
    await home.forget(await home.me.only())
    await home.me.say("It rains today.", "So it does.")
    messages = await home.me.messages()
    payload = {"session_id": home.me.session.id, "through": messages[-1].seq}
    import json

    answer = json.dumps(
        [
            {"content": memory, "kind": "identity"},
            {"content": again, "kind": "identity", "said": [1]},
        ]
    )
    await home.me.work("extract", payload, answer)
    assert memory not in await home.contents()
    told = json.dumps(home.me.model.requests[-1].data, ensure_ascii=False)
    assert said.strip(".。") not in told  # nothing of it even reaches the model


async def test_ten_thousand_in_seconds(home: Home) -> None:
    """The writer is held for less than five seconds, also on a slow machine, for forgetting and for its undo."""
    n = 1_500

    pattern = await home.me.remember("Likes one thing")

    def fill(tx: Transaction, start: int) -> None:
        tx.changes.begin("user", "import", home.me.now)
        for i in range(start, start + 500):
            text = f"Likes thing number {i * 7} in place {i}"
            said = tx.conversations.add_message(
                Message("", home.me.session.id, None, home.user, "user", text, home.me.now, TZ)
            )
            m = tx.memories.add(replace(pattern, id="", content=text, original_content=text))
            tx.memories.add_source(m.id, said.id)

    for start in range(0, n, 500):
        await home.write(lambda tx, start=start: fill(tx, start))
    began = time.thread_time_ns(), time.process_time()
    done = await home.service.forget_everything(home.user, home.me.tick())
    forgot = time.process_time() - began[1]
    await home.service.undo(home.user, home.me.tick())
    undid = time.process_time() - began[1] - forgot
    assert len(done.memories) == n + 1
    assert await home.service.count_everything(home.user) == n + 1
    assert forgot < 5 * n / 10_000 * 2, (
        forgot
    )  # twice the room, for a machine that does other things
    assert undid < 5 * n / 10_000 * 4, undid


@pytest.mark.parametrize("name", ["Zanzibar", "桑给巴尔"])
async def test_purged_to_the_last_byte(home: Home, name: str) -> None:
    """Database, its log, MEMORY.md and its backups: after the purge and its scrub no file has the word in it."""
    place = home.path.parent
    mirror = home.service.keep_mirror(MirrorPlace(place, home.user, "en", TZ))
    said, kept = f"I grew up in {name}.", f"Grew up in {name}"
    await home.me.learn(
        said, f"[ADD kind=identity entities={name}] {kept}", reply=f"{name}, how warm!"
    )
    m = await home.me.only()
    await home.service.edit(home.user, m.id, f"I grew up near {name} town", home.me.tick())
    await home.me.learn(f"{name} again!", f"[BOOST:{m.id}]", recalled=[m], reply=f"Ah, {name}.")
    messages = await home.me.messages()
    span = {"session_id": home.me.session.id, "after": 0, "through": messages[-1].seq}
    await home.me.work(
        "summarise", span, summary(f"They talked about {name}", f"Of {name} and the heat.")
    )
    await home.write(
        lambda tx: tx.conversations.put_session(
            replace(tx.conversations.get_session(home.me.session.id), title=f"{name} days")
        )
    )
    await home.me.remember("Likes tea")
    for i in range(2):  # the file, then its backup
        await mirror.sync(home.user, home.me.tick())
        await home.me.remember(f"Likes snow and {i + 2} kinds of bread")
    await mirror.sync(home.user, home.me.tick())
    files = _files(place)
    assert {"ebb.db", "MEMORY.md", "MEMORY.md.bak"} <= {p.name for p in files}
    held = {p.name for p in files if _has(p, name)}
    assert {"MEMORY.md", "MEMORY.md.bak"} <= held
    assert held & {"ebb.db", "ebb.db-wal"}

    receipt = await home.service.purge(home.user, m.id, home.me.tick())

    places = receipt.places
    assert all(
        places[p] > 0
        for p in ("memories", "messages", "weight_log", "index", "entities", "changes", "mirror")
    )
    assert {
        "episodes",
        "summaries",
        "vectors",
        "jobs",
        "mirror_backups",
        "choices",
        "secrets",
        "traces",
    } <= set(places)
    killed = place / ".ebb-mirror-4711"  # by a process that was ended in the middle of writing
    killed.write_text(f"{name}\n", "utf-8")
    os.utime(killed, (0, 0))
    (waiting,) = await home.service.list_receipts(home.user)
    assert not waiting.scrubbed
    now = home.me.tick()
    runner = JobRunner(
        home.me.store, {"scrub": home.service.handlers["scrub"]}, lambda: now, worker=home.me.worker
    )
    await runner.drain(30)
    (done,) = await home.service.list_receipts(home.user)
    assert (done.scrubbed, done.scrubbed_at) == (True, now)
    assert [p.name for p in _files(place) if _has(p, name)] == []
    assert "Likes tea" in await home.contents()
    assert privacy.load_key(place) is not None


@pytest.mark.parametrize("what", ["fact", "episode"])
async def test_a_purge_takes_nothing_else_along(home: Home, what: str) -> None:
    """An episode comes from a whole conversation: what else was said in it stays, though the episode goes."""
    await home.me.learn(
        "I grew up in Zanzibar.", "[ADD kind=identity] Grew up in Zanzibar", reply="So far!"
    )
    birth = await home.me.only()
    await home.me.learn("我喜欢喝绿茶。", "[ADD kind=preference] 喜欢喝绿茶", reply="好的。")
    await home.me.say("We spoke of home and tea. It rains today.", "So it does.")
    messages = await home.me.messages()
    span = {"session_id": home.me.session.id, "after": 0, "through": messages[-1].seq}
    await home.me.work("summarise", span, summary("We spoke of home and tea", "Zanzibar and tea."))
    found = (await home.service.find(home.user, ANY, limit=100)).items
    episode = next(m for m in found if m.layer is Layer.EPISODE)
    about = birth if what == "fact" else episode

    receipt = await home.service.purge(home.user, about.id, home.me.tick())

    left = [m.text for m in await home.me.messages() if m.text]
    assert {"我喜欢喝绿茶。", "好的。", "So it does."} <= set(left)
    assert await home.service.get(home.user, about.id) is None
    if what == "fact":
        assert receipt.places["episodes"] == 1
        assert not any("Zanzibar" in text for text in left)
        assert "We spoke of home and tea. It rains today." in left
        assert await home.contents() == {"喜欢喝绿茶"}
    else:
        assert "I grew up in Zanzibar." in left
        assert await home.contents() == {"Grew up in Zanzibar", "喜欢喝绿茶"}


async def test_what_was_cleared_comes_back_but_for_what_was_purged_since(home: Home) -> None:
    """Everything forgotten, one thing of it erased for good: the undo of the last act brings back all the rest."""
    await home.me.learn(
        "I grew up in Zanzibar.", "[ADD kind=identity] Grew up in Zanzibar", reply="So far!"
    )
    birth = await home.me.only()
    await home.me.learn("我喜欢喝绿茶。", "[ADD kind=preference] 喜欢喝绿茶", reply="好的。")
    done = await home.service.forget_everything(home.user, home.me.tick())
    await home.service.purge(home.user, birth.id, home.me.tick())
    ((newest, left), *_) = await home.service.list_undoable(home.user)
    assert (newest.id, [m.original_content for m in left]) == (done.set_id, ["喜欢喝绿茶"])
    assert (await home.service.undo(home.user, home.me.tick())).set_id == done.set_id
    assert await home.contents() == {"喜欢喝绿茶"}
    assert await home.visible() == ["我喜欢喝绿茶。", "好的。"]


def _files(place: Path) -> list[Path]:
    return [p for p in place.rglob("*") if p.is_file()]


def _has(path: Path, word: str) -> bool:
    """In any of the ways it might stand there: as it is, folded, and apart as the index has it."""
    body = path.read_bytes()
    forms = {word, word.lower(), " ".join(word), word[1:]}
    return any(f.encode() in body or f.encode("utf-16-le") in body for f in forms)
