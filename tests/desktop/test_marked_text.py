"""Lines of text with marks: what is cut, and that what was found is to be seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from desktop.theme import figure_font
from desktop.widgets.marked_text import MarkedText, in_one_line

WIDTH, LINES = 240, 2
MARK, INK = QColor("#ff0000"), QColor("#000000")


def painted(marked: MarkedText) -> QImage:
    image = QImage(WIDTH, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    marked.paint(painter, QRect(0, 0, WIDTH, 60), MARK, INK, Qt.AlignmentFlag.AlignLeft)
    painter.end()
    return image


def marked_width(image: QImage) -> int:
    """How many columns hold the mark's colour."""
    return sum(any(image.pixelColor(x, y) == MARK for y in range(image.height())) for x in range(image.width()))


def set_out(text: str, word: str) -> MarkedText:
    begin = text.index(word)
    return MarkedText(text, [(begin, begin + len(word))], figure_font(), WIDTH, LINES)


def test_a_short_text_is_whole(qapp):
    assert set_out("some water here", "water").text == "some water here"


def test_a_long_text_is_cut_at_its_end(qapp):
    marked = set_out("water " + "and more " * 40, "water")
    assert marked.text.startswith("water and more")
    assert marked.text.endswith("…")
    assert len(marked.text) < 120


@pytest.mark.parametrize("before", ["word " * 60, "x" * 400, "🚤 " * 150, "كلمة " * 60, "河" * 300])
def test_what_was_found_far_behind_is_brought_into_sight(qapp, before):
    marked = set_out(before + " water and what follows", "water")
    assert marked.text.startswith("…")
    (begin, end) = marked.marks[0]
    assert marked.text[begin:end] == "water"
    assert marked_width(painted(marked)) > 20


def test_the_mark_covers_its_word_and_no_more(qapp):
    plain = marked_width(painted(set_out("some water here", "water")))
    after_emoji = marked_width(painted(set_out("🚤🎉 water here", "water")))
    assert abs(plain - after_emoji) <= 2
    assert plain == pytest.approx(marked_width(painted(set_out("water", "water"))), abs=2)


def test_a_text_that_wraps_inside_a_mark_is_painted(qapp):
    long = "w" * 100
    assert marked_width(painted(MarkedText(long, [(0, 100)], figure_font(), WIDTH, LINES))) > WIDTH / 2


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a\n\tb\u2028c", "a  b c"),
        ("# Water\nand **sand**", "Water and sand"),
        ("> `grep` for __it__", "grep for it"),
        ("2 * 3 and snake_case and C#", "2 * 3 and snake_case and C#"),
    ],
)
def test_markdown_becomes_one_line_of_words(source, words):
    assert in_one_line(source)[0] == words


@given(st.text("ab*_`#> \n", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_a_mark_covers_the_same_letters_afterwards(text, begin, end):
    begin, end = sorted((min(begin, len(text)), min(end, len(text))))
    line, marks = in_one_line(text, [(begin, end)])
    marked = "".join(line[first:last] for first, last in marks)
    letters = [letter for letter in text[begin:end] if letter in "ab"]
    assert [letter for letter in marked if letter in "ab"] == letters
