"""Train what tells the notebook whether the memories that were found hold what is asked; `tests.bench.notebook` runs it.

The questions are those of half A of the diaries and stories (`tests/eval/recall`): plain ones for which recall brings
the right memory, against personal ones whose answer nobody told. A logistic regression over what recall's gate saw,
cross-validated by person. The limits are set to what may be lost of the right answers to plain questions.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bot.notebook import keep
from bot.notebook.answer import MOST_QUOTES
from bot.notebook.reader import ANSWER
from memory.embed import EMBEDDERS
from memory.lifecycle import is_episode
from memory.models import Kind, Layer, Memory, Query
from memory.ports import Store
from memory.recall import QueryEmbedder, recall_memories
from memory.recall.question import parse_question
from tests.bench.data import load, when
from tests.bench.embedders import Known
from tests.bench.ground import fill, made, new_user, store_at
from tests.eval.data import half_of

RECALL = Path(__file__).parents[1] / "eval" / "recall"
LANGS = ("en", "zh")
PLAIN = frozenset({"direct", "story"})  # kinds of question by which the limits are set
LEARNED = PLAIN | {"paraphrase", "forms"}
LOST: Mapping[str, float] = {
    "en": 0.07,
    "zh": 0.03,
}  # of right answers to plain questions: so many are not given
DOUBTED = 0.30  # and so many only with "not sure"
PENALTY = 0.3


@dataclass
class Asked:
    """A question, what the gate saw of the memories it brought, and whether one of them is right."""

    person: str
    lang: str
    kind: str
    story: bool
    held: bool
    right: bool
    seen: list[float]  # empty: nothing was brought


async def ask_all(half: str) -> list[Asked]:
    """Ask the questions of the diaries and of the stories of a half."""
    embedder = Known(EMBEDDERS["bundled"]())
    out: list[Asked] = []
    with tempfile.TemporaryDirectory() as home:
        for folder in sorted(RECALL.glob("diary_*")):
            lang = folder.name.split("_")[1]
            async with store_at(
                Path(home) / folder.name, embedder, datetime(2026, 1, 1, tzinfo=UTC)
            ) as store:
                for name, user in load(folder).items():
                    if half_of(name) == half:
                        told = [(m["text"], when(m["time"]), m["id"]) for m in user.in_time()]
                        asked = [
                            (q["text"], q["gold"], q["category"], user.now) for q in user.queries
                        ]
                        out += await _ask(store, embedder, name, lang, told, asked, story=False)
                for line in (folder / "stories.jsonl").read_text(encoding="utf-8").splitlines():
                    story = json.loads(line)
                    if half_of(story["user"]) == half:
                        told = await _kept(embedder, story)
                        asked = [(p["text"], p["gold"], "story" if p["gold"] else "unheld", when(p["at"])) for p in story["probes"]]  # fmt: skip
                        out += await _ask(
                            store, embedder, story["user"], lang, told, asked, story=True
                        )
    return out


async def _kept(embedder: Known, story: Mapping[str, Any]) -> list[tuple[str, datetime, Any]]:
    """Return what the notebook keeps of a story, with the number of the message."""

    async def embed(texts: Sequence[str]) -> Any:
        await embedder.learn(texts, "query")
        return await embedder.embed(texts, "query")

    out: list[tuple[str, datetime, Any]] = []
    for n, m in enumerate(story["messages"]):
        before = [{"role": "user", "text": x["text"]} for x in story["messages"][max(0, n - 1) : n]]
        for entry in await keep.find_entries(embed, m, before, (), {}):
            out.append((entry.text, when(m["at"]), n))
    return out


async def _ask(
    store: Store,
    embedder: Known,
    name: str,
    lang: str,
    told: Sequence[tuple[str, datetime, Any]],
    asked: Sequence[tuple[str, Sequence[Any], str, datetime]],
    *,
    story: bool,
) -> list[Asked]:
    person = await new_user(store, told[0][1])
    await embedder.learn(
        (t for text, at, _ in told for t in (text, _episode(person, text, at).content)), "content"
    )
    await embedder.learn(
        (t for text, *_ in asked for t in (text, *parse_question(text, ()).list_texts)), "query"
    )
    ids = await fill(store, person, [made(person, text, at) for text, at, _ in told], embedder)
    await fill(store, person, [_episode(person, text, at) for text, at, _ in told], embedder)
    source = dict(zip(ids, (x for *_, x in told), strict=True))
    reader, embed, out = store.open_reader(person), QueryEmbedder(embedder, 10_000), []
    for text, gold, kind, now in asked:
        vector = (await embed.embed(text))[0]
        found = (
            await recall_memories(reader, Query(person, text, (), now, "UTC", vector=vector), u=0.0)
        ).hits
        hits = [h for h in found if not is_episode(h.memory)][:MOST_QUOTES]
        seen = [h.evidence for h in hits]
        right = any(source[h.memory.id] in gold for h in hits)
        most = [max(s.get(f, 0.0) for s in seen) for f in ANSWER] if seen else []
        out.append(Asked(name, lang, kind, story, bool(gold), right, most))
    return out


def _episode(person: str, text: str, at: datetime) -> Memory:
    """Return the episode of a message, as the notebook's summaries quote it: a store has one a session."""
    m = made(person, f"[{at:%Y-%m-%d %H:%M}] “{text}”", at)
    return replace(m, layer=Layer.EPISODE, kind=Kind.EPISODE)


def fit(rows: Sequence[Asked]) -> Any:
    """Fit the weights and the bias, held and unheld questions counting the same in each language."""
    x = np.array([r.seen for r in rows])
    y = np.array([r.held for r in rows], float)
    sides = [(r.held, r.lang) for r in rows]
    weight = np.array([len(rows) / 4 / sides.count(s) for s in sides])
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    x = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    w = np.zeros(x.shape[1])
    penalty = PENALTY * np.diag([*np.ones(len(w) - 1), 0.0])
    for _ in range(25):
        p = 1 / (1 + np.exp(-x @ w))
        w -= np.linalg.solve(
            (x.T * (weight * p * (1 - p))) @ x + penalty, x.T @ (weight * (p - y)) + penalty @ w
        )
    return np.array([*(w[:-1] / spread), w[-1] - w[:-1] @ (mean / spread)])


def train_answers(asked: Sequence[Asked]) -> dict[str, Any]:
    """Train the weights, set the limits by cross-validation, print the curve."""
    rows = [r for r in asked if r.seen and ((r.right and r.kind in LEARNED) or not r.held)]
    odds = np.zeros(len(rows))
    for person in {r.person for r in rows}:
        w = fit([r for r in rows if r.person != person])
        for i, r in enumerate(rows):
            if r.person == person:
                odds[i] = w[:-1] @ r.seen + w[-1]
    limits = []
    for lang in LANGS:
        plain = [
            o
            for o, r in zip(odds, rows, strict=True)
            if r.lang == lang and r.held and r.kind in PLAIN
        ]
        limits.append([np.quantile(plain, LOST[lang]), np.quantile(plain, DOUBTED)])
        print(f"\nwhether it is answered, {lang}, cross-validated: of right answers lost | of questions without answer silent, diaries, stories")  # fmt: skip
        for lost in (0.0, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3):
            print(f"  {lost:.2f} | {_silent(asked, rows, odds, lang, np.quantile(plain, lost))}")
    return {"answer": fit(rows).astype(np.float32), "answer.limits": np.array(limits, np.float32)}


def _silent(
    asked: Sequence[Asked], rows: Sequence[Asked], odds: Any, lang: str, limit: float
) -> str:
    """Write which shares of the questions without an answer are left unanswered with a limit."""
    by = {id(r): o for r, o in zip(rows, odds, strict=True)}
    out = []
    for story in (False, True):
        some = [
            by.get(id(r), -np.inf) < limit
            for r in asked
            if not r.held and r.lang == lang and r.story is story
        ]
        out.append(f"{np.mean(some):.2f} of {len(some)}")
    return ", ".join(out)
