"""One clear sentence for each way a model can fail, in English and Chinese; and for learning that waits for one.

Never the provider's raw words, never a key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from memory.errors import ModelError, ModelErrorCode
from memory.models import LEARNING, Json, Lang

_SENTENCES: Mapping[ModelErrorCode, tuple[str, str]] = {
    "bad_key": (
        "{host} does not accept the API key. Check OPENAI_API_KEY or the key in {env}.",
        "{host} 不接受这个 API 密钥。请检查 OPENAI_API_KEY 或 {env} 里的密钥。",
    ),
    "no_credit": (
        "The account at {host} has no credit left. Top it up there, or choose another model.",
        "{host} 上的账户额度已用完。请充值，或换一个模型。",
    ),
    "rate_limit": (
        "{host} asks us to slow down. Try again {wait}.",
        "{host} 的请求过于频繁。请{wait}再试。",
    ),
    "unknown_model": (
        "{host} has no model called “{model}”. Set EBB_CHAT_MODEL or EBB_MEMORY_MODEL to one it has.",
        "{host} 没有名为“{model}”的模型。请把 EBB_CHAT_MODEL 或 EBB_MEMORY_MODEL 设为它有的模型。",
    ),
    "no_connection": (
        "{host} cannot be reached. Check the network and the address.",
        "无法连接到 {host}。请检查网络和地址。",
    ),
    "timeout": (
        "{host} took too long to answer. Try again.",
        "{host} 太久没有回应。请重试。",
    ),
    "cut_off": (
        "The answer from {host} broke off in the middle. Ask again for the rest.",
        "来自 {host} 的回答中途断开。可以再问一次。",
    ),
    "context_too_long": (
        "This is longer than “{model}” can read. Start anew with /new, or lower EBB_CONTEXT_TOKENS.",
        "内容超出了“{model}”能读的长度。用 /new 重新开始，或调低 EBB_CONTEXT_TOKENS。",
    ),
    "bad_request": (
        "{host} does not understand the request. Check that its address and the model “{model}” fit together.",
        "{host} 无法理解这个请求。请检查地址与模型“{model}”是否匹配。",
    ),
    "server": (
        "{host} has trouble of its own. Try again {wait}.",
        "{host} 自身出了问题。请{wait}再试。",
    ),
    "unreadable": (
        "What {host} sent cannot be read. If it stays so, check that its address is right.",
        "{host} 返回的内容无法读取。如果一直如此，请检查地址是否正确。",
    ),
}
_UNITS = {"second": "秒", "minute": "分钟", "hour": "小时"}
_NOBODY = ("The model’s server", "模型服务器")
_NO_NAME = ("the model", "所选模型")
_NO_KEY = (
    "There is no API key for {host}. Set OPENAI_API_KEY, or run `ebb` to choose who answers.",
    "还没有 {host} 的 API 密钥。请设置 OPENAI_API_KEY，或运行 `ebb` 选择由谁回答。",
)
_NO_OLLAMA_MODEL = (
    "Ollama has no model to chat with yet. Fetch one, for example: ollama pull qwen3:4b",
    "Ollama 还没有可以聊天的模型。请先获取一个，例如：ollama pull qwen3:4b",
)
_NO_WORD = (
    "“{model}” answered without a word. Ask again, or choose another model.",
    "“{model}”的回答里一个字也没有。请再问一次，或换一个模型。",
)
_MISSING_IN_OLLAMA = (
    "Ollama has no model called “{model}”. Fetch it with: ollama pull {model}",
    "Ollama 没有名为“{model}”的模型。可以这样获取：ollama pull {model}",
)

_LEARNING_WAITS = (
    "I can’t learn right now: {why} Nothing is lost; I’ll catch up.",
    "我现在没法记新的内容：{why}什么都不会丢，之后会补上。",
)
_LEARNING_FAILED = (
    "I could not learn from something you said. It is kept, and I’ll go over it again later.",
    "有一段话我没能记成。它已保存，之后我会再整理一遍。",
)


class LearningTrouble:
    """Decides when a person hears that learning waits or failed: once, until it has worked again."""

    def __init__(self) -> None:
        self._told = False

    def sentence(self, job: Mapping[str, Json], lang: Lang) -> str:
        """What to say about the end of a job, given as its change says it; empty where nothing is to be said."""
        outcome = job.get("outcome")
        if job.get("kind") not in LEARNING:
            return ""
        if outcome in ("saved", "nothing"):
            self._told = False
        if self._told or outcome not in ("waiting", "failed"):
            return ""
        self._told, zh = True, lang == "zh"
        if outcome == "failed":
            return _LEARNING_FAILED[zh]
        error = ModelError(job["error"], model=str(job.get("model", "")), host=str(job.get("host", "")))
        return _LEARNING_WAITS[zh].format(why=sentence(error, lang))


def sentence(error: ModelError, lang: Lang, *, model: str = "", host: str = "") -> str:
    """What a person is told. What the error itself knows of model and host comes before the arguments."""
    zh = lang == "zh"
    host, model = error.host or host, error.model or model
    form = _SENTENCES[error.code][zh]
    if error.code == "bad_key" and error.detail == "no key":
        form = _NO_KEY[zh]
    elif error.code == "unreadable" and error.detail == "empty":
        form = _NO_WORD[zh]
    elif error.code == "unknown_model" and error.detail.startswith("ollama"):
        form = (_MISSING_IN_OLLAMA if model else _NO_OLLAMA_MODEL)[zh]
    filled = form.format(
        host=host or _NOBODY[zh],
        model=model or _NO_NAME[zh],
        wait=wait(error.retry_after, lang),
        env="$EBB_HOME/.env",
    )
    return filled[0].upper() + filled[1:] if filled.startswith("the ") else filled


def wait(seconds: float | None, lang: Lang) -> str:
    """`in 20 seconds`, `in 3 minutes`, `in a moment`; 20 秒后, 3 分钟后, 稍后."""
    zh = lang == "zh"
    if seconds is None or seconds <= 0:
        return "稍后" if zh else "in a moment"
    if seconds < 90:
        n, unit = math.ceil(seconds), "second"
    elif seconds < 5400:
        n, unit = math.ceil(seconds / 60), "minute"
    else:
        n, unit = math.ceil(seconds / 3600), "hour"
    if zh:
        return f"{n} {_UNITS[unit]}后"
    return f"in {n} {unit}{'s' if n != 1 else ''}"
