from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QLocale

from desktop.widgets.cards import Tone
from desktop.widgets.model_words import card_of_repo, day_words, fit_words, size_words, time_words
from inference import Suitability
from inference.hub import HubRepo


def test_sizes_have_as_many_digits_as_mean_something():
    assert [size_words(size) for size in (45_000, 98_400_000, 386_000_000, 2_020_000_000, 14_300_000_000)] == [
        "0.0 MB",
        "98.4 MB",
        "386 MB",
        "2.02 GB",
        "14.3 GB",
    ]


def test_whether_it_fits_is_a_sentence():
    gigabyte = 10**9
    fits = Suitability(int(2.1 * gigabyte), int(15.6 * gigabyte), fits=True, words_a_second=9.2)
    assert fit_words(fits) == ("Fits: 2.1 of 15.6 GB; about 9 words a second here", Tone.GOOD)
    unknown = Suitability(int(2.1 * gigabyte), int(15.6 * gigabyte), fits=True, words_a_second=None)
    assert fit_words(unknown)[0] == "Fits: 2.1 of 15.6 GB"
    large = Suitability(20 * gigabyte, 8 * gigabyte, fits=False, words_a_second=1.0)
    assert fit_words(large) == ("Does not fit: needs about 20.0 GB, 8.0 GB are free", Tone.WARNING)


def test_times_left_are_short():
    assert [time_words(seconds) for seconds in (0.2, 80, 600, 9000)] == ["1 s", "80 s", "10 min", "2.5 h"]


@pytest.mark.parametrize(("language", "words"), [("en", "2 Dec 2026"), ("de", "2 Dez. 2026")])
def test_a_day_is_told_with_its_month_in_letters(language, words):
    before = QLocale()
    QLocale.setDefault(QLocale(language))
    try:
        assert day_words(datetime(2026, 12, 2, tzinfo=UTC)) == words
    finally:
        QLocale.setDefault(before)


@pytest.mark.parametrize(("count", "words"), [(0, "0 downloads · 0 likes"), (1, "1 download · 1 like")])
def test_one_is_told_as_one(count, words):
    assert card_of_repo(HubRepo("maker/small", downloads=count, likes=count)).details == words
