"""Where the keyboard comes to what is made later than what stands around it: in the order one reads, not one makes."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def put_after(before: QWidget, parts: Iterable[QWidget]) -> None:
    """Have the keyboard go from `before` through all that it can stop at in these, each in its own order."""
    # From the last to the first: Qt puts what comes after a text field after what scrolls in it, wherever that is.
    for stop in reversed([stop for part in parts for stop in _stops_within(part)]):
        QWidget.setTabOrder(before, stop)


def _stops_within(part: QWidget) -> list[QWidget]:
    """What the keyboard can stop at in it, hidden or not.

    Not by Qt's chain of them: PySide takes each for a child of the one before it, and has it die with that one."""
    return [stop for stop in (part, *part.findChildren(QWidget)) if _is_stop_in(part, stop)]


def _is_stop_in(part: QWidget, widget: QWidget) -> bool:
    is_there = widget is part or part.isAncestorOf(widget)  # and not in a window of its own, as a list that drops down
    return is_there and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
