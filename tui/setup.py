"""Who shall answer: what a choice means for the settings, and whether it works.

Shared by screen and plain mode.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, cast

from bot import settings as config
from bot.settings import Settings, SettingsError
from memory.models import Lang
from tui.language import WindowLanguage

Way = Literal["openai", "endpoint", "ollama", "offline"]
OPENAI_URL = "https://api.openai.com/v1"
_NAMED = 5  # models named in a sentence


class EndpointProbe(Protocol):
    """What an endpoint said when it was asked."""

    @property
    def ok(self) -> bool:
        """It answers, and takes the key."""

    @property
    def sentence(self) -> str:
        """What is wrong, for a person."""

    @property
    def models(self) -> Sequence[str]:
        """What it offers, where it says."""


@dataclass(frozen=True, slots=True)
class SetupChoice:
    """What somebody filled in."""

    way: Way
    key: str = ""
    url: str = ""
    model: str = ""


class SetupError(ValueError):
    """A wish that cannot be met; one sentence says why."""


def check(wish: SetupChoice, say: WindowLanguage) -> SetupChoice:
    """Trim it and find what is plainly wrong, before anybody is asked. Raises Unusable."""
    wish = replace(
        wish, key=wish.key.strip(), url=wish.url.strip().rstrip("/"), model=wish.model.strip()
    )
    if any(len(value.split()) > 1 or not value.isprintable() for value in (wish.key, wish.url)):
        raise SetupError(say("first.bad_chars"))
    if not wish.key.isascii():
        raise SetupError(say("first.bad_chars"))
    if wish.way == "openai" and not wish.key:
        raise SetupError(say("first.need_key"))
    scheme, _, host = wish.url.partition("://")
    if wish.way == "endpoint" and (scheme not in ("http", "https") or not host):
        raise SetupError(say("first.need_url"))
    return wish


def apply(settings: Settings, wish: SetupChoice) -> Settings:
    """The settings as they would be."""
    model = wish.model or None
    if wish.way == "offline":
        return replace(settings, provider="offline")
    if wish.way == "ollama":
        return replace(settings, provider="ollama", chat_model=model)
    return replace(
        settings,
        provider="openai",
        openai_api_key=wish.key or None,
        openai_base_url=wish.url or OPENAI_URL,
        chat_model=model or settings.chat_model,
    )


def list_changes(settings: Settings) -> dict[str, str]:
    """What is written into `.env` for it."""
    values = {
        "EBB_PROVIDER": settings.provider,
        "EBB_CHAT_MODEL": settings.chat_model,
        "OPENAI_API_KEY": settings.openai_api_key
        or "none",  # so that this address gets no other one
        "OPENAI_BASE_URL": settings.openai_base_url,
    }
    if settings.provider in ("offline", "ollama"):
        values = {name: values[name] for name in ("EBB_PROVIDER", "EBB_CHAT_MODEL")}
    return {name: value for name, value in values.items() if value}


async def apply_choice(settings: Settings, wish: SetupChoice, say: WindowLanguage) -> Settings:
    """Check, ask the endpoint, save.

    Returns the settings to open Ebb with; raises Unusable with one sentence.
    """
    wish = check(wish, say)
    wanted = apply(settings, wish)
    if wish.way != "offline":
        wanted = await _tried(wanted, wish, say)
    try:
        config.save(wanted, list_changes(wanted))
    except (OSError, SettingsError) as error:
        raise SetupError(say("first.save_failed", why=str(error))) from None
    return wanted


async def _tried(wanted: Settings, wish: SetupChoice, say: WindowLanguage) -> Settings:
    """The settings that answered; an endpoint's own first model where none was named, so that it stays the same."""
    probe = await _probe(wanted, say)
    models = list(probe.models)
    if wish.way == "endpoint" and not wish.model and models:
        first = next((m for m in models if "embed" not in m.lower()), models[0])
        wanted = replace(wanted, chat_model=first)
        probe = await _probe(wanted, say)
    if not probe.ok and wish.model and models and wish.model not in models:
        raise SetupError(
            say("first.no_such_model", model=wish.model, models=", ".join(models[:_NAMED]))
        )
    if not probe.ok:
        raise SetupError(probe.sentence)
    return wanted


async def _probe(settings: Settings, say: WindowLanguage) -> EndpointProbe:
    ask = cast(
        "Callable[[Settings, Lang], Awaitable[EndpointProbe]]",
        importlib.import_module("bot.bootstrap").probe_endpoint,
    )
    return await ask(settings, say.lang)


async def list_ollama_models(settings: Settings) -> list[str]:
    """The models of an Ollama on this machine; empty if there is none."""
    find = cast(
        "Callable[[Settings], Awaitable[list[str]]]",
        importlib.import_module("bot.bootstrap").find_ollama,
    )
    return await find(settings)
