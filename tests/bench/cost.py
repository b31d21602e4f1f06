"""What a turn costs beside plain chat: `python -m tests.bench.cost [--lang en zh mixed] [--turns 40] [--each]`.

The real loop talks to a model server on loopback, a minute apart, over 50 memories; every request is counted as it
was sent, in o200k tokens (`pip install bpe-openai`, which carries its vocabulary). Uncached are the tokens behind the
longest prefix that an earlier request of that role in the last five minutes had, in steps of 128, none below 1,024.
Plain chat is the persona, the same history and the message, counted by the same rule.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, zip_longest
from pathlib import Path

from bot.agent.context import load_persona
from bot.bootstrap import open_ebb
from bot.events import Turn
from bot.settings import Settings
from memory.embed import EMBEDDERS
from memory.models import Kind, Memory
from tests.bench.calls import KNOWN
from tests.bench.cost_talks import MEMORIES, REPLIES, TALKS, Said
from tests.bench.ground import fill, made
from tests.servers.openai import OpenAIServer, Request
from tests.servers.tasks import summary, task_of

START = datetime(2026, 2, 11, 10, 0, tzinfo=UTC)
LIFETIME = timedelta(minutes=5)
STEP, LEAST = 128, 1024

Count = Callable[[str], int]


@dataclass
class Cache:
    """What a provider keeps of each role's requests, and what was not in it."""

    count: Count
    seen: dict[str, list[tuple[datetime, str]]] = field(default_factory=dict)

    def send(self, role: str, text: str, at: datetime) -> int:
        """Count the tokens that are not cached."""
        sent = self.seen.setdefault(role, [])
        alive = [text_ for when, text_ in sent if at - when <= LIFETIME]
        common = max((measure_common(text, t) for t in alive), default=0)
        cached = self.count(text[:common]) // STEP * STEP
        sent.append((at, text))
        return self.count(text) - (cached if cached >= LEAST else 0)


def measure_common(a: str, b: str) -> int:
    """Count the characters that two texts begin with alike."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


@dataclass
class Spent:
    """Tokens of one turn, by role: prompt, uncached prompt, completion."""

    prompt: dict[str, int] = field(default_factory=dict)
    uncached: dict[str, int] = field(default_factory=dict)
    completion: dict[str, int] = field(default_factory=dict)

    def add(self, role: str, prompt: int, uncached: int, completion: int) -> None:
        """Count one call."""
        for counted, n in (
            (self.prompt, prompt),
            (self.uncached, uncached),
            (self.completion, completion),
        ):
            counted[role] = counted.get(role, 0) + n


def write_out(messages: Sequence[tuple[str, str]]) -> str:
    """The messages as one text, as a chat template sets them."""
    return "".join(f"<|{role}|>\n{text}\n" for role, text in messages)


def make_memories(owner: str, lang: str) -> list[Memory]:
    """Fifty memories of one person."""
    known = [(k.text, k.kind, k.days_ago, k.due) for k in KNOWN[lang]]
    more = [(text, Kind(kind), 20.0 + 3 * i, None) for i, (kind, text) in enumerate(MEMORIES[lang])]
    out = []
    for text, kind, days, due in (*known, *more):
        at = START - timedelta(days=days)
        ends = None if due is None else START + timedelta(days=due)
        out.append(replace(made(owner, text, at), kind=kind, expires_at=ends))
    assert len(out) == 50, len(out)
    return out


def list_talk(lang: str, turns: int) -> list[Said]:
    """The turns; mixed: both languages by turns."""
    if lang != "mixed":
        return list(TALKS[lang])[:turns]
    both = zip_longest(TALKS["en"][::2], TALKS["zh"][1::2])
    return [s for s in chain.from_iterable(both) if s is not None][:turns]


async def measure(
    lang: str, turns: int, length: int, count: Count, show: Path | None = None
) -> list[Spent]:
    """Each turn's tokens, by role; plain chat is the role `plain`."""
    now, spent, current = START, list[Spent](), Said("")
    cache, talk, told = Cache(count), list_talk(lang, turns), list[tuple[str, str]]()
    home_lang = "en" if lang == "mixed" else lang

    def answer(request: Request) -> str:
        role = task_of(request)
        if role == "chat":
            said = REPLIES[home_lang]
            reply = " ".join(said[(len(spent) + i) % len(said)] for i in range(length))
        elif role == "monitor":
            ids = re.findall(r"^\[(\w{6,})\] ?\S", request.last, re.M)
            reply = current.learned.replace("{id}", ids[0] if ids else "none")
        elif role == "extract":
            reply = '{"memories": []}'
        else:
            line = " ".join(text for _, text in told[-6:])[:200]
            reply = summary(line, line)
        sent = [(m["role"], m["content"]) for m in request.messages]
        text = write_out(sent)
        if show is not None:
            name = f"{lang}-{len(spent):02}-{role}.txt"
            (show / name).write_text(text, encoding="utf-8")
        spent[-1].add(role, count(text), cache.send(role, text, now), count(reply))
        if role == "chat":
            history = told[len(told) - (len(sent) - 2) :] if len(sent) > 2 else []
            plain = write_out(
                [
                    ("system", load_persona(None, home_lang)),
                    *history,
                    ("user", current.text),
                ]
            )
            spent[-1].add("plain", count(plain), cache.send("plain", plain, now), count(reply))
            told.extend([("user", current.text), ("assistant", reply)])
        return reply

    async with OpenAIServer() as server:
        server.default = answer
        with tempfile.TemporaryDirectory() as home:
            settings = Settings(
                home=Path(home),
                provider="openai",
                openai_base_url=server.url,
                openai_api_key="k",
                chat_model="m",
                embedder="bundled",
                recall_deadline_ms=5_000,
            )
            async with open_ebb(settings, clock=lambda: now) as ebb:
                memories = make_memories(ebb.owner, home_lang)
                await fill(ebb.store, ebb.owner, memories, EMBEDDERS["bundled"]())
                for i, current in enumerate(talk):
                    now += timedelta(minutes=1)
                    spent.append(Spent())
                    turn = Turn(f"t{i}", ebb.owner, ebb.scope, current.text, now, "Europe/Berlin")
                    async with aclosing(ebb.agent.reply(turn)) as events:
                        async for _ in events:
                            pass
                    await ebb.agent.drain(30)
    return spent


def print_means(lang: str, spent: Sequence[Spent], *, each: bool) -> None:
    """Print the mean of a turn by role, and what is beyond plain chat."""
    roles = sorted({r for s in spent for r in s.uncached}, key=lambda r: (r != "plain", r))
    if each:
        for i, s in enumerate(spent):
            print(f"  {i + 1:3} " + "  ".join(f"{r} {s.uncached.get(r, 0):5}" for r in roles))
    print(f"{lang}: mean of {len(spent)} turns")
    print(f"  {'role':<12}{'prompt':>9}{'uncached':>10}{'completion':>12}")
    total = [0.0, 0.0, 0.0]
    for role in roles:
        mean = [
            sum(t.get(role, 0) for t in table) / len(spent)
            for table in (
                [s.prompt for s in spent],
                [s.uncached for s in spent],
                [s.completion for s in spent],
            )
        ]
        print(f"  {role:<12}{mean[0]:9.0f}{mean[1]:10.0f}{mean[2]:12.0f}")
        total = [a + (-b if role == "plain" else b) for a, b in zip(total, mean, strict=True)]
    print(f"  {'beyond plain':<12}{total[0]:9.0f}{total[1]:10.0f}{total[2]:12.0f}")


def main() -> None:
    """Measure and print."""
    import bpe_openai

    encoding = bpe_openai.get_encoding("o200k_base")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang", nargs="+", default=["en", "zh", "mixed"])
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--length", type=int, default=3, help="of replies, in some 30 tokens")
    parser.add_argument("--each", action="store_true", help="print every turn")
    parser.add_argument("--show", type=Path, help="keep what was sent in this folder")
    args = parser.parse_args()
    for lang in args.lang:
        spent = asyncio.run(
            measure(
                lang, args.turns, args.length, lambda text: len(encoding.encode(text)), args.show
            )
        )
        print_means(lang, spent, each=args.each)


if __name__ == "__main__":
    main()
