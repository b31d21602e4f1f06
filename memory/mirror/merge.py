"""The three-way merge: what a person's edits of MEMORY.md ask for. Pure.

Three texts meet: the file as it was when the person's editor read it (the base), the file as it is,
and the memories as they are. What a person deleted goes, whatever became of it meanwhile; what they
rewrote is an edit; where both sides rewrote it, the program's stays and the person's words become a
memory beside it. Nothing that was forgotten comes back by being still in some editor's buffer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from memory.mirror.page import MirrorBlock, MirrorDocument, split_paragraphs
from memory.models import Kind, MemoryId, MirrorDigest

Where: TypeAlias = Literal["here", "replaced", "gone"]
MANY: Final = 10
SHARE: Final = 0.2
_ALIKE: Final = 0.75  # of an id with a slip in it
_SAME_LINE: Final = 0.6  # of a line that was typed and corrected
_FIGURES: Final = re.compile(r"\d{4}-\d{2}-\d{2}|\d\.\d\d")  # a heading that was one of ours


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """What became of a memory: `here` in the file's parts, `replaced` by another one, or `gone`."""

    where: Where
    text: str = ""  # digests, as in Shown
    original: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class EditedEntry:
    """The person's words become the original."""

    id: MemoryId
    text: str
    block: MirrorBlock


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A memory that the person wrote.

    `beside`: both they and the program rewrote the same one, `beside`.
    """

    text: str
    kind: Kind | None
    block: MirrorBlock
    beside: MemoryId | None = None


@dataclass(slots=True)
class MergePlan:
    """What is to be done.

    `present` are the entries that the file still has, however they were damaged.
    """

    edits: list[EditedEntry] = field(default_factory=list)
    kinds: dict[MemoryId, Kind] = field(default_factory=dict)
    deleted: list[MemoryId] = field(default_factory=list)
    missing: list[MemoryId] = field(default_factory=list)  # too many to be sure: ask
    new: list[NewEntry] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # pieces for the Unread part
    dropped: list[MemoryId] = field(default_factory=list)  # forgotten meanwhile, and saved back
    present: set[MemoryId] = field(default_factory=set)
    rewritten: dict[MemoryId, str] = field(
        default_factory=dict
    )  # digest of what the file has under an id

    @property
    def acts(self) -> bool:
        """Whether any memory is to be changed."""
        return bool(self.edits or self.kinds or self.deleted or self.new)


def plan(
    doc: MirrorDocument,
    base: Mapping[MemoryId, MirrorDigest],
    stands: Mapping[MemoryId, MemoryStatus],
    seen: Callable[[MemoryId, str], bool],
    digest: Callable[[str], str],
    added: Mapping[MemoryId, str] = MappingProxyType({}),
) -> MergePlan:
    """Compare. `base` is empty for a file of unknown origin, from which nothing can be missing.

    `stands` has every id of the base and of the file that was ever known here; `seen` tells whether
    some version of the file showed that memory with the text of that digest. `added` are entries of
    the base that came with an earlier save of it, and their texts.
    """
    return _Merge(doc, base, stands, seen, digest, added).run()


@dataclass(slots=True)
class _Merge:
    doc: MirrorDocument
    base: Mapping[MemoryId, MirrorDigest]
    stands: Mapping[MemoryId, MemoryStatus]
    seen: Callable[[MemoryId, str], bool]
    digest: Callable[[str], str]
    added: Mapping[MemoryId, str]
    out: MergePlan = field(default_factory=MergePlan)
    named: dict[MemoryId, MirrorBlock] = field(default_factory=dict)
    loose: list[MirrorBlock] = field(default_factory=list)

    digests: dict[str, str] = field(default_factory=dict)

    def run(self) -> MergePlan:
        self._name()
        missing = self._retyped(self._find([i for i in self.base if i not in self.named]))
        for memory_id, block in self.named.items():
            self._one(memory_id, block)
        self.out.present |= self.named.keys()
        self._absent(missing)
        for block in self.loose:
            if block.fault:
                self.out.unread += split_paragraphs(block.raw)
            else:
                self.out.new.append(NewEntry(block.text, block.kind, block))
        for stray in self.doc.strays:
            self.out.unread += split_paragraphs(stray)
        return self.out

    def _of(self, text: str) -> str:
        found = self.digests.get(text)
        if found is None:
            found = self.digests[text] = self.digest(text)
        return found

    # --- which block is which entry ---

    def _name(self) -> None:
        """One block for each id; a copy of an entry that somebody rewrote is a new one."""
        several: dict[MemoryId, list[MirrorBlock]] = {}
        for b in self.doc.blocks:
            if b.id is not None and (b.id in self.base or b.id in self.stands):
                several.setdefault(b.id, []).append(b)
            else:
                self.loose.append(replace(b, id=None))
        for memory_id, blocks in several.items():
            own = {
                s.text
                for s in (self.base.get(memory_id), self.stands.get(memory_id))
                if s is not None
            }
            chosen = next((b for b in blocks if self._of(b.text) in own), blocks[0])
            self.named[memory_id] = chosen
            if len(blocks) == 1:
                continue
            told = {self._of(chosen.text), self._of("")}
            self.loose += [
                replace(b, id=None)
                for b in blocks
                if b is not chosen and self._of(b.text) not in told
            ]

    def _find(self, missing: list[MemoryId]) -> list[MemoryId]:
        """Entries whose heading was damaged or lost, by their text, then by an id with a slip in it."""
        by_text: dict[str, list[MemoryId]] = {}
        for i in missing:
            by_text.setdefault(self.base[i].text, []).append(i)
        left = []
        for b in self.loose:
            if same := by_text.get(self._of(b.text)):
                self.out.present.add(same.pop())
            else:
                left.append(b)
        self.loose = left
        missing = [i for ids in by_text.values() for i in ids]
        return self._slips(missing)

    def _slips(self, missing: list[MemoryId]) -> list[MemoryId]:
        for b in [b for b in self.loose if b.token and len(b.token) >= 4]:
            close = max(missing, key=lambda i: _likeness(i, b.token), default="")
            if not close or _likeness(close, b.token) < _ALIKE:
                continue
            missing.remove(close)
            self.loose = [x for x in self.loose if x is not b]
            self.named[close] = replace(b, id=close, fault="")
        return missing

    def _retyped(self, missing: list[MemoryId]) -> list[MemoryId]:
        """Lines of the person's own that they saved before, and have changed since, without reading the file anew."""
        left = []
        for i in missing:
            text = self.added.get(i, "")
            near = [
                b
                for b in self.loose
                if text and not b.fault and _likeness(text, b.text) >= _SAME_LINE
            ]
            if near:
                block = max(near, key=lambda b: _likeness(text, b.text))
                self.loose = [b for b in self.loose if b is not block]
                self.named[i] = replace(block, id=i)
            else:
                left.append(i)
        return left

    # --- one entry ---

    def _one(self, memory_id: MemoryId, b: MirrorBlock) -> None:
        was, now = self.base.get(memory_id), self.stands.get(memory_id, MemoryStatus("gone"))
        wanted = b.kind
        if (
            wanted is not None
            and was is not None
            and now.where == "here"
            and wanted not in {was.kind, now.kind}
        ):
            self.out.kinds[memory_id] = wanted
        if not b.paragraphs:
            return  # a heading alone: its text is written again
        d = self._of(b.text)
        unedited = d == was.text if was is not None else self.seen(memory_id, d)
        if unedited:
            if now.where == "gone":
                self.out.dropped.append(memory_id)
            return
        if d in {now.text, now.original} and now.where == "here":
            return
        self.out.rewritten[memory_id] = d
        if now.where == "gone":
            self.out.unread += split_paragraphs(b.raw)
            self.out.dropped.append(memory_id)
        elif now.where == "here" and was is not None and now.original == was.original:
            self.out.edits.append(EditedEntry(memory_id, b.text, b))
        else:
            self.out.new.append(NewEntry(b.text, b.kind or _kind(now.kind), b, beside=memory_id))

    def _absent(self, missing: list[MemoryId]) -> None:
        missing = [i for i in missing if self.stands.get(i, MemoryStatus("gone")).where != "gone"]
        # A line saved before: taken out of the same buffer again, or never in this one, which is as
        # old: who knows.
        self.out.missing = [i for i in missing if i in self.added]
        missing = [i for i in missing if i not in self.added]
        if not missing:
            return
        broken = sum(
            1
            for b in self.loose
            if b.fault == "heading" and _FIGURES.search(b.raw.split("\n", 1)[0])
        )
        if broken >= len(missing):  # each of them may be one whose heading cannot be read any more
            self.out.present |= set(missing)
            return
        many = len(missing) > MANY or (len(missing) > 1 and len(missing) > SHARE * len(self.base))
        if many or broken or self.doc.empty:
            self.out.missing += missing
        else:
            self.out.deleted = missing


def _likeness(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b).ratio()


def _kind(name: str) -> Kind | None:
    kind = Kind(name) if name else None
    return None if kind is Kind.EPISODE else kind
