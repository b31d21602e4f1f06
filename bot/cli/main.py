"""The command `ebb`: bare it opens the terminal; `ask`, `telegram`, `memory …`, `doctor`.

Front ends are found through the entry-point group `ebb.frontends`: no layer imports upwards.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points, version
from logging.handlers import RotatingFileHandler

from bot import settings as config
from bot.cli.parser import describe_os_error, make_parser
from bot.texts import Texts
from memory.api import clean_streams
from memory.errors import MemoryError_
from memory.models import Lang

log = logging.getLogger("ebb")
say = Texts("cli")


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out the command line; whatever fails is one sentence, never a traceback."""
    with clean_streams():
        try:
            return dispatch(list(sys.argv[1:] if argv is None else argv))
        except (config.SettingsError, MemoryError_) as e:
            print(e, file=sys.stderr)
            return 2
        except SystemExit as e:  # argparse has said what there is to say
            return int(e.code or 0)
        except KeyboardInterrupt:
            return 130
        except BrokenPipeError:
            return 141
        except OSError as e:
            print(describe_os_error(e, str(e.filename or "?"), _lang()), file=sys.stderr)
            return 2
        except Exception:
            # The outermost boundary: the person gets a sentence, and the log the rest.
            log.exception("unexpected")
            print(say(_lang(), "unexpected"), file=sys.stderr)
            return 1


def dispatch(argv: Sequence[str]) -> int:
    """Hand the words to whom the first one names: a front end or a command."""
    head = argv[0] if argv else ""
    if head in ("-h", "--help"):
        print(say(_lang(), "help"))
        return 0
    if head == "--version":
        print(f"ebb {version('ebb')}")
        return 0
    settings = config.load()
    _log_to_file(settings)
    if not head or head.startswith("-"):
        head, argv = "terminal", ["", *argv]
    if head in ("memory", "report"):
        from bot.cli import memory

        return memory.run(settings, argv[1:] if head == "memory" else argv)
    if head == "ask":
        from bot.cli import ask

        return ask.run(settings, argv[1:], _lang())
    if head == "model":
        from bot.cli import model

        return model.run(settings, argv[1:], _lang())
    if head == "doctor":
        from bot.cli import doctor

        make_parser("ebb doctor", _lang()).parse_args(argv[1:])
        return doctor.run(settings)
    for entry in entry_points(group="ebb.frontends"):
        if entry.name == head:
            return int(entry.load()(settings, argv[1:]))
    known = head in {"terminal", "telegram"}
    print(say(_lang(), "frontend" if known else "unknown", name=head), file=sys.stderr)
    return 2


def _lang() -> Lang:
    """Return the language that is set; English where the settings name or say none."""
    try:
        return config.load().lang or "en"
    except config.SettingsError:
        return "en"


def _log_to_file(settings: config.Settings) -> None:
    """Log warnings to a file that only its owner can read, never to the screen.

    Where there can be no log (a full disk, a directory that may only be read), whoever needs the
    directory says so.
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
