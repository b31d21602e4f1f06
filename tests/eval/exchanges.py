"""Talk one exchange of the sets through the real loop, and say what it left."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from tests.eval.answers import Answerer, count_calls, open_talk
from tests.eval.data import half_of
from tests.eval.scores import Scoring
from tests.eval.talks import Answers, Row, Talk, unname

SETS: Final = ("exchanges_en", "exchanges_zh")
HELD: Final = (
    "exchanges_held",
    "exchanges_last",
    "exchanges_more",
    "exchanges_next",
)  # nobody tuned on them
_REFUSED: Final = re.compile(r'<line reason="([^"]*)">(.*?)</line>', re.DOTALL)


def list_gold(case: Row) -> Answers:
    """What a perfect monitor answers to the case, and says again where it is not believed."""
    return {(0, "monitor", n): "\n".join(map(unname, case["gold"])) for n in (0, 1)}


@asynccontextmanager
async def prepare(server: Answerer, case: Row, model: str, embedder: str) -> AsyncIterator[Talk]:
    """Open the case as it stands before its exchange."""
    *before, (_, at, _text), _reply = case["exchange"]
    every = 1 + len(before)
    async with open_talk(server, case, case["now"], model, embedder, monitor_every=every) as talk:
        now = talk.moment(at)
        await talk.seed(case["memories"], now)
        await talk.tell_earlier(case["earlier"], now)
        for i, (_, earlier, said) in enumerate(before):
            await talk.leave_unanswered(f"alone-{i}", said, talk.moment(earlier))
        yield talk


async def exchange(talk: Talk, case: Row) -> str:
    """Say what the case says; what failed, if something did."""
    (_, at, text), (_, _, reply) = case["exchange"][-2:]
    failed = await talk.say(text, reply, talk.moment(at))
    left = await talk.drain()
    return failed or (f"{left} jobs left" if left else "")


def get_prompt(talk: Talk) -> list[dict[str, Any]]:
    """The monitor's prompt as it was sent."""
    return next((c["request"] for c in talk.calls if c["task"] == "monitor"), [])


def list_refused(talk: Talk) -> list[str]:
    """What of an answer was not taken, and why, as the monitor was told when it was asked again."""
    asked = (str(c["request"][-1]["content"]) for c in talk.calls if c["task"] == "monitor")
    found = [m for prompt in asked for m in _REFUSED.findall(prompt)]
    return [f"{reason}: {line}" for reason, line in found]


async def measure(
    server: Answerer, case: Row, answers: Answers, model: str, embedder: str
) -> tuple[Row, Sequence[Row]]:
    """Talk one exchange through; its score, and what the models were asked."""
    async with prepare(server, case, model, embedder) as talk:
        talk.answers = answers
        before = {m.id: m for m in await talk.memories()}
        failed = await exchange(talk, case)
        after = {m.id: m for m in await talk.memories()}
        asked = await talk.window.ebb.memory.list_proposals(talk.window.user_id)
        now = talk.window.time.now
    told = [c["answer"] for c in talk.calls if c["task"] == "monitor"]
    scoring = Scoring(case, talk.names, before, after, now, told, [p.text for p in asked])
    row = {
        "type": "exchange",
        **{k: case[k] for k in ("id", "kind", "language")},
        "half": half_of(case["id"]),
        **scoring.score(),
        "failed": failed,
        "said": [f"{role}: {text}" for role, _, text in case["exchange"]],
        "answers": told,
        "refused": list_refused(talk),
        "stored": [f"{m.state}: {m.original_content}" for m in after.values()],
        "tokens": count_calls(talk.calls),
    }
    return row, talk.calls
