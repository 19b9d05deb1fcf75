"""A message as it is drawn: the words around it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFont, QImage, QPainter

from desktop.theme import load_theme
from desktop.turns import Turn
from desktop.widgets.message_view import Caption, MessageView
from desktop.widgets.segments import Marks
from desktop.widgets.typesetting import Look, Setting
from inference import Message, Role

SETTING = Setting(500, 600)
ROOM = 20  # above the message


def inked_rows(image: QImage) -> int:
    ground = image.pixel(0, 0)
    return sum(any(image.pixel(x, y) != ground for x in range(image.width())) for y in range(image.height()))


def painted(caption: Caption, look: Look) -> QImage:
    """The words around an empty message, and the ground above and below."""
    message = MessageView(Turn(1, 1, None, Message(Role.ASSISTANT, ""), datetime.now(UTC)), caption, look)
    message.lay_out(SETTING, look)
    image = QImage(SETTING.column, message.height + 2 * ROOM, QImage.Format.Format_RGB32)
    image.fill(look.theme.surface)
    painter = QPainter(image)
    painter.translate(QPoint(0, ROOM))
    message.paint(painter, SETTING, look, QRect(0, 0, 600, message.height), lambda _: Marks(), lambda _: None)
    painter.end()
    return image


def written(words: str, font: QFont, look: Look) -> QImage:
    image = QImage(SETTING.column, 100, QImage.Format.Format_RGB32)
    image.fill(look.theme.surface)
    painter = QPainter(image)
    painter.setFont(font)
    painter.setPen(look.theme.muted)
    painter.drawText(QPoint(0, 60), words)
    painter.end()
    return image


@pytest.mark.parametrize("points", [9, 18, 20])
def test_no_letter_around_a_message_is_cut_off_in_a_large_font(qapp, points):
    look = Look(load_theme("light"))
    look.label_font.setPointSize(points)
    look.figure_font.setPointSize(points)
    words = "Åg_j"
    assert inked_rows(painted(Caption(words), look)) == inked_rows(written(words, look.label_font, look))
    assert inked_rows(painted(Caption("", figures=words), look)) == inked_rows(written(words, look.figure_font, look))
