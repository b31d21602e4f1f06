"""Export and import over a store: each import is one write that is whole or not at all.

A memory that another program wrote counts as told by its owner today: its date says since when it
holds, and fading starts now. What was forgotten on request since that date does not come back.
Conversations keep their dates, and become closed sessions. Everything has a name that never
changes, so that taking a file twice changes nothing.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory import privacy
from memory.errors import ModelError
from memory.learn import slots
from memory.learn.learning_rules import list_rules, load_topics
from memory.learn.merge import Claim, Merger, choose_kind, find_known_memory, find_refusal
from memory.learn.remember import parse_kind
from memory.lifecycle.curve import STANDING
from memory.models import Draft, Importance, Json, Kind, Source, detect_language
from memory.ports import Embedder, Store, Transaction
from memory.store.rows import to_ms
from memory.text.notes import strip_subject
from memory.transfer.formats import ImportedConversation, ImportedMemory, ImportFile
from memory.transfer.jsonl import ExportCounts, JsonlImport, Lines, derive_id, export

_SCOPE: Final = "import:"


@dataclass(slots=True)
class ImportCounts:
    """How many of each sort came.

    Sorts are memory.new, memory.known, memory.secret …, session.new, message.new … `waiting` are
    texts that are taken only with the owner's yes.
    """

    counts: Counter[str] = field(default_factory=Counter)
    set_id: str | None = None
    waiting: list[str] = field(default_factory=list)

    @property
    def came(self) -> bool:
        """Tell whether anything is new here."""
        return any(kind.endswith((".new", ".newer")) for kind in self.counts)


class _RolledBack(Exception):
    """Raised at the end of a write of which nothing is to be kept."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """What the service offers of files."""

    store: Store
    key: bytes | None
    curve: str
    u: float
    embedder: Embedder

    async def export(
        self, user_id: str, write: Callable[[str], object], *, secrets: bool = False
    ) -> ExportCounts:
        """Hand every line to `write`, all of one moment, in a thread of the store's."""
        return await self.store.read(user_id, lambda tx: export(tx, write, secrets=secrets))

    async def bring(
        self, user_id: str, lines: Lines, now: datetime, *, dry_run: bool = False
    ) -> ImportCounts:
        """Take an export of Ebb's.

        `lines` gives the file from its beginning each time. Raises Unreadable.
        """

        def work(tx: Transaction) -> ImportCounts:
            incoming = JsonlImport(lines, self._opens)
            set_id = incoming.run(tx, now)
            return ImportCounts(incoming.counts, set_id)

        return await self._write(user_id, work, dry_run=dry_run)

    async def take(
        self,
        user_id: str,
        found: ImportFile,
        now: datetime,
        *,
        tz: str,
        dry_run: bool = False,
        learn: bool = False,
        agreed: bool = False,
    ) -> ImportCounts:
        """Take what another program wrote.

        `learn`: have conversations read for memories, which costs model calls. `agreed`: the owner
        has said yes to instructions, to health, and to what is over.
        """
        looked = await self._look_up(user_id, [strip_subject(_flatten(i)) for i in found.items])

        def work(tx: Transaction) -> ImportCounts:
            out = ImportCounts(set_id=tx.changes.begin("user", "import", now).id)
            merger = Merger(tx, curve=self.curve, u=self.u)
            # The oldest first, and each a moment after the one before: later ones win.
            items = sorted(found.items, key=lambda item: min(item.at or now, now))
            for left, item in zip(range(len(items), 0, -1), items, strict=True):
                at = now - timedelta(milliseconds=left)
                became = _save_item(merger, item, at, looked, agreed=agreed)
                out.counts[f"memory.{became}"] += 1
                if became == "waiting":
                    out.waiting.append(item.text)
            for talk in found.talks:
                through = _save_talk(tx, talk, found.origin, tz)
                out.counts["session.new" if through else "session.known"] += 1
                if through:
                    out.counts["message.new"] += len(talk.messages)
                if through and learn and not dry_run:
                    session_id = _name(tx, found.origin, talk.key)
                    payload = {"session_id": session_id, "through": through}
                    tx.jobs.enqueue("extract", f"import:{session_id}", payload, now)
                    out.counts["session.queued"] += 1
            return out

        return await self._write(user_id, work, dry_run=dry_run)

    async def _look_up(self, user_id: str, texts: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return of each text what its claim takes along: vector, readers of slots and rules.

        They are known before the write, or not at all: a job embeds the rest later.
        """
        texts = [t for t in dict.fromkeys(texts) if not privacy.redact(t)[1]]
        reader = await slots.load_reader(self.embedder, texts)
        if reader is None or not texts:
            return {}
        rules = await self.store.read(user_id, list_rules)
        topics = await load_topics(self.embedder, rules, texts)
        seen = {"embedder_id": self.embedder.id, "reader": reader, "topics": topics}
        try:
            rows = await self.embedder.embed(texts, "content")
        except ModelError:
            return {}
        return {t: {**seen, "vector": v} for t, v in zip(texts, rows, strict=True)}

    async def _write(
        self, user_id: str, work: Callable[[Transaction], ImportCounts], *, dry_run: bool
    ) -> ImportCounts:
        """Do the work; keep nothing of it in a dry run, or where nothing came."""
        counts = ImportCounts()

        def write(tx: Transaction) -> ImportCounts:
            nonlocal counts
            counts = work(tx)
            if dry_run or not counts.came:
                raise _RolledBack
            return counts

        try:
            return await self.store.write(user_id, write)
        except _RolledBack:
            return replace(counts, set_id=None)

    def _opens(self, memory_id: str, sealed: str) -> bool:
        return (
            self.key is not None
            and privacy.unseal(self.key, base64.b64decode(sealed), bound_to=memory_id) is not None
        )


def _flatten(item: ImportedMemory) -> str:
    return " ".join(item.text.split())


def _save_item(
    merger: Merger,
    item: ImportedMemory,
    now: datetime,
    looked: Mapping[str, Mapping[str, Any]],
    *,
    agreed: bool,
) -> str:
    """Save a memory through the gate that learning uses; return what became of it."""
    text = _flatten(item)
    at = min(item.at or now, now)
    named = next((Kind(t) for t in item.topics if t in set(Kind)), parse_kind(text))
    kind = choose_kind(named, text, Source.USER)  # by their yes these are the owner's own words
    draft = Draft(
        strip_subject(text),
        kind=kind,
        topics=item.topics,
        valid_from=None if item.at is None else at,
        valid_until=None if kind is Kind.TODO else item.until,
        expires_at=item.until if kind is Kind.TODO else None,
        importance=Importance.MEDIUM,
        language=detect_language(text),
        source=Source.IMPORT,
        sensitivity=privacy.classify_sensitivity(text),
    )
    seen = looked.get(draft.content, {})
    draft = slots.fill_slot(draft, "", seen.get("vector"), seen.get("reader"))
    claim = Claim(draft, now, **seen)
    if code := find_refusal(merger.tx, replace(claim, said_at=at)):
        return code
    asks = kind in STANDING or (item.until is not None and item.until <= now)
    if asks and not agreed and find_known_memory(merger.tx, claim) is None:
        return "waiting"
    saved = merger.save(claim, mention=False)
    words = {"added": "new", "superseded": "new", "refused": saved.code or "refused"}
    return words.get(saved.outcome, "known")


def _save_talk(tx: Transaction, talk: ImportedConversation, origin: str, tz: str) -> int:
    """Save a conversation as a closed session.

    Returns the place of its last message; 0 if it is here, or was erased here.
    """
    session_id = _name(tx, origin, talk.key)
    known = tx.transfer.list_taken_ids("session", [session_id])
    if known or tx.transfer.list_erased_ids([session_id]):
        return 0
    last = to_ms(talk.messages[-1].at)
    session: dict[str, Json] = {
        "id": session_id,
        "scope": f"{_SCOPE}{origin}",
        "opened_at": to_ms(talk.messages[0].at),
        "last_at": last,
        "state": "closed",
        "title": privacy.redact(talk.title)[0],
        "closed_at": last,
        "closed_why": "import",
        "running_summary": "",
        "profile": None,
    }
    tx.transfer.put_session(session)
    through = 0
    for said in talk.messages:
        message: dict[str, Json] = {
            "id": _name(tx, origin, said.key),
            "session_id": session_id,
            "turn_id": None,
            "role": said.role,
            # What was said elsewhere was not said to be kept sealed here.
            "text": privacy.redact(said.text)[0],
            "at": to_ms(said.at),
            "tz": tz,
            "status": "complete",
            "hidden_at": None,
            "reply_to": None,
            "author": "@" if said.role == "user" else None,
        }
        through = tx.transfer.put_message(message)
    return through


def _name(tx: Transaction, origin: str, key: str) -> str:
    return derive_id("y", 12, tx.user_id, origin, key)
