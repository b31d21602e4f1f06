"""The words of the command line: verbs and arguments, explained in the person's language.

A verb is a function with `@verb(NAME, ARGUMENT, …)`. What it and its arguments are for stands in
the texts' table `arguments`, by name. argparse takes its own words through gettext: from the table
`argparse`, by its English ones.
"""

from __future__ import annotations

import argparse
import errno
import gettext
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from bot.texts import Texts
from memory.models import Lang

explained = Texts("arguments")
_files = Texts("memory")
Run = TypeVar("Run", bound=Callable[..., object])


class Argument(NamedTuple):
    """One argument as `add_argument` takes it; those that are `apart` exclude each other."""

    names: tuple[str, ...]
    options: Mapping[str, Any]
    apart: bool


class Verb(NamedTuple):
    """A verb of `ebb memory`. One that is `bare` is given the settings, any other an opened Ebb."""

    run: Callable[..., Any]
    arguments: tuple[Argument, ...]
    bare: bool


VERBS: Final[dict[str, Verb]] = {}


def argument(*names: str, apart: bool = False, **options: Any) -> Argument:
    """Describe an argument of a verb."""
    return Argument(names, options, apart)


def flag(name: str, *, apart: bool = False) -> Argument:
    """Describe an argument that is given or not."""
    return argument(name, apart=apart, action="store_true")


def verb(name: str, *arguments: Argument, bare: bool = False) -> Callable[[Run], Run]:
    """Register a function as a verb of `ebb memory`."""

    def register(run: Run) -> Run:
        VERBS[name] = Verb(run, arguments, bare)
        return run

    return register


class Translations(gettext.NullTranslations):
    """argparse's own words in one language, by the English ones."""

    def __init__(self, lang: Lang) -> None:
        super().__init__()
        self._texts = Texts("argparse").all(lang)

    def gettext(self, message: str) -> str:
        """Translate one message; one that is not known stays as it is."""
        return self._texts.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Translate the message for one or for several."""
        return self.gettext(msgid1 if n == 1 else msgid2)


class BilingualParser(argparse.ArgumentParser):
    """argparse whose errors are one sentence; its subcommands' parsers are of the same kind."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how the help is shown. Exits with 2."""
        form = vars(argparse)["_"]("%(prog)s: error: %(message)s\n")
        self.exit(2, form % {"prog": self.prog, "message": message})


def make_parser(
    prog: str, lang: Lang, *arguments: Argument, texts: Texts = explained
) -> BilingualParser:
    """Make a parser that speaks a language; argparse does from then on."""
    words = Translations(lang)
    vars(argparse).update(_=words.gettext, ngettext=words.ngettext)
    return _fill(BilingualParser(prog=prog), arguments, lang, texts)


def memory_parser(lang: Lang) -> BilingualParser:
    """Make the parser of `ebb memory` with every verb that is registered."""
    parser = make_parser("ebb memory", lang)
    sub = parser.add_subparsers(dest="verb", required=True, metavar=explained(lang, "verb"))
    for name, one in VERBS.items():
        _fill(sub.add_parser(name, help=explained(lang, name)), one.arguments, lang, explained)
    return parser


def _fill(
    parser: BilingualParser, arguments: tuple[Argument, ...], lang: Lang, texts: Texts
) -> BilingualParser:
    """Add arguments with their help. Raises KeyError where there is none."""
    name = parser.prog.rpartition(" ")[2]
    parser.description = texts(lang, name)
    exclusive = parser.add_mutually_exclusive_group() if any(a.apart for a in arguments) else parser
    for a in arguments:
        action = (exclusive if a.apart else parser).add_argument(*a.names, **a.options)
        key = f"{name}.{action.dest}"
        action.help = texts(lang, key if key in texts else action.dest)
    return parser


def parse_natural(text: str) -> int:
    """Read a whole number from 0 on. Raises ValueError."""
    n = int(text)
    if n < 0:
        raise ValueError(text)
    return n


def parse_positive(text: str) -> int:
    """Read a whole number from 1 on. Raises ValueError."""
    if (n := parse_natural(text)) == 0:
        raise ValueError(text)
    return n


def read_id(text: str) -> str:
    """Read a memory's id, with or without the brackets around it."""
    return text.strip("[]").lower()


def describe_os_error(e: OSError, path: str, lang: Lang) -> str:
    """Say in one sentence why a file cannot be read or written."""
    key = f"file.{errno.errorcode.get(e.errno or 0)}"
    why = _files(lang, key) if key in _files else e.strerror or str(e)
    return _files(lang, "file", path=path, why=why)


ID: Final = argument("id", type=read_id)
WORDS: Final = argument("words", nargs="+")
