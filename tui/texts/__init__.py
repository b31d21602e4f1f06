"""What the terminal itself says."""

from pathlib import Path

from bot.texts import Texts

say = Texts("terminal", Path(__file__).parent)
