"""The notebook: keeps what a person says in their own words, and finds it again.

No language model.
"""

from bot.notebook.model import Notebook

__all__ = ["Notebook"]
