"""Simulated years: at the end nothing is missing, levels are as they should be, and a look back sees the layers."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from memory.lifecycle import compute_level, decide_action
from memory.models import Kind, Level, State
from tests.memory.lives import Lived

pytestmark = pytest.mark.timeout(300)  # the life is lived in whichever test comes first


def test_nothing_is_missing(life: Lived) -> None:
    """Every memory ever learned is there in some state, but for what its owner deleted more than 30 days ago."""
    last = life.checkpoints[-1].memories
    there = {m.id for m in last}
    assert there <= set(life.made)
    assert set(life.made) - there <= life.deleted
    assert all(m.original_content for m in last)
    deleted = [m for m in last if m.state is State.DELETED]
    assert all(
        m.deleted_at is not None and (life.checkpoints[-1].at - m.deleted_at).days <= 30
        for m in deleted
    )
    assert len(set(life.made) - there) < 60 < 200 < len(there)


def test_what_was_forgotten_or_superseded_is_still_told_apart(life: Lived) -> None:
    """And of what was once deleted nothing went that was not deleted for good by its owner: here, nothing."""
    states = {m.state for m in life.checkpoints[-1].memories}
    assert {State.ACTIVE, State.FORGOTTEN, State.SUPERSEDED} <= states
    for kind in Kind:
        assert any(m.kind is kind for m in life.checkpoints[-1].memories), kind


@pytest.mark.parametrize("n", [0, 2, 3])
def test_levels_after_a_night_are_what_the_weights_say(life: Lived, n: int) -> None:
    """Of all active memories; content follows: the whole words at FULL, never the whole words at the deepest."""
    checkpoint, waiting = life.checkpoints[n], 0
    for m in checkpoint.memories:
        if m.state is not State.ACTIVE or m.last_activated_at == checkpoint.at:
            continue
        assert decide_action(m, 1.0, checkpoint.at) != "forget"
        due = compute_level(m, 1.0, checkpoint.at)
        if m.level < due and due in {Level.SUMMARY, Level.TAG}:
            waiting += (
                1  # the model's text for it was refused, and is asked for again the next nights
            )
            continue
        assert m.level is due, m.id
        if m.level is Level.FULL:
            assert m.content == m.original_content
        elif (
            m.level in {Level.TRACE, Level.ARCHIVE}
            and m.sensitivity < 2
            and m.kind is not Kind.EPISODE
        ):
            assert m.content != m.original_content
    assert waiting <= 2


def test_all_five_levels_and_ever_fainter(life: Lived) -> None:
    """All are seen; what nobody speaks of is at day 30,000 nowhere above where it was at day 3,000."""
    year, _, later, last = (c.levels() for c in life.checkpoints)
    assert set(year) | set(later) | set(last) == {0, 1, 2, 3, 4}
    then = {m.id: m for m in life.checkpoints[2].memories}
    for m in life.checkpoints[3].memories:
        old = then.get(m.id)
        if (
            old is not None
            and old.last_activated_at == m.last_activated_at
            and old.state is m.state is State.ACTIVE
        ):
            same = (old.pinned, old.negated_at, old.original_content) == (
                m.pinned,
                m.negated_at,
                m.original_content,
            )
            assert not same or m.level >= old.level, m.id


def test_a_switch_of_curves_moves_no_level(life: Lived) -> None:
    """There and back, in the middle of it all: what was due at which level is due there still."""
    before, after = life.checkpoints[0], {m.id: m for m in life.checkpoints[1].memories}
    for m in before.memories:
        assert after[m.id].curve == "fade"
        waits = m.kind is Kind.TODO and m.expires_at is not None and m.expires_at > before.at
        if m.negated_at is None and not waits and m.state is State.ACTIVE:
            assert compute_level(after[m.id], 1.0, before.at) is compute_level(m, 1.0, before.at), (
                m.id
            )


def test_a_look_back_sees_the_layers(life: Lived) -> None:
    """Review mode, day 30,000: every level there is, and versions that were superseded."""
    hits = [h.memory for r in life.reviewed.values() for h in r.hits]
    assert {m.level for m in hits} == {Level(x) for x in life.checkpoints[-1].levels()}
    assert State.SUPERSEDED in {m.state for m in hits}
    assert not {m.state for m in hits} & {State.FORGOTTEN, State.DELETED}


def test_it_all_moves_to_another_store(life: Lived) -> None:
    """Export, import into an empty store, export: the same bytes; and each day looks back the same there."""
    assert life.again == life.exported
    kinds = Counter(json.loads(line)["type"] for line in life.exported.split("\n")[:-1])
    assert kinds["memory"] == len(life.checkpoints[-1].memories)
    assert kinds["set"] > 1000
    assert all(here == there for _, here, there in life.then)
    assert len({len(here) for _, here, _ in life.then}) > 3
