"""What was said, as learning may see it: visible messages only, in the speaker's own time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, TypeVar

from memory import privacy
from memory.learn.cited_words import Role, ShownMessage
from memory.learn.dates import format_iso, get_zone
from memory.learn.secrets import mask_secrets
from memory.models import (
    Json,
    Lang,
    Layer,
    Memory,
    Message,
    Precision,
    Sensitivity,
    State,
    detect_language,
)
from memory.ports import Transaction
from memory.text.clean import estimate_tokens
from memory.text.commands import find_intent
from memory.text.languages import value
from memory.text.pictures import strip_pictures

T = TypeVar("T")

READ: Final = 20_000  # characters of a message in which evidence is looked for
REPLY_TOKENS: Final = 40  # of a reply beside what is learned from
_PER_MESSAGE: Final = 8  # tokens of role, time and tags
CONTEXT_MESSAGES: Final = 20  # before the exchange, at most
BORDER: Final = 16  # messages from one start of them to the next: four are left


def write_time(at: datetime, tz: str, lang: Lang) -> str:
    """Return a moment as prompts write it: date, weekday and time in the zone."""
    local = at.astimezone(get_zone(tz))
    day = value(lang, "language", "WEEKDAYS").split()[local.weekday()]
    return f"{local:%Y-%m-%d} {day} {local:%H:%M}"


def is_evidence(m: Message, user_id: str) -> bool:
    """Tell whether the message is the user's own word."""
    return m.role == "user" and m.author_user_id in {None, user_id}


def get_speaker(m: Message, user_id: str) -> Role:
    """Return who said it; other: somebody else in a group."""
    if m.role == "assistant":
        return "assistant"
    return "user" if is_evidence(m, user_id) else "other"


def strip_command(m: Message, user_id: str) -> str:
    """Return the message without pictures, and without a command to forget or to keep quiet."""
    text = strip_pictures(m.text)
    intent = find_intent(text) if is_evidence(m, user_id) else None
    return text if intent is None or intent.kind == "remember" else intent.rest


def list_prompt_messages(
    messages: Iterable[Message],
    user_id: str,
    most: int,
    lang: Lang,
    first: int = 1,
    *,
    replies: bool = False,
) -> list[Json]:
    """Return the visible messages as prompts show them, each within `most` tokens.

    Of a reply the end is shown, which is what the next message answers, unless `replies` matter.

    They are numbered from `first`; `when` is the time as people say it, with the weekday that
    "next Friday" hangs on.
    """
    rows = enumerate((m for m in messages if is_shown(m)), first)
    said = ((n, m, strip_command(m, user_id)) for n, m in rows)
    return [
        {
            "n": n,
            "role": get_speaker(m, user_id),
            "text": clip(text, most) if replies or m.role != "assistant" else keep_end(text),
            "at": format_iso(m.at, m.tz),
            "when": write_time(m.at, m.tz, lang),
        }
        for n, m, text in said
        if text.strip()
    ]


def list_evidence_messages(
    messages: Iterable[Message], user_id: str, context: Iterable[Message] = ()
) -> list[ShownMessage]:
    """Return the messages as evidence is looked for in them; context has the number 0."""
    rows = [*((0, m) for m in context if is_shown(m))]
    rows += enumerate((m for m in messages if is_shown(m)), 1)
    return [
        ShownMessage(m.id, n, get_speaker(m, user_id), text[:READ], m.at, m.tz)
        for n, m, text in ((n, m, strip_pictures(m.text)) for n, m in rows)
    ]


def is_shown(m: Message) -> bool:
    """Tell whether a message has a text that may be seen."""
    return m.hidden_at is None and bool(m.text.strip())


def join_user_words(messages: Iterable[Message], user_id: str, most: int = 500) -> str:
    """Return what the user said, as one text: what memories are looked up by."""
    own = (m for m in messages if is_evidence(m, user_id) and m.hidden_at is None)
    return clip("\n".join(strip_command(m, user_id) for m in own), most)


def find_session_language(tx: Transaction, session_id: str) -> Lang:
    """Return the language a session's first message was in: that of all its instructions.

    With it the beginning of a prompt stays the same, whatever language each message is in.
    """
    first = tx.conversations.list_messages(session_id=session_id, limit=1, hidden=True)
    return detect_messages_language("\n".join(m.text for m in first), tx)


def detect_messages_language(words: str, tx: Transaction) -> Lang:
    """Return the language of the words; where they are in none, the user's."""
    return detect_language(words, tx.user().lang or "en")


def redact_memory(m: Memory) -> str:
    """Return a memory's words without secrets; what the person confirmed holds none."""
    return m.original_content if m.verified else privacy.redact(m.original_content)[0]


def is_visible_fact(m: Memory) -> bool:
    """Tell whether it may be shown: no account of a conversation, and no secret."""
    return (
        m.state is State.ACTIVE
        and m.layer is not Layer.EPISODE
        and m.sensitivity < Sensitivity.SECRET
    )


def label_memories(
    memories: Iterable[Memory], tz: str, messages: Collection[str] = ()
) -> list[Json]:
    """Return memories as the reference block labels them, in the words they were learned in.

    `when` is the day they were told; `dates` are those they hold, with their names; `requested`
    are those that one of these `messages` asked to be kept.
    """
    return [
        {
            "id": m.id,
            "text": redact_memory(m),
            "kind": str(m.kind),
            "when": write_day(m.created_at, tz),
            "dates": write_dates(m, tz),
            "certainty": m.confidence if m.unsure else None,
            "negated": m.negated_at is not None,
            "requested": m.verified and m.source_message in messages,
        }
        for m in memories
    ]


def write_day(at: datetime, tz: str, precision: Precision | None = None) -> str:
    """Write a day of that zone as ISO 8601, only so far as it was said."""
    length = {"year": 4, "month": 7}.get(precision or "day", 10)
    return at.astimezone(get_zone(tz)).date().isoformat()[:length]


def write_dates(m: Memory, tz: str) -> str:
    """Write a memory's dates as attributes: on=2026-06-12 repeats=yearly."""
    days = {"on": m.on, "due": m.expires_at, "from": m.said_since, "until": m.valid_until}
    named = [f"{name}={write_day(at, tz, m.precision)}" for name, at in days.items() if at]
    return " ".join([*named, *([f"repeats={m.repeats}"] if m.repeats else [])])


def messages_of(tx: Transaction, ids: Iterable[str]) -> list[Message]:
    """Return the messages of those ids, hidden ones too; those that are erased are left out."""
    return [m for i in ids if (m := tx.conversations.get_message(i)) is not None]


def is_unchanged(tx: Transaction, messages: Sequence[Message]) -> bool:
    """Tell whether all of the messages are still there, visible and as they were read.

    Between reading and writing lies a model call of seconds; what was forgotten meanwhile must not
    be learned.
    """
    found = {m.id: m for m in messages_of(tx, (m.id for m in messages)) if m.hidden_at is None}
    return all(m.id in found and mask_secrets(tx, found[m.id].text) == m.text for m in messages)


# --- within so many tokens ---


def clip(text: str, most: int) -> str:
    """Return the text within `most` tokens; a longer one loses its middle, where least is said."""
    size = estimate_tokens(text)
    if size <= most:
        return text
    keep = max(1, int(len(text) * most / size * 0.95) // 2)
    return f"{text[:keep]} … {text[-keep:]}"


def keep_end(text: str, most: int = REPLY_TOKENS) -> str:
    """Return the end of the text, within `most` tokens."""
    size = estimate_tokens(text)
    return text if size <= most else f"… {text[-int(len(text) * most / size) :].lstrip()}"


def take_newest_within(items: Sequence[T], most: int, text_of: Callable[[T], str]) -> list[T]:
    """Return the longest tail of `items` that fits into `most` tokens."""
    for i in range(len(items), 0, -1):
        most -= estimate_tokens(text_of(items[i - 1])) + _PER_MESSAGE
        if most < 0:
            return list(items[i:])
    return list(items)


def take_context(earlier: Sequence[Message], most: int) -> list[Message]:
    """Return what was said before, within `most` tokens, from a start that seldom moves.

    What begins a prompt is cached where it is the same as a turn ago. So the first message is not
    always the oldest that fits: it is one that stands behind a border which many turns share.

    Args:
        earlier: the newest CONTEXT_MESSAGES, or fewer if there are no more.
        most: tokens.
    """
    asked = [i for i, m in enumerate(earlier) if m.role != "assistant"]
    starts = [0] if len(earlier) < CONTEXT_MESSAGES else []
    starts += [
        i for b, i in pairwise(asked) if earlier[b].seq // BORDER != earlier[i].seq // BORDER
    ]
    for start in starts:
        rest = earlier[start:]
        if len(take_newest_within(rest, most, lambda m: m.text)) == len(rest):
            return list(rest)
    return take_newest_within(earlier, most, lambda m: m.text)


def split_into_portions(
    items: Sequence[T], most: int, text_of: Callable[[T], str]
) -> list[list[T]]:
    """Return the items in order, in portions of at most `most` tokens, or one longer item."""
    out: list[list[T]] = []
    room = 0
    for item in items:
        size = estimate_tokens(text_of(item)) + _PER_MESSAGE
        if not out or size > room:
            out.append([])
            room = most
        out[-1].append(item)
        room -= size
    return out
