"""Find the languages: each is one folder beside this file, named by its ISO 639-1 code.

All that a language has is in its `language.toml`. It may have less than English has: what it lacks
is taken from English, and a pattern of all languages is made of those that have it. Nothing outside
a folder names its language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import memory.text
from memory.text.clean import PIECE, keep_ends

Lang: TypeAlias = str
_FIRST: Final = "en"  # the language that the others fall back to
_PLACE: Final = re.compile(r"\{([A-Z_]+)\}")


@dataclass(frozen=True)
class Language:
    """A language by its folder."""

    code: Lang
    folder: Path

    @cached_property
    def sections(self) -> Mapping[str, Mapping[str, Any]]:
        """Read the tables of `language.toml`, each pattern in one piece."""
        tables = tomllib.loads((self.folder / "language.toml").read_text(encoding="utf-8"))
        return {
            name: {key: _join(value, table) for key, value in table.items()}
            for name, table in tables.items()
        }

    @property
    def letters(self) -> str:
        """Return the letters of its script, as in a class of a regular expression."""
        return str(self.sections["language"]["LETTERS"])

    @property
    def spaced(self) -> bool:
        """Say whether it puts spaces between words."""
        return bool(self.sections["language"]["SPACED"])


def _join(value: Any, table: Mapping[str, Any]) -> Any:
    """Join the lines of a pattern, and put in the patterns that it names."""
    match value:
        case str():
            return _PLACE.sub(lambda m: _join(table[m[1]], table), value)
        case dict():
            return {key: _join(inner, table) for key, inner in value.items()}
        case [str(), *rest] if all(isinstance(line, str) for line in rest):
            return _join("|".join(value), table)
        case [list(), *_]:
            return [[x if isinstance(x, list) else _join(x, table) for x in row] for row in value]
    return value


def _find_languages() -> Mapping[Lang, Language]:
    files = [p for at in memory.text.__path__ for p in Path(at).glob("*/language.toml")]
    folders = {p.parent.name: p.parent for p in files}
    codes = sorted(folders, key=lambda code: (code != _FIRST, code))
    return {code: Language(code, folders[code]) for code in codes}


LANGUAGES: Final = _find_languages()


@cache
def values(module: str, name: str) -> dict[Lang, Any]:
    """Return what each language has by a name, if it has it."""
    return {
        code: language.sections[module][name]
        for code, language in LANGUAGES.items()
        if name in language.sections.get(module, {})
    }


def value(lang: Lang, module: str, name: str) -> Any:
    """Return what a language has by a name, else what English has."""
    found = values(module, name)
    return found[lang if lang in found else _FIRST]


def words_of(module: str, name: str) -> list[str]:
    """Return the words of all languages in a list by that name."""
    return [word for listed in values(module, name).values() for word in listed.split()]


def list_character_pairs(module: str, name: str) -> list[tuple[re.Pattern[str], str]]:
    """Compile the replacements of all languages: what is found, and what is put there."""
    return [
        (re.compile(p, re.IGNORECASE), form)
        for rows in values(module, name).values()
        for p, form in rows
    ]


def bounded(lang: Lang, pattern: str) -> str:
    """Make a pattern match whole words, in a language that puts spaces between them."""
    return rf"\b(?:{pattern})\b" if LANGUAGES[lang].spaced else pattern


def joined(module: str, name: str, spaced: str = "{}", unspaced: str = "{}") -> str:
    """Join the alternatives of all languages to one pattern.

    Args:
        module: a section of the folders.
        name: of a pattern in it.
        spaced: the form around that of a language that puts spaces between words.
        unspaced: the form around that of one that does not.
    """
    forms = {lang: spaced if LANGUAGES[lang].spaced else unspaced for lang in LANGUAGES}
    return "|".join(forms[lang].format(pattern) for lang, pattern in values(module, name).items())


@cache
def either(module: str, name: str, spaced: str = "{}", unspaced: str = "{}") -> re.Pattern[str]:
    """Compile `joined`, case ignored."""
    return re.compile(joined(module, name, spaced, unspaced), re.IGNORECASE)


def section(lang: Lang, name: str) -> SimpleNamespace:
    """Return the patterns of one section of a language by their names."""
    return SimpleNamespace(**LANGUAGES[lang].sections[name])


class Patterns:
    """The patterns of a section by their names, each compiled at first use, case ignored."""

    def __init__(self, lang: Lang, name: str) -> None:
        self._section = LANGUAGES[lang].sections[name]

    def __getattr__(self, name: str) -> re.Pattern[str]:
        pattern = re.compile(self._section[name], re.IGNORECASE)
        setattr(self, name, pattern)
        return pattern


_LETTERS: Final = {lang: re.compile(f"[{found.letters}]") for lang, found in LANGUAGES.items()}
_SMALL: Final = {
    lang: re.compile(found.sections["language"].get("SMALL", "(?!)"), re.IGNORECASE)
    for lang, found in LANGUAGES.items()
}


def detect_language(text: str, default: Lang = _FIRST) -> Lang:
    """Tell the language of a text by its letters and small words, not names.

    Returns the default for a text that has letters of no language.
    """
    text = keep_ends(text, PIECE)
    begins = {lang: m.start() for lang, letters in _LETTERS.items() if (m := letters.search(text))}
    if len(begins) < 2:
        return next(iter(begins), default)
    small = {lang: len(_SMALL[lang].findall(text)) for lang in begins}
    first = re.search(r"\w", text)
    unspaced = [lang for lang in begins if not LANGUAGES[lang].spaced]
    for lang in unspaced:  # names of the other script in it change nothing
        others = max(small[other] for other in begins if other != lang)
        if others <= small[lang] or (small[lang] and first and first.start() == begins[lang]):
            return lang
    return max((lang for lang in begins if lang not in unspaced), key=lambda lang: small[lang])


def count_function_words(text: str) -> int:
    """Count the words that sentences hang on; a name or a title alone has none."""
    text = keep_ends(text, PIECE)
    return sum(len(small.findall(text)) for small in _SMALL.values())
