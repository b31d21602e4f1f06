"""What each slash command does, for every front end, in the user's language."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from bot.commands import questions
from bot.commands.memories import list_as_of, list_lines, list_memories
from bot.commands.orders import Orders
from bot.commands.why import explain_turn
from bot.events import Command, CommandOutcome, Turn, WindowMode, answer
from bot.pictures import MOST, PictureError, read_pictures, split_path, split_pictures
from bot.reports import describe_figures, describe_night, list_token_lines
from bot.sessions import close
from bot.settings import Settings
from bot.tables import find_pending_choice, get_choice, take_choice
from bot.texts import format_age, say, words
from memory import api
from memory.api import Intent, parse_as_of
from memory.errors import Conflict, NotFound, Refused
from memory.models import Filter, Json, Lang, Level, State, mark_quote
from memory.ports import Store, Transaction

_NAMES = "new temp review image remember forget quiet memories memory why undo retry help quit"
COMMANDS = tuple(_NAMES.split())
UNLISTED = ("start", "choose", "mirror")  # typed by a button or a front end
# What cannot be done in a window off the record, and what is said then.
_CHANGES: Final = (
    {"remember": "temp.no_remember"}
    | dict.fromkeys(("forget", "quiet", "undo"), "temp.no_change")
    | {"retry": "retry.temp"}
)
REFUSED: Final[Mapping[WindowMode, Mapping[str, str]]] = {
    WindowMode.NORMAL: {},
    WindowMode.PRIVATE: {**_CHANGES, "why": "why.private"},
    WindowMode.TEMP: {**_CHANGES, "why": "why.temp", "memories": "why.temp"},
}
_LAST = frozenset({"", "last", "latest", "最近", "最近一次", "上一次", "上次"})
_NIGHT = frozenset({"night", "last night", "昨晚", "昨夜", "昨晚的整理"})
_LIST = frozenset({"list", "列表", "清单"})
_RULE = "drop"
_READ = frozenset({"read", "private", "只读"})
ON = ("on", "开", "打开", "开启")
OFF = ("off", "关", "关闭", "结束")
EVERYTHING = ("everything", "all", "全部", "所有", "一切")
LOCAL: Final = ("terminal", "ask")  # origins whose paths are the person's own files
_NEWEST = 20  # messages among which the last one of the person's is looked for
_NAMED = 2  # memories of one act
_LONG = 60  # characters of each
LAYER = 40  # of each level, in a look back: the most faded are never crowded out


@dataclass
class Commands:
    """Carries out commands.

    `kick` says that there is new background work, `forget_window` ends a window's memory.
    """

    settings: Settings
    store: Store
    memory: api.Memory
    kick: Callable[[], None]
    forget_window: Callable[[str], object]

    async def run(self, c: Command, lang: Lang) -> CommandOutcome:
        """Dispatch by name."""
        name = c.name.lstrip("/").lower()
        if name not in {*COMMANDS, *UNLISTED}:
            return answer(lang, "unknown_command", ok=False, name=c.name.lstrip("/"))
        if name in REFUSED[c.mode]:
            return answer(lang, REFUSED[c.mode][name], ok=False)
        handler: Callable[[Command, Lang], Awaitable[CommandOutcome]] = getattr(self, f"_{name}")
        outcome = await handler(replace(c, args=c.args.strip()), lang)
        self.kick()
        return outcome

    def _orders(self, c: Command, lang: Lang) -> Orders:
        return Orders(self.memory, self.store, c, lang, self.settings.transcript == "session")

    async def _new(self, c: Command, lang: Lang) -> CommandOutcome:
        if c.mode is not WindowMode.NORMAL:
            self.forget_window(c.origin)
            return replace(answer(lang, "new.temp"), mode=c.mode)

        def write(tx: Transaction) -> tuple[str, bool]:
            tx.changes.begin("user", "chat", c.at)
            talks = tx.conversations
            current = talks.get_open_session(c.scope)
            if current and not talks.list_messages(session_id=current.id, limit=1):
                return current.id, False
            closed = current is not None and close(tx, current, c.at, "new")
            fresh = talks.get_open_session(c.scope) or talks.open_session(c.scope, c.at)
            return fresh.id, closed

        session_id, closed = await self.store.write(c.user_id, write)
        done = "new.off" if await self.memory.is_off(c.user_id) else "new.done"
        return replace(answer(lang, done if closed else "new.fresh"), session_id=session_id)

    async def _temp(self, c: Command, lang: Lang) -> CommandOutcome:
        word = c.args.lower()
        if word and word not in {*_READ, *ON, *OFF}:
            return answer(lang, "temp.unknown", ok=False, word=c.args)
        self.forget_window(c.origin)
        if word in _READ:
            return replace(answer(lang, "private.on"), mode=WindowMode.PRIVATE)
        if c.mode is WindowMode.NORMAL and word not in OFF:
            return replace(answer(lang, "temp.on"), mode=WindowMode.TEMP)
        return replace(answer(lang, "temp.off"), mode=WindowMode.NORMAL)

    async def _review(self, c: Command, lang: Lang) -> CommandOutcome:
        asked = parse_as_of(c.args, c.at, c.tz)
        if c.args and asked is None:
            return CommandOutcome(True, "", turn=_make_look_back(c))
        if c.mode is WindowMode.TEMP:
            return answer(lang, "why.temp", ok=False)
        if asked is not None and asked.at is None:
            return answer(lang, "asof.unread", ok=False, text=asked.said)
        if asked is not None and asked.at is not None:
            return await list_as_of(self.memory, c.user_id, asked.at, c.at, lang, c.tz, asked.topic)
        states = frozenset({State.ACTIVE, State.SUPERSEDED})
        levels = [
            await self.memory.find(c.user_id, Filter(states, frozenset({level})), limit=LAYER)
            for level in Level
        ]
        total, memories = sum(p.total for p in levels), tuple(m for p in levels for m in p.items)
        if not memories:
            return answer(lang, "review.none")
        deaths = (await self.memory.get_day(c.user_id, c.at, c.tz)).deaths
        listed = list_lines(memories, total, lang, c.at, c.tz, deaths)
        lines = [say(lang, "review.head", n=total), *listed]
        return CommandOutcome(True, "\n".join(lines), memories=memories)

    async def _remember(self, c: Command, lang: Lang) -> CommandOutcome:
        if not c.args:
            return answer(lang, "remember.what", ok=False)
        if await self.memory.is_off(c.user_id):
            return answer(lang, "off.no_remember", ok=False)
        try:
            done = await self.memory.remember(c.user_id, c.args, c.at, tz=c.tz, scope=c.scope)
        except Refused as e:
            key = "remember.instruction" if e.code == "instruction" else "remember.refused"
            return answer(lang, key, ok=False, why=str(e))
        key = "remember.already" if done.already else "remember.done"
        told = answer(lang, key, text=done.memory.content)
        instead = say(lang, "remember.instead", text=done.ended) if done.ended else ""
        return replace(told, text=told.text + instead, memories=(done.memory,))

    async def _forget(self, c: Command, lang: Lang) -> CommandOutcome:
        if not c.args:
            return answer(lang, "forget.what", ok=False)
        word, _, count = c.args.rpartition(" ")
        if word.strip().lower() in EVERYTHING and count.isdigit():
            return await self._orders(c, lang).forget_everything(int(count))
        return await self._orders(c, lang).forget(Intent("forget", c.args))

    async def _choose(self, c: Command, lang: Lang) -> CommandOutcome:
        if answered := await questions.answer_mirror(self.memory, self.store, c, lang):
            return answered

        def take(tx: Transaction) -> tuple[str, str, Json] | None:
            kept = get_choice(tx, c.args, c.at)  # that of a todo is taken with the others
            return kept if kept and kept[1] == questions.TODO else take_choice(tx, c.args, c.at)

        taken = await self.store.write(c.user_id, take)
        known = {"forget", questions.PROPOSAL, questions.LOOK_BACK, questions.TODO, questions.ZONE}
        if taken is None or taken[0] != c.scope or taken[1] not in known:
            return answer(lang, "choice.gone", ok=False)
        _, kind, payload = taken
        if kind == questions.TODO:
            return await questions.answer_todo(self.memory, self.store, c, payload, lang)
        if kind == questions.LOOK_BACK:
            text = await self.store.read(c.user_id, lambda tx: questions.find_question(tx, payload))
            turn = _make_look_back(replace(c, args=text))
            return CommandOutcome(True, "", turn=turn) if text else answer(lang, "choice.gone")
        if kind == questions.ZONE:
            return await questions.answer_zone(self.store, c, payload, lang)
        if kind == questions.PROPOSAL:
            return await questions.answer_proposal(self.memory, c, payload, lang)
        return await self._orders(c, lang).forget_chosen([payload])

    async def _quiet(self, c: Command, lang: Lang) -> CommandOutcome:
        word, _, rest = c.args.partition(" ")
        off = word.lower() in OFF and bool(rest)
        if not c.args:
            return answer(lang, "quiet.what", ok=False)
        return await self._orders(c, lang).keep_quiet(rest.strip() if off else c.args, on=not off)

    async def _memory(self, c: Command, lang: Lang) -> CommandOutcome:
        word = c.args.lower()
        if word in _NIGHT:
            return await self._tell_night(c, lang)
        if word in (*ON, *OFF):
            return await self._orders(c, lang).switch_memory(on=word in ON)
        dropped = word.removeprefix(_RULE).strip(" #")
        if dropped != word and dropped.isdigit():
            return await self._orders(c, lang).drop_rule(int(dropped))
        off = await self.memory.is_off(c.user_id)
        told = answer(lang, "memory.is_off" if off else "memory.is_on", ok=not word)
        rules = await self.store.read(c.user_id, api.list_rules)
        if not rules or c.scope != f"user:{c.user_id}":
            return told
        lines = [f"{n}. {rule.said}" for n, rule in enumerate(rules, 1)]
        return replace(told, text="\n".join([told.text, say(lang, "rules.head"), *lines]))

    async def _tell_night(self, c: Command, lang: Lang) -> CommandOutcome:
        if c.mode is WindowMode.TEMP:
            return answer(lang, "why.temp", ok=False)
        keeper, private = self.memory.keeper, c.scope == f"user:{c.user_id}"
        reports = await keeper.reports(c.user_id) if keeper and private else []
        spent = await list_token_lines(self.store, c.user_id, c.at, lang) if private else []
        if keeper is None or not reports:
            none = answer(lang, "memory.no_night", ok=False)
            return replace(none, text="\n".join([none.text, *spent]))
        told = describe_night(reports[0], await keeper.diff(c.user_id, reports[0]), lang, c.tz)
        figures = (
            f"- {label}{words(lang, 'colon')}{value}"
            for label, value in describe_figures(reports[0], lang)
        )
        return CommandOutcome(True, "\n".join([told, "", *figures, *spent]))

    async def _mirror(self, c: Command, lang: Lang) -> CommandOutcome:
        return await questions.describe_mirror(self.memory, self.store, c, lang)

    async def _memories(self, c: Command, lang: Lang) -> CommandOutcome:
        outcome = await list_memories(self.memory, c, lang)
        if c.args:
            return outcome
        waiting = await questions.list_proposals(self.memory, c.user_id, lang)
        return replace(outcome, text="\n".join([outcome.text, *waiting]))

    async def _why(self, c: Command, lang: Lang) -> CommandOutcome:
        recall = await self.memory.explain(c.user_id, c.scope)
        if recall is None:
            return answer(lang, "why.none")
        text = await self.store.read(c.user_id, lambda tx: explain_turn(tx, recall, c, lang))
        return CommandOutcome(True, text, memories=tuple(h.memory for h in recall.hits))

    async def _undo(self, c: Command, lang: Lang) -> CommandOutcome:
        if c.args.lower() in _LIST:
            lines = await list_undoable(self.memory, c.user_id, lang, c.at)
            head = say(lang, "undo.listed" if lines else "undo.nothing")
            return CommandOutcome(True, "\n".join([head, *(f"- {line}" for line in lines)]))
        if c.args.lower() in _NIGHT:
            return await self._orders(c, lang).undo_night()
        wanted = read_set_id(c.args)
        if is_night(wanted):
            return await self._orders(c, lang).undo_night(wanted)
        if wanted is None and await self.store.write(
            c.user_id, lambda tx: _withdraw_question(tx, c)
        ):
            return answer(lang, "undo.asked")
        try:
            taken = await self.memory.undo(c.user_id, c.at, wanted)
        except Conflict as e:
            return CommandOutcome(False, explain_conflict(e, lang))
        except NotFound:
            return answer(lang, "undo.gone" if wanted else "undo.nothing", ok=False)
        what = describe_act(taken.reason, lang)
        if touched := "; ".join(m.shown_text for m in taken.memories[:3]):
            what += words(lang, "aside", text=touched)
        return replace(answer(lang, "undo.done", what=what), memories=tuple(taken.memories))

    async def _image(self, c: Command, lang: Lang) -> CommandOutcome:
        """Send pictures with words: `PATH [PATH …] [words]`, of this machine's own windows."""
        if not c.origin.startswith(LOCAL):
            return answer(lang, "picture.here", ok=False)
        paths, text = await asyncio.to_thread(split_pictures, c.args)
        if not paths:
            path, text = split_path(c.args)
            paths = [path] if path else []
        if not 0 < len(paths) <= MOST:
            return answer(lang, "picture.most" if paths else "picture.none", ok=False, n=MOST)
        try:
            sent = await asyncio.to_thread(read_pictures, paths)
        except PictureError as e:
            return answer(lang, e.code, ok=False, name=e.name)
        turn = Turn("", c.user_id, c.scope, text, c.at, c.tz, c.mode, c.origin, sent)
        return CommandOutcome(True, "", turn=turn)

    async def _retry(self, c: Command, lang: Lang) -> CommandOutcome:
        """Answer the last message again, in its own turn: what it teaches is learned once.

        `again`, of a front end that was interrupted here, also shows a reply that is there.
        """

        def find(tx: Transaction) -> Turn | None:
            said = tx.conversations.list_messages(scope=c.scope, limit=_NEWEST, newest=True)
            last = next((m for m in reversed(said) if m.role == "user" and m.turn_id), None)
            row = tx.conversations.get_turn(last.turn_id) if last and last.turn_id else None
            shown = c.args == "again"
            if last is None or row is None or (row.state == "done" and not shown):
                return None
            turn = Turn(row.id, c.user_id, c.scope, last.text, last.at, last.tz, c.mode, c.origin)
            return replace(turn, again=not shown)

        turn = await self.store.read(c.user_id, find)
        return CommandOutcome(True, "", turn=turn) if turn else answer(lang, "retry.none", ok=False)

    async def _help(self, c: Command, lang: Lang) -> CommandOutcome:
        lines = [f"- /{name} – {say(lang, f'help.{name}')}" for name in COMMANDS]
        tail = ["", say(lang, "help.tail")] if c.mode is WindowMode.NORMAL else []
        return CommandOutcome(True, "\n".join([say(lang, "help.head"), *lines, *tail]))

    _start = _help

    async def _quit(self, c: Command, lang: Lang) -> CommandOutcome:
        return CommandOutcome(True, "", quit=True)


def _make_look_back(c: Command) -> Turn:
    return Turn("", c.user_id, c.scope, c.args, c.at, c.tz, c.mode, c.origin, review=True)


def _withdraw_question(tx: Transaction, c: Command) -> bool:
    """Drop the question of what to forget that is the last thing that happened, if it is."""
    changed = next((s.at for s in tx.changes.list_undoable() if s.reason != "summarise"), None)
    dropped = False
    while (key := find_pending_choice(tx, c.scope, c.at)) and (asked := get_choice(tx, key, c.at)):
        at = asked[2].get("at") if asked[1] == "forget" else None
        if at is None or (changed is not None and datetime.fromisoformat(at) < changed):
            break
        dropped = take_choice(tx, key, c.at) is not None
    return dropped


def read_set_id(text: str) -> str | None:
    """Read which change set is meant; None is the last one."""
    plain = text.strip().strip("[]").lower()
    return None if plain in _LAST else plain


def is_night(set_id: str | None) -> bool:
    """Tell whether this names a night: by its date, while other ids have no hyphen."""
    return set_id is not None and "-" in set_id


def describe_act(reason: str, lang: Lang) -> str:
    """Say in words what an act was."""
    key = f"set.{reason}"
    return say(lang, key if key in say else "set.other")


def explain_conflict(e: Conflict, lang: Lang, undo: str = "/undo") -> str:
    """Say why a change cannot be taken back, and what to do first; `undo` is how that is typed."""
    key = {"undone": "undo.undone", "changed": "undo.conflict"}.get(e.code) if e.by else None
    return say(lang, key or "undo.erased", by=f"{undo} {e.by}")


async def list_undoable(memory: api.Memory, user_id: str, lang: Lang, now: datetime) -> list[str]:
    """List the acts that can be taken back, newest first, one a line."""
    lines = []
    for act, memories in await memory.list_undoable(user_id):
        texts = [" ".join(mark_quote(m, m.original_content).split()) for m in memories[:_NAMED]]
        some = "; ".join(t if len(t) <= _LONG else f"{t[: _LONG - 1]}…" for t in texts)
        more = f" +{len(memories) - _NAMED}" if len(memories) > _NAMED else ""
        what = describe_act(act.reason, lang) + words(lang, "colon")
        lines.append(f"[{act.id}] {format_age(act.at, now, lang)} · {what}{some}{more}")
    return lines
