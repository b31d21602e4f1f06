"""The command `ebb`: bare it opens the terminal; `ask`, `telegram`, `memory …` and `doctor` besides.

Front ends are found through the entry-point group `ebb.frontends`, so no lower layer imports upwards.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from logging.handlers import RotatingFileHandler

from bot import settings as config
from bot.admin_texts import in_language, unusable
from bot.cli_texts import say
from bot.events import WindowMode
from bot.parsing import speaking
from memory.errors import MemoryError_
from memory.models import Lang
from memory.text.output import clean_streams

log = logging.getLogger("ebb")


def parser(lang: Lang = "en") -> argparse.ArgumentParser:
    """The words of the command line; each front end parses the rest itself."""
    p: argparse.ArgumentParser = speaking(lang)(
        prog="ebb", description="A companion that remembers you, and forgets the way people do."
    )
    sub = p.add_subparsers(dest="command", metavar="{ask,telegram,memory,doctor}")
    ask = sub.add_parser("ask", help="one question from a shell or a pipe")
    ask.add_argument("--temp", action="store_true", help="off the record: nothing recalled, nothing kept")
    ask.add_argument("--read", action="store_true", help="read-only: recalls, keeps nothing")
    ask.add_argument("--why", action="store_true", help="say on stderr which memories were recalled")
    ask.add_argument("text", nargs="*", help="the question; more may be piped in")
    sub.add_parser("doctor", help="what was found, and what to do about what is missing")
    return in_language(p, lang)


def _lang() -> Lang:
    """The language that is set; English where none is, or where the settings cannot be read."""
    try:
        return config.load().lang or "en"
    except config.SettingsError:
        return "en"


def _log_to_file(settings: config.Settings) -> None:
    """Warnings go to a file of the data directory that only its owner can read; never to the screen.

    Where there can be no log (a full disk, a directory that may only be read), whoever needs the directory says so.
    """
    logging.raiseExceptions = False  # a log that cannot be written is no news for the screen
    path = settings.home / "ebb.log"
    handler: logging.Handler
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=1_000_000, backupCount=2, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def _frontend(name: str, settings: config.Settings, argv: Sequence[str]) -> int:
    for entry in entry_points(group="ebb.frontends"):
        if entry.name == name:
            return int(entry.load()(settings, argv))
    print(say(_lang(), "frontend", name=name), file=sys.stderr)
    return 2


def _version() -> int:
    from importlib.metadata import version

    print(f"ebb {version('ebb')}")
    return 0


def dispatch(argv: Sequence[str]) -> int:
    """Carry out one command line."""
    head = argv[0] if argv else ""
    if head in ("-h", "--help"):
        print(say(_lang(), "help"))
        return 0
    if head == "--version":
        return _version()
    settings = config.load()
    _log_to_file(settings)
    if not head or head.startswith("-"):
        return _frontend("terminal", settings, argv)
    if head == "memory":
        from bot.admin import run as admin

        return admin(settings, argv[1:])
    names = {entry.name for entry in entry_points(group="ebb.frontends")}
    if head in names or head == "telegram":
        return _frontend(head, settings, argv[1:])
    if head not in ("ask", "doctor"):
        print(say(_lang(), "unknown", name=head), file=sys.stderr)
        return 2
    args = parser(_lang()).parse_args(argv)
    if args.command == "ask":
        from bot.ask import run as ask

        mode = WindowMode.TEMP if args.temp else WindowMode.PRIVATE if args.read else WindowMode.NORMAL
        return ask(settings, args.text, mode=mode, why=args.why)
    from bot.doctor import run as doctor

    return doctor(settings)


@clean_streams()
def main(argv: Sequence[str] | None = None) -> int:
    """Entry point. No traceback ever reaches a person: one sentence, and the rest in the log."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return dispatch(args)
    except (config.SettingsError, MemoryError_) as e:
        print(e, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except OSError as e:
        print(unusable(e, str(e.filename or "?"), _lang()), file=sys.stderr)
        return 2
    except Exception:
        # The outermost boundary: whatever it is, the person gets a sentence and the log the rest.
        log.exception("unexpected")
        print(say(_lang(), "unexpected"), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
