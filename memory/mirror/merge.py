"""The three-way merge: what a person's edits of MEMORY.md ask for. Pure.

Three texts meet: the file as it was when the person's editor read it (the base), the file as it is,
and the memories as they are. What a person deleted goes, whatever became of it meanwhile; what they
rewrote is an edit; where both sides rewrote it, the program's stays and the person's words become a
memory beside it. Nothing that was forgotten comes back by being still in some editor's buffer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cache
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from memory.mirror.page import MirrorBlock, MirrorDocument, split_paragraphs, strip_marks
from memory.models import Kind, MemoryId, MirrorDigest

Where: TypeAlias = Literal["here", "replaced", "gone"]
MANY: Final = 10
SHARE: Final = 0.2
_SAME_ID: Final = 0.75  # alike, of an id with a slip in it
_SAME_LINE: Final = 0.6  # of a line that was typed and corrected
_COMPARED: Final = 100  # new lines that are compared letter by letter (by hand)
_STRUCK: Final = re.compile(r"~~(.+)~~")  # to say that it is wrong
_FIGURES: Final = re.compile(r"\d{4}-\d{2}-\d{2}|\d\.\d\d")  # a heading that was one of ours


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """What became of a memory: `here` in the file's parts, `replaced` by another one, or `gone`."""

    where: Where
    text: str = ""  # digests, as in Shown
    original: str = ""
    kind: str = ""


_GONE: Final = MemoryStatus("gone")


@dataclass(slots=True)
class MergePlan:
    """What is to be done with which blocks and entries."""

    edits: list[MirrorBlock] = field(default_factory=list)  # their words become the original
    kinds: dict[MemoryId, Kind] = field(default_factory=dict)
    deleted: list[MemoryId] = field(default_factory=list)
    missing: list[MemoryId] = field(default_factory=list)  # too many to be sure: ask
    new: list[MirrorBlock] = field(default_factory=list)  # one with an id was rewritten by both
    unread: list[str] = field(default_factory=list)  # pieces for the Unread part
    dropped: list[MemoryId] = field(default_factory=list)  # forgotten meanwhile, and saved back
    present: set[MemoryId] = field(default_factory=set)  # in the file still, however damaged
    rewritten: dict[MemoryId, str] = field(default_factory=dict)  # digest of the file's text

    @property
    def acts(self) -> bool:
        """Tell whether any memory is to be changed."""
        return bool(self.edits or self.kinds or self.deleted or self.new)


def plan(
    doc: MirrorDocument,
    base: Mapping[MemoryId, MirrorDigest],
    stands: Mapping[MemoryId, MemoryStatus],
    seen: Callable[[MemoryId, str], bool],
    digest: Callable[[str], str],
    added: Mapping[MemoryId, str] = MappingProxyType({}),
    words: Callable[[MemoryId], str] = lambda _: "",
    others: Container[MemoryId] = (),
    *,
    whole: bool = True,
) -> MergePlan:
    """Compare a file with its base and with the memories.

    Args:
        doc: the file as it is.
        base: what it showed; empty for a file of unknown origin, from which nothing can be missing.
        stands: every id of the base and of the file that was ever known here.
        seen: whether some version of the file showed that memory with the text of that digest.
        digest: makes the digest of a text.
        added: entries of the base that came with an earlier save of it, and their texts.
        words: the original of a memory as it is now.
        others: entries that another file shows.
        whole: what is missing is to be deleted; not so in MEMORY.more.md.
    """
    plain = cache(lambda i: strip_marks(words(i)))
    merge = _Merge(doc, base, stands, seen, cache(digest), added, plain)
    merge.name_blocks()
    gone = base.keys() - merge.named.keys() - doc.held
    missing = [i for i in base if i in gone and i not in others]
    missing = merge.find_renamed(merge.find_unchanged(missing))
    empty = merge.find_empty()
    for memory_id, block in merge.named.items():
        merge.compare(memory_id, block)
    merge.out.present |= merge.named.keys() | doc.held
    merge.judge_missing([*empty, *missing] if whole else empty)
    merge.out.unread += [raw for b in merge.loose if b.fault for raw in split_paragraphs(b.raw)]
    merge.out.unread += [raw for stray in doc.strays for raw in split_paragraphs(stray)]
    merge.out.new += [b for b in merge.loose if not b.fault]
    return merge.out


@dataclass(slots=True)
class _Merge:
    """The plan while it is made: blocks by the entry they are, and `loose` ones that are none."""

    doc: MirrorDocument
    base: Mapping[MemoryId, MirrorDigest]
    stands: Mapping[MemoryId, MemoryStatus]
    seen: Callable[[MemoryId, str], bool]
    digest: Callable[[str], str]
    added: Mapping[MemoryId, str]
    plain: Callable[[MemoryId], str]  # the original as it is now, without marks
    out: MergePlan = field(default_factory=MergePlan)
    named: dict[MemoryId, MirrorBlock] = field(default_factory=dict)
    loose: list[MirrorBlock] = field(default_factory=list)

    def name_blocks(self) -> None:
        """Choose one block for each id: words decide over ids that were mixed up.

        A copy of an entry that somebody rewrote is a new one.
        """
        several: dict[MemoryId, list[MirrorBlock]] = {}
        for b in self.doc.blocks:
            if b.id is not None and (b.id in self.base or b.id in self.stands):
                several.setdefault(b.id, []).append(b)
            else:
                self.loose.append(replace(b, id=None))
        for i, blocks in several.items():
            own = {s.text for s in (self.base.get(i), self.stands.get(i)) if s is not None}
            chosen = next((b for b in blocks if self.digest(b.text) in own), blocks[0])
            self.named[i] = chosen
            self.loose += [replace(b, id=None) for b in blocks if b.text not in {chosen.text, ""}]
        self._swap_back()

    def _swap_back(self) -> None:
        """Give a block the id of the entry whose words it has, where its own has others."""
        wrong = {
            i: b
            for i, b in self.named.items()
            if i in self.base and b.paragraphs and self.digest(b.text) != self.base[i].text
        }
        left = {s.text: i for i, s in self.base.items() if i in wrong or i not in self.named}
        for i, b in wrong.items():
            if (other := left.get(self.digest(b.text))) is not None:
                if self.named[i] is b:
                    del self.named[i]
                self.named[other] = replace(b, id=other, kind=None)

    def find_unchanged(self, missing: Iterable[MemoryId]) -> list[MemoryId]:
        """Find entries whose figures were damaged or lost by their text; return the others."""
        by_text: dict[str, list[MemoryId]] = {}
        for i in missing:
            by_text.setdefault(self.base[i].text, []).append(i)
        self._take_alike(by_text, lambda b: self.digest(b.text))
        left = [i for ids in by_text.values() for i in ids]
        if left and self.loose:
            by_text = {}
            for i in left:
                by_text.setdefault(self.plain(i), []).append(i)
            by_text.pop("", None)
            self._take_alike(by_text, lambda b: strip_marks(b.text))
            self._find_torn(by_text)
        return [i for i in left if i not in self.out.present]

    def _take_alike(
        self, by_text: Mapping[str, list[MemoryId]], read: Callable[[MirrorBlock], str]
    ) -> None:
        loose, self.loose = self.loose, []
        for b in loose:
            if same := by_text.get(read(b)):
                self.out.present.add(same.pop())
            else:
                self.loose.append(b)

    def _find_torn(self, by_text: Mapping[str, list[MemoryId]]) -> None:
        """Find the entry in whose middle the file ends."""
        last = self.loose[-1] if self.loose else None
        if not self.doc.torn or last is None or last.lines != self.doc.blocks[-1].lines:
            return
        begun = [ids[0] for text, ids in by_text.items() if ids and self._is_begun(text, last)]
        if begun:
            self.out.present.add(begun[0])
            self.loose.pop()

    def _is_begun(self, text: str, b: MirrorBlock) -> bool:
        begun = strip_marks(b.text.split("<!")[0])
        return bool(begun) and text.startswith(begun)

    def find_empty(self) -> list[MemoryId]:
        """Find entries whose words were deleted, or struck through; return them."""
        shown = ((i, b) for i, b in self.named.items() if i in self.base and i not in self.doc.held)
        empty = [i for i, b in shown if self._is_empty(i, b)]
        for i in empty:
            del self.named[i]
        return empty

    def _is_empty(self, i: MemoryId, b: MirrorBlock) -> bool:
        struck = _STRUCK.fullmatch(b.text)
        return not b.paragraphs or bool(struck and strip_marks(struck[1]) == self.plain(i))

    def find_renamed(self, missing: Iterable[MemoryId]) -> list[MemoryId]:
        """Find entries by an almost correct id, or by an almost unchanged line.

        Whoever does not read the file anew after a save goes on with lines that have no id yet.
        """
        left = []
        for i in missing:
            block = max(self.loose, key=lambda b: self._likeness(i, b), default=None)
            if block is None or self._likeness(i, block) < 1:
                left.append(i)
                continue
            self.loose = [b for b in self.loose if b is not block]
            self.named[i] = replace(block, id=i, fault="")
        return left

    def _likeness(self, i: MemoryId, b: MirrorBlock) -> float:
        by_id = _ratio(i, b.token) / _SAME_ID if len(b.token) >= 4 else 0.0
        text = "" if b.fault or len(self.loose) > _COMPARED else self.added.get(i, "")
        return max(by_id, _ratio(text, b.text) / _SAME_LINE if text else 0.0)

    def compare(self, memory_id: MemoryId, b: MirrorBlock) -> None:
        """Decide what one entry of the file asks for."""
        was, now = self.base.get(memory_id), self.stands.get(memory_id, _GONE)
        if b.kind and was and now.where == "here" and b.kind not in {was.kind, now.kind}:
            self.out.kinds[memory_id] = b.kind
        if not b.paragraphs:
            return  # a heading alone: its text is written again
        d = self.digest(b.text)
        if d == was.text if was is not None else self.seen(memory_id, d):
            if now.where == "gone":
                self.out.dropped.append(memory_id)
            return
        if d in {now.text, now.original} and now.where == "here":
            return
        text = strip_marks(b.text)
        torn = (
            self.doc.torn and b is self.doc.blocks[-1] and self._is_begun(self.plain(memory_id), b)
        )
        if now.where == "here" and (text == self.plain(memory_id) or torn):
            return  # no new wording
        self.out.rewritten[memory_id] = d
        if now.where == "gone":
            self.out.unread += split_paragraphs(b.raw)
            self.out.dropped.append(memory_id)
        elif now.where == "here" and was is not None and now.original == was.original:
            self.out.edits.append(b)
        else:
            kind = b.kind or (Kind(now.kind) if now.kind else None)
            self.out.new.append(replace(b, kind=kind))

    def judge_missing(self, missing: Iterable[MemoryId]) -> None:
        """Delete what is missing, or ask where it is much or may have another reason."""
        missing = [i for i in missing if self.stands.get(i, _GONE).where != "gone"]
        # A line saved before: taken out of the same buffer again, or never in this one, which is as
        # old: who knows.
        self.out.missing = [i for i in missing if i in self.added]
        missing = [i for i in missing if i not in self.added]
        bare = sum(b.id is None and not b.token for b in self.doc.blocks) - len(self.loose)
        if bare > len(self.named):  # most comments are gone: so may be what they belonged to
            self.out.present |= set(missing)
            return
        broken = sum(
            b.fault == "heading" and _FIGURES.search(b.raw.split("\n", 1)[0]) is not None
            for b in self.loose
        )
        if broken >= len(missing):  # each of them may be one whose heading cannot be read any more
            self.out.present |= set(missing)
            return
        many = len(missing) > MANY or (len(missing) > 1 and len(missing) > SHARE * len(self.base))
        if many or broken or self.doc.empty:
            self.out.missing += missing
        else:
            self.out.deleted = missing


def _ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b).ratio()
