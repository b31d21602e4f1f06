"""What was said in the owner's other windows since the chat was last used: a divider, and the words on request."""

from __future__ import annotations

from dataclasses import replace

from bot.chats.telegram import keyboards
from bot.chats.telegram.desk import HandlerContext
from bot.chats.telegram.outbox import ChatGone, Destination
from bot.chats.telegram.render import render_plain
from bot.chats.telegram.texts import say
from memory.models import Lang, Message

LOOKED_AT = 60  # messages


async def send_divider(desk: HandlerContext, place: Destination, user_id: str, lang: Lang) -> None:
    """If the conversation went on elsewhere, say so, silently, before it goes on here."""
    messages = await desk.agent.list_history(user_id, desk.scope(place, user_id), limit=LOOKED_AT)
    after = next((m.seq for m in reversed(messages) if _here(desk, m)), None)
    since = [m for m in messages if after is not None and m.seq > after and m.role == "user"]
    if not since or after is None:
        return
    key = f"{after}-{messages[-1].seq}"
    piece = render_plain(say(lang, "elsewhere", n=len(since)))[0]
    try:
        await desk.outbox.send(
            replace(place, key=""), piece, keyboards.make_elsewhere_row(key, lang), silent=True
        )
    except ChatGone:
        return


async def list_said_elsewhere(desk: HandlerContext, user_id: str, key: str, lang: Lang) -> str:
    """The messages that the divider's button stands for, as they are now: what was forgotten since is not shown."""
    first, _, last = key.partition("-")
    if not (first.isdigit() and last.isdigit()):
        return say(lang, "gone")
    scope = f"user:{user_id}"
    messages = await desk.agent.list_history(user_id, scope, after=int(first), limit=LOOKED_AT)
    shown = [m for m in messages if m.seq <= int(last) and m.text and not _here(desk, m)]
    names = {"user": say(lang, "said.you"), "assistant": "Ebb"}
    return "\n\n".join(f"{names[m.role]}: {m.text}" for m in shown) or say(lang, "gone")


def _here(desk: HandlerContext, m: Message) -> bool:
    return (m.turn_id or "").startswith(f"tg-{desk.me.id}-")
