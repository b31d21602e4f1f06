"""Notes as the companion's rules read them: "Lives in Lyon" with the subject that is not written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from bot.llm.companion.lists_en import RELATION
from bot.llm.companion.payload import mappings
from bot.llm.companion.statements import read_back
from bot.llm.companion.text import CJK
from memory.models import Json

_LISTS: Final = ("profile", "recalled", "reference", "memories", "items", "nearest", "found")
_NAMED: Final = re.compile(r"\b(?:I|my|me|we|our|user|user's)\b|用户|我", re.I)
_EPISODE: Final = re.compile(r"^(\[[^\]]{1,40}\]\s?)?(?=(?:Talked|Asked)\b)")
# "Anna enjoys pottery", "The funeral is on Thursday": somebody or something else is the subject.
_OTHER: Final = re.compile(rf"(?:The|This|That)\b|(?!(?i:{RELATION})\b)[A-Z]\w*[^s\W] (?!is\b|was\b|has\b)[a-z]+s\b")
_SUBJECTS: Final = ("The user ", "The user is ", "The user's ")
_SUBJECTS_ZH: Final = ("用户", "用户的", "用户是")


def restore_subjects(data: Mapping[str, Json]) -> Mapping[str, Json]:
    """Write the subject into every memory of a request."""
    out = dict(data)
    for key in _LISTS:
        if key in data:
            out[key] = [_restored(row) for row in mappings(data[key])]
    if isinstance(data.get("memory"), Mapping):
        out["memory"] = _restored(data["memory"])
    if isinstance(data.get("texts"), list | tuple):
        out["texts"] = [with_subject(str(t)) for t in data["texts"]]
    if "pairs" in data:
        out["pairs"] = [
            {**p, **{k: with_subject(str(p[k])) for k in ("a", "b") if k in p}} for p in mappings(data["pairs"])
        ]
    if isinstance(data.get("episode"), str):
        out["episode"] = with_subject(data["episode"])
    return out


def _restored(row: Mapping[str, Json]) -> Mapping[str, Json]:
    return {**row, "text": with_subject(row["text"])} if isinstance(row.get("text"), str) else row


@lru_cache(maxsize=2_000)
def with_subject(note: str) -> str:
    """The note with the subject under which the rules can read it; as it is where they cannot."""
    if m := _EPISODE.match(note):
        rest = note[m.end() :]
        return f"{m[1] or ''}The user {rest[:1].lower()}{rest[1:]}"
    if not note or _NAMED.search(note) or _OTHER.match(note):
        return note
    low = note[:1].lower() + note[1:]
    forms = [s + low for s in (_SUBJECTS_ZH if CJK.search(note) else _SUBJECTS)]
    return next((form for form in forms if read_back(form)), note)
