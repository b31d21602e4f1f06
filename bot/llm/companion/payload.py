"""Reading a request's data, which may hold less than it promises."""

from __future__ import annotations

from collections.abc import Mapping

from memory.models import Json


def mappings(value: Json) -> list[Mapping[str, Json]]:
    """The mappings of a list; nothing of anything else."""
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list | tuple) else []
