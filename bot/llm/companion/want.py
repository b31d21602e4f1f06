"""What a question wants to know about the user."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

How: TypeAlias = Literal[
    "all", "last", "slot", "safe", "favourite", "relation", "about", "have", "plans", "when", "yesno", "topic", "who"
]


@dataclass(frozen=True, slots=True)
class Want:
    """What is asked for.

    `slots` are looked up in order; `relation` is a slot word (sister, 妹); `topic` what it is about, as written.
    """

    how: How
    slots: tuple[str, ...] = ()
    holds: bool | None = True
    question: str = ""
    relation: str = ""
    topic: str = ""
    verb: str = ""
    rest: str = ""

    def of(self, question: str, *, relation: str = "", topic: str = "", verb: str = "", rest: str = "") -> Want:
        """The same want of this very question."""
        return replace(self, question=question, relation=relation, topic=topic, verb=verb, rest=rest)
