"""Which model answers: a button with the model's name, how far it is with loading, and a menu of others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from desktop import wording
from desktop.model_choice import ModelPhase, ModelState
from desktop.theme import Theme, paint_icon
from desktop.widgets.buttons import GAP, HEIGHT, ICON, PADDING, Button, ButtonKind
from desktop.widgets.painting import paint_focus_ring, text_width
from inference import ModelInfo, display_name

_WIDEST = 320
_NARROWEST = 96
_CHEVRON = 16
_TITLE_LENGTH = 60


class ModelPicker(Button):
    """Shows a `ModelState`; its menu offers the known models and the window's own actions below them."""

    chosen = Signal(object)  # Path

    def __init__(self, theme: Theme, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(theme, kind=ButtonKind.QUIET, parent=parent)
        self._state = ModelState()
        self._own_actions = tuple(actions)
        self._group: QActionGroup | None = None
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
        self.setToolTip(told)
        self._check_current()
        self.updateGeometry()
        self.update()

    def show_models(self, models: Sequence[Path]) -> None:
        """Offer these."""
        self._menu.clear()
        self._group = QActionGroup(self._menu)
        self._group.triggered.connect(self._on_action)
        for path in models:
            self._menu.addAction(self._model_action(path, self._group))
        if models:
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
            case ModelPhase.LOADING:
                return self.tr("Loading, {percent}. You can type and send meanwhile.").format(percent=self._percent())
            case ModelPhase.READY:
                return self.tr("Which model answers") if state.info is None else self._described(state.info)
            case ModelPhase.FAILED:
                return state.error

    def _described(self, info: ModelInfo) -> str:
        facts = self.tr("{name}\n{parameters} parameters, {quantisation}, {architecture}\n{size} MB, {device}").format(
            name=info.name,
            parameters=wording.parameters(info.parameters),
            quantisation=info.quantisation,
            architecture=info.architecture,
            size=wording.whole(round(info.file_size / 1e6)),
            device=info.device,
        )
        template = (
            self.tr("Chat template: {name}")
            if info.has_own_template
            else self.tr("Chat template: none in the file; a plain one stands in for it ({name})")
        )
        return facts + "\n" + template.format(name=info.template_name)

    def _model_action(self, path: Path, group: QActionGroup) -> QAction:
        action = QAction(_menu_words(display_name(path)), group)
        action.setCheckable(True)
        action.setData(str(path))
        action.setToolTip(str(path))
        return action

    def _on_action(self, action: QAction) -> None:
        self._check_current()  # what is checked is what is loaded, not what was clicked
        self.chosen.emit(Path(action.data()))

    def _check_current(self) -> None:
        config = self._state.config
        current = None if config is None else str(config.path)
        for action in self._group.actions() if self._group is not None else ():
            action.setChecked(action.data() == current)


def _menu_words(name: str) -> str:
    """A model's name as a menu shows it: not endless, and with no letter taken for a shortcut."""
    short = name if len(name) <= _TITLE_LENGTH else f"{name[: _TITLE_LENGTH - 1]}…"
    return short.replace("&", "&&")
