"""What has to be corrected is shown: memories that only the conversation before points to."""

from __future__ import annotations

import json
from pathlib import Path

from memory.models import Kind
from memory.store import make_worker_id, open_store
from tests.eval.data import load_cases
from tests.memory.learn.world import START, World


async def test_the_monitor_is_shown_what_the_messages_before_are_about(tmp_path: Path) -> None:
    """ "No, Tuesday" finds the appointment that was spoken of, among some thirty memories."""
    cases = load_cases("references")
    people = list(dict.fromkeys(json.dumps(c["memories"]) for c in cases))
    missed = []
    worker = make_worker_id()
    store = await open_store(tmp_path / "ebb.db", clock=lambda: START, worker=worker, key=b"k" * 32)
    for memories in (people[0], people[-1]):
        user = await store.write_system(lambda s: s.create_user(START))
        session = await store.write(user, lambda tx: tx.conversations.open_session("talk", START))
        world = World(store, user, session, worker=worker)
        await store.use_embedder(world.embedder.id, world.embedder.dim)
        ids = {
            m["name"]: (await world.remember(m["text"], kind=Kind(m["kind"]))).id
            for m in json.loads(memories)
        }
        for case in (c for c in cases if json.dumps(c["memories"]) == memories):
            for role, text in case["earlier"]:
                await world.say(text) if role == "user" else await world.say("…", text)
            await world.learn(case["said"], "[SKIP]")
            shown = {r["id"] for r in world.model.requests[-1].data["reference"]}
            assert len(shown) <= 20
            missed += [case["id"]] if not {ids[n] for n in case["must"]} <= shown else []
    await store.close()
    assert len(missed) <= 1, missed
