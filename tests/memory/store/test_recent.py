"""What is kept of those who asked last."""

from __future__ import annotations

from memory.store.reader import RecentCache


def test_those_that_asked_longest_ago_go_first() -> None:
    """When somebody new comes and there is more than may be; who asks again stays."""
    kept: RecentCache[str, list[int]] = RecentCache(list, len, 6)
    for name in "abc":
        kept.of(name).extend([1, 2, 3])
    assert "a" in kept._kept  # too many together, but nobody new has come since
    assert kept.of("a") == [1, 2, 3]
    assert kept.of("d") == []
    assert [kept._kept.get(name) for name in "abcd"] == [[1, 2, 3], None, [1, 2, 3], []]
    kept.forget()
    assert "a" not in kept._kept
