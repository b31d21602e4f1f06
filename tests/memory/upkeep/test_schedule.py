"""When nights are due, and that each is put down once."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from memory.ports import Transaction
from memory.upkeep import service as schedule
from tests.memory.upkeep.night import START, Home

PARIS, SHANGHAI = "Europe/Paris", "Asia/Shanghai"


@pytest.mark.parametrize(
    ("now", "tz", "hour", "night"),
    [
        (datetime(2026, 1, 3, 3, 0, tzinfo=UTC), PARIS, 4, date(2026, 1, 3)),
        (datetime(2026, 1, 3, 2, 59, tzinfo=UTC), PARIS, 4, date(2026, 1, 2)),
        (datetime(2026, 1, 2, 20, 0, tzinfo=UTC), SHANGHAI, 4, date(2026, 1, 3)),
        (datetime(2026, 1, 3, 12, 0, tzinfo=UTC), "nowhere", 4, date(2026, 1, 3)),
        (datetime(2026, 1, 3, 23, 30, tzinfo=UTC), "UTC", 23, date(2026, 1, 3)),
        (datetime(2026, 1, 3, 0, 0, tzinfo=UTC), "UTC", 0, date(2026, 1, 3)),
    ],
)
def test_a_night_belongs_to_the_local_date(now: datetime, tz: str, hour: int, night: date) -> None:
    """From its hour on, in the person's own zone."""
    assert schedule.find_last_night(now, tz, hour) == night


def test_every_date_has_one_night_also_when_clocks_change() -> None:
    """An hour that does not exist, or exists twice, is one moment."""
    for first in (date(2026, 3, 27), date(2026, 10, 23)):
        dates = [first + timedelta(days=n) for n in range(5)]
        for hour in (1, 2, 3, 4):
            moments = [schedule.compute_due_time(d, PARIS, hour) for d in dates]
            assert moments == sorted(set(moments))
            assert [schedule.find_last_night(m, PARIS, hour) for m in moments] == dates


def test_missed_nights_are_counted_one_by_one() -> None:
    """From the one after the last; without a last one only the newest; never more than a year and a bit."""
    now = datetime(2026, 1, 10, 12, 0, tzinfo=UTC)
    assert [n.day for n in schedule.list_nights_since("2026-01-06", now, "UTC", 4)] == [7, 8, 9, 10]
    assert [n.day for n in schedule.list_nights_since(None, now, "UTC", 4)] == [10]
    assert schedule.list_nights_since("2026-01-10", now, "UTC", 4) == ()
    assert len(schedule.list_nights_since("2001-01-01", now, "UTC", 4)) == schedule.MOST_MISSED + 1


async def pending(home: Home) -> list[tuple[str, datetime]]:
    return [
        (j.dedup_key, j.run_at) for j in await home.read(lambda tx: tx.jobs.list_pending("upkeep"))
    ]


async def test_the_next_night_is_put_down_once(home: Home) -> None:
    """However often, from however many processes; a new person has missed nothing."""
    home.options = {"tz": PARIS, "hour": 4}
    assert await home.keeper.plan(home.user, home.now)
    for _ in range(3):
        assert not await home.keeper.plan(home.user, home.now)
    assert not await home.write(lambda tx: schedule.plan_nights(tx, home.now, PARIS, 4))
    assert await pending(home) == [("night:2026-01-04", datetime(2026, 1, 4, 3, 0, tzinfo=UTC))]


async def test_a_missed_night_is_made_up_for_at_once(home: Home) -> None:
    """Once, for all that were missed; by the job that waits, or by one of its own."""
    await home.keeper.plan(home.user, home.now)
    home.later(days=3)
    await home.keeper.plan(home.user, home.now)
    assert [key for key, _ in await pending(home)] == ["night:2026-01-04", "night:2026-01-07"]
    job = await home.store.write_system(
        lambda s: s.lease(home.now, home.now + timedelta(hours=1), home.worker, kinds=["upkeep"])
    )
    assert job is not None
    effect = await home.keeper.job(job, home.now)
    assert await home.store.finish_job(job, effect)
    assert [r.night for r in await home.keeper.reports(home.user, 9)] == ["2026-01-06"]
    assert not await home.keeper.plan(home.user, home.now)
    assert [key for key, _ in await pending(home)] == ["night:2026-01-07"]


async def test_a_night_nobody_put_down_is_made_up_for_too(home: Home) -> None:
    """A store from before there was upkeep."""
    home.later(days=3)
    await home.keeper.plan(home.user, home.now)
    assert await pending(home) == [
        ("night:2026-01-06", home.now),
        ("night:2026-01-07", datetime(2026, 1, 7, 4, 0, tzinfo=UTC)),
    ]


async def test_a_run_by_hand_counts_for_its_night(home: Home) -> None:
    """And puts down the next one."""
    home.later(days=1)
    await home.night()
    assert [key for key, _ in await pending(home)] == ["night:2026-01-05"]
    assert not await home.keeper.plan(home.user, home.now)


async def test_the_persons_own_zone_decides(home: Home) -> None:
    """Not the machine's."""
    from dataclasses import replace

    def settle(tx: Transaction) -> None:
        tx.put_user(replace(tx.user(), tz=SHANGHAI))

    await home.write(settle)
    await home.keeper.plan(home.user, START)
    assert await pending(home) == [("night:2026-01-04", datetime(2026, 1, 3, 20, 0, tzinfo=UTC))]


async def test_no_night_is_lost_when_the_hour_is_changed(home: Home) -> None:
    """From four in the morning to eleven at night: the job of a date has run as the night before, and runs again."""
    nights: list[str] = []
    home.options["hour"] = 4
    await home.keeper.plan(home.user, home.now)
    home.options["hour"] = 23
    until = home.now + timedelta(days=4)
    while home.now < until:
        home.later(minutes=30)
        await home.keeper.plan(home.user, home.now)
        lease = home.now + timedelta(minutes=1)
        job = await home.store.write_system(
            lambda s: s.lease(home.now, lease, home.worker, kinds=["upkeep"])
        )
        if job is not None:
            assert await home.store.finish_job(job, await home.keeper.job(job, home.now))
            nights.append(
                f"{home.now:%d %H} as {(await home.keeper.reports(home.user))[0].night[-2:]}"
            )
    assert nights == ["03 23 as 03", "04 04 as 03", "04 23 as 04", "05 23 as 05", "06 23 as 06"]
