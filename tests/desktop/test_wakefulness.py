"""Holding off sleep with what a platform has for it."""

from __future__ import annotations

import os
import sys

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from desktop.wakefulness import Wakefulness, holder_of


def everything(name: str) -> str:
    return f"/usr/bin/{name}"


def nothing(_name: str) -> None:
    return None


def test_gnome_is_asked_itself():
    command = holder_of("linux", {"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}, everything, 1)
    assert command[0] == "/usr/bin/gnome-session-inhibit"
    assert command[-1] == "cat"


@pytest.mark.parametrize("desktop", ["KDE", ""])
def test_any_other_desktop_listens_to_systemd(desktop):
    assert holder_of("linux", {"XDG_CURRENT_DESKTOP": desktop}, everything, 1)[0] == "/usr/bin/systemd-inhibit"


def test_where_gnomes_own_is_missing_systemd_is_asked():
    def only_systemd(name: str) -> str | None:
        return everything(name) if name == "systemd-inhibit" else None

    assert holder_of("linux", {"XDG_CURRENT_DESKTOP": "GNOME"}, only_systemd, 1)[0] == "/usr/bin/systemd-inhibit"


def test_on_a_mac_it_ends_with_the_program():
    assert holder_of("darwin", {}, everything, 42) == ("/usr/bin/caffeinate", "-i", "-w", "42")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_where_there_is_nothing_nothing_is_run(platform):
    assert holder_of(platform, {}, nothing, 1) == ()


def test_it_is_held_until_it_is_released(qapp, qtbot):
    holder = Wakefulness(command=(sys.executable, "-c", "import sys; sys.stdin.read()"))
    holder.hold()
    process = holder._process
    assert process is not None
    with qtbot.waitSignal(process.finished, timeout=10_000):
        holder.hold()
        assert holder._process is process, "one is enough"
        holder.release()
    assert not holder.holds
    holder.release()


@pytest.mark.skipif(os.name != "posix", reason="asks the system whether a process lives")
def test_closing_leaves_no_process(qapp):
    holder = Wakefulness(command=(sys.executable, "-c", "import sys; sys.stdin.read()"))
    holder.hold()
    assert holder._process is not None
    assert holder._process.waitForStarted(10_000)
    number = holder._process.processId()
    holder.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


@pytest.mark.skipif(os.name != "posix", reason="asks the system whether a process lives")
def test_closing_waits_for_what_was_released_just_before(qapp):
    holder = Wakefulness(command=(sys.executable, "-c", "import sys; sys.stdin.read()"))
    holder.hold()
    assert holder._process is not None
    assert holder._process.waitForStarted(10_000)
    number = holder._process.processId()
    holder.release()
    holder.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_a_command_that_is_not_there_is_no_harm(qapp):
    holder = Wakefulness(command=("/nowhere/at/all",))
    holder.hold()
    holder.close()
    assert not holder.holds


def test_a_command_that_ends_by_itself_is_forgotten_and_asked_anew(qapp, qtbot):
    holder = Wakefulness(command=(sys.executable, "-c", "raise SystemExit(1)"))
    for _ in range(2):
        holder.hold()
        qtbot.waitUntil(lambda: not holder.holds, timeout=10_000)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    holder.release()
    holder.close()
