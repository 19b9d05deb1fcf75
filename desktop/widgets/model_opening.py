"""How a model comes to answer: a file is opened, a server is named, one that is known is chosen, or none is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from desktop.model_choice import ModelChoice, ModelPhase, ModelState
from desktop.settings import Settings, SettingsFile
from desktop.theme import Theme
from desktop.widgets.actions import make_action
from desktop.widgets.model_notices import ModelNotices
from desktop.widgets.model_picker import ModelPicker
from desktop.widgets.notice_board import NoticeBoard
from desktop.widgets.server_area import ServerArea
from inference import RemoteModel, looks_like_model

FileChooser = Callable[[QWidget], Path | None]


class ModelOpening(QObject):
    """Holds the actions for it and the picker, and follows the choice of model."""

    def __init__(
        self,
        theme: Theme,
        models: ModelChoice,
        settings: SettingsFile,
        board: NoticeBoard,
        server_area: ServerArea,
        choose_file: FileChooser | None,
        window: QWidget,
    ) -> None:
        """Without `choose_file` it is the platform's chooser."""
        super().__init__(window)
        self._models = models
        self._server_area = server_area
        self._choose_file = choose_file
        self._window = window
        self._menu: QMenu | None = None
        self._shown_phase: ModelPhase | None = None
        self._notices = ModelNotices(models, board, self)
        self.load: Callable[[Path | RemoteModel], object] = models.choose  # or whoever looks first whether it fits
        self._make_actions()
        self.picker = ModelPicker(theme, self._actions)
        self._connect(settings)
        self._show_state(models.state)

    def fill_file_menu(self, menu: QMenu) -> None:
        menu.addActions(self._actions)
        self._menu = menu

    def add_actions(self, for_picker: Sequence[QAction], for_menu: Sequence[QAction]) -> None:
        """Offer these too, above the others."""
        self.picker.add_actions(for_picker)
        if self._menu is not None:
            self._menu.insertActions(self.open_action, list(for_menu))

    def choose(self, model: Path | RemoteModel) -> None:
        """Let this model answer from now on."""
        self.load(model)

    def open(self, path: Path) -> None:
        """Let the model in this file answer from now on."""
        self._notices.forget_refusals()
        if looks_like_model(path):
            self.load(path)
            return
        text = self.tr("{name} is not a model file. Headwater opens files that end in .gguf.").format(name=path.name)
        self._notices.refuse(text)

    def ask_for_file(self) -> None:
        from desktop.file_choosers import ask_for_model

        path = (self._choose_file or ask_for_model)(self._window)
        if path is not None:
            self.open(path)

    def change_key(self, model: RemoteModel) -> None:
        self._server_area.open(model.base_url)

    def say_if_nobody_answers(self) -> None:
        if self._models.config is None:
            self._notices.say_that_nobody_answers()

    def _make_actions(self) -> None:
        window, tr = self._window, self.tr
        keys = QKeySequence.StandardKey.Open
        self.open_action = make_action(window, tr("&Open a model file…"), self.ask_for_file, keys)
        self.server_action = make_action(window, tr("&Connect to a server…"), self._name_a_server)
        self.server_action.setVisible(self._server_area.can_open)
        self.eject_action = make_action(window, tr("&Eject the model"), self._models.eject)
        self._actions = (self.open_action, self.server_action, self.eject_action)

    def _connect(self, settings: SettingsFile) -> None:
        self.picker.chosen.connect(self.choose)
        self._server_area.chosen.connect(self._models.choose)
        self._notices.open_wanted.connect(self.ask_for_file)
        self._notices.key_wanted.connect(self.change_key)
        self._models.changed.connect(self._show_state)
        self._models.offer_changed.connect(self._show_known)
        settings.listen(self._on_settings)

    def _name_a_server(self) -> None:
        self._server_area.open()

    def _show_state(self, state: ModelState) -> None:
        self.picker.show_state(state)
        self.eject_action.setEnabled(state.phase in (ModelPhase.LOADING, ModelPhase.READY))
        if state.phase is not self._shown_phase:
            self._shown_phase = state.phase
            self._show_known()
            self._notices.show_state(state)

    def _show_known(self) -> None:
        self.picker.show_models(self._models.known_models(), self._models.known_servers())

    def _on_settings(self, before: Settings, after: Settings) -> None:
        if after.models_folder != before.models_folder:
            self._show_known()
