"""An OpenAI-compatible endpoint: its address, and the one client that talks to it.

The SDK and its 0.7 s of import come with the first request, in a thread, so that no screen waits
for it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from bot.settings import Settings
from memory.errors import ModelError

if TYPE_CHECKING:
    import httpx2
    import openai

Hook: TypeAlias = "Callable[[httpx2.Request], Awaitable[None]]"
OPENAI_URL = "https://api.openai.com/v1"
# Seconds to connect, and between two chunks: a local model may have to be loaded first.
LOCAL_TIMEOUTS = (3.0, 300.0)
REMOTE_TIMEOUTS = (10.0, 90.0)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where, with which key, and what every address there ends with (`api-version`)."""

    url: str = OPENAI_URL
    key: str | None = None
    query: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def at(url: str | None, key: str | None = None) -> Endpoint:
        """Make one of what was set: OpenAI's own for None; a scheme left out is put in.

        The whole address of a chat is one, too: what the SDK puts behind it is taken off.
        """
        url, _, query = (url or OPENAI_URL).strip().partition("?")
        url = url.rstrip("/").removesuffix("/chat/completions").rstrip("/")
        if "://" not in url:
            url = f"{'http' if Endpoint(f'//{url}').loopback else 'https'}://{url}"
        return Endpoint(url, (key or "").strip() or None, tuple(parse_qsl(query)))

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

    @property
    def key_header(self) -> str:
        """Return the header that takes the key: Azure has one of its own."""
        azure = (urlsplit(self.url).hostname or "").endswith(".azure.com")
        return "api-key" if azure or "api-version" in dict(self.query) else "Authorization"


class ClientPool:
    """One client per endpoint, made at its first use and reused; `close` ends them all.

    The headers of `settings` go to the address for talking alone, also where one redirects.
    `refused` is what a model at an endpoint has turned out not to take, by address and model.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.refused: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.headers = dict(settings.headers) if settings else {}
        self._own = Endpoint.at(settings.endpoint("chat")[1] if settings else None)
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
                made = await asyncio.to_thread(
                    _make_sdk_client, endpoint, self._make_hook(endpoint)
                )
                self._sdk[endpoint] = made
            return self._sdk[endpoint]

    async def plain(self, endpoint: Endpoint) -> httpx2.AsyncClient:
        """Return a bare HTTP client for the endpoint, its address being the base."""
        async with self._lock:
            if endpoint.url not in self._plain:
                hook = self._make_hook(endpoint)
                self._plain[endpoint.url] = await asyncio.to_thread(
                    _make_http_client, endpoint, hook
                )
            return self._plain[endpoint.url]

    def _make_hook(self, endpoint: Endpoint) -> Hook:
        """Make what sets a request's headers: key and others go to their own addresses alone."""
        mark = "Bearer " if endpoint.key_header == "Authorization" else ""
        key = {endpoint.key_header: f"{mark}{endpoint.key}"} if endpoint.key else {}

        async def set_headers(request: httpx2.Request) -> None:
            for name in (*self.headers, "api-key", "Authorization"):
                request.headers.pop(name, None)
            for where, headers in ((endpoint, key), (self._own, self.headers)):
                if _is_at(request.url, where.url):
                    request.headers.update(headers)

        return set_headers

    async def close(self) -> None:
        """Close every connection."""
        for sdk in self._sdk.values():
            await sdk.close()
        for plain in self._plain.values():
            await plain.aclose()
        self._sdk.clear()
        self._plain.clear()


def _is_at(url: httpx2.URL, place: str) -> bool:
    """Tell whether both are of one server; https is as good as the http it stands for."""
    wanted = type(url)(place)
    same = (url.host, url.port) == (wanted.host, wanted.port)
    return same and url.scheme in (wanted.scheme, "https")


def _make_http_client(endpoint: Endpoint, hook: Hook) -> httpx2.AsyncClient:
    import httpx2

    connect, read = LOCAL_TIMEOUTS if endpoint.loopback else REMOTE_TIMEOUTS
    return httpx2.AsyncClient(
        base_url=endpoint.url,
        timeout=httpx2.Timeout(connect=connect, read=read, write=30.0, pool=30.0),
        trust_env=not endpoint.loopback,  # a proxy out there knows nothing of this machine
        follow_redirects=True,
        event_hooks={"request": [hook]},
    )


def _make_sdk_client(endpoint: Endpoint, hook: Hook) -> openai.AsyncOpenAI:
    import openai

    client = openai.AsyncOpenAI(
        api_key="none",  # the SDK insists on one: the hook puts the real one in, or none
        base_url=endpoint.url,
        default_query=dict(endpoint.query),
        # Empty, not None: None would be filled from the environment and sent to whoever this
        # endpoint is.
        organization="",
        project="",
        admin_api_key="",
        webhook_secret="",
        max_retries=0,  # ours know when a retry can still be hidden
        http_client=_make_http_client(endpoint, hook),
    )
    client.organization = client.project = None  # no empty headers either
    if not endpoint.is_openai:
        # OPENAI_CUSTOM_HEADERS is for OpenAI; no argument of the SDK leaves it out.
        client._custom_headers = {}  # noqa: SLF001
    return client


def _import() -> None:
    import openai.resources.chat.completions
    import openai.resources.embeddings  # noqa: F401 - both are lazy in the SDK

    import bot.llm.failures  # noqa: F401


def warm() -> None:
    """Import the SDK in the background; call it after the first paint."""
    threading.Thread(target=_import, name="ebb-warm", daemon=True).start()
