"""What Ebb has to ask about MEMORY.md, and what a person answers."""

from __future__ import annotations

from bot.events import Choice, Command, Outcome
from bot.texts import say
from memory.models import Json, Lang
from memory.ports import Store
from memory.service import MemoryService

KIND = "mirror"  # of the choices that `memory.mirror` leaves
_NAMED = 5


async def about_mirror(service: MemoryService, store: Store, c: Command, lang: Lang) -> Outcome:
    """Where the file is, and the question that is open, if there is one."""
    if service.mirror is None:
        return Outcome(False, say(lang, "mirror.none"))
    path = service.mirror.path(c.user_id)
    state = await store.read(c.user_id, lambda tx: tx.mirror.state())
    asking = state.asking if state is not None else None
    if asking is None or await store.read(c.user_id, lambda tx: tx.choice(str(asking["yes"]), c.at)) is None:
        return Outcome(True, say(lang, "mirror.here", path=path))
    missing = await store.read(c.user_id, lambda tx: tx.memories.many(asking["ids"]))
    lines = [f"- {m.content}" for m in missing[:_NAMED]] + (["- …"] if len(missing) > _NAMED else [])
    choices = (
        Choice(str(asking["yes"]), say(lang, "mirror.forget", n=len(missing))),
        Choice(str(asking["no"]), say(lang, "mirror.keep")),
    )
    text = say(lang, "mirror.asks", n=len(missing), text="\n".join(lines))
    return Outcome(True, text, memories=tuple(missing), choices=choices)


async def answer_mirror(service: MemoryService, c: Command, payload: Json, lang: Lang) -> Outcome:
    """Forget what is missing from the file, or write it into the file again."""
    done = await service.forget_missing(c.user_id, payload["ids"], c.at)
    if not done:
        return Outcome(True, say(lang, "mirror.kept"))
    return Outcome(True, say(lang, "mirror.forgotten", n=len(done)))
