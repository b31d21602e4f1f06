"""What was learned, told in the chat it was learned in.

It is small, silent, together, and has a way back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.chats.telegram.buttons import make_choice_rows, make_notice_row
from bot.chats.telegram.context import HandlerContext
from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.texts import say
from bot.reports import LearningTroubleNotice, describe_switch, read_out
from memory.errors import StoreError
from memory.models import Change, Json, Lang, Memory, State

log = logging.getLogger(__name__)
_LEARNED = frozenset({"monitor", "extract", "remember"})
# of what superseded another memory, the successor is named
_KEYS = {"created": "new", "negated": "denied", "deleted": "dropped", "forgotten": "dropped"}
_MOST = 8  # memories named in one notice
_TEXT = 200  # characters of each
_PAGE = 500  # changes


@dataclass
class LearningNotices:
    """Follows one user's changes.

    Where it stands is stored, so that a restart neither repeats nor skips.
    """

    context: HandlerContext
    user_id: str
    trouble: LearningTroubleNotice = field(default_factory=LearningTroubleNotice)

    async def run(self) -> None:
        """Tell what changes until cancelled, whatever goes wrong meanwhile."""
        while True:
            try:
                await self._follow()
            except StoreError as e:
                log.warning("changes cannot be followed: %s", e)
            except Exception as e:  # noqa: BLE001 - what is learned later is told all the same
                self.context.log_error("a notice failed", e)
            await asyncio.sleep(self.context.timing.retry_most)

    async def _follow(self) -> None:
        context, user_id, key = self.context, self.user_id, f"cursor:{self.user_id}"
        record = await context.state.read(key)
        if "seq" not in record:
            status = await context.agent.get_status(user_id, f"user:{user_id}", context.ebb.clock())
            record = {"seq": status.last_seq}
            await context.state.write(**{key: record})
        after = int(record["seq"])
        async for change in context.agent.subscribe(user_id, after):
            if change.seq > after:
                batch = await self._gather(change)
                after = batch[-1].seq
                await self._tell(batch)
                await context.state.write(**{key: {"seq": after}})

    async def _gather(self, first: Change) -> list[Change]:
        """Return the change, and what follows until nothing has for a moment."""
        out, more = [first], [first]
        while more:
            await asyncio.sleep(self.context.timing.notice)
            more = await self._list_after(out[-1].seq)
            out += more
        return out

    async def _list_after(self, seq: int) -> list[Change]:
        return await self.context.ebb.store.read(
            self.user_id, lambda tx: tx.changes.list_changes(after=seq, limit=_PAGE)
        )

    # --- telling ---

    async def _tell(self, changes: Sequence[Change]) -> None:
        users = await self.context.people.list_users()
        own = next((int(i) for i, user_id in users.items() if user_id == self.user_id), None)
        if own is None:
            return  # they have been let go
        told: dict[int, list[Change]] = {}
        for change in changes:
            chat_id = self._find_chat(change.turn_id)
            if change.entity == "memory" and change.reason in _LEARNED and chat_id:
                told.setdefault(chat_id, []).append(change)
        lang = await self.context.detect_language(self.user_id)
        for chat_id, some in told.items():
            await self._tell_learned(Destination(chat_id, silent=True), some, lang)
        for change in changes:
            if change.entity == "job" and change.after is not None:
                await self._tell_job(Destination(own, silent=True), dict(change.after), lang)

    def _find_chat(self, turn_id: str | None) -> int | None:
        """Return the private chat of the turn: groups hear nothing of what is one person's own."""
        _, found, rest = (turn_id or "").partition(self.context.prefix)
        chat = rest.partition("-")[0]
        return int(chat) if found and chat.isdigit() else None

    async def _tell_learned(
        self, where: Destination, changes: Sequence[Change], lang: Lang
    ) -> None:
        ids = list(dict.fromkeys(c.entity_id for c in changes))
        memories = {m.id: m for m in await self.context.agent.get_memories(self.user_id, ids)}
        replaced = {old for m in memories.values() for old in m.supersedes}
        lines: dict[str, str] = {}
        for change in changes:
            m = memories.get(change.entity_id)
            if m is None or m.id in lines or m.id in replaced:
                continue
            if key := _find_key(change, m):
                lines[m.id] = say(lang, f"notice.{key}", text=_shorten(m))
        if lines:
            text = "\n\n".join(list(lines.values())[:_MOST])
            text += "\n\n…" if len(lines) > _MOST else ""
            sets = dict.fromkeys(c.set_id for c in changes)
            await self.context.show(where, text, make_notice_row(lines, sets, lang))

    async def _tell_job(self, where: Destination, job: dict[str, Json], lang: Lang) -> None:
        """Tell what a job came to, and that learning failed: once, until it works again."""
        context, text, kind = self.context, "", job.get("kind")
        if trouble := self.trouble.sentence(job, lang):
            text = f"🧠 {trouble}"
        elif job.get("state") != "done":
            return
        elif kind == "extract" and self.user_id in context.extracting:
            context.extracting.remove(self.user_id)
            new, updated = job.get("new") or 0, job.get("updated") or 0
            key = "notice.extract" if new or updated else "notice.extract.none"
            text = say(lang, key, new=new, updated=updated)
        elif kind == "mirror" and job.get("asks"):
            # Much is missing from MEMORY.md: only its owner knows what that means.
            outcome = await context.run_command("mirror", "", where, self.user_id, lang)
            if markup := make_choice_rows(outcome.choices):
                await context.show(where, outcome.text, markup)
        elif kind == "curve" and job.get("moved"):
            text = describe_switch(job, lang)
        elif kind == "quotes" and job.get("quotes"):
            text = read_out(job, lang)
        if text:
            await context.show(where, text)


def _find_key(change: Change, m: Memory) -> str | None:
    """Return how the change is told; None if it is not."""
    if m.quiet_at is not None:
        return None
    if change.op == "created" and m.state is not State.ACTIVE:
        return "proposed" if m.state is State.PROPOSED else None
    return "changed" if change.op == "created" and m.supersedes else _KEYS.get(change.op)


def _shorten(m: Memory) -> str:
    text = " ".join(m.shown_text.split())
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
