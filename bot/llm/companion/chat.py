# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""The chat role: read the message, answer its questions from memory, take up what it states, keep it friendly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from bot.llm.companion import answers, ask_en, ask_zh, dates, listening, overviews, smalltalk
from bot.llm.companion.ack import acknowledge, sorry
from bot.llm.companion.asker import STOP, Asker
from bot.llm.companion.facts import Fact
from bot.llm.companion.kin import same_kin
from bot.llm.companion.knowledge import Knowledge, gather, newest
from bot.llm.companion.lists_en import RELATION as EN_RELATION
from bot.llm.companion.lists_zh import RELATION as ZH_RELATION
from bot.llm.companion.payload import mappings
from bot.llm.companion.people_en import relation as relation_en
from bot.llm.companion.people_zh import relation as relation_zh
from bot.llm.companion.speech import joking, questions
from bot.llm.companion.statements import corrects_only, parse
from bot.llm.companion.telling import episode_told, lower_first, second
from bot.llm.companion.text import CJK, clean, pick, simplified, tongue
from bot.llm.companion.want import Want
from memory.models import Json, Lang, language_of

_PROMISE = re.compile(r"I'll (?:remember|keep|bear|not forget)|记着|记住|记在|留心")


def answer(data: Mapping[str, Json]) -> str:
    """The reply to `data["message"]`."""
    message = str(data.get("message") or "").strip()
    lang = tongue(message, "zh" if data.get("lang") == "zh" else "en")
    history = mappings(data.get("history"))
    a = Asker(gather(data), lang, _now(data), len(history), str(data.get("where") or ""))
    last = next((str(h.get("text") or "") for h in reversed(history) if h.get("role") == "assistant"), "")
    reply = _reply(a, data, message, last)
    if a.where in {"temp", "private"}:
        reply = "".join(s for s in re.split(r"(?<=[.!?。！？])", reply) if not _PROMISE.search(s))
    return reply.strip() or at_a_loss(data)


def at_a_loss(data: Mapping[str, Json]) -> str:
    """When nothing else can be said."""
    zh = language_of(str(data.get("message") or ""), "zh" if data.get("lang") == "zh" else "en") == "zh"
    return "我在听。能换个说法再说一次吗？" if zh else "I'm listening. Could you put that another way?"


def _now(data: Mapping[str, Json]) -> datetime:
    try:
        return dates.local(str(data.get("now") or ""), str(data.get("tz") or ""))
    except ValueError:
        return datetime(2000, 1, 1)  # noqa: DTZ001 - local and naive, as all times of the rules


def _reply(a: Asker, data: Mapping[str, Json], message: str, last: str) -> str:
    text = clean(message) or message.strip()
    if not text:
        return smalltalk_empty(a)
    if worry := smalltalk.crisis(a, text):
        return worry
    now, tz = str(data.get("now") or ""), str(data.get("tz") or "")
    facts = [f for f in (parse(a.know.heard or message, now, tz) if now else []) if f.text]
    facts += _corrected(a, message, facts, now, tz)
    asked = questions(message)
    parts = [_greeting(a, text, facts, asked, data)]
    if note := str(data.get("note") or ""):
        parts.append(_noted(a, note, facts))
    elif facts:
        parts.append(acknowledge(a, facts, message, last))
    parts += [_to_question(a, q) for q in asked[:3]]
    if not any(parts) and now and any(f.slot == "?" for f in parse(message, now, tz)):
        parts.append(
            a.say(
                "I'm not sure which thing that corrects. Could you say it as a whole sentence?",
                "我不确定这是要更正哪一件，能说得完整一点吗？",
            )
        )
    if not any(parts):
        parts.append(_statement(a, text))
    gap = "\n\n" if any("\n" in p for p in parts if p) else (" " if a.lang == "en" else "")
    return gap.join(dict.fromkeys(p for p in parts if p))


def smalltalk_empty(a: Asker) -> str:
    """A message without words."""
    return a.say("I'm here. What is on your mind?", "我在呢，想聊点什么？")


def _corrected(a: Asker, message: str, facts: list[Fact], now: str, tz: str) -> list[Fact]:
    """A bare correction (`no, Munich`), as it was understood against what is known."""
    if facts or not now or not any(f.slot == "?" for f in parse(message, now, tz)):
        return []
    mine = [i for i in a.know.items if i.fresh and i.when == a.know.heard]
    return [f for i in mine for f in i.facts]


def _noted(a: Asker, note: str, facts: list[Fact]) -> str:
    """Ebb has kept or refused what was asked to be remembered, and shows that itself."""
    if re.search(r"did not save|没有保存", note):
        return a.say("That one I can't keep, I'm afraid; Ebb tells you why.", "这个没法记下，原因 Ebb 会告诉你。")
    if facts:
        you = second(facts[0].text)
        return a.say(f"All right: {lower_first(you)} I'll keep that in mind.", f"好的，{you}我会记在心里。")
    return pick(
        ("I'll keep that in mind.", "All right, I'll bear it in mind.")
        if a.lang == "en"
        else ("好的，我会记在心里。", "没问题，我放在心上了。"),
        note,
    )


def _greeting(a: Asker, text: str, facts: list[Fact], asked: list[str], data: Mapping[str, Json]) -> str:
    m = smalltalk.GREETING.match(text)
    if not m or (
        m.end() < len(text)
        and re.match(r"\w", text[m.end() :])
        and text[m.end() - 1].isalnum()
        and not CJK.search(text[m.end() - 1])
    ):
        return ""
    rest = text[m.end() :].strip(" ,.!，。！")
    met = any(h.get("role") == "assistant" for h in mappings(data.get("history")))
    if any(f.slot == "name" for f in facts):
        return ""
    name = a.know.called
    if met:
        hello = a.say(f"Hello again{', ' + name if name else ''}!", f"{name + '，' if name else ''}又见面啦！")
    else:
        hello = a.say(
            f"{smalltalk.part_of_day(a, m[0])}{', ' + name if name else ''}!",
            f"{name + '，' if name else ''}{smalltalk.part_of_day(a, m[0])}！",
        )
    if rest or asked or facts:
        return hello if not facts else ""
    return hello + a.say(" ", "") + _opening(a, data)


def _opening(a: Asker, data: Mapping[str, Json]) -> str:
    """How a conversation is taken up: what is due soon, what was talked about last, or a first question."""
    if not a.know.items and not a.know.episodes and not mappings(data.get("history")):
        return a.say(
            "I'm Ebb's offline companion: I remember what you tell me. What's your name?",
            "我是 Ebb 的离线伙伴，会记得你跟我说的事。怎么称呼你？",
        )
    if not mappings(data.get("history")):
        soon = [(w, i) for w, i in overviews.planned(a) if 0 <= (w.at.date() - a.now.date()).days <= 2]
        if soon:
            return a.say("Don't forget: ", "别忘了：") + a.tell(soon[0][1])
        if told := newest(a.know):
            return _last_time(a, told[-1])
    return pick(
        ("How are you today?", "What is on your mind?", "What's new with you?")
        if a.lang == "en"
        else ("今天过得怎么样？", "想聊点什么？", "最近有什么新鲜事吗？"),
        a.turn,
        a.now.date(),
    )


def _last_time(a: Asker, episode: str) -> str:
    text = episode_told(episode, a.lang, a.now)
    if language_of(text) != a.lang:
        return a.say("Good to see you again. How are you?", "又见面了，最近怎么样？")
    text = re.sub(r"^(?:(?:[\w ]{1,20}ago|Yesterday|Earlier today): |(?:今天早些时候|昨天|前天|\d+天前)：)", "", text)
    return a.say(
        f"Last time {lower_first(text) if text.startswith('You') else text.replace('We talked', 'we talked', 1)} What's new?",
        f"上次{text}有什么新进展吗？",
    )


def _to_question(a: Asker, q: str) -> str:
    low = simplified(q)
    for pattern, reply in smalltalk.TO_ME:
        if pattern.search(low) and not _about_me(low):
            return reply(a, q)
    q = a.know.thread.asked(q)
    low = simplified(q)
    want = (ask_zh if a.lang == "zh" else ask_en).want(_of_whom(a, q))
    if want is not None:
        return answers.answer(a, want)
    if advice := _advice(a, q):
        return advice
    near = [(s, i) for s, i in a.know.near(q, STOP) if s >= 1]
    if near and (_about_me(low) or near[0][0] >= 2):
        return answers.answer(a, Want("topic", question=q, topic=q))
    if _about_me(low) and not re.match(
        r"\W*how (?:do|can|should|would|could|to)\b|.{0,6}怎么(?:做|弄|办|写|用|学)", low, re.I
    ):
        return answers.unknown(a, Want("topic", question=q))
    if re.match(r"^(?:and |what about |how about )?(?:you|yourself)\W*$|^(?:那)?你呢?$", low.strip(" ?？"), re.I):
        return a.say(
            "Me? I'm a program, so there's little to tell. I'd rather hear about you.",
            "我？我是个程序，没什么可说的，还是说说你吧。",
        )
    return _beyond(a, q)


def _of_whom(a: Asker, q: str) -> str:
    """What does Anna do → what does my girlfriend do, where it is known who Anna is."""
    if re.search(r"\bwho\b|谁", q, re.I):
        return q
    for i, f in a.know.having("relation:"):
        if not f.value or i.lang != a.lang:
            continue
        who = f.slot.split(":", 1)[1]
        kin = {g.value for _, g in a.know.having(f.slot)}  # of two kids, the one by that name
        if a.lang == "zh":
            if len(f.value) > 1 and f.value in q and "我" not in q:
                return q.replace(f.value, f"我{who}{f.value if len(kin) > 1 else ''}", 1)
        elif not re.search(r"\bmy\b", q, re.I) and not re.match(r"\W*what(?:'s| is) \w+\W*$", q, re.I):
            by = f"my {who}{' ' + f.value if len(kin) > 1 else ''}"
            named = re.sub(rf"\b{re.escape(f.value)}\b", by, q, count=1, flags=re.I)
            if named != q:
                return named
    return q


_TO_EBB = re.compile(
    r"\W*(?:(?:你们?|ebb)(?!.{0,4}(?:知道|记得|认识|了解|还记))"
    r"|(?:do|will|can|could|would|are|did) (?:you|u)\b(?!.*\b(?:know|remember|recall|tell|remind|said|say)\b)"
    r"|(?:can|could|would|will) you (?:help|tell me a|give me|write))",
    re.I,
)
_FOR_ME = re.compile(r"\b(?:tell|give|show|help|teach|make|sing|let)(?:ing)? me\b|给我|帮我|逗我|跟我", re.I)


def _about_me(text: str) -> bool:
    """Whether a question is about the user rather than put to the companion itself."""
    if _TO_EBB.match(text):
        return False
    return bool(re.search(r"\b(?:i|me|my|mine|myself|i'm|i've)\b|我", _FOR_ME.sub(" ", text), re.I))


def _advice(a: Asker, q: str) -> str:
    """What should I cook, any ideas for the weekend: from tastes that are known, with allergies in mind."""
    low = simplified(q)
    if not re.search(
        r"\b(?:what|where|which|any|can you|could you|recommend|suggest)\b.*\b(?:should|could|shall|recommend|suggest|ideas?|tips)\b|recommend|suggest|(?:吃|做|玩|看|喝|送|去)(?:什么|点啥|啥|哪)(?:好|呢)?|推荐|建议|该(?:做|吃|看|玩)",
        low,
        re.I,
    ):
        return ""
    if for_them := _for_them(a, q):
        return for_them
    food = re.search(r"eat|cook|dinner|lunch|breakfast|food|restaurant|order|drink|吃|做饭|菜|喝|餐", low, re.I)
    likes = a.know.having("like", "favourite:", "hobby")
    if food:
        likes = [(i, f) for i, f in likes if answers.edible(i)]
    if not likes:
        return a.say(
            "I can't find enough about your taste. What do you usually like?",
            "我没找到足够关于你口味的内容，你平时喜欢什么？",
        )
    _, chosen = pick(likes, q, a.turn)
    out = a.say(f"How about {chosen.value}? You like that.", f"{chosen.value}怎么样？你喜欢的。")
    bad = [i for i, _ in a.know.having("allergy")]
    if food and bad:
        out += a.say(" And mind: ", "不过要注意：") + a.say(" ", "").join(lower_first(a.tell(i)) for i in bad)
    return out


def _for_them(a: Asker, q: str) -> str:
    """What to cook for somebody: from what is known of their tastes and allergies."""
    m = re.search(rf"\bmy ({EN_RELATION})\b", q, re.I) or re.search(rf"我们?家?的?({ZH_RELATION})", simplified(q))
    if not m:
        return ""
    rel = relation_zh(m[1]) if a.lang == "zh" else relation_en(m[1])
    theirs = [(i, f) for i, f in a.know.having("about:") if same_kin(f.slot.split(":")[1], rel)]
    known = [i for i, f in theirs if f.slot.endswith((":like", ":allergy", ":diet"))]
    return (
        a.say("Bear in mind: ", "可以想想：") + a.say(" ", "").join(dict.fromkeys(map(a.tell, known)))
        if known
        else ""
    )


def _beyond(a: Asker, q: str) -> str:
    en = (
        "That's beyond me: I'm a small offline program without knowledge of the world. What I can do is remember what you tell me, and answer from that.",
        "I can't answer that; there is no language model behind me. Ask me about things you've told me, or connect a model in the settings.",
    )
    zh = (
        "这个超出我的能力了：我是个离线小程序，不懂外面的世界。我能做的是记住你告诉我的事，并据此回答。",
        "这个我答不上来，我背后没有语言模型。可以问我你说过的事，或在设置里接入一个模型。",
    )
    return pick(zh if a.lang == "zh" else en, q, a.turn)


def _statement(a: Asker, text: str) -> str:
    """What states nothing that the rules know: small talk, a feeling, or a story to be heard."""
    low = simplified(text)
    if joking(text):
        return pick(
            ("Ha, you had me there!", "Good one!") if a.lang == "en" else ("哈哈，差点信了！", "你真会开玩笑！"), text
        )
    if corrects_only(text) and re.search(r"wrong|not|(?<!不)错|不对|没说", low):
        return a.say("I'm sorry, then I had that wrong. How is it really?", "抱歉，是我弄错了。那实际是怎样的呢？")
    for pattern, reply in smalltalk.TO_ME:
        if pattern.search(low) and len(text) < 60:
            return reply(a, text)
    for pattern, reply in smalltalk.SAID:
        if pattern.search(low):
            return reply(a, text)
    if grave := sorry(a, text):
        return grave
    if felt := smalltalk.feeling(a, text):
        return felt
    if (want := (ask_zh if a.lang == "zh" else ask_en).want(text)) and want.how in {"all", "last"}:
        return answers.answer(a, want)
    if re.search(
        r"^\W*(?:please )?(?:write|translate|code|calculate|draw|compose|explain|search|google|generate|(?:请|帮我|给我|替我)+(?:写|翻译|查|算|画)|翻译|写一|画一|搜索|计算)",
        low,
        re.I,
    ):
        return _beyond(a, text)
    if advice := _advice(a, text):
        return advice
    return listening.heard(a, text)


__all__ = ["Knowledge", "Lang", "answer", "at_a_loss"]
