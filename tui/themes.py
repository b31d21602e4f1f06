"""Four looks: the tide at night, the shore by day, one for colour-blind eyes, and the terminal's
own colours.

No meaning rests on colour alone: every state has a word or a glyph as well.
"""

from __future__ import annotations

from textual.theme import Theme

_MARKDOWN = {
    "markdown-h1-background": "transparent",
    "markdown-h2-background": "transparent",
    "markdown-h3-background": "transparent",
    "markdown-h1-text-style": "bold",
    "markdown-h2-text-style": "bold",
    "markdown-h3-text-style": "bold",
    "markdown-h4-text-style": "bold",
    "markdown-h5-text-style": "bold",
    "markdown-h6-text-style": "bold",
}


def _headings(color: str) -> dict[str, str]:
    return {f"markdown-h{n}-color": color for n in range(1, 7)}


TIDE = Theme(
    name="tide",
    dark=True,
    primary="#6cc0ad",
    secondary="#dcc59a",
    accent="#e7a886",
    success="#86c79b",
    warning="#e8bd6d",
    error="#e88675",
    foreground="#dde6e0",
    background="#0d181a",
    surface="#122124",
    panel="#1a2d30",
    variables={
        **_MARKDOWN,
        **_headings("#8fd3c2"),
        "quiet": "#84999a",
        "line": "#22383b",
        "sand": "#dcc59a",
        "code-background": "#152729",
        "temp": "#e8bd6d",
        "private": "#b9a3e3",
        "badge-text": "#0d181a",
        "border": "#3f7d72",
        "border-blurred": "#22383b",
        "block-cursor-background": "#2a4a4a",
        "block-cursor-foreground": "#f1f6f2",
        "block-cursor-text-style": "none",
        "input-selection-background": "#6cc0ad 30%",
        "scrollbar": "#22383b",
        "scrollbar-hover": "#2f5054",
        "scrollbar-active": "#3f7d72",
        "scrollbar-background": "#0d181a",
        "scrollbar-background-hover": "#0d181a",
        "scrollbar-background-active": "#0d181a",
        "button-color-foreground": "#0d181a",
    },
)

SHORE = Theme(
    name="shore",
    dark=False,
    primary="#18756a",
    secondary="#8a6832",
    accent="#ad5632",
    success="#2c7550",
    warning="#8a5f00",
    error="#ad3b30",
    foreground="#22393a",
    background="#f8f3e8",
    surface="#fffbf2",
    panel="#ece4d2",
    variables={
        **_MARKDOWN,
        **_headings("#18756a"),
        "quiet": "#66726c",
        "line": "#ddd2bb",
        "sand": "#8a6832",
        "code-background": "#efe8d8",
        "temp": "#8a5f00",
        "private": "#6a4fa3",
        "badge-text": "#fffbf2",
        "border": "#5fa396",
        "border-blurred": "#ddd2bb",
        "block-cursor-background": "#d5e6dd",
        "block-cursor-foreground": "#22393a",
        "block-cursor-text-style": "none",
        "input-selection-background": "#18756a 25%",
        "scrollbar": "#ddd2bb",
        "scrollbar-hover": "#c9bda0",
        "scrollbar-active": "#5fa396",
        "scrollbar-background": "#f8f3e8",
        "scrollbar-background-hover": "#f8f3e8",
        "scrollbar-background-active": "#f8f3e8",
        "button-color-foreground": "#fffbf2",
    },
)

# Okabe and Ito's palette: told apart with every common kind of colour vision.
CLEAR = Theme(
    name="clear",
    dark=True,
    primary="#56b4e9",
    secondary="#f0e442",
    accent="#cc79a7",
    success="#56b4e9",
    warning="#e69f00",
    error="#ff8a4c",
    foreground="#f2f2f2",
    background="#101216",
    surface="#181b21",
    panel="#20242c",
    variables={
        **_MARKDOWN,
        **_headings("#56b4e9"),
        "quiet": "#a3a9b3",
        "line": "#333a45",
        "sand": "#f0e442",
        "code-background": "#1d2128",
        "temp": "#e69f00",
        "private": "#cc79a7",
        "badge-text": "#101216",
        "border": "#56b4e9",
        "border-blurred": "#333a45",
        "block-cursor-background": "#2a4a63",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-text-style": "bold",
        "input-selection-background": "#56b4e9 35%",
        "scrollbar": "#333a45",
        "scrollbar-background": "#101216",
        "scrollbar-background-hover": "#101216",
        "scrollbar-background-active": "#101216",
        "button-color-foreground": "#101216",
    },
)

# Only the terminal's sixteen colours, on its own background: right on any scheme, and with
# NO_COLOR.
ANSI = Theme(
    name="ansi",
    ansi=True,
    dark=True,
    primary="ansi_cyan",
    secondary="ansi_yellow",
    accent="ansi_magenta",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_red",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        **_MARKDOWN,
        **_headings("ansi_cyan"),
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "foreground-disabled": "ansi_bright_black",
        "surface-active": "ansi_default",
        "quiet": "ansi_default",
        "line": "ansi_bright_black",
        "sand": "ansi_yellow",
        "code-background": "ansi_default",
        "temp": "ansi_yellow",
        "private": "ansi_magenta",
        "badge-text": "ansi_default",
        "border": "ansi_cyan",
        "border-blurred": "ansi_bright_black",
        "block-cursor-background": "ansi_cyan",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-text-style": "bold",
        "scrollbar": "ansi_bright_black",
        "scrollbar-hover": "ansi_cyan",
        "scrollbar-active": "ansi_cyan",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
    },
)

THEMES = {theme.name: theme for theme in (TIDE, SHORE, CLEAR, ANSI)}
