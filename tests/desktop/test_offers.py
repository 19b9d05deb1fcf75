from __future__ import annotations

import pytest

from desktop.remedies import Remedy, RemedyKind
from desktop.widgets.offers import words_for


@pytest.mark.parametrize("kind", RemedyKind)
def test_every_remedy_has_words_of_its_own(kind):
    words = words_for(Remedy(kind, 8192))
    assert words
    assert all(words != words_for(Remedy(other, 8192)) for other in RemedyKind if other is not kind)


def test_a_larger_window_says_how_large():
    assert words_for(Remedy(RemedyKind.LARGER_WINDOW, 8192)) == "Use a larger window (8,192 tokens)"


def test_the_price_of_a_larger_window_is_told_where_it_is_known():
    assert words_for(Remedy(RemedyKind.LARGER_WINDOW, 8192, 94_400_000)) == "Use a larger window (8,192 tokens, +94 MB)"
