"""What `ebb memory mirror`, `export` and `import` say."""

from __future__ import annotations

from bot.texts import Texts

say = Texts(
    {
        "backup.made": ("Backed up and verified: {path}", "已备份并核对：{path}"),
        "backup.list": (
            "Backups, newest first; `ebb memory recover NAME` puts one back:",
            "备份（新的在前）；`ebb memory recover 名称` 可以用它恢复：",
        ),
        "backup.none": ("There are no backups yet.", "还没有备份。"),
        "backup.daily": ("daily", "每日"),
        "backup.hand": ("by hand", "手动"),
        "backup.migration": ("before an update", "升级前"),
        "backup.replaced": ("before a recovery", "恢复前"),
        "damaged": (
            "The memory file is damaged or is not Ebb's. `ebb memory recover NAME` puts a backup back: {names}",
            "记忆文件已损坏，或不是 Ebb 的文件。`ebb memory recover 名称` 可以用备份恢复：{names}",
        ),
        "recover.done": (
            "Recovered from {path}. Memories erased for good since then stay erased ({n} taken out again).",
            "已用 {path} 恢复。此后永久抹去的记忆不会回来（再次移除 {n} 条）。",
        ),
        "recover.kept": ("The memory file before it is kept as {path}.", "恢复前的记忆文件保存在 {path}。"),
        "recover.busy": (
            "Ebb is open elsewhere; close it (the bot too), then try again. Nothing was changed.",
            "Ebb 正在别处运行；请先关闭（包括机器人）再试。没有做任何改动。",
        ),
        "recover.damaged": (
            "{path} is damaged or is not one of Ebb's. Nothing was changed.",
            "{path} 已损坏，或不是 Ebb 的文件。没有做任何改动。",
        ),
        "trace.none": (
            "“{text}” stands nowhere in {path}: no database, index, log, backup or other file has it. "
            "(Sealed secrets are encrypted and cannot be searched.)",
            "{path} 里没有任何地方有“{text}”：数据库、索引、日志、备份和其他文件里都没有。"
            "（已加密的机密内容无法查找。）",
        ),
        "trace.found": ("“{text}” still stands here:", "“{text}”还在这些地方："),
        "trace.bytes": ("its bytes", "字节"),
        "trace.empty": ("There is no word in it to look for.", "没有写要查找的词。"),
        "exported": (
            "Exported {memories} memories and {messages} messages.",
            "已导出 {memories} 条记忆、{messages} 条消息。",
        ),
        "withheld": (
            "{n} secrets are in it by their labels only; --secrets takes them along, sealed with this home's key.",
            "其中 {n} 条机密只有标签；--secrets 会带上密文（仍用这里的密钥加密）。",
        ),
        "sealed": (
            "Secrets in it stay sealed: they open only where the file “key” of this home goes with them.",
            "其中的机密仍是密文：只有带上这里的“key”文件才能打开。",
        ),
        "dry": ("Nothing was changed. This would come:", "没有做任何改动。将会导入："),
        "done": (
            "Imported; `ebb memory undo {set_id}` takes the memories back:",
            "已导入；`ebb memory undo {set_id}` 可以撤回其中的记忆：",
        ),
        "nothing": ("Everything in it is here already.", "里面的内容这里都已经有了。"),
        "waits": (
            "These instructions, health facts and things that are over wait for your yes; --yes takes them too:",
            "下面的回答方式、健康信息和已经过去的事要你同意才会导入；加上 --yes 一并导入：",
        ),
        "not_learned": (
            "The conversations are kept; --learn has them read for memories (one model call or more each).",
            "对话已保存；加上 --learn 会从中提取记忆（每段对话至少调用一次模型）。",
        ),
        "mirror.same": (
            "It says what Ebb remembers; nothing was changed in it.",
            "内容与 Ebb 的记忆一致，没有新的修改。",
        ),
        "mirror.took": (
            "Taken from it: {new} new, {edited} changed, {deleted} forgotten, {unread} unreadable.",
            "已读入：新增 {new} 条，修改 {edited} 条，忘掉 {deleted} 条，读不懂 {unread} 处。",
        ),
        "mirror.asks": (
            "{n} memories are missing from it. `ebb memory mirror --forget-missing` forgets them,"
            " `--keep-missing` writes them back.",
            "里面少了 {n} 条记忆。`ebb memory mirror --forget-missing` 会忘掉它们，`--keep-missing` 会写回去。",
        ),
        "mirror.forgot": (
            "Forgotten: {n}. `ebb memory undo` brings them back.",
            "已忘掉 {n} 条。`ebb memory undo` 可以恢复。",
        ),
        "mirror.kept": ("Kept, and written back.", "已保留并写回。"),
        # what became of what
        "memory": ("memories", "记忆"),
        "session": ("conversations", "对话"),
        "message": ("messages", "消息"),
        "set": ("changes of the past", "过往的变更"),
        "tombstone": ("marks of what was forgotten", "遗忘标记"),
        "trace": ("records of what was recalled", "回忆记录"),
        "user": ("settings", "设置"),
        "secret": ("secrets", "机密"),
        "new": ("new", "新增"),
        "newer": ("in a later state than here", "比这里的新"),
        "older": ("left out: the state here is as new or newer", "略过：这里的不比它旧"),
        "same": ("here already", "已有"),
        "known": ("here already", "已有"),
        "kept": ("left out: remembered here", "略过：这里记得"),
        "erased": ("left out: erased here for good", "略过：在这里已彻底删除"),
        "forgotten": ("left out: forgotten here", "略过：在这里已忘掉"),
        "tombstone_": ("left out: forgotten here on request", "略过：曾按要求忘掉"),
        "secret_": ("left out: it holds a secret", "略过：含有机密"),
        "instruction": ("left out: reads like an order", "略过：像是命令"),
        "too_long": ("left out: too long for one memory", "略过：超过一条记忆的长度"),
        "empty": ("left out: empty", "略过：空白"),
        "queued": ("to be read for memories", "等待提取记忆"),
        "waiting": ("left out: waits for your yes", "略过：等你同意"),
        "locked": ("sealed with another key: they cannot be opened here", "用别的密钥加密，在这里打不开"),
    }
)
