"""What MEMORY.md says besides the memories, in both languages, and how it is recognised again.

Pure.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, TypeAlias

from memory.models import KINDS, Kind, Lang

Part: TypeAlias = Literal["active", "archived", "unread"]

_SAID: Final[dict[str, tuple[str, str]]] = {
    "title": ("Memory", "记忆"),
    "active": ("Active Memories", "活跃记忆"),
    "archived": ("Archived Memories", "归档记忆"),
    "unread": ("Unread", "未能读懂"),
    "updated": ("Last updated: {at}", "最后更新：{at}"),
    "total": ("Total entries: {n}", "条目总数：{n}"),
    "how": (
        "This is what Ebb remembers about you, and you may edit it: change a text, delete an entry, or add a line"
        " “- …” under Active. Weights, dates and counts are Ebb's own.",
        "这是 Ebb 记得的关于你的事，你可以直接修改：改写文字、删除条目，或在“活跃记忆”下面加一行“- ……”。"
        "权重、日期和次数由 Ebb 维护。",
    ),
    "negated": ("no longer so", "已否定"),
    "level.1": ("faded to a summary", "已淡为摘要"),
    "level.2": ("faded to a tag", "已淡为标签"),
    "level.3": ("faded to a trace", "已淡为痕迹"),
    "level.4": ("archived", "已存档"),
    "unread_how": (
        "What could not be read as a memory is kept here, word for word. Mend it and move it up, or delete it.",
        "无法读成记忆的内容原样保留在这里。改好后移到上面，或者删掉。",
    ),
    "gone": (
        "[{id}] was forgotten and stays forgotten; “ebb memory restore {id}” brings it back",
        "[{id}] 已被忘掉，不会因此恢复；“ebb memory restore {id}”可以找回",
    ),
    "asked": (
        "{n} entries are missing from this file; Ebb has asked what that means",
        "这个文件里少了 {n} 条；Ebb 正在等你确认",
    ),
}
_PARTS: Final[tuple[tuple[Part, re.Pattern[str]], ...]] = (
    (
        "active",
        re.compile(
            r"(active|current)( (memories|memory|entries))?|(活跃|活动|激活|当前|目前|现有|有效)(中?的?(记忆|条目))?"
        ),
    ),
    (
        "archived",
        re.compile(r"archived?( (memories|memory|entries))?|已?(归档|存档|封存)(的?(记忆|条目))?"),
    ),
    (
        "unread",
        re.compile(
            r"(unread|unreadable)( (blocks|entries))?|(未能读懂|未读懂|读不懂)(的?(内容|条目))?"
        ),
    ),
)
_TITLES: Final = re.compile(
    r"(agent |ebb['’]?s? )?memory( of .*)?|memory\.md|(agent |ebb ?的?)?记忆"
)


def say(key: str, lang: Lang, **places: object) -> str:
    """One of the sentences."""
    return _SAID[key][1 if lang == "zh" else 0].format_map(places)


def fold(text: str) -> str:
    """Full-width forms, case and spacing do not matter to what Ebb has to recognise."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def parse_part(title: str) -> Part | None:
    """Which part of the file a heading begins."""
    plain = fold(title).strip(" :*_#")
    return next((part for part, pattern in _PARTS if pattern.fullmatch(plain)), None)


def is_title(title: str) -> bool:
    """Whether a heading is the file's own."""
    return _TITLES.fullmatch(fold(title).strip(" :*_#")) is not None


_HINTS: Final = frozenset(fold(s) for key in ("how", "unread_how") for s in _SAID[key])
_COMMENTS: Final = re.compile(
    r"(last updated|最后更新):.*|(total entries|条目总数):.*|ebb: .*|no longer so|已否定"
    r"|faded to a (summary|tag|trace)|archived|已淡为(摘要|标签|痕迹)|已存档"
    r"|\[\w+\] (was forgotten and stays|已被忘掉,不会因此恢复).*"
    r"|\d+ entries are missing from this file; .*|这个文件里少了 \d+ 条;.*",
)


def is_hint(line: str) -> bool:
    """Whether a quoted line is one of ours."""
    return fold(line.strip().lstrip(">")) in _HINTS


def is_ours(comment: str) -> bool:
    """Whether the inside of a comment was written by Ebb."""
    return _COMMENTS.fullmatch(fold(comment)) is not None


_KINDS: Final[dict[str, Kind]] = {
    name: kind
    for kind, info in KINDS.items()
    for name in (fold(kind), fold(info.en), fold(info.zh))
} | {
    "habit": Kind.WORKFLOW,
    "todo": Kind.TODO,
    "to do": Kind.TODO,
    "事件": Kind.EPISODE,
    "情景": Kind.CONTEXT,
}


def parse_kind(word: str) -> Kind | None:
    """The kind of that name: its key, or its label in either language, with or without its icon."""
    plain = re.sub(r"^[^\w]+|[^\w]+$", "", fold(word))
    return _KINDS.get(plain)


def get_kind_label(kind: Kind, lang: Lang) -> str:
    """What a heading calls a kind."""
    return KINDS[kind].zh if lang == "zh" else str(kind)
