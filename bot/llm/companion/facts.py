"""What the rules make of a statement: a fact with a slot, so that a correction finds what it corrects."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.llm.companion.text import CJK, key, meant, word_set, words
from memory.models import Importance, Kind, Lang
from memory.text.dates import When

# Slots that hold one value at a time: a new one takes the place of the old.
SINGLE = word_set(
    "name nickname age birthday home address origin nationality job employer school study marital email phone "
    "native gender height weight sleep_time wake_time"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a user stated.

    `slot` says what sort of thing it is about (`name`, `like`, `favourite:colour`, `relation:sister`, `event`);
    `value` the thing itself, as written. `holds` is False for what is denied. Two facts meet where slot and key
    agree; where the slot is single, the slot alone decides.
    """

    text: str
    lang: Lang
    slot: str
    value: str = ""
    kind: Kind = Kind.FACT
    importance: Importance = Importance.MEDIUM
    holds: bool = True
    single: bool = False
    entities: tuple[str, ...] = ()
    when: When | None = None
    due: bool = False  # `when` is when it is due
    sensitivity: int = 0
    corrects: bool = False  # said as a correction: "actually …", 其实……
    instead_of: str = ""  # what it takes the place of, if that was said
    again: bool = False  # said to be still so
    ended: bool = False  # was so, and is no longer
    verb: str = ""
    topics: tuple[str, ...] = field(default=(), compare=False)

    @property
    def one(self) -> bool:
        """Whether only one value at a time can hold."""
        return self.single or self.slot in SINGLE or self.slot.startswith("favourite:")

    @property
    def key(self) -> str:
        """What the value is compared by."""
        return key(self.value)

    @property
    def family(self) -> str:
        """The slot without its particulars."""
        return self.slot.split(":", 1)[0]


def same_thing(a: Fact, b: Fact) -> bool:
    """Whether both are about the very same thing, whatever they say of it."""
    if a.slot != b.slot:
        return a.family == b.family == "relation" and a.key == b.key != "" and _kin(a) == _kin(b)
    if a.key == b.key:
        return True
    if a.family in {"event", "goal", "todo", "decision", "fact", "habit"} and a.lang == b.lang:
        return overlap(a.value, b.value) >= (0.99 if a.family == "event" else 0.7)
    return False


def _kin(f: Fact) -> str:
    return f.slot.split(":")[1].split(" ")[-1] if ":" in f.slot else ""


def overlap(a: str, b: str) -> float:
    """How much of the shorter one's words the other has."""
    left, right = (words(a), words(b)) if bool(CJK.search(a)) == bool(CJK.search(b)) else (meant(a), meant(b))
    return len(left & right) / min(len(left), len(right)) if left and right else 0.0
