"""One operation that a model wants: what of it the person's words support, and how far it reaches.

From an entry of an answer to a claim on memory: checked, dated, with its vector and neighbours.
What the words support may still reach too far: it is asked instead (`proposals`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from memory.learn import dates, learning_rules, slots
from memory.learn.answer import ANY, LearningTools
from memory.learn.cited_words import (
    Operation,
    ShownMessage,
    compute_share,
    find_question_before,
    sentences_of,
)
from memory.learn.evidence import Verdict, check_operation, find_names
from memory.learn.evidence_case import JOINED
from memory.learn.merge import REPEATS, Claim, Merger, SaveResult, importance_of_memory
from memory.learn.pictures import list_modalities
from memory.learn.proposals import add_proposal
from memory.learn.same_meaning import list_content_words, list_units, mentions_name
from memory.models import (
    SURE,
    Draft,
    Importance,
    Json,
    Kind,
    Memory,
    MemoryId,
    Message,
    Source,
    detect_language,
)
from memory.ports import FloatArray, Transaction
from memory.text import translations
from memory.text.commands import find_intent
from memory.text.forms import has_same_form
from memory.text.languages import bounded, values
from memory.text.notes import is_health, strip_subject
from memory.text.numbers import find_numbers
from memory.text.questions import COMMON
from memory.text.spans import is_question, join_own_text, split_spans
from memory.text.speech import (
    FORMS,
    MY_KIN,
    denies_or_ends,
    find_kin,
    fold,
    is_denial,
    read_answer,
    split_clauses,
)
from memory.text.words import is_unspaced

if TYPE_CHECKING:
    from memory.learn.schemas import Entry

ENDS: Final = frozenset({"update", "fix", "negate", "done", "delete"})
DENIES: Final = frozenset({"negate", "delete"})
NOTHING: Final[Mapping[str, Json]] = {"outcome": "nothing", "new": 0, "updated": 0}
# Cosine around the mean of a language's sentences from which a text may mean the memory nearest to
# it: of the exchanges, 58 of 60 that are meant, and a tenth of the others.
NEAR: Final = 0.24
TOLD: Final = 0.34  # share of its words that were said, below which it is invented (1% of gold)
FEW: Final = 4  # words of a short answer; lines of an answer that can be mostly invented
MOST_ENDED: Final = 3  # memories that one exchange may end
KEPT: Final = 0.7  # share of a memory's words that stand in what corrects it: then none is lost
HALF: Final = 0.5  # share of a text's words that names a memory, or makes a claim the person's
ASKABLE: Final = frozenset(  # causes of refusal that give the words no wrong sense
    {"said", "unsupported", "name", "number", "unread_date", "relative", "overstated"}
)
_PLANNED: Final = frozenset({Kind.TODO, Kind.EVENT, Kind.GOAL})
_SLOTS: Final = [  # words of one side of life: home, work, …, of all languages together
    re.compile("|".join(slot), re.I)
    for slot in zip(
        *(
            [bounded(lang, s.replace(" ", "|")) for s in slots.split("|")]
            for lang, slots in values("evidence", "SLOTS").items()
        ),
        strict=True,
    )
]


# Reasons that give way to a model that insists: they rest on what words mean, and a rule reads that
# worse than a model. Names, numbers, quotations and Ebb's own words never give way.
_INSISTED: Final = frozenset(
    {"unsupported", "language", "unsaid_end", "reach", "negation", "overstated", "answer"}
    | {"roles", "relative_of", "unread_date", "hearsay", "subject", "no_fact"}
)
_INVENTED: Final = frozenset({"said", "name", "number", "not_theirs"})
_UNTOLD: Final = frozenset({"unsupported", "reach", "unsaid_end", "negation"})  # of health
# Cosine of a text and the words it cites: of 905 true texts .85 lie so near, of 2,600 untrue ones
# .1, most of those with a name or number. AROUND it, in the whole message, stands what tells a
# change. No true text of 500 added ones is FAR from both.
CITED, AROUND, FAR = 0.35, 0.2, 0.15

Nearness: TypeAlias = Mapping[str, Mapping[MemoryId, float]]  # of texts to memories, by cosine


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of a model's answer, the memory it names, and what came of it so far.

    `unsaid`: the dates it gave that no words bear, each with its use; its entry is without them.
    """

    op: str
    old: Memory | None = None
    entry: Entry | None = None
    raw: str = ""  # as it was written
    verdict: Verdict = Verdict("")
    claim: Claim | None = None
    insisted: bool = False  # the model knows which memory its slot ends
    unsaid: Mapping[str, str] = field(default_factory=dict)


async def measure_nearness(
    tools: LearningTools, user_id: str, steps: Sequence[Step], shown: Collection[Memory]
) -> Nearness:
    """Return how near each text that is to end a memory lies to what was shown.

    A new value of a slot is nearest to the one it takes the place of, in whatever words.
    """
    ends = [s for s in steps if s.entry and s.old and s.op in ENDS and not s.verdict.reason]
    plain = {s.entry.content: dates.cut_dates(s.entry.content).strip() for s in ends if s.entry}
    reader, new = await _embed_texts(tools, plain.values())
    if reader is None:
        return {}
    ids, embedder = [m.id for m in shown], tools.embedder.id
    known = await tools.store.read(user_id, lambda tx: tx.vectors.get(ids, embedder))
    held = {m.id: reader.centre(m.original_content, known[m.id]) for m in shown if m.id in known}
    near = {
        text: {i: float(reader.centre(cut, new[cut]) @ m) for i, m in held.items()}
        for text, cut in plain.items()
        if cut in new
    }
    for s in ends:
        if s.entry is None or s.old is None or (cut := plain[s.entry.content]) not in new:
            continue
        if s.old.slot and reader.read_slot(cut, new[cut]) == s.old.slot:
            near[s.entry.content][s.old.id] = 1.0
    return near


async def _embed_texts(
    tools: LearningTools, texts: Iterable[str]
) -> tuple[slots.SlotReader | None, dict[str, FloatArray]]:
    """Return the reader of slots, if there is one, and the texts' vectors."""
    wanted = [t for t in dict.fromkeys(texts) if t.strip()]
    reader = await slots.load_reader(tools.embedder, wanted) if wanted else None
    if reader is None:
        return None, {}
    vectors = zip(wanted, await tools.embed(wanted), strict=True)
    return reader, {text: v for text, v in vectors if v is not None}


def check_steps(
    steps: Sequence[Step],
    spoken: Sequence[ShownMessage],
    shown: Collection[Memory],
    near: Nearness = MappingProxyType({}),
    insisted: Collection[str] = (),
) -> list[Step]:
    """Check each step against the person's words, and whether it means the memory it names.

    An answer most of which nobody said is not believed in the rest.

    Args:
        steps: operations as a model wants them.
        spoken: the exchange, and what was said before it.
        shown: the memories that the model was shown.
        near: how near the steps' texts lie to those.
        insisted: dates that no words bear, and that the model was told so of.
    """
    bearing = [m for m in shown if not m.source_ids]  # what is derived bears nothing
    texts = [m.original_content for m in bearing]
    told = _join_told(spoken)
    touched = "\n".join(m.original_content for m in bearing if touches_memory(told, m))
    heard = "\n".join([*(m.text for m in spoken), *texts])

    def check(s: Step) -> Verdict:
        if s.verdict.reason:
            return s.verdict
        op = _write_operation(s, s.entry) if s.entry else None
        found = check_operation(op, spoken, texts) if op else Verdict("")
        if s.op in REPEATS:  # in whatever words they said it
            if found.reason in {"", "said"} or (found.reason == "negation" and s.op == "affirm"):
                return found
            meant = s.op == "same" or _speaks_of_change(_join_cited_clauses(found, spoken))
            return replace(found, reason="") if meant else Verdict("")
        if op and not found.reason and _is_invented(op, told, touched, heard):
            found = replace(found, reason="unsupported")
        if found.reason and found.reason not in _INSISTED:
            return found
        why = _find_miss(s, found, spoken, shown, near)
        denied = found.reason == "negation" and s.op in DENIES
        return replace(found, reason=why if denied else found.reason or why)

    said = _join_exchange_words(spoken)
    tz = spoken[-1].tz
    steps = [replace(s, verdict=check(s)) for s in steps]
    checked = [_leave_out_unsaid(s, said, shown, tz, insisted) for s in steps]
    invented = [s.verdict.reason in {*_INVENTED, "id", "unsupported"} for s in checked]
    if len(steps) < FEW or sum(invented) <= HALF * len(steps):
        return checked
    return [replace(s, verdict=Verdict(s.verdict.reason or "said")) for s in checked]


def _find_miss(
    s: Step,
    found: Verdict,
    spoken: Sequence[ShownMessage],
    shown: Collection[Memory],
    near: Nearness,
) -> str:
    """Say why an operation may not end the memory it names; "" if it may, or ends none."""
    if s.old is None or s.op not in ENDS:
        return ""
    if not _cites_words(s) and _is_mostly_quoted(found, spoken):
        return "reach"
    cited = _join_cited_clauses(found, spoken)
    # What was no plan is never done: it ends.
    op = "negate" if s.op == "done" and s.old.kind not in _PLANNED else s.op
    if op in DENIES:
        ended = _is_denied(spoken, s.old, s.op, shown)
        ended = ended or _tells_end(replace(s, op=op), found, spoken)
        return "" if ended and found.reason != "negation" else "unsaid_end"
    text, said = s.entry.content if s.entry else "", {m.id for m in spoken if m.n}
    # Of what they asked to be kept just now a model says what it changes, in the same words.
    others = (m for m in shown if m is not s.old and not (m.verified and m.source_message in said))
    if text and any(has_same_form(text, m.original_content) for m in others):
        return "not_theirs"  # another memory says so
    meant = _means_memory(s, _join_exchange_words(spoken), shown, near, cited)
    return "" if meant else "reach"


async def weigh_paraphrases(
    tools: LearningTools,
    steps: Sequence[Step],
    spoken: Sequence[ShownMessage],
    failed: Sequence[Step],
    near: Nearness,
) -> list[Step]:
    """Refuse texts far from the words they rest on; accept near ones that a model says again.

    It was told what is wrong (`failed`) and means it all the same. Who still writes what nobody
    said is not believed, nor who cites no words of a message with somebody else's in it. Nothing
    of health passes that has words nobody said: no diagnosis may rest on being near.
    """
    texts = {m.id: m.text for m in spoken if m.role == "user" and m.n}
    own = all(s.kind == "own" for text in texts.values() for s in split_spans(text))
    believed = not any(s.verdict.reason in _INVENTED for s in steps)
    asked = {
        m.id: f"{question} "
        for i, m in enumerate(spoken)
        if read_answer(m.text.strip(), question := find_question_before(spoken, i))
    }
    cited = dict[int, tuple[str, str, str]]()
    for i, s in enumerate(steps):
        rests = [x for x in s.verdict.sources if x[0] in texts]
        if s.entry and rests and s.verdict.reason not in _INVENTED:
            quoted = ", ".join(texts[of][a:b] for of, a, b in rests)
            of = rests[0][0]
            question = asked.get(of, "") if s.verdict.reason != "answer" else ""
            cited[i] = s.entry.content, f"{question}{quoted}", f"{question}{texts[of]}"
    reader, at = await _embed_texts(tools, (t for some in cited.values() for t in some))
    out = list(steps)
    for i, some in cited.items():
        if reader is None or not all(t in at for t in some):
            continue
        s, (text, words, message) = steps[i], (reader.centre(t, at[t]) for t in some)
        shared = compute_share(*map(list_content_words, (some[0], some[2])))
        ends, reason = s.old is not None and s.op in ENDS, s.verdict.reason
        around = max(float(text @ words), float(text @ message))
        insists = failed or (s.op == "add" and reason == "unsupported")
        asks = _rests_on_question(s, texts)
        plain = own or _cites_words(s)
        if believed and plain and insists and not asks and _may_insist(s, near):
            enough = s.op == "negate" or around >= (AROUND if ends else CITED)
            reason = "" if enough else reason
        if (s.op == "add" and not reason) or reason == "reach":  # it is kept
            reason = "unsupported" if around < FAR and shared <= HALF else reason
        out[i] = replace(s, verdict=replace(s.verdict, reason=reason))
    return out


def _cites_words(s: Step) -> bool:
    """Tell whether it quotes words: those are always the person's own (`find_words`)."""
    return s.entry is not None and any(c.words for c in s.entry.said)


def _rests_on_question(s: Step, texts: Mapping[str, str]) -> bool:
    """Tell whether a clause that it rests on asks."""
    return any(
        is_question(text[a:b].strip() + text[b : b + 1])
        for of, start, end in s.verdict.sources
        for text in [texts.get(of, "")]
        for a, b in split_clauses(text)
        if a < end and start < b
    )


def _may_insist(s: Step, near: Nearness) -> bool:
    """Tell whether a check may give way: the step cites words, and means its memory."""
    reason, entry = s.verdict.reason, s.entry
    if reason not in _INSISTED or entry is None or s.op == "delete":
        return False
    if not entry.said and s.op != "same":
        return False
    if reason == "unsupported" and (entry.kind == "health" or is_health(entry.content)):
        return False
    if s.old is None or s.op not in ENDS:
        return True
    if s.old.guarded or (s.old.kind is Kind.HEALTH and reason in _UNTOLD):
        return False
    close = near.get(entry.content, {}).get(s.old.id, 0.0) >= NEAR
    shares = close and touches_memory(entry.content, s.old)
    return shares or _fills_same_slot(s) or _is_nearest(entry.content, s.old, near)


def _fills_same_slot(s: Step) -> bool:
    """Tell whether a text may fill the slot of the memory it changes."""
    if not (s.old and s.old.slot and s.entry):
        return False
    slot = s.entry.slot or s.old.slot
    text, kind = s.entry.content, s.entry.kind or s.old.kind
    return slot == s.old.slot and slots.may_fill(text, kind, slot)


def _leave_out_unsaid(
    step: Step, said: str, shown: Collection[Memory], tz: str, insisted: Collection[str]
) -> Step:
    """Leave out dates and repetition that no words and no memory bear: no date is better.

    A memory bears its own days, where it is changed or the text shares a word with it. A model that
    gives a date again knows a day whose name a rule does not.
    """
    entry, old = step.entry, step.old
    if entry is None:
        return step
    names = {"due": "expires"}
    unsaid = {names.get(use, use): "" for use in step.verdict.unsaid}
    meant = [m for m in shown if unsaid and (m is old or touches_memory(entry.content, m))]
    known = [day for m in meant for day in dates.list_days(m)]
    for use in list(unsaid):
        given = getattr(entry, use)
        span = dates.read(given, tz)
        if given in insisted or (span and any(span.start <= day <= span.end for day in known)):
            del unsaid[use]
    missed = {use: getattr(entry, use) for use in unsaid}
    told = f"{said}\n{old.original_content} {old.repeats or ''}" if old else said
    if not dates.tells_repetition(told):
        unsaid["repeats"] = ""
    return replace(step, entry=entry.model_copy(update=unsaid), unsaid=missed)


def _means_memory(
    s: Step, said: str, shown: Collection[Memory], near: Nearness, cited: str
) -> bool:
    """Tell whether a text, and own words, are about the memory that it changes."""
    text, old = s.entry.content if s.entry else "", s.old
    if old is None or not text:
        return old is not None and may_end(said, old)
    if _fills_same_slot(s) and not old.guarded:
        return True
    told = list_content_words(dates.DATED.sub(" ", text))

    def fits(m: Memory) -> float:
        words = list_content_words(dates.DATED.sub(" ", m.original_content))
        return len(told & words) / max(1, len(told | words))

    # A plan that came true is nearer to the new value than the old value is.
    planned = old.kind in _PLANNED
    others = [m for m in shown if (m.kind in _PLANNED, not m.slot) == (planned, not old.slot)]
    if 2 * fits(old) >= max(map(fits, others), default=0.0) and touches_memory(text, old):
        ticked = s.op == "done" and old.kind is Kind.TODO and touches_memory(cited, old)
        return not old.guarded or ticked or may_end(said, old)
    if old.guarded:
        return False
    return _is_nearest(text, old, near) and (planned or _speaks_of_change(cited))


def _tells_end(s: Step, found: Verdict, spoken: Sequence[ShownMessage]) -> bool:
    """Tell whether a text says, in words of the message it rests on, how its memory ended."""
    text, old = s.entry.content if s.entry else "", s.old
    if s.op != "negate" or old is None or old.guarded or not touches_memory(text, old):
        return False
    rests = {i for i, *_ in found.sources}
    own = "\n".join(join_own_text(m.text) for m in spoken if m.id in rests)
    new = list_content_words(text) - list_content_words(old.original_content)
    if new.isdisjoint(list_content_words(own)):
        return False
    if denies_or_ends(text) is not denies_or_ends(old.original_content):
        return True
    clauses = (own[a:b] for a, b in split_clauses(own))
    past = FORMS.PAST_TOLD.search(text) or FORMS.CHANGED.search(text)
    return bool(past) and any(map(_speaks_of_change, clauses))


def _join_told(spoken: Sequence[ShownMessage]) -> str:
    """Join all that the person said, before the exchange too, and what they answered."""
    told = [join_own_text(m.text) for m in spoken if m.role == "user"]
    return "\n".join([*told, _join_exchange_words(spoken)])


def _is_invented(op: Operation, told: str, touched: str, heard: str) -> bool:
    """Tell whether a text, or a clause of it, has hardly a word of what was said.

    Args:
        op: what a model wants to keep or change.
        told: the person's own words, and what they answered.
        touched: the memories that those speak of.
        heard: all that the model was shown.
    """
    if op.quote:
        return False
    text = dates.DATED.sub(" ", op.text)
    for clause in (text[a:b] for a, b in split_clauses(text)):
        told_of = list_content_words(clause)
        if len(told_of) >= FEW and told_of.isdisjoint(list_content_words(heard)):
            return True
    words = list_content_words(FORMS.DAYS.sub(" ", text)) - COMMON
    words = frozenset(w for w in words if len(w) > 1 or not is_unspaced(w)) or words  # 29 of 29岁
    if op.op == "negate" or not words:  # an end is often told in quite other words
        return False
    counted = {f"{n:g}" for n, *_ in find_numbers(told)}
    said = words & (list_content_words(told) | counted)
    known = f"{touched}\n{op.old}"
    new = words - list_content_words(known)
    strict = bool(new) and is_health(text)  # what is new in it has to be said
    finds = (find_kin, translations.things_of)  # the same in other words
    beside = known if strict else ""
    same = [w for find in finds for w in (find(text) & find(told)) - find(beside)]
    if strict:
        words, said = new, said & new
    elif said or op.op != "add":
        said |= words - new
    return len(said) + len(same) < TOLD * len(words)


def _is_nearest(text: str, old: Memory, near: Nearness) -> bool:
    """Tell whether a text is near to the memory it changes, and nearer to no other one."""
    found = near.get(text, {})
    return found.get(old.id, 0.0) >= max([NEAR, *found.values()])


def _is_mostly_quoted(verdict: Verdict, spoken: Sequence[ShownMessage]) -> bool:
    """Tell whether most of the message that an operation rests on is somebody else's words."""
    rests = {i for i, *_ in verdict.sources} or {m.id for m in spoken if m.n}
    said = [m.text for m in spoken if m.role == "user" and m.id in rests]
    return sum(len(join_own_text(t)) for t in said) < HALF * sum(len(t.strip()) for t in said)


def _speaks_of_change(text: str) -> bool:
    """Tell whether words say, and do not ask, that something changed, ended or is not so."""
    changed = denies_or_ends(text) or FORMS.CHANGED.search(text)
    return bool(changed) and not FORMS.QUESTION.search(text)


def _is_denied(
    spoken: Sequence[ShownMessage], m: Memory, op: str, shown: Collection[Memory]
) -> bool:
    """Tell whether own words deny or end what a memory says, or ask that it be gone."""
    for own, asked in _list_own_words(spoken):
        intent = find_intent(own)
        forgets = op == "delete" and intent is not None and intent.kind == "forget"
        if forgets and intent and (intent.previous or touches_memory(intent.text, m)):
            return True  # "forget that" need not name it
        parts = [p for a, b in split_clauses(own) for p in JOINED.split(own[a:b])]
        if asked:
            parts = [f"{own} {asked}"]
        known = list_content_words(m.original_content)
        still = [len(known & list_content_words(c)) for c in parts if not _speaks_of_change(c)]
        for c in parts:
            ends = is_denial(c) if op == "delete" else denies_or_ends(c)
            if op == "negate":  # what has ended was true, and is not deleted
                ends = ends or (bool(FORMS.CHANGED.search(c)) and not _is_of_other_kin(c, m))
            if FORMS.NEGATIVE.search(m.original_content):  # "can't eat it" is no end of an allergy
                ends = denies_or_ends(c) and FORMS.NEGATIVE.search(c)
            if not ends or FORMS.QUESTION.search(c) or FORMS.PLAN.search(c):
                continue
            sure = len(known & list_content_words(c)) >= max(still, default=0)
            if sure and touches_memory(c, m) and _shares_most(c, m, shown, op):
                return True
    return False


def _is_of_other_kin(clause: str, m: Memory) -> bool:
    """Tell whether a clause begins with a relative that a memory does not name: what they do."""
    first = MY_KIN.match(clause.strip())
    kin = find_kin(first[0]) if first else frozenset()
    return bool(kin) and kin.isdisjoint(find_kin(m.original_content))


def _shares_most(text: str, m: Memory, shown: Collection[Memory], op: str) -> bool:
    """Tell whether no other memory shares more words with a text, to be deleted as many."""
    said = list_content_words(text)
    others = [x for x in shown if x.id != m.id]
    shared = [len(said & list_content_words(x.original_content)) for x in others]
    mine = len(said & list_content_words(m.original_content))
    return mine + (op != "delete") > max(shared, default=0)


def _write_operation(s: Step, entry: Entry) -> Operation:
    uses: Mapping[dates.Use, str] = {
        "due": entry.expires,
        "since": entry.since,
        "until": entry.until,
    }
    m = s.old
    return Operation(
        s.op,
        entry.content,
        entry.said,
        entry.on,
        tuple((use, date) for use, date in uses.items() if date),
        m.original_content if m else "",
        entry.confidence is None or entry.confidence >= SURE,
        entry.quote,
        tuple(dates.list_days(m)) if m else (),
        entry.entities,
    )


async def claim_steps(
    tools: LearningTools,
    user_id: str,
    steps: Sequence[Step],
    said: Sequence[Message],
    source: Source,
    near: int,
) -> list[Step]:
    """Give each step with a text its claim: on the message it rests on, else on the last one.

    A claim has its vector and `near` neighbours.
    """
    texts = [s.entry.content for s in steps if s.entry]
    vectors = iter(embedded := await tools.embed(texts))
    known = any(v is not None for v in embedded)
    reader = await slots.load_reader(tools.embedder, texts) if known else None
    rules = await tools.store.read(user_id, learning_rules.list_rules) if texts else []
    topics = await learning_rules.load_topics(tools.embedder, rules, texts) if known else None
    by_id = {m.id: m for m in said}
    out: list[Step] = []
    for s in steps:
        claim = None
        if s.entry is not None:
            vector, rests = next(vectors), _cover_messages(s.verdict.sources)
            message = by_id[rests[0][0]] if rests else said[-1]
            draft = _build_draft(s, s.entry, message, source, tools.skipped)
            draft = slots.fill_slot(draft, s.entry.slot, vector, reader)
            draft = learning_rules.raise_kept(draft, rules, vector, topics)
            ids = await tools.nearest(user_id, vector, s.entry.content, near, ANY)
            seen = (vector, tools.embedder.id, tuple(ids), rests)
            sources = tuple(dict.fromkeys((message.id, *(of for of, *_ in rests))))
            claim = Claim(draft, message.at, sources, message.session_id, *seen, reader, topics)
            named = s.op == "update" and _fills_same_slot(s)
            claim = replace(claim, insisted=s.insisted or named)
        out.append(replace(s, claim=claim))
    return out


def _cover_messages(places: Iterable[tuple[str, int, int]]) -> tuple[tuple[str, int, int], ...]:
    """Return one span of each message, from the first to the last of its places."""
    spans = dict[str, tuple[int, int]]()
    for of, start, end in places:
        first, last = spans.get(of, (start, end))
        spans[of] = min(first, start), max(last, end)
    return tuple((of, *span) for of, span in spans.items())


def _build_draft(
    step: Step,
    entry: Entry,
    said: Message,
    source: Source,
    skipped: Callable[[str, str, str], None],
) -> Draft:
    """Write the draft; what a model leaves out is as the words or the changed memory have it."""
    old, changes = step.old, step.op in {"update", "fix"}

    def read_date(word: str, use: dates.Use) -> dates.DateSpan | None:
        found = dates.read(word, said.tz) if word else None
        if found and (use == "until" or dates.is_believable(found, use, said.at)):
            return found
        if word:
            skipped("date", "unbelievable" if found else "unreadable", word)
        return None

    text = " ".join(entry.content.split())
    due, since = read_date(entry.expires, "due"), read_date(entry.since, "since")
    until, day = read_date(entry.until, "until"), read_date(entry.on, "since")
    over = until.end if until else None
    if until and step.op == "negate" and until.start <= said.at < until.end:
        over = said.at  # "until December", denied in December: by now, not by its end
    kind = entry.kind or (old.kind if old else Kind.FACT)
    happened = entry.kind is not None and day is not None and day.start <= said.at
    if step.op == "negate" and kind in {Kind.EVENT, Kind.GOAL} and not happened:
        kind, day = Kind.FACT, None  # that a plan is off is no plan
    if step.op == "done" and over and over <= said.at:
        over = None  # it says when the plan ended, not what has come of it
    ends = day.end if day is not None and day.precision in {"month", "year"} else None
    if kind is Kind.EVENT and step.op != "negate":  # it has a day, is never due and never expires
        day, due = day or due, None
        ends, over = over if day and over and not entry.repeats else ends, None
    draft = Draft(
        text if entry.quote else strip_subject(text),
        kind=kind,
        importance=entry.importance or (importance_of_memory(old) if old else Importance.MEDIUM),
        language=detect_language(text, detect_language(said.text)),
        source=source,
        entities=entry.entities or (_list_entities(old, text) if old else ()),
        topics=old.topics if old else (),
        modalities=list_modalities(said.text, quote=entry.quote),
        sensitivity=entry.sensitivity,
        repeats=entry.repeats or None,
        expires_at=due.end if due else None,
        valid_from=since.start if since else None,
        valid_until=over,
        on=day.start if day else None,
        on_until=ends,
        precision=next((d.precision for d in (due, day, since) if d), None),
        dead=entry.dead or (old.dead if old else None),
    )
    words = cut_cited_clauses(step.verdict, said.text, whole=False)
    told = f"{said.text}\n{old.original_content}" if old and old.dead else said.text
    given = entry.kind is not None or old is not None
    draft = dates.complete_draft(draft, said.at, said.tz, told, kind_given=given)
    coming = old is not None and old.on is not None and old.on > said.at
    op = step.op if not (changes and old) else "add" if old.on or old.expires_at else "update"
    draft = dates.date_by_words(draft, op, words, said.at, said.tz, coming=coming, old=old)
    if changes and old:
        draft = dates.keep_day(draft, old, words, said.tz)
    elif step.op == "done" and old and old.on and old.on <= said.at and draft.on is None:
        draft = replace(draft, on=old.on, on_until=old.on_until, precision=old.precision)
    return draft if entry.confidence is None else replace(draft, confidence=entry.confidence)


def _list_entities(old: Memory, text: str) -> tuple[str, ...]:
    """List what a changed memory is still about: all, but where the text names somebody new."""
    named = {n for n in find_names(f"- {text}") if n not in old.original_content}
    return tuple(n for n in old.entities if not named or n.casefold() in text.casefold())


def _join_cited_clauses(verdict: Verdict, spoken: Sequence[ShownMessage]) -> str:
    rests = verdict.sources[0][0] if verdict.sources else ""
    return next((cut_cited_clauses(verdict, m.text) for m in spoken if m.id == rests), "")


def cut_cited_clauses(verdict: Verdict, text: str, *, whole: bool = True) -> str:
    """Return the clauses of the message that an operation rests on first.

    Unless they are to be `whole`, of a further one only what is cited: a citation of so many words
    may break off in a clause about something else.
    """
    first = verdict.sources[:1]
    places = [rests[1:] for rests in verdict.sources if rests[0] == first[0][0]]
    end = max((end for _, end in places), default=len(text))
    found = [
        (a + x, a + y)
        for a, b in sentences_of(text)
        for x, y in split_clauses(text[a:b])
        if not first or any(a + x < end and start < a + y for start, end in places)
    ]
    cut = [(a, b if whole or i == 0 else min(b, end)) for i, (a, b) in enumerate(found)]
    return ", ".join(text[a:b] for a, b in cut)


# --- how far it reaches ---


def apply_steps(
    merger: Merger,
    steps: Sequence[Step],
    spoken: Sequence[ShownMessage],
    now: datetime,
    act: Callable[[Step], SaveResult],
    recalled: Collection[MemoryId] = (),
) -> list[SaveResult]:
    """Do what steps say, as `act` does it; ask instead where one reaches too far.

    Args:
        merger: of this write.
        steps: operations; each `old` is looked up again, since one before may have changed it or
            put another in its place.
        spoken: the exchange, and what was said before it.
        now: the time.
        act: does a step.
        recalled: ids of what was recalled for the exchange.
    """
    said, done, left = _join_exchange_words(spoken), list[SaveResult](), dict[MemoryId, MemoryId]()
    over: list[Memory] = []  # what the steps before ended
    valid = [s for s in steps if s.old and not s.verdict.reason]
    changed = {s.old.id for s in valid if s.old and s.op in {"update", "fix"}}
    earlier = [_count_ended_before(merger.tx, s.claim) for s in steps]
    for s, before in zip(steps, earlier, strict=True):
        named = left.get(s.old.id, s.old.id) if s.old else ""
        step = replace(s, old=merger.tx.memories.get(named) if named else None)
        ended = before + sum(d.ended for d in done)
        why = _find_obstacle(step, said, ended, recalled)
        kept = _settle_request(merger, step) if why in {"", "reach"} else None
        if kept is not None:
            done.append(SaveResult(kept, "known"))
            continue
        if step.op == "delete" and s.old and s.old.id in changed:
            why = why or "gone"  # the same answer gives it a new value
        if why:
            done.append(_ask_instead(merger, step, said, why, now))
        elif known := _find_repeated(step, over):
            done.append(SaveResult(known, "known"))
        else:
            done.append(act(step))
        if step.old and done[-1].ended:
            over.append(step.old)
        if s.old and done[-1].outcome == "superseded" and done[-1].memory:
            left[s.old.id] = done[-1].memory.id
    return done


def _settle_request(merger: Merger, s: Step) -> Memory | None:
    slot = s.entry.slot if s.entry and s.op in {"add", "update", "same"} else ""
    return slots.settle_request(merger, s.claim, slot, s.old) if slot and s.claim else None


def _find_repeated(step: Step, over: Sequence[Memory]) -> Memory | None:
    """Return the memory, ended by the same answer, that an addition would only bring back."""
    d = step.claim.draft if step.op == "add" and step.claim else None
    if d is None or d.valid_from or d.valid_until:
        return None
    return next((m for m in over if has_same_form(m.original_content, d.content)), None)


def _count_ended_before(tx: Transaction, claim: Claim | None) -> int:
    """Count the memories that an earlier job ended by the same message: it is one exchange."""
    said = tx.conversations.get_message(claim.sources[0]) if claim else None
    return tx.changes.count_ended_by(said.turn_id) if said and said.turn_id else 0


def _ask_instead(merger: Merger, step: Step, said: str, why: str, now: datetime) -> SaveResult:
    """Keep as a question what is not done; of what reaches too far, what they said is kept."""
    tx, old, claim = merger.tx, step.old, step.claim
    text = step.entry.content if step.entry else old.original_content if old else ""
    source = claim.sources[0] if claim else None
    why = "reach" if why == "unsaid_end" and step.op != "negate" else why
    if why == "reach" and source and old and old.verified and old.source_message == source:
        return SaveResult(old, "known")  # they asked for just that to be kept, in their own words
    if why == "reach" and old is not None and touches_memory(said, old):
        add_proposal(tx, text, {"op": step.op, "id": old.id}, source, now)
    elif step.op == "add" and why in ASKABLE and _is_half_said(text, said):
        add_proposal(tx, text, {"op": "add"}, source, now)
    if why == "reach" and claim is not None:
        return merger.save(claim)
    return SaveResult(None, "refused", why)


def _find_obstacle(step: Step, said: str, ended: int, recalled: Collection[MemoryId]) -> str:
    """Say why the words do not bear a step out, or not that it reaches so far; "" if they do."""
    old = step.old
    if step.verdict.reason or old is None or step.op == "add":
        return step.verdict.reason
    if step.op not in ENDS:
        known = step.verdict.sources or old.id in recalled or touches_memory(said, old)
        return "" if known else "not_recalled"
    guarded = step.op == "delete" and old.guarded
    text = list_content_words(step.entry.content if step.entry else "")
    mends = (
        step.op == "fix" and compute_share(list_content_words(old.original_content), text) >= KEPT
    )
    return "" if (mends or ended < MOST_ENDED) and not guarded else "reach"


def _is_half_said(text: str, said: str) -> bool:
    wanted = list_units(text)
    return bool(wanted) and len(wanted & list_units(said)) >= HALF * len(wanted)


def _list_own_words(spoken: Sequence[ShownMessage]) -> list[tuple[str, str]]:
    """List the person's own words, each short answer beside the sentence that it answers."""
    said: list[tuple[str, str]] = []
    for i, m in enumerate(spoken):
        if m.role == "user" and m.n:
            own, question = join_own_text(m.text), find_question_before(spoken, i)
            answered = read_answer(own.strip(), question) not in {"", "evades"}
            short = answered or len(list_units(own)) <= FEW
            said.append((own, question if short else ""))
    return said


def _join_exchange_words(spoken: Sequence[ShownMessage]) -> str:
    return "\n".join(text for both in _list_own_words(spoken) for text in both)


def touches_memory(said: str, m: Memory) -> bool:
    """Tell whether words share a word, name, relative or side of life with a memory."""
    text = m.original_content
    return bool(
        (list_content_words(said) & list_content_words(text)) - COMMON
        or find_kin(said) & find_kin(text)
        or translations.things_of(said) & translations.things_of(text)
        or any(s.search(said) and s.search(text) for s in _SLOTS)
        or _says_name(said, m)
        or (m.kind is Kind.INSTRUCTION and FORMS.REQUEST.search(said))
    )


def may_end(said: str, m: Memory) -> bool:
    """Tell whether words may end a memory: verified, pinned and core ones only if they name it.

    They do so only beside a word of change, and not by what is said of a relative whom the memory
    does not name: "my son is allergic to peanuts as well" ends no allergy of the person's.
    """
    if not m.guarded:
        return touches_memory(said, m)
    wanted = list_content_words(m.original_content)
    shared, half = len(list_content_words(said) & wanted), HALF * len(wanted)
    changed = is_denial(said) or FORMS.ENDED.search(said) or FORMS.CHANGED.search(said)
    others = find_kin(said) - find_kin(m.original_content)
    named = shared >= half > 0 or _says_name(said, m)
    return bool(changed and named and not (others and not find_kin(m.original_content)))


def _says_name(said: str, m: Memory) -> bool:
    names = {fold(n) for n in (*m.entities, *find_names(f"- {m.original_content}")) if len(n) > 1}
    return any(mentions_name(n, said) for n in names)


def count_outcomes(tools: LearningTools, what: str, done: Sequence[SaveResult]) -> dict[str, Json]:
    """Count what became of claims, for the job's result; log those that were refused."""
    for saved in done:
        if saved.outcome == "refused":
            tools.skipped(what, saved.code, "")
    new = sum(s.outcome == "added" for s in done)
    updated = sum(s.changed for s in done) - new
    return {"outcome": "saved" if new + updated else "nothing", "new": new, "updated": updated}
