"""Taking what other programs have written: memories through the gate, conversations as closed
sessions.

A memory counts as told by its owner today: its date says since when it holds, and fading starts
now. What was forgotten on request since that date does not come back. Conversations keep their
dates. Everything has a name that never changes, so that taking a file twice changes nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from memory.learn.merge import (
    Claim,
    Merger,
    SaveResult,
    choose_kind,
    find_known_memory,
    find_refusal,
)
from memory.learn.remember import parse_kind
from memory.lifecycle.curve import STANDING
from memory.models import Draft, Importance, Json, Kind, Source, detect_language
from memory.ports import Transaction
from memory.privacy import classify_sensitivity, redact
from memory.store.rows import to_ms
from memory.text.notes import strip_subject
from memory.transfer.formats import (
    ImportedConversation,
    ImportedMemory,
    ImportedMessage,
    ImportFile,
)

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_SCOPE: Final = "import:"


@dataclass(slots=True)
class ImportCounts:
    """How many of each sort came.

    Sorts are memory.new, memory.known, memory.secret …, session.new, message.new …
    """

    counts: Counter[str] = field(default_factory=Counter)
    set_id: str | None = None
    waiting: list[str] = field(
        default_factory=list
    )  # texts that are taken only with the owner's yes


class DryRunDone(Exception):
    """Raised at the end of a dry run, so that nothing of it is written."""

    def __init__(self, taken: ImportCounts) -> None:
        super().__init__()
        self.taken = taken


def take(
    tx: Transaction,
    found: ImportFile,
    now: datetime,
    *,
    tz: str,
    curve: str,
    u: float,
    learn: bool = False,
    agreed: bool = False,
) -> ImportCounts:
    """Write it, in one change set. `learn`: also have the conversations read for memories, by the
    memory model.

    `agreed`: the owner has said yes to instructions, to health, and to what is over.
    """
    out = ImportCounts(set_id=tx.changes.begin("user", "import", now).id)
    merger = Merger(tx, curve=curve, u=u)
    # The oldest first, and each a moment after the one before: later ones win.
    items = sorted(found.items, key=lambda item: min(item.at or now, now))
    for n, item in enumerate(items):
        became = _item(merger, item, now - timedelta(milliseconds=len(items) - n), agreed=agreed)
        out.counts[f"memory.{became}"] += 1
        if became == "waiting":
            out.waiting.append(item.text)
    for talk in found.talks:
        _talk(tx, talk, found.origin, out.counts, now, tz=tz, learn=learn)
    return out


def _item(merger: Merger, item: ImportedMemory, now: datetime, *, agreed: bool) -> str:
    text = " ".join(item.text.split())
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
        sensitivity=classify_sensitivity(text),
    )
    claim = Claim(draft, now)
    code = find_refusal(merger.tx, replace(claim, said_at=at))
    asks = kind in STANDING or (item.until is not None and item.until <= now)
    if asks and code is None and not agreed and find_known_memory(merger.tx, claim) is None:
        return "waiting"
    saved = merger.save(claim, mention=False) if code is None else SaveResult(None, "refused", code)
    return {"added": "new", "refused": saved.code or "refused"}.get(saved.outcome, "known")


def _talk(
    tx: Transaction,
    talk: ImportedConversation,
    origin: str,
    counts: Counter[str],
    now: datetime,
    *,
    tz: str,
    learn: bool,
) -> None:
    session_id = _name(tx, origin, talk.key)
    if session_id in tx.transfer.list_taken_ids(
        "session", [session_id]
    ) or tx.transfer.list_erased_ids([session_id]):
        counts["session.known"] += 1
        return
    first, last = talk.messages[0].at, talk.messages[-1].at
    line: dict[str, Json] = {
        "id": session_id,
        "scope": f"{_SCOPE}{origin}",
        "opened_at": to_ms(first),
        "last_at": to_ms(last),
        "state": "closed",
        "title": redact(talk.title)[0],
        "closed_at": to_ms(last),
        "closed_why": "import",
        "running_summary": "",
        "profile": None,
    }
    tx.transfer.put_session(line)
    through = 0
    for said in talk.messages:
        through = tx.transfer.put_message(_message(tx, said, session_id, origin, tz))
        counts["message.new"] += 1
    counts["session.new"] += 1
    if learn:
        payload = {"session_id": session_id, "through": through}
        tx.jobs.enqueue("extract", f"import:{session_id}", payload, now)
        counts["session.queued"] += 1


def _message(
    tx: Transaction, said: ImportedMessage, session_id: str, origin: str, tz: str
) -> dict[str, Json]:
    return {
        "id": _name(tx, origin, said.key),
        "session_id": session_id,
        "turn_id": None,
        "role": said.role,
        "text": redact(said.text)[0],  # what was said elsewhere was not said to be kept sealed here
        "at": to_ms(said.at),
        "tz": tz,
        "status": "complete",
        "hidden_at": None,
        "reply_to": None,
        "author": "@" if said.role == "user" else None,
    }


def _name(tx: Transaction, origin: str, key: str) -> str:
    n = int.from_bytes(sha256(f"{tx.user_id}:{origin}:{key}".encode()).digest()[:8], "big")
    return "y" + "".join(_DIGITS[(n >> (5 * i)) & 31] for i in range(12))
