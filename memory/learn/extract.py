"""The extractor: what a finished stretch of conversation leaves to be remembered.

Extract and match are one call: the model is shown what is known and names what it matches or
contradicts. Idempotent by the session's watermark `extracted_through`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory.errors import Conflict, ModelError
from memory.jobs import Effect
from memory.learn import dates
from memory.learn.answer import ANY, LearningTools, read_payload
from memory.learn.drafts import NOTHING, claims_of, operation_of, outcome_of
from memory.learn.evidence import check_operation
from memory.learn.merge import Claim, Merger, SaveResult, choose_strategy
from memory.learn.reach import (
    MOST_ENDED,
    add_proposal,
    join_exchange_words,
    may_end,
    touches_memory,
)
from memory.learn.same_meaning import shares_words
from memory.learn.secrets import list_readable
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
    make_time,
    take_newest_within,
)
from memory.models import Job, Json, Lang, Layer, Memory, MemoryId, Message, Session, Source, State
from memory.ports import Transaction
from memory.text.clean import estimate_tokens

if TYPE_CHECKING:
    from memory.learn.schemas import ExtractedEntry, Extraction, SpanJob

HISTORY_TOKENS = 8_000  # history that is longer is summarised first, but for the newest part
NEWEST_TOKENS = 4_000
MEMORIES, MEMORY_CHARS = 50, 160
NEAREST, NEAR = 20, 8
MOST_CANDIDATES = 60
MAX_ANSWER = 4_000


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """What is extracted from."""

    session: Session
    messages: Sequence[Message]
    evidence: Sequence[Message]  # the user's own of them
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
        found: list[tuple[ExtractedEntry, Claim]] = []
        if h.learning != "off" and h.evidence:
            found = await self.read(job.user_id, h, await self._known(job.user_id, h), now)
        return lambda tx: self._apply(tx, job, h, found, now)

    async def read(
        self, user_id: str, h: ExtractionInput, known: Mapping[MemoryId, Memory], now: datetime
    ) -> list[tuple[ExtractedEntry, Claim]]:
        """Ask the model about messages; returns what their words support. Raises ModelError."""
        return await self._claims(user_id, h, await self._ask(user_id, h, known, now), known)

    # --- before the call ---

    def _gather(self, tx: Transaction, span: SpanJob) -> ExtractionInput | None:
        session = tx.conversations.get_session(span.session_id)
        if session is None or span.through <= session.extracted_through:
            return None
        after = session.extracted_through
        said = tx.conversations.list_messages(
            session_id=session.id, after=after, through=span.through
        )
        messages = list_readable(tx, said)
        lang = detect_messages_language(join_user_words(messages, tx.user_id), tx)
        evidence = [m for m in messages if is_evidence(m, tx.user_id) and m.text.strip()]
        return ExtractionInput(
            session, messages, evidence, span.through, lang, self.tools.learns(tx)
        )

    async def _known(self, user_id: str, h: ExtractionInput) -> dict[MemoryId, Memory]:
        """At most 50 memories: the nearest to what the user said, then the strongest."""
        words = await asyncio.to_thread(join_user_words, h.messages, user_id, 1_000)
        near = await self.tools.near(user_id, words, NEAREST, ANY)
        most = MEMORIES + NEAREST
        page = await self.tools.store.read(
            user_id, lambda tx: tx.memories.find(ANY, order="weight", limit=most)
        )
        facts = [m for m in (*near, *page.items) if m.layer is not Layer.EPISODE]
        return dict(list({m.id: m for m in facts}.items())[:MEMORIES])

    # --- the call ---

    async def _ask(
        self, user_id: str, h: ExtractionInput, known: Mapping[MemoryId, Memory], now: datetime
    ) -> list[ExtractedEntry]:
        verbatim, previous = await self._shortened(user_id, h, now)
        tz = h.messages[-1].tz
        said = await asyncio.to_thread(list_prompt_messages, verbatim, user_id, MESSAGE_TOKENS)
        first = sum(bool(m.text.strip()) for m in h.messages) - len(verbatim)
        memories = [{**r, "text": _short(str(r["text"]))} for r in label_memories(known.values())]
        variables = {
            "now": make_time(now, tz, h.lang),
            "tz": tz,
            "memories": memories,
            "messages": [{**i.shown(h.lang), "n": i.n + first} for i in said],
            "previous": previous,
        }
        data = {
            "messages": [i.data() for i in said],
            "memories": memories,
            "previous": previous,
            "now": dates.format_iso(now, tz),
            "tz": tz,
        }
        answer: Extraction | None = await self.tools.read(
            user_id, "extract", h.lang, variables, data, now, MAX_ANSWER
        )
        if answer is None:
            raise ModelError("unreadable", detail="the extraction could not be read")
        return answer.memories[:MOST_CANDIDATES]

    async def _shortened(
        self, user_id: str, h: ExtractionInput, now: datetime
    ) -> tuple[list[Message], str]:
        """Return the newest messages as they are, and the rest summarised where there is too much of it."""
        visible = [m for m in h.messages if m.text.strip()]
        most = min(HISTORY_TOKENS, self.tools.context_tokens // 2)
        if sum(estimate_tokens(clip(m.text, MESSAGE_TOKENS)) for m in visible) <= most:
            return visible, ""
        newest = take_newest_within(
            visible, min(NEWEST_TOKENS, most // 2), lambda m: clip(m.text, MESSAGE_TOKENS)
        )
        newest = newest or visible[-1:]
        older = visible[: len(visible) - len(newest)]
        if not older:
            return newest, ""
        portion = min(PORTION_TOKENS, most)
        return newest, (await fold(self.tools, user_id, older, "", h.lang, now, portion)).running

    async def _claims(
        self,
        user_id: str,
        h: ExtractionInput,
        found: Sequence[ExtractedEntry],
        known: Mapping[MemoryId, Memory],
    ) -> list[tuple[ExtractedEntry, Claim]]:
        """Return those that the person's words support, each with the claim it makes."""
        spoken, texts = (
            list_evidence_messages(h.messages, user_id),
            [m.original_content for m in known.values()],
        )
        found = [
            self._shown(c, known) for c in found
        ]  # ids that were not shown are gone from here on
        olds = [known.get(c.contradicts or c.matches) for c in found]
        ops = ["add" if not c.contradicts else "negate" if c.denied else "update" for c in found]
        operations = [operation_of(c, op, old) for c, op, old in zip(found, ops, olds, strict=True)]
        verdicts = await asyncio.to_thread(
            lambda: [check_operation(o, spoken, texts) for o in operations]
        )
        for v in verdicts:
            if v.reason:
                self.tools.skipped("extraction", v.reason, "")
        checked = [x for x in zip(found, verdicts, olds, strict=True) if not x[1].reason]
        claims = await claims_of(self.tools, user_id, checked, h.messages, Source.EXTRACTOR, NEAR)
        return list(zip((c for c, _, _ in checked), claims, strict=True))

    def _shown(self, c: ExtractedEntry, known: Mapping[MemoryId, Memory]) -> ExtractedEntry:
        """Without ids that the model was not shown."""
        unknown = [
            name
            for name in ("matches", "contradicts")
            if getattr(c, name) and getattr(c, name) not in known
        ]
        for name in unknown:
            self.tools.skipped(f"extraction {name}", "id not shown", getattr(c, name))
        return c.model_copy(update=dict.fromkeys(unknown, ""))

    # --- the write ---

    def _apply(
        self,
        tx: Transaction,
        job: Job,
        h: ExtractionInput,
        found: Sequence[tuple[ExtractedEntry, Claim]],
        now: datetime,
    ) -> Mapping[str, Json]:
        session = tx.conversations.get_session(h.session.id)
        if session is None or session.extracted_through >= h.through:
            return NOTHING
        if session.extracted_through != h.session.extracted_through or not is_unchanged(
            tx, h.messages
        ):
            raise Conflict("the conversation changed while it was extracted from")
        begun = tx.changes.begin("extractor", "extract", now, job_id=job.id)
        merger = Merger(tx, curve=self.tools.curve, u=self.tools.u, proposing=h.learning == "ask")
        said, done = (
            join_exchange_words(list_evidence_messages(h.messages, tx.user_id)),
            list[SaveResult](),
        )
        for c, claim in found:
            old = tx.memories.get(c.contradicts) if c.contradicts else None
            ended = sum(s.ended for s in done) + _ended_before(tx, claim)
            if old is not None and (ended >= MOST_ENDED or not may_end(said, old)):
                if touches_memory(said, old):
                    op = {"op": "negate" if c.denied else "update", "id": old.id}
                    add_proposal(tx, c.content, op, claim.sources[0], now)
                done.append(merger.save(claim))
            else:
                done.append(_merge(tx, merger, c, claim, h.evidence))
        result = outcome_of(self.tools, "extraction", done)
        tx.conversations.put_session(replace(session, extracted_through=h.through))
        counts = {"new": result["new"], "updated": result["updated"], "through": h.through}
        tx.conversations.record_change(
            "session", session.id, "updated", {"extracted": True, **counts}
        )
        return {**result, "set": begun.id}


def _ended_before(tx: Transaction, claim: Claim) -> int:
    """Say how many memories the monitor ended by the message that the claim rests on: it is one exchange."""
    said = tx.conversations.get_message(claim.sources[0])
    return tx.changes.count_ended_by(said.turn_id) if said and said.turn_id else 0


def _merge(
    tx: Transaction, merger: Merger, c: ExtractedEntry, claim: Claim, evidence: Sequence[Message]
) -> SaveResult:
    """One candidate: contradicted, matched or new."""
    old = tx.memories.get(c.contradicts) if c.contradicts else None
    if old is not None and old.state is State.ACTIVE and old.layer is not Layer.SYSTEM:
        match choose_strategy(old, claim, inferred=True):
            case "weight_balance":
                return merger.contradict(old, claim)
            case "version_keep":
                return merger.negate(old, claim, claim.said_at)
            case "latest_wins":
                return (
                    merger.negate(old, claim, claim.said_at)
                    if c.denied
                    else merger.supersede(old, claim)
                )
    same = tx.memories.get(c.matches) if c.matches else None
    if same is not None and same.state is State.ACTIVE:
        return merger.match(same, claim)
    return merger.save(
        claim, mention=any(shares_words(m.text, claim.draft.content) for m in evidence)
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MEMORY_CHARS else line[: MEMORY_CHARS - 1].rstrip() + "…"
