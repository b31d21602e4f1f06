"""What a draft's own words say of its day, and that they alone make nothing come and nobody dead."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.learn.dates import complete_draft
from memory.models import Draft

AT = datetime(2026, 1, 3, 10, tzinfo=UTC)


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
    ],
)
def test_a_model_makes_nobody_dead(said: str, text: str, claimed: str, dead: str | None) -> None:
    """The person's own words must tell of the death, and of this very person's."""
    d = complete_draft(Draft(text, dead=claimed), AT, "UTC", said)
    assert d.dead == dead
    assert dead or d.on is None or d.on > AT
