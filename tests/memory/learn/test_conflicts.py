"""The weight paper's three conflict strategies.

The latest wins for facts, versions are kept of tastes, both stand where it is unsure.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory.learn.merge import Claim, choose_strategy
from memory.lifecycle import compute_weight
from memory.models import Draft, Kind, Layer, Level, Memory, State
from tests.memory.learn.world import START, World

MOVED = {
    "en": ("Lives in Beijing Chaoyang", "I moved to Shanghai Pudong.", "Lives in Shanghai Pudong")
}
MOVED["zh"] = ("住在北京朝阳区", "我搬到上海浦东新区了。", "住在上海浦东新区")


def claim(text: str, **fields: Any) -> Claim:
    return Claim(Draft(text, **fields), START)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Kind.FACT, "latest_wins"),
        (Kind.IDENTITY, "latest_wins"),
        (Kind.TODO, "latest_wins"),
        (Kind.PREFERENCE, "version_keep"),
        (Kind.WHIM, "version_keep"),
    ],
)
async def test_the_strategy_is_by_kind(world: World, kind: Kind, expected: str) -> None:
    """The weight paper's table; little confidence, or an inference against what the user confirmed, leaves it open."""
    old = await world.remember("Has something", kind=kind)
    assert (
        choose_strategy(old, claim("x"))
        == choose_strategy(old, claim("x"), inferred=True)
        == expected
    )
    assert choose_strategy(old, claim("x", confidence=0.4)) == "weight_balance"
    for more in ({"verified": True}, {"pinned": True}, {"layer": Layer.CORE}):
        confirmed: Memory = replace(old, **more)
        assert choose_strategy(confirmed, claim("x"), inferred=True) == "weight_balance"
        assert choose_strategy(confirmed, claim("x")) == expected


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_latest_wins(world: World, lang: str) -> None:
    """The weight paper's move: the old address is over from the day it was said, the new one is FULL and names it."""
    was, said, now = MOVED[lang]
    old = await world.remember(was, kind=Kind.IDENTITY)
    await world.learn(said, f"[UPDATE:{old.id} kind=identity] {now}", recalled=[old])
    over, new = await world.get(old.id), await world.only()
    assert (over.state, over.valid_until) == (State.SUPERSEDED, new.created_at)
    assert (new.valid_from, new.valid_until) == (over.valid_until, None)
    assert (new.content, new.level, new.supersedes) == (now, Level.FULL, (old.id,))
    assert over.original_content == was


async def test_versions_are_kept(world: World) -> None:
    """The weight paper's coffee: the old taste stays, denied, 70% weaker, its date not refreshed; the new is FULL."""
    old = await world.remember("Likes coffee", kind=Kind.PREFERENCE)
    before = compute_weight(old, 1.0, world.now)
    turn = await world.say("Coffee? No, I can't stand it any more.")
    message = next(m for m in await world.messages() if m.turn_id == turn and m.role == "user")
    answer = json.dumps(
        [
            {
                "content": "Can't stand coffee",
                "kind": "preference",
                "contradicts": old.id,
                "said": [1],
            }
        ]
    )
    await world.work(
        "extract", {"session_id": world.session.id, "through": message.seq + 1}, answer
    )
    kept = await world.get(old.id)
    new = next(m for m in await world.all() if m.id != old.id)
    assert (kept.state, kept.negated_at, kept.valid_until) == (State.ACTIVE, message.at, message.at)
    assert kept.last_activated_at == old.last_activated_at
    assert compute_weight(kept, 1.0, message.at) == pytest.approx(0.3 * before, rel=1e-3)
    (entry,) = kept.correction_history
    assert (entry["reason"], entry["by"], entry["at"]) == (
        "negated",
        new.id,
        round(message.at.timestamp() * 1000),
    )
    assert (new.level, new.negated_at, new.valid_from) == (Level.FULL, None, kept.valid_until)


async def test_both_stand_where_it_is_unsure(world: World) -> None:
    """ "I may move to Paris": nothing ends; the old one goes on fading, and what mentions had given it is gone."""
    old = await world.remember("Lives in Lyon", kind=Kind.IDENTITY)
    await world.learn("I live in Lyon, you know.", f"[SAME:{old.id}]", recalled=[old])
    assert (await world.get(old.id)).curve_state.strength == 0.5
    world.tick()
    await world.learn(
        "I may be living in Paris soon, not sure.",
        f"[UPDATE:{old.id} confidence=0.3] May live in Paris",
        recalled=[old],
    )
    kept = await world.get(old.id)
    assert (kept.state, kept.negated_at, kept.valid_until) == (State.ACTIVE, None, None)
    assert kept.curve_state.strength == 0.0
    assert {m.content for m in await world.all()} == {"Lives in Lyon", "May live in Paris"}
    later = world.now + timedelta(days=200)
    assert compute_weight(kept, 1.0, later) < compute_weight(kept, 1.0, world.now)


async def test_a_denial_that_is_affirmed_again_leaves_no_scar(world: World) -> None:
    """Valid again, no longer denied, what had taken its place is over, and the history still tells of it."""
    old = await world.remember("Likes coffee", kind=Kind.PREFERENCE)
    await world.learn(
        "No more coffee.", f"[NEGATE:{old.id}] No longer likes coffee", recalled=[old]
    )
    world.now += timedelta(days=30)
    await world.learn(
        "I love coffee again!", f"[AFFIRM:{old.id}]", recalled=[await world.get(old.id)]
    )
    back = await world.get(old.id)
    assert (back.negated_at, back.valid_until, back.state) == (None, None, State.ACTIVE)
    assert [e["reason"] for e in back.correction_history] == ["negated"]
    (over,) = await world.all(State.SUPERSEDED)
    assert over.content == "No longer likes coffee"
    assert over.id in back.supersedes
    assert compute_weight(back, 1.0, world.now) > 1.3
