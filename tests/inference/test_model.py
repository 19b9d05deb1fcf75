"""The stop flag is one that native code can read."""

from __future__ import annotations

import ctypes

from inference.model import StopFlag


def test_the_flag_is_a_c_string_empty_while_lowered_and_one_long_once_raised() -> None:
    flag = StopFlag()
    assert ctypes.string_at(flag.address) == b""
    flag.set()
    assert flag.is_set()
    assert len(ctypes.string_at(flag.address)) == 1
    flag.clear()
    assert not flag.is_set()
    assert ctypes.string_at(flag.address) == b""
