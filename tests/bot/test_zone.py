"""A new zone: asked about once, and the person's dates stay in the old one until they say yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.events import Choice, Done
from tests.e2e.driver import Said, Window, opened


def choices(said: Said) -> tuple[Choice, ...]:
    """What is offered below a reply."""
    assert isinstance(said.last, Done)
    return said.last.choices


async def zone(w: Window) -> str:
    """The zone that the last message was said in, as it is stored."""
    return (await w.working())[-1].tz


@pytest.mark.parametrize(
    ("greeting", "asks", "settled"),
    [
        ("Hello there, Ebb", "You seem to be in Tokyo time now.", "your dates go by that time"),
        ("你好呀", "你现在好像在 Tokyo 时区。", "按那里的时间算"),
    ],
)
async def test_a_new_zone_is_asked_about_once(
    tmp_path: Path, greeting: str, asks: str, settled: str
) -> None:
    """A no holds for that zone; a yes moves the dates; being somewhere for a week moves nothing."""
    async with opened(tmp_path) as w:
        assert not choices(await w.say(greeting))
        w.tz = "Europe/Madrid"  # the same hour
        assert not choices(await w.say(greeting))
        w.tz = "America/New_York"
        _, no = choices(await w.say(greeting))
        assert (await w.do(f"/choose {no.key}")).ok
        assert not choices(await w.say(greeting))
        assert await zone(w) == "Europe/Paris"
        w.tz = "Asia/Tokyo"
        yes, _ = choices(await w.say("I'm in Tokyo this week" if greeting.isascii() else greeting))
        assert yes.label.startswith(asks)
        assert await zone(w) == "Europe/Paris"
        assert settled in (await w.do(f"/choose {yes.key}")).text
        assert not choices(await w.say(greeting))
        assert await zone(w) == "Asia/Tokyo"
