"""What `ebb memory curves`, `show`, `list --as-of`, `delete --all`, `purge` and `receipt` say."""

from __future__ import annotations

from collections.abc import Mapping

from bot.texts import Texts
from memory.models import Json, Lang

say = Texts(
    {
        # pictures
        "legend.levels": ("█ full  ▓ summary  ▒ tag  ░ trace  · archive", "█ 完整  ▓ 摘要  ▒ 标签  ░ 痕迹  · 存档"),
        "legend.event": ("{ink} {what} ×{n}", "{ink} {what} ×{n}"),
        "event.created": ("made", "产生"),
        "event.mention": ("mentioned", "被提起"),
        "event.boost": ("used", "被用到"),
        "event.use": ("used by you", "被你用到"),
        "event.restored": ("restored", "恢复"),
        "event.affirm": ("affirmed", "被确认"),
        "event.negate": ("denied", "被否定"),
        "event.contradicted": ("contradicted", "有矛盾"),
        "event.lowered": ("worn by a night", "夜间降低"),
        "event.level": ("level", "层级变化"),
        "event.promoted": ("promoted", "升为核心"),
        "event.merged": ("merged", "合并"),
        "event.reviewed": ("reviewed", "审核"),
        "event.edited": ("edited", "修改"),
        "event.pinned": ("pinned", "置顶"),
        "event.unpinned": ("unpinned", "取消置顶"),
        "event.adopted": ("moved to another curve", "换了曲线"),
        "event.forgotten": ("forgotten", "遗忘"),
        "event.undone": ("undone", "撤销"),
        "curves.head": (
            "Five ways of forgetting: {kind}, {importance} importance, forgetting {speed}",
            "五种遗忘方式：{kind}，重要性{importance}，遗忘速度{speed}",
        ),
        "curves.days": ("{n} days", "{n} 天"),
        "curves.yours": ("yours", "当前使用"),
        "curves.level": ("{level} {since}–{until}", "{level} {since}–{until}"),
        "curves.forgotten": ("forgotten from day {day} on", "第 {day} 天起遗忘"),
        "curves.tail": (
            "EBB_CURVE chooses; a switch keeps every memory's weight and level. "
            "--kind, --importance, --days, --mention DAY, --deny DAY change the life that is drawn.",
            "用 EBB_CURVE 选择；切换时每条记忆的权重和层级都保持不变。"
            "--kind、--importance、--days、--mention 天数、--deny 天数 可以改变所画的经历。",
        ),
        "importance.high": ("high", "高"),
        "importance.medium": ("medium", "中"),
        "importance.low": ("low", "低"),
        "speed.slow": ("slowly", "慢"),
        "speed.normal": ("normally", "正常"),
        "speed.fast": ("fast", "快"),
        "level.0": ("full", "完整"),
        "level.1": ("summary", "摘要"),
        "level.2": ("tag", "标签"),
        "level.3": ("trace", "痕迹"),
        "level.4": ("archive", "存档"),
        "weight": ("weight", "权重"),
        "png.days": ("days", "天"),
        "png.forgotten": ("forgotten", "已遗忘"),
        "png.done": ("Written: {path}", "已写入：{path}"),
        "png.none": (
            "A PNG needs matplotlib, which is not there: `pip install matplotlib` in Ebb's environment brings it.",
            "写 PNG 需要 matplotlib，目前没有安装：请在 Ebb 的环境里运行 `pip install matplotlib`。",
        ),
        "png.unwritable": ("{path} cannot be written: {why}.", "无法写入 {path}：{why}。"),
        # a memory
        "log.head": ("Weight log", "权重日志"),
        "log.none": ("Nothing is logged of it.", "没有日志。"),
        # as it was
        "asof.head": ("What I knew on {when} ({n})", "截至 {when} 我知道的（{n} 条）"),
        "asof.none": ("I knew nothing about you then ({when}).", "截至 {when}，我还不了解你。"),
        "asof.more": ("… and {n} more.", "……还有 {n} 条。"),
        "asof.negated": (" → no longer so", " → 后来已否定"),
        "asof.superseded": (" → since changed", " → 后来已更新"),
        "asof.merged": (" → since merged into another", " → 后来并入了另一条"),
        "asof.forgotten": (" → since faded away", " → 后来已淡忘"),
        "asof.proposed": ("", ""),
        "asof.unread": (
            "I cannot read “{text}” as a date. Try 2026-03-01, “1 March” or “last month”.",
            "看不懂日期“{text}”。可以写 2026-03-01、3月1日 或 上个月。",
        ),
        # clearing
        "all.ask": (
            "This lets go of everything Ebb knows about you ({n} memories) and of all that was said. "
            "It can be undone for 30 days. Type `forget everything {n}` to go on: ",
            "这会忘掉 Ebb 对你的全部记忆（{n} 条）以及说过的所有话。30 天内可以撤销。要继续请输入 `忘掉全部 {n}`：",
        ),
        "all.kept": ("Nothing was forgotten.", "什么都没有忘掉。"),
        "all.none": ("There is nothing to forget.", "没有可以忘掉的内容。"),
        "all.done": (
            "Forgotten: {n} memories, and {hidden} messages hidden. "
            "`ebb memory undo {set}` brings all of it back for 30 days.",
            "已忘掉 {n} 条记忆，隐藏 {hidden} 条消息。30 天内可用 `ebb memory undo {set}` 全部恢复。",
        ),
        "deleted": (
            "Forgotten: {text}  (`ebb memory restore {id}` brings it back for 30 days)",
            "已忘掉：{text}（30 天内可用 `ebb memory restore {id}` 恢复）",
        ),
        "delete.which": (
            "Which one? Give its id, or --all for everything.",
            "要忘掉哪一条？请给出编号，或用 --all 表示全部。",
        ),
        "all.typed": ("forget everything {n}", "忘掉全部 {n}"),
        # purging
        "purge.ask": (
            "This erases “{text}” for good, with every trace of it. Type its id to go on: ",
            "这会永久抹去“{text}”及其一切痕迹。要继续请输入它的编号：",
        ),
        "purge.kept": ("Nothing was erased.", "什么都没有抹去。"),
        "purge.head": ("Erased for good on {at}, from:", "已于 {at} 永久抹去，涉及："),
        "purge.clean": ("looked at, nothing of it there", "已检查，没有内容"),
        "purge.scrubbed": (
            "The file itself was rewritten without it on {at}: indexes rebuilt, freed pages and its log gone, "
            "backups cleaned.",
            "数据库文件本身已于 {at} 重写（索引重建，空闲页和预写日志已清除，备份也已清理）。",
        ),
        "purge.beyond": (
            "Ebb cannot reach exported files, copies made outside its folder, a model provider's logs, the chat in "
            "Telegram, and a log that was told to hold texts. `ebb memory trace WORDS` searches every byte it keeps.",
            "Ebb 够不到的地方：导出的文件、目录之外的副本、模型服务商的日志、Telegram 里的聊天记录，以及设置为记录"
            "文本的日志。`ebb memory trace 词语` 会查找它保存的每个字节。",
        ),
        "purge.waiting": (
            "The file itself is not rewritten yet: {why}. A background job does it as soon as that is over; "
            "`ebb memory receipt` says when it was.",
            "数据库文件本身尚未重写：{why}。一旦可以，后台任务就会完成；`ebb memory receipt` 会显示完成时间。",
        ),
        "purge.busy": ("another Ebb is using it", "另一个 Ebb 正在使用"),
        "purge.next": ("it waits for its turn", "正在排队"),
        "receipt.none": ("Nothing has been purged.", "还没有永久抹去过任何内容。"),
        "receipt.line": ("{at}: {n} memories, {rows} places cleaned", "{at}：{n} 条记忆，清理 {rows} 处"),
        "place.memories": ("memories", "记忆"),
        "place.messages": ("text in messages", "消息原文"),
        "place.summaries": ("summaries and titles", "摘要与标题"),
        "place.episodes": ("episodes", "情境记忆"),
        "place.other_memories": ("other memories that held it", "含有它的其他记忆"),
        "place.sources": ("links to its sources", "来源关联"),
        "place.mentions": ("mentions", "提及记录"),
        "place.vectors": ("vectors", "向量"),
        "place.index": ("text index", "全文索引"),
        "place.entities": ("people and things", "人名与事物"),
        "place.secrets": ("sealed secrets", "密存内容"),
        "place.traces": ("recall traces", "回忆记录"),
        "place.jobs": ("pending and finished work", "后台任务"),
        "place.choices": ("open questions", "待答问题"),
        "place.reports": ("nightly reports", "夜间报告"),
        "place.changes": ("change log", "变更日志"),
        "place.weight_log": ("weight log", "权重日志"),
        "place.mirror": ("MEMORY.md", "MEMORY.md"),
        "place.mirror_backups": ("MEMORY.md backups", "MEMORY.md 备份"),
        "place.unread": ("MEMORY.md's unread parts", "MEMORY.md 未读部分"),
        # the switch of curves
        "switch.done": (
            "Memories now fade by “{curve}” (before: “{was}”). {moved} were moved, each with its weight and level.",
            "记忆现在按“{curve}”淡忘（之前是“{was}”）。已转换 {moved} 条，权重和层级保持不变。",
        ),
        # a model's reading of the notebook's quotations
        "quotes.done": (
            "I have read what the notebook had quoted of you: {quotes} quotations became {new} notes. /undo {set}"
            " brings the quotations back.",
            "我读了记事本引用过的你的话：{quotes} 条引文整理成了 {new} 条笔记。/undo {set} 可以恢复引文。",
        ),
        "switch.fainter": (
            "{n} of them are weaker than “{curve}” keeps: the next night forgets them (restorable).",
            "其中 {n} 条低于“{curve}”的保留下限：下次夜间整理会遗忘它们（可恢复）。",
        ),
    }
)


def read_out(result: Mapping[str, Json], lang: Lang) -> str:
    """Say what a model's reading of quotations came to: `result` is the job's."""
    return say(lang, "quotes.done", quotes=result["quotes"], new=result["new"], set=result["set"])


def switched(result: Mapping[str, Json], lang: Lang) -> str:
    """What a finished switch of curves came to, for people: `result` is the job's."""
    text = say(lang, "switch.done", curve=result["curve"], was=result["was"], moved=result["moved"])
    fainter = int(result.get("fainter") or 0)
    return f"{text} {say(lang, 'switch.fainter', n=fainter, curve=result['curve'])}" if fainter else text
