"""Providers: one file each, named as EBB_PROVIDER names it, with its `PROVIDER`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import ClassVar, Literal, TypeAlias

from bot.llm.endpoint import ClientPool, Endpoint
from bot.settings import RoleName, Settings, variants
from memory.ports import ChatModel, Embedder

Why: TypeAlias = Literal["set", "key", "base_url", "found", "nothing"]
Pair: TypeAlias = tuple[ChatModel, ChatModel]
FetchStep: TypeAlias = tuple[float, float, bool]  # share that has come, GB, whether it is checked


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """Who answers and why.

    Attributes:
        why: `set` by EBB_PROVIDER; a `key` or `base_url` was configured; it was `found`; there is
        `nothing`. needs_setup: nobody has chosen yet: the first-run screen should ask. chat,
        memory, embedding: names of the models, as a person is told. where: the host that hears what
        is said; empty if it stays in this process. found: where the provider was found on this
        machine. models: those that it has for talk, where that is known, the most fitting first.
        offline: no language model answers, but one that is given what recall found and the whole
        message. lexical_because: why an embedding model that was asked for is not used: a
        ModelErrorCode, "no endpoint",
            "not installed", "no package", "no model" or "broken model"; empty if it is used, or
            none was asked for.
    """

    provider: str
    why: Why
    needs_setup: bool = False
    chat: str = ""
    memory: str = ""
    embedding: str = ""
    where: str = ""
    found: Endpoint | None = None
    models: tuple[str, ...] = ()
    offline: bool = False
    lexical_because: str = ""


class FetchError(Exception):
    """A model could not be fetched: `unknown`, `disk`, `old`, `broken`, or `none` to ask."""


class Provider(ABC):
    """A way to reach the chat model and the memory model."""

    name: ClassVar[str]
    order: ClassVar[int]  # under EBB_PROVIDER=auto the lowest that finds itself configured answers
    uses_sdk: ClassVar[bool] = False  # the first request imports it, 0.7 s
    # who chose it means the shared key and address for embeddings, too
    shares_key: ClassVar[bool] = False

    offers: ClassVar[tuple[tuple[str, float], ...]] = ()  # models it fetches, and their GB

    @abstractmethod
    async def find(
        self, settings: Settings, clients: ClientPool, *, asked: bool
    ) -> ProviderChoice | None:
        """Return the choice of this provider; None where nothing speaks for it.

        `asked`: EBB_PROVIDER names it.
        """

    @abstractmethod
    def build(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder: Embedder
    ) -> Pair:
        """Make the chat and the memory model, without a request."""

    def locate(
        self, settings: Settings, choice: ProviderChoice, role: RoleName
    ) -> tuple[Endpoint, str] | None:
        """Return a role's endpoint and model, "" if yet to be asked; None within this process."""
        return None

    def serves(self, endpoint: Endpoint) -> bool:
        """Tell whether an OpenAI-compatible address is this provider's."""
        return False

    def embeds_at(self, settings: Settings, choice: ProviderChoice) -> Endpoint | None:
        """Return where it embeds with a model that was named, though it shares no key."""
        return None

    def fetch(
        self, settings: Settings, clients: ClientPool, name: str
    ) -> AsyncGenerator[FetchStep, None]:
        """Fetch a model to this machine, going on where it was left. Raises FetchError."""
        raise NotImplementedError(self.name)

    async def list_models(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool
    ) -> tuple[str, ...]:
        """List the models there are; empty where that cannot be asked."""
        return choice.models


@cache
def providers() -> dict[str, Provider]:
    """Load every provider of this folder, by name, in the order in which they are asked."""
    found = [import_module(f"{__name__}.{name}").PROVIDER for name in variants("llm/providers")]
    return {p.name: p for p in sorted(found, key=lambda p: p.order)}
