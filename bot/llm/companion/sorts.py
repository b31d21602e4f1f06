# ruff: noqa: E501 - a table of words
"""What sort of thing a thing is: espresso a drink, 爬山 a sport. For faint memories, and what several have in common."""

from __future__ import annotations

from bot.llm.companion.text import CJK, key, word_set, words
from memory.models import Lang

# (English, Chinese): the words of each; a word of several parts is written with underscores.
SORTS: tuple[tuple[str, str, frozenset[str], frozenset[str]], ...] = tuple(
    (en, zh, word_set(en_words), word_set(zh_words))
    for en, zh, en_words, zh_words in (
        (
            "drinks",
            "饮品",
            "coffee tea espresso latte americano cappuccino mocha juice beer wine whisky whiskey cola lemonade cocoa matcha"
            " milk smoothie cider gin rum water",
            "咖啡 美式 拿铁 卡布奇诺 茶 奶茶 红茶 绿茶 果汁 啤酒 红酒 白酒 威士忌 可乐 牛奶 抹茶 豆浆 饮料",
        ),
        (
            "sport",
            "运动",
            "hiking running jogging swimming climbing bouldering cycling biking football soccer basketball tennis badminton"
            " volleyball yoga pilates skiing snowboarding surfing skating rowing gym karate judo boxing golf sailing",
            "爬山 登山 徒步 跑步 游泳 攀岩 骑车 骑行 足球 篮球 网球 羽毛球 乒乓球 排球 瑜伽 普拉提 滑雪 滑冰 冲浪 健身 太极 拳击 高尔夫 马拉松",
        ),
        (
            "music",
            "音乐",
            "piano violin guitar cello drums flute jazz opera rock blues techno singing choir ukulele saxophone trumpet",
            "钢琴 小提琴 吉他 大提琴 古筝 架子鼓 长笛 爵士 摇滚 民谣 古典音乐 唱歌 合唱 尤克里里 萨克斯",
        ),
        (
            "food",
            "食物",
            "sushi pizza pasta ramen noodles rice chocolate cheese mushrooms curry soup salad bread cake cookies steak"
            " dumplings tacos fries fruit apples strawberries mangoes tofu fish seafood",
            "寿司 披萨 意面 拉面 面条 米饭 巧克力 奶酪 蘑菇 咖喱 火锅 饺子 包子 蛋糕 面包 牛排 烧烤 水果 苹果 草莓 芒果 豆腐 海鲜 香菜 甜点",
        ),
        (
            "animals",
            "动物",
            "cat dog rabbit hamster parrot horse bird tortoise goldfish kitten puppy guinea_pig",
            "猫 狗 兔子 仓鼠 鹦鹉 马 鸟 乌龟 金鱼 小猫 小狗",
        ),
        (
            "books",
            "书",
            "novels novel poetry poems books reading science_fiction fantasy biographies comics manga",
            "小说 诗 诗歌 科幻 读书 阅读 漫画 传记 散文",
        ),
        ("films", "影视", "films movies cinema series anime documentaries", "电影 电视剧 动漫 动画 纪录片 美剧"),
        (
            "programming",
            "编程",
            "python typescript javascript rust java kotlin golang sql docker react vue nuxt programming coding linux",
            "编程 代码 前端 后端 开源 函数式编程 写代码",
        ),
        (
            "languages",
            "语言",
            "french japanese spanish german italian chinese mandarin korean russian portuguese latin swedish",
            "日语 法语 德语 西班牙语 英语 韩语 俄语 意大利语 粤语",
        ),
        (
            "travel",
            "旅行",
            "travelling traveling travel trips journeys backpacking camping",
            "旅行 旅游 露营 自驾 背包旅行",
        ),
        (
            "art",
            "艺术",
            "painting drawing photography pottery sculpture calligraphy knitting sketching watercolours",
            "画画 绘画 摄影 陶艺 书法 雕塑 编织 水彩 素描",
        ),
        (
            "games",
            "游戏",
            "chess board_games video_games poker sudoku puzzles go",
            "围棋 象棋 桌游 扑克 游戏 拼图 数独",
        ),
        ("gardening", "园艺", "gardening garden plants roses tomatoes orchids", "园艺 种花 养花 多肉 绿植 种菜"),
        ("cooking", "烹饪", "cooking baking barbecue", "做饭 烹饪 烘焙 做菜"),
    )
)


def sort_of(text: str, lang: Lang) -> str:
    """The sort of the thing a text is about, in its language; empty if none is known."""
    if lang == "zh" or CJK.search(text):
        found = [(len(w), zh) for _, zh, _, words_zh in SORTS for w in words_zh if w in text]
        return max(found)[1] if found else ""
    there = words(text)
    for en, _, words_en, _ in SORTS:
        for w in words_en:
            parts = words(w.replace("_", " "))
            if parts and parts <= there:
                return en
    return ""


def is_sort(value: str) -> bool:
    """Whether the value names a sort itself."""
    return key(value) in {key(name) for en, zh, _, _ in SORTS for name in (en, zh)}
