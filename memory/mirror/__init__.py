"""MEMORY.md: what Ebb remembers of one person, to be read and edited in any editor (S3, DESIGN §9)."""

from __future__ import annotations

from memory.mirror.apply import answered
from memory.mirror.sync import Mirror, Place, Report

__all__ = ["Mirror", "Place", "Report", "answered"]
