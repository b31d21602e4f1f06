"""The extractor: what a finished stretch of conversation leaves to be remembered.

Only what the monitor has not handled is read (`memory.learn.accounted`). The model is shown what
is known, lists what is new, and names what that contradicts. Idempotent by the session's watermark
`extracted_through`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory.errors import Conflict
from memory.jobs import Effect
from memory.learn.accounted import list_unaccounted
from memory.learn.answer import ANY, LearningTools, ModelTask, read_payload
from memory.learn.dates import format_iso
from memory.learn.learning_rules import list_said
from memory.learn.merge import Merger, SaveResult, change_memory, choose_strategy
from memory.learn.same_meaning import shares_words
from memory.learn.secrets import list_readable
from memory.learn.steps import (
    NOTHING,
    Step,
    apply_steps,
    check_steps,
    claim_steps,
    count_outcomes,
    measure_nearness,
    weigh_paraphrases,
)
from memory.learn.summarise import MESSAGE_TOKENS, PORTION_TOKENS, fold
from memory.learn.visible_messages import (
    clip,
    detect_messages_language,
    is_evidence,
    is_unchanged,
    join_user_words,
    label_memories,
    list_evidence_messages,
    list_prompt_messages,
    take_newest_within,
    write_time,
)
from memory.models import Job, Json, Lang, Layer, Memory, MemoryId, Message, Session, Source, State
from memory.ports import Transaction
from memory.text.clean import estimate_tokens

if TYPE_CHECKING:
    from memory.learn.schemas import ExtractedEntry, Extraction, SpanJob

HISTORY_TOKENS: Final = 8_000  # a longer history is summarised first, but for the newest part
NEWEST_TOKENS: Final = 4_000
MEMORIES, MEMORY_CHARS = 50, 160
NEAREST, NEAR = 20, 8
MOST_CANDIDATES: Final = 60
MAX_ANSWER: Final = 4_000


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """What is extracted from."""

    session: Session
    messages: Sequence[Message]
    through: int
    lang: Lang
    learning: str


@dataclass(frozen=True, slots=True)
class Extractor:
    """Turns a stretch of a session into memories."""

    tools: LearningTools

    async def run(self, job: Job, now: datetime) -> Effect:
        """Ask the model and return what is to be written. Raises ModelError."""
        span: SpanJob = await read_payload(job)
        h = await self.tools.store.read(job.user_id, lambda tx: self._gather(tx, span))
        if h is None:
            return lambda _tx: NOTHING
        steps: list[Step] = []
        evidence = [m for m in h.messages if is_evidence(m, job.user_id) and m.text.strip()]
        if h.learning != "off" and evidence:
            known = await self._list_known(job.user_id, h)
            steps = await self.read(job.user_id, h, known, now)
        return lambda tx: self._apply(tx, job, h, steps, evidence, now)

    def _gather(self, tx: Transaction, span: SpanJob) -> ExtractionInput | None:
        session = tx.conversations.get_session(span.session_id)
        if session is None or span.through <= session.extracted_through:
            return None
        said = tx.conversations.list_messages(
            session_id=session.id, after=session.extracted_through, through=span.through
        )
        messages = list_readable(tx, list_unaccounted(tx, said))
        lang = detect_messages_language(join_user_words(messages, tx.user_id), tx)
        return ExtractionInput(session, messages, span.through, lang, self.tools.learns(tx))

    async def _list_known(self, user_id: str, h: ExtractionInput) -> dict[MemoryId, Memory]:
        """Return at most 50 memories: the nearest to what the user said, then the strongest."""
        words = await asyncio.to_thread(join_user_words, h.messages, user_id, 1_000)
        near = await self.tools.near(user_id, words, NEAREST, ANY)
        own = sum(is_evidence(m, user_id) for m in h.messages)
        most = min(MEMORIES, NEAREST + 2 * own)  # few statements touch few memories
        page = await self.tools.store.read(
            user_id, lambda tx: tx.memories.find(ANY, order="weight", limit=most + NEAREST)
        )
        facts = {m.id: m for m in (*near, *page.items) if m.layer is not Layer.EPISODE}
        return dict(list(facts.items())[:most])

    async def read(
        self, user_id: str, h: ExtractionInput, known: Mapping[MemoryId, Memory], now: datetime
    ) -> list[Step]:
        """Ask the model about messages; returns what their words support. Raises ModelError."""
        spoken = list_evidence_messages(h.messages, user_id)
        steps = [self._read_entry(c, known) for c in await self._ask(user_id, h, known, now)]
        near = await measure_nearness(self.tools, user_id, steps, known.values())
        steps = await asyncio.to_thread(check_steps, steps, spoken, known.values(), near)
        steps = await weigh_paraphrases(self.tools, steps, spoken, (), near)
        for s in steps:
            if s.verdict.reason:
                self.tools.skipped("extraction", s.verdict.reason, "")
        steps = [s for s in steps if s.verdict.reason in {"", "reach"}]  # which is asked about
        return await claim_steps(self.tools, user_id, steps, h.messages, Source.EXTRACTOR, NEAR)

    async def _ask(
        self, user_id: str, h: ExtractionInput, known: Mapping[MemoryId, Memory], now: datetime
    ) -> list[ExtractedEntry]:
        verbatim, previous = await self._shorten(user_id, h, now)
        tz = h.messages[-1].tz
        first = sum(bool(m.text.strip()) for m in h.messages) - len(verbatim) + 1
        data = {
            "now": format_iso(now, tz),
            "when": write_time(now, tz, h.lang),
            "tz": tz,
            "memories": [
                {**r, "text": _shorten_line(r["text"])} for r in label_memories(known.values(), tz)
            ],
            "messages": await asyncio.to_thread(
                list_prompt_messages, verbatim, user_id, MESSAGE_TOKENS, h.lang, first
            ),
            "previous": previous,
            "rules": await self.tools.store.read(user_id, list_said),
        }
        task = ModelTask(user_id, "extract", h.lang, data, now, MAX_ANSWER)
        answer: Extraction = await self.tools.must_read(task)
        return answer.memories[:MOST_CANDIDATES]

    async def _shorten(
        self, user_id: str, h: ExtractionInput, now: datetime
    ) -> tuple[list[Message], str]:
        """Return the newest messages as they are, and a summary of the rest where it is long."""

        def clip_text(m: Message) -> str:
            return clip(m.text, MESSAGE_TOKENS)

        visible = [m for m in h.messages if m.text.strip()]
        most = min(HISTORY_TOKENS, self.tools.context_tokens // 2)
        if sum(estimate_tokens(clip_text(m)) for m in visible) <= most:
            return visible, ""
        newest = take_newest_within(visible, min(NEWEST_TOKENS, most // 2), clip_text)
        newest = newest or visible[-1:]
        older = visible[: len(visible) - len(newest)]
        if not older:
            return newest, ""
        portion = min(PORTION_TOKENS, most)
        return newest, (await fold(self.tools, user_id, older, "", h.lang, now, portion)).running

    def _read_entry(self, c: ExtractedEntry, known: Mapping[MemoryId, Memory]) -> Step:
        """Read an entry as an operation; ids that the model was not shown count for nothing."""
        if c.contradicts in known:
            return Step("negate" if c.denied else "update", known[c.contradicts], c)
        if c.contradicts:
            self.tools.skipped("extraction", "id not shown", c.contradicts)
        return Step("add", None, c)

    def _apply(
        self,
        tx: Transaction,
        job: Job,
        h: ExtractionInput,
        steps: Sequence[Step],
        evidence: Sequence[Message],
        now: datetime,
    ) -> Mapping[str, Json]:
        session = tx.conversations.get_session(h.session.id)
        if session is None or session.extracted_through >= h.through:
            return NOTHING
        moved = session.extracted_through != h.session.extracted_through
        if moved or not is_unchanged(tx, h.messages):
            raise Conflict("the conversation changed while it was extracted from")
        begun = tx.changes.begin("extractor", "extract", now, job_id=job.id)
        merger = Merger(tx, curve=self.tools.curve, u=self.tools.u, proposing=h.learning == "ask")
        spoken = list_evidence_messages(h.messages, tx.user_id)
        done = apply_steps(merger, steps, spoken, now, lambda s: _act(merger, s, evidence))
        result = count_outcomes(self.tools, "extraction", done)
        tx.conversations.put_session(replace(session, extracted_through=h.through))
        counts = {"new": result["new"], "updated": result["updated"], "through": h.through}
        tx.conversations.record_change(
            "session", session.id, "updated", {"extracted": True, **counts}
        )
        return {**result, "set": begun.id}


def _act(merger: Merger, step: Step, evidence: Sequence[Message]) -> SaveResult:
    """Merge one candidate: new, or in the place of what it contradicts."""
    old, claim = step.old, step.claim
    if claim is None:
        return SaveResult(None, "refused")
    if old is not None and old.state is State.ACTIVE and old.layer is not Layer.SYSTEM:
        match choose_strategy(old, claim, inferred=True):
            case "weight_balance":
                return merger.contradict(old, claim)
            case "version_keep":
                return change_memory(merger, "negate", old, claim)
        return change_memory(merger, step.op, old, claim)
    meant = any(shares_words(m.text, claim.draft.content) for m in evidence)
    return merger.save(claim, mention=meant)


def _shorten_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MEMORY_CHARS else line[: MEMORY_CHARS - 1].rstrip() + "…"
