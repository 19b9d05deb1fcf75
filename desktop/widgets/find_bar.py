"""The bar in which one types what should be found in the conversation."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from desktop import wording
from desktop.theme import Theme, control_font, figure_font
from desktop.widgets.buttons import HEIGHT, Button
from desktop.widgets.painting import paint_box, paint_focus_ring, recolour, text_width

_WIDTH = 360
_MARGIN = 4


class FindBar(QWidget):
    """A field, the count of what was found, and the ways to the next and the previous hit. It searches nothing."""

    words_changed = Signal(str)
    next_wanted = Signal()
    previous_wanted = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.field = _Field(self)
        self.field.setPlaceholderText(self.tr("Find"))
        self.field.setAccessibleName(self.tr("Find in this conversation"))
        self.count = QLabel(self)
        self.count.setFont(figure_font())
        self.count.setMinimumWidth(
            text_width(figure_font(), self.tr("{number} of {total}").format(number=99, total=999))
        )
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.previous_button = Button(theme, name=self.tr("Previous hit (Shift+F3)"), icon_name="chevron-up")
        self.next_button = Button(theme, name=self.tr("Next hit (F3)"), icon_name="chevron-down")
        self.close_button = Button(theme, name=self.tr("Close (Esc)"), icon_name="close")
        self._lay_out()
        self.field.textChanged.connect(self.words_changed)
        self.field.left.connect(self.closed)
        self.field.focus_changed.connect(self.update)
        self.previous_button.clicked.connect(self.previous_wanted)
        self.next_button.clicked.connect(self.next_wanted)
        self.close_button.clicked.connect(self.closed)
        self.setFocusProxy(self.field)
        self.set_theme(theme)
        self.show_count(0, 0, is_complete=True)

    def begin(self, words: str = "") -> None:
        """Let it be typed into; `words` are offered, or what was looked for last."""
        if words:
            self.field.setText(words)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def show_count(self, number: int, total: int, *, is_complete: bool) -> None:
        """Which hit it is, and of how many; more may be found while it is not complete."""
        has_words = bool(self.field.text().strip())
        if not has_words:
            text = ""
        elif total:
            shown = wording.whole(total) if is_complete else self.tr("{total}+").format(total=wording.whole(total))
            text = self.tr("{number} of {total}").format(number=wording.whole(number), total=shown)
        else:
            text = self.tr("Not found") if is_complete else "…"
        self.count.setText(text)
        self.count.setAccessibleName(text)
        self.previous_button.setEnabled(total > 0)
        self.next_button.setEnabled(total > 0)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button in (self.previous_button, self.next_button, self.close_button):
            button.set_theme(theme)
        recolour(self.field, QPalette.ColorRole.Text, theme.text)
        recolour(self.field, QPalette.ColorRole.PlaceholderText, theme.muted)
        recolour(self.count, QPalette.ColorRole.WindowText, theme.muted)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, HEIGHT + 2 * _MARGIN)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previous_wanted if shifted else self.next_wanted).emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_box(painter, self.rect(), fill=self._theme.surface, edge=self._theme.field_edge)
        if self.field.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent)
        painter.end()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * _MARGIN, _MARGIN, _MARGIN, _MARGIN)
        row.setSpacing(_MARGIN)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        for button in (self.previous_button, self.next_button, self.close_button):
            row.addWidget(button)


class _Field(QLineEdit):
    left = Signal()  # by Escape
    focus_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrame(False)
        self.setFont(control_font())
        self.setStyleSheet("QLineEdit { background: transparent; }")

    def event(self, event: QEvent) -> bool:
        # Escape closes the bar before it stops a reply.
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self.focus_changed.emit()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
