"""Settings: the only reader of the environment.

Order: the process environment, then `$EBB_HOME/.env`, then the default; but a key that `.env` keeps
beside an address goes there, and no other key does. `.env.example` is made from `FIELDS`, so what
is documented is what is read.
"""

from __future__ import annotations

import json
import locale
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

import platformdirs
from dotenv import dotenv_values

from bot.texts import LANGS, words
from memory.models import Lang

RoleName: TypeAlias = Literal["chat", "memory", "embedding"]


class SettingsError(ValueError):
    """A setting cannot be used; the message is one sentence naming it and what it takes."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How one setting is documented and checked."""

    env: str
    default: Any
    doc: str
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    low: float | None = None
    high: float | None = None
    secret: bool = False
    shown: str | None = None  # the default as documented, where it is worked out

    def allowed(self) -> tuple[str, ...]:
        """Return what it takes; empty where it takes anything.

        A registry is looked at only here.
        """
        return self.choices() if callable(self.choices) else self.choices


def variants(folder: str) -> tuple[str, ...]:
    """Name the variants of a folder of this package: one file each."""
    return tuple(sorted(p.stem for p in (Path(__file__).parent / folder).glob("[a-z]*.py")))


def _curves() -> tuple[str, ...]:
    from memory.api import CURVES  # not before somebody sets one

    return tuple(CURVES)


def _s(default: Any, doc: str, **more: Any) -> Any:
    return field(default=default, metadata={"doc": doc, **more}, repr=not more.get("secret"))


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default. Build it with `load`; tests build it directly."""

    home: Path = _s(Path(), "Where everything is kept.", shown="the platform's data directory")
    lang: Lang | None = _s(
        None, "Language of Ebb's own words; unset: the language you write in.", choices=LANGS
    )
    tz: str | None = _s(None, "Your IANA time zone, e.g. Europe/Paris; unset: this machine's.")
    theme: str = _s(
        "tide",
        "The terminal's look: dark, light, colour-blind safe, or the terminal's own colours.",
        choices=("tide", "shore", "clear", "ansi"),
    )
    persona: Path | None = _s(None, "A file that replaces the persona.")
    provider: str = _s(
        "auto",
        "Who answers. auto: a key or base URL below, else an Ollama on this machine, else the"
        " first-run screen.",
        choices=lambda: ("auto", *variants("llm/providers")),
    )
    context_tokens: int = _s(
        16_000,
        "How long a prompt may get, in tokens. A longer message is kept whole, and sent without"
        " its middle.",
        low=1_000,
        high=2_000_000,
    )
    log_text: bool = _s(False, "Whether logs may hold what was said.")
    embedder: str = _s(
        "auto",
        "What turns text into vectors. auto: the first there is of the endpoint configured, the"
        " bundled model, and lexical, which knows words and no meaning. local: the multilingual"
        " MiniLM (it needs ebb[local]), downloaded if need be.",
        choices=lambda: ("auto", *variants("llm/embedders")),
    )
    embedder_path: Path | None = _s(
        None,
        "Folder that has the local embedding model: model_optimized.onnx, tokenizer.json and the"
        " rest.",
        shown="the multilingual MiniLM, once EBB_EMBEDDER=local has downloaded it",
    )
    recall_deadline_ms: int = _s(
        200, "How long recall waits for a remote embedder.", low=0, high=60_000
    )
    reach: str = _s(
        "all",
        "What can be recalled. all: whatever fits, however faded; strict: only what is clear or"
        " a little hazy.",
        choices=("all", "strict"),
    )
    standing_health: bool = _s(
        True, "Whether what is known of your health stands in every prompt of yours."
    )
    curve: str = _s(
        "fade",
        "How memories fade (`ebb memory curves` draws them). Set anew, it moves every memory,"
        " weight and level kept.",
        choices=_curves,
    )
    forgetting: str = _s("normal", "How fast you forget.", choices=("slow", "normal", "fast"))
    upkeep_hour: int = _s(
        4, "Local hour at which memories are looked after each night.", low=0, high=23
    )
    erase_old: bool = _s(False, "Erase for good what has been forgotten or archived for 365 days.")
    session_idle_hours: float = _s(
        6.0, "A conversation idle for so long ends by itself.", low=0.01, high=10_000
    )
    monitor_every: int = _s(1, "Learn after every so many exchanges.", low=1, high=50)
    memory_tools: str = _s(
        "auto",
        "Whether a model may search, keep and ask to forget while it writes. auto: one that calls"
        " tools.",
        choices=("auto", "off"),
    )
    memory_budget_tokens: int = _s(
        0, "Tokens a day that learning may spend for each user; 0: no limit.", low=0
    )
    learning: str = _s(
        "auto",
        "auto: learn by itself; ask: propose, you confirm; off: only when told to remember.",
        choices=("auto", "ask", "off"),
    )
    transcript: str = _s(
        "session",
        "While memory is off, what is said is erased when the conversation ends (session) or"
        " stays (keep).",
        choices=("session", "keep"),
    )
    telegram_token: str | None = _s(None, "The token @BotFather gave your bot.", secret=True)
    telegram_base_url: str | None = _s(
        None, "A Bot API server of your own.", shown="https://api.telegram.org"
    )
    chat_model: str | None = _s(None, "Model that talks.", shown="gpt-4o-mini at OpenAI")
    chat_base_url: str | None = _s(None, "Endpoint for talking.", shown="OPENAI_BASE_URL")
    chat_api_key: str | None = _s(None, "Key for talking.", secret=True, shown="OPENAI_API_KEY")
    memory_model: str | None = _s(
        None, "Model that learns, summarises and reviews.", shown="the chat model"
    )
    memory_base_url: str | None = _s(None, "Endpoint for learning.", shown="OPENAI_BASE_URL")
    memory_api_key: str | None = _s(None, "Key for learning.", secret=True, shown="OPENAI_API_KEY")
    embedding_model: str | None = _s(
        None, "Embedding model.", shown="text-embedding-3-small at OpenAI"
    )
    embedding_base_url: str | None = _s(None, "Endpoint for embeddings.", shown="OPENAI_BASE_URL")
    embedding_api_key: str | None = _s(
        None, "Key for embeddings.", secret=True, shown="OPENAI_API_KEY"
    )
    openai_api_key: str | None = _s(
        None,
        "Key for every role that has none of its own (none: no key).",
        env="OPENAI_API_KEY",
        secret=True,
    )
    openai_base_url: str | None = _s(
        None,
        "Endpoint of every role that has none of its own.",
        env="OPENAI_BASE_URL",
        shown="OpenAI's",
    )
    headers: tuple[tuple[str, str], ...] = _s(
        (),
        "Headers for the endpoint that talks, and for no other: a JSON object, or"
        " “HTTP-Referer: https://example.org; X-Title: Ebb”.",
        secret=True,
        shown="none",
    )
    ollama_host: str | None = _s(
        None, "Where Ollama listens.", env="OLLAMA_HOST", shown="http://127.0.0.1:11434"
    )

    @property
    def database(self) -> Path:
        """The store's file."""
        return self.home / "ebb.db"

    @property
    def env_file(self) -> Path:
        """The settings the first-run screen writes."""
        return self.home / ".env"

    def endpoint(self, role: RoleName) -> tuple[str | None, str | None, str | None]:
        """Return model, base URL and key of a role; what it lacks is the shared one.

        A role with a base URL of its own never receives the shared key: another endpoint must not
        learn it.
        """
        model = cast("str | None", getattr(self, f"{role}_model"))
        own_url = cast("str | None", getattr(self, f"{role}_base_url"))
        own_key = cast("str | None", getattr(self, f"{role}_api_key"))
        if own_url and own_url != self.openai_base_url:
            return model, own_url, own_key
        return model, own_url or self.openai_base_url, own_key or self.openai_api_key


FIELDS: Mapping[str, Setting] = {
    f.name: Setting(**{"env": f"EBB_{f.name.upper()}", "default": f.default, **f.metadata})
    for f in fields(Settings)
}
_NAME: Final = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_HEADER: Final = re.compile(r"([^:;\n]+):([^;\n]*)(?:[;\n]|$)")
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def default_home() -> Path:
    """Return the platform's data directory for Ebb."""
    return Path(platformdirs.user_data_dir("ebb", appauthor=False))


def _parse(name: str, raw: str) -> Any:
    s, value = FIELDS[name], raw.strip()
    default = s.default
    if takes := s.allowed():
        if value.lower() not in takes:
            raise SettingsError(f"{s.env} is “{value}”, but it takes one of: {', '.join(takes)}.")
        return value.lower()
    if isinstance(default, bool):
        if value.lower() not in _TRUE | _FALSE:
            raise SettingsError(f"{s.env} is “{value}”, but it takes yes or no.")
        return value.lower() in _TRUE
    if isinstance(default, int | float):
        try:
            number = type(default)(value)
        except ValueError:
            raise SettingsError(f"{s.env} is “{value}”, but it takes a number.") from None
        if (s.low is not None and number < s.low) or (s.high is not None and number > s.high):
            top = "" if s.high is None else f" and at most {s.high:g}"
            raise SettingsError(
                f"{s.env} is {value}, but it takes a number of at least {s.low:g}{top}."
            )
        return number
    if name == "persona":
        return _readable(Path(value).expanduser())
    if name == "tz":
        _check_tz(value)
    return _parse_headers(value) if name == "headers" else value


def _readable(path: Path) -> Path:
    try:
        path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise SettingsError(
            f"EBB_PERSONA is “{path}”, which cannot be read ({type(e).__name__})."
        ) from None
    return path.absolute()


def _parse_headers(value: str) -> tuple[tuple[str, str], ...]:
    """Read headers; the error repeats nothing of them, for they may be secret."""
    try:
        pairs = json.loads(value).items() if value.startswith("{") else _HEADER.findall(value)
    except ValueError:
        pairs = []
    found = tuple((str(k).strip(), str(v).strip()) for k, v in pairs)
    plain = all(_NAME.fullmatch(k) and v.isascii() and v.isprintable() for k, v in found)
    if not found or not plain:
        raise SettingsError("EBB_HEADERS takes “Name: value; Name: value”, or a JSON object.")
    return found


def _check_tz(value: str) -> None:
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(value)
    except (OSError, ValueError, KeyError):
        raise SettingsError(
            f"EBB_TZ is “{value}”, which is no IANA time zone such as Asia/Shanghai."
        ) from None


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings. Raises SettingsError with one sentence where a value cannot be used."""
    env = dict(os.environ if environ is None else environ)  # noqa: TID251 - the one reader
    home = Path(env["EBB_HOME"]).expanduser() if env.get("EBB_HOME", "").strip() else default_home()
    dotenv = home / ".env"
    stored: dict[str, str | None] = {}
    if dotenv.is_file():
        try:
            stored = dict(dotenv_values(dotenv, interpolate=False, encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError) as e:
            raise SettingsError(
                f"{dotenv} cannot be read ({type(e).__name__}); mend or move that file."
            ) from None
    kept = stored.get("OPENAI_BASE_URL")
    if kept and stored.get("OPENAI_API_KEY"):  # a key kept with an address is for it alone
        if env.get("OPENAI_BASE_URL", kept) != kept:
            stored.pop("OPENAI_API_KEY")
        elif "//api.openai.com" not in kept:
            env.pop("OPENAI_API_KEY", None)
    values: dict[str, Any] = {"home": home.absolute()}
    for name, s in FIELDS.items():
        raw = env.get(s.env) or stored.get(s.env)
        if (
            name != "home"
            and raw
            and raw.strip()
            and (raw.strip(), s.env) != ("none", "OPENAI_API_KEY")
        ):
            values[name] = _parse(name, raw)
    return Settings(**values)


def machine_language(environ: Mapping[str, str] | None = None) -> Lang | None:
    """Return the language of this machine's locale; None where Ebb does not speak it.

    As it is named (POSIX: LC_ALL before LC_MESSAGES before LANG), for a machine may lack the locale
    that it names.
    """
    env = os.environ if environ is None else environ  # noqa: TID251 - the one reader
    named = next(
        (v for k in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := env.get(k, "").strip())), None
    )
    if named is None:
        try:
            named = locale.getlocale()[0] or ""
        except ValueError:
            named = ""
    return next(
        (x for x in LANGS if named.lower().startswith(tuple(words(x, "locales").split("|")))), None
    )


def save(settings: Settings, changes: Mapping[str, str]) -> Path:
    """Write settings (by environment name) into `$EBB_HOME/.env`; what else it holds stays."""
    from dotenv import set_key

    known = {s.env for s in FIELDS.values()}
    if unknown := set(changes) - known:
        raise SettingsError(f"There is no setting {', '.join(sorted(unknown))}.")
    path = settings.env_file
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        path.touch(mode=0o600)
    path.chmod(0o600)
    for key, value in changes.items():
        set_key(path, key, value, quote_mode="auto", encoding="utf-8")
    path.chmod(0o600)
    return path


def example() -> str:
    """Write the text of `.env.example`."""
    out = [
        "# Every setting of Ebb, with its default. Copy what you change into $EBB_HOME/.env or your"
        " environment.\n"
    ]
    for s in FIELDS.values():
        shown = s.shown if s.shown is not None else "" if s.default is None else _plain(s.default)
        takes = f" One of: {', '.join(s.allowed())}." if s.choices else ""
        out.append(f"\n# {s.doc}{takes}\n# {s.env}={'' if s.shown else shown}")
        if s.shown:
            out[-1] += f"\n#   (default: {s.shown})"
        out.append("\n")
    return "".join(out)


def _plain(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
