"""Episodes and running summaries: spans, headings, rebuilding after something was forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.errors import Conflict, ModelError
from memory.learn.merge import Merger
from memory.models import Kind, Layer, Memory, State
from memory.ports import Transaction
from tests.memory.learn.world import START, World, summary

GOOD = summary("talked about tea and a trip", "Likes tea.\nA trip to Kyoto is planned.")


async def span(world: World, after: int = 0, through: int | None = None) -> dict[str, object]:
    said = await world.messages()
    return {"session_id": world.session.id, "after": after, "through": through or said[-1].seq}


async def hide(world: World, text: str) -> None:
    """Hide the messages that say this and empty the running summary, as forgetting does."""
    world.tick()

    def write(tx: Transaction) -> None:
        tx.changes.begin("user", "forget", world.now)
        for m in tx.conversations.list_messages(session_id=world.session.id):
            if text in m.text:
                tx.conversations.put_messages([replace(m, hidden_at=world.now)], "forgotten")
        s = tx.conversations.get_session(world.session.id)
        assert s is not None
        tx.conversations.put_session(replace(s, running_summary=""))

    await world.store.write(world.user, write)


async def episode(world: World) -> Memory:
    (m,) = [m for m in await world.all() if m.layer is Layer.EPISODE]
    return m


async def test_a_span_becomes_an_episode_and_a_running_summary(world: World) -> None:
    """Headed by the time at which the span began, in the zone it was said in; its messages are its sources."""
    await world.say("I like tea")
    await world.say("我要去京都")
    result = await world.work("summarise", await span(world), GOOD)
    m, s = await episode(world), await world.fresh_session()
    said = await world.messages()
    assert result["episodes"] == [m.id]
    assert m.content == "[2026-01-03 18:01] talked about tea and a trip"
    assert (m.kind, m.valid_from, m.created_at) == (Kind.EPISODE, said[0].at, said[-1].at)
    assert (m.source_session, m.state, m.original_content) == (
        world.session.id,
        State.ACTIVE,
        m.content,
    )
    assert s.running_summary == "Likes tea.\nA trip to Kyoto is planned."
    assert s.summarised_through == said[-1].seq
    sources = await world.store.read(world.user, lambda tx: tx.memories.list_sources(m.id))
    assert sources == [x.id for x in said]
    found = await world.store.open_reader(world.user).find_episodes(
        START, START + timedelta(hours=1), 5
    )
    assert [e.id for e in found] == [m.id]
    vectors = await world.store.read(
        world.user, lambda tx: tx.vectors.get([m.id], world.embedder.id)
    )
    assert set(vectors) == {m.id}


async def test_the_next_span_goes_on_from_the_summary(world: World) -> None:
    """The model is given what was said before in short, and only the messages of its own span."""
    await world.say("I like tea from Kyoto")
    first = await span(world)
    await world.work("summarise", first, GOOD)
    await world.say("I bought a kettle")
    await world.work(
        "summarise", await span(world, int(str(first["through"]))), summary("kettle", "all")
    )
    request = world.model.requests[-1]
    assert request.data["previous"] == "Likes tea.\nA trip to Kyoto is planned."
    assert [m["text"] for m in request.data["messages"]] == ["I bought a kettle", "I see."]
    assert "Kyoto" in world.model.prompt()
    assert len([m for m in await world.all() if m.layer is Layer.EPISODE]) == 2
    assert (await world.fresh_session()).running_summary == "all"


async def test_a_span_is_told_once(world: World) -> None:
    """A second job for it asks nobody."""
    await world.say("I like tea")
    payload = await span(world)
    await world.work("summarise", payload, GOOD)
    assert (await world.work("summarise", payload))["outcome"] == "nothing"
    assert len(world.model.requests) == 1


async def test_a_span_that_was_given_up_is_told_with_the_next(world: World) -> None:
    """Nothing falls between two spans."""
    await world.say("I like tea")
    end = (await world.messages())[-1].seq
    await world.say("I like milk")
    await world.work("summarise", await span(world, after=end), GOOD)
    assert "I like tea" in world.model.prompt()


async def test_an_unreadable_answer_is_asked_for_again_and_then_the_job_is(world: World) -> None:
    """Nothing is lost: no watermark moves until there is a summary."""
    await world.say("I like tea")
    payload = await span(world)
    with pytest.raises(ModelError) as e:
        await world.work("summarise", payload, "<think>hm", "[SKIP]")
    assert (e.value.code, e.value.retryable) == ("unreadable", True)
    assert (await world.fresh_session()).summarised_through == 0
    assert (await world.work("summarise", payload, "", GOOD))["new"] == 1


@pytest.mark.parametrize(
    ("piece", "calls"), [("The harbour was quiet that day. ", 2), ("那天港口很安静。", 2)]
)
async def test_the_middle_of_a_long_message_is_read_too(
    world: World, piece: str, calls: int
) -> None:
    """In pieces, as many calls as it takes."""
    await world.say(f"{piece * 700}The code name is ZANZIBAR. {piece * 700}")
    await world.work("summarise", await span(world), *[GOOD] * calls)
    read = "".join(r.messages[-1]["content"] for r in world.model.requests)
    assert "ZANZIBAR" in read
    assert read.count(piece.strip()) >= 1_380, "but for those that a cut went through"


async def test_plain_text_is_a_summary_too(world: World) -> None:
    """A small model that forgets the labels still says what was talked about."""
    await world.say("聊聊面试和游戏")
    await world.work("summarise", await span(world), "聊了面试、游戏")
    assert (await episode(world)).content == "[2026-01-03 18:01] 聊了面试、游戏"
    assert (await world.fresh_session()).running_summary == "聊了面试、游戏"


async def test_hidden_messages_and_secrets_are_not_told(world: World) -> None:
    """What may not be seen is in no prompt."""
    await world.say("I like durian")
    await world.say("my password is hunter2!Q")
    await hide(world, "durian")
    await world.work("summarise", await span(world), GOOD)
    whole = world.model.prompt() + repr(world.model.requests[-1].data)
    assert "durian" not in whole
    assert "hunter2" not in whole


async def test_a_long_span_is_told_in_portions(world: World) -> None:
    """Each goes on from the summary before it; the episode has the topics of all."""
    for i in range(10):
        await world.say(f"story {i} " + "word " * 2_000, "And then? " + "hm " * 1_500)
    answers = [summary(f"part {i}", f"up to {i}") for i in range(10)]
    probe = [*answers]
    world.model.answers = list(probe)
    job = await world.lease("summarise", await span(world))
    effect = await world.handlers()["summarise"](job, world.now)
    await world.store.finish_job(job, effect)
    calls = len(world.model.requests)
    assert calls > 1
    assert world.model.requests[1].data["previous"] == "up to 0"
    told = await episode(world)
    assert told.content.endswith("; ".join(f"part {i}" for i in range(calls)))
    assert (await world.fresh_session()).running_summary == f"up to {calls - 1}"


async def test_a_context_that_is_too_long_is_halved(world: World) -> None:
    """Whatever the model's window, a span is told."""
    for i in range(4):
        await world.say(f"story {i} " + "word " * 1_100)
    too_long = ModelError("context_too_long")
    await world.work("summarise", await span(world), too_long, GOOD, GOOD)
    assert (await world.fresh_session()).running_summary.startswith("Likes tea.")


async def test_forgetting_rewrites_what_told_of_it(world: World) -> None:
    """Episode and running summary are made anew from what may still be seen."""
    await world.say("I like tea")
    await world.say("I like durian")
    payload = await span(world)
    await world.work("summarise", payload, summary("tea and durian", "tea, durian"))
    before = await episode(world)
    await hide(world, "durian")
    result = await world.work("summarise", {**payload, "rebuild": True}, summary("tea", "only tea"))
    after = await episode(world)
    assert result["episodes"] == [before.id]
    assert after.content == "[2026-01-03 18:01] tea"
    assert after.original_content == after.content
    assert (await world.fresh_session()).running_summary == "only tea"
    assert "durian" not in world.model.prompt()


async def test_an_empty_span_asks_for_the_running_summary_alone(world: World) -> None:
    """As after an undo: there is more to tell again, and the episodes are what they were."""
    await world.say("I like tea")
    payload = await span(world)
    await world.work("summarise", payload, GOOD)
    empty = {**payload, "after": payload["through"], "rebuild": True}
    result = await world.work("summarise", empty, summary("x", "tea and more"))
    assert result["episodes"] == []
    assert (await world.fresh_session()).running_summary == "tea and more"
    assert (await episode(world)).content == "[2026-01-03 18:01] talked about tea and a trip"


async def test_one_episode_of_several_is_rewritten_alone(world: World) -> None:
    """The others stay as they are; the running summary rests on all that may be seen."""
    await world.say("I like durian")
    await world.say("I like tea")
    first = await span(world)
    await world.work("summarise", first, summary("durian, tea", "durian, tea"))
    await world.say("I like milk")
    second = await span(world, after=int(str(first["through"])))
    await world.work("summarise", second, summary("milk", "durian, tea, milk"))
    await hide(world, "durian")
    await world.work(
        "summarise", {**first, "rebuild": True}, summary("tea", "x"), summary("y", "tea and milk")
    )
    told = [m.content for m in await world.all() if m.layer is Layer.EPISODE]
    assert told == ["[2026-01-03 18:01] tea", "[2026-01-03 18:04] milk"]
    assert (await world.fresh_session()).running_summary == "tea and milk"
    said = [m["text"] for m in world.model.requests[-1].data["messages"] if m["role"] == "user"]
    assert said == ["I like tea", "I like milk"]


async def test_an_episode_of_nothing_goes(world: World) -> None:
    """When all it told of is forgotten, so is it, and the summary is empty."""
    await world.say("I like durian", "durian is fine")
    payload = await span(world)
    await world.work("summarise", payload, summary("durian", "durian"))
    await hide(world, "durian")
    await world.work("summarise", {**payload, "rebuild": True})
    assert await world.all() == []
    assert (await world.fresh_session()).running_summary == ""


async def test_an_episode_that_was_dropped_is_told_anew(world: World) -> None:
    """Where forgetting took the episode away at once, the rest of the span gets another."""
    await world.say("I like tea")
    await world.say("I like durian")
    payload = await span(world)
    await world.work("summarise", payload, summary("tea and durian", "tea, durian"))
    dropped = await episode(world)

    def drop(tx: Transaction) -> None:
        tx.changes.begin("user", "forget", world.now)
        Merger(tx, curve="fade", u=1.0).delete(dropped, world.now)

    await world.store.write(world.user, drop)
    await hide(world, "durian")
    await world.work("summarise", {**payload, "rebuild": True}, summary("tea", "y"))
    after = await episode(world)
    assert after.id != dropped.id
    assert after.content == "[2026-01-03 18:01] tea"


async def test_what_is_forgotten_while_the_model_writes_is_not_told(world: World) -> None:
    """The write refuses what it rests on if that has changed."""
    await world.say("I like durian")

    async def forget() -> None:
        await hide(world, "durian")

    world.model.during = forget
    with pytest.raises(Conflict):
        await world.work("summarise", await span(world), GOOD)
    assert await world.all(*State) == []


async def test_where_nothing_is_learned_no_episode_is_kept(world: World) -> None:
    """With learning off the conversation still fits its prompt, and nothing outlives it."""
    await world.say("I like tea")
    await world.work("summarise", await span(world), GOOD, learning="off")
    assert await world.all(*State) == []
    assert (await world.fresh_session()).running_summary.startswith("Likes tea")


@pytest.mark.parametrize(
    ("said", "told", "kept"),
    [
        ("hello there", "Met with Bob in Paris, who is a doctor.", "“hello there”"),
        ("你好呀", "和住在巴黎的王医生聊了聊。", "“你好呀”"),
        ("I saw Ines in Porto", "Saw Ines in Porto. Went on to Rome.", "Saw Ines in Porto."),
    ],
)
async def test_an_episode_names_nobody_that_the_conversation_did_not(
    world: World, said: str, told: str, kept: str
) -> None:
    """What a model makes up is left out; the person's first words stand where nothing is left."""
    await world.say(said)
    await world.work("summarise", await span(world), summary(f"{told}", f"{told}"))
    assert (await episode(world)).content.endswith(f"] {kept}")
    assert (await world.fresh_session()).running_summary == kept


async def test_who_is_meant_is_told_by_what_was_learned(world: World) -> None:
    """A later reader learns who "she" is: the memories of these messages name her."""
    ines = await world.remember("Ines is in hospital")
    await world.learn("she's home again", f"[UPDATE:{ines.id} said=1:home] Ines is home again")
    told = "Told that Ines is home."
    await world.work("summarise", await span(world), summary(told, ""))
    assert "<reference>\n- Ines is home again\n</reference>" in world.model.prompt()
    assert (await episode(world)).content.endswith(f"] {told}")
    assert (await world.fresh_session()).running_summary == told
