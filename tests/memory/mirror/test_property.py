"""Any sequence of edits by a person, interleaved with changes by the program: nothing is lost, nothing comes back.

The store is a table in here, the file a text, and the merge the real one: what `apply` does with a plan is done in
the plainest way, so that thousands of sequences can be tried. test_stories.py does the same to a real store and a real file.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memory.mirror.merge import MemoryStatus, MergePlan, plan
from memory.mirror.page import MirrorEntry, MirrorPage, MirrorStamp, render
from memory.mirror.read import find_ids, parse
from memory.models import Kind, MirrorDigest

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_DAMAGE = ("brackets", "slip", "line", "signs", "bars", "kind")
picks = st.integers(0, 10_000)


def new_id(n: int) -> str:
    """Six characters, far from each other."""
    h = (n * 2_654_435_761 + 97) % 2**25
    return "m" + "".join(_ALPHABET[(h >> (5 * i)) & 31] for i in range(5))


@dataclass
class Row:
    """A memory of the table."""

    text: str
    kind: Kind = Kind.FACT
    state: str = "here"  # here gone


class Table:
    """The store and its mirror rows, as simply as can be."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.bases: dict[int, dict[str, MirrorDigest]] = {0: {}}
        self.version = 0
        self.unread: list[tuple[str, int]] = []
        self.names = itertools.count(1)
        self.by_person: set[str] = set()  # what the person deleted
        self.by_program: set[str] = set()

    def shown(self) -> dict[str, MirrorDigest]:
        return {
            i: MirrorDigest(r.text, r.text, str(r.kind))
            for i, r in self.rows.items()
            if r.state == "here"
        }

    def add(self, text: str) -> str:
        i = new_id(next(self.names))
        self.rows[i] = Row(text)
        return i

    def write(self) -> str:
        self.version += 1
        self.bases[self.version] = self.shown()
        entries = [
            MirrorEntry(i, r.kind, r.text, 1.0, "2026-01-01", 0)
            for i, r in self.rows.items()
            if r.state == "here"
        ]
        stamp = MirrorStamp("aaaa", self.version)
        return render(MirrorPage(entries, stamp, "now", [raw for raw, _ in self.unread]), "en").text

    def take(self, text: str) -> MergePlan:
        """What `EditApplier` does, without what it does to a real store."""
        ever = {i for b in self.bases.values() for i in b}
        doc = parse(text, ever & find_ids(text))
        assert doc.stamp is not None
        base = self.bases[doc.stamp.version]
        stands = {
            i: MemoryStatus("here" if r.state == "here" else "gone", r.text, r.text, str(r.kind))
            for i, r in self.rows.items()
        }
        out = plan(
            doc,
            base,
            stands,
            lambda i, d: any(i in b and b[i].text == d for b in self.bases.values()),
            str,
        )
        shows = dict(base)
        for i, d in out.rewritten.items():
            shows[i] = MirrorDigest(d, base[i].original if i in base else d, str(Kind.FACT))
        for i in (*out.deleted, *out.missing):
            shows.pop(i, None)
            if i in out.deleted:
                self.rows[i].state = "gone"
                self.by_person.add(i)
        for e in out.edits:
            assert e.id is not None
            self.rows[e.id].text = e.text
            shows[e.id] = MirrorDigest(e.text, e.text, str(self.rows[e.id].kind))
        for n in out.new:
            if any(r.state == "here" and r.text == n.text for r in self.rows.values()):
                continue  # known
            i = self.add(n.text)
            if n.id is None:
                shows[i] = MirrorDigest(n.text, n.text, str(Kind.FACT))
        self.bases[doc.stamp.version] = shows
        in_file = set(doc.unread)
        kept = [
            (raw, since)
            for raw, since in self.unread
            if since > doc.stamp.version or raw in in_file
        ]
        there = {raw for raw, _ in kept}
        fresh = dict.fromkeys(raw for raw in (*doc.unread, *out.unread) if raw not in there)
        self.unread = [*kept, *((raw, self.version + 1) for raw in fresh)]
        return out


class Life(RuleBasedStateMachine):
    """A person with a text editor, and a program with a mind of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table()
        for n in range(12):
            self.table.add(f"entry number {n} as it was")
        self.buffers = [self.table.write()]  # what editors hold, the newest last
        self.words = itertools.count(100)
        self.said: set[str] = set()  # words the person wrote and did not take back
        self.asked: set[str] = set()
        self.cut: dict[int, set[str]] = {}  # what was deleted in which buffer

    def _buffer(self, pick: int) -> int:
        return max(0, len(self.buffers) - 1 - pick % 3)

    def _blocks(self, text: str) -> list[str]:
        return [i for i in self.table.rows if f"[{i}]" in text]

    def _cut(self, text: str, i: str) -> tuple[str, str, str]:
        lines = text.split("\n")
        at = next(n for n, line in enumerate(lines) if f"[{i}]" in line)
        return "\n".join(lines[:at]), lines[at], "\n".join(lines[at + 1 :])

    # --- the person, in a buffer that may be old

    @rule(pick=picks, which=picks)
    def deletes(self, pick: int, which: int) -> None:
        b = self._buffer(pick)
        if ids := self._blocks(self.buffers[b]):
            i = ids[which % len(ids)]
            before, _, after = self._cut(self.buffers[b], i)
            self.buffers[b] = f"{before}\n{after}"
            self.cut.setdefault(b, set()).add(i)

    @rule(pick=picks, which=picks)
    def rewrites(self, pick: int, which: int) -> None:
        b = self._buffer(pick)
        if ids := self._blocks(self.buffers[b]):
            before, own, after = self._cut(self.buffers[b], ids[which % len(ids)])
            words = f"the person's words {next(self.words)}"
            comment = own[own.index("<!") :] if "<!" in own else ""
            self.buffers[b] = "\n".join([before, f"- {words} {comment}", after])

    @rule(pick=picks, heading=st.booleans())
    def writes(self, pick: int, heading: bool) -> None:
        b = self._buffer(pick)
        words = f"the person's words {next(self.words)}"
        piece = f"### preference\n{words}" if heading else f"- {words}"
        mark = "## Active Memories\n"
        self.buffers[b] = self.buffers[b].replace(mark, f"{mark}\n{piece}\n", 1)

    @rule(pick=picks)
    def writes_what_cannot_be_read(self, pick: int) -> None:
        b = self._buffer(pick)
        piece = f"### ??? | !!\nthe person's words {next(self.words)}\n"
        self.buffers[b] = self.buffers[b].replace("## Archived", f"{piece}\n## Archived", 1)

    @rule(pick=picks, which=picks, damage=st.sampled_from(_DAMAGE))
    def damages(self, pick: int, which: int, damage: str) -> None:
        b = self._buffer(pick)
        if not (ids := self._blocks(self.buffers[b])):
            return
        i = ids[which % len(ids)]
        before, own, after = self._cut(self.buffers[b], i)
        rest, sign, head = own.partition("<!")
        head = sign + head
        spoilt = {
            "brackets": head.replace("[", "").replace("]", ""),
            "slip": head.replace(i, i[:-1] + ("0" if i[-1] != "0" else "1")),
            "line": "",
            "signs": head.replace("<!--", "<!—").replace("-->", "—>"),
            "bars": head.replace("|", " "),
            "kind": head.replace("fact", "???"),
        }[damage]
        self.buffers[b] = f"{before}\n{rest}{spoilt}\n{after}"
        if damage == "line" and any(w not in self.said for w in self._words(rest)):
            self.cut.setdefault(b, set()).add(
                i
            )  # neither its heading nor its text is there any more

    @rule(pick=picks)
    def saves(self, pick: int) -> None:
        b = self._buffer(pick)
        text, cut = self.buffers[b], self.cut.get(b, set())
        new = {w for w in self._words(text) if w not in self.said}
        here = self._here()
        done = self.table.take(text)
        lost = here - self._here()
        assert lost <= cut, "an entry was deleted that the person did not delete"
        assert cut & here <= lost | set(done.missing) | self.asked, (
            "an entry stays that the person deleted"
        )
        self.asked |= set(done.missing)
        self.said |= new
        self.buffers.append(self.table.write())
        for w in new:
            assert w in self.buffers[-1], f"lost: {w}"

    def _here(self) -> set[str]:
        return {i for i, r in self.table.rows.items() if r.state == "here"}

    def _words(self, text: str) -> list[str]:
        return [
            f"words {line.rpartition('words ')[2].partition(' ')[0]}"
            for line in text.split("\n")
            if "the person's words " in line
        ]

    # --- the program

    @rule(which=picks)
    def program_edits(self, which: int) -> None:
        here = [i for i, r in self.table.rows.items() if r.state == "here"]
        if here:
            self.table.rows[
                here[which % len(here)]
            ].text = f"the program's words {next(self.words)}"

    @rule(which=picks)
    def program_forgets(self, which: int) -> None:
        here = [i for i, r in self.table.rows.items() if r.state == "here"]
        if here:
            i = here[which % len(here)]
            self.table.rows[i].state = "gone"
            self.table.by_program.add(i)

    @rule()
    def program_learns(self) -> None:
        self.table.add(f"the program's words {next(self.words)}")

    @rule()
    @precondition(lambda self: len(self.buffers) < 12)
    def editor_reloads(self) -> None:
        self.buffers.append(self.table.write())

    # --- what must hold

    @invariant()
    def nothing_is_lost_and_nothing_comes_back(self) -> None:
        deleted = self.table.by_person | self.table.by_program
        gone = {r.text for r in self.table.rows.values() if r.state == "gone"}
        for i, r in self.table.rows.items():
            assert (r.state == "gone") == (i in deleted)
            assert r.state == "gone" or r.text not in gone, "it came back under another id"


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
