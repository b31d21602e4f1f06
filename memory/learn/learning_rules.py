"""The person's own rules about learning: what is never kept, and what always is.

Rules are settings of the user. A model is told of them in their own words; code holds a memory
back that is of the topic's kind, names whom it names, or is about it by the embedder (without one:
shares its words). Only what the person asks to be remembered passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memory.errors import ModelError
from memory.learn import slots
from memory.learn.same_meaning import find_names, list_content_words, mentions_name
from memory.models import GUESSED, Draft, Importance, Json, Kind, Lang, Source, detect_language
from memory.ports import Embedder, FloatArray, Transaction
from memory.text.languages import value, values
from memory.text.notes import is_health

if TYPE_CHECKING:
    from memory.learn.merge import Claim

# From where a statement is about a topic: a cosine around the means of statements and of topics, in
# deviations of those with common topics (tests/eval/sets/learning_rules.jsonl, half A). A model
# knows the rules: what it writes has to be about the topic more plainly.
ABOUT: Final = 1.3
PLAINLY: Final = 1.7
MOST: Final = 20  # rules of one person
_RULES: Final = "rules"  # in the settings of the user


@dataclass(frozen=True, slots=True)
class LearningRule:
    """A rule: keep always, or never, what is about a topic; `said` is how the person put it."""

    keep: bool
    topic: str
    said: str


def list_rules(tx: Transaction) -> list[LearningRule]:
    """List the person's rules in the order in which they were made."""
    return [LearningRule(**r) for r in tx.user().settings.get(_RULES) or ()]


def list_said(tx: Transaction) -> list[str]:
    """List the rules as the person put them, for a model."""
    return [r.said for r in list_rules(tx)]


def add_rule(tx: Transaction, rule: LearningRule) -> None:
    """Add a rule; it takes the place of an earlier one on its topic."""
    kept = [r for r in list_rules(tx) if r.topic.casefold() != rule.topic.casefold()]
    _put(tx, [*kept, rule][-MOST:])


def remove_rule(tx: Transaction, n: int) -> LearningRule | None:
    """Remove the rule with that number, from 1 on; return it, None if there is none."""
    rules = list_rules(tx)
    if not 1 <= n <= len(rules):
        return None
    _put(tx, rules[: n - 1] + rules[n:])
    return rules[n - 1]


def _put(tx: Transaction, rules: Sequence[LearningRule]) -> None:
    user = tx.user()
    kept: list[Json] = [{"keep": r.keep, "topic": r.topic, "said": r.said} for r in rules]
    tx.put_user(replace(user, settings={**user.settings, _RULES: kept}))


# --- what a rule is about ---


@dataclass(frozen=True, slots=True, eq=False)
class TopicReader:
    """The topics of rules as one embedder's vectors, around the mean of common topics."""

    topics: Mapping[str, FloatArray]
    common: Mapping[Lang, FloatArray]
    slots: slots.SlotReader  # has the means of statements

    def score_topic(self, topic: str, text: str, vector: FloatArray) -> float:
        """Return how far a statement is about a topic, beside how it differs on common ones."""
        mean, wanted = self.slots.means.get(detect_language(text)), self.topics.get(topic)
        if mean is None or wanted is None:
            return 0.0
        centred = vector - mean
        spread = float((self.common[detect_language(topic)] @ centred).std())
        return float(centred @ wanted) / max(spread, 1e-9)


async def load_topics(
    embedder: Embedder, rules: Sequence[LearningRule], texts: Sequence[str]
) -> TopicReader | None:
    """Embed the topics of rules; None where there are none, or no embedder that knows meaning."""
    if not rules or not texts:
        return None
    try:
        reader = await slots.load_reader(embedder, texts)
        if reader is None:
            return None
        topics: dict[str, FloatArray] = {}
        known: dict[Lang, FloatArray] = {}
        for lang in {detect_language(r.topic) for r in rules} & values("rules", "TOPICS").keys():
            own = [r.topic for r in rules if detect_language(r.topic) == lang]
            common = value(lang, "rules", "TOPICS").split()
            form = value(lang, "rules", "MINE")
            rows = await embedder.embed([form.format(t) for t in (*own, *common)], "content")
            rows = rows - rows[len(own) :].mean(0)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            topics |= dict(zip(own, rows, strict=False))
            known[lang] = rows[len(own) :]
    except ModelError:
        return None
    return TopicReader(topics, known, reader)


def covers(
    rule: LearningRule,
    text: str,
    kind: Kind | None = None,
    vector: FloatArray | None = None,
    reader: TopicReader | None = None,
    bar: float = ABOUT,
) -> bool:
    """Tell whether a text is about a rule's topic: by its kind, a name in it or its meaning."""
    kinds = _find_kinds(rule.topic)
    if kind in kinds or (Kind.HEALTH in kinds and is_health(text)):
        return True
    if any(mentions_name(name, text) for name in find_names(rule.said)):
        return True
    if reader is None:
        return bool(list_content_words(rule.topic) & list_content_words(text))
    return vector is not None and reader.score_topic(rule.topic, text, vector) >= bar


def _find_kinds(topic: str) -> set[Kind]:
    """Name the kinds that a topic is another word for."""
    lang: Lang = detect_language(topic)
    table: Mapping[str, str] = value(lang, "rules", "KINDS")
    return {Kind(kind) for kind, words in table.items() if topic.casefold() in words.split()}


# --- before a memory is kept ---


def is_barred(tx: Transaction, claim: Claim) -> bool:
    """Tell whether a rule bars what is claimed; the person's own "remember" is never barred."""
    d = claim.draft
    if d.source is Source.USER or d.source is Source.SYSTEM:
        return False
    barring = [r for r in list_rules(tx) if not r.keep]
    if not barring:
        return False
    texts = [d.content]
    for message_id, start, end in claim.spans:
        said = tx.conversations.get_message(message_id)
        texts += [said.text[start:end]] if said is not None else []
    bar = PLAINLY if d.source in GUESSED and "quote" not in d.modalities else ABOUT
    return any(
        covers(r, text, d.kind, claim.vector if text == d.content else None, claim.topics, bar)
        for r in barring
        for text in texts
    )


def raise_kept(
    draft: Draft,
    rules: Sequence[LearningRule],
    vector: FloatArray | None,
    reader: TopicReader | None,
) -> Draft:
    """Give what the person wants always kept a high importance."""
    if any(r.keep and covers(r, draft.content, draft.kind, vector, reader) for r in rules):
        return replace(draft, importance=Importance.HIGH)
    return draft
