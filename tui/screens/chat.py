"""The chat: conversation, memory panel, composer, and what keeps them true to the store."""

from __future__ import annotations

import contextlib
import logging
import uuid
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from bot.commands.memories import parse_list_request as searched
from bot.events import CommandOutcome, Status, WindowMode
from memory.errors import MemoryError_
from tui.change_follower import PAGE, ChangeFollower
from tui.connection import AgentConnection
from tui.replies import QueuedMessage, ReplyQueue
from tui.screens.dialogs import list_hints
from tui.screens.memories import MemoryBrowserScreen
from tui.widgets.composer import Composer
from tui.widgets.conversation import Conversation
from tui.widgets.entries import ChoiceList, ConversationEntry, Divider, WelcomeText
from tui.widgets.header import Header, HeaderState, KeyHints, TideLine
from tui.widgets.panel import LearningNotice, MemoryPanel
from tui.widgets.reply import LiveReply
from tui.words import WindowLanguage

log = logging.getLogger(__name__)
WIDE = 100  # columns from which the panel has room of its own
KEEP = 0.5  # seconds after which what is typed outlives a crash
PULSE = 1.0  # seconds between looks at what other windows do


class ChatScreen(Screen[None]):
    """One window on the conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("ctrl+o,f3", "toggle_panel"),
        ("f4", "toggle_tokens"),
        ("ctrl+y", "copy_reply"),
        ("pageup", "page(-1)"),
        ("pagedown", "page(1)"),
        ("ctrl+home", "edge(-1)"),
        ("ctrl+end", "edge(1)"),
        ("shift+tab", "focus_entry(0)"),
        ("escape", "stop"),
    ]

    def __init__(self, link: AgentConnection, voice: WindowLanguage) -> None:
        super().__init__()
        self.link = link
        self.voice = voice
        self._counting = False
        self.header = Header()
        self.tide = TideLine()
        self.conversation = Conversation(voice)
        self.panel = MemoryPanel(voice)
        self.composer = Composer(voice)
        self.hints = KeyHints()
        self._elsewhere = Static(classes="elsewhere")
        self.replies = ReplyQueue(link, self.conversation, self.panel, self._command, self._changed)
        self.following = ChangeFollower(
            link,
            voice,
            self.conversation,
            self.panel,
            self._show_status,
            lambda: self.replies.writing,
        )
        self._status: Status | None = None
        self._panel_wanted: bool | None = None  # None: as the width allows
        self._leading = False  # a letter leads to the composer, and the focus is on its way there
        self._exhausted = False  # the beginning of the conversation is on screen
        self._history_mark = 0
        self._draft_id = f"draft-{uuid.uuid4().hex}"
        # As it was last stored; None: this window is being left.
        self._kept: dict[str, str] | None = {}

    def compose(self) -> ComposeResult:
        """Compose two lines on top, one at the bottom, conversation and panel between."""
        yield self.header
        yield self.tide
        with Horizontal(id="body"):
            yield self.conversation
            yield self.panel
        yield self._elsewhere
        yield self.composer
        yield self.hints

    def on_mount(self) -> None:
        """Be ready to be typed into before Ebb itself is there."""
        self._elsewhere.display = False
        self.composer.field.focus()
        self._fit(self.size.width)
        self._changed()

    # --- life ---

    async def begin(self) -> None:
        """Show what was said, now that Ebb is open, and follow what happens."""
        ebb, view = self.link.ebb, self.conversation
        self.voice.tz = ebb.tz
        await self._take_language()
        self.composer.set_commands(ebb.agent.list_commands())
        status = await self.link.status()
        messages = await self.link.history(PAGE)
        await view.reconcile(messages)
        self._exhausted = len(messages) < PAGE
        await view.enter_session(status.session_id or "", ebb.clock())
        if not messages:
            await view.mount(WelcomeText(self.voice))
        self.composer.history.fill([m.text for m in messages if m.role == "user" and m.text])
        self.following.begin(status)
        self.run_worker(self.following.listen(status.last_seq))
        self.run_worker(self.following.work())
        self.set_interval(PULSE, self.following.look)
        self._kept = await ebb.agent.take_unsent(ebb.owner)
        for key, text in self._kept.items():
            if key.startswith("draft-"):
                self.composer.restore(text)
            else:
                self.replies.ask(QueuedMessage(text, id=key))
        self.set_interval(KEEP, self.keep_unsent)
        self.run_worker(self._work())

    async def keep_unsent(self, *, last: bool = False) -> None:
        """Store draft and queue for whoever opens the next window, but nothing off the record."""
        if self._kept is None or not self.link.is_open:
            return
        texts = {}
        if self.link.mode is WindowMode.NORMAL:
            draft = QueuedMessage(self.composer.draft, id=self._draft_id)
            texts = self.replies.unsent(draft)
        before, self._kept = self._kept, None if last else texts
        if texts != before:
            with contextlib.suppress(MemoryError_):  # busy: what changes next is stored with it
                await self.link.agent.keep_unsent(self.link.ebb.owner, texts)

    async def _take_language(self) -> None:
        lang = await self.link.language()
        if lang != self.voice.lang:
            self.voice.lang = lang
            self.conversation.reword()
            self.panel.reword()
            self.composer.set_mode(self.link.mode)
            self._show_status(self._status)
            self._changed()

    def _show_status(self, status: Status | None) -> None:
        self._status = status
        self.header.state = HeaderState(self.voice.lang, self.link.mode, status, self._counting)
        elsewhere = status is not None and status.writing_elsewhere
        self._elsewhere.display = elsewhere and self.link.mode is WindowMode.NORMAL
        self._elsewhere.update(self.voice("elsewhere"))

    # --- speaking ---

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        """Queue it; it is answered as soon as what is before it has been."""
        self.replies.ask(QueuedMessage(event.text))
        self.run_worker(self.keep_unsent())
        if self.has_class("-over"):
            self.action_toggle_panel()
        self.conversation.anchor()

    async def _work(self) -> None:
        """Answer one turn after the other, as long as the window is open."""
        while True:
            try:
                await self.replies.work()
                await self.following.look()
                await self._take_language()
            except Exception as error:
                # The boundary of a turn: one sentence, and the window lives on; the store has what
                # was said.
                log.exception("a turn failed in the window")
                fault = self.voice("fault", what=type(error).__name__)
                await self.conversation.note(fault, ok=False)
                self._changed()

    async def _command(self, text: str) -> None:
        await self.keep_unsent()
        name, _, args = text[1:].partition(" ")
        outcome = await self.link.command(name, args.strip())
        if name in ("memories", "m") and outcome.ok and outcome.memories:
            word = searched(args)[0]
            self.app.push_screen(MemoryBrowserScreen(self.link, self.voice, outcome, word))
        else:
            await self.show(outcome, asked=text)

    async def show(self, outcome: CommandOutcome, *, asked: str = "") -> None:
        """Show whatever a command came to."""
        if outcome.mode is not None and outcome.mode is not self.link.mode:
            await self._enter_mode(outcome.mode)
        await self.conversation.note(outcome.text, ok=outcome.ok, asked=asked)
        await self.conversation.choose(outcome.choices)
        await self.conversation.enter_session(outcome.session_id or "", self.link.ebb.clock())
        if outcome.turn is not None:
            turn = replace(outcome.turn, id=outcome.turn.id or uuid.uuid4().hex)
            self.replies.ask(QueuedMessage(turn.text, turn), first=True)
        if outcome.quit:
            await self.run_action("app.leave")
        self.conversation.anchor()

    async def _enter_mode(self, mode: WindowMode) -> None:
        if self.link.mode is WindowMode.NORMAL:
            self._history_mark = len(self.composer.history)
        else:
            await self.conversation.forget_off_record()
            self.composer.history.cut(self._history_mark)
        self.link.mode = mode
        normal = mode is WindowMode.NORMAL
        for other in WindowMode:
            self.set_class(other is mode and not normal, f"-{other.value}")
        self.tide.mode = mode
        self.composer.set_mode(mode)
        self.panel.set_mode(mode)
        self._show_status(self._status)
        style = "$quiet" if normal else f"${mode.value}"
        await self.conversation.put(Divider(f"divider.{mode.value}", self.voice, style=style))

    async def on_choice_list_picked(self, event: ChoiceList.Picked) -> None:
        """Send the answer back."""
        self.action_focus_composer()
        await self.show(await self.link.command("choose", event.key))
        await self.following.refresh()

    async def on_learning_notice_undo(self, event: LearningNotice.Undo) -> None:
        """Take back what was learned."""
        self.action_focus_composer()
        for set_id in event.set_ids:
            outcome = await self.link.command("undo", set_id)
            for notice in self.query(LearningNotice) if outcome.ok else ():
                notice.drop(set_ids={set_id})
            await self.show(outcome)

    async def on_learning_notice_view(self, event: LearningNotice.View) -> None:
        """Look at a memory among the others."""
        found = await self.link.memories([event.memory_id])
        outcome = CommandOutcome(True, "", tuple(found.values()))
        self.app.push_screen(
            MemoryBrowserScreen(self.link, self.voice, outcome, "", event.memory_id)
        )

    def on_live_reply_retry(self, event: LiveReply.Retry) -> None:
        """Ask again."""
        if self.replies.retry(event.turn_id):
            self.action_focus_composer()

    async def on_composer_stop(self) -> None:
        """Stop the reply, as the key does anywhere else."""
        await self.action_stop()

    async def action_stop(self) -> None:
        """Stop the reply that is coming in; with none, take what waits back into the composer."""
        if await self.replies.stop() or self.composer.text:
            return
        if text := self.replies.take_back():
            self.composer.set_text(text)

    async def on_conversation_older(self) -> None:
        """Read further back."""
        if self._exhausted or not self.link.is_open or self.link.mode is not WindowMode.NORMAL:
            return
        wanted = self.conversation.stored + PAGE
        messages = await self.link.history(wanted)
        more = await self.conversation.load_older(messages)
        self._exhausted = not more or len(messages) < wanted

    # --- moving about ---

    def action_page(self, by: int) -> None:
        """Scroll the conversation by a page."""
        view = self.conversation
        (view.scroll_page_up if by < 0 else view.scroll_page_down)(animate=False)

    def action_edge(self, by: int) -> None:
        """Go to the top of what is loaded, or to the newest."""
        if by < 0:
            self.conversation.scroll_home(animate=False)
        else:
            self.conversation.anchor()

    def action_focus_entry(self, by: int) -> None:
        """Go into the messages, and up and down among them; below the last is the composer."""
        entries = self.conversation.entries()
        at = len(entries) - 1
        if by and isinstance(self.focused, ConversationEntry) and self.focused in entries:
            at = max(entries.index(self.focused) + by, 0)
        if 0 <= at < len(entries):
            entries[at].focus()
        else:
            self.action_focus_composer()

    def action_focus_composer(self) -> None:
        """Go back to writing."""
        self.composer.field.focus()

    def action_copy_reply(self) -> None:
        """Copy the last reply's Markdown."""
        if text := self.conversation.last_reply():
            self.app.copy_to_clipboard(text)
        else:
            self.notify(self.voice("copy.nothing"))

    def on_key(self, event: events.Key) -> None:
        """Lead back to the composer whoever types anywhere; spaces do so behind a first letter."""
        typed = event.character if event.is_printable else None
        own = event.key in self.active_bindings or typed == " "
        if typed and (self._leading or not own):
            event.stop()
            self._leading = True
            self.composer.field.focus()
            self.composer.field.insert(typed)

    def on_descendant_focus(self) -> None:
        """Show which keys matter now."""
        self._leading = False
        self._changed()

    # --- fitting ---

    def on_resize(self, event: events.Resize) -> None:
        """Show the panel by itself where there is room."""
        self._fit(event.size.width)

    def _fit(self, width: int) -> None:
        wide = width >= WIDE
        self.panel.display = wide if self._panel_wanted is None else self._panel_wanted
        self.set_class(bool(self.panel.display) and not wide, "-over")

    def action_toggle_panel(self) -> None:
        """Show or hide it; in the conversation's place where the window is narrow."""
        self._panel_wanted = not self.panel.display
        self._fit(self.size.width)

    def action_toggle_tokens(self) -> None:
        """Show today's tokens in the header, or its other words again."""
        self._counting = not self._counting
        self._show_status(self._status)

    def _changed(self) -> None:
        """Show what follows from queue, stream or focus."""
        if self.is_mounted:
            self.tide.flow(self.replies.writing)
            self.composer.waiting(self.replies.waiting)
            self.hints.pairs = list_hints(self.voice, self.focused, self.replies)
