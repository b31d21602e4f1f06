"""The monitor: after each exchange, what of it should be remembered, corrected or dropped (S0, DESIGN §6)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.errors import Conflict
from memory.jobs import Effect
from memory.learn import dates, lines
from memory.learn.alike import said_in, touches
from memory.learn.answer import plain
from memory.learn.asking import ANY, Tools
from memory.learn.drafts import Words, draft_of
from memory.learn.material import clock, is_evidence, items, language, reference, unchanged, words_of
from memory.learn.merge import Claim, Merger, Saved
from memory.learn.tokens import newest_within
from memory.models import Job, Json, Lang, Layer, Memory, MemoryId, Message, Sensitivity, Source, State
from memory.ports import Tx
from memory.recall import residents

CONTEXT_MESSAGES, CONTEXT_TOKENS = 10, 4_000
EXCHANGE_TOKENS = 6_000  # of one message of the exchange
NEAREST = 10
MAX_ANSWER = 2_000
NOTHING: Mapping[str, Json] = {"outcome": "nothing", "new": 0, "updated": 0}
FAILED: Mapping[str, Json] = {**NOTHING, "outcome": "failed", "error": "unreadable"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the monitor is asked about: turns not learned from yet, and what stands around them."""

    turn_ids: tuple[str, ...]
    messages: tuple[Message, ...]
    context: tuple[Message, ...]
    memories: tuple[Memory, ...]
    lang: Lang
    learning: str

    def evidence(self, user_id: str) -> list[Message]:
        """The user's own messages."""
        return [m for m in self.messages if is_evidence(m, user_id)]


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the answer, with the memory it names and the claim it makes."""

    line: lines.Line
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Monitor:
    """Turns a finished exchange into operations, and those into memories."""

    tools: Tools

    async def run(self, job: Job, now: datetime) -> Effect:
        """Ask the model and return what is to be written. Raises ModelError."""
        turn_ids = [str(t) for t in job.payload.get("turn_ids", [])]
        ex = await self.tools.store.read(job.user_id, lambda tx: self._gather(tx, turn_ids, now))
        evidence = ex.evidence(job.user_id)
        if ex.learning == "off" or not any(m.text.strip() for m in evidence):
            return lambda _tx: NOTHING
        shown = await self._reference(job.user_id, ex)
        answer = await self._ask(job.user_id, ex, shown, now) or await self._ask(job.user_id, ex, shown, now)
        if answer is None:  # twice: said to the person; the end of the conversation is learned from as a whole
            return lambda _tx: FAILED
        steps, unread = answer
        steps = await self._claims(job.user_id, ex, shown, steps)
        return lambda tx: self._apply(tx, job, ex, steps, unread, now)

    # --- before the call ---------------------------------------------------------------------------------

    def _gather(self, tx: Tx, turn_ids: Sequence[str], now: datetime) -> Exchange:
        turns = [t for i in turn_ids if (t := tx.conversations.turn(i)) is not None]
        said: list[Message] = []
        fresh: list[str] = []
        known: dict[MemoryId, Memory] = {}
        for turn in turns:
            found = [tx.conversations.message(i) for i in (turn.user_message_id, turn.reply_message_id) if i]
            visible = [m for m in found if m is not None and m.hidden_at is None]
            if not any(is_evidence(m, tx.user_id) for m in visible) or _learned(tx, [turn.user_message_id]):
                continue
            fresh.append(turn.id)
            said.extend(visible)
            trace = tx.traces.load(turn.id)
            known.update({h.memory.id: h.memory for h in (trace.hits if trace else ())})
        said.sort(key=lambda m: m.seq)
        context: list[Message] = []
        if said:
            context = tx.conversations.messages(
                session_id=said[0].session_id, before=said[0].seq, limit=CONTEXT_MESSAGES, newest=True
            )
        known.update({m.id: m for m in residents(tx, self.tools.u, now)})
        return Exchange(
            turn_ids=tuple(fresh),
            messages=tuple(said),
            context=tuple(newest_within(context, self._within(CONTEXT_TOKENS), lambda m: m.text)),
            memories=tuple(m for m in known.values() if _showable(m)),
            lang=language(words_of(said, tx.user_id), tx),
            learning=str(tx.user().settings.get("learning") or self.tools.learning),
        )

    def _within(self, tokens: int) -> int:
        """That many tokens, or a quarter of a smaller model's context."""
        return min(tokens, self.tools.context_tokens // 4)

    async def _reference(self, user_id: str, ex: Exchange) -> dict[MemoryId, Memory]:
        """Recalled in these turns, resident, and the nearest to the user's words: all that can be corrected."""
        words = await asyncio.to_thread(words_of, ex.messages, user_id)
        vector = (await self.tools.embed([words], "query"))[0]
        ids = await self.tools.nearest(user_id, vector, words, NEAREST, ANY)
        near = await self.tools.store.reader(user_id).get(ids)
        shown = {m.id: m for m in ex.memories}
        shown.update({m.id: m for m in near if m.id not in shown and _showable(m)})
        return shown

    # --- the call ------------------------------------------------------------------------------------------

    async def _ask(
        self, user_id: str, ex: Exchange, shown: Mapping[MemoryId, Memory], now: datetime
    ) -> tuple[list[Step], int] | None:
        """The steps and how many lines were left out; None for an answer without any operation."""
        tz = ex.messages[-1].tz
        exchange = await asyncio.to_thread(items, ex.messages, user_id, self._within(EXCHANGE_TOKENS))
        context = await asyncio.to_thread(items, ex.context, user_id, self._within(CONTEXT_TOKENS))
        known = reference(shown.values())
        variables = {
            "now": clock(now, tz, ex.lang),
            "tz": tz,
            "exchange": [i.shown(ex.lang) for i in exchange],
            "context": [i.shown(ex.lang) for i in context],
            "reference": known,
        }
        data = {
            "exchange": [i.data() for i in exchange],
            "context": [{"role": i.role, "text": i.text} for i in context],
            "reference": known,
            "now": dates.iso(now, tz),
            "tz": tz,
        }
        answer = await self.tools.ask(user_id, "monitor", ex.lang, variables, data, now, MAX_ANSWER)
        text = answer.text.rstrip()
        if answer.cut:
            text = text.rpartition("\n")[0]  # half a line is worse than none
        found, unread = lines.read(text)
        if not found and (plain(text) or answer.cut):
            self.tools.skipped("monitor answer", "unreadable", text)
            return None
        for u in unread:
            self.tools.skipped("monitor line", u.why, u.text)
        steps: list[Step] = []
        for line in found:
            if line.id and line.id not in shown:
                self.tools.skipped("monitor line", "id not shown", line.id)
                unread.append(lines.Unread("unknown_id", line.id))
            elif line.op != "skip":
                steps.append(Step(line))
        return steps, len(unread)

    async def _claims(
        self, user_id: str, ex: Exchange, shown: Mapping[MemoryId, Memory], steps: Sequence[Step]
    ) -> list[Step]:
        """Give every line that has a text its draft, sources, vector and neighbours."""
        with_text = [s for s in steps if s.line.text]
        vectors = await self.tools.embed([s.line.text for s in with_text])
        evidence = ex.evidence(user_id)
        made: dict[int, Step] = {}
        for step, vector in zip(with_text, vectors, strict=True):
            sources = (said_in(step.line.text, evidence) if len(evidence) > 1 else evidence) or evidence
            said = Words(step.line.text, step.line.attributes, sources[-1], Source.MONITOR, shown.get(step.line.id))
            near = await self.tools.nearest(user_id, vector, step.line.text, NEAREST, ANY)
            claim = Claim(
                draft_of(said, self.tools.skipped),
                max(m.at for m in sources),
                tuple(m.id for m in sources),
                sources[-1].session_id,
                vector,
                self.tools.embedder.id,
                tuple(near),
            )
            made[id(step)] = replace(step, claim=claim)
        return [made.get(id(s), s) for s in steps]

    # --- the write -----------------------------------------------------------------------------------------

    def _apply(
        self, tx: Tx, job: Job, ex: Exchange, steps: Sequence[Step], unread: int, now: datetime
    ) -> Mapping[str, Json]:
        if not unchanged(tx, ex.messages):
            raise Conflict("what was said changed while it was learned from")
        evidence = ex.evidence(tx.user_id)
        if _learned(tx, [m.id for m in evidence]):
            return NOTHING
        if not steps:
            return {**NOTHING, "unread": unread}
        begun = tx.changes.begin("monitor", "monitor", now, turn_id=ex.turn_ids[-1], job_id=job.id)
        merger = Merger(tx, curve=self.tools.curve, u=self.tools.u, proposing=ex.learning == "ask")
        done = [self._step(tx, merger, step, evidence, begun.id, now) for step in steps]
        for saved in done:
            if saved.outcome == "refused":
                self.tools.skipped("monitor line", saved.code, "")
        new = sum(s.outcome == "added" for s in done)
        updated = sum(s.changed for s in done) - new
        return {
            "outcome": "saved" if new + updated else "nothing",
            "new": new,
            "updated": updated,
            "refused": sum(s.outcome == "refused" for s in done),
            "unread": unread,
            "set": begun.id,
        }

    def _step(
        self, tx: Tx, merger: Merger, step: Step, evidence: Sequence[Message], set_id: str, now: datetime
    ) -> Saved:
        line, claim = step.line, step.claim
        if line.op == "add" and claim is not None:
            # A memory that comes back by another's words is known, but the user has not mentioned it.
            meant = any(touches(m.text, claim.draft.content) for m in evidence)
            return merger.save(claim, mention=meant)
        old = tx.memories.get(line.id)  # as it stands now: an earlier line may have changed it
        if old is None or old.state is not State.ACTIVE or old.layer is Layer.SYSTEM:
            return Saved(None, "refused", "gone")
        if line.op == "boost":
            tx.traces.mark_used({m.turn_id for m in evidence if m.turn_id}, old.id)
            return merger.boost(old, [(m.id, m.at) for m in evidence])
        if line.op == "update" and claim is not None:
            return merger.supersede(old, claim)
        if line.op == "negate" and claim is not None:
            return merger.negate(old, claim, claim.said_at)
        return _delete(merger, old, evidence, set_id, now)


def _delete(merger: Merger, old: Memory, evidence: Sequence[Message], set_id: str, now: datetime) -> Saved:
    """Soft and undoable; never what the user has pinned or confirmed, nor a core memory: that takes their word."""
    if old.pinned or old.verified or old.layer is Layer.CORE:
        return Saved(None, "refused", "protected")
    if merger.proposing:
        return Saved(None, "refused", "ask")
    if max(m.at for m in evidence) < old.created_at:
        return Saved(None, "refused", "older")
    return merger.bury(old, set_id, now)


def _learned(tx: Tx, message_ids: Sequence[str]) -> bool:
    """Whether the monitor has learned from one of the messages before (what was undone since does not count)."""
    memories = tx.memories.many(tx.memories.learned_from(message_ids))
    return any(m.source is Source.MONITOR and m.state is not State.DELETED for m in memories)


def _showable(m: Memory) -> bool:
    """Episodes are accounts of conversations, not facts that could be corrected; secrets are never shown."""
    return m.state is State.ACTIVE and m.layer is not Layer.EPISODE and m.sensitivity < Sensitivity.SECRET
