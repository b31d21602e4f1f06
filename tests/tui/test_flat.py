"""Markdown as one piece of text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.widgets.flat_markdown import render_markdown
from tui.words import install_line_breaks

install_line_breaks()
SOURCE = """# Title

A **bold** word, an *italic* one, `code`, ~~gone~~ and [a link](https://example.org).
Same paragraph.

- one
- two
  1. inner 里面的内容比较长,需要换行才能放得下
  2. more

> quoted text

```python
def f():
    return "一二三"
```

| a | b |
|---|---|
| 中文 | x |

---

end"""


def test_every_kind_of_block_shows() -> None:
    """Headings, emphasis, lists, quotes, code and tables, each as people know it."""
    text = render_markdown(SOURCE, 40).plain
    assert "Title" in text
    assert "A bold word" in text
    assert "• one" in text
    assert "1. inner" in text
    assert "▌ quoted text" in text
    assert '      return "一二三"' in text
    assert "中文  x" in text
    assert "─" * 40 in text
    assert text.endswith("end")
    assert "**" not in text
    assert "```" not in text


@pytest.mark.parametrize("width", [8, 12, 20, 41, 80])
def test_no_row_is_wider_than_it_may_be(width: int) -> None:
    """At any width, in cells and not in characters."""
    assert max(cell_len(row) for row in render_markdown(SOURCE, width).plain.split("\n")) <= max(
        width, 14
    )


@settings(deadline=None)
@given(st.text(), st.integers(1, 60))
def test_anything_can_be_laid_out(source: str, width: int) -> None:
    """Whatever a model writes, it is shown and nothing breaks."""
    render_markdown(source, width)


def test_wrapped_items_hang() -> None:
    """The second row of an item begins under its text."""
    rows = render_markdown("- alpha beta gamma delta", 14).plain.split("\n")
    assert rows == ["• alpha beta", "  gamma delta"]
