"""Ask the memory model, within the user's daily budget, and read its answer; and the embedder
beside it.

The one place where an answer is made out, validated and asked for again with what was wrong with
it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, Literal

import prompts
from memory.errors import BudgetSpent, ModelError
from memory.models import Filter, Job, Json, Lang, Memory, MemoryId, Sensitivity, Usage
from memory.ports import ChatModel, Embedder, FloatArray, ModelRequest, Store, Task, Transaction
from memory.text.clean import clean_input, estimate_tokens

log = logging.getLogger(__name__)

DEADLINE = 180.0  # seconds for one call; nobody waits for it
ROLE, NIGHT = "memory", "upkeep"  # who spends
NIGHT_SHARE = 0.1  # of what the conversation of the last seven days spent
NIGHT_FLOOR = 2_000  # tokens: three reviews or a page of level texts, also after a silent week
ANY = Filter(max_sensitivity=Sensitivity.PRIVATE)
"""All active memories, denied ones among them, never secrets."""

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\b[^<>]{0,200}>", re.I)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.S)
_BRACKET = re.compile(r"[\[{]")
_MOST = 60_000  # characters of an answer that are looked at
_MOST_FAILED = 50  # brackets in it that open nothing which can be read


def strip_thinking(text: str) -> str:
    """Take out thinking blocks, also those that were never opened or never closed."""
    text = text[:_MOST]
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
    text = _TRAILING_COMMA.sub(lambda m: m[1] or "", strip_thinking(text))
    decoder = json.JSONDecoder()
    i, failed, whole = -1, 0, True
    while failed < _MOST_FAILED and (m := _BRACKET.search(text, i + 1)):
        i = m.start()
        try:
            value, end = decoder.raw_decode(text, i)
        except (ValueError, RecursionError):
            failed += 1
            if (
                text[i] == "[" and whole
            ):  # what it does not find from here it finds from no later place
                if rest := list(_whole(text, i)):
                    return rest
                whole = False
            continue
        if isinstance(value, list):
            if not value or any(isinstance(v, dict) for v in value):
                return [v for v in value if isinstance(v, dict)]
            i = end - 1
        elif value:
            inner = next((v for v in value.values() if isinstance(v, list)), None)
            wrapped = inner is not None and "content" not in value  # {"memories": [...]}
            found = [v for v in inner or () if isinstance(v, dict)] if wrapped else [value]
            return [*found, *_whole(text, end)]
    return None


def _whole(text: str, start: int) -> Iterator[dict[str, Json]]:
    """Return every complete object from `start` on, of a text that is not complete itself."""
    decoder = json.JSONDecoder()
    i, failed = start, 0
    while failed < _MOST_FAILED and (i := text.find("{", i)) >= 0:
        try:
            value, i = decoder.raw_decode(text, i)
        except (ValueError, RecursionError):
            i, failed = i + 1, failed + 1
            continue
        if isinstance(value, dict):
            yield value


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


async def read_payload(job: Job) -> Any:
    """Read what a job carries as its model of `memory.learn.schemas`.

    Raises pydantic's ValidationError.
    """
    schemas = await asyncio.to_thread(import_module, "memory.learn.schemas")
    return schemas.PAYLOADS[job.kind].model_validate(job.payload)


def read_learning(tx: Transaction, default: str) -> str:
    """Return how the user's conversations are learned from: auto, ask, or off."""
    return str(tx.user().settings.get("learning") or default)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said.

    `cut`: it ran into the length limit, so its last line may be half of one.
    """

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

    async def ask(
        self,
        user_id: str,
        task: Task,
        lang: Lang,
        variables: Mapping[str, Any],
        data: Mapping[str, Json],
        now: datetime,
        max_tokens: int,
    ) -> Answer:
        """One call for an answer in free form.

        Raises ModelError; where today's budget is spent, BudgetSpent.
        """
        messages = prompts.load(task, lang).messages(**variables)
        request = ModelRequest(
            task, messages, {**data, "lang": lang}, max_tokens, deadline=DEADLINE
        )
        return await self._call(user_id, request, now)

    async def read(
        self,
        user_id: str,
        task: Task,
        lang: Lang,
        variables: Mapping[str, Any],
        data: Mapping[str, Json],
        now: datetime,
        max_tokens: int,
    ) -> Any:
        """Ask for an answer in the task's schema; once more, with the error, for one that is not
        valid.

        Returns its model of `memory.learn.schemas`, None where the second is not valid either.
        Raises ModelError.
        """
        schemas = await asyncio.to_thread(import_module, "memory.learn.schemas")
        schema = schemas.ANSWERS[task].model_json_schema()
        messages = prompts.load(task, lang).messages(**variables)
        for _ in range(2):
            request = ModelRequest(
                task, messages, {**data, "lang": lang}, max_tokens, schema, DEADLINE
            )
            answer = await self._call(user_id, request, now)
            try:
                return parse(answer.text, task)
            except ValueError as e:
                self.skipped(f"{task} answer", "unreadable", answer.text)
                wrong = prompts.load("again", lang).render(error=str(e))
                said = (
                    [{"role": "assistant", "content": answer.text}] if answer.text.strip() else []
                )
                messages = [*messages, *said, {"role": "user", "content": wrong}]
        return None

    async def _call(self, user_id: str, request: ModelRequest, now: datetime) -> Answer:
        size = sum(estimate_tokens(m["content"]) for m in request.messages)
        await self._within_budget(user_id, now, size)
        parts: list[str] = []
        finish, usage = None, None
        stream = self.model.stream(request)
        try:
            async for chunk in stream:
                parts.append(chunk.text)
                finish, usage = chunk.finish or finish, chunk.usage or usage
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        text = clean_input("".join(parts))
        if (
            usage is None
        ):  # a provider that does not say is counted by the same measure as prompts are
            usage = Usage(size, estimate_tokens(text))
        role = NIGHT if self.night else ROLE
        await self.store.write(
            user_id, lambda tx: tx.traces.record_tokens(role, self.model.name, usage, now)
        )
        return Answer(text, finish == "length")

    async def _within_budget(self, user_id: str, now: datetime, size: int) -> None:
        """The day's memory work, nights included; and a night's own share, whose first call is always made."""
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)

        def within(tx: Transaction) -> bool:
            tonight = _spent(tx, day, NIGHT)
            if 0 < self.budget_tokens <= tonight + _spent(tx, day, ROLE):
                return False
            if not self.night or not tonight:
                return True
            week = _spent(tx, day - timedelta(days=7), "chat", ROLE)
            return tonight + size <= max(week * NIGHT_SHARE, NIGHT_FLOOR)

        if not await self.store.read(user_id, within):
            tomorrow = (day + timedelta(days=1) - now).total_seconds()
            raise BudgetSpent(
                "rate_limit", detail="daily memory budget spent", retry_after=tomorrow
            )

    async def embed(
        self, texts: Sequence[str], kind: Literal["query", "content"] = "content"
    ) -> list[FloatArray | None]:
        """Return vectors of the texts; None for each where the embedder fails, for nothing depends on it alone."""
        if not texts:
            return []
        try:
            rows = await self.embedder.embed(texts, kind)
        except ModelError as e:
            log.info("learning goes on without vectors: %s", e.code)
            return [None] * len(texts)
        return list(rows)

    async def nearest(
        self, user_id: str, vector: FloatArray | None, text: str, k: int, f: Filter
    ) -> list[MemoryId]:
        """Return ids of the memories closest to a text, by vector and by words in turns, ungated."""
        reader = self.store.open_reader(user_id)
        by_words = await reader.search_words(text, k, f) if text.strip() else []
        by_vector = await reader.search_vectors(vector, k, f) if vector is not None else []
        out: dict[MemoryId, None] = {}
        for i in range(k):
            for found in (by_vector, by_words):
                if i < len(found):
                    out[found[i].id] = None
        return list(out)[:k]

    async def near(self, user_id: str, text: str, k: int, f: Filter) -> list[Memory]:
        """Return the memories closest to a text that nothing is known of yet."""
        ids = await self.nearest(user_id, (await self.embed([text], "query"))[0], text, k, f)
        return await self.store.open_reader(user_id).get(ids)

    def skipped(self, what: str, why: str, text: str) -> None:
        """Log something of a model's answer that was left out; its words only if logs may hold them."""
        log.warning("%s left out (%s)%s", what, why, f": {text[:200]}" if self.log_text else "")


def _spent(tx: Transaction, since: datetime, *roles: str) -> int:
    used = [tx.traces.count_tokens(role, since) for role in roles]
    return sum(u.prompt_tokens + u.completion_tokens for u in used)
