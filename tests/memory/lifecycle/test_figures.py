"""Every figure of the papers that agrees with its own formula, and what an event does to a memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import exp, log, prod

import pytest

from memory.lifecycle import (
    CURVES,
    apply_event,
    compute_counter,
    compute_factors,
    compute_level,
    compute_weight,
    decide_action,
    join_mentions,
    level_for_weight,
    mark_asked,
    part_mentions,
    review_due,
    revive_memory,
    start_life,
    wants_question,
)
from memory.lifecycle.fade import FadeCurve, conflict, momentum, semantic, w_time
from memory.lifecycle.fsrs import retrievability
from memory.lifecycle.weight_history import EPOCH, replay_log, simulate_memory
from memory.models import KINDS, CurveState, Importance, Kind, Layer, Level, Memory, Sensitivity

T0 = datetime(2026, 1, 3, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)


def memory(
    kind: Kind = Kind.FACT,
    curve: str = "fade",
    how: Importance = Importance.MEDIUM,
    **fields: object,
) -> Memory:
    m = Memory(
        id="k7f3a2",
        user_id="u",
        content="喜欢喝咖啡",
        original_content="喜欢喝咖啡",
        language="zh",
        layer=Layer.FACT,
        kind=kind,
        created_at=T0,
        last_activated_at=T0,
        curve=curve,
        curve_state=CurveState(0.0, T0),
        importance=1.5,
        importance_at=T0,
    )
    return start_life(replace(m, **fields), how, curve, T0)  # type: ignore[arg-type]


# --- fade (the weight paper, the fading-levels paper) ---


@pytest.mark.parametrize(("kind", "expected"), [(Kind.IDENTITY, 0.4545), (Kind.CONTEXT, 0.3077)])
def test_time_weight_after_half_a_year(kind: Kind, expected: float) -> None:
    """The weight paper's table: identity 0.4545, passing information 0.3077 after 180 days."""
    assert w_time(180, 1.0, KINDS[kind].factor) == pytest.approx(expected, abs=5e-5)
    assert compute_factors(memory(kind), 1.0, T0 + 180 * DAY)["time_weight"] == pytest.approx(
        expected, abs=5e-5
    )


@pytest.mark.parametrize(("t", "expected"), [(0, 1.50), (7, 1.35), (30, 1.11)])
def test_reinforcement(t: int, expected: float) -> None:
    """The weight paper's table of S, by the formula and after a real mention."""
    assert semantic(t) == pytest.approx(expected, abs=6e-3)
    m, _ = apply_event(memory(), "mention", 1.0, T0 + 5 * DAY)
    assert compute_factors(m, 1.0, T0 + (5 + t) * DAY)["semantic_boost"] == pytest.approx(
        expected, abs=6e-3
    )


@pytest.mark.parametrize(("t", "expected"), [(0, 1.00), (7, 0.95), (30, 0.82), (90, 0.58)])
def test_conflict(t: int, expected: float) -> None:
    """The weight paper's table of C; the immediate factor of 0.3 stands beside it."""
    assert conflict(t) == pytest.approx(expected, abs=6e-3)
    m, _ = apply_event(memory(), "negate", 1.0, T0 + 5 * DAY)
    found = compute_factors(m, 1.0, T0 + (5 + t) * DAY)
    assert found["conflict_penalty"] == pytest.approx(expected, abs=6e-3)
    assert found["negation"] == 0.3


@pytest.mark.parametrize(("n", "expected"), [(0, 1.00), (3, 1.23), (10, 1.30)])
def test_momentum(n: int, expected: float) -> None:
    """The weight paper's table of M, by the formula and after that many real mentions; after 3 days they are forgotten."""
    assert momentum(n) == pytest.approx(expected, abs=6e-3)
    m = memory()
    for i in range(n):
        m, _ = apply_event(m, "mention", 1.0, T0 + i * timedelta(hours=2))
    now = T0 + n * timedelta(hours=2)
    assert compute_factors(m, 1.0, now)["momentum"] == pytest.approx(expected, abs=6e-3)
    assert compute_factors(m, 1.0, now + 3 * DAY)["momentum"] == 1.0


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_memory_weighs_its_importance(kind: Kind) -> None:
    """With no time passed and nothing said of it, W = I (the weight paper's table of kinds)."""
    if kind is not Kind.EPISODE:
        assert memory(kind).weight == pytest.approx(KINDS[kind].factor)


def test_the_log_of_s2_can_be_replayed() -> None:
    """The weight is the product of the logged factors, clamped."""
    m, event = apply_event(memory(Kind.PREFERENCE), "mention", 1.0, T0 + 9 * DAY)
    assert set(event.factors) >= {
        "time_weight",
        "semantic_boost",
        "conflict_penalty",
        "importance",
        "momentum",
    }
    assert event.new_weight == min(3.0, prod(event.factors.values())) == m.weight
    assert event.factors["spacing"] == 1 + 0.5 * log(2)
    assert event.before["last_activated_at"] == round(T0.timestamp() * 1000)
    assert event.after["recent_mentions"] == [round((T0 + 9 * DAY).timestamp() * 1000)]


def test_s4_example_of_a_faded_coffee() -> None:
    """The fading-levels paper's table, I = 1: 0.77, 0.50, 0.25, 0.09 after 30, 100, 300, 1000 days, and their levels.

    Day 3000 is its last line, ARCHIVE, though the formula gives more (0.032) than it prints (0.003).
    """
    for t, expected in ((30, 0.77), (100, 0.50), (300, 0.25), (1000, 0.09)):
        assert w_time(t, 1.0, 1.0) == pytest.approx(expected, abs=6e-3)
    levels = [
        compute_level(memory(Kind.WHIM), 1.0, T0 + t * DAY)
        for t in (1, 100, 300, 1000, 2999.9, 3000)
    ]
    assert levels == [Level.FULL, Level.SUMMARY, Level.TAG, Level.TRACE, Level.TRACE, Level.ARCHIVE]
    used, _ = apply_event(memory(Kind.WHIM), "use", 1.0, T0 + 2000 * DAY)
    assert compute_level(used, 1.0, T0 + 4000 * DAY) is Level.TRACE
    assert compute_weight(memory(Kind.WHIM), 1.0, T0 + 30_000 * DAY) == 0.01


def test_a_clamped_memory_has_been_idle_for_180_days() -> None:
    """The weight paper asks both for ARCHIVE; at 180 days not even the weakest, denied at once, has come down to 0.01."""
    m, _ = apply_event(memory(Kind.CONTEXT), "negate", 1.3, T0)
    assert compute_weight(m, 1.3, T0 + 180 * DAY) > 0.01


SAID = (
    # hours after the message that it was learned from, and how many of these are a day apart
    ((), 0),
    ((0, 5, 23.9), 0),
    ((24,), 1),
    ((23, 24, 47, 48.5), 2),
    (tuple(range(0, 24 * 100, 6)), 50),
)


@pytest.mark.parametrize(("hours", "n"), SAID)
def test_what_is_said_on_other_days_fades_slower(hours: tuple[float, ...], n: int) -> None:
    """α / (1 + ln(1 + n)) and W · (1 + ½·ln(1 + n)), however many mentions are kept; 50 are counted."""
    m = memory()
    for h in hours:
        m, _ = apply_event(m, "mention", 1.0, T0 + timedelta(hours=h))
    last = timedelta(hours=hours[-1]) if hours else timedelta()
    now = T0 + last + 400 * DAY
    alpha = 0.01 / (1 + log(1 + n))
    expected = 1.1 / (1 + alpha / 1.1 * 400) * (1 + 0.5 * log(1 + n))
    expected *= 1 + m.curve_state.strength * exp(-0.05 * 400)
    assert compute_weight(m, 1.0, now) == pytest.approx(expected, abs=1e-12)
    kept = {k: v for k, v in m.curve_state.data.items() if k not in {"spaced", "spaced_at"}}
    old = replace(m, curve_state=replace(m.curve_state, data=kept))
    counted = compute_factors(old, 1.0, now)["spacing"]  # from before it was counted
    assert counted == pytest.approx(1 + 0.5 * log(1 + min(n, 8)))


def test_what_is_said_again_and_again_weighs_three_at_most() -> None:
    """And two as long as it was on one day."""
    m = memory(Kind.IDENTITY)
    for i in range(20):
        m, _ = apply_event(m, "mention", 1.0, T0 + i * timedelta(hours=1))
    assert m.weight == 2.0
    for i in range(1, 20):
        m, _ = apply_event(m, "mention", 1.0, T0 + i * DAY)
    assert m.weight == 3.0


def test_a_merge_counts_the_days_of_both() -> None:
    """Days that both were said on count once; what its part was is given back when it is undone."""
    one, two = memory(), memory()
    for day in (1, 2, 5):
        one, _ = apply_event(one, "mention", 1.0, T0 + day * DAY)
    for day in (2, 3, 9):
        two, _ = apply_event(two, "mention", 1.0, T0 + day * DAY)
    joined = join_mentions(one, [one, two])
    assert joined.curve_state.data["spaced"] == 5
    assert joined.recent_mentions == tuple(T0 + d * DAY for d in (1, 2, 3, 5, 9))
    since, _ = apply_event(joined, "mention", 1.0, T0 + 30 * DAY)
    parted = part_mentions(since, one, joined)
    assert parted.curve_state.data["spaced"] == 4
    assert parted.recent_mentions == tuple(T0 + d * DAY for d in (1, 2, 5, 30))
    assert join_mentions(memory(), [memory(), memory()]) == memory()


def test_s2s_own_log_line() -> None:
    """Its sample, a preference 11 days after a mention: 0.9220 · 1.2885 · 1.3 = 1.5443, "activated (1.54)"."""
    m, _ = apply_event(memory(Kind.PREFERENCE), "mention", 1.0, T0)
    found = compute_factors(m, 1.0, T0 + 11 * DAY)
    assert found["time_weight"] == pytest.approx(0.9220, abs=5e-5)
    assert found["semantic_boost"] == pytest.approx(1.2885, abs=1e-4)
    assert (found["conflict_penalty"], found["importance"], found["momentum"]) == (1.0, 1.3, 1.0)
    assert compute_weight(m, 1.0, T0 + 11 * DAY) == pytest.approx(1.5443, abs=3e-4)
    later, _ = apply_event(memory(Kind.PREFERENCE), "mention", 1.0, T0 + 30 * DAY)
    plain = FadeCurve(spaced=False).compute_weight(later, 1.0, T0 + 41 * DAY)
    assert plain == pytest.approx(1.5443, abs=3e-4)
    assert compute_weight(later, 1.0, T0 + 41 * DAY) > plain


@pytest.mark.parametrize(
    ("kind", "factor"),
    [
        (Kind.IDENTITY, 1.5),
        (Kind.PREFERENCE, 1.3),
        (Kind.WHIM, 0.9),
        (Kind.FACT, 1.1),
        (Kind.SKILL, 1.2),
        (Kind.CONTEXT, 0.8),
    ],
)
def test_s2s_table_of_kinds(kind: Kind, factor: float) -> None:
    """Importance I, and that the order of speeds is its order: slowest identity, fastest passing information."""
    assert KINDS[kind].factor == factor
    slower = [k for k in Kind if k is not Kind.EPISODE and KINDS[k].factor > factor]
    for t in (1, 30, 180, 3000):
        kept = compute_weight(memory(kind), 1.0, T0 + t * DAY) / factor
        assert all(
            compute_weight(memory(k), 1.0, T0 + t * DAY) / KINDS[k].factor > kept for k in slower
        )


def test_s2s_bounds() -> None:
    """Never above 2.0, however often it is spoken of in a day; never below 0.01, however long it is not, however denied."""
    m = memory(Kind.IDENTITY)
    for i in range(10):
        m, _ = apply_event(m, "mention", 1.0, T0 + timedelta(hours=i))
    assert m.weight == 2.0
    denied, _ = apply_event(m, "negate", 1.0, T0 + DAY)
    assert compute_weight(denied, 1.0, T0 + 100_000 * DAY) == 0.01


def test_s2_general_sensitivity_doubles_the_days() -> None:
    """ "threshold_days *= 2": every level lasts exactly twice as long."""
    open_, guarded = memory(), memory(sensitivity=Sensitivity.GENERAL)
    for t in (5, 60, 90, 400, 2000):
        assert compute_weight(guarded, 1.0, T0 + 2 * t * DAY) == pytest.approx(
            compute_weight(open_, 1.0, T0 + t * DAY)
        )


@pytest.mark.parametrize(
    ("w", "expected"),
    [
        (0.85, Level.FULL),
        (0.7001, Level.FULL),
        (0.7, Level.SUMMARY),
        (0.45, Level.SUMMARY),
        (0.3, Level.TAG),
        (0.18, Level.TAG),
        (0.1, Level.TRACE),
        (0.05, Level.TRACE),
        (0.01, Level.ARCHIVE),
        (0.008, Level.ARCHIVE),
    ],
)
def test_s4s_levels_by_weight(w: float, expected: Level) -> None:
    """Its table and its second example; a bound belongs to the level below it ("≤ 0.01", "> 0.3")."""
    assert level_for_weight(memory(), w, T0) is expected


def test_u_acts_in_the_rate_alone() -> None:
    """A fast forgetter's new memory is no stronger than anyone's."""
    m = memory()
    assert compute_weight(m, 1.3, T0) == compute_weight(m, 0.8, T0) == 1.1
    assert compute_weight(m, 1.3, T0 + 90 * DAY) == pytest.approx(1.1 / (1 + 0.01 * 1.3 / 1.1 * 90))


def test_general_sensitivity_fades_half_as_fast() -> None:
    """α × 0.5 at sensitivity 1; no other level changes the rate."""
    expected = {0: 0.01, 1: 0.005, 2: 0.01, 3: 0.01}
    for s, alpha in expected.items():
        found = compute_factors(memory(sensitivity=Sensitivity(s)), 1.0, T0 + 80 * DAY)[
            "time_weight"
        ]
        assert found == pytest.approx(1 / (1 + alpha / 1.1 * 80))


def test_frequent_reinforcement_needs_no_rule_of_its_own() -> None:
    """Three mentions within 24 h leave S at its most and M above 1.2."""
    m = memory()
    for hours in (0, 10, 20):
        m, event = apply_event(m, "mention", 1.0, T0 + timedelta(hours=hours))
        assert event.new_weight >= event.old_weight
    assert m.curve_state.strength == 0.5
    assert compute_factors(m, 1.0, T0 + timedelta(hours=20))["momentum"] >= 1.2


def test_a_boost_is_no_mention() -> None:
    """It activates and moves the counter; S, M and the mentions are as before. An act of the owner moves no counter."""
    used, _ = apply_event(memory(), "use", 1.0, T0 + 9 * DAY)
    boosted, _ = apply_event(memory(), "boost", 1.0, T0 + 9 * DAY)
    assert (boosted.last_activated_at, boosted.activation_count) == (T0 + 9 * DAY, 1)
    assert (boosted.recent_mentions, boosted.curve_state.strength, boosted.weight) == (
        (),
        0.0,
        memory().weight,
    )
    assert replace(boosted, importance=used.importance) == used
    assert boosted.importance == pytest.approx(used.importance + 0.3)


def test_a_negation_neither_activates_nor_rewrites() -> None:
    """Weight down by 70% at once; dates, level and words as they were; the pin is gone, validity ends."""
    now = T0 + 3 * DAY
    m, event = apply_event(memory(pinned=True), "negate", 1.0, now)
    assert (m.pinned, m.negated_at, m.valid_until) == (False, now, now)
    assert (m.last_activated_at, m.activation_count, m.level, m.content) == (
        T0,
        0,
        Level.FULL,
        "喜欢喝咖啡",
    )
    assert event.new_weight == pytest.approx(0.3 * compute_weight(memory(), 1.0, now))


def test_a_denied_core_memory_fades_and_comes_back() -> None:
    """Negating suspends the shield of `core`; affirming restores it."""
    core = memory(layer=Layer.CORE)
    denied, _ = apply_event(core, "negate", 1.0, T0 + DAY)
    assert denied.weight < 0.4
    affirmed, _ = apply_event(denied, "affirm", 1.0, T0 + 400 * DAY)
    assert affirmed.weight >= 1.0
    assert (affirmed.negated_at, affirmed.valid_until, affirmed.last_activated_at) == (
        None,
        None,
        T0 + 400 * DAY,
    )


def test_an_affirmation_leaves_another_end_of_validity_alone() -> None:
    """Only what the negation itself had ended becomes valid again."""
    until = T0 + DAY
    denied, _ = apply_event(memory(valid_until=until), "negate", 1.0, T0 + 2 * DAY)
    affirmed, _ = apply_event(denied, "affirm", 1.0, T0 + 3 * DAY)
    assert affirmed.valid_until == until


@pytest.mark.parametrize("event", ["mention", "boost"])
def test_a_use_brings_the_original_back(event: str) -> None:
    """Content and level of what had faded come back in its own words."""
    faded = replace(memory(), content="喜欢饮品", level=Level.TAG)
    m, _ = apply_event(faded, event, 1.0, T0 + 500 * DAY)  # type: ignore[arg-type]
    assert (m.level, m.content) == (Level.FULL, "喜欢喝咖啡")


def test_a_mention_of_something_long_denied_does_not_make_it_full() -> None:
    """Content follows the level after the event, and a denial still weighs."""
    denied, _ = apply_event(memory(), "negate", 1.0, T0)
    m, _ = apply_event(
        replace(denied, level=Level.ARCHIVE, content="历史痕迹：饮品"),
        "mention",
        1.0,
        T0 + 900 * DAY,
    )
    assert m.level is compute_level(m, 1.0, T0 + 900 * DAY) is Level.TAG
    assert m.content == "喜欢喝咖啡"


# --- todos and episodes ---


@pytest.mark.parametrize("curve", ["fade", "importance", "score", "relevance", "fsrs"])
def test_a_todo_waits_for_its_day(curve: str) -> None:
    """It fades from its due time, is archived 14 days after, or 3 after the question; a word keeps it."""
    due = T0 + 200 * DAY
    m = memory(Kind.TODO, curve, expires_at=due)
    assert compute_weight(m, 1.0, due) == m.weight
    assert compute_level(m, 1.0, due + timedelta(days=5)) is Level.FULL
    assert compute_level(m, 1.0, due + 14 * DAY) is Level.ARCHIVE
    assert decide_action(m, 1.0, due + 14 * DAY) == Level.ARCHIVE
    asked = mark_asked(m, due + DAY)
    assert [compute_level(asked, 1.0, due + n * DAY) for n in (3, 4)] == [Level.FULL, Level.ARCHIVE]
    assert [wants_question(x, due + DAY) for x in (m, asked)] == [True, False]
    spoken, _ = apply_event(m, "mention", 1.0, due + DAY)
    assert compute_level(spoken, 1.0, due + DAY) is Level.FULL


@pytest.mark.parametrize("curve", ["fade", "importance", "score", "relevance", "fsrs"])
def test_an_event_waits_for_its_day_and_an_instruction_never_fades(curve: str) -> None:
    """An event fades from a week after its last day on, and never expires; a repeated one not at all."""
    m = memory(Kind.EVENT, curve, on=T0 + 190 * DAY, on_until=T0 + 200 * DAY)
    assert compute_weight(m, 1.0, T0 + 207 * DAY) == m.weight
    assert compute_level(m, 1.0, T0 + 208 * DAY) is Level.FULL
    assert compute_weight(m, 1.0, T0 + 300 * DAY) < m.weight
    assert compute_weight(replace(m, repeats="yearly"), 1.0, T0 + 3_000 * DAY) == m.weight
    told = memory(Kind.INSTRUCTION, curve)
    assert decide_action(told, 1.0, T0 + 3_000 * DAY) in {"keep", "decay"}
    assert compute_level(told, 1.0, T0 + 3_000 * DAY) is Level.FULL


@pytest.mark.parametrize("curve", ["fade", "importance", "score", "relevance", "fsrs"])
def test_episodes_keep_their_own_rule(curve: str) -> None:
    """1.0 for 7 days, then ×0.8 a day; whole until day 14 whatever the weight, then ARCHIVE; never reviewed."""
    m = memory(Kind.EPISODE, curve, layer=Layer.EPISODE)
    for t, expected in ((0, 1.0), (7, 1.0), (8, 0.8), (10, 0.512), (13.5, 0.8**6.5)):
        assert compute_weight(m, 1.3, T0 + t * DAY) == pytest.approx(expected)
        assert compute_level(m, 1.0, T0 + t * DAY) is Level.FULL
    assert decide_action(m, 1.0, T0 + 14 * DAY) == Level.ARCHIVE
    assert review_due(m, 1.0, T0 + 100 * DAY) is None


# --- the three-layer paper's counter ---


@pytest.mark.parametrize(
    ("how", "first"), [(Importance.HIGH, 2.0), (Importance.MEDIUM, 1.5), (Importance.LOW, 1.0)]
)
def test_the_counter_starts_by_importance_and_decays_after_a_week(
    how: Importance, first: float
) -> None:
    """×0.95 a day once 7 days have passed without activation."""
    m = memory(how=how)
    assert compute_counter(m, 1.0, T0 + 7 * DAY) == first
    assert compute_counter(m, 1.0, T0 + 10 * DAY) == pytest.approx(first * 0.95**3)


def test_the_counter_is_the_same_under_every_curve() -> None:
    """It is kept whatever curve gives the weight."""
    lives = []
    for curve in ("fade", "importance", "score", "relevance", "fsrs"):
        m = memory(curve=curve)
        for t, event in ((2, "boost"), (20, "mention"), (40, "negate"), (41, "boost")):
            m, _ = apply_event(m, event, 1.0, T0 + t * DAY)  # type: ignore[arg-type]
        lives.append(compute_counter(m, 1.0, T0 + 60 * DAY))
    assert lives == [lives[0]] * 5


def test_boosts_lead_to_the_reviewer_and_then_to_core() -> None:
    """2.5 asks for a promotion, after a KEEP the question rests for 30 days, 3.0 makes core (the three-layer paper)."""
    m = memory(Kind.SKILL, how=Importance.HIGH, recent_mentions=(T0 + DAY,))
    m, _ = apply_event(m, "boost", 1.0, T0 + DAY)
    assert decide_action(m, 1.0, T0 + DAY) == "keep"
    m, _ = apply_event(m, "boost", 1.0, T0 + 2 * DAY)
    assert decide_action(m, 1.0, T0 + 2 * DAY) == "promotion"
    kept = replace(m, reviewed_at=T0 + 2 * DAY)
    assert decide_action(kept, 1.0, T0 + 3 * DAY) == "keep"
    m, _ = apply_event(m, "boost", 1.0, T0 + 3 * DAY)
    assert m.layer is Layer.FACT
    m, event = apply_event(m, "boost", 1.0, T0 + 4 * DAY)
    assert (m.layer, event.after["layer"]) == (Layer.CORE, "core")
    assert decide_action(m, 1.0, T0 + 4000 * DAY) == "keep"
    assert compute_counter(m, 1.0, T0 + 4000 * DAY) == m.importance


@pytest.mark.parametrize("kind", list(Kind))
def test_core_takes_a_lasting_sort_and_two_days_or_the_persons_word(kind: Kind) -> None:
    """However often it shapes replies, what was said once, or passes, is never core, nor asked about."""
    lasting = kind in {
        *(Kind.IDENTITY, Kind.HEALTH, Kind.PREFERENCE),
        *(Kind.SKILL, Kind.LESSON, Kind.WORKFLOW),
    }
    same_day = memory(kind, recent_mentions=(T0 + timedelta(hours=2),))
    for m, said in (
        (same_day, False),
        (replace(same_day, verified=True), True),
        (memory(kind), True),
    ):
        now = T0 + 2 * DAY
        if m.recent_mentions == () and said:
            m, _ = apply_event(m, "mention", 1.0, now)  # noqa: PLW2901 - on the second day
        assert (review_due(replace(m, importance=2.6), 1.0, now) == "promotion") is (
            lasting and said
        )
        after, _ = apply_event(replace(m, importance=2.9), "boost", 1.0, now)
        assert (after.layer is Layer.CORE) is (lasting and said)


@pytest.mark.parametrize("curve", ["fade", "importance", "score", "relevance", "fsrs"])
def test_a_low_counter_asks_whether_to_keep_under_importance_alone(curve: str) -> None:
    """Below 0.5, once the level is as it should be; never of what is verified, pinned or standing."""
    m = memory(curve=curve, how=Importance.LOW)
    assert compute_counter(m, 1.0, T0 + 21 * DAY) < 0.5 <= compute_counter(m, 1.0, T0 + 20 * DAY)
    at = T0 + 21 * DAY
    faded = replace(m, level=compute_level(m, 1.0, at))
    assert (decide_action(faded, 1.0, at) == "decay") is (curve == "importance")
    spared = [
        replace(faded, verified=True),
        replace(faded, close=True),
        replace(faded, kind=Kind.INSTRUCTION),
    ]
    for other in (*spared, replace(faded, kind=Kind.HEALTH), replace(faded, pinned=True)):
        assert review_due(other, 1.0, at) is None
        assert decide_action(other, 1.0, T0 + 4000 * DAY) != "forget"


@pytest.mark.parametrize("curve", ["fade", "importance", "score", "relevance", "fsrs"])
def test_what_its_owner_brings_back_is_whole_and_stays(curve: str) -> None:
    """In its own words, active and strong: the next night finds nothing to do about it."""
    now = T0 + 3000 * DAY
    back, log = revive_memory(
        replace(memory(curve=curve), level=Level.ARCHIVE, content="…"), 1.3, now
    )
    assert (back.level, back.content, log.event) == (Level.FULL, back.original_content, "restored")
    assert decide_action(back, 1.3, now + DAY) == "keep"


def test_importance_forgets_below_three_tenths() -> None:
    """The counter is the weight: 1.0 · 0.95^24 = 0.292 (the three-layer paper)."""
    m = memory(curve="importance", how=Importance.LOW)
    assert compute_weight(m, 1.0, T0 + 30 * DAY) == pytest.approx(0.95**23)
    assert decide_action(m, 1.0, T0 + 30 * DAY) != "forget"
    assert decide_action(m, 1.0, T0 + 31 * DAY) == "forget"


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ("fade", (0.7, 0.3, 0.1, 0.01)),
        ("importance", (0.5, 0.45, 0.4, 0.3)),
        ("score", (0.35, 0.2, 0.1, 0.05)),
        ("relevance", (0.3, 0.2, 0.15, 0.1)),
        ("fsrs", (0.7, 0.5, 0.4, 0.3)),
    ],
)
def test_each_curves_own_breakpoints(curve: str, expected: tuple[float, ...]) -> None:
    """And where its paper deletes, it forgets: `importance`, `score` and `relevance`; `fade` never does."""
    assert CURVES[curve].breakpoints == expected
    forgets = {"importance": 0.3, "score": 0.05, "relevance": 0.1}
    assert CURVES[curve].forgets_below == forgets.get(curve)


def test_a_pin_keeps_the_counter_where_it_was() -> None:
    """Protected memories keep theirs, so a year under a pin costs nothing of it when the pin is taken."""
    m = memory(pinned=True, how=Importance.HIGH)
    assert compute_counter(m, 1.0, T0 + 365 * DAY) == 2.0


# --- score (the session paper), relevance (the product paper), fsrs ---


def test_score_accumulates_with_diminishing_returns() -> None:
    """The session paper's own example: 0.6 → 0.68 → 0.744, and never past 1."""
    m = memory(curve="score")
    assert m.weight == 0.6
    for expected in (0.68, 0.744):
        m, _ = apply_event(m, "mention", 1.0, T0)
        assert m.weight == pytest.approx(expected)
    for _ in range(100):
        m, _ = apply_event(m, "boost", 1.0, T0)
    assert m.weight <= 1.0


@pytest.mark.parametrize(
    ("how", "first"), [(Importance.HIGH, 0.8), (Importance.MEDIUM, 0.6), (Importance.LOW, 0.4)]
)
def test_score_keeps_for_a_week_and_then_loses_a_hundredth_a_day(
    how: Importance, first: float
) -> None:
    """0.99^(days−7), each day counted once."""
    m = memory(curve="score", how=how)
    assert compute_weight(m, 1.0, T0 + 7 * DAY) == first
    assert compute_weight(m, 1.0, T0 + 50 * DAY) == pytest.approx(first * 0.99**43)
    contradicted, _ = apply_event(m, "contradicted", 1.0, T0 + 20 * DAY)
    assert contradicted.weight == pytest.approx(first * 0.99**13 * 0.5)
    assert compute_weight(contradicted, 1.0, T0 + 50 * DAY) == pytest.approx(first * 0.99**43 * 0.5)


def test_score_is_forgotten_below_a_twentieth() -> None:
    """0.4 · 0.99^n < 0.05 from the 207th day after the week on (the session paper)."""
    m = memory(curve="score", how=Importance.LOW)
    assert decide_action(m, 1.0, T0 + (7 + 206) * DAY) == Level.TRACE
    assert decide_action(m, 1.0, T0 + (7 + 207) * DAY) == "forget"


@pytest.mark.parametrize(
    ("kind", "importance"),
    [
        (Kind.PREFERENCE, 0.9),
        (Kind.FACT, 0.8),
        (Kind.LESSON, 0.85),
        (Kind.GOAL, 0.7),
        (Kind.TODO, 0.7),
        (Kind.CONTEXT, 0.4),
        (Kind.IDENTITY, 0.9),
        (Kind.WHIM, 0.5),
        (Kind.SKILL, 0.8),
        (Kind.WORKFLOW, 0.8),
        (Kind.DECISION, 0.8),
    ],
)
def test_relevance_is_s1s_formula(kind: Kind, importance: float) -> None:
    """exp(−0.01·days)·(1+ln(1+activations))·importance."""
    m = memory(kind, "relevance")
    assert compute_weight(m, 1.0, T0 + 50 * DAY) == pytest.approx(exp(-0.5) * importance)
    for i in range(3):
        m, _ = apply_event(m, "mention", 1.0, T0 + i * DAY)
    assert compute_weight(m, 1.0, T0 + 52 * DAY) == pytest.approx(
        exp(-0.5) * (1 + log(4)) * importance
    )


def test_score_is_archived_below_a_fifth() -> None:
    """The session paper: 0.2 is still active, below it is not: TAG is the first level that recall leaves alone."""
    m = memory(curve="score", how=Importance.LOW)
    assert compute_level(m, 1.0, T0 + (7 + 68) * DAY) is Level.SUMMARY  # 0.4 · 0.99^68 = 0.2019
    assert compute_level(m, 1.0, T0 + (7 + 69) * DAY) is Level.TAG  # 0.1999


def test_relevance_has_s1s_thresholds() -> None:
    """Lowered below 0.3, forgotten below 0.1."""
    curve = CURVES["relevance"]
    assert (curve.lowers_below, curve.forgets_below) == (0.3, 0.1)
    m = memory(Kind.PREFERENCE, "relevance")
    assert (
        compute_weight(m, 1.0, T0 + 25 * DAY) > 0.7 > compute_weight(m, 1.0, T0 + 26 * DAY)
    )  # 0.9 · e^-0.25 = 0.7009


def test_a_night_lowers_relevance_by_a_tenth() -> None:
    """A dated event, so that a life can be replayed; below 0.1 the memory is forgotten."""
    m = memory(curve="relevance")
    now = T0 + 110 * DAY
    assert compute_weight(m, 1.0, now) < 0.3
    worn, event = apply_event(m, "lowered", 1.0, now)
    assert worn.weight == pytest.approx(0.9 * compute_weight(m, 1.0, now))
    assert (event.event, worn.last_activated_at, worn.activation_count) == ("lowered", T0, 0)
    assert decide_action(m, 1.0, T0 + 200 * DAY) != "forget"
    assert decide_action(m, 1.0, T0 + 210 * DAY) == "forget"


def test_fsrs_is_the_published_curve() -> None:
    """R is 1 at 0 and 0.9 at the stability; the first stabilities are the package's defaults for FSRS-6."""
    assert retrievability(0, 5.0) == 1.0
    assert retrievability(5.0, 5.0) == pytest.approx(0.9)
    firsts = [memory(curve="fsrs", how=how).curve_state.strength for how in Importance]
    assert firsts == pytest.approx([8.2956, 2.3065, 1.2931])


def test_fsrs_agrees_with_the_package_on_whole_days() -> None:
    """The package rounds days down; on whole ones both say the same."""
    from fsrs import Card, Rating, Scheduler

    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    card, _ = scheduler.review_card(Card(card_id=1, due=T0), Rating.Good, T0)
    m = memory(curve="fsrs")
    for t in (3, 10, 40):
        card, _ = scheduler.review_card(card, Rating.Good, T0 + t * DAY)
        m, _ = apply_event(m, "mention", 1.0, T0 + t * DAY)
        now = T0 + (t + 9) * DAY
        assert compute_weight(m, 1.0, now) == pytest.approx(
            scheduler.get_card_retrievability(card, now)
        )


@pytest.mark.parametrize("curve", ["fade", "fsrs"])
def test_two_curves_never_forget(curve: str) -> None:
    """After a hundred years there is still a trace."""
    m, _ = apply_event(memory(Kind.CONTEXT, curve, Importance.LOW), "negate", 1.3, T0)
    assert isinstance(decide_action(m, 1.3, T0 + 36_500 * DAY), Level)


# --- a life as it is drawn ---


def test_a_drawn_life_steps_where_the_weight_steps() -> None:
    """Three days after a mention M falls from one moment to the next, and is not drawn as a slope; nor is an event."""
    m, log = simulate_memory(Kind.FACT, Importance.MEDIUM, "fade", 1.0, [(30.0, "mention")], 365.0)
    life = replay_log(m, log, 1.0, EPOCH + 365 * DAY, steps=40)
    at = EPOCH + 33 * DAY
    before = next(x for x in life.moments if x.at == at - timedelta(milliseconds=1))
    after = next(x for x in life.moments if x.at == at)
    assert before.weight / after.weight == pytest.approx(1 + 0.3 * (1 - exp(-0.5)), abs=1e-6)
    weights = [x.weight for x in life.moments if x.at == EPOCH + 30 * DAY]
    assert weights[0] < 1.0 < weights[-1]
    assert [x.at for x in life.moments] == sorted(x.at for x in life.moments)
