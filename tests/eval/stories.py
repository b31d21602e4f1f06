"""Talk the stories through the real loop, and look at what a prompt would be told on the days in between.

A question (`ask`) is not said: its prompt is built as the agent builds it, and looked at. `finds` must stand in what is
told as true or ahead, for `history` in anything shown, or with `as_of` in what was known then. `never` must not stand in
what is told as true now (plans and accounts of how something ended tell no state), for `coming` also not in what is
ahead, and for `leak` in no message of the prompt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from bot.agent import turns
from bot.agent.context import PromptMaterial, build
from bot.agent.recall import choose_mode, recall_for_turn
from bot.events import Command, Turn, WindowMode
from memory.learn import dates
from memory.models import Kind, Layer, Memory, Message, Session, State
from memory.ports import ModelRequest, Transaction
from tests.eval.answers import Answerer, count_calls, open_talk
from tests.eval.data import half_of
from tests.eval.scores import holds, is_current
from tests.eval.talks import Answers, Row, Talk, text_of, unname

Shown: TypeAlias = tuple[str, Memory, bool, bool]  # text, memory, told as true now, told as ahead
SETS: Final = ("stories",)
HELD: Final = (
    "stories_held",
    "stories_last",
    "stories_more",
    "stories_next",
    "stories_proof",
)  # nobody tuned on them
PATIENCE: Final = 40  # times that an answer is asked for whose vector comes late
IDLE: Final = timedelta(hours=6)
_PLANS: Final = {Kind.EVENT, Kind.GOAL, Kind.TODO, Kind.DECISION}
_OVER: Final = (
    "negated",
    "superseded",
    "planned",
    "died",
    "doubtful",
)  # what a line of a prompt says


def list_gold(story: Row) -> Answers:
    """What a perfect monitor answers, step by step, and says again where it is not believed."""
    steps = ((i, s["gold"]) for i, s in enumerate(story["steps"]) if s.get("gold"))
    return {(i, "monitor", n): "\n".join(map(unname, gold)) for i, gold in steps for n in (0, 1)}


async def measure(
    server: Answerer, story: Row, answers: Answers, model: str, embedder: str
) -> tuple[Row, Sequence[Row]]:
    """Go through a story; what came of its questions, and what the models were asked."""
    asked: list[Row] = []
    learned: list[Row] = []
    steps: Sequence[Row] = story["steps"]
    async with open_talk(server, story, steps[0]["at"], model, embedder) as talk:
        talk.answers = answers
        for i, step in enumerate(steps):
            talk.step, at = i, talk.moment(step["at"])
            talk.window.time.now = max(at, talk.window.time.now)
            if "ask" in step:
                await talk.drain()  # the nights before it are over
                asked.append(await look(talk, story["language"], i, step, at))
            elif step.get("do"):
                await _do(talk, step, at)
            else:
                before = {m.id for m in await talk.memories()}
                failed = await talk.say(step["say"], step["reply"], at)
                left = await talk.drain()
                learned += [{"step": i, "failed": failed or left}] if failed or left else []
                new = [m for m in await talk.memories() if m.id not in before]
                learned += [{"step": i, "text": m.original_content} for m in new if _is_kept(m)]
            name_by_gold(talk, step.get("gold") or ())
        kept = sum(map(_is_kept, await talk.memories()))
    said = sum("reply" in step for step in steps)
    row = {
        "type": "story",
        "id": story["id"],
        "language": story["language"],
        "half": half_of(story["id"]),
        "asked": asked,
        "learned": learned,
        "memories": kept,
        "messages": said,
        "tokens": count_calls(talk.calls),
    }
    return row, talk.calls


def _is_kept(m: Memory) -> bool:
    return m.layer is not Layer.EPISODE and m.state is State.ACTIVE


def name_by_gold(talk: Talk, gold: Sequence[str]) -> None:
    """Note which sentence each name of the story stands for by now."""
    for line in gold:
        head, _, _ = line.partition("]")
        op, _, rest = head[1:].partition(":")
        if head.startswith("[ADD") and " name=" in head:
            talk.names[head.partition(" name=")[2].split()[0]] = text_of(line)
        elif op in {"UPDATE", "FIX", "DONE"} and text_of(line):
            talk.names[rest.split()[0]] = text_of(line)


async def _do(talk: Talk, step: Row, at: datetime) -> None:
    """Open a new session, let a night pass, speak off the record, or forget."""
    w = talk.window
    if step["do"] == "new":
        await w.ebb.agent.run_command(
            Command("new", "", w.user_id, w.scope, w.origin, at, talk.zone, WindowMode.NORMAL)
        )
    elif step["do"] == "night":
        keeper = w.ebb.memory.keeper
        assert keeper is not None
        await keeper.by_hand(w.user_id, at)
        w.ebb.agent.background.kick()
    elif step["do"] == "temp":
        w.mode, w.origin = WindowMode.TEMP, "off the record"
        await talk.say(step["say"], "…", at)
        w.mode, w.origin = WindowMode.NORMAL, "test"
    else:
        memory, wanted = w.ebb.memory, str(talk.names.get(step["of"], step["of"]))
        m = talk.find(step["of"], [m for m in await talk.memories() if _is_kept(m)])
        plan = await memory.plan_forget(w.user_id, m.original_content if m else wanted, at)
        meant = [plan.clear] if plan.clear else [m] if m else plan.candidates[:1]
        if meant:
            await memory.forget(w.user_id, [x.id for x in meant], at)
    await talk.drain()


# --- what a prompt would be told ---


async def look(talk: Talk, lang: Any, i: int, step: Row, at: datetime) -> Row:
    """Build the prompt of a question; what is missing in it, and what should not be there."""
    request = await _build_request(talk, lang, f"ask-{i}", step["ask"], at)
    whole = "\n".join(str(m["content"]) for m in request.messages)
    shown = await _list_shown(talk, request, at)
    sort = step["sort"]
    if "as_of" in step:
        then = dates.read(step["as_of"], talk.zone)
        assert then is not None
        page = await talk.window.ebb.memory.list_known_at(talk.window.user_id, then.end, limit=500)
        told = "\n".join(m.original_content for m in page.items)
        bad = "\n".join(m.original_content for m in page.items if m.kind not in _PLANS)
    else:
        every = "\n".join(text for text, *_ in shown)
        told = "\n".join(text for text, _, true, coming in shown if true or coming)
        ahead = sort == "coming"
        states = [(text, m) for text, m, true, coming in shown if true or (ahead and coming)]
        bad = "\n".join(await _list_states(talk, states, plans=ahead))
        told = every if sort == "history" else told
        bad = {"leak": whole, "history": ""}.get(sort, bad)
    missing = [words for words in step["finds"] if not holds(told, [words])]
    brought = [word for word in step["never"] if word.casefold() in bad.casefold()]
    return {
        "step": i,
        "sort": "as of" if "as_of" in step else sort,
        "ask": step["ask"],
        "finds": step["finds"],
        "missing": missing,
        "brought": brought,
        "said just now": holds(_join_history(request), step["finds"]),
        "shown": [text for text, *_ in shown],
    }


async def _build_request(
    talk: Talk, lang: Any, turn_id: str, text: str, at: datetime
) -> ModelRequest:
    """Build what the chat model would be sent, and write nothing."""
    memory, store, user = talk.window.ebb.memory, talk.window.ebb.store, talk.window.user_id
    turn = Turn(turn_id, user, talk.window.scope, text, at, talk.zone)

    def read(tx: Transaction) -> tuple[Session | None, Sequence[Message], str]:
        session = tx.conversations.get_open_session(turn.scope)
        if session is None or at - session.last_at >= IDLE:
            return None, (), ""
        after = session.summarised_through
        said = tx.conversations.list_messages(session_id=session.id, after=after)
        return session, said, turns._find_latest_episode(tx, session)

    session, history, episode = await store.read(user, read)
    earlier = [m.text for m in history[-3:]]
    recall, profile = await recall_for_turn(memory, store, turn, text, earlier, session)
    for _ in range(PATIENCE):
        if not recall.late:
            break
        await asyncio.sleep(0.25)  # a busy machine is not what is measured
        recall, profile = await recall_for_turn(memory, store, turn, text, earlier, session)
    return build(
        PromptMaterial(
            text=text,
            now=at,
            tz=talk.zone,
            lang=lang,
            history=history,
            profile=profile,
            frozen=session.profile if session else None,
            hits=recall.hits,
            faint=recall.faint,
            day=await memory.get_day(user, at, talk.zone),
            episode=episode,
            summary=session.running_summary if session else "",
            mode=choose_mode(turn),
        )
    )


def _join_history(request: ModelRequest) -> str:
    return "\n".join(x["text"] for x in request.data["history"])


async def _list_shown(talk: Talk, request: ModelRequest, at: datetime) -> list[Shown]:
    """List what stands in the profile and the recalled block."""
    items = [*request.data["profile"], *request.data["recalled"]]
    ids = [x["id"] for x in items]
    found = {m.id: m for m in await talk.window.ebb.memory.get_many(talk.window.user_id, ids)}
    out: list[Shown] = []
    for item in items:
        m = found[item["id"]]
        ahead = bool(item.get("coming")) or (m.valid_from is not None and m.valid_from > at)
        over = any(item.get(mark) for mark in _OVER) or not is_current(m, at)
        over = over or m.layer is Layer.EPISODE  # an account of a day that is over
        # Its dates stand beside it in the prompt.
        told = ("on", "due", "since") if "since" in item else ("on", "due", "when")
        dates = (str(item.get(k) or "") for k in told)
        dates_beside = " ".join(filter(None, dates))
        text = f"{item['text']} ({dates_beside})" if dates_beside else str(item["text"])
        out.append((text, m, not over and not ahead, ahead and not over))
    return out


async def _list_states(talk: Talk, told: Sequence[tuple[str, Memory]], *, plans: bool) -> list[str]:
    """Leave out accounts of how something ended or a plan went, and unless `plans` plans as well."""
    memory, user = talk.window.ebb.memory, talk.window.user_id
    earlier = [i for _, m in told for i in m.supersedes]
    before = {m.id: m for m in await memory.get_many(user, earlier)}
    return [
        text
        for text, m in told
        if (plans or m.kind not in _PLANS)
        and not any("denies" in c for c in m.correction_history)
        and not any(i in before and before[i].kind in _PLANS for i in m.supersedes)
    ]
