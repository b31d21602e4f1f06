"""The roles of upkeep by rules: shorter texts for faded memories, one text of several, and the reviewer's verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from bot.llm.companion.payload import mappings
from bot.llm.companion.statements import read_back
from bot.llm.companion.summarise import topic
from bot.llm.companion.text import CJK, words
from memory.models import Json, Lang

_LASTING = frozenset({"identity", "preference", "skill", "lesson", "workflow"})
_PASSING = frozenset({"context", "whim", "todo"})


def level(data: Mapping[str, Json]) -> str:
    """`[{id, text}]`: a summary keeps the main clause, a tag only the topic."""
    out = []
    for item in mappings(data.get("items")):
        text = str(item.get("text") or "")
        lang: Lang = "zh" if item.get("lang") == "zh" or CJK.search(text) else "en"
        out.append(
            {
                "id": item.get("id"),
                "text": _tag(text, lang) if str(item.get("level")).lower() in {"tag", "2"} else _shorter(text),
            }
        )
    return json.dumps(out, ensure_ascii=False)


def _shorter(text: str) -> str:
    """The main clause: without what stands in brackets, reasons, and all that comes after a comma or a dash."""
    short = re.sub(r"\s*[(（][^)）]*[)）]", "", text)
    short = re.split(
        r"(?:[,，;；—]|\s(?:because|since|although|but|when|while|which|so that)\s|因为|所以|但是|虽然)", short
    )[0].strip()
    return (short.rstrip(".。") + ("。" if CJK.search(short) else ".")) if short else text


def _tag(text: str, lang: Lang) -> str:
    found = read_back(text)
    if found and (t := topic(found[0], lang)):
        return t
    short = _shorter(text).rstrip(".。")
    return re.sub(r"^(?:The user(?:'s)?\s+|用户的?)", "", short)[:40]


def merge(data: Mapping[str, Json]) -> str:
    """One text that says what several say: the fullest, and what only another one has."""
    value = data.get("texts")
    texts = [str(t).strip() for t in value if str(t).strip()] if isinstance(value, list | tuple) else []
    if not texts:
        return ""
    fullest = max(texts, key=lambda t: (len(words(t)), len(t)))
    rest = [t for t in dict.fromkeys(texts) if t != fullest and not words(t) <= words(fullest)]
    return " ".join([fullest, *rest]) if not CJK.search(fullest) else "".join([fullest, *rest])


def review(data: Mapping[str, Json]) -> str:
    """`[PROMOTE]`, `[KEEP]` or `[DELETE]` (S0): lasting facts rise, what has been replaced or has passed may go."""
    memory = data.get("memory")
    item = memory if isinstance(memory, Mapping) else {}
    kind, text = str(item.get("kind") or ""), str(item.get("text") or "")
    if data.get("task") == "promotion":
        return "[PROMOTE]" if kind in _LASTING else "[KEEP]"
    nearest = [str(n.get("text") or "") for n in mappings(data.get("nearest")) if n.get("id") != item.get("id")]
    covered = any(words(text) and words(text) <= words(n) for n in nearest)
    return "[DELETE]" if covered or kind in _PASSING else "[KEEP]"
