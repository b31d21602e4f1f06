"""The benchmark itself: its format, its figures by hand, and a tiny set through Ebb's own store and a peer's place."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from memory.embed import LexicalEmbedder
from tests.bench import peers
from tests.bench.data import load
from tests.bench.metrics import FIGURES, Tally, by_part, gains, share_found
from tests.bench.recall import main

SAID = (
    ("ann", "a1", "Ann keeps bees behind the old chapel", "2025-03-01T09:00:00"),
    ("ann", "a2", "The dentist is on Harbour Street", "2025-03-02T09:00:00"),
    ("ann", "a3", "Marmalade is what Ann has for breakfast", "2025-03-03T09:00:00"),
    ("bo", "b1", "波波在学手风琴", "2025年03月01日 周六 08:30"),
    ("bo", "b2", "波波的牙医在海港街", "2025年03月02日 周日 08:30"),
)
ASKED = (
    ("ann", "Where are the bees kept?", ["a1"], "single", "en"),
    ("ann", "Which street is the dentist on?", ["a2"], "single", "en"),
    ("ann", "Does Ann keep wasps?", ["a1"], "adversarial", "en"),
    ("bo", "牙医在哪条街？", ["b2"], "single", "zh"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two people, three questions and one that stands apart."""
    out = tmp_path / "tiny"
    out.mkdir()
    said = [
        {"user": u, "id": i, "text": t, "time": at, "speaker": "user", "session": at[:10], "seq": n}
        for n, (u, i, t, at) in enumerate(SAID)
    ]
    asked = [
        {"user": u, "id": f"q{n}", "text": t, "gold": g, "category": c, "lang": lang}
        for n, (u, t, g, c, lang) in enumerate(ASKED)
    ]
    for name, rows in (("memories", said), ("queries", asked)):
        text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
        (out / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return out


def test_the_format(folder: Path) -> None:
    """Users have their own; times are read in both forms; `now` is the last thing said."""
    users = load(folder)
    assert [len(u.memories) for u in users.values()] == [3, 2]
    assert users["ann"].now.isoformat() == "2025-03-03T09:00:00+00:00"
    assert users["bo"].now.isoformat() == "2025-03-02T08:30:00+00:00"


def test_figures_by_hand() -> None:
    """Two gold memories, one found third through its equal, one eleventh: nothing counts twice."""
    query = {"gold": ["x", "y"], "alt": {"x": ["x2"]}}
    found = ["-", "-", "x2", "x", *"-----", "-", "y"]
    assert [share_found(query, found, k) for k in (2, 3, 10, 20)] == [0.0, 0.5, 0.5, 1.0]
    mrr, ndcg = gains(query, found)
    assert mrr == 1 / 3
    assert ndcg == pytest.approx((1 / log2(4)) / (1 / log2(2) + 1 / log2(3)))
    assert gains({"gold": ["z"]}, found) == (0.0, 0.0)


def test_a_tally_keeps_adversarial_apart() -> None:
    """The totals are of the other questions; languages stand apart where there are two."""
    tally = Tally()
    for lang, category, found in (
        ("en", "single", "g"),
        ("zh", "single", "-"),
        ("en", "adversarial", "-"),
    ):
        tally.add({"gold": ["g"], "lang": lang, "category": category}, [found], 0.001)
    parts = {name: (n, figures[0]) for name, n, figures in tally.parts()}
    assert parts == {
        "all": (2, 0.5),
        "en all": (1, 1.0),
        "zh all": (1, 0.0),
        "en single": (1, 1.0),
        "zh single": (1, 0.0),
        "en adversarial": (1, 0.0),
    }
    assert tally.percentile(95) == 1.0
    lines = list(by_part({"one": tally, "two": tally}, "R@10"))
    assert len(lines) == 7
    assert lines[1].split() == ["all", "2", "[0.500]", "[0.500]"]


class ByDate:
    """A peer that always finds the newest first."""

    def __init__(self, home: Path, vectors: peers.Vectors) -> None:
        self.kept: dict[str, list[str]] = {}
        self.vectors = vectors

    def add(self, user: str, rows: Any) -> None:
        assert all(
            len(self.vectors.at_once(r["text"], "content")) == self.vectors.dim for r in rows
        )
        self.kept[user] = [r["id"] for r in rows]

    def find(self, user: str, text: str, k: int) -> list[str]:
        assert len(self.vectors.at_once(text, "query")) == self.vectors.dim
        return self.kept[user][::-1][:k]

    def close(self) -> None:
        self.kept.clear()


opened = ByDate


async def test_a_tiny_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ebb finds what shares words, first; a peer is measured by the same rule; one that is absent is named."""
    for name, value in {
        **peers.SILENT,
        "MEM0_DIR": "",
    }.items():  # set anyway, and taken back afterwards
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(peers, "PEERS", {"newest": __name__, "absent": "tests.bench.peers.no_such"})
    told = await main([folder], LexicalEmbedder(), ["newest", "absent"])
    assert "absent is not installed" in capsys.readouterr().out
    ways = told["sets"]["tiny"]["ways"]
    assert set(ways) == {"Ebb", "gated", "BM25", "vectors", "RRF", "newest"}
    assert set(ways["Ebb"]["parts"]["all"]) == {"questions", *FIGURES}
    assert ways["Ebb"]["parts"]["all"]["questions"] == 3
    assert ways["Ebb"]["parts"]["all"]["MRR"] == 1.0
    assert ways["newest"]["parts"]["all"]["MRR"] == pytest.approx((1 / 3 + 1 / 2 + 1) / 3)
    assert ways["newest"]["written"] > 0


async def test_without_vectors(folder: Path) -> None:
    """`--embedder none`: words alone, in a store that knows no embedder; no peer can take part."""
    told = await main([folder], None, [])
    ways = told["sets"]["tiny"]["ways"]
    assert set(ways) == {"Ebb", "gated", "BM25"}
    assert told["embedder"] == "none"
    assert ways["Ebb"]["parts"]["all"]["R@3"] == 1.0
