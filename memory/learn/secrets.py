# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be
# read
"""Secrets: taken out of messages as they come, opened only when the person asks for the very one."""

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

_NOUN: Final = re.compile(
    r"\b(?:passwords?|passcode|passphrase|pins?|codes?|keys?|tokens?|card numbers?|account|iban|cvv|seed phrase|recovery phrase|login|ssn|id number|secret)\b"
    r"|密码|口令|密钥|令牌|卡号|账号|账户|身份证|验证码|门禁|助记词|私钥|PIN",
    re.I,
)
_ASKED: Final = re.compile(
    r"\?|？|\b(?:what|which|tell|remind|show|give|need|look up|find|forgot|can['’]?t remember|do you (?:know|remember))\b"
    r"|什么|多少|告诉|提醒|给我|查|忘|记得|吗|是啥|显示|帮我找",
    re.I,
)
_NOT_ONE: Final = re.compile(
    r"password manager|(?:good|strong|best|safe|new) password|密码管理器|密码学|source code|key point",
    re.I,
)
_SPARE: Final = re.compile(
    r"\W{0,3}(?:no,? )?(?:(?:that|this|it)(?: is|['’]s| was|) ?(?:really |actually )?)?(?:not|isn['’]t) (?:a |my )?(?:real )?(?:secret|password|pin|code|key)\W{0,3}"
    r"|\W{0,3}(?:这|那)?个?(?:并|真的)?(?:不是|不算)(?:什么|个|我的)?(?:机密|秘密|密码|密钥|验证码)\W{0,3}",
    re.I,
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
    """Return what a message said before its secrets were taken out; without the key, what it says."""
    kept = tx.sealed_message(message.id)
    opened = privacy.unseal(key, kept, bound_to=message.id) if kept and key else None
    return message.text if opened is None else opened


def mask_secrets(tx: Transaction, text: str) -> str:
    """Return the text with a placeholder for each secret, but for values that their owner said are none."""
    redacted, found = privacy.redact(text)
    known = tx.user().settings.get(_SPARED) if found else None
    return (
        privacy.redact(
            text, [f.value for f in found if tx.tombstones.compute_digest(f.value) in known]
        )[0]
        if known
        else redacted
    )


def list_readable(tx: Transaction, messages: Iterable[Message]) -> list[Message]:
    """Return the messages as a model may read them."""
    return [replace(m, text=mask_secrets(tx, m.text)) for m in messages]


def hide(tx: Transaction, key: bytes | None, message: Message) -> None:
    """Take the secrets out of a stored message, and keep an encrypted copy of it."""
    redacted = mask_secrets(tx, message.text)
    if redacted != message.text:
        tx.conversations.put_message(replace(message, text=redacted))
        if key:
            tx.seal_message(message.id, privacy.seal(key, message.text, bound_to=message.id))


@dataclass(frozen=True, slots=True)
class SecretSealer:
    """Seals with this home's key, and opens; without the key it only takes out."""

    store: Store
    key: bytes | None

    def adder(self, text: str) -> Callable[[Transaction, Message], Message]:
        """Return what adds a message of that text to a conversation: its secrets never reach the file in the open."""
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
        """What was sealed last, a few messages ago, is no secret: bring its words back.

        False if there is none.
        """

        def write(tx: Transaction) -> bool:
            recent = reversed(
                tx.conversations.list_messages(scope=scope, limit=_RECENT, newest=True)
            )
            message = next(
                (m for m in recent if get_original_text(tx, self.key, m) != m.text), None
            )
            if message is None:
                return False
            text = get_original_text(tx, self.key, message)
            tx.changes.begin("user", "edit", now)
            spared = [tx.tombstones.compute_digest(f.value) for f in privacy.redact(text)[1]]
            user = tx.user()
            settings = {
                **user.settings,
                _SPARED: sorted({*(user.settings.get(_SPARED) or ()), *spared}),
            }
            tx.put_user(replace(user, settings=settings))
            tx.conversations.put_message(replace(message, text=text))
            for m in tx.memories.find(_SECRETS, limit=5_000).items:
                if m.source_message == message.id and (value := self._opened(tx, m.id)):
                    plain = replace(
                        m, content=value, original_content=value, sensitivity=Sensitivity.GENERAL
                    )
                    tx.memories.put(plain, "updated")
            return True

        return await self.store.write(user_id, write)

    def values(self, tx: Transaction, memory_id: MemoryId) -> set[str]:
        """Return the secret values that a sealed memory and its older versions hold."""
        found, waiting = dict[MemoryId, str | None](), [memory_id]
        while waiting:
            i = waiting.pop()
            found[i] = self._opened(tx, i)
            waiting += [
                x for m in tx.memories.get_many([i]) for x in m.supersedes if x not in found
            ]
        return {f.value for text in found.values() if text for f in privacy.redact(text)[1]}

    def expunge(self, tx: Transaction, values: Collection[str]) -> int:
        """Take the values out of every message, and drop the copies that hold them; how many messages had them."""
        count, copies = 0, set(tx.sealed_messages()) if values else ()
        for message in tx.conversations.list_messages(hidden=True) if values else ():
            whole = (
                get_original_text(tx, self.key, message) if message.id in copies else message.text
            )
            if privacy.mask_values(whole, values) != whole:
                tx.seal_message(message.id, None)
                left = privacy.mask_values(message.text, values)
                tx.conversations.put_message(replace(message, text=left), "purged")
                count += 1
        return count

    def _opened(self, tx: Transaction, memory_id: MemoryId) -> str | None:
        kept = tx.secret(memory_id)
        return privacy.unseal(self.key, kept, bound_to=memory_id) if kept and self.key else None

    async def locked(self, user_id: str, text: str) -> bool:
        """Tell whether the message asks for a secret that this key does not open."""

        def read(tx: Transaction) -> bool:
            return any(self._opened(tx, m.id) is None for _, m in _asked(tx, text))

        return asks_for_secret(text) and await self.store.read(user_id, read)

    async def open(self, user_id: str, memory_id: MemoryId) -> str | None:
        """Return what was sealed; None if the key was lost or nothing is sealed there.

        Raises NotFound.
        """
        memory, value = await self.store.read(
            user_id, lambda tx: (tx.memories.get(memory_id), self._opened(tx, memory_id))
        )
        if memory is None:
            raise NotFound(f"There is no memory {memory_id}.")
        return value

    async def hits(self, user_id: str, text: str) -> list[Hit]:
        """Return the secrets that the message asks for, opened, for this one prompt.

        Traces keep ids alone.
        """

        def read(tx: Transaction) -> list[Hit]:
            best = sorted(_asked(tx, text), key=lambda s: -s[0])[:_MOST]
            opened = [
                (score, m, self._opened(tx, m.id)) for score, m in best if score >= best[0][0] - 0.2
            ]
            return [
                Hit(replace(m, content=f"{m.content}: {value}"), score, gate=1.0, why="secret")
                for score, m, value in opened
                if value is not None
            ]

        return await self.store.read(user_id, read) if asks_for_secret(text) else []


def _asked(tx: Transaction, text: str) -> list[tuple[float, Memory]]:
    """Return secrets that fit the message, and how well."""
    found = [
        m
        for m in tx.memories.find(_SECRETS, limit=5_000).items
        if m.sensitivity is Sensitivity.SECRET
    ]
    return [(fit, m) for m in found if (fit := _fit(text, m)) >= _ENOUGH]


def _fit(text: str, m: Memory) -> float:
    asked, label = list_units(_joined(text)), list_units(_joined(m.original_content))
    if not _NOUN.search(m.original_content) or not label:
        return 0.0
    shared = len(asked & label)
    specific = len(label & list_units(" ".join(_NOUN.findall(_joined(m.original_content)))))
    if shared == 0 or not (asked & label & list_units(" ".join(_NOUN.findall(_joined(text))))):
        return 0.0
    return max(shared / len(label), 0.7 if shared > specific else 0.0)


def _joined(text: str) -> str:
    return re.sub(r"\bwi[- ]fi\b", "wifi", text, flags=re.I)
