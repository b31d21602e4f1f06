"""Who shall answer: what a choice means for the settings, and whether it works.

Shared by screen and plain mode.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from bot import settings as config
from bot.settings import Settings, SettingsError
from tui.words import WindowLanguage

Way = Literal["openai", "endpoint", "ollama", "offline"]
WAYS: Final[tuple[Way, ...]] = get_args(Way)
OPENAI_URL: Final = "https://api.openai.com/v1"
_NAMED = 5  # models named in a sentence


@dataclass(frozen=True, slots=True)
class SetupChoice:
    """What somebody filled in."""

    way: Way
    key: str = ""
    url: str = ""
    model: str = ""


class SetupError(ValueError):
    """A choice that cannot be met; one sentence says why."""


def check(wish: SetupChoice, say: WindowLanguage) -> SetupChoice:
    """Trim it and find what is plainly wrong, before anybody is asked. Raises SetupError."""
    key, url = wish.key.strip(), wish.url.strip().rstrip("/")
    broken = any(len(value.split()) > 1 or not value.isprintable() for value in (key, url))
    if broken or not key.isascii():
        raise SetupError(say("first.bad_chars"))
    if wish.way == "openai" and not key:
        raise SetupError(say("first.need_key"))
    scheme, _, host = url.partition("://")
    if wish.way == "endpoint" and (scheme not in ("http", "https") or not host):
        raise SetupError(say("first.need_url"))
    return replace(wish, key=key, url=url, model=wish.model.strip())


def apply(settings: Settings, wish: SetupChoice) -> tuple[Settings, dict[str, str]]:
    """Return the settings as they would be, and what is written into `.env` for them."""
    model = wish.model or None
    if wish.way in ("offline", "ollama"):
        chat = model if wish.way == "ollama" else settings.chat_model
        wanted = replace(settings, provider=wish.way, chat_model=chat)
    else:
        wanted = replace(
            settings,
            provider="openai",
            openai_api_key=wish.key or None,
            openai_base_url=wish.url or OPENAI_URL,
            chat_model=model or settings.chat_model,
        )
    values = {"EBB_PROVIDER": wanted.provider, "EBB_CHAT_MODEL": wanted.chat_model}
    if wanted.provider == "openai":
        # "none", so that this address gets no other key.
        values["OPENAI_API_KEY"] = wanted.openai_api_key or "none"
        values["OPENAI_BASE_URL"] = wanted.openai_base_url
    return wanted, {name: value for name, value in values.items() if value}


async def apply_choice(settings: Settings, wish: SetupChoice, say: WindowLanguage) -> Settings:
    """Check, ask the endpoint, save.

    Returns the settings to open Ebb with. Raises SetupError.
    """
    wish = check(wish, say)
    if wish.way != "offline":
        wish = await _try(settings, wish, say)
    wanted, values = apply(settings, wish)
    try:
        config.save(wanted, values)
    except (OSError, SettingsError) as error:
        raise SetupError(say("first.save_failed", why=str(error))) from None
    return wanted


async def _try(settings: Settings, wish: SetupChoice, say: WindowLanguage) -> SetupChoice:
    """Return the choice that answered, with an endpoint's first model where none was named."""
    from bot.bootstrap import probe_endpoint

    probe = await probe_endpoint(apply(settings, wish)[0], say.lang)
    if wish.way == "endpoint" and not wish.model and probe.models:
        talks = (m for m in probe.models if "embed" not in m.lower())
        wish = replace(wish, model=next(talks, probe.models[0]))
        probe = await probe_endpoint(apply(settings, wish)[0], say.lang)
    if probe.ok:
        return wish
    if wish.model and probe.models and wish.model not in probe.models:
        named = ", ".join(probe.models[:_NAMED])
        raise SetupError(say("first.no_such_model", model=wish.model, models=named))
    raise SetupError(probe.sentence)


async def list_ollama_models(settings: Settings) -> list[str] | None:
    """List the models of an Ollama on this machine; None if there is no Ollama."""
    from bot.bootstrap import find_ollama

    return await find_ollama(settings)
