"""Every word of the terminal, in both languages."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import tui
from tui.texts import say


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", say.keys())
def test_both_languages_say_the_same(key: str) -> None:
    """Neither is empty, and they have the same places."""
    en, zh = say._table[key]
    assert en.strip()
    assert zh.strip()
    assert _places(en) == _places(zh)


def test_every_key_that_is_used_exists() -> None:
    """No key is missing, and none is left over."""
    source = "\n".join(p.read_text("utf-8") for p in Path(tui.__file__).parent.rglob("*.py") if p.name != "texts.py")
    keys = set(say.keys())
    literal = {k for k in keys if f'"{k}"' in source or f"'{k}'" in source}
    prefixes = {m.group(1) for m in re.finditer(r"""f["']([a-z_.]+\.)\{""", source)}
    computed = {k for k in keys if any(k.startswith(p) for p in prefixes)}
    assert keys - literal - computed == set()
    asked = set(re.findall(r"""(?:voice|say|_voice)\(["']([a-z0-9_.]+)["']""", source))
    assert asked - keys == set()
