"""Which model answers: a button with the model's name, how far it is with loading, and a menu of others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

import inference
from desktop import wording
from desktop.model_choice import ModelPhase, ModelState, name_of
from desktop.spoken import spoken
from desktop.theme import Theme, paint_icon
from desktop.widgets.buttons import GAP, HEIGHT, ICON, PADDING, Button, ButtonKind
from desktop.widgets.painting import paint_focus_ring, text_width
from desktop.widgets.tips import as_tip
from inference import AnyModel, ModelConfig, RemoteModel

_WIDEST = 320
_NARROWEST = 96
_CHEVRON = 16
_TITLE_LENGTH = 60


class ModelPicker(Button):
    """Shows a `ModelState`; its menu offers the known models and the window's own actions below them."""

    chosen = Signal(object)  # Path or RemoteModel

    def __init__(self, theme: Theme, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(theme, kind=ButtonKind.QUIET, parent=parent)
        self._state = ModelState()
        self._own_actions = tuple(actions)
        self._offered: dict[QAction, AnyModel] = {}
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self.setMenu(self._menu)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.show_models(())
        self.show_state(ModelState())

    @property
    def words(self) -> str:
        """What the button says."""
        return self._state.name or self.tr("No model")

    @property
    def menu_texts(self) -> tuple[str, ...]:
        """The menu from top to bottom, separators left out."""
        return tuple(action.text() for action in self._menu.actions() if not action.isSeparator())

    def show_state(self, state: ModelState) -> None:
        """Show how the model is now."""
        self._state = state
        self.setText(self.words)
        self.setAccessibleName(self.tr("Model: {name}").format(name=self.words))
        told = self._explained(state)
        self.setAccessibleDescription(told)
        self.setToolTip(as_tip(told))
        self._check_current()
        self.updateGeometry()
        self.update()

    def add_actions(self, actions: Sequence[QAction]) -> None:
        """Offer these above the window's own."""
        self._menu.insertActions(self._own_actions[0], list(actions))
        self._own_actions = (*actions, *self._own_actions)

    def show_models(self, files: Sequence[Path], servers: Sequence[RemoteModel] = ()) -> None:
        """Offer these: files on this machine, and models of servers below them."""
        self._menu.clear()
        group = QActionGroup(self._menu)
        group.triggered.connect(self._on_action)
        here = {self._file_action(path, group): ModelConfig(path) for path in files}
        there = {self._server_action(model, group): model for model in servers}
        self._offered = {**here, **there}
        for actions in (here, there):
            self._menu.addActions(list(actions))
            if actions:
                self._menu.addSeparator()
        self._menu.addActions(list(self._own_actions))
        self._check_current()

    def sizeHint(self) -> QSize:
        width = text_width(self.font(), self.words) + self._beside_the_name()
        return QSize(min(width, _WIDEST), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_NARROWEST, self.sizeHint().width()), HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._state.phase is ModelPhase.LOADING:
            painter = QPainter(self)
            self._paint_loading(painter)
            painter.end()

    def _paint_content(self, painter: QPainter) -> None:
        left, right = PADDING, self.width() - PADDING
        middle = self.height() // 2
        if self._state.phase is ModelPhase.FAILED:
            paint_icon(painter, "error", self._theme.error, QRectF(left, middle - ICON // 2, ICON, ICON))
            left += ICON + GAP
        chevron = QRectF(right - _CHEVRON, middle - _CHEVRON // 2, _CHEVRON, _CHEVRON)
        paint_icon(painter, "chevron-down", self._theme.muted, chevron)
        right -= _CHEVRON + GAP
        if self._state.phase is ModelPhase.LOADING:
            percent = QRect(right - self._percent_width(), 0, self._percent_width(), self.height())
            painter.setPen(self._theme.muted)
            painter.drawText(percent, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self._percent())
            right -= percent.width() + GAP
        name = QFontMetrics(self.font()).elidedText(self.words, Qt.TextElideMode.ElideMiddle, right - left)
        painter.setPen(self._name_ink())
        painter.drawText(QRect(left, 0, right - left, self.height()), Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_loading(self, painter: QPainter) -> None:
        rail = QRectF(PADDING, self.height() - 4, self.width() - 2 * PADDING, 3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.border)
        painter.drawRoundedRect(rail, 1.5, 1.5)
        rail.setWidth(rail.width() * max(0.0, min(1.0, self._state.fraction)))
        painter.setBrush(self._theme.accent)
        painter.drawRoundedRect(rail, 1.5, 1.5)
        if self.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent)

    def _name_ink(self) -> QColor:
        return self._theme.text if self._state.phase is ModelPhase.READY else self._theme.muted

    def _beside_the_name(self) -> int:
        room = 2 * PADDING + GAP + _CHEVRON
        if self._state.phase is ModelPhase.FAILED:
            room += ICON + GAP
        if self._state.phase is ModelPhase.LOADING:
            room += self._percent_width() + GAP
        return room

    def _percent(self) -> str:
        return self.tr("{percent} %").format(percent=int(100 * self._state.fraction))

    def _percent_width(self) -> int:
        """The same for 4 % and for 100 %, so that the name stays where it is."""
        return text_width(self.font(), self.tr("{percent} %").format(percent=100))

    def _explained(self, state: ModelState) -> str:
        match state.phase:
            case ModelPhase.NONE if state.config is None:
                return self.tr("No model is open. Choose one.")
            case ModelPhase.NONE:
                return self.tr("Not in memory now; the next message loads it.")
            case ModelPhase.LOADING if state.server:
                return self.tr("Asking the server at {server}. You can type and send meanwhile.").format(
                    server=state.server
                )
            case ModelPhase.LOADING:
                return self.tr("Loading, {percent}. You can type and send meanwhile.").format(percent=self._percent())
            case ModelPhase.READY:
                return self._described(state)
            case ModelPhase.FAILED:
                return state.error

    def _described(self, state: ModelState) -> str:
        match state.info:
            case inference.ModelInfo() as info:
                return self._described_file(info)
            case inference.RemoteModelInfo() as info:
                return self._described_server(info, state.server)
            case None:
                return self.tr("Which model answers")

    def _described_server(self, info: inference.RemoteModelInfo, host: str) -> str:
        """What the server says, and no more."""
        parts = [info.name, self.tr("answers from {server}").format(server=host)]
        if info.server:
            parts[-1] += f" ({info.server})"
        if info.context_size is not None:
            window = self.tr("A window of {context} tokens").format(context=wording.whole(info.context_size))
            parts.append(window)
        return "\n".join(parts)

    def _described_file(self, info: inference.ModelInfo) -> str:
        facts = self.tr("{name}\n{parameters} parameters, {quantisation}, {architecture}\n{size} MB, {device}").format(
            name=info.name,
            parameters=wording.parameters(info.parameters),
            quantisation=info.quantisation,
            architecture=info.architecture,
            size=wording.whole(round(info.file_size / 1e6)),
            device=spoken(info.device),
        )
        template = (
            self.tr("Chat template: the model's own")
            if info.has_own_template
            else self.tr("Chat template: none in the file; a plain one stands in for it ({name})")
        )
        return facts + "\n" + template.format(name=spoken(info.template_name))

    def _file_action(self, path: Path, group: QActionGroup) -> QAction:
        action = QAction(group, text=_menu_words(name_of(ModelConfig(path))))
        action.setCheckable(True)
        action.setToolTip(as_tip(str(path)))
        return action

    def _server_action(self, model: RemoteModel, group: QActionGroup) -> QAction:
        words = self.tr("{model} at {server}").format(model=name_of(model), server=urlsplit(model.base_url).netloc)
        action = QAction(group, text=_menu_words(words))
        action.setCheckable(True)
        action.setToolTip(as_tip(model.base_url))
        return action

    def _on_action(self, action: QAction) -> None:
        self._check_current()  # what is checked is what is loaded, not what was clicked
        model = self._offered[action]
        self.chosen.emit(model if isinstance(model, RemoteModel) else model.path)

    def _check_current(self) -> None:
        current = self._state.config
        if isinstance(current, ModelConfig):
            current = ModelConfig(current.path)  # with whatever window and threads
        for action, model in self._offered.items():
            action.setChecked(model == current)


def _menu_words(name: str) -> str:
    """A model's name as a menu shows it: not endless, and with no letter taken for a shortcut."""
    short = name if len(name) <= _TITLE_LENGTH else f"{name[: _TITLE_LENGTH - 1]}…"
    return short.replace("&", "&&")
