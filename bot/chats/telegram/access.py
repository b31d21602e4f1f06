"""Who may talk to the bot: nobody but those who brought a code.

Codes are made for one person and one use, expire, and are kept as hashes; attempts are limited for
each person alone, so that nobody's guesses bar another (a code has 40 random bits). The first code
makes its bearer the owner (one person with whoever uses the terminal), an invitation a user of
their own.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from bot.chats.telegram.inbox import PROVIDER
from bot.chats.telegram.people import find_former_user, record_entry
from memory.ports import Store

Purpose = Literal["owner", "guest"]
Verdict = Literal["owner", "guest", "wrong", "wait"]

LIFE = timedelta(hours=24)
ATTEMPTS = 5  # an hour, of one person
_HOUR = 3600.0
_KEY = "telegram:codes"
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
_MISREAD = str.maketrans("OILU", "011V")
_CODE = re.compile(r"(?:/start(?:@\w+)?\s+)?([0-9A-Za-z]{4})[-\s]?([0-9A-Za-z]{4})")


def _hash(code: str) -> str:
    return hashlib.sha256(f"ebb telegram {code}".encode()).hexdigest()


def code_in(text: str) -> str | None:
    """The code in a message that consists of one (perhaps behind /start)."""
    found = _CODE.fullmatch(text.strip())
    if found is None:
        return None
    typed = found[1] + found[2]
    meant = any(c.isdigit() for c in typed) or "-" in text or text.strip().startswith("/start")
    return typed.upper().translate(_MISREAD) if meant else None


async def new_code(store: Store, purpose: Purpose, now: datetime) -> str:
    """Make a code; the hash of it is stored, the code itself is not.

    A new owner's code replaces the old.
    """
    code = "".join(secrets.choice(_ALPHABET) for _ in range(8))

    def write(s: Any) -> None:
        kept = [
            c for c in _valid(s.get(_KEY), now) if not (purpose == "owner" and c["for"] == "owner")
        ]
        s.set(
            _KEY,
            [*kept, {"hash": _hash(code), "for": purpose, "expires": (now + LIFE).isoformat()}],
        )

    await store.write_system(write)
    return f"{code[:4]}-{code[4:]}"


def _valid(codes: Any, now: datetime) -> list[dict[str, str]]:
    return [c for c in codes or [] if datetime.fromisoformat(c["expires"]) > now]


@dataclass
class AccessControl:
    """Lets people in. `owner` is the user that the first code stands for."""

    store: Store
    owner: str
    patience: float  # seconds between two sentences to the same stranger
    age: float  # seconds for which who is in is known without looking again
    _people: dict[str, str] = field(default_factory=dict)
    _read_at: float = -_HOUR
    _tries: OrderedDict[int, deque[float]] = field(default_factory=OrderedDict)
    _told: OrderedDict[int, float] = field(default_factory=OrderedDict)

    async def user_of(self, telegram_id: int) -> str | None:
        """Whose account that is. Other processes' changes are seen within `age` seconds."""
        if time.monotonic() - self._read_at > self.age:
            self._people = dict(await self.store.write_system(lambda s: s.identities(PROVIDER)))
            self._read_at = time.monotonic()
        return self._people.get(str(telegram_id))

    async def claimed(self) -> bool:
        """Whether the owner has a Telegram account here."""
        return (
            self.owner in (await self.store.write_system(lambda s: s.identities(PROVIDER))).values()
        )

    async def people(self) -> dict[str, str]:
        """Telegram id → user."""
        return dict(await self.store.write_system(lambda s: s.identities(PROVIDER)))

    async def enter(self, telegram_id: int, code: str, now: datetime, name: str = "") -> Verdict:
        """Try a code. Who was let go and is invited again is who they were."""
        if not self._may_try(telegram_id):
            return "wait"
        digest = _hash(code)

        def write(s: Any) -> Verdict:
            codes, found = _valid(s.get(_KEY), now), None
            for c in codes:  # all of them, so that time tells nothing
                if hmac.compare_digest(c["hash"], digest):
                    found = c
            if found is None:
                return "wrong"
            s.set(_KEY, [c for c in codes if c is not found])
            guest = s.resolve(PROVIDER, str(telegram_id)) or find_former_user(s, telegram_id)
            user_id = self.owner if found["for"] == "owner" else guest or s.create_user(now)
            record_entry(s, telegram_id, user_id, name, now)
            return "owner" if found["for"] == "owner" else "guest"

        verdict: Verdict = await self.store.write_system(write)
        self._read_at = -_HOUR
        return verdict

    def _may_try(self, telegram_id: int) -> bool:
        now = time.monotonic()
        mine = self._tries.setdefault(telegram_id, deque())
        self._tries.move_to_end(telegram_id)
        while len(self._tries) > 1000:
            self._tries.popitem(last=False)
        while mine and now - mine[0] > _HOUR:
            mine.popleft()
        if len(mine) >= ATTEMPTS:
            return False
        mine.append(now)
        return True

    def may_tell(self, telegram_id: int) -> bool:
        """Whether a stranger has not been told off lately."""
        now, last = time.monotonic(), self._told.get(telegram_id)
        if last is not None and now - last < self.patience:
            return False
        self._told[telegram_id] = now
        self._told.move_to_end(telegram_id)
        while len(self._told) > 1000:
            self._told.popitem(last=False)
        return True
