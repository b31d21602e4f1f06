"""Chinese: who somebody is. 姓名、年龄、生日、住处、籍贯、工作、学业、健康、联系方式。"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import HOLE, Clause, Found, Rules
from bot.llm.companion.dates_zh import NUMBER, number
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import CONDITION, PROFESSION, SURNAMES, core, items, names
from memory.models import Importance, Kind

rule = Rules(shadow=True)
HIGH, MEDIUM, LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW
ADV = r"(?:现在|目前|已经|一直|也|都|还|刚刚?|就|其实|最近|真的|今年|终于|后来|从小|曾经?|是|本来|依然|仍然|又|马上|快|才|平时|只|确实|正|暂时|即将|最后|原来|主要|一般|大概|差不多|当时|之前|以前|小时候)*"
_NAME = r"(?P<v>[\u4e00-\u9fff·]{1,8}|[A-Za-z][\w .'-]{0,30})"
_NOT_NAME = re.compile(r"^(?:了|过|个|一|你|他|她|它|我|不|什么|外卖|车|滴滴|人|大家|号|得|醒|停|板|声|好|啥|谁|这|那)|(?:外卖|的人)$")


def _name(m: Found, c: Clause, slot: str) -> Iterator[Fact]:
    value = core(m["v"])
    if value and not _NOT_NAME.search(value):
        yield c.fact(slot, value, kind=Kind.IDENTITY, importance=HIGH, entities=(value,))


@rule(rf"^我(?:的)?(?:名字|姓名|大名|全名|真名|本名|中文名|英文名){ADV}(?:是|叫做?|为)?(?:叫)?{_NAME}$", rf"^我{ADV}(?:名叫|叫做?)(?!我){_NAME}$", rf"^(?:大家|朋友们?|他们|别人|家里人)都?(?:叫|喊)我{_NAME}$")
def name(m: Found, c: Clause) -> Iterator[Fact]:
    """我叫小明。"""
    yield from _name(m, c, "nickname" if "都叫我" in c.plain or "们叫我" in c.plain else "name")


@rule(rf"^我姓(?P<v>[\u4e00-\u9fff])(?:[，,]?名?叫?(?P<g>[\u4e00-\u9fff]{{1,3}}))?$")
def surname(m: Found, c: Clause) -> Iterator[Fact]:
    """我姓王。"""
    value = m["v"] + (m["g"] or "")
    yield c.fact("name" if m["g"] else "surname", value, kind=Kind.IDENTITY, importance=HIGH, single=True, entities=(value,))


@rule(rf"^(?:以后|今后)?(?:请|你)?(?:们)?(?:可以|就|直接|都|能)*(?:叫|喊|称呼)我(?:为|作|做|一声)?{_NAME}(?:就(?:行|好|可以)了?|吧|好了)*$", rf"^我(?:喜欢|想|希望)(?:你|被|大家|别人)*(?:叫|称呼|喊)(?:我|作|为|做)*{_NAME}$")
def nickname(m: Found, c: Clause) -> Iterator[Fact]:
    """叫我阿明就行。"""
    value = re.sub(r"(?:就(?:行|好|可以)了?|吧|好了)+$", "", core(m["v"]))
    if value and not _NOT_NAME.search(value):
        yield c.fact("nickname", value, f"用户希望被称呼为{value}。", kind=Kind.IDENTITY, importance=HIGH, entities=(value,))


@rule(rf"^我是(?P<v>(?:小|阿|老|大)[\u4e00-\u9fff]{{1,2}}|[{SURNAMES}][\u4e00-\u9fff]{{1,2}}|[A-Z][a-z]+(?: [A-Z][a-z]+)?)$")
def name_short(m: Found, c: Clause) -> Iterator[Fact]:
    """我是王芳。"""
    value = m["v"]
    if not re.search(r"[师员生人者家工手族]$|小白|老外|老人|大人|大二|大一|大三|大四|高一|高二|高三|单身|白领|金牛|马上|老大|小孩|大众|文盲|常客|高管|石女|方便|万能|老手|老二|小三", value) and not re.fullmatch(PROFESSION, value):
        yield c.fact("name", value, f"用户叫{value}。", kind=Kind.IDENTITY, importance=HIGH, entities=(value,))


@rule(rf"^我(?:的)?{ADV}(?:年龄是?)?(?:有|满|刚满|快|马上)*(?P<v>{NUMBER})(?:周岁|岁)(?:半|多)?(?:了)?$", rf"^我(?:的)?年龄是?(?P<v>{NUMBER})$")
def age(m: Found, c: Clause) -> Iterator[Fact]:
    """我今年28岁。"""
    value = str(number(m["v"]))
    if 0 < int(value) < 130:
        yield c.fact("age", value, f"用户{value}岁。", kind=Kind.IDENTITY)


@rule(r"^我(?:的)?生日(?:就)?(?:是|在)?(?:农历|阴历|阳历)?(?P<v>.*)$", r"^我(?:是)?(?:出生|生的?|生人|出生的)(?:于|在)?(?P<v>)$", r"^(?P<v>)是我(?:的)?生日$")
def birthday(m: Found, c: Clause) -> Iterator[Fact]:
    """我的生日是三月三号。"""
    w, source = c.when, str(c.extra.get("source", ""))
    if re.search(r"农历|農曆|阴历|陰曆", source):
        said = re.sub(r"^.*?(?=农历|農曆|阴历|陰曆)", "", source).strip("，。 了")
        yield c.fact("birthday", said, f"用户的生日是{said}。", kind=Kind.IDENTITY, importance=HIGH, when=None)
    elif w is None or (m["v"] and core(m["v"])):
        return
    elif re.search(r"(?:19|20)\d\d年?", source) or w.grain in {"year", "month"}:
        day = f"{w.at.year}年" + (f"{w.at.month}月" if w.grain != "year" else "") + (f"{w.at.day}日" if w.grain == "day" else "")
        yield c.fact("birthday", day, f"用户出生于{day}。", kind=Kind.IDENTITY, importance=HIGH, when=None)
    elif w.grain in {"day", "minute"}:
        day = f"{w.at.month}月{w.at.day}日"
        yield c.fact("birthday", day, f"用户的生日是{day}。", kind=Kind.IDENTITY, importance=HIGH, when=None)


@rule(rf"^我{ADV}(?:从(?P<old>[^搬]{{1,10}}))?(?:搬家?|迁|移居|移民)(?:到|去|来|进|至|回)?(?:了)?(?P<v>[^了，,]{{2,16}})(?:了|住了?|来了|去了|生活了?|定居了?)*$")
def moved(m: Found, c: Clause) -> Iterator[Fact]:
    """我搬到杭州了。"""
    place = core(m["v"])
    if place in {"家", "新家", "走", "出来", "出去"} or re.search(r"要|想|打算|准备", c.plain[: c.plain.find(place)]):
        return
    since = f"（{c.fill(c.text[i : i + 1])}搬来）" if (h := HOLE.search(c.text)) and c.when and c.when.at <= c.at and (i := h.start()) >= 0 else ""
    yield c.fact("home", place, f"用户住在{place}{since}。", kind=Kind.IDENTITY, importance=HIGH, entities=(place,))


@rule(rf"^我(?:家|们家?)?(?P<not>不)?{ADV}(?:不)?(?:住在|居住在|居住于|定居在?|家住|住)(?:了)?(?P<v>[^了，,]{{1,24}})(?:了)?$", rf"^我(?:的)?家{ADV}(?:在|是在)(?P<not>)(?P<v>[^，,了]{{2,16}})$", rf"^我{ADV}在(?P<not>)(?P<v>[^，,]{{2,10}}?)(?:生活|定居|居住|住)(?:了.{{0,6}})?$")
def home(m: Found, c: Clause) -> Iterator[Fact]:
    """我住在上海。"""
    place = core(re.sub(r"^(?:在|的是)", "", m["v"]))
    if not place or re.match(r"(?:校|院|宿舍|一起|得|不|过|进|在一起|了)", place) or re.search(r"不(?:在|住)", c.plain):
        return
    if re.search(r"以前|曾经|小时候|之前", c.plain):
        yield c.fact("past:home", place, kind=Kind.FACT, importance=LOW, entities=(place,))
    elif re.search(r"\d+\s*(?:号|栋|室|弄|楼|单元)|(?:路|街|小区|胡同|弄)\S*\d", place):
        yield c.fact("address", place, kind=Kind.IDENTITY, importance=HIGH, sensitivity=2)
    else:
        plain = c.third() if c.here or len(place) > 10 else f"用户住在{place}。"
        yield c.fact("home", place, plain, kind=Kind.IDENTITY, importance=HIGH, entities=(place,))


@rule(rf"^我{ADV}来自(?P<v>.{{1,16}})$", r"^我(?:的)?(?:老家|家乡|故乡|籍贯)(?:就)?(?:是|在)?(?P<v>[^，,]{2,12})(?:的)?$", r"^我(?:出生|生)(?:在|于)(?P<v>[^\d，,]{2,12})$", rf"^我{ADV}(?:在)(?P<v>[^，,]{{2,10}}?)(?:出生|长大)(?:的)?$", r"^我是从(?P<v>[^，,]{2,10})来的?$",
      r"^我是(?:土生土长的|地道的?)?(?P<v>[\u4e00-\u9fff]{2,6}(?<!好)(?<!坏)(?<!女)(?<!男))人$")
def origin(m: Found, c: Clause) -> Iterator[Fact]:
    """我来自成都；我是四川人。"""
    place = core(m["v"])
    if re.search(r"成年|年轻|普通|打工|老年|内向|外向|素食|负责|工作|过来|当事|单亲|主持|本地|好|坏|管理|同龄|奇怪|简单|那种|这样|什么样|懒|聪明|善良|乐观|悲观|理性|感性|中间|外地|爱狗|爱猫|现代|城里|乡下|农村|媒体|文艺|男|女|个|的", place) and len(c.plain) > 4 and c.plain.endswith(("人", "人。")):
        return
    nation = bool(re.fullmatch(r"(?:中国|美国|日本|韩国|英国|法国|德国|加拿大|澳大利亚|新加坡|马来西亚|泰国|越南|印度|俄罗斯|意大利|西班牙|巴西|墨西哥|台湾|香港)", place)) and c.plain.endswith("人")
    yield c.fact("nationality" if nation else "origin", place, kind=Kind.IDENTITY, entities=(place,))


@rule(rf"^我{ADV}(?:被)?(?P<v>辞职|离职|失业|裁员?|裁掉|开除|炒鱿鱼|退休)(?:了)$", rf"^我{ADV}(?:从)(?P<e>.{{1,12}})(?P<v>辞职|离职)(?:了)$")
def job_lost(m: Found, c: Clause) -> Iterator[Fact]:
    """我辞职了。"""
    yield Fact(c.third(), "zh", "job", "", Kind.FACT, HIGH, holds=False, ended=True, sensitivity=1, when=c.when)


@rule(rf"^我{ADV}在(?P<e>[^，,]{{2,16}}?)(?:里|那边)?(?:当|做|担任|任)(?:一[名个位])?(?P<v>{PROFESSION}|[^，,的]{{2,10}})$")
def job_at(m: Found, c: Clause) -> Iterator[Fact]:
    """我在腾讯当产品经理。"""
    value, boss = core(m["v"]), core(m["e"])
    if re.match(r"(?:家|梦里|学校里?做|厨房)", boss) or re.match(r"(?:饭|菜|作业|梦|事|什么|运动|瑜伽|实验)", value):
        return
    yield c.fact("job", value, f"用户是{value}。", kind=Kind.IDENTITY, importance=HIGH, sensitivity=1)
    yield c.fact("employer", boss, f"用户在{boss}工作。", kind=Kind.FACT, entities=(boss,), sensitivity=1)


@rule(rf"^我{ADV}在(?P<v>[^，,]{{2,20}}?)(?:里|那边)?(?:工作|上班|任职|就职|打工|实习|供职)(?:了.{{0,6}})?$", rf"^我{ADV}(?:入职|加入|跳槽)(?:到|去|了)*(?P<v>[^，,了]{{2,14}})(?:了|上班|工作)*$", rf"^我{ADV}(?:为|给)(?P<v>[^，,]{{2,14}}?)(?:工作|打工)$", r"^我(?:的)?(?:公司|单位)(?:是|叫)(?P<v>[^，,]{2,16})$")
def employer(m: Found, c: Clause) -> Iterator[Fact]:
    """我在腾讯上班。"""
    value = core(m["v"])
    if re.match(r"(?:家|周末|晚上|白天|早上|努力|认真|外面|加班|线上)", value):
        yield c.fact("habit", c.plain.removeprefix("我"), kind=Kind.WORKFLOW)
        return
    place = bool(re.fullmatch(r"[\u4e00-\u9fff]{2,3}(?:市|省)?", value)) and value in {"北京", "上海", "广州", "深圳", "杭州", "成都", "南京", "武汉", "西安", "重庆", "苏州", "天津", "香港", "台北", "新加坡", "东京", "伦敦", "纽约", "巴黎"}
    yield c.fact("work_place" if place else "employer", value, kind=Kind.FACT, entities=(value,), sensitivity=1)


@rule(rf"^我(?:现在|目前|就|以前)?是(?:一[名个位])?(?P<e>[^，,]{{2,10}}?的)?(?P<v>{PROFESSION})(?:了)?$", rf"^我(?:的)?(?:职业|工作|本职工作|岗位){ADV}(?:是|为)(?:一[名个位])?(?P<e>)(?P<v>[^，,]{{2,14}})$", rf"^我{ADV}(?:当|当上了?|成为了?|升为了?|升职?成了?)(?:一[名个位])?(?P<e>)(?P<v>{PROFESSION})(?:了)?$",
      rf"^我{ADV}(?:从事|做)(?:的是)?(?P<e>)(?P<v>[^，,了]{{2,10}}?)(?:工作|行业|这一?行|方面的工作|的)?(?:的)?$")
def job(m: Found, c: Clause) -> Iterator[Fact]:
    """我是一名护士；我是做设计的。"""
    value = core(m["v"])
    if re.match(r"(?:饭|菜|作业|梦|事|什么|运动|瑜伽|家务|了|得|不|过|一|到|好|完|错|决定|准备|实验|手术|个|人)", value) or re.search(r"以前|曾", c.plain[:5]):
        return
    if re.search(r"做", c.plain[:6]) and not re.search(r"的$|工作|行业|这一?行|从事", c.plain) and not re.fullmatch(PROFESSION, value):
        return
    place = core((m["e"] or "").rstrip("的"))
    text = None if not place else f"用户是{place}的{value}。"
    yield c.fact("job", value, text, kind=Kind.IDENTITY, importance=HIGH, sensitivity=1, entities=(place,) if place else ())


@rule(rf"^我{ADV}(?:在|于)(?P<s>[^，,]{{0,14}}?(?:大学|学院|中学|高中|初中|小学|学校|理工|师大|北大|清华|复旦))(?:读|念|上|学|就读|学习|攻读)?(?:书|学|的?是?)?(?P<v>[^，,]{{0,12}})$", rf"^我(?:的)?专业是(?P<s>)(?P<v>[^，,]{{2,12}})$", rf"^我{ADV}(?:主修|攻读|学的是|读的是|学|读)(?P<s>)(?P<v>[^，,]{{2,10}}?)(?:专业|系)?(?:的)$", rf"^我{ADV}(?:主修|攻读|读)(?P<s>)(?P<v>[^，,]{{2,12}}?)(?:专业)?$", rf"^我{ADV}(?:毕业于|就读于|考上了?)(?P<s>[^，,]{{2,14}})(?P<v>)$")
def study(m: Found, c: Clause) -> Iterator[Fact]:
    """我在北大读计算机。"""
    value, school = core(m["v"] or ""), core(m["s"] or "")
    if re.match(r"(?:书|过|了|完|得|不|会|到|小说|论文|一本|这本|那本|《)", value) or not (value or school):
        return
    if value and not re.match(r"(?:食堂|图书馆|门口|附近|里|工作|教|当|上班)", value):
        yield c.fact("study", re.sub(r"专业$", "", value), kind=Kind.FACT, sensitivity=1, entities=(school,) if school else ())
    elif school and not value:
        yield c.fact("past:school" if "毕业" in c.plain else "school", school, kind=Kind.FACT, sensitivity=1, entities=(school,))


@rule(r"^我(?P<a>(?:从小|一直|也|还|就|天生|其实|有点|严重|现在|已经|会|是|不再|不会|已经不|还会|平时)*)对(?P<v>[^，,]{1,30}?)(?:都|会|也|有点|严重|非常|很|特别|有些|轻微|重度)*(?P<no>不|不再)?过敏(?:了)?$", r"^我(?P<a>有|是)?(?:严重的?|轻微的?)?(?P<v>[\u4e00-\u9fff]{2,6}?)(?P<no>)过敏(?:症|史|体质)?$", r"^我(?P<a>)(?:一)?(?:吃|喝|闻|碰)(?:了|到)?(?P<v>[^，,]{1,12}?)(?:就|会|都)+(?P<no>)(?:过敏|起疹子)$", r"^我(?:的)?过敏[源原](?:是|有)(?P<a>)(?P<v>.+)(?P<no>)$")
def allergy(m: Found, c: Clause) -> Iterator[Fact]:
    """我对花生和海鲜过敏：一样一条。"""
    found = [re.sub(r"(?:都|也|会|有点|严重)+$", "", i) for i in items(m["v"])]
    for item in found:
        if not item or item in {"不", "没有", "什么", "皮肤", "容易"}:
            continue
        no = bool(m["no"]) or bool(re.search(r"不(?:再|会)?对|已经不|不过敏", c.plain))
        text = None if len(found) == 1 else c.third(f"我对{item}{'不' if no else ''}过敏")
        yield c.fact("allergy", item, text, kind=Kind.IDENTITY, importance=HIGH, holds=not no and not c.denied and not c.ended, sensitivity=1, entities=(item,))


@rule(rf"^我{ADV}(?:是|吃)?(?:个|一个|一名)?(?P<v>素食主义者|素食者|素食|吃素|全素|纯素|蛋奶素|清真(?:饮食)?|生酮饮食|低碳饮食|无麸质饮食|乳糖不耐(?:受|症)?|麸质不耐受?)(?:的|者|了)*$")
def diet(m: Found, c: Clause) -> Iterator[Fact]:
    """我吃素。"""
    yield c.fact("diet", "素食" if "素" in m["v"] else m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1)


@rule(rf"^我{ADV}(?:从来?|一点都?|平时|基本|绝对|晚上|现在)*(?:都|也)?不(?:能|可以|太能|怎么|会|敢|太)?(?P<h>吃|喝|抽|沾|碰)(?P<v>[^，,]{{1,16}}?)(?:的)?$", rf"^我{ADV}戒(?P<h>)(?:了|掉了?)*(?P<v>烟|酒|糖|咖啡|奶茶|甜食|游戏|肉)(?:了)?$", r"^我(?P<h>抽)(?P<v>烟)$")
def abstains(m: Found, c: Clause) -> Iterator[Fact]:
    """我不吃香菜；我不喝酒。"""
    if re.match(r"(?:早饭|午饭|晚饭|早餐|饭|东西|完|饱|下|得|到|惯|了)", m["v"]) and not re.match(r"(?:早饭|早餐|晚饭)", m["v"]):
        return
    found = items(m["v"])
    for item in found:
        text = None if len(found) == 1 else c.third(f"我不{m['h']}{item}")
        yield c.fact(f"diet:{'eat' if m['h'] in {'吃', '沾', '碰'} else 'drink'}", item, text, kind=Kind.PREFERENCE, holds=not re.search(r"不|戒", c.plain), sensitivity=1, entities=(item,))


@rule(rf"^我{ADV}(?:有|得了|患有|患了|确诊了?|被诊断出?(?:为|有)?|一直有)(?:点|轻微的?|严重的?|慢性|先天性)*(?P<v>{CONDITION})(?:了)?$", rf"^我{ADV}(?:是)?(?:个)?(?P<v>怀孕|近视|色盲|色弱|恐高|贫血|左撇子|乳糖不耐受?|晕车|晕船|失眠)(?:了|的)*$", r"^我(?:的)?血型是(?P<v>[ABO]{1,2}型?(?:血)?)$", r"^我是(?P<v>[ABO]{1,2}型)血$", r"^我(?:在|每天|一直)*吃(?P<v>[^，,]{0,6}(?:药|胰岛素|维生素))$")
def health(m: Found, c: Clause) -> Iterator[Fact]:
    """我有哮喘。"""
    yield c.fact(f"health:{m['v']}", m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1 if "撇" in m["v"] else 2)


@rule(rf"^我{ADV}(?:和.{{1,6}})?(?P<v>结婚|已婚|未婚|单身|离婚|离异|订婚|分手|恋爱|脱单|有男朋友|有女朋友|有对象|谈恋爱|失恋)(?:了|的|中|\d+年了?|.{{0,4}}年了?)*$")
def marital(m: Found, c: Clause) -> Iterator[Fact]:
    """我结婚了。"""
    if c.when and not c.when.over(c.at) and re.search(r"要|准备|打算", c.plain):
        return
    yield c.fact("marital", m["v"], kind=Kind.IDENTITY, importance=HIGH, sensitivity=1)


@rule(r"^我(?:的)?(?:家庭|公司|联系)?(?P<k>电话|手机号?|邮箱|邮件|地址|微信|QQ)(?:号码?|地址)?(?:是|：|:)(?P<v>\S.*)$")
def contact(m: Found, c: Clause) -> Iterator[Fact]:
    """我的邮箱是……：私密。"""
    if m["k"].startswith("手机") and not re.search(r"\d{5}", m["v"]):
        return
    slot = {"电话": "phone", "手机": "phone", "手机号": "phone", "邮箱": "email", "邮件": "email", "地址": "address"}.get(m["k"], f"attr:{m['k']}")
    yield c.fact(slot, core(m["v"]), kind=Kind.FACT, importance=HIGH, sensitivity=2)


@rule(r"^我(?:的)?身高(?:是|有)?(?P<v>[\d.]+ ?(?:cm|厘米|米|公分)?\d*)$", r"^我(?:的)?(?P<w>体重)(?:是|有)?(?P<v>\d+ ?(?:kg|公斤|斤|千克)?)$", r"^我(?P<v>\d{3} ?(?:cm|厘米|公分))(?:高)?$")
def body(m: Found, c: Clause) -> Iterator[Fact]:
    """我身高180cm。"""
    yield c.fact("weight" if "体重" in c.plain or "體重" in c.plain else "height", m["v"], kind=Kind.FACT, sensitivity=1, entities=names(c.third()))


@rule(r"^我(?:是)?属(?P<v>[鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?$", r"^我是(?P<v>(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|水瓶|双鱼)座)(?:的)?$")
def sign(m: Found, c: Clause) -> Iterator[Fact]:
    """我属兔；我是天蝎座。"""
    yield c.fact("sign:" + ("座" if "座" in m["v"] else "属"), m["v"], kind=Kind.IDENTITY, single=True)
