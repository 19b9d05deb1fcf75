"""A second start is taken over by the first, where there is one that answers."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.calls import Call
from desktop.single_instance import Entrance, enter


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "locks"


@pytest.fixture
def first(folder, qapp):
    entrance = enter(folder, Call)
    assert entrance is not None
    yield entrance
    entrance.close()


SECOND = """
import sys
from pathlib import Path
from desktop.calls import Call
from desktop.single_instance import enter

print(enter(Path(sys.argv[1]), lambda: Call(*sys.argv[2:])) is None)
"""


def another(folder: Path, *call: str) -> subprocess.Popen[str]:
    """A second start. Qt keeps Python's lock while it waits, so a thread would not do."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SECOND, str(folder), *call]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def was_taken_over(second: subprocess.Popen[str]) -> bool:
    with second:
        return second.communicate()[0] == "True\n"


def test_what_a_second_start_wants_is_heard_by_the_first(first, folder, qtbot):
    assert first.is_first
    door = first.listen()
    with qtbot.waitSignal(door.called) as heard:
        second = another(folder, "/models/mine.gguf", "a-token")
    assert heard.args == [Call("/models/mine.gguf", "a-token")]
    assert was_taken_over(second)


def test_a_second_start_waits_for_a_first_that_is_still_opening_its_window(first, folder, qtbot):
    second = another(folder)
    door = first.listen()  # it may be asking already
    qtbot.waitSignal(door.called).wait()
    assert was_taken_over(second)


def test_one_that_does_not_answer_is_not_waited_for(first, folder):
    second = enter(folder, Call, patience=0.0)
    assert second is not None
    assert not second.is_first
    assert second.listen() is None
    second.close()


def test_where_the_first_ends_while_it_is_asked_the_second_is_the_first(first, folder):
    second = Entrance(folder)
    assert [second.is_first] == [False]
    assert not second.hand_over(Call(), wait=lambda _: first.close())
    assert [second.is_first] == [True]
    second.close()


def test_what_one_that_was_killed_left_behind_is_in_nobodys_way(folder, qapp, qtbot):
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom PySide6.QtCore import QCoreApplication\n"
        "from desktop.calls import Call\nfrom desktop.single_instance import enter\n"
        "app = QCoreApplication([])\nentrance = enter(Path(sys.argv[1]), Call)\nassert entrance.listen(app).is_open\n"
        "os.kill(os.getpid(), 9)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", program, str(folder)], env=environment, check=False).returncode == -9
    assert (folder / "door").exists()
    entrance = enter(folder, Call)
    assert entrance is not None
    assert entrance.is_first
    door = entrance.listen()
    assert door is not None
    assert door.is_open
    entrance.close()


def test_folders_of_their_own_have_windows_of_their_own(first, tmp_path):
    other = enter(tmp_path / "elsewhere" / "locks", Call)
    assert other is not None
    assert other.is_first
    other.close()


def test_the_door_and_all_around_it_are_their_owners_alone(first, folder):
    first.listen()
    for path in (folder.parent, folder, folder / "door", folder / "first"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[1]\n",
        b'{"model": 3}\n',
        b"\xff\n",
        b"{\n",
        b"[" * 60_000 + b"\n",
        b'{"model": ' + b"9" * 5_000 + b"}\n",
        b'{"model": "/a\\u0000b"}\n',
        b'{"model": "/\\ud800"}\n',
    ],
)
def test_what_makes_no_sense_is_no_call(line):
    assert Call.unpacked(line) is None


def test_a_file_is_named_so_that_it_is_found_from_everywhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert Call.for_model("a.gguf", {}).model == str(tmp_path / "a.gguf")
    assert Call.for_model("http://127.0.0.1:8080", {}).model == "http://127.0.0.1:8080"
    assert Call.for_model(None, {"DESKTOP_STARTUP_ID": "x"}) == Call("", "x")


def test_a_name_that_is_no_text_is_handed_over_as_it_is():
    call = Call.for_model(os.fsdecode(b"/caf\xe9.gguf"), {})
    assert Call.unpacked(call.packed()) == call


CALLERS = """
import socket, sys, time

callers = []
for _ in range(200):
    caller = socket.socket(socket.AF_UNIX)
    caller.settimeout(10)
    while True:
        try:
            caller.connect(sys.argv[1])
            break
        except BlockingIOError:
            time.sleep(0.01)
    callers.append(caller)
print("called", flush=True)
for caller in callers[:-20]:
    try:
        assert caller.recv(1) == b""
    except ConnectionResetError:
        pass
    caller.close()
print("ended", flush=True)
sys.stdin.read()
"""


def test_callers_who_say_nothing_take_no_more_handles_than_a_few(first, folder, qtbot):
    door = first.listen()
    handles = len(tuple(Path("/proc/self/fd").iterdir()))
    command = [sys.executable, "-c", CALLERS, str(folder / "door")]
    most = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as callers:
        assert callers.stdin is not None
        assert callers.stdout is not None
        os.set_blocking(callers.stdout.fileno(), False)
        said = b""

        def have_ended() -> bool:
            nonlocal most, said
            most = max(most, len(tuple(Path("/proc/self/fd").iterdir())) - handles)
            said += callers.stdout.read() or b""  # type: ignore[union-attr]  # it was looked at above
            return b"ended" in said

        qtbot.waitUntil(have_ended, timeout=20_000)
        callers.stdin.close()
    assert most < 80
    with qtbot.waitSignal(door.called, timeout=10_000):
        second = another(folder, "/models/mine.gguf")
    assert was_taken_over(second)


def test_where_nothing_can_be_kept_a_window_opens_all_the_same(tmp_path):
    (tmp_path / "file").touch()
    entrance = enter(tmp_path / "file" / "locks", Call)
    assert entrance is not None
    assert not entrance.is_first
    entrance.close()


def test_a_path_that_sockets_have_no_room_for_costs_the_door_alone(tmp_path):
    entrance = enter(tmp_path / ("long" * 40) / "locks", Call)
    assert entrance is not None
    assert entrance.listen() is None
    entrance.close()
