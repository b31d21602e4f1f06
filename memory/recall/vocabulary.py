"""Words and patterns that recall reads a message by, English and Chinese side by side."""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
from typing import Final

from memory.embed.features import stem
from memory.recall.patterns import phrases

# Where a message is cut, first into sentences and those into clauses.
SENTENCE: Final = re.compile(r"(?<=[。！!?？；;\n])|(?<=\.)\s")
CLAUSE: Final = re.compile(r"[，,；;：:、\n]|另外|以及|\b(?:and also|by the way)\b")

# Another question begins; the message comes to its point; a piece that belongs together; two that are compared.
NEXT: Final = phrases(r"另外|还有[，,]|以及|顺便|\b(?:and also|by the way)\b|\balso,", re.IGNORECASE)
TURN: Final = phrases(
    r"其实|实际上|真正|我想问|想问的|问题是|搞清楚|搞错|说错|言归正传|话说回来|说正事|回到正题|等等[，,]|等一下|停一下|不对[，,]"
    r"|\bactually\b|\bwhat i (?:really|actually)|\bmy (?:real )?question\b|\bi (?:really )?(?:meant|wanted) to (?:ask|know)\b"
    r"|\banyway\b|\bwait\b|\bhold on\b|\bscratch that\b",
    re.IGNORECASE,
)
QUOTED: Final = re.compile(r'"[^"]{4,}"|“[^”]{4,}”|「[^」]{4,}」|《[^》]+》')
BOTH: Final = re.compile(
    r"^(?P<a>.{2,14}?)(?:和|与|跟|还是|或者?|\band\b|\bor\b)(?P<b>.{2,40}?)(?P<rest>(?:谁|哪|的|都|之间|相比|which|who).*)$",
    re.IGNORECASE,
)

# A question, which 没什么 and 什么都 are not; and a request that knowing the person helps with.
ASKS: Final = re.compile(
    r"[?？]|吗|呢[。！!~]?\s{0,9}$|(?<!没)(?<!没有)什么(?![都也])|怎么(?![都也]|说呢)|怎样|哪|谁(?![都也])|多少|几[个点号岁时次位]|为什么|是否|是不是|有没有|能不能|记不记得|来着"
    r"|^\s{0,9}(?:so |and |but |hey |ok |well )?(?:who|whom|whose|what(?! an? | (?:i|we|you) (?:would|want|need|mean))|when|where|which|why|how|do|does|did|is|are|was|were|am|can"
    r"|could|should|would|will|have|has|had)\b|\b(?:tell|remind) me\b|\bremember (?:what|who|when|where|which|how|my|the)\b"
    r"|\b(?:what|where|who|which|when|how)(?:'s|'d|'re)\b",
    re.IGNORECASE,
)
WANTS: Final = re.compile(
    r"\b(?:recommend|suggest|advice|advise|help me|plan|book|(?<!out of )(?<!in )order|choose|pick|gift|idea|ideas|show me|list|look up|find)\b"
    r"|推荐|建议|帮我|帮忙|订|点[个一]|选|送.{0,4}礼物|安排|提醒|告诉我|说说|列|查",
    re.IGNORECASE,
)

# A piece of a program, a command line or an error: "for i in x" says I of nobody.
CODE: Final = phrases(
    r"`[^`]*`|\b\w+\([^()]*\)|\bfor \w+ in \w+[(:\[]|(?<=\s)-(?:[a-z]|-[a-z][\w-]+)\b|[{};]\s{0,9}$|\{\s{0,9}[\"']|\b\w*Error:"
    r"|\b(?-i:SELECT|INSERT|UPDATE|DELETE)\b",
    re.IGNORECASE,
)

# What anybody could be asked, or told to do: general knowledge, sums, the weather, a joke, a text to be written. Not if
# the rest of the sentence is about the speaker's own things.
WORLD: Final = phrases(
    r"\bhow (?:do|can|could|would|should) (?:i|you|we|one|people)\b(?! (?:feel|usually|like|know|get to|look))"
    r"(?![^.?!]* (?:now|nowadays|at (?:the moment|present)|these days|currently|every (?:day|morning|week))\b)|\bhow to\b"
    r"|\bwhy (?:is|are|do|does|can|can't|don't) (?:the|a|an|people|we|there|\w+s)\b"
    r"|\bwhat(?:'s| is| are| was) (?:the )?(?:capital|population|meaning|definition|synonym|opposite|plural|past tense|square root|distance"
    r"|speed|formula|difference between|weather|temperature|president|king|queen|best way|\w+est)\b"
    r"|\bwhat(?:'s| is) the (?:time|date)\b(?! (?:of|for|when|on)\b)"
    r"|\bwhat (?:does|do) [^?]{1,40} mean\b|\bwhat (?:time|day|date|year|month) is (?:it|today)\b|\bwhat year did the\b"
    r"|\bwho (?:wrote|invented|painted|discovered|composed|directed|founded|built|is the (?:president|king|queen|prime minister|author|mayor))\b"
    r"|\bhow (?:many|much|far|tall|old|long|big|deep) (?:\w+ )?(?:does|do|is|are|are in|in) (?:a|an|the)\b|\bwhich is \w+er\b"
    r"|^\W{0,20}(?:please |can you |could you |would you )*(?:write|compose|translate|explain|define|summari[sz]e|calculate|compute|convert"
    r"|rewrite|proofread|correct|paraphrase|spell|sing|draw|code|name|count|(?:give|tell) me (?:an?|some|another|something))\b"
    r"|^\W{0,20}(?:[\w']+ ){0,6}(?:jokes?|riddles?|poems?|haikus?|limericks?|fun facts?|synonyms?)\b|\brhymes? with\b"
    r"|\d ?(?:times|plus|minus|divided by|x|\*|\+|/|percent of|% of) ?\d|\b(?:weather|forecast|rain(?:ing|y)?|snow(?:ing|y)?|sunny)\b"
    r"|\bin (?:python|javascript|java|sql|excel|html|css|rust|bash|french|german|spanish|japanese|chinese|english|italian)\b"
    r"|\b(?:how|what|why|when|where) do (?!my\b|our\b|his\b|her\b|their\b)(?:\w+ )?(?!this\b|James\b)\w{3,}s\b|\b(?:which|what) (?:country|century|language) (?:do|does|did|is|was) (?!(?:i|we|my|our)\b|(?-i:[A-Z]))"
    r"|\bis \w+ the same as\b|\b(?:do|are) (?:people|most people)\b|^\W*(?:imagine|pretend|suppose)\b|\bpick an? (?:number|colou?r|card)\b"
    r"|怎么(?:[^，。？?]{0,6})(?:做|煮|写|说|读|念|拼|去掉|去除|反转|安装|设置|用|修|洗|炒|煎|画|算|翻译|泡|种|弄)|如何(?![啊呢吗呀？?。，]|$)"
    r"|为什么[^，。？?]{0,4}[是会要]|什么意思|的意思|近义词|反义词|造句|拼音"
    r"|首都|总统|总理|国王|人口|面积|最高峰|汇率|股价|海拔|是?谁(?:写|画|发明|发现|唱|导演|创立|创办|成立|建)(?:了|的)|是怎么[^，。？?]{1,4}的"
    r"|[讲说来]一?个?(?:笑话|故事|段子|谜语)|写一?[首篇封段个条]|作一?首|一般人|人们|^\W*(?:假装|假设|想象)|翻译|解释一?下?|总结一下|概括|改写|润色|续写|算一下|计算|换算|画一?[张个幅]"
    rf"|{CODE.pattern}"
    r"|\d ?[乘加减除×÷+*] ?\d|等于多少|平方根|几点了|今天(?:星期|周|礼拜)几|今天几号|天气|下雨|下雪|气温"
    r"|[煮炖蒸烤]几分钟|几条腿|哪个更?[重大快高长远]|(?:用|在)?(?:Python|Java|SQL|Excel|[法英日德]语)(?:怎么|里|中)",
    re.IGNORECASE,
)

# What kind of answer is asked for, and what such an answer has.
ASKS_WHEN: Final = phrases(
    r"\bwhen\b|\bwhat (?:year|month|date|day|time)\b|\bhow long\b|\bsince when\b|什么时候|何时|几[点号月]|哪[天年一天]|多久|星期几|周几",
    re.IGNORECASE,
)
SAYS_WHEN: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|this (?:week|month|year|weekend|morning)|ago|week(?:end)?s?|months?"
    r"|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|summer|winter|spring|autumn|fall|since|(?:19|20)\d\d|recently|soon)\b|\d{1,2}:\d\d"
    r"|昨|今[天年早晚]|明[天年]|前天|后天|周|星期|礼拜|[月年]|\d{1,4}[日号]|[点时]|[春夏秋冬]天",
    re.IGNORECASE,
)
ASKS_HOW_MANY: Final = re.compile(
    r"\bhow (?:many|much|often|old|long|far|tall)\b|多[少大高长久重远]|几[个位次岁口只条本]", re.IGNORECASE
)
SAYS_HOW_MANY: Final = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|once|twice|half|couple|few|several)\b"
    r"|[一二三四五六七八九十百千万两半几]",
    re.IGNORECASE,
)
ASKS_WHERE: Final = phrases(
    r"\bwhere\b|\b(?:which|what) (?:city|country|place|state|town)\b|哪里|哪儿|在哪|什么地方|哪个(?:城市|国家|地方)",
    re.IGNORECASE,
)
SAYS_WHERE: Final = re.compile(
    r"\b(?:in|at|to|from|near|around|visited|through) (?:the )?(?!January|February|March|April|May|June|July|August|September"
    r"|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)[A-Z][a-z]+"
    r"|(?:在|到|去|来自|位于|住)[^，。,]{0,6}[市省县区路街国城村镇岛山湖园院校店馆厅楼家]"
)

# Which of several that were true one after another is meant: the last, or one before it.
ASKS_LATEST: Final = phrases(
    r"\b(?:now|nowadays|these days|currently|current|at (?:the moment|present)|latest|newest|most recent)\b"
    r"|现在|目前|如今|当前|眼下|当下|现今|最新",
    re.IGNORECASE,
)
ASKS_EARLIER: Final = phrases(
    r"\b(?:previous(?:ly)?|former(?:ly)?|originally|earlier|prior)\b|\bused? to\b|\bbefore(?: (?:that|this|it|then))?\s{0,9}(?:[?.!,;]|$)"
    r"|\bbefore (?:(?:that|this|the) )?(?:last )?(?:chang|mov|switch)\w*|以前|之前|原来|原先|原本|先前|此前|从前|曾经|当初|最初|上一[个份家任]",
    re.IGNORECASE,
)

# Words that choose among what was said before; and words that merely stand for it, which a question may lean on.
CHOOSES: Final = re.compile(
    r"\b(?:ones?|first|second|third|fourth|last one|other|another|former|latter|both|same|instead|more|else)\b"
    r"|第[一二三四五]|那[个些位家里本部只条次]|另一?个|前者|后者|同样|一样|哪个|再来|换[个一]|还有|继续|呢[？?。]?$",
    re.IGNORECASE,
)
STANDS_FOR: Final = re.compile(
    r"\b(?:it|its|that|this|those|these|them|they|there|then|he|she|his|her|him|again)\b|这[个些位家里本部只条次]|[它他她]",
    re.IGNORECASE,
)

# What everybody uses of everything.
COMMON_EN: Final = frozenset(
    stem(w)
    for w in """good great nice bad best better love like liked want need feel feeling day days today tomorrow yesterday
    time times year years week weeks month months morning night people person life work working job home house new old
    big little long first last next back come came take took give gave get see saw look find found help happy sad tired
    fun keep start try call called name names say says said talk talking mean means play lot hope sure right guess
    friend friends man woman world place places around away always never often sometimes happen happened use used
    monday tuesday wednesday thursday friday saturday sunday weekend tonight afternoon bed special
    money live lives living eat food water watch read hear heard let put big cool awesome amazing wow haha lol sorry
    thank thanks welcome morning evening fine busy bit yeah hello bye doing favorite favourite user""".split()  # noqa: SIM905 - a list of strings is unreadable
)
COMMON_ZH: Final = frozenset(
    """喜欢 今天 明天 昨天 现在 时候 时间 工作 生活 朋友 觉得 知道 可以 没有 什么 怎么 这个 那个 一个 一下 一点 我们 你们 他们 自己
    大家 东西 事情 问题 开心 高兴 难过 心情 真的 感觉 希望 应该 非常 特别 比较 已经 还是 就是 不是 可能 需要 最近 天气 谢谢 不错 很好
    好的 哈哈 下班 上班 回家 睡觉 起床 吃饭 吃了 早上 晚上 中午 下午 周末 用户 名字 叫做 有点 有些 一起 以后 之前 之后 因为 所以 但是 如果
    这样 那样 这么 那么 多少 几个 活动 不知 知不 好像 好吃 好看 好累 累了 忙了 无聊 聊天 聊聊 你好 晚安 早安
    周一 周二 周三 周四 周五 周六 周日 周末 星期 期一 期二 期三 期四 期五 期六 期日 礼拜 上周 下周 这周 本周 上个 下个 个月 月份 去年 今年 明年""".split()  # noqa: SIM905
)


ABOUT_MEMORY: Final = frozenset(
    """past histori histor previousli previous before earlier long ago former review remember memory memori recall last
    yesterday tell told 以前 过去 历史 曾经 回顾 早期 从前 当年 很久 久以 刚才 昨天 上次 记得 忘了 说过 提过 聊过 讲过 告诉 说了 聊了 过什""".split()  # noqa: SIM905
)  # they say what kind of look is wanted, not what for

# In the middle of a sentence they would make pairs with what stands beside them: 我以前住在哪里 asks where 我住在哪里.
LOOKS_BACK: Final = re.compile("以前|过去|曾经|从前|当年")

# Manners, moods and turns of talk: they keep a conversation going and ask for nothing.
SOCIAL: Final = frozenset(
    stem(w)
    for w in """hey hi hello bye goodbye wow haha hahaha lol hmm oh ah thanks thank thx please sorry sure right fine cool yeah yep
    nope awesome great amazing nice lovely perfect welcome wait moment minute second see back again idea sense problem mind
    guess today tonight morning night evening afternoon boring bored tired funny weird agree exactly totally soon finger crossed nothing brb
    true wonderful glad hope luck cheers congrats stuff else little bit help story joke question answer robot feelings""".split()  # noqa: SIM905
) | frozenset(
    """哈哈 谢谢 多谢 感谢 你好 您好 早安 晚安 午安 早上 晚上 中午 下午 今天 再见 拜拜 好的 好呀 好吧 好啊 好哒 没事 没问 问题 抱歉 对不 不好 意思 不起 没关
    关系 太好 真好 好棒 太棒 厉害 牛逼 确实 原来 如此 有道 道理 明白 知道 懂了 算了 无聊 好累 好困 好烦 开心 难过 哎呀 天啊 等等 稍等 等一 一会 回来 刚刚
    随便 当然 可能 也许 应该 大概 帮忙 帮我 笑话 故事 好梦 早点 休息 真的 希望 一切 顺利 加油 聊天 换个
    快乐 愉快 行 嗯 好 对 哦 没什""".split()  # noqa: SIM905
)

# The speaker, and who is spoken of as theirs: what a question about one's own life has, and one about the world has not.
PERSONAL: Final = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|myself|i'm|i've|i'd)\b|[我咱]", re.IGNORECASE)
POSSESSIVE: Final = re.compile(
    r"\b(?:my|mine|our|ours|again)\b|又[要去得在开]|[我咱]们?(?:的|家|[姐哥弟妹妈爸爷奶外舅姑姨叔伯婶表堂老同室女男儿朋闺邻房])",
    re.IGNORECASE,
)  # in what is told: "my sister called", "I'm at the dentist's again", not "I am tired"
OF_THE_ASSISTANT: Final = phrases(
    r"\b(?:can|could|will|would) you (?!remember|know|recall)\w+ me\b|\b(?:can|could|will|would|do|are|have) you\b(?! (?:remember|know|recall))|\b(?:tell|give|show|help|let) me\b(?! (?:about|what|who|when|where) (?:my|i)\b)"
    r"|\byour(?:self)?\b|(?<!和)(?<!跟)(?<!告诉)你(?!还?记得|还?知道|说我|觉得我)|给我|帮我|再说",
    re.IGNORECASE,
)

# Whom it asks, or what it just said: the assistant. Not where it is asked what it knows of somebody.
YOU: Final = re.compile(
    r"\byou(?:r|rs|rself|'re|'ve|'d|'ll)?\b(?! (?:remember|know|recall|tell me about))|你(?!们?还?记得|们?还?知道)",
    re.IGNORECASE,
)
CAPITAL: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}\b")
