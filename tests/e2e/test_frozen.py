"""What Ebb sends to models, shows to people and writes to files is as it was.

A scripted life per language goes through the agent loop and a model server on loopback. Compared with the files in
`frozen/en` and `frozen/zh`:

- `talk.txt`: every reply, event and command's outcome, and under it every request sent to the model
- `MEMORY.md`, `export.jsonl`: the mirror and the export at the end

`frozen/recall.json` holds recall's figures on `tests/eval/recall` with the lexical embedder, to three digits. What
version 0.1 left on the disk is held by `tests/homes`.

Where a difference is meant, write the files anew, and read their diff before committing it:

    pytest tests/e2e/test_frozen.py --refreeze
"""

from __future__ import annotations

import io
import json
import re
import secrets
import tomllib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from difflib import unified_diff
from hashlib import sha256
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from bot.cli import memory  # noqa: F401 - its verbs are registered
from bot.cli.parser import VERBS, memory_parser
from bot.events import CommandOutcome, Delta, Done, Event, Failed, Recalled, Started, Stopped, Turn
from memory.embed import LexicalEmbedder
from memory.models import Filter, Query, Sensitivity, State
from memory.recall import QueryEmbedder, rank_candidates
from tests.bench.data import load
from tests.bench.ground import store_at
from tests.bench.metrics import APART, gains, share_found
from tests.bench.recall import ingest
from tests.e2e.driver import START, FakeTime, Window, opened
from tests.servers.openai import OpenAIServer, Request
from tests.servers.tasks import answer_tasks, read_out, summary, task_of

FROZEN: Final = Path(__file__).parent / "frozen"
DIARIES: Final = Path(__file__).parents[1] / "eval" / "recall"
EVERYTHING: Final = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)
_ID: Final = re.compile(r"\ba000[0-9a-z]{2}\b")  # as `count_ids` makes them
_TOOK: Final = re.compile(r'"took_ms":[^,]+')
_BASE: Final = re.compile(r"<!-- ebb: [0-9a-f]{8}\.\d+ -->")  # which writing of MEMORY.md it is
_LONG_FLOAT: Final = re.compile(
    r"-?\d+\.\d{6,}(?:e-\d+)?"
)  # its last digits depend on the order of a sum
_SHOWN_LINES: Final = 80  # of a difference


@pytest.fixture
def count_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make ids count up instead of being random, so that what is sorted by id has one order: a00001, a00002, …"""
    numbers = count(1)

    def next_bits(_: int) -> int:
        n = next(numbers)
        return sum((n >> 5 * i & 31) << 5 * (4 - i) for i in range(5))

    monkeypatch.setattr(secrets, "randbits", next_bits)


@pytest.mark.usefixtures("count_ids")
@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_life_is_as_it_was(
    lang: str, openai_server: OpenAIServer, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Requests, replies, MEMORY.md, the export and the receipt of a purge, to the letter."""
    script = tomllib.loads((FROZEN / lang / "life.toml").read_text("utf-8"))
    answer_tasks(
        openai_server,
        script["monitor"],
        chat=lambda r: read_out(r).splitlines()[-1],
        summarise=lambda r: _first(script["summarise"], r) or summary("…", "…"),
    )
    life = Life(openai_server, tmp_path)
    talk = "\n".join([line async for line in life.run(script["steps"].strip().splitlines())]) + "\n"
    names: dict[str, str] = {}

    def mask(text: str) -> str:
        text = _TOOK.sub('"took_ms":0', text.replace(str(tmp_path), "HOME"))
        text = _BASE.sub("<!-- ebb: BASE -->", text)
        text = _LONG_FLOAT.sub(lambda m: f"{float(m[0]):.4f}", text)
        return _ID.sub(lambda m: names.setdefault(m[0], f"id{len(names) + 1}"), text)

    parts = {"talk.txt": talk}
    parts |= {name: (tmp_path / name).read_text("utf-8") for name in ("MEMORY.md", "export.jsonl")}
    _compare({f"{lang}/{name}": mask(text) for name, text in parts.items()}, pytestconfig)


async def test_recall_finds_as_much_as_it_did(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """What is found without the gate and with it."""
    figures = {
        folder.name: await _figures(folder, tmp_path) for folder in sorted(DIARIES.glob("diary_*"))
    }
    _compare({"recall.json": json.dumps(figures, indent=1) + "\n"}, pytestconfig)


# --- a life ---


class Life:
    """Runs the steps of a script and describes what came of each."""

    def __init__(self, server: OpenAIServer, home: Path) -> None:
        self._server = server
        self._home = home
        self._time = FakeTime(START)
        self._seen = 0
        self._contents: set[str] = set()

    async def run(self, steps: list[str]) -> AsyncIterator[str]:
        """Yield the lines of the transcript; Ebb is closed and opened again where time passes."""
        while steps:
            async with opened(self._home, self._time, self._server, recall_deadline_ms=20_000) as w:
                await w.ebb.agent.drain(60)
                for line in self._requests():
                    yield line
                while steps and not steps[0].startswith("+"):
                    step = steps.pop(0)
                    yield f"\n=== {self._time():%Y-%m-%d %H:%M:%S}  {step}"
                    for line in (*await self._do(w, step), *self._requests()):
                        yield line
            if steps:
                step = steps.pop(0)
                yield f"\n=== {step}"
                name, _, n = step.removeprefix("+").partition("=")
                self._time.forward(**{name: float(n)})

    async def _do(self, w: Window, step: str) -> list[str]:
        if step.startswith("$"):
            return await self._shell(w, step.removeprefix("$").split())
        if step.startswith("@"):
            group = Window(w.ebb, self._time, origin="telegram:-5", scope="chat:-5")
            return list(_events((await group.say(step.removeprefix("@ "), "group")).events))
        if not step.startswith("/"):
            return list(_events((await w.say(step, self._name(step))).events))
        outcome = await w.do(step)
        lines = list(_outcome(outcome))
        if isinstance(outcome.turn, Turn):
            said = await w.say(outcome.turn.text, self._name(step), review=outcome.turn.review)
            lines += _events(said.events)
        return lines

    def _name(self, step: str) -> str:
        return f"t{sha256(f'{self._time()} {step}'.encode()).hexdigest()[:8]}"

    async def _shell(self, w: Window, words: list[str]) -> list[str]:
        """Carry out `ebb memory …` on the open home; {words} stand for the id of the memory that has them."""
        known = await w.ebb.memory.find(w.user_id, EVERYTHING, limit=1000)
        line = " ".join(words).replace("{home}", str(self._home))
        for wanted in re.findall(r"\{(.+?)\}", line):
            line = line.replace(
                f"{{{wanted}}}", next(m.id for m in known.items if wanted in m.original_content)
            )
        lang = await w.ebb.agent.detect_language(w.user_id)
        args = memory_parser(lang).parse_args(line.split())
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(out):
            code = await VERBS[args.verb].run(w.ebb, args, lang)
        assert await w.ebb.agent.drain(20) == 0
        return [*out.getvalue().rstrip().splitlines(), f"exit {code}"]

    def _requests(self) -> Iterator[str]:
        """Describe what was sent since the last time; background work may run side by side, so it is sorted."""
        new = self._server.requests[self._seen :]
        self._seen = len(self._server.requests)
        for task, body in sorted(((task_of(r), r.body) for r in new), key=str):
            rest = {k: v for k, v in body.items() if k != "messages"}
            yield f"--- to the model: {task} {json.dumps(rest, sort_keys=True, ensure_ascii=False)}"
            for message in body.get("messages", ()):
                yield from self._message(message)

    def _message(self, message: Mapping[str, Any]) -> Iterator[str]:
        """Show each content once, and name it by its hash where it comes again."""
        content = str(message["content"])
        name = sha256(_ID.sub("ID", content).encode()).hexdigest()[:8]
        again = len(content) > 200 and content in self._contents
        self._contents.add(content)
        more = {k: v for k, v in message.items() if k not in {"role", "content"}}
        yield f"[{message['role']} {name}{' as before' if again else ''}{f' {more}' if more else ''}]"
        if not again:
            yield content


def _events(events: list[Event]) -> Iterator[str]:
    """What a front end is told of one turn; pieces of a reply that follow each other as one."""
    piece = ""
    for event in events:
        if isinstance(event, Delta):
            piece += f"{'[literal] ' if event.literal else ''}{event.text}"
            continue
        if piece:
            yield f"delta: {piece}"
            piece = ""
        match event:
            case Started():
                yield f"started{' memory off' if event.memory_off else ''}"
            case Recalled():
                yield f"recalled: {len(event.hits)}{' late' if event.late else ''}"
                for h in event.hits:
                    m = h.memory
                    yield f"  {m.id} {m.kind} {m.level.name} {h.gate:.3f} {h.score:.3f} {h.why}: {m.content}"
            case Done():
                used = f"{event.usage.prompt_tokens}+{event.usage.completion_tokens}"
                yield f"done{' literal' if event.literal else ''} {used}: {event.text}"
                yield from (f"  choice: {c.label}" for c in event.choices)
            case Stopped():
                yield f"stopped: {event.text}"
            case Failed():
                yield f"failed {event.code}: {event.sentence} {event.partial}"


def _outcome(outcome: CommandOutcome) -> Iterator[str]:
    ids = " ".join(m.id for m in outcome.memories)
    mode = "" if outcome.mode is None else f" mode {outcome.mode}"
    yield f"{'ok' if outcome.ok else 'not ok'}{mode} [{ids}] {outcome.offset}/{outcome.total}"
    yield outcome.text
    yield from (f"  choice: {c.label}" for c in outcome.choices)


def _first(answers: Mapping[str, str], request: Request) -> str | None:
    return next((answer for words, answer in answers.items() if words in request.last), None)


# --- recall ---


async def _figures(folder: Path, home: Path) -> dict[str, float]:
    users, embedder = load(folder), LexicalEmbedder()
    queries = QueryEmbedder(embedder, 60_000)
    rows: list[tuple[float, float, float]] = []
    async with store_at(home / f"{folder.name}.db", embedder, START) as store:
        await ingest(store, users, embedder)
        for user in users.values():
            for row in (row for row in user.answered if row["category"] != APART):
                vector = (await queries.embed(row["text"]))[0]
                query = Query(user.ids[""], row["text"], (), user.now, "UTC", vector=vector)
                hits = await rank_candidates(store.open_reader(user.ids[""]), query, u=0.0)
                ids = [user.ids[h.memory.id] for h in hits]
                gated = [i for i, h in zip(ids, hits, strict=True) if h.passed]
                rows.append(
                    (share_found(row, ids, 10), gains(row, ids)[1], share_found(row, gated, 3))
                )
    means = (fmean(column) for column in zip(*rows, strict=True))
    return {
        name: round(mean, 3)
        for name, mean in zip(("R@10", "nDCG@10", "R@3 gated"), means, strict=True)
    }


# --- comparing ---


def _compare(made: Mapping[str, str], config: pytest.Config) -> None:
    """Write the frozen files with --refreeze, else fail with what differs from them."""
    told: list[str] = []
    for name, text in made.items():
        path = FROZEN / name
        if config.getoption("--refreeze"):
            path.write_text(text, "utf-8", newline="\n")
        elif text != (was := path.read_text("utf-8")):
            lines = unified_diff(
                was.splitlines(), text.splitlines(), f"frozen/{name}", "now", n=2, lineterm=""
            )
            told += [line[:400] for line in lines]
    if told:
        more = len(told) - _SHOWN_LINES
        told[_SHOWN_LINES:] = [f"… and {more} lines more"] if more > 0 else []
        pytest.fail(
            "\n".join(["Not as it was; see the docstring of this file.", *told]), pytrace=False
        )
