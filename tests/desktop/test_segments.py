"""Segments: blocks put together, written into documents, and brought up to date as they grow."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from desktop.conversations import TurnState
from desktop.markdown import read_markdown
from desktop.theme import load_theme
from desktop.turns import Turn
from desktop.widgets.boxes import BoxedSegment, CodeSegment, TableSegment, colouring
from desktop.widgets.message_view import Caption, MessageView
from desktop.widgets.segmenting import grouped, make_segment
from desktop.widgets.segments import END, NO_MARKS, Segment, Shelf
from desktop.widgets.text_segment import TextSegment
from desktop.widgets.typesetting import Look, Setting
from inference import Message, Role
from tests.desktop.test_markdown import MARKDOWN

SETTING = Setting(column=600, widest=800)


@pytest.fixture(scope="module")
def look(qapp: QApplication) -> Look:
    return Look(load_theme("light"))


def segments_of(text: str) -> list[Segment]:
    segments: list[Segment] = []
    for group in grouped(read_markdown(text)):
        segments.append(make_segment(group, segments[-1] if segments else None))
    return segments


def one(text: str) -> Segment:
    (segment,) = segments_of(text)
    return segment


def measured(text: str, look: Look, setting: Setting = SETTING) -> list[Segment]:
    segments = segments_of(text)
    for segment in segments:
        segment.measure(setting, look)
    return segments


def painted(segment: Segment, look: Look, setting: Setting = SETTING) -> QImage:
    image = QImage(setting.widest, max(1, segment.height), QImage.Format.Format_RGB32)
    image.fill(look.theme.surface)
    painter = QPainter(image)
    segment.paint(painter, setting, look, NO_MARKS, QRect(0, 0, setting.widest, segment.height))
    painter.end()
    return image


def colours_in(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_text_is_put_together_and_code_and_tables_stand_alone():
    segments = segments_of("a\n\n- b\n- c\n\n```\nd\n```\n\n| e |\n|--|\n| f |\n\ng")
    assert [type(segment) for segment in segments] == [TextSegment, CodeSegment, TableSegment, TextSegment]


def test_a_long_text_is_many_short_segments():
    segments = segments_of("\n\n".join(["word " * 40] * 40))
    assert len(segments) == 10
    assert all(len(segment.whole_text()) < 1000 for segment in segments)


@settings(max_examples=100, deadline=None)
@given(MARKDOWN)
def test_blocks_that_are_added_change_only_the_last_segment(text: str):
    blocks = read_markdown(text)
    whole = list(grouped(blocks))
    for count in range(len(blocks)):
        some = list(grouped(blocks[:count]))
        assert some[:-1] == whole[: len(some[:-1])]


def test_heights_are_whole_pixels(look: Look):
    for segment in measured("# A\n\ntext `code`\n\n- b\n\n```\nc\n```\n\n| d |\n|--|\n| e |", look):
        assert isinstance(segment.height, int)
        assert segment.height > 0


def test_a_guess_is_near_the_height_that_is_measured(look: Look):
    for text in ("word " * 120, "```\n" + "line\n" * 30 + "```", "| a |\n|--|\n" + "| b |\n" * 8):
        segment = one(text)
        segment.estimate(SETTING, look)
        guess = segment.height
        segment.measure(SETTING, look)
        assert abs(guess - segment.height) < 0.4 * segment.height


def test_a_height_is_rescaled_for_another_column(look: Look):
    segment = one("word " * 120)
    segment.measure(SETTING, look)
    height = segment.height
    segment.rescale(Setting(300, 400), look)
    assert segment.height == 2 * height
    segment.rescale(SETTING, look)
    assert segment.height == height


def test_part_of_a_list_is_copied_with_the_markers_that_are_in_it(look: Look):
    segment = one("intro\n\n1. first\n2. second\n   - inner")
    segment.measure(SETTING, look)
    assert segment.whole_text() == "intro\n\n1. first\n2. second\n  • inner"
    begin = segment.open_document(look).findBlockByNumber(1).position()
    assert segment.text(begin + 2, END, look) == "rst\n2. second\n  • inner"
    assert segment.text(0, 2, look) == "in"


def test_part_of_a_text_with_emoji_is_counted_as_qt_counts(look: Look):
    segment = one("a😀b😀c")
    segment.measure(SETTING, look)
    assert segment.text(0, 3, look) == "a😀"
    assert segment.text(3, 6, look) == "b😀"


def test_part_of_a_table_is_copied_row_by_row(look: Look):
    segment = one("| a | b |\n|--|--|\n| c | d |\n| e | f |")
    segment.measure(SETTING, look)
    document = segment.open_document(look)
    begin = document.find("b").selectionStart()
    end = document.find("e").selectionEnd()
    assert segment.text(begin, end, look) == "b\nc\td\ne"


def test_a_point_in_the_text_is_a_position_and_maybe_a_link(look: Look):
    segment = one("[word](https://example.org) and more")
    segment.measure(SETTING, look)
    assert segment.position_at(QPoint(0, 10), look, SETTING) == 0
    assert segment.link_at(QPoint(10, 10), look, SETTING) == "https://example.org"
    assert segment.link_at(QPoint(300, 10), look, SETTING) == ""
    assert segment.word_at(2, look) == (0, 4)


def test_a_narrow_table_is_as_wide_as_its_words(look: Look):
    segment = one("| a | b |\n|--|--|\n| c | d |")
    segment.measure(SETTING, look)
    assert segment.width(SETTING, look) < 200


def test_a_wide_table_wraps_its_wide_cells_before_it_scrolls(look: Look):
    wide, short = "word " * 60, "x"
    segment = one(f"| a | b |\n|--|--|\n| {short} | {wide} |")
    assert isinstance(segment, BoxedSegment)
    segment.measure(SETTING, look)
    assert not segment.overflows(SETTING, look)
    assert segment.width(SETTING, look) == SETTING.widest


def test_a_table_too_wide_for_its_words_scrolls(look: Look):
    cells = " | ".join(["incomprehensibilities"] * 9)
    segment = one(f"| {cells} |\n|{'--|' * 9}\n| {cells} |")
    assert isinstance(segment, BoxedSegment)
    segment.measure(SETTING, look)
    assert segment.overflows(SETTING, look)
    before = painted(segment, look)
    assert segment.scroll(100, SETTING, look)
    assert painted(segment, look) != before
    assert segment.scroll(-500, SETTING, look)
    assert not segment.scroll(-500, SETTING, look)


def test_stretches_of_a_long_table_share_their_columns(look: Look):
    segments = measured("| a | b |\n|--|--|\n" + "| some text | x |\n" * 30, look)
    assert len(segments) == 3
    assert len({segment.width(SETTING, look) for segment in segments}) == 1
    assert [segment.gap for segment in segments] == [0, 0, 0]


def test_stretches_of_long_code_are_one_box(look: Look):
    segments = measured("```py\n" + "x = 1\n" * 150 + "```", look)
    assert [segment.gap for segment in segments] == [0, 0, 0]
    assert len({segment.box for segment in segments if isinstance(segment, CodeSegment)}) == 1
    per_line = look.code_line_height
    assert segments[1].height < segments[0].height < segments[1].height + 3 * per_line


def test_code_is_coloured_roughly_at_once_and_exactly_when_it_is_whole(look: Look):
    theme = look.theme
    segment = one('```python\ntext = """\nreturn 1\n"""\n```')
    assert isinstance(segment, CodeSegment)
    segment.measure(SETTING, look)
    rough = colours_in(painted(segment, look))
    assert theme.syntax_keyword.name() in rough
    assert segment.box.wants_colours
    assert list(colouring(segment.box))
    exact = colours_in(painted(segment, look))
    assert theme.syntax_keyword.name() not in exact
    assert theme.syntax_string.name() in exact


def test_exact_colours_survive_the_documents_end(look: Look):
    segment = one('```python\ntext = """\nreturn 1\n"""\n```')
    assert isinstance(segment, CodeSegment)
    segment.measure(SETTING, look)
    list(colouring(segment.box))
    before = painted(segment, look)
    segment.close_document()
    assert segment.document is None
    assert painted(segment, look) == before


@pytest.mark.parametrize("text", ["```nosuchlanguage\nx = 1\n```", "```\nx = 1\n```", "```python\n```"])
def test_code_without_a_known_language_is_left_alone(look: Look, text: str):
    segment = one(text)
    assert isinstance(segment, CodeSegment)
    segment.measure(SETTING, look)
    assert list(colouring(segment.box)) == []


def test_an_open_fence_waits_for_its_exact_colours(look: Look):
    segment = one("```python\nx = 1\n```")
    assert isinstance(segment, CodeSegment)
    assert segment.box.wants_colours
    segment.set_blocks((replace(segment.fence, closed=False),), None, look)
    assert not segment.box.wants_colours


def test_only_so_many_documents_are_kept(look: Look):
    shelf = Shelf(capacity=3)
    segments = measured("\n\n".join(["word " * 200] * 6), look)
    for segment in segments:
        shelf.touch(segment)
    assert [segment.document is not None for segment in segments] == [False] * 3 + [True] * 3
    height = segments[0].height
    segments[0].open_document(look)
    assert segments[0].height == height


def a_message(text: str, state: TurnState, look: Look) -> MessageView:
    turn = Turn(1, 1, None, Message(Role.ASSISTANT, text), datetime.now(UTC), state)
    return MessageView(turn, Caption("Model"), look)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MARKDOWN, st.lists(st.integers(0, 200), max_size=30))
@example("```py\nx\n```\n- a\n| b | c |\n|--|--|\n| d", [1, 5, 9, 11, 13, 17, 20, 25, 30, 33, 34, 35])
def test_documents_that_grew_are_those_of_the_whole(look: Look, text: str, cuts: list[int]):
    message = a_message("", TurnState.WRITING, look)
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(text)], strict=True):
        message.grow(text[begin:end], look)
        for segment in message.segments:
            segment.measure(SETTING, look)
    message.change(
        replace(message.turn, message=Message(Role.ASSISTANT, text), state=TurnState.COMPLETE), message.caption, look
    )
    for segment in message.segments:
        segment.measure(SETTING, look)
    whole = measured(text, look)
    assert [segment.blocks for segment in message.segments] == [segment.blocks for segment in whole]
    for grown, fresh in zip(message.segments, whole, strict=True):
        assert grown.open_document(look).toPlainText() == fresh.open_document(look).toPlainText()
        assert (grown.gap, grown.height) == (fresh.gap, fresh.height)


def test_a_message_reads_its_source_piece_by_piece(look: Look):
    message = a_message("\n\n".join(["word " * 100] * 40), TurnState.COMPLETE, look)
    message.lay_out(SETTING, look)
    pieces = len(message.segments)
    assert pieces > 5
    text = message.body_text()
    last = message.segments[-1]
    message.read(0)
    assert len(message.segments) > pieces
    assert message.segments[-1] is last
    assert message.body_text() == text


def test_text_that_comes_late_for_a_finished_message_is_not_shown(look: Look):
    message = a_message("All.", TurnState.COMPLETE, look)
    assert message.grow("More", look) is None
    assert message.body_text() == "All."


@pytest.mark.parametrize(("text", "is_at_right"), [("> اقتباس عربي", True), ("> a quote", False)])
def test_a_quote_has_its_bar_where_its_text_begins(text, is_at_right, look):
    segment = one(text)
    segment.measure(SETTING, look)
    image = painted(segment, look)
    middle = segment.height // 2
    bar = [x for x in range(image.width()) if image.pixelColor(x, middle) == look.theme.border]
    assert len(bar) >= 3
    assert all((x > SETTING.column - look.indent) is is_at_right for x in bar)
    assert all(x < SETTING.column for x in bar)
