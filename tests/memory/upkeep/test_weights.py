"""A memory in outline weighs what it weighs with its words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import log2
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import lifecycle
from memory.lifecycle import (
    CURVES,
    apply_keep,
    compute_level,
    compute_weight,
    decide_action,
    move_to_curve,
    review_due,
    start_life,
)
from memory.lifecycle.fade import FadeCurve
from memory.models import Importance, Memory, MemoryOutline
from memory.upkeep.run import weigh
from tests.memory.aside import set_aside
from tests.memory.lifecycle.test_curves import T0, curves, lives, memory


def ms(at: datetime | None) -> int | None:
    return None if at is None else round(at.timestamp() * 1000)


def stored(m: Memory) -> Memory:
    """As the store keeps it: times cut to milliseconds."""

    def cut(at: datetime) -> datetime:
        return datetime.fromtimestamp(round(at.timestamp() * 1000) / 1000, UTC)

    return replace(
        m,
        curve_state=replace(m.curve_state, at=cut(m.curve_state.at)),
        created_at=cut(m.created_at),
        last_activated_at=cut(m.last_activated_at),
        importance_at=cut(m.importance_at),
        negated_at=cut(m.negated_at) if m.negated_at else None,
        expires_at=cut(m.expires_at) if m.expires_at else None,
        on=cut(m.on) if m.on else None,
        on_until=cut(m.on_until) if m.on_until else None,
        reviewed_at=cut(m.reviewed_at) if m.reviewed_at else None,
        recent_mentions=tuple(cut(t) for t in m.recent_mentions),
    )


def outline(m: Memory, place: int = 0) -> MemoryOutline:
    return MemoryOutline(
        place=place,
        id=m.id,
        rev=m.rev,
        state=m.state.value,
        layer=m.layer.value,
        kind=m.kind.value,
        curve=m.curve,
        level=int(m.level),
        weight=m.weight,
        strength=m.curve_state.strength,
        strength_at=ms(m.curve_state.at) or 0,
        curve_data=json.dumps(dict(m.curve_state.data), separators=(",", ":")),
        importance=m.importance,
        importance_at=ms(m.importance_at) or 0,
        created_at=ms(m.created_at) or 0,
        last_activated_at=ms(m.last_activated_at) or 0,
        activation_count=m.activation_count,
        recent_mentions=json.dumps([ms(t) for t in m.recent_mentions], separators=(",", ":")),
        sensitivity=int(m.sensitivity),
        pinned=int(m.pinned),
        expires_at=ms(m.expires_at),
        negated_at=ms(m.negated_at),
        reviewed_at=ms(m.reviewed_at),
        deleted_at=ms(m.deleted_at),
        verified=int(m.verified),
        close=int(m.close),
        on=ms(m.on),
        on_until=ms(m.on_until),
        repeats=m.repeats,
    )


REVIEWS = ["none", "deleted", "promotion", "decay"]


def reviewed(m: Memory, how: str, at: datetime) -> Memory:
    """As a review of that time left it: kept in one of the two, or with its date alone."""
    if how in {"promotion", "decay"}:
        return apply_keep(m, "promotion" if how == "promotion" else "decay", at)
    return replace(m, reviewed_at=at if how == "deleted" else None)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(lives(), st.booleans(), st.sampled_from(REVIEWS), curves), min_size=1, max_size=8
    ),
    st.one_of(st.floats(0, 40), st.floats(0, 4000)),
)
def test_outlines_say_what_the_memories_say(
    some: Sequence[tuple[tuple[Memory, float, datetime], bool, str, str]], gap: float
) -> None:
    """Weights to 1e-9, the same levels, verdicts and reviews, for every curve, kind and life."""
    now = max(life[2] for life, *_ in some) + timedelta(days=gap)
    u = some[0][0][1]
    memories = [
        stored(reviewed(set_aside(m) if aside else move_to_curve(m, curve, u, at), review, at))
        for (m, _, at), aside, review, curve in some
    ]
    seen = weigh([outline(m) for m in memories], u, now)
    for m, w in zip(memories, seen, strict=True):
        assert w.weight == pytest.approx(compute_weight(m, u, now), abs=1e-9)
        assert w.level == compute_level(m, u, now)
        assert w.forgets == (decide_action(m, u, now) == "forget")
        assert w.review == review_due(m, u, now)


def test_a_new_curve_needs_nothing_of_upkeep(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more entry of the registry is weighed like the others, CONTRIBUTING's example, which has no columns, too."""
    text = (Path(__file__).parents[3] / "CONTRIBUTING.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(@dataclass.*?class HalvingCurve.*?)```", text, re.S)
    scope = {**vars(lifecycle.curve), "replace": replace, "log2": log2}
    exec(example, scope)
    monkeypatch.setitem(CURVES, "halving", scope["HalvingCurve"]())
    monkeypatch.setitem(CURVES, "slow", FadeCurve(breakpoints=(0.1, 0.05, 0.02, 0.01)))
    now = T0 + timedelta(days=90)
    born = start_life(memory(expires_at=T0), Importance.LOW, "halving", T0)
    old = replace(memory(), recent_mentions=(T0 + timedelta(days=2), T0 + timedelta(days=5)))
    some = [stored(m) for m in (replace(memory(), curve="slow"), born, old)]
    some += [stored(move_to_curve(born, "slow", 1.0, now)), set_aside(stored(born))]
    for m, seen in zip(some, weigh(list(map(outline, some)), 1.0, now), strict=True):
        assert seen.weight == pytest.approx(compute_weight(m, 1.0, now))
        assert seen.level == compute_level(m, 1.0, now)
