"""The machine's own language, as its locale is named."""

from __future__ import annotations

import pytest

from bot.settings import machine_language


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh-Hant"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, None),
        ({"LANG": "C.UTF-8"}, None),
    ],
)
def test_as_the_locale_is_named(environ: dict[str, str], lang: str | None) -> None:
    """Whether or not the machine has it."""
    assert machine_language(environ) == lang
