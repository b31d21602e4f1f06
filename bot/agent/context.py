"""What the chat model is sent, in an order made for prompt caches.

system: persona, rules, resident profile, latest episode, running summary; history; newest message
and recalled block
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from zoneinfo import ZoneInfo

import prompts
from bot.agent.documents import describe_passages, show_document, write_outline
from bot.pictures import Picture
from bot.texts import join, say, words
from memory.api import (
    MESSAGE_OVERHEAD,
    DayView,
    HardDay,
    estimate_tokens,
    find_death,
    find_occasion,
    find_today,
    is_silenced,
    read_start,
    strip_pictures,
    write_death,
    write_growth,
)
from memory.models import Hit, Json, Lang, Layer, Level, Memory, Message, Mode, Passage, mark_quote
from memory.ports import ModelRequest

REPLY_SHARE = 0.25  # of the context is kept free for the reply
# of what is left, for a newest message that does not fit: the rest is for what came before it,
NEWEST_SHARE = 0.8
LEAST_NEWEST = 0.3  # which may take more of it where short messages would be lost
SMALLEST_NEWEST = 200  # tokens of it that are sent whatever else there is
# of the context a long message of the history may have, tried one after the other
LONG_SHARES = (4, 20, 80, 320)
MARK_TOKENS = 6  # of a time mark, the longer ones of a day's first message set aside
PICTURE_TOKENS = 1_000  # of one picture, about
FAR = timedelta(days=30)  # ahead: what repeats is told with its next day, and no word
OFF_RECORD = frozenset({"temp", "private"})
SMALLEST = 60  # tokens: what is shorter is never shortened
HEAD_SHARE = 2 / 3  # of a shortened message is its beginning, the rest its end
_NOTICES = tuple(
    say(lang, key) for key in ("shortened", "shortened.history") for lang in prompts.LANGS
)

_UNSEEN = tuple(
    say(lang, key) for key in ("pictures.blind", "pictures.spoilt") for lang in prompts.LANGS
)


@dataclass(frozen=True, slots=True)
class PromptMaterial:
    """Everything one prompt is made of."""

    text: str
    now: datetime
    tz: str
    lang: Lang  # of the person's message
    told_in: Lang | None = None  # language of the instructions, where it is another
    history: Sequence[Message] = ()
    profile: Sequence[Memory] = ()
    # ids of the profile at the session's start: later ones stand at the end
    frozen: Sequence[str] | None = None
    hits: Sequence[Hit] = ()
    passages: Sequence[Passage] = ()  # of long texts of this conversation
    faint: Hit | None = None  # came near the gate: that something is there, and no more of it
    day: DayView = DayView()
    later: Mapping[str, Sequence[Memory]] = field(default_factory=dict)  # beside plans, by their id
    learning: Mapping[str, Json] = field(default_factory=dict)  # for a reply without a model
    episode: str = ""
    summary: str = ""
    note: str = ""
    hard: HardDay = ""  # whether the message speaks of hurting oneself, or worries about somebody
    mode: Mode = Mode.NORMAL
    # temp, private: off the record, and nothing is looked up or it is; group: nothing private is
    where: str = ""
    persona: Path | None = None
    context_tokens: int = 16_000
    pictures: Sequence[Picture] = ()
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


@cache
def _load_help() -> Mapping[str, Mapping[str, str]]:
    text = Path(__file__).with_name("emergency_help.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def write_help(tz: str, lang: Lang, where: str) -> str:
    """Write whom to call in the country of a time zone; in a group, that Ebb listens in private."""
    here = [
        place
        for place in _load_help().values()
        for zone in place["zones"].split()
        if tz == zone or (zone.endswith("/") and tz.startswith(zone))
    ]
    hours = [words(lang, "aside", text=p["hours"]) if "hours" in p else "" for p in here]
    text = say(lang, "hard.here", **{**here[0], "hours": hours[0]}) if here else ""
    text = text or say(lang, "hard.anywhere")
    return f"{text} {say(lang, 'hard.private')}" if where == "group" else text


def get_planned_day(
    m: Memory, now: datetime, tz: str, lang: Lang, deaths: Sequence[Memory] = ()
) -> dict[str, object]:
    """Return a memory's day as it was said, the word for how near it is, and who of it has died.

    `coming`: it is a plan and not over; `planned`: its day is past, and nobody said how it was.
    """
    d = find_death(m, deaths)
    o = None if is_silenced(m, deaths) else find_occasion(m, now, tz)
    due = o is not None and m.on is None and m.expires_at is not None
    today = find_today(now, tz)
    far = o is not None and o.repeats and o.first - today > FAR  # it is on some day anyway
    return {
        "on": o.write_day() if o and not due else "",
        "due": o.write_day() if o and due else "",
        "near": o.write_word(today, lang) if o and not far and o.standing != "over" else "",
        "coming": o is not None and not due and o.standing == "coming",
        "planned": o is not None and not due and o.standing == "planned",
        "repeats": o is not None and o.repeats,
        "died": write_death(d, tz, lang) if d and d.quiet_at is None else "",
        "grown": write_growth(m, now, lang, tz, deaths),
    }


def _began_before(m: Memory) -> bool:
    """Tell whether a memory holds since a day before it was told."""
    return m.valid_from is not None and m.created_at - m.valid_from >= timedelta(days=1)


def drop_silenced(m: PromptMaterial) -> list[Hit]:
    """Return the hits without what was to come for the dead, unless the message is about them."""

    def stays(hit: Hit) -> bool:
        o, d = find_occasion(hit.memory, m.now, m.tz), find_death(hit.memory, m.day.deaths)
        if o is None or o.standing not in {"coming", "now"}:
            return True
        said = replace(hit.memory, id="", original_content=m.text, entities=())
        asked = d is not None and find_death(said, [d]) is not None
        return asked or not is_silenced(hit.memory, m.day.deaths)

    return [h for h in m.hits if stays(h)] if m.day.deaths else list(m.hits)


def drop_summarised(m: PromptMaterial, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without this session's episodes: the running summary tells them."""
    here = {x.session_id for x in m.history} if m.summary and m.mode is Mode.NORMAL else set()
    return [
        h
        for h in hits
        if h.memory.layer is not Layer.EPISODE or h.memory.source_session not in here or m.reads_all
    ]


def format_hit(
    hit: Hit, lang: Lang, tz: str, now: datetime, deaths: Sequence[Memory] = ()
) -> dict[str, object]:
    """Describe a recalled memory for the prompt: what, how faded, since when, if it holds.

    What was asked for is the original, whatever the level; what came along is its level's text.
    """
    m, level = hit.memory, hit.memory.spoken_level
    marks = [say(lang, "in_short")] if hit.short else []
    marks += [say(lang, "unsure")] if m.unsure else []
    day = get_planned_day(m, now, tz, lang, deaths)
    marks += filter(None, [prompts.phrase(int(level), lang), str(day["grown"])])
    before = m.is_unsettled(now)
    marks += [say(lang, "from_before")] if before else []
    # An account tells how things were that day, and is never changed.
    marks += [say(lang, "account")] if m.layer is Layer.EPISODE else []
    return {
        **day,
        "id": m.id,
        "glyph": level.glyph,
        "text": hit.text,
        "kind": str(m.kind),
        "when": f"{read_start(m, tz)}",
        "phrase": join(marks, lang, "clauses"),
        "level": level.name.lower(),
        "before": before,
        "negated": m.negated_at is not None,
        "superseded": m.state == "superseded",
        "relevance": round(hit.gate, 3),
        "evidence": {name: round(odds, 3) for name, odds in hit.evidence.items()},
        "why": hit.why,
    }


def format_hint(hit: Hit, lang: Lang, tz: str, now: datetime) -> dict[str, object]:
    """Describe something faint: its level's text alone, what sort of thing it is, and when.

    A trace's text says both itself.
    """
    m, short = hit.memory, hit.memory.content.strip()
    found = format_hit(hit, lang, tz, now)
    if len(short) >= len(m.original_content):  # it has none
        return {**found, "text": ""}
    said = {"text": mark_quote(m, short)}
    return {**found, **said, **({} if m.level is Level.TAG else {"kind": "", "when": ""})}


def _clean(m: Message) -> str:
    """Return a message as the model may see it, without Ebb's own lines before a reply.

    Of a document that is its opening and an outline.
    """
    text = m.text
    for line in (*_NOTICES, *_UNSEEN) if m.role == "assistant" else ():
        text = text.removeprefix(line)
    return prompts.data(show_document(text))


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
    out = [_clean(x) for x in history]
    sizes = [_size(t) for t in out]
    for share in LONG_SHARES:
        longest, over = max(m.context_tokens // share, SMALLEST), sum(sizes) - budget
        for i, size in enumerate(sizes):
            if over > 0 and size > longest:
                out[i] = shorten_text(_clean(history[i]), longest, m.told_in or m.lang)
                sizes[i] = _size(out[i])
                over -= size - sizes[i]
    gone = 0
    while sum(sizes[gone:]) > most or (0 < gone < len(out) and history[gone].role != "user"):
        gone += 1
    return out[gone:]


def _size(text: str) -> int:
    return estimate_tokens(text) + MESSAGE_OVERHEAD + MARK_TOKENS


def _mark_time(messages: Sequence[Message], lang: Lang) -> list[str]:
    """Return the hour of each of the user's messages; where day or zone are new, these as well.

    A mark depends on the messages before it alone: it stays the same from turn to turn.
    """
    out, before = [""] * len(messages), (date.min, "")
    for i, m in enumerate(messages):
        if m.role == "user":
            short, long = _write_marks(to_local_time(m.at, m.tz), m.tz, lang)
            day = (to_local_time(m.at, m.tz).date(), m.tz)
            out[i], before = short if before == day else long, day
    return out


def _write_marks(local: datetime, tz: str, lang: Lang) -> tuple[str, str]:
    return f"[{local:%H:%M}]", f"[{format_moment(local, lang)}, {tz}]"


def shorten_text(text: str, most: int, lang: Lang) -> str:
    """Return a text of at most `most` tokens: its middle gives way to a note.

    The end is kept because that is where a question about something pasted tends to stand.
    """
    if estimate_tokens(text) <= most:
        return text

    def keep(kept: int) -> str:
        head = round(kept * HEAD_SHARE)
        end = text[len(text) - kept + head :]
        note = say(lang, "middle", n=f"{len(text) - kept:,}")
        return f"{text[:head].rstrip()}\n\n{note}\n\n{end.lstrip()}"

    sizes = range(1, min(len(text), most * 16) + 1)  # characters kept: the most that fit
    fits = bisect_right(sizes, most, key=lambda kept: estimate_tokens(keep(kept)))
    return keep(fits)


def _take_turns(said: Sequence[tuple[str, str]]) -> list[dict[str, Json]]:
    """Set user and assistant by turns: what was never answered goes before what was said after.

    A turn may have failed, and many models refuse two messages of one role in a row.
    """
    return [
        {"role": role, "content": "\n\n".join(text for _, text in some)}
        for role, some in groupby(said, key=itemgetter(0))
    ]


def build(m: PromptMaterial) -> ModelRequest:
    """Build the request for one reply.

    Recalled text stands only in its delimited block, as data.
    """
    lang = m.told_in or m.lang
    found = drop_summarised(m, drop_silenced(m))
    shown = {h.memory.id for h in found}
    standing = [p for p in m.profile if m.frozen is None or p.id in m.frozen]
    fresh = [p for p in m.profile if p not in standing and p.id not in shown]
    profile = [
        {
            "id": p.id,
            "text": mark_quote(p, p.original_content),
            "kind": str(p.kind),
            "when": f"{to_local_time(p.created_at, m.tz):%Y-%m-%d}",
            "since": f"{read_start(p, m.tz)}" if _began_before(p) else "",
            "unsure": say(lang, "unsure") if p.unsure else "",
            **get_planned_day(p, m.now, m.tz, lang, m.day.deaths),
        }
        for p in standing
    ]
    # What stands in the profile has its day there; the notebook reads the recalled block alone.
    known = shown.union(p.id for p in (fresh if m.reads_all else m.profile))
    near = [Hit(p, 0.0, why="day") for p in m.day.near if p.id not in known]
    hits = (*(Hit(p, 1.0) for p in fresh), *found, *near)
    recalled = [format_hit(h, lang, m.tz, m.now, m.day.deaths) for h in hits]
    faint = format_hint(m.faint, lang, m.tz, m.now) if m.faint else None
    rules = prompts.load("rules", lang).render(off_record=m.where in OFF_RECORD).strip()
    about = prompts.load("chat_context", lang).render(
        profile=profile, episode=m.episode, summary=m.summary
    )
    system = "\n\n".join(filter(None, (load_persona(m.persona, lang), rules, about.strip())))
    local = to_local_time(m.now, m.tz)
    shown_help = write_help(m.tz, m.lang, m.where) if m.hard else ""

    def render_block(passages: Sequence[object]) -> str:
        return prompts.load("recalled", lang).render(
            items=recalled,
            faint=faint,
            now=format_moment(local, lang),
            tz=m.tz,
            mode=(m.mode is Mode.NORMAL and m.where) or str(m.mode),
            note=m.note,
            passages=passages,
            help=shown_help,
        )

    passages = describe_passages(m.passages, lang, m.tz, local.year)
    block = render_block(passages)
    room = int(m.context_tokens * (1 - REPLY_SHARE))
    room -= estimate_tokens(system) + estimate_tokens(block) + len(m.pictures) * PICTURE_TOKENS
    text = prompts.data(m.text)  # what is pasted cannot pass for a block of ours
    size = estimate_tokens(text)
    every = [x for x in m.history if x.text]
    soft, hard = (max(room - size, int(room * (1 - x))) for x in (NEWEST_SHARE, LEAST_NEWEST))
    texts = _fit(every, soft, hard, m)
    most = max(room - sum(map(_size, texts)), SMALLEST_NEWEST)
    outline = f"{prompts.data(write_outline(m.text))}\n\n" if size > most else ""
    sent = outline + shorten_text(text, most - estimate_tokens(outline), lang)
    if passages != (passages := [x for x in passages if x["text"] not in sent]):
        block = render_block(passages)
    left_out = len(every) - len(texts)
    history = every[left_out:]
    newest = Message("", "", None, None, "user", text, m.now, m.tz)
    marks = _mark_time([*history, newest], lang)
    texts.append(sent)
    said = [("user", say(lang, "left_out", n=left_out))] if left_out else []
    for x, mark, told in zip([*history, newest], marks, texts, strict=True):
        said.append((x.role, f"{mark} {told}" if mark else told))
    # Behind the message, which stands before it as it will stand in the history: that is cached.
    said.append(("user", block.strip()))
    data = {
        "message": strip_pictures(m.text),
        "pictures": len(m.pictures),
        "history": [
            {"role": x.role, "text": told, "at": to_local_time(x.at, x.tz).isoformat()}
            for x, told in zip(history, texts, strict=False)
        ],
        "history_shortened": left_out > 0 or texts[:-1] != [_clean(x) for x in history],
        "marks": [*filter(None, marks), *_write_marks(local, m.tz, lang)],
        # Whoever reads these answers a question in quotations: they are never a level's text.
        "recalled": [
            {
                **format_hit(replace(h, asked=True), m.lang, m.tz, m.now, m.day.deaths),
                "later": [
                    {"text": mark_quote(x, x.original_content), "when": f"{read_start(x, m.tz)}"}
                    for x in m.later.get(h.memory.id, ())
                ],
            }
            for h in hits
        ],
        "passages": passages,
        "faint": faint,
        "profile": profile,
        **m.learning,
        "summary": m.summary,
        "episode": m.episode,
        "note": m.note,
        "hard": "self" if m.hard == "unsure" else m.hard,  # it is answered with the same care
        "help": shown_help,
        "shortened": size > most,  # the model is sent the newest message without its middle
        "where": m.where,
        "lang": m.lang,
        "now": local.isoformat(),
        "tz": m.tz,
    }
    messages = [{"role": "system", "content": system}, *_take_turns(said)]
    if m.pictures:
        text_part = {"type": "text", "text": messages[-1]["content"]}
        messages[-1] |= {"content": [text_part, *(p.part for p in m.pictures)]}
    return ModelRequest(task="chat", messages=messages, data=data)
