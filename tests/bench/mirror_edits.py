"""How MEMORY.md takes edits made by hand: `python -m tests.bench.mirror_edits [A|B] [--old] [-v]`.

Applies each case of `tests/eval/sets/mirror_edits.jsonl` (what its operations mean: `mirror_edits.md`) to a page of 26
memories in its language, lets Ebb read it, and compares. `--old`: the page is of the form that version
0.1 wrote (a heading of figures for each entry, its words below; no groups, so operations on their headings are left out).
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from memory import api
from memory.embed import LexicalEmbedder
from memory.mirror import MirrorPlace, SyncReport, files
from memory.models import Filter, Kind, Level, Memory, Sensitivity, State
from memory.ports import Transaction
from memory.store import make_worker_id, open_store
from tests.eval.data import load_cases
from tests.memory.learn.world import START, TZ, ScriptedModel

KEY = b"k" * 32
OLD = Path(__file__).parent.parent / "memory" / "mirror" / "pages"
ANY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)
_FULLWIDTH: Final = str.maketrans(",;:?!()", "，；：？！（）")

# Health and what stands first; people; the rest; seven that are archived.
PEOPLE: Mapping[str, Sequence[tuple[str, Kind, dict[str, Any]]]] = {
    "en": [
        ("Allergic to hazelnuts", Kind.HEALTH, {}),
        ("Asthma since childhood, inhaler in the left pocket", Kind.HEALTH, {}),
        ("Called Rebecca, never Becky", Kind.IDENTITY, {"pinned": True}),
        ("Keep answers short in the morning", Kind.INSTRUCTION, {}),
        (
            "Sister Hannah teaches maths in Lyon",
            Kind.FACT,
            {"entities": ("Hannah",), "close": False},
        ),
        ("Hannah's wedding is in Porto on 12 June 2027", Kind.EVENT, {"entities": ("Hannah",)}),
        ("Hannah hates surprises", Kind.FACT, {"entities": ("Hannah",)}),
        ("Drove to Lyon with Hannah in 2019", Kind.FACT, {"entities": ("Hannah",)}),
        (
            "Brother Tom climbs in the Peak District",
            Kind.FACT,
            {"entities": ("Tom",), "close": False},
        ),
        ("Tom owes her a drill (the green one)", Kind.FACT, {"entities": ("Tom",)}),
        ("Works as a tram driver, early shifts", Kind.FACT, {}),
        ("Trains new drivers every second month", Kind.SKILL, {}),
        ("Plans to repaint the kitchen in May", Kind.GOAL, {}),
        ("Half marathon in Leeds on 3 October 2026", Kind.EVENT, {}),
        ("Likes tea with lemon, no sugar", Kind.PREFERENCE, {}),
        ("Reads crime novels on the tram", Kind.PREFERENCE, {}),
        ("Grows rhubarb and beans on the allotment", Kind.FACT, {}),
        ("Flat is on the third floor, no lift", Kind.FACT, {}),
        ("Speaks a little Portuguese", Kind.SKILL, {}),
        ("Tried a sourdough starter called Gerald", Kind.FACT, {"level": Level.TAG}),
        ("Took a pottery course in 2021", Kind.FACT, {"level": Level.TRACE}),
        ("Used to cycle to school in Hull", Kind.FACT, {"level": Level.TAG}),
        ("Wanted a motorbike once", Kind.GOAL, {"level": Level.ARCHIVE}),
        ("Sold the old piano to a neighbour", Kind.FACT, {"level": Level.TAG}),
        ("Went to Bergen by ferry in 2018", Kind.FACT, {"level": Level.TRACE}),
        ("Smoked until thirty", Kind.FACT, {"level": Level.TAG}),
    ],
    "zh": [
        ("对花生过敏", Kind.HEALTH, {}),
        ("有哮喘，喷雾放在左边口袋里", Kind.HEALTH, {}),
        ("叫林晓梅，别叫小林", Kind.IDENTITY, {"pinned": True}),
        ("早上回答要短", Kind.INSTRUCTION, {}),
        ("姐姐汉娜在里昂教数学", Kind.FACT, {"entities": ("汉娜",), "close": False}),
        ("汉娜2027年6月12日在波尔图结婚", Kind.EVENT, {"entities": ("汉娜",)}),
        ("汉娜讨厌惊喜", Kind.FACT, {"entities": ("汉娜",)}),
        ("2019年和汉娜开车去过里昂", Kind.FACT, {"entities": ("汉娜",)}),
        ("弟弟建国喜欢攀岩", Kind.FACT, {"entities": ("建国",), "close": False}),
        ("建国欠我一把电钻（绿色的）", Kind.FACT, {"entities": ("建国",)}),
        ("在电车公司上班，开早班车。", Kind.FACT, {}),
        ("隔月带一次新司机", Kind.SKILL, {}),
        ("打算五月重新刷厨房", Kind.GOAL, {}),
        ("2026年10月3日跑利兹半程马拉松", Kind.EVENT, {}),
        ("喝茶加柠檬，不加糖", Kind.PREFERENCE, {}),
        ("在车上看侦探小说", Kind.PREFERENCE, {}),
        ("阳台上种了豆角和大黄", Kind.FACT, {}),
        ("住在三楼，没有电梯", Kind.FACT, {}),
        ("会说一点葡萄牙语", Kind.SKILL, {}),
        ("养过一个叫老黄的酸面团", Kind.FACT, {"level": Level.TAG}),
        ("2021年上过陶艺课", Kind.FACT, {"level": Level.TRACE}),
        ("小时候骑车上学", Kind.FACT, {"level": Level.TAG}),
        ("曾经想买摩托车", Kind.GOAL, {"level": Level.ARCHIVE}),
        ("旧钢琴卖给了邻居", Kind.FACT, {"level": Level.TAG}),
        ("2018年坐船去过卑尔根", Kind.FACT, {"level": Level.TRACE}),
        ("三十岁以前抽烟", Kind.FACT, {"level": Level.TAG}),
    ],
}


# --- a home ---


@dataclass
class Home:
    """A store with one person, and their MEMORY.md."""

    folder: Path
    user: str
    service: api.Memory
    lang: str

    @property
    def path(self) -> Path:
        assert self.service.mirror is not None
        return self.service.mirror.path(self.user)

    async def list_all(self) -> dict[str, Memory]:
        found = await self.service.find(self.user, ANY, limit=10_000)
        return {m.id: m for m in found.items}

    async def sync(self, minutes: int) -> SyncReport:
        assert self.service.mirror is not None
        return await self.service.mirror.sync(self.user, START + timedelta(minutes=minutes))

    async def list_asked(self, minutes: int) -> set[str]:
        now = START + timedelta(minutes=minutes)
        state = await self.service._store.read(self.user, lambda tx: tx.mirror.get_state())
        asking = state.get_open_question(now) if state else None
        return {str(i) for i in asking["ids"]} if asking else set()


@asynccontextmanager
async def open_home(folder: Path, lang: str, user: str | None = None) -> AsyncIterator[Home]:
    """Open a home, or make it where there is no user yet."""
    worker = make_worker_id()
    store = await open_store(folder / "ebb.db", clock=lambda: START, worker=worker, key=KEY)
    embedder = LexicalEmbedder()
    await store.use_embedder(embedder.id, embedder.dim)
    service = api.Memory(store, model=ScriptedModel(), embedder=embedder, key=KEY)
    try:
        if new := user is None:
            user = await store.write_system(lambda s: s.create_user(START))
        service.keep_mirror(MirrorPlace(folder, user, tz=TZ))
        if new:
            await _fill(service, user, lang)
        yield Home(folder, user, service, lang)
    finally:
        await service.close()
        await store.close()


async def _fill(service: api.Memory, user: str, lang: str) -> None:
    said = PEOPLE[lang]
    scope, made = f"user:{user}", []
    for n, (text, _, _) in enumerate(said):
        at = START - timedelta(hours=len(said) - n)
        made.append((await service.remember(user, text, at, tz=TZ, scope=scope)).memory)

    def write(tx: Transaction) -> None:
        tx.changes.begin("system", "bench", START)
        for m, (text, kind, fields) in zip(made, said, strict=True):
            old = tx.memories.get(m.id)
            assert old is not None
            whole = {"original_content": text, "content": text, "expires_at": None, **fields}
            tx.memories.put(replace(old, kind=kind, **whole), "updated")

    await service._store.write(user, write)


async def make_old(home: Home) -> str:
    """Return the page of the old form, with this home's ids and stamp."""
    text = (OLD / f"old.{home.lang}.md").read_text("utf-8")
    now = home.path.read_text("utf-8")
    stamp = re.search(r"<!-- ebb: .*? -->", now)
    assert stamp is not None
    text = re.sub(r"<!-- ebb: .*? -->", stamp[0], text)
    for m in (await home.list_all()).values():
        pattern = rf"\[\w+\]([^\n]*\n(?:<!--[^\n]*\n)?{re.escape(m.original_content)}\n)"
        text = re.sub(pattern, rf"[{m.id}]\1", text)
    return text


# --- a page, and what hands do to it ---


@dataclass(eq=False)
class Line:
    """A piece of the page: an entry, a heading, anything else."""

    text: str
    end: str = "\n"
    id: str = ""
    words: str = ""
    comment: str = ""
    bullet: str = "- "
    group: str = ""
    number: int = 0

    @property
    def whole(self) -> str:
        return self.text + self.end


_ENTRY: Final = re.compile(r"^(\s*- )(.*?) (<!-- \[(\w+)\] .*? -->)$")


@dataclass
class Page:
    """The page as pieces; once something was done to the whole of it, as text or bytes."""

    text: str
    old: bool
    lines: list[Line] = field(default_factory=list)
    entries: list[Line] = field(default_factory=list)
    heads: dict[str, Line] = field(default_factory=dict)
    intro: Line | None = None
    flat: str | None = None
    data: bytes | None = None
    gone: bool = False

    def __post_init__(self) -> None:
        self._read_old() if self.old else self._read()
        for name in ("g1", "g2", "a"):
            members = [e for e in self.entries if e.group == name]
            for n, e in enumerate(members):
                e.number = n + 1

    def _add(self, line: Line) -> Line:
        self.lines.append(line)
        return line

    def _read(self) -> None:
        groups, archived = 0, False
        for raw in self.text.rstrip("\n").split("\n"):
            if m := _ENTRY.match(raw):
                group = "a" if archived else f"g{groups}"
                e = Line(raw, id=m[4], words=m[2], comment=m[3], bullet=m[1], group=group)
                self.entries.append(self._add(e))
                continue
            line = self._add(Line(raw))
            if raw.startswith("# "):
                self.heads["title"] = line
            elif raw.startswith("## "):
                archived = "active" in self.heads
                self.heads["archived" if archived else "active"] = line
            elif raw.startswith("### ") and not archived:
                groups += 1
                self.heads[f"g{groups}"] = line
            elif raw.startswith("> ") and self.intro is None:
                self.intro = line

    def _read_old(self) -> None:
        for piece in self.text.rstrip("\n").split("\n\n"):
            head, _, rest = piece.partition("\n")
            if m := re.match(r"### \[(\w+)\]", head):
                comments, _, words = rest.rpartition("\n")
                comment = head + (f"\n{comments}" if comments else "")
                n = len(self.entries)
                group = (
                    "a" if "archived" in self.heads else "g1" if n < 4 else "g2" if n < 10 else "g3"
                )
                e = Line(piece, id=m[1], words=words, comment=comment, bullet="", group=group)
                self.entries.append(self._add(e))
            else:
                line = self._add(Line(piece))
                if piece.startswith("# "):
                    self.heads["title"] = line
                elif piece.startswith("## "):
                    self.heads["archived" if "active" in self.heads else "active"] = line
                elif piece.startswith("> "):
                    self.intro = line
            self._add(Line(""))

    # --- names of entries and places

    def pick(self, names: str) -> list[Line]:
        """Return the entries that are named."""
        out: list[Line] = []
        for name in names.split():
            if name.startswith("-") and out and " " in names:
                taken = self.pick(
                    name[1:] if not name[1:].isdigit() or names.startswith("*") else name
                )
                out = [e for e in out if e not in taken]
            else:
                out += self._pick_one(name)
        return out

    def _pick_one(self, name: str) -> list[Line]:
        if name == "*":
            return list(self.entries)
        if name.startswith("after:"):
            at = self.entries.index(self._pick_one(name[6:])[0])
            return self.entries[at + 1 :]
        if m := re.fullmatch(r"(\d+)\.\.(\d+)", name):
            return self.entries[int(m[1]) - 1 : int(m[2])]
        if m := re.fullmatch(r"(g\d|a)\.?(\d+|\*)?", name):
            group = [e for e in self.entries if e.group == m[1]]
            return group if m[2] in {None, "*"} else [group[int(m[2]) - 1]]
        n = int(name)
        return [self.entries[n - 1 if n > 0 else n]]

    def find(self, where: str) -> int:
        """Return the number of the piece before which the place is."""
        verb, _, name = where.partition(":")
        if where in {"top", "start"}:
            return 0
        if where == "end":
            return len(self.lines)
        if name == "intro":
            assert self.intro is not None
            return self.lines.index(self.intro) + 1
        line = self.heads[name[8:]] if name.startswith("heading:") else self._pick_one(name)[0]
        return self.lines.index(line) + (verb == "after")

    # --- words

    def fill(self, text: str, e: Line | None) -> str:
        """Replace the placeholders; inside an old page, figures stand above the words."""
        return re.sub(r"\{(\w+)(?::([^}|]*))?((?:\|\w+)*)\}", lambda m: self._value(m, e), text)

    def _value(self, m: re.Match[str], e: Line | None) -> str:
        of = self._pick_one(m[2])[0] if m[2] else e
        key = m[1]
        if key == "intro":
            value = self.intro.text if self.intro else ""
        elif of is None:
            return m[0]
        else:
            half = _cut(of.words)
            value = {
                "text": of.words,
                "comment": of.comment,
                "line": of.text,
                "bullet": of.bullet,
                "id": of.id,
                "n": str(of.number),
                "head": half[0],
                "tail": half[1],
                "heading": self.heads[of.group].text if of.group in self.heads else "",
            }[key]
        for name in m[3].split("|")[1:]:
            value = _filter(name, value)
        return value

    def write(self, e: Line, words: str) -> str:
        return f"{e.comment}\n{words}" if self.old else f"{e.bullet}{words} {e.comment}"

    # --- operations

    def apply(self, op: Mapping[str, Any]) -> None:
        getattr(self, f"_op_{op['op']}")(op)

    def _op_insert(self, op: Mapping[str, Any]) -> None:
        text = self.fill(op["text"], None)
        if op.get("repeat"):
            text = "- " + text.removeprefix("- ") * int(op["repeat"])
        if op.get("encoding"):
            text = text.encode(op["encoding"]).decode("utf-8", "surrogateescape")
        if self.flat is not None:
            assert op["where"] in {"end", "top"}
            self.flat = self.flat + text + "\n" if op["where"] == "end" else text + "\n" + self.flat
            return
        if op["where"].startswith("inside:"):
            self._put_inside(self._pick_one(op["where"][7:])[0], text)
            return
        end = "" if op.get("newline") is False else "\n"
        if self.old and op["where"].startswith("after:"):
            text = "\n" + text
        self.lines.insert(self.find(op["where"]), Line(text, end))

    def _put_inside(self, e: Line, text: str) -> None:
        at = len(_cut(e.words)[0])
        e.text = self.write(e, e.words[:at] + text + e.words[at:])

    def _op_set_text(self, op: Mapping[str, Any]) -> None:
        for e in self.pick(op["entry"]):
            e.text = self.write(e, self.fill(op["text"], e))

    def _op_set_line(self, op: Mapping[str, Any]) -> None:
        for e in self.pick(op["entry"]):
            template = op["line"]
            if self.old and "{comment}" in template:
                template = re.sub(r" ?\{comment(\|unclosed)?\}", "", template)
                e.text = e.comment + "\n" + self.fill(template, e).strip()
            else:
                e.text = self.fill(template, e)

    def _op_delete(self, op: Mapping[str, Any]) -> None:
        for e in self.pick(op["entry"]):
            self.lines.remove(e)

    _op_delete_line = _op_delete

    def _op_move(self, op: Mapping[str, Any]) -> None:
        for e in self.pick(op["entry"]):
            self.lines.remove(e)
            self.lines.insert(self.find(op["where"]), e)

    def _op_copy(self, op: Mapping[str, Any]) -> None:
        for e in self.pick(op["entry"]):
            self.lines.insert(self.find(op["where"]), Line(e.text))

    def _op_heading(self, op: Mapping[str, Any]) -> None:
        line = self.heads[op["heading"]]
        if op["text"] is None:
            self.lines.remove(line)
        else:
            line.text = op["text"].replace("{heading}", line.text)

    def _op_raw_replace(self, op: Mapping[str, Any]) -> None:
        self.flatten()
        assert self.flat is not None
        self.flat = self.flat.replace(op["find"], op["with"])

    def _op_field(self, op: Mapping[str, Any]) -> None:
        for e in self.pick(op["entry"]):
            value, n = self.fill(op["value"], e), ("weight", "last", "hits").index
            comment = e.comment
            if op["field"] == "id":
                comment = comment.replace(f"[{e.id}]", f"[{value}]")
            elif op["field"] == "kind":
                comment = re.sub(r"(\] )[^|]*( \|)", rf"\g<1>{value}\2", comment, count=1)
            else:
                parts = comment.split("|")
                end = " -->" if parts[n(op["field"]) + 1].rstrip().endswith("-->") else " "
                parts[n(op["field"]) + 1] = f" {value}{end}"
                comment = "|".join(parts)
            e.text = e.text.replace(e.comment, comment)

    def _op_bytes(self, op: Mapping[str, Any]) -> None:
        data = bytes.fromhex(op["hex"])
        if self.data is not None:
            assert op["where"] == "start"
            self.data = data + self.data
            return
        text = data.decode("utf-8", "surrogateescape")
        if self.flat is not None:
            self.flat = text + self.flat if op["where"] == "start" else self.flat + text
        elif op["where"].startswith("inside:"):
            self._put_inside(self._pick_one(op["where"][7:])[0], text)
        else:
            self.lines.insert(self.find(op["where"]), Line(text, ""))

    def _op_encode(self, op: Mapping[str, Any]) -> None:
        self.flatten()
        assert self.flat is not None
        self.data = self.flat.encode(op["encoding"], "replace")

    def _op_newlines(self, op: Mapping[str, Any]) -> None:
        self.flatten()
        assert self.flat is not None
        if op["style"] == "mixed":
            lines = self.flat.split("\n")
            ends = ["\r\n" if n % 2 else "\n" for n in range(len(lines) - 1)] + [""]
            self.flat = "".join(x + e for x, e in zip(lines, ends, strict=True))
        else:
            self.flat = self.flat.replace("\n", {"crlf": "\r\n", "cr": "\r"}[op["style"]])

    def _op_sort(self, op: Mapping[str, Any]) -> None:
        if op["scope"] == "lines":
            self.flatten()
            assert self.flat is not None
            lines = self.flat.rstrip("\n").split("\n")
            self.flat = "\n".join(sorted(lines) if op["by"] == "text" else lines[::-1]) + "\n"
            return
        members = self.pick("*" if op["scope"] == "entries" else f"{op['scope']}.*")
        places = sorted(self.lines.index(e) for e in members)
        now = [self.lines[n] for n in places]
        now = sorted(now, key=lambda e: e.text) if op["by"] == "text" else now[::-1]
        for n, e in zip(places, now, strict=True):
            self.lines[n] = e

    def _op_file(self, op: Mapping[str, Any]) -> None:
        if op["do"] == "delete":
            self.gone = True
        elif op["do"] == "empty":
            self.flat = ""
        elif op["do"] == "twice":
            self.flatten()
            assert self.flat is not None
            self.flat *= 2
        else:
            place = op["at"]
            at = self.find(place.replace("inside:", "before:"))
            kept = "".join(x.whole for x in self.lines[:at])
            if place.startswith("inside:"):
                e = self._pick_one(place[7:])[0]
                kept += e.text[: e.text.index(e.words) + len(_cut(e.words)[0])]
            self.flat = kept

    def flatten(self) -> None:
        if self.flat is None:
            self.flat = "".join(x.whole for x in self.lines)

    def encode(self) -> bytes:
        """Return the file."""
        if self.data is not None:
            return self.data
        self.flatten()
        assert self.flat is not None
        return self.flat.encode("utf-8", "surrogateescape")


def _cut(words: str) -> tuple[str, str]:
    middle = len(words) // 2
    spaces = [i for i, c in enumerate(words) if c == " "]
    if not spaces:
        return words[:middle], words[middle:]
    at = min(spaces, key=lambda i: abs(i - middle))
    return words[:at], words[at + 1 :]


def _filter(name: str, text: str) -> str:
    match name:
        case "escape":
            return re.sub(r"([_*\[\]])", r"\\\1", text)
        case "smart":
            text = re.sub(r'"([^"]*)"', "“\\1”", text).replace("'", "’")
            return text.replace("--", "–")
        case "fullwidth":
            return text.translate(_FULLWIDTH)
        case "nbsp":
            return text.replace(" ", "\u00a0")
        case "upper":
            return text.upper()
        case "typo":
            return text[:-1] + ("b" if text[-1] != "b" else "c")
        case "unclosed":
            return text.replace(" -->", "")
        case "nostop":
            return re.sub(r"[.。]$", "", text)
    raise ValueError(name)


# --- what came of it ---


@dataclass(frozen=True)
class Outcome:
    """All that a case can expect something of."""

    before: Mapping[str, Memory]
    after: Mapping[str, Memory]
    asked: bool
    asking: set[str]
    page: str
    unread: str

    @property
    def new(self) -> list[Memory]:
        return [m for i, m in self.after.items() if i not in self.before]


def judge(page: Page, expect: Mapping[str, Any], o: Outcome) -> list[str]:
    """Return what is not as it should be."""
    wrong: list[str] = []

    def check(what: str, holds: bool, told: object = "") -> None:
        if not holds:
            wrong.append(f"{what} {told}")

    open_ = [page.fill(t, None) for t in expect.get("added_or_unread", ())]
    added = {m.original_content for m in o.new if m.state is State.ACTIVE and m.sensitivity < 3}
    wanted = {page.fill(t, None) for t in expect["added"]}
    check("added", added - set(open_) == wanted, added ^ wanted)
    check("lost", all(t in added or t in o.unread for t in open_), open_)
    changed = {e.id: page.fill(t, e) for k, t in expect["changed"].items() for e in page.pick(k)}
    for i, text in changed.items():
        check("changed", o.after[i].original_content == text, (o.after[i].original_content, text))
    deleted = {e.id for k in expect["deleted"] for e in page.pick(k)}
    gone = {i for i in o.before if o.after[i].state is not State.ACTIVE}
    check("deleted", gone == deleted, [o.before[i].original_content for i in gone ^ deleted])
    if expect["asked"] is not None:
        check("asked", o.asked is expect["asked"], o.asked)
    if "would_delete" in expect and (expect["asked"] or o.asked):
        would = {e.id for k in expect["would_delete"] for e in page.pick(k)}
        told = [o.before[i].original_content for i in o.asking ^ would]
        check("would delete", o.asking == would, told)
    if expect["unread"] is not None:
        check("unread", bool(o.unread) is expect["unread"], repr(o.unread[:200]))
    free = {e.id for k in expect.get("kind_free", ()) for e in page.pick(k)}
    for i, was in o.before.items():
        now = o.after[i]
        if i not in changed and i not in deleted:
            same = _words_of(was, i in free) == _words_of(now, i in free)
            check(
                "kept",
                same,
                (was.original_content, now.original_content, now.kind, now.activation_count),
            )
    for text in expect.get("stays", ()):
        check("stays", page.fill(text, None) in o.page, text)
    for text in expect.get("not_stored", ()):
        told = [
            m.original_content for m in o.after.values() if text in m.original_content + m.content
        ]
        check("stored", not told, told)
    for text in expect.get("not_instruction", ()):
        bad = [
            m for m in o.after.values() if text in m.original_content and m.kind is Kind.INSTRUCTION
        ]
        check("instruction", not bad, text)
    return wrong


def _words_of(m: Memory, free: bool) -> tuple[object, ...]:
    kind = "" if free else m.kind
    return m.original_content, m.state, kind, m.activation_count, m.level, m.pinned, m.weight


async def run_case(
    case: Mapping[str, Any], whole: Path, folder: Path, user: str, old: bool
) -> list[str]:
    """Do one case in a copy of a home; return what is wrong."""
    shutil.copytree(whole, folder)
    async with open_home(folder, case["lang"], user) as home:
        page = Page(home.path.read_text("utf-8"), old)
        before = await home.list_all()
        for op in case["edit"]:
            page.apply(op)
        if page.gone:
            home.path.unlink()
        else:
            home.path.write_bytes(page.encode())
        report = await home.sync(5)
        text = home.path.read_text("utf-8", "surrogateescape")
        unread = re.split(r"^## (?:Unread|未能读懂)\n+>[^\n]*\n", text, flags=re.MULTILINE)
        found = Outcome(
            before,
            await home.list_all(),
            report.applied.asked,
            await home.list_asked(6),
            text,
            unread[1].strip() if len(unread) > 1 else "",
        )
        ways = [
            case["expect"],
            *({**case["expect"], **e} for e in case["expect"].get("either", ())),
        ]
        results = [judge(page, way, found) for way in ways]
        best = min(results, key=len)
        if not best:
            again = await home.sync(7)  # what was read is settled
            best = ["not settled"] if again.applied.new or again.applied.deleted else best
    return best


async def run(half: str, old: bool, verbose: bool, only: str) -> tuple[int, int]:
    """Do them all; print what fails. Returns how many are right, and how many there are."""
    cases = [c for c in load_cases("mirror_edits", half or None) if only in c["id"]]  # type: ignore[arg-type]
    right = total = 0
    with tempfile.TemporaryDirectory() as top:
        users = {}
        for lang in PEOPLE:
            folder = Path(top) / lang
            folder.mkdir()
            async with open_home(folder, lang) as home:
                await home.sync(0)
                users[lang] = home.user
                if old:
                    home.path.write_text(await make_old(home), "utf-8")
                if verbose and only:
                    print(home.path.read_text("utf-8"))
        for case in cases:
            if old and any(
                op["op"] == "heading" and op["heading"][0] == "g" for op in case["edit"]
            ):
                continue
            if old and "heading:g" in str(case["edit"]):
                continue
            lang, total = case["lang"], total + 1
            folder = Path(top) / case["id"]
            wrong = await run_case(case, Path(top) / lang, folder, users[lang], old)
            right += not wrong
            if wrong:
                print(f"{case['id']} {case['what']}")
                for line in wrong[: 8 if verbose else 1]:
                    print(f"    {line[:300]}")
    return right, total


def main() -> None:
    """Print what fails, and how many are right."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("half", nargs="?", default="A", choices=["A", "B", ""])
    p.add_argument("--old", action="store_true")
    p.add_argument("--only", default="")
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    files._SETTLE = 0.001  # type: ignore[misc]
    right, total = asyncio.run(run(args.half, args.old, args.verbose, args.only))
    print(f"{right} of {total} as they should be")


if __name__ == "__main__":
    main()
