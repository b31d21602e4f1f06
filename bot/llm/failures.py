"""What goes wrong at an endpoint, as a ModelError. Imported with the openai SDK, never before."""

from __future__ import annotations

import email.utils
import re
import ssl
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import httpx2
import openai

from memory.errors import ModelError, ModelErrorCode


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_CREDIT: Final = _words(
    r"insufficient.?(?:quota|balance|credit|funds)|exceeded your current quota|billing"
    r"|credit balance|out of credits?|payment required|arrearage|余额|欠费|额度"
)
_CONTEXT: Final = _words(
    r"context.?(?:length|window|size)|maximum.{0,20}tokens|too many (?:input )?tokens"
    r"|prompt is too long|input (?:is )?too long|exceeds? .{0,40}(?:token|context)"
    r"|reduce the length|range of input length"
)
_MODEL: Final = _words(
    r"model.{0,80}(?:not.?(?:found|exist|supported|valid)|does not exist|unknown|unavailable"
    r"|no longer)|(?:unknown|invalid|no such|not a valid|unsupported|find the"
    r"|no endpoints found for) model|模型不存在"
)
_KEY: Final = _words(r"api.?key|unauthorized|authentication|credential|access token")
_RATE: Final = _words(r"rate.?limit|too many requests|\b429\b")
_WAIT: Final = _words(
    r"(?:try again|retry) in (?:about )?(?:(\d+)m(?!s))?\s{0,9}([\d.]+)?\s{0,9}(ms|s)?"
)
_FILTER: Final = _words(
    r"content.?filter|content.?(?:management.?)?policy|data_inspection|inappropriate content"
    r"|\bflagged\b|敏感|不当内容"
)
_ROLE: Final = _words(
    r"\bsystem\b.{0,20}\b(?:role|message|prompt|instruction)|\brole\b.{0,40}\bsystem\b"
    r"|developer instruction"
)
_STREAM: Final = _words(r"\bstream(?:s|ing|ed)?\b")
_SCHEMA: Final = _words(r"schema|grammar|structured.?outputs?")
_IMAGE: Final = _words(
    r"\bimages?\b|image_url|\bvision\b|multi.?modal|图像|图片|视觉"
    r"|content.{0,40}(?:must be|expected|valid).{0,10}string|expected a string"
)
_SPOILT: Final = _words(
    r"too (?:large|big|many|small)|dimension|corrupt|decod|could not process|unable to process"
    r"|(?:invalid|bad) (?:image|base64)(?!.?(?:input|url))"
    r"|unsupported (?:image|file|media).?(?:format|type)"
)
_NOT_ABOUT_IMAGES: Final = {"context_too_long", "no_credit", "rate_limit", "bad_key", "withheld"}
_LIKE_A_KEY: Final = re.compile(r"\b(?:sk|pk|gsk|key|AIza)[-_]?[A-Za-z0-9_*\-]{8,}")

# The first line that fits decides: statuses (none: any; an error inside a stream has 0), words.
_CODES: Final[tuple[tuple[ModelErrorCode, tuple[int, ...], re.Pattern[str] | None], ...]] = (
    ("no_credit", (402,), None),
    ("no_credit", (0, 400, 403, 429), _CREDIT),
    ("withheld", (0, 400, 403), _FILTER),
    ("rate_limit", (429,), None),
    ("rate_limit", (0,), _RATE),
    ("bad_key", (401,), None),
    ("bad_request", (403,), _words("unsupported_country")),
    ("bad_key", (403,), None),
    ("unknown_model", (404,), _MODEL),
    ("bad_request", (404,), None),
    ("context_too_long", (413,), None),
    ("server", (409, 425, *range(500, 600)), None),
    ("context_too_long", (), _CONTEXT),
    ("server", (0,), None),
    ("timeout", (408,), None),
    ("unknown_model", (), _MODEL),
    ("bad_key", (400,), _KEY),
    ("bad_request", (), None),
)


def translate(
    error: BaseException, *, model: str, host: str, partial: str = "", secret: Iterable[str] = ()
) -> ModelError:
    """Return the ModelError that says what happened. What is `secret` stays out of its detail."""
    said = error.message if isinstance(error, openai.APIError) else str(error)
    for value in filter(None, secret):
        said = said.replace(value, "…")
    detail = " ".join(_LIKE_A_KEY.sub("…", said).split())
    detail = f"{type(error).__name__}: {detail}"[:200]
    code, wait = _classify(error, partial)
    if code == "tls":
        trusted = not isinstance(find_tls_error(error), ssl.SSLCertVerificationError)
        detail = "handshake" if trusted else "certificate"
    return ModelError(
        code, detail=detail, retry_after=wait, partial=partial, model=model, host=host
    )


def find_tls_error(error: BaseException | None) -> ssl.SSLError | None:
    """Return the TLS failure that an error goes back to, if one.

    A line that ends in the middle of an answer is none.
    """
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return None if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError) else error


def _classify(error: BaseException, partial: str) -> tuple[ModelErrorCode, float | None]:
    """Return the code of an error, and the seconds to wait where some are named."""
    if not partial and find_tls_error(error):
        return "tls", None
    if isinstance(error.__cause__ or error, httpx2.ConnectTimeout):
        return "no_connection", None
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return "timeout", None
    if isinstance(
        error, openai.APIConnectionError | httpx2.HTTPError | httpx2.InvalidURL | OSError
    ):
        return ("cut_off" if partial else "no_connection"), None
    if isinstance(error, openai.APIResponseValidationError) or not isinstance(
        error, openai.APIError
    ):
        return "unreadable", None
    words = _collect_words(error)
    if isinstance(error, openai.APIStatusError):
        return classify_answer(error.status_code, words, error.response.headers)
    return classify_answer(0, words, {})  # an error object inside a stream


def classify_answer(
    status: int, words: str, headers: Mapping[str, str]
) -> tuple[ModelErrorCode, float | None]:
    """Return the code of a refusal by its status and words, and the seconds to wait, if any."""
    code = next(
        code
        for code, statuses, pattern in _CODES
        if (not statuses or status in statuses) and (pattern is None or pattern.search(words))
    )
    waits = code in {"rate_limit", "server"}
    return code, _read_wait(headers, words if code == "rate_limit" else "") if waits else None


def _collect_words(error: openai.APIError) -> str:
    """Collect code, type and message, wherever the server put them."""
    body = error.body if isinstance(error.body, Mapping) else {}
    found = (error.code, error.type, error.message, body.get("detail", ""))
    return " ".join(str(x) for x in found if x)


def _read_wait(headers: Mapping[str, str], words: str) -> float | None:
    """Return the seconds to wait, from the headers (seconds or a date) or the words."""
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
        return int(m[1] or 0) * 60 + float(m[2] or 0) / (1000 if m[3] == "ms" else 1)
    return None


def find_image_refusal(code: ModelErrorCode, words: str) -> Literal["", "blind", "spoilt"]:
    """Tell whether a refusal is about images: all of them, or those that were sent."""
    if code in _NOT_ABOUT_IMAGES or not _IMAGE.search(words):
        return ""
    return "spoilt" if _SPOILT.search(words) else "blind"


def find_rejected_parameter(error: openai.APIStatusError, names: set[str]) -> str | None:
    """Return which of the parameters `names` a refusal is about, if one."""
    if error.status_code not in {400, 404, 405, 406, 422, 500, 501}:
        return None
    body: Any = error.body if isinstance(error.body, str | list) else ""
    words = f"{error.param or ''} {_collect_words(error)} {body}"
    for name in sorted(names - {"stream", "system"}, key=len, reverse=True):
        if re.search(rf"\b{name}\b", words):
            return name
    if "system" in names and _ROLE.search(words):
        return "system"
    fault = error.status_code == 500 and "support" not in words  # of the server, while it streams
    if "stream" in names and not fault and _STREAM.search(words):
        return "stream"
    return "response_format" if "response_format" in names and _SCHEMA.search(words) else None
