"""What is over goes: finished jobs, updates dealt with, where replies went. Bounded, oldest first.

Exactly once rests on what is kept: a job's key for as long as anything may ask for it again, an update's id for
longer than a messenger offers it again, a reply's messages for longer than what was said can still be edited.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from memory.store.rows import to_ms

JOBS_KEPT: Final = timedelta(days=30)
UPDATES_KEPT: Final = timedelta(
    days=7
)  # Telegram offers an update again for 24 hours, and ids begin anew after a week
REPLIES_KEPT: Final = timedelta(days=30)  # and a message can be edited for 48 hours
RECEIPTS_KEPT: Final = 100  # of purges, however old: somebody may want to see them again
TOUCHED_KEPT: Final = 20_000
MOST: Final = 5_000  # rows of each sort at once, so that nobody waits long for the store


def jobs(con: Any, user_id: str, now: datetime, most: int = MOST) -> int:
    """A user's done and cancelled jobs; never one that waits, runs or was given up on, and no receipt of a purge."""
    receipt = "kind = 'scrub' AND instr(payload, '\"places\"')"
    kept = f"SELECT n FROM jobs WHERE user_id = :user AND {receipt} ORDER BY n DESC LIMIT {RECEIPTS_KEPT}"
    done = con.execute(
        "DELETE FROM jobs WHERE n IN (SELECT n FROM jobs WHERE user_id = :user AND state IN ('done', 'cancelled')"
        f" AND run_at < :before AND NOT ({receipt} AND n IN ({kept})) ORDER BY n LIMIT :most)",
        {"user": user_id, "before": to_ms(now - JOBS_KEPT), "most": most},
    )
    return int(done.rowcount)


def touched(con: Any, kept: int = TOUCHED_KEPT) -> int:
    """What says which memories were written; whoever has not looked for so many writes reads all anew."""
    gone = con.execute("DELETE FROM touched WHERE seq <= (SELECT MAX(seq) FROM touched) - ?", (kept,))
    return int(gone.rowcount)


def inbox(con: Any, now: datetime, most: int = MOST) -> int:
    """Updates that were dealt with."""
    rows = con.execute(
        "SELECT provider, bot, update_id FROM inbox WHERE done_at < ? LIMIT ?", (to_ms(now - UPDATES_KEPT), most)
    ).fetchall()
    con.executemany(
        "DELETE FROM inbox WHERE provider = ? AND bot = ? AND update_id = ?", [(r[0], r[1], r[2]) for r in rows]
    )
    return len(rows)


def deliveries(con: Any, now: datetime, most: int = MOST) -> int:
    """Records that say of themselves that they are done; a chat's mode and the like never do."""
    rows = con.execute(
        "SELECT provider, key FROM deliveries WHERE at < ? AND json_extract(value, '$.done') = 1 LIMIT ?",
        (to_ms(now - REPLIES_KEPT), most),
    ).fetchall()
    con.executemany("DELETE FROM deliveries WHERE provider = ? AND key = ?", [(r[0], r[1]) for r in rows])
    return len(rows)
