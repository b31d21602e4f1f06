"""Markdown as one piece of text: what a long conversation's older replies are shown with.

A live `Markdown` widget is a tree of widgets (a hundred of them cost seconds, measured); this is a
single `Content` for a given width, which looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

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
    """Lay out `source` (Markdown) for `width` cells."""
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
    match node.type:
        case "paragraph" | "inline":
            yield from _inline(node).wrap(width)
        case "heading":
            yield from _inline(node).stylize(_HEADING).wrap(width)
        case "fence" | "code_block":
            yield from _code(node, width)
        case "blockquote":
            for line in _blocks(node.children, width - 2, depth):
                yield Content.assemble(("▌ ", "$border"), line)
        case "bullet_list" | "ordered_list":
            yield from _items(node, width, depth)
        case "table":
            yield from _table(node, width)
        case "hr":
            yield Content.styled("─" * width, "$line")
        case _ if node.children:
            yield from _blocks(node.children, width, depth)
        case _:
            yield from Content(node.content).wrap(width)


def _items(node: SyntaxTreeNode, width: int, depth: int) -> Iterator[Content]:
    tight = all(p.hidden for item in node.children for p in item.children if p.type == "paragraph")
    widest = max(len(item.info) for item in node.children) + 3
    for n, item in enumerate(node.children):
        mark = _BULLETS[depth % len(_BULLETS)]
        if node.type == "ordered_list":
            mark = f"{item.info}{item.markup} ".rjust(widest)
        if n and not tight:
            yield Content("")
        begin, indent = Content.styled(mark, "$primary"), cell_len(mark)
        for line in _blocks(item.children, width - indent, depth + 1, tight=tight):
            yield begin + line
            begin = Content(" " * indent)


def _code(node: SyntaxTreeNode, width: int) -> Iterator[Content]:
    language = node.info.split()[0] if node.info.strip() else None
    code = highlight(node.content.rstrip("\n").expandtabs(4), language=language)
    for row in [Content(""), *code.split("\n", allow_blank=True), Content("")]:
        for line in row.fold(width - 4):
            padded = line.pad_left(2).pad_right(max(0, width - 2 - line.cell_length))
            yield padded.stylize_before("$foreground on $code-background")


def _inline(node: SyntaxTreeNode) -> Content:
    """Return the text of a paragraph-like node, with its emphasis."""
    match node.type:
        case "text":
            return Content(node.content)
        case "code_inline":
            return Content.styled(node.content, _CODE)
        case "hardbreak" | "softbreak":
            return Content("\n" if node.type == "hardbreak" else " ")
        case "image":
            return Content(f"🖼  {node.content}")
    text = Content("").join([_inline(child) for child in node.children or ()])
    return text.stylize(_INLINE[node.type]) if node.type in _INLINE else text


def _table(node: SyntaxTreeNode, width: int) -> Iterator[Content]:
    parts = [row.children for part in node.children for row in part.children]
    rows = [[_inline(cell) for cell in row] for row in parts]
    columns = zip_longest(*rows, fillvalue=Content(""))
    widths = [max(cell.cell_length for cell in column) for column in columns]
    if sum(widths) + 2 * (len(widths) - 1) > width:  # too wide for columns: each row a line
        for row in rows:
            yield from Content(" · ").join(row).wrap(width)
        return
    for n, row in enumerate(rows):
        cells = [cell.pad_right(w - cell.cell_length) for cell, w in zip(row, widths, strict=False)]
        line = Content("  ").join(cells)
        yield line.stylize(_HEADING) if n == 0 else line
        if n == 0:
            yield Content.styled("─" * line.cell_length, "$line")
