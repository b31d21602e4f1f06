"""Models behind the Protocols of `memory.ports`: who answers, learns and embeds."""

from bot.llm.base import DeadlineModel, MeteredModel, RetryingModel, TokenMeter, read_whole_answer
from bot.llm.endpoint import ClientPool, Endpoint, warm
from bot.llm.providers import ProviderChoice
from bot.llm.registry import EMBEDDERS, PROVIDERS, ModelRoles, choose, find_embedder, open_models
from memory.api import estimate_tokens

__all__ = [
    "EMBEDDERS",
    "PROVIDERS",
    "ClientPool",
    "DeadlineModel",
    "Endpoint",
    "MeteredModel",
    "ModelRoles",
    "ProviderChoice",
    "RetryingModel",
    "TokenMeter",
    "choose",
    "estimate_tokens",
    "find_embedder",
    "open_models",
    "read_whole_answer",
    "warm",
]
