"""Chinese: allergies, diet, health, marriage, contact. 过敏、饮食、健康、婚姻、联系方式。"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Found, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import CONDITION, core, items, names
from bot.llm.companion.self_zh import ADV
from memory.models import Importance, Kind

rule = Rules(shadow=True)


HIGH, MEDIUM, LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW


@rule(
    r"^我(?P<a>(?:从小|一直|也|还|就|天生|其实|有点|严重|现在|已经|会|是|不再|不会|已经不|还会|平时)*)对(?P<v>[^，,]{1,30}?)(?:都|会|也|有点|严重|非常|很|特别|有些|轻微|重度)*(?P<no>不|不再)?过敏(?:了)?$",
    r"^我(?P<a>有|是)?(?:严重的?|轻微的?)?(?P<v>[\u4e00-\u9fff]{2,6}?)(?P<no>)过敏(?:症|史|体质)?$",
    r"^我(?P<a>)(?:一)?(?:吃|喝|闻|碰)(?:了|到)?(?P<v>[^，,]{1,12}?)(?:就|会|都)+(?P<no>)(?:过敏|起疹子)$",
    r"^我(?:的)?过敏[源原](?:是|有)(?P<a>)(?P<v>.+)(?P<no>)$",
)
def allergy(m: Found, c: Clause) -> Iterator[Fact]:
    """我对花生和海鲜过敏：一样一条。"""
    found = [re.sub(r"(?:都|也|会|有点|严重)+$", "", i) for i in items(m["v"])]
    for item in found:
        if not item or item in {"不", "没有", "什么", "皮肤", "容易"}:
            continue
        no = bool(m["no"]) or bool(re.search(r"不(?:再|会)?对|已经不|不过敏", c.plain))
        text = None if len(found) == 1 else c.third(f"我对{item}{'不' if no else ''}过敏")
        yield c.fact(
            "allergy",
            item,
            text,
            kind=Kind.IDENTITY,
            importance=HIGH,
            holds=not no and not c.denied and not c.ended,
            sensitivity=1,
            entities=(item,),
        )


@rule(
    rf"^我{ADV}(?:是|吃)?(?:个|一个|一名)?(?P<v>素食主义者|素食者|素食|吃素|全素|纯素|蛋奶素|清真(?:饮食)?|生酮饮食|低碳饮食|无麸质饮食|乳糖不耐(?:受|症)?|麸质不耐受?)(?:的|者|了)*$"
)
def diet(m: Found, c: Clause) -> Iterator[Fact]:
    """我吃素。"""
    yield c.fact("diet", "素食" if "素" in m["v"] else m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1)


@rule(
    rf"^我{ADV}(?:从来?|一点都?|平时|基本|绝对|晚上|现在)*(?:都|也)?不(?:能|可以|太能|怎么|会|敢|太)?(?P<h>吃|喝|抽|沾|碰)(?P<v>[^，,]{{1,16}}?)(?:的)?$",
    rf"^我{ADV}戒(?P<h>)(?:了|掉了?)*(?P<v>烟|酒|糖|咖啡|奶茶|甜食|游戏|肉)(?:了)?$",
    r"^我(?P<h>抽)(?P<v>烟)$",
)
def abstains(m: Found, c: Clause) -> Iterator[Fact]:
    """我不吃香菜；我不喝酒。"""
    if re.match(r"(?:早饭|午饭|晚饭|早餐|饭|东西|完|饱|下|得|到|惯|了)", m["v"]) and not re.match(
        r"(?:早饭|早餐|晚饭)", m["v"]
    ):
        return
    found = items(m["v"])
    for item in found:
        text = None if len(found) == 1 else c.third(f"我不{m['h']}{item}")
        yield c.fact(
            f"diet:{'eat' if m['h'] in {'吃', '沾', '碰'} else 'drink'}",
            item,
            text,
            kind=Kind.PREFERENCE,
            holds=not re.search(r"不|戒", c.plain),
            sensitivity=1,
            entities=(item,),
        )


@rule(
    r"^我.{0,12}?(?P<h>抽|吸|喝|吃|玩|赌)(?P<v>[^，,了过]{1,6}?)(?:[了过].{0,6})?[，,].{0,10}?(?:戒(?:掉)?|不(?P=h))(?:掉)?了?$"
)
def gave_up(m: Found, c: Clause) -> Iterator[Fact]:
    """我以前抽烟，后来戒了。"""
    what = f"diet:{'eat' if m['h'] == '吃' else 'drink'}" if m["h"] in {"抽", "吸", "喝", "吃"} else "habit"
    yield c.fact(
        what, core(m["v"]), kind=Kind.PREFERENCE, holds=False, sensitivity=1, entities=(core(m["v"]),), when=None
    )


@rule(
    rf"^我{ADV}(?:有|得了|患有|患了|确诊了?|被诊断出?(?:为|有)?|一直有)(?:点|轻微的?|严重的?|慢性|先天性)*(?P<v>{CONDITION})(?:了)?$",
    rf"^我{ADV}(?:是)?(?:个)?(?P<v>怀孕|近视|色盲|色弱|恐高|贫血|左撇子|乳糖不耐受?|晕车|晕船|失眠)(?:了|的)*$",
    r"^我(?:的)?血型是(?P<v>[ABO]{1,2}型?(?:血)?)$",
    r"^我是(?P<v>[ABO]{1,2}型)血$",
    r"^我(?:在|每天|一直)*吃(?P<v>[^，,]{0,6}(?:药|胰岛素|维生素))$",
)
def health(m: Found, c: Clause) -> Iterator[Fact]:
    """我有哮喘。"""
    yield c.fact(
        f"health:{m['v']}", m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1 if "撇" in m["v"] else 2
    )


@rule(
    rf"^我{ADV}(?:和.{{1,6}})?(?P<v>结婚|已婚|未婚|单身|离婚|离异|订婚|分手|恋爱|脱单|有男朋友|有女朋友|有对象|谈恋爱|失恋)(?:了|的|中|\d+年了?|.{{0,4}}年了?)*$"
)
def marital(m: Found, c: Clause) -> Iterator[Fact]:
    """我结婚了。"""
    if c.when and not c.when.over(c.at) and re.search(r"要|准备|打算", c.plain):
        return
    yield c.fact("marital", m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1)


@rule(
    r"^我(?:的)?(?:家庭|公司|联系)?(?P<k>电话|手机号?|邮箱|邮件|地址|微信|QQ)(?:号码?|地址)?(?:是|：|:)(?P<v>\S.*)$"
)
def contact(m: Found, c: Clause) -> Iterator[Fact]:
    """我的邮箱是……：私密。"""
    if m["k"].startswith("手机") and not re.search(r"\d{5}", m["v"]):
        return
    slot = {
        "电话": "phone",
        "手机": "phone",
        "手机号": "phone",
        "邮箱": "email",
        "邮件": "email",
        "地址": "address",
    }.get(m["k"], f"attr:{m['k']}")
    yield c.fact(slot, core(m["v"]), kind=Kind.FACT, importance=HIGH, sensitivity=2)


@rule(
    r"^我(?:的)?身高(?:是|有)?(?P<v>[\d.]+ ?(?:cm|厘米|米|公分)?\d*)$",
    r"^我(?:的)?(?P<w>体重)(?:是|有)?(?P<v>\d+ ?(?:kg|公斤|斤|千克)?)$",
    r"^我(?P<v>\d{3} ?(?:cm|厘米|公分))(?:高)?$",
)
def body(m: Found, c: Clause) -> Iterator[Fact]:
    """我身高180cm。"""
    yield c.fact(
        "weight" if "体重" in c.plain or "體重" in c.plain else "height",
        m["v"],
        kind=Kind.FACT,
        sensitivity=1,
        entities=names(c.third()),
    )


@rule(
    r"^我(?:是)?属(?P<v>[鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?$",
    r"^我是(?P<v>(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|水瓶|双鱼)座)(?:的)?$",
)
def sign(m: Found, c: Clause) -> Iterator[Fact]:
    """我属兔；我是天蝎座。"""
    yield c.fact("sign:" + ("座" if "座" in m["v"] else "属"), m["v"], kind=Kind.IDENTITY, single=True)
