"""Who has been let in, and letting one of them go: `ebb telegram --people`, `ebb telegram --remove WHO`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from telegram import User

from bot.chats.telegram.inbox import PROVIDER
from memory.ports import Store

_NAMES = "telegram:people"  # Telegram id → name and since when
# Telegram id → the user they were: who is invited again has their memory again
_FORMER = "telegram:former"


@dataclass(frozen=True, slots=True)
class AllowedAccount:
    """An account that may talk to the bot."""

    telegram_id: str
    user_id: str
    name: str
    since: str  # a day, ISO
    owner: bool


def format_account_name(user: User) -> str:
    """How a Telegram account shows itself: `Ada Byron (@ada)`."""
    name = " ".join(user.full_name.split())[:60]
    return f"{name} (@{user.username})" if user.username else name


def record_entry(s: Any, telegram_id: int, user_id: str, name: str, now: datetime) -> None:
    """Note, inside a write, who came in."""
    known = dict(s.get(_NAMES) or {})
    known[str(telegram_id)] = {"name": name, "since": now.date().isoformat()}
    s.set(_NAMES, known)
    s.link(PROVIDER, str(telegram_id), user_id, now)


def find_former_user(s: Any, telegram_id: int) -> str | None:
    """The user somebody was before they were let go."""
    found = (s.get(_FORMER) or {}).get(str(telegram_id))
    return str(found) if found else None


async def list_people(store: Store, owner: str) -> list[AllowedAccount]:
    """Everyone who may talk to the bot, the owner first, then by when they came."""

    def read(s: Any) -> tuple[Mapping[str, str], Mapping[str, Any]]:
        return dict(s.identities(PROVIDER)), dict(s.get(_NAMES) or {})

    identities, names = await store.write_system(read)
    found = [
        AllowedAccount(
            i,
            user,
            (names.get(i) or {}).get("name", ""),
            (names.get(i) or {}).get("since", ""),
            user == owner,
        )
        for i, user in identities.items()
    ]
    return sorted(found, key=lambda p: (not p.owner, p.since, p.telegram_id))


def find_people(people: Sequence[AllowedAccount], who: str) -> list[AllowedAccount]:
    """Whom `who` can mean: a Telegram id, a user name with or without @, or a name; without regard to case."""
    wanted = who.strip().casefold().removeprefix("@")
    by_id = [p for p in people if p.telegram_id == wanted]
    if by_id or not wanted:
        return by_id
    said = [p for p in people if wanted in (x.strip("()@") for x in p.name.casefold().split())]
    return said or [p for p in people if p.name.casefold().partition(" (@")[0] == wanted]


async def revoke_access(store: Store, person: AllowedAccount) -> None:
    """From now on the account is a stranger's.

    What they told stays theirs, for the day they are invited again.
    """

    def write(s: Any) -> None:
        s.unlink(PROVIDER, person.telegram_id)
        names = dict(s.get(_NAMES) or {})
        names.pop(person.telegram_id, None)
        s.set(_NAMES, names)
        if not person.owner:
            s.set(_FORMER, {**(s.get(_FORMER) or {}), person.telegram_id: person.user_id})

    await store.write_system(write)


async def delete_identity(store: Store, person: AllowedAccount) -> None:
    """They are a new person if they ever come again."""

    def write(s: Any) -> None:
        s.set(_FORMER, {i: u for i, u in (s.get(_FORMER) or {}).items() if i != person.telegram_id})

    await store.write_system(write)
