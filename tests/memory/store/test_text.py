from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.index.text import list_search_terms, normalised, segment_text
from memory.models import Filter
from memory.ports import Transaction
from memory.store import SqliteStore
from tests.memory.store.support import a_memory


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What do you know about my allergies?", ["allergies"]),
        ("the and of", []),
        ("我喜欢什么", ["喜欢", "我喜"]),
        ("什么", []),
        ("我的", []),
        ("猫", ["猫"]),
        ("我的猫叫什么", ["猫叫", "的猫"]),
        ("她的猫在吗", ["猫", "的猫", "猫在"]),
        ("机器猫", ["机器", "器猫"]),
        ("ＡＢＣ　ｃａｆé", ["abc", "café"]),
        ("お寿司", ["お寿", "寿司"]),
        ("iPhone坏了", ["iphone", "坏", "坏了"]),
    ],
)
def test_terms_are_words_pairs_and_lone_characters(text: str, wanted: list[str]) -> None:
    """Stop words of both languages are dropped."""
    assert sorted(list_search_terms(text)) == sorted(wanted)


def test_a_page_of_text_makes_a_bounded_query() -> None:
    """However much somebody pastes."""
    assert len(list_search_terms(" ".join(f"word{i}" for i in range(1000)))) == 40
    assert len(list_search_terms("".join(chr(0x4E00 + i) for i in range(1000)))) == 40


def test_every_cjk_character_is_a_word_of_its_own() -> None:
    """And Latin words stay whole, full-width ones folded."""
    assert segment_text("喝Ｔea的猫").split() == ["喝", "Tea", "的", "猫"]


def test_normalised_text_is_its_words_alone() -> None:
    """What a digest is made of."""
    assert normalised("  Ｌikes\tTEA, 绿茶！ ") == normalised("likes tea 绿茶")


async def found(store: SqliteStore, user: str, query: str) -> set[str]:
    hits = await store.open_reader(user).search_words(query, 20, Filter())
    return {m.content for m in await store.open_reader(user).get([h.id for h in hits])}


async def test_search_knows_stems_and_pairs(store: SqliteStore, user: str) -> None:
    """English by stems, Chinese by pairs, a lone character as itself."""
    texts = [
        "Allergic to peanuts",
        "养了一只猫叫咪咪",
        "喜欢在周末爬山",
        "Works at a bank",
        "在银行工作",
    ]
    await store.write(user, lambda tx: [tx.memories.add(a_memory(t)) for t in texts])
    assert await found(store, user, "what allergies with a peanut?") == {texts[0]}
    assert await found(store, user, "她的猫在吗") == {texts[1]}
    assert await found(store, user, "周末去哪里爬山？") == {texts[2]}
    assert await found(store, user, "working") == {texts[3]}
    assert await found(store, user, "银行") == {texts[4]}
    assert await found(store, user, "行银") == set()
    assert await found(store, user, "什么 the") == set()


async def test_the_rarer_word_and_the_shorter_text_rank_higher(
    store: SqliteStore, user: str, other: str
) -> None:
    """As BM25 has it; another person's words do not count. Of equals, the newer is first."""
    texts = [f"likes tea number {i}" for i in range(8)]
    await store.write(
        user,
        lambda tx: [tx.memories.add(a_memory(t)) for t in [*texts, "plays violin", "long " * 30]],
    )
    await store.write(other, lambda tx: [tx.memories.add(a_memory("violin")) for _ in range(30)])
    hits = await store.open_reader(user).search_words("tea violin", 20, Filter())
    ranked = [m.content for m in await store.open_reader(user).get([h.id for h in hits])]
    assert ranked == ["plays violin", *reversed(texts)]
    assert all(h.score > 0 for h in hits)
    await store.write(user, lambda tx: tx.memories.add(a_memory("violin " + "and more words " * 9)))
    hits = await store.open_reader(user).search_words("violin", 20, Filter())
    assert [m.content[:5] for m in await store.open_reader(user).get([h.id for h in hits])] == [
        "plays",
        "violi",
    ]


async def test_a_word_in_every_memory_is_still_found(store: SqliteStore, user: str) -> None:
    """More of them than one term follows: the newest come, and the filter's passing ones are reached."""
    await store.write(user, lambda tx: [tx.memories.add(a_memory(f"tea {i}")) for i in range(1300)])
    hits = await store.open_reader(user).search_words("tea", 5, Filter())
    assert [m.content for m in await store.open_reader(user).get([h.id for h in hits])] == [
        f"tea {i}" for i in (1299, 1298, 1297, 1296, 1295)
    ]
    newest = await store.read(
        user, lambda tx: [m.id for m in tx.memories.find(Filter(), limit=900).items]
    )
    left = await store.open_reader(user).search_words("tea", 5, Filter(exclude=frozenset(newest)))
    assert len(left) == 5
    assert not {s.id for s in left} & set(newest)


@given(
    st.text(
        alphabet=st.sampled_from("\"*()-:^{}+ AND OR NOT NEAR owner text \0'\\%_猫的a\n"),
        max_size=30,
    )
)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
async def test_no_text_is_ever_index_syntax(store: SqliteStore, user: str, text: str) -> None:
    """Neither in recall nor in the search box."""

    def search(tx: Transaction) -> int:
        return tx.memories.find(Filter(), text=text).total

    await store.open_reader(user).search_words(text, 5, Filter())
    await store.read(user, search)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the 的", {0}),  # stop words too: somebody who types them means them
        ("allerg", {1}),
        ("allergic PEANUT", {1}),
        ("runs", {2}),  # "running"
        ("cafe", {2}),
        ("银行", {3}),
        ("行银", set()),
        ("ｔｅａ", {0}),
    ],
)
async def test_a_search_box_finds_parts_and_stems(
    store: SqliteStore, user: str, text: str, wanted: set[int]
) -> None:
    """Every word of it, and none of another person's."""
    texts = ["the tea, 我的", "Allergic to peanuts", "running to the Café", "在银行工作"]
    ids = await store.write(user, lambda tx: [tx.memories.add(a_memory(t)).id for t in texts])
    found = await store.read(
        user, lambda tx: {m.id for m in tx.memories.find(Filter(), text=text).items}
    )
    assert found == {ids[i] for i in wanted}
