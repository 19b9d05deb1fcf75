from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop.widgets.fit_panel import window_sizes


def test_windows_are_powers_of_two_the_wanted_one_and_all_that_was_learned():
    assert window_sizes(4096, 4096) == (512, 1024, 2048, 4096)
    assert window_sizes(6000, 3000) == (512, 1024, 2048, 3000, 4096, 6000)
    assert window_sizes(0, 4096) == (512, 1024, 2048, 4096)
    assert window_sizes(256, 4096) == (512,)


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_windows_rise_and_never_exceed_what_was_learned(training, wanted):
    sizes = window_sizes(training, wanted)
    assert list(sizes) == sorted(set(sizes))
    assert sizes[-1] == max(512, training or 4096)
