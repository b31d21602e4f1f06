"""The memories of one moment as the file shows them, and what the merge has to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory import lifecycle
from memory.learn.dates import get_zone
from memory.mirror import words
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

EVERYTHING = 10_000_000
_GONE = frozenset({State.DELETED, State.FORGOTTEN})


def is_shown(m: Memory) -> bool:
    """Whether the file has it: what holds now, faded or denied as well; never a secret, nothing quiet or proposed."""
    return m.state is State.ACTIVE and m.quiet_at is None and m.sensitivity < Sensitivity.SECRET


def is_archived(m: Memory, now: datetime) -> bool:
    """Whether answers draw on it no more, but for looking back: faded below a summary, denied, or over."""
    over = m.valid_until is not None and m.valid_until <= now
    return m.level >= Level.TAG or m.negated_at is not None or over


def digest_memory(tx: Transaction, m: Memory) -> MirrorDigest:
    """Digests of what the file says of it."""
    text = tx.mirror.compute_digest(m.original_content)
    return MirrorDigest(text, text, str(m.kind))


# --- what the merge is told ---


def find_base(
    tx: Transaction, state: MirrorState | None, stamp: MirrorStamp | None
) -> tuple[Mapping[MemoryId, MirrorDigest], int | None]:
    """What the file showed when the person's editor read it, and which version that was; empty if
    nobody knows.

    A file without a stamp counts as the newest. Where that may not have reached the disk, only what
    the one before showed as well can be missing from it.
    """
    if state is None or (
        stamp is not None and (stamp.lineage != state.lineage or stamp.version > state.version)
    ):
        return {}, None
    if stamp is not None:
        return tx.mirror.get_base(stamp.version), stamp.version
    base = tx.mirror.get_base(state.version)
    if not state.confirmed:
        earlier = tx.mirror.get_base(state.version - 1)
        base = {i: s for i, s in base.items() if i in earlier}
    return base, state.version


@dataclass(frozen=True, slots=True)
class PlannedMerge:
    """What a document asks for, and of which moment that was thought."""

    plan: MergePlan
    base: Mapping[MemoryId, MirrorDigest]
    version: int | None
    state: MirrorState | None
    seq: int

    def holds(self, tx: Transaction) -> bool:
        """Whether nothing has changed since."""
        return tx.changes.get_last_seq() == self.seq and tx.mirror.get_state() == self.state


def plan_merge(tx: Transaction, doc: MirrorDocument) -> PlannedMerge:
    """What the document asks for, as the memories stand in this transaction."""
    state = tx.mirror.get_state()
    base, version = find_base(tx, state, doc.stamp)
    stands = get_status(tx, {*base, *(b.id for b in doc.blocks if b.id is not None)})
    added = _added(tx, base, version)
    doc = _unmarked(tx, doc, base)
    wanted = plan(doc, base, stands, tx.mirror.was_shown, tx.mirror.compute_digest, added)
    return PlannedMerge(wanted, base, version, state, tx.changes.get_last_seq())


def _unmarked(
    tx: Transaction, doc: MirrorDocument, base: Mapping[MemoryId, MirrorDigest]
) -> MirrorDocument:
    """Take off the quotation marks that stand around whole entries, except where they are the memory's own."""
    known = {
        m.id: flatten_spacing(m.original_content)
        for m in tx.memories.get_many({b.id for b in doc.blocks if b.id is not None})
    }
    texts = {s.text for s in base.values()}

    def text_of(b: MirrorBlock) -> str:
        own, inner = known.get(b.id or "", ""), unmark_quote(b.text)
        own_marks = b.text == own or inner != own != unmark_quote(own)
        taken = b.id is not None or tx.mirror.compute_digest(inner) in texts
        return b.text if own_marks or not taken else inner

    blocks = [
        replace(b, paragraphs=(text_of(b),)) if unmark_quote(b.text) != b.text else b
        for b in doc.blocks
    ]
    return replace(doc, blocks=blocks)


def _added(
    tx: Transaction, base: Mapping[MemoryId, MirrorDigest], version: int | None
) -> dict[MemoryId, str]:
    """What an earlier save of the same version brought, and its text: another buffer of that version lacks it."""
    came = (
        base.keys() - tx.mirror.get_base(version, taken=False).keys()
        if version is not None
        else set()
    )
    return {m.id: m.original_content for m in tx.memories.get_many(sorted(came))}


def get_status(tx: Transaction, ids: AbstractSet[MemoryId]) -> dict[MemoryId, MemoryStatus]:
    """What became of each that was ever known here."""
    out: dict[MemoryId, MemoryStatus] = {}
    for i, (state, sensitivity, s) in tx.mirror.get_digests(ids).items():
        here = state is State.ACTIVE and sensitivity < Sensitivity.SECRET
        where: Where = "here" if here else "gone" if state in _GONE else "replaced"
        out[i] = MemoryStatus(where, s.text, s.original, s.kind)
    for i in tx.mirror.list_known_ids(ids - out.keys()):
        out[i] = MemoryStatus("gone")  # erased
    return out


# --- what the file is to be ---


@dataclass(frozen=True, slots=True)
class MirrorSnapshot:
    """The file as it should be now.

    `gone` are entries of the version before that may be in no backup either.
    """

    text: str
    shown: Mapping[MemoryId, MirrorDigest]
    state: MirrorState  # as it will be once this is written
    before: MirrorState | None
    differs: bool
    gone: frozenset[MemoryId]
    asked: tuple[MemoryId, ...]
    says: Mapping[MemoryId, str]  # the text of each entry


def take_snapshot(
    tx: Transaction,
    lang: Lang | None,
    tz: str,
    u: float,
    now: datetime,
    dropped: Iterable[MemoryId] = (),
) -> MirrorSnapshot:
    """Read all of it in one moment.

    `dropped` are forgotten ones that were saved back into the file.
    """
    before = tx.mirror.get_state()
    base = tx.mirror.get_base(before.version, taken=False) if before else {}
    state = before or MirrorState(lineage=get_lineage(tx))
    asking, asked = _asked(tx, state, now)
    every = tx.memories.find(Filter(), order="weight", limit=EVERYTHING).items
    memories = [m for m in every if is_shown(m) and m.id not in asked]
    shown = {i: s for i, (_, _, s) in tx.mirror.get_digests(m.id for m in memories).items()}
    lang = lang or tx.user().lang or _spoken(tx, memories)
    zone_ = get_zone(tx.user().tz or tz)
    version = state.version + 1
    notes = [
        words.say("gone", lang, id=m.id)
        for m in tx.memories.get_many(dict.fromkeys(dropped))
        if m.state in _GONE
    ]
    if asked:
        notes.append(words.say("asked", lang, n=len(asked)))
    entries = [_entry(m, u, now, zone_) for m in memories]
    page = MirrorPage(
        entries,
        MirrorStamp(state.lineage, version),
        now.astimezone(zone_).isoformat(timespec="seconds"),
        [raw for raw, _ in state.unread],
        notes,
    )
    text = render(page, lang)
    lost = [i for i in (*base, *dropped) if i not in shown and i not in asked]
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
    gone = frozenset(i for i in lost if i not in stay)
    return MirrorSnapshot(
        text,
        shown,
        after,
        before,
        dict(base) != shown,
        gone,
        tuple(asked),
        {e.id: flatten_spacing(e.text) for e in entries},
    )


def _entry(m: Memory, u: float, now: datetime, zone_: ZoneInfo) -> MirrorEntry:
    return MirrorEntry(
        m.id,
        m.kind,
        mark_quote(m, m.original_content),
        lifecycle.compute_weight(m, u, now),
        m.last_activated_at.astimezone(zone_).date().isoformat(),
        m.activation_count,
        archived=is_archived(m, now),
        negated=m.negated_at is not None,
        level=m.level,
    )


def _asked(
    tx: Transaction, state: MirrorState, now: datetime
) -> tuple[Mapping[str, object] | None, list[MemoryId]]:
    """Entries whose absence is still to be explained; once it is, or nobody has for days, they are shown again."""
    a = state.asking
    if a is None or tx.choice(str(a["yes"]), now) is None or tx.choice(str(a["no"]), now) is None:
        return None, []
    return a, [str(i) for i in a["ids"]]


def _spoken(tx: Transaction, memories: Sequence[Memory]) -> Lang:
    """The language most of the memories are in; before there are any, the one last spoken."""
    if memories:
        zh = sum(m.language == "zh" for m in memories)
        return "zh" if 2 * zh > len(memories) else "en"
    said = tx.conversations.list_messages(scope=f"user:{tx.user_id}", limit=4, newest=True)
    return next((detect_language(m.text) for m in reversed(said) if m.role == "user"), "en")


def get_lineage(tx: Transaction) -> str:
    """The same for every look at one store before its first file is written, another one for every other store."""
    return tx.mirror.compute_digest("lineage")[:8]
