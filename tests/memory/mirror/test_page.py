"""MEMORY.md as text: what is written is read back, and whatever an editor leaves is read without loss."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mirror.page import (
    MirrorEntry,
    MirrorPage,
    MirrorStamp,
    flatten_spacing,
    render,
    strip_own_comments,
)
from memory.mirror.read import parse
from memory.models import KINDS, Kind, Lang

STAMP = MirrorStamp("k3x9p2", 17)
IDS = ("a1b2c3", "d4e5f6", "g7h8j9")


def page(*texts: str, lang: Lang = "en", unread: tuple[str, ...] = ()) -> str:
    """A file with these texts, the last one archived if there are several."""
    entries = [
        MirrorEntry(
            IDS[i],
            Kind.PREFERENCE,
            t,
            0.9 - i / 10,
            "2026-02-20",
            12 + i,
            archived=0 < i == len(texts) - 1,
        )
        for i, t in enumerate(texts)
    ]
    return render(MirrorPage(entries, STAMP, "2026-02-20T10:30:00+08:00", unread), lang).text


def test_the_format() -> None:
    """Two parts of groups, an entry a line with the four fields in a comment, sorted by weight."""
    text = page("likes concise code", "tried Vue once")
    assert "- likes concise code <!-- [a1b2c3] preference | 0.90 | 2026-02-20 | 12 -->\n" in text
    assert (
        text.index("## Active Memories")
        < text.index("### Life")
        < text.index("a1b2c3")
        < text.index("## Archived")
        < text.index("d4e5f6")
    )
    assert "<!-- Last updated: 2026-02-20T10:30:00+08:00 -->\n<!-- Total entries: 2 -->" in text
    zh = page("喜欢简洁的代码", lang="zh")
    assert (
        "## 活跃记忆\n\n### 生活\n\n- 喜欢简洁的代码 <!-- [a1b2c3] 偏好 | 0.90 | 2026-02-20 | 12 -->\n"
        in zh
    )


def test_details_below_what_was_derived_from_them() -> None:
    """A few are shown, the others counted; they stand in the second file."""
    ids = [f"k{n}k{n}k{n}" for n in range(6)]
    entries = [MirrorEntry("a1b2c3", Kind.FACT, "Runs twice a week", 0.5, "2026-02-20", 0)]
    entries += [
        MirrorEntry(i, Kind.FACT, f"Ran {n} km", 1 - n / 10, "2026-02-20", 0, below="a1b2c3")
        for n, i in enumerate(ids)
    ]
    text, more, beside = render(MirrorPage(entries, STAMP, "now"), "en")
    lines = [line.partition(" <!--")[0] for line in text.split("### Life\n\n")[1].split("\n")]
    assert lines[:5] == [
        "- Runs twice a week",
        "  - Ran 0 km",
        "  - Ran 1 km",
        "  - Ran 2 km",
        "  - and 3 more",
    ]
    assert beside == set(ids[3:])
    assert "- Ran 3 km <!--" in more
    doc = parse(text, {"a1b2c3", *ids})
    assert [b.id for b in doc.blocks] == ["a1b2c3", *ids[:3]]
    assert doc.strays == []


def test_the_second_file() -> None:
    """A page has 200 lines; what stands in mind first stays on it."""
    entries = [
        MirrorEntry(
            f"k{n:05}", Kind.FACT, f"Fact {n}", n / 1000, "2026-02-20", 0, archived=n % 2 == 0
        )
        for n in range(1000)
    ]
    text, more, beside = render(MirrorPage(entries, STAMP, "now"), "en")
    assert text.count("\n") <= 200
    assert {e.id for e in entries} == beside | {
        b.id for b in parse(text, {e.id for e in entries}).blocks
    }
    assert all(f"[{i}]" in more for i in beside)
    assert "k00999" in text
    assert f"> Further lines in MEMORY.more.md: {len(beside)}\n" in text


@pytest.mark.parametrize(
    "heading",
    [
        "### 我的事",
        "## 活动的记忆",
        "## 当前记忆",
        "## 我记得的事",
        "## Things about me",
        "##Current memories ##",
    ],
)
def test_the_active_part_under_another_name(heading: str) -> None:
    """Translated or renamed: new lines under it are read, and nothing of it lands among what was not."""
    text = page("likes tea", "tried Vue").replace(
        "## Active Memories", f"{heading}\n\n- 养了一只猫\n- a dog"
    )
    doc = parse(text, frozenset(IDS))
    assert [b.text for b in doc.blocks] == ["养了一只猫", "a dog", "likes tea", "tried Vue"]
    assert doc.strays == []


def test_the_active_part_without_its_heading() -> None:
    """Deleted, or written into the line before: what is listed there is read, and a person's own remarks are kept."""
    text = page("likes tea", "tried Vue").replace(
        "## Active Memories", "Mine, all mine:\n\n- 养了一只猫\n- a dog\n"
    )
    doc = parse(text, frozenset(IDS))
    assert [b.text for b in doc.blocks] == ["养了一只猫", "a dog", "likes tea", "tried Vue"]
    assert doc.strays == ["Mine, all mine:"]


def test_a_heading_of_ones_own_says_nothing() -> None:
    """What is listed below it is read."""
    doc = parse(page("likes tea") + "\n## Garden\n\n- to buy: rhubarb\n", frozenset(IDS))
    assert [b.text for b in doc.blocks] == ["likes tea", "to buy: rhubarb"]
    assert doc.strays == []


@given(
    texts=st.lists(
        st.text(min_size=1).filter(lambda t: bool(flatten_spacing(t))), min_size=1, max_size=3
    ),
    lang=st.sampled_from(["en", "zh"]),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    bom=st.booleans(),
)
def test_whatever_a_memory_says_is_read_back(
    texts: list[str], lang: Lang, ending: str, bom: bool
) -> None:
    """Also where it looks like a heading, a list, a comment or an escape; with any line ending, and a BOM."""
    text = page(*texts, lang=lang).replace("\n", ending)
    doc = parse(("\ufeff" if bom else "") + text, frozenset(IDS))
    assert doc.stamp == STAMP
    assert [(b.id, b.text) for b in doc.blocks] == [
        (IDS[i], flatten_spacing(t)) for i, t in enumerate(texts)
    ]
    assert all(b.kind is Kind.PREFERENCE and not b.fault for b in doc.blocks)
    assert doc.strays == doc.unread == []


@pytest.mark.parametrize(
    "text",
    [
        "### [d4e5f6] fact | 1",
        "- x",
        "1. x",
        "<!-- ebb: a.1 -->",
        "# Memory",
        "\\- x",
        "[2026-01-03 18:00] we met",
        "---",
    ],
)
def test_texts_that_look_like_the_format(text: str) -> None:
    """They stay texts."""
    doc = parse(page(text, "other"), frozenset(IDS))
    assert [b.text for b in doc.blocks] == [text, "other"]
    assert doc.strays == []


@pytest.mark.parametrize(
    "heading",
    [
        "### [a1b2c3] preference | 0.92 | 2026-02-20 | 12",
        "###[a1b2c3] preference|0.92|2026-02-20|12",
        "### ［a1b2c3］ 偏好 ｜ 0.92 ｜ 2026-02-20 ｜ 12",
        "＃＃＃ 【A1B2C3】偏好｜0.92",
        "###\t[ a1b2c3 ]\tPreference\t|\t0.92 |",
        "## [a1b2c3] 🎨 偏好",
        "#### (a1b2c3) preference",
        "### [a1b2c3 preference | 0.92 | 2026-02-20 | 12",
        "### a1b2c3] preference",
        "### preference a1b2c3 | 0.92",
        "[a1b2c3] preference | 0.92 | 2026-02-20 | 12",
        "- [a1b2c3] preference | 0.92",
        "###   [a1b2c3] preference | 0.92 | 2026-02-20 | 12   ###",
    ],
)
def test_headings_however_they_were_typed(heading: str) -> None:
    """The entry is known by its id, and its kind where that can be read."""
    doc = parse(f"## Active Memories\n\n{heading}\nlikes tea", frozenset(IDS))
    assert [(b.id, b.kind, b.text, b.fault) for b in doc.blocks] == [
        ("a1b2c3", Kind.PREFERENCE, "likes tea", "")
    ]


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_by_every_name(kind: Kind) -> None:
    """Its key and its labels in both languages, in any case."""
    for name in (
        str(kind),
        KINDS[kind].en,
        KINDS[kind].zh,
        KINDS[kind].en.upper(),
        f"{KINDS[kind].icon} {kind}",
    ):
        (b,) = parse(f"## Active\n### [a1b2c3] {name} | 1\nx", frozenset(IDS)).blocks
        assert b.kind is kind, name


@pytest.mark.parametrize(
    "added, found",
    [
        ("- I like tea", [(None, "I like tea")]),
        ("* I like tea\n* I like jazz", [(None, "I like tea"), (None, "I like jazz")]),
        ("-我喜欢茶\n•我喜欢爵士乐", [(None, "我喜欢茶"), (None, "我喜欢爵士乐")]),
        ("1. I like tea\n2. I like jazz", [(None, "I like tea"), (None, "I like jazz")]),
        ("- [ ] buy milk", [(None, "buy milk")]),
        ("I like tea", [(None, "I like tea")]),
        ("I like tea\nand jazz", [(None, "I like tea and jazz")]),
        ("- I like tea\n  and jazz", [(None, "I like tea and jazz")]),
        ("### preference\nI like tea", [(Kind.PREFERENCE, "I like tea")]),
        ("### 偏好\n我喜欢茶", [(Kind.PREFERENCE, "我喜欢茶")]),
        (
            "### preference | 0.9\n- I like tea\n- I like jazz",
            [(Kind.PREFERENCE, "I like tea"), (Kind.PREFERENCE, "I like jazz")],
        ),
        ("### Cats\nTom is my cat", [(None, "Tom is my cat")]),
        ("> I like tea", [(None, "I like tea")]),
        ("### [zzzzzz] goal\nlearn Welsh", [(Kind.GOAL, "learn Welsh")]),
        ("###  待办 \n\n- 买牛奶", [(Kind.TODO, "买牛奶")]),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_new_entries(added: str, found: list[tuple[Kind | None, str]], first: bool) -> None:
    """A line, a list, a heading with a kind: each is a new memory, before or after those that are there."""
    old = page("likes concise code")
    mark = "## Active Memories\n"
    text = (
        old.replace(mark, f"{mark}\n{added}\n")
        if first
        else old.replace("\n## Archived", f"\n{added}\n\n## Archived")
    )
    doc = parse(text, frozenset(IDS))
    assert [(b.kind, b.text) for b in doc.blocks if b.id is None] == found
    assert [(b.id, b.text) for b in doc.blocks if b.id] == [("a1b2c3", "likes concise code")]
    assert not any(b.fault for b in doc.blocks)


@pytest.mark.parametrize(
    "broken",
    [
        "### ??? | what\nsome text",
        "### [zzz] ??\nsome text",
        "<!-- a note of mine -->",
        "<!-- a note\nof mine\n-->",
        "| week | km |\n|---|---|\n| 31 | 12 |",
        "![shelf](shelf.png)",
        "[^1]: she said so",
        "<<<<<<< mine\n- likes teas\n=======\n- likes coffee\n>>>>>>> theirs",
        "```\nx = 1\n```",
    ],
)
def test_what_cannot_be_read_is_kept(broken: str) -> None:
    """Verbatim, and the entries around it are read."""
    text = page("likes tea", "old").replace("\n## Archived", f"\n{broken}\n\n## Archived")
    doc = parse(text, frozenset(IDS))
    kept = "\n".join([*doc.strays, *(b.raw for b in doc.blocks if b.fault)])
    assert [w for w in re.findall(r"\S+", broken) if w not in kept] == []
    assert [b.text for b in doc.blocks if b.id] == ["likes tea", "old"]


def test_a_comment_that_never_ends_swallows_nothing() -> None:
    """It is a line like another."""
    doc = parse(
        page("likes tea", "old").replace("\n## Arch", "\n<!-- oops\n\n## Arch"), frozenset(IDS)
    )
    assert [b.id for b in doc.blocks] == ["a1b2c3", "d4e5f6"]
    assert doc.strays == ["<!-- oops"]


def test_the_unread_part_is_left_alone() -> None:
    """Piece by piece, word for word, whatever it looks like."""
    pieces = (
        "### ??? | what\nsome text",
        "- [x] <!-- odd -->\n  deeper",
        "### [a1b2c3] fact | 1\nnot me",
    )
    doc = parse(page("likes tea", unread=pieces), frozenset(IDS))
    assert doc.unread == list(pieces)
    assert [b.text for b in doc.blocks] == ["likes tea"]
    assert parse(page("likes tea", unread=pieces, lang="zh"), frozenset(IDS)).unread == list(pieces)


@given(st.text())
def test_nothing_is_unreadable(text: str) -> None:
    """Any text at all gives a document, and every word of it is in there or is one of ours."""
    doc = parse("## Active\n" + text, frozenset(IDS))
    assert isinstance(doc.blocks, list)


def test_time_alone_is_no_change() -> None:
    """Bodies are the same where only the stamp, the date and the notes differ."""
    a = page("likes tea")
    b = render(
        MirrorPage(
            [MirrorEntry("a1b2c3", Kind.PREFERENCE, "likes tea", 0.9, "2026-02-20", 12)],
            MirrorStamp("k3x9p2", 18),
            "later",
        ),
        "en",
    ).text
    assert a != b
    assert strip_own_comments(a) == strip_own_comments(b)
    assert strip_own_comments(a) != strip_own_comments(page("likes coffee"))
