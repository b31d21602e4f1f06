"""Replay the stories of `time_stories.jsonl`: what a prompt shows on a day, and in which words.

A perfect note-taker stores each story's memories; each question is recalled for and its prompt built as the agent does.
`python -m tests.eval.time_stories [A|B]` prints what is not as the story has it.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from bot.agent.context import PromptMaterial, build
from bot.agent.recall import recall_for_turn
from bot.events import Turn
from bot.notebook import answer as notebook
from memory import lifecycle
from memory.api import get_or_create_user
from memory.learn import dates
from memory.models import (
    CurveState,
    Importance,
    Kind,
    Layer,
    Memory,
    Sensitivity,
    Source,
    State,
)
from memory.ports import Transaction
from tests.e2e.driver import Window, opened
from tests.eval.data import load_cases

ZONES: Final = {"en": "Europe/London", "zh": "Asia/Shanghai"}
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9}
_COMING: Final = re.compile(r"in \d+ |tomorrow|next (?:month|year)|后(?:，|$|）)|明天|下个月|明年")
_TODAY: Final = re.compile(r", (?:today|this month|this year)|，(?:今天|这个月|今年)")
_PLAN: Final = re.compile(r"was planned for|原定于|, due [^,]+, past|截止[^，]+，已过去")


@dataclass
class Story:
    """One story while it is told."""

    case: Mapping[str, Any]
    window: Window
    user_id: str
    ids: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    checks: int = 0

    @property
    def tz(self) -> str:
        """Where the person is."""
        return ZONES[self.case["lang"]]

    def moment(self, text: str) -> datetime:
        """A local time of the story."""
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(self.tz)).astimezone(UTC)

    async def tell(self) -> None:
        """Go through the steps."""
        away = False
        for i, step in enumerate(self.case["steps"]):
            at = self.moment(step["at"])
            if step.get("absent_days"):
                away = True
                await self.window.ebb.memory.pass_over_todos(self.user_id, at)
                continue
            expected = [e for e in self.case["expect"] if e["step"] == i]
            if text := step.get("ask") or (step.get("say") if expected else ""):
                await self.look(i, text, at, expected, away=away)
                away = False
            for m in (m for m in self.case["memories"] if m["after"] == i):
                await self.keep(m, at)

    async def keep(self, given: Mapping[str, Any], at: datetime) -> None:
        """Store what a perfect note-taker would."""
        memory, store = self.window.ebb.memory, self.window.ebb.store
        if given["text"] is None:
            for thing in given.get("quiet") or given.get("quiet_end") or ():
                on = given["kind"] == "quiet"
                await memory.keep_quiet(self.user_id, thing, at, on=on)
            return
        m = self.make(given, at)
        model = memory._embedder
        vector = (await model.embed([m.original_content], "content"))[0] if model.dim else None

        def write(tx: Transaction) -> str:
            tx.changes.begin("monitor", "monitor", at)
            if (
                old := tx.memories.get(self.ids.get(given.get("supersedes") or "", ""))
            ) is not None:
                ended = replace(old, state=State.SUPERSEDED, valid_until=at)
                tx.memories.put(ended, "superseded")
            added = tx.memories.add(lifecycle.start_life(m, Importance.MEDIUM, "fade", at))
            if vector is not None:
                tx.vectors.put_many({added.id: vector}, model.id)
            return added.id

        self.ids[given["text"]] = await store.write(self.user_id, write)

    def make(self, given: Mapping[str, Any], at: datetime) -> Memory:
        """Build a memory with its dates as learning reads them."""
        died = given.get("died") or {}
        year, _, season = str(given["on"] or died.get("on") or "").partition(" ")
        first = SEASONS.get(season, 0)  # "2027 spring" is its three months
        on = dates.read(f"{year}-{first:02}" if first else year, self.tz)
        last = f"{year}-{first + 2:02}" if first else given.get("on_until")
        until = dates.read(str(last or ""), self.tz)
        due = dates.read(str(given["expires_at"] or ""), self.tz)
        long = on is not None and on.precision in {"month", "year"}
        ends = until.end if until else on.end if on and long else None
        repeats = given["repeats"]
        return Memory(
            id="",
            user_id=self.user_id,
            content=given["text"],
            original_content=given["text"],
            language=self.case["lang"],
            layer=Layer.FACT,
            kind=Kind(given["kind"]),
            created_at=at,
            last_activated_at=at,
            curve="fade",
            curve_state=CurveState(0.0, at),
            importance=1.5,
            importance_at=at,
            entities=tuple(given["entities"]),
            source=Source.MONITOR,
            sensitivity=Sensitivity.PUBLIC,
            on=on.start if on else None,
            on_until=ends,
            repeats="lunar" if repeats and repeats.startswith("lunar") else repeats,
            expires_at=due.end if due else None,
            precision=next((d.precision for d in (on, due) if d), None),
            dead=died.get("entity"),
        )

    async def look(
        self, i: int, text: str, at: datetime, expected: list[Any], *, away: bool
    ) -> None:
        """Recall, build the prompt, and compare it with what is expected."""
        memory, store = self.window.ebb.memory, self.window.ebb.store
        scope = f"user:{self.user_id}"
        turn = Turn(f"{self.case['id']}-{i}", self.user_id, scope, text, at, self.tz)
        recall, profile = await recall_for_turn(memory, store, turn, text, (), None)
        day = await memory.get_day(self.user_id, at, self.tz, away=away)
        lang = self.case["lang"]
        material = PromptMaterial(
            text=text, now=at, tz=self.tz, lang=lang, hits=recall.hits, profile=profile, day=day
        )
        request = build(material)
        shown = "\n".join(str(m["content"]) for m in request.messages)
        asked = None if away else await memory.find_due_todo(self.user_id, text, at)
        if due := asked:
            await store.write(self.user_id, lambda tx: memory.note_asked(tx, due.id, at))
        told = await notebook.answer(self.embed, request.data)
        for e in expected:
            self.compare(i, e, shown, asked.original_content if asked else "", told)

    async def embed(self, texts: Any) -> Any:
        """Embed for the notebook."""
        embedder = self.window.ebb.memory._embedder
        return await embedder.embed(list(texts), "query") if embedder.dim == 384 else None

    def compare(self, i: int, e: Mapping[str, Any], shown: str, asked: str, told: str) -> None:
        """Note what is missing, and what should not be there."""
        lines = shown.splitlines()
        for text in e["must_be_shown"]:
            line = next((x for x in lines if text in x), "")
            self.check(bool(line) or text in asked, i, f"not shown: {text}")
            tense = _find_tense(line.partition(text)[2]) if line else "past_plan"
            same = tense == e["tense"] or {tense, e["tense"]} <= {"none", "done"}
            if line:
                self.check(same, i, f"{tense} for {e['tense']}: {line}")
            if word := e.get("word"):
                self.check(word in line, i, f"no {word}: {line}")
        for text in e["must_not"]:
            bare = text.removeprefix("~")
            valid = [
                x for x in lines if bare in x and not re.search("replaced since|后来已变更", x)
            ]
            if not text.startswith("~"):
                self.check(not valid, i, f"shown: {valid}")
            self.check(bare not in told, i, f"notebook: {told}")
        for text in e.get("asks", ()):
            self.check(text in asked, i, f"not asked: {text}")
        for text in e.get("asks_not", ()):
            self.check(text not in asked, i, f"asked: {text}")

    def check(self, good: bool, i: int, why: str) -> None:
        """Count a check."""
        self.checks += 1
        if not good:
            self.faults.append(f"{self.case['id']} step {i} ({self.case['sort']}): {why}")


def _find_tense(rest: str) -> str:
    if _PLAN.search(rest):
        return "past_plan"
    return "today" if _TODAY.search(rest) else "coming" if _COMING.search(rest) else "none"


@asynccontextmanager
async def telling(home: Path, embedder: str) -> AsyncIterator[Window]:
    """Open an Ebb without a language model."""
    async with opened(home, embedder=embedder) as window:
        yield window


async def replay(half: Any, home: Path, embedder: str) -> tuple[list[str], int]:
    """Return the faults of all stories of a half, and how many checks there were."""
    faults, checks = list[str](), 0
    async with telling(home, embedder) as window:
        for case in load_cases("time_stories", half):
            born = datetime.fromisoformat(case["steps"][0]["at"]).replace(tzinfo=UTC)
            user = await get_or_create_user(
                window.ebb.store, "story", case["id"], born - timedelta(days=1)
            )
            story = Story(case, window, user)
            await story.tell()
            faults += story.faults
            checks += story.checks
    return faults, checks


if __name__ == "__main__":
    chosen, name = (*sys.argv[1:], "A", "bundled")[:2]
    with tempfile.TemporaryDirectory() as folder:
        found, n = asyncio.run(replay(chosen, Path(folder), name))
    print(*found, f"{n - len(found)} of {n} as the stories have it", sep="\n")
