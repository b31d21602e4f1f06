"""Which keys matter now."""

from __future__ import annotations

from textual.widget import Widget

from tui.replies import Replies
from tui.voice import Voice
from tui.widgets.entries import Entry
from tui.widgets.marks import Choices
from tui.widgets.notice import Notice
from tui.widgets.reply import Reply


def hints(say: Voice, focused: Widget | None, replies: Replies) -> tuple[tuple[str, str], ...]:
    """(key, word) for the bottom line, the most important first."""
    if isinstance(focused, Choices):
        return (("1–9", say("hint.choose")), ("Esc", say("hint.back")))
    if isinstance(focused, Entry):
        pairs = [("↑↓", say("hint.messages")), ("c", say("copy"))]
        if isinstance(focused, Notice):
            pairs += [("v", say("view")), ("u", say("undo"))]
        if isinstance(focused, Reply) and focused.failed:
            pairs += [("r", say("retry"))]
        return (*pairs, ("Esc", say("hint.back")))
    pairs = [("Enter", say("hint.send"))]
    if replies.writing:
        pairs = [("Esc", say("hint.stop")), *pairs]
    elif replies.waiting:
        pairs += [("Esc", say("hint.unqueue"))]
    return (
        *pairs,
        ("/", say("hint.commands")),
        ("Ctrl+J", say("hint.newline")),
        ("Ctrl+O", say("hint.panel")),
        ("F1", say("hint.keys")),
        ("Ctrl+Q", say("hint.quit")),
    )
