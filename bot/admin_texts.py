"""What `ebb memory` says by itself: its help in Chinese, its answers and errors in both languages."""

from __future__ import annotations

import argparse
import errno
from collections.abc import Mapping
from typing import Final

from bot.texts import Texts
from memory.models import Lang

say = Texts(
    {
        "count": ("{n} of {total}", "共 {total} 条，显示 {n} 条"),
        "search.none": ("Nothing here is about “{text}”.", "这里没有关于“{text}”的记忆。"),
        "search.words": ("words", "字面"),
        "rebuilt": ("Derived anew:", "已重新生成："),
        "index.text": ("text index", "文字索引"),
        "index.vectors": ("vectors", "向量"),
        "no_memory": (
            "There is no memory {id}; `ebb memory list` shows them.",
            "没有编号为 {id} 的记忆；`ebb memory list` 会列出全部。",
        ),
        "empty": ("There is nothing in it to remember.", "没有写要记住的内容。"),
        "restore_first": (
            "It is forgotten: `ebb memory restore {id}` brings it back first.",
            "它已被忘掉：请先用 `ebb memory restore {id}` 找回。",
        ),
        "changed": (
            "The memory was changed meanwhile; look at it and try again.",
            "这条记忆刚刚被改动过，请看过后再试一次。",
        ),
        "undo.listed": (
            "`ebb memory undo ID` takes one of these back:",
            "`ebb memory undo 编号` 可以撤销其中一次改动：",
        ),
        "file": ("{path} cannot be used: {why}.", "无法使用 {path}：{why}。"),
    }
)

_WHY: Final[Mapping[int, tuple[str, str]]] = {
    errno.ENOENT: ("there is no such file or folder", "没有这个文件或文件夹"),
    errno.EACCES: ("it may not be read or written", "没有读写权限"),
    errno.EPERM: ("it may not be read or written", "没有读写权限"),
    errno.EISDIR: ("it is a folder", "这是一个文件夹"),
    errno.ENOTDIR: ("a part of the path is no folder", "路径中有一段不是文件夹"),
    errno.ENOSPC: ("the disk is full", "磁盘已满"),
    errno.EROFS: ("the disk is read-only", "磁盘是只读的"),
}

HELP: Final[Mapping[str, str]] = {
    "What Ebb remembers about you.": "Ebb 记得的关于你的事。",
    "memories, strongest first": "列出记忆，最牢固的在前",
    "memories about something, as a reply would recall them": "查找记忆，和回复时的回忆一样",
    "bring it back": "找回",
    "it never fades": "置顶：不再淡忘",
    "it never comes up by itself": "不再主动提起",
    "it comes up again": "恢复主动提起",
    "it fades again": "取消置顶：重新会淡忘",
    "remember this": "记住这句话",
    "put it in other words": "改写",
    "take back a change (the last one)": "撤销一次改动（默认最近一次）",
    "derive the indexes anew": "重新生成索引",
    "the five ways of forgetting, side by side": "五种遗忘方式并排比较",
    "one memory with all that is known of it, and its life as a picture": "一条记忆的全部信息，以及它的一生",
    "forget it (restorable for 30 days)": "忘掉（30 天内可以找回）",
    "erase it for good, and show from where": "永久抹去，并说明抹去了哪些地方",
    "the last purges, and whether the file is scrubbed of them": "最近几次永久抹去的回执，以及文件是否已经清除",
    "look after the memories now, as every night": "现在就整理记忆，和每晚一样",
    "what the last night came to": "上一次夜间整理的报告",
    "keep a memory that was proposed": "采纳一条建议的记忆",
    "all of it as JSONL, losslessly": "全部导出为 JSONL，不丢任何内容",
    "an export of Ebb's, of ChatGPT's, mem0's JSON, or one memory a line": (
        "导入 Ebb 或 ChatGPT 的导出、mem0 的 JSON，或每行一条的文本"
    ),
    "look at MEMORY.md now, and answer what is asked about it": "现在就读 MEMORY.md，并回答关于它的提问",
    "make a verified copy of the memory file now": "现在就备份记忆文件，并核对备份",
    "list the backups, or put one in the memory file's place": "列出备份，或用其中一份恢复记忆文件",
    "a backup's name, or the path of a file": "备份的名称，或文件路径",
    "search every byte Ebb keeps for words, backups too": "在 Ebb 保存的每个字节里查找一句话，备份也查",
    "what to look for": "要查找的话",
    "only this kind": "只看这一种",
    "only in this state": "只看这种状态",
    "at most so many": "最多显示多少条",
    "how many to pass over": "跳过前面多少条",
    "what was known then: 2026-03-01, “1 March”, 3月1日, “last month”": (
        "当时知道些什么：2026-03-01、3月1日、上个月、“1 March”"
    ),
    "a word, or a question": "一个词，或一个问题",
    "show every signal": "显示每一项依据",
    "its id, as `ebb memory list` shows it": "编号，见 `ebb memory list`",
    "the sentence": "这句话",
    "its id, or “last”; --list shows them": "编号，或 last；--list 会列出",
    "list the changes that can be taken back": "列出可以撤销的改动",
    "how important": "重要性",
    "how long a life is drawn": "画多长的一生（天）",
    "spoken of on it": "在这一天被提起",
    "denied on it": "在这一天被否定",
    "write the picture into a file as well": "同时把图写进文件",
    "every event with the whole state before and after it": "每个事件及其前后的完整状态",
    "the same as JSON lines, for programs": "以 JSON 行输出，供程序使用",
    "forget everything; asks for a typed confirmation": "忘掉全部；需要输入确认",
    "do not ask": "不再询问",
    "how many": "多少次",
    "only say what would be done": "只说明会做什么，不改动任何内容",
    "how many of the last nights": "最近多少个夜晚",
    "for programs": "供程序使用（JSON）",
    "where to; - is the screen or a pipe (the default)": "写到哪里；- 表示屏幕或管道（默认）",
    "take sealed secrets along, still sealed": "带上机密内容（仍是密文）",
    "- reads from a pipe": "- 表示从管道读取",
    "only say what would come": "只说明会导入什么",
    "also take instructions, health and what is over": "回答方式、健康信息和已经过去的事也一并导入",
    "whose memories to take, by mem0's user_id": "文件含多人记忆时，导入谁的（mem0 的 user_id）",
    "whose file it is": "文件来自哪里",
    "also read imported conversations for memories": "同时从导入的对话里提取记忆",
    "forget what is missing from it": "忘掉文件里少了的那些",
    "write what is missing from it back": "把文件里少了的写回去",
    "A companion that remembers you, and forgets the way people do.": "记得你、也像人一样慢慢遗忘的伙伴。",
    "one question from a shell or a pipe": "在命令行或管道里问一个问题",
    "off the record: nothing recalled, nothing kept": "临时模式：不回忆，也不记录",
    "read-only: recalls, keeps nothing": "只读模式：可回忆，不记录",
    "say on stderr which memories were recalled": "在 stderr 上列出用到的记忆",
    "the question; more may be piped in": "问题；也可以用管道传入更多内容",
    "what was found, and what to do about what is missing": "检查环境：找到了什么，缺什么，怎么办",
}
"""Every help text of the command and of `ebb memory`, in Chinese."""

_ARGUMENTS: Final[Mapping[str, str]] = {
    "id": "its id, as `ebb memory list` shows it",
    "set": "its id, or “last”; --list shows them",
    "words": "the sentence",
    "kind": "only this kind",
    "state": "only in this state",
    "limit": "at most so many",
    "offset": "how many to pass over",
    "importance": "how important",
    "origin": "whose file it is",
}
"""What is said of an argument of that name that says nothing itself."""


def in_language(parser: argparse.ArgumentParser, lang: Lang) -> argparse.ArgumentParser:
    """The parser and those of its verbs, every argument explained, in the language."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to look at what was added
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for choice in action._choices_actions:  # noqa: SLF001
                choice.help = _said(choice.help, lang)
            for name, verb in action.choices.items():
                verb.description = next((c.help for c in action._choices_actions if c.dest == name), None)  # noqa: SLF001
                in_language(verb, lang)
        else:
            action.help = _said(action.help or _ARGUMENTS.get(action.dest), lang)
    parser.description = _said(parser.description, lang)
    return parser


def _said(text: str | None, lang: Lang) -> str | None:
    return HELP.get(text, text) if text is not None and lang == "zh" else text


def unusable(e: OSError, path: str, lang: Lang) -> str:
    """One sentence for a file that cannot be read or written."""
    en, zh = _WHY.get(e.errno or 0, (e.strerror or str(e),) * 2)
    return say(lang, "file", path=path, why=zh if lang == "zh" else en)
