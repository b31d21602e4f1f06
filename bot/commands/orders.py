"""Carry out what a message orders (forget, keep quiet, be off) and what it answers, before the rest is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.events import Choice, Command, Turn
from bot.tables import find_pending_choice, get_choice, put_choice, take_choice
from bot.texts import say
from memory.errors import NotFound, Refused
from memory.models import Json, Lang, Memory, Message
from memory.ports import Store, Transaction
from memory.service import Intent, MemoryService
from memory.text.speech import read_choice

CHOICE_LIFE = timedelta(hours=24)
OFFERED = 8  # memories or messages asked about at once
LABEL = 200  # characters of each of them


@dataclass(frozen=True, slots=True)
class OrderReply:
    """What is said about a request; `stored` goes into the transcript instead, where it differs."""

    text: str
    stored: str = ""
    choices: tuple[Choice, ...] = ()
    ok: bool = True
    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderOutcome:
    """What came of a message's command: what Ebb says itself, and what is left for the model to answer."""

    rest: str
    spoken: OrderReply | None = None
    note: str = ""

    def then(self, nxt: OrderOutcome) -> OrderOutcome:
        """Join this order and the one that was carried out after it."""
        a, b = self.spoken, nxt.spoken
        if a and b:
            stored = f"{a.stored or a.text} {b.stored or b.text}"
            b = OrderReply(
                f"{a.text} {b.text}",
                stored,
                (*a.choices, *b.choices),
                a.ok and b.ok,
                (*a.memories, *b.memories),
            )
        return OrderOutcome(nxt.rest, b or a, "\n".join(filter(None, (self.note, nxt.note))))


@dataclass(frozen=True, slots=True)
class Orders:
    """Carries out what one message or command orders.

    `erase`: what is said while memory is off is not kept.
    """

    service: MemoryService
    store: Store
    asked: Turn | Command
    lang: Lang
    erase: bool

    # --- a message ---

    async def carry_out(self, message: Message) -> OrderOutcome:
        """Carry out the commands of a message, or the answer to our question that it is."""
        if (spoken := await self._answer_question()) is not None:
            return OrderOutcome("", spoken)
        order, stored = OrderOutcome(self.asked_text), message.id
        for intent in await asyncio.to_thread(self.service.find_intents, order.rest):
            order = order.then(await self._obey(intent, order.rest, message))
            current = await self.store.read(
                self.user_id, lambda tx: tx.conversations.get_message(stored)
            )
            message = current or message
        return order

    async def _obey(self, intent: Intent, text: str, message: Message) -> OrderOutcome:
        """Carry out one command of `text`, which is what others before it left of the message."""
        if intent.kind in {"off", "on"}:
            return OrderOutcome(
                intent.rest, await self.switch_memory(on=intent.kind == "on", message=message)
            )
        if intent.kind in {"quiet", "speak"}:
            return OrderOutcome(
                intent.rest, await self.keep_quiet(intent.text, on=intent.kind == "quiet")
            )
        if intent.kind == "remember":
            return await self._remember(intent, text, message)
        return OrderOutcome(intent.rest, await self._forget(intent, text, message))

    async def _remember(self, intent: Intent, text: str, message: Message) -> OrderOutcome:
        """Keep what is to be kept; the model is told, and answers the message as a whole."""
        a = self.asked
        if await self.service.is_off(a.user_id):
            return OrderOutcome(intent.rest, OrderReply(self._say("off.no_remember")))
        try:
            done = await self.service.remember(
                a.user_id,
                intent.text,
                a.at,
                tz=a.tz,
                scope=a.scope,
                turn_id=self.turn_id,
                message_id=message.id,
            )
        except Refused as e:
            why = self._say("remember.instruction") if e.code == "instruction" else str(e)
            return OrderOutcome(text, note=self._say("note.refused", why=why))
        kept = done.memory.content if self.private else intent.text  # it may say more
        return OrderOutcome(
            text, note=self._say("note.already" if done.already else "note.remembered", text=kept)
        )

    async def _forget(self, intent: Intent, text: str, message: Message) -> OrderReply:
        """Forget, or ask; where more was said, only the command's own words leave with what is forgotten."""
        if not intent.rest:
            return await self.forget(intent, message.id)
        found = [intent]
        if message.text != text:  # a secret in it is sealed by now: its offsets differ
            found = [*await asyncio.to_thread(self.service.find_intents, message.text), intent]
        part = next(i for i in found if i.kind == "forget")
        asking = await self.store.write(self.user_id, lambda tx: split_message(tx, message, part))
        spoken = await self.forget(intent, asking)
        if not spoken.ok:  # not learned, though nothing was found
            await self.store.write(self.user_id, lambda tx: _hide(tx, asking, self.asked.at))
        return spoken

    # --- one order ---

    async def forget(self, intent: Intent, message_id: str | None = None) -> OrderReply:
        """Forget the one thing that was meant; ask where it could be several; say so where there is
        none.

        `message_id` is the message that asked: it names the thing, so it is hidden with it.
        """
        if not self.private:
            return OrderReply(
                self._say("group.forget"), ok=False
            )  # a group never sees what could be forgotten
        asking = [message_id] if message_id else []
        user_id, scope, now = self.asked.user_id, self.asked.scope, self.asked.at
        plan = await self.service.plan_forget(
            user_id,
            intent.text,
            now,
            scope=scope,
            message_id=message_id,
            spare=intent.spare,
            every=intent.every,
        )
        if plan.everything:
            n = await self.service.count_everything(user_id)
            return OrderReply(
                self._say("forget.everything", n=n),
                choices=await self._offer_everything(n),
                ok=False,
            )
        if plan.clear is not None or (plan.every and plan.candidates):
            meant = plan.candidates if plan.clear is None else [plan.clear]
            ids = [m.id for m in meant]
            done = await self.service.forget(
                user_id, ids, now, turn_id=self.turn_id, message_ids=asking
            )
            return self._forgotten(done.memories or meant)
        if plan.candidates:
            offered = plan.candidates[:OFFERED]
            choices = await self._offer([(m.id, m.content) for m in offered], asking)
            return OrderReply(self._say("forget.which"), choices=choices, memories=tuple(offered))
        if len(plan.messages) == 1:
            hidden = [*plan.messages, *asking]
            await self.service.forget(user_id, [], now, turn_id=self.turn_id, message_ids=hidden)
            return OrderReply(self._say("forget.said"))
        if plan.messages:
            shown = plan.messages[-OFFERED:]
            said = await self.store.read(
                user_id, lambda tx: [tx.conversations.get_message(i) for i in shown]
            )
            texts = [(m.id, " ".join(m.text.split())) for m in said if m is not None]
            choices = await self._offer(texts, asking, of="messages")
            return OrderReply(self._say("forget.which_said"), choices=choices)
        return OrderReply(self._say("forget.nothing", text=intent.text), ok=False)

    async def forget_chosen(self, payloads: Sequence[Json]) -> OrderReply:
        """Forget what was picked of the things we asked about.

        Nothing picked: nothing is forgotten.
        """
        if any("everything" in p for p in payloads):
            return await self.forget_everything(int(payloads[0]["everything"]))
        ids = [i for p in payloads for i in p["ids"]]
        said = [i for p in payloads for i in p.get("messages", [])]
        if not ids and not said:
            return OrderReply(self._say("forget.kept"))
        hidden = [*said, *(i for p in payloads for i in p["asking"])]
        try:
            done = await self.service.forget(
                self.user_id, ids, self.asked.at, turn_id=self.turn_id, message_ids=hidden
            )
        except NotFound:
            return OrderReply(self._say("choice.gone"), ok=False)
        return OrderReply(self._say("forget.said")) if said else self._forgotten(done.memories)

    async def forget_everything(self, said: int) -> OrderReply:
        """Forget everything, if it is still as many memories as the person said."""
        n = await self.service.count_everything(self.user_id)
        if said != n:
            return OrderReply(self._say("forget.everything", n=n), ok=False)
        try:
            done = await self.service.forget_everything(self.user_id, self.asked.at)
        except NotFound:
            return OrderReply(self._say("memories.none"), ok=False)
        return OrderReply(self._say("forget.all", n=len(done.memories)))

    async def keep_quiet(self, thing: str, *, on: bool) -> OrderReply:
        """Keep quiet about a thing, or speak of it again."""
        if not self.private:
            return OrderReply(
                self._say("group.forget"), ok=False
            )  # the count would say what is remembered
        found = await self.service.keep_quiet(
            self.user_id, thing, self.asked.at, on=on, turn_id=self.turn_id
        )
        if not found:
            return OrderReply(self._say("quiet.nothing", text=thing), ok=False)
        text = self._say("quiet.on" if on else "quiet.off", text=thing, n=len(found))
        return OrderReply(text, memories=tuple(found))

    async def switch_memory(self, *, on: bool, message: Message | None = None) -> OrderReply:
        """Switch memory on or off; off begins with the message that asks, and offers to erase what there is."""
        if on:
            was = await self.service.switch_on(self.user_id, self.asked.at)
            return OrderReply(self._say("on.done" if was else "on.already"))
        after = message.seq - 1 if message else None
        if not await self.service.switch_off(
            self.user_id, self.asked.at, after=after, erase=self.erase
        ):
            return OrderReply(self._say("off.already"))
        text = self._say("off.done" if self.erase else "off.done_kept")
        n = await self.service.count_everything(self.user_id)
        if not n or not self.private:
            return OrderReply(
                text
            )  # in a group no number is told, and nobody else's "yes" is asked for
        return OrderReply(
            f"{text} {self._say('off.offer', n=n)}", choices=await self._offer_everything(n)
        )

    # --- asking back ---

    async def _offer_everything(self, n: int) -> tuple[Choice, ...]:
        options: list[tuple[Json, str]] = [
            ({"ids": [], "everything": n}, self._say("forget.yes_all", n=n))
        ]
        return await self._put(options, self._say("forget.no"))

    async def _offer(
        self, offered: Sequence[tuple[str, str]], asking: Sequence[str], of: str = "ids"
    ) -> tuple[Choice, ...]:
        """Offer each candidate (id, text), all and none. of: "ids" of memories, or "messages"."""
        common = {"ids": [], "asking": list(asking)}
        options: list[tuple[Json, str]] = [
            ({**common, of: [i]}, text if len(text) <= LABEL else f"{text[: LABEL - 1]}…")
            for i, text in offered
        ]
        if len(offered) > 1:
            options.append(
                ({**common, of: [i for i, _ in offered]}, self._say("forget.all_of_them"))
            )
        return await self._put(options, self._say("forget.none_of_them"))

    async def _put(self, options: Sequence[tuple[Json, str]], none: str) -> tuple[Choice, ...]:
        """Keep what each answer stands for (a button holds 64 bytes); the last one, "none", knows the others."""
        scope, until, at = (
            self.asked.scope,
            self.asked.at + CHOICE_LIFE,
            {"at": self.asked.at.isoformat()},
        )

        def write(tx: Transaction) -> tuple[Choice, ...]:
            keys = [tx.new_id() for _ in options]
            for key, (payload, _) in zip(keys, options, strict=True):
                put_choice(tx, key, scope, "forget", {**payload, **at}, until)
            last = tx.new_id()
            single = [
                k
                for k, (p, _) in zip(keys, options, strict=True)
                if "everything" in p or len(_meant(p)) == 1
            ]
            put_choice(
                tx, last, scope, "forget", {"ids": [], "options": single, "keys": keys, **at}, until
            )
            texts = [text for _, text in options]
            return tuple(Choice(k, t) for k, t in zip([*keys, last], [*texts, none], strict=True))

        return await self.store.write(self.user_id, write)

    async def _answer_question(self) -> OrderReply | None:
        """Take the message as the answer to our open question; whatever else it is, the question lapses."""
        scope, now, text = self.asked.scope, self.asked.at, self.asked_text

        def write(tx: Transaction) -> tuple[list[Json], list[str]] | None:
            last = find_pending_choice(tx, scope, now)
            kept = get_choice(tx, last, now) if last else None
            if last is None or kept is None or kept[1] != "forget" or "options" not in kept[2]:
                return None
            options = [
                (k, c[2]) for k in kept[2]["options"] if (c := get_choice(tx, k, now)) is not None
            ]
            said = [_said(tx, payload) for _, payload in options]
            picked = read_choice(text, said)
            if picked == "unclear":
                return [], said
            for key in (*kept[2]["keys"], last):
                take_choice(tx, key, now)
            return None if picked is None else ([options[i][1] for i in picked], [])

        if not await self.store.read(self.user_id, lambda tx: find_pending_choice(tx, scope, now)):
            return None  # most messages answer no question: they need no write
        answered = await self.store.write(self.user_id, write)
        if answered is None:
            return None
        payloads, unclear = answered
        if unclear:
            lines = (f"{n}. {' '.join(text.split())[:LABEL]}" for n, text in enumerate(unclear, 1))
            which = self._say("forget.which")
            return OrderReply("\n".join([which, *lines]), stored=which)
        return await self.forget_chosen(payloads)

    # --- short ways ---

    @property
    def user_id(self) -> str:
        """Return who asked."""
        return self.asked.user_id

    @property
    def asked_text(self) -> str:
        """Return the message, or what follows the command."""
        return self.asked.text if isinstance(self.asked, Turn) else self.asked.args

    @property
    def turn_id(self) -> str | None:
        """Return the turn's id; a command has none."""
        return self.asked.id if isinstance(self.asked, Turn) else None

    @property
    def private(self) -> bool:
        """Tell whether nobody else can see the answer."""
        return self.asked.scope.startswith("user:")

    def _say(self, key: str, **places: object) -> str:
        return say(self.lang, key, **places)

    def _forgotten(self, memories: Sequence[Memory]) -> OrderReply:
        """Say what was forgotten, and how to take it back."""
        if len(memories) == 1:
            text = self._say("forget.done", text=memories[0].content.rstrip(".。"))
        else:
            lines = "\n".join(f"- {m.content}" for m in memories)
            text = self._say("forget.done_many", n=len(memories), text=lines)
        return OrderReply(text, stored=self._say("forget.stored"))


def split_message(tx: Transaction, message: Message, intent: Intent) -> str:
    """Leave the rest in the message and put the command into one of its own; return that one's id."""
    said = " ".join(message.text[a:b] for a, b in intent.spans)
    tx.conversations.put_messages([replace(message, text=intent.rest)])
    return tx.conversations.add_message(replace(message, id="", seq=0, text=said)).id


def _hide(tx: Transaction, message_id: str, now: datetime) -> None:
    m = tx.conversations.get_message(message_id)
    if m is not None:
        tx.conversations.put_messages([replace(m, hidden_at=now)])


def _meant(payload: Json) -> list[str]:
    return [*payload["ids"], *payload.get("messages", [])]


def _said(tx: Transaction, payload: Json) -> str:
    """Return the words of one option: those of its memory or message."""
    m = tx.memories.get(payload["ids"][0]) if payload["ids"] else None
    if m is not None:
        return m.original_content
    said = tx.conversations.get_message(payload["messages"][0]) if payload.get("messages") else None
    return said.text if said else ""
