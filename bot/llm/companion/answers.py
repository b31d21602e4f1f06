"""Answers to questions about the user, from what is known and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bot.llm.companion import dates
from bot.llm.companion.facts import Fact, overlap
from bot.llm.companion.kin import same_kin
from bot.llm.companion.knowledge import Item, Knowledge, newest
from bot.llm.companion.telling import day_text, dated, episode_told, hedged, joined, second, told, together, value_told, was
from bot.llm.companion.text import key, pick, simplified, word_set, words
from bot.llm.companion.want import Want
from memory.models import Lang

STOP = word_set(
    "the a an my me i you your am is are was do does did what when where who how which why that this it of to in on at for with about have has had "
    "know tell rememb remember say said told like lik still any some can will would could should and or not be been get go user s 什么 我的 你的 知道 记得 的是 是什 是不 不是 "
    "用户 我在 我是 你知 道我 怎么 什么时 时候 么时 哪里 多少 有什 我有 我喜 喜欢 么时候 户的 户喜 了什 过什"
)
_FOOD = re.compile(r"food|eat|dish|meal|fruit|吃|菜|食|饭|水果|甜|辣|面|肉|鱼|糕|饼|汤|火锅|寿司", re.I)


@dataclass(frozen=True, slots=True)
class Asker:
    """Everything an answer needs besides the question."""

    know: Knowledge
    lang: Lang
    now: datetime  # local, naive
    turn: int  # so that the same question is not always answered in the same words

    def say(self, en: str, zh: str) -> str:
        """The sentence in the language of the question."""
        return zh if self.lang == "zh" else en

    def tell(self, item: Item) -> str:
        """An item in the second person."""
        return told(item, self.lang, self.now, self.know.value("name"))

    def tell_all(self, found: Sequence[tuple[Item, Fact]]) -> str:
        """Several facts in as few sentences as read well."""
        return together(found, self.lang, self.now, self.know.value("name"))


def answer(a: Asker, w: Want) -> str:
    """The answer to `w`; what is not known is said not to be known."""
    return _HOW[w.how](a, w) or unknown(a, w)


def unknown(a: Asker, w: Want) -> str:
    """Nothing is known: said so, with an invitation."""
    if w.topic and len(w.topic) < 30 and w.how in {"topic", "who"}:
        return a.say(f"I don't know anything about {w.topic} yet. Tell me, and I'll remember.", f"关于{w.topic}，我还什么都不知道。告诉我，我会记着的。")
    en = ("I don't know that yet. Tell me, and I'll remember it.", "You haven't told me that yet, as far as I know. Tell me and I'll keep it in mind.", "That I don't know. If you tell me, I'll remember.")
    zh = ("这个我还不知道呢。告诉我，我会记着的。", "你好像还没跟我说过这个。告诉我，我就记在心里。", "这个我不清楚。你说了，我就会记得。")
    return pick(zh if a.lang == "zh" else en, w.question, a.turn)


def _slot(a: Asker, w: Want) -> str:
    found: list[tuple[Item, Fact]] = []
    for slot in w.slots:
        found = [(i, f) for i, f in a.know.having(slot, holds=w.holds) if (i, f) not in found]
        if slot in {"like", "allergy", "diet", "hobby", "goal", "habit", "skill", "diet:eat", "favourite:", "prefer:", "project", "decision", "language"}:
            found = [p for s in w.slots for p in a.know.having(s, holds=w.holds)]
        if found:
            break
    if w.slots[0] == "like" and w.holds:
        found = _of_sort(found, w) or found
    if not found:
        denied = [p for s in w.slots[:1] for p in a.know.having(s, holds=False)] if w.holds else []
        return a.tell_all(denied) if denied else _once(a, w)
    if w.slots[0] in {"name", "home", "employer", "job", "birthday", "age", "origin"}:
        found = [p for p in found if p[1].slot == found[-1][1].slot][-1:]
    text = a.tell_all(_unique(found))
    return text + _days_to(a, found) if w.slots[0] == "birthday" else text


def _unique(found: Sequence[tuple[Item, Fact]]) -> list[tuple[Item, Fact]]:
    out: list[tuple[Item, Fact]] = []
    for p in found:
        if not any(p[0].id == q[0].id or p[0].text == q[0].text for q in out):
            out.append(p)
    return out


def _of_sort(found: Sequence[tuple[Item, Fact]], w: Want) -> list[tuple[Item, Fact]]:
    """What do I like to eat: of the likes, those that speak of eating, where some do."""
    sort = simplified(f"{w.verb} {w.topic}".lower())
    pattern = next(
        (
            p
            for word, p in (
                ("eat|food|吃|食物", r"\beat|food|吃|面|饭|菜|肉|鱼|寿司|火锅|饺|汤|烤|ramen|sushi|pizza|pasta|curry|noodle|rice|cheese|chocolate|bread|salad|soup|burger|taco|dumpling|fruit|cake|ice cream|steak|fish"),
                ("drink|喝", r"\bdrink|coffee|tea|beer|wine|juice|喝|茶|咖啡|酒|奶|果汁|可乐"),
                ("music|listen|听|音乐", r"music|song|band|jazz|rock|listen|听|歌|音乐|乐队"),
                ("movie|film|watch|看|电影", r"movie|film|series|watch|anime|看|电影|剧|动漫"),
                ("book|read|读|书", r"book|read|novel|读|书|小说"),
                ("sport|play|运动|玩", r"play|ball|tennis|swim|run|hik|climb|ski|cycl|yoga|球|跑|游泳|爬山|运动|健身|玩|游戏"),
            )
            if re.search(word, sort)
        ),
        "",
    )
    return [(i, f) for i, f in found if pattern and re.search(pattern, simplified(i.text), re.I)]


def _once(a: Asker, w: Want) -> str:
    """What held once, where nothing of the sort holds now."""
    for slot in w.slots:
        past = [i for i in a.know.items if i.past and any(f.slot == slot for f in i.facts)]
        if past:
            return was(dated(second(past[-1].text), a.now), a.lang)
    return ""


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
    near = [(i, f) for i, f in _of_sort(a.know.having("like"), w) if i]
    if near:
        return a.say("You haven't named a favourite, but: ", "你没说过最喜欢哪个，不过") + a.tell_all(near)
    return ""


def _relation(a: Asker, w: Want) -> str:
    named = [(i, f) for i, f in a.know.having("relation:") if same_kin(f.slot.split(":", 1)[1], w.relation)]
    if named:
        values = [f.value for _, f in named]
        cross = [f for i, f in named if i.lang != a.lang]
        if cross or len(set(values)) > 1:
            clear = all(i.faded == 0 for i, _ in named)
            who = w.relation if a.lang == "zh" or len(set(values)) == 1 else f"{w.relation}s"
            text = a.say(f"Your {who} {'is' if len(set(values)) == 1 else 'are'} called {joined(values, 'en')}.", f"你的{_kin_word(w)}叫{joined(values, 'zh')}。")
            return text if clear else hedged(text, max(i.faded for i, _ in named), a.lang)
        return a.tell(named[-1][0])
    return _about(a, w)


def _kin_word(w: Want) -> str:
    m = re.search(r"我(?:们)?家?的?([\u4e00-\u9fff]{1,5}?)(?:的名字|叫|是)", w.question)
    return m[1] if m else w.relation


def _about(a: Asker, w: Want) -> str:
    rest = w.rest or w.question
    mine = [(i, f) for i, f in [*a.know.having("about:", "relation:", "count:", "event:", holds=None)] if ":" in f.slot and any(same_kin(part, w.relation) for part in (f.slot.split(":")[1], f.slot.split(":")[1].split(" ")[0]))]
    what = next(
        (
            k
            for k, p in (
                ("home", r"\bwhere\b.*\blive|住在?哪|住哪"),
                ("birthday", r"birthday|生日"),
                ("age", r"\bhow old|多大|几岁"),
                ("employer", r"\bwhere\b.*\bwork|在哪.{0,4}(?:工作|上班)"),
                ("job", r"\bdo\b(?: for| as|$)|\bjob\b|profession|做什么|工作|职业"),
                ("allergy", r"allerg|过敏"),
                ("like", r"\blike|\blove|\benjoy|喜欢|爱"),
                ("study", r"stud|major|专业|上学|读"),
                ("breed", r"breed|kind of|品种"),
            )
            if re.search(p, w.question, re.I)
        ),
        "",
    )
    fitting = [(i, f) for i, f in mine if f.slot.endswith(f":{what}") or (what == "breed" and f.slot.endswith(":what"))] if what else mine
    if not fitting and what == "job":
        fitting = [(i, f) for i, f in mine if f.slot.endswith((":employer", ":study"))]
    if fitting:
        items = list(dict.fromkeys(i.id for i, _ in fitting))
        return _lines(a, [next(i for i, _ in fitting if i.id == d) for d in items][-5:])
    return "" if what and mine else _topic(a, Want("topic", question=rest, topic=w.question))


def _lines(a: Asker, items: Sequence[Item]) -> str:
    return a.say(" ", "").join(a.tell(i) for i in items)


def _have(a: Asker, w: Want) -> str:
    topic = simplified(w.topic.lower())
    groups = {
        "pet": r"cat|dog|pet|hamster|rabbit|parrot|fish|bird|turtle|horse|猫|狗|兔|鼠|鸟|鱼|龟|宠物",
        "sibling": r"brother|sister|哥|姐|弟|妹",
        "famil": r"mother|father|brother|sister|son|daughter|wife|husband|kid|child|妈|爸|哥|姐|弟|妹|儿|女|妻|夫",
        "partner": r"wife|husband|girlfriend|boyfriend|partner|spouse|妻|夫|朋友|对象",
    }
    alias = {"宠物": "pet", "兄弟姐妹": "sibling", "对象": "partner", "brothers or": "sibling"}
    name = next((g for g in groups if g in topic), None) or next((v for k, v in alias.items() if k in topic), None)
    stem = re.sub(r"(?:ren|s)$", "", topic.split(" ")[0])
    pattern = groups[name] if name else re.escape(stem)
    found = [(i, f) for i, f in a.know.having("relation:", "count:", "have:", "attr:", holds=None) if re.search(pattern, simplified(f.slot.lower() + f.value.lower()))]
    if not found:
        return ""
    items = [i for i, _ in _unique(found)]
    yes = any(f.holds for _, f in found)
    return a.say("Yes. " if yes else "No. ", "有。" if yes else "没有。") + _lines(a, items[:5])


def _yesno(a: Asker, w: Want) -> str:
    topic, verb = w.topic, w.verb.split(" ")[0]
    slots = {
        "like": ("like", "favourite:", "hobby", "prefer:"), "love": ("like", "favourite:", "hobby"), "enjoy": ("like", "hobby"), "prefer": ("prefer:", "like"), "hate": ("like",), "dislike": ("like",),
        "use": ("like",), "drink": ("diet:drink", "like", "habit"), "eat": ("diet:eat", "like", "diet"), "smoke": ("diet:smoke", "habit"), "allergic": ("allergy",), "speak": ("language", "native"), "live": ("home",),
        "work": ("employer", "job", "work_place"), "have": ("have:", "relation:", "count:", "allergy", "health:"), "own": ("have:", "attr:"), "play": ("skill", "like"), "from": ("origin", "nationality"),
        "喜欢": ("like", "favourite:", "hobby"), "爱": ("like", "hobby"), "讨厌": ("like",), "过敏": ("allergy",), "吃": ("diet:eat", "like"), "喝": ("diet:drink", "like"), "会": ("language", "skill"), "会说": ("language",), "住在": ("home",), "养": ("relation:", "count:"),
    }.get(verb) or next((v for k, v in {"喜欢": ("like", "favourite:", "hobby"), "爱": ("like", "hobby")}.items() if verb.startswith(k)), ("like", "allergy", "diet", "marital", "job", "skill", "have:", "health:", "nationality", "origin", "language", "home"))  # fmt: skip
    asked_no = verb in {"hate", "dislike", "讨厌"}
    want = key(topic)
    for slot in slots:
        for i, f in reversed([(i, f) for i in a.know.items for f in i.facts if f.slot == slot or (slot.endswith(":") and f.slot.startswith(slot))]):
            about = f.value if not f.slot.startswith(("have:", "relation:", "count:", "health:")) else f"{f.slot} {f.value}"
            if key(f.value) == want or (want and overlap(about, topic) >= 0.99):
                holds = f.holds and not i.past
                if i.past and any(not j.past and g.key == f.key and g.slot == f.slot for j in a.know.items for g in j.facts):
                    continue
                yes = holds != asked_no if f.slot == "like" else holds
                return a.say("Yes. " if yes else "No. ", "对，" if yes else "没有，" if a.lang == "zh" and slot in {"have:", "relation:"} else "不，") + a.tell(i)
    if verb in {"live", "住在"} and (home := a.know.having("home")):
        return a.say("No, as far as I know. ", "据我所知不是，") + a.tell(home[-1][0])
    return ""


def _safe(a: Asker, w: Want) -> str:
    """Can I eat X: what allergies and diet say; never that something is safe."""
    hits = [i for i, f in a.know.having("allergy") if overlap(f.value, w.topic) >= 0.5 or key(f.value) in key(w.topic)]
    if hits:
        return a.say("Better not! ", "最好别！") + a.tell(hits[0])
    diet = [(i, f) for i, f in a.know.having("diet", "diet:eat", "diet:drink", "diet:avoid", holds=None)]
    for i, f in diet:
        if overlap(f.value, w.topic) >= 0.99:
            return a.tell(i)
    known = [i for i, _ in a.know.having("allergy")] + [i for i, f in diet if f.slot == "diet"]
    if known:
        return a.say("I can't judge that, but bear in mind: ", "这个我判断不了，不过要记得：") + _lines(a, known)
    return a.say("I don't know of any allergy of yours, but I can't tell what is in it.", "我不知道你对什么过敏，也没法判断里面有什么，请自己留意。")


def window(question: str, now: datetime, lang: Lang) -> tuple[date, date] | None:
    """The days that a question about plans means; None for all that is to come."""
    found = dates.find(question, now, lang)
    if found:
        return min(w.at.date() for w in found), max(w.last_day for w in found)
    return None


def _planned(a: Asker) -> list[tuple[dates.When, Item]]:
    out = []
    for i in a.know.holding():
        if i.kind in {"todo", "goal"} or any(f.family in {"event", "todo", "goal"} for f in i.facts):
            if any(not f.holds for f in i.facts):
                continue
            out += [(w, i) for w in dates.find(i.text, a.now, i.lang)[-1:]]
    return sorted(out, key=lambda p: p[0].at)


def _plans(a: Asker, w: Want) -> str:
    span = window(w.question, a.now, a.lang)
    planned = _planned(a)
    if span:
        hits = [i for when, i in planned if when.covers(*span)]
        if hits:
            return _lines(a, hits)
        ahead = [i for when, i in planned if not when.over(a.now)]
        tail = (a.say(" What I do know of: ", "我知道的是：") + _lines(a, ahead[:2])) if ahead else ""
        return a.say("I know of nothing planned for then.", "那时候没有我知道的安排。") + tail
    ahead = [i for when, i in planned if not when.over(a.now)]
    undated = [i for i in a.know.holding() if any(f.family in {"todo", "goal", "decision"} and f.holds for f in i.facts) and i not in ahead and not any(i is j for _, j in planned)]
    found = (ahead + undated)[:6]
    return _lines(a, found) if found else a.say("I know of no plans of yours at the moment. Tell me and I'll keep them in mind.", "目前我不知道你有什么安排。告诉我，我会记着。")


def _when(a: Asker, w: Want) -> str:
    topic = words(w.topic) - STOP
    best: tuple[float, Item] | None = None
    for i in a.know.items:
        facts = [f for f in i.facts if f.family in {"event", "todo", "goal", "birthday", "about"}]
        if not dates.find(i.text, a.now, i.lang) or not (facts or i.kind in {"todo", "goal", "fact"}):
            continue
        theirs = words(i.text)
        score = len(topic & theirs) / max(1, len(topic))
        best = (score, i) if score > 0.3 and (best is None or score >= best[0]) and not i.past else best
    if best:
        return a.tell(best[1])
    return _topic(a, w) if topic else _plans(a, w)


def _who(a: Asker, w: Want) -> str:
    name = key(w.topic)
    hits = [i for i in a.know.items if name and (any(key(f.value) == name or name in (key(e) for e in f.entities) for f in i.facts) or re.search(rf"(?<![a-z]){re.escape(w.topic)}(?![a-z])", i.text, re.I))]
    return _lines(a, hits[:4])


def _topic(a: Asker, w: Want) -> str:
    """What fits the words of the question best; only what shares words that carry meaning."""
    near = [(s, i) for s, i in a.know.near(w.topic or w.question, STOP) if s >= 1]
    if not near:
        return ""
    top = near[0][0]
    hits = [i for s, i in near if s >= max(1.0, top * 0.75)][:3]
    return _lines(a, hits)


_GROUPS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("name", "nickname", "surname", "age", "birthday", "home", "origin", "nationality", "address", "marital", "living", "native"), "About you", "关于你"),
    (("job", "employer", "work_place", "field", "study", "school", "past:"), "Work and studies", "工作与学习"),
    (("relation:", "about:", "count:"), "Your people", "你身边的人"),
    (("allergy", "diet", "diet:", "health:"), "Health", "健康"),
    (("like", "favourite:", "prefer:", "hobby", "whim"), "Tastes", "喜好"),
    (("skill", "language", "habit", "wake_time", "sleep_time", "lesson"), "Skills and habits", "技能与习惯"),
    (("event:", "todo", "goal", "project", "decision"), "Plans", "计划"),
)


def _all(a: Asker, w: Want) -> str:
    left = [i for i in a.know.holding()]
    if not left:
        return a.say("Nothing yet, really. Tell me a little about yourself: your name, where you live, what you like.", "目前还什么都不知道呢。跟我说说你自己吧：叫什么、住哪儿、喜欢什么。")
    out: list[str] = []
    for slots, en, zh in _GROUPS:
        mine = [i for i in left if any(f.slot == s or (s.endswith(":") and f.slot.startswith(s)) for f in i.facts for s in slots)]
        if mine:
            left = [i for i in left if i not in mine]
            pairs = [(i, i.facts[0]) for i in mine]
            out.append(f"**{a.say(en, zh)}**{a.say(': ', '：')}{a.tell_all(_unique(pairs))}")
    if left:
        out.append(f"**{a.say('Also', '其他')}**{a.say(': ', '：')}{_lines(a, left[:8])}")
    head = a.say("This is what I have in mind right now:", "我现在想得起来的有这些：")
    return head + "\n\n" + "\n".join(f"- {line}" for line in out) + "\n\n" + a.say("/memories shows everything that is kept.", "输入 /memories 可以看到全部记忆。")


def _last(a: Asker, w: Want) -> str:
    told_of = newest(a.know)
    span = window(w.question, a.now, a.lang)
    if span:
        fitting = [t for t in told_of if (d := t[1:11]) and re.fullmatch(r"\d{4}-\d\d-\d\d", d) and span[0] <= date.fromisoformat(d) <= span[1] + timedelta(days=0)]
        told_of = fitting or told_of
    if not told_of:
        if a.know.summary:
            return a.say("So far: ", "到目前为止：") + _second_all(a.know.summary)
        return a.say("I remember no earlier conversation. If there was one, nothing of it has stayed.", "我不记得之前聊过什么。就算聊过，也没有留下印象。")
    text = episode_told(told_of[-1], a.lang, a.now)
    return text if re.match(r"(?:We|You|我们|你)|.*(?:ago|day|天)", text) else a.say("Last time: ", "上次：") + text


def _second_all(summary: str) -> str:
    parts = [p for p in re.split(r"(?<=[。！？])|(?<=[.])\s+|\n", summary) if p and p.strip()]
    zh = bool(re.search(r"[\u4e00-\u9fff]", summary))
    return ("" if zh else " ").join(second(p) for p in parts)


_HOW: dict[str, Callable[[Asker, Want], str]] = {
    "all": _all, "last": _last, "slot": _slot, "safe": _safe, "favourite": _favourite, "relation": _relation, "about": _about, "have": _have, "plans": _plans, "when": _when, "yesno": _yesno, "topic": _topic, "who": _who,
}  # fmt: skip
__all__ = ["Asker", "answer", "day_text", "unknown", "value_told"]
