"""What is told about models that fail, about work in the background, and about a night.

Never the provider's raw words, never a key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from bot.texts import Texts, join, kind_name, level_name, words, write_day
from memory.errors import ModelError
from memory.models import LEARNING, DailyUsage, Json, Kind, Lang, Sensitivity, mark_quote

if TYPE_CHECKING:
    from memory.api import DiffEntry, NightReport, NightUndoResult
    from memory.ports import Store

say = Texts("reports")
night = Texts("night")
say_phase = Texts("upkeep")
_SHOWN: Final = 8  # things under one heading
_DETAILS: Final = 3  # of a theme
TOKEN_DAYS: Final = 7
_LEVELS: Final = frozenset({"summary", "tag", "trace", "archive"})
_ALWAYS: Final = ("asked", "details", "todos", "purged", "erased_old")
_IN_COUNTS: Final = ("changed", "merged", "down", "up")
_COUNTERS: Final = (
    *("passive_compression", "user_activation", "negation", "frequent_reinforce"),
    "batch_merge",
)


class LearningTroubleNotice:
    """Tells a person that learning waits or failed: once, until it has worked again."""

    def __init__(self) -> None:
        self._told = False

    def sentence(self, job: Mapping[str, Json], lang: Lang) -> str:
        """Say what came of a job, given as its change says it; empty where there is no news."""
        outcome = job.get("outcome")
        if job.get("kind") not in LEARNING:
            return ""
        if outcome in ("saved", "nothing"):
            self._told = False
        if self._told or outcome not in ("waiting", "failed"):
            return ""
        self._told = True
        if outcome == "failed":
            return say(lang, "learning.failed")
        error = ModelError(
            job["error"], model=str(job.get("model", "")), host=str(job.get("host", ""))
        )
        return say(lang, "learning.waiting", why=describe_error(error, lang))


def describe_error(error: ModelError, lang: Lang, *, model: str = "", host: str = "") -> str:
    """Tell a person why a model failed.

    What the error itself knows of model and host comes first.
    """
    host, model = error.host or host, error.model or model
    key: str = error.code
    if error.code == "bad_key" and error.detail == "no key":
        key = "no_key"
    elif error.code == "tls" and error.detail == "certificate":
        key = "tls_untrusted"
    elif error.code == "unreadable" and error.detail == "empty":
        key = "no_word"
    elif error.code == "unknown_model" and error.detail.startswith("ollama"):
        key = "missing_in_ollama" if model else "no_ollama_model"
    filled = say(
        lang,
        key,
        host=host or say(lang, "nobody"),
        model=model or say(lang, "no_name"),
        wait=wait(error.retry_after, lang),
        env="$EBB_HOME/.env",
    )
    return filled[0].upper() + filled[1:] if filled.startswith("the ") else filled


def wait(seconds: float | None, lang: Lang) -> str:
    """Write `in 20 seconds`, `in 3 minutes`, `in a moment`; 20 秒后, 3 分钟后, 稍后."""
    if seconds is None or seconds <= 0:
        return say(lang, "wait")
    unit, size = (
        ("second", 1) if seconds < 90 else ("minute", 60) if seconds < 5400 else ("hour", 3600)
    )
    n = math.ceil(seconds / size)
    return say(lang, f"wait.{unit}" if n == 1 else f"wait.{unit}s", n=n)


# --- tokens ---


async def list_token_lines(store: Store, user_id: str, now: datetime, lang: Lang) -> list[str]:
    """List the tokens of the last days below a heading; nothing where none were spent."""
    since = now - timedelta(days=TOKEN_DAYS - 1)
    spent = await store.read(user_id, lambda tx: tx.traces.list_daily_usage(since))
    return ["", say(lang, "tokens"), *describe_tokens(spent, lang)] if spent else []


def describe_tokens(days: Sequence[DailyUsage], lang: Lang) -> list[str]:
    """List for each day what each role spent: sent, of the cache, written."""
    lines = []
    for day, roles in groupby(days, key=lambda d: d.day):
        told = (
            say(
                lang,
                "tokens.role",
                role=say(lang, f"role.{d.role}"),
                sent=d.usage.prompt_tokens - d.usage.cached_tokens,
                cached=d.usage.cached_tokens,
                written=d.usage.completion_tokens,
            )
            for d in roles
        )
        lines.append(f"{day}{words(lang, 'colon')}{join(told, lang, 'clauses')}")
    return lines


# --- a night ---


def describe_night(
    r: NightReport, diff: Sequence[DiffEntry], lang: Lang, tz: str, undo: str = ""
) -> str:
    """Tell what a night did, as a diff; after a long absence in counts alone.

    `undo` is how taking it back is typed. The figures are told by `describe_figures`.
    """
    date = r.at.astimezone(ZoneInfo(tz))
    lines = [night(lang, "head", day=write_day(date, date.year, lang))]
    sections, name = dict[str, list[list[str]]](), ""
    for e in () if r.absence else diff:
        name = "faded" if e.sort in _LEVELS else e.sort
        sections.setdefault(name, []).append(_write_entry(e, lang, tz))
    for name, entries in sections.items():
        lines += ["", night(lang, f"diff.{name}")]
        lines += [line for entry in entries[:_SHOWN] for line in entry]
        if len(entries) > _SHOWN:
            lines.append(night(lang, "more", n=len(entries) - _SHOWN))
    counted = (*_ALWAYS, *(_IN_COUNTS if r.absence else ()))
    told = [_count(lang, name, n) for name in counted if (n := r.count(name))]
    for phase, n in r.held.items():
        told.append(night(lang, "held", n=n, phase=say_phase(lang, f"phase.{phase}")))
    for phase, why in r.waiting.items():
        if why != "budget":
            told.append(night(lang, "waiting", phase=say_phase(lang, f"phase.{phase}")))
    told += [night(lang, "spent")] if "budget" in r.waiting.values() else []
    did = sections or (r.absence and told)
    told += [night(lang, "undo", undo=undo or night(lang, "undo.typed"))] if did else []
    return "\n".join([*lines, "", *(told or [night(lang, "quiet")])])


def describe_figures(r: NightReport, lang: Lang) -> list[tuple[str, str]]:
    """List label and value of a night's figures: how the memories stand, and how well."""
    q, counters = r.quality, r.counters
    learned = q.get("learned", 0)
    levels = (f"{n} {words(lang, f'level.{name}')}" for name, n in r.levels.items() if n)
    kinds = (f"{kind_name(Kind(k), lang)} {n}" for k, n in r.kinds.items())
    spread = (f"{k}: {n}" for k, n in counters.get("weight_distribution", {}).items() if n)
    rows = {
        "memories": f"{r.memories}{words(lang, 'aside', text=join(levels, lang))}",
        "kinds": join(kinds, lang),
        "rate": night(lang, "rate.n", rate=r.forgetting_rate),
        "duplicates": str(r.count("merged")),
    }
    if learned:
        share = 1 - q.get("undone", 0) / learned
        rows["precision"] = night(lang, "precision.n", share=share, n=learned)
        wrong, fixed = (100 * q.get(name, 0) / learned for name in ("wrong", "fixed"))
        rows["corrected"] = night(lang, "corrected.n", wrong=wrong, fixed=fixed)
    rows["weights"] = f"{counters.get('avg_weight', 0.0):.2f}"
    rows["weights"] += words(lang, "aside", text=join(spread, lang)) if r.memories else ""
    rows["counters"] = join(
        (f"{say_phase(lang, f'counter.{x}')} {counters.get(x, 0)}" for x in _COUNTERS), lang
    )
    return [(night(lang, f"figure.{name}"), value) for name, value in rows.items() if value]


def describe_night_undo(done: NightUndoResult, lang: Lang) -> str:
    """Say what taking a night back came to, and name what stays."""
    day = write_day(date.fromisoformat(done.night), 0, lang)
    lines = [
        _count(lang, "undone", len(done.undone), day) if done.undone else night(lang, "undone.no")
    ]
    shown = [m for m in done.kept if m.quiet_at is None and m.sensitivity < Sensitivity.SECRET]
    if shown:
        some = [f"- {_one_line(mark_quote(m, m.original_content))}" for m in shown[:_SHOWN]]
        lines += [night(lang, "undone.kept"), *some]
    if len(shown) > _SHOWN:
        lines.append(night(lang, "more", n=len(shown) - _SHOWN))
    if done.erased:
        lines.append(_count(lang, "undone.erased", done.erased))
    return "\n".join(lines)


def _write_entry(e: DiffEntry, lang: Lang, tz: str) -> list[str]:
    new = "" if e.new is None else _one_line(mark_quote(e.new, e.new.original_content))
    old = list(dict.fromkeys(_one_line(mark_quote(m, m.original_content)) for m in e.old))
    if e.new is not None and (e.sort in _LEVELS or e.sort == "back"):
        level = level_name(e.new.level, lang)
        return [f"~ {new}{words(lang, 'aside', text=level)}"]
    if e.sort != "theme":
        return [*(f"− {text}" for text in old), *([f"+ {new}"] if new else [])]
    lines, zone = [f"+ {new}"], ZoneInfo(tz)
    year = e.new.created_at.year if e.new is not None else 0
    for m in sorted(e.old, key=lambda m: m.created_at)[:_DETAILS]:
        day = write_day(m.created_at.astimezone(zone), year, lang)
        lines.append(f"    {night(lang, 'from', day=day, text=_one_line(m.original_content))}")
    more = len(e.old) - _DETAILS
    return [*lines, *([f"    {night(lang, 'more', n=more)}"] if more > 0 else [])]


def _count(lang: Lang, name: str, n: int, day: str = "") -> str:
    return night(lang, f"{name}.one" if n == 1 else f"{name}.many", n=n, day=day)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_out(result: Mapping[str, Json], lang: Lang) -> str:
    """Say what a model's reading of quotations came to: `result` is the job's."""
    return say(lang, "quotes.done", quotes=result["quotes"], new=result["new"], set=result["set"])


def describe_switch(result: Mapping[str, Json], lang: Lang) -> str:
    """Say what a finished switch of curves came to: `result` is the job's."""
    text = say(lang, "switch.done", curve=result["curve"], was=result["was"], moved=result["moved"])
    fainter = int(result.get("fainter") or 0)
    return (
        f"{text} {say(lang, 'switch.fainter', n=fainter, curve=result['curve'])}"
        if fainter
        else text
    )
