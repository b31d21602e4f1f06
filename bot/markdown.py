"""The Markdown of a model's reply: a mark either becomes formatting or stays as text.

CommonMark with tables and strikethrough, without what would hide what was written: HTML, entities,
reference definitions, autolinks in angle brackets, links that cannot be opened, `__x__`. Emphasis
asks what stands on both sides of a mark, so that `2*3*4` and `src/**/*.py` stay as they are and
`**注意：**后面` is bold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

_LINK: Final = re.compile(r"(?:https?|tg|tonsite)://[^\s/]|mailto:[^\s@]+@", re.IGNORECASE)
_HIDING: Final = ["html_block", "html_inline", "entity", "reference", "autolink", "lheading"]
_ESCAPED: Final = re.compile(r"\\([*_`~#>|])")
# from here on scripts without spaces, their punctuation, typographic quotes and emoji
_WIDE: Final = "\u0e00"
# ASCII punctuation outside and inside of a mark that opens formatting, and of one that closes it.
_OPEN: Final = ("([{\"'-:>|*_~", ")]}", ")]},.;:!?/\\=")
_CLOSE: Final = (".,;:!?)]}\"'-|*_~", "([{", "([{/\\=<|&@")


@cache
def build_markdown_parser(*, spell_urls: bool = False) -> MarkdownIt:
    """Make the parser; `spell_urls` writes a link's address after its text."""
    md = MarkdownIt("gfm-like" if spell_urls else "commonmark").enable(["table", "strikethrough"])
    md.disable(_HIDING)
    md.validateLink = lambda url: bool(_LINK.match(url))  # type: ignore[method-assign]
    md.block.ruler.at("table", _read_table, {"alt": ["paragraph", "reference"]})
    md.inline.ruler.at("emphasis", _read_marks)
    # its marks are read with the others; its second pass stays
    md.inline.ruler.disable("strikethrough")
    md.inline.ruler.at("escape", _read_escape)
    md.core.ruler.push("spell_out", _spell_out(spell_urls))
    return md


def can_format(before: str, after: str, marker: str, length: int) -> tuple[bool, bool]:
    """Tell whether a run of `marker` between two characters may open and close formatting."""
    # `*` alone is not read as a mark inside Chinese words: 单价*数量*折扣
    loose = marker != "_" and length > 1
    return _is_edge(before, after, loose, *_OPEN), _is_edge(after, before, loose, *_CLOSE)


def _is_edge(
    outer: str, inner: str, loose: bool, beside: str, never_outer: str, never_inner: str
) -> bool:
    if not inner or inner.isspace():
        return False
    if loose and inner >= _WIDE:
        return True
    if outer.isalnum() and not (loose and outer >= _WIDE):
        return False
    if loose and inner.isalnum():
        return not outer or outer not in never_outer
    return (
        not outer or outer.isspace() or outer in beside or outer >= _WIDE
    ) and inner not in never_inner


def _read_marks(state: StateInline, silent: bool) -> bool:
    """Read `*`, `_` and `~~`."""
    marker, start = state.src[state.pos], state.pos
    if silent or marker not in "*_~":
        return False
    end = start
    while end < state.posMax and state.src[end] == marker:
        end += 1
    length = end - start
    before = state.src[start - 1 : start]
    after = state.src[end : end + 1] if end < state.posMax else ""
    opens, closes = can_format(before, after, marker, length)
    state.pos = end
    if (marker == "_" and length > 1) or (marker == "~" and length != 2) or not (opens or closes):
        state.push("text", "", 0).content = marker * length
        return True
    size = 2 if marker == "~" else 1
    for _ in range(0, length, size):
        state.push("text", "", 0).content = marker * size
        at = len(state.tokens) - 1
        state.delimiters.append(
            Delimiter(ord(marker), 0 if marker == "~" else length, at, -1, opens, closes)
        )
    return True


def _read_escape(state: StateInline, silent: bool) -> bool:
    r"""Read a backslash, only before a mark: `C:\dir`, `\(x\)` and a line's end keep theirs."""
    found = _ESCAPED.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("text_special", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table; one whose rows have more cells than its head is shown as written."""
    first = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    if not silent:
        source = state.getLines(start, state.line, state.blkIndent, False)
        cells = "".join(t.content for t in state.tokens[first:] if t.type == "inline")
        if sum(map(str.isalnum, cells)) < sum(map(str.isalnum, source)):
            del state.tokens[first:]
            state.push("code_block", "code", 0).content = source
    return True


def _spell_out(urls: bool) -> Callable[[StateCore], None]:
    """Write what a link hides (its title, its address) after it."""

    def rule(state: StateCore) -> None:
        for inline in state.tokens:
            out, links = [], list[Token]()
            for token in inline.children or ():
                out.append(token)
                hidden = token if token.type == "image" else None
                if token.type == "link_open":
                    links.append(token)
                elif token.type == "link_close" and links:
                    hidden = links.pop() if token.info != "auto" else None
                if hidden is not None:
                    address = (
                        str(hidden.attrs.get("href") or hidden.attrs.get("src") or "")
                        if urls
                        else ""
                    )
                    said = [str(x) for x in (hidden.attrs.get("title"), address) if x]
                    if said:
                        out.append(Token("text", "", 0, content=f" ({', '.join(said)})"))
            if inline.children:
                inline.children = out

    return rule


def count_columns(text: str) -> int:
    """Count a text's columns in a terminal: wide characters take two, combining marks none."""
    wide = sum(
        1 + (unicodedata.east_asian_width(c) in "WF") for c in text if not unicodedata.combining(c)
    )
    return wide - text.count("\ufe0f")


def pad_to_columns(text: str, width: int) -> str:
    """Fill a text up with spaces to so many columns, or cut it to them."""
    while count_columns(text) > width:
        text = text[:-1]
    return text + " " * (width - count_columns(text))
