"""The bot's own tables in the memory file: updates, deliveries and questions to a person.

Migrations of the store make them, and a purge and the backups clean them, so that no place that
holds somebody's words is overlooked. Nothing but this module reads or writes them otherwise. Each
function takes a transaction, so that its rows are committed together with whatever else is written.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Final

from memory.models import Json
from memory.ports import SystemTransaction, Transaction

# Telegram offers an update again for a day, and ids begin anew after a week.
UPDATES_KEPT: Final = timedelta(days=7)
REPLIES_KEPT: Final = timedelta(days=30)  # a message can be edited for 48 hours
MOST_PRUNED: Final = 5_000  # rows of each sort at once, so that nobody waits long


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- updates of a front end, and where its replies went ---


def put_update(
    s: SystemTransaction,
    provider: str,
    bot: str,
    update_id: int,
    chat: str,
    payload: str,
    now: datetime,
) -> bool:
    """Keep an update before it is confirmed; False if it is there already."""
    added = s.run_sql(
        "INSERT OR IGNORE INTO inbox (provider, bot, update_id, lane, payload, at)"
        " VALUES (?, ?, ?, ?, ?, ?) RETURNING update_id",
        *(provider, bot, update_id, chat, payload, now),
    )
    return bool(added)


def list_open_updates(s: SystemTransaction, provider: str, bot: str) -> list[tuple[int, str, str]]:
    """List (update_id, chat, payload) of updates not yet dealt with, in order."""
    rows = s.run_sql(
        "SELECT update_id, lane, payload FROM inbox"
        " WHERE provider = ? AND bot = ? AND done_at IS NULL ORDER BY update_id",
        *(provider, bot),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def finish_update(
    s: SystemTransaction, provider: str, bot: str, update_id: int, now: datetime
) -> None:
    """Blank the payload of an update that was dealt with; its id stays known."""
    s.run_sql(
        "UPDATE inbox SET payload = '', done_at = ?"
        " WHERE provider = ? AND bot = ? AND update_id = ?",
        *(now, provider, bot, update_id),
    )


def put_delivery(s: SystemTransaction, provider: str, key: str, value: Json, now: datetime) -> None:
    """Record where a turn's reply went (for exactly one reply per turn), or a chat's state."""
    s.run_sql(
        "INSERT OR REPLACE INTO deliveries (provider, key, value, at) VALUES (?, ?, ?, ?)",
        *(provider, key, _dump(value), now),
    )


def get_delivery(s: SystemTransaction, provider: str, key: str) -> Json:
    """Return what was recorded under the key, None if nothing."""
    rows = s.run_sql("SELECT value FROM deliveries WHERE provider = ? AND key = ?", provider, key)
    return json.loads(rows[0][0]) if rows else None


def prune_updates(s: SystemTransaction, now: datetime, most: int = MOST_PRUNED) -> int:
    """Delete some updates dealt with and replies delivered long ago; return how many.

    A chat's mode and the like are never done, so they stay.
    """
    updates = s.run_sql(
        "DELETE FROM inbox WHERE (provider, bot, update_id) IN"
        " (SELECT provider, bot, update_id FROM inbox WHERE done_at < ? LIMIT ?) RETURNING 1",
        *(now - UPDATES_KEPT, most),
    )
    replies = s.run_sql(
        "DELETE FROM deliveries WHERE (provider, key) IN (SELECT provider, key FROM deliveries"
        " WHERE at < ? AND json_extract(value, '$.done') = 1 LIMIT ?) RETURNING 1",
        *(now - REPLIES_KEPT, most),
    )
    return len(updates) + len(replies)


# --- what a short key of a question's answer stands for ---


def put_choice(
    tx: Transaction, key: str, scope: str, kind: str, payload: Json, expires_at: datetime
) -> None:
    """Keep what a short key stands for; a key used before now stands for this."""
    tx.run_sql("DELETE FROM choices WHERE user_id = ? AND key = ?", tx.user_id, key)
    tx.run_sql(
        "INSERT INTO choices (user_id, key, scope, kind, payload, expires_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        *(tx.user_id, key, scope, kind, _dump(payload), expires_at),
    )


def get_choice(tx: Transaction, key: str, now: datetime) -> tuple[str, str, Json] | None:
    """Return (scope, kind, payload) without taking the choice."""
    rows = tx.run_sql(
        "SELECT scope, kind, payload FROM choices WHERE user_id = ? AND key = ? AND expires_at > ?",
        *(tx.user_id, key, now),
    )
    return (rows[0][0], rows[0][1], json.loads(rows[0][2])) if rows else None


def take_choice(tx: Transaction, key: str, now: datetime) -> tuple[str, str, Json] | None:
    """Return (scope, kind, payload), once; None if unknown, used or expired."""
    found = get_choice(tx, key, now)
    tx.run_sql(
        "DELETE FROM choices WHERE user_id = ? AND (key = ? OR expires_at <= ?)",
        *(tx.user_id, key, now),
    )
    return found


def find_pending_choice(tx: Transaction, scope: str, now: datetime) -> str | None:
    """Return the key of the newest unanswered choice of the scope."""
    rows = tx.run_sql(
        "SELECT key FROM choices WHERE user_id = ? AND scope = ? AND expires_at > ?"
        " ORDER BY n DESC LIMIT 1",
        *(tx.user_id, scope, now),
    )
    return str(rows[0][0]) if rows else None
