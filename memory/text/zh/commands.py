# ruff: noqa: E501 - alternatives that are read together stay on one line
"""Chinese forms of 记住, 忘掉, 别再提 and 别记我的事, and what only sounds like them."""

from __future__ import annotations

import re
from typing import Final

from memory.text.intent import Found

GREETING = r"(?:你|您|大家)?好|早上好|早安|晚上好|晚安|下午好|嗨|嘿|谢谢你?|谢了|多谢|好的?|嗯+|哦|对了|哈+"
FICTION = r"(?:我们|咱们?)?来(?:演|玩|扮)|假装|假设你|扮演|你(?:是|来当|现在是)(?:个|一|海盗|我的\w{1,4}角色)|写一?[个篇首段]"

EVERY: Final = re.compile(r"一切|所有|全部|全都|都|统统|通通|任何|全(?=忘|删)")
STAGED = r"角色|剧本|小说|台词|歌词|诗|口号|广告|提示词|论坛|帖子|改写|翻译|标题|扮演|演|故事|开头|朗诵|网上|念白|旁白|谜语|[语文]怎么[说写念]|怎么用.{1,6}[语文][说写]"
YES = r"(?:是|是的|对|对的|好|好的|好吧|嗯+|行|可以|确定|没错|就是(?:它|这个|这条))[吧啊呀的]?"
NO = r"(?:都不是|都不要|不|不是|不用|不用了|不要|算了|取消|没有|没了|别忘|都留着|留着|哪个都不是|一个都不是)[吧啊了]?"
ALL = r"(?:都|全部|全都|全|都是|都要|都忘|都忘了|都忘掉|两个都|两条都|所有|所有的|一起)[吧啊了]?(?:忘了|忘掉|要|是)?[吧啊]?"
ALL_BUT = r"除了?(.+?)(?:以外|之外|外)?[，, ]?(?:其他|其它|别的|其余|剩下)?的?(?:全部|全都|全|都).{0,4}|(?:全部|全都|全|都)(?:忘了?|忘掉|删掉?)?吧?[，, ]?(?:除了|除|留下|留着|只留)(.+?)(?:以外|之外|外)?"
CHOSEN: Final = re.compile(
    r"(?P<x>.{1,20}?)(?:的)?[那这](?:一)?[个条件段]$|^[那这]个?(?P<z>.{1,20}?)的$|^(?:关于|有关)(?P<y>.{1,20}?)(?:的)?(?:[那这](?:一)?[个条件段])?$"
)
FILLERS = r"[第个條条和跟与及、，,那这是要忘掉了吧请的再还有就项号]"
_ON: Final = re.compile(
    r"(?:请|麻烦)?你?(?:(?:重新)?(?:打开|开启|恢复|启用)(?:你的?)?(?:记忆|记录)(?:功能)?|可以(?:重新|再|继续|又)?(?:记住?|记录)(?:我的事情?|东西)?了)[吧啊]?$"
)
_SPEAK: Final = re.compile(
    r"(?:你)?(?:又|现在|以后)?(?:可以|能)(?:又|再|重新)?(?:跟我)?(?:提|聊|说|谈)(?:起)?(?P<x>(?!问|交|供|醒|前|高|话|恋)[^，。！？吗]{1,40}?)了$"
)

# Traditional characters and typing errors of the forms; one for one, so that offsets stay.
_PLAIN: Final = str.maketrans(
    "記請幫給關於刪說講過與個這別沒麼嗎從裡裏腦憶錄煩讓對後現會還點筆勞駕將遺無須許願識資訊訴題話東學開總聽談聊寫存間帳號",
    "记请帮给关于删说讲过与个这别没么吗从里里脑忆录烦让对后现会还点笔劳驾将遗无须许愿识资讯诉题话东学开总听谈聊写存间账号",
)
_MIXED: Final = (
    (re.compile(r"\bremember\b(?= ?[一\u4e00-\u9fff])", re.I), "记住"),
    (re.compile(r"\bforget\b(?= ?[\u4e00-\u9fff])", re.I), "忘掉"),
)

_LEAD: Final = re.compile(
    r"(?:你好|嗨|嘿|喂|好的?|好吧|行|嗯+|哦|噢|啊|对了|那个?(?!些)|那么|然后|还有|另外|而且|所以|顺便(?:说一下)?|其实|现在|谢谢|是的|不是|等等|等一下|听着|重要(?:的事情?)?|求求?你|暂时|这阵子|最近|这段时间|这个(?=[要得请])|(?:从)?(?:以后|今后|往后|现在起|今天起|现在开始|今天开始)|ebb)[\s，,。！!：:、~～]{0,9}",
    re.I,
)
_ASK: Final = re.compile(
    r"(?P<please>(?:请|麻烦|拜托|劳烦|劳驾|烦请|帮忙|帮我|给我|替我|帮(?=记))[\s，,]{0,9})|(?P<want>我(?:想|要|希望|需要|想要)(?:让|请|叫)?(?=[你您]))"
    r"|(?P<ask>能不能|可不可以|可否|能否|能|可以)|(?P<you>[你您]|大家)|(?P<urge>一定要?|务必|千万要?|必须|要(?!不)|得|应该|永远|再|也|都|先|就|最好|需要|快|好好|牢牢|彻底|偷偷|可(?=别|不))"
)
_NEG: Final = re.compile(
    r"(?P<soft>(?:什么|啥|任何\w{0,3}|一切|所有\w{0,3})(?:都|也)?)?(?:我不(?:想|要|希望|愿意?)(?:让|叫|要)?[你您]|别|不要|不用|不必|不需要|无需|无须|用不着|不许|不准|停止|甭|勿|莫|不能|少|不要|请勿|(?:咱们?|我们)不)(?:给我)?(?P<again>(?:再|继续|老是?|总是?|一直|去|随便)*)"
)
_FIRM: Final = r"记住|记主|记下来|记下|记下|记一[下吓哈笔]|记录一?下(?:来)?|记着点?|记好了?|牢记|记牢|记个(?:笔记|事儿?)|记清楚|备注一?下|备忘(?!录)|(?:做|写)个(?:备忘|备注|记录)|替我存|存着|存档|(?:记|存|加|保存|写)[到进入](?:你的?)?(?:记忆|笔记|小本本?)[里中上]?|(?<=[帮给替]我)记(?![得不性恨忆者录仇])|(?<=帮)记"
_REMEMBER: Final = re.compile(rf"(?P<firm>{_FIRM})|(?P<kind>记得)")
_BA: Final = re.compile(
    r"[把将](?P<x>[^，。！？]{1,200}?)(?:给我|帮我|也|给|就)?(?:都|全部|全都|全|统统|通通)*(?P<how>(?:记住|记下来?|记一下|记录下来|记着|记好|记牢|存下来|存好|(?:存|记|保存|加|写)[到进入在](?:你的?)?(?:记忆|笔记)[里中]?|记在心[里上])"
    r"|(?P<f>忘(?:得)?干净|忘[掉了吊记却]?|遗忘|抛到脑后)|(?P<d>(?:从(?:你的?)?(?:记忆|脑海|脑子|心)[里中]?|从你(?:那儿|那里))?(?:删干净|清干净|删了|删掉|删除|清除|清掉|抹掉|抹去|清空|移除|去掉)))(?P<end>[^，。！？：:]{0,12})(?=[，。！？：:\s]|$)"
)
_TOPIC_FIRST: Final = re.compile(
    r"(?P<x>[^，。！？\s]{1,30}?)(?:的)?(?:这|那)?(?:件)?(?:事情?|事儿|话题)?[，,]?(?:以后|今后|就|都|全|请|你){0,3}"
    r"(?:(?P<quiet>(?:别|不要|不许|不准|勿|莫)再?(?:跟我|对我)?(?:提|说|聊|讲)(?:起|到)?)|(?P<forget>忘[了掉]吧|当我没说过?|(?:你就?)?当没(?:听过|听说过|说过|发生过?))|(?P<off>(?:别|不要|不许|不准)再?(?:记|存)(?:下来|住|录)?))了?[吧啊哦]?$"
)
_TOPIC: Final = re.compile(
    r"(?:关于|有关)(?P<x>[^，。！？]{1,60}?)(?:的(?:一切|事情?|所有|全部)?)?(?:全都?|都|全部|统统|通通)+(?:给我)?(?:删|忘|清)[掉了除光吧]*"
)
_FORGET: Final = re.compile(r"(?P<strong>忘[掉吊]|遗忘掉?|当我没(?:有)?(?:说过?|讲过?|提过?))|(?P<weak>忘了|忘记|忘)")
_DELETE: Final = re.compile(
    r"(?:(?P<from>从(?:你的?)?(?:记忆|脑海|脑子)[里中]?))?(?:删[掉除了]|清除|抹[掉去]|移除|去掉|清空|清掉|撤掉)(?:掉|一下)?"
)
_DELETE_ALL: Final = re.compile(r"(?:[你我]?的?(?:所有|全部|一切|全)(?:关于我)?的?(?:记忆|记录)|[你我]的记忆|记忆)$")
_DELETED: Final = re.compile(
    r"(?P<a>.{1,200}?)(?:的|这条|那条|这个|那个|这些|相关|有关)*(?:记忆|记录)$|(?:你)?(?:记得|记住|知道|保存)的?(?:关于|有关|跟|和)?(?P<b>.{1,200}?)(?:有关|相关)?的?(?:事情?|内容|信息|一切|东西)?$"
    r"|(?P<c>(?:跟|和|与|关于|有关|涉及).{1,200}?)(?:的(?:全部|所有|一切)?(?:内容|信息|资料|数据|东西|事情?|记录))$|(?P<d>.{1,60}(?:那|这)(?:件事情?|事儿?|条))$|(?P<e>(?:我的|我(?:说|讲|提)过?的)(?!.{0,8}(?:文件|代码|[账帐]号|照片|邮件|消息|软件|应用|缓存|草稿|文章|段))[^，。]{1,20}?)(?:的?(?:信息|资料|数据|记录|内容|事))?$"
)
_MENTION: Final = re.compile(
    r"(?:跟我|对我|和我|给我)?(?P<verb>提起|提到|提及|说起|聊起|聊到|谈起|念叨|唠叨|提醒我|提(?!有?多)|说|聊|讲|谈|问我|问)(?:关于|有关)?"
)
_WEARY: Final = re.compile(
    r"我?(?:不想|不愿意?|不要)再?(?:听到|听见|听你说|听你提|听|聊|提|谈|看到)(?:关于|有关)?(?P<x>[^，。！？]{1,60})"
)
_OFF: Final = re.compile(
    r"我不(?:想|要|希望|愿意?)被(?:记住|记录|跟踪)|把(?:你的?)?(?:记忆|记录)(?:功能)?(?:关了|关掉|关闭|停了|停掉)|停止(?:记录|记忆|学习|收集)(?:我|了|吧|$)|(?:关掉|关闭|停用|停掉|暂停)(?:你的?)?(?:记忆|学习|记录)(?:功能|模式)?"
)
_NO_NOTES: Final = re.compile(
    r"(?:记得|记住|记着|记录|记下|记笔记|保存|收集|存储|存|留|学习|记|做|写|建)(?:关于|有关|任何|一切|我的任何|什么|下)*(?P<what>我(?:的)?(?:任何|一切|所有)?(?:的)?(?:事情?|信息|资料|数据|东西|内容|话|小本本|情况|隐私|笔记|记录|档案)?|我(?:说|讲|告诉你|跟你说|聊)(?:的|过的)?(?:任何|什么|一切)?(?:话|事情?|东西|内容|任何话)?|任何(?:事情?|东西|信息|内容)?|聊天(?:内容|记录)?|对话|档案|笔记|(?:事情?|东西|信息))?$"
)
_SOFT: Final = r"(?:[吧啊呀哦喔噢哈呢嘛啦哟]|一下|好吗|好不好|行吗|行不行|可以吗|可以么|谢谢|求你|了(?=[吧啊哦])|[\s~～，,。.！!]){0,12}"
_TAIL: Final = re.compile(rf"{_SOFT}$")
_QUESTION: Final = re.compile(
    r"(?:[吗么嘛]|没有?|不|了没|呢)?\s{0,3}[?？]{1,9}\s{0,3}$|(?:吗|么|了没|没有|没)[\s。.！!~～]{0,9}$"
)
_POLITE_TAIL: Final = re.compile(
    r"[，,\s]{0,9}(?:好吗|好不好|行吗|行不行|可以吗|可以么|可不可以|好么|ok吗|谢谢你?|拜托了?|麻烦了)[\s?？。.！!~～]{0,9}$",
    re.I,
)
_WH: Final = re.compile(r"什么|啥|谁|哪|怎么|怎样|为什么|几(?=[点个号岁月])|多少|是不是|有没有|会不会|能不能|还是")
_TRAILING: Final = re.compile(
    rf"[\s，,；;：:、。—–-]{{1,9}}(?:请|麻烦|帮我|给我|替我|你|一定要?|要|也|都|千万|务必){{0,5}}(?:{_FIRM}|(?:别|不要)(?:忘了|忘记))(?:它|这个|这点|这一点|这件事|啊|哦)?{_SOFT}$"
)
_BACK: Final = re.compile(
    r"(?:这个?|那个?|它|这些|那些|这点|这一点|那一点|这条|这件事情?|那件事情?|这事|这句话?|这段话?|这番话|这些话|一切|上面(?:的|这些|那些|说的|的话|的内容)?|以上(?:的|内容|这些)?|前面(?:的|说的|那句)?"
    r"|(?:我)?(?:刚才|刚刚|刚|上面|前面|之前|上一[句条])?(?:我)?(?:说的?|讲的?|写的?|发的?|提到的?|告诉你的?)(?:过的?)?(?:话|内容|事情?|那些|这些|一切|东西|那句话|这句话)?"
    r"|(?:我)?(?:刚才|刚刚|上一[句条]|上条)(?:的)?(?:那?句?话|内容|事情?|消息|那些|信息)?)$"
)
_FIRST: Final = re.compile(r"[我咱俺]|本人")
_WHEN: Final = re.compile(
    r"今天|明天|后天|昨天|今晚|明晚|明早|下午|上午|早上|中午|晚上(?=[\d一二三四五六七八九十两])|(?:这|下|上|本)?(?:周|星期|礼拜)[一二三四五六日天末]|下个?月|明年|\d+[月号日点:：]|[一二三四五六七八九十两]+[月号点]|生日|纪念日|截止|开会|会议|考试|面试|航班|复诊"
)
_STATES: Final = re.compile(
    r"是|比|在|有|叫|爱|喜欢|讨厌|不|过敏|住|来自|想|要|打算|计划|需要|会|怕|用|养|吃|喝|属|得|了|更|最|姓|岁|\d"
)
_CHAT: Final = re.compile(
    r"(?:要|得|先|也|都|多|早点?|早些|好好|按时|准时|及时|每天|随时|常|经常|注意|保持)?(?:吃|喝|睡|休息|带|穿|关|开|锁|加油|微笑|保重|照顾|想我|爱我|爱你|来|去|回|给我|保暖|运动|锻炼|打伞|防晒|呼吸|你|您|自己|初心|我们的约定|我$|我哦)"
)
# A request behind what is to be kept.
_REQUEST: Final = re.compile(
    r"[，,；;](?:然后|再|请|所以|那|顺便)?(?:推荐|帮我|告诉我|给我|你能|能不能|可以|怎么|如何|有什么|哪|该|什么|忘掉(?!了)|把[^，。]{1,20}忘)"
)
_EVERYTHING: Final = re.compile(
    r"(?:(?:你)?(?:知道|记得|记住|学到)的?)?(?:有关|关于)?(?:我)?(?:说过?|讲过?|告诉过?你)?的?(?:所有|一切|全部|全|每一[件条]|统统|任何)的?(?:东西|事情?|记忆|内容|信息|话|记录)?"
    r"(?:有关|关于|和|跟)?(?:我(?:有关|相关)?)?的?(?:所有|一切|全部)?(?:东西|事情?|记忆|内容|信息|话|记录)?$"
    r"|(?:你)?(?:知道|记得|记住)?的?(?:关于|有关)(?:我|我自己)的?(?:所有|一切|全部|任何)?的?(?:东西|事情?|记忆|内容|信息)?$|[你我]的?(?:所有|全部)?的?记忆$|整个记忆$|everything$"
)
_BEFORE: Final = re.compile(
    r"(?:(?:我)?(?:之前|以前|刚才|刚刚|曾经|上次)?(?:我)?(?:说过?|讲过?|提到过?|告诉过?你|跟你说过?)的?(?:关于|有关)|你?(?:知道|记得|记住)的?(?:关于|有关)|(?:所有|一切|全部|任何)?(?:关于|有关)|(?:和|跟|与)(?=.{1,80}(?:有关|相关)))"
)
_SAID: Final = re.compile(
    r"(?:我)?(?:之前|以前|刚才|刚刚|曾经|上次)?我?(?:说过?|提到过?|告诉过?你|跟你说过?)(?:的|过)?[，,：:]?(?=..)"
)
_AFTER: Final = re.compile(
    r"(?:(?:有关|相关)?的?[这那](?:件事情?|件事儿|回事|个事实|条记忆|一点|点|条|个信息|些|事儿?)|(?:有关|相关)|(?:有关|相关)?的?(?:事情|事儿|记忆|所有|一切|全部|内容|信息|东西|那些事|所有记忆|所有事情?|任何事情?|一切记忆)|(?:有关|相关)?的(?:事|话)|(?:有关|相关)的)$"
)
_SPARE: Final = re.compile(
    r"[^。！？]{0,80}?(?:但(?:是)?|不过|除了)?(?:请|要)?(?:别忘了?|不要忘了?|别删|不要删|留着|保留|记得|除了|除外)(?P<x>[^。！？，]{1,80})"
)
_THIRD: Final = re.compile(r"[他她它]们?$|[你您]们?$")


def everything(text: str) -> bool:
    """Tell whether 所有关于我的事 or the like is meant."""
    t = _TAIL.sub("", text.strip())
    return bool(t) and bool(_EVERYTHING.match(t))


def read(sentence: str) -> Found | None:
    """Find the command that one sentence is."""
    s = sentence
    for pattern, zh in _MIXED:
        if (m := pattern.search(s)) and len(s[: m.start()].strip()) < 8:
            s = s[: m.start()] + zh.ljust(len(m[0])) + s[m.end() :]
    s = s.translate(_PLAIN)
    polite_tail = _POLITE_TAIL.search(s)
    core = s[: polite_tail.start()] if polite_tail else s
    r = _REQUEST.search(core)
    if r and (found := read(sentence[: r.start()])) is not None and found.kind == "remember":
        return found
    question = bool(_QUESTION.search(core))
    flags, at = _head(core)
    if polite_tail:
        flags.add("please")
    if question and "ask" not in flags:
        return None
    core = re.sub(r"[吗么?？\s]{1,9}$", "", core) if "ask" in flags else core
    for reader in (_read_topic, _read_negated, _read_ba, _read_delete, _read_forget, _read_remember):
        if (found := reader(sentence, core, at, flags)) is not None:
            return found
    t = None if question else _TRAILING.search(s, max(0, len(s) - 40))
    if t and t.start() >= 3:
        return Found("remember", sentence[: t.start()].strip(), len(sentence))
    return None


def _head(s: str) -> tuple[set[str], int]:
    """Strip what may stand before a verb of command; say of which sorts it was."""
    flags: set[str] = set()
    at = len(s) - len(s.lstrip())
    for _ in range(9):
        if (m := _NEG.match(s, at)) and not _WEARY.match(s, at) and not _OFF.match(s, at):
            flags |= {
                "neg",
                *(("again",) if m["again"] else ()),
                *(("want",) if m[0].startswith("我") else ()),
                *(("what",) if m["soft"] else ()),
            }
        elif m := _LEAD.match(s, at):
            pass
        elif (m := _ASK.match(s, at)) is None:
            break
        else:
            flags.add(m.lastgroup or "")
        at = m.end()
    return flags, at


def _clean(text: str) -> str:
    text = re.sub(
        r"^(?:[\s，,：:、。—–-]|一下|下来|住|哦|啊|这(?:一)?点[：:，,]|这个[：:，,]|这件事[：:，,])+", "", text
    )
    return _TAIL.sub("", text).strip(" 　，,。.！!；;~～")


def _first_clause(core: str, at: int) -> int:
    """Where the clause that begins at `at` ends."""
    m = re.search(r"[，,；;](?!(?:还有|以及)(?:关于)?我(?![想要]|今|明|问))|——", core[at + 1 :])
    return at + 1 + m.start() if m else len(core)


def _read_topic(sentence: str, core: str, at: int, _flags: set[str]) -> Found | None:
    if _ON.match(core.rstrip(" 。.！!~～")):
        return Found("on", "", len(sentence))
    if m := _SPEAK.match(core.rstrip(" 。.！!~～")):
        return Found("speak", sentence[m.start("x") : m.end("x")], len(sentence))
    if m := _TOPIC.match(core, at):
        return _thing(sentence, core, m.start("x"), m.end("x"), _stop(sentence, core, m.end()))
    if m := _WEARY.match(core, at):
        return _quiet(sentence, core, m.start("x"), m.end("x"))
    t = _TOPIC_FIRST.match(core.rstrip(" 。.！!~～"), at)
    if t and (
        t["quiet"]
        or not re.match(
            r"[把将]|我(?:就|都|快|也|早|差点|总|老|已经|想|要|$)|你|他|她|它|算了|别|不|就|都|快|早|全|差点", t["x"]
        )
    ):
        if t["off"]:
            return (
                Found("off", "", len(sentence))
                if re.match(r"我(?:的|[说讲]的)|什么|任何|所有|一切", t["x"])
                else None
            )
        if t["quiet"]:
            return _quiet(sentence, core, t.start("x"), t.end("x"))
        return _thing(sentence, core, t.start("x"), t.end("x"), len(sentence))
    return Found("off", "", _first_clause(core, at)) if _OFF.match(core, at) else None


def _stop(sentence: str, core: str, end: int) -> int:
    """Where the command ends: with its clause, or with its sentence if nothing but a tail follows."""
    return len(sentence) if not re.search(r"\w", _TAIL.sub("", core[end:]).strip("吧了啊哦的")) else end


def _quiet(sentence: str, core: str, a: int, b: int) -> Found | None:
    said = _clean(
        re.sub(
            r"(?:这|那)?(?:两|三|四|几)个字了?$|(?:的)?(?:这|那)(?:件)?事儿?了?$|的?(?:事情?|事儿)了?$|了$",
            "",
            _clean(core[a:b]),
        )
    )
    said = re.sub(r"了$", "", said)
    if not said or _BACK.match(said) or re.match(r"[了吧过这那](?!\w)|[出话]|什么|什麼", said):
        return None
    at = core.index(said[:1], a)
    return Found("quiet", sentence[at : at + len(said)], _stop(sentence, core, b))


def _read_negated(sentence: str, core: str, at: int, flags: set[str]) -> Found | None:
    if "neg" not in flags:
        return None
    end = _first_clause(core, at)
    body = core[at:end]
    stop = _stop(sentence, core, end)
    clean = re.sub(r"了$", "", _TAIL.sub("", body))
    if clean in {"记录", "记笔记", "学习", "记住我", "记录我", "记我"}:
        return Found("off", "", stop)
    if (b := _BA.match(core, at)) and not (b["f"] or b["d"]) and b["x"].startswith("我"):
        return Found("off", "", stop)
    if (n := _NO_NOTES.match(clean)) and (n["what"] or "what" in flags) and not re.match(r"记得我?$", clean):
        return Found("off", "", stop)
    if m := re.match(r"(?:记得|记住|记着|记下|记录|保存|留着|记)(?!仇|恨|错|混|账)", body):
        target = _clean(re.sub(r"^了$", "", body[m.end() :]))
        target = re.sub(r"了$", "", target)
        if re.match(r"那么|这么|得|我$", target) or _WH.match(target):
            return None
        if not target or _BACK.match(target):
            return Found("forget", None, stop)
        start = core.index(target, at)
        return _thing(sentence, core, start, start + len(target), stop)
    if (m := _MENTION.match(body)) and (
        m["verb"] not in {"说", "讲", "聊", "谈", "问", "问我", "提"}
        or flags & {"again", "want"}
        or m[0].startswith(("跟我", "对我", "和我"))
        or m["verb"] == "提"
    ):
        return _quiet(sentence, core, at + m.end(), end)
    if f := re.match(r"(?:忘了|忘记|忘掉|忘)", body):
        text = sentence[at + f.end() :]
        what = _clean(text.translate(_PLAIN))
        if what and not _WH.search(what) and _tells(what):
            return Found("remember", _same(text, what), len(sentence))
    return None


def _same(original: str, cleaned: str) -> str:
    """Give back the original characters of a text that was cleaned after simplification."""
    at = original.translate(_PLAIN).find(cleaned)
    return original[at : at + len(cleaned)] if at >= 0 else cleaned


def _read_ba(sentence: str, core: str, at: int, flags: set[str]) -> Found | None:
    m = _BA.match(core, at)
    if m is None:
        return None
    x, end = _clean(m["x"]), m["end"]
    if not (m["f"] or m["d"]):
        if colon := re.match(r"\s{0,3}[：:]\s{0,3}(?P<x>.+)$", core[m.end("how") :], re.S):
            return Found("remember", f"{_same(sentence, x)}：{_clean(colon['x'])}", len(sentence))
        return Found("remember", None if _BACK.match(x) else _same(sentence, x), _stop(sentence, core, m.end()))
    scope = re.search(r"我|这|那|关于|有关|所有|一切|全部|的(?:事|是)", x)
    asked = flags & {"please", "ask", "you", "want"} or "吧" in end or m["how"] in {"忘掉", "忘吊"} or "全" in m[0]
    if m["f"] and not (asked or scope):
        return None  # 把钥匙忘了: the speaker did
    if (
        m["d"]
        and not m["d"].startswith("从")
        and not re.search(
            r"记忆|记录|记得|记住|知道|关于|有关|事|一切|说(?:过)?的|信息|^我(?!.{0,8}(?:文件|代码|[账帐]号|照片|邮件|消息|软件|应用|缓存|草稿|文章))",
            x,
        )
    ):
        return None  # 把这个文件删掉
    if re.search("[都全]|统统", m[0]) and re.match(
        r"我(?:以前|之前|曾经)?(?:跟你)?(?:说|讲|告诉你|聊)过?的(?:所有)?[话事]?情?$", x
    ):
        return Found("forget", "everything", _stop(sentence, core, m.end()))
    start = core.index(x, at)
    return _thing(sentence, core, start, start + len(x), _stop(sentence, core, m.end()))


def _read_delete(sentence: str, core: str, at: int, _flags: set[str]) -> Found | None:
    m = _DELETE.match(core, at)
    if m is None:
        return None
    end = _first_clause(core, m.end())
    body = _TAIL.sub("", core[m.end() : end]).strip()
    stop = _stop(sentence, core, end)
    if m["from"]:
        return _thing(sentence, core, m.end(), m.end() + len(body), stop)
    if _DELETE_ALL.match(body):
        return Found("forget", "everything", stop)
    d = _DELETED.match(body)
    x = next((g for g in d.groups() if g), None) if d else None
    if not x:
        return None
    start = core.index(x, m.end())
    return _thing(sentence, core, start, start + len(x), stop)


def _read_forget(sentence: str, core: str, at: int, flags: set[str]) -> Found | None:
    m = None if "neg" in flags else _FORGET.match(core, at)
    if m is None:
        return None
    end = _first_clause(core, m.end())
    raw = core[m.end() : end]
    body = _clean(raw)
    asked = bool(flags & {"please", "ask", "want"}) or bool(re.search(r"吧[\s。.！!~～]{0,9}$", raw))
    if not body or re.match(
        r"(?:不|得|我吧?$|他吧?$|她吧?$|它$|你|了|过|恩|年|情|乎|本|词|形|在|带|拿|关(?!于)|吃|怎|告诉|跟|说[^的]|问|做|买|写|回)",
        body,
    ):
        return None
    if (m["strong"] and raw.startswith("了") and not asked) or re.search(r"(?:怎么|如何)[说念读翻写][?？]?$", body):
        return None
    if m["weak"] and not asked:
        if "you" in flags or re.search(r"了[\s。.！!~～]{0,9}$", raw):
            return None  # 你忘了我的生日
        if _WH.search(body) and not re.search(r"(?:[这那]件?事|什么的)$", body):
            return None  # 忘了我住几号楼: the speaker did
        if not re.match(
            r"(?:我(?:说|讲|告诉|刚|之前|以前|的|喜|不|住|是|在|有|对|叫|跟|和)|关于|有关|所有|一切|刚才|之前|\[?[a-z][0-9a-z]{5})",
            body,
        ):
            return None
    start = core.index(body, m.end())
    return _thing(sentence, core, start, start + len(body), _stop(sentence, core, end))


def _thing(sentence: str, core: str, a: int, b: int, stop: int) -> Found | None:
    """Name the thing without 我说的关于 and the like."""
    body = core[a:b].strip(" 　，,。.！!？?")
    if not body:
        return None
    if everything(body):
        return Found("forget", "everything", stop)
    if _BACK.match(body):
        return Found("forget", None, stop)
    x = _AFTER.sub("", body)
    for before in (_BEFORE, _SAID):
        if m := before.match(x):
            x = x[m.end() :]
    x = re.sub(r"(?<!除)了$", "", x.strip(" 　，,。.！!：:")) or body
    if x in {"我", "我的", "我自己"}:
        return Found("forget", "everything", stop)
    if _THIRD.match(x.removesuffix("的")):
        return None if x[0] in "你您" else Found("forget", x.removesuffix("的"), stop)
    at = core.index(x, a) if x in core[a:] else a
    spare = (
        _SPARE.match(core[b:])
        if "除" in core[b:] or re.search(r"别忘|不要忘|别删|留着|保留|记得", core[b:])
        else None
    )
    return Found("forget", sentence[at : at + len(x)], stop, _clean(spare["x"]) if spare else "")


def _read_remember(sentence: str, core: str, at: int, flags: set[str]) -> Found | None:
    m = None if "neg" in flags else _REMEMBER.match(core, at)
    if m is None:
        return None
    raw = core[m.end() :]
    body = _clean(raw)
    if colon := re.match(
        r"(?:了|一下|以下(?:内容|几点|这些)?|这(?:个|些|几点|件事|句话)?|下面(?:的|这些)?(?:内容)?)?\s{0,3}[：:]\s{0,3}",
        raw,
    ):
        said = _clean(sentence[m.end() + colon.end() :])
        return Found("remember", said or None, len(sentence), lists=True)
    if not body:
        done = raw.startswith("了") or m["kind"] or m["firm"].endswith("了") or re.search(r"了[\s。！!]{0,9}$", core)
        return None if done else Found("remember", None, len(sentence))
    if (
        re.match(r"(?:了$|了[，,。！!]|不|没|过|的|吗|住?没有)", raw.strip())
        and "please" not in flags
        and not m["firm"].endswith("了")
    ):
        return None
    if _BACK.match(body):
        return Found("remember", None, len(sentence))
    if "ask" in flags and not (flags & {"please"} or _STATES.search(body)):
        return None
    text = _same(sentence, body)
    if m["kind"]:
        if _WH.search(body) or not _tells(body):
            return None
        return Found("remember", re.sub(r"^(?:要|去)(?=提醒)", "", text), len(sentence))
    return None if _WH.match(body) else Found("remember", text, len(sentence))


def _tells(body: str) -> bool:
    """Tell whether 记得…/别忘了… carries something to keep: about the speaker, or with a time."""
    if re.search(r"提醒我|叫我|称呼我", body):
        return True
    if _CHAT.match(body):
        return bool(_WHEN.search(body) and _FIRST.search(body))
    return bool((_FIRST.search(body) and _STATES.search(body)) or (_WHEN.search(body) and len(body) >= 4))
