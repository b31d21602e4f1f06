"""What is over goes, so that a store that is used for years grows by what is remembered alone."""

from __future__ import annotations

from typing import Any

from memory.ports import Transaction
from memory.store import jobs
from tests.memory.upkeep.night import Home

DAILY = 6


async def day(home: Home, n: int) -> None:
    """A day of talking: jobs, all of them done."""
    at = home.now

    def enqueue(tx: Transaction) -> None:
        for i in range(DAILY):
            tx.jobs.enqueue("monitor", f"turn-{n}-{i}", {"turn_ids": []}, at)

    await home.write(enqueue)
    while (job := await home.store.write_system(lambda s: s.lease(at, home.later(minutes=1), "w", kinds=["monitor"]))) is not None:  # fmt: skip
        leased = job
        assert await home.store.finish_job(leased, lambda _tx: {"outcome": "nothing"})


async def counts(home: Home) -> dict[str, int]:
    """Rows of what is not memory."""
    tables = ("jobs", "nights")

    def read(tx: Any) -> dict[str, int]:
        return {t: tx.con.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in tables}

    found: dict[str, int] = await home.read(read)
    return found


async def test_nothing_grows_for_ever(home: Home) -> None:
    """After half a year there is no more of it than after two months."""
    early: dict[str, int] = {}
    for n in range(181):
        await day(home, n)
        if n % 5 == 0:
            await home.night()
        home.later(days=1)
        if n == 60:
            early = await counts(home)
    late = await counts(home)
    assert late["jobs"] <= (jobs.JOBS_KEPT.days + 6) * (DAILY + 2)
    assert all(late[t] <= early[t] * 1.2 + 10 for t in early if t != "nights"), (early, late)


async def test_what_exactly_once_needs_is_kept(home: Home) -> None:
    """A job asked for again, an unfinished one, a receipt."""
    began = home.now
    await day(home, 1)
    await home.write(lambda tx: tx.jobs.enqueue("monitor", "waits", {"turn_ids": []}, began))
    await home.write(
        lambda tx: tx.jobs.enqueue(
            "scrub", "purge:1", {"places": {"memories": 1}}, began, lane="scrub"
        )
    )
    scrub = await home.store.write_system(lambda s: s.lease(began, home.now, "w", kinds=["scrub"]))
    assert scrub is not None
    assert await home.store.finish_job(scrub, lambda _tx: {})

    home.now = began
    home.later(days=6)
    await home.night()
    at = home.now
    again = await home.write(lambda tx: tx.jobs.enqueue("monitor", "turn-1-0", {}, at))
    assert again is None  # done six days ago, and still known
    home.later(days=60)
    await home.night()

    def left(tx: Transaction) -> tuple[list[str], list[str]]:
        return [j.dedup_key for j in tx.jobs.list_pending("monitor")], [
            j.dedup_key for j in tx.jobs.list_latest("scrub", 5)
        ]

    assert await home.read(left) == (["waits"], ["purge:1"])


async def test_a_portion_at_a_time(home: Home) -> None:
    """However much has gathered, one look takes a bounded part of it."""
    for n in range(4):
        await day(home, n)
    at = home.later(days=90)

    def portions(tx: Any) -> list[int]:
        return [tx.jobs.prune(at, most=10) for _ in range(4)]

    taken = await home.write(portions)
    assert taken == [10, 10, 4, 0]
