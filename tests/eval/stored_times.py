"""Store what a perfect monitor answers to labelled exchanges, and compare the days that memories then have.

`python -m tests.eval.stored_times [A|B]` prints what is not as labelled: with the lines' own dates, and without them, where
the person's words must give the same day or none.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from memory.models import Kind, Memory, Message, State, TurnRow
from memory.ports import Transaction
from memory.store import make_worker_id, open_store
from tests.eval.data import load_cases
from tests.memory.learn.world import World

SETS: Final = ("exchanges_en", "exchanges_zh")
DATES: Final = re.compile(r"\s(?:from|until|on|due|repeats)=(?:\"[^\"]*\"|[^\s\]]+)")
WRITTEN: Final = {"minute": 16, "day": 10, "month": 7, "year": 4, None: 16}


async def replay(
    half: Literal["A", "B"], folder: Path, *, dated: bool
) -> tuple[list[str], int, int]:
    """Return what is not as labelled, how many dates were right, and how many are labelled."""
    faults: list[str] = []
    right = total = 0
    for case in (c for name in SETS for c in load_cases(name, half)):
        wanted = [t for t in case["truth"] if t.get("dates")]
        if wanted:
            stored = await learn(case, folder / f"{case['id']}{dated}.db", dated=dated)
            for truth in wanted:
                told = find_text(stored, truth["text"])
                told = (
                    next((m for m in stored if m.negated_at or m.valid_until), None)
                    if truth["op"] == "negate"
                    else told
                )
                for field, date in truth["dates"].items():
                    got = write_field(told, field, case["zone"]) if told else "nothing kept"
                    total, right = total + 1, right + got.startswith(date)
                    if not got.startswith(date) and (dated or got):
                        faults.append(f"{case['id']} {field}: {date} → {got or 'none'}")
    return faults, right, total


async def learn(case: Mapping[str, Any], path: Path, *, dated: bool) -> list[Memory]:
    """Tell an exchange, answer with its gold lines, and return what is stored then."""
    zone = ZoneInfo(case["zone"])

    def read_time(text: str) -> datetime:
        at = datetime.fromisoformat(text if "T" in text else f"{text}T12:00")
        return at.replace(tzinfo=zone).astimezone(UTC)

    now, worker = read_time(case["now"]), make_worker_id()
    store = await open_store(path, clock=lambda: now, worker=worker, key=b"k" * 32)
    try:
        user = await store.write_system(lambda s: s.create_user(now))
        session = await store.write(
            user, lambda tx: tx.conversations.open_session(f"user:{user}", now)
        )
        world = World(store, user, session, worker=worker, now=now)
        await store.use_embedder(world.embedder.id, world.embedder.dim)
        lines = "\n".join(case["gold"])
        for m in case["memories"]:
            from memory.learn import dates

            on = dates.read(m.get("on") or "", case["zone"])
            fields = {"on": on.start, "precision": on.precision} if on else {}
            kind = {"kind": Kind(m["kind"])}
            kept = await world.remember(
                m["text"],
                at=min(
                    read_time(m["told"]), read_time(case["exchange"][0][1]) - timedelta(hours=1)
                ),
                **kind,
                **fields,
            )
            lines = lines.replace(f":{m['name']} ", f":{kept.id} ").replace(
                f":{m['name']}]", f":{kept.id}]"
            )

        def tell(tx: Transaction) -> None:
            c = tx.conversations
            for role, at, text in case["earlier"]:
                author = user if role == "user" else None
                c.add_message(
                    Message("", session.id, None, author, role, text, read_time(at), case["zone"])
                )
            said = [
                c.add_message(
                    Message(
                        "",
                        session.id,
                        f"t{i}",
                        user if role == "user" else None,
                        role,
                        text,
                        read_time(at),
                        case["zone"],
                    )
                )
                for i, (role, at, text) in enumerate(case["exchange"])
            ]
            reply = next((m for m in said if m.role == "assistant"), None)
            for i, m in enumerate(x for x in said if x.role == "user"):
                lease = now + timedelta(minutes=1)
                c.open_turn(
                    TurnRow(
                        f"u{i}",
                        user,
                        session.scope,
                        session.id,
                        "test",
                        "open",
                        m.at,
                        m.id,
                        worker,
                        lease,
                    )
                )
                c.finish_turn(
                    f"u{i}", worker, "done", m.at, reply_message_id=reply.id if reply else None
                )

        await store.write(user, tell)
        turns = [f"u{i}" for i in range(sum(r == "user" for r, *_ in case["exchange"]))]
        if not dated:
            lines = DATES.sub("", lines)
        await world.work("monitor", {"turn_ids": turns}, lines)
        for r in world.model.requests[1:]:
            print("   refused", case["id"], [(f["reason"], f["line"]) for f in r.data["failed"]])
        return await world.all(*State)
    finally:
        await store.close()


def find_text(stored: list[Memory], cores: list[list[str]]) -> Memory | None:
    """Return the newest memory that has one of each list of words."""
    found = [
        m
        for m in stored
        if m.state is State.ACTIVE
        and all(any(w.casefold() in m.original_content.casefold() for w in some) for some in cores)
    ]
    return found[-1] if found else None


def write_field(m: Memory, field: str, zone: str) -> str:
    """Write a date of a memory as labels do; the day of an end is its last one."""
    at = {"from": m.valid_from, "until": m.valid_until, "on": m.on, "due": m.expires_at}[field]
    if field == "on" and at is None and m.valid_from and m.valid_from > m.created_at:
        at = m.valid_from
    at = at or (m.negated_at or m.valid_until if field == "until" else None)
    if at is None:
        return ""
    return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}"[: WRITTEN[m.precision]]


if __name__ == "__main__":
    for dated in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            half: Any = sys.argv[1] if len(sys.argv) > 1 else "A"
            faults, right, total = asyncio.run(replay(half, Path(folder), dated=dated))
            print(
                f"{'with' if dated else 'without'} dates: {right} of {total}", *faults, sep="\n  "
            )
