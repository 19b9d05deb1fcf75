"""Conversations that were never had, and hands for a transcript that shows them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from desktop.conversations import TurnState
from desktop.turns import Turn
from desktop.widgets.transcript import Transcript
from inference import Message, Role

LONG = "\n\n".join(
    f"Paragraph {number} of a long reply, with some words that fill it up to a line." for number in range(60)
)


class Conversation:
    """Turns with ids, for a transcript to show."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def ask(self, text: str) -> Turn:
        return self._add(Message(Role.USER, text))

    def answer(self, text: str, state: TurnState = TurnState.COMPLETE, **values: object) -> Turn:
        return self._add(Message(Role.ASSISTANT, text), state=state, model_name="SmolLM2", **values)

    def think(self, thought: str, answer: str, **values: object) -> Turn:
        said = Message(Role.ASSISTANT, answer, reasoning=thought)
        return self._add(said, model_name="SmolLM2", thought_seconds=4.2, **values)

    def _add(self, message: Message, **values: object) -> Turn:
        turn = Turn(len(self.turns) + 1, 1, None, message, datetime.now(UTC))
        turn = replace(turn, **values)  # type: ignore[arg-type] # the values of a turn, by name
        self.turns.append(turn)
        return turn


def wheel(
    view: Transcript,
    notches: float,
    *,
    shift: bool = False,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    at = QPointF(view.viewport().rect().center())
    modifiers = Qt.KeyboardModifier.ShiftModifier if shift else modifiers
    event = QWheelEvent(
        at,
        QPointF(view.viewport().mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, round(120 * notches)),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def grow(view: Transcript, turn: Turn, text: str) -> None:
    view.grow(turn.id, text)
    QApplication.processEvents()


def picture(view: Transcript) -> QImage:
    return view.viewport().grab().toImage()


def finished(turn: Turn, text: str, **values: object) -> Turn:
    message = Message(Role.ASSISTANT, text)
    return replace(turn, message=message, state=TurnState.COMPLETE, **values)  # type: ignore[arg-type] # by name


def holds_colour(image: QImage, colour: QColor) -> bool:
    return any(
        image.pixelColor(x, y) == colour for x in range(0, image.width(), 1) for y in range(0, image.height(), 1)
    )
