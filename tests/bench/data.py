"""The benchmarks' data: two files a folder, in one format, whoever wrote them.

`memories.jsonl` has {user, id, text, time, speaker, session, seq}; `queries.jsonl` {user, id, text, gold: [ids],
alt?: {gold id: [ids that answer as well]}, category, lang}. A question is asked of its own user's memories alone; one
without gold asks for what was never said. `smalltalk.jsonl`, where there is one, has {user, text, hard}: turns that
call for no memory; hard ones share a word with one.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


@dataclass
class User:
    """One person of the data: what was said, what is asked, and which id of ours is which of theirs."""

    memories: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    turns: list[Row] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    @property
    def answered(self) -> list[Row]:
        """Questions that something answers."""
        return [row for row in self.queries if row["gold"]]

    def in_time(self) -> list[Row]:
        """What was said, in order."""
        return sorted(self.memories, key=lambda r: (when(r["time"]), r["seq"]))


def when(text: str) -> datetime:
    """ISO 8601, or 2024年04月01日 周一 08:30."""
    if "年" not in text:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    y, m, d, hour, minute = (int(x) for x in re.findall(r"\d+", text)[:5])
    return datetime(y, m, d, hour, minute, tzinfo=UTC)


def load(folder: Path) -> dict[str, User]:
    """Both files of a folder, by user."""
    users: dict[str, User] = defaultdict(User)
    for row in _rows(folder / "memories.jsonl"):
        users[row["user"]].memories.append(row)
    for row in _rows(folder / "queries.jsonl"):
        users[row["user"]].queries.append(row)
    for row in _rows(folder / "smalltalk.jsonl") if (folder / "smalltalk.jsonl").exists() else ():
        users[row["user"]].turns.append(row)
    for user in users.values():
        user.now = max(when(r["time"]) for r in user.memories)
    return dict(users)


def _rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
