"""A variant is one file, found through its registry: a dummy of each is used like the ones that there are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from bot.cli import main
from bot.events import Done
from bot.llm import EMBEDDERS, PROVIDERS, ClientPool, ProviderChoice, open_models
from bot.llm.embedders import EmbedderSource
from bot.llm.providers import Pair, Provider
from bot.settings import Settings, SettingsError, load
from bot.texts import LANGS, Texts
from memory.lifecycle import CURVES
from memory.models import Usage
from memory.ports import Chunk, Embedder, FloatArray, ModelRequest
from memory.recall import SIGNALS
from tests.e2e.driver import Window, opened


class Parrot:
    """A model that says what it is told to say."""

    name = "parrot"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        yield Chunk("[SKIP]" if request.task != "chat" else "Pieces of eight.", "stop", Usage())


class ParrotProvider(Provider):
    """Where nobody else is configured, the parrot answers."""

    name = "parrot"
    order = 0

    async def find(
        self, settings: Settings, clients: ClientPool, *, asked: bool
    ) -> ProviderChoice | None:
        return ProviderChoice(self.name, "set" if asked else "found")

    def build(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder: Embedder
    ) -> Pair:
        return Parrot(), Parrot()


class Flat:
    """An embedder for which all texts are alike."""

    id, dim, local, immediate = "flat:one:3", 3, True, True

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        return np.tile(np.array([1, 0, 0], np.float32), (len(texts), 1))


class FlatSource(EmbedderSource):
    """Always there."""

    name = "flat"
    order = 0

    def make(self, settings: Settings) -> Embedder:
        return Flat()


async def _talk(w: Window) -> None:
    await w.do("/remember I'm allergic to peanuts.")
    last = (await w.say("What am I allergic to?")).last
    assert isinstance(last, Done)


def test_what_can_be_set_is_what_there_is() -> None:
    """Settings take the names of files and registries; one that there is not is refused by naming those that are."""
    for env, names in (
        ("EBB_PROVIDER", PROVIDERS),
        ("EBB_EMBEDDER", EMBEDDERS),
        ("EBB_CURVE", CURVES),
    ):
        for name in names:
            load({env: name})
        with pytest.raises(SettingsError) as refused:
            load({env: "nosuch"})
        assert all(name in str(refused.value) for name in names)


async def test_a_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set by its name it answers; it is tried, retried and counted as any other."""
    monkeypatch.setitem(PROVIDERS, "parrot", ParrotProvider())
    async with opened(tmp_path, provider="parrot") as w:
        said = await w.say("Hello")
        assert said.text == "Pieces of eight."
        status = await w.ebb.agent.get_status(w.user_id, w.scope, w.time.now)
        assert (status.provider, status.model, status.offline) == ("parrot", "parrot", False)


async def test_an_embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set by its name it embeds what is told, and its vectors are known by its id."""
    monkeypatch.setitem(EMBEDDERS, "flat", FlatSource())
    async with opened(tmp_path, provider="offline", embedder="flat") as w:
        await _talk(w)
        assert (await w.ebb.agent.get_status(w.user_id, w.scope, w.time.now)).embedder == Flat.id
        assert Flat.id in await w.ebb.store.write_system(lambda s: s.embedders())
    models = await open_models(Settings(home=tmp_path, provider="offline", embedder="flat"))
    await models.close()


async def test_a_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memories are born under it and weighed by it, at night too."""
    monkeypatch.setitem(CURVES, "steady", CURVES["fade"])
    assert load({"EBB_CURVE": "steady"}).curve == "steady"
    async with opened(tmp_path, provider="offline", curve="steady") as w:
        await _talk(w)
        (m,) = (
            await w.ebb.agent.get_memories(
                w.user_id, [x.id for x in (await w.do("/memories")).memories]
            )
        )[:1]
        assert m.curve == "steady"
        assert w.ebb.memory.compute_weight(m, w.time.now) > 0
        keeper = w.ebb.memory.keeper
        assert keeper is not None
        assert (await keeper.preview(w.user_id, w.time.now)).memories == 1


async def test_a_signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked at every question."""
    seen: list[str] = []

    async def watch(look: Any) -> Any:
        seen.append(look.query.text)
        return await SIGNALS["words"](look)

    monkeypatch.setitem(SIGNALS, "watch", watch)
    async with opened(tmp_path, provider="offline") as w:
        await _talk(w)
    assert "What am I allergic to?" in seen


def test_a_front_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package and a line of `ebb.frontends`: `ebb NAME` runs it with what is typed after it."""
    entry = EntryPoint("echo", "tests.test_registries:run_echo", "ebb.frontends")
    monkeypatch.setattr(
        main, "entry_points", lambda group: [entry] if group == "ebb.frontends" else []
    )
    monkeypatch.setenv("EBB_HOME", str(tmp_path))
    assert main.dispatch(["echo", "a", "b"]) == 3
    assert capsys.readouterr().out == f"{tmp_path} a b\n"


def run_echo(settings: Settings, argv: Sequence[str]) -> int:
    """The smallest front end."""
    print(settings.home, *argv)
    return 3


def test_a_language_of_texts(tmp_path: Path) -> None:
    """One file a package; where it has none for a language, English is said."""
    for lang in (*LANGS, "toy"):
        (tmp_path / f"{lang}.toml").write_text(
            f'[t]\nhello = "{lang} {{name}}"\n', encoding="utf-8"
        )
    say = Texts("t", tmp_path)
    assert say("toy", "hello", name="x") == "toy x"
    assert say("none", "hello", name="x") == "en x"
