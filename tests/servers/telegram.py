"""A Telegram Bot API server over loopback: long polling, messages as chats show them, and the real one's refusals.

In a test::

    async with TelegramServer() as server:                   # or the fixture `telegram_server`
        server.say("Hello", user=ADA)
        shown = await server.wait_for(lambda: server.texts(ADA.id))
        server.fault("editMessageText", status=429, retry_after=2)
        server.press(shown[-1].id, "Stop")

By hand: `python -m tests.servers.telegram --port 8081`, then
`EBB_TELEGRAM_BASE_URL=http://127.0.0.1:8081 EBB_TELEGRAM_TOKEN=<the token it prints> ebb telegram`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias, TypeVar

import pytest
from aiohttp import web

Params: TypeAlias = dict[str, Any]
T = TypeVar("T")

TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
LIMIT = 4096
ENTITY_TYPES = frozenset(
    {
        "mention",
        "hashtag",
        "cashtag",
        "bot_command",
        "url",
        "email",
        "phone_number",
        "bold",
        "italic",
        "underline",
    }
    | {
        "strikethrough",
        "spoiler",
        "blockquote",
        "expandable_blockquote",
        "code",
        "pre",
        "text_link",
        "text_mention",
    }
)


class Refusal(Exception):
    """An answer with ok: false."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.status, self.description, self.parameters = status, description, parameters


def bad(description: str) -> Refusal:
    """What the real server answers a request it will not carry out."""
    return Refusal(400, f"Bad Request: {description}")


def units(text: str) -> int:
    """Length in UTF-16 code units, which is what Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


# Seconds after which what should have come never will. It finds a hang and measures nothing: the first reply of a
# process imports the model's SDK, a second of CPU, and on a machine that is busy that is a while.
PATIENCE = 60.0


@dataclass(frozen=True)
class Person:
    """Somebody who writes to the bot."""

    id: int
    first_name: str
    language_code: str | None = "en"
    username: str | None = None

    def json(self) -> Params:
        """As the API shows a user."""
        out: Params = {"id": self.id, "is_bot": False, "first_name": self.first_name}
        if self.language_code:
            out["language_code"] = self.language_code
        if self.username:
            out["username"] = self.username
        return out


ADA = Person(1001, "Ada", "en", "ada")
LIN = Person(1002, "林", "zh-hans")
EVE = Person(6666, "Eve", "en")


@dataclass
class Shown:
    """A message as the chat shows it now."""

    id: int
    chat_id: int
    sender: int
    text: str
    entities: list[Params] = field(default_factory=list)
    markup: Params | None = None
    edits: int = 0
    silent: bool = False
    reply_to: int | None = None
    raw: Params = field(default_factory=dict)

    @property
    def buttons(self) -> list[str]:
        """The labels under it."""
        return [b["text"] for row in (self.markup or {}).get("inline_keyboard", []) for b in row]

    def data(self, label: str) -> str:
        """The callback data of the first button whose label contains `label`."""
        for row in (self.markup or {}).get("inline_keyboard", []):
            for b in row:
                if label in b["text"]:
                    return str(b["callback_data"])
        raise AssertionError(f"no button {label!r} under {self.text!r}: {self.buttons}")


@dataclass(frozen=True)
class Call:
    """One request of the bot, when it came, and what it was answered."""

    method: str
    params: Params
    at: float
    ok: bool
    description: str = ""


@dataclass
class Fault:
    """What goes wrong with the next `times` matching calls."""

    status: int | None = None
    description: str = ""
    retry_after: int | None = None
    drop: bool = False  # close the connection without an answer …
    after: bool = False  # … once the request was carried out
    delay: float = 0.0
    times: int = 1
    when: Callable[[Params], bool] = lambda _p: True


class TelegramServer:
    """Binds a free port of 127.0.0.1; use as an async context manager."""

    def __init__(
        self,
        token: str = TOKEN,
        *,
        username: str = "ebb_test_bot",
        port: int = 0,
        start_id: int = 500,
    ) -> None:
        self.token, self.username, self._port = token, username, port
        self.bot_id = int(token.split(":", maxsplit=1)[0])
        self.calls: list[Call] = []
        self.chats: dict[int, dict[int, Shown]] = {}
        self.removed: list[Shown] = []
        self.commands: dict[tuple[str, str], list[Params]] = {}
        self.answered: dict[str, Params] = {}
        self.on_show: Callable[[Shown, str], None] | None = None
        self.down = False  # every request answered 502
        self.lacks: set[str] = set()  # methods this server has never heard of
        self._chat_info: dict[int, Params] = {}
        self._pending: deque[Params] = deque()
        self._next_update, self._next_message, self._next_query = 7000, start_id, 1
        self._faults: dict[str, list[Fault]] = {}
        self.files: dict[str, bytes] = {}  # what can be downloaded, by id
        self._poll: asyncio.Future[None] | None = None
        self._runner: web.AppRunner | None = None
        self._changed = asyncio.Event()

    # --- life ---

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        app.router.add_get("/file/bot{token}/{name}", self._serve_file)
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._poll is not None and not self._poll.done():
            self._poll.set_exception(Refusal(502, "Bad Gateway"))
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def url(self) -> str:
        """The base URL, without /bot<token>."""
        return f"http://127.0.0.1:{self._port}"

    # --- what a test does ---

    def fault(self, method: str, **how: Any) -> None:
        """Make the next call (or `times` calls) of a method go wrong; `*` is any method."""
        self._faults.setdefault(method, []).append(Fault(**how))

    def say(self, text: str, user: Person = ADA, chat: int | None = None, **more: Any) -> int:
        """A text message of a person, in their private chat or a group; returns its id. Commands get entities."""
        body: Params = {"text": text, **more}
        if text.startswith("/") and "entities" not in body:
            body["entities"] = [
                {"type": "bot_command", "offset": 0, "length": units(text.split(maxsplit=1)[0])}
            ]
        elif f"@{self.username}" in text and "entities" not in body:
            at = units(text[: text.index(f"@{self.username}")])
            body["entities"] = [{"type": "mention", "offset": at, "length": len(self.username) + 1}]
        return self.message(body, user, chat)

    def message(self, body: Params, user: Person = ADA, chat: int | None = None) -> int:
        """Any message: `body` holds what is special of it (photo, caption, forward_origin, media_group_id …)."""
        chat_id = user.id if chat is None else chat
        reply_to = body.pop("reply_to", None)
        raw: Params = {
            "message_id": self._message_id(chat_id),
            "date": body.pop("date", int(time.time())),
            "chat": self._chat(chat_id, user),
            "from": user.json(),
            **body,
        }
        if reply_to is not None:
            raw["reply_to_message"] = self._as_json(self.chats[chat_id][reply_to])
        text = str(raw.get("text") or raw.get("caption") or "")
        shown = Shown(raw["message_id"], chat_id, user.id, text, raw=raw)
        self.chats.setdefault(chat_id, {})[shown.id] = shown
        self._push({"message": raw})
        return shown.id

    def photo(
        self, caption: str | None = None, user: Person = ADA, chat: int | None = None, **more: Any
    ) -> int:
        """A picture; its bytes are those of `file_id` in `files`, if they are there."""
        file_id = more.pop("file_id", "f")
        size = {"file_id": file_id, "file_unique_id": "u", "width": 90, "height": 60}
        return self.message(
            {"photo": [size], **({"caption": caption} if caption else {}), **more}, user, chat
        )

    def forward(
        self, text: str, origin: str = "Grace", user: Person = ADA, chat: int | None = None
    ) -> int:
        """A message forwarded from somebody whose account is hidden."""
        came = {"type": "hidden_user", "sender_user_name": origin, "date": int(time.time()) - 3600}
        return self.message({"text": text, "forward_origin": came}, user, chat)

    def edit(self, message_id: int, text: str, user: Person = ADA, chat: int | None = None) -> None:
        """A person edits what they wrote."""
        shown = self.chats[user.id if chat is None else chat][message_id]
        shown.text = text
        shown.raw = {**shown.raw, "text": text, "edit_date": int(time.time()) + shown.edits}
        shown.edits += 1
        self._push({"edited_message": shown.raw})

    def press(
        self, message_id: int, label: str, user: Person = ADA, chat: int | None = None
    ) -> str:
        """A person presses a button; returns the query's id."""
        shown = self.chats[user.id if chat is None else chat][message_id]
        query_id = str(self._next_query)
        self._next_query += 1
        self._push(
            {
                "callback_query": {
                    "id": query_id,
                    "from": user.json(),
                    "chat_instance": "1",
                    "data": shown.data(label),
                    "message": self._as_json(shown),
                }
            }
        )
        return query_id

    def bot_messages(self, chat_id: int = ADA.id) -> list[Shown]:
        """What the bot shows in a chat now, in order."""
        return [m for m in self.chats.get(chat_id, {}).values() if m.sender == self.bot_id]

    def texts(self, chat_id: int = ADA.id) -> list[str]:
        """The texts of `bot_messages`."""
        return [m.text for m in self.bot_messages(chat_id)]

    def called(self, *methods: str) -> list[Call]:
        """The calls of some methods, in order."""
        return [c for c in self.calls if c.method in methods]

    @property
    def unconfirmed(self) -> int:
        """How many updates would be given out again."""
        return len(self._pending)

    async def wait_for(self, look: Callable[[], T], timeout: float = PATIENCE) -> T:
        """Wait until `look()` is truthy; returns it."""
        deadline = time.monotonic() + timeout
        while not (found := look()):
            if time.monotonic() > deadline:
                shown = {c: self.texts(c) for c in self.chats}
                raise AssertionError(f"not seen within {timeout} s; chats show {shown}")
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), 0.05)
        return found

    async def quiet(self, seconds: float = 0.3, *, but: Sequence[str] = ("getUpdates",)) -> None:
        """Wait until no call (of other methods) has come for so long."""
        while True:
            before = sum(1 for c in self.calls if c.method not in but)
            await asyncio.sleep(seconds)
            if before == sum(1 for c in self.calls if c.method not in but):
                return

    # --- serving ---

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        params = await _params(request)
        began = time.monotonic()
        fault = self._take_fault(method, params)
        try:
            handler = self._handler(request)
            if fault is not None and not fault.after:
                await self._go_wrong(fault, request)
            result = (
                await handler(params) if asyncio.iscoroutinefunction(handler) else handler(params)
            )
            if fault is not None and fault.after:
                self._note(Call(method, params, began, ok=True))
                await self._go_wrong(fault, request)
        except Refusal as r:
            self._note(Call(method, params, began, ok=False, description=r.description))
            body: Params = {"ok": False, "error_code": r.status, "description": r.description}
            if r.parameters:
                body["parameters"] = r.parameters
            return web.json_response(body, status=r.status)
        if not (fault is not None and fault.after):
            self._note(Call(method, params, began, ok=True))
        return web.json_response({"ok": True, "result": result})

    def _handler(self, request: web.Request) -> Any:
        method = request.match_info["method"]
        if request.match_info["token"] != self.token:
            raise Refusal(401, "Unauthorized")
        if self.down:
            raise Refusal(502, "Bad Gateway")
        handler = getattr(self, "_do_" + re.sub("([A-Z])", r"_\1", method).lower(), None)
        if handler is None or method in self.lacks:
            raise Refusal(404, "Not Found: method not found")
        return handler

    def _take_fault(self, method: str, params: Params) -> Fault | None:
        for name in (method, "*"):
            for fault in self._faults.get(name, []):
                if fault.times > 0 and fault.when(params):
                    fault.times -= 1
                    return fault
        return None

    async def _go_wrong(self, fault: Fault, request: web.Request) -> None:
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.drop:
            if request.transport is not None:
                request.transport.abort()
            raise Refusal(502, "dropped")
        if fault.retry_after is not None:
            text = f"Too Many Requests: retry after {fault.retry_after}"
            raise Refusal(429, text, retry_after=fault.retry_after)
        if fault.status is not None:
            raise Refusal(fault.status, fault.description or "Internal Server Error")

    def _note(self, call: Call) -> None:
        self.calls.append(call)
        self._changed.set()

    def _push(self, update: Params) -> None:
        self._next_update += 1
        self._pending.append({"update_id": self._next_update, **update})
        if self._poll is not None and not self._poll.done():
            self._poll.set_result(None)

    def _message_id(self, chat_id: int) -> int:
        """One sequence for all private chats and basic groups of the account, one for each supergroup."""
        if chat_id < -(10**12):
            return max(self.chats.get(chat_id, {}), default=0) + 1
        self._next_message += 1
        return self._next_message

    def _chat(self, chat_id: int, user: Person | None = None) -> Params:
        if chat_id < 0:
            return {
                "id": chat_id,
                "type": "supergroup" if chat_id < -(10**12) else "group",
                "title": "A group",
            }
        if user is not None:
            self._chat_info[chat_id] = {
                "id": chat_id,
                "type": "private",
                "first_name": user.first_name,
            }
        if chat_id not in self._chat_info:
            raise bad("chat not found")
        return self._chat_info[chat_id]

    def _as_json(self, m: Shown) -> Params:
        sender = self._do_get_me({}) if m.sender == self.bot_id else m.raw["from"]
        out = {
            **m.raw,
            "message_id": m.id,
            "chat": self._chat(m.chat_id),
            "from": sender,
            "text": m.text,
        }
        out.setdefault("date", int(time.time()))
        if m.entities:
            out["entities"] = m.entities
        if m.markup:
            out["reply_markup"] = m.markup
        return out

    # --- methods ---

    def _do_get_file(self, p: Params) -> Params:
        if p["file_id"] not in self.files:
            raise bad("wrong file_id or the file is temporarily unavailable")
        return {"file_id": p["file_id"], "file_unique_id": "u", "file_path": p["file_id"]}

    async def _serve_file(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["name"]])

    def _do_get_me(self, _p: Params) -> Params:
        return {
            "id": self.bot_id,
            "is_bot": True,
            "first_name": "Ebb",
            "username": self.username,
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }

    def _do_delete_webhook(self, _p: Params) -> bool:
        return True

    async def _do_get_updates(self, p: Params) -> list[Params]:
        if self._poll is not None and not self._poll.done():
            text = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
            self._poll.set_exception(Refusal(409, text))
        offset, limit, timeout = (
            int(p.get("offset") or 0),
            int(p.get("limit") or 100),
            float(p.get("timeout") or 0),
        )
        while self._pending and self._pending[0]["update_id"] < offset:
            self._pending.popleft()
        if not self._pending and timeout > 0:
            self._poll = mine = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(timeout):
                    await mine
            except TimeoutError:
                pass
            finally:
                if self._poll is mine:
                    self._poll = None
        return list(self._pending)[:limit]

    def _do_send_message(self, p: Params) -> Params:
        chat_id = self._known_chat(p)
        text, entities = _checked_text(p)
        reply = (p.get("reply_parameters") or {}).get("message_id") or p.get("reply_to_message_id")
        if reply is not None and int(reply) not in self.chats.get(chat_id, {}):
            if not (p.get("reply_parameters") or {}).get("allow_sending_without_reply"):
                raise bad("message to be replied not found")
            reply = None
        shown = Shown(
            self._message_id(chat_id),
            chat_id,
            self.bot_id,
            text,
            entities,
            _checked_markup(p),
            silent=bool(p.get("disable_notification")),
            reply_to=int(reply) if reply else None,
        )
        self.chats.setdefault(chat_id, {})[shown.id] = shown
        self._show(shown, "sent")
        return self._as_json(shown)

    def _do_edit_message_text(self, p: Params) -> Params:
        shown = self._own(p)
        text, entities = _checked_text(p)
        markup = _checked_markup(p)
        if (shown.text, shown.entities, shown.markup) == (text, entities, markup):
            raise _not_modified()
        shown.text, shown.entities, shown.markup = text, entities, markup
        shown.edits += 1
        self._show(shown, "edited")
        return self._as_json(shown)

    def _do_edit_message_reply_markup(self, p: Params) -> Params:
        shown = self._own(p)
        markup = _checked_markup(p)
        if shown.markup == markup:
            raise _not_modified()
        shown.markup = markup
        self._show(shown, "edited")
        return self._as_json(shown)

    def _do_delete_message(self, p: Params) -> bool:
        chat = self.chats.get(self._known_chat(p), {})
        shown = chat.pop(int(p["message_id"]), None)
        if shown is None:
            raise bad("message to delete not found")
        self.removed.append(shown)
        self._show(shown, "removed")
        return True

    def _do_answer_callback_query(self, p: Params) -> bool:
        query_id = str(p.get("callback_query_id", ""))
        if not query_id.isdigit() or int(query_id) >= self._next_query:
            raise bad("query is too old and response timeout expired or query ID is invalid")
        if len(str(p.get("text", ""))) > 200:
            raise bad("MESSAGE_TOO_LONG")
        self.answered[query_id] = p
        return True

    def _do_set_my_commands(self, p: Params) -> bool:
        commands = p.get("commands") or []
        for c in commands:
            name = str(c.get("command", ""))
            if not (
                1 <= len(name) <= 32
                and name.isascii()
                and name.replace("_", "").isalnum()
                and name.islower()
            ):
                raise bad("BOT_COMMAND_INVALID")
            if not 1 <= len(str(c.get("description", ""))) <= 256:
                raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
        self.commands[_scope(p), str(p.get("language_code") or "")] = commands
        return True

    def _do_get_my_commands(self, p: Params) -> list[Params]:
        return self.commands.get((_scope(p), str(p.get("language_code") or "")), [])

    def _do_delete_my_commands(self, p: Params) -> bool:
        self.commands.pop((_scope(p), str(p.get("language_code") or "")), None)
        return True

    def _do_send_chat_action(self, p: Params) -> bool:
        self._known_chat(p)
        return True

    def _do_set_message_reaction(self, p: Params) -> bool:
        if int(p["message_id"]) not in self.chats.get(self._known_chat(p), {}):
            raise bad("message to react not found")
        return True

    # --- checks ---

    def _known_chat(self, p: Params) -> int:
        if "chat_id" not in p or p["chat_id"] == "":
            raise bad("chat_id is empty")
        chat_id = int(p["chat_id"])
        self._chat(chat_id)
        return chat_id

    def _own(self, p: Params) -> Shown:
        shown = self.chats.get(self._known_chat(p), {}).get(int(p.get("message_id") or 0))
        if shown is None:
            raise bad("message to edit not found")
        if shown.sender != self.bot_id:
            raise bad("message can't be edited")
        return shown

    def _show(self, shown: Shown, how: str) -> None:
        self._changed.set()
        if self.on_show is not None:
            self.on_show(shown, how)


def _not_modified() -> Refusal:
    return bad(
        "message is not modified: specified new message content and reply markup are exactly the same "
        "as a current content and reply markup of the message"
    )


def _scope(p: Params) -> str:
    scope = p.get("scope") or {"type": "default"}
    return ":".join(str(scope[k]) for k in ("type", "chat_id", "user_id") if k in scope)


async def _params(request: web.Request) -> Params:
    raw: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        raw |= await request.json()
    elif request.method == "POST":
        raw |= dict(await request.post())
    out: Params = {}
    for key, value in raw.items():
        out[key] = value
        if (
            isinstance(value, str)
            and key not in {"text", "chat_id", "callback_query_id"}
            and value[:1] in "[{"
        ):
            with contextlib.suppress(ValueError):
                out[key] = json.loads(value)
        elif value in ("true", "false") and key != "text":
            out[key] = value == "true"
    return out


def _checked_text(p: Params) -> tuple[str, list[Params]]:
    text = str(p.get("text") or "")
    entities = p.get("entities") or []
    if p.get("parse_mode"):
        raise bad("can't parse entities: this server wants entities, not a parse mode")
    total = units(text)
    for e in entities:
        _check_entity(text, total, e)
    if not text.strip():
        raise bad("message text is empty")
    if units(text.strip()) > LIMIT:
        raise bad("message is too long")
    return _trimmed(text, [dict(e) for e in entities])


def _check_entity(text: str, total: int, e: Mapping[str, Any]) -> None:
    if e.get("type") not in ENTITY_TYPES:
        raise bad(f"can't parse entities: unsupported entity type {e.get('type')!r}")
    start, length = int(e.get("offset", -1)), int(e.get("length", -1))
    if start < 0 or length <= 0 or start + length > total:
        raise bad(
            f"can't parse entities: entity at UTF-16 offset {start} of length {length} is out of range"
        )
    raw = text.encode("utf-16-le", "surrogatepass")
    for at in (start, start + length):
        unit = int.from_bytes(raw[2 * at : 2 * at + 2], "little")
        if 0xDC00 <= unit <= 0xDFFF:
            raise bad(
                f"can't parse entities: entity begins or ends inside a symbol at UTF-16 offset {at}"
            )
    if (
        e["type"] == "text_link"
        and "://" not in str(e.get("url", ""))
        and not str(e.get("url")).startswith("mailto:")
    ):
        raise bad("can't parse entities: text_link without a URL")


def _trimmed(text: str, entities: list[Params]) -> tuple[str, list[Params]]:
    """Telegram strips the white space around a message."""
    lead = units(text[: len(text) - len(text.lstrip())])
    text = text.strip()
    total, out = units(text), []
    for e in entities:
        start, end = (
            max(int(e["offset"]) - lead, 0),
            min(int(e["offset"]) + int(e["length"]) - lead, total),
        )
        if start < end:
            out.append({**e, "offset": start, "length": end - start})
    return text, out


def _checked_markup(p: Params) -> Params | None:
    markup = p.get("reply_markup")
    if not markup or not markup.get("inline_keyboard"):
        return None
    for row in markup["inline_keyboard"]:
        for b in row:
            if not str(b.get("text", "")).strip():
                raise bad("inline keyboard button text must be non-empty")
            if "callback_data" in b and not 1 <= len(str(b["callback_data"]).encode()) <= 64:
                raise bad("BUTTON_DATA_INVALID")
            if not {"callback_data", "url", "copy_text"} & set(b):
                raise bad("text buttons are unallowed in the inline keyboard")
    return dict(markup)


@pytest.fixture
async def telegram_server() -> AsyncIterator[TelegramServer]:
    """A Bot API server on loopback."""
    async with TelegramServer() as server:
        yield server


# --- by hand ---

HELP = """Type as a user; lines that begin with a colon do something else:
  :user 1002 Lin zh     write as somebody else from now on     :group    write in a group (again: in private)
  :press LABEL          press a button of the bot's last message     :edit TEXT    edit your last message
  :photo CAPTION  :forward TEXT  :raw {json}    other messages       :quit"""


async def _by_hand(server: TelegramServer) -> None:
    me, chat, last = ADA, ADA.id, 0
    server.on_show = lambda m, how: print(
        f"[{m.chat_id}#{m.id} {how}] {m.text}" + (f"\n    {m.buttons}" if m.buttons else ""),
        flush=True,
    )
    print(f"token {server.token}\nurl   {server.url}\n{HELP}", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        word, _, rest = line.rstrip("\n").replace("\\n", "\n").partition(" ")
        where = None if chat > 0 else chat
        try:
            if word == ":quit":
                return
            elif word == ":user":
                number, name, *code = rest.split()
                me = Person(int(number), name, code[0] if code else "en")
                chat = me.id
            elif word == ":group":
                chat = -4242 if chat > 0 else me.id
            elif word == ":press":
                server.press(server.bot_messages(chat)[-1].id, rest, me, where)
            elif word == ":edit":
                server.edit(last, rest, me, where)
            elif word == ":photo":
                last = server.photo(rest or None, me, where)
            elif word == ":forward":
                last = server.forward(rest, "Somebody", me, where)
            elif word == ":raw":
                last = server.message(json.loads(rest), me, where)
            elif line.strip():
                last = server.say(f"{word} {rest}".strip(), me, where)
        except (AssertionError, KeyError, IndexError, ValueError) as e:
            print(f"? {e}\n{HELP}", flush=True)


async def _main(port: int, token: str) -> None:
    async with TelegramServer(token, port=port) as server:
        await _by_hand(server)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Telegram Bot API server to try a bot against.")
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--token", default=TOKEN)
    args = parser.parse_args()
    try:
        asyncio.run(_main(args.port, args.token))
    except KeyboardInterrupt:
        pass
    except OSError as e:
        sys.exit(f"port {args.port}: {e.strerror}")
