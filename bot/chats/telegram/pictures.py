"""Pictures that people send: fetched when their message is answered, and held in memory alone."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from telegram import Document, Message, PhotoSize
from telegram.error import TelegramError

from bot.chats.telegram.texts import say
from bot.pictures import LARGEST, MOST, Picture, PictureError
from memory.models import Lang

log = logging.getLogger(__name__)


async def fetch_pictures(messages: Sequence[Message], lang: Lang) -> dict[int, Picture]:
    """Fetch the pictures among messages, by message id; what is none, or too large, is left out."""
    found = dict[int, Picture]()
    for message in messages:
        file = _find_file(message)
        if file is None or len(found) == MOST:
            continue
        name = getattr(file, "file_name", None) or say(lang, "picture")
        try:
            whole = await (await file.get_file()).download_as_bytearray()
            found[message.message_id] = Picture(name, bytes(whole))
        except (TelegramError, PictureError) as e:
            log.info("a picture could not be fetched (%s)", type(e).__name__)
    return found


def _find_file(message: Message) -> PhotoSize | Document | None:
    """Return the largest size of a photo that may be sent on, or a document that says it is one."""
    sizes = [size for size in message.photo if (size.file_size or 0) <= LARGEST]
    document = message.document
    if document is None or not (document.mime_type or "").startswith("image/"):
        return sizes[-1] if sizes else None
    return document if (document.file_size or 0) <= LARGEST else None
