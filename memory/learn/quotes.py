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
from memory.learn.drafts import NOTHING
from memory.learn.evidence import JOINED, JOINT, find_names
from memory.learn.extract import HISTORY_TOKENS, ExtractionInput, Extractor
from memory.learn.merge import Claim, Merger, choose_kind, find_refusal
from memory.learn.same_meaning import list_units
from memory.learn.visible_messages import messages_of, redact_memory
from memory.models import ChangeSet, Job, Json, Kind, Memory, Message, Session
from memory.ports import Store, Transaction
from memory.text.clean import estimate_tokens
from memory.text.numbers import find_numbers
from memory.text.spans import is_question
from memory.text.speech import FORMS, split_clauses

BATCH: Final = 12  # quotations in one call
# in the settings of the user: up to which place they are read, and the newest change set
_READ: Final = "quotes"
_IN_PROMPTS: Final = frozenset(
    {Kind.HEALTH, Kind.IDENTITY, Kind.INSTRUCTION}
)  # kinds that stand in every prompt


async def plan_reading(store: Store, learning: str, now: datetime) -> None:
    """Enqueue a reading for everybody whose quotations no model has read."""
    for user_id in await store.write_system(lambda s: s.users()):
        if await store.read(user_id, lambda tx: _find_unread(tx, learning, 1)):
            await store.write(user_id, lambda tx: _enqueue(tx, learning, now))


def _enqueue(tx: Transaction, learning: str, now: datetime) -> None:
    unread = _find_unread(tx, learning, -1)
    if unread and not tx.jobs.list_pending("quotes"):
        lane = f"quotes:{tx.user_id}"  # beside the learning of the day, which does not wait for it
        tx.jobs.enqueue("quotes", tx.new_id(), {"through": unread[-1][0]}, now, lane=lane)


def _find_unread(tx: Transaction, learning: str, limit: int) -> list[tuple[int, Memory]]:
    """Quotations that no model has read, and their places; none where learning is off, or asks each time."""
    if read_learning(tx, learning) != "auto":
        return []
    return tx.memories.quotes(int(_progress(tx).get("through", 0)), limit)


def _progress(tx: Transaction) -> Mapping[str, Json]:
    return tx.user().settings.get(_READ) or {}


@dataclass(frozen=True, slots=True)
class Portion:
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
        store, asked = self._tools.store, await read_payload(job)
        while (
            p := await store.read(job.user_id, lambda tx: self._gather(tx, job, asked.through, now))
        ) is not None:
            found = await self._extractor.read(job.user_id, p.history, {}, now)
            claims = [claim for _, claim in found if "quote" not in claim.draft.modalities]
            await store.write(
                job.user_id, lambda tx, p=p, claims=claims: self._apply(tx, job, p, claims, now)
            )  # type: ignore[misc]
        return lambda tx: _result(tx, job)

    def _gather(self, tx: Transaction, job: Job, last: int, now: datetime) -> Portion | None:
        """The next quotations, all in one language; None where there are no more, or the reading was taken back."""
        unread = _find_unread(tx, self._tools.learning, BATCH)
        begun = _begun(tx, job)
        if begun is not None and begun.undone_by is not None:
            return None
        some = list(
            takewhile(lambda x: x[0] <= last and x[1].language == unread[0][1].language, unread)
        )
        if not some:
            return None
        most = min(
            HISTORY_TOKENS, self._tools.context_tokens // 2
        )  # what is longer would be summarised first
        sizes = accumulate(estimate_tokens(m.original_content) for _, m in some)
        some = [x for x, size in zip(some, sizes, strict=True) if size <= most] or some[:1]
        quotes = tuple(m for _, m in some)
        messages = tuple(said for m in quotes for said in _messages(tx, m))
        session = Session("", tx.user_id, "", now, now)
        return Portion(
            quotes,
            ExtractionInput(session, messages, messages, 0, quotes[0].language, "auto"),
            some[-1][0],
        )

    def _apply(
        self, tx: Transaction, job: Job, p: Portion, found: Sequence[Claim], now: datetime
    ) -> None:
        """Replace what was read whole, and note how far it is read, in one transaction."""
        begun = _begun(tx, job)
        if not tx.jobs.holds_lease(job) or (begun is not None and begun.undone_by is not None):
            raise Conflict("these quotations are read by another process, or no longer to be read")
        merger = Merger(tx, curve=self._tools.curve, u=self._tools.u)
        said = {m.id: m for m in p.history.messages}
        unread = {m.id: m for _, m in _find_unread(tx, self._tools.learning, BATCH)}
        if not unread:
            return  # all of them were changed meanwhile, or learning was switched off
        for old in p.quotes:
            quote = unread.get(old.id)
            if quote is None or quote.original_content != old.original_content:
                continue
            read = [(c, _resting_on(tx, quote, c)) for c in found if c.sources == (quote.id,)]
            read = [(c, rests) for c, rests in read if not find_refusal(tx, rests)]
            if not covers(quote, said[quote.id], [c for c, _ in read]):
                self._tools.skipped(f"reading of {quote.id}", "not all of it", "")
                continue
            begun = begun or tx.changes.begin("extractor", "quotes", now, job_id=job.id)
            tx.changes.resume(begun)
            merger.replace_quote(quote, [rests for _, rests in read])
        progress = {"through": p.through, "set": begun.id if begun else ""}
        user = tx.user()
        tx.put_user(replace(user, settings={**user.settings, _READ: progress}))
        tx.jobs.reset_attempts(job)


def _messages(tx: Transaction, m: Memory) -> list[Message]:
    """A quotation as a message of that day, under its own id; before it the question of ours that it answers."""
    source = next(iter(messages_of(tx, tx.memories.list_sources(m.id))), None)
    at, tz = (source.at, source.tz) if source else (m.created_at, tx.user().tz or "UTC")
    *before, last = JOINT.split(redact_memory(m))
    asked = before[-1] if before and is_question(before[-1]) else ""
    own = Message(m.id, "", None, tx.user_id, "user", last if asked else redact_memory(m), at, tz)
    return [
        *([Message(f"?{m.id}", "", None, None, "assistant", asked, at, tz)] if asked else []),
        own,
    ]


def covers(quote: Memory, said: Message, claims: Sequence[Claim]) -> bool:
    """Tell whether notes say all of a quotation that its form shows, in other words than its own.

    Args:
        quote: the quotation.
        said: its words, as they were read.
        claims: notes that rest on them.
    """
    drafts, text = [c.draft for c in claims], said.text
    if not drafts or any(_letters(d.content) == _letters(text) for d in drafts):
        return False
    notes = " . ".join(d.content for d in drafts)
    kinds = {choose_kind(d.kind, d.content, d.source) for d in drafts}
    if quote.kind in _IN_PROMPTS and quote.kind not in kinds:
        return False
    days = [
        t
        for d in drafts
        for t in (d.on, d.expires_at, d.valid_from, d.valid_until)
        if t is not None
    ]
    dated = any(dates.find_spoken_times(text, said.at, said.tz)) or quote.on or quote.expires_at
    if dated and not days and not any(dates.find_spoken_times(notes, said.at, said.tz)):
        return False
    local = [t.astimezone(dates.get_zone(said.tz)) for t in days]
    known = {
        float(n) for t in local for n in (t.year, t.month, t.day, t.hour, t.hour % 12, t.minute)
    }
    if not _numbers(text) <= known | _numbers(notes) or any(
        n.casefold() not in notes.casefold() for n in find_names(text)
    ):
        return False
    clauses = [list_units(part) for a, b in split_clauses(text) for part in JOINED.split(text[a:b])]
    clauses = [c for c in clauses if c]
    return len(clauses) == 1 or not any(c.isdisjoint(list_units(notes)) for c in clauses)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _numbers(text: str) -> set[float]:
    return {n for n, *_ in find_numbers(FORMS.DAYS.sub(" ", text)) if n > 1}


def _resting_on(tx: Transaction, quote: Memory, claim: Claim) -> Claim:
    """A note rests on what its quotation rests on."""
    spans = tx.memories.list_source_spans(quote.id)
    placed = tuple((i, a, b) for i, a, b in spans if a is not None and b is not None)
    return replace(
        claim, sources=tuple(i for i, *_ in spans), spans=placed, session_id=quote.source_session
    )


def _begun(tx: Transaction, job: Job) -> ChangeSet | None:
    """The job's change set, once a batch of it has written anything."""
    found = tx.changes.get(str(_progress(tx).get("set", "")))
    return found if found is not None and found.job_id == job.id else None


def _result(tx: Transaction, job: Job) -> Mapping[str, Json]:
    """What all batches came to: {"outcome", "new", "updated", "quotes", "set"}."""
    begun = _begun(tx, job)
    done = (
        [c.op for c in tx.changes.list_set_changes(begun.id)]
        if begun is not None and begun.undone_by is None
        else []
    )
    if begun is None or not done:
        return NOTHING
    counts = {"new": done.count("created"), "updated": 0, "quotes": done.count("superseded")}
    return {"outcome": "saved", **counts, "set": begun.id}
