from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter

from desktop.theme import control_font, load_theme
from desktop.widgets.painting import Emblem, cached_brush, paint_box, paint_focus_ring, text_width


@pytest.fixture
def paper(qapp):
    image = QImage(40, 24, QImage.Format.Format_ARGB32)
    image.fill(QColor("white"))
    return image


def test_a_box_has_an_edge_of_whole_pixels(paper):
    painter = QPainter(paper)
    paint_box(painter, paper.rect(), fill=QColor("#112233"), edge=QColor("#ff0000"))
    painter.end()
    assert paper.pixelColor(20, 0) == paper.pixelColor(0, 12) == QColor("#ff0000")
    assert paper.pixelColor(20, 12) == QColor("#112233")


def test_the_corners_of_a_box_stay_free(paper):
    painter = QPainter(paper)
    paint_box(painter, paper.rect(), fill=QColor("black"))
    painter.end()
    assert paper.pixelColor(0, 0) == QColor("white")


def test_the_focus_ring_stays_inside_and_leaves_the_middle_free(paper):
    painter = QPainter(paper)
    paint_focus_ring(painter, paper.rect(), QColor("#ff0000"))
    painter.end()
    assert paper.pixelColor(20, 0) == paper.pixelColor(20, 1) == QColor("#ff0000")
    assert paper.pixelColor(20, 4) == QColor("white")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_what_was_cached_is_hatched_not_filled(paper, name):
    theme = load_theme(name)
    painter = QPainter(paper)
    painter.fillRect(QRect(0, 0, 40, 24), cached_brush(theme))
    painter.end()
    seen = {paper.pixelColor(x, 5).name() for x in range(40)}
    assert seen == {theme.cached.name(), "#ffffff"}


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"], max_codepoint=0x2FF), min_size=1, max_size=30))
def test_text_is_not_cut_in_the_room_it_asks_for(text):
    font = control_font()
    cut = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, text_width(font, text))
    assert cut == text


def test_the_emblem_is_drawn(qtbot):
    emblem = Emblem(32)
    qtbot.addWidget(emblem)
    image = emblem.grab().toImage()
    assert len({image.pixelColor(x, 16).name() for x in range(32)}) > 3
