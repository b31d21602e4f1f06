"""The first screen: what is kept, where, how to see and delete it; and who shall answer."""

from __future__ import annotations

from contextlib import aclosing
from typing import ClassVar
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from bot.settings import Settings
from memory.api import clean_output
from tui.setup import WAYS, SetupChoice, SetupError, Way, apply_choice, list_ollama_models
from tui.words import WindowLanguage, one_line

_SHOWN = 3  # models named in the list of ways


class FirstRunScreen(Screen[Settings]):
    """Dismissed with the settings that were checked and saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "back"),
        *((str(n), f"choose({n})") for n in range(1, len(WAYS) + 1)),
    ]

    def __init__(self, settings: Settings, voice: WindowLanguage) -> None:
        super().__init__()
        self._settings = settings
        self._voice = voice
        self._models: list[str] | None = None  # None: there is no Ollama
        self._looking = True
        self._way: Way | None = None
        self._key_for = ""  # whom the key was typed for
        self._ways = OptionList(classes="ways", compact=True)
        self._url = Input(placeholder=voice("first.url"), classes="field url", compact=True)
        self._key = Input(password=True, classes="field key", compact=True)
        self._model = Input(classes="field model", compact=True)
        self._pick = OptionList(classes="pick", compact=True)
        self._go = Button(voice("first.check"), variant="primary", compact=True, classes="go")
        self._said = Static(classes="problem")
        fields = (self._url, self._key, self._model, self._pick, self._go)
        self._form = Vertical(*fields, classes="form")

    def compose(self) -> ComposeResult:
        """Compose promises first, then the question."""
        say = self._voice
        where = (f"  {self._settings.database}", "$sand")
        later = say("first.later", path=str(self._settings.env_file))
        title = Content.styled(f"≋ {say('first.title')}", "bold $primary")
        with VerticalScroll(classes="first"):
            yield Static(title, classes="hello")
            yield Static(Content(say("first.what")))
            for para in (
                Content.assemble(say("first.kept"), "\n", where),
                Content(say("first.see")),
                Content.styled(say("first.sent"), "$quiet"),
                Content.styled(say("first.who"), "bold"),
            ):
                yield Static(para, classes="para")
            yield self._ways
            yield self._form
            yield self._said
            yield Static(Content.styled(later, "$quiet"), classes="para")
        yield Static(Content.styled(f" {say('first.hint')}", "$quiet"), classes="foot-hint")

    def on_mount(self) -> None:
        """Look for an Ollama meanwhile."""
        self._form.display = self._said.display = False
        self._fill()
        self._ways.highlighted = WAYS.index("offline")  # what works at once, with nothing to paste
        self._ways.focus()
        self.run_worker(self._look())

    async def _look(self) -> None:
        self._models = await list_ollama_models(self._settings)
        self._looking = False
        self._fill()

    def _fill(self) -> None:
        say, at, found = self._voice, self._ways.highlighted, self._models
        ollama = say("first.ollama.none" if found is None else "first.ollama.empty")
        if self._looking:
            ollama = say("first.ollama.looking")
        elif found:
            ollama = say("first.ollama.more", models=", ".join(map(one_line, found[:_SHOWN])))
        self._ways.clear_options()
        for n, way in enumerate(WAYS, 1):
            more = ollama if way == "ollama" else say(f"first.{way}.more")
            name = (say(f"first.{way}"), "bold")
            text = Content.assemble((f"{n} ", "$quiet"), name, "\n", (f"  {more}", "$quiet"))
            self._ways.add_option(Option(text, id=way, disabled=way == "ollama" and found is None))
        self._ways.highlighted = at

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Leave digits to the fields while one types there."""
        return action != "choose" or self._ways.has_focus

    def action_choose(self, n: int) -> None:
        """Choose by a number as Enter does."""
        if not self._ways.get_option_at_index(n - 1).disabled:
            self._ways.highlighted = n - 1
            self._ways.action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take a way to go, or a model of Ollama's."""
        event.stop()
        if event.option_list is self._pick:
            name = str(event.option.id)
            if name not in (self._models or ()):
                self.run_worker(self._fetch(name), group="settle", exclusive=True)
                return
            self._model.value = name
        else:
            self._way = WAYS[event.option_index]
            self._problem("")
        if event.option_list is self._pick or self._way == "offline":
            self._begin()
        else:
            self._open_form()

    def _open_form(self) -> None:
        say, way = self._voice, self._way
        own = "first.model.openai" if way == "openai" else "first.model"
        self._form.display = True
        self._url.display = way == "endpoint"
        self._key.display = self._model.display = self._go.display = way != "ollama"
        self._pick.display = way == "ollama"
        self._key.placeholder = say("first.key" if way == "openai" else "first.key.optional")
        self._model.placeholder = say(own)
        if way == "ollama":
            self._list_models()
        first = {"ollama": self._pick, "endpoint": self._url}.get(str(way), self._key)
        first.focus()
        self.call_after_refresh(self._form.scroll_visible, animate=False)

    def _list_models(self) -> None:
        """List Ollama's models, and behind them those that it could fetch."""
        from bot.cli.model import list_offers, measure_memory  # not before the first paint

        found, say = self._models or [], self._voice
        offers = list_offers(measure_memory(), say.lang)
        rows = {n: say("first.fetch", offer=text) for n, text in offers.items()}
        rows = {n: clean_output(n) for n in found} | {n: rows[n] for n in rows if n not in found}
        self._pick.set_options(Option(text, id=name) for name, text in rows.items())
        self._pick.highlighted = 0

    async def _fetch(self, name: str) -> None:
        """Fetch a model, and put it first: what it is worth is read before it is chosen."""
        from bot.cli import model
        from bot.llm.providers import FetchError

        say, told = self._voice, list[str]()
        try:
            async with aclosing(model.fetch_model(self._settings, name, say.lang)) as steps:
                async for text, passing in steps:
                    shown = [*told, text, say("first.fetching")]
                    told += [] if passing else [text]
                    self._problem("\n".join(shown), style="$quiet")
        except FetchError as error:
            self._problem(model.say(say.lang, f"failed.{error}", name=name))
            return
        self._problem("\n".join([*told, say("first.fetched")]), style="$quiet")
        self._models = [name, *(self._models or ())]
        self._list_models()

    def _whom(self) -> str:
        """Return who would receive the key: the way, or scheme and host of the address."""
        url = urlsplit(self._url.value.strip().lower())
        named = self._way == "endpoint" and url.netloc
        return f"{url.scheme}://{url.netloc}" if named else str(self._way)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep a key for whoever was chosen when it was typed."""
        if event.input is self._key:
            self._key_for = self._whom()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the next field; after the last, check."""
        event.stop()
        fields = [f for f in (self._url, self._key, self._model) if f.display]
        following = fields[fields.index(event.input) + 1 :]
        if following:
            following[0].focus()
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
        asks = self._way != "offline"
        self._problem(self._voice("first.checking") if asks else "", style="$quiet")
        self.run_worker(self._settle(wish), group="settle", exclusive=True)

    async def _settle(self, wish: SetupChoice) -> None:
        try:
            self.dismiss(await apply_choice(self._settings, wish, self._voice))
        except SetupError as error:
            self._problem(str(error))

    def _problem(self, text: str, style: str = "$error") -> None:
        self._said.display = bool(text)
        self._said.update(Content.styled(clean_output(text), style))
        if text:
            self._said.scroll_visible(animate=False)

    def action_back(self) -> None:
        """Go from the form to the list of ways; what is being fetched stops."""
        self.workers.cancel_group(self, "settle")
        self._form.display = False
        self._problem("")
        self._ways.focus()
