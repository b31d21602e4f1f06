"""Secrets: taken out of messages as they come, opened only for who asks for the very one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from memory import privacy
from memory.errors import NotFound
from memory.jobs import Effect
from memory.learn.same_meaning import list_units
from memory.models import Filter, Hit, Job, Memory, MemoryId, Message, Sensitivity, State
from memory.ports import Store, Transaction
from memory.text.languages import either

_NOUN, _ASKED, _NOT_ONE, _SPARE = (
    either("sealed", name) for name in ("NOUN", "ASKED", "NOT_ONE", "SPARE")
)
_SPARED: Final = "not_secret"  # the setting that holds digests of values which are none
_BATCH: Final = 200  # messages in one write
_RECENT: Final = 12  # messages within which "not a secret" finds what it means
_SECRETS: Final = Filter(states=frozenset({State.ACTIVE}), max_sensitivity=Sensitivity.SECRET)
_ENOUGH: Final = 0.6  # share of the label's words, or of the question's, that have to agree
_MOST: Final = 2


def asks_for_secret(text: str) -> bool:
    """Tell whether the message asks for a secret at all."""
    return bool(_NOUN.search(text) and _ASKED.search(text) and not _NOT_ONE.search(text))


def says_not_secret(text: str) -> bool:
    """Tell whether the whole message says that what was sealed is no secret."""
    return bool(_SPARE.fullmatch(text.strip()))


def get_original_text(tx: Transaction, key: bytes | None, message: Message) -> str:
    """Return what a message said with its secrets; without the key, what it says."""
    kept = tx.sealed_message(message.id)
    opened = privacy.unseal(key, kept, bound_to=message.id) if kept and key else None
    return message.text if opened is None else opened


def mask_secrets(tx: Transaction, text: str) -> str:
    """Put a placeholder for each secret, but for values that their owner said are none."""
    redacted, found = privacy.redact(text)
    known = tx.user().settings.get(_SPARED) if found else None
    if not known:
        return redacted
    spared = [f.value for f in found if tx.tombstones.compute_digest(f.value) in known]
    return privacy.redact(text, spared)[0]


def list_readable(tx: Transaction, messages: Iterable[Message]) -> list[Message]:
    """Return the messages as a model may read them."""
    return [replace(m, text=mask_secrets(tx, m.text)) for m in messages]


def hide(tx: Transaction, key: bytes | None, message: Message) -> None:
    """Take the secrets out of a stored message, and keep an encrypted copy of it."""
    redacted = mask_secrets(tx, message.text)
    if redacted != message.text:
        tx.conversations.put_messages([replace(message, text=redacted)])
        if key:
            tx.seal_message(message.id, privacy.seal(key, message.text, bound_to=message.id))


@dataclass(frozen=True, slots=True)
class SecretSealer:
    """Seals with this home's key, and opens; without the key it only takes out."""

    store: Store
    key: bytes | None

    def adder(self, text: str) -> Callable[[Transaction, Message], Message]:
        """Return what adds a message of that text; its secrets never reach the file in the open."""
        if privacy.redact(text)[1] and self.key:
            privacy.seal(self.key, "")  # its library takes long to load

        def add(tx: Transaction, message: Message) -> Message:
            redacted = mask_secrets(tx, text)
            stored = tx.conversations.add_message(replace(message, text=redacted))
            if redacted != text and self.key:
                tx.seal_message(stored.id, privacy.seal(self.key, text, bound_to=stored.id))
            return stored

        return add

    async def plan(self, now: datetime) -> None:
        """Have the messages of an older version sealed in the background, once."""
        for user_id in await self.store.write_system(lambda s: s.users()):
            await self.store.write(
                user_id,
                lambda tx: tx.jobs.enqueue("seal", "older", {}, now, lane=f"seal:{tx.user_id}"),
            )

    async def run(self, job: Job, _now: datetime) -> Effect:
        """Seal some messages at a time. What is done stays done; nothing of it can be undone."""

        def some(tx: Transaction, after: int) -> int | None:
            found = tx.conversations.list_messages(after=after, limit=_BATCH, hidden=True)
            for message in found:
                hide(tx, self.key, message)
            return found[-1].seq if found else None

        at: int | None = 0
        while at is not None:
            at = await self.store.write(job.user_id, partial(some, after=at))
        return lambda _tx: {"outcome": "saved"}

    async def spare(self, user_id: str, scope: str, now: datetime) -> bool:
        """Bring back what was sealed lately, since it is no secret; False if nothing was."""

        def write(tx: Transaction) -> bool:
            recent = tx.conversations.list_messages(scope=scope, limit=_RECENT, newest=True)
            whole = ((m, get_original_text(tx, self.key, m)) for m in reversed(recent))
            message, text = next(((m, t) for m, t in whole if t != m.text), (None, ""))
            if message is None:
                return False
            tx.changes.begin("user", "edit", now)
            digests = {tx.tombstones.compute_digest(f.value) for f in privacy.redact(text)[1]}
            user = tx.user()
            spared = sorted(digests.union(user.settings.get(_SPARED) or ()))
            tx.put_user(replace(user, settings={**user.settings, _SPARED: spared}))
            tx.conversations.put_messages([replace(message, text=text)])
            for m in tx.memories.find(_SECRETS, limit=5_000).items:
                if m.source_message == message.id and (value := self._open(tx, m.id)):
                    plain = replace(m, content=value, original_content=value)
                    tx.memories.put(replace(plain, sensitivity=Sensitivity.GENERAL), "updated")
            return True

        return await self.store.write(user_id, write)

    def values(self, tx: Transaction, memory_id: MemoryId) -> set[str]:
        """Return the secret values that a sealed memory and its older versions hold."""
        found, waiting = dict[MemoryId, str | None](), [memory_id]
        while waiting:
            i = waiting.pop()
            found[i] = self._open(tx, i)
            older = (x for m in tx.memories.get_many([i]) for x in m.supersedes)
            waiting += [x for x in older if x not in found]
        return {f.value for text in found.values() if text for f in privacy.redact(text)[1]}

    def expunge(self, tx: Transaction, values: Collection[str]) -> int:
        """Take values out of every message, and drop copies that hold them; returns how many."""
        count, copies = 0, set(tx.sealed_messages()) if values else ()
        for message in tx.conversations.list_messages(hidden=True) if values else ():
            whole = message.text
            if message.id in copies:
                whole = get_original_text(tx, self.key, message)
            if privacy.mask_values(whole, values) != whole:
                tx.seal_message(message.id, None)
                left = privacy.mask_values(message.text, values)
                tx.conversations.put_messages([replace(message, text=left)], "purged")
                count += 1
        return count

    def _open(self, tx: Transaction, memory_id: MemoryId) -> str | None:
        kept = tx.secret(memory_id)
        return privacy.unseal(self.key, kept, bound_to=memory_id) if kept and self.key else None

    async def locked(self, user_id: str, text: str) -> bool:
        """Tell whether the message asks for a secret that this key does not open."""

        def read(tx: Transaction) -> bool:
            return any(self._open(tx, m.id) is None for _, m in _find_asked(tx, text))

        return asks_for_secret(text) and await self.store.read(user_id, read)

    async def open(self, user_id: str, memory_id: MemoryId) -> str | None:
        """Return what was sealed; None if the key was lost or nothing is sealed there.

        Raises NotFound.
        """
        memory, value = await self.store.read(
            user_id, lambda tx: (tx.memories.get(memory_id), self._open(tx, memory_id))
        )
        if memory is None:
            raise NotFound(f"There is no memory {memory_id}.")
        return value

    async def hits(self, user_id: str, text: str) -> list[Hit]:
        """Return the secrets that the message asks for, opened, for this one prompt.

        Traces keep ids alone.
        """

        def read(tx: Transaction) -> list[Hit]:
            best = sorted(_find_asked(tx, text), key=lambda s: -s[0])[:_MOST]
            opened = [(fit, m, self._open(tx, m.id)) for fit, m in best if fit >= best[0][0] - 0.2]
            return [
                Hit(replace(m, content=f"{m.content}: {value}"), fit, gate=1.0, why="secret")
                for fit, m, value in opened
                if value is not None
            ]

        return await self.store.read(user_id, read) if asks_for_secret(text) else []


def _find_asked(tx: Transaction, text: str) -> list[tuple[float, Memory]]:
    """Return secrets that fit the message, and how well."""
    found = tx.memories.find(_SECRETS, limit=5_000).items
    secrets = [m for m in found if m.sensitivity is Sensitivity.SECRET]
    return [(fit, m) for m in secrets if (fit := _fit(text, m.original_content)) >= _ENOUGH]


def _fit(text: str, label: str) -> float:
    """Say how well a question fits a label, 0 to 1; both must have a word for the secret."""
    plain = [re.sub(r"\bwi[- ]fi\b", "wifi", t, flags=re.I) for t in (text, label)]
    asked, told = map(list_units, plain)
    nouns, named = (list_units(" ".join(_NOUN.findall(t))) for t in plain)
    shared = asked & told
    if not shared & nouns or not named:
        return 0.0
    return max(len(shared) / len(told), 0.7 if len(shared) > len(told & named) else 0.0)
