"""What is asked for by its time alone, through the whole of recall; it is Wednesday, 11 February 2026, 10:00 UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory.models import Kind, Sensitivity
from tests.memory.recall.conftest import NOW, Person, texts

DAY = timedelta(days=1)


def ago(text: str) -> float:
    """Days from that moment to now."""
    return (NOW - datetime.fromisoformat(text).replace(tzinfo=UTC)).total_seconds() / 86_400


@pytest.mark.parametrize(
    ("then", "known", "other", "asked"),
    [
        ("2026-02-10 15:00", "User went to the aquarium with Leo", "2026-02-09 15:00", "what did I do yesterday afternoon?"),
        ("2026-01-30 12:00", "User went to the aquarium with Leo", "2026-02-06 12:00", "what did I do two Fridays ago?"),
        ("2025-12-25 12:00", "User went to the aquarium with Leo", "2026-01-10 12:00", "what did I do at Christmas?"),
        ("2025-05-06 12:00", "User went to the aquarium with Leo", "2025-05-20 12:00", "what did I do between 3 and 10 May?"),
        ("2026-02-10 15:00", "用户和小林去了水族馆", "2026-02-09 15:00", "我昨天下午做了什么？"),
        ("2026-01-31 12:00", "用户和小林去了水族馆", "2026-02-07 12:00", "我上上周末做了什么？"),
        ("2025-10-03 12:00", "用户和小林去了水族馆", "2025-10-20 12:00", "我国庆节做了什么？"),
        ("2025-05-06 12:00", "用户和小林去了水族馆", "2025-05-20 12:00", "五月三号到十号我做了什么？"),
    ],
)  # fmt: skip
async def test_what_was_then(person: Person, then: str, known: str, other: str, asked: str) -> None:
    """That, and not what was another time."""
    decoy = "用户修好了厨房水龙头" if known > "\u3000" else "User repaired the kitchen tap"
    await person.knows(decoy, days_ago=ago(other))
    await person.knows(known, days_ago=ago(then))
    assert texts(await person.ask(asked, u=0.0)) == [known]


@pytest.mark.parametrize(
    ("todo", "asked"),
    [
        ("Hand in the tax return", "what do I have tomorrow morning?"),
        ("交个人所得税申报表", "我明天早上有什么事？"),
    ],
    ids=["en", "zh"],
)
async def test_what_is_due_on_a_day_is_due_in_its_morning(
    person: Person, todo: str, asked: str
) -> None:
    """A plan without an hour is kept with the end of its day."""
    end_of_day = datetime(2026, 2, 12, 23, 59, 59, tzinfo=UTC)
    await person.knows(todo, kind=Kind.TODO, expires_at=end_of_day)
    assert texts(await person.ask(asked)) == [todo]


@pytest.mark.parametrize("asked", ["when is my dentist appointment?", "我什么时候去看牙医？"])
async def test_what_is_next_comes_up_but_nothing_private(person: Person, asked: str) -> None:
    """Where nothing of what is asked for is known; the question may be about something else."""
    kind, sensitive = Kind.EVENT, Sensitivity.PRIVATE
    await person.knows("Abortion at the clinic", kind=kind, on=NOW + DAY, sensitivity=sensitive)
    await person.knows("Flies to Rome", kind=kind, on=NOW + 2 * DAY)
    assert texts(await person.ask(asked)) == ["Flies to Rome"]
