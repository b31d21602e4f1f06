"""Keep a window true to the store: what is learned, said, closed or finished by any process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.events import Status, WindowMode
from bot.reports import LearningTroubleNotice, describe_switch, read_out
from bot.texts import join
from memory.errors import MemoryError_
from memory.models import Change, Json
from tui.connection import AgentConnection
from tui.widgets.conversation import Conversation
from tui.widgets.memory_line import GONE, NOTICED, LearnedChange, list_learned
from tui.widgets.panel import LearningNotice, MemoryPanel
from tui.words import WindowLanguage

log = logging.getLogger(__name__)
PAGE = 60  # messages read at a time
GATHER = 0.08  # seconds in which changes are taken together
AGAIN = 1.0  # seconds before a store that was busy is asked again
# answered by the command itself
ASKED_FOR = frozenset({"remember", "forget", "undo", "edit", "pin", "restore"})
# said in one sentence, when they are done
BEHIND = frozenset({"extract", "quotes", "summarise", "upkeep", "night", "derive"})
# what a night may have come to
NIGHT = ("levelled", "forgotten", "promoted", "merged", "changed", "asked", "derived", "held")


@dataclass
class ChangeFollower:
    """Takes changes as they are committed, and looks at the header's figures now and then.

    `show` takes these figures; `writing` tells whether this window's reply is coming in.
    """

    link: AgentConnection
    voice: WindowLanguage
    conversation: Conversation
    panel: MemoryPanel
    show: Callable[[Status], None]
    writing: Callable[[], bool]
    _changes: list[Change] = field(default_factory=list)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _refreshing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _status: Status | None = None
    _trouble: LearningTroubleNotice = field(default_factory=LearningTroubleNotice)

    def begin(self, status: Status) -> None:
        """Begin with what the window was filled with."""
        self._status = status
        self.show(status)

    async def listen(self, after: int) -> None:
        """Hear of every change after `after`; ask a store that cannot be read again from there."""
        while True:
            try:
                async for change in self.link.agent.subscribe(self.link.ebb.owner, after):
                    after = change.seq
                    self._changes.append(change)
                    self._arrived.set()
            except MemoryError_ as error:
                log.warning("changes could not be read: %s", error)
            await asyncio.sleep(AGAIN)

    async def work(self) -> None:
        """Show what was heard, a moment's changes at once."""
        while True:
            await self._arrived.wait()
            await asyncio.sleep(GATHER)
            self._arrived.clear()
            changes, self._changes = self._changes, []
            try:
                await self._take(changes)
            except MemoryError_ as error:  # not shown this time; the next look at the store has it
                log.warning("changes could not be shown: %s", error)

    async def _take(self, changes: Sequence[Change]) -> None:
        found = await self.link.memories(
            list({c.entity_id: None for c in changes if c.entity == "memory"})
        )
        self.panel.take(found)
        loud = {i: m for i, m in found.items() if m.quiet_at is None}
        # A night moves hundreds; it is told as a whole.
        items = list_learned([c for c in changes if c.reason not in {"upkeep", "night"}], loud)
        if gone := {c.entity_id for c in changes if c.entity == "memory" and c.op in GONE}:
            self.panel.drop(gone)
            for notice in self.conversation.query(LearningNotice):
                notice.drop(memory_ids=gone)
        if items:
            await self.panel.learned(items)
            await self._notice(items, {c.set_id: c.reason for c in changes})
        for change in changes:
            if change.entity == "job":
                await self._tell_job(change.after or {})
        said = {"message", "session", "turn"}
        if gone or any(c.entity in said or c.op == "restored" for c in changes):
            await self.refresh()
        await self.look()

    async def _notice(self, items: Sequence[LearnedChange], reasons: Mapping[str, str]) -> None:
        """Show what was learned under the reply it came from; a command tells its own."""
        by_turn: dict[str | None, list[LearnedChange]] = {}
        for item in items:
            reason = reasons.get(item.set_id)
            told = reason in BEHIND or (item.turn_id is None and reason in ASKED_FOR)
            if item.effect in NOTICED and not told:
                by_turn.setdefault(item.turn_id, []).append(item)
        for turn_id, some in by_turn.items():
            await self.conversation.notice(some, turn_id)

    async def _tell_job(self, job: Mapping[str, Json]) -> None:
        """Say how background work ended, where that is worth a word."""
        note, lang = self.conversation.note, self.voice.lang
        if trouble := self._trouble.sentence(job, lang):
            await note(trouble, ok=False)
        match job.get("kind"):
            case "upkeep" if job.get("state") == "done":
                done = [(name, int(job.get(name) or 0)) for name in NIGHT]
                if parts := [self.voice(f"night.{name}", n=n) for name, n in done if n]:
                    await note(self.voice("night", what=join(parts, lang)))
            case "curve" if job.get("moved"):
                await note(describe_switch(job, lang))
            case "quotes" if job.get("quotes"):
                await note(read_out(job, lang))
            case "mirror" if job.get("asks"):
                outcome = await self.link.command("mirror")
                if outcome.choices:
                    await note(outcome.text)
                    await self.conversation.choose(outcome.choices)
            case "extract" if job.get("state") == "done":
                counts = {name: int(job.get(name) or 0) for name in ("new", "updated")}
                session = (job.get("payload") or {}).get("session_id")
                # A compaction of the open session, not the end of another one.
                here = self._status is not None and session == self._status.session_id
                if any(counts.values()):
                    await note(self.voice("extracted.here" if here else "extracted", **counts))
                elif not here:
                    await note(self.voice("extracted.nothing"))

    async def look(self) -> None:
        """Read the header's figures; another window may have spoken, or closed the session."""
        if not self.link.is_open:
            return
        try:
            before, now = self._status, await self.link.status()
        except MemoryError_ as error:  # busy: the next look comes soon
            log.warning("the status could not be read: %s", error)
            return
        self.begin(now)
        if before is None or self.link.mode is not WindowMode.NORMAL:
            return
        if now.session_id is not None and now.session_id != before.session_id:
            await self.conversation.enter_session(now.session_id, self.link.ebb.clock())
        moved = (before.messages, before.session_id, before.writing_elsewhere)
        if moved != (now.messages, now.session_id, now.writing_elsewhere) and not self.writing():
            await self.refresh()

    async def refresh(self) -> None:
        """Make the screen agree with the store."""
        async with self._refreshing:  # what was read first must not be shown last
            if self.link.mode is WindowMode.NORMAL:
                shown = self.conversation.stored
                await self.conversation.reconcile(await self.link.history(max(PAGE, shown + 20)))
