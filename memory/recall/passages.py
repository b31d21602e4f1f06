"""Passages of a conversation's documents, found by words and vectors and gated like memories.

What a long message holds is material: it is shown beside a question and never learned from.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import log
from typing import Final

import numpy as np

from memory.models import Document, Lang, Passage
from memory.ports import FloatArray, Store
from memory.recall.embedding import QueryEmbedder, QueryVectors
from memory.recall.question import Question, find_telling_terms, parse_question
from memory.recall.reader import MessageReader
from memory.text.clean import MOST_READ, keep_ends
from memory.text.headings import is_document
from memory.text.passages import LongText, read_document

SHOWN: Final = 4  # passages for a question
EMBEDDED: Final = 200  # passages of a document with a vector; the rest is found by words
_NEWEST: Final = 100  # documents of a conversation that are searched
_KEPT: Final = 200  # of all conversations, in memory
# Weight of the shared words' information beside a standardised cosine, with an embedder that knows
# meaning and with another (by hand, half A of documents.jsonl).
_BY_MEANING, _BY_WORDS = 4.0, 10.0
# From which sum of (spreads above a message that calls for nothing,) shared information and a
# question's form on it counts, by hand (half A): `python -m tests.bench.documents`.
_GATE_BY_MEANING, _GATE_BY_WORDS = 2.6, 1.6
_MOST: Final = 6.0  # spreads that count


@dataclass(frozen=True, slots=True, eq=False)
class IndexedDocument:
    """A document taken apart, as it is searched; `usual` by language once it is measured."""

    document: Document
    terms: Sequence[AbstractSet[str]]
    usual: dict[Lang, tuple[float, float]] = field(default_factory=dict)

    def compare(self, row: FloatArray) -> FloatArray:
        """Return each passage's cosine; where it has no vector, what those around it have."""
        d = self.document
        near = d.vectors @ row[: d.vectors.shape[1]]
        there: FloatArray = np.interp(np.arange(len(self.terms)), d.places, near)
        return there

    def measure_usual(self, reader: MessageReader, lang: Lang) -> tuple[float, float]:
        """Return mean and spread of the best cosine of messages that call for nothing."""
        if lang not in self.usual:
            idle = reader.idle.get(lang, next(iter(reader.idle.values())))
            best = (idle @ self.document.vectors.T).max(axis=1)
            self.usual[lang] = float(best.mean()), float(best.std()) or 1.0
        return self.usual[lang]


def list_passage_texts(text: str) -> tuple[list[int], list[str]]:
    """Return which passages of a document get a vector, and what of each is embedded.

    Of a long one that is of each of 200 stretches the passage with most information: of 18
    questions about three documents in one of 694 passages 15 or 16 find theirs, 12 to 14 where they
    are spread evenly, 16 or 17 with all vectors.
    """
    read = read_document(text)
    texts = [_write_passage(read, text, i) for i in range(len(read.passages))]
    if len(texts) > EMBEDDED:
        terms = [find_telling_terms(t) for t in texts]
        held = Counter(t for some in terms for t in some)
        worth = [sum(log(len(texts) / held[t]) for t in some) for some in terms]
        stretches = np.array_split(np.arange(len(texts)), EMBEDDED)
        places = [max(some.tolist(), key=worth.__getitem__) for some in stretches]
    else:
        places = list(range(len(texts)))
    return places, [texts[i] for i in places]


def _write_passage(read: LongText, text: str, i: int) -> str:
    """Return a passage below its heading."""
    p = read.passages[i]
    heading = "" if p.heading == read.title else p.heading
    return "\n".join(filter(None, (heading, text[p.start : p.end])))


class PassageFinder:
    """Finds passages of the documents of one conversation; keeps those it took apart."""

    def __init__(self, store: Store, queries: QueryEmbedder) -> None:
        self._store = store
        self._queries = queries
        self._known: OrderedDict[tuple[int, str | None], IndexedDocument] = OrderedDict()

    async def find(
        self,
        user_id: str,
        scope: str,
        text: str,
        context: Sequence[str],
        *,
        session_id: str | None = None,
        unstored: Sequence[Document] = (),
        embed: bool = True,
    ) -> tuple[Passage, ...]:
        """Return the passages that a message calls for, best first.

        Args:
            user_id: whose conversation it is.
            scope: of the conversation; other conversations' documents are not looked at.
            text: the message; of one that is a document only what stands around that counts.
            context: messages before it, oldest first.
            session_id: only documents of this session.
            unstored: documents that are not in the store.
            embed: whether the question may be embedded.
        """
        listed = await self._store.read(
            user_id, lambda tx: tx.documents.list_in(scope, _NEWEST, session_id)
        )
        if not listed and not unstored:
            return ()
        if is_document(text):
            read = await asyncio.to_thread(read_document, text)
            text = f"{text[: read.start].strip()}\n{text[read.end :].strip()}".strip()
        if not text:
            return ()
        text = keep_ends(text, MOST_READ)
        earlier = tuple(keep_ends(t, MOST_READ) for t in context)
        vectors = (await self._queries.embed(text, earlier))[0] if embed else None
        missing = [n for n, embedder in listed if (n, embedder) not in self._known]
        loaded = await self._store.read(user_id, lambda tx: tx.documents.get_many(missing))
        made = await asyncio.to_thread(lambda: [index_document(d) for d in (*loaded, *unstored)])
        known = [self._known[key] for key in listed if key in self._known]
        for d in made[: len(loaded)]:
            self._known[d.document.n, d.document.embedder] = d
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        question = parse_question(text, earlier)
        some = [*known, *made]
        return await asyncio.to_thread(rank_passages, some, question, vectors)


def index_document(d: Document) -> IndexedDocument:
    """Take a document apart for searching."""
    read = read_document(d.text)
    texts = (_write_passage(read, d.text, i) for i in range(len(read.passages)))
    return IndexedDocument(d, [frozenset(find_telling_terms(t)) for t in texts])


def rank_passages(
    found: Sequence[IndexedDocument],
    question: Question,
    vectors: QueryVectors | None,
    *,
    gate: bool = True,
) -> tuple[Passage, ...]:
    """Return the best passages of documents for a question; behind the gate none if none is due."""
    sets = [terms for d in found for terms in d.terms]
    held = Counter(t for terms in sets for t in question.terms if t in terms)
    worth = {
        t: w * log(1 + (len(sets) - held[t] + 0.5) / (held[t] + 0.5))
        for t, w in question.terms.items()
    }
    shared = np.array([sum(worth[t] for t in worth if t in terms) for terms in sets], np.float32)
    score = shared / max(sum(worth.values()), 1e-6)
    relevance = np.log1p(shared) + question.asks
    reader = vectors.reader if vectors else None
    score *= _BY_MEANING if reader else _BY_WORDS
    near = np.full(len(sets), np.nan, np.float32)
    start = 0
    for d in found:
        own = slice(start, start := start + len(d.terms))
        if vectors is None or d.document.embedder != vectors.embedder or not len(d.terms):
            continue
        near[own] = d.compare(_join_rows(vectors, question))
        if reader and reader.idle:
            usual, spread = d.measure_usual(reader, question.lang)
            relevance[own] += np.clip((near[own] - usual) / spread, -_MOST, _MOST)
            relevance[own] += _GATE_BY_WORDS - _GATE_BY_MEANING
    if not np.isnan(near).all():
        score += np.nan_to_num((near - np.nanmean(near)) / max(float(np.nanstd(near)), 1e-6))
    best = [int(i) for i in np.argsort(-score, kind="stable")[:SHOWN]]
    if gate and max((relevance[i] for i in best), default=0.0) < _GATE_BY_WORDS:
        return ()
    places = [(d, i) for d in found for i in range(len(d.terms))]
    chosen = ((*places[i], float(score[i])) for i in best)
    return tuple(d.document.get_passage(i + 1, value) for d, i, value in chosen)


def _join_rows(vectors: QueryVectors, question: Question) -> FloatArray:
    """Return the message's vector, with the context's as far as the message leans on it."""
    row: FloatArray = vectors.rows[0]
    if len(vectors.rows) > 1:
        row = row + question.context_weight * vectors.rows[1]
        row /= np.linalg.norm(row)
    return row
