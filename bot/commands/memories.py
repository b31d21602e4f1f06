"""Memories as people read them: one in a line, a page of them, all that is known of one, and what was known once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.events import Command, CommandOutcome
from bot.texts import Texts, format_age, join, say, words
from memory.models import (
    KINDS,
    Filter,
    Lang,
    Level,
    Memory,
    MemoryPage,
    Sensitivity,
    State,
    WeightEvent,
    mark_quote,
)

if TYPE_CHECKING:
    from memory.service import (
        MemoryService,
    )  # half a second that the terminal's first paint must not wait for

LISTED = 30  # on one page
labels = Texts("details")
marks = Texts("marks")
_PAGE: Final = re.compile(
    r"(?:^|\s)(?:page\s{1,9}|p\.?)(?P<en>\d{1,6})$|(?:^|\s)第?\s{0,9}(?P<zh>\d{1,6})\s{0,9}页$",
    re.IGNORECASE,
)
_STEP: Final = re.compile(r"^(\w+) → (\w+)$")
_BY: Final = re.compile(r"^by (\w+)$")
_MERGED: Final = re.compile(r"^(\d+) into one$")


def format_memory(m: Memory, lang: Lang, now: datetime) -> str:
    """Write one memory in a list: glyph, kind, text, how faded, how old, id."""
    import prompts  # Jinja2: not before the first paint

    holds = {
        "negated": m.negated_at is not None,
        "superseded": m.state is State.SUPERSEDED,
        "gone": m.state in {State.DELETED, State.FORGOTTEN},
        "proposed": m.state is State.PROPOSED,
        "sealed": m.sensitivity is Sensitivity.SECRET,
        "quiet": m.quiet_at is not None,
    }
    told = [
        prompts.phrase(int(m.level), lang),
        *(marks(lang, k) for k, yes in holds.items() if yes),
    ]
    told = [t for t in (*told, "📍" if m.pinned else "") if t]
    extra = words(lang, "aside", text=join(told, lang)) if told else ""
    text = mark_quote(m, m.content)
    return f"{m.level.glyph} {KINDS[m.kind].icon} {text}{extra} · {format_age(m.created_at, now, lang)} [{m.id}]"


def parse_list_request(args: str) -> tuple[str, int]:
    """Read the word that is looked for and the page, from 1: `tea page 2`, `page 3`, 茶 第2页."""
    m = _PAGE.search(args.strip())
    if m is None:
        return args.strip(), 1
    return args.strip()[: m.start()].strip(), max(1, int(m["en"] or m["zh"]))


async def listed(
    service: MemoryService, c: Command, lang: Lang, size: int = LISTED
) -> CommandOutcome:
    """List a page of `size` memories, strongest first; past the end the last.

    `offset` says how many come before.
    """
    word, number = parse_list_request(c.args)
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED}), max_sensitivity=Sensitivity.SECRET)

    async def at(n: int) -> MemoryPage:
        offset = (n - 1) * size
        return await service.find(
            c.user_id, f, text=word or None, order="weight", limit=size, offset=offset
        )

    page = await at(number)
    pages = -(-page.total // size)
    if not page.items and page.total:
        number = pages
        page = await at(number)
    if not page.items:
        return CommandOutcome(
            True, say(lang, "memories.none_about" if word else "memories.none", text=word)
        )
    before = (number - 1) * size
    off = [say(lang, "memory.is_off")] if await service.is_off(c.user_id) else []
    lines = [say(lang, "memories.head", n=page.total)]
    if pages > 1:
        lines[0] += say(
            lang, "memories.span", first=before + 1, last=before + len(page.items), n=page.total
        )
    lines += [f"- {format_memory(m, lang, c.at)}" for m in page.items]
    if left := page.total - before - len(page.items):
        lines.append(
            say(lang, "memories.more", n=left, word=f"{word} " if word else "", page=number + 1)
        )
    return CommandOutcome(
        True, "\n".join([*off, *lines]), memories=tuple(page.items), total=page.total, offset=before
    )


async def list_as_of(
    service: MemoryService,
    user_id: str,
    at: datetime,
    now: datetime,
    topic: str,
    lang: Lang,
    tz: str,
    *,
    most: int = 200,
    bullet: str = "- ",
) -> CommandOutcome:
    """List what was known at `at`, level by level; what has become of it since stands behind it."""
    page = await service.list_known_at(user_id, at, topic or None, limit=most)
    current = {m.id: m for m in await service.get_many(user_id, [m.id for m in page.items])}
    if not page.items:
        return CommandOutcome(True, say(lang, "asof.none", when=_when(at, tz)))
    ordered = [m for level in Level for m in page.items if m.level is level]
    lines = [
        f"{bullet}{format_memory(m, lang, now)}{_since(current.get(m.id), lang)}" for m in ordered
    ]
    if page.total > len(page.items):
        lines.append(say(lang, "asof.more", n=page.total - len(page.items)))
    head = say(lang, "asof.head", when=_when(at, tz), n=page.total)
    return CommandOutcome(
        True,
        "\n".join([head, *lines]),
        memories=tuple(current[m.id] for m in ordered if m.id in current),
    )


def _since(now: Memory | None, lang: Lang) -> str:
    if now is None or (now.state is State.ACTIVE and now.negated_at is None):
        return ""
    return say(lang, "asof.negated" if now.state is State.ACTIVE else f"asof.{now.state}")


def _when(at: datetime, tz: str) -> str:
    try:
        zone = ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


def describe_memory(m: Memory, weighs: float, lang: Lang, zone: tzinfo) -> Mapping[str, str]:
    """Return label and value of all there is to say of a memory; times to the minute, in the zone."""

    def at(time: datetime | None) -> str:
        return "" if time is None else f"{time.astimezone(zone):%Y-%m-%d %H:%M}"

    source = labels(lang, f"source.{m.source}")
    rows: dict[str, object] = {
        "kind": labels(lang, f"kind.{m.kind}"),
        "layer": labels(lang, f"layer.{m.layer}"),
        "state": labels(lang, f"state.{m.state}"),
        "level": labels(lang, f"level.{m.level.name.lower()}"),
        "curve": m.curve,
        "weight": f"{weighs:.3f}",
        "importance": f"{m.importance:.2f}",
        "confidence": f"{m.confidence:.2f}",
        "source": labels(lang, "verified", source=source) if m.verified else source,
        "pinned": labels(lang, "yes") if m.pinned else "",
        "created": at(m.created_at),
        "active": at(m.last_activated_at),
        "mentions": m.activation_count,
        "valid": f"{at(m.valid_from) or '…'} – {at(m.valid_until) or '…'}"
        if m.valid_from or m.valid_until
        else "",
        "expires": at(m.expires_at),
        "negated": at(m.negated_at),
        "original": m.original_content if m.original_content != m.content else "",
        "history": " ← ".join(
            str(e["was"]) for e in reversed(m.correction_history) if e.get("was")
        ),
        "supersedes": " ".join(m.supersedes),
        "merged_from": " ".join(m.merged_from),
        "merged_into": m.merged_into or "",
        "source_ids": " ".join(m.source_ids),
        "entities": join(m.entities, lang, "list"),
        "session": m.source_session or "",
    }
    return {labels(lang, k): str(v) for k, v in rows.items() if str(v)}


def describe_event(e: WeightEvent, lang: Lang) -> str:
    """Say the reason of a line of the log; what is no word of ours (a curve, an id) stays as it is."""
    if (by := _BY.match(e.reason)) is not None:
        return labels(lang, "why.by", id=by[1])
    if (n := _MERGED.match(e.reason)) is not None:
        return labels(lang, "why.merged", n=n[1])
    if (
        (step := _STEP.match(e.reason)) is not None
        and f"level.{step[1]}" in labels
        and f"level.{step[2]}" in labels
    ):
        return f"{labels(lang, f'level.{step[1]}')} → {labels(lang, f'level.{step[2]}')}"
    for key in (f"why.{e.reason}", f"source.{e.reason}"):
        if key in labels:
            return labels(lang, key)
    return e.reason
