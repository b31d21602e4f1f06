"""One memory, and what happened to it, as a line or two of text: shared by panel, notices and browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from rich.cells import cell_len
from textual.content import Content

from bot.texts import format_age
from memory.models import KINDS, Change, Hit, Kind, Lang, Level, Memory, Precision
from tui.language import WindowLanguage
from tui.line_breaks import one_line
from tui.texts import say

Effect = Literal["new", "updated", "gone", "back", "again", "core", "faded", "proposed", "undone"]
SHOWN = 160  # characters of a memory in a notice or the panel
SIGNS: Mapping[Effect, str] = {
    "new": "+",
    "updated": "↻",
    "gone": "−",
    "back": "↩",
    "again": "↑",
    "core": "★",
    "faded": "~",
    "proposed": "?",
    "undone": "↩",
}
_STYLES: Mapping[Effect, str] = {
    "gone": "$sand",
    "again": "$quiet",
    "faded": "$quiet",
    "proposed": "$sand",
}
_OPS: Mapping[str, Effect] = {
    "created": "new",
    "updated": "updated",
    "negated": "gone",
    "deleted": "gone",
    "forgotten": "gone",
    "superseded": "gone",
    "restored": "back",
    "reinforced": "again",
    "promoted": "core",
    "levelled": "faded",
    "merged": "updated",
}
GONE = frozenset({"deleted", "forgotten", "purged"})
NOTICED: frozenset[Effect] = frozenset({"new", "updated", "gone", "back", "core", "proposed"})


@dataclass(frozen=True, slots=True)
class LearnedChange:
    """What one change set did to one memory, in one word."""

    seq: int
    set_id: str
    turn_id: str | None
    memory_id: str
    effect: Effect
    text: str
    kind: Kind = Kind.FACT
    level: Level = Level.FULL
    replaces: tuple[str, ...] = ()

    @property
    def style(self) -> str:
        """Its colour; the sign and the word say the same."""
        return _STYLES.get(self.effect, "$primary")


def list_learned(changes: Sequence[Change], memories: Mapping[str, Memory]) -> list[LearnedChange]:
    """What a batch of changes comes to, one entry per set and memory; a replaced memory counts with
    its successor.

    What was purged is no entry: there is nothing to look at, and nothing to take back.
    """
    replaced = {
        old
        for c in changes
        if c.op == "created" and (m := memories.get(c.entity_id))
        for old in m.supersedes
    }
    out: dict[tuple[str, str], LearnedChange] = {}
    for c in changes:
        if (
            c.entity != "memory"
            or c.op == "purged"
            or (c.op in ("superseded", "negated", "updated") and c.entity_id in replaced)
        ):
            continue
        effect = _OPS.get(c.op, "updated")
        m = memories.get(c.entity_id)
        if m is not None and effect == "new":
            effect = (
                "proposed" if m.state.value == "proposed" else "updated" if m.supersedes else "new"
            )
        if c.reason == "undo" and effect in ("gone", "new"):
            effect = "undone"
        row = c.after or c.before or {}
        text = m.content if m is not None else str(row.get("content") or "")
        if c.op in GONE:
            text = ""  # what was let go on request is not shown once more
        elif not text:
            continue
        kind = m.kind if m is not None else _kind(row.get("kind"))
        level = m.level if m is not None else Level.FULL
        old = m.supersedes if m is not None else ()
        out[c.set_id, c.entity_id] = LearnedChange(
            c.seq,
            c.set_id,
            c.turn_id,
            c.entity_id,
            effect,
            one_line(text),
            kind,
            level,
            old,
        )
    return list(out.values())


def _kind(value: object) -> Kind:
    try:
        return Kind(str(value))
    except ValueError:
        return Kind.FACT


def get_icon(kind: Kind) -> str:
    """The kind's icon, two cells wide whatever the terminal thinks of it."""
    sign = KINDS[kind].icon
    return sign + " " * (2 - cell_len(sign))


def get_glyph(level: Level) -> str:
    """The level's sign, two cells wide: footprints and box are, tick and dot are not."""
    return level.glyph + " " * (2 - cell_len(level.glyph))


def draw_gauge(share: float, cells: int = 5) -> str:
    """A share of one as a row of marks."""
    full = round(max(0.0, min(share, 1.0)) * cells)
    return "▰" * full + "▱" * (cells - full)


def format_date(
    at: datetime,
    tz: str,
    lang: Lang,
    precision: Precision | None = None,
    now: datetime | None = None,
) -> str:
    """Write a date as people do, no more precise than it was said; the year only where it is not `now`'s."""
    local = at.astimezone(_zone(tz))
    this_year = now is not None and local.year == now.astimezone(_zone(tz)).year
    if precision in {"year", "month"}:
        return _date(local, lang, f"at.{precision}")
    day = _date(local, lang, "at.day" if this_year else "at.day.year")
    return f"{day} {local:%H:%M}" if precision == "minute" else day


def format_time(at: datetime, tz: str) -> str:
    """Hours and minutes where the window is."""
    return f"{at.astimezone(_zone(tz)):%H:%M}"


def format_day_and_time(at: datetime, tz: str, lang: Lang) -> str:
    """Write for a divider the day, and when on it."""
    return _date(at.astimezone(_zone(tz)), lang, "at.divider")


def _date(at: datetime, lang: Lang, key: str) -> str:
    month, weekday = (
        say.one_of(lang, "months", at.month - 1),
        say.one_of(lang, "weekdays", at.weekday()),
    )
    return say(lang, key, at=at, month=month, weekday=weekday)


def _zone(tz: str) -> ZoneInfo:
    try:
        return ZoneInfo(tz)
    except (OSError, ValueError, KeyError):
        return ZoneInfo("UTC")


def format_validity(m: Memory, voice: WindowLanguage, now: datetime) -> str:
    """Until or since when it holds, where that was said."""
    parts: list[str] = []
    for key, at, precision in (
        ("since", m.valid_from, m.precision),
        ("until", m.valid_until, None),
        ("due", m.expires_at, m.precision),
    ):
        if at is not None:
            parts.append(voice(key, when=format_date(at, voice.tz, voice.lang, precision, now)))
    return " · ".join(parts)


def wrap_beside(first: str | Content, text: Content, width: int) -> Content:
    """`text` wrapped beside its sign: the rows under the first begin where the text does."""
    head = Content(first) if isinstance(first, str) else first
    indent = head.cell_length
    rows = text.wrap(max(width - indent, 8))
    return Content("\n").join(
        [head + row if n == 0 else Content(" " * indent) + row for n, row in enumerate(rows)]
    )


_WHY = {
    "episode_by_time": "hit.time",
    "review": "hit.review",
    "resident": "hit.resident",
    "language": "hit.language",
    "overview": "hit.overview",
}


def format_hit(hit: Hit, now: datetime, voice: WindowLanguage, width: int) -> Content:
    """A recalled memory: its level and kind, its text, how relevant it was and how old it is."""
    m, lang = hit.memory, voice.lang
    if hit.why == "relevance":
        score = f"{draw_gauge(hit.gate)} {hit.gate:.0%}"
    else:
        score = voice(_WHY[hit.why]) if hit.why in _WHY else one_line(hit.why)
    foot = " · ".join(
        x for x in (score, format_age(m.created_at, now, lang), format_validity(m, voice, now)) if x
    )
    sign = Content.assemble((f"{get_glyph(m.level)} ", "$primary"), f"{get_icon(m.kind)} ")
    return Content.assemble(
        wrap_beside(sign, _shortened(m.content), width),
        "\n",
        wrap_beside(" " * sign.cell_length, Content.styled(foot, "$quiet"), width),
    )


def _shortened(text: str) -> Content:
    return Content(one_line(text, SHOWN))


def format_learned(
    item: LearnedChange, voice: WindowLanguage, width: int, tail: Content
) -> Content:
    """What was learned: sign, word, kind, text; and what can be done about it."""
    sign = Content.styled(f"{SIGNS[item.effect]} ", f"bold {item.style}")
    text = (
        _shortened(item.text) if item.text else Content.styled(voice("forgotten"), "italic $quiet")
    )
    word = Content.assemble(
        (voice(f"notice.{item.effect}"), item.style), f"  {get_icon(item.kind)} ", text
    )
    room = width - sign.cell_length
    if not tail:
        return wrap_beside(sign, word, width)
    rows = word.wrap(max(room, 8))
    if rows[-1].cell_length + 3 + tail.cell_length <= room:
        return Content.assemble(wrap_beside(sign, word, width), "   ", tail)
    return Content.assemble(wrap_beside(sign, word, width), "\n", " " * sign.cell_length, tail)
