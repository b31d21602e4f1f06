"""A home that version 0.1 made opens with nothing lost, and stays whole for a year.

The home in `0.1/` is kept as that version left it (`home.json` says when, and what it holds; `make.py.txt` made it).
Beside it stands what that version exported of it, and every later version has to export the same.

Where a later version changes something on purpose, name it in `CHANGED`: the key is a line's type ("trace") or one
field of such lines ("memory.content", also as a memory looks inside the past of a set), the value is the reason. What
is named is left out on both sides, and compared no more. Facts that must hold whatever is named there (originals,
states, ids, secrets, jobs) are looked at through the store, in the other tests.
"""

from __future__ import annotations

import json
import lzma
import shutil
import tarfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from bot import tables
from bot.bootstrap import open_ebb
from bot.settings import Settings
from memory.models import Filter, Job, JobKind, Layer, Memory, Sensitivity, State
from memory.ports import Transaction
from tests.e2e.driver import FakeTime, Window
from tests.servers.openai import OpenAIServer, Request, fail
from tests.servers.tasks import summary

KEPT: Final = Path(__file__).resolve().parent / "0.1"
ABOUT: Final[Mapping[str, Any]] = json.loads((KEPT / "home.json").read_text(encoding="utf-8"))
MADE_AT: Final = datetime.fromisoformat(ABOUT["made_at"])
EXPORTS: Final = {"owner": "export.jsonl.xz", "guest": "export-guest.jsonl.xz"}
EVERYTHING: Final = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)

# A line's type, or "type.field" → why it is no longer as version 0.1 exported it.
CHANGED: dict[str, str] = (
    dict.fromkeys(
        (
            "memory.on",
            "memory.on_until",
            "memory.repeats",
            "memory.close",
            "memory.quiet_at",
            "memory.quiet_words",
            "memory.dead",
            "memory.slot",
            "memory.renamed",
            "memory.unsettled_at",
        ),
        "a new field",
    )
    | dict.fromkeys(
        ("memory.content", "memory.original_content", "memory.original_contents"),
        "notes lost their subject",
    )
    | {"memory.kind": "what is about health is of a kind of its own"}
    | {"tombstone": "what a tombstone stands for is numbered among more forms"}
)

Line = dict[str, Any]


# --- opening it ---


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kept home, once; tests open copies of it."""
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(KEPT / "home.tar.xz") as tar:
        for member in tar:
            content = tar.extractfile(member)
            assert content is not None, "a home is flat"
            (folder / member.name).write_bytes(content.read())
            (folder / member.name).chmod(0o600)
    return folder


@pytest.fixture
def home(unpacked: Path, tmp_path: Path) -> Path:
    """A copy of the kept home."""
    return Path(shutil.copytree(unpacked, tmp_path / "home"))


def no_model(server: OpenAIServer) -> None:
    """Nobody answers, so that nothing can be learned."""
    server.default = fail("bad_key")


def keeps(server: OpenAIServer) -> None:
    """A model that finds nothing worth remembering, and lets go of nothing."""

    def answer(request: Request) -> str:
        if "<exchange>" in request.text:
            return "[SKIP]"
        if "- episode" in request.system:
            return summary("a talk about the workshop", "The workshop was talked about.")
        return (
            '{"decision": "keep"}'
            if "promote:" in request.system
            else '{"separate": true}'
            if "“separate”" in request.system
            else "[]"
        )

    server.default = answer


@asynccontextmanager
async def reopened(
    home: Path, server: OpenAIServer, time: FakeTime, *, workers: bool = True
) -> AsyncIterator[Window]:
    """The home as its owner opens it, with all that is due done."""
    options = Settings(
        home=home,
        provider="openai",
        openai_base_url=server.url,
        openai_api_key="any",
        chat_model="large",
        memory_model="small",
        embedder="lexical",
        tz=ABOUT["zone"],
        lang="en",
    )
    async with open_ebb(options, clock=time, workers=workers) as ebb:
        assert ebb.owner == ABOUT["owner"]
        if workers:
            await ebb.agent.drain(60)  # what needs a model waits where there is none
        yield Window(ebb, time)


async def memories(w: Window, who: str) -> dict[str, Memory]:
    """All of somebody's memories, in any state, by id."""
    page = await w.ebb.memory.find(ABOUT[who], EVERYTHING, limit=2_000)
    assert page.total == len(page.items)
    return {m.id: m for m in page.items}


@dataclass(frozen=True)
class Work:
    """Somebody's background work, by where it stands."""

    owed: frozenset[str]  # to be done, or given up until the next start
    done: frozenset[str]


async def work(w: Window, who: str) -> Work:
    """What is owed and what is done."""

    def read(tx: Transaction) -> Work:
        kinds: tuple[JobKind, ...] = ("monitor", "summarise", "extract", "embed", "scrub", "upkeep")
        latest: list[Job] = [j for kind in kinds for j in tx.jobs.list_latest(kind, 500)]
        # Of those that write MEMORY.md the newest takes the place of the others.
        owed = {j.id for j in (*tx.jobs.list_pending(), *tx.jobs.list_dead()) if j.kind != "mirror"}
        return Work(frozenset(owed), frozenset(j.id for j in latest if j.state == "done"))

    return await w.ebb.store.read(ABOUT[who], read)


# --- comparing ---


def normalise(line: Line) -> Line | None:
    """A line of an export without what `CHANGED` names; None if all of it is named, or it only counts lines."""
    kind = line["type"]
    if kind in CHANGED or kind == "end":
        return None
    out = _without(kind, line)
    if kind == "set":
        # op, memory, …, and the memory before and after it
        out["changes"] = [
            [_without("memory", x) if isinstance(x, dict) else x for x in c] for c in out["changes"]
        ]
    return out


def _without(kind: str, fields: Line) -> Line:
    return {k: v for k, v in fields.items() if f"{kind}.{k}" not in CHANGED}


def by_id(lines: Sequence[str]) -> dict[str, Line]:
    """An export's lines under what names each: its type and id."""
    out: dict[str, Line] = {}
    for text in lines:
        line = json.loads(text)
        kind = line["type"]
        if (shown := normalise(line)) is None:
            continue
        named = {"trace": ("turn_id",), "tombstone": ("memory", "form", "digest")}.get(
            kind, ("id",)
        )
        key = " ".join([kind, *(str(line[n]) for n in named if n in line)])
        assert key not in out, f"{key} is there twice"
        out[key] = shown
    return out


def differences(kept: Mapping[str, Line], now: Mapping[str, Line]) -> list[str]:
    """What is not as it was, a field a line."""
    out = [f"{key}: is gone" for key in kept.keys() - now.keys()]
    out += [f"{key}: is new: {_cut(now[key])}" for key in now.keys() - kept.keys()]
    for key in kept.keys() & now.keys():
        old, new = kept[key], now[key]
        for name in sorted(old.keys() | new.keys()):
            was, is_ = old.get(name, "(no such field)"), new.get(name, "(no such field)")
            if was != is_:
                out.append(f"{key}: {name} was {_cut(was)}, is {_cut(is_)}")
    return sorted(out)


def _cut(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:160]}…"


def kept_export(who: str) -> list[str]:
    """What version 0.1 exported."""
    return lzma.decompress((KEPT / EXPORTS[who]).read_bytes()).decode().splitlines()


def kept_memories(who: str) -> dict[str, Line]:
    """The memories in it, by id."""
    lines = (json.loads(x) for x in kept_export(who))
    return {x["id"]: x for x in lines if x["type"] == "memory"}


async def exported(w: Window, who: str) -> list[str]:
    """What this version exports."""
    out: list[str] = []
    await w.ebb.memory.porter.export(ABOUT[who], out.append, secrets=True)
    return out


# --- the day it was made ---


async def test_opening_changes_nothing(home: Path, openai_server: OpenAIServer) -> None:
    """All due work done and no model there: what is exported is what version 0.1 exported, line by line.

    A look back to before it was opened is in note style as well.
    """
    no_model(openai_server)
    async with reopened(home, openai_server, FakeTime(MADE_AT)) as w:
        then = (
            await w.ebb.memory.list_known_at(w.user_id, MADE_AT - timedelta(days=365), limit=500)
        ).items
        assert then
        assert not [m for m in then if m.content.startswith(("The user", "用户"))]
        for who in EXPORTS:
            found = differences(by_id(kept_export(who)), by_id(await exported(w, who)))
            shown = "\n".join(found[:40])
            assert not found, (
                f"{len(found)} differences in the {who}'s export; see CHANGED:\n{shown}"
            )


@pytest.mark.parametrize("model", [no_model, keeps])
async def test_nothing_fades_or_is_learned_again(
    home: Path, openai_server: OpenAIServer, model: Any
) -> None:
    """Neither without a model nor with one that has nothing to say; only episodes may come, of what was to be told."""
    model(openai_server)
    async with reopened(home, openai_server, FakeTime(MADE_AT)) as w:
        for who in EXPORTS:
            kept, now = kept_memories(who), await memories(w, who)
            assert kept.keys() <= now.keys()
            come = [m for m in now.values() if m.id not in kept]
            assert [m.original_content for m in come if m.layer is not Layer.EPISODE] == []
            assert model is keeps or not come
            for i, was in kept.items():
                if was["layer"] == Layer.EPISODE and now[i].state is not State(was["state"]):
                    # Told anew without what was erased from it: version 0.1 had that still to do.
                    assert (model, now[i].state) == (keeps, State.DELETED)
                    continue
                m = now[i]
                assert (m.state, m.level, m.pinned, m.verified) == (
                    was["state"],
                    was["level"],
                    was["pinned"],
                    was["verified"],
                )
                assert m.weight == pytest.approx(was["weight"], abs=1e-9)
                for name, words in (
                    ("content", m.content),
                    ("original_content", m.original_content),
                ):
                    assert f"memory.{name}" in CHANGED or words == was[name]


async def test_secrets_receipts_and_unfinished_work(
    home: Path, openai_server: OpenAIServer
) -> None:
    """The kept key opens what was sealed, purges have their receipts, and no job that was owed is lost."""
    no_model(openai_server)
    async with reopened(home, openai_server, FakeTime(MADE_AT), workers=False) as w:
        assert [r.scrubbed for r in await w.ebb.memory.list_receipts(w.user_id)] == [False, True]
    async with reopened(home, openai_server, FakeTime(MADE_AT)) as w:
        for who in EXPORTS:
            after = await work(w, who)
            assert set(ABOUT["owed"][who]) <= after.owed | after.done
            await opens(w, who)
        receipts = await w.ebb.memory.list_receipts(w.user_id)
        assert len(receipts) == 2
        assert all(r.memories >= 1 and r.scrubbed for r in receipts)


async def test_what_was_being_said_and_sent_is_still_there(
    home: Path, openai_server: OpenAIServer
) -> None:
    """The message of a process that died is kept and to be learned from; Telegram's rows are as they were."""
    no_model(openai_server)
    async with reopened(home, openai_server, FakeTime(MADE_AT)) as w:
        for who, state in (
            ("owner", "interrupted"),
            ("guest", "open"),
        ):  # the guest's process may yet live
            user = ABOUT[who]

            def read(tx: Transaction, turn_id: str = f"kept-{user}") -> tuple[str, str, bool]:
                turn = tx.conversations.get_turn(turn_id)
                assert turn is not None
                said = tx.conversations.get_message(turn.user_message_id)
                jobs = (*tx.jobs.list_pending("monitor"), *tx.jobs.list_dead())
                return (
                    turn.state,
                    said.text if said else "",
                    any(turn_id in j.payload.get("turn_ids", ()) for j in jobs),
                )

            assert await w.ebb.store.read(user, read) == (
                state,
                ABOUT["unanswered"][who],
                state == "interrupted",
            )
        waiting = await w.ebb.store.write_system(
            lambda s: tables.list_open_updates(s, "telegram", ABOUT["bot"])
        )
        assert [update_id for update_id, _, _ in waiting] == [99001]
        people = await w.ebb.store.write_system(lambda s: s.identities("telegram"))
        assert sorted(people.values()) == sorted([ABOUT["owner"], ABOUT["guest"]])
        assert await w.ebb.store.write_system(
            lambda s: tables.get_delivery(s, "telegram", f"{ABOUT['bot']}:turn:kept")
        )


async def opens(w: Window, who: str) -> None:
    """Every sealed secret of somebody's can be read."""
    sealed = [m for m in (await memories(w, who)).values() if m.sensitivity is Sensitivity.SECRET]
    said = [str(await w.ebb.memory.sealer.open(ABOUT[who], m.id)) for m in sealed]
    wanted: list[str] = ABOUT["secrets"][who]
    assert len(said) == len(wanted)
    assert all(any(secret in text for text in said) for secret in wanted)


@pytest.mark.parametrize("touched", [False, True], ids=["as it was", "saved again by an editor"])
async def test_the_mirror_is_read_back_untouched(
    home: Path, openai_server: OpenAIServer, touched: bool
) -> None:
    """Nobody edited MEMORY.md, so nothing comes of it; also where it has to be read as if somebody had."""
    no_model(openai_server)
    file = home / "MEMORY.md"
    assert file.with_name("MEMORY.md.bak").is_file()
    if touched:
        file.write_bytes(file.read_bytes() + b"\n")
    async with reopened(home, openai_server, FakeTime(MADE_AT), workers=False) as w:
        before = await memories(w, "owner")
        assert w.ebb.memory.mirror is not None
        report = await w.ebb.memory.mirror.sync(w.user_id, MADE_AT)
        a = report.applied
        assert (list(a.new), list(a.edited), list(a.deleted), a.unread, report.asks) == (
            [],
            [],
            [],
            0,
            0,
        )
        assert await memories(w, "owner") == before


# --- a year later ---


@pytest.mark.parametrize("model", [no_model, keeps])
async def test_a_year_loses_nothing(home: Path, openai_server: OpenAIServer, model: Any) -> None:
    """Things fade, and what was deleted goes after its thirty days; nothing else goes, and no job is lost."""
    model(openai_server)
    time = FakeTime(MADE_AT)
    async with reopened(home, openai_server, time, workers=False) as w:
        first = {who: await memories(w, who) for who in EXPORTS}
    owed = {who: frozenset(ABOUT["owed"][who]) for who in EXPORTS}
    for days in (1, 40, 365):
        time.now = MADE_AT + timedelta(days=days)
        async with reopened(home, openai_server, time) as w:
            for who in EXPORTS:
                now = await work(w, who)
                assert owed[who] <= now.owed | now.done
                owed[who] = now.owed
            keeper = w.ebb.memory.keeper
            assert keeper is not None
            (report,) = await keeper.reports(w.user_id)
            assert (
                datetime.fromisoformat(report.night).replace(tzinfo=UTC) + timedelta(days=2)
                > time.now
            )
    async with reopened(home, openai_server, time) as w:
        for who in EXPORTS:
            last = await memories(w, who)
            for i, was in first[who].items():
                if was.state is State.DELETED:
                    assert i not in last, "deletions are erased after thirty days"
                    continue
                m = last[i]
                if was.layer is Layer.EPISODE and m.state is State.DELETED:
                    continue  # told anew without what was erased from it
                assert m.state is was.state
                assert m.original_content == was.original_content
                assert m.kind is was.kind
                assert m.level >= was.level or m.pinned or m.layer is Layer.CORE
            new = [m for i, m in last.items() if i not in first[who]]
            assert [m.original_content for m in new if m.layer is not Layer.EPISODE] == []
            await opens(w, who)
