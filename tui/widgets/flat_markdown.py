"""Markdown as one piece of text: what a long conversation's older replies are shown with.

A live `Markdown` widget is a tree of widgets (a hundred of them cost seconds, measured); this is a
single `Content` for a given width, which looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it.tree import SyntaxTreeNode
from rich.cells import cell_len
from textual.content import Content
from textual.highlight import highlight

from bot.markdown import build_markdown_parser

_BULLETS = ("• ", "▪ ", "‣ ", "◦ ")
_HEADING = "bold $markdown-h2-color"
_INLINE = {"em": "italic", "strong": "bold", "s": "strike", "link": "underline $primary"}
_CODE = "$accent on $code-background"
_MIN_WIDTH = 8


def render_markdown(source: str, width: int) -> Content:
    """`source` (Markdown) laid out for `width` cells."""
    width = max(width, _MIN_WIDTH)
    tree = SyntaxTreeNode(build_markdown_parser(spell_urls=True).parse(source))
    return Content("\n").join(list(_blocks(tree.children, width)))


def _blocks(
    nodes: Sequence[SyntaxTreeNode], width: int, depth: int = 0, *, tight: bool = False
) -> Iterator[Content]:
    for i, node in enumerate(nodes):
        if i and not tight:
            yield Content("")
        yield from _block(node, width, depth)


def _block(node: SyntaxTreeNode, width: int, depth: int) -> Iterator[Content]:
    if node.type in ("paragraph", "inline"):
        yield from _inline(node).wrap(width)
    elif node.type == "heading":
        yield from _inline(node).stylize(_HEADING).wrap(width)
    elif node.type in ("fence", "code_block"):
        yield from _code(node, width)
    elif node.type == "blockquote":
        for line in _blocks(node.children, width - 2, depth):
            yield Content.assemble(("▌ ", "$border"), line)
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _items(node, width, depth)
    elif node.type == "table":
        yield from _table(node, width)
    elif node.type == "hr":
        yield Content.styled("─" * width, "$line")
    elif node.children:
        yield from _blocks(node.children, width, depth)
    else:
        yield from Content(node.content).wrap(width)


def _items(node: SyntaxTreeNode, width: int, depth: int) -> Iterator[Content]:
    tight = all(p.hidden for item in node.children for p in item.children if p.type == "paragraph")
    widest = max(len(item.info) for item in node.children) + 3
    for n, item in enumerate(node.children):
        numbered = node.type == "ordered_list"
        mark = (
            f"{item.info}{item.markup} ".rjust(widest)
            if numbered
            else _BULLETS[depth % len(_BULLETS)]
        )
        if n and not tight:
            yield Content("")
        indent = cell_len(mark)
        for i, line in enumerate(_blocks(item.children, width - indent, depth + 1, tight=tight)):
            yield (
                Content.assemble((mark, "$primary"), line)
                if i == 0
                else Content(" " * indent) + line
            )


def _code(node: SyntaxTreeNode, width: int) -> Iterator[Content]:
    language = node.info.split()[0] if node.info.strip() else None
    code = highlight(node.content.rstrip("\n").expandtabs(4), language=language)
    for row in [Content(""), *code.split("\n", allow_blank=True), Content("")]:
        for line in row.fold(width - 4):
            padded = line.pad_left(2).pad_right(max(0, width - 2 - line.cell_length))
            yield padded.stylize_before("$foreground on $code-background")


def _inline(node: SyntaxTreeNode) -> Content:
    """The text of a paragraph-like node, with its emphasis."""
    if node.type == "text":
        return Content(node.content)
    if node.type == "code_inline":
        return Content.styled(node.content, _CODE)
    if node.type == "hardbreak":
        return Content("\n")
    if node.type == "softbreak":
        return Content(" ")
    if node.type == "image":
        return Content(f"🖼  {node.content}")
    text = Content("").join([_inline(child) for child in node.children or ()])
    return text.stylize(_INLINE[node.type]) if node.type in _INLINE else text


def _table(node: SyntaxTreeNode, width: int) -> Iterator[Content]:
    rows = [
        [_inline(cell) for cell in row.children] for part in node.children for row in part.children
    ]
    columns = max((len(row) for row in rows), default=0)
    widths = [
        max((r[c].cell_length for r in rows if c < len(r)), default=0) for c in range(columns)
    ]
    if sum(widths) + 2 * (columns - 1) > width:  # too wide for columns: each row a line of its own
        for row in rows:
            yield from Content(" · ").join(row).wrap(width)
        return
    for n, row in enumerate(rows):
        cells = [cell.pad_right(widths[c] - cell.cell_length) for c, cell in enumerate(row)]
        line = Content("  ").join(cells)
        yield line.stylize(_HEADING) if n == 0 else line
        if n == 0:
            yield Content.styled("─" * line.cell_length, "$line")
