"""What the store's tests share: a fixed time, memories to write, vectors to compare, processes to kill."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memory.models import CurveState, Filter, Kind, Layer, Memory, Message
from memory.ports import FloatArray
from memory.store import SqliteStore

NOW = datetime(2026, 1, 3, 18, 0, tzinfo=UTC)
KEY = b"k" * 32
MODEL = "test:letters:16"
ROOT = Path(__file__).resolve().parents[3]


def clock() -> datetime:
    """Time stands still."""
    return NOW


def later(**delta: float) -> datetime:
    """So much after NOW."""
    return NOW + timedelta(**delta)


def a_memory(text: str, **fields: Any) -> Memory:
    """A memory as somebody would add it."""
    given: dict[str, Any] = {
        "id": "",
        "user_id": "",
        "content": text,
        "original_content": text,
        "language": "en",
        "layer": Layer.FACT,
        "kind": Kind.FACT,
        "created_at": NOW,
        "last_activated_at": NOW,
        "curve": "fade",
        "curve_state": CurveState(1.0, NOW),
        "importance": 1.5,
        "importance_at": NOW,
    }
    return Memory(**(given | fields))


def a_message(session_id: str, text: str, **fields: Any) -> Message:
    """A message as the loop would store it."""
    given: dict[str, Any] = {
        "id": "",
        "session_id": session_id,
        "turn_id": None,
        "author_user_id": None,
        "role": "user",
        "text": text,
        "at": NOW,
        "tz": "UTC",
    }
    return Message(**(given | fields))


def vector(seed: int, dim: int = 16) -> FloatArray:
    """A unit vector, the same for the same seed."""
    v = np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    return np.asarray(v / np.linalg.norm(v), dtype=np.float32)


async def neighbours(
    store: SqliteStore, user: str, ids: Sequence[str], hops: int
) -> dict[str, float]:
    """Memories that share entities with these, up to so many hops away: how close each is, the closest first."""
    columns = await store._readers[0].run(lambda con: store.indexes.columns(con, user))
    start = [columns.ids.index(i) for i in ids if i in columns.ids]
    places, values = await store.open_reader(user).score_linked_rows(
        np.array(start, np.int64), hops, Filter()
    )
    return {columns.ids[places[i]]: float(values[i]) for i in np.argsort(-values)}


def spawn(script: str, *args: str, python: str = sys.executable) -> subprocess.Popen[str]:
    """Another process that runs `script` with the project importable."""
    path = os.pathsep.join([str(ROOT), *(p for p in sys.path if p.endswith("site-packages"))])
    return subprocess.Popen(
        [python, "-W", "error", "-c", script, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": os.defpath, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=ROOT,
    )


def finished(process: subprocess.Popen[str], timeout: float = 40) -> str:
    """Its output; fails with its errors if it failed."""
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return out
