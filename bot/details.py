"""What is known of one memory, row by row, and what a line of its log says, in the reader's language and zone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Final

from bot.texts import Texts
from memory.models import KINDS, Lang, Memory, WeightEvent

say = Texts(
    {
        "kind": ("kind", "类型"),
        "layer": ("layer", "层"),
        "state": ("state", "状态"),
        "level": ("level", "层级"),
        "curve": ("curve", "曲线"),
        "weight": ("weight", "权重"),
        "importance": ("importance", "重要性"),
        "confidence": ("confidence", "可信度"),
        "source": ("source", "来源"),
        "created": ("created", "产生于"),
        "active": ("last active", "最近活跃"),
        "mentions": ("mentions", "提及次数"),
        "valid": ("valid", "有效期"),
        "expires": ("due", "到期"),
        "negated": ("denied", "否定于"),
        "pinned": ("pinned", "置顶"),
        "original": ("original", "原文"),
        "history": ("said before", "以前的说法"),
        "supersedes": ("supersedes", "取代"),
        "merged_from": ("merged from", "合并自"),
        "merged_into": ("merged into", "并入"),
        "source_ids": ("concluded from", "归纳自"),
        "entities": ("entities", "人名与事物"),
        "session": ("conversation", "来自对话"),
        "layer.system": ("system", "系统"),
        "layer.core": ("core", "核心"),
        "layer.fact": ("fact", "事实"),
        "layer.episode": ("episode", "情境"),
        "state.proposed": ("proposed", "待确认"),
        "state.active": ("active", "有效"),
        "state.superseded": ("superseded", "已被取代"),
        "state.merged": ("merged", "已合并"),
        "state.forgotten": ("forgotten", "已遗忘"),
        "state.deleted": ("deleted", "已删除"),
        "level.full": ("full", "完整"),
        "level.summary": ("summary", "摘要"),
        "level.tag": ("tag", "标签"),
        "level.trace": ("trace", "痕迹"),
        "level.archive": ("archive", "存档"),
        "source.user": ("you", "你"),
        "source.monitor": ("monitor", "后台观察"),
        "source.extractor": ("extractor", "会话整理"),
        "source.import": ("import", "导入"),
        "source.system": ("system", "系统"),
        "verified": ("{source}, verified", "{source}，已确认"),
        "yes": ("yes", "是"),
        # why, in the log
        "why.kept": ("kept", "保留"),
        "why.promoted": ("promoted", "升为核心"),
        "why.archived": ("archived", "存档"),
        "why.forgotten": ("forgotten", "遗忘"),
        "why.faded": ("faded", "已淡去"),
        "why.restored": ("restored", "恢复"),
        "why.episode": ("episode", "情境记忆"),
        "why.by": ("by {id}", "因 {id}"),
        "why.merged": ("{n} into one", "{n} 条合为一条"),
    }
)
_STEP: Final = re.compile(r"^(\w+) → (\w+)$")
_BY: Final = re.compile(r"^by (\w+)$")
_MERGED: Final = re.compile(r"^(\d+) into one$")


def details(m: Memory, weighs: float, lang: Lang, zone: tzinfo) -> Mapping[str, str]:
    """Label and value of everything that there is to say; times to the minute, in the zone."""

    def at(time: datetime | None) -> str:
        return "" if time is None else f"{time.astimezone(zone):%Y-%m-%d %H:%M}"

    source = say(lang, f"source.{m.source}")
    rows: dict[str, object] = {
        "kind": KINDS[m.kind].zh if lang == "zh" else m.kind,
        "layer": say(lang, f"layer.{m.layer}"),
        "state": say(lang, f"state.{m.state}"),
        "level": say(lang, f"level.{m.level.name.lower()}"),
        "curve": m.curve,
        "weight": f"{weighs:.3f}",
        "importance": f"{m.importance:.2f}",
        "confidence": f"{m.confidence:.2f}",
        "source": say(lang, "verified", source=source) if m.verified else source,
        "pinned": say(lang, "yes") if m.pinned else "",
        "created": at(m.created_at),
        "active": at(m.last_activated_at),
        "mentions": m.activation_count,
        "valid": f"{at(m.valid_from) or '…'} – {at(m.valid_until) or '…'}" if m.valid_from or m.valid_until else "",
        "expires": at(m.expires_at),
        "negated": at(m.negated_at),
        "original": m.original_content if m.original_content != m.content else "",
        "history": " ← ".join(str(e["was"]) for e in reversed(m.correction_history) if e.get("was")),
        "supersedes": " ".join(m.supersedes),
        "merged_from": " ".join(m.merged_from),
        "merged_into": m.merged_into or "",
        "source_ids": " ".join(m.source_ids),
        "entities": ("、" if lang == "zh" else ", ").join(m.entities),
        "session": m.source_session or "",
    }
    return {say(lang, k): str(v) for k, v in rows.items() if str(v)}


def why(e: WeightEvent, lang: Lang) -> str:
    """The reason of a line of the log; what is no word of ours (a curve, an id) stays as it is."""
    known = say.keys()
    if (by := _BY.match(e.reason)) is not None:
        return say(lang, "why.by", id=by[1])
    if (n := _MERGED.match(e.reason)) is not None:
        return say(lang, "why.merged", n=n[1])
    if (step := _STEP.match(e.reason)) is not None and f"level.{step[1]}" in known and f"level.{step[2]}" in known:
        return f"{say(lang, f'level.{step[1]}')} → {say(lang, f'level.{step[2]}')}"
    for key in (f"why.{e.reason}", f"source.{e.reason}"):
        if key in known:
            return say(lang, key)
    return e.reason
