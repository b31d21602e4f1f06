"""What hung on a fact that ended does not come up as present until later talk settles it.

When the person's home, work or partner changes, what rests on the old one may be over as well: the
gym by the old office, evenings with somebody. Nobody said so, so nothing ends: it is unsettled, is
found where the message calls for it, marked as from before, and a mention of it settles it. What
hangs on the fact has its names or telling words, which the new fact has not, or is nearer to
sentences of `[cascade]` about such routines than to any others: docs/design.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from memory.learn.same_meaning import find_names, list_content_words, list_units, mentions_name
from memory.lifecycle import find_death
from memory.models import MOST_PROPOSALS, Filter, Hit, Kind, Layer, Memory, Proposal
from memory.ports import Transaction
from memory.text.languages import either
from memory.text.questions import COMMON
from memory.text.spans import join_own_text
from memory.text.speech import FORMS, find_kin

if TYPE_CHECKING:
    from memory.learn.merge import Claim

_HUB_OF: Final = {  # slots that others hang on
    "home": "home",
    "address": "home",
    "job": "job",
    "employer": "job",
    "school": "job",
    "partner": "partner",
    "marital_status": "partner",
}
HUBS: Final = frozenset(_HUB_OF.values())
_STATES: Final = frozenset({Kind.FACT, Kind.IDENTITY, Kind.CONTEXT})
_ROUTINES: Final = frozenset({Kind.FACT, Kind.WORKFLOW, Kind.CONTEXT})
PLANNED: Final = frozenset({Kind.EVENT, Kind.TODO, Kind.GOAL, Kind.DECISION})
HANGING: Final = _ROUTINES | PLANNED
PLAIN: Final = frozenset(  # slots on which nothing hangs, and that hang on nothing
    {"name", "age", "birthday", "pronouns", "native_language"}
    | {"nationality", "weight", "zone", "phone", "email"}
)
_LOOKED_AT: Final = 1_000
_RARE: Final = 0.1  # of the memories at most may have a word that tells what hangs together
_FEW: Final = 3
_ALIKE: Final = 0.5  # share of words from which a new fact is about the same place
# By how much a routine is nearer to what hangs on home or job than to what hangs on neither, and
# how far the other of the two may be ahead (tests/eval/sets/cascade.jsonl).
_NEARER: Final = 0.03
_BEHIND: Final = 0.08
_TOLD_AS: Final = {"lives": "home", "works": "job"}  # sentences about the fact itself
_CALLED: Final = 0.5  # share of its words by which a message calls for it
_HEAD: Final = re.compile(r"\W*(?:[A-Za-z][\w'’-]*\s*){1,2}|.{1,4}")  # says whom a memory is about
_NONE: Final = timedelta()
_WAIT: Final = timedelta(days=1)  # nothing is asked on the day of a parting, a death, a diagnosis


@dataclass(frozen=True, slots=True)
class _Ending:
    """A fact that ended, and what is known of how near memories are to what hangs on it.

    ties: names and telling words of the old fact that the new one has not. fresh: names that only
    the new one has. moved: it is not the same home or job, otherwise worded. near: of memories, by
    `SlotReader.compare_sides`.
    """

    hub: str
    old: Memory
    ties: frozenset[str]
    fresh: frozenset[str]
    moved: bool
    near: Mapping[str, Mapping[str, float]]

    def ties_to(self, m: Memory) -> bool:
        """Tell whether a memory hangs on the fact."""
        text = m.original_content
        if self.hub == "partner":
            words = self.ties | _find_partner_words(self.old.original_content)
            return any(mentions_name(n, text) for n in words)
        if _find_subject(text) - find_kin(self.old.original_content):
            return False  # where somebody else lives or works
        hub = _HUB_OF.get(m.slot or "", "")
        if any(mentions_name(n, text) for n in self.fresh) or (m.slot and hub != self.hub):
            return False  # it is about the new one, or is over when its own slot has a new value
        named = any(mentions_name(n, text) for n in self.ties)
        return bool(named or list_content_words(text) & self.ties or self._is_near(m))

    def _is_near(self, m: Memory) -> bool:
        """Tell whether it is a routine of that side of life, or one told in the same message."""
        near = self.near.get(m.id)
        if not (near and self.moved and m.kind in _ROUTINES) or m.slot:
            return False
        side, other = near[self.hub], near["job" if self.hub == "home" else "home"]
        if m.source_message is not None and m.source_message == self.old.source_message:
            side = max(side, other)
        rest = max(near["none"] + _NEARER, near["lives"], near["works"])
        return side > rest and other - side <= _BEHIND


def name_hub(m: Memory) -> str:
    """Name the side of life that a memory's slot is about: home and address are one."""
    return _HUB_OF.get(m.slot or "", m.slot or "")


def _find_subject(text: str) -> set[frozenset[str]]:
    """Find the kin of whom a memory is about, by its head."""
    head = _HEAD.match(text)
    return find_kin(head[0]) if head else set()


def unsettle(
    tx: Transaction,
    old: Memory,
    new: Memory,
    at: datetime,
    now: datetime,
    claim: Claim | None = None,
) -> list[Memory]:
    """Mark what hung on `old`, which ended at `at`, and ask of one thing that lies ahead.

    Args:
        tx: the write in which it ended.
        old: the fact that ended, as it is now.
        new: what was said in its place.
        at: since when.
        now: when it was said.
        claim: by which it ended, if it has one; it brings slot and reader.
    """
    if old.kind in PLANNED:  # nothing hangs yet on what was only planned
        return []
    sides = _measure(tx, [old, new], claim)
    hub = _find_hub(old, claim.draft.slot if claim else "", sides.get(old.id, {}))
    if not hub or (hub == "partner" and _goes_on(old, new, sides.get(new.id, {}))):
        return []
    held = tx.memories.find(Filter(negated=False, valid_at=now), limit=_LOOKED_AT).items
    loose = [m for m in held if m.id != new.id and may_hang(m, old, new.created_at, now)]
    near = _measure(tx, loose if hub != "partner" else (), claim)
    ending = _describe(hub, old, new, held, near)
    marked = [m for m in loose if ending.ties_to(m)]
    mark(tx, marked, at, now, _WAIT if hub == "partner" else _NONE)
    return marked


def mark(
    tx: Transaction, some: Iterable[Memory], at: datetime, now: datetime, wait: timedelta = _NONE
) -> None:
    """Mark what may be over since `at`, and after `wait` ask of one thing that lies ahead."""
    since = {m.id: min(at, m.unsettled_at or at) for m in some}  # an earlier end than was known
    marked = [tx.memories.put(replace(m, unsettled_at=since[m.id]), "updated") for m in some]
    ahead = [m for m in marked if (m.on or m.expires_at or now) > now]
    waiting = tx.proposals.open()
    asks = any(p.data.get("op") == "ahead" for p in waiting)
    if ahead and not asks and len(waiting) < MOST_PROPOSALS:
        m = min(ahead, key=lambda x: x.on or x.expires_at or now)
        tx.proposals.add(
            Proposal(m.original_content, {"op": "ahead", "id": m.id}, None, now + wait)
        )


def _measure(
    tx: Transaction, memories: Iterable[Memory], claim: Claim | None
) -> dict[str, dict[str, float]]:
    """Return how near memories are to the sentences of `[cascade]`, where vectors tell it."""
    if claim is None or claim.reader is None or claim.embedder_id is None:
        return {}
    found = {m.id: m.original_content for m in memories}
    vectors = tx.vectors.get(list(found), claim.embedder_id)
    return {i: s for i, v in vectors.items() if (s := claim.reader.compare_sides(found[i], v))}


def _find_hub(old: Memory, slot: str | None, near: Mapping[str, float]) -> str:
    """Name what others may hang on that a memory says: home, job or partner; "" for none."""
    if slot := old.slot or slot:
        return _HUB_OF.get(slot, "")
    if either("cascade", "PARTNER").search(old.original_content):
        return "partner"
    sides = {k: near[k] for k in (*_TOLD_AS, "home", "job", "none") if k in near}
    nearest = max(sides, key=lambda k: sides[k], default="")
    return _TOLD_AS.get(nearest, "") if old.kind in _STATES else ""


def _goes_on(old: Memory, new: Memory, near: Mapping[str, float]) -> bool:
    """Tell whether what replaced a fact about a partner tells of no parting: they married."""
    if old.negated_at is not None:
        return False
    before, after = (find_names(m.original_content, m.entities) for m in (old, new))
    if after and not before & after:
        return False  # another partner
    parted = bool(FORMS.ENDED.search(new.original_content))
    return near["parted"] <= near["together"] if near else not parted


def _describe(
    hub: str,
    old: Memory,
    new: Memory,
    held: Sequence[Memory],
    near: Mapping[str, Mapping[str, float]],
) -> _Ending:
    """Find the names and, but of a partner, the telling words that the old fact has alone."""
    text, after = old.original_content, new.original_content
    if hub == "partner":
        said = find_names(f"- {text}", old.entities)
        names = frozenset(w for n in said for w in (n, *n.split()) if len(w) > 1)
        return _Ending(hub, old, names, frozenset(), True, near)
    people = {n for m in held if m.close for n in find_names(f"- {m.original_content}", m.entities)}
    names, then = find_names(text, old.entities) - people, find_names(after, new.entities) - people
    seen = Counter(w for m in held for w in list_content_words(m.original_content))
    most = max(_FEW, _RARE * len(held))
    words, now = list_content_words(text), list_content_words(after)
    ties = names | {w for w in words if seen[w] <= most} - COMMON
    denied, fresh = old.negated_at is not None, then - names
    same = (bool(names & then) and not fresh) or len(words & now) >= _ALIKE * len(words | now)
    ties = ties if denied else ties - now - then
    return _Ending(hub, old, frozenset(ties), fresh, denied or not same, near)


def unsettle_habits(tx: Transaction, death: Memory, now: datetime, claim: Claim) -> None:
    """Mark what was done again and again with somebody who has died; `claim` tells the death."""
    held = tx.memories.find(Filter(negated=False, valid_at=now), limit=_LOOKED_AT).items
    told = death.created_at
    theirs = [m for m in held if may_hang(m, death, told, now) and find_death(m, [death])]
    near = _measure(tx, theirs, claim)
    for m in theirs:
        habit = m.kind is Kind.WORKFLOW or FORMS.DEGREE.search(m.original_content)
        if habit or _is_routine(near.get(m.id, {})):
            tx.memories.put(replace(m, unsettled_at=death.created_at), "updated")


def _is_routine(near: Mapping[str, float]) -> bool:
    """Tell whether a memory is nearer to what is done at home or work than to anything else."""
    return bool(near) and max(near["home"], near["job"]) > near["none"] + _NEARER


def settle(tx: Transaction, at: datetime | None) -> None:
    """Take the marks back that the end of a fact at `at` left: it did not end after all."""
    held = tx.memories.find(Filter(), limit=_LOOKED_AT).items if at else ()
    for m in held:
        if m.unsettled_at == at:
            tx.memories.put(replace(m, unsettled_at=None), "updated")


def drop_unsettled(hits: Sequence[Hit], text: str, now: datetime) -> tuple[Hit, ...]:
    """Return the hits without what may be over, unless the message calls for that very thing.

    Nor does the account of the conversation in which it was told come up in its place.
    """
    own = join_own_text(text)
    wanted = list_units(own)
    asks = either("cascade", "STILL").search(own) is not None

    def calls(m: Memory) -> bool:
        units = list_units(m.original_content)
        names = find_names(FORMS.DAYS.sub(" ", m.original_content), m.entities)
        ahead = m.on is not None and m.repeats is None and m.on > now
        return (
            asks
            or ahead
            or len(units & wanted) >= _CALLED * max(len(units), 1)
            or any(mentions_name(n, own) for n in names)
            or not find_kin(own).isdisjoint(find_kin(m.original_content))
        )

    over = [h.memory for h in hits if h.memory.is_unsettled(now) and not calls(h.memory)]
    told = {m.source_session for m in over} - {None}
    gone = {m.id for m in over}

    def is_left_out(m: Memory) -> bool:
        account = m.layer is Layer.EPISODE and m.source_session in told
        return m.id in gone or (account and not calls(m))

    return tuple(h for h in hits if not is_left_out(h.memory))


def may_hang(m: Memory, old: Memory, told: datetime, now: datetime) -> bool:
    """Tell whether a memory may hang on `old`, whose end was told at `told`, by all but meaning."""
    over = m.repeats is None and m.on is not None and (m.on_until or m.on) < now
    own = m.id == old.id or old.id in m.supersedes or m.created_at >= told
    over = over or m.has_ended(now) or any("denies" in c for c in m.correction_history)
    return (
        m.kind in HANGING
        and m.slot not in PLAIN
        and not (over or own or m.dead or m.pinned or m.is_unsettled(now))
        and m.layer is not Layer.EPISODE
    )


def _find_partner_words(text: str) -> frozenset[str]:
    """Return the words for a partner that a fact names them by: girlfriend, 男朋友."""
    found = either("cascade", "PARTNER").findall(text)
    return frozenset(w.casefold() for w in found if len(w) > 1)
