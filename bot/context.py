"""What the chat model is sent, in the order of DESIGN §7 (made for prompt caches).

system: persona, rules, resident profile, latest episode, running summary; history; recalled block and newest message
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import prompts
from bot.llm.tokens import estimate_tokens
from memory.models import Hit, Lang, Memory, Message, Mode
from memory.ports import ModelRequest

REPLY_SHARE = 0.25  # of the context is kept free for the reply
NEWEST_SHARE = 0.8  # of what is left, for a newest message that does not fit: the rest is for what came before it
SMALLEST_NEWEST = 200  # tokens of it that are sent whatever else there is
HEAD_SHARE = 2 / 3  # of a shortened message is its beginning, the rest its end
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")  # no locale


@dataclass(frozen=True, slots=True)
class Material:
    """Everything one prompt is made of."""

    text: str
    now: datetime
    tz: str
    lang: Lang
    history: Sequence[Message] = ()
    profile: Sequence[Memory] = ()
    frozen: Sequence[str] | None = None  # ids of the profile at the session's start: later ones stand at the end
    hits: Sequence[Hit] = ()
    episode: str = ""
    summary: str = ""
    note: str = ""
    mode: Mode = Mode.NORMAL
    where: str = ""  # temp: nothing is looked up; group: nothing said in private is
    persona: Path | None = None
    context_tokens: int = 16_000
    extra: Sequence[tuple[str, str]] = field(default=())  # history of a window that is off the record


def local_time(at: datetime, tz: str) -> datetime:
    """The moment on the clock of that zone."""
    return at.astimezone(ZoneInfo(tz))


def moment(local: datetime, lang: Lang) -> str:
    """Date, time and weekday, as the newest block says them."""
    day = "一二三四五六日"[local.weekday()]
    return f"{local:%Y-%m-%d %H:%M}" + (f" 星期{day}" if lang == "zh" else f" ({WEEKDAYS[local.weekday()]})")


def persona_text(path: Path | None, lang: Lang) -> str:
    """The user's own persona if there is one that can be read, else Ebb's."""
    if path is not None:
        try:
            text = path.read_text(encoding="utf-8-sig").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
        if text:
            return text
    return prompts.load("persona", lang).render().strip()


def planned(m: Memory, now: datetime, tz: str) -> dict[str, object]:
    """Return the day a memory is planned for, and whether that is still to come."""
    day = m.on if m.on is not None and m.repeats is None else None
    if m.valid_from is not None and m.valid_from > now:
        day = day or m.valid_from
    coming = day is not None and (m.on_until or day) > now
    return {"on": f"{local_time(day, tz):%Y-%m-%d}" if day else "", "coming": coming}


def item_of(hit: Hit, lang: Lang, tz: str, now: datetime) -> dict[str, object]:
    """A recalled memory as the prompt shows it: what, how faded, since when, and whether it still holds.

    It is the original, whatever the level: that is a way of speaking. Of an opened secret it is what was opened.
    """
    m = hit.memory
    said = m.valid_from or m.created_at
    return {
        **planned(m, now, tz),
        "id": m.id,
        "glyph": m.level.glyph,
        "text": m.content if hit.why == "secret" else m.original_content,
        "kind": str(m.kind),
        "when": f"{local_time(said, tz):%Y-%m-%d}",
        "due": f"{local_time(m.expires_at, tz):%Y-%m-%d}" if m.expires_at else "",
        "phrase": prompts.phrase(int(m.level), lang),
        "level": m.level.name.lower(),
        "negated": m.negated_at is not None,
        "superseded": m.state == "superseded",
    }


def _fit(turns: list[dict[str, str]], budget: int) -> list[dict[str, str]]:
    """The newest messages that fit; a cut never leaves an answer without its question in front."""
    total, keep = 0, len(turns)
    for i in range(len(turns) - 1, -1, -1):
        total += estimate_tokens(turns[i]["content"]) + 4
        if total > budget:
            break
        keep = i
    while keep < len(turns) and turns[keep]["role"] != "user":
        keep += 1
    return turns[keep:]


def shortened(text: str, most: int, lang: Lang) -> str:
    """The text if it is at most `most` tokens; else its beginning and its end, and a note of what is left out.

    The end is kept because that is where a question about something pasted tends to stand.
    """
    if estimate_tokens(text) <= most:
        return text
    low, high = 0, len(text)  # characters kept: the most that fit
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
    n = f"{len(text) - kept:,}"
    note = (
        f"[……此处省略 {n} 个字符：这条消息太长，无法整条读入……]"
        if lang == "zh"
        else f"[… {n} characters are left out here: the message is too long to be read whole …]"
    )
    return f"{text[:head].rstrip()}\n\n{note}\n\n{text[len(text) - tail :].lstrip() if tail else ''}"


def _in_turns(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """User and assistant by turns: what was never answered goes in front of what was said after it.

    A turn may have failed or been interrupted, and many models refuse two messages of one role in a row.
    """
    out: list[dict[str, str]] = []
    for t in turns:
        if out and out[-1]["role"] == t["role"]:
            out[-1]["content"] += f"\n\n{t['content']}"
        else:
            out.append({"role": t["role"], "content": t["content"]})
    return out


def build(m: Material) -> ModelRequest:
    """The request for one reply. Recalled text stands only in its delimited block, as data."""
    hits = {h.memory.id for h in m.hits}
    fresh = [p for p in m.profile if m.frozen is not None and p.id not in {*m.frozen, *hits}]
    profile = [
        {"id": p.id, "text": p.original_content, "kind": str(p.kind), **planned(p, m.now, m.tz)}
        for p in m.profile
        if m.frozen is None or p.id in m.frozen
    ]
    recalled = [item_of(h, m.lang, m.tz, m.now) for h in (*(Hit(p, 1.0) for p in fresh), *m.hits)]
    system = "\n\n".join(
        part
        for part in (
            persona_text(m.persona, m.lang),
            prompts.load("rules", m.lang).render().strip(),
            prompts.load("chat_context", m.lang)
            .render(profile=profile, episode=m.episode, summary=m.summary)
            .strip(),
        )
        if part
    )
    local = local_time(m.now, m.tz)
    block = prompts.load("recalled", m.lang).render(
        items=recalled,
        now=moment(local, m.lang),
        tz=m.tz,
        mode=(m.mode is Mode.NORMAL and m.where) or str(m.mode),
        note=m.note,
    )
    room = int(m.context_tokens * (1 - REPLY_SHARE)) - estimate_tokens(system) - estimate_tokens(block)
    text = prompts.data(m.text)  # what is pasted cannot pass for a block of ours
    whole = estimate_tokens(text) <= room
    if not whole:
        text = shortened(text, max(int(room * NEWEST_SHARE), SMALLEST_NEWEST), m.lang)
    newest = f"{block.strip()}\n\n{text}"
    turns = [
        {"role": x.role, "content": prompts.data(x.text), "at": local_time(x.at, x.tz).isoformat()}
        for x in m.history
        if x.text
    ]
    turns += [{"role": role, "content": prompts.data(text), "at": local.isoformat()} for role, text in m.extra]
    turns = _fit(turns, room - estimate_tokens(text))
    data = {
        "message": m.text,
        "history": [{"role": t["role"], "text": t["content"], "at": t["at"]} for t in turns],
        "recalled": recalled,
        "profile": profile,
        "summary": m.summary,
        "episode": m.episode,
        "note": m.note,
        "where": m.where,
        "shortened": not whole,  # the model is sent the newest message without its middle
        "lang": m.lang,
        "now": local.isoformat(),
        "tz": m.tz,
    }
    said = _in_turns([*turns, {"role": "user", "content": newest}])
    messages = [{"role": "system", "content": system}, *said]
    return ModelRequest(task="chat", messages=messages, data=data)
