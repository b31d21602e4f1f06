"""Every text of every package: the same in both languages, and none that nothing says."""

from __future__ import annotations

import re
import string
import tomllib
from pathlib import Path

import pytest

from bot.texts import LANGS

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = sorted(
    {p.parent for package in ("bot", "tui") for p in (ROOT / package).rglob("texts/*.toml")}
)
BY_NAME = {
    "arguments",
    "argparse",
}  # looked up by the names of verbs and by argparse's own words: see test_admin


def _tables(folder: Path, lang: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((folder / f"{lang}.toml").read_text("utf-8"))


def _places(text: str) -> set[str]:
    named = {name.partition(".")[0] for _, name, _, _ in string.Formatter().parse(text) if name}
    return named | set(re.findall(r"%\(\w+\)s|%s", text))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.parent.name)
def test_both_languages_say_the_same(folder: Path) -> None:
    """The same tables, keys and places, and nothing of the one language in the other."""
    en, zh = (_tables(folder, lang) for lang in LANGS)
    assert {p.stem for p in folder.glob("*.toml")} == set(LANGS)
    assert {(t, k) for t in en for k in en[t]} == {(t, k) for t in zh for k in zh[t]}
    for table, texts in en.items():
        for key, text in texts.items():
            assert text.strip()
            assert zh[table][key].strip()
            assert _places(text) == _places(zh[table][key]) or "month" in _places(text), key
            assert not re.search("[一-鿿]", re.sub("3月1日", "", text)), key


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.parent.name)
def test_every_text_is_said_somewhere(folder: Path) -> None:
    """By its key, or by one that is put together from a beginning that stands in the code."""
    others = [f.parent for f in FOLDERS if f != folder and folder.parent in f.parents]
    files = [p for p in folder.parent.rglob("*.py") if not any(o in p.parents for o in others)]
    source = "\n".join(p.read_text("utf-8") for p in files)
    begun = tuple({m[1] for m in re.finditer(r"""f["']([a-z_.]+\.)\{""", source)})
    begun += tuple(f"{m[1]}." for m in re.finditer(r"""\.name\(lang, ["'](\w+)["'],""", source))
    tables = {t: texts for t, texts in _tables(folder, "en").items() if t not in BY_NAME}
    # `merged.one` and `merged.many` are chosen by a number, under one name
    keys = {(t, re.sub(r"\.(?:one|many)$", "", k)) for t, texts in tables.items() for k in texts}
    unsaid = {
        (t, k)
        for t, k in keys
        if not k.startswith(begun) and f'"{k}"' not in source and f"'{k}'" not in source
    }
    assert unsaid == set()
