"""The doctor finds what is there, names what is missing, and says what to do, in both languages."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cli.doctor import DoctorCheck, render, report, run
from bot.settings import Settings
from memory.privacy import load_key
from memory.store import make_worker_id, open_store
from tests.servers.openai import OpenAIServer, fail
from tests.servers.telegram import TelegramServer

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Settings(home=home, ollama_host=NOWHERE)


async def found(settings: Settings, name: str, lang: str = "en") -> DoctorCheck:
    checks = {c.name: c for c in await report(settings, lang=lang)}
    return checks[name]


async def test_a_fresh_machine(settings: Settings) -> None:
    """Nothing configured is no failure: all is named, and how to choose who answers."""
    checks = await report(settings, lang="en")
    assert [c for c in checks if c.state == "bad"] == []
    names = {c.name for c in checks}
    assert {
        "Ebb",
        "Python",
        "SQLite",
        "sqlite-vec",
        "Who answers",
        "Embeddings",
        "Telegram",
    } <= names
    who = next(c for c in checks if c.name == "Who answers")
    assert "the notebook" in who.found
    assert "OPENAI_API_KEY" in who.todo
    assert sys.executable in next(c for c in checks if c.name == "Python").found


async def test_a_model_that_answers(settings: Settings, openai_server: OpenAIServer) -> None:
    """It is asked, and named with its host."""
    mine = replace(settings, openai_base_url=openai_server.url, chat_model="m")
    check = await found(mine, "Who answers")
    assert check.state == "ok"
    assert f"m at 127.0.0.1:{openai_server.port}" in check.found
    assert len(openai_server.chats) == 1


async def test_a_model_that_does_not(settings: Settings, openai_server: OpenAIServer) -> None:
    """The sentence a reply would fail with, and never the key."""
    openai_server.default = fail("bad_key")
    mine = replace(
        settings,
        openai_base_url=openai_server.url,
        openai_api_key="sk-mine-123456789",
        chat_model="m",
    )
    check = await found(mine, "Who answers")
    assert check.state == "bad"
    assert "does not accept the API key" in check.todo
    assert "sk-mine" not in str(check)
    assert "密钥" in (await found(mine, "由谁回答", "zh")).todo


async def test_embedders(settings: Settings, openai_server: OpenAIServer) -> None:
    """The one by words is fine where it was asked for; one that was asked for and does not answer is not."""
    assert (await found(replace(settings, embedder="lexical"), "Embeddings")).state == "ok"
    assert (await found(settings, "Embeddings")).state == "note"
    api = replace(settings, embedding_base_url=openai_server.url, embedding_model="odd")
    assert (await found(api, "Embeddings")).found == "api:odd:64; answers"
    gone = await found(replace(api, embedding_base_url=f"{NOWHERE}/v1"), "Embeddings")
    assert (gone.state, "cannot be reached" in gone.todo) == ("bad", True)
    none = await found(replace(settings, embedder="api"), "Embeddings")
    assert (none.state, "EBB_EMBEDDING_MODEL" in none.todo) == ("bad", True)


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid"), reason="this system has no file modes"
)
async def test_files_others_can_read(settings: Settings) -> None:
    """Named, with the command that mends it."""
    (settings.home / ".env").write_text("EBB_LANG=en\n")
    (settings.home / ".env").chmod(0o644)
    check = await found(settings, "Permissions")
    assert (check.state, check.found) == ("bad", ".env")
    assert f"chmod go= '{settings.home / '.env'}'" in check.todo
    (settings.home / ".env").chmod(0o600)
    assert (await found(settings, "Permissions")).state == "ok"


async def test_a_home_that_is_not_there_yet(settings: Settings, tmp_path: Path) -> None:
    """Looking does not make it."""
    mine = replace(settings, home=tmp_path / "a" / "b")
    assert (await found(mine, "Data directory")).state == "note"
    assert not mine.home.exists()
    file = tmp_path / "file"
    file.touch()
    assert (await found(replace(settings, home=file), "Data directory")).state == "bad"


async def test_background_work(settings: Settings) -> None:
    """Waiting and failed jobs are counted."""
    store = await open_store(
        settings.database, clock=lambda: NOW, worker=make_worker_id(), key=load_key(settings.home)
    )
    try:
        user = await store.write_system(lambda s: s.create_user(NOW))
        for key in ("one", "two"):
            await store.write(user, lambda tx, key=key: tx.jobs.enqueue("monitor", key, {}, NOW))  # type: ignore[misc]
        job = await store.write_system(lambda s: s.lease(NOW, NOW, "w"))
        assert job is not None
        assert await store.write_system(lambda s: s.fail(job.id, "w", "bad_key", None))
    finally:
        await store.close()
    check = await found(settings, "Background work")
    assert (check.state, check.found) == ("note", "1 waiting, 1 failed")
    assert "monitor" in check.todo


async def test_telegram(settings: Settings) -> None:
    """A token is tried against its server, and shown nowhere."""
    async with TelegramServer() as server:
        mine = replace(settings, telegram_base_url=server.url, telegram_token=server.token)
        assert (await found(mine, "Telegram")).found == "@ebb_test_bot; answers"
        wrong = await found(replace(mine, telegram_token="1:WRONG-TOKEN"), "Telegram")
        assert (wrong.state, "WRONG" in str(wrong)) == ("bad", False)
    silent = await found(replace(mine, telegram_base_url=NOWHERE), "Telegram")
    assert silent.state == "bad"


def test_rendering() -> None:
    """Columns line up in both languages, and what is bad is counted."""
    checks = [
        DoctorCheck("Python", "ok", "3.13"),
        DoctorCheck("数据目录", "bad", "/x", "do this"),
        DoctorCheck("A", "note", "y"),
    ]
    text = render(checks, lang="en")
    lines = text.splitlines()
    assert lines[0] == "✓ Python    3.13"
    assert lines[1] == "✗ 数据目录  /x"
    assert lines[2].strip() == "→ do this"
    assert lines[-1] == "To be mended: 1 (marked ✗)."
    assert render(checks[:1], lang="zh").splitlines()[-1] == "一切正常。"


def test_the_command(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the report, and succeeds where nothing is bad."""
    assert run(replace(settings, lang="zh")) == 0
    assert "由谁回答" in capsys.readouterr().out
