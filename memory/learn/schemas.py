"""What models answer and what jobs carry, as pydantic models: one for every task.

Models write what they like beside a schema: null as a word, an id in brackets, a kind in Chinese.
What can be meant in one way only is put right here; an entry that cannot be read is left out, an
answer without any is not valid. Imported when the first of them is read (`answer.Tools.read`, job
handlers), since defining them takes long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from memory.learn.cited_words import Citation
from memory.models import KINDS, Importance, JobKind, Kind, Sensitivity
from memory.ports import Task
from memory.text.languages import values

T = TypeVar("T")

_KINDS: Final[dict[str, Kind]] = {
    **{k.value: k for k in Kind if k is not Kind.EPISODE},
    **{label.casefold(): k for k, i in KINDS.items() for label in (i.en, i.zh)},
    **{word: Kind(k) for t in values("answers", "KINDS").values() for word, k in t.items()},
}
del _KINDS[KINDS[Kind.EPISODE].en.casefold()], _KINDS[KINDS[Kind.EPISODE].zh]
_IMPORTANCE: Final = {i.value: i for i in Importance} | {
    word: i
    for words in values("answers", "IMPORTANCE").values()
    for word, i in zip(words.split(), Importance, strict=True)
}
_SENSITIVITY: Final = {s.name.casefold(): s for s in Sensitivity} | {
    str(int(s)): s for s in Sensitivity
}
_REPEATS: Final = re.compile(
    r"yearly|monthly|weekly|daily|lunar|every \d{1,3} (?:day|week|month|year)s?"
)
_DECISIONS: Final = {w: d for t in values("answers", "DECISIONS").values() for w, d in t.items()}


def _text(value: Any) -> str:
    """Join a list, write a number, and take null for nothing."""
    if isinstance(value, list):
        return ",".join(str(v) for v in value if isinstance(v, str | int | float))
    if (
        isinstance(value, bool | dict)
        or value is None
        or str(value).strip().casefold() in {"null", "none"}
    ):
        return ""
    return str(value).strip()


def _names(value: Any) -> tuple[str, ...]:
    """Part names at commas of any sort: each once, at most 12."""
    names = (n.strip().strip("\"'“”") for n in re.split(r"[,，、;；|]", _text(value)))
    return tuple(dict.fromkeys(n for n in names if 0 < len(n) <= 80))[:12]


def _id(value: Any) -> str:
    return _text(value[0] if isinstance(value, list) and value else value).strip(" []【】").lower()


def _share(value: Any) -> float | None:
    try:
        share = float(_text(value))
    except ValueError:
        return None
    return share if 0.0 <= share <= 1.0 else None


def _cited(value: Any) -> list[Any]:
    """Read messages by number alone, with words behind a colon, or as objects."""
    out: list[Any] = []
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            parts = (line.partition(":") for line in one.splitlines())
            out += [{"n": int(n), "words": words} for n, _, words in parts if n.isdecimal()]
        elif isinstance(one, int) and not isinstance(one, bool):
            out.append({"n": one})
        elif isinstance(one, dict):
            out.append({**one, "words": _text(one.get("words"))})
    return [o for o in out if isinstance(o.get("n"), int) and o["n"] > 0]


def _keep_readable(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """Leave out entries that cannot be read, unless none can."""
    try:
        return read(value)
    except ValidationError as e:
        bad = {error["loc"][0] for error in e.errors() if error["loc"]}
        kept = [v for i, v in enumerate(value) if i not in bad] if isinstance(value, list) else []
        if not kept:
            raise
        return read(kept)


def _known(table: Mapping[str, Any]) -> BeforeValidator:
    """Look a word up, whatever its case; None for one that the table does not have."""
    return BeforeValidator(lambda value: table.get(_text(value).casefold()))


Several = Annotated[list[T], WrapValidator(_keep_readable)]
Word = Annotated[str, BeforeValidator(_text)]
Id = Annotated[str, BeforeValidator(_id)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
KindName = Annotated[Kind | None, _known(_KINDS)]


class Record(BaseModel):
    """Something that was read; what it does not know is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Answer(Record):
    """The answer to one task.

    A list of objects stands for its only field, or for the first object in it.
    """

    prose: ClassVar[str] = ""  # the field that an answer without any JSON fills

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        name, *more = cls.model_fields
        return (value[0] if value else {}) if more else {name: value}


# --- learning ---


class Entry(Record):
    """Something to remember in a model's words: an extracted entry, or a line of the monitor."""

    content: Sentence
    kind: KindName = Field(None, validation_alias=AliasChoices("kind", "category"))
    importance: Annotated[Importance | None, _known(_IMPORTANCE)] = None
    expires: Word = Field("", validation_alias=AliasChoices("due", "expires_at", "expires"))
    since: Word = Field("", validation_alias=AliasChoices("from", "since", "valid_from"))
    until: Word = Field("", validation_alias=AliasChoices("until", "valid_until"))
    on: Word = ""
    repeats: Annotated[
        str, BeforeValidator(lambda v: w if _REPEATS.fullmatch(w := _text(v).casefold()) else "")
    ] = ""
    dead: Word = ""
    entities: Names = ()
    sensitivity: Annotated[
        Sensitivity, BeforeValidator(lambda v: _SENSITIVITY.get(_text(v).casefold(), 0))
    ] = Sensitivity.PUBLIC
    confidence: Annotated[float | None, BeforeValidator(_share)] = Field(
        None, validation_alias=AliasChoices("certainty", "confidence")
    )
    slot: Annotated[str, BeforeValidator(lambda v: _text(v).casefold())] = ""
    quote: Annotated[bool, BeforeValidator(lambda v: v is True or _text(v) == "yes")] = False
    said: Annotated[tuple[Citation, ...], BeforeValidator(_cited)] = ()


class ExtractedEntry(Entry):
    """An entry of the extraction, beside the memory that it contradicts."""

    contradicts: Id = ""
    denied: Annotated[bool, BeforeValidator(lambda v: v is True)] = False


class Extraction(Answer):
    """What a finished stretch of conversation leaves."""

    memories: Several[ExtractedEntry]


class Summary(Answer):
    """One line on a span of conversation, and the running summary with it."""

    prose: ClassVar[str] = "episode"

    episode: Word = ""
    summary: Word = ""

    @model_validator(mode="after")
    def _says_something(self) -> Summary:
        if not (self.episode or self.summary):
            raise ValueError("episode and summary are empty")
        return self


# --- the night ---


class Review(Answer):
    """What becomes of a memory; for a search, the words to look for."""

    thoughts: Word = ""
    decision: Annotated[
        Literal["promote", "keep", "delete", "search"],
        BeforeValidator(lambda v: _DECISIONS.get(w := _text(v).strip("[]【】").lower(), w)),
    ]
    words: Word = ""

    @model_validator(mode="after")
    def _searches_for_words(self) -> Review:
        if self.decision == "search" and not self.words:
            raise ValueError("words to search for are missing")
        return self


class LevelText(Record):
    """A memory in the words of its level."""

    id: Id
    text: str


class LevelTexts(Answer):
    """The texts of several memories, each under its id."""

    texts: Several[LevelText]


class Merged(Answer):
    """The one sentence in place of several, or that they stay apart."""

    prose: ClassVar[str] = "text"

    separate: Annotated[bool, BeforeValidator(lambda v: v is True)] = False
    text: Word = ""


class PairVerdict(Record):
    """What became of one pair, by its number; since when, where it changed."""

    n: int
    verdict: Literal["same", "changed", "depends", "unsure"]
    since: Word = ""


class PairVerdicts(Answer):
    """The pairs that are not simply both true."""

    pairs: Several[PairVerdict]


class Conclusion(Record):
    """What follows from several memories."""

    content: Sentence
    kind: KindName = None
    grounds: Several[Id] = Field(validation_alias=AliasChoices("from", "grounds"))


class Conclusions(Answer):
    """What a model concludes."""

    conclusions: Several[Conclusion]


ANSWERS: Final[Mapping[Task, type[Answer]]] = {
    "extract": Extraction,
    "summarise": Summary,
    "review": Review,
    "level": LevelTexts,
    "merge": Merged,
    "contradict": PairVerdicts,
    "derive": Conclusions,
}
"""What each task answers. The monitor writes lines (`lines.read`), each of them an `Entry`."""


# --- jobs ---


class MonitorJob(Record):
    """Turns to learn from."""

    turn_ids: list[str] = []


class SpanJob(Record):
    """A stretch of a session, by the numbers of its messages: after the one, through the other."""

    session_id: str
    after: int = 0
    through: int
    rebuild: bool = False


class QuotesJob(Record):
    """The place up to which quotations are to be read."""

    through: int


class EmbedJob(Record):
    """Memories without a vector: these, or all of them of an embedder; or documents without."""

    memory_ids: list[str] = []
    documents: bool = False
    all: bool = False
    embedder: str | None = None


class CurveJob(Record):
    """The curve to move to, the one before, and since when (ms)."""

    curve: str
    was: str
    since: int


PAYLOADS: Final[Mapping[JobKind, type[Record]]] = {
    "monitor": MonitorJob,
    "extract": SpanJob,
    "summarise": SpanJob,
    "quotes": QuotesJob,
    "embed": EmbedJob,
    "curve": CurveJob,
}
