"""Names of processes: "host:pid:nonce", so that leases of dead ones on this machine can be given back at once."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from pathlib import Path


def worker_id() -> str:
    """A name for this process. The nonce carries the process's start, since pids are used again."""
    pid = os.getpid()
    return f"{_host()}:{pid}:{_started(pid) or '0'}.{secrets.token_hex(4)}"


def is_gone(worker: str) -> bool:
    """True only if the process surely no longer runs: on this machine, and dead or another one by that pid."""
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
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else None


def _alive(pid: int) -> bool:
    if sys.platform == "win32":
        return _alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return not _zombie(pid)


def _zombie(pid: int) -> bool:
    """A killed child that nobody waited for still has its pid, and will do no more work."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] == ["Z"]


def _alive_on_windows(pid: int) -> bool:
    import ctypes

    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore] # Windows only
    handle = kernel.OpenProcess(0x1000, 0, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259  # STILL_ACTIVE
