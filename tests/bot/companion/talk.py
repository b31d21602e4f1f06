"""What the tests of the companion share: a fixed moment, and requests built the way Ebb builds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from bot.llm.companion import Companion
from bot.llm.companion.model import respond
from memory.learn import lines
from memory.ports import Chunk, ModelRequest, Task

AT, TZ = "2026-11-21T10:00:00+01:00", "Europe/Paris"  # a Saturday


Row: TypeAlias = tuple[str, str] | tuple[str, str, bool]  # id, text, negated


def monitored(
    text: str,
    known: Sequence[Row] = (),
    *,
    before: Sequence[tuple[str, str]] = (),
    reply: str = "…",
    at: str = AT,
    tz: str = TZ,
) -> list[lines.Line]:
    """The monitor's operations for one exchange, read by the parser that Ebb reads them with."""
    data = {
        "exchange": [{"role": "user", "text": text, "at": at}, {"role": "assistant", "text": reply, "at": at}],
        "context": [{"role": r, "text": t} for r, t in before],
        "reference": [
            {"id": k[0], "text": k[1], "kind": "fact", "negated": bool(k[2]) if len(k) > 2 else False} for k in known
        ],
        "now": at,
        "tz": tz,
        "lang": "en",
    }
    found, unread = lines.read(respond("monitor", data))
    assert not unread
    return [x for x in found if x.op != "skip"]


class Talk:
    """A conversation with the companion; `profile` and `recalled` are what memory brings to each turn."""

    def __init__(
        self,
        profile: Sequence[str] = (),
        recalled: Sequence[dict[str, Any]] = (),
        episode: str = "",
        *,
        lang: str = "en",
        now: str = AT,
    ) -> None:
        self.profile = [{"id": f"p{i}", "text": t, "kind": "identity"} for i, t in enumerate(profile)]
        self.recalled = [{"id": f"r{i}", "kind": "fact", "level": "full", **r} for i, r in enumerate(recalled)]
        self.episode, self.lang, self.now = episode, lang, now
        self.history: list[dict[str, str]] = []

    def data(self, text: str, note: str = "") -> dict[str, Any]:
        """The request's data for one message."""
        return {
            "message": text,
            "history": list(self.history),
            "profile": self.profile,
            "recalled": self.recalled,
            "summary": "",
            "episode": self.episode,
            "note": note,
            "lang": self.lang,
            "now": self.now,
            "tz": TZ,
        }

    def say(self, text: str, note: str = "") -> str:
        """The reply; both become history."""
        reply = respond("chat", self.data(text, note))
        self.history += [{"role": "user", "text": text}, {"role": "assistant", "text": reply}]
        return reply


async def streamed(task: Task, data: dict[str, Any]) -> list[Chunk]:
    """Every chunk of an answer."""
    request = ModelRequest(task=task, messages=[], data=data)
    return [c async for c in Companion(pause=0).stream(request)]
