"""The files that will go along with a prompt: a chip for each, with its name, its size and its tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop import wording
from desktop.draft_file import DraftFile
from desktop.theme import Theme, control_font, figure_font, paint_icon, scroll_bar_style
from desktop.widgets.buttons import Button
from desktop.widgets.painting import paint_box, recolour, text_width
from desktop.widgets.tips import as_tip

MOST_ROWS = 3  # shown at once; then they scroll

_HEIGHT = 32
_WIDEST = 340
_GAP = 4
_PAD = 8
_ICON = 16
_CLOSE = 24
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}


@dataclass(frozen=True, slots=True)
class Fit:
    """What is known of the files' tokens: of each, in order, and how many of the first ones the window has room for."""

    tokens: tuple[int, ...] = ()
    fitting: int = 0


class AttachmentRow(QScrollArea):
    """Chips in rows, as many as there is room for. A click on its cross removes a file, as does Delete on it; the
    arrow keys go from one to the next."""

    removed = Signal(int)  # the file's key
    left = Signal()  # by removing the last one

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._files: tuple[DraftFile, ...] = ()
        self._fit: Fit | None = None
        self._most_rows = MOST_ROWS
        self.chips: list[Chip] = []
        self._page = QWidget()
        self.setWidget(self._page)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Attached files"))
        self.set_theme(theme)
        self.hide()

    def show_files(self, files: Sequence[DraftFile]) -> None:
        """Show these; one that was there stays where it is."""
        place = next((number for number, chip in enumerate(self.chips) if chip.has_focus), None)
        known = {chip.file.key: chip for chip in self.chips}
        self.chips = [known.pop(file.key) if file.key in known else self._make_chip(file) for file in files]
        for chip in known.values():
            chip.hide()
            chip.deleteLater()
        if tuple(files) != self._files:
            self._files, self._fit = tuple(files), None  # what was counted is of other files
        self._show()
        self._keep_focus(place)

    def show_fit(self, fit: Fit | None) -> None:
        """Show the tokens of the files that are ready, in their order; `None` where they are not known."""
        self._fit = fit
        self._show()

    def set_most_rows(self, count: int) -> None:
        """How many rows may be seen at once where there is little room; never more than else."""
        most = max(1, min(MOST_ROWS, count))
        if most != self._most_rows:
            self._most_rows = most
            self._arrange()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self, QPalette.ColorRole.Window, theme.surface)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        for chip in self.chips:
            chip.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _make_chip(self, file: DraftFile) -> Chip:
        chip = Chip(self._theme, file, self._page)
        chip.cross.clicked.connect(partial(self.removed.emit, file.key))
        chip.cross.stepped.connect(partial(self._step, chip))
        chip.cross.focused.connect(partial(self._bring_in_sight, chip))
        chip.show()
        return chip

    def _show(self) -> None:
        number = 0
        for chip, file in zip(self.chips, self._files, strict=True):
            if self._fit is None or file.attachment is None or number >= len(self._fit.tokens):
                chip.show_file(file, None, fits=True)
            else:
                chip.show_file(file, self._fit.tokens[number], fits=number < self._fit.fitting)
            number += file.attachment is not None
        self.setVisible(bool(self.chips))
        self._arrange()

    def _arrange(self) -> None:
        """One after the other, in rows."""
        room = self.width()
        places = list(_places([chip.sizeHint().width() for chip in self.chips], room))
        rows = places[-1].y() // (_HEIGHT + _GAP) + 1 if places else 0
        if rows > self._most_rows:
            room -= self.verticalScrollBar().sizeHint().width()
            places = list(_places([chip.sizeHint().width() for chip in self.chips], room))
        for chip, place in zip(self.chips, places, strict=True):
            mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
            chip.setGeometry(place.translated(room - place.right() - place.left() - 1, 0) if mirrored else place)
        height = places[-1].bottom() + 1 if places else 0
        self._page.resize(room, height)
        self.setFixedHeight(min(height, self._most_rows * (_HEIGHT + _GAP) - _GAP))

    def _keep_focus(self, place: int | None) -> None:
        """Where the focus was on a file that is gone, it goes to the one after it."""
        if place is None or any(chip.has_focus for chip in self.chips):
            return
        if self.chips:
            self.chips[min(place, len(self.chips) - 1)].cross.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()

    def _step(self, chip: Chip, step: int) -> None:
        place = self.chips.index(chip) + step
        if 0 <= place < len(self.chips):
            self.chips[place].cross.setFocus(Qt.FocusReason.TabFocusReason)

    def _bring_in_sight(self, chip: Chip) -> None:
        self.ensureWidgetVisible(chip, 0, 0)


class Chip(QWidget):
    """One file."""

    def __init__(self, theme: Theme, file: DraftFile, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.file = file
        self.details = ""
        self.fits = True
        self.cross = _Cross(theme, self)

    @property
    def has_focus(self) -> bool:
        return self.cross.hasFocus()

    def show_file(self, file: DraftFile, tokens: int | None, *, fits: bool) -> None:
        """Show what is known of it by now."""
        self.file, self.fits = file, fits
        self.details = self._details(tokens)
        name = " ".join(file.name.split())
        told = ", ".join(filter(None, (name, self.details, "" if fits else self.tr("does not fit"))))
        self.setToolTip(as_tip(told))
        self.cross.setAccessibleName(self.tr("Remove {file}").format(file=told))
        self.cross.setToolTip(as_tip(self.tr("Remove {file} (Delete)").format(file=name)))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.cross.set_theme(theme)
        self.update()

    def sizeHint(self) -> QSize:
        words = text_width(control_font(), self.file.name) + _PAD + text_width(figure_font(), self.details)
        return QSize(min(_WIDEST, _PAD + _ICON + _GAP + words + _GAP + _CLOSE + _GAP), _HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        left = _GAP if mirrored else self.width() - _CLOSE - _GAP
        self.cross.setGeometry(left, (_HEIGHT - _CLOSE) // 2, _CLOSE, _CLOSE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_box(painter, self.rect(), fill=self._theme.bubble, edge=None if self.fits else self._theme.warning)
        mark = self._theme.muted if self.fits else self._theme.warning
        paint_icon(painter, "attach" if self.fits else "warning", mark, self._mirrored(_PAD, _ICON, _ICON).toRectF())
        left, right = _PAD + _ICON + _GAP, self.width() - _CLOSE - 2 * _GAP
        details = min(text_width(figure_font(), self.details), right - left)
        self._write(painter, self._mirrored(left, right - left - details - _PAD), self.file.name)
        painter.setFont(figure_font())
        painter.setPen(self._ink())
        self._draw(painter, self._mirrored(right - details, details), self.details)
        painter.end()

    def _write(self, painter: QPainter, place: QRect, name: str) -> None:
        painter.setFont(control_font())
        painter.setPen(self._theme.text)
        short = painter.fontMetrics().elidedText(" ".join(name.split()), Qt.TextElideMode.ElideMiddle, place.width())
        self._draw(painter, place, short)

    def _draw(self, painter: QPainter, place: QRect, words: str) -> None:
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading), words)

    def _mirrored(self, left: int, width: int, height: int = _HEIGHT) -> QRect:
        """A place in the chip, counted from where reading begins."""
        place = QRect(left, (_HEIGHT - height) // 2, max(0, width), height)
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            place.moveLeft(self.width() - left - width)
        return place

    def _ink(self) -> QColor:
        return self._theme.muted if self.fits else self._theme.warning

    def _details(self, tokens: int | None) -> str:
        if self.file.attachment is None:
            return self.tr("reading…")
        size = self._size(self.file.attachment.size)
        if tokens is None:
            return size
        return self.tr("{size} · {tokens} tokens").format(size=size, tokens=wording.whole(tokens))

    def _size(self, size: int) -> str:
        if size < 1_000:
            return self.tr("{count} bytes").format(count=size)
        if size < 999_500:
            return self.tr("{count} kB").format(count=wording.rate(size / 1e3))
        return self.tr("{count} MB").format(count=wording.rate(size / 1e6))


class _Cross(Button):
    """Removes its file."""

    stepped = Signal(int)
    focused = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, name=" ", icon_name="close", parent=parent)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.click()
        elif (step := _STEPS.get(Qt.Key(event.key()))) is not None:
            self.stepped.emit(step)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()


def _places(widths: Iterable[int], room: int) -> Iterable[QRect]:
    left, top = 0, 0
    for wanted in widths:
        width = min(wanted, max(1, room))
        if left and left + width > room:
            left, top = 0, top + _HEIGHT + _GAP
        yield QRect(left, top, width, _HEIGHT)
        left += width + _GAP
