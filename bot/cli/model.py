"""`ebb model pull [NAME]`: a model of one's own, fetched and tried; also for the first screen."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from bot import settings as config
from bot.agent import turns
from bot.bootstrap import read_system_clock
from bot.cli.parser import argument, flag, make_parser
from bot.events import Turn
from bot.llm import PROVIDERS, ClientPool, Endpoint, open_models
from bot.llm.providers import FetchError
from bot.reports import describe_error
from bot.settings import Settings
from bot.texts import Texts
from memory.api import LexicalEmbedder, Memory, get_or_create_user, make_worker_id, open_store
from memory.errors import ModelError
from memory.models import Filter, Job, Lang, Message
from memory.ports import ChatModel, Transaction

Adder: TypeAlias = Callable[[Transaction, Message], Message]
say = Texts("model")
FETCHER: Final = next(p for p in PROVIDERS.values() if p.offers)
OVERHEAD: Final = 2.5  # GB beside a model's own: 16,000 tokens of a small model's context (by hand)
SHARE: Final = 0.6  # of the machine's memory that an offered model may need (by hand)
OFFERED: Final = 3


def estimate_need(size: float) -> float:
    """Return the GB of memory that a model of so many GB needs."""
    return size * 1.1 + OVERHEAD


def describe_offer(name: str, size: float, lang: Lang) -> str:
    """Say what a model takes."""
    return say(lang, "offer", name=name, size=size, need=estimate_need(size))


def measure_memory() -> float | None:
    """Return this machine's memory in GB; None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    except (AttributeError, ValueError, OSError):
        return None


def list_offers(memory: float | None, lang: Lang) -> dict[str, str]:
    """Describe up to three models for so much memory, the largest first; at least the smallest."""
    most = SHARE * (memory or 16.0)
    fitting = [o for o in FETCHER.offers if estimate_need(o[1]) <= most] or FETCHER.offers[:1]
    return {name: describe_offer(name, size, lang) for name, size in fitting[: -OFFERED - 1 : -1]}


async def fetch_model(
    settings: Settings, name: str, lang: Lang
) -> AsyncGenerator[tuple[str, bool], None]:
    """Fetch a model and try it; yield what to say, and whether the next takes its place.

    Raises FetchError.
    """
    here = Endpoint.at(settings.ollama_host or "localhost").loopback
    clients, has, last = ClientPool(), measure_memory() if here else None, ""
    try:
        async with aclosing(FETCHER.fetch(settings, clients, name)) as steps:
            async for share, size, checking in steps:
                if not last:
                    room = say(lang, "room", has=has) if has else ""
                    little = say(lang, "little") if has and estimate_need(size) > has else ""
                    yield f"{describe_offer(name, size, lang)}{room}{little}", False
                key = "checking" if checking else "progress"
                text = say(lang, key, name=name, share=share, done=share * size, size=size)
                if text != last:
                    last = text
                    yield text, True
    finally:
        await clients.close()
    yield say(lang, "trying", name=name), True
    yield await try_model(settings, name, lang), False


async def try_model(settings: Settings, name: str, lang: Lang) -> str:
    """Say in one line whether a model follows the protocol."""
    settings = replace(settings, provider=FETCHER.name, chat_model=name, memory_model=name)
    settings = replace(settings, chat_base_url=None, memory_base_url=None, embedder="lexical")
    models = await open_models(settings)
    try:
        kept, more, unread = await learn_trial(models.memory, lang)
    except ModelError as e:
        return say(lang, "verdict.failed", why=describe_error(e, lang))
    finally:
        await models.close()
    followed = any(word in text for text in kept for word in say(lang, "trial.names").split("|"))
    verdict = "bad" if not followed else "part" if unread or more != kept else "good"
    return say(lang, f"verdict.{verdict}", name=name)


async def learn_trial(model: ChatModel, lang: Lang) -> tuple[list[str], list[str], int]:
    """Have a model learn from two exchanges in a store of their own, as from any others.

    The first says something to keep, the second nothing. Returns what is kept after each, and how
    many lines could not be read. Raises ModelError.
    """
    now, worker, kept, unread = read_system_clock(), make_worker_id(), list[list[str]](), 0
    with tempfile.TemporaryDirectory(prefix="ebb-") as folder:
        key = secrets.token_bytes(32)
        path = Path(folder) / "trial.db"
        store = await open_store(path, clock=read_system_clock, worker=worker, key=key)
        try:
            memory = Memory(store, model=model, embedder=LexicalEmbedder(), key=None)
            user = await get_or_create_user(store, "trial", "trial", now)
            for n in range(2):
                said, replied = (say.one_of(lang, f"trial.{who}", n) for who in ("user", "ebb"))
                turn = Turn(f"{n}", user, f"user:{user}", said, now, "UTC")
                write = partial(_store_exchange, turn, replied, worker, memory.sealer.adder(said))
                effect = await memory.handlers["monitor"](await store.write(user, write), now)
                result = await store.write(user, effect)
                unread += int(result.get("unread") or 0)
                found = await memory.find(user, Filter())
                kept.append([m.content for m in found.items])
        finally:
            await store.close()
    return kept[0], kept[1], unread


def _store_exchange(turn: Turn, replied: str, worker: str, add: Adder, tx: Transaction) -> Job:
    """Store a turn with its reply; return the job that learns from it."""
    opened = turns.begin(tx, turn, worker, timedelta(hours=1), turn.at, add)
    if isinstance(opened, turns.OpenedTurn):
        ending = turns.TurnEnding((), "done", replied, "complete")
        turns.finish(tx, opened, ending, worker, turn.at, budget_tokens=8_000, every=1)
    return tx.jobs.list_pending("monitor")[-1]


# --- the command ---


def run(settings: Settings, argv: Sequence[str], lang: Lang) -> int:
    """Fetch the model that is named, or offer some. 0: it is here; 1: it is not."""
    verb = argument("action", choices=["pull"])
    named = argument("name", nargs="?")
    args = make_parser("ebb model", lang, verb, named, flag("--use")).parse_args(argv)
    if not (name := args.name):
        has = measure_memory()
        print(say(lang, "offers") + (say(lang, "room", has=has) if has else ""))
        print(
            *(f"  {text}" for text in list_offers(has, lang).values()), say(lang, "usage"), sep="\n"
        )
        return 0
    try:
        asyncio.run(_fetch(settings, name, lang))
    except KeyboardInterrupt:
        print(f"\n{say(lang, 'stopped', name=name)}", file=sys.stderr)
        return 130
    except FetchError as e:
        print(say(lang, f"failed.{e}", name=name), file=sys.stderr)
        return 1
    if args.use:
        config.save(settings, {"EBB_PROVIDER": FETCHER.name, "EBB_CHAT_MODEL": name})
    print(say(lang, "used" if args.use else "use", name=name))
    return 0


async def _fetch(settings: Settings, name: str, lang: Lang) -> None:
    alone, width = sys.stdout.isatty(), 0
    async with aclosing(fetch_model(settings, name, lang)) as steps:
        async for text, passing in steps:
            if alone:
                print(f"\r{text:<{width}}", end="" if passing else "\n", flush=True)
                width = len(text) * 2 if passing else 0
            elif not passing:
                print(text, flush=True)
