"""What the bot itself says on Telegram, in English and Chinese."""

from __future__ import annotations

from bot.texts import Texts

say = Texts(
    {
        "hello": (
            "Hello! I'm Ebb. I remember what you tell me, and forget the way people do: slowly, and never without "
            "a trace. Just write to me. /memories shows what I know of you, /forget takes it back, "
            "/temp is off the record, /help lists the rest.",
            "你好！我是 Ebb。我会记住你告诉我的事，也会像人一样慢慢淡忘，但总留下痕迹。直接跟我说话就好。"
            "/memories 看我记得你什么，/forget 让我忘掉，/temp 是不留记录的对话，/help 列出其余命令。",
        ),
        "claimed": (
            "This bot is yours now. What you say here and in your terminal is one conversation and one memory.",
            "这个机器人现在归你了。你在这里和终端里说的话，是同一段对话、同一份记忆。",
        ),
        "joined": (
            "Welcome! You can talk to me now. What you tell me stays yours: nobody else here sees it.",
            "欢迎！现在可以和我说话了。你告诉我的事只属于你，别人看不到。",
        ),
        "stranger": (
            "Sorry, I only talk with people I have been introduced to. If you have a code, send it to me.",
            "抱歉，我只和认识的人说话。如果你有邀请码，请发给我。",
        ),
        "code.wrong": ("That code is not right, or it has expired.", "这个邀请码不对，或者已经过期。"),
        "code.wait": ("Too many attempts. Please try again in an hour.", "尝试次数太多，请一小时后再试。"),
        "stop.done": ("Stopped.", "已停止。"),
        "stop.nothing": ("I'm not writing anything just now.", "我现在没有在写东西。"),
        "stop.button": ("■ Stop", "■ 停止"),
        "stopped": ("(stopped)", "（已停止）"),
        "help.start": ("say hello", "打个招呼"),
        "help.stop": ("stop the reply being written", "停止正在写的回复"),
        "temp.foot": (
            "🕶 off the record: nothing of this is kept · /temp ends it",
            "🕶 临时模式：不留任何记录 · /temp 结束",
        ),
        "off.foot": ("memory is off · /memory on ends it", "记忆已关闭 · /memory on 恢复"),
        "private.foot": (
            "🕶 read-only: nothing of this is kept · /temp ends it",
            "🕶 只读模式：不留任何记录 · /temp 结束",
        ),
        "temp.lost": (
            "I was restarted. This chat is still off the record, and what was said in it before is gone.",
            "我刚刚重启过。这里仍是临时模式，之前说的内容已经不在了。",
        ),
        "unread.alone": (
            "I can't make out {what} yet. Tell me in words, and I'm with you.",
            "我还看不懂{what}。用文字告诉我吧。",
        ),
        "unread.caption": (
            "I can't make out {what} yet, so I go by your words.",
            "我还看不懂{what}，只能根据你的文字来回答。",
        ),
        "kind.photo": ("pictures", "图片"),
        "kind.voice": ("voice messages", "语音"),
        "kind.video": ("videos", "视频"),
        "kind.sticker": ("stickers", "贴纸"),
        "kind.document": ("files", "文件"),
        "kind.audio": ("sound", "音频"),
        "kind.location": ("places on a map", "地图位置"),
        "kind.other": ("this kind of message", "这种消息"),
        "edit.late": (
            "You edited an earlier message. I answered it a while ago and have left that as it is: "
            "send the new version again if you'd like me to take it up.",
            "你修改了较早的一条消息。那条我早已回答过，没有再改动；如果想让我按新内容回答，请重新发送。",
        ),
        "interrupted": (
            "I was restarted while carrying out /{name}, and I won't do it twice. Please look at /memories first.",
            "执行 /{name} 时我重启了，为免重复没有再做一次。请先看看 /memories。",
        ),
        "broken": (
            "Something went wrong on my side, and I could not answer this. Please send it again.",
            "我这边出了点问题，没能回答这条。请再发一次。",
        ),
        "empty": ("I have nothing to say to that.", "这个我不知道说什么好。"),
        "forwarded": ("Forwarded from {name}:", "转发自{name}："),
        "forwarded.unknown": ("somebody", "某人"),
        "quoted": ("In reply to {name}:", "回复{name}："),
        "me": ("you", "你"),
        "elsewhere": (
            "💬 In another window since then: {n} of your messages.",
            "💬 这期间你在另一个窗口说了 {n} 句话。",
        ),
        "elsewhere.show": ("Show", "查看"),
        "said.you": ("You", "你"),
        "done": ("Done.", "好了。"),
        "private.first": (
            "I'll answer that in private; write to me there first: https://t.me/{name}",
            "这个我只在私聊里回答；请先在那里给我发条消息：https://t.me/{name}",
        ),
        "private.answered": ("I answered you in private.", "已在私聊里回答你。"),
        "gone": ("That button has had its day.", "这个按钮已经失效。"),
        "page": ("{page} / {pages}", "{page} / {pages}"),
        "notice.new": ("🧠 Remembered: {text}", "🧠 记住了：{text}"),
        "notice.proposed": ("🧠 Worth keeping? {text}", "🧠 要记住吗？{text}"),
        "notice.changed": ("🧠 Brought up to date: {text}", "🧠 已更新：{text}"),
        "notice.denied": ("🧠 No longer so: {text}", "🧠 不再如此：{text}"),
        "notice.dropped": ("🧠 Let go of: {text}", "🧠 放下了：{text}"),
        "notice.view": ("View", "查看"),
        "notice.undo": ("Undo", "撤销"),
        "notice.extract": (
            "🧠 From the last conversation: {new} new, {updated} brought up to date.",
            "🧠 上一次对话：新记住 {new} 条，更新 {updated} 条。",
        ),
        "notice.extract.none": (
            "🧠 From the last conversation: nothing that I did not know already.",
            "🧠 上一次对话：没有新的内容需要记住。",
        ),
        # said on the terminal where the bot runs
        "run.no_token": (
            "No bot token: get one from @BotFather on Telegram and set EBB_TELEGRAM_TOKEN (here or in {env}).",
            "没有机器人令牌：请在 Telegram 上向 @BotFather 申请，然后设置 EBB_TELEGRAM_TOKEN（环境变量或 {env}）。",
        ),
        "run.bad_token": (
            "Telegram does not accept the bot token; check EBB_TELEGRAM_TOKEN against what @BotFather gave you.",
            "Telegram 不接受这个机器人令牌；请核对 EBB_TELEGRAM_TOKEN 与 @BotFather 给你的是否一致。",
        ),
        "run.conflict": (
            "Another program is receiving this bot's messages; stop that one, or give this one a bot of its own.",
            "另一个程序正在接收这个机器人的消息；请停掉它，或者换一个机器人令牌。",
        ),
        "run.unreachable": (
            "Telegram cannot be reached ({why}); trying again.",
            "连不上 Telegram（{why}），正在重试。",
        ),
        "run.reached": ("Telegram can be reached again.", "已重新连上 Telegram。"),
        "run.ready": (
            "Ebb is on Telegram as @{name}. Ctrl+C stops it.",
            "Ebb 已在 Telegram 上线：@{name}。按 Ctrl+C 停止。",
        ),
        "run.claim": (
            "To make this bot yours, open https://t.me/{name}?start={code} or send it: /start {code}",
            "要认领这个机器人，请打开 https://t.me/{name}?start={code} ，或给它发送：/start {code}",
        ),
        "run.invite": (
            "For one other person, within a day: they send the bot  /start {code}",
            "给另一个人用，一天内有效：让对方给机器人发送  /start {code}",
        ),
        "people.none": ("Nobody has been let in yet.", "还没有人获准使用。"),
        "people.owner": ("owner", "主人"),
        "people.guest": ("guest", "受邀者"),
        "people.since": ("since {day}", "自 {day} 起"),
        "people.nobody": ("Nobody here is called “{who}”. These are in:", "这里没有“{who}”。现有这些人："),
        "people.which": (
            "“{who}” can mean more than one; take the id in front:",
            "“{who}”可能指不止一个人，请用前面的编号：",
        ),
        "people.gone": (
            "{name} is a stranger to the bot from now on. What they told stays, and is theirs again if you invite "
            "them again; `--forget` would take it away.",
            "从现在起 {name} 对机器人是陌生人。其说过的内容会留着，再次邀请时仍归其所有；加 `--forget` 则一并忘掉。",
        ),
        "people.forgotten": (
            "{name} is a stranger to the bot from now on, and all they told is forgotten; in 30 days for good.",
            "从现在起 {name} 对机器人是陌生人，其说过的一切都已忘掉，30 天后彻底删除。",
        ),
        "people.owner_gone": (
            "{name} is no longer the owner's account; at its next start the bot prints a new code.",
            "{name} 不再是主人的账号；机器人下次启动时会打印新的认领码。",
        ),
        "people.own_memory": (
            "That is the owner: what you told is yours, and forgotten with `ebb memory delete --all`.",
            "这是主人：你说过的内容请用 `ebb memory delete --all` 忘掉。",
        ),
        "run.setup": (
            "No model is set up yet, so the notebook answers, in your own words. `ebb` asks which model to use.",
            "还没有配置模型，暂由记事本回答：它记下你的原话，问起时引给你。运行 `ebb` 可以选择模型。",
        ),
        "run.finishing": (
            "Finishing… (Ctrl+C again leaves the rest to the next start)",
            "正在收尾……（再按一次 Ctrl+C 留到下次启动）",
        ),
    }
)
