"""The monitor: after each exchange, what of it should be remembered, corrected or dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from memory.errors import Conflict
from memory.jobs import Effect
from memory.learn import lines
from memory.learn.answer import FACTS, LearningTools, ModelTask, read_payload
from memory.learn.cited_words import ShownMessage
from memory.learn.dates import find_spoken_times, format_iso
from memory.learn.evidence import Verdict
from memory.learn.learning_rules import list_said
from memory.learn.merge import REPEATS, Merger, SaveResult, change_memory
from memory.learn.pictures import note_pictures
from memory.learn.same_meaning import shares_words
from memory.learn.secrets import list_readable
from memory.learn.slot_changes import keep_rest, weigh_slots
from memory.learn.slots import SLOTS
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
from memory.learn.visible_messages import (
    CONTEXT_MESSAGES,
    clip,
    find_session_language,
    is_evidence,
    is_unchanged,
    is_visible_fact,
    join_user_words,
    label_memories,
    list_evidence_messages,
    list_prompt_messages,
    messages_of,
    take_context,
    write_time,
)
from memory.models import (
    Job,
    Json,
    Lang,
    Layer,
    Memory,
    MemoryId,
    Message,
    Source,
    State,
)
from memory.ports import Transaction
from memory.recall.agenda import find_agenda
from memory.text.pictures import has_pictures, strip_pictures

if TYPE_CHECKING:
    from memory.learn.schemas import MonitorJob

CONTEXT_TOKENS: Final = 4_000
EXCHANGE_TOKENS: Final = 6_000  # of one message of the exchange
NEAREST, SHOWN = 16, 18  # memories compared with; memories in the reference block
NEAREST_SHOWN: Final = 14  # of those before what fills a slot, which words seldom name
COMING: Final = 2  # of what is to come, where a day is named
_SOON: Final = timedelta(days=28)
BEFORE, BEFORE_TOKENS = 8, 200  # messages before the exchange that are looked up by, and of each
MAX_ANSWER: Final = 2_000
FAILED: Final[Mapping[str, Json]] = {**NOTHING, "outcome": "failed", "error": "unreadable"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the monitor is asked about: turns not learned from yet, and what stands around them."""

    user_id: str
    turn_ids: Sequence[str]
    messages: Sequence[Message]
    evidence: Sequence[Message]  # the user's own of them
    context: Sequence[Message]
    before: Sequence[Message]  # the newest of what was said before
    spoken: Sequence[ShownMessage]  # all of them, as evidence is looked for
    shown: Mapping[MemoryId, Memory]  # what can be corrected
    recalled: frozenset[MemoryId]
    lang: Lang
    learning: str


@dataclass(frozen=True, slots=True)
class Monitor:
    """Turns a finished exchange into operations, and those into memories."""

    tools: LearningTools

    async def run(self, job: Job, now: datetime) -> Effect:
        """Ask the model and return what is to be written. Raises ModelError."""
        asked: MonitorJob = await read_payload(job)
        ex = await self.tools.store.read(job.user_id, lambda tx: self._gather(tx, asked.turn_ids))
        if ex.learning == "off" or not any(strip_pictures(m.text).strip() for m in ex.evidence):
            return lambda _tx: NOTHING
        ex = await self._find_reference(ex)
        answer = await self._ask(ex, now) or await self._ask(ex, now)
        if answer is None:  # said to the person; the end of the session is learned from as a whole
            return lambda _tx: FAILED
        steps, unread = answer
        # Said once more, with the reasons.
        if failed := [s for s in steps if s.verdict.reason or s.unsaid]:
            again, more = await self._ask(ex, now, failed) or ([], 0)
            kept = [s for s in steps if s not in failed]
            told = {s.raw for s in kept}
            again = [*again, *keep_rest(failed, again)]
            steps = [*kept, *(s for s in again if s.raw not in told)]
            unread += more + max(0, len(failed) - len(again))
        steps = await claim_steps(
            self.tools, ex.user_id, steps, ex.evidence, Source.MONITOR, NEAREST
        )
        return lambda tx: self._apply(tx, job, ex, steps, unread, now)

    # --- before the call ---

    def _gather(self, tx: Transaction, turn_ids: Sequence[str]) -> Exchange:
        said, fresh, recalled = list[Message](), list[str](), list[MemoryId]()
        for turn in filter(None, map(tx.conversations.get_turn, turn_ids)):
            found = messages_of(tx, filter(None, (turn.user_message_id, turn.reply_message_id)))
            visible = [m for m in found if m.hidden_at is None]
            learned = _has_learned(tx, [turn.user_message_id])
            if not learned and any(is_evidence(m, tx.user_id) for m in visible):
                trace = tx.traces.load(turn.id)
                fresh.append(turn.id)
                said += visible
                recalled += [h.memory.id for h in (trace.hits if trace else ())]
        said = sorted(list_readable(tx, said), key=lambda m: m.seq)
        earlier: Sequence[Message] = []
        if said:
            found = tx.conversations.list_messages(
                session_id=said[0].session_id,
                before=said[0].seq,
                limit=CONTEXT_MESSAGES,
                newest=True,
            )
            earlier = list_readable(tx, found)
        context = take_context(earlier, self.tools.limit(CONTEXT_TOKENS))
        known = tx.memories.get_many(dict.fromkeys(recalled))
        return Exchange(
            tx.user_id,
            fresh,
            said,
            [m for m in said if is_evidence(m, tx.user_id)],
            context,
            earlier[-BEFORE:],
            list_evidence_messages(said, tx.user_id, context),
            {m.id: m for m in known},
            frozenset(recalled),
            find_session_language(tx, said[0].session_id if said else ""),
            self.tools.learns(tx),
        )

    async def _find_reference(self, ex: Exchange) -> Exchange:
        """Show what can be corrected: recalled, and nearest to the words and those before them.

        "No, Tuesday" is near to nothing; the message that it answers is. A day that is named may be
        the new one of what is to come next.
        """

        def list_texts() -> list[str]:
            before = [clip(m.text, BEFORE_TOKENS) for m in ex.before]
            reply = [clip(m.text, BEFORE_TOKENS) for m in ex.messages if m.role == "assistant"]
            return [join_user_words(ex.messages, ex.user_id), *reversed(before), *reply]

        texts = await asyncio.to_thread(list_texts)
        near = await self.tools.near_each(ex.user_id, texts, SHOWN, FACTS)
        slots = await self.tools.store.read(ex.user_id, _list_slot_values)
        last, coming = ex.messages[-1], list[Memory]()
        if any(find_spoken_times(texts[0], last.at, last.tz)):
            ahead = partial(find_agenda, since=last.at, until=last.at + _SOON, tz=last.tz)
            found = await self.tools.store.read(ex.user_id, ahead)
            coming = [m for m in found if not m.repeats][:COMING]
        recalled = [m for m in ex.shown.values() if m.id in ex.recalled]
        nearest = near[: NEAREST_SHOWN - len(coming)]
        some = (*recalled, *nearest, *coming, *slots, *near)
        shown = {m.id: m for m in some if is_visible_fact(m)}
        return replace(ex, shown=dict(list(shown.items())[:SHOWN]))

    # --- the call ---

    async def _ask(
        self, ex: Exchange, now: datetime, failed: Sequence[Step] = ()
    ) -> tuple[list[Step], int] | None:
        """Return the checked steps and how many lines were left out; None without any operation."""
        tz, tools = ex.messages[-1].tz, self.tools

        def show(messages: Sequence[Message], most: int) -> list[Json]:
            return list_prompt_messages(messages, ex.user_id, tools.limit(most), ex.lang)

        data = {
            "now": format_iso(now, tz),
            "when": write_time(now, tz, ex.lang),
            "tz": tz,
            "exchange": await asyncio.to_thread(show, ex.messages, EXCHANGE_TOKENS),
            "context": await asyncio.to_thread(show, ex.context, CONTEXT_TOKENS),
            "reference": label_memories(ex.shown.values(), tz, {m.id for m in ex.evidence}),
            "rules": await tools.store.read(ex.user_id, list_said),
            "failed": [_show_failed(s) for s in failed],
        }
        task = ModelTask(ex.user_id, "monitor", ex.lang, data, now, MAX_ANSWER)
        answer = await tools.ask(task)
        text = answer.text.rstrip()
        if answer.cut:
            text = text.rpartition("\n")[0]  # half a line is worse than none
        found, unread = lines.read(text)
        if not found:
            tools.skipped("monitor answer", "unreadable", text)
            return None
        for u in unread:
            tools.skipped("monitor line", u.why, u.text)
        found = [x for x in found if x.op != "skip"]
        steps, shown = await asyncio.to_thread(_read_steps, ex, found), ex.shown.values()
        near = await measure_nearness(tools, ex.user_id, steps, shown)
        insisted = {date for s in failed for date in s.unsaid.values()}
        checked = await asyncio.to_thread(check_steps, steps, ex.spoken, shown, near, insisted)
        checked = await weigh_paraphrases(tools, checked, ex.spoken, failed, near)
        checked = await weigh_slots(tools, ex.user_id, checked, failed, now)
        return checked, len(unread)

    # --- the write ---

    def _apply(
        self,
        tx: Transaction,
        job: Job,
        ex: Exchange,
        steps: Sequence[Step],
        unread: int,
        now: datetime,
    ) -> Mapping[str, Json]:
        if not is_unchanged(tx, ex.messages):
            raise Conflict("what was said changed while it was learned from")
        if _has_learned(tx, [m.id for m in ex.evidence]):
            return NOTHING
        if not steps and not any(has_pictures(m.text) for m in ex.evidence):
            return {**NOTHING, "unread": unread}
        begun = tx.changes.begin("monitor", "monitor", now, turn_id=ex.turn_ids[-1], job_id=job.id)
        merger = Merger(tx, curve=self.tools.curve, u=self.tools.u, proposing=ex.learning == "ask")
        act = partial(_act, merger, evidence=ex.evidence, now=now)
        done = apply_steps(merger, steps, ex.spoken, now, act, ex.recalled)
        note_pictures(merger, ex.evidence, done)
        refused = sum(s.outcome == "refused" for s in done)
        counts = count_outcomes(self.tools, "monitor line", done)
        return {**counts, "refused": refused, "unread": unread, "set": begun.id}


def _show_failed(s: Step) -> Json:
    reason = s.verdict.reason or "unread_date"
    ends = s.old.original_content if s.old and reason == "slot" else ""
    return {"line": s.raw, "reason": reason, "ends": ends}


def _read_steps(ex: Exchange, found: Sequence[lines.OperationLine]) -> list[Step]:
    """Read the texts of lines as entries, and find the memories that they name."""
    read = import_module("memory.learn.schemas").Entry.model_validate  # in a thread: it takes long
    steps = []
    for line in found:
        # What was to be done, and is: from now on the fact that it was done.
        own = {**line.attributes, "kind": "fact"} if line.op == "done" else line.attributes
        old = ex.shown.get(line.id)
        text = old.original_content if old and line.op in REPEATS else line.text
        entry = read({"content": text, **own}) if text else None
        unknown = Verdict("id" if line.id and old is None else "")
        steps.append(Step(line.op, old, entry, line.raw, unknown))
    return steps


def _act(merger: Merger, step: Step, *, evidence: Sequence[Message], now: datetime) -> SaveResult:
    """Do what one line says."""
    tx, claim, old = merger.tx, step.claim, step.old
    if step.op == "add" and claim is not None:
        # A memory that comes back by another's words is known, but the user has not mentioned it.
        meant = any(shares_words(m.text, claim.draft.content) for m in evidence)
        return merger.save(claim, mention=meant)
    if old is None or old.state is not State.ACTIVE or old.layer is Layer.SYSTEM:
        return SaveResult(None, "refused", "gone")
    if step.op == "boost":
        recalled = tx.traces.mark_used({m.turn_id for m in evidence if m.turn_id}, old.id)
        return merger.boost(old, evidence[-1].at, recalled=recalled)
    if claim is not None:
        return change_memory(merger, step.op, old, claim)
    if merger.proposing:
        return SaveResult(None, "refused", "ask")
    if max(m.at for m in evidence) < old.created_at:
        return SaveResult(None, "refused", "older")
    return merger.delete(old, now)  # soft and undoable


def _list_slot_values(tx: Transaction) -> list[Memory]:
    """List what fills the slots now, those first that change most often."""
    found = [m for m in tx.memories.list_slots(SLOTS) if m.slot and m.negated_at is None]
    return sorted(found, key=lambda m: SLOTS.index(m.slot or ""))


def _has_learned(tx: Transaction, message_ids: Sequence[str]) -> bool:
    """Tell whether the monitor learned from one of them before, and it was not undone since."""
    memories = tx.memories.get_many(tx.memories.list_learned_from(message_ids))
    return any(m.source is Source.MONITOR and m.state is not State.DELETED for m in memories)
