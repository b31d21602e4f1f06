"""What an update says: pure readings of python-telegram-bot's objects.

Commands and mentions are read from the text, not from entities, so that nothing depends on who
marked them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from telegram import Message, MessageOriginUser, User
from telegram.constants import ChatType
from telegram.helpers import effective_message_type

from bot.chats.telegram.inbox import StoredUpdate
from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.render import count_utf16_units
from bot.chats.telegram.texts import say
from bot.texts import LANGS
from memory.models import Lang

_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@(\w+))?(?:\s{1,9}(.*))?", re.DOTALL)
OPEN_COMMANDS = frozenset({"start", "help", "new", "temp", "stop"})  # they show no memory
FULL = 4_090  # a part of a paste that the client cut is as long as a message may be
_SAME_KIND = ("photo", "voice", "audio", "video", "sticker", "document", "location")
_KINDS = {
    **{kind: kind for kind in _SAME_KIND},
    **dict.fromkeys(("video_note", "animation"), "video"),
    **dict.fromkeys(("contact", "poll", "dice", "game", "story"), "other"),
    "venue": "location",
}


@dataclass(frozen=True, slots=True)
class IncomingTurn:
    """One turn's worth of messages."""

    text: str
    unread: tuple[str, ...]  # kinds of what came that cannot be read
    message_ids: tuple[int, ...]
    updates: tuple[int, ...]
    at: datetime


def is_private(message: Message) -> bool:
    """Tell whether the message was said to the bot alone."""
    return message.chat.type == ChatType.PRIVATE


def get_destination(message: Message) -> Destination:
    """Return the place it was said in."""
    thread = message.message_thread_id if message.is_topic_message else None
    return Destination(message.chat_id, thread, private=is_private(message))


def find_answer_place(message: Message, bot_name: str) -> Destination:
    """Return where the message is answered.

    In a group, commands about memory are answered to their sender in private.
    """
    place, command = get_destination(message), parse_command(message, bot_name)
    if place.private or command is None or command[0] in OPEN_COMMANDS or message.from_user is None:
        return place
    return Destination(message.from_user.id)


def parse_command(message: Message, bot_name: str) -> tuple[str, str] | None:
    """Return (name, arguments), if it is a command and not another bot's."""
    found = _COMMAND.fullmatch((message.text or "").strip())
    if found is None or (found[2] and found[2].lower() != bot_name.lower()):
        return None
    return found[1].lower(), (found[3] or "").strip()


def is_addressed(message: Message, bot: User, commands: frozenset[str]) -> bool:
    """Tell whether a message is meant for the bot: private, a mention, a reply or a command."""
    if is_private(message):
        return True
    if message.chat.type not in {ChatType.GROUP, ChatType.SUPERGROUP}:
        return False
    name, answered = bot.username or "", message.reply_to_message
    if command := parse_command(message, name):
        return command[0] in commands
    mention = re.compile(rf"@{re.escape(name)}\b", re.IGNORECASE)
    if mention.search(message.text or message.caption or ""):
        return True
    return answered is not None and answered.from_user == bot


def is_service(message: Message) -> bool:
    """Tell whether nobody said anything: somebody joined, a message was pinned, and so on."""
    return not (message.text or message.caption) and describe_unread(message) is None


def describe_unread(message: Message) -> str | None:
    """Return what sort of thing came that we cannot read."""
    return _KINDS.get(str(effective_message_type(message)))


def get_client_language(user: User | None) -> Lang:
    """Return what the Telegram client says of its user."""
    code = ((user and user.language_code) or "").lower()
    return next((lang for lang in LANGS if code.startswith(lang)), "en")


def join_parts(parts: Sequence[StoredUpdate], bot: User, lang: Lang) -> IncomingTurn:
    """Join all parts to one text, in order; what others said is quoted under their name."""
    text, previous = "", None
    for message in (kept.message for kept in parts):
        part = _read_words(message, bot, lang)
        if part and previous is not None:
            forwarded = message.forward_origin or previous.forward_origin
            whole = count_utf16_units(previous.text or "") < FULL
            text += "\n\n" if forwarded else "\n" if whole else ""
        if part:
            text, previous = text + part, message
    unread = [kind for kept in parts if (kind := describe_unread(kept.message)) is not None]
    return IncomingTurn(
        text=text.strip(),
        unread=tuple(dict.fromkeys(unread)),
        message_ids=tuple(kept.message.message_id for kept in parts),
        updates=tuple(i for kept in parts for i in kept.ids),
        at=parts[0].message.edit_date or parts[0].message.date,
    )


def _read_words(message: Message, bot: User, lang: Lang) -> str:
    text = message.text or message.caption or ""
    if not is_private(message) and bot.username:
        mention = re.compile(rf"@{re.escape(bot.username)}\b[,:，：]?\s{{0,9}}", re.IGNORECASE)
        text = mention.sub("", text).strip()
    if message.forward_origin is not None:
        return _quote("forwarded", _name_origin(message, lang), text, lang) if text else ""
    quoted = _read_quoted(message, bot, lang)
    return f"{quoted}\n\n{text}".strip() if quoted and text else text


def _read_quoted(message: Message, bot: User, lang: Lang) -> str:
    """Quote what somebody else said, if this answers it: the bot could not know of it otherwise."""
    if message.quote is not None and message.quote.is_manual:
        return _quote("quoted", "…", message.quote.text, lang)
    answered = message.reply_to_message
    if answered is None or is_private(message) or answered.forum_topic_created:
        return ""
    author, text = answered.from_user, answered.text or answered.caption
    if not text or author is None or author == bot:
        return ""
    name = say(lang, "me") if author == message.from_user else author.full_name
    return _quote("quoted", name, text, lang)


def _quote(how: str, name: str, text: str, lang: Lang) -> str:
    head = say(lang, how, name=" ".join(name.split()))  # a name is one line, whoever chose it
    return "\n".join([head, *(f"> {line}" for line in text.splitlines())])


def _name_origin(message: Message, lang: Lang) -> str:
    origin = message.forward_origin
    if isinstance(origin, MessageOriginUser):
        mine = origin.sender_user == message.from_user
        return say(lang, "me") if mine else origin.sender_user.full_name
    for name in ("sender_user_name", "author_signature"):
        if found := getattr(origin, name, None):
            return str(found)
    chat = getattr(origin, "chat", None) or getattr(origin, "sender_chat", None)
    return (chat and chat.title) or say(lang, "forwarded.unknown")
