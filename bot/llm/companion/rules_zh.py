from datetime import datetime
from bot.llm.companion.facts import Fact


def facts(sentence: str, at: datetime, *, corrects: bool = False) -> list[Fact]:
    return []


def corrects_only(s: str) -> bool:
    return False
