"""Export and import over a store: the rehearsal first, then one write that is whole or not at all."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from memory import privacy
from memory.ports import Store, Transaction
from memory.transfer.formats import ImportFile
from memory.transfer.import_others import DryRunDone, ImportCounts, take
from memory.transfer.jsonl import ExportCounts, JsonlImport, Lines, export


@dataclass(frozen=True, slots=True)
class Transfer:
    """What the service offers of files."""

    store: Store
    key: bytes | None
    curve: str
    u: float

    async def export(
        self, user_id: str, write: Callable[[str], object], *, secrets: bool = False
    ) -> ExportCounts:
        """Hand every line to `write`, all of one moment; it is called in a thread of the store's."""
        return await self.store.read(user_id, lambda tx: export(tx, write, secrets=secrets))

    async def bring(
        self, user_id: str, lines: Lines, now: datetime, *, dry_run: bool = False
    ) -> ImportCounts:
        """Take an export of Ebb's.

        `lines` gives the file from its beginning each time. Raises Unreadable.
        """
        work = JsonlImport(lines, self._opens)
        looked = await self.store.read(user_id, work.look)
        if dry_run or not any(n for k, n in looked.items() if k.endswith((".new", ".newer"))):
            return ImportCounts(looked)

        def write(tx: Transaction) -> ImportCounts:
            set_id = work.run(tx, now)
            return ImportCounts(work.counts, set_id)

        return await self.store.write(user_id, write)

    async def take(
        self,
        user_id: str,
        found: ImportFile,
        now: datetime,
        *,
        tz: str,
        dry_run: bool = False,
        learn: bool = False,
        agreed: bool = False,
    ) -> ImportCounts:
        """Take what another program wrote.

        `learn`: have conversations read for memories, which costs model calls. `agreed`: see
        `take`.
        """

        def work(tx: Transaction) -> ImportCounts:
            learns = learn and not dry_run
            taken = take(
                tx, found, now, tz=tz, curve=self.curve, u=self.u, learn=learns, agreed=agreed
            )
            if dry_run:
                raise DryRunDone(taken)
            return taken

        try:
            return await self.store.write(user_id, work)
        except DryRunDone as told:
            return replace(told.taken, set_id=None)

    def _opens(self, memory_id: str, sealed: str) -> bool:
        return (
            self.key is not None
            and privacy.unseal(self.key, base64.b64decode(sealed), bound_to=memory_id) is not None
        )
