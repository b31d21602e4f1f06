"""The offline companion: rules, no language model, behind the same protocol as every other model."""

from bot.llm.companion.model import Companion

__all__ = ["Companion"]
