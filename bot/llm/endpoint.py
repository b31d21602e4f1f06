"""An OpenAI-compatible endpoint: its address, and the one client that talks to it.

The SDK and its 0.7 s of import come with the first request, in a thread, so that no screen waits
for it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memory.errors import ModelError

if TYPE_CHECKING:
    import httpx2
    import openai

OPENAI_URL = "https://api.openai.com/v1"
LOCAL_TIMEOUTS = (
    3.0,
    300.0,
)  # to connect; between two chunks: a local model may have to be loaded first
REMOTE_TIMEOUTS = (10.0, 90.0)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where, and with which key. `url` None is OpenAI's own."""

    url: str = OPENAI_URL
    key: str | None = None

    @staticmethod
    def at(url: str | None, key: str | None = None) -> Endpoint:
        """From what was set; a scheme left out is put in."""
        url = (url or OPENAI_URL).strip().rstrip("/")
        if "://" not in url:
            url = f"{'http' if _is_loopback(urlsplit(f'//{url}').hostname) else 'https'}://{url}"
        return Endpoint(url, (key or "").strip() or None)

    @property
    def host(self) -> str:
        """What a person is told: `api.openai.com`, `127.0.0.1:8080`."""
        parts = urlsplit(self.url)
        return parts.netloc.rpartition("@")[2] or self.url

    @property
    def loopback(self) -> bool:
        """Tell whether it is on this machine."""
        return _is_loopback(urlsplit(self.url).hostname)

    @property
    def is_openai(self) -> bool:
        """Tell whether it is OpenAI's own."""
        return (urlsplit(self.url).hostname or "").endswith("api.openai.com")


def _is_loopback(host: str | None) -> bool:
    if not host:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class ClientPool:
    """One client per endpoint, made at its first use and reused; `close` ends them all."""

    def __init__(self) -> None:
        self._sdk: dict[Endpoint, openai.AsyncOpenAI] = {}
        self._plain: dict[str, httpx2.AsyncClient] = {}
        self._lock = asyncio.Lock()

    async def sdk(self, endpoint: Endpoint) -> openai.AsyncOpenAI:
        """Return the SDK's client.

        Raises ModelError where OpenAI itself would be asked without a key.
        """
        if endpoint.is_openai and not endpoint.key:
            raise ModelError("bad_key", detail="no key", host=endpoint.host)
        async with self._lock:
            if endpoint not in self._sdk:
                await asyncio.to_thread(_import)
                self._sdk[endpoint] = await asyncio.to_thread(_sdk_client, endpoint)
            return self._sdk[endpoint]

    async def plain(self, endpoint: Endpoint) -> httpx2.AsyncClient:
        """Return a bare HTTP client for the endpoint, its address being the base."""
        async with self._lock:
            if endpoint.url not in self._plain:
                self._plain[endpoint.url] = await asyncio.to_thread(
                    _http_client, endpoint, base_url=endpoint.url
                )
            return self._plain[endpoint.url]

    async def close(self) -> None:
        """Close every connection."""
        for client in [*self._sdk.values()]:
            await client.close()
        for plain in [*self._plain.values()]:
            await plain.aclose()
        self._sdk.clear()
        self._plain.clear()


def _http_client(endpoint: Endpoint, *, base_url: str = "") -> httpx2.AsyncClient:
    import httpx2

    connect, read = LOCAL_TIMEOUTS if endpoint.loopback else REMOTE_TIMEOUTS
    return httpx2.AsyncClient(
        base_url=base_url,
        timeout=httpx2.Timeout(connect=connect, read=read, write=30.0, pool=30.0),
        limits=httpx2.Limits(
            max_connections=100, max_keepalive_connections=20, keepalive_expiry=60.0
        ),
        trust_env=not endpoint.loopback,  # a proxy out there knows nothing of this machine
        follow_redirects=True,
    )


def _sdk_client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    import openai

    http = _http_client(endpoint)
    if not endpoint.key:
        http.event_hooks = {"request": [_without_key]}
    client = openai.AsyncOpenAI(
        api_key=endpoint.key
        or "none",  # the SDK insists on one; without a key the header is taken out again
        base_url=endpoint.url,
        # Empty, not None: None would be filled from the environment and sent to whoever this
        # endpoint is.
        organization="",
        project="",
        admin_api_key="",
        webhook_secret="",
        max_retries=0,  # ours know when a retry can still be hidden
        http_client=http,
    )
    client.organization = client.project = None  # no empty headers either
    if (
        not endpoint.is_openai
    ):  # OPENAI_CUSTOM_HEADERS is for OpenAI; no argument of the SDK leaves it out
        client._custom_headers = {}  # noqa: SLF001
    return client


async def _without_key(request: httpx2.Request) -> None:
    request.headers.pop("Authorization", None)


def _import() -> None:
    import openai.resources.chat.completions
    import openai.resources.embeddings  # noqa: F401 - both are lazy in the SDK

    import bot.llm.failures  # noqa: F401


def warm() -> threading.Thread:
    """Import the SDK in the background; call it after the first paint."""
    thread = threading.Thread(target=_import, name="ebb-warm", daemon=True)
    thread.start()
    return thread
