# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Chinese: what somebody likes and dislikes, can do, does by habit, owns, and has learned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Found, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import LANGUAGE, core, items, names, thing
from memory.models import Importance, Kind

rule = Rules(shadow=True)
HIGH, MEDIUM, LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW
_HOW = r"(?P<h>(?:真的|也|还|很|非常|特别|超级?|最|一直|比较|挺|蛮|平时|就|都|从小(?:就)?|其实|尤其|更|更加|好|太|十分|越来越|有点|有些|现在|是|个人|可|最近|以前|曾经|本来|之前|原来|小时候|今天|真|又|同样|相当|倒是|只|经常|反而|已经|周末|没事|闲暇时?|下班后?|通常|一般|总是|、)*)"
_LIKE = r"(?:喜欢上了?|喜欢|爱上了?|热爱|喜爱|钟爱|偏爱|酷爱|沉迷于?|迷上了?|痴迷于?|着迷于?|爱好|爱(?!情|人|好|心|国|豆)|追捧|中意|钟情于|偏好|离不开|欣赏|享受)"
_DISLIKE = r"(?:不(?:太|怎么|是很|大|咋|那么|是特别|是太)?(?:喜欢|爱|喜爱|感冒)|从来?不(?:喜欢|爱)|一点(?:儿)?[都也]不(?:喜欢|爱)|最不(?:喜欢|爱)|讨厌|厌恶|反感|受不了|忍不了|嫌弃|痛恨|恨|害怕|怕|烦(?!恼|躁|死了$)|吃不惯|喝不惯|接受不了|无法忍受|不能接受|看不惯|腻了|厌倦了?)"
_VAGUE = re.compile(
    r"^(?:你|他|她|它|这样|那样|这么|那么|这个$|那个$|这里|那里|我|自己$|什么|你们|大家$|和你|跟你|的人$|一个人$|得|不得了|死了|了$|谁|极了|到|上$)"
)


def _taste(c: Clause, lead: str, value: str, holds: bool) -> Iterator[Fact]:
    found = items(value)
    past = bool(re.search(r"以前|曾经|之前|小时候|原来|本来", c.plain)) and not re.search(r"现在|一直", c.plain)
    strong = bool(re.search(r"最|超|非常|特别|热爱|讨厌|受不了|酷爱|痛恨", lead))
    for item in found:
        if _VAGUE.match(item) or len(item) > 40:
            continue
        what = thing(item)
        text = None if len(found) == 1 else c.third(f"我{lead}{item}")
        yield c.fact(
            "like",
            what,
            text,
            kind=Kind.WHIM if c.lately else Kind.PREFERENCE,
            importance=LOW if c.lately else HIGH if strong and len(found) == 1 else MEDIUM,
            holds=(holds and not past) != (c.ended or c.denied),
            entities=tuple(dict.fromkeys([what, *names(item)])) if len(what) <= 10 else names(item),
            verb=lead,
        )


@rule(
    rf"^我(?:的)?{_HOW}(?:最喜欢|最爱|最喜爱|最中意)的(?P<k>[^是，,]{{1,10}}?)(?:就|一直|当然|应该|永远)?是(?P<v>[^，,]{{1,24}})$",
    r"^(?P<h>)(?P<v>[^，,我]{1,16}?)是我(?:的)?(?:最喜欢|最爱|最喜爱)的(?P<k>[^，,]{1,10})$",
    r"^我(?P<h>)(?:的)?最爱(?P<k>)(?:就)?是(?P<v>[^，,]{1,24})$",
)
def favourite(m: Found, c: Clause) -> Iterator[Fact]:
    """我最喜欢的颜色是绿色。"""
    value = core(m["v"])
    if value:
        yield c.fact(f"favourite:{m['k'] or '最爱'}", value, kind=Kind.PREFERENCE, entities=(value,))


@rule(
    rf"^我{_HOW}(?:更|宁可|宁愿)(?:喜欢|偏爱|爱)?(?P<v>[^，,比]{{1,14}}?)(?:而不(?:是|喜欢))(?P<o>[^，,]{{1,14}})$",
    r"^(?P<h>)(?:比起|相比|和|跟)(?P<o>[^，,]{1,12}?)(?:相比|比)?[，,]?我(?:更|还是|比较)(?:喜欢|爱|偏爱)(?P<v>[^，,]{1,14})$",
)
def prefers(m: Found, c: Clause) -> Iterator[Fact]:
    """比起咖啡我更喜欢茶。"""
    value, other = core(m["v"]), core(m["o"])
    yield c.fact(
        "prefer:" + "/".join(sorted((thing(value), thing(other)))),
        thing(value),
        f"用户更喜欢{value}而不是{other}。",
        kind=Kind.PREFERENCE,
        single=True,
        entities=(thing(value), thing(other)),
    )


@rule(rf"^我(?:的)?{_HOW}(?:兴趣爱好|业余爱好|爱好|兴趣|嗜好)(?:就|主要)?(?:是|有|包括|为|[：:])(?P<v>[^，,].*)$")
def hobby(m: Found, c: Clause) -> Iterator[Fact]:
    """我的爱好是摄影和爬山。"""
    for item in items(m["v"]):
        yield c.fact("hobby", item, f"用户的爱好是{item}。", kind=Kind.PREFERENCE, entities=(item,))


@rule(
    rf"^我{_HOW}对(?P<v>[^，,]{{1,14}}?)(?P<no>不|没)?(?:很|非常|特别|十分|挺|比较|有点|太|什么|怎么|超|越来越|也|有)*(?:感兴趣|有兴趣|兴趣|着迷|上瘾|情有独钟)$"
)
def interest(m: Found, c: Clause) -> Iterator[Fact]:
    """我对天文很感兴趣。"""
    yield from _taste(c, "对", m["v"], holds=not m["no"])


@rule(rf"^我{_HOW}(?:已经|再也|现在)*(?P<vp>{_DISLIKE})(?P<v>[^，,].*)$")
def dislikes(m: Found, c: Clause) -> Iterator[Fact]:
    """我不喜欢香菜。"""
    yield from _taste(c, (m["h"] or "") + m["vp"], m["v"], holds=False)


@rule(rf"^我{_HOW}(?P<vp>{_LIKE})(?P<v>[^，,].*?)(?:(?:但|而|却|可)?不(?:喜欢|爱)(?P<no>[^，,].*))?$")
def likes(m: Found, c: Clause) -> Iterator[Fact]:
    """我喜欢拉面、寿司和爬山。"""
    yield from _taste(c, (m["h"] or "") + m["vp"], m["v"], holds=True)
    for item in items(m["no"] or ""):
        yield c.fact(
            "like", thing(item), f"用户不喜欢{item}。", kind=Kind.PREFERENCE, holds=False, entities=(thing(item),)
        )


@rule(rf"^我{_HOW}(?:一个|一名|个)?(?P<v>[^，,的]{{1,10}}?)(?:的)?(?:粉丝|铁粉|忠粉|爱好者|发烧友|重度用户|控|迷)$")
def fan(m: Found, c: Clause) -> Iterator[Fact]:
    """我是周杰伦的粉丝。"""
    value = core(re.sub(r"^(?:是|一[个名])+", "", m["v"]))
    if value:
        yield c.fact("like", value, kind=Kind.PREFERENCE, entities=(value,))


@rule(
    r"^我(?:今天|现在|最近|突然|有点|好|很|特别|超|真的|正|又|就|这会儿?)*(?:想吃|想喝|馋|嘴馋)(?P<v>[^，,]{1,14})$"
)
def craves(m: Found, c: Clause) -> Iterator[Fact]:
    """我想吃火锅：一时的念头。"""
    yield c.fact("whim", thing(core(m["v"])), kind=Kind.WHIM, importance=LOW, entities=(thing(core(m["v"])),))


@rule(
    rf"^我(?:也|还|都|能|可以|目前|现在)*(?:会|精通|擅长|懂|能)?(?:一点点?|一些|流利地?)?(?:说|讲)?(?:一点点?|一些|流利的?|简单的?|基础的?)*(?P<v>{LANGUAGE}(?:(?:、|和|跟|还有|以及|，)?(?:一点点?|一些|流利的?)?{LANGUAGE})*)$",
    rf"^我(?:的)?(?P<n>母语)是(?P<v>{LANGUAGE})$",
)
def speaks(m: Found, c: Clause) -> Iterator[Fact]:
    """我会说日语。"""
    if not re.search(r"会|说|講|讲|精通|懂|擅长|擅長|母语|母語", c.plain):
        return
    found = re.findall(LANGUAGE, m["v"])
    for lang in found:
        slot = "native" if "母" in c.plain else "language"
        yield c.fact(slot, lang, None if len(found) == 1 else f"用户会{lang}。", kind=Kind.SKILL, entities=(lang,))


@rule(
    r"^我(?:也|还|都|从小|只|现在|已经|学)*(?P<no>不)?会(?P<v>(?:弹|打|拉|游泳|开车|做饭|做菜|做|画|唱|跳|写|滑|骑|下|编程|修|织|缝|吹|踢|用|摄影|剪辑|烘焙|冲浪|潜水|茶艺|书法)[^，,了]{0,12})$",
    r"^我(?:也|还|很|非常|特别|最|比较|挺)*(?P<no>不)?(?:擅长|精通|善于|拿手)(?P<v>[^，,]{1,16})$",
    r"^我(?P<no>)(?:主要|平时|一般|常)*用(?P<v>[^，,]{1,14}?)(?:写代码|编程|开发|写程序)$",
)
def skill(m: Found, c: Clause) -> Iterator[Fact]:
    """我会弹钢琴。"""
    for item in items(m["v"]):
        yield c.fact(
            "skill",
            item,
            None if len(items(m["v"])) == 1 else c.third(f"我{'不' if m['no'] else ''}会{item}"),
            kind=Kind.SKILL,
            holds=not m["no"] and not c.denied and not c.ended,
            entities=names(c.third()),
        )


@rule(
    r"^我(?:最近|正|正在|现在|刚|已经|一直|也|在)*(?:开始|在)(?:自学|学习|学)(?:习|着|了)?(?P<v>[^，,]{1,14})$",
    r"^我(?:最近|正|正在|现在|刚|报班)+(?:自学|学习|学)(?P<v>[^，,了]{1,14})$",
)
def learning(m: Found, c: Clause) -> Iterator[Fact]:
    """我在学日语。"""
    value = core(m["v"])
    if not re.match(r"(?:校|历|生|费|分|期)", value):
        yield c.fact("goal", f"学{value}", kind=Kind.GOAL, entities=names(c.third()) or (value,), when=None)


@rule(
    r"^(?P<a>(?:每(?:天|周|个?月|晚|早|年|逢|隔|个?(?:周|星期)[一二三四五六日天末])|天天|周末|工作日|平时|睡前|下班后|早上|晚上|饭后|周一到周五)[^我，,]{0,8})[，,]?我(?:都|会|一般|通常|总|要|就|习惯)*(?P<v>[^，,].*)$",
    r"^我(?P<b>(?:几乎|基本上?|一般|通常|总是?|经常|常常|习惯了?|从不|从来不|每(?:天|周|个?月|晚|早|年|逢|隔|个?(?:周|星期)[一二三四五六日天末])|天天|平时|周末(?:都|会|一般|经常)|睡前|下班后|早上(?:都|一般|会)|晚上(?:都|一般|会)|工作日|周一到周五)[^，,]{0,6}?)(?P<v>[^，,].*)$",
)
def habit(m: Found, c: Clause) -> Iterator[Fact]:
    """我每天早上跑步。"""
    value = core(m["v"])
    if (
        re.search(r"^(?:觉得|想|感到|感觉|在想|说|忘|很?(?:累|忙|困|开心|烦))", value)
        or len(value) < 1
        or (c.when and not re.search(r"每|天天|经常|通常|总", c.plain))
    ):
        return
    yield c.fact(
        "habit",
        (m.groupdict().get("a") or m.groupdict().get("b") or "") + value,
        kind=Kind.WORKFLOW,
        entities=names(c.third()),
        when=None,
    )


@rule(
    r"^我(?:现在|后来|最近|已经|就|都|又|也|如今)*(?:改|换成?|转(?:而|去)?)(?:去|为|成|来)?(?P<v>(?:打|踢|学|吃|喝|用|玩|练|看|听|骑|坐|开|跑|做|写|弹|游)[^，,]{1,14})$"
)
def switched(m: Found, c: Clause) -> Iterator[Fact]:
    """改打羽毛球了。"""
    value = core(m["v"])
    yield c.fact("habit", value, f"用户现在改{value}了。", kind=Kind.PREFERENCE, entities=(thing(value),), when=None)


@rule(
    r"^我(?P<a>早上|晚上|一般)?(?:都|一般|通常|大概|习惯)*(?P<v>(?:\d+|[一二三四五六七八九十]+)点(?:半|多|左右|钟)?(?:起床|睡觉|睡|起|上班|下班))$"
)
def times(m: Found, c: Clause) -> Iterator[Fact]:
    """我六点起床。"""
    slot = "wake_time" if "起" in m["v"] else "sleep_time" if "睡" in m["v"] else "habit"
    yield c.fact(slot, m["v"], kind=Kind.WORKFLOW)


@rule(
    r"^我(?:终于|已经|刚|才|也|慢慢|渐渐)*(?:学到|明白|懂得|发现|意识到|体会到|领悟到|总结出|吸取)(?:了)?(?:一个)?(?:教训|道理)?[：:，,]?(?P<v>[^，,].{3,})$",
    r"^(?:教训|经验)(?:是|：|:)(?P<v>.{4,})$",
)
def lesson(m: Found, c: Clause) -> Iterator[Fact]:
    """我发现喝了咖啡就睡不好。"""
    yield c.fact("lesson", m["v"], kind=Kind.LESSON, entities=names(c.third()))


@rule(
    r"^我(?:家|们)?(?:也|还|现在|刚|新|最近|自己|已经|终于)*(?:有|买了?|入手了?|拥有|养了?)(?:一|两|三|了)?(?P<q>辆|台|部|套|把|架|支|块|间|家|栋|艘|盆|架|条船|匹)(?P<v>[^，,]{1,16})$",
    r"^我(?:的)?(?P<q>车|手机|电脑|相机|吉他|钢琴|房子|公司|店|学校|专业|网名|昵称|星座|生肖|鞋码|球队|偶像|座右铭|MBTI|mbti|幸运数字)(?:就)?(?:是|叫)(?P<v>[^，,]{1,20})$",
    r"^我(?:平时|现在)?(?P<q>开)(?:的是|着|一辆|的车是)(?:一辆)?(?P<v>[^，,]{2,14})$",
)
def possession(m: Found, c: Clause) -> Iterator[Fact]:
    """我有一辆特斯拉。"""
    value = core(m["v"])
    if re.match(r"(?:坏|丢|没|不|不见|很|太|好)", value):
        return
    single = bool(
        re.match(
            r"我(?:的)?(?:车|手机|电脑|相机|吉他|钢琴|房子|公司|店|学校|专业|网名|昵称|星座|生肖|鞋码|球队|偶像|座右铭|mbti|幸运数字)(?:就)?(?:是|叫)",
            c.plain,
            re.I,
        )
    )
    yield c.fact(
        f"attr:{m['q']}" if single else f"have:{m['q']}",
        value,
        kind=Kind.FACT,
        single=single,
        entities=names(c.third()) or (value,),
    )
