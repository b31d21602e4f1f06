"""The memories of one moment: as the merge has to know them, and as the file shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from memory import lifecycle
from memory.learn.dates import get_zone
from memory.mirror.files import compute_digest, encode_file
from memory.mirror.merge import MemoryStatus, MergePlan, Where, plan
from memory.mirror.page import (
    MirrorBlock,
    MirrorDocument,
    MirrorEntry,
    MirrorPage,
    MirrorStamp,
    flatten_spacing,
    render,
    say,
)
from memory.models import (
    Filter,
    Lang,
    Level,
    Memory,
    MemoryId,
    MirrorDigest,
    MirrorState,
    Sensitivity,
    State,
    detect_language,
    mark_quote,
    unmark_quote,
)
from memory.ports import Transaction

_EVERYTHING: Final = 10_000_000
_GONE: Final = frozenset({State.DELETED, State.FORGOTTEN})


def digest_memory(tx: Transaction, m: Memory) -> MirrorDigest:
    """Return digests of what the file says of a memory."""
    text = tx.mirror.compute_digest(m.original_content)
    return MirrorDigest(text, text, str(m.kind))


# --- what the merge is told ---


class PlannedMerge(NamedTuple):
    """What a document asks for; what it showed when it was read, in which version, if known."""

    plan: MergePlan
    base: Mapping[MemoryId, MirrorDigest]
    version: int | None


def plan_merge(tx: Transaction, doc: MirrorDocument) -> PlannedMerge:
    """Plan what the document asks for, as the memories stand in this transaction."""
    base, version = _find_base(tx, doc.stamp)
    named = {b.id for b in doc.blocks if b.id is not None}
    # What an earlier save of the same version brought: another buffer of that version lacks it.
    first = tx.mirror.get_base(version, taken=False) if version is not None else base
    added = tx.memories.get_many(sorted(base.keys() - first.keys()))
    wanted = plan(
        _unmark_quotes(tx, doc, named, {s.text for s in base.values()}),
        base,
        _get_status(tx, base.keys() | named),
        tx.mirror.was_shown,
        tx.mirror.compute_digest,
        {m.id: m.original_content for m in added},
    )
    return PlannedMerge(wanted, base, version)


def _find_base(
    tx: Transaction, stamp: MirrorStamp | None
) -> tuple[Mapping[MemoryId, MirrorDigest], int | None]:
    """Find what the file showed when the person's editor read it, and which version that was.

    A file without a stamp counts as the newest. Where that may not have reached the disk, only what
    the one before showed as well can be missing from it.
    """
    state = tx.mirror.get_state()
    if state is None:
        return {}, None
    if stamp is not None:
        ours = stamp.lineage == state.lineage and stamp.version <= state.version
        return (tx.mirror.get_base(stamp.version), stamp.version) if ours else ({}, None)
    base = tx.mirror.get_base(state.version)
    if not state.confirmed:
        earlier = tx.mirror.get_base(state.version - 1)
        base = {i: s for i, s in base.items() if i in earlier}
    return base, state.version


def _unmark_quotes(
    tx: Transaction, doc: MirrorDocument, named: Iterable[MemoryId], texts: AbstractSet[str]
) -> MirrorDocument:
    """Take off the quotation marks around whole entries, except where they are the memory's own."""
    known = {m.id: flatten_spacing(m.original_content) for m in tx.memories.get_many(set(named))}

    def unmark(b: MirrorBlock) -> MirrorBlock:
        own, inner = known.get(b.id or "", ""), unmark_quote(b.text)
        own_marks = b.text == own or inner != own != unmark_quote(own)
        taken = b.id is not None or tx.mirror.compute_digest(inner) in texts
        return replace(b, paragraphs=(inner,)) if taken and not own_marks else b

    return replace(
        doc, blocks=[unmark(b) if unmark_quote(b.text) != b.text else b for b in doc.blocks]
    )


def _get_status(tx: Transaction, ids: AbstractSet[MemoryId]) -> dict[MemoryId, MemoryStatus]:
    """Return what became of each that was ever known here."""
    out: dict[MemoryId, MemoryStatus] = {
        i: MemoryStatus("gone") for i in tx.mirror.list_known_ids(ids)
    }
    for i, (state, sensitivity, s) in tx.mirror.get_digests(ids).items():
        here = state is State.ACTIVE and sensitivity < Sensitivity.SECRET
        where: Where = "here" if here else "gone" if state in _GONE else "replaced"
        out[i] = MemoryStatus(where, s.text, s.original, s.kind)
    return out


# --- what the file is to be ---


@dataclass(frozen=True, slots=True)
class MirrorSnapshot:
    """The file as it should be now.

    `state` is as it will be once this is written. `gone` are entries of the version before that
    may be in no backup either.
    """

    text: str
    shown: Mapping[MemoryId, MirrorDigest]
    state: MirrorState
    before: MirrorState | None
    differs: bool
    gone: frozenset[MemoryId]
    asked: tuple[MemoryId, ...]


def take_snapshot(
    tx: Transaction,
    lang: Lang | None,
    tz: str,
    u: float,
    now: datetime,
    dropped: Sequence[MemoryId] = (),
) -> MirrorSnapshot:
    """Read all that the file is to show, in one moment.

    `dropped` are forgotten memories that were saved back into the file.
    """
    before = tx.mirror.get_state()
    base = tx.mirror.get_base(before.version, taken=False) if before else {}
    state = before or MirrorState(lineage=get_lineage(tx))
    asking = state.get_open_question(now)
    asked = tuple(str(i) for i in asking["ids"]) if asking else ()
    every = tx.memories.find(Filter(), order="weight", limit=_EVERYTHING).items
    memories = [m for m in every if _is_shown(m) and m.id not in asked]
    shown = {i: s for i, (_, _, s) in tx.mirror.get_digests(m.id for m in memories).items()}
    lang = lang or tx.user().lang or _find_language(tx, memories)
    zone = get_zone(tx.user().tz or tz)
    version = state.version + 1
    back = (m for m in tx.memories.get_many(dict.fromkeys(dropped)) if m.state in _GONE)
    notes = [say("GONE", lang, id=m.id) for m in back]
    if asked:
        notes.append(say("ASKED", lang, n=len(asked)))
    entries = [_make_entry(m, u, now, zone) for m in memories]
    updated = now.astimezone(zone).isoformat(timespec="seconds")
    unread = [raw for raw, _ in state.unread]
    page = MirrorPage(entries, MirrorStamp(state.lineage, version), updated, unread, notes)
    text = render(page, lang)
    lost = {i for i in (*base, *dropped) if i not in shown and i not in asked}
    stay = {
        m.id
        for m in tx.memories.get_many(lost)
        if m.state not in _GONE and m.sensitivity < Sensitivity.SECRET
    }
    after = replace(
        state,
        version=version,
        confirmed=False,
        wrote=compute_digest(encode_file(text)),
        seq=tx.changes.get_last_seq(),
        asking=asking,
    )
    differs = dict(base) != shown
    return MirrorSnapshot(text, shown, after, before, differs, frozenset(lost - stay), asked)


def _is_shown(m: Memory) -> bool:
    return m.state is State.ACTIVE and m.quiet_at is None and m.sensitivity < Sensitivity.SECRET


def _make_entry(m: Memory, u: float, now: datetime, zone: ZoneInfo) -> MirrorEntry:
    over = m.valid_until is not None and m.valid_until <= now
    return MirrorEntry(
        m.id,
        m.kind,
        mark_quote(m, m.original_content),
        lifecycle.compute_weight(m, u, now),
        m.last_activated_at.astimezone(zone).date().isoformat(),
        m.activation_count,
        archived=m.level >= Level.TAG or m.negated_at is not None or over,
        negated=m.negated_at is not None,
        level=m.level,
    )


def _find_language(tx: Transaction, memories: Sequence[Memory]) -> Lang:
    """Find the language of most memories; before there are any, the one last spoken."""
    if memories:
        return Counter(m.language for m in memories).most_common(1)[0][0]
    said = tx.conversations.list_messages(scope=f"user:{tx.user_id}", limit=4, newest=True)
    return next((detect_language(m.text) for m in reversed(said) if m.role == "user"), "en")


def get_lineage(tx: Transaction) -> str:
    """Return what tells this store's file from another's, the same before it is first written."""
    return tx.mirror.compute_digest("lineage")[:8]
