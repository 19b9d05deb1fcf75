from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.settings import SettingsFile


def test_place_and_size_are_as_they_were_left(desk):
    window = desk.open()
    window.resize(780, 633)
    window._sides.setSizes([333, 446])
    window.sidebar_action.trigger()
    window.sidebar_action.trigger()
    window.close()
    kept = SettingsFile(desk.settings.path).load()
    assert kept.sidebar_shown
    assert kept.sidebar_width == 333
    again = desk.open_another()
    again.show()
    assert (again.width(), again.height()) == (780, 633)
    assert again._sides.sizes()[0] == 333


def test_a_folded_sidebar_stays_folded_at_the_next_start(desk):
    window = desk.open()
    window.sidebar_action.trigger()
    window.close()
    again = desk.open_another()
    again.show()
    assert not again.conversation_list.isVisible()


def test_the_first_window_fits_on_the_screen(desk):
    desk.models.load()
    window = desk.open_another()
    room = window.screen().availableSize()
    assert window.width() < room.width()
    assert window.height() < room.height()


@pytest.mark.parametrize("geometry", ["not base64 at all!", "AAAA", "é"])
def test_a_damaged_geometry_is_no_reason_not_to_open(desk, geometry):
    desk.settings.save(replace(desk.settings.current, window_geometry=geometry))
    assert desk.open().isVisible()
