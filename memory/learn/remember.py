"""Remembering on request: the person's own words, verified; a secret sealed under a label."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory import lifecycle, privacy
from memory.errors import ModelError, Refused
from memory.learn import dates, slots
from memory.learn.forget_plan import find_previous_message
from memory.learn.merge import LONGEST, Claim, Merger, build_memory, refused_text
from memory.learn.same_meaning import find_names, normalise_text
from memory.learn.secrets import get_original_text, hide
from memory.learn.visible_messages import messages_of
from memory.models import (
    ChangeSet,
    Draft,
    Filter,
    Importance,
    Kind,
    Memory,
    MemoryId,
    Message,
    Sensitivity,
    Source,
    State,
    detect_language,
)
from memory.ports import Embedder, FloatArray, Store, Transaction
from memory.text.commands import find_intent
from memory.text.languages import either, value

_NEAR: Final = 12
_SLOTS_LOOKED_AT: Final = 1_000
_PATIENCE: Final = 1.0  # seconds for an embedder elsewhere; the reply waits for this
_HOLDS: Final = frozenset({Kind.IDENTITY, Kind.PREFERENCE, Kind.INSTRUCTION, Kind.WORKFLOW})
_SLOT_KINDS: Final = frozenset({Kind.IDENTITY, Kind.FACT, Kind.PREFERENCE, Kind.CONTEXT})


def make_refusal(code: str, text: str) -> Refused:
    """Return the refusal with its sentence, in the language of the text."""
    sentence = value(detect_language(text), "refusals", code).format(longest=LONGEST)
    return Refused("empty" if code == "previous" else code, sentence)


def check_text(text: str) -> str:
    """Return the text as it would be kept; secrets in it will be sealed. Raises Refused."""
    plain = " ".join(text.split())
    code = refused_text(plain)
    if code == "secret":
        order = privacy.is_refused_instruction(privacy.redact(plain)[0])
        code = "instruction" if order else None
    if code:
        raise make_refusal(code, text)
    return plain


@dataclass(frozen=True, slots=True)
class RememberResult:
    """`memory` says it now; `already`: it did before; `secret`: it is the label of a secret."""

    memory: Memory
    already: bool = False
    secret: bool = False
    set_id: str | None = None
    ended: str = ""  # what it took the place of, in its own words


@dataclass(frozen=True, slots=True)
class RememberRequest:
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
class NearestMemories:
    """What has to be known of a text before the write: its vector, memories near it, slots."""

    vector: FloatArray | None = None
    near: tuple[MemoryId, ...] = ()
    reader: slots.SlotReader | None = None


@dataclass(frozen=True, slots=True)
class Rememberer:
    """Saves what a person asks to be remembered."""

    store: Store
    embedder: Embedder
    key: bytes | None
    curve: str
    u: float

    async def remember(self, r: RememberRequest) -> RememberResult:
        """Save it. An empty text means what was said just before. Raises Refused."""
        r, about = await self.store.read(r.user_id, lambda tx: self._find_meant(tx, r))
        check_text(r.text)
        looked = await self.find_nearest(r.user_id, r.text)
        return await self.store.write(r.user_id, lambda tx: self.save(tx, r, looked, about))

    async def find_nearest(self, user_id: str, text: str) -> NearestMemories:
        """Return what `save` needs and must not find out inside the write."""
        text = " ".join(text.split())
        if privacy.redact(text)[1]:
            privacy.seal(self._get_key(text), "")  # its library takes long to load
            return NearestMemories()
        try:
            async with asyncio.timeout(None if self.embedder.immediate else _PATIENCE):
                vector: FloatArray = (await self.embedder.embed([text], "content"))[0]
                reader = await slots.load_reader(self.embedder, [text])
        except (ModelError, TimeoutError):
            return NearestMemories()  # a job embeds it later
        near = await self.store.open_reader(user_id).search_vectors(vector, _NEAR, Filter())
        return NearestMemories(vector, tuple(s.id for s in near), reader)

    def save(
        self,
        tx: Transaction,
        r: RememberRequest,
        looked: NearestMemories,
        about: Message | None = None,
    ) -> RememberResult:
        """Save `r.text`, said in the message `about`, inside a write. Raises Refused."""
        text = check_text(r.text)
        if privacy.redact(text)[1]:
            return self._seal(tx, r, text, about)
        begun = self._begin(tx, r)
        draft = draft_of(text, about.at if about else r.at, r.tz)
        draft = replace(draft, kind=r.kind or draft.kind)
        draft = slots.fill_slot(draft, "", looked.vector, looked.reader)
        embedder = self.embedder.id if looked.vector is not None else None
        claim = replace(  # the request itself is the newest word on it
            self._write_claim(tx, r, draft, about),
            vector=looked.vector,
            embedder_id=embedder,
            near=looked.near,
            reader=looked.reader,
            settled=r.beside,
        )
        merger = Merger(tx, curve=self.curve, u=self.u)
        old = None if r.beside else _find_same_attribute(tx, text)
        saved = merger.supersede(old, claim) if old is not None else merger.save(claim)
        if saved.memory is None:
            raise make_refusal(saved.code or "empty", text)
        already = saved.outcome not in {"added", "superseded"}
        was = tx.memories.get_many(saved.memory.supersedes if saved.outcome == "superseded" else ())
        ended = was[-1].original_content if was else ""
        return RememberResult(saved.memory, already, set_id=begun.id, ended=ended)

    def _find_meant(
        self, tx: Transaction, r: RememberRequest
    ) -> tuple[RememberRequest, Message | None]:
        """Return the words that are meant, and the message they stand in."""
        asking = tx.conversations.get_message(r.message_id) if r.message_id else None
        text = r.text.strip()
        if r.message_id is None:
            text = "" if _refers_back(text) else text
        elif asking is not None:
            text = _complete_secrets(text, get_original_text(tx, self.key, asking))
        if text:
            return replace(r, text=text), asking
        before = find_previous_message(tx, r.scope, r.message_id)
        if before is None:
            raise make_refusal("previous", asking.text if asking else "")
        return replace(r, text=get_original_text(tx, self.key, before)), before

    def _begin(self, tx: Transaction, r: RememberRequest) -> ChangeSet:
        return r.within or tx.changes.begin("user", "remember", r.at, turn_id=r.turn_id)

    def _write_claim(
        self, tx: Transaction, r: RememberRequest, draft: Draft, about: Message | None
    ) -> Claim:
        if about is not None:
            return Claim(draft, r.at, (about.id,), about.session_id)
        session = tx.conversations.get_open_session(r.scope)
        return Claim(draft, r.at, (), session.id if session else None)

    # --- secrets ---

    def _seal(
        self, tx: Transaction, r: RememberRequest, text: str, about: Message | None
    ) -> RememberResult:
        """Keep only a label in the open; one of the same label is replaced by the new one."""
        key, begun, label = self._get_key(text), self._begin(tx, r), privacy.make_secret_label(text)
        # No message goes on holding it in the open: neither the one that says it nor the request.
        asked = dict.fromkeys(i for i in (about and about.id, r.message_id) if i)
        for message in messages_of(tx, asked):
            hide(tx, self.key, message)
        same = _find_sealed(tx, label)
        for old in same:
            kept = tx.secret(old.id)
            if kept is not None and privacy.unseal(key, kept, bound_to=old.id) == text:
                return RememberResult(old, already=True, secret=True, set_id=begun.id)
        draft = Draft(
            label,
            language=detect_language(label),
            confidence=1.0,
            source=Source.USER,
            verified=True,
            sensitivity=Sensitivity.SECRET,
        )
        m = build_memory(self._write_claim(tx, r, draft, about), tx.user_id)
        m = replace(m, kind=Kind.FACT, close=False, supersedes=tuple(o.id for o in same))
        m = tx.memories.add(lifecycle.start_life(m, Importance.HIGH, self.curve, r.at))
        tx.put_secret(m.id, privacy.seal(key, text, bound_to=m.id))
        if about is not None:
            tx.memories.add_source(m.id, about.id)
        tx.memories.log(lifecycle.build_log_entry("created", None, m, self.u, r.at, "user"))
        for old in same:
            tx.memories.put(replace(old, state=State.SUPERSEDED, valid_until=r.at), "superseded")
        return RememberResult(m, secret=True, set_id=begun.id)

    def _get_key(self, text: str) -> bytes:
        if self.key is None:
            raise make_refusal("key", text)
        return self.key


def _complete_secrets(text: str, said: str) -> str:
    """Make whole what taking a text out of its message cut of a secret at its end."""
    for f in privacy.redact(said)[1]:
        if f.value in text:
            continue
        cut = next((n for n in range(len(f.value) - 1, 1, -1) if text.endswith(f.value[:n])), 0)
        if cut:
            text = text[:-cut] + f.value
    return text


def _refers_back(text: str) -> bool:
    """Tell whether what follows a command only points at what was said before: "this"."""
    found = (find_intent(form) for form in (f"remember {text}", f"记住{text}"))
    return bool(text) and any(f is not None and f.kind == "remember" and f.previous for f in found)


def _find_same_attribute(tx: Transaction, text: str) -> Memory | None:
    """Return the memory that says another value of what can have but one."""
    wanted = find_attribute(text)
    if wanted is None:
        return None
    held = tx.memories.find(Filter(kinds=_SLOT_KINDS, negated=False), limit=_SLOTS_LOOKED_AT).items
    return next((m for m in held if find_attribute(m.original_content) == wanted), None)


def _find_sealed(tx: Transaction, label: str) -> list[Memory]:
    """Return the person's sealed memories of that label."""
    found = tx.memories.find(Filter(max_sensitivity=Sensitivity.SECRET), text=label, limit=50).items
    sealed = [m for m in found if m.sensitivity is Sensitivity.SECRET]
    return [m for m in sealed if normalise_text(m.original_content) == normalise_text(label)]


# --- what kind of thing it is ---

_KINDS: Final = "todo identity preference goal workflow decision skill lesson".split()  # noqa: SIM905 - words read as words


def parse_kind(text: str) -> Kind:
    """Guess the kind: how to answer, or the first whose words it has; FACT if none."""
    if privacy.classify_instruction(text) == "manner":
        return Kind.INSTRUCTION
    return Kind(next((kind for kind in _KINDS if either("kinds", kind).search(text)), "fact"))


def find_attribute(text: str) -> str | None:
    """Name the attribute that "my … is" says the one value of: a size, a favourite X."""
    m = either("one_value", "ATTRIBUTE").match(text.strip())
    key = next((g for g in m.groups() if g), "") if m else ""
    return " ".join(key.casefold().replace("favorite", "favourite").split()) or None


def draft_of(text: str, at: datetime, tz: str) -> Draft:
    """Return what the person wants remembered, in their own words: verified, of high importance."""
    kind, folded = parse_kind(text), text.casefold()
    places = ((name, folded.find(name)) for name in find_names(text))
    names = {text[i : i + len(name)] if i >= 0 else name for name, i in places}
    found = dates.find_due(text, at, tz, todo=kind in {Kind.TODO, Kind.GOAL})
    due = found[0] if found and found[1] and kind not in _HOLDS else None
    draft = Draft(
        text,
        kind=Kind.TODO if due else kind,
        importance=Importance.HIGH,
        language=detect_language(text),
        confidence=1.0,
        source=Source.USER,
        verified=True,
        entities=tuple(sorted(names)),
        sensitivity=privacy.classify_sensitivity(text),
        expires_at=due.end if due else None,
        precision=due.precision if due else None,
    )
    draft = dates.complete_draft(draft, at, tz)
    dated = draft.on or draft.expires_at or draft.valid_until or draft.repeats or draft.dead
    if not found or dated or kind is not Kind.FACT:
        return draft
    return replace(draft, kind=Kind.EVENT, on=found[0].start, precision=found[0].precision)
