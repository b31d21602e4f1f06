"""What a reply is told of the user: residents and what this message calls to mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.events import Turn
from memory.models import Hit, Memory, Mode, Recall, Session
from memory.ports import Store
from memory.privacy import redact
from memory.recall import review_asked
from memory.service import MemoryService

SECRET_WORD = 4  # characters from which a word of a secret is taken out of what is stored


def mode_of(turn: Turn) -> Mode:
    """Review mode where /review or the words ask for it, for this turn only (S4)."""
    return Mode.REVIEW if turn.review or review_asked(turn.text) else Mode.NORMAL


async def recall_for(
    service: MemoryService,
    store: Store,
    turn: Turn,
    text: str,
    earlier: Sequence[str],
    session: Session | None,
    *,
    local_only: bool = False,
) -> tuple[Recall, list[Memory]]:
    """The recall and the resident profile of one turn.

    In a group only what was learned in that group is used: what was said in private stays there.
    """
    profile = await service.profile(turn.user_id, session, turn.at)
    recall = await service.recall(
        turn.user_id,
        text,
        earlier,
        turn.at,
        turn.tz,
        mode=mode_of(turn),
        exclude=frozenset(m.id for m in profile),
        local_only=local_only,
    )
    if turn.scope.startswith("user:"):
        return recall, profile
    wanted = {m.source_session for m in (*(h.memory for h in recall.hits), *profile) if m.source_session}
    found = await store.read(turn.user_id, lambda tx: [tx.conversations.session(s) for s in wanted])
    here = {s.id for s in found if s is not None and s.scope == turn.scope}
    hits = tuple(h for h in recall.hits if h.memory.source_session in here)
    return replace(recall, hits=hits, missed=()), [m for m in profile if m.source_session in here]


def shown(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits as a front end may show them: an opened secret under its label."""
    return tuple(
        replace(h, memory=replace(h.memory, content=h.memory.original_content)) if h.why == "secret" else h
        for h in hits
    )


def without_secrets(text: str, hits: Sequence[Hit]) -> str:
    """A reply as it is stored: what an opened secret holds was shown once, and stays sealed."""
    opened = [h.memory for h in hits if h.why == "secret"]
    if not opened:
        return text
    for m in opened:
        label = m.original_content.casefold()
        for word in m.content.split():
            bare = word.strip(".,;:!?\"'()。，；：！？“”（）")
            if len(bare) >= SECRET_WORD and bare.casefold() not in label:
                text = text.replace(bare, "•••")
    return redact(text)[0]
