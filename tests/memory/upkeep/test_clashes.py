"""Contradictions: found by rules, confirmed by a model, reported until they are settled, and never acted upon."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from memory.errors import ModelError
from memory.learn.edits import edit
from memory.models import Json, Kind, Memory, Sensitivity, State
from memory.upkeep.clashes import may_clash
from tests.memory.lifecycle.test_curves import T0, memory
from tests.memory.upkeep.night import Home


def said(text: str) -> Memory:
    return memory(id=text, original_content=text, language="zh" if text[0] > "\u2e80" else "en")


@pytest.mark.parametrize(
    ("a", "b", "certainty"),
    [
        ("The user lives in Paris", "The user lives in Lyon", "sure"),
        ("The user's name is Anna", "The user's name is Lena", "sure"),
        ("My birthday is May 4", "The user's birthday is June 9", "sure"),
        ("The user's favourite colour is blue", "The user's favourite colour is green", "sure"),
        ("The user is 34 years old", "The user is 35 years old", "sure"),
        ("用户住在北京", "用户现在住在上海", "sure"),
        ("用户的生日是3月5日", "用户的生日是5月3日", "sure"),
        ("用户最喜欢的颜色是蓝色", "用户最喜欢的颜色是绿色", "sure"),
        ("The user likes coffee", "The user doesn't like coffee", "likely"),
        ("用户喜欢喝咖啡", "用户不喜欢喝咖啡", "likely"),
        ("The user has two cats", "The user has three cats", "likely"),
        ("用户有两只猫", "用户有三只猫", "likely"),
        ("The user lives in Paris", "The user lives in Paris, France", None),
        ("The user lives in Paris", "The user works at Renault", None),
        ("The user's friend is Anna", "The user's friend is Tom", None),
        ("The user likes coffee", "The user likes tea", None),
        ("The user plays chess on Mondays", "The user does not eat meat", None),
        ("用户喜欢喝咖啡", "用户不喜欢喝茶", None),
        ("The user lives in Paris", "用户住在上海", None),
    ],
)
def test_candidates(a: str, b: str, certainty: str | None) -> None:
    """One slot with two values; said and denied; two numbers in one sentence. In any order."""
    assert may_clash(said(a), said(b)) == may_clash(said(b), said(a)) == certainty


def test_only_what_holds_at_the_same_time_can_contradict() -> None:
    """Neither what was replaced, denied, or over; nor passing things; nor secrets."""
    a, b = said("The user lives in Paris"), said("The user lives in Lyon")
    assert may_clash(a, b) == "sure"
    for other in (
        replace(b, state=State.SUPERSEDED),
        replace(b, state=State.PROPOSED),
        replace(b, negated_at=T0),
        replace(b, kind=Kind.CONTEXT),
        replace(b, sensitivity=Sensitivity.SECRET),
        replace(b, valid_from=T0 + timedelta(days=1)),
    ):
        assert may_clash(replace(a, valid_until=T0), other) is None
        assert may_clash(other, replace(a, valid_until=T0)) is None


async def test_what_the_model_confirms_is_reported_until_it_is_settled(home: Home) -> None:
    """Night after night, without asking again; nothing is changed by it."""
    a = await home.remember("The user likes black coffee", kind=Kind.PREFERENCE)
    b = await home.remember("The user does not like black coffee", kind=Kind.PREFERENCE)
    home.model.answers["contradict"] = '[{"n": 1}, {"n": 9}]'
    first = await home.night()
    assert first.clashes == [tuple(sorted((a.id, b.id)))]
    home.later(days=1)
    assert (await home.night()).clashes == first.clashes
    assert len(home.model.asked("contradict")) == 1
    assert [(await home.get(m)).original_content for m in (a, b)] == [
        a.original_content,
        b.original_content,
    ]
    await home.write(
        lambda tx: tx.memories.put(
            replace(tx.memories.get_many([a.id])[0], state=State.SUPERSEDED), "superseded"
        )
    )
    home.later(days=1)
    assert (await home.night()).clashes == []


async def test_what_it_denies_or_does_not_name_is_not_reported(home: Home) -> None:
    """Two homes may be true of one person."""
    await home.remember("The user lives in Paris", kind=Kind.FACT)
    await home.remember("The user lives in Lyon", kind=Kind.FACT)
    assert (await home.night()).clashes == []
    (asked,) = home.model.asked("contradict")
    assert {asked["pairs"][0]["a"], asked["pairs"][0]["b"]} == {
        "The user lives in Paris",
        "The user lives in Lyon",
    }


@pytest.mark.parametrize("answer", ["I cannot say.", ModelError("no_connection")])
async def test_without_a_readable_answer_only_the_sure_ones_are_reported(
    home: Home, answer: str | Exception
) -> None:
    """The rules' own; a model that is gone is asked again the next night."""
    a = await home.remember("用户住在北京", kind=Kind.FACT)
    b = await home.remember("用户住在上海", kind=Kind.FACT)
    await home.remember("用户喜欢喝咖啡", kind=Kind.PREFERENCE)
    await home.remember("用户不喜欢喝咖啡", kind=Kind.PREFERENCE)
    home.model.answers["contradict"] = answer
    report = await home.night()
    assert report.clashes == [tuple(sorted((a.id, b.id)))]
    assert bool(report.waiting) == isinstance(answer, Exception)

    def all_of_them(data: Mapping[str, Json]) -> str:
        return json.dumps([{"n": p["n"]} for p in data["pairs"]])

    home.model.answers["contradict"] = all_of_them
    home.later(days=1)
    assert len((await home.night()).clashes) == (2 if isinstance(answer, Exception) else 1)


async def test_an_edit_is_looked_at_anew(home: Home) -> None:
    """What a person writes into an old memory may contradict another."""
    a = await home.remember("The user lives in Paris", kind=Kind.FACT)
    b = await home.remember("The user was in Lyon once", kind=Kind.FACT)
    await home.night()
    home.later(hours=5)
    await home.write(lambda tx: edit(tx, b.id, "The user lives in Lyon", 1.0, home.now))
    home.later(hours=5)
    home.model.answers["contradict"] = '[{"n": 1}]'
    assert (await home.night()).clashes == [tuple(sorted((a.id, b.id)))]
