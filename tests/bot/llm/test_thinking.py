"""Thinking never reaches a person, however it is cut into pieces, and nothing else is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.base import ThinkingFilter, find_answer


def shown(pieces: list[str], *, begun: bool = False) -> str:
    f = ThinkingFilter(begun=begun)
    return "".join([*(f.feed(p) for p in pieces), f.close()])


@given(st.data(), st.sampled_from(["think", "THINKING", "thought", "reasoning"]))
def test_blocks_are_hidden_wherever_they_are_cut(data: st.DataObject, tag: str) -> None:
    """Any way to cut the stream shows the same: the answer alone."""
    text = f"\n<{tag}>I < you </ {tag} 想一想\n</{tag}>\n\nHello <b>Ada</b>, 你好"
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1))))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert shown(pieces) == "Hello <b>Ada</b>, 你好"


@given(st.lists(st.text(alphabet="<think>/ a\n你", max_size=6)))
def test_what_is_no_thinking_passes_unchanged(pieces: list[str]) -> None:
    """Text that does not begin with a tag comes out as it went in."""
    text = "".join(pieces)
    if not text.lstrip().lower().startswith("<think>"):
        assert shown(pieces) == text


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("<think>one</think><think>two</think>three", "three"),
        ("<think>never ends", ""),
        ("Use <think> in HTML? </think>", "Use <think> in HTML? </think>"),
        ("<thin ice", "<thin ice"),
        ("[THINK]a[/THINK]b", "b"),
        ("◁think▷a◁/think▷b", "b"),
        ("<think></think>", ""),
    ],
)
def test_cases(text: str, visible: str) -> None:
    """Only blocks at the beginning are thinking."""
    assert shown([text]) == visible
    assert shown(list(text)) == visible


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("I wonder.\n</think>\n\nHello.", "Hello."),
        ("想一想\n◁/think▷\n你好", "你好"),
        ("In HTML, </think> closes it.\nSo.", "In HTML, </think> closes it.\nSo."),
        ("Write:\n```\n</think>\n```\nThen go.", "Write:\n```\n</think>\n```\nThen go."),
        ("No thinking today.", "No thinking today."),
    ],
)
def test_a_block_that_was_never_opened(text: str, visible: str) -> None:
    """A tag on a line of its own ends it; a model known to write so is held back until then."""
    assert text[find_answer(text) :] == visible
    assert shown(list(text), begun=True) == visible
    assert shown(["<think>a</think>b"], begun=True) == "b"
