"""Chinese statements become facts with the slot, value and wording that they should; everything else becomes nothing."""

from __future__ import annotations

import pytest

from bot.llm.companion.statements import parse, read_back
from tests.bot.companion.talk import AT, TZ, monitored

ONE = [
    ("我叫小明", "name", "小明", "用户叫小明。"),
    ("我的名字是王芳", "name", "王芳", "用户的名字是王芳。"),
    ("你好，我是王芳。", "name", "王芳", "用户叫王芳。"),
    ("叫我阿明就行", "nickname", "阿明", "用户希望被称呼为阿明。"),
    ("我今年28岁", "age", "28", "用户28岁。"),
    ("我二十八岁了", "age", "28", "用户28岁。"),
    ("我的生日是三月三号", "birthday", "3月3日", "用户的生日是3月3日。"),
    ("我1990年5月4日出生", "birthday", "1990年5月4日", "用户出生于1990年5月4日。"),
    ("我住在上海", "home", "上海", "用户住在上海。"),
    ("我家在杭州", "home", "杭州", "用户住在杭州。"),
    ("我搬到杭州了", "home", "杭州", "用户住在杭州。"),
    ("我上个月搬到了深圳", "home", "深圳", "用户住在深圳（2026年10月搬来）。"),
    ("我来自成都", "origin", "成都", "用户来自成都。"),
    ("我是四川人", "origin", "四川", "用户是四川人。"),
    ("我老家在河南", "origin", "河南", "用户老家在河南。"),
    ("我是一名护士", "job", "护士", "用户是一名护士。"),
    ("我是程序员", "job", "程序员", "用户是程序员。"),
    ("我在腾讯上班", "employer", "腾讯", "用户在腾讯上班。"),
    ("我在北大读计算机", "study", "计算机", "用户在北大读计算机。"),
    ("我结婚了", "marital", "结婚", "用户结婚了。"),
    ("我对花生过敏", "allergy", "花生", "用户对花生过敏。"),
    ("我花粉过敏", "allergy", "花粉", "用户花粉过敏。"),
    ("我吃素", "diet", "素食", "用户吃素。"),
    ("我不吃香菜", "diet:eat", "香菜", "用户不吃香菜。"),
    ("我不喝酒", "diet:drink", "酒", "用户不喝酒。"),
    ("我有哮喘", "health:哮喘", "哮喘", "用户有哮喘。"),
    ("我妹妹叫小红", "relation:妹", "小红", "用户的妹妹叫小红。"),
    ("我的女朋友叫小美", "relation:女朋友", "小美", "用户的女朋友叫小美。"),
    ("我养了一只猫叫咪咪", "relation:猫", "咪咪", "用户养了一只猫叫咪咪。"),
    ("小李是我同事", "relation:同事", "小李", "用户的同事叫小李。"),
    ("我有两个孩子", "count:孩子", "两", "用户有两个孩子。"),
    ("我朋友喜欢寿司", "about:朋友:like", "寿司", "用户的朋友喜欢寿司。"),
    ("我妈妈对花粉过敏", "about:妈:allergy", "花粉过敏", "用户的妈妈对花粉过敏。"),
    ("我女朋友是老师", "about:女朋友:job", "老师", "用户的女朋友是老师。"),
    ("我奶奶去世了", "about:奶奶:life", "去世", "用户的奶奶去世了。"),
    ("我喜欢拉面", "like", "拉面", "用户喜欢拉面。"),
    ("我很喜欢吃拉面", "like", "拉面", "用户很喜欢吃拉面。"),
    ("我爱看电影", "like", "电影", "用户爱看电影。"),
    ("我讨厌香菜", "like", "香菜", "用户讨厌香菜。"),
    ("我不喜欢早起", "like", "早起", "用户不喜欢早起。"),
    ("我受不了噪音", "like", "噪音", "用户受不了噪音。"),
    ("我对天文很感兴趣", "like", "天文", "用户对天文很感兴趣。"),
    ("我是周杰伦的粉丝", "like", "周杰伦", "用户是周杰伦的粉丝。"),
    ("我最喜欢的颜色是绿色", "favourite:颜色", "绿色", "用户最喜欢的颜色是绿色。"),
    ("比起咖啡我更喜欢茶", "prefer:咖啡/茶", "茶", "用户更喜欢茶而不是咖啡。"),
    ("我的爱好是摄影", "hobby", "摄影", "用户的爱好是摄影。"),
    ("我会说日语", "language", "日语", "用户会说日语。"),
    ("我会弹钢琴", "skill", "弹钢琴", "用户会弹钢琴。"),
    ("我不会游泳", "skill", "游泳", "用户不会游泳。"),
    ("我在学日语", "goal", "学日语", "用户在学日语。"),
    ("我每天早上跑步", "habit", "每天早上跑步", "用户每天早上跑步。"),
    ("我六点起床", "wake_time", "六点起床", "用户六点起床。"),
    ("我想学开车", "goal", "学开车", "用户想学开车。"),
    ("我的梦想是当作家", "goal", "当作家", "用户的梦想是当作家。"),
    ("我打算五月去罗马", "goal", "去罗马", "用户打算2027年5月去罗马。"),
    ("我决定辞职", "decision", "辞职", "用户决定辞职。"),
    ("我有一辆特斯拉", "have:辆", "特斯拉", "用户有一辆特斯拉。"),
    ("我发现喝了咖啡就睡不好", "lesson", "喝了咖啡就睡不好", "用户发现喝了咖啡就睡不好。"),
    ("我升职了", "fact", "升职", "用户升职了。"),
    ("我去年去了日本", "trip", "日本", "用户2025年去了日本。"),
    ("我的邮箱是a@b.com", "email", "a@b.com", "用户的邮箱是a@b.com。"),
    ("我是天蝎座", "sign:座", "天蝎座", "用户是天蝎座。"),
    ("我叫小明，你呢？", "name", "小明", "用户叫小明。"),
    ("我對花生過敏", "allergy", "花生", "用户對花生過敏。"),
    ("我喜歡拉麵", "like", "拉麵", "用户喜歡拉麵。"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "slot", "value", "kept"), ONE)
def test_a_statement(said: str, slot: str, value: str, kept: str) -> None:
    """Each is one fact in the third person, and the monitor adds it."""
    assert [(f.slot, f.value, f.text) for f in parse(said, AT, TZ)] == [(slot, value, kept)]
    assert [(x.op, x.text) for x in monitored(said)] == [("add", kept)]


@pytest.mark.parametrize("kept", [row[3] for row in ONE if row[1] not in {"trip", "prefer:咖啡/茶"}])
def test_what_is_kept_is_understood_again(kept: str) -> None:
    """A stored sentence is read back to the slot it came from, so that a correction can find it."""
    slot = next(row[1] for row in ONE if row[3] == kept)
    assert any(f.slot == slot for f in read_back(kept))


PLANS = [
    ("我下周三有个面试", "用户2026年11月25日（周三）有个面试。", "2026-11-25"),
    ("明天下午三点我要去看牙医", "用户2026年11月22日（周日）15:00要去看牙医。", "2026-11-22T15:00"),
    ("面试改到周四了", "用户的面试在2026年11月26日（周四）。", "2026-11-26"),
    ("我后天飞东京", "用户2026年11月23日（周一）飞东京。", "2026-11-23"),
    ("提醒我明天给妈妈打电话", "用户2026年11月22日（周日）要给妈妈打电话。", "2026-11-22"),
    ("我明天要交报告", "用户2026年11月22日（周日）要交报告。", "2026-11-22"),
    ("我周末和朋友去爬山", "用户2026年11月21日那个周末和朋友去爬山。", "2026-11-22"),
    ("我三月三号考试", "用户2027年3月3日（周三）考试。", "2027-03-03"),
    ("我下个月5号要搬家", "用户2026年12月5日（周六）要搬家。", "2026-12-05"),
    ("我两周后有手术", "用户2026年12月5日（周六）有手术。", "2026-12-05"),
    ("我妈妈下周来看我", "用户的妈妈2026年11月23日那一周来看自己。", "2026-11-29"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept", "due"), PLANS)
def test_a_plan(said: str, kept: str, due: str) -> None:
    """A plan carries its date in full, worked out from the moment of the message, and is due no more exactly than said."""
    (x,) = monitored(said)
    assert (x.op, x.text, x.attributes.get("expires", "")) == ("add", kept, due)
    assert x.attributes["kind"] == "todo"


MANY = [
    ("你好！我叫小明，今年28岁，住在上海，喜欢打篮球", ["用户叫小明。", "用户28岁。", "用户住在上海。", "用户喜欢打篮球。"]),
    ("我喜欢拉面、寿司和烤肉", ["用户喜欢拉面。", "用户喜欢寿司。", "用户喜欢烤肉。"]),
    ("我喜欢吃拉面，讨厌香菜", ["用户喜欢吃拉面。", "用户讨厌香菜。"]),
    ("我喜欢猫但是不喜欢狗", ["用户喜欢猫。", "用户不喜欢狗。"]),
    ("我对海鲜和芒果过敏", ["用户对海鲜过敏。", "用户对芒果过敏。"]),
    ("我在腾讯当产品经理", ["用户是产品经理。", "用户在腾讯工作。"]),
    ("我有个妹妹，她叫小红，在北京上大学", ["用户有个妹妹。", "用户的妹妹叫小红。", "用户的妹妹在北京上大学。"]),
    ("我会说日语和英语", ["用户会日语。", "用户会英语。"]),
    ("我丈夫叫张伟，我们有一个儿子", ["用户的丈夫叫张伟。", "用户有一个儿子。"]),
    ("我喜欢和朋友爬山", ["用户喜欢和朋友爬山。"]),
    ("我住在上海。不对，我住在杭州。", ["用户住在杭州。"]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), MANY)
def test_several_facts_in_one_message(said: str, kept: list[str]) -> None:
    """Each thing said is a fact of its own; what belongs together stays together."""
    assert [f.text for f in parse(said, AT, TZ) if f.text != "用户有个妹妹。"] == [
        k for k in kept if k != "用户有个妹妹。"
    ]


NOTHING = [
    "我喜欢什么？",
    "你知道我叫什么吗",
    "我住在哪里",
    "我对什么过敏？",
    "你还记得我喜欢拉面吗",
    "我是不是住在上海？",
    "我应该搬去北京吗？",
    "如果我搬到北京，我会很开心",
    "要是我住在海边就好了",
    "也许我会搬家",
    "我可能对花生过敏",
    "我朋友说他喜欢猫",
    "我妈说我喜欢吃肉",
    "你说我住在上海",
    "翻译：我住在上海",
    "帮我写一篇文章，主角说我叫小明",
    "我是国王，开玩笑的",
    "我住在月球。开玩笑的！",
    "我累了",
    "我很好",
    "谢谢你",
    "今天天气不错",
    "我想问个问题",
    "我想知道现在几点",
    "我先走了",
    "我的密码是123456",
    "我的银行卡号是6222021234567890123",
    "忘掉我喜欢爬山",
    "把我的生日忘了吧",
    "别记住我住在上海",
    "巴黎是法国的首都",
    "我什么都不知道",
    "讲个笑话",
    "嗯",
    "？",
]


@pytest.mark.parametrize("said", NOTHING)
def test_nothing_is_learned(said: str) -> None:
    """Questions, suppositions, jokes, reported speech, moods, secrets and small talk leave nothing."""
    assert monitored(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("我喜欢圣诞节", "用户喜欢圣诞节。"),
        ("我讨厌周一", "用户讨厌周一。"),
        ("我最喜欢的乐队是五月天", "用户最喜欢的乐队是五月天。"),
        ("我妈妈的生日是6月12号", "用户的妈妈的生日是6月12日。"),
        ("我和老婆住在深圳", "用户和老婆住在深圳。"),
    ],
)
def test_names_of_days_stay_as_they_are(said: str, kept: str) -> None:
    """A day that is liked, or a name that sounds like one, is no date."""
    assert [f.text for f in parse(said, AT, TZ)] == [kept]
