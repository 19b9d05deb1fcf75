"""Parts beside each other that go on in another line where there is no room for all of them in one."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

_Line = list[tuple[QLayoutItem, int]]  # and how wide it is there


class Flow(QLayout):
    """Each part is as wide as it likes to be; `wide`, if it is among them, takes what room is left in its line, and is
    content with `least`."""

    def __init__(self, parent: QWidget | None = None, *, wide: QWidget | None = None, least: int = 0) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._wide = wide
        self._least = least
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(8)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802 - Qt's virtual
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802 - Qt's virtual
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802 - Qt's virtual
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802 - Qt's virtual
        return Qt.Orientation.Horizontal if self._wide is not None else Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        lines = [_height(line) for line in self._lines(width)]
        return sum(lines) + self.spacing() * max(0, len(lines) - 1)

    def sizeHint(self) -> QSize:
        widths = [self._liked(item) for item in self._shown()]
        return QSize(sum(widths) + self.spacing() * max(0, len(widths) - 1), self._tallest())

    def minimumSize(self) -> QSize:  # noqa: N802 - Qt's virtual
        widest = max((item.minimumSize().width() for item in self._shown()), default=0)
        return QSize(widest, self._tallest())

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802 - Qt's virtual
        super().setGeometry(rect)
        top = rect.top()
        for line in self._lines(rect.width()):
            height, left = _height(line), rect.left()
            for item, width in line:
                own = _height_of(item, width)
                place = QRect(QPoint(left, top + (height - own) // 2), QSize(width, own))
                item.setGeometry(self._along(place, rect))
                left += width + self.spacing()
            top += height + self.spacing()

    def _lines(self, room: int) -> Iterator[_Line]:
        line: _Line = []
        taken = 0
        for item in self._shown():
            width = min(self._liked(item), max(room, item.minimumSize().width()))
            if line and taken + self.spacing() + width > room:
                yield self._filled(line, room - taken)
                line, taken = [], 0
            taken += width + (self.spacing() if line else 0)
            line.append((item, width))
        if line:
            yield self._filled(line, room - taken)

    def _filled(self, line: _Line, left: int) -> _Line:
        return [(item, width + max(0, left) if item.widget() is self._wide else width) for item, width in line]

    def _liked(self, item: QLayoutItem) -> int:
        is_wide = self._wide is not None and item.widget() is self._wide
        return max(self._least, item.minimumSize().width()) if is_wide else item.sizeHint().width()

    def _shown(self) -> Iterator[QLayoutItem]:
        return (item for item in self._items if not item.isEmpty())

    def _tallest(self) -> int:
        return max((item.sizeHint().height() for item in self._shown()), default=0)

    def _along(self, place: QRect, rect: QRect) -> QRect:
        parent = self.parentWidget()
        if parent is None or not parent.isRightToLeft():
            return place
        return place.translated(rect.left() + rect.right() - place.left() - place.right(), 0)


def _height(line: _Line) -> int:
    return max(_height_of(item, width) for item, width in line)


def _height_of(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
