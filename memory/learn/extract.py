"""The extractor: what a finished stretch of conversation leaves to be remembered (S3, DESIGN §6).

Extract and match are one call: the model is shown what is known and names what it matches or contradicts.
Idempotent by the session's watermark `extracted_through`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.errors import Conflict, ModelError
from memory.jobs import Effect
from memory.learn import dates
from memory.learn.alike import touches
from memory.learn.answer import objects
from memory.learn.asking import ANY, Tools
from memory.learn.claims import UNSURE
from memory.learn.drafts import Words, dated_fields, draft_of, read_confidence
from memory.learn.evidence import Cited, Operation, check_operation
from memory.learn.material import clock, is_evidence, items, language, reference, spoken_in, unchanged, words_of
from memory.learn.merge import Claim, Merger, Saved, strategy
from memory.learn.proposals import propose
from memory.learn.radius import MOST_ENDED, may_end, touches_memory, words_about
from memory.learn.sealed import readable
from memory.learn.summarise import MESSAGE_TOKENS, PORTION_TOKENS, fold
from memory.learn.tokens import clip, newest_within
from memory.models import (
    Job,
    Json,
    Lang,
    Layer,
    Memory,
    MemoryId,
    Message,
    Sensitivity,
    Session,
    Source,
    State,
)
from memory.ports import Tx
from memory.text.tokens import estimate_tokens

HISTORY_TOKENS = 8_000  # history that is longer is summarised first, but for the newest part
NEWEST_TOKENS = 4_000
MEMORIES, MEMORY_CHARS = 50, 160
NEAREST, NEAR = 20, 8
MOST_CANDIDATES = 60
MAX_ANSWER = 4_000
NOTHING: Mapping[str, Json] = {"outcome": "nothing", "new": 0, "updated": 0}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry of the answer, as the model wrote it."""

    content: str
    fields: Mapping[str, str] = field(default_factory=dict)
    matches: MemoryId | None = None
    contradicts: MemoryId | None = None
    denied: bool = False
    said: tuple[Cited, ...] = ()  # the messages it rests on


def parse(answer: str) -> list[Candidate] | None:
    """The candidates of an answer; None if there is no JSON in it. Entries without a content are left out."""
    found = objects(answer)
    if found is None:
        return None
    return [c for o in found[:MOST_CANDIDATES] if (c := _candidate(o)) is not None]


def _candidate(o: Mapping[str, Json]) -> Candidate | None:
    content = o.get("content")
    if not isinstance(content, str) or not content.strip():
        return None
    names = {
        "kind": ("kind", "category"),
        "importance": ("importance",),
        "expires": ("expires_at", "expires"),
        "since": ("since", "from", "valid_from"),
        "until": ("until", "valid_until"),
        "on": ("on",),
        "repeats": ("repeats",),
        "entities": ("entities",),
        "topics": ("topics",),
        "sensitivity": ("sensitivity",),
        "confidence": ("confidence",),
        "quote": ("quote",),
    }
    fields = {
        name: text for name, keys in names.items() if (text := _text(next((o[k] for k in keys if k in o), None)))
    }
    said = o.get("said")
    cited = [c for one in (said if isinstance(said, list) else [said]) if (c := _cited(one)) is not None]
    return Candidate(
        content, fields, _id(o.get("matches")), _id(o.get("contradicts")), o.get("denied") is True, tuple(cited)
    )


def _cited(one: Json) -> Cited | None:
    """A message by its number alone, or with words of it."""
    n, words = (one.get("n"), one.get("words")) if isinstance(one, dict) else (one, "")
    return Cited(n, words if isinstance(words, str) else "") if isinstance(n, int) and n > 0 else None


def _text(value: Json) -> str:
    if isinstance(value, list):
        return ",".join(str(v) for v in value if isinstance(v, str | int | float))
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        return ""
    return "" if str(value).strip().casefold() in {"null", "none"} else str(value)


def _id(value: Json) -> MemoryId | None:
    if isinstance(value, list) and value:
        value = value[0]
    text = value.strip().strip("[]").lower() if isinstance(value, str) else ""
    return None if text in {"", "null", "none"} else text


@dataclass(frozen=True, slots=True)
class History:
    """What is extracted from."""

    session: Session
    messages: tuple[Message, ...]
    through: int
    lang: Lang
    learning: str

    def evidence(self, user_id: str) -> list[Message]:
        """The user's own messages."""
        return [m for m in self.messages if is_evidence(m, user_id) and m.text.strip()]


@dataclass(frozen=True, slots=True)
class Extractor:
    """Turns a stretch of a session into memories."""

    tools: Tools

    async def run(self, job: Job, now: datetime) -> Effect:
        """Ask the model and return what is to be written. Raises ModelError."""
        h = await self.tools.store.read(job.user_id, lambda tx: self._gather(tx, job))
        if h is None:
            return lambda _tx: NOTHING
        found: list[tuple[Candidate, Claim]] = []
        if h.learning != "off" and h.evidence(job.user_id):
            found = await self.read(job.user_id, h, await self._known(job.user_id, h), now)
        return lambda tx: self._apply(tx, job, h, found, now)

    async def read(
        self, user_id: str, h: History, known: Mapping[MemoryId, Memory], now: datetime
    ) -> list[tuple[Candidate, Claim]]:
        """Ask the model about messages; returns what their words support. Raises ModelError."""
        return await self._claims(user_id, h, await self._ask(user_id, h, known, now), known)

    # --- before the call ---------------------------------------------------------------------------------

    def _gather(self, tx: Tx, job: Job) -> History | None:
        session = tx.conversations.session(str(job.payload["session_id"]))
        through = int(job.payload["through"])
        if session is None or through <= session.extracted_through:
            return None
        said = tx.conversations.messages(session_id=session.id, after=session.extracted_through, through=through)
        messages = readable(tx, said)
        lang = language(words_of(messages, tx.user_id), tx)
        learning = str(tx.user().settings.get("learning") or self.tools.learning)
        return History(session, tuple(messages), through, lang, learning)

    async def _known(self, user_id: str, h: History) -> dict[MemoryId, Memory]:
        """At most 50 memories: the nearest to what the user said, then the strongest."""
        words = await asyncio.to_thread(words_of, h.messages, user_id, 1_000)
        vector = (await self.tools.embed([words], "query"))[0]
        ids = await self.tools.nearest(user_id, vector, words, NEAREST, ANY)
        near = await self.tools.store.reader(user_id).get(ids)
        page = await self.tools.store.read(
            user_id, lambda tx: tx.memories.find(ANY, order="weight", limit=MEMORIES + NEAREST)
        )
        facts = [
            m for m in (*near, *page.items) if m.layer is not Layer.EPISODE and m.sensitivity < Sensitivity.SECRET
        ]
        return dict(list({m.id: m for m in facts}.items())[:MEMORIES])

    # --- the call ------------------------------------------------------------------------------------------

    async def _ask(
        self, user_id: str, h: History, known: Mapping[MemoryId, Memory], now: datetime
    ) -> list[Candidate]:
        verbatim, previous = await self._shortened(user_id, h, now)
        tz = h.messages[-1].tz
        said = await asyncio.to_thread(items, verbatim, user_id, MESSAGE_TOKENS)
        first = sum(bool(m.text.strip()) for m in h.messages) - len(verbatim)
        memories = [{**r, "text": _short(str(r["text"]))} for r in reference(known.values())]
        variables = {
            "now": clock(now, tz, h.lang),
            "tz": tz,
            "memories": memories,
            "messages": [{**i.shown(h.lang), "n": i.n + first} for i in said],
            "previous": previous,
        }
        data = {
            "messages": [i.data() for i in said],
            "memories": memories,
            "previous": previous,
            "now": dates.iso(now, tz),
            "tz": tz,
        }
        for _ in range(2):  # broken JSON is asked for once more before the job is left to its retries
            answer = await self.tools.ask(user_id, "extract", h.lang, variables, data, now, MAX_ANSWER)
            if (found := parse(answer.text)) is not None:
                return found
            self.tools.skipped("extraction", "unreadable", answer.text)
        raise ModelError("unreadable", detail="the extraction could not be read")

    async def _shortened(self, user_id: str, h: History, now: datetime) -> tuple[list[Message], str]:
        """The newest messages as they are, and the rest summarised where there is too much of it."""
        visible = [m for m in h.messages if m.text.strip()]
        most = min(HISTORY_TOKENS, self.tools.context_tokens // 2)
        if sum(estimate_tokens(clip(m.text, MESSAGE_TOKENS)) for m in visible) <= most:
            return visible, ""
        newest = newest_within(visible, min(NEWEST_TOKENS, most // 2), lambda m: clip(m.text, MESSAGE_TOKENS))
        newest = newest or visible[-1:]
        older = visible[: len(visible) - len(newest)]
        if not older:
            return newest, ""
        portion = min(PORTION_TOKENS, most)
        return newest, (await fold(self.tools, user_id, older, "", h.lang, now, portion)).running

    async def _claims(
        self, user_id: str, h: History, found: Sequence[Candidate], known: Mapping[MemoryId, Memory]
    ) -> list[tuple[Candidate, Claim]]:
        spoken, texts = spoken_in(h.messages, user_id), [m.original_content for m in known.values()]
        found = [self._shown(c, known) for c in found]  # ids that were not shown are gone from here on
        operations = [_operation(c, known) for c in found]
        verdicts = await asyncio.to_thread(lambda: [check_operation(o, spoken, texts) for o in operations])
        for v in verdicts:
            if v.reason:
                self.tools.skipped("extraction", v.reason, "")
        found, verdicts = (
            [c for c, v in zip(found, verdicts, strict=True) if not v.reason],
            [v for v in verdicts if not v.reason],
        )
        vectors = await self.tools.embed([c.content for c in found])
        by_id = {m.id: m for m in h.messages}
        out: list[tuple[Candidate, Claim]] = []
        for c, v, vector in zip(found, verdicts, vectors, strict=True):
            said = by_id[v.sources[0][0]]
            old = known.get(c.contradicts or c.matches or "")
            draft = draft_of(Words(c.content, c.fields, said, Source.EXTRACTOR, old), self.tools.skipped)
            near = await self.tools.nearest(user_id, vector, c.content, NEAR, ANY)
            embedder = self.tools.embedder.id
            claim = Claim(draft, said.at, (said.id,), h.session.id, vector, embedder, tuple(near), v.sources)
            out.append((c, claim))
        return out

    def _shown(self, c: Candidate, known: Mapping[MemoryId, Memory]) -> Candidate:
        for name, value in (("matches", c.matches), ("contradicts", c.contradicts)):
            if value is not None and value not in known:
                self.tools.skipped(f"extraction {name}", "id not shown", value)
        return replace(
            c,
            matches=c.matches if c.matches in known else None,
            contradicts=c.contradicts if c.contradicts in known else None,
        )

    # --- the write -----------------------------------------------------------------------------------------

    def _apply(
        self, tx: Tx, job: Job, h: History, found: Sequence[tuple[Candidate, Claim]], now: datetime
    ) -> Mapping[str, Json]:
        session = tx.conversations.session(h.session.id)
        if session is None or session.extracted_through >= h.through:
            return NOTHING
        if session.extracted_through != h.session.extracted_through or not unchanged(tx, h.messages):
            raise Conflict("the conversation changed while it was extracted from")
        begun = tx.changes.begin("extractor", "extract", now, job_id=job.id)
        merger = Merger(tx, curve=self.tools.curve, u=self.tools.u, proposing=h.learning == "ask")
        evidence, said, done = h.evidence(tx.user_id), words_about(spoken_in(h.messages, tx.user_id)), list[Saved]()
        for c, claim in found:
            old = tx.memories.get(c.contradicts) if c.contradicts else None
            ended = sum(s.ended for s in done) + _ended_before(tx, claim)
            if old is not None and (ended >= MOST_ENDED or not may_end(said, old)):
                if touches_memory(said, old):
                    op = {"op": "negate" if c.denied else "update", "id": old.id}
                    propose(tx, c.content, op, claim.sources[0], now)
                done.append(merger.save(claim))
            else:
                done.append(_merge(tx, merger, c, claim, evidence))
        for saved in done:
            if saved.outcome == "refused":
                self.tools.skipped("extraction", saved.code, "")
        tx.conversations.put_session(replace(session, extracted_through=h.through))
        new = sum(s.outcome == "added" for s in done)
        updated = sum(s.changed for s in done) - new
        counts: Mapping[str, Json] = {"new": new, "updated": updated}
        tx.conversations.note("session", session.id, "updated", {"extracted": True, **counts, "through": h.through})
        return {"outcome": "saved" if new + updated else "nothing", **counts, "set": begun.id}


def _ended_before(tx: Tx, claim: Claim) -> int:
    """How many memories the monitor ended by the message that the claim rests on: it is one exchange."""
    said = tx.conversations.message(claim.sources[0])
    return tx.changes.ended_by(said.turn_id) if said and said.turn_id else 0


def _merge(tx: Tx, merger: Merger, c: Candidate, claim: Claim, evidence: Sequence[Message]) -> Saved:
    """One candidate: contradicted, matched or new (S2's strategies for what contradicts)."""
    old = tx.memories.get(c.contradicts) if c.contradicts else None
    if old is not None and old.state is State.ACTIVE and old.layer is not Layer.SYSTEM:
        match strategy(old, claim, inferred=True):
            case "weight_balance":
                return merger.contradict(old, claim)
            case "version_keep":
                return merger.negate(old, claim, claim.said_at)
            case "latest_wins":
                return merger.negate(old, claim, claim.said_at) if c.denied else merger.supersede(old, claim)
    same = tx.memories.get(c.matches) if c.matches else None
    if same is not None and same.state is State.ACTIVE:
        return merger.match(same, claim)
    return merger.save(claim, mention=any(touches(m.text, claim.draft.content) for m in evidence))


def _operation(c: Candidate, known: Mapping[MemoryId, Memory]) -> Operation:
    old = known.get(c.contradicts or c.matches or "")
    op = "add" if not c.contradicts else "negate" if c.denied else "update"
    sure = read_confidence(c.fields) >= UNSURE
    text = old.original_content if old else ""
    quote, on = c.fields.get("quote") == "yes", c.fields.get("on", "")
    return Operation(op, c.content, c.said, on, dated_fields(c.fields), text, sure, quote)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MEMORY_CHARS else line[: MEMORY_CHARS - 1].rstrip() + "…"
