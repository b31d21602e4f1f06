"""A third language is one more folder: found, told apart, stemmed, read for days, recalled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TALK = """
import asyncio, sys, tempfile
from datetime import UTC, datetime
from pathlib import Path

import memory.text

memory.text.__path__.append(sys.argv[1])

import prompts
from bot.texts import say
from memory.models import detect_language
from memory.store import open_store
from memory.text.commands import find_intent
from memory.text.dates import find_dates, window_asked
from memory.text.languages import LANGUAGES, value
from memory.text.words import stem, tokens
from tests.memory.recall.conftest import EMBEDDER, NOW, Person, texts

assert list(LANGUAGES) == ["en", "ru", "zh"]
assert [detect_language(t) for t in ("Я живу в Риме", "My name is Анна", "我认识 Анна")] == ["ru", "en", "zh"]
assert tokens("Где моя собака?") == ["где", "моя", "собака"]
assert stem("собака") == stem("собаки") == stem("собаку")
assert window_asked("Что я ел вчера?", NOW, "UTC") == window_asked("What did I eat yesterday?", NOW, "UTC")
assert [w.due for w in find_dates("Завтра у меня экзамен", datetime(2026, 11, 21))] == ["2026-11-22"]
assert value("ru", "notes", "SUBJECTS") == value("en", "notes", "SUBJECTS")
assert prompts.load("persona", "ru") == prompts.load("persona", "en")
assert say("ru", "help.help") == say("en", "help.help")
assert find_intent("Я живу в Риме. Please remember that.").kind == "remember"


async def talk(home):
    store = await open_store(home / "ebb.db", clock=lambda: NOW, worker="test:0:0", key=b"k" * 32)
    await store.use_embedder(EMBEDDER.id, EMBEDDER.dim)
    person = Person(store, await store.write_system(lambda s: s.create_user(NOW)))
    for told in ("Мою собаку зовут Бим", "Работаю в школе", "Люблю чай с лимоном", "User works at a bank"):
        assert (await person.knows(told)).language == ("en" if told.isascii() else "ru")
    found = texts(await person.ask("Как зовут моих собак?"))
    await store.close()
    return found


with tempfile.TemporaryDirectory() as home:
    assert asyncio.run(talk(Path(home)))[:1] == ["Мою собаку зовут Бим"]
"""


def test_it_talks() -> None:
    """In a process of its own, for the languages are read once."""
    folder = Path(__file__).with_name("third")
    done = subprocess.run(
        [sys.executable, "-c", TALK, str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
