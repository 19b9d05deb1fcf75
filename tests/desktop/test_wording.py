"""Numbers stand in the language of the words around them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop import numerals, wording
from desktop.translation import Translator, read_translations
from desktop.widgets.model_words import size_words


@pytest.fixture
def german(qapp):
    translator = Translator(read_translations("de"), qapp)
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


def test_in_english_they_are_what_the_sources_say(qapp):
    assert wording.whole(4096) == "4,096"
    assert wording.decimals(1204.56, 1) == "1,204.6"
    assert wording.parameters(1_100_000_000) == "1.1B"


@pytest.mark.usefixtures("german")
def test_in_german_commas_and_points_change_places():
    assert wording.whole(4_194_304) == "4.194.304"
    assert wording.decimals(1204.56, 1) == "1.204,6"
    assert wording.rate(64.23) == "64,2"
    assert wording.duration(0.2449) == "0,24"
    assert wording.running(12.34) == "12,3"
    assert wording.remaining(1204) == "1.204"
    assert size_words(4_370_000_000) == "4,37 GB"


@pytest.mark.usefixtures("german")
def test_a_models_size_is_part_of_its_name_and_stays():
    assert wording.parameters(1_100_000_000) == "1.1B"


@pytest.mark.usefixtures("german")
@given(st.floats(min_value=0, max_value=1e12), st.integers(min_value=0, max_value=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_number_nothing_but_its_marks_differs(number, places):
    written = wording.decimals(number, places)
    assert written.translate(str.maketrans(".,", ",.")) == numerals.decimals(number, places)
