"""The memories of one moment: as the merge has to know them, and as the file shows them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from memory import lifecycle
from memory.learn.dates import get_zone
from memory.learn.people import show_names
from memory.mirror.files import compute_digest, encode_file
from memory.mirror.merge import MemoryStatus, MergePlan, Where, plan
from memory.mirror.page import (
    BESIDE,
    MirrorBlock,
    MirrorDocument,
    MirrorEntry,
    MirrorPage,
    MirrorStamp,
    flatten_spacing,
    parse_part,
    render,
    say,
)
from memory.models import (
    Filter,
    Kind,
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
from memory.recall.pipeline import find_standing
from memory.text.languages import either

_EVERYTHING: Final = 10_000_000
_NAME: Final = re.compile(r"\w[\w .'’·-]{0,39}")  # what can be a heading
_SEVERAL: Final = 3  # that name one whom nothing calls close (by hand)
_BY_KIND: Final = {
    Kind.HEALTH: "health",
    **dict.fromkeys((Kind.GOAL, Kind.TODO, Kind.EVENT, Kind.DECISION), "plans"),
    Kind.EPISODE: "talks",
}
# never below a name
_NAMELESS: Final = frozenset({Kind.HEALTH, Kind.GOAL, Kind.TODO, Kind.EPISODE})
_TASTES: Final = frozenset({Kind.PREFERENCE, Kind.WHIM, Kind.INSTRUCTION})
_GONE: Final = frozenset({State.DELETED, State.FORGOTTEN})


def digest_memory(tx: Transaction, m: Memory) -> MirrorDigest:
    """Return digests of what the file says of a memory."""
    text = tx.mirror.compute_digest(show_names(tx, [m])[0].original_content)
    return MirrorDigest(text, text, str(m.kind))


# --- what the merge is told ---


class PlannedMerge(NamedTuple):
    """What a document asks for; what it showed when it was read, in which version, if known."""

    plan: MergePlan
    base: Mapping[MemoryId, MirrorDigest]
    version: int | None


def plan_merge(tx: Transaction, doc: MirrorDocument, *, beside: bool = False) -> PlannedMerge:
    """Plan what the document asks for, as the memories stand in this transaction.

    `beside`: it is MEMORY.more.md, where absence deletes nothing.
    """
    base, version = _find_base(tx, doc.stamp)
    named = {b.id for b in doc.blocks if b.id is not None}
    digest = cache(tx.mirror.compute_digest)
    # What an earlier save of the same version brought: another buffer of that version lacks it.
    first = tx.mirror.get_base(version, taken=False) if version is not None else base
    added = show_names(tx, tx.memories.get_many(sorted(base.keys() - first.keys())))
    doc = _unmark_quotes(tx, doc, {s.text for s in base.values()})
    aside = {i for i, s in base.items() if s.kind.endswith(BESIDE)}
    others = base.keys() - aside if beside else aside
    wanted = plan(
        doc,
        {i: s if i not in aside else replace(s, kind=s.kind[:-1]) for i, s in base.items()},
        _get_status(tx, base.keys() | named),
        tx.mirror.was_shown,
        digest,
        {m.id: m.original_content for m in added},
        _find_words(tx, doc, base.keys() - others, base, digest).__getitem__,
        others,
        whole=not beside,
    )
    return PlannedMerge(wanted, base, version)


def _find_words(
    tx: Transaction,
    doc: MirrorDocument,
    own: AbstractSet[MemoryId],
    base: Mapping[MemoryId, MirrorDigest],
    digest: Callable[[str], str],
) -> Mapping[MemoryId, str]:
    """Return the originals of all entries that do not stand in the file as they were."""
    shown = {b.id: b.text for b in doc.blocks if b.id in base}
    as_were = {i for i, s in base.items() if i in shown and digest(shown[i]) == s.text}
    odd = {*own, *(b.id for b in doc.blocks if b.id is not None)} - as_were
    found = show_names(tx, tx.memories.get_many(sorted(odd)))
    return defaultdict(str, {m.id: m.original_content for m in found})


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


def _unmark_quotes(tx: Transaction, doc: MirrorDocument, texts: AbstractSet[str]) -> MirrorDocument:
    """Take off the quotation marks around whole entries, except where they are the memory's own."""
    marked = {b.id for b in doc.blocks if b.id is not None and unmark_quote(b.text) != b.text}
    found = show_names(tx, tx.memories.get_many(marked))
    known = {m.id: flatten_spacing(m.original_content) for m in found}

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
    """The files as they should be now; `more` is empty where the first one holds all.

    `state` is as it will be once this is written. `gone` are entries of the version before that
    may be in no backup either.
    """

    text: str
    more: str
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
    waiting: Sequence[str] = (),
) -> MirrorSnapshot:
    """Read all that the file is to show, in one moment.

    `dropped` are forgotten memories that were saved back into the file, `waiting` lines of the
    person's that are read later.
    """
    before = tx.mirror.get_state()
    base = tx.mirror.get_base(before.version, taken=False) if before else {}
    state = before or MirrorState(lineage=get_lineage(tx))
    asking = state.get_open_question(now)
    asked = tuple(str(i) for i in asking["ids"]) if asking else ()
    every = tx.memories.find(Filter(), order="weight", limit=_EVERYTHING).items
    memories = show_names(tx, [m for m in every if _is_shown(m) and m.id not in asked])
    shown = {m.id: digest_memory(tx, m) for m in memories}
    lang = lang or tx.user().lang or _find_language(tx, memories)
    zone = get_zone(tx.user().tz or tz)
    version = state.version + 1
    back = (m for m in tx.memories.get_many(dict.fromkeys(dropped)) if m.state in _GONE)
    notes = [say("GONE", lang, id=m.id) for m in back]
    if asked:
        notes.append(say("ASKED", lang, n=len(asked)))
    entries = _make_entries(tx, memories, u, now, zone)
    updated = now.astimezone(zone).isoformat(timespec="seconds")
    unread = [raw for raw, _ in state.unread]
    page = MirrorPage(entries, MirrorStamp(state.lineage, version), updated, unread, notes, waiting)
    text, more, aside = render(page, lang)
    shown |= {i: replace(shown[i], kind=shown[i].kind + BESIDE) for i in aside}
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
        wrote=""
        if waiting
        else compute_digest(*(encode_file(t) if t else None for t in (text, more))),
        seq=tx.changes.get_last_seq(),
        asking=asking,
    )
    differs = dict(base) != shown
    return MirrorSnapshot(text, more, shown, after, before, differs, frozenset(lost - stay), asked)


def _is_shown(m: Memory) -> bool:
    return m.state is State.ACTIVE and m.quiet_at is None and m.sensitivity < Sensitivity.SECRET


def _make_entries(
    tx: Transaction, memories: Sequence[Memory], u: float, now: datetime, zone: ZoneInfo
) -> list[MirrorEntry]:
    """Return the entries of the page, each with its group and what it is a detail of."""
    standing = {m.id: n for n, m in enumerate(find_standing(tx, u, now))}
    under = {i: m for m in memories for i in m.source_ids if i not in standing}
    somebody = {name for m in memories if m.close for name in m.entities}
    others = (m for m in memories if m.id not in standing and m.kind not in _NAMELESS)
    named = Counter(n for m in others for n in set(m.entities) if _NAME.fullmatch(n))
    several = {
        n: -k
        for n, k in named.items()
        if k >= (2 if n in somebody else _SEVERAL) and parse_part(n) is None
    }

    def make_entry(m: Memory) -> MirrorEntry:
        over = m.negated_at is not None or m.has_ended(now)
        top = under.get(m.id, m)
        top = under.get(top.id, top)  # a theme of gists
        group = "standing" if top.id in standing else _find_group(top, several)
        group = group if m.has_begun(now) else "plans"
        return MirrorEntry(
            m.id,
            m.kind,
            mark_quote(m, m.original_content),
            lifecycle.compute_weight(m, u, now),
            m.last_activated_at.astimezone(zone).date().isoformat(),
            m.activation_count,
            archived=over or (m.level >= Level.TAG and m.id not in standing),
            negated=m.negated_at is not None,
            level=m.level,
            group="over" if over else group,
            below=top.id if top is not m else None,
            rank=standing.get(m.id, 0),
        )

    entries = [make_entry(m) for m in memories]
    tops = {(e.id, e.archived, e.group) for e in entries if not e.below}
    return [
        replace(e, below=None) if e.below and (e.below, e.archived, e.group) not in tops else e
        for e in entries
    ]


def _find_group(m: Memory, several: Mapping[str, int]) -> str:
    """Return whom or what a memory is about: somebody that several name, else by its kind."""
    names = several.keys() & m.entities
    if names and m.kind not in _NAMELESS:
        return min(names, key=lambda n: (several[n], n))
    if (group := _BY_KIND.get(m.kind)) is not None:
        return group
    if m.close:
        return "people"
    work = m.kind not in _TASTES and either("mirror", "WORK_WORDS").search(m.original_content)
    return "work" if work else "life"


def _find_language(tx: Transaction, memories: Sequence[Memory]) -> Lang:
    """Find the language of most memories; before there are any, the one last spoken."""
    if memories:
        return Counter(m.language for m in memories).most_common(1)[0][0]
    said = tx.conversations.list_messages(scope=f"user:{tx.user_id}", limit=4, newest=True)
    return next((detect_language(m.text) for m in reversed(said) if m.role == "user"), "en")


def get_lineage(tx: Transaction) -> str:
    """Return what tells this store's file from another's, the same before it is first written."""
    return tx.mirror.compute_digest("lineage")[:8]
