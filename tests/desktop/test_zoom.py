from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from desktop.widgets.transcript import Transcript
from tests.desktop.talk import LONG, Conversation, wheel


@pytest.mark.parametrize(("factor", "held"), [(0.1, 0.5), (9, 3.0)])
def test_zooming_has_its_bounds(transcript: Transcript, factor: float, held: float):
    transcript.set_zoom(factor)
    assert transcript.zoom == held
    transcript.zoom_by(1 if factor > 1 else -1)
    assert transcript.zoom == held


def test_the_wheel_zooms_with_control_and_scrolls_without(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG)])
    wheel(transcript, 1, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert transcript.zoom == 1.1
    wheel(transcript, -0.5, modifiers=Qt.KeyboardModifier.ControlModifier)
    wheel(transcript, -0.5, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert transcript.zoom == 1
    assert transcript.following
