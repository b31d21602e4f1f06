"""The first screen a person sees: what is kept, where, how to see and delete it; and who shall answer."""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import Screen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from bot.settings import Settings
from memory.text.output import clean_output
from tui.language import WindowLanguage
from tui.line_breaks import one_line
from tui.setup import SetupChoice, SetupError, Way, apply_choice, list_ollama_models

_WAYS: tuple[Way, ...] = ("openai", "endpoint", "ollama", "offline")
_SHOWN = 3  # models named in the list of ways


class FirstRunScreen(Screen[Settings]):
    """Dismissed with the settings that were checked and saved."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def __init__(self, settings: Settings, voice: WindowLanguage) -> None:
        super().__init__()
        self._settings = settings
        self._voice = voice
        self._models: list[str] | None = None  # None: still looking
        self._way: Way | None = None
        self._key_for = ""  # whom the key was typed for
        say = voice
        self._ways = OptionList(classes="ways", compact=True)
        self._url = Input(placeholder=say("first.url"), classes="field url", compact=True)
        self._key = Input(password=True, classes="field key", compact=True)
        self._model = Input(classes="field model", compact=True)
        self._pick = OptionList(classes="pick", compact=True)
        self._go = Button(say("first.check"), variant="primary", compact=True, classes="go")
        self._said = Static(classes="problem")
        self._form = Vertical(
            self._url, self._key, self._model, self._pick, self._go, classes="form"
        )

    def compose(self) -> ComposeResult:
        """Promises first, then the question."""
        say = self._voice
        with VerticalScroll(classes="first"):
            yield Static(
                Content.styled(f"≋ {say('first.title')}", "bold $primary"), classes="hello"
            )
            yield Static(Content(say("first.what")))
            yield Static(
                Content.assemble(
                    say("first.kept"), "\n", (f"  {self._settings.database}", "$sand")
                ),
                classes="para",
            )
            yield Static(Content(say("first.see")), classes="para")
            yield Static(Content.styled(say("first.sent"), "$quiet"), classes="para")
            yield Static(Content.styled(say("first.who"), "bold"), classes="para")
            yield self._ways
            yield self._form
            yield self._said
            yield Static(
                Content.styled(say("first.later", path=str(self._settings.env_file)), "$quiet"),
                classes="para",
            )
        yield Static(Content.styled(f" {say('first.hint')}", "$quiet"), classes="foot-hint")

    def on_mount(self) -> None:
        """Look for an Ollama meanwhile."""
        self._form.display = False
        self._said.display = False
        self._fill()
        self._ways.highlighted = _WAYS.index("offline")  # what works at once, with nothing to paste
        self._ways.focus()
        self.run_worker(self._look(), group="ollama")

    def on_key(self, event: Key) -> None:
        """A number chooses as Enter does."""
        if not self._ways.has_focus or event.character not in [
            str(i + 1) for i in range(len(_WAYS))
        ]:
            return
        event.stop()
        at = int(event.character or 0) - 1
        if not self._ways.get_option_at_index(at).disabled:
            self._ways.highlighted = at
            self._ways.action_select()

    async def _look(self) -> None:
        self._models = await list_ollama_models(self._settings)
        self._fill()

    def _fill(self) -> None:
        say, at = self._voice, self._ways.highlighted
        found = self._models
        more = {
            "openai": say("first.openai.more"),
            "endpoint": say("first.endpoint.more"),
            "ollama": say("first.ollama.looking")
            if found is None
            else say("first.ollama.more", models=", ".join(map(one_line, found[:_SHOWN])))
            if found
            else say("first.ollama.none"),
            "offline": say("first.offline.more"),
        }
        self._ways.clear_options()
        for n, way in enumerate(_WAYS, 1):
            text = Content.assemble(
                (f"{n} ", "$quiet"),
                (say(f"first.{way}"), "bold"),
                "\n",
                (f"  {more[way]}", "$quiet"),
            )
            self._ways.add_option(Option(text, id=way, disabled=way == "ollama" and not found))
        self._ways.highlighted = at

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A way to go, or a model of Ollama's."""
        event.stop()
        if event.option_list is self._pick:
            self._model.value = str(event.option.id)
            self._begin()
            return
        way: Way = next(way for way in _WAYS if way == event.option.id)
        self._way = way
        self._problem("")
        if way == "offline":
            self._begin()
        else:
            self._open_form(way)

    def _open_form(self, way: Way) -> None:
        say = self._voice
        self._form.display = True
        self._url.display = way == "endpoint"
        self._key.display = self._model.display = self._go.display = way != "ollama"
        self._pick.display = way == "ollama"
        self._key.placeholder = say("first.key" if way == "openai" else "first.key.optional")
        self._model.placeholder = say("first.model.openai" if way == "openai" else "first.model")
        if way == "ollama":
            self._pick.clear_options()
            self._pick.add_options(
                Option(clean_output(name), id=name) for name in self._models or ()
            )
            self._pick.highlighted = 0
            self._pick.focus()
        else:
            (self._url if way == "endpoint" else self._key).focus()
        self.call_after_refresh(self._form.scroll_visible, animate=False)

    def _whom(self) -> str:
        """Who would receive the key: the way, or scheme and host of the address."""
        url = urlsplit(self._url.value.strip().lower())
        return (
            f"{url.scheme}://{url.netloc}"
            if self._way == "endpoint" and url.netloc
            else str(self._way)
        )

    def on_input_changed(self, event: Input.Changed) -> None:
        """A key is for whoever was chosen when it was typed."""
        if event.input is self._key:
            self._key_for = self._whom()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """On to the next field; after the last, check."""
        event.stop()
        fields = [f for f in (self._url, self._key, self._model) if f.display]
        at = fields.index(event.input)
        if at + 1 < len(fields):
            fields[at + 1].focus()
        else:
            self._begin()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Check."""
        event.stop()
        self._begin()

    def _begin(self) -> None:
        if self._way is None:
            return
        if self._key.display and self._key.value and self._key_for not in (self._whom(), self._way):
            self._key.value = ""
            self._key.focus()
            self._problem(self._voice("first.key.again"))
            return
        self._key_for = self._whom()
        wish = SetupChoice(self._way, self._key.value, self._url.value, self._model.value)
        self._problem(
            self._voice("first.checking") if self._way != "offline" else "", style="$quiet"
        )
        self.run_worker(self._settle(wish), group="settle", exclusive=True)

    async def _settle(self, wish: SetupChoice) -> None:
        try:
            settings = await apply_choice(self._settings, wish, self._voice)
        except SetupError as error:
            self._problem(str(error))
        else:
            self.dismiss(settings)

    def _problem(self, text: str, style: str = "$error") -> None:
        self._said.display = bool(text)
        self._said.update(Content.styled(clean_output(text), style))
        if text:
            self._said.scroll_visible(animate=False)

    def action_back(self) -> None:
        """From the form to the list of ways."""
        self._form.display = False
        self._problem("")
        self._ways.focus()
