"""Where the program keeps things: apart for a person, together in a folder of one's own."""

from __future__ import annotations

from dataclasses import astuple, fields
from pathlib import Path

import platformdirs
import pytest

from desktop.places import Places


def all_of(places: Places) -> list[Path]:
    """Every file and folder that is named."""
    named = [getattr(places, field.name) for field in fields(places) if field.name != "engine"]
    engine = () if places.engine is None else astuple(places.engine)
    return [path for path in (*named, *engine) if path is not None]


@pytest.mark.parametrize("places", [Places.within, Places.passing])
def test_in_a_folder_of_ones_own_all_things_are_in_it(tmp_path, places):
    made = places(tmp_path)
    assert {path.parent for path in (*all_of(made), made.locks, made.model_facts)} == {tmp_path}
    assert made.data == tmp_path


def test_no_two_things_are_in_one_place(tmp_path):
    for places in (Places.usual(), Places.within(tmp_path)):
        named = [*all_of(places), places.locks, places.model_facts]
        assert len(set(named)) == len(named)


def test_a_person_has_them_where_the_system_wants_each_of_them():
    places = Places.usual()
    assert places.data == platformdirs.user_data_path("Headwater", appauthor=False)
    assert places.settings.parent == platformdirs.user_config_path("Headwater", appauthor=False)
    cache = platformdirs.user_cache_path("Headwater", appauthor=False)
    assert places.states is not None
    assert places.states.parent == cache


def test_nothing_is_made_by_naming_it(tmp_path):
    Places.within(tmp_path / "new")
    Places.passing(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_what_is_gone_soon_learns_nothing_for_later(tmp_path):
    places = Places.passing(tmp_path)
    assert (places.states, places.engine) == (None, None)
