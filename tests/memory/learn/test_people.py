"""What hangs on a fact that ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.learn.cascade import drop_unsettled
from memory.learn.proposals import ask_today
from memory.models import Hit, Kind
from tests.memory.learn.world import World

ENDED = {  # the fact, its slot; what hangs on it; what does not; what is said; how it is now; a question
    "en": (
        ("Girlfriend is Jess", "partner"),
        ("Quiz night with Jess on Tuesdays", "Holiday in Oban with Jess"),
        ("Plays chess on Mondays", "Allergic to latex"),
        "Jess left me yesterday, we are done",
        "Jess left",
        ("What do I do on Tuesdays?", "Do I still go to the quiz night?"),
    ),
    "zh": (
        ("在蓝海公司做会计", "job"),
        ("中午去公司隔壁的健身房", "下周和公司同事去爬山"),
        ("周一下棋", "对花生过敏"),
        "我从蓝海公司辞职了，会计不做了",
        "从蓝海公司辞职了，不做会计",
        ("我中午一般干嘛？", "我还去健身房吗？"),
    ),
}


@pytest.mark.parametrize("lang", list(ENDED))
async def test_what_hung_on_it_comes_up_only_when_asked_for(world: World, lang: str) -> None:
    """Until a mention settles it; Ebb asks about what lies ahead, not on the day of a parting."""
    (fact, slot), hanging, free, said, now_so, (idle, asked) = ENDED[lang]
    hub = await world.remember(fact)
    habit = await world.remember(hanging[0], kind=Kind.WORKFLOW)
    plan = await world.remember(hanging[1], kind=Kind.EVENT, on=world.now + timedelta(days=9))
    others = [await world.remember(text) for text in free]
    world.tick(days=2)
    words = " ".join(said.split()[:8])
    await world.learn(
        said, f'[NEGATE:{hub.id} slot={slot} said=1:"{words}"] {now_so}', recalled=[hub]
    )
    marked = {m.id for m in await world.all() if m.unsettled_at}
    assert marked == {habit.id, plan.id}
    assert not marked & {m.id for m in others}
    found = await world.get(habit.id)
    hits = [Hit(found, 1.0)]
    assert drop_unsettled(hits, idle, world.now) == ()
    assert len(drop_unsettled(hits, asked, world.now)) == 1
    question = await world.store.write(world.user, lambda tx: ask_today(tx, world.now))
    assert (question is None) == (slot == "partner")
    world.tick(days=2)
    question = question or await world.store.write(world.user, lambda tx: ask_today(tx, world.now))
    assert question is not None
    assert question.text == hanging[1]
