"""What a model answers, by task: with the words a test gives, else plainly, from nothing but the prompt it is sent.

In a test::

    answer_tasks(openai_server)                             # keeps what it is told, and reads out what it is sent
    answer_tasks(openai_server, learned={
        "I live in Lyon": "[ADD kind=identity] Lives in Lyon",
        "moved to Marseille": "[UPDATE:{Lyon}] Lives in Marseille",  # {Lyon}: the id of the memory that says so
    })
    answer_tasks(openai_server, chat="Fine.", review=decision("delete"))  # one answer to a task, or a function of the request

Processes that a test starts are served from a thread: `with served() as server`.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

import prompts
from tests.servers.openai import Answer, OpenAIServer, Request

_TASKS: Final = (
    "monitor",
    "extract",
    "summarise",
    "review",
    "level",
    "merge",
    "contradict",
    "derive",
)
_SAID: Final = re.compile(
    r'^<said(?: n="\d+")? by="user"[^>]*>(.*?)</said>$', re.MULTILINE | re.DOTALL
)
_SHOWN: Final = re.compile(r"^\[(\w+)\] ?(?:[(（][^)）]*[)）] ?)?(.+)$", re.MULTILINE)
_ITEM: Final = re.compile(r"^\[(\w+)\] (summary|tag)[:：] ?(.+)$", re.MULTILINE)
_WORD: Final = re.compile(r"\d+|[A-Za-z]+|\S")  # a character, where no spaces part words
_LINE: Final = re.compile(r"^- (.+)$", re.MULTILINE)


def summary(episode: str, running: str) -> str:
    """The summariser's answer."""
    return json.dumps({"episode": episode, "summary": running}, ensure_ascii=False)


def decision(word: str) -> str:
    """The reviewer's answer."""
    return json.dumps({"decision": word})


def answer_tasks(
    server: OpenAIServer,
    learned: Mapping[str, str] | None = None,
    **given: Answer | Callable[[Request], Answer],
) -> None:
    """Answer every request that no rule of the test answers by its task.

    Args:
        learned: what the monitor answers, by words of the user's, the newest first; without it, all that is told is kept.
        given: by the name of a task, its answer.
    """
    plain: dict[str, Callable[[Request], Answer]] = {
        "chat": read_out,
        "monitor": keep if learned is None else lambda r: _by_words(r, learned),
        "extract": lambda _: "[]",
        "summarise": lambda _: summary("A short talk.", "A short talk."),
        "review": lambda r: decision(
            "promote" if "promotion" in r.last.partition("\n")[0] else "keep"
        ),
        "level": shorten,
        "merge": lambda r: json.dumps({"text": max(_LINE.findall(r.last), key=len)}),
        "contradict": lambda _: "[]",
        "derive": lambda _: "[]",
    }

    def answer(request: Request) -> Answer:
        task = task_of(request)
        found = given.get(task, plain[task])
        return found(request) if callable(found) else found

    server.default = answer


def task_of(request: Request) -> str:
    """Name the task by the line that its prompt begins with; anything else is a chat."""
    return _beginnings().get(request.system.partition("\n")[0], "chat")


@cache
def _beginnings() -> Mapping[str, str]:
    return {
        prompts.load(t, lang).source.partition("\n")[0]: t for t in _TASKS for lang in prompts.LANGS
    }


# --- plain answers ---


def read_out(request: Request) -> str:
    """Every memory that stands in the prompt, a line each; "Fine." where there is none."""
    profile = request.system.partition("<profile>")[2].partition("</profile>")[0]
    recalled = request.last.partition("<recalled>")[2].partition("</recalled>")[0]
    return "\n".join(dict.fromkeys(_LINE.findall(profile + recalled))) or "Fine."


def told(request: Request) -> list[str]:
    """What the user says in an exchange or a transcript, questions left out."""
    block = request.last.rpartition("<exchange>")[2].rpartition("<transcript>")[2]
    return [text for text in _SAID.findall(block) if not text.rstrip().endswith(("?", "？"))]


def keep(request: Request) -> str:
    """Add what the user tells in their own words, as the monitor; a memory that says the same counts again."""
    known = {text.strip(): i for i, text in _SHOWN.findall(request.last)}
    lines = [
        f"[BOOST:{known[t]}]" if t in known else f"[ADD kind=fact] {t}"
        for t in map(_one_line, told(request))
    ]
    return "\n".join(lines) or "[SKIP]"


def keep_all(request: Request) -> str:
    """Keep what the user told in the whole conversation, as the extraction."""
    return json.dumps(
        [{"content": _one_line(t), "kind": "fact"} for t in told(request)], ensure_ascii=False
    )


def shorten(request: Request) -> str:
    """Two thirds of each memory as a summary, three words as a tag; no word or number is cut."""
    items = [
        {"id": i, "text": _shorter(text, level)} for i, level, text in _ITEM.findall(request.last)
    ]
    return json.dumps(items, ensure_ascii=False)


def _shorter(text: str, level: str) -> str:
    words, join = (text.split(), " ") if " " in text else (_WORD.findall(text), "")
    return join.join(words[: 3 if level == "tag" else max(3, len(words) * 2 // 3)])


def _by_words(request: Request, learned: Mapping[str, str]) -> str:
    said, shown = (
        "\n".join(_SAID.findall(request.last.rpartition("<exchange>")[2])),
        _SHOWN.findall(request.last),
    )
    found = next(
        (line for words, line in reversed(list(learned.items())) if words in said), "[SKIP]"
    )
    return re.sub(
        r"\{(.+?)\}", lambda m: next((i for i, text in shown if m[1] in text), "none"), found
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


# --- for processes ---


def surroundings(home: Path, server: OpenAIServer) -> dict[str, str]:
    """Settings of a process whose data is in `home`, and for whom the server answers and learns."""
    return {
        "EBB_HOME": str(home),
        "EBB_PROVIDER": "openai",
        "EBB_EMBEDDER": "lexical",
        "EBB_TZ": "UTC",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "test-key",
    }


@contextmanager
def served() -> Iterator[OpenAIServer]:
    """Run a server in a thread of its own, for tests that wait for processes."""
    server, loop, ready = OpenAIServer(), asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(20), "the server does not begin"
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        loop.close()
