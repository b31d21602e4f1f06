"""Memories that cannot both hold now: found at night, and reported.

Rules find the candidates: one slot with two values, one thing said and denied, one sentence with
two numbers. The memory model says which of them truly contradict each other; where it does not
answer, only what the rules are sure of is reported. Nothing is changed: what holds is for the
person to say.
"""

# ruff: noqa: E501 - a table of patterns is read line by line

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from memory.errors import ModelError
from memory.learn.same_meaning import (
    compute_overlap,
    list_content_words,
    normalise_text,
    related_kinds,
)
from memory.learn.visible_messages import redact_memory
from memory.models import Kind, Layer, Memory, MemoryId, Sensitivity, State
from memory.text.forms import is_reordered
from memory.text.speech import denies_or_ends
from memory.upkeep.duplicates import Near
from memory.upkeep.run import UpkeepRun, split_into_batches

if TYPE_CHECKING:
    from memory.learn.schemas import Contradictions

Certainty: TypeAlias = Literal["sure", "likely"]
MOST_PAIRS: Final = 40  # asked about in one night
MOST_REPORTED: Final = 50
_PER_CALL: Final = 20
_MAX_ANSWER: Final = 400
_ALIKE: Final = 0.6  # of the words, the "not" aside

# What a person has one of. Of everything else (friends, cats, hobbies) two values stand side by
# side.
_ONE_EN: Final = (
    r"(?:first |last |full |given |family |nick)?name|age|birthday|birthplace|date of birth|home ?town|address|phone number"
    r"|mobile number|email(?: address)?|(?:current )?job|profession|occupation|employer|boss|nationality|blood type"
    r"|(?:mother tongue|native language)|favou?rite \w+(?: \w+)?|husband|wife|mother|father|height|weight|shoe size"
)
_ONE_ZH: Final = (
    r"名字|姓名|全名|昵称|年龄|生日|出生地|家乡|老家|住址|地址|电话|手机号|邮箱|职业|工作|公司|雇主|老板|国籍|血型|母语"
    r"|最(?:喜欢|爱)的[\u4e00-\u9fff]{1,6}|丈夫|老公|妻子|老婆|妈妈|母亲|爸爸|父亲|身高|体重|鞋码"
)
_SLOTS: Final = tuple(
    re.compile(p, re.I)
    for p in (
        rf"^(?:(?:the user|user|i)['’]s\s{{1,9}})?(?P<slot>{_ONE_EN})\s{{1,9}}(?:is|was)\s{{1,9}}(?P<value>.+)$",
        rf"^my\s{{1,9}}(?P<slot>{_ONE_EN})\s{{1,9}}(?:is|was)\s{{1,9}}(?P<value>.+)$",
        r"^(?:(?:the user|user|i)\s{1,9})?(?P<slot>lives? in|works? (?:at|for)|was born (?:in|on)|comes? from)\s{1,9}(?P<value>.+)$",
        r"^(?:(?:the user|user)\s{1,9})?(?P<slot>(?:is )?called|goes by)\s{1,9}(?P<value>.+)$",
        r"^(?:(?:the user is|user is|i am|i['’]m)\s{1,9})?(?P<value>\d+)\s{1,9}(?P<slot>years old)\b.*$",
        rf"^(?:用户|我)?的?(?P<slot>{_ONE_ZH})(?:是|为|叫|在)(?P<value>.+)$",
        r"^(?:用户|我)?(?:现在|目前)?(?P<slot>住在|定居在|就职于|任职于|出生于|出生在|来自)(?P<value>.+)$",
        r"^(?:用户|我)?(?:今年)?(?P<value>\d+)(?P<slot>岁).*$",
    )
)
_NUMBER: Final = re.compile(
    r"\d+(?:[.,:]\d+)*|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b|[一二三四五六七八九十两]{1,9}(?=[个岁只位名条])",
    re.I,
)
_NOT: Final = re.compile(
    r"\b(?:not|no longer|never|does|do|did|don['’]?t|doesn['’]?t|didn['’]?t|any ?more|is|are|isn['’]?t)\b|n['’]t\b|不再|不|没有|没|了|再也",
    re.I,
)


class ClashPair(NamedTuple):
    """Two memories that may contradict each other."""

    a: Memory
    b: Memory
    certainty: Certainty

    @property
    def ids(self) -> list[MemoryId]:
        """In a fixed order, so that a pair is known again."""
        return sorted((self.a.id, self.b.id))


def may_clash(a: Memory, b: Memory) -> Certainty | None:
    """Tell whether two memories that both hold may contradict each other."""
    if (
        not (_holds(a) and _holds(b))
        or a.language != b.language
        or not related_kinds(a.kind, b.kind)
    ):
        return None
    if not _together(a, b) or normalise_text(a.original_content) == normalise_text(
        b.original_content
    ):
        return None
    x, y = _plain(a), _plain(b)
    one, other = _slot(x), _slot(y)
    if one and other:
        clash = (
            one[0] == other[0]
            and not _says(one[1], other[1])
            and not (denies_or_ends(x) or denies_or_ends(y))
        )
        return "sure" if clash else None
    if denies_or_ends(x) != denies_or_ends(y):
        return "likely" if compute_overlap(_NOT.sub(" ", x), _NOT.sub(" ", y)) >= _ALIKE else None
    if is_reordered(x, y) and is_reordered(y, x):
        return "likely"  # tea over coffee, coffee over tea
    counts = _NUMBER.findall(x), _NUMBER.findall(y)
    same_frame = normalise_text(_NUMBER.sub("n", x)) == normalise_text(_NUMBER.sub("n", y))
    return "likely" if counts[0] != counts[1] and same_frame else None


def _holds(m: Memory) -> bool:
    return (
        m.state is State.ACTIVE
        and m.negated_at is None
        and m.layer in {Layer.FACT, Layer.CORE}
        and m.kind not in {Kind.TODO, Kind.CONTEXT}  # of passing things there may be many
        and m.sensitivity < Sensitivity.SECRET
    )


def _together(a: Memory, b: Memory) -> bool:
    """Valid at the same time: two statements at different times are no contradiction."""
    return not any(
        x.valid_until is not None and y.valid_from is not None and x.valid_until <= y.valid_from
        for x, y in ((a, b), (b, a))
    )


def _plain(m: Memory) -> str:
    return " ".join(m.original_content.split()).rstrip(" .。!！")


def _slot(text: str) -> tuple[str, str] | None:
    """(what there is one of, which one) of a sentence that says it."""
    found = next((m for p in _SLOTS if (m := p.match(text))), None)
    if found is None:
        return None
    slot = re.sub(r"^(live|work|come)s\b", r"\1", found["slot"].casefold())
    return slot, found["value"]


def _says(a: str, b: str) -> bool:
    """One value says the other: Paris and Paris, France."""
    x, y = list_content_words(a), list_content_words(b)
    m, n = _NUMBER.findall(a), _NUMBER.findall(b)
    return bool(x and y) and (x <= y or y <= x) and (m == n or not (m and n))


def find_clash_pairs(memories: Mapping[MemoryId, Memory], near: Near) -> list[ClashPair]:
    """Return pairs that a model would be asked about, each once."""
    wanted: dict[frozenset[MemoryId], tuple[MemoryId, MemoryId]] = {}
    for a, others in near.items():
        for b in others:
            wanted.setdefault(frozenset((a, b)), (a, b))
    pairs = (
        (memories[a], memories[b]) for a, b in wanted.values() if a in memories and b in memories
    )
    return [ClashPair(a, b, certainty) for a, b in pairs if (certainty := may_clash(a, b))]


async def find(run: UpkeepRun, near: Near) -> None:
    """Report what contradicts: the pairs of the last report that still stand, and new ones.

    Raises ModelError.
    """
    old = [tuple(p) for p in run.since.carry.get("clashes", []) if len(p) == 2]
    ids = sorted(
        {i for p in old for i in p} | set(near) | {i for found in near.values() for i in found}
    )
    memories = {m.id: m for m in await run.memories(ids)}
    found = find_clash_pairs(memories, {a: {b: 1.0} for a, b in old})
    known = [p.ids for p in found]
    asked = [p for p in find_clash_pairs(memories, near) if p.ids not in known][:MOST_PAIRS]
    try:
        for lang in ("zh", "en"):
            for portion in split_into_batches(
                [p for p in asked if p.a.language == lang], _PER_CALL
            ):
                found += await _confirmed(run, portion)
    except ModelError:
        await _report(
            run, [*found, *(p for p in asked if p.certainty == "sure" and p not in found)]
        )
        raise
    await _report(run, found)


async def _report(run: UpkeepRun, pairs: Sequence[ClashPair]) -> None:
    ids = [p.ids for p in pairs][:MOST_REPORTED]
    await run.write(lambda _tx, tally: tally.data.update(clashes=ids), share=1.0, moves=False)


async def _confirmed(run: UpkeepRun, pairs: Sequence[ClashPair]) -> list[ClashPair]:
    """Return what the model confirms.

    An answer nobody can read leaves what the rules are sure of.
    """
    shown = {
        "pairs": [
            {"n": i, "a": redact_memory(p.a), "b": redact_memory(p.b)}
            for i, p in enumerate(pairs, start=1)
        ]
    }
    lang = pairs[0].a.language
    answer: Contradictions | None = await run.tools.read(
        run.user_id, "contradict", lang, shown, shown, run.now, _MAX_ANSWER
    )
    if answer is None:
        return [p for p in pairs if p.certainty == "sure"]
    chosen = {p.n for p in answer.pairs}
    return [p for i, p in enumerate(pairs, start=1) if i in chosen]
