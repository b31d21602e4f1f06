"""What is left of a memory at each level: on a set written by somebody who had not read the code.

`python -m tests.eval.test_level_texts A all` prints the figures of a half and every text of it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest

from memory.learn.same_meaning import list_units
from memory.models import KINDS, Kind, Level, Memory
from memory.text.dates.window import times_named
from memory.text.speech import denies_or_ends
from memory.upkeep.level_texts import write_level_text
from tests.eval.data import half_of, load_cases
from tests.memory.lifecycle.test_curves import memory

SHORTENED = (Level.SUMMARY, Level.TAG, Level.TRACE)
CLAUSE = re.compile("[,;，；。]|[.] ")
Case = dict[str, Any]


def make_memory(case: Case) -> Memory:
    """Make the memory of a case; a quotation is stored without its marks."""
    said, on = (
        case[name] and datetime.fromisoformat(case[name]).replace(tzinfo=UTC)
        for name in ("said", "on")
    )
    return memory(
        Kind(case["kind"]),
        id=case["id"],
        original_content=case["text"].strip('"“”'),
        language=case["lang"],
        created_at=said,
        on=on,
        entities=tuple(case["entities"]),
        modalities=("quote",) if case["quoted"] else ("text",),
    )


def write_texts(half: str, lang: str) -> Iterator[tuple[Case, Memory, dict[Level, str]]]:
    """Write the texts of all cases of a language, as of one person."""
    owners = dict[str, str]()
    for case in [c for c in load_cases("level_texts") if half_of(c["id"]) in half]:
        if case["lang"] == lang:
            m = make_memory(case)
            texts = {level: write_level_text(m, level, owners) for level in SHORTENED}
            owners |= dict.fromkeys(texts.values(), m.id)
            yield case, m, texts


def has_any(text: str, forms: str | list[str]) -> bool:
    """Tell whether a text has a string, or one of several."""
    return any(
        form.casefold() in text.casefold()
        for form in ([forms] if isinstance(forms, str) else forms)
    )


def find_faults(case: Case, original: str, texts: dict[Level, str]) -> Iterator[str]:
    """Say what is wrong with the texts of a case; a text that is the original is true."""
    keep, (summary, tag, trace) = case["keep"], (texts[level] for level in SHORTENED)
    if summary != original and not all(has_any(summary, w) for w in keep["summary"]):
        yield "summary"
    if not all(has_any(tag, w) for w in keep["tag"]["who"]):
        yield "who"
    if not has_any(tag, keep["tag"]["what"]):
        yield "what"
    sorts = [*keep["trace"]["what_sort"], getattr(KINDS[Kind(case["kind"])], case["lang"])]
    when = date.fromisoformat(f"{keep['trace']['when']}-01")
    named = [t.span[0].date() for t in times_named(trace, datetime(2030, 1, 1))]
    if trace != original and not (has_any(trace, sorts) and when in named):
        yield "trace"
    denied = [c for c in CLAUSE.split(original) if denies_or_ends(c)]
    told = {t: list_units(t) for t in (summary, tag)}
    lost = any(
        2 * len(list_units(c) & units) > len(list_units(c))
        and not denies_or_ends(t)
        and not any(map(denies_or_ends, CLAUSE.split(t)))
        for c in denied
        for t, units in told.items()
    )
    if lost or (not denied and any(map(denies_or_ends, told))):
        yield "sense"
    if any(len(t) > len(original) for t in texts.values()):
        yield "longer"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_texts_of_the_levels_stay_true(lang: str) -> None:
    """Nothing that is needed is lost, and of memories much alike no two read the same."""
    found = list(write_texts("AB", lang))
    faults = [
        (case["id"], list(find_faults(case, m.original_content, texts))) for case, m, texts in found
    ]
    assert sum(bool(f) for _, f in faults) <= 0.05 * len(found), [f for f in faults if f[1]]
    for level in SHORTENED:
        words = Counter((case["group"], texts[level]) for case, _, texts in found if case["group"])
        assert set(words.values()) == {1}


if __name__ == "__main__":
    for lang in ("en", "zh"):
        counts, lengths = Counter[str](), dict.fromkeys(SHORTENED, 0.0)
        rows = list(write_texts(sys.argv[1], lang))
        for case, m, texts in rows:
            faults = list(find_faults(case, m.original_content, texts))
            counts.update(faults)
            for level, t in texts.items():
                lengths[level] += len(t) / len(m.original_content)
            if faults or sys.argv[2:]:
                print(
                    case["id"], m.original_content, *(f"\n   {t}" for t in texts.values()), *faults
                )
        print(
            lang,
            len(rows),
            dict(counts),
            {level.name: f"{n / len(rows):.2f}" for level, n in lengths.items()},
        )
