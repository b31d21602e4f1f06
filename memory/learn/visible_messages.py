"""What was said, as learning may see it: visible messages only, in the speaker's own time, within a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from memory import privacy
from memory.learn.dates import format_iso, get_zone
from memory.learn.evidence import Role, ShownMessage
from memory.learn.secrets import mask_secrets
from memory.models import Json, Lang, Memory, Message, detect_language
from memory.ports import Transaction
from memory.text.clean import estimate_tokens
from memory.text.commands import find_intent

T = TypeVar("T")
READ = 20_000  # characters of a message in which evidence is looked for
_DAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS_ZH = "一二三四五六日"
_PER_MESSAGE = 8  # tokens of role, time and tags


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message as a prompt shows it. `n` counts from 1; other: somebody else in a group."""

    n: int
    role: Role
    text: str
    at: datetime
    tz: str

    def data(self) -> dict[str, Json]:
        """For `ModelRequest.data`."""
        return {"role": self.role, "text": self.text, "at": format_iso(self.at, self.tz)}

    def shown(self, lang: Lang) -> dict[str, Json]:
        """For a template: the time as people say it, with the weekday that "next Friday" hangs on."""
        return {
            "n": self.n,
            "role": self.role,
            "text": self.text,
            "at": make_time(self.at, self.tz, lang),
        }


def make_time(at: datetime, tz: str, lang: Lang) -> str:
    """Return a moment as prompts write it: date, weekday, time and offset in the zone."""
    local = at.astimezone(get_zone(tz))
    day = f"星期{_DAYS_ZH[local.weekday()]}" if lang == "zh" else _DAYS_EN[local.weekday()]
    offset = local.strftime("%z")
    return f"{local:%Y-%m-%d} {day} {local:%H:%M} UTC{offset[:3]}:{offset[3:5]}"


def is_evidence(m: Message, user_id: str) -> bool:
    """Tell whether the message is the user's own word."""
    return m.role == "user" and m.author_user_id in {None, user_id}


def get_speaker(m: Message, user_id: str) -> Role:
    """Who said it."""
    if m.role == "assistant":
        return "assistant"
    return "user" if is_evidence(m, user_id) else "other"


def strip_command(m: Message, user_id: str) -> str:
    """The message without a command about memory itself: what is to be forgotten or kept quiet is not learned."""
    intent = find_intent(m.text) if is_evidence(m, user_id) else None
    return m.text if intent is None or intent.kind == "remember" else intent.rest


def list_prompt_messages(
    messages: Iterable[Message], user_id: str, most: int
) -> list[PromptMessage]:
    """Return the messages as prompts show them, each within `most` tokens, as `readable` has them."""
    visible = (m for m in messages if m.hidden_at is None and strip_command(m, user_id).strip())
    return [
        PromptMessage(i, get_speaker(m, user_id), clip(strip_command(m, user_id), most), m.at, m.tz)
        for i, m in enumerate(visible, start=1)
    ]


def list_evidence_messages(
    messages: Iterable[Message], user_id: str, context: Iterable[Message] = ()
) -> list[ShownMessage]:
    """The messages as evidence is looked for in them, numbered as `items` numbers them; context has no number."""
    shown = [m for m in messages if m.hidden_at is None and m.text.strip()]
    rows = [(0, m) for m in context if m.hidden_at is None and m.text.strip()] + list(
        enumerate(shown, start=1)
    )
    return [
        ShownMessage(m.id, n, get_speaker(m, user_id), m.text[:READ], m.at, m.tz) for n, m in rows
    ]


def join_user_words(messages: Iterable[Message], user_id: str, most: int = 500) -> str:
    """Return what the user said, as one text: what memories are looked up by."""
    said = (
        strip_command(m, user_id)
        for m in messages
        if is_evidence(m, user_id) and m.hidden_at is None
    )
    return clip("\n".join(said), most)


def detect_messages_language(words: str, tx: Transaction) -> Lang:
    """Return the language of the words; where they are in none, the user's."""
    return detect_language(words, tx.user().lang or "en")


def redact_memory(m: Memory) -> str:
    """A memory's words without secrets; what the person confirmed holds none but values that they said are none."""
    return m.original_content if m.verified else privacy.redact(m.original_content)[0]


def label_memories(memories: Iterable[Memory]) -> list[dict[str, Json]]:
    """Return memories as the reference block labels them, in the words they were learned in."""
    return [
        {
            "id": m.id,
            "text": redact_memory(m),
            "kind": str(m.kind),
            "negated": m.negated_at is not None,
        }
        for m in memories
    ]


def messages_of(tx: Transaction, ids: Iterable[str]) -> list[Message]:
    """Return the messages of those ids, hidden ones among them; those that are erased are left out."""
    return [m for i in ids if (m := tx.conversations.get_message(i)) is not None]


def is_unchanged(tx: Transaction, messages: Sequence[Message]) -> bool:
    """Tell whether all of the messages are still there, visible and as they were read.

    Between reading and writing lies a model call of seconds; what was forgotten meanwhile must not
    be learned.
    """
    for m in messages:
        now = tx.conversations.get_message(m.id)
        if now is None or now.hidden_at is not None or mask_secrets(tx, now.text) != m.text:
            return False
    return True


# --- within so many tokens ---


def clip(text: str, most: int) -> str:
    """Return the text within `most` tokens; what is too long loses its middle, where least is said."""
    size = estimate_tokens(text)
    if size <= most:
        return text
    keep = max(1, int(len(text) * most / size * 0.95) // 2)
    return f"{text[:keep]} … {text[-keep:]}"


def take_newest_within(items: Sequence[T], most: int, text_of: Callable[[T], str]) -> list[T]:
    """Return the longest tail of `items` that fits into `most` tokens."""
    kept: list[T] = []
    left = most
    for item in reversed(items):
        left -= estimate_tokens(text_of(item)) + _PER_MESSAGE
        if left < 0:
            break
        kept.append(item)
    return kept[::-1]


def split_into_portions(
    items: Sequence[T], most: int, text_of: Callable[[T], str]
) -> list[list[T]]:
    """Return the items in order, in portions of at most `most` tokens; an item that is longer is a portion alone."""
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
