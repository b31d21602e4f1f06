"""Who may talk to the bot: nobody but those who brought a code, until they are let go.

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
from collections import deque
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from telegram import User

from bot.chats.telegram.inbox import PROVIDER
from memory.ports import Store, SystemTransaction

Purpose = Literal["owner", "guest"]
Verdict = Literal["owner", "guest", "wrong", "wait"]

LIFE = timedelta(hours=24)
ATTEMPTS = 5  # an hour, of one person
_HOUR = 3600.0
_CODES = "telegram:codes"
_NAMES = "telegram:people"  # Telegram id → name and since when
# Telegram id → the user they were: who is invited again has their memory again.
_FORMER = "telegram:former"
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
_MISREAD = str.maketrans("OILU", "011V")
_CODE = re.compile(r"(?:/start(?:@\w+)?\s+)?([0-9A-Za-z]{4})[-\s]?([0-9A-Za-z]{4})")


def parse_code(text: str) -> str | None:
    """Return the code in a message that consists of one (perhaps behind /start)."""
    found = _CODE.fullmatch(text.strip())
    if found is None:
        return None
    typed = found[1] + found[2]
    meant = any(c.isdigit() for c in typed) or "-" in text or text.strip().startswith("/start")
    return typed.upper().translate(_MISREAD) if meant else None


async def make_code(store: Store, purpose: Purpose, now: datetime) -> str:
    """Make a code, and store its hash; a new owner's code replaces the old."""
    code = "".join(secrets.choice(_ALPHABET) for _ in range(8))
    entry = {"hash": _hash(code), "for": purpose, "expires": (now + LIFE).isoformat()}

    def write(s: SystemTransaction) -> None:
        kept = [c for c in _list_valid(s, now) if not purpose == c["for"] == "owner"]
        s.set(_CODES, [*kept, entry])

    await store.write_system(write)
    return f"{code[:4]}-{code[4:]}"


def _hash(code: str) -> str:
    return hashlib.sha256(f"ebb telegram {code}".encode()).hexdigest()


def _list_valid(s: SystemTransaction, now: datetime) -> list[dict[str, str]]:
    return [c for c in s.get(_CODES) or [] if datetime.fromisoformat(c["expires"]) > now]


@dataclass
class _RateLimit:
    """So many times for each person in so many seconds, of the newest thousand people."""

    most: int
    seconds: float
    _times: dict[int, deque[float]] = field(default_factory=dict)

    def take(self, person: int) -> bool:
        """Count one more time; False if there were too many."""
        now, times = time.monotonic(), self._times.pop(person, deque())
        self._times[person] = times
        while len(self._times) > 1000:
            self._times.pop(next(iter(self._times)))
        while times and now - times[0] > self.seconds:
            times.popleft()
        if len(times) >= self.most:
            return False
        times.append(now)
        return True


@dataclass
class AccessControl:
    """Lets people in. `owner` is the user that the first code stands for.

    `patience`: seconds between two sentences to one stranger.
    """

    store: Store
    owner: str
    patience: InitVar[float]
    _tries: _RateLimit = field(default_factory=lambda: _RateLimit(ATTEMPTS, _HOUR))

    def __post_init__(self, patience: float) -> None:
        self._told = _RateLimit(1, patience)

    async def find_user(self, telegram_id: int) -> str | None:
        """Return whose account that is."""
        return (await self.list_users()).get(str(telegram_id))

    async def list_users(self) -> dict[str, str]:
        """Map Telegram ids to users."""
        return dict(await self.store.write_system(lambda s: s.identities(PROVIDER)))

    async def is_claimed(self) -> bool:
        """Tell whether the owner has a Telegram account here."""
        return self.owner in (await self.list_users()).values()

    async def enter(self, telegram_id: int, code: str, now: datetime, name: str = "") -> Verdict:
        """Try a code. Who was let go and is invited again is who they were."""
        if not self._tries.take(telegram_id):
            return "wait"
        digest, key = _hash(code), str(telegram_id)

        def write(s: SystemTransaction) -> Verdict:
            codes = _list_valid(s, now)
            # All of them are compared, so that time tells nothing.
            found = [c for c in codes if hmac.compare_digest(c["hash"], digest)]
            if not found:
                return "wrong"
            s.set(_CODES, [c for c in codes if c not in found])
            owner = found[0]["for"] == "owner"
            guest = s.resolve(PROVIDER, key) or (s.get(_FORMER) or {}).get(key)
            user_id = self.owner if owner else guest or s.create_user(now)
            entry = {"name": name, "since": now.date().isoformat()}
            s.set(_NAMES, {**(s.get(_NAMES) or {}), key: entry})
            s.link(PROVIDER, key, user_id, now)
            return "owner" if owner else "guest"

        return await self.store.write_system(write)

    def may_tell(self, telegram_id: int) -> bool:
        """Tell whether a stranger has not been turned away lately."""
        return self._told.take(telegram_id)


# --- from a shell ---


@dataclass(frozen=True, slots=True)
class AllowedAccount:
    """An account that may talk to the bot."""

    telegram_id: str
    user_id: str
    name: str
    since: str  # a day, ISO
    owner: bool


def format_account_name(user: User) -> str:
    """Write how a Telegram account shows itself: `Ada Byron (@ada)`."""
    name = " ".join(user.full_name.split())[:60]
    return f"{name} (@{user.username})" if user.username else name


async def list_people(store: Store, owner: str) -> list[AllowedAccount]:
    """List everyone who may talk to the bot, the owner first, then by when they came."""

    def read(s: SystemTransaction) -> list[AllowedAccount]:
        names = s.get(_NAMES) or {}
        return [
            AllowedAccount(
                i, user, **{"name": "", "since": "", **names.get(i, {})}, owner=user == owner
            )
            for i, user in s.identities(PROVIDER).items()
        ]

    found = await store.write_system(read)
    return sorted(found, key=lambda p: (not p.owner, p.since, p.telegram_id))


def find_people(people: Sequence[AllowedAccount], who: str) -> list[AllowedAccount]:
    """List whom `who` can mean: a Telegram id, a user name with or without @, or a name."""
    wanted, found = who.strip().casefold().removeprefix("@"), []
    for p in people:
        name = p.name.casefold()
        words = {x.strip("()@") for x in name.split()}
        if wanted and wanted in {p.telegram_id, name.partition(" (@")[0], *words}:
            found.append(p)
    return found


async def revoke_access(store: Store, person: AllowedAccount, *, forget: bool) -> None:
    """Make the account a stranger's from now on.

    What they told stays theirs, for the day they are invited again; with `forget` they are a new
    person then.
    """
    key = person.telegram_id

    def write(s: SystemTransaction) -> None:
        s.unlink(PROVIDER, key)
        names: dict[str, Any] = s.get(_NAMES) or {}
        s.set(_NAMES, {i: entry for i, entry in names.items() if i != key})
        former = {i: user for i, user in (s.get(_FORMER) or {}).items() if i != key}
        s.set(_FORMER, former if forget or person.owner else {**former, key: person.user_id})

    await store.write_system(write)
