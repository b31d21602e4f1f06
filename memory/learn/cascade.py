"""What hung on a fact that ended does not come up as present until later talk settles it.

When the person's home, work or partner changes, what rests on the old one may be over as well: the
gym by the old office, evenings with somebody. Nobody said so, so nothing ends: it is unsettled, is
found where the message calls for it, marked as from before, and a mention of it settles it. What
hangs on the fact is told by names and telling words that both have and the new fact has not, and
by words of the same side of life. Nearness of vectors tells nothing here: docs/design.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from memory.learn.same_meaning import find_names, list_content_words, list_units, mentions_name
from memory.lifecycle import find_death
from memory.models import MOST_PROPOSALS, Filter, Hit, Kind, Layer, Memory, Proposal
from memory.ports import Transaction
from memory.text.languages import bounded, either, values
from memory.text.questions import COMMON
from memory.text.spans import join_own_text
from memory.text.speech import FORMS, find_kin

HUBS: Final = ("home", "job", "partner")  # in the order of `SLOTS` of a language
_HUB_OF: Final = {"employer": "job", "marital_status": "partner", "address": "home"}
_KINDS: Final = frozenset(
    {Kind.FACT, Kind.WORKFLOW, Kind.CONTEXT, Kind.EVENT, Kind.TODO, Kind.GOAL, Kind.DECISION}
)
_PLANNED: Final = frozenset({Kind.EVENT, Kind.TODO, Kind.GOAL, Kind.DECISION})
_LOOKED_AT: Final = 1_000
_RARE: Final = 0.1  # of the memories at most may have a word that tells what hangs together
_FEW: Final = 3
_CALLED: Final = 0.5  # share of its words by which a message calls for it
_HEAD: Final = re.compile(r"\W*(?:[A-Za-z][\w'’-]*\s*){1,2}|.{1,4}")  # says whom a memory is about
_WAIT: Final = timedelta(days=1)  # nothing is asked on the day of a parting, a death, a diagnosis


@cache
def _sides() -> tuple[re.Pattern[str], ...]:
    """Compile the words of each side of life, in all languages."""
    lists = [(lang, text.split("|")) for lang, text in values("evidence", "SLOTS").items()]
    return tuple(
        re.compile("|".join(bounded(la, s[i].replace(" ", "|")) for la, s in lists), re.IGNORECASE)
        for i in range(len(HUBS))
    )


def find_hub(text: str, slot: str = "") -> str:
    """Name what others may hang on that a memory says: home, job or partner; "" for none."""
    hub = _HUB_OF.get(slot, slot)
    if hub or not text:
        return hub if hub in HUBS else ""
    if either("cascade", "PARTNER").search(text):
        return "partner"
    if _find_subject(text):
        return ""
    return next((h for h, side in zip(HUBS, _sides(), strict=True) if side.search(text)), "")


def _find_subject(text: str) -> set[frozenset[str]]:
    """Find the kin of whom a memory is about, by its head."""
    head = _HEAD.match(text)
    return find_kin(head[0]) if head else set()


def unsettle(
    tx: Transaction, old: Memory, new: Memory, slot: str, at: datetime, now: datetime
) -> list[Memory]:
    """Mark what hung on `old`, which ended at `at`, and ask of one thing that lies ahead.

    Args:
        tx: the write in which it ended.
        old: the fact that ended.
        new: what was said in its place.
        slot: which fact it is by the model; "" where it did not say.
        at: since when.
        now: when it was said.
    """
    hub = find_hub(old.original_content, slot)
    if not hub or old.kind in _PLANNED:  # nothing hangs yet on what was only planned
        return []
    held = tx.memories.find(Filter(negated=False, valid_at=now), limit=_LOOKED_AT).items
    loose = [m for m in held if _may_hang(m, old, new, now)]
    ties = _find_ties(hub, old, new, held)
    marked = [
        tx.memories.put(replace(m, unsettled_at=at), "updated")
        for m in loose
        if _hangs(m, hub, old, new, ties)
    ]
    ahead = [m for m in marked if (m.on or m.expires_at or now) > now]
    if ahead and len(tx.proposals.open()) < MOST_PROPOSALS:
        m = min(ahead, key=lambda x: x.on or x.expires_at or now)
        since = now + _WAIT if hub == "partner" else now
        tx.proposals.add(Proposal(m.original_content, {"op": "ahead", "id": m.id}, None, since))
    return marked


def unsettle_habits(tx: Transaction, death: Memory, now: datetime) -> None:
    """Mark what was done again and again with somebody who has died."""
    for m in tx.memories.find(Filter(negated=False, valid_at=now), limit=_LOOKED_AT).items:
        habit = m.kind is Kind.WORKFLOW or FORMS.DEGREE.search(m.original_content)
        if habit and _may_hang(m, death, death, now) and find_death(m, [death]):
            tx.memories.put(replace(m, unsettled_at=death.created_at), "updated")


def settle(tx: Transaction, at: datetime | None) -> None:
    """Take the marks back that the end of a fact at `at` left: it did not end after all."""
    held = tx.memories.find(Filter(), limit=_LOOKED_AT).items if at else ()
    for m in held:
        if m.unsettled_at == at:
            tx.memories.put(replace(m, unsettled_at=None), "updated")


def is_unsettled(m: Memory, now: datetime) -> bool:
    """Tell whether what a memory hung on has ended."""
    return m.unsettled_at is not None and m.unsettled_at <= now


def drop_unsettled(hits: Sequence[Hit], text: str, now: datetime) -> tuple[Hit, ...]:
    """Return the hits without what may be over, unless the message calls for that very thing."""
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

    return tuple(h for h in hits if not is_unsettled(h.memory, now) or calls(h.memory))


def _may_hang(m: Memory, old: Memory, new: Memory, now: datetime) -> bool:
    over = m.repeats is None and m.on is not None and (m.on_until or m.on) < now
    own = m.id in {old.id, new.id} or old.id in m.supersedes or m.created_at >= new.created_at
    over = over or any("denies" in c for c in m.correction_history)
    return (
        m.kind in _KINDS
        and not (over or own or m.dead or m.pinned or m.unsettled_at)
        and m.layer is not Layer.EPISODE
    )


def _find_ties(hub: str, old: Memory, new: Memory, held: Sequence[Memory]) -> frozenset[str]:
    """Find the names and, but of a partner, the telling words that the old fact has alone."""
    said = find_names(f"- {old.original_content}", old.entities)
    names = {w for n in said for w in (n, *n.split()) if len(w) > 1}
    if hub == "partner":
        return frozenset(names)
    people = {n for m in held if m.close for n in find_names(f"- {m.original_content}", m.entities)}
    seen = Counter(w for m in held for w in list_content_words(m.original_content))
    most = max(_FEW, _RARE * len(held))
    words = {w for w in list_content_words(old.original_content) if seen[w] <= most}
    ties = (names - people) | (words - COMMON)
    return frozenset(ties - list_content_words(new.original_content))


def _hangs(m: Memory, hub: str, old: Memory, new: Memory, ties: frozenset[str]) -> bool:
    text = m.original_content
    if hub == "partner":
        return any(mentions_name(n, text) for n in ties | find_partner_words(old))
    if _find_subject(text) - find_kin(old.original_content):
        return False  # where somebody else lives or works
    fresh = find_names(f"- {new.original_content}") - find_names(f"- {old.original_content}")
    if any(mentions_name(n, text) for n in fresh) or find_hub(text) not in {"", hub}:
        return False  # it is about the new one, or another such fact
    shared = list_content_words(text) & ties or any(mentions_name(n, text) for n in ties)
    kept = find_names(f"- {new.original_content}") & find_names(f"- {old.original_content}")
    beside = either("cascade", hub.upper()).search(text) and not kept
    return bool(shared or beside)


def find_partner_words(old: Memory) -> frozenset[str]:
    """Return the words for a partner that a fact names them by: girlfriend, 男朋友."""
    found = either("cascade", "PARTNER").findall(old.original_content)
    return frozenset(w.casefold() for w in found if len(w) > 1)
