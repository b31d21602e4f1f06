"""Ask the memory model, within the user's daily budget, and read its answer; and the embedder.

The one place where an answer is made out, validated and asked for again with what was wrong.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, Literal

import prompts
from memory.errors import BudgetSpent, ModelError
from memory.models import Filter, Job, Json, Lang, Layer, Memory, MemoryId, Sensitivity, Usage
from memory.ports import ChatModel, Embedder, FloatArray, ModelRequest, Store, Task, Transaction
from memory.text.clean import clean_input, estimate_tokens

log = logging.getLogger(__name__)

DEADLINE = 180.0  # seconds for one call; nobody waits for it
ROLE, NIGHT = "memory", "upkeep"  # who spends
NIGHT_SHARE = 0.1  # of what the conversation of the last seven days spent
NIGHT_FLOOR = 3_000  # tokens: what hung on an end, or four reviews, also after a silent week
ANY = Filter(max_sensitivity=Sensitivity.PRIVATE)
"""All active memories, denied ones among them, never secrets."""
FACTS = replace(ANY, layers=frozenset(Layer) - {Layer.EPISODE})
"""Those that are no account of a conversation."""

_TAG = re.compile(
    r"[<\[◁](/?)\|?(?:think|thinking|thought|thoughts|reasoning|reflection|analysis)\b"
    r"[^<>\[\]◁▷]{0,200}[>\]▷]",
    re.I,
)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[\]}])', re.S)
_MOST = 60_000  # characters of an answer that are looked at
_MOST_FAILED = 50  # brackets in it that open nothing which can be read


def strip_thinking(text: str) -> str:
    """Take out thinking blocks, also those that were never opened or never closed."""
    text = text[:_MOST].rpartition("<|message|>")[2]  # gpt-oss: the last channel is the answer
    kept, start, thinking = list[str](), 0, False
    for tag in _TAG.finditer(text):
        if tag[1]:
            kept = kept if thinking else []  # opened before the answer began
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    return "".join(kept if thinking else [*kept, text[start:]]).strip()


def parse_objects(text: str) -> list[dict[str, Json]] | None:
    """Find the objects of the JSON in an answer; None if there is none. `[]` is an empty list.

    Takes an array, a single object, an object that holds the array, trailing commas, prose and
    fences around it; and of an array that is broken or was cut off, the objects that are whole.
    """
    text = drop_trailing_commas(strip_thinking(text))
    broken = False  # an array was: what it does not hold from there it holds from no later place
    for value, start, end in decode_json(text, "[{"):
        if value is None:
            if text[start] == "[" and not broken and (rest := _list_whole(text, start)):
                return rest
            broken = broken or text[start] == "["
        elif isinstance(value, list):
            if not value or any(isinstance(v, dict) for v in value):
                return [v for v in value if isinstance(v, dict)]
        elif value:
            inner = next((v for v in value.values() if isinstance(v, list)), None)
            wrapped = inner is not None and "content" not in value  # {"memories": [...]}
            found = [v for v in inner or () if isinstance(v, dict)] if wrapped else [value]
            return [*found, *_list_whole(text, end)]
    return None


def drop_trailing_commas(text: str) -> str:
    """Take out the commas that stand before a closing bracket of JSON."""
    return _TRAILING_COMMA.sub(lambda m: m[1] or "", text)


def _list_whole(text: str, start: int) -> list[dict[str, Json]]:
    """Return every complete object from `start` on, of a text that is not complete itself."""
    return [v for v, *_ in decode_json(text, "{", start) if v is not None]


def decode_json(text: str, brackets: str, start: int = 0) -> Iterator[tuple[Any, int, int]]:
    """Read JSON at each bracket outside of what was read before: value or None, start and end."""
    decoder, failed = json.JSONDecoder(), 0
    opens = re.compile(f"[{re.escape(brackets)}]")
    while failed < _MOST_FAILED and (m := opens.search(text, start)):
        try:
            value, start = decoder.raw_decode(text, m.start())
        except (ValueError, RecursionError):
            value, start, failed = None, m.end(), failed + 1
        yield value, m.start(), start


def parse(text: str, task: Task) -> Any:
    """Read the answer to a task as its model of `memory.learn.schemas`.

    Raises ValueError, which says why not.
    """
    from pydantic import ValidationError

    from memory.learn.schemas import ANSWERS

    schema, found = ANSWERS[task], parse_objects(text)
    said = "" if found is not None or not schema.prose else strip_thinking(text)
    if any(c.isalnum() for c in said) and not said.startswith(("[", "{")):
        found = [{schema.prose: said}]
    if found is None:
        raise ValueError("there is no JSON object in it")
    try:
        return schema.model_validate(found)
    except ValidationError as e:
        told = (f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in e.errors()[:3])
        raise ValueError("; ".join(told)) from None


async def _load_schemas() -> Any:
    """Import them in a thread: the first import takes long."""
    return await asyncio.to_thread(import_module, "memory.learn.schemas")


async def read_payload(job: Job) -> Any:
    """Read what a job carries as its model of `memory.learn.schemas`.

    Raises pydantic's ValidationError.
    """
    return (await _load_schemas()).PAYLOADS[job.kind].model_validate(job.payload)


def read_learning(tx: Transaction, default: str) -> str:
    """Return how the user's conversations are learned from: auto, ask, or off."""
    return str(tx.user().settings.get("learning") or default)


@dataclass(frozen=True, slots=True)
class ModelTask:
    """What a model is asked to do: a task over data of a user, in a language.

    `data` fills the prompt's template, and is what the notebook reads.
    """

    user_id: str
    task: Task
    lang: Lang
    data: Mapping[str, Any]
    now: datetime
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said. `cut`: it ran into the limit, so its last line may be half of one."""

    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class LearningTools:
    """What every kind of learning works with."""

    store: Store
    model: ChatModel
    embedder: Embedder
    curve: str
    u: float
    learning: str = "auto"
    budget_tokens: int = 0
    log_text: bool = False
    context_tokens: int = 16_000
    night: bool = False

    def learns(self, tx: Transaction) -> str:
        """Tell whether the user's conversations are learned from: auto, ask, or off."""
        return read_learning(tx, self.learning)

    def limit(self, tokens: int) -> int:
        """Return that many tokens, or a quarter of a smaller model's context."""
        return min(tokens, self.context_tokens // 4)

    async def ask(self, t: ModelTask) -> Answer:
        """Ask for an answer in free form. Raises ModelError; with the budget spent, BudgetSpent."""
        return await self._call(t, prompts.load(t.task, t.lang).messages(**t.data))

    async def read(self, t: ModelTask) -> Any:
        """Ask for an answer in the task's schema; once more, with the error, if it is not valid.

        Returns its model of `memory.learn.schemas`, None where the second is not valid either.
        Raises as `ask` does.
        """
        schema = (await _load_schemas()).ANSWERS[t.task].model_json_schema()
        messages = prompts.load(t.task, t.lang).messages(**t.data)
        for _ in range(2):
            answer = await self._call(t, messages, schema)
            try:
                return parse(answer.text, t.task)
            except ValueError as e:
                self.skipped(f"{t.task} answer", "unreadable", answer.text)
                if answer.text.strip():
                    messages = [*messages, {"role": "assistant", "content": answer.text}]
                wrong = prompts.load("again", t.lang).render(error=str(e))
                messages = [*messages, {"role": "user", "content": wrong}]
        return None

    async def must_read(self, t: ModelTask) -> Any:
        """Return what `read` returns; where that is None, raise ModelError."""
        answer = await self.read(t)
        if answer is None:
            raise ModelError("unreadable", detail=f"the answer to {t.task} could not be read")
        return answer

    async def _call(
        self,
        t: ModelTask,
        messages: Sequence[Mapping[str, str]],
        schema: Mapping[str, Json] | None = None,
    ) -> Answer:
        size = sum(estimate_tokens(m["content"]) for m in messages)
        await self._check_budget(t.user_id, t.now, size)
        data = {**t.data, "lang": t.lang}
        request = ModelRequest(t.task, messages, data, t.max_tokens, schema, DEADLINE)
        parts, finish, usage = list[str](), None, None
        stream = self.model.stream(request)
        try:
            async for chunk in stream:
                parts.append(chunk.text)
                finish, usage = chunk.finish or finish, chunk.usage or usage
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        text = clean_input("".join(parts))
        used = usage or Usage(size, estimate_tokens(text))  # where the provider does not say
        role = NIGHT if self.night else ROLE
        await self.store.write(
            t.user_id, lambda tx: tx.traces.record_tokens(role, self.model.name, used, t.now)
        )
        return Answer(text, finish == "length")

    async def _check_budget(self, user_id: str, now: datetime, size: int) -> None:
        """Raise BudgetSpent where the day's tokens, or a night's own share of them, are spent.

        A night's first call is always made.
        """
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)

        def is_within(tx: Transaction) -> bool:
            tonight = _count_spent(tx, day, NIGHT)
            if 0 < self.budget_tokens <= tonight + _count_spent(tx, day, ROLE):
                return False
            if not self.night or not tonight:
                return True
            # Spending is kept by days: seven whole ones, or six and today, not nearly eight.
            since = [_count_spent(tx, day - timedelta(n), "chat", ROLE) for n in (7, 6, 0)]
            week = max(since[0] - since[2], since[1])
            return tonight + size <= max(week * NIGHT_SHARE, NIGHT_FLOOR)

        if not await self.store.read(user_id, is_within):
            left = (day + timedelta(days=1) - now).total_seconds()
            raise BudgetSpent("rate_limit", detail="daily memory budget spent", retry_after=left)

    async def embed(
        self, texts: Sequence[str], kind: Literal["query", "content"] = "content"
    ) -> list[FloatArray | None]:
        """Return vectors of the texts; None for each where the embedder fails."""
        if not texts:
            return []
        try:
            return list(await self.embedder.embed(texts, kind))
        except ModelError as e:
            log.info("learning goes on without vectors: %s", e.code)
            return [None] * len(texts)

    async def nearest(
        self, user_id: str, vector: FloatArray | None, text: str, k: int, f: Filter
    ) -> list[MemoryId]:
        """Return ids of the memories closest to a text, by vector and words in turns, ungated."""
        return _sort_by_rank(await self._search(user_id, vector, text, k, f))[:k]

    async def near_each(
        self, user_id: str, texts: Sequence[str], k: int, f: Filter
    ) -> list[Memory]:
        """Return the memories closest to any of the texts, by their best rank, `k` in all."""
        vectors, found = await self.embed(texts, "query"), list[list[MemoryId]]()
        for vector, text in zip(vectors, texts, strict=True):
            found += await self._search(user_id, vector, text, k, f)
        return await self.store.open_reader(user_id).get(_sort_by_rank(found)[:k])

    async def _search(
        self, user_id: str, vector: FloatArray | None, text: str, k: int, f: Filter
    ) -> list[list[MemoryId]]:
        reader = self.store.open_reader(user_id)
        by_words = await reader.search_words(text, k, f) if text.strip() else []
        by_vector = await reader.search_vectors(vector, k, f) if vector is not None else []
        return [[s.id for s in by_vector], [s.id for s in by_words]]

    async def near(self, user_id: str, text: str, k: int, f: Filter) -> list[Memory]:
        """Return the memories closest to a text that nothing is known of yet."""
        return await self.near_each(user_id, [text], k, f)

    def skipped(self, what: str, why: str, text: str) -> None:
        """Log that something of an answer was left out; its words only if logs may hold them."""
        log.warning("%s left out (%s)%s", what, why, f": {text[:200]}" if self.log_text else "")


def _count_spent(tx: Transaction, since: datetime, *roles: str) -> int:
    used = [tx.traces.count_tokens(role, since) for role in roles]
    return sum(u.prompt_tokens + u.completion_tokens for u in used)


def _sort_by_rank(lists: Sequence[Sequence[MemoryId]]) -> list[MemoryId]:
    """Sort what several searches found by its best rank; of one rank the earlier search's first."""
    best: dict[MemoryId, int] = {}
    for ids in lists:
        for rank, i in enumerate(ids):
            best[i] = min(rank, best.get(i, rank))
    return sorted(best, key=best.__getitem__)
