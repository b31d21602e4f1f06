"""Keep MEMORY.md and the store the same.

A person's edits are taken, then the file is written anew.

Every step may be the last one of this process. Edits and the digest of the file they came from are
one transaction, so that they are taken once. Each file carries its version, and the store knows
what every version showed, so that it does not matter whether the newest one ever reached the disk.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from memory import privacy
from memory.errors import NotFound, StoreError
from memory.jobs import Effect
from memory.learn.remember import Rememberer
from memory.mirror import files
from memory.mirror.apply import AppliedEdits, EditApplier
from memory.mirror.page import strip_own_comments
from memory.mirror.read import find_ids, parse
from memory.mirror.snapshot import MirrorSnapshot, take_snapshot
from memory.models import Job, Json, Lang, MemoryId, MirrorState
from memory.ports import Clock, Store, Transaction

log = logging.getLogger(__name__)
NAME: Final = "MEMORY"
POLL_SECONDS: Final = 1.0
_TRIES: Final = 40  # memories may be written one after another meanwhile
_LOOKED_AT: Final = 20  # new lines whose nearest memories are found before they are saved (by hand)


@dataclass(frozen=True, slots=True)
class MirrorPlace:
    """Where the files are, and how they are written.

    Language (None: that of the memories) and zone.
    """

    home: Path
    owner: str
    lang: Lang | None = None
    tz: str = "UTC"

    def path(self, user_id: str) -> Path:
        """Return the path of the user's file."""
        return self.home / (f"{NAME}.md" if user_id == self.owner else f"{NAME}.{user_id}.md")

    def users(self) -> list[str]:
        """Return the users who have files."""
        named = (
            p.name.removeprefix(f"{NAME}.").removesuffix(".md")
            for p in self.home.glob(f"{NAME}.*.md")
        )
        return [self.owner, *sorted(n for n in named if not f".{n}".endswith(".more"))]


@dataclass(slots=True)
class SyncReport:
    """What a look at the file came to."""

    applied: AppliedEdits = field(default_factory=AppliedEdits)
    wrote: bool = False
    asks: int = 0  # entries whose absence waits for an answer

    def result(self) -> Mapping[str, Json]:
        """Return a job's result: numbers, and no words."""
        a = self.applied
        done = {
            "new": len(a.new),
            "updated": len(a.edited),
            "deleted": len(a.deleted),
            "unread": a.unread,
        }
        if not any(done.values()) and not a.asked:
            return {"outcome": "nothing", "wrote": self.wrote}
        return {"outcome": "saved", **done, **({"asks": self.asks} if a.asked else {})}


@dataclass
class Mirror:
    """Keeps the files of one home.

    One at a time for each user, in this process; others are no danger.
    """

    store: Store
    rememberer: Rememberer
    place: MirrorPlace
    u: float
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _seals: dict[str, tuple[files.Seal | None, ...] | None] = field(default_factory=dict)

    def path(self, user_id: str) -> Path:
        """Return the path of the user's file."""
        return self.place.path(user_id)

    async def handle_job(self, job: Job, now: datetime) -> Effect:
        """Handle a `mirror` job."""
        report = await self.sync(job.user_id, now)

        def finish(tx: Transaction) -> Mapping[str, Json]:
            if report.applied.waiting:
                tx.jobs.enqueue_mirror_job(now)
            return report.result()

        return finish

    async def sync(self, user_id: str, now: datetime, *, clean: bool = False) -> SyncReport:
        """Take what the person changed, then write what has changed since.

        `clean`: leave nothing older in the backup. Raises OSError if the file cannot be read or
        written.
        """
        async with self._locks.setdefault(user_id, asyncio.Lock()):
            path, report = self.path(user_id), SyncReport()
            for _ in range(_TRIES):
                state, seq = await self.store.read(
                    user_id, lambda tx: (tx.mirror.get_state(), tx.changes.get_last_seq())
                )
                ours = frozenset({state.read, state.wrote} - {""}) if state else frozenset[str]()
                found = await asyncio.to_thread(files.read, path, ours)
                if any(found.seals) and found.digest not in ours:
                    await self._take(user_id, found, now, report.applied)
                elif state and not clean and _is_settled(state, found, seq):
                    return report  # nothing has changed on either side
                if await self._write(user_id, found, now, report, clean=clean):
                    return report
            raise OSError(f"{path} is written to all the time.")

    async def _take(
        self, user_id: str, found: files.MirrorFile, now: datetime, out: AppliedEdits
    ) -> None:
        out.waiting.clear()
        texts = [(x, n == 1) for n, x in enumerate((found.text, found.more)) if x is not None]
        named = {i for text, _ in texts for i in find_ids(text)}

        def find_known(tx: Transaction) -> set[MemoryId]:
            shown = tx.mirror.list_known_ids(named)
            return {*shown, *(m.id for m in tx.memories.get_many(sorted(named - shown)))}

        known = await self.store.read(user_id, find_known)
        docs = [(await asyncio.to_thread(parse, text, known), more) for text, more in texts]
        docs[0][0].held.update(b.id for doc, more in docs if more for b in doc.blocks if b.id)
        new = [b.text for doc, _ in docs for b in doc.blocks if b.id is None and not b.fault]
        some = dict.fromkeys(new if len(new) <= _LOOKED_AT else ())  # a job embeds the others
        looked = {text: await self.rememberer.find_nearest(user_id, text) for text in some}

        def write(tx: Transaction) -> None:
            state = tx.mirror.get_state()
            if state is not None and found.digest in {state.read, state.wrote}:
                return  # another process was quicker
            tz, u, begun = self.place.tz, self.u, None
            for doc, more in docs:
                applier = EditApplier(tx, doc, self.rememberer, looked, tz, u, now, out)
                applier.begun, applier.beside = begun, more
                applier.run(found.digest)
                begun = applier.begun

        await self.store.write(user_id, write)

    async def _write(
        self,
        user_id: str,
        found: files.MirrorFile,
        now: datetime,
        report: SyncReport,
        *,
        clean: bool,
    ) -> bool:
        """Write the files, unless they say so already: the second one first.

        Returns False if somebody has changed them, or the memories, meanwhile.
        """
        lang, tz, a = self.place.lang, self.place.tz, report.applied
        shot = await self.store.read(
            user_id, lambda tx: take_snapshot(tx, lang, tz, self.u, now, a.dropped, a.waiting)
        )
        report.asks = len(shot.asked)
        there = found.text is not None and not clean
        pairs = ((found.more or "", shot.more), (found.text or "", shot.text))
        same = all(strip_own_comments(a) == strip_own_comments(b) for a, b in pairs)
        if there and same and not shot.differs:
            self._seals[user_id] = found.seals
            return True
        if not await self.store.write(user_id, lambda tx: _begin(tx, shot)):
            return False
        own = shot.before is not None and found.digest == shot.before.wrote
        path, seals = self.path(user_id), list(found.seals)
        for n, to in ((1, files.find_more(path)), (0, path)):
            new, old = (shot.text, shot.more)[n], (found.text, found.more)[n]
            # What was forgotten, and a secret that the person wrote, is in no backup either.
            backup = new if clean or shot.gone else old
            if backup is old and old is not None and not own:
                backup = (await asyncio.to_thread(privacy.redact, old))[0]
            expected = found.seals[n]
            seal = await asyncio.to_thread(files.write, to, new, expected=expected, backup=backup)
            if seal is None:
                return False
            seals[n] = seal if new else None
        self._seals[user_id] = tuple(seals)
        report.wrote = True
        await self.store.write(user_id, lambda tx: _confirm(tx, shot))
        return True

    # --- for a person's other acts ---

    async def expunge(
        self, user_id: str, ids: Sequence[MemoryId], now: datetime
    ) -> Mapping[str, int]:
        """Write the file and its backup without purged memories.

        Returns from how many entries of each they went.
        """
        path = self.path(user_id)
        counts = {"mirror": 0, "mirror_backups": 0}
        for shown in (path, files.find_more(path)):
            for name, place in zip(
                counts, (shown, shown.with_name(shown.name + ".bak")), strict=True
            ):
                with suppress(OSError):
                    text = files.decode_file(await asyncio.to_thread(place.read_bytes))
                    counts[name] += sum(f"[{i}]" in text for i in ids)
        await self.sync(user_id, now, clean=True)
        return counts

    async def sweep(self) -> None:
        """Remove half-written files of killed processes, which may hold what was purged."""
        await asyncio.to_thread(files.remove_leftovers, self.place.home)

    @asynccontextmanager
    async def watch_files(self, clock: Clock, kick: Callable[[], None]) -> AsyncIterator[None]:
        """Look at every file now, and watch for saves while this is open.

        Whoever saves one finds it taken after a second or two.
        """
        for user_id in await self.store.write_system(lambda s: s.users()):
            await self._look(user_id, clock)
        kick()
        task = asyncio.create_task(self._watch(clock, kick), name="ebb-mirror")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _watch(self, clock: Clock, kick: Callable[[], None]) -> None:
        await self.sweep()
        while True:
            for user_id in self.place.users():
                seals = await asyncio.to_thread(files.seals_of, self.path(user_id))
                if seals != self._seals.setdefault(user_id, seals):
                    self._seals[user_id] = seals
                    await self._look(user_id, clock)
                    kick()
            await asyncio.sleep(POLL_SECONDS)

    async def _look(self, user_id: str, clock: Clock) -> None:
        try:
            await self.store.write(user_id, lambda tx: tx.jobs.enqueue_mirror_job(clock()))
        except NotFound:
            log.info("a file is named after nobody")
        except StoreError as e:
            log.warning("a changed file is looked at later: %s", e)
            self._seals[user_id] = None


def _is_settled(state: MirrorState, found: files.MirrorFile, seq: int) -> bool:
    told = (found.digest, seq) == (state.wrote, state.seq)
    return told and state.confirmed and state.asking is None


def _begin(tx: Transaction, shot: MirrorSnapshot) -> bool:
    """Note what the file will show, if the memories are what they were."""
    state = tx.mirror.get_state() or shot.before
    if tx.changes.get_last_seq() != shot.state.seq or state != shot.before:
        return False
    tx.mirror.write(shot.state.version, shot.shown)
    tx.mirror.put_state(shot.state)
    return True


def _confirm(tx: Transaction, shot: MirrorSnapshot) -> None:
    state = tx.mirror.get_state()
    if state is not None and state.version == shot.state.version:
        tx.mirror.put_state(replace(state, confirmed=True))
