"""Memories as version 0.1 left them where a reviewer had let go of them under curves that never forget."""

from __future__ import annotations

from dataclasses import replace

from memory.models import Level, Memory


def set_aside(m: Memory) -> Memory:
    """ARCHIVE until its next use; its weight stays what the curve says."""
    data = {**m.curve_state.data, "archived": True}
    return replace(m, curve_state=replace(m.curve_state, data=data), level=Level.ARCHIVE)
