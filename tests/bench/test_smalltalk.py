"""The small talk: two hundred turns a language, all different; what is counted of the gate."""

from __future__ import annotations

import pytest

from memory.text.words import is_unspaced
from tests.bench.smalltalk import EN, LIFE_EN, LIFE_ZH, OTHER, TURNS, ZH, Gated


def test_the_turns() -> None:
    """Two hundred in each language, no two alike even but for case and points, in the same kinds, in their language."""
    assert TURNS["en"].keys() == TURNS["zh"].keys()
    for turns, life in ((EN, LIFE_EN), (ZH, LIFE_ZH)):
        plain = {"".join(c for c in t.casefold() if c.isalnum()) for t in turns}
        assert len(plain) == len(turns) == 200
        assert not plain & {
            "".join(c for c in q.casefold() if c.isalnum()) for own in life.values() for q in own
        }
    assert not any(is_unspaced(c) for t in EN for c in t)
    assert all(any(is_unspaced(c) for c in t) for t in ZH)


def test_the_other_styles() -> None:
    """Sixty in each language, in the same kinds, none of them among the two hundred."""
    assert [(k, len(v)) for k, v in OTHER["en"].items()] == [
        (k, len(v)) for k, v in OTHER["zh"].items()
    ]
    for lang, known in (("en", EN), ("zh", ZH)):
        turns = [t for own in OTHER[lang].values() for t in own]
        assert len(turns) == len(set(turns)) == 60
        assert not set(turns) & set(known)


def test_what_is_counted() -> None:
    """One turn of four brought something up; a point of recall went."""
    gated = Gated(by_person=[0.5, 0.0], free=[1.0, 1.0], gated=[1.0, 0.5])
    gated.asked.update({"nods": 2, "moods": 2})
    gated.noisy.update({"moods": 1})
    gated.turns.update({"I'm bored": 1})
    told = gated.told()
    assert told["injected"] == 0.25
    assert told["worst_person"] == 0.5
    assert told["kinds"] == {"nods": 0.0, "moods": 0.5}
    assert told["R@3"] - told["R@3_gated"] == pytest.approx(0.25)
    assert "25.0%" in "".join(gated.lines())
