"""Every prompt of Ebb, as text files: `load(name, lang).render(**vars)`.

One file per prompt and language, `<name>.<lang>.md`, Jinja2 with StrictUndefined: a missing
variable is an error and not a hole in a prompt. A line that reads `{# user #}` parts a file into a
system message, which stays the same from call to call, and a user message with the data
(`Prompt.messages`).

What people, memories and files say is data. Templates put it between tags of ours, through one of
two filters: `data` takes the meaning from whatever looks like one of those tags, and `line` also
makes it a single line, for lists in which a line break would begin another item.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final, TypeAlias

import jinja2
import jinja2.meta

Lang: TypeAlias = str
_FOLDER: Final = resources.files(__name__)
_FILES: Final = [p.name.split(".") for p in _FOLDER.iterdir() if p.name.endswith(".md")]
LANGS: Final[tuple[Lang, ...]] = tuple(sorted({name[1] for name in _FILES}))
PROMPTS: Final = tuple(sorted({name[0] for name in _FILES}))
"""Names that `load` knows."""

TAGS: frozenset[str] = frozenset(
    {
        "recalled",
        "failed",
        "line",
        "memories",
        "reference",
        "exchange",
        "transcript",
        "said",
        "profile",
        "episode",
        "so_far",
        "memory",
        "found",
        "rules",
    }
)
"""The delimiter tags of the templates, all of them; a test holds the templates to it."""

_USER = re.compile(r"^\{#\s*user\s*#\}[ \t]*\n", re.MULTILINE)
_TAG = re.compile(
    r"<[\s/\\!?]*(?:"
    + "|".join(sorted(TAGS, key=len, reverse=True))
    + r")(?![\w])[^<>]*>?|<\|[^|<>]{1,40}\|>"
)
# whatever `_fold` turns into the beginning of a tag
_MAYBE = re.compile(r"[<＜﹤〈‹⟨\u2329\ufe3f]")
_BRACKETS = {"<": "‹", ">": "›"}
_LOOKALIKES = str.maketrans(
    {"〈": "<", "〉": ">", "‹": "<", "›": ">", "⟨": "<", "⟩": ">", "＿": "_", "⁄": "/", "∕": "/"}
)


def _fold(text: str) -> tuple[str, list[int]]:
    """Return the text as a careless reader sees it, and where its characters stand.

    Full-width forms become plain, letters small, and what has no width of its own is left out.
    """
    out: list[str] = []
    where: list[int] = []
    for i, ch in enumerate(text):
        if unicodedata.category(ch) in {"Cf", "Mn", "Me"}:
            continue
        for c in unicodedata.normalize("NFKC", ch).lower().translate(_LOOKALIKES):
            out.append(c)
            where.append(i)
    return "".join(out), where


def data(text: object) -> str:
    """Make harmless whatever could pass for one of our delimiter tags, in any case or width.

    Only the brackets of such a tag change (to ‹ and ›), so that the words can still be read and
    quoted.
    """
    plain = str(text)
    if not _MAYBE.search(plain):  # nearly every text, and folding one is slow
        return plain
    folded, where = _fold(plain)
    chars = list(plain)
    for m in _TAG.finditer(folded):
        for k in range(m.start(), m.end()):
            if folded[k] in _BRACKETS:
                chars[where[k]] = _BRACKETS[folded[k]]
    return "".join(chars)


def line(text: object) -> str:
    """Return `data` on a single line.

    Every run of white space and control characters becomes one space.
    """
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", data(text)).strip()


@cache
def _phrases() -> dict[Lang, Sequence[str]]:
    return tomllib.loads(_FOLDER.joinpath("phrases.toml").read_text(encoding="utf-8"))


def phrase(level: int, lang: Lang) -> str:
    """Return how a memory of a level (0 FULL … 4 ARCHIVE) is spoken of; "" for FULL."""
    return _phrases().get(lang, _phrases()["en"])[level]


@cache
def _environment() -> jinja2.Environment:
    # Prompts are no HTML; the filters below do what escaping would.
    env = jinja2.Environment(  # noqa: S701
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    env.filters["data"] = data
    env.filters["line"] = line
    return env


@dataclass(frozen=True)
class Prompt:
    """One prompt in one language."""

    name: str
    lang: Lang
    source: str

    @cached_property
    def _parts(self) -> tuple[jinja2.Template, ...]:
        # The source is parted before rendering: no data can forge the border between the messages.
        return tuple(_environment().from_string(part) for part in _USER.split(self.source))

    @property
    def variables(self) -> frozenset[str]:
        """Names that `render` must be given."""
        return frozenset(jinja2.meta.find_undeclared_variables(_environment().parse(self.source)))

    def render(self, **variables: Any) -> str:
        """Return the whole text, without blank lines around it.

        Raises jinja2.UndefinedError for a missing variable.
        """
        return "\n\n".join(part.render(**variables).strip() for part in self._parts)

    def messages(self, **variables: Any) -> list[dict[str, str]]:
        """Return the text as messages.

        The system part, then the user part where the file has one.
        """
        roles = ("system", "user")
        return [
            {"role": role, "content": part.render(**variables).strip()}
            for role, part in zip(roles, self._parts, strict=False)
        ]


@cache
def load(name: str, lang: Lang) -> Prompt:
    """Load a prompt, in English where there is none of the language.

    Raises KeyError for a name not in PROMPTS.
    """
    if name not in PROMPTS:
        raise KeyError(f"no prompt {name}.{lang}")
    lang = lang if lang in LANGS else "en"
    source = _FOLDER.joinpath(f"{name}.{lang}.md").read_text(encoding="utf-8")
    return Prompt(name, lang, source)
