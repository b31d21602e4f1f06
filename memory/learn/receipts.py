"""What a reply without a model has to know of learning, so that it says truly what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory.learn.answer import read_learning
from memory.learn.learning_rules import LearningRule, covers, list_rules, load_topics
from memory.learn.preferences import is_off
from memory.learn.visible_messages import label_memories
from memory.models import Json, Kind, Memory, Message, State
from memory.ports import Embedder, Transaction


def describe_learning(
    tx: Transaction, default: str, said: Sequence[Message], recalled: Iterable[Memory], tz: str
) -> dict[str, Json]:
    """Describe how a message will be learned from, after what was `said` and `recalled` for it.

    `known` is what it may correct; `behind` tells that not all was learned yet.
    """
    learned = tx.memories.get_many(tx.memories.list_learned_from([m.id for m in said]))
    # What the person has confirmed ends only where they name it.
    known = {m.id: m for m in (*recalled, *learned) if m.state is State.ACTIVE and not m.guarded}
    return {
        "learning": read_learning(tx, default),
        "off": is_off(tx),  # nothing is looked up either
        "never": [r.topic for r in list_rules(tx) if not r.keep],
        "known": label_memories(known.values(), tz),
        "behind": bool(tx.jobs.list_pending("monitor")),
    }


async def find_barring(embedder: Embedder, topics: Sequence[str], text: str, kind: Kind) -> str:
    """Return the topic of the rule by which a text will be held back; "" for none."""
    rules = [LearningRule(keep=False, topic=topic, said="") for topic in topics]
    reader = await load_topics(embedder, rules, [text])
    vector = (await embedder.embed([text], "content"))[0] if reader else None
    return next((r.topic for r in rules if covers(r, text, kind, vector, reader)), "")
