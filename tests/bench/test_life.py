"""The made-up lives: the same from one seed, right about who answers what, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memory.text.words import is_unspaced
from tests.bench.data import load, when
from tests.bench.life.__main__ import write
from tests.bench.life.styles import OF_TIME, STYLES
from tests.bench.life.tables import LANGS, sorts
from tests.bench.life.world import Life


@pytest.fixture(scope="module")
def lives() -> dict[str, Life]:
    return {lang: Life(lang, lang, 5, first=lang == "en") for lang in LANGS}


def test_the_tables_are_alike() -> None:
    """Both languages know the same number of sorts, with variants of each line, and no value twice in a sort."""
    for table in ("FACTS", "EVENTS"):
        en, zh = (sorts(getattr(words, table)) for words in LANGS.values())
        assert [(s.changes, s.several, set(s.lines)) for s in en] == [
            (s.changes, s.several, set(s.lines)) for s in zh
        ]
        for s in (*en, *zh):
            assert all(len(v) == len(set(v)) for v in s.lines.values()), s.name
            assert all(len(v) >= 2 for key, v in s.lines.items() if key != "hop"), s.name


def test_written_and_read(tmp_path: Path) -> None:
    """600 memories and more a person, the same bytes each time; every answer is a memory of who asks."""
    assert write(tmp_path / "a", 1, 3) == write(tmp_path / "b", 1, 3)
    for name in ("memories.jsonl", "queries.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    for user in load(tmp_path / "a").values():
        ids = {m["id"] for m in user.memories}
        assert len(ids) == len(user.memories) >= 600
        assert len(user.queries) >= 150
        for q in user.queries:
            assert q["gold"] and {*q["gold"], *(a for alt in q["alt"].values() for a in alt)} <= ids
        assert not [m["text"] for m in user.memories if re.search(r"[{}]", m["text"])]


@pytest.mark.parametrize("style", STYLES)
def test_told_otherwise(tmp_path: Path, style: str) -> None:
    """The same bytes each time; every question still has its answers, at one time or in the other's words."""
    assert write(tmp_path / "a", 1, 3, style=style) == write(tmp_path / "b", 1, 3, style=style)
    assert (tmp_path / "a/memories.jsonl").read_bytes() == (
        tmp_path / "b/memories.jsonl"
    ).read_bytes()
    for user in load(tmp_path / "a").values():
        ids = {m["id"]: m for m in user.memories}
        assert all(
            {*q["gold"], *(a for alt in q["alt"].values() for a in alt)} <= ids.keys()
            for q in user.queries
        )
        texts = [m["text"] for m in user.memories]
        if style == "notes":
            assert len({m["time"] for m in user.memories}) == 1
            assert not OF_TIME & {q["category"] for q in user.queries}
        elif style == "chat":
            assert sum(t.startswith(("Assistant: ", "助手：")) for t in texts) > 100
            assert all(t.startswith(("User: ", "用户：", "Assistant: ", "助手：")) for t in texts)
        else:
            assert (
                sum(
                    any(is_unspaced(c) for c in t) and re.search("[a-z]{3}", t) is not None
                    for t in texts
                )
                > 20
            )


@pytest.mark.parametrize("lang", LANGS)
def test_what_answers_stays_true(lives: dict[str, Life], lang: str) -> None:
    """A value belongs to one person; a change comes after what it changed, and what is said again before it."""
    life = lives[lang]
    owners = [(f.sort.name, v) for f in life.facts for v in f.values]
    assert len(owners) == len(set(owners))
    for f in life.facts:
        for old, new in zip(f.said, f.said[1:], strict=False) if f.sort.changes else ():
            assert all(s.at.date() < new.at.date() for s in (old, *old.again))
        for v, said in zip(f.values, f.said, strict=True):
            assert all(v.lower() in s.text.lower() for s in (said, *said.again))
    for e in life.events:
        assert all(
            e.who in s.text and e.x.lower() in s.text.lower() for s in (e.said, *e.said.again)
        )


@pytest.mark.parametrize("lang", LANGS)
def test_every_category_is_asked(lives: dict[str, Life], lang: str) -> None:
    """All of them; the current answer to what changed is the last that was said of it."""
    life = lives[lang]
    asked = life.queries()
    assert {q["category"] for q in asked} == {
        "single", "person", "paraphrase", "changed", "before", "list", "two-hop", "time", "typo",
    }  # fmt: skip
    assert len({json.dumps(q["gold"]) + q["text"] for q in asked}) > 0.9 * len(asked)
    latest = {f.said[-1].id for f in life.facts if f.sort.changes and len(f.said) > 1}
    assert {q["gold"][0] for q in asked if q["category"] == "changed"} == latest
    times = {m["id"]: when(m["time"]) for m in life.memories()}
    assert list(times.values()) == sorted(times.values())
