"""This Python and this PySide6 may be used together."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

CALLS = 1_000


class Emitter(QObject):
    happened = Signal()


def test_no_reference_to_none_or_true_is_lost_by_calling_qt(qapp):
    widget = QWidget()
    emitter = Emitter()
    nones, trues = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(CALLS):
        widget.update()
        emitter.happened.emit()
    # A bad pair loses one per call; other threads and caches move the counts by a few.
    assert sys.getrefcount(None) > nones - CALLS // 2
    assert sys.getrefcount(True) > trues - CALLS // 2
