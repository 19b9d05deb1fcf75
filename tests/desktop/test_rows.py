"""Where messages stand."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint

from desktop.widgets.captions import caption_of
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.segments import Segment, UnreadSegment
from desktop.widgets.typesetting import Look, Setting
from tests.desktop.talk import LONG, Conversation


@pytest.fixture
def look(qapp, theme) -> Look:
    return Look(theme)


@pytest.fixture
def rows(look: Look, said: Conversation) -> Rows:
    rows = Rows(look, lambda old, new: None)
    rows.setting = Setting(500, 600)
    said.ask("Why?")
    said.answer(LONG)
    said.answer("")
    rows.show(MessageView(turn, caption_of(turn), look) for turn in said.turns)
    return rows


def measure(rows: Rows, top: int, bottom: int) -> None:
    """What was read is measured the next time."""
    while rows.measure_between(top, bottom):
        pass


def test_messages_stand_below_each_other(rows: Rows):
    heights = [message.height for message in rows.messages]
    assert [after - before for before, after in zip(rows.tops, rows.tops[1:], strict=False)] == heights
    measure(rows, 0, rows.end)
    heights = [message.height for message in rows.messages]
    assert [after - before for before, after in zip(rows.tops, rows.tops[1:], strict=False)] == heights


def test_what_is_put_before_moves_the_rest_down_by_its_height(rows: Rows, look: Look, said: Conversation):
    first, tops = rows.messages[0], list(rows.tops)
    turns = [said.ask("Earlier"), said.answer("Still")]
    lower = rows.put_before([MessageView(turn, caption_of(turn), look) for turn in turns])
    assert lower > 0
    assert rows.top_of(first) == tops[0] + lower
    assert rows.tops[2:] == [top + lower for top in tops]


def test_only_what_is_in_the_stretch_is_measured(rows: Rows):
    measure(rows, 0, 80)
    assert rows.messages[0].segments[0].is_measured(rows.setting)
    assert isinstance(rows.messages[1].segments[-1], UnreadSegment)


def test_an_anchor_keeps_its_place_while_what_is_above_it_changes(rows: Rows, look: Look):
    measure(rows, 0, rows.end)
    anchor = rows.anchor(300, 400)
    assert anchor is not None
    assert rows.value_for(anchor) == 300
    rows.messages[0].offers = ("One", "Two")
    before = rows.messages[0].height
    rows.lay_out(0)
    assert rows.value_for(anchor) == 300 + rows.messages[0].height - before
    rows.replace([rows.messages[0], rows.messages[2]])
    assert rows.value_for(anchor) is None


def test_the_nearest_text_is_found_where_a_message_has_none(rows: Rows):
    measure(rows, 0, rows.end)
    row = rows.row_near(rows.end + 500)
    assert row is not None
    assert row.message is rows.messages[1]
    spot = rows.spot_near(QPoint(0, -100))
    assert spot is not None
    assert spot.message is rows.messages[0]


def test_who_reads_a_segment_is_told_what_stands_there_now(look: Look, said: Conversation):
    replaced: list[tuple[Segment, list[Segment]]] = []
    rows = Rows(look, lambda old, new: replaced.append((old, list(new))))
    rows.setting = Setting(500, 600)
    turn = said.answer("One.\n\n```\ntwo\n```")
    rows.show([MessageView(turn, caption_of(turn), look)])
    unread = rows.messages[0].segments[0]
    assert len(rows.read(0, 0)) == 2
    assert replaced == [(unread, rows.messages[0].segments)]
