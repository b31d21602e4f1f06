"""Everyday words in English and Chinese, so that what was said in one language is found by the other.

Small on purpose: food, animals, family, work, pastimes, places. Names have no translation and need none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from memory.models import Lang, language_of

# One line a thing: the English words for it, then the Chinese ones; the first of each is the one it is told in.
_TABLE: Final = """
coffee|espresso|latte 咖啡|拿铁
tea 茶|茶叶|喝茶
green tea 绿茶
black tea 红茶
milk 牛奶
milk tea|bubble tea 奶茶
beer 啤酒
wine|red wine 红酒|葡萄酒
alcohol|liquor 酒|酒精|白酒
juice 果汁
water 水
cola|coke 可乐
soup 汤
rice 米饭|饭
noodles|noodle 面条|面
ramen 拉面
dumplings|dumpling 饺子
hotpot|hot pot 火锅
sushi 寿司
pizza 披萨|比萨
pasta|spaghetti 意大利面|意面
bread 面包
cheese 奶酪|芝士
chocolate 巧克力
cake 蛋糕
ice cream 冰淇淋|冰激凌
sugar 糖
salt 盐
eggs|egg 鸡蛋|蛋
meat 肉
beef 牛肉
pork 猪肉
lamb|mutton 羊肉
chicken 鸡肉|鸡
fish 鱼
seafood 海鲜
shrimp|shrimps|prawn|prawns 虾|虾仁
crab|crabs 螃蟹|蟹
shellfish 贝类|甲壳类
peanuts|peanut 花生
nuts|nut 坚果
soy|soya 大豆
tofu 豆腐
mushrooms|mushroom 蘑菇
tomatoes|tomato 西红柿|番茄
potatoes|potato 土豆
onions|onion 洋葱
garlic 大蒜|蒜
ginger 姜
coriander|cilantro 香菜
pepper|chili|chilli 辣椒
spicy food|spicy 辣|辣的|吃辣
sweets|candy 甜食|糖果
vegetables|vegetable 蔬菜|菜
fruit|fruits 水果
apples|apple 苹果
bananas|banana 香蕉
oranges|orange 橙子|橘子
strawberries|strawberry 草莓
mangoes|mango|mangos 芒果
durian 榴莲
watermelon 西瓜
lactose 乳糖
gluten 麸质
breakfast 早餐|早饭
lunch 午餐|午饭
dinner 晚餐|晚饭
cat|cats|kitten|kitty 猫|猫咪|小猫
dog|dogs|puppy 狗|狗狗|小狗
rabbit|rabbits|bunny 兔子
hamster|hamsters 仓鼠
parrot|parrots 鹦鹉
birds|bird 鸟|小鸟
turtle|tortoise 乌龟
goldfish 金鱼
horse|horses 马
snakes|snake 蛇
spiders|spider 蜘蛛
pet|pets 宠物
pollen 花粉
dust 灰尘|粉尘
penicillin 青霉素
mother|mom|mum|mama 妈妈|母亲|妈
father|dad|papa 爸爸|父亲|爸
parents 父母|爸妈
sister|sisters 妹妹|姐姐|姐妹
brother|brothers 弟弟|哥哥|兄弟
son|sons 儿子
daughter|daughters 女儿
child|children|kid|kids|baby 孩子|小孩|宝宝
wife 妻子|老婆|太太
husband 丈夫|老公
girlfriend 女朋友|女友
boyfriend 男朋友|男友
grandmother|grandma|granny 奶奶|外婆|姥姥
grandfather|grandpa 爷爷|外公|姥爷
friend|friends 朋友
colleague|colleagues|coworker 同事
boss|manager 老板|上司
roommate|flatmate 室友
neighbour|neighbor 邻居
teacher 老师|教师
doctor 医生
nurse 护士
engineer 工程师
programmer|developer 程序员
lawyer 律师
student 学生
designer 设计师
accountant 会计
driver 司机
cook|chef 厨师
journalist 记者
job|work 工作|职业
company|employer 公司
school 学校
university|college 大学
music 音乐
jazz 爵士|爵士乐
rock|rock music 摇滚
song|songs 歌|歌曲
piano 钢琴
guitar 吉他
violin 小提琴
drums 鼓
films|film|movie|movies 电影
books|book 书
novels|novel 小说
games|game|video games 游戏
chess 国际象棋|象棋
football|soccer 足球
basketball 篮球
tennis 网球
badminton 羽毛球
table tennis|ping pong 乒乓球
swimming|swim 游泳
running|run|jogging 跑步
hiking|hike 徒步|远足
climbing 攀岩|爬山
cycling|cycle 骑行|骑车|骑自行车
skiing|ski 滑雪
yoga 瑜伽
dancing|dance 跳舞|舞蹈
singing|sing 唱歌
drawing|painting|paint|draw 画画|绘画
photography 摄影|拍照
cooking 做饭|烹饪
baking 烘焙
gardening 园艺
travelling|traveling|travel 旅行|旅游
reading|read 读书|阅读|看书
writing 写作
sleep 睡觉
car|cars 车|汽车
bike|bicycle 自行车
house 房子
flat|apartment 公寓
phone 手机|电话
computer 电脑
birthday 生日
name 名字|姓名
address 地址
allergy|allergic|allergies 过敏
vegetarian 素食|吃素|素食者
vegan 纯素
pregnant 怀孕
married 结婚
divorced 离婚
single 单身
smoking|smoke|cigarettes 抽烟|吸烟|烟
drinking|drink 喝
eating|eat 吃
like|love|enjoy 喜欢|爱
hate|dislike 讨厌|不喜欢
live 住|居住
asthma 哮喘
diabetes 糖尿病
migraine|migraines 偏头痛
insomnia 失眠
winter 冬天
summer 夏天
spring 春天
autumn 秋天
rain 雨|下雨
snow 雪|下雪
sea|beach 大海|海边|海滩
mountain|mountains 山
red 红色
blue 蓝色
green 绿色
black 黑色
white 白色
yellow 黄色
purple 紫色
pink 粉色
colour|color 颜色
food 食物|吃的
English 英语|英文
Chinese|Mandarin 中文|汉语|普通话
Japanese 日语
French 法语
German 德语
Spanish 西班牙语
China 中国
Japan 日本
America|USA|the United States 美国
England|UK|Britain 英国
France 法国
Germany 德国
Beijing 北京
Shanghai 上海
Guangzhou 广州
Shenzhen 深圳
Hangzhou 杭州
Chengdu 成都
Hong Kong 香港
Taipei 台北
Tokyo 东京
Osaka 大阪
Kyoto 京都
Seoul 首尔
Singapore 新加坡
London 伦敦
Paris 巴黎
Berlin 柏林
Munich 慕尼黑
Rome 罗马
New York 纽约
meeting 会议|开会
interview 面试
exam|test 考试
dentist 牙医
flight|plane 航班|飞机
wedding 婚礼
trip|holiday|vacation 旅行|假期
password 密码
"""


def _rows() -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    rows = []
    for line in _TABLE.strip().splitlines():
        en, _, zh = line.rpartition(" ")
        rows.append((tuple(en.split("|")), tuple(zh.split("|"))))
    return rows


_ROWS: Final = _rows()
_EN: Final = {w.casefold(): en[0] for en, _ in reversed(_ROWS) for w in en}
_ZH: Final = {w: en[0] for en, zh in reversed(_ROWS) for w in zh}
_TOLD: Final = {en[0]: (en[0], zh[0]) for en, zh in reversed(_ROWS)}
_TONGUES: Final = frozenset({"English", "Chinese", "Japanese", "French", "German", "Spanish"})
_ENGLISH: Final = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, _EN), key=len, reverse=True)) + r")\b", re.I)
_CHINESE: Final = re.compile("|".join(sorted(map(re.escape, _ZH), key=len, reverse=True)))
# The same word where it says something else.
_ELSEWHERE: Final = re.compile(
    r"薪水|水平|水果|面试|面对|见面|里面|外面|对面|方面|下面|上面|马上|马路|山东|山西|爱人|爱情|可爱|爱好|住址|鼓励|雪碧|书记|车间|表面|蛋糕|歌手|盐城"
)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=4096)
def things(text: str) -> frozenset[str]:
    """What a text of either language speaks of, as far as the table knows it, by the first English word for it."""
    plain = _plain(text)
    found = {_EN[m[0].casefold()] for m in _ENGLISH.finditer(plain)}
    for m in _CHINESE.finditer(plain):
        around = plain[max(0, m.start() - 1) : m.end() + 1]
        if len(m[0]) > 1 or not _ELSEWHERE.search(around):
            found.add(_ZH[m[0]])
    return frozenset(found)


def thing(word: str) -> str:
    """The one thing that a word or phrase is as a whole; empty if the table does not have it."""
    plain = _plain(word).strip().casefold()
    return _EN.get(plain) or _ZH.get(plain) or ""


def told(word: str, lang: Lang) -> str:
    """The word in that language; names of places, and what the table does not have, stay as they are."""
    one = thing(word)
    named = one[:1].isupper() and one not in _TONGUES
    return word if not one or named or language_of(word) == lang else _TOLD[one][lang == "zh"]


def words_for(found: Iterable[str], lang: Lang) -> list[str]:
    """Every word of that language for the things of `things`."""
    wanted = set(found)
    return [w for en, zh in _ROWS if en[0] in wanted for w in (zh if lang == "zh" else en)]


def pairs() -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of each thing its English and its Chinese words."""
    return _ROWS


def unknown(text: str) -> str:
    """What is left of a text without the words of the table."""
    return _CHINESE.sub(" ", _ENGLISH.sub(" ", _plain(text)))
