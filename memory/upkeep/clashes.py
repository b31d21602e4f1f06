"""Memories that cannot both hold now: found at night, and reported.

Rules find the candidates: one slot with two values, one thing said and denied, one sentence with
two numbers. The memory model says which of them truly contradict each other; where it does not
answer, only what the rules are sure of is reported. Nothing is changed: what holds is for the
person to say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from memory.errors import ModelError
from memory.learn.same_meaning import (
    compute_overlap,
    list_content_words,
    normalise_text,
    related_kinds,
)
from memory.learn.visible_messages import redact_memory
from memory.models import Kind, Lang, Memory, MemoryId
from memory.text.forms import is_reordered
from memory.text.languages import either, joined, value
from memory.text.speech import denies_or_ends
from memory.upkeep.duplicates import find_neighbours
from memory.upkeep.run import Near, UpkeepRun, group_by_language, is_current_fact

if TYPE_CHECKING:
    from memory.learn.schemas import Contradictions

Certainty: TypeAlias = Literal["sure", "likely"]
MOST_PAIRS: Final = 40  # asked about in one night
MOST_REPORTED: Final = 50
_PER_CALL: Final = 20
_MAX_ANSWER: Final = 400
_ALIKE: Final = 0.6  # of the words, the "not" aside
_NUMBER: Final = re.compile(rf"\d+(?:[.,:]\d+)*|{joined('slots', 'NUMBER')}", re.I)


class ClashPair(NamedTuple):
    """Two memories that may contradict each other, in the order of their ids."""

    a: Memory
    b: Memory
    certainty: Certainty

    @property
    def ids(self) -> tuple[MemoryId, MemoryId]:
        """The ids, in the pair's order."""
        return self.a.id, self.b.id


def may_clash(a: Memory, b: Memory) -> Certainty | None:
    """Tell whether two memories that both hold may contradict each other."""
    x, y = (" ".join(m.original_content.split()).rstrip(" .。!！") for m in (a, b))
    comparable = (
        _holds(a)
        and _holds(b)
        and a.language == b.language
        and related_kinds(a.kind, b.kind)
        and not (_ends_before(a, b) or _ends_before(b, a))
    )
    if not comparable or normalise_text(x) == normalise_text(y):
        return None
    denied = denies_or_ends(x), denies_or_ends(y)
    one, other = _find_slot(x, a.language), _find_slot(y, a.language)
    if one and other:
        clash = one[0] == other[0] and not _agree(one[1], other[1]) and not any(denied)
        return "sure" if clash else None
    if denied[0] != denied[1]:
        plain = (either("slots", "DENIAL").sub(" ", t) for t in (x, y))
        return "likely" if compute_overlap(*plain) >= _ALIKE else None
    if is_reordered(x, y) and is_reordered(y, x):
        return "likely"  # tea over coffee, coffee over tea
    same_frame = normalise_text(_NUMBER.sub("n", x)) == normalise_text(_NUMBER.sub("n", y))
    return "likely" if same_frame and _NUMBER.findall(x) != _NUMBER.findall(y) else None


def _holds(m: Memory) -> bool:
    passing = m.kind in {Kind.TODO, Kind.CONTEXT}  # of which there may be many
    return is_current_fact(m) and not passing


def _ends_before(a: Memory, b: Memory) -> bool:
    """Tell whether one was over when the other began: then they do not contradict each other."""
    return a.valid_until is not None and b.valid_from is not None and a.valid_until <= b.valid_from


def _find_slot(text: str, lang: Lang) -> tuple[str, str] | None:
    """Return what there is one of and which one it is, where the sentence says that."""
    for frame in value(lang, "slots", "FRAMES").values():
        if found := re.match(frame, text, re.I):
            return re.sub(r"^(\w+)s\b", r"\1", found["slot"].casefold()), found["value"]
    return None


def _agree(a: str, b: str) -> bool:
    """Tell whether one value says the other: Paris and Paris, France."""
    x, y = list_content_words(a), list_content_words(b)
    m, n = _NUMBER.findall(a), _NUMBER.findall(b)
    return bool(x and y) and (x <= y or y <= x) and (m == n or not (m and n))


def find_clash_pairs(memories: Iterable[Memory], near: Near) -> list[ClashPair]:
    """Return pairs that a model would be asked about, each once."""
    known = {m.id: m for m in memories}
    pairs = dict.fromkeys(tuple(sorted((a, b))) for a, others in near.items() for b in others)
    both = [(known[a], known[b]) for a, b in pairs if a in known and b in known]
    return [ClashPair(a, b, certainty) for a, b in both if (certainty := may_clash(a, b))]


async def find_clashes(run: UpkeepRun) -> None:
    """Report what contradicts: the pairs of the last report that still stand, and new ones.

    Raises ModelError.
    """
    reported = [tuple(ids) for ids in run.last.data.get("clashes", [])] if run.last else []
    near: dict[MemoryId, dict[MemoryId, float]] = defaultdict(dict)
    for a, others in (await find_neighbours(run)).items():
        near[a].update(others)
    for a, b in reported:
        near[a][b] = 1.0
    ids = {i for a, others in near.items() for i in (a, *others)}
    pairs = find_clash_pairs(await run.memories(sorted(ids)), near)
    found = [p for p in pairs if p.ids in reported]
    asked = [p for p in pairs if p.ids not in reported][:MOST_PAIRS]
    failed = None
    try:
        for portion in group_by_language(asked, lambda p: p.a, _PER_CALL):
            found += await _ask(run, portion)
    except ModelError as e:
        failed = e
        found += [p for p in asked if p.certainty == "sure" and p not in found]
    clashes = [p.ids for p in found][:MOST_REPORTED]
    await run.write(lambda _tx: run.data.update(clashes=clashes), share=1.0, moves=False)
    if failed is not None:
        raise failed


async def _ask(run: UpkeepRun, pairs: Sequence[ClashPair]) -> list[ClashPair]:
    """Return what the model confirms; where its answer cannot be read, what rules are sure of."""
    rows = [
        {"n": i, "a": redact_memory(p.a), "b": redact_memory(p.b)}
        for i, p in enumerate(pairs, start=1)
    ]
    answer: Contradictions | None = await run.ask(
        "contradict", pairs[0].a.language, {"pairs": rows}, _MAX_ANSWER
    )
    if answer is None:
        return [p for p in pairs if p.certainty == "sure"]
    chosen = {p.n for p in answer.pairs}
    return [p for i, p in enumerate(pairs, start=1) if i in chosen]
