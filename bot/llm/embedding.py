"""Which embedder is in use: going over to another one at start, and to words where one fails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from bot import llm
from bot.reports import describe_error
from bot.settings import Settings
from memory.api import CachedEmbedder, LexicalEmbedder, SwitchingEmbedder, ThreadedEmbedder
from memory.errors import ModelError
from memory.ports import Clock, Embedder, Store, Transaction

log = logging.getLogger(__name__)
_LOADING = 3.0  # seconds


class EmbedderSwitch:
    """The embedder that everybody holds (`embedder`), and what stands behind it.

    `kick` is told of new background work.
    """

    def __init__(
        self, settings: Settings, store: Store, models: llm.ModelRoles, clock: Clock
    ) -> None:
        self._settings = settings
        self._store = store
        self._models = models
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self._others: list[ThreadedEmbedder[Any]] = []  # made here, to be closed here
        self._broken = ""
        self.embedder = SwitchingEmbedder(CachedEmbedder(models.embedder))
        self.kick: Callable[[], None] = lambda: None

    async def begin(self, *, workers: bool) -> None:
        """Use the embedder that was chosen; with `workers`, have what lacks its vectors embedded.

        One that only stands in for another, which cannot be reached or is not there yet, changes
        nothing for good.
        """
        plan = workers and not self._models.choice.lexical_because
        await self._use(self._models.embedder, plan=plan)

    def warm(self) -> None:
        """Load the model that was chosen, behind the first paint."""
        chosen = self._models.embedder
        if isinstance(chosen, ThreadedEmbedder) and self._task is None:
            self._task = asyncio.create_task(self._load(chosen), name="ebb-embedder")

    async def ready(self) -> None:
        """Wait some seconds for the chosen model to be loaded; without it, recall goes by words."""
        chosen = self._models.embedder
        if isinstance(chosen, ThreadedEmbedder):
            with contextlib.suppress(TimeoutError, ModelError):
                async with asyncio.timeout(_LOADING):
                    await chosen.load()

    async def close(self) -> None:
        """Give up what is under way."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for other in self._others:
            await other.close()

    async def _use(self, embedder: Embedder, *, plan: bool) -> None:
        known = await self._store.write_system(lambda s: s.embedders())
        earlier = [name for name in known if name != embedder.id]
        is_known = embedder.id in known
        if earlier and is_known and await self._store.drop_unused_embedders(embedder.id):
            earlier = []
        before = self._find_earlier(embedder, earlier[0]) if earlier else None
        await self._store.use_embedder(
            embedder.id, embedder.dim, before=before.id if before else None
        )
        self.embedder.turn(CachedEmbedder(embedder), CachedEmbedder(before) if before else None)
        if is_known and not earlier:
            self.embedder.arrived()
        elif plan:
            for user_id in await self._store.write_system(lambda s: s.users()):
                await self._plan(user_id)
        self.kick()

    def _find_earlier(self, embedder: Embedder, name: str) -> Embedder | None:
        """Return the embedder of that id, if it may be asked: nothing goes elsewhere from here."""
        models = self._models
        if name == self._broken:
            return None
        if models.embedder.id == name:
            return models.embedder
        found = llm.find_embedder(self._settings, models.choice, models.clients, name)
        if found is None or (embedder.local and not found.local):
            return None
        if isinstance(found, ThreadedEmbedder):
            self._others.append(found)
        return found

    async def _plan(self, user_id: str) -> None:
        """Plan vectors of the current model for memories without; then the other's go."""
        name, now = self.embedder.id, self._clock()

        def plan(tx: Transaction) -> None:
            if any(j.payload.get("embedder") == name for j in tx.jobs.list_pending("embed")):
                return
            wanting = tx.vectors.list_missing(name, 1) or tx.documents.list_missing(name)
            if wanting or tx.vectors.list_other_models(name):
                key = f"all:{name}:{now.timestamp():.0f}"
                payload = {"all": True, "embedder": name}
                tx.jobs.enqueue("embed", key, payload, now, lane=f"embed:{user_id}")

        await self._store.write(user_id, plan)

    async def _load(self, embedder: ThreadedEmbedder[Any]) -> None:
        """Load the model; where it cannot be, the lexical one goes on."""
        try:
            await embedder.load()
        except ModelError as e:
            log.warning("%s (%s)", describe_error(e, "en"), e.detail)
            self._broken = embedder.id
            await self._use(LexicalEmbedder(), plan=False)
