"""Keeping a window true to the store: what is learned, said elsewhere, closed or finished, by whichever process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence

from bot.events import Status, WindowMode
from bot.reports import LearningTroubleNotice, describe_switch, read_out
from bot.texts import join
from memory.errors import MemoryError_
from memory.models import Change, Json
from tui.connection import AgentConnection
from tui.language import WindowLanguage
from tui.widgets.conversation import Conversation
from tui.widgets.dividers import ChoiceList
from tui.widgets.memory_line import GONE, NOTICED, LearnedChange, list_learned
from tui.widgets.notice import LearningNotice
from tui.widgets.panel import MemoryPanel

log = logging.getLogger(__name__)
PAGE = 60  # messages read at a time
GATHER = 0.08  # seconds in which changes are taken together
AGAIN = 1.0  # seconds before a store that was busy is asked again
ASKED_FOR = frozenset(
    {"remember", "forget", "undo", "edit", "pin", "restore"}
)  # answered by the command itself
BEHIND = frozenset(
    {"extract", "quotes", "summarise", "upkeep", "derive"}
)  # said in one sentence, when they are done
NIGHT = (
    "levelled",
    "forgotten",
    "promoted",
    "merged",
    "derived",
    "clashes",
)  # what a night may have come to
HIDES = GONE | {"restored"}


class ChangeFollower:
    """Takes changes as they are committed, and looks at the header's figures now and then."""

    def __init__(
        self,
        link: AgentConnection,
        voice: WindowLanguage,
        conversation: Conversation,
        panel: MemoryPanel,
        show: Callable[[Status], None],
        writing: Callable[[], bool],
    ) -> None:
        self._link = link
        self._voice = voice
        self._conversation = conversation
        self._panel = panel
        self._show = show
        self._writing = writing
        self._changes: list[Change] = []
        self._arrived = asyncio.Event()
        self._refreshing = asyncio.Lock()
        self._status: Status | None = None
        self._trouble = LearningTroubleNotice()

    def begin(self, status: Status) -> None:
        """What the window was filled with."""
        self._status = status
        self._show(status)

    async def listen(self, after: int) -> None:
        """Hear of every change after `after`; a store that cannot be read is asked again from there."""
        while True:
            try:
                async for change in self._link.agent.subscribe(self._link.ebb.owner, after):
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
        ids = list(dict.fromkeys(c.entity_id for c in changes if c.entity == "memory"))
        told = [
            c for c in changes if c.reason != "upkeep"
        ]  # a night moves hundreds; it is told as a whole
        items = list_learned(
            told, {i: m for i, m in (await self._link.memories(ids)).items() if m.quiet_at is None}
        )
        if gone := {c.entity_id for c in changes if c.entity == "memory" and c.op in GONE}:
            self._panel.drop(gone)
            for notice in self._conversation.query(LearningNotice):
                notice.drop(memory_ids=gone)
        if items:
            await self._panel.learned(items)
            await self._notices(items, {c.set_id: c.reason for c in changes})
        for change in changes:
            if change.entity == "job":
                await self._job(change)
        if any(c.entity in ("message", "session", "turn") or c.op in HIDES for c in changes):
            await self.refresh()
        await self.look()

    async def _notices(self, items: Sequence[LearnedChange], reasons: dict[str, str]) -> None:
        """Under the reply it came from; what a command did is said by the command."""
        by_turn: dict[str | None, list[LearnedChange]] = {}
        for item in items:
            reason = reasons.get(item.set_id)
            said = (item.turn_id is None and reason in ASKED_FOR) or reason in BEHIND
            if item.effect in NOTICED and not said:
                by_turn.setdefault(item.turn_id, []).append(item)
        for turn_id, some in by_turn.items():
            await self._conversation.notice(some, turn_id)

    async def _job(self, change: Change) -> None:
        """How background work ended, where that is worth a word."""
        after = change.after or {}
        if trouble := self._trouble.sentence(after, self._voice.lang):
            await self._conversation.note(trouble, ok=False)
        if after.get("kind") == "upkeep":
            await self._night(after)
        elif after.get("kind") == "curve" and after.get("moved"):
            await self._conversation.note(describe_switch(after, self._voice.lang))
        elif after.get("kind") == "quotes" and after.get("quotes"):
            await self._conversation.note(read_out(after, self._voice.lang))
        elif after.get("kind") == "mirror" and after.get("asks"):
            outcome = await self._link.command("mirror")
            if outcome.choices:
                await self._conversation.note(outcome.text)
                await self._conversation.choose(ChoiceList(outcome.choices))
        elif after.get("kind") == "extract" and after.get("state") == "done":
            new, updated = int(after.get("new") or 0), int(after.get("updated") or 0)
            session = (after.get("payload") or {}).get("session_id")
            here = (
                self._status is not None and session == self._status.session_id
            )  # a compaction, not an end
            if new or updated:
                key = "extracted.here" if here else "extracted"
                await self._conversation.note(self._voice(key, new=new, updated=updated))
            elif not here:
                await self._conversation.note(self._voice("extracted.nothing"))

    async def _night(self, after: Mapping[str, Json]) -> None:
        """What the night's upkeep came to, if it came to anything."""
        done = [(name, int(after.get(name) or 0)) for name in NIGHT]
        parts = [self._voice(f"night.{name}", n=n) for name, n in done if n]
        if after.get("state") == "done" and parts:
            await self._conversation.note(self._voice("night", what=join(parts, self._voice.lang)))

    async def look(self) -> None:
        """At the header's figures; another window may have spoken, or closed the session."""
        if not self._link.is_open:
            return
        try:
            before, self._status = self._status, await self._link.status()
        except MemoryError_ as error:  # busy: the next look comes soon
            log.warning("the status could not be read: %s", error)
            return
        now = self._status
        self._show(now)
        if before is None or self._link.mode is not WindowMode.NORMAL:
            return
        if now.session_id is not None and now.session_id != before.session_id:
            await self._conversation.enter_session(now.session_id, self._link.ebb.clock())
        moved = (before.messages, before.session_id, before.writing_elsewhere)
        if moved != (now.messages, now.session_id, now.writing_elsewhere) and not self._writing():
            await self.refresh()

    async def refresh(self) -> None:
        """Make the screen agree with the store."""
        async with self._refreshing:  # what was read first must not be shown last
            if self._link.mode is WindowMode.NORMAL:
                shown = self._conversation.stored
                await self._conversation.reconcile(await self._link.history(max(PAGE, shown + 20)))
