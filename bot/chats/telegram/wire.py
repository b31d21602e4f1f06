"""The HTTP side of python-telegram-bot: what its request class lacks for a bot that must not die or
leak.

- `RetryAfter` is raised as `FloodWait`, which holds seconds and asks no environment variable what
  they are.
- A method the server does not know is no reason to think that the token is wrong.
- An answer that is no JSON is never written to a log, for it may hold what somebody said; nor is
  the token.
- Polling tells when it was last alive, and when Telegram refuses the token or another program
  polls.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import time
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from telegram import Bot
from telegram.error import BadRequest, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

PUBLIC = "https://api.telegram.org"


class FloodWait(RetryAfter):
    """Telegram asks us to wait. `seconds` says how long."""

    def __init__(self, seconds: float) -> None:
        self._retry_after = timedelta(seconds=seconds)
        TelegramError.__init__(self, f"Flood control exceeded. Retry in {seconds:g} seconds")

    @property
    def seconds(self) -> float:
        """How long to wait."""
        return self._retry_after.total_seconds()

    @property
    def retry_after(self) -> timedelta:
        """The same; python-telegram-bot's own reads the environment and warns."""
        return self._retry_after


class SendRequest(HTTPXRequest):
    """Requests that send things."""

    async def do_request(
        self, url: str, method: str, *args: Any, **kwargs: Any
    ) -> tuple[int, bytes]:
        """One request. Raises Flood on 429 and BadRequest for a method that the server lacks."""
        code, payload = await super().do_request(url, method, *args, **kwargs)
        endpoint = urlsplit(url).path.rpartition("/")[2]
        if code == HTTPStatus.TOO_MANY_REQUESTS:
            raise FloodWait(_wait(payload))
        if code == HTTPStatus.NOT_FOUND and endpoint not in {"getMe", "getUpdates"}:
            if endpoint == "deleteWebhook":  # a server without webhooks has none to delete
                return HTTPStatus.OK, b'{"ok": true, "result": true}'
            raise BadRequest(f"method {endpoint} is not known to this server")
        return code, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Parse an answer. Raises TelegramError, without logging it."""
        try:
            parsed: dict[str, Any] = json.loads(payload.decode("utf-8", "replace"))
        except ValueError as e:
            raise TelegramError("Invalid server response") from e
        return parsed


class PollRequest(SendRequest):
    """Requests that fetch updates: the bot is alive as long as these are."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.begun_at = time.monotonic()
        self.asking = False
        self.conflict_since: float | None = None
        self.conflict_for = 0.0  # seconds between the first and the newest refusal
        self.refused = False
        self.well = False  # the last one was answered as it should be

    async def do_request(
        self, url: str, method: str, *args: Any, **kwargs: Any
    ) -> tuple[int, bytes]:
        """One request, noting how it went."""
        self.begun_at, self.asking = time.monotonic(), True
        try:
            code, payload = await super().do_request(url, method, *args, **kwargs)
        except TelegramError:
            self.well = False
            raise
        finally:
            self.asking = False
        self.well = code == HTTPStatus.OK
        self.refused = code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND}
        if code == HTTPStatus.CONFLICT:
            now = time.monotonic()
            self.conflict_since = self.conflict_since or now
            self.conflict_for = now - self.conflict_since
        elif self.well:
            self.conflict_since, self.conflict_for = None, 0.0
        return code, payload


def _wait(payload: bytes) -> float:
    try:
        return max(float(json.loads(payload)["parameters"]["retry_after"]), 0.0)
    except (ValueError, KeyError, TypeError):
        return 5.0  # it did not say


def make_bot(token: str, base_url: str | None) -> tuple[Bot, PollRequest]:
    """A bot, and the connection it polls on: one of its own, so that edits never starve it."""
    base = (base_url or PUBLIC).rstrip("/").removesuffix("/bot")
    direct = {"trust_env": False} if _loopback(base) else {}
    polling = PollRequest(
        connection_pool_size=2, read_timeout=10.0, connect_timeout=10.0, httpx_kwargs=direct
    )
    wire = SendRequest(
        connection_pool_size=64,
        read_timeout=20.0,
        connect_timeout=10.0,
        pool_timeout=20.0,
        httpx_kwargs=direct,
    )
    bot = Bot(
        token,
        base_url=f"{base}/bot",
        base_file_url=f"{base}/file/bot",
        request=wire,
        get_updates_request=polling,
    )
    return bot, polling


def _loopback(base: str) -> bool:
    host = urlsplit(base).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _TokenMask(logging.Filter):
    """Replaces the token wherever it stands in a record, and a refusal's traceback by its name."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self._token = token

    def filter(self, record: logging.LogRecord) -> bool:
        if self._token in record.getMessage():
            record.msg, record.args = record.getMessage().replace(self._token, "<token>"), ()
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(
            error, TelegramError
        ):  # its name says enough; a network that is down is no bug
            record.msg, record.args = f"{record.getMessage()} ({type(error).__name__})", ()
            record.exc_info, record.exc_text = None, None
        return True


def guard_logs(token: str, *, log_text: bool) -> None:
    """Keep the token out of every log, and what people say too unless `log_text`.

    httpx logs every URL (the token is part of it) at INFO, httpcore at DEBUG; python-telegram-bot
    logs messages at DEBUG.
    """
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    if not log_text:
        logging.getLogger("telegram").setLevel(logging.INFO)
    mask = _TokenMask(token)
    for name in ("root", "telegram", "telegram.Bot", "telegram.ext.Updater"):
        logger = logging.getLogger(name)
        for target in (logger, *logger.handlers):
            for old in [f for f in target.filters if isinstance(f, _TokenMask)]:
                target.removeFilter(old)
            target.addFilter(mask)
