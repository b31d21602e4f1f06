"""A model reads the notebook's quotations once: what they say becomes notes in their place.

They are read in batches, as messages of a session are, and checked against their own words. A
quotation of which notes say everything is replaced by them; any other stays as it is, and nothing
read out of it is kept. So recall never shows both, and nothing that was told is lost. All of a job
is one change set; each batch is written with the place up to which quotations are read, so that a
job goes on where it was interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate, takewhile
from typing import Final

from memory.errors import Conflict
from memory.jobs import Effect
from memory.learn import dates
from memory.learn.answer import LearningTools, read_learning, read_payload
from memory.learn.cited_words import JOINT
from memory.learn.evidence import find_names
from memory.learn.evidence_case import JOINED
from memory.learn.extract import HISTORY_TOKENS, ExtractionInput, Extractor
from memory.learn.merge import Claim, Merger, choose_kind, find_refusal
from memory.learn.same_meaning import list_units
from memory.learn.steps import NOTHING
from memory.learn.visible_messages import messages_of, redact_memory
from memory.models import ChangeSet, Job, Json, Kind, Memory, Message, Session
from memory.ports import Store, Transaction
from memory.text.clean import estimate_tokens
from memory.text.numbers import find_numbers
from memory.text.spans import is_question
from memory.text.speech import FORMS, split_clauses

BATCH: Final = 12  # quotations in one call
_READ: Final = "quotes"  # setting of the user: how far they are read, and the newest change set
_IN_PROMPTS: Final = frozenset({Kind.HEALTH, Kind.IDENTITY, Kind.INSTRUCTION})  # every prompt's


async def plan_reading(store: Store, learning: str, now: datetime) -> None:
    """Enqueue a reading for everybody whose quotations no model has read."""

    def enqueue(tx: Transaction) -> None:
        unread = _find_unread(tx, learning, -1)
        if unread and not tx.jobs.list_pending("quotes"):
            lane = f"quotes:{tx.user_id}"  # beside the learning of the day
            tx.jobs.enqueue("quotes", tx.new_id(), {"through": unread[-1][0]}, now, lane=lane)

    for user_id in await store.write_system(lambda s: s.users()):
        if await store.read(user_id, lambda tx: _find_unread(tx, learning, 1)):
            await store.write(user_id, enqueue)


def _find_unread(tx: Transaction, learning: str, limit: int) -> list[tuple[int, Memory]]:
    """Return unread quotations with their places; none where learning is off, or asks each time."""
    if read_learning(tx, learning) != "auto":
        return []
    return tx.memories.quotes(int(_get_progress(tx).get("through", 0)), limit)


def _get_progress(tx: Transaction) -> Mapping[str, Json]:
    return tx.user().settings.get(_READ) or {}


@dataclass(frozen=True, slots=True)
class QuoteBatch:
    """Quotations that are read together, as messages under their ids, and the place of the last."""

    quotes: tuple[Memory, ...]
    history: ExtractionInput
    through: int


class QuoteReader:
    """The handler of `quotes` jobs.

    It may spend half of a day's memory budget: the rest is for what is said.
    """

    def __init__(self, tools: LearningTools) -> None:
        self._tools = replace(tools, budget_tokens=-(-tools.budget_tokens // 2))
        self._extractor = Extractor(self._tools)

    async def run(self, job: Job, now: datetime) -> Effect:
        """Read up to the place that the payload names.

        Raises ModelError, Conflict; what was read by then stays.
        """
        store, last = self._tools.store, (await read_payload(job)).through
        while batch := await store.read(job.user_id, lambda tx: self._gather(tx, job, last, now)):
            steps = await self._extractor.read(job.user_id, batch.history, {}, now)
            claims = [s.claim for s in steps if s.claim and "quote" not in s.claim.draft.modalities]

            def write(tx: Transaction, b: QuoteBatch = batch, c: list[Claim] = claims) -> None:
                self._apply(tx, job, b, c, now)

            await store.write(job.user_id, write)
        return lambda tx: _count_result(tx, job)

    def _gather(self, tx: Transaction, job: Job, last: int, now: datetime) -> QuoteBatch | None:
        """Return the next quotations, all in one language; None at the end, or once undone."""
        unread = _find_unread(tx, self._tools.learning, BATCH)
        begun = _find_begun(tx, job)
        if not unread or (begun is not None and begun.undone_by is not None):
            return None
        lang = unread[0][1].language
        some = list(takewhile(lambda x: x[0] <= last and x[1].language == lang, unread))
        if not some:
            return None
        most = min(HISTORY_TOKENS, self._tools.context_tokens // 2)  # a longer one is summarised
        sizes = accumulate(estimate_tokens(m.original_content) for _, m in some)
        some = [x for x, size in zip(some, sizes, strict=True) if size <= most] or some[:1]
        quotes = tuple(m for _, m in some)
        messages = [said for m in quotes for said in _write_messages(tx, m)]
        session = Session("", tx.user_id, "", now, now)
        history = ExtractionInput(session, messages, 0, lang, "auto")
        return QuoteBatch(quotes, history, some[-1][0])

    def _apply(
        self, tx: Transaction, job: Job, b: QuoteBatch, found: Sequence[Claim], now: datetime
    ) -> None:
        """Replace what was read whole, and note how far it is read, in one transaction."""
        begun = _find_begun(tx, job)
        if not tx.jobs.holds_lease(job) or (begun is not None and begun.undone_by is not None):
            raise Conflict("these quotations are read by another process, or no longer to be read")
        merger = Merger(tx, curve=self._tools.curve, u=self._tools.u)
        said = {m.id: m for m in b.history.messages}
        unread = {m.id: m for _, m in _find_unread(tx, self._tools.learning, BATCH)}
        if not unread:
            return  # all of them were changed meanwhile, or learning was switched off
        for old in b.quotes:
            quote = unread.get(old.id)
            if quote is None or quote.original_content != old.original_content:
                continue
            read = [(c, _rest_on_sources(tx, quote, c)) for c in found if c.sources == (quote.id,)]
            read = [(c, rests) for c, rests in read if not find_refusal(tx, rests)]
            if not covers(quote, said[quote.id], [c for c, _ in read]):
                self._tools.skipped(f"reading of {quote.id}", "not all of it", "")
                continue
            begun = begun or tx.changes.begin("extractor", "quotes", now, job_id=job.id)
            tx.changes.resume(begun)
            merger.replace_quote(quote, [rests for _, rests in read])
        progress = {"through": b.through, "set": begun.id if begun else ""}
        user = tx.user()
        tx.put_user(replace(user, settings={**user.settings, _READ: progress}))
        tx.jobs.reset_attempts(job)


def _write_messages(tx: Transaction, m: Memory) -> list[Message]:
    """Write a quotation as a message of that day; before it the question of ours it answers."""
    source = next(iter(messages_of(tx, tx.memories.list_sources(m.id))), None)
    at, tz = (source.at, source.tz) if source else (m.created_at, tx.user().tz or "UTC")
    text = redact_memory(m)
    *before, last = JOINT.split(text)
    if not before or not is_question(before[-1]):
        return [Message(m.id, "", None, tx.user_id, "user", text, at, tz)]
    asked = Message(f"?{m.id}", "", None, None, "assistant", before[-1], at, tz)
    return [asked, Message(m.id, "", None, tx.user_id, "user", last, at, tz)]


def covers(quote: Memory, said: Message, claims: Sequence[Claim]) -> bool:
    """Tell whether notes say all of a quotation that its form shows, in other words than its own.

    Args:
        quote: the quotation.
        said: its words, as they were read.
        claims: notes that rest on them.
    """
    drafts, text = [c.draft for c in claims], said.text
    if not drafts or any(_join_letters(d.content) == _join_letters(text) for d in drafts):
        return False
    kinds = {choose_kind(d.kind, d.content, d.source) for d in drafts}
    if quote.kind in _IN_PROMPTS and quote.kind not in kinds:
        return False
    notes = " . ".join(d.content for d in drafts)
    times = [day for d in drafts for day in dates.list_days(d)]
    dated, told = (any(dates.find_spoken_times(t, said.at, said.tz)) for t in (text, notes))
    if (dated or quote.on or quote.expires_at) and not (times or told):
        return False
    local = [t.astimezone(dates.get_zone(said.tz)) for t in times]
    known = {n for t in local for n in (t.year, t.month, t.day, t.hour, t.hour % 12, t.minute)}
    if not _list_numbers(text) <= known | _list_numbers(notes):
        return False
    if any(n.casefold() not in notes.casefold() for n in find_names(text)):
        return False
    parts = (part for a, b in split_clauses(text) for part in JOINED.split(text[a:b]))
    clauses = [units for units in map(list_units, parts) if units]
    return len(clauses) == 1 or not any(c.isdisjoint(list_units(notes)) for c in clauses)


def _join_letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _list_numbers(text: str) -> set[float]:
    return {n for n, *_ in find_numbers(FORMS.DAYS.sub(" ", text)) if n > 1}


def _rest_on_sources(tx: Transaction, quote: Memory, claim: Claim) -> Claim:
    """Let a note rest on what its quotation rests on."""
    spans = tx.memories.list_source_spans(quote.id)
    placed = tuple((i, a, b) for i, a, b in spans if a is not None and b is not None)
    ids = tuple(i for i, *_ in spans)
    return replace(claim, sources=ids, spans=placed, session_id=quote.source_session)


def _find_begun(tx: Transaction, job: Job) -> ChangeSet | None:
    """Return the job's change set, once a batch of it has written anything."""
    found = tx.changes.get(str(_get_progress(tx).get("set", "")))
    return found if found is not None and found.job_id == job.id else None


def _count_result(tx: Transaction, job: Job) -> Mapping[str, Json]:
    """Count what all batches came to: {"outcome", "new", "updated", "quotes", "set"}."""
    begun = _find_begun(tx, job)
    if begun is None or begun.undone_by is not None:
        return NOTHING
    done = [c.op for c in tx.changes.list_changes(set_id=begun.id)]
    counts = {"new": done.count("created"), "updated": 0, "quotes": done.count("superseded")}
    return {"outcome": "saved", **counts, "set": begun.id} if done else NOTHING
