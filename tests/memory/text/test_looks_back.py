"""Which messages ask for a look back, and which only look like it; in both languages."""

from __future__ import annotations

import pytest

from memory.text.questions import recent_asked, review_asked

REVIEW = """
我以前说过什么？
帮我回顾一下我过去的偏好
十年以前我提到过什么？
很久以前我好像提过咖啡
我曾经喜欢过什么
我早期都聊些什么
看看我的历史
聊天历史里有提到她吗
我过去喜欢吃什么？
过去几年我换过几次工作
你还记得我以前住哪儿吗
我以前的工作是什么
我们曾经聊过的那本书叫什么
回顾一下
过去十年我都做了什么
我从前养过什么宠物
What did I like in the past?
what did I use to drink?
I used to play the violin, remember?
Where did we use to go on Sundays?
Tell me about my past
A long time ago I told you about a dog
what did I say years ago about moving?
back then, which job did I have?
Let's look back at what I told you
Review my memories
what do you know of our history?
Show me my history with you
Have I told you about Leo before?
what did I previously want to study?
I once told you about a lake
over the past ten years, where have I lived?
my past jobs
what hobbies did I have back in 2019?
""".strip().splitlines()

NOT_REVIEW = """
明天有历史课
我的历史老师很严
历史书在哪儿买
中国历史上最长的朝代是哪个？
浏览器历史记录怎么删
时间过去了，算了
我马上过去
你过去一趟吧
都过去了，别难过
他走过去开门
我晚点过去找你
过去三天我都没睡好
以前台为例，布局怎么写
以前端开发为主的公司
周五以前要交报告
十二点以前睡觉
我曾经历过一次地震
他曾经营一家餐厅
这个月的项目回顾会几点
莫奈回顾展值得去吗
肺癌早期有什么症状
早期教育重要吗
感觉比以前好多了
撑不过去怎么办
说不过去吧
你好呀
It's half past nine
quarter past three works
we walked past the shop
past the shop on the left
I have history class tomorrow
my history teacher is nice
history homework is boring
What is the history of Rome?
clear my browser history
I'm used to it
I can't get used to the cold
it is used to cut bread
in the past few days I slept badly
this past week was rough
Can you review this pull request?
The code review took hours
the night before was loud
look back at me
the past tense of go
Once upon a time there was a fox
my rent is past due
hello there
I'll go past your house
""".strip().splitlines()

RECENT = """
刚才说到哪了
我们昨天聊了什么？
上次的话题继续
上次推荐的餐厅叫什么
上回说的那本书
昨晚我跟你说过什么
刚刚聊的那个再讲讲
what did we talk about last time?
Last time you mentioned a book
what did I tell you yesterday?
where were we?
what were you saying a moment ago
Let's continue our last conversation
what did we discuss last night?
""".strip().splitlines()

NOT_RECENT = """
昨天我去了医院
今天天气不错
最近好累啊
点赞数比上次数据高吗
I went to the gym yesterday
For the last time, no!
Last night was wild
How are you?
This is the last time I eat there
recently I started to paint
""".strip().splitlines()


@pytest.mark.parametrize("text", REVIEW)
def test_asks_for_a_look_back(text: str) -> None:
    """The fading-levels paper's keywords and their English forms."""
    assert review_asked(text)


@pytest.mark.parametrize("text", NOT_REVIEW)
def test_false_friends_of_the_past(text: str) -> None:
    """Classes, clocks, ways, deadlines, habits and things that are over."""
    assert not review_asked(text)


@pytest.mark.parametrize("text", RECENT)
def test_asks_for_the_last_talk(text: str) -> None:
    """刚才, 昨天, 上次, "last time" as questions about talk."""
    assert recent_asked(text)


@pytest.mark.parametrize("text", NOT_RECENT)
def test_telling_of_a_day_is_no_question_about_talk(text: str) -> None:
    """A day that merely something happened on."""
    assert not recent_asked(text)
