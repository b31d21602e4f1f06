"""Markdown becomes messages that Telegram takes, whatever was written."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.chats.telegram import render as module
from bot.chats.telegram.render import (
    LIMIT,
    MessagePart,
    TextEntity,
    count_utf16_units,
    render,
    render_plain,
    split,
)
from memory.text.clean import clean_output
from tests.servers import telegram as server

FAMILY = "👨‍👩‍👧‍👦"
FLAGS = "🇨🇳🇫🇷"
WORDS = st.sampled_from(
    [
        "word",
        "**bold",
        "**",
        "`",
        "```\n",
        "```python\n",
        "\n",
        "\n\n",
        "- item\n",
        "> quote\n",
        "[a](http://b.c)",
        "_i_",
        "||s||",
        "~~",
        "# Head\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "你好，世界。",
        "😀",
        FAMILY,
        FLAGS,
        "é",
        " ",
        "  code\n",
        "<b>",
        "\\(x^2\\)",
        "[x](javascript:1)",
        "<T>",
        "2*3*4",
        "&amp;",
        "**注：**",
        "\\_",
        "![i](http://b.c/d.png)",
        "�",
        "\u200b",
        "1. one\n",
        "- [ ] todo\n",
        "$$a$$",
        "\x00",
        "x" * 300,
    ]
)
MARKDOWN = st.lists(WORDS, max_size=120).map("".join)


def accepted(piece: MessagePart) -> None:
    """The test server's checks are the real one's."""
    entities = [json.loads(e.to_json()) for e in piece.entities()]
    text, _ = server._checked_text({"text": piece.text, "entities": entities})
    assert text == piece.text


@given(MARKDOWN, st.sampled_from([40, 100, 1000, LIMIT]))
@settings(max_examples=60, deadline=None)
def test_every_piece_is_accepted(markdown: str, limit: int) -> None:
    """Whatever the Markdown, each message is within the limit, not blank, and its entities are in range."""
    for piece in render(markdown, limit):
        assert 0 < count_utf16_units(piece.text) <= limit
        accepted(piece)


@given(st.text(max_size=600), st.integers(10, 200))
@settings(max_examples=60, deadline=None)
def test_nothing_is_lost_by_splitting(text: str, limit: int) -> None:
    """The pieces hold every character that is not white space, in order."""
    pieces = render_plain(text, limit)
    whole = "".join(p.text for p in pieces)
    assert re.sub(r"\s+", "", whole) == re.sub(r"\s+", "", clean_output(text))


@given(
    st.lists(
        st.sampled_from([FAMILY, FLAGS[:2], "e\u0301", "👍🏽", "1️⃣", "中", "a"]),
        min_size=1,
        max_size=80,
    )
)
@settings(deadline=None)
def test_no_cut_inside_what_reads_as_one_character(parts: list[str]) -> None:
    """Emoji sequences, flags and accents stay whole."""
    pieces = render_plain("".join(parts), 25)
    left = list(parts)
    for piece in pieces:
        rest = piece.text
        while rest:
            assert left, "more than there was"
            assert rest.startswith(left[0])
            rest = rest[len(left.pop(0)) :]
    assert not left


def test_formatting_survives_a_cut() -> None:
    """What is bold on both sides of a cut is bold on both."""
    first, second = split("a" * 30 + " " + "b" * 30, [TextEntity("bold", 10, 40)], 40)
    assert first.marks == (TextEntity("bold", 10, 20),)
    assert second.marks == (TextEntity("bold", 0, 19),)


def test_a_code_block_that_fits_moves_whole() -> None:
    """A block is not cut if the next message has room for it."""
    code = "\n".join(f"line_{i} = {i}" for i in range(120))
    before = "Some words. " * 230
    first, second = render(f"{before}\n\n```python\n{code}\n```\n\nafter")
    assert "line_0" not in first.text
    assert second.text.startswith(code)
    assert second.marks[0] == TextEntity("pre", 0, count_utf16_units(code), language="python")


def test_a_long_code_block_is_cut_between_lines() -> None:
    """Each part is code of the same language, and no line is broken or indented wrongly."""
    lines = [f"def f{i}():\n    return {i}" for i in range(600)]
    code = "\n".join(lines)
    pieces = render(f"```python\n{code}\n```")
    assert len(pieces) > 2
    assert "\n".join(p.text for p in pieces) == code
    for p in pieces:
        assert p.marks == (TextEntity("pre", 0, count_utf16_units(p.text), language="python"),)
        assert p.text.startswith("def ")


def test_paragraphs_stay_together() -> None:
    """The cut falls between paragraphs where it can."""
    paragraphs = [f"{i} " + "word " * 150 for i in range(12)]
    for piece in render("\n\n".join(paragraphs)):
        assert re.match(r"\d+ word", piece.text)


def test_chinese_is_cut_behind_a_sentence() -> None:
    """Chinese has no spaces to cut at."""
    first, *_ = render("今天天气很好，我们去散步吧。" * 400)
    assert first.text.endswith("。")
    assert count_utf16_units(first.text) > LIMIT // 2


def test_formatting_never_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that breaks costs the formatting, not the reply."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(module, "build_markdown_parser", broken)
    assert render("**hello**", before="a ", after=" b") == [MessagePart("a **hello** b")]


MARKS = set("*_~`#>|-+[]()!\\.:=") | set("0123456789x ")


@given(MARKDOWN)
@settings(max_examples=40, deadline=None)
def test_nothing_a_model_wrote_disappears(markdown: str) -> None:
    """What is no mark of Markdown is in the text, or kept in a link or as a language, as often as it was written."""
    pieces = render(markdown)
    kept = "".join(
        p.text + "".join(f"{m.url or ''}{m.language or ''}" for m in p.marks) for p in pieces
    )
    written = Counter(
        c for c in clean_output(markdown) if c not in MARKS and not c.isspace() and c.isprintable()
    )
    assert not written - Counter(kept)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "47*11*9",
            "2**3**4",
            "3*(4)*5 and 6*(7)*8",
            "(a)*(b)*(c)",
            "单价*数量*折扣 = 总价",
            "a~~b~~c",
            "5 * 3 * 2",
        ),
        *(
            "Vec<String>",
            "if a<b and c>d",
            "std::vector<std::string>",
            "<T>, <b>x</b> and <!-- y -->",
            "<https://a.b>",
        ),
        *(
            "snake_case_name",
            "__init__.py",
            "x__y__z",
            "https://a.b/_c_/x_y?_z=_1",
            "&amp; and &lt; &#65;",
        ),
        *(
            "src/**/*.ts, lib/**/*.js",
            "**/*.py and **/*.md",
            "*.py and *.txt",
            "f(*args, **kwargs)",
            "int *a, **b;",
        ),
        *(
            "$a_1 * b_2$ and \\(x^2\\)",
            "a || b || c",
            "||spoiler||",
            "see [^1]\n\n[^1]: a note",
            "[1]: http://a.b",
        ),
        *(
            "C:\\Users\\new",
            "docker run \\\n-it x",
            "[a](relative/path)",
            "arr[i](x)",
            "#hashtag",
            "100% ~5~",
            "***"[:1] + "x",
        ),
    ],
)
def test_what_only_looks_like_markdown_stays(text: str) -> None:
    """Formulas, code, paths and tags outside of code are shown to the letter."""
    assert render(text) == [MessagePart(text)]


@pytest.mark.parametrize(
    ("markdown", "text", "marked"),
    [
        ("**注意：**后面", "注意：后面", ["bold 注意："]),
        ("他说**“你好”**。", "他说“你好”。", ["bold “你好”"]),
        (
            "价格**50%**的~~旧~~，*斜体*。",
            "价格50%的旧，斜体。",
            ["bold 50%", "strikethrough 旧", "italic 斜体"],
        ),
        (
            "**Note:** a _b_ (*c*) `d*e`",
            "Note: a b (c) d*e",
            ["bold Note:", "italic b", "italic c", "code d*e"],
        ),
        ("3. x\n7) y", "3. x\n\n7) y", []),
        ("> a **b**\n> > c", "a b\n\nc", ["blockquote a b\n\nc", "bold b"]),
        (
            '[a](https://b.c "d") ![](http://e.f)',
            "a (d) http://e.f",
            ["text_link a", "text_link http://e.f"],
        ),
        ("|名|b|\n|-|-|\n|1|**2**|", "名 | b\n---+--\n1  | 2", ["pre 名 | b\n---+--\n1  | 2"]),
        ("|a|b|\n|-|-|\n|1|2|3|", "|a|b|\n|-|-|\n|1|2|3|", ["pre |a|b|\n|-|-|\n|1|2|3|"]),
        ("# Head\n#\ntext", "Head\n\n#\n\ntext", ["bold Head"]),
    ],
)
def test_what_is_markdown_is_formatted(markdown: str, text: str, marked: list[str]) -> None:
    """Next to Chinese too; and what formatting cannot show is written out."""
    (piece,) = render(markdown)
    assert piece.text == text
    raw = piece.text.encode("utf-16-le")
    found = [
        f"{m.type} {raw[2 * m.offset : 2 * (m.offset + m.length)].decode('utf-16-le')}"
        for m in piece.marks
    ]
    assert found == marked


def test_what_was_typed_is_quoted_to_the_letter() -> None:
    """A reply that repeats the person's words shows them as they were typed, and formats its own."""
    typed = "my *real* <T> [x](http://a.b)"
    (piece,) = render(f"**You** said: {typed}, _yes_", typed=["other", typed, "said"])
    assert piece.text == f"You said: {typed}, yes"
    assert [m.type for m in piece.marks] == ["bold", "italic"]


def test_no_formatting_is_lost_in_a_long_reply() -> None:
    """A long quote keeps its marks when it is cut, and no message has more of them than Telegram shows."""
    pieces = render("\n".join(f"> line {i} with **bold{i}** words" for i in range(400)))
    assert all(
        p.marks[0].type == "blockquote" and len(p.marks) <= module.MOST_MARKS for p in pieces
    )
    assert sum(m.type == "bold" for p in pieces for m in p.marks) == 400


def test_nothing_to_show() -> None:
    """White space is no message."""
    assert render(" \n\n ") == []
    assert render("") == []
