"""Which embedder is in use: going over to another one at start, and to the local one when it has been downloaded."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
from collections.abc import Callable
from typing import Any

from bot import llm
from bot.llm.embedders import local as local_embedding
from bot.llm.embedders.local import LocalEmbedder, LocalModel
from bot.reports import describe_error
from bot.settings import Settings
from memory.api import CachedEmbedder, LexicalEmbedder, SwitchingEmbedder, ThreadedEmbedder
from memory.errors import ModelError
from memory.ports import Clock, Embedder, Store, Transaction

log = logging.getLogger(__name__)
_LOADING = 3.0  # seconds
_STEP = 10  # percent of a download between two lines of the log


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
        self._others: list[Embedder] = []  # made here, to be closed here
        self._broken: set[str] = set()
        self.embedder = SwitchingEmbedder(CachedEmbedder(models.embedder))
        self.kick: Callable[[], None] = lambda: None

    async def begin(self, *, workers: bool) -> None:
        """Use the embedder that was chosen; with `workers`, have what lacks its vectors embedded.

        One that only stands in for another, which cannot be reached or is not there yet, changes
        nothing for good.
        """
        models, stands_in = self._models, bool(self._models.choice.lexical_because)
        await self._use(models.embedder, plan=workers and not stands_in)
        if not workers:
            return
        if models.choice.lexical_because == "no model" and self._may_fetch():
            self._task = asyncio.create_task(self._fetched(), name="ebb-download")

    def warm(self) -> None:
        """Load the model that was chosen, behind the first paint."""
        chosen = self._models.embedder
        if isinstance(chosen, ThreadedEmbedder) and self._task is None:
            self._task = asyncio.create_task(self._loaded(chosen), name="ebb-embedder")

    async def ready(self) -> None:
        """Wait some seconds for the chosen model to be loaded; without it, recall goes by words."""
        chosen = self._models.embedder
        if isinstance(chosen, ThreadedEmbedder):
            with contextlib.suppress(TimeoutError, ModelError):
                async with asyncio.timeout(_LOADING):
                    await chosen.load()

    def _may_fetch(self) -> bool:
        """Only who asked for the local model has it downloaded, and only the one that is meant by that."""
        asked = self._settings.embedder == "local" and self._settings.embedder_path is None
        return asked and importlib.util.find_spec("fastembed") is not None

    async def close(self) -> None:
        """Give up what is under way."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for other in self._others:
            if isinstance(other, ThreadedEmbedder):
                await other.close()

    async def _use(self, embedder: Embedder, *, plan: bool) -> None:
        known = await self._store.write_system(lambda s: s.embedders())
        earlier = [name for name in known if name != embedder.id]
        if (
            earlier
            and embedder.id in known
            and await self._store.drop_unused_embedders(embedder.id)
        ):
            earlier = []
        before = self._earlier(embedder, earlier[0]) if earlier else None
        await self._store.use_embedder(
            embedder.id, embedder.dim, before=before.id if before else None
        )
        if earlier or (embedder.id not in known):
            self.embedder.turn(CachedEmbedder(embedder), CachedEmbedder(before) if before else None)
            if plan:
                for user_id in await self._store.write_system(lambda s: s.users()):
                    await self._plan(user_id)
        else:
            self.embedder.turn(CachedEmbedder(embedder))
            self.embedder.arrived()
        self.kick()

    def _earlier(self, embedder: Embedder, name: str) -> Embedder | None:
        """Return the embedder of that id, if it may be asked: from a local one nothing goes elsewhere."""
        models = self._models
        if name in self._broken:
            return None
        if models.embedder.id == name:
            return models.embedder
        found = llm.find_embedder(self._settings, models.choice, models.clients, name)
        if found is None or (embedder.local and not found.local):
            return None
        self._others.append(found)
        return found

    async def _plan(self, user_id: str) -> None:
        """Memories without a vector of the current model get one in the background; then the other's go."""
        name, now = self.embedder.id, self._clock()

        def plan(tx: Transaction) -> None:
            waiting = any(j.payload.get("embedder") == name for j in tx.jobs.list_pending("embed"))
            if not waiting and (
                tx.vectors.list_missing(name, 1) or tx.vectors.list_other_models(name)
            ):
                payload = {"all": True, "embedder": name}
                tx.jobs.enqueue(
                    "embed",
                    f"all:{name}:{now.timestamp():.0f}",
                    payload,
                    now,
                    lane=f"embed:{user_id}",
                )

        await self._store.write(user_id, plan)

    async def _loaded(self, embedder: ThreadedEmbedder[Any]) -> None:
        """Load the model; where it cannot be, the lexical one goes on."""
        try:
            await embedder.load()
        except ModelError as e:
            log.warning("%s (%s)", describe_error(e, "en"), e.detail)
            self._broken.add(embedder.id)
            await self._use(LexicalEmbedder(), plan=False)

    async def _fetched(self) -> None:
        """Download the local model, tell how far it is, and go over to it."""
        home = self._settings.home
        began, told = await asyncio.to_thread(local_embedding.count_downloaded_bytes, home), 0
        coming = local_embedding.run_in_background(lambda: local_embedding.download(home))
        while not coming.done():
            await asyncio.wait({coming}, timeout=1.0)
            came = await asyncio.to_thread(local_embedding.count_downloaded_bytes, home) - began
            if (percent := min(99, 100 * came // local_embedding.BYTES)) >= told + _STEP:
                told = percent - percent % _STEP
                log.info("embedding model: %d%% downloaded", told)
        try:
            model: LocalModel = coming.result()
            embedder = LocalEmbedder(model, patience=self._settings.recall_deadline_ms / 1000)
            await embedder.load()
        except ModelError as e:
            log.warning(
                "The embedding model could not be had; the built-in one goes on. %s",
                describe_error(e, "en"),
            )
            return
        self._others.append(embedder)
        await self._use(embedder, plan=True)
