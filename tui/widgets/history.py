"""What this person wrote before, for the arrow keys."""

from __future__ import annotations

from collections.abc import Sequence

REMEMBERED = 500  # own messages kept


class InputHistory:
    """This person's own past messages; the draft is kept while one looks back."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._at = 0
        self._draft = ""

    def fill(self, said: Sequence[str]) -> None:
        """What was said before this window opened goes before what was said in it."""
        self._said = [*said, *self._said][-REMEMBERED:]
        self._at = len(self._said)

    def add(self, text: str) -> None:
        """Said now; a secret is not kept."""
        from memory.privacy import redact  # not before the first paint

        text = redact(text)[0]
        if not self._said or self._said[-1] != text:
            self._said.append(text)
        self._said = self._said[-REMEMBERED:]
        self._at = len(self._said)

    def __len__(self) -> int:
        return len(self._said)

    def cut(self, length: int) -> None:
        """Let go of what was said since it had that length."""
        del self._said[length:]
        self._at = len(self._said)

    def step(self, by: int, current: str) -> str | None:
        """The message before (-1) or after (+1); None at either end."""
        to = self._at + by
        if not 0 <= to <= len(self._said):
            return None
        if self._at == len(self._said):
            self._draft = current
        self._at = to
        return self._draft if to == len(self._said) else self._said[to]
