"""Chinese sentences cut into clauses: openings and marks noted, dates taken out, missing subjects put back."""

from __future__ import annotations

import re
from datetime import datetime

from bot.llm.companion.clause import Clause
from bot.llm.companion.lists_zh import RELATION
from bot.llm.companion.text import simplified
from memory.text import dates

_OPENING = re.compile(
    r"^(?:你好|您好|嗨|哈喽|哈啰|嘿|早上好|早安|晚上好|下午好|晚安|嗯+|哦+|噢|啊|对了|对|是的|好的?|好吧|那个|那么|那|然后|另外|还有|而且|并且|同时|此外|顺便说(?:一下|一句)?|顺便|说实话|老实说|"
    r"话说|告诉你(?:一?个?[好坏]?(?:消息|事情?))?|跟你说(?:个?事情?)?|我跟你说|我告诉你|你知道吗|首先|其次|最后|因为|因此|所以|但是|但|不过|可是|只是|虽然|尽管|请?(?:帮我)?(?:记住|记一下|记得|记下来?)(?:一?下)?|别忘了|"
    r"我觉得|我想说(?:的是)?|我得说|应该说|总之|谢谢你?|很高兴认识你|以后|也就是说|就是|反正|可惜|幸好|终于|Ebb)(?:[，,：:！!。~～\s]{1,9}|(?=我|其实|不|请|他|她|[\ue100-\ue13f]))"
)
_CORRECTION = re.compile(
    r"^(?:其实|不对不对|不对|不不不?|说错了|我说错了|搞错了|我搞错了|弄错了|你?记错了|你?(?:说|搞|弄)错了|错了|更正(?:一下)?|纠正(?:一下)?|订正(?:一下)?|准确[地来]?说|确切地?说|严格来说|我是说|我的意思是|抱歉|不好意思|对不起|等等|等一下|"
    r"应该说|事实上|实际上|这不对|那不对|那是错的|不是这样的?|不是的?|改一下|修正(?:一下)?|我改主意了)(?:[，,：:。！!、\s]{1,9}|(?=我|应该|是|他|她|[\ue100-\ue13f]))"
)
_SHOULD_BE = re.compile(r"^(?:应该|应当)(?=是|叫|在|住)")
_AGAIN = re.compile(
    r"(?:还是|仍然|依然|依旧|仍旧|一如既往地?|照样|始终)(?=很|非常|特别|最|超|那么|这么|喜欢|爱|讨厌|住|在|对|会|不)|(?<=我)还(?=喜欢|爱|讨厌|很喜欢|住在|在|那么喜欢|特别喜欢)"
)
_LATELY = re.compile(r"(?:最近|近来|近期|这段时间|这阵子|这几天|这两天)")
_NOT_OLD = re.compile(
    r"[，,、\s]{0,9}(?:而)?(?:不是|不叫|并非)(?:在|住在|叫)?(?P<old>[^，,。是]{1,16})(?:了|啦|哦|啊)?$"
)
_NOT_BUT = re.compile(
    r"(?:并?不是|不叫|并非|不在|不住在?|不姓)(?:在)?(?P<old>[^，,是]{1,16}?)(?:了)?[，,、\s]{0,9}(?:而|应该|现在)?(?P<is>而?是(?:叫|在)?|叫|在|住在?|姓|改成了?|换成了?)(?P<new>[^，,]{1,24})"
)
_PAST = re.compile(
    r"(?:昨|前天|上周|上个?月|去年|前年|以前|曾经|当时|那时|出生|毕业|去过|来过|[\u4e00-\u9fff]了(?:$|[，,一个两三])|的时候|小时候)"
)
_JOIN = re.compile(
    r"(?:[，,]\s{0,9}|\s{1,3}(?=我))(?:而且|并且|同时|另外|还有|但是?|不过|可是|所以|然后|因此|也)?[，,]?|(?<=[\u4e00-\u9fff])(?:而且|并且|但是|不过|可是|但)(?=不|我|也|喜欢|讨厌|很|非常|对|在|会|更|最|住|每)|[;；—]+"
)
_PREDICATE = re.compile(
    r"^(?:也|还|就|都|很|非常|特别|超级?|最|更|平时|现在|目前|如今|后来|已经|今年|从小|一直|刚|最近|其实|曾经|以前|经常|通常|一般|总是|偶尔|有时候?|正在|正|不太|不怎么|绝对|完全|真的|只|准备好|打算|[\ue100-\ue13f]){0,12}"
    r"(?:不?(?:喜欢|爱|讨厌|喜爱|热爱|怕|吃|喝|抽烟|想|要|会|能|是|在|住|叫(?!我|你)|姓|做|当|学|读|用|玩|看|听|养|有|打算|计划|准备|希望|决定|擅长|需要|必须|得|去|来|搬|每|跑|戒|买|开|属|毕业|出生|来自|受不了|结婚|单身|离婚|未婚|已婚|过敏|辞职|退休|失业|升职|工作|上班|从事|"
    r"对|从(?=[^，,]{1,8}[搬来])|改(?![变为]|[天日])|换|转|迷|开始|\d+岁|[一二三四五六七八九十]+岁)|没有?|身高|体重|生日|名字|爱好|老家|家在|职业|专业|母语|晚上|早上|周末)"
)
_SUBJECT = re.compile(
    rf"^(?:[\ue100-\ue13f][，,]?)*(?P<s>(?:我们?|咱们?)(?:家)?的?{RELATION}(?!们)|我的[\u4e00-\u9fff]{{1,6}}(?=是|叫|在|有)|我们?|咱们?|本人|他们?|她们?|它们?)"
)
_HE = re.compile(r"^(?:他|她|它)(?!们|的)")
_WHOSE = re.compile(
    rf"^我(?:们)?(?:家)?(?:里)?(?:还|也|刚|现在)*(?:有|养了?|领养了?|收养了?|买了|捡了)(?:[一两二三四五六七八九十几\d]+)?(?:个|只|条|位|匹)?(?:[^，,叫]{{0,4}}?)(?P<r>{RELATION})|^我(?:的)?(?P<q>{RELATION})"
)


def _strip(text: str) -> tuple[str, bool]:
    """The text without its openings, and whether one of them marks a correction. Same characters, fewer."""
    corrects = False
    for _ in range(8):
        shadow = simplified(text)
        m = _CORRECTION.match(shadow)
        if m:
            corrects = True
        elif s := _SHOULD_BE.match(shadow):
            corrects, m = True, s
        else:
            m = _OPENING.match(shadow)
        if not m:
            break
        text = text[m.end() :].lstrip(" ，,、：:")
    return text.strip(" ，,、"), corrects


_NAMING = re.compile(
    r"(?:喜欢|爱|热爱|讨厌|恨|怕|烦|叫做?|最喜欢的[^，,是]{1,8}是|最爱的[^，,是]{1,8}是|的粉丝|听|看)(?:过|的是)?$"
)
_SAID_AS_DATE = re.compile(r"今|明|昨|前|后|下|上|这|本|\d{4}年")


def _is_name(text: str, w: dates.When) -> bool:
    """我喜欢圣诞节、我讨厌周一：喜欢的东西或名字，不是日子。"""
    return bool(_NAMING.search(simplified(text[: w.start]))) and not _SAID_AS_DATE.search(text[w.start : w.end])


def _holes(text: str, at: datetime, past: bool) -> tuple[str, tuple[dates.When, ...]]:
    found = dates.find(text, at, "zh", past=past)
    whens = tuple(w for w in found if not _is_name(text, w))[:32]
    for i in range(len(whens) - 1, -1, -1):
        text = f"{text[: whens[i].start]}{chr(0xE100 + i)}{text[whens[i].end :]}"
    return text, whens


_EACH = re.compile(
    r"(?:大|小|老[大二三]|姐姐|弟弟|哥哥|妹妹|公|母|黑|白|橘|一[个只条]|另一[个只条])的?(?:那[个只])?(?:是|就)?叫"
)
_GAVE_UP = re.compile(
    r"^(?:但是?|不过|可是|我|后来|现在|已经|早就|早已|终于|最后|然后|[\ue100-\ue13f]|也|就|都|才|刚)*(?:戒(?:掉)?|不[抽吸喝吃玩赌])(?:掉)?了?$"
)
# What people say of themselves without 我. Only what states how somebody is: 要下雨了 and 去吃饭了 are left alone.
_OF_ONESELF = re.compile(
    r"^(?:也|还|就|都|很|非常|特别|超级?|最|更|平时|现在|目前|如今|后来|已经|今年|从小|一直|刚刚?|最近|其实|曾经|以前|之前|经常|通常|一般|不太|不怎么|不|[-])*"
    r"(?:(?:喜欢|爱)(?!你|您|就|吗|的话|死|上了?|莫|惜|国|情|心)|讨厌(?!你|死)|住在?(?=[一-鿿A-Z]{2})|来自|(?=对.{1,12}过敏)|当(?=.{2,8}(?:年|个月|了))|养了?[一两三四五六七八九十几\d]?[只条个]|领养了|结婚|离婚|怀孕|单身|失业|辞职|退休|被裁|丢了工作|"
    r"(?=在[^，,]{2,12}(?:工作|上班|长大|上学|读书|读研|读博|实习|出生|定居|当.{2,5}))|姓(?=[一-鿿]$)|(?<=今年)(?=[1-9]\d(?:$|[，,]))|从[^，,]{1,8}搬|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|(?=[\d一二三四五六七八九十]{1,3}岁)|毕业于|搬到|搬来|抽烟|喝酒|戒(?=了|烟|酒)|吃素|"
    r"[吃喝抽](?=[^，,了过吧]{1,6}$)|会(?=说|弹|拉|编程|游泳|开车|做饭)|(?=做.{2,8}(?:工作|行业|的$))|学(?=.{1,8}(?:年|专业|月)))"
)


def of_oneself(sentence: str) -> str:
    """The sentence with the 我 that went without saying; as it is, where it may be about something else."""
    body, _ = _strip(sentence)
    low = simplified(body)
    if not body or _SUBJECT.match(low) or not _OF_ONESELF.match(low):
        return sentence
    return sentence.replace(body, f"我{body}", 1)


_HAD = re.compile(r"我们?家?(?:里)?(?:还|也|刚|现在)*(?:有|养|领养|收养|买|捡)")


def _goes_on(low: str, before: str, *, named: bool) -> bool:
    """Whether a piece says on: 我有一只猫，叫咪咪; 大的叫安安，小的叫乐乐; 以前抽烟，后来戒了."""
    if _GAVE_UP.match(low) and re.search(r"[抽吸喝吃玩赌][^，,]{1,8}$", before):
        return True
    return bool((named or _EACH.match(low)) and _HAD.match(before))


def _pieces(text: str) -> list[str]:
    shadow = simplified(text)
    raw, start = [], 0
    for m in _JOIN.finditer(shadow):
        raw.append((text[start : m.start()], shadow[start : m.start()]))
        start = m.end()
    raw.append((text[start:], shadow[start:]))
    out: list[str] = []
    subject = about = ""
    for piece, low in ((p.strip(" ，,、"), s.strip(" ，,、")) for p, s in raw):
        if not piece:
            continue
        own = _SUBJECT.match(low)
        named = re.match(r"(?:分别|都|一[个只条]|名字)*(?:是?叫|名叫|取名)", low)
        if out and _goes_on(low, simplified(out[-1]), named=bool(named)):
            out[-1] += f"，{piece}"
            continue
        aged = re.match(
            r"(?:[\ue100-\ue13f]|今年|已经|才|快|刚|现在)*[\d一二两三四五六七八九十]{1,3}(?:个月|岁)", low
        )
        if (named and about) or (aged and about and _WHOSE.match(simplified(out[-1]))):
            skip = one.end() if named and (one := re.match(r"(?:分别|都|[一另]一?[个只条])+", low)) else 0
            piece, low = about + piece[skip:], about + low[skip:]  # noqa: PLW2901 - 我妹妹在北京上学，叫小红
            own = _SUBJECT.match(low)
        elif _HE.match(low) and about:
            piece, low = about + piece[1:], about + low[1:]  # noqa: PLW2901 - 她 is the one just spoken of
            own = _SUBJECT.match(low)
        elif (
            named
            and out
            and re.search(r"(?:有|养|收|买|捡|生|遇到|认识)了?[^，,]*[个只条位匹名]", simplified(out[-1]))
        ):
            continue  # somebody's name, and not the user's
        elif not own and _PREDICATE.match(low) and subject:
            piece = subject + piece  # noqa: PLW2901
        elif (
            not own
            and out
            and len(piece) <= 8
            and re.search(r"(?:喜欢|爱|讨厌|过敏|会|有|吃|和|、)", simplified(out[-1]))
            and not _PREDICATE.match(low)
            and not re.search(r"[\ue100-\ue13f]|是|不", low)
            and not re.search(r"[了啦]$", simplified(out[-1]))  # what has ended is no list to go on with
        ):
            out[-1] += f"、{piece}"
            continue
        if own and (s := own["s"]) not in {"他", "她", "它"}:
            subject = piece[own.start("s") : own.end("s")] if len(s) <= len(piece) else s
        if w := _WHOSE.match(low):
            about = f"我{w['r'] or w['q']}"
        out.append(piece)
    return out


def clauses(sentence: str, at: datetime, *, corrects: bool = False) -> list[Clause]:
    """The clauses of a Chinese sentence said at `at` (local, naive)."""
    text, marked = _strip(sentence.strip())
    corrects = corrects or marked
    if re.search(r"其实|更正|说错|应该是", simplified(sentence)):
        corrects = True
        text = re.sub(r"(?<=我)其[实實]", "", text)
    low = simplified(text)
    past = bool(_PAST.search(low)) and not re.search(
        r"改到|改成|改在|推迟|提前|延期|挪到|调到|[要该快].{1,12}了$|就.{1,8}了$", low
    )
    text, whens = _holes(text, at, past)
    instead, shadow = "", simplified(text)
    if m := _NOT_BUT.search(shadow):
        instead = text[m.start("old") : m.end("old")]
        verb = re.sub(r"^而", "", m["is"])
        text = f"{text[: m.start()]}{verb}{text[m.start('new') :]}"
    elif (m := _NOT_OLD.search(shadow)) and m.start() > 1:
        instead, text = text[m.start("old") : m.end("old")], text[: m.start()]
    out: list[Clause] = []
    for piece in _pieces(text):
        body, inner = _strip(piece)
        low = simplified(body)
        again = bool(_AGAIN.search(low)) and not re.search(r"不(?:喜欢|爱|是)", low)
        if again and (m2 := _AGAIN.search(low)):
            body = body[: m2.start()] + body[m2.end() :]
        lately = bool(_LATELY.search(low))
        if body:
            out.append(Clause(body, "zh", at, whens, corrects or inner, again, lately=lately, instead_of=instead))
    return out
