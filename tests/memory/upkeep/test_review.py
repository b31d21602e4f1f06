"""The reviewer: what it is shown, what it may say, and what becomes of it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.reports import describe_night
from memory import lifecycle
from memory.errors import ModelError
from memory.learn import edits
from memory.learn.answer import NIGHT_FLOOR, parse
from memory.models import Importance, Json, Kind, Layer, Level, Memory, Sensitivity, State, Usage
from memory.ports import Transaction
from memory.upkeep.review import MOST_REVIEWS
from tests.memory.lifecycle.test_curves import T0, memory
from tests.memory.upkeep.night import Home
from tests.servers.tasks import decision

NAME = "The user is called Lena"
CHESS = "The user plays chess on Mondays"
DUE = 28.6


async def boosted(home: Home, text: str = NAME) -> Memory:
    """A memory whose counter asks for a promotion: 2.0 + 2 × 0.3, and which may become core."""
    m = await home.remember(text, importance=Importance.HIGH, kind=Kind.IDENTITY, verified=True)
    for _ in range(2):
        m = await home.happen(m, "boost")
    return m


async def neglected(home: Home, text: str = CHESS, **fields: object) -> Memory:
    """A memory under `importance` whose counter will be below 0.5 after so many days (`DUE`), in its own words."""
    home.curve = "importance"
    return await home.remember(text, kind=Kind.IDENTITY, sensitivity=Sensitivity.PRIVATE, **fields)


async def test_a_promotion_makes_core(home: Home) -> None:
    """For good: whole, undoable, in the log; and nobody asks again."""
    m = await boosted(home)
    home.model.answers["review"] = (
        '{"thoughts": "Their name will not change.", "decision": "promote"}'
    )
    report = await home.night()
    now = await home.get(m)
    assert (now.layer, now.level, now.content) == (Layer.CORE, Level.FULL, NAME)
    assert report.count("review_promoted") == 1
    log = await home.read(lambda tx: tx.memories.list_weight_log(m.id))
    assert log[-1].event == "promoted"
    last = await home.read(lambda tx: tx.changes.get_latest_change("memory", m.id))
    assert last.op == "promoted"
    home.later(days=400)
    await home.night()
    assert len(home.model.asked("review")) == 1


async def test_it_is_shown_the_memory_its_five_nearest_and_what_it_searched_for(home: Home) -> None:
    """Up to three rounds; itself and secrets are never among them."""
    m = await boosted(home)
    for text in (
        "The user is called Lena by friends",
        "Lena is a nurse",
        "Lena plays tennis",
        "Lena has a cat",
    ):
        await home.remember(text)
    await home.remember("The user has a brother called Tom Lena")
    await home.remember("The user is allergic to walnuts")
    secret = await home.remember("Lena bank card")
    await home.write(
        lambda tx: tx.memories.put(replace(secret, sensitivity=Sensitivity.SECRET), "updated")
    )

    def answer(data: Mapping[str, Json]) -> str:
        words = ("walnuts allergy", "tennis", "")[int(data["round"]) - 1]
        return json.dumps({"decision": "search" if words else "keep", "words": words})

    home.model.answers["review"] = answer
    await home.night()
    one, two, three = home.model.asked("review")
    assert (one["task"], one["memory"]["id"], one["memory"]["text"], one["memory"]["kind"]) == (
        "promotion",
        m.id,
        NAME,
        "identity",
    )
    assert len(one["nearest"]) == 5
    ids = {row["id"] for call in (one, two, three) for row in (*call["nearest"], *call["found"])}
    assert m.id not in ids
    assert secret.id not in ids
    assert (one["found"], one["round"]) == ([], 1)
    assert "The user is allergic to walnuts" in [row["text"] for row in two["found"]]
    assert "Lena plays tennis" in [row["text"] for row in three["found"]]
    prompt = [r for r in home.model.requests if r.task == "review"][-1].messages
    assert "search" in prompt[0]["content"]
    assert NAME in prompt[1]["content"]
    assert "tennis" in prompt[1]["content"]


async def test_kept_in_a_promotion_changes_nothing_and_rests_thirty_days(home: Home) -> None:
    """The same question is not asked every night."""
    m = await boosted(home)
    await home.night()
    now = await home.get(m)
    assert (now.layer, now.importance, now.level) == (Layer.FACT, m.importance, m.level)
    home.later(days=29)
    await home.night()
    assert len(home.model.asked("review")) == 1


async def test_kept_in_a_decay_review_starts_again_at_one_half(home: Home) -> None:
    """The three-layer paper's table; the same review rests, and ten idle days later the curve itself forgets."""
    m = await neglected(home)
    home.later(days=DUE)
    report = await home.night()
    now = await home.get(m)
    assert home.model.asked("review")[0]["task"] == "decay"
    assert (now.importance, now.importance_at, now.reviewed_at) == (0.5, home.now, home.now)
    assert report.count("review_kept") == 1
    assert now.last_activated_at == m.last_activated_at
    home.later(days=9)
    await home.night()
    assert len(home.model.asked("review")) == 1


async def test_only_the_same_review_rests(home: Home) -> None:
    """What was kept in a decay review and then shaped reply after reply is reviewed for promotion within the month."""
    m = await neglected(home)
    home.later(days=DUE)
    await home.night()
    for _ in range(7):
        home.later(hours=12)
        await home.happen(m, "mention")
        m = await home.happen(m, "boost")
    await home.night()
    assert [call["task"] for call in home.model.asked("review")] == ["decay", "promotion"]
    home.later(days=1)
    await home.night()
    assert len(home.model.asked("review")) == 2


@pytest.mark.parametrize("curve", ["fade", "fsrs", "score", "relevance"])
async def test_under_other_curves_decay_is_nobodys_question(home: Home, curve: str) -> None:
    """However low the counter is, the curve alone decides."""
    m = await neglected(home)
    await home.write(
        lambda tx: tx.memories.put(lifecycle.move_to_curve(m, curve, 1.0, home.now), "updated")
    )
    home.model.answers["review"] = decision("delete")
    for _ in range(3):
        home.later(days=DUE)
        await home.night()
    assert home.model.asked("review") == []
    assert (await home.get(m)).state is State.ACTIVE


async def test_what_it_lets_go_of_is_forgotten_and_comes_back_whole(home: Home) -> None:
    """Restored by its owner, the next nights find nothing to do about it."""
    m = await neglected(home)
    home.model.answers["review"] = decision("delete")
    home.later(days=DUE)
    report = await home.night()
    now = await home.get(m)
    assert (now.state, now.original_content) == (State.FORGOTTEN, CHESS)
    assert report.count("review_forgotten") == 1
    await home.write(lambda tx: edits.restore(tx, m.id, 1.0, home.now))
    for _ in range(7):
        home.later(days=1)
        await home.night()
    back = await home.get(m)
    assert (back.state, back.level, back.content) == (State.ACTIVE, Level.FULL, CHESS)
    assert len(home.model.asked("review")) == 1


async def test_the_only_holder_of_a_name_is_kept(home: Home) -> None:
    """Of two that say something of Hannah one may go; then the other is all there is of her."""
    two = [
        await neglected(home, f"Hannah {what}", entities=("Hannah",))
        for what in ("sings", "lives in Lyon")
    ]
    home.model.answers["review"] = decision("delete")
    home.later(days=DUE)
    await home.night()
    assert sorted([(await home.get(m)).state for m in two]) == [State.ACTIVE, State.FORGOTTEN]
    assert len(home.model.asked("review")) == 2
    home.later(days=DUE)
    await home.night()
    assert len(home.model.asked("review")) == 2, "nobody asks about the one that is left"


SPARED: tuple[dict[str, Any], ...] = (
    *({"verified": True}, {"pinned": True}, {"layer": Layer.CORE}, {"close": True}),
    *({"kind": Kind.HEALTH}, {"kind": Kind.INSTRUCTION}),
)


@pytest.mark.parametrize("curve", ["importance", "fade"])
def test_four_hundred_nights_with_a_reviewer_that_errs(curve: str) -> None:
    """One answer in twelve is DELETE: under `fade` nothing goes, under `importance` only what its owner can restore."""
    rng, day = random.Random(7), timedelta(days=1)
    at = T0
    some = [
        replace(memory(curve=curve), **(SPARED[n % 10] if n % 10 < len(SPARED) else {}))
        for n in range(210)
    ]
    held = dict(enumerate(lifecycle.start_life(m, Importance.HIGH, curve, at) for m in some))
    gone: dict[int, Memory] = {}
    for _ in range(400):
        at += day
        for n, m in list(held.items()):
            if n % 3 == 0 and rng.random() < 0.05:
                held[n], _ = lifecycle.apply_event(m, "mention", 1.0, at)
            match lifecycle.decide_action(m, 1.0, at):
                case Level() as level:
                    held[n] = replace(m, level=level, content="…")
                case "decay" if rng.random() >= 1 / 12:
                    held[n] = lifecycle.apply_keep(m, "decay", at)
                case "decay" | "forget":
                    gone[n] = held.pop(n)
    assert all(n % 10 >= len(SPARED) for n in gone)
    assert bool(gone) is (curve == "importance")
    for m in gone.values():
        back, _ = lifecycle.revive_memory(m, 1.0, at)
        assert (back.level, back.content) == (Level.FULL, m.original_content)
        assert lifecycle.decide_action(back, 1.0, at + day) == "keep"


async def test_the_reviewer_takes_nothing_that_only_its_owner_lets_go_of(home: Home) -> None:
    """Through the store: whatever it answers, and all of it comes back by its owner's word."""
    home.model.answers["review"] = decision("delete")
    spared = [await neglected(home, f"The user owns lamp number {n}") for n in range(len(SPARED))]
    for m, fields in zip(spared, SPARED, strict=True):
        await home.write(lambda tx, m=m, f=fields: tx.memories.put(replace(m, **f), "updated"))  # type: ignore[misc]
    other = await neglected(home, "The user plays chess")
    home.later(days=DUE)
    await home.night()
    assert {(await home.get(m)).state for m in spared} == {State.ACTIVE}
    assert (await home.get(other)).state is State.FORGOTTEN


async def test_a_night_shares_a_tenth_of_the_weeks_conversation(home: Home) -> None:
    """With a floor for silent weeks; what is left over follows, and the next day there is room again."""
    for n in range(4):
        await neglected(home, f"The user once counted {n} sheep")
    home.later(days=DUE)
    await home.write(
        lambda tx: tx.traces.record_tokens("upkeep", "any", Usage(NIGHT_FLOOR - 200, 0), home.now)
    )
    report = await home.night()
    assert (home.model.asked("review"), report.waiting["review"]) == ([], "budget")
    both = replace(report, waiting={"review": "budget", "merge": "budget"})
    for lang, words in (("en", "share of tokens"), ("zh", "可用的 token")):
        assert describe_night(both, [], lang, "UTC").count(words) == 1
    await home.write(
        lambda tx: tx.traces.record_tokens("chat", "any", Usage(NIGHT_FLOOR * 20, 0), home.now)
    )
    await home.night()
    assert len(home.model.asked("review")) == 4


async def test_promote_is_no_answer_to_a_decay(home: Home) -> None:
    """It says that the memory has its worth: kept."""
    m = await neglected(home)
    home.model.answers["review"] = decision("promote")
    home.later(days=DUE)
    await home.night()
    assert ((await home.get(m)).layer, (await home.get(m)).importance) == (Layer.FACT, 0.5)


@pytest.mark.parametrize(
    "said",
    ["No idea.", '{"decision": "search", "words": "chess"}', "", '<think>{"decision": "delete"}'],
)
async def test_a_review_that_fails_leaves_it_as_it_was_and_is_tried_again_twice(
    home: Home, said: str
) -> None:
    """Then it rests like one that was kept."""
    m = await neglected(home)
    home.model.answers["review"] = said
    home.later(days=DUE)
    for _ in range(2):
        report = await home.night()
        now = await home.get(m)
        assert (now.importance, now.reviewed_at, now.state) == (m.importance, None, State.ACTIVE)
        assert report.count("unreviewed") == 1
        home.later(days=1)
    await home.night()
    assert (await home.get(m)).reviewed_at == home.now


async def test_a_model_that_is_gone_keeps_reviews_for_the_next_night(home: Home) -> None:
    """Nothing changes, the report says so, and other phases are done."""
    m = await neglected(home)
    home.model.answers["review"] = ModelError("server")
    home.later(days=DUE)
    report = await home.night()
    assert report.waiting == {"review": "server"}
    assert (await home.get(m)).importance == m.importance
    home.model.answers["review"] = decision("keep")
    home.later(days=1)
    await home.night()
    assert (await home.get(m)).importance == 0.5


async def test_what_changes_while_the_model_thinks_is_left_alone(home: Home) -> None:
    """A mention during the review outweighs its verdict."""
    m = await neglected(home)
    home.later(days=DUE)
    job = await home.lease()
    effect = None

    class Slow(type(home.model)):  # type: ignore[misc]
        async def stream(self, request):  # type: ignore[no-untyped-def]
            if request.task == "review":
                await home.happen(m, "mention")
            async for chunk in super().stream(request):
                yield chunk

    home.model.answers["review"] = decision("delete")
    home.model = Slow(**home.model.answers)
    effect = await home.keeper.job(job, home.now)
    assert await home.store.finish_job(job, effect)
    now = await home.get(m)
    assert (now.state, now.activation_count) == (State.ACTIVE, 1)


async def test_a_night_reviews_only_so_many_promotions_first(home: Home) -> None:
    """The rest follows."""
    for n in range(MOST_REVIEWS):
        await neglected(home, f"The user once counted {n} sheep")
    home.later(days=DUE)
    m = await boosted(home)
    await home.night()
    first = home.model.asked("review")
    assert len(first) == MOST_REVIEWS
    assert (first[0]["memory"]["id"], first[0]["task"]) == (m.id, "promotion")
    home.later(days=1)
    await home.night()
    assert len(home.model.asked("review")) == MOST_REVIEWS + 1


async def test_the_archive_secrets_and_the_protected_are_not_reviewed(home: Home) -> None:
    """There is nothing to decide about them."""
    old = await home.remember("The user had soup", kind=Kind.CONTEXT)
    pinned = await neglected(home, "The user likes figs", pinned=True)
    secret = await neglected(home, "home Wi-Fi password")

    def write(tx: Transaction) -> None:
        tx.memories.put(replace(secret, sensitivity=Sensitivity.SECRET), "updated")
        tx.memories.put(
            replace(old, last_activated_at=home.now - timedelta(days=90_000)), "updated"
        )

    await home.write(write)
    home.later(days=DUE)
    await home.night()
    assert home.model.asked("review") == []
    assert (await home.get(pinned)).importance == pinned.importance


@pytest.mark.parametrize(
    ("answer", "decision", "words"),
    [
        ('{"thoughts": "[delete]?", "decision": "keep"}', "keep", ""),
        ('```json\n{"decision": "PROMOTE",}\n```', "promote", ""),
        ('{"decision": "删除"}', "delete", ""),
        ('{"decision": "[SEARCH]", "words": " old job "}', "search", "old job"),
        ('<think>{"decision": "delete"}</think>{"decision": "keep"}', "keep", ""),
    ],
)
def test_reading_an_answer(answer: str, decision: str, words: str) -> None:
    """In any case, language and wrapping."""
    step = parse(answer, "review")
    assert (step.decision, step.words) == (decision, words)
