"""The row above the conversation: which of its parts have words where there is no room for all of them."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def widths(desk, width: int) -> tuple[int, int, int]:
    """How much narrower than they would be the switch, the model's name and the mark are in a window of this width."""
    desk.window.resize(width, 600)
    QApplication.processEvents()
    header = desk.window.header
    parts = desk.window.choices.streaming_switch, desk.window.opening.picker, header.temporary_mark
    for part in parts:
        assert part.width() >= part.minimumSizeHint().width()
    return tuple(part.sizeHint().width() - part.width() for part in parts)


def begin_temporary(desk, name: str) -> None:
    window = desk.open()
    desk.engine.ready(name=name)
    desk.library.new(temporary=True)
    desk.send("Hi")
    desk.engine.say("Hello.")
    desk.engine.finish()
    assert window.header.temporary_mark.isVisible()


def test_the_switch_and_the_mark_have_all_their_words_or_none_and_the_switch_first(desk):
    begin_temporary(desk, "A model with a rather long name Q4_1")
    switch, mark = desk.window.choices.streaming_switch, desk.window.header.temporary_mark
    wordless = [part.sizeHint().width() - part.minimumSizeHint().width() for part in (switch, mark)]
    seen = set()
    for width in range(360, 1600, 10):
        of_switch, of_name, of_mark = widths(desk, width)
        assert of_switch in (0, wordless[0])
        assert of_mark in (0, wordless[1])
        if of_switch:
            assert of_mark
            assert of_name
        if of_name:
            assert of_mark
        seen.add((bool(of_switch), bool(of_name), bool(of_mark)))
    assert len(seen) == 4, "each gives way in its turn"


def test_words_come_back_where_there_is_room_again_and_a_part_that_goes_leaves_its_room(desk):
    begin_temporary(desk, "A model with a rather long name Q4_1")
    narrow = widths(desk, 800)
    assert any(narrow)
    assert widths(desk, 1600) == (0, 0, 0)
    assert widths(desk, 800) == narrow
    desk.library.new()
    QApplication.processEvents()
    assert widths(desk, 1000)[:2] == (0, 0)


def test_the_totals_give_way_to_the_models_name_and_come_back_where_there_is_room(desk):
    window = desk.open()
    desk.engine.ready(name="A model with a rather long name Q4_1")
    desk.talk("Why do rivers bend?", "They bend.")
    totals, seen = window.turn_actions.totals_button, set()
    for width in (*range(360, 1600, 20), *range(1600, 360, -20)):
        _, of_name, _ = widths(desk, width)
        assert not (of_name and totals.isVisible()), width
        seen.add(totals.isVisible())
        if width > 1400:
            assert totals.isVisible()
    assert seen == {True, False}
