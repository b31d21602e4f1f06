"""The machine's own language, as its locale is named; and which key goes to which address."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import SettingsError, load, machine_language


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


HERE, THERE, OPENAI = "http://here/v1", "http://there/v1", "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("kept", "environ", "url", "key"),
    [
        ((HERE, "typed"), {"OPENAI_API_KEY": "exported"}, HERE, "typed"),
        ((HERE, "none"), {"OPENAI_API_KEY": "exported"}, HERE, None),
        ((HERE, "typed"), {"OPENAI_BASE_URL": THERE}, THERE, None),
        (
            (HERE, "typed"),
            {"OPENAI_BASE_URL": THERE, "OPENAI_API_KEY": "exported"},
            THERE,
            "exported",
        ),
        ((OPENAI, "typed"), {"OPENAI_BASE_URL": THERE}, THERE, None),
        ((OPENAI, "typed"), {"OPENAI_API_KEY": "exported"}, OPENAI, "exported"),
        (
            (HERE, ""),
            {"OPENAI_API_KEY": "exported"},
            HERE,
            "exported",
        ),  # written by hand, without a key
    ],
)
def test_a_key_goes_only_to_the_address_it_was_kept_with(
    tmp_path: Path, kept: tuple[str, str], environ: dict[str, str], url: str, key: str | None
) -> None:
    """What the first-run screen wrote is a pair; what is exported does not part it."""
    (tmp_path / ".env").write_text(
        f"OPENAI_BASE_URL={kept[0]}\nOPENAI_API_KEY={kept[1]}\n", encoding="utf-8"
    )
    found = load({"EBB_HOME": str(tmp_path), **environ})
    assert found.endpoint("chat")[1:] == (url, key)


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        (
            "HTTP-Referer: https://a.org/b; X-Title: Ebb",
            {"HTTP-Referer": "https://a.org/b", "X-Title": "Ebb"},
        ),
        ('{"X-Title": "a; b"}', {"X-Title": "a; b"}),
        ("X-Title", None),
        ("X Title: secret", None),
        ("X-Title: 秘密", None),
        ('{"X-Title": "a\\nsecret"}', None),
    ],
)
def test_headers(text: str, headers: dict[str, str] | None) -> None:
    """Both forms are read; what cannot be sent is one sentence, which repeats nothing of it."""
    if headers is None:
        with pytest.raises(SettingsError, match=r"^EBB_HEADERS takes") as e:
            load({"EBB_HEADERS": text})
        assert "secret" not in str(e.value)
    else:
        found = load({"EBB_HEADERS": text})
        assert dict(found.headers) == headers
        assert "Title" not in repr(found)
