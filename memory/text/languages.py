"""Find the languages: each is one folder beside this file, named by its ISO 639-1 code.

A folder may have less than English has: what it lacks is taken from English, and a pattern of all languages is made
of those that have it. Nothing outside a folder names its language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Final, TypeAlias

import memory.text
from memory.text.pieces import PIECE, keep_ends

Lang: TypeAlias = str
_FIRST: Final = "en"  # the language that the others fall back to
_CODE: Final = 2  # letters of a code


def _find_languages() -> Mapping[Lang, ModuleType]:
    """Import the language folders: English, then the others by their codes."""
    codes = [m.name for m in iter_modules(memory.text.__path__) if m.ispkg and len(m.name) == _CODE]
    return {code: import_module(f"memory.text.{code}") for code in sorted(codes, key=lambda c: (c != _FIRST, c))}


LANGUAGES: Final = _find_languages()


@cache
def module_of(lang: Lang, name: str) -> ModuleType | None:
    """Import a file of a language's folder; None where the folder lacks it."""
    path = f"memory.text.{lang}.{name}"
    return import_module(path) if lang in LANGUAGES and find_spec(path) else None


@cache
def values(module: str, name: str) -> dict[Lang, Any]:
    """Return what each language has by a name; a language that lacks it is left out."""
    found = {lang: getattr(module_of(lang, module), name, None) for lang in LANGUAGES}
    return {lang: value for lang, value in found.items() if value is not None}


def value(lang: Lang, module: str, name: str) -> Any:
    """Return what a language has by a name, else what English has."""
    found = values(module, name)
    return found.get(lang, found[_FIRST])


def bounded(lang: Lang, pattern: str) -> str:
    """Make a pattern match whole words, in a language that puts spaces between them."""
    return rf"\b(?:{pattern})\b" if LANGUAGES[lang].SPACED else pattern


def joined(module: str, name: str, spaced: str = "{}", unspaced: str = "{}") -> str:
    """Join the alternatives of all languages to one pattern.

    Args:
        module: a file of the folders.
        name: of regular expressions in it.
        spaced: the form around those of a language that puts spaces between words.
        unspaced: the form around those of one that does not.
    """
    forms = {lang: spaced if LANGUAGES[lang].SPACED else unspaced for lang in LANGUAGES}
    return "|".join(forms[lang].format(pattern) for lang, pattern in values(module, name).items())


@cache
def either(module: str, name: str, spaced: str = "{}", unspaced: str = "{}") -> re.Pattern[str]:
    """Compile `joined`, case ignored."""
    return re.compile(joined(module, name, spaced, unspaced), re.IGNORECASE)


_LETTERS: Final = {lang: re.compile(f"[{found.LETTERS}]") for lang, found in LANGUAGES.items()}
_SMALL: Final = {lang: re.compile(found.SMALL, re.IGNORECASE) for lang, found in LANGUAGES.items()}


def language_of(text: str, default: Lang = _FIRST) -> Lang:
    """Tell the language of a text by its letters and small words, whatever names are in it.

    Returns the default for a text that has letters of no language.
    """
    text = keep_ends(text, PIECE)
    begins = {lang: m.start() for lang, letters in _LETTERS.items() if (m := letters.search(text))}
    if len(begins) < 2:
        return next(iter(begins), default)
    small = {lang: len(_SMALL[lang].findall(text)) for lang in begins}
    first = re.search(r"\w", text)
    unspaced = [lang for lang in begins if not LANGUAGES[lang].SPACED]
    for lang in unspaced:  # names of the other script in it change nothing
        others = max(small[other] for other in begins if other != lang)
        if others <= small[lang] or (small[lang] and first and first.start() == begins[lang]):
            return lang
    return max((lang for lang in begins if lang not in unspaced), key=lambda lang: small[lang])


def small_words(text: str) -> int:
    """Count the words that sentences hang on; a name or a title alone has none."""
    text = keep_ends(text, PIECE)
    return sum(len(small.findall(text)) for small in _SMALL.values())
