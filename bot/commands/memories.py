"""Memories as people read them: one in a line, a page, all of one, and what was known once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.events import Command, CommandOutcome, answer
from bot.shoreline import CHAT_WIDTH, describe_shoreline, draw_shoreline
from bot.texts import Texts, format_age, join, level_name, say, words
from memory.models import KINDS, Filter, Lang, Memory, Sensitivity, State, WeightEvent, mark_quote

if TYPE_CHECKING:  # half a second that the terminal's first paint must not wait for
    from memory import api

LISTED = 30  # on one page
labels = Texts("details")
marks = Texts("marks")
_PAGE: Final = re.compile(
    r"(?:^|\s)(?:page\s{1,9}|p\.?)(?P<en>\d{1,6})$|(?:^|\s)第?\s{0,9}(?P<zh>\d{1,6})\s{0,9}页$",
    re.IGNORECASE,
)


def format_memory(
    m: Memory, lang: Lang, now: datetime, tz: str = "UTC", deaths: Sequence[Memory] = ()
) -> str:
    """Write one memory in a list: glyph, kind, text, how faded, its day, how old, id."""
    import prompts  # Jinja2: not before the first paint
    from memory.api import write_occasion

    holds = {
        "negated": m.negated_at is not None,
        "superseded": m.state is State.SUPERSEDED,
        "gone": m.state in {State.DELETED, State.FORGOTTEN},
        "proposed": m.state is State.PROPOSED,
        "sealed": m.sensitivity is Sensitivity.SECRET,
        "quiet": m.quiet_at is not None,
        "unsure": m.unsure,
    }
    told = [
        prompts.phrase(int(m.spoken_level), lang),
        *(marks(lang, k) for k, yes in holds.items() if yes),
    ]
    told += [marks(lang, "over", n=len(m.source_ids))] if m.source_ids else []
    told = [t for t in (*told, "📍" if m.pinned else "") if t]
    text = mark_quote(m, m.shown_text) + (
        words(lang, "aside", text=join(told, lang)) if told else ""
    )
    day = write_occasion(m, now, lang, tz, deaths) if m.state is State.ACTIVE else ""
    foot = " · ".join(filter(None, (text, day, format_age(m.created_at, now, lang))))
    return f"{m.spoken_level.glyph} {KINDS[m.kind].icon} {foot} [{m.id}]"


def list_lines(
    memories: Sequence[Memory],
    total: int,
    lang: Lang,
    now: datetime,
    tz: str = "UTC",
    deaths: Sequence[Memory] = (),
) -> list[str]:
    """Write a line for each memory, and one for how many more there are."""
    more = total - len(memories)
    lines = [f"- {format_memory(m, lang, now, tz, deaths)}" for m in memories]
    return [*lines, *([say(lang, "asof.more", n=more)] if more else [])]


def parse_list_request(args: str) -> tuple[str, int]:
    """Read the word that is looked for and the page, from 1: `tea page 2`, `page 3`, 茶 第2页."""
    m = _PAGE.search(args.strip())
    if m is None:
        return args.strip(), 1
    return args.strip()[: m.start()].strip(), max(1, int(m["en"] or m["zh"]))


async def list_memories(
    memory: api.Memory, c: Command, lang: Lang, size: int = LISTED
) -> CommandOutcome:
    """List a page of `size` memories, strongest first; past the end the last.

    `offset` says how many come before.
    """
    word, number = parse_list_request(c.args)
    f = Filter(frozenset({State.ACTIVE, State.PROPOSED}), max_sensitivity=Sensitivity.SECRET)
    text = word or None
    count = (await memory.find(c.user_id, f, text=text, limit=1)).total
    if not count:
        return answer(lang, "memories.none_about" if word else "memories.none", text=word)
    pages = -(-count // size)
    number = min(number, pages)
    before = (number - 1) * size
    page = await memory.find(c.user_id, f, text=text, order="weight", limit=size, offset=before)
    end = before + len(page.items)
    head = say(lang, "memories.head", n=count)
    if pages > 1:
        head += say(lang, "memories.span", first=before + 1, last=end, n=count)
    lines = [say(lang, "memory.is_off")] if await memory.is_off(c.user_id) else []
    levels = {} if word or before else await memory.count_levels(c.user_id)
    if levels:
        ink = "".join(run for _, run in draw_shoreline(levels, CHAT_WIDTH))
        head += f"\n{ink}\n{describe_shoreline(levels, lang)}"
    deaths = (await memory.get_day(c.user_id, c.at, c.tz)).deaths
    lines += [head, *list_lines(page.items, len(page.items), lang, c.at, c.tz, deaths)]
    if end < count:
        again = f"{word} " if word else ""
        lines.append(say(lang, "memories.more", n=count - end, word=again, page=number + 1))
    return CommandOutcome(
        True,
        "\n".join(lines),
        memories=tuple(page.items),
        total=count,
        offset=before,
        levels=levels,
    )


async def list_as_of(
    memory: api.Memory,
    user_id: str,
    at: datetime,
    now: datetime,
    lang: Lang,
    tz: str,
    topic: str = "",
    *,
    most: int = 200,
) -> CommandOutcome:
    """List what was known at `at`, level by level; what has become of it since stands behind it."""
    page = await memory.list_known_at(user_id, at, topic or None, limit=most)
    current = {m.id: m for m in await memory.get_many(user_id, [m.id for m in page.items])}
    try:
        when = f"{at.astimezone(ZoneInfo(tz)):%Y-%m-%d %H:%M}"
    except (ZoneInfoNotFoundError, ValueError):
        when = f"{at:%Y-%m-%d %H:%M}"
    if not page.items:
        return answer(lang, "asof.none", when=when)
    ordered = sorted(page.items, key=lambda m: m.level)
    deaths = (await memory.get_day(user_id, now, tz)).deaths
    lines = list_lines(ordered, page.total, lang, now, tz, deaths)
    for i, m in enumerate(ordered):
        state = "" if (is_now := current.get(m.id)) is None else str(is_now.state)
        if is_now is not None and is_now.state is State.ACTIVE:
            state = "negated" if is_now.negated_at is not None else ""
        lines[i] += say(lang, f"asof.{state}") if state else ""
        lines[i] += say(lang, "asof.later") if m.created_at > at else ""
        lines[i] += "" if m.has_begun(at) else say(lang, "asof.coming")
    text = "\n".join([say(lang, "asof.head", when=when, n=page.total), *lines])
    return CommandOutcome(
        True, text, memories=tuple(current[m.id] for m in ordered if m.id in current)
    )


def describe_memory(m: Memory, weighs: float, lang: Lang, zone: tzinfo) -> Mapping[str, str]:
    """Return label and value of all there is to say of a memory; times to the minute."""

    def at(time: datetime | None) -> str:
        return "" if time is None else f"{time.astimezone(zone):%Y-%m-%d %H:%M}"

    source = labels(lang, f"source.{m.source}")
    until = f"{at(m.valid_from) or '…'} – {at(m.valid_until) or '…'}"
    was = (str(e["was"]) for e in reversed(m.correction_history) if e.get("was"))
    rows: dict[str, object] = {
        "kind": labels(lang, f"kind.{m.kind}"),
        "layer": labels(lang, f"layer.{m.layer}"),
        "state": labels(lang, f"state.{m.state}"),
        "level": level_name(m.level, lang),
        "curve": m.curve,
        "weight": f"{weighs:.3f}",
        "importance": f"{m.importance:.2f}",
        "confidence": f"{m.confidence:.2f}",
        "source": labels(lang, "verified", source=source) if m.verified else source,
        "pinned": labels(lang, "yes") if m.pinned else "",
        "created": at(m.created_at),
        "active": at(m.last_activated_at),
        "mentions": m.activation_count,
        "valid": until if m.valid_from or m.valid_until else "",
        "expires": at(m.expires_at),
        "negated": at(m.negated_at),
        "original": m.original_content if m.original_content != m.shown_text else "",
        "history": " ← ".join(was),
        "supersedes": " ".join(m.supersedes),
        "merged_from": " ".join(m.merged_from),
        "merged_into": m.merged_into or "",
        "source_ids": " ".join(m.source_ids),
        "entities": join(m.entities, lang, "list"),
        "session": m.source_session or "",
    }
    return {labels(lang, k): str(v) for k, v in rows.items() if str(v)}


def describe_event(e: WeightEvent, lang: Lang) -> str:
    """Say the reason of a line of the log; what is no word of ours (a curve) stays as it is."""
    if (by := re.fullmatch(r"by (\w+)", e.reason)) is not None:
        return labels(lang, "why.by", id=by[1])
    if (n := re.fullmatch(r"(\d+) into one", e.reason)) is not None:
        return labels(lang, "why.merged", n=n[1])
    if (step := re.fullmatch(r"(\w+) → (\w+)", e.reason)) is not None:
        return " → ".join(words.name(lang, "level", x) for x in step.groups())
    why = labels.name(lang, "why", e.reason)
    return labels.name(lang, "source", e.reason) if why == e.reason else why
