"""The weight log alone is enough: every weight and every state of a simulated life, computed again without our code.

What follows knows the formulas from memory/lifecycle/REFERENCE.md only: it reads `ebb memory show ID --log --json`,
imports nothing of `memory`, and must agree to 1e-6.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from math import exp, log
from typing import Any

import pytest

from memory.models import Kind
from tests.memory.lives import Lived

pytestmark = pytest.mark.timeout(300)  # the life is lived in whichever test comes first

DAY = 86_400_000.0  # milliseconds
State = dict[str, Any]

# FSRS-6's published parameters
W = (
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)
FSRS_F = 0.9 ** (-1 / W[20]) - 1


# --- what a state weighs ---


def weight(s: State, at: int) -> float:
    """The formulas of REFERENCE.md, from a line's state."""
    if s["kind"] == "episode" or s["layer"] == "episode":
        w = 0.8 ** max(0.0, (at - s["last_activated_at"]) / DAY - 7)
    else:
        w = {
            "fade": fade,
            "importance": importance,
            "score": score,
            "relevance": relevance,
            "fsrs": fsrs,
        }[s["curve"]](s, at)
    return float(max(w, 1.0) if protected(s) else w)


def protected(s: State) -> bool:
    return bool(s["pinned"]) or (s["layer"] in ("core", "system") and s["negated_at"] is None)


def days(since: float, at: float) -> float:
    return max(0.0, (at - since) / DAY)


def rest(s: State) -> int:
    """Idle since: a todo waits for its day."""
    due = s["expires_at"] if s["kind"] == "todo" else None
    return int(s["last_activated_at"] if due is None else max(s["last_activated_at"], due))


def idle(s: State, at: int) -> float:
    """Of a memory that came from another curve, since when that curve's switch says."""
    if (since := s["data"].get("rests_from")) is None:
        return days(rest(s), at)
    waits = s["kind"] == "todo" and s["expires_at"] is not None and s["expires_at"] > at
    return 0.0 if waits else days(since, at)


def negated(s: State, factor: float) -> float:
    return 1.0 if s["negated_at"] is None else factor


def fade(s: State, at: int) -> float:
    n = s["data"].get("spaced", 0)
    alpha = 0.01 * (0.5 if s["sensitivity"] == 1 else 1.0) / (1 + log(1 + n))
    w_time = 1 / (1 + alpha * s["u"] * idle(s, at) / s["i"])
    boost = 1 + s["strength"] * exp(-0.05 * days(s["strength_at"], at))
    c = (
        1.0
        if s["negated_at"] is None
        else (0.3 + 0.7 * exp(-0.01 * days(s["negated_at"], at))) * 0.3
    )
    recent = sum(at - 3 * DAY < t <= at for t in s["recent_mentions"])
    momentum = 1 + 0.3 * (1 - exp(-0.5 * recent))
    spacing = 1 + 0.5 * log(1 + n)
    w = w_time * boost * c * s["i"] * momentum * spacing
    return float(min(3.0 if n else 2.0, max(0.01, w)))


def counter(s: State, at: int) -> float:
    if protected(s):
        return float(min(s["importance"], 10.0))
    grace = max(s["importance_at"], rest(s) + 7 * DAY)
    return float(min(10.0, s["importance"] * 0.95 ** (s["u"] * days(grace, at))))


def importance(s: State, at: int) -> float:
    return counter(s, at) * negated(s, 0.5)


def left_of_score(s: State, at: int) -> float:
    return float(
        s["strength"] * 0.99 ** (s["u"] * days(max(s["strength_at"], rest(s) + 7 * DAY), at))
    )


def score(s: State, at: int) -> float:
    return left_of_score(s, at) * negated(s, 0.5)


def relevance(s: State, at: int) -> float:
    uses = 1 + log(1 + min(s["activation_count"], 50))
    return exp(-0.01 * s["u"] * idle(s, at)) * uses * float(s["strength"]) * negated(s, 0.5)


def fsrs(s: State, at: int) -> float:
    return float((1 + FSRS_F * s["u"] * idle(s, at) / s["strength"]) ** -W[20]) * negated(s, 0.5)


# --- what an event makes of a state ---


def after(s: State, event: str, at: int, created: int) -> State:
    """Mentions, uses, boosts, affirmations, denials, contradictions and worn nights; level and content aside."""
    new = dict(s)
    used = event in ("mention", "use", "boost", "affirm")
    stays = {"kept", "spaced", "spaced_at"}  # which review rests, and on which days it was said
    new["data"] = {k: v for k, v in s["data"].items() if not used or k in stays}
    if event in ("mention", "affirm"):
        n, since = s["data"].get("spaced", 0), s["data"].get("spaced_at", created)
        apart = at - since >= DAY
        new["data"] |= {"spaced": min(n + apart, 50), "spaced_at": at if apart else since}
    strength_of(s, new, event, at)
    if used:
        value = counter(s, at)
        value = min(value + 0.3, 10.0) if event == "boost" else value
        new["importance"], new["importance_at"] = value, max(s["importance_at"], at)
        if event in ("mention", "affirm"):
            new["recent_mentions"] = sorted([*s["recent_mentions"], at])[-32:]
        days_said = {t // DAY for t in (created, *new["recent_mentions"])}
        lasting = s["kind"] in ("identity", "health", "preference", "skill", "lesson", "workflow")
        if (
            value >= 3.0
            and s["layer"] == "fact"
            and s["negated_at"] is None
            and lasting
            and len(days_said) > 1
        ):
            new["layer"] = "core"
        new["last_activated_at"] = max(s["last_activated_at"], at)
        new["activation_count"] = s["activation_count"] + 1
        if event == "affirm":
            new["negated_at"] = None
    if event == "negate":
        if protected(s):
            new["importance"], new["importance_at"] = counter(s, at), max(s["importance_at"], at)
        new["pinned"] = False
        new["negated_at"] = at if s["negated_at"] is None else s["negated_at"]
    return new


def strength_of(s: State, new: State, event: str, at: int) -> None:
    said, when = event in ("mention", "affirm"), max(s["strength_at"], at)
    used = said or event in ("use", "boost")
    match s["curve"]:
        case "fade" if said:
            new["strength"], new["strength_at"] = 0.5, when
        case "fade" if event == "contradicted":
            new["strength"], new["strength_at"] = 0.0, when
        case "score" if used:
            value = left_of_score(s, at)
            new["strength"], new["strength_at"] = value + (1 - value) * 0.2, when
        case "score" if event == "contradicted":
            new["strength"], new["strength_at"] = left_of_score(s, at) * 0.5, when
        case "relevance" if event in ("lowered", "contradicted"):
            new["strength"], new["strength_at"] = s["strength"] * 0.9, when
        case "fsrs" if used or event == "contradicted":
            new["strength"], difficulty = reviewed(s, 3 if used else 1, at)
            new["data"] = {**new["data"], "difficulty": difficulty}
            new["strength_at"] = when if used else s["strength_at"]


def reviewed(s: State, grade: int, at: int) -> tuple[float, float]:
    """(stability, difficulty) after an FSRS-6 review; same-day ones by the short-term formula."""
    stability, d = s["strength"], s["data"]["difficulty"]
    whole = max(0, int((at - s["strength_at"]) // DAY))
    if whole < 1:
        grown = exp(W[17] * (grade - 3 + W[18])) * stability ** -W[19]
        stability *= max(grown, 1.0) if grade >= 3 else grown
    else:
        r = (1 + FSRS_F * whole / stability) ** -W[20]
        if grade == 1:
            long = W[11] * d ** -W[12] * ((stability + 1) ** W[13] - 1) * exp((1 - r) * W[14])
            stability = min(long, stability / exp(W[17] * W[18]))
        else:
            stability *= 1 + exp(W[8]) * (11 - d) * stability ** -W[9] * (exp((1 - r) * W[10]) - 1)
    easy = W[4] - exp(W[5] * (4 - 1)) + 1
    moved = d + (10 - d) * (-W[6] * (grade - 3)) / 9
    return max(stability, 0.001), min(10.0, max(1.0, W[7] * easy + (1 - W[7]) * moved))


# --- the test ---

COMPUTED = {"mention", "use", "boost", "affirm", "negate", "contradicted", "lowered"}
NUMBERS = {"strength", "importance"}


@pytest.fixture(scope="module")
def lines(life: Lived) -> dict[str, list[State]]:
    return {i: [json.loads(line) for line in printed] for i, printed in life.printed.items()}


def test_the_life_had_everything_in_it(life: Lived, lines: dict[str, list[State]]) -> None:
    """All kinds, curves and levels, every sort of event, many times; else the rest would prove little."""
    assert len(life.made) >= 300
    events = Counter(line["event"] for log_ in lines.values() for line in log_)
    assert {
        *COMPUTED - {"use"},
        "created",
        "level",
        "edited",
        "pinned",
        "unpinned",
        "undone",
        "adopted",
        "now",
    } <= set(events)
    assert all(
        events[e] >= 5
        for e in ("mention", "boost", "negate", "affirm", "contradicted", "lowered", "undone")
    )
    states = [line["after"] for log_ in lines.values() for line in log_]
    assert {s["kind"] for s in states} == set(Kind)
    assert {s["curve"] for s in states} == {"fade", "importance", "score", "relevance", "fsrs"}
    assert {s["sensitivity"] for s in states} >= {0, 1, 2}
    assert {s["level"] for s in states} == {0, 1, 2, 3, 4}
    assert {"fact", "core", "episode"} <= {s["layer"] for s in states}


def test_every_weight_in_the_log(lines: dict[str, list[State]]) -> None:
    """Before and after every event, and now, at day 30,000."""
    for i, log_ in lines.items():
        for line in log_:
            if line["event"] == "now":
                assert weight(line["after"], line["at"]) == pytest.approx(
                    line["weight"], abs=1e-6
                ), i
                continue
            assert weight(line["after"], line["at"]) == pytest.approx(
                line["new_weight"], abs=1e-6
            ), (i, line)
            old = weight(line["before"], line["at"]) if line["before"] else 0.0
            assert old == pytest.approx(line["old_weight"], abs=1e-6), (i, line)


def test_nothing_moves_a_weight_unseen(lines: dict[str, list[State]]) -> None:
    """Each line begins with the state that the one before it left; the last is how the memory stands."""
    for i, log_ in lines.items():
        assert log_[0]["event"] == "created", i
        for one, two in itertools.pairwise(log_):
            left = {**one["after"]}
            found = two["after"] if two["event"] == "now" else two["before"]
            assert {k: v for k, v in left.items() if k != "level"} == {
                k: v for k, v in found.items() if k != "level"
            }, (
                i,
                one["event"],
                two["event"],
            )


def test_every_state_follows_from_the_one_before(lines: dict[str, list[State]]) -> None:
    """What an event does is what the formulas say, for every curve."""
    seen: Counter[tuple[str, str]] = Counter()
    for i, log_ in lines.items():
        for line in log_:
            if line["event"] not in COMPUTED:
                continue
            expected, found = (
                after(line["before"], line["event"], line["at"], log_[0]["at"]),
                line["after"],
            )
            seen[line["before"]["curve"], line["event"]] += 1
            for key, value in expected.items():
                if key == "level" or (key == "layer" and any(x["event"] == "edited" for x in log_)):
                    continue  # what its owner has edited is verified, and needs no second day
                if key in NUMBERS:
                    assert found[key] == pytest.approx(value, abs=1e-6, rel=1e-9), (i, key, line)
                elif key == "data":
                    assert found[key] == pytest.approx(value, abs=1e-6), (i, key, line)
                else:
                    assert found[key] == value, (i, key, line)
    assert all(
        seen[c, e]
        for c in ("fade", "importance", "score", "relevance", "fsrs")
        for e in ("mention", "boost")
    )


def test_weights_on_the_days_in_between(life: Lived, lines: dict[str, list[State]]) -> None:
    """After the year, before and after a switch of curves, at day 3,000: by the last line up to then."""
    for checkpoint in life.checkpoints:
        at = round(checkpoint.at.timestamp() * 1000)
        for m in (m for m in checkpoint.memories if m.id in lines):
            passed = [line for line in lines[m.id] if line["event"] != "now" and line["at"] <= at]
            if passed and passed[-1]["at"] == at and checkpoint is not life.checkpoints[1]:
                continue  # the switch that follows at the same moment
            assert weight(passed[-1]["after"], at) == pytest.approx(
                checkpoint.weights[m.id], abs=1e-6
            ), m.id
