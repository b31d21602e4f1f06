"""What fading and the nights are worth over years: `python -m tests.bench.forgetting [--lives N] [--embedder e5 lexical]`.

Simulated lives of three years (`tests/bench/years`, whose seeds and digest were committed before any arm ran) are lived
in the program's own store, and at each session what is needed is asked through its own recall.

The arms. Those without nights share one store, those with nights another. All that is told, said again or used goes
into both in the same way; a use counts where the arm as shipped (reach, or reach + night) brings the answer up.

- no fading: recall as if no time had passed (`u` 0: every memory at FULL, the time component of its weight 1).
- strict: `EBB_REACH=strict`, FULL and SUMMARY only.
- reach: as shipped, without nights.
- recency: no fading, and in place of retention 2^(-days since last said or used / 90), bounded as retention is.
- random: no fading, and in place of retention a number from 0 to 1 drawn once a memory.
- no fading + night, reach + night: the second is the whole as shipped.

The baseline, written down before the first run, is a plain system: "no fading", no nights, and a profile of the standing
memories and beside them the session paper's residents: the 20 strongest other memories of weight 0.5 or more at `u` 0
(no health, todos, context or episodes among them; the newest first among equals). All other arms have the profile as
shipped, standing memories alone. What is in the profile takes none of the three places of the block; tokens a turn
are what profile and block add to the prompt that `bot.agent.context` builds (`estimate_tokens`).

The measures. recall@3 is the share of questions whose answer is among the first three that pass the gate, with nothing
excluded; "by need" and "even ages" are the two sets of questions of each life, "over two years" those of both whose
fact was first told 730 days before. "In the prompt" is the share whose answer stands in profile or block. Stale: of the
questions whose fact has former versions, how many bring up a former one in the first three, and how many put it above
the current one or bring it up alone. Standing: of the standing facts that are true, how many are in the profile, every
13 weeks. Small talk: of 100 turns a life, how many bring anything up. Changes: of those that nobody linked and that are
old enough, how many a night ended within 30 nights; wrongly ended are facts that still hold.

Nights are run once a week in place of every day (`--nights` days apart), each within the program's budget of a tenth of
the week's conversation; "within 30 nights" counts runs, and stands beside the days. The model of the nights judges by
the truth of the life, save the share of its verdicts that `--wrong` makes random. Intervals are 95%, by bootstrap over lives; of a difference, over the lives' differences.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import logging
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, Final

import numpy as np

from bot.agent.context import PromptMaterial, build
from memory import api
from memory.embed import EMBEDDERS
from memory.lifecycle import compute_weight
from memory.models import Filter, Hit, Kind, Layer, Memory, MemoryId, Query
from memory.ports import Transaction
from memory.recall import QueryEmbedder, find_standing, rank_candidates
from memory.recall.fusion import RETENTION, apply_nudges
from memory.text.clean import estimate_tokens
from tests.bench.years.home import KEY, Cached, Home, home_of
from tests.bench.years.lives import DAYS, Asked, Life, make_lives
from tests.bench.years.talk import small_talk

BASELINE, WHOLE = "no fading", "reach + night"
AWAKE: Final = (BASELINE, "strict", "reach", "recency", "random")
NIGHTLY: Final = ("no fading + night", WHOLE)
ARMS: Final = (*AWAKE, *NIGHTLY)
FACTORS: Final = {BASELINE: 0.0, "no fading + night": 0.0}  # the others forget as is normal
NAMES: Final = {"e5": "bundled", "lexical": "lexical"}
OLD: Final = 730
RESIDENTS, RESIDENT = 20, 0.5  # the session paper
NO_RESIDENTS: Final = frozenset({Kind.HEALTH, Kind.TODO, Kind.CONTEXT})
HALF: Final = 90.0  # days of the arm "recency"
TALK: Final = 100  # turns of small talk a life
WITHIN: Final = 30  # nights
CHECKED: Final = timedelta(weeks=13)
DRAWN: Final = 2_000  # bootstrap samples

NEED, EVEN, LONG_AGO = "recall@3 by need", "recall@3 even ages", "recall@3 over two years"
PREMISE = "recall@3 stale premise"
UNGATED, PROMPT = "recall@3 by need, no gate", "in the prompt by need"
STALE, ABOVE = "stale in the top 3", "stale above the current"
TOKENS, TALK_TOKENS = "memory tokens a question", "memory tokens of small talk"
STANDING, SPOKE = "standing present", "small talk brings up"
MEASURES: Final = (
    NEED,
    EVEN,
    LONG_AGO,
    PREMISE,
    UNGATED,
    PROMPT,
    STALE,
    ABOVE,
    TOKENS,
    TALK_TOKENS,
    STANDING,
    SPOKE,
)
Values = dict[str, list[float]]
Rank = Callable[[Query], Any]


@dataclass
class Lived:
    """What the arms did in one life: the values of each measure by arm, and what the nights found."""

    life: Life
    values: dict[str, Values] = field(
        default_factory=lambda: {arm: defaultdict(list) for arm in ARMS}
    )
    changes: dict[str, Any] = field(default_factory=dict)
    missing: Counter[str] = field(default_factory=Counter)  # standing facts not in WHOLE's profile

    def mean(self, arm: str, measure: str) -> float:
        values = self.values[arm].get(measure)
        return fmean(values) if values else float("nan")


class Arms:
    """The arms of one store: how each recalls, and what its profile holds at a session."""

    def __init__(self, home: Home, names: Sequence[str]) -> None:
        self.home, self.names = home, names
        self._rng = random.Random(home.life.seed)
        self._drawn: dict[MemoryId, float] = defaultdict(self._rng.random)
        self._queries = QueryEmbedder(home.embedder, 60_000)
        self._memories = {
            name: api.Memory(
                home.store,
                model=home.model,
                embedder=home.embedder,
                key=KEY,
                u=FACTORS.get(name, 1.0),
                reach="strict" if name == "strict" else "all",
                deadline_ms=60_000,
            )
            for name in names
            if name not in ("recency", "random")
        }
        self._profiles: dict[str, list[Memory]] = {}
        self._faint: Hit | None = None  # what the last question came near to

    async def ready(self) -> None:
        """Wait for the embedder, and for the reader of messages, which the gate wants."""
        await self.home.embedder.embed(["hello"], "content")
        for queries in (self._queries, *(m._queries for m in self._memories.values())):
            await queries.embed("hello")
            if queries._reading is not None:
                await queries._reading

    async def close(self) -> None:
        """Give up what is under way."""
        for memory in self._memories.values():
            await memory.close()
        await self._queries.close()

    async def recall(self, arm: str, text: str, at: datetime) -> tuple[list[Hit], list[Hit]]:
        """Return the first three that pass, and the first three without a gate."""
        if arm in self._memories:
            found = await self._memories[arm].recall(self.home.user, text, (), at, "UTC")
            self._faint = found.faint
            best = sorted((*found.hits, *found.missed), key=lambda h: -h.score)
            return list(found.hits[:3]), best[:3]
        self._faint = None
        vector, _ = await self._queries.embed(text)
        query = Query(self.home.user, text, (), at, "UTC", vector=vector)
        reader = self.home.store.open_reader(self.home.user)
        hits = [self._renudged(arm, h, at) for h in await rank_candidates(reader, query, u=0.0)]
        hits.sort(key=lambda h: (-h.score, h.memory.id))
        return [h for h in hits if h.passed][:3], hits[:3]

    def _renudged(self, arm: str, hit: Hit, at: datetime) -> Hit:
        if arm == "random":
            strength = self._drawn[hit.memory.id]
        else:
            strength = 0.5 ** ((at - hit.memory.last_activated_at) / timedelta(days=HALF))
        nudges = {**hit.nudges, "retention": 1 + RETENTION * (2 * strength - 1)}
        return replace(hit, score=apply_nudges(sum(hit.signals.values()), nudges), nudges=nudges)

    async def begin(self, at: datetime) -> None:
        """Take the profiles for a session; what is in a profile does not change in it."""
        standing, residents = await self.home.store.read(
            self.home.user, lambda tx: (find_standing(tx, 1.0, at), find_residents(tx, at))
        )
        have = {m.id for m in standing}
        beside = [m for m in residents if m.id not in have][:RESIDENTS]
        self._profiles = {
            name: [*standing, *beside] if name == BASELINE else standing for name in self.names
        }

    def profile(self, arm: str) -> list[Memory]:
        """Return the arm's profile at this session."""
        return self._profiles[arm]

    async def prompt(
        self, arm: str, text: str, at: datetime, hits: list[Hit]
    ) -> tuple[set[MemoryId], int]:
        """Return what stands in the prompt, and the tokens that it adds."""
        profile, faint = self._profiles[arm], self._faint
        have = frozenset(m.id for m in profile)
        if any(h.memory.id in have for h in hits):  # its place is another's
            if arm in self._memories:
                memory = self._memories[arm]
                found = await memory.recall(self.home.user, text, (), at, "UTC", exclude=have)
                hits, faint = list(found.hits), found.faint
            else:
                hits = [h for h in hits if h.memory.id not in have]
        lang = self.home.life.lang
        blank = PromptMaterial(text, at, "UTC", lang)
        faint = None if hits else faint  # as the agent has it, but for once per topic and session
        size = _size(replace(blank, profile=profile, hits=hits, faint=faint)) - _size(blank)
        return {*have, *(h.memory.id for h in hits)}, size


_count = functools.lru_cache(maxsize=4_096)(estimate_tokens)


def _size(material: PromptMaterial) -> int:
    return sum(_count(m["content"]) for m in build(material).messages)


def find_residents(tx: Transaction, at: datetime) -> list[Memory]:
    """Find the strongest memories of a plain system, in which nothing fades."""
    found = tx.memories.find(Filter(valid_at=at, negated=False), limit=2_000).items
    some = [m for m in found if m.kind not in NO_RESIDENTS and m.layer is not Layer.EPISODE]
    weighed = [(compute_weight(m, 0.0, at), m) for m in some]
    strong = [(w, m) for w, m in weighed if w >= RESIDENT]
    return [m for _, m in sorted(strong, key=lambda x: (-x[0], -x[1].created_at.timestamp()))]


async def measure(
    life: Life, embedder: Cached, names: Sequence[str], every: int, wrong: float = 0.0
) -> Lived:
    """Live one life in as many stores as the arms need, and ask."""
    out = Lived(life)
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            groups: list[Arms] = []
            for i, group in enumerate((AWAKE, NIGHTLY)):
                if wanted := [name for name in group if name in names]:
                    path = Path(folder) / str(i) / "ebb.db"
                    path.parent.mkdir()
                    home = await stack.enter_async_context(home_of(life, path, embedder, wrong))
                    groups.append(Arms(home, wanted))
                    await groups[-1].ready()
                    stack.push_async_callback(groups[-1].close)
            for arms in groups:
                await _live(arms, out, every if arms.names[0] in NIGHTLY else 0)
    return out


async def _live(arms: Arms, out: Lived, every: int) -> None:
    home, checked = arms.home, arms.home.life.start
    slept = home.life.start
    for number, session in enumerate(home.life.sessions):
        while every and slept + timedelta(days=every) <= session.at:
            slept += timedelta(days=every)
            await home.night(slept, number - 1)
        if session.asked or session.even or session.at - checked >= CHECKED:
            await arms.begin(session.at)
        if session.at - checked >= CHECKED:
            checked = session.at
            _check_standing(arms, out, number)
        for asked in session.asked:
            found = await _ask(arms, out, asked, NEED)
            if found:
                await home.use(asked.gold, asked.text, session.at)
        for asked in session.even:
            await _ask(arms, out, asked, EVEN)
        await home.live(session)
    await _talk(arms, out)
    if every:
        out.changes = _count_changes(home, every)


def _check_standing(arms: Arms, out: Lived, number: int) -> None:
    facts = arms.home.life.facts.values()
    true = [
        f.id for f in facts if "standing" in f.sort.flags and f.told < number and f.true_at(number)
    ]
    for arm in arms.names:
        have = {arms.home.facts.get(m.id) for m in arms.profile(arm)}
        for fact in true:
            out.values[arm][STANDING].append(fact in have)
            if fact not in have and arm == WHOLE:
                out.missing[arms.home.life.facts[fact].sort.name] += 1


async def _ask(arms: Arms, out: Lived, asked: Asked, measured: str) -> bool:
    """Ask in all arms; whether the arm as shipped found it."""
    ids = arms.home.ids  # without those that the store refused
    gold, stale = ({ids[f] for f in facts if f in ids} for facts in (asked.gold, asked.stale))
    stale -= gold  # a note-taker that took two versions for one memory
    used = False
    for arm in arms.names:
        hits, free = await arms.recall(arm, asked.text, asked.at)
        top = [h.memory.id for h in hits]
        found = not gold.isdisjoint(top)
        values = out.values[arm]
        values[measured].append(found)
        if asked.age > OLD:
            values[LONG_AGO].append(found)
        if asked.way == "stale":
            values[PREMISE].append(found)
        if stale:
            first = next((i for i in top if i in gold or i in stale), None)
            values[STALE].append(not stale.isdisjoint(top))
            values[ABOVE].append(first in stale)
        if measured == NEED:
            have, size = await arms.prompt(arm, asked.text, asked.at, hits)
            values[UNGATED].append(any(h.memory.id in gold for h in free))
            values[PROMPT].append(not gold.isdisjoint(have))
            values[TOKENS].append(size)
        used = used or (found and arm in ("reach", WHOLE))
    return used


async def _talk(arms: Arms, out: Lived) -> None:
    """Say what calls for no memory, a day after the last session."""
    life = arms.home.life
    at = life.sessions[-1].at + timedelta(days=1)
    await arms.begin(at)
    turns = small_talk(life.lang)
    start = life.seed % 10 * TALK  # each life has its own hundred
    for text in turns[start : start + TALK]:
        for arm in arms.names:
            hits, _ = await arms.recall(arm, text, at)
            _, size = await arms.prompt(arm, text, at, hits)
            out.values[arm][SPOKE].append(bool(hits))
            out.values[arm][TALK_TOKENS].append(size)


def _count_changes(home: Home, every: int) -> dict[str, Any]:
    """What the nights found of what nobody linked, in time; and what they ended that holds."""
    life, end = home.life, home.life.sessions[-1].at
    unlinked = [
        f.replaces
        for f in life.facts.values()
        if f.replaces and not f.linked and (end - life.sessions[f.told].at).days >= WITHIN * every
    ]
    days = [home.found[i] for i in unlinked if i in home.found]
    return {
        "unlinked": len(unlinked),
        "in time": sum(d <= WITHIN * every for d in days),
        "days": days,
        "wrong": len(home.wrong),
        "asked": home.asked,
        "ended": len(home.found) + len(home.wrong),
        "judged": dict(home.model.judged),
        "not stored": home.refused,
        "nights": home.nights,
        "waited": dict(home.waited),
    }


# --- what is printed ---


def interval(samples: np.ndarray[Any, Any]) -> tuple[float, float]:
    """95% of the bootstrap."""
    there = samples[~np.isnan(samples)]
    low, high = np.percentile(there, [2.5, 97.5]) if len(there) else (np.nan, np.nan)
    return float(low), float(high)


def mean(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Means along the last axis, of the lives that have a value; nan without any."""
    there = ~np.isnan(values)
    total = np.where(there, values, 0.0).sum(axis=-1)
    count = there.sum(axis=-1)
    return np.where(count, total / np.maximum(count, 1), np.nan)


def draw(count: int) -> np.ndarray[Any, Any]:
    """Which lives each bootstrap sample has."""
    return np.random.default_rng(11).integers(0, count, (DRAWN, count))


def lines(lives: Sequence[Lived], names: Sequence[str]) -> list[str]:
    """The table of the arms, the bars, and what the nights found."""
    drawn = draw(len(lives))
    table = {
        arm: {m: np.array([one.mean(arm, m) for one in lives]) for m in MEASURES} for arm in names
    }
    out = [f"{'':30}" + "".join(f"{arm:>22}" for arm in names)]
    for m in MEASURES:
        row = f"{m:30}"
        for arm in names:
            values = table[arm][m]
            low, high = interval(mean(values[drawn]))
            wide = m in (TOKENS, TALK_TOKENS)
            cell = (
                f"{float(mean(values)):.0f} [{low:.0f}, {high:.0f}]"
                if wide
                else f"{float(mean(values)):.3f} [{low:.3f}, {high:.3f}]"
            )
            row += f"{cell:>22}"
        out.append(row)
    if {BASELINE, WHOLE} <= set(names):
        out += ["", f"{WHOLE} against {BASELINE}:", *_bars(table, drawn)]
    return [*out, *_nights(lives)]


def _bars(table: Mapping[str, Mapping[str, Any]], drawn: np.ndarray[Any, Any]) -> list[str]:
    """The bars of issue 11; of what has none, the figure."""
    out = []
    shares = {STALE: -0.4, ABOVE: None, TOKENS: -0.2, TALK_TOKENS: None}
    for m, bar in shares.items():
        before, after = table[BASELINE][m], table[WHOLE][m]
        samples = mean(after[drawn]) / mean(before[drawn]) - 1
        value = float(mean(after) / mean(before) - 1)
        out.append(_bar(f"{m}, share", value, samples, bar, met=bar is not None and value <= bar))
    for m, bar in {NEED: -0.01, EVEN: -0.01, LONG_AGO: -0.02, PREMISE: None, PROMPT: None}.items():
        change = table[WHOLE][m] - table[BASELINE][m]
        value = float(mean(change))
        out.append(_bar(m, value, mean(change[drawn]), bar, met=bar is not None and value >= bar))
    standing = table[WHOLE][STANDING]
    value = float(mean(standing))
    return [*out, _bar(STANDING, value, mean(standing[drawn]), 1.0, met=value > 0.9999)]


def _bar(
    name: str, value: float, samples: np.ndarray[Any, Any], bar: float | None, *, met: bool
) -> str:
    low, high = interval(samples)
    told = "no bar" if bar is None else f"bar {bar:+.2f}: {'met' if met else 'MISSED'}"
    return f"  {name:34} {value:+.3f} [{low:+.3f}, {high:+.3f}]   {told}"


def _nights(lives: Sequence[Lived]) -> list[str]:
    some = [one.changes for one in lives if one.changes]
    if not some:
        return []
    unlinked, in_time = (sum(c[k] for c in some) for k in ("unlinked", "in time"))
    ended, wrong = (sum(c[k] for c in some) for k in ("ended", "wrong"))
    days = sorted(d for c in some for d in c["days"])
    judged: dict[str, int] = defaultdict(int)
    for c in some:
        for verdict, n in c["judged"].items():
            judged[verdict] += n
    waited = sum((Counter(c["waited"]) for c in some), Counter[str]())
    missing = sum((one.missing for one in lives), Counter[str]())
    lost = [text for c in some for text in c["not stored"]]
    return [
        "",
        f"unlinked changes that a night ended within {WITHIN} nights: {in_time} of {unlinked}"
        f" ({in_time / max(1, unlinked):.0%}); days until then: median {days[len(days) // 2] if days else '-'}",
        f"standing facts that were missing, by sort: {dict(missing.most_common())}",
        f"wrongly ended: {wrong} of {ended} memories ended; questions to the person:"
        f" {sum(c['asked'] for c in some)}",
        f"pairs judged: {dict(judged)}; nights a life: {fmean(c['nights'] for c in some):.0f};"
        f" phases cut short by the budget: {dict(waited)}",
        f"notes that the store took for another or refused: {len(lost)}"
        + "".join(f"\n  {t}" for t in lost[:8]),
    ]


async def run(
    lives: Sequence[Life],
    embedder: Cached,
    names: Sequence[str],
    every: int,
    wrong: float = 0.0,
) -> list[Lived]:
    """Measure them one after the other."""
    out = []
    for life in lives:
        out.append(await measure(life, embedder, names, every, wrong))
        embedder.save()
        print(f"{life.lang} {life.seed}: {process_time():.0f} s of CPU", flush=True)
    return out


def main() -> None:
    """Print the tables."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument("--lives", type=int, default=20, help="how many, half of them in each language")
    p.add_argument("--embedder", nargs="+", choices=list(NAMES), default=["e5", "lexical"])
    p.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    p.add_argument("--nights", type=int, default=7, help="days from one night to the next")
    p.add_argument(
        "--wrong", type=float, default=0.0, help="share of the night's verdicts at random"
    )
    p.add_argument("--days", type=int, default=DAYS)
    p.add_argument("--cache", type=Path, help="a folder for vectors of earlier runs")
    p.add_argument("--json", type=Path, help="all figures, to this file")
    a = p.parse_args()
    for quiet in ("memory.upkeep", "memory.learn"):  # a night without tokens is counted instead
        logging.getLogger(quiet).setLevel(logging.ERROR)
    told: dict[str, Any] = {}
    for name in a.embedder:
        embedder = Cached(EMBEDDERS[NAMES[name]](), a.cache)
        lives = make_lives(max(1, a.lives // 2), a.days)
        lived = asyncio.run(run(lives, embedder, a.arms, a.nights, a.wrong))
        print(
            f"\n{embedder.id}: {len(lived)} lives of {a.days} days, a night every {a.nights} days"
        )
        print("\n".join(lines(lived, a.arms)))
        for lang in ("en", "zh"):
            print(f"\n{lang} alone:")
            print("\n".join(lines([one for one in lived if one.life.lang == lang], a.arms)))
        told[embedder.id] = [
            {"life": f"{one.life.lang}{one.life.seed}", "changes": one.changes}
            | {arm: {m: one.mean(arm, m) for m in MEASURES} for arm in a.arms}
            for one in lived
        ]
    if a.json is not None:
        a.json.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
