"""What was put off is done piece by piece, and is in nobody's way."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject

from desktop.warm_up import Piece, WarmUp


class Diary(QObject):
    """Writes down what happens, events of its own too."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.User:
            self.lines.append("somebody")
            return True
        return super().event(event)

    def write_and_call(self, line: str) -> None:
        self.lines.append(line)
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))


def test_pieces_are_done_in_order_and_what_comes_meanwhile_is_handled_between_them(qapp, qtbot):
    diary = Diary()
    warm_up = WarmUp(partial(diary.write_and_call, line) for line in ("first", "second", "third"))
    warm_up.start()
    assert diary.lines == []
    qtbot.waitUntil(lambda: diary.lines.count("somebody") == 3)
    assert diary.lines == ["first", "somebody", "second", "somebody", "third", "somebody"]
    warm_up.stop()


def test_what_was_not_done_when_it_is_stopped_is_left(qapp, qtbot):
    diary = Diary()
    pieces: list[Piece] = [partial(diary.write_and_call, "first")]
    warm_up = WarmUp(pieces)
    pieces += [warm_up.stop, partial(diary.write_and_call, "second")]
    warm_up.start()
    qtbot.waitUntil(lambda: not warm_up.is_at_work)
    QCoreApplication.processEvents()
    assert diary.lines == ["first", "somebody"]
