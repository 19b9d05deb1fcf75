"""Devices are asked in the background, and whoever asks waits for nothing."""

from __future__ import annotations

import threading

import pytest

from desktop.devices import Devices, DevicesListed
from inference import Device, DeviceKind

CPU = Device("CPU", "A processor", DeviceKind.CPU, 1, 2)


def test_what_is_found_is_said_on_another_thread():
    said: list[tuple[DevicesListed, threading.Thread]] = []
    came, may_answer = threading.Event(), threading.Event()

    def find() -> tuple[Device, ...]:
        assert may_answer.wait(60)
        return (CPU,)

    def say(listed: DevicesListed) -> None:
        said.append((listed, threading.current_thread()))
        came.set()

    Devices(say, find).look()
    assert said == []
    may_answer.set()
    assert came.wait(60)
    (listed, thread), *_ = said
    assert listed == DevicesListed((CPU,))
    assert thread is not threading.current_thread()


@pytest.mark.model
def test_the_devices_of_this_machine_are_found():
    came = threading.Event()
    said: list[DevicesListed] = []

    def say(listed: DevicesListed) -> None:
        said.append(listed)
        came.set()

    Devices(say).look()
    assert came.wait(30)
    assert any(device.kind is DeviceKind.CPU for device in said[0].devices)
