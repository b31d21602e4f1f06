"""What Ebb asks of its own accord, and the answers.

Proposals, what MEMORY.md lacks, and whether to look back for something faint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from bot.events import Choice, Command, CommandOutcome, Turn, answer
from bot.tables import find_pending_choice, get_choice, put_choice, take_choice
from bot.texts import say, write_day
from memory import api
from memory.api import NIGHT, accepts_offer
from memory.errors import MemoryError_, NotFound
from memory.models import Json, Lang, Memory, Message, Proposal, mark_quote
from memory.ports import Store, Transaction

PROPOSAL = "proposal"
LOOK_BACK = "look_back"
TODO = "todo"
ZONE: Final = "zone"
_ZONES: Final = "zones_asked"  # the person's settings: zones they were asked about since the last
TODO_ANSWERS = ("done", "open", "dropped")
LIFE = timedelta(days=2)
TODO_LIFE = timedelta(days=3)  # then the todo counts as unanswered
_NAMED = 5


async def ask_proposal(
    memory: api.Memory, store: Store, turn: Turn, lang: Lang
) -> tuple[Choice, ...]:
    """Offer today's question, if there is one: a yes and a no."""
    p = await memory.ask_today(turn.user_id, turn.at)
    if p is None:
        return ()

    def offer(tx: Transaction) -> tuple[Choice, ...]:
        no = "proposal.leave" if p.data.get("op") == NIGHT else "proposal.no"
        told = {"id": p.id, "op": p.data.get("op")}
        return _offer(tx, turn, PROPOSAL, told, write_question(p, lang), say(lang, no))

    return await store.write(turn.user_id, offer)


def _offer(
    tx: Transaction, turn: Turn, kind: str, told: Json, yes: str, no: str
) -> tuple[Choice, ...]:
    """Keep a yes and a no, each with what is told of the question, and return both."""
    keys = {True: tx.new_id(), False: tx.new_id()}
    for said, key in keys.items():
        put_choice(tx, key, turn.scope, kind, {**told, "yes": said}, turn.at + LIFE)
    return Choice(keys[True], yes), Choice(keys[False], no)


def write_question(p: Proposal, lang: Lang) -> str:
    """Write a proposal as a question."""
    if p.data.get("op") == NIGHT:
        return say(lang, "proposal.night", n=p.data["n"], of=p.data["of"])
    if p.data.get("op") == "change":
        return say(lang, "proposal.change", text=p.text, old=p.data["old"])
    if p.data.get("op") == "ahead":
        return say(lang, "proposal.ahead", text=p.text)
    key = "proposal.forget" if p.data.get("op") == "delete" else "proposal.keep"
    return say(lang, key, text=p.text)


async def answer_proposal(
    memory: api.Memory, c: Command, payload: Json, lang: Lang
) -> CommandOutcome:
    """Do what the person answered."""
    yes, keeper = payload["yes"], memory.keeper
    if yes and keeper is not None and await keeper.go_on(c.user_id, payload["id"], c.at):
        return answer(lang, "proposal.goes_on")
    try:
        await (memory.accept if yes else memory.decline_proposal)(c.user_id, payload["id"], c.at)
    except MemoryError_:
        return answer(lang, "choice.gone", ok=False)
    no = "proposal.both" if payload.get("op") == "change" else "proposal.declined"
    return answer(lang, "proposal.accepted" if yes else no)


def find_zone(tx: Transaction, scope: str, here: str) -> str:
    """Return the person's zone: the one they said yes to, else that of their last message."""
    if user_zone := tx.user().tz:
        return user_zone
    last = tx.conversations.list_messages(scope=scope, limit=1, newest=True)
    return last[0].tz if last and scope == f"user:{tx.user_id}" else here


async def ask_zone(store: Store, turn: Turn, lang: Lang) -> tuple[Choice, ...]:
    """Ask, once, whether to use the zone that the person seems to be in now."""
    here = turn.here or turn.tz
    zones = ZoneInfo(turn.tz), ZoneInfo(here)
    if len({turn.at.astimezone(zone).utcoffset() for zone in zones}) == 1:
        return ()

    def offer(tx: Transaction) -> tuple[Choice, ...]:
        user = tx.user()
        asked = list(user.settings.get(_ZONES) or ())
        if here in asked:
            return ()
        tx.put_user(replace(user, settings={**user.settings, _ZONES: [*asked, here]}))
        asks = say(lang, "zone.asks", zone=here.rpartition("/")[2].replace("_", " "))
        return _offer(tx, turn, ZONE, {"zone": here}, asks, say(lang, "proposal.no"))

    return await store.write(turn.user_id, offer)


async def answer_zone(store: Store, c: Command, payload: Json, lang: Lang) -> CommandOutcome:
    """Use the zone from now on, or stay with the one there is."""

    def settle(tx: Transaction) -> str:
        user = tx.user()
        if not payload["yes"]:
            tx.put_user(replace(user, tz=find_zone(tx, c.scope, c.tz)))
            return say(lang, "zone.stays")
        tx.put_user(replace(user, tz=payload["zone"], settings={**user.settings, _ZONES: []}))
        return say(lang, "zone.moves")

    return CommandOutcome(True, await store.write(c.user_id, settle))


async def offer_look_back(store: Store, turn: Turn, lang: Lang) -> tuple[Choice, ...]:
    """Offer to look back for something faint that this turn's message came near to."""

    def offer(tx: Transaction) -> str:
        key = tx.new_id()
        put_choice(tx, key, turn.scope, LOOK_BACK, {"turn": turn.id}, turn.at + LIFE)
        return key

    return (Choice(await store.write(turn.user_id, offer), say(lang, "look_back")),)


async def accept_look_back(store: Store, turn: Turn) -> str:
    """Return the question to look back with, if the turn says yes right after the offer."""
    if not accepts_offer(turn.text):
        return ""

    def take(tx: Transaction) -> str:
        key = find_pending_choice(tx, turn.scope, turn.at)
        kept = get_choice(tx, key, turn.at) if key else None
        if kept is None or kept[1] != LOOK_BACK:
            return ""
        if tx.traces.get_last_turn(turn.scope) != kept[2]["turn"]:
            return ""  # something else was said since
        take_choice(tx, str(key), turn.at)
        return find_question(tx, kept[2])

    return await store.write(turn.user_id, take)


def find_question(tx: Transaction, payload: Json) -> str:
    """Return the message that an offer to look back is about; "" if it is gone."""
    row = tx.conversations.get_turn(payload["turn"])
    said = tx.conversations.get_message(row.user_message_id) if row else None
    return said.text if said is not None and said.hidden_at is None else ""


class TodoQuestion(NamedTuple):
    """A question about a todo, its answers, and what notes that it was asked, if it was."""

    text: str = ""
    choices: tuple[Choice, ...] = ()
    note: Callable[[Transaction], None] | None = None


async def ask_todo(memory: api.Memory, store: Store, turn: Turn, lang: Lang) -> TodoQuestion:
    """Ask about a todo that is due, once."""
    m = await memory.find_due_todo(turn.user_id, turn.text, turn.at)
    due = None if m is None else api.find_occasion(m, turn.at, turn.tz)
    if m is None or due is None:
        return TodoQuestion()
    day = write_day(due.first, api.find_today(turn.at, turn.tz).year, lang)
    text = say(lang, "todo.asks", text=mark_quote(m, m.original_content), day=day)

    keys = await store.write(turn.user_id, lambda tx: {x: tx.new_id() for x in TODO_ANSWERS})

    def note(tx: Transaction) -> None:
        memory.note_asked(tx, m.id, turn.at)
        for said, key in keys.items():
            payload = {"id": m.id, "said": said, "keys": list(keys.values()), "asked": text}
            put_choice(tx, key, turn.scope, TODO, payload, turn.at + TODO_LIFE)

    choices = tuple(Choice(key, say(lang, f"todo.{said}")) for said, key in keys.items())
    return TodoQuestion(f"\n\n{text}", choices, note)


def read_todo_answer(tx: Transaction, payload: Json, message: Message, lang: Lang) -> str:
    """Return the answer to the question about a todo that a message gives, if Ebb just asked it."""
    before = tx.conversations.list_messages(
        session_id=message.session_id, before=message.seq, limit=1, newest=True
    )
    if not before or not before[0].text.endswith(payload["asked"]):
        return ""
    picked = api.read_choice(message.text, [say(lang, f"todo.{x}") for x in TODO_ANSWERS])
    if picked == "unclear":  # yes
        return TODO_ANSWERS[0]
    if picked is None and (done := api.reads_done(message.text)) is not None:
        return TODO_ANSWERS[0 if done else 1]
    return "" if picked is None else TODO_ANSWERS[picked[0] if picked else 1]  # no: not yet


async def answer_todo(
    memory: api.Memory, store: Store, c: Command | Turn, payload: Json, lang: Lang
) -> CommandOutcome:
    """Do what the person answered about a todo: the first answer is the only one."""

    def settle(tx: Transaction) -> Memory:
        if None in [take_choice(tx, key, c.at) for key in payload["keys"]]:
            raise NotFound("That was answered.")
        return memory.settle_todo(tx, payload["id"], payload["said"], c.at, c.tz)

    try:
        m = await store.write(c.user_id, settle)
    except NotFound:
        return answer(lang, "choice.gone", ok=False)
    return answer(lang, f"todo.is_{payload['said']}", text=m.original_content)


async def list_proposals(memory: api.Memory, user_id: str, lang: Lang) -> list[str]:
    """List what waits for a yes or no, with ids."""
    waiting = await memory.list_proposals(user_id)
    head = ["", say(lang, "proposal.head")] if waiting else []
    return head + [f"- {write_question(p, lang)} [{p.id}]" for p in waiting]


async def describe_mirror(
    memory: api.Memory, store: Store, c: Command, lang: Lang
) -> CommandOutcome:
    """Say where the file is, and ask the question that is open."""
    if memory.mirror is None:
        return answer(lang, "mirror.none", ok=False)

    asking = await _find_mirror_question(store, c)
    if asking is None:
        return answer(lang, "mirror.here", path=memory.mirror.path(c.user_id))
    missing = await memory.get_many(c.user_id, asking["ids"])
    lines = [f"- {m.shown_text}" for m in missing[:_NAMED]]
    lines += ["- …"] if len(missing) > _NAMED else []
    choices = (
        Choice(str(asking["yes"]), say(lang, "mirror.forget", n=len(missing))),
        Choice(str(asking["no"]), say(lang, "mirror.keep")),
    )
    text = say(lang, "mirror.asks", n=len(missing), text="\n".join(lines))
    return CommandOutcome(True, text, memories=tuple(missing), choices=choices)


async def _find_mirror_question(store: Store, c: Command) -> Mapping[str, Json] | None:
    state = await store.read(c.user_id, lambda tx: tx.mirror.get_state())
    return state.get_open_question(c.at) if state is not None else None


async def answer_mirror(
    memory: api.Memory, store: Store, c: Command, lang: Lang
) -> CommandOutcome | None:
    """Forget what is missing from the file, or write it into the file again.

    None if the key is no answer to that question.
    """
    asking = await _find_mirror_question(store, c)
    private = c.scope == f"user:{c.user_id}"
    if not private or asking is None or c.args not in (asking["yes"], asking["no"]):
        return None
    ids = asking["ids"] if c.args == asking["yes"] else []
    done = await memory.forget_missing(c.user_id, ids, c.at)
    return answer(lang, "mirror.forgotten" if done else "mirror.kept", n=len(done))
