"""Models behind the Protocols of `memory.ports`: who answers, learns and embeds."""

from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers import ProviderChoice
from bot.llm.registry import EMBEDDERS, PROVIDERS, ModelRoles, choose, find_embedder, open_models

__all__ = [
    "EMBEDDERS",
    "PROVIDERS",
    "ClientPool",
    "Endpoint",
    "ModelRoles",
    "ProviderChoice",
    "choose",
    "find_embedder",
    "open_models",
]
