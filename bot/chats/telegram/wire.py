"""The HTTP side of python-telegram-bot: what it lacks for a bot that must not die or leak.

- A method the server does not know is no reason to think that the token is wrong.
- An answer that is no JSON is never written to a log, for it may hold what somebody said; nor is
  the token.
- Whoever watches is told how each request for updates went: the bot is alive as long as it asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from telegram import Update
from telegram.error import BadRequest, RetryAfter, TelegramError, TimedOut
from telegram.ext import ExtBot
from telegram.request import HTTPXRequest

PUBLIC = "https://api.telegram.org"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_UNSAID = 5.0  # seconds to wait where Telegram does not say how long


@dataclass(frozen=True, slots=True)
class BotTiming:
    """Seconds that Telegram or a reader needs; tests shorten them."""

    private_interval: float = 1.0  # between two edits in a private chat …
    group_interval: float = 3.0  # … and in a group
    first_paint: float = 0.35  # a reply that is done sooner is sent whole
    typing_every: float = 4.5  # Telegram shows “typing…” for 5
    # Waiting for what belongs to the same turn:
    gather: float = 0.25  # a forward follows its comment at once
    gather_forward: float = 0.8
    gather_paste: float = 1.2  # the next part of a text that was cut at 4,096
    gather_album: float = 1.5
    gather_most: float = 6.0  # but never longer than this, from the first part on
    notice: float = 1.2  # changes that come together are one notice
    retry_first: float = 1.0  # after a network error, doubled up to …
    retry_most: float = 30.0
    poll: int = 25  # long polling
    conflict: float = 60.0  # two pollers for so long: we give way
    drain: float = 15.0  # for running replies, when stopping
    stranger: float = 86_400.0  # between two sentences to the same stranger


async def wait_for_event(event: asyncio.Event, seconds: float) -> bool:
    """Wait for the event, but no longer than that; tell whether it came."""
    with contextlib.suppress(TimeoutError):
        return await asyncio.wait_for(event.wait(), seconds)
    return False


class FloodWait(RetryAfter):
    """Telegram asks us to wait; python-telegram-bot's own error warns when it is made."""

    def __init__(self, seconds: float) -> None:
        self._retry_after = timedelta(seconds=seconds)
        self.seconds = seconds
        TelegramError.__init__(self, f"Flood control exceeded. Retry in {seconds:g} seconds")


class BotRequest(HTTPXRequest):
    """A connection to the Bot API."""

    async def do_request(
        self, url: str, method: str, *args: Any, **kwargs: Any
    ) -> tuple[int, bytes]:
        """Send one request.

        Raises FloodWait on 429, and BadRequest for a method that the server lacks.
        """
        code, payload = await super().do_request(url, method, *args, **kwargs)
        endpoint = urlsplit(url).path.rpartition("/")[2]
        if code == HTTPStatus.TOO_MANY_REQUESTS:
            try:
                raise FloodWait(float(json.loads(payload)["parameters"]["retry_after"]))
            except (ValueError, KeyError, TypeError):
                raise FloodWait(_UNSAID) from None
        if code == HTTPStatus.NOT_FOUND and endpoint not in {"getMe", "getUpdates"}:
            if endpoint == "deleteWebhook":  # a server without webhooks has none to delete
                return HTTPStatus.OK, b'{"ok": true, "result": true}'
            raise BadRequest(f"method {endpoint} is not known to this server")
        return code, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Parse an answer. Raises TelegramError, without logging the answer."""
        try:
            parsed: dict[str, Any] = json.loads(payload.decode("utf-8", "replace"))
        except ValueError as e:
            raise TelegramError("Invalid server response") from e
        return parsed


class PollingBot(ExtBot[None]):
    """A bot that tells how its requests for updates went.

    `on_poll` gets each error, None where Telegram answered; `asking` while a request is out.
    """

    def __init__(
        self,
        token: str,
        base_url: str | None = None,
        on_poll: Callable[[TelegramError | None], None] = lambda _: None,
    ) -> None:
        base = (base_url or PUBLIC).rstrip("/").removesuffix("/bot")
        # A proxy of the environment leads nowhere from a server of this machine.
        direct = {"trust_env": False} if urlsplit(base).hostname in _LOOPBACK else {}
        super().__init__(
            token,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=BotRequest(
                64, 20.0, connect_timeout=10.0, pool_timeout=20.0, httpx_kwargs=direct
            ),
            get_updates_request=BotRequest(2, 10.0, connect_timeout=10.0, httpx_kwargs=direct),
        )
        self._on_poll = on_poll
        self._asking = False

    @property
    def asking(self) -> bool:
        """Tell whether a request for updates is on its way."""
        return self._asking

    async def get_updates(self, *args: Any, **kwargs: Any) -> tuple[Update, ...]:
        """Fetch updates, and tell how that went."""
        self._asking = True
        try:
            updates = await super().get_updates(*args, **kwargs)
        except TelegramError as e:
            if not isinstance(e, TimedOut):  # it is asked again at once
                self._on_poll(e)
            raise
        finally:
            self._asking = False
        self._on_poll(None)
        return updates


_secrets: set[str] = set()


def guard_logs(token: str, *, log_text: bool) -> None:
    """Keep the token out of every log, and what people say too unless `log_text`.

    httpx logs every URL (the token is part of it) at INFO, httpcore at DEBUG; python-telegram-bot
    logs messages at DEBUG.
    """
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    if not log_text:
        logging.getLogger("telegram").setLevel(logging.INFO)
    if not _secrets:
        logging.setLogRecordFactory(_make_record)
    _secrets.add(token)


def _make_record(*args: Any, **kwargs: Any) -> logging.LogRecord:
    """Make a log record without tokens, and with a Telegram error's name for its traceback."""
    record = logging.LogRecord(*args, **kwargs)
    error = record.exc_info[1] if record.exc_info else None
    text = record.getMessage()
    if isinstance(error, TelegramError):  # a network that is down is no bug
        text, record.exc_info = f"{text} ({type(error).__name__})", None
    for token in _secrets:
        text = text.replace(token, "<token>")
    if text != record.getMessage():
        record.msg, record.args = text, ()
    return record
