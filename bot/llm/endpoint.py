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
# Seconds to connect, and between two chunks: a local model may have to be loaded first.
LOCAL_TIMEOUTS = (3.0, 300.0)
REMOTE_TIMEOUTS = (10.0, 90.0)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where, and with which key."""

    url: str = OPENAI_URL
    key: str | None = None

    @staticmethod
    def at(url: str | None, key: str | None = None) -> Endpoint:
        """Make one of what was set: OpenAI's own for None; a scheme left out is put in."""
        url = (url or OPENAI_URL).strip().rstrip("/")
        if "://" not in url:
            url = f"{'http' if Endpoint(f'//{url}').loopback else 'https'}://{url}"
        return Endpoint(url, (key or "").strip() or None)

    @property
    def host(self) -> str:
        """What a person is told: `api.openai.com`, `127.0.0.1:8080`."""
        return urlsplit(self.url).netloc.rpartition("@")[2] or self.url

    @property
    def loopback(self) -> bool:
        """Tell whether it is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    @property
    def is_openai(self) -> bool:
        """Tell whether it is OpenAI's own."""
        return (urlsplit(self.url).hostname or "").endswith("api.openai.com")


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
                self._sdk[endpoint] = await asyncio.to_thread(_make_sdk_client, endpoint)
            return self._sdk[endpoint]

    async def plain(self, endpoint: Endpoint) -> httpx2.AsyncClient:
        """Return a bare HTTP client for the endpoint, its address being the base."""
        async with self._lock:
            if endpoint.url not in self._plain:
                self._plain[endpoint.url] = await asyncio.to_thread(_make_http_client, endpoint)
            return self._plain[endpoint.url]

    async def close(self) -> None:
        """Close every connection."""
        for sdk in self._sdk.values():
            await sdk.close()
        for plain in self._plain.values():
            await plain.aclose()
        self._sdk.clear()
        self._plain.clear()


def _make_http_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    import httpx2

    connect, read = LOCAL_TIMEOUTS if endpoint.loopback else REMOTE_TIMEOUTS
    return httpx2.AsyncClient(
        base_url=endpoint.url,
        timeout=httpx2.Timeout(connect=connect, read=read, write=30.0, pool=30.0),
        trust_env=not endpoint.loopback,  # a proxy out there knows nothing of this machine
        follow_redirects=True,
    )


def _make_sdk_client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    import openai

    http = _make_http_client(endpoint)
    if not endpoint.key:  # the SDK insists on one: the header is taken out again
        http.event_hooks = {"request": [_drop_key]}
    client = openai.AsyncOpenAI(
        api_key=endpoint.key or "none",
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
    if not endpoint.is_openai:
        # OPENAI_CUSTOM_HEADERS is for OpenAI; no argument of the SDK leaves it out.
        client._custom_headers = {}  # noqa: SLF001
    return client


async def _drop_key(request: httpx2.Request) -> None:
    request.headers.pop("Authorization", None)


def _import() -> None:
    import openai.resources.chat.completions
    import openai.resources.embeddings  # noqa: F401 - both are lazy in the SDK

    import bot.llm.failures  # noqa: F401


def warm() -> None:
    """Import the SDK in the background; call it after the first paint."""
    threading.Thread(target=_import, name="ebb-warm", daemon=True).start()
