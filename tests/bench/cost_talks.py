"""Forty turns a language of an ordinary conversation, what a monitor answers to them, and what was known before.

Written for this project: a third tell something, a third call for what is known, a third are small talk.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Said(NamedTuple):
    """A message, and what the monitor answers to it; {id} is the first memory it is shown."""

    text: str
    learned: str = "[SKIP]"


MEMORIES: Final[dict[str, list[tuple[str, str]]]] = {
    "en": [
        ("health", "Has mild asthma and carries a blue inhaler"),
        ("instruction", "Wants short answers without bullet points"),
        ("identity", "Is called Max"),
        ("identity", "Was born in Bristol"),
        ("fact", "Husband Jonas is a physiotherapist"),
        ("fact", "Son Emil goes to year four"),
        ("fact", "Daughter Clara plays the flute"),
        ("preference", "Drinks black coffee before noon only"),
        ("preference", "Likes walking along the canal at night"),
        ("preference", "Prefers trains to planes"),
        ("skill", "Speaks Spanish well and some Polish"),
        ("skill", "Bakes sourdough bread at weekends"),
        ("goal", "Wants to save for a camper van"),
        ("decision", "Decided to stop buying new clothes this year"),
        ("lesson", "Learned that arguing by text message makes things worse"),
        ("workflow", "Plans the week on Sunday evening with a paper calendar"),
        ("fact", "Best friend Sofie lives in Ghent"),
        ("fact", "The flat has a leaking bathroom tap"),
        ("fact", "Took over the allotment from an aunt"),
        ("fact", "Drives an old red Skoda"),
        ("fact", "Neighbour Mrs Patel waters the plants"),
        ("preference", "Cannot stand loud restaurants"),
        ("preference", "Loves films by Agnès Varda"),
        ("fact", "Grandfather was a lighthouse keeper"),
        ("fact", "Colleague Dana is leaving the ward"),
        ("goal", "Wants to learn to sail"),
        ("fact", "Once broke the left wrist while skating"),
        ("fact", "Father Peter has early dementia"),
        ("preference", "Listens to radio plays while ironing"),
        ("fact", "Belongs to a choir that meets on Tuesdays"),
        ("decision", "Declined the post of ward manager"),
        ("fact", "The cat Minka died three years ago"),
    ],
    "zh": [
        ("health", "有轻度哮喘，随身带蓝色喷雾"),
        ("instruction", "希望回答简短，不要分点"),
        ("identity", "叫阿明"),
        ("identity", "在宁波出生"),
        ("fact", "丈夫周涛是理疗师"),
        ("fact", "儿子乐乐上四年级"),
        ("fact", "女儿朵朵在学长笛"),
        ("preference", "只在上午喝黑咖啡"),
        ("preference", "喜欢晚上沿着运河散步"),
        ("preference", "坐火车比坐飞机更合心意"),
        ("skill", "西班牙语说得不错，会一点波兰语"),
        ("skill", "周末自己烤酸面包"),
        ("goal", "想攒钱买一辆房车"),
        ("decision", "今年决定不再买新衣服"),
        ("lesson", "明白了用短信吵架只会更糟"),
        ("workflow", "周日晚上用纸质日历安排一周"),
        ("fact", "最好的朋友苏菲住在成都"),
        ("fact", "家里浴室的水龙头漏水"),
        ("fact", "从姑妈那里接手了一块菜地"),
        ("fact", "开一辆旧的红色斯柯达"),
        ("fact", "邻居潘阿姨帮忙浇花"),
        ("preference", "受不了吵闹的餐馆"),
        ("preference", "喜欢瓦尔达的电影"),
        ("fact", "爷爷当过灯塔看守人"),
        ("fact", "同事丹丹要离开病房"),
        ("goal", "想学开帆船"),
        ("fact", "滑冰时摔断过左手腕"),
        ("fact", "父亲患早期失智症"),
        ("preference", "熨衣服时听广播剧"),
        ("fact", "参加的合唱团每周二排练"),
        ("decision", "谢绝了护士长的职位"),
        ("fact", "猫咪米卡三年前去世了"),
    ],
}

REPLIES: Final[dict[str, list[str]]] = {
    "en": [
        "That sounds like a full day. If it were me I would start with the part that worries you least, because getting one thing done tends to make the rest look smaller.",
        "Good question. The short answer is yes, though it depends on how much time you have; an hour is plenty if you prepare the evening before.",
        "Oh, lovely! How did it go, and who was there?",
        "I'd try it with less salt and a little lemon at the end. Let it stand for ten minutes before you serve it, that makes a bigger difference than any spice.",
        "That's a hard one. You don't have to decide it today. What would you tell a friend who came to you with the same thing?",
    ],
    "zh": [
        "听起来今天排得很满。换作是我，会先做最不让人担心的那一件，做完一件，剩下的看起来就没那么多了。",
        "好问题。简单说是可以的，不过要看你有多少时间；前一天晚上准备好的话，一个小时足够了。",
        "真好！后来怎么样，都有谁在？",
        "我会少放点盐，最后加一点柠檬，上桌前放十分钟，这比什么调料都管用。",
        "这确实不容易。不用今天就决定。如果是朋友带着同样的事来找你，你会怎么说？",
    ],
}

TALKS: Final[dict[str, list[Said]]] = {
    "en": [
        Said("hey, good morning"),
        Said("what a night. the ward was full again and two of us were missing"),
        Said(
            "my sister Anna called, she's coming to visit from the 20th for a week",
            '[ADD kind=event on=2026-02-20 said=1:"coming to visit from the 20th for a week" entities="Anna"] Sister Anna comes to visit for a week',
        ),
        Said("what could I cook for her on the first evening?"),
        Said(
            "she doesn't eat fish, by the way",
            '[ADD kind=preference said=1:"she doesn\'t eat fish"] Sister Anna eats no fish',
        ),
        Said("ok"),
        Said("how do I get a wine stain out of a wool carpet?"),
        Said("it worked, thank you!"),
        Said(
            "Tom Becker wants me to take over the rota from March, I said yes",
            '[ADD kind=decision from=2026-03 said=1:"take over the rota from March, I said yes" entities="Tom Becker"] Takes over the rota from March',
        ),
        Said("do you think that was a mistake?"),
        Said("you're right, I should ask for more money at least"),
        Said("remind me, what was I going to do about the tax return?", "[BOOST:{id}]"),
        Said(
            "done! sent it off just now",
            '[DONE:{id} said=1:"done! sent it off just now"] Sent off the tax return',
        ),
        Said("I need a break. tell me something about octopuses"),
        Said("haha, three hearts, I could use those"),
        Said(
            "Bruno has been limping since yesterday, poor thing",
            '[ADD kind=context said=1:"Bruno has been limping since yesterday"] Dog Bruno has been limping',
        ),
        Said("should I take him to the vet or wait until monday?"),
        Said(
            "his vet is Dr Marsh on Kirkstall Road",
            '[ADD kind=fact said=1:"his vet is Dr Marsh on Kirkstall Road" entities="Dr Marsh"] Bruno\'s vet is Dr Marsh on Kirkstall Road',
        ),
        Said("thanks"),
        Said("what's on this week for me?", "[BOOST:{id}]"),
        Said(
            "Priya moved our dinner to saturday",
            '[UPDATE:{id} on=2026-02-14 said=1:"Priya moved our dinner to saturday"] Dinner with Priya at the Thai place',
        ),
        Said("which wine goes with green curry?"),
        Said(
            "I don't really drink any more, only on birthdays",
            '[ADD kind=preference said=1:"I don\'t really drink any more, only on birthdays"] Drinks alcohol only on birthdays',
        ),
        Said("a lassi then. good idea"),
        Said(
            "I'm thinking of swapping the Skoda for a bike with a trailer",
            '[ADD kind=goal certainty=0.4 said=1:"thinking of swapping the Skoda for a bike"] Thinks of swapping the Skoda for a bike with a trailer',
        ),
        Said("how far is it from Leeds to Whitby by bike, roughly?"),
        Said(
            "that's too far for Emil, he turns nine on the 3rd of April",
            '[ADD kind=event on=2026-04-03 repeats=yearly said=1:"he turns nine on the 3rd of April" entities="Emil"] Son Emil turns nine',
        ),
        Said("any ideas for a present under 30 pounds?"),
        Said("he likes maps and anything with engines"),
        Said("great, a globe puzzle it is"),
        Said("I slept badly all week, the street is so noisy"),
        Said(
            "choir was wonderful last night, we sing the Fauré Requiem in May",
            '[ADD kind=event on=2026-05 said=1:"we sing the Fauré Requiem in May"] Sings the Fauré Requiem with the choir in May',
        ),
        Said("do you know who wrote it and when?"),
        Said(
            "Leo wrote to me, he wants to make up",
            '[ADD kind=fact said=1:"Leo wrote to me, he wants to make up" entities="Leo"] Leo wrote and wants to make up',
        ),
        Said("I don't know how to answer him"),
        Said("could you make that shorter and a little warmer?"),
        Said("perfect, sent"),
        Said(
            "the dentist moved me to the 24th at nine",
            '[ADD kind=event on=2026-02-24 said=1:"dentist moved me to the 24th at nine"] Dentist at nine',
        ),
        Said("I'm scared of it, honestly"),
        Said("ok, good night, sleep well"),
    ],
    "zh": [
        Said("早上好呀"),
        Said("昨晚真够呛，病房又满了，还少了两个人"),
        Said(
            "我姐姐陈静打电话来，说二十号过来住一个星期",
            '[ADD kind=event on=2026-02-20 said=1:"二十号过来住一个星期" entities="陈静"] 姐姐陈静过来住一个星期',
        ),
        Said("第一天晚上给她做点什么好？"),
        Said("对了，她不吃鱼", '[ADD kind=preference said=1:"她不吃鱼"] 姐姐陈静不吃鱼'),
        Said("好的"),
        Said("羊毛地毯上的红酒渍怎么弄掉？"),
        Said("弄掉了，谢谢！"),
        Said(
            "王志强让我从三月起管排班，我答应了",
            '[ADD kind=decision from=2026-03 said=1:"从三月起管排班，我答应了" entities="王志强"] 从三月起管排班',
        ),
        Said("你觉得我是不是答应错了？"),
        Said("你说得对，至少该要求加点工资"),
        Said("提醒我一下，个税申报表那事怎么样了？", "[BOOST:{id}]"),
        Said("办好了！刚刚交上去", '[DONE:{id} said=1:"办好了！刚刚交上去"] 个税申报表交了'),
        Said("我歇一会儿，给我讲讲章鱼吧"),
        Said("哈哈，三颗心脏，我也想要"),
        Said(
            "豆豆从昨天开始一瘸一拐的，好可怜",
            '[ADD kind=context said=1:"豆豆从昨天开始一瘸一拐"] 狗狗豆豆走路一瘸一拐',
        ),
        Said("该带它去看医生，还是等到周一？"),
        Said(
            "它的医生是文三路的马医生",
            '[ADD kind=fact said=1:"它的医生是文三路的马医生" entities="马医生"] 豆豆的兽医是文三路的马医生',
        ),
        Said("谢谢"),
        Said("我这周都有什么安排？", "[BOOST:{id}]"),
        Said(
            "小雅把晚饭改到周六了",
            '[UPDATE:{id} on=2026-02-14 said=1:"小雅把晚饭改到周六了"] 和小雅去泰国餐厅吃晚饭',
        ),
        Said("绿咖喱配什么酒好？"),
        Said(
            "我其实不怎么喝酒了，只有过生日才喝",
            '[ADD kind=preference said=1:"只有过生日才喝"] 只有过生日才喝酒',
        ),
        Said("那就喝酸奶昔，好主意"),
        Said(
            "我在想要不要把斯柯达换成一辆带拖车的自行车",
            '[ADD kind=goal certainty=0.4 said=1:"要不要把斯柯达换成一辆带拖车的自行车"] 在想把斯柯达换成带拖车的自行车',
        ),
        Said("从杭州骑车到舟山大概有多远？"),
        Said(
            "对乐乐来说太远了，他四月三号满九岁",
            '[ADD kind=event on=2026-04-03 repeats=yearly said=1:"他四月三号满九岁" entities="乐乐"] 儿子乐乐满九岁',
        ),
        Said("三百块以内有什么礼物可以送？"),
        Said("他喜欢地图，还有带发动机的东西"),
        Said("太好了，就送地球仪拼图"),
        Said("这一周都没睡好，街上太吵了"),
        Said(
            "昨晚合唱团太棒了，五月我们要唱福雷的安魂曲",
            '[ADD kind=event on=2026-05 said=1:"五月我们要唱福雷的安魂曲"] 五月和合唱团唱福雷的安魂曲',
        ),
        Said("你知道那是谁、什么时候写的吗？"),
        Said(
            "小林给我写信了，想和好",
            '[ADD kind=fact said=1:"小林给我写信了，想和好" entities="小林"] 小林写信来想和好',
        ),
        Said("我不知道怎么回他"),
        Said("能再短一点、再暖一点吗？"),
        Said("太好了，发出去了"),
        Said(
            "牙医把我改到二十四号九点了",
            '[ADD kind=event on=2026-02-24 said=1:"牙医把我改到二十四号九点"] 九点看牙医',
        ),
        Said("说实话我很害怕"),
        Said("好，晚安，睡个好觉"),
    ],
}
