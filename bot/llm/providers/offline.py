"""The notebook: nobody answers but the person's own words."""

from __future__ import annotations

from bot.llm.endpoint import ClientPool
from bot.llm.providers import Pair, Provider, ProviderChoice
from bot.settings import Settings
from memory.ports import ChatModel, Embedder


class Offline(Provider):
    """Answers where nothing else is configured."""

    name = "offline"
    order = 9

    async def find(
        self, settings: Settings, clients: ClientPool, *, asked: bool
    ) -> ProviderChoice | None:
        """Return the choice: it is always there."""
        return ProviderChoice(
            self.name, "set" if asked else "nothing", needs_setup=not asked, offline=True
        )

    def build(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder: Embedder
    ) -> Pair:
        """Make the notebook, which is both models."""
        from bot.notebook import Notebook

        notebook: ChatModel = Notebook(embedder)
        return notebook, notebook


PROVIDER = Offline()
