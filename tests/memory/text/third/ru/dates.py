"""Two Russian days."""

from typing import Final

from memory.text.dates.sentence import Rule

RULES: Final[tuple[Rule, ...]] = (
    ("вчера", r"\bвчера\b", lambda _, said: said.day(-1)),
    ("завтра", r"\bзавтра\b", lambda _, said: said.day(1)),
)
