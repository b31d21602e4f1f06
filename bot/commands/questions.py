"""What Ebb asks of its own accord, and the answers: proposals, what MEMORY.md lacks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from bot.events import Choice, Command, CommandOutcome, Turn, answer
from bot.tables import put_choice
from bot.texts import say
from memory import api
from memory.errors import MemoryError_
from memory.models import Json, Lang, Proposal
from memory.ports import Store, Transaction

PROPOSAL = "proposal"
LIFE = timedelta(days=2)
_NAMED = 5
NIGHT = "night"  # what a night was held back from


async def ask_proposal(
    memory: api.Memory, store: Store, turn: Turn, lang: Lang
) -> tuple[Choice, ...]:
    """Offer today's question, if there is one: a yes and a no."""
    p = await memory.ask_today(turn.user_id, turn.at)
    if p is None:
        return ()

    def offer(tx: Transaction) -> tuple[Choice, ...]:
        no = "proposal.leave" if p.data.get("op") == NIGHT else "proposal.no"
        texts = {True: write_question(p, lang), False: say(lang, no)}
        keys = {yes: tx.new_id() for yes in texts}
        for yes, key in keys.items():
            put_choice(tx, key, turn.scope, PROPOSAL, {"id": p.id, "yes": yes}, turn.at + LIFE)
        return tuple(Choice(keys[yes], text) for yes, text in texts.items())

    return await store.write(turn.user_id, offer)


def write_question(p: Proposal, lang: Lang) -> str:
    """Write a proposal as a question."""
    if p.data.get("op") == NIGHT:
        return say(lang, "proposal.night", n=p.data["n"], of=p.data["of"])
    key = "proposal.forget" if p.data.get("op") == "delete" else "proposal.keep"
    return say(lang, key, text=p.text)


async def answer_proposal(
    memory: api.Memory, c: Command, payload: Json, lang: Lang
) -> CommandOutcome:
    """Do what the person answered."""
    yes, keeper = payload["yes"], memory.keeper
    if yes and keeper is not None and await keeper.go_on(c.user_id, payload["id"], c.at):
        return answer(lang, "proposal.goes_on")
    try:
        await (memory.accept if yes else memory.decline_proposal)(c.user_id, payload["id"], c.at)
    except MemoryError_:
        return answer(lang, "choice.gone", ok=False)
    return answer(lang, "proposal.accepted" if yes else "proposal.declined")


async def list_proposals(memory: api.Memory, user_id: str, lang: Lang) -> list[str]:
    """List what waits for a yes or no, with ids."""
    waiting = await memory.list_proposals(user_id)
    head = ["", say(lang, "proposal.head")] if waiting else []
    return head + [f"- {write_question(p, lang)} [{p.id}]" for p in waiting]


async def describe_mirror(
    memory: api.Memory, store: Store, c: Command, lang: Lang
) -> CommandOutcome:
    """Say where the file is, and ask the question that is open."""
    if memory.mirror is None:
        return answer(lang, "mirror.none", ok=False)

    asking = await _find_mirror_question(store, c)
    if asking is None:
        return answer(lang, "mirror.here", path=memory.mirror.path(c.user_id))
    missing = await memory.get_many(c.user_id, asking["ids"])
    lines = [f"- {m.content}" for m in missing[:_NAMED]]
    lines += ["- …"] if len(missing) > _NAMED else []
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
    memory: api.Memory, store: Store, c: Command, lang: Lang
) -> CommandOutcome | None:
    """Forget what is missing from the file, or write it into the file again.

    None if the key is no answer to that question.
    """
    asking = await _find_mirror_question(store, c)
    private = c.scope == f"user:{c.user_id}"
    if not private or asking is None or c.args not in (asking["yes"], asking["no"]):
        return None
    ids = asking["ids"] if c.args == asking["yes"] else []
    done = await memory.forget_missing(c.user_id, ids, c.at)
    return answer(lang, "mirror.forgotten" if done else "mirror.kept", n=len(done))
