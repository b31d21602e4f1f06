# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""The summariser's role by rules: what the user told and asked, in their language, nothing added."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.llm.companion import ask_en, ask_zh, smalltalk
from bot.llm.companion.facts import Fact
from bot.llm.companion.kin import spoken
from bot.llm.companion.payload import mappings
from bot.llm.companion.speech import asks
from bot.llm.companion.statements import parse
from bot.llm.companion.text import CJK, clean, sentences, simplified
from bot.llm.companion.thread import Thread
from memory.models import Json, Lang, language_of
from memory.text.dates import written

EPISODE_CHARS = {"en": 200, "zh": 100}
MOST_SENTENCES = 12
_SHORT = 70
_SMALL = re.compile(
    r"^(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|yes|no|bye|good (?:morning|night|evening)|lol|haha+|cool|nice|great|你好|您好|嗨|谢谢|多谢|好的?|嗯+|再见|拜拜|晚安|早安|早上好|哈+)[\s\W]{0,9}$",
    re.I,
)


def answer(data: Mapping[str, Json]) -> str:
    """`EPISODE: …` and `SUMMARY: …` for a stretch of conversation."""
    rows = mappings(data.get("messages"))
    tz = str(data.get("tz") or "")
    said = [(str(m.get("text") or ""), str(m.get("at") or "")) for m in rows if m.get("role") == "user"]
    lang = _language(said, data)
    facts: list[Fact] = []
    asked: list[str] = []
    other: list[str] = []
    thread = Thread()
    for written_, at in said:
        text = thread.hear(written_)
        found = [f for f in (parse(text, at, tz) if at else []) if f.text]
        thread.know(found)
        facts = [f for f in facts if not any(f.slot == g.slot and (f.one or f.key == g.key) for g in found)] + found
        for s in sentences(clean(text)):
            if asks(s):
                if not _looked_up(s.text):
                    asked.append(_short(s.text))
            elif _looked_up(s.text) or _TASK.match(simplified(s.text)):
                continue
            elif not found and len(s.text) > 8 and not _SMALL.match(s.text):
                other.append(_short(s.text))
    return f"EPISODE: {_episode(facts, asked, other, lang)}\nSUMMARY: {_running(facts, asked, other, str(data.get('previous') or ''), lang)}"


def _language(said: Sequence[tuple[str, str]], data: Mapping[str, Json]) -> Lang:
    words = " ".join(t for t, _ in said)
    zh = len(re.findall(r"[\u4e00-\u9fff]", words))
    if zh * 3 >= len(re.findall(r"[A-Za-z]{2,}", words)) and zh:
        return "zh"
    return language_of(words, "zh" if data.get("lang") == "zh" else "en") if not zh else "en"


_TASK = re.compile(
    r"^\W*(?:please |ebb,? |can you |could you )*(?:forget|delete|erase|remember|remind|undo|stop|tell me|say|repeat|show me)\b"
    r"|^(?:请|帮我|麻烦|你)*(?:忘[掉了记]|忘记|删[掉除]|记住|记一下|撤销|告诉我|提醒|讲个|说个|给我讲)",
    re.I,
)


def _looked_up(text: str) -> bool:
    """Whether it is put to Ebb about Ebb or about what it remembers: no topic of the conversation."""
    zh = bool(CJK.search(text))
    low = simplified(text)
    if any(p.search(low) for p, _ in (*smalltalk.TO_ME, *smalltalk.SAID)) or smalltalk.GREETING.fullmatch(text):
        return True
    if re.search(r"\b(?:weather|time is it)\b|天气|几点", low, re.I):
        return True
    want = (ask_zh if zh else ask_en).want(text)
    return want is not None and (want.how != "topic" or bool(re.search(r"\bmy\b|我", want.question)))


def _short(text: str) -> str:
    text = " ".join(text.split()).strip("\"“”'")
    return text if len(text) <= _SHORT else text[: _SHORT - 1].rstrip() + "…"


_TOPIC_EN = {
    "name": "their name",
    "nickname": "what they like to be called",
    "age": "their age",
    "birthday": "their birthday",
    "home": "living in {}",
    "origin": "coming from {}",
    "job": "their job ({})",
    "employer": "working at {}",
    "study": "studying {}",
    "allergy": "an allergy to {}",
    "marital": "being {}",
    "address": "their address",
    "phone": "a phone number",
    "email": "an email address",
    "health": "health",
    "mood": "how they feel",
    "skill": "being able to {}",
    "height": "their height",
    "weight": "their weight",
}
_TOPIC_ZH = {
    "name": "名字",
    "nickname": "称呼",
    "age": "年龄",
    "birthday": "生日",
    "home": "住在{}",
    "origin": "来自{}",
    "job": "工作（{}）",
    "employer": "在{}工作",
    "study": "学{}",
    "allergy": "对{}过敏",
    "address": "住址",
    "phone": "电话",
    "email": "邮箱",
    "health": "身体状况",
    "mood": "心情",
    "height": "身高",
    "weight": "体重",
}


def topic(f: Fact, lang: Lang) -> str:
    """A fact in a few words, for a list of topics."""
    shape = (_TOPIC_ZH if lang == "zh" else _TOPIC_EN).get(f.family)
    if shape:
        return shape.format(f.value) if f.value or "{}" not in shape else ("工作" if lang == "zh" else "work")
    if f.family in {"relation", "about", "count"}:
        who = f.slot.split(":")[1]
        who = spoken(who) if lang == "zh" else who
        return (
            (f"{who}{f.value}" if lang == "zh" else f"their {who} {f.value}").strip()
            if f.family == "relation"
            else (who if lang == "zh" else f"their {who}")
        )
    if f.family == "count":
        return f.slot.split(":")[1] if lang == "zh" else f"their {f.slot.split(':')[1]}"
    if lang == "en":
        value = re.sub(
            r"\b(?:my|our)\b", "their", re.sub(r"^(?:an?|the|my)\s{1,9}(?!parents)", "", f.value), flags=re.I
        )
    else:
        value = re.sub(r"^(?:我们?|个|一个)", "", f.value)
    if f.due and f.when:
        day = replace(f.when, lead="", part="", grain="day" if f.when.grain == "minute" else f.when.grain)
        said = re.sub(r"（周.）|\b\w+day, ", "", written(day, lang))
        return f"{said}{value}" if lang == "zh" else f"{value} {said}"
    if f.family == "like" and not f.holds:
        return f"不喜欢{value}" if lang == "zh" else f"disliking {value}"
    return value


def _episode(facts: Sequence[Fact], asked: Sequence[str], other: Sequence[str], lang: Lang) -> str:
    """One line with as many topics and questions as fit, each of them whole."""
    topics, questions = _topics(facts, lang)[:7], list(asked[-2:])
    while True:
        text = _one_line(topics, questions, other, lang)
        if len(text) <= EPISODE_CHARS[lang] or not (topics or questions):
            return text[: EPISODE_CHARS[lang]]
        (questions if questions else topics).pop()


def _one_line(topics: Sequence[str], asked: Sequence[str], other: Sequence[str], lang: Lang) -> str:
    told = other[-1:] if not topics else ()
    if lang == "zh":
        parts = [f"聊了{'、'.join(topics)}"] if topics else []
        parts += [f"问了“{q}”" for q in asked] + [f"提到“{o}”" for o in told]
        return "；".join(parts) or "随便聊了几句"
    parts = [f"talked about {_and(topics)}"] if topics else []
    parts += [f"asked “{q}”" for q in asked] + [f"said “{o}”" for o in told]
    return f"The user {'; '.join(parts)}" if parts else "Small talk"


_FIRST = ("event", "todo", "decision", "goal", "project", "relation", "job", "home", "allergy", "health", "name")


def _topics(facts: Sequence[Fact], lang: Lang) -> list[str]:
    """Topics, what was planned and decided first; of a person, only the fullest."""
    ranked = sorted(facts, key=lambda f: _FIRST.index(f.family) if f.family in _FIRST else len(_FIRST))
    named: dict[str, list[str]] = {}
    for f in ranked:
        if f.family == "relation" and f.value:
            named.setdefault(f.slot, []).append(f.value)
    all_topics = list(dict.fromkeys(t for f in ranked if (t := _together(f, named, lang) or topic(f, lang))))
    once = {t.casefold(): t for t in reversed(all_topics)}
    return [t for low, t in reversed(once.items()) if not any(low != o and o.startswith(low) for o in once)]


def _together(f: Fact, named: Mapping[str, Sequence[str]], lang: Lang) -> str:
    """Their dogs Rex and Bella: of several of one kind, one topic."""
    values = list(dict.fromkeys(named.get(f.slot, ())))
    if f.family != "relation" or len(values) < 2:
        return ""
    who = f.slot.split(":")[1]
    return f"{spoken(who)}{'和'.join(values)}" if lang == "zh" else f"their {who}s {_and(values)}"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _running(facts: Sequence[Fact], asked: Sequence[str], other: Sequence[str], previous: str, lang: Lang) -> str:
    new = [f.text for f in facts]
    if lang == "zh":
        new += [f"用户问：“{q}”。" for q in asked[-3:]] + [f"用户说：“{o}”。" for o in other[-3:]]
    else:
        new += [f"The user asked: “{q}”." for q in asked[-3:]] + [f"The user said: “{o}”." for o in other[-3:]]
    old = [s.strip() for s in re.split(r"(?<=[。！？!?])|(?<=[.])\s{1,9}(?=[A-Z])|\n", previous) if s and s.strip()]
    slots = {(f.slot, f.lang) for f in facts if f.one}
    kept = [s for s in old if s not in new and not _replaced(s, slots)]
    told = (kept + new)[-MOST_SENTENCES:]
    return ("" if lang == "zh" else " ").join(told) or ("随便聊了几句。" if lang == "zh" else "Small talk.")


def _replaced(sentence: str, slots: set[tuple[str, Lang]]) -> bool:
    from bot.llm.companion.statements import read_back

    return any((f.slot, f.lang) in slots for f in read_back(sentence))


def title(data: Mapping[str, Json]) -> str:
    """A few words for a list of conversations."""
    rows = [str(m.get("text") or "") for m in mappings(data.get("messages")) if m.get("role") == "user"]
    lang = _language([(t, "") for t in rows], data)
    for text in rows:
        found = [f for f in parse(text, "2000-01-01T00:00:00", "") if f.value]
        if found:
            topics = list(dict.fromkeys(topic(replace(f, due=False), lang) for f in found))[:3]
            listed = "、".join(topics) if lang == "zh" else _and(topics)
            return listed[:1].upper() + listed[1:60]
    told = next((t for t in rows if len(t) > 8 and not _SMALL.match(t)), rows[0] if rows else "")
    return _short(told)[: 20 if lang == "zh" else 48] or ("新对话" if lang == "zh" else "New conversation")
