"""Words that ask for a look back (S4), or for what was talked about lately (S0), and their false friends.

Each language is a list of phrases that mean it, after everything that only looks like it has been struck out:
历史课 is a class, 过去了 is over, "half past" is a time of day.
"""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
import unicodedata
from typing import Final

from memory.text.pieces import MOST_READ, keep_ends


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns))


_NUM_EN: Final = r"(?:few|couple(?: of)?|several|\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_ME_EN: Final = r"(?:i|we|you|he|she|they|it|my \w+|our \w+)"

_NOT_REVIEW_EN: Final = _any(
    # past: times of day, ways, tenses, debts, and recent stretches of time
    r"\b(?:half|quarter|twenty|twenty-five|ten|five|\d+|minutes?|just|right|way|well|long) past\b",
    r"\b(?:get|gets|getting|got|go|goes|going|went|gone|walk\w*|drive|drives|driving|drove|run|runs|running|ran"
    r"|ride|riding|rode|pass\w*|mov\w+|look|looks|looking|slip\w*|cycl\w+|flew|fly|push\w*|see|come|came|bus"
    r"|train) (?:\w+ ){0,2}?past\b",
    r"\bpast (?:the|a|an|noon|midnight|bedtime|my bedtime|tense|participle|perfect|due|it|me|him|her|us|them"
    r"|\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|continuous|paper|papers|exam|exams)\b(?! (?:years?|decades?))",
    rf"\b(?:in|for|over|during) (?:the|this) past (?:{_NUM_EN} )?(?:seconds?|minutes?|hours?|days?|weeks?|month|months"
    r"|nights?|weekend|week-end)\b",
    rf"\b(?:the|this|these) past (?:{_NUM_EN} )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|nights?|weekend)\b",
    # used to: accustomed, or put to use
    r"\b(?:am|'m|is|'s|are|'re|was|were|be|been|being|get|gets|getting|got|gotten|become|became|becoming|not"
    r"|never|so|more|quite|already|well) used to\b",
    r"\bused to (?:it|that|this|these|those|the|a|an|him|her|them|you|being|having|doing|living|working|getting"
    r"|my|your|his|our|their)\b",
    # history: a subject, a thing of the world, a browser's
    r"\b(?:(?:my|our|the|a|her|his|your|art|world|ancient|modern|family|natural|\w+) )?history (?:class\w*|lessons?"
    r"|teachers?|books?|exams?|tests?|homework|essays?|degree|major|course\w*|museums?|channel|buff|lectures?"
    r"|department|student\w*|professor\w*|podcast\w*|paper\w*|project\w*|quiz\w*|novels?|trivia)\b",
    r"\b(?:browser|browsing|search|git|commit|version|bash|shell|command|credit|medical|family|natural|world|art"
    r"|ancient|modern|american|british|chinese|european|roman|military|music|film|oral|recent) history\b",
    r"\bhistory (?:of|in|repeats|is written|was made|will)\b(?! (?:our|my|us|me)\b)",
    r"\bmak(?:e|es|ing) history\b",
    # review: of code, films and performance
    r"\b(?:code|peer|performance|film|movie|book|literature|design|product|restaurant|annual|quarterly|year[- ]end"
    r"|sprint|security|contract|paper|rave|bad|good|under|in|for|up for|online|google|amazon) reviews?\b",
    r"\breview (?:this|that|the|a|an|these|it|board|panel|meeting|process|copy|session|for)\b",
    # looking, back
    r"\blook(?:s|ing)? back (?:at (?:me|you|him|her|us|them|the camera)|over (?:my|your|his|her) shoulder"
    r"|(?:in|on) (?:an hour|a minute))\b",
    r"\b(?:come|be|get|go|right|way|head\w*|drive|walk) back (?:to|from|home|in)\b",
    r"\b(?:the )?(?:day|night|week|month|year|morning|evening|long|ever|never|as|than) before\b",
    r"\bonce upon a time\b|\bhow long ago (?:is|was) (?!i\b|we\b)",
    r"\bearly days yet\b|\bit'?s (?:still )?early days\b",
)
_REVIEW_EN: Final = _any(
    r"\b(?:in|from|of|about) (?:the|my|our) past\b",
    r"\b(?:my|our) past\b",
    r"\b(?:the|these|those|over the) past (?:\w+ )?(?:years?|decades?)\b",
    r"\bpast (?:memories|conversations?|chats?|preferences?|opinions?|plans?|life|self|me|selves|jobs?|homes?|hobbies)\b",
    rf"\b{_ME_EN} used to\b|\bdid(?:n't)? {_ME_EN} use to\b|\bwhat {_ME_EN} used to\b",
    r"\b(?:my|our) (?:\w+ )?history\b|\b(?:chat|conversation|memory) history\b|\bhistory (?:with|between|of) (?:you|us|our|my|me)\b",
    r"\blong ago\b|\b(?:a )?long(?:,? long)? time ago\b|\b(?:years|decades|ages|many years|a year|\w+ years) ago\b|\bway back\b",
    r"\bback (?:then|in the days?|when (?:i|we)\b|in (?:19|20)\d\d)|\bin those days\b|\bin the old days\b|\bthe old days\b",
    r"\blook(?:s|ing)? back\b|\b(?:take|have) a look back\b|\breminisce|\bdown memory lane\b",
    r"\breview (?:my|our|what|everything|mode|all|past|old|me)\b|\breview of (?:my|our|what)\b",
    r"\bpreviously\b|\bformerly\b|\bin (?:my|our) (?:early|earlier|younger) (?:days|years)\b|\bin the early days\b|\bearly on\b",
    r"\bonce (?:told|said|mentioned|liked|loved|lived|worked|had|wanted|hated|thought|planned)\b",
    r"\b(?:have|had|did|has|what|where|which|who|whom|how|when)\b[^.!?]*\bbefore\s*(?:[?.!]|$)",
    r"\bover the years\b|\ball these years\b",
)

# 以前 is also 以 + 前台/前端…; a deadline (十点以前) is not the past; 曾 + 经历; 过去 is also "go over" and "be over".
_NOT_REVIEW_ZH: Final = _any(
    r"以前(?:台|端|锋|沿|提|景|辈|者|卫|(?:[一二三四五六七八九十两\d]+)[名位条项个天])",
    r"(?:[点时分半号日]|周[一二三四五六日天末]|星期[一二三四五六日天]|礼拜[一二三四五六日天]|[今明后]天|今晚|明晚|中午|下班|睡觉|睡|出门|天黑|"
    r"年底|月底|周末|上课|开会|吃饭|截止|到期|关门|放学|过年|春节|国庆|出发|登机|晚饭|午饭|早饭)(?:之)?以前",
    r"(?:比|不如|跟|和|像|同|与)以前(?:还|更|都|好|差|多|少|大|强|一样|那样|不一样|不同|相比|好多了|[^？?吗呢什哪怎]{0,4}[多些]了?)",
    r"曾经(?:历|营|手|办|管|由)",
    r"历史(?:课|书|老师|教师|系|剧|学|上(?!我|你)|性|人物|悠久|作业|考试|博物馆|小说|专业|题|试卷|成绩|电影|片|知识|事件|遗迹|建筑|文化|故事|古迹|教授|论文|小组|频道|最低|最高|新高|新低|价格)",
    r"(?:中国|世界|美国|欧洲|日本|英国|人类|艺术|近代|古代|罗马|科学|音乐|电影|浏览器?|搜索|提交|版本|命令|信用|播放|创造|改写|学|教|这段|有)的?历史",
    r"[走跑开飞拿寄送搬赶带转传发熬挺晕睡混蒙骗撑移扔递抱推拉游骑爬冲跳看穿绕打回接翻凑贴靠滑飘划递渡说昏糊](?:得|不)?过去(?!的|我|几年|[一二三四五六七八九十]+年)",
    r"(?:马上|现在|这就|一会儿?|待会儿?|等会儿?|等下|直接|刚|过不|快要|就要|已经|都|让它?|随它?|我们?先|先|自己|再|要不要|能不能|怎么|打车|开车|坐车|地铁|不想|想|要|帮我)过去"
    r"(?!的|我|几年|[一二三四五六七八九十]+年|喜欢|说|提|聊|爱|住|经常|常)",
    r"过去(?:了|吧|啦|一趟|一下|找|接|看看|玩|吃|帮|陪|拿|取|那边|这个?周|坐|喝|买|开会|上班|吗|呢|不|要|多久|还是|时|式|分词|完成|进行)",
    r"过去的?(?:这)?(?:几|[一二三四五六七八九十两\d]+)个?(?:秒|分钟|小时|天|周|星期|礼拜|月|晚上)",
    r"过去的?(?:这)?(?:一)?(?:个)?(?:周末|周|星期|礼拜|月|半年|半个?月)",
    r"(?:年终|项目|迭代|冲刺|精彩|赛事|电影|剧情|新闻|上集|前情|赛季|季度|文献|技术|代码|案例|市场|产品)回顾|回顾(?:展|会议|会|性|录|片|篇|赛)",
    r"(?:疾病|癌症?|肿瘤|病|症|妊娠|怀孕|项目|产品|工程|创业|唐代?|宋代?|明代?|清代?|汉代?|文明|人类|地球|中世纪)早期"
    r"|早期(?:癌|肿瘤|筛查|症状|教育|诊断|治疗|发现|阶段|投资|预警|干预|人类|文明|版本|流产|胃癌|肺癌|项目|创业|员工|用户)",
)
_REVIEW_ZH: Final = _any(
    "回顾|以前|过去|历史|曾经|早期", "我从前|从前(?:我|的我|聊|说)|想当年我?|当年我|那些年|往事|小时候我|老早"
)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", keep_ends(text, MOST_READ)).casefold().replace("’", "'").split())


def review_asked(text: str) -> bool:
    """Whether the message asks for a look back, in English or Chinese. Pure."""
    plain = _plain(text)
    english = _NOT_REVIEW_EN.sub(" , ", plain)
    return bool(_REVIEW_EN.search(english) or _REVIEW_ZH.search(_NOT_REVIEW_ZH.sub("，", plain)))


_BACK_ZH: Final = _any(
    "刚才|刚刚(?:聊|说|讲|提|谈|问)|上次(?!数)|上一次|上回|方才|之前(?:聊|说|讲|谈)到|前面(?:聊|说|讲|提)"
)
_DAY_ZH: Final = _any(
    "昨[天日晚夜]|前[天晚](?!鹅)|大前天|今[早晨天](?:早上|上午)?|早上|上[个]?(?:周|星期|礼拜)|前几天|这几天|最近|前段时间"
)
_TALK_ZH: Final = _any("聊|说(?:过|了|到|什么|的)|讲|提(?:过|到|起)|谈|话题|对话|问(?:过|了)你|告诉|记得|继续|接着")
_BACK_EN: Final = _any(
    r"\b(?:the )?last time\b",
    r"\b(?:last|previous|our last|the previous|the other) (?:chat|conversation|session|talk)\b",
    r"\bjust now\b|\b(?:a )?(?:moment|minute|few minutes|little while|while|bit) ago\b",
    r"\bwhere (?:did we|were we|we) (?:leave|left|stop)|\bwhere were we\b|\bpick up where\b",
)
_NOT_BACK_EN: Final = _any(
    r"\bfor the last time\b|\blast time i (?:checked|looked)\b|\bthe last time i(?:'ll| will)\b|\bone last time\b"
    r"|\b(?:this|it) is the last time\b|\bthis'll be the last time\b"
)
_DAY_EN: Final = _any(
    r"\byesterday\b|\blast (?:night|week|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    r"\bthe other (?:day|night|week)\b|\bthis morning\b|\bearlier(?: today)?\b|\brecently\b|\blately\b|\bfew days ago\b",
)
_TALK_EN: Final = _any(
    r"\b(?:talk|chat|discuss|mention|tell|told|say|said|speak|spoke|ask|conversation|convers)\w*\b",
    r"\b(?:we|us) (?:\w+ )?about\b|\bremember\b|\bcontinue\b|\bgo on\b|\bpick up\b|\b(?:did|were) we\b",
)


def recent_asked(text: str) -> bool:
    """Whether the message is about what was talked of lately (刚才, 昨天, 上次, "last time"): episodes by time.

    上次 and "last time" point at a conversation by themselves; a day does so only beside a word of talking
    ("what did we talk about yesterday"), since most sentences with "yesterday" merely tell something.
    """
    plain = _plain(text)
    if _BACK_ZH.search(plain) or _BACK_EN.search(_NOT_BACK_EN.sub(" , ", plain)):
        return True
    return bool(
        (_DAY_ZH.search(plain) and _TALK_ZH.search(plain)) or (_DAY_EN.search(plain) and _TALK_EN.search(plain))
    )
