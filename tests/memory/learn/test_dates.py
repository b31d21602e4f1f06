"""What a draft's own words say of its day, and that they alone make nothing come and nobody dead."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.learn.dates import complete_draft
from memory.models import Draft

AT = datetime(2026, 1, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day", "repeats", "until"),
    [
        ("Goes to choir every Wednesday", 7, "weekly", False),
        ("Plans to see Rome on 8 March 2026", 8, None, False),
        ("Birthday is on 5 May, no cake please", 5, "yearly", False),
        ("每周三晚上合唱团排练", 7, "weekly", False),
        ("打算2026年3月8日去罗马", 8, None, False),
        ("Stopped playing football every Saturday", 0, None, False),
        ("Used to go running every Monday", 0, None, False),
        ("Watched a film every Friday in 2019", 0, None, False),
        ("Cancelled the trip to Rome on 8 March 2026", 0, None, False),
        ("Trip to Rome on 8 March 2026, but isn't going", 0, None, False),
        ("If I get the job I start on 3 May 2027", 0, None, False),
        ("不再每周二练瑜伽", 0, None, False),
        ("小时候每周日去教堂", 0, None, False),
        ("取消了2027年5月3日去罗马的旅行", 0, None, False),
        ("Works at Acme until 8 March 2026", 0, None, True),
        ("在云帆上班到2026年3月8日", 0, None, True),
        ("Lease runs till 8 March 2026", 0, None, True),
    ],
)
def test_nothing_comes_of_what_is_denied_or_ends(
    text: str, day: int, repeats: str | None, until: bool
) -> None:
    """What is over, called off or imagined has no day; "until" is an end."""
    d = complete_draft(Draft(text), AT, "UTC")
    assert (d.on.day if d.on else 0, d.repeats) == (day, repeats)
    assert (d.valid_until == datetime(2026, 3, 8, 23, 59, 59, tzinfo=UTC)) is until


@pytest.mark.parametrize(
    ("said", "text", "claimed", "dead"),
    [
        ("Mum visits on Sunday", "Mum visits on Sunday", "Mum", None),
        ("I thought Mum had died", "Mum died in 2025", "Mum", None),
        ("My brother's car died", "Brother died", "brother", None),
        ("My sister called: Rex died", "Sister died", "sister", None),
        ("My uncle's dog died", "Dog died", "dog", None),
        ("我爸的手机死机了", "爸爸去世了", "爸爸", None),
        ("My grandmother died. What now?", "Grandma died", "Grandma", "Grandma"),
        ("My dad, Tom, passed away", "Dad passed away", "Dad", "Dad"),
        ("Rex died in March", "Rex died in March 2025", "Rex", "Rex"),
        ("我外公走了", "外公去世了", "外公", "外公"),
        ("The vet put Rex to sleep", "Dog Rex was put to sleep", "Rex", "Rex"),
        ("Rex got worse, we had him put down", "Rex was put down", "Rex", "Rex"),
        ("Tom's car died", "Tom died", "Tom", None),
        ("老何下午没了，心梗", "老何心梗去世", "老何", "老何"),
        ("给年糕做了安乐死", "猫年糕安乐死了", "年糕", "年糕"),
        ("怕年糕要安乐死", "年糕安乐死了", "年糕", None),
    ],
)
def test_a_model_makes_nobody_dead(said: str, text: str, claimed: str, dead: str | None) -> None:
    """The person's own words must tell of the death, and of this very person's."""
    d = complete_draft(Draft(text, dead=claimed), AT, "UTC", said)
    assert d.dead == dead
    assert dead or d.on is None or d.on > AT
