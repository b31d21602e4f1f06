# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""What the companion says to a statement: it takes up the very thing that was said, and sometimes asks on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.llm.companion.asker import Asker
from bot.llm.companion.facts import Fact
from bot.llm.companion.knowledge import Item
from bot.llm.companion.lists_en import PETS
from bot.llm.companion.lists_zh import PETS as ZH_PETS
from bot.llm.companion.telling import dated, lower_first, second, told_list
from bot.llm.companion.text import pick
from memory.text import dates

# slot → (English, Chinese) ways to take it up; {v} is the value as written, {t} the fact in the second person.
_TAKE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "name": (("Nice to meet you, {v}!", "Hello {v}, good to know you!", "{v}: pleased to meet you!"), ("很高兴认识你，{v}！", "{v}，你好呀！", "你好{v}，认识你真好！")),
    "nickname": (("{v} it is!", "All right, {v}!"), ("好的，{v}！", "没问题，{v}！")),
    "age": (("{v}, I see.", "So you're {v}."), ("原来你{v}岁呀。", "{v}岁，好年纪。")),
    "birthday": (("{b}: I'll keep that in mind.", "A good day to celebrate, {b}."), ("{b}，我会记在心里。", "{b}，到时候要好好庆祝！")),
    "home": (("{v}, I see.", "So {v} is home.", "Ah, {v}!"), ("原来你住在{v}。", "{v}，挺好的地方吧。", "哦，{v}！")),
    "origin": (("{v}, I see.", "So your roots are in {v}."), ("原来你来自{v}。", "{v}啊，真好。")),
    "nationality": (("I see.",), ("原来如此。",)),
    "job": (("That sounds like real work: {l}.", "I see, {l}.", "So {l}."), ("原来{l}，辛苦了。", "{l}，听起来挺有意思。")),
    "employer": (("I see, {l}.", "So {l}."), ("原来{l}。", "{l}，明白了。")),
    "study": (("Interesting: {l}.", "So {l}. That takes some stamina."), ("{l}，不容易呢。", "原来{l}。")),
    "allergy": (("{V}: that's important. I'll keep it in mind.", "An allergy to {v} is no small thing; I'll bear it in mind."), ("{v}过敏，这很重要，我会留心的。", "对{v}过敏可不是小事，我记在心里。")),
    "diet": (("I see: {l}. I'll bear that in mind.",), ("明白了，{l}，我会留心。",)),
    "health": (("Thank you for telling me. I hope it doesn't trouble you too much.", "That can't always be easy. Thank you for trusting me with it."), ("谢谢你告诉我，希望它不会太困扰你。", "这应该不太容易，谢谢你愿意跟我说。")),
    "like": (("{V}, nice!", "Ah, {v}! I can see why.", "{V}: good taste."), ("{v}，不错呀！", "喜欢{v}啊，有品味。", "{v}，听着就让人开心。")),
    "dislike": (("No {v} for you, then.", "{V} is not for you, I see.", "All right: {v}, rather not."), ("明白了，{v}就算了。", "看来{v}不合你的心意。", "好，{v}你不喜欢。")),
    "favourite": (("{V}! A fine choice.", "So it's {v}."), ("{v}！好选择。", "原来是{v}。")),
    "prefer": (("{V}, then.", "{V} wins, I see."), ("那就选{v}。", "看来{v}更合你意。")),
    "hobby": (("{V}: a good way to spend time.", "{V}, how nice!"), ("{v}，真不错的爱好。", "{v}呀，挺好的。")),
    "whim": (("{V} sounds good right now!", "Then {v} it should be!"), ("{v}听起来就很馋人！", "那就安排上{v}！")),
    "language": (("{V}! That opens doors.", "{V}, impressive."), ("会{v}，真厉害。", "{v}！很有用呢。")),
    "skill": (("That's a fine skill.", "Impressive!"), ("真厉害！", "这个本事不错。")),
    "goal": (("A good thing to aim for.", "I like that plan.", "That's worth going after."), ("这个目标很值得。", "听起来很棒，加油！", "好想法，祝你顺利。")),
    "project": (("That sounds like something worth building.",), ("听起来值得花心思。",)),
    "decision": (("A decision, then. I hope it feels right.", "That's a step."), ("既然决定了，就放心去做吧。", "做出决定不容易。")),
    "habit": (("A good rhythm to have.", "So that's part of your days."), ("挺有规律的。", "原来这是你的日常。")),
    "lesson": (("That's worth remembering.",), ("这个体会很值得记住。",)),
    "have": (("Nice!", "Oh, nice."), ("不错呀！", "挺好的。")),
    "relation": (("{V}, a nice name.", "{V}! Good to know."), ("{v}，好名字。", "原来叫{v}。")),
    "pet": (("{V}! What a name.", "Hello to {v} from me!"), ("{v}！名字真可爱。", "替我向{v}问好！")),
    "count": (("I see: {l}.",), ("原来{l}。",)),
    "about": (("I see: {l}.", "Ah, {l}."), ("原来{l}。", "这样啊，{l}。")),
    "mood": (("That's understandable. I'm listening.",), ("可以理解，我听着呢。",)),
    "trip": (("{V}! I hope it was a good time.",), ("{v}！希望玩得开心。",)),
    "contact": (("Thank you, I'll keep that between us.",), ("好的，这个我会替你保密。",)),
}  # fmt: skip
_ASK_ON: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "name": (("Where do you live?", "How is your day going?"), ("你住在哪里？", "今天过得怎么样？")),
    "nickname": (("How is your day going?",), ("今天过得怎么样？",)),
    "age": (("When is your birthday?",), ("你的生日是什么时候？",)),
    "home": (("How do you like living there?", "Have you been there long?"), ("住得还习惯吗？", "在那儿住了很久吗？")),
    "origin": (("Do you go back often?",), ("常回去吗？",)),
    "job": (("What do you like most about it?", "How did you come to do that?"), ("做这行最喜欢什么？", "工作忙吗？")),
    "employer": (("How are things there?",), ("那边怎么样？",)),
    "study": (("What made you choose it?",), ("怎么会选这个呢？",)),
    "allergy": (("Is it a serious one?",), ("严重吗？",)),
    "like": (("What do you like most about it?", "How did that begin?", "Since when?"), ("最喜欢它哪一点？", "是从什么时候开始的？", "怎么喜欢上的？")),
    "dislike": (("Was it always so?", "What is it that puts you off?"), ("一直都这样吗？", "是哪里让你不喜欢？")),
    "favourite": (("What makes it your favourite?",), ("为什么最喜欢它呢？",)),
    "hobby": (("How often do you get to it?",), ("平时常有时间玩吗？",)),
    "language": (("Where did you learn it?",), ("是怎么学会的？",)),
    "skill": (("How long have you been doing it?",), ("练了多久啦？",)),
    "goal": (("What is the first step?", "What draws you to it?"), ("第一步打算做什么？", "是什么让你有这个想法的？")),
    "project": (("How far along are you?",), ("进展怎么样？",)),
    "decision": (("What made you decide?",), ("是什么让你下定决心的？",)),
    "relation": (("Are you close?", "What is {v} like?"), ("你们关系好吗？", "{v}是个什么样的人？")),
    "pet": (("How old is {v}?", "What is {v} up to all day?"), ("{v}多大了？", "{v}平时都在干嘛？")),
    "event": (("How do you feel about it?", "Are you ready for it?"), ("准备得怎么样了？", "心情如何？")),
    "habit": (("How did you get into that?",), ("怎么养成的？",)),
    "mood": (("What weighs on you most?",), ("最让你放不下的是什么？",)),
}  # fmt: skip
_SAD = re.compile(
    r"\b(?:died|passed away|dead|cancer|fired|laid off|miscarriage|broke up|split up|divorced|failed|lost(?! (?:\d|weight|some weight))|accident|robbed|in (?:the )?hospital|hospitali[sz]ed)\b|去世|过世|走了$|分手|离婚|失恋|被裁|失业|流产|骨折|住院|癌",
    re.I,
)
_GLAD = re.compile(
    r"\b(?:promoted|accepted|graduated|won|passed my|got the job|hired|engaged|married|baby|published|finished|degree)\b|升职|毕业|考上|录取|通过|获奖|结婚|订婚|生了|拿到|买房|出版",
    re.I,
)


def acknowledge(a: Asker, facts: Sequence[Fact], seed: str, asked_before: str) -> str:
    """A reply to what was stated; `asked_before` is what the companion said last, so that it asks nothing twice."""
    facts = [f for f in facts if f.text]
    if not facts:
        return ""
    main = next((f for f in facts if _moving(f)), facts[0])
    first = _one(a, main, seed)
    facts = [f for n, f in enumerate(facts) if f.text not in {g.text for g in facts[:n]}]
    facts = [
        f
        for f in facts
        if f.family != "relation"
        or not any(g is not f and g.family != "relation" and f.value in g.text for g in facts)
    ] or facts
    main = main if main in facts else facts[0]
    first = _one(a, main, seed)
    if len(facts) > 1 and not _moving(main):
        rest = facts[1:] if main.family in {"name", "nickname"} else facts
        echo = _echo(a, rest[:5])
        first = (
            f"{first} {echo}".strip()
            if main.family in {"name", "nickname"} and a.lang == "en"
            else f"{first}{echo}"
            if main.family in {"name", "nickname"}
            else echo
        )
        main = rest[-1] if main.family in {"name", "nickname"} else main
    on = _ask_on(a, main, seed)
    if not on or on in asked_before or (asked_before.rstrip().endswith(("?", "？")) and a.turn % 2):
        return first
    return f"{first} {on}" if a.lang == "en" else f"{first}{on}"


def _moving(f: Fact) -> bool:
    """Whether it is something to be sorry or glad about, before anything else."""
    return bool(_SAD.search(f.text)) or (
        bool(_GLAD.search(f.text)) and f.family in {"fact", "marital", "about", "job"} and f.holds
    )


def _family(f: Fact) -> str:
    if f.family == "like" and not f.holds:
        return "dislike"
    if f.family == "relation" and (PETS.search(f.slot) or ZH_PETS.search(f.slot)):
        return "pet"
    if f.slot in {"email", "phone", "address"}:
        return "contact"
    if f.family == "todo":
        return "event"
    return {
        "attr": "have",
        "work_place": "employer",
        "field": "job",
        "school": "study",
        "native": "language",
        "wake_time": "habit",
        "sleep_time": "habit",
    }.get(f.family, f.family)


def sorry(a: Asker, text: str) -> str:
    """Condolence, where what is told calls for it; else empty."""
    if not _SAD.search(text) or not re.search(r"\b(?:i|my|me|we|our|us)\b|我|咱", text, re.I):
        return ""
    return pick(
        ("I'm sorry to hear that.", "That is hard. I'm sorry.", "Oh no. I'm sorry.")
        if a.lang == "en"
        else ("听到这个我很难过。", "这一定很不好受。", "唉，抱抱你。"),
        text,
    ) + a.say(" Would you like to talk about it?", "想聊聊吗？")


def _one(a: Asker, f: Fact, seed: str) -> str:
    you = dated(second(f.text), a.now, due=f.due or f.family in {"event", "todo", "goal"})
    if _SAD.search(f.text):
        return pick(
            ("I'm sorry to hear that.", "That is hard. I'm sorry.", "Oh no. I'm sorry.")
            if a.lang == "en"
            else ("听到这个我很难过。", "这一定很不好受。", "唉，抱抱你。"),
            seed,
        )
    if _moving(f):
        return pick(
            ("Congratulations!", "How wonderful, congratulations!")
            if a.lang == "en"
            else ("恭喜恭喜！", "太好了，恭喜你！"),
            seed,
        )
    if f.family == "todo" and not f.holds:
        return a.say("Good, that's one thing done.", "好，这件事算是完成了。")
    if f.corrects or f.instead_of:
        old = f.instead_of
        if a.lang == "zh" and not f.corrects:
            return f"明白了，不是{old}，{lower_first(you)}"
        if a.lang == "zh":
            return f"好的，{'不是' + old + '，' if old else ''}是我理解错了：{lower_first(you)}"
        return f"Ah, {'not ' + old + '. ' if old else 'I see. '}So {lower_first(you)}"
    if f.ended or (not f.holds and f.family not in {"like", "diet"}):
        return a.say(
            f"I see, that has changed: {lower_first(you)}" if f.ended else f"I see: {lower_first(you)}",
            f"这样啊，{you}我会留意的。" if f.ended else f"明白了，{you}",
        )
    if f.again:
        return a.say(
            f"Still {f.value}, good!" if f.value else "Still so, good!",
            f"还是{f.value}呀，真好！" if f.value else "还是老样子，真好！",
        )
    if _family(f) == "event":
        return _event(a, f, seed)
    shapes = _TAKE.get(_family(f))
    if not shapes:
        return a.say(f"I see: {lower_first(you)}", f"原来{you}")
    shape = pick(shapes[a.lang == "zh"], seed)
    value = re.sub(r"^(?:an?|the|my)\s{1,9}", "", f.value) if f.lang == "en" else f.value
    when = re.sub(r"^.*?(?:birthday is|born|生日是|出生于)\s{0,9}(?:on )?", "", f.text).rstrip(".。")
    said = shape.format(v=value, V=value[:1].upper() + value[1:], t=you, l=lower_first(you).rstrip(".。"), b=when)
    return re.sub(r"\s{2,}", " ", said)


def _event(a: Asker, f: Fact, seed: str) -> str:
    when = dates.nearby(f.when, a.now, f.lang) if f.when else ""
    if f.when and f.when.at.year == a.now.year:
        when = when.replace(f" {a.now.year}", "").replace(f"{a.now.year}年", "")
    important = f.importance == "high"
    if a.lang == "zh":
        wish = "祝你顺利！" if important else pick(("我会记着这件事。", "好的，知道了。", "记在心里了。"), seed)
        return f"{when}，{wish}" if when else wish
    wish = "fingers crossed!" if important else pick(("I'll keep it in mind.", "got it.", "all right."), seed)
    return f"{when[:1].upper()}{when[1:]}: {wish}" if when else wish[:1].upper() + wish[1:]


def _echo(a: Asker, facts: Sequence[Fact]) -> str:
    """Several things at once, told back: it shows what was understood."""
    pairs = [(Item("", f.text, (f,), fresh=True), f) for f in facts]
    told = [s.rstrip(".。") for s in told_list(pairs, a.lang, a.now)]
    if a.lang == "zh":
        parts = [t if i == 0 else re.sub(r"^你(?=[^的])", "", t) for i, t in enumerate(told)]
        parts = [
            _bare(p, told[i - 1], r"^你(?:家)?的?[\u4e00-\u9fff]{1,4}?(?=叫|在|是|喜欢|对|住|今年|会)") if i else p
            for i, p in enumerate(parts)
        ]
        return f"原来{'，'.join(parts)}。"
    parts = [lower_first(t) for t in told]
    parts = [
        _bare(p, parts[i - 1], r"^(?:you|your [\w' -]{1,30}?) (?=is\b|are\b|has\b|have\b|\w+)") if i else p
        for i, p in enumerate(parts)
    ]
    return f"So {' and '.join(parts)}." if len(parts) < 3 else f"So {', '.join(parts[:-1])}, and {parts[-1]}."


def _bare(part: str, before: str, subject: str) -> str:
    """A clause without its subject, where the one before has the same."""
    m, b = re.match(subject, part), re.match(subject, before)
    return part[m.end() :] if m and b and m[0] == b[0] else part


def _ask_on(a: Asker, f: Fact, seed: str) -> str:
    if _SAD.search(f.text):
        return a.say("Would you like to talk about it?", "想聊聊吗？")
    if f.corrects or f.ended or f.again or f.instead_of or (not f.holds and f.family != "like"):
        return ""
    if _family(f) == "event" and f.importance != "high":
        return ""
    options = _ASK_ON.get(_family(f))
    if not options:
        return ""
    asks = pick(options[a.lang == "zh"], seed, "on").format(v=f.value)
    known = {
        "Where do you live?": "home",
        "你住在哪里？": "home",
        "When is your birthday?": "birthday",
        "你的生日是什么时候？": "birthday",
    }
    return "" if (slot := known.get(asks)) and a.know.having(slot) else asks
