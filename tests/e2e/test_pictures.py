"""Pictures: to models that see, never stored, and what they do to memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.events import Recalled, WindowMode
from bot.pictures import LARGEST, Picture, PictureError, split_pictures
from bot.texts import say as program_says
from tests.e2e.driver import opened
from tests.pictures import PNG
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks

CAT = Picture("momo.png", PNG)


def _read_all(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


async def test_a_picture_goes_along_once_and_activates_what_it_is_about(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Its bytes are sent with its message and nowhere else; what it is about notes an image, undoably."""
    learned = {
        "My cat": "[ADD kind=fact said=1] Has a cat called Momo",
        "new boat": "[ADD kind=fact] Has bought a boat called Iris",
    }
    answer_tasks(openai_server, learned, chat="A fine one.")
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("My cat is called Momo")
        (before,) = await w.memories()
        openai_server.requests.clear()
        said = await w.say("What do you think of my cat Momo?", attachments=(CAT,))
        assert [m.id for m in said.recalled] == [before.id]
        (request,) = [r for r in openai_server.chats if r.images]
        assert (request.model, request.images) == ("large", [PNG])
        assert (
            "What do you think of my cat Momo?\n[picture: momo.png]\n\n<recalled>" in request.last
        )
        (after,) = await w.memories()
        assert after.modalities == ("text", "image")
        assert after.last_activated_at > before.last_activated_at
        await w.say("This is my new boat, I bought it in May: Iris", attachments=(CAT, CAT))
        boat = next(m for m in await w.memories() if "Iris" in m.content)
        assert boat.modalities == ("text", "image")
        openai_server.requests.clear()
        await w.say("", attachments=(CAT,))
        assert not [
            r for r in openai_server.chats if r.model != "large"
        ]  # there is nothing to learn
        told = openai_server.chats[-1]
        assert "What do you think of my cat Momo?\n[picture: momo.png]" in told.text
        assert len(told.images) == 1
        await w.do("/undo")
        await w.do("/undo")
        assert [m.modalities for m in await w.memories()] == [("text",)]
    stored = _read_all(tmp_path)
    assert PNG[:40] not in stored
    assert b"momo.png" in stored


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_model_that_does_not_see_is_asked_without(
    openai_server: OpenAIServer, tmp_path: Path, lang: str
) -> None:
    """One sentence says so, and the endpoint is not asked again with a picture; off the record nothing is kept."""
    openai_server.rejects = {"images"}
    openai_server.default = "Mm."
    async with opened(tmp_path, model=openai_server, lang=lang) as w:
        w.mode = WindowMode.TEMP
        for n in (2, 3):
            said = await w.say("Look", attachments=(CAT,))
            assert said.text == program_says(lang, "pictures.blind") + "Mm."
            assert len(openai_server.chats) == n
            assert not openai_server.chats[-1].images
        assert not any(
            program_says(lang, "pictures.blind")[:9] in r.text for r in openai_server.chats
        )
    assert b"momo.png" not in _read_all(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [("My sister Hannah lives in Lyon.", "can't see pictures"), ("我姐姐住在里昂。", "看不了图片")],
)
async def test_the_notebook_says_that_it_does_not_see(
    tmp_path: Path, text: str, words: str
) -> None:
    """And keeps the words beside the picture, not its name."""
    async with opened(tmp_path) as w:
        said = await w.say(text, attachments=(CAT,))
        assert words in said.text
        assert any(isinstance(e, Recalled) for e in said.events)
        assert words in (await w.say("", attachments=(CAT,))).text
        assert not [m for m in await w.memories() if "momo" in m.original_content]


async def test_paths_are_read_as_they_are_dropped(tmp_path: Path) -> None:
    """Quoted, escaped or as an address; what is no picture is not sent, and only this machine's windows read files."""
    one, two = tmp_path / "my cat.png", tmp_path / "b.gif"
    one.write_bytes(PNG)
    two.write_bytes(b"GIF89a" + b"\0" * 20)
    escaped = str(one).replace(" ", r"\ ")
    for form in (f'"{one}"', f"'{one}'", escaped, one.as_uri()):
        assert split_pictures(f"{form} {two} what is it?") == ([str(one), str(two)], "what is it?")
    with pytest.raises(PictureError):
        Picture("x.png", b"no picture")
    with pytest.raises(PictureError):
        Picture("x.png", PNG + b"\0" * LARGEST)
    async with opened(tmp_path / "home", lang="en") as w:
        assert "send the picture itself" in (await w.do(f"/image {two}")).text
        w.origin = "terminal:1"
        asked = (await w.do(f"/image {two} A cat")).turn
        assert asked is not None
        assert (asked.text, [p.name for p in asked.attachments]) == ("A cat", ["b.gif"])
        for line in ("", f"{tmp_path}/none.png", f"{two} " * 5, f"{tmp_path}/home/.env"):
            outcome = await w.do(f"/image {line}")
            assert outcome.turn is None
            assert not outcome.ok
