"""What each slash command does, for every front end, in the user's language."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.commands import questions
from bot.commands.memories import format_memory, list_as_of, listed
from bot.commands.orders import OrderReply, Orders
from bot.commands.why import MORE, explain, explain_reply, quote_of
from bot.events import Command, CommandOutcome, Turn, WindowMode
from bot.sessions import close
from bot.settings import Settings
from bot.tables import find_pending_choice, get_choice, take_choice
from bot.texts import format_age, say, words
from memory.errors import Conflict, NotFound, Refused
from memory.learn.dates import AsOfQuery, parse_as_of
from memory.models import Filter, Lang, Level, Memory, State, mark_quote
from memory.ports import Store, Transaction
from memory.service import Intent, MemoryService

COMMANDS = tuple("new temp review remember forget quiet memories memory why undo help quit".split())  # noqa: SIM905
_LAST = frozenset({"", "last", "latest", "最近", "最近一次", "上一次", "上次"})
_LIST = frozenset({"list", "列表", "清单"})
_NAMED = 2  # memories of one act
_LONG = 60  # characters of each
UNLISTED = ("start", "choose", "mirror")  # typed by a button or a front end
# What cannot be done in a window off the record, and what is said then.
OFF_RECORD = {"remember": "temp.no_remember"} | dict.fromkeys(
    ("forget", "quiet", "undo"), "temp.no_change"
)
LAYER = 40  # of each level, in a look back at everything: the most faded ones are never crowded out
ON = ("on", "开", "打开", "开启")
OFF = ("off", "关", "关闭", "结束")
EVERYTHING = ("everything", "all", "全部", "所有", "一切")


@dataclass
class Commands:
    """Carries out commands.

    `kick` says that there is new background work, `forget_window` ends a window's memory.
    """

    settings: Settings
    store: Store
    service: MemoryService
    kick: Callable[[], None]
    forget_window: Callable[[str], None]

    async def run(self, c: Command, lang: Lang) -> CommandOutcome:
        """Dispatch by name."""
        name = c.name.lstrip("/")
        if name.lower() not in {*COMMANDS, *UNLISTED}:
            return CommandOutcome(False, say(lang, "unknown_command", name=name))
        if c.mode is not WindowMode.NORMAL and name.lower() in OFF_RECORD:
            return CommandOutcome(False, say(lang, OFF_RECORD[name.lower()]))
        handler: Callable[[Command, Lang], Awaitable[CommandOutcome]] = getattr(
            self, f"_{name.lower()}"
        )
        outcome = await handler(c, lang)
        self.kick()
        return outcome

    def _orders(self, c: Command, lang: Lang) -> Orders:
        return Orders(self.service, self.store, c, lang, self.settings.transcript == "session")

    async def _new(self, c: Command, lang: Lang) -> CommandOutcome:
        if c.mode is not WindowMode.NORMAL:
            self.forget_window(c.origin)
            return CommandOutcome(True, say(lang, "new.temp"), mode=c.mode)

        def write(tx: Transaction) -> tuple[str, bool]:
            tx.changes.begin("user", "chat", c.at)
            current = tx.conversations.get_open_session(c.scope)
            if current is not None and not tx.conversations.list_messages(
                session_id=current.id, limit=1
            ):
                return current.id, False
            closed = current is not None and close(tx, current, c.at, "new")
            fresh = tx.conversations.get_open_session(c.scope) or tx.conversations.open_session(
                c.scope, c.at
            )
            return fresh.id, closed

        session_id, closed = await self.store.write(c.user_id, write)
        done = "new.off" if await self.service.is_off(c.user_id) else "new.done"
        return CommandOutcome(
            True, say(lang, done if closed else "new.fresh"), session_id=session_id
        )

    async def _temp(self, c: Command, lang: Lang) -> CommandOutcome:
        self.forget_window(c.origin)
        word = c.args.strip().lower()
        if word in ("read", "private", "只读"):
            return CommandOutcome(True, say(lang, "private.on"), mode=WindowMode.PRIVATE)
        if c.mode is WindowMode.NORMAL and word not in OFF:
            return CommandOutcome(True, say(lang, "temp.on"), mode=WindowMode.TEMP)
        return CommandOutcome(True, say(lang, "temp.off"), mode=WindowMode.NORMAL)

    async def _as_of(self, c: Command, asked: AsOfQuery, lang: Lang) -> CommandOutcome:
        if c.mode is WindowMode.TEMP:
            return CommandOutcome(False, say(lang, "why.temp"))
        if asked.at is None:
            return CommandOutcome(False, say(lang, "asof.unread", text=asked.said))

        return await list_as_of(self.service, c.user_id, asked.at, c.at, asked.topic, lang, c.tz)

    async def _review(self, c: Command, lang: Lang) -> CommandOutcome:
        if (asked := parse_as_of(c.args, c.at, c.tz)) is not None:
            return await self._as_of(c, asked, lang)
        if c.args.strip():
            turn = Turn(
                "", c.user_id, c.scope, c.args.strip(), c.at, c.tz, c.mode, c.origin, review=True
            )
            return CommandOutcome(True, "", turn=turn)
        if c.mode is WindowMode.TEMP:
            return CommandOutcome(False, say(lang, "why.temp"))
        states = frozenset({State.ACTIVE, State.SUPERSEDED})
        levels = [
            (
                await self.service.find(
                    c.user_id, Filter(states, frozenset({level})), order="activated", limit=LAYER
                )
            )
            for level in Level
        ]
        total, memories = sum(p.total for p in levels), tuple(m for p in levels for m in p.items)
        if not memories:
            return CommandOutcome(True, say(lang, "review.none"))
        lines = [f"- {format_memory(m, lang, c.at)}" for m in memories]
        if total > len(memories):
            lines.append(say(lang, "asof.more", n=total - len(memories)))
        return CommandOutcome(
            True, "\n".join([say(lang, "review.head", n=total), *lines]), memories=memories
        )

    async def _remember(self, c: Command, lang: Lang) -> CommandOutcome:
        if not c.args.strip():
            return CommandOutcome(False, say(lang, "remember.what"))
        if await self.service.is_off(c.user_id):
            return CommandOutcome(False, say(lang, "off.no_remember"))
        try:
            done = await self.service.remember(
                c.user_id, c.args.strip(), c.at, tz=c.tz, scope=c.scope
            )
        except Refused as e:
            if e.code == "instruction":
                return CommandOutcome(False, say(lang, "remember.instruction"))
            return CommandOutcome(False, say(lang, "remember.refused", why=str(e)))
        key = "remember.already" if done.already else "remember.done"
        return CommandOutcome(
            True, say(lang, key, text=done.memory.content), memories=(done.memory,)
        )

    async def _forget(self, c: Command, lang: Lang) -> CommandOutcome:
        wanted = c.args.strip()
        if not wanted:
            return CommandOutcome(False, say(lang, "forget.what"))
        word, _, count = wanted.rpartition(" ")
        if word.strip().lower() in EVERYTHING and count.isdigit():
            return _outcome(await self._orders(c, lang).forget_everything(int(count)))
        return _outcome(await self._orders(c, lang).forget(Intent("forget", wanted)))

    async def _choose(self, c: Command, lang: Lang) -> CommandOutcome:
        if answered := await questions.answer_mirror(self.service, self.store, c, lang):
            return answered
        taken = await self.store.write(c.user_id, lambda tx: take_choice(tx, c.args.strip(), c.at))
        if taken is None or taken[0] != c.scope or taken[1] not in {"forget", questions.PROPOSAL}:
            return CommandOutcome(False, say(lang, "choice.gone"))
        _, kind, payload = taken
        if kind == questions.PROPOSAL:
            return await questions.answer_proposal(self.service, c, payload, lang)
        return replace(_outcome(await self._orders(c, lang).forget_chosen([payload])), memories=())

    async def _quiet(self, c: Command, lang: Lang) -> CommandOutcome:
        word, _, rest = c.args.strip().partition(" ")
        off = word.lower() in OFF and bool(rest.strip())
        thing = rest.strip() if off else c.args.strip()
        if not thing:
            return CommandOutcome(False, say(lang, "quiet.what"))
        return _outcome(await self._orders(c, lang).keep_quiet(thing, on=not off))

    async def _memory(self, c: Command, lang: Lang) -> CommandOutcome:
        word = c.args.strip().lower()
        if word not in (*ON, *OFF):
            return CommandOutcome(
                not word,
                say(
                    lang,
                    "memory.is_off" if await self.service.is_off(c.user_id) else "memory.is_on",
                ),
            )
        return _outcome(await self._orders(c, lang).switch_memory(on=word in ON))

    async def _mirror(self, c: Command, lang: Lang) -> CommandOutcome:
        return await questions.describe_mirror(self.service, self.store, c, lang)

    async def _memories(self, c: Command, lang: Lang) -> CommandOutcome:
        if c.mode is WindowMode.TEMP:
            return CommandOutcome(False, say(lang, "why.temp"))
        outcome = await listed(self.service, c, lang)
        lines = (
            await questions.list_proposals(self.service, c.user_id, lang)
            if not c.args.strip()
            else []
        )
        return replace(outcome, text="\n".join([outcome.text, *lines]))

    async def _why(self, c: Command, lang: Lang) -> CommandOutcome:
        if c.mode is not WindowMode.NORMAL:
            return CommandOutcome(
                False, say(lang, "why.temp" if c.mode is WindowMode.TEMP else "why.private")
            )
        recall = await self.service.explain(c.user_id, c.scope)
        if recall is None:
            return CommandOutcome(True, say(lang, "why.none"))
        standing, used, quotes = await self.store.read(
            c.user_id,
            lambda tx: (
                _standing(tx, c.scope, {h.memory.id for h in recall.hits}),
                _used(tx, c.scope),
                {h.memory.id: quote_of(tx, h.memory) for h in recall.hits},
            ),
        )
        if c.args.strip().casefold() in MORE:
            text = explain(recall, standing, lang, c.at, used)
        else:
            text = explain_reply(recall, standing, used, quotes, lang, c.at, c.tz)
        return CommandOutcome(True, text, memories=tuple(h.memory for h in recall.hits))

    async def _undo(self, c: Command, lang: Lang) -> CommandOutcome:
        if c.args.strip().lower() in _LIST:
            lines = await list_undoable(self.service, c.user_id, lang, c.at)
            if not lines:
                return CommandOutcome(True, say(lang, "undo.nothing"))
            return CommandOutcome(
                True, "\n".join([say(lang, "undo.listed"), *(f"- {line}" for line in lines)])
            )
        wanted = read_set_id(c.args)
        if wanted is None and await self.store.write(
            c.user_id, lambda tx: _withdraw_question(tx, c)
        ):
            return CommandOutcome(True, say(lang, "undo.asked"))
        try:
            taken = await self.service.undo(c.user_id, c.at, wanted)
        except Conflict as e:
            return CommandOutcome(False, explain_conflict(e, lang))
        except NotFound:
            return CommandOutcome(False, say(lang, "undo.gone" if wanted else "undo.nothing"))
        what = describe_act(taken.reason, lang)
        if touched := "; ".join(m.content for m in taken.memories[:3]):
            what += words(lang, "aside", text=touched)
        return CommandOutcome(
            True, say(lang, "undo.done", what=what), memories=tuple(taken.memories)
        )

    async def _help(self, c: Command, lang: Lang) -> CommandOutcome:
        lines = [f"- /{name} – {say(lang, f'help.{name}')}" for name in COMMANDS]
        tail = ["", say(lang, "help.tail")] if c.mode is WindowMode.NORMAL else []
        return CommandOutcome(True, "\n".join([say(lang, "help.head"), *lines, *tail]))

    _start = _help

    async def _quit(self, c: Command, lang: Lang) -> CommandOutcome:
        return CommandOutcome(True, "", quit=True)


def _withdraw_question(tx: Transaction, c: Command) -> bool:
    """Drop the question of what to forget that is the last thing that happened.

    False if it is not.
    """
    changed = next((s.at for s in tx.changes.list_undoable() if s.reason != "summarise"), None)
    dropped = False
    while (key := find_pending_choice(tx, c.scope, c.at)) and (asked := get_choice(tx, key, c.at)):
        at = asked[2].get("at") if asked[1] == "forget" else None
        if at is None or (changed is not None and datetime.fromisoformat(at) < changed):
            break
        dropped = take_choice(tx, key, c.at) is not None
    return dropped


def _outcome(spoken: OrderReply) -> CommandOutcome:
    return CommandOutcome(spoken.ok, spoken.text, memories=spoken.memories, choices=spoken.choices)


def _standing(tx: Transaction, scope: str, recalled: set[str]) -> list[Memory]:
    """Return the standing memories of the scope's prompts, but for those that were recalled."""
    session = tx.conversations.get_open_session(scope)
    found = tx.memories.get_many(session.profile or ()) if session else []
    return [m for m in found if m.state is State.ACTIVE and m.id not in recalled]


def _used(tx: Transaction, scope: str) -> frozenset[str]:
    """Return what the monitor found to have shaped the scope's last reply."""
    turn_id = tx.traces.get_last_turn(scope)
    return frozenset(tx.traces.list_used(turn_id) if turn_id else ())


def read_set_id(text: str) -> str | None:
    """Read which change set is meant; None is the last one."""
    plain = text.strip().strip("[]").lower()
    return None if plain in _LAST else plain


def describe_act(reason: str, lang: Lang) -> str:
    """Say in words what an act was."""
    key = f"set.{reason}"
    return say(lang, key if key in say else "set.other")


def explain_conflict(e: Conflict, lang: Lang, undo: str = "/undo") -> str:
    """Say why a change cannot be taken back, and what to do first.

    `undo`: how that is typed here.
    """
    if e.code == "undone" and e.by:
        return say(lang, "undo.undone", by=f"{undo} {e.by}")
    if e.code == "changed" and e.by:
        return say(lang, "undo.conflict", by=f"{undo} {e.by}")
    return say(lang, "undo.erased")


async def list_undoable(
    service: MemoryService, user_id: str, lang: Lang, now: datetime, limit: int = 20
) -> list[str]:
    """List the acts that can be taken back, newest first, one a line."""
    lines = []
    for act, memories in await service.list_undoable(user_id, limit):
        texts = [" ".join(mark_quote(m, m.original_content).split()) for m in memories[:_NAMED]]
        some = "; ".join(t if len(t) <= _LONG else f"{t[: _LONG - 1]}…" for t in texts)
        more = f" +{len(memories) - _NAMED}" if len(memories) > _NAMED else ""
        what = describe_act(act.reason, lang) + words(lang, "colon")
        lines.append(f"[{act.id}] {format_age(act.at, now, lang)} · {what}{some}{more}")
    return lines
