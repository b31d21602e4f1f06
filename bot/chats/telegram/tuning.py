"""The bot's paces: what Telegram tolerates, and how long we wait for what belongs together.

All in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BotTiming:
    """Defaults are for the real Telegram; tests shorten them."""

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
    silent_poll: float = 150.0  # no request for so long: polling is started anew
    conflict: float = 60.0  # two pollers for so long: we give way
    drain: float = 15.0  # for running replies, when stopping
    stranger: float = 86_400.0  # between two sentences to the same stranger
    people: float = (
        3.0  # how old what we know of who is in may be: another process may let somebody in or go
    )

    def interval(self, *, private: bool) -> float:
        """Least time between two edits in that sort of chat."""
        return self.private_interval if private else self.group_interval
