# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Chinese word lists and list splitting that several rule tables need. All in simplified characters."""

from __future__ import annotations

import re

RELATION = (
    r"(?:(?:大|小|二|三|最好的|好|最要好的|新|前|亲|表|堂|双胞胎|继|干|已故的|老|男|女|另一[个只条]|唯一的)?(?:妈妈|爸爸|父亲|母亲|老妈|老爸|父母|爸妈|妈|爸|哥哥|姐姐|弟弟|妹妹|哥|姐|弟|妹|老公|老婆|丈夫|妻子|太太|爱人|女朋友|男朋友|"
    r"女友|男友|对象|未婚妻|未婚夫|儿子|女儿|孩子|宝宝|闺女|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|舅舅|姑姑|姨妈|阿姨|伯伯|侄子|侄女|外甥女?|岳父|岳母|公公|婆婆|朋友|闺蜜|闺密|哥们儿?|兄弟|同事|同学|同桌|老板|上司|领导|经理|室友|邻居|老师|导师|教练|医生|"
    r"搭档|合伙人|小猫|小狗|猫咪|狗狗|猫|狗|宠物|兔子|仓鼠|鹦鹉|乌龟|金鱼|小鸟|柯基|金毛|柴犬|布偶|橘猫|英短|美短|泰迪|哈士奇))"
)
PETS = re.compile(r"(?:猫|狗|宠物|兔|鼠|鹦鹉|龟|鱼|鸟|柯基|金毛|柴犬|布偶|英短|美短|泰迪|哈士奇|咪)")
SHARED = re.compile(r"(?:朋友|同事|同学|邻居|猫|狗|宠物|孩子|阿姨|叔叔|哥们|老师|室友|表|堂|侄|外甥|鱼|医生)")
LANGUAGE = r"(?:英语|英文|日语|日文|韩语|韩文|法语|德语|西班牙语|俄语|意大利语|葡萄牙语|阿拉伯语|泰语|越南语|粤语|广东话|上海话|四川话|闽南语|台语|普通话|国语|中文|汉语|客家话|方言|荷兰语|瑞典语|手语|拉丁语|印地语)"
PROFESSION = (
    r"(?:[\u4e00-\u9fffA-Za-z+#]{0,8}(?:工程师|设计师|医生|护士|老师|教师|律师|会计|记者|编辑|经理|总监|程序员|公务员|研究员|分析师|咨询师|摄影师|厨师|司机|演员|歌手|作家|画家|音乐家|科学家|教授|学生|研究生|博士生?|硕士生?|高中生|初中生|大学生|本科生|"
    r"实习生|销售|运营|产品经理|翻译|导游|警察|军人|消防员|飞行员|空姐|空乘|模特|主播|博主|店主|老板|创始人|合伙人|CEO|CTO|HR|农民|工人|保安|快递员|外卖员|码农|自由职业者?|自媒体人?|全职妈妈|全职太太|家庭主妇|退休(?:工人|教师|人员)?|兽医|牙医|药剂师|建筑师|"
    r"架构师|測試|测试|前端|后端|开发|DBA|UP主|up主|插画师|理发师|美甲师|健身教练|教练|裁缝|木匠|电工|水手|法官|检察官|外交官|秘书|前台|客服|文员|顾问|交易员|经纪人|策划|导演|编剧|制片人|化妆师|咖啡师|调酒师|学徒|讲师|园丁|兽医|科研人员|讲解员|飞行员))"
)
CONDITION = r"(?:糖尿病|高血压|低血糖|哮喘|抑郁症|焦虑症|偏头痛|失眠(?:症)?|胃病|胃炎|鼻炎|过敏性鼻炎|心脏病|关节炎|湿疹|甲亢|甲减|痛风|颈椎病|腰椎间盘突出|腰疼|癌症|白血病|癫痫|自闭症|多动症|双相|强迫症|干眼症|近视|散光|色盲|色弱|贫血|地中海贫血|蚕豆病|乳糖不耐受?|幽闭恐惧症|恐高症|恐高|密集恐惧症)"
EVENT = (
    r"(?:面试|考试|期末考|期中考|高考|考研|会议|例会|周会|晨会|开会|约会|聚会|聚餐|饭局|婚礼|葬礼|手术|体检|复查|复诊|看牙医|看牙|牙医|看病|看医生|航班|飞机|火车|高铁|演讲|演示|答辩|比赛|演出|演唱会|音乐会|话剧|电影|课|培训|评审会?议?|汇报|发布会|"
    r"截止日期|截止|deadline|ddl|DDL|旅行|旅游|出差|搬家|派对|生日会|生日派对|家长会|电话会议?|视频会议|预约|挂号|开学|毕业典礼|典礼|入职|报到|值班|加班|团建|年会|马拉松|路演|笔试|签证|体测|展览|讲座|直播|产检|相亲|拍照|录制|上线|会)"
)
SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧"
_TAIL = re.compile(
    r"(?:[，,]?(?:因为|所以|但是?|不过|可是|虽然|如果|尤其是?|特别是|比如|的时候|之类|什么的|等等).*)$"
)
_LOOSE = re.compile(r"(?:了|的|呢|啊|呀|哦|噢|啦|嘛|吧|哈|诶|耶|哟|的说|来着|而已|罢了|一直|吗|～|~|！|!|。|\s)+$")
_ACT = re.compile(r"^去?(?:[吃喝](?=.)|(?:看|听|玩|弹|养|追|逛|收集|收藏)(?=..)|(?:打|踢)(?=.{1,2}球))")
_KEEP = re.compile(r"^(?:做(?:饭|菜|梦|工|事)|看(?:书|海|云|日出|日落)|玩具|听话|吃辣|吃苦|吃饭|喝水|养生|吃醋)")


def core(value: str) -> str:
    """A value without reasons and particles: 拉面了，因为…… → 拉面."""
    value = _TAIL.sub("", value.strip(" ，,。、"))
    while (shorter := _LOOSE.sub("", value).strip(" ，,。、的")) != value:
        value = shorter
    return value


def thing(value: str) -> str:
    """What is liked, without the verb: 吃拉面 and 拉面 are one taste; 写代码 stays."""
    value = re.sub(r"^(?:一[个只条种杯碗]|这种|那种|各种|所有的?)", "", value)
    if _KEEP.match(value):
        return value
    return _ACT.sub("", value) or value


def items(value: str) -> list[str]:
    """A list said in one breath: 拉面、寿司和烤肉."""
    value = core(value)
    parts = [
        p.strip()
        for p in re.split(
            r"[、，,/]+(?:和|还有|以及|与|跟|及|也|还)?|(?<=[\u4e00-\u9fffA-Za-z0-9])(?:以及|还有|和|与|跟|及|或者?)(?=[\u4e00-\u9fffA-Za-z0-9])",
            value,
        )
    ]
    parts = [re.sub(r"^(?:也|还|都|和)(?=[\u4e00-\u9fff]{2})", "", p) for p in parts if p]
    together = re.search(
        r"(?:和|跟|与)(?:朋友|家人|大家|你|他|她|孩子|爸妈|父母|同事|老公|老婆|狗|猫|男友|女友|男朋友|女朋友)", value
    )
    if together or len(parts) < 2 or len(parts) > 12 or any(len(p) > 12 for p in parts):
        return [value] if value else []
    verb = re.match(r"(?:吃|喝|看|听|玩|打)", parts[0])
    if verb and all(
        not re.match(r"(?:吃|喝|看|听|玩|打|去|做|跑|游|画|唱|跳|爬|读|写|弹|逛|骑|睡)", p) for p in parts[1:]
    ):
        parts = [parts[0], *(verb[0] + p for p in parts[1:])]
    return parts


def names(text: str) -> tuple[str, ...]:
    """Latin names, titles in 《》 and what follows 叫 in a Chinese sentence."""
    found = re.findall(
        r"《([^》]{1,30})》|(?:叫做?|名字是|名叫)([\u4e00-\u9fffA-Za-z·]{1,10})|([A-Z][A-Za-z0-9+.#-]*(?: [A-Z][A-Za-z0-9+.#-]*)*)",
        text,
    )
    flat = ["".join(f) for f in found]
    return tuple(dict.fromkeys(f for f in flat if f))[:6]
