"""The measure over recorded answers, and three weak models: what a person's memory suffers from each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.eval import exchanges, stories
from tests.eval.answers import Answerer, list_recorded, load_answers
from tests.eval.data import load_cases
from tests.eval.report import write_html, write_text
from tests.eval.scores import summarise
from tests.eval.talks import Answers, Row
from tests.eval.weak_models import MODELS, Change

RECORDED: Final = Path(__file__).parent / "recorded" / "strong.jsonl"
LEAST: Final = {  # what is reached, by who answers; wanted are .97 of a strong model, .90 of a weak one
    "strong": {"recall": 0.65, "details": 0.95, "kinds": 0.8},
    "drops": {"recall": 0.6},
    "obeys": {"recall": 0.6},
    "invents": {"recall": 0.5},
}
MORE: Final = {
    "invents": {"duplicate": 0.4}
}  # 仍然 before what is known makes it new, Still does not
MOST: Final = {"false": 0.01, "deleted truth": 0, "junk": 0.1, "duplicate": 0.02}  # whoever answers


def _ask(
    at: str, sort: str, ask: str, finds: list[str], never: Sequence[str] = (), **more: str
) -> Row:
    return {
        "at": at,
        "ask": ask,
        "sort": sort,
        "finds": [[x] for x in finds],
        "never": never,
        **more,
    }


STORY: Final[Row] = {
    "id": "story",
    "language": "en",
    "zone": "Europe/London",
    "steps": [
        {
            "at": "2026-02-02T09:00",
            "say": "I live in Hull",
            "reply": "By the sea!",
            "gold": ['[ADD name=home kind=fact slot=home said=1:"I live in Hull"] Lives in Hull'],
        },
        {
            "at": "2026-02-02T09:05",
            "say": "I have a rabbit called Momo",
            "reply": "Say hello to Momo.",
            "gold": [
                '[ADD name=rabbit kind=fact said=1:"a rabbit called Momo"] Has a rabbit called Momo'
            ],
        },
        {"at": "2026-02-03T03:30", "do": "night"},
        _ask("2026-02-03T10:00", "current", "where do I live?", ["Hull"]),
        {"at": "2026-02-03T10:05", "do": "new"},
        {
            "at": "2026-03-04T09:00",
            "say": "I live in York now, I moved on 1 March",
            "reply": "Welcome to York.",
            "gold": ['[UPDATE:home from=2026-03-01 said=1:"I live in York now"] Lives in York'],
        },
        _ask("2026-03-05T09:00", "current", "where do I live?", ["York"], ["Hull"]),
        _ask("2026-03-05T09:01", "history", "where was I?", ["Hull"], ["York"], as_of="2026-02"),
        {"at": "2026-03-05T09:02", "do": "temp", "say": "I loathe my boss Rupert"},
        {"at": "2026-03-05T09:03", "do": "forget", "of": "rabbit"},
        _ask("2026-03-05T09:04", "leak", "what is my rabbit called?", [], ["Momo"]),
        _ask("2026-03-05T09:05", "leak", "what do I think of my boss?", [], ["Rupert", "loathe"]),
    ],
}


def pick_cases(n: int, first: int) -> list[Row]:
    """Pick cases of half A that lie evenly over both languages and all kinds."""
    cases = [case for name in exchanges.SETS for case in load_cases(name, "A")]
    return cases[first :: len(cases) // n][:n]


async def run(
    cases: Sequence[Row], answers: dict[str, Any] | None = None, change: Change | None = None
) -> tuple[list[Row], list[str]]:
    """Measure cases with recorded answers, else with perfect ones; the rows, and the answers as recorded."""
    rows: list[Row] = []
    lines: list[str] = []
    async with Answerer(change=change) as server:
        for case in cases:
            told: Answers = answers.get(case["id"], {}) if answers else exchanges.list_gold(case)
            row, calls = await exchanges.measure(server, case, told, "model", "lexical")
            rows.append(row)
            lines += list_recorded(case["id"], calls)
    return rows, lines


def find_excesses(rows: Sequence[Row], who: str) -> list[str]:
    """Name what is above its bar, or below what was reached."""
    found, most = summarise(rows), {**MOST, **MORE.get(who, {})}
    over = [f"{x}: {found[x]}" for x, bar in most.items() if (found[x] or 0) > bar]
    under = [f"{x}: {found[x]}" for x, least in LEAST[who].items() if found[x] < least]
    return [*over, *under, *(row["failed"] for row in rows if row["failed"])]


async def test_recorded_answers_are_learned_from(tmp_path: Path) -> None:
    """A strong model's answers, or perfect ones, leave what they say; recorded, they leave it again."""
    strong = await asyncio.to_thread(load_answers, RECORDED) if RECORDED.exists() else None
    cases = pick_cases(12, 1)
    rows, lines = await run(cases, strong)
    assert find_excesses(rows, "strong") == []
    file = tmp_path / "recorded.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    some = [case for case in cases if case["memories"]][:2]
    again, _ = await run(some, load_answers(file))
    assert [r["counts"] for r in again] == [
        r["counts"] for r in rows if r["id"] in {c["id"] for c in some}
    ]
    missed = next(r for r in rows if r["misses"])
    assert missed["misses"][0] in write_text(rows)
    assert f"{missed['id']} ({missed['kind']})</summary>" in write_html(rows, {"model": "strong"})


@pytest.mark.parametrize("name", MODELS)
async def test_weak_models_do_little_harm(name: str) -> None:
    """What they lose, believe or invent: next to nothing false is kept, and nothing true is gone."""
    rows, _ = await run(pick_cases(8, 3), change=MODELS[name](1))
    assert find_excesses(rows, name) == []


async def test_a_story_is_asked_about() -> None:
    """Told, changed, forgotten and said off the record: each question finds what holds on its day."""
    async with Answerer() as server:
        row, calls = await stories.measure(
            server, STORY, stories.list_gold(STORY), "model", "lexical"
        )
    assert [(a["step"], a["missing"], a["brought"]) for a in row["asked"]] == [
        (step, [], []) for step in (3, 6, 7, 10, 11)
    ]
    assert (row["memories"], row["messages"]) == (1, 3)
    assert {c["task"] for c in calls} >= {"chat", "monitor"}
    assert all(json.loads(line)["answer"] for line in list_recorded("story", calls))
