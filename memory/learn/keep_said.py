"""Keep what a model, while it replies, says the person has just said.

It is learned as the monitor learns: the person's own words of this message must say so. The monitor
still judges the exchange afterwards.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Final, Literal, TypeAlias

from memory.learn.answer import LearningTools
from memory.learn.merge import Merger, SaveResult
from memory.learn.secrets import list_readable
from memory.learn.steps import Step, apply_steps, check_steps, claim_steps, cut_cited_clauses
from memory.learn.visible_messages import (
    is_evidence,
    is_unchanged,
    list_evidence_messages,
    messages_of,
)
from memory.models import Message, Source
from memory.ports import Transaction
from memory.text.spans import is_question

KeepOutcome: TypeAlias = Literal["kept", "known", "asked", "unsupported", "off"]
_NEAR: Final = 10
_BEFORE: Final = 4  # messages before it that a short answer may rest on


@dataclass(frozen=True, slots=True)
class SaidKeeper:
    """Keeps single sentences in the middle of a turn."""

    tools: LearningTools

    async def keep(
        self, user_id: str, turn_id: str, sentence: str, words: str, now: datetime
    ) -> KeepOutcome:
        """Keep a sentence that the person's words of an open turn support; say what became of it.

        Args:
            user_id: who is talked to.
            turn_id: the turn that is being answered.
            sentence: a note about the person.
            words: those of the message that say so.
            now: the time.
        """

        def read(tx: Transaction) -> tuple[list[Message], list[Message], str]:
            turn = tx.conversations.get_turn(turn_id)
            found = messages_of(tx, [turn.user_message_id]) if turn else []
            said = list_readable(tx, [m for m in found if is_evidence(m, user_id)])
            before = (
                tx.conversations.list_messages(
                    session_id=said[0].session_id, before=said[0].seq, limit=_BEFORE, newest=True
                )
                if said
                else []
            )
            return list(said), list(list_readable(tx, before)), self.tools.learns(tx)

        said, before, learning = await self.tools.store.read(user_id, read)
        if learning == "off":
            return "off"
        if not said:
            return "unsupported"

        def check() -> list[Step]:
            entry = import_module("memory.learn.schemas").Entry.model_validate(
                {"content": sentence, "said": f"1:{words}"}
            )
            spoken = list_evidence_messages(said, user_id, before)
            return check_steps([Step("add", None, entry, sentence)], spoken, [])

        steps = await asyncio.to_thread(check)
        cited = [cut_cited_clauses(s.verdict, said[-1].text) for s in steps]
        if any(s.verdict.reason for s in steps) or any(map(is_question, cited)):
            return "unsupported"
        # Not as the monitor's own: that it has learned from this message is told by its source.
        steps = await claim_steps(self.tools, user_id, steps, said, Source.EXTRACTOR, _NEAR)

        def write(tx: Transaction) -> KeepOutcome:
            if not is_unchanged(tx, said):
                return "unsupported"
            tx.changes.begin("monitor", "monitor", now, turn_id=turn_id)
            asks = learning == "ask"
            merger = Merger(tx, curve=self.tools.curve, u=self.tools.u, proposing=asks)
            spoken = list_evidence_messages(said, user_id, before)
            [done] = apply_steps(merger, steps, spoken, now, lambda s: _save(merger, s))
            if done.outcome == "refused":
                return "unsupported"
            return "known" if not done.changed else "asked" if asks else "kept"

        return await self.tools.store.write(user_id, write)


def _save(merger: Merger, step: Step) -> SaveResult:
    return SaveResult(None, "refused") if step.claim is None else merger.save(step.claim)
