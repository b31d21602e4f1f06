"""One parser of commands for every front end: what each does, in the user's language."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot import mirroring, undoing
from bot.asof import known_then
from bot.events import Choice, Command, Outcome, Turn, WindowMode
from bot.life_texts import say as past
from bot.listing import listed, memory_line
from bot.session import close
from bot.settings import Settings
from bot.texts import say
from bot.why import explain
from memory.errors import Conflict, NotFound, Refused
from memory.learn.asof import AsOf, as_of_asked
from memory.models import Filter, Lang, Level, Memory, State
from memory.ports import Store, Tx
from memory.service import MemoryService

COMMANDS = ("new", "temp", "review", "remember", "forget", "memories", "why", "undo", "help", "quit")
CHOICE_LIFE = timedelta(hours=24)
LAYER = 40  # of each level, in a look back at everything: the most faded ones are never crowded out
OFFERED = 8  # memories or messages asked about at once
LABEL = 200  # characters of each of them
EVERYTHING = ("everything", "all", "全部", "所有", "一切")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is said about a request to forget; `stored` goes into the transcript instead, where it differs."""

    text: str
    stored: str = ""
    choices: tuple[Choice, ...] = ()
    ok: bool = True
    memories: tuple[Memory, ...] = ()


async def answer_forget(
    service: MemoryService,
    store: Store,
    asked: Turn | Command,
    wanted: str,
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
    plan = await service.plan_forget(user_id, wanted, now, scope=scope, message_id=message_id)
    if plan.everything:
        n = await service.everything(user_id)
        return Spoken(say(lang, "forget.everything", n=n), ok=False)
    if plan.clear is not None:
        done = await service.forget(user_id, [plan.clear.id], now, turn_id=turn_id, message_ids=asking)
        return _forgotten(done.memories or (plan.clear,), lang)
    if not plan.candidates and len(plan.messages) == 1:
        await service.forget(user_id, [], now, turn_id=turn_id, message_ids=[*plan.messages, *asking])
        return Spoken(say(lang, "forget.said"))
    if not plan.candidates and plan.messages:
        said = await store.read(user_id, lambda tx: [tx.conversations.message(i) for i in plan.messages[-OFFERED:]])
        texts = [(m.id, " ".join(m.text.split())) for m in said if m is not None]
        choices = await _offer(store, user_id, scope, texts, asking, now, lang, of="messages")
        return Spoken(say(lang, "forget.which_said"), choices=choices)
    if not plan.candidates:
        return Spoken(say(lang, "forget.nothing", text=wanted), ok=False)
    offered = plan.candidates[:OFFERED]
    choices = await _offer(store, user_id, scope, [(m.id, m.content) for m in offered], asking, now, lang)
    return Spoken(say(lang, "forget.which"), choices=choices, memories=tuple(offered))


def _forgotten(memories: Sequence[Memory], lang: Lang) -> Spoken:
    if len(memories) == 1:
        text = say(lang, "forget.done", text=memories[0].content.rstrip(".。"))
    else:
        lines = "\n".join(f"- {m.content}" for m in memories)
        text = say(lang, "forget.done_many", n=len(memories), text=lines)
    return Spoken(text, stored=say(lang, "forget.stored"))


async def _offer(
    store: Store,
    user_id: str,
    scope: str,
    offered: Sequence[tuple[str, str]],
    asking: Sequence[str],
    now: datetime,
    lang: Lang,
    of: str = "ids",
) -> tuple[Choice, ...]:
    """Keys for each candidate (id, text), for all and for none; rows, because a button holds 64 bytes.

    `of` says what the ids are of: "ids" of memories, or "messages".
    """

    def write(tx: Tx) -> tuple[Choice, ...]:
        def key(ids: list[str]) -> str:
            k = tx.new_id()
            payload = {"ids": [], "asking": list(asking), of: ids, "at": now.isoformat()}
            tx.put_choice(k, scope, "forget", payload, now + CHOICE_LIFE)
            return k

        out = [Choice(key([i]), text if len(text) <= LABEL else f"{text[: LABEL - 1]}…") for i, text in offered]
        if len(offered) > 1:
            out.append(Choice(key([i for i, _ in offered]), say(lang, "forget.all_of_them")))
        return (*out, Choice(key([]), say(lang, "forget.none_of_them")))

    return await store.write(user_id, write)


class Commands:
    """Carries out commands. `kick` says that there is new background work."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        service: MemoryService,
        kick: Callable[[], None],
        forget_window: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._store = store
        self._service = service
        self._kick = kick
        self._forget_window = forget_window
        self._table: Mapping[str, Callable[[Command, Lang], Awaitable[Outcome]]] = {
            "new": self._new,
            "temp": self._temp,
            "review": self._review,
            "remember": self._remember,
            "forget": self._forget,
            "memories": self._memories,
            "why": self._why,
            "undo": self._undo,
            "help": self._help,
            "quit": self._quit,
            "start": self._help,
            "choose": self._choose,
            "mirror": self._mirror,
        }

    async def run(self, c: Command, lang: Lang) -> Outcome:
        """Dispatch by name."""
        handler = self._table.get(c.name.lower().lstrip("/"))
        if handler is None:
            return Outcome(False, say(lang, "unknown_command", name=c.name.lstrip("/")))
        outcome = await handler(c, lang)
        self._kick()
        return outcome

    async def _new(self, c: Command, lang: Lang) -> Outcome:
        if c.mode is not WindowMode.NORMAL:
            self._forget_window(c.origin)
            return Outcome(True, say(lang, "new.temp"), mode=c.mode)

        def write(tx: Tx) -> tuple[str, bool]:
            tx.changes.begin("user", "chat", c.at)
            current = tx.conversations.current(c.scope)
            if current is not None and not tx.conversations.messages(session_id=current.id, limit=1):
                return current.id, False
            closed = current is not None and close(tx, current, c.at, "new")
            fresh = tx.conversations.current(c.scope) or tx.conversations.open_session(c.scope, c.at)
            return fresh.id, closed

        session_id, closed = await self._store.write(c.user_id, write)
        return Outcome(True, say(lang, "new.done" if closed else "new.fresh"), session_id=session_id)

    async def _temp(self, c: Command, lang: Lang) -> Outcome:
        self._forget_window(c.origin)
        word = c.args.strip().lower()
        if word in ("read", "private", "只读"):
            return Outcome(True, say(lang, "private.on"), mode=WindowMode.PRIVATE)
        if c.mode is WindowMode.NORMAL and word not in ("off", "关闭", "结束"):
            return Outcome(True, say(lang, "temp.on"), mode=WindowMode.TEMP)
        return Outcome(True, say(lang, "temp.off"), mode=WindowMode.NORMAL)

    async def _as_of(self, c: Command, asked: AsOf, lang: Lang) -> Outcome:
        if c.mode is WindowMode.TEMP:
            return Outcome(False, say(lang, "why.temp"))
        if asked.at is None:
            return Outcome(False, past(lang, "asof.unread", text=asked.said))

        def line(m: Memory) -> str:
            return f"- {memory_line(m, lang, c.at)}"

        then = await known_then(self._service, c.user_id, asked.at, asked.topic, lang, c.tz, line)
        return Outcome(True, "\n".join([then.head, *then.lines]), memories=then.memories)

    async def _review(self, c: Command, lang: Lang) -> Outcome:
        if (asked := as_of_asked(c.args, c.at, c.tz)) is not None:
            return await self._as_of(c, asked, lang)
        if c.args.strip():
            turn = Turn(
                id="",
                user_id=c.user_id,
                scope=c.scope,
                text=c.args.strip(),
                at=c.at,
                tz=c.tz,
                mode=c.mode,
                origin=c.origin,
                review=True,
            )
            return Outcome(True, "", turn=turn)
        if c.mode is WindowMode.TEMP:
            return Outcome(False, say(lang, "why.temp"))
        states = frozenset({State.ACTIVE, State.SUPERSEDED})
        levels = [
            (await self._service.find(c.user_id, Filter(states, frozenset({level})), order="activated", limit=LAYER))
            for level in Level
        ]
        total, memories = sum(p.total for p in levels), tuple(m for p in levels for m in p.items)
        if not memories:
            return Outcome(True, say(lang, "review.none"))
        lines = [f"- {memory_line(m, lang, c.at)}" for m in memories]
        if total > len(memories):
            lines.append(past(lang, "asof.more", n=total - len(memories)))
        return Outcome(True, "\n".join([say(lang, "review.head", n=total), *lines]), memories=memories)

    async def _remember(self, c: Command, lang: Lang) -> Outcome:
        if c.mode is not WindowMode.NORMAL:
            return Outcome(False, say(lang, "temp.no_remember"))
        if not c.args.strip():
            return Outcome(False, say(lang, "remember.what"))
        try:
            done = await self._service.remember(c.user_id, c.args.strip(), c.at, tz=c.tz, scope=c.scope)
        except Refused as e:
            if e.code == "instruction":
                return Outcome(False, say(lang, "remember.instruction"))
            return Outcome(False, say(lang, "remember.refused", why=str(e)))
        key = "remember.already" if done.already else "remember.done"
        return Outcome(True, say(lang, key, text=done.memory.content), memories=(done.memory,))

    async def _forget(self, c: Command, lang: Lang) -> Outcome:
        wanted = c.args.strip()
        if c.mode is not WindowMode.NORMAL:
            return Outcome(False, say(lang, "temp.no_change"))
        if not wanted:
            return Outcome(False, say(lang, "forget.what"))
        word, _, count = wanted.rpartition(" ")
        if word.strip().lower() in EVERYTHING and count.isdigit():
            return await self._forget_everything(c, int(count), lang)
        spoken = await answer_forget(self._service, self._store, c, wanted, lang)
        return Outcome(spoken.ok, spoken.text, memories=spoken.memories, choices=spoken.choices)

    async def _forget_everything(self, c: Command, said: int, lang: Lang) -> Outcome:
        n = await self._service.everything(c.user_id)
        if said != n:
            return Outcome(False, say(lang, "forget.everything", n=n))
        try:
            done = await self._service.forget_everything(c.user_id, c.at)
        except NotFound:
            return Outcome(False, say(lang, "memories.none"))
        return Outcome(True, say(lang, "forget.all", n=len(done.memories)))

    async def _choose(self, c: Command, lang: Lang) -> Outcome:
        taken = await self._store.write(c.user_id, lambda tx: tx.take_choice(c.args.strip(), c.at))
        if taken is None or taken[0] != c.scope:
            return Outcome(False, say(lang, "choice.gone"))
        _, kind, payload = taken
        if kind == mirroring.KIND:
            return await mirroring.answer_mirror(self._service, c, payload, lang)
        said = payload.get("messages", [])
        if kind != "forget" or not (payload["ids"] or said):
            return Outcome(True, say(lang, "forget.kept"))
        hidden = [*said, *payload["asking"]]
        try:
            done = await self._service.forget(c.user_id, payload["ids"], c.at, message_ids=hidden)
        except NotFound:
            return Outcome(False, say(lang, "choice.gone"))
        return Outcome(True, say(lang, "forget.said") if said else _forgotten(done.memories, lang).text)

    async def _mirror(self, c: Command, lang: Lang) -> Outcome:
        return await mirroring.about_mirror(self._service, self._store, c, lang)

    async def _memories(self, c: Command, lang: Lang) -> Outcome:
        if c.mode is WindowMode.TEMP:
            return Outcome(False, say(lang, "why.temp"))
        return await listed(self._service, c, lang)

    async def _why(self, c: Command, lang: Lang) -> Outcome:
        if c.mode is not WindowMode.NORMAL:
            return Outcome(False, say(lang, "why.temp" if c.mode is WindowMode.TEMP else "why.private"))
        recall = await self._service.explain(c.user_id, c.scope)
        if recall is None:
            return Outcome(True, say(lang, "why.none"))
        residents, used = await self._store.read(
            c.user_id, lambda tx: (_resident_count(tx, c.scope), _used(tx, c.scope))
        )
        text = explain(recall, residents, lang, c.at, used)
        return Outcome(True, text, memories=tuple(h.memory for h in recall.hits))

    async def _undo(self, c: Command, lang: Lang) -> Outcome:
        if c.mode is not WindowMode.NORMAL:
            return Outcome(False, say(lang, "temp.no_change"))
        if c.args.strip().lower() in undoing.LIST:
            lines = await undoing.listed(self._service, c.user_id, lang, c.at)
            if not lines:
                return Outcome(True, say(lang, "undo.nothing"))
            return Outcome(True, "\n".join([say(lang, "undo.listed"), *(f"- {line}" for line in lines)]))
        wanted = undoing.wanted(c.args)
        if wanted is None and await self._store.write(c.user_id, lambda tx: _withdraw_question(tx, c)):
            return Outcome(True, say(lang, "undo.asked"))
        try:
            taken = await self._service.undo(c.user_id, c.at, wanted)
        except Conflict as e:
            return Outcome(False, undoing.why_not(e, lang))
        except NotFound:
            return Outcome(False, say(lang, "undo.gone" if wanted else "undo.nothing"))
        what = undoing.done(taken.reason, lang)
        if touched := "; ".join(m.content for m in taken.memories[:3]):
            what = f"{what}（{touched}）" if lang == "zh" else f"{what} ({touched})"
        return Outcome(True, say(lang, "undo.done", what=what), memories=tuple(taken.memories))

    async def _help(self, c: Command, lang: Lang) -> Outcome:
        lines = [f"- /{name} – {say(lang, f'help.{name}')}" for name in COMMANDS]
        tail = ["", say(lang, "help.tail")] if c.mode is WindowMode.NORMAL else []
        return Outcome(True, "\n".join([say(lang, "help.head"), *lines, *tail]))

    async def _quit(self, c: Command, lang: Lang) -> Outcome:
        return Outcome(True, "", quit=True)


def _withdraw_question(tx: Tx, c: Command) -> bool:
    """Drop the question of what to forget that is the last thing that happened. False if it is not."""
    changed = next((s.at for s in tx.changes.undoable() if s.reason != "summarise"), None)
    dropped = False
    while (key := tx.pending_choice(c.scope, c.at)) and (asked := tx.choice(key, c.at)):
        at = asked[2].get("at") if asked[1] == "forget" else None
        if at is None or (changed is not None and datetime.fromisoformat(at) < changed):
            break
        dropped = tx.take_choice(key, c.at) is not None
    return dropped


def _resident_count(tx: Tx, scope: str) -> int:
    session = tx.conversations.current(scope)
    return len(session.profile or ()) if session else 0


def _used(tx: Tx, scope: str) -> frozenset[str]:
    """What the monitor found to have shaped the scope's last reply."""
    turn_id = tx.traces.last_turn(scope)
    return frozenset(tx.traces.used(turn_id) if turn_id else ())
