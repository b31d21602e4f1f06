"""What must hold for every curve in the registry, whatever life a memory has."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.lifecycle import (
    CURVES,
    U,
    apply_event,
    compute_factors,
    compute_level,
    compute_weight,
    decide_action,
    is_set_aside,
    move_to_curve,
    start_life,
    to_milliseconds,
)
from memory.lifecycle.curve import (
    DAY,
    CurveEvent,
    count_idle_days,
    get_own_day,
    is_before_its_day,
    level_within,
)
from memory.models import KINDS, CurveState, Importance, Kind, Layer, Level, Memory, Sensitivity
from memory.store.rows import dump, memory_from_json, memory_to_json

T0 = datetime(2026, 1, 3, 9, 30, tzinfo=UTC)
USES: list[CurveEvent] = ["mention", "use", "boost", "affirm"]
EVENTS: list[CurveEvent] = [*USES, "negate", "contradicted", "lowered"]


def whole_ms(days: float) -> timedelta:
    """Times of events have the store's milliseconds."""
    return timedelta(milliseconds=round(days * 86_400_000))


gaps = st.floats(0, 4000, allow_nan=False).map(whole_ms)
short = st.one_of(st.floats(0, 2), st.floats(0, 400)).map(whole_ms)
speeds = st.sampled_from(sorted(U.values()))
curves = st.sampled_from(sorted(CURVES))


def memory(kind: Kind = Kind.FACT, **fields: object) -> Memory:
    m = Memory(
        id="k7f3a2",
        user_id="u",
        content="likes coffee",
        original_content="likes coffee",
        language="en",
        layer=Layer.FACT,
        kind=kind,
        created_at=T0,
        last_activated_at=T0,
        curve="fade",
        curve_state=CurveState(0.0, T0),
        importance=1.5,
        importance_at=T0,
    )
    return replace(m, **fields)  # type: ignore[arg-type]


def bounds(m: Memory, curve: str) -> tuple[float, float]:
    """The curve's, but episodes have the three-layer paper's rule and what is protected weighs at least 1."""
    low, high = CURVES[curve].bounds
    return (0.0, 1.0) if m.kind is Kind.EPISODE else (low, max(high, 1.0))


@st.composite
def lives(draw: st.DrawFn, events: list[CurveEvent] = EVENTS) -> tuple[Memory, float, datetime]:
    """A memory of any kind after up to eight events, the user's speed, and the time of the last event."""
    kind = draw(st.sampled_from(list(Kind)))
    m = memory(
        kind,
        layer=Layer.EPISODE
        if kind is Kind.EPISODE
        else draw(st.sampled_from([Layer.FACT, Layer.CORE, Layer.SYSTEM])),
        sensitivity=draw(st.sampled_from(list(Sensitivity))),
        pinned=draw(st.booleans()) and draw(st.booleans()),
        verified=draw(st.booleans()) and draw(st.booleans()),
        close=draw(st.booleans()) and draw(st.booleans()),
        expires_at=T0 + draw(short) if kind is Kind.TODO else None,
        on=T0 + draw(short) if kind is Kind.EVENT else None,
        repeats=draw(st.sampled_from([None, "yearly"])) if kind is Kind.EVENT else None,
    )
    m, u, now = (
        start_life(m, draw(st.sampled_from(list(Importance))), draw(curves), T0),
        draw(speeds),
        T0,
    )
    m = said_on(m, draw(st.sampled_from([0, 0, 3, 50])))
    for event in draw(st.lists(st.sampled_from([*events, *SWITCHES]), max_size=8)):
        now += draw(short)
        m = lived(m, event, u, now)
    return m, u, now


SWITCHES = [
    f"to {curve}" for curve in sorted(CURVES)
]  # EBB_CURVE is set anew, in the middle of a life


def lived(m: Memory, event: str, u: float, now: datetime) -> Memory:
    """The memory after an event or a switch."""
    if event in SWITCHES:
        curve = event.removeprefix("to ")
        return m if curve == m.curve else move_to_curve(m, curve, u, now)
    return apply_event(m, event, u, now)[0]  # type: ignore[arg-type]


def stored(m: Memory) -> Memory:
    """As the store gives it back: through JSON, times as milliseconds."""
    return memory_from_json(json.loads(dump(memory_to_json(m))))


@given(lives(), gaps)
def test_a_weight_is_bounded(life: tuple[Memory, float, datetime], gap: timedelta) -> None:
    """Within the curve's own bounds (and at least 1 for what is protected), at any time."""
    m, u, now = life
    low, high = bounds(m, m.curve)
    assert low <= compute_weight(m, u, now + gap) <= high


@given(lives(), gaps, gaps)
def test_a_weight_never_rises_without_use(
    life: tuple[Memory, float, datetime], first: timedelta, second: timedelta
) -> None:
    """Time alone takes, and never gives."""
    m, u, now = life
    assert compute_weight(m, u, now + first + second) <= compute_weight(m, u, now + first) + 1e-12


@given(lives(), gaps, st.sampled_from(USES))
def test_a_use_never_lowers(
    life: tuple[Memory, float, datetime], gap: timedelta, use: CurveEvent
) -> None:
    """Nor at once, nor compared with never having been used, at any later time; and the level comes up with it."""
    m, u, now = life
    used, log = apply_event(m, use, u, now + gap)
    assert used.weight >= compute_weight(m, u, now + gap) - 1e-12
    assert (log.old_weight, log.new_weight) == (compute_weight(m, u, now + gap), used.weight)
    assert used.level <= m.level
    later = now + gap + timedelta(days=100)
    assert compute_weight(used, u, later) >= compute_weight(m, u, later) - 1e-12


@given(lives(), gaps, st.sampled_from(USES), gaps)
def test_a_use_begins_anew(
    life: tuple[Memory, float, datetime], gap: timedelta, use: CurveEvent, then: timedelta
) -> None:
    """From then on it is idle since the use (a todo since its day), whatever a switch of curves had said before."""
    m, u, now = life
    used, _ = apply_event(m, use, u, now + gap)
    later = now + gap + then
    since = max(used.last_activated_at, get_own_day(used) or used.last_activated_at)
    assert count_idle_days(used, later) == (
        0.0 if is_before_its_day(used, later) else max(0.0, (later - since) / DAY)
    )
    assert not is_set_aside(used)


@given(lives(), gaps, st.sampled_from(["negate", "contradicted", "lowered"]))
def test_a_denial_never_raises(
    life: tuple[Memory, float, datetime], gap: timedelta, event: CurveEvent
) -> None:
    """Denied, contradicted or worn by a night: never stronger than before, also the second time."""
    m, u, now = life
    after, _ = apply_event(m, event, u, now + gap)
    assert after.weight <= compute_weight(m, u, now + gap) + 1e-12
    again, _ = apply_event(after, event, u, now + gap + timedelta(days=1))
    assert again.weight <= compute_weight(after, u, now + gap + timedelta(days=1)) + 1e-12


@given(lives(), gaps, st.floats(1.0, 3.0))
def test_more_strength_never_fades_faster(
    life: tuple[Memory, float, datetime], gap: timedelta, more: float
) -> None:
    """The stronger of two otherwise equal memories is never the weaker one later."""
    m, u, now = life
    state = m.curve_state
    top = {"fade": 0.5, "score": 1.0, "relevance": 1.0}.get(m.curve, 1e6)
    strength = min(max(state.strength, top * 1e-4) * more, top)
    assert (
        strength > state.strength or state.strength >= top or more == 1.0
    )  # or it would say nothing
    strong = replace(
        m,
        curve_state=replace(state, strength=max(strength, state.strength)),
        importance=m.importance * more,
        activation_count=m.activation_count + 1,
    )
    at = now
    for _ in range(4):
        assert compute_weight(strong, u, at) >= compute_weight(m, u, at) - 1e-12
        at += gap / 3


@given(lives(), gaps, st.integers(0, 50), st.integers(0, 50))
def test_more_days_never_fade_faster(
    life: tuple[Memory, float, datetime], gap: timedelta, some: int, more: int
) -> None:
    """Of two otherwise equal memories that said on more days weighs as much, and keeps as much of it."""
    m, u, now = life
    less, most = (said_on(m, n) for n in sorted((some, more)))
    for at in (now, now + gap / 2, now + gap):
        assert compute_weight(most, u, at) >= compute_weight(less, u, at)
    kept = [
        compute_factors(x, u, now + gap).get("time_weight", 1.0)
        / compute_factors(x, u, now).get("time_weight", 1.0)
        for x in (less, most)
    ]
    assert kept[1] >= kept[0] - 1e-12


def said_on(m: Memory, n: int) -> Memory:
    """The memory as if it had been said again on so many days."""
    data = {**m.curve_state.data, "spaced": n, "spaced_at": to_milliseconds(T0)}
    return replace(m, curve_state=replace(m.curve_state, data=data))


@given(lives(), gaps)
def test_the_user_factor_is_ordered(life: tuple[Memory, float, datetime], gap: timedelta) -> None:
    """Who forgets slowly remembers at least as well as others; who forgets fast, at most."""
    m, _, now = life
    slow, normal, fast = (
        compute_weight(m, U[name], now + gap) for name in ("slow", "normal", "fast")
    )
    assert slow >= normal >= fast


@given(lives(), gaps, gaps)
def test_evaluating_twice_equals_evaluating_once(
    life: tuple[Memory, float, datetime], first: timedelta, second: timedelta
) -> None:
    """A restart, or a nightly recomputation that caches the weight, changes nothing."""
    m, u, now = life
    cached = replace(m, weight=compute_weight(m, u, now + first))
    assert compute_weight(stored(cached), u, now + first + second) == compute_weight(
        m, u, now + first + second
    )


@given(
    curves,
    st.sampled_from([k for k in Kind if k is not Kind.EPISODE]),
    speeds,
    st.lists(st.tuples(short, st.sampled_from([*EVENTS, *SWITCHES])), max_size=8),
    gaps,
)
def test_a_life_with_restarts_is_the_same_life(
    curve: str, kind: Kind, u: float, events: list[tuple[timedelta, str]], gap: timedelta
) -> None:
    """Stored, reread and weighed before and after every event, or kept in memory all along: the same to the bit."""
    through = restarted = start_life(
        memory(kind, expires_at=T0 + 30 * DAY if kind is Kind.TODO else None),
        Importance.MEDIUM,
        curve,
        T0,
    )
    now = T0
    for wait, event in events:
        halfway = now + wait / 2
        restarted = stored(replace(restarted, weight=compute_weight(restarted, u, halfway)))
        now += wait
        through, restarted = lived(through, event, u, now), stored(lived(restarted, event, u, now))
    assert replace(restarted, weight=0.0) == replace(through, weight=0.0)
    assert compute_weight(restarted, u, now + gap) == compute_weight(through, u, now + gap)


@given(lives(), gaps)
def test_a_stored_state_gives_the_same_weight(
    life: tuple[Memory, float, datetime], gap: timedelta
) -> None:
    """The store keeps all that a weight is computed from."""
    m, u, now = life
    assert compute_weight(stored(m), u, now + gap) == compute_weight(m, u, now + gap)


@given(lives(), gaps)
def test_protected_memories_do_not_fade(
    life: tuple[Memory, float, datetime], gap: timedelta
) -> None:
    """Pinned ones weigh at least 1 and stay FULL for good; so do core and system ones that nobody denied."""
    m, u, now = life
    for shielded in (replace(m, pinned=True), replace(m, layer=Layer.CORE, negated_at=None)):
        assert compute_weight(shielded, u, now + gap) >= 1.0
        assert compute_level(shielded, u, now + gap) is Level.FULL


@given(lives(), gaps, curves)
def test_another_curve_can_take_over(
    life: tuple[Memory, float, datetime], gap: timedelta, curve: str
) -> None:
    """Whatever the life so far, the new curve starts within its bounds, and everything of the memory's own stays."""
    m, u, now = life
    moved = move_to_curve(m, curve, u, now + gap)
    low, high = bounds(m, curve)
    assert moved.curve == curve
    assert low <= moved.weight <= high
    assert decide_action(moved, u, now + gap + timedelta(days=30)) is not None
    own = {
        "curve": "",
        "curve_state": m.curve_state,
        "importance": 0.0,
        "importance_at": T0,
        "weight": 0.0,
    }
    assert replace(moved, **own) == replace(m, **own)  # type: ignore[arg-type]


@given(lives(), gaps, curves)
def test_a_switch_leaves_the_level(
    life: tuple[Memory, float, datetime], gap: timedelta, curve: str
) -> None:
    """It never jumps (under `fade` and `fsrs` a denial, and a todo's day to come, leave less room than that)."""
    m, u, now = life
    now += gap
    waiting = is_before_its_day(m, now)
    if (m.negated_at is None and not waiting) or curve in {"score", "importance"}:
        assert compute_level(move_to_curve(m, curve, u, now), u, now) is compute_level(m, u, now)


@pytest.mark.parametrize("old", sorted(CURVES))
def test_a_switch_to_any_other_curve(old: str) -> None:
    """Level and count of days stay at any age, and a few minutes later too."""
    m = said_on(start_life(memory(Kind.SKILL), Importance.HIGH, old, T0), 7)
    m, _ = apply_event(m, "mention", 1.0, T0 + 2 * DAY)
    for new, days in product(CURVES, (0, 40, 200, 1_000, 2_500, 4_000)):
        now = T0 + (2 + days) * DAY
        level, moved = compute_level(m, 1.0, now), move_to_curve(m, new, 1.0, now)
        assert compute_level(moved, 1.0, now) is compute_level(moved, 1.0, now + DAY / 99) is level
        assert moved.curve_state.data["spaced"] == 8


def test_a_switch_counts_the_days_without_use_anew_where_it_must() -> None:
    """A weight that only more than 3,000 idle days explain is not archived by them, but 3,000 days later."""
    m = said_on(start_life(memory(), Importance.MEDIUM, "score", T0), 50)
    m = replace(m, curve_state=replace(m.curve_state, strength=0.15))
    moved = move_to_curve(m, "fade", 1.0, T0)
    assert moved.weight == pytest.approx(0.15)
    assert count_idle_days(moved, T0) > 3_000
    denied, _ = apply_event(moved, "contradicted", 1.0, T0)
    assert compute_level(denied, 1.0, T0 + 2_999 * DAY) is not Level.ARCHIVE
    assert compute_level(denied, 1.0, T0 + 3_000 * DAY) is Level.ARCHIVE
    assert "unused_from" not in apply_event(denied, "use", 1.0, T0)[0].curve_state.data


def test_a_switch_leaves_the_slowest_in_its_archive() -> None:
    """Identity, of general sensitivity, of a slow forgetter, spoken of four times just now: at the bottom still."""
    m = start_life(
        memory(Kind.IDENTITY, sensitivity=Sensitivity.GENERAL), Importance.LOW, "importance", T0
    )
    for _ in range(4):
        m, _ = apply_event(m, "mention", 0.8, T0)
    m = replace(m, importance=0.29)
    assert compute_level(m, 0.8, T0) is Level.ARCHIVE
    for curve in sorted(CURVES):
        assert compute_level(move_to_curve(m, curve, 0.8, T0), 0.8, T0) is Level.ARCHIVE, curve


@given(lives(), gaps, curves)
def test_a_switch_keeps_the_weight(
    life: tuple[Memory, float, datetime], gap: timedelta, curve: str
) -> None:
    """As it was, wherever that weight is at the same level under the new curve and within its reach."""
    m, u, now = life
    now += gap
    old, new = CURVES[m.curve], CURVES[curve]
    w = old.compute_weight(m, u, now)
    waiting = is_before_its_day(m, now)
    reach = {"fade": KINDS[m.kind].factor, "relevance": 1.0, "score": 1.0, "fsrs": 1.0}.get(
        curve, 0.0
    )
    faintest = (
        0.13 if curve == "fsrs" else 0.06
    )  # the shortest stability, idle for as long as anything counts as idle
    clear = {level_within(new.breakpoints, x) for x in (w, w * 0.9)} == {old.find_level(m, w, now)}
    if (
        m.negated_at is None
        and not waiting
        and clear
        and faintest < w <= reach
        and w < new.bounds[1]
    ):
        moved = move_to_curve(m, curve, u, now)
        assert new.compute_weight(moved, u, now) == pytest.approx(w, abs=1e-6)


@given(lives(), gaps, curves)
def test_a_switch_there_and_back(
    life: tuple[Memory, float, datetime], gap: timedelta, curve: str
) -> None:
    """What is set aside, pinned, due or an episode is so under every curve, and no level is lost on the way."""
    m, u, now = life
    now += gap
    back = move_to_curve(move_to_curve(m, curve, u, now), m.curve, u, now)
    waiting = is_before_its_day(m, now)
    if m.negated_at is None and not waiting:
        assert compute_level(back, u, now) is compute_level(m, u, now)


@pytest.mark.parametrize("curve", sorted(CURVES))
@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("importance", list(Importance))
def test_a_new_memory_is_full(curve: str, kind: Kind, importance: Importance) -> None:
    """Whatever its kind and importance, and its weight says so too; nothing is to be done about it."""
    m = start_life(
        memory(kind, layer=Layer.EPISODE if kind is Kind.EPISODE else Layer.FACT),
        importance,
        curve,
        T0,
    )
    assert (m.level, compute_level(m, 1.0, T0)) == (Level.FULL, Level.FULL)
    assert m.weight == compute_weight(m, 1.0, T0)


@settings(max_examples=50)
@given(lives(USES), gaps)
def test_levels_only_deepen_with_time(life: tuple[Memory, float, datetime], gap: timedelta) -> None:
    """FULL, SUMMARY, TAG, TRACE, ARCHIVE: in this order, never back by itself."""
    m, u, now = life
    steps = [compute_level(m, u, now + gap * i) for i in range(6)]
    assert steps == sorted(steps)
