from __future__ import annotations

import pytest

from inference.machine import Device, DeviceKind, available_memory
from inference.measurements import Measurements, Pace
from inference.suitability import WORDS_PER_TOKEN, Machine, measured_pace, suitability_of

GB = 10**9


def machine(free: int, pace: float | None = None) -> Machine:
    return Machine(free, 256 << 20, "", pace)


def test_a_model_fits_where_it_and_a_margin_have_room():
    found = suitability_of(2 * GB, machine(4 * GB))
    assert found.fits
    assert 2 * GB < found.needed < 2.5 * GB
    assert not suitability_of(4 * GB, machine(4 * GB)).fits
    assert not suitability_of(2 * GB, machine(4 * GB), needed=4 * GB).fits, "what is known better counts"


def test_its_pace_is_that_of_what_was_written_here_by_its_size():
    measured = machine(4 * GB, pace=20e9)
    assert suitability_of(2 * GB, measured).words_a_second == pytest.approx(10 * WORDS_PER_TOKEN)
    assert suitability_of(1 * GB, measured).words_a_second == pytest.approx(20 * WORDS_PER_TOKEN)


def test_a_smaller_model_than_was_measured_with_is_promised_no_more():
    measured = Machine(4 * GB, 0, "", 20e9, most_tokens=5)
    assert suitability_of(1 * GB, measured).words_a_second == pytest.approx(5 * WORDS_PER_TOKEN)


def test_no_pace_is_told_where_none_was_measured_or_not_all_weights_are_read():
    assert suitability_of(2 * GB, machine(4 * GB)).words_a_second is None
    assert suitability_of(2 * GB, machine(4 * GB, 20e9), is_mixture=True).words_a_second is None
    assert measured_pace(Measurements())[0] is None


def test_the_largest_model_that_wrote_here_counts_at_its_usual_pace():
    measured = Measurements()
    measured.add_pace("/models/a small one.gguf 100000000 1", Pace("CPU", 1, 8, 0.01))
    assert measured_pace(measured) == pytest.approx((10e9, 100))
    measured.add_pace("/models/large.gguf 4000000000 1", Pace("CPU", 2, 8, 0.2))
    measured.add_pace("/models/large.gguf 4000000000 1", Pace("CPU", 2, 12, 0.4))
    assert measured_pace(measured) == pytest.approx((20e9, 5))


def test_a_gpu_counts_where_it_has_more_room_than_the_memory():
    large = Device("CUDA0", "", DeviceKind.GPU, 1 << 50, 1 << 50)
    shared = Device("Vulkan0", "", DeviceKind.INTEGRATED, 1 << 50, 1 << 50)
    assert (Machine.here(None, [shared, large]).device, Machine.here(None, [shared]).device) == ("CUDA0", "")
    assert Machine.here(freed=1 << 40).free > available_memory() + (1 << 39)
