"""Find what changed or hung on an end, unlinked: pairs, judged by the memory model at night.

Candidates are found without words of meaning: what ended since the last night and what may hang on
it, then what stands nearest by vector, of related kinds, about nobody else by name: the newest
against the rest, then a portion of the backlog. What the model says counts once it has said so
three times, in calls of their own: a tenth of wrong answers would else outnumber the changes, since
few of the pairs have changed. Code decides what may be done with it. Changed: the older one is
superseded, in one change set of the night. Depends, after two answers, on what ended or on what
tells of an end: the older one is unsettled. Unsure, and whatever would end a protected memory
(`is_protected`): a question to the person. Same: `merge_duplicates`. A pair is judged once more
only after one side was edited, or what the newer one tells of has ended. Nothing without a model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from memory.errors import ModelError
from memory.learn import cascade, dates
from memory.learn.cascade import PLANNED, name_hub
from memory.learn.merge import Merger
from memory.learn.same_meaning import (
    find_names,
    list_units,
    mentions_name,
    normalise_text,
    related_kinds,
)
from memory.learn.visible_messages import redact_memory, write_dates, write_day
from memory.learn.waiting_questions import ask_change
from memory.models import (
    Change,
    Json,
    JudgedPair,
    Kind,
    Layer,
    Memory,
    MemoryId,
    MemoryOutline,
    ScoredMemory,
    Sensitivity,
    State,
    Verdict,
    detect_language,
)
from memory.ports import Transaction
from memory.recall.question import find_people_names
from memory.text.languages import LANGUAGES
from memory.text.speech import MY_KIN, denies_or_ends, find_kin
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
NEAREST: Final = 3  # neighbours of each, and twice as many of what is new
MOST_ENDS: Final = 5  # of which one night asks what hung on them
MOST_HANGING: Final = 40  # memories asked about for them in one night, the nearest to each first
NEAR_ACCOUNT: Final = 12  # of an account of an end that names no memory
ENOUGH: Final = 3  # answers that something changed, more than that it did not
DEPENDS: Final = 2  # that something may be over, which ends nothing
ROUNDS: Final = 4  # of questions in one night; what is doubtful then waits for the next
_DAY: Final = timedelta(days=1)
_PER_CALL: Final = 40
_MAX_ANSWER: Final = 800
_PASSING: Final = frozenset({Kind.TODO, Kind.CONTEXT})  # of which there may be many
_ACTS: Final = frozenset({"changed", "unsure"})
_LATIN: Final = re.compile("^[A-Z][a-z]+")  # a name before another script


class MemoryPair(NamedTuple):
    """Two memories in the order in which they were said.

    `ended`: what ended lately, of which `newer` tells, or which `newer` is.
    """

    newer: Memory
    older: Memory
    ended: Memory | None = None

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
        elif votes >= (DEPENDS if verdict == "depends" else ENOUGH):
            state = "waiting" if verdict in _ACTS else "settled"
        self.new[pair.ids] = JudgedPair(*pair.ids, verdict, votes, state, now)
        self.since[pair.ids], self.read[pair.ids] = since or self.since.get(pair.ids, ""), pair


async def settle_changes(run: UpkeepRun) -> None:
    """Judge pairs of memories: end what changed, mark what depends, ask the unsure.

    Raises ModelError.
    """
    if await run.read(run.tools.learns) == "off":
        return
    verdicts = await _load_verdicts(run)
    hanging, seq = await _list_hanging(run)
    for p in hanging:  # what was judged before knew nothing of the end
        verdicts.known.pop(p.ids, None)
    pairs = await _read_pairs(run, verdicts.list_ids("doubtful"))
    pairs += await _choose_pairs(run, verdicts, {p.ids for p in hanging})
    failed, ends = None, run.data.get("carry", {}).get("ends")
    try:
        await _judge_often(run, verdicts, hanging)
        ends = seq
        await _judge_often(run, verdicts, pairs)
    except ModelError as e:
        failed = e
    waiting = await _read_pairs(run, verdicts.list_ids("waiting"))

    def settle(tx: Transaction) -> None:
        _settle(run, tx, verdicts, waiting, hanging)
        run.data.setdefault("carry", {}).update({} if ends is None else {"ends": ends})

    await run.write(settle, share=1.0)
    if failed is not None:
        raise failed


# --- which pairs ---


async def _load_verdicts(run: UpkeepRun) -> Verdicts:
    """Return what earlier nights judged, of memories that still say what they said then."""
    edited = await list_edited(run)
    if edited:
        await run.write(lambda tx: tx.nights.drop_pairs(edited), moves=False)
    known = await run.read(lambda tx: tx.nights.list_pairs())
    # That something depends is asked on the night after the end, or again in a pair of its own.
    kept = [p for p in known if (p.verdict, p.state) != ("depends", "doubtful")]
    return Verdicts({(p.newer, p.older): p for p in kept})


async def _read_pairs(run: UpkeepRun, ids: Sequence[Ids]) -> list[MemoryPair]:
    """Return the pairs of which both memories are there."""
    there = {m.id: m for m in await run.memories(sorted({i for pair in ids for i in pair}))}
    return [MemoryPair(there[a], there[b]) for a, b in ids if {a, b} <= there.keys()]


async def _list_hanging(run: UpkeepRun) -> tuple[list[MemoryPair], int]:
    """Pair what ended since the last night with what may hang on it.

    Also returns up to where the change log was read.
    """

    def read(tx: Transaction) -> tuple[int, list[Change]]:
        last = tx.changes.get_last_seq()
        # A store with earlier nights begins with what ends from now on.
        after = int(run.data.get("carry", {}).get("ends", last if run.last else 0))
        log = tx.changes.list_changes(after=after)
        return last, [c for c in log if c.entity == "memory" and c.after]

    seq, log = await run.read(read)
    heirs = {i: c.entity_id for c in log if c.after for i in c.after["supersedes"]}
    changed = await run.memories([*dict.fromkeys(c.entity_id for c in log)])
    there, over = {m.id: m for m in changed}, {c.entity_id for c in log if _has_ended(c)}
    ends = [(m, MOST_HANGING) for m in changed if m.id in over and _leaves_something(m)]
    made = {c.entity_id for c in log if c.before is None}
    told = [m for m in changed if m.id in made and is_current_fact(m) and not _is_ahead(m, run.now)]
    ends += [
        (m, MOST_HANGING if name_hub(m) in cascade.HUBS else NEAR_ACCOUNT)
        for m in told
        if _tells_change(m, there)
    ]
    # A home, a job or a partner first, then what else ended, then accounts.
    ends.sort(key=lambda e: (name_hub(e[0]) not in cascade.HUBS, e[0].id not in over))
    ends = ends[:MOST_ENDS]
    vectors = await find_vectors(run, [m for m, _ in ends])
    ends = [(m, most) for m, most in ends if m.id in vectors]
    reader, f = run.tools.store.open_reader(run.user_id), replace(CURRENT, kinds=cascade.HANGING)
    some = await reader.search_each_vector([vectors[m.id] for m, _ in ends], 2 * MOST_HANGING, f)
    pairs: dict[Ids, MemoryPair] = {}
    for (old, most), near in zip(ends, some, strict=True):
        heir = next((str(c["by"]) for c in reversed(old.correction_history) if c.get("by")), old.id)
        for _ in heirs:  # each has one at most
            heir = heirs.get(heir, heir)
        newer = there.get(heir, old)
        newer = newer if is_current_fact(newer) else old
        since = run.now if newer is old and old.id in over else newer.created_at
        if old.id not in over:
            since -= _DAY  # what is told together is so together
        found = [m for m in await run.memories([s.id for s in near]) if m.id != newer.id]
        found = [m for m in found if cascade.may_hang(m, old, since, run.now)][:most]
        for m in found:
            pair = MemoryPair(newer, m, old if old.id in over else None)
            pairs.setdefault(pair.ids, pair)
    return list(pairs.values())[:MOST_HANGING], seq


def _tells_change(m: Memory, there: Mapping[MemoryId, Memory]) -> bool:
    """Tell whether a new memory tells what ended, what came of a plan, or of a home or a job."""
    if before := [there[i] for i in m.supersedes if i in there]:
        return any(x.kind in PLANNED for x in before)
    states = name_hub(m) in cascade.HUBS or denies_or_ends(m.original_content)
    return states and not m.correction_history


def _is_ahead(m: Memory, now: datetime) -> bool:
    return m.kind in PLANNED and (m.on is None or m.on > now)


def _has_ended(c: Change) -> bool:
    """Tell whether a memory got an end, or another end, by a change."""
    was, now = c.before or {}, c.after or {}
    ends = ("negated_at", "valid_until") if was else ()
    return any(now[k] is not None and now[k] != was[k] for k in ends)


def _leaves_something(m: Memory) -> bool:
    """Tell whether something may have hung on what ended."""
    over = m.negated_at is not None or m.valid_until is not None
    stands = m.state in {State.ACTIVE, State.SUPERSEDED} and m.layer is not Layer.EPISODE
    known = m.sensitivity < Sensitivity.SECRET and m.slot not in cascade.PLAIN
    return over and stands and known and m.kind not in PLANNED


async def _choose_pairs(
    run: UpkeepRun, verdicts: Verdicts, chosen: Collection[Ids]
) -> list[MemoryPair]:
    """Return the pairs to judge tonight: those of what is new first, the nearest first."""
    new = await find_neighbours(run)
    rows = [w.row for w in run.rows if is_current_fact(w.row) and w.row.kind not in _PASSING]
    after = int(run.data.get("carry", {}).get("judged", 0))
    fresh = [r for r in rows if r.id in new][-MOST_LOOKED:]
    rows = [r for r in rows if r.id not in new]
    backlog = [r for r in rows if r.place > after] + [r for r in rows if r.place <= after]
    backlog = backlog[: MOST_LOOKED - len(fresh)]
    looked = fresh + backlog
    judged = {frozenset(ids) for ids in (*verdicts.known, *chosen)}
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
        if pair and can_replace(pair.newer, pair.older, run.now) and not whom[a].differ(whom[b]):
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
        and not (newer.slot and older.slot and name_hub(newer) != name_hub(older))
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


async def _judge_often(run: UpkeepRun, verdicts: Verdicts, pairs: Sequence[MemoryPair]) -> None:
    """Ask of all pairs, and again in the other order of those that are still doubtful."""
    for _ in range(ROUNDS):
        await _judge(run, verdicts, pairs)
        doubtful = set(verdicts.list_ids("doubtful"))
        pairs = [p for p in reversed(pairs) if p.ids in doubtful]
        # Of a pair from an earlier night no answer may have been read yet.
        new = ((p, verdicts.new.get(p.ids)) for p in pairs)
        loose = {p.older.id: p for p, judged in new if judged and judged.verdict == "depends"}
        # What hung on one of several things is asked once more, not once more of each.
        pairs = [p for p in pairs if loose.get(p.older.id, p) is p]


async def _judge(run: UpkeepRun, verdicts: Verdicts, pairs: Sequence[MemoryPair]) -> None:
    """Ask of all pairs, a portion a call. Of what cannot be read nothing is kept."""
    places = {p.newer.id: n for n, p in reversed(list(enumerate(pairs)))}
    pairs = sorted(pairs, key=lambda p: places[p.newer.id])  # a newer one is shown once for many
    for portion in group_by_language(pairs, lambda p: p.newer, _PER_CALL):
        rows = [_show(n, p, run.tz) for n, p in enumerate(portion, start=1)]
        shown = {"today": write_day(run.now, run.tz), "pairs": rows}
        answer: PairVerdicts | None = await run.ask(
            "contradict", portion[0].newer.language, shown, _MAX_ANSWER
        )
        if answer is not None:
            told = {v.n: (v.verdict, v.since) for v in answer.pairs}
            for n, pair in enumerate(portion, start=1):
                verdicts.add(pair, *told.get(n, ("both", "")), run.now)


def _show(n: int, p: MemoryPair, tz: str) -> dict[str, Json]:
    """Return a pair as the prompt shows it, each side with its days."""
    row: dict[str, Json] = {"n": n, "ended": "", "ended_days": ""}
    for name, m in (("a", p.older), ("b", p.newer), ("ended", p.ended)):
        if m is not None and (name != "ended" or m.id != p.newer.id):
            end = replace(m, valid_until=m.negated_at or m.valid_until)
            row |= {name: redact_memory(m), f"{name}_days": write_dates(end, tz)}
            row[f"{name}_at"] = write_day(m.created_at, tz)
    return row


# --- what comes of it ---


def _settle(
    run: UpkeepRun,
    tx: Transaction,
    verdicts: Verdicts,
    waiting: Sequence[MemoryPair],
    hanging: Sequence[MemoryPair],
) -> None:
    """Keep the verdicts, and do what they say, within the night's bounds."""
    pairs = {i: p for i, p in verdicts.new.items() if _is_untouched(tx, verdicts.read[i])}
    tx.nights.put_pairs(pairs.values())
    for ids, judged in pairs.items():
        if judged.state == "settled" and judged.verdict == "same":
            run.note("same", list(ids))
    _unsettle(run, tx, [p for p in hanging if p.ids in pairs and _depends(pairs[p.ids])])
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


def _depends(judged: JudgedPair) -> bool:
    return (judged.verdict, judged.state) == ("depends", "settled")


def _unsettle(run: UpkeepRun, tx: Transaction, pairs: Sequence[MemoryPair]) -> None:
    """Mark what hung on what ended, as it is marked while learning."""
    for m, pair in {p.older.id: (p.older, p) for p in reversed(pairs)}.values():
        new, end = pair.newer, pair.ended
        over = end.negated_at or end.valid_until if end is not None else None
        if cascade.may_hang(m, end or new, run.now, run.now):
            run.begin(tx, "night")
            cascade.mark(tx, [m], over or new.valid_from or new.created_at, run.now)
            run.count("unsettled")


def _is_untouched(tx: Transaction, pair: MemoryPair) -> bool:
    """Tell whether both memories are as they were when they were judged."""
    fresh = tx.memories.get_many(pair.ids)
    return [m.rev for m in fresh] == [pair.newer.rev, pair.older.rev]


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
