"""Text on its way to the screen."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from memory.text.clean import clean_output
from tui.words import install_line_breaks, one_line, pieces

install_line_breaks()


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("a\x1b]52;c;aGk=\x07b", "a␛]52;c;aGk=␇b"),  # would write the clipboard
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("bell\x07 back\x08 \x7f", "bell␇ back␈ ␡"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("tab\tkept\n", "tab\tkept\n"),
        ("\u202egnp.exe\u2066", "�gnp.exe�"),  # text that lies about its order
        ("\x9b31mC1", "␛[31mC1"),
        ("猫\x00🐈", "猫␀🐈"),
        ("half \ud83d and \ud83d\ude00", "half � and 😀"),
        ("👨‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 é", "👨‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 é"),
    ],
)
def test_nothing_said_reaches_the_terminal_as_a_command(raw: str, shown: str) -> None:
    """Control characters become visible and do nothing; letters, tabs and newlines stay."""
    assert clean_output(raw) == shown


@given(st.text())
def test_clean_text_has_no_control_characters(text: str) -> None:
    """Whatever comes in, no escape, no C0 but tab and newline, no C1."""
    assert not [
        c for c in clean_output(text) if (ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160
    ]


@given(st.text(alphabet=st.sampled_from(list("ab cd,。,“”（）我你 乌龙茶Lis-bon1.\u3000🎨"))))
def test_pieces_lose_nothing(text: str) -> None:
    """Joined again, the pieces are the text, up to blanks at its very end."""
    joined = "".join(piece for _, _, piece in pieces(text))
    assert text.startswith(joined)
    assert not text[len(joined) :].strip()


def test_chinese_breaks_anywhere_but_before_its_marks() -> None:
    """A line is filled to its end, English words stay whole, and no line begins with a comma or a full stop."""
    text = "我在 Lisbon 住了三年，每天早上都喝“乌龙茶”，周末去海边散步。Really 很不错。"
    rows = [row.plain for row in Content(text).wrap(20)]
    assert rows[0].startswith("我在 Lisbon 住了")
    assert all(cell_len(row) <= 20 for row in rows)
    assert not [row for row in rows if row[0] in "，。”"]
    assert any("Really" in row for row in rows)


def test_english_breaks_at_blanks() -> None:
    """As it always did."""
    rows = [row.plain for row in Content("the quick brown fox jumps over the lazy dog").wrap(12)]
    assert rows == ["the quick", "brown fox", "jumps over", "the lazy dog"]


def test_the_splitters_are_where_we_replace_them() -> None:
    """Rich and Textual still look their word splitters up by these names; else Chinese would wrap badly again."""
    for path, name in (("rich._wrap", "words"), ("textual._wrap", "chunks")):
        assert getattr(importlib.import_module(path), name) is pieces


def test_one_line() -> None:
    """Breaks become blanks, and the end an ellipsis."""
    assert one_line(" a\n\n b\tc ") == "a b c"
    assert one_line("0123456789", 5) == "0123…"
