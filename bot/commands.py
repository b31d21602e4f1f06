"""One parser of commands for every front end: what each does, in the user's language."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime

from bot import mirroring, proposing, undoing
from bot.asof import known_then
from bot.events import Command, Outcome, Turn, WindowMode
from bot.life_texts import say as past
from bot.listing import listed, memory_line
from bot.orders import Spoken, answer_forget, forget_chosen, forget_everything, keep_quiet, switch_memory
from bot.session import close
from bot.settings import Settings
from bot.texts import say
from bot.why import MORE, explain, quote_of, reasons_for
from memory.errors import Conflict, NotFound, Refused
from memory.learn.dates import AsOf, as_of_asked
from memory.models import Filter, Lang, Level, Memory, State
from memory.ports import Store, Tx
from memory.service import Intent, MemoryService

COMMANDS = tuple("new temp review remember forget quiet memories memory why undo help quit".split())  # noqa: SIM905
LAYER = 40  # of each level, in a look back at everything: the most faded ones are never crowded out
ON = ("on", "开", "打开", "开启")
OFF = ("off", "关", "关闭", "结束")
EVERYTHING = ("everything", "all", "全部", "所有", "一切")


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
            "quiet": self._quiet,
            "memory": self._memory,
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
        done = "new.off" if await self._service.is_off(c.user_id) else "new.done"
        return Outcome(True, say(lang, done if closed else "new.fresh"), session_id=session_id)

    async def _temp(self, c: Command, lang: Lang) -> Outcome:
        self._forget_window(c.origin)
        word = c.args.strip().lower()
        if word in ("read", "private", "只读"):
            return Outcome(True, say(lang, "private.on"), mode=WindowMode.PRIVATE)
        if c.mode is WindowMode.NORMAL and word not in OFF:
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
        if await self._service.is_off(c.user_id):
            return Outcome(False, say(lang, "off.no_remember"))
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
            return _outcome(await forget_everything(self._service, c.user_id, c.at, int(count), lang))
        return _outcome(await answer_forget(self._service, self._store, c, Intent("forget", wanted), lang))

    async def _choose(self, c: Command, lang: Lang) -> Outcome:
        taken = await self._store.write(c.user_id, lambda tx: tx.take_choice(c.args.strip(), c.at))
        if taken is None or taken[0] != c.scope:
            return Outcome(False, say(lang, "choice.gone"))
        _, kind, payload = taken
        if kind == mirroring.KIND:
            return await mirroring.answer_mirror(self._service, c, payload, lang)
        if kind == proposing.KIND:
            return await proposing.answer_proposal(self._service, c, payload, lang)
        return replace(_outcome(await forget_chosen(self._service, c, [payload], lang)), memories=())

    async def _quiet(self, c: Command, lang: Lang) -> Outcome:
        word, _, rest = c.args.strip().partition(" ")
        off = word.lower() in OFF and bool(rest.strip())
        thing = rest.strip() if off else c.args.strip()
        if c.mode is not WindowMode.NORMAL:
            return Outcome(False, say(lang, "temp.no_change"))
        if not thing:
            return Outcome(False, say(lang, "quiet.what"))
        return _outcome(await keep_quiet(self._service, c, thing, lang, on=not off))

    async def _memory(self, c: Command, lang: Lang) -> Outcome:
        word = c.args.strip().lower()
        if word not in (*ON, *OFF):
            return Outcome(
                not word, say(lang, "memory.is_off" if await self._service.is_off(c.user_id) else "memory.is_on")
            )
        erase = self._settings.transcript == "session"
        return _outcome(await switch_memory(self._service, self._store, c, lang, on=word in ON, erase=erase))

    async def _mirror(self, c: Command, lang: Lang) -> Outcome:
        return await mirroring.about_mirror(self._service, self._store, c, lang)

    async def _memories(self, c: Command, lang: Lang) -> Outcome:
        if c.mode is WindowMode.TEMP:
            return Outcome(False, say(lang, "why.temp"))
        outcome = await listed(self._service, c, lang)
        lines = await proposing.list_proposals(self._service, c.user_id, lang) if not c.args.strip() else []
        return replace(outcome, text="\n".join([outcome.text, *lines]))

    async def _why(self, c: Command, lang: Lang) -> Outcome:
        if c.mode is not WindowMode.NORMAL:
            return Outcome(False, say(lang, "why.temp" if c.mode is WindowMode.TEMP else "why.private"))
        recall = await self._service.explain(c.user_id, c.scope)
        if recall is None:
            return Outcome(True, say(lang, "why.none"))
        standing, used, quotes = await self._store.read(
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
            text = reasons_for(recall, standing, used, quotes, lang, c.at, c.tz)
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


def _outcome(spoken: Spoken) -> Outcome:
    return Outcome(spoken.ok, spoken.text, memories=spoken.memories, choices=spoken.choices)


def _standing(tx: Tx, scope: str, recalled: set[str]) -> list[Memory]:
    """The standing memories of the scope's prompts, but for those that were recalled."""
    session = tx.conversations.current(scope)
    found = tx.memories.many(session.profile or ()) if session else []
    return [m for m in found if m.state is State.ACTIVE and m.id not in recalled]


def _used(tx: Tx, scope: str) -> frozenset[str]:
    """What the monitor found to have shaped the scope's last reply."""
    turn_id = tx.traces.last_turn(scope)
    return frozenset(tx.traces.used(turn_id) if turn_id else ())
