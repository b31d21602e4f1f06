"""The days of what is learned: by a line's own dates, else by the person's words, or none."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory import api
from memory.learn.dates import find_spoken_times
from memory.learn.visible_messages import label_memories
from memory.lifecycle import find_occasion, write_growth, write_occasion
from memory.models import Kind, Memory
from tests.memory.learn.world import START, TZ, World

SHANGHAI = ZoneInfo(TZ)


def day(m: Memory, field: str) -> str:
    """A stored day in the person's zone, as far as it was said; "" where there is none."""
    at = getattr(m, field)
    if at is None:
        return ""
    cut = {"minute": 16, "month": 7, "year": 4}.get(m.precision or "", 10)
    return f"{at.astimezone(SHANGHAI):%Y-%m-%dT%H:%M}"[:cut]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("元旦起我去守大门", "2027-01-01"),
        ("from Monday onwards I'm at the depot", "2026-12-07"),
        ("考試改11/12", "2027-11-12"),
        ("我報名了！！12/15考", "2026-12-15"),
        ("糖吃1/3就好", ""),
    ],
)
def test_a_day_is_read_as_one_to_come(said: str, wanted: str) -> None:
    """Also where the words say that it begins then, and month and day stand with a slash."""
    ahead, _ = find_spoken_times(said, datetime(2026, 12, 6, 12, tzinfo=UTC), TZ)
    assert [f"{a.astimezone(SHANGHAI):%Y-%m-%d}" for a, _ in ahead] == [wanted] * bool(wanted)


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "said", "asked"),
    [
        ("Lives in Leeds", "Lives in Lyon", "I'm moving to Lyon on 1 February", "Where do I live?"),
        ("住在北京", "住在成都", "我2月1号搬到成都去住", "我住在哪里？"),
    ],
)
async def test_what_is_to_come_ends_nothing_before_its_day(
    world: World, old: str, new: str, said: str, asked: str, dated: bool
) -> None:
    """Both are found, the new one as planned; after its day it alone, and no job had to run."""
    was = await world.remember(old)
    date = "from=2026-02-01 " if dated else ""
    await world.learn(said, f'[UPDATE:{was.id} {date}said=1:"{said}"] {new}')
    service = api.Memory(world.store, model=world.model, embedder=world.embedder, key=None)

    async def look(now: datetime) -> dict[str, str]:
        found = (await service.recall(world.user, asked, (), now, TZ)).hits
        shown = {h.memory.original_content: find_occasion(h.memory, now, TZ) for h in found}
        return {text: o.standing if o else "" for text, o in shown.items()}

    between, after = START + timedelta(days=10), START + timedelta(days=40)
    assert await look(between) == {old: "", new: "coming"}
    assert (await look(after)).keys() == {new}
    assert set((await look(after)).values()) <= {"", "over"}
    known = [
        [m.original_content for m in (await service.list_known_at(world.user, now)).items]
        for now in (between, after)
    ]
    assert known == [[new, old], [new]]


@pytest.mark.parametrize(
    ("text", "line", "field", "wanted"),
    [
        ("I left Acme back in November", "[NEGATE:{id}] Left Acme", "negated_at", "2025-11-30"),
        ("去年十一月我就从云帆离职了", "[NEGATE:{id}] 从云帆离职了", "negated_at", "2025-11-30"),
        ("Since October I work at Beta", "[UPDATE:{id}] Works at Beta", "valid_from", "2025-10"),
        ("去年十月开始我在海信上班", "[UPDATE:{id}] 在海信上班", "valid_from", "2025-10"),
        ("Need to pay rent by Friday", "[ADD kind=todo] Pay rent", "expires_at", "2026-01-09"),
        ("周五之前要交房租", "[ADD kind=todo] 交房租", "expires_at", "2026-01-09"),
        ("My exam is on 12 May at 9am", "[ADD kind=event] Exam", "on", "2026-05-12T09:00"),
        ("5月12号上午九点考试", "[ADD kind=event] 考试", "on", "2026-05-12T09:00"),
        ("I've played cello for two years", "[ADD] Plays the cello", "valid_from", "2024"),
        ("我学大提琴学了两年了", "[ADD] 学大提琴", "valid_from", "2024"),
        ("I bought a cello and I see Tom on Friday", "[ADD] Has a cello", "valid_from", ""),
        ("Need to call Mum, or in March or April", "[ADD kind=todo] Call Mum", "expires_at", ""),
    ],
)
async def test_a_day_is_taken_from_the_words(
    world: World, text: str, line: str, field: str, wanted: str
) -> None:
    """What a line leaves out stands in the clause that it rests on, or there is no day."""
    job = {"zh": "在云帆上班", "en": "Works at Acme"}["en" if text.isascii() else "zh"]
    was = await world.remember(job)
    await world.learn(text, line.format(id=was.id))
    learned = await world.all()
    m = await world.get(was.id) if field == "negated_at" else learned[-1]
    assert day(m, field) == wanted, [x.original_content for x in learned]


@pytest.mark.parametrize(
    ("old", "said", "line", "days"),
    [
        (
            "Dentist on 3 December",
            "Last year the dentist was on 4 March",
            "Dentist on 4 March",
            ("2026-12-03", "2025-03-04"),
        ),
        (
            "Dentist on 3 December",
            "I wish the dentist were on 4 March",
            "Dentist on 4 March",
            ("2026-12-03",),
        ),
        (
            "Dentist on 3 December",
            "They moved the dentist to 4 March",
            "Dentist on 4 March",
            ("2026-03-04",),
        ),
        ("体检在12月3日", "去年体检是三月四号", "体检在3月4日", ("2026-12-03", "2025-03-04")),
        ("体检在12月3日", "真希望体检是三月四号", "体检在3月4日", ("2026-12-03",)),
        ("体检在12月3日", "体检改到三月四号了", "体检在3月4日", ("2026-03-04",)),
    ],
)
@pytest.mark.parametrize("op", ["UPDATE", "FIX on=2026-03-04"])
async def test_only_a_change_moves_an_event(
    world: World, old: str, said: str, line: str, days: tuple[str, ...], op: str
) -> None:
    """What was on that day a year ago, or is wished to be, leaves what is to come."""
    on = datetime(2026, 12, 3, tzinfo=SHANGHAI).astimezone(UTC)
    was = await world.remember(old, kind=Kind.EVENT, on=on, precision="day")
    name, _, date = op.partition(" ")
    await world.learn(said, f'[{name}:{was.id} {date} said=1:"{said}"] {line}')
    assert tuple(day(m, "on") for m in await world.all()) == days


@pytest.mark.parametrize(
    ("said", "line", "repeats"),
    [
        ("Swimming with Ann on 12 May", "Swimming with Ann", None),
        ("Swimming with Ann every Tuesday, from 12 May", "Swimming with Ann", "weekly"),
        ("5月12号跟小安去游泳", "和小安游泳", None),
        ("每周二跟小安游泳，5月12号开始", "和小安游泳", "weekly"),
    ],
)
async def test_only_words_of_repetition_repeat(
    world: World, said: str, line: str, repeats: str | None
) -> None:
    """A model's "weekly" of which nothing was said is left out; the line stays."""
    await world.learn(said, f'[ADD kind=event on=2026-05-12 repeats=weekly said=1:"{said}"] {line}')
    assert ((await world.only()).repeats, day(await world.only(), "on")) == (repeats, "2026-05-12")


@pytest.mark.parametrize(
    ("said", "kind", "line", "wanted"),
    [
        ("my cat Spud is five", "fact", "Cat Spud, five in January 2026", "fact"),
        ("橘猫土豆五岁了", "fact", "橘猫土豆2026年1月五岁", "fact"),
        ("choir on Thursdays with Ann", "fact", "Sings in a choir on Thursdays with Ann", "fact"),
        ("我每周四和小安去合唱团", "fact", "每周四和小安去合唱团", "fact"),
        ("I'm 33", "identity", "33 years old as of January 2026", "identity"),
        ("Ann's birthday is 5 May", "fact", "Ann's birthday is on 5 May", "event"),
        ("小安生日是5月5号", "fact", "小安的生日是5月5日", "event"),
    ],
)
async def test_only_what_comes_once_a_year_makes_an_event_of_a_fact(
    world: World, said: str, kind: str, line: str, wanted: str
) -> None:
    """An age with its month and a habit stay what the model says they are, without a day."""
    await world.learn(said, f'[ADD kind={kind} said=1:"{said}"] {line}')
    m = await world.only()
    assert (str(m.kind), m.on is not None) == (wanted, wanted == "event")


@pytest.mark.parametrize(
    ("old", "said", "line"),
    [
        (
            "Runs a grill in York",
            "I run the grill until 31 May",
            "Runs a grill in York until 31 May",
        ),
        ("在道外开烧烤店", "烧烤店干到5月31号", "在道外开烧烤店，干到2026年5月31日"),
    ],
)
@pytest.mark.parametrize("since", ["from=2021 ", ""])
async def test_an_end_ahead_is_no_beginning(
    world: World, old: str, said: str, line: str, since: str
) -> None:
    """It goes on as the memory that it was, since when it was, until then."""
    begun = datetime(2021, 1, 1, tzinfo=SHANGHAI).astimezone(UTC)
    was = await world.remember(old, valid_from=begun, precision="year")
    await world.learn(said, f'[UPDATE:{was.id} {since}until=2026-05-31 said=1:"{said}"] {line}')
    m = await world.only()
    until = m.valid_until and m.valid_until.astimezone(SHANGHAI)
    assert (m.original_content, m.valid_from, f"{until:%m-%d}") == (line, begun, "05-31")


@pytest.mark.parametrize(
    ("plan", "said", "text"),
    [
        ("Flies to Rome", "we stay in Rome until June 3rd", "Flies to Rome, until 2026-06-03"),
        ("飞罗马", "罗马要待到6月3日", "飞罗马，待到2026年6月3日"),
    ],
)
async def test_the_end_of_a_plan_is_not_its_day(
    world: World, plan: str, said: str, text: str
) -> None:
    """What begins on a day goes on beginning then when it is said how long it lasts."""
    on = datetime(2026, 5, 1, tzinfo=UTC)
    m = await world.remember(plan, kind=Kind.EVENT, on=on)
    await world.learn(said, f"[UPDATE:{m.id} until=2026-06-03] {text}")
    assert (await world.all())[-1].on == on


@pytest.mark.parametrize(
    ("plan", "said", "line"),
    [
        ("Closing on the house", "the closing is off", "[NEGATE:{id}] No closing on the house"),
        ("去过户", "过户取消了", "[NEGATE:{id}] 过户取消了"),
        ("Closing on the house", "we closed", "[DONE:{id} until=2026-01-02] Closed on the house"),
    ],
)
async def test_an_account_of_an_end_is_no_plan_and_has_not_ended(
    world: World, plan: str, said: str, line: str
) -> None:
    """It is a fact that holds, and since when is not shown where nobody said it."""
    on = world.now + timedelta(days=9)
    was = await world.remember(plan, kind=Kind.EVENT, on=on, precision="day")
    await world.learn(said, line.format(id=was.id))
    m = (await world.all())[-1]
    assert (m.kind, m.on, m.valid_until) == (Kind.FACT, None, None)
    assert label_memories([m], TZ)[0]["dates"] == ""


async def change(world: World, said: str, text: str, **fields: Any) -> Memory:
    """An event is told, and then corrected by one line."""
    was = await world.remember("Dinner with Tom at Sole", kind=Kind.EVENT, **fields)
    await world.learn(said, f"[FIX:{was.id}] {text}")
    return (await world.all())[-1]


async def test_a_correction_keeps_what_it_does_not_change(world: World) -> None:
    """A new hour keeps day, repetition and people; a new day keeps the hour."""
    six = datetime(2026, 1, 6, 18, 0, tzinfo=SHANGHAI).astimezone(UTC)
    kept = {"on": six, "precision": "minute", "repeats": "weekly", "entities": ("Tom",)}
    m = await change(
        world, "Dinner with Tom is at 7, not 6", "Dinner with Tom at Sole at 7", **kept
    )
    assert (day(m, "on"), m.repeats, m.entities) == ("2026-01-06T19:00", "weekly", ("Tom",))
    await world.learn("no, dinner with Tom is on Thursday", f"[FIX:{m.id}] Dinner with Tom at Sole")
    m = (await world.all())[-1]
    assert (day(m, "on"), m.repeats, m.kind) == ("2026-01-08T19:00", "weekly", Kind.EVENT)
    off = await world.remember("Tea with Ann on 9 March", kind=Kind.EVENT, on=six, precision="day")
    await world.learn(
        "Tea with Ann is off", f"[DONE:{off.id}] Tea with Ann on 9 March was called off"
    )
    assert (await world.get(off.id)).has_ended(world.now)
    await world.learn("dinner with Tom is at Luca", f"[UPDATE:{m.id}] Dinner with Tom at Luca")
    assert day((await world.all())[-1], "on") == "2026-01-08T19:00"


@pytest.mark.parametrize(
    ("text", "lang", "years", "grown"),
    [
        ("Is 34", "en", 0.3, ""),
        ("Is 34", "en", 1, "about 35 now"),
        ("34 in January 2024, an electrician", "en", 0, "about 36 now"),
        ("Daughter Mia is 5", "en", 2, "about 7 now"),
        ("Has been learning the cello for two years now", "en", 1.2, "about 3 years now"),
        ("女儿五岁", "zh", 1, "现在约6岁"),
        ("戒烟已经三年了", "zh", 2, "至今约5年"),
        ("Lived in Rome for two years", "en", 3, ""),
        ("Shoe size is 42", "en", 3, ""),
        ("8岁时学的琴", "zh", 3, ""),
    ],
)
async def test_ages_and_spans_grow(
    world: World, text: str, lang: str, years: float, grown: str
) -> None:
    """The text stays as it was said; what it comes to now stands beside it while it holds."""
    m = await world.remember(text, language=lang)
    now = m.created_at + timedelta(days=365.25 * years)
    assert write_growth(m, now, lang, TZ) == grown
    assert write_occasion(m, now, lang, TZ) == grown
    assert write_growth(replace(m, negated_at=now), now, lang, TZ) == ""
