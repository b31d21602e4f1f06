"""Ids: Crockford base32, a letter first, six characters or more, never used twice (DESIGN §3)."""

from __future__ import annotations

import secrets
from typing import Any

from memory.errors import Conflict, StoreError

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LETTERS = _ALPHABET[10:]
_FIRST_LENGTH = 6
_TRIES = 64


def new_id(con: Any) -> str:
    """Reserve an id for good: even an erased memory's id is never given again."""
    for attempt in range(_TRIES):
        found = _random(_FIRST_LENGTH + attempt // 4)
        if con.execute("INSERT OR IGNORE INTO used_ids (id) VALUES (?)", (found,)).rowcount == 1:
            return found
    raise StoreError("No free id was found.")  # 64 collisions in a row at up to 21 characters


def _random(length: int) -> str:
    bits = secrets.randbits(5 * length + 64)  # the 64 keep every letter as likely as any other at the first place
    out = []
    for _ in range(length - 1):
        out.append(_ALPHABET[bits & 31])
        bits >>= 5
    return _LETTERS[bits % len(_LETTERS)] + "".join(out)


def claim(con: Any, given: str) -> str:
    """Take `given` (an imported or just reserved id), or a new one if it is empty.

    Raises Conflict if its memory was erased: whoever still holds that id must not see another thing under it.
    """
    if not given:
        return new_id(con)
    row = con.execute("SELECT erased FROM used_ids WHERE id = ?", (given,)).fetchone()
    if row is None:
        con.execute("INSERT INTO used_ids (id) VALUES (?)", (given,))
    elif row[0]:
        raise Conflict(f"The id {given} belonged to something that was erased.")
    return given


def retire(con: Any, erased: str) -> None:
    """The id's thing is erased; nothing may ever have it again."""
    con.execute(
        "INSERT INTO used_ids (id, erased) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET erased = 1", (erased,)
    )
