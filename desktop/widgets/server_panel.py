"""Where a server is named, and one of its models is chosen: in place, no dialog."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.secrets import KeyPlace
from desktop.server_choice import ServerChoice, ServerPhase, ServerState
from desktop.theme import Theme, control_font, figure_font, scroll_bar_style
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.line_field import LineField
from desktop.widgets.painting import paint_box, text_width
from desktop.widgets.tips import as_tip
from inference import RemoteModel

_ROWS = (2, 5)  # of models, before the list scrolls: in a low window, and in a high one
_BESIDE_THE_ROWS = 528  # pixels of a window that shows the panel, notices not counted
_ROW = 28
_LEAST_FIELD = 160  # pixels to type in; with less, the button goes below the fields
_SIDES = (16, 8)  # of what is asked: left and right
_MANY = 8  # models, from where on a filter helps


class ServerPanel(QWidget):
    """Asks for a server's address and key, shows what it answers, and offers its models; an only one is taken."""

    chosen = Signal(object)  # RemoteModel
    closed = Signal()

    def __init__(self, theme: Theme, servers: ServerChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._servers = servers
        self._state = servers.state
        self._room = 0
        self._title = _label(self.tr("Connect to a server"), control_font())
        self._about = _label(
            self.tr("Any OpenAI-compatible one: llama-server, vLLM, Ollama, LM Studio. What you write is sent there."),
            figure_font(),
        )
        self.address_field = LineField(theme, self.tr("Address"), "http://127.0.0.1:8080/v1")
        self.key_field = LineField(theme, self.tr("Key"), self.tr("only if it wants one"))
        self.key_field.setEchoMode(QLineEdit.EchoMode.Password)
        self._keys_kept = _label("", figure_font())
        self.connect_button = Button(theme, text=self.tr("Connect"), kind=ButtonKind.OUTLINED)
        self.close_button = Button(theme, name=self.tr("Close without connecting"), icon_name="close")
        self._answer = _label("", control_font())
        self.filter_field = LineField(theme, self.tr("Find a model"), self.tr("Find"))
        self.models = _Models(self.tr("Models of the server"))
        self.use_button = Button(theme, text=self.tr("Use this model"), kind=ButtonKind.PRIMARY)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.show_state(servers.state)

    @property
    def words(self) -> tuple[str, ...]:
        """What is said, from top to bottom."""
        labels = (self._title, self._about, self._keys_kept, self._answer)
        return tuple(label.text() for label in labels if label.text())

    def begin(self, address: str = "") -> None:
        """Start with this address, and the keyboard where something is to be typed."""
        self._servers.begin()
        if address:
            self.address_field.setText(address)
        self.key_field.clear()
        (self.key_field if address else self.address_field).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_state(self, state: ServerState) -> None:
        """Show how far it is with the server."""
        is_new = state.offered != self._state.offered or state.base_url != self._state.base_url
        failed_anew = state.phase is ServerPhase.FAILED and self._state.phase is not ServerPhase.FAILED
        self._state = state
        self.connect_button.setEnabled(state.phase is not ServerPhase.ASKING)
        self._keys_kept.setText(self._where_keys_are_kept(state.keys_kept))
        self._answer.setText(self._answer_words(state))
        self._answer.setVisible(bool(self._answer.text()))
        self._colour(self._answer, self._theme.error if state.phase is ServerPhase.FAILED else self._theme.text)
        if state.phase is ServerPhase.OFFERED and is_new:
            self._show_offered(state.offered)
        self._show_models(shown=state.phase is ServerPhase.OFFERED and bool(state.offered))
        self._fit()
        # What is hidden loses the keyboard, so it goes where it belongs at last.
        if state.phase is ServerPhase.OFFERED and is_new:
            self.models.setFocus(Qt.FocusReason.OtherFocusReason)
        if failed_anew and state.wants_key:
            self.key_field.setFocus(Qt.FocusReason.OtherFocusReason)
        if state.phase is ServerPhase.OFFERED and is_new and len(state.offered) == 1:
            self._choose()

    def set_room(self, height: int) -> None:
        """In a window of this height, notices not counted, it stands."""
        self._room = height
        self.models.set_rows(self._rows())
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        themed = (self.address_field, self.key_field, self.filter_field, self.models)
        for widget in (*themed, self.connect_button, self.close_button, self.use_button):
            widget.set_theme(theme)
        for label in (self._about, self._keys_kept):
            self._colour(label, theme.muted)
        self._place_button()  # the font may be another one
        self._colour(self._answer, theme.error if self._state.phase is ServerPhase.FAILED else theme.text)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # Esc closes the panel before it stops a reply.
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_box(painter, self.rect(), fill=self._theme.background, edge=self._theme.border)
        painter.end()

    def _lay_out(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(_SIDES[0], 8, _SIDES[1], 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._about)
        column.addLayout(self._fields())
        column.addWidget(self._keys_kept)
        column.addWidget(self._answer)
        column.addWidget(self.filter_field)
        column.addWidget(self.models)
        column.addWidget(self.use_button)

    def _fields(self) -> QGridLayout:
        self._grid = grid = QGridLayout()
        grid.setSpacing(8)
        fields = (self.address_field, self.key_field)
        names = tuple(_label(field.accessibleName(), control_font()) for field in fields)
        for row, (name, field) in enumerate(zip(names, fields, strict=True)):
            name.setBuddy(field)
            grid.addWidget(name, row, 0)
            grid.addWidget(field, row, 1)
        self._names = names
        grid.addWidget(self.connect_button, 1, 2)
        self._questions = (self._about, *names, *fields, self.connect_button, self._keys_kept)
        grid.setColumnStretch(1, 1)
        return grid

    def _place_button(self) -> None:
        """Beside the fields, where that leaves enough to type in; else on a line of its own."""
        names = max(text_width(name.font(), name.text()) for name in self._names)
        taken = sum(_SIDES) + names + self.connect_button.sizeHint().width() + 2 * self._grid.spacing()
        if self.width() - taken < _LEAST_FIELD:
            self._grid.addWidget(self.connect_button, 2, 1, Qt.AlignmentFlag.AlignLeft)
        else:
            self._grid.addWidget(self.connect_button, 1, 2)

    def _connect(self) -> None:
        self._servers.changed.connect(self.show_state)
        self.close_button.clicked.connect(self.closed)
        self.connect_button.clicked.connect(self._ask)
        self.address_field.returnPressed.connect(self._ask)
        self.key_field.returnPressed.connect(self._ask)
        self.filter_field.textChanged.connect(self.models.narrow)
        self.filter_field.returnPressed.connect(self._choose)
        self.use_button.clicked.connect(self._choose)
        self.models.itemActivated.connect(self._choose)

    def _ask(self) -> None:
        if self.connect_button.isEnabled():
            self._servers.ask(self.address_field.text(), self.key_field.text())

    def _choose(self) -> None:
        name = self.models.current_name
        if name is not None:
            self.chosen.emit(RemoteModel(self._state.base_url, name))

    def _show_offered(self, names: tuple[str, ...]) -> None:
        self.key_field.clear()
        self.filter_field.clear()
        self.models.show_names(names, rows=self._rows())

    def _rows(self) -> int:
        least, most = _ROWS
        return max(least, min(most, (self._room - _BESIDE_THE_ROWS) // _ROW))

    def _fit(self) -> None:
        """As tall as all of it, with sentences broken as they are now."""
        layout = self.layout()
        if layout is not None:
            layout.invalidate()
            self.setFixedHeight(max(layout.totalHeightForWidth(self.width()), layout.totalMinimumSize().height()))

    def _show_models(self, *, shown: bool) -> None:
        """The models, in place of the questions that were answered."""
        for widget in self._questions:
            widget.setVisible(not shown)
        where = self.tr("Models at {server}").format(server=urlsplit(self._state.base_url).netloc)
        self._title.setText(where if shown else self.tr("Connect to a server"))
        self.filter_field.setVisible(shown and len(self._state.offered) > _MANY)
        self.models.setVisible(shown)
        self.use_button.setVisible(shown)

    def _answer_words(self, state: ServerState) -> str:
        match state.phase:
            case ServerPhase.IDLE:
                return ""
            case ServerPhase.ASKING:
                return self.tr("Asking {address}").format(address=state.base_url)
            case ServerPhase.FAILED:
                return state.error
            case ServerPhase.OFFERED if state.offered:
                return ""
            case ServerPhase.OFFERED:
                return self.tr("This server offers no model.")

    def _where_keys_are_kept(self, place: KeyPlace | None) -> str:
        match place:
            case None:
                return ""
            case KeyPlace.KEYRING:
                return self.tr("A key is kept in the system's keyring and sent to this address only.")
            case KeyPlace.SESSION:
                return self.tr(
                    "There is no keyring here: a key is kept until Headwater closes, and sent to this address only."
                )

    def _colour(self, label: QLabel, colour: QColor) -> None:
        palette = label.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        label.setPalette(palette)


class _Models(QListWidget):
    """The names of models. The first that is found is chosen; Enter takes it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFont(control_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    @property
    def current_name(self) -> str | None:
        item = self.currentItem()
        if not self.count() or item.isHidden():
            return None
        return item.text()

    def show_names(self, names: Sequence[str], *, rows: int) -> None:
        self.clear()
        self.addItems(list(names))
        for number, name in enumerate(names):
            self.item(number).setToolTip(as_tip(name))
            self.item(number).setSizeHint(QSize(0, _ROW))
        self.set_rows(rows)
        self.setCurrentRow(0)

    def set_rows(self, rows: int) -> None:
        """So many are seen at once, where there are so many."""
        self.setFixedHeight(min(rows, max(1, self.count())) * _ROW + 2)

    def narrow(self, text: str) -> None:
        """Show only the names with this text in them."""
        wanted = text.strip().casefold()
        first = None
        for number in range(self.count()):
            is_hidden = wanted not in self.item(number).text().casefold()
            self.item(number).setHidden(is_hidden)
            first = number if first is None and not is_hidden else first
        if first is not None and self.current_name is None:
            self.setCurrentRow(first)

    def set_theme(self, theme: Theme) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, theme.surface)
        palette.setColor(QPalette.ColorRole.Text, theme.text)
        palette.setColor(QPalette.ColorRole.Highlight, theme.bubble)
        palette.setColor(QPalette.ColorRole.HighlightedText, theme.text)
        self.setPalette(palette)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))


def _label(text: str, font: QFont) -> QLabel:
    label = QLabel(text)
    label.setFont(font)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(40)
    return label
