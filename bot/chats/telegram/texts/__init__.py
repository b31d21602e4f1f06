"""What the bot itself says on Telegram."""

from pathlib import Path

from bot.texts import Texts

say = Texts("telegram", Path(__file__).parent)
