"""The command line's own words: help and errors in the person's language, an error being one sentence."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from bot.texts import Texts
from memory.models import Lang

say = Texts(
    {
        "usage": ("usage: ", "用法："),
        "positional": ("what it takes", "参数"),
        "optional": ("options", "选项"),
        "help": ("show this help", "显示这份说明"),
        "more": ("{why} `{prog} --help` shows what it takes.", "{why}`{prog} --help` 会列出用法。"),
        "choice": ("“{value}” is none of: {choices}.", "“{value}”不在可选范围内：{choices}。"),
        "required": ("{names} is missing.", "还缺少：{names}。"),
        "number": ("“{value}” is no number that can be used here.", "“{value}”不是这里能用的数字。"),
        "unknown": ("Nobody knows what “{value}” is.", "看不懂“{value}”。"),
        "value": ("{name} needs a value after it.", "{name} 后面要有一个值。"),
        "together": ("{name} and {other} exclude each other.", "{name} 和 {other} 不能同时使用。"),
        "other": ("{message}.", "{message}。"),
    }
)
_SAID: Final = tuple(
    (key, re.compile(pattern, re.S))
    for key, pattern in (
        ("choice", r"(?:argument [^:]+: )?invalid choice: '(?P<value>.*?)' \(choose from (?P<choices>.*)\)"),
        ("required", r"the following arguments are required: (?P<names>.*)"),
        ("number", r"argument [^:]+: invalid \w+ value: '(?P<value>.*)'"),
        ("unknown", r"unrecognized arguments: (?P<value>.*)"),
        ("value", r"argument (?P<name>[^:]+): expected .*argument.*"),
        ("together", r"argument (?P<name>[^:]+): not allowed with argument (?P<other>.*)"),
    )
)


class Parser(argparse.ArgumentParser):
    """argparse in two languages. Parsers of subcommands are of the same kind, and speak the same one."""

    lang: Lang = "en"

    def __init__(self, *, prog: str | None = None, description: str | None = None) -> None:
        super().__init__(prog=prog, description=description, add_help=False)
        self._positionals.title = say(self.lang, "positional")
        self._optionals.title = say(self.lang, "optional")
        self.add_argument("-h", "--help", action="help", help=say(self.lang, "help"))

    def format_help(self) -> str:
        """As argparse has it, in the language."""
        return super().format_help().replace("usage: ", say(self.lang, "usage"), 1)

    def error(self, message: str) -> NoReturn:
        """One sentence, and the way to the help. Exits with 2."""
        self.exit(2, say(self.lang, "more", why=explained(message, self.lang), prog=self.prog) + "\n")


def speaking(lang: Lang) -> type[Parser]:
    """Parsers that speak this language, their subcommands too."""
    return type("Parser", (Parser,), {"lang": lang})


def explained(message: str, lang: Lang) -> str:
    """What argparse has to say, as a sentence."""
    for key, pattern in _SAID:
        if (m := pattern.fullmatch(message)) is not None:
            return say(lang, key, **{k: v.replace("'", "") for k, v in m.groupdict().items()})
    return say(lang, "other", message=message)


def natural(text: str) -> int:
    """A whole number from 0 on. Raises ValueError."""
    n = int(text)
    if n < 0:
        raise ValueError(text)
    return n


def positive(text: str) -> int:
    """A whole number from 1 on. Raises ValueError."""
    n = natural(text)
    if n == 0:
        raise ValueError(text)
    return n


def bare(argv: Sequence[str], parser: argparse.ArgumentParser) -> bool:
    """Whether nothing was asked for; then the help is shown."""
    if argv:
        return False
    parser.print_help(sys.stdout)
    return True
