"""Find what changed and nobody linked: pairs about one thing, judged by the memory model at night.

Candidates are found without words of meaning: what stands nearest by vector and shared words, of
related kinds, about nobody else by name. The newest against the rest, then a portion of the
backlog. What the model says counts once it has said so three times, in calls of their own: a tenth
of wrong answers would else outnumber the changes, since few of the pairs have changed. Code decides
what may be done with it. Changed: the older one is superseded, in one change set of the night.
Unsure, and whatever would end a protected memory (`is_protected`): a question to the person. Same:
`merge_duplicates`. A pair is judged again only after one side was edited. Without a model nothing
happens.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from memory.errors import ModelError
from memory.learn import dates
from memory.learn.merge import Merger
from memory.learn.same_meaning import (
    find_names,
    list_units,
    mentions_name,
    normalise_text,
    related_kinds,
)
from memory.learn.visible_messages import redact_memory, write_day
from memory.learn.waiting_questions import ask_change
from memory.models import (
    JudgedPair,
    Kind,
    Memory,
    MemoryId,
    MemoryOutline,
    ScoredMemory,
    State,
    Verdict,
    detect_language,
)
from memory.ports import Transaction
from memory.recall.question import find_people_names
from memory.text.languages import LANGUAGES
from memory.text.speech import MY_KIN, find_kin
from memory.upkeep.duplicates import (
    CURRENT,
    find_neighbours,
    find_vectors,
    is_protected,
    list_edited,
)
from memory.upkeep.run import UpkeepRun, group_by_language, is_current_fact

if TYPE_CHECKING:
    from memory.learn.schemas import PairVerdicts

Ids: TypeAlias = tuple[MemoryId, MemoryId]  # the newer one first
MOST_PAIRS: Final = 60  # judged in one night, beside the doubtful ones
MOST_ENDED: Final = 10  # a night; by hand
MOST_SHARE: Final = 0.03  # of the memories that hold; by hand. One may always end
MOST_LOOKED: Final = 120  # memories whose neighbours are looked at in one night
NEAREST: Final = 24  # neighbours of each, and twice as many of what is new
ENOUGH: Final = 3  # answers that something changed, more than that it did not
ROUNDS: Final = 4  # of questions in one night; what is doubtful then waits for the next
_PER_CALL: Final = 20
_MAX_ANSWER: Final = 600
_PASSING: Final = frozenset({Kind.TODO, Kind.CONTEXT})  # of which there may be many
_ACTS: Final = frozenset({"changed", "unsure"})
_LATIN: Final = re.compile("^[A-Z][a-z]+")  # a name before another script


class MemoryPair(NamedTuple):
    """Two memories about one thing, in the order in which they were said."""

    newer: Memory
    older: Memory

    @property
    def ids(self) -> Ids:
        """The ids, the newer one's first."""
        return self.newer.id, self.older.id


@dataclass(slots=True)
class Verdicts:
    """What is known of pairs: from earlier nights and from this one.

    `since`: when it changed, in the model's words, by pair. `read`: the pairs as they were judged.
    """

    known: dict[Ids, JudgedPair]
    new: dict[Ids, JudgedPair] = field(default_factory=dict)
    since: dict[Ids, str] = field(default_factory=dict)
    read: dict[Ids, MemoryPair] = field(default_factory=dict)

    def list_ids(self, state: str) -> list[Ids]:
        """Return the pairs in that state."""
        return [i for i, pair in (self.known | self.new).items() if pair.state == state]

    def add(self, pair: MemoryPair, said: Verdict, since: str, now: datetime) -> None:
        """Take a verdict in; what would change something has to be said often enough."""
        before = self.new.get(pair.ids) or self.known.get(pair.ids)
        verdict, votes = (before.verdict, before.votes) if before else (said, 0)
        if said != verdict and {said, verdict} <= _ACTS and votes <= 1:
            verdict, votes = said, 1
        else:
            votes += 1 if said == verdict != "both" else -1
        state: Literal["doubtful", "waiting", "settled"] = "doubtful"
        if votes < 0:
            verdict, state = "both", "settled"
        elif votes >= ENOUGH:
            state = "waiting" if verdict in _ACTS else "settled"
        self.new[pair.ids] = JudgedPair(*pair.ids, verdict, votes, state, now)
        self.since[pair.ids], self.read[pair.ids] = since or self.since.get(pair.ids, ""), pair


async def settle_changes(run: UpkeepRun) -> None:
    """Judge pairs of memories; end what changed, ask what is unsure. Raises ModelError."""
    if await run.read(run.tools.learns) == "off":
        return
    verdicts = await _load_verdicts(run)
    pairs = await _read_pairs(run, verdicts.list_ids("doubtful"))
    pairs += await _choose_pairs(run, verdicts)
    failed = None
    try:
        for _ in range(ROUNDS):
            await _judge(run, verdicts, pairs)
            doubtful = verdicts.list_ids("doubtful")
            pairs = [verdicts.read[i] for i in reversed(doubtful) if i in verdicts.read]
    except ModelError as e:
        failed = e
    waiting = await _read_pairs(run, verdicts.list_ids("waiting"))
    await run.write(lambda tx: _settle(run, tx, verdicts, waiting), share=1.0)
    if failed is not None:
        raise failed


# --- which pairs ---


async def _load_verdicts(run: UpkeepRun) -> Verdicts:
    """Return what earlier nights judged, of memories that still say what they said then."""
    edited = await list_edited(run)
    if edited:
        await run.write(lambda tx: tx.nights.drop_pairs(edited), moves=False)
    known = await run.read(lambda tx: tx.nights.list_pairs())
    return Verdicts({(p.newer, p.older): p for p in known})


async def _read_pairs(run: UpkeepRun, ids: Sequence[Ids]) -> list[MemoryPair]:
    """Return the pairs of which both memories are there."""
    there = {m.id: m for m in await run.memories(sorted({i for pair in ids for i in pair}))}
    return [MemoryPair(there[a], there[b]) for a, b in ids if {a, b} <= there.keys()]


async def _choose_pairs(run: UpkeepRun, verdicts: Verdicts) -> list[MemoryPair]:
    """Return the pairs to judge tonight: those of what is new first, the nearest first."""
    new = await find_neighbours(run)
    rows = [w.row for w in run.rows if is_current_fact(w.row) and w.row.kind not in _PASSING]
    after = int(run.data.get("carry", {}).get("judged", 0))
    fresh = [r for r in rows if r.id in new][-MOST_LOOKED:]
    rows = [r for r in rows if r.id not in new]
    backlog = [r for r in rows if r.place > after] + [r for r in rows if r.place <= after]
    backlog = backlog[: MOST_LOOKED - len(fresh)]
    looked = fresh + backlog
    judged = {frozenset(ids) for ids in verdicts.known}
    found = [
        (r.id not in new, rank, -s.score, r.id, s.id)
        for r, some in zip(looked, await _search(run, looked), strict=True)
        for rank, s in enumerate(some if r.id in new else some[: NEAREST + 1])
        if r.id != s.id and frozenset((r.id, s.id)) not in judged
    ]
    known = {m.id: m for m in await run.memories(sorted({i for f in found for i in f[3:]}))}
    names = {n for m in known.values() for n in find_names(m.original_content, m.entities)}
    whom = {m.id: find_subjects(m.original_content, names) for m in known.values()}
    pairs: dict[Ids, MemoryPair] = {}
    for *_, a, b in sorted(found):
        pair = order_pair(known[a], known[b]) if {a, b} <= known.keys() else None
        if pair and can_replace(*pair, run.now) and not whom[a].differ(whom[b]):
            pairs[pair.ids] = pair
        if len(pairs) == MOST_PAIRS:
            break
    if backlog:
        carry = {**run.data.get("carry", {}), "judged": backlog[-1].place}
        await run.write(lambda _tx: run.data.update(carry=carry), moves=False)
    return list(pairs.values())


async def _search(run: UpkeepRun, rows: Sequence[MemoryOutline]) -> list[list[ScoredMemory]]:
    """Return what of a related kind stands nearest to each; nothing where the embedder fails."""
    reader = run.tools.store.open_reader(run.user_id)
    vectors = await find_vectors(run, await run.memories([r.id for r in rows]))
    near: dict[MemoryId, list[ScoredMemory]] = {}
    for kind in {r.kind for r in rows if r.id in vectors}:
        ids = [r.id for r in rows if r.kind == kind and r.id in vectors]
        related = frozenset(k for k in Kind if related_kinds(Kind(kind), k)) - _PASSING
        f = replace(CURRENT, kinds=related)
        some = await reader.search_each_vector([vectors[i] for i in ids], 2 * NEAREST + 1, f)
        near |= dict(zip(ids, some, strict=True))
    return [near.get(r.id, []) for r in rows]


def order_pair(a: Memory, b: Memory) -> MemoryPair | None:
    """Return two memories in the order in which they were said; None if nobody can tell."""

    def tell_when(m: Memory) -> tuple[datetime, datetime]:
        # What was imported together was said at one moment, and holds since its own dates.
        return m.created_at, m.valid_from or m.created_at

    if tell_when(a) == tell_when(b):
        return None
    return MemoryPair(a, b) if tell_when(a) > tell_when(b) else MemoryPair(b, a)


def can_replace(newer: Memory, older: Memory, now: datetime) -> bool:
    """Tell whether one memory may be what another one has become, by all but its meaning."""
    coming = newer.on is not None and newer.on > now and not (older.on and older.on > now)
    return (
        _holds(newer, now)
        and _holds(older, now)
        and related_kinds(newer.kind, older.kind)
        and not coming
        and (older.valid_from or older.created_at) <= newer.created_at  # no plan come true since
        and older.id not in newer.supersedes
        and normalise_text(newer.original_content) != normalise_text(older.original_content)
    )


def _holds(m: Memory, now: datetime) -> bool:
    holds = is_current_fact(m) and m.has_begun(now) and not m.has_ended(now)
    return holds and not m.source_ids and m.kind not in _PASSING


class Subjects(NamedTuple):
    """Whom a note begins with: names, kin as all its words, and what has the form of a name."""

    names: frozenset[str]
    kin: frozenset[frozenset[str]]
    forms: frozenset[str]

    def differ(self, other: Subjects) -> bool:
        """Tell whether two notes begin with different people."""
        named = bool(self.names or other.names) and self.names.isdisjoint(other.names)
        # A form may be no name: it takes two of them.
        both = ((self.kin, other.kin), (self.names | self.forms, other.names | other.forms))
        return named or any(a and b and a.isdisjoint(b) for a, b in both)


def find_subjects(text: str, names: Collection[str]) -> Subjects:
    """Find the names among `names` that a note begins with, alone or behind kin, and that kin."""
    folded = text.casefold()
    spaced = LANGUAGES[detect_language(text)].spaced
    own = MY_KIN.match(folded)  # "so my big brother"
    head = own[0] if own else " ".join(folded.split()[:2]) if spaced else folded[:2]
    found = set()
    for name in names:
        before, there, _ = folded.partition(name)
        words = before.split() if spaced else [before[:2], before[-2:]]
        close = len(words) <= 2 or bool(own and before.strip() == head)
        if there and close and mentions_name(name, folded):
            kin = words[-1:] if spaced else words  # "my sister Hannah", 姐姐汉娜; not 养土狗阿黄
            if not before.strip() or all(map(find_kin, kin)):
                found.add(name)
    forms = {n for n in find_people_names(text) if text.startswith(n) and list_units(n)}
    forms |= set() if spaced else set(_LATIN.findall(text))
    casefolded = frozenset(n.casefold() for n in forms)
    return Subjects(frozenset(found), frozenset(find_kin(head)), casefolded)


# --- what the model says of them ---


async def _judge(run: UpkeepRun, verdicts: Verdicts, pairs: Sequence[MemoryPair]) -> None:
    """Ask of all pairs, a portion a call. Of what cannot be read nothing is kept."""
    for portion in group_by_language(pairs, lambda p: p.newer, _PER_CALL):
        rows = [
            {
                "n": n,
                "a": redact_memory(p.older),
                "b": redact_memory(p.newer),
                "a_at": write_day(p.older.created_at, run.tz),
                "b_at": write_day(p.newer.created_at, run.tz),
            }
            for n, p in enumerate(portion, start=1)
        ]
        answer: PairVerdicts | None = await run.ask(
            "contradict", portion[0].newer.language, {"pairs": rows}, _MAX_ANSWER
        )
        if answer is not None:
            told = {v.n: (v.verdict, v.since) for v in answer.pairs}
            for n, pair in enumerate(portion, start=1):
                verdicts.add(pair, *told.get(n, ("both", "")), run.now)


# --- what comes of it ---


def _settle(
    run: UpkeepRun, tx: Transaction, verdicts: Verdicts, waiting: Sequence[MemoryPair]
) -> None:
    """Keep the verdicts, and do what they say, within the night's bounds."""
    pairs = {i: p for i, p in verdicts.new.items() if _is_untouched(tx, verdicts.read[i])}
    tx.nights.put_pairs(pairs.values())
    for ids, judged in pairs.items():
        if (judged.verdict, judged.state) == ("same", "settled"):
            run.note("same", list(ids))
    holding = sum(w.row.state == State.ACTIVE for w in run.rows)
    most = min(MOST_ENDED, max(1, int(MOST_SHARE * holding)))
    asks_first = run.tools.learns(tx) == "ask"
    for pair in sorted(waiting, key=lambda p: p.newer.created_at, reverse=True):
        ids, verdict = pair.ids, pairs.get(pair.ids) or verdicts.known.get(pair.ids)
        fresh = {m.id: m for m in tx.memories.get_many(ids)}
        if verdict is None or verdict.state != "waiting" or len(fresh) < len(ids):
            continue  # it changed while the model was thinking
        new, old = (fresh[i] for i in ids)
        # Of three versions the second ends the first also where the third has ended it.
        stood = replace(new, state=State.ACTIVE, valid_until=None)
        done = not can_replace(stood if new.state is State.SUPERSEDED else new, old, run.now)
        if not done and (verdict.verdict == "unsure" or asks_first or is_protected(old)):
            done = _ask(run, tx, new, old)
        elif not done and int(run.data.get("counts", {}).get("changed", 0)) < most:
            done = _end(run, tx, new, old, verdicts.since.get(ids, ""))
        if done:
            tx.nights.put_pairs([replace(verdict, state="settled", at=run.now)])


def _is_untouched(tx: Transaction, pair: MemoryPair) -> bool:
    """Tell whether both memories are as they were when they were judged."""
    return [m.rev for m in tx.memories.get_many(m.id for m in pair)] == [m.rev for m in pair]


def _ask(run: UpkeepRun, tx: Transaction, new: Memory, old: Memory) -> bool:
    """Ask the person; nothing that is quiet comes up by itself."""
    if new.quiet_at is not None or old.quiet_at is not None:
        return True
    if not ask_change(tx, new, old, run.now):
        return False
    run.count("asked")
    run.note("asked", [old.id, new.id])
    return True


def _end(run: UpkeepRun, tx: Transaction, new: Memory, old: Memory, since: str) -> bool:
    """Let the newer memory take the older one's place since the person's own date, if any."""
    run.begin(tx, "night")
    at = find_since(new, old, since, run.now, run.tz)
    Merger(tx, curve=run.tools.curve, u=run.tools.u).replace_by(new, old, at, run.now)
    run.count("changed")
    run.note("changed", [old.id, new.id])
    return True


def find_since(new: Memory, old: Memory, said: str, now: datetime, tz: str) -> datetime:
    """Return since when the newer one is true: as the person dated it, else when it was said."""
    begun = old.valid_from or old.created_at
    at = new.valid_from
    if at is None and (span := dates.read(said, tz)) is not None:
        claim = span.start, span.end
        _, behind = dates.find_spoken_times(new.original_content, new.created_at, tz)
        if any(dates.matches_time(claim, window, new.created_at) for window in behind):
            at = span.start
    return at if at is not None and begun < at <= now else new.created_at
