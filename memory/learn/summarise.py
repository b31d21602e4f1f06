"""The summariser: what leaves working memory becomes an episode and a running summary.

After something was forgotten, `rebuild` writes both anew from what may still be seen.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory import lifecycle, privacy
from memory.errors import Conflict, ModelError
from memory.jobs import Effect
from memory.learn.answer import LearningTools, read_payload
from memory.learn.dates import get_zone
from memory.learn.evidence import find_names
from memory.learn.merge import Claim, build_memory
from memory.learn.secrets import list_readable
from memory.learn.visible_messages import (
    clip,
    detect_messages_language,
    is_unchanged,
    join_user_words,
    list_prompt_messages,
    messages_of,
    split_into_portions,
)
from memory.models import (
    Draft,
    Importance,
    Job,
    Json,
    Kind,
    Lang,
    Layer,
    Memory,
    MemoryId,
    Message,
    Session,
    Source,
    State,
    detect_language,
)
from memory.ports import FloatArray, Transaction
from memory.text.notes import strip_subject
from memory.text.spans import split_sentences
from memory.text.speech import fold as fold_case

if TYPE_CHECKING:
    from memory.learn import schemas

EPISODE_CHARS, SUMMARY_TOKENS = 400, 1_200
PORTION_TOKENS = 8_000  # of conversation in one call
MESSAGE_TOKENS = 2_000  # of one message in a prompt; the summariser reads a longer one in pieces
MAX_ANSWER = 2_000
SMALLEST_PORTION = 500
BEGAN_TOKENS = 60  # of a message that stands for an episode
_DATE_IN_FRONT = re.compile(r"^[\[【(（]\s{0,9}\d{4}[-/.年][^\]】)）]{0,30}[\]】)）]\s{0,9}")
_SENTENCE = re.compile(r"[^。！？!?;；\n.]*(?:[。！？!?;；\n]|\.(?=\s|$)|$|\.)")


@dataclass(frozen=True, slots=True)
class Summary:
    """A span of conversation on one line, and the running summary with it."""

    episode: str
    running: str


async def fold(
    tools: LearningTools,
    user_id: str,
    messages: Sequence[Message],
    previous: str,
    lang: Lang,
    now: datetime,
    most: int,
) -> Summary:
    """Summarise messages on top of a summary, in portions.

    Raises ModelError, also for an answer nobody can read.
    """
    episodes: list[str] = []
    running = previous
    try:
        pieces = await asyncio.to_thread(_in_pieces, messages, most)
        for portion in split_into_portions(pieces, most, lambda m: m.text):
            got = await _portion(tools, user_id, portion, running, lang, now)
            episodes.append(got.episode)
            running = got.running
    except ModelError as e:
        if e.code != "context_too_long" or most <= SMALLEST_PORTION:
            raise
        return await fold(tools, user_id, messages, previous, lang, now, most // 2)
    joined = ("；" if lang == "zh" else "; ").join(e.rstrip("。.;；") for e in episodes if e)
    return Summary(shorten_to_line(episodes[0] if len(episodes) == 1 else joined), running)


def _in_pieces(messages: Sequence[Message], most: int) -> list[Message]:
    """Return the messages, a long one as several: whatever stands in its middle is read too."""
    n = min(MESSAGE_TOKENS, most)  # a character is a token at most
    piece = re.compile(rf".{{1,{n - 1}}}(?:[\s。！？，]|\Z)|.{{1,{n}}}", re.S)
    return [replace(m, text=text) for m in messages for text in piece.findall(m.text)]


async def _portion(
    tools: LearningTools,
    user_id: str,
    messages: Sequence[Message],
    previous: str,
    lang: Lang,
    now: datetime,
) -> Summary:
    said = await asyncio.to_thread(list_prompt_messages, messages, user_id, MESSAGE_TOKENS)
    tz = messages[-1].tz
    variables = {"messages": [i.shown(lang) for i in said], "previous": previous, "tz": tz}
    data = {"messages": [i.data() for i in said], "previous": previous, "tz": tz}
    answer: schemas.Summary | None = await tools.read(
        user_id, "summarise", lang, variables, data, now, MAX_ANSWER
    )
    if answer is None:
        raise ModelError("unreadable", detail="the summary could not be read")
    return await asyncio.to_thread(_supported, summary_of(answer, previous), messages, previous)


def summary_of(answer: schemas.Summary, previous: str) -> Summary:
    """Without dates in front, secrets and orders.

    What one part lacks the other stands for, after what was before.
    """
    running = answer.summary or "\n".join(p for p in (previous, answer.episode) if p)
    first = re.split(r"(?<=[。！？!?])|\n|(?<=\.)\s", running.strip(), maxsplit=1)[0]
    episode = shorten_to_line(_harmless(_DATE_IN_FRONT.sub("", answer.episode or first)))
    return Summary(strip_subject(episode), clip(_harmless(running).strip(), SUMMARY_TOKENS))


def _harmless(text: str) -> str:
    """Without secrets, and without sentences that read like orders to the assistant."""
    text = privacy.redact(text)[0]
    if not privacy.is_refused_instruction(text):
        return text
    return "".join(
        m[0] for m in _SENTENCE.finditer(text) if not privacy.is_refused_instruction(m[0])
    )


def shorten_to_line(text: str) -> str:
    """Return the text on one line, at most as long as an episode may be."""
    line = " ".join(text.split())
    return line if len(line) <= EPISODE_CHARS else line[: EPISODE_CHARS - 1].rstrip() + "…"


def _supported(got: Summary, messages: Sequence[Message], previous: str) -> Summary:
    """Keep what names nobody that the conversation did not; else quote how it began, and the
    summary before.

    A name in the other script than was written in may be a translation: 京都 is Kyoto.
    """
    said = fold_case("\n".join((previous, *(m.text for m in messages))))
    own = " ".join(m.text for m in messages if m.role == "user")
    foreign = {True: re.search("[\u4e00-\u9fff]", own), False: re.search("[A-Z][a-z]", own)}

    def kept(text: str) -> list[str]:
        sentences = (text[a:b] for a, b in split_sentences(text))
        return [
            s
            for s in sentences
            if all(fold_case(n) in said or foreign[n.isascii()] for n in find_names(s))
        ]

    began = next(
        (m.text for m in messages if m.role == "user" and m.text.strip()), messages[0].text
    )
    opening = shorten_to_line(f"“{clip(began, BEGAN_TOKENS)}”")
    return Summary(
        " ".join(kept(got.episode)) or opening, "\n".join(kept(got.running)) or previous or opening
    )


@dataclass(frozen=True, slots=True)
class SummarySpan:
    """Messages that one episode tells of, and the episode where there is one already."""

    messages: tuple[Message, ...]
    episode: Memory | None = None


@dataclass(frozen=True, slots=True)
class SummaryWork:
    """What a job has to do: spans to tell, and what the running summary is made from."""

    session: Session
    spans: Sequence[SummarySpan]
    anew: tuple[Message, ...]  # all that a running summary rests on that has to be written anew
    through: int
    lang: Lang
    rebuild: bool
    episodes: bool  # whether episodes are kept: not where nothing is learned by itself


@dataclass(frozen=True, slots=True)
class Summariser:
    """Turns a span of a session into an episode and the running summary."""

    tools: LearningTools

    async def run(self, job: Job, now: datetime) -> Effect:
        """Ask the model and return what is to be written. Raises ModelError."""
        asked: schemas.SpanJob = await read_payload(job)
        work = await self.tools.store.read(job.user_id, lambda tx: self._gather(tx, asked))
        if work is None:
            return lambda _tx: {"outcome": "nothing"}
        most = min(PORTION_TOKENS, self.tools.context_tokens // 2)
        running = work.session.running_summary
        before, told = "" if work.rebuild else running, list[tuple[SummarySpan, str]]()
        for span in work.spans:
            if any(m.text.strip() for m in span.messages):
                got = await fold(
                    self.tools, job.user_id, span.messages, before, work.lang, now, most
                )
                first = span.messages[
                    0
                ]  # when the span began, in the zone it was said in, and what it was about
                told.append(
                    (
                        span,
                        f"[{first.at.astimezone(get_zone(first.tz)):%Y-%m-%d %H:%M}] {got.episode}",
                    )
                )
                running = got.running if not work.rebuild or span.messages == work.anew else running
        if work.anew and not any(span.messages == work.anew for span, _ in told):
            running = (
                await fold(self.tools, job.user_id, work.anew, "", work.lang, now, most)
            ).running
        vectors = await self.tools.embed([text for _, text in told])
        return lambda tx: self._apply(
            tx, job, work, running, list(zip(told, vectors, strict=True)), now
        )

    def _gather(self, tx: Transaction, asked: schemas.SpanJob) -> SummaryWork | None:
        session = tx.conversations.get_session(asked.session_id)
        if session is None:
            return None
        end, through, anew = session.summarised_through, asked.through, list[Message]()
        if asked.rebuild:
            spans, through = _told(tx, session, asked.after, min(through, end)), end
            # Forgetting empties a running summary that tells the thing; an empty span asks for a
            # new one in any case (an undo, after which there is more to tell again).
            if not session.running_summary or asked.after >= asked.through:
                anew = list_readable(
                    tx, tx.conversations.list_messages(session_id=session.id, through=end)
                )
            if not spans and not anew:
                return None
        elif through <= end:
            return None
        else:  # a span before this one whose job was given up is told together with this one
            said = tx.conversations.list_messages(
                session_id=session.id, after=min(asked.after, end), through=through
            )
            spans = [SummarySpan(tuple(list_readable(tx, said)))]
        words = join_user_words(anew or [m for s in spans for m in s.messages], tx.user_id)
        lang = detect_messages_language(words or session.running_summary, tx)
        learns = self.tools.learns(tx) != "off"
        return SummaryWork(
            session, spans, tuple(anew), through, lang, rebuild=asked.rebuild, episodes=learns
        )

    def _apply(
        self,
        tx: Transaction,
        job: Job,
        work: SummaryWork,
        running: str,
        told: Sequence[tuple[tuple[SummarySpan, str], FloatArray | None]],
        now: datetime,
    ) -> Mapping[str, Json]:
        session = tx.conversations.get_session(work.session.id)
        if session is None:
            return {"outcome": "nothing"}
        seen = [*work.anew, *(m for s in work.spans for m in s.messages)]
        moved = session.summarised_through != work.session.summarised_through
        if (
            moved
            or session.running_summary != work.session.running_summary
            or not is_unchanged(tx, seen)
        ):
            raise Conflict("the conversation changed while it was summarised")
        begun, ids = tx.changes.begin("system", "summarise", now, job_id=job.id), list[MemoryId]()
        for (span, text), vector in told:
            if work.episodes or span.episode is not None:
                ids.append(self._tell(tx, session, span, text, vector))
        for span in work.spans:  # an episode of which nothing may be told any more goes
            old = tx.memories.get(span.episode.id) if span.episode and not span.messages else None
            if old is not None and old.state is State.ACTIVE:
                tx.memories.put(replace(old, state=State.DELETED, deleted_at=now), "deleted")
        through = max(session.summarised_through, work.through)
        tx.conversations.put_session(
            replace(session, running_summary=running, summarised_through=through)
        )
        return {"outcome": "saved", "new": len(ids), "episodes": ids, "set": begun.id}

    def _tell(
        self,
        tx: Transaction,
        session: Session,
        span: SummarySpan,
        text: str,
        vector: FloatArray | None,
    ) -> MemoryId:
        old = tx.memories.get(span.episode.id) if span.episode else None
        if old is not None and old.state is State.ACTIVE:
            m = tx.memories.put(replace(old, content=text, original_content=text), "updated")
        else:
            m = tx.memories.add(_episode(tx, session, span.messages, text, self.tools.curve))
            tx.memories.log(
                lifecycle.build_log_entry("created", None, m, self.tools.u, m.created_at, "episode")
            )
        for message in span.messages:
            tx.memories.add_source(m.id, message.id)
        if vector is not None:
            tx.vectors.put(m.id, self.tools.embedder.id, vector)
        return m.id


def _told(tx: Transaction, session: Session, after: int, through: int) -> list[SummarySpan]:
    """Return the spans of episodes that tell of messages in (after, through], without what is hidden now."""
    asked = tx.conversations.list_messages(
        session_id=session.id, after=after, through=through, hidden=True
    )
    spans: list[SummarySpan] = []
    covered: set[str] = set()
    for m in tx.memories.get_many(tx.memories.list_learned_from(x.id for x in asked)):
        if m.layer is Layer.EPISODE and m.state is State.ACTIVE:
            found = messages_of(tx, tx.memories.list_sources(m.id))
            covered.update(x.id for x in found)
            spans.append(
                SummarySpan(tuple(list_readable(tx, (x for x in found if x.hidden_at is None))), m)
            )
    untold = tuple(
        list_readable(tx, (x for x in asked if x.id not in covered and x.hidden_at is None))
    )
    if untold:
        spans.append(SummarySpan(untold))
    return sorted(spans, key=lambda s: s.messages[0].seq if s.messages else 0)


def _episode(
    tx: Transaction, session: Session, messages: Sequence[Message], text: str, curve: str
) -> Memory:
    """Valid from the span's beginning; created, and so aged, from its end."""
    draft = Draft(
        text,
        kind=Kind.EPISODE,
        layer=Layer.EPISODE,
        language=detect_language(text),
        source=Source.SYSTEM,
        valid_from=messages[0].at,
        precision="minute",
    )
    claim = Claim(draft, messages[-1].at, (messages[0].id,), session.id)
    return lifecycle.start_life(
        replace(build_memory(claim, tx.user_id), close=False),
        Importance.MEDIUM,
        curve,
        claim.said_at,
    )
