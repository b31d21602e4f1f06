"""Carry out what a message orders (forget, keep quiet, be off) and what it answers, before the rest is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.events import Choice, Command, Turn
from bot.texts import say
from memory.errors import NotFound, Refused
from memory.models import Json, Lang, Memory, Message
from memory.ports import Store, Tx
from memory.service import Intent, MemoryService
from memory.text.answers import read_answer

CHOICE_LIFE = timedelta(hours=24)
OFFERED = 8  # memories or messages asked about at once
LABEL = 200  # characters of each of them


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is said about a request; `stored` goes into the transcript instead, where it differs."""

    text: str
    stored: str = ""
    choices: tuple[Choice, ...] = ()
    ok: bool = True
    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """What came of a message's command: what Ebb says itself, and what is left for the model to answer."""

    rest: str
    spoken: Spoken | None = None
    note: str = ""

    def then(self, nxt: Order) -> Order:
        """This order and the one that was carried out after it."""
        a, b = self.spoken, nxt.spoken
        if a and b:
            stored = f"{a.stored or a.text} {b.stored or b.text}"
            b = Spoken(
                f"{a.text} {b.text}", stored, (*a.choices, *b.choices), a.ok and b.ok, (*a.memories, *b.memories)
            )
        return Order(nxt.rest, b or a, "\n".join(filter(None, (self.note, nxt.note))))


async def carry_out(
    service: MemoryService, store: Store, turn: Turn, message: Message, lang: Lang, *, erase_unkept: bool
) -> Order:
    """Carry out the commands of a message, or the answer to our question that it is."""
    if (spoken := await _answer_question(service, store, turn, lang)) is not None:
        return Order("", spoken)
    order = Order(turn.text)
    for intent in await asyncio.to_thread(service.intents, turn.text):
        rest = replace(turn, text=order.rest)
        order = order.then(await _obey(service, store, rest, message, intent, lang, erase_unkept=erase_unkept))
        message = await _stored(store, turn, message)
    return order


async def _stored(store: Store, turn: Turn, message: Message) -> Message:
    return await store.read(turn.user_id, lambda tx: tx.conversations.message(message.id)) or message


async def _obey(
    service: MemoryService,
    store: Store,
    turn: Turn,
    message: Message,
    intent: Intent,
    lang: Lang,
    *,
    erase_unkept: bool,
) -> Order:
    if intent.kind in {"off", "on"}:
        spoken = await switch_memory(
            service, store, turn, lang, on=intent.kind == "on", message=message, erase=erase_unkept
        )
        return Order(intent.rest, spoken)
    if intent.kind in {"quiet", "speak"}:
        return Order(intent.rest, await keep_quiet(service, turn, intent.text, lang, on=intent.kind == "quiet"))
    if intent.kind == "remember":
        return await _remember(service, turn, message, intent, lang)
    return await _forget(service, store, turn, message, intent, lang)


async def _remember(service: MemoryService, turn: Turn, message: Message, intent: Intent, lang: Lang) -> Order:
    """Keep what is to be kept; the model is told, and answers the message as a whole."""
    if await service.is_off(turn.user_id):
        return Order(intent.rest, Spoken(say(lang, "off.no_remember")))
    try:
        done = await service.remember(
            turn.user_id,
            intent.text,
            turn.at,
            tz=turn.tz,
            scope=turn.scope,
            turn_id=turn.id,
            message_id=message.id,
        )
    except Refused as e:
        why = say(lang, "remember.instruction") if e.code == "instruction" else str(e)
        return Order(turn.text, note=say(lang, "note.refused", why=why))
    kept = done.memory.content if turn.scope.startswith("user:") else intent.text  # it may say more
    note = say(lang, "note.already" if done.already else "note.remembered", text=kept)
    return Order(turn.text, note=note)


async def _forget(
    service: MemoryService, store: Store, turn: Turn, message: Message, intent: Intent, lang: Lang
) -> Order:
    """Forget, or ask; where more was said, only the command's own words leave with what is forgotten."""
    asking = message.id
    if intent.rest:
        found = [intent]
        if message.text != turn.text:  # a secret in it is sealed by now: its offsets differ
            found = [*await asyncio.to_thread(service.intents, message.text), intent]
        part = next(i for i in found if i.kind == "forget")
        asking = await store.write(turn.user_id, lambda tx: part_message(tx, message, part))
    spoken = await answer_forget(service, store, turn, intent, lang, message_id=asking)
    if spoken.ok or not intent.rest:
        return Order(intent.rest, spoken)
    await store.write(turn.user_id, lambda tx: _hide(tx, asking, turn.at))  # not learned, though nothing was found
    return Order(intent.rest, spoken)


def part_message(tx: Tx, message: Message, intent: Intent) -> str:
    """Leave the rest in the message and put the command into one of its own; return that one's id."""
    said = " ".join(message.text[a:b] for a, b in intent.spans)
    tx.conversations.put_message(replace(message, text=intent.rest))
    return tx.conversations.add_message(replace(message, id="", seq=0, text=said)).id


def _hide(tx: Tx, message_id: str, now: datetime) -> None:
    m = tx.conversations.message(message_id)
    if m is not None:
        tx.conversations.put_message(replace(m, hidden_at=now))


async def answer_forget(
    service: MemoryService,
    store: Store,
    asked: Turn | Command,
    intent: Intent,
    lang: Lang,
    *,
    message_id: str | None = None,
) -> Spoken:
    """Forget the one thing that was meant; ask where it could be several; say so where there is none.

    `message_id` is the message that asked: it names the thing, so it is hidden with it.
    """
    if not asked.scope.startswith("user:"):
        return Spoken(say(lang, "group.forget"), ok=False)  # a group never sees what could be forgotten
    asking = [message_id] if message_id else []
    user_id, scope, now = asked.user_id, asked.scope, asked.at
    turn_id = asked.id if isinstance(asked, Turn) else None
    plan = await service.plan_forget(
        user_id, intent.text, now, scope=scope, message_id=message_id, spare=intent.spare, every=intent.every
    )
    if plan.everything:
        return await ask_everything(service, store, asked, lang)
    if plan.clear is not None or (plan.every and plan.candidates):
        meant = plan.candidates if plan.clear is None else [plan.clear]
        done = await service.forget(user_id, [m.id for m in meant], now, turn_id=turn_id, message_ids=asking)
        return forgotten(done.memories or meant, lang)
    if not plan.candidates and len(plan.messages) == 1:
        await service.forget(user_id, [], now, turn_id=turn_id, message_ids=[*plan.messages, *asking])
        return Spoken(say(lang, "forget.said"))
    if not plan.candidates and plan.messages:
        said = await store.read(user_id, lambda tx: [tx.conversations.message(i) for i in plan.messages[-OFFERED:]])
        texts = [(m.id, " ".join(m.text.split())) for m in said if m is not None]
        choices = await _offer(store, asked, texts, asking, lang, of="messages")
        return Spoken(say(lang, "forget.which_said"), choices=choices)
    if not plan.candidates:
        return Spoken(say(lang, "forget.nothing", text=intent.text), ok=False)
    offered = plan.candidates[:OFFERED]
    choices = await _offer(store, asked, [(m.id, m.content) for m in offered], asking, lang)
    return Spoken(say(lang, "forget.which"), choices=choices, memories=tuple(offered))


def forgotten(memories: Sequence[Memory], lang: Lang) -> Spoken:
    """Say what was forgotten, and how to take it back."""
    if len(memories) == 1:
        text = say(lang, "forget.done", text=memories[0].content.rstrip(".。"))
    else:
        lines = "\n".join(f"- {m.content}" for m in memories)
        text = say(lang, "forget.done_many", n=len(memories), text=lines)
    return Spoken(text, stored=say(lang, "forget.stored"))


async def ask_everything(service: MemoryService, store: Store, asked: Turn | Command, lang: Lang) -> Spoken:
    """Ask whether really everything is to be forgotten."""
    n = await service.everything(asked.user_id)
    choices = await _offer_everything(store, asked, n, lang)
    return Spoken(say(lang, "forget.everything", n=n), choices=choices, ok=False)


async def _offer_everything(store: Store, asked: Turn | Command, n: int, lang: Lang) -> tuple[Choice, ...]:
    options: list[tuple[Json, str]] = [({"ids": [], "everything": n}, say(lang, "forget.yes_all", n=n))]
    return await _put(store, asked, options, say(lang, "forget.no"))


async def _offer(
    store: Store,
    asked: Turn | Command,
    offered: Sequence[tuple[str, str]],
    asking: Sequence[str],
    lang: Lang,
    of: str = "ids",
) -> tuple[Choice, ...]:
    """Offer each candidate (id, text), all and none. of: "ids" of memories, or "messages"."""
    options: list[tuple[Json, str]] = [
        ({"ids": [], "asking": list(asking), of: [i]}, text if len(text) <= LABEL else f"{text[: LABEL - 1]}…")
        for i, text in offered
    ]
    if len(offered) > 1:
        every = {"ids": [], "asking": list(asking), of: [i for i, _ in offered]}
        options.append((every, say(lang, "forget.all_of_them")))
    return await _put(store, asked, options, say(lang, "forget.none_of_them"))


async def _put(
    store: Store, asked: Turn | Command, options: Sequence[tuple[Json, str]], none: str
) -> tuple[Choice, ...]:
    """Keep what each answer stands for (a button holds 64 bytes); the last one, "none", knows the others."""

    def write(tx: Tx) -> tuple[Choice, ...]:
        until = asked.at + CHOICE_LIFE
        keys = [tx.new_id() for _ in options]
        at = {"at": asked.at.isoformat()}
        for key, (payload, _) in zip(keys, options, strict=True):
            tx.put_choice(key, asked.scope, "forget", {**payload, **at}, until)
        last = tx.new_id()
        single = [k for k, (p, _) in zip(keys, options, strict=True) if "everything" in p or len(_meant(p)) == 1]
        tx.put_choice(last, asked.scope, "forget", {"ids": [], "options": single, "keys": keys, **at}, until)
        texts = [text for _, text in options]
        return tuple(Choice(k, t) for k, t in zip([*keys, last], [*texts, none], strict=True))

    return await store.write(asked.user_id, write)


def _meant(payload: Json) -> list[str]:
    return [*payload["ids"], *payload.get("messages", [])]


async def _answer_question(service: MemoryService, store: Store, turn: Turn, lang: Lang) -> Spoken | None:
    """Take the message as the answer to our open question; whatever else it is, the question lapses."""

    def write(tx: Tx) -> tuple[list[Json], list[str]] | None:
        last = tx.pending_choice(turn.scope, turn.at)
        kept = tx.choice(last, turn.at) if last else None
        if last is None or kept is None or kept[1] != "forget" or "options" not in kept[2]:
            return None
        options = [(k, c[2]) for k in kept[2]["options"] if (c := tx.choice(k, turn.at)) is not None]
        said = [_said(tx, payload) for _, payload in options]
        picked = read_answer(turn.text, said)
        if picked == "unclear":
            return [], said
        for key in (*kept[2]["keys"], last):
            tx.take_choice(key, turn.at)
        return None if picked is None else ([options[i][1] for i in picked], [])

    if not await store.read(turn.user_id, lambda tx: tx.pending_choice(turn.scope, turn.at)):
        return None  # most messages answer no question: they need no write
    answered = await store.write(turn.user_id, write)
    if answered is None:
        return None
    payloads, unclear = answered
    if unclear:
        lines = (f"{n}. {' '.join(text.split())[:LABEL]}" for n, text in enumerate(unclear, 1))
        which = say(lang, "forget.which")
        return Spoken("\n".join([which, *lines]), stored=which)
    return await forget_chosen(service, turn, payloads, lang)


def _said(tx: Tx, payload: Json) -> str:
    """The words of one option: those of its memory or message."""
    m = tx.memories.get(payload["ids"][0]) if payload["ids"] else None
    if m is not None:
        return m.original_content
    said = tx.conversations.message(payload["messages"][0]) if payload.get("messages") else None
    return said.text if said else ""


async def forget_chosen(
    service: MemoryService, asked: Turn | Command, payloads: Sequence[Json], lang: Lang
) -> Spoken:
    """Forget what was picked of the things we asked about. Nothing picked: nothing is forgotten."""
    user_id = asked.user_id
    if any("everything" in p for p in payloads):
        return await forget_everything(service, user_id, asked.at, int(payloads[0]["everything"]), lang)
    ids = [i for p in payloads for i in p["ids"]]
    said = [i for p in payloads for i in p.get("messages", [])]
    if not ids and not said:
        return Spoken(say(lang, "forget.kept"))
    hidden = [*said, *(i for p in payloads for i in p["asking"])]
    turn_id = asked.id if isinstance(asked, Turn) else None
    try:
        done = await service.forget(user_id, ids, asked.at, turn_id=turn_id, message_ids=hidden)
    except NotFound:
        return Spoken(say(lang, "choice.gone"), ok=False)
    return Spoken(say(lang, "forget.said")) if said else forgotten(done.memories, lang)


async def forget_everything(service: MemoryService, user_id: str, now: datetime, said: int, lang: Lang) -> Spoken:
    """Forget everything, if it is still as many memories as the person said."""
    n = await service.everything(user_id)
    if said != n:
        return Spoken(say(lang, "forget.everything", n=n), ok=False)
    try:
        done = await service.forget_everything(user_id, now)
    except NotFound:
        return Spoken(say(lang, "memories.none"), ok=False)
    return Spoken(say(lang, "forget.all", n=len(done.memories)))


async def keep_quiet(service: MemoryService, asked: Turn | Command, thing: str, lang: Lang, *, on: bool) -> Spoken:
    """Keep quiet about a thing, or speak of it again."""
    if not asked.scope.startswith("user:"):
        return Spoken(say(lang, "group.forget"), ok=False)  # the count would say what is remembered
    turn_id = asked.id if isinstance(asked, Turn) else None
    found = await service.keep_quiet(asked.user_id, thing, asked.at, on=on, turn_id=turn_id)
    if not found:
        return Spoken(say(lang, "quiet.nothing", text=thing), ok=False)
    return Spoken(say(lang, "quiet.on" if on else "quiet.off", text=thing, n=len(found)), memories=tuple(found))


async def switch_memory(
    service: MemoryService,
    store: Store,
    asked: Turn | Command,
    lang: Lang,
    *,
    on: bool,
    message: Message | None = None,
    erase: bool,
) -> Spoken:
    """Switch memory on or off; off begins with the message that asks for it, and offers to erase what there is."""
    if on:
        was = await service.switch_on(asked.user_id, asked.at)
        return Spoken(say(lang, "on.done" if was else "on.already"))
    after = message.seq - 1 if message else None
    if not await service.switch_off(asked.user_id, asked.at, after=after, erase=erase):
        return Spoken(say(lang, "off.already"))
    text = say(lang, "off.done" if erase else "off.done_kept")
    n = await service.everything(asked.user_id)
    if not n or not asked.scope.startswith("user:"):
        return Spoken(text)  # in a group no number is told, and nobody else's "yes" is asked for
    choices = await _offer_everything(store, asked, n, lang)
    return Spoken(f"{text} {say(lang, 'off.offer', n=n)}", choices=choices)
