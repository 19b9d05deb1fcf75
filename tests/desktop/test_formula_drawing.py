"""Formulas in text: first their source, then their picture, in the same positions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QPoint, QRect, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.conversations import TurnState
from desktop.formulas import Formula, Picture
from desktop.markdown import read_markdown
from desktop.theme import Theme, load_theme
from desktop.widgets.formula_drawing import Formulas
from desktop.widgets.reading_place import place_at
from desktop.widgets.segmenting import grouped, make_segment
from desktop.widgets.segments import NO_MARKS, Segment
from desktop.widgets.transcript import Transcript
from desktop.widgets.typesetting import Look, Setting
from tests.desktop.talk import Conversation, grow, picture

SETTING = Setting(600, 700)


class PatientSetter(QObject):
    """Makes pictures of solid colour, when it is told to: of what is "bad", none."""

    answered = Signal(object, object)

    def __init__(self, width: float = 3, ascent: float = 1, descent: float = 0.5) -> None:
        super().__init__()
        self.asked: list[Formula] = []
        self._sizes = width, ascent, descent

    def ask(self, formula: Formula) -> None:
        self.asked.append(formula)

    def answer(self) -> None:
        asked, self.asked = self.asked, []
        width, ascent, descent = self._sizes
        box = f'<path d="M 0 {-ascent} H {width} V {descent} H 0 Z" fill="currentColor"/>'
        view = f'viewBox="0 {-ascent} {width} {ascent + descent}"'
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" {view}>{box}</svg>'
        for formula in asked:
            self.answered.emit(formula, None if "bad" in formula.tex else Picture(svg, width, ascent, descent))
        QApplication.processEvents()


@pytest.fixture
def setter(qapp) -> PatientSetter:
    return PatientSetter()


@pytest.fixture
def look(theme: Theme, setter: PatientSetter) -> Look:
    return Look(theme, formulas=Formulas(setter))


def segment_of(text: str, look: Look) -> Segment:
    (group,) = grouped(read_markdown(text))
    segment = make_segment(group, None)
    segment.measure(SETTING, look)
    return segment


def with_pictures(text: str, look: Look, setter: PatientSetter) -> Segment:
    segment = segment_of(text, look)
    setter.answer()
    segment.write_anew()
    segment.measure(SETTING, look)
    return segment


def painted(segment: Segment, look: Look) -> QImage:
    image = QImage(700, segment.height + 1, QImage.Format.Format_RGB32)
    image.fill(look.theme.surface)
    painter = QPainter(image)
    segment.paint(painter, SETTING, look, NO_MARKS, QRect(0, 0, 700, segment.height + 1))
    painter.end()
    return image


def place_of(image: QImage, colour: QColor, least: int = 15) -> QRect:
    """Where the one solid box of a colour stands; what is thinner is letters."""
    found = QRect()
    for y in range(image.height()):
        x = 0
        while x < image.width():
            end = x
            while end < image.width() and image.pixelColor(end, y) == colour:
                end += 1
            if end - x >= least:
                found = found.united(QRect(x, y, end - x, 1))
            x = max(end, x + 1)
    return found


TEXTS = [
    "so $x$ and more",
    "$$x$$",
    "- $x$\n- $y$",
    "# A $x$",
    "> $$x$$.",
    "| $x$ | b |\n|--|--|\n| c | $y$ |",
    "$\U0001d539 + x$ z",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_picture_takes_the_positions_of_its_source(text: str, look: Look, setter: PatientSetter):
    segment = segment_of(text, look)
    before = segment.characters, segment.document_text(), segment.text(1, segment.characters - 1, look)
    assert segment.awaits_formulas(look)
    segment = with_pictures(text, look, setter)
    assert not segment.awaits_formulas(look)
    assert (segment.characters, segment.document_text(), segment.text(1, segment.characters - 1, look)) == before
    assert "\ufffc" in segment.open_document(look).toRawText()


def test_it_stands_on_the_baseline_in_the_colour_of_the_text(look: Look, setter: PatientSetter):
    text = with_pictures("$x$ H", look, setter)
    place = place_of(painted(text, look), look.theme.text)
    em = place.width() / 3
    assert abs(place.height() - 1.5 * em) <= 2
    letter = text.place_of(5, SETTING, look)
    baseline = letter.top() - 1 + look.message_metrics.ascent()
    assert abs(place.top() + em - baseline) <= 2


@pytest.mark.parametrize(("ascent", "descent"), [(1, 0), (1, 0.3), (2, 2), (0.5, 3), (3, 0.2)])
def test_a_line_is_as_high_as_its_formulas(theme: Theme, ascent: float, descent: float):
    setter = PatientSetter(2, ascent, descent)
    look = Look(theme, formulas=Formulas(setter))
    for text in ("so $x$ and", "$$x$$"):
        segment = with_pictures(text, look, setter)
        place = place_of(painted(segment, look), look.theme.text)
        assert abs(place.height() - place.width() / 2 * (ascent + descent)) <= 2  # nothing is cut off


def test_on_its_own_it_stands_in_the_middle_and_no_wider_than_the_text(theme: Theme):
    for width, expected in ((4, None), (200, SETTING.column)):
        setter = PatientSetter(width)
        look = Look(theme, formulas=Formulas(setter))
        place = place_of(painted(with_pictures("$$x$$", look, setter), look), look.theme.text)
        assert abs(place.center().x() - SETTING.column / 2) <= 2
        assert expected is None or abs(place.width() - expected) <= 2


def test_an_item_keeps_its_formula_beside_its_marker(look: Look, setter: PatientSetter):
    place = place_of(painted(with_pictures("1. $$x$$", look, setter), look), look.theme.text)
    assert place.left() <= 30


def test_one_without_a_picture_stays_as_it_was_written(look: Look, setter: PatientSetter):
    segment = segment_of("so $bad$ it is", look)
    height = segment.height
    segment = with_pictures("so $bad$ it is", look, setter)
    assert segment.height == height
    assert "\ufffc" not in segment.open_document(look).toRawText()
    assert not segment.awaits_formulas(look)


def test_each_formula_is_asked_for_once(look: Look, setter: PatientSetter):
    segment_of("$x$ and $x$ and $$x$$", look)
    segment_of("again $x$", look)
    assert setter.asked == [Formula("x"), Formula("x", is_display=True)]


def test_a_column_is_as_wide_as_its_formulas(theme: Theme):
    setter = PatientSetter(20)
    look = Look(theme, formulas=Formulas(setter))
    segment = with_pictures("| a | b |\n|--|--|\n| $x$ | " + "many words " * 30 + " |", look, setter)
    place = place_of(painted(segment, look), look.theme.text)
    assert place.width() >= 20 * 14


def test_a_point_is_before_a_formula_or_behind_it(look: Look, setter: PatientSetter):
    segment = with_pictures("so $x+y+z$ and", look, setter)
    positions = {segment.position_at(QPoint(x, 12), look, SETTING) for x in range(0, 300, 3)}
    assert not positions & set(range(4, 10))
    assert {3, 10} <= positions


# In the transcript


@pytest.fixture
def shown(qtbot: QtBot, theme: Theme, setter: PatientSetter) -> Iterator[Transcript]:
    view = Transcript(theme, setter=setter)
    qtbot.addWidget(view)
    view.resize(700, 500)
    with qtbot.waitExposed(view):
        view.show()
    yield view
    QApplication.sendPostedEvents(None, 0)


def test_pictures_appear_when_they_come_and_copying_gives_the_source(
    shown: Transcript, said: Conversation, setter: PatientSetter
):
    shown.show_turns([said.answer("so $x^2$ and\n\n$$y$$\n\nend")])
    before = picture(shown)
    assert place_of(before, QColor(load_theme("light").text)).isNull()
    setter.answer()
    assert not place_of(picture(shown), QColor(load_theme("light").text)).isNull()
    shown.select_all()
    shown.copy()
    assert QGuiApplication.clipboard().text() == "so $x^2$ and\n\n$$y$$\n\nend"
    assert shown.plain_text().endswith("so $x^2$ and\n\n$$y$$\n\nend")


def test_a_selection_stays_where_it_is_when_pictures_come(shown: Transcript, said: Conversation, setter: PatientSetter):
    shown.show_turns([said.answer("one $x^2$ two $y$ three")])
    shown.select_all()
    selected = shown.selected_text()
    setter.answer()
    assert shown.selected_text() == selected


def test_while_it_is_written_a_formula_is_its_source_and_then_its_picture(
    shown: Transcript, said: Conversation, setter: PatientSetter
):
    turn = said.answer("", state=TurnState.WRITING)
    shown.show_turns([turn])
    grow(shown, turn, "so $x_1 *")
    assert setter.asked == []
    grow(shown, turn, " y$ is")
    assert setter.asked == [Formula("x_1 * y")]
    setter.answer()
    assert not place_of(picture(shown), QColor(load_theme("light").text)).isNull()
    grow(shown, turn, " it, and *more*")
    assert not place_of(picture(shown), QColor(load_theme("light").text)).isNull()
    assert "so $x_1 * y$ is it, and more" in shown.plain_text()


@pytest.mark.parametrize("back", [10, 90, 300, 700])
def test_what_is_read_does_not_move_when_pictures_come(qtbot: QtBot, theme: Theme, said: Conversation, back: int):
    setter = PatientSetter(2, 4, 3)
    view = Transcript(theme, setter=setter)
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    part = "Words without an end that fill a line and the one after it, " * 3 + "\n\n"
    text = (part + "and $x$ stands in a line\n\n") * 8
    view.show_turns([said.answer(text + part * 30)])
    bar = view.verticalScrollBar()
    for _ in range(40):
        bar.setValue(bar.value() - 40)
    bar.setValue(bar.minimum() + back)
    QApplication.processEvents()
    value = bar.value()
    before = place_at(view._rows, value)
    setter.answer()
    after = place_at(view._rows, bar.value())
    assert before is not None
    assert after is not None
    assert (after.position, after.turn) == (before.position, before.turn)
    assert abs(after.below - before.below) <= 1
    assert bar.value() > value + 50 or back < 100  # the pictures above are higher than their source


def test_new_colours_and_another_zoom_need_no_new_pictures(
    shown: Transcript, said: Conversation, setter: PatientSetter
):
    shown.show_turns([said.answer("so $x$")])
    setter.answer()
    light = place_of(picture(shown), QColor(load_theme("light").text))
    shown.set_theme(load_theme("dark"))
    assert place_of(picture(shown), QColor(load_theme("dark").text)) == light
    shown.set_zoom(1.5)
    larger = place_of(picture(shown), QColor(load_theme("dark").text))
    assert abs(larger.width() - 1.5 * light.width()) <= 3
    assert setter.asked == []
