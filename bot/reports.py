"""What is told about models that fail and about work in the background: one clear sentence each.

Never the provider's raw words, never a key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from bot.texts import Texts
from memory.errors import ModelError
from memory.models import LEARNING, Json, Lang

say = Texts("reports")


class LearningTroubleNotice:
    """Tells a person that learning waits or failed: once, until it has worked again."""

    def __init__(self) -> None:
        self._told = False

    def sentence(self, job: Mapping[str, Json], lang: Lang) -> str:
        """Say what came of a job, given as its change says it; empty where there is no news."""
        outcome = job.get("outcome")
        if job.get("kind") not in LEARNING:
            return ""
        if outcome in ("saved", "nothing"):
            self._told = False
        if self._told or outcome not in ("waiting", "failed"):
            return ""
        self._told = True
        if outcome == "failed":
            return say(lang, "learning.failed")
        error = ModelError(
            job["error"], model=str(job.get("model", "")), host=str(job.get("host", ""))
        )
        return say(lang, "learning.waiting", why=describe_error(error, lang))


def describe_error(error: ModelError, lang: Lang, *, model: str = "", host: str = "") -> str:
    """Tell a person why a model failed.

    What the error itself knows of model and host comes first.
    """
    host, model = error.host or host, error.model or model
    key: str = error.code
    if error.code == "bad_key" and error.detail == "no key":
        key = "no_key"
    elif error.code == "unreadable" and error.detail == "empty":
        key = "no_word"
    elif error.code == "unknown_model" and error.detail.startswith("ollama"):
        key = "missing_in_ollama" if model else "no_ollama_model"
    filled = say(
        lang,
        key,
        host=host or say(lang, "nobody"),
        model=model or say(lang, "no_name"),
        wait=wait(error.retry_after, lang),
        env="$EBB_HOME/.env",
    )
    return filled[0].upper() + filled[1:] if filled.startswith("the ") else filled


def wait(seconds: float | None, lang: Lang) -> str:
    """Write `in 20 seconds`, `in 3 minutes`, `in a moment`; 20 秒后, 3 分钟后, 稍后."""
    if seconds is None or seconds <= 0:
        return say(lang, "wait")
    unit, size = (
        ("second", 1) if seconds < 90 else ("minute", 60) if seconds < 5400 else ("hour", 3600)
    )
    n = math.ceil(seconds / size)
    return say(lang, f"wait.{unit}" if n == 1 else f"wait.{unit}s", n=n)


def read_out(result: Mapping[str, Json], lang: Lang) -> str:
    """Say what a model's reading of quotations came to: `result` is the job's."""
    return say(lang, "quotes.done", quotes=result["quotes"], new=result["new"], set=result["set"])


def describe_switch(result: Mapping[str, Json], lang: Lang) -> str:
    """Say what a finished switch of curves came to: `result` is the job's."""
    text = say(lang, "switch.done", curve=result["curve"], was=result["was"], moved=result["moved"])
    fainter = int(result.get("fainter") or 0)
    return (
        f"{text} {say(lang, 'switch.fainter', n=fainter, curve=result['curve'])}"
        if fainter
        else text
    )
