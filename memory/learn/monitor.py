"""The monitor: after each exchange, what of it should be remembered, corrected or dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory.errors import Conflict
from memory.jobs import Effect
from memory.learn import dates, lines
from memory.learn.answer import ANY, LearningTools, read_payload, strip_thinking
from memory.learn.drafts import NOTHING, claims_of, operation_of, outcome_of
from memory.learn.evidence import ShownMessage, Verdict, check_operation
from memory.learn.merge import Claim, Merger, SaveResult
from memory.learn.reach import (
    MOST_ENDED,
    add_proposal,
    is_half_said,
    join_exchange_words,
    may_end,
    touches_memory,
)
from memory.learn.same_meaning import shares_words
from memory.learn.secrets import list_readable
from memory.learn.visible_messages import (
    detect_messages_language,
    is_evidence,
    is_unchanged,
    join_user_words,
    label_memories,
    list_evidence_messages,
    list_prompt_messages,
    make_time,
    messages_of,
    take_newest_within,
)
from memory.models import (
    Job,
    Json,
    Lang,
    Layer,
    Memory,
    MemoryId,
    Message,
    Sensitivity,
    Source,
    State,
)
from memory.ports import Transaction
from memory.recall.standing import find_standing

if TYPE_CHECKING:
    from memory.learn.schemas import Entry, MonitorJob

CONTEXT_MESSAGES, CONTEXT_TOKENS = 10, 4_000
EXCHANGE_TOKENS = 6_000  # of one message of the exchange
NEAREST, SHOWN = 10, 20  # memories looked up; memories in the reference block
MAX_ANSWER = 2_000
ASKABLE = frozenset(
    {"said", "unsupported", "name", "number", "date", "relative", "overstated"}
)  # no wrong sense
FAILED: Mapping[str, Json] = {**NOTHING, "outcome": "failed", "error": "unreadable"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the monitor is asked about: turns not learned from yet, and what stands around them."""

    turn_ids: Sequence[str]
    messages: Sequence[Message]
    evidence: Sequence[Message]  # the user's own of them
    context: Sequence[Message]
    memories: Sequence[Memory]
    recalled: frozenset[MemoryId]
    lang: Lang
    learning: str


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """One line of the answer, with what it says, how far that is supported, and the claim it makes."""

    line: lines.OperationLine
    entry: Entry | None = None
    verdict: Verdict = Verdict("")
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Monitor:
    """Turns a finished exchange into operations, and those into memories."""

    tools: LearningTools

    async def run(self, job: Job, now: datetime) -> Effect:
        """Ask the model and return what is to be written. Raises ModelError."""
        asked: MonitorJob = await read_payload(job)
        ex = await self.tools.store.read(
            job.user_id, lambda tx: self._gather(tx, asked.turn_ids, now)
        )
        if ex.learning == "off" or not any(m.text.strip() for m in ex.evidence):
            return lambda _tx: NOTHING
        shown = await self._reference(job.user_id, ex)
        spoken = list_evidence_messages(ex.messages, job.user_id, ex.context)
        answer = await self._ask(job.user_id, ex, shown, now) or await self._ask(
            job.user_id, ex, shown, now
        )
        if (
            answer is None
        ):  # twice: said to the person; the end of the conversation is learned from as a whole
            return lambda _tx: FAILED
        steps, unread = answer
        steps = await asyncio.to_thread(_checked, steps, spoken, shown)
        if failed := [s for s in steps if s.verdict.reason]:  # said once more, with the reasons
            again, more = await self._ask(job.user_id, ex, shown, now, failed) or ([], 0)
            steps = [s for s in steps if not s.verdict.reason]
            kept = [s.line for s in steps]
            steps += await asyncio.to_thread(
                _checked, [s for s in again if s.line not in kept], spoken, shown
            )
            unread += more + max(0, len(failed) - len(again))
        steps = await self._claims(job.user_id, ex, shown, steps)
        return lambda tx: self._apply(tx, job, ex, spoken, steps, unread, now)

    # --- before the call ---

    def _gather(self, tx: Transaction, turn_ids: Sequence[str], now: datetime) -> Exchange:
        said, fresh, recalled = list[Message](), list[str](), dict[MemoryId, None]()
        for turn in (t for i in turn_ids if (t := tx.conversations.get_turn(i)) is not None):
            found = messages_of(tx, [i for i in (turn.user_message_id, turn.reply_message_id) if i])
            visible = [m for m in found if m.hidden_at is None]
            if any(is_evidence(m, tx.user_id) for m in visible) and not _learned(
                tx, [turn.user_message_id]
            ):
                fresh.append(turn.id)
                said += visible
                trace = tx.traces.load(turn.id)
                recalled |= dict.fromkeys(h.memory.id for h in (trace.hits if trace else ()))
        said = sorted(list_readable(tx, said), key=lambda m: m.seq)
        context: list[Message] = []
        if said:
            at = said[0]
            context = tx.conversations.list_messages(
                session_id=at.session_id, before=at.seq, limit=CONTEXT_MESSAGES, newest=True
            )
        known = {
            m.id: m
            for m in (*tx.memories.get_many(list(recalled)), *find_standing(tx, self.tools.u, now))
        }
        return Exchange(
            turn_ids=fresh,
            messages=said,
            evidence=[m for m in said if is_evidence(m, tx.user_id)],
            context=take_newest_within(
                list_readable(tx, context), self._within(CONTEXT_TOKENS), lambda m: m.text
            ),
            memories=[m for m in known.values() if _showable(m)],
            recalled=frozenset(recalled),
            lang=detect_messages_language(join_user_words(said, tx.user_id), tx),
            learning=self.tools.learns(tx),
        )

    def _within(self, tokens: int) -> int:
        """That many tokens, or a quarter of a smaller model's context."""
        return min(tokens, self.tools.context_tokens // 4)

    async def _reference(self, user_id: str, ex: Exchange) -> dict[MemoryId, Memory]:
        """Return all that can be corrected: recalled in these turns, nearest to the user's words, and resident."""
        words = await asyncio.to_thread(join_user_words, ex.messages, user_id)
        near = await self.tools.near(user_id, words, NEAREST, ANY)
        recalled = [m for m in ex.memories if m.id in ex.recalled]
        shown = {m.id: m for m in (*recalled, *(m for m in near if _showable(m)), *ex.memories)}
        return dict(list(shown.items())[:SHOWN])

    # --- the call ---

    async def _ask(
        self,
        user_id: str,
        ex: Exchange,
        shown: Mapping[MemoryId, Memory],
        now: datetime,
        failed: Sequence[ReviewAnswer] = (),
    ) -> tuple[list[ReviewAnswer], int] | None:
        """Return the steps and how many lines were left out; None for an answer without any operation."""
        tz = ex.messages[-1].tz
        exchange = await asyncio.to_thread(
            list_prompt_messages, ex.messages, user_id, self._within(EXCHANGE_TOKENS)
        )
        context = await asyncio.to_thread(
            list_prompt_messages, ex.context, user_id, self._within(CONTEXT_TOKENS)
        )
        known = label_memories(shown.values())
        variables = {
            "now": make_time(now, tz, ex.lang),
            "tz": tz,
            "exchange": [i.shown(ex.lang) for i in exchange],
            "context": [i.shown(ex.lang) for i in context],
            "reference": known,
            "failed": [{"line": s.line.raw, "reason": s.verdict.reason} for s in failed],
        }
        data = {
            "exchange": [i.data() for i in exchange],
            "context": [{"role": i.role, "text": i.text} for i in context],
            "reference": known,
            "now": dates.format_iso(now, tz),
            "tz": tz,
            "failed": len(failed),
        }
        answer = await self.tools.ask(user_id, "monitor", ex.lang, variables, data, now, MAX_ANSWER)
        text = answer.text.rstrip()
        if answer.cut:
            text = text.rpartition("\n")[0]  # half a line is worse than none
        found, unread = lines.read(text)
        if not found and (strip_thinking(text) or answer.cut):
            self.tools.skipped("monitor answer", "unreadable", text)
            return None
        for u in unread:
            self.tools.skipped("monitor line", u.why, u.text)
        unknown = [line for line in found if line.id and line.id not in shown]
        for line in unknown:
            self.tools.skipped("monitor line", "id not shown", line.id)
        steps = [ReviewAnswer(line) for line in found if line.op != "skip" and line not in unknown]
        return steps, len(unread) + len(unknown)

    async def _claims(
        self,
        user_id: str,
        ex: Exchange,
        shown: Mapping[MemoryId, Memory],
        steps: Sequence[ReviewAnswer],
    ) -> list[ReviewAnswer]:
        """Give every line that has a text its draft, sources, vector and neighbours."""
        told = [(s.entry, s.verdict, shown.get(s.line.id)) for s in steps if s.entry is not None]
        claims = iter(
            await claims_of(self.tools, user_id, told, ex.evidence, Source.MONITOR, NEAREST)
        )
        return [s if s.entry is None else replace(s, claim=next(claims)) for s in steps]

    # --- the write ---

    def _apply(
        self,
        tx: Transaction,
        job: Job,
        ex: Exchange,
        spoken: Sequence[ShownMessage],
        steps: Sequence[ReviewAnswer],
        unread: int,
        now: datetime,
    ) -> Mapping[str, Json]:
        if not is_unchanged(tx, ex.messages):
            raise Conflict("what was said changed while it was learned from")
        if _learned(tx, [m.id for m in ex.evidence]):
            return NOTHING
        if not steps:
            return {**NOTHING, "unread": unread}
        begun = tx.changes.begin("monitor", "monitor", now, turn_id=ex.turn_ids[-1], job_id=job.id)
        merger = Merger(tx, curve=self.tools.curve, u=self.tools.u, proposing=ex.learning == "ask")
        said, done = join_exchange_words(spoken), list[SaveResult]()
        for step in steps:
            why = self._refused(tx, ex, step, said, sum(s.ended for s in done))
            if why:
                _ask_instead(tx, step, said, why, now)
            if (
                why == "reach" and step.claim is not None
            ):  # what they said is kept, and what it would end stands
                done.append(merger.save(step.claim, mention=True))
            else:
                done.append(
                    SaveResult(None, "refused", why)
                    if why
                    else _step(tx, merger, step, ex.evidence, now)
                )
        refused = sum(s.outcome == "refused" for s in done)
        return {
            **outcome_of(self.tools, "monitor line", done),
            "refused": refused,
            "unread": unread,
            "set": begun.id,
        }

    def _refused(
        self, tx: Transaction, ex: Exchange, step: ReviewAnswer, said: str, ended: int
    ) -> str:
        """Say why the person's words do not bear the operation out, or not that it reaches so far; "" if they do."""
        old = tx.memories.get(step.line.id)
        if step.verdict.reason or old is None or step.line.op == "add":
            return step.verdict.reason
        if step.line.op == "boost":
            return "" if old.id in ex.recalled or touches_memory(said, old) else "not_recalled"
        guarded = step.line.op == "delete" and (
            old.pinned or old.verified or old.layer is Layer.CORE
        )
        return "" if ended < MOST_ENDED and may_end(said, old) and not guarded else "reach"


def _step(
    tx: Transaction, merger: Merger, step: ReviewAnswer, evidence: Sequence[Message], now: datetime
) -> SaveResult:
    line, claim = step.line, step.claim
    if line.op == "add" and claim is not None:
        # A memory that comes back by another's words is known, but the user has not mentioned it.
        meant = any(shares_words(m.text, claim.draft.content) for m in evidence)
        return merger.save(claim, mention=meant)
    old = tx.memories.get(line.id)  # as it stands now: an earlier line may have changed it
    if old is None or old.state is not State.ACTIVE or old.layer is Layer.SYSTEM:
        return SaveResult(None, "refused", "gone")
    if line.op == "boost":
        recalled = tx.traces.mark_used({m.turn_id for m in evidence if m.turn_id}, old.id)
        return merger.boost(old, evidence, recalled=recalled)
    if line.op == "update" and claim is not None:
        return merger.supersede(old, claim)
    if line.op == "negate" and claim is not None:
        until = claim.draft.valid_until or claim.said_at
        claim = replace(claim, draft=replace(claim.draft, valid_until=None))
        return merger.negate(old, claim, min(until, claim.said_at))
    if merger.proposing:
        return SaveResult(None, "refused", "ask")
    if max(m.at for m in evidence) < old.created_at:
        return SaveResult(None, "refused", "older")
    return merger.delete(old, now)  # soft and undoable


def _checked(
    steps: Sequence[ReviewAnswer], spoken: Sequence[ShownMessage], shown: Mapping[MemoryId, Memory]
) -> list[ReviewAnswer]:
    """Read each step, and check it against the person's words."""
    from memory.learn.schemas import Entry  # in a thread: the first import takes long

    texts, out = [m.original_content for m in shown.values()], list[ReviewAnswer]()
    for step in steps:
        line = step.line
        if line.text:
            entry = Entry.model_validate({"content": line.text, **line.attributes})
            operation = operation_of(entry, line.op, shown.get(line.id))
            step = replace(step, entry=entry, verdict=check_operation(operation, spoken, texts))  # noqa: PLW2901
        out.append(step)
    return out


def _ask_instead(tx: Transaction, step: ReviewAnswer, said: str, why: str, now: datetime) -> None:
    """Keep what was not done as a question, where half of it is the person's own."""
    line, claim = step.line, step.claim
    old = tx.memories.get(line.id) if why == "reach" else None
    source = claim.sources[0] if claim else None
    if old is not None and touches_memory(said, old):
        add_proposal(
            tx, line.text or old.original_content, {"op": line.op, "id": old.id}, source, now
        )
    elif line.op == "add" and why in ASKABLE and is_half_said(line.text, said):
        add_proposal(tx, line.text, {"op": "add"}, source, now)


def _learned(tx: Transaction, message_ids: Sequence[str]) -> bool:
    """Tell whether the monitor has learned from one of the messages before (what was undone since does not count)."""
    memories = tx.memories.get_many(tx.memories.list_learned_from(message_ids))
    return any(m.source is Source.MONITOR and m.state is not State.DELETED for m in memories)


def _showable(m: Memory) -> bool:
    """Episodes are accounts of conversations, not facts that could be corrected; secrets are never shown."""
    return (
        m.state is State.ACTIVE
        and m.layer is not Layer.EPISODE
        and m.sensitivity < Sensitivity.SECRET
    )
