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
from memory.mirror.merge import MergePlan
from memory.mirror.page import MirrorDocument, split_lines, strip_own_comments
from memory.mirror.read import find_ids, parse
from memory.mirror.snapshot import MirrorSnapshot, plan_merge, take_snapshot
from memory.models import Job, Json, Lang, MemoryId, MirrorState
from memory.ports import Clock, Store, Transaction

log = logging.getLogger(__name__)
NAME: Final = "MEMORY"
POLL_SECONDS: Final = 1.0
LEFT_SECONDS: Final = 5.0  # no writing takes so long
_TRIES: Final = 8


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
        return [self.owner, *sorted(named)]


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


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """The file as it was found, and what it says where that had to be read."""

    found: files.MirrorFile
    doc: MirrorDocument | None


class Mirror:
    """Keeps the files of one home.

    One at a time for each user, in this process; others are no danger.
    """

    def __init__(
        self, store: Store, rememberer: Rememberer, place: MirrorPlace, *, u: float
    ) -> None:
        self._store = store
        self._rememberer = rememberer
        self._place = place
        self._u = u
        self._locks: dict[str, asyncio.Lock] = {}
        self._seals: dict[str, files.Seal | None] = {}
        self._moving: dict[str, files.Seal | None] = {}

    def path(self, user_id: str) -> Path:
        """Return the path of the user's file."""
        return self._place.path(user_id)

    async def handle_job(self, job: Job, now: datetime) -> Effect:
        """Handle a `mirror` job."""
        report = await self.sync(job.user_id, now)
        return lambda _tx: report.result()

    async def sync(self, user_id: str, now: datetime, *, clean: bool = False) -> SyncReport:
        """Take what the person changed, then write what has changed since. `clean`: the backup as
        well.

        Raises OSError if the file cannot be read or written.
        """
        async with self._locks.setdefault(user_id, asyncio.Lock()):
            path, report = self.path(user_id), SyncReport()
            for attempt in range(_TRIES):
                state, seq = await self._store.read(
                    user_id, lambda tx: (tx.mirror.get_state(), tx.changes.get_last_seq())
                )
                ours = frozenset({state.read, state.wrote} - {""}) if state else frozenset[str]()
                found = await asyncio.to_thread(files.read, path, ours, self._place.lang or "en")
                if (
                    found is not None
                    and state is not None
                    and not clean
                    and _settled(state, found, seq)
                ):
                    return report
                doc = None
                if found is not None and found.digest not in ours:
                    doc = await self._parsed(user_id, found.text)
                    report.applied += await self._take(user_id, found.digest, doc, now)
                seen = None if found is None else _ReadFile(found, doc)
                if await self._write(
                    user_id, seen, now, report, clean=clean, inside=attempt > _TRIES // 2
                ):
                    return report
            raise OSError(f"{path} is written to all the time.")

    # --- taking edits ---

    async def _take(
        self, user_id: str, digest: str, doc: MirrorDocument, now: datetime
    ) -> AppliedEdits:
        first = await self._store.read(user_id, lambda tx: plan_merge(tx, doc))
        looked = {
            text: await self._rememberer.find_nearest(user_id, text) for text in _texts(first.plan)
        }

        def write(tx: Transaction) -> AppliedEdits:
            state = tx.mirror.get_state()
            if state is not None and digest in {state.read, state.wrote}:
                return AppliedEdits()  # another process was quicker
            taking = EditApplier(tx, doc, self._rememberer, looked, self._place.tz, self._u, now)
            return taking.run(digest, first)

        return await self._store.write(user_id, write)

    async def _parsed(self, user_id: str, text: str) -> MirrorDocument:
        named = find_ids(text)

        def ids(tx: Transaction) -> set[MemoryId]:
            return {
                *tx.mirror.list_known_ids(named),
                *(m.id for m in tx.memories.get_many(sorted(named))),
            }

        known = await self._store.read(user_id, ids)
        return await asyncio.to_thread(parse, text, known)

    # --- writing ---

    async def _write(
        self,
        user_id: str,
        seen: _ReadFile | None,
        now: datetime,
        report: SyncReport,
        *,
        clean: bool,
        inside: bool,
    ) -> bool:
        """Whether the file is as it should be now; False if somebody has changed it, or the
        memories, meanwhile.

        `inside`: look at the memories inside the write itself, where nobody can change them.
        """

        def look(tx: Transaction) -> MirrorSnapshot:
            dropped = report.applied.dropped
            shot = take_snapshot(tx, self._place.lang, self._place.tz, self._u, now, dropped)
            if inside:
                _begin(tx, shot)
            return shot

        looking = self._store.write if inside else self._store.read
        shot = await looking(user_id, look)
        report.asks = len(shot.asked)
        found = seen.found if seen is not None else None
        if (
            found is not None
            and not clean
            and not shot.differs
            and strip_own_comments(found.text) == strip_own_comments(shot.text)
        ):
            self._seals[user_id] = found.seal
            return True
        backup = await self._backup(user_id, seen, shot) if seen is not None else None
        backup = shot.text if clean else backup
        if not inside and not await self._store.write(user_id, lambda tx: _begin(tx, shot)):
            return False
        seal = await asyncio.to_thread(
            files.write,
            self.path(user_id),
            shot.text,
            expected=found.seal if found else None,
            backup=backup,
        )
        if seal is None:
            return False
        self._seals[user_id] = seal
        report.wrote = True
        await self._store.write(user_id, lambda tx: _confirm(tx, shot))
        return True

    async def _backup(self, user_id: str, seen: _ReadFile, shot: MirrorSnapshot) -> str:
        """Return the file as it was, without what was forgotten since.

        What should never have been in it is left out too.
        """
        found, doc = seen.found, seen.doc
        if not shot.gone and shot.before is not None and found.digest == shot.before.wrote:
            return found.text
        doc = doc or await self._parsed(user_id, found.text)
        return await asyncio.to_thread(_presentable, found.text, doc, shot)

    # --- for a person's other acts ---

    async def expunge(
        self, user_id: str, ids: Sequence[MemoryId], now: datetime
    ) -> Mapping[str, int]:
        """Write the file and its backup without purged memories.

        Returns from how many entries of each they went.
        """
        path = self.path(user_id)
        places = {"mirror": path, "mirror_backups": path.with_name(path.name + ".bak")}
        counts = {name: await asyncio.to_thread(_holding, p, ids) for name, p in places.items()}
        await self.sync(user_id, now, clean=True)
        return counts

    async def sweep(self) -> None:
        """Remove half-written files of killed processes.

        They may hold what was purged. Those at work are younger.
        """
        await asyncio.to_thread(files.remove_leftovers, self._place.home, LEFT_SECONDS)

    def list_edited(self) -> list[str]:
        """List users whose file somebody else has written and finished.

        Looks at files, never reads them.
        """
        out = []
        for user_id in self._place.users():
            seal = files.seal_of(self.path(user_id))
            if user_id not in self._seals or seal == self._seals[user_id]:
                self._seals.setdefault(user_id, seal)
                self._moving.pop(user_id, None)
            elif self._moving.get(user_id, ()) == seal:
                self._seals[user_id] = self._moving.pop(user_id)
                out.append(user_id)
            else:
                self._moving[user_id] = seal
        return out

    @asynccontextmanager
    async def watch_files(self, clock: Clock, kick: Callable[[], None]) -> AsyncIterator[None]:
        """Look at every file now, and watch for saves while this is open.

        Whoever saves one finds it taken after a second or two.
        """
        for user_id in await self._store.write_system(lambda s: s.users()):
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
        await asyncio.to_thread(files.remove_leftovers, self._place.home)
        while True:
            for user_id in await asyncio.to_thread(self.list_edited):
                await self._look(user_id, clock)
                kick()
            await asyncio.sleep(POLL_SECONDS)

    async def _look(self, user_id: str, clock: Clock) -> None:
        try:
            await self._store.write(user_id, lambda tx: tx.jobs.enqueue_mirror_job(clock()))
        except NotFound:
            log.info("a file is named after nobody")
        except StoreError as e:
            log.warning("a changed file is looked at later: %s", e)
            self._seals[user_id] = None


def _settled(state: MirrorState, found: files.MirrorFile, seq: int) -> bool:
    """Whether nothing has changed on either side since the file was written."""
    ours = found.digest == state.wrote and state.confirmed
    return ours and seq == state.seq and state.asking is None


def _texts(plan: MergePlan) -> dict[str, None]:
    """Return what may become a memory of its own."""
    others = [*(e.text for e in plan.edits), *(n.block.raw for n in plan.new), *plan.unread]
    return dict.fromkeys(
        [
            *(n.text for n in plan.new),
            *(t for t in others if privacy.redact(t)[1] and not files.is_damaged(t)),
        ]
    )


def _presentable(text: str, doc: MirrorDocument, shot: MirrorSnapshot) -> str:
    """Without entries that are gone, and without secrets.

    What stands in the store as it does here is neither.
    """
    ours = {
        n
        for b in doc.blocks
        if b.id is not None and shot.says.get(b.id) == b.text
        for n in range(*b.lines)
    }
    unwanted = {
        n
        for b in doc.blocks
        if b.id in shot.gone or (b.lines[0] not in ours and privacy.redact(b.raw)[1])
        for n in range(*b.lines)
    }
    out: list[str] = []
    run: list[str] = []
    for n, line in enumerate(split_lines(text)):
        if n in unwanted:
            continue
        if n not in ours:
            run.append(line)
            continue
        if run:
            out.append(privacy.redact("\n".join(run))[0])
            run = []
        out.append(line)
    return "\n".join([*out, *([privacy.redact("\n".join(run))[0]] if run else [])])


def _holding(path: Path, ids: Sequence[MemoryId]) -> int:
    try:
        text = files.decode_file(path.read_bytes(), "en")
    except OSError:
        return 0
    return sum(b.id in set(ids) for b in parse(text, frozenset(ids)).blocks)


def _begin(tx: Transaction, shot: MirrorSnapshot) -> bool:
    """Write down what the file is going to show, if the memories are still what they were."""
    if (
        tx.changes.get_last_seq() != shot.state.seq
        or (tx.mirror.get_state() or shot.before) != shot.before
    ):
        return False
    tx.mirror.write(shot.state.version, shot.shown)
    tx.mirror.put_state(shot.state)
    return True


def _confirm(tx: Transaction, shot: MirrorSnapshot) -> None:
    state: MirrorState | None = tx.mirror.get_state()
    if state is not None and state.version == shot.state.version:
        tx.mirror.put_state(replace(state, confirmed=True))


__all__ = ["Mirror", "MirrorPlace", "SyncReport"]
