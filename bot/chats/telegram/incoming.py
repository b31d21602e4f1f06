"""What an update says: pure readings of python-telegram-bot's objects, and which messages are one
turn.

Commands and mentions are read from the text, not from entities, so that nothing depends on who
marked them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from telegram import Message, MessageOriginUser, Update, User
from telegram.constants import ChatType

from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.render import count_utf16_units
from bot.chats.telegram.texts import say
from bot.chats.telegram.tuning import BotTiming
from bot.texts import LANGS
from memory.models import Lang

_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@(\w+))?(?:\s{1,9}(.*))?", re.DOTALL)
OPEN_COMMANDS = frozenset(
    {"start", "help", "new", "temp", "stop"}
)  # their answers show nothing of a memory
_LONG = 3_500  # a part of a paste that the client cut is nearly as long as a message may be
_FULL = 4_090
_TOGETHER = 3.0  # seconds between the dates of parts of one turn
_ALBUM_TOGETHER = 60.0
_MOST_PARTS = 40
_KINDS = (
    ("photo", "photo"),
    ("voice", "voice"),
    ("audio", "audio"),
    ("video", "video"),
    ("video_note", "video"),
    ("animation", "video"),
    ("sticker", "sticker"),
    ("document", "document"),
    ("location", "location"),
    ("venue", "location"),
    ("contact", "other"),
    ("poll", "other"),
    ("dice", "other"),
    ("game", "other"),
    ("story", "other"),
)


@dataclass
class StoredUpdate:
    """An update that is ours to deal with. `stored`: it waits in the inbox until it is done."""

    update: Update
    user_id: str
    stored: bool
    replayed: bool = False
    ids: list[int] = field(init=False)
    edit: bool = field(init=False)  # of a message that we have taken up already

    def __post_init__(self) -> None:
        self.ids = [self.update.update_id]
        self.edit = self.update.edited_message is not None

    def absorb(self, edited: StoredUpdate) -> None:
        """The message was edited before we came to it."""
        self.update = edited.update
        self.ids += edited.ids

    @property
    def message(self) -> Message:
        """Its message, new or edited."""
        message = self.update.message or self.update.edited_message
        if message is None:
            raise ValueError("an update without a message")
        return message


@dataclass(frozen=True, slots=True)
class IncomingTurn:
    """One turn's worth of messages."""

    text: str
    unread: tuple[str, ...]  # kinds of what came that cannot be read
    message_id: int
    message_ids: tuple[int, ...]
    updates: tuple[int, ...]
    at: datetime


def get_destination(message: Message) -> Destination:
    """The place it was said in."""
    thread = message.message_thread_id if message.is_topic_message else None
    return Destination(message.chat_id, thread, private=message.chat.type == ChatType.PRIVATE)


def answer_place(message: Message, bot_name: str) -> Destination:
    """Where the message is answered: in a group, commands about memory are answered to their sender in private."""
    place, command = get_destination(message), parse_command(message, bot_name)
    if place.private or command is None or command[0] in OPEN_COMMANDS or message.from_user is None:
        return place
    return Destination(message.from_user.id)


def parse_command(message: Message, bot_name: str) -> tuple[str, str] | None:
    """(name, arguments), if it is a command and not another bot's."""
    found = _COMMAND.fullmatch((message.text or "").strip())
    if found is None or (found[2] and found[2].lower() != bot_name.lower()):
        return None
    return found[1].lower(), (found[3] or "").strip()


def is_addressed(message: Message, bot: User, commands: frozenset[str]) -> bool:
    """Whether a group's message is meant for the bot: by mention, reply or one of its commands."""
    if message.chat.type == ChatType.PRIVATE:
        return True
    if message.chat.type not in {ChatType.GROUP, ChatType.SUPERGROUP}:
        return False
    name = bot.username or ""
    command = parse_command(message, name)
    if command is not None:
        return command[0] in commands
    if re.search(rf"@{re.escape(name)}\b", message.text or message.caption or "", re.IGNORECASE):
        return True
    answered = message.reply_to_message
    return (
        answered is not None and answered.from_user is not None and answered.from_user.id == bot.id
    )


def is_service(message: Message) -> bool:
    """Somebody joined, a message was pinned, and so on: nothing that anybody said."""
    return not (message.text or message.caption) and describe_unread(message) is None


def describe_unread(message: Message) -> str | None:
    """What sort of thing came that we cannot read."""
    return next((kind for name, kind in _KINDS if getattr(message, name, None)), None)


def get_client_language(user: User | None) -> Lang:
    """What the Telegram client says of its user."""
    code = ((user and user.language_code) or "").lower()
    return next((lang for lang in LANGS if code.startswith(lang)), "en")


def belongs_to_turn(parts: Sequence[Message], after: Message, bot_name: str) -> bool:
    """Whether `after` belongs to the same turn as `parts`."""
    last = parts[-1]
    if (
        len(parts) >= _MOST_PARTS
        or _author(last) != _author(after)
        or get_destination(last) != get_destination(after)
    ):
        return False
    apart = abs((after.date - last.date).total_seconds())
    if after.media_group_id is not None:
        album = any(p.media_group_id == after.media_group_id for p in parts)
        if album:
            return apart <= _ALBUM_TOGETHER
    if apart > _TOGETHER or parse_command(after, bot_name) or parse_command(parts[0], bot_name):
        return False
    if after.forward_origin is not None or last.forward_origin is not None:
        return True
    return count_utf16_units(last.text or "") >= _LONG and after.text is not None


def compute_wait(parts: Sequence[Message], tuning: BotTiming, bot_name: str) -> float:
    """How long to wait for another part."""
    last = parts[-1]
    if parse_command(last, bot_name) is not None:
        return 0.0
    if last.media_group_id is not None:
        return tuning.gather_album
    if last.forward_origin is not None:
        return tuning.gather_forward
    return tuning.gather_paste if count_utf16_units(last.text or "") >= _LONG else tuning.gather


def join_parts(parts: Sequence[StoredUpdate], bot: User, lang: Lang) -> IncomingTurn:
    """One text of all parts, in order; what others said is quoted under their name."""
    text, previous = "", None
    for kept in parts:
        part = _words(kept.message, bot, lang)
        if not part:
            continue
        if previous is None:
            glue = ""
        elif kept.message.forward_origin is None and previous.forward_origin is None:
            glue = "" if count_utf16_units(previous.text or "") >= _FULL else "\n"
        else:
            glue = "\n\n"
        text, previous = f"{text}{glue}{part}", kept.message
    first = parts[0].message
    return IncomingTurn(
        text=text.strip(),
        unread=tuple(
            dict.fromkeys(k for p in parts if (k := describe_unread(p.message)) is not None)
        ),
        message_id=first.message_id,
        message_ids=tuple(p.message.message_id for p in parts),
        updates=tuple(i for p in parts for i in p.ids),
        at=first.date,
    )


def _author(message: Message) -> int | None:
    return message.from_user.id if message.from_user else None


def _words(message: Message, bot: User, lang: Lang) -> str:
    text = message.text or message.caption or ""
    if message.chat.type != ChatType.PRIVATE and bot.username:
        text = re.sub(
            rf"@{re.escape(bot.username)}\b[,:，：]?\s{{0,9}}", "", text, flags=re.IGNORECASE
        ).strip()
    if message.forward_origin is not None:
        return (
            f"{say(lang, 'forwarded', name=_origin(message, lang))}\n{_quote(text)}" if text else ""
        )
    quoted = _quoted(message, bot, lang)
    return f"{quoted}\n\n{text}".strip() if quoted and text else text


def _quoted(message: Message, bot: User, lang: Lang) -> str:
    """What somebody else said, if this answers it: the bot could not know of it otherwise."""
    if message.quote is not None and message.quote.is_manual:
        return f"{say(lang, 'quoted', name='…')}\n{_quote(message.quote.text)}"
    answered = message.reply_to_message
    if answered is None or message.chat.type == ChatType.PRIVATE or answered.forum_topic_created:
        return ""
    author, text = answered.from_user, answered.text or answered.caption
    if not text or author is None or author.id == bot.id:
        return ""
    name = say(lang, "me") if author == message.from_user else " ".join(author.full_name.split())
    return f"{say(lang, 'quoted', name=name)}\n{_quote(text)}"


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _origin(message: Message, lang: Lang) -> str:
    return " ".join(_sender(message, lang).split())  # a name is one line, whoever chose it


def _sender(message: Message, lang: Lang) -> str:
    origin = message.forward_origin
    if isinstance(origin, MessageOriginUser):
        return (
            say(lang, "me")
            if origin.sender_user == message.from_user
            else origin.sender_user.full_name
        )
    for name in ("sender_user_name", "author_signature"):
        if found := getattr(origin, name, None):
            return str(found)
    chat = getattr(origin, "chat", None) or getattr(origin, "sender_chat", None)
    return chat.title if chat is not None and chat.title else say(lang, "forwarded.unknown")
