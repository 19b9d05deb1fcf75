"""Prices per million tokens, as the reader enters them."""

from __future__ import annotations

import math

import pytest

from inference.errors import InvalidRequest
from inference.events import Usage
from inference.experiments.prices import NO_PRICES, Prices


def test_cached_tokens_have_a_price_of_their_own() -> None:
    prices = Prices(input=2.0, cached=0.5, output=8.0)
    assert prices.cost(Usage(1_000_000, 400_000, 100_000)) == pytest.approx(1.2 + 0.2 + 0.8)


def test_where_nobody_says_what_was_cached_all_counts_as_read() -> None:
    assert Prices(input=2.0, cached=0.5).cost(Usage(1_000_000, None, 0)) == pytest.approx(2.0)


def test_nothing_is_built_in() -> None:
    assert not NO_PRICES.are_given
    assert NO_PRICES.cost(Usage(1_000_000, 0, 1_000_000)) == 0


@pytest.mark.parametrize("price", [-0.01, math.nan, math.inf])
def test_a_price_is_a_number_of_at_least_nothing(price: float) -> None:
    with pytest.raises(InvalidRequest):
        Prices(output=price)


def test_amounts_are_written_with_the_digits_that_count() -> None:
    euros = Prices(currency="EUR")
    assert [euros.text(cost) for cost in (12.342, 0.0054, 0.00000123, 0.0)] == [
        "12.34 EUR",
        "0.0054 EUR",
        "0.0000012 EUR",
        "0.00 EUR",
    ]
