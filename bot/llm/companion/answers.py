# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Answers to questions about the user, from what is known and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.llm.companion.asker import Asker, by_topic, lines, once_was, unique
from bot.llm.companion.facts import Fact, overlap
from bot.llm.companion.kin import same_kin
from bot.llm.companion.knowledge import Item
from bot.llm.companion.lists_zh import thing
from bot.llm.companion.overviews import everything, last_time, plans, when
from bot.llm.companion.telling import (
    hedged,
    joined,
)
from bot.llm.companion.text import key, pick, simplified, word_set
from bot.llm.companion.want import Want
from memory import bilingual
from memory.text import dates


def answer(a: Asker, w: Want) -> str:
    """The answer to `w`; what is not known is said not to be known."""
    found = _HOW[w.how](a, w)
    if not found and re.search(r"hobb|爱好|兴趣", w.question):
        found = _slot(a, Want("slot", ("habit", "skill"), question=w.question))
    if not found and w.slots[:1] == ("habit",):
        found = by_topic(a, w)
    return found or unknown(a, w)


# No thing, but a piece of the question: 关于你的该给他做 is said by nobody.
_NO_TOPIC = re.compile(r"^(?:以前|现在|们|还|都|该|要|想|在|有|会|能|给|弹|做|吃|喝|嚼|读|去)|[给做吃喝]$|了")


def unknown(a: Asker, w: Want) -> str:
    """Nothing is found: said so, with an invitation."""
    if a.where == "temp":
        return a.say("Off the record I don't look.", "临时模式下我不去查找。")
    if a.where == "group":
        return a.say("Ask me in private.", "私聊里问我吧。")
    if w.topic and len(w.topic) < 30 and w.how in {"topic", "who"} and not _NO_TOPIC.search(w.topic):
        topic = re.sub(r"\s{1,9}(?:is|are|was|were|called|again)$|(?:的|呢|吗)$", "", w.topic)
        own = re.search(rf"\b(?:my|our) {re.escape(topic)}", w.question, re.I) or re.search(
            rf"我(?:们|家)?的?{re.escape(topic)}", w.question
        )
        return a.say(
            f"I can't find anything about {'your ' if own else ''}{topic}. Tell me, and I'll remember.",
            f"关于{'你的' if own else ''}{topic}，我没有找到什么。告诉我，我会记着的。",
        )
    en = (
        "I can't find that. Tell me, and I'll remember it.",
        "I have nothing about that at hand. Tell me and I'll keep it in mind.",
        "That I can't find. If you tell me, I'll remember.",
    )
    zh = (
        "这个我没找到。告诉我，我会记着的。",
        "这个我手头没有。告诉我，我就记在心里。",
        "这个我找不到。你说了，我就会记得。",
    )
    return pick(zh if a.lang == "zh" else en, w.question, a.turn)


_SINGLY = word_set(
    "name nickname surname age birthday address home living origin nationality employer work_place job field study school marital"
)
_BEFORE = re.compile(r"\b(?:before|used to|previously|formerly|in the past|earlier)\b|以前|之前|曾经|过去|原来", re.I)


def _slot(a: Asker, w: Want) -> str:
    if _BEFORE.search(w.question) and (once := _before(a, w)):
        return once
    if w.slots[0] in _SINGLY:  # the first slot that is known answers, with its newest value
        found = next((got[-1:] for s in w.slots if (got := a.know.having(s, holds=w.holds))), [])
    else:
        found = [p for s in w.slots for p in a.know.having(s, holds=w.holds)]
    if w.slots[0] == "like" and w.holds and found:
        fitting = _of_sort(found, w)
        if not fitting and _sort(w):
            return a.say("I can't find that; the nearest is: ", "这个我没找到，最接近的是：") + a.tell_all(
                unique(found)
            )
        found = fitting or found
    if not found:
        denied = a.know.having(w.slots[0], holds=False) if w.holds else []
        return a.tell_all(denied) if denied else once_was(a, w)
    text = a.tell_all(unique(found))
    return text + _days_to(a, found) if w.slots[0] == "birthday" else text


def _before(a: Asker, w: Want) -> str:
    """Where did I live before: what held once, by name or because something else has taken its place."""
    slots = {*w.slots, *(f"past:{s}" for s in w.slots)}
    found = [
        i for i in a.know.items if any(f.slot in slots and (i.past or f.slot.startswith("past:")) for f in i.facts)
    ]
    return lines(a, found[-3:])


def _of_sort(found: Sequence[tuple[Item, Fact]], w: Want) -> list[tuple[Item, Fact]]:
    """What do I like to eat: of the likes, those that speak of eating, and those that speak of nothing else."""
    pattern = _sort(w)
    if not pattern:
        return list(found)
    others = [p for _, p in _SORTS if p != pattern]
    mine = [(i, f) for i, f in found if re.search(pattern, simplified(i.text), re.I)]
    return mine or [(i, f) for i, f in found if not any(re.search(p, simplified(i.text), re.I) for p in others)]


_SORTS = (
    (
        "eat|food|吃|食物",
        r"\beat|food|吃|面|饭|菜|肉|鱼|寿司|火锅|饺|汤|烤|ramen|sushi|pizza|pasta|curry|noodle|rice|cheese|chocolate|bread|salad|soup|burger|taco|dumpling|fruit|cake|ice cream|steak|fish",
    ),
    ("drink|喝", r"\bdrink|coffee|tea|beer|wine|juice|喝|茶|咖啡|酒|奶|果汁|可乐"),
    ("music|listen|听|音乐", r"music|song|band|jazz|rock|listen|听|歌|音乐|乐队"),
    ("movie|film|watch|看|电影", r"movie|film|series|watch|anime|看|电影|剧|动漫"),
    ("book|read|读|书", r"book|read|novel|读|书|小说"),
    (
        "sport|运动|玩|play|do|做",
        r"play|ball|tennis|swim|run|hik|climb|ski|cycl|yoga|球|跑|游泳|爬山|运动|健身|玩|游戏",
    ),
)


def _sort(w: Want) -> str:
    """The pattern of the sort of thing that is asked for; empty if none is named."""
    asked = simplified(f"{w.verb} {w.topic}".lower())
    return next((p for word, p in _SORTS if re.search(word, asked)), "")


def edible(item: Item) -> bool:
    """Whether it speaks of food."""
    return bool(re.search(_SORTS[0][1], simplified(item.text), re.I))


def _days_to(a: Asker, found: Sequence[tuple[Item, Fact]]) -> str:
    when = dates.find(found[-1][0].text, a.now, found[-1][0].lang)
    if not when or when[-1].grain != "day":
        return ""
    nxt = dates.near_date(a.now, when[-1].at.month, when[-1].at.day, past=False)
    gap = (nxt.date() - a.now.date()).days if nxt else 99
    if gap == 0:
        return a.say(" That's today: happy birthday!", "就是今天，生日快乐！")
    return a.say(f" That's in {gap} day{'' if gap == 1 else 's'}!", f"还有{gap}天！") if gap <= 30 else ""


def _favourite(a: Asker, w: Want) -> str:
    topic = w.topic.lower().replace("color", "colour")
    for i, f in reversed(a.know.having("favourite:")):
        if overlap(f.slot.split(":", 1)[1], topic) >= 0.5 or f.slot.endswith(simplified(topic)):
            return a.tell(i)
    near = _of_sort(a.know.having("like"), w) if _sort(w) else []
    if near:
        return a.say("I can't find a favourite; the nearest is: ", "最喜欢哪个我没找到，最接近的是：") + a.tell_all(
            near
        )
    return ""


def _relation(a: Asker, w: Want) -> str:
    named = [(i, f) for i, f in a.know.having("relation:") if same_kin(f.slot.split(":", 1)[1], w.relation)]
    if named:
        values = [f.value for _, f in named]
        cross = [f for i, f in named if i.lang != a.lang]
        if cross or len(set(values)) > 1:
            clear = all(i.faded == 0 for i, _ in named)
            who = w.relation if a.lang == "zh" or len(set(values)) == 1 else f"{w.relation}s"
            text = a.say(
                f"Your {who} {'is' if len(set(values)) == 1 else 'are'} called {joined(values, 'en')}.",
                f"你的{_kin_word(w)}叫{joined(values, 'zh')}。",
            )
            return text if clear else hedged(text, max(i.faded for i, _ in named), a.lang)
        return a.tell(named[-1][0])
    return _about(a, w)


def _kin_word(w: Want) -> str:
    m = re.search(r"我(?:们)?家?的?([\u4e00-\u9fff]{1,5}?)(?:的名字|叫|是)", w.question)
    return m[1] if m else w.relation


def _of(who: str, relation: str) -> bool:
    """Whether a slot's `kid ella` or 孩子安安 is one of that relation."""
    return (
        same_kin(who, relation)
        or same_kin(who.split(" ", maxsplit=1)[0], relation)
        or (len(relation) > 1 and who.startswith(relation))
    )


def _about(a: Asker, w: Want) -> str:
    rest = w.rest or w.question
    mine = [
        (i, f)
        for i, f in [*a.know.having("about:", "relation:", "count:", "event:", holds=None)]
        if ":" in f.slot and _of(f.slot.split(":")[1], w.relation)
    ]
    what = next(
        (
            k
            for k, p in (
                ("home", r"\bwhere\b.*\blive|住在?哪|住哪"),
                ("birthday", r"birthday|生日"),
                ("age", r"\bhow old|多大|几岁"),
                ("employer", r"\bwhere\b.*\bwork|在哪.{0,4}(?:工作|上班)"),
                ("job", r"\bdo(?:es)?\b(?: for| as|\W*$)|\bjob\b|profession|做什么|工作|职业"),
                ("allergy", r"allerg|过敏"),
                ("like", r"\blike|\blove|\benjoy|喜欢|爱"),
                ("study", r"stud|major|专业|上学|读"),
                ("breed", r"breed|kind of|品种"),
            )
            if re.search(p, w.question, re.I)
        ),
        "",
    )
    called = {f.value for _, f in a.know.having("relation:") if f.value and f.value in w.question}
    if called:  # of two kids, the one by that name
        mine = [p for p in mine if any(n.lower() in p[1].slot or n in p[0].text for n in called)] or mine
    fitting = (
        [(i, f) for i, f in mine if f.slot.endswith(f":{what}") or (what == "breed" and f.slot.endswith(":what"))]
        if what
        else mine
    )
    if not fitting and what == "job":
        fitting = [(i, f) for i, f in mine if f.slot.endswith((":employer", ":study"))]
    if fitting:
        items = list(dict.fromkeys(i.id for i, _ in fitting))
        return lines(a, [next(i for i, _ in fitting if i.id == d) for d in items][-5:])
    return "" if what and mine else by_topic(a, Want("topic", question=rest, topic=w.relation))


def _have(a: Asker, w: Want) -> str:
    topic = simplified(w.topic.lower())
    groups = {
        "pet": r"cat|dog|pet|hamster|rabbit|parrot|fish|bird|turtle|horse|猫|狗|兔|鼠|鸟|鱼|龟|宠物",
        "sibling": r"brother|sister|哥|姐|弟|妹",
        "famil": r"mother|father|brother|sister|son|daughter|wife|husband|kid|child|妈|爸|哥|姐|弟|妹|儿|女|妻|夫",
        "kid": r"kid|child|son\b|daughter|baby|儿子|女儿|孩子|宝宝",
        "child": r"kid|child|son\b|daughter|baby|儿子|女儿|孩子|宝宝",
        "partner": r"wife|husband|girlfriend|boyfriend|partner|spouse|妻|夫|朋友|对象",
    }
    alias = {"宠物": "pet", "兄弟姐妹": "sibling", "对象": "partner", "孩子": "kid", "brothers or": "sibling"}
    name = next((g for g in groups if g in topic), None) or next((v for k, v in alias.items() if k in topic), None)
    stem = re.sub(r"(?:ren|s)$", "", topic.split(" ")[0])
    pattern = groups[name] if name else re.escape(stem)
    found = [
        (i, f)
        for i, f in a.know.having("relation:", "count:", "have:", "attr:", "about:", holds=None)
        if re.search(pattern, simplified(f"{f.slot} {f.value}".lower()))
        or (i.lang != a.lang and bilingual.things(w.topic) & bilingual.things(f"{f.slot} {f.value}"))
    ]
    if not found:
        return ""
    items = [i for i, _ in unique(found)]
    yes = any(f.holds for _, f in found)
    if all(f.family == "about" for _, f in found):
        return lines(a, items[:5])
    return a.say("Yes. " if yes else "No. ", "有。" if yes else "没有。") + lines(a, items[:5])


def _yesno(a: Asker, w: Want) -> str:
    topic, verb = w.topic, w.verb.split(" ")[0]
    slots = {
        "like": ("like", "favourite:", "hobby", "prefer:"), "love": ("like", "favourite:", "hobby"), "enjoy": ("like", "hobby"), "prefer": ("prefer:", "like"), "hate": ("like",), "dislike": ("like",),
        "use": ("like",), "drink": ("diet:drink", "like", "habit"), "eat": ("diet:eat", "like", "diet"), "smoke": ("diet:smoke", "habit"), "allergic": ("allergy",), "speak": ("language", "native"), "live": ("home",),
        "work": ("employer", "job", "work_place"), "have": ("have:", "relation:", "count:", "allergy", "health:"), "own": ("have:", "attr:"), "play": ("skill", "like"), "from": ("origin", "nationality"),
        "喜欢": ("like", "favourite:", "hobby"), "爱": ("like", "hobby"), "讨厌": ("like",), "过敏": ("allergy",), "吃": ("diet:eat", "like"), "喝": ("diet:drink", "like"), "会": ("language", "skill"), "会说": ("language",), "住在": ("home",), "养": ("relation:", "count:"), "抽": ("diet:drink", "diet:eat", "diet:smoke", "habit"),
    }.get(verb) or next((v for k, v in {"喜欢": ("like", "favourite:", "hobby"), "爱": ("like", "hobby")}.items() if verb.startswith(k)), ("like", "allergy", "diet", "marital", "job", "skill", "have:", "health:", "nationality", "origin", "language", "home"))  # fmt: skip
    asked_no = verb in {"hate", "dislike", "讨厌"}
    topic = thing(topic) if a.lang == "zh" else topic
    want = key(topic)
    for slot in slots:
        for i, f in reversed(
            [
                (j, g)
                for j in a.know.items
                for g in j.facts
                if g.slot == slot or (slot.endswith(":") and g.slot.startswith(slot))
            ]
        ):
            about = (
                f.value
                if not f.slot.startswith(("have:", "relation:", "count:", "health:"))
                else f"{f.slot} {f.value}"
            )
            if key(f.value) == want or (want and overlap(about, topic) >= 0.99):
                holds = f.holds and not i.past
                if i.past and any(
                    not j.past and g.key == f.key and g.slot == f.slot for j in a.know.items for g in j.facts
                ):
                    continue
                if re.search(r" or |还是", w.question):
                    return a.tell(i)
                yes = holds != asked_no if f.slot == "like" else holds
                return a.say(
                    "Yes. " if yes else "No. ",
                    "对，" if yes else "没有，" if a.lang == "zh" and slot in {"have:", "relation:"} else "不，",
                ) + a.tell(i)
    if verb in {"live", "住在"} and (home := a.know.having("home")):
        return a.say("No, as far as I know. ", "据我所知不是，") + a.tell(home[-1][0])
    return ""


def _safe(a: Asker, w: Want) -> str:
    """Can I eat X: what allergies and diet say; never that something is safe."""
    hits = [
        i for i, f in a.know.having("allergy") if overlap(f.value, w.topic) >= 0.5 or key(f.value) in key(w.topic)
    ]
    if hits:
        return a.say("Better not! ", "最好别！") + a.tell(hits[0])
    diet = [(i, f) for i, f in a.know.having("diet", "diet:eat", "diet:drink", "diet:avoid", holds=None)]
    for i, f in diet:
        if overlap(f.value, w.topic) >= 0.99:
            return a.tell(i)
    known = [i for i, _ in a.know.having("allergy")] + [i for i, f in diet if f.slot == "diet"]
    if known:
        return a.say("I can't judge that, but bear in mind: ", "这个我判断不了，不过要记得：") + lines(a, known)
    return a.say(
        "I can't find anything about allergies, and I can't tell what is in it.",
        "我没找到关于过敏的内容，也没法判断里面有什么，请自己留意。",
    )


def _who(a: Asker, w: Want) -> str:
    name = key(w.topic)
    hits = [
        i
        for i in a.know.items
        if name
        and (
            any(key(f.value) == name or name in (key(e) for e in f.entities) for f in i.facts)
            or re.search(rf"(?<![a-z]){re.escape(w.topic)}(?![a-z])", i.text, re.I)
        )
    ]
    return lines(a, hits[:4])


_HOW: dict[str, Callable[[Asker, Want], str]] = {
    "all": everything, "last": last_time, "slot": _slot, "safe": _safe, "favourite": _favourite, "relation": _relation, "about": _about, "have": _have, "plans": plans, "when": when, "yesno": _yesno, "topic": by_topic, "who": _who,
}  # fmt: skip
