"""What asks the program to end arrives as a signal."""

from __future__ import annotations

import os
import signal

import pytest

from desktop.interrupts import Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_asks_the_program_to_end_arrives_as_a_signal_and_the_old_handlers_come_back(qapp, qtbot, number):
    before = signal.getsignal(number)
    interrupts = Interrupts()
    with qtbot.waitSignal(interrupts.happened):
        os.kill(os.getpid(), number)
    interrupts.close()
    assert signal.getsignal(number) is before


def test_a_program_that_is_to_outlive_its_terminal_does(qapp, qtbot):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupts = Interrupts()
    try:
        with qtbot.assertNotEmitted(interrupts.happened, wait=50):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        interrupts.close()
        signal.signal(signal.SIGHUP, before)
