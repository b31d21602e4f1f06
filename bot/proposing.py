"""Ask about proposals: what a model wanted to keep or end and the person's words did not bear out."""

from __future__ import annotations

from datetime import timedelta

from bot.events import Choice, Command, Outcome, Turn
from bot.texts import say
from memory.errors import MemoryError_
from memory.models import Json, Lang, Proposal
from memory.ports import Store, Tx
from memory.service import MemoryService

KIND = "proposal"  # of the choices
LIFE = timedelta(days=2)


async def ask_proposal(
    service: MemoryService, store: Store, turn: Turn, lang: Lang, *, pause: bool
) -> tuple[Choice, ...]:
    """Offer today's question, if there is one: a yes and a no; only at a pause, and never in a group."""
    private = turn.scope.startswith("user:")
    p = await service.ask_today(turn.user_id, turn.at) if pause and private else None
    return () if p is None else await store.write(turn.user_id, lambda tx: _offer(tx, turn, p, lang))


def question_of(p: Proposal, lang: Lang) -> str:
    """The question that a proposal is."""
    return say(lang, "proposal.forget" if p.data.get("op") == "delete" else "proposal.keep", text=p.text)


def _offer(tx: Tx, turn: Turn, p: Proposal, lang: Lang) -> tuple[Choice, ...]:
    keys = {yes: tx.new_id() for yes in (True, False)}
    for yes, key in keys.items():
        tx.put_choice(key, turn.scope, KIND, {"id": p.id, "yes": yes}, turn.at + LIFE)
    return Choice(keys[True], question_of(p, lang)), Choice(keys[False], say(lang, "proposal.no"))


async def answer_proposal(service: MemoryService, c: Command, payload: Json, lang: Lang) -> Outcome:
    """Do what the person answered."""
    try:
        if payload["yes"]:
            await service.accept(c.user_id, payload["id"], c.at)
        else:
            await service.decline(c.user_id, payload["id"], c.at)
    except MemoryError_:
        return Outcome(False, say(lang, "choice.gone"))
    return Outcome(True, say(lang, "proposal.accepted" if payload["yes"] else "proposal.declined"))


async def list_proposals(service: MemoryService, user_id: str, lang: Lang) -> list[str]:
    """Lines for a list of memories: what waits for a yes or no, with ids."""
    waiting = await service.proposals(user_id)
    head = ["", say(lang, "proposal.head")] if waiting else []
    return head + [f"- {question_of(p, lang)} [{p.id}]" for p in waiting]
