"""Models behind the Protocols of `memory.ports`: who answers, learns and embeds."""

from bot.llm.base import Deadline, Meter, Metered, Retrying, complete
from bot.llm.endpoint import Clients, Endpoint, warm
from bot.llm.providers import Choice
from bot.llm.registry import EMBEDDERS, PROVIDERS, Models, choose, embedder_named, open_models
from memory.text.tokens import estimate_tokens

__all__ = [
    "EMBEDDERS",
    "PROVIDERS",
    "Choice",
    "Clients",
    "Deadline",
    "Endpoint",
    "Meter",
    "Metered",
    "Models",
    "Retrying",
    "choose",
    "complete",
    "embedder_named",
    "estimate_tokens",
    "open_models",
    "warm",
]
