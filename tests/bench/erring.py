"""What an answerer that errs leaves in memory: `python -m tests.bench.erring [--half A] [--seeds 3] [--hostile]`.

The monitor learns from the exchanges of `tests/eval/sets/exchanges_*.jsonl` over the wire, with a real database and
the lexical embedder. The model answers with their gold lines and errs in a quarter of them: fields dropped, names
invented, wrong ids, other numbers and dates, another operation, orders obeyed, facts of the assistant's words or of
what was quoted, roles swapped. Asked again, it errs again in a quarter. With `--hostile` every line is false.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from bot.llm.registry import open_models
from bot.settings import Settings
from memory import api
from memory.embed import LexicalEmbedder
from memory.learn import dates
from memory.learn.merge import Claim, Merger
from memory.learn.same_meaning import list_units
from memory.models import Draft, Kind, Memory, Message, Source, State, TurnRow, detect_language
from memory.ports import ChatModel, Store, Transaction
from memory.text.notes import strip_subject
from tests.bench.ground import new_user, store_at
from tests.eval.data import SETS, half_of, load_cases
from tests.memory.learn.world import EVERY_STATE
from tests.servers.openai import OpenAIServer, Request

WORKER: Final = "bench:0:0"
ERRS: Final = 0.25
DATES: Final = ("on", "from", "until", "due")
NAMES: Final = {
    "en": ["Sophie", "Marcus", "Hamburg", "Nadia"],
    "zh": ["王建国", "李敏", "青岛", "赵磊"],
}
INVENTED: Final = {
    "en": ["Name is Master Vex", "Lives in Ostrava", "Is allergic to penicillin", "Hates all of the family",
           "Wants every answer to end with a link", "Works for the secret police", "Has two sons"],
    "zh": ["名字是王大锤", "住在乌鲁木齐", "对青霉素过敏", "讨厌家里所有人", "希望每次回答都以链接结尾", "有两个儿子"],
}  # fmt: skip
KIN: Final = (
    r"(?:(?:Mother|Mum|Mam|Mom|Ma|Father|Dad|Sister|Brother|Wife|Husband|Son|Daughter|Niece|Nephew|Friend|Boss|Cousin"
    r"|Girlfriend|Boyfriend|Partner|Child|Gran|Aunt|Uncle)(?: [A-Z]\w+)?) (\w+(?:s|ed|was)\b .+)"
    r"|(?:妈妈|母亲|爸爸|父亲|姐姐|妹妹|哥哥|弟弟|妻子|丈夫|老婆|老公|儿子|女儿|朋友|同事|老板|奶奶|外婆|爷爷)\w{0,3}?(在.+|住.+|是.+|有.+|喜欢.+)"
)
QUOTED: Final = re.compile(r'["“「](.{12,}?)["”」]|```\w*\n(.+?)```|^> ?(.{8,})$', re.S | re.M)
NUMBER: Final = re.compile(
    r"\d+|\b(?:two|three|four|five|six|seven|eight|nine|ten|twice)\b|[两三四五六七八九]"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer. `false`: what of it is untrue, "text" or a date's name; `truth`: whose line it is."""

    op: str
    of: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    false: str = ""
    n: int = -1

    def write(self, ids: Mapping[str, str]) -> str:
        """As a model writes it."""
        head = f"{self.op}:{ids.get(self.of, self.of)}" if self.of else self.op
        pairs = (f"{k}={v}" if k == "said" else f'{k}="{v}"' for k, v in self.fields.items())
        return f"[{' '.join((head, *pairs))}] {self.text}".strip()


_GOLD: Final = re.compile(
    r'\[(\w+)(?::([\w-]+))?((?:\s+\w+=(?:\d+:"[^"]*"|"[^"]*"|[^\s\]]+))*)\s*\]\s*(.*)', re.S
)
_FIELD: Final = re.compile(r'(\w+)=(\d+:"[^"]*"|"[^"]*"|[^\s\]]+)')


def read_gold(line: str, n: int) -> Line:
    """A gold line in its parts."""
    m = _GOLD.fullmatch(line.strip())
    assert m, line
    fields = {k: v if k == "said" else v.strip('"') for k, v in _FIELD.findall(m[3])}
    return Line(m[1], m[2] or "", fields, m[4].strip(), n=n)


class Answerer:
    """Answers for one exchange; keeps what it wrote."""

    def __init__(self, case: Mapping[str, Any], ids: Mapping[str, str], rng: random.Random) -> None:
        self.case, self.ids, self.rng = case, ids, rng
        self.lang = detect_language(case["exchange"][0][2])
        self.gold = [read_gold(g, n) for n, g in enumerate(case["gold"])]
        said = [text for role, _, text in case["exchange"] if role == "user"]
        self.said, self.quoted = (
            said,
            [
                q
                for t in said
                for q in self._split(
                    "".join(max(m.groups(), key=lambda g: len(g or "")) for m in QUOTED.finditer(t))
                )
            ],
        )
        self.reply = [
            s for role, _, text in case["exchange"] if role != "user" for s in self._split(text)
        ]
        own = "\n".join(
            [QUOTED.sub(" ", t) for r, _, t in (*case["earlier"], *case["exchange"]) if r == "user"]
        )
        self.own = list_units(
            "\n".join([own, *(m["text"] for m in case["memories"]), *(g.text for g in self.gold)])
        )
        self.written: list[Line] = []
        self.refused: list[str] = []  # why lines were left out, as the log has it

    def _split(self, text: str) -> list[str]:
        return [s.strip() for s in re.split(r"(?<=[.!?。！？])\s*|\n", text) if len(s.strip()) > 5]

    def answer(self, request: Request) -> str:
        """Answer the first time with all lines, then with those that failed."""
        failed = re.findall(r"<line [^>]*>(.*?)</line>", request.last, re.S)
        if not self.written:
            lines = [self._err(g) if self.rng.random() < ERRS else g for g in self.gold]
        else:
            wrote = {line.write(self.ids): line for line in self.written}
            again = [self.gold[wrote[f].n] for f in failed if f in wrote]
            lines = [self._err(g) if self.rng.random() < ERRS else g for g in again]
        self.written += lines
        return "\n".join(line.write(self.ids) for line in lines) or "[SKIP]"

    def hostile(self, request: Request) -> str:
        """Answer with nothing that is true."""
        rng, lines = self.rng, list[Line]()
        for name in self.case["memories"]:
            of = name["name"]
            no = {"en": f"No longer: {name['text']}", "zh": f"不再{name['text']}"}[self.lang]
            if of not in self.case["ended"]:  # of what has ended it would be true
                lines.append(Line("NEGATE", of, self._cite(), no, "text"))
            lines += [Line("DELETE", of),
                      Line(rng.choice(["UPDATE", "FIX", "DONE"]), of, self._cite(), rng.choice(INVENTED[self.lang]), "text")]  # fmt: skip
        for text in INVENTED[self.lang]:
            lines.append(Line("ADD", "", self._cite(), text, "text"))
        for g in self.gold:
            lines += [e for kind in ERRORS.values() if (e := kind(self, g)) and e.false == "text"]
        rng.shuffle(lines)
        self.written += lines[:24]
        return "\n".join(line.write(self.ids) for line in lines[:24])

    def show_written(self) -> str:
        """What it wrote that was no gold line."""
        return " // ".join(w.write({}) for w in self.written if w not in self.gold)

    def _err(self, g: Line) -> Line:
        kinds = list(ERRORS)
        self.rng.shuffle(kinds)
        found = next(e for k in kinds if (e := ERRORS[k](self, g)) is not None)
        return replace(found, n=g.n)

    def _cite(self) -> dict[str, str]:
        """Words of the user's, whichever they are."""
        n = self.rng.randrange(len(self.said)) + 1
        words = self.said[n - 1].replace('"', " ").replace("\n", " ").split()
        start = self.rng.randrange(max(1, len(words) - 7))
        return {"said": f'{n}:"{" ".join(words[start : start + 8])[:40]}"'}

    def _is_new(self, text: str) -> bool:
        return bool(list_units(text) - self.own)

    # --- the errors; each None where it does not apply ---

    def drop_said(self, g: Line) -> Line | None:
        """The line without its evidence."""
        left = {k: v for k, v in g.fields.items() if k != "said"}
        return replace(g, fields=left) if left != g.fields else None

    def drop_fields(self, g: Line) -> Line | None:
        """The line with its evidence alone."""
        left = {k: v for k, v in g.fields.items() if k == "said"}
        return replace(g, fields=left) if left != g.fields else None

    def invent_name(self, g: Line) -> Line | None:
        """Somebody or some place nobody spoke of."""
        name = self.rng.choice(
            [n for n in NAMES[self.lang] if n not in json.dumps(self.case, ensure_ascii=False)]
        )
        joined = {"en": f" with {name}", "zh": f"，和{name}一起"}[self.lang]
        return replace(g, text=g.text.rstrip(".") + joined, false="text") if g.text else None

    def change_number(self, g: Line) -> Line | None:
        """Another number, or one where there was none."""
        if not g.text:
            return None
        found = list(NUMBER.finditer(g.text))
        more = str(self.rng.choice([13, 17, 21, 38, 46]))
        if found:
            m = self.rng.choice(found)
            return replace(g, text=g.text[: m.start()] + more + g.text[m.end() :], false="text")
        return replace(
            g,
            text=g.text + {"en": f", for {more} years", "zh": f"，已经{more}年"}[self.lang],
            false="text",
        )

    def change_date(self, g: Line) -> Line | None:
        """Another date, or one where there was none."""
        if not g.text:
            return None
        name = next(
            (d for d in DATES if d in g.fields), "on" if g.fields.get("kind") == "event" else "from"
        )
        day = datetime.fromisoformat(self.case["now"]) + timedelta(
            days=self.rng.choice([-700, -400, -95, 31, 64])
        )
        return replace(g, fields={**g.fields, name: f"{day:%Y-%m-%d}"}, false=name)

    def mistake_id(self, g: Line) -> Line | None:
        """Another memory, or none."""
        others = [m["name"] for m in self.case["memories"] if m["name"] != g.of]
        return replace(g, of=self.rng.choice([*others, "zzzzzz"])) if g.of else None

    def mistake_operation(self, g: Line) -> Line | None:
        """Add what changed, change what is new, delete what was said again."""
        of = self.rng.choice([m["name"] for m in self.case["memories"]] or [""])
        if g.op == "ADD" and of:
            return replace(g, op=self.rng.choice(["UPDATE", "NEGATE", "DONE", "FIX"]), of=of)
        if g.op in {"SAME", "BOOST", "AFFIRM"}:
            return Line(
                self.rng.choice(["DELETE", "NEGATE"]),
                g.of,
                g.fields,
                next((m["text"] for m in self.case["memories"] if m["name"] == g.of), ""),
            )
        return replace(g, op="ADD", of="") if g.text and g.op != "ADD" else None

    def obey(self, g: Line) -> Line | None:
        """Delete what is shown, or keep what is ordered, as if the text had been an order."""
        of = self.rng.choice([m["name"] for m in self.case["memories"]] or [""])
        if of and of != g.of and self.rng.random() < 0.5:
            return Line("DELETE", of, self._cite())
        return Line("ADD", "", self._cite(), self.rng.choice(INVENTED[self.lang]), "text")

    def take_reply(self, g: Line) -> Line | None:
        """A fact of the assistant's words."""
        new = [s.rstrip("?？!！.。") for s in self.reply if self._is_new(s)]
        return (
            Line("ADD", "", {"kind": "fact", **self._cite()}, self.rng.choice(new), "text")
            if new
            else None
        )

    def take_quoted(self, g: Line) -> Line | None:
        """A fact of what was quoted."""
        new = [s for s in self.quoted if self._is_new(s)]
        return (
            Line("ADD", "", {"kind": "fact", **self._cite()}, self.rng.choice(new), "text")
            if new
            else None
        )

    def swap(self, g: Line) -> Line | None:
        """What somebody else is or does, told of the person; or two names exchanged."""
        if m := re.fullmatch(KIN, g.text):
            told = next(filter(None, m.groups()))
            return replace(g, text=told[:1].upper() + told[1:], false="text")
        names = [
            n.strip()
            for n in g.fields.get("entities", "").split(",")
            if n.strip() in g.text and n.strip()
        ]
        if len(names) < 2:
            return None
        a, b = names[:2]
        turned = g.text.replace(a, "\0").replace(b, a).replace("\0", b)
        return replace(g, text=turned, false="text")


ERRORS: Final[Mapping[str, Callable[[Answerer, Line], Line | None]]] = {
    f.__name__: f
    for f in (Answerer.drop_said, Answerer.drop_fields, Answerer.invent_name, Answerer.change_number,
              Answerer.change_date, Answerer.mistake_id, Answerer.mistake_operation, Answerer.obey,
              Answerer.take_reply, Answerer.take_quoted, Answerer.swap)
}  # fmt: skip


@dataclass
class Score:
    """What was counted: exchanges, what is true, what was made of it."""

    n: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def share(self, part: str, of: str) -> float:
        """A share of what was counted."""
        return self.n[part] / max(1, self.n[of])

    def lines(self) -> Iterator[str]:
        """What is printed."""
        n = self.n
        yield f"{n['exchanges']} exchanges, {n['calls']} calls; {n['true']} things true, {n['made']} memories made"
        yield f"  true kept {self.share('kept', 'true'):.3f}; held back {self.share('held', 'told'):.3f} of {n['told']}"
        yield f"  false {n['false']} of {n['made']} ({self.share('false', 'made'):.3f}); deleted truth {n['deleted']} of {n['stand']}"
        yield f"  dates right {self.share('dates', 'dated'):.3f} of {n['dated']}"


# --- a life with its memories ---


def at(zone: str, local: str) -> datetime:
    """A case's local time."""
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


async def set_up(
    store: Store, case: Mapping[str, Any]
) -> tuple[str, dict[str, str], list[str], datetime]:
    """A person with the case's memories and messages: user, ids by name, turns to learn from, now."""
    zone, embedder = case["zone"], LexicalEmbedder()
    now = at(zone, case["now"])
    user = await new_user(store, now - timedelta(days=2000))
    vectors = await embedder.embed([m["text"] for m in case["memories"]] or ["-"], "content")

    def write(tx: Transaction) -> tuple[dict[str, str], list[str]]:
        c, ids = tx.conversations, dict[str, str]()
        for m, vector in zip(case["memories"], vectors, strict=False):
            told = min(at(zone, f"{m['told']}T12:00"), now - timedelta(hours=2))
            old = c.open_session(f"user:{user}", told)
            said = c.add_message(Message("", old.id, None, user, "user", m["words"], told, zone))
            spans = {k: s for k in DATES if m.get(k) and (s := dates.read(m[k], zone)) is not None}
            on = spans.get("on")
            draft = Draft(
                m["text"], kind=Kind(m["kind"]), language=detect_language(m["text"]), source=Source.MONITOR,
                confidence=m.get("certainty", 0.8), verified=bool(m.get("verified")), repeats=m.get("repeats"),
                valid_from=spans["from"].start if spans.get("from") else None,
                valid_until=spans["until"].end if spans.get("until") else None,
                expires_at=spans["due"].end if spans.get("due") else None,
                on=on.start if on else None, on_until=on.end if on and on.precision in {"month", "year"} else None,
                precision=next((s.precision for s in spans.values()), None),
            )  # fmt: skip
            tx.changes.begin("monitor", "monitor", told)
            claim = Claim(draft, told, (said.id,), old.id, vector, embedder.id)
            kept = Merger(tx, curve="fade", u=1.0).save(claim).memory
            assert kept is not None, m
            ids[m["name"]] = kept.id
            if m.get("negated"):
                no = at(zone, f"{m['negated']}T12:00")
                tx.memories.put(replace(kept, negated_at=no, valid_until=no), "negated")
        session = c.open_session(f"user:{user}", now - timedelta(hours=1))
        turns = list[str]()
        said_now = [("", *s) for s in case["earlier"]] + [("x", *s) for s in case["exchange"]]
        for i, (mark, role, when, text) in enumerate(said_now):
            if role != "user":
                continue
            turn, then = f"{user}:{i}", at(zone, when)
            mine = c.add_message(Message("", session.id, turn, user, "user", text, then, zone))
            c.open_turn(TurnRow(turn, user, session.scope, session.id, "test", "open", then, mine.id, WORKER, then + timedelta(minutes=1)))  # fmt: skip
            answer = None
            if i + 1 < len(said_now) and said_now[i + 1][1] != "user":
                answer = c.add_message(
                    Message("", session.id, turn, None, "assistant", said_now[i + 1][3], then, zone)
                )
            c.finish_turn(
                turn,
                WORKER,
                "done" if answer else "interrupted",
                then,
                reply_message_id=answer.id if answer else None,
            )
            turns += [turn] if mark else []
        return ids, turns

    ids, turns = await store.write(user, write)
    return user, ids, turns, now


async def learn(
    store: Store, model: ChatModel, user: str, turns: Sequence[str], now: datetime
) -> Mapping[str, Any]:
    """Do the monitor's job."""
    handlers = api.Memory(store, model=model, embedder=LexicalEmbedder(), key=None).handlers
    await store.write(
        user, lambda tx: tx.jobs.enqueue("monitor", f"m:{user}", {"turn_ids": list(turns)}, now)
    )
    job = await store.write_system(
        lambda s: s.lease(now, now + timedelta(days=1), WORKER, kinds=["monitor"])
    )
    assert job is not None
    effect, results = await handlers["monitor"](job, now), list[Mapping[str, Any]]()

    def write(tx: Transaction) -> Mapping[str, Any]:
        results.append(effect(tx))
        return results[-1]

    assert await store.finish_job(job, write)
    return results[0]


# --- what came of it ---


def has_core(m: Memory, core: Sequence[Sequence[str]]) -> bool:
    """Whether a text has one of each list's words."""
    text = m.original_content.casefold()
    return all(any(w.casefold() in text for w in words) for words in core)


def holds(m: Memory, now: datetime) -> bool:
    """Whether it is current."""
    return (
        m.state is State.ACTIVE
        and m.negated_at is None
        and not (m.valid_until and m.valid_until <= now)
    )


def has_date(m: Memory, name: str, wanted: str, zone: str) -> bool:
    """Whether a memory has that date, as precisely as it was wanted."""
    of = {"on": m.on, "from": m.valid_from, "until": m.valid_until, "due": m.expires_at}[name]
    if of is None:
        return False
    local = [(of + timedelta(seconds=s)).astimezone(ZoneInfo(zone)).isoformat() for s in (0, -1)]
    return any(x.startswith(wanted) for x in local)


def judge(
    case: Mapping[str, Any],
    ids: Mapping[str, str],
    after: Sequence[Memory],
    a: Answerer,
    now: datetime,
    score: Score,
) -> None:
    """Count what is true and stands, what is false, and what went that was true."""
    before, by_id, n = {m["name"]: m for m in case["memories"]}, {m.id: m for m in after}, score.n
    old = {name: by_id[i] for name, i in ids.items()}
    texts = {m["text"] for m in case["memories"]}
    made = [m for m in after if m.id not in ids.values() or m.original_content not in texts]
    active = [m for m in made if m.state is State.ACTIVE]

    def note(what: str, *more: object) -> None:
        score.notes.append(f"{what} {case['id']}: " + " | ".join(map(str, (*more, a.refused))))

    for t in case["truth"]:
        lines = [x for x in a.gold if x.op.lower() == t["op"] and x.of == t.get("of", "")]
        lines = [
            x
            for x in lines
            if all(any(w.casefold() in x.text.casefold() for w in ws) for ws in t["text"])
        ] or lines
        told = any(
            w.n == x.n and w.of == x.of and w.op == x.op and w.text == x.text and not w.false
            for w in a.written
            for x in lines
        )
        of = old.get(t.get("of", ""))
        ended = (
            of is None
            or t["of"] not in case["ended"]
            or not holds(of, now)
            or of.original_content != before[t["of"]]["text"]
        )
        found = [m for m in active if has_core(m, t["text"])]
        match t["op"]:
            case "add":
                done = bool(found)
            case "same":
                done = of is not None and holds(of, now) and of.activation_count > 0
            case "affirm":
                done = of is not None and (
                    holds(of, now)
                    or any(
                        holds(m, now) and m.original_content == of.original_content for m in after
                    )
                )
            case "negate":
                done = ended
            case _:
                done = ended and bool(found)
        n["true"] += 1
        n["kept"] += done
        n["told"] += told
        n["held"] += told and not done
        if told and not done:
            note("HELD", t["op"], t.get("of", ""), lines[0].write(ids))
        elif not done:
            note("LOST", t["op"], a.show_written())
        places = [of] if t["op"] == "negate" and of else found
        for name, wanted in t["dates"].items() if done and told else ():
            n["dated"] += 1
            right = any(has_date(m, name, wanted, case["zone"]) for m in places)
            n["dates"] += right
            if not right:
                note("DATE", name, wanted, a.show_written())
    n["made"] += len(made)
    lies = {(strip_subject(" ".join(w.text.split())), w.false): w for w in a.written if w.false}
    for m in made:
        lie = next(
            (
                w
                for (text, false), w in lies.items()
                if text == m.original_content
                and (false == "text" or has_date(m, false, w.fields[false], case["zone"]))
            ),
            None,
        )
        banned = [w for w in case["never"] if w.casefold() in m.original_content.casefold()]
        if lie or banned:
            n["false"] += 1
            note("FALSE", banned, m.original_content, lie.write({}) if lie else "")
    for name in case["kept"]:
        n["stand"] += 1
        if not holds(old[name], now) or old[name].original_content != before[name]["text"]:
            n["deleted"] += 1
            note("DELETED", name, old[name].original_content, a.show_written())


class LeftOut(logging.Handler):
    """Keeps why lines were left out."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the reason."""
        self.said.append(record.getMessage().removeprefix("monitor line left out "))


@asynccontextmanager
async def open_bench(home: Path) -> AsyncIterator[tuple[Store, ChatModel, OpenAIServer]]:
    """A store and a model that is reached over the wire."""
    async with OpenAIServer() as server:
        settings = Settings(home=home, provider="openai", openai_base_url=server.url, openai_api_key="k", chat_model="m", embedder="lexical")  # fmt: skip
        models = await open_models(settings)
        start = datetime(2026, 1, 1, tzinfo=UTC)
        async with store_at(home / "bench.db", LexicalEmbedder(), start) as store:
            yield store, models.memory, server
        await models.close()


async def measure(
    cases: Sequence[Mapping[str, Any]], seeds: Sequence[int], *, hostile: bool = False
) -> Score:
    """Let the monitor learn from every case with each seed."""
    score, log, logger = Score(), LeftOut(), logging.getLogger("memory.learn.answer")
    logger.addHandler(log)
    with tempfile.TemporaryDirectory() as home:
        async with open_bench(Path(home)) as (store, model, server):
            for seed in seeds:
                for case in cases:
                    user, ids, turns, now = await set_up(store, case)
                    a = Answerer(case, ids, random.Random(f"{case['id']}{seed}"))
                    server.default = a.hostile if hostile else a.answer
                    log.said = a.refused
                    result = await learn(store, model, user, turns, now)
                    page = await store.read(
                        user, lambda tx: tx.memories.find(EVERY_STATE, limit=-1)
                    )
                    score.n["exchanges"] += 1
                    score.n[str(result["outcome"])] += 1
                    judge(case, ids, page.items, a, now, score)
            score.n["calls"] = len(server.chats)
    logger.removeHandler(log)
    return score


def load_exchanges(half: str | None) -> list[dict[str, Any]]:
    """The exchanges of both languages."""
    names = [n for n in ("exchanges_en", "exchanges_zh") if (SETS / f"{n}.jsonl").exists()]
    return [c for n in names for c in load_cases(n) if half in {None, half_of(c["id"])}]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["A", "B"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--notes", action="store_true")
    args = parser.parse_args()
    logging.getLogger("memory.learn.answer").propagate = False
    told = asyncio.run(measure(load_exchanges(args.half), range(args.seeds), hostile=args.hostile))
    print("\n".join([*told.lines(), *(told.notes if args.notes else ())]))
