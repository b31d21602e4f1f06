"""A simulated life for those who look at it from several sides."""

from __future__ import annotations

import pytest

from tests.memory.lives import Lived, lived


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Lived:
    """Lived once, by whichever test process comes first."""
    base = tmp_path_factory.getbasetemp()
    return lived(base if worker_id == "master" else base.parent)
