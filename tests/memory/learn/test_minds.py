"""Minds that change, and change back: in whatever order things are said, denied and taken back, none of it conflicts."""

from __future__ import annotations

import itertools
from datetime import timedelta
from pathlib import Path

import pytest

from memory.errors import Conflict, NotFound
from memory.learn.merge import Claim, Merger
from memory.learn.undo import undo
from memory.lifecycle import CURVES
from memory.models import Draft, Filter, Kind, Memory, State
from memory.ports import Transaction
from tests.memory.lives import Lives, lives

SAID = (
    "The user likes coffee",
    "The user no longer likes coffee",
    "The user likes tea",
    "The user lives in Rome",
    "The user lives in Oslo",
    "用户喜欢喝咖啡",
    "用户不喜欢咖啡了",
    "用户住在北京",
    "用户搬到上海了",
)
OPS = ("save", "save", "supersede", "negate", "contradict", "match", "boost", "affirm")


def exchange(w: Lives, tx: Transaction) -> None:
    """A message that says up to three things of what is known, each in one of the ways there are."""
    rng = w.rng
    message = w._say(tx, "…")
    tx.changes.begin("monitor", "monitor", w.now)
    g = Merger(tx, curve=rng.choice(sorted(CURVES)), u=1.0, proposing=rng.random() < 0.05)
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(SAID)
        draft = Draft(
            text,
            kind=rng.choice([Kind.PREFERENCE, Kind.FACT]),
            confidence=rng.choice([0.8, 0.8, 0.3]),
        )
        claim = Claim(draft, w.now, (message.id,), message.session_id)
        there = tx.memories.find(Filter(), limit=99).items
        op = rng.choice(OPS) if there else "save"
        old: Memory | None = tx.memories.get(rng.choice(there).id) if there else None
        if op == "save" or old is None:
            g.save(claim)
        elif op == "boost":
            g.boost(old, w.now, recalled=True)
        elif op == "affirm":
            if old.negated_at is not None:
                g.affirm(old, claim)
        elif op == "negate":
            g.negate(old, claim, w.now)
        else:
            {"match": g.match, "contradict": g.contradict, "supersede": g.supersede}[op](old, claim)


@pytest.mark.parametrize("seed", range(3))
async def test_nothing_conflicts_and_every_end_has_its_date(tmp_path: Path, seed: int) -> None:
    """What is over says since when, nothing is over by itself, and the log of each goes on from where it was."""
    async with lives(tmp_path / "ebb.db", seed=seed) as w:
        for _ in range(50):
            w.now += timedelta(minutes=w.rng.choice([1, 60, 3000]))
            await w.write(lambda tx: exchange(w, tx))
            if w.rng.random() < 0.03:
                try:
                    await w.write(lambda tx: undo(tx, w.now, 1.0))
                except (NotFound, Conflict):
                    pass  # there was nothing that could be
        memories = await w.all()
        assert len(memories) > 10
        assert {State.ACTIVE, State.SUPERSEDED} <= {m.state for m in memories}
        for m in memories:
            if m.state is State.SUPERSEDED or m.negated_at is not None:
                assert m.valid_until is not None, m
            assert m.id not in m.supersedes
            log = await w.read(lambda tx, m=m: tx.memories.list_weight_log(m.id))  # type: ignore[misc]
            assert all(b.before == a.after for a, b in itertools.pairwise(log))
