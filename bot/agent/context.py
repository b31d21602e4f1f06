"""What the chat model is sent, in an order made for prompt caches.

system: persona, rules, resident profile, latest episode, running summary; history; recalled block
and newest message
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import prompts
from bot.texts import say, words
from memory.models import Hit, Lang, Memory, Message, Mode, mark_quote
from memory.ports import ModelRequest
from memory.text.clean import MESSAGE_OVERHEAD, estimate_tokens

REPLY_SHARE = 0.25  # of the context is kept free for the reply
# of what is left, for a newest message that does not fit: the rest is for what came before it,
NEWEST_SHARE = 0.8
LEAST_NEWEST = 0.3  # which may take more of it where short messages would be lost
SMALLEST_NEWEST = 200  # tokens of it that are sent whatever else there is
LONG_SHARES = (
    4,
    20,
    80,
    320,
)  # of the context a long message of the history may have, tried one after the other
MARK_TOKENS = 6  # of a time mark, the longer ones of a day's first message set aside
OFF_RECORD = frozenset({"temp", "private"})
SMALLEST = 60  # tokens: what is shorter is never shortened
HEAD_SHARE = 2 / 3  # of a shortened message is its beginning, the rest its end
_NOTICES = tuple(
    say(lang, key) for key in ("shortened", "shortened.history") for lang in prompts.LANGS
)


@dataclass(frozen=True, slots=True)
class PromptMaterial:
    """Everything one prompt is made of."""

    text: str
    now: datetime
    tz: str
    lang: Lang
    history: Sequence[Message] = ()
    profile: Sequence[Memory] = ()
    frozen: Sequence[str] | None = (
        None  # ids of the profile at the session's start: later ones stand at the end
    )
    hits: Sequence[Hit] = ()
    episode: str = ""
    summary: str = ""
    note: str = ""
    mode: Mode = Mode.NORMAL
    # temp, private: off the record, and nothing is looked up or it is; group: nothing private is
    where: str = ""
    persona: Path | None = None
    context_tokens: int = 16_000
    reads_all: bool = False  # the model is given the newest message itself, however long


def to_local_time(at: datetime, tz: str) -> datetime:
    """Return the moment on the clock of that zone."""
    return at.astimezone(ZoneInfo(tz))


def format_moment(local: datetime, lang: Lang) -> str:
    """Write date, time and weekday as the newest block says them."""
    return words(lang, "moment", at=local, weekday=words.one_of(lang, "weekdays", local.weekday()))


def load_persona(path: Path | None, lang: Lang) -> str:
    """Return the user's own persona if it can be read, else Ebb's."""
    if path is not None:
        try:
            text = path.read_text(encoding="utf-8-sig").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
        if text:
            return text
    return prompts.load("persona", lang).render().strip()


def get_planned_day(m: Memory, now: datetime, tz: str) -> dict[str, object]:
    """Return the day a memory is planned for, and whether that is still to come."""
    day = m.on if m.on is not None and m.repeats is None else None
    if m.valid_from is not None and m.valid_from > now:
        day = day or m.valid_from
    coming = day is not None and (m.on_until or day) > now
    return {"on": f"{to_local_time(day, tz):%Y-%m-%d}" if day else "", "coming": coming}


def format_hit(hit: Hit, lang: Lang, tz: str, now: datetime) -> dict[str, object]:
    """Describe a recalled memory for the prompt: what, how faded, since when, whether it still
    holds.

    It is the original, whatever the level: that is a way of speaking. Of an opened secret it is
    what was opened.
    """
    m = hit.memory
    said = m.valid_from or m.created_at
    return {
        **get_planned_day(m, now, tz),
        "id": m.id,
        "glyph": m.level.glyph,
        "text": m.content if hit.why == "secret" else mark_quote(m, m.original_content),
        "kind": str(m.kind),
        "when": f"{to_local_time(said, tz):%Y-%m-%d}",
        "due": f"{to_local_time(m.expires_at, tz):%Y-%m-%d}" if m.expires_at else "",
        "phrase": prompts.phrase(int(m.level), lang),
        "level": m.level.name.lower(),
        "negated": m.negated_at is not None,
        "superseded": m.state == "superseded",
        "relevance": round(hit.gate, 3),
        "evidence": {name: round(odds, 3) for name, odds in hit.evidence.items()},
        "why": hit.why,
    }


def _said(m: Message) -> str:
    """Return a message as the model may see it, without Ebb's own line before a reply."""
    line = next((x for x in _NOTICES if m.role == "assistant" and m.text.startswith(x)), "")
    return prompts.data(m.text.removeprefix(line))


def write_shortening_notice(request: ModelRequest, m: PromptMaterial) -> str:
    """Tell the person that the model is not sent everything; of the history only once."""
    if m.reads_all:
        return ""
    if request.data["shortened"]:
        return say(m.lang, "shortened")
    told = any(x.text.startswith(_NOTICES) for x in m.history if x.role == "assistant")
    return "" if told or not request.data["history_shortened"] else say(m.lang, "shortened.history")


def _fit(history: Sequence[Message], budget: int, most: int, m: PromptMaterial) -> list[str]:
    """Return the history's texts, shortened towards the budget.

    The longest lose their middle first, and of those the oldest: what changes is in front of what
    stays the same. Only where that is more than `most` tokens do the oldest go, an answer with its
    question.
    """
    out = [_said(x) for x in history]
    sizes = [_size(t) for t in out]
    for share in LONG_SHARES:
        longest, over = max(m.context_tokens // share, SMALLEST), sum(sizes) - budget
        for i, size in enumerate(sizes):
            if over > 0 and size > longest:
                out[i] = shorten_text(_said(history[i]), longest, m.lang)
                sizes[i] = _size(out[i])
                over -= size - sizes[i]
    gone = 0
    while sum(sizes[gone:]) > most or (0 < gone < len(out) and history[gone].role != "user"):
        gone += 1
    return out[gone:]


def _size(text: str) -> int:
    return estimate_tokens(text) + MESSAGE_OVERHEAD + MARK_TOKENS


def _time_marks(messages: Sequence[Message], lang: Lang) -> list[str]:
    """When each of the user's messages was written: the hour; where day or zone are new, these as
    well.

    A mark depends on the messages before it alone, so that it stays the same from turn to turn.
    """
    out, before = [""] * len(messages), (date.min, "")
    for i, m in enumerate(messages):
        if m.role == "user":
            local = to_local_time(m.at, m.tz)
            out[i] = (
                f"[{local:%H:%M}]"
                if before == (local.date(), m.tz)
                else f"[{format_moment(local, lang)}, {m.tz}]"
            )
            before = (local.date(), m.tz)
    return out


def shorten_text(text: str, most: int, lang: Lang) -> str:
    """Return a text of at most `most` tokens: its middle gives way to a note.

    The end is kept because that is where a question about something pasted tends to stand.
    """
    if estimate_tokens(text) <= most:
        return text
    low, high = 0, min(len(text), most * 16)  # characters kept: the most that fit
    while low < high:
        kept = (low + high + 1) // 2
        if estimate_tokens(_ends(text, kept, lang)) <= most:
            low = kept
        else:
            high = kept - 1
    return _ends(text, low, lang)


def _ends(text: str, kept: int, lang: Lang) -> str:
    head = round(kept * HEAD_SHARE)
    tail = kept - head
    note = say(lang, "middle", n=f"{len(text) - kept:,}")
    return (
        f"{text[:head].rstrip()}\n\n{note}\n\n{text[len(text) - tail :].lstrip() if tail else ''}"
    )


def _in_turns(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """User and assistant by turns: what was never answered goes in front of what was said after it.

    A turn may have failed or been interrupted, and many models refuse two messages of one role in a
    row.
    """
    out: list[dict[str, str]] = []
    for t in turns:
        if out and out[-1]["role"] == t["role"]:
            out[-1]["content"] += f"\n\n{t['content']}"
        else:
            out.append({"role": t["role"], "content": t["content"]})
    return out


def build(m: PromptMaterial) -> ModelRequest:
    """Build the request for one reply.

    Recalled text stands only in its delimited block, as data.
    """
    hits = {h.memory.id for h in m.hits}
    fresh = [p for p in m.profile if m.frozen is not None and p.id not in {*m.frozen, *hits}]
    profile = [
        {
            "id": p.id,
            "text": mark_quote(p, p.original_content),
            "kind": str(p.kind),
            "when": f"{to_local_time(p.created_at, m.tz):%Y-%m-%d}",
            **get_planned_day(p, m.now, m.tz),
        }
        for p in m.profile
        if m.frozen is None or p.id in m.frozen
    ]
    recalled = [
        format_hit(h, m.lang, m.tz, m.now) for h in (*(Hit(p, 1.0) for p in fresh), *m.hits)
    ]
    system = "\n\n".join(
        part
        for part in (
            load_persona(m.persona, m.lang),
            prompts.load("rules", m.lang).render(off_record=m.where in OFF_RECORD).strip(),
            prompts.load("chat_context", m.lang)
            .render(profile=profile, episode=m.episode, summary=m.summary)
            .strip(),
        )
        if part
    )
    local = to_local_time(m.now, m.tz)
    block = prompts.load("recalled", m.lang).render(
        items=recalled,
        now=format_moment(local, m.lang),
        tz=m.tz,
        mode=(m.mode is Mode.NORMAL and m.where) or str(m.mode),
        note=m.note,
    )
    room = (
        int(m.context_tokens * (1 - REPLY_SHARE)) - estimate_tokens(system) - estimate_tokens(block)
    )
    text = prompts.data(m.text)  # what is pasted cannot pass for a block of ours
    history = [x for x in m.history if x.text]
    size = estimate_tokens(text)
    soft, hard = (
        max(room - size, int(room * (1 - NEWEST_SHARE))),
        max(room - size, int(room * (1 - LEAST_NEWEST))),
    )
    texts = _fit(history, soft, hard, m)
    most = max(room - sum(map(_size, texts)), SMALLEST_NEWEST)
    newest = f"{block.strip()}\n\n{shorten_text(text, most, m.lang)}"
    left_out = len(history) - len(texts)
    history = history[left_out:]
    marks = _time_marks(history, m.lang)
    turns = [
        {"role": x.role, "content": f"{mark} {said}" if mark else said}
        for x, mark, said in zip(history, marks, texts, strict=True)
    ]
    if left_out:
        turns.insert(0, {"role": "user", "content": say(m.lang, "left_out", n=left_out)})
    data = {
        "message": m.text,
        "history": [
            {"role": x.role, "text": said, "at": to_local_time(x.at, x.tz).isoformat()}
            for x, said in zip(history, texts, strict=True)
        ],
        "history_shortened": left_out > 0 or texts != [_said(x) for x in history],
        "marks": [
            *filter(None, marks),
            f"[{local:%H:%M}]",
            f"[{format_moment(local, m.lang)}, {m.tz}]",
        ],
        "recalled": recalled,
        "profile": profile,
        "summary": m.summary,
        "episode": m.episode,
        "note": m.note,
        "shortened": size > most,  # the model is sent the newest message without its middle
        "where": m.where,
        "lang": m.lang,
        "now": local.isoformat(),
        "tz": m.tz,
    }
    said = _in_turns([*turns, {"role": "user", "content": newest}])
    messages = [{"role": "system", "content": system}, *said]
    return ModelRequest(task="chat", messages=messages, data=data)
