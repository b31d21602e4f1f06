"""Thinking that a model writes into its answer, kept out of it while it streams.

Only blocks at the very beginning are hidden (as models write them): a later `<think>` is somebody
talking about HTML. A tag may come in any number of pieces.
"""

from __future__ import annotations

from typing import Literal

_TAGS = (
    *((f"<{name}>", f"</{name}>") for name in ("think", "thinking", "thought", "reasoning")),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)


class ThinkingFilter:
    """Feed it pieces; it gives back what may be shown.

    `thought` says whether something was hidden.
    """

    def __init__(self) -> None:
        self.thought = False
        self._state: Literal["start", "inside", "after"] = "start"
        self._held = ""
        self._close = ""

    def feed(self, piece: str) -> str:
        """Take a piece and return what can be shown now."""
        if self._state == "after":
            return piece
        self._held += piece
        while True:
            if self._state == "start":
                text = self._held.lstrip()
                lowered = text.lower()
                tag = next((t for t in _TAGS if lowered.startswith(t[0].lower())), None)
                if tag is None:
                    return self._not_thinking(text, lowered)
                self._state, self._close, self.thought = "inside", tag[1], True
                self._held = text[len(tag[0]) :]
            at = self._held.lower().find(self._close.lower())
            if at < 0:
                self._held = self._held[-(len(self._close) - 1) :]
                return ""
            self._state, self._held = "start", self._held[at + len(self._close) :]

    def _not_thinking(self, text: str, lowered: str) -> str:
        """Return what is no tag; nothing while it may still become one."""
        if not text or any(t[0].lower().startswith(lowered) for t in _TAGS):
            return ""
        shown = text if self.thought else self._held
        self._state, self._held = "after", ""
        return shown

    def close(self) -> str:
        """Return what was held back and turns out to be no thinking."""
        held, self._held = self._held, ""
        return held if self._state == "start" and (held.strip() or not self.thought) else ""
