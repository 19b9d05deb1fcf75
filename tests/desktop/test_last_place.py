"""A start goes back to where somebody was reading, unless there is a reason not to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.last_place import LastPlace
from tests.desktop.desk import Desk


@pytest.fixture
def place(desk) -> LastPlace:
    """Kept while a conversation was read; then an empty one was opened."""
    desk.open()
    desk.talk("Why do rivers bend?", "Because of water.")
    place = LastPlace(desk.settings, desk.library, desk.window)
    place.keep()
    desk.library.new()
    return place


def the_one(desk: Desk) -> int:
    (conversation,) = desk.library.conversations()
    return conversation.id


def shown(desk: Desk) -> int | None:
    conversation = desk.library.current.conversation
    return None if conversation is None else conversation.id


def test_the_conversation_that_was_read_last_is_opened(desk, place):
    place.go_back(None)
    assert shown(desk) == the_one(desk)


@pytest.mark.parametrize("reason", ["not wanted", "gone", "crashed over it", "something is typed", "nothing was read"])
def test_nothing_is_opened_where_there_is_a_reason_not_to(desk, place, reason):
    crashed_over = None
    match reason:
        case "not wanted":
            desk.settings.save(replace(desk.settings.current, restore_place=False))
        case "gone":
            desk.settings.save(replace(desk.settings.current, last_conversation=999))
        case "crashed over it":
            crashed_over = the_one(desk)
        case "something is typed":
            desk.type("half a thou")
        case "nothing was read":
            place.keep()
    place.go_back(crashed_over)
    assert shown(desk) is None


def test_what_somebody_has_begun_meanwhile_stays(desk, place):
    desk.talk("And lakes?", "They stay.")
    begun = shown(desk)
    assert begun != desk.settings.current.last_conversation
    place.go_back(None)
    assert shown(desk) == begun


def test_of_a_temporary_conversation_nothing_is_kept(desk, place):
    desk.library.new(temporary=True)
    desk.talk("A secret", "It is kept nowhere.")
    place.keep()
    assert (desk.settings.current.last_conversation, desk.settings.current.last_place) == (None, "")


def test_nothing_is_written_where_nothing_has_changed(desk, place):
    place.go_back(None)
    place.keep()
    written: list[object] = []
    desk.settings.listen(lambda before, after: written.append((before, after)))
    place.keep()
    assert written == []
