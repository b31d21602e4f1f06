"""One case as a real conversation: a home of its own, what is known, what was said, and who answers.

Every case opens an Ebb over its own database and speaks to one loopback server with its own key. The server answers
chats with the reply that the case has; memory tasks from recorded answers, or by passing them on to a real endpoint.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from functools import partial
from hashlib import sha256
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from bot.events import Failed, Turn
from memory.learn.evidence import Verdict
from memory.learn.merge import Merger
from memory.learn.schemas import Entry
from memory.learn.steps import Step, claim_steps
from memory.models import Filter, Memory, Message, Session, Source, State, TurnRow, TurnState
from memory.ports import Transaction
from tests.e2e.driver import Window

Row: TypeAlias = dict[str, Any]
Answers: TypeAlias = Mapping[tuple[int, str, int], str]  # by step, task, and how often it was asked
WORKER: Final = "eval:0:0"
EVERY: Final = Filter(states=frozenset(State))
PATIENCE: Final = 600.0  # seconds for one answer of a real model
FIELDS: Final = (  # noqa: SIM905 - words read as words
    "kind importance on from until due repeats certainty slot dead entities"
).split()
_HEAD: Final = re.compile(r"^\[([A-Z]+):([\w-]+)")
_NAME: Final = re.compile(r" name=[\w-]+")
_BLANK: Final = re.compile(r"\{([^{}\n]{1,400})\}")
_ID: Final = re.compile(r"\b[a-z][0-9a-z]{5,7}\b")


def unname(line: str) -> str:
    """Write a gold line as an answer: a name as a blank to be filled, a new memory's name left out."""
    return _NAME.sub("", _HEAD.sub(r"[\1:{\2}", line), count=1)


def text_of(line: str) -> str:
    """The sentence of a gold line."""
    quoted = re.sub(r'"[^"]*"', lambda m: "q" * len(m[0]), line)
    return line[quoted.index("]") + 1 :].strip()


def make_stable_id(case_id: str, name: str) -> str:
    """An id for a memory that is the same in every run; prompts are written out with it."""
    digest = sha256(f"{case_id}/{name}".encode()).digest()
    return "k" + "".join("0123456789abcdefghjkmnpqrstvwxyz"[b % 32] for b in digest[:5])


@dataclass
class Talk:
    """One case while it is talked through."""

    case: Mapping[str, Any]
    window: Window
    answers: Answers = field(default_factory=dict)
    step: int = 0
    reply: str = ""
    names: dict[str, str] = field(default_factory=dict)  # of a memory: its id or its text
    asked: Counter[tuple[int, str]] = field(default_factory=Counter)
    calls: list[Row] = field(default_factory=list)  # every request with its answer and tokens

    @property
    def id(self) -> str:
        """The case's id."""
        return str(self.case["id"])

    @property
    def zone(self) -> str:
        """Where the person is."""
        return str(self.case["zone"])

    def moment(self, text: str) -> datetime:
        """A local time of the case; noon, where there is only a day."""
        at = datetime.fromisoformat(text if "T" in text else f"{text}T12:00")
        return at.replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC)

    async def memories(self) -> list[Memory]:
        """All of them, newest first."""
        page = await self.window.ebb.memory.find(
            self.window.user_id, EVERY, order="created", limit=2_000
        )
        return list(page.items)

    async def drain(self) -> int:
        """Wait until everything due is done; how many jobs have failed for good."""
        left = await self.window.ebb.agent.drain(PATIENCE)
        for _ in range(4):
            if not left:
                break
            self.window.time.forward(minutes=10)
            left = await self.window.ebb.agent.drain(PATIENCE)
        return left

    async def say(self, text: str, reply: str, at: datetime, **more: Any) -> str:
        """One turn, answered with `reply`; what failed, if something did."""
        self.reply, self.window.time.now, failed = reply, at, ""
        turn: Turn = self.window.turn(text, **more)
        async with aclosing(self.window.ebb.agent.reply(turn)) as events:
            async for event in events:
                failed = event.sentence if isinstance(event, Failed) else failed
        return failed

    # --- what is known and was said before ---

    async def seed(self, known: Sequence[Row], now: datetime) -> None:
        """Store what was told on earlier days, by the steps that learning takes."""
        if not known:
            return
        ebb, tools = self.window.ebb, self.window.ebb.memory._tools
        user, latest = self.window.user_id, now - timedelta(hours=8)  # told today: before the talk
        said = [(k, min(self.moment(k["told"]), latest)) for k in known]

        def tell(tx: Transaction) -> list[Message]:
            tx.changes.begin("user", "chat", now)
            session = tx.conversations.open_session(self.window.scope, said[0][1])
            out = [
                tx.conversations.add_message(
                    Message("", session.id, None, user, "user", k["words"], at, self.zone)
                )
                for k, at in said
            ]
            last, seq = now - timedelta(hours=7), out[-1].seq
            tx.conversations.put_session(
                replace(session, last_at=last, planned_through=seq, extracted_through=seq)
            )
            tx.conversations.close_session(session.id, last, "new")
            return out

        messages = await ebb.store.write(user, tell)
        for k, message in zip(known, messages, strict=True):
            entry = Entry.model_validate(
                {"content": k["text"], **{f: k[f] for f in FIELDS if f in k}}
            )
            rests = Verdict("", ((message.id, 0, len(k["words"])),))
            step = Step("add", None, entry, "", rests)
            (made,) = await claim_steps(tools, user, [step], [message], Source.MONITOR, 0)
            self.names[k["name"]] = await ebb.store.write(user, partial(self._keep, k=k, step=made))

    def _keep(self, tx: Transaction, k: Row, step: Step) -> str:
        assert step.claim is not None
        tx.changes.begin("monitor", "monitor", step.claim.said_at)
        m = Merger(tx, curve="fade", u=1.0)._add(replace(step.claim, near=()))
        changes: Row = {"verified": True} if k.get("verified") else {}
        if "negated" in k:
            changes["negated_at"] = self.moment(k["negated"])
        return (tx.memories.put(replace(m, **changes), "updated") if changes else m).id

    async def tell_earlier(self, earlier: Sequence[Sequence[str]], now: datetime) -> None:
        """Store what was said before in the open session, learned from already."""
        if not earlier:
            return

        def tell(tx: Transaction) -> None:
            tx.changes.begin("user", "chat", now)
            session = tx.conversations.open_session(self.window.scope, self.moment(earlier[0][1]))
            for i, (role, at, text) in enumerate(earlier):
                following = earlier[i + 1] if i + 1 < len(earlier) else ("", "", "")
                if role == "user":
                    answer = following[2] if following[0] == "assistant" else None
                    self._store_turn(tx, session, f"before-{i}", text, answer, self.moment(at))
                elif i == 0 or earlier[i - 1][0] != "user":  # Ebb spoke first
                    row = ("", session.id, None, None, "assistant", text, self.moment(at))
                    tx.conversations.add_message(Message(*row, self.zone))  # type: ignore[arg-type]
            tx.conversations.put_session(replace(session, last_at=now))

        await self.window.ebb.store.write(self.window.user_id, tell)

    def _store_turn(
        self,
        tx: Transaction,
        session: Session,
        turn_id: str,
        text: str,
        reply: str | None,
        at: datetime,
    ) -> None:
        talks, user = tx.conversations, self.window.user_id
        said = talks.add_message(
            Message("", session.id, turn_id, user, "user", text, at, self.zone)
        )
        until = at + timedelta(minutes=1)
        opened = (turn_id, user, session.scope, session.id, "eval", "open", at, said.id)
        talks.open_turn(TurnRow(*opened, WORKER, until))  # type: ignore[arg-type]
        answer = None
        if reply is not None:
            answer = talks.add_message(
                Message("", session.id, turn_id, None, "assistant", reply, at, self.zone)
            )
        state: TurnState = "done" if answer else "interrupted"
        reply_id = answer.id if answer else None
        talks.finish_turn(turn_id, WORKER, state, at, reply_message_id=reply_id)

    async def leave_unanswered(self, turn_id: str, text: str, at: datetime) -> None:
        """Store a message that got no reply, to be learned from with the next turn."""

        def tell(tx: Transaction) -> None:
            tx.changes.begin("user", "chat", at)
            session = tx.conversations.open_session(self.window.scope, at)
            self._store_turn(tx, session, turn_id, text, None, at)
            tx.conversations.put_session(replace(session, last_at=at))
            user = tx.user()
            tx.put_user(replace(user, settings={**user.settings, "unlearned_turns": [turn_id]}))

        await self.window.ebb.store.write(self.window.user_id, tell)

    # --- names of memories ---

    def find(self, name: str, memories: Sequence[Memory]) -> Memory | None:
        """The memory that a name or its text stands for: in exactly these words, else the nearest."""
        wanted = self.names.get(name, name)
        if (m := next((m for m in memories if m.id == wanted), None)) is not None:
            return m
        current = sorted(memories, key=lambda m: m.state is not State.ACTIVE)
        wanted = wanted.replace('"', "'")
        if (m := next((m for m in current if _plain(m) == wanted), None)) is not None:
            return m
        if name not in self.names:
            return None
        near = [
            (SequenceMatcher(None, _plain(m), wanted).ratio(), -i) for i, m in enumerate(current)
        ]
        best, i = max(near, default=(0.0, 0))
        return current[-i] if best >= 0.5 else None

    def fill(self, answer: str, memories: Sequence[Memory]) -> str:
        """Put the ids of this run in place of {name} and {text}."""

        def put(match: re.Match[str]) -> str:
            m = self.find(match[1], memories)
            return m.id if m else "zzzzz0" if match[1] in self.names else match[0]

        stable = {make_stable_id(self.id, name): name for name in self.names}
        named = _ID.sub(lambda m: f"{{{stable[m[0]]}}}" if m[0] in stable else m[0], answer)
        return _BLANK.sub(put, named)

    def blank(self, answer: str, memories: Sequence[Memory]) -> str:
        """Put {name} or {text} in place of the ids of this run."""
        names = {i: name for name, i in self.names.items()}
        texts = {m.id: _plain(m) for m in memories}
        return _ID.sub(
            lambda m: f"{{{names.get(m[0]) or texts[m[0]]}}}" if m[0] in texts else m[0], answer
        )


def _plain(m: Memory) -> str:
    return " ".join(m.original_content.split()).translate({34: "'", 123: "(", 125: ")"})
