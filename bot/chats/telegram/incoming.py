"""What an update says, and which updates are one turn.

One turn at a time in each chat, all chats at once; what belongs together is one batch.

Commands and mentions are read from the text, not from entities, so that nothing depends on who
marked them.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field

from telegram import Message, MessageOriginUser, User
from telegram.constants import ChatType
from telegram.helpers import effective_message_type

from bot.chats.telegram.inbox import StoredUpdate
from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.render import count_utf16_units
from bot.chats.telegram.texts import say
from bot.chats.telegram.wire import BotTiming
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


Handle = Callable[[list[StoredUpdate]], Awaitable[None]]
_LONG = 3_500  # a part of a paste that the client cut is nearly as long as a message may be
_TOGETHER = 3.0  # seconds between the dates of parts of one turn


@dataclass(frozen=True, slots=True)
class IncomingTurn:
    """One turn's worth of messages."""

    text: str
    unread: tuple[str, ...]  # kinds of what came that cannot be read


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
    if command := parse_command(message, bot.username or ""):
        return command[0] in commands
    if _compile_mention(bot).search(message.text or message.caption or ""):
        return True
    answered = message.reply_to_message
    return answered is not None and answered.from_user == bot


def _compile_mention(bot: User) -> re.Pattern[str]:
    return re.compile(rf"@{re.escape(bot.username or '')}\b[,:，：]?\s{{0,9}}", re.IGNORECASE)


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


def join_parts(
    parts: Sequence[StoredUpdate], bot: User, lang: Lang, seen: Collection[int] = ()
) -> IncomingTurn:
    """Join all parts to one text, in order; what others said is quoted under their name.

    `seen` are the ids of messages whose picture is there.
    """
    text, previous = "", None
    for message in (kept.message for kept in parts):
        part = _read_words(message, bot, lang)
        if part and previous is not None:
            forwarded = message.forward_origin or previous.forward_origin
            whole = count_utf16_units(previous.text or "") < FULL
            text += "\n\n" if forwarded else "\n" if whole else ""
        if part:
            text, previous = text + part, message
    left = (kept.message for kept in parts if kept.message.message_id not in seen)
    unread = [kind for message in left if (kind := describe_unread(message)) is not None]
    return IncomingTurn(text.strip(), tuple(dict.fromkeys(unread)))


def _read_words(message: Message, bot: User, lang: Lang) -> str:
    text = message.text or message.caption or ""
    if not is_private(message):
        text = _compile_mention(bot).sub("", text).strip()
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
    chat = getattr(origin, "chat", None) or getattr(origin, "sender_chat", None)
    named = (getattr(origin, name, None) for name in ("sender_user_name", "author_signature"))
    return next(filter(None, (*named, chat and chat.title)), say(lang, "forwarded.unknown"))


# --- queues ---


@dataclass(eq=False)
class ChatQueue:
    """One chat's queue; `handle` gets what is one turn."""

    timing: BotTiming
    bot_name: str
    handle: Handle
    _pending: list[StoredUpdate] = field(default_factory=list)
    _batch: list[StoredUpdate] = field(default_factory=list)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _closing: bool = False
    task: asyncio.Task[None] | None = None

    def add(self, kept: StoredUpdate) -> None:
        """Queue an update, and handle batches until there are none."""
        self._pending.append(kept)
        self._wake.set()
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._run())

    def close(self) -> None:
        """Take nothing up any more; `task` ends after what it is doing."""
        self._closing = True
        self._wake.set()

    async def _run(self) -> None:
        while self._pending and not self._closing:
            if await self._gather():
                await self.handle(self._batch)

    async def _gather(self) -> bool:
        """Move what is one turn from the waiting ones to the batch; False if closed meanwhile."""
        first = self._pending.pop(0)
        batch = self._batch = [first]
        if first.edit or parse_command(first.message, self.bot_name) is not None:
            return True
        if first.together:
            batch += [k for k in self._pending if k.id in first.together]
            self._pending = [k for k in self._pending if k not in batch]
            return True
        until = time.monotonic() + self.timing.gather_most
        while not self._closing:
            while self._pending and self._belongs(self._pending[0]):
                batch.append(self._pending.pop(0))
            left = min(self._compute_wait(batch[-1].message), until - time.monotonic())
            if self._pending or left <= 0:  # something else has come: this is whole
                return True
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), left)
            except TimeoutError:
                return True
        return False

    def _belongs(self, kept: StoredUpdate) -> bool:
        """Tell whether the next update is of the same turn as the batch."""
        first, last, after = self._batch[0].message, self._batch[-1].message, kept.message
        if (
            kept.edit
            or last.from_user != after.from_user
            or get_destination(last) != get_destination(after)
        ):
            return False
        apart = abs((after.date - last.date).total_seconds())
        if after.media_group_id and after.media_group_id == last.media_group_id:
            return True
        if apart > _TOGETHER or any(parse_command(m, self.bot_name) for m in (first, after)):
            return False
        forwarded = after.forward_origin is not None or last.forward_origin is not None
        return forwarded or (_is_long(last) and after.text is not None)

    def _compute_wait(self, last: Message) -> float:
        """Return how long to wait for another part."""
        timing = self.timing
        if last.media_group_id is not None:
            return timing.gather_album
        if last.forward_origin is not None:
            return timing.gather_forward
        return timing.gather_paste if _is_long(last) else timing.gather


def _is_long(message: Message) -> bool:
    return count_utf16_units(message.text or "") >= _LONG


class ChatQueues(dict[int, ChatQueue]):
    """All chats' queues, made when first needed."""

    def __init__(self, timing: BotTiming, bot_name: str, handle: Handle) -> None:
        super().__init__()
        self._parts = (timing, bot_name, handle)

    def __missing__(self, chat_id: int) -> ChatQueue:
        return self.setdefault(chat_id, ChatQueue(*self._parts))

    async def close(self, timeout: float) -> None:
        """Let what is being done end, for so long; what is left waits in the inbox."""
        for queue in self.values():
            queue.close()
        tasks = [queue.task for queue in self.values() if queue.task is not None]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
