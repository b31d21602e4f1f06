"""MEMORY.md: what Ebb remembers of a person, as a file to edit (the session paper)."""

from __future__ import annotations

from memory.mirror.apply import answered
from memory.mirror.sync import Mirror, MirrorPlace, SyncReport

__all__ = ["Mirror", "MirrorPlace", "SyncReport", "answered"]
