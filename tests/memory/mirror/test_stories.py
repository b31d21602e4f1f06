"""Any sequence of edits by a person, interleaved with the program's own changes, on a real store and a real file.

Each entry carries a word of its own, in English or Chinese, by which it is known whatever becomes of its id, its
heading or its text. What neither side deleted is an active memory after every step; what either deleted is none.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory import api
from memory.embed import LexicalEmbedder
from memory.mirror import MirrorPlace, files
from memory.mirror.read import parse
from memory.models import Level, Memory
from memory.store import make_worker_id, open_store
from tests.memory.learn.world import START, TZ, ScriptedModel
from tests.memory.mirror.conftest import KEY, Desk

T = TypeVar("T")
picks = st.integers(0, 10_000)
_SOUNDS = [
    "ba",
    "ke",
    "di",
    "fo",
    "gu",
    "la",
    "me",
    "ni",
    "po",
    "ru",
    "sa",
    "te",
    "vi",
    "zo",
    "hy",
    "wa",
]
_SIGNS = "山水火木金土日月星云雨雪风雷电花草树叶石沙海河湖江岛桥塔门窗灯纸笔墨琴棋书画茶酒米面豆瓜果糖盐鱼虾鸟兔马羊牛"
_HEADINGS = [
    "## Active",
    "##活跃记忆",
    "## 当前的记忆",
    "### Active Memories",
    "## 我记得的事",
    "＃＃ 活跃记忆 ##",
]


def word(n: int) -> str:
    """A word of its own: every third one Chinese."""
    h = n * 2_654_435_761 % 2**32
    if n % 3 == 2:
        return "".join(_SIGNS[(h >> s) % len(_SIGNS)] for s in (0, 7, 13, 19)) + f"{n}号"
    return "".join(_SOUNDS[h >> s & 15] for s in (0, 5, 11, 17, 23)) + str(n)


def sentence(n: int) -> str:
    """Something with that word in it, unlike every other one."""
    a, b = (word(n + 50_000 * (i + 1)) for i in range(2))
    return f"{word(n)}在{a}旁边，属于{b}" if n % 3 == 2 else f"{word(n)} keeps {a} under {b}"


class Life(RuleBasedStateMachine):
    """A person with several editors open, and a program with a mind of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.home = tempfile.TemporaryDirectory()
        self.desk = self.do(self._open(Path(self.home.name)))
        self.numbers = itertools.count(1)
        self.alive: dict[int, str] = {}  # number of an entry → an id that had it
        self.gone: set[int] = set()
        self.cut: list[set[int]] = []  # what was deleted in each buffer
        self.touched: list[set[int]] = []  # what was rewritten or damaged in it
        self.fresh: list[set[int]] = []  # what was written anew in it
        self.buffers: list[str] = []
        for _ in range(6):
            self._learn()
        self.do(self.desk.sync())
        self._read()

    async def _open(self, home: Path) -> Desk:
        store = await open_store(
            home / "ebb.db", clock=lambda: START, worker=make_worker_id(), key=KEY
        )
        user = await store.write_system(lambda s: s.create_user(START))
        embedder = LexicalEmbedder()
        await store.use_embedder(embedder.id, embedder.dim)
        service = api.Memory(store, model=ScriptedModel(), embedder=embedder, key=KEY)
        service.keep_mirror(MirrorPlace(home, user, tz=TZ))
        return Desk(store, service, user, home)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def teardown(self) -> None:
        self.do(self.desk.service.close())
        self.do(self.desk.store.close())
        self.runner.close()
        self.home.cleanup()

    # --- what both do

    def _learn(self) -> None:
        n = next(self.numbers)
        self.alive[n] = self.do(self.desk.remember(sentence(n))).id

    def _read(self) -> None:
        """An editor opens the file as it is."""
        self.buffers.append(files.decode_file(self.desk.path.read_bytes()))
        self.cut.append(set())
        self.touched.append(set())
        self.fresh.append(set())

    def _active(self) -> dict[int, list[Memory]]:
        found = self.do(self.desk.all())
        return {
            n: [m for m in found if word(n) in m.original_content]
            for n in (*self.alive, *self.gone)
        }

    def _here(self, text: str) -> list[int]:
        """Numbers of the entries that a text shows with their headings, in its parts."""
        known = {i for i in self.alive.values() if f"[{i}]" in text}
        blocks = {b.id: b.text for b in parse(text, known).blocks if b.id in known}
        return [n for n, i in self.alive.items() if word(n) in blocks.get(i, "")]

    def _block(self, text: str, n: int) -> tuple[list[str], str, list[str]]:
        lines = text.split("\n")
        at = next(k for k, line in enumerate(lines) if f"[{self.alive[n]}]" in line)
        return lines[:at], lines[at], lines[at + 1 :]

    def _pick(self, pick: int, which: int, *, clean: bool = False) -> tuple[int, int] | None:
        b = max(0, len(self.buffers) - 1 - pick % 3)
        here = [n for n in self._here(self.buffers[b]) if not (clean and n in self.touched[b])]
        return (b, here[which % len(here)]) if here else None

    # --- the person, in a buffer that may be old

    @rule(pick=picks, which=picks)
    def deletes(self, pick: int, which: int) -> None:
        if found := self._pick(pick, which, clean=True):
            b, n = found
            before, _, after = self._block(self.buffers[b], n)
            self.buffers[b] = "\n".join([*before, *after])
            self.cut[b].add(n)

    @rule(pick=picks, which=picks)
    def rewrites(self, pick: int, which: int) -> None:
        if found := self._pick(pick, which, clean=True):
            b, n = found
            before, own, after = self._block(self.buffers[b], n)
            more = word(next(self.numbers) + 500_000)
            line = f"- {word(n)} has {more} now <!{own.partition('<!')[2]}"
            self.buffers[b] = "\n".join([*before, line, *after])
            self.touched[b].add(n)

    @rule(
        pick=picks, form=st.sampled_from(["- {}", "* [ ] {}", "### preference\n{}", "{}", "1. {}"])
    )
    def writes(self, pick: int, form: str) -> None:
        b = max(0, len(self.buffers) - 1 - pick % 3)
        n = next(self.numbers)
        at = (
            self.buffers[b].find("## A", 3)
            if "## A" in self.buffers[b]
            else self.buffers[b].find("## 活跃")
        )
        if at < 0 or "\n" not in self.buffers[b][at:]:
            return
        end = self.buffers[b].index("\n", at)
        new = f"\n\n{form.format(sentence(n))}\n"
        self.buffers[b] = self.buffers[b][:end] + new + self.buffers[b][end:]
        self.fresh[b].add(n)

    @rule(
        pick=picks,
        which=picks,
        damage=st.sampled_from(
            [
                "brackets",
                "slip",
                "line",
                "signs",
                "bars",
                "kind",
                "tabs",
                "below",
                "bold",
                "moved",
                "twice",
            ]
        ),
    )
    def damages(self, pick: int, which: int, damage: str) -> None:
        if not (found := self._pick(pick, which, clean=True)):
            return
        b, n = found
        i = self.alive[n]
        before, own, after = self._block(self.buffers[b], n)
        rest, sign, head = own.partition("<!")
        head = sign + head
        spoilt = {
            "brackets": rest + head.replace("[", "").replace("]", ""),
            "slip": rest + head.replace(i, i[:-1] + ("0" if i[-1] != "0" else "1")),
            "line": rest,
            "signs": rest + head.replace("<!--", "<!—").replace("-->", "—>"),
            "bars": rest + head.replace("|", " "),
            "kind": f"{rest}<!-- [{i}] 随便什么 | 0.50 -->",
            "tabs": own.replace(" <!--", "\t<!--"),
            "below": f"{rest}\n  {head}",
            "bold": f"- **{rest[2:].strip()}** {head}",
            "moved": "",
            "twice": f"{own}\n{own}",
        }[damage]
        self.buffers[b] = "\n".join([*before, spoilt, *after])
        if damage == "moved":
            self.buffers[b] = self.buffers[b].rstrip("\n") + "\n\n" + own + "\n"
        self.touched[b].add(n)

    @rule(pick=picks, heading=st.sampled_from(_HEADINGS))
    def renames_a_part(self, pick: int, heading: str) -> None:
        b = max(0, len(self.buffers) - 1 - pick % 3)
        for said in ("## Active Memories", "## 活跃记忆"):
            self.buffers[b] = self.buffers[b].replace(said, heading, 1)

    @rule(
        pick=picks,
        how=st.sampled_from(["plain", "crlf", "bom", "utf-16", "rename"]),
        between=st.integers(0, 3),
    )
    def saves(self, pick: int, how: str, between: int) -> None:
        b = max(0, len(self.buffers) - 1 - pick % 3)
        text = self.buffers[b]
        data = {
            "crlf": text.replace("\n", "\r\n").encode(),
            "bom": text.encode("utf-8-sig"),
            "utf-16": text.encode("utf-16"),
        }.get(how, text.encode())
        if how == "rename":
            temporary = self.desk.home / "4913~"
            temporary.write_bytes(data)
            temporary.replace(self.desk.path)
        else:
            self.desk.path.write_bytes(data)
        if between == 1:  # the program acts before it has seen what was saved
            self._learn()
        elif between == 2 and self.alive:
            self.program_forgets(pick)
        report = self.do(self.desk.sync())
        standing = self._active()
        if report.applied.asked:
            self.do(self.desk.service.forget_missing(self.desk.user, [], self.desk.tick()))
        else:
            for n in self.cut[b] & self.alive.keys():
                if not standing[n]:
                    self._ended(n)
        for n in self.fresh[b] - self.gone - self.alive.keys():
            assert standing.get(n) or word(n) in self.desk.text, (
                f"what the person wrote is nowhere: {sentence(n)}"
            )
        for n in self.fresh[b] - self.gone:
            found = [m for m in self.do(self.desk.all()) if word(n) in m.original_content]
            if found:
                self.alive.setdefault(n, found[0].id)
        self.do(self.desk.sync())
        self._read()

    def _ended(self, n: int) -> None:
        self.alive.pop(n, None)
        self.gone.add(n)

    @rule()
    @precondition(lambda self: self.alive)
    def loses_the_file(self) -> None:
        self.desk.path.unlink(missing_ok=True)
        self.do(self.desk.sync())
        self._read()

    # --- the program

    @rule()
    def program_learns(self) -> None:
        self._learn()

    @rule(which=picks)
    def program_forgets(self, which: int) -> None:
        there = [n for n, found in self._active().items() if n in self.alive and found]
        if there:
            n = there[which % len(there)]
            ids = [m.id for m in self._active()[n]]
            self.do(self.desk.service.forget(self.desk.user, ids, self.desk.tick()))
            self._ended(n)

    @rule(which=picks)
    def program_purges(self, which: int) -> None:
        there = [n for n, found in self._active().items() if n in self.alive and found]
        if there:
            n = there[which % len(there)]
            for m in self._active()[n]:
                self.do(self.desk.service.purge(self.desk.user, m.id, self.desk.tick()))
            self._ended(n)

    @rule(which=picks)
    def program_rewords(self, which: int) -> None:
        there = [m for n, found in self._active().items() if n in self.alive for m in found]
        if there:
            m = there[which % len(there)]
            text = f"{m.original_content.split('在')[0].split()[0]} with {word(next(self.numbers) + 900_000)}"
            self.do(self.desk.service.edit(self.desk.user, m.id, text, self.desk.tick()))

    @rule(which=picks)
    def program_fades(self, which: int) -> None:
        there = [m for n, found in self._active().items() if n in self.alive for m in found]
        if there:
            m = there[which % len(there)]
            self.do(
                self.desk.put(
                    m, level=Level.SUMMARY, content=m.original_content.split("在")[0].split()[0]
                )
            )

    @rule()
    def program_writes(self) -> None:
        self.do(self.desk.sync())
        self._read()

    # --- what must hold

    @invariant()
    def nothing_is_lost_and_nothing_comes_back(self) -> None:
        if not hasattr(self, "desk"):
            return
        standing = self._active()
        lost = [n for n in self.alive if not standing[n]]
        assert not lost, f"lost, though nobody deleted it: {[sentence(n) for n in lost]}"
        back = [m.original_content for n in self.gone for m in standing[n]]
        assert not back, f"deleted, and back: {back}"


def test_any_story_ends_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis tells them."""
    monkeypatch.setattr(files, "_SETTLE", 0.0005)
    told = settings(
        max_examples=12,
        stateful_step_count=25,
        deadline=None,
        phases=[Phase.generate],  # a story takes a second, its shrinking would take minutes
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    run_state_machine_as_test(Life, settings=told)
