# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Chinese words that decide how sentences are compared: dropped, with a role, numbers, times, units."""

from __future__ import annotations

import re
from typing import Final

# Particles, fillers, and what stands or is left out without a difference.
DROPPED: Final = re.compile(
    r"其实|真的|非常|特别|比较|目前|现在|已经|正在|(?<![去来买卖见])了|[着的地得呢吧啊哦嗯呀嘛啦喔欸在就都还很挺蛮]"
)
ROLES: Final = frozenset("我从到去来给向对跟比把被让替借还送卖买教学前后左右上下东南西北大小多少内外里先再不没别只")
COORDINATORS: Final = frozenset("和与及或也、")
RESPECTIVELY: Final = "分别"
TIMES: Final = frozenset("每前后时天年月周晚早")
# fmt: off
FORMS: Final = (
    *((re.compile(word), form) for word, form in (pair.split("→") for pair in "没有→没 俩→两个 仨→三个 早晨→早上 天天→每天 每日→每天 叫作→叫做 自从→从 以及→和 想要→想 从来没→从没 从来不→从不 小孩子→孩子 小孩→孩子 星期→周 礼拜→周 每个周→每周 每逢周→每周 每个月→每月 之前→前 以前→前 之后→后 以后→后".split())),  # noqa: SIM905 - words read as words
    (re.compile(r"^(?:(?:嗯|呃|啊|哦|对了|那个|说实话|老实说|话说|其实|就是|顺便说一?下?|跟你说|告诉你|请?记住|请?记一?下|麻烦你?)[，,：:\s]{0,2}){1,3}|^请(?=[用叫别不称尽直说回])"), ""),
    (re.compile(r"(?:就好|就行|就可以|谢谢|哈)\W{0,2}$|(?<![一上下])一下(?![子雨班])|请(?=简|尽量|直接)|^(?:我们?|咱们?)家的?(?=[狗猫])|超(?=讨厌|喜欢|爱|怕|想)|十分|超级|相当|反正|平时|(?<=[玩点事会块这那哪歌花])儿(?![子女童科歌媳])"), ""),
    (re.compile(r"([试看聊走听])\1"), r"\1"),
    (re.compile(r"的?名字?(?:叫|是)"), "叫"),
    (re.compile(r"([英日法德俄韩])文(?![化字学明艺章件具])"), r"\1语"),
    (re.compile(r"(?:每隔[一1]|每[两二2])个?([天周])(?![一二三四五六日天末])"), r"隔\1"),
    (re.compile(r"(?:每|(?<![隔第])[一1]个?)([天周月年])(?![一二三四五六日天末])(?=[^，。]{1,8}[次遍趟杯片粒颗顿])"), r"每\1"),
    (re.compile(r"(打算|经常|通常|一般|总是)(每天|周末|[今明后][年天]|下个?[月周]|[早晚]上)"), r"\2\1"),
    (re.compile(r"(?:用户|使用者)(?![名界体协数量群])|本人"), "我"),
    (re.compile(r"([爸妈姐妹哥弟爷奶])\1"), r"\1"),
    # A plan with its day needs no 要; without it 要 tells the plan from what was done.
    (re.compile(r"(?<=[明后下][天年周])要(?=[去来搬到做在从学考买跟和给])|(?<=下个月)要|(?<=周[一二三四五六日天])要|(?<=[号日])要"), ""),
    # The person as the subject; as an object 我 stays.
    (re.compile(r"(?:^|(?<=[，,。；;！：:\s嗯啊天末上午晚早日号年月周]))我(?![们和跟与])(?:[呢啊嘛]?[，,])?的?"), ""),
    (re.compile(r"我(?:的|(?=[爸妈姐妹哥弟爷奶外老太丈妻儿女孙家]))"), ""),
    # One of something, as good as an article.
    (re.compile(r"(?<![第每唯同另十百千万\d])一(?:[只条台辆位本张把件家名套]|个(?!小时|钟头|月))|(?<=[了有养])[个只条台辆位本](?=[^个只])"), ""),
    (re.compile(r"^\W*是(?![的否])[个名位]?"), ""),
)
# fmt: on
NUMBER: Final = re.compile(
    r"第?[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]+"
    r"|(?<=米)一|第?[二两三四五六七八九十](?!起)|第一|一(?=[岁年月日号次名位公里米元块斤楼层周杯颗片粒天刻毫克人口遍趟时秒门科套])"
)
DAY: Final = re.compile(r"周([一二三四五六日天])")
CLOCK: Final = re.compile(
    r"(?P<part>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)?\s?(?P<h>\d{1,2})"
    r"(?:(?:点|时(?![间候差代尚]))(?:钟|整)?(?P<more>半|[13一三]刻|\d{1,2}分?)?|[:：](?P<m>\d\d))"
)
AFTERNOON: Final = frozenset({"中午", "下午", "傍晚", "晚上", "夜里"})
# fmt: off
UNITS: Final = (
    (re.compile(r"(?<![\d.])([12])(?:米(\d)|\.(\d)米)(?!\d)"), r" \1\2\g<3>0 cm "),
    (re.compile(r"(?<![\d.])([12])(?:米(\d\d)|\.(\d\d)米)(?!\d)"), r" \1\2\3 cm "),
    (re.compile(r"是(?=\s?[@§\d])"), ""),
    *((re.compile(rf"(?<=\d)\s?(?:{words})"), f" {unit} ") for words, unit in (pair.split("=") for pair in "毫克=mg 公斤|千克=kg 克=g 公里|千米=km 厘米|公分=cm 毫升=ml 升=l 平方米|平米|平方=平 米=m 个?小时|个?钟头=h 分钟=min 块钱?|元=元".split())),  # noqa: SIM905
    (re.compile(r"(?<=\d)000 ([mg]) "), r" k\1 "),
    (re.compile(r"百分之(?=\d)([\d.]{1,9})"), r"\1 %"),
)
