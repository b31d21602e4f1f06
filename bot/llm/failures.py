"""What goes wrong at an endpoint, as a ModelError. Imported with the openai SDK, never before."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from typing import Any

import httpx2
import openai

from memory.errors import ModelError, ModelErrorCode

_CREDIT = re.compile(
    r"insufficient.?(?:quota|balance|credit|funds)|exceeded your current quota|billing|credit balance|out of credits?"
    r"|payment required|arrearage|余额|欠费|额度",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"context.?(?:length|window|size)|maximum.{0,20}tokens|too many (?:input )?tokens|prompt is too long"
    r"|input (?:is )?too long|exceeds? .{0,40}(?:token|context)|reduce the length|range of input length",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model.{0,80}(?:not.?(?:found|exist|supported|valid)|does not exist|unknown|unavailable|no longer)"
    r"|(?:unknown|invalid|no such|not a valid|unsupported|find the|no endpoints found for) model|模型不存在",
    re.IGNORECASE | re.DOTALL,
)
_KEY = re.compile(r"api.?key|unauthorized|authentication|credential|access token", re.IGNORECASE)
_WAIT = re.compile(
    r"(?:try again|retry) in (?:about )?(?:(\d+)m(?!s))?\s{0,9}([\d.]+)?\s{0,9}(ms|s)?",
    re.IGNORECASE,
)
_SCHEMA = re.compile(r"schema|grammar|structured.?outputs?", re.IGNORECASE)
_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|gsk|key|AIza)[-_]?[A-Za-z0-9_*\-]{8,}")


def translate(
    error: BaseException, *, model: str, host: str, partial: str = "", key: str = ""
) -> ModelError:
    """Return the ModelError that says what happened. `key` is kept out of its detail."""
    code, wait = _code(error, partial)
    if isinstance(error, openai.APIError):
        said = error.message
    elif isinstance(error, json.JSONDecodeError):
        said = error.msg
    else:
        said = str(error)
    cause = error.__cause__
    detail = f"{type(error).__name__}: {said}" + (
        f" ({type(cause).__name__})" if cause is not None else ""
    )
    return ModelError(
        code, detail=scrub(detail, key), retry_after=wait, partial=partial, model=model, host=host
    )


def scrub(text: str, key: str = "") -> str:
    """One short line without anything that looks like a key."""
    if key:
        text = text.replace(key, "…")
    return " ".join(_LIKE_A_KEY.sub("…", text).split())[:200]


def _code(error: BaseException, partial: str) -> tuple[ModelErrorCode, float | None]:
    cause = error.__cause__ or error
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    if isinstance(cause, httpx2.ConnectTimeout):
        return "no_connection", None
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return "timeout", None
    if isinstance(
        error, openai.APIConnectionError | httpx2.HTTPError | httpx2.InvalidURL | OSError
    ):
        return ("cut_off" if partial else "no_connection"), None
    if isinstance(error, openai.APIResponseValidationError):
        return "unreadable", None
    if isinstance(error, openai.APIError):
        return _of_body(error)
    return "unreadable", None


def _of_status(error: openai.APIStatusError) -> tuple[ModelErrorCode, float | None]:
    status, words = error.status_code, _words(error)
    if status == 402 or (status in {400, 403, 429} and _CREDIT.search(words)):
        return "no_credit", None
    if status == 429:
        return "rate_limit", retry_after(error.response.headers, words)
    if status >= 500:
        return "server", retry_after(error.response.headers, "")
    if status == 401:
        return "bad_key", None
    if status == 403:
        return (
            "bad_key" if _KEY.search(words) or "unsupported_country" not in words else "bad_request"
        ), None
    if status == 404:
        return ("unknown_model" if _MODEL.search(words) else "bad_request"), None
    if status == 413 or "context_length_exceeded" in words or _CONTEXT.search(words):
        return "context_too_long", None
    if status == 408:
        return "timeout", None
    if status in {409, 425}:
        return "server", None
    if _MODEL.search(words):
        return "unknown_model", None
    return ("bad_key" if status == 400 and _KEY.search(words) else "bad_request"), None


def _of_body(error: openai.APIError) -> tuple[ModelErrorCode, float | None]:
    """Read an error object inside a stream: it has no status of its own."""
    words = _words(error)
    if _CREDIT.search(words):
        return "no_credit", None
    if re.search(r"rate.?limit|too many requests|\b429\b", words, re.IGNORECASE):
        return "rate_limit", retry_after({}, words)
    if "context_length_exceeded" in words or _CONTEXT.search(words):
        return "context_too_long", None
    return "server", None


def _words(error: openai.APIError) -> str:
    """Code, type and message, wherever the server put them."""
    body = error.body if isinstance(error.body, Mapping) else {}
    return " ".join(
        str(x) for x in (error.code, error.type, error.message, body.get("detail", "")) if x
    )


def retry_after(headers: Mapping[str, str], words: str) -> float | None:
    """Seconds to wait, from the headers (seconds, milliseconds, or a date against the server's own), or the words."""
    try:
        if headers.get("retry-after-ms"):
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        given = headers.get("retry-after", "").strip()
        if given.replace(".", "", 1).isdigit():
            return float(given)
        if given and headers.get("date"):
            then, now = (email.utils.parsedate_to_datetime(x) for x in (given, headers["date"]))
            return max(0.0, (then - now).total_seconds())
    except ValueError:
        pass
    if (m := _WAIT.search(words)) and (m[1] or m[2]):
        seconds = float(m[2] or 0) / (1000 if m[3] == "ms" else 1)
        return int(m[1] or 0) * 60 + seconds
    return None


def find_rejected_parameter(error: Any, names: set[str]) -> str | None:
    """Which of the parameters `names` a 400 or 422 is about, if one."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in {
        400,
        404,
        422,
        500,
        501,
    }:
        return None
    words = f"{error.param or ''} {_words(error)} {error.body if isinstance(error.body, str | list) else ''}"
    found = [n for n in sorted(names, key=len, reverse=True) if re.search(rf"\b{n}\b", words)]
    if not found and "response_format" in names and _SCHEMA.search(words):
        return "response_format"
    return found[0] if found else None
