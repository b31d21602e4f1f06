"""The one composition root: everything is put together here, for front ends and tests alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot import llm
from bot.agent.background import BackgroundWork
from bot.agent.loop import EbbAgent
from bot.llm.embedding import EmbedderSwitch
from bot.llm.registry import ProbeResult, find_ollama, probe_endpoint
from bot.settings import Settings, machine_language
from bot.texts import Texts
from memory import api
from memory.api import MirrorPlace, U, get_or_create_user, list_backups, make_worker_id, open_keyed
from memory.errors import StoreDamaged
from memory.ports import Clock, Store

__all__ = [
    "Ebb",
    "ProbeResult",
    "find_ollama",
    "get_owner",
    "open_ebb",
    "probe_endpoint",
    "read_system_clock",
]

OWNER = ("local", "owner")
files = Texts("files")


@dataclass(frozen=True, slots=True)
class Ebb:
    """An opened Ebb.

    `owner` is the user of this machine, `scope` the conversation all their windows share.
    """

    settings: Settings
    store: Store
    memory: api.Memory
    agent: EbbAgent
    owner: str
    tz: str
    clock: Clock
    provider: llm.ProviderChoice
    needs_setup: bool
    # gets ready what the first reply needs, in the background; not before the first paint
    warm: Callable[[], None]
    # waits for the embedder to be loaded: for who asks once and leaves
    ready: Callable[[], Awaitable[None]]

    @property
    def scope(self) -> str:
        """The owner's own conversation."""
        return f"user:{self.owner}"


def read_system_clock() -> datetime:
    """Read the clock: the one edge where time comes in."""
    return datetime.now(UTC)  # noqa: TID251 - the one ambient clock


def get_local_zone(settings: Settings) -> str:
    """Return the user's IANA zone: as set, else this machine's, else UTC."""
    if settings.tz:
        return settings.tz
    import tzlocal

    try:
        return tzlocal.get_localzone_name() or "UTC"
    except Exception:  # noqa: BLE001 - a machine with a broken zone is on UTC; nothing else depends on it
        return "UTC"


async def get_owner(store: Store, now: datetime) -> str:
    """Return the user this machine belongs to; made at the first start."""
    return await get_or_create_user(store, *OWNER, now)


@asynccontextmanager
async def open_ebb(
    settings: Settings, *, clock: Clock = read_system_clock, workers: bool = True
) -> AsyncIterator[Ebb]:
    """Open the store, choose the models, start background work; close it all in order.

    `workers=False` leaves background work to other processes. Raises StoreError or SettingsError.
    """
    async with AsyncExitStack() as stack:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        worker = make_worker_id()
        try:
            store, key = await open_keyed(
                settings.database, settings.home, clock=clock, worker=worker
            )
        except StoreDamaged as e:
            lang = settings.lang or machine_language() or "en"
            names = ", ".join(b.path.name for b in list_backups(settings.database)[:3])
            raise StoreDamaged(
                files(lang, "damaged", names=names or files(lang, "backup.none"))
            ) from e
        stack.push_async_callback(store.close)
        models = await llm.open_models(settings)
        stack.push_async_callback(models.close)
        owner = await get_owner(store, clock())
        embedding = EmbedderSwitch(settings, store, models, clock)
        stack.push_async_callback(embedding.close)
        await embedding.begin(workers=workers)
        memory = api.Memory(
            store,
            model=models.memory,
            embedder=embedding.embedder,
            key=key,
            curve=settings.curve,
            u=U[settings.forgetting],
            deadline_ms=settings.recall_deadline_ms,
            learning=settings.learning,
            budget_tokens=settings.memory_budget_tokens,
            log_text=settings.log_text,
            context_tokens=settings.context_tokens,
            reach=settings.reach,
            standing_health=settings.standing_health,
        )
        stack.push_async_callback(memory.close)
        mirror = memory.keep_mirror(
            MirrorPlace(settings.home, owner, settings.lang, get_local_zone(settings))
        )
        keeper = memory.keep_nights(
            get_local_zone(settings), hour=settings.upkeep_hour, erase_old=settings.erase_old
        )
        if not models.choice.offline:
            memory.read_quotes()
        background = BackgroundWork(
            store,
            memory.handlers,
            clock,
            worker,
            active=workers,
            idle=timedelta(hours=settings.session_idle_hours),
            keeper=keeper,
        )
        agent = EbbAgent(
            settings,
            store,
            memory,
            models.chat,
            worker,
            models.choice,
            embedding.embedder,
            background=background,
            clock=clock,
        )
        if workers:
            await memory.catch_up(clock())
        stack.push_async_callback(background.stop)
        await background.start()
        embedding.kick = background.kick
        if workers:
            await stack.enter_async_context(mirror.watch_files(clock, background.kick))

        def warm() -> None:
            models.warm()
            embedding.warm()

        yield Ebb(
            settings=settings,
            store=store,
            memory=memory,
            agent=agent,
            owner=owner,
            tz=get_local_zone(settings),
            clock=clock,
            provider=models.choice,
            needs_setup=models.choice.needs_setup,
            warm=warm,
            ready=embedding.ready,
        )
