"""Memory that runs out is told from its exception, and asked for before it is needed."""

from __future__ import annotations

import errno

import pytest

from inference.shortage import can_reserve, is_shortage


def led_to(cause: BaseException) -> ImportError:
    error = ImportError("Importing the numpy C-extensions failed.")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        ImportError("libQt6Gui.so.6: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
        led_to(ImportError("libopenblas.so: failed to map segment from shared object")),
    ],
)
def test_each_way_of_running_out_of_memory_is_known(error):
    assert is_shortage(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("failed to map segment"),
        OSError(errno.ENOSPC, "No space left on device"),
        ImportError("No module named 'numpy'"),
        led_to(ImportError("no such file")),
    ],
)
def test_other_faults_are_not_taken_for_it(error):
    assert not is_shortage(error)


def test_a_circle_of_causes_is_walked_through_once():
    first, second = ValueError(), ValueError()
    first.__context__, second.__context__ = second, first
    assert not is_shortage(first)


def test_a_little_can_be_had_and_more_than_an_address_holds_cannot():
    assert can_reserve(0)
    assert can_reserve(1 << 20)
    assert not can_reserve(1 << 62)
    assert not can_reserve(1 << 70)
