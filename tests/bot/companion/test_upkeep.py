"""The companion's part in a night: what it writes passes upkeep's own checks, in both languages."""

from __future__ import annotations

import json

import pytest

from bot.llm.companion.model import respond
from bot.llm.companion.sorts import SORTS, sort_of
from memory.models import Level, language_of
from memory.upkeep.levels import unfit
from tests.memory.lifecycle.test_curves import memory

TEXTS = (
    "The user likes espresso without sugar",
    "The user likes hiking in the mountains because of the view",
    "The user is allergic to peanuts",
    "The user works as a nurse in a hospital (night shifts)",
    "The user's sister Anna is a doctor",
    "The user doesn't like mushrooms",
    "The user no longer smokes",
    "The user wants to learn the piano this year",
    "The user lives in Paris",
    "The user is 34 years old",
    "The user's favourite colour is blue",
    "用户喜欢喝美式咖啡，不加糖不加奶",
    "用户对花生过敏",
    "用户不喜欢香菜",
    "用户每天早上跑步",
    "用户的妹妹叫小红",
    "用户打算今年学钢琴",
    "用户戒烟了",
    "用户住在北京",
    "用户是护士",
)


@pytest.mark.parametrize("level", [Level.SUMMARY, Level.TAG])
def test_what_it_fades_says_less_and_nothing_else(level: Level) -> None:
    """Every text, in one call, under its own id, fit to be kept."""
    items = [
        {"id": f"m{i}", "text": t, "level": level.name.lower(), "lang": language_of(t)} for i, t in enumerate(TEXTS)
    ]
    rows = json.loads(respond("level", {"items": items}))
    assert [r["id"] for r in rows] == [i["id"] for i in items]
    for text, row in zip(TEXTS, rows, strict=True):
        assert unfit(memory(original_content=text, language=language_of(text)), level, row["text"]) == "", row


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("The user likes espresso without sugar", "The user likes drinks"),
        ("The user doesn't like mushrooms", "The user does not like certain food"),
        ("用户喜欢喝美式咖啡，不加糖不加奶", "用户喜欢饮品"),
        ("用户不喜欢香菜", "用户不喜欢某些食物"),
        ("The user is 34 years old", "Something about their age"),
    ],
)
def test_a_tag_is_the_sort_of_thing_it_was(text: str, tag: str) -> None:
    """S4: coffee becomes drinks."""
    item = {"id": "a", "text": text, "level": "tag", "lang": language_of(text)}
    assert json.loads(respond("level", {"items": [item]})) == [{"id": "a", "text": tag}]


@pytest.mark.parametrize(
    ("texts", "merged"),
    [
        (["The user likes coffee", "The user likes drinking coffee"], "The user likes drinking coffee"),
        (["用户喜欢喝咖啡", "用户很喜欢喝咖啡"], "用户很喜欢喝咖啡"),
        (["The user likes coffee", "The user likes tea"], "[SEPARATE]"),
        (["The user's favourite colour is blue", "The user's favourite colour is green"], "[SEPARATE]"),
        (["用户喜欢喝咖啡", "用户喜欢喝茶"], "[SEPARATE]"),
        (["用户的朋友叫小明", "用户的朋友叫小红"], "[SEPARATE]"),
        ([], ""),
    ],
)
def test_it_merges_only_where_one_says_it_all(texts: list[str], merged: str) -> None:
    """Two things that each say something of their own stay two."""
    assert respond("merge", {"texts": texts}) == merged


@pytest.mark.parametrize(
    ("a", "b", "clash"),
    [
        ("The user lives in Paris", "The user lives in Lyon", True),
        ("The user likes coffee", "The user doesn't like coffee", True),
        ("用户住在北京", "用户住在上海", True),
        ("The user likes coffee", "The user likes tea", False),
        ("The user has a cat called Mia", "The user has a dog called Rex", False),
        ("用户喜欢咖啡", "用户喜欢茶", False),
        ("", "nonsense", False),
    ],
)
def test_it_knows_what_cannot_both_be_true(a: str, b: str, clash: bool) -> None:
    """One slot, two values; said and denied."""
    assert json.loads(respond("contradict", {"pairs": [{"n": 4, "a": a, "b": b}]})) == ([{"n": 4}] if clash else [])


def test_a_fainter_text_is_not_cut_at_a_shortened_word() -> None:
    """Nor does a tag of what somebody can do say more than the sentence did."""
    rows = [
        {"id": "a", "text": "I work as a nurse at St. Mary hospital, on nights", "level": "summary"},
        {"id": "b", "text": "Dr. J. Smith is the user's dentist. He is kind.", "level": "summary"},
        {"id": "c", "text": "I play chess on Mondays", "level": "tag"},
    ]
    found = {r["id"]: r["text"] for r in json.loads(respond("level", {"items": rows}))}
    assert found == {
        "a": "I work as a nurse at St. Mary hospital",
        "b": "Dr. J. Smith is the user's dentist.",
        "c": "Something about chess",
    }


def test_it_concludes_from_three_of_a_sort() -> None:
    """Not from two, not from one thing said three times, not from what is disliked."""
    likes = [
        {"id": i, "text": f"The user likes {x}"}
        for i, x in (("a", "espresso"), ("b", "green tea"), ("c", "lemonade"))
    ]
    (found,) = json.loads(respond("derive", {"memories": likes}))
    assert found == {"content": "The user likes all sorts of drinks", "kind": "preference", "from": ["a", "b", "c"]}
    zh = [{"id": i, "text": f"用户喜欢{x}"} for i, x in (("a", "爬山"), ("b", "游泳"), ("c", "打篮球"))]
    assert json.loads(respond("derive", {"memories": zh}))[0]["content"] == "用户喜欢各种运动"
    for rows in (likes[:2], [likes[0]] * 3, [{"id": "x", "text": "The user doesn't like tea"}, *likes[:2]]):
        assert json.loads(respond("derive", {"memories": rows})) == []


def test_it_reviews_by_kind_and_by_what_stands_near() -> None:
    """Lasting things rise; what another says too may go; of passing things it asks first."""

    def review(task: str, kind: str, *nearest: str, text: str = "The user likes coffee", **more: object) -> str:
        rows = [{"id": f"n{i}", "text": t} for i, t in enumerate(nearest)]
        memory = {"id": "m", "text": text, "kind": kind, "weight": more.pop("weight", 0.2)}
        return respond("review", {"task": task, "memory": memory, "nearest": rows, "found": [], "round": 1, **more})

    assert review("promotion", "preference") == "[PROMOTE]"
    assert review("promotion", "context") == "[KEEP]"
    assert review("decay", "preference") == "[KEEP]"
    assert review("decay", "preference", "The user likes coffee in the morning") == "[DELETE]"
    assert review("decay", "context").startswith("[SEARCH:")
    assert review("decay", "context", text="用户今天很累").startswith("[SEARCH:")
    assert review("decay", "context", text="用户第3次去Oslo时买了12个maps") == "[SEARCH:第次去时买 oslo map 12]"
    assert review("decay", "context", round=2) == "[DELETE]"
    assert review("decay", "context", weight=0.4) == "[KEEP]"


@pytest.mark.parametrize("task", ["level", "merge", "review", "contradict", "derive"])
@pytest.mark.parametrize(
    "data", [{}, {"items": 3}, {"texts": "x"}, {"pairs": [None]}, {"memories": [{"id": 1}]}, {"memory": 7}]
)
def test_whatever_it_is_given_it_answers_in_the_tasks_form(task: str, data: dict[str, object]) -> None:
    """Never an exception, never a chat."""
    said = respond(task, data)  # type: ignore[arg-type]
    if task in {"level", "contradict", "derive"}:
        assert isinstance(json.loads(said), list)
    else:
        assert said == "" or said.startswith("[") or isinstance(data.get("texts"), str)


def test_sorts_know_their_own_words() -> None:
    """Each word of the table leads to a sort of its language."""
    for _, zh, english, chinese in SORTS:
        for word in english:
            assert sort_of(f"the {word.replace('_', ' ')}", "en"), word
        for word in chinese:
            assert sort_of(word, "zh"), (zh, word)
    assert sort_of("the tax office", "en") == sort_of("税务局", "zh") == ""
