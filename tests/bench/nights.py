"""Which changes that nobody linked the nights find: `python -m tests.bench.nights [--lives N] [--changes N]`.

The lives are those of `tests.bench.years`. Of each life some unlinked changes are drawn. Up to the day of a change the
store holds what was told until then, linked changes linked and the unlinked ones before it left as they are; then come
thirty daily nights, with what is told on those days. The model answers by `Life.judge`, from the texts alone, and
also with a tenth of its answers wrong: another verdict at random, anew in each call (`--stubborn`: the same for a pair
each time). The conversation spends `--tokens` a day, so that a night has a tenth of seven times as much.

Printed: the share of changes found within 30 nights, and in the first; of what nights ended or asked, the share that
is no change, and the same among all pairs that were judged; calls and tokens a night.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

from memory.embed import EMBEDDERS
from memory.learn.answer import LearningTools
from memory.learn.merge import Claim, Merger
from memory.models import Draft, Job, Kind, Lang, MemoryId, Usage
from memory.ports import Chunk, Embedder, FloatArray, ModelRequest, Store, Transaction
from memory.text.clean import estimate_tokens
from memory.upkeep.service import UpkeepService
from tests.bench.ground import new_user, store_at
from tests.bench.years.lives import Fact, Life, Said, make_lives
from tests.memory.upkeep.night import shorter

NIGHTS: Final = 30
WRONG: Final = ("same", "changed", "both", "unsure", "depends")
DAY: Final = timedelta(days=1)
VECTORS: Final[dict[tuple[str, str], FloatArray]] = {}  # by embedder and text


class Judge:
    """A memory model that knows the truth of one life, and errs in a share of its answers."""

    name = "judge"

    def __init__(self, life: Life, errs: float = 0.0, *, stubborn: bool = False) -> None:
        self.life, self.errs, self.stubborn = life, errs, stubborn
        self.rng = random.Random(life.seed)
        self.pairs = self.calls = self.tokens = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Answer about pairs; keep everything else as it is."""
        answers = {"review": '{"decision": "keep"}', "merge": '{"separate": true}'}
        said = answers.get(request.task, "[]")
        if request.task == "level":
            said = shorter(request.data)
        elif request.task == "contradict":
            said = self._judge(request.data["pairs"])
            size = sum(estimate_tokens(m["content"]) for m in request.messages)
            self.calls, self.tokens = self.calls + 1, self.tokens + size + estimate_tokens(said)
        yield Chunk(said)
        yield Chunk(finish="stop")

    def _judge(self, pairs: Sequence[dict[str, Any]]) -> str:
        told = []
        for p in pairs:
            verdict: str = self.life.judge(p["a"], p["b"])
            rng = random.Random(f"{p['a']}|{p['b']}") if self.stubborn else self.rng
            if rng.random() < self.errs:
                verdict = rng.choice([w for w in WRONG if w != verdict])
            if verdict != "both":
                told.append({"n": p["n"], "verdict": verdict})
        self.pairs += len(pairs)
        return json.dumps({"pairs": told})


@dataclass
class Figures:
    """What nights found of changes, and what they took for one."""

    changes: int = 0
    backlog: int = 0  # unlinked changes of earlier days that were there
    waited: list[int] = field(default_factory=list)  # nights until each that was found
    found_late: int = 0  # of the backlog
    did: Counter[str] = field(default_factory=Counter)  # ended, asked, merged
    false: Counter[str] = field(default_factory=Counter)
    nights: int = 0
    pairs: int = 0
    calls: int = 0
    tokens: int = 0

    def __iadd__(self, other: Figures) -> Self:
        for name in ("changes", "backlog", "found_late", "nights", "pairs", "calls", "tokens"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.waited += other.waited
        self.did += other.did
        self.false += other.false
        return self

    @property
    def found(self) -> float:
        """The share of the changes that were found."""
        return len(self.waited) / max(1, self.changes)

    @property
    def wrong(self) -> float:
        """The share of what was ended or asked that is no change."""
        return self.false.total() / max(1, self.did.total())


class Window:
    """One person's store from the day of a change on."""

    def __init__(self, life: Life, store: Store, user: str, judge: Judge, embedder: Any) -> None:
        self.life, self.store, self.user, self.judge = life, store, user, judge
        self.embedder, self.ids, self.facts = embedder, dict[str, MemoryId](), dict[str, str]()
        self.keeper = UpkeepService(
            LearningTools(store, judge, embedder, "fade", 1.0, context_tokens=32_000)
        )

    async def tell(self, some: Iterable[Said]) -> None:
        """Keep what was told, as learning does; what was linked ends what it replaces."""
        told = [s for s in some if s.note]
        new = dict.fromkeys(str(s.note) for s in told if (self.embedder.id, s.note) not in VECTORS)
        for note, vector in zip(new, await self.embedder.embed([*new], "content"), strict=True):
            VECTORS[self.embedder.id, note] = vector
        vectors = [VECTORS[self.embedder.id, str(s.note)] for s in told]

        def write(tx: Transaction) -> None:
            tx.changes.begin("monitor", "monitor", told[-1].at)
            for s, vector in zip(told, vectors, strict=True):
                self._save(tx, s, vector)

        if told:
            await self.store.write(self.user, write)

    def _save(self, tx: Transaction, s: Said, vector: FloatArray) -> None:
        lang: Lang = "zh" if self.life.lang == "zh" else "en"
        draft = Draft(str(s.note), kind=Kind(s.kind), language=lang, entities=s.entities)
        if s.on is not None:
            on = datetime(s.on.year, s.on.month, s.on.day, tzinfo=s.at.tzinfo)
            draft = replace(draft, on=on, repeats="yearly" if s.yearly else None)
        claim = Claim(draft, s.at, vector=vector, embedder_id=self.embedder.id)
        merger = Merger(tx, curve="fade", u=1.0)
        old = tx.memories.get(self.ids.get(s.supersedes or "", ""))
        saved = merger.supersede(old, claim) if old else merger.save(claim)
        if saved.memory is not None:
            self.ids[s.fact] = saved.memory.id
            self.facts[saved.memory.id] = s.fact

    async def night(self, now: datetime, tokens: int) -> dict[str, Any]:
        """Pass a day of conversation and its night; return the night's notes."""

        def begin(tx: Transaction) -> Job:
            tx.traces.record_tokens("chat", "any", Usage(tokens, 0), now - DAY)
            job = tx.jobs.enqueue("upkeep", f"hand:{tx.new_id()}", {}, now, lane="upkeep")
            assert job is not None
            return job

        await self.store.write(self.user, begin)
        until = now + timedelta(hours=1)
        leased = await self.store.write_system(
            lambda s: s.lease(now, until, "bench:0:0", kinds=["upkeep"])
        )
        assert leased is not None
        effect = await self.keeper.at_once(leased, now)
        assert await self.store.finish_job(leased, effect)
        night = await self.store.read(self.user, lambda tx: tx.nights.get_night(leased.id))
        assert night is not None
        return dict(night.data)


async def look_at(
    life: Life, change: Fact, judge: Judge, embedder: Embedder, tokens: int, nights: int = NIGHTS
) -> Figures:
    """Let the nights after one change pass."""
    said = [s for session in life.sessions for s in session.said if s.note]
    day = life.sessions[change.told].at
    start = day.replace(hour=4, minute=0) + DAY
    before = [s for s in said if s.at < day]
    out = Figures(changes=1)
    judge.pairs = judge.calls = judge.tokens = 0
    with tempfile.TemporaryDirectory() as home:
        async with store_at(Path(home) / "ebb.db", embedder, start) as store:
            user = await new_user(store, before[0].at)
            w = Window(life, store, user, judge, embedder)
            await w.tell(before)
            await w.night(start - DAY, 7 * tokens)  # what was there counts as looked at
            judge.pairs = judge.calls = judge.tokens = 0
            for n in range(nights):
                now = start + n * DAY
                await w.tell(s for s in said if now - DAY <= s.at < now or (s.at == day and n == 0))
                data = await w.night(now, tokens)
                _count(out, w, data, change, n)
    told = {s.fact for s in before}
    open_ = [f for f in life.facts.values() if f.replaces and not f.linked and f.id in told]
    out.backlog, out.nights = len(open_), nights
    out.pairs, out.calls, out.tokens = judge.pairs, judge.calls, judge.tokens
    return out


def _count(out: Figures, w: Window, data: dict[str, Any], change: Fact, n: int) -> None:
    """Count what one night ended, asked and merged."""
    for what, pairs in (("ended", data.get("changed", [])), ("asked", data.get("asked", []))):
        for old, new in pairs:
            a, b = (w.life.facts[w.facts[i]] for i in (old, new))
            right = a.chain == b.chain and a is not b
            out.did[what] += 1
            out.false[what] += not right
            out.found_late += right and b is not change
            if b is change and a.id == change.replaces:
                out.waited.append(n + 1)


def draw(life: Life, count: int) -> list[Fact]:
    """Draw unlinked changes after the first half of a year, always the same ones."""
    late = [
        f
        for f in life.facts.values()
        if f.replaces
        and not f.linked
        and life.sessions[f.told].at - life.start > 180 * DAY
        and (life.start + life.days * DAY - life.sessions[f.told].at) > NIGHTS * DAY
    ]
    return random.Random(life.seed).sample(late, min(count, len(late)))


async def run(a: argparse.Namespace) -> None:
    """Print a line for each embedder, language and share of errors."""
    head = "embedder  lang  errs  changes  found  1st night  median  backlog found  acts  false"
    print(head + "  false/pairs  pairs  calls  tokens a night")
    for name in a.embedder:
        embedder = EMBEDDERS[name]()
        for errs in a.errs:
            for lang in ("en", "zh"):
                total = Figures()
                for life in make_lives(a.lives):
                    if life.lang == lang:
                        for change in draw(life, a.changes):
                            judge = Judge(life, errs, stubborn=a.stubborn)
                            total += await look_at(life, change, judge, embedder, a.tokens)
                print(_write(name, lang, errs, total), flush=True)


def _write(name: str, lang: str, errs: float, f: Figures) -> str:
    waited, n = sorted(f.waited), max(1, f.nights)
    first = sum(w == 1 for w in waited) / max(1, f.changes)
    median = waited[len(waited) // 2] if waited else 0
    return (
        f"{name:9} {lang:4} {errs:5.2f} {f.changes:8} {f.found:6.2f} {first:10.2f} {median:7}"
        f" {f.found_late / max(1, f.backlog):14.2f} {f.did.total():5} {f.wrong:6.3f}"
        f" {f.false.total() / max(1, f.pairs):12.4f} {f.pairs / n:6.1f} {f.calls / n:6.2f}"
        f" {f.tokens / n:15.0f}   {dict(f.false)}"
    )


def main() -> None:
    """Read the options."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--lives", type=int, default=2, help="a language, at most 10")
    p.add_argument("--changes", type=int, default=3, help="a life")
    p.add_argument("--tokens", type=int, default=25_000, help="of conversation a day")
    p.add_argument("--embedder", action="append", choices=sorted(EMBEDDERS))
    p.add_argument("--errs", type=float, action="append", help="share of wrong answers")
    p.add_argument(
        "--stubborn", action="store_true", help="errors are the same for a pair each time"
    )
    a = p.parse_args()
    a.embedder, a.errs = a.embedder or ["bundled", "lexical"], a.errs or [0.0, 0.1]
    logging.disable(logging.WARNING)
    asyncio.run(run(a))


if __name__ == "__main__":
    main()
