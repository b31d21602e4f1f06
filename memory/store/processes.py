"""Other processes at the same file: names, whether they live, commits, the lock."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock

from memory.errors import StoreError

POLL_SECONDS: Final = 0.25
_LOCK_SECONDS: Final = 10
_log = logging.getLogger(__name__)


def get_file_lock(path: Path) -> FileLock:
    """Make the lock beside the file, for opening and for checkpoints of SQLite < 3.51.3."""
    return FileLock(f"{path}.lock", timeout=_LOCK_SECONDS, mode=0o600, thread_local=False)


# --- names: "host:pid:nonce", so that leases of dead processes on this machine can be given back at
# once


def make_worker_id() -> str:
    """Name this process. The nonce carries the process's start, since pids are used again."""
    pid = os.getpid()
    return f"{_host()}:{pid}:{_started(pid) or '0'}.{secrets.token_hex(4)}"


def is_process_gone(worker: str) -> bool:
    """Tell whether the process ran on this machine and surely does no longer."""
    host, _, rest = worker.rpartition(":")[0].rpartition(":")
    nonce = worker.rpartition(":")[2]
    if host != _host() or not rest.isdigit():
        return False
    pid = int(rest)
    if not _alive(pid):
        return True
    started = nonce.partition(".")[0]
    now = _started(pid)
    return started not in {"", "0"} and now is not None and now != started


def _host() -> str:
    """Host name and, on Linux, pid namespace: pids of another container mean nothing here."""
    name = socket.gethostname().replace(":", "_")
    try:
        return f"{name}/{Path('/proc/self/ns/pid').readlink().name.strip('pid:[]')}"
    except OSError:
        return name


def _started(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot, None where the system does not tell."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else None


def _stat(pid: int) -> list[str]:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()


def _alive(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # leases run out; to ask by a signal would end the process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    # A killed child that nobody waited for has its pid, and will do no more work.
    return _stat(pid)[:1] != ["Z"]


# --- commits of all processes


class ChangeNotifier:
    """Events of waiting coroutines, and a task that looks for other processes' commits."""

    def __init__(self, data_version: Callable[[], Awaitable[int]]) -> None:
        self._data_version = data_version
        self._waiting: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    def notify(self) -> None:
        """Something was committed."""
        for event in self._waiting:
            event.set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[asyncio.Event]:
        """Give an event that is set at every commit; clear it before looking."""
        event = asyncio.Event()
        self._waiting.add(event)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll(), name="ebb-data-version")
        try:
            yield event
        finally:
            self._waiting.discard(event)
            if not self._waiting:
                await self.close()

    async def close(self) -> None:
        """Stop looking."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _poll(self) -> None:
        seen: int | None = None
        while True:
            try:
                version = await self._data_version()
            except StoreError as e:
                # Looked for again at the next tick: a watcher must not end because the file was
                # busy once.
                _log.warning("Looking for other processes' changes failed: %s", e)
            else:
                if version != seen:
                    seen = version
                    self.notify()
            await asyncio.sleep(POLL_SECONDS)
