"""What the person wishes of memory as a whole: to keep quiet about something, or to be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory.learn.same_meaning import find_names, list_units, mentions_name
from memory.models import Filter, Hit, Kind, Memory, MemoryId, Message, Sensitivity, Session, State
from memory.ports import Transaction
from memory.text.languages import either
from memory.text.spans import is_question, join_own_text, split_sentences
from memory.text.words import is_unspaced

_LOOKED_AT: Final = 500
ASKED_FOR: Final = 0.95  # relevance from which a question asks for what is kept quiet (by hand)
_ALL: Final = Filter(  # what has ended is found as history
    states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}),
    max_sensitivity=Sensitivity.SECRET,
)
_ARTICLE: Final = either("forgetting", "ARTICLE")
_OFF: Final = "memory_off"  # in the settings of the user
_QUIET_MESSAGES: Final = "quiet_messages"  # there too: ids
_LINGERS: Final = timedelta(minutes=30)  # what is said since may be about the same (by hand)


# --- quiet ---


def keep_quiet(
    tx: Transaction, thing: str, now: datetime, *, on: bool = True, turn_id: str | None = None
) -> list[Memory]:
    """Mark the memories that name the thing, so that none comes up by itself, or take the mark."""
    near = tx.memories.find(_ALL, text=_strip_article(thing), limit=_LOOKED_AT).items
    ids = [
        m.id
        for m in near
        if (m.quiet_at is None) is on
        and _says_thing(thing, " ".join((m.original_content, *m.entities)))
    ]
    return mark_quiet(tx, ids, thing if on else None, now, turn_id=turn_id)


def mark_quiet(
    tx: Transaction,
    ids: Sequence[MemoryId],
    words: str | None,
    now: datetime,
    *,
    turn_id: str | None = None,
) -> list[Memory]:
    """Mark memories as quiet since now, in these words; without words the mark is taken away."""
    found = tx.memories.get_many(ids)
    if found:
        tx.changes.begin("user", "quiet", now, turn_id=turn_id)
    since = now if words is not None else None
    marked = (replace(m, quiet_at=since, quiet_words=words) for m in found)
    return [tx.memories.put(m, "updated") for m in marked]


def drop_quiet(hits: Sequence[Hit], text: str) -> tuple[Hit, ...]:
    """Return the hits that a message may bring up, best first.

    A quiet one may if the message's own words name what it is quiet about, or are a question about
    a name in it; and one about health, which advice could harm, if it is the answer to a question:
    nothing that is not quiet comes before it.
    """
    own = join_own_text(text)
    asks, out = is_question(own), list[Hit]()
    for h in hits:
        sure = asks and h.gate >= ASKED_FOR and all(x.memory.quiet_at for x in out)
        needed = sure and (h.memory.kind is Kind.HEALTH or h.memory.quiet_words is None)
        if h.memory.quiet_at is None or needed or _calls_for(h.memory, own, asks=asks):
            out.append(h)
    return tuple(out)


def _calls_for(m: Memory, own: str, *, asks: bool) -> bool:
    if m.quiet_words and _says_thing(m.quiet_words, own):
        return True
    names = find_names(m.original_content, m.entities)
    return asks and any(mentions_name(n, own) for n in names)


def find_quiet_wish(tx: Transaction, text: str) -> str | None:
    """Return the words in which the person asked to keep quiet about a thing that a text names."""
    return next((w for w in tx.memories.list_quiet_words() if _says_thing(w, text)), None)


def cut_quiet(tx: Transaction, text: str) -> str:
    """Return a text without the sentences that name what is kept quiet."""
    wishes = tx.memories.list_quiet_words()
    sentences = (text[a:b] for a, b in split_sentences(text)) if wishes else ()
    loud = [s for s in sentences if not any(_says_thing(w, s) for w in wishes)]
    return "\n".join(s.strip() for s in loud) if wishes else text


def mark_message_quiet(tx: Transaction, m: Message) -> None:
    """Let nothing that is learned from a message come up by itself, nor name its session by it."""
    user, told = tx.user(), list_quiet_messages(tx)
    if m.id not in told:
        ids = [*told, m.id]
        tx.put_user(replace(user, settings={**user.settings, _QUIET_MESSAGES: ids}))
    session = tx.conversations.get_session(m.session_id)
    first = tx.conversations.list_messages(session_id=m.session_id, limit=1)
    if session is not None and first == [m]:
        tx.conversations.put_session(replace(session, title=""))


def list_quiet_messages(tx: Transaction) -> list[str]:
    """List the messages of which nothing comes up by itself."""
    return list(tx.user().settings.get(_QUIET_MESSAGES) or [])


def follows_quiet_message(tx: Transaction, now: datetime, within: timedelta = _LINGERS) -> bool:
    """Tell whether the latest message that is kept quiet was said less than `within` ago."""
    latest = (tx.conversations.get_message(i) for i in list_quiet_messages(tx)[-1:])
    return any(m is not None and m.hidden_at is None and now - m.at < within for m in latest)


def _strip_article(thing: str) -> str:
    return _ARTICLE.sub("", thing.strip()) or thing


def _says_thing(thing: str, text: str) -> bool:
    core = _strip_article(thing).casefold()
    if is_unspaced(core):
        return core in text.casefold()
    wanted = list_units(core)
    return wanted <= list_units(text) if wanted else mentions_name(core, text)


# --- off ---


def is_off(tx: Transaction) -> bool:
    """Tell whether the person has switched memory off."""
    return bool(tx.user().settings.get(_OFF))


def turn_memory_off(tx: Transaction, after: int, *, erase: bool) -> bool:
    """Learn and recall nothing from the message behind `after` on; False if memory was off already.

    erase: what is said while memory is off goes when its conversation closes.
    """
    user = tx.user()
    if user.settings.get(_OFF):
        return False
    off = {"after": after, "erase": erase, "learning": user.settings.get("learning")}
    tx.put_user(replace(user, settings={**user.settings, _OFF: off, "learning": "off"}))
    return True


def turn_memory_on(tx: Transaction, now: datetime) -> bool:
    """Close what was said while memory was off, then learn and recall again.

    False if memory was on.
    """
    off = tx.user().settings.get(_OFF)
    if not off:
        return False
    tx.changes.begin("user", "switch", now)
    for session in tx.conversations.list_idle_sessions(now + timedelta(days=1)):
        if tx.conversations.close_session(session.id, now, "on"):
            erase_unkept(tx, session, now)
    user = tx.user()
    settings = {k: v for k, v in user.settings.items() if k not in {_OFF, "learning"}}
    if off["learning"]:
        settings["learning"] = off["learning"]
    tx.put_user(replace(user, settings=settings))
    return True


def erase_unkept(tx: Transaction, session: Session, now: datetime) -> None:
    """Erase what a closed conversation holds of the time in which memory was off."""
    off = tx.user().settings.get(_OFF)
    if not off or not off["erase"]:
        return
    said = tx.conversations.list_messages(session_id=session.id, after=off["after"])
    tx.conversations.put_messages([replace(m, text="", hidden_at=now) for m in said])
    current = tx.conversations.get_session(session.id)
    if current is not None and not tx.conversations.list_messages(session_id=session.id, limit=1):
        tx.conversations.put_session(replace(current, title="", running_summary=""))
