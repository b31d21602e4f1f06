"""What the notebook says: some twenty sentences. It promises nothing that it does not do."""

from pathlib import Path

from bot.texts import Texts

say = Texts("notebook", Path(__file__).parent)
