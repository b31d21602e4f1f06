"""Turns that call for no memory, and a small life with questions that do: what the gate is tuned and tested on.

Written for this project; no part of any data set.
"""

from __future__ import annotations

EN = """
hey
hi there!
good morning
good night, sleep well
how are you?
how's it going?
what's up?
I'm fine, thanks
thanks a lot!
thank you so much
haha that's funny
lol
ok
okay, got it
sure
no problem
you're right
I see
that makes sense
really?
wow, amazing!
hmm, not sure
never mind
I'm bored
I'm so tired today
work was long today
it's raining again
what a beautiful day
the weather is awful
I just woke up
I'm going to bed
brb, phone is ringing
back again
can you help me with something?
what can you do?
are you a robot?
do you have feelings?
tell me a joke
tell me a story
what time is it?
what day is it today?
what's 17 times 23?
how do I boil an egg?
what is the capital of Australia?
explain photosynthesis in one sentence
write a haiku about the sea
translate "good luck" into French
how do I reverse a list in Python?
who wrote Hamlet?
what does "serendipity" mean?
give me a synonym for happy
that movie was so long
traffic was terrible this morning
finally the weekend!
happy new year!
I need a coffee
see you later
bye!
one moment please
sorry, wrong window
could you repeat that?
can you say that more simply?
make it shorter please
why is the sky blue?
let's talk about something else
I can't sleep
I had a weird dream
my head hurts a little
just checking in
yes please
no, not that one
wait, what?
awesome, I love it
great idea
you are so kind
that's sad to hear
fingers crossed
guess what happened
it was nothing special
I'll think about it
""".strip().splitlines()

ZH = """
你好
嗨
早上好
晚安，好梦
你好吗？
最近怎么样
在吗
我很好，谢谢
谢谢你
太感谢了
哈哈哈哈
笑死我了
好的
知道了
行
没问题
你说得对
原来如此
有道理
真的吗？
哇，太棒了！
嗯，不太确定
算了
好无聊啊
今天好累
今天上班好久
又下雨了
天气真好
今天真冷
刚睡醒
我去睡觉了
等一下，电话响了
我回来了
能帮我个忙吗？
你会做什么？
你是机器人吗
你有感情吗？
讲个笑话
给我讲个故事
现在几点了
今天星期几
17乘23等于多少
鸡蛋要煮几分钟
澳大利亚的首都是哪里
用一句话解释光合作用
写一首关于大海的诗
“祝你好运”用法语怎么说
Python怎么反转列表
红楼梦是谁写的
“望梅止渴”是什么意思
给我一个高兴的近义词
那部电影好长
早上堵车堵死了
终于周末了！
新年快乐
我想喝杯水
回头见
拜拜
稍等一下
不好意思发错了
能再说一遍吗
能说简单点吗
短一点
天为什么是蓝的
换个话题吧
睡不着
做了个奇怪的梦
头有点疼
没事，就来看看你
好呀好呀
不是那个
等等，什么？
太喜欢了
好主意
你真好
听到这个真难过
希望一切顺利
你猜怎么着
没什么特别的
我再想想
""".strip().splitlines()

# A life in 30 facts a language, and questions with the fact that answers each.
LIFE_EN: dict[str, tuple[str, ...]] = {
    "User's cat is called Miso": ("what's my cat called?", "do you remember my cat's name?"),
    "User is allergic to peanuts": ("what am I allergic to?", "can I eat peanut butter?"),
    "User lives in Leeds, near the canal": ("where do I live?", "which city do I live in?"),
    "User works as a nurse at St James's hospital": ("where do I work?", "which hospital do I work at?"),
    "User's sister Anna lives in Lisbon": ("where does Anna live?", "what's my sister's name?"),
    "User likes ramen, above all tonkotsu": ("which ramen do I like?", "what kind of ramen is my favourite?"),
    "User is learning the violin since March": (
        "which instrument am I learning?",
        "how long have I played the violin?",
    ),
    "User's car is a blue Volvo": ("what car do I drive?", "what colour is my car?"),
    "User has a dentist appointment on 12 March at 10": (
        "when is my dentist appointment?",
        "when do I see the dentist?",
    ),
    "User wants to run the Edinburgh marathon in May": (
        "which marathon do I want to run?",
        "what's my running goal?",
    ),
    "User hates coriander": ("do I like coriander?", "should I put coriander in the soup?"),
    "User's boss is named Tom Becker": ("who is my boss?", "what's my boss called?"),
    "User studied biology in Sheffield": ("what did I study?", "where did I study biology?"),
    "User's birthday is on 4 July": ("when is my birthday?", "do you know my birthday?"),
    "User's favourite book is Middlemarch": ("what's my favourite book?", "which book do I love most?"),
    "User is reading a novel by Ursula Le Guin": ("which novel am I reading?", "who wrote the novel I'm reading?"),
    "User plays chess on Thursdays at the library": ("when do I play chess?", "where do I play chess?"),
    "User plans a trip to Kyoto with Leo in October": ("when is the trip to Kyoto?", "who comes along to Kyoto?"),
    "User's grandmother comes from Galway": ("where does my grandmother come from?", "where is my grandma from?"),
    "User takes the 7:40 train every morning": ("which train do I take?", "what train do I catch in the morning?"),
    "User's flatmate Omar is a baker": ("what does Omar do?", "what's my flatmate's job?"),
    "User paid 620 pounds for a used piano": ("how much did the piano cost?", "what did I pay for the piano?"),
    "User broke an ankle while climbing in 2021": ("when did I break my ankle?", "how did I break my ankle?"),
    "User is vegetarian since university": ("am I vegetarian?", "since when am I vegetarian?"),
    "User's dog Bruno died last winter": ("what was my dog called?", "what happened to Bruno?"),
}
LIFE_ZH: dict[str, tuple[str, ...]] = {
    "用户的猫叫小橘": ("我的猫叫什么？", "还记得我的猫叫什么名字吗"),
    "用户对花生过敏": ("我对什么过敏？", "我能吃花生酱吗"),
    "用户住在杭州西湖区": ("我住在哪里？", "我住哪个区"),
    "用户在第一医院当护士": ("我在哪家医院工作？", "我是做什么的护士吗？"),
    "用户的姐姐陈静在成都": ("我姐姐在哪个城市？", "陈静在哪儿"),
    "用户喜欢吃豚骨拉面": ("我喜欢吃什么拉面？", "我最爱哪种拉面"),
    "用户从三月开始学小提琴": ("我在学什么琴？", "我什么时候开始学小提琴的"),
    "用户开一辆蓝色的沃尔沃": ("我开什么车？", "我的车是什么颜色，沃尔沃吗"),
    "用户三月十二日上午十点看牙医": ("我什么时候看牙医？", "牙医约的几点"),
    "用户想跑今年的杭州马拉松": ("我想跑哪个马拉松？", "马拉松我打算跑哪场"),
    "用户讨厌香菜": ("我吃香菜吗？", "这道菜要放香菜吗"),
    "用户的老板叫王志强": ("我老板叫什么？", "我的老板是谁"),
    "用户大学学的是生物": ("我大学学什么专业？", "我大学读的是生物吗"),
    "用户的生日是七月四日": ("我的生日是哪天？", "我生日几号"),
    "用户最喜欢的书是《红楼梦》": ("我最喜欢的书是哪本？", "我最喜欢什么书"),
    "用户正在读刘慈欣的小说": ("我在读谁的小说？", "我最近读什么小说"),
    "用户每周四在图书馆下围棋": ("我什么时候下围棋？", "我在哪里下围棋"),
    "用户十月要和小林去京都旅行": ("我什么时候去京都？", "谁和我一起去京都旅行"),
    "用户的外婆是绍兴人": ("我外婆是哪里人？", "外婆老家在哪"),
    "用户每天坐七点四十的地铁": ("我每天坐几点的地铁？", "我坐几点的地铁上班"),
    "用户的室友阿明是面包师": ("阿明是做什么的？", "我室友做什么工作"),
    "用户花六千块买了一架二手钢琴": ("钢琴多少钱买的？", "我的钢琴花了多少"),
    "用户2021年攀岩时摔断了脚踝": ("我的脚踝是怎么摔断的？", "我哪年摔断脚踝的"),
    "用户从大学起吃素": ("我是不是吃素？", "我从什么时候开始吃素"),
    "用户的狗豆豆去年冬天死了": ("我的狗叫什么？", "豆豆怎么了"),
}
