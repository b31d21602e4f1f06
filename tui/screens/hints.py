"""Which keys matter now."""

from __future__ import annotations

from textual.widget import Widget

from tui.language import WindowLanguage
from tui.replies import ReplyQueue
from tui.widgets.dividers import ChoiceList
from tui.widgets.entries import ConversationEntry
from tui.widgets.notice import LearningNotice
from tui.widgets.reply import LiveReply


def list_hints(
    say: WindowLanguage, focused: Widget | None, replies: ReplyQueue
) -> tuple[tuple[str, str], ...]:
    """(key, word) for the bottom line, the most important first."""
    if isinstance(focused, ChoiceList):
        return (("1–9", say("hint.choose")), ("Esc", say("hint.back")))
    if isinstance(focused, ConversationEntry):
        pairs = [("↑↓", say("hint.messages")), ("c", say("copy"))]
        if isinstance(focused, LearningNotice):
            pairs += [("v", say("view")), ("u", say("undo"))]
        if isinstance(focused, LiveReply) and focused.failed:
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
