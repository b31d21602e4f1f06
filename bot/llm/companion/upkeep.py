"""The roles of upkeep by rules: fainter words, one text of several, the reviewer, contradictions, conclusions."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from bot.llm.companion.facts import Fact, same_thing
from bot.llm.companion.payload import mappings
from bot.llm.companion.sorts import is_sort, sort_of
from bot.llm.companion.statements import read_back
from bot.llm.companion.summarise import topic
from bot.llm.companion.text import CJK, word_set, words
from memory.models import Json, Lang
from memory.upkeep.topics import FULL_STOP

_LASTING = frozenset({"identity", "preference", "skill", "lesson", "workflow"})
_PASSING = frozenset({"context", "whim", "todo"})
_FAINT = 0.3  # below it normal recall no longer sees a memory, so that letting go of it takes nothing away
_PLAIN = word_set(
    "the user like love enjoy prefer adore be is have has had drink drank drunk eat ate do does very really quite"
    " much often usually always most every day daily a an to of in on at with and also still again some bit lot"
)
_PLAIN_ZH = frozenset("用户我的了过着很也又都还每天总常经爱喜欢喝吃在会要有是非特别一个对啊呢吧")


def _lang(text: str, lang: object = None) -> Lang:
    return "zh" if CJK.search(text) or (lang == "zh" and not re.search(r"[A-Za-z]", text)) else "en"


# --- fainter ----------------------------------------------------------------------------------------------


def level(data: Mapping[str, Json]) -> str:
    """`[{id, text}]`: a summary keeps the main clause, a tag only what sort of thing it was."""
    out = []
    for item in mappings(data.get("items")):
        text = str(item.get("text") or "")
        lang = _lang(text, item.get("lang"))
        tagged = str(item.get("level")).lower() in {"tag", "2"}
        out.append({"id": item.get("id"), "text": _tag(text, lang) if tagged else _shorter(text)})
    return json.dumps(out, ensure_ascii=False)


_REST = re.compile(
    rf"[,，;；—。！!]|{FULL_STOP}"
    r"|\s(?:because|since|although|but|when|while|which|so that|especially|without)\s"
    r"|因为|所以|但是|虽然|尤其"
)


def _shorter(text: str) -> str:
    """The main clause: without what stands in brackets, reasons, and all that comes after a comma or a dash."""
    short = re.sub(r"\s{0,9}[(（][^)）]*[)）]", "", text)
    short = _REST.split(short)[0].strip()
    if not short or len(words(short) - {"user"}) < 2:
        return text
    return short + ("。" if CJK.search(short) else ".") if text.rstrip().endswith((".", "。")) else short


def _tag(text: str, lang: Lang) -> str:
    short = _shorter(text).rstrip(".。")
    likes = [f for f in read_back(text) if f.family in {"like", "favourite"} and f.value]
    if likes:
        return _liking(likes[0], lang)
    if re.search(r"n't\b|\bnot?\b|\bnever\b|[不没戒]", short):
        return short
    if (found := read_back(text)) and (about := _thing(topic(found[0], lang))):
        return f"与{about}有关的事" if lang == "zh" else f"Something about {about}"
    rest = re.sub(r"^(?:The user(?:'s)?\s{1,9}|用户的?)", "", short)
    return f"与{rest[:10]}有关的事" if lang == "zh" else f"Something about {' '.join(rest.split()[:4])}"


def _thing(about: str) -> str:
    """What somebody is able to do is a verb and a thing: the thing will do."""
    able = about.removeprefix("being able to ").split(maxsplit=1)
    return able[1] if about.startswith("being able to ") and len(able) == 2 else about


def _liking(f: Fact, lang: Lang) -> str:
    sort = sort_of(f.value, lang)
    if lang == "zh":
        thing = (sort if f.holds else f"某些{sort}") if sort else f.value[:6]
        return f"用户{'' if f.holds else '不'}喜欢{thing}"
    what = (sort if f.holds else f"certain {sort}") if sort else " ".join(f.value.split()[:2])
    return f"The user {'likes' if f.holds else 'does not like'} {what}"


# --- one of several ---------------------------------------------------------------------------------------


def merge(data: Mapping[str, Json]) -> str:
    """The fullest text, if it says what the others say; `[SEPARATE]` if each says something of its own."""
    value = data.get("texts")
    texts = [str(t).strip() for t in value if str(t).strip()] if isinstance(value, list | tuple) else []
    if not texts:
        return ""
    fullest = max(texts, key=lambda t: (len(_own(t)), len(t)))
    return fullest if all(_covered(t, fullest) for t in texts) else "[SEPARATE]"


def _own(text: str) -> frozenset[str]:
    """The words that carry what it says; of Chinese the characters, since pairs differ with every turn of phrase."""
    plain = {w for w in words(re.sub(rf"(?:{CJK.pattern})+", " ", text)) if w not in _PLAIN_STEMS}
    return frozenset(plain | ({c for c in text if CJK.match(c)} - _PLAIN_ZH))


_PLAIN_STEMS = frozenset(s for w in _PLAIN for s in words(w))


def _covered(text: str, fullest: str) -> bool:
    if _own(text) <= _own(fullest):
        return True
    mine, other = read_back(text), read_back(fullest)
    return bool(mine) and all(any(same_thing(f, g) and f.holds == g.holds for g in other) for f in mine)


# --- the reviewer -----------------------------------------------------------------------------------------


def review(data: Mapping[str, Json]) -> str:
    """`[PROMOTE]`, `[KEEP]` or `[DELETE]` (S0): lasting facts rise, what was replaced or has passed may go.

    Of passing things that are faint already it asks first whether they came up again.
    """
    memory = data.get("memory")
    item = memory if isinstance(memory, Mapping) else {}
    kind, text = str(item.get("kind") or ""), str(item.get("text") or "")
    if data.get("task") == "promotion":
        return "[PROMOTE]" if kind in _LASTING or any(f.one for f in read_back(text)) else "[KEEP]"
    known = [*mappings(data.get("nearest")), *mappings(data.get("found"))]
    others = [str(n.get("text") or "") for n in known if n.get("id") != item.get("id")]
    if any(_own(text) and _own(text) <= _own(o) for o in others):
        return "[DELETE]"
    weight = item.get("weight")
    if kind not in _PASSING or not isinstance(weight, int | float) or weight >= _FAINT:
        return "[KEEP]"
    if int(data.get("round") or 1) == 1 and (wanted := _wanted(text)):
        return f"[SEARCH:{wanted}]"
    return "[DELETE]"


def _wanted(text: str) -> str:
    """What to search for: the three longest words, and of Chinese the first characters that say something."""
    own = _own(text)
    latin = sorted((w for w in own if not CJK.search(w)), key=lambda w: (-len(w), w))[:3]
    han = "".join(dict.fromkeys(c for c in text if c in own and CJK.search(c)))[:6]
    return " ".join([*([han] if han else []), *latin])


# --- contradictions and conclusions -----------------------------------------------------------------------


def contradict(data: Mapping[str, Json]) -> str:
    """`[{n}]`: pairs that give one slot two values, or say and deny one thing."""
    out = []
    for pair in mappings(data.get("pairs")):
        mine, other = read_back(str(pair.get("a") or "")), read_back(str(pair.get("b") or ""))
        if any(_against(f, g) for f in mine for g in other):
            out.append({"n": pair.get("n")})
    return json.dumps(out)


def _against(f: Fact, g: Fact) -> bool:
    if f.slot == g.slot and f.one and f.holds and g.holds and f.key and g.key:
        return f.key != g.key and not words(f.value) <= words(g.value) and not words(g.value) <= words(f.value)
    return f.holds != g.holds and same_thing(f, g)


def derive(data: Mapping[str, Json]) -> str:
    """`[{content, kind, from}]`: who likes three things of one sort likes that sort."""
    liked: dict[tuple[str, Lang], dict[str, str]] = defaultdict(dict)
    rows: Sequence[Mapping[str, Json]] = mappings(data.get("memories"))
    for row in rows:
        text = str(row.get("text") or "")
        lang = _lang(text)
        for f in read_back(text):
            sort = sort_of(f.value, lang) if f.family in {"like", "favourite", "hobby"} and f.holds else ""
            if sort and not is_sort(f.value):
                liked[sort, lang].setdefault(f.key, str(row.get("id") or ""))
    out = []
    for (sort, lang), by_key in liked.items():
        ids = list(dict.fromkeys(by_key.values()))
        if len(ids) >= 3:
            text = f"用户喜欢各种{sort}" if lang == "zh" else f"The user likes all sorts of {sort}"
            out.append({"content": text, "kind": "preference", "from": ids[:8]})
    return json.dumps(out, ensure_ascii=False)
