"""A display that cannot be used is found out without the program's end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LOOK = "from desktop.display import why_unusable; print(why_unusable())"
VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "QT_QPA_PLATFORM")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")


def reason(before: str = "", **environment: str) -> str:
    # In a process of its own, as at the program's start: before any QApplication.
    bare = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", before + LOOK]
    done = subprocess.run(command, env=bare | paths | environment, capture_output=True, text=True, check=True)
    return done.stdout.removesuffix("\n")


def test_no_display_at_all_is_said():
    assert reason() == "neither DISPLAY nor WAYLAND_DISPLAY is set"


def test_a_display_that_nobody_serves_is_said_in_qts_words_and_one_line():
    words = reason(DISPLAY=":6789")
    assert words != ""
    assert "\n" not in words
    assert not words.startswith("qt.")


def test_a_platform_that_does_not_exist_is_said():
    assert "nonsense" in reason(QT_QPA_PLATFORM="nonsense")


def test_a_program_without_an_error_stream_finds_out_the_same():
    assert "nonsense" in reason("import sys; sys.stderr = None; ", QT_QPA_PLATFORM="nonsense")


@pytest.mark.parametrize("platform", ["offscreen", "minimal", "offscreen:size=800x600"])
def test_a_platform_that_needs_no_display_is_taken_at_its_word(platform):
    assert reason(QT_QPA_PLATFORM=platform) == ""
