"""What is kept of those who asked last."""

from __future__ import annotations

import pytest

from memory.store import SqliteStore, reader
from memory.store.reader import UserIndex


async def test_those_that_asked_longest_ago_go_first(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When somebody new comes and there is more than may be; who asks again stays."""
    monkeypatch.setattr(reader, "_KEPT", 6)
    monkeypatch.setattr(UserIndex, "size", lambda self: self.through)
    indexes = store.indexes
    for name in "abc":
        indexes.get_user(name).through = 3
    assert "a" in indexes._users  # too many together, but nobody new has come since
    assert indexes.get_user("a").through == 3
    assert indexes.get_user("d").through == 0
    assert [name in indexes._users for name in "abcd"] == [True, False, True, True]
    indexes.forget()
    assert "a" not in indexes._users
