"""Sixty more turns a language that call for no memory, of other styles; no weight was learned from them.

Terse, slangy, long-winded, full of names, mistyped, code, emoji, orders: how people write who do not write sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OTHER: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "terse": """
k
?
next
done
shorter
and?
no
7
""",
        "slang": """
lmao that's wild
ngl kinda vibing rn
yo wassup
nah I'm good fam
bruh
that slaps
smh my head
gonna bounce, ttyl
""",
        "long-winded": """
So, well, I don't really know how to put this, and maybe it's nothing at all, but somehow one of those days again where everything takes twice as long as it should, you know?
First of all let me say how much I appreciate the effort that went into that last answer, it was thorough, it was clear, and I honestly have nothing to add to it.
I was going to write something long and clever here but halfway through I forgot the point, so please just ignore this and let us carry on as if nothing happened.
Could you, if it isn't too much trouble, and only if you have the capacity for it, go through the general arguments for and against daylight saving time once more, slowly?
They say that the difference between a good essay and a great one is the editing, and I suppose that is true of most things, from novels to gardens to legislation.
What I would like is a neutral overview, say two or three paragraphs, of how the printing press changed Europe, with no bullet points and no headings if possible.
Honestly it is one of those evenings where one sits there and stares out of the window and thinks about absolutely nothing in particular for a very long time.
""",
        "names": """
did Hamlet really love Ophelia?
who would win, Batman or Superman?
what did Marie Curie discover?
compare Tolstoy with Dostoevsky in one line
is Gandalf older than Dumbledore?
which albums did Pink Floyd release in the seventies?
what's the plot of Anna Karenina?
when did Napoleon die?
""",
        "typos": """
thnaks so mcuh
waht is teh captial of peru
cna you repaet taht
goodnigth
im so tierd lol
how do i biol rice
taht was hepful
""",
        "code": """
why does `for i in range(10): print(i)` stop at 9?
TypeError: 'NoneType' object is not subscriptable
SELECT name, COUNT(*) FROM users GROUP BY name;
what does git rebase -i HEAD~3 do
def add(a, b): return a + b  # add type hints
npm ERR! code ERESOLVE
{"status": "ok", "items": []} - is this valid JSON?
""",
        "emoji": """
😂😂😂
👍
❤️
🙈 oops
good night 🌙✨
🎉🎉 woohoo
😴
""",
        "commands": """
continue
stop
rewrite that in the passive voice
use bullet points
answer in one word
make it rhyme
summarise the text above in five words
count to ten backwards
""",
    },
    "zh": {
        "terse": """
嗯嗯
？
下一个
完了
简短些
然后呢
不
7
""",
        "slang": """
笑死我了哈哈哈
绝绝子
yyds
emo了
摆烂ing
蚌埠住了
芜湖起飞
溜了溜了，886
""",
        "long-winded": """
怎么说呢，其实也没什么大事，就是那种做什么都比平时慢半拍的日子，说出来好像矫情，不说又有点闷，你懂吧
首先真的要谢谢刚才那么详细的回答，条理很清楚，语气也很舒服，老实讲没有什么要补充的了
本来想写一大段有深度的话，结果写到一半忘了要说什么，就当没看见这条吧，咱们继续
如果不麻烦的话，能不能把支持和反对夏令时的主要理由再慢慢讲一遍，不着急
都说好文章是改出来的，想想大概很多事都是这样，从小说到园艺再到立法，没有一遍就成的
需要一份中立的概述，两三段就行，讲讲印刷术怎么改变了欧洲，不要列点，也不要小标题
说真的，这种晚上就适合坐在窗边发呆，脑子里什么都不想，一坐就是好久好久
""",
        "names": """
林黛玉到底喜欢不喜欢薛宝钗
孙悟空和哪吒谁厉害
居里夫人发现了什么元素
一句话比较李白和杜甫
诸葛亮和周瑜谁年纪大
周杰伦2003年出了哪张专辑
《红楼梦》的结局是谁续写的
拿破仑是哪年死的
""",
        "typos": """
蟹蟹你
秘鲁的手都是哪里
在说一遍可以么
晚按
好类啊
米饭怎么主
刚才纳个回答不错
""",
        "code": """
为什么 for i in range(10): print(i) 到9就停了
TypeError: 'NoneType' object is not subscriptable 是什么意思
SELECT name, COUNT(*) FROM users GROUP BY name; 这句对吗
git rebase -i HEAD~3 是干什么的
def add(a, b): return a + b 帮忙加类型注解
npm ERR! code ERESOLVE 怎么解决
{"status": "ok", "items": []} 这是合法的 JSON 吗
""",
        "emoji": """
😂😂😂 笑不活了
👍👍
❤️
🙈 手滑了
晚安 🌙✨
🎉🎉 好耶
困 😴
""",
        "commands": """
继续
停
改成被动句
用列表的形式回答
只用一个词回答
押上韵
用五个字概括上面那段
从十倒数到一
""",
    },
}
