"""Long texts: cut into passages without losing a word, outlined, and told from what the person says."""

from __future__ import annotations

import pytest

from memory.text.clean import estimate_tokens
from memory.text.headings import is_document
from memory.text.passages import PASSAGE_TOKENS, read_document
from memory.text.spans import join_own_text

LEASE = "Tenancy agreement\n\n" + "\n\n".join(
    f"{n}. Clause {name}\n\n"
    + " ".join(
        f"The tenant shall see to the {name} in month {m}, unless the landlord, Mr. Vance, has done"
        f" so; the costs of £{m}.50 are shared."
        for m in range(1, 9)
    )
    for n, name in enumerate(("gutters", "boiler", "garden", "keys", "windows"), 1)
)
DIARY_ZH = "守塔日记\n\n" + "\n\n".join(
    f"{n}月{n + 1}日 大雾\n" + "我今天又敲了雾钟，胳膊抬不起来，晚上给家里写了信。" * 8
    for n in range(1, 9)
)
DAY = "I got up at six because Mia had a fever, and I called in sick at the bakery. "
DAY_ZH = "我今天六点就起来了，女儿发烧，我给单位请了假。"


@pytest.mark.parametrize(
    "text",
    [LEASE, DIARY_ZH, DAY * 70, "word " * 3_000, "字" * 3_000, "!?。" * 900, "1.\n" * 2_000],
    ids=range(7),
)
def test_passages_hold_every_word_in_order(text: str) -> None:
    """About a hundred tokens each, whatever the text is like."""
    assert is_document(text)
    read = read_document(text)
    ends = [0, *(p.end for p in read.passages)]
    gaps = zip(ends, [*(p.start for p in read.passages), len(text)], strict=True)
    assert not any(text[a:b].strip() for a, b in gaps)
    sizes = [estimate_tokens(text[p.start : p.end]) for p in read.passages]
    assert max(sizes) <= 1.5 * PASSAGE_TOKENS
    assert sum(sizes) / len(sizes) > PASSAGE_TOKENS / 3


def test_the_outline_is_its_headings_else_first_sentences() -> None:
    """The title stands apart."""
    read = read_document(LEASE)
    assert read.title == "Tenancy agreement"
    assert read.outline[:2] == ("1. Clause gutters", "2. Clause boiler")
    assert read_document(DIARY_ZH).outline[0] == "1月2日 大雾"
    assert read_document(DAY * 70).outline[0].startswith("I got up at six")


@pytest.mark.parametrize("text", [LEASE, DIARY_ZH])
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("", ""),
        ("I moved to Leeds last week.", ""),
        ("我上周搬到苏州了。", ""),
        ("Here it is:", ""),
        ("", "What do you think of it?"),
        ("", "第二条难吗？"),
    ],
)
def test_a_document_is_material_and_lines_beside_it_are_own(
    text: str, before: str, behind: str
) -> None:
    """Also where nobody announced it, and where it says I."""
    said = "\n\n".join(filter(None, (before, text, behind)))
    assert join_own_text(said) == "\n".join(filter(None, (before, behind)))
    read = read_document(said)
    assert said[: read.start].strip() == before and said[read.end :].strip() == behind


@pytest.mark.parametrize("text", [DAY * 70, "\n\n".join([DAY * 5] * 14), DAY_ZH * 60])
def test_a_long_day_somebody_tells_of_is_their_own(text: str) -> None:
    """Length alone makes no material."""
    assert join_own_text(text).strip() == text.strip()
