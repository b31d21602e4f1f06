"""Remembering on request: the person's own words, verified; a secret sealed under a label (DESIGN §6, §11)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory import lifecycle, privacy
from memory.errors import ModelError, Refused
from memory.learn.acts import Remembered
from memory.learn.alike import normalised
from memory.learn.gate import LONGEST
from memory.learn.guess import draft_of, slot
from memory.learn.merge import Claim, Merger
from memory.learn.plan import previous_message
from memory.learn.sealed import hide, said
from memory.models import (
    ChangeSet,
    CurveState,
    Filter,
    Importance,
    Kind,
    Layer,
    Memory,
    MemoryId,
    Message,
    Sensitivity,
    Source,
    State,
    language_of,
)
from memory.ports import Embedder, FloatArray, Store, Tx
from memory.text.commands import intent_of

_NEAR: Final = 12
_SLOTS_LOOKED_AT: Final = 1_000
_PATIENCE: Final = 1.0  # seconds for an embedder elsewhere; the reply waits for this
_SENTENCES: Final = {
    "empty": ("There is nothing in it to remember.", "这里没有可以记住的内容。"),
    "too_long": (
        f"That is more than one memory can hold ({LONGEST} characters). Tell me what matters in it.",
        f"这超过了一条记忆的长度（{LONGEST} 字）。请告诉我其中重要的部分。",
    ),
    "secret": (
        "That holds a secret. Say “remember …” with it, and it is kept sealed.",
        "这里面有机密内容。请用“记住……”来说，我会加密保存。",
    ),
    "instruction": (
        "That reads like an order to me, not like something about you. Put it as what you prefer.",
        "这更像是对我的命令，而不是关于你的事。请换成你的偏好来说。",
    ),
    "key": (
        "I cannot seal it: the key to your sealed secrets is missing. `ebb doctor` says where it belongs.",
        "没法加密保存：加密内容的密钥不见了。`ebb doctor` 会说明该放在哪里。",
    ),
    "tombstone": ("You asked me to forget that.", "你让我忘掉过这件事。"),
    "previous": (
        "I can't tell what “this” is. Say it in full.",
        "我看不出“这个”指什么，请完整地说一遍。",
    ),
}


def refuse(code: str, text: str) -> Refused:
    """The refusal with its sentence, in the language of the text."""
    en, zh = _SENTENCES[code]
    return Refused("empty" if code == "previous" else code, zh if language_of(text) == "zh" else en)


def checked(text: str) -> str:
    """The text as it would be kept. Raises Refused."""
    plain = " ".join(text.split())
    if not normalised(plain):
        raise refuse("empty", text)
    if len(plain) > LONGEST:
        raise refuse("too_long", plain)
    if privacy.instruction_like(privacy.redact(plain)[0]):
        raise refuse("instruction", plain)
    return plain


@dataclass(frozen=True, slots=True)
class Request:
    """What the person asked to be remembered, and where."""

    user_id: str
    text: str
    at: datetime
    tz: str
    scope: str
    turn_id: str | None = None
    message_id: str | None = None
    kind: Kind | None = None  # as the person filed it
    beside: bool = False  # whatever says another value of the same stays
    within: ChangeSet | None = None  # a change set that is open already


@dataclass(frozen=True, slots=True)
class Looked:
    """What has to be known of a text before the write: its vector, and the memories closest to it."""

    vector: FloatArray | None = None
    near: tuple[MemoryId, ...] = ()


@dataclass(frozen=True, slots=True)
class Rememberer:
    """Saves what a person asks to be remembered."""

    store: Store
    embedder: Embedder
    key: bytes | None
    curve: str
    u: float

    async def remember(self, r: Request) -> Remembered:
        """Save it. An empty text means what was said just before. Raises Refused."""
        r, about = await self._meant(r)
        checked(r.text)
        looked = await self.look(r.user_id, r.text)
        return await self.store.write(r.user_id, lambda tx: self.save(tx, r, looked, about))

    async def look(self, user_id: str, text: str) -> Looked:
        """What `save` needs and must not find out inside the write."""
        text = " ".join(text.split())
        if privacy.redact(text)[1]:
            privacy.seal(_held_key(self.key, text), "")  # its library takes long to load
            return Looked()
        vector = await self._vector(text)
        return Looked(vector, tuple(await self._near(user_id, vector)))

    def save(self, tx: Tx, r: Request, looked: Looked, about: Message | None = None) -> Remembered:
        """Save `r.text`, said in the message `about`, inside a write. Raises Refused."""
        text = checked(r.text)
        if privacy.redact(text)[1]:
            return self._seal(tx, r, text, about)
        return self._save(tx, r, text, about, looked.vector, looked.near)

    async def _meant(self, r: Request) -> tuple[Request, Message | None]:
        """The words that are meant, and the message they stand in."""

        def read(tx: Tx) -> tuple[Request, Message | None]:
            asking = tx.conversations.message(r.message_id) if r.message_id else None
            text = (
                _whole(r.text.strip(), said(tx, self.key, asking) if asking else "")
                if r.message_id
                else _bare(r.text.strip())
            )
            if text:
                return replace(r, text=text), asking
            before = previous_message(tx, r.scope, r.message_id)
            if before is None:
                raise refuse("previous", asking.text if asking else "")
            return replace(r, text=said(tx, self.key, before)), before

        return await self.store.read(r.user_id, read)

    async def _vector(self, text: str) -> FloatArray | None:
        try:
            async with asyncio.timeout(None if self.embedder.immediate else _PATIENCE):
                rows = await self.embedder.embed([text], "content")
        except (ModelError, TimeoutError):
            return None  # a job embeds it later
        vector: FloatArray = rows[0]
        return vector

    async def _near(self, user_id: str, vector: FloatArray | None) -> list[MemoryId]:
        if vector is None:
            return []
        return [s.id for s in await self.store.reader(user_id).nearest(vector, _NEAR, Filter())]

    def _save(
        self,
        tx: Tx,
        r: Request,
        text: str,
        about: Message | None,
        vector: FloatArray | None,
        near: Sequence[MemoryId],
    ) -> Remembered:
        begun = r.within or tx.changes.begin("user", "remember", r.at, turn_id=r.turn_id)
        draft = draft_of(text, about.at if about else r.at, r.tz)
        claim = Claim(
            draft if r.kind is None else replace(draft, kind=r.kind),
            r.at,  # the request itself is the newest word on it
            (about.id,) if about else (),
            self._session(tx, r, about),
            vector,
            self.embedder.id if vector is not None else None,
            tuple(near),
        )
        merger = Merger(tx, curve=self.curve, u=self.u)
        old = None if r.beside else _held(tx, text)
        saved = merger.supersede(old, claim) if old is not None else merger.save(claim)
        if saved.memory is None:
            raise refuse(saved.code or "empty", text)
        return Remembered(saved.memory, already=saved.outcome not in {"added", "superseded"}, set_id=begun.id)

    def _session(self, tx: Tx, r: Request, about: Message | None) -> str | None:
        if about is not None:
            return about.session_id
        current = tx.conversations.current(r.scope)
        return current.id if current else None

    # --- secrets ---------------------------------------------------------------------------------------

    def _seal(self, tx: Tx, r: Request, text: str, about: Message | None) -> Remembered:
        """Only a label is kept in the open; one of the same label is replaced by the new one."""
        key = _held_key(self.key, text)
        begun = r.within or tx.changes.begin("user", "remember", r.at, turn_id=r.turn_id)
        label = privacy.secret_label(text)
        same = _sealed(tx, label)
        for old in same:
            kept = tx.secret(old.id)
            if kept is not None and privacy.unseal(key, kept, bound_to=old.id) == text:
                self._blank(tx, r, about)
                return Remembered(old, already=True, secret=True, set_id=begun.id)
        m = tx.memories.add(self._secret(tx, r, label, about, tuple(o.id for o in same)))
        tx.put_secret(m.id, privacy.seal(key, text, bound_to=m.id))
        if about is not None:
            tx.memories.source(m.id, about.id)
        tx.memories.log(lifecycle.logged("created", None, m, self.u, r.at, "user"))
        for old in same:
            tx.memories.put(replace(old, state=State.SUPERSEDED, valid_until=r.at), "superseded")
        self._blank(tx, r, about)
        return Remembered(m, secret=True, set_id=begun.id)

    def _secret(
        self, tx: Tx, r: Request, label: str, about: Message | None, supersedes: tuple[MemoryId, ...]
    ) -> Memory:
        m = Memory(
            id="",
            user_id=tx.user_id,
            content=label,
            original_content=label,
            language=language_of(label),
            layer=Layer.FACT,
            kind=Kind.FACT,
            created_at=r.at,
            last_activated_at=r.at,
            curve=self.curve,
            curve_state=CurveState(0.0, r.at),
            importance=0.0,
            importance_at=r.at,
            confidence=1.0,
            source=Source.USER,
            verified=True,
            source_session=self._session(tx, r, about),
            source_message=about.id if about else None,
            supersedes=supersedes,
            sensitivity=Sensitivity.SECRET,
        )
        return lifecycle.born(m, Importance.HIGH, self.curve, r.at)

    def _blank(self, tx: Tx, r: Request, about: Message | None) -> None:
        """No message goes on holding the secret in the open: neither the one that says it nor the one that asks."""
        ids = dict.fromkeys(i for i in (about.id if about else None, r.message_id) if i)
        for i in ids:
            message = tx.conversations.message(i)
            if message is not None:
                hide(tx, self.key, message)


def _held_key(key: bytes | None, text: str) -> bytes:
    if key is None:
        raise refuse("key", text)
    return key


def _whole(text: str, said: str) -> str:
    """What is to be kept, with every secret that was cut in taking it out of the message made whole again."""
    for f in privacy.redact(said)[1]:
        if f.value in text:
            continue
        for n in range(len(f.value) - 1, 1, -1):
            if text.endswith(f.value[:n]):
                text = text[:-n] + f.value
                break
    return text


def _bare(text: str) -> str:
    """What follows a command, without what people repeat of it ("that I like jazz"); empty for "this".

    All of it: a command has no sentences that are meant for something else.
    """
    for form in (text, f"remember {text}", f"记住{text}"):
        found = intent_of(form) if text else None
        if found is not None and found.kind == "remember":
            at = text.find(found.text)
            rest = text[at + len(found.text) :] if at >= 0 else ""
            # Of a password the mark at its end is a part.
            whole = found.text and (re.search(r"\w", rest) or (rest and privacy.redact(text)[1]))
            return text[at:] if whole else found.text
    return text


def _held(tx: Tx, text: str) -> Memory | None:
    """The memory whose place the new one takes: it says another value of what can have but one."""
    wanted = slot(text)
    if wanted is None:
        return None
    f = Filter(kinds=frozenset({Kind.IDENTITY, Kind.FACT, Kind.PREFERENCE, Kind.CONTEXT}), negated=False)
    held = [m for m in tx.memories.find(f, limit=_SLOTS_LOOKED_AT).items if slot(m.original_content) == wanted]
    return held[0] if held else None


def _sealed(tx: Tx, label: str) -> list[Memory]:
    """The person's sealed memories of that label."""
    f = Filter(max_sensitivity=Sensitivity.SECRET)
    found = tx.memories.find(f, text=label, limit=50).items
    return [
        m
        for m in found
        if m.sensitivity is Sensitivity.SECRET and normalised(m.original_content) == normalised(label)
    ]
