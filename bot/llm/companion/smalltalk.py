# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Small talk: greetings, thanks, feelings, and what the companion says of itself. It is a program, and says so."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.llm.companion.asker import Asker
from bot.llm.companion.telling import day_text
from bot.llm.companion.text import pick, simplified
from memory.text import dates

_OPEN = r"^(?:(?:oh|hey|hi|ok(?:ay)?|so|well|and|but|ebb|那么?|嗯|哦|对了|你好)[\s,，!.]{1,9})*"


def _clock(a: Asker) -> str:
    return f"{a.now:%H:%M}"


def _time(a: Asker) -> str:
    return a.say(f"It's {_clock(a)}.", f"现在是{_clock(a)}。")


def _date(a: Asker) -> str:
    return a.say(f"It's {day_text(a.now.date(), 'en')}.", f"今天是{day_text(a.now.date(), 'zh')}。")


def other_day(a: Asker, question: str) -> str:
    """What day is tomorrow, 下周三是几号."""
    found = dates.find(question, a.now, a.lang)
    if not found or re.match(r"\W*(?:is (?:it|today)|今天)\b", question, re.I):
        return _date(a)
    word = question[found[0].start : found[0].end].strip()
    return a.say(
        f"{word[:1].upper()}{word[1:]} is {day_text(found[0].at.date(), 'en')}.",
        f"{word}是{day_text(found[0].at.date(), 'zh')}。",
    )


_HOURS = ((r"morning|早", 8), (r"evening|晚上", 20), (r"afternoon|下午", 15), (r"中午", 12))


def part_of_day(a: Asker, greeted: str = "") -> str:
    """A greeting that fits the hour, or the one it answers: whoever says good evening has evening."""
    h = next((h for p, h in _HOURS if re.search(p, greeted, re.I)), a.now.hour)
    if a.lang == "zh":
        return "早上好" if 5 <= h < 11 else "中午好" if h < 13 and h >= 11 else "下午好" if 13 <= h < 18 else "晚上好"
    return "Good morning" if 5 <= h < 12 else "Good afternoon" if 12 <= h < 18 else "Good evening"


ABOUT_EN = (
    "I'm Ebb's offline companion: a small program made of rules, not a language model and not a person. I work without any network. "
    "I can chat a little, remember what you tell me about yourself, and answer from that. For open-ended questions, connect a model in Ebb's settings."
)
ABOUT_ZH = "我是 Ebb 的离线伙伴：一个由规则写成的小程序，不是语言大模型，也不是人，不用联网就能运行。我能陪你聊聊天，记得你说过的关于自己的事，并据此回答。想问更开放的问题，可以在设置里接入一个模型。"
HELP_EN = (
    "Just talk to me: tell me about yourself, your people, what you like, what you plan. I remember it and you can ask me later: “What am I allergic to?”, “When is my interview?”, “What do you know about me?”\n\n"
    "- `/memories` shows what is remembered, `/why` what my last answer drew on\n- `/remember …` and `/forget …` keep or drop something for certain, `/undo` takes the last change back\n"
    "- `/new` begins a new conversation, `/temp` one that leaves no trace, `/review` looks far back\n- `/help` lists every command"
)
HELP_ZH = (
    "直接跟我聊就好：说说你自己、身边的人、喜欢什么、有什么计划。我会记得，之后可以问我：“我对什么过敏？”“我的面试是什么时候？”“你知道我什么？”\n\n"
    "- `/memories` 查看记住的内容，`/why` 查看上一条回答用到了什么\n- `/remember …` 和 `/forget …` 明确地记住或忘掉，`/undo` 撤销上一次改动\n"
    "- `/new` 开始新对话，`/temp` 不留痕迹的对话，`/review` 回顾很久以前\n- `/help` 列出所有命令"
)
FORGET_EN = "Memories fade slowly unless they come up again: first to an impression, then to a trace. Nothing is lost unless you say so: `/forget …` removes something everywhere."
FORGET_ZH = "记忆如果不再被提起，会慢慢变淡：先剩印象，再剩痕迹。除非你说要忘，否则不会真的丢失；`/forget …` 会把一件事处处忘掉。"

Reply = Callable[[Asker, str], str]


def _pick(en: tuple[str, ...], zh: tuple[str, ...]) -> Reply:
    return lambda a, text: pick(zh if a.lang == "zh" else en, text, a.turn)


_JOKES_EN = (
    "Why did the memory go to therapy? It couldn't let go.",
    "I tried to write a joke about forgetting, but it slipped my mind.",
    "What do you call a fish without eyes? A fsh.",
)
_JOKES_ZH = (
    "为什么记忆去看医生？因为它总是放不下。",
    "我本来想讲个关于健忘的笑话，结果忘了。",
    "什么动物最容易摔倒？狐狸，因为它很狡猾（脚滑）。",
)

# Questions to the companion itself, before anything that asks about the user.
TO_ME: tuple[tuple[re.Pattern[str], Reply], ...] = tuple(
    (re.compile(_OPEN + p, re.I), r)
    for p, r in (
        (r"(?:what(?:'s| is) the time|what time is it|do you have the time|(?:现在|请问)?(?:几点了?|什么时间|什么时候了)(?:了|啊|呢)?)(?: now| please|现在|\?|？|$)", lambda a, _: _time(a)),
        (r"(?:what(?:'s| is)?|which) (?:day|date)(?: of the week)? (?:is|was|will)|what(?:'s| is) (?:the |today'?s )?date|what day is (?:it|today)|is (?:it|today) (?:a )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend)|今天是?(?:周|星期|礼拜).吗|(?:今天|明天|后天|昨天|大后天|下?周.|.{1,8})(?:是)?(?:几号|几月几号|星期几|周几|礼拜几|什么日子|几月几日)|(?:what|which) (?:year|month) is it|今年是(?:哪|几|什么)", other_day),
        (r"(?:are|r) (?:you|u) (?:an? )?(?:real |really )?(?:a\.?i\.?|ai|bot|robot|human|person|real|machine|program|chat ?gpt|gpt|llm|language model|computer|alive|claude|siri|conscious|sentient|offline)|who (?:are|r) (?:you|u)|what are you|what(?:'s| is) your (?:name|model)|introduce yourself|tell me about yourself|who (?:made|created|built) you|which model are you|do you have a name|你(?:到底)?是(?:谁|什么|哪个|ai|AI|机器人|人|真人|人工智能|chatgpt|ChatGPT|GPT|gpt|程序|大模型|语言模型)|你叫(?:什么|啥)|你(?:是不是|是否)(?:是)?|介绍一?下?你自己|谁(?:做|创造|开发|写)了?的?你|你的名字", lambda a, _: a.say(ABOUT_EN, ABOUT_ZH)),
        (r"(?:how (?:are|r) (?:you|u)|how's it going|how is it going|how do you do|how have you been|what's up|sup\b|whats up|how are things|what(?:'s| is) new|你(?:今天|最近)?(?:还)?(?:好吗|好么|怎么样|过得好吗|过得怎么样|还好吗))", _pick(("I'm running smoothly, thank you, as far as a program can say so. How are you?", "All quiet here, thank you for asking. And how are you?"), ("我运行得挺好，谢谢关心。你呢，今天怎么样？", "一切正常，谢谢你问起。你还好吗？"))),
        (r"(?:在吗|在么|在不在|有人吗|are you (?:still )?there|you there|anyone there)[\s?？!]{0,9}$", _pick(("I'm here.", "Here, and listening."), ("我在。", "在的，请说。"))),
        (r"(?:why|how come|为什么|为啥)(?: (?:is that|do you (?:say|think|ask|know) (?:that|so|this)|not|so))?(?:呢|啊|这么说|这样说)?[\s?？!]{0,9}$", lambda a, _: a.say("I go by simple rules, so there is seldom a deeper reason. `/why` shows which memories my last answer drew on.", "我按简单的规则说话，很少有更深的理由。输入 `/why` 可以看到上一条回答用了哪些记忆。")),
        (r"(?:what (?:can|do) you do|what (?:are|r) your (?:commands|abilities|features|capabilities)|(?:(?:can|could|will) you )?(?:please )?help(?: me)?[\s!?]{0,9}$|what (?:can|will|could) you remember|commands?[\s?]{0,9}$|how (?:do|can) i use (?:you|this|ebb)|how does (?:this|ebb|it) work|what is (?:this|ebb)|what can i (?:ask|say|do here)|(?:你|你都)?(?:会|能|可以)(?:做|干|帮我做)?(?:什么|啥|哪些|些什么)|你有什么(?:功能|用|本事)|(?:怎么|如何)(?:用|使用)|帮助$|命令|指令)", lambda a, _: a.say(HELP_EN, HELP_ZH)),
        (r"(?:how (?:do|does|can) (?:you|your memory|ebb|i|memory)\b.*(?:remember|forget|memory|delete|work)|(?:do|will|can|could) you (?:really )?(?:forget|remember (?:things|everything|what i (?:say|tell you|told you)|it|this|that|all|me later))|你(?:会|能)(?:忘|记得|记住|一直记|永远)|(?:怎么|如何)(?:忘|删|删除|记住))", lambda a, _: a.say(FORGET_EN, FORGET_ZH)),
        (r"(?:do you (?:love|like|hate|miss) me|do you have (?:feelings|emotions|a (?:body|soul|family|boyfriend|girlfriend))|can you (?:feel|think|love|dream|see|hear)|are you (?:lonely|sad|happy|tired|bored|hungry|ok|okay|single)|how old are you|where (?:are|do) you (?:live|from)|what do you (?:like|eat|think about|love|hate)|do you (?:like|eat|sleep|dream|drink|enjoy)\b|你(?:爱|喜欢|想|讨厌)(?:我|吃|不喜欢我)|你有(?:感情|情感|感觉|身体|朋友|家人|灵魂)|你(?:会)?(?:累|饿|困|寂寞|孤独|难过|开心|做梦)|你(?:今年)?(?:多大|几岁)|你(?:住|来自|在)(?:在)?哪|你(?:是)?哪里人|你(?:喜欢|爱)(?:什么|吃什么))", _pick(("I'm a small program, so there is no body and no feeling behind my words. But I do listen, and I remember what you tell me. What about you?", "Honestly: I have no tastes or feelings, being a program. I'd rather hear about yours."), ("我是个小程序，没有身体，也没有感受，不想装作有。但我会认真听，也记得你说的。你呢？", "说实话，我是程序，没有喜好和情感。我更想听听你的。"))),
        (r"(?:tell me a joke|make me laugh|(?:say|tell) (?:me )?something funny|another joke|know any jokes|(?:给我)?(?:讲|说)个?(?:一个)?(?:笑话|段子)|逗我笑|再(?:来|讲)一个)", lambda a, t: pick(_JOKES_ZH if a.lang == "zh" else _JOKES_EN, t, a.turn)),
    )
)  # fmt: skip


def _brief(a: Asker, text: str) -> str:
    no = bool(re.match(r"\W*(?:no|nope|nah|not|nothing|不|没)", text, re.I))
    if no:
        return (
            pick(("All right. What would you rather talk about?", "Fair enough. What is on your mind?"), text, a.turn)
            if a.lang == "en"
            else pick(("好吧，那聊点别的？", "没事，你想聊什么？"), text, a.turn)
        )
    return (
        pick(("Tell me more, if you like.", "What else is on your mind?", "I'm listening."), text, a.turn)
        if a.lang == "en"
        else pick(("愿意的话，再多说说？", "还有什么想聊的吗？", "我听着呢。"), text, a.turn)
    )


# What is said without asking.
SAID: tuple[tuple[re.Pattern[str], Reply], ...] = tuple(
    (re.compile(p, re.I), r)
    for p, r in (
        (r"^\W*(?:(?:ok(?:ay)?|alright|thanks?|thank you|thx|cheers|好的?|嗯|行|谢谢你?|多谢)[\s,，!！.。了啦]{0,9})*(?:good ?bye|bye+|see (?:you|ya)|good ?night|night|later|cya|talk (?:to you )?later|i(?:'m| am) off|i have to go|(?:i(?:'ve)? )?(?:gotta|got to|have to|need to) (?:go|run|dash)|ttyl|i(?:'m| am) going to (?:bed|sleep)|再见|拜拜|拜|晚安|回头聊|我?先走了?|我走了|先忙|我先忙|先这样|先下了|下次聊|我去睡了|我要睡了|我睡了|88)(?![a-z]).{0,24}$", _pick(("Take care! I'll be here.", "See you! It was good talking with you.", "Until next time."), ("再见，我一直在这儿。", "下次聊，照顾好自己。", "拜拜，期待下次。"))),
        (r"^\W*(?:(?:ok(?:ay)?|alright|great|cool|nice|good|好的?|嗯|行|哇)[\s,，!！.。]{0,9})*(?:thanks?|thank you|thx|ty|cheers|much appreciated|i appreciate (?:it|that)|谢谢|多谢|感谢|谢啦|谢了|非常感谢|辛苦了)(?![a-z]).{0,24}$", _pick(("You're welcome!", "Glad to.", "Any time."), ("不客气！", "应该的。", "随时欢迎。"))),
        (r"^\W*(?:i (?:have )?miss(?:ed)? you|miss you|我?(?:好|很)?想你了?)\W*$", _pick(("I'm here whenever you like. What has been going on?", "Good that you're here. How have you been?"), ("我一直都在。最近过得怎么样？", "你来了就好，最近还好吗？"))),
        (r"^\W*(?:sorry|my bad|apologies|i apologi[sz]e|pardon|对不起|抱歉|不好意思)\W*$", _pick(("No harm done.", "Don't worry about it."), ("没关系。", "别放在心上。"))),
        (r"^\W*(?:i (?:do not|don't|dont|'d rather not) (?:really )?(?:want|wanna|like)?(?: to)? ?(?:talk|speak|think) about (?:it|this|that)|(?:let's|lets|can we|could we|shall we|please) (?:talk about|change|discuss|do) (?:something else|the (?:subject|topic)|another (?:topic|thing))|(?:我)?(?:不想|不愿意?|别)(?:再)?(?:说|聊|谈|提)(?:这个|它|了|这件事|那个|他|她)*|(?:我们)?(?:换个话题|聊点?别的|说点?别的))[了吧吗呢\s.!?？。！]{0,9}$", _pick(("That's all right, we can leave it there. What would you like to talk about?", "Of course. What else is on your mind?"), ("好的，那就不说这个了。想聊点什么？", "没问题，换个话题。最近还有什么别的事吗？"))),
        (r"^\W*(?:wish (?:me|us) luck|fingers crossed|祝我们?.{0,4}(?:好运|顺利|成功).{0,2}|给我们?加油.{0,2})\W*$", _pick(("Good luck!", "Fingers crossed!"), ("祝你好运！", "加油，一切顺利！"))),
        (r"^\W*(?:(?:ok(?:ay)?|好吧|哦)[\s,，]{0,9})?(?:never ?mind|forget (?:about )?it|doesn't matter|算了|没事了?|当我没说)(?:吧|了)?\W*$", _pick(("All right. What else is on your mind?", "No problem."), ("好，那聊点别的？", "没关系。"))),
        (r"^\W*(?:ok(?:ay)? (?:good|great|cool|fine|nice|then|thanks)|sounds good|good to know|fair enough|明白了?|知道了|懂了|了解|收到|好吧|好嘞|好呀|不错|挺好的?|太好了)\W*$", _brief),
        (r"^\W*(?:(?:ha){2,}h?|lol|lmao|rofl|哈{2,}|嘿嘿|嘻嘻|笑死.{0,4}|😂+|🤣+)\W*$", _pick(("Glad that made you smile.", "Ha!"), ("哈哈，开心就好。", "嘿嘿。"))),
        (r"^\W*(?:you(?:'re| are) (?:so |very |really |such )?(?:an? )?(?:great|awesome|amazing|cool|sweet|kind|nice|the best|smart|cute|helpful|funny|good|lovely)(?: \w+){0,2}|good (?:bot|job)|well done|i (?:love|like) you|love you|nice one|你(?:真|好|太|很|人真)(?:是个?)?(?:棒|好|厉害|聪明|可爱|贴心|温柔|有趣|会(?:听|说|安慰|聊).{0,6})|真棒|我爱你|爱你|我喜欢你|做得好)(?![a-z]).{0,12}$", _pick(("That's kind of you. I'm only a program, but I'm glad to be good company.", "Thank you! I do what my rules can."), ("谢谢夸奖！我只是个小程序，能陪你就好。", "谢谢你，规则们也很高兴。"))),
        (r"^\W*(?:(?:wow|man|god|ugh|oh|well|lol)[,!]? )?(?:you(?:'re| are) (?:so |very |really |such an? |an? )?(?:stupid|dumb|useless|bad|boring|idiot|wrong|annoying|terrible|silly)|stupid|you suck|shut up|i hate you|you don't understand|你(?:真|好|太|很|是)?(?:笨|蠢|傻|没用|烦|无聊|差|白痴|垃圾)|闭嘴|滚|你不懂)(?![a-z]).{0,12}$", _pick(("I'm sorry I'm not more use. I'm a small program with rules; tell me again in other words, and I'll try.", "Fair enough: I understand only so much. What did you mean?"), ("抱歉没帮上忙。我只是个按规则运行的小程序，换个说法再试试？", "我懂的确实有限，你的意思是？"))),
        (r"^\W*(?:ok(?:ay)?|k|alright|all right|got it|i see|sure|fine|right|cool|nice|great|good|wow|interesting|really|oh|ah|hm+|mhm|uh huh|yep|yes|yeah|yup|no|nope|nah|not really|maybe|i guess|nothing(?: much)?|nm|idk|i don't know|dunno|whatever|嗯+|哦+|噢|好的?|行|可以|是的?|对|不是?|没有|没什么|还行|还好|一般|不知道|随便|也许|是吗|真的吗?|哇+|这样啊|原来如此|没事|OK)[\s.!。！,，~～]{0,9}$", _brief),
        (r"^\W{0,9}(?:test(?:ing)?|ping|\d+|[^\w\u4e00-\u9fff]{1,99}|测试|在吗|在么|在不在|有人吗|are you there|you there|anyone there)\W{0,9}$", _pick(("I'm here.", "Here, and listening."), ("我在。", "在的，请说。"))),
    )
)  # fmt: skip


GREETING = re.compile(
    r"^\W*(?:hi+|hello+|hey+|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day)|morning|evening|hi there|hello there|hey there|你好+(?!\s{0,9}[笨蠢傻烦无慢懂坏棒厉聪可])|您好|嗨+|哈喽|哈啰|嘿|早上好|早安|早啊?|下午好|中午好|晚上好|大家好|hello|i(?:'m| am) back|我回来了|我?又来了)(?:\s{0,9},?\s{0,9}(?:ebb|there|again|呀|啊|哦|ebb))*[\s!.,，。！~～😊👋]{0,9}",
    re.I,
)

_FEEL: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (r"tired|exhausted|sleepy|worn out|drained|burn(?:ed|t) out|no energy|(?<![积劳])累(?!积|计)|疲惫|困(?!难|惑|扰)|好疲|没精神|筋疲力尽", ("That sounds draining. Did you get any rest?", "You've earned a break, by the sound of it. What wore you out?", "Being that tired makes everything heavier. Be gentle with yourself."), ("听起来真的很累，有好好休息吗？", "辛苦了，今天是什么事把你累着了？", "累的时候什么都显得更重，对自己温柔一点。")),
    (r"sad\b|(?:feel(?:ing)?|so|really|bit|very|am) (?:really |so |a bit |very )?down\b|unhappy|depress|miserable|cry\b|crying|heartbroken|lonely|alone|feel(?:ing)? blue\b|hurt|miss (?:him|her|them|my)|难过|伤心|低落|沮丧|抑郁|想哭|哭了|孤独|寂寞|失落|心碎|不开心|不高兴|emo|委屈|郁闷", ("I'm sorry you feel that way. Do you want to tell me what happened?", "That sounds heavy. I'm here and listening.", "I'm sorry. You don't have to carry it quietly; tell me as much as you like."), ("听你这么说，我有点担心。愿意说说发生了什么吗？", "抱抱你，我在这儿听着。", "难过的时候不用一个人扛着，想说多少都可以。")),
    (r"stress|anxious|anxiety|nervous|worried|worry|overwhelm|panic|afraid|scared|pressure|tense|紧张|焦虑|担心|压力|害怕|慌|不安|发愁|崩溃", ("That sounds like a lot. What weighs on you most right now?", "It's understandable to be on edge. What would make it a little lighter?", "One thing at a time. Which part worries you most?"), ("听起来压力不小，最让你放不下的是哪一件？", "紧张是很正常的，有什么能让你轻松一点吗？", "一件一件来，哪一部分最让你担心？")),
    (r"angry|mad\b|annoy|furious|pissed|frustrat|irritat|hate this|fed up|生气|气死|愤怒|恼火|烦死|烦躁|好烦|很烦|不爽|无语", ("That would upset me too, if I could be upset. What happened?", "I can hear the frustration. Tell me what happened."), ("换谁都会生气吧，发生什么事了？", "听得出来你很烦，说说看？")),
    (r"bored|boring|nothing to do|无聊|没意思|没事干", ("Boredom, the mother of odd ideas. What do you usually enjoy?", "Shall we chat a bit? Tell me about something you like."), ("无聊的时候最适合聊聊天，最近有什么喜欢的东西吗？", "那说说你平时喜欢做什么？")),
    (r"sick|ill\b|unwell|headache|fever|(?:a|have|got|bad) cold\b|flu\b|(?:in |a |back |chest )?pain(?:s|ful)?\b|hurts|toothache|stomach|cough|生病|不舒服|头疼|头痛|发烧|感冒|咳嗽|肚子疼|牙疼|难受", ("I'm sorry you're unwell. Rest, drink enough, and see a doctor if it doesn't get better.", "That's unpleasant. I hope it passes soon. Is there someone to look after you?"), ("不舒服要多休息、多喝水，没好转就去看看医生。", "希望你快点好起来，身边有人照顾你吗？")),
    (r"happy|glad|great day|good mood|excited|wonderful|amazing|awesome|fantastic|thrilled|delighted|proud|grateful|yay|best day|joy|开心|高兴|快乐|兴奋|激动|太好了|太棒了|幸福|骄傲|满足|耶|心情(?:很|真|特别)?好|爽", ("That's lovely to hear! What brought it about?", "Wonderful! Tell me more.", "I'm glad. It's good to hear you like that."), ("真好！是什么让你这么开心？", "太好了，快说说！", "听到你开心，这就很好。")),
    (r"\b(?:fine|okay|good|well|not bad|alright|so-so|all right)\b|还不错|挺好|还好|还行|不错|马马虎虎", ("Good to hear. What is on your mind?", "Glad to hear it. What have you been up to?"), ("那就好。最近在忙什么？", "不错不错，有什么想聊的吗？")),
    (r"hungry|starving|thirsty|饿|渴", ("Time for something good, then. What do you feel like having?",), ("那得吃点好的，想吃什么？",)),
    (r"busy|(?<!帮)忙(?!帮)|加班", ("Sounds like a full plate. Don't forget to breathe in between.", "Busy days. What takes most of your time?"), ("忙起来也别忘了喘口气。", "最近这么忙呀，主要在忙什么？")),
)  # fmt: skip
_FEELINGS = tuple((re.compile(rf"(?<![a-z])(?:{p})", re.I), en, zh) for p, en, zh in _FEEL)
_SELF = re.compile(
    r"\b(?:i|i'm|im|i am|feel(?:ing)?|my|me|today|so|such|what a|it's|it was|had)\b|我|今天|好|真|太|很|有点|心情",
    re.I,
)
_BARELY = re.compile(
    r"^\W*(?:(?:just |feeling )?(?:a )?(?:bit|little|so|very|really|kinda|pretty|super|too) \w+)(?: (?:tbh|lol|today|now|about it|honestly))*\W*$",
    re.I,
)
_WORN = re.compile(
    r"\b(?:kill myself|suicid\w*|end my life|want to die|don't want to live|hurt myself|self[- ]harm)\b|自杀|不想活|想死|轻生|自残|结束生命|活不下去",
    re.I,
)


def crisis(a: Asker, text: str) -> str:
    """Words that no program should answer alone."""
    if not _WORN.search(text):
        return ""
    return a.say(
        "I'm really sorry you're in so much pain. I'm only a small program and cannot help the way a person can. Please talk to someone now: a friend, a doctor, or a crisis line (988 in the US, 116 123 in the UK; elsewhere your local emergency number). Is there somebody near you whom you can call?",
        "听到你这么痛苦，我真的很难过。我只是个小程序，没法像人那样帮你。请现在就联系一个人：朋友、家人、医生，或心理援助热线（中国大陆 12356，紧急时拨打 110 或 120）。身边有谁是你现在可以联系的吗？",
    )


def feeling(a: Asker, text: str) -> str:
    """An answer to a feeling somebody speaks of; empty if there is none in the text."""
    if not _SELF.search(text) and not _BARELY.match(text):
        return ""
    low = simplified(text)
    negated = re.search(
        r"\b(?:not|n't|no longer)\s{1,9}(?:\w+\s{1,9}){0,2}(?:happy|good|well|great|okay|fine)\b|不(?:太|是很|怎么)?(?:开心|高兴|好|快乐)",
        low,
        re.I,
    )
    for i, (pattern, en, zh) in enumerate(_FEELINGS):
        if negated and i != 1:
            continue
        if negated or pattern.search(low):
            return pick(zh if a.lang == "zh" else en, text, a.turn)
    return ""
