"""A message as it is drawn: the words around it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFont, QFontMetrics, QImage, QPainter

from desktop.theme import load_theme
from desktop.turns import Turn
from desktop.widgets.message_actions import places_in_rows
from desktop.widgets.message_view import Caption, MessageView, whole_parts
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


@pytest.mark.parametrize("points", [7.0, 9.0, 9.3, 10.5, 12.0, 13.7, 18.0])
def test_figures_without_room_are_left_out_whole_and_how_it_ended_last(qapp, points):
    font = QFont()
    font.setPointSizeF(points)
    metrics = QFontMetrics(font)
    figures = "Stopped · 15 new + 556 cached · 25.6 tok/s"
    told = [whole_parts(figures, metrics, width) for width in range(metrics.horizontalAdvance(figures) + 1, 0, -1)]
    assert list(dict.fromkeys(told))[:3] == [figures, "Stopped · 25.6 tok/s", "Stopped"]


def test_an_offer_stands_in_as_many_lines_as_its_words_need(qapp):
    words = "Use a larger window (8,192 tokens, +115 MB)"
    (one,), (several, below) = places_in_rows((words,), 600), places_in_rows((words, "Continue"), 120)
    assert several.height() > one.height()
    assert several.width() == 120
    assert below.top() > several.bottom()
