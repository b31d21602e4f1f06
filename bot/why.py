"""Why a memory was recalled or was not, in words and in figures that add up: /why, `ebb memory search --explain`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.listing import memory_line
from bot.texts import Texts, write_day
from memory.learn.alike import units
from memory.learn.dates import zone
from memory.models import Hit, Lang, Layer, Memory, Recall, Source, mark_quote
from memory.ports import Tx
from memory.recall import THRESHOLD, nudged

MISSED = 5  # near misses that a chat is shown
_SEEN = 0.005  # smaller parts are not told
LONGEST: Final = 120  # characters of a quotation
MORE: Final = frozenset({"more", "details", "all", "更多", "详细", "细节", "全部"})
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")

say = Texts(
    {
        "head": ("For my last reply I recalled:", "上一条回复回忆了："),
        "nothing": (
            "For my last reply I found nothing close enough.",
            "上一条回复没有找到足够相关的内容。",
        ),
        "because": ("I said that because {reason}.", "我那样说，{reason}。"),
        "several": ("I said that for these reasons:", "我那样说的原因："),
        "had": ("What I had in mind, whether or not it shaped my reply:", "我当时想到的，不一定影响了回复："),
        "told": ("you told me on {date}: “{quote}”", "因为你{date}告诉过我：“{quote}”"),
        "asked": ("you asked me on {date} to remember this: “{quote}”", "因为你{date}让我记住：“{quote}”"),
        "noted": ("I have had this note since {date}: “{quote}”", "因为我{date}记下过：“{quote}”"),
        "imported": ("it was in what you imported on {date}: “{quote}”", "因为你{date}导入的内容里有：“{quote}”"),
        "concluded": (
            "I concluded it from things you told me: “{quote}”",
            "因为这是我从你说的几件事推想的：“{quote}”",
        ),
        "talked": ("we talked about it on {date}", "因为我们{date}聊过"),
        "unfold": ("(`/why more` shows the details.)", "（`/why 更多` 可以看细节。）"),
        "missed": ("Looked at, and left out:", "看过但没有采用："),
        "late": (
            "(The embedding service was too slow this time; words, names and times found these.)",
            "（这次向量服务太慢，以上由词语、名字和时间找到。）",
        ),
        "resident": ("I always have this in mind: {what}.", "我一直记着：{what}。"),
        "used": ("it shaped the reply", "影响了回复"),
        "gate": ("relevance {gate:.0%}, {verdict}", "相关度 {gate:.0%}，{verdict}"),
        "rank": ("rank {score:.2f} = {parts}", "排序分 {score:.2f} = {parts}"),
        "parts": ("{what}: {parts}", "{what}：{parts}"),
        "silent": ("nothing speaks for it", "没有线索指向它"),
        "passes": ("from {cut:.0%} on", "达到 {cut:.0%} 即采用"),
        "below": ("{cut:.0%} is needed", "未达到 {cut:.0%}"),
        "full": ("enough, but the places went to better ones", "足够相关，但名额已给了更合适的"),
        # why it is here, where it was not weighed
        "why.episode_by_time": ("you asked about that time", "你问到了那段时间"),
        "why.overview": ("you asked for all of it", "你问到全部"),
        "coming": ("coming, on {day:%Y-%m-%d}", "将要发生，在 {day:%Y-%m-%d}"),
        "why.secret": ("you asked for it", "你要求查看"),
        "why.review": ("found while looking back", "回顾时找到"),
        # what speaks for it, in either sum
        "by.lexical": ("words", "词语"),
        "by.words": ("words", "词语"),
        "by.vectors": ("meaning", "语义"),
        "by.meaning": ("meaning", "语义"),
        "by.graph": ("connected to what fits", "与合适的相关联"),
        "by.names": ("names", "名字"),
        "by.time": ("the time you named", "你说到的时间"),
        "by.beside": ("said beside what fits", "与合适的同时说过"),
        "by.bridge": ("goes on from what fits", "承接合适的那条"),
        "by.other_language": ("said in the other language", "用另一种语言说过"),
        "by.kind_of_answer": ("the kind of answer asked for", "问的正是这类答案"),
        "by.own": ("whose it is", "说的是谁"),
        "by.form": ("how it is put", "表述方式"),
        "by.versions": ("another version of what fits", "合适的那条的其他版本"),
        "by.scan": ("words", "词语"),
        "by.bias": ("to begin with", "起点"),
        "by.asked": ("you ask, or it is your own", "在提问，或说的是你自己的事"),
        "by.world": ("general knowledge is asked", "问的是常识"),
        "by.of_you": ("it is about me, not you", "说的是我，不是你"),
        "by.carried": ("comes with what fits", "由合适的那条带出"),
        "by.retention": ("how well it is retained", "记忆强度"),
        "by.recency": ("how recent it is", "新近程度"),
        "by.confidence": ("how certain it is", "可信程度"),
    }
)


@dataclass(frozen=True, slots=True)
class Quote:
    """The person's very words behind a memory, and when they said them."""

    text: str
    at: datetime


def quote_of(tx: Tx, m: Memory) -> Quote | None:
    """Find the words that taught a memory; None where no message of the person's that may be seen has them."""
    for message_id, start, end in tx.memories.source_spans(m.id):
        said = tx.conversations.message(message_id)
        if said is None or said.role != "user" or said.hidden_at is not None:
            continue
        text = said.text[start:end] if start is not None and end is not None else _closest(said.text, m)
        if text.strip():
            return Quote(_short(text), said.at)
    return None


def reason_for(m: Memory, quote: Quote | None, lang: Lang, now: datetime, tz: str) -> str:
    """Say in one clause why a memory is held: by the person's own words where they are known."""
    at = quote.at if quote else m.created_at
    date = _date(at, now, lang, tz)
    if m.layer is Layer.EPISODE:
        return say(lang, "talked", date=date)
    if quote is not None:
        return say(lang, "told", date=date, quote=quote.text)
    own = {Source.USER: "asked", Source.IMPORT: "imported", Source.SYSTEM: "concluded"}.get(m.source, "noted")
    return say(lang, own, date=date, quote=_short(m.content))


def reasons_for(
    recall: Recall,
    standing: Sequence[Memory],
    used: frozenset[str],
    quotes: Mapping[str, Quote | None],
    lang: Lang,
    now: datetime,
    tz: str,
) -> str:
    """The answer to /why: one sentence for each memory that shaped the reply, in the person's own words."""
    hits = [h for h in recall.hits if h.memory.id in used] or list(recall.hits)
    if not hits:
        return "\n".join([say(lang, "nothing"), *_in_mind(standing, lang)])
    told = list(dict.fromkeys(reason_for(h.memory, quotes.get(h.memory.id), lang, now, tz) for h in hits))
    if used and len(told) == 1:
        lines = [say(lang, "because", reason=told[0])]
    else:
        lines = [say(lang, "several" if used else "had"), *(f"- {_plain(t)}" for t in told)]
    return "\n".join([*lines, *_in_mind(standing, lang), "", say(lang, "unfold")])


def _in_mind(standing: Sequence[Memory], lang: Lang) -> list[str]:
    what = ("；" if lang == "zh" else "; ").join(_short(mark_quote(m, m.content).rstrip(".。")) for m in standing)
    return [say(lang, "resident", what=what)] if what else []


def _plain(reason: str) -> str:
    reason = reason.removeprefix("因为")
    return reason[:1].upper() + reason[1:]


def _closest(text: str, m: Memory) -> str:
    """The sentence of a message that shares most words with the memory."""
    wanted = units(m.original_content)
    return max(_SENTENCE.findall(text), key=lambda s: len(units(s) & wanted), default=text)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def _date(at: datetime, now: datetime, lang: Lang, tz: str) -> str:
    """The day, with its year where that is not this one."""
    day, today = at.astimezone(zone(tz)), now.astimezone(zone(tz))
    return write_day(day, today.year, lang)


def explain(
    recall: Recall, standing: Sequence[Memory], lang: Lang, now: datetime, used: frozenset[str] = frozenset()
) -> str:
    """The answer to `/why more`: what was recalled and why, which of it shaped the reply, and what was left out."""
    out = [say(lang, "head" if recall.hits else "nothing")]
    for h in recall.hits:
        out += _listed(h, lang, now)
        out += [f"  - {say(lang, 'used')}"] if h.memory.id in used else []
    out += [f"\n{line}" for line in _in_mind(standing, lang)]
    if recall.late:
        out.append("\n" + say(lang, "late"))
    if recall.missed:
        out.append("\n" + say(lang, "missed"))
        for h in recall.missed[:MISSED]:
            out += _listed(h, lang, now)
    return "\n".join(out)


def reasons(h: Hit, lang: Lang) -> list[str]:
    """The gate and what it heard; the rank and what it is the sum of. A line each."""
    key = f"why.{h.why}"
    if key in say.keys():  # noqa: SIM118 - a table, not a dict
        lines = [say(lang, key)]
    else:
        verdict = "passes" if h.passed else "below" if h.gate < THRESHOLD else "full"
        what = say(lang, "gate", gate=h.gate, verdict=say(lang, verdict, cut=THRESHOLD))
        heard = _sum(h.evidence, lang) if h.evidence.keys() - {"bias"} else say(lang, "silent")
        lines = [say(lang, "parts", what=what, parts=heard) if heard else what]
    points = {name: nudged(0.0, {name: factor}) for name, factor in h.nudges.items()}
    ranked = _sum({**h.signals, **points}, lang)
    return [*lines, say(lang, "rank", score=h.score, parts=ranked)] if ranked else lines


def _listed(h: Hit, lang: Lang, now: datetime) -> Sequence[str]:
    m = h.memory
    ahead = [f"  - {say(lang, 'coming', day=day)}" for day in (m.on, m.valid_from) if day is not None and day > now]
    return [f"- {memory_line(m, lang, now)}", *ahead[:1], *(f"  - {line}" for line in reasons(h, lang))]


def _sum(parts: Mapping[str, float], lang: Lang) -> str:
    """Words 3.10 + names 2.40 − to begin with 5.40: the greatest first, what counts against it last."""
    told = sorted(((v, k) for k, v in parts.items() if abs(v) >= _SEEN), reverse=True)
    out = ""
    for value, name in told:
        key = f"by.{name}"
        label = say(lang, key) if key in say.keys() else name  # noqa: SIM118
        sign = " − " if value < 0 else " + "
        out += f"{sign if out or value < 0 else ''}{label} {abs(value):.2f}"
    return out.strip()
