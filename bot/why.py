"""Why a memory was recalled or was not, in words and in figures that add up: /why, `ebb memory search --explain`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.listing import memory_line
from bot.texts import Texts
from memory.models import Hit, Lang, Recall
from memory.recall import THRESHOLD, nudged

MISSED = 5  # near misses that a chat is shown
_SEEN = 0.005  # smaller parts are not told

say = Texts(
    {
        "head": ("For my last reply I recalled:", "上一条回复回忆了："),
        "nothing": (
            "For my last reply I recalled nothing: no memory was close enough.",
            "上一条回复没有用到记忆：没有足够相关的内容。",
        ),
        "missed": ("Looked at, and left out:", "看过但没有采用："),
        "late": (
            "(The embedding service was too slow this time; words, names and times found these.)",
            "（这次向量服务太慢，以上由词语、名字和时间找到。）",
        ),
        "resident": ("Always with me: {n} memories of who you are.", "一直带着的：{n} 条关于你的核心记忆。"),
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


def explain(recall: Recall, residents: int, lang: Lang, now: datetime, used: frozenset[str] = frozenset()) -> str:
    """The answer to /why: what was recalled and why, which of it shaped the reply, and what was left out."""
    out = [say(lang, "head" if recall.hits else "nothing")]
    for h in recall.hits:
        out += _listed(h, lang, now)
        out += [f"  - {say(lang, 'used')}"] if h.memory.id in used else []
    if residents:
        out.append("\n" + say(lang, "resident", n=residents))
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
    return [f"- {memory_line(h.memory, lang, now)}", *(f"  - {line}" for line in reasons(h, lang))]


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
