"""What Ebb asks of its own accord, and what a person answers: proposals, and entries missing from MEMORY.md."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from bot.events import Choice, Command, CommandOutcome, Turn
from bot.tables import put_choice
from bot.texts import say
from memory.errors import MemoryError_
from memory.models import Json, Lang, Proposal
from memory.ports import Store, Transaction
from memory.service import MemoryService

PROPOSAL = "proposal"
LIFE = timedelta(days=2)
_NAMED = 5


async def ask_proposal(
    service: MemoryService, store: Store, turn: Turn, lang: Lang, *, pause: bool
) -> tuple[Choice, ...]:
    """Offer today's question, if there is one: a yes and a no; only at a pause, and never in a group."""
    private = turn.scope.startswith("user:")
    p = await service.ask_today(turn.user_id, turn.at) if pause and private else None
    return (
        () if p is None else await store.write(turn.user_id, lambda tx: _offer(tx, turn, p, lang))
    )


def write_question(p: Proposal, lang: Lang) -> str:
    """Write a proposal as a question."""
    return say(
        lang, "proposal.forget" if p.data.get("op") == "delete" else "proposal.keep", text=p.text
    )


def _offer(tx: Transaction, turn: Turn, p: Proposal, lang: Lang) -> tuple[Choice, ...]:
    keys = {yes: tx.new_id() for yes in (True, False)}
    for yes, key in keys.items():
        put_choice(tx, key, turn.scope, PROPOSAL, {"id": p.id, "yes": yes}, turn.at + LIFE)
    return Choice(keys[True], write_question(p, lang)), Choice(
        keys[False], say(lang, "proposal.no")
    )


async def answer_proposal(
    service: MemoryService, c: Command, payload: Json, lang: Lang
) -> CommandOutcome:
    """Do what the person answered."""
    try:
        if payload["yes"]:
            await service.accept(c.user_id, payload["id"], c.at)
        else:
            await service.decline_proposal(c.user_id, payload["id"], c.at)
    except MemoryError_:
        return CommandOutcome(False, say(lang, "choice.gone"))
    return CommandOutcome(
        True, say(lang, "proposal.accepted" if payload["yes"] else "proposal.declined")
    )


async def list_proposals(service: MemoryService, user_id: str, lang: Lang) -> list[str]:
    """List what waits for a yes or no, with ids."""
    waiting = await service.list_proposals(user_id)
    head = ["", say(lang, "proposal.head")] if waiting else []
    return head + [f"- {write_question(p, lang)} [{p.id}]" for p in waiting]


async def describe_mirror(
    service: MemoryService, store: Store, c: Command, lang: Lang
) -> CommandOutcome:
    """Say where the file is, and ask the question that is open."""
    if service.mirror is None:
        return CommandOutcome(False, say(lang, "mirror.none"))
    path = service.mirror.path(c.user_id)
    asking = await _find_mirror_question(store, c)
    if asking is None:
        return CommandOutcome(True, say(lang, "mirror.here", path=path))
    missing = await store.read(c.user_id, lambda tx: tx.memories.get_many(asking["ids"]))
    lines = [f"- {m.content}" for m in missing[:_NAMED]] + (
        ["- …"] if len(missing) > _NAMED else []
    )
    choices = (
        Choice(str(asking["yes"]), say(lang, "mirror.forget", n=len(missing))),
        Choice(str(asking["no"]), say(lang, "mirror.keep")),
    )
    text = say(lang, "mirror.asks", n=len(missing), text="\n".join(lines))
    return CommandOutcome(True, text, memories=tuple(missing), choices=choices)


async def _find_mirror_question(store: Store, c: Command) -> Mapping[str, Json] | None:
    state = await store.read(c.user_id, lambda tx: tx.mirror.get_state())
    return state.get_open_question(c.at) if state is not None else None


async def answer_mirror(
    service: MemoryService, store: Store, c: Command, lang: Lang
) -> CommandOutcome | None:
    """Forget what is missing from the file, or write it into the file again.

    None if the key is no answer to that question.
    """
    asking, key = await _find_mirror_question(store, c), c.args.strip()
    if c.scope != f"user:{c.user_id}" or asking is None or key not in (asking["yes"], asking["no"]):
        return None
    ids = asking["ids"] if key == asking["yes"] else []
    done = await service.forget_missing(c.user_id, ids, c.at)
    if not done:
        return CommandOutcome(True, say(lang, "mirror.kept"))
    return CommandOutcome(True, say(lang, "mirror.forgotten", n=len(done)))
