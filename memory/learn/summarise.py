"""The summariser: what leaves working memory becomes an episode and a running summary.

After something was forgotten, `rebuild` writes both anew from what may still be seen.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from memory import lifecycle, privacy
from memory.errors import Conflict, ModelError
from memory.jobs import Effect
from memory.learn.answer import LearningTools, ModelTask, read_payload
from memory.learn.dates import get_zone
from memory.learn.evidence import find_names
from memory.learn.merge import Claim, build_memory
from memory.learn.preferences import cut_quiet, find_quiet_wish, list_quiet_messages
from memory.learn.secrets import list_readable
from memory.learn.visible_messages import (
    clip,
    detect_messages_language,
    is_unchanged,
    is_visible_fact,
    join_user_words,
    list_prompt_messages,
    messages_of,
    redact_memory,
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
from memory.text.languages import LANGUAGES
from memory.text.notes import strip_subject
from memory.text.spans import split_sentences
from memory.text.speech import fold as fold_case

if TYPE_CHECKING:
    from memory.learn import schemas

EPISODE_CHARS, SUMMARY_TOKENS = 400, 1_200
PORTION_TOKENS: Final = 8_000  # of conversation in one call
MESSAGE_TOKENS: Final = 2_000  # of one message in a prompt; a longer one is read in pieces
MAX_ANSWER: Final = 2_000
REPLY_TOKENS: Final = 80  # of a reply: a summary says in a sentence what it was
SMALLEST_PORTION: Final = 500
KNOWN, KNOWN_TOKENS = 10, 40  # memories that tell whom the messages mean, and of each
BEGAN_TOKENS: Final = 60  # of a message that stands for an episode
_DATE_IN_FRONT: Final = re.compile(r"^[\[【(（]\s{0,9}\d{4}[-/.年][^\]】)）]{0,30}[\]】)）]\s{0,9}")
_SENTENCE: Final = re.compile(r"[^。！？!?;；\n.]*(?:[。！？!?;；\n]|\.(?=\s|$)|$|\.)")


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
    known: Sequence[str] = (),
) -> Summary:
    """Summarise messages on top of a summary, in portions.

    `known` is what was learned from them: it names whom they call "he".

    Raises ModelError, also for an answer nobody can read.
    """
    episodes, running = list[str](), previous
    try:
        pieces = await asyncio.to_thread(_cut_messages, messages, most)
        for portion in split_into_portions(pieces, most, lambda m: m.text):
            show = partial(list_prompt_messages, replies=True)
            said = await asyncio.to_thread(show, portion, user_id, MESSAGE_TOKENS, lang)
            data = {"messages": said, "previous": running, "known": known, "tz": portion[-1].tz}
            task = ModelTask(user_id, "summarise", lang, data, now, MAX_ANSWER)
            got = summary_of(await tools.must_read(task), running)
            got = await asyncio.to_thread(_keep_supported, got, portion, (running, *known))
            episodes.append(got.episode)
            running = got.running
    except ModelError as e:
        if e.code != "context_too_long" or most <= SMALLEST_PORTION:
            raise
        return await fold(tools, user_id, messages, previous, lang, now, most // 2, known)
    if len(episodes) > 1:
        between = "; " if LANGUAGES[lang].spaced else "；"
        episodes = [between.join(e.rstrip("。.;；") for e in episodes if e)]
    return Summary(shorten_to_line(episodes[0]), running)


def _cut_messages(messages: Sequence[Message], most: int) -> list[Message]:
    """Return the messages, a long one as several: whatever stands in its middle is read too.

    Of a long reply the beginning and the end are enough.
    """
    n = min(MESSAGE_TOKENS, most)  # a character is a token at most
    piece = re.compile(rf".{{1,{n - 1}}}(?:[\s。！？，]|\Z)|.{{1,{n}}}", re.S)
    texts = (clip(m.text, REPLY_TOKENS) if m.role == "assistant" else m.text for m in messages)
    return [
        replace(m, text=text)
        for m, whole in zip(messages, texts, strict=True)
        for text in piece.findall(whole)
    ]


def summary_of(answer: schemas.Summary, previous: str) -> Summary:
    """Read an answer, without dates in front, secrets and orders.

    What one part lacks the other stands for, after what was before.
    """
    running = answer.summary or "\n".join(p for p in (previous, answer.episode) if p)
    first = re.split(r"(?<=[。！？!?])|\n|(?<=\.)\s", running.strip(), maxsplit=1)[0]
    episode = shorten_to_line(_cut_harm(_DATE_IN_FRONT.sub("", answer.episode or first)))
    return Summary(strip_subject(episode), clip(_cut_harm(running).strip(), SUMMARY_TOKENS))


def _cut_harm(text: str) -> str:
    """Take out secrets, and sentences that read like orders to the assistant."""
    text = privacy.redact(text)[0]
    if not privacy.is_refused_instruction(text):
        return text
    sentences = (m[0] for m in _SENTENCE.finditer(text))
    return "".join(s for s in sentences if not privacy.is_refused_instruction(s))


def shorten_to_line(text: str) -> str:
    """Return the text on one line, at most as long as an episode may be."""
    line = " ".join(text.split())
    return line if len(line) <= EPISODE_CHARS else line[: EPISODE_CHARS - 1].rstrip() + "…"


def _keep_supported(got: Summary, messages: Sequence[Message], told: Sequence[str]) -> Summary:
    """Keep sentences that name nobody new; without any, how it began, and the summary before.

    `told` is that summary, and what is known.

    A name in the other script than was written in may be a translation: 京都 is Kyoto.
    """
    said = fold_case("\n".join((*told, *(m.text for m in messages))))
    mine = [m.text for m in messages if m.role == "user" and m.text.strip()]
    own = " ".join(mine)
    foreign = {True: re.search("[\u4e00-\u9fff]", own), False: re.search("[A-Z][a-z]", own)}

    def keep(text: str) -> list[str]:
        sentences = (text[a:b] for a, b in split_sentences(text))
        return [
            s
            for s in sentences
            if all(fold_case(n) in said or foreign[n.isascii()] for n in find_names(s))
        ]

    opening = shorten_to_line(f"“{clip((mine or [messages[0].text])[0], BEGAN_TOKENS)}”")
    episode, running = " ".join(keep(got.episode)), "\n".join(keep(got.running))
    return Summary(episode or opening, running or told[0] or opening)


@dataclass(frozen=True, slots=True)
class SummarySpan:
    """Messages that one episode tells of, the episode where there is one, and what it will say."""

    messages: tuple[Message, ...]
    episode: Memory | None = None
    text: str = ""
    vector: FloatArray | None = None


@dataclass(frozen=True, slots=True)
class SummaryWork:
    """What a job has to do: spans to tell, and what the running summary is made from."""

    session: Session
    spans: Sequence[SummarySpan]
    anew: tuple[Message, ...]  # what a running summary rests on that has to be written anew
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
        running, told = work.session.running_summary, list[SummarySpan]()

        async def summarise(messages: Sequence[Message]) -> Summary:
            before = "" if work.rebuild else work.session.running_summary
            known = await self.tools.store.read(job.user_id, lambda tx: _list_known(tx, messages))
            return await fold(
                self.tools, job.user_id, messages, before, work.lang, now, most, known
            )

        for span in work.spans:
            if any(m.text.strip() for m in span.messages):
                got = await summarise(span.messages)
                begun = span.messages[0].at.astimezone(get_zone(span.messages[0].tz))
                told.append(replace(span, text=f"[{begun:%Y-%m-%d %H:%M}] {got.episode}"))
                if not work.rebuild or span.messages == work.anew:
                    running = got.running
        if work.anew and not any(span.messages == work.anew for span in told):
            running = (await summarise(work.anew)).running
        vectors = await self.tools.embed([s.text for s in told])
        told = [replace(s, vector=v) for s, v in zip(told, vectors, strict=True)]
        return lambda tx: self._apply(tx, job, work, running, told, now)

    def _gather(self, tx: Transaction, asked: schemas.SpanJob) -> SummaryWork | None:
        session = tx.conversations.get_session(asked.session_id)
        if session is None:
            return None
        end, through, anew = session.summarised_through, asked.through, list[Message]()
        if asked.rebuild:
            spans, through = _find_told(tx, session, asked.after, min(through, end)), end
            # Forgetting empties a running summary that tells the thing; an empty span asks for a
            # new one in any case (an undo, after which there is more to tell again).
            if not session.running_summary or asked.after >= asked.through:
                said = tx.conversations.list_messages(session_id=session.id, through=end)
                anew = list_readable(tx, said)
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
        return SummaryWork(session, spans, tuple(anew), through, lang, asked.rebuild, learns)

    def _apply(
        self,
        tx: Transaction,
        job: Job,
        work: SummaryWork,
        running: str,
        told: Sequence[SummarySpan],
        now: datetime,
    ) -> Mapping[str, Json]:
        was, session = work.session, tx.conversations.get_session(work.session.id)
        if session is None:
            return {"outcome": "nothing"}
        seen = [*work.anew, *(m for s in work.spans for m in s.messages)]
        if (
            session.summarised_through != was.summarised_through
            or session.running_summary != was.running_summary
            or not is_unchanged(tx, seen)
        ):
            raise Conflict("the conversation changed while it was summarised")
        begun = tx.changes.begin("system", "summarise", now, job_id=job.id)
        ids = [
            self._tell(tx, session, s, now) for s in told if work.episodes or s.episode is not None
        ]
        for span in work.spans:  # an episode of which nothing may be told any more goes
            old = tx.memories.get(span.episode.id) if span.episode and not span.messages else None
            if old is not None and old.state is State.ACTIVE:
                tx.memories.put(replace(old, state=State.DELETED, deleted_at=now), "deleted")
        through = max(session.summarised_through, work.through)
        running = cut_quiet(tx, running)
        session = replace(session, running_summary=running, summarised_through=through)
        tx.conversations.put_session(session)
        return {"outcome": "saved", "new": len(ids), "episodes": ids, "set": begun.id}

    def _tell(
        self, tx: Transaction, session: Session, span: SummarySpan, now: datetime
    ) -> MemoryId:
        """Write a span's episode: created, and so aged, from the span's end."""
        said, text = span.messages, span.text
        old = tx.memories.get(span.episode.id) if span.episode else None
        if old is not None and old.state is State.ACTIVE:
            m = replace(old, content=text, original_content=text)
            m = tx.memories.put(_hush(tx, m, said, now), "updated")
        else:
            draft = Draft(
                text,
                kind=Kind.EPISODE,
                layer=Layer.EPISODE,
                language=detect_language(text),
                source=Source.SYSTEM,
                valid_from=said[0].at,
                precision="minute",
            )
            claim = Claim(draft, said[-1].at, (said[0].id,), session.id)
            m = replace(build_memory(claim, tx.user_id), close=False)
            m = lifecycle.start_life(m, Importance.MEDIUM, self.tools.curve, claim.said_at)
            m = tx.memories.add(_hush(tx, m, said, now))
            tx.memories.log(
                lifecycle.build_log_entry("created", None, m, self.tools.u, m.created_at, "episode")
            )
        for message in said:
            tx.memories.add_source(m.id, message.id)
        if span.vector is not None:
            tx.vectors.put_many({m.id: span.vector}, self.tools.embedder.id)
        return m.id


def _list_known(tx: Transaction, messages: Sequence[Message]) -> list[str]:
    """List the newest of what was learned from the messages."""
    found = tx.memories.get_many(tx.memories.list_learned_from(m.id for m in messages))
    return [clip(redact_memory(m), KNOWN_TOKENS) for m in found if is_visible_fact(m)][-KNOWN:]


def _hush(tx: Transaction, m: Memory, said: Sequence[Message], now: datetime) -> Memory:
    """Return an episode as quiet, if it names, or tells of, what is not to come up by itself."""
    words = find_quiet_wish(tx, m.original_content)
    hard = not set(list_quiet_messages(tx)).isdisjoint(x.id for x in said)
    return replace(m, quiet_at=now, quiet_words=words) if words or hard else m


def _find_told(tx: Transaction, session: Session, after: int, through: int) -> list[SummarySpan]:
    """Return the spans of episodes that tell of (after, through], without what is hidden now."""

    def read_visible(messages: Sequence[Message]) -> tuple[Message, ...]:
        return tuple(list_readable(tx, (m for m in messages if m.hidden_at is None)))

    asked = tx.conversations.list_messages(
        session_id=session.id, after=after, through=through, hidden=True
    )
    spans, covered = list[SummarySpan](), set[str]()
    for m in tx.memories.get_many(tx.memories.list_learned_from(x.id for x in asked)):
        if m.layer is Layer.EPISODE and m.state is State.ACTIVE:
            found = messages_of(tx, tx.memories.list_sources(m.id))
            covered |= {x.id for x in found}
            spans.append(SummarySpan(read_visible(found), m))
    if untold := read_visible([x for x in asked if x.id not in covered]):
        spans.append(SummarySpan(untold))
    return sorted(spans, key=lambda s: s.messages[0].seq if s.messages else 0)
