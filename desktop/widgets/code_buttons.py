"""The copy button of each code box that is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme
from desktop.widgets.boxes import Box, CodeSegment
from desktop.widgets.message_actions import CopyButton
from desktop.widgets.painting import fill
from desktop.widgets.rows import Row
from desktop.widgets.typesetting import Look, Setting

_INSET = 2  # between the button and the edges of the box
_BY = 96  # pixels that an arrow key moves the code sideways


class CodeButtons:
    """Puts them where they belong. In a long box the button stays in sight as long as the box does."""

    def __init__(self, parent: QWidget, copy: Callable[[object], None], scroll: Callable[[object, int], None]) -> None:
        self._parent = parent
        self._copy = copy
        self._scroll = scroll
        self._buttons: dict[Box, CodeButton] = {}
        self._hovered: Box | None = None

    @property
    def widgets(self) -> list[QWidget]:
        return list(self._buttons.values())

    def place(self, rows: Iterable[Row], corner: QPoint, setting: Setting, look: Look) -> bool:
        """Have one for each code box among the segments that are seen; whether there are others than before."""
        spans: dict[Box, tuple[CodeSegment, int, int]] = {}
        for row in rows:
            segment = row.segment
            if isinstance(segment, CodeSegment) and segment.is_measured(setting):
                first = spans.get(segment.box, (segment, row.top, 0))
                spans[segment.box] = first[0], first[1], row.top + segment.height
        gone = [box for box, button in self._buttons.items() if box not in spans and not button.hasFocus()]
        for box in gone:
            self._drop(box)
        is_other = bool(gone)
        for box, (segment, top, bottom) in spans.items():
            if box not in self._buttons:
                self._buttons[box] = self._made(segment, look.theme)
                is_other = True
            button = self._buttons[box]
            x = segment.indent(look) + segment.width(setting, look) - button.width() - _INSET
            y = min(max(top + corner.y(), 0) + _INSET, bottom + corner.y() - button.height() - _INSET)
            button.move(corner.x() + x, y)
            button.setVisible(bool(segment.fence.text))
        return is_other

    def hover(self, box: Box | None) -> None:
        """The mouse is over this box, or over none."""
        if box is not self._hovered:
            self._hovered = box
            for other, button in self._buttons.items():
                button.set_wanted(wanted=other is box)

    def set_theme(self, theme: Theme) -> None:
        for button in self._buttons.values():
            button.set_theme(theme)

    def clear(self) -> None:
        for box in list(self._buttons):
            self._drop(box)

    def _made(self, segment: CodeSegment, theme: Theme) -> CodeButton:
        language = segment.fence.language
        name = _tr("Copy the {language} code").format(language=language) if language else _tr("Copy the code")
        button = CodeButton(theme, segment.box, name, self._parent)
        button.asked.connect(self._copy)
        button.sideways.connect(self._scroll)
        button.set_wanted(wanted=segment.box is self._hovered)
        return button

    def _drop(self, box: Box) -> None:
        button = self._buttons.pop(box)
        button.hide()
        button.deleteLater()


class CodeButton(CopyButton):
    """Copies the code of a box. Arrow keys upon it move the code sideways."""

    sideways = Signal(object, int)  # what it was made for, pixels

    def __init__(self, theme: Theme, box: Box, name: str, parent: QWidget) -> None:
        super().__init__(theme, box, name, parent)
        self.setToolTip(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            self.sideways.emit(self.subject, -_BY if event.key() == Qt.Key.Key_Left else _BY)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_shown:  # code may stand below it
            painter = QPainter(self)
            fill(painter, self.rect(), self._theme.code)
            painter.end()
        super().paintEvent(event)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
