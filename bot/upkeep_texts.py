"""What `ebb memory upkeep` and `ebb memory report` say."""

from __future__ import annotations

from bot.texts import Texts

say = Texts(
    {
        # phases, while it works
        "phase.weights": ("weighing", "计算权重"),
        "phase.levels": ("levels", "调整层级"),
        "phase.purge": ("clearing out", "清理"),
        "phase.rewrite": ("writing fainter words", "改写内容"),
        "phase.review": ("reviewing", "审核"),
        "phase.merge": ("merging what is the same", "合并重复"),
        "phase.clash": ("looking for contradictions", "查找矛盾"),
        "phase.derive": ("drawing conclusions", "推导"),
        "phase.report": ("writing the report", "生成报告"),
        # a run
        "failed": (
            "Upkeep did not finish: {why}. It goes on at the next start.",
            "整理没有完成：{why}。下次启动时会继续。",
        ),
        "stopped": (
            "Stopped. What is done is done; the next run goes on from there.",
            "已停止。做完的都已保存，下次会从这里继续。",
        ),
        "elsewhere": (
            "Another Ebb has done it; `ebb memory report` shows what came of it.",
            "另一个 Ebb 已经完成了整理；用 `ebb memory report` 查看结果。",
        ),
        # the report
        "none": ("No night has been looked after yet.", "还没有做过夜间整理。"),
        "head": ("Night of {night}, done {at}", "{night} 的夜间整理，完成于 {at}"),
        "memories": ("memories", "记忆"),
        "level.full": ("full", "完整"),
        "level.summary": ("summary", "摘要"),
        "level.tag": ("tag", "标签"),
        "level.trace": ("trace", "痕迹"),
        "level.archive": ("archive", "存档"),
        "down": ("grew fainter", "淡去"),
        "up": ("came back", "恢复"),
        "forgotten": ("forgotten", "遗忘"),
        "lowered": ("worn by the night", "当夜降低"),
        "todos": ("to-dos over", "到期待办"),
        "episodes": ("episodes archived", "归档情境"),
        "reviewed": ("reviewed", "审核"),
        "review_promoted": ("promoted to core", "升为核心"),
        "review_kept": ("kept", "保留"),
        "review_forgotten": ("forgotten", "遗忘"),
        "review_archived": ("archived", "存档"),
        "merged": ("merged", "合并"),
        "merged.n": ("{n} into {m}", "{n} 条并入 {m} 条"),
        "purged": ("erased for good", "彻底清除"),
        "purged.n": ("{n} memories, {m} hidden messages", "{n} 条记忆，{m} 条已隐藏的消息"),
        "erased_old": ("erased after a year", "满一年清除"),
        "clashes": ("contradictions", "矛盾"),
        "derived": ("proposed", "推导建议"),
        "derived.how": (
            "`ebb memory accept ID` keeps one, `ebb memory delete ID` drops it",
            "`ebb memory accept 编号` 采纳，`ebb memory delete 编号` 不要",
        ),
        "unwritten": ("not rewritten yet", "尚未改写"),
        "unreviewed": ("not reviewed yet", "尚未审核"),
        "rate": ("forgetting rate", "遗忘率"),
        "rate.n": ("{rate:.0%} (goal: under 30%)", "{rate:.0%}（目标：低于 30%）"),
        "weights": ("average weight", "平均权重"),
        "counters": ("counters", "计数"),
        "passive_compression": ("passive compressions", "被动压缩"),
        "user_activation": ("activations", "激活"),
        "negation": ("negations", "否定"),
        "frequent_reinforce": ("frequent reinforcements", "频繁强化"),
        "batch_merge": ("merges", "批量合并"),
        "waiting": ("waiting", "待续"),
        "waiting.n": (
            "{phase}: the model did not answer ({why}); the next night takes it up",
            "{phase}：模型没有回应（{why}），下一夜继续",
        ),
        "quiet": ("Nothing had to be done.", "没有需要整理的内容。"),
        # a look beforehand
        "preview.head": (
            "What upkeep would do now ({n} memories). Nothing has been changed.",
            "现在整理会做这些（共 {n} 条记忆）。没有改动任何内容。",
        ),
        "preview.fading": ("{a} → {b}", "{a} → {b}"),
        "preview.promotion": ("to review: promotion", "待审核：升级"),
        "preview.decay": ("to review: decay", "待审核：衰减"),
        "preview.merges": ("may say the same", "可能重复"),
        "preview.clashes": ("may contradict each other", "可能矛盾"),
        "preview.purged": ("to be erased for good", "将彻底清除"),
        "preview.erased_old": ("to be erased: faded for a year", "将清除：淡去已满一年"),
        "preview.moved": ("cached weights", "缓存的权重"),
        "more": ("… and {n} more", "……还有 {n} 条"),
        "accepted": ("Kept: {text}", "已采纳：{text}"),
        "not_proposed": (
            "That memory was not proposed; `ebb memory list --state proposed` shows those that are.",
            "这条记忆不是建议；用 `ebb memory list --state proposed` 查看建议。",
        ),
    }
)
