"""What somebody may choose for the whole program, in one view: each choice holds at once, or it is said when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QVBoxLayout, QWidget

import inference
from desktop import wording
from desktop.model_choice import CPU, ModelChoice, ModelState, name_of
from desktop.secrets import KeyPlace
from desktop.settings import FONT_SIZES, ZOOMS, ColourScheme, SendingKey, Settings, SettingsFile
from desktop.spoken import spoken
from desktop.theme import Theme
from desktop.translation import LANGUAGES
from desktop.upkeep import Upkeep
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.fields import Choice, Number
from desktop.widgets.form import Page, Quiet, Row, Side
from desktop.widgets.line_field import LineField
from desktop.widgets.prompt_field import enter_words
from desktop.widgets.switch import Switch
from inference import MOST_THREADS, KvType, ProxyKind, RemoteModel, is_proxy_address

FolderChooser = Callable[[QWidget, Path], Path | None]

_WIDTH = 680
_MOST_TOKENS = 2**24
_MOST_LAYERS = 999
_MOST_MEGABYTES = 2**24
_GIGABYTE = 1e9


def ask_for_folder(parent: QWidget, start: Path) -> Path | None:
    """The platform's folder chooser; `None` when it was put away."""
    from PySide6.QtWidgets import QFileDialog

    name = QFileDialog.getExistingDirectory(parent, parent.tr("Choose a folder"), str(start))
    return Path(name) if name else None


class Preferences(Page):
    """Shows the settings and saves what is chosen; the rest of the program listens to them."""

    server_wanted = Signal(str)  # a server's address, to be named or given another key; empty for a new one
    said = Signal(str)  # a sentence for the person

    def __init__(
        self,
        theme: Theme,
        settings: SettingsFile,
        models: ModelChoice,
        upkeep: Upkeep,
        choose_folder: FolderChooser = ask_for_folder,
    ) -> None:
        super().__init__(theme, _WIDTH)
        self._settings = settings
        self._models = models
        self._upkeep = upkeep
        self._choose_folder = choose_folder
        self.set_title(self.tr("Preferences"), self.tr("Close the preferences (Esc)"))
        self._add_appearance()
        self._add_writing()
        self._add_model()
        self._add_states()
        self._add_servers()
        self._add_folders()
        self._add_deletion()
        self.column.addStretch(1)
        self.set_theme(theme)
        self.show_settings()
        settings.listen(self._on_settings)
        models.changed.connect(self._show_whether_loaded)
        upkeep.devices_listed.connect(self.show_devices)
        upkeep.keys_kept.connect(self._show_where_keys_are)

    def look(self) -> None:
        """Ask the machine anew what it has: to be called whenever this is opened."""
        self.show_settings()
        self._upkeep.look()

    def show_settings(self) -> None:
        """Show the settings as they are now."""
        now = self._settings.current
        for choice, value in (
            (self.colours, now.colour_scheme),
            (self.language, now.language),
            (self.font_family, now.font_family),
            (self.font_size, now.font_size),
            (self.sending_key, now.send_with),
            (self.device, now.device),
            (self.kv_type, now.kv_type),
            (self.proxy, now.proxy),
        ):
            choice.show_value(value)
        for number, shown in (
            (self.zoom, now.zoom),
            (self.gpu_layers, now.gpu_layers),
            (self.threads, now.threads),
            (self.context_size, now.context_size),
            (self.unload_after, now.unload_after_minutes),
            (self.states_in_memory, now.kv_memory_megabytes),
            (self.states_on_disk, now.kv_disk_megabytes or Settings().kv_disk_megabytes),
        ):
            number.show_number(shown)
        for switch, is_on in (
            (self.reduced_motion, now.reduced_motion),
            (self.streaming, now.streaming),
            (self.thinking, now.thinking),
            (self.restore_place, now.restore_place),
            (self.keep_on_disk, now.kv_disk_megabytes > 0),
        ):
            switch.setChecked(is_on)
        self.states_on_disk.setEnabled(now.kv_disk_megabytes > 0)
        self._show_proxy(now)
        self._show_servers(now.servers)
        self._models_row.set_hint(str(self._upkeep.models_folder))
        self.usual_models_button.setVisible(bool(now.models_folder))
        self._show_whether_loaded(self._models.state)

    def show_devices(self, devices: tuple[inference.Device, ...]) -> None:
        """Offer these to compute on."""
        offered: list[tuple[str, object]] = [(self.tr("Automatic"), "")]
        offered += [(self._device_words(device), device.name) for device in devices]
        self.device.offer(offered)
        self.device.show_value(self._settings.current.device)
        gpus = [device for device in devices if device.kind is not inference.DeviceKind.CPU]
        if devices and not any(device.total for device in gpus):
            self._device_row.set_hint(self.tr("The installed llama.cpp sees no GPU here."))

    # The sections

    def _add_appearance(self) -> None:
        tr, theme = self.tr, self._theme
        self.add_heading(tr("Appearance"))
        self.colours = self._choice(
            tr("Colours"),
            "colour_scheme",
            (
                (tr("As the system"), ColourScheme.SYSTEM),
                (tr("Light"), ColourScheme.LIGHT),
                (tr("Dark"), ColourScheme.DARK),
            ),
        )
        languages = [(tr("The system's"), "")] + [(name, code) for code, name in LANGUAGES.items()]
        self.language = self._choice(tr("Language"), "language", languages, tr("Holds from the next start."))
        families = [family for family in QFontDatabase.families() if not QFontDatabase.isPrivateFamily(family)]
        usual = (tr("The system's"), "")
        self.font_family = self._choice(tr("Font"), "font_family", (usual, *((name, name) for name in families)))
        sizes = [(tr("{size} pt").format(size=size), size) for size in range(FONT_SIZES[0], FONT_SIZES[1] + 1)]
        self.font_size = self._choice(tr("Size"), "font_size", ((tr("The system's"), None), *sizes))
        self.zoom = Number(theme, tr("Zoom of messages"), *ZOOMS, unit="%", step=10)
        self._keep(self.zoom, "zoom")
        self.add_row(tr("Zoom of messages"), self.zoom, tr("Also with Ctrl and + or -; Ctrl+0 is 100 %."))
        self.reduced_motion = self._switch(
            tr("Reduced motion"),
            "reduced_motion",
            tr("Carets do not blink, and nothing fades or slides. Where the system asks for it, it is so already."),
        )

    def _add_writing(self) -> None:
        tr = self.tr
        self.add_heading(tr("Writing and reading"))
        keys = tuple((enter_words(key), key) for key in SendingKey)
        hint = tr("The other one begins a new line, as does Shift+Enter.")
        self.sending_key = self._choice(tr("Send with"), "send_with", keys, hint)
        self.streaming = self._switch(
            tr("Streaming"),
            "streaming",
            tr("On: a reply appears while it is written. Off: whole, at its end. The model is as fast either way."),
        )
        self.thinking = self._switch(
            tr("Thinking"), "thinking", tr("Before the answer, with models that have a switch for it.")
        )
        self.restore_place = self._switch(
            tr("Begin where I left"),
            "restore_place",
            tr("A start opens the last conversation where it was read."),
        )

    def _add_model(self) -> None:
        tr, theme = self.tr, self._theme
        self.add_heading(tr("Models on this machine"))
        self.device = Choice(theme, tr("Device"))
        self.device.offer(((tr("Automatic"), ""),))
        self.device.picked.connect(self._set_device)
        self._device_row = self.add_row(
            tr("Device"), self.device, tr("What computes. Automatic takes the GPU where there is one.")
        )
        self.gpu_layers = self._number(
            tr("Layers on the GPU"),
            "gpu_layers",
            (0, _MOST_LAYERS),
            tr("Automatic puts as many there as are forecast to fit (n_gpu_layers)."),
        )
        kinds = ((tr("f16, exact"), KvType.F16), (tr("q8_0, half the memory"), KvType.Q8_0))
        self.kv_type = self._choice(
            tr("KV cache"), "kv_type", kinds, tr("How what was read is kept. q8_0 is a little less exact.")
        )
        self.threads = self._number(
            tr("Threads"), "threads", (1, MOST_THREADS), tr("Automatic takes what was measured to be fastest.")
        )
        self.context_size = Number(
            theme,
            tr("Context window"),
            512,
            _MOST_TOKENS,
            open_words=tr("Automatic"),
            unit=tr("tokens"),
            step=512,
        )
        self.context_size.picked.connect(self._set_context_size)
        self.add_row(
            tr("Context window"),
            self.context_size,
            tr("What a model can read at once (n_ctx). Automatic is 4,096, or less where it was trained for less."),
        )
        self.unload_after = Number(
            theme, tr("Free an idle model"), 1, 24 * 60, open_words=tr("Never"), unit=tr("minutes"), step=5
        )
        self._keep(self.unload_after, "unload_after_minutes")
        self.add_row(
            tr("Free an idle model"),
            self.unload_after,
            tr("After so long without a question its memory is given back; the next message loads it again."),
        )
        self._loaded_words = Quiet(theme)
        self.load_button = Button(theme, text=tr("Load it so now"), kind=ButtonKind.OUTLINED)
        self.load_button.clicked.connect(self._models.load_as_wished)
        self.add(self._loaded_words)
        self.add(self.load_button)

    def _add_states(self) -> None:
        tr, theme = self.tr, self._theme
        self.add_heading(tr("What was read of conversations"))
        self.add_words(
            tr(
                "The KV states of conversations that were left are kept, so that they need not be read again. "
                "They hold what was said, and can be deleted at any time."
            )
        )
        self.states_in_memory = Number(theme, tr("In memory"), 0, _MOST_MEGABYTES, unit="MB", step=128)
        self._keep(self.states_in_memory, "kv_memory_megabytes")
        self.add_row(tr("In memory"), self.states_in_memory)
        self.keep_on_disk = Switch(theme, tr("Keep some on disk"), bare=True)
        self.keep_on_disk.clicked.connect(self._set_kept_on_disk)
        self.add_row(
            tr("Keep some on disk"), self.keep_on_disk, tr("Off: nothing is kept there, and what was there is deleted.")
        )
        self.states_on_disk = Number(theme, tr("On disk"), 1, _MOST_MEGABYTES, unit="MB", step=512)
        self._keep(self.states_on_disk, "kv_disk_megabytes")
        self.add_row(tr("On disk"), self.states_on_disk, tr("What is beyond it is deleted at once."))

    def _add_servers(self) -> None:
        tr, theme = self.tr, self._theme
        self.add_heading(tr("Servers"))
        self._servers = QWidget()
        self._server_rows = QVBoxLayout(self._servers)
        self._server_rows.setContentsMargins(0, 0, 0, 0)
        self._server_rows.setSpacing(8)
        self.server_rows: list[_ServerRow] = []
        self.column.addWidget(self._servers)
        self.connect_button = Button(theme, text=tr("Connect to a server…"), kind=ButtonKind.OUTLINED)
        self.connect_button.clicked.connect(partial(self.server_wanted.emit, ""))
        self.add(self.connect_button)
        self._keys_words = self.add_words("")
        self._show_where_keys_are(None)
        kinds = (
            (tr("As the system"), ProxyKind.SYSTEM),
            (tr("None"), ProxyKind.NONE),
            (tr("This one:"), ProxyKind.MANUAL),
        )
        self.proxy = Choice(theme, tr("Proxy"))
        self.proxy.offer(kinds)
        self.proxy.picked.connect(self._set_proxy)
        self.add_row(
            tr("Proxy"),
            self.proxy,
            tr("The way to other computers. The system's is also that of HTTP_PROXY and HTTPS_PROXY."),
        )
        self.proxy_address = LineField(theme, tr("Address of the proxy"), "http://proxy.example.org:3128")
        self.proxy_address.setMinimumWidth(280)
        self.proxy_address.editingFinished.connect(self._set_proxy_address)
        self._proxy_row = self.add_row(tr("Address of the proxy"), self.proxy_address)

    def _add_folders(self) -> None:
        tr, theme = self.tr, self._theme
        self.add_heading(tr("Folders"))
        self.open_data_button = Button(theme, text=tr("Open"), kind=ButtonKind.OUTLINED)
        self.open_data_button.setAccessibleName(tr("Open the data folder"))
        self.open_data_button.clicked.connect(self._open_data_folder)
        self.add_row(tr("Conversations"), self.open_data_button, str(self._upkeep.data_folder))
        self.models_button = Button(theme, text=tr("Choose…"), kind=ButtonKind.OUTLINED)
        self.models_button.setAccessibleName(tr("Choose the folder of model files"))
        self.models_button.clicked.connect(self._choose_models_folder)
        self.usual_models_button = Button(theme, text=tr("Use the usual one"))
        self.usual_models_button.clicked.connect(partial(self._change, models_folder=""))
        self._models_row = self.add_row(tr("Model files"), Side(self.usual_models_button, self.models_button), " ")

    def _add_deletion(self) -> None:
        tr, theme = self.tr, self._theme
        self.add_heading(tr("Delete everything"))
        self._word = tr("delete")
        self.add_words(
            tr(
                "All conversations with their backups and KV states, all settings, what was measured and logged, "
                "and the keys of the servers above. Headwater ends with it. Model files stay. This cannot be undone."
            )
        )
        self.confirmation = LineField(theme, tr("Confirmation"), tr("type: {word}").format(word=self._word))
        self.confirmation.setFixedWidth(240)
        self.delete_button = Button(theme, text=tr("Delete everything and quit"), kind=ButtonKind.OUTLINED)
        self.delete_button.setEnabled(False)
        self.confirmation.textChanged.connect(self._on_confirmation)
        self.confirmation.returnPressed.connect(self._delete_everything)
        self.delete_button.clicked.connect(self._delete_everything)
        for widget in (self.confirmation, self.delete_button):
            self.add(widget)

    # Controls that are a setting

    def _choice(self, words: str, field: str, values: Sequence[tuple[str, object]], hint: str = "") -> Choice:
        choice = Choice(self._theme, words)
        choice.offer(values)
        self._keep(choice, field)
        self.add_row(words, choice, hint)
        return choice

    def _number(self, words: str, field: str, bounds: tuple[int, int], hint: str) -> Number:
        number = Number(self._theme, words, *bounds, open_words=self.tr("Automatic"))
        self._keep(number, field)
        self.add_row(words, number, hint)
        return number

    def _switch(self, words: str, field: str, hint: str) -> Switch:
        switch = Switch(self._theme, words, bare=True)
        switch.toggled.connect(partial(self._take, field))
        self.add_row(words, switch, hint)
        return switch

    def _keep(self, control: Choice | Number, field: str) -> None:
        control.picked.connect(partial(self._take, field))

    def _take(self, field: str, value: object) -> None:
        self._change(**{field: value})

    def _change(self, *_: object, **values: object) -> None:
        changed = replace(self._settings.current, **values)  # type: ignore[arg-type]  # each control gives what its field holds
        if changed == self._settings.current:
            return
        self._settings.save(changed)
        if self._settings.notice:
            self.said.emit(spoken(self._settings.notice))

    def _on_settings(self, _before: Settings, _after: Settings) -> None:
        self.show_settings()

    # What is more than that

    def _set_device(self, device: object) -> None:
        """For all models: those that were loaded elsewhere follow."""
        windows = tuple(replace(own, device="") for own in self._settings.current.windows)
        self._change(device=device, windows=tuple(own for own in windows if own.context_size))

    def _set_context_size(self, size: object) -> None:
        """For all models, as above."""
        windows = tuple(replace(own, context_size=0) for own in self._settings.current.windows)
        self._change(context_size=size, windows=tuple(own for own in windows if own.device))

    def _set_kept_on_disk(self, kept: bool) -> None:  # noqa: FBT001 - a slot gets what Qt's signal carries
        self._change(kv_disk_megabytes=Settings().kv_disk_megabytes if kept else 0)

    def _set_proxy(self, kind: object) -> None:
        """A manual one holds once it has an address."""
        if kind is ProxyKind.MANUAL and not is_proxy_address(self._settings.current.proxy_address):
            self._proxy_row.setVisible(True)
            self.proxy_address.setFocus()
        else:
            self._change(proxy=kind)

    def _set_proxy_address(self) -> None:
        address = self.proxy_address.text().strip()
        if is_proxy_address(address):
            self._change(proxy=ProxyKind.MANUAL, proxy_address=address)
            self._proxy_row.set_hint(self.tr("Holds from the next request."))
        elif address:
            self._proxy_row.set_hint(self.tr("An address begins with http:// or https:// and holds no password."))

    def _show_proxy(self, now: Settings) -> None:
        self._proxy_row.setVisible(now.proxy is ProxyKind.MANUAL)
        if not self.proxy_address.hasFocus():
            self.proxy_address.setText(now.proxy_address)

    def _show_whether_loaded(self, state: ModelState) -> None:
        wished = self._models.as_wished
        self.load_button.setVisible(wished is not None)
        named = state.name
        if wished is not None:
            words = self.tr("{model} is loaded otherwise. This holds from its next load.").format(model=named)
        else:
            words = self.tr("This holds from the next load of a model.")
        self._loaded_words.setText(words)

    def _device_words(self, device: inference.Device) -> str:
        name = self.tr("The CPU") if device.name == CPU else f"{device.name}: {device.description}"
        if not device.total:
            return name
        return self.tr("{name}, {free} of {total} GB free").format(
            name=name,
            free=wording.decimals(device.free / _GIGABYTE, 1),
            total=wording.decimals(device.total / _GIGABYTE, 1),
        )

    def _show_servers(self, servers: tuple[RemoteModel, ...]) -> None:
        if tuple(row.model for row in self.server_rows) == servers:
            return
        for row in self.server_rows:
            self._server_rows.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.server_rows = [_ServerRow(self._theme, model) for model in servers]
        for row in self.server_rows:
            row.key_button.clicked.connect(partial(self.server_wanted.emit, row.model.base_url))
            row.remove_button.clicked.connect(partial(self._remove_server, row.model))
            self._server_rows.addWidget(row)
        self._servers.setVisible(bool(servers))

    def _remove_server(self, model: RemoteModel) -> None:
        self._upkeep.remove_server(model)

    def _show_where_keys_are(self, place: KeyPlace | None) -> None:
        where = {
            None: "",
            KeyPlace.KEYRING: self.tr("Keys are kept in the system's keyring, never in a file."),
            KeyPlace.SESSION: self.tr("There is no keyring here: keys are kept until Headwater closes."),
        }
        environment = self.tr(
            "Without one, the key is OPENAI_API_KEY from the environment for api.openai.com, and HEADWATER_API_KEY "
            "for a server that is named at the start."
        )
        self._keys_words.setText(f"{where[place]} {environment}".strip())

    def _open_data_folder(self) -> None:
        if not self._upkeep.open_data_folder():
            folder = self._upkeep.data_folder
            self.said.emit(self.tr("The folder cannot be shown here: {folder}").format(folder=folder))

    def _choose_models_folder(self) -> None:
        folder = self._choose_folder(self, self._upkeep.models_folder)
        if folder is not None:
            self._change(models_folder=str(folder))

    def _on_confirmation(self, text: str) -> None:
        self.delete_button.setEnabled(text.strip().casefold() == self._word.casefold())

    def _delete_everything(self) -> None:
        if self.delete_button.isEnabled():
            self._upkeep.delete_everything()


class _ServerRow(Row):
    """A model of a server, with what can be done about it."""

    def __init__(self, theme: Theme, model: RemoteModel) -> None:
        self.model = model
        host = urlsplit(model.base_url).netloc
        self.key_button = Button(theme, text="")
        self.remove_button = Button(theme, text="")
        super().__init__(theme, name_of(model), Side(self.key_button, self.remove_button), model.base_url)
        self.key_button.setText(self.tr("Change the key…"))
        self.remove_button.setText(self.tr("Remove"))
        self.key_button.setAccessibleName(self.tr("Change the key for {server}").format(server=host))
        self.remove_button.setAccessibleName(
            self.tr("Remove {model} at {server}").format(model=name_of(model), server=host)
        )
