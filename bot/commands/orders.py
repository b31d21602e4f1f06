"""Carry out what a message orders (forget, keep quiet, be off) and what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.commands.questions import TODO, answer_todo, read_todo_answer
from bot.events import Choice, Command, CommandOutcome, Turn, answer
from bot.reports import describe_night_undo
from bot.tables import find_pending_choice, get_choice, put_choice, take_choice
from bot.texts import say
from memory import api
from memory.api import Intent, find_intents, read_choice, wants_night_undone
from memory.errors import NotFound, Refused
from memory.models import Json, Kind, Lang, Memory, Message
from memory.ports import Store, Transaction

CHOICE_LIFE = timedelta(hours=24)
OFFERED = 8  # memories or messages asked about at once
LABEL = 200  # characters of each of them


@dataclass(frozen=True, slots=True)
class OrderOutcome:
    """What came of a message's commands: what Ebb says; for the model, the rest and a note."""

    rest: str
    spoken: CommandOutcome | None = None
    note: str = ""
    review: bool = False  # the rest is an earlier question, for which we look back


def _join(a: OrderOutcome, b: OrderOutcome) -> OrderOutcome:
    """Join an order and the one that was carried out after it."""
    spoken = b.spoken or a.spoken
    if a.spoken and b.spoken:
        x, y = a.spoken, b.spoken
        spoken = CommandOutcome(
            x.ok and y.ok,
            f"{x.text} {y.text}",
            memories=(*x.memories, *y.memories),
            choices=(*x.choices, *y.choices),
            stored=f"{x.stored or x.text} {y.stored or y.text}",
        )
    return OrderOutcome(b.rest, spoken, "\n".join(filter(None, (a.note, b.note))))


@dataclass(frozen=True, slots=True)
class Orders:
    """Carries out what one message or command orders.

    `erase`: what is said while memory is off is not kept.
    """

    memory: api.Memory
    store: Store
    asked: Turn | Command
    lang: Lang
    erase: bool

    # --- a message ---

    async def carry_out(self, text: str, message: Message) -> OrderOutcome:
        """Carry out the commands of a text, stored as `message`, or take it as an answer to us."""
        spoken = await self._answer_todo(message) or await self._answer_question(text)
        if spoken is not None:
            return OrderOutcome("", spoken)
        if self.private and wants_night_undone(text):
            return OrderOutcome("", await self.undo_night())
        order = OrderOutcome(text)
        stored = message.id
        for intent in await asyncio.to_thread(find_intents, order.rest):
            order = _join(order, await self._obey(intent, order.rest, message))
            current = await self.store.read(
                self.user_id, lambda tx: tx.conversations.get_message(stored)
            )
            message = current or message
        return order

    async def _obey(self, intent: Intent, text: str, message: Message) -> OrderOutcome:
        """Carry out one command of `text`, which is what others before it left of the message."""
        match intent.kind:
            case "off" | "on":
                spoken = await self.switch_memory(on=intent.kind == "on", message=message)
            case "quiet" | "speak":
                spoken = await self.keep_quiet(intent.text, on=intent.kind == "quiet")
                if not spoken.ok and intent.rest.strip():  # "no pep talk": how to answer
                    return OrderOutcome(text)
            case "never" | "always":
                spoken = await self.make_rule(intent, text)
            case "remember":
                return await self._remember(intent, text, message)
            case _:
                spoken = await self._forget(intent, text, message)
        return OrderOutcome(intent.rest, spoken)

    async def undo_night(self, night: str | None = None) -> CommandOutcome:
        """Take back all that the night of a date, or the newest one, did."""
        if not self.private:
            return self._answer("group.forget", ok=False)
        try:
            done = await self.memory.undo_night(self.user_id, self.asked.at, night)
        except NotFound:
            return self._answer("undo.gone" if night else "undo.night_nothing", ok=False)
        return CommandOutcome(True, describe_night_undo(done, self.lang))

    async def _remember(self, intent: Intent, text: str, message: Message) -> OrderOutcome:
        """Keep what is to be kept; the model is told, and answers the message as a whole."""
        a = self.asked
        if await self.memory.is_off(a.user_id):
            return OrderOutcome(intent.rest, self._answer("off.no_remember"))
        try:
            done = await self.memory.remember(
                a.user_id,
                intent.text,
                a.at,
                tz=a.tz,
                scope=a.scope,
                turn_id=self.turn_id,
                message_id=message.id,
            )
        except Refused as e:
            why = say(self.lang, "remember.instruction") if e.code == "instruction" else str(e)
            return OrderOutcome(text, note=say(self.lang, "note.refused", why=why))
        kept = done.memory.content if self.private else intent.text  # it may say more
        key = "note.already" if done.already else "note.remembered"
        instead = say(self.lang, "remember.instead", text=done.ended) if done.ended else ""
        return OrderOutcome(text, note=say(self.lang, key, text=kept) + instead)

    async def _forget(self, intent: Intent, text: str, message: Message) -> CommandOutcome:
        """Forget, or ask; where more was said, only the command's own words leave the message."""
        a = self.asked
        n = (
            await self.memory.forget_old_name(a.user_id, intent.text, a.at)
            if self.private
            else None
        )
        if n is not None:
            return self._answer("forget.name" if n else "forget.name_none", ok=n > 0)
        if not intent.rest:
            return await self.forget(intent, message.id)
        part = intent
        if message.text != text:  # a secret in it is sealed by now: its offsets differ
            found = await asyncio.to_thread(find_intents, message.text)
            part = next((i for i in found if i.kind == "forget"), intent)
        asking = await self.store.write(self.user_id, lambda tx: _split(tx, message, part))
        spoken = await self.forget(intent, asking)
        if not spoken.ok:  # not learned, though nothing was found

            def hide(tx: Transaction) -> None:
                if (m := tx.conversations.get_message(asking)) is not None:
                    tx.conversations.put_messages([replace(m, hidden_at=self.asked.at)])

            await self.store.write(self.user_id, hide)
        return spoken

    # --- one order ---

    async def forget(self, intent: Intent, message_id: str | None = None) -> CommandOutcome:
        """Forget the one thing that was meant; ask where it could be several.

        `message_id` is the message that asked: it names the thing, so it is hidden with it.
        """
        if not self.private:  # a group never sees what could be forgotten
            return self._answer("group.forget", ok=False)
        asking = [message_id] if message_id else []
        plan = await self.memory.plan_forget(
            self.user_id,
            intent.text,
            self.asked.at,
            scope=self.asked.scope,
            message_id=message_id,
            spare=intent.spare,
            every=intent.every,
        )
        if plan.everything:
            n = await self.memory.count_everything(self.user_id)
            choices = await self._offer_everything(n)
            return replace(self._answer("forget.everything", ok=False, n=n), choices=choices)
        if plan.clear is not None or (plan.every and plan.candidates):
            meant = plan.candidates if plan.clear is None else [plan.clear]
            return await self._forget_all([m.id for m in meant], [], asking, meant)
        if plan.candidates:
            offered = plan.candidates[:OFFERED]
            choices = await self._offer([(m.id, m.shown_text) for m in offered], asking)
            which = self._answer("forget.which")
            return replace(which, choices=choices, memories=tuple(offered))
        if len(plan.messages) == 1:
            return await self._forget_all([], list(plan.messages), asking)
        if plan.messages:
            shown = plan.messages[-OFFERED:]
            said = await self.store.read(
                self.user_id, lambda tx: [tx.conversations.get_message(i) for i in shown]
            )
            texts = [(m.id, " ".join(m.text.split())) for m in said if m is not None]
            choices = await self._offer(texts, asking, of="messages")
            return replace(self._answer("forget.which_said"), choices=choices)
        return self._answer("forget.nothing", ok=False, text=intent.text)

    async def ask_to_forget(self, what: str) -> CommandOutcome | None:
        """Ask whether what a text means shall be forgotten; None where nothing is meant."""
        if not self.private:
            return None
        plan = await self.memory.plan_forget(
            self.user_id, what, self.asked.at, scope=self.asked.scope
        )
        offered = [plan.clear] if plan.clear is not None else plan.candidates[:OFFERED]
        if not offered:
            return None
        choices = await self._offer([(m.id, m.shown_text) for m in offered], [])
        which = "forget.which" if len(offered) > 1 else "proposal.forget"
        return replace(self._answer(which, text=offered[0].shown_text), choices=choices)

    async def _forget_all(
        self,
        ids: Sequence[str],
        said: Sequence[str],
        asking: Sequence[str],
        meant: Sequence[Memory] = (),
    ) -> CommandOutcome:
        """Forget these memories and messages, and hide what asked for it. Raises NotFound."""
        done = await self.memory.forget(
            self.user_id, ids, self.asked.at, turn_id=self.turn_id, message_ids=[*said, *asking]
        )
        if said:
            return self._answer("forget.said")
        texts = [m.shown_text for m in done.memories or meant]
        told = self._answer("forget.done", text="".join(texts).rstrip(".。"))
        if len(texts) != 1:
            lines = "\n".join(f"- {text}" for text in texts)
            told = self._answer("forget.done_many", n=len(texts), text=lines)
        return replace(told, stored=say(self.lang, "forget.stored"))

    async def forget_chosen(self, payloads: Sequence[Json]) -> CommandOutcome:
        """Forget what was picked of the things we asked about; nothing, where nothing was."""
        if any("everything" in p for p in payloads):
            return await self.forget_everything(int(payloads[0]["everything"]))
        ids, said, asking = (
            [i for p in payloads for i in p.get(of, [])] for of in ("ids", "messages", "asking")
        )
        if not ids and not said:
            return self._answer("forget.kept")
        try:
            return await self._forget_all(ids, said, asking)
        except NotFound:
            return self._answer("choice.gone", ok=False)

    async def forget_everything(self, said: int) -> CommandOutcome:
        """Forget everything, if it is still as many memories as the person said."""
        n = await self.memory.count_everything(self.user_id)
        if said != n:
            return self._answer("forget.everything", ok=False, n=n)
        try:
            done = await self.memory.forget_everything(self.user_id, self.asked.at)
        except NotFound:
            return self._answer("memories.none", ok=False)
        return self._answer("forget.all", n=len(done.memories))

    async def keep_quiet(self, thing: str, *, on: bool) -> CommandOutcome:
        """Keep quiet about a thing, or speak of it again."""
        if not self.private:  # the count would say what is remembered
            return self._answer("group.forget", ok=False)
        found = await self.memory.keep_quiet(
            self.user_id, thing, self.asked.at, on=on, turn_id=self.turn_id
        )
        if not found:
            return self._answer("quiet.nothing", ok=False, text=thing)
        told = self._answer("quiet.on" if on else "quiet.off", text=thing, n=len(found))
        health = on and any(m.kind is Kind.HEALTH for m in found)
        text = told.text + (say(self.lang, "quiet.health") if health else "")
        return replace(told, text=text, memories=tuple(found))

    async def make_rule(self, intent: Intent, text: str) -> CommandOutcome:
        """Keep the person's rule about what is learned, in the words in which they put it."""
        said = " ".join(text[a:b].strip() for a, b in intent.spans)
        rule = api.LearningRule(intent.kind == "always", intent.text, said)
        await self.store.write(self.user_id, lambda tx: api.add_rule(tx, rule))
        return self._answer("rules.kept" if rule.keep else "rules.barred", topic=rule.topic)

    async def drop_rule(self, n: int) -> CommandOutcome:
        """Take the rule with that number back."""
        rule = await self.store.write(self.user_id, lambda tx: api.remove_rule(tx, n))
        if rule is None:
            return self._answer("rules.gone", ok=False, n=n)
        return self._answer("rules.dropped", text=rule.said)

    async def switch_memory(self, *, on: bool, message: Message | None = None) -> CommandOutcome:
        """Switch memory on or off; off begins with the message that asks, and offers to erase."""
        if on:
            was = await self.memory.switch_on(self.user_id, self.asked.at)
            return self._answer("on.done" if was else "on.already")
        after = message.seq - 1 if message else None
        if not await self.memory.switch_off(
            self.user_id, self.asked.at, after=after, erase=self.erase
        ):
            return self._answer("off.already")
        told = self._answer("off.done" if self.erase else "off.done_kept")
        n = await self.memory.count_everything(self.user_id)
        if not n or not self.private:
            return told  # in a group no number is told, and nobody else's "yes" is asked for
        text = f"{told.text} {say(self.lang, 'off.offer', n=n)}"
        return replace(told, text=text, choices=await self._offer_everything(n))

    # --- asking back ---

    async def _offer_everything(self, n: int) -> tuple[Choice, ...]:
        yes = say(self.lang, "forget.yes_all", n=n)
        return await self._put([({"ids": [], "everything": n}, yes)], "forget.no")

    async def _offer(
        self, offered: Sequence[tuple[str, str]], asking: Sequence[str], of: str = "ids"
    ) -> tuple[Choice, ...]:
        """Offer each candidate (id, text), all and none. of: "ids" of memories, or "messages"."""
        common: dict[str, Json] = {"ids": [], "asking": list(asking)}
        options: list[tuple[Json, str]] = [
            ({**common, of: [i]}, text if len(text) <= LABEL else f"{text[: LABEL - 1]}…")
            for i, text in offered
        ]
        if len(offered) > 1:
            every = {**common, of: [i for i, _ in offered]}
            options.append((every, say(self.lang, "forget.all_of_them")))
        return await self._put(options, "forget.none_of_them")

    async def _put(self, options: Sequence[tuple[Json, str]], none: str) -> tuple[Choice, ...]:
        """Keep what each answer stands for (a button holds 64 bytes).

        The last one, "none", knows the others.
        """
        scope, until = self.asked.scope, self.asked.at + CHOICE_LIFE
        at = {"at": self.asked.at.isoformat()}

        def write(tx: Transaction) -> tuple[Choice, ...]:
            kept = {tx.new_id(): option for option in options}
            for key, (payload, _) in kept.items():
                put_choice(tx, key, scope, "forget", {**payload, **at}, until)
            single = [key for key, (p, _) in kept.items() if "everything" in p or _is_single(p)]
            last, end = tx.new_id(), {"ids": [], "options": single, "keys": list(kept), **at}
            put_choice(tx, last, scope, "forget", end, until)
            choices = (Choice(key, text) for key, (_, text) in kept.items())
            return *choices, Choice(last, say(self.lang, none))

        return await self.store.write(self.user_id, write)

    async def _answer_todo(self, message: Message) -> CommandOutcome | None:
        """Take the message as the answer to our question about a todo, if it is one."""
        now = self.asked.at

        def read(tx: Transaction) -> tuple[Json, str]:
            last = find_pending_choice(tx, self.asked.scope, now)
            kept = get_choice(tx, last, now) if last else None
            if kept is None or kept[1] != TODO:
                return {}, ""
            return kept[2], read_todo_answer(tx, kept[2], message, self.lang)

        payload, said = await self.store.read(self.user_id, read)
        if not said:
            return None

        answered = {**payload, "said": said}
        return await answer_todo(self.memory, self.store, self.asked, answered, self.lang)

    async def _answer_question(self, text: str) -> CommandOutcome | None:
        """Take the message as the answer to our open question, which lapses if it is none."""
        scope, now = self.asked.scope, self.asked.at

        def write(tx: Transaction) -> tuple[list[Json], list[str]] | None:
            last = find_pending_choice(tx, scope, now)
            kept = get_choice(tx, last, now) if last else None
            if last is None or kept is None or kept[1] != "forget" or "options" not in kept[2]:
                return None
            found = (get_choice(tx, key, now) for key in kept[2]["options"])
            options = [choice[2] for choice in found if choice is not None]
            said = [_find_words(tx, payload) for payload in options]
            picked = read_choice(text, said)
            if picked == "unclear":
                return [], said
            for key in (*kept[2]["keys"], last):
                take_choice(tx, key, now)
            return None if picked is None else ([options[i] for i in picked], [])

        if not await self.store.read(self.user_id, lambda tx: find_pending_choice(tx, scope, now)):
            return None  # most messages answer no question: they need no write
        answered = await self.store.write(self.user_id, write)
        if answered is None:
            return None
        payloads, unclear = answered
        if not unclear:
            return await self.forget_chosen(payloads)
        which = say(self.lang, "forget.which")
        lines = (f"{n}. {' '.join(said.split())[:LABEL]}" for n, said in enumerate(unclear, 1))
        return CommandOutcome(True, "\n".join([which, *lines]), stored=which)

    # --- short ways ---

    @property
    def user_id(self) -> str:
        """Return who asked."""
        return self.asked.user_id

    @property
    def turn_id(self) -> str | None:
        """Return the turn's id; a command has none."""
        return self.asked.id if isinstance(self.asked, Turn) else None

    @property
    def private(self) -> bool:
        """Tell whether nobody else can see the answer."""
        return self.asked.scope.startswith("user:")

    def _answer(self, key: str, *, ok: bool = True, **places: object) -> CommandOutcome:
        return answer(self.lang, key, ok=ok, **places)


def _split(tx: Transaction, message: Message, intent: Intent) -> str:
    """Leave the rest in the message, put the command into one of its own; return that one's id."""
    said = " ".join(message.text[a:b] for a, b in intent.spans)
    tx.conversations.put_messages([replace(message, text=intent.rest)])
    return tx.conversations.add_message(replace(message, id="", seq=0, text=said)).id


def _is_single(payload: Json) -> bool:
    return len([*payload["ids"], *payload.get("messages", [])]) == 1


def _find_words(tx: Transaction, payload: Json) -> str:
    """Return the words of one option: those of its memory or message."""
    m: Memory | None = tx.memories.get(payload["ids"][0]) if payload["ids"] else None
    if m is not None:
        return m.original_content
    said = tx.conversations.get_message(payload["messages"][0]) if payload.get("messages") else None
    return said.text if said else ""
