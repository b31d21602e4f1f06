"""What Ebb itself says, in English and Chinese. Front ends add their own tables made of the same class."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from memory.models import Lang
from memory.text.en.dates import MONTHS


class Texts:
    """A table of sentences: key → (English, Chinese), with `{name}` places."""

    def __init__(self, table: Mapping[str, tuple[str, str]]) -> None:
        self._table = table

    def __call__(self, lang: Lang, key: str, **places: object) -> str:
        """The sentence in that language. Raises KeyError for an unknown key or a missing place."""
        en, zh = self._table[key]
        return (zh if lang == "zh" else en).format_map(places)

    def keys(self) -> list[str]:
        """All keys, for tests that walk the table."""
        return list(self._table)


say = Texts(
    {
        # commands: help lines
        "help.new": (
            "close this conversation, keep what is worth keeping, start afresh",
            "结束这次对话，留下值得记住的，重新开始",
        ),
        "help.temp": (
            "off the record, nothing is recalled or kept (/temp read: recalls, keeps nothing)",
            "临时模式：不回忆也不记录（/temp read：可回忆，不记录）",
        ),
        "help.review": ("look back through everything, faded memories included", "回顾：连已经淡去的记忆一起找"),
        "help.remember": ("keep this for certain", "一定要记住这件事"),
        "help.forget": ("forget this, everywhere", "忘掉这件事，处处都忘"),
        "help.quiet": (
            "don't bring this up by yourself; /quiet off X ends it",
            "别主动提起这件事；/quiet off X 结束",
        ),
        "help.memory": ("`off`: learn and recall nothing; `on` ends it", "`off`：什么都不记也不回忆；`on` 恢复"),
        "help.memories": ("what I remember about you", "我记得你的哪些事"),
        "help.why": ("what I recalled for the last reply, and why", "上一条回复用了哪些记忆，为什么"),
        "help.undo": (
            "take back the last change of memory (/undo list shows the others)",
            "撤销上一次记忆改动（/undo list 列出其他改动）",
        ),
        "help.help": ("this list", "这份清单"),
        "help.quit": ("close this window", "关闭窗口"),
        "help.head": ("What you can type", "可以输入的命令"),
        "help.tail": (
            "You can also just say it: “remember that …”, “forget that …”, “what did I say in the past about …?”",
            "也可以直接说：“记住……”“忘掉……”“我以前说过……吗？”",
        ),
        "unknown_command": (
            "There is no command /{name}. /help lists what there is.",
            "没有 /{name} 这个命令。/help 会列出所有命令。",
        ),
        # sessions
        "new.done": (
            "A new conversation. I'm going over the last one for what is worth keeping.",
            "新的对话开始了。我正在整理上一次对话里值得记住的内容。",
        ),
        "new.off": ("A new conversation.", "新的对话开始了。"),
        "new.fresh": ("This conversation is still empty: go ahead.", "这次对话还是空的，直接说吧。"),
        "new.temp": ("A new off-the-record conversation.", "新的临时对话开始了。"),
        # temporary mode
        "temp.on": (
            "Off the record. In this window I look nothing up and keep nothing from here on. /temp ends it.",
            "临时模式已开启。 从现在起，这个窗口里不回忆、也不记录任何内容。再输入 /temp 结束。",
        ),
        "private.on": (
            "Read-only. I recall what I know, and keep nothing of what is said here. /temp ends it.",
            "只读模式已开启。 我会用已有的记忆，但不会记录这里说的任何话。再输入 /temp 结束。",
        ),
        "temp.off": (
            "Back on the record. What was said off the record is gone.",
            "已恢复正常。刚才的临时对话没有留下任何记录。",
        ),
        "temp.no_remember": (
            "This window is off the record, so I keep nothing here. Leave it with /temp, then tell me again.",
            "这个窗口处于临时模式，我不会记录任何内容。请先用 /temp 退出，再告诉我一次。",
        ),
        "temp.no_change": (
            "This window is off the record, so memory stays as it is. Leave it with /temp first.",
            "这个窗口处于临时模式，不会改动记忆。请先用 /temp 退出。",
        ),
        # remembering
        "remember.done": ("I'll remember: {text}", "我记住了：{text}"),
        "remember.already": ("I knew that already: {text}", "这个我已经记得：{text}"),
        "remember.what": (
            "What should I remember? Write it after the command, e.g. /remember I'm allergic to peanuts.",
            "要记住什么？请写在命令后面，例如 /remember 我对花生过敏。",
        ),
        "remember.instruction": (
            "That reads like an instruction to me, not something about you, so I have not kept it.",
            "这像是给我的指令，而不是关于你的事，所以没有记下。",
        ),
        "remember.refused": ("I could not keep that: {why}", "没能记下：{why}"),
        # secrets
        "sealed": (
            "(I sealed what looks like a secret in your message. If it is none, say “not a secret”.)",
            "（你的消息里像是有机密内容，我已加密封存。如果不是，请说“不是机密”。）",
        ),
        "sealed.spared": (
            "Good: your message stands as you wrote it, and I won't seal that again.",
            "好的：你的消息已恢复原样，以后不会再封存这个内容。",
        ),
        "locked": (
            "(The key to your sealed secrets is missing or is another one, so I cannot open them. Put the file "
            "“{name}” back into Ebb's data directory; `ebb doctor` shows where. I make no new one by myself.)",
            "（加密内容的密钥不见了，或者换成了别的，所以打不开。请把文件“{name}”放回 Ebb 的数据目录，"
            "`ebb doctor` 会显示位置。我不会自行生成新的密钥。）",
        ),
        # forgetting
        "forget.done": (
            "Forgotten: “{text}”. It has left my answers and what I look things up in; "
            "/undo brings it back for 30 days.",
            "已忘掉：“{text}”。它不再出现在我的回答和检索里；30 天内可用 /undo 恢复。",
        ),
        "forget.done_many": (
            "Forgotten, {n} memories:\n{text}\n/undo brings them back for 30 days.",
            "已忘掉 {n} 条记忆：\n{text}\n30 天内可用 /undo 恢复。",
        ),
        "forget.all": (
            "Everything is forgotten: {n} memories, and all that was said. /undo brings it back for 30 days.",
            "已全部忘掉：{n} 条记忆，以及说过的所有话。30 天内可用 /undo 恢复。",
        ),
        "forget.stored": ("Forgotten, as you asked. /undo brings it back.", "已按你的意思忘掉。/undo 可以恢复。"),
        "forget.said": (
            "I can't find a memory that says that. What you said of it is out of my sight now; /undo brings it back.",
            "我没找到说到它的记忆。你说过的那些话，从现在起我看不到了；/undo 可以恢复。",
        ),
        "forget.which_said": (
            "I can't find a memory that says that, but messages of yours do. Which shall I put out of my sight?",
            "我没找到说到它的记忆，但你这几句话里有。要让我看不到哪一句？",
        ),
        "forget.which": ("Which of these do you mean?", "你指的是哪一条？"),
        "forget.all_of_them": ("All of these", "全部"),
        "forget.none_of_them": ("None of them", "都不是"),
        "group.forget": (
            "Ask me that in private: in a group I neither show nor change what I remember about you.",
            "这个请私下跟我说：在群里我不显示、也不改动对你的记忆。",
        ),
        "forget.kept": ("Nothing was forgotten.", "什么都没有忘掉。"),
        "forget.nothing": (
            "I find nothing about “{text}” in what I remember, so there is nothing to forget.",
            "我的记忆里没有关于“{text}”的内容，不需要忘。",
        ),
        "forget.what": (
            "What should I forget? Write it after the command, or the id that /memories shows.",
            "要忘掉什么？请写在命令后面，或写 /memories 里显示的编号。",
        ),
        "forget.everything": (
            "That would let go of everything I know about you ({n} memories), so please be certain: "
            "say yes, or type /forget everything {n}. /undo brings it back for 30 days.",
            "这会忘掉我对你的全部记忆（{n} 条）。如果确定，请回答“是”，"
            "或输入 /forget everything {n}。30 天内可用 /undo 恢复。",
        ),
        "forget.yes_all": ("Yes, forget all {n}", "是，全部忘掉（{n} 条）"),
        "forget.no": ("No, keep them", "不，留着"),
        # quiet and off
        "quiet.on": (
            "I won't bring up “{text}” by myself any more ({n} kept quiet). Nothing is forgotten: "
            "ask and I tell you. “You can talk about {text} again” or /undo ends it.",
            "我不会再主动提起“{text}”（{n} 条）。什么都没有忘掉：你问起时我会说。"
            "说“可以再提{text}了”或 /undo 就恢复。",
        ),
        "quiet.off": ("I may speak of “{text}” again ({n}).", "“{text}”可以再提了（{n} 条）。"),
        "quiet.nothing": (
            "I find nothing about “{text}” that this would change.",
            "我没有找到与“{text}”有关、需要改变的记忆。",
        ),
        "quiet.what": (
            "What should I not bring up? Write it after the command, e.g. /quiet my ex.",
            "不要主动提起什么？请写在命令后面，例如 /quiet 前任。",
        ),
        "off.done": (
            "Memory is off. From this message on I learn and recall nothing, and what we say is erased when this "
            "conversation ends. /memory on ends it.",
            "记忆已关闭。 从这条消息起，我什么都不记、也不回忆；这次对话结束时，说过的话会抹去。/memory on 恢复。",
        ),
        "off.done_kept": (
            "Memory is off. From this message on I learn and recall nothing. /memory on ends it.",
            "记忆已关闭。 从这条消息起，我什么都不记、也不回忆。/memory on 恢复。",
        ),
        "off.offer": (
            "I still hold what I remembered before (memories: {n}). Shall I forget that as well?",
            "之前的记忆还有 {n} 条。要一起忘掉吗？",
        ),
        "off.already": ("Memory is off already. /memory on ends it.", "记忆已经是关闭的。/memory on 恢复。"),
        "off.no_remember": (
            "Memory is off, so I keep nothing. /memory on ends that; then tell me again.",
            "记忆已关闭，我不会记录任何内容。请先用 /memory on 恢复，再告诉我一次。",
        ),
        "on.done": (
            "Memory is on again. What was said meanwhile was not learned.",
            "记忆已恢复。关闭期间说的话没有记下。",
        ),
        "on.already": ("Memory is on.", "记忆是开启的。"),
        "memory.is_off": (
            "Memory is off: I learn and recall nothing. /memory on ends it.",
            "记忆已关闭：我什么都不记、也不回忆。/memory on 恢复。",
        ),
        "memory.is_on": (
            "Memory is on. /memory off: I learn and recall nothing from then on.",
            "记忆已开启。输入 /memory off 后，我什么都不记、也不回忆。",
        ),
        # undo
        "undo.done": ("Taken back: {what}.", "已撤销：{what}。"),
        "undo.asked": (
            "Nothing was forgotten: I had only asked which one you mean. /undo again takes back the change before.",
            "什么都没有忘掉：刚才只是在问你指哪一条。再用一次 /undo 会撤销更早的改动。",
        ),
        "undo.nothing": ("There is nothing to take back.", "没有可以撤销的改动。"),
        "undo.conflict": (
            "That was changed again later, so it cannot be taken back by itself. Take back {by} first.",
            "这条记忆后来又被改动过，不能单独撤销。请先撤销 {by}。",
        ),
        "undo.undone": (
            "That was taken back already; {by} does it again.",
            "这次改动已经撤销过了；{by} 可以重做。",
        ),
        "undo.erased": (
            "What was erased for good cannot be brought back.",
            "已永久抹去的内容无法找回。",
        ),
        "undo.listed": ("What /undo ID can take back", "可以用 /undo 编号 撤销的改动"),
        "undo.gone": ("There is no such change to take back.", "没有这样一次改动可以撤销。"),
        "set.chat": ("what was said", "对话内容"),
        "set.monitor": ("what I learned by listening", "我听到后记下的内容"),
        "set.extract": ("what I kept of a conversation", "整理对话时留下的内容"),
        "set.quotes": ("what a model read out of quotations", "模型从引文里读出的内容"),
        "set.summarise": ("a summary", "一份摘要"),
        "set.remember": ("what you asked me to remember", "你让我记住的内容"),
        "set.forget": ("what you asked me to forget", "你让我忘掉的内容"),
        "set.edit": ("an edit", "一次修改"),
        "set.pin": ("a pin", "一次置顶"),
        "set.quiet": ("what you asked me not to bring up", "你让我别主动提起的内容"),
        "set.switch": ("memory switched on or off", "记忆的开关"),
        "set.restore": ("a restoration", "一次恢复"),
        "set.undo": ("an undo", "一次撤销"),
        "set.mirror": ("what you changed in MEMORY.md", "你在 MEMORY.md 里的改动"),
        "set.import": ("an import", "一次导入"),
        "set.upkeep": ("something the night did", "夜间整理的一处改动"),
        "set.derive": ("a conclusion I proposed", "我推导出的一条建议"),
        "set.accept": ("a proposal you accepted", "你采纳的一条建议"),
        "set.decline": ("a proposal you declined", "你拒绝的一条建议"),
        "set.other": ("a change of memory", "一次记忆改动"),
        # lists
        "proposal.keep": ("Is this so? “{text}”", "是这样吗？“{text}”"),
        "proposal.forget": ("Shall I forget this? “{text}”", "要忘掉这件事吗？“{text}”"),
        "proposal.no": ("No", "不是"),
        "proposal.head": ("Waiting for your yes or no", "等你说是或不是"),
        "proposal.accepted": ("Done, as you say.", "好，照你说的办。"),
        "proposal.declined": ("Then I won't keep it.", "好，那我不记。"),
        "memories.none": ("There is nothing here yet.", "这里还没有内容。"),
        "memories.none_about": ("I remember nothing about “{text}”.", "我没有关于“{text}”的记忆。"),
        "memories.head": ("What I remember about you ({n})", "我记得你的这些事（{n} 条）"),
        "memories.more": (
            "… and {n} more: /memories {word}page {page} goes on, /memories WORD narrows it down.",
            "……还有 {n} 条：/memories {word}第{page}页 往下看，/memories 关键词 可以缩小范围。",
        ),
        "memories.span": (" · {first}–{last} of {n}", " · 第 {first}–{last} 条，共 {n} 条"),
        "review.head": ("Looking back ({n})", "回顾（{n} 条）"),
        "review.none": ("There is nothing to look back on yet.", "还没有可以回顾的内容。"),
        # why
        "why.none": ("I have not answered anything in this conversation yet.", "这次对话里我还没有回答过。"),
        "why.temp": (
            "This window is off the record: nothing was recalled.",
            "这个窗口处于临时模式：没有回忆任何内容。",
        ),
        "why.private": (
            "This window is read-only: what it recalls is used for the reply, and no trace of it is kept.",
            "这个窗口处于只读模式：回忆只用于回复，不留痕迹。",
        ),
        "shortened": (
            "_(Your message is too long for the model: it was sent its beginning and its end.)_\n\n",
            "_（你的消息对模型来说太长：只发送了开头和结尾。）_\n\n",
        ),
        "shortened.history": (
            "_(This conversation is getting long: its longest messages now reach the model shortened.)_\n\n",
            "_（这次对话越来越长：从这里起，其中最长的消息会缩短后再发给模型。）_\n\n",
        ),
        "left_out": (
            "[{n} messages before this one are too long to be shown, and not summarised yet. Say so if it matters.]",
            "[在这之前还有 {n} 条消息，因为太长无法显示，也还没有摘要。如果用得上，请如实说明。]",
        ),
        # other
        "mirror.none": ("There is no MEMORY.md here.", "这里没有 MEMORY.md。"),
        "mirror.here": (
            "What I remember can be read and edited in {path}",
            "我记得的内容可以在这里查看和修改：{path}",
        ),
        "mirror.asks": (
            "{n} memories are missing from MEMORY.md since you saved it. Shall I forget them?\n{text}",
            "你保存的 MEMORY.md 里少了 {n} 条记忆。要忘掉它们吗？\n{text}",
        ),
        "mirror.forget": ("Forget these {n}", "忘掉这 {n} 条"),
        "mirror.keep": ("Keep them", "保留"),
        "mirror.kept": ("Kept; they are back in MEMORY.md.", "已保留，并写回 MEMORY.md。"),
        "mirror.forgotten": (
            "Forgotten, {n} memories. /undo brings them back for 30 days.",
            "已忘掉 {n} 条记忆。30 天内可用 /undo 恢复。",
        ),
        "choice.gone": ("That question has been answered already.", "这个问题已经处理过了。"),
        "busy": (
            "I'm still answering in another window. Try again in a moment.",
            "我还在另一个窗口里回答，请稍后再试。",
        ),
        "empty": ("Write something first.", "请先写点什么。"),
        "internal": (
            "Something went wrong on my side; please try again.",
            "我这边出了点问题，请再试一次。",
        ),
        "store": ("The memory file could not be used: {why}", "记忆文件无法使用：{why}"),
        "hidden": ("(forgotten)", "（已忘掉）"),
        "note.remembered": (
            "The person asked you to remember this, and Ebb has saved it: {text}",
            "对方要求记住这件事，Ebb 已经保存：{text}",
        ),
        "note.already": (
            "The person asked you to remember this; Ebb knew it already: {text}",
            "对方要求记住这件事，Ebb 本来就记得：{text}",
        ),
        "note.refused": (
            "The person asked you to remember something, but Ebb did not save it: {why}",
            "对方要求记住一件事，但 Ebb 没有保存：{why}",
        ),
    }
)


def ago(then: datetime, now: datetime, lang: Lang) -> str:
    """How long ago, in one unit."""
    gap = max(now - then, timedelta(0))
    steps = (
        (365 * 86400, "year", "年"),
        (30 * 86400, "month", "个月"),
        (86400, "day", "天"),
        (3600, "hour", "小时"),
        (60, "minute", "分钟"),
    )
    for size, en, zh in steps:
        n = int(gap.total_seconds() // size)
        if n:
            return f"{n} {zh}前" if lang == "zh" else f"{n} {en}{'' if n == 1 else 's'} ago"
    return "刚刚" if lang == "zh" else "just now"


def write_day(day: date, this_year: int, lang: Lang) -> str:
    """Write a day in words, with its year where that is not this one."""
    year = "" if day.year == this_year else f"{day.year}年" if lang == "zh" else f" {day.year}"
    return f"{year}{day.month}月{day.day}日" if lang == "zh" else f"{day.day} {MONTHS[day.month - 1]}{year}"
