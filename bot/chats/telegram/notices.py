"""What was learned, said in the chat it was learned in: small, silent, together, and with a way back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from bot.chats.telegram import keyboards
from bot.chats.telegram.desk import HandlerContext
from bot.chats.telegram.outbox import ChatGone, Destination
from bot.chats.telegram.render import render_plain
from bot.chats.telegram.texts import say
from bot.events import Command
from bot.reports import LearningTroubleNotice, describe_switch, read_out
from memory.errors import StoreError
from memory.models import Change, Json, Lang, Memory, State

log = logging.getLogger(__name__)
_LEARNED = frozenset({"monitor", "extract", "remember"})
_KEYS = {
    "created": "notice.new",
    "superseded": "notice.changed",
    "negated": "notice.denied",
    "deleted": "notice.dropped",
    "forgotten": "notice.dropped",
}
_MOST = 8  # memories named in one notice
_TEXT = 200


class LearningNotices:
    """Follows one user's changes.

    Where it stands is stored, so that a restart neither repeats nor skips.
    """

    def __init__(self, desk: HandlerContext, user_id: str) -> None:
        self._desk = desk
        self._user_id = user_id
        self._trouble = LearningTroubleNotice()

    async def run(self) -> None:
        """Until cancelled. A store that is in the way for a while is waited for."""
        while True:
            try:
                await self._follow(await self._cursor())
            except StoreError as e:
                log.warning("changes cannot be followed: %s", e)
            await asyncio.sleep(self._desk.tuning.retry_most)

    async def _cursor(self) -> int:
        record = await self._desk.journal.record(f"cursor:{self._user_id}")
        if "seq" in record:
            return int(record["seq"])
        now = self._desk.ebb.clock()
        seq = (
            await self._desk.agent.get_status(self._user_id, f"user:{self._user_id}", now)
        ).last_seq
        await self._desk.journal.write(**{f"cursor:{self._user_id}": {"seq": seq}})
        return seq

    async def _follow(self, after: int) -> None:
        changes: AsyncIterator[Change] = self._desk.agent.subscribe(self._user_id, after)
        queue: asyncio.Queue[Change] = asyncio.Queue()

        async def fill() -> None:
            async for change in changes:
                queue.put_nowait(change)

        filling = asyncio.create_task(fill(), name=f"telegram-changes-{self._user_id}")
        try:
            while not filling.done():
                first = await self._next(queue, filling)
                if first is not None:
                    await self._tell(await self._together(first, queue))
            filling.result()
        finally:
            filling.cancel()
            with suppress(asyncio.CancelledError, StoreError):
                await filling

    async def _next(
        self, queue: asyncio.Queue[Change], filling: asyncio.Task[None]
    ) -> Change | None:
        getting = asyncio.create_task(queue.get())
        try:
            await asyncio.wait({getting, filling}, return_when=asyncio.FIRST_COMPLETED)
            return getting.result() if getting.done() else None
        finally:
            getting.cancel()

    async def _together(self, first: Change, queue: asyncio.Queue[Change]) -> list[Change]:
        """It, and what follows until nothing has for a moment."""
        out = [first]
        with suppress(TimeoutError):
            while True:
                async with asyncio.timeout(
                    self._desk.tuning.notice
                ):  # `wait_for` of 3.11 may lose a cancellation
                    out.append(await queue.get())
        return out

    # --- telling ---

    async def _tell(self, changes: Sequence[Change]) -> None:
        told: dict[int, list[Change]] = {}
        for change in changes:
            chat_id = self._chat_of(change.turn_id)
            if (
                change.entity == "memory"
                and change.reason in _LEARNED
                and change.op in _KEYS
                and chat_id
            ):
                told.setdefault(chat_id, []).append(change)
        if self._user_id in set(
            (await self._desk.door.people()).values()
        ):  # else they have been let go
            for chat_id, some in told.items():
                await self._learned(Destination(chat_id), some)
        for change in changes:
            if change.entity == "job" and change.after is not None:
                await self._job_ended(dict(change.after))
        await self._desk.journal.write(**{f"cursor:{self._user_id}": {"seq": changes[-1].seq}})

    def _chat_of(self, turn_id: str | None) -> int | None:
        """The private chat that the turn was in.

        In a group nothing is said of what is one person's own.
        """
        prefix = f"tg-{self._desk.me.id}-"
        if turn_id is None or not turn_id.startswith(prefix):
            return None
        chat = turn_id[len(prefix) :].partition("-")[0]
        return int(chat) if chat.isdigit() else None

    async def _learned(self, where: Destination, changes: Sequence[Change]) -> None:
        lang = await self._desk.language(self._user_id, None)
        ids = list(dict.fromkeys(c.entity_id for c in changes))
        memories = {m.id: m for m in await self._desk.agent.get_memories(self._user_id, ids)}
        replaced = {old for m in memories.values() for old in m.supersedes}
        lines, named = [], []
        for change in changes:
            m = memories.get(change.entity_id)
            if m is None or m.id in named or m.id in replaced:
                continue
            key = _key(change, m)
            if key is not None:
                lines.append(say(lang, key, text=_short(m)))
                named.append(m.id)
        if not lines:
            return
        if len(lines) > _MOST:
            lines[_MOST:] = ["…"]
        sets = dict.fromkeys(c.set_id for c in changes)
        await self._say(where, "\n\n".join(lines), named[:_MOST], sets, lang)

    async def _job_ended(self, job: dict[str, Json]) -> None:
        """An extraction that somebody waits for, or learning that failed: said once until it works again."""
        lang = await self._desk.language(self._user_id, None)
        state, kind = job.get("state"), job.get("kind")
        if trouble := self._trouble.sentence(job, lang):
            if (chat_id := await self._own_chat()) is not None:
                await self._say(Destination(chat_id), f"🧠 {trouble}", (), (), lang)
        elif state == "done":
            waiting = self._desk.extracting.get(self._user_id)
            if kind == "extract" and waiting:
                new, updated = job.get("new") or 0, job.get("updated") or 0
                key = "notice.extract" if new or updated else "notice.extract.none"
                await self._say(
                    waiting.pop(0), say(lang, key, new=new, updated=updated), (), (), lang
                )
            if kind == "mirror" and job.get("asks"):
                await self._ask_of_mirror(lang)
            elif (
                kind == "curve"
                and job.get("moved")
                and (chat_id := await self._own_chat()) is not None
            ):
                await self._say(Destination(chat_id), describe_switch(job, lang), (), (), lang)
            elif (
                kind == "quotes"
                and job.get("quotes")
                and (chat_id := await self._own_chat()) is not None
            ):
                await self._say(Destination(chat_id), read_out(job, lang), (), (), lang)

    async def _ask_of_mirror(self, lang: Lang) -> None:
        """Much is missing from MEMORY.md: only its owner knows what that means."""
        chat_id, ebb = await self._own_chat(), self._desk.ebb
        if chat_id is None:
            return
        scope = f"user:{self._user_id}"
        command = Command(
            "mirror", "", self._user_id, scope, "telegram", ebb.clock(), ebb.tz, lang=lang
        )
        outcome = await self._desk.agent.run_command(command)
        if not outcome.choices:
            return
        markup, pieces = keyboards.make_choice_rows(outcome.choices), render_plain(outcome.text)
        with suppress(ChatGone):
            for piece in pieces:
                await self._desk.outbox.send(
                    Destination(chat_id),
                    piece,
                    markup if piece is pieces[-1] else None,
                    silent=True,
                )

    async def _own_chat(self) -> int | None:
        people = await self._desk.door.people()
        return next((int(t) for t, user_id in people.items() if user_id == self._user_id), None)

    async def _say(
        self, where: Destination, text: str, ids: Sequence[str], sets: object, lang: Lang
    ) -> None:
        markup = (
            keyboards.make_notice_row(ids, sets, lang) if ids and isinstance(sets, dict) else None
        )
        pieces = render_plain(text)
        await self._desk.recall_sent(where.chat_id)
        try:
            for piece in pieces:
                await self._desk.outbox.send(
                    where, piece, markup if piece is pieces[-1] else None, silent=True
                )
        except ChatGone:
            log.info("a chat is gone")


def _key(change: Change, m: Memory) -> str | None:
    if m.quiet_at is not None:
        return None
    if change.op == "created":
        if m.state is State.PROPOSED:
            return "notice.proposed"
        if m.state is not State.ACTIVE:
            return None
        return "notice.changed" if m.supersedes else "notice.new"
    if change.op == "superseded":
        return None  # its successor is named
    return _KEYS[change.op]


def _short(m: Memory) -> str:
    text = " ".join(m.content.split())
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
