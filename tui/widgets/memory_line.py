"""One memory, and what happened to it, as a line or two of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from rich.cells import set_cell_size
from textual.content import Content

from bot.texts import format_age, join, level_name
from memory.models import KINDS, Change, Hit, Kind, Level, Memory, State
from tui.words import WindowLanguage, one_line

Effect = Literal["new", "updated", "gone", "back", "core", "proposed", "undone"]
SHOWN = 160  # characters of a memory in a notice or the panel
SIGNS: Mapping[Effect, str] = {
    "new": "+",
    "updated": "↻",
    "gone": "−",
    "back": "↩",
    "core": "★",
    "proposed": "?",
    "undone": "↩",
}
_STYLES: Mapping[Effect, str] = {"gone": "$sand", "proposed": "$sand"}
UNSAID = frozenset({"reinforced", "levelled", "purged"})  # ink alone shows what fades or comes back
_OPS: Mapping[str, Effect] = {
    "created": "new",
    "updated": "updated",
    "negated": "gone",
    "deleted": "gone",
    "forgotten": "gone",
    "superseded": "gone",
    "restored": "back",
    "promoted": "core",
    "merged": "updated",
}
GONE = frozenset({"deleted", "forgotten", "purged"})
_WHY = {
    "day": "hit.time",
    "episode_by_time": "hit.time",
    "review": "hit.review",
    "slot": "hit.asked",
    "relation": "hit.asked",
    "secret": "hit.asked",
    "overview": "hit.overview",
}
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
    replaces: tuple[str, ...] = ()


def list_learned(changes: Sequence[Change], memories: Mapping[str, Memory]) -> list[LearnedChange]:
    """List what a batch of changes comes to, one entry per set and memory.

    A replaced memory counts with its successor. What was purged is no entry: there is nothing to
    look at, and nothing to take back.
    """
    created = [memories.get(c.entity_id) for c in changes if c.op == "created"]
    replaced = {old for m in created if m for old in m.supersedes}
    out: dict[tuple[str, str], LearnedChange] = {}
    for c in changes:
        m = memories.get(c.entity_id)
        behind = c.entity_id in replaced and c.op in ("superseded", "negated", "updated")
        if c.entity != "memory" or c.op in UNSAID or behind or not (m or c.op in GONE):
            continue
        effect = _OPS.get(c.op, "updated")
        if effect == "new" and m is not None:
            proposed = m.state is State.PROPOSED
            effect = "proposed" if proposed else "updated" if m.supersedes else "new"
        if c.reason == "undo" and effect in ("gone", "new"):
            effect = "undone"
        # What was let go on request is not shown once more.
        text = one_line(m.shown_text) if m is not None and c.op not in GONE else ""
        kind, old = (m.kind, m.supersedes) if m is not None else (Kind.FACT, ())
        out[c.set_id, c.entity_id] = LearnedChange(
            c.seq, c.set_id, c.turn_id, c.entity_id, effect, text, kind, old
        )
    return list(out.values())


def get_icon(kind: Kind) -> str:
    """Return the kind's icon, two cells wide whatever the terminal thinks of it."""
    return set_cell_size(KINDS[kind].icon, 2)


def get_glyph(level: Level) -> str:
    """Return the level's sign, two cells wide: footprints and box are, tick and dot are not."""
    return set_cell_size(level.glyph, 2)


def get_ink(m: Memory) -> str:
    """Return the style of a memory's text: the further it has faded, the paler."""
    return f"$ink-{int(m.spoken_level)}" if m.spoken_level else ""


def get_level_word(m: Memory, voice: WindowLanguage) -> str:
    """Return the word for how far a memory has faded; none for one that is clear."""
    return level_name(m.spoken_level, voice.lang) if m.spoken_level else ""


def draw_gauge(share: float, cells: int = 5) -> str:
    """Draw a share of one as a row of marks."""
    full = round(max(0.0, min(share, 1.0)) * cells)
    return "▰" * full + "▱" * (cells - full)


def format_validity(m: Memory, voice: WindowLanguage, now: datetime) -> str:
    """Write until or since when it holds, and its day, where that was said."""
    from memory.api import write_occasion  # not before the first paint

    denied = m.valid_until if m.negated_at else None  # any other end is among its days
    times = (("since", m.said_since, m.precision), ("until", denied, None))
    told = [voice(key, when=voice.format_date(at, form, now)) for key, at, form in times if at]
    return " · ".join(filter(None, (*told, write_occasion(m, now, voice.lang, voice.tz))))


def wrap_beside(first: str | Content, text: Content, width: int) -> Content:
    """Wrap `text` beside its sign: the rows under the first begin where the text does."""
    head = Content(first) if isinstance(first, str) else first
    indent = head.cell_length
    rows = text.wrap(max(width - indent, 8))
    return head + Content("\n" + " " * indent).join(rows)


def format_hit(hit: Hit, now: datetime, voice: WindowLanguage, width: int) -> Content:
    """Lay out a recalled memory: level, kind, text, relevance and age."""
    m = hit.memory
    score = voice(_WHY[hit.why]) if hit.why in _WHY else one_line(hit.why)
    if hit.why == "relevance":
        score = f"{draw_gauge(hit.gate)} {hit.gate:.0%}"
    level = join(
        filter(None, (get_level_word(m, voice), voice("in_short") * hit.short)), voice.lang
    )
    parts = (
        level,
        score,
        format_age(m.created_at, now, voice.lang),
        format_validity(m, voice, now),
    )
    foot = Content.styled(" · ".join(x for x in parts if x), "$quiet")
    sign = Content.assemble((f"{get_glyph(m.spoken_level)} ", "$primary"), f"{get_icon(m.kind)} ")
    text = Content.styled(one_line(hit.text, SHOWN), get_ink(m))
    below = wrap_beside(" " * sign.cell_length, foot, width)
    return Content.assemble(wrap_beside(sign, text, width), "\n", below)


def format_learned(
    item: LearnedChange, voice: WindowLanguage, width: int, tail: Content
) -> Content:
    """Lay out what was learned: sign, word, kind, text; and what can be done about it."""
    style = _STYLES.get(item.effect, "$primary")
    sign = Content.styled(f"{SIGNS[item.effect]} ", f"bold {style}")
    text = Content(one_line(item.text, SHOWN))
    if not item.text:
        text = Content.styled(voice("forgotten"), "italic $quiet")
    word = Content.assemble(
        (voice(f"notice.{item.effect}"), style), f"  {get_icon(item.kind)} ", text
    )
    out = wrap_beside(sign, word, width)
    if tail:
        fits = out.split("\n")[-1].cell_length + 3 + tail.cell_length <= width
        out = Content.assemble(out, "   " if fits else "\n" + " " * sign.cell_length, tail)
    return out
