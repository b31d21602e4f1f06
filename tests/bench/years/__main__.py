"""Print a life to read: `python -m tests.bench.years en 1101`; without arguments count all of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

from tests.bench.years.lives import Life, make_life, make_lives


def lines(life: Life) -> Iterator[str]:
    """Everything said and asked, by day."""
    for session in life.sessions:
        for said in session.said:
            end = f"  ends {said.supersedes}" if said.supersedes else ""
            note = f"  => {said.note}{end}" if said.note else "  (again)"
            yield f"{session.at:%Y-%m-%d} {said.text}{note}"
        for sign, questions in (("?", session.asked), ("~", session.even)):
            for asked in questions:
                gold = life.note_of(life.facts[asked.gold[0]])
                yield f"{session.at:%Y-%m-%d} {sign} {asked.text}  = {gold}  ({asked.age:.0f} d, {asked.way})"


def count(life: Life) -> Counter[str]:
    """Count what the life has."""
    replaced = [f for f in life.facts.values() if f.replaces]
    said = [s for session in life.sessions for s in session.said]
    return Counter(
        sessions=len(life.sessions),
        facts=len(life.facts),
        mentions=sum(s.note is None for s in said),
        linked=sum(f.linked for f in replaced),
        unlinked=sum(not f.linked for f in replaced),
        asked=sum(len(s.asked) for s in life.sessions),
        even=sum(len(s.even) for s in life.sessions),
        look_alikes=len(life.look_alikes()),
        stale=sum(bool(q.stale) for s in life.sessions for q in s.asked),
        old=sum(q.age > 730 for s in life.sessions for q in (*s.asked, *s.even)),
        most=max(len(f.said_on) for f in life.facts.values()),
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print("\n".join(lines(make_life(sys.argv[1], int(sys.argv[2])))))
    else:
        for one in make_lives():
            print(one.lang, one.seed, one.style, dict(count(one)))
